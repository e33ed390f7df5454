/* Regular expressions of --read: which are taken, and what they find. */
#include "tests/unit/expect.h"

#include "runner/command/command.h"

enum { WHY = 300 };

/* ---- finding ---- */

/* In pieces of that many bytes; NULL for what is not found. Static. */
static const char *found_in_pieces(const char *expression, const char *text, size_t piece)
{
    static char value[LAUKA_SEARCH_VALUE + 1];
    char why[WHY];
    const char *found;
    size_t length, end = 0, size = strlen(text);
    uint64_t begin = 0;
    struct lauka_pattern *pattern = lauka_pattern_make(expression, why, sizeof why);
    struct lauka_search *search = pattern ? lauka_search_open(pattern, NULL, NULL) : NULL;

    if (!search) {
        printf("%s: %s\n", expression, why);
        return NULL;
    }
    do {
        end = end + piece < size ? end + piece : size;
        const struct lauka_window window = {text + begin, begin, end - begin, end == size};
        uint64_t needed = lauka_search_run(search, &window);
        EXPECT(needed >= begin && needed <= end);
        begin = needed;
    } while (end < size);
    bool is = lauka_search_result(search, &found, &length) == LAUKA_SEARCH_FOUND;
    memcpy(value, found, length);
    value[length] = '\0';
    lauka_search_close(search);
    lauka_pattern_free(pattern);
    return is ? value : NULL;
}

static void expect_found(const char *expression, const char *text, const char *expected)
{
    static const size_t pieces[] = {1, 2, 3, 7, 1000};

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        const char *found = found_in_pieces(expression, text, pieces[i]);
        if (expected)
            EXPECT_TEXT(found, expected);
        else
            EXPECT(!found);
    }
}

static void the_last_of_the_leftmost_longest_matches_counts(void)
{
    expect_found("lat ([0-9.]+)", "lat 1.5\nlat 2.25\nlate", "2.25");
    expect_found("([0-9]+)", "a 123 b 45c", "45");
    expect_found("took=.*([0-9]+) ms", "took=12 ms, 345 ms", "5");
    expect_found("took=[^0-9]*([0-9]+) ms", "took=about 345 ms", "345");
    expect_found("x(a|ab)b?c?", "xabc", "ab");
    expect_found("(a|ab|abc)", "abcd", "abc");
    expect_found("one: ([0-9]+)|two", "one: 5 two", "5");
    expect_found("([0-9]+)", "none", NULL);
}

static void a_line_is_the_limit_unless_it_is_named(void)
{
    expect_found("^a=([0-9]+)$", "b=1\na=22\nc", "22");
    expect_found("^a=([0-9]+)$", " a=22\na=3 ", NULL);
    expect_found("a.*([0-9])", "a\n1", NULL);
    expect_found("a[^x]*([0-9])", "a\n1", NULL);
    expect_found("a[[:space:]]+([0-9])", "a \n\n 1", "1");
    expect_found("([0-9])$", "1\n2", "2");
}

static void repetitions_brackets_and_ordinary_characters(void)
{
    expect_found("a{2,3}(b)", "ab aab", "b");
    expect_found("^a{2}(b*)$", "aabbb", "bbb");
    expect_found("a{,2}([0-9]{1,})", "aaa77", "77");
    expect_found("(x?){3}y", "xxy", "");
    expect_found("x(ab){2,}", "xababab", "ab");
    expect_found("a+\\.\\[(.)]", "aa.[z]", "z");
    expect_found("[]^-]([^]x]+)]", "-ab]", "ab");
    expect_found("([[:digit:][.].].]+)", "a.5]", ".5]");
    expect_found("[[=a=]]([a-c0-9.-]+)", "xa-c.9", "-c.9");
    expect_found("[\\.](.)", "\\5", "5");
    expect_found("\\{\"ms\": ([0-9]+)}", "{\"ms\": 12}", "12");
    expect_found("\302\265s=([0-9]+)", "12\302\265s=5", "5");
}

/* ---- refusing ---- */

static void expect_refused(const char *expression, const char *what)
{
    char why[WHY];

    if (lauka_pattern_make(expression, why, sizeof why))
        printf("%s is accepted\n", expression), strcpy(why, "");
    EXPECT(strstr(why, what));
    if (!strstr(why, what))
        printf("  %s: %s\n", expression, why);
}

static void other_dialects_are_refused_with_what_to_write(void)
{
    expect_refused("(\\d+)", "no \\d: write [0-9]");
    expect_refused("(\\w+)", "write [[:alnum:]_]");
    expect_refused("\\s(a)", "write [[:space:]]");
    expect_refused("(\\S+)", "write [^[:space:]]");
    expect_refused("\\bx(a)", "no \\b");
    expect_refused("(\\tx)", "write [[:blank:]]");
    expect_refused("\\Qx\\E(a)", "no \\Q: write a backslash before each");
    expect_refused("\\x41(a)", "a backslash only makes special characters ordinary");
    expect_refused("(a)\\1", "no \\1: what a group found");
    expect_refused("\\<(a)", "no \\<");
    expect_refused("done.*?([0-9]+)", "no lazy *?: repetitions take as much as they can");
    expect_refused("x+?(a)", "no lazy +?");
    expect_refused("x?"
                   "?(a)",
                   "no lazy ?"
                   "?");
    expect_refused("x{2,}?(a)", "no lazy }?");
    expect_refused("([0-9]++)", "no possessive ++");
    expect_refused("x*+(a)", "no possessive *+");
    expect_refused("(?:a|b)(c)", "no (?:");
    expect_refused("(?P<n>[0-9]+)", "no (?P");
    expect_refused("(?<n>[0-9]+)", "no (?<");
    expect_refused("(a)(?=b)", "no (?=");
    expect_refused("(?i)(a)", "no (?i");
    expect_refused("([\\d.]+)",
                   "inside [] a backslash is an ordinary character: for \\d write 0-9");
    expect_refused("([\\w-]+)", "[:alnum:]_");
    expect_refused("([^\\]]+)", "put a ] first, as in []x] and [^]x]");
    expect_refused("([0-9\\-]+)", "put a - last");
    expect_refused("[^\\n]*(a)", "for \\n write [:space:]");
}

static void what_is_not_valid_is_refused(void)
{
    expect_refused("(a", "( without )");
    expect_refused("a)(b)", ") without (");
    expect_refused("([a)", "[ without ]");
    expect_refused("([[:digit:)", "[: without :]");
    expect_refused("([[:foo:]])", "unknown name");
    expect_refused("([z-a])", "a range inside [] ends before it begins");
    expect_refused("([[.ab.]])", "enclose one character");
    expect_refused("*(a)", "nothing that * could repeat");
    expect_refused("(+a)", "nothing that + could repeat");
    expect_refused("(a|*b)", "nothing that * could repeat");
    expect_refused("^*(a)", "nothing that * could repeat");
    expect_refused("a**(b)", "** repeats a repetition");
    expect_refused("{(a)", "is written \\{");
    expect_refused("a{x(a)", "is written \\{");
    expect_refused("a{3,2}(a)", "ends before it begins");
    expect_refused("(a)\\", "nothing follows the last backslash");
    expect_refused("a", "there are 0");
    expect_refused("((a)b)", "there are 2");
    expect_refused("((a{0,50}){0,50}){0,50}", "there are 2");
    expect_refused("(a{0,50}){0,50}", "too large");
    expect_refused("(a{99999999999999999999})", "too large");
}

/* ---- limits ---- */

static bool never(void *context)
{
    ++*(int *)context;
    return false;
}

/* How it ends in such a text of many bytes. */
static enum lauka_search_end end_of(const char *expression, size_t size, int *asked)
{
    char why[WHY], *text = malloc(size + 1);
    const char *value;
    size_t length;
    struct lauka_pattern *pattern = lauka_pattern_make(expression, why, sizeof why);
    struct lauka_search *search =
        text && pattern ? lauka_search_open(pattern, asked ? never : NULL, asked) : NULL;

    EXPECT(search != NULL);
    if (search) {
        memset(text, 'a', size);
        const struct lauka_window window = {text, 0, size, true};
        lauka_search_run(search, &window);
    }
    enum lauka_search_end end = search ? lauka_search_result(search, &value, &length) : 0;
    lauka_search_close(search);
    lauka_pattern_free(pattern);
    free(text);
    return end;
}

static void no_text_makes_a_search_take_long(void)
{
    int asked = 0;

    EXPECT(end_of("(a|a)*b", 300000, NULL) == LAUKA_SEARCH_NOTHING);
    EXPECT(end_of("(a*)*b", 300000, NULL) == LAUKA_SEARCH_NOTHING);
    EXPECT(end_of("(a*)b", LAUKA_SEARCH_LONGEST + 2, NULL) == LAUKA_SEARCH_LONG);
    EXPECT(end_of("(a*)b|a", 30000, NULL) == LAUKA_SEARCH_ENDLESS);
    EXPECT(end_of("b|(a)", 30000, NULL) == LAUKA_SEARCH_FOUND);
    EXPECT(end_of("(a*)b", 1000000, &asked) == LAUKA_SEARCH_STOPPED && asked == 1);
}

int main(void)
{
    TEST(the_last_of_the_leftmost_longest_matches_counts);
    TEST(a_line_is_the_limit_unless_it_is_named);
    TEST(repetitions_brackets_and_ordinary_characters);
    TEST(other_dialects_are_refused_with_what_to_write);
    TEST(what_is_not_valid_is_refused);
    TEST(no_text_makes_a_search_take_long);
    return expect_report("pattern");
}
