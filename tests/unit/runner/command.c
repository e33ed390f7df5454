/* What is executed: words, quoting, the search along the path, hashes of files. */
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "stats/stats.h"

#include "tests/unit/expect.h"

static struct lauka_arena arena; /* of commands and options */

/* ---- command.c --------------------------------------------------------------------------------------- */

static void expect_words(const char *text, const char *const *words)
{
    struct lauka_command command;
    struct lauka_error error = {.text = ""};
    size_t i = 0;

    if (!lauka_command_parse(&arena, text, &command, &error)) {
        printf("\"%s\" is refused: %s\n", text, error.text);
        expect_ok = false;
        return;
    }
    for (; words[i] && command.argv[i]; i++)
        EXPECT_TEXT(command.argv[i], words[i]);
    EXPECT(words[i] == NULL && command.argv[i] == NULL);
    EXPECT_TEXT(command.label, text);
    lauka_arena_done(&arena);
}

#define EXPECT_WORDS(text, ...) expect_words(text, (const char *const[]){__VA_ARGS__, NULL})

static void expect_refused(const char *text, const char *reason)
{
    struct lauka_command command;
    struct lauka_error error = {.text = ""};

    if (lauka_command_parse(&arena, text, &command, &error)) {
        printf("\"%s\" is not refused\n", text);
        expect_ok = false;
        lauka_arena_done(&arena);
        return;
    }
    EXPECT(error.code == LAUKA_EXIT_USAGE);
    if (!strstr(error.text, reason)) {
        printf("\"%s\" is refused with \"%s\", not with \"%s\"\n", text, error.text, reason);
        expect_ok = false;
    }
}

static void words_are_split_by_the_shells_quoting_rules(void)
{
    EXPECT_WORDS("a", "a");
    EXPECT_WORDS("  a \t b  ", "a", "b");
    EXPECT_WORDS("a 'b c' d", "a", "b c", "d");
    EXPECT_WORDS("a \"b c\"d", "a", "b cd");
    EXPECT_WORDS("a ''", "a", "");
    EXPECT_WORDS("a \"\" b", "a", "", "b");
    EXPECT_WORDS("a\\ b", "a b");
    EXPECT_WORDS("a \\$HOME \\* \\\\", "a", "$HOME", "*", "\\");
    EXPECT_WORDS("a '$HOME `x` * \\' b", "a", "$HOME `x` * \\", "b");
    EXPECT_WORDS("a \"\\$x \\\" \\\\ \\n\"", "a", "$x \" \\ \\n");
    EXPECT_WORDS("a b\\\nc", "a", "bc");
    EXPECT_WORDS("a \"b\\\nc\"", "a", "bc");
    EXPECT_WORDS("awk '{ print $1 }' file", "awk", "{ print $1 }", "file");
}

static void characters_without_meaning_to_a_shell_pass(void)
{
    EXPECT_WORDS("find . {} +", "find", ".", "{}", "+");
    EXPECT_WORDS("a {name} a~b x#y --k=v", "a", "{name}", "a~b", "x#y", "--k=v");
    EXPECT_WORDS("a 10$ $ %d !", "a", "10$", "$", "%d", "!");
    EXPECT_WORDS("a '' \"cost: 5$\"", "a", "", "cost: 5$");
    EXPECT_WORDS("a b=c", "a", "b=c");
    EXPECT_WORDS("./b=c", "./b=c");
}

static void what_only_a_shell_would_act_on_is_refused_with_both_ways_out(void)
{
    static const char *const texts[] = {
        "a | b",    "a && b",    "a; b",       "a > b", "a < b", "a (b)",   "a `b`",
        "a $b",     "a ${b}",    "a $(b)",     "a *.c", "a b?",  "a [ab]",  "a\nb",
        "~/bin/a",  "a ~",       "a # b",      "! a",   "A=1 b", "a {b,c}", "a {1..3}",
        "a \"$b\"", "a \"`b`\"", "a \"$(b)\"", "a $?",  "a b&",  "a $'x'",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        expect_refused(texts[i], "quote it");
        expect_refused(texts[i], "-S");
    }
}

static void unfinished_text_is_refused(void)
{
    expect_refused("a 'b", "unmatched single quote");
    expect_refused("a \"b", "unmatched double quote");
    expect_refused("a b\\", "backslash");
    expect_refused("", "empty");
    expect_refused("  \t ", "empty");
}

static void quoted_arguments_split_into_themselves(void)
{
    static char words[][12] = {"./a b", "", "it's", "$x", "a\nb", "plain-1.2", "\"", "\\", "*"};
    enum { count = sizeof words / sizeof *words };
    char *argv[count];

    for (size_t i = 0; i < count; i++)
        argv[i] = words[i];
    char *text = lauka_quote_argv(&arena, argv, count);
    struct lauka_command command;
    struct lauka_error error;

    EXPECT(lauka_command_parse(&arena, text, &command, &error));
    for (size_t i = 0; i < count; i++)
        EXPECT_TEXT(command.argv[i], argv[i]);
    lauka_arena_done(&arena);
}

static void a_first_word_that_a_shell_would_act_on_is_quoted(void)
{
    static char assignment[] = "a=b", keyword[] = "if", *argv[] = {assignment, assignment};

    char *text = lauka_quote_argv(&arena, argv, 2);
    EXPECT_TEXT(text, "'a=b' a=b");
    argv[0] = argv[1] = keyword;
    text = lauka_quote_argv(&arena, argv, 2);
    EXPECT_TEXT(text, "'if' if");
    lauka_arena_done(&arena);
}

static void any_bytes_survive_quoting_and_splitting(void)
{
    struct lauka_random random;
    struct lauka_error error;

    lauka_random_seed(&random, 2026);
    for (int round = 0; round < 2000; round++) {
        char words[3][16], *argv[3];
        struct lauka_command command;
        for (int w = 0; w < 3; w++) {
            size_t length = lauka_random_below(&random, sizeof words[w]);
            for (size_t i = 0; i < length; i++)
                words[w][i] = (char)(1 + lauka_random_below(&random, 255));
            words[w][length] = '\0';
            argv[w] = words[w];
        }
        char *text = lauka_quote_argv(&arena, argv, 3);
        bool parsed = lauka_command_parse(&arena, text, &command, &error);
        EXPECT(parsed);
        for (int w = 0; parsed && w < 3; w++)
            EXPECT_TEXT(command.argv[w], argv[w]);
        lauka_arena_done(&arena);
    }
}

static void a_shell_gets_the_text_as_one_argument(void)
{
    struct lauka_command command;
    struct lauka_error error;

    EXPECT(lauka_command_for_shell(&arena, "bash --norc", "a | b", &command, &error));
    EXPECT_TEXT(command.argv[0], "bash");
    EXPECT_TEXT(command.argv[1], "--norc");
    EXPECT_TEXT(command.argv[2], "-c");
    EXPECT_TEXT(command.argv[3], "a | b");
    EXPECT(command.argv[4] == NULL);
    lauka_arena_done(&arena);
    EXPECT(!lauka_command_for_shell(&arena, "sh", "  ", &command, &error));
    lauka_arena_done(&arena);
}

static void programs_are_found_along_the_path(void)
{
    struct lauka_command command;
    struct lauka_error error;

    EXPECT(lauka_command_parse(&arena, "sh", &command, &error) &&
           lauka_command_locate(&command, &error));
    EXPECT(command.path && command.path[0] == '/');
    lauka_arena_done(&arena);
    EXPECT(lauka_command_parse(&arena, "/", &command, &error) &&
           !lauka_command_locate(&command, &error));
    EXPECT(error.code == LAUKA_EXIT_COMMAND_FAILED);
    lauka_arena_done(&arena);
    EXPECT(lauka_command_parse(&arena, "no-such-program-anywhere", &command, &error));
    EXPECT(!lauka_command_locate(&command, &error));
    EXPECT(strstr(error.text, "PATH"));
    lauka_arena_done(&arena);
}

/* ---- figure.c ---------------------------------------------------------------------------------------- */

static void quantities_of_options_limits_and_costs_have_one_grammar(void)
{
    static const struct {
        const char *text, *unit; /* NULL: it is refused */
        double value;
    } cases[] = {
        {"5", "1", 5},
        {"1.5M", "1", 1.5e6},
        {"10k", "1", 1e4},
        {"64KiB", "B", 65536},
        {"1.5 ms", "ns", 15e5},
        {"2e-7s", "ns", 200},
        {".5%", "%", 0.5},
        {"3.B", "B", 3},
        {"1e2", "1", 100},
        {"1E+2 kB", "B", 1e5},
        {"", NULL, 0},
        {".", NULL, 0},
        {"-1", NULL, 0},
        {"+1", NULL, 0},
        {" 1", NULL, 0},
        {"1 ", "1", 1},
        {"0x10", NULL, 0},
        {"inf", NULL, 0},
        {"1.2.3", NULL, 0},
        {"1e", NULL, 0},
        {"1e+", NULL, 0},
        {"1x", NULL, 0},
        {"1 kB/s", NULL, 0},
        {"1e41", NULL, 0},
        {"1e999", NULL, 0},
        {"5\n", NULL, 0},
        {"1111111111111111111111111111111111111111111111", NULL, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value;
        const struct lauka_figure_unit *unit =
            lauka_quantity_parse(cases[i].text, strlen(cases[i].text), &value);
        EXPECT_TEXT(unit ? unit->unit : "", cases[i].unit ? cases[i].unit : "");
        EXPECT_NEAR(unit ? value : 0, cases[i].value, 1e-15);
        if (!expect_ok)
            printf("%s\n", cases[i].text);
    }
    double value;
    EXPECT(lauka_quantity_parse("12345", 2, &value) &&
           value == 12); /* what follows is not looked at */
}

/* ---- sha256.c ---------------------------------------------------------------------------------------- */

static void expect_sha256(const char *text, const char *expected)
{
    uint8_t digest[LAUKA_SHA256_SIZE];
    char shown[2 * LAUKA_SHA256_SIZE + 1];
    FILE *file = tmpfile();

    EXPECT(file && fputs(text, file) >= 0);
    rewind(file);
    EXPECT(lauka_sha256(file, digest));
    fclose(file);
    for (int i = 0; i < LAUKA_SHA256_SIZE; i++)
        snprintf(shown + 2 * i, 3, "%02x", digest[i]);
    EXPECT_TEXT(shown, expected);
}

/* From FIPS 180-2, appendix B; the empty text comes from NIST's SHA256ShortMsg.rsp. */
static void sha256_is_that_of_the_standard(void)
{
    expect_sha256("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_sha256("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

int main(void)
{
    TEST(words_are_split_by_the_shells_quoting_rules);
    TEST(characters_without_meaning_to_a_shell_pass);
    TEST(what_only_a_shell_would_act_on_is_refused_with_both_ways_out);
    TEST(unfinished_text_is_refused);
    TEST(quoted_arguments_split_into_themselves);
    TEST(a_first_word_that_a_shell_would_act_on_is_quoted);
    TEST(any_bytes_survive_quoting_and_splitting);
    TEST(a_shell_gets_the_text_as_one_argument);
    TEST(programs_are_found_along_the_path);
    TEST(quantities_of_options_limits_and_costs_have_one_grammar);
    TEST(sha256_is_that_of_the_standard);
    return expect_report("command");
}
