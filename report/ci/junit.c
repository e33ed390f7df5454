/* The gate's verdicts as JUnit's XML, which Jenkins, GitLab, Buildkite and others show. An exceeded limit
 * is a failure; an inconclusive one is skipped (a failure with --inconclusive=fail); a command that failed
 * is an error, and so is everything else that ended the session before its time. Each named benchmark is a
 * suite; one without a result is an error, with or without limits. */
#include "report/ci/ci.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct counts {
    size_t tests, failures, errors, skipped;
    double seconds;
};

static void put_attribute(const char *name, const char *text, FILE *out)
{
    fprintf(out, " %s=\"", name);
    lauka_xml_text(text, out);
    fputc('"', out);
}

static const char *word_of(const struct lauka_gate_cells *cells)
{
    return cells->text[LAUKA_GATE_CELL_VERDICT];
}

/* When the gate is tried out, what counts is whether it was right. */
static bool is_failure(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    if (row->judgement.verdict == LAUKA_GATE_INCONCLUSIVE)
        return result->gate.policy == LAUKA_POLICY_FAIL;
    return !row->allowance && !lauka_gate_is_as_expected(result, row);
}

static bool is_skipped(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    return row->judgement.verdict == LAUKA_GATE_INCONCLUSIVE && !is_failure(result, row);
}

static struct counts count(const struct lauka_result *result)
{
    struct counts counts = {.tests = result->gate.row_count, .seconds = result->run.seconds};
    for (size_t i = 0; i < result->gate.row_count; i++) {
        const struct lauka_gate_row *row = &result->gate.rows[i];
        counts.failures += is_failure(result, row);
        counts.skipped += is_skipped(result, row);
    }
    counts.errors = (size_t)result->failure.known + lauka_result_tells_ending(result);
    counts.tests += counts.errors;
    return counts;
}

static struct counts count_all(const struct lauka_session *session)
{
    struct counts all = {0};
    for (size_t b = 0; b < session->benchmark_count; b++) {
        struct counts counts = count(&session->benchmarks[b]);
        all.tests += counts.tests;
        all.failures += counts.failures;
        all.errors += counts.errors;
        all.skipped += counts.skipped;
        all.seconds += counts.seconds;
    }
    return all;
}

static void put_counts(const struct counts *counts, FILE *out)
{
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n",
            counts->tests, counts->failures, counts->errors, counts->skipped, counts->seconds);
}

/* GitLab identifies cases by class and name. */
static void put_case(const struct lauka_result *result, size_t command, const char *name, FILE *out)
{
    const char *benchmark = result->benchmark.name;
    fputs("    <testcase", out);
    put_attribute("classname", benchmark ? benchmark : result->commands[command].label, out);
    put_attribute("name", name, out);
    fprintf(out, " time=\"%.3f\"", result->run.seconds);
}

static void put_message(const struct lauka_gate_cells *cells, FILE *out)
{
    fputs(" message=\"", out);
    lauka_xml_text(cells->text[LAUKA_GATE_CELL_CHANGE], out);
    fputs(", limit ", out);
    lauka_xml_text(cells->text[LAUKA_GATE_CELL_LIMIT], out);
    if (*cells->text[LAUKA_GATE_CELL_REMARK])
        fputs("; ", out);
    lauka_xml_text(cells->text[LAUKA_GATE_CELL_REMARK], out);
    fputc('"', out);
}

static void put_mean(const struct lauka_result *result, size_t command, size_t metric, FILE *out)
{
    const double mean = lauka_result_view(result, command, metric).summary->mean;
    const struct lauka_scale scale = lauka_result_scale_of(result, metric, mean, true);
    char number[64], text[80];
    snprintf(text, sizeof text, "%s%s%s", lauka_format_scaled(mean, scale, number, sizeof number),
             *scale.suffix ? " " : "", scale.suffix);
    lauka_xml_text(text, out);
}

static void put_means(const struct lauka_result *result, const struct lauka_gate_row *row,
                      FILE *out)
{
    bool budget = lauka_gate_is_budget(result, row);
    fputs(budget ? "mean " : "means ", out);
    if (!budget) {
        put_mean(result, row->reference, row->metric, out);
        fputs(" and ", out);
    }
    put_mean(result, row->command, row->metric, out);
    fprintf(out, ", %" PRIu64 " rounds", row->judgement.pairs);
}

/* The benchmark is the class: with several sides the name must say which. */
static void put_case_of(const struct lauka_result *result, const struct lauka_gate_row *row,
                        const struct lauka_gate_cells *cells, FILE *out)
{
    char name[3 * LAUKA_GATE_CELL_SIZE];
    bool sides = result->benchmark.name && result->command_count > 2;
    snprintf(name, sizeof name, "%s%s%s%s%s", cells->text[LAUKA_GATE_CELL_METRIC],
             result->gate.tried ? ", " : "",
             result->gate.tried ? cells->text[LAUKA_GATE_CELL_COMMAND] : "", sides ? ", " : "",
             sides ? lauka_result_side(result, row->command) : "");
    put_case(result, row->command, name, out);
}

static void put_row(const struct lauka_result *result, const struct lauka_gate_row *row, FILE *out)
{
    struct lauka_gate_cells cells;
    lauka_gate_row_cells(result, row, true, &cells);
    put_case_of(result, row, &cells, out);
    fputs(">\n", out);
    if (is_failure(result, row)) {
        bool known = row->judgement.verdict != LAUKA_GATE_INCONCLUSIVE;
        bool budget = lauka_gate_is_budget(result, row);
        fprintf(out, "      <failure type=\"%s\"",
                !known   ? "inconclusive"
                : budget ? "budget"
                         : "regression");
        put_message(&cells, out);
        fputs(">", out);
        put_means(result, row, out);
        fputs("</failure>\n", out);
    } else if (is_skipped(result, row)) {
        fputs("      <skipped", out);
        put_message(&cells, out);
        fputs("/>\n", out);
    } else {
        fputs("      <system-out>", out);
        lauka_xml_text(word_of(&cells), out);
        fputs(": ", out);
        lauka_xml_text(cells.text[LAUKA_GATE_CELL_CHANGE], out);
        fputs(", limit ", out);
        lauka_xml_text(cells.text[LAUKA_GATE_CELL_LIMIT], out);
        if (*cells.text[LAUKA_GATE_CELL_REMARK])
            fputs("; ", out);
        lauka_xml_text(cells.text[LAUKA_GATE_CELL_REMARK], out);
        fputs("</system-out>\n", out);
    }
    fputs("    </testcase>\n", out);
}

/* A benchmark that was not measured has a case of its own, whatever the reason. */
static void put_ending(const struct lauka_result *result, FILE *out)
{
    static const char *const types[] = {
        [LAUKA_ENDED_WELL] = "",
        [LAUKA_ENDED_UNMEASURED] = "not measured",
        [LAUKA_ENDED_BY_SIGNAL] = "session interrupted",
        [LAUKA_ENDED_BY_ERROR] = "session ended by an error",
        [LAUKA_ENDED_BY_FAILURE] = "session ended by an error", /* beside the failure */
    };
    const bool missing = lauka_result_ending(result) == LAUKA_ENDED_UNMEASURED;
    if (!lauka_result_tells_ending(result))
        return;
    fputs("    <testcase", out);
    put_attribute("classname", result->benchmark.name ? result->benchmark.name : "lauka", out);
    fprintf(out, " name=\"%s\" time=\"%.3f\">\n      <error type=\"%s\"",
            missing ? "the benchmark is measured" : "the session ends well", result->run.seconds,
            types[lauka_result_ending(result)]);
    put_attribute("message", lauka_result_bad_end(result), out);
    fputs("/>\n    </testcase>\n", out);
}

static void put_failure(const struct lauka_result *result, FILE *out)
{
    const struct lauka_result_failure *failure = &result->failure;
    if (!failure->known)
        return;
    put_case(result, failure->command, "the command runs", out);
    fputs(">\n      <error type=\"command failed\"", out);
    put_attribute("message", failure->reason ? failure->reason : "failed", out);
    fputs(">", out);
    lauka_xml_lines(failure->stderr_tail ? failure->stderr_tail : "", out);
    fputs("</error>\n    </testcase>\n", out);
}

static void put_suite(const struct lauka_result *result, FILE *out)
{
    struct counts counts = count(result);
    fputs("  <testsuite", out);
    put_attribute("name", result->benchmark.name ? result->benchmark.name : "lauka gate", out);
    put_counts(&counts, out);
    put_failure(result, out);
    put_ending(result, out);
    for (size_t i = 0; i < result->gate.row_count; i++)
        put_row(result, &result->gate.rows[i], out);
    fputs("  </testsuite>\n", out);
}

int lauka_write_junit(const struct lauka_session *session, FILE *out)
{
    struct counts counts = count_all(session);
    errno = 0;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lauka\"", out);
    put_counts(&counts, out);
    for (size_t b = 0; b < session->benchmark_count; b++)
        put_suite(&session->benchmarks[b], out);
    fputs("</testsuites>\n", out);
    return lauka_finish(out);
}
