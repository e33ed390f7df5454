/* How the session went: rounds, time, why it ended, and what a longer one would bring. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double longest_wait = 3 * 86400; /* s; beyond it nobody waits */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- what is missing ------------------------------------------------------------------------- */

/* Works during a session, too. */
static double mean_so_far(const struct lauka_result_command *command, size_t metric)
{
    const struct lauka_moments moments = lauka_result_moments(command, metric);
    return lauka_moments_mean(&moments);
}

static bool is_cpu_time(const char *name)
{
    return strcmp(name, "cpu_time") == 0 || strcmp(name, "user_time") == 0 ||
           strcmp(name, "system_time") == 0;
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
    return about->primary && about->counted && !(waits && is_cpu_time(about->name));
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

/* Such a forecast is not worth more than two digits. */
static double rounded_up(double value)
{
    double step = value > 100 ? 10 : 1;
    return fmax(1, step * ceil(value / step - 1e-9));
}

char *lauka_format_wait(double seconds, char *text, size_t size)
{
    if (seconds <= 90)
        snprintf(text, size, "%.0f s", rounded_up(seconds));
    else if (seconds <= 90 * 60)
        snprintf(text, size, "%.0f min", rounded_up(seconds / 60));
    else if (seconds <= longest_wait)
        snprintf(text, size, "%.0f h", rounded_up(seconds / 3600));
    else
        snprintf(text, size, "days");
    return text;
}

/* As --max-time takes it: "25s", "3m". */
static void format_budget(double seconds, char *text, size_t size)
{
    if (seconds <= 600)
        snprintf(text, size, "%.0fs", rounded_up(seconds));
    else if (seconds <= 600 * 60)
        snprintf(text, size, "%.0fm", rounded_up(seconds / 60));
    else
        snprintf(text, size, "%.0fh", rounded_up(seconds / 3600));
}

/* "--max-time=25s for each command would reach ±1 % in wall time" */
static void say_missing(const struct lauka_result *result, bool utf8, char *text, size_t size)
{
    char share[32], budget[32];
    size_t metric = 0;
    struct lauka_optional more = lauka_result_seconds_missing(result, &metric);
    text[0] = 0;
    if (!more.known)
        return;
    const char *noun = lauka_metric_noun(result->metrics[metric].name);
    const char *in = *noun ? " in " : "";
    const char *sign = utf8 ? "±" : "+-";
    lauka_format_share(lauka_result_precision(result), share, sizeof share);
    format_budget((result->run.measured + more.value) / (double)result->command_count, budget,
                  sizeof budget);
    if (more.value > longest_wait)
        snprintf(text, size, ": %s%s%s%s cannot be reached here", sign, share, in, noun);
    else
        snprintf(text, size, ": about --max-time=%s for each command would reach %s%s%s%s", budget,
                 sign, share, in, noun);
}

/* ---- the line -------------------------------------------------------------------------------- */

static void say_reason(const struct lauka_result *result, bool utf8, char *text, size_t size)
{
    char missing[192], share[32];
    text[0] = 0;
    switch (result->run.stopped) {
    case LAUKA_STOPPED_ROUNDS:
        snprintf(text, size, "as many as asked for");
        break;
    case LAUKA_STOPPED_TIME:
        say_missing(result, utf8, missing, sizeof missing);
        snprintf(text, size, "time budget used up%s", missing);
        break;
    case LAUKA_STOPPED_PRECISION:
        lauka_format_share(lauka_result_precision(result), share, sizeof share);
        snprintf(text, size, "precision of %s%s reached", utf8 ? "±" : "+-", share);
        break;
    case LAUKA_STOPPED_EFFECT:
        snprintf(text, size, "differences are clear");
        break;
    case LAUKA_STOPPED_EXACT:
        snprintf(text, size, "values are constant: more rounds would add nothing");
        break;
    case LAUKA_STOPPED_GATE:
        snprintf(text, size, "the gate is decided");
        break;
    case LAUKA_STOPPED_FAILURE:
        snprintf(text, size, "a command failed");
        break;
    case LAUKA_STOPPED_INTERRUPTED:
        snprintf(text, size, "interrupted");
        break;
    case LAUKA_STOPPED_ERROR:
        snprintf(text, size, "ended by an error: %.200s", lauka_result_error_text(result));
        break;
    case LAUKA_STOPPED_STORED:
        break;
    }
}

static void say_stored(const struct lauka_result *result, char *text, size_t size)
{
    const struct lauka_result_run *run = &result->run;
    const char *paired = result->command_count < 2 ? ""
                         : run->unpaired           ? "; not paired"
                                                   : "; paired by position";
    const char *end = lauka_result_bad_end(result);
    bool ours =
        result->metric_count > 0 && strcmp(result->metrics[0].source, LAUKA_SOURCE_PROGRAM) == 0;
    const enum lauka_unit kind = result->benchmark.units.kind;
    char median[64] = "";
    if (kind != LAUKA_UNIT_ROUND && result->command_count > 1)
        snprintf(median, sizeof median, ", each the median of one %s", lauka_unit_name(kind));
    snprintf(text, size, "%s%" PRIu64 " value%s%s, %s%s%s%.200s", run->unpaired ? "up to " : "",
             run->rounds, plural(run->rounds), median,
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

/* "; steal 0 % (up to 1.0 %)", where it is known; returns the characters. */
static size_t say_share(const char *name, struct lauka_optional share, struct lauka_optional worst,
                        char *text, size_t size)
{
    char whole[32], most[32];
    text[0] = '\0';
    if (!share.known)
        return 0;
    lauka_format_share(share.value, whole, sizeof whole);
    lauka_format_share(worst.known ? worst.value : share.value, most, sizeof most);
    if (strcmp(whole, most) == 0)
        snprintf(text, size, "; %s %s", name, whole);
    else
        snprintf(text, size, "; %s %s (up to %s)", name, whole, most);
    return strlen(text);
}

/* Interference by other processes, for people who ask to see it. */
static void say_lack(const struct lauka_result *result, char *text, size_t size)
{
    size_t delay = lauka_result_metric_index(result, "run_delay");
    const struct lauka_result_run *run = &result->run;
    text[0] = '\0';
    if (delay == result->metric_count || result->metrics[delay].detail)
        return;
    size_t used = say_share("CPU pressure", run->pressure, worst_batch(run, false), text, size);
    say_share("steal", run->steal, worst_batch(run, true), text + used, size - used);
}

static void say_session(const struct lauka_result *result, bool utf8, char *text, size_t size)
{
    const struct lauka_result_run *run = &result->run;
    char warmup[64] = "", seconds[48], reason[256], lack[200];
    if (run->warmup > 0)
        snprintf(warmup, sizeof warmup, " after %" PRIu64 " warm-up%s", run->warmup,
                 plural(run->warmup));
    struct lauka_scale scale = lauka_scale_for(run->seconds * 1e9, "ns", utf8);
    lauka_format_scaled(run->seconds * 1e9, scale, seconds, sizeof seconds);
    say_reason(result, utf8, reason, sizeof reason);
    const char *kept = run->samples_left_out ? "; single values were not kept" : "";
    say_lack(result, lack, sizeof lack);
    snprintf(text, size, "%" PRIu64 " round%s%s in %s %s; %s%s%s; seed %" PRIu64, run->rounds,
             plural(run->rounds), warmup, seconds, scale.suffix, reason, kept, lack, run->seed);
}

void lauka_result_course(const struct lauka_result *result, bool utf8, char *text, size_t size)
{
    if (result->merged.session)
        lauka_merged_course(result, text, size);
    else if (result->run.stopped == LAUKA_STOPPED_STORED)
        say_stored(result, text, size);
    else
        say_session(result, utf8, text, size);
    size_t used = strlen(text);
    lauka_units_clause(result, utf8, text + used, size - used);
}
