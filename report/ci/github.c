/* What GitHub's runner reads from a step: annotations, which are lines of stdout that begin with ::, and
 * the step's summary. */
#include "report/ci/ci.h"
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANNOTATIONS_MOST = 10 }; /* of each level are what GitHub shows of a step */

/* ---- annotations ---------------------------------------------------------------------------------- */

/* The message of a workflow command: one line in which % is escaped. */
static void put_message(const char *text, FILE *out)
{
    for (; *text; text++)
        if (*text == '%')
            fputs("%25", out);
        else if (*text == '\r')
            fputs("%0D", out);
        else if (*text == '\n')
            fputs("%0A", out);
        else
            fputc(*text, out);
}

/* A line of this level, "error" or "warning", about a benchmark. */
static void annotate(const struct lauka_result *result, const char *level, const char *text,
                     FILE *out)
{
    char *safe = lauka_safe_text(text, true);
    char *name = result->benchmark.name ? lauka_fit_text(result->benchmark.name, 60, true) : NULL;
    fprintf(out, "::%s title=lauka::", level);
    put_message(name ? name : "", out);
    fputs(name ? ": " : "", out);
    put_message(safe ? safe : "", out);
    fputc('\n', out);
    free(name);
    free(safe);
}

/* The gate's figures if it has a limit, otherwise those of the table. */
static void put_comparison(const struct lauka_result *result, size_t command, size_t metric,
                           const char *level, FILE *out)
{
    char name[LAUKA_SUBJECT_SIZE], text[LAUKA_SUBJECT_SIZE + 4 * LAUKA_GATE_CELL_SIZE];
    const struct lauka_gate_row *row = lauka_gate_row_of(result, command, metric);
    struct lauka_gate_cells limit;
    struct lauka_cells cells;
    lauka_result_subject(result, command, true, name);
    lauka_result_cells(result, command, metric, true, &cells);
    if (row) {
        lauka_gate_row_cells(result, row, true, &limit);
        const char *remark = result->gate.tried ? limit.text[LAUKA_GATE_CELL_REMARK] : "";
        snprintf(text, sizeof text, "%s: %s %s, limit %s: %s%s%s", name,
                 limit.text[LAUKA_GATE_CELL_METRIC], limit.text[LAUKA_GATE_CELL_CHANGE],
                 limit.text[LAUKA_GATE_CELL_LIMIT], limit.text[LAUKA_GATE_CELL_VERDICT],
                 *remark ? "; " : "", remark);
    } else if (lauka_concern_lacks_values(result)) {
        snprintf(text, sizeof text, "%s: %s is not judged, as single values were not kept", name,
                 cells.text[LAUKA_CELL_NAME]);
    } else {
        snprintf(text, sizeof text, "%s: %s %s %s, %s", name, cells.text[LAUKA_CELL_NAME],
                 cells.text[LAUKA_CELL_CHANGE], cells.text[LAUKA_CELL_INTERVAL],
                 cells.text[LAUKA_CELL_VERDICT]);
    }
    annotate(result, level, text, out);
}

static void put_failure(const struct lauka_result *result, FILE *out)
{
    const struct lauka_result_failure *failure = &result->failure;
    char name[LAUKA_SUBJECT_SIZE] = "", text[LAUKA_SUBJECT_SIZE + 1024];
    lauka_result_subject(result, failure->command, true, name);
    snprintf(text, sizeof text, "%s %s", name, failure->reason ? failure->reason : "failed");
    annotate(result, "error", text, out);
}

static void put_ending(const struct lauka_result *result, FILE *out)
{
    char text[1200];
    annotate(result, "error", lauka_result_ending_sentence(result, text, sizeof text), out);
}

/* What is said about a comparison; NULL: nothing. Static. */
static const char *level_of(const struct lauka_result *result, size_t command, size_t metric)
{
    enum lauka_concern concern = lauka_concern_of(result, command, metric);
    bool fails =
        result->gate.policy == LAUKA_POLICY_FAIL && lauka_gate_row_of(result, command, metric);
    return concern == LAUKA_CONCERN_WORSE     ? "error"
           : concern == LAUKA_CONCERN_UNCLEAR ? fails ? "error" : "warning"
                                              : NULL;
}

/* Errors first: nothing is shown after the tenth line. */
static void annotate_one(const struct lauka_result *result, FILE *out)
{
    static const enum lauka_concern told[] = {LAUKA_CONCERN_WORSE, LAUKA_CONCERN_UNCLEAR};
    int count = 0;
    if (result->failure.known) {
        put_failure(result, out);
        count++;
    }
    if (lauka_result_tells_ending(result)) {
        put_ending(result, out);
        count++;
    }
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        for (size_t c = lauka_concern_first(result); c < result->command_count; c++)
            for (size_t m = 0; m < result->metric_count && count < ANNOTATIONS_MOST; m++)
                if (lauka_concern_of(result, c, m) == told[i]) {
                    put_comparison(result, c, m, level_of(result, c, m), out);
                    count++;
                }
}

/* ---- annotations of several benchmarks ------------------------------------------------------------ */

struct told { /* so many lines of each level */
    int errors, warnings;
    FILE *out;
};

static bool is_room(struct told *told, const char *level)
{
    int *count = strcmp(level, "error") == 0 ? &told->errors : &told->warnings;
    return *count < ANNOTATIONS_MOST && ++*count > 0;
}

/* A benchmark that was not measured, or ended early. Of a signal, which ends all of them, one line tells. */
static void tell_broken(const struct lauka_result *result, struct told *told)
{
    if (result->failure.known && is_room(told, "error"))
        put_failure(result, told->out);
    if (lauka_result_ending(result) != LAUKA_ENDED_BY_SIGNAL && lauka_result_tells_ending(result) &&
        is_room(told, "error"))
        put_ending(result, told->out);
}

static void tell_comparison(const struct lauka_result *result, size_t command, size_t metric,
                            struct told *told)
{
    const char *level = level_of(result, command, metric);
    if (level && is_room(told, level))
        put_comparison(result, command, metric, level, told->out);
}

static void tell_signal(const struct lauka_overview *overview, struct told *told)
{
    struct lauka_result nobody = {0};
    char text[200];
    if (lauka_overview_interruption(overview, text, sizeof text) && is_room(told, "error"))
        annotate(&nobody, "error", text, told->out);
}

/* What the benchmark has besides the comparison that was shown already. */
static void tell_others(const struct lauka_result *result, const struct lauka_overview_row *row,
                        struct told *told)
{
    for (size_t c = 0; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            if (c != row->command || m != row->metric)
                tell_comparison(result, c, m, told);
}

/* One line for each benchmark, the worst first; then whatever fits. */
void lauka_write_annotations(const struct lauka_session *session, FILE *out)
{
    struct told told = {.out = out};
    struct lauka_overview overview;
    bool gated = lauka_session_has_gate(session);
    if (!lauka_session_is_named(session)) {
        annotate_one(session->benchmarks, out);
        return;
    }
    if (lauka_overview_make(session, &overview) != 0)
        return;
    tell_signal(&overview, &told);
    for (int others = 0; others <= 1; others++)
        for (size_t i = 0; i < overview.count; i++) {
            const struct lauka_overview_row *row = &overview.rows[i];
            const struct lauka_result *result = lauka_overview_result(&overview, row);
            if (row->standing <= LAUKA_STANDING_MISSING && !others)
                tell_broken(result, &told);
            else if (gated && !row->gate) /* it decides nothing */
                continue;
            else if (others)
                tell_others(result, row, &told);
            else if (row->command > 0 || row->gate)
                tell_comparison(result, row->command, row->metric, &told);
        }
    lauka_overview_done(&overview);
}

/* ---- the summary ---------------------------------------------------------------------------------- */

typedef int writer(const struct lauka_session *, FILE *);

static int write_comment(const struct lauka_session *session, FILE *out)
{
    return lauka_write_pr_comment(session, NULL, out);
}

/* Writes it only if there is room. */
static int write_within(writer *write, const struct lauka_session *session, size_t room,
                        bool *written, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return ENOMEM;
    int error = write(session, memory);
    if (fclose(memory) != 0 && !error)
        error = ENOMEM;
    *written = !error && size <= room;
    if (*written)
        fputs(text, out);
    free(text);
    return error;
}

static int write_one(const struct lauka_session *session, size_t room, FILE *out)
{
    bool written = false;
    errno = 0;
    int error = !lauka_result_ended_well(session->benchmarks)
                    ? 0
                    : write_within(lauka_write_markdown, session, room, &written, out);
    if (!error && !written)
        error = write_within(write_comment, session, room, &written, out);
    if (!error && !written)
        error = EFBIG;
    return error ? error : lauka_finish(out);
}

int lauka_write_step_summary(const struct lauka_session *session, size_t room, FILE *out)
{
    return session->benchmark_count > 1 ? lauka_write_markdown_within(session, room, out)
                                        : write_one(session, room, out);
}
