/* Commands that execute the same bytes: what differs between them is not theirs. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "stats/stats.h"

#include <stdio.h>
#include <string.h>

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
        if (one && lauka_result_is_shown(result, m) &&
            (one->verdict == LAUKA_VERDICT_HIGHER || one->verdict == LAUKA_VERDICT_LOWER))
            return true;
    }
    for (size_t i = 0; i < result->gate.row_count; i++)
        if (result->gate.rows[i].command == command &&
            result->gate.rows[i].judgement.verdict == LAUKA_GATE_FAIL)
            return true;
    return false;
}

bool lauka_same_sentence(const struct lauka_result *result, size_t command, const char *name,
                         const char *reference_name, char *text, size_t size)
{
    text[0] = 0;
    if (!lauka_result_is_same(result, command))
        return false;
    snprintf(text, size, "%s and %s are the same bytes with the same arguments%s", reference_name,
             name,
             differs(result, command) ? ": a difference is the machine's, or that of a file that "
                                        "lauka does not see."
                                      : ".");
    return true;
}
