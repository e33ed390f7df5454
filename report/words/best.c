/* All commands of a benchmark in one sentence: which is the best, or how many there are of each kind. */
#include "report/words/words.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <string.h>

static bool reference_is_best(const struct lauka_result *result, size_t metric)
{
    for (size_t c = 1; c < result->command_count; c++) {
        const struct lauka_comparison *comparison = lauka_result_comparison(result, c, metric);
        if (!comparison || comparison->verdict != LAUKA_VERDICT_HIGHER)
            return false;
    }
    return true;
}

bool lauka_result_best(const struct lauka_result *result, size_t *command)
{
    size_t metric = lauka_result_main_metric(result);
    *command = result->best;
    if (result->command_count < 3 || metric >= result->metric_count ||
        strcmp(result->metrics[metric].better, "lower") != 0)
        return false;
    return result->best > 0 || reference_is_best(result, metric);
}

/* "5.1 %" or "2.8 times": by how much this one is slower than the fastest. */
static const char *excess_of(struct lauka_prose *prose, const struct lauka_comparison *values)
{
    return lauka_change_is_factor(values)
               ? lauka_say(prose, "%s times", lauka_change_factor(prose, values).estimate)
               : lauka_change_size(prose, values, (struct lauka_scale){1, "", 0}).estimate;
}

/* Of all but the fastest: "the others take 2.8 times to 6.6 times as long". */
static const char *range_of(struct lauka_prose *prose, const struct lauka_ranking *ranking,
                            bool time)
{
    const struct lauka_comparison *next = &ranking->rows[1].values;
    const struct lauka_comparison *last = &ranking->rows[ranking->count - 1].values;
    const char *least = excess_of(prose, next), *most = excess_of(prose, last);
    if (lauka_change_is_factor(next))
        return lauka_say(prose, "the others %s %s to %s as %s", time ? "take" : "are", least, most,
                         time ? "long" : "high");
    if (lauka_change_is_factor(last))
        return lauka_say(prose, "the others are %s, the next by %s, and the last takes %s as %s",
                         lauka_direction_word(true, time), least, most, time ? "long" : "high");
    return lauka_say(prose, "the others are %s to %s %s", least, most,
                     lauka_direction_word(true, time));
}

const char *lauka_best_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                const char *name)
{
    const bool time = lauka_is_time(result, lauka_result_main_metric(result));
    struct lauka_ranking ranking;
    lauka_prose_fail(prose, lauka_result_rank(result, &ranking));
    const char *others =
        lauka_say(prose, "each of the others is %s", lauka_direction_word(true, time));
    if (ranking.count > 1 && ranking.rows[1].values.log_ratio.known &&
        ranking.rows[ranking.count - 1].values.log_ratio.known)
        others = range_of(prose, &ranking, time);
    const size_t count = ranking.count;
    lauka_ranking_done(&ranking);
    return lauka_say(prose, "%s is the %s of the %zu%s: %s.", name, time ? "fastest" : "lowest",
                     count, count < result->command_count ? " that did not fail" : "", others);
}

const char *lauka_summary_sentence(struct lauka_prose *prose, const struct lauka_result *result)
{
    enum { LOWER, HIGHER, WITHIN, UNCLEAR, NOT_COMPARED, KINDS };
    static const int kinds[] = {
        [LAUKA_VERDICT_LOWER] = LOWER,          [LAUKA_VERDICT_HIGHER] = HIGHER,
        [LAUKA_VERDICT_EQUIVALENT] = WITHIN,    [LAUKA_VERDICT_IDENTICAL] = WITHIN,
        [LAUKA_VERDICT_INCONCLUSIVE] = UNCLEAR, [LAUKA_VERDICT_NONE] = NOT_COMPARED,
    };
    size_t metric = lauka_result_main_metric(result), counts[KINDS] = {0};
    bool time = metric < result->metric_count && lauka_is_time(result, metric);
    const char *const words[] = {lauka_direction_word(false, time),
                                 lauka_direction_word(true, time), "equivalent", "inconclusive",
                                 "not compared"};
    const char *reference = lauka_say_subject(prose, result, 0), *text = "";
    for (size_t c = 1; c < result->command_count; c++) {
        const struct lauka_comparison *values = lauka_result_comparison(result, c, metric);
        counts[kinds[values ? values->verdict : LAUKA_VERDICT_NONE]]++;
    }
    size_t others = result->command_count - 1;
    const struct lauka_comparison *last = lauka_result_comparison(result, others, metric);
    if (counts[UNCLEAR] == others && last && last->pairs < LAUKA_FEWEST_INTERVAL &&
        !result->run.unpaired)
        return lauka_say(prose, "Against %s: %" PRIu64 " round%s, and no verdict yet.", reference,
                         result->run.rounds, lauka_plural(result->run.rounds));
    for (size_t i = 0; i < KINDS; i++) {
        if (counts[i] == others && others > 1)
            return lauka_say(prose, "Against %s, all %zu commands are %s.", reference, others,
                             words[i]);
        if (counts[i] > 0)
            text = lauka_join(
                prose, text, ", ",
                lauka_say(prose, "%zu %s %s", counts[i], counts[i] == 1 ? "is" : "are", words[i]));
    }
    return lauka_say(prose, "Against %s, of %zu commands %s.", reference, others, text);
}
