/* Sums of pairs against all of them sorted, and how rank statistics are distributed. */
#include "tests/numbers.h"

/* ---- pair_sums.c ---- */

/* All sums i <= j, sorted; to be freed. */
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
        return normal / (1e-9 + lauka_random_unit(random)) * 1e6; /* far out */
    if (shape == 3)
        return lauka_random_below(random, 10) ? 0 : normal; /* mostly zero */
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

/* So many that they are divided and not all collected. */
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

/* R: qsignrank(0.025, 6:10) and qsignrank(0.025, c(20, 50, 100, 200)), each c - 1 where P(T <= c - 1)
 * is at most 0.025; as in Wilcoxon's tables. */
static void critical_ranks_are_those_of_the_tables(void)
{
    static const uint64_t of_95[][2] = {{5, 0}, {6, 1}, {7, 3}, {8, 4}, {9, 6}, {10, 9}, {20, 53}};
    for (size_t i = 0; i < COUNT(of_95); i++)
        EXPECT_UINT(lauka_signed_rank_critical(of_95[i][0], 0.05), of_95[i][1]);
    EXPECT_UINT(lauka_signed_rank_critical(6, 0.03), 0); /* 97 % need seven, 99 % eight */
    EXPECT_UINT(lauka_signed_rank_critical(7, 0.03), 1);
    EXPECT_UINT(lauka_signed_rank_critical(7, 0.01), 0);
    EXPECT_UINT(lauka_signed_rank_critical(8, 0.01), 1);
    EXPECT_UINT(lauka_signed_rank_critical(0, 0.05), 0);
}

static void the_exact_and_the_normal_distribution_meet(void)
{
    uint64_t at_200 = lauka_signed_rank_critical(200, 0.05),
             at_201 = lauka_signed_rank_critical(201, 0.05);
    EXPECT(at_201 > at_200 && at_201 - at_200 < 110); /* n grows by 1: M / 2 by 100 */
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

int main(void)
{
    TEST(every_rank_of_few_values_is_the_one_of_all_sums_sorted);
    TEST(ranks_of_many_values_have_so_many_sums_below);
    TEST(values_counted_are_values_repeated);
    TEST(critical_ranks_are_those_of_the_tables);
    TEST(the_exact_and_the_normal_distribution_meet);
    TEST(distributions_of_ranks_are_symmetric_and_end_at_one);
    return expect_report("test_ranks");
}
