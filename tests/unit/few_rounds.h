/* Sessions with few rounds: simulated commands, in the order of the schedule, judged like a real result.
 * They are compared with the earlier rule: every round was shuffled, and ranks need more rounds than
 * there are. */
#ifndef LAUKA_TESTS_FEW_ROUNDS_H
#define LAUKA_TESTS_FEW_ROUNDS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "runner/session/session.h"
#include "stats/stats.h"
#include "tests/unit/bound.h"

enum { ROUNDS_MAX = 30, COMMANDS_MAX = 15 };

struct cell {
    size_t rounds, commands;
    const char *kind, *place, *cost; /* for the second command; the others cost 10 ms */
};

struct counts {
    unsigned claims_before, claims, hits_before, hits; /* numbers of sessions */
};

/* ---- one session ------------------------------------------------------------------------------------ */

static struct lauka_options options;
static struct lauka_result result;
static uint32_t orders[ROUNDS_MAX * COMMANDS_MAX];

static void check(bool good)
{
    if (!good)
        abort();
}

static void set_up(const struct cell *cell)
{
    struct lauka_error error;

    options = (struct lauka_options){.pretended = true, .scenario = LAUKA_SCENARIO_EFFECTS};
    options.commands = calloc(cell->commands, sizeof *options.commands);
    options.command_count = cell->commands;
    result = (struct lauka_result){.metric_count = 1, .command_count = cell->commands};
    result.metrics = calloc(1, sizeof *result.metrics);
    result.commands = calloc(cell->commands, sizeof *result.commands);
    check(options.commands && result.metrics && result.commands);
    result.metrics[0] = (struct lauka_result_metric){.name = strdup("wall_time"),
                                                     .unit = strdup("ns"),
                                                     .source = strdup("simulated"),
                                                     .better = "lower",
                                                     .counted = true,
                                                     .share = 1,
                                                     .primary = true};
    for (size_t c = 0; c < cell->commands; c++) {
        char text[100];
        struct lauka_series *series = calloc(1, sizeof *series);
        snprintf(text, sizeof text, "p noise=2%% kind=%s first=%s%% cost=%s", cell->kind,
                 cell->place, c == 1 ? cell->cost : "10ms");
        check(lauka_command_parse(text, &options.commands[c], &error));
        check(series && lauka_series_reserve(series, ROUNDS_MAX) == 0);
        result.commands[c].series = series;
        check((result.commands[c].label = strdup(text)) != NULL);
    }
    check(lauka_pretence_read_all(&options, &error));
}

static void tear_down(void)
{
    for (size_t c = 0; c < result.command_count; c++)
        lauka_command_done(&options.commands[c]);
    free(options.commands);
    result.run.order = NULL; /* borrowed */
    lauka_result_done(&result);
}

static void run_round(const uint32_t *order, uint64_t round)
{
    static struct lauka_counters counters;
    struct lauka_sample sample = {0};

    for (size_t place = 0; place < options.command_count; place++) {
        const struct lauka_pretended_run run = {.seed = options.seed,
                                                .command = order[place],
                                                .number = order[place],
                                                .round = round,
                                                .place = place};
        lauka_pretence_run(&options, &run, &counters, &sample);
        lauka_series_add(&result.commands[order[place]].series[0],
                         sample.usage.values[LAUKA_WALL_TIME]);
    }
}

static void run_rounds(const struct cell *cell, bool mirrored)
{
    struct lauka_schedule schedule;

    for (size_t c = 0; c < cell->commands; c++)
        result.commands[c].series[0].count = 0;
    check(lauka_schedule_init(&schedule, cell->commands, options.seed) == 0);
    for (uint64_t round = 0; round < cell->rounds; round++) {
        if (!mirrored)
            lauka_random_shuffle(&schedule.random, schedule.order, schedule.count);
        const uint32_t *order = mirrored ? lauka_schedule_next(&schedule) : schedule.order;
        memcpy(orders + round * cell->commands, order, cell->commands * sizeof *order);
        run_round(order, round);
    }
    lauka_schedule_done(&schedule);
    result.run = (struct lauka_result_run){
        .rounds = cell->rounds, .order = orders, .alpha = LAUKA_ALPHA_FIXED, .precision = 0.01};
}

/* ---- claims and hits -------------------------------------------------------------------------------- */

static void count(const struct cell *cell, const bool *higher, const bool *lower, unsigned *claims,
                  unsigned *hits)
{
    bool differs = strcmp(cell->cost, "10ms") != 0, claimed = false;

    for (size_t c = differs ? 2 : 1; c < cell->commands; c++)
        claimed |= higher[c] || lower[c];
    *claims += claimed || (differs && lower[1]);
    *hits += differs && higher[1];
}

/* The earlier rule: ranks at 5 %, Student's t if ranks give no interval, and Holm's correction. */
static void judge_before(const struct cell *cell, struct counts *counts)
{
    static const struct lauka_comparison_options alone = {.alpha = LAUKA_ALPHA_FIXED,
                                                          .precision = 0.01};
    struct lauka_comparison all[COMMANDS_MAX];
    struct lauka_optional p[COMMANDS_MAX] = {{0}};
    bool stands[COMMANDS_MAX], higher[COMMANDS_MAX], lower[COMMANDS_MAX];

    for (size_t c = 1; c < cell->commands; c++) {
        check(lauka_compare(&result.commands[0].series[0], &result.commands[c].series[0], &alone,
                            &all[c]) == 0);
        p[c] = all[c].p;
    }
    lauka_family_holm(p, cell->commands, LAUKA_ALPHA_FIXED, stands);
    for (size_t c = 1; c < cell->commands; c++) {
        higher[c] = stands[c] && all[c].log_low.known && all[c].log_low.value > 0;
        lower[c] = stands[c] && all[c].log_low.known && all[c].log_high.value < 0;
    }
    count(cell, higher, lower, &counts->claims_before, &counts->hits_before);
}

static void judge(const struct cell *cell, struct counts *counts)
{
    bool higher[COMMANDS_MAX], lower[COMMANDS_MAX];

    check(lauka_result_analyse(&result) == 0);
    for (size_t c = 1; c < cell->commands; c++) {
        enum lauka_verdict verdict = lauka_result_comparison(&result, c, 0)->verdict;
        higher[c] = verdict == LAUKA_VERDICT_HIGHER;
        lower[c] = verdict == LAUKA_VERDICT_LOWER;
    }
    count(cell, higher, lower, &counts->claims, &counts->hits);
}

static struct counts simulate(const struct cell *cell, unsigned sessions)
{
    struct counts counts = {0};

    set_up(cell);
    for (unsigned s = 0; s < sessions; s++) {
        options.seed = s + 1;
        run_rounds(cell, false);
        judge_before(cell, &counts);
        run_rounds(cell, true);
        judge(cell, &counts);
    }
    tear_down();
    return counts;
}

#endif
