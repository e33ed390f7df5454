/* The parts of a comment on a pull request: what comes before the table, and what is folded. */
#include "report/ci/pr_comment.h"
#include "report/analysis/analysis.h"
#include "report/markdown/markdown.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/text/prose.h"
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
        return lauka_say(prose, "lauka: %s", lauka_markdown_ending(prose, result));
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
    bool over = worst == LAUKA_CONCERN_WORSE && lauka_gate_is_budget(result, row);
    bool failure =
        row && worst == LAUKA_CONCERN_UNCLEAR && result->gate.policy == LAUKA_POLICY_FAIL;
    const char *number = "";
    if (concerns->judged > 1 && worst != LAUKA_CONCERN_NONE)
        number = lauka_say(prose, " in %zu of %zu", concerns->count, concerns->judged);
    return lauka_say(prose, "lauka: %s%s%s. %s", over ? "over budget" : word_of(worst, gated),
                     number, failure ? ", which counts as a failure" : "",
                     row ? say_limit(prose, result, row)
                         : say_change(prose, result, concerns->command, concerns->metric));
}

/* ---- the setting ------------------------------------------------------------------------------- */

static const char *say_host(struct lauka_prose *prose, const struct lauka_result_host *host)
{
    const char *processor = host->cpu_model ? host->cpu_model : host->arch ? host->arch : "";
    const char *cpus = "";
    if (host->cpu_count > 0)
        cpus = lauka_say(prose, ", %" PRIu64 "\u00A0CPU%s", host->cpu_count,
                         lauka_plural(host->cpu_count));
    return lauka_say(prose, "%s%s", lauka_markdown_prose(prose, processor), cpus);
}

/* "3 hosts (AMD EPYC, 2 CPUs)": what they are only if it is the same. */
static const char *say_hosts(struct lauka_prose *prose, const struct lauka_result *result)
{
    const char *hosts = lauka_say(prose, "%zu\u00A0hosts", result->merged.host_count);
    return lauka_hosts_are_alike(result)
               ? lauka_say(prose, "%s (%s)", hosts, say_host(prose, result->merged.hosts[0].about))
               : hosts;
}

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

void lauka_comment_setting(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct lauka_result_run *run = &result->run;
    bool stored = run->stopped == LAUKA_STOPPED_STORED;
    lauka_put(prose, "%" PRIu64 " %s%s%s", run->rounds,
              run->unpaired || stored ? "" : "interleaved ", stored ? "value" : "round",
              lauka_plural(run->rounds));
    if (lauka_result_has_hosts(result))
        lauka_put(prose, " on %s", say_hosts(prose, result));
    else if (result->host.os)
        lauka_put(prose, " on one host, %s", say_host(prose, &result->host));
    lauka_put(prose, ". Mean ± σ; intervals with %.3g\u00A0%% confidence",
              100 * lauka_result_confidence(result));
    if (result->gate.row_count > 0)
        lauka_put(prose, ", where there is a limit with %.3g\u00A0%%",
                  100 * (1 - lauka_gate_alpha(result)));
    lauka_put(prose, ".");
    put_floor(prose, result);
    lauka_put(prose, "\n");
}

/* ---- what to do -------------------------------------------------------------------------------- */

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* POSIX.1-2024, 2.2.4: keeps it one line, and visible. */
static void put_dollar_quoted(struct lauka_prose *prose, const char *word)
{
    lauka_put(prose, "$'");
    for (; *word; word++)
        if (*word == '\n' || *word == '\t')
            lauka_put(prose, "\\%c", *word == '\n' ? 'n' : 't');
        else if (is_control(*word))
            lauka_put(prose, "\\%03o", (unsigned)*word);
        else
            lauka_put(prose, *word == '\'' || *word == '\\' ? "\\%c" : "%c", *word);
    lauka_put(prose, "'");
}

/* Quoted for a POSIX shell; unchanged if nothing in it is special. */
static void put_word(struct lauka_prose *prose, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./:=@%+,-";
    bool controls = false;
    for (const char *c = word; *c; c++)
        controls |= is_control(*c);
    if (*word && word[strspn(word, plain)] == 0) {
        lauka_put(prose, "%s", word);
    } else if (controls) {
        put_dollar_quoted(prose, word);
    } else {
        lauka_put(prose, "'");
        for (; *word; word++)
            lauka_put(prose, *word == '\'' ? "'\\''" : "%c", *word);
        lauka_put(prose, "'");
    }
}

/* As a code block, or nothing if the words are not known. A single line cannot close the fence. */
static void put_command(struct lauka_prose *prose, const struct lauka_result *result)
{
    if (!result->reproduce) {
        lauka_put(prose, "\n");
        return;
    }
    lauka_prose_capture(prose);
    lauka_put(prose, "lauka");
    for (char **word = result->reproduce; *word; word++) {
        lauka_put(prose, " ");
        put_word(prose, *word);
    }
    lauka_put(prose, "To reproduce:\n\n```sh\n%s\n```\n",
              lauka_say_fitted(prose, lauka_prose_captured(prose), 1000));
}

/* What made it end, or what there was. */
static const char *option_for_more(const struct lauka_result *result)
{
    return result->run.stopped == LAUKA_STOPPED_ROUNDS ? "--runs" : "--max-time";
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
    const char *reason = reason_of(result, concerns, row), *option = option_for_more(result);
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

/* Also for a gate that was tried out, and was wrong. */
static const char *say_worse(struct lauka_prose *prose, const struct lauka_result *result,
                             const struct lauka_concerns *concerns)
{
    if (result->gate.tried)
        return lauka_say(prose,
                         "give the gate a wider limit, more rounds (`%s`) or a quieter machine.",
                         option_for_more(result));
    return lauka_gate_is_budget(result,
                                lauka_gate_row_of(result, concerns->command, concerns->metric))
               ? "find what costs so much, or say in the pull request why the budget may grow."
               : "find what costs more, or say in the pull request why it is worth it.";
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

static void put_pair(struct lauka_prose *prose, const char *key, const char *value)
{
    if (value)
        lauka_put(prose, "| %s | %s |\n", key, lauka_markdown_code(prose, value, true));
}

static void put_commands(struct lauka_prose *prose, const struct lauka_result *result)
{
    for (size_t c = 0; c < result->command_count; c++) {
        const char *path = result->commands[c].path;
        lauka_put(prose, "| %zu%s | %s%s%s |\n", c + 1, c == 0 ? " (reference)" : "",
                  lauka_markdown_whole(prose, result, c, true), path ? ", runs " : "",
                  path ? lauka_markdown_code(prose, path, true) : "");
    }
}

/* A line for each of those whose results are shown. */
static void put_each_machine(struct lauka_prose *prose, const struct lauka_result *result)
{
    for (size_t h = 0; h < result->merged.host_count && h < LAUKA_HOSTS_SHOWN; h++) {
        const struct lauka_merged_host *host = &result->merged.hosts[h];
        lauka_put(prose, "| Host %s | %s |\n", lauka_markdown_code(prose, host->name, true),
                  lauka_markdown_prose(prose, lauka_machine_facts(prose, host->about)));
    }
}

static void put_machine(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct lauka_result_host *host = &result->host;
    if (lauka_result_has_hosts(result)) {
        put_each_machine(prose, result);
        return;
    }
    put_pair(prose, "Processor", host->cpu_model);
    put_pair(prose, "System", host->os);
    put_pair(prose, "Kernel", host->kernel);
    put_pair(prose, "Architecture", host->arch);
    put_pair(prose, "Governor", host->governor);
    if (host->cpu_count > 0)
        lauka_put(prose, "| CPUs | %" PRIu64 " |\n", host->cpu_count);
    if (host->memory_bytes > 0)
        lauka_put(prose, "| Memory | %s |\n",
                  lauka_markdown_unbroken(prose, lauka_memory_of(prose, host)));
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

/* Accepts only addresses that a reader may safely follow. */
static bool is_address(const char *url)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-._~:/?#@!$&+,;=%";
    return (strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0) &&
           url[strspn(url, plain)] == 0;
}

static const char *say_job(struct lauka_prose *prose, const struct lauka_result_provenance *from)
{
    const char *job =
        lauka_join(prose, "job", " ", lauka_markdown_prose(prose, from->job ? from->job : ""));
    return from->url && is_address(from->url) ? lauka_say(prose, "[%s](%s)", job, from->url) : job;
}

/* Begins with a word of ours, so that no line begins with someone else's text. */
static const char *say_commit(struct lauka_prose *prose, const struct lauka_result_provenance *from)
{
    const char *branch = "", *commit = lauka_say(prose, "%.10s", from->commit);
    if (from->branch)
        branch = lauka_say(prose, " (%s)", lauka_markdown_prose(prose, from->branch));
    return lauka_say(prose, "commit %s%s%s", lauka_markdown_code(prose, commit, false), branch,
                     from->dirty.known && from->dirty.value > 0 ? ", with changes" : "");
}

void lauka_comment_origin(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct lauka_result_provenance *from = &result->provenance;
    const char *date = from->begin ? from->begin : from->end;
    const bool labels = from->label_count > 0;
    lauka_put(prose, "\nMeasured");
    for (size_t i = 0; i < from->label_count; i++) /* base 1a2b3c4 */
        lauka_put(prose, "%s%s %s", i == 0 ? " with " : " · ",
                  lauka_markdown_prose(prose, from->labels[i].name),
                  lauka_markdown_prose(prose, from->labels[i].value));
    lauka_put(prose, labels ? " ·" : "");
    if (from->commit)
        lauka_put(prose, "%s%s ·", labels ? " " : " at ", say_commit(prose, from));
    if (from->job || (from->url && is_address(from->url)))
        lauka_put(prose, " in %s ·", say_job(prose, from));
    if (date)
        lauka_put(prose, " %s ·", lauka_markdown_prose(prose, date));
    if (lauka_result_has_hosts(result))
        lauka_put(prose, " on %s.\n", say_hosts(prose, result));
    else if (result->host.os)
        lauka_put(prose, " on %s, %s.\n", say_host(prose, &result->host),
                  lauka_markdown_prose(prose, result->host.os));
    else
        lauka_put(prose, " on an unknown host.\n");
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
