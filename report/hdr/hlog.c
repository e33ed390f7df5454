/* HdrHistogram's log of intervals. */
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

/* ---- what the values of lauka's own logs are -------------------------------------------------- */

static const char maximum_in_ms[] = ", Interval_Max in ms",
                  of_benchmarks[] = ", tags are BENCHMARK/SIDE",
                  scaled[] = ", histograms hold the value ", times[] = "times ",
                  divided[] = "divided by ", in_unit[] = " in ";

static const struct {
    const char *better, *words;
} directions[] = {
    {"lower", ", lower is better"},
    {"higher", ", higher is better"},
    {"neither", ", neither is better"},
};
enum { DIRECTIONS = sizeof directions / sizeof *directions };

/* What a unit means if nothing is said. */
static const char *usual_better(const char *unit)
{
    return strcmp(unit, "1") == 0 ? "neither" : "lower";
}

static const char *better_words(const struct lauka_hlog_about *about)
{
    if (strcmp(about->better, usual_better(about->unit)) == 0)
        return "";
    for (size_t i = 0; i < DIRECTIONS; i++)
        if (strcmp(about->better, directions[i].better) == 0)
            return directions[i].words;
    return "";
}

static bool is_time(const struct lauka_hlog_about *about)
{
    return strcmp(about->unit, "ns") == 0 && about->decimals == 0;
}

void lauka_hlog_about_format(const struct lauka_hlog_about *about, char *text, size_t size)
{
    /* A name that looks like one with a unit is not left without. */
    const bool plain = strcmp(about->unit, "1") == 0 && !strstr(about->metric, in_unit);
    char power[120] = "";
    if (about->decimals != 0)
        snprintf(power, sizeof power, "%s%s1%0*d", scaled, about->decimals > 0 ? times : divided,
                 abs(about->decimals), 0);
    snprintf(text, size, "lauka: %s%s%s%s%s%s", about->metric, plain ? "" : in_unit,
             plain ? "" : about->unit, is_time(about) ? maximum_in_ms : power, better_words(about),
             about->by_benchmark ? of_benchmarks : "");
}

/* Cuts these words off where they are the last ones. */
static bool cut(char *text, const char *words)
{
    const size_t length = strlen(text), size = strlen(words);
    if (length < size || strcmp(text + length - size, words) != 0)
        return false;
    text[length - size] = '\0';
    return true;
}

/* The direction that the last words name, which are cut off; NULL: none. */
static const char *cut_better(char *text)
{
    for (size_t i = 0; i < DIRECTIONS; i++)
        if (cut(text, directions[i].words))
            return directions[i].better;
    return NULL;
}

/* The last place where these words stand, or NULL. */
static char *find_last(char *text, const char *words)
{
    char *last = NULL;
    for (char *at = strstr(text, words); at; at = strstr(at + 1, words))
        last = at;
    return last;
}

/* "histograms hold the value times 1000": 3 decimals, and "divided by 1000" -3. Returns false where it is
 * another number. */
static bool cut_power(char *text, int *decimals)
{
    char *at = find_last(text, scaled);
    if (!at)
        return true;
    const char *digits = at + strlen(scaled);
    const bool divides = strncmp(digits, divided, strlen(divided)) == 0;
    if (!divides && strncmp(digits, times, strlen(times)) != 0)
        return false;
    digits += strlen(divides ? divided : times);
    const size_t zeros = strspn(digits + (*digits == '1'), "0");
    if (*digits != '1' || digits[1 + zeros] != '\0' || zeros > LAUKA_DECIMALS_MAX)
        return false;
    *decimals = divides ? -(int)zeros : (int)zeros;
    *at = '\0';
    return true;
}

bool lauka_hlog_about_parse(const char *text, struct lauka_hlog_about *about)
{
    char rest[LAUKA_HLOG_ABOUT_SIZE];
    *about = (struct lauka_hlog_about){.unit = "1"};
    if (strlen(text) >= sizeof rest)
        return false;
    strcpy(rest, text);
    about->by_benchmark = cut(rest, of_benchmarks);
    const char *better = cut_better(rest);
    cut(rest, maximum_in_ms);
    if (!cut_power(rest, &about->decimals))
        return false;
    char *unit = find_last(rest, in_unit);
    if (unit && !strchr(unit + strlen(in_unit), ' ') &&
        strlen(unit + strlen(in_unit)) < sizeof about->unit) {
        strcpy(about->unit, unit + strlen(in_unit));
        *unit = '\0';
    }
    about->better = better ? better : usual_better(about->unit);
    if (rest[0] == '\0' || about->unit[0] == '\0' || strlen(rest) >= sizeof about->metric)
        return false;
    strcpy(about->metric, rest);
    return true;
}

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

/* A line ends as in any system. */
static bool is_line_end(FILE *in, int c)
{
    if (c != '\r')
        return c == '\n' || c == EOF;
    int next = getc_unlocked(in);
    if (next != '\n' && next != EOF)
        ungetc(next, in);
    return true;
}

/* The next line, without its end. False at the end of the file, or with a reason. */
static bool read_line(struct lauka_hlog *log, const char **reason)
{
    size_t length = 0;
    int c;
    log->line++;
    while (!is_line_end(log->in, c = getc_unlocked(log->in))) {
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
    log->text[length] = '\0';
    return true;
}

/* Blanks and commas separate fields for HdrHistogram, and blanks stand in front of some. */
static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* The next field and its length, which is 0 where there is none. */
static const char *take_field(const char **at, size_t *length)
{
    const char *field = skip_blanks(*at);
    *length = strcspn(field, " \t,");
    *at = skip_blanks(field + *length);
    *at += **at == ',';
    return field;
}

/* Digits with a sign, a point and an exponent where there are some: no "inf", no "0x1". */
static bool is_number(const char *text, size_t length, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return length > 0 && end == text + length && isfinite(*number) &&
           strspn(text, "0123456789+-.eE") >= length;
}

static bool take_number(const char **at, double *number)
{
    size_t length;
    const char *field = take_field(at, &length);
    return is_number(field, length, number);
}

/* Scaled by whatever the writer liked, and no number at all where there are no values; the histogram knows
 * better. */
static bool skip_maximum(const char **at)
{
    size_t length;
    char *end;
    const char *field = take_field(at, &length);
    (void)strtod(field, &end);
    return length > 0 && end == field + length;
}

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* What is between these words and the bracket at the end of the line. */
static void keep_comment(const char *text, const char *words, char kept[LAUKA_HLOG_ABOUT_SIZE])
{
    if (!begins_with(text, words))
        return;
    text += strlen(words);
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == ']'))
        length--;
    length = length < LAUKA_HLOG_ABOUT_SIZE ? length : 0;
    memcpy(kept, text, length);
    kept[length] = '\0';
}

/* The number behind these words. */
static bool has_number(const char *text, const char *words, double *number)
{
    const char *at = text;
    if (!begins_with(text, words))
        return false;
    at += strlen(words);
    return take_number(&at, number);
}

/* A line of an unknown kind is a comment, and so is a time that is no number. */
static const char *read_header(struct lauka_hlog *log, const char *text)
{
    static const char version[] = "#[Histogram log format version ";
    double number;
    if (begins_with(text, version) && !begins_with(text + strlen(version), "1."))
        return "a version of the log format that is not 1";
    if (has_number(text, "#[StartTime:", &number))
        log->start_time = number;
    if (has_number(text, "#[BaseTime:", &number))
        log->base_time = lauka_known(number);
    keep_comment(text, "#[lauka: ", log->about);
    if (log->bad_end[0] == '\0')
        keep_comment(text, "#[FAILED: ", log->bad_end);
    return NULL;
}

static const char *take_tag(const char **at, char *tag)
{
    tag[0] = '\0';
    if (!begins_with(*at, "Tag="))
        return NULL;
    size_t length;
    const char *field = take_field(at, &length) + strlen("Tag=");
    length -= strlen("Tag=");
    if (length >= LAUKA_HLOG_TAG_SIZE)
        return "a tag of more than 255 bytes";
    memcpy(tag, field, length);
    tag[length] = '\0';
    return is_tag(tag) ? NULL : "a tag with control characters";
}

static double absolute(const struct lauka_hlog *log, double offset)
{
    if (log->base_time.known)
        return log->base_time.value + offset;
    return offset < log->start_time - YEAR ? log->start_time + offset : offset;
}

/* NULL, or why the line is malformed. What follows the histogram is ignored, as HdrHistogram for Java does. */
static const char *read_interval(const struct lauka_hlog *log, const char *text,
                                 struct lauka_hlog_interval *interval)
{
    const char *at = text;
    size_t length;
    const char *reason = take_tag(&at, interval->tag);
    if (reason)
        return reason;
    if (!take_number(&at, &interval->offset) || !take_number(&at, &interval->length) ||
        !skip_maximum(&at))
        return "not start, length, maximum and histogram";
    interval->start = absolute(log, interval->offset);
    const char *histogram = take_field(&at, &length);
    if (lauka_hdr_text_decode(histogram, length, &interval->histogram, &interval->unit, &reason) !=
        0)
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
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    const char *reason = NULL;
    *interval = (struct lauka_hlog_interval){0};
    while (read_line(log, &reason)) {
        const char *text = log->text;
        if (log->line == 1 && begins_with(text, byte_order_mark))
            text += strlen(byte_order_mark);
        text = skip_blanks(text);
        if (*text == '\0' || *text == '"') /* nothing, or the legend */
            continue;
        reason = *text == '#' ? read_header(log, text) : read_interval(log, text, interval);
        if (reason)
            return refuse(log, reason, error, size);
        if (*text != '#')
            return LAUKA_HLOG_INTERVAL;
    }
    return reason ? refuse(log, reason, error, size) : LAUKA_HLOG_END;
}
