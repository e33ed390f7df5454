/* The metric that decided leads: in the sentence, the headline of many benchmarks, the comment and JUnit's message. */
#include "report/analysis/analysis.h"
#include "report/ci/ci.h"
#include "report/markdown/markdown.h"
#include "report/result/session.h"
#include "report/words/why.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/expect.h"
#include "tests/unit/sessions.h"

static char *written(int (*write)(const struct lauka_session *, FILE *),
                     const struct lauka_session *session)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    EXPECT(out && write(session, out) == 0 && fclose(out) == 0);
    return text;
}

static int comment(const struct lauka_session *session, FILE *out)
{
    return lauka_write_pr_comment(session, "x", out);
}

static void expect_in(const char *text, const char *part)
{
    EXPECT_TEXT(strstr(text, part) ? part : text, part);
}

static void expect_sentence(const struct plan *plans, const char *expected)
{
    struct lauka_session session = plan_session(plans, 2, 20);
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    EXPECT_TEXT(lauka_result_sentence_about(&prose, &session.benchmarks[0], 1, "B", "A"), expected);
    EXPECT(lauka_prose_done(&prose) == 0);
    lauka_session_done(&session);
}

/* ---- the sentence ------------------------------------------------------------------------------ */

static void a_failed_limit_on_memory_leads_the_sentence(void)
{
    expect_sentence((struct plan[]){{.name = "p",
                                     .wall_ms = 10,
                                     .noise = 0.002,
                                     .memory = 0.936,
                                     .memory_limit = 0.05,
                                     .limit = 0.02},
                                    {.name = NULL}},
                    "B uses 93.59 % more memory than A [93.56, 93.63] (8.0004 → 15.4885 MiB): over "
                    "the limit. B shows no difference larger than 1 % from A [−0.2, +0.1] (95 % "
                    "confidence): mean 9.996 ms against 9.998 ms wall time.");
}

/* A limit on wall time is what the sentence is about anyway; memory without a limit follows. */
static void memory_is_said_where_it_changed_much(void)
{
    const struct plan slower = {
        .name = "p", .wall_ms = 10, .noise = 0.002, .change = 0.1, .limit = 0.02, .memory = 0.94};
    struct plan little = slower, small = slower;
    little.memory = 0.04; /* clear, but less than 5 % */
    little.memory_limit = 1;
    small.memory = 0.94;
    small.memory_limit = 1;
    expect_sentence(
        (struct plan[]){slower, {.name = NULL}},
        "B is 10.0 % slower than A [9.8, 10.1] (95 % confidence): mean 11.00 ms against "
        "9.998 ms wall time; it uses 93.99 % more memory (8.0004 → 15.5205 MiB).");
    expect_sentence(
        (struct plan[]){little, {.name = NULL}},
        "B is 10.0 % slower than A [9.8, 10.1] (95 % confidence): mean 11.00 ms against "
        "9.998 ms wall time.");
    expect_sentence(
        (struct plan[]){small, {.name = NULL}}, /* within its limit: the change stays */
        "B is 10.0 % slower than A [9.8, 10.1] (95 % confidence): mean 11.00 ms against "
        "9.998 ms wall time; it uses 93.99 % more memory (8.0004 → 15.5205 MiB).");
}

/* Whoever divides the two numbers gets the ratio that the sentence says. */
static void the_two_values_have_the_ratio_of_the_sentence(void)
{
    static const uint64_t odd[] = {10, 10, 10, 11, 10, 60, 10, 11, 10, 70};
    struct lauka_session session =
        plan_session((struct plan[]){{.name = "p", .wall_ms = 10}, {.name = NULL}}, 2, 20);
    struct lauka_result *result = &session.benchmarks[0];
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    for (size_t i = 0; i < 20; i++) {
        lauka_series_set(&result->commands[0].series[PLAN_WALL], i, 30000000 + i * 7919);
        lauka_series_set(&result->commands[1].series[PLAN_WALL], i,
                         odd[i % 10] * 1000000 + i * 991);
    }
    EXPECT(lauka_session_analyse(&session) == 0);
    const char *text = lauka_result_sentence_about(&prose, result, 1, "B", "A");
    const char *factor = strstr(text, "is "), *sides = strstr(text, "typically ");
    EXPECT(factor && sides);
    if (factor && sides) {
        double ratio = strtod(factor + 3, NULL), own = strtod(sides + 10, NULL);
        double reference = strtod(strstr(sides, "against ") + 8, NULL);
        EXPECT(ratio > 2 && fabs(reference / own - ratio) < 0.03 * ratio);
    }
    EXPECT(lauka_prose_done(&prose) == 0);
    lauka_session_done(&session);
}

/* ---- headlines --------------------------------------------------------------------------------- */

/* Memory failed in one of them, and wall time in two. */
static const struct plan limited[] = {
    {.name = "small", .wall_ms = 3, .change = 0.06, .noise = 0.003, .limit = 0.02},
    {.name = "la|rge",
     .wall_ms = 12,
     .change = 0.05,
     .noise = 0.004,
     .limit = 0.02,
     .memory = 0.94,
     .memory_limit = 0.05},
    {.name = "same", .wall_ms = 7, .noise = 0.003, .limit = 0.02},
    {.name = NULL},
};

static void the_headline_of_many_names_every_metric_that_failed(void)
{
    struct lauka_session session = plan_session(limited, 2, 30);
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    struct lauka_overview overview = lauka_overview(&prose, &session);
    EXPECT_TEXT(
        lauka_overview_headline(&prose, &overview),
        "memory +94.01 % in `la|rge`, wall time up to +6.0 % in 2 of 3 benchmarks; 1 within "
        "the limits");
    EXPECT(lauka_prose_done(&prose) == 0);
    char *text = written(comment, &session);
    expect_in(text, "\n### ❌ lauka: memory +94.01 % in `la|rge`, wall time up to +6.0 % in 2 of 3 "
                    "benchmarks\n");
    /* every failed limit has a row before anything is folded */
    char *fold = strstr(text, "<details>");
    EXPECT(fold != NULL);
    if (fold)
        *fold = 0;
    expect_in(text, "| ❌\u00A0FAIL | `la\\|rge` peak\\_rss | **+94.01\u00A0%**");
    expect_in(text, "| ❌\u00A0FAIL | `la\\|rge` wall\\_time | **+5.2\u00A0%**");
    expect_in(text, "| ❌\u00A0FAIL | `small` wall\\_time | **+6.0\u00A0%**");
    free(text);
    text = written(lauka_write_markdown, &session);
    EXPECT(strncmp(text, "**memory +94.01 % in `la|rge`, wall time up to +6.0 %", 50) == 0);
    free(text);
    session.benchmarks[0].provenance.commit = strdup("1a2b3c4d5e6f7a8b9c0d");
    text = written(lauka_write_junit, &session);
    expect_in(text, "message=\"memory +94.01 % [");
    expect_in(text, "message=\"wall time +6.0 % [");
    expect_in(text, "<testcase classname=\"la|rge\" name=\"peak_rss\"");
    expect_in(text,
              "<property name=\"measured\" value=\"commit 1a2b3c4d5e · Pretended 9000, 4 CPUs\"/>");
    free(text);
    lauka_session_done(&session);
}

/* Where wall time alone is worse, "slower" says so. */
static void slower_needs_no_metric(void)
{
    struct plan plans[] = {limited[0], limited[2], {.name = NULL}};
    struct lauka_session session = plan_session(plans, 2, 30);
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    struct lauka_overview overview = lauka_overview(&prose, &session);
    EXPECT_TEXT(lauka_overview_decided(&prose, &overview), "");
    EXPECT_TEXT(lauka_overview_headline(&prose, &overview),
                "1 of 2 benchmarks is slower; 1 within the limits");
    EXPECT(lauka_prose_done(&prose) == 0);
    lauka_session_done(&session);
}

/* The worst first, with its interval; and one table, in which the limits come first. */
static void the_comment_of_one_is_headed_by_what_failed(void)
{
    struct plan plans[] = {limited[1], {.name = NULL}};
    struct lauka_session session = plan_session(plans, 2, 30);
    char *text = written(comment, &session);
    expect_in(
        text,
        "\n### ❌ lauka: memory **+94.01\u00A0%** [+93.96, +94.07], wall time **+5.2\u00A0%**: 2 "
        "of 2 limits exceeded\n");
    expect_in(text, "| Verdict | Metric | Change | Limit | Mean |\n|:--|:--|:--|:--|--:|\n"
                    "| ❌\u00A0FAIL | `peak_rss` | **+94.01\u00A0%**");
    expect_in(text, "\n| ❌\u00A0FAIL | `wall_time` | **+5.2\u00A0%**");
    EXPECT(!strstr(text, "gate: FAIL")); /* no second table */
    free(text);
    lauka_session_done(&session);
    plans[0].memory_limit = 0;
    session = plan_session(plans, 2, 30);
    text = written(comment, &session);
    expect_in(text, "### ❌ lauka: wall time **+5.2\u00A0%** [");
    expect_in(text, "], limit 2 %\n");
    expect_in(text,
              "find what costs more (`lauka why` with the same commands names the functions)");
    free(text);
    lauka_session_done(&session);
}

/* ---- functions --------------------------------------------------------------------------------- */

static void expect_function(const char *name, const char *expected)
{
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    EXPECT_TEXT(lauka_say_function(&prose, name, 40), expected);
    EXPECT(lauka_prose_done(&prose) == 0);
}

static void a_long_cpp_name_loses_its_arguments_first(void)
{
    expect_function("parse_numbers(char const*)", "parse_numbers(char const*)"); /* it fits */
    expect_function("parse_numbers(std::__cxx11::basic_string<char> const&, std::vector<double>&)",
                    "parse_numbers");
    expect_function(
        "void std::vector<double, std::allocator<double> >::_M_realloc_insert<double "
        "const&>(__gnu_cxx::__normal_iterator<double*, std::vector<double> >, double const&)",
        "void std::vector::_M_realloc_insert");
    expect_function("(anonymous namespace)::reader::next(std::basic_string<char> const&, int)",
                    "(anonymous namespace)::reader::next");
    expect_function(
        "less<std::basic_string<char> >::operator()(std::string const&, std::string const&)",
        "less<…>::operator()");
    expect_function("operator<< <std::char_traits<char> >(std::basic_ostream<char>&, char const*)",
                    "operator<< <std::char_traits<char> >"); /* short enough then */
    expect_function(
        "nlohmann::json_abi_v3::detail::serializer<std::map<int, int> >::dump_escaped(char)",
        "…::detail::serializer::dump_escaped");
    expect_function("a_c_function_whose_name_is_longer_than_there_is_room",
                    "a_c_function_whose_n…_than_there_is_room");
    expect_function("<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<",
                    "<<<<<<<<<<<<<<<<<<<<…<<<<<<<<<<<<<<<<<<<");
    expect_function("))))))))))))))))))))))))))))))))))))))))))))))))))))",
                    "))))))))))))))))))))…)))))))))))))))))))");
}

/* ---- a ranking --------------------------------------------------------------------------------- */

/* The order of the commands, the fastest first, and whether that one is clearly so. */
static void expect_ranking(struct lauka_result *result, const char *order, bool clear)
{
    struct lauka_ranking ranking;
    char found[8] = "";
    EXPECT(lauka_result_analyse(result) == 0 && lauka_result_rank(result, &ranking) == 0);
    for (size_t i = 0; i < ranking.count && i < 7; i++)
        found[i] = (char)('0' + ranking.rows[i].command);
    EXPECT_TEXT(found, order);
    EXPECT(ranking.clear == clear);
    lauka_ranking_done(&ranking);
}

static void scale(struct lauka_result *result, size_t command, double factor)
{
    struct lauka_series *series = &result->commands[command].series[PLAN_WALL];
    for (size_t i = 0; i < series->count; i++)
        lauka_series_set(series, i, (uint64_t)((double)lauka_series_at(series, i) * factor));
}

static void commands_are_ranked_against_the_fastest(void)
{
    struct lauka_session session = plan_session(
        (struct plan[]){{.name = "p", .wall_ms = 10, .noise = 0.002}, {.name = NULL}}, 3, 20);
    struct lauka_result *result = &session.benchmarks[0];
    struct lauka_ranking ranking;
    scale(result, 1, 3);
    scale(result, 2, 0.5);
    expect_ranking(result, "201", true);
    EXPECT(lauka_result_rank(result, &ranking) == 0);
    EXPECT(fabs(ranking.rows[1].values.ratio.value - 2) <
           0.02); /* of the fastest, not of the reference */
    EXPECT(fabs(ranking.rows[2].values.ratio.value - 6) < 0.06);
    EXPECT_UINT(ranking.slower, 2);
    lauka_ranking_done(&ranking);
    scale(result, 2, 2);
    expect_ranking(result,
                   lauka_result_summary(result, 2, PLAN_WALL)->median <
                           lauka_result_summary(result, 0, PLAN_WALL)->median
                       ? "201"
                       : "021",
                   false);
    result->run.noise = true; /* one and the same command has no ranking */
    expect_ranking(result, "", false);
    lauka_session_done(&session);
}

static void a_command_that_fails_is_not_the_fastest(void)
{
    struct lauka_session session = plan_session(
        (struct plan[]){{.name = "p", .wall_ms = 10, .noise = 0.002}, {.name = NULL}}, 3, 20);
    struct lauka_result *result = &session.benchmarks[0];
    scale(result, 1, 0.25);
    scale(result, 2, 0.5);
    result->commands[1].failures = 1;
    expect_ranking(result, "20", true);
    result->commands[2].failures = 20;
    expect_ranking(result, "0", false); /* nothing is left to compare it with */
    result->commands[0].failures = 20;
    expect_ranking(result, "120", true); /* all fail, so it is no reason to prefer one */
    lauka_session_done(&session);
}

int main(void)
{
    TEST(a_failed_limit_on_memory_leads_the_sentence);
    TEST(memory_is_said_where_it_changed_much);
    TEST(the_two_values_have_the_ratio_of_the_sentence);
    TEST(the_headline_of_many_names_every_metric_that_failed);
    TEST(slower_needs_no_metric);
    TEST(the_comment_of_one_is_headed_by_what_failed);
    TEST(a_long_cpp_name_loses_its_arguments_first);
    TEST(commands_are_ranked_against_the_fastest);
    TEST(a_command_that_fails_is_not_the_fastest);
    return expect_report("decided");
}
