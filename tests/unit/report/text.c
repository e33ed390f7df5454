/* Units, safe text, and the terminal. */
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/expect.h"
#include "tests/unit/goldens.h"

/* ---- units ------------------------------------------------------------------------------------------- */

static void expect_scaled(double value, const char *unit, const char *number, const char *suffix)
{
    char text[64];
    struct lauka_scale scale = lauka_scale_for(value, unit, true);
    EXPECT_TEXT(lauka_format_scaled(value, scale, text, sizeof text), number);
    EXPECT_TEXT(scale.suffix, suffix);
}

static void numbers_have_four_significant_digits(void)
{
    expect_scaled(0, "ns", "0", "ns");
    expect_scaled(1, "ns", "1", "ns");
    expect_scaled(12.5, "ns", "12.50", "ns");
    expect_scaled(999.94, "ns", "999.9", "ns");
    expect_scaled(999.96, "ns", "1.000", "µs");
    expect_scaled(12345, "ns", "12.35", "µs");
    expect_scaled(99996, "ns", "100.0", "µs");
    expect_scaled(1e9, "ns", "1.000", "s");
    expect_scaled(12345e9, "ns", "12345", "s");
    expect_scaled(1023, "B", "1023", "B");
    expect_scaled(1024, "B", "1.000", "KiB");
    expect_scaled(1023.4 * 1024, "B", "1023", "KiB");
    expect_scaled(1023.6 * 1024, "B", "1.000", "MiB");
    expect_scaled(123456789, "1", "123.5", "M");
    expect_scaled(0x1p64, "1", "18.45", "E");
    expect_scaled(0x1p64, "B", "16.00", "EiB");
    EXPECT_TEXT(lauka_scale_for(5000, "ns", false).suffix, "us");
}

static void expect_digits(double mean, double value, const char *expected)
{
    char text[64];
    struct lauka_scale seconds = lauka_scale_chosen(lauka_scale_named("s", "ns"), "ns", true);
    struct lauka_scale scale = lauka_scale_with_digits(seconds, mean);
    EXPECT_TEXT(lauka_format_scaled(value, scale, text, sizeof text), expected);
}

static void what_is_below_one_keeps_four_digits(void)
{
    expect_digits(3755e3, 3755e3, "0.003755");
    expect_digits(3755e3, 24.49e3, "0.000024"); /* a standard deviation */
    expect_digits(3755e3, 0, "0");
    expect_digits(0.5e9, 0.5e9, "0.5000");
    expect_digits(0.99996e9, 0.99996e9, "1.000");
    expect_digits(3755e3, 12.345e9, "12.35");
    expect_digits(12, 12, "0.000000012");
}

static void a_common_scale_lets_the_small_be_seen(void)
{
    EXPECT_TEXT(lauka_scale_for_range(12e6, 13e6, "ns", true).suffix, "ms");
    EXPECT_TEXT(lauka_scale_for_range(5e5, 2e9, "ns", true).suffix, "ms");
    EXPECT_TEXT(lauka_scale_for_range(12e6, 1.2e9, "ns", true).suffix, "ms");
    EXPECT_TEXT(lauka_scale_for_range(0.3e9, 2e9, "ns", true).suffix, "s");
    EXPECT_TEXT(lauka_scale_for_range(1e3, 5e9, "ns", true).suffix, "ms");
    EXPECT_TEXT(lauka_scale_for_range(0, 0, "ns", true).suffix, "ns");
    EXPECT_TEXT(lauka_scale_for_range(0.004, 0.005, "1", true).suffix, "");
    EXPECT_TEXT(lauka_scale_for_range(0.000012, 0.004, "1", true).suffix, "µ");
    EXPECT_TEXT(lauka_scale_for_range(0.000012, 4, "1", true).suffix, "");
}

static void expect_change(double ratio, const char *expected)
{
    EXPECT_TEXT(lauka_say_change(&ascii_prose, ratio), expected);
}

static void changes_are_signed(void)
{
    expect_change(1, "0 %");
    expect_change(1.0234, "+2.34 %");
    expect_change(0.995, "-0.50 %");
    expect_change(0.99999, "0 %");
    expect_change(0, "-100.0 %");
    expect_change(3.5, "+250.0 %");
    expect_change(13.34, "+1234 %");
    EXPECT_TEXT(lauka_say_change(&prose, 0.995), "−0.50 %");
    EXPECT_TEXT(lauka_say_effect(&ascii_prose, -1.5), "-1.50");
    EXPECT_TEXT(lauka_say_effect(&ascii_prose, 19.74), "+19.7");
    EXPECT_TEXT(lauka_say_effect(&prose, -123456), "−>999");
}

static void numbers_for_machines_are_exact(void)
{
    char text[64];
    EXPECT_TEXT(lauka_format_exact(0.1, text, sizeof text), "0.1");
    EXPECT_TEXT(lauka_format_exact(0.1 + 0.2, text, sizeof text), "0.30000000000000004");
    EXPECT_TEXT(lauka_format_exact(0x1p53 - 1, text, sizeof text), "9007199254740991");
    EXPECT_TEXT(lauka_format_decimal(0, 9, text, sizeof text), "0");
    EXPECT_TEXT(lauka_format_decimal(1, 9, text, sizeof text), "0.000000001");
    EXPECT_TEXT(lauka_format_decimal(1500000000, 9, text, sizeof text), "1.5");
    EXPECT_TEXT(lauka_format_decimal(400000000, 15, text, sizeof text), "0.0000004");
    EXPECT_TEXT(lauka_format_decimal(100000000, 20, text, sizeof text), "0.000000000001");
    EXPECT_TEXT(lauka_format_decimal(123456789, 34, text, sizeof text), "1.23456789e-26");
    EXPECT_TEXT(lauka_format_decimal(7, 38, text, sizeof text), "7e-38");
    EXPECT_TEXT(lauka_format_decimal(52, -11, text, sizeof text), "5200000000000");
    EXPECT_TEXT(lauka_format_decimal(52, -30, text, sizeof text), "5.2e31");
    EXPECT_TEXT(lauka_format_decimal(0, -30, text, sizeof text), "0");
    EXPECT_TEXT(lauka_format_decimal(0, 30, text, sizeof text), "0");
    EXPECT_TEXT(lauka_format_decimal(UINT64_MAX, -9, text, sizeof text),
                "1.8446744073709551615e28");
    EXPECT_TEXT(lauka_format_json_decimal(UINT64_C(100000000000000000), 17, text, sizeof text),
                "1");
    EXPECT_TEXT(lauka_format_json_decimal(UINT64_C(100000000000000001), 17, text, sizeof text),
                "\"1.00000000000000001\"");
    EXPECT_TEXT(lauka_format_json_decimal(UINT64_MAX, 47, text, sizeof text),
                "\"1.8446744073709551615e-28\"");
    EXPECT_TEXT(lauka_format_decimal(20000000000, 9, text, sizeof text), "20");
    EXPECT_TEXT(lauka_format_decimal(UINT64_MAX, 9, text, sizeof text), "18446744073.709551615");
    EXPECT_TEXT(lauka_format_json_integer(0, text, sizeof text), "0");
    EXPECT_TEXT(lauka_format_json_integer(UINT64_MAX, text, sizeof text),
                "\"18446744073709551615\"");
}

static void expect_duration(const char *text, uint64_t expected)
{
    uint64_t ns = 7;
    EXPECT(lauka_parse_duration(text, &ns));
    EXPECT_UINT(ns, expected);
}

static void durations_are_read(void)
{
    expect_duration("0", 0);
    expect_duration("1.5", 1500000000);
    expect_duration(".5s", 500000000);
    expect_duration("30s", 30000000000);
    expect_duration("250ms", 250000000);
    expect_duration("2m", 120000000000);
    expect_duration("1h", 3600000000000);
    expect_duration("0.1", 100000000);
    expect_duration("100us", 100000);
    expect_duration("100µs", 100000);
    expect_duration("5ns", 5);
    expect_duration("9223372036.854775807", INT64_MAX);
    expect_duration("0.0000000001", 0);
    expect_duration("5m30s", 330000000000);
    expect_duration("1h2m3s4ms5us6ns", 3723004005006);
    expect_duration("1m0.5s", 60500000000);
    expect_duration("2562047h47m16s854ms775us807ns", INT64_MAX);
}

static void what_is_no_duration_is_refused(void)
{
    static const char *const wrong[] = {
        "",
        ".",
        "s",
        "-1",
        "+1",
        "1e3",
        "1 s",
        " 1",
        "1s ",
        "1.2.3",
        "1 min",
        "1d",
        "nan",
        "0x10",
        "inf",
        "1,5",
        "9223372036.854775808",
        "99999999999999999999999h",
        "2562048h",
        "30s5m",
        "1m1m",
        "5m30",
        "30m 5s",
        "2562047h47m16s854ms775us808ns",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint64_t ns = 7;
        EXPECT(!lauka_parse_duration(wrong[i], &ns));
        EXPECT_UINT(ns, 7);
    }
}

/* ---- text -------------------------------------------------------------------------------------------- */

static void width_is_counted_in_columns(void)
{
    EXPECT(lauka_display_width("") == 0);
    EXPECT(lauka_display_width("abc") == 3);
    EXPECT(lauka_display_width("µs ± σ") == 6);
    EXPECT(lauka_display_width("你好") == 4);
    EXPECT(lauka_display_width("e\xCC\x81") == 1);
    EXPECT(lauka_display_width("\x1b[1;31mred\x1b[0m") == 3);
    EXPECT(lauka_display_width("⚡") == 2);
    EXPECT(lauka_display_width("\xff") == 1);
}

static void expect_safe(const char *text, bool in_utf8, const char *expected)
{
    char *printed = NULL, *safe = lauka_safe_text(text, in_utf8);
    size_t size = 0;
    FILE *out = open_memstream(&printed, &size);
    lauka_print_safely(text, in_utf8, out);
    fclose(out);
    EXPECT_TEXT(printed, expected);
    EXPECT_TEXT(safe, expected);
    free(printed);
    free(safe);
}

static void what_could_drive_a_terminal_is_made_visible(void)
{
    expect_safe("plain 'text' \\ ~", true, "plain 'text' \\ ~");
    expect_safe("\x1b[2J\a\b\t\r\n\x7f", true, "\\x1b[2J\\x07\\x08\\x09\\x0d\\x0a\\x7f");
    expect_safe("é 你", true, "é 你");
    expect_safe("é", false, "\\xc3\\xa9");
    expect_safe("\xc2\x9b"
                "31m",
                true, "\\xc2\\x9b31m");                   /* CSI as one byte */
    expect_safe("\xe2\x80\xae", true, "\\xe2\\x80\\xae"); /* right-to-left override */
    expect_safe("\xe2\x81\xa6", true, "\\xe2\\x81\\xa6"); /* left-to-right isolate */
    expect_safe("\xc0\xaf\xed\xa0\x80", true,
                "\\xc0\\xaf\\xed\\xa0\\x80"); /* overlong encoding, surrogate */
    expect_safe("\xf4\x90\x80\x80", true, "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
    expect_safe("a\xe4\xbd", true, "a\\xe4\\xbd");                 /* truncated */
}

static void expect_fit(const char *text, int width, bool in_utf8, const char *expected)
{
    char *fitted = lauka_fit_text(text, width, in_utf8);
    EXPECT_TEXT(fitted, expected);
    free(fitted);
}

static void long_text_loses_its_middle(void)
{
    expect_fit("./program", 9, true, "./program");
    expect_fit("./program", 8, true, "./pr…ram");
    expect_fit("./program", 8, false, "./p...am");
    expect_fit("./program", 2, true, "./");
    expect_fit("你好你好你好", 7, true, "你…好");
    expect_fit("e\xCC\x81"
               "abcde\xCC\x81",
               3, true, "e\xCC\x81…e\xCC\x81");
}

static void marks_without_end_are_cut(void)
{
    char text[2001];
    text[0] = 'e';
    for (size_t i = 1; i < 1999; i += 2)
        memcpy(text + i, "\xCC\x81", 2);
    text[1999] = 0;
    char *fitted = lauka_fit_text(text, 10, true);
    EXPECT(strlen(fitted) <= 40);
    free(fitted);
}

static void expect_wrapped(const char *text, int indent, int width, const char *expected)
{
    char *wrapped = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&wrapped, &size);
    EXPECT(lauka_print_wrapped(text, indent, width, true, out) == 0);
    fclose(out);
    EXPECT_TEXT(wrapped, expected);
    free(wrapped);
}

static void expect_folded(const char *text, int width, const char *expected)
{
    char *folded = NULL, *spent = strdup(text);
    size_t size = 0;
    FILE *out = open_memstream(&folded, &size);
    lauka_print_folded(spent, width, out);
    fclose(out);
    EXPECT_TEXT(folded, expected);
    for (char *line = strtok(folded, "\n"); line; line = strtok(NULL, "\n"))
        EXPECT(lauka_display_width(line) <= width);
    free(folded);
    free(spent);
}

static void lines_of_tables_are_folded_where_they_are_too_wide(void)
{
    expect_folded("", 20, "");
    expect_folded("one\n\n  two  three\n", 20, "one\n\n  two  three\n");
    expect_folded("                       mean", 20, "                mean"); /* moved */
    expect_folded("wall_time            9.23 ms\nnext\n", 20, "wall_time\n  9.23 ms\nnext\n");
    expect_folded("    c1 (2)  +111.9 % slower\n", 20, "    c1 (2)  +111.9 %\n      slower\n");
    expect_folded("abcdefghijklmnopqrstuvwxyz\n", 20, "abcdefghijklmnopqrst\n  uvwxyz\n");
    expect_folded("\x1b[1mab\x1b[0m cdefgh ijklmno pqrs\n", 20,
                  "\x1b[1mab\x1b[0m cdefgh ijklmno\n  pqrs\n");
    expect_folded("äääääääääääääääääääää 名前名前名前名前名前名前\n", 20,
                  "ääääääääääääääääääää\n  ä\n  名前名前名前名前名\n  前名前\n");
}

static void lines_break_between_words(void)
{
    expect_wrapped("", 0, 20, "\n");
    expect_wrapped("one two three", 0, 8, "one two\nthree\n");
    expect_wrapped("one two three", 2, 8, "one\n  two\n  three\n");
    expect_wrapped("abcdefghij", 0, 4, "abcd\nefgh\nij\n");
    /* Such a path must be easy to copy. */
    expect_wrapped("from /sys/bus/cpu/list", 0, 10, "from\n/sys/bus/\ncpu/list\n");
    expect_wrapped("/abcdefg", 0, 4, "/abc\ndefg\n");
    expect_wrapped("took 12.34 ms ± 0.20 ms", 0, 10, "took\n12.34 ms\n± 0.20 ms\n");
    expect_wrapped("slower [1.2, 3.0] so", 0, 13, "slower\n[1.2, 3.0] so\n");
    /* Names are whole, if they can be. */
    expect_wrapped("than `gzip -1 ab` is", 0, 14, "than\n`gzip -1 ab`\nis\n");
    expect_wrapped("`gzip -1 ab` than `gzip -9 ab` is", 0, 24,
                   "`gzip -1 ab` than\n`gzip -9 ab` is\n");
    expect_wrapped("than `gzip -1 a b c d e f` is", 0, 14, "than `gzip\n-1 a b c d e\nf` is\n");
    expect_wrapped("`gzip -1 a b c d e f` is", 0, 14, "`gzip -1 a b c\nd e f` is\n");
}

/* ---- the terminal ------------------------------------------------------------------------------------ */

static void forget_environment(void)
{
    static const char *const names[] = {"NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR",
                                        "CLICOLOR", "TERM",           "COLUMNS",
                                        "LC_ALL",   "LC_CTYPE",       "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

static struct lauka_terminal detect(enum lauka_color_choice choice)
{
    int pipes[2];
    EXPECT(pipe(pipes) == 0);
    struct lauka_terminal terminal = lauka_terminal_detect(pipes[1], choice);
    close(pipes[0]);
    close(pipes[1]);
    return terminal;
}

static void colours_follow_the_option_and_then_the_environment(void)
{
    forget_environment();
    EXPECT(!detect(LAUKA_COLOR_AUTO).color); /* a pipe */
    setenv("CLICOLOR_FORCE", "0", 1);
    EXPECT(!detect(LAUKA_COLOR_AUTO).color);
    setenv("FORCE_COLOR", "1", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).color);
    setenv("TERM", "dumb", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).color);
    setenv("NO_COLOR", "", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).color);
    setenv("NO_COLOR", "1", 1);
    EXPECT(!detect(LAUKA_COLOR_AUTO).color);
    EXPECT(detect(LAUKA_COLOR_ALWAYS).color);
    EXPECT(!detect(LAUKA_COLOR_NEVER).color);
    forget_environment();
}

static void width_and_characters_follow_the_environment(void)
{
    forget_environment();
    EXPECT(detect(LAUKA_COLOR_AUTO).width == 80);
    EXPECT(!detect(LAUKA_COLOR_AUTO).utf8);
    setenv("COLUMNS", "132", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).width == 132);
    setenv("COLUMNS", "3", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).width == 20);
    setenv("COLUMNS", "wide", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).width == 80);
    setenv("LANG", "de_DE.utf8", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).utf8);
    setenv("LC_ALL", "C", 1);
    EXPECT(!detect(LAUKA_COLOR_AUTO).utf8);
    setenv("LC_ALL", "", 1);
    setenv("LC_CTYPE", "UTF-8", 1);
    setenv("LANG", "C", 1);
    EXPECT(detect(LAUKA_COLOR_AUTO).utf8);
    forget_environment();
}

int main(void)
{
    prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    ascii_prose = lauka_prose_begin(NULL, (struct lauka_terminal){.width = 80});
    TEST(numbers_have_four_significant_digits);
    TEST(what_is_below_one_keeps_four_digits);
    TEST(a_common_scale_lets_the_small_be_seen);
    TEST(changes_are_signed);
    TEST(numbers_for_machines_are_exact);
    TEST(durations_are_read);
    TEST(what_is_no_duration_is_refused);
    TEST(width_is_counted_in_columns);
    TEST(what_could_drive_a_terminal_is_made_visible);
    TEST(long_text_loses_its_middle);
    TEST(marks_without_end_are_cut);
    TEST(lines_break_between_words);
    TEST(lines_of_tables_are_folded_where_they_are_too_wide);
    TEST(colours_follow_the_option_and_then_the_environment);
    TEST(width_and_characters_follow_the_environment);
    EXPECT(lauka_prose_done(&prose) == 0 && lauka_prose_done(&ascii_prose) == 0);
    return expect_report("text");
}
