/* runner/base: regular expressions of the static release, beside those of the C library that runs this. */
#include "tests/unit/expect.h"

#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int own_regcomp(regex_t *restrict regex, const char *restrict pattern, int flags);
int own_regexec(const regex_t *restrict regex, const char *restrict text, size_t count,
                regmatch_t matches[restrict], int flags);
void own_regfree(regex_t *regex);
size_t own_regerror(int error, const regex_t *restrict regex, char *restrict text, size_t size);

#define regcomp own_regcomp
#define regexec own_regexec
#define regfree own_regfree
#define regerror own_regerror
#ifdef REG_NOERROR /* glibc calls it otherwise */
#define __opaque buffer
#endif
#include "runner/base/linux/regex.c"
#undef regcomp
#undef regexec
#undef regfree
#undef regerror

enum { FLAGS = REG_EXTENDED | REG_NEWLINE };

struct outcome {
    int failure;
    regmatch_t matches[2];
};

static struct outcome own_outcome(const char *pattern, const char *text, int flags)
{
    struct outcome outcome = {0};
    regex_t regex;

    outcome.failure = own_regcomp(&regex, pattern, FLAGS);
    if (outcome.failure)
        return outcome;
    outcome.failure = own_regexec(&regex, text, 2, outcome.matches, flags);
    own_regfree(&regex);
    return outcome;
}

static struct outcome their_outcome(const char *pattern, const char *text, int flags)
{
    struct outcome outcome = {0};
    regex_t regex;

    outcome.failure = regcomp(&regex, pattern, FLAGS);
    if (outcome.failure)
        return outcome;
    outcome.failure = regexec(&regex, text, 2, outcome.matches, flags);
    regfree(&regex);
    return outcome;
}

static bool is_same(const regmatch_t *own, const regmatch_t *theirs)
{
    return own->rm_so == theirs->rm_so && own->rm_eo == theirs->rm_eo;
}

static void expect_same(const char *pattern, const char *text, int flags)
{
    struct outcome own = own_outcome(pattern, text, flags);
    struct outcome theirs = their_outcome(pattern, text, flags);
    bool same = own.failure == theirs.failure &&
                (own.failure || (is_same(&own.matches[0], &theirs.matches[0]) &&
                                 is_same(&own.matches[1], &theirs.matches[1])));

    EXPECT(same);
    if (!same)
        printf("  \"%s\" in \"%s\": %d %d-%d %d-%d instead of %d %d-%d %d-%d\n", pattern, text,
               own.failure, own.matches[0].rm_so, own.matches[0].rm_eo, own.matches[1].rm_so,
               own.matches[1].rm_eo, theirs.failure, theirs.matches[0].rm_so,
               theirs.matches[0].rm_eo, theirs.matches[1].rm_so, theirs.matches[1].rm_eo);
}

static const char *const patterns[] = {
    "latency=([0-9.]+)",
    "^latency=([0-9]+)$",
    "([0-9]+) *ms",
    "total:[[:space:]]*([0-9.eE+-]+)",
    ".*([0-9]+)",
    ".*[^0-9]([0-9]+)",
    "^([^ ]+) MB/s",
    "(a|ab)(c|bcd)?",
    "time: ([0-9]+(\\.[0-9]+)?)",
    "([0-9]{2,3})",
    "([0-9]{2})",
    "([0-9]{2,})x",
    "x{0}([0-9])",
    "x?y*([0-9]+)z{0,2}",
    "(x*)",
    "\\$([0-9]+)",
    "[]a-c]([0-9]+)",
    "[^]a-c]([0-9]+)",
    "[a-]([0-9]+)",
    "([[:alpha:]]+)",
    "\\<([0-9]+)\\>",
    "\\b([0-9]+)\\B",
    "\\w+ (\\w+)",
    "\\s(\\S+)$",
    "(|a)b",
    "a||(b)",
    "()",
    "(^a|b)",
    "(a$)",
    "([.]|[*])",
    "(\\(|\\))",
    "a.(.)",
    "(ms|m|s)",
    "([[:digit:]]+)([[:punct:]])?",
    "^$",
    "(rate|throughput): ([0-9]+)",
    "([^\n]+)\n",
    "((a)|b)+",
    "([0-9]+(,[0-9]{3})*)",
};
static const char *const texts[] = {
    "",
    "latency=12.5",
    "a latency=12\nlatency=3\n",
    "total:\t 1e-3 ms",
    "12ms 3 ms 456 ms",
    "90.5 MB/s",
    "abcd",
    "ababcbcd",
    "time: 3.25s",
    "12345x",
    "xxy007zzz",
    "$99 and $100",
    "]1 -2 b3 d4",
    "one two  three",
    "rate: 10\nthroughput: 2000",
    "1,234,567",
    "\n\n",
    "(*.)",
    "m s ms",
    "b\nab\na",
    "caf\xc3\xa9 12 \xff",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
};

static void numbers_are_found_as_the_c_library_finds_them(void)
{
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
            expect_same(patterns[p], texts[t], 0);
            expect_same(patterns[p], texts[t], REG_NOTBOL);
            expect_same(patterns[p], texts[t], REG_NOTEOL);
        }
}

static unsigned draw(uint32_t *state, unsigned count)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 16) % count;
}

/* Random patterns: where the match is. What groups hold in such is told by libraries in several ways, and musl finds
 * other matches if ^ or $ are repeated. */
static void random_patterns_match_as_they_do_there(void)
{
    static const char *const pieces[] = {"a", "b", "c",    "(",    ")",   "|",     "*",  "+",
                                         "?", ".", "[ab]", "[^a]", "{2}", "{1,2}", "\n", "ab"};
    uint32_t state = 7;
    int compared = 0;

    for (int i = 0; i < 20000; i++) {
        char pattern[64] = "", text[16];
        for (unsigned left = 1 + draw(&state, 8); left > 0; left--)
            strcat(pattern, pieces[draw(&state, sizeof pieces / sizeof *pieces)]);
        size_t length = draw(&state, sizeof text);
        for (size_t c = 0; c < length; c++)
            text[c] = "abc\n"[draw(&state, 4)];
        text[length] = '\0';
        struct outcome own = own_outcome(pattern, text, 0),
                       theirs = their_outcome(pattern, text, 0);
        if (theirs.failure > REG_NOMATCH || own.failure > REG_NOMATCH)
            continue; /* what is a mistake differs */
        compared++;
        bool same = own.failure == theirs.failure &&
                    (own.failure || is_same(&own.matches[0], &theirs.matches[0]));
        EXPECT(same);
        if (!same)
            printf("  \"%s\" in \"%s\": %d %d-%d instead of %d %d-%d\n", pattern, text, own.failure,
                   own.matches[0].rm_so, own.matches[0].rm_eo, theirs.failure,
                   theirs.matches[0].rm_so, theirs.matches[0].rm_eo);
    }
    EXPECT(compared > 5000);
}

static void mistakes_have_their_names(void)
{
    static const struct {
        const char *pattern;
        int failure;
        const char *text;
    } mistakes[] = {
        {"(", REG_EPAREN, "Missing ')'"},
        {"[a", REG_EBRACK, "Missing ']'"},
        {"a\\", REG_EESCAPE, "Trailing backslash"},
        {"*a", REG_BADRPT, "Repetition not preceded by valid expression"},
        {"(+)", REG_BADRPT, "Repetition not preceded by valid expression"},
        {"a{2,1}", REG_BADBR, "Invalid contents of {}"},
        {"a{300}", REG_BADBR, "Invalid contents of {}"},
        {"[b-a]", REG_ERANGE, "Invalid character range"},
        {"[[:none:]]", REG_ECTYPE, "Unknown character class name"},
        {"[[.a.]]", REG_ECOLLATE, "Unknown collating element"},
        {"\\x{41", REG_EBRACE, "Missing '}'"},
        {"((a{200}){200}){200}", REG_ESPACE, "Out of memory"},
    };
    char text[64], cut[8];
    regex_t regex;

    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        EXPECT(own_regcomp(&regex, mistakes[i].pattern, FLAGS) == mistakes[i].failure);
        own_regerror(mistakes[i].failure, &regex, text, sizeof text);
        EXPECT(strcmp(text, mistakes[i].text) == 0);
    }
    EXPECT(own_regcomp(&regex, "a", REG_EXTENDED) == REG_BADPAT); /* of which it knows nothing */
    EXPECT(own_regerror(REG_BADPAT, &regex, cut, sizeof cut) == strlen("Invalid regexp") + 1);
    EXPECT(strcmp(cut, "Invalid") == 0);
}

static void escapes_are_those_of_c(void)
{
    static const char *const escapes[][2] = {
        {"\\t", "\t"}, {"\\x41", "A"}, {"\\x{42}", "B"}, {"\\e", "\033"}, {"\\d\\D\\w\\W", "1a_-"}};

    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        struct outcome outcome = own_outcome(escapes[i][0], escapes[i][1], 0);
        EXPECT(!outcome.failure && outcome.matches[0].rm_so == 0 &&
               (size_t)outcome.matches[0].rm_eo == strlen(escapes[i][1]));
    }
    EXPECT(own_outcome("\\W", "\n", 0).failure == REG_NOMATCH);
}

/* Where all ways are tried one after the other, this takes for ever. */
static void time_is_that_of_text_by_pattern(void)
{
    enum { LENGTH = 5000 };
    static char text[LENGTH + 1], deep[1200];

    memset(text, 'a', LENGTH);
    EXPECT(own_outcome("((a*)*)*b", text, 0).failure == REG_NOMATCH);
    EXPECT(own_outcome("(a|aa|aaa)*(a?){20}$", text, 0).matches[0].rm_eo == LENGTH);
    memset(deep, '(', sizeof deep - 1);
    EXPECT(own_outcome(deep, "a", 0).failure == REG_ESPACE);
}

int main(void)
{
    TEST(numbers_are_found_as_the_c_library_finds_them);
    TEST(random_patterns_match_as_they_do_there);
    TEST(mistakes_have_their_names);
    TEST(escapes_are_those_of_c);
    TEST(time_is_that_of_text_by_pattern);
    return expect_report("regex");
}
