/* Random numbers and shuffles, checked against known answers and distributions. */
#include "stats/stats.h"

#include <math.h>

#include "tests/unit/expect.h"
#include "tests/unit/numbers.h"

/* ---- random.c ---------------------------------------------------------------------------------------- */

static void equal_seeds_give_equal_sequences(void)
{
    struct lauka_random one, two, other;
    lauka_random_seed(&one, 42);
    lauka_random_seed(&two, 42);
    lauka_random_seed(&other, 43);
    int equal = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t value = lauka_random_next(&one);
        EXPECT_UINT(lauka_random_next(&two), value);
        equal += lauka_random_next(&other) == value;
    }
    EXPECT(equal == 0);
}

/* Starts from the state 1, 2, 3, 4, like the tests of the rand_xoshiro crate, whose numbers come from
 * the authors' C code (https://prng.di.unimi.it/xoshiro256starstar.c). */
static void the_generator_is_xoshiro256_starstar(void)
{
    static const uint64_t expected[] = {
        11520,
        0,
        1509978240,
        1215971899390074240,
        1216172134540287360,
        607988272756665600,
        16172922978634559625u,
        8476171486693032832,
        10595114339597558777u,
        2904607092377533576,
    };
    struct lauka_random random = {{1, 2, 3, 4}};
    for (size_t i = 0; i < COUNT(expected); i++)
        EXPECT_UINT(lauka_random_next(&random), expected[i]);
}

/* splitmix64 from 1234567, as published at
 * https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64 */
static void a_seed_is_spread_by_splitmix64(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 1234567);
    EXPECT_UINT(random.state[0], 6457827717110365317);
    EXPECT_UINT(random.state[1], 3203168211198807973);
    EXPECT_UINT(random.state[2], 9817491932198370423u);
    EXPECT_UINT(random.state[3], 4593380528125082431);
}

/* Pearson's chi-square statistic of counts that are all expected to be `expected`. */
static double chi_square(const uint64_t *counts, size_t cells, double expected)
{
    double sum = 0;
    for (size_t i = 0; i < cells; i++) {
        double difference = (double)counts[i] - expected;
        sum += difference * difference / expected;
    }
    return sum;
}

static void numbers_below_a_bound_are_uniform(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 1);
    uint64_t counts[10] = {0};
    for (int i = 0; i < 100000; i++) {
        uint64_t value = lauka_random_below(&random, 10);
        EXPECT(value < 10);
        counts[value % 10]++;
    }
    EXPECT(chi_square(counts, 10, 10000) < 27.9); /* 9 degrees of freedom, p = 0.001 */
}

/* 2^64 random numbers have 3 * 2^62 results: unless some are rejected, some results get two numbers and
 * some get one. With a plain modulo, those with two are the lower third; with a plain product, every
 * third result. */
static void a_bound_near_the_whole_range_is_not_biased(void)
{
    const uint64_t third = (uint64_t)1 << 62;
    struct lauka_random random;
    lauka_random_seed(&random, 2);
    uint64_t thirds[3] = {0}, rests[3] = {0};
    for (int i = 0; i < 30000; i++) {
        uint64_t value = lauka_random_below(&random, 3 * third);
        EXPECT(value < 3 * third);
        thirds[value / third % 3]++;
        rests[value % 3]++;
    }
    EXPECT(chi_square(thirds, 3, 10000) < 13.8); /* 2 degrees of freedom, p = 0.001 */
    EXPECT(chi_square(rests, 3, 10000) < 13.8);
}

static void nothing_but_zero_is_below_one(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 3);
    for (int i = 0; i < 100; i++)
        EXPECT_UINT(lauka_random_below(&random, 1), 0);
}

static void units_lie_in_the_half_open_interval(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 4);
    double sum = 0;
    for (int i = 0; i < 100000; i++) {
        double value = lauka_random_unit(&random);
        EXPECT(value >= 0 && value < 1);
        sum += value;
    }
    EXPECT(fabs(sum / 100000 - 0.5) < 0.004); /* 4 standard errors */
}

/* The second word of each state was solved so that the outputs are 0 and 2^64-1. */
static void no_unit_is_rounded_up_to_one(void)
{
    struct lauka_random lowest = {{1, 0, 0, 0}}, highest = {{1, 0x4fc71c71c71c71c7, 0, 0}};
    EXPECT(lauka_random_unit(&lowest) == 0);
    EXPECT(lauka_random_unit(&highest) == 1 - 0x1p-53);
}

static void normals_have_mean_0_and_deviation_1(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 5);
    double sum = 0, squares = 0;
    const int count = 100000;
    for (int i = 0; i < count; i++) {
        double value = lauka_random_normal(&random);
        EXPECT(isfinite(value));
        sum += value;
        squares += value * value;
    }
    EXPECT(fabs(sum / count) < 0.013);         /* 4 standard errors */
    EXPECT(fabs(squares / count - 1) < 0.018); /* 4 standard errors */
}

static void every_order_of_three_is_equally_likely(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 6);
    uint64_t counts[27] = {0}, orders[6];
    for (int i = 0; i < 60000; i++) {
        uint32_t items[] = {0, 1, 2};
        lauka_random_shuffle(&random, items, 3);
        counts[items[0] * 9 + items[1] * 3 + items[2]]++;
    }
    size_t seen = 0;
    for (size_t i = 0; i < COUNT(counts); i++)
        if (counts[i] > 0 && seen < 6)
            orders[seen++] = counts[i];
    EXPECT_UINT(seen, 6);
    EXPECT(chi_square(orders, seen, 10000) < 20.5); /* 5 degrees of freedom, p = 0.001 */
}

static void a_shuffle_loses_and_repeats_nothing(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 7);
    uint32_t items[100];
    bool seen[100] = {false};
    for (uint32_t i = 0; i < 100; i++)
        items[i] = i;
    lauka_random_shuffle(&random, items, 100);
    for (size_t i = 0; i < 100; i++) {
        EXPECT(items[i] < 100 && !seen[items[i] % 100]);
        seen[items[i] % 100] = true;
    }
    lauka_random_shuffle(&random, items, 1);
    lauka_random_shuffle(&random, NULL, 0);
}

int main(void)
{
    TEST(equal_seeds_give_equal_sequences);
    TEST(the_generator_is_xoshiro256_starstar);
    TEST(a_seed_is_spread_by_splitmix64);
    TEST(numbers_below_a_bound_are_uniform);
    TEST(a_bound_near_the_whole_range_is_not_biased);
    TEST(nothing_but_zero_is_below_one);
    TEST(units_lie_in_the_half_open_interval);
    TEST(no_unit_is_rounded_up_to_one);
    TEST(normals_have_mean_0_and_deviation_1);
    TEST(every_order_of_three_is_equally_likely);
    TEST(a_shuffle_loses_and_repeats_nothing);
    return expect_report("random");
}
