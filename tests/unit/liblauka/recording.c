/* liblauka as its users see it: histograms, snapshots, recorders of many threads, and their files. */
#include "tests/unit/expect.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "include/lauka_histogram.h"

static struct lauka_hdr *new_one(void)
{
    struct lauka_hdr *histogram = lauka_hdr_new(3, 0, 0);
    if (!histogram)
        exit(1);
    return histogram;
}

static struct lauka_hdr *one_to(uint64_t last)
{
    struct lauka_hdr *histogram = new_one();
    for (uint64_t value = 1; value <= last; value++)
        lauka_hdr_record(histogram, value);
    return histogram;
}

/* ---- one thread ---- */

static void what_is_recorded_is_counted_exactly(void)
{
    struct lauka_hdr *histogram = one_to(1000);
    const double percents[] = {0, 50, 99.9, 100};
    uint64_t values[4];
    EXPECT_UINT(lauka_hdr_total(histogram), 1000);
    EXPECT_UINT(lauka_hdr_min(histogram), 1);
    EXPECT_UINT(lauka_hdr_max(histogram), 1000);
    EXPECT(lauka_hdr_mean(histogram) == 500.5 && lauka_hdr_is_exact(histogram));
    EXPECT_NEAR(lauka_hdr_deviation(histogram), 288.819436095, 1e-9);
    lauka_hdr_percentiles(histogram, percents, 4, values);
    EXPECT(values[0] == 1 && values[1] == 500 && values[2] == 999 && values[3] == 1000);
    EXPECT_UINT(lauka_hdr_percentile(histogram, 50), 500);
    EXPECT_UINT(lauka_hdr_percentile(histogram, -5), 1);
    EXPECT_UINT(lauka_hdr_percentile(histogram, 200), 1000);
    lauka_hdr_free(histogram);
}

static void an_empty_one_tells_zeros(void)
{
    struct lauka_hdr *histogram = new_one();
    struct lauka_hdr_bucket bucket = {0, 0, 0, 0, 0};
    EXPECT(lauka_hdr_total(histogram) == 0 && lauka_hdr_min(histogram) == 0 &&
           lauka_hdr_max(histogram) == 0 && lauka_hdr_mean(histogram) == 0 &&
           lauka_hdr_deviation(histogram) == 0 && lauka_hdr_percentile(histogram, 50) == 0);
    EXPECT(!lauka_hdr_next(histogram, &bucket));
    EXPECT_UINT(lauka_hdr_record_all(histogram, NULL, 0), 0);
    lauka_hdr_free(histogram);
    lauka_hdr_free(NULL);
}

static void arguments_that_make_no_histogram_are_refused(void)
{
    errno = 0;
    EXPECT(!lauka_hdr_new(6, 0, 0) && errno == EINVAL);
    errno = 0;
    EXPECT(!lauka_hdr_new(3, 10, 5) && errno == EINVAL);
    EXPECT_UINT(lauka_hdr_digits(0.0005), 3);
}

static void what_lies_beyond_the_limits_is_overflow(void)
{
    struct lauka_hdr *histogram = lauka_hdr_new(3, 1000, 2000);
    const uint64_t values[] = {500, 1500, 1600, 1000000};
    EXPECT_UINT(lauka_hdr_record_all(histogram, values, 4), 2);
    EXPECT_UINT(lauka_hdr_overflow(histogram), 2);
    EXPECT(lauka_hdr_record(histogram, UINT64_MAX) == 0 && lauka_hdr_max(histogram) == 1600);
    struct lauka_hdr *copy = lauka_hdr_copy(histogram);
    EXPECT(lauka_hdr_overflow(copy) == 3 && lauka_hdr_total(copy) == 2 && lauka_hdr_is_exact(copy));
    lauka_hdr_reset(histogram);
    EXPECT(lauka_hdr_overflow(histogram) == 0 && lauka_hdr_total(histogram) == 0);
    lauka_hdr_free(histogram);
    lauka_hdr_free(copy);
}

static void a_client_that_waits_has_seen_all_values_below(void)
{
    struct lauka_hdr *histogram = new_one();
    /* This also records 900, 800 ... 100. */
    EXPECT(lauka_hdr_record_corrected(histogram, 1000, 100) == 1);
    EXPECT(lauka_hdr_total(histogram) == 10 && lauka_hdr_mean(histogram) == 550);
    lauka_hdr_record_corrected(histogram, 1000, 0);
    EXPECT_UINT(lauka_hdr_total(histogram), 11);
    errno = 0;
    EXPECT(!lauka_hdr_record_corrected(histogram, UINT64_MAX, 1) && errno == ERANGE);
    lauka_hdr_record_corrected(histogram, UINT64_MAX, UINT64_MAX);
    EXPECT_UINT(lauka_hdr_total(histogram), 12);
    lauka_hdr_free(histogram);
}

static void merging_is_recording_into_one(void)
{
    struct lauka_hdr *a = one_to(100), *b = new_one(), *coarse = lauka_hdr_new(1, 0, 0);
    lauka_hdr_record_count(b, 5000, 7);
    EXPECT(lauka_hdr_merge(a, b) == 0);
    EXPECT(lauka_hdr_total(a) == 107 && lauka_hdr_max(a) == 5000 && lauka_hdr_is_exact(a));
    EXPECT(lauka_hdr_merge(a, coarse) == EINVAL);
    EXPECT(lauka_hdr_subtract(a, b) == 0);
    EXPECT(lauka_hdr_total(a) == 100 && lauka_hdr_max(a) == 100 && !lauka_hdr_is_exact(a));
    EXPECT(lauka_hdr_subtract(a, b) == ERANGE);
    EXPECT_UINT(lauka_hdr_total(a), 100);
    lauka_hdr_free(a);
    lauka_hdr_free(b);
    lauka_hdr_free(coarse);
}

static void buckets_hold_all_values(void)
{
    struct lauka_hdr *histogram = one_to(100000);
    struct lauka_hdr_bucket bucket = {0, 0, 0, 0, 0};
    uint64_t sum = 0, before = 0;
    while (lauka_hdr_next(histogram, &bucket)) {
        EXPECT(bucket.lowest > before || before == 0);
        before = bucket.highest;
        sum += bucket.count;
        EXPECT_UINT(bucket.cumulative, sum);
    }
    EXPECT_UINT(sum, 100000);
    lauka_hdr_free(histogram);
}

/* ---- snapshots ---- */

static void a_snapshot_tells_what_is_new(void)
{
    struct lauka_hdr *histogram = one_to(10), *other = lauka_hdr_new(2, 0, 0);
    struct lauka_hdr_snapshot *snapshot = lauka_hdr_snapshot_new(histogram);
    EXPECT(lauka_hdr_snapshot_take(snapshot, histogram) == 0);
    lauka_hdr_record_count(histogram, 77, 5);
    lauka_hdr_snapshot_take(snapshot, histogram);
    EXPECT_UINT(lauka_hdr_total(lauka_hdr_snapshot_new_values(snapshot)), 5);
    EXPECT_UINT(lauka_hdr_min(lauka_hdr_snapshot_new_values(snapshot)), 77);
    EXPECT_UINT(lauka_hdr_total(lauka_hdr_snapshot_all(snapshot)), 15);
    lauka_hdr_reset(histogram);
    lauka_hdr_record(histogram, 3);
    lauka_hdr_snapshot_take(snapshot, histogram);
    EXPECT_UINT(lauka_hdr_total(lauka_hdr_snapshot_new_values(snapshot)), 1);
    EXPECT(lauka_hdr_snapshot_take(snapshot, other) == EINVAL);
    lauka_hdr_snapshot_free(snapshot);
    lauka_hdr_free(histogram);
    lauka_hdr_free(other);
}

/* ---- many threads ---- */

enum { THREADS = 8, EACH = 20000 };

static void *record(void *argument)
{
    struct lauka_hdr_recorder *recorder = argument;
    for (uint64_t i = 0; i < EACH; i++)
        if (i % 16 == 0)
            lauka_hdr_recorder_record_shared(recorder, i);
        else
            lauka_hdr_recorder_record(recorder, i);
    return NULL;
}

static void no_value_of_eight_threads_is_lost_or_told_twice(void)
{
    struct lauka_hdr_recorder *recorder = lauka_hdr_recorder_new(3);
    struct lauka_hdr *sum = new_one(), *interval = new_one();
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, record, recorder) != 0)
            exit(1);
    for (int i = 0; i < 20; i++) {
        EXPECT(lauka_hdr_recorder_take(recorder, interval) == 0);
        EXPECT(lauka_hdr_merge(sum, interval) == 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    lauka_hdr_recorder_take(recorder, interval);
    lauka_hdr_merge(sum, interval);
    EXPECT_UINT(lauka_hdr_total(sum), THREADS * EACH);
    EXPECT_NEAR((double)lauka_hdr_percentile(sum, 50), EACH / 2, 0.001);
    lauka_hdr_recorder_read(recorder, interval);
    EXPECT_UINT(lauka_hdr_total(interval), 0);
    lauka_hdr_free(sum);
    lauka_hdr_free(interval);
    lauka_hdr_recorder_free(recorder);
}

static void a_reading_replaces_what_was_there(void)
{
    struct lauka_hdr_recorder *recorder = lauka_hdr_recorder_new(3);
    struct lauka_hdr *into = one_to(50), *coarse = lauka_hdr_new(1, 0, 0);
    lauka_hdr_recorder_record(recorder, 1234);
    EXPECT(lauka_hdr_recorder_read(recorder, into) == 0);
    EXPECT(lauka_hdr_total(into) == 1 && lauka_hdr_mean(into) == 1234 && !lauka_hdr_is_exact(into));
    EXPECT(lauka_hdr_recorder_read(recorder, coarse) == EINVAL);
    lauka_hdr_recorder_reset(recorder);
    lauka_hdr_recorder_read(recorder, into);
    EXPECT_UINT(lauka_hdr_total(into), 0);
    errno = 0;
    EXPECT(!lauka_hdr_recorder_new(9) && errno == EINVAL);
    lauka_hdr_free(into);
    lauka_hdr_free(coarse);
    lauka_hdr_recorder_free(recorder);
}

/* ---- files ---- */

static void what_is_encoded_is_decoded(void)
{
    struct lauka_hdr *histogram = one_to(3000), *bytes_again, *text_again;
    uint8_t *bytes;
    char *text;
    size_t size;
    const char *reason;
    EXPECT(lauka_hdr_encode(histogram, &bytes, &size) == 0);
    EXPECT(lauka_hdr_encode_base64(histogram, &text) == 0);
    bytes_again = lauka_hdr_decode(bytes, size, &reason);
    text_again = lauka_hdr_decode_base64(text, strlen(text), NULL);
    EXPECT(bytes_again && lauka_hdr_total(bytes_again) == 3000 && !lauka_hdr_is_exact(bytes_again));
    EXPECT(text_again &&
           lauka_hdr_percentile(text_again, 90) == lauka_hdr_percentile(bytes_again, 90));
    EXPECT(lauka_hdr_record(bytes_again, 7) == 1); /* it can record again */
    EXPECT_UINT(lauka_hdr_total(bytes_again), 3001);
    struct lauka_hdr *copy = lauka_hdr_copy(text_again);
    EXPECT(copy && lauka_hdr_total(copy) == 3000);
    EXPECT(!lauka_hdr_decode(bytes, size - 1, &reason) && strlen(reason) > 10);
    EXPECT(!lauka_hdr_decode(bytes, 0, NULL) && !lauka_hdr_decode_base64("x!", 2, &reason));
    lauka_hdr_record(histogram, UINT64_MAX);
    free(bytes);
    EXPECT(lauka_hdr_encode(histogram, &bytes, &size) == EOVERFLOW && !bytes);
    lauka_hdr_free(histogram);
    lauka_hdr_free(bytes_again);
    lauka_hdr_free(text_again);
    lauka_hdr_free(copy);
    free(text);
}

static void a_log_is_read_as_it_was_written(void)
{
    struct lauka_hdr *a = one_to(10), *b = one_to(2000);
    struct lauka_hdr_interval interval;
    FILE *file = tmpfile();
    EXPECT(lauka_hdr_log_begin(file, NULL, 1e9) == 0);
    EXPECT(lauka_hdr_log_write(file, "read", 0, 1, 1e6, a) == 0);
    EXPECT(lauka_hdr_log_write(file, NULL, 1, 2.5, 1e6, b) == 0);
    EXPECT(lauka_hdr_log_write(file, "two words", 1, 1, 1, a) == EINVAL);
    EXPECT(lauka_hdr_log_begin(file, "two\nlines", 0) == EINVAL);
    rewind(file);
    struct lauka_hdr_log *log = lauka_hdr_log_open(file, "a.hlog");
    EXPECT(lauka_hdr_log_read(log, &interval) == 1);
    EXPECT_TEXT(interval.tag, "read");
    EXPECT(lauka_hdr_total(interval.histogram) == 10 && interval.start_s == 1e9);
    lauka_hdr_free(interval.histogram);
    EXPECT(lauka_hdr_log_read(log, &interval) == 1);
    EXPECT(interval.tag[0] == 0 && interval.length_s == 2.5 &&
           lauka_hdr_total(interval.histogram) == 2000);
    lauka_hdr_free(interval.histogram);
    EXPECT(lauka_hdr_log_read(log, &interval) == 0 && !interval.histogram);
    EXPECT_TEXT(lauka_hdr_log_error(log), "");
    lauka_hdr_log_close(log);
    fclose(file);
    lauka_hdr_free(a);
    lauka_hdr_free(b);
}

static void a_damaged_log_is_refused_with_its_line(void)
{
    struct lauka_hdr_interval interval;
    FILE *file = tmpfile();
    fputs("#[x]\nnonsense\n", file);
    rewind(file);
    struct lauka_hdr_log *log = lauka_hdr_log_open(file, "bad.hlog");
    EXPECT(lauka_hdr_log_read(log, &interval) == -1);
    EXPECT(strstr(lauka_hdr_log_error(log), "bad.hlog:2: ") == lauka_hdr_log_error(log));
    EXPECT(lauka_hdr_log_read(log, &interval) == -1);
    lauka_hdr_log_close(log);
    lauka_hdr_log_close(NULL);
    fclose(file);
}

/* One interval of a double histogram: tests/vectors/hdr/logs. Its values are thousandths and more. */
static void values_of_double_histograms_have_a_unit(void)
{
    static const char empty[] = "DHISTwAAAAMAAAAAAAAAAhyEkxQAAAAdeNqTaZkszMDAwMgAAcxQGsqX/18Y"
                                "ABUBAETCAys=";
    struct lauka_hdr_interval interval;
    const char *reason;
    FILE *file = fopen("tests/vectors/hdr/logs/java-double.hlog", "r");
    struct lauka_hdr_log *log = lauka_hdr_log_open(file, "java-double.hlog");
    EXPECT(lauka_hdr_log_unit(log) == 1);
    EXPECT(lauka_hdr_log_read(log, &interval) == 1);
    EXPECT(lauka_hdr_log_unit(log) == 0x1p-14);
    EXPECT_NEAR((double)lauka_hdr_percentile(interval.histogram, 100) * lauka_hdr_log_unit(log),
                0.0879, 1e-3);
    lauka_hdr_free(interval.histogram);
    lauka_hdr_log_close(log);
    fclose(file);
    EXPECT(!lauka_hdr_decode_base64(empty, strlen(empty), &reason));
    EXPECT_TEXT(reason, "a double histogram: its values are not whole numbers");
}

static void percentiles_are_what_plotters_read(void)
{
    struct lauka_hdr *histogram = one_to(1000);
    char text[32] = "";
    FILE *file = tmpfile();
    EXPECT(lauka_hdr_write_hgrm(file, histogram, 5, 1) == 0);
    EXPECT(lauka_hdr_write_hgrm(file, histogram, 0, 1) == EINVAL);
    rewind(file);
    EXPECT(fread(text, 1, sizeof text - 1, file) > 0 && strstr(text, "Value"));
    fclose(file);
    lauka_hdr_free(histogram);
}

int main(void)
{
    TEST(what_is_recorded_is_counted_exactly);
    TEST(an_empty_one_tells_zeros);
    TEST(arguments_that_make_no_histogram_are_refused);
    TEST(what_lies_beyond_the_limits_is_overflow);
    TEST(a_client_that_waits_has_seen_all_values_below);
    TEST(merging_is_recording_into_one);
    TEST(buckets_hold_all_values);
    TEST(a_snapshot_tells_what_is_new);
    TEST(no_value_of_eight_threads_is_lost_or_told_twice);
    TEST(a_reading_replaces_what_was_there);
    TEST(what_is_encoded_is_decoded);
    TEST(a_log_is_read_as_it_was_written);
    TEST(a_damaged_log_is_refused_with_its_line);
    TEST(values_of_double_histograms_have_a_unit);
    TEST(percentiles_are_what_plotters_read);
    return expect_report("recording");
}
