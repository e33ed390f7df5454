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
static bool fail_talk(struct lauka_executor *executor, size_t c)
{
    struct lauka_process *process = &lauka_unit_of(executor)->sides[c].process;
    char status[200];

    if (!strstr(process->why, "ended before"))
        return lauka_unit_fail(executor, c, "%s", process->why);
    lauka_process_end(process, lauka_now_ns() + VANISHING_NS);
    lauka_process_describe_end(process, status, sizeof status);
    return lauka_unit_fail(
        executor, c, "%s: its process %s",
        process->held_out ? "closed its descriptor before it answered" : process->why, status);
}

/* Starts a process that speaks. False if lauka failed, or the side, as executor->failure describes. */
static bool start_unit(struct lauka_executor *executor, size_t c, struct lauka_error *error)
{
    struct lauka_suite_side *side = &lauka_unit_of(executor)->sides[c];

    if (!lauka_unit_prepare(executor, c, error))
        return false;
    return lauka_native_start(&side->process, executor->launcher,
                              &executor->options->run.commands[c], lauka_unit_counters(executor, c),
                              side->until_ns) ||
           fail_talk(executor, c);
}

/* Asks it for a round. Warm-ups are counted, too, so that they are like what they come before. */
static bool ask_unit(struct lauka_executor *executor, size_t c, uint64_t seed,
                     struct lauka_inner_answer *answer)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_suite_side *side = &unit->sides[c];
    struct lauka_counters *counters = lauka_unit_counters(executor, c);

    if (counters)
        lauka_counters_begin_stretch(counters);
    bool good = lauka_native_run(&side->process, &unit->request, seed, side->until_ns, answer);
    if (counters)
        lauka_counters_end_stretch(counters, side->readings);
    return good || fail_talk(executor, c);
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
    side->first_ns = good ? answer->wall_ns : 0;
    return good;
}

/* From the first call until this round. */
static double gone_before(const struct lauka_suite_side *side, size_t round)
{
    return round > 0 ? side->gone_ns[round - 1] : side->first_ns;
}

/* A round that shows whether the process is steady. Beyond what can be kept, the earliest rounds are forgotten. */
static bool run_round(struct lauka_executor *executor, size_t c, uint64_t seed,
                      struct lauka_inner_answer *answer)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_suite_side *side = &unit->sides[c];
    const size_t kept = LAUKA_WARMING_MOST - 1;

    if (!ask_unit(executor, c, seed, answer))
        return false;
    const double gone_ns = gone_before(side, side->round_count) + answer->wall_ns;
    if (side->round_count > kept) {
        memmove(side->iteration_ns, side->iteration_ns + 1, kept * sizeof *side->iteration_ns);
        memmove(side->gone_ns, side->gone_ns + 1, kept * sizeof *side->gone_ns);
        side->round_count = kept;
    }
    side->iteration_ns[side->round_count] = answer->wall_ns / (double)unit->request.iterations;
    side->gone_ns[side->round_count++] = gone_ns;
    return true;
}

static struct lauka_warming judge(const struct lauka_suite_side *side, size_t last)
{
    return lauka_warming_judge(side->iteration_ns, side->round_count, last);
}

static bool is_steady(const struct lauka_suite_side *side, size_t last)
{
    return judge(side, last).steady != LAUKA_STEADY_NONE;
}

/* The median time of an iteration in some rounds. */
static double median_ns(const struct lauka_suite_side *side, size_t begin, size_t count)
{
    double values[LAUKA_WARMING_MOST];

    memcpy(values, side->iteration_ns + begin, count * sizeof *values);
    (void)lauka_sort_doubles(values, count);
    return values[count / 2];
}

/* The same in the last rounds. */
static double typical_ns(const struct lauka_suite_side *side, size_t last)
{
    const size_t count = side->round_count < last ? side->round_count : last;

    return median_ns(side, side->round_count - count, count);
}

/* Adds what the side's process was, from its first call on. */
static void classify(struct lauka_suite_side *side, size_t last)
{
    struct lauka_warming warming = judge(side, last);

    lauka_warmings_add(&side->warmings, warming.steady, (double)warming.from,
                       gone_before(side, warming.from) / ns_per_s);
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

/* The least median time of an iteration in so many rounds in a row: where other programs had the CPU meanwhile, rounds
 * would otherwise be planned too short for as long as the benchmark runs. */
static double undisturbed_ns(const struct lauka_suite_side *side, size_t row)
{
    double least_ns = typical_ns(side, row);

    for (size_t begin = 0; begin + row <= side->round_count; begin += row)
        least_ns = fmin(least_ns, median_ns(side, begin, row));
    return least_ns;
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
    if (warming.steady != LAUKA_STEADY_NONE)
        unit->warming_iterations =
            fmax(unit->warming_iterations, (double)warming.from * (double)unit->request.iterations);
    *iteration_ns = undisturbed_ns(side, LAUKA_UNIT_ROUNDS);
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
 * is run in rounds of a millisecond, which show for how long a process is slow. Where the rounds that count are longer,
 * some more tell the level that they begin from. */
static bool warm_up(struct lauka_executor *executor, uint64_t seed, uint64_t end_ns)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_inner_answer answer;
    const uint64_t planned = unit->request.iterations;
    const uint64_t least = unit->request.round_ns / LAUKA_UNIT_ROUND_NS;
    uint64_t done = 0;
    bool good = true;

    for (size_t c = 0; c < LAUKA_SIDES && good; c++) {
        good = call_first(executor, c, seed, &answer);
        unit->sides[c].scale = least > 1 ? 0 : 1;
    }
    unit->request.iterations = planned > least ? planned / least : 1;
    const double more =
        least > 1 ? (double)LAUKA_UNIT_ROUNDS * (double)unit->request.iterations : 0;
    while (good && (done < planned ||
                    ((double)done < unit->warming_iterations + more && lauka_now_ns() < end_ns))) {
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

/* On a busy machine, a long round is interrupted more often than a short one. So that this does not look like a slow-down,
 * rounds that are longer than those before begin on their level: the first half of them tells by how much they differ. What
 * changes after that is a change of the process. */
static void level(struct lauka_suite_side *side, size_t rounds, double before_ns)
{
    const size_t begin = side->round_count - rounds;

    if (side->scale == 0)
        side->scale = before_ns / median_ns(side, begin, (rounds + 1) / 2);
    for (size_t i = begin; i < side->round_count; i++)
        side->iteration_ns[i] *= side->scale;
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
        double before_ns[LAUKA_SIDES];
        for (size_t c = 0; c < LAUKA_SIDES; c++)
            before_ns[c] = typical_ns(&unit->sides[c], rounds);
        if (!run_block(executor, runs, count))
            return false;
        again = plans < PLANS && plan_again(unit, rounds);
        plans += again;
        for (size_t c = 0; c < LAUKA_SIDES; c++) {
            level(&unit->sides[c], rounds, before_ns[c]);
            unit->sides[c].scale = again ? 0 : unit->sides[c].scale;
        }
        again = again || (lauka_now_ns() < end_ns && !(is_steady(&unit->sides[0], rounds) &&
                                                       is_steady(&unit->sides[1], rounds)));
    }
    for (size_t c = 0; c < LAUKA_SIDES; c++) {
        classify(&unit->sides[c], rounds);
        lauka_process_say(&unit->sides[c].process, "bye\n");
    }
    return true;
}
