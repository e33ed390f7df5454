/* Histograms as other HdrHistograms exchange them. */
#ifndef LAUKA_REPORT_HDR_HDR_H
#define LAUKA_REPORT_HDR_HDR_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "stats/histogram.h"
#include "stats/stats.h"

/* ---- hdr_text.c: a histogram as one word of base64, as HdrHistograms exchange theirs --------- */

/* *text is owned by the caller. As lauka_histogram_encode otherwise. */
int lauka_hdr_text_encode(const struct lauka_histogram *histogram, char **text, uint64_t *left_out);

/* As lauka_histogram_decode. Time and memory are bounded by the length of the text and by the counters
 * that it names. */
int lauka_hdr_text_decode(const char *text, size_t length, struct lauka_histogram *histogram,
                          const char **reason);

/* ---- hlog.c: HdrHistogram's log of intervals ------------------------------------------------- */

enum { LAUKA_HLOG_TAG_SIZE = 256 };

struct lauka_hlog_interval {
    char tag[LAUKA_HLOG_TAG_SIZE]; /* "": none. No spaces, commas or control characters */
    double offset;                 /* s, as it stands in the file: since the log's base time */
    double length;                 /* s */
    double start;                  /* s since the epoch; on reading only */
    struct lauka_histogram histogram;
};

/* start: seconds since the epoch, from which offsets count. Returns 0, EINVAL if it cannot be written that
 * way, or an errno. */
int lauka_hlog_write_header(const char *comment, double start, FILE *out);

/* divisor: applies to the maximum in the third column only, for people; 1e6 makes milliseconds of
 * nanoseconds. */
int lauka_hlog_write(const struct lauka_hlog_interval *interval, double divisor, FILE *out);

struct lauka_hlog {   /* one that is being read */
    FILE *in;         /* borrowed */
    const char *name; /* borrowed: what errors call it */
    size_t line;
    double start_time; /* s since the epoch; 0: the log does not tell */
    struct lauka_optional base_time;
    char *text; /* owned: the line */
    size_t capacity;
};

enum lauka_hlog_status { LAUKA_HLOG_INTERVAL, LAUKA_HLOG_END, LAUKA_HLOG_ERROR };

void lauka_hlog_open(struct lauka_hlog *log, FILE *in, const char *name);
void lauka_hlog_close(struct lauka_hlog *log); /* not the file */

/* The next interval; the caller frees its histogram. For a malformed line, `error` is "FILE:LINE: reason"
 * without newline, and reading is over. */
enum lauka_hlog_status lauka_hlog_read(struct lauka_hlog *log, struct lauka_hlog_interval *interval,
                                       char *error, size_t size);

/* ---- hgrm.c: percentiles as text ------------------------------------------------------------- */

/* Percentiles in the text format that HdrHistogram's plotters read. ticks: rows for each halving of the
 * distance to 100 %, usually 5; divisor: of all values. Mean and deviation are those of the buckets.
 * Returns 0, EINVAL (ticks or divisor 0), or an errno. */
int lauka_write_hgrm(const struct lauka_histogram *histogram, unsigned ticks, double divisor,
                     FILE *out);

#endif
