/* A command against itself: how far it moved by noise alone, and which change of it would have been
 * visible. */
#include "report/words/words.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "1.1 %, or 0.45 % with --until=0": a session that takes its whole time sees less. */
static void format_visible(const struct lauka_result *result, size_t metric, char *text,
                           size_t size)
{
    char typed[32], whole[32];
    lauka_format_share_roughly(lauka_visible_change(result, metric, false).value, typed,
                               sizeof typed);
    lauka_format_share_roughly(lauka_visible_change(result, metric, true).value, whole,
                               sizeof whole);
    if (strcmp(typed, whole) == 0)
        snprintf(text, size, "%s", typed);
    else
        snprintf(text, size, "%s, or %s with --until=0", typed, whole);
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

void lauka_noise_sentence(const struct lauka_result *result, size_t metric, const char *name,
                          bool utf8, char *text, size_t size)
{
    const struct lauka_comparison *comparison = lauka_result_comparison(result, 1, metric);
    const char *noun = lauka_metric_noun(result->metrics[metric].name);
    struct lauka_change change;
    char share[100];
    if (!lauka_visible_change(result, metric, false).known) {
        snprintf(text, size, "%s against itself: %" PRIu64 " rounds do not show how far %s moves.",
                 name, comparison ? comparison->pairs : 0, *noun ? noun : "it");
        return;
    }
    lauka_change_format(comparison, lauka_result_scale(result, metric, utf8), utf8, &change);
    format_visible(result, metric, share, sizeof share);
    if (is_first(result, metric))
        snprintf(text, size,
                 "%s against itself moved by %s %s in %s (%.3g %% confidence): the smallest change "
                 "that 9 of 10 sessions would see here is %s.",
                 name, change.estimate, change.interval, noun,
                 100 * lauka_result_confidence(result), share);
    else
        snprintf(text, size, "%s against itself moved by %s %s in %s: the smallest is %s.", name,
                 change.estimate, change.interval, noun, share);
}
