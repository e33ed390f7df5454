/* The files of a history, damaged in every way, read and shown in every form. */
#include "tests/unit/expect.h"

#include "report/history/history.h"
#include "report/pack/pack.h"

#include <errno.h>

enum { SESSIONS = 24 };

static char *pack(const char *text, size_t length, size_t *size)
{
    char *bytes = NULL;
    FILE *to = open_memstream(&bytes, size), *gzip = lauka_gzip_open(to);
    EXPECT(gzip && fwrite(text, 1, length, gzip) == length);
    fclose(gzip);
    fclose(to);
    return bytes;
}

static int text_of(int number, char *text, size_t size)
{
    return snprintf(
        text, size,
        "lauka-history/"
        "1\tsession\ntime\t2026-01-01T%02d\nproject\tx\ncommit\t%040d\nhost\th\nmachine\tM\n"
        "circumstances\ta\tb\tc\ncommand\tp\tp\t%%09x\nunknown\tline\n"
        "row\te\tp\t\tsim_instructions\t1\tlower\t\t2\t%d\t-\t-\t-\n"
        "row\tp\tp\t\tcpu_time\tns\tlower\tkept:1\t9\t%d\t3\t%g\t0.01\n",
        number, number, 100 + number / 12, 1000 + number * 7 % 5,
        (number < 12 ? 1 : 1.5) + 0.001 * (number * 7 % 5));
}

static void read_all(struct lauka_history *history)
{
    for (int number = 0; number < SESSIONS; number++) {
        char text[2000];
        const char *why;
        size_t size;
        char *bytes = pack(text, (size_t)text_of(number, text, sizeof text), &size);
        EXPECT(lauka_history_read(history, bytes, size, "x", &why) == 0);
        free(bytes);
    }
}

static void sessions_become_series_with_steps(void)
{
    struct lauka_history history = {0};
    read_all(&history);
    EXPECT(history.session_count == SESSIONS && history.series_count == 3);
    EXPECT(history.command_count == 1);
    EXPECT_TEXT(history.commands[0].words[1], "\tx");
    EXPECT(lauka_history_search(&history, 0.05) == 0);
    EXPECT(history.step_count == 2);
    for (size_t i = 0; i < history.step_count; i++) {
        EXPECT(history.steps[i].at == 12);
        EXPECT_TEXT(lauka_certainty_names[history.steps[i].certainty],
                    i == 0 ? "certain" : "suspected");
        EXPECT_TEXT(lauka_history_kinds[history.steps[i].series->kind], i == 0 ? "exact" : "ratio");
        EXPECT(lauka_history_after(&history, &history.steps[i]) == &history.sessions[12]);
        EXPECT(lauka_history_before(&history, &history.steps[i]) == &history.sessions[11]);
    }
    lauka_history_done(&history);
}

/* Rows of the anchor come first. */
static void an_anchor_is_no_benchmark(void)
{
    static const char text[] = "lauka-history/1\tsession\ntime\t2026-01-01\n"
                               "row\ts\tp\t\tcpu_time\tns\tlower\tkept:1\t9\t1000\t3\t1\t-\n"
                               "row\tp\tp\t\tcpu_time\tns\tlower\tkept:1\t9\t1100\t3\t1.1\t0.01\n";
    struct lauka_history history = {0};
    const char *why;
    size_t size;
    char *bytes = pack(text, sizeof text - 1, &size);
    EXPECT(lauka_history_read(&history, bytes, size, NULL, &why) == 0);
    free(bytes);
    EXPECT(lauka_history_search(&history, 0.05) == 0);
    EXPECT(history.series_count == 3 && history.benchmarks == 1);
    EXPECT(history.series[0].first == SIZE_MAX && history.series[1].first == 1 &&
           history.series[2].first == 1);
    EXPECT(!history.series[0].is_searched);
    lauka_history_done(&history);
}

static void it_is_shown_in_every_form(void)
{
    struct lauka_history history = {0};
    char *text = NULL;
    size_t size = 0;
    read_all(&history);
    EXPECT(lauka_history_search(&history, 0.05) == 0);
    FILE *out = open_memstream(&text, &size);
    EXPECT(lauka_history_show(&history, (struct lauka_terminal){.width = 100, .utf8 = true}, out) ==
           0);
    EXPECT(lauka_history_write_json(&history, out) == 0);
    EXPECT(lauka_history_write_html(&history, "https://x/", out) == 0);
    fclose(out);
    EXPECT(strstr(text, "1.001 → 1.502") || strstr(text, "1.002 → 1.502"));
    EXPECT(strstr(text, "\"schema\": \"lauka-history/1\"") && strstr(text, "</html>"));
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    EXPECT(lauka_history_is_shown(&history.steps[0]));
    EXPECT(lauka_history_count(&history, LAUKA_STEP_CERTAIN) == 1);
    EXPECT_TEXT(lauka_change_text(&prose, lauka_history_change(&prose, &history.steps[0])),
                "+1.00 % exact");
    EXPECT_TEXT(lauka_history_levels(&prose, &history.steps[0]), "100 → 101");
    EXPECT_TEXT(lauka_history_certainty(&prose, &history.steps[1]), "suspected");
    EXPECT_TEXT(lauka_history_commit(&prose, &history.sessions[3]), "0000000 (2026-01-01)");
    EXPECT(strncmp(lauka_history_sum(&prose, &history), "24 sessions of 24 commits", 25) == 0);
    EXPECT_TEXT(history.steps[0].series->name, "p");
    lauka_prose_done(&prose);
    free(text);
    lauka_history_done(&history);
}

/* Every end that a file may be cut at, and every byte that may be another. */
static void a_damaged_file_adds_nothing_or_stays_readable(void)
{
    struct lauka_history history = {0};
    char text[2000];
    const char *why;
    const size_t length = (size_t)text_of(1, text, sizeof text);
    size_t size, packed;
    char *bytes = pack(text, length, &size);
    for (size_t cut = 0; cut < size; cut++)
        EXPECT(lauka_history_read(&history, bytes, cut, NULL, &why) == EINVAL && *why);
    EXPECT(history.session_count == 0 && history.series_count == 0);
    free(bytes);
    for (size_t at = 0; at < length; at++)
        for (size_t other = 0; other < 5; other++) {
            const char was = text[at];
            text[at] = "\t\n%\0x"[other];
            bytes = pack(text, length, &packed);
            const int failure = lauka_history_read(&history, bytes, packed, "x", &why);
            EXPECT(failure == 0 || failure == EINVAL);
            free(bytes);
            text[at] = was;
        }
    EXPECT(lauka_history_search(&history, 0.05) == 0);
    lauka_history_done(&history);
}

static void names_tell_time_commit_and_content(void)
{
    char name[LAUKA_ENTRY_NAME_SIZE], other[LAUKA_ENTRY_NAME_SIZE];
    const char text[] =
        "lauka-history/1\tsession\ntime\t2026-11-26T12:00:00Z\ncommit\t4f2a1c9d0ab1ffffffff\n";
    lauka_entry_name(text, sizeof text - 1, name);
    EXPECT(strncmp(name, "20261126T120000Z-4f2a1c9d0ab1-", 30) == 0);
    EXPECT_TEXT(name + strlen(name) - 9, ".lauka.gz");
    lauka_entry_name(text, sizeof text - 2, other);
    EXPECT(strcmp(name, other) != 0);
    lauka_entry_name("time\t../../etc", 14, name);
    EXPECT(!strchr(name, '/'));
    const struct lauka_history_answer answer = {
        .benchmark = "p", .side = "", .metric = "m", .before = "a", .after = "b", .first = ""};
    const struct lauka_entry_origin origin = {.time = "2026-11-26T12:00:00Z"};
    char *written = NULL;
    size_t size = 0;
    EXPECT(lauka_answer_write(&answer, &origin, &written, &size) == 0);
    lauka_entry_name(written, size, name); /* answers stand in the order of their times */
    EXPECT(strncmp(name, "20261126T120000Z-none-", 22) == 0);
    free(written);
}

static void fields_are_escaped_and_short(void)
{
    char *text = NULL, wide[400];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    memset(wide, '\n', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    lauka_entry_field("a\tb%\x1b", out);
    fputc(' ', out);
    lauka_entry_field(wide, out);
    fclose(out);
    EXPECT(strncmp(text, "a%09b%25%1B ", 12) == 0);
    EXPECT(size <= 12 + 100 && !strchr(text, '\n'));
    free(text);
}

static void the_spread_of_sessions_leaves_out_those_that_are_compared(void)
{
    struct lauka_history history = {0};
    read_all(&history);
    const double none[2] = {0, 0}, own[2] = {1000, 1001};
    EXPECT(lauka_history_spread(&history, "p", "cpu_time", "h", none).count == SESSIONS);
    EXPECT(lauka_history_spread(&history, "p", "cpu_time", "h", own).count < SESSIONS);
    EXPECT(lauka_history_spread(&history, "p", "cpu_time", "other", none).count == 0);
    EXPECT(lauka_history_spread(&history, "q", "cpu_time", "h", none).count == 0);
    lauka_history_done(&history);
}

int main(void)
{
    TEST(sessions_become_series_with_steps);
    TEST(an_anchor_is_no_benchmark);
    TEST(it_is_shown_in_every_form);
    TEST(a_damaged_file_adds_nothing_or_stays_readable);
    TEST(names_tell_time_commit_and_content);
    TEST(fields_are_escaped_and_short);
    TEST(the_spread_of_sessions_leaves_out_those_that_are_compared);
    return expect_report("history");
}
