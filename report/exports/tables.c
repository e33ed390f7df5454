/* A table of the main metric for documents in AsciiDoc and Org: a row a command, as hyperfine exports it, with
 * the change against the reference. Commands of named benchmarks are called BENCHMARK/SIDE.
 * https://docs.asciidoctor.org/asciidoc/latest/tables/ and https://orgmode.org/manual/Tables.html */
#include "report/exports/exports.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What differs between the two. */
struct markup {
    const char *begin, *head, *row, *end; /* head: behind the row of titles; row: how each begins */
    const char *last;                     /* how a row ends */
    void (*put_name)(const char *safe, FILE *out);
};

/* A character reference is the character itself, and never markup. */
static void put_asciidoc(const char *safe, FILE *out)
{
    for (; *safe; safe++)
        if (*safe > ' ' && *safe < 127 && !isalnum((unsigned char)*safe))
            fprintf(out, "&#%d;", *safe);
        else
            fputc(*safe, out);
}

/* Verbatim, with entities for what would end that, or the cell. */
static void put_org(const char *safe, FILE *out)
{
    if (!strpbrk(safe, "|=")) {
        fprintf(out, "=%s=", safe);
        return;
    }
    for (; *safe; safe++)
        if (*safe == '|')
            fputs("\\vert{}", out);
        else if (strchr("*/_^+~=[]<>\\", *safe))
            fprintf(out, "%c\u200B", *safe); /* a mark before a space without width marks nothing */
        else
            fputc(*safe, out);
}

static const struct markup asciidoc = {
    .begin = "[cols=\"<,>,>,>,>,<\",options=\"header\"]\n|===\n",
    .head = "",
    .row = "| ",
    .end = "|===\n",
    .last = "\n",
    .put_name = put_asciidoc,
};

static const struct markup org = {
    .begin = "",
    .head = "|-\n",
    .row = "| ",
    .end = "",
    .last = " |\n",
    .put_name = put_org,
};

static void put_safely(const struct markup *markup, const char *text, FILE *out)
{
    char *safe = lauka_safe_text(text, true);

    markup->put_name(safe ? safe : "?", out);
    free(safe);
}

static void put_titles(const struct markup *markup, const struct lauka_result *result, FILE *out)
{
    const char *metric = "";

    if (result->metric_count > 0)
        metric = result->metrics[lauka_result_main_metric(result)].name;
    fprintf(out, "%s%sCommand | ", markup->begin, markup->row);
    markup->put_name(metric, out);
    fprintf(out, " mean ± σ | Min | Max | Change | Verdict%s%s", markup->last, markup->head);
}

static void put_row(const struct markup *markup, const struct lauka_result *result, size_t command,
                    const char *name, FILE *out)
{
    struct lauka_cells cells;

    lauka_result_cells(result, command, lauka_result_main_metric(result), true, &cells);
    const char *unit = cells.text[LAUKA_CELL_UNIT];
    fputs(markup->row, out);
    put_safely(markup, name, out);
    fprintf(out, " | %s", cells.text[LAUKA_CELL_MEAN]);
    if (*cells.text[LAUKA_CELL_DEVIATION])
        fprintf(out, " ± %s", cells.text[LAUKA_CELL_DEVIATION]);
    fprintf(out, "%s%s | %s | %s | %s%s%s | %s%s", *unit ? " " : "", unit,
            cells.text[LAUKA_CELL_LEAST], cells.text[LAUKA_CELL_MOST],
            cells.text[LAUKA_CELL_CHANGE], *cells.text[LAUKA_CELL_INTERVAL] ? " " : "",
            cells.text[LAUKA_CELL_INTERVAL], cells.text[LAUKA_CELL_VERDICT], markup->last);
}

/* What a reader must know about a session that did not end well. */
static void put_end(const struct markup *markup, const struct lauka_result *result,
                    const char *const *names, FILE *out)
{
    const struct lauka_result_failure *failure = &result->failure;
    const char *error = lauka_result_error_text(result);
    char text[2048];

    if (failure->known) {
        fputc('\n', out);
        put_safely(markup, names[failure->command], out);
        fputc(' ', out);
        put_safely(markup, failure->reason ? failure->reason : "failed", out);
        fputc('\n', out);
    }
    if (error) {
        fputs("\nThe session was ended by an error: ", out);
        put_safely(markup, error, out);
        fputc('\n', out);
    } else if (*lauka_result_ending_sentence(result, text, sizeof text)) {
        fputc('\n', out);
        if (result->benchmark.name) {
            put_safely(markup, result->benchmark.name, out);
            fprintf(out, ": %s\n", text); /* words of ours */
        } else {
            fprintf(out, "%c%s\n", toupper((unsigned char)text[0]), text + 1);
        }
    }
}

/* Returns 0, ENOMEM or an errno of the output. */
static int write_table(const struct markup *markup, const struct lauka_session *session, FILE *out)
{
    char **names = lauka_session_unique_names(session, 200, "");

    if (!names)
        return ENOMEM;
    put_titles(markup, &session->benchmarks[0], out);
    for (size_t b = 0, at = 0; b < session->benchmark_count; b++)
        for (size_t c = 0; c < session->benchmarks[b].command_count; c++, at++)
            if (session->benchmarks[b].metric_count > 0)
                put_row(markup, &session->benchmarks[b], c, names[at], out);
    fputs(markup->end, out);
    for (size_t b = 0, at = 0; b < session->benchmark_count; b++) {
        put_end(markup, &session->benchmarks[b], (const char *const *)names + at, out);
        at += session->benchmarks[b].command_count;
    }
    lauka_strings_free(names);
    errno = 0;
    return lauka_finish(out);
}

int lauka_write_asciidoc(const struct lauka_session *session, FILE *out)
{
    return write_table(&asciidoc, session, out);
}

int lauka_write_org(const struct lauka_session *session, FILE *out)
{
    return write_table(&org, session, out);
}
