/* hlog: HdrHistogram's log of intervals, one a line, in version 1.3. Input may come from anywhere: a line
 * is refused with its number and a reason. */
#include "report/hdr/hdr.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST_CAPACITY = 4096, LINE_MAX_SIZE = 64 << 20 };

/* Times far below the log's start are offsets: HdrHistogram's rule for logs that do not say. */
#define YEAR (365.0 * 24 * 3600)

/* ---- writing ---- */

static bool is_tag(const char *tag)
{
    size_t length = strlen(tag);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)tag[i] <= ' ' || tag[i] == ',' || tag[i] == '\x7f')
            return false;
    return length < LAUKA_HLOG_TAG_SIZE;
}

int lauka_hlog_write_header(const char *comment, double start, FILE *out)
{
    char date[LAUKA_DATE_SIZE];
    if (!(fabs(start) < 1e11) || strpbrk(comment, "\r\n")) /* years of four digits */
        return EINVAL;
    if (!lauka_format_date((time_t)start, date))
        return EINVAL;
    fprintf(out, "#[%s]\n#[Histogram log format version 1.3]\n", comment);
    fprintf(out, "#[StartTime: %.3f (seconds since epoch), %s]\n", start, date);
    fprintf(out, "#[BaseTime: %.3f (seconds since epoch)]\n", start);
    fprintf(out, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                 "\"Interval_Compressed_Histogram\"\n");
    return lauka_finish(out);
}

static uint64_t highest_of(const struct lauka_histogram *histogram)
{
    struct lauka_quantile last;
    return lauka_histogram_quantile(histogram, LAUKA_RANK_WHOLE, &last) ? last.bucket.highest : 0;
}

int lauka_hlog_write(const struct lauka_hlog_interval *interval, double divisor, FILE *out)
{
    char *text;
    if (!is_tag(interval->tag) || !isfinite(interval->offset) || !(interval->length >= 0) ||
        !isfinite(interval->length) || !(divisor > 0))
        return EINVAL;
    int error = lauka_hdr_text_encode(&interval->histogram, &text, NULL);
    if (error != 0)
        return error;
    if (interval->tag[0])
        fprintf(out, "Tag=%s,", interval->tag);
    fprintf(out, "%.3f,%.3f,%.3f,%s\n", interval->offset, interval->length,
            (double)highest_of(&interval->histogram) / divisor, text);
    free(text);
    return lauka_finish(out);
}

/* ---- reading ---- */

void lauka_hlog_open(struct lauka_hlog *log, FILE *in, const char *name)
{
    *log = (struct lauka_hlog){.in = in, .name = name};
}

void lauka_hlog_close(struct lauka_hlog *log)
{
    free(log->text);
    *log = (struct lauka_hlog){0};
}

static bool make_room(struct lauka_hlog *log, size_t size)
{
    if (size <= log->capacity)
        return true;
    size_t capacity = log->capacity ? 2 * log->capacity : FIRST_CAPACITY;
    char *text = realloc(log->text, capacity);
    if (!text)
        return false;
    log->text = text;
    log->capacity = capacity;
    return true;
}

/* The next line, without its end. False at the end of the file, or with a reason. */
static bool read_line(struct lauka_hlog *log, const char **reason)
{
    size_t length = 0;
    int c;
    log->line++;
    while ((c = getc_unlocked(log->in)) != EOF && c != '\n') {
        if (c == '\0')
            *reason = "a NUL byte";
        else if (length >= LINE_MAX_SIZE)
            *reason = "a line of more than 64 MiB";
        else if (length + 2 > log->capacity && !make_room(log, length + 2))
            *reason = "not enough memory for the line";
        if (*reason)
            return false;
        log->text[length++] = (char)c;
    }
    if (ferror(log->in))
        *reason = strerror(errno);
    else if (!make_room(log, length + 1))
        *reason = "not enough memory for the line";
    if ((c == EOF && length == 0) || *reason)
        return false;
    log->text[length - (length > 0 && log->text[length - 1] == '\r')] = '\0';
    return true;
}

/* Digits with a sign, a point and an exponent where there are some: no "inf", no "0x1". */
static bool take_number(const char **at, double *number)
{
    char *end;
    size_t length = strspn(*at, "0123456789+-.eE");
    *number = strtod(*at, &end);
    if (length == 0 || end != *at + length || !isfinite(*number))
        return false;
    *at = end;
    return true;
}

static bool take_field(const char **at, double *number)
{
    return take_number(at, number) && *(*at)++ == ',';
}

/* A malformed line of a known kind is an error; a line of an unknown kind is a comment. */
static const char *read_header(struct lauka_hlog *log)
{
    static const char version[] = "#[Histogram log format version ";
    static const char start[] = "#[StartTime: ", base[] = "#[BaseTime: ";
    const char *at = log->text;
    double number = 0;
    if (strncmp(at, version, strlen(version)) == 0) {
        at += strlen(version);
        if (strncmp(at, "1.", 2) != 0 || at[2] < '0' || at[2] > '3' || at[3] != ']')
            return "a version of the log format that is not 1.0 to 1.3";
    } else if (strncmp(at, start, strlen(start)) == 0) {
        at += strlen(start);
        if (!take_number(&at, &log->start_time))
            return "a start time that is not a number";
    } else if (strncmp(at, base, strlen(base)) == 0) {
        at += strlen(base);
        if (!take_number(&at, &number))
            return "a base time that is not a number";
        log->base_time = (struct lauka_optional){true, number};
    }
    return NULL;
}

static const char *take_tag(const char **at, char *tag)
{
    tag[0] = '\0';
    if (strncmp(*at, "Tag=", 4) != 0)
        return NULL;
    *at += 4;
    size_t length = strcspn(*at, ",");
    if ((*at)[length] != ',' || length >= LAUKA_HLOG_TAG_SIZE)
        return "a tag without an end";
    memcpy(tag, *at, length);
    tag[length] = '\0';
    *at += length + 1;
    return is_tag(tag) ? NULL : "a tag with spaces or control characters";
}

static double absolute(const struct lauka_hlog *log, double offset)
{
    if (log->base_time.known)
        return log->base_time.value + offset;
    return offset < log->start_time - YEAR ? log->start_time + offset : offset;
}

/* NULL, or why the line is malformed. */
static const char *read_interval(const struct lauka_hlog *log, struct lauka_hlog_interval *interval)
{
    const char *at = log->text;
    double max; /* scaled by whatever the writer liked; the histogram knows better */
    const char *reason = take_tag(&at, interval->tag);
    if (reason)
        return reason;
    if (!take_field(&at, &interval->offset) || !take_field(&at, &interval->length) ||
        !take_field(&at, &max))
        return "not start, length, maximum and histogram";
    if (interval->length < 0)
        return "a negative length";
    interval->start = absolute(log, interval->offset);
    if (lauka_hdr_text_decode(at, strlen(at), &interval->histogram, &reason) != 0)
        return reason ? reason : "not enough memory for the histogram";
    return NULL;
}

static enum lauka_hlog_status refuse(const struct lauka_hlog *log, const char *reason, char *error,
                                     size_t size)
{
    char *name = lauka_fit_text(log->name, 80, false);
    snprintf(error, size, "%s:%zu: %s", name ? name : "?", log->line, reason);
    free(name);
    return LAUKA_HLOG_ERROR;
}

enum lauka_hlog_status lauka_hlog_read(struct lauka_hlog *log, struct lauka_hlog_interval *interval,
                                       char *error, size_t size)
{
    const char *reason = NULL;
    *interval = (struct lauka_hlog_interval){0};
    while (read_line(log, &reason)) {
        char first = log->text[0];
        if (first == '\0' || first == '"') /* nothing, or the legend */
            continue;
        reason = first == '#' ? read_header(log) : read_interval(log, interval);
        if (reason)
            return refuse(log, reason, error, size);
        if (first != '#')
            return LAUKA_HLOG_INTERVAL;
    }
    return reason ? refuse(log, reason, error, size) : LAUKA_HLOG_END;
}
