/* The table of a live process's threads, with and without counts, on one core type and on two. */
#include <stdlib.h>

#include "report/json/json.h"
#include "report/result/threads.h"
#include "report/terminal/terminal.h"
#include "report/text/text.h"
#include "stats/stats.h"
#include "tests/unit/expect.h"

static struct lauka_thread_figures figures(double user, double system)
{
    return (struct lauka_thread_figures){.time = lauka_known(user + system),
                                         .user = lauka_known(user),
                                         .system = lauka_known(system)};
}

static struct lauka_thread_figures counted(double user, double system, double cycles, double ipc)
{
    struct lauka_thread_figures all = figures(user, system);
    all.cycles = lauka_known(cycles);
    all.instructions = lauka_known(cycles * ipc);
    return all;
}

/* How the time divides into user and system time is unknown. */
static struct lauka_thread_figures on_type(double time, double cycles, double ipc)
{
    struct lauka_thread_figures all = counted(time, 0, cycles, ipc);
    all.user = all.system = (struct lauka_optional){0};
    return all;
}

enum { ROWS = 3 };

static struct lauka_thread_row rows[ROWS];

static struct lauka_thread_report plain_report(void)
{
    rows[0] = (struct lauka_thread_row){.id = 7, .name = "main", .total = figures(1.25, 0.5)};
    rows[1] =
        (struct lauka_thread_row){.id = 1234567, .name = "a long name\nin two lines, of a thread"};
    rows[1].total = figures(0.001, 0);
    rows[2] = (struct lauka_thread_row){.id = 9, .name = "unknown"};
    return (struct lauka_thread_report){.pid = 7,
                                        .name = "main",
                                        .type_count = 1,
                                        .rows = rows,
                                        .count = ROWS,
                                        .gone = figures(0, 0),
                                        .total = figures(1.251, 0.5)};
}

/* Covers an interval of one second, on performance and efficiency cores. */
static struct lauka_thread_report report_of_types(void)
{
    struct lauka_thread_report report = plain_report();
    report.seconds = 1.0004;
    report.type_count = 2;
    report.types[0] = "P";
    report.types[1] = "E";
    report.ended = 2;
    report.gone = figures(0.01, 0);
    rows[0].types[0] = on_type(1.25, 4e9, 1.5);
    rows[0].types[1] = on_type(0.5, 1e9, 0.75);
    rows[1].types[0] = on_type(0, 0, 0);
    rows[1].types[1] = on_type(0.001, 1.5e6, 1);
    rows[1].types[1].estimated = true;
    return report;
}

/* Freed by the caller. */
static char *table_of(const struct lauka_thread_report *report, int width, bool utf8)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct lauka_prose prose =
        lauka_prose_begin(out, (struct lauka_terminal){.width = width, .utf8 = utf8});
    lauka_put_threads(&prose, report);
    EXPECT(lauka_prose_end(&prose) == 0);
    fclose(out);
    return text;
}

static void expect_table(const struct lauka_thread_report *report, int width, const char *expected)
{
    char *text = table_of(report, width, false);
    EXPECT_TEXT(text, expected);
    free(text);
}

static void times_since_the_beginning(void)
{
    struct lauka_thread_report report = plain_report();
    expect_table(&report, 60,
                 "main (7): 3 threads, since each began\n"
                 " thread  cpu ms  user ms  system ms  name\n"
                 "      7    1750     1250      500.0  main\n"
                 "1234567   1.000    1.000          0  a long nam...f a thread\n"
                 "      9       -        -          -  unknown\n"
                 "    all    1751     1251      500.0\n");
}

static void counts_of_an_interval(void)
{
    struct lauka_thread_report report = plain_report();
    report.seconds = 2;
    report.user_only = true;
    report.note = "something to know";
    rows[0].total = counted(1.25, 0.5, 4.5e9, 1.25);
    report.total = counted(1.251, 0.5, 4.5e9, 1.25);
    rows[0].total.estimated = true;
    expect_table(
        &report, 90,
        "main (7): 3 threads, in 2.000 s\n"
        " thread  cpu ms    load  user ms  system ms  cycles:u G  instr:u G  IPC:u  name\n"
        "      7    1750  87.5 %     1250      500.0      ~4.500     ~5.625  ~1.25  main\n"
        "1234567   1.000   0.1 %    1.000          0           -          -      -  "
        "a long...thread\n"
        "      9       -       -        -          -           -          -      -  unknown\n"
        "    all    1751  87.5 %     1251      500.0       4.500      5.625   1.25\n"
        "note: something to know\n");
}

static void types_of_core_have_their_own_columns(void)
{
    struct lauka_thread_report report = report_of_types();
    rows[1].name = "second";
    expect_table(
        &report, 110,
        "main (7): 3 threads, in 1.000 s\n"
        "                                              |P                      |E\n"
        " thread  cpu ms     load  user ms  system ms  cpu ms  cycles M   IPC  cpu ms  cycles M"
        "    IPC  name\n"
        "      7    1750  174.9 %     1250      500.0    1250      4000  1.50   500.0      1000"
        "   0.75  main\n"
        "1234567   1.000    0.1 %    1.000          0       0         0     -   1.000    ~1.500"
        "  ~1.00  second\n"
        "      9       -        -        -          -       -         -     -       -         -"
        "      -  unknown\n"
        "  ended   10.00    1.0 %    10.00          0"
        "                                                   2 threads\n"
        "    all    1751  175.0 %     1251      500.0\n");
}

/* Numbers as taskinfo(1) of macOS reports them: 1152.03 mJ in 0.334611 s are 3.44 W. */
static void energy_power_and_frequency_are_told_by_type_of_core(void)
{
    struct lauka_thread_report report = report_of_types();
    report.count = 1;
    report.ended = 0;
    report.gone = figures(0, 0);
    rows[0].types[0] = on_type(0.334611, 1173.36e6, 3.211);
    rows[0].types[1] = on_type(0.091745, 175.17e6, 1.046);
    rows[0].types[0].ghz = lauka_known(3.5066);
    rows[0].types[1].ghz = lauka_known(1.9093);
    rows[0].types[1].estimated = true;
    rows[0].types[0].energy = lauka_known(1.15203);
    rows[0].types[1].energy = lauka_known(0.01463);
    rows[0].types[0].power = lauka_known(3.4429);
    rows[0].types[1].power = lauka_known(0.15946);
    rows[0].total.energy = lauka_known(1.16666); /* for all types: not shown */
    char *text = table_of(&report, 160, true);
    EXPECT(strstr(text, " 3.51  1.152  3.443 ") && strstr(text, " ~1.91  0.015  0.159 "));
    EXPECT(strstr(text, "  GHz      J      W  ") && !strstr(text, "1.167"));
    free(text);
}

/* Names and the most important numbers keep their columns. */
static void a_narrow_terminal_goes_without_columns(void)
{
    struct lauka_thread_report report = report_of_types();
    for (int width = 20; width <= 140; width++) {
        char *text = table_of(&report, width, true);
        for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            EXPECT(width < 45 || lauka_display_width(line) <= width);
            EXPECT(!*line || end[-1] != ' ');
        }
        free(text);
    }
}

static void what_others_wrote_is_made_safe(void)
{
    struct lauka_thread_report report = plain_report();
    rows[0].name = "\x1b[31mred";
    report.name = "\x1b[2J";
    char *text = table_of(&report, 80, true);
    EXPECT(!strchr(text, '\x1b'));
    EXPECT(strstr(text, "\\x1b[31mred"));
    free(text);
}

static void json_is_one_line(void)
{
    struct lauka_thread_report report = report_of_types();
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    EXPECT_UINT((uint64_t)lauka_write_threads_json(&report, out), 0);
    fclose(out);
    EXPECT(strchr(text, '\n') == text + size - 1);
    EXPECT(strstr(text, "\"types\":{\"P\":{\"time\":1.25,\"user\":null,\"system\":null,"
                        "\"cycles\":4000000000,\"instructions\":6000000000,\"ipc\":1.5,"));
    EXPECT(strstr(text, "{\"id\":9,\"name\":\"unknown\",\"new\":false,\"time\":null,"));
    EXPECT(strstr(text, "\"seconds\":1.0004,"));
    EXPECT(strstr(text, "\"ghz\":null,\"energy\":null,\"power\":null,"));
    free(text);
}

int main(void)
{
    TEST(times_since_the_beginning);
    TEST(counts_of_an_interval);
    TEST(types_of_core_have_their_own_columns);
    TEST(energy_power_and_frequency_are_told_by_type_of_core);
    TEST(a_narrow_terminal_goes_without_columns);
    TEST(what_others_wrote_is_made_safe);
    TEST(json_is_one_line);
    return expect_report("thread_table");
}
