/* The parts of a comment on a pull request: what comes before the table, and what is folded. */
#include "report/ci/pr_comment.h"
#include "report/analysis/analysis.h"
#include "report/markdown/markdown.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Escaped, because other people's text could contain markup. */
static void put_noun(const struct lauka_result *result, size_t metric, FILE *out)
{
    const char *noun = lauka_metric_noun(result->metrics[metric].name);
    lauka_markdown_prose(*noun ? noun : result->metrics[metric].name, out);
}

/* ---- the heading ------------------------------------------------------------------------------- */

static void put_change(const struct lauka_result *result, size_t command, size_t metric, FILE *out)
{
    struct lauka_result_view view = lauka_result_view(result, command, metric);
    struct lauka_change change;
    lauka_change_format(view.comparison, lauka_result_scale(result, metric, true), true, &change);
    lauka_markdown_put_name(result, command, false, out);
    fputc(' ', out);
    put_noun(result, metric, out);
    if (*change.estimate)
        fprintf(out, " **%s**", change.estimate);
    if (*change.interval)
        fprintf(out, " %s", change.interval);
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
static void put_limit(const struct lauka_result *result, const struct lauka_gate_row *row,
                      FILE *out)
{
    struct lauka_gate_cells cells;
    lauka_gate_row_cells(result, row, true, &cells);
    lauka_markdown_put_name(result, row->command, false, out);
    fputc(' ', out);
    lauka_markdown_prose(cells.text[LAUKA_GATE_CELL_METRIC], out);
    fprintf(out, " **%s**, limit %s", cells.text[LAUKA_GATE_CELL_CHANGE],
            cells.text[LAUKA_GATE_CELL_LIMIT]);
}

/* Of several commands the last: it is what was to be compared. */
static void put_alone(const struct lauka_result *result, FILE *out)
{
    char text[1024];
    const size_t command =
        result->command_count > 1 && !result->run.noise ? result->command_count - 1 : 0;
    char *name = result->command_count > 0 ? lauka_markdown_name(result, command, false) : NULL;
    if (result->command_count == 0 || result->run.rounds == 0)
        fputs("nothing was measured", out);
    else if (lauka_result_has_noise(result))
        lauka_noise_sentence(result, lauka_result_main_metric(result), name ? name : "?", true,
                             text, sizeof text);
    else
        lauka_result_sentence_about(result, command, name ? name : "?", "", true, text,
                                    sizeof text);
    if (result->command_count > 0 && result->run.rounds > 0)
        fputs(text, out);
    free(name);
}

/* Where nothing was judged that was to be. */
static void put_undecided(const struct lauka_result *result, const struct lauka_concerns *concerns,
                          FILE *out)
{
    char text[1024];
    if (concerns->worst != LAUKA_CONCERN_UNCLEAR)
        return;
    if (lauka_result_has_gate(result))
        lauka_gate_headline(result, true, text, sizeof text);
    else
        snprintf(text, sizeof text, "nothing was compared");
    fprintf(out, "%s. ", text);
}

void lauka_comment_heading(const struct lauka_result *result, const struct lauka_concerns *concerns,
                           FILE *out)
{
    fputs("lauka: ", out);
    if (concerns->worst == LAUKA_CONCERN_FAILED) {
        lauka_markdown_ending(result, out);
    } else if (concerns->judged == 0 || result->run.noise) {
        put_undecided(result, concerns, out);
        put_alone(result, out);
    } else {
        const struct lauka_gate_row *row =
            lauka_gate_row_of(result, concerns->command, concerns->metric);
        bool gated = lauka_result_has_gate(result) && !(row && row->allowance);
        bool over = concerns->worst == LAUKA_CONCERN_WORSE && lauka_gate_is_budget(result, row);
        fputs(over ? "over budget" : word_of(concerns->worst, gated), out);
        if (concerns->judged > 1 && concerns->worst != LAUKA_CONCERN_NONE)
            fprintf(out, " in %zu of %zu", concerns->count, concerns->judged);
        if (row && concerns->worst == LAUKA_CONCERN_UNCLEAR &&
            result->gate.policy == LAUKA_POLICY_FAIL)
            fputs(", which counts as a failure", out);
        fputs(". ", out);
        if (row)
            put_limit(result, row, out);
        else
            put_change(result, concerns->command, concerns->metric, out);
    }
}

/* ---- the setting ------------------------------------------------------------------------------- */

static void put_host(const struct lauka_result_host *host, FILE *out)
{
    if (host->cpu_model)
        lauka_markdown_prose(host->cpu_model, out);
    else if (host->arch)
        lauka_markdown_prose(host->arch, out);
    if (host->cpu_count > 0)
        fprintf(out, ", %" PRIu64 "\u00A0CPU%s", host->cpu_count, host->cpu_count == 1 ? "" : "s");
}

/* "3 hosts (AMD EPYC, 2 CPUs)": what they are only if it is the same. */
static void put_hosts(const struct lauka_result *result, FILE *out)
{
    fprintf(out, "%zu\u00A0hosts", result->merged.host_count);
    if (!lauka_hosts_are_alike(result))
        return;
    fputs(" (", out);
    put_host(result->merged.hosts[0].about, out);
    fputc(')', out);
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

static void put_floor(const struct lauka_result *result, FILE *out)
{
    size_t metric = lauka_result_main_metric(result);
    if (metric >= result->metric_count || result->run.noise)
        return;
    struct lauka_optional floor = noise_floor(result, metric);
    if (!floor.known || floor.value < 1e-6 || floor.value > 10) /* says nothing to anybody */
        return;
    fprintf(out, " Noise floor: changes of ");
    put_noun(result, metric, out);
    char share[32];
    lauka_format_share_roughly(floor.value, share, sizeof share);
    fprintf(out, " under %.*s\u00A0%% cannot be relied on to show here.", (int)strcspn(share, " "),
            share);
}

void lauka_comment_setting(const struct lauka_result *result, FILE *out)
{
    const struct lauka_result_run *run = &result->run;
    bool stored = run->stopped == LAUKA_STOPPED_STORED;
    fprintf(out, "%" PRIu64 " %s%s%s", run->rounds, run->unpaired || stored ? "" : "interleaved ",
            stored ? "value" : "round", run->rounds == 1 ? "" : "s");
    if (lauka_result_has_hosts(result)) {
        fputs(" on ", out);
        put_hosts(result, out);
    } else if (result->host.os) {
        fputs(" on one host, ", out);
        put_host(&result->host, out);
    }
    fprintf(out, ". Mean ± σ; intervals with %.3g\u00A0%% confidence",
            100 * lauka_result_confidence(result));
    if (result->gate.row_count > 0)
        fprintf(out, ", where there is a limit with %.3g\u00A0%%",
                100 * (1 - lauka_gate_alpha(result)));
    fputs(".", out);
    put_floor(result, out);
    fputs("\n", out);
}

/* ---- what to do -------------------------------------------------------------------------------- */

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* POSIX.1-2024, 2.2.4: keeps it one line, and visible. */
static void put_dollar_quoted(const char *word, FILE *out)
{
    fputs("$'", out);
    for (; *word; word++)
        if (*word == '\n' || *word == '\t')
            fputs(*word == '\n' ? "\\n" : "\\t", out);
        else if (is_control(*word))
            fprintf(out, "\\%03o", (unsigned)*word);
        else
            fprintf(out, *word == '\'' || *word == '\\' ? "\\%c" : "%c", *word);
    fputc('\'', out);
}

/* Quoted for a POSIX shell; unchanged if nothing in it is special. */
static void put_word(const char *word, FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./:=@%+,-";
    if (*word && word[strspn(word, plain)] == 0) {
        fputs(word, out);
        return;
    }
    for (const char *c = word; *c; c++)
        if (is_control(*c)) {
            put_dollar_quoted(word, out);
            return;
        }
    fputc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, out);
    fputc('\'', out);
}

/* As a code block, or nothing if the words are not known. A single line cannot close the fence. */
static void put_command(const struct lauka_result *result, FILE *out)
{
    char *line = NULL;
    size_t size = 0;
    FILE *memory = result->reproduce ? open_memstream(&line, &size) : NULL;
    if (!memory) {
        fputc('\n', out);
        return;
    }
    fputs("lauka", memory);
    for (char **word = result->reproduce; *word; word++) {
        fputc(' ', memory);
        put_word(*word, memory);
    }
    fclose(memory);
    char *fitted = line ? lauka_fit_text(line, 1000, true) : NULL;
    if (fitted)
        fprintf(out, "To reproduce:\n\n```sh\n%s\n```\n", fitted);
    free(fitted);
    free(line);
}

/* What made it end, or what there was. */
static const char *option_for_more(const struct lauka_result *result)
{
    return result->run.stopped == LAUKA_STOPPED_ROUNDS ? "--runs" : "--max-time";
}

/* False if everything was counted. What is missing, more rounds would not count either. */
static bool put_part(const struct lauka_result *result, const struct lauka_concerns *concerns,
                     const struct lauka_gate_row *row, FILE *out)
{
    bool budget = lauka_gate_is_budget(result, row);
    size_t reference = budget ? row->command : row ? row->reference : 0, metric = concerns->metric;
    if (!lauka_result_is_partial(result, reference, metric) &&
        !lauka_result_is_partial(result, concerns->command, metric))
        return false;
    fprintf(out, "follow the notes: %s; more rounds would not change that.",
            lauka_partial_reason(result, reference, concerns->command));
    return true;
}

/* What the gate's row itself says about it takes precedence. */
static void put_wait(const struct lauka_result *result, const struct lauka_concerns *concerns,
                     FILE *out)
{
    const struct lauka_gate_row *row =
        lauka_gate_row_of(result, concerns->command, concerns->metric);
    size_t metric = 0;
    struct lauka_optional more = lauka_result_seconds_missing(result, &metric);
    struct lauka_gate_cells cells;
    char wait[32], share[32];
    if (put_part(result, concerns, row, out))
        return;
    if (!row && more.known) {
        fprintf(out,
                "let it measure longer: about %s more (`%s`) would reach ±%s in %s, or use a "
                "quieter machine.",
                lauka_format_wait(more.value, wait, sizeof wait), option_for_more(result),
                lauka_format_share(lauka_result_precision(result), share, sizeof share),
                lauka_metric_noun(result->metrics[metric].name));
        return;
    }
    if (lauka_concern_lacks_values(result))
        fputs("compare the percentiles, or fewer values", out);
    else if (result->run.stopped == LAUKA_STOPPED_STORED)
        fputs("measure more values, or on a quieter machine", out);
    else
        fprintf(out, "measure more rounds (`%s`), or on a quieter machine",
                option_for_more(result));
    if (row) {
        lauka_gate_row_cells(result, row, true, &cells);
        fputs(": ", out);
        lauka_markdown_prose(cells.text[LAUKA_GATE_CELL_REMARK], out);
    }
    fputc('.', out);
}

/* For a gate that was tried out, and was wrong. */
static void put_advice(const struct lauka_result *result, FILE *out)
{
    fprintf(out, "give the gate a wider limit, more rounds (`%s`) or a quieter machine.",
            option_for_more(result));
}

/* For a session that did not end well. */
static void put_repair(const struct lauka_result *result, FILE *out)
{
    if (result->failure.known && result->failure.outside_rounds && result->run.rounds > 0)
        fputs("make its cleanup succeed, and run it again.", out);
    else if (result->failure.known)
        fputs("make the command succeed; nothing after its failure was measured.", out);
    else if (lauka_result_ending(result) != LAUKA_ENDED_BY_ERROR)
        fputs("run it again, and let it end by itself: it is not known what the rounds that are "
              "missing would have shown.",
              out);
    else
        fputs("fix what the error names, and run it again; nothing after it was measured.", out);
}

void lauka_comment_next_step(const struct lauka_result *result,
                             const struct lauka_concerns *concerns, FILE *out)
{
    fputs("**Next step:** ", out);
    switch (concerns->worst) {
    case LAUKA_CONCERN_FAILED:
        put_repair(result, out);
        break;
    case LAUKA_CONCERN_WORSE:
        if (result->gate.tried)
            put_advice(result, out);
        else if (lauka_gate_is_budget(
                     result, lauka_gate_row_of(result, concerns->command, concerns->metric)))
            fputs("find what costs so much, or say in the pull request why the budget may grow.",
                  out);
        else
            fputs("find what costs more, or say in the pull request why it is worth it.", out);
        break;
    case LAUKA_CONCERN_UNCLEAR:
        if (concerns->judged == 0)
            fputs("find out why there is nothing to judge: the notes may tell.", out);
        else
            put_wait(result, concerns, out);
        break;
    case LAUKA_CONCERN_CHANGED:
        fputs("check whether this change was intended.", out);
        break;
    case LAUKA_CONCERN_BETTER:
    case LAUKA_CONCERN_NONE:
        fputs("none.", out);
        break;
    }
    fputc(' ', out);
    put_command(result, out);
    fputs("\n", out);
}

/* ---- the environment ---------------------------------------------------------------------------- */

static void put_pair(const char *key, const char *value, FILE *out)
{
    if (!value)
        return;
    fprintf(out, "| %s | ", key);
    lauka_markdown_put_code(value, true, out);
    fputs(" |\n", out);
}

static void put_commands(const struct lauka_result *result, FILE *out)
{
    for (size_t c = 0; c < result->command_count; c++) {
        fprintf(out, "| %zu%s | ", c + 1, c == 0 ? " (reference)" : "");
        lauka_markdown_put_name(result, c, true, out);
        if (result->commands[c].path) {
            fputs(", runs ", out);
            lauka_markdown_put_code(result->commands[c].path, true, out);
        }
        fputs(" |\n", out);
    }
}

/* A line for each of those whose results are shown. */
static void put_each_machine(const struct lauka_result *result, FILE *out)
{
    for (size_t h = 0; h < result->merged.host_count && h < LAUKA_HOSTS_SHOWN; h++) {
        const struct lauka_merged_host *host = &result->merged.hosts[h];
        char facts[600];
        lauka_machine_facts(host->about, true, facts, sizeof facts);
        fputs("| Host ", out);
        lauka_markdown_put_code(host->name, true, out);
        fputs(" | ", out);
        lauka_markdown_prose(facts, out);
        fputs(" |\n", out);
    }
}

static void put_machine(const struct lauka_result *result, FILE *out)
{
    const struct lauka_result_host *host = &result->host;
    char number[40];
    if (lauka_result_has_hosts(result)) {
        put_each_machine(result, out);
        return;
    }
    put_pair("Processor", host->cpu_model, out);
    put_pair("System", host->os, out);
    put_pair("Kernel", host->kernel, out);
    put_pair("Architecture", host->arch, out);
    put_pair("Governor", host->governor, out);
    if (host->cpu_count > 0)
        fprintf(out, "| CPUs | %" PRIu64 " |\n", host->cpu_count);
    if (host->memory_bytes > 0) {
        struct lauka_scale scale = lauka_scale_for((double)host->memory_bytes, "B", true);
        fprintf(out, "| Memory | %s\u00A0%s |\n",
                lauka_format_scaled((double)host->memory_bytes, scale, number, sizeof number),
                scale.suffix);
    }
}

static void put_options(const struct lauka_result *result, FILE *out)
{
    for (size_t i = 0; i < result->option_count; i++) {
        const struct lauka_result_option *option = &result->options[i];
        fprintf(out, "| `--%s` | ", option->name);
        if (option->value)
            lauka_markdown_put_code(option->value, true, out);
        else
            fputs("given", out);
        fprintf(out, "%s |\n", option->given ? "" : " (default)");
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

static void put_job(const struct lauka_result_provenance *from, FILE *out)
{
    bool linked = from->url && is_address(from->url);
    fputs(linked ? "[job" : "job", out);
    fputs(from->job ? " " : "", out);
    lauka_markdown_prose(from->job ? from->job : "", out);
    if (linked)
        fprintf(out, "](%s)", from->url);
}

/* Begins with a word of ours, so that no line begins with someone else's text. */
static void put_commit(const struct lauka_result_provenance *from, FILE *out)
{
    char commit[16];
    snprintf(commit, sizeof commit, "%.10s", from->commit);
    fputs("commit ", out);
    lauka_markdown_put_code(commit, false, out);
    if (from->branch) {
        fputs(" (", out);
        lauka_markdown_prose(from->branch, out);
        fputc(')', out);
    }
    if (from->dirty.known && from->dirty.value > 0)
        fputs(", with changes", out);
}

void lauka_comment_origin(const struct lauka_result *result, FILE *out)
{
    const struct lauka_result_provenance *from = &result->provenance;
    const char *date = from->begin ? from->begin : from->end;
    fputs("\nMeasured", out);
    for (size_t i = 0; i < from->label_count; i++) { /* base 1a2b3c4 */
        fputs(i == 0 ? " with " : " · ", out);
        lauka_markdown_prose(from->labels[i].name, out);
        fputc(' ', out);
        lauka_markdown_prose(from->labels[i].value, out);
    }
    fputs(from->label_count > 0 ? " ·" : "", out);
    if (from->commit) {
        fputs(from->label_count > 0 ? " " : " at ", out);
        put_commit(from, out);
        fputs(" ·", out);
    }
    if (from->job || (from->url && is_address(from->url))) {
        fputs(" in ", out);
        put_job(from, out);
        fputs(" ·", out);
    }
    if (date) {
        fputc(' ', out);
        lauka_markdown_prose(date, out);
        fputs(" ·", out);
    }
    fputs(" on ", out);
    if (lauka_result_has_hosts(result)) {
        put_hosts(result, out);
    } else if (result->host.os) {
        put_host(&result->host, out);
        fputs(", ", out);
        lauka_markdown_prose(result->host.os, out);
    } else {
        fputs("an unknown host", out);
    }
    fputs(".\n", out);
}

void lauka_comment_session(const struct lauka_result *result, FILE *out)
{
    fputs("<details><summary>Machine, settings, how to reproduce</summary>\n\n", out);
    put_command(result, out);
    fputs("\n| | |\n|:--|:--|\n", out);
    put_machine(result, out);
    put_options(result, out);
    fputs("\n</details>\n", out);
}

void lauka_comment_environment(const struct lauka_result *result, FILE *out)
{
    char course[512];
    fputs("<details><summary>Commands, host, settings, notes</summary>\n\n", out);
    fputs("| | |\n|:--|:--|\n", out);
    put_commands(result, out);
    put_machine(result, out);
    put_options(result, out);
    fputc('\n', out);
    if (result->run.rounds > 0)
        lauka_markdown_notes(result, out);
    lauka_result_course(result, true, course, sizeof course);
    if (result->run.alpha > 0) /* something was begun */
        fprintf(out, "%s\n\n", course);
    fputs("</details>\n", out);
}
