/* Sums of pairs are checked against a sorted list of all sums; the distributions of rank statistics,
 * against tables. */
#include "stats/histogram.h"
#include "stats/stats.h"

#include "tests/unit/numbers.h"

/* ---- pair_sums.c ---- */

/* All sums with i <= j, sorted; freed by the caller. */
static double *all_sums(const double *values, size_t count)
{
    double *sums = malloc(count * (count + 1) / 2 * sizeof *sums);
    if (!sums)
        abort();
    size_t k = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j < count; j++)
            sums[k++] = values[i] + values[j];
    qsort(sums, k, sizeof *sums, ascending);
    return sums;
}

static double difference_of(int shape, struct lauka_random *random)
{
    double normal = lauka_random_normal(random);
    if (shape == 0)
        return normal;
    if (shape == 1)
        return floor(normal * 3); /* ties */
    if (shape == 2)
        return normal / (1e-9 + lauka_random_unit(random)) * 1e6; /* extreme values */
    if (shape == 3)
        return lauka_random_below(random, 10) ? 0 : normal; /* mostly zeros */
    return 1e15 + floor(normal * 5) * 0.125;
}

static void every_rank_of_few_values_is_the_one_of_all_sums_sorted(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 20);
    for (size_t count = 1; count < 100; count += count < 12 ? 1 : 29)
        for (int shape = 0; shape < 5; shape++) {
            double values[100];
            for (size_t i = 0; i < count; i++)
                values[i] = difference_of(shape, &random);
            EXPECT(lauka_sort_doubles(values, count) == 0);
            struct lauka_pair_sums sums = {values, values, count, count, true, NULL};
            double *all = all_sums(values, count);
            uint64_t total = lauka_pair_sums_count(&sums);
            EXPECT_UINT(total, count * (count + 1) / 2);
            for (uint64_t rank = 1; rank <= total; rank += 1 + total / 40) {
                double selected;
                EXPECT(lauka_pair_sums_select(&sums, &rank, 1, &selected) == 0);
                EXPECT(selected == all[rank - 1]);
            }
            free(all);
        }
}

/* So many values that the search divides the sums instead of collecting them all. */
static void ranks_of_many_values_have_so_many_sums_below(void)
{
    enum { MANY = 3000 };
    static double values[MANY];
    struct lauka_random random;
    lauka_random_seed(&random, 21);
    for (int shape = 0; shape < 5; shape++) {
        for (size_t i = 0; i < MANY; i++)
            values[i] = difference_of(shape, &random);
        EXPECT(lauka_sort_doubles(values, MANY) == 0);
        struct lauka_pair_sums sums = {values, values, MANY, MANY, true, NULL};
        uint64_t total = lauka_pair_sums_count(&sums);
        uint64_t ranks[] = {total / 2, 1, total, total / 3};
        double selected[4];
        EXPECT(lauka_pair_sums_select(&sums, ranks, 4, selected) == 0);
        for (size_t i = 0; i < 4; i++) {
            EXPECT(lauka_pair_sums_up_to(&sums, selected[i]) >= ranks[i]);
            EXPECT(lauka_pair_sums_up_to(&sums, nextafter(selected[i], -HUGE_VAL)) < ranks[i]);
        }
    }
}

/* So many values that the search starts from a sample. */
static void ranks_of_very_many_values_have_so_many_sums_below(void)
{
    enum { MANY = 20001 };
    static double values[MANY];
    struct lauka_random random;
    lauka_random_seed(&random, 24);
    for (int shape = 0; shape < 5; shape++) {
        for (size_t i = 0; i < MANY; i++)
            values[i] = difference_of(shape, &random);
        EXPECT(lauka_sort_doubles(values, MANY) == 0);
        struct lauka_pair_sums sums = {values, values, MANY, MANY, true, NULL};
        uint64_t total = lauka_pair_sums_count(&sums), up_to[4];
        uint64_t ranks[] = {total / 2, total / 2 + 1, total / 2 - total / 99, 2};
        double selected[4];
        EXPECT(lauka_pair_sums_select(&sums, ranks, 4, selected) == 0);
        lauka_pair_sums_up_to_each(&sums, selected, 4, up_to);
        for (size_t i = 0; i < 4; i++) {
            EXPECT(up_to[i] >= ranks[i]);
            EXPECT_UINT(lauka_pair_sums_up_to(&sums, selected[i]), up_to[i]);
            EXPECT(lauka_pair_sums_up_to(&sums, nextafter(selected[i], -HUGE_VAL)) < ranks[i]);
        }
    }
}

/* Like sizes in pages: each value occurs a hundred times or more, and the search visits each only once. */
static void many_equal_values_are_located_as_when_counted(void)
{
    enum { MANY = 20000, LEVELS = 150 };
    static double values[MANY];
    double once[LEVELS];
    uint64_t before[LEVELS + 1] = {0};
    struct lauka_random random;
    lauka_random_seed(&random, 27);
    for (size_t i = 0; i < MANY; i++)
        values[i] = (double)lauka_random_below(&random, LEVELS) / 64 - 1;
    EXPECT(lauka_sort_doubles(values, MANY) == 0);
    for (size_t i = 0; i < MANY; i++)
        before[(size_t)((values[i] + 1) * 64) + 1] = i + 1;
    for (size_t level = 0; level < LEVELS; level++)
        once[level] = (double)level / 64 - 1;

    const struct lauka_differences all = {.values = values, .length = MANY};
    const struct lauka_differences counted = {once, before, LEVELS};
    struct lauka_location each, together;
    EXPECT(lauka_locate_signed_rank(&all, 0.05, &each) == 0);
    EXPECT(lauka_locate_signed_rank(&counted, 0.05, &together) == 0);
    EXPECT(each.estimate == together.estimate && each.p.value == together.p.value);
    EXPECT(each.low.value == together.low.value && each.high.value == together.high.value);
    EXPECT_UINT(each.at_most_zero, together.at_most_zero);
    EXPECT_UINT(each.at_least_zero, together.at_least_zero);

    struct lauka_pair_sums sums = {values, values, MANY, MANY, true, NULL};
    uint64_t rank = lauka_pair_sums_count(&sums) / 2;
    double middle;
    EXPECT(lauka_pair_sums_select(&sums, &rank, 1, &middle) == 0);
    EXPECT(each.estimate == middle / 2);
}

static void values_counted_are_values_repeated(void)
{
    enum { LENGTH = 90 };
    double values[LENGTH], repeated[LENGTH * 40];
    uint64_t before[LENGTH + 1] = {0};
    struct lauka_random random;
    lauka_random_seed(&random, 22);
    for (size_t i = 0; i < LENGTH; i++)
        values[i] = lauka_random_normal(&random);
    EXPECT(lauka_sort_doubles(values, LENGTH) == 0);
    for (size_t i = 0; i < LENGTH; i++) {
        before[i + 1] = before[i] + 1 + lauka_random_below(&random, 40);
        for (uint64_t k = before[i]; k < before[i + 1]; k++)
            repeated[k] = values[i];
    }
    size_t count = (size_t)before[LENGTH];
    struct lauka_differences few = {values, before, LENGTH}, many = {repeated, NULL, count};
    struct lauka_location here, there;
    EXPECT(lauka_locate_signed_rank(&few, 0.05, &here) == 0);
    EXPECT(lauka_locate_signed_rank(&many, 0.05, &there) == 0);
    EXPECT(same_bits(here.estimate, there.estimate));
    EXPECT(same_optional(here.low, there.low) && same_optional(here.high, there.high));
    EXPECT(same_optional(here.p, there.p));
    EXPECT_UINT(here.at_most_zero, there.at_most_zero);
    EXPECT(lauka_locate_paired_t(&few, 0.05, &here) && lauka_locate_paired_t(&many, 0.05, &there));
    EXPECT_NEAR(here.estimate, there.estimate, 1e-12);
    EXPECT_NEAR(here.low.value, there.low.value, 1e-12);
}

/* ---- ranks.c ---- */

/* From R: qsignrank(0.025, 6:10) and qsignrank(0.025, c(20, 50, 100, 200)). The value is c - 1 if P(T <=
 * c - 1) is at most 0.025, as in Wilcoxon's tables. */
static void critical_ranks_are_those_of_the_tables(void)
{
    static const uint64_t of_95[][2] = {{5, 0}, {6, 1}, {7, 3}, {8, 4}, {9, 6}, {10, 9}, {20, 53}};
    for (size_t i = 0; i < COUNT(of_95); i++)
        EXPECT_UINT(lauka_signed_rank_critical(of_95[i][0], 0.05), of_95[i][1]);
    EXPECT_UINT(lauka_signed_rank_critical(6, 0.03),
                0); /* 97 % needs seven values, 99 % needs eight */
    EXPECT_UINT(lauka_signed_rank_critical(7, 0.03), 1);
    EXPECT_UINT(lauka_signed_rank_critical(7, 0.01), 0);
    EXPECT_UINT(lauka_signed_rank_critical(8, 0.01), 1);
    EXPECT_UINT(lauka_signed_rank_critical(0, 0.05), 0);
}

static void the_exact_and_the_normal_distribution_meet(void)
{
    uint64_t at_200 = lauka_signed_rank_critical(200, 0.05),
             at_201 = lauka_signed_rank_critical(201, 0.05);
    EXPECT(at_201 > at_200 &&
           at_201 - at_200 < 110); /* n grows by 1, so the critical value grows by about 100 */
    EXPECT_NEAR(lauka_signed_rank_cdf(200, 8000), lauka_normal_cdf((8000.5 - 10050) / sqrt(671675)),
                2e-2);
    EXPECT_NEAR(lauka_rank_sum_cdf(50, 50, 1000), lauka_rank_sum_cdf(50, 51, 1020), 2e-2);
}

static void distributions_of_ranks_are_symmetric_and_end_at_one(void)
{
    for (uint64_t n = 1; n <= 30; n++)
        for (uint64_t t = 0; t < n * (n + 1) / 2; t++)
            EXPECT_NEAR(lauka_signed_rank_cdf(n, t),
                        1 - lauka_signed_rank_cdf(n, n * (n + 1) / 2 - t - 1), 1e-12);
    EXPECT(lauka_signed_rank_cdf(5, 15) == 1 && lauka_signed_rank_cdf(5, 0) == 1.0 / 32);
    EXPECT(lauka_rank_sum_cdf(3, 4, 12) == 1 && lauka_rank_sum_cdf(3, 4, 0) == 1.0 / 35);
    EXPECT(same_bits(lauka_rank_sum_cdf(9, 4, 7), lauka_rank_sum_cdf(4, 9, 7)));
}

/* ---- quantile_interval.c ---- */

/* Computed from sums of exact binomial terms with Python's fractions. */
static void quantiles_lie_between_the_ranks_of_the_tables(void)
{
    static const struct {
        uint64_t count;
        uint32_t rank;
        uint64_t low, high;
    } known[] = {
        {6, 500000000, 1, 6},     {10, 500000000, 2, 9},       {20, 500000000, 6, 15},
        {100, 500000000, 40, 61}, {20, 250000000, 2, 10},      {20, 750000000, 11, 19},
        {100, 900000000, 84, 96}, {1000, 990000000, 983, 997},
    };
    uint64_t low, high;
    for (size_t i = 0; i < COUNT(known); i++) {
        EXPECT(lauka_quantile_interval(known[i].count, known[i].rank, 0.05, &low, &high));
        EXPECT_UINT(low, known[i].low);
        EXPECT_UINT(high, known[i].high);
    }
    EXPECT(!lauka_quantile_interval(5, 500000000, 0.05, &low, &high));
    EXPECT(!lauka_quantile_interval(20, 900000000, 0.05, &low, &high));
    EXPECT(!lauka_quantile_interval(0, 500000000, 0.05, &low, &high));
    EXPECT(!lauka_quantile_interval(1000, 0, 0.05, &low, &high));
    EXPECT(!lauka_quantile_interval(1000, LAUKA_RANK_WHOLE, 0.05, &low, &high));
}

static void ranks_around_a_quantile_are_mirrored_and_grow_as_a_root(void)
{
    for (uint64_t n = 6; n <= 1000; n += 7) {
        uint64_t low, high, mirrored_low, mirrored_high;
        bool has = lauka_quantile_interval(n, 300000000, 0.05, &low, &high);
        EXPECT(has == lauka_quantile_interval(n, 700000000, 0.05, &mirrored_low, &mirrored_high));
        EXPECT(!has || (low == n + 1 - mirrored_high && high == n + 1 - mirrored_low));
    }
    uint64_t low, high;
    EXPECT(lauka_quantile_interval(1000000000, 500000000, 0.05, &low, &high));
    EXPECT_NEAR((double)(500000000 - low), 1.96 * sqrt(1e9) / 2, 1e-3);
    EXPECT_NEAR((double)(high - 500000000), 1.96 * sqrt(1e9) / 2, 1e-3);
}

/* The share of intervals that contain 0 where there is no difference. The values are logs; 95 % was
 * promised. */
static double share_of_spans_with_zero(uint32_t rank)
{
    enum { VALUES = 60, TRIALS = 2000 };
    struct lauka_random dice;
    int held = 0;
    uint64_t low, high;
    lauka_random_seed(&dice, 11);
    EXPECT(lauka_quantile_interval(VALUES, rank, 0.05, &low, &high));
    const uint64_t at = lauka_rank_count(rank, VALUES);
    for (int trial = 0; trial < TRIALS; trial++) {
        double values[2][VALUES];
        struct lauka_span spans[2];
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < VALUES; i++)
                values[side][i] = lauka_random_normal(&dice);
            EXPECT(lauka_sort_doubles(values[side], VALUES) == 0);
            spans[side] = (struct lauka_span){values[side][at - 1], values[side][low - 1],
                                              values[side][high - 1]};
        }
        struct lauka_span difference = lauka_span_difference(spans[0], spans[1]);
        held += difference.low <= 0 && difference.high >= 0;
    }
    return (double)held / (double)TRIALS;
}

static void differences_of_quantiles_hold_what_they_promise(void)
{
    static const uint32_t ranks[] = {250000000, 500000000, 900000000};
    for (size_t i = 0; i < COUNT(ranks); i++) {
        double share = share_of_spans_with_zero(ranks[i]);
        EXPECT(share >= 0.95 && share < 0.995); /* whole ranks give a little more */
    }
    struct lauka_span a = {3, 2, 5}, b = {7, 6.5, 9}, ab = lauka_span_difference(a, b),
                      ba = lauka_span_difference(b, a);
    EXPECT(ab.estimate == 4 && ab.low == -ba.high && ab.high == -ba.low);
}

/* The probability that the shares of two samples from one population are further apart than the margin.
 * All orders of the values are equally likely, and each is a path that must stay within the margin. */
static double share_beyond(uint64_t left, uint64_t right, double margin)
{
    enum { MOST = 128 };
    double within[MOST + 1] = {0}; /* share of paths to (i, j), for each j */
    EXPECT(right <= MOST);
    for (uint64_t i = 0; i <= left; i++)
        for (uint64_t j = 0; j <= right; j++) {
            double rest = (double)(left - i + right - j + 1);
            double from_i = i > 0 ? within[j] * (double)(left - i + 1) / rest : 0;
            double from_j = j > 0 ? within[j - 1] * (double)(right - j + 1) / rest : 0;
            double apart = fabs((double)i / (double)left - (double)j / (double)right);
            within[j] = apart > margin ? 0 : i + j == 0 ? 1 : from_i + from_j;
        }
    return 1 - within[right];
}

static void shares_are_further_apart_by_chance_as_seldom_as_promised(void)
{
    static const double alphas[] = {0.05, 0.01, 0.05 / 18};
    static const uint64_t others[] = {1, 5, 39, 60, 97, 128};
    EXPECT_NEAR(share_beyond(5, 5, 0.9), 2.0 / 252,
                1e-12); /* one sample entirely below the other */
    for (size_t a = 0; a < COUNT(alphas); a++) {
        double most = 0;
        for (uint64_t left = 1; left <= 128; left += 1 + left / 8)
            for (size_t i = 0; i < COUNT(others); i++)
                most = fmax(most, share_beyond(left, others[i],
                                               lauka_share_margin(left, others[i], alphas[a])));
        EXPECT(most <= alphas[a] && most > alphas[a] / 2);
    }
    EXPECT_NEAR(lauka_share_margin(500, 500, 0.05), 1.358 * sqrt(2.0 / 500), 1e-4);
}

int main(void)
{
    TEST(every_rank_of_few_values_is_the_one_of_all_sums_sorted);
    TEST(ranks_of_many_values_have_so_many_sums_below);
    TEST(ranks_of_very_many_values_have_so_many_sums_below);
    TEST(many_equal_values_are_located_as_when_counted);
    TEST(values_counted_are_values_repeated);
    TEST(critical_ranks_are_those_of_the_tables);
    TEST(the_exact_and_the_normal_distribution_meet);
    TEST(distributions_of_ranks_are_symmetric_and_end_at_one);
    TEST(quantiles_lie_between_the_ranks_of_the_tables);
    TEST(ranks_around_a_quantile_are_mirrored_and_grow_as_a_root);
    TEST(differences_of_quantiles_hold_what_they_promise);
    TEST(shares_are_further_apart_by_chance_as_seldom_as_promised);
    return expect_report("ranks");
}
