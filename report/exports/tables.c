/* A table of the main metric for documents in AsciiDoc and Org: a row a command, as hyperfine exports it, with
 * the change against the reference. Commands of named benchmarks are called BENCHMARK/SIDE.
 * https://docs.asciidoctor.org/asciidoc/latest/tables/ and https://orgmode.org/manual/Tables.html */
#include "report/exports/exports.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"

#include <ctype.h>
#include <string.h>

/* What differs between the two. */
struct markup {
    const char *begin, *head, *end; /* head: behind the row of titles */
    const char *last;               /* how a row ends */
    const char *(*name)(struct lauka_prose *prose, const char *safe);
};

/* A character reference is the character itself, and never markup. */
static const char *in_asciidoc(struct lauka_prose *prose, const char *safe)
{
    lauka_prose_capture(prose);
    for (; *safe; safe++)
        lauka_put(prose,
                  *safe > ' ' && *safe < 127 && !isalnum((unsigned char)*safe) ? "&#%d;" : "%c",
                  *safe);
    return lauka_prose_captured(prose);
}

/* Verbatim, with entities for what would end that, or the cell. */
static const char *in_org(struct lauka_prose *prose, const char *safe)
{
    if (!strpbrk(safe, "|="))
        return lauka_say(prose, "=%s=", safe);
    lauka_prose_capture(prose);
    for (; *safe; safe++) /* a mark before a space without width marks nothing */
        if (*safe == '|')
            lauka_put(prose, "\\vert{}");
        else
            lauka_put(prose, "%c%s", *safe, strchr("*/_^+~=[]<>\\", *safe) ? "\u200B" : "");
    return lauka_prose_captured(prose);
}

static const struct markup asciidoc = {
    .begin = "[cols=\"<,>,>,>,>,<\",options=\"header\"]\n|===\n",
    .head = "",
    .end = "|===\n",
    .last = "\n",
    .name = in_asciidoc,
};

static const struct markup org = {
    .begin = "",
    .head = "|-\n",
    .end = "",
    .last = " |\n",
    .name = in_org,
};

static const char *safely(const struct markup *markup, struct lauka_prose *prose, const char *text)
{
    return markup->name(prose, lauka_say_safely(prose, text));
}

static void put_row(const struct markup *markup, struct lauka_prose *prose,
                    const struct lauka_result *result, size_t command, const char *name)
{
    const struct lauka_cells cells =
        lauka_result_cells(prose, result, command, lauka_result_main_metric(result));
    const char *mean =
        lauka_join(prose, cells.text[LAUKA_CELL_MEAN], " ± ", cells.text[LAUKA_CELL_DEVIATION]);
    lauka_put(
        prose, "| %s | %s | %s | %s | %s | %s%s", safely(markup, prose, name),
        lauka_with_unit(prose, mean, cells.text[LAUKA_CELL_UNIT]), cells.text[LAUKA_CELL_LEAST],
        cells.text[LAUKA_CELL_MOST],
        lauka_join(prose, cells.text[LAUKA_CELL_CHANGE], " ", cells.text[LAUKA_CELL_INTERVAL]),
        cells.text[LAUKA_CELL_VERDICT], markup->last);
}

/* What a reader must know about a session that did not end well. */
static void put_end(const struct markup *markup, struct lauka_prose *prose,
                    const struct lauka_result *result, const char *const *names)
{
    const struct lauka_result_failure *failure = &result->failure;
    const char *error = lauka_result_error_text(result), *text = lauka_say_ending(prose, result);
    if (failure->known)
        lauka_put(prose, "\n%s %s\n", safely(markup, prose, names[failure->command]),
                  safely(markup, prose, failure->reason ? failure->reason : "failed"));
    if (error)
        lauka_put(prose, "\nThe session was ended by an error: %s\n", safely(markup, prose, error));
    else if (*text && result->benchmark.name)
        lauka_put(prose, "\n%s: %s\n", safely(markup, prose, result->benchmark.name), text);
    else if (*text) /* words of ours */
        lauka_put(prose, "\n%s\n", lauka_say_capital(prose, text));
}

/* Returns 0, ENOMEM or an errno of the output. */
static int write_table(const struct markup *markup, const struct lauka_session *session, FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    const struct lauka_result *first = &session->benchmarks[0];
    const char **names = lauka_say_session_names(&prose, session, 200, "");
    if (!names)
        return lauka_prose_done(&prose);
    lauka_put(&prose, "%s| Command | %s mean ± σ | Min | Max | Change | Verdict%s%s", markup->begin,
              markup->name(&prose, first->metric_count > 0
                                       ? first->metrics[lauka_result_main_metric(first)].name
                                       : ""),
              markup->last, markup->head);
    for (size_t b = 0, at = 0; b < session->benchmark_count; b++)
        for (size_t c = 0; c < session->benchmarks[b].command_count; c++, at++)
            if (session->benchmarks[b].metric_count > 0)
                put_row(markup, &prose, &session->benchmarks[b], c, names[at]);
    lauka_put(&prose, "%s", markup->end);
    for (size_t b = 0, at = 0; b < session->benchmark_count; b++) {
        put_end(markup, &prose, &session->benchmarks[b], names + at);
        at += session->benchmarks[b].command_count;
    }
    return lauka_prose_end(&prose);
}

int lauka_write_asciidoc(const struct lauka_session *session, FILE *out)
{
    return write_table(&asciidoc, session, out);
}

int lauka_write_org(const struct lauka_session *session, FILE *out)
{
    return write_table(&org, session, out);
}
