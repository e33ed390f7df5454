/* Series, their moments and summaries, checked against known answers and against properties of any numbers. */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/expect.h"
#include "tests/unit/numbers.h"

/* ---- moments.c --------------------------------------------------------------------------------------- */

static void no_values_have_no_moments(void)
{
    struct lauka_moments moments = moments_of(NULL, 0);
    EXPECT_UINT(moments.min, UINT64_MAX);
    EXPECT_UINT(moments.max, 0);
    EXPECT(same_bits(lauka_moments_mean(&moments), 0));
    EXPECT(unknown(lauka_moments_variance(&moments)));
}

static void one_value_has_a_mean_and_no_variance(void)
{
    struct lauka_moments moments = moments_of((uint64_t[]){7}, 1);
    EXPECT(lauka_moments_mean(&moments) == 7);
    EXPECT(unknown(lauka_moments_variance(&moments)));
}

static void the_variance_has_n_minus_one_below(void)
{
    struct lauka_moments moments = moments_of((uint64_t[]){2, 4, 4, 4, 5, 5, 7, 9}, 8);
    EXPECT(lauka_moments_mean(&moments) == 5);
    EXPECT(exactly(lauka_moments_variance(&moments), 32.0 / 7));
}

static void a_constant_has_exactly_its_mean_and_no_variance(void)
{
    static const uint64_t constants[] = {0, 1, 999999999999999, (uint64_t)1 << 53};
    for (size_t i = 0; i < COUNT(constants); i++) {
        struct lauka_moments moments;
        lauka_moments_init(&moments);
        for (int times = 0; times < 1001; times++)
            lauka_moments_add(&moments, constants[i]);
        EXPECT(lauka_moments_mean(&moments) == (double)constants[i]);
        EXPECT(exactly(lauka_moments_variance(&moments), 0));
    }
}

/* The square of a value near 2^63 is about 2^126, so the sum of five wraps modulo 2^128. */
static void the_variance_is_exact_where_the_sum_of_squares_wraps(void)
{
    const uint64_t base = (uint64_t)1 << 63;
    struct lauka_moments wrapped, plain;
    lauka_moments_init(&wrapped);
    lauka_moments_init(&plain);
    for (uint64_t i = 0; i < 1000; i++) {
        lauka_moments_add(&wrapped, base + i * i % 1009);
        lauka_moments_add(&plain, i * i % 1009);
    }
    struct lauka_optional variance = lauka_moments_variance(&wrapped);
    EXPECT(variance.known);
    EXPECT(same_optional(variance, lauka_moments_variance(&plain)));
}

static void values_at_the_end_of_the_range_have_a_variance(void)
{
    struct lauka_moments moments =
        moments_of((uint64_t[]){UINT64_MAX, UINT64_MAX - 2, UINT64_MAX - 1}, 3);
    EXPECT(exactly(lauka_moments_variance(&moments), 1));
    moments = moments_of((uint64_t[]){0, UINT64_MAX}, 2);
    EXPECT_NEAR(lauka_moments_variance(&moments).value, 0x1p127, 1e-15);
}

/* Their squares around the mean add up to more than 2^128. */
static void values_from_end_to_end_of_the_range_have_a_deviation(void)
{
    uint64_t values[1000];
    for (size_t i = 0; i < COUNT(values); i++)
        values[i] = i % 2 ? UINT64_MAX - 1 : 0;
    struct lauka_moments moments = moments_of(values, COUNT(values)), poured;
    EXPECT_NEAR(lauka_moments_variance(&moments).value, 0x1p126 * 1000 / 999, 1e-15);
    EXPECT_NEAR(summary_of(values, COUNT(values)).stddev.value, 0x1p63 * sqrt(1000 / 999.0), 1e-15);
    EXPECT(exactly(comparison_of(values, values, COUNT(values)).cohens_d, 0));
    for (size_t i = 0; i < COUNT(values); i++)
        values[i] = ((uint64_t)1 << 62) + (i % 2) * ((uint64_t)1 << 62);
    EXPECT_NEAR(summary_of(values, COUNT(values)).stddev.value, 0x1p61 * sqrt(1000 / 999.0), 1e-15);
    moments = moments_of(values, COUNT(values));
    lauka_moments_init(&poured);
    lauka_moments_add_count(&poured, (uint64_t)1 << 62, 500);
    lauka_moments_add_count(&poured, (uint64_t)1 << 63, 500);
    EXPECT(same_moments(&moments, &poured));
    EXPECT(same_optional(lauka_moments_variance(&moments), lauka_moments_variance(&poured)));
}

static void a_shift_leaves_the_variance_and_moves_the_mean(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 8);
    uint64_t values[200], moved[200];
    fill_with_times(&random, values, COUNT(values));
    for (size_t i = 0; i < COUNT(values); i++)
        moved[i] = values[i] + 1000000000000000;
    struct lauka_moments here = moments_of(values, COUNT(values));
    struct lauka_moments there = moments_of(moved, COUNT(moved));
    EXPECT(same_optional(lauka_moments_variance(&here), lauka_moments_variance(&there)));
    EXPECT_NEAR(lauka_moments_mean(&there), lauka_moments_mean(&here) + 1e15, 1e-15);
}

static void split_and_merged_moments_are_bit_identical(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 9);
    uint64_t values[500];
    for (size_t i = 0; i < COUNT(values); i++)
        values[i] = lauka_random_next(&random); /* the sum of squares wraps */
    struct lauka_moments whole = moments_of(values, COUNT(values));

    for (int times = 0; times < 200; times++) {
        struct lauka_moments shards[8], merged;
        uint32_t order[] = {0, 1, 2, 3, 4, 5, 6, 7};
        for (size_t i = 0; i < 8; i++)
            lauka_moments_init(&shards[i]);
        for (size_t i = 0; i < COUNT(values); i++)
            lauka_moments_add(&shards[lauka_random_below(&random, 8)], values[i]);
        lauka_moments_init(&merged);
        lauka_random_shuffle(&random, order, 8);
        for (size_t i = 0; i < 8; i++)
            lauka_moments_merge(&merged, &shards[order[i]]);
        EXPECT(same_moments(&merged, &whole));
    }
}

static void merging_nothing_changes_nothing(void)
{
    struct lauka_moments moments = moments_of((uint64_t[]){3, 5}, 2), before = moments;
    struct lauka_moments nothing = moments_of(NULL, 0), empty = nothing;
    lauka_moments_merge(&moments, &nothing);
    EXPECT(same_moments(&moments, &before));
    lauka_moments_merge(&nothing, &empty);
    EXPECT(same_moments(&nothing, &empty));
}

/* ---- series.c ---------------------------------------------------------------------------------------- */

static void a_series_keeps_its_values_in_order_as_it_grows(void)
{
    struct lauka_series series = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        EXPECT(lauka_series_reserve(&series, i + 1) == 0);
        lauka_series_add(&series, i * 7);
    }
    EXPECT_UINT(series.count, 1000);
    for (uint64_t i = 0; i < series.count; i++)
        EXPECT_UINT(lauka_series_at(&series, i), i * 7);
    lauka_series_done(&series);
    EXPECT(!series.narrow && !series.wide && series.count == 0 && series.capacity == 0);
    lauka_series_done(&series);
}

/* The largest narrow values, the smallest wide ones, and missing ones, in several sequences. */
static void a_series_widens_where_a_value_needs_it(void)
{
    const uint64_t values[] = {7, UINT32_MAX - 1, LAUKA_MISSING, 0, UINT32_MAX, UINT64_MAX - 1, 1};
    enum { COUNT = sizeof values / sizeof *values };

    for (size_t wide_from = 0; wide_from <= COUNT;
         wide_from++) { /* widened on request, or by a value */
        struct lauka_series series = {0};
        EXPECT(lauka_series_reserve(&series, COUNT) == 0);
        for (size_t i = 0; i < COUNT; i++) {
            if (i == wide_from)
                lauka_series_widen(&series);
            lauka_series_add(&series, values[i]);
            EXPECT((series.narrow != NULL) == (i < 4 && i < wide_from));
            for (size_t k = 0; k <= i; k++)
                EXPECT_UINT(lauka_series_at(&series, k), values[k]);
        }
        EXPECT(lauka_series_reserve(&series, 2 * COUNT) == 0);
        EXPECT_UINT(lauka_series_at(&series, 5), UINT64_MAX - 1);
        lauka_series_done(&series);
    }
}

static void a_value_is_replaced_by_a_larger_one_and_left_out_where_it_is_missing(void)
{
    struct lauka_series series = series_of((uint64_t[]){1, 2, 3}, 3);
    uint64_t measured[3];

    lauka_series_set(&series, 0, LAUKA_MISSING);
    EXPECT(series.narrow && lauka_series_measured(&series, measured) == 2);
    EXPECT(measured[0] == 2 && measured[1] == 3);
    lauka_series_set(&series, 2, UINT64_C(1) << 40);
    EXPECT(lauka_series_at(&series, 0) == LAUKA_MISSING && lauka_series_at(&series, 1) == 2);
    EXPECT_UINT(lauka_series_at(&series, 2), UINT64_C(1) << 40);
    EXPECT(lauka_series_measured(&series, measured) == 2 && measured[1] == UINT64_C(1) << 40);
    lauka_series_done(&series);
}

static void room_is_never_taken_away(void)
{
    struct lauka_series series = {0};
    EXPECT(lauka_series_reserve(&series, 0) == 0);
    EXPECT(lauka_series_reserve(&series, 100) == 0);
    EXPECT(lauka_series_reserve(&series, 10) == 0);
    EXPECT_UINT(series.capacity, 100);
    lauka_series_done(&series);
}

static void too_much_room_is_refused_and_leaves_the_series_as_it_was(void)
{
    struct lauka_series series = series_of((uint64_t[]){1, 2}, 2);
    const uint32_t *values = series.narrow;
    EXPECT(lauka_series_reserve(&series, SIZE_MAX / 4) != 0);
    EXPECT(series.narrow == values && series.count == 2 && series.capacity == 2);
    lauka_series_done(&series);
}

/* ---- summary.c --------------------------------------------------------------------------------------- */

static void no_values_come_to_nothing(void)
{
    static const uint64_t missing[] = {LAUKA_MISSING, LAUKA_MISSING};
    struct lauka_summary summary = summary_of(missing, 2);
    EXPECT_UINT(summary.count, 0);
    EXPECT_UINT(summary.missing, 2);
    EXPECT_UINT(summary.min, 0);
    EXPECT_UINT(summary.max, 0);
    EXPECT(same_bits(summary.mean, 0) && same_bits(summary.median, 0));
    EXPECT(unknown(summary.stddev));

    struct lauka_series empty = {0};
    EXPECT(lauka_summarize(&empty, &summary) == 0);
    EXPECT_UINT(summary.count, 0);
    EXPECT_UINT(summary.missing, 0);
}

static void one_value_is_everything_but_a_deviation(void)
{
    struct lauka_summary summary = summary_of((uint64_t[]){5}, 1);
    EXPECT_UINT(summary.count, 1);
    EXPECT(summary.min == 5 && summary.max == 5);
    EXPECT(summary.mean == 5 && summary.median == 5);
    EXPECT(summary.first_quartile == 5 && summary.third_quartile == 5);
    EXPECT(unknown(summary.stddev));
    EXPECT_UINT(summary.outliers, 0);
}

static void two_values_have_a_deviation(void)
{
    struct lauka_summary summary = summary_of((uint64_t[]){9, 1}, 2);
    EXPECT(summary.mean == 5 && summary.median == 5);
    EXPECT(summary.first_quartile == 3 && summary.third_quartile == 7);
    EXPECT(exactly(summary.stddev, sqrt(32)));
}

/* From R: quantile(c(1, 2, 4, 8, 16, 32)), whose default is type 7. */
static void quartiles_are_interpolated_as_in_r(void)
{
    struct lauka_summary summary = summary_of((uint64_t[]){32, 1, 16, 2, 8, 4}, 6);
    EXPECT(summary.first_quartile == 2.5);
    EXPECT(summary.median == 6);
    EXPECT(summary.third_quartile == 14);
}

static void a_constant_series_has_no_outliers(void)
{
    struct lauka_summary summary = summary_of((uint64_t[]){4, 4, 4, 4, 4}, 5);
    EXPECT_UINT(summary.outliers, 0);
    EXPECT(exactly(summary.stddev, 0));
}

/* The quartiles are 10 and 20, so the fences are 10 - 15 and 20 + 15. */
static void a_value_on_the_fence_is_no_outlier(void)
{
    EXPECT_UINT(summary_of((uint64_t[]){10, 10, 15, 20, 35}, 5).outliers, 0);
    EXPECT_UINT(summary_of((uint64_t[]){10, 10, 15, 20, 36}, 5).outliers, 1);
}

static void outliers_lie_on_both_sides(void)
{
    EXPECT_UINT(summary_of((uint64_t[]){0, 100, 101, 102, 103, 104, 200}, 7).outliers, 2);
}

static void missing_values_are_left_out_not_zero(void)
{
    static const uint64_t holes[] = {LAUKA_MISSING, 6, LAUKA_MISSING, 2, 4};
    struct lauka_summary with = summary_of(holes, COUNT(holes));
    struct lauka_summary without = summary_of((uint64_t[]){6, 2, 4}, 3);
    EXPECT_UINT(with.count, 3);
    EXPECT_UINT(with.missing, 2);
    EXPECT(with.min == 2 && with.max == 6);
    EXPECT(with.mean == without.mean && with.median == without.median);
    EXPECT(same_optional(with.stddev, without.stddev));
}

static void the_largest_values_are_summarized(void)
{
    static const uint64_t values[] = {UINT64_MAX - 1, UINT64_MAX - 1, UINT64_MAX - 1};
    struct lauka_summary summary = summary_of(values, 3);
    EXPECT(summary.mean == 0x1p64 && summary.median == 0x1p64);
    EXPECT(exactly(summary.stddev, 0));
    EXPECT_UINT(summary.max, UINT64_MAX - 1);
}

static void a_summary_leaves_the_series_in_run_order(void)
{
    struct lauka_series series = series_of((uint64_t[]){3, 1, 2}, 3);
    struct lauka_summary summary;
    EXPECT(lauka_summarize(&series, &summary) == 0);
    EXPECT(lauka_series_at(&series, 0) == 3 && lauka_series_at(&series, 1) == 1 &&
           lauka_series_at(&series, 2) == 2);
    lauka_series_done(&series);
}

static void the_order_of_rounds_does_not_matter(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 10);
    uint64_t a[101], b[101];
    fill_with_times(&random, a, COUNT(a));
    fill_with_times(&random, b, COUNT(b));
    a[7] = LAUKA_MISSING;
    struct lauka_summary summary = summary_of(a, COUNT(a));
    struct lauka_comparison comparison = comparison_of(a, b, COUNT(a));

    for (int times = 0; times < 20; times++) {
        uint32_t order[COUNT(a)];
        uint64_t mixed_a[COUNT(a)], mixed_b[COUNT(a)];
        for (uint32_t i = 0; i < COUNT(a); i++)
            order[i] = i;
        lauka_random_shuffle(&random, order, COUNT(a));
        for (size_t i = 0; i < COUNT(a); i++) {
            mixed_a[i] = a[order[i]];
            mixed_b[i] = b[order[i]];
        }
        struct lauka_summary mixed = summary_of(mixed_a, COUNT(a));
        EXPECT(same_bits(mixed.mean, summary.mean) && same_bits(mixed.median, summary.median));
        EXPECT(same_optional(mixed.stddev, summary.stddev));
        EXPECT(mixed.outliers == summary.outliers);
        struct lauka_comparison again = comparison_of(mixed_a, mixed_b, COUNT(a));
        EXPECT(same_optional(again.mean_ratio, comparison.mean_ratio));
        EXPECT(same_optional(again.cohens_d, comparison.cohens_d));
        EXPECT(same_optional(again.hedges_g, comparison.hedges_g));
    }
}

static void a_scale_by_a_power_of_two_scales_all(void)
{
    struct lauka_random random;
    lauka_random_seed(&random, 11);
    uint64_t values[99], scaled[99];
    fill_with_times(&random, values, COUNT(values));
    for (int k = 1; k <= 30; k++) {
        double factor = ldexp(1, k);
        for (size_t i = 0; i < COUNT(values); i++)
            scaled[i] = values[i] << k;
        struct lauka_summary before = summary_of(values, COUNT(values));
        struct lauka_summary after = summary_of(scaled, COUNT(scaled));
        EXPECT(after.median == before.median * factor);
        EXPECT(after.third_quartile == before.third_quartile * factor);
        EXPECT(after.outliers == before.outliers);
        EXPECT_NEAR(after.mean, before.mean * factor, 1e-15);
        EXPECT_NEAR(after.stddev.value, before.stddev.value * factor, 1e-14);
    }
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Few and many values, of all widths, with equal or different leading digits. */
static void integers_are_sorted_as_qsort_sorts_them(void)
{
    static const uint64_t masks[] = {UINT64_MAX, 0xff, 0xffffffffff, 0, 0x3ffffff, 0x1000000};
    struct lauka_random random;

    lauka_random_seed(&random, 11);
    for (size_t i = 0; i < 48; i++) {
        size_t count = lauka_random_below(&random, i % 4 == 3 ? 100000 : 400);
        uint64_t base = i % 2 ? 0 : UINT64_C(1) << 52, mask = masks[i % 6];
        uint64_t *ours = malloc((count + 1) * sizeof *ours);
        uint64_t *theirs = malloc((count + 1) * sizeof *theirs);
        for (size_t k = 0; k < count; k++)
            ours[k] = theirs[k] = base + (lauka_random_next(&random) & mask);
        qsort(theirs, count, sizeof *theirs, by_size);
        EXPECT(lauka_sort_integers(ours, count) == 0);
        EXPECT(memcmp(ours, theirs, count * sizeof *ours) == 0);
        free(ours);
        free(theirs);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Shapes: uniform, concentrated in the middle, heavy tails, few distinct values, one extreme value. */
static double number_of(size_t shape, size_t i, struct lauka_random *random)
{
    double normal = lauka_random_normal(random);
    return shape == 0   ? lauka_random_unit(random)
           : shape == 1 ? normal
           : shape == 2 ? normal / (lauka_random_unit(random) + 1e-300)
           : shape == 3 ? floor(normal)
           : shape == 4 ? (i == 0   ? 1e308
                           : i == 1 ? -1e308
                                    : normal)
                        : (i == 0 ? 1e18 : normal);
}

static void doubles_are_sorted_as_qsort_sorts_them(void)
{
    enum { MANY = 30000 };
    static double ours[MANY], theirs[MANY];
    struct lauka_random random;
    lauka_random_seed(&random, 12);
    for (size_t shape = 0; shape < 6; shape++)
        for (size_t count = 3; count <= MANY; count *= 10) {
            for (size_t i = 0; i < count; i++)
                ours[i] = theirs[i] = number_of(shape, i, &random);
            qsort(theirs, count, sizeof *theirs, by_value);
            EXPECT(lauka_sort_doubles(ours, count) == 0);
            EXPECT(memcmp(ours, theirs, count * sizeof *ours) == 0);
        }
}

/* The values of a long series, and the measured ones among them, sorted. */
struct long_series {
    struct lauka_series series;
    uint64_t *sorted;
    size_t measured;
};

static struct long_series long_series_of(uint64_t base, uint64_t below, uint64_t every)
{
    enum { MANY = 40000 };
    struct long_series drawn = {.sorted = malloc(MANY * sizeof *drawn.sorted)};
    struct lauka_random random;
    lauka_random_seed(&random, below);
    if (!drawn.sorted || lauka_series_reserve(&drawn.series, MANY) != 0)
        abort();
    for (size_t i = 0; i < MANY; i++) {
        uint64_t value =
            i % every == every - 1 ? LAUKA_MISSING : base + lauka_random_below(&random, below);
        lauka_series_add(&drawn.series, value);
    }
    drawn.measured = lauka_series_measured(&drawn.series, drawn.sorted);
    qsort(drawn.sorted, drawn.measured, sizeof *drawn.sorted, by_size);
    return drawn;
}

static void ranks_of_long_series_are_those_of_the_sorted_values(void)
{
    static const uint64_t cases[][3] = {{0, 10, 7},
                                        {250, 1, 50000},
                                        {0, UINT64_MAX, 3},
                                        {1000000, 200000, 50000},
                                        {UINT64_C(1) << 40, 1 << 14, 2},
                                        {0, 1 << 14, 50000},
                                        {5, (1 << 14) + 1, 9}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        struct long_series drawn = long_series_of(cases[c][0], cases[c][1], cases[c][2]);
        size_t last = drawn.measured - 1;
        const size_t indices[] = {0, last / 4, last / 4 + 1, last / 2, last / 2, last};
        uint64_t selected[6];
        EXPECT(lauka_series_select(&drawn.series, drawn.sorted[0], drawn.sorted[last], indices, 6,
                                   selected) == 0);
        for (size_t i = 0; i < 6; i++)
            EXPECT_UINT(selected[i], drawn.sorted[indices[i]]);
        lauka_series_done(&drawn.series);
        free(drawn.sorted);
    }
}

static void moments_of_a_series_are_those_of_its_values(void)
{
    static const uint64_t cases[][3] = {{0, 10, 7}, {UINT32_MAX - 3, 3, 5}, {0, UINT64_MAX, 3}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        struct long_series drawn = long_series_of(cases[c][0], cases[c][1], cases[c][2]);
        struct lauka_moments all = moments_of(drawn.sorted, drawn.measured), moments;
        lauka_moments_of(&drawn.series, &moments);
        EXPECT(moments.count == all.count && moments.min == all.min && moments.max == all.max);
        EXPECT(moments.sum == all.sum && moments.sum_of_squares == all.sum_of_squares &&
               moments.squares_carry == all.squares_carry);
        lauka_series_done(&drawn.series);
        free(drawn.sorted);
    }
    struct lauka_moments none;
    lauka_moments_of(&(struct lauka_series){0}, &none);
    EXPECT(none.count == 0 && none.min == UINT64_MAX && none.max == 0);
}

static void values_added_together_are_those_added_one_by_one(void)
{
    static const uint64_t values[] = {1, LAUKA_MISSING, 3, UINT32_MAX, 5, LAUKA_MISSING};
    for (size_t first = 0; first <= COUNT(values); first++) {
        struct lauka_series series = {0};
        EXPECT(lauka_series_reserve(&series, COUNT(values)) == 0);
        lauka_series_add_all(&series, values, first);
        lauka_series_add_all(&series, values + first, COUNT(values) - first);
        EXPECT_UINT(series.count, COUNT(values));
        for (size_t i = 0; i < COUNT(values); i++)
            EXPECT_UINT(lauka_series_at(&series, i), values[i]);
        lauka_series_done(&series);
    }
}

int main(void)
{
    TEST(no_values_have_no_moments);
    TEST(one_value_has_a_mean_and_no_variance);
    TEST(the_variance_has_n_minus_one_below);
    TEST(a_constant_has_exactly_its_mean_and_no_variance);
    TEST(the_variance_is_exact_where_the_sum_of_squares_wraps);
    TEST(values_at_the_end_of_the_range_have_a_variance);
    TEST(values_from_end_to_end_of_the_range_have_a_deviation);
    TEST(a_shift_leaves_the_variance_and_moves_the_mean);
    TEST(split_and_merged_moments_are_bit_identical);
    TEST(merging_nothing_changes_nothing);
    TEST(a_series_keeps_its_values_in_order_as_it_grows);
    TEST(a_series_widens_where_a_value_needs_it);
    TEST(a_value_is_replaced_by_a_larger_one_and_left_out_where_it_is_missing);
    TEST(room_is_never_taken_away);
    TEST(too_much_room_is_refused_and_leaves_the_series_as_it_was);
    TEST(no_values_come_to_nothing);
    TEST(one_value_is_everything_but_a_deviation);
    TEST(two_values_have_a_deviation);
    TEST(quartiles_are_interpolated_as_in_r);
    TEST(a_constant_series_has_no_outliers);
    TEST(a_value_on_the_fence_is_no_outlier);
    TEST(outliers_lie_on_both_sides);
    TEST(missing_values_are_left_out_not_zero);
    TEST(the_largest_values_are_summarized);
    TEST(a_summary_leaves_the_series_in_run_order);
    TEST(the_order_of_rounds_does_not_matter);
    TEST(a_scale_by_a_power_of_two_scales_all);
    TEST(integers_are_sorted_as_qsort_sorts_them);
    TEST(doubles_are_sorted_as_qsort_sorts_them);
    TEST(ranks_of_long_series_are_those_of_the_sorted_values);
    TEST(moments_of_a_series_are_those_of_its_values);
    TEST(values_added_together_are_those_added_one_by_one);
    return expect_report("series");
}
