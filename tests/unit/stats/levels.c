/* Steps in series of sessions: where they are, and how often there are none. Seeded, so each run is the same. */
#include "tests/unit/expect.h"

#include "stats/levels.h"
#include "stats/sessions.h"
#include "stats/stats.h"
#include "tests/unit/bound.h"

#include <math.h>

enum { POINTS = 100, SERIES = 24, HISTORIES = 20, PAIRS = 400 };

static void fill(double *values, struct lauka_random *random, size_t from, size_t count,
                 double level, double deviation)
{
    for (size_t i = from; i < from + count; i++)
        values[i] = level + deviation * lauka_random_normal(random);
}

static void a_step_is_found_where_it_is(void)
{
    struct lauka_random random;
    struct lauka_levels found;
    double values[60];

    lauka_random_seed(&random, 1);
    fill(values, &random, 0, 37, 10, 0.1);
    fill(values, &random, 37, 23, 10.5, 0.1);
    EXPECT(lauka_levels_find(values, 60, 0.05, &found) == 0);
    EXPECT(found.count == 1);
    if (found.count == 1) {
        EXPECT(found.steps[0].at == 37 && found.steps[0].from == 0 && found.steps[0].to == 60);
        EXPECT(found.steps[0].location.low.value < 0.5 && found.steps[0].location.high.value > 0.5);
        EXPECT(found.steps[0].location.p.value < 1e-6);
    }
    EXPECT(found.fresh.at == 0);
    lauka_levels_done(&found);
}

static void two_steps_there_and_back_are_two(void)
{
    struct lauka_random random;
    struct lauka_levels found;
    double values[90];

    lauka_random_seed(&random, 2);
    fill(values, &random, 0, 90, 10, 0.1);
    for (size_t i = 30; i < 60; i++)
        values[i] += 1;
    EXPECT(lauka_levels_find(values, 90, 0.05, &found) == 0);
    EXPECT(found.count == 2);
    EXPECT(found.count == 2 && found.steps[0].at == 30 && found.steps[1].at == 60);
    EXPECT(found.count == 2 && found.steps[0].to == 60 && found.steps[1].from == 30);
    lauka_levels_done(&found);
}

static void constants_few_values_and_values_that_repeat_are_no_trouble(void)
{
    struct lauka_levels found;
    double values[40];

    for (size_t i = 0; i < 40; i++)
        values[i] = 7;
    for (size_t count = 0; count <= 40; count++) {
        EXPECT(lauka_levels_find(values, count, 0.05, &found) == 0);
        EXPECT(found.count == 0 && found.fresh.at == 0);
        lauka_levels_done(&found);
    }
    for (size_t i = 20; i < 40; i++)
        values[i] = 8;
    EXPECT(lauka_levels_find(values, 40, 0.05, &found) == 0);
    EXPECT(found.count == 1 && found.steps[0].at == 20);
    lauka_levels_done(&found);
}

static void two_values_that_lie_elsewhere_are_new_and_no_step(void)
{
    struct lauka_random random;
    struct lauka_levels found;
    double values[33];

    lauka_random_seed(&random, 3);
    fill(values, &random, 0, 33, 10, 0.1);
    values[31] = 12;
    values[32] = 12.1;
    EXPECT(lauka_levels_find(values, 33, 0.05, &found) == 0);
    EXPECT(found.count == 0 && found.fresh.at == 31);
    lauka_levels_done(&found);
    values[30] = 12.05;
    EXPECT(lauka_levels_find(values, 33, 0.05, &found) == 0);
    EXPECT(found.count == 1 && found.steps[0].at == 30 && found.fresh.at == 0);
    lauka_levels_done(&found);
}

static void each_change_of_exact_values_is_a_step(void)
{
    const double values[] = {5, 5, 6, 6, 6, 5};
    struct lauka_levels found;

    EXPECT(lauka_levels_find_exact(values, 6, &found) == 0);
    EXPECT(found.count == 2);
    EXPECT(found.count == 2 && found.steps[0].at == 2 && found.steps[0].location.estimate == 1);
    EXPECT(found.count == 2 && found.steps[1].at == 5 && found.steps[1].from == 2);
    lauka_levels_done(&found);
}

static void long_series_are_searched_at_their_end(void)
{
    static double values[3000];
    struct lauka_random random;
    struct lauka_levels found;

    lauka_random_seed(&random, 4);
    fill(values, &random, 0, 2800, 10, 0.1);
    fill(values, &random, 2800, 200, 10.3, 0.1);
    EXPECT(lauka_levels_find(values, 3000, 0.05, &found) == 0);
    EXPECT(found.count == 1 && found.steps[0].at >= 2798 && found.steps[0].at <= 2802);
    EXPECT(found.count == 1 && found.steps[0].from == 3000 - LAUKA_LEVELS_WINDOW);
    lauka_levels_done(&found);
}

/* Of 20 histories of 24 series, how many have a step that Holm lets stand. tests/bench/history.c has more of them. */
static size_t count_alarms(double correlation)
{
    struct lauka_random random;
    size_t alarms = 0;

    lauka_random_seed(&random, 5);
    for (size_t h = 0; h < HISTORIES; h++) {
        bool alarm = false;
        for (size_t s = 0; s < SERIES; s++) {
            struct lauka_levels found;
            double values[POINTS];
            for (size_t i = 0; i < POINTS; i++)
                values[i] =
                    (i > 0 ? correlation * values[i - 1] : 0) + lauka_random_normal(&random);
            EXPECT(lauka_levels_find(values, POINTS, 0.05, &found) == 0);
            for (size_t i = 0; i < found.count; i++)
                alarm |= found.steps[i].location.p.value <= 0.05 / (double)SERIES;
            lauka_levels_done(&found);
        }
        alarms += alarm;
    }
    return alarms;
}

static void histories_without_a_step_rarely_suspect_one(void)
{
    EXPECT(count_alarms(0) == 0);
    EXPECT(count_alarms(0.5) <= 5);
}

/* Two sessions and five or eight earlier ones, whose true values differ by 1 %: the interval holds no difference. */
static size_t count_covered(size_t earlier)
{
    struct lauka_random random;
    size_t covered = 0;

    lauka_random_seed(&random, 6);
    for (size_t p = 0; p < PAIRS; p++) {
        double values[8], mean = 0, squares = 0;
        fill(values, &random, 0, earlier, 0, 0.01);
        for (size_t i = 0; i < earlier; i++)
            mean += values[i] / (double)earlier;
        for (size_t i = 0; i < earlier; i++)
            squares += (values[i] - mean) * (values[i] - mean);
        const struct lauka_sessions sessions = {sqrt(squares / (double)(earlier - 1)), earlier};
        double two[2];
        fill(two, &random, 0, 2, 0, 0.01);
        struct lauka_comparison comparison = {.log_ratio = lauka_known(two[1] - two[0])};
        EXPECT(lauka_sessions_compare(&sessions, 0.05, 0.01, &comparison));
        covered += comparison.low.value <= 1 && comparison.high.value >= 1;
        EXPECT((comparison.p.value <= 0.05) ==
               (comparison.low.value > 1 || comparison.high.value < 1));
    }
    return covered;
}

static void an_interval_from_earlier_sessions_covers_what_it_says(void)
{
    const size_t five = count_covered(5), eight = count_covered(8);
    EXPECT(five >= 381 && five <= 399); /* 97.5 % of 400, and three deviations of that */
    EXPECT(eight >= 381 && eight <= 399);
}

static void four_earlier_sessions_give_no_interval(void)
{
    const struct lauka_sessions four = {0.01, 4};
    struct lauka_comparison comparison = {.log_ratio = lauka_known(0.5)};
    EXPECT(!lauka_sessions_compare(&four, 0.05, 0.01, &comparison));
    EXPECT(!comparison.low.known);
}

static void a_limit_is_judged_by_the_spread_of_sessions(void)
{
    const struct lauka_sessions ten = {0.01, 10};
    /* t(.9975; 9) = 3.69: half of the interval is 5.2 % */
    struct lauka_limit limit = {.statistic = LAUKA_STATISTIC_TYPICAL, .share = lauka_known(0.02)};
    struct lauka_judgement judgement = {.change = lauka_known(0.10)};
    EXPECT(lauka_sessions_judge(&ten, &limit, LAUKA_ALPHA_GATE, &judgement));
    EXPECT(judgement.verdict == LAUKA_GATE_FAIL && judgement.p.value < 0.005);
    judgement = (struct lauka_judgement){.change = lauka_known(0.03)};
    EXPECT(lauka_sessions_judge(&ten, &limit, LAUKA_ALPHA_GATE, &judgement));
    EXPECT(judgement.verdict == LAUKA_GATE_INCONCLUSIVE);
    judgement = (struct lauka_judgement){.change = lauka_known(-0.04)};
    EXPECT(lauka_sessions_judge(&ten, &limit, LAUKA_ALPHA_GATE, &judgement));
    EXPECT(judgement.verdict == LAUKA_GATE_PASS);
    limit.falls = true;
    judgement = (struct lauka_judgement){.change = lauka_known(-0.10)};
    EXPECT(lauka_sessions_judge(&ten, &limit, LAUKA_ALPHA_GATE, &judgement));
    EXPECT(judgement.verdict == LAUKA_GATE_FAIL);
}

int main(void)
{
    TEST(a_step_is_found_where_it_is);
    TEST(two_steps_there_and_back_are_two);
    TEST(constants_few_values_and_values_that_repeat_are_no_trouble);
    TEST(two_values_that_lie_elsewhere_are_new_and_no_step);
    TEST(each_change_of_exact_values_is_a_step);
    TEST(long_series_are_searched_at_their_end);
    TEST(histories_without_a_step_rarely_suspect_one);
    TEST(an_interval_from_earlier_sessions_covers_what_it_says);
    TEST(four_earlier_sessions_give_no_interval);
    TEST(a_limit_is_judged_by_the_spread_of_sessions);
    return expect_report("levels");
}
