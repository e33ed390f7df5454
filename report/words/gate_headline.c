/* What all limits of a gate come to, in one line. */
#include "report/words/words.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "stats/stats.h"

#include <inttypes.h>

static size_t count_rows(const struct lauka_result *result, enum lauka_gate verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < result->gate.row_count; i++)
        count +=
            result->gate.rows[i].judgement.verdict == verdict && !result->gate.rows[i].allowance;
    return count;
}

static const char *say_trial(struct lauka_prose *prose, const struct lauka_result *result)
{
    static const char *const said[] = {
        [LAUKA_GATE_PASS] = "it passes the same program, and catches one that got worse",
        [LAUKA_GATE_FAIL] = "it cannot tell the same program from one that got worse",
        [LAUKA_GATE_INCONCLUSIVE] = "with this budget it cannot tell on this machine",
    };
    return lauka_say(prose, "gate tried out: %s: %s", lauka_gate_word(result),
                     said[result->gate.verdict]);
}

static size_t count_shifts(const struct lauka_result *result, enum lauka_gate_shift shift)
{
    size_t count = 0;
    for (size_t i = 0; i < result->gate.row_count; i++)
        count += lauka_gate_shift_of(result, &result->gate.rows[i]) == shift;
    return count;
}

/* "1 better, 2 worse" */
static const char *shifts_of(struct lauka_prose *prose, const struct lauka_result *result)
{
    static const char *const words[] = {
        [LAUKA_SHIFT_BETTER] = "better",
        [LAUKA_SHIFT_WORSE] = "worse",
        [LAUKA_SHIFT_OTHER] = "changed",
    };
    const char *text = "";
    for (enum lauka_gate_shift shift = LAUKA_SHIFT_BETTER; shift <= LAUKA_SHIFT_OTHER; shift++) {
        size_t count = count_shifts(result, shift);
        if (count > 0)
            text = lauka_join(prose, text, ", ", lauka_say(prose, "%zu %s", count, words[shift]));
    }
    return text;
}

/* If none failed: "all 3 limits are held", "the limit is exceeded, which is allowed". */
static const char *say_held(struct lauka_prose *prose, const struct lauka_result *result)
{
    size_t all = result->gate.row_count, allowed = 0;
    for (size_t i = 0; i < all; i++)
        allowed += result->gate.rows[i].allowance != NULL;
    if (all == 1)
        return allowed ? "the limit is exceeded, which is allowed" : "the limit is held";
    if (allowed == 0)
        return lauka_say(prose, "all %zu limits are held", all);
    return lauka_say(prose, "%zu of %zu limits are exceeded, which is allowed", allowed, all);
}

/* Why no limit can be held, whatever the rounds show that there are. Static. */
static const char *name_bad_end(const struct lauka_result *result)
{
    static const char *const names[] = {
        [LAUKA_ENDED_WELL] = "",
        [LAUKA_ENDED_UNMEASURED] = "no round was finished",
        [LAUKA_ENDED_BY_SIGNAL] = "the session was interrupted",
        [LAUKA_ENDED_BY_ERROR] = "the session was ended by an error",
        [LAUKA_ENDED_BY_FAILURE] = "a command failed",
    };
    return names[result->error.known ? LAUKA_ENDED_BY_ERROR : lauka_result_ending(result)];
}

static const char *state_of(struct lauka_prose *prose, const struct lauka_result *result,
                            size_t failed, size_t open)
{
    const size_t all = result->gate.row_count;
    const char *plural = lauka_plural(all);
    if (failed > 0)
        return lauka_join(prose,
                          lauka_say(prose, "%zu of %zu limit%s exceeded", failed, all, plural),
                          ": ", lauka_limits_list(prose, result, LAUKA_CONCERN_WORSE));
    if (!lauka_result_ended_well(result))
        return name_bad_end(result);
    if (open > 0)
        return lauka_say(prose, "%zu of %zu limit%s undecided (%s)%s", open, all, plural,
                         lauka_limits_list(prose, result, LAUKA_CONCERN_UNCLEAR),
                         result->gate.policy == LAUKA_POLICY_FAIL ? ", which counts as a failure"
                                                                  : "");
    return all == 0 ? "no limit applies to these commands" : say_held(prose, result);
}

/* Where a given time ended the session too early for each of the open limits: the rounds that the most demanding one
 * needs. 0: something else leaves one of them open. */
static uint64_t rounds_missing(const struct lauka_result *result)
{
    uint64_t needed = 0;
    for (size_t i = 0; i < result->gate.row_count; i++) {
        const struct lauka_gate_row *row = &result->gate.rows[i];
        if (row->judgement.verdict != LAUKA_GATE_INCONCLUSIVE || row->allowance)
            continue;
        if (row->judgement.undecided != LAUKA_UNDECIDED_FEW)
            return 0;
        needed = row->judgement.needed > needed ? row->judgement.needed : needed;
    }
    return needed;
}

/* "gate: no verdict: 3 rounds in --max-time 2s; 6 need about 5s"; otherwise empty. */
static const char *say_too_early(struct lauka_prose *prose, const struct lauka_result *result)
{
    const uint64_t needed = rounds_missing(result), units = lauka_result_unit_count(result);
    const struct lauka_time_limit limit = lauka_time_limit(prose, result, needed);
    const enum lauka_unit kind = result->benchmark.units.kind;
    if (!*limit.text || units >= needed)
        return "";
    return lauka_say(prose, "gate: no verdict: %" PRIu64 " %s in %s; %" PRIu64 " %s%s%s", units,
                     units == 1 ? lauka_unit_name(kind) : lauka_units_name(kind), limit.text,
                     needed, *limit.enough ? "need about " : "are needed", limit.enough,
                     result->gate.policy == LAUKA_POLICY_FAIL ? ", which counts as a failure" : "");
}

const char *lauka_gate_headline(struct lauka_prose *prose, const struct lauka_result *result)
{
    size_t failed = count_rows(result, LAUKA_GATE_FAIL);
    size_t open = count_rows(result, LAUKA_GATE_INCONCLUSIVE);
    if (result->gate.tried && lauka_result_ended_well(result))
        return say_trial(prose, result);
    const char *early =
        failed == 0 && lauka_result_ended_well(result) ? say_too_early(prose, result) : "";
    if (*early)
        return early;
    const char *text = lauka_say(prose, "gate: %s: %s", lauka_gate_word(result),
                                 state_of(prose, result, failed, open));
    return failed == 0 && open == 0 ? lauka_join(prose, text, "; ", shifts_of(prose, result))
                                    : text;
}
