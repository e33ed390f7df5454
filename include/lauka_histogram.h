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

/* This header does not need it; but lauka_region.h may be included later, with -std=c99. */
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

/* The fewest digits with which values are wrong by the share `error` at most; 0.0005 gives 3. At most 5. */
LAUKA_API unsigned lauka_hdr_digits(double error);

/* The largest possible error of a value, as a share of it: half a bucket. */
LAUKA_API double lauka_hdr_error(const struct lauka_hdr *histogram);

/* Counts the value, once or `count` times. Returns 1, or 0 if it was overflow. Allocates nothing. */
LAUKA_API int lauka_hdr_record(struct lauka_hdr *histogram, uint64_t value);
LAUKA_API int lauka_hdr_record_count(struct lauka_hdr *histogram, uint64_t value, uint64_t count);

/* The same for an array, which is borrowed. Returns how many were not overflow. */
LAUKA_API size_t lauka_hdr_record_all(struct lauka_hdr *histogram, const uint64_t *values,
                                      size_t count);

/* Counts the value, and what a client that asks every `interval` would have seen meanwhile: value - interval,
 * value - 2 * interval and so on, down to interval. interval 0: the value alone. Returns as lauka_hdr_record.
 * At most 10 million values are added; more say ERANGE in errno, return 0, and count nothing. */
LAUKA_API int lauka_hdr_record_corrected(struct lauka_hdr *histogram, uint64_t value,
                                         uint64_t interval);

/* Forgets all values, including overflow: after a warm-up. */
LAUKA_API void lauka_hdr_reset(struct lauka_hdr *histogram);

/* Adds the counts of `from`, which stays as it is. What has no place in a limited `into` becomes overflow.
 * On errors `into` is unchanged. EINVAL: the buckets of `from` are coarser. EOVERFLOW: a counter would
 * wrap. ENOMEM. */
LAUKA_API int lauka_hdr_merge(struct lauka_hdr *into, const struct lauka_hdr *from);

/* Subtracts the counts of `from`. Least, greatest, mean and deviation are estimates afterwards. On errors
 * `into` is unchanged. EINVAL: they have other buckets. ERANGE: `into` holds fewer. ENOMEM. */
LAUKA_API int lauka_hdr_subtract(struct lauka_hdr *into, const struct lauka_hdr *from);

/* ---- what it tells ----------------------------------------------------------------------------- */

/* The number of values counted, and of values that were overflow, about which nothing else is known. */
LAUKA_API uint64_t lauka_hdr_total(const struct lauka_hdr *histogram);
LAUKA_API uint64_t lauka_hdr_overflow(const struct lauka_hdr *histogram);

/* In the unit of the values. Exact if lauka_hdr_is_exact says so; otherwise taken from the buckets: the
 * ends of the outer ones, and their middles. The deviation is divided by n - 1 if it is exact. 0 if there
 * are no values. */
LAUKA_API uint64_t lauka_hdr_min(const struct lauka_hdr *histogram);
LAUKA_API uint64_t lauka_hdr_max(const struct lauka_hdr *histogram);
LAUKA_API double lauka_hdr_mean(const struct lauka_hdr *histogram);
LAUKA_API double lauka_hdr_deviation(const struct lauka_hdr *histogram);

/* 1 if all values were recorded here, or came from histograms for which the same holds; 0 if some came
 * from a file, a recorder or a difference. */
LAUKA_API int lauka_hdr_is_exact(const struct lauka_hdr *histogram);

/* The value at the nearest rank: number ceil(total * percent / 100), at least 1, in ascending order; the
 * middle of its bucket, but not beyond the least or the greatest value. percent: 0 to 100, to seven
 * decimals, and clamped to that range. 0 if there are no values. */
LAUKA_API uint64_t lauka_hdr_percentile(const struct lauka_hdr *histogram, double percent);

/* The same for several percents, in ascending order, reading the counters once. */
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

/* What a histogram that goes on counting held at the last look, and what was added since the look before.
 * One thread at a time. */
struct lauka_hdr_snapshot;

/* Empty, for histograms with the buckets of this one. To be freed. EINVAL: that one came from a file. */
LAUKA_API struct lauka_hdr_snapshot *lauka_hdr_snapshot_new(const struct lauka_hdr *like);
LAUKA_API void lauka_hdr_snapshot_free(struct lauka_hdr_snapshot *snapshot);

/* Looks. Allocates nothing. EINVAL: the histogram has other buckets. After a reset of the histogram,
 * everything recorded since counts as added. */
LAUKA_API int lauka_hdr_snapshot_take(struct lauka_hdr_snapshot *snapshot,
                                      const struct lauka_hdr *histogram);

/* Everything that was there, and what was added; borrowed until the next look. */
LAUKA_API const struct lauka_hdr *lauka_hdr_snapshot_all(const struct lauka_hdr_snapshot *snapshot);
LAUKA_API const struct lauka_hdr *
lauka_hdr_snapshot_new_values(const struct lauka_hdr_snapshot *snapshot);

/* ---- many threads ------------------------------------------------------------------------------ */

/* Every thread counts in counters of its own, so recording takes no lock and no locked instruction;
 * readers add the counters up. Any thread may call any function but _new and _free at any time. */
struct lauka_hdr_recorder;

/* digits as above, no limits. To be freed when no thread records any more. */
LAUKA_API struct lauka_hdr_recorder *lauka_hdr_recorder_new(unsigned digits);
LAUKA_API void lauka_hdr_recorder_free(struct lauka_hdr_recorder *recorder);

/* A thread's first call allocates its counters; if there is no memory, it counts in shared ones. The
 * counts stay when the thread ends. */
LAUKA_API void lauka_hdr_recorder_record(struct lauka_hdr_recorder *recorder, uint64_t value);

/* Records into counters that all threads share: less memory with many threads, but several times slower. */
LAUKA_API void lauka_hdr_recorder_record_shared(struct lauka_hdr_recorder *recorder,
                                                uint64_t value);

/* Replaces the content of `histogram` with everything recorded since the last reset. _take resets at the
 * same time, so the results of its calls add up to everything recorded, each value once. EINVAL: the
 * histogram has other digits, or limits. */
LAUKA_API int lauka_hdr_recorder_read(struct lauka_hdr_recorder *recorder,
                                      struct lauka_hdr *histogram);
LAUKA_API int lauka_hdr_recorder_take(struct lauka_hdr_recorder *recorder,
                                      struct lauka_hdr *histogram);
LAUKA_API void lauka_hdr_recorder_reset(struct lauka_hdr_recorder *recorder);

/* ---- exchange with other HdrHistograms --------------------------------------------------------- */

/* The V2 encoding without compression, without overflow. *bytes: to be freed by free(). EOVERFLOW: more
 * than 2^63 - 1 values, or values of 2^63 and more, which it cannot hold. ENOMEM. */
LAUKA_API int lauka_hdr_encode(const struct lauka_hdr *histogram, uint8_t **bytes, size_t *size);

/* A new histogram from exactly these bytes, of any version but that of double histograms, to be freed. NULL on
 * failure; *reason, static, says why, and may be NULL. Returns for any input. Its memory is bounded by `size` and by
 * the counters that the bytes name. */
LAUKA_API struct lauka_hdr *lauka_hdr_decode(const uint8_t *bytes, size_t size,
                                             const char **reason);

/* The same compressed, in base64, as logs have it; what is read need not be compressed. *text ends with a NUL; to be
 * freed by free(). */
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
    const char *tag;             /* borrowed until the next one is read; "": none */
    double start_s;              /* since the epoch, where the log tells when it began */
    double length_s;             /* negative where the writer's clock was set back */
    struct lauka_hdr *histogram; /* the caller's, to be freed */
};

/* in: stays open, and is the caller's. name: what errors call it; copied. */
LAUKA_API struct lauka_hdr_log *lauka_hdr_log_open(FILE *in, const char *name);

/* 1: there is one more interval. 0: the log has ended. -1: a line is malformed; lauka_hdr_log_error says
 * which, and why, and reading is over. */
LAUKA_API int lauka_hdr_log_read(struct lauka_hdr_log *log, struct lauka_hdr_interval *interval);

/* What a value of 1 of the last interval stands for: 1, except for Java's double histograms, whose values are
 * products of whole numbers and this. */
LAUKA_API double lauka_hdr_log_unit(const struct lauka_hdr_log *log);

/* "FILE:LINE: reason"; borrowed from the log; "": no error. */
LAUKA_API const char *lauka_hdr_log_error(const struct lauka_hdr_log *log);
LAUKA_API void lauka_hdr_log_close(struct lauka_hdr_log *log); /* NULL will do */

/* Percentiles as the text that plotters read (.hgrm). ticks: rows for each halving of the distance to 100
 * %, usually 5; unit: what values are divided by. EINVAL: one of them is 0. Otherwise an errno of `out`. */
LAUKA_API int lauka_hdr_write_hgrm(FILE *out, const struct lauka_hdr *histogram, unsigned ticks,
                                   double unit);

#if defined(__cplusplus)
}
#endif

#endif
