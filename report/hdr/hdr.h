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

/* As lauka_histogram_decode, compressed or not. Time and memory are bounded by the length of the text and by
 * the counters that it names. */
int lauka_hdr_text_decode(const char *text, size_t length, struct lauka_histogram *histogram,
                          double *unit, const char **reason);

/* ---- hlog.c: HdrHistogram's log of intervals ------------------------------------------------- */

enum { LAUKA_HLOG_TAG_SIZE = 256, LAUKA_HLOG_ABOUT_SIZE = 512 };

struct lauka_hlog_interval {
    char tag[LAUKA_HLOG_TAG_SIZE]; /* "": none. No spaces, commas or control characters */
    double offset;                 /* s, as it stands in the file: since the log's base time */
    double length;                 /* s; negative where the writer's clock was set back */
    double start;                  /* s since the epoch; on reading only */
    double unit; /* what a value of 1 stands for, 1 except for double histograms; on reading only */
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
    char about
        [LAUKA_HLOG_ABOUT_SIZE]; /* what lauka says of the intervals that follow; "": not lauka's */
    char bad_end[LAUKA_HLOG_ABOUT_SIZE]; /* how lauka's session ended, if not well; the first one */
    char *text;                          /* owned: the line */
    size_t capacity;
};

enum lauka_hlog_status { LAUKA_HLOG_INTERVAL, LAUKA_HLOG_END, LAUKA_HLOG_ERROR };

void lauka_hlog_open(struct lauka_hlog *log, FILE *in, const char *name);
void lauka_hlog_close(struct lauka_hlog *log); /* not the file */

/* The next interval; the caller frees its histogram. For a malformed line, `error` is "FILE:LINE: reason"
 * without newline, and reading is over. */
enum lauka_hlog_status lauka_hlog_read(struct lauka_hlog *log, struct lauka_hlog_interval *interval,
                                       char *error, size_t size);

/* ---- hlog.c: what the values of lauka's own logs are --------------------------------------- */

struct lauka_hlog_about {
    char metric[201];
    char unit[21];      /* "1" where there is none */
    int decimals;       /* values are in units of 10^-decimals of it */
    const char *better; /* static: "lower", "higher", "neither" */
    bool by_benchmark;  /* a tag is a benchmark and a side, otherwise a command */
};

/* The comment of a log's header, for lauka_hlog_write_header. */
void lauka_hlog_about_format(const struct lauka_hlog_about *about, char *text, size_t size);

/* What struct lauka_hlog has of it. False: lauka did not write this. */
bool lauka_hlog_about_parse(const char *text, struct lauka_hlog_about *about);

/* ---- hgrm.c: percentiles as text ------------------------------------------------------------- */

/* Percentiles in the text format that HdrHistogram's plotters read. ticks: rows for each halving of the
 * distance to 100 %, usually 5; divisor: of all values. Mean and deviation are those of the buckets.
 * Returns 0, EINVAL (ticks or divisor 0), or an errno. */
int lauka_write_hgrm(const struct lauka_histogram *histogram, unsigned ticks, double divisor,
                     FILE *out);

#endif
