/* A command against itself: how far it moved by noise alone, and which change of it would have been
 * visible. */
#include "report/words/words.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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
    uint64_t count = 0;
    for (size_t m = 0; m < result->metric_count; m++)
        count += result->metrics[m].primary && result->metrics[m].counted;
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

struct lauka_optional lauka_visible_change(const struct lauka_result *result, size_t metric,
                                           bool whole)
{
    struct lauka_optional deviation = deviation_of(lauka_result_comparison(result, 1, metric));
    double alpha;
    uint64_t rounds = foreseen_rounds(result, &alpha);
    if (!deviation.known || rounds < 2)
        return (struct lauka_optional){0};
    if (whole) {
        rounds = lauka_result_unit_count(result);
        alpha = LAUKA_ALPHA_FIXED;
    }
    return (struct lauka_optional){
        true, visible(deviation.value, rounds,
                      alpha * lauka_families_weight(result, metric) / count_primaries(result))};
}

/* "1.1 %, or 0.45 % with --until=0": a session that takes its whole time sees less. */
static const char *visible_of(struct lauka_prose *prose, const struct lauka_result *result,
                              size_t metric)
{
    const char *typed =
        lauka_say_share_roughly(prose, lauka_visible_change(result, metric, false).value);
    const char *whole =
        lauka_say_share_roughly(prose, lauka_visible_change(result, metric, true).value);
    return strcmp(typed, whole) == 0 ? typed
                                     : lauka_say(prose, "%s, or %s with --until=0", typed, whole);
}

/* ---- the answer ---- */

bool lauka_result_has_noise(const struct lauka_result *result)
{
    return result->run.noise && result->command_count > 1 && result->run.rounds > 0;
}

bool lauka_is_noise_told(const struct lauka_result *result, size_t metric)
{
    const struct lauka_result_metric *about = &result->metrics[metric];
    return about->counted && (about->primary || strcmp(about->name, "wall_time") == 0 ||
                              strcmp(about->name, "cpu_time") == 0);
}

/* The first of them also gives the confidence, and what is compared with what. */
static bool is_first(const struct lauka_result *result, size_t metric)
{
    for (size_t m = 0; m < metric; m++)
        if (lauka_is_noise_told(result, m))
            return false;
    return true;
}

const char *lauka_noise_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t metric, const char *name)
{
    const struct lauka_comparison *comparison = lauka_result_comparison(result, 1, metric);
    const char *noun = lauka_metric_noun(result->metrics[metric].name);
    if (!lauka_visible_change(result, metric, false).known)
        return lauka_say(prose,
                         "%s against itself: %" PRIu64 " rounds do not show how far %s moves.",
                         name, comparison ? comparison->pairs : 0, *noun ? noun : "it");
    struct lauka_change change =
        lauka_change(prose, comparison, lauka_result_scale(result, metric, prose->utf8));
    const char *share = visible_of(prose, result, metric);
    if (!is_first(result, metric))
        return lauka_say(prose, "%s against itself moved by %s %s in %s: the smallest is %s.", name,
                         change.estimate, change.interval, noun, share);
    return lauka_say(prose,
                     "%s against itself moved by %s %s in %s (%.3g %% confidence): the smallest "
                     "change that 9 of 10 sessions would see here is %s.",
                     name, change.estimate, change.interval, noun,
                     100 * lauka_result_confidence(result), share);
}
