/* lauka_histogram.h: HDR histograms for C99 and C++11, of liblauka (pkg-config lauka).
 *
 *     #include "lauka_histogram.h"
 *
 *     struct lauka_hdr *latencies = lauka_hdr_new(3, 0, 0);     // three digits, any value
 *     lauka_hdr_record(latencies, ns);
 *     printf("%llu\n", (unsigned long long)lauka_hdr_percentile(latencies, 99.9));
 *     lauka_hdr_free(latencies);
 *
 * A histogram counts values of 0 to 2^64 - 1, in whatever unit they are, in buckets whose width is a bounded
 * share of their values: HdrHistogram's layout, with whose files this one is exchanged. What is recorded
 * here is counted exactly beside the buckets, too: least and greatest value, mean and deviation.
 *
 * Functions that return int return 0 or an errno, unless they say otherwise. Functions that make something
 * return NULL and set errno to ENOMEM, or to EINVAL for arguments that nothing can be made of. No argument
 * may be NULL unless it says so; only _free takes NULL always. Two threads may use two histograms, and may read
 * the same one, without a lock; while one thread changes a histogram, no other may use it. Many threads
 * that record at once have a recorder, below. Nothing here prints, exits or handles signals. */
#ifndef LAUKA_HISTOGRAM_H
#define LAUKA_HISTOGRAM_H

/* Nothing here needs it; but lauka_region.h may be included later, with -std=c99. */
#if defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if !defined(LAUKA_API)
#if defined(__GNUC__)
#define LAUKA_API __attribute__((visibility("default")))
#else
#define LAUKA_API
#endif
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* ---- one thread ------------------------------------------------------------------------------- */

struct lauka_hdr;

/* Empty. digits: 1 to 5 significant decimal digits, 0 for 3, which is an error of 0.05 % at most. least,
 * greatest: values beyond the buckets of these are overflow, which is counted apart; greatest 0: no limit.
 * Without limits it reserves half a megabyte at three digits, of which only pages that are used take memory.
 * EINVAL: digits above 5, least > greatest. To be freed by lauka_hdr_free. */
LAUKA_API struct lauka_hdr *lauka_hdr_new(unsigned digits, uint64_t least, uint64_t greatest);
LAUKA_API void lauka_hdr_free(struct lauka_hdr *histogram);

/* A new one with the same content. To be freed by lauka_hdr_free. */
LAUKA_API struct lauka_hdr *lauka_hdr_copy(const struct lauka_hdr *histogram);

/* The fewest digits whose values are wrong by `error`, a share, at most; 0.0005 gives 3. At most 5. */
LAUKA_API unsigned lauka_hdr_digits(double error);

/* By which share of it a value can be wrong, at worst: half a bucket. */
LAUKA_API double lauka_hdr_error(const struct lauka_hdr *histogram);

/* Counts the value, once or `count` times. Return 1; 0 where it was overflow. They allocate nothing. */
LAUKA_API int lauka_hdr_record(struct lauka_hdr *histogram, uint64_t value);
LAUKA_API int lauka_hdr_record_count(struct lauka_hdr *histogram, uint64_t value, uint64_t count);

/* The same of an array, which is borrowed. Returns how many were not overflow. */
LAUKA_API size_t lauka_hdr_record_all(struct lauka_hdr *histogram, const uint64_t *values,
                                      size_t count);

/* Counts the value, and what a client that asks every `interval` would have seen meanwhile: value - interval,
 * value - 2 * interval and so on, down to interval. interval 0: the value alone. Returns as lauka_hdr_record.
 * At most 10 million values are added; more say ERANGE in errno, return 0, and count nothing. */
LAUKA_API int lauka_hdr_record_corrected(struct lauka_hdr *histogram, uint64_t value,
                                         uint64_t interval);

/* Forgets all values, overflow too: after a warm-up. */
LAUKA_API void lauka_hdr_reset(struct lauka_hdr *histogram);

/* Adds what `from` has counted, which stays as it is. EINVAL: its buckets are coarser. EOVERFLOW: a counter
 * would wrap. ENOMEM. `into` is then as it was. What has no place in a limited `into` becomes overflow. */
LAUKA_API int lauka_hdr_merge(struct lauka_hdr *into, const struct lauka_hdr *from);

/* Takes what `from` has counted away again. EINVAL: they have other buckets. ERANGE: `into` does not hold so
 * many. ENOMEM. `into` is then as it was. Least, greatest, mean and deviation are estimates afterwards. */
LAUKA_API int lauka_hdr_subtract(struct lauka_hdr *into, const struct lauka_hdr *from);

/* ---- what it tells ----------------------------------------------------------------------------- */

/* Values counted, and values that were overflow, of which nothing else is known. */
LAUKA_API uint64_t lauka_hdr_total(const struct lauka_hdr *histogram);
LAUKA_API uint64_t lauka_hdr_overflow(const struct lauka_hdr *histogram);

/* In the unit of the values. Exact where lauka_hdr_is_exact says so, otherwise of the buckets: the ends of the
 * outer ones, and their middles. The deviation has n - 1 below where it is exact. 0 where there are no values. */
LAUKA_API uint64_t lauka_hdr_min(const struct lauka_hdr *histogram);
LAUKA_API uint64_t lauka_hdr_max(const struct lauka_hdr *histogram);
LAUKA_API double lauka_hdr_mean(const struct lauka_hdr *histogram);
LAUKA_API double lauka_hdr_deviation(const struct lauka_hdr *histogram);

/* 1 where all values were recorded here or came from histograms of which the same holds; 0 where some came from
 * a file, a recorder or a difference. */
LAUKA_API int lauka_hdr_is_exact(const struct lauka_hdr *histogram);

/* The value of the nearest rank: that of number ceil(total * percent / 100), at least 1, in ascending order;
 * the middle of its bucket, but not beyond the least or the greatest value. percent: 0 to 100, to seven
 * decimals; what is beyond is the nearest of these. 0 where there are no values. */
LAUKA_API uint64_t lauka_hdr_percentile(const struct lauka_hdr *histogram, double percent);

/* The same of several, with one look at the counters; percents ascending. */
LAUKA_API void lauka_hdr_percentiles(const struct lauka_hdr *histogram, const double *percents,
                                     size_t count, uint64_t *values);

struct lauka_hdr_bucket {
    uint64_t lowest, highest; /* the values in it, both included */
    uint64_t count;
    uint64_t cumulative; /* this count and those of all buckets below */
    size_t next;         /* where to look next */
};

/* The next bucket that is not empty, ascending: begin with a zeroed one. 0 at the end. */
LAUKA_API int lauka_hdr_next(const struct lauka_hdr *histogram, struct lauka_hdr_bucket *bucket);

/* ---- snapshots --------------------------------------------------------------------------------- */

/* What a histogram that goes on counting held when last looked at, and what had come since the time before.
 * One thread at a time. */
struct lauka_hdr_snapshot;

/* Empty, for histograms with the buckets of this one. To be freed. EINVAL: that one came from a file. */
LAUKA_API struct lauka_hdr_snapshot *lauka_hdr_snapshot_new(const struct lauka_hdr *like);
LAUKA_API void lauka_hdr_snapshot_free(struct lauka_hdr_snapshot *snapshot);

/* Looks. Allocates nothing. EINVAL: the histogram has other buckets. After a reset of the histogram all that
 * was recorded since is new. */
LAUKA_API int lauka_hdr_snapshot_take(struct lauka_hdr_snapshot *snapshot,
                                      const struct lauka_hdr *histogram);

/* All that was there, and what was new; borrowed until the next look. */
LAUKA_API const struct lauka_hdr *lauka_hdr_snapshot_all(const struct lauka_hdr_snapshot *snapshot);
LAUKA_API const struct lauka_hdr *
lauka_hdr_snapshot_new_values(const struct lauka_hdr_snapshot *snapshot);

/* ---- many threads ------------------------------------------------------------------------------ */

/* Every thread counts in counters of its own, so that recording takes no lock and no locked instruction; readers
 * add them up. All functions but _new and _free may be called by any thread at any time. */
struct lauka_hdr_recorder;

/* digits as above, no limits. To be freed when no thread records any more. */
LAUKA_API struct lauka_hdr_recorder *lauka_hdr_recorder_new(unsigned digits);
LAUKA_API void lauka_hdr_recorder_free(struct lauka_hdr_recorder *recorder);

/* A thread's first call allocates its counters; without memory it counts in shared ones. The counts stay
 * when the thread has ended. */
LAUKA_API void lauka_hdr_recorder_record(struct lauka_hdr_recorder *recorder, uint64_t value);

/* Into counters that all threads share: less memory where threads are many, several times slower. */
LAUKA_API void lauka_hdr_recorder_record_shared(struct lauka_hdr_recorder *recorder,
                                                uint64_t value);

/* Replaces the content of `histogram` by all that was recorded since the last reset; _take resets at once, so
 * that what its calls give adds up to all that was recorded, each value once. EINVAL: the histogram has
 * other digits, or limits. */
LAUKA_API int lauka_hdr_recorder_read(struct lauka_hdr_recorder *recorder,
                                      struct lauka_hdr *histogram);
LAUKA_API int lauka_hdr_recorder_take(struct lauka_hdr_recorder *recorder,
                                      struct lauka_hdr *histogram);
LAUKA_API void lauka_hdr_recorder_reset(struct lauka_hdr_recorder *recorder);

/* ---- exchange with other HdrHistograms --------------------------------------------------------- */

/* The V2 encoding without compression. *bytes: to be freed by free(). EOVERFLOW: more than 2^63 - 1 values, or
 * some of 2^63 and more, for which it has no place. ENOMEM. Overflow is not part of it. */
LAUKA_API int lauka_hdr_encode(const struct lauka_hdr *histogram, uint8_t **bytes, size_t *size);

/* A new histogram of exactly these bytes, to be freed. NULL: *reason, static, says why; it may be NULL. Returns on
 * any input. Its memory is bounded by `size` and by the counters that are named. */
LAUKA_API struct lauka_hdr *lauka_hdr_decode(const uint8_t *bytes, size_t size,
                                             const char **reason);

/* The same compressed, in base64, as logs have it. *text ends with a NUL; to be freed by free(). */
LAUKA_API int lauka_hdr_encode_base64(const struct lauka_hdr *histogram, char **text);
LAUKA_API struct lauka_hdr *lauka_hdr_decode_base64(const char *text, size_t length,
                                                    const char **reason);

/* A log of intervals (.hlog). start_s: seconds since the epoch, which offsets count from; comment: a line, NULL:
 * one of ours. unit: what the maximum is divided by, which stands in the log for people; 1e6 makes
 * ms of ns. tag: NULL: none; EINVAL: it has blanks, commas or control characters, or 256 bytes. These write to
 * `out`, which stays open, and return an errno of it. */
LAUKA_API int lauka_hdr_log_begin(FILE *out, const char *comment, double start_s);
LAUKA_API int lauka_hdr_log_write(FILE *out, const char *tag, double offset_s, double length_s,
                                  double unit, const struct lauka_hdr *histogram);

struct lauka_hdr_log; /* one that is being read; one thread at a time */

struct lauka_hdr_interval {
    const char *tag; /* borrowed until the next one is read; "": none */
    double start_s;  /* since the epoch, where the log tells when it began */
    double length_s;
    struct lauka_hdr *histogram; /* the caller's, to be freed */
};

/* in: stays open, and is the caller's. name: what errors call it; copied. */
LAUKA_API struct lauka_hdr_log *lauka_hdr_log_open(FILE *in, const char *name);

/* 1: there is one more interval. 0: the log has ended. -1: a line is not one; lauka_hdr_log_error tells which, and
 * why, and reading is over. */
LAUKA_API int lauka_hdr_log_read(struct lauka_hdr_log *log, struct lauka_hdr_interval *interval);

/* "FILE:LINE: reason"; borrowed from the log; "": no error. */
LAUKA_API const char *lauka_hdr_log_error(const struct lauka_hdr_log *log);
LAUKA_API void lauka_hdr_log_close(struct lauka_hdr_log *log); /* NULL will do */

/* Percentiles as the text that plotters read (.hgrm). ticks: rows for each halving of the distance to 100 %, 5 as
 * a rule; unit: what values are divided by. EINVAL: one of them is 0. Otherwise an errno of `out`. */
LAUKA_API int lauka_hdr_write_hgrm(FILE *out, const struct lauka_hdr *histogram, unsigned ticks,
                                   double unit);

#if defined(__cplusplus)
}
#endif

#endif
