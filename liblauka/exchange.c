/* Histograms as other HdrHistograms read and write them: bytes, base64, logs and percentiles. */
#include "liblauka/hdr.h"
#include "report/hdr/hdr.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one histogram ----------------------------------------------------------------------------- */

int lauka_hdr_encode(const struct lauka_hdr *histogram, uint8_t **bytes, size_t *size)
{
    uint64_t left_out;
    *bytes = NULL;
    int error = lauka_histogram_encode(&histogram->counts, bytes, size, &left_out);
    if (error || left_out == 0)
        return error;
    free(*bytes);
    *bytes = NULL;
    return EOVERFLOW;
}

int lauka_hdr_encode_base64(const struct lauka_hdr *histogram, char **text)
{
    uint64_t left_out;
    *text = NULL;
    int error = lauka_hdr_text_encode(&histogram->counts, text, &left_out);
    if (error || left_out == 0)
        return error;
    free(*text);
    *text = NULL;
    return EOVERFLOW;
}

/* error: of what made the counters. */
static struct lauka_hdr *decoded(int error, struct lauka_histogram *counts, const char *found,
                                 const char **reason)
{
    if (reason)
        *reason =
            found ? found : "there is no memory"; /* for the counters, or for what holds them */
    return error ? lauka_hdr_refuse(error) : lauka_hdr_adopt(counts);
}

struct lauka_hdr *lauka_hdr_decode(const uint8_t *bytes, size_t size, const char **reason)
{
    struct lauka_histogram counts;
    const char *found = NULL;
    int error = lauka_histogram_decode(bytes, size, &counts, NULL, &found);
    return decoded(error, &counts, found, reason);
}

struct lauka_hdr *lauka_hdr_decode_base64(const char *text, size_t length, const char **reason)
{
    struct lauka_histogram counts;
    const char *found = NULL;
    int error = lauka_hdr_text_decode(text, length, &counts, NULL, &found);
    return decoded(error, &counts, found, reason);
}

/* ---- logs -------------------------------------------------------------------------------------- */

int lauka_hdr_log_begin(FILE *out, const char *comment, double start_s)
{
    if (!isfinite(start_s) || (comment && strpbrk(comment, "\r\n")))
        return EINVAL;
    return lauka_hlog_write_header(comment ? comment : "liblauka", start_s, out);
}

int lauka_hdr_log_write(FILE *out, const char *tag, double offset_s, double length_s, double unit,
                        const struct lauka_hdr *histogram)
{
    struct lauka_hlog_interval interval = {.offset = offset_s, .length = length_s};
    if (tag && strlen(tag) >= sizeof interval.tag)
        return EINVAL;
    if (tag)
        strcpy(interval.tag, tag);
    interval.histogram = histogram->counts; /* borrowed: it is only read */
    return lauka_hlog_write(&interval, unit, out);
}

struct lauka_hdr_log {
    struct lauka_hlog log;
    struct lauka_hlog_interval interval; /* the last one's tag and unit */
    char *name;                          /* owned */
    char error[640];
};

struct lauka_hdr_log *lauka_hdr_log_open(FILE *in, const char *name)
{
    struct lauka_hdr_log *log = calloc(1, sizeof *log);
    char *copy = strdup(name);
    if (!log || !copy) {
        free(log);
        free(copy);
        return lauka_hdr_refuse(ENOMEM);
    }
    log->name = copy;
    lauka_hlog_open(&log->log, in, copy);
    return log;
}

static int fail(struct lauka_hdr_log *log)
{
    if (!log->error[0])
        snprintf(log->error, sizeof log->error, "%.200s: there is no memory", log->name);
    return -1;
}

int lauka_hdr_log_read(struct lauka_hdr_log *log, struct lauka_hdr_interval *interval)
{
    struct lauka_hlog_interval *found = &log->interval;
    *interval = (struct lauka_hdr_interval){.tag = ""};
    if (log->error[0])
        return -1;
    switch (lauka_hlog_read(&log->log, found, log->error, sizeof log->error)) {
    case LAUKA_HLOG_END:
        return 0;
    case LAUKA_HLOG_ERROR:
        return fail(log);
    case LAUKA_HLOG_INTERVAL:
        break;
    }
    *interval = (struct lauka_hdr_interval){
        .tag = found->tag, .start_s = found->start, .length_s = found->length};
    interval->histogram = lauka_hdr_adopt(&found->histogram);
    return interval->histogram ? 1 : fail(log);
}

double lauka_hdr_log_unit(const struct lauka_hdr_log *log)
{
    return log->interval.unit > 0 ? log->interval.unit : 1;
}

const char *lauka_hdr_log_error(const struct lauka_hdr_log *log)
{
    return log->error;
}

void lauka_hdr_log_close(struct lauka_hdr_log *log)
{
    if (log) {
        lauka_hlog_close(&log->log);
        free(log->name);
    }
    free(log);
}

/* ---- percentiles ------------------------------------------------------------------------------- */

int lauka_hdr_write_hgrm(FILE *out, const struct lauka_hdr *histogram, unsigned ticks, double unit)
{
    return lauka_write_hgrm(&histogram->counts, ticks, unit, out);
}
