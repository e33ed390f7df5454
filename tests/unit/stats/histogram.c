/* Histograms. Known answers come from tests/vectors/hdr; the other tests check properties of any values. */
#include "tests/unit/expect.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "tests/unit/hdr_vectors.h"
#include "stats/histogram.h"
#include "stats/recorder.h"
#include "stats/stats.h"

static struct lauka_random dice;

/* A value of any magnitude: each of 64 bit widths is equally likely. */
static uint64_t any_value(void)
{
    return lauka_random_next(&dice) >> lauka_random_below(&dice, 64);
}

static struct lauka_histogram histogram_of(unsigned digits, bool narrow)
{
    const struct lauka_histogram_options options = {.digits = digits, .narrow = narrow};
    struct lauka_histogram histogram;
    if (lauka_histogram_init(&histogram, &options) != 0)
        exit(1);
    return histogram;
}

/* Whether both have the same buckets, counts and overflow. */
static bool alike(const struct lauka_histogram *a, const struct lauka_histogram *b)
{
    struct lauka_bucket in_a = {0}, in_b = {0};
    bool more_a, more_b;
    while (more_a = lauka_histogram_next(a, &in_a), more_b = lauka_histogram_next(b, &in_b),
           more_a && more_b)
        if (in_a.lowest != in_b.lowest || in_a.highest != in_b.highest || in_a.count != in_b.count)
            return false;
    return more_a == more_b && a->overflow == b->overflow;
}

/* ---- sparse counters ---- */

static struct lauka_histogram sparse_of(unsigned digits)
{
    const struct lauka_histogram_options options = {.digits = digits, .sparse = true};
    struct lauka_histogram histogram;
    if (lauka_histogram_init(&histogram, &options) != 0)
        exit(1);
    return histogram;
}

static void expect_same_quantiles(const struct lauka_histogram *a, const struct lauka_histogram *b)
{
    struct lauka_quantile of_a[LAUKA_SUMMARY_RANKS], of_b[LAUKA_SUMMARY_RANKS];
    EXPECT_UINT(lauka_histogram_total(a), lauka_histogram_total(b));
    EXPECT(lauka_histogram_quantiles(a, lauka_summary_ranks, LAUKA_SUMMARY_RANKS, of_a) ==
           lauka_histogram_quantiles(b, lauka_summary_ranks, LAUKA_SUMMARY_RANKS, of_b));
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++)
        EXPECT(of_a[i].count == of_b[i].count && of_a[i].bucket.lowest == of_b[i].bucket.lowest &&
               of_a[i].bucket.cumulative == of_b[i].bucket.cumulative);
}

static void record_both(struct lauka_histogram *a, struct lauka_histogram *b)
{
    for (size_t i = 0; i < 500; i++) {
        uint64_t value = any_value(), count = 1 + lauka_random_below(&dice, 3);
        EXPECT(lauka_histogram_record_count(a, value, count));
        EXPECT(lauka_histogram_record_count(b, value, count));
    }
}

static void sparse_counters_count_as_others_do(void)
{
    for (unsigned digits = 1; digits <= 5; digits++) {
        struct lauka_histogram dense = histogram_of(digits, false), sparse = sparse_of(digits);
        struct lauka_histogram sum = sparse_of(digits), coarse = sparse_of(1);
        expect_same_quantiles(&dense, &sparse);
        record_both(&dense, &sparse);
        EXPECT(alike(&dense, &sparse));
        expect_same_quantiles(&dense, &sparse);
        EXPECT(lauka_histogram_merge(&sum, &dense) == 0 && alike(&sum, &dense));
        EXPECT(lauka_histogram_merge(&sum, &sparse) == 0);
        EXPECT(lauka_histogram_merge(&coarse, &sum) == 0);
        EXPECT_UINT(lauka_histogram_total(&coarse), 2 * lauka_histogram_total(&dense));
        EXPECT(lauka_histogram_subtract(&sum, &dense) == 0 && alike(&sum, &sparse));
        EXPECT(lauka_histogram_subtract(&dense, &sum) == 0);
        EXPECT_UINT(lauka_histogram_total(&dense), 0);
        lauka_histogram_record_count(&dense, 77, 1000);
        EXPECT(lauka_histogram_subtract(&sum, &dense) == ERANGE);
        EXPECT(alike(&sum, &sparse));
        lauka_histogram_reset(&sum);
        EXPECT_UINT(lauka_histogram_total(&sum), 0);
        lauka_histogram_done(&dense);
        lauka_histogram_done(&sparse);
        lauka_histogram_done(&sum);
        lauka_histogram_done(&coarse);
    }
}

static void sparse_counters_are_there_where_values_are(void)
{
    const struct lauka_histogram_options both = {.narrow = true, .sparse = true};
    struct lauka_histogram histogram = sparse_of(3), refused;
    struct lauka_snapshot snapshot;
    uint64_t *counter;
    EXPECT_UINT(lauka_sparse_used(&histogram.sparse), 0);
    for (size_t i = 0; i < 10000; i++)
        lauka_histogram_record_count(&histogram, 25000000 + lauka_random_below(&dice, 500000), 1);
    lauka_histogram_record_count(&histogram, 0, 1);
    lauka_histogram_record_count(&histogram, UINT64_MAX, 1);
    EXPECT(lauka_sparse_used(&histogram.sparse) <= 5 * LAUKA_SPARSE_BLOCK);
    EXPECT(lauka_histogram_reach(&histogram, 7, &counter) == 0 && *counter == 0);
    EXPECT_UINT(lauka_histogram_total(&histogram), 10002);
    EXPECT(lauka_snapshot_init(&snapshot, &histogram) == EINVAL);
    EXPECT(lauka_histogram_init(&refused, &both) == EINVAL);
    lauka_histogram_done(&histogram);
}

static void a_tally_knows_count_and_extremes_of_what_had_a_place(void)
{
    const struct lauka_histogram_options options = {.min = 1000, .max = 100000};
    struct lauka_histogram limited, plain = histogram_of(3, false);
    struct lauka_tally tally = LAUKA_TALLY_EMPTY, of_all = LAUKA_TALLY_EMPTY;
    if (lauka_histogram_init(&limited, &options) != 0)
        exit(1);
    EXPECT(!lauka_histogram_record_tallied(&limited, &tally, 0));
    EXPECT(lauka_histogram_record_tallied(&limited, &tally, 50000));
    EXPECT(lauka_histogram_record_tallied(&limited, &tally, 2000));
    EXPECT(!lauka_histogram_record_tallied(&limited, &tally, UINT64_MAX));
    EXPECT(tally.count == 2 && tally.min == 2000 && tally.max == 50000);
    EXPECT_UINT(limited.overflow, 2);
    EXPECT_UINT(lauka_histogram_total(&limited), 2);
    EXPECT(lauka_histogram_record_tallied(&plain, &of_all, 0));
    EXPECT(lauka_histogram_record_tallied(&plain, &of_all, UINT64_MAX));
    EXPECT(of_all.count == 2 && of_all.min == 0 && of_all.max == UINT64_MAX);
    lauka_histogram_done(&limited);
    lauka_histogram_done(&plain);
}

/* ---- known answers ---- */

static struct lauka_quantile quantile_of(const struct lauka_histogram *histogram, const char *rank)
{
    struct lauka_quantile quantile;
    lauka_histogram_quantile(histogram, (uint32_t)lround(strtod(rank, NULL) * 1e7), &quantile);
    return quantile;
}

static void check_percentiles(const struct lauka_histogram *histogram, const cJSON *json)
{
    const cJSON *percentile;
    cJSON_ArrayForEach(percentile, cJSON_GetObjectItemCaseSensitive(json, "percentiles"))
    {
        struct lauka_quantile q = quantile_of(histogram, vector_string(percentile, "rank"));
        EXPECT_UINT(q.count, vector_uint(percentile, "target_count"));
        EXPECT_UINT(q.bucket.lowest, vector_uint(percentile, "lowest"));
        EXPECT_UINT(q.bucket.highest, vector_uint(percentile, "highest"));
        EXPECT_UINT(lauka_bucket_middle(&q.bucket), vector_uint(percentile, "mid"));
        EXPECT_UINT(q.bucket.cumulative, vector_uint(percentile, "cumulative"));
    }
}

/* Returns the number modulo 2^128. */
static lauka_uint128 parse_uint128(const char *digits)
{
    lauka_uint128 number = 0;
    for (; *digits; digits++) {
        uint64_t digit = (uint64_t)(*digits - '0');
        number *= 10;
        number += digit;
    }
    return number;
}

static void check_moments(const struct lauka_moments *moments, const cJSON *exact)
{
    EXPECT_UINT(moments->count, vector_uint(exact, "n"));
    EXPECT(moments->sum == parse_uint128(vector_string(exact, "sum")));
    EXPECT(moments->sum_of_squares == parse_uint128(vector_string(exact, "sum_sq")));
    if (moments->count == 0)
        return;
    EXPECT_UINT(moments->min, vector_uint(exact, "min"));
    EXPECT_UINT(moments->max, vector_uint(exact, "max"));
    EXPECT_NEAR(lauka_moments_mean(moments), strtod(vector_string(exact, "mean"), NULL), 1e-15);
    double n = (double)moments->count;
    struct lauka_optional variance = lauka_moments_variance(moments);
    if (variance.known)
        EXPECT_NEAR(sqrt(variance.value * (n - 1) / n),
                    strtod(vector_string(exact, "sd_population"), NULL), 1e-14);
}

static void check_summary(const struct lauka_histogram *histogram,
                          const struct lauka_moments *moments, const cJSON *json)
{
    struct lauka_histogram_summary with, without;
    bool some = lauka_histogram_summarize(histogram, moments, &with);
    EXPECT(lauka_histogram_summarize(histogram, NULL, &without) == some);
    EXPECT_UINT(with.total, moments->count);
    EXPECT(memcmp(with.quantiles, without.quantiles, sizeof with.quantiles) == 0);
    EXPECT(with.exact == some && !without.exact && !without.stddev.known);
    if (!some)
        return;
    const cJSON *java = cJSON_GetObjectItemCaseSensitive(json, "java_stats");
    double mean, stddev;
    lauka_histogram_estimate(histogram, &mean, &stddev);
    EXPECT_NEAR(mean, strtod(vector_string(java, "mean"), NULL), 1e-14);
    EXPECT_NEAR(stddev, strtod(vector_string(java, "stddev"), NULL), 1e-12);
    EXPECT_UINT(without.max, vector_uint(java, "max"));
}

static void values_lie_in_the_buckets_of_hdrhistogram(void)
{
    cJSON *index = vector_json("INDEX"), *name;
    cJSON_ArrayForEach(name, index)
    {
        cJSON *json = vector_json(name->valuestring);
        struct lauka_moments moments;
        struct lauka_histogram histogram = vector_histogram(name->valuestring, &moments);
        EXPECT_UINT(lauka_histogram_size(&histogram), vector_uint(json, "counts_len"));
        EXPECT_UINT(histogram.overflow, vector_uint(json, "rejected_if_index_beyond_length"));
        EXPECT(vector_has_buckets(name->valuestring, ".buckets", &histogram));
        check_percentiles(&histogram, json);
        check_moments(&moments, cJSON_GetObjectItemCaseSensitive(json, "exact_of_accepted"));
        check_summary(&histogram, &moments, json);
        lauka_histogram_done(&histogram);
        cJSON_Delete(json);
    }
    cJSON_Delete(index);
}

/* ---- layout ---- */

static void every_value_lies_in_its_bucket(void)
{
    for (unsigned digits = 1; digits <= 5; digits++) {
        struct lauka_histogram h = histogram_of(digits, false);
        for (int i = 0; i < 20000; i++) {
            uint64_t value = i == 0 ? UINT64_MAX : any_value();
            size_t place = lauka_histogram_place(h.low, h.sub_bits, value);
            struct lauka_bucket bucket = lauka_histogram_bucket(&h, place);
            EXPECT(bucket.lowest <= value && value <= bucket.highest);
            EXPECT((double)lauka_bucket_error(&bucket) <=
                   lauka_histogram_error(&h) * (double)bucket.lowest);
        }
        lauka_histogram_done(&h);
    }
}

static void buckets_follow_each_other_without_a_gap(void)
{
    struct lauka_histogram h = histogram_of(2, false);
    uint64_t next = 0;
    for (size_t i = 0; i < lauka_histogram_size(&h); i++) {
        struct lauka_bucket bucket = lauka_histogram_bucket(&h, i);
        EXPECT_UINT(bucket.index, i);
        EXPECT_UINT(bucket.lowest, next);
        next = bucket.highest + 1;
    }
    EXPECT_UINT(next, 0); /* 2^64 */
    lauka_histogram_done(&h);
}

static void a_relative_error_is_rounded_up_to_digits(void)
{
    EXPECT_UINT(lauka_histogram_digits(0.1), 1);
    EXPECT_UINT(lauka_histogram_digits(0.03125), 1);
    EXPECT_UINT(lauka_histogram_digits(0.03), 2);
    EXPECT_UINT(lauka_histogram_digits(0.001), 3);
    EXPECT_UINT(lauka_histogram_digits(0.0005), 3);
    EXPECT_UINT(lauka_histogram_digits(0.0004), 4);
    EXPECT_UINT(lauka_histogram_digits(0.00001), 5);
    EXPECT_UINT(lauka_histogram_digits(0), 5);
    EXPECT_UINT(lauka_histogram_digits(NAN), 5);
}

static void impossible_histograms_are_refused(void)
{
    struct lauka_histogram h;
    EXPECT(lauka_histogram_init(&h, &(struct lauka_histogram_options){.digits = 6}) == EINVAL);
    EXPECT(lauka_histogram_init(&h, &(struct lauka_histogram_options){.min = 2, .max = 1}) ==
           EINVAL);
    EXPECT(lauka_histogram_init_hdr(&h, 0, 10, 3) == EINVAL);
    EXPECT(lauka_histogram_init_hdr(&h, 1, 1, 3) == EINVAL);
    EXPECT(lauka_histogram_init_hdr(&h, 1, UINT64_MAX, 3) == EINVAL);
    EXPECT(lauka_histogram_init_hdr(&h, UINT64_C(1) << 60, INT64_MAX, 3) == EINVAL);
    EXPECT(lauka_histogram_init_hdr(&h, 1, 2, 0) == EINVAL);
}

/* ---- recording ---- */

enum { MANY = 2500 };

static void arrays_count_like_single_values(void)
{
    for (int narrow = 0; narrow < 2; narrow++) {
        static uint64_t values[MANY];
        struct lauka_histogram one = histogram_of(3, narrow), all = histogram_of(3, narrow);
        for (int i = 0; i < MANY; i++) {
            values[i] = any_value();
            EXPECT(lauka_histogram_record_count(&one, values[i], 1));
        }
        lauka_histogram_record_array(&all, values, 37);
        lauka_histogram_record_array(&all, values + 37, MANY - 37);
        EXPECT(alike(&one, &all));
        EXPECT_UINT(lauka_histogram_total(&all), MANY);
        lauka_histogram_done(&one);
        lauka_histogram_done(&all);
    }
}

static void the_fast_way_counts_like_the_other(void)
{
    struct lauka_histogram fast = histogram_of(0, false), slow = histogram_of(3, false);
    for (int i = 0; i < MANY; i++) {
        uint64_t value = any_value();
        lauka_histogram_record(&fast, value);
        lauka_histogram_record_count(&slow, value, 1);
    }
    EXPECT(alike(&fast, &slow));
    lauka_histogram_done(&fast);
    lauka_histogram_done(&slow);
}

static void what_lies_outside_the_limits_is_overflow(void)
{
    struct lauka_histogram h;
    const struct lauka_histogram_options options = {
        .digits = 2, .narrow = true, .min = 10000, .max = 30000};
    const uint64_t values[] = {0, 9900, 10000, 20000, 30000, 30079, 30080, 40000, UINT64_MAX};
    EXPECT(lauka_histogram_init(&h, &options) == 0);
    lauka_histogram_record_array(&h, values, sizeof values / sizeof *values);
    struct lauka_histogram_summary summary;
    EXPECT(lauka_histogram_summarize(&h, NULL, &summary));
    EXPECT_UINT(summary.total, 4); /* 30079 is in the bucket of 30000 */
    EXPECT_UINT(summary.overflow, 5);
    EXPECT_UINT(summary.range_min, 10000);
    EXPECT_UINT(summary.range_max, 30000);
    lauka_histogram_done(&h);
}

static void a_counter_never_wraps_by_a_count(void)
{
    struct lauka_histogram h = histogram_of(3, true);
    EXPECT(lauka_histogram_record_count(&h, 7, UINT32_MAX));
    EXPECT(!lauka_histogram_record_count(&h, 7, 1));
    EXPECT_UINT(lauka_histogram_total(&h), UINT32_MAX);
    EXPECT_UINT(h.overflow, 1);
    lauka_histogram_done(&h);
}

/* ---- merging ---- */

static void splitting_and_merging_changes_nothing(void)
{
    for (unsigned digits = 1; digits <= 5; digits++) {
        struct lauka_histogram all = histogram_of(digits, false),
                               merged = histogram_of(digits, digits % 2);
        struct lauka_histogram shards[7];
        struct lauka_moments moments, merged_moments, shard_moments[7];
        lauka_moments_init(&moments);
        lauka_moments_init(&merged_moments);
        for (int i = 0; i < 7; i++) {
            shards[i] = histogram_of(digits, i % 3 == 0);
            lauka_moments_init(&shard_moments[i]);
        }
        for (int i = 0; i < MANY; i++) {
            uint64_t value = any_value(), shard = lauka_random_below(&dice, 7);
            lauka_histogram_record(&all, value);
            lauka_moments_add(&moments, value);
            lauka_histogram_record_count(&shards[shard], value, 1);
            lauka_moments_add(&shard_moments[shard], value);
        }
        uint32_t order[7] = {0, 1, 2, 3, 4, 5, 6};
        lauka_random_shuffle(&dice, order, 7);
        for (int i = 0; i < 7; i++) {
            EXPECT(lauka_histogram_merge(&merged, &shards[order[i]]) == 0);
            lauka_moments_merge(&merged_moments, &shard_moments[order[i]]);
        }
        EXPECT(alike(&all, &merged));
        EXPECT(memcmp(&moments, &merged_moments, sizeof moments) == 0);
        for (int i = 0; i < 7; i++) {
            EXPECT(lauka_histogram_subtract(&merged, &shards[i]) == 0);
            lauka_histogram_done(&shards[i]);
        }
        EXPECT_UINT(lauka_histogram_total(&merged), 0);
        lauka_histogram_done(&all);
        lauka_histogram_done(&merged);
    }
}

static void coarsening_is_like_coarse_recording(void)
{
    for (unsigned fine = 1; fine <= 5; fine++)
        for (unsigned coarse = 1; coarse <= 5; coarse++) {
            struct lauka_histogram from = histogram_of(fine, false),
                                   into = histogram_of(coarse, false);
            struct lauka_histogram expected = histogram_of(coarse, false);
            for (int i = 0; i < 200; i++) {
                uint64_t value = any_value();
                lauka_histogram_record(&from, value);
                lauka_histogram_record(&expected, value);
            }
            int error = lauka_histogram_merge(&into, &from);
            EXPECT(error == (coarse > fine ? EINVAL : 0));
            EXPECT(coarse > fine ? lauka_histogram_total(&into) == 0 : alike(&into, &expected));
            lauka_histogram_done(&from);
            lauka_histogram_done(&into);
            lauka_histogram_done(&expected);
        }
}

static void merging_into_limits_overflows(void)
{
    struct lauka_histogram limited, all = histogram_of(3, false);
    const struct lauka_histogram_options options = {.min = 100, .max = 1000};
    EXPECT(lauka_histogram_init(&limited, &options) == 0);
    for (uint64_t value = 50; value < 1050; value++)
        lauka_histogram_record(&all, value);
    EXPECT(lauka_histogram_merge(&limited, &all) == 0);
    EXPECT_UINT(lauka_histogram_total(&limited), 901);
    EXPECT_UINT(limited.overflow, 99);
    EXPECT(lauka_histogram_subtract(&limited, &all) == EINVAL);
    lauka_histogram_done(&limited);
    lauka_histogram_done(&all);
}

static void what_would_wrap_is_not_merged(void)
{
    for (int narrow = 0; narrow < 2; narrow++) {
        struct lauka_histogram into = histogram_of(3, narrow), from = histogram_of(3, false),
                               before;
        uint64_t most = narrow ? UINT32_MAX : UINT64_MAX;
        lauka_histogram_record_count(&into, 1, 5);
        lauka_histogram_record_count(&into, 1000, most - 1);
        EXPECT(lauka_histogram_init_like(&before, &into) == 0);
        EXPECT(lauka_histogram_merge(&before, &into) == 0);
        lauka_histogram_record_count(&from, 1, 1);
        lauka_histogram_record_count(&from, 1000, 2);
        EXPECT(lauka_histogram_merge(&into, &from) == EOVERFLOW);
        EXPECT(alike(&into, &before));
        lauka_histogram_record_count(&from, 1, 5);
        EXPECT(lauka_histogram_subtract(&into, &from) == ERANGE);
        EXPECT(alike(&into, &before));
        lauka_histogram_done(&into);
        lauka_histogram_done(&from);
        lauka_histogram_done(&before);
    }
}

static void a_reset_empties(void)
{
    for (int narrow = 0; narrow < 2; narrow++) {
        struct lauka_histogram h = histogram_of(4, narrow);
        for (int i = 0; i < MANY; i++)
            lauka_histogram_record_count(&h, any_value(), 3);
        lauka_histogram_reset(&h);
        EXPECT_UINT(lauka_histogram_total(&h), 0);
        lauka_histogram_done(&h);
    }
}

/* ---- snapshots ---- */

static void the_deltas_of_snapshots_add_up(void)
{
    for (int narrow = 0; narrow < 2; narrow++) {
        struct lauka_histogram h = histogram_of(3, narrow), sum = histogram_of(3, false);
        struct lauka_snapshot snapshot;
        EXPECT(lauka_snapshot_init(&snapshot, &h) == 0);
        for (int i = 0; i < 20; i++) {
            struct lauka_histogram part = histogram_of(3, false);
            for (uint64_t n = lauka_random_below(&dice, 300); n > 0; n--) {
                uint64_t value = any_value();
                lauka_histogram_record_count(&h, value, 1);
                lauka_histogram_record(&part, value);
            }
            lauka_snapshot_update(&snapshot, &h);
            EXPECT(alike(&snapshot.delta, &part));
            EXPECT(alike(&snapshot.all, &h));
            EXPECT(lauka_histogram_merge(&sum, &snapshot.delta) == 0);
            lauka_histogram_done(&part);
        }
        EXPECT(alike(&sum, &h));
        lauka_snapshot_done(&snapshot);
        lauka_histogram_done(&h);
        lauka_histogram_done(&sum);
    }
}

static void a_snapshot_notices_a_reset(void)
{
    struct lauka_histogram h = histogram_of(3, false);
    struct lauka_snapshot snapshot;
    EXPECT(lauka_snapshot_init(&snapshot, &h) == 0);
    lauka_histogram_record_count(&h, 5, 10);
    lauka_snapshot_update(&snapshot, &h);
    lauka_histogram_reset(&h);
    lauka_histogram_record_count(&h, 5, 30);
    lauka_snapshot_update(&snapshot, &h);
    EXPECT_UINT(lauka_histogram_total(&snapshot.delta), 30);
    lauka_snapshot_done(&snapshot);
    lauka_histogram_done(&h);
}

/* ---- quantiles ---- */

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void a_quantile_is_the_bucket_of_the_sorted_value(void)
{
    for (int round = 0; round < 50; round++) {
        static uint64_t values[MANY];
        size_t count = 1 + (size_t)lauka_random_below(&dice, MANY);
        struct lauka_histogram h = histogram_of(1 + (unsigned)round % 5, round % 2);
        struct lauka_moments moments;
        lauka_moments_init(&moments);
        for (size_t i = 0; i < count; i++) {
            values[i] = round % 3 ? any_value() : 1000000 + lauka_random_below(&dice, 50000);
            lauka_moments_add(&moments, values[i]);
        }
        lauka_histogram_record_array(&h, values, count);
        qsort(values, count, sizeof *values, ascending);
        struct lauka_histogram_summary summary;
        EXPECT(lauka_histogram_summarize(&h, &moments, &summary) && summary.exact);
        for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++) {
            const struct lauka_quantile *q = &summary.quantiles[i];
            uint64_t value = values[q->count - 1];
            EXPECT(q->bucket.lowest <= value && value <= q->bucket.highest);
            EXPECT(q->bucket.cumulative >= q->count);
            EXPECT(q->bucket.cumulative - q->bucket.count < q->count);
        }
        lauka_histogram_done(&h);
    }
}

static void ranks_are_rounded_up_in_integers(void)
{
    EXPECT_UINT(lauka_rank_count(999000000, 1000000), 999000);
    EXPECT_UINT(lauka_rank_count(925000000, 10), 10);
    EXPECT_UINT(lauka_rank_count(0, 10), 1);
    EXPECT_UINT(lauka_rank_count(LAUKA_RANK_WHOLE, UINT64_MAX), UINT64_MAX);
    EXPECT_UINT(lauka_rank_count(500000000, 3), 2);
    EXPECT_UINT(lauka_rank_count(1, 1), 1);
}

static void no_values_have_no_quantiles(void)
{
    struct lauka_histogram h = histogram_of(3, false);
    struct lauka_quantile quantile;
    struct lauka_histogram_summary summary;
    struct lauka_bucket bucket = {0};
    EXPECT(!lauka_histogram_quantile(&h, 500000000, &quantile));
    EXPECT(!lauka_histogram_summarize(&h, NULL, &summary));
    EXPECT(!lauka_histogram_next(&h, &bucket));
    EXPECT_UINT(summary.total, 0);
    lauka_histogram_done(&h);
}

static void moments_of_other_values_are_not_used(void)
{
    struct lauka_histogram h = histogram_of(3, false);
    struct lauka_moments moments;
    struct lauka_histogram_summary summary;
    lauka_moments_init(&moments);
    lauka_moments_add(&moments, 5);
    lauka_histogram_record(&h, 7000000);
    EXPECT(lauka_histogram_summarize(&h, &moments, &summary));
    EXPECT(!summary.exact && summary.total == 1 && summary.min == 6995968);
    lauka_moments_init(&moments);
    EXPECT(lauka_histogram_summarize(&h, &moments, &summary) && !summary.exact);
    lauka_histogram_done(&h);
}

/* ---- threads ---- */

enum { THREADS = 4, EACH = 40000 };

static struct lauka_recorder recorder;
static int threads_running;

static void *record_by_thread(void *seed)
{
    struct lauka_random random;
    lauka_random_seed(&random, *(uint64_t *)seed);
    for (int i = 0; i < EACH; i++) {
        uint64_t value = lauka_random_next(&random) >> 40;
        if (i % 10 == 0)
            lauka_recorder_record_shared(&recorder, value);
        else
            lauka_recorder_record(&recorder, value);
    }
    __atomic_sub_fetch(&threads_running, 1, __ATOMIC_RELEASE);
    return NULL;
}

static struct lauka_histogram expected_of_threads(void)
{
    struct lauka_histogram expected = histogram_of(3, false);
    for (uint64_t seed = 0; seed < THREADS; seed++) {
        struct lauka_random random;
        lauka_random_seed(&random, seed);
        for (int i = 0; i < EACH; i++)
            lauka_histogram_record(&expected, lauka_random_next(&random) >> 40);
    }
    return expected;
}

static void run_threads(void (*meanwhile)(void))
{
    pthread_t threads[THREADS];
    uint64_t seeds[THREADS];
    __atomic_store_n(&threads_running, THREADS, __ATOMIC_RELAXED);
    for (uint64_t i = 0; i < THREADS; i++) {
        seeds[i] = i;
        EXPECT(pthread_create(&threads[i], NULL, record_by_thread, &seeds[i]) == 0);
    }
    while (meanwhile && __atomic_load_n(&threads_running, __ATOMIC_ACQUIRE) > 0)
        meanwhile();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static struct lauka_histogram taken, taken_sum;

static void take_once(void)
{
    EXPECT(lauka_recorder_take(&recorder, &taken) == 0);
    EXPECT(lauka_histogram_merge(&taken_sum, &taken) == 0);
}

static void nothing_is_lost_or_counted_twice_between_threads(void)
{
    struct lauka_histogram expected = expected_of_threads(), read = histogram_of(3, false);
    EXPECT(lauka_recorder_init(&recorder, 3) == 0);
    run_threads(NULL);
    EXPECT(lauka_recorder_read(&recorder, &read) == 0);
    EXPECT(alike(&read, &expected));
    run_threads(NULL); /* later threads may reuse the counters of the first ones */
    lauka_histogram_merge(&expected, &read);
    EXPECT(lauka_recorder_read(&recorder, &read) == 0);
    EXPECT(alike(&read, &expected));
    lauka_recorder_done(&recorder);
    lauka_histogram_done(&expected);
    lauka_histogram_done(&read);
}

static void resets_while_threads_record_lose_nothing(void)
{
    struct lauka_histogram expected = expected_of_threads();
    taken = histogram_of(3, false);
    taken_sum = histogram_of(3, false);
    EXPECT(lauka_recorder_init(&recorder, 3) == 0);
    run_threads(take_once);
    take_once();
    EXPECT(alike(&taken_sum, &expected));
    take_once();
    EXPECT_UINT(lauka_histogram_total(&taken), 0);
    lauka_recorder_done(&recorder);
    lauka_histogram_done(&expected);
    lauka_histogram_done(&taken);
    lauka_histogram_done(&taken_sum);
}

static void a_reset_recorder_starts_again(void)
{
    struct lauka_histogram read = histogram_of(2, false), other = histogram_of(3, false);
    struct lauka_snapshot snapshot;
    EXPECT(lauka_recorder_init(&recorder, 2) == 0);
    EXPECT(lauka_snapshot_init(&snapshot, &read) == 0);
    for (int i = 0; i < 3; i++) {
        lauka_recorder_record(&recorder, 77);
        lauka_writer_record(lauka_recorder_writer(&recorder), 78);
        EXPECT(lauka_recorder_read(&recorder, &read) == 0);
        EXPECT_UINT(lauka_histogram_total(&read), 2);
        lauka_snapshot_update(&snapshot, &read);
        EXPECT_UINT(lauka_histogram_total(&snapshot.delta), 2);
        lauka_recorder_reset(&recorder);
    }
    EXPECT(lauka_recorder_read(&recorder, &other) == EINVAL);
    lauka_recorder_done(&recorder);
    lauka_snapshot_done(&snapshot);
    lauka_histogram_done(&read);
    lauka_histogram_done(&other);
}

static void many_recorders_do_not_mix(void)
{
    enum { RECORDERS = 40 };
    static struct lauka_recorder recorders[RECORDERS];
    struct lauka_histogram read = histogram_of(1, false);
    for (int i = 0; i < RECORDERS; i++)
        EXPECT(lauka_recorder_init(&recorders[i], 1) == 0);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < RECORDERS; i++)
            lauka_recorder_record(&recorders[i], (uint64_t)i);
    for (int i = 0; i < RECORDERS; i++) {
        EXPECT(lauka_recorder_read(&recorders[i], &read) == 0);
        EXPECT_UINT(lauka_histogram_total(&read), 3);
        lauka_recorder_done(&recorders[i]);
    }
    lauka_histogram_done(&read);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        hdr_vectors = argv[1];
    lauka_random_seed(&dice, 20261121);
    TEST(sparse_counters_count_as_others_do);
    TEST(a_tally_knows_count_and_extremes_of_what_had_a_place);
    TEST(sparse_counters_are_there_where_values_are);
    TEST(values_lie_in_the_buckets_of_hdrhistogram);
    TEST(every_value_lies_in_its_bucket);
    TEST(buckets_follow_each_other_without_a_gap);
    TEST(a_relative_error_is_rounded_up_to_digits);
    TEST(impossible_histograms_are_refused);
    TEST(arrays_count_like_single_values);
    TEST(the_fast_way_counts_like_the_other);
    TEST(what_lies_outside_the_limits_is_overflow);
    TEST(a_counter_never_wraps_by_a_count);
    TEST(splitting_and_merging_changes_nothing);
    TEST(coarsening_is_like_coarse_recording);
    TEST(merging_into_limits_overflows);
    TEST(what_would_wrap_is_not_merged);
    TEST(a_reset_empties);
    TEST(the_deltas_of_snapshots_add_up);
    TEST(a_snapshot_notices_a_reset);
    TEST(a_quantile_is_the_bucket_of_the_sorted_value);
    TEST(ranks_are_rounded_up_in_integers);
    TEST(no_values_have_no_quantiles);
    TEST(moments_of_other_values_are_not_used);
    TEST(nothing_is_lost_or_counted_twice_between_threads);
    TEST(resets_while_threads_record_lose_nothing);
    TEST(a_reset_recorder_starts_again);
    TEST(many_recorders_do_not_mix);
    return expect_report("histogram");
}
