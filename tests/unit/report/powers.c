/* In units of which power of ten values are kept, and how those of several files come together. */
#include "tests/unit/expect.h"

#include "report/load/loader.h"
#include "report/result/result.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>

/* ---- report/result/powers.c ---- */

static void nine_digits_are_kept_of_the_smallest_value(void)
{
    static const struct {
        double smallest, greatest;
        int decimals;
    } cases[] = {
        {4e-7, 4e-7, 15}, {1e-30, 1e-30, 38}, {9.99999999e-8, 9.99999999e-8, 16},
        {1, 1, 8},        {99.5, 99.5, 7},    {100, 100, 6},
        {1e8, 1e8, 6},    {1e9, 1e9, 5},      {5.2e12, 5.2e12, 2},
        {1e15, 1e15, -1}, {1e30, 1e30, -16},  {1e-7, 1, 15},
        {1e-16, 1, 17},   {1e-3, 1e6, 11},    {100, 1e13, 4},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int decimals = lauka_decimals_choose(cases[i].smallest, cases[i].greatest, 6);
        EXPECT(decimals == cases[i].decimals);
        EXPECT(lauka_decimals_fit(cases[i].greatest, decimals) == LAUKA_FIT_GOOD);
        EXPECT(lauka_decimals_fit(cases[i].smallest, decimals) == LAUKA_FIT_GOOD);
    }
}

static void what_does_not_fit_is_below_a_unit_or_beyond_63_bits(void)
{
    EXPECT(lauka_decimals_fit(0, 8) == LAUKA_FIT_GOOD);
    EXPECT(lauka_decimals_fit(1e-8, 8) == LAUKA_FIT_GOOD);
    EXPECT(lauka_decimals_fit(0.9e-8, 8) == LAUKA_FIT_TOO_SMALL);
    EXPECT(lauka_decimals_fit(9.2e10, 8) == LAUKA_FIT_GOOD);
    EXPECT(lauka_decimals_fit(9.3e10, 8) == LAUKA_FIT_TOO_LARGE);
    EXPECT(lauka_decimals_fit(INFINITY, 8) == LAUKA_FIT_TOO_LARGE);
    EXPECT_UINT(lauka_decimals_value(4e-7, 15), 400000000);
    EXPECT_UINT(lauka_decimals_value(5.2e25, -11), 520000000000000);
}

/* ---- report/load/magnitudes.c ---- */

static struct lauka_series series_of(const uint64_t *values, size_t count)
{
    struct lauka_series series = {0};

    EXPECT(lauka_series_reserve(&series, count) == 0);
    for (size_t i = 0; i < count; i++)
        lauka_series_add(&series, values[i]);
    return series;
}

static void a_series_is_rescaled_or_left_to_an_error(void)
{
    static const uint64_t values[] = {0, 7, LAUKA_MISSING, 1234, 1250};
    struct lauka_series series = series_of(values, 5);
    bool rounded = false;

    EXPECT(lauka_series_rescale(&series, 6, 9, &rounded) == 0 && !rounded);
    EXPECT_UINT(lauka_series_at(&series, 1), 7000);
    EXPECT(lauka_series_at(&series, 2) == LAUKA_MISSING);
    EXPECT(lauka_series_rescale(&series, 9, 5, &rounded) == 0 && rounded);
    EXPECT_UINT(lauka_series_at(&series, 1), 1);
    EXPECT_UINT(lauka_series_at(&series, 4), 125);
    EXPECT(lauka_series_rescale(&series, 5, -6, &rounded) == ERANGE);
    lauka_series_done(&series);
    series = series_of(values, 5);
    EXPECT(lauka_series_rescale(&series, 0, 17, &rounded) == ERANGE);
    lauka_series_done(&series);
    series = series_of(values, 1); /* zeros are so in any unit */
    EXPECT(lauka_series_rescale(&series, -38, 38, &rounded) == 0);
    EXPECT_UINT(lauka_series_at(&series, 0), 0);
    lauka_series_done(&series);
}

/* As if the values had been ten thousand times as large from the beginning. */
static void a_stream_is_rescaled_exactly_but_for_its_buckets(void)
{
    struct lauka_result_stream *streams = lauka_streams_make(2, true);
    struct lauka_random random;

    EXPECT(streams);
    lauka_random_seed(&random, 7);
    for (int i = 0; i < 500; i++) {
        uint64_t value = lauka_random_below(&random, UINT64_C(1) << 45), other = value / 2 + 1;
        for (int s = 0; s < 2; s++) {
            const uint64_t factor = s ? 10000 : 1;
            struct lauka_stream_place place;
            EXPECT(lauka_stream_reach(&streams[s], other * factor, value * factor, &place) == 0);
            lauka_stream_add(&streams[s], other * factor, value * factor, &place);
        }
    }
    EXPECT(lauka_stream_rescale(&streams[0], 3, 7) == 0);
    const struct lauka_moments *own = &streams[0].moments, *expected = &streams[1].moments;
    EXPECT(own->count == expected->count && own->min == expected->min &&
           own->max == expected->max && own->sum == expected->sum &&
           own->sum_of_squares == expected->sum_of_squares &&
           own->squares_carry == expected->squares_carry);
    EXPECT(streams[0].paired->other.sum == streams[1].paired->other.sum);
    EXPECT(streams[0].paired->reference.sum_of_squares ==
           streams[1].paired->reference.sum_of_squares);
    struct lauka_quantile a, b;
    EXPECT(lauka_histogram_quantile(&streams[0].histogram, LAUKA_RANK_WHOLE / 2, &a) &&
           lauka_histogram_quantile(&streams[1].histogram, LAUKA_RANK_WHOLE / 2, &b));
    EXPECT_NEAR((double)lauka_bucket_middle(&a.bucket) / (double)lauka_bucket_middle(&b.bucket), 1,
                2e-3);
    EXPECT_UINT(lauka_histogram_total(&streams[0].histogram), 500);
    EXPECT(lauka_stream_rescale(&streams[0], 7, 14) == ERANGE);
    EXPECT(lauka_stream_rescale(&streams[0], 7, 6) == ERANGE);
    lauka_streams_free(streams, 2);
}

int main(void)
{
    TEST(nine_digits_are_kept_of_the_smallest_value);
    TEST(what_does_not_fit_is_below_a_unit_or_beyond_63_bits);
    TEST(a_series_is_rescaled_or_left_to_an_error);
    TEST(a_stream_is_rescaled_exactly_but_for_its_buckets);
    return expect_report("powers");
}
