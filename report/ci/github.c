/* What GitHub's runner reads from a step: annotations, which are lines of stdout that begin with ::, and
 * the step's summary. */
#include "report/ci/ci.h"
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ANNOTATIONS_MOST = 10 }; /* of each level are what GitHub shows of a step */

/* ---- annotations ---------------------------------------------------------------------------------- */

/* The annotations of a step under way. */
struct told {
    struct lauka_prose *prose;
    int errors, warnings; /* so many of each level, also those that have no line any more */
};

/* The message of a workflow command: one line in which % is escaped. */
static void put_message(struct lauka_prose *prose, const char *text)
{
    for (; *text; text++)
        if (strchr("%\r\n", *text))
            lauka_put(prose, "%%%02X", (unsigned)*text);
        else
            lauka_put(prose, "%c", *text);
}

/* A line of this level, "error" or "warning", about a benchmark; NULL: about all. Nothing if there are as many as are shown. */
static void annotate(struct told *told, const char *benchmark, const char *level, const char *text)
{
    struct lauka_prose *prose = told->prose;
    int *count = strcmp(level, "error") == 0 ? &told->errors : &told->warnings;
    if (++*count > ANNOTATIONS_MOST)
        return;
    lauka_put(prose, "::%s title=lauka::", level);
    if (benchmark)
        put_message(prose, lauka_say(prose, "%s: ", lauka_say_fitted(prose, benchmark, 60)));
    put_message(prose, lauka_say_safely(prose, text));
    lauka_put(prose, "\n");
}

/* The gate's figures if it has a limit, otherwise those of the table. */
static const char *say_comparison(struct lauka_prose *prose, const struct lauka_result *result,
                                  size_t command, size_t metric)
{
    const struct lauka_gate_row *row = lauka_gate_row_of(result, command, metric);
    const char *name = lauka_say_whole_subject(prose, result, command);
    if (row) {
        struct lauka_gate_cells limit = lauka_gate_row_cells(prose, result, row);
        const char *text =
            lauka_say(prose, "%s: %s %s, limit %s: %s", name, limit.text[LAUKA_GATE_CELL_METRIC],
                      limit.text[LAUKA_GATE_CELL_CHANGE], limit.text[LAUKA_GATE_CELL_LIMIT],
                      limit.text[LAUKA_GATE_CELL_VERDICT]);
        return result->gate.tried
                   ? lauka_join(prose, text, "; ", limit.text[LAUKA_GATE_CELL_REMARK])
                   : text;
    }
    struct lauka_cells cells = lauka_result_cells(prose, result, command, metric);
    if (lauka_concern_lacks_values(result))
        return lauka_say(prose, "%s: %s is not judged, as single values were not kept", name,
                         cells.text[LAUKA_CELL_NAME]);
    return lauka_say(prose, "%s: %s %s %s, %s", name, cells.text[LAUKA_CELL_NAME],
                     cells.text[LAUKA_CELL_CHANGE], cells.text[LAUKA_CELL_INTERVAL],
                     cells.text[LAUKA_CELL_VERDICT]);
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

static void tell_comparison(struct told *told, const struct lauka_result *result, size_t command,
                            size_t metric)
{
    const char *level = level_of(result, command, metric);
    if (level)
        annotate(told, result->benchmark.name, level,
                 say_comparison(told->prose, result, command, metric));
}

/* A benchmark that was not measured, or ended early. Of a signal, which ends all of many, one line tells. */
static void tell_broken(struct told *told, const struct lauka_result *result, bool one)
{
    const struct lauka_result_failure *failure = &result->failure;
    if (failure->known)
        annotate(told, result->benchmark.name, "error",
                 lauka_say(told->prose, "%s %s",
                           lauka_say_whole_subject(told->prose, result, failure->command),
                           failure->reason ? failure->reason : "failed"));
    if ((one || lauka_result_ending(result) != LAUKA_ENDED_BY_SIGNAL) &&
        lauka_result_tells_ending(result))
        annotate(told, result->benchmark.name, "error", lauka_say_ending(told->prose, result));
}

/* Errors first: nothing is shown after the tenth line. */
static void tell_one(struct told *told, const struct lauka_result *result)
{
    static const enum lauka_concern concerns[] = {LAUKA_CONCERN_WORSE, LAUKA_CONCERN_UNCLEAR};
    tell_broken(told, result, true);
    for (size_t i = 0; i < sizeof concerns / sizeof *concerns; i++)
        for (size_t c = lauka_concern_first(result); c < result->command_count; c++)
            for (size_t m = 0; m < result->metric_count; m++)
                if (lauka_concern_of(result, c, m) == concerns[i] &&
                    told->errors + told->warnings < ANNOTATIONS_MOST)
                    tell_comparison(told, result, c, m);
}

/* What the benchmark has besides the comparison that was shown already. */
static void tell_others(struct told *told, const struct lauka_result *result,
                        const struct lauka_overview_row *row)
{
    for (size_t c = 0; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            if (c != row->command || m != row->metric)
                tell_comparison(told, result, c, m);
}

/* One line for each benchmark, the worst first; then whatever fits. */
static void tell_many(struct told *told, const struct lauka_session *session)
{
    const struct lauka_overview overview = lauka_overview(told->prose, session);
    const char *interruption = lauka_overview_interruption(told->prose, &overview);
    bool gated = lauka_session_has_gate(session);
    if (*interruption)
        annotate(told, NULL, "error", interruption);
    for (int others = 0; others <= 1; others++)
        for (size_t i = 0; i < overview.count; i++) {
            const struct lauka_overview_row *row = &overview.rows[i];
            const struct lauka_result *result = lauka_overview_result(&overview, row);
            if (row->standing <= LAUKA_STANDING_MISSING && !others)
                tell_broken(told, result, false);
            else if (gated && !row->gate) /* it decides nothing */
                continue;
            else if (others)
                tell_others(told, result, row);
            else if (row->command > 0 || row->gate)
                tell_comparison(told, result, row->command, row->metric);
        }
}

void lauka_write_annotations(const struct lauka_session *session, FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    struct told told = {.prose = &prose};
    if (lauka_session_is_named(session))
        tell_many(&told, session);
    else
        tell_one(&told, session->benchmarks);
    lauka_prose_done(&prose);
}

/* ---- the summary ---------------------------------------------------------------------------------- */

typedef int writer(const struct lauka_session *, FILE *);

static int write_comment(const struct lauka_session *session, FILE *out)
{
    return lauka_write_pr_comment(session, NULL, out);
}

static int write_page(const struct lauka_session *session, FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    lauka_markdown_facts(&prose, session);
    lauka_markdown_benchmark(&prose, session->benchmarks);
    return lauka_prose_end(&prose);
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
                    : write_within(write_page, session, room, &written, out);
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
