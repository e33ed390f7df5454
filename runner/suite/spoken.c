/* Processes that speak lauka-bench/1: how many iterations a round has, warm-up until rounds are steady, and the rounds
 * that count. Programs that compile or load while they run are slow at first. */
#include "runner/suite/suite.h"
#include "pmu/counters/counters.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/session/session.h"
#include "stats/stats.h"
#include "stats/warming.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a question and its answer ------------------------------------------------------------------ */

/* How long lauka waits for the end of a process that did not answer. */
#define VANISHING_NS UINT64_C(500000000)

/* How it ended tells more than that it did not answer. */
static bool fail_talk(struct lauka_executor *executor, size_t c, const char *why)
{
    struct lauka_suite_side *side = &lauka_unit_of(executor)->sides[c];
    char text[300], status[200];

    if (!strstr(why, "ended before"))
        return lauka_unit_fail(executor, c, why);
    lauka_process_end(&side->process, lauka_now_ns() + VANISHING_NS);
    lauka_process_describe_end(&side->process, status, sizeof status);
    snprintf(text, sizeof text, "%s: its process %s",
             side->process.held_out ? "closed its descriptor before it answered" : why, status);
    return lauka_unit_fail(executor, c, text);
}

/* Starts a process that speaks. False if lauka failed, or the side, as executor->failure describes. */
static bool start_unit(struct lauka_executor *executor, size_t c, struct lauka_error *error)
{
    struct lauka_suite_side *side = &lauka_unit_of(executor)->sides[c];
    char why[300];

    if (!lauka_unit_prepare(executor, c, error))
        return false;
    return lauka_native_start(&side->process, executor->launcher,
                              &executor->options->run.commands[c], lauka_unit_counters(executor, c),
                              side->until_ns, why, sizeof why) ||
           fail_talk(executor, c, why);
}

/* Asks it for a round. Warm-ups are counted, too, so that they are like what they come before. */
static bool ask_unit(struct lauka_executor *executor, size_t c, uint64_t seed,
                     struct lauka_inner_answer *answer)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_suite_side *side = &unit->sides[c];
    struct lauka_counters *counters = lauka_unit_counters(executor, c);
    char why[300];

    if (counters)
        lauka_counters_begin_stretch(counters);
    bool good = lauka_native_run(&side->process, &unit->request, seed, side->until_ns, answer, why,
                                 sizeof why);
    if (counters)
        lauka_counters_end_stretch(counters, side->readings);
    return good || fail_talk(executor, c, why);
}

/* What was counted from the question to the answer. */
static void fill_counts(const struct lauka_executor *executor, const struct lauka_run *run)
{
    const struct lauka_suite_unit *unit = executor->own;
    const struct lauka_counters *counters = lauka_unit_counters(executor, run->command);
    struct lauka_sample *sample = run->sample;

    if (!counters)
        return;
    sample->iterations = unit->request.iterations;
    sample->count_error = counters->run_error;
    sample->count_error_at = counters->run_error_at;
    memcpy(sample->readings, unit->sides[run->command].readings,
           counters->count * sizeof *sample->readings);
}

/* ---- the rounds of a process -------------------------------------------------------------------- */

static const double ns_per_s = 1e9;

static uint64_t seed_of(const struct lauka_executor *executor, uint64_t round)
{
    return (executor->seed * UINT64_C(0x9e3779b97f4a7c15) + round) >> 1;
}

/* As many as make a round of this time, if an iteration takes so long. */
static uint64_t iterations_in(uint64_t round_ns, double iteration_ns)
{
    double count = ceil((double)round_ns / iteration_ns);
    return count > 1 && count < 1e15 ? (uint64_t)count : 1;
}

/* The process's first call, which may load or compile what it needs. */
static bool call_first(struct lauka_executor *executor, size_t c, uint64_t seed,
                       struct lauka_inner_answer *answer)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_suite_side *side = &unit->sides[c];
    const uint64_t iterations = unit->request.iterations;

    side->round_count = 0;
    unit->request.iterations = 1;
    bool good = ask_unit(executor, c, seed, answer);
    unit->request.iterations = iterations;
    side->first_ns = side->gone_ns = good ? answer->wall_ns : 0;
    return good;
}

/* A round that shows whether the process is steady. Beyond what can be kept, the earliest rounds are forgotten. */
static bool run_round(struct lauka_executor *executor, size_t c, uint64_t seed,
                      struct lauka_inner_answer *answer)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_suite_side *side = &unit->sides[c];
    struct lauka_warm_round *rounds = side->rounds;

    if (!ask_unit(executor, c, seed, answer))
        return false;
    if (side->round_count == LAUKA_WARMING_MOST)
        memmove(rounds, rounds + 1, --side->round_count * sizeof *rounds);
    side->gone_ns += answer->wall_ns;
    rounds[side->round_count++] = (struct lauka_warm_round){
        .iteration_ns = answer->wall_ns / (double)unit->request.iterations,
        .iterations = (double)unit->request.iterations,
        .gone_ns = side->gone_ns};
    return true;
}

static struct lauka_warming judge(const struct lauka_suite_side *side, size_t last)
{
    double values[LAUKA_WARMING_MOST];

    for (size_t i = 0; i < side->round_count; i++)
        values[i] = side->rounds[i].iteration_ns;
    return lauka_warming_judge(values, side->round_count, last);
}

static bool is_steady(const struct lauka_suite_side *side, size_t last)
{
    return judge(side, last).steady != LAUKA_STEADY_NONE;
}

/* The median time of an iteration in the last rounds. */
static double typical_ns(const struct lauka_suite_side *side, size_t last)
{
    double values[LAUKA_WARMING_MOST];
    size_t count = side->round_count < last ? side->round_count : last;

    for (size_t i = 0; i < count; i++)
        values[i] = side->rounds[side->round_count - 1 - i].iteration_ns;
    (void)lauka_sort_doubles(values, count);
    return values[count / 2];
}

/* Adds what the side's process was, from its first call on. */
static void classify(struct lauka_suite_side *side, size_t last)
{
    struct lauka_warming warming = judge(side, last);
    double gone_ns = warming.from > 0 ? side->rounds[warming.from - 1].gone_ns : side->first_ns;

    lauka_warmings_add(&side->warmings, warming.steady, (double)warming.from, gone_ns / ns_per_s);
}

/* A quarter of the benchmark's time, and of the process's patience. */
static uint64_t warming_limit(const struct lauka_executor *executor, size_t c)
{
    const uint64_t now_ns = lauka_now_ns(), until_ns = lauka_unit_of(executor)->sides[c].until_ns;
    uint64_t own_ns = executor->options->measure.max_time_ns / 4;
    uint64_t most_ns = until_ns > now_ns ? (until_ns - now_ns) / 4 : 0;

    return now_ns + (own_ns < most_ns ? own_ns : most_ns);
}

/* ---- how long an iteration takes ------------------------------------------------------------------ */

/* Passes of more and more iterations, until a round takes long enough to tell and agrees with the one before. */
static bool calibrate(struct lauka_executor *executor, size_t c, double *iteration_ns,
                      struct lauka_inner_answer *answer)
{
    enum { PASSES = 60 };
    const double enough_ns = LAUKA_UNIT_ROUND_NS / 4, most = 1e12, factor_most = 2;
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    double before_ns = unit->sides[c].first_ns;

    unit->request.iterations = 1;
    for (int pass = 1; !lauka_interrupt_signal(); pass++) {
        if (!ask_unit(executor, c, 1, answer))
            return false;
        double count = (double)unit->request.iterations;
        *iteration_ns = answer->wall_ns / count;
        bool agrees =
            *iteration_ns <= factor_most * before_ns && before_ns <= factor_most * *iteration_ns;
        if (answer->wall_ns >= enough_ns && (agrees || pass >= PASSES))
            break;
        if (count > most)
            return lauka_unit_fail(executor, c, "takes no time, however often it runs");
        double factor = answer->wall_ns > 0 ? 1.5 * enough_ns / answer->wall_ns : 10;
        factor = factor > 10 ? 10 : factor < 2 ? 2 : factor;
        if (answer->wall_ns < enough_ns)
            unit->request.iterations = (uint64_t)(count * factor);
        before_ns = *iteration_ns;
    }
    return true;
}

/* Rounds until the process is steady, for half of what warm-up may take: each side has its own. */
static bool explore(struct lauka_executor *executor, size_t c, double *iteration_ns,
                    struct lauka_inner_answer *answer)
{
    enum { LEAST = 50 };
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_suite_side *side = &unit->sides[c];
    const uint64_t begun_ns = lauka_now_ns();
    const uint64_t end_ns = begun_ns + (warming_limit(executor, c) - begun_ns) / 2;

    unit->request.iterations = iterations_in(LAUKA_UNIT_ROUND_NS, *iteration_ns);
    while (lauka_now_ns() < end_ns && side->round_count < LAUKA_WARMING_MOST &&
           !(side->round_count % LAUKA_UNIT_ROUNDS == 0 && side->round_count >= LEAST &&
             is_steady(side, LAUKA_UNIT_ROUNDS)))
        if (!run_round(executor, c, 1, answer))
            return false;
    if (side->round_count == 0)
        return true;
    struct lauka_warming warming = judge(side, LAUKA_UNIT_ROUNDS);
    double iterations = 0;
    for (size_t i = 0; i < warming.from && warming.steady != LAUKA_STEADY_NONE; i++)
        iterations += side->rounds[i].iterations;
    unit->warming_iterations = fmax(unit->warming_iterations, iterations);
    *iteration_ns = typical_ns(side, LAUKA_UNIT_ROUNDS);
    classify(side, LAUKA_UNIT_ROUNDS);
    return true;
}

bool lauka_spoken_time(struct lauka_executor *executor, size_t c, double *iteration_ns,
                       struct lauka_error *error)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_suite_side *side = &unit->sides[c];
    struct lauka_inner_answer answer = {0};
    const double slow_ns = 1e6, slow_factor = 10; /* a first call that people see */
    const uint64_t begun_ns = lauka_now_ns();

    if (!start_unit(executor, c, error))
        return false;
    uint64_t start_ns = lauka_now_ns() - begun_ns;
    unit->start_ns = start_ns > unit->start_ns ? start_ns : unit->start_ns;
    if (!call_first(executor, c, 1, &answer) || !calibrate(executor, c, iteration_ns, &answer) ||
        !explore(executor, c, iteration_ns, &answer))
        return false;
    lauka_process_say(&side->process, "bye\n");
    uint64_t warming_ns = (uint64_t)(side->first_ns + unit->warming_iterations * *iteration_ns);
    unit->warming_ns = warming_ns > unit->warming_ns ? warming_ns : unit->warming_ns;
    if (side->first_ns > slow_ns && side->first_ns > slow_factor * *iteration_ns)
        unit->figures.tells.figures[0].is_detail = false;
    return lauka_inner_figures_note(&unit->figures, c, &answer) == 0 || lauka_fail_memory(error);
}

/* ---- rounds that count ---------------------------------------------------------------------------- */

/* What this benchmark's processes need before their rounds count, as far as time allows, and no less than a round. It
 * is run in rounds of a millisecond, which show for how long a process is slow. */
static bool warm_up(struct lauka_executor *executor, uint64_t seed, uint64_t end_ns)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_inner_answer answer;
    const uint64_t planned = unit->request.iterations;
    const uint64_t least = unit->request.round_ns / LAUKA_UNIT_ROUND_NS;
    uint64_t done = 0;
    bool good = true;

    for (size_t c = 0; c < LAUKA_SIDES && good; c++)
        good = call_first(executor, c, seed, &answer);
    unit->request.iterations = planned > least ? planned / least : 1;
    while (good && (done < planned ||
                    ((double)done < unit->warming_iterations && lauka_now_ns() < end_ns))) {
        for (size_t c = 0; c < LAUKA_SIDES && good; c++)
            good = run_round(executor, c, seed, &answer);
        done += unit->request.iterations;
    }
    unit->request.iterations = planned;
    return good;
}

/* Once through all rounds of the unit. */
static bool run_block(struct lauka_executor *executor, const struct lauka_run *runs, size_t count)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_inner_answer answer;

    for (size_t i = 0; i < count; i++) {
        if (!run_round(executor, runs[i].command, seed_of(executor, runs[i].round), &answer) ||
            !lauka_unit_fill(executor, &runs[i], &answer, (double)unit->request.iterations))
            return false;
        fill_counts(executor, &runs[i]);
    }
    return true;
}

/* Whether the faster side's rounds are far from the plan, which is made anew then. */
static bool plan_again(struct lauka_suite_unit *unit, size_t rounds)
{
    const double least_ns = LAUKA_UNIT_ROUND_NS / 2, high = 4;
    const double round_ns = (double)unit->request.round_ns;
    double iteration_ns =
        fmin(typical_ns(&unit->sides[0], rounds), typical_ns(&unit->sides[1], rounds));
    double took_ns = iteration_ns * (double)unit->request.iterations;

    if (took_ns >= least_ns && (took_ns <= high * round_ns || unit->request.iterations == 1))
        return false;
    unit->request.iterations = iterations_in(unit->request.round_ns, iteration_ns);
    return true;
}

/* Both processes are alive at once, and take turns. Rounds that are too short, or not steady yet, are run again: the
 * last ones count. */
bool lauka_spoken_run(struct lauka_executor *executor, const struct lauka_run *runs, size_t count,
                      struct lauka_error *error)
{
    enum { PLANS = 3 };
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    const size_t rounds = count / LAUKA_SIDES;
    bool again = true;

    for (size_t i = 0; i < LAUKA_SIDES; i++)
        if (!start_unit(executor, runs[i].command, error))
            return false;
    const uint64_t end_ns = warming_limit(executor, 0);
    if (!warm_up(executor, seed_of(executor, runs[0].round), end_ns))
        return false;
    for (int plans = 0; again;) {
        if (!run_block(executor, runs, count))
            return false;
        again = plans < PLANS && plan_again(unit, rounds);
        plans += again;
        again = again || (lauka_now_ns() < end_ns && !(is_steady(&unit->sides[0], rounds) &&
                                                       is_steady(&unit->sides[1], rounds)));
    }
    for (size_t c = 0; c < LAUKA_SIDES; c++) {
        classify(&unit->sides[c], rounds);
        lauka_process_say(&unit->sides[c].process, "bye\n");
    }
    return true;
}
