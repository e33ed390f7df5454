/* A command against itself: how far it moved by noise alone, and which change of it would have been
 * visible. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The normal distribution's quantile, for 1/2 <= p < 1, by bisection: a few constants are asked. */
static double normal_quantile(double p)
{
    double low = 0, high = 40;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (0.5 * erfc(-middle / sqrt(2)) < p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* A change is visible beyond the half-width. To be visible in 90 % of sessions, the true change must lie
 * 1.28 deviations further; the half-width is z(1 - alpha / 2) of them. */
struct lauka_optional lauka_smallest_change(const struct lauka_comparison *comparison)
{
    struct lauka_optional unknown = {0};
    if (!comparison || !comparison->half_width.known || comparison->confidence <= 0 ||
        comparison->confidence >= 1 || comparison->method == LAUKA_METHOD_EXACT)
        return unknown;
    double deviations = normal_quantile((1 + comparison->confidence) / 2);
    double change = comparison->half_width.value * (1 + normal_quantile(0.9) / deviations);
    return (struct lauka_optional){true, change};
}

static void format_smallest(double share, char *text, size_t size)
{
    snprintf(text, size, "%.*f %%",
             share < 0.00095  ? 3
             : share < 0.0095 ? 2
             : share < 0.095  ? 1
                              : 0,
             100 * share);
}

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

void lauka_noise_sentence(const struct lauka_result *result, size_t metric, const char *name,
                          bool utf8, char *text, size_t size)
{
    const struct lauka_comparison *comparison = lauka_result_comparison(result, 1, metric);
    const char *noun = lauka_metric_noun(result->metrics[metric].name);
    struct lauka_optional smallest = lauka_smallest_change(comparison);
    struct lauka_change change;
    char share[32];
    if (!smallest.known) {
        snprintf(text, size, "%s against itself: %" PRIu64 " rounds do not show how far %s moves.",
                 name, comparison ? comparison->pairs : 0, *noun ? noun : "it");
        return;
    }
    lauka_change_format(comparison, lauka_result_scale(result, metric, utf8), utf8, &change);
    format_smallest(smallest.value, share, sizeof share);
    if (is_first(result, metric))
        snprintf(text, size,
                 "%s against itself moved by %s %s in %s (%.3g %% confidence): the smallest change "
                 "that would be seen here, in 9 of 10 sessions like this one, is %s.",
                 name, change.estimate, change.interval, noun,
                 100 * lauka_result_confidence(result), share);
    else
        snprintf(text, size, "%s against itself moved by %s %s in %s: the smallest is %s.", name,
                 change.estimate, change.interval, noun, share);
}
