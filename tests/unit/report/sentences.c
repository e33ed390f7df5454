/* What is said of a result, in words. */
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/said.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tests/unit/expect.h"
#include "tests/unit/goldens.h"

/* ---- results and sentences --------------------------------------------------------------------------- */

static void an_empty_result_is_freed_and_written(void)
{
    struct lauka_result result = {0};
    EXPECT(lauka_result_analyse(&result) == 0);
    for (enum writer writer = SCREEN; writer <= PERCENTILES; writer++)
        free(written(&result, writer, utf8));
    lauka_result_done(&result);
    lauka_result_done(&result);
}

static void a_result_can_be_analysed_again(void)
{
    struct lauka_result result = pretend_two();
    EXPECT(lauka_result_analyse(&result) == 0);
    lauka_series_set(&result.commands[1].series[WALL_TIME], 0, 1);
    EXPECT(lauka_result_analyse(&result) == 0);
    EXPECT_UINT(result.commands[1].summaries[WALL_TIME].min, 1);
    EXPECT_UINT(result.comparison_count, PRETENCES);
    EXPECT(lauka_result_comparison(&result, 0, WALL_TIME) == NULL);
    EXPECT(lauka_result_comparison(&result, 2, WALL_TIME) == NULL);
    EXPECT(lauka_result_comparison(&result, 1, PRETENCES) == NULL);
    EXPECT_UINT(lauka_result_metric_index(&result, "peak_rss"), PEAK_RSS);
    EXPECT_UINT(lauka_result_metric_index(&result, "wishes"), PRETENCES);
    lauka_result_done(&result);
}

/* Checks the sentence about ./b if every round of ./a took `a` ns and every round of ./b took `b` ns. */
static void expect_sentence(uint64_t a, uint64_t b, const char *expected)
{
    struct lauka_result result = pretend(&(struct wish){.rounds = 4, .labels = {"./a", "./b"}});
    for (size_t i = 0; i < 4; i++) {
        lauka_series_set(&result.commands[0].series[WALL_TIME], i, a);
        lauka_series_set(&result.commands[1].series[WALL_TIME], i, b);
    }
    char text[512];
    EXPECT(lauka_result_analyse(&result) == 0);
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT_TEXT(text, expected);
    lauka_result_done(&result);
}

static void sentences_about_constants_are_exact(void)
{
    expect_sentence(10000000, 10210000,
                    "`./b` is 2.10 % slower than `./a`: always 10.21 ms against 10.00 ms wall "
                    "time.");
    expect_sentence(10000000, 6666667,
                    "`./b` is 33.3 % faster than `./a`: always 6.667 ms against 10.00 ms wall "
                    "time.");
    expect_sentence(10000000, 35000000,
                    "`./b` takes 3.50 times as long as `./a`: always 35.00 ms against 10.00 ms "
                    "wall time.");
    expect_sentence(35000000, 10000000,
                    "`./b` is 3.50 times as fast as `./a`: always 10.00 ms against 35.00 ms wall "
                    "time.");
    expect_sentence(10000000, 10000000, "`./b` is identical to `./a`: always 10.00 ms wall time.");
    expect_sentence(10000000, 10000001,
                    "`./b` is <0.001 % slower than `./a`, less than the 1 % that matters here: "
                    "always 10.00 ms against 10.00 ms wall time.");
    expect_sentence(0, 1000,
                    "`./b` is 1.00 µs slower than `./a`: always 1.000 µs against 0 µs wall time.");
}

/* Ticks of 4 ms in 2 of 20 rounds and in 10 of 20: 0.4 ms against 2 ms. */
static void changes_of_ticks_are_shown_as_others_are(void)
{
    enum { USER_TIME = 1 };
    struct lauka_result result = pretend_two();
    for (size_t i = 0; i < 20; i++) {
        lauka_series_set(&result.commands[0].series[USER_TIME], i, i % 10 == 0 ? 4000000 : 0);
        lauka_series_set(&result.commands[1].series[USER_TIME], i, i % 2 == 0 ? 4000000 : 0);
    }
    EXPECT(lauka_result_analyse(&result) == 0);
    const struct lauka_comparison *comparison = lauka_result_comparison(&result, 1, USER_TIME);
    struct lauka_change change;
    change = lauka_change(&prose, comparison, (struct lauka_scale){1e6, "ms", 3});
    EXPECT(comparison->method == LAUKA_METHOD_MEAN);
    EXPECT_TEXT(change.estimate, "×5.0");
    EXPECT_TEXT(change.interval, "[2.6, 7.4]");
    EXPECT_TEXT(lauka_say_steps(&prose, &result),
                "user_time comes in steps here; it is compared by its mean.");
    for (size_t i = 0; i < 20; i++) { /* nothing falls by more than 100 % */
        lauka_series_set(&result.commands[0].series[USER_TIME], i, i % 3 == 0 ? 4000000 : 0);
        lauka_series_set(&result.commands[1].series[USER_TIME], i, i == 0 ? 4000000 : 0);
    }
    EXPECT(lauka_result_analyse(&result) == 0);
    comparison = lauka_result_comparison(&result, 1, USER_TIME);
    EXPECT(comparison->difference_low.value < -comparison->reference_mean);
    change = lauka_change(&prose, comparison, (struct lauka_scale){1e6, "ms", 3});
    EXPECT_TEXT(change.estimate, "−86 %"); /* no factor: the interval has a mean of nothing */
    EXPECT_TEXT(change.interval, "[−100, −23]");
    lauka_result_done(&result);
}

static struct lauka_comparison of_percents(double low, double estimate, double high)
{
    return (struct lauka_comparison){
        .method = LAUKA_METHOD_HODGES_LEHMANN,
        .confidence = 0.95,
        .log_ratio = {true, log1p(estimate / 100)},
        .log_low = {true, log1p(low / 100)},
        .log_high = {true, log1p(high / 100)},
    };
}

static struct lauka_change change_of(double low, double estimate, double high)
{
    const struct lauka_comparison comparison = of_percents(low, estimate, high);
    struct lauka_change change;
    change = lauka_change(&prose, &comparison, (struct lauka_scale){1e6, "ms", 3});
    return change;
}

static void a_change_of_two_or_more_is_a_factor_both_ways(void)
{
    struct lauka_change less = change_of(97, 99, 101), twice = change_of(90, 99.6, 110);
    struct lauka_change much = change_of(488, 577, 721), fall = change_of(-88.6, -87.3, -85.9);
    struct lauka_change open = change_of(-40, 150, 900), none = change_of(-100, -100, -100);
    EXPECT_TEXT(less.estimate, "+99.0 %");
    EXPECT_TEXT(twice.estimate, "×2.0");
    EXPECT_TEXT(twice.interval, "[1.9, 2.1]");
    EXPECT_TEXT(much.estimate, "×6.8");
    EXPECT_TEXT(much.interval, "[5.9, 8.2]");
    EXPECT_TEXT(fall.estimate, "÷7.9");
    EXPECT_TEXT(fall.interval, "[7.1, 8.8]");
    EXPECT_TEXT(open.estimate, "×2.5");
    EXPECT_TEXT(open.interval, "[0.6, 10.0]");
    EXPECT_TEXT(none.estimate, "−100.0 %"); /* no factor has this */
}

static void no_interval_that_has_a_width_looks_as_if_it_had_none(void)
{
    struct lauka_change usual = change_of(4.98, 5.001, 5.02),
                        narrow = change_of(4.995, 4.999, 5.002);
    struct lauka_change finer = change_of(-5.00004, -5, -4.99996),
                        zero = change_of(0.001, 0.003, 0.005);
    EXPECT_TEXT(usual.estimate, "+5.00 %");
    EXPECT_TEXT(usual.interval, "[+4.98, +5.02]");
    EXPECT_TEXT(narrow.estimate, "+4.999 %");
    EXPECT_TEXT(narrow.interval, "[±0.004]");
    EXPECT_TEXT(finer.estimate, "−5.0000 %");
    EXPECT_TEXT(finer.interval, "[±0.0001]");
    EXPECT_TEXT(zero.estimate, "+0.003 %"); /* the end nearer to 0 decides the digits */
    EXPECT_TEXT(zero.interval, "[+0.001, +0.005]");
}

/* Of constant figures, the interval is what a figure's last digit leaves open. */
static void an_interval_that_is_sharper_than_the_estimate_does_not_repeat_it(void)
{
    struct lauka_change same = change_of(19.99999999, 20, 20.00000001),
                        seen = change_of(19.9975, 20, 20.0025);
    EXPECT_TEXT(same.estimate, "+20.0000 %");
    EXPECT_TEXT(same.interval, "[±0.0001]");
    EXPECT_TEXT(seen.interval, "[±0.003]");
    same = change_of(20, 20, 20);
    EXPECT_TEXT(same.interval, "");
}

/* With three rounds of many commands, almost any change is possible. */
static void an_interval_of_everything_has_few_digits(void)
{
    const struct lauka_scale scale = {1, "", 0};
    struct lauka_change wide = change_of(-99.9999, -24, 4e30),
                        narrow = change_of(-99.97, -99.96, -99.95);
    struct lauka_comparison everything = of_percents(-99.9999, -24, 4e30),
                            some = of_percents(-80, 5, 400);
    EXPECT_TEXT(wide.estimate, "−24 %");
    EXPECT_TEXT(wide.interval, "[−>99, +>99999]");
    EXPECT_TEXT(narrow.estimate, "÷2500");
    EXPECT_TEXT(narrow.interval, "[2000, 3333]");
    EXPECT_TEXT(lauka_change_reach(&prose, &everything, scale), "over ±999 %");
    EXPECT_TEXT(lauka_change_reach(&prose, &some, scale), "±400 %");
}

/* ---- sentences about judgements made by hand --------------------------------------------------------- */

struct judgement { /* in per cent; no interval if low equals high */
    double change, low, high;
    enum lauka_verdict verdict;
    bool below_precision;
    uint64_t withdrawn_from; /* the size of the family; 0: not withdrawn */
};

static struct lauka_optional log_of(double percents)
{
    return (struct lauka_optional){true, log1p(percents / 100)};
}

static void judge(struct lauka_result *result, size_t command, size_t metric, struct judgement is)
{
    struct lauka_comparison *c =
        &result->comparisons[(command - 1) * result->metric_count + metric].values;
    bool interval = is.low < is.high;
    c->method = interval ? LAUKA_METHOD_HODGES_LEHMANN : LAUKA_METHOD_NONE;
    c->confidence = interval ? 0.95 : 0;
    c->log_ratio = log_of(is.change);
    c->log_low = interval ? log_of(is.low) : (struct lauka_optional){0};
    c->log_high = interval ? log_of(is.high) : (struct lauka_optional){0};
    c->ratio = (struct lauka_optional){true, 1 + is.change / 100};
    c->low = (struct lauka_optional){interval, interval ? 1 + is.low / 100 : 0};
    c->high = (struct lauka_optional){interval, interval ? 1 + is.high / 100 : 0};
    c->half_width = (struct lauka_optional){interval, (is.high - is.low) / 200};
    c->verdict = is.verdict;
    c->below_precision = is.below_precision;
    c->withdrawn = is.withdrawn_from > 0;
    c->family = is.withdrawn_from;
    result->metrics[metric].primary = true;
}

enum { CPU_TIME = 1 }; /* user_time, renamed */

/* The wall times of ./a and ./b are 10 ms and 10.21 ms; their judgements are given. */
static struct lauka_result pretend_judged(struct judgement wall, struct judgement cpu)
{
    struct lauka_result result = pretend(&(struct wish){.rounds = 38, .labels = {"./a", "./b"}});
    free(result.metrics[CPU_TIME].name);
    result.metrics[CPU_TIME].name = strdup("cpu_time");
    for (size_t i = 0; i < 38; i++) {
        lauka_series_set(&result.commands[0].series[WALL_TIME], i, 10000000 + i % 2 * 1000);
        lauka_series_set(&result.commands[1].series[WALL_TIME], i, 10210000);
    }
    result.run.measured = 4;
    EXPECT(lauka_result_analyse(&result) == 0);
    for (size_t i = 0; i < result.comparison_count; i++) /* which say something else here */
        result.comparisons[i].values.mean_low = (struct lauka_optional){0};
    judge(&result, 1, WALL_TIME, wall);
    if (cpu.verdict != LAUKA_VERDICT_NONE)
        judge(&result, 1, CPU_TIME, cpu);
    return result;
}

static void expect_judged(struct judgement wall, struct judgement cpu, const char *expected)
{
    struct lauka_result result = pretend_judged(wall, cpu);
    char text[512];
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT_TEXT(text, expected);
    lauka_result_done(&result);
}

static const struct judgement unjudged,
    slower = {2.1, 1.2, 3.0, LAUKA_VERDICT_HIGHER, false, 0},
    faster = {-2.1, -3.0, -1.2, LAUKA_VERDICT_LOWER, false, 0},
    same = {0.1, -0.4, 0.6, LAUKA_VERDICT_EQUIVALENT, false, 0},
    unclear = {1, -2.4, 4.4, LAUKA_VERDICT_INCONCLUSIVE, false, 0},
    little = {0.4, 0.2, 0.6, LAUKA_VERDICT_HIGHER, true, 0};

static void a_difference_has_its_direction_and_interval(void)
{
    expect_judged(slower, unjudged,
                  "`./b` is 2.1 % slower than `./a` [1.2, 3.0] (95 % confidence): mean 10.21 ms "
                  "against 10.00 ms wall time.");
    expect_judged(faster, unjudged, /* the means say the opposite */
                  "`./b` is 2.1 % faster than `./a` [1.2, 3.0] (95 % confidence): typically 9.998 "
                  "ms against 10.21 ms wall time.");
    expect_judged((struct judgement){149, 140, 160, LAUKA_VERDICT_HIGHER, false, 0}, unjudged,
                  "`./b` takes 2.5 times as long as `./a` [2.4, 2.6] (95 % confidence): "
                  "typically 15.94 ms against 6.404 ms wall time.");
    expect_judged((struct judgement){-58, -82, -4, LAUKA_VERDICT_LOWER, false, 0}, unjudged,
                  "`./b` is 2.4 times as fast as `./a` [1.04, 5.6] (95 % confidence): "
                  "typically 6.549 ms against 15.59 ms wall time.");
    expect_judged(little, unjudged,
                  "`./b` is 0.4 % slower than `./a` [0.2, 0.6] (95 % confidence), less than the "
                  "1 % that matters here: typically 10.125 ms against 10.085 ms wall time.");
}

/* What fails does not do the work, and is not better because it takes less time. */
static void what_fails_is_said_and_is_not_better(void)
{
    static const struct {
        uint64_t reference, own; /* rounds that failed */
        const char *end, *verdict;
        int goodness;
    } cases[] = {
        {0, 38, "; it failed in 38 of 38 runs.", "faster, failed", 0},
        {3, 0, "; `./a` failed in 3 of 38 runs.", "faster", 1},
        {3, 4, "; it failed in 4 of 38 runs, and `./a` failed in 3 of 38 runs.", "faster", 1},
        {38, 38, "; both failed in 38 of 38 runs.", "faster", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lauka_result result = pretend_judged(faster, unjudged);
        result.commands[0].failures = cases[i].reference;
        result.commands[1].failures = cases[i].own;
        const char *text = lauka_result_sentence(&prose, &result, 1);
        EXPECT_TEXT(strchr(text, ';') ? strchr(text, ';') : text, cases[i].end);
        const struct lauka_cells cells = lauka_result_cells(&prose, &result, 1, WALL_TIME);
        EXPECT_TEXT(cells.text[LAUKA_CELL_VERDICT], cases[i].verdict);
        EXPECT(cells.goodness == cases[i].goodness);
        lauka_result_done(&result);
    }
}

/* Checks the sentence if it is about another metric than the wall time. */
static void expect_judged_as(const char *name, const char *unit, struct judgement is,
                             const char *expected)
{
    struct lauka_result result = pretend_judged(unjudged, is);
    struct lauka_result_metric *metric = &result.metrics[CPU_TIME];
    char text[512];
    result.metrics[WALL_TIME].primary = false;
    free(metric->name);
    free(metric->unit);
    metric->name = strdup(name);
    metric->unit = strdup(unit);
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT_TEXT(text, expected);
    lauka_result_done(&result);
}

static void faster_and_slower_are_said_of_times_only(void)
{
    struct judgement more = {3.0, 2.8, 3.2, LAUKA_VERDICT_HIGHER, false, 0};
    struct judgement thrice = {200, 190, 210, LAUKA_VERDICT_HIGHER, false, 0};
    struct judgement third = {-66, -68, -64, LAUKA_VERDICT_LOWER, false, 0};
    expect_judged_as("cpu_time", "ns", more,
                     "`./b` uses 3.0 % more CPU time than `./a` [2.8, 3.2] (95 % confidence): "
                     "typically 8.49 ms against 8.24 ms CPU time.");
    expect_judged_as("peak_rss", "1", more,
                     "`./b` uses 3.0 % more memory than `./a` [2.8, 3.2] (95 % confidence): "
                     "typically 8.49 M against 8.24 M memory.");
    expect_judged_as("value", "1", more,
                     "`./b` is 3.0 % higher than `./a` [2.8, 3.2] (95 % confidence): typically "
                     "8.49 M against 8.24 M.");
    expect_judged_as("latency", "ns", third,
                     "`./b` is 2.9 times as fast as `./a` [2.8, 3.1] (95 % confidence): "
                     "typically 4.88 ms against 14.35 ms latency.");
    expect_judged_as("instructions:u", "1", thrice,
                     "`./b` has 3.0 times the instructions:u of `./a` [2.9, 3.1] (95 % "
                     "confidence): typically 14.49 M against 4.83 M instructions:u.");
    expect_judged_as(
        "<b>|x", "1", third,
        "`./b` has less of this metric than `./a` by a factor of 2.9 [2.8, 3.1] (95 % confidence): "
        "typically 4.88 M against 14.35 M of this metric.");
}

static void no_difference_is_said_only_with_its_proof(void)
{
    expect_judged(same, unjudged,
                  "`./b` shows no difference larger than 1 % from `./a` [−0.4, +0.6] (95 % "
                  "confidence): mean 10.21 ms against 10.00 ms wall time.");
    expect_judged(unclear, unjudged,
                  "`./b` against `./a` is inconclusive: +1.0 % [−2.4, +4.4] (95 % confidence) "
                  "after 38 rounds; about 440 would reach ±1 %.");
    expect_judged((struct judgement){0.7, -0.1, 1.5, LAUKA_VERDICT_INCONCLUSIVE, false, 0},
                  unjudged,
                  "`./b` against `./a` is inconclusive: +0.7 % [−0.1, +1.5] (95 % confidence) "
                  "after 38 rounds.");
    expect_judged((struct judgement){2.1, 0.1, 4.2, LAUKA_VERDICT_INCONCLUSIVE, false, 6}, unjudged,
                  "`./b` against `./a` is inconclusive: +2.1 % [+0.1, +4.2] (95 % confidence) "
                  "may be chance, as one of 6 comparisons.");
}

/* The smallest p of 6 pairs is 2/64, and of 7 pairs 1/64. With 2 comparisons only the latter is below 5
 * %. */
static void where_so_few_rounds_cannot_tell_it_is_said_how_many_can(void)
{
    struct judgement withdrawn = {2.1, 0.1, 4.2, LAUKA_VERDICT_INCONCLUSIVE, false, 2};
    struct lauka_result result = pretend_judged(withdrawn, unjudged);
    char text[512];
    result.comparisons[WALL_TIME].values.pairs = 6;
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT(strstr(text, " may be chance, as one of 2 comparisons; 7 rounds could exclude that."));
    result.comparisons[WALL_TIME].values.pairs = 7;
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT(strstr(text, " may be chance, as one of 2 comparisons."));
    lauka_result_done(&result);
}

static void what_more_rounds_would_reach_is_told_in_rounds(void)
{
    struct lauka_result result = pretend_judged(unclear, unjudged);
    struct lauka_comparison *comparison = &result.comparisons[WALL_TIME].values;
    char text[512];
    result.run.stopped = LAUKA_STOPPED_ROUNDS;
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT(strstr(text, " after 38 rounds; about --runs=440 would reach ±1 %."));
    comparison->pairs = comparison->reference_count = comparison->other_count = 9;
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT(strstr(text, " after 9 rounds; more rounds would narrow that."));
    result.run.stopped = LAUKA_STOPPED_STORED;
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT(strstr(text, " after 9 values, typically ")); /* the means have another ratio */
    EXPECT(strstr(text, "; more values would narrow that."));
    lauka_result_done(&result);
}

static void cpu_time_is_told_where_it_says_something_else(void)
{
    struct judgement more = {3.0, 2.8, 3.2, LAUKA_VERDICT_HIGHER, false, 0};
    struct judgement less = {-3.0, -3.2, -2.8, LAUKA_VERDICT_LOWER, false, 0};
    expect_judged(slower, more,
                  "`./b` is 2.1 % slower than `./a` [1.2, 3.0] (95 % confidence): mean 10.21 ms "
                  "against 10.00 ms wall time.");
    expect_judged(slower, less,
                  "`./b` is 2.1 % slower than `./a` [1.2, 3.0] (95 % confidence): mean 10.21 ms "
                  "against 10.00 ms wall time; but it uses 3.0 % less CPU time [2.8, 3.2].");
    expect_judged(slower, same,
                  "`./b` is 2.1 % slower than `./a` [1.2, 3.0] (95 % confidence): mean 10.21 ms "
                  "against 10.00 ms wall time; CPU time differs by less than 1 %.");
    expect_judged(same, more,
                  "`./b` shows no difference larger than 1 % from `./a` [−0.4, +0.6] (95 % "
                  "confidence): mean 10.21 ms against 10.00 ms wall time; but it uses 3.0 % more "
                  "CPU time [2.8, 3.2].");
    expect_judged(unclear, more,
                  "`./b` uses 3.0 % more CPU time than `./a` [2.8, 3.2] (95 % confidence); wall "
                  "time is inconclusive: +1.0 % [−2.4, +4.4] after 38 rounds; about 440 would "
                  "reach ±1 %.");
    expect_judged(unclear, same,
                  "`./b` against `./a` is inconclusive: +1.0 % [−2.4, +4.4] (95 % confidence) "
                  "after 38 rounds; about 440 would reach ±1 %; CPU time differs by less than 1 "
                  "%.");
    expect_judged(unclear, unclear,
                  "`./b` against `./a` is inconclusive: +1.0 % [−2.4, +4.4] (95 % confidence) "
                  "after 38 rounds; about 440 would reach ±1 %.");
}

static void noise_says_what_would_be_seen(void)
{
    struct judgement quiet = {0.3, -0.5, 1.1, LAUKA_VERDICT_EQUIVALENT, false, 0};
    struct lauka_result result = pretend_judged(quiet, unclear);
    result.run.noise = true;
    char text[512];
    snprintf(text, sizeof text, "%s", lauka_noise_sentence(&prose, &result, WALL_TIME, "`./a`"));
    EXPECT_TEXT(text,
                "`./a` against itself moved by +0.3 % [−0.5, +1.1] in wall time (95 % "
                "confidence): the smallest change that 9 of 10 sessions would see here is 1.5 %, "
                "or 1.4 % with --until=0.");
    snprintf(text, sizeof text, "%s", lauka_noise_sentence(&prose, &result, CPU_TIME, "`./a`"));
    EXPECT_TEXT(text, "`./a` against itself moved by +1.0 % [−2.4, +4.4] in CPU time: the smallest "
                      "is 7.5 %, or 7.1 % with --until=0.");
    /* 0.8 % * (1 + 1.2816 / 1.9600) */
    double smallest = lauka_smallest_change(lauka_result_comparison(&result, 1, WALL_TIME)).value;
    EXPECT(fabs(smallest - 0.013231) < 1e-6);
    EXPECT(!lauka_smallest_change(lauka_result_comparison(&result, 0, WALL_TIME)).known);
    EXPECT(!lauka_visible_change(&result, result.metric_count, false).known);
    char *table = written(&result, TABLE, ascii);
    expect_golden("table-noise.txt", table);
    free(table);
    lauka_result_done(&result);
}

/* All kinds of doubts, on a machine so busy that wall time is inconclusive. */
static struct lauka_result pretend_doubted(void)
{
    static const double values[LAUKA_DOUBT_COUNT] = {
        0.09, 1.8, 1.42, 1.052, 0.62, 1.08, 0.12, 0.034, 0.25, 1, 1.03, 1.012, 12, 0.93, 1.03};
    struct judgement more = {3.0, 2.8, 3.2, LAUKA_VERDICT_HIGHER, false, 0};
    struct lauka_result result = pretend_judged(unclear, more);
    for (size_t d = 0; d < LAUKA_DOUBT_COUNT; d++) {
        struct lauka_optional raised = {true, values[d]};
        if (d < LAUKA_DOUBT_TAILS)
            result.commands[d % 2].doubts[WALL_TIME].raised[d] = raised;
        else
            result.comparisons[WALL_TIME].doubts.raised[d] = raised;
    }
    return result;
}

static void a_busy_machine_is_named(void)
{
    struct lauka_result result = pretend_doubted();
    char text[512];
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT_TEXT(text,
                "`./b` uses 3.0 % more CPU time than `./a` [2.8, 3.2] (95 % confidence); wall "
                "time is inconclusive: +1.0 % [−2.4, +4.4] after 38 rounds; the machine is busy.");
    lauka_result_done(&result);
}

static const char *doubt_text(const struct lauka_result *result,
                              const struct lauka_doubt_said *said)
{
    return lauka_doubt_sentence(&prose, result, said,
                                lauka_say_subject(&prose, result, said->command),
                                lauka_say_subject(&prose, result, 0));
}

/* With three rounds, an interval may reach anywhere. */
static void what_is_beyond_all_measure_is_no_row_of_digits(void)
{
    struct judgement wild = {50, -99.999, 1e25, LAUKA_VERDICT_INCONCLUSIVE, false, 0};
    struct lauka_result result = pretend_judged(wild, unclear);
    struct lauka_doubt_said said = {LAUKA_DOUBT_BUSY, 1, WALL_TIME, 1e30};
    char text[512];
    snprintf(text, sizeof text, "%s", doubt_text(&result, &said));
    EXPECT(strstr(text, "are more than 1000 times as wide as"));
    EXPECT_TEXT(lauka_change_reach(&prose, lauka_result_comparison(&result, 1, WALL_TIME),
                                   lauka_result_scale(&result, WALL_TIME, true)),
                "over ±999 %");
    EXPECT_TEXT(lauka_change_reach(&prose, lauka_result_comparison(&result, 1, CPU_TIME),
                                   lauka_result_scale(&result, CPU_TIME, true)),
                "±4.4 %");
    EXPECT_TEXT(lauka_say_share_roughly(&prose, INFINITY), ">99999 %");
    lauka_result_done(&result);
}

static void doubts_are_said_once_and_in_plain_words(void)
{
    struct lauka_result result = pretend_doubted();
    char *text = written(&result, TABLE, utf8);
    expect_golden("table-doubts.txt", text);
    free(text);
    struct lauka_doubt_said said;
    EXPECT(!lauka_result_worst_doubt(&result, LAUKA_DOUBT_ABOVE_MINIMUM, &said));
    EXPECT(!lauka_result_worst_doubt(&result, LAUKA_DOUBT_WAITED, &said));
    result.comparisons[WALL_TIME].doubts.raised[LAUKA_DOUBT_BUSY].known = false;
    EXPECT(lauka_result_worst_doubt(&result, LAUKA_DOUBT_ABOVE_MINIMUM, &said));
    EXPECT(said.command == 0 && said.metric == WALL_TIME && said.value == 1.42);
    EXPECT(lauka_result_worst_doubt(&result, LAUKA_DOUBT_WAITED, &said));
    char sentence[1024];
    snprintf(sentence, sizeof sentence, "%s", doubt_text(&result, &said));
    EXPECT_TEXT(sentence, "`./a`: its main thread waited for a CPU for 12 % of its wall time, "
                          "while other programs had it; stop those.");
    text = written(&result, MARKDOWN, utf8);
    expect_golden("doubts.md", text);
    free(text);
    lauka_result_done(&result);
}

static void expect_course(struct lauka_result *result, enum lauka_stopped stopped,
                          const char *expected)
{
    char text[512];
    result->run.stopped = stopped;
    snprintf(text, sizeof text, "%s", lauka_result_course(&prose, result));
    EXPECT_TEXT(text, expected);
}

static void the_course_says_why_it_ended_and_what_more_would_bring(void)
{
    struct lauka_result result = pretend_judged(unclear, unjudged);
    expect_course(&result, LAUKA_STOPPED_TIME,
                  "38 rounds after 1 warm-up in 1.250 s; time budget used up: about --max-time=24s "
                  "for each command would reach ±1 % in wall time; seed 42");
    expect_course(&result, LAUKA_STOPPED_PRECISION,
                  "38 rounds after 1 warm-up in 1.250 s; precision of ±1 % reached; seed 42");
    expect_course(&result, LAUKA_STOPPED_EFFECT,
                  "38 rounds after 1 warm-up in 1.250 s; differences are clear; seed 42");
    expect_course(&result, LAUKA_STOPPED_EXACT,
                  "38 rounds after 1 warm-up in 1.250 s; values are constant: more rounds would "
                  "add nothing; seed 42");
    expect_course(&result, LAUKA_STOPPED_STORED, "38 values, read from files; paired by position");
    judge(&result, 1, WALL_TIME, slower);
    expect_course(&result, LAUKA_STOPPED_TIME,
                  "38 rounds after 1 warm-up in 1.250 s; time budget used up; seed 42");
    lauka_result_done(&result);
}

static void a_wait_is_rounded_up(void)
{
    EXPECT_TEXT(lauka_say_wait(&prose, 0.01), "1 s");
    EXPECT_TEXT(lauka_say_wait(&prose, 41.2), "42 s");
    EXPECT_TEXT(lauka_say_wait(&prose, 91), "2 min");
    EXPECT_TEXT(lauka_say_wait(&prose, 7000), "2 h");
    EXPECT_TEXT(lauka_say_wait(&prose, 1e9), "days");
}

static void the_reference_is_best_only_if_it_beats_all(void)
{
    size_t best = 9;
    struct lauka_result result =
        pretend(&(struct wish){.rounds = 20, .labels = {"./a", "./b", "./c"}});
    EXPECT(lauka_result_analyse(&result) == 0);
    EXPECT(lauka_result_best(&result, &best));
    EXPECT_UINT(best, 0);
    judge(&result, 2, WALL_TIME, same);
    EXPECT(!lauka_result_best(&result, &best));
    lauka_result_done(&result);
}

/* The commands are 5 % apart; here the second one is made a tenth faster. */
static void another_command_is_best_only_if_it_beats_all(void)
{
    struct lauka_result result =
        pretend(&(struct wish){.rounds = 20, .labels = {"./a", "./b", "./c", "./d"}});
    struct lauka_series *second = &result.commands[1].series[WALL_TIME];
    struct lauka_series *third = &result.commands[2].series[WALL_TIME];
    size_t best = 9;
    char text[256];
    for (size_t i = 0; i < second->count; i++)
        lauka_series_set(second, i, lauka_series_at(second, i) / 10 * 9);
    EXPECT(lauka_result_analyse(&result) == 0);
    EXPECT(lauka_result_best(&result, &best));
    EXPECT_UINT(best, 1);
    snprintf(text, sizeof text, "%s", lauka_best_sentence(&prose, &result, "`./b`"));
    EXPECT_TEXT(text, "`./b` is the fastest of the 4: the others are 5.9 % to 21.5 % slower.");
    for (size_t i = 0; i < second->count; i++)
        lauka_series_set(third, i, lauka_series_at(second, i));
    EXPECT(lauka_result_analyse(&result) == 0);
    EXPECT(!lauka_result_best(&result, &best));
    lauka_result_done(&result);
}

static void a_sentence_without_wall_time_says_so(void)
{
    struct lauka_result result = pretend(&(struct wish){.rounds = 1, .labels = {"./a", "./b"}});
    lauka_series_set(&result.commands[1].series[WALL_TIME], 0, LAUKA_MISSING);
    char text[512];
    EXPECT(lauka_result_analyse(&result) == 0);
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 1));
    EXPECT_TEXT(text, "`./b` ran in 1 round; its wall time was not measured.");
    snprintf(text, sizeof text, "%s", lauka_result_sentence(&prose, &result, 0));
    EXPECT_TEXT(text, "`./a` took 12.38 ms in the one round that was measured.");
    lauka_result_done(&result);
}

int main(void)
{
    prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    ascii_prose = lauka_prose_begin(NULL, (struct lauka_terminal){.width = 80});
    TEST(a_change_of_two_or_more_is_a_factor_both_ways);
    TEST(no_interval_that_has_a_width_looks_as_if_it_had_none);
    TEST(an_interval_that_is_sharper_than_the_estimate_does_not_repeat_it);
    TEST(an_interval_of_everything_has_few_digits);
    TEST(an_empty_result_is_freed_and_written);
    TEST(a_result_can_be_analysed_again);
    TEST(sentences_about_constants_are_exact);
    TEST(changes_of_ticks_are_shown_as_others_are);
    TEST(a_sentence_without_wall_time_says_so);
    TEST(a_difference_has_its_direction_and_interval);
    TEST(what_fails_is_said_and_is_not_better);
    TEST(faster_and_slower_are_said_of_times_only);
    TEST(no_difference_is_said_only_with_its_proof);
    TEST(where_so_few_rounds_cannot_tell_it_is_said_how_many_can);
    TEST(what_more_rounds_would_reach_is_told_in_rounds);
    TEST(cpu_time_is_told_where_it_says_something_else);
    TEST(noise_says_what_would_be_seen);
    TEST(a_busy_machine_is_named);
    TEST(what_is_beyond_all_measure_is_no_row_of_digits);
    TEST(doubts_are_said_once_and_in_plain_words);
    TEST(the_course_says_why_it_ended_and_what_more_would_bring);
    TEST(a_wait_is_rounded_up);
    TEST(the_reference_is_best_only_if_it_beats_all);
    TEST(another_command_is_best_only_if_it_beats_all);
    EXPECT(lauka_prose_done(&prose) == 0 && lauka_prose_done(&ascii_prose) == 0);
    return expect_report("sentences");
}
