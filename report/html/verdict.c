/* Verdicts with their signs and colours: worse is red and points up where the value rose, better is green. A sign stands
 * beside every colour, for those who see no difference between red and green. */
#include "report/html/html.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <string.h>

/* "" is the style's name for what has no colour of its own. */
static const char *const styles[] = {
    [LAUKA_TONE_PLAIN] = "",    [LAUKA_TONE_WORSE] = "bad",    [LAUKA_TONE_BETTER] = "good",
    [LAUKA_TONE_CHANGED] = "",  [LAUKA_TONE_UNCLEAR] = "open", [LAUKA_TONE_FAIL] = "fail",
    [LAUKA_TONE_PASS] = "pass",
};

static const char *sign_of(struct lauka_mark mark)
{
    switch (mark.tone) {
    case LAUKA_TONE_WORSE:
    case LAUKA_TONE_BETTER:
    case LAUKA_TONE_CHANGED:
        return mark.rises ? "▲" : "▼";
    case LAUKA_TONE_UNCLEAR:
        return "?";
    case LAUKA_TONE_FAIL:
        return "✗";
    case LAUKA_TONE_PASS:
        return "✓";
    case LAUKA_TONE_PLAIN:
        break;
    }
    return "";
}

bool lauka_html_decides(const struct lauka_result *result, size_t command, size_t metric)
{
    return result->metrics[metric].primary || lauka_gate_row_of(result, command, metric) != NULL;
}

/* A change is for the worse or the better only where its good direction is known and it is large enough to matter. */
struct lauka_mark lauka_mark_of(const struct lauka_result *result, size_t command, size_t metric)
{
    const struct lauka_result_view view = lauka_result_view(result, command, metric);
    const struct lauka_comparison *values = view.counted ? view.comparison : NULL;
    struct lauka_mark mark = {LAUKA_TONE_PLAIN, false};
    if (!values || result->run.noise)
        return mark;
    mark.rises = values->verdict == LAUKA_VERDICT_HIGHER;
    if (values->verdict == LAUKA_VERDICT_INCONCLUSIVE)
        mark.tone = LAUKA_TONE_UNCLEAR;
    if (!lauka_is_clear(values) || values->below_precision)
        return mark;
    const int goodness = lauka_direction_goodness(result->metrics[metric].better, mark.rises);
    mark.tone = goodness < 0                                              ? LAUKA_TONE_WORSE
                : goodness > 0 && lauka_result_does_work(result, command) ? LAUKA_TONE_BETTER
                                                                          : LAUKA_TONE_CHANGED;
    return mark;
}

struct lauka_mark lauka_mark_of_limit(const struct lauka_result *result,
                                      const struct lauka_gate_row *row)
{
    const char *word = lauka_gate_row_sign(result, row);
    return (struct lauka_mark){strcmp(word, "FAIL") == 0           ? LAUKA_TONE_FAIL
                               : strcmp(word, "inconclusive") == 0 ? LAUKA_TONE_UNCLEAR
                               : strcmp(word, "pass") == 0         ? LAUKA_TONE_PASS
                                                                   : LAUKA_TONE_PLAIN,
                               false};
}

const char *lauka_marked(struct lauka_prose *prose, struct lauka_mark mark, const char *words)
{
    return lauka_join(prose, sign_of(mark), " ", words);
}

const char *lauka_html_marked(struct lauka_prose *prose, struct lauka_mark mark, const char *words)
{
    const char *text = lauka_say_xml(prose, words), *style = styles[mark.tone];
    if (*sign_of(mark))
        text = lauka_say(prose, "<i>%s</i>%s%s", sign_of(mark), *text ? "\u00A0" : "", text);
    return *style ? lauka_say(prose, "<span class=\"%s\">%s</span>", style, text) : text;
}

char lauka_svg_tone(struct lauka_mark mark)
{
    return mark.tone == LAUKA_TONE_WORSE || mark.tone == LAUKA_TONE_FAIL ? 'r'
           : mark.tone == LAUKA_TONE_BETTER                              ? 'l'
                                                                         : 'n';
}
