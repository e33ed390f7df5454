/* Histograms in the formats of other programs. Known answers come from tests/vectors/hdr. */
#include "tests/unit/expect.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/unit/hdr_intervals.h"
#include "tests/unit/hdr_vectors.h"
#include "report/hdr/hdr.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/histogram.h"
#include "stats/stats.h"

/* ---- V2, compressed, in base64 ---- */

static bool bytes_are(const struct lauka_histogram *histogram, const uint8_t *expected,
                      size_t expected_size)
{
    uint8_t *bytes;
    size_t size;
    if (lauka_histogram_encode(histogram, &bytes, &size, NULL) != 0)
        return false;
    bool same = size == expected_size && memcmp(bytes, expected, size) == 0;
    free(bytes);
    return same;
}

static void decode_one(const char *name, const char *who, const char *text)
{
    struct lauka_histogram histogram;
    const char *reason;
    const char *ending =
        who[0] == 'c' && vector_exists(name, ".buckets_c") ? ".buckets_c" : ".buckets";
    int error = lauka_hdr_text_decode(text, strlen(text), &histogram, NULL, &reason);
    if (error != 0 || !vector_has_buckets(name, ending, &histogram)) {
        printf("%s as %s wrote it: %s\n", name, who, error ? reason : "other buckets");
        EXPECT(false);
    }
    if (error == 0)
        lauka_histogram_done(&histogram);
}

static void what_java_c_and_go_wrote_is_read(void)
{
    cJSON *index = vector_json("INDEX"), *name, *text;
    cJSON_ArrayForEach(name, index)
    {
        cJSON *json = vector_json(name->valuestring);
        cJSON_ArrayForEach(text, cJSON_GetObjectItemCaseSensitive(json, "v2_base64"))
            decode_one(name->valuestring, text->string, text->valuestring);
        cJSON_Delete(json);
    }
    cJSON_Delete(index);
}

/* Whether the histogram is encoded like the one that is read from Java's text. */
static bool is_as_read(const struct lauka_histogram *histogram, const cJSON *json)
{
    const cJSON *texts = cJSON_GetObjectItemCaseSensitive(json, "v2_base64");
    const char *text = vector_string(texts, "java_2.1.11"), *reason;
    struct lauka_histogram read;
    uint8_t *bytes;
    size_t size;
    if (lauka_hdr_text_decode(text, strlen(text), &read, NULL, &reason) != 0 ||
        lauka_histogram_encode(&read, &bytes, &size, NULL) != 0)
        return false;
    bool same = bytes_are(histogram, bytes, size);
    free(bytes);
    lauka_histogram_done(&read);
    return same;
}

static void what_is_written_is_what_java_writes(void)
{
    cJSON *index = vector_json("INDEX"), *name;
    cJSON_ArrayForEach(name, index)
    {
        cJSON *json = vector_json(name->valuestring);
        struct lauka_moments moments;
        struct lauka_histogram histogram = vector_histogram(name->valuestring, &moments);
        const char *base64 = vector_string(json, "v2_uncompressed_java_base64");
        uint8_t *bytes = malloc(strlen(base64) + 4);
        size_t size;
        /* The longest texts are replaced by a remark in parentheses. */
        if (lauka_base64_decode(base64, strlen(base64), bytes, &size))
            EXPECT(bytes_are(&histogram, bytes, size));
        else
            EXPECT(strchr(base64, '(') && is_as_read(&histogram, json));
        free(bytes);
        lauka_histogram_done(&histogram);
        cJSON_Delete(json);
    }
    cJSON_Delete(index);
}

static void what_is_written_is_read_again(void)
{
    cJSON *index = vector_json("INDEX"), *name;
    cJSON_ArrayForEach(name, index)
    {
        struct lauka_moments moments;
        struct lauka_histogram histogram = vector_histogram(name->valuestring, &moments);
        char *text;
        EXPECT(lauka_hdr_text_encode(&histogram, &text, NULL) == 0);
        EXPECT(strncmp(text, "HISTFAA", 7) == 0);
        decode_one(name->valuestring, "lauka", text);
        free(text);
        lauka_histogram_done(&histogram);
    }
    cJSON_Delete(index);
}

static bool is_acceptable(const char *name)
{
    /* The bomb is a valid histogram of one value: only the pages that are written use memory. */
    if (strcmp(name, "bomb_5digits") == 0)
        return true;
    /* Java reads these, too: it rotates only what it has in memory, and a ratio is for double histograms. */
    return strncmp(name, "good", 4) == 0 || strcmp(name, "norm_neg") == 0 ||
           strcmp(name, "ratio_nan") == 0 || strcmp(name, "base64_nopad") == 0;
}

static void what_is_malformed_is_refused_with_a_reason(void)
{
    cJSON *cases = vector_json("BAD"), *one;
    cJSON_ArrayForEach(one, cases)
    {
        const char *text = vector_string(one, "base64"), *name = vector_string(one, "name");
        const char *reason = NULL;
        struct lauka_histogram histogram;
        int error = lauka_hdr_text_decode(text, strlen(text), &histogram, NULL, &reason);
        bool as_expected = is_acceptable(name) ? error == 0 : error != 0 && reason && reason[0];
        if (!as_expected)
            printf("%s: %s\n", name, error ? reason : "accepted");
        EXPECT(as_expected);
        EXPECT(error == 0 || (!histogram.counts && !histogram.narrow));
        lauka_histogram_done(&histogram);
    }
    cJSON_Delete(cases);
}

/* ---- text formats ---- */

/* Returns what was written to the file so far, owned by the caller, and closes the file. */
static char *content_of(FILE *file)
{
    long size = ftell(file);
    char *text = calloc(1, (size_t)size + 1);
    rewind(file);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
        exit(1);
    fclose(file);
    return text;
}

static double first_number(const char *line)
{
    const char *digits = strpbrk(line, "0123456789");
    return digits ? strtod(digits, NULL) : 0;
}

/* Lines must be equal. For numbers above 2^53 Java prints other digits with the same meaning. */
static bool is_same_line(const char *line, const char *expected)
{
    if (strcmp(line, expected) == 0)
        return true;
    double number = first_number(line);
    const char *rest = strchr(line + strspn(line, " "), ' ');
    const char *expected_rest = strchr(expected + strspn(expected, " "), ' ');
    return number > 0x1p53 && fabs(first_number(expected) / number - 1) < 1e-14 && rest &&
           expected_rest && (line[0] == '#' || strcmp(rest, expected_rest) == 0);
}

static bool is_same_percentiles(char *text, char *expected)
{
    char *rest, *expected_rest;
    char *line = strtok_r(text, "\n", &rest);
    char *expected_line = strtok_r(expected, "\n", &expected_rest);
    while (line && expected_line && is_same_line(line, expected_line)) {
        line = strtok_r(NULL, "\n", &rest);
        expected_line = strtok_r(NULL, "\n", &expected_rest);
    }
    return !line && !expected_line;
}

static void percentiles_are_printed_like_java_does(void)
{
    cJSON *index = vector_json("INDEX"), *name;
    cJSON_ArrayForEach(name, index)
    {
        struct lauka_moments moments;
        struct lauka_histogram histogram = vector_histogram(name->valuestring, &moments);
        char *expected = vector_text(name->valuestring, ".java.hgrm");
        FILE *out = tmpfile();
        EXPECT(lauka_write_hgrm(&histogram, 5, 1, out) == 0);
        char *text = content_of(out);
        EXPECT(is_same_percentiles(text, expected));
        free(text);
        free(expected);
        lauka_histogram_done(&histogram);
    }
    cJSON_Delete(index);
}

static void levels_end_where_doubles_do(void)
{
    struct lauka_histogram h;
    EXPECT(lauka_histogram_init(&h, NULL) == 0);
    lauka_histogram_record_count(&h, 5, UINT64_C(1) << 62);
    lauka_histogram_record_count(&h, 9, 1);
    FILE *out = tmpfile();
    EXPECT(lauka_write_hgrm(&h, 5, 1, out) == 0);
    EXPECT(ftell(out) < 100000);
    EXPECT(lauka_write_hgrm(&h, 0, 1, out) == EINVAL);
    EXPECT(lauka_write_hgrm(&h, 5, 0, out) == EINVAL);
    fclose(out);
    lauka_histogram_done(&h);
}

/* ---- .hlog ---- */

#define GOOD "HISTFAAAACh4nJNpmSzMwMDAzgABzFCaEch0M9ixgMH+A0SAk42B+cFRDgBx/wYR"

static FILE *open_vector(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", hdr_vectors, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        exit(1);
    return file;
}

static uint64_t highest_at(const struct lauka_histogram *histogram, uint32_t rank)
{
    struct lauka_quantile quantile;
    return lauka_histogram_quantile(histogram, rank, &quantile) ? quantile.bucket.highest : 0;
}

/* Reads every interval of NAME.hlog and compares it with the expected lines. */
static void check_log(const char *name, bool times)
{
    char *expected = vector_text(name, times ? ".hlog.expected_java" : ".hlog.expected_c");
    char *line = expected, path[64], error[256], text[512];
    struct lauka_hlog_interval i;
    struct lauka_hlog log;
    snprintf(path, sizeof path, "%s.hlog", name);
    FILE *in = open_vector(path);
    lauka_hlog_open(&log, in, path);
    if (!times)
        line = strchr(line, '\n') + 1;
    while (lauka_hlog_read(&log, &i, error, sizeof error) == LAUKA_HLOG_INTERVAL) {
        uint64_t total = lauka_histogram_total(&i.histogram);
        uint64_t p50 = highest_at(&i.histogram, LAUKA_RANK_WHOLE / 2);
        if (times)
            snprintf(text, sizeof text,
                     "tag='%s' start %.0f end %.0f total %" PRIu64 " p50 %" PRIu64 " max %" PRIu64,
                     i.tag[0] ? i.tag : "null", 1000 * i.start, 1000 * (i.start + i.length), total,
                     p50, highest_at(&i.histogram, LAUKA_RANK_WHOLE));
        else
            snprintf(text, sizeof text, "tag='%s' start %.9f len %.9f max ", i.tag, i.offset,
                     i.length);
        EXPECT(strncmp(line, text, strlen(text)) == 0);
        snprintf(text, sizeof text, " total %" PRIu64 " p50 %" PRIu64, total, p50);
        EXPECT(strstr(line, text) != NULL);
        line = strchr(line, '\n') + 1;
        lauka_histogram_done(&i.histogram);
    }
    EXPECT(strncmp(line, times ? "startTime" : "end rc", 6) == 0);
    lauka_hlog_close(&log);
    fclose(in);
    free(expected);
}

static void logs_of_java_and_c_are_read(void)
{
    check_log("java", true);
    check_log("java", false);
    check_log("c", false);
}

/* What all intervals of a log hold, or the error. Owned by the caller. */
static char *text_of_log(FILE *in, const char *name)
{
    struct lauka_hlog_interval interval;
    struct lauka_hlog log;
    char error[256] = "", *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    lauka_hlog_open(&log, in, name);
    while (lauka_hlog_read(&log, &interval, error, sizeof error) == LAUKA_HLOG_INTERVAL) {
        print_interval(&interval, out);
        lauka_histogram_done(&interval.histogram);
    }
    fputs(error, out);
    lauka_hlog_close(&log);
    fclose(out);
    return text;
}

/* Encodings of three versions, with counters of all sizes, shifted ones and double histograms. */
static void logs_of_other_libraries_are_read_as_java_reads_them(void)
{
    static const char *const names[] = {
        "java-1.2.1", "java-1.2.1-small", "java-2.1.4", "java-double", "java-shifted", "js",
        "js-wasm",    "python",           "go",         "rust",        "rust-plain",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "logs/%s.hlog", names[i]);
        FILE *in = open_vector(path);
        char *text = text_of_log(in, path);
        snprintf(path, sizeof path, "logs/%s", names[i]);
        char *expected = vector_text(path, ".expected");
        EXPECT_TEXT(text, expected);
        free(expected);
        free(text);
        fclose(in);
    }
}

/* What can be between the fields and around the lines of the same log. */
static void blanks_separate_as_in_java(void)
{
    static const char *const logs[] = {
        "Tag=A,0.5,1,2," GOOD "\n1.5,1,2," GOOD "\n",
        "Tag=A 0.5 1 2 " GOOD "\n1.5 1 2 " GOOD,
        "Tag=A,0.5,1,2," GOOD " \n1.5,1,2," GOOD " \t\n",
        "Tag=A, 0.5, 1 ,2\t" GOOD ",\n  1.5,  1,2, " GOOD ", and more\n",
        "\xEF\xBB\xBF#[Histogram log format version 1.01]\r\n\r\nTag=A,0.5,1,NaN," GOOD
        "\r\n1.5,1,Infinity," GOOD "\r\n",
        "\xEF\xBB\xBFTag=A,0.5,1,2," GOOD "\r1.5,1,2," GOOD "\r",
        "\"StartTimestamp\",\"Interval_Length\"\n  \n #comment\nTag=A,0.5,1,2," GOOD
        "\n#[Histogram log format version 1.4]\n#[StartTime: yesterday]\n#[BaseTime: "
        "]\n1.5,1,2," GOOD,
    };
    char *first = NULL;
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        FILE *file = tmpfile();
        fputs(logs[i], file);
        rewind(file);
        char *text = text_of_log(file, "log");
        EXPECT_TEXT(text, first ? first : text);
        EXPECT(strncmp(text, "A 500 1500 digits 3 ", 20) == 0 &&
               strstr(text, "\n- 1500 2500 digits 3 "));
        first ? free(text) : (void)(first = text);
        fclose(file);
    }
    free(first);
}

static void what_lauka_says_about_its_logs_is_understood_again(void)
{
    static const struct lauka_hlog_about all[] = {
        {"wall_time", "ns", 0, "lower", false}, {"ipc", "1", 4, "neither", false},
        {"peak_rss", "B", 0, "lower", true},    {"speed in km", "B/s", 3, "higher", true},
        {"a, b in", "1", 9, "higher", false},   {"x", "ns", 6, "neither", false},
        {"x in ns", "1", 0, "lower", false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct lauka_hlog_about again;
        char text[LAUKA_HLOG_ABOUT_SIZE];
        lauka_hlog_about_format(&all[i], text, sizeof text);
        EXPECT(strncmp(text, "lauka: ", 7) == 0);
        EXPECT(lauka_hlog_about_parse(text + 7, &again));
        EXPECT_TEXT(again.metric, all[i].metric);
        EXPECT_TEXT(again.unit, all[i].unit);
        EXPECT_TEXT(again.better, all[i].better);
        EXPECT(again.decimals == all[i].decimals);
        EXPECT(again.by_benchmark == all[i].by_benchmark);
    }
    struct lauka_hlog_about none;
    EXPECT(!lauka_hlog_about_parse("", &none));
    EXPECT(!lauka_hlog_about_parse("ipc, histograms hold the value times 12", &none));
    EXPECT(!lauka_hlog_about_parse(" in ns", &none));
}

static void a_log_is_read_as_it_was_written(void)
{
    struct lauka_hlog_interval written = {.tag = "A.wall", .offset = 1.5, .length = 0.25}, read;
    struct lauka_hlog log;
    char error[256];
    FILE *file = tmpfile();
    EXPECT(lauka_histogram_init(&written.histogram, NULL) == 0);
    lauka_histogram_record_count(&written.histogram, 123456789, 42);
    EXPECT(lauka_hlog_write_header("lauka", 1700259200.25, file) == 0);
    EXPECT(lauka_hlog_write(&written, 1e6, file) == 0);
    written.tag[0] = '\0';
    EXPECT(lauka_hlog_write(&written, 1e6, file) == 0);
    rewind(file);
    lauka_hlog_open(&log, file, "-");
    for (int i = 0; i < 2; i++) {
        EXPECT(lauka_hlog_read(&log, &read, error, sizeof error) == LAUKA_HLOG_INTERVAL);
        EXPECT_TEXT(read.tag, i == 0 ? "A.wall" : "");
        EXPECT(read.offset == 1.5 && read.length == 0.25 && read.start == 1700259201.75);
        EXPECT_UINT(lauka_histogram_total(&read.histogram), 42);
        EXPECT_UINT(highest_at(&read.histogram, 0), highest_at(&written.histogram, 0));
        lauka_histogram_done(&read.histogram);
    }
    EXPECT(lauka_hlog_read(&log, &read, error, sizeof error) == LAUKA_HLOG_END);
    lauka_hlog_close(&log);
    fclose(file);
    lauka_histogram_done(&written.histogram);
}

static void what_no_log_can_hold_is_not_written(void)
{
    struct lauka_hlog_interval interval = {.length = 1};
    const char *tags[] = {"a b", "a,b", "a\nb", "\x1b[2J"};
    FILE *file = tmpfile();
    EXPECT(lauka_histogram_init(&interval.histogram, NULL) == 0);
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        snprintf(interval.tag, sizeof interval.tag, "%s", tags[i]);
        EXPECT(lauka_hlog_write(&interval, 1, file) == EINVAL);
    }
    interval.tag[0] = '\0';
    interval.length = NAN;
    EXPECT(lauka_hlog_write(&interval, 1, file) == EINVAL);
    EXPECT(lauka_hlog_write_header("a\nb", 0, file) == EINVAL);
    EXPECT(lauka_hlog_write_header("a", INFINITY, file) == EINVAL);
    EXPECT(ftell(file) == 0);
    fclose(file);
    lauka_histogram_done(&interval.histogram);
}

static void check_damaged(const char *line, size_t size, const char *expected)
{
    struct lauka_hlog_interval interval;
    struct lauka_hlog log;
    char error[256] = "";
    FILE *file = tmpfile();
    fputs("#[comment]\n\n", file);
    fwrite(line, 1, size, file);
    rewind(file);
    lauka_hlog_open(&log, file, "bad\x1b.hlog");
    enum lauka_hlog_status status = lauka_hlog_read(&log, &interval, error, sizeof error);
    EXPECT(status == (expected ? LAUKA_HLOG_ERROR : LAUKA_HLOG_INTERVAL));
    if (expected) {
        EXPECT(strncmp(error, "bad\\x1b.hlog:3: ", 16) == 0);
        EXPECT(strcmp(error + strlen(error) - strlen(expected), expected) == 0);
    }
    EXPECT(!strpbrk(error, "\r\n\x1b"));
    if (status == LAUKA_HLOG_INTERVAL)
        lauka_histogram_done(&interval.histogram);
    lauka_hlog_close(&log);
    fclose(file);
}

static void a_damaged_log_is_refused_with_file_line_and_reason(void)
{
    static const struct {
        const char *line, *reason;
    } cases[] = {
        {"0,1,2," GOOD, NULL},
        {"Tag=x,-0.5,1e3,2," GOOD "\r\n", NULL},
        {" 0,-1,2," GOOD "," GOOD, NULL},
        {"Tag=x", "not start, length, maximum and histogram"},
        {"Tag=a b,0,1,2," GOOD, "not start, length, maximum and histogram"},
        {"Tag=\x1b[2J,0,1,2," GOOD, "a tag with control characters"},
        {"0,1,2", "there is no histogram"},
        {"0,1," GOOD, "not start, length, maximum and histogram"},
        {"0,,2," GOOD, "not start, length, maximum and histogram"},
        {"0,1,," GOOD, "not start, length, maximum and histogram"},
        {"nan,1,2," GOOD, "not start, length, maximum and histogram"},
        {"0x1,1,2," GOOD, "not start, length, maximum and histogram"},
        {"1e999,1,2," GOOD, "not start, length, maximum and histogram"},
        {"0,1,2,", "there is no histogram"},
        {"0,1,2,HIST", "too short for a histogram"},
        {"0,1,2," GOOD "!", "not base64"},
        {"0,1,2," GOOD "==" GOOD, "not base64"},
        {"#[Histogram log format version 2.0]", "a version of the log format that is not 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_damaged(cases[i].line, strlen(cases[i].line), cases[i].reason);
    check_damaged("0,1\0,2," GOOD, 60, "a NUL byte");
}

static void endless_lines_and_malformed_histograms_are_refused(void)
{
    cJSON *cases = vector_json("BAD"), *one;
    cJSON_ArrayForEach(one, cases)
    {
        char line[4096];
        struct lauka_histogram histogram;
        const char *base64 = vector_string(one, "base64"), *reason = NULL;
        if (lauka_hdr_text_decode(base64, strlen(base64), &histogram, NULL, &reason) == 0)
            lauka_histogram_done(&histogram);
        snprintf(line, sizeof line, "Tag=A,0.1,0.2,0.3,%s\n", base64);
        check_damaged(line, strlen(line), reason);
    }
    cJSON_Delete(cases);
    size_t size = (64u << 20) + 100;
    char *endless = malloc(size);
    memset(endless, 'A', size);
    check_damaged(endless, size, "a line of more than 64 MiB");
    free(endless);
}

/* ---- percentiles for people ---- */

static struct lauka_histogram_summary summary_of(struct lauka_histogram *histogram, bool exact)
{
    const struct lauka_histogram_options options = {.digits = 2, .min = 10000, .max = 30000};
    struct lauka_moments moments;
    struct lauka_histogram_summary summary;
    lauka_moments_init(&moments);
    if (lauka_histogram_init(histogram, &options) != 0)
        exit(1);
    for (uint64_t value = 20000; value < 30000; value++)
        if (lauka_histogram_record_count(histogram, value, value % 7 + 100))
            lauka_moments_add_count(&moments, value, value % 7 + 100);
    lauka_histogram_record_count(histogram, 40000, 1234);
    lauka_histogram_summarize(histogram, exact ? &moments : NULL, &summary);
    return summary;
}

static void a_histogram_fits_one_line(void)
{
    struct lauka_histogram histogram;
    struct lauka_histogram_summary summary = summary_of(&histogram, true);
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    EXPECT_TEXT(lauka_say_histogram(&prose, &summary, "wall"),
                "wall: Total=1,029,998, Overflow=1,234, Mean=24,999.5, P0=20,032, P25=22,464, "
                "P50=25,024, P90=28,992, P95=29,504, P99=29,888, P999=30,016, P100=30,016");
    lauka_histogram_done(&histogram);
    EXPECT(lauka_histogram_init(&histogram, NULL) == 0);
    lauka_histogram_summarize(&histogram, NULL, &summary);
    EXPECT_TEXT(lauka_say_histogram(&prose, &summary, "a\nb"), "a\\x0ab: Total=0, Overflow=0");
    EXPECT(lauka_prose_done(&prose) == 0);
    lauka_histogram_done(&histogram);
}

static void check_table(const char *name, FILE *out)
{
    char path[512], *text = content_of(out);
    snprintf(path, sizeof path, "%s/%s", "tests/goldens", name);
    FILE *golden = fopen(path, getenv("LAUKA_UPDATE_GOLDENS") ? "w+b" : "rb");
    if (!golden) {
        perror(path);
        exit(1);
    }
    if (getenv("LAUKA_UPDATE_GOLDENS"))
        fputs(text, golden);
    fseek(golden, 0, SEEK_END);
    char *expected = content_of(golden);
    EXPECT_TEXT(text, expected);
    free(expected);
    free(text);
}

static void a_histogram_is_shown_as_a_table(void)
{
    struct lauka_histogram histogram;
    FILE *exact = tmpfile(), *ascii = tmpfile();
    struct lauka_histogram_summary summary = summary_of(&histogram, true);
    struct lauka_prose prose = lauka_prose_begin(exact, LAUKA_PLAIN_UTF8);
    lauka_put_histogram(&prose, &summary, "wall_time of `./base`");
    EXPECT(lauka_prose_end(&prose) == 0);
    lauka_histogram_done(&histogram);
    summary = summary_of(&histogram, false);
    prose = lauka_prose_begin(ascii, (struct lauka_terminal){.width = 80});
    lauka_put_histogram(&prose, &summary, "Histogram\x1b");
    EXPECT(lauka_prose_end(&prose) == 0);
    check_table("histogram.md", exact);
    check_table("histogram_ascii.md", ascii);
    lauka_histogram_done(&histogram);
}

static void two_histograms_are_shown_side_by_side(void)
{
    struct lauka_histogram histogram, few;
    struct lauka_histogram_summary summary = summary_of(&histogram, true), other;
    EXPECT(lauka_histogram_init(&few, NULL) == 0);
    for (uint64_t i = 0; i < 30; i++)
        lauka_histogram_record(&few, 10000 + 100 * i);
    lauka_histogram_summarize(&few, NULL, &other);
    const struct lauka_histogram_difference difference = {
        .title = "wall_time",
        .reference_name = "./base",
        .other_name = "./new | a name that is far too long for a column",
        .reference = &summary,
        .other = &other,
        .cohens_d = {true, -3.25},
    };
    FILE *out = tmpfile();
    struct lauka_prose prose = lauka_prose_begin(out, LAUKA_PLAIN_UTF8);
    lauka_put_histogram_difference(&prose, &difference);
    EXPECT(lauka_prose_end(&prose) == 0);
    check_table("histogram_difference.md", out);
    lauka_histogram_done(&histogram);
    lauka_histogram_done(&few);
}

static void numbers_are_grouped(void)
{
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    EXPECT_TEXT(lauka_say_grouped(&prose, 0, 0), "0");
    EXPECT_TEXT(lauka_say_grouped(&prose, 999, 0), "999");
    EXPECT_TEXT(lauka_say_grouped(&prose, 1000, 0), "1,000");
    EXPECT_TEXT(lauka_say_grouped(&prose, 1234567.894, 2), "1,234,567.89");
    EXPECT_TEXT(lauka_say_grouped(&prose, -12345.6, 1), "-12,345.6");
    EXPECT_TEXT(lauka_say_grouped(&prose, -0.001, 1), "0.0");
    EXPECT_TEXT(lauka_say_grouped(&prose, 999999.999, 1), "1,000,000.0");
    EXPECT_TEXT(lauka_say_count(&prose, UINT64_MAX), "18,446,744,073,709,551,615");
    EXPECT(lauka_prose_done(&prose) == 0);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        hdr_vectors = argv[1];
    TEST(what_java_c_and_go_wrote_is_read);
    TEST(what_is_written_is_what_java_writes);
    TEST(what_is_written_is_read_again);
    TEST(what_is_malformed_is_refused_with_a_reason);
    TEST(percentiles_are_printed_like_java_does);
    TEST(levels_end_where_doubles_do);
    TEST(logs_of_java_and_c_are_read);
    TEST(logs_of_other_libraries_are_read_as_java_reads_them);
    TEST(blanks_separate_as_in_java);
    TEST(what_lauka_says_about_its_logs_is_understood_again);
    TEST(a_log_is_read_as_it_was_written);
    TEST(what_no_log_can_hold_is_not_written);
    TEST(a_damaged_log_is_refused_with_file_line_and_reason);
    TEST(endless_lines_and_malformed_histograms_are_refused);
    TEST(a_histogram_fits_one_line);
    TEST(a_histogram_is_shown_as_a_table);
    TEST(two_histograms_are_shown_side_by_side);
    TEST(numbers_are_grouped);
    return expect_report("hdr");
}
