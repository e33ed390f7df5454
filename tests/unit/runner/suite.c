/* Programs with benchmarks inside: the answers of the protocol, and what frameworks write. */
#include "runner/suite/suite.h"
#include "report/load/foreign.h"
#include "stats/stats.h"
#include "tests/unit/expect.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>

/* ---- answer.c, figures.c ---- */

static void an_answer_has_times_and_figures(void)
{
    struct lauka_inner_answer answer;
    char why[200];

    EXPECT(lauka_answer_read("ok 1500 700 items=2.5e6 /s load=0 B", &answer, why, sizeof why));
    EXPECT_NEAR(answer.wall_ns, 1500, 0);
    EXPECT_NEAR(answer.cpu_ns, 700, 0);
    EXPECT_UINT(answer.figure_count, 2);
    EXPECT_TEXT(answer.figures[0].name, "items");
    EXPECT_TEXT(answer.figures[1].unit, "B");
    EXPECT(lauka_answer_read("ok 1 -", &answer, why, sizeof why) && answer.cpu_ns < 0);
}

static void an_answer_that_cannot_be_says_why(void)
{
    static const struct {
        const char *line, *why;
    } wrong[] = {
        {"", "its answer is not understood: "},
        {"okay 1 1", "its answer is not understood: okay 1 1"},
        {"ok", "its wall time is not a valid time: "},
        {"ok 1e19 1", "its wall time is not a valid time: 1e19"},
        {"ok 0x10 nan", "its CPU time is not a valid time: nan"},
        {"ok 1 1 2", "it answered more: 2"},
        {"ok 1 1 a=1", "a figure has no unit: a"},
        {"ok 1 1 2a=1 s", "a figure has an invalid name: 2a"},
        {"ok 1 1 a=-1 s", "a figure is not a number of at least 0: -1"},
        {"ok 1 1 a=1 s a=2 s", "it reports a figure twice: a"},
        {"ok 1 1 a=1 furlong", "a figure has a unit that is not known: furlong"},
        {"ok 1 1 instructions=1 1", "a metric of this name exists already: instructions"},
        {"error", "it answered with an error: "},
    };
    struct lauka_inner_answer answer;
    char why[200];

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        EXPECT(!lauka_answer_read(wrong[i].line, &answer, why, sizeof why));
        EXPECT_TEXT(why, wrong[i].why);
    }
}

static void figures_are_metrics_in_one_unit(void)
{
    struct lauka_inner_figures figures = {0};
    struct lauka_inner_answer base, head;
    double values[LAUKA_FIGURES_MAX];
    char why[200];

    EXPECT(lauka_answer_read("ok 1 1 rate=2 MB/s", &base, why, sizeof why));
    EXPECT(lauka_answer_read("ok 1 1 rate=3e6 B/s depth=4 1", &head, why, sizeof why));
    EXPECT(lauka_inner_figures_note(&figures, 0, &base) == 0);
    EXPECT(lauka_inner_figures_note(&figures, 1, &head) == 0);
    EXPECT_UINT(figures.tells.figure_count, 2);
    EXPECT(!lauka_inner_figures_fill(&figures, 0, &base, values));
    EXPECT(values[0] == 2 && isnan(values[1]));
    EXPECT(!lauka_inner_figures_fill(&figures, 1, &head, values));
    EXPECT(values[0] == 3 && values[1] == 4);
    EXPECT_TEXT(lauka_inner_figures_fill(&figures, 1, &base, values), "depth");
    lauka_inner_figures_done(&figures);
}

/* ---- the readers ---- */

struct read_case {
    enum lauka_framework framework;
    const char *text, *name;
    int failure;
    size_t count;
    double first_ns;
};

#define ENTRY(times) "{\"benchmarks\":[{\"fullname\":\"new/a.py::b\",\"stats\":{" times "}}]}"
#define GBENCH(times)                                                                              \
    "noise\n{\n\"benchmarks\":[{\"name\":\"x\",\"run_name\":\"x\",\"run_type\":"                   \
    "\"iteration\"," times "}]}"

static void rounds_are_read(void)
{
    static const struct read_case cases[] = {
        {LAUKA_FRAMEWORK_GBENCH,
         GBENCH("\"iterations\":5,\"real_time\":2,\"cpu_time\":1,\"time_unit\":\"us\""), "x", 0, 1,
         2000},
        {LAUKA_FRAMEWORK_GBENCH,
         GBENCH("\"iterations\":5,\"real_time\":2,\"cpu_time\":1,\"time_unit\":\"day\""), "x",
         EINVAL, 0, 0},
        {LAUKA_FRAMEWORK_GBENCH, "nothing", "x", EINVAL, 0, 0},
        {LAUKA_FRAMEWORK_GO,
         "goos: linux\nBenchmarkA-8 \t 10\t 12.5 ns/op\t 3 B/op\nBenchmarkA-8 10 9 ns/op\n",
         "BenchmarkA", 0, 2, 12.5},
        {LAUKA_FRAMEWORK_GO, "BenchmarkA 10 x ns/op\n", "BenchmarkA", 0, 0, 0},
        {LAUKA_FRAMEWORK_GO, "BenchmarkA 10 nan ns/op\n", "BenchmarkA", EINVAL, 0, 0},
        {LAUKA_FRAMEWORK_GO, "BenchmarkA/n-1 10 5 ns/op\nBenchmarkA/n-16 10 6 ns/op\n",
         "BenchmarkA/n-16", 0, 1, 6},
        {LAUKA_FRAMEWORK_GO, "BenchmarkA/n-8 10 5 ns/op\nBenchmarkA/n-8-8 10 6 ns/op\n",
         "BenchmarkA/n-8", 0, 1, 6},
        {LAUKA_FRAMEWORK_GO, "..BenchmarkA \t 1 2 3.5\t 10\t 12 ns/op\n", "BenchmarkA", 0, 1, 12},
        {LAUKA_FRAMEWORK_GO, "BenchmarkA \tx\n7\t 8 ns/op\nBenchmarkB 1 2 ns/op\n", "BenchmarkA", 0,
         1, 8},
        {LAUKA_FRAMEWORK_GBENCH,
         GBENCH(
             "\"iterations\":5,\"real_time\":2,\"cpu_time\":1,\"time_unit\":\"s\",\"x\":-Infinity"),
         "x", 0, 1, 2e9},
        {LAUKA_FRAMEWORK_GBENCH,
         GBENCH("\"iterations\":5,\"real_time\":1e308,\"cpu_time\":1,\"time_unit\":\"s\""), "x",
         EINVAL, 0, 0},
        {LAUKA_FRAMEWORK_GO, "BenchmarkAB 10 5 ns/op\n", "BenchmarkA", 0, 0, 0},
        {LAUKA_FRAMEWORK_CRITERION, "{\"full_id\":\"a b\"}\n{\"iters\":[2,4],\"times\":[20,48]}\n",
         "a b", 0, 2, 10},
        {LAUKA_FRAMEWORK_CRITERION, "{\"full_id\":\"a\"}\n{\"iters\":[2],\"times\":[20,48]}\n", "a",
         EINVAL, 0, 0},
        {LAUKA_FRAMEWORK_CRITERION, "{\"full_id\":\"a\"}\n{\"iters\":[0],\"times\":[20]}\n", "a",
         EINVAL, 0, 0},
        {LAUKA_FRAMEWORK_PYTEST, ENTRY("\"data\":[1e-6,2e-6],\"iterations\":7"), "new/a.py::b", 0,
         2, 1000},
        {LAUKA_FRAMEWORK_PYTEST, ENTRY("\"data\":[-1],\"iterations\":7"), "new/a.py::b", EINVAL, 0,
         0},
        {LAUKA_FRAMEWORK_PYTEST, ENTRY("\"data\":[nan],\"iterations\":7"), "new/a.py::b", EINVAL, 0,
         0},
        {LAUKA_FRAMEWORK_PYTEST, "{}", "a.py::b", EINVAL, 0, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct read_case *wanted = &cases[i];
        struct lauka_inner_answers answers = {0};
        uint64_t iterations;
        int failure = lauka_adapter_of(wanted->framework)
                          ->read_run(wanted->text, wanted->name, &answers, &iterations);
        EXPECT(failure == wanted->failure);
        if (failure == 0)
            EXPECT_UINT(answers.count, wanted->count);
        if (failure == 0 && answers.count > 0)
            EXPECT_NEAR(answers.answers[0].wall_ns, wanted->first_ns, 1e-9);
        lauka_inner_answers_done(&answers);
    }
}

static void names_are_read(void)
{
    static const struct {
        enum lauka_framework framework;
        const char *text, *names[3];
        size_t count;
    } cases[] = {
        {LAUKA_FRAMEWORK_GBENCH, "a/1\r\nb<int>\n", {"a/1", "b<int>"}, 2},
        {LAUKA_FRAMEWORK_GO, "BenchmarkA/n-3-2 1 5 ns/op\nok\n", {"BenchmarkA/n-3"}, 1},
        {LAUKA_FRAMEWORK_GO,
         "BenchmarkA 1 5 ns/op\nBenchmarkA-2 1 5 ns/op\nBenchmarkB-2 1 5 ns/op\n",
         {"BenchmarkA", "BenchmarkA-2", "BenchmarkB-2"},
         3},
        {LAUKA_FRAMEWORK_CRITERION, "a b: benchmark\n\nc: test\n: benchmark\n", {"a b"}, 1},
        {LAUKA_FRAMEWORK_PYTEST,
         "{\"benchmarks\":[{\"fullname\":\"o/x/a.py::b[1/2]\"},{\"fullname\":\"o/y.py::b\"}]}",
         {"o/x/a.py::b[1/2]", "o/y.py::b"},
         2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lauka_inner_names names = {0};
        EXPECT(lauka_adapter_of(cases[i].framework)->read_list(cases[i].text, &names) == 0);
        EXPECT_UINT(names.count, cases[i].count);
        for (size_t n = 0; n < names.count && n < cases[i].count; n++)
            EXPECT_TEXT(names.names[n], cases[i].names[n]);
        lauka_inner_names_done(&names);
    }
}

/* Each level takes some of the stack. */
static void what_nests_deep_is_not_parsed(void)
{
    static char text[3000];
    cJSON *tree;

    for (size_t levels = 99; levels < 1400; levels += levels < 101 ? 1 : 1000) {
        memset(text, '[', levels);
        memset(text + levels, ']', levels);
        EXPECT(lauka_foreign_parse(text, 2 * levels, &tree) == 0 &&
               (tree != NULL) == (levels <= 100));
        cJSON_Delete(tree);
    }
    strcpy(text, "{\"a\": \"[[[[ \\\" {{{{\"}");
    EXPECT(lauka_foreign_parse(text, strlen(text), &tree) == 0 && tree);
    cJSON_Delete(tree);
}

int main(void)
{
    TEST(an_answer_has_times_and_figures);
    TEST(an_answer_that_cannot_be_says_why);
    TEST(figures_are_metrics_in_one_unit);
    TEST(rounds_are_read);
    TEST(names_are_read);
    TEST(what_nests_deep_is_not_parsed);
    return expect_report("suite");
}
