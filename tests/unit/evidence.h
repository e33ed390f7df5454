/* Whole sessions in microseconds: order, looks, analysis and gates are lauka's own, only the runs are made
 * up. A cell says in words what they cost, which machine they ran on and what is asked of the session:
 *
 *     kind=t3 noise=2% effect=3% square=4 step=5% rounds=10
 *
 * Words that are missing mean: two equal commands of 10 ms with normal noise of 2 %, nothing beside them, wall
 * and CPU time, and a session as typed, which looks and stops by itself. */
#ifndef LAUKA_TESTS_EVIDENCE_H
#define LAUKA_TESTS_EVIDENCE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/words/words.h"
#include "runner/options.h"
#include "runner/session/session.h"
#include "stats/stats.h"

/* ---- words ------------------------------------------------------------------------------------------- */

/* Shares are 0.01 where the text has 1 %; times are ms; periods and lengths are numbers of runs. */
struct cell {
    const char *kind;           /* of noise; see draw_noise */
    double cost, noise, effect; /* of a run; the last command costs more by the effect */
    double first;               /* what the first of a round pays */
    double square, spike, sine,
        burst;              /* load beside the runs: half of every period; one run of it; a wave;
                                        * for a while, and not for a while, both of this mean length */
    double step;            /* what such load costs */
    double rho, ar;         /* load with this correlation from run to run, and its deviation */
    double tick;            /* ms: values are whole numbers of it, by a clock with random phase */
    double cpu;             /* noise that is CPU time's own; negative: it has the wall time's */
    double rounds;          /* -r; 0: as typed */
    double until, min, max; /* as the options; times in ms */
    double limit;           /* gate on how much wall time may rise; negative: none */
    double budget;          /* gate on wall time, in medians of its distribution; 0: none */
    double commands, benchmarks, metrics;
    const char *order; /* shuffle, plain (each round for itself), abba, rotate */
};

static const struct {
    const char *name;
    size_t offset;
    double usual;
} cell_words[] = {
    {"cost", offsetof(struct cell, cost), 10},
    {"noise", offsetof(struct cell, noise), 0.02},
    {"effect", offsetof(struct cell, effect), 0},
    {"first", offsetof(struct cell, first), 0},
    {"square", offsetof(struct cell, square), 0},
    {"spike", offsetof(struct cell, spike), 0},
    {"sine", offsetof(struct cell, sine), 0},
    {"burst", offsetof(struct cell, burst), 0},
    {"step", offsetof(struct cell, step), 0.05},
    {"rho", offsetof(struct cell, rho), 0},
    {"ar", offsetof(struct cell, ar), 0},
    {"tick", offsetof(struct cell, tick), 0},
    {"cpu", offsetof(struct cell, cpu), -1},
    {"rounds", offsetof(struct cell, rounds), 0},
    {"until", offsetof(struct cell, until), 0.01},
    {"min", offsetof(struct cell, min), 1000},
    {"max", offsetof(struct cell, max), 5000},
    {"limit", offsetof(struct cell, limit), -1},
    {"budget", offsetof(struct cell, budget), 0},
    {"commands", offsetof(struct cell, commands), 2},
    {"benchmarks", offsetof(struct cell, benchmarks), 1},
    {"metrics", offsetof(struct cell, metrics), 2},
};

static void check(bool good)
{
    if (!good)
        abort();
}

/* Whether `word` is NAME=VALUE of this name; then *value is its text. */
static bool is_word(const char *word, size_t length, const char *name, const char **value)
{
    size_t own = strlen(name);
    *value = word + own + 1;
    return length > own && word[own] == '=' && strncmp(word, name, own) == 0;
}

/* Of a few fixed texts, the one that is meant; a text that is none of them ends the program. */
static const char *choice(const char *value, size_t length, const char *const *texts)
{
    for (; *texts; texts++)
        if (strlen(*texts) == length && strncmp(value, *texts, length) == 0)
            return *texts;
    fprintf(stderr, "what is '%.*s'?\n", (int)length, value);
    exit(2);
}

static void read_word(const char *word, size_t length, struct cell *cell)
{
    static const char *const kinds[] = {"normal", "lognormal", "t3",      "modes",  "spikes",
                                        "exp",    "pareto",    "uniform", "record", NULL};
    static const char *const orders[] = {"shuffle", "plain", "abba", "rotate", NULL};
    const char *value;
    for (size_t i = 0; i < sizeof cell_words / sizeof *cell_words; i++) {
        if (!is_word(word, length, cell_words[i].name, &value))
            continue;
        double number = strtod(value, NULL);
        *(double *)((char *)cell + cell_words[i].offset) =
            word[length - 1] == '%' ? number / 100 : number;
        return;
    }
    if (is_word(word, length, "kind", &value))
        cell->kind = choice(value, (size_t)(word + length - value), kinds);
    else if (is_word(word, length, "order", &value))
        cell->order = choice(value, (size_t)(word + length - value), orders);
    else
        choice(word, length, kinds + sizeof kinds / sizeof *kinds - 1);
}

static struct cell cell_of(const char *words)
{
    struct cell cell = {.kind = "normal", .order = "shuffle"};
    for (size_t i = 0; i < sizeof cell_words / sizeof *cell_words; i++)
        *(double *)((char *)&cell + cell_words[i].offset) = cell_words[i].usual;
    while (*words) {
        size_t length = strcspn(words, " ");
        if (length > 0)
            read_word(words, length, &cell);
        words += length + (words[length] == ' ');
    }
    return cell;
}

/* ---- runs -------------------------------------------------------------------------------------------- */

struct machine { /* what runs one after the other share */
    struct lauka_random random;
    double load, phase;
    bool busy;
    uint64_t run;
    const double *record; /* real runs for kind=record, in their order; borrowed */
    size_t record_count;
};

static double exponential(struct lauka_random *random)
{
    return -log(1 - lauka_random_unit(random));
}

static double student3(struct lauka_random *random)
{
    double square = 0;
    for (int i = 0; i < 3; i++) {
        double part = lauka_random_normal(random);
        square += part * part;
    }
    return lauka_random_normal(random) / sqrt(square / 3);
}

/* The cost of a run, as a multiple of the least or the typical one. Two modes: three runs in ten are 14 %
 * slower; spikes: one in 20 takes about half as long again. */
static double draw_noise(const char *kind, double noise, struct lauka_random *random)
{
    double unit = lauka_random_unit(random);
    if (strcmp(kind, "lognormal") == 0)
        return exp(noise * lauka_random_normal(random));
    if (strcmp(kind, "t3") == 0)
        return exp(fmin(5, noise * student3(random)));
    if (strcmp(kind, "modes") == 0)
        return (1 + noise * lauka_random_normal(random)) * (unit < 0.3 ? 1.14 : 1);
    if (strcmp(kind, "spikes") == 0)
        return (1 + noise * lauka_random_normal(random)) *
               (unit < 0.05 ? 1 + exponential(random) / 2 : 1);
    if (strcmp(kind, "exp") == 0)
        return 1 + noise * exponential(random);
    if (strcmp(kind, "pareto") == 0)
        return 1 + noise * (pow(1 - unit, -1 / 1.5) - 1);
    if (strcmp(kind, "uniform") == 0)
        return 1 + noise * (unit - 0.5) * sqrt(12);
    return fmax(0.01, 1 + noise * lauka_random_normal(random));
}

static void machine_begin(const struct cell *cell, struct machine *machine)
{
    machine->load = lauka_random_normal(&machine->random);
    machine->phase = lauka_random_unit(&machine->random);
    machine->busy = lauka_random_unit(&machine->random) < 0.5;
    machine->run = machine->record_count > 0 && strcmp(cell->kind, "record") == 0
                       ? lauka_random_below(&machine->random, machine->record_count)
                       : 0;
}

static bool in_period(const struct machine *machine, double period, double share)
{
    return period > 0 && fmod((double)machine->run / period + machine->phase, 1) < share;
}

/* What the machine adds to the logarithm of the next run's cost. */
static double machine_next(const struct cell *cell, struct machine *machine)
{
    const double turn = 6.283185307179586;
    double beside = cell->ar * machine->load;
    if (in_period(machine, cell->square, 0.5) || in_period(machine, cell->spike, 1 / cell->spike))
        beside += log1p(cell->step);
    if (cell->sine > 0)
        beside += cell->step * sin(turn * ((double)machine->run / cell->sine + machine->phase));
    if (cell->burst > 0) {
        beside += machine->busy ? log1p(cell->step) : 0;
        machine->busy ^= lauka_random_unit(&machine->random) < 1 / cell->burst;
    }
    machine->load = cell->rho * machine->load +
                    sqrt(1 - cell->rho * cell->rho) * lauka_random_normal(&machine->random);
    machine->run++;
    return beside;
}

/* In ns, by the clock. */
static uint64_t ticked(const struct cell *cell, struct lauka_random *random, double ns)
{
    double tick = cell->tick * 1e6;
    if (tick > 0)
        ns = floor(ns / tick + lauka_random_unit(random)) * tick;
    return (uint64_t)(fmax(0, ns) + 0.5);
}

static void run_command(const struct cell *cell, struct machine *machine, bool last, size_t place,
                        struct lauka_series *series)
{
    double shared = exp(machine_next(cell, machine)) * (place == 0 ? 1 + cell->first : 1);
    double cost = cell->cost * 1e6 * shared * (last && cell->commands > 1 ? 1 + cell->effect : 1);
    double own = strcmp(cell->kind, "record") == 0
                     ? machine->record[machine->run % machine->record_count]
                     : draw_noise(cell->kind, cell->noise, &machine->random);
    check(lauka_series_reserve(&series[0], series[0].count + 1) == 0);
    lauka_series_add(&series[0], ticked(cell, &machine->random, cost * own));
    if (cell->metrics < 2)
        return;
    if (cell->cpu >= 0)
        own = draw_noise(cell->kind, cell->cpu, &machine->random);
    check(lauka_series_reserve(&series[1], series[1].count + 1) == 0);
    lauka_series_add(&series[1], ticked(cell, &machine->random, 0.9 * cost * own));
}

/* ---- sessions ---------------------------------------------------------------------------------------- */

enum { ROUNDS_AT_MOST = 20000 };

struct play {
    struct cell cell;
    struct machine machine;
    struct lauka_options options;
    struct lauka_session session;
};

static double typical_run(struct play *play)
{
    enum { RUNS = 100001 };
    double *values = malloc(RUNS * sizeof *values), middle;
    check(values != NULL);
    machine_begin(&play->cell, &play->machine);
    for (size_t i = 0; i < RUNS; i++)
        values[i] = exp(machine_next(&play->cell, &play->machine)) *
                    draw_noise(play->cell.kind, play->cell.noise, &play->machine.random);
    check(lauka_sort_doubles(values, RUNS) == 0);
    middle = values[RUNS / 2];
    free(values);
    return middle;
}

static double typical_of_record(const struct machine *machine)
{
    double *values = malloc(machine->record_count * sizeof *values), middle;
    check(values != NULL);
    memcpy(values, machine->record, machine->record_count * sizeof *values);
    check(lauka_sort_doubles(values, machine->record_count) == 0);
    middle = values[machine->record_count / 2];
    free(values);
    return middle;
}

static void set_gate(struct play *play, struct lauka_result *result, double budget_ns)
{
    const struct cell *cell = &play->cell;
    if (cell->limit < 0 && cell->budget <= 0)
        return;
    result->gate.rules = calloc(1, sizeof *result->gate.rules);
    check(result->gate.rules != NULL);
    result->gate.rule_count = 1;
    result->gate.rules[0].metric = strdup("wall_time");
    if (cell->budget > 0)
        result->gate.rules[0].most = (struct lauka_optional){true, budget_ns};
    else
        result->gate.rules[0].share = (struct lauka_optional){true, cell->limit};
}

static void set_up_result(struct play *play, struct lauka_result *result, double budget_ns)
{
    static const char *const names[] = {"wall_time", "cpu_time"};
    size_t metrics = (size_t)play->cell.metrics, commands = (size_t)play->cell.commands;
    *result = (struct lauka_result){.metric_count = metrics, .command_count = commands};
    result->metrics = calloc(metrics, sizeof *result->metrics);
    result->commands = calloc(commands, sizeof *result->commands);
    result->run.order = malloc(ROUNDS_AT_MOST * commands * sizeof *result->run.order);
    check(result->metrics && result->commands && result->run.order);
    for (size_t m = 0; m < metrics; m++)
        result->metrics[m] = (struct lauka_result_metric){.name = strdup(names[m]),
                                                          .unit = strdup("ns"),
                                                          .source = strdup("simulated"),
                                                          .better = "lower",
                                                          .counted = true,
                                                          .share = 1,
                                                          .primary = true};
    for (size_t c = 0; c < commands; c++) {
        char label[16];
        snprintf(label, sizeof label, "c%zu", c);
        result->commands[c].label = strdup(label);
        result->commands[c].series = calloc(metrics, sizeof *result->commands[c].series);
        check(result->commands[c].series != NULL);
    }
    check(lauka_result_add_option(result, "order", play->cell.order, true) == 0);
    set_gate(play, result, budget_ns);
}

/* record: real runs for kind=record, as multiples of any unit; NULL without them. */
static void play_open(struct play *play, const char *words, uint64_t seed, const double *record,
                      size_t record_count)
{
    *play = (struct play){.cell = cell_of(words)};
    const struct cell *cell = &play->cell;
    bool timed = cell->rounds == 0;
    play->machine.record = record;
    play->machine.record_count = record_count;
    check(strcmp(cell->kind, "record") != 0 || record_count > 0);
    lauka_random_seed(&play->machine.random, 1000003 * seed + 17);
    play->options = (struct lauka_options){
        .measure.pretended = true,
        .run.command_count = (size_t)cell->commands,
        .measure.rounds = (uint64_t)cell->rounds,
        .measure.until = cell->until,
        .measure.min_time_ns = (uint64_t)(cell->min * 1e6),
        .measure.max_time_ns = (uint64_t)(cell->max * 1e6),
        .measure.min_rounds = timed ? LAUKA_FIRST_LOOK : (uint64_t)cell->rounds,
    };
    double budget = cell->budget <= 0                   ? 0
                    : strcmp(cell->kind, "record") == 0 ? typical_of_record(&play->machine)
                                                        : typical_run(play);
    check(lauka_session_init(&play->session, (size_t)cell->benchmarks) == 0);
    for (size_t b = 0; b < play->session.benchmark_count; b++)
        set_up_result(play, &play->session.benchmarks[b], cell->budget * budget * cell->cost * 1e6);
}

static void play_close(struct play *play)
{
    lauka_session_done(&play->session);
}

static void clear_result(const struct play *play, struct lauka_result *result)
{
    uint32_t *order = result->run.order;
    for (size_t c = 0; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            result->commands[c].series[m].count = 0;
    result->run = (struct lauka_result_run){
        .order = order, .precision = play->cell.until > 0 ? play->cell.until : 0.01};
}

static const uint32_t *next_order(const struct cell *cell, struct lauka_schedule *schedule)
{
    if (strcmp(cell->order, "plain") != 0)
        return lauka_schedule_next(schedule);
    lauka_random_shuffle(&schedule->random, schedule->order, schedule->count);
    return schedule->order;
}

/* One round; returns what it took, in ns. */
static uint64_t play_round(struct play *play, struct lauka_result *result, const uint32_t *order)
{
    uint64_t spent = 0;
    memcpy(result->run.order + result->run.rounds * result->command_count, order,
           result->command_count * sizeof *order);
    for (size_t place = 0; place < result->command_count; place++) {
        struct lauka_series *series = result->commands[order[place]].series;
        run_command(&play->cell, &play->machine, order[place] + 1 == result->command_count, place,
                    series);
        spent += lauka_series_at(&series[0], result->run.rounds);
    }
    result->run.rounds++;
    return spent;
}

static void play_benchmark(struct play *play, struct lauka_result *result, uint64_t seed)
{
    struct lauka_schedule schedule;
    struct lauka_enough enough;
    enum lauka_stopped why = LAUKA_STOPPED_TIME;
    uint64_t spent = 0, others = play->session.benchmark_count - 1;
    clear_result(play, result);
    machine_begin(&play->cell, &play->machine);
    check(lauka_schedule_init(&schedule, result->command_count, seed) == 0);
    if (strcmp(play->cell.order, "abba") == 0)
        schedule.kind = LAUKA_ORDER_ABBA;
    if (strcmp(play->cell.order, "rotate") == 0)
        schedule.kind = LAUKA_ORDER_ROTATE;
    check(lauka_enough_init(&enough, &play->options, result,
                            others * result->metric_count * (result->command_count - 1)) == 0);
    do
        spent += play_round(play, result, next_order(&play->cell, &schedule));
    while (!lauka_enough(&enough, spent, &why) && result->run.rounds < ROUNDS_AT_MOST);
    result->run.stopped = why;
    result->run.alpha = lauka_enough_alpha(&enough, why);
    result->run.measured = (double)spent / 1e9;
    lauka_enough_done(&enough);
    lauka_schedule_done(&schedule);
}

/* ---- what became of them ----------------------------------------------------------------------------- */

struct counts { /* numbers of sessions, but for the rounds, and intervals of the last command */
    unsigned sessions, claims, found, equivalent, fails, passes;
    unsigned intervals, holding, empty; /* those of wall time; that hold the truth; of no width */
    unsigned welch;                     /* in which Welch's t finds the effect in wall time */
    double rounds, half_width;          /* sums */
};

static bool welch_finds(const struct lauka_result *result)
{
    struct lauka_moments a, b;
    size_t last = result->command_count - 1;
    lauka_moments_of(&result->commands[0].series[0], &a);
    lauka_moments_of(&result->commands[last].series[0], &b);
    double n = (double)a.count, va = lauka_moments_variance(&a).value / n,
           vb = lauka_moments_variance(&b).value / n;
    double t = (lauka_moments_mean(&b) - lauka_moments_mean(&a)) / sqrt(va + vb);
    double df = (va + vb) * (va + vb) / ((va * va + vb * vb) / (n - 1));
    return 2 * lauka_student_cdf(-fabs(t), (uint64_t)df) < LAUKA_ALPHA_FIXED && t > 0;
}

static void count_interval(const struct play *play, const struct lauka_comparison *comparison,
                           struct counts *counts)
{
    double truth = log1p(play->cell.effect), low = comparison->log_low.value,
           high = comparison->log_high.value;
    bool known = comparison->log_low.known;
    if (!known && comparison->difference_low.known && comparison->reference_mean > 0) {
        known = true;
        low = log1p(comparison->difference_low.value / comparison->reference_mean);
        high = log1p(comparison->difference_high.value / comparison->reference_mean);
    }
    counts->intervals += known;
    counts->holding += known && low <= truth && truth <= high;
    counts->empty += known && low == high && comparison->method != LAUKA_METHOD_EXACT;
    counts->half_width += known ? (high - low) / 2 : 0;
}

/* Claims are those that must not be made: of commands that are equal, or in the wrong direction. */
static void count_session(const struct play *play, struct counts *counts)
{
    bool claimed = false, found = false, fails = false, passes = true;
    for (size_t b = 0; b < play->session.benchmark_count; b++) {
        const struct lauka_result *result = &play->session.benchmarks[b];
        counts->rounds += (double)result->run.rounds / (double)play->session.benchmark_count;
        fails |= result->gate.verdict == LAUKA_GATE_FAIL;
        passes &= result->gate.verdict == LAUKA_GATE_PASS;
        for (size_t i = 0; i < result->comparison_count; i++) {
            const struct lauka_result_comparison *one = &result->comparisons[i];
            bool differs = play->cell.effect > 0 && one->command + 1 == result->command_count;
            bool higher = one->values.verdict == LAUKA_VERDICT_HIGHER;
            claimed |= one->values.verdict == LAUKA_VERDICT_LOWER || (higher && !differs);
            found |= higher && differs && one->metric == 0;
        }
    }
    const struct lauka_result *first = &play->session.benchmarks[0];
    if (first->command_count > 1) {
        const struct lauka_comparison *wall =
            lauka_result_comparison(first, first->command_count - 1, 0);
        count_interval(play, wall, counts);
        counts->equivalent += wall->verdict == LAUKA_VERDICT_EQUIVALENT ||
                              wall->verdict == LAUKA_VERDICT_IDENTICAL || wall->below_precision;
        counts->welch += welch_finds(first);
    }
    counts->sessions++;
    counts->claims += claimed;
    counts->found += found;
    counts->fails += fails;
    counts->passes += passes;
}

/* What `lauka noise` names on average as the change that sessions of this cell would see, as a share; whole: those
 * that take the whole time. */
static double play_noise(const char *words, unsigned sessions, uint64_t seed, bool whole)
{
    struct play play;
    double sum = 0;
    play_open(&play, words, seed, NULL, 0);
    play.options.measure.until = 0;
    for (unsigned s = 0; s < sessions; s++) {
        struct lauka_result *result = &play.session.benchmarks[0];
        play_benchmark(&play, result, seed * 7919 + s);
        check(lauka_session_analyse(&play.session) == 0);
        sum += lauka_visible_change(result, 0, whole).value;
    }
    play_close(&play);
    return sum / sessions;
}

/* Plays this many sessions of the cell. */
static struct counts play_cell(const char *words, unsigned sessions, uint64_t seed,
                               const double *record, size_t record_count)
{
    struct play play;
    struct counts counts = {0};
    play_open(&play, words, seed, record, record_count);
    for (unsigned s = 0; s < sessions; s++) {
        for (size_t b = 0; b < play.session.benchmark_count; b++)
            play_benchmark(&play, &play.session.benchmarks[b], seed * 7919 + s * 131 + b);
        check(lauka_session_analyse(&play.session) == 0);
        count_session(&play, &counts);
    }
    play_close(&play);
    return counts;
}

#endif
