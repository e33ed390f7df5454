/* Histograms in the formats that other HdrHistograms exchange. */
#ifndef LAUKA_REPORT_HDR_HDR_H
#define LAUKA_REPORT_HDR_HDR_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "stats/histogram.h"
#include "stats/stats.h"

/* ---- hdr_text.c: a histogram as one word of base64, as HdrHistograms exchange theirs --------- */

/* The caller owns *text. Otherwise like lauka_histogram_encode. */
int lauka_hdr_text_encode(const struct lauka_histogram *histogram, char **text, uint64_t *left_out);

/* Like lauka_histogram_decode, for compressed or plain text. The length of the text and the
 * counters it names bound time and memory. */
int lauka_hdr_text_decode(const char *text, size_t length, struct lauka_histogram *histogram,
                          double *unit, const char **reason);

/* ---- hlog.c: HdrHistogram's log of intervals ------------------------------------------------- */

enum { LAUKA_HLOG_TAG_SIZE = 256, LAUKA_HLOG_ABOUT_SIZE = 512 };

struct lauka_hlog_interval {
    char tag[LAUKA_HLOG_TAG_SIZE]; /* "": none. No spaces, commas or control characters */
    double offset;                 /* s, as in the file: since the log's base time */
    double length;                 /* s; negative if the writer's clock was set back */
    double start;                  /* s since the epoch; only when reading */
    double unit; /* factor of the values, 1 except for double histograms; only when reading */
    struct lauka_histogram histogram;
};

/* start: base of the offsets, in seconds since the epoch. Returns 0, EINVAL if it cannot be written
 * in this form, or an errno. */
int lauka_hlog_write_header(const char *comment, double start, FILE *out);

/* divisor: only for the maximum in the third column, which is for people; 1e6 turns nanoseconds
 * into milliseconds. */
int lauka_hlog_write(const struct lauka_hlog_interval *interval, double divisor, FILE *out);

struct lauka_hlog {   /* a log being read */
    FILE *in;         /* borrowed */
    const char *name; /* borrowed: its name in errors */
    size_t line;
    double start_time; /* s since the epoch; 0: the log has none */
    struct lauka_optional base_time;
    char about
        [LAUKA_HLOG_ABOUT_SIZE]; /* lauka's description of the next intervals; "": not by lauka */
    char bad_end[LAUKA_HLOG_ABOUT_SIZE]; /* how lauka's session ended, if badly; the first one */
    char *text;                          /* owned: the current line */
    size_t capacity;
};

enum lauka_hlog_status { LAUKA_HLOG_INTERVAL, LAUKA_HLOG_END, LAUKA_HLOG_ERROR };

void lauka_hlog_open(struct lauka_hlog *log, FILE *in, const char *name);
void lauka_hlog_close(struct lauka_hlog *log); /* leaves the file open */

/* Reads the next interval, whose histogram the caller frees. For a malformed line, `error` is
 * "FILE:LINE: reason" without newline, and reading ends. */
enum lauka_hlog_status lauka_hlog_read(struct lauka_hlog *log, struct lauka_hlog_interval *interval,
                                       char *error, size_t size);

/* ---- hlog.c: what the values of lauka's own logs are --------------------------------------- */

struct lauka_hlog_about {
    char metric[201];
    char unit[21];      /* "1" if there is none */
    int decimals;       /* values are in units of 10^-decimals of it */
    const char *better; /* static: "lower", "higher", "neither" */
    bool by_benchmark;  /* a tag names a benchmark and a side, otherwise a command */
};

/* Formats the comment of a log's header, for lauka_hlog_write_header. */
void lauka_hlog_about_format(const struct lauka_hlog_about *about, char *text, size_t size);

/* Parses such a comment. False: it is not by lauka. */
bool lauka_hlog_about_parse(const char *text, struct lauka_hlog_about *about);

/* ---- hgrm.c: percentiles as text ------------------------------------------------------------- */

/* Writes percentiles in the text format for HdrHistogram's plotters. ticks: rows for each halving
 * of the distance to 100 %, usually 5; divisor: for all values. Mean and deviation are computed
 * from the buckets. Returns 0, EINVAL (ticks or divisor 0), or an errno. */
int lauka_write_hgrm(const struct lauka_histogram *histogram, unsigned ticks, double divisor,
                     FILE *out);

#endif
