/* What a comparison means for somebody who must act on it. A gate's limit decides if there is one;
 * otherwise the verdicts of primary metrics do. */
#include "report/words/words.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "stats/stats.h"

/* By the gate's own interval, which is beside the word. An allowed failure is known to somebody: it is
 * only a change. */
enum lauka_concern lauka_concern_of_row(const struct lauka_result *result,
                                        const struct lauka_gate_row *row)
{
    enum lauka_gate_shift shift = lauka_gate_shift_of(result, row);
    if (lauka_gate_is_as_expected(result, row))
        return shift == LAUKA_SHIFT_NONE     ? LAUKA_CONCERN_NONE
               : shift == LAUKA_SHIFT_BETTER ? LAUKA_CONCERN_BETTER
                                             : LAUKA_CONCERN_CHANGED;
    return row->judgement.verdict == LAUKA_GATE_INCONCLUSIVE ? LAUKA_CONCERN_UNCLEAR
           : row->allowance                                  ? LAUKA_CONCERN_CHANGED
                                                             : LAUKA_CONCERN_WORSE;
}

bool lauka_gate_is_budget(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    return row && result->gate.rules[row->rule].most.known;
}

/* A budget that holds says nothing about a change. */
static bool is_silent(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    return lauka_gate_is_budget(result, row) && row->judgement.verdict == LAUKA_GATE_PASS;
}

size_t lauka_concern_first(const struct lauka_result *result)
{
    return result->gate.row_count > 0 && result->gate.rows[0].command == 0 ? 0 : 1;
}

/* They stand in the commands' order. */
static size_t first_row_of(const struct lauka_result_gate *gate, size_t command)
{
    size_t low = 0, high = gate->row_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (gate->rows[middle].command < command)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct lauka_gate_row *lauka_gate_row_of(const struct lauka_result *result, size_t command,
                                               size_t metric)
{
    const struct lauka_result_gate *gate = &result->gate;
    const struct lauka_gate_row *found = NULL;
    for (size_t i = first_row_of(gate, command); i < gate->row_count; i++) {
        const struct lauka_gate_row *row = &gate->rows[i];
        if (row->command != command)
            break;
        if (row->metric == metric &&
            (!found || (is_silent(result, found) && !is_silent(result, row)) ||
             lauka_concern_of_row(result, row) > lauka_concern_of_row(result, found)))
            found = row;
    }
    return found;
}

static enum lauka_concern concern_of_verdict(const struct lauka_result *result, size_t command,
                                             size_t metric, const struct lauka_comparison *values)
{
    if (values->verdict == LAUKA_VERDICT_INCONCLUSIVE && result->metrics[metric].primary)
        return LAUKA_CONCERN_UNCLEAR;
    if (!lauka_is_clear(values) || values->below_precision)
        return LAUKA_CONCERN_NONE;
    const int goodness = lauka_goodness(result, command, metric);
    return goodness < 0   ? LAUKA_CONCERN_WORSE
           : goodness > 0 ? LAUKA_CONCERN_BETTER
                          : LAUKA_CONCERN_CHANGED;
}

bool lauka_concern_lacks_values(const struct lauka_result *result)
{
    return result->run.samples_left_out && result->run.unpaired;
}

enum lauka_concern lauka_concern_of(const struct lauka_result *result, size_t command,
                                    size_t metric)
{
    const struct lauka_gate_row *row = lauka_gate_row_of(result, command, metric);
    struct lauka_result_view view = lauka_result_view(result, command, metric);
    if (row && !is_silent(result, row))
        return lauka_concern_of_row(result, row);
    if (!view.counted || !view.comparison || result->run.noise)
        return LAUKA_CONCERN_NONE;
    if (lauka_concern_lacks_values(result) && result->metrics[metric].primary)
        return LAUKA_CONCERN_UNCLEAR; /* nobody has looked */
    enum lauka_concern seen = concern_of_verdict(result, command, metric, view.comparison);
    /* Worse, but without a limit where others have one. */
    if (lauka_result_has_gate(result) && seen > LAUKA_CONCERN_BETTER)
        seen = seen == LAUKA_CONCERN_WORSE ? LAUKA_CONCERN_CHANGED : LAUKA_CONCERN_NONE;
    return seen;
}

/* If there is a gate, metrics without a limit do not decide; one with a limit does even where it was not
 * counted, as then nobody knows whether the limit is held. */
static bool decides(const struct lauka_result *result, size_t command, size_t metric)
{
    return lauka_result_has_gate(result) ? lauka_gate_row_of(result, command, metric) != NULL
                                         : result->metrics[metric].primary &&
                                               lauka_result_view(result, command, metric).counted;
}

/* Something was to be compared or judged, and was not. */
static bool is_undecided(const struct lauka_result *result, size_t judged)
{
    if (lauka_result_has_gate(result))
        return result->gate.verdict == LAUKA_GATE_INCONCLUSIVE;
    return judged == 0 && result->command_count > 1 && !result->run.noise;
}

struct lauka_concerns lauka_concerns_find(const struct lauka_result *result)
{
    struct lauka_concerns found = {.metric = lauka_result_main_metric(result), .command = 1};
    if (result->gate.row_count > 0) { /* all is well with what has a limit */
        found.command = result->gate.rows[0].command;
        found.metric = result->gate.rows[0].metric;
    }
    for (size_t c = lauka_concern_first(result); c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++) {
            if (!decides(result, c, m))
                continue;
            enum lauka_concern concern = lauka_concern_of(result, c, m);
            found.judged++;
            if (concern > found.worst)
                found = (struct lauka_concerns){concern, c, m, 0, found.judged};
            found.count += concern == found.worst;
        }
    if (!lauka_result_ended_well(result))
        found.worst = LAUKA_CONCERN_FAILED;
    else if (found.worst < LAUKA_CONCERN_UNCLEAR && is_undecided(result, found.judged))
        found.worst = LAUKA_CONCERN_UNCLEAR;
    return found;
}

const char *lauka_concern_symbol(enum lauka_concern concern)
{
    static const char *const symbols[] = {
        [LAUKA_CONCERN_NONE] = "\u2705",          [LAUKA_CONCERN_CHANGED] = "\U0001f536",
        [LAUKA_CONCERN_BETTER] = "\u2705",        [LAUKA_CONCERN_WORSE] = "\u274c",
        [LAUKA_CONCERN_UNCLEAR] = "\u26a0\ufe0f", [LAUKA_CONCERN_FAILED] = "\u274c",
    };
    return symbols[concern];
}

const char *lauka_concern_name(enum lauka_concern concern)
{
    static const char *const names[] = {
        [LAUKA_CONCERN_NONE] = "pass",   [LAUKA_CONCERN_UNCLEAR] = "inconclusive",
        [LAUKA_CONCERN_BETTER] = "pass", [LAUKA_CONCERN_CHANGED] = "changed",
        [LAUKA_CONCERN_WORSE] = "fail",  [LAUKA_CONCERN_FAILED] = "failed",
    };
    return names[concern];
}
