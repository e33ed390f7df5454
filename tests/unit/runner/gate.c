/* The gate: how its limits are read or refused, and how they judge a result. */
#include "pmu/events/events.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/gate/gate.h"
#include "runner/launch/launch.h"
#include "runner/options/table.h"
#include "runner/session/session.h"
#include "stats/stats.h"
#include "tests/unit/expect.h"

#include <stdlib.h>

/* ---- gate_rule.c ---- */

static struct lauka_arena arena;

struct expected_rule {
    const char *text, *metric;
    enum lauka_statistic statistic;
    uint32_t rank;
    double share, absolute; /* negative: there is none */
    const char *unit;
};

static void check_rule(const struct expected_rule *expected)
{
    struct lauka_gate_rule rule;
    struct lauka_error error;
    if (!gate_rule_parse(&arena, expected->text, &rule, &error)) {
        printf("%s: %s\n", expected->text, error.text);
        EXPECT(false);
        return;
    }
    EXPECT_TEXT(rule.metric, expected->metric);
    EXPECT(rule.statistic == expected->statistic);
    EXPECT_UINT(rule.rank, expected->rank);
    EXPECT(rule.share.known == (expected->share >= 0));
    EXPECT(rule.absolute.known == (expected->absolute >= 0));
    if (rule.share.known)
        EXPECT_NEAR(rule.share.value, expected->share, 1e-15);
    if (rule.absolute.known)
        EXPECT_NEAR(rule.absolute.value, expected->absolute, 1e-15);
    EXPECT_TEXT(rule.unit ? rule.unit : "", expected->unit ? expected->unit : "");
    lauka_arena_done(&arena);
}

static const struct expected_rule rules[] = {
    {"wall_time=2%", "wall_time", LAUKA_STATISTIC_TYPICAL, 0, 0.02, -1, NULL},
    {" wall = 2 % ", "wall", LAUKA_STATISTIC_TYPICAL, 0, 0.02, -1, NULL},
    {"wall=1e1%", "wall", LAUKA_STATISTIC_TYPICAL, 0, 0.1, -1, NULL},
    {"wall.typical=0.5%", "wall", LAUKA_STATISTIC_TYPICAL, 0, 0.005, -1, NULL},
    {"wall.mean=0%", "wall", LAUKA_STATISTIC_MEAN, 0, 0, -1, NULL},
    {"wall.median=3%", "wall", LAUKA_STATISTIC_QUANTILE, 500000000, 0.03, -1, NULL},
    {"wall.p99=5%", "wall", LAUKA_STATISTIC_QUANTILE, 990000000, 0.05, -1, NULL},
    {"wall.p99.9=5%", "wall", LAUKA_STATISTIC_QUANTILE, 999000000, 0.05, -1, NULL},
    {"wall.p5=5%", "wall", LAUKA_STATISTIC_QUANTILE, 50000000, 0.05, -1, NULL},
    {"wall=2%,+50us", "wall", LAUKA_STATISTIC_TYPICAL, 0, 0.02, 50e3, "ns"},
    {"wall=2% , + 1.5 ms", "wall", LAUKA_STATISTIC_TYPICAL, 0, 0.02, 1.5e6, "ns"},
    {"wall=+50µs", "wall", LAUKA_STATISTIC_TYPICAL, 0, -1, 50e3, "ns"},
    {"peak_rss=+1MiB", "peak_rss", LAUKA_STATISTIC_TYPICAL, 0, -1, 1048576, "B"},
    {"instructions:u=+2K", "instructions:u", LAUKA_STATISTIC_TYPICAL, 0, -1, 2000, "1"},
    {"faults=+0", "faults", LAUKA_STATISTIC_TYPICAL, 0, -1, 0, "1"},
    {"cpu/event=0x3c,umask=0x1/=1%", "cpu/event=0x3c,umask=0x1/", LAUKA_STATISTIC_TYPICAL, 0, 0.01,
     -1, NULL},
    {"cpu/a.b=1/.p90=1%", "cpu/a.b=1/", LAUKA_STATISTIC_QUANTILE, 900000000, 0.01, -1, NULL},
};

static void rules_are_a_metric_a_statistic_and_limits(void)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        check_rule(&rules[i]);
}

static void a_budget_is_what_the_value_may_be(void)
{
    static const struct {
        const char *text, *metric, *unit;
        enum lauka_statistic statistic;
        double most;
    } budgets[] = {
        {"cpu_time<=5ms", "cpu_time", "ns", LAUKA_STATISTIC_TYPICAL, 5e6},
        {" peak_rss <= 64 MiB ", "peak_rss", "B", LAUKA_STATISTIC_TYPICAL, 0x4p24},
        {"wall.mean<=1.5s", "wall", "ns", LAUKA_STATISTIC_MEAN, 1.5e9},
        {"wall.p99<=20us", "wall", "ns", LAUKA_STATISTIC_QUANTILE, 20e3},
        {"cpu/event=0x3c/<=2M", "cpu/event=0x3c/", "1", LAUKA_STATISTIC_TYPICAL, 2e6},
        {"loss<=5e-7", "loss", "1", LAUKA_STATISTIC_TYPICAL, 5e-7},
        {"loss<=1.5E+3 us", "loss", "ns", LAUKA_STATISTIC_TYPICAL, 1.5e6},
    };
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        struct lauka_gate_rule rule;
        struct lauka_error error;
        EXPECT(gate_rule_parse(&arena, budgets[i].text, &rule, &error));
        EXPECT_TEXT(rule.metric, budgets[i].metric);
        EXPECT_TEXT(rule.unit, budgets[i].unit);
        EXPECT(rule.statistic == budgets[i].statistic);
        EXPECT(rule.most.known && !rule.share.known && !rule.absolute.known);
        EXPECT_NEAR(rule.most.value, budgets[i].most, 1e-9);
        lauka_arena_done(&arena);
    }
}

static void what_is_no_rule_is_refused(void)
{
    static const char *const bad[] = {
        "",
        "wall",
        "=",
        "=2%",
        "wall=",
        "wall=2",
        "wall=-2%",
        "wall=2%%",
        "wall=2%,",
        "wall=2%,50us",
        "wall=+",
        "wall=+us",
        "wall=nan%",
        "wall=inf%",
        "wall=0x2%",
        "wall<=1e",
        "wall<=1e-",
        "wall<=e5",
        "wall<=1e99",
        "wall=1.2.3%",
        "wall=.%",
        "wall=+5m",
        "wall=+5 min",
        "wall=50us,2%",
        "wall=2%,+1ms,+2ms",
        "wall=99999999%",
        "wall=+1ms,2%",
        "wall<=2%",
        "wall<=+2ms",
        "wall<=1ms,2%",
        "wall<=",
        "<=2ms",
        "wall=<2ms",
        "wall>=2ms",
        "wall=1111111111111111111111111111111111111111111%",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct lauka_gate_rule rule;
        struct lauka_error error = {0};
        bool taken = gate_rule_parse(&arena, bad[i], &rule, &error);
        if (taken)
            printf("taken: %s\n", bad[i]);
        EXPECT(!taken && error.code == LAUKA_EXIT_USAGE && strstr(error.text, "--gate"));
    }
}

static void the_least_and_the_most_are_refused_with_the_reason(void)
{
    struct lauka_gate_rule rule;
    struct lauka_error error = {0};
    EXPECT(!gate_rule_parse(&arena, "wall.min=2%", &rule, &error));
    EXPECT(error.code == LAUKA_EXIT_USAGE && strstr(error.text, "falls with every further run"));
    EXPECT(!gate_rule_parse(&arena, "wall.max=2%", &rule, &error));
    EXPECT(strstr(error.text, "grows with every further run"));
}

/* ---- files ---- */

static bool read_rules(const char *text, size_t size, struct lauka_result_gate *gate,
                       struct lauka_error *error)
{
    *gate = (struct lauka_result_gate){0};
    *error = (struct lauka_error){0};
    return gate_file_parse(&arena, "gates", text, size, gate, error);
}

static const char gate_file[] = "# limits\r\n"
                                "wall=2%\n"
                                "\n"
                                "[parse large]\n"
                                "  wall.p99 = 5%,+50us  \n"
                                "[*]\n"
                                "peak_rss=+1MiB";

static void a_file_has_a_rule_a_line_and_sections(void)
{
    struct lauka_result_gate gate;
    struct lauka_error error;
    EXPECT(read_rules(gate_file, strlen(gate_file), &gate, &error));
    EXPECT_UINT(gate.rule_count, 3);
    EXPECT(!gate.rules[0].benchmark && !gate.rules[2].benchmark);
    EXPECT_TEXT(gate.rules[1].benchmark, "parse large");
    EXPECT_UINT(gate.rules[1].rank, 990000000);
    EXPECT_TEXT(gate.rules[1].where, "gates:4");
    EXPECT(!gate.rules[2].where);
    lauka_arena_done(&arena);
    EXPECT(!read_rules("wall=2%\nwall=\n", 14, &gate, &error));
    EXPECT(strncmp(error.text, "gates:2: ", 9) == 0 && error.code == LAUKA_EXIT_USAGE);
    lauka_arena_done(&arena);
    EXPECT(!read_rules("[]\n", 3, &gate, &error));
    lauka_arena_done(&arena);
    EXPECT(!read_rules("wall\0=2%\n", 9, &gate, &error));
    lauka_arena_done(&arena);
}

static bool read_allowances(const char *text, size_t size, struct lauka_result_gate *gate,
                            struct lauka_error *error)
{
    *gate = (struct lauka_result_gate){0};
    *error = (struct lauka_error){0};
    return gate_allowances_parse(&arena, "allow", text, size, "2026-11-21", gate, error);
}

static const char allow_file[] =
    "# known\n"
    "\"./parse 'a b'\" wall_time until=2026-11-21 #1234 new UTF-8 check\r\n"
    "* wall.p99 until=2026-11-20 the old one\n"
    "  b\tpeak_rss until=2028-02-29 leap";

static void an_allowance_names_benchmark_metric_day_and_reason(void)
{
    struct lauka_result_gate gate;
    struct lauka_error error;
    EXPECT(read_allowances(allow_file, strlen(allow_file), &gate, &error));
    EXPECT_UINT(gate.allowance_count, 3);
    EXPECT_TEXT(gate.allowances[0].benchmark, "./parse 'a b'");
    EXPECT_TEXT(gate.allowances[0].reason, "#1234 new UTF-8 check");
    EXPECT(!gate.allowances[0].expired); /* the last day is included */
    EXPECT(gate.allowances[1].expired);
    EXPECT_TEXT(gate.allowances[2].metric, "peak_rss");
    lauka_arena_done(&arena);
}

static void what_is_no_allowance_is_refused(void)
{
    static const char *const bad[] = {
        "a wall",
        "a wall until=2026-12-31",
        "a wall 2026-12-31 why",
        "a wall until=2026-13-01 why",
        "a wall until=2026-02-29 why",
        "a wall until=2026-1-1 why",
        "a wall until=tomorrow why",
        "'a wall until=2026-12-31 why",
        "a until=2026-12-31 why",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct lauka_result_gate gate;
        struct lauka_error error;
        bool taken = read_allowances(bad[i], strlen(bad[i]), &gate, &error);
        if (taken)
            printf("taken: %s\n", bad[i]);
        EXPECT(!taken && strncmp(error.text, "allow:1: ", 9) == 0);
        lauka_arena_done(&arena);
    }
}

/* Damaged text is either read, or refused with one line. */
static void damaged_words_are_read_or_refused(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 7);
    for (int i = 0; i < 20000; i++) {
        char text[256];
        const char *from = i % 2 ? gate_file : allow_file;
        size_t size = strlen(from);
        memcpy(text, from, size);
        for (uint64_t n = 1 + lauka_random_below(&random, 6); n > 0; n--) {
            static const char marks[] = "=.,+%p9[]\n\"'# \t-u";
            size_t at = (size_t)lauka_random_below(&random, size);
            text[at] = lauka_random_below(&random, 2)
                           ? marks[lauka_random_below(&random, sizeof marks)]
                           : (char)lauka_random_below(&random, 256);
        }
        size -= (size_t)lauka_random_below(&random, size / 2);
        struct lauka_result_gate gate;
        struct lauka_error error;
        bool good = i % 2 ? read_rules(text, size, &gate, &error)
                          : read_allowances(text, size, &gate, &error);
        EXPECT(good || (error.code == LAUKA_EXIT_USAGE && *error.text));
        for (size_t r = 0; good && r < gate.rule_count; r++)
            EXPECT(gate.rules[r].metric &&
                   (gate.rules[r].share.known || gate.rules[r].absolute.known));
        lauka_arena_done(&arena);
    }
}

/* ---- names ---- */

static void statistics_are_written_as_they_are_read(void)
{
    static const char *const names[] = {"typical", "mean", "p50", "p99", "p99.9", "p0.0000001"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        enum lauka_statistic statistic;
        uint32_t rank;
        char text[32];
        EXPECT(lauka_statistic_parse(names[i], strlen(names[i]), &statistic, &rank));
        EXPECT_TEXT(lauka_statistic_name(statistic, rank, text, sizeof text), names[i]);
    }
    enum lauka_statistic statistic;
    uint32_t rank;
    static const char *const bad[] = {"",    "p",  "p0", "p100", "p99.", "p.9", "p99.99999999",
                                      "p-1", "min"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT(!lauka_statistic_parse(bad[i], strlen(bad[i]), &statistic, &rank));
}

static void bisecting_takes_what_is_not_known_for_neither(void)
{
    EXPECT(lauka_bisect_code(0) == 0 && lauka_bisect_code(3) == 1);
    EXPECT(lauka_bisect_code(4) == 125 && lauka_bisect_code(5) == 125);
    EXPECT(lauka_bisect_code(1) == 255 && lauka_bisect_code(2) == 255);
    EXPECT(lauka_bisect_code(6) == 255 && lauka_bisect_code(130) == 130);
}

/* ---- the slowdown that a trial of a gate must notice ---- */

static void a_slowdown_exceeds_every_limit_on_a_time_twice(void)
{
    char wall[] = "wall_time", cpu[] = "cpu_time", rss[] = "peak_rss";
    char ns[] = "ns", bytes[] = "B", clock[] = "clock";
    struct lauka_result_metric metrics[] = {
        {.name = wall, .unit = ns, .source = clock, .better = "lower"},
        {.name = cpu, .unit = ns, .source = clock, .better = "lower"},
        {.name = rss, .unit = bytes, .source = clock, .better = "lower"}};
    struct lauka_gate_rule rules_of[] = {
        {.metric = wall, .share = {true, 0.02}},
        {.metric = cpu, .share = {true, 0.01}, .absolute = {true, 5e5}},
        {.metric = rss, .share = {true, 0.5}}};
    struct lauka_result result = {.metrics = metrics,
                                  .metric_count = 3,
                                  .gate = {.rules = rules_of, .rule_count = 3, .tried = true}};
    struct lauka_slowdown slowdown = {.count = 0};
    struct lauka_sample sample = {.outcome = LAUKA_EXITED};
    for (uint64_t i = 0; i < 100; i++) {
        sample.usage.values[LAUKA_WALL_TIME] = 10000000 + i % 3;
        sample.usage.values[LAUKA_CPU_TIME] = 8000000;
        lauka_slowdown_note(&slowdown, &sample);
    }
    /* 2 x 0.5 ms is more than 2 x 0.2 ms. */
    EXPECT_UINT(lauka_slowdown_ns(&slowdown, &result), 1000000);
    result.gate.rule_count = 1;
    EXPECT_UINT(lauka_slowdown_ns(&slowdown, &result), 400000);
    rules_of[0].share.value = 0;
    EXPECT_UINT(lauka_slowdown_ns(&slowdown, &result), 50000);
    rules_of[0] = rules_of[2];
    EXPECT_UINT(lauka_slowdown_ns(&slowdown, &result), 0);
}

/* ---- interim results of a session ---- */

static void a_summary_has_verdicts_of_its_own(void)
{
    char wall[] = "wall_time", ns[] = "ns", clock[] = "clock", a[] = "a", b[] = "b";
    struct lauka_result_metric metric = {.name = wall,
                                         .unit = ns,
                                         .source = clock,
                                         .better = "lower",
                                         .counted = true,
                                         .share = 1,
                                         .primary = true};
    struct lauka_gate_rule rule = {.metric = wall, .share = {true, 0.02}};
    struct lauka_series series[2] = {{0}, {0}};
    struct lauka_result_command commands[2] = {{.label = a, .series = &series[0]},
                                               {.label = b, .series = &series[1]}};
    struct lauka_poured poured = {0};
    struct lauka_result summary, result = {.metrics = &metric,
                                           .metric_count = 1,
                                           .commands = commands,
                                           .command_count = 2,
                                           .run = {.rounds = 20, .alpha = 0.05, .precision = 0.01},
                                           .gate = {.rules = &rule, .rule_count = 1}};
    for (uint64_t i = 0; i < 20; i++)
        for (uint64_t c = 0; c < 2; c++) {
            EXPECT(lauka_series_reserve(&series[c], 20) == 0);
            lauka_series_add(&series[c], 1000000 + 100000 * c + i * 7 % 11);
        }
    EXPECT(lauka_gate_judge_result(&result, 0.01) == 0);
    const struct lauka_gate_row *rows = result.gate.rows;
    EXPECT(lauka_summary_make(&result, &poured, &summary) == 0);
    EXPECT_UINT(summary.gate.row_count, 1);
    EXPECT(summary.gate.rows != rows && result.gate.rows == rows);
    lauka_summary_done(&summary);
    lauka_poured_done(&poured);
    EXPECT(result.gate.rows[0].judgement.verdict == LAUKA_GATE_FAIL);
    free(result.gate.rows);
    for (size_t c = 0; c < 2; c++)
        lauka_series_done(&series[c]);
}

int main(void)
{
    TEST(rules_are_a_metric_a_statistic_and_limits);
    TEST(a_budget_is_what_the_value_may_be);
    TEST(what_is_no_rule_is_refused);
    TEST(the_least_and_the_most_are_refused_with_the_reason);
    TEST(a_file_has_a_rule_a_line_and_sections);
    TEST(an_allowance_names_benchmark_metric_day_and_reason);
    TEST(what_is_no_allowance_is_refused);
    TEST(damaged_words_are_read_or_refused);
    TEST(statistics_are_written_as_they_are_read);
    TEST(bisecting_takes_what_is_not_known_for_neither);
    TEST(a_slowdown_exceeds_every_limit_on_a_time_twice);
    TEST(a_summary_has_verdicts_of_its_own);
    return expect_report("gate");
}
