/* Times that people wait, in words; and those that they give for a session (--max-time, --budget): which of them ended
 * it, and what would have been enough. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <math.h>
#include <string.h>

/* ---- in words ------------------------------------------------------------------------------------ */

/* Such a forecast is not worth more than two digits. */
static double rounded_up(double value)
{
    double step = value > 100 ? 10 : 1;
    return fmax(1, step * ceil(value / step - 1e-9));
}

const char *lauka_say_wait(struct lauka_prose *prose, double seconds)
{
    if (seconds <= 90)
        return lauka_say(prose, "%.0f s", rounded_up(seconds));
    if (seconds <= 90 * 60)
        return lauka_say(prose, "%.0f min", rounded_up(seconds / 60));
    return seconds <= LAUKA_LONGEST_WAIT ? lauka_say(prose, "%.0f h", rounded_up(seconds / 3600))
                                         : "days";
}

const char *lauka_say_duration(struct lauka_prose *prose, double seconds)
{
    const bool minutes = seconds <= 600 * 60;
    if (seconds <= 600)
        return lauka_say(prose, "%.0fs", rounded_up(seconds));
    return lauka_say(prose, minutes ? "%.0fm" : "%.0fh",
                     rounded_up(seconds / (minutes ? 60 : 3600)));
}

const char *lauka_say_seconds(struct lauka_prose *prose, double seconds)
{
    const double ns = seconds * 1e9;
    return lauka_say_quantity(prose, ns, lauka_scale_for(ns, "ns", prose->utf8));
}

/* ---- what was given -------------------------------------------------------------------------- */

struct limit {
    const char *option; /* "--max-time"; static or borrowed */
    const char *text;   /* "--max-time 2s"; empty: not given */
    double seconds;     /* what its value comes to; 0: not known */
};

/* The last one counts, as on the command line. */
static const struct lauka_result_option *find_given(const struct lauka_result *result,
                                                    const char *name)
{
    const struct lauka_result_option *found = NULL;
    for (size_t i = 0; i < result->option_count; i++)
        if (result->options[i].given && result->options[i].value &&
            strcmp(result->options[i].name, name) == 0)
            found = &result->options[i];
    return found;
}

static struct limit limit_of(struct lauka_prose *prose, const struct lauka_result *result,
                             const char *name, const char *as)
{
    const struct lauka_result_option *option = find_given(result, name);
    struct limit limit = {.option = as, .text = ""};
    uint64_t ns;
    if (!option)
        return limit;
    limit.text = lauka_say(prose, "--%s %s", name, lauka_say_safely(prose, option->value));
    if (lauka_parse_duration(option->value, &ns))
        limit.seconds = (double)ns / 1e9;
    return limit;
}

/* For each command. Bare numbers of --duration are milliseconds. */
static struct limit max_time_of(struct lauka_prose *prose, const struct lauka_result *result)
{
    struct limit limit = limit_of(prose, result, "max-time", "--max-time");
    if (*limit.text)
        return limit;
    limit = limit_of(prose, result, "duration", "--max-time");
    if (*limit.text && !strpbrk(limit.text + strlen("--duration "), "smh"))
        limit.seconds /= 1000;
    return limit;
}

static struct limit budget_of(struct lauka_prose *prose, const struct lauka_result *result)
{
    return limit_of(prose, result, "budget", "--budget");
}

/* ---- which of them ended the rounds ---------------------------------------------------------- */

/* Of what is measured together: a round, or the rounds of a process. */
static double seconds_of_unit(const struct lauka_result *result)
{
    const uint64_t units = lauka_result_unit_count(result);
    return units > 0 ? result->run.measured / (double)units : 0;
}

/* Whether one more would have ended after it: then --budget was not what ended the session. */
static bool is_at(const struct lauka_result *result, const struct limit *max_time)
{
    return max_time->seconds > 0 && result->run.measured + seconds_of_unit(result) >
                                        max_time->seconds * (double)result->command_count;
}

/* Judging by the mean of the rounds so far. Empty if it is not known: each of several benchmarks gets a part of
 * --budget. */
static const char *enough_of(struct lauka_prose *prose, const struct lauka_result *result,
                             bool is_budget, uint64_t needed)
{
    const double rounds = LAUKA_WAIT_SLACK * (double)needed * seconds_of_unit(result);
    if (!is_budget)
        return lauka_say_duration(prose, rounds / (double)result->command_count);
    return result->benchmark.name
               ? ""
               : lauka_say_duration(prose, result->run.seconds - result->run.measured + rounds);
}

struct lauka_time_limit lauka_time_limit(struct lauka_prose *prose,
                                         const struct lauka_result *result, uint64_t needed)
{
    const struct limit max_time = max_time_of(prose, result), budget = budget_of(prose, result);
    const bool is_budget = *budget.text && !(*max_time.text && is_at(result, &max_time));
    struct lauka_time_limit found = {is_budget ? budget.text : max_time.text,
                                     is_budget ? budget.option : max_time.option, ""};
    if (result->run.rounds == 0)
        found.text = lauka_join(prose, max_time.text, " and ", budget.text);
    else if (result->run.stopped != LAUKA_STOPPED_TIME)
        found.text = "";
    else if (*found.text && lauka_result_unit_count(result) < needed)
        found.enough = enough_of(prose, result, is_budget, needed);
    return found;
}

struct lauka_time_limit lauka_time_for(struct lauka_prose *prose, const struct lauka_result *result,
                                       double factor)
{
    struct lauka_time_limit limit = lauka_time_limit(prose, result, 0);
    const struct limit budget = budget_of(prose, result);
    if (!*limit.text || strcmp(limit.option, budget.option) != 0)
        limit.option = "--max-time";
    const double each = result->run.measured / (double)result->command_count;
    limit.enough = lauka_say_duration(
        prose, factor * (strcmp(limit.option, budget.option) == 0 ? budget.seconds : each));
    return limit;
}
