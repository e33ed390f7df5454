/* The parts of a comment on a pull request: what comes before the table, and what is folded. */
#include "report/ci/pr_comment.h"
#include "report/analysis/analysis.h"
#include "report/markdown/markdown.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/measured.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <string.h>

/* Escaped, because other people's text could contain markup. */
static const char *noun_of(struct lauka_prose *prose, const struct lauka_result *result,
                           size_t metric)
{
    const char *noun = lauka_metric_noun(result->metrics[metric].name);
    return lauka_markdown_prose(prose, *noun ? noun : result->metrics[metric].name);
}

/* ---- the heading ------------------------------------------------------------------------------- */

static const char *say_change(struct lauka_prose *prose, const struct lauka_result *result,
                              size_t command, size_t metric)
{
    struct lauka_result_view view = lauka_result_view(result, command, metric);
    struct lauka_change change =
        lauka_change(prose, view.comparison, lauka_result_scale(result, metric, true));
    const char *estimate = *change.estimate ? lauka_say(prose, " **%s**", change.estimate) : "";
    return lauka_say(prose, "%s %s%s%s%s", lauka_markdown_name(prose, result, command, false),
                     noun_of(prose, result, metric), estimate, *change.interval ? " " : "",
                     change.interval);
}

/* "memory **+94.1 %** [+93.4, +94.8], limit 5 % and 1 MiB"; of several the first three, and how many they are. */
static const char *say_exceeded(struct lauka_prose *prose, const struct lauka_result *result,
                                const struct lauka_exceeded *limits)
{
    enum { MOST = 3 };
    const char *text = "", *end;
    for (size_t i = 0; i < limits->count && i < MOST; i++) {
        const struct lauka_gate_row *row = limits->rows[i];
        const struct lauka_change change = lauka_gate_row_change(prose, result, row);
        const char *of = "", *topic = lauka_limit_topic(prose, result, row);
        if (result->command_count > 2)
            of =
                lauka_say(prose, " of %s", lauka_markdown_name(prose, result, row->command, false));
        const char *said = lauka_say(prose, "%s%s **%s**", lauka_markdown_prose(prose, topic), of,
                                     lauka_markdown_unbroken(prose, change.estimate));
        text = lauka_join(prose, text, ", ",
                          i > 0 ? said : lauka_join(prose, said, " ", change.interval));
    }
    if (limits->count > 1)
        end =
            lauka_say(prose, ": %zu of %zu limits exceeded", limits->count, result->gate.row_count);
    else
        end = lauka_say(
            prose, ", limit %s",
            lauka_gate_row_cells(prose, result, limits->rows[0]).text[LAUKA_GATE_CELL_LIMIT]);
    return lauka_say(prose, "%s%s", text, end);
}

static const char *word_of(enum lauka_concern concern, bool gated)
{
    switch (concern) {
    case LAUKA_CONCERN_WORSE:
        return gated ? "regression" : "worse";
    case LAUKA_CONCERN_UNCLEAR:
        return "inconclusive";
    case LAUKA_CONCERN_CHANGED:
        return gated ? "changed, but within the limits" : "changed";
    case LAUKA_CONCERN_BETTER:
        return "better";
    case LAUKA_CONCERN_NONE:
    case LAUKA_CONCERN_FAILED:
        break;
    }
    return gated ? "within the limits" : "no change that matters";
}

/* The gate's own figures: those of its statistic, with its confidence. */
static const char *say_limit(struct lauka_prose *prose, const struct lauka_result *result,
                             const struct lauka_gate_row *row)
{
    struct lauka_gate_cells cells = lauka_gate_row_cells(prose, result, row);
    return lauka_say(prose, "%s %s **%s**, limit %s",
                     lauka_markdown_name(prose, result, row->command, false),
                     lauka_markdown_prose(prose, cells.text[LAUKA_GATE_CELL_METRIC]),
                     cells.text[LAUKA_GATE_CELL_CHANGE], cells.text[LAUKA_GATE_CELL_LIMIT]);
}

/* Of several commands the last: it is what was to be compared. */
static const char *say_alone(struct lauka_prose *prose, const struct lauka_result *result)
{
    if (result->command_count == 0 || result->run.rounds == 0)
        return "nothing was measured";
    const size_t command =
        result->command_count > 1 && !result->run.noise ? result->command_count - 1 : 0;
    const char *name = lauka_markdown_name(prose, result, command, false);
    return lauka_result_has_noise(result)
               ? lauka_noise_sentence(prose, result, lauka_result_main_metric(result), name)
               : lauka_result_sentence_about(prose, result, command, name, "");
}

const char *lauka_comment_heading(struct lauka_prose *prose, const struct lauka_result *result,
                                  const struct lauka_concerns *concerns)
{
    const enum lauka_concern worst = concerns->worst;
    if (worst == LAUKA_CONCERN_FAILED)
        return lauka_say(prose, "lauka: %s", lauka_markdown_ending(prose, result, false));
    if (concerns->judged == 0 || result->run.noise) {
        const char *undecided = worst != LAUKA_CONCERN_UNCLEAR  ? ""
                                : lauka_result_has_gate(result) ? lauka_gate_headline(prose, result)
                                                                : "nothing was compared";
        return lauka_say(prose, "lauka: %s%s%s", undecided, *undecided ? ". " : "",
                         say_alone(prose, result));
    }
    const struct lauka_gate_row *row =
        lauka_gate_row_of(result, concerns->command, concerns->metric);
    bool gated = lauka_result_has_gate(result) && !(row && row->allowance);
    const struct lauka_exceeded exceeded = lauka_exceeded_limits(prose, result, LAUKA_EACH_COMMAND);
    if (exceeded.count > 0 && !result->gate.tried && result->gate.halves == 0)
        return lauka_say(prose, "lauka: %s%s",
                         lauka_gate_is_budget(result, exceeded.rows[0]) ? "over budget: " : "",
                         say_exceeded(prose, result, &exceeded));
    bool failure =
        row && worst == LAUKA_CONCERN_UNCLEAR && result->gate.policy == LAUKA_POLICY_FAIL;
    const char *number = "";
    if (concerns->judged > 1 && worst != LAUKA_CONCERN_NONE)
        number = lauka_say(prose, " in %zu of %zu", concerns->count, concerns->judged);
    return lauka_say(prose, "lauka: %s%s%s. %s", word_of(worst, gated), number,
                     failure ? ", which counts as a failure" : "",
                     row ? say_limit(prose, result, row)
                         : say_change(prose, result, concerns->command, concerns->metric));
}

/* ---- the setting ------------------------------------------------------------------------------- */

/* The command whose changes in the main metric are hardest to see. */
static struct lauka_optional noise_floor(const struct lauka_result *result, size_t metric)
{
    struct lauka_optional floor = {0};
    for (size_t c = 1; c < result->command_count; c++) {
        struct lauka_optional smallest =
            lauka_smallest_change(lauka_result_comparison(result, c, metric));
        if (smallest.known && smallest.value > floor.value)
            floor = smallest;
    }
    return floor;
}

static void put_floor(struct lauka_prose *prose, const struct lauka_result *result)
{
    size_t metric = lauka_result_main_metric(result);
    if (metric >= result->metric_count || result->run.noise)
        return;
    struct lauka_optional floor = noise_floor(result, metric);
    if (!floor.known || floor.value < 1e-6 || floor.value > 10) /* says nothing to anybody */
        return;
    lauka_put(prose, " Noise floor: changes of %s under %s cannot be relied on to show here.",
              noun_of(prose, result, metric),
              lauka_markdown_unbroken(prose, lauka_say_share_roughly(prose, floor.value)));
}

static const char *say_percent(struct lauka_prose *prose, double share)
{
    return lauka_say(prose, "%.3g", 100 * share);
}

/* Nothing where it is that of all others. */
static const char *say_confidence_of_limits(struct lauka_prose *prose,
                                            const struct lauka_result *result)
{
    const char *all = say_percent(prose, lauka_result_confidence(result));
    const char *limits = say_percent(prose, 1 - lauka_gate_alpha(result));
    return result->gate.row_count == 0 || strcmp(all, limits) == 0
               ? ""
               : lauka_say(prose, ", of limits with %s\u00A0%%", limits);
}

void lauka_comment_setting(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct lauka_result_run *run = &result->run;
    bool stored = run->stopped == LAUKA_STOPPED_STORED;
    lauka_put(prose, "%" PRIu64 " %s%s%s", run->rounds,
              run->unpaired || stored ? "" : "interleaved ", stored ? "value" : "round",
              lauka_plural(run->rounds));
    if (lauka_result_has_hosts(result))
        lauka_put(prose, " on %zu\u00A0hosts", result->merged.host_count);
    else if (result->host.os)
        lauka_put(prose, " on one host");
    lauka_put(prose, ". Mean ± σ; intervals with %s\u00A0%% confidence",
              say_percent(prose, lauka_result_confidence(result)));
    lauka_put(prose, "%s.", say_confidence_of_limits(prose, result));
    put_floor(prose, result);
    lauka_put(prose, "\n");
}

/* ---- what to do -------------------------------------------------------------------------------- */

/* As a code block, or nothing if the words are not known. A single line cannot close the fence. */
static void put_command(struct lauka_prose *prose, const struct lauka_result *result)
{
    const char *command = lauka_say_reproduction(prose, result);
    if (*command)
        lauka_put(prose, "To reproduce:\n\n```sh\n%s\n```\n",
                  lauka_say_fitted(prose, command, 1000));
    else
        lauka_put(prose, "\n");
}

/* What made it end, or what there was. */
static const char *option_for_more(struct lauka_prose *prose, const struct lauka_result *result)
{
    return result->run.stopped == LAUKA_STOPPED_ROUNDS ? "--runs"
                                                       : lauka_time_for(prose, result, 1).option;
}

/* NULL if everything was counted. What is missing, more rounds would not count either. */
static const char *reason_of(const struct lauka_result *result,
                             const struct lauka_concerns *concerns,
                             const struct lauka_gate_row *row)
{
    bool budget = lauka_gate_is_budget(result, row);
    size_t reference = budget ? row->command : row ? row->reference : 0, metric = concerns->metric;
    return lauka_result_is_partial(result, reference, metric) ||
                   lauka_result_is_partial(result, concerns->command, metric)
               ? lauka_partial_reason(result, reference, concerns->command)
               : NULL;
}

/* What the gate's row itself says about it takes precedence. */
static const char *say_wait(struct lauka_prose *prose, const struct lauka_result *result,
                            const struct lauka_concerns *concerns)
{
    const struct lauka_gate_row *row =
        lauka_gate_row_of(result, concerns->command, concerns->metric);
    size_t metric = 0;
    struct lauka_optional more = lauka_result_seconds_missing(result, &metric);
    const char *reason = reason_of(result, concerns, row), *option = option_for_more(prose, result);
    if (reason)
        return lauka_say(prose, "follow the notes: %s; more rounds would not change that.", reason);
    if (!row && more.known)
        return lauka_say(prose,
                         "let it measure longer: about %s more (`%s`) would reach ±%s in %s, or "
                         "use a quieter machine.",
                         lauka_say_wait(prose, more.value), option,
                         lauka_say_share(prose, lauka_result_precision(result)),
                         lauka_metric_noun(result->metrics[metric].name));
    const char *what = "measure more values, or on a quieter machine", *remark = "";
    if (lauka_concern_lacks_values(result))
        what = "compare the percentiles, or fewer values";
    else if (result->run.stopped != LAUKA_STOPPED_STORED)
        what = lauka_say(prose, "measure more rounds (`%s`), or on a quieter machine", option);
    if (row)
        remark = lauka_gate_row_cells(prose, result, row).text[LAUKA_GATE_CELL_REMARK];
    return lauka_say(prose, "%s%s%s.", what, row ? ": " : "", lauka_markdown_prose(prose, remark));
}

/* For a session that did not end well. */
static const char *say_repair(const struct lauka_result *result)
{
    if (result->failure.known && result->failure.outside_rounds && result->run.rounds > 0)
        return "make its cleanup succeed, and run it again.";
    if (result->failure.known)
        return "make the command succeed; nothing after its failure was measured.";
    if (lauka_result_ending(result) != LAUKA_ENDED_BY_ERROR)
        return "run it again, and let it end by itself: it is not known what the rounds that are "
               "missing would have shown.";
    return "fix what the error names, and run it again; nothing after it was measured.";
}

/* Of what a limit failed on, the first that functions explain: not memory. SIZE_MAX: none. */
static size_t explained_command(struct lauka_prose *prose, const struct lauka_result *result,
                                const struct lauka_concerns *concerns)
{
    const struct lauka_exceeded limits = lauka_exceeded_limits(prose, result, LAUKA_EACH_COMMAND);
    for (size_t i = 0; i < limits.count; i++)
        if (strcmp(result->metrics[limits.rows[i]->metric].name, "peak_rss") != 0)
            return limits.rows[i]->command;
    return limits.count > 0 ? SIZE_MAX : concerns->command;
}

/* The function that is known to cost most, or the command that finds it. Nothing of stored values. */
static const char *say_how(struct lauka_prose *prose, const struct lauka_result *result,
                           const struct lauka_concerns *concerns)
{
    const char *place, *name;
    const size_t command = explained_command(prose, result, concerns);
    if (command == SIZE_MAX || result->run.stopped == LAUKA_STOPPED_STORED ||
        result->command_count < 2)
        return "";
    name = lauka_why_function(prose, result, command, &place);
    if (!*name)
        return " (`lauka why` with the same commands names the functions)";
    name = lauka_markdown_code(prose, name, false);
    place = *place ? lauka_markdown_code(prose, place, false) : "";
    return lauka_say(prose, ", mostly in %s", lauka_join(prose, name, ", ", place));
}

/* Also for a gate that was tried out, and was wrong. */
static const char *say_worse(struct lauka_prose *prose, const struct lauka_result *result,
                             const struct lauka_concerns *concerns)
{
    if (result->gate.tried)
        return lauka_say(prose,
                         "give the gate a wider limit, more rounds (`%s`) or a quieter machine.",
                         option_for_more(prose, result));
    const bool budget = lauka_gate_is_budget(
        result, lauka_gate_row_of(result, concerns->command, concerns->metric));
    return lauka_say(prose, "find what costs %s%s, or say in the pull request why %s.",
                     budget ? "so much" : "more", say_how(prose, result, concerns),
                     budget ? "the budget may grow" : "it is worth it");
}

static const char *say_next(struct lauka_prose *prose, const struct lauka_result *result,
                            const struct lauka_concerns *concerns)
{
    switch (concerns->worst) {
    case LAUKA_CONCERN_FAILED:
        return say_repair(result);
    case LAUKA_CONCERN_WORSE:
        return say_worse(prose, result, concerns);
    case LAUKA_CONCERN_UNCLEAR:
        return concerns->judged == 0 ? "find out why there is nothing to judge: the notes may tell."
                                     : say_wait(prose, result, concerns);
    case LAUKA_CONCERN_CHANGED:
        return "check whether this change was intended.";
    case LAUKA_CONCERN_BETTER:
    case LAUKA_CONCERN_NONE:
        break;
    }
    return "none.";
}

void lauka_comment_next_step(struct lauka_prose *prose, const struct lauka_result *result,
                             const struct lauka_concerns *concerns)
{
    lauka_put(prose, "**Next step:** %s ", say_next(prose, result, concerns));
    put_command(prose, result);
    lauka_put(prose, "\n");
}

/* ---- the environment ---------------------------------------------------------------------------- */

static void put_commands(struct lauka_prose *prose, const struct lauka_result *result)
{
    for (size_t c = 0; c < result->command_count; c++) {
        const char *path = result->commands[c].path;
        lauka_put(prose, "| %zu%s | %s%s%s |\n", c + 1, c == 0 ? " (reference)" : "",
                  lauka_markdown_whole(prose, result, c, true), path ? ", runs " : "",
                  path ? lauka_markdown_code(prose, path, true) : "");
    }
}

/* Of several machines those whose results are shown. */
static void put_machine(struct lauka_prose *prose, const struct lauka_result *result)
{
    struct lauka_machine_fact fact = {0};
    while (fact.place < LAUKA_HOSTS_SHOWN && lauka_next_machine(prose, result, &fact))
        lauka_put(prose, "| %s | %s |\n", lauka_markdown_prose(prose, fact.name),
                  lauka_markdown_prose(prose, fact.value));
}

static void put_options(struct lauka_prose *prose, const struct lauka_result *result)
{
    for (size_t i = 0; i < result->option_count; i++) {
        const struct lauka_result_option *option = &result->options[i];
        lauka_put(prose, "| `--%s` | %s%s |\n", option->name,
                  option->value ? lauka_markdown_code(prose, option->value, true) : "given",
                  option->given ? "" : " (default)");
    }
}

void lauka_comment_session(struct lauka_prose *prose, const struct lauka_result *result)
{
    lauka_put(prose, "<details><summary>Machine, settings, how to reproduce</summary>\n\n");
    put_command(prose, result);
    lauka_put(prose, "\n| | |\n|:--|:--|\n");
    put_machine(prose, result);
    put_options(prose, result);
    lauka_put(prose, "\n</details>\n");
}

void lauka_comment_environment(struct lauka_prose *prose, const struct lauka_result *result)
{
    lauka_put(prose, "<details><summary>Commands, host, settings, notes</summary>\n\n"
                     "| | |\n|:--|:--|\n");
    put_commands(prose, result);
    put_machine(prose, result);
    put_options(prose, result);
    lauka_put(prose, "\n");
    if (result->run.rounds > 0)
        lauka_markdown_notes(prose, result);
    if (result->run.alpha > 0) /* something was begun */
        lauka_put(prose, "%s\n\n", lauka_result_course(prose, result));
    lauka_put(prose, "</details>\n");
}
