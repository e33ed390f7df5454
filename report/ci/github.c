/* What GitHub's runner takes from a step: annotations, lines of stdout that begin with ::, and the
 * step's summary. */
#include "report/ci/ci.h"
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANNOTATIONS_MOST = 10 }; /* of each level, which GitHub shows of a step */

/* ---- annotations ---------------------------------------------------------------------------------- */

/* The message of a workflow command: a line, in which % stands for itself no more. */
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

/* A line of this level: "error", "warning". */
static void annotate(const char *level, const char *text, FILE *out)
{
    char *safe = lauka_safe_text(text, true);
    fprintf(out, "::%s title=lauka::", level);
    put_message(safe ? safe : "", out);
    fputc('\n', out);
    free(safe);
}

/* The gate's figures where it has a limit, otherwise those of the table. */
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
    annotate(level, text, out);
}

static void put_failure(const struct lauka_result *result, FILE *out)
{
    const struct lauka_result_failure *failure = &result->failure;
    char name[LAUKA_SUBJECT_SIZE] = "", text[LAUKA_SUBJECT_SIZE + 1024];
    lauka_result_subject(result, failure->command, true, name);
    snprintf(text, sizeof text, "%s %s", name, failure->reason ? failure->reason : "failed");
    annotate("error", text, out);
}

static void put_error(const struct lauka_result *result, FILE *out)
{
    char text[1200];
    snprintf(text, sizeof text, "the session was ended by an error: %.1100s",
             lauka_result_error_text(result));
    annotate("error", text, out);
}

/* Errors first: of what comes later than ten nothing is shown. */
void lauka_write_annotations(const struct lauka_result *result, FILE *out)
{
    static const struct {
        enum lauka_concern concern;
        const char *level;
    } told[] = {{LAUKA_CONCERN_WORSE, "error"}, {LAUKA_CONCERN_UNCLEAR, "warning"}};
    int count = 0;
    if (result->failure.known) {
        put_failure(result, out);
        count++;
    }
    if (result->error.known) {
        put_error(result, out);
        count++;
    }
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        for (size_t c = 1; c < result->command_count; c++)
            for (size_t m = 0; m < result->metric_count && count < ANNOTATIONS_MOST; m++)
                if (lauka_concern_of(result, c, m) == told[i].concern) {
                    bool fails =
                        result->gate.policy == LAUKA_POLICY_FAIL && lauka_gate_row_of(result, c, m);
                    put_comparison(result, c, m, fails ? "error" : told[i].level, out);
                    count++;
                }
}

/* ---- the summary ---------------------------------------------------------------------------------- */

typedef int writer(const struct lauka_result *, FILE *);

/* Writes it only where it has room. */
static int write_within(writer *write, const struct lauka_result *result, size_t room,
                        bool *written, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return ENOMEM;
    int error = write(result, memory);
    if (fclose(memory) != 0 && !error)
        error = ENOMEM;
    *written = !error && size <= room;
    if (*written)
        fputs(text, out);
    free(text);
    return error;
}

int lauka_write_step_summary(const struct lauka_result *result, size_t room, FILE *out)
{
    bool failed = result->failure.known || result->error.known || result->run.rounds == 0;
    bool written = false;
    errno = 0;
    int error = failed ? 0 : write_within(lauka_write_markdown, result, room, &written, out);
    if (!error && !written)
        error = write_within(lauka_write_pr_comment, result, room, &written, out);
    if (!error && !written)
        error = EFBIG;
    return error ? error : lauka_finish(out);
}
