/* Sessions of several benchmarks, made by hand, to test what is written about them. */
#ifndef LAUKA_TESTS_SESSIONS_H
#define LAUKA_TESTS_SESSIONS_H

#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/expect.h"

struct plan {            /* one benchmark */
    const char *name;    /* NULL ends the list */
    double wall_ms;      /* the reference's */
    double change;       /* in all times of the other sides, as a share */
    double noise;        /* a share */
    double memory;       /* change in peak_rss, as a share */
    double limit;        /* on wall_time, as a share; 0: none */
    double memory_limit; /* on peak_rss, as a share; 0: none */
    const char *failure; /* how the last side failed */
    bool missing;        /* the last side was not started */
};

enum { PLAN_WALL, PLAN_CPU, PLAN_RSS, PLAN_METRICS };

static const struct {
    const char *name, *unit, *source;
} plan_metrics[PLAN_METRICS] = {
    {"wall_time", "ns", "clock"}, {"cpu_time", "ns", "rusage"}, {"peak_rss", "B", "rusage"}};

static inline uint64_t plan_value(const struct plan *plan, size_t side, size_t metric,
                                  struct lauka_random *random)
{
    double base = metric == PLAN_RSS ? 8 << 20 : plan->wall_ms * (metric == PLAN_CPU ? 9e5 : 1e6);
    double change = metric == PLAN_RSS ? plan->memory : plan->change;
    double noise = metric == PLAN_RSS ? plan->noise / 10 : plan->noise;
    return (uint64_t)(base * (side > 0 ? 1 + change : 1) *
                      (1 + noise * lauka_random_normal(random)));
}

static inline void plan_sides(struct lauka_result *result, const struct plan *plan, size_t rounds)
{
    static const char *const sides[] = {"base", "head", "next"};
    struct lauka_random random;
    lauka_random_seed(&random, 7 + (uint64_t)(plan->name[0]) + 31 * strlen(plan->name) +
                                   (uint64_t)(1e4 * plan->wall_ms));
    for (size_t c = 0; c < result->command_count; c++) {
        struct lauka_result_command *command = &result->commands[c];
        char label[256];
        snprintf(label, sizeof label, "./%s %s", sides[c], plan->name);
        command->label = strdup(label);
        command->side = strdup(sides[c]);
        command->argv = calloc(3, sizeof *command->argv);
        command->argv[0] = strdup(sides[c]);
        command->argv[1] = strdup(plan->name);
        command->series = calloc(PLAN_METRICS, sizeof *command->series);
        command->exit_codes = calloc(rounds + 1, sizeof *command->exit_codes);
        for (size_t m = 0; m < PLAN_METRICS; m++) {
            lauka_series_reserve(&command->series[m], rounds);
            for (size_t i = 0; i < rounds; i++)
                lauka_series_add(&command->series[m], plan_value(plan, c, m, &random));
        }
    }
}

static inline void plan_rule(struct lauka_result_gate *gate, const char *metric, double share)
{
    if (share > 0)
        gate->rules[gate->rule_count++] = (struct lauka_gate_rule){
            .metric = strdup(metric), .share = {.known = true, .value = share}};
}

static inline void plan_gate(struct lauka_result *result, const struct plan *plan)
{
    if (plan->limit <= 0 && plan->memory_limit <= 0)
        return;
    result->gate.rules = calloc(2, sizeof *result->gate.rules);
    plan_rule(&result->gate, "wall_time", plan->limit);
    plan_rule(&result->gate, "peak_rss", plan->memory_limit);
}

static inline void plan_result(struct lauka_result *result, const struct plan *plan, size_t sides,
                               size_t rounds)
{
    size_t finished = plan->missing ? 0 : rounds;
    result->benchmark.name = strdup(plan->name);
    result->metrics = calloc(PLAN_METRICS, sizeof *result->metrics);
    result->metric_count = PLAN_METRICS;
    for (size_t m = 0; m < PLAN_METRICS; m++)
        result->metrics[m] = (struct lauka_result_metric){.name = strdup(plan_metrics[m].name),
                                                          .unit = strdup(plan_metrics[m].unit),
                                                          .source = strdup(plan_metrics[m].source),
                                                          .better = "lower",
                                                          .counted = true,
                                                          .share = 1,
                                                          .primary = m != PLAN_RSS};
    result->commands = calloc(sides, sizeof *result->commands);
    result->command_count = sides;
    plan_sides(result, plan, finished);
    plan_gate(result, plan);
    result->run = (struct lauka_result_run){.seed = 42,
                                            .rounds = finished,
                                            .seconds = plan->missing ? 0 : 1.25,
                                            .measured = plan->missing ? 0 : 1,
                                            .alpha = LAUKA_ALPHA_FIXED,
                                            .stopped = LAUKA_STOPPED_ROUNDS};
    if (plan->failure) {
        result->failure = (struct lauka_result_failure){.known = true,
                                                        .command = sides - 1,
                                                        .round = finished,
                                                        .reason = strdup(plan->failure),
                                                        .stderr_tail = strdup("it says <why>\n")};
        result->run.stopped = LAUKA_STOPPED_FAILURE;
    }
    result->host = (struct lauka_result_host){.os = strdup("Linux"),
                                              .kernel = strdup("6.1.0"),
                                              .arch = strdup("x86_64"),
                                              .cpu_model = strdup("Pretended 9000"),
                                              .cpu_count = 4,
                                              .memory_bytes = 8589934592};
}

/* Returns the analysed session; free it with lauka_session_done. */
static inline struct lauka_session plan_session(const struct plan *plans, size_t sides,
                                                size_t rounds)
{
    struct lauka_session session;
    size_t count = 0;
    while (plans[count].name)
        count++;
    EXPECT(lauka_session_init(&session, count) == 0);
    for (size_t b = 0; b < count; b++)
        plan_result(&session.benchmarks[b], &plans[b], sides, rounds);
    EXPECT(lauka_session_analyse(&session) == 0);
    return session;
}

#endif
