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
    EXPECT_TEXT(answer.figures[1].unit->unit, "B");
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

/* ---- JMH and divan ----------------------------------------------------------------------------------- */

static void jmh_lists_names_on_lines(void)
{
    struct lauka_inner_names names = {0};
    EXPECT(lauka_jmh_adapter.read_list("# noise\nBenchmarks: \nx.Work.more\nx.Work.same\r\n\n",
                                       &names) == 0);
    EXPECT(names.count == 2 && lauka_inner_names_have(&names, "x.Work.same"));
    lauka_inner_names_done(&names);
    EXPECT(lauka_jmh_adapter.read_list("Error: no jar\n", &names) == EINVAL);
    EXPECT(lauka_jmh_adapter.read_list("Benchmarks:", &names) == 0 && names.count == 0);
    lauka_inner_names_done(&names);
}

#define JMH_ENTRY(NAME, UNIT, VALUES)                                                              \
    "{\"benchmark\":\"" NAME "\",\"primaryMetric\":{\"scoreUnit\":\"" UNIT                         \
    "\",\"rawData\":" VALUES "}}"

static void jmh_has_a_round_for_each_iteration(void)
{
    static const char text[] =
        "[" JMH_ENTRY("a", "ns/op", "[[5,6.5]]") "," JMH_ENTRY("b", "ns/op", "[[1],[2]]") "]";
    struct lauka_inner_answers answers = {0};
    uint64_t iterations;
    EXPECT(lauka_jmh_adapter.read_run(text, "a", &answers, &iterations) == 0 && answers.count == 2);
    EXPECT_NEAR(answers.answers[1].wall_ns, 6.5, 0);
    EXPECT(answers.answers[1].cpu_ns < 0);
    lauka_inner_answers_done(&answers);
    EXPECT(lauka_jmh_adapter.read_run(text, "b", &answers, &iterations) == 0 && answers.count == 2);
    lauka_inner_answers_done(&answers);
}

static void what_jmh_cannot_have_measured_is_refused(void)
{
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"[]", "failed: JMH wrote no result of it"},
        {"{}", ""},
        {"[3, null, {}]", "failed: JMH wrote no result of it"},
        {"[" JMH_ENTRY("a", "ns/op", "[[1]]") "," JMH_ENTRY("a", "ns/op", "[[1]]") "]",
         "has several values of its @Param"},
        {"[" JMH_ENTRY("a", "ops/s", "[[1]]") "]", ""},
        {"[" JMH_ENTRY("a", "ns/op", "[[-1]]") "]", "says that its time is negative"},
        {"[" JMH_ENTRY("a", "ns/op", "[[\"NaN\"]]") "]", "says that its time is NaN"},
        {"[" JMH_ENTRY("a", "ns/op", "7") "]", ""},
        {"[" JMH_ENTRY("a", "ns/op", "[[1") "", ""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct lauka_inner_answers answers = {0};
        uint64_t iterations;
        EXPECT(lauka_jmh_adapter.read_run(wrong[i].text, "a", &answers, &iterations) == EINVAL);
        EXPECT(strncmp(answers.why, wrong[i].why, strlen(wrong[i].why)) == 0);
        lauka_inner_answers_done(&answers);
    }
}

static const char divan_table[] =
    "Timer precision: 20 ns\n"
    "x              fastest       │ slowest       │ median        │ mean          │ samples │ "
    "iters\n"
    "├─ same        971.2 ns      │ 1.041 µs      │ 976.2 ns      │ 982.2 ns      │ 10      │ 20\n"
    "├─ left        (ignored)\n"
    "╰─ inner                     │               │               │               │         │\n"
    "   ├─ bytes    933.7 ns      │ 1.043 ms      │ 1.5 ms        │ 2.29 µs       │ 1394    │ "
    "5576\n"
    "   │           107 MB/s      │ 95.85 KB/s    │ 106.2 MB/s    │ 43.66 MB/s    │         │\n"
    "   ╰─ more                   │               │               │               │         │\n"
    "      ├─ a b   3.154 ns      │ 107 ns        │ 3.182 ns      │ 3.328 ns      │ 2013    │ "
    "2061312\n"
    "      ╰─ 1000  933.5 ns      │ 116.2 µs      │ 2 s           │ 1.08 µs       │ 2271    │ "
    "9084\n";

static void divan_has_names_in_a_tree_and_medians(void)
{
    static const struct {
        const char *name;
        double ns;
    } rows[] = {{"x::same", 976.2},
                {"x::inner::bytes", 1.5e6},
                {"x::inner::more::a b", 3.182},
                {"x::inner::more::1000", 2e9}};
    struct lauka_inner_names names = {0};
    EXPECT(lauka_divan_adapter.read_list(divan_table, &names) == 0);
    EXPECT_UINT(names.count, 4);
    for (size_t i = 0; i < 4; i++) {
        struct lauka_inner_answers answers = {0};
        uint64_t iterations;
        EXPECT(lauka_inner_names_have(&names, rows[i].name));
        EXPECT(lauka_divan_adapter.read_run(divan_table, rows[i].name, &answers, &iterations) == 0);
        EXPECT(answers.count == 1 && answers.medians);
        EXPECT_NEAR(answers.count ? answers.answers[0].wall_ns : 0, rows[i].ns, 1e-6);
        lauka_inner_answers_done(&answers);
    }
    lauka_inner_names_done(&names);
}

static void what_is_no_table_of_divan_is_refused(void)
{
    char deep[4000] = "x  fastest │ slowest │ median │ mean\n";
    struct lauka_inner_names names = {0};
    EXPECT(lauka_divan_adapter.read_list("", &names) == EINVAL);
    EXPECT(lauka_divan_adapter.read_list("Timer precision: 20 ns\n│ │\n", &names) == EINVAL ||
           names.count == 0);
    for (int i = 0; i < 40; i++)
        strcat(deep, "│  ");
    strcat(deep, "├─ a  1 ns │ 1 ns │ 1 ns │ 1 ns │ 1 │ 1\n");
    EXPECT(lauka_divan_adapter.read_list(deep, &names) == 0 && names.count == 0);
    strcpy(deep, "x  fastest │ slowest │ median │ mean\n├─ ");
    memset(deep + strlen(deep), 'n', 1000);
    strcat(deep, "  1 ns │ 1 ns │ 1 ns │ 1 ns │ 1 │ 1\n");
    EXPECT(lauka_divan_adapter.read_list(deep, &names) == 0 && names.count == 0);
    EXPECT(lauka_divan_adapter.read_list(
               "x  f │ s │ m\n╰─ a  1 ns │ 1 ns │ nan ns\n╰─ b  1 │ 1 │ 5 parsecs", &names) == 0);
    EXPECT_UINT(names.count, 0);
    lauka_inner_names_done(&names);

    struct lauka_inner_answers answers = {0};
    uint64_t iterations;
    EXPECT(lauka_divan_adapter.read_run(
               "x  f │ s │ m\n├─ a  1 ns │ 1 ns │ 5 ns │\n╰─ a  1 ns │ 1 ns │ 7 ns │", "x::a",
               &answers, &iterations) == EINVAL);
    EXPECT_TEXT(answers.why, "there are several benchmarks of this name");
    lauka_inner_answers_done(&answers);
}

int main(void)
{
    TEST(an_answer_has_times_and_figures);
    TEST(an_answer_that_cannot_be_says_why);
    TEST(figures_are_metrics_in_one_unit);
    TEST(rounds_are_read);
    TEST(names_are_read);
    TEST(what_nests_deep_is_not_parsed);
    TEST(jmh_lists_names_on_lines);
    TEST(jmh_has_a_round_for_each_iteration);
    TEST(what_jmh_cannot_have_measured_is_refused);
    TEST(divan_has_names_in_a_tree_and_medians);
    TEST(what_is_no_table_of_divan_is_refused);
    return expect_report("suite");
}
