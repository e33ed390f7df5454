/* Which change would have been visible beside the noise of a session. */
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <math.h>

/* A change is visible beyond the half-width. To be visible in 90 % of sessions, the true change must lie
 * 1.28 deviations further; the half-width is z(1 - alpha / 2) of them. */
struct lauka_optional lauka_smallest_change(const struct lauka_comparison *comparison)
{
    struct lauka_optional unknown = {0};
    if (!comparison || !comparison->half_width.known || comparison->confidence <= 0 ||
        comparison->confidence >= 1 || comparison->method == LAUKA_METHOD_EXACT)
        return unknown;
    double deviations = lauka_normal_quantile((1 + comparison->confidence) / 2);
    double change = comparison->half_width.value * (1 + lauka_normal_quantile(0.9) / deviations);
    return lauka_known(change);
}

/* ---- what a session without lauka noise would see ---- */

/* The deviation of one round's log ratio, as its interval shows it. */
static struct lauka_optional deviation_of(const struct lauka_comparison *comparison)
{
    struct lauka_optional unknown = {0};
    if (!lauka_smallest_change(comparison).known)
        return unknown;
    double half = comparison->log_low.known
                      ? (comparison->log_high.value - comparison->log_low.value) / 2
                      : comparison->half_width.value;
    double z = lauka_normal_quantile((1 + comparison->confidence) / 2);
    return lauka_known(half / z * sqrt((double)comparison->units));
}

static double count_primaries(const struct lauka_result *result)
{
    size_t count = lauka_result_primaries(result, true);
    return count > 0 ? (double)count : 1;
}

/* Of all that decides when a session ends, the largest. */
static double largest_deviation(const struct lauka_result *result)
{
    double largest = 0;
    for (size_t m = 0; m < result->metric_count; m++) {
        struct lauka_optional own = deviation_of(lauka_result_comparison(result, 1, m));
        if (result->metrics[m].primary && own.known)
            largest = fmax(largest, own.value);
    }
    return largest;
}

static uint64_t first_look_from(double rounds)
{
    uint64_t look = LAUKA_FIRST_LOOK;
    while ((double)look < rounds)
        look = lauka_stopping_next_look(look);
    return look;
}

/* The rounds after which a session as typed would end, as it does not go on until the time is used up: by its
 * first look that is late enough and, it can be foreseen, precise enough. */
static uint64_t foreseen_rounds(const struct lauka_result *result, double *alpha)
{
    const char *least = lauka_result_option(result, "min-time");
    const uint64_t all = lauka_result_unit_count(result);
    uint64_t least_ns;
    *alpha = LAUKA_ALPHA_FIXED;
    if (result->run.stopped != LAUKA_STOPPED_TIME || result->run.measured <= 0)
        return all;
    if (!least || !lauka_parse_duration(least, &least_ns))
        least_ns = 1000000000;
    double each = result->run.measured / (double)all / (double)result->command_count;
    double z = lauka_normal_quantile(1 - LAUKA_ALPHA_LOOK / 2);
    double precise = z * largest_deviation(result) / lauka_result_precision(result);
    uint64_t look = first_look_from((double)least_ns / 1e9 / each);
    if (look >= all)
        return all;
    *alpha = LAUKA_ALPHA_LOOK;
    look = first_look_from(fmax((double)look, precise * precise));
    return look < all ? look : all;
}

/* Student's quantile up to which nothing is claimed, and 1.28 deviations more, which are
 * exceeded in nine of ten sessions. */
static double visible(double deviation, uint64_t rounds, double alpha)
{
    double t = -lauka_student_quantile(alpha / 2, rounds - 1);
    return expm1((t + lauka_normal_quantile(0.9)) * deviation / sqrt((double)rounds));
}

/* The same as a session of so many rounds shows it, on average over such stretches of this one: where noise has an edge
 * or long tails, intervals shrink faster than by the root of the rounds, so those of the whole are too narrow. */
static struct lauka_optional deviation_of_stretches(const struct lauka_result *result,
                                                    size_t metric, size_t rounds)
{
    struct lauka_comparison comparison;
    double squares = 0;
    size_t count = 0;
    for (size_t first = 0; first + rounds <= result->run.rounds; first += rounds) {
        int error = lauka_result_compare_rounds(result, 1, metric, first, rounds, &comparison);
        const struct lauka_optional own = deviation_of(error ? NULL : &comparison);
        squares += own.known ? own.value * own.value : 0;
        count += own.known;
    }
    return (struct lauka_optional){count > 0, sqrt(squares / (double)count)};
}

/* Whether the session can be seen as several shorter ones. */
static bool has_stretches(const struct lauka_result *result, uint64_t rounds)
{
    struct lauka_units units;
    return rounds <= result->run.rounds / 2 && !result->commands[1].streams &&
           !lauka_result_has_hosts(result) && !lauka_result_units(result, &units);
}

struct lauka_optional lauka_visible_change(const struct lauka_result *result, size_t metric,
                                           bool whole)
{
    struct lauka_optional deviation = deviation_of(lauka_result_comparison(result, 1, metric));
    double alpha;
    uint64_t rounds = foreseen_rounds(result, &alpha);
    if (!deviation.known || rounds < 2)
        return (struct lauka_optional){0};
    if (!whole && has_stretches(result, rounds)) {
        const struct lauka_optional own = deviation_of_stretches(result, metric, rounds);
        deviation = own.known ? own : deviation;
    }
    if (whole) {
        rounds = lauka_result_unit_count(result);
        alpha = LAUKA_ALPHA_FIXED;
    }
    return (struct lauka_optional){
        true, visible(deviation.value, rounds,
                      alpha * lauka_result_weight(result, metric) / count_primaries(result))};
}
