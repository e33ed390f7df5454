/* Tests of what is written about sessions of several benchmarks. */
#include "report/analysis/analysis.h"
#include "report/result/session.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/expect.h"
#include "tests/unit/sessions.h"

/* Two slower, one faster, one that cannot be told, two without a change. */
static const struct plan mixed[] = {
    {.name = "io/read", .wall_ms = 20, .noise = 0.08},
    {.name = "parse/large", .wall_ms = 12.4, .change = 0.051, .noise = 0.004},
    {.name = "net/echo", .wall_ms = 3, .noise = 0.003},
    {.name = "render/table", .wall_ms = 0.88, .change = 0.023, .noise = 0.004},
    {.name = "load/cold", .wall_ms = 41, .change = -0.07, .noise = 0.006},
    {.name = "sort/small", .wall_ms = 7, .noise = 0.003},
    {.name = NULL},
};

/* The same, held to limits; and one whose side crashed, and one that was never started. */
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

/* "name verdict change" of each row, a line each. */
static void list_rows(const struct lauka_overview *overview, char *text, size_t size)
{
    text[0] = 0;
    for (size_t i = 0; i < overview->count; i++) {
        struct lauka_overview_cells cells;
        size_t used = strlen(text);
        lauka_overview_row_cells(overview, &overview->rows[i], true, &cells);
        snprintf(text + used, size - used, "%s: %s %s%s%s\n", cells.name, cells.verdict,
                 cells.estimate, *cells.half ? " " : "", cells.half);
    }
}

static void expect_overview(const struct lauka_session *session, const char *headline,
                            const char *rows)
{
    struct lauka_overview overview;
    char text[4096];
    EXPECT(lauka_overview_make(session, &overview) == 0);
    lauka_overview_headline(&overview, text, sizeof text);
    EXPECT_TEXT(text, headline);
    list_rows(&overview, text, sizeof text);
    EXPECT_TEXT(text, rows);
    lauka_overview_done(&overview);
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
                    "io/read: inconclusive +0.2 % ±3.7 %\n"
                    "net/echo: equivalent −0.1 %\n"
                    "sort/small: equivalent −0.04 %\n");
    lauka_session_done(&session);
}

static void what_a_gate_judged_is_shown_by_its_interval(void)
{
    struct lauka_session session = plan_session(gated, 2, 30);
    expect_overview(&session,
                    "1 of 7 benchmarks failed, 1 was not measured, 1 is slower, 1 changed within "
                    "limits, 1 faster, 1 inconclusive; 1 within the limits",
                    "crash|bar: failed \n"
                    "late: not measured \n"
                    "parse/large: slower +5.0 %\n"
                    "render/table: slower +1.3 %\n"
                    "load/cold: faster −6.9 %\n"
                    "io/read: inconclusive +0.2 % ±4.9 %\n"
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
                    "a: equivalent +0.07 %\nb: equivalent +0.0 %\n");
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
    struct lauka_overview overview;
    struct lauka_overview_cells cells;
    EXPECT(lauka_overview_make(&session, &overview) == 0);
    lauka_overview_row_cells(&overview, &overview.rows[0], true, &cells);
    EXPECT_TEXT(cells.name, "b");
    EXPECT_TEXT(cells.side, "head");
    EXPECT_TEXT(cells.metric, "");
    EXPECT_TEXT(cells.means, "9.003 → 9.899 ms");
    lauka_overview_done(&overview);
    lauka_session_done(&session);
}

int main(void)
{
    TEST(the_worst_benchmark_comes_first);
    TEST(what_a_gate_judged_is_shown_by_its_interval);
    TEST(one_sentence_tells_of_all);
    TEST(of_several_sides_the_worst_is_shown);
    return expect_report("many");
}
