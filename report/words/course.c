/* How the session went: rounds, time, why it ended, what a longer one would bring, and how far units that rounds share
 * lie apart. */
#include "report/words/words.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- what is missing ------------------------------------------------------------------------- */

/* Works during a session, too. */
static double mean_so_far(const struct lauka_result_command *command, size_t metric)
{
    const struct lauka_moments moments = lauka_result_moments(command, metric);
    return lauka_moments_mean(&moments);
}

bool lauka_result_mostly_waits(const struct lauka_result *result)
{
    static const double little = 0.1;
    size_t wall = lauka_result_metric_index(result, "wall_time");
    size_t cpu = lauka_result_metric_index(result, "cpu_time");
    if (wall == result->metric_count || cpu == result->metric_count ||
        !result->metrics[wall].primary || !result->metrics[wall].counted ||
        !result->metrics[cpu].counted)
        return false;
    for (size_t c = 0; c < result->command_count; c++)
        if (!(mean_so_far(&result->commands[c], cpu) <
              little * mean_so_far(&result->commands[c], wall)))
            return false;
    return true;
}

bool lauka_result_decides_end(const struct lauka_result *result, size_t metric, bool waits)
{
    const struct lauka_result_metric *about = &result->metrics[metric];
    return about->primary && about->counted && !(waits && lauka_is_cpu_time(about->name));
}

/* For the comparison that is furthest from the precision; *metric is its metric. */
static struct lauka_optional largest_factor(const struct lauka_result *result, size_t *metric)
{
    struct lauka_optional largest = {0};
    double precision = lauka_result_precision(result);
    bool waits = lauka_result_mostly_waits(result);
    for (size_t i = 0; i < result->comparison_count; i++) {
        const struct lauka_comparison *values = &result->comparisons[i].values;
        if (!lauka_result_decides_end(result, result->comparisons[i].metric, waits) ||
            values->confidence <= 0 ||
            lauka_stopping_reason(values, precision) != LAUKA_STOPPING_NOT)
            continue;
        struct lauka_optional factor = lauka_stopping_factor(&values, 1, precision);
        if (!factor.known)
            return factor;
        if (!largest.known || factor.value > largest.value) {
            largest = factor;
            *metric = result->comparisons[i].metric;
        }
    }
    return largest;
}

struct lauka_optional lauka_result_seconds_missing(const struct lauka_result *result,
                                                   size_t *metric)
{
    struct lauka_optional unknown = {0};
    struct lauka_optional factor = largest_factor(result, metric);
    if (result->run.stopped == LAUKA_STOPPED_STORED || lauka_result_has_layouts(result) ||
        !factor.known || factor.value <= 1 || result->run.measured <= 0 ||
        result->run.rounds < LAUKA_FEWEST_FORECAST)
        return unknown;
    return lauka_known((factor.value - 1) * result->run.measured);
}

/* ": about --max-time=25s for each command would reach ±1 % in wall time"; or --budget, if that ended the rounds. */
static const char *missing_of(struct lauka_prose *prose, const struct lauka_result *result)
{
    size_t metric = 0;
    struct lauka_optional more = lauka_result_seconds_missing(result, &metric);
    if (!more.known)
        return "";
    const char *noun = lauka_metric_noun(result->metrics[metric].name);
    const char *precision = lauka_say(prose, "%s%s%s%s", prose->signs->plus_minus,
                                      lauka_say_share(prose, lauka_result_precision(result)),
                                      *noun ? " in " : "", noun);
    const struct lauka_time_limit limit =
        lauka_time_for(prose, result, 1 + more.value / result->run.measured);
    return more.value > LAUKA_LONGEST_WAIT
               ? lauka_say(prose, ": %s cannot be reached here", precision)
               : lauka_say(prose, ": about %s=%s%s would reach %s", limit.option, limit.enough,
                           strcmp(limit.option, "--max-time") == 0 ? " for each command" : "",
                           precision);
}

/* ---- the line -------------------------------------------------------------------------------- */

/* Without a limit, the fewest rounds are measured even if they take longer than the time that lauka gives itself. */
static bool took_longer(const struct lauka_result *result)
{
    const char *usual = lauka_result_option(result, "max-time");
    const uint64_t units = lauka_result_unit_count(result);
    uint64_t ns;
    return usual && units > 0 && lauka_parse_duration(usual, &ns) &&
           result->run.measured * (1 - 1 / (double)units) >
               (double)ns / 1e9 * (double)result->command_count;
}

static const char *say_time_over(struct lauka_prose *prose, const struct lauka_result *result)
{
    const char *limit = lauka_time_limit(prose, result, 0).text;
    if (*limit)
        return lauka_say(prose, "no further round fits into %s", limit);
    if (!took_longer(result))
        return "time budget used up";
    return lauka_result_option(result, "min-runs")
               ? "as many as --min-runs asks for"
               : "the fewest that are measured without --max-time or --budget";
}

static const char *reason_of(struct lauka_prose *prose, const struct lauka_result *result)
{
    switch (result->run.stopped) {
    case LAUKA_STOPPED_ROUNDS:
        return "as many as asked for";
    case LAUKA_STOPPED_TIME:
        return lauka_say(prose, "%s%s", say_time_over(prose, result), missing_of(prose, result));
    case LAUKA_STOPPED_PRECISION:
        return lauka_say(prose, "precision of %s%s reached", prose->signs->plus_minus,
                         lauka_say_share(prose, lauka_result_precision(result)));
    case LAUKA_STOPPED_EFFECT:
        return "differences are clear";
    case LAUKA_STOPPED_EXACT:
        return "values are constant: more rounds would add nothing";
    case LAUKA_STOPPED_GATE:
        return "the gate is decided";
    case LAUKA_STOPPED_FAILURE:
        return "a command failed";
    case LAUKA_STOPPED_INTERRUPTED:
        return "interrupted";
    case LAUKA_STOPPED_ERROR:
        return lauka_say(prose, "ended by an error: %s", lauka_result_error_text(result));
    case LAUKA_STOPPED_STORED:
        break;
    }
    return "";
}

static const char *merged_course(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct lauka_result_merged *merged = &result->merged;
    const char *end = lauka_result_bad_end(result);
    return lauka_say(prose,
                     "session %s: %zu of %" PRIu64 " jobs on %zu host%s, %" PRIu64 " rounds%s%s%s",
                     merged->session, merged->job_count, merged->of, merged->host_count,
                     lauka_plural(merged->host_count), result->run.rounds,
                     result->run.samples_left_out ? "; single values were not kept" : "",
                     end ? "; incomplete: " : "", end ? end : "");
}

static const char *stored_course(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct lauka_result_run *run = &result->run;
    const char *paired = result->command_count < 2 ? ""
                         : run->unpaired           ? "; not paired"
                                                   : "; paired by position";
    const char *end = lauka_result_bad_end(result), *median = "";
    bool ours =
        result->metric_count > 0 && strcmp(result->metrics[0].source, LAUKA_SOURCE_PROGRAM) == 0;
    const enum lauka_unit kind = result->benchmark.units.kind;
    if (kind != LAUKA_UNIT_ROUND && result->command_count > 1)
        median = lauka_say(prose, ", each the median of one %s", lauka_unit_name(kind));
    return lauka_say(prose, "%s%" PRIu64 " value%s%s, %s%s%s%s", run->unpaired ? "up to " : "",
                     run->rounds, lauka_plural(run->rounds), median,
                     ours ? "measured by the program itself" : "read from files", paired,
                     !end                  ? ""
                     : result->error.known ? "; a session was ended by an error: "
                                           : "; a session did not end well: ",
                     end ? end : "");
}

static struct lauka_optional worst_batch(const struct lauka_result_run *run, bool steal)
{
    struct lauka_optional worst = {0};
    for (size_t i = 0; i < run->batch_count; i++) {
        struct lauka_optional share = steal ? run->batches[i].steal : run->batches[i].pressure;
        if (share.known && (!worst.known || share.value > worst.value))
            worst = share;
    }
    return worst;
}

/* "; steal 0 % (up to 1.0 %)", where it is known. */
static const char *say_share(struct lauka_prose *prose, const char *name,
                             struct lauka_optional share, struct lauka_optional worst)
{
    if (!share.known)
        return "";
    const char *whole = lauka_say_share(prose, share.value);
    const char *most = lauka_say_share(prose, worst.known ? worst.value : share.value);
    return strcmp(whole, most) == 0 ? lauka_say(prose, "; %s %s", name, whole)
                                    : lauka_say(prose, "; %s %s (up to %s)", name, whole, most);
}

/* Interference by other processes, for people who ask to see it. */
static const char *lack_of(struct lauka_prose *prose, const struct lauka_result *result)
{
    size_t delay = lauka_result_metric_index(result, "run_delay");
    const struct lauka_result_run *run = &result->run;
    if (delay == result->metric_count || result->metrics[delay].detail)
        return "";
    return lauka_say(prose, "%s%s",
                     say_share(prose, "CPU pressure", run->pressure, worst_batch(run, false)),
                     say_share(prose, "steal", run->steal, worst_batch(run, true)));
}

static const char *session_course(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct lauka_result_run *run = &result->run;
    const char *warmup = "";
    if (run->warmup > 0)
        warmup = lauka_say(prose, " after %" PRIu64 " warm-up%s", run->warmup,
                           lauka_plural(run->warmup));
    return lauka_say(prose, "%" PRIu64 " round%s%s in %s; %s%s%s; seed %" PRIu64, run->rounds,
                     lauka_plural(run->rounds), warmup, lauka_say_seconds(prose, run->seconds),
                     reason_of(prose, result),
                     run->samples_left_out ? "; single values were not kept" : "",
                     lack_of(prose, result), run->seed);
}

/* ---- units: how far layouts lie apart ---------------------------------------------------------- */

bool lauka_result_has_layouts(const struct lauka_result *result)
{
    return result->benchmark.units.kind == LAUKA_UNIT_LAYOUT && result->run.rounds > 0;
}

/* Of the values of pairs: both layouts of one move it, which are alike as a rule. A log ratio becomes a share. */
static struct lauka_optional spread_of(const struct lauka_result *result, size_t metric)
{
    struct lauka_optional most = {0};
    for (size_t c = 1; c < result->command_count; c++) {
        const struct lauka_comparison *values = lauka_result_comparison(result, c, metric);
        if (!values || !values->between.known || !values->log_ratio.known)
            continue;
        double share = expm1(values->between.value / sqrt(2));
        most = lauka_known(fmax(most.value, share));
    }
    return most;
}

/* "; 16 layouts each; layout alone moves wall time by ±7 %", a standard deviation. */
static const char *layouts_clause(struct lauka_prose *prose, const struct lauka_result *result)
{
    size_t metric = lauka_result_main_metric(result);
    uint64_t count = result->benchmark.units.count;
    struct lauka_optional spread = {0};
    if (metric < result->metric_count)
        spread = spread_of(result, metric);
    if (count < LAUKA_FEWEST_LAYOUTS)
        return lauka_say(prose, "; %" PRIu64 " layouts each: a verdict needs at least %d", count,
                         LAUKA_FEWEST_LAYOUTS);
    if (result->command_count == 1)
        return lauka_say(prose, "; %" PRIu64 " layouts", count);
    if (spread.known)
        return lauka_say(prose, "; %" PRIu64 " layouts each; layout alone moves %s by %s%s", count,
                         lauka_metric_noun(result->metrics[metric].name), prose->signs->plus_minus,
                         lauka_say_share(prose, spread.value));
    if (result->run.stopped == LAUKA_STOPPED_STORED)
        return ""; /* their rounds are no longer there */
    return lauka_say(prose,
                     "; %" PRIu64
                     " layouts each: the effect of layout alone takes two rounds of each pair",
                     count);
}

/* ---- units: how far others do ------------------------------------------------------------------ */

/* Among the main metric's comparisons, the one whose units lie furthest apart; NULL if it is known for
 * none. */
static const struct lauka_comparison *furthest_apart(const struct lauka_result *result,
                                                     size_t metric)
{
    const struct lauka_comparison *furthest = NULL;
    for (size_t c = 1; c < result->command_count; c++) {
        const struct lauka_comparison *one = lauka_result_comparison(result, c, metric);
        if (one && one->log_ratio.known && one->within.known && one->between.known &&
            (!furthest || one->between.value > furthest->between.value))
            furthest = one;
    }
    return furthest;
}

static const char *spread_clause(struct lauka_prose *prose, const struct lauka_result *result)
{
    size_t metric = lauka_result_main_metric(result);
    const struct lauka_comparison *values = furthest_apart(result, metric);
    if (!values)
        return "";
    const char *noun = lauka_metric_noun(result->metrics[metric].name);
    return lauka_say(prose,
                     "; %" PRIu64
                     " %s: the change in %s varies by %s from one to the next, by %s from round to "
                     "round within one",
                     values->units, lauka_units_name(result->benchmark.units.kind),
                     *noun ? noun : result->metrics[metric].name,
                     lauka_say_share(prose, expm1(values->between.value)),
                     lauka_say_share(prose, expm1(values->within.value)));
}

/* If rounds share units, how far those lie apart; or that there are too few. */
static const char *units_clause(struct lauka_prose *prose, const struct lauka_result *result)
{
    struct lauka_units units;
    const enum lauka_unit kind = result->benchmark.units.kind;
    if (!lauka_result_units(result, &units))
        return "";
    if (lauka_result_has_layouts(result))
        return layouts_clause(prose, result);
    uint64_t count = lauka_result_unit_count(result);
    if (count >= units.least)
        return spread_clause(prose, result);
    return lauka_say(prose, "; %" PRIu64 " %s: too few for an interval, which takes %" PRIu64,
                     count, count == 1 ? lauka_unit_name(kind) : lauka_units_name(kind),
                     units.least);
}

const char *lauka_result_course(struct lauka_prose *prose, const struct lauka_result *result)
{
    const char *course = result->merged.session ? merged_course(prose, result)
                         : result->run.stopped == LAUKA_STOPPED_STORED
                             ? stored_course(prose, result)
                             : session_course(prose, result);
    return lauka_say(prose, "%s%s", course, units_clause(prose, result));
}

const char *lauka_say_failure(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct lauka_result_failure *failure = &result->failure;
    const char *reason = failure->reason ? failure->reason : "failed";
    return !failure->known ? ""
           : failure->outside_rounds
               ? reason
               : lauka_say(prose, "%s in %sround %" PRIu64, reason,
                           failure->warmup ? "warm-up " : "", failure->round + 1);
}

const char *lauka_say_ending(struct lauka_prose *prose, const struct lauka_result *result)
{
    const enum lauka_ending ending = lauka_result_ending(result);
    if (!lauka_result_tells_ending(result))
        return "";
    return lauka_say(prose, "%s%s",
                     result->error.known || ending == LAUKA_ENDED_BY_ERROR
                         ? "the session was ended by an error: "
                     : ending == LAUKA_ENDED_BY_SIGNAL ? "the session was "
                                                       : "",
                     lauka_result_bad_end(result));
}
