/* A command against itself: how far it moved by noise alone, and which change of it would have been
 * visible. */
#include "report/words/words.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/prose.h"

#include <inttypes.h>
#include <string.h>

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

/* ---- the answer ------------------------------------------------------------------------------ */

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
