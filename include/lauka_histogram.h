/* lauka_histogram.h: HDR histograms for C99 and C++11; part of liblauka (pkg-config lauka).
 *
 *     #include "lauka_histogram.h"
 *
 *     struct lauka_hdr *latencies = lauka_hdr_new(3, 0, 0);     // three digits, any value
 *     lauka_hdr_record(latencies, ns);
 *     printf("%llu\n", (unsigned long long)lauka_hdr_percentile(latencies, 99.9));
 *     lauka_hdr_free(latencies);
 *
 * A histogram counts values of 0 to 2^64 - 1, in any unit, in buckets whose width is a bounded share of their
 * values. The layout is HdrHistogram's, so the two can exchange files. Beside the buckets it keeps exact
 * numbers for what is recorded here: least and greatest value, mean and deviation.
 *
 * Functions that return int return 0 or an errno, unless they say otherwise. Functions that make something
 * return NULL and set errno to ENOMEM, or to EINVAL for impossible arguments. No argument may be NULL unless
 * it says so; only _free always accepts NULL. Two threads may use two histograms, and may read the same one,
 * without a lock; while one thread changes a histogram, no other may use it. If many threads record at once,
 * use a recorder, below. Nothing here prints, exits or handles signals. */
#ifndef LAUKA_HISTOGRAM_H
#define LAUKA_HISTOGRAM_H

/* This header does not need it, but lauka_region.h may be included later, with -std=c99. */
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

/* Makes an empty histogram. digits: 1 to 5 significant decimal digits; 0 means 3, with an error of at
 * most 0.05 %. least, greatest: values outside their buckets are overflow, which is counted separately;
 * greatest 0: no limit. Without limits it reserves half a megabyte at three digits, but only used pages
 * take memory. EINVAL: digits above 5, least > greatest. Free it with lauka_hdr_free. */
LAUKA_API struct lauka_hdr *lauka_hdr_new(unsigned digits, uint64_t least, uint64_t greatest);
LAUKA_API void lauka_hdr_free(struct lauka_hdr *histogram);

/* Makes a copy. Free it with lauka_hdr_free. */
LAUKA_API struct lauka_hdr *lauka_hdr_copy(const struct lauka_hdr *histogram);

/* The fewest digits for which the error of values is at most the share `error`; 0.0005 gives 3. At most 5. */
LAUKA_API unsigned lauka_hdr_digits(double error);

/* The largest possible error of a value, as a share of the value: half a bucket. */
LAUKA_API double lauka_hdr_error(const struct lauka_hdr *histogram);

/* Counts the value once, or `count` times. Returns 1, or 0 if it was overflow. Allocates nothing. */
LAUKA_API int lauka_hdr_record(struct lauka_hdr *histogram, uint64_t value);
LAUKA_API int lauka_hdr_record_count(struct lauka_hdr *histogram, uint64_t value, uint64_t count);

/* Counts all values of a borrowed array. Returns how many were not overflow. */
LAUKA_API size_t lauka_hdr_record_all(struct lauka_hdr *histogram, const uint64_t *values,
                                      size_t count);

/* Counts the value, and the values that a client with one request per `interval` would have seen meanwhile: value -
 * interval, value - 2 * interval and so on, down to interval. interval 0: the value alone. Returns as lauka_hdr_record.
 * It adds at most 10 million values; for more it sets errno to ERANGE, returns 0 and counts nothing. */
LAUKA_API int lauka_hdr_record_corrected(struct lauka_hdr *histogram, uint64_t value,
                                         uint64_t interval);

/* Forgets all values, including overflow, for example after a warm-up. */
LAUKA_API void lauka_hdr_reset(struct lauka_hdr *histogram);

/* Adds the counts of `from`, which does not change. Values outside the limits of `into` become
 * overflow. On errors `into` does not change. EINVAL: the buckets of `from` are coarser. EOVERFLOW:
 * a counter would wrap. ENOMEM. */
LAUKA_API int lauka_hdr_merge(struct lauka_hdr *into, const struct lauka_hdr *from);

/* Subtracts the counts of `from`. Afterwards least, greatest, mean and deviation are estimates. On errors
 * `into` does not change. EINVAL: the buckets differ. ERANGE: `into` holds fewer values. ENOMEM. */
LAUKA_API int lauka_hdr_subtract(struct lauka_hdr *into, const struct lauka_hdr *from);

/* ---- what it tells ----------------------------------------------------------------------------- */

/* The number of counted values, and of overflow values, about which nothing else is known. */
LAUKA_API uint64_t lauka_hdr_total(const struct lauka_hdr *histogram);
LAUKA_API uint64_t lauka_hdr_overflow(const struct lauka_hdr *histogram);

/* In the unit of the values. They are exact if lauka_hdr_is_exact returns 1; otherwise they come
 * from the ends of the outer buckets, and from bucket middles. An exact deviation is divided by n -
 * 1. 0 if there are no values. */
LAUKA_API uint64_t lauka_hdr_min(const struct lauka_hdr *histogram);
LAUKA_API uint64_t lauka_hdr_max(const struct lauka_hdr *histogram);
LAUKA_API double lauka_hdr_mean(const struct lauka_hdr *histogram);
LAUKA_API double lauka_hdr_deviation(const struct lauka_hdr *histogram);

/* Returns 1 if all values were recorded here or in merged histograms of which this is also true; 0
 * if some came from a file, a recorder or a difference. */
LAUKA_API int lauka_hdr_is_exact(const struct lauka_hdr *histogram);

/* The value at the nearest rank: number ceil(total * percent / 100), at least 1, in ascending
 * order. It is the middle of its bucket, limited to the least and greatest values. percent: 0 to
 * 100, to seven decimals, clamped to that range. 0 if there are no values. */
LAUKA_API uint64_t lauka_hdr_percentile(const struct lauka_hdr *histogram, double percent);

/* The same for several percents in ascending order, in one pass over the counters. */
LAUKA_API void lauka_hdr_percentiles(const struct lauka_hdr *histogram, const double *percents,
                                     size_t count, uint64_t *values);

struct lauka_hdr_bucket {
    uint64_t lowest, highest; /* its values, both inclusive */
    uint64_t count;
    uint64_t cumulative; /* sum of the counts up to this bucket */
    size_t next;         /* position of the next search */
};

/* Finds the next nonempty bucket in ascending order; begin with a zeroed one. Returns 0 at the end. */
LAUKA_API int lauka_hdr_next(const struct lauka_hdr *histogram, struct lauka_hdr_bucket *bucket);

/* ---- snapshots --------------------------------------------------------------------------------- */

/* A snapshot of a histogram that is still in use, and the values added since the previous snapshot.
 * One thread at a time may use it. */
struct lauka_hdr_snapshot;

/* Makes an empty snapshot for histograms with these buckets. To be freed. EINVAL: this one came from a file. */
LAUKA_API struct lauka_hdr_snapshot *lauka_hdr_snapshot_new(const struct lauka_hdr *like);
LAUKA_API void lauka_hdr_snapshot_free(struct lauka_hdr_snapshot *snapshot);

/* Takes a snapshot. Allocates nothing. EINVAL: the histogram has other buckets. After a reset of
 * the histogram, everything recorded since then counts as added. */
LAUKA_API int lauka_hdr_snapshot_take(struct lauka_hdr_snapshot *snapshot,
                                      const struct lauka_hdr *histogram);

/* All values, and the added ones; borrowed until the next snapshot. */
LAUKA_API const struct lauka_hdr *lauka_hdr_snapshot_all(const struct lauka_hdr_snapshot *snapshot);
LAUKA_API const struct lauka_hdr *
lauka_hdr_snapshot_new_values(const struct lauka_hdr_snapshot *snapshot);

/* ---- many threads ------------------------------------------------------------------------------ */

/* Every thread has its own counters, so recording takes no lock and no locked instruction; readers
 * add the counters up. Any thread may call any function at any time, except _new and _free. */
struct lauka_hdr_recorder;

/* digits as above; there are no limits. Free it when no thread records any more. */
LAUKA_API struct lauka_hdr_recorder *lauka_hdr_recorder_new(unsigned digits);
LAUKA_API void lauka_hdr_recorder_free(struct lauka_hdr_recorder *recorder);

/* A thread's first call allocates its counters; without memory, it uses shared ones. The counts
 * remain when the thread ends. */
LAUKA_API void lauka_hdr_recorder_record(struct lauka_hdr_recorder *recorder, uint64_t value);

/* Records into counters that all threads share: this saves memory with many threads, but is several times slower. */
LAUKA_API void lauka_hdr_recorder_record_shared(struct lauka_hdr_recorder *recorder,
                                                uint64_t value);

/* Replaces the content of `histogram` with everything recorded since the last reset. _take also
 * resets, so its results add up to everything recorded, with each value counted once. EINVAL: the
 * histogram has other digits, or limits. */
LAUKA_API int lauka_hdr_recorder_read(struct lauka_hdr_recorder *recorder,
                                      struct lauka_hdr *histogram);
LAUKA_API int lauka_hdr_recorder_take(struct lauka_hdr_recorder *recorder,
                                      struct lauka_hdr *histogram);
LAUKA_API void lauka_hdr_recorder_reset(struct lauka_hdr_recorder *recorder);

/* ---- exchange with other HdrHistograms --------------------------------------------------------- */

/* Encodes as V2, without compression and overflow. *bytes: to be freed by free(). EOVERFLOW: more
 * than 2^63 - 1 values, or values of 2^63 and more, which the format cannot hold. ENOMEM. */
LAUKA_API int lauka_hdr_encode(const struct lauka_hdr *histogram, uint8_t **bytes, size_t *size);

/* Makes a histogram from exactly these bytes, of any version except double histograms; to be freed.
 * NULL on failure; *reason, static, says why; reason may be NULL. Returns for any input. `size` and
 * the counters that the bytes name bound its memory. */
LAUKA_API struct lauka_hdr *lauka_hdr_decode(const uint8_t *bytes, size_t size,
                                             const char **reason);

/* The same compressed, in base64, as in logs; decoding also accepts uncompressed bytes. *text ends
 * with a NUL; to be freed by free(). */
LAUKA_API int lauka_hdr_encode_base64(const struct lauka_hdr *histogram, char **text);
LAUKA_API struct lauka_hdr *lauka_hdr_decode_base64(const char *text, size_t length,
                                                    const char **reason);

/* Writes a log of intervals (.hlog). start_s: base of the offsets, in seconds since the epoch;
 * comment: one line, NULL: a default. unit: divides the maximum, which the log has for people; 1e6
 * turns ns into ms. tag: NULL: none; EINVAL: it has blanks, commas, control characters, or 256
 * bytes. `out` stays open; they return 0 or its errno. */
LAUKA_API int lauka_hdr_log_begin(FILE *out, const char *comment, double start_s);
LAUKA_API int lauka_hdr_log_write(FILE *out, const char *tag, double offset_s, double length_s,
                                  double unit, const struct lauka_hdr *histogram);

struct lauka_hdr_log; /* a log being read; one thread at a time */

struct lauka_hdr_interval {
    const char *tag;             /* borrowed until the next one is read; "": none */
    double start_s;              /* since the epoch, if the log has a start time */
    double length_s;             /* negative if the writer's clock was set back */
    struct lauka_hdr *histogram; /* owned by the caller, who frees it */
};

/* in: stays open and belongs to the caller. name: its name in errors; copied. */
LAUKA_API struct lauka_hdr_log *lauka_hdr_log_open(FILE *in, const char *name);

/* 1: it has read an interval. 0: the log has ended. -1: a line is malformed; lauka_hdr_log_error
 * returns the line and the reason, and reading ends. */
LAUKA_API int lauka_hdr_log_read(struct lauka_hdr_log *log, struct lauka_hdr_interval *interval);

/* The factor for values of the last interval: 1, except for Java's double histograms, whose values
 * are products of integers and this factor. */
LAUKA_API double lauka_hdr_log_unit(const struct lauka_hdr_log *log);

/* "FILE:LINE: reason"; borrowed from the log; "": no error. */
LAUKA_API const char *lauka_hdr_log_error(const struct lauka_hdr_log *log);
LAUKA_API void lauka_hdr_log_close(struct lauka_hdr_log *log); /* accepts NULL */

/* Writes percentiles in the text format for plotters (.hgrm). ticks: rows for each halving of the distance to 100
 * %, usually 5; unit: divisor of the values. EINVAL: one of them is 0. Otherwise 0 or an errno of `out`. */
LAUKA_API int lauka_hdr_write_hgrm(FILE *out, const struct lauka_hdr *histogram, unsigned ticks,
                                   double unit);

#if defined(__cplusplus)
}
#endif

#endif
