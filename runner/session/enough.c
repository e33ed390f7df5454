/* When enough is known. Looks are taken only at growing numbers of rounds, and none of them asks for
 * significance: stopping at p < 0.05 would claim a difference between equal programs in every third
 * session. */
#include "runner/session/session.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/words/words.h"
#include "runner/options.h"
#include "stats/crossover.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The rounds that holding a typical value to a budget needs; 0 if there is no budget. For a high quantile
 * the user is told how many it takes. */
static uint64_t budget_floor(const struct lauka_result *result)
{
    const struct lauka_limit typical = {.most.known = true};

    for (size_t i = 0; i < result->gate.rule_count; i++)
        if (result->gate.rules[i].most.known)
            return lauka_limit_rounds_needed(&typical, LAUKA_ALPHA_GATE_LOOK);
    return 0;
}

/* What every look costs. */
static double look_alpha(const struct lauka_enough *enough)
{
    /* Looks for a limit are not those for a precision. */
    return lauka_result_has_gate(enough->result) ? LAUKA_ALPHA_GATE_LOOK : LAUKA_ALPHA_LOOK;
}

/* Enough rounds for ranks to find a difference among all deciding comparisons, and one more, because with
 * exactly that many every single pair must agree. If the user gave a number, that number. A time that the
 * user gave ends the rounds before; see limit_of(). */
static uint64_t floor_of(const struct lauka_enough *enough, uint64_t tests)
{
    const struct lauka_options *options = enough->options;
    double alpha = enough->looks ? look_alpha(enough) : LAUKA_ALPHA_FIXED;
    uint64_t budget = budget_floor(enough->result), needed = 0;
    if (options->measure.rounds || options->measure.min_rounds_given)
        return options->measure.min_rounds;
    if (enough->count > 0)
        needed =
            (uint64_t)lauka_location_needed(alpha / (double)(enough->count + tests), false) + 1;
    needed = needed > budget ? needed : budget;
    if (needed < 2 * options->run.layouts)
        needed = 2 * options->run.layouts; /* twice each, so that what a round adds is known, too */
    if (options->measure.max_rounds && needed > options->measure.max_rounds)
        needed = options->measure.max_rounds;
    return needed > options->measure.min_rounds ? needed : options->measure.min_rounds;
}

void lauka_enough_share(struct lauka_enough *enough, unsigned sets, uint64_t needed)
{
    const struct lauka_options *options = enough->options;

    if (options->measure.rounds || needed == 0)
        return;
    if (!options->measure.min_rounds_given && enough->count > 0)
        needed = enough->floor * sets > needed ? enough->floor * sets : needed;
    if (options->measure.max_rounds && needed > options->measure.max_rounds)
        needed = options->measure.max_rounds;
    enough->floor = needed > enough->floor ? needed : enough->floor;
}

int lauka_enough_init(struct lauka_enough *enough, const struct lauka_options *options,
                      struct lauka_result *result, uint64_t tests)
{
    const size_t together =
        options->measure.order == LAUKA_ORDER_SEQUENTIAL ? 1 : result->command_count;
    size_t primaries = lauka_result_primaries(result, true);

    *enough = (struct lauka_enough){
        .options = options,
        .result = result,
        .looks = options->measure.rounds == 0 && !result->gate.tried &&
                 (lauka_result_has_gate(result) || (options->measure.until > 0 && together > 1)),
        .at_once = 1,
        .together = together,
        .count = primaries * (together - 1),
        .next_look = lauka_stopping_next_look(0),
    };
    enough->floor = floor_of(enough, tests);
    if (enough->count == 0)
        return 0;
    enough->comparisons = calloc(enough->count, sizeof *enough->comparisons);
    enough->pointers = calloc(enough->count, sizeof *enough->pointers);
    if (!enough->comparisons || !enough->pointers)
        return ENOMEM;
    for (size_t i = 0; i < enough->count; i++)
        enough->pointers[i] = &enough->comparisons[i];
    return 0;
}

static int compare(const struct lauka_enough *enough, size_t command, size_t metric,
                   struct lauka_comparison *comparison)
{
    const struct lauka_result_command *commands = enough->result->commands;
    struct lauka_turns turns;
    struct lauka_units units;
    int error = lauka_result_turns(enough->result, 0, command, metric, &turns);
    const struct lauka_comparison_options options = {
        .alpha = LAUKA_ALPHA_LOOK,
        .precision = enough->options->measure.until,
        .repeatable = enough->result->metrics[metric].repeatable,
        .grain = lauka_result_grain(&enough->result->metrics[metric]),
        .turns = turns.first ? &turns : NULL,
        .units = lauka_result_units(enough->result, &units),
    };

    if (error)
        return error;
    if (enough->result->run.samples_left_out)
        return lauka_compare_streamed(commands[command].streams[metric].paired, &options,
                                      comparison);
    return lauka_compare(&commands[0].series[metric], &commands[command].series[metric], &options,
                         comparison);
}

static enum lauka_stopping look(struct lauka_enough *enough)
{
    const struct lauka_result *result = enough->result;
    const bool waits = lauka_result_mostly_waits(result);

    enough->deciding = 0;
    for (size_t m = 0; m < result->metric_count; m++) {
        if (!lauka_result_decides_end(result, m, waits))
            continue;
        for (size_t c = 1; c < result->command_count; c++)
            if (compare(enough, c, m, &enough->comparisons[enough->deciding++]) != 0)
                return LAUKA_STOPPING_NOT;
    }
    return lauka_stopping_reason_all(enough->pointers, enough->deciding,
                                     enough->options->measure.until);
}

/* With a gate, nothing else ends the rounds: what is precise enough to read may not be enough to judge.
 * Its intervals at looks are those of the end. */
static bool gate_is_decided(struct lauka_result *result)
{
    return lauka_gate_judge_result(result, LAUKA_ALPHA_GATE_LOOK) == 0 &&
           lauka_gate_is_decided(result);
}

/* How many rounds the open comparisons will need, judging by the present values. */
static void forecast(struct lauka_enough *enough, uint64_t rounds)
{
    double most = 1;

    for (size_t i = 0; i < enough->deciding; i++) {
        struct lauka_optional factor = {.known = true, .value = 1};
        if (lauka_stopping_reason(enough->pointers[i], enough->options->measure.until) ==
            LAUKA_STOPPING_NOT)
            factor = lauka_stopping_factor(&enough->pointers[i], 1, enough->options->measure.until);
        if (!factor.known) {
            enough->rounds_needed = 0;
            return;
        }
        most = factor.value > most ? factor.value : most;
    }
    double needed = (double)rounds * most;
    enough->rounds_needed = needed < 1e18 ? (uint64_t)needed : 0;
}

/* Of all commands together. */
static uint64_t total_ns(uint64_t each_ns, size_t commands)
{
    return each_ns > UINT64_MAX / 4 / commands ? UINT64_MAX / 4 : each_ns * commands;
}

/* A --max-time or --budget that was given ends the rounds, whatever else is wanted of them; UINT64_MAX: neither was. */
static uint64_t limit_of(const struct lauka_enough *enough)
{
    uint64_t own_ns = UINT64_MAX;

    if (enough->options->measure.has_max_time)
        own_ns = total_ns(enough->options->measure.max_time_ns, enough->together);
    return enough->allowed_ns > 0 && enough->allowed_ns < own_ns ? enough->allowed_ns : own_ns;
}

/* The same, or the time of lauka's own choice. */
static uint64_t budget_of(const struct lauka_enough *enough)
{
    uint64_t own_ns = total_ns(enough->options->measure.max_time_ns, enough->together);
    uint64_t limit_ns = limit_of(enough);

    return limit_ns < own_ns ? limit_ns : own_ns;
}

/* Whether what comes next would probably end after it, judging by the rounds so far. The first one is always
 * measured. */
static bool is_at_limit(const struct lauka_enough *enough, uint64_t spent_ns)
{
    uint64_t rounds = enough->result->run.rounds, limit_ns = limit_of(enough);

    return rounds > 0 && limit_ns < UINT64_MAX &&
           (double)spent_ns * (1 + (double)enough->at_once / (double)rounds) > (double)limit_ns;
}

/* The number that grows: with layouts, whose number is given, rounds of each. */
static uint64_t progress_of(const struct lauka_enough *enough)
{
    return enough->options->run.layouts > 0 ? enough->result->run.rounds
                                            : lauka_result_unit_count(enough->result);
}

static bool settled(struct lauka_enough *enough, uint64_t spent_ns, enum lauka_stopped *why)
{
    static const enum lauka_stopped stopped[] = {
        [LAUKA_STOPPING_EXACT] = LAUKA_STOPPED_EXACT,
        [LAUKA_STOPPING_PRECISION] = LAUKA_STOPPED_PRECISION,
        [LAUKA_STOPPING_EFFECT] = LAUKA_STOPPED_EFFECT,
    };
    uint64_t units = progress_of(enough);

    if (!enough->looks || units < enough->next_look || units < enough->floor ||
        spent_ns < total_ns(enough->options->measure.min_time_ns, enough->together))
        return false;
    enough->next_look = lauka_stopping_next_look(units);
    if (enough->first_look == 0)
        enough->first_look = enough->result->run.rounds;
    if (lauka_result_has_gate(enough->result)) {
        *why = LAUKA_STOPPED_GATE;
        return gate_is_decided(enough->result);
    }
    enum lauka_stopping reason = look(enough);
    forecast(enough, enough->result->run.rounds);
    if (reason == LAUKA_STOPPING_NOT)
        return false;
    *why = stopped[reason];
    return true;
}

bool lauka_enough(struct lauka_enough *enough, uint64_t spent_ns, enum lauka_stopped *why)
{
    uint64_t rounds = enough->result->run.rounds;

    *why = LAUKA_STOPPED_ROUNDS;
    if (enough->options->measure.rounds && rounds >= enough->options->measure.rounds)
        return true;
    if (enough->options->measure.max_rounds && rounds >= enough->options->measure.max_rounds)
        return true;
    if (settled(enough, spent_ns, why))
        return true;
    *why = LAUKA_STOPPED_TIME;
    if (is_at_limit(enough, spent_ns))
        return true;
    if (enough->options->measure.rounds)
        return false;
    if (enough->options->run.layouts > 0 && rounds >= LAUKA_ROUNDS_KEPT)
        return true; /* units need single values */
    return progress_of(enough) >= enough->floor && spent_ns >= budget_of(enough);
}

/* ---- forecasts ------------------------------------------------------------------------------- */

#define LONGEST_NS 1e18 /* beyond it a forecast says nothing */

static uint64_t ns_of(double ns)
{
    return ns < LONGEST_NS ? (uint64_t)ns : (uint64_t)LONGEST_NS;
}

/* Of `rounds` that are still to come. */
static uint64_t rounds_ns(double each_ns, uint64_t done, uint64_t wanted)
{
    return ns_of(done < wanted ? each_ns * (double)(wanted - done) : 0);
}

/* Where rounds come in processes of several, the floor counts processes. */
static uint64_t floor_in_rounds(const struct lauka_enough *enough)
{
    return enough->floor * enough->at_once;
}

/* Rounds that come together, where each takes so long. */
static double step_ns_of(const struct lauka_enough *enough, double each_ns)
{
    return each_ns * (double)enough->at_once;
}

/* The whole ones of these steps, which are all that is measured. Where a little more or less time decides about one
 * of a few, the geometric mean of both numbers: it is wrong by a factor of 1.4 at most. */
static double whole_steps(double steps)
{
    static const double many = 10, near = 0.2;
    double whole = floor(steps), rest = steps - whole;

    if (steps >= many)
        return steps;
    if (whole >= 1 && rest >= 1 - near)
        return sqrt(whole * (whole + 1));
    return whole >= 2 && rest <= near ? sqrt(whole * (whole - 1)) : whole;
}

/* Until the time of lauka's own choice is over: the round in which it ends is the last one. */
static uint64_t until_over_ns(uint64_t left_ns, double step_ns)
{
    return left_ns > 0 && step_ns > 0
               ? ns_of(fmax(1, whole_steps((double)left_ns / step_ns + 1)) * step_ns)
               : left_ns;
}

/* The end of the time budget, or earlier if the last look predicts that. */
static uint64_t end_ns(const struct lauka_enough *enough, double each_ns)
{
    uint64_t budget_ns = budget_of(enough);
    uint64_t least_ns = total_ns(enough->options->measure.min_time_ns, enough->together);

    if (enough->rounds_needed == 0)
        return budget_ns;
    uint64_t needed_ns = rounds_ns(each_ns, 0, enough->rounds_needed);
    needed_ns = needed_ns > least_ns ? needed_ns : least_ns;
    return needed_ns < budget_ns ? needed_ns : budget_ns;
}

/* Without -r. */
static uint64_t open_end_ns(const struct lauka_enough *enough, uint64_t spent_ns, double each_ns)
{
    const struct lauka_options *options = enough->options;
    uint64_t rounds = enough->result->run.rounds;
    uint64_t end = end_ns(enough, each_ns);
    uint64_t left_ns =
        until_over_ns(end > spent_ns ? end - spent_ns : 0, step_ns_of(enough, each_ns));
    uint64_t floor_ns = rounds_ns(each_ns, rounds, floor_in_rounds(enough));
    left_ns = left_ns > floor_ns ? left_ns : floor_ns;
    if (options->measure.max_rounds && each_ns > 0) {
        uint64_t most_ns = rounds_ns(each_ns, rounds, options->measure.max_rounds);
        left_ns = left_ns < most_ns ? left_ns : most_ns;
    }
    return left_ns;
}

/* What a given time leaves. */
static uint64_t fitting_ns(const struct lauka_enough *enough, uint64_t spent_ns, double each_ns)
{
    uint64_t limit_ns = limit_of(enough);
    uint64_t left_ns = limit_ns > spent_ns ? limit_ns - spent_ns : 0;
    double step_ns = step_ns_of(enough, each_ns);

    if (limit_ns == UINT64_MAX || step_ns <= 0)
        return left_ns;
    double steps = whole_steps((double)left_ns / step_ns);
    if (enough->result->run.rounds == 0 && steps < 1)
        steps = 1; /* it is always measured */
    return ns_of(steps * step_ns);
}

uint64_t lauka_enough_left_ns(const struct lauka_enough *enough, uint64_t spent_ns,
                              uint64_t guess_ns)
{
    const struct lauka_options *options = enough->options;
    uint64_t rounds = enough->result->run.rounds;
    double each_ns = rounds > 0 ? (double)spent_ns / (double)rounds : (double)guess_ns;
    uint64_t left_ns = options->measure.rounds ? rounds_ns(each_ns, rounds, options->measure.rounds)
                                               : open_end_ns(enough, spent_ns, each_ns);
    uint64_t fitting = fitting_ns(enough, spent_ns, each_ns);

    return left_ns < fitting ? left_ns : fitting;
}

/* By -r or --max-runs; 0: any number. */
static uint64_t most_rounds(const struct lauka_enough *enough)
{
    const struct lauka_measure_options *measure = &enough->options->measure;

    return measure->rounds ? measure->rounds : measure->max_rounds;
}

static uint64_t allowed_rounds(const struct lauka_enough *enough, uint64_t guess_ns)
{
    const double step_ns = step_ns_of(enough, (double)guess_ns);
    const uint64_t limit_ns = limit_of(enough);

    if (limit_ns == UINT64_MAX || guess_ns == 0)
        return UINT64_MAX;
    return (uint64_t)(fmax(1, floor((double)limit_ns / step_ns)) * step_ns) / guess_ns;
}

/* For --first-slower without a gate. A given time ends the session before there are looks. */
static uint64_t comparisons_need(const struct lauka_enough *enough)
{
    const size_t main = lauka_result_main_metric(enough->result);

    if (!enough->options->run.first_slower || enough->count == 0)
        return 0;
    return lauka_family_rounds(LAUKA_ALPHA_FIXED / (double)enough->count *
                               lauka_result_weight(enough->result, main));
}

/* 0 also where -r or --max-runs are fewer: more time would not help. */
static uint64_t verdict_needs(const struct lauka_enough *enough)
{
    const bool has_gate = enough->result->gate.rule_count > 0;
    const uint64_t most = most_rounds(enough);
    uint64_t needed = has_gate ? enough->gate_needs : comparisons_need(enough);

    if (enough->at_once > 1 && needed > 0)
        needed =
            (needed > LAUKA_FEWEST_PROCESSES ? needed : LAUKA_FEWEST_PROCESSES) * enough->at_once;
    return most > 0 && most < needed ? 0 : needed;
}

struct lauka_enough_outlook lauka_enough_outlook(const struct lauka_enough *enough,
                                                 uint64_t guess_ns)
{
    const struct lauka_measure_options *measure = &enough->options->measure;
    struct lauka_enough_outlook outlook = {
        .allowed = allowed_rounds(enough, guess_ns),
        .verdict = verdict_needs(enough),
        .least = measure->rounds ? measure->rounds : floor_in_rounds(enough),
    };
    uint64_t time_ns = measure->rounds ? 0
                       : enough->looks ? total_ns(measure->min_time_ns, enough->together)
                                       : budget_of(enough);

    if (measure->max_rounds)
        time_ns = 0;
    outlook.least_ns = rounds_ns((double)guess_ns, 0, outlook.least);
    outlook.least_ns = outlook.least_ns > time_ns ? outlook.least_ns : time_ns;
    return outlook;
}

/* ---- the estimate so far --------------------------------------------------------------------- */

int lauka_enough_estimate(const struct lauka_enough *enough, size_t metric, size_t *command,
                          struct lauka_comparison *comparison)
{
    double largest = -1;

    for (size_t c = 1; c < enough->result->command_count; c++) {
        struct lauka_comparison one;
        int error = compare(enough, c, metric, &one);
        if (error)
            return error;
        if (one.confidence <= 0 || fabs(one.log_ratio.value) <= largest)
            continue;
        largest = fabs(one.log_ratio.value);
        *command = c;
        *comparison = one;
    }
    return largest >= 0 ? 0 : ENODATA;
}

double lauka_enough_alpha(const struct lauka_enough *enough, enum lauka_stopped stopped)
{
    if (stopped == LAUKA_STOPPED_INTERRUPTED || stopped == LAUKA_STOPPED_ERROR)
        return LAUKA_ALPHA_INTERRUPTED;
    /* Where time ended the rounds before a look could have, their number did not depend on the values. */
    bool early = enough->first_look > 0 && enough->first_look < enough->result->run.rounds;
    bool gate = lauka_result_has_gate(enough->result);
    if (!enough->looks || (stopped == LAUKA_STOPPED_TIME && !early && !gate))
        return LAUKA_ALPHA_FIXED;
    return look_alpha(enough);
}

void lauka_enough_done(struct lauka_enough *enough)
{
    free(enough->comparisons);
    free(enough->pointers);
    enough->comparisons = NULL;
    enough->pointers = NULL;
}

/* How many more rounds fit into this time, judging by those so far. */
static uint64_t fitting(const struct lauka_enough *enough, uint64_t spent_ns, uint64_t until_ns)
{
    uint64_t rounds = enough->result->run.rounds;

    if (rounds == 0 || spent_ns == 0 || until_ns == UINT64_MAX)
        return UINT64_MAX;
    return until_ns > spent_ns ? (until_ns - spent_ns) / (spent_ns / rounds + 1) : 0;
}

uint64_t lauka_enough_ahead(const struct lauka_enough *enough, uint64_t spent_ns)
{
    const struct lauka_options *options = enough->options;
    uint64_t rounds = enough->result->run.rounds;
    uint64_t most = most_rounds(enough);
    uint64_t ahead = fitting(enough, spent_ns, limit_of(enough)), other = UINT64_MAX;

    if (most > 0 && most - rounds < ahead)
        ahead = most - rounds;
    if (!options->measure.rounds && enough->looks && enough->next_look > rounds &&
        enough->next_look - rounds < ahead)
        ahead = enough->next_look - rounds;
    if (rounds < enough->floor)
        other = enough->floor - rounds;
    else if (!options->measure.rounds)
        other = fitting(enough, spent_ns, budget_of(enough));
    ahead = other < ahead ? other : ahead;
    return ahead > 0 ? ahead : 1;
}
