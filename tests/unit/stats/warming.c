/* Warm-up inside a process: made-up rounds with planted levels, trends and cycles. */
#include "stats/warming.h"
#include "stats/stats.h"
#include "tests/unit/expect.h"
#include "tests/unit/noise.h"

enum { LAST = 10, SERIES = 400 };

static double values[LAUKA_WARMING_MOST];

/* Rounds of 1 with this noise. */
static void make_flat(struct lauka_random *random, size_t count, double noise, bool heavy_tails)
{
    for (size_t i = 0; i < count; i++)
        values[i] = fmax(0.1, 1 + noise * made_up_noise(random, heavy_tails));
}

static void scale(size_t begin, size_t end, double factor)
{
    for (size_t i = begin; i < end; i++)
        values[i] *= factor;
}

static enum lauka_steady judge(size_t count)
{
    return lauka_warming_judge(values, count, LAST).steady;
}

/* How many of the series are called something else than flat. */
static int count_not_flat(uint64_t seed, size_t count, double noise, bool heavy_tails)
{
    struct lauka_random random;
    int others = 0;
    lauka_random_seed(&random, seed);
    for (int i = 0; i < SERIES; i++) {
        make_flat(&random, count, noise, heavy_tails);
        others += judge(count) != LAUKA_STEADY_FLAT;
    }
    return others;
}

static void flat_rounds_are_called_flat(void)
{
    static const size_t counts[] = {11, 21, 51, 101, 500};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        EXPECT(count_not_flat(1 + i, counts[i], 0.01, false) <= SERIES / 20);
        EXPECT(count_not_flat(11 + i, counts[i], 0.05, false) <= SERIES / 20);
        EXPECT(count_not_flat(21 + i, counts[i], 0.2, true) <= SERIES / 20);
    }
}

static void equal_rounds_are_flat(void)
{
    for (size_t i = 0; i < 100; i++)
        values[i] = i % 7 == 0 ? 3 : 1;
    EXPECT(judge(100) == LAUKA_STEADY_FLAT);
    for (size_t i = 0; i < 100; i++)
        values[i] = 1;
    EXPECT(judge(100) == LAUKA_STEADY_FLAT);
}

static void few_rounds_are_not_judged(void)
{
    for (size_t i = 0; i < 7; i++)
        values[i] = 100 - (double)i;
    EXPECT(judge(7) == LAUKA_STEADY_UNKNOWN);
    EXPECT(lauka_warming_judge(values, 0, LAST).steady == LAUKA_STEADY_UNKNOWN);
}

static void a_planted_step_is_found_where_it_is(void)
{
    struct lauka_random random;
    int warm = 0, slow = 0, near = 0;
    lauka_random_seed(&random, 31);
    for (int i = 0; i < SERIES; i++) {
        make_flat(&random, 61, 0.03, false);
        scale(0, 20, 1.5);
        struct lauka_warming warming = lauka_warming_judge(values, 61, LAST);
        warm += warming.steady == LAUKA_STEADY_WARMS_UP;
        near += warming.from >= 19 && warming.from <= 21;
        make_flat(&random, 61, 0.03, false);
        scale(30, 61, 1.2);
        slow += judge(61) == LAUKA_STEADY_SLOWS_DOWN;
    }
    EXPECT(warm >= SERIES * 95 / 100);
    EXPECT(near >= SERIES * 95 / 100);
    EXPECT(slow >= SERIES * 95 / 100);
}

static void a_slow_down_after_a_warm_up_is_a_slow_down(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 41);
    make_flat(&random, 100, 0.01, false);
    scale(0, 20, 3);
    scale(50, 100, 1.3);
    EXPECT(judge(100) == LAUKA_STEADY_SLOWS_DOWN);
}

static void a_trend_that_goes_on_is_no_steady_state(void)
{
    struct lauka_random random;
    int none = 0;
    lauka_random_seed(&random, 51);
    for (int i = 0; i < SERIES; i++) {
        make_flat(&random, 11, 0.01, false);
        for (size_t k = 0; k < 11; k++)
            values[k] *= 1 + 0.04 * (double)(11 - k);
        none += judge(11) == LAUKA_STEADY_NONE;
    }
    EXPECT(none >= SERIES * 95 / 100);
}

/* Whatever the last ten rounds are: the process will leave their level again. */
static void cycles_have_no_steady_state(void)
{
    struct lauka_random random;
    int none = 0;
    lauka_random_seed(&random, 61);
    for (int i = 0; i < SERIES; i++) {
        size_t count = 150 + lauka_random_below(&random, 150);
        make_flat(&random, count, 0.02, false);
        for (size_t k = 0; k < count; k++)
            values[k] *= k / 25 % 2 ? 1.4 : 1;
        none += judge(count) == LAUKA_STEADY_NONE;
    }
    EXPECT(none >= SERIES * 80 / 100);
}

/* As a program that warms up on a machine that is disturbed later. */
static void a_warm_up_is_found_also_if_later_rounds_are_slow_again(void)
{
    struct lauka_random random;
    int flat = 0;
    lauka_random_seed(&random, 81);
    for (int i = 0; i < SERIES; i++) {
        make_flat(&random, 32, 0.02, false);
        scale(0, 6, 3);
        scale(26, 32, 3);
        flat += judge(32) == LAUKA_STEADY_FLAT;
    }
    EXPECT(flat <= SERIES / 20);
}

/* What tiny levels are called is a matter of chance; that is no reason to warm up. */
static void a_step_of_a_percent_is_none(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 71);
    make_flat(&random, 200, 0.001, false);
    scale(0, 100, 1.01);
    EXPECT(judge(200) == LAUKA_STEADY_FLAT);
}

static void processes_are_called_what_most_of_them_are(void)
{
    struct lauka_warmings all = {0};
    lauka_warmings_add(&all, LAUKA_STEADY_UNKNOWN, 5, 5);
    EXPECT(all.class == LAUKA_STEADY_UNKNOWN && all.rounds == 0);
    lauka_warmings_add(&all, LAUKA_STEADY_WARMS_UP, 30, 0.3);
    lauka_warmings_add(&all, LAUKA_STEADY_WARMS_UP, 10, 0.1);
    lauka_warmings_add(&all, LAUKA_STEADY_FLAT, 2, 0.2);
    EXPECT(all.class == LAUKA_STEADY_WARMS_UP);
    EXPECT_NEAR(all.rounds, 14, 1e-12);
    EXPECT_NEAR(all.seconds, 0.2, 1e-12);
    lauka_warmings_add(&all, LAUKA_STEADY_NONE, 0, 0);
    EXPECT(all.class == LAUKA_STEADY_WARMS_UP);
    for (int i = 0; i < 2; i++)
        lauka_warmings_add(&all, LAUKA_STEADY_NONE, 0, 0);
    EXPECT(all.class == LAUKA_STEADY_NONE && all.unsteady == 3 && all.warms_up == 2);
    all = (struct lauka_warmings){0};
    for (int i = 0; i < 3; i++) {
        EXPECT(all.class == LAUKA_STEADY_UNKNOWN);
        lauka_warmings_add(&all, LAUKA_STEADY_SLOWS_DOWN, 1, 1);
    }
    EXPECT(all.class == LAUKA_STEADY_SLOWS_DOWN);
    struct lauka_warmings more = {.flat = 3, .warms_up = 1, .rounds = 8, .seconds = 0.7};
    lauka_warmings_join(&all, &more);
    EXPECT(all.class == LAUKA_STEADY_SLOWS_DOWN && lauka_warmings_count(&all) == 7);
    EXPECT_NEAR(all.rounds, 5, 1e-12);
    more = (struct lauka_warmings){0};
    lauka_warmings_join(&more, &(struct lauka_warmings){0});
    EXPECT(more.class == LAUKA_STEADY_UNKNOWN && more.rounds == 0);
}

int main(void)
{
    TEST(flat_rounds_are_called_flat);
    TEST(equal_rounds_are_flat);
    TEST(few_rounds_are_not_judged);
    TEST(a_planted_step_is_found_where_it_is);
    TEST(a_slow_down_after_a_warm_up_is_a_slow_down);
    TEST(a_trend_that_goes_on_is_no_steady_state);
    TEST(cycles_have_no_steady_state);
    TEST(a_warm_up_is_found_also_if_later_rounds_are_slow_again);
    TEST(a_step_of_a_percent_is_none);
    TEST(processes_are_called_what_most_of_them_are);
    return expect_report("warming");
}
