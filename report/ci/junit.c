/* The gate's verdicts as JUnit's XML, which Jenkins, GitLab, Buildkite and others show. An exceeded limit
 * is a failure; an inconclusive one is skipped (a failure with --inconclusive=fail); a command that failed
 * is an error, and so is everything else that ended the session before its time. Each named benchmark is a
 * suite; one without a result is an error, with or without limits. */
#include "report/ci/ci.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "report/words/measured.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <inttypes.h>

struct counts {
    size_t tests, failures, errors, skipped;
    double seconds;
};

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

static void put_counts(struct lauka_prose *prose, const struct counts *counts)
{
    lauka_put(prose,
              " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n",
              counts->tests, counts->failures, counts->errors, counts->skipped, counts->seconds);
}

/* GitLab identifies cases by class and name. */
static void put_case(struct lauka_prose *prose, const struct lauka_result *result,
                     const char *otherwise, const char *name)
{
    const char *benchmark = result->benchmark.name;
    lauka_put(prose, "    <testcase classname=\"%s\" name=\"%s\" time=\"%.3f\">\n",
              lauka_say_xml(prose, benchmark ? benchmark : otherwise), lauka_say_xml(prose, name),
              result->run.seconds);
}

static const char *mean_of(struct lauka_prose *prose, const struct lauka_result *result,
                           size_t command, size_t metric)
{
    const double mean = lauka_result_view(result, command, metric).summary->mean;
    return lauka_say_xml(
        prose, lauka_say_quantity(prose, mean, lauka_result_scale_of(result, metric, mean, true)));
}

static const char *means_of(struct lauka_prose *prose, const struct lauka_result *result,
                            const struct lauka_gate_row *row)
{
    const char *means = mean_of(prose, result, row->command, row->metric);
    means = lauka_gate_is_budget(result, row)
                ? lauka_say(prose, "mean %s", means)
                : lauka_say(prose, "means %s and %s",
                            mean_of(prose, result, row->reference, row->metric), means);
    return lauka_say(prose, "%s, %" PRIu64 " rounds", means, row->judgement.pairs);
}

/* The benchmark is the class: with several sides the name must say which. */
static const char *name_of(struct lauka_prose *prose, const struct lauka_result *result,
                           const struct lauka_gate_row *row, const struct lauka_gate_cells *cells)
{
    const char *name = cells->text[LAUKA_GATE_CELL_METRIC];
    if (result->gate.tried)
        name = lauka_say(prose, "%s, %s", name, cells->text[LAUKA_GATE_CELL_COMMAND]);
    return result->benchmark.name && result->command_count > 2
               ? lauka_say(prose, "%s, %s", name, lauka_result_side(result, row->command))
               : name;
}

static void put_row(struct lauka_prose *prose, const struct lauka_result *result,
                    const struct lauka_gate_row *row)
{
    struct lauka_gate_cells cells = lauka_gate_row_cells(prose, result, row);
    const char *topic = lauka_say_xml(prose, lauka_limit_topic(prose, result, row));
    const char *figures = lauka_say(prose, "%s, limit %s", cells.text[LAUKA_GATE_CELL_CHANGE],
                                    cells.text[LAUKA_GATE_CELL_LIMIT]);
    figures =
        lauka_say_xml(prose, lauka_join(prose, figures, "; ", cells.text[LAUKA_GATE_CELL_REMARK]));
    put_case(prose, result, result->commands[row->command].label,
             name_of(prose, result, row, &cells));
    if (is_failure(result, row))
        lauka_put(prose, "      <failure type=\"%s\" message=\"%s %s\">%s</failure>\n",
                  row->judgement.verdict == LAUKA_GATE_INCONCLUSIVE ? "inconclusive"
                  : lauka_gate_is_budget(result, row)               ? "budget"
                                                                    : "regression",
                  topic, figures, means_of(prose, result, row));
    else if (is_skipped(result, row))
        lauka_put(prose, "      <skipped message=\"%s %s\"/>\n", topic, figures);
    else
        lauka_put(prose, "      <system-out>%s: %s</system-out>\n",
                  lauka_say_xml(prose, cells.text[LAUKA_GATE_CELL_VERDICT]), figures);
    lauka_put(prose, "    </testcase>\n");
}

/* A benchmark that was not measured has a case of its own, whatever the reason. */
static void put_ending(struct lauka_prose *prose, const struct lauka_result *result)
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
    put_case(prose, result, "lauka",
             missing ? "the benchmark is measured" : "the session ends well");
    lauka_put(prose, "      <error type=\"%s\" message=\"%s\"/>\n    </testcase>\n",
              types[lauka_result_ending(result)],
              lauka_say_xml(prose, lauka_result_bad_end(result)));
}

static void put_failure(struct lauka_prose *prose, const struct lauka_result *result)
{
    const struct lauka_result_failure *failure = &result->failure;
    if (!failure->known)
        return;
    put_case(prose, result, result->commands[failure->command].label, "the command runs");
    lauka_put(prose,
              "      <error type=\"command failed\" message=\"%s\">%s</error>\n    </testcase>\n",
              lauka_say_xml(prose, failure->reason ? failure->reason : "failed"),
              lauka_say_xml_lines(prose, failure->stderr_tail ? failure->stderr_tail : ""));
}

/* What was measured, from which commits, when and where, as a property: readers show it beside the suite. */
static void put_facts(struct lauka_prose *prose, const struct lauka_session *session)
{
    const char *text = "";
    bool known = false; /* a date and a machine alone say too little */
    for (struct lauka_fact fact = {.place = 0}; lauka_next_fact(prose, session, &fact);) {
        known |= fact.kind == LAUKA_FACT_COMMIT || fact.kind == LAUKA_FACT_LABEL ||
                 fact.kind == LAUKA_FACT_LINK;
        const char *const parts[] = {fact.before, fact.name, fact.code, fact.text, fact.address};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            text = lauka_join(prose, text, " ", parts[i]);
    }
    if (known)
        lauka_put(prose,
                  "    <properties>\n      <property name=\"measured\" value=\"%s\"/>\n"
                  "    </properties>\n",
                  lauka_say_xml(prose, text));
}

static void put_suite(struct lauka_prose *prose, const struct lauka_session *session,
                      const struct lauka_result *result)
{
    const char *name = result->benchmark.name ? result->benchmark.name : "lauka gate";
    const struct counts counts = count(result);
    lauka_put(prose, "  <testsuite name=\"%s\"", lauka_say_xml(prose, name));
    put_counts(prose, &counts);
    put_facts(prose, session);
    put_failure(prose, result);
    put_ending(prose, result);
    for (size_t i = 0; i < result->gate.row_count; i++)
        put_row(prose, result, &result->gate.rows[i]);
    lauka_put(prose, "  </testsuite>\n");
}

int lauka_write_junit(const struct lauka_session *session, FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    const struct counts counts = count_all(session);
    lauka_put(&prose, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lauka\"");
    put_counts(&prose, &counts);
    for (size_t b = 0; b < session->benchmark_count; b++)
        put_suite(&prose, session, &session->benchmarks[b]);
    lauka_put(&prose, "</testsuites>\n");
    return lauka_prose_end(&prose);
}
