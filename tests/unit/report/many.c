/* Tests of what is written about sessions of several benchmarks. */
#include "report/analysis/analysis.h"
#include "report/ci/ci.h"
#include "report/csv/csv.h"
#include "report/exports/exports.h"
#include "report/html/html.h"
#include "report/markdown/markdown.h"
#include "report/result/session.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/expect.h"
#include "tests/unit/sessions.h"

/* Two are slower, one is faster, one is inconclusive, two are equivalent. */
static const struct plan mixed[] = {
    {.name = "io/read", .wall_ms = 20, .noise = 0.08},
    {.name = "parse/large", .wall_ms = 12.4, .change = 0.051, .noise = 0.004},
    {.name = "net/echo", .wall_ms = 3, .noise = 0.003},
    {.name = "render/table", .wall_ms = 0.88, .change = 0.023, .noise = 0.004},
    {.name = "load/cold", .wall_ms = 41, .change = -0.07, .noise = 0.006},
    {.name = "sort/small", .wall_ms = 7, .noise = 0.003},
    {.name = NULL},
};

/* The same with limits; in addition, one side crashed, and one was never started. */
static const struct plan gated[] = {
    {.name = "io/read", .wall_ms = 20, .noise = 0.08, .limit = 0.02},
    {.name = "parse/large", .wall_ms = 12.4, .change = 0.051, .noise = 0.004, .limit = 0.02},
    {.name = "net/echo", .wall_ms = 3, .noise = 0.003, .limit = 0.02},
    {.name = "render/table", .wall_ms = 0.88, .change = 0.013, .noise = 0.002, .limit = 0.02},
    {.name = "load/cold", .wall_ms = 41, .change = -0.07, .noise = 0.006, .limit = 0.02},
    {.name = "crash|bar", .wall_ms = 5, .limit = 0.02, .failure = "failed with exit code 1"},
    {.name = "late", .wall_ms = 5, .limit = 0.02, .missing = true},
    {.name = NULL},
};

/* ---- at a glance --------------------------------------------------------------------------------- */

/* Lists "name verdict change" of each row, one per line. */
static const char *list_rows(struct lauka_prose *prose, const struct lauka_overview *overview)
{
    const char *text = "";
    for (size_t i = 0; i < overview->count; i++) {
        struct lauka_overview_cells cells =
            lauka_overview_row_cells(prose, overview, &overview->rows[i]);
        text = lauka_say(prose, "%s%s: %s %s%s%s\n", text, cells.name, cells.verdict,
                         cells.estimate, *cells.reach ? " " : "", cells.reach);
    }
    return text;
}

static void expect_overview(const struct lauka_session *session, const char *headline,
                            const char *rows)
{
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    const struct lauka_overview overview = lauka_overview(&prose, session);
    EXPECT_TEXT(lauka_overview_headline(&prose, &overview), headline);
    EXPECT_TEXT(list_rows(&prose, &overview), rows);
    EXPECT(lauka_prose_done(&prose) == 0);
}

static void the_worst_benchmark_comes_first(void)
{
    struct lauka_session session = plan_session(mixed, 2, 30);
    expect_overview(&session,
                    "2 of 6 benchmarks are slower, 1 faster, 1 inconclusive; 2 equivalent "
                    "(within 1 %)",
                    "parse/large: slower +5.0 %\n"
                    "render/table: slower +2.2 %\n"
                    "load/cold: faster −6.9 %\n"
                    "io/read: inconclusive +0.2 % ±4 %\n"
                    "net/echo: equivalent −0.1 %\n"
                    "sort/small: equivalent −0.04 %\n");
    lauka_session_done(&session);
}

static void what_a_gate_judged_is_shown_by_its_interval(void)
{
    struct lauka_session session = plan_session(gated, 2, 30);
    expect_overview(
        &session,
        "1 of 7 benchmarks ended with an error, 1 was not measured, 1 is slower, 1 changed within "
        "limits, 1 faster, 1 inconclusive; 1 within the limits",
        "crash|bar: error \n"
        "late: not measured \n"
        "parse/large: FAIL +5.0 %\n"
        "render/table: slower +1.3 %\n"
        "load/cold: faster −6.9 %\n"
        "io/read: inconclusive +0.2 % ±5 %\n"
        "net/echo: within limit −0.1 %\n");
    lauka_session_done(&session);
}

static void one_sentence_tells_of_all(void)
{
    static const struct plan same[] = {{.name = "a", .wall_ms = 5, .noise = 0.002},
                                       {.name = "b", .wall_ms = 9, .noise = 0.002},
                                       {.name = NULL}};
    struct lauka_session session = plan_session(same, 2, 20);
    expect_overview(&session, "both benchmarks are equivalent (within 1 %)",
                    "a: equivalent +0.07 %\nb: equivalent 0 %\n");
    lauka_session_done(&session);
    session = plan_session(same, 1, 20);
    expect_overview(&session, "both benchmarks are measured", "a:  \nb:  \n");
    lauka_session_done(&session);
}

static void of_several_sides_the_worst_is_shown(void)
{
    static const struct plan same[] = {{.name = "a", .wall_ms = 5, .noise = 0.002},
                                       {.name = "b", .wall_ms = 9, .change = 0.1, .noise = 0.002},
                                       {.name = NULL}};
    struct lauka_session session = plan_session(same, 3, 20);
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    const struct lauka_overview overview = lauka_overview(&prose, &session);
    const struct lauka_overview_cells cells =
        lauka_overview_row_cells(&prose, &overview, &overview.rows[0]);
    EXPECT_TEXT(cells.name, "b");
    EXPECT_TEXT(cells.side, "head");
    EXPECT_TEXT(cells.metric, "");
    EXPECT_TEXT(cells.means, "9.003 → 9.899 ms");
    EXPECT(lauka_prose_done(&prose) == 0);
    lauka_session_done(&session);
}

/* ---- documents ----------------------------------------------------------------------------------- */

/* Owned by the caller. */
static char *written(int (*write)(const struct lauka_session *, FILE *),
                     const struct lauka_session *session)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    EXPECT(write(session, out) == 0);
    fclose(out);
    return text;
}

static size_t count(const char *text, const char *part)
{
    size_t number = 0;
    for (const char *found = strstr(text, part); found; found = strstr(found + 1, part))
        number++;
    return number;
}

#define EXPECT_IN(text, part)                                                                      \
    do {                                                                                           \
        if (!strstr(text, part)) {                                                                 \
            printf("%s:%d: there is no \"%s\" in\n%.900s\n", __FILE__, __LINE__, part, text);      \
            expect_ok = false;                                                                     \
        }                                                                                          \
    } while (0)

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Counts the commas outside quotes. */
static size_t fields_of(const char *line)
{
    size_t fields = 1;
    bool quoted = false;
    for (; *line && *line != '\r'; line++) {
        quoted ^= *line == '"';
        fields += *line == ',' && !quoted;
    }
    return fields;
}

static void expect_even_rows(const char *text, size_t rows)
{
    size_t fields = fields_of(text);
    EXPECT_UINT(count(text, "\r\n"), rows + 1);
    for (const char *line = text; *line; line = strstr(line, "\r\n") + 2)
        EXPECT_UINT(fields_of(line), fields);
}

/* One benchmark has a metric and a limit that the others lack. */
static struct lauka_session uneven_session(void)
{
    struct lauka_session session = plan_session(gated, 2, 12);
    struct lauka_result *odd = &session.benchmarks[1];
    free(odd->metrics[PLAN_RSS].name);
    odd->metrics[PLAN_RSS].name = strdup("allocations");
    odd->metrics[PLAN_RSS].share = 0.5;
    free(odd->gate.rules[0].metric);
    odd->gate.rules[0].metric = strdup("cpu_time");
    EXPECT(lauka_session_analyse(&session) == 0);
    return session;
}

static void csv_has_a_column_for_benchmarks(void)
{
    struct lauka_session session = uneven_session();
    char *text = written(lauka_write_csv_session, &session);
    expect_even_rows(text, 14);
    EXPECT(begins(text, "benchmark,command,mean,stddev"));
    EXPECT_IN(text, "peak_rss_share,allocations_mean,");
    EXPECT_IN(text, ",wall_time_typical_gate,cpu_time_typical_gate\r\n");
    EXPECT_IN(text, "\r\n\"parse/large\",\"./head parse/large\",");
    EXPECT_IN(text, ",fail\r\n");
    EXPECT_IN(text, ",pass,\r\n");
    free(text);
    lauka_session_done(&session);
}

static void csv_of_percentiles_and_samples_name_benchmarks(void)
{
    struct lauka_session session = uneven_session();
    char *text = written(lauka_write_csv_percentiles_session, &session);
    EXPECT(begins(text, "benchmark,metric,percentile,"));
    EXPECT_IN(text, "\r\n\"net/echo\",\"wall_time\",50,");
    free(text);
    text = written(lauka_write_csv_samples_session, &session);
    expect_even_rows(text, 144);
    EXPECT_IN(text, "benchmark,round,position,command,wall_time,cpu_time,peak_rss,allocations,"
                    "exit_code,allocations_share\r\n");
    EXPECT_IN(text, "\r\n\"load/cold\",5,,\"./head load/cold\",");
    free(text);
    session.benchmarks[3].run.samples_left_out = true;
    EXPECT(lauka_write_csv_samples_session(&session, stdout) == ENODATA);
    lauka_session_done(&session);
}

/* The file has the same form as before benchmarks existed. */
static void a_benchmark_without_a_name_has_no_column(void)
{
    struct lauka_session session = plan_session((struct plan[]){mixed[0], {.name = NULL}}, 2, 5);
    char *text = written(lauka_write_csv_session, &session);
    EXPECT(begins(text, "benchmark,"));
    free(text);
    free(session.benchmarks[0].benchmark.name);
    session.benchmarks[0].benchmark.name = NULL;
    text = written(lauka_write_csv_session, &session);
    EXPECT(begins(text, "command,mean,"));
    free(text);
    lauka_session_done(&session);
}

/* Two names become equal, and one looks like a side. */
static const struct plan odd_names[] = {
    {.name = "a b/size=10", .wall_ms = 5, .noise = 0.002},
    {.name = "a_b/size=10", .wall_ms = 9, .noise = 0.002},
    {.name = "side=base", .wall_ms = 9, .noise = 0.002, .failure = "failed with exit code 1"},
    {.name = NULL},
};

static void go_benchmarks_have_a_row_each_and_sides_as_a_key(void)
{
    struct lauka_session session = plan_session(odd_names, 2, 3);
    char *text = written(lauka_write_go_benchmark, &session);
    EXPECT_UINT(count(text, "\nBenchmarkLauka/"), 18);
    EXPECT_UINT(count(text, "\nBenchmarkLauka/a_b/size=10_(1)/side=base-4 1 "), 3);
    EXPECT_UINT(count(text, "\nBenchmarkLauka/a_b/size=10_(2)/side=head-4 1 "), 3);
    EXPECT_UINT(count(text, "\nBenchmarkLauka/_side=base/side=head-4 1 "), 3);
    EXPECT_UINT(count(text, "Unit ns/op better=lower\n"), 1);
    EXPECT_UINT(count(text, "goos: linux\n"), 1);
    EXPECT_IN(text, "\nFAIL\tlauka: side=base: failed with exit code 1\n");
    free(text);
    lauka_session_done(&session);
}

/* benchstat puts a metric with another unit into a table of its own. */
static void a_metric_has_one_unit_in_all_benchmarks(void)
{
    struct lauka_session session = plan_session(odd_names, 2, 3);
    session.benchmarks[1].commands[0].series[PLAN_WALL].count = 0;
    for (int i = 0; i < 3; i++)
        lauka_series_add(&session.benchmarks[1].commands[0].series[PLAN_WALL], 0);
    EXPECT(lauka_session_analyse(&session) == 0);
    char *text = written(lauka_write_go_benchmark, &session);
    EXPECT_UINT(count(text, " sec/op"), 18 + 1);
    EXPECT_UINT(count(text, " ns/op"), 0);
    free(text);
    lauka_session_done(&session);
}

static void trackers_get_names_of_benchmark_and_side(void)
{
    struct lauka_session session = plan_session(odd_names, 2, 3);
    char *text = written(lauka_write_bmf, &session);
    EXPECT_UINT(count(text, "\"latency\""), 6);
    EXPECT_IN(text, "\"a b/size=10/base\"");
    EXPECT_IN(text, "\"a_b/size=10/head\"");
    free(text);
    text = written(lauka_write_github_benchmark, &session);
    EXPECT_UINT(count(text, "\"name\""), 6 * PLAN_METRICS);
    EXPECT_IN(text, "\"a_b/size=10/head wall_time\"");
    EXPECT_UINT(count(text, "\"mean of 3 rounds"), 6 * PLAN_METRICS);
    free(text);
    text = written(lauka_write_hlog, &session);
    EXPECT_UINT(count(text, "\nTag="), 6);
    EXPECT_IN(text, "\nTag=a_b/size=10/base_(1),");
    EXPECT_IN(text, "\n#[FAILED: side=base: failed with exit code 1]\n");
    EXPECT_UINT(count(text, "Histogram log format"), 1);
    free(text);
    lauka_session_done(&session);
}

static void junit_has_a_suite_each_and_none_is_green_without_a_result(void)
{
    struct lauka_session session = plan_session(gated, 2, 30);
    session.benchmarks[2].error = (struct lauka_result_error){true, strdup("disk full")};
    EXPECT(lauka_session_analyse(&session) == 0);
    char *text = written(lauka_write_junit, &session);
    EXPECT_IN(text,
              "<testsuites name=\"lauka\" tests=\"10\" failures=\"1\" errors=\"3\" skipped=\"3\" "
              "time=\"7.500\">");
    EXPECT_UINT(count(text, "<testsuite "), 7);
    EXPECT_IN(text, "<testsuite name=\"parse/large\" tests=\"1\" failures=\"1\" errors=\"0\"");
    EXPECT_IN(text, "<testsuite name=\"net/echo\" tests=\"2\" failures=\"0\" errors=\"1\"");
    EXPECT_IN(text, "<testsuite name=\"crash|bar\" tests=\"2\" failures=\"0\" errors=\"1\"");
    EXPECT_IN(text,
              "<testsuite name=\"late\" tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\"");
    EXPECT_IN(text, "<testcase classname=\"parse/large\" name=\"wall_time\" time=");
    EXPECT_IN(text, "<testcase classname=\"late\" name=\"the benchmark is measured\"");
    EXPECT_IN(text, "<testcase classname=\"net/echo\" name=\"the session ends well\"");
    free(text);
    lauka_session_done(&session);
}

static void junit_says_which_of_several_sides(void)
{
    struct lauka_session session = plan_session(gated, 3, 30);
    char *text = written(lauka_write_junit, &session);
    EXPECT_IN(text, "<testcase classname=\"parse/large\" name=\"wall_time, next\" time=");
    free(text);
    lauka_session_done(&session);
}

static int annotations(const struct lauka_session *session, FILE *out)
{
    lauka_write_annotations(session, out);
    return 0;
}

static void annotations_name_benchmarks_and_begin_with_the_worst(void)
{
    struct lauka_session session = plan_session(gated, 2, 30);
    char *text = written(annotations, &session);
    EXPECT(begins(text,
                  "::error title=lauka::crash|bar: `./head crash|bar` failed with exit code 1\n"
                  "::error title=lauka::late: no round was finished\n"
                  "::error title=lauka::parse/large: `./head parse/large`: wall_time +5.0 %25 ["));
    EXPECT_IN(text, "\n::warning title=lauka::io/read: `./head io/read`: wall_time +0.2 %25 [");
    EXPECT_UINT(count(text, "\n"), 4);
    free(text);
    lauka_session_done(&session);
}

/* GitHub shows only ten, so the important ones must be among them. */
static void ten_annotations_of_a_level_are_the_ten_worst(void)
{
    struct plan plans[41] = {{.name = NULL}};
    char names[40][8];
    for (int i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "b%d", i);
        plans[i] = (struct plan){.name = names[i],
                                 .wall_ms = 5,
                                 .change = i % 2 ? 0 : 0.02 + 0.01 * i,
                                 .noise = i % 2 ? 0.09 : 0.003};
    }
    struct lauka_session session = plan_session(plans, 2, 20);
    char *text = written(annotations, &session);
    EXPECT_UINT(count(text, "::error "), 10);
    EXPECT_UINT(count(text, "::warning "), 10);
    EXPECT(begins(text, "::error title=lauka::b38: `./head b38`: wall_time "));
    EXPECT_IN(text, "::error title=lauka::b20: `");
    free(text);
    lauka_session_done(&session);
}

static void markdown_shows_the_worst_and_folds_the_rest(void)
{
    struct lauka_session session = plan_session(gated, 2, 30);
    char *text = written(lauka_write_markdown, &session);
    EXPECT(
        begins(text, "**1 of 7 benchmarks ended with an error, 1 was not measured, 1 is slower, "));
    EXPECT_IN(text, "| Verdict | Benchmark | Change | Limit | Mean |\n|:--|:--|:--|--:|--:|\n"
                    "| ❌\u00A0error | `crash\\|bar` | ");
    EXPECT_IN(text, "failed with exit code 1 |  |  |\n| ❌\u00A0not\u00A0measured | `late` "
                    "| has no finished round |  |  |\n| ❌\u00A0FAIL | `parse/large` | "
                    "**+5.0\u00A0%**\u00A0[");
    EXPECT_IN(text, "<details><summary>1 inconclusive: <code>io/read</code> (±5\u00A0%)</summary>");
    EXPECT_IN(text, "<details><summary>1 within the limits: <code>net/echo</code>");
    EXPECT_UINT(count(text, "\n<details><summary>❌ <code>"), 3);
    EXPECT_UINT(count(text, "<details>"), count(text, "</details>"));
    free(text);
    lauka_session_done(&session);
}

static int summary_of_12000_bytes(const struct lauka_session *session, FILE *out)
{
    return lauka_write_step_summary(session, 12000, out);
}

static void a_summary_leaves_out_details_from_the_last_on(void)
{
    struct lauka_session session = plan_session(mixed, 2, 30);
    char *text = written(summary_of_12000_bytes, &session);
    EXPECT(strlen(text) <= 12000);
    EXPECT_IN(text, "<details><summary>❌ <code>parse/large</code>: slower</summary>");
    EXPECT(!strstr(text, "<details><summary>✅ <code>sort/small</code>: equivalent</summary>"));
    EXPECT_IN(text, "The details of the other ");
    EXPECT(lauka_write_step_summary(&session, 400, stdout) == EFBIG);
    free(text);
    lauka_session_done(&session);
}

static int comment(const struct lauka_session *session, FILE *out)
{
    return lauka_write_pr_comment(session, NULL, out);
}

static int comment_with_id(const struct lauka_session *session, FILE *out)
{
    return lauka_write_pr_comment(session, "bench/all.lauka", out);
}

/* The heading of the comment must begin with this text. */
static void expect_heading(const struct lauka_session *session, const char *heading)
{
    char *text = written(comment, session);
    char *line = strstr(text, "\n### ");
    EXPECT(line != NULL);
    if (line) {
        line[1 + strcspn(line + 1, "\n")] = 0;
        EXPECT_TEXT(line + 1, heading);
    }
    free(text);
}

static void a_comment_is_headed_by_the_worst_and_how_many(void)
{
    struct lauka_session session = plan_session(mixed, 2, 30);
    expect_heading(&session, "### ❌ lauka: 2 of 6 benchmarks are slower, worst `parse/large` "
                             "+5.0\u00A0%\u00A0[+4.8,\u00A0+5.3]");
    lauka_session_done(&session);
    session = plan_session(gated, 2, 30);
    expect_heading(
        &session,
        "### ❌ lauka: 1 of 7 benchmarks ended with an error, 1 was not measured, 1 is slower, "
        "worst `parse/large` +5.0\u00A0%\u00A0[+4.8,\u00A0+5.3]");
    lauka_session_done(&session);
    session = plan_session(gated + 5, 2, 30);
    expect_heading(
        &session,
        "### ❌ lauka: 1 of 2 benchmarks ended with an error, 1 was not measured: `crash|bar` "
        "failed with exit code 1");
    lauka_session_done(&session);
    session = plan_session(mixed + 4, 2, 30);
    expect_heading(&session, "### ✅ lauka: 1 of 2 benchmarks is faster; 1 equivalent (within 1 %)");
    lauka_session_done(&session);
    session = plan_session((struct plan[]){gated[0], gated[2], {.name = NULL}}, 2, 30);
    expect_heading(&session,
                   "### ⚠️ lauka: 1 of 2 benchmarks is inconclusive; 1 within the limits");
    for (size_t b = 0; b < 2; b++)
        session.benchmarks[b].gate.policy = LAUKA_POLICY_FAIL;
    expect_heading(&session,
                   "### ⚠️ lauka: 1 of 2 benchmarks is inconclusive; 1 within the limits, "
                   "which counts as a failure");
    lauka_session_done(&session);
}

static void a_comment_is_known_by_its_session(void)
{
    struct plan others[3] = {mixed[0], mixed[1], {.name = NULL}};
    struct lauka_session session = plan_session(others, 2, 10);
    char *text = written(comment, &session), *named = written(comment_with_id, &session);
    lauka_session_done(&session);
    others[1].wall_ms = 50;
    session = plan_session(others, 2, 10);
    char *again = written(comment, &session);
    EXPECT(strncmp(text, again, 50) == 0); /* although the values differ */
    free(again);
    lauka_session_done(&session);
    session = plan_session(mixed + 2, 2, 10);
    again = written(comment_with_id, &session);
    EXPECT(strncmp(named, again, 50) == 0 && strncmp(named, text, 50) != 0);
    free(again);
    again = written(comment, &session);
    EXPECT(strncmp(text, again, 50) != 0);
    EXPECT(begins(text, "<!-- lauka:comment:v1 id="));
    free(again);
    free(named);
    free(text);
    lauka_session_done(&session);
}

static size_t characters(const char *text)
{
    size_t number = 0;
    for (; *text; text++)
        number += ((unsigned char)*text & 0xC0) != 0x80;
    return number;
}

/* Details are dropped first, then rows without a change; what is worse stays. */
static void a_comment_has_room_for_200_benchmarks(void)
{
    enum { MANY = 600 };
    static char names[MANY][80];
    static struct plan plans[MANY + 1];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "group %d/a benchmark of a rather long name %d", i % 9,
                 i);
        plans[i] = (struct plan){
            .name = names[i], .wall_ms = 5 + i, .change = i % 20 == 3 ? 0.05 : 0, .noise = 0.0005};
    }
    plans[200].name = NULL;
    struct lauka_session session = plan_session(plans, 2, 18);
    char *text = written(comment, &session);
    EXPECT(characters(text) <= 60000 && strlen(text) <= 65000);
    EXPECT_UINT(count(text, "| ❌\u00A0slower | `group"), 10);
    EXPECT_UINT(count(text, "| ✅\u00A0equivalent | `group"), 190);
    EXPECT_IN(text, "\nLeft out to fit into a comment: the details of ");
    EXPECT_UINT(count(text, "<details>"), count(text, "</details>"));
    free(text);
    lauka_session_done(&session);
    plans[200].name = names[200];
    session = plan_session(plans, 2, 18);
    text = written(comment, &session);
    EXPECT(characters(text) <= 60000 && strlen(text) <= 65000);
    EXPECT_UINT(count(text, "| ❌\u00A0slower | `group"), 30);
    EXPECT_IN(text, "the details of 600 of 600 benchmarks, and the rows of ");
    EXPECT_IN(text, " that did not change. The report has them.\n");
    EXPECT_UINT(count(text, "<details>"), count(text, "</details>"));
    free(text);
    lauka_session_done(&session);
}

static void a_comment_says_where_it_was_measured(void)
{
    struct lauka_session session = plan_session(mixed, 2, 10);
    struct lauka_result_provenance *from = &session.benchmarks[0].provenance;
    from->commit = strdup("1a2b3c4d5e6f7a8b9c0d");
    from->branch = strdup("feature/x_y");
    from->job = strdup("1234");
    from->url = strdup("https://example.org/jobs/1234");
    from->begin = strdup("2026-11-22T10:03:00Z");
    EXPECT(lauka_parameters_add(&from->labels, &from->label_count, "base", "0badc0de") == 0);
    char *text = written(comment, &session);
    EXPECT_IN(text,
              "benchmarks are slower, worst `parse/large` +5.0\u00A0%\u00A0[+4.7,\u00A0+5.8]\n\n"
              "Measured: base `0badc0de` · commit `1a2b3c4d5e` on feature/x\\_y · 22 Nov 2026, "
              "10:03 UTC · Pretended 9000, 4 CPUs · [job 1234](https://example.org/jobs/1234)\n");
    free(text);
    free(from->url);
    from->url = strdup("https://example.org/) <img src=x>");
    text = written(comment, &session);
    EXPECT(!strstr(text, "<img") && !strstr(text, "[job"));
    free(text);
    lauka_session_done(&session);
}

static void a_page_has_a_section_each_and_pictures_of_the_first(void)
{
    static char names[100][16];
    static struct plan plans[101];
    for (int i = 0; i < 100; i++) {
        snprintf(names[i], sizeof names[i], "b\"%d", i);
        plans[i] = (struct plan){.name = names[i], .wall_ms = 5 + i, .noise = 0.003};
    }
    struct lauka_session session = plan_session(plans, 2, 8);
    char *text = written(lauka_write_html, &session);
    EXPECT_UINT(count(text, "<div id=\"b_"), 100);
    EXPECT_UINT(count(text, "<article>\n<details>\n"), 100);
    EXPECT_UINT(count(text, "<a href=\"#b_"), 100);
    EXPECT_UINT(count(text, "Pictures are of the first benchmarks only"), 40);
    EXPECT(strlen(text) < 8000000);
    free(text);
    lauka_session_done(&session);
    session = plan_session(gated, 2, 8);
    text = written(lauka_write_html, &session);
    EXPECT_IN(text, "<td class=\"v c\">failed with exit code 1</td>");
    EXPECT_UINT(count(text, "<article>\n"), 7);
    EXPECT_UINT(count(text, "<article>\n<details open>\n"), 4); /* worse, better, failed, missing */
    free(text);
    lauka_session_done(&session);
}

/* A sign stands beside each colour, and a limit's verdict is the gate's word. */
static void verdicts_have_signs_and_colours(void)
{
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    struct lauka_session session = plan_session(mixed, 2, 40);
    struct lauka_overview overview = lauka_overview(&prose, &session);
    const char *text = "";
    for (size_t i = 0; i < overview.count; i++)
        text = lauka_say(&prose, "%s%s\n", text,
                         lauka_html_standing(&prose, &overview, &overview.rows[i]));
    EXPECT_TEXT(text, "<span class=\"bad\"><i>▲</i>\u00A0slower</span>\n"
                      "<span class=\"bad\"><i>▲</i>\u00A0slower</span>\n"
                      "<span class=\"good\"><i>▼</i>\u00A0faster</span>\n"
                      "<span class=\"open\"><i>?</i>\u00A0inconclusive</span>\n"
                      "equivalent\nequivalent\n");
    EXPECT_TEXT(lauka_marked(&prose, lauka_mark_of(&session.benchmarks[4], 1, PLAN_WALL), "faster"),
                "▼ faster");
    EXPECT_TEXT(lauka_marked(&prose, lauka_mark_of(&session.benchmarks[4], 0, PLAN_WALL), ""), "");
    lauka_session_done(&session);
    session = plan_session(gated, 2, 40);
    overview = lauka_overview(&prose, &session);
    text = lauka_html_standing(&prose, &overview, &overview.rows[0]);
    EXPECT_TEXT(text, "<span class=\"fail\"><i>✗</i>\u00A0error</span>");
    EXPECT_TEXT(lauka_html_standing(&prose, &overview, &overview.rows[2]),
                "<span class=\"fail\"><i>✗</i>\u00A0FAIL</span>");
    lauka_session_done(&session);
    EXPECT(lauka_prose_done(&prose) == 0);
}

static void what_is_no_good_end_is_a_bad_one(void)
{
    static const enum lauka_stopped good[] = {
        LAUKA_STOPPED_ROUNDS, LAUKA_STOPPED_TIME, LAUKA_STOPPED_PRECISION, LAUKA_STOPPED_EFFECT,
        LAUKA_STOPPED_EXACT,  LAUKA_STOPPED_GATE, LAUKA_STOPPED_STORED};
    struct lauka_result result = {.run = {.rounds = 1}};
    for (int stopped = 0; stopped < 100; stopped++) {
        bool well = false;
        for (size_t i = 0; i < sizeof good / sizeof *good; i++)
            well |= good[i] == (enum lauka_stopped)stopped;
        result.run.stopped = (enum lauka_stopped)stopped;
        EXPECT(lauka_result_ended_well(&result) == well);
        EXPECT(!lauka_result_bad_end(&result) == well);
        EXPECT(lauka_result_tells_ending(&result) == !well);
    }
    result.run = (struct lauka_result_run){.rounds = 0};
    EXPECT(lauka_result_ending(&result) == LAUKA_ENDED_UNMEASURED);
}

static void nothing_of_an_interrupted_session_is_green(void)
{
    struct lauka_session session = plan_session(gated, 2, 30);
    for (size_t b = 0; b < session.benchmark_count; b++)
        session.benchmarks[b].run.stopped = LAUKA_STOPPED_INTERRUPTED;
    EXPECT(lauka_session_analyse(&session) == 0);
    char *text = written(lauka_write_markdown, &session);
    EXPECT_IN(text, "**the session was interrupted: 0 of 7 benchmarks are complete; 1 ended with "
                    "an error, 1 was not "
                    "measured, 1 is slower");
    EXPECT_UINT(count(text, "✅"), 1); /* a limit that was held until the command failed */
    EXPECT_UINT(count(text, "🎉"), 0);
    EXPECT(lauka_session_verdict(&session) == LAUKA_GATE_FAIL); /* which it is all the same */
    free(text);
    lauka_session_done(&session);
}

int main(void)
{
    TEST(what_is_no_good_end_is_a_bad_one);
    TEST(nothing_of_an_interrupted_session_is_green);
    TEST(the_worst_benchmark_comes_first);
    TEST(what_a_gate_judged_is_shown_by_its_interval);
    TEST(one_sentence_tells_of_all);
    TEST(of_several_sides_the_worst_is_shown);
    TEST(csv_has_a_column_for_benchmarks);
    TEST(csv_of_percentiles_and_samples_name_benchmarks);
    TEST(a_benchmark_without_a_name_has_no_column);
    TEST(go_benchmarks_have_a_row_each_and_sides_as_a_key);
    TEST(a_metric_has_one_unit_in_all_benchmarks);
    TEST(trackers_get_names_of_benchmark_and_side);
    TEST(junit_has_a_suite_each_and_none_is_green_without_a_result);
    TEST(junit_says_which_of_several_sides);
    TEST(annotations_name_benchmarks_and_begin_with_the_worst);
    TEST(ten_annotations_of_a_level_are_the_ten_worst);
    TEST(markdown_shows_the_worst_and_folds_the_rest);
    TEST(a_summary_leaves_out_details_from_the_last_on);
    TEST(a_comment_is_headed_by_the_worst_and_how_many);
    TEST(a_comment_is_known_by_its_session);
    TEST(a_comment_has_room_for_200_benchmarks);
    TEST(a_comment_says_where_it_was_measured);
    TEST(a_page_has_a_section_each_and_pictures_of_the_first);
    TEST(verdicts_have_signs_and_colours);
    return expect_report("many");
}
