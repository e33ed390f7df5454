/* git's messages, as one line. */
#include "runner/revisions/revisions.h"
#include "tests/unit/expect.h"

static void expect_joined(const char *lines, const char *expected)
{
    char text[LAUKA_GIT_MESSAGE_SIZE];

    lauka_git_join(lines, text);
    EXPECT_TEXT(text, expected);
}

static void a_message_over_several_lines_is_one_sentence(void)
{
    expect_joined("The following paths and/or pathspecs matched paths that exist\n"
                  "outside of your sparse-checkout definition, so will not be\n"
                  "updated in the index:\n"
                  "e/x\n"
                  "hint: If you intend to update such entries, try one of the following:\n"
                  "hint: * Use the --sparse option.\n",
                  "The following paths and/or pathspecs matched paths that exist outside of your "
                  "sparse-checkout definition, so will not be updated in the index: e/x");
    expect_joined("fatal: detected dubious ownership in repository at '/x'\n"
                  "To add an exception for this directory, call:\n\n"
                  "\tgit config --global --add safe.directory /x\n",
                  "detected dubious ownership in repository at '/x'; To add an exception for this "
                  "directory, call: git config --global --add safe.directory /x");
}

static void what_failed_first_is_told_first_and_once(void)
{
    expect_joined("x: 1: x: not found\n"
                  "error: external filter 'x' failed 127\n"
                  "error: external filter 'x' failed\n"
                  "fatal: f: smudge filter x failed\n",
                  "x: 1: x: not found; external filter 'x' failed 127; f: smudge filter x failed");
    expect_joined("", "");
    expect_joined("\n \n\t\n", "");
    expect_joined("warning: in the working copy of 'a', LF will be replaced by CRLF\nfatal: no\n",
                  "no");
    expect_joined("one line without an end", "one line without an end");
}

/* Of words that differ by four digits; none is cut. */
static void check_long(const char *word, const char *first)
{
    static char lines[40000];
    char text[LAUKA_GIT_MESSAGE_SIZE];
    size_t used = (size_t)snprintf(lines, sizeof lines, "%s", first);

    for (unsigned i = 0; i < 1000; i++)
        used += (size_t)snprintf(lines + used, sizeof lines - used, "%s%04u%c", word, i,
                                 i % 7 ? ' ' : '\n');
    lauka_git_join(lines, text);
    size_t end = strlen(text);
    EXPECT(end < sizeof text && end > 4 && strcmp(text + end - 4, " ...") == 0);
    text[end - 4] = '\0';
    const char *last = strrchr(text, ' ');
    EXPECT(last && strncmp(last + 1, word, strlen(word)) == 0 &&
           strspn(last + 1 + strlen(word), "0123456789") == 4);
}

static void a_long_message_ends_between_words(void)
{
    check_long("word", "");
    check_long("W\xc3\xb6rter", "");
    check_long("word", "error: the first of them\n");
}

static void the_first_error_of_a_long_message_is_not_lost(void)
{
    char lines[3000], text[LAUKA_GIT_MESSAGE_SIZE];

    snprintf(lines, sizeof lines, "%0*d\nfatal: this is it\n", 2000, 7);
    lauka_git_join(lines, text);
    EXPECT_TEXT(text, "this is it");
}

static void advice_is_for_messages_that_are_known(void)
{
    EXPECT(
        strstr(lauka_git_advise("a; fatal: the remote end hung up unexpectedly"), "a filter of"));
    EXPECT(strstr(lauka_git_advise("could not fetch 1 from promisor remote"), "partial clone"));
    EXPECT_TEXT(lauka_git_advise("unable to write file"), "");
}

int main(void)
{
    TEST(a_message_over_several_lines_is_one_sentence);
    TEST(what_failed_first_is_told_first_and_once);
    TEST(a_long_message_ends_between_words);
    TEST(the_first_error_of_a_long_message_is_not_lost);
    TEST(advice_is_for_messages_that_are_known);
    return expect_report("refusal");
}
