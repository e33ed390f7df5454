/* Commands that execute the same bytes: a difference between them is not their own. */
#include "report/words/words.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "stats/stats.h"

bool lauka_result_is_same(const struct lauka_result *result, size_t command)
{
    return command > 0 && command < result->command_count && result->commands[command].is_same &&
           !result->run.noise;
}

/* Whether people are told of a difference from the reference. */
static bool differs(const struct lauka_result *result, size_t command)
{
    for (size_t m = 0; m < result->metric_count; m++) {
        const struct lauka_comparison *one = lauka_result_comparison(result, command, m);
        if (lauka_is_clear(one) && lauka_result_is_shown(result, m))
            return true;
    }
    for (size_t i = 0; i < result->gate.row_count; i++)
        if (result->gate.rows[i].command == command &&
            result->gate.rows[i].judgement.verdict == LAUKA_GATE_FAIL)
            return true;
    return false;
}

/* For the two commands: why they were not both read again, if so. */
static enum lauka_placement placement_of(const struct lauka_result *result, size_t command)
{
    enum lauka_placement own = result->commands[command].executable.placement;
    return own == LAUKA_PLACEMENT_REREAD ? result->commands[0].executable.placement : own;
}

const char *lauka_placement_advice(const struct lauka_result *result, size_t command)
{
    static const char *const advice[] = {
        [LAUKA_PLACEMENT_REREAD] = "lauka read both again, and cannot see whether that was enough",
        [LAUKA_PLACEMENT_KEPT] = "without --placement=keep, lauka places both alike",
        [LAUKA_PLACEMENT_SHARED] = NULL,
        [LAUKA_PLACEMENT_MEMORY] = "copy both in the same way, as they are in memory only",
        [LAUKA_PLACEMENT_UNREADABLE] = "let lauka read both, so that it can place them alike",
        [LAUKA_PLACEMENT_LONG] = "with a longer --max-time, lauka places both alike",
        [LAUKA_PLACEMENT_UNSUPPORTED] =
            "copy both in the same way, as nobody can change that on this system",
    };
    return advice[placement_of(result, command)];
}

const char *lauka_same_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command, const char *name, const char *reference_name)
{
    if (!lauka_result_is_same(result, command))
        return "";
    bool different = differs(result, command);
    const char *advice = different ? lauka_placement_advice(result, command) : NULL;
    const char *text = lauka_say(
        prose, "%s and %s are the same bytes with the same arguments%s", reference_name, name,
        different ? ": a difference comes from the machine, or from a file that lauka does not see."
                  : ".");
    return advice ? lauka_say(prose, "%s The two files may lie differently in the page cache; %s.",
                              text, advice)
                  : text;
}

/* ---- many benchmarks ------------------------------------------------------------------------------ */

static bool has_same(const struct lauka_result *result)
{
    size_t c = 1;
    while (c < result->command_count && !lauka_result_is_same(result, c))
        c++;
    return c < result->command_count;
}

/* " (parse, render and 3 more)" */
static const char *names_of_same(struct lauka_prose *prose, const struct lauka_session *session,
                                 size_t count)
{
    enum { MOST = 3 };
    size_t named = 0;
    const char *text = "";
    for (size_t b = 0; b < session->benchmark_count && named < MOST; b++) {
        const char *name = session->benchmarks[b].benchmark.name;
        if (!has_same(&session->benchmarks[b]))
            continue;
        text = lauka_join(prose, text, ", ", name ? name : "?");
        named++;
    }
    return count > MOST ? lauka_say(prose, " (%s and %zu more)", text, count - MOST)
                        : lauka_say(prose, " (%s)", text);
}

const char *lauka_same_overview(struct lauka_prose *prose, const struct lauka_session *session)
{
    size_t count = 0;
    for (size_t b = 0; b < session->benchmark_count; b++)
        count += has_same(&session->benchmarks[b]);
    if (count == 0)
        return "";
    return lauka_say(
        prose,
        "In %zu of %zu benchmarks%s sides are the same bytes with the same arguments: a difference "
        "comes from the machine, or from a file that lauka does not see.",
        count, session->benchmark_count,
        count < session->benchmark_count ? names_of_same(prose, session, count) : "");
}
