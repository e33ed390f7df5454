/* The command line as options, and the arena that they live in. */
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "runner/options/table.h"

#include "tests/unit/expect.h"

static struct lauka_arena arena; /* of commands and options */

static void an_arena_without_memory_goes_on_where_it_says(void)
{
    jmp_buf exhausted;
    char **words = NULL;
    size_t count = 0;

    EXPECT(!lauka_arena_take(&arena, SIZE_MAX - 1)); /* there is no such place */
    if (setjmp(exhausted) == 0) {
        arena.exhausted = &exhausted;
        for (size_t i = 0; i < 1000; i++) {
            char **added = lauka_arena_add(&arena, &words, &count, sizeof *added);
            EXPECT((uintptr_t)added % sizeof(void *) == 0);
            *added = lauka_arena_print(&arena, "%zu", i);
        }
        EXPECT_UINT(count, 1000);
        EXPECT_TEXT(words[999], "999");
        EXPECT_TEXT(words[0], "0");
        lauka_arena_take(&arena, SIZE_MAX - 1);
        EXPECT(false);
    }
    EXPECT(!arena.exhausted);
    lauka_arena_done(&arena);
}

/* ---- options.c --------------------------------------------------------------------------------------- */

static bool parse(struct lauka_options *options, struct lauka_error *error,
                  const char *const *words)
{
    static struct lauka_arguments arguments; /* lives as long as the options */
    static char *own[16];
    size_t count = 0;

    for (; words[count]; count++)
        own[count] = (char *)(uintptr_t)words[count];
    lauka_arena_done(&arena);
    memset(options, 0, sizeof *options);
    return lauka_words_read(&arena, own, NULL, count, &arguments, error) &&
           lauka_options_parse(&arguments, options, error);
}

#define PARSE(options, error, ...) parse(options, error, (const char *const[]){__VA_ARGS__, NULL})

static void defaults_are_those_of_the_documentation(void)
{
    struct lauka_options options;
    struct lauka_error error;

    EXPECT(PARSE(&options, &error, "a", "b"));
    EXPECT_UINT(options.run.command_count, 2);
    EXPECT_UINT(options.measure.warmup, 1);
    EXPECT_UINT(options.measure.rounds, 0);
    EXPECT_UINT(options.measure.min_rounds, 10);
    EXPECT_UINT(options.measure.max_time_ns, 5000000000u);
    EXPECT(PARSE(&options, &error, "--max-time", "250ms", "a"));
    EXPECT_UINT(options.measure.min_rounds, 10);
    EXPECT_UINT(options.measure.max_time_ns, 250000000u);
}

static void only_an_exact_first_word_is_a_verb(void)
{
    struct lauka_options options;
    struct lauka_error error;

    EXPECT(PARSE(&options, &error, "run", "run"));
    EXPECT_UINT(options.run.command_count, 1);
    EXPECT_TEXT(options.run.commands[0].argv[0], "run");
    EXPECT(PARSE(&options, &error, "./run", "running"));
    EXPECT_UINT(options.run.command_count, 2);
}

static void argument_vectors_follow_two_dashes(void)
{
    struct lauka_options options;
    struct lauka_error error;

    EXPECT(PARSE(&options, &error, "-r", "3", "--", "a", "-r", "$x", "--vs", "b", "*"));
    EXPECT_UINT(options.run.command_count, 2);
    EXPECT_UINT(options.measure.rounds, 3);
    EXPECT_TEXT(options.run.commands[0].label, "a -r '$x'");
    EXPECT_TEXT(options.run.commands[1].argv[1], "*");
    EXPECT(!PARSE(&options, &error, "--", "--vs", "b"));
    EXPECT(!PARSE(&options, &error, "--", "a", "--vs"));
    EXPECT(!PARSE(&options, &error, "--"));
    EXPECT(PARSE(&options, &error, "--", "/bin/sh", "/bin/ls"));
    EXPECT(strstr(options.hint, "put --vs between two: "));
}

static void options_may_follow_commands(void)
{
    struct lauka_options options;
    struct lauka_error error;

    EXPECT(PARSE(&options, &error, "a", "-w", "0", "b", "--runs=7", "-i=1,2"));
    EXPECT_UINT(options.run.command_count, 2);
    EXPECT_UINT(options.measure.warmup, 0);
    EXPECT_UINT(options.measure.rounds, 7);
    EXPECT(options.run.accept_exit_code[2] && !options.run.accept_exit_code[3]);
    EXPECT(!options.run.accept_all_failures);
}

static void wrong_values_name_their_option(void)
{
    static const char *const wrong[][2] = {
        {"--runs", "0"},
        {"--runs", "x"},
        {"--runs", "-1"},
        {"--runs", "1e3"},
        {"--warmup", ""},
        {"--seed", "99999999999999999999"},
        {"--max-time", "fast"},
        {"--max-time", "-1"},
        {"--color", "green"},
        {"--backend", "magic"},
        {"--backend", "simulated:x"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct lauka_options options;
        struct lauka_error error = {.text = ""};
        EXPECT(!PARSE(&options, &error, wrong[i][0], wrong[i][1], "a"));
        EXPECT(error.code == LAUKA_EXIT_USAGE);
        EXPECT(strncmp(error.text, wrong[i][0], strlen(wrong[i][0])) == 0);
    }
}

static void a_row_tells_its_default_once_and_has_an_id_of_its_own(void)
{
    char help[OPTION_HELP_SIZE];

    for (size_t i = 0; i < lauka_option_count; i++) {
        const struct option_row *row = &lauka_option_rows[i];
        EXPECT((strstr(row->help, "{}") != NULL) == (row->standard != NULL));
        EXPECT(!strstr(option_help(row, help), "{}"));
        EXPECT(strlen(help) + 1 < sizeof help);
        EXPECT(row->id == 0 || option_row_of(row->id) == row);
    }
}

static void what_is_wrong_leaves_the_other_options_in_the_list(void)
{
    static char runs[] = "--runs", wrong[] = "--no-such-option", bisect[] = "--bis", end[] = "--",
                quiet[] = "--quiet";
    struct lauka_arguments arguments;
    struct lauka_error error = {.text = ""};

    EXPECT(!lauka_words_read(&arena, (char *[]){runs, wrong, bisect, end, quiet},
                             (size_t[]){3, 4, 5, 6, 7}, 5, &arguments, &error));
    EXPECT(strncmp(error.text, "--runs needs a value before --no-such-option", 44) == 0);
    EXPECT_UINT(arguments.failed_line, 3);
    EXPECT(lauka_arguments_find(&arguments, OPTION_BISECT));
    EXPECT(!lauka_arguments_find(&arguments, OPTION_QUIET));
    EXPECT_UINT(arguments.vector_count, 1);
    lauka_arena_done(&arena);
}

static void only_one_document_may_take_stdout(void)
{
    struct lauka_options options;
    struct lauka_error error;

    EXPECT(!PARSE(&options, &error, "--json", "--csv=-", "a"));
    EXPECT(strstr(error.text, "stdout"));
    EXPECT(PARSE(&options, &error, "--json", "--csv=x", "a"));
}

int main(void)
{
    TEST(an_arena_without_memory_goes_on_where_it_says);
    TEST(defaults_are_those_of_the_documentation);
    TEST(only_an_exact_first_word_is_a_verb);
    TEST(argument_vectors_follow_two_dashes);
    TEST(options_may_follow_commands);
    TEST(wrong_values_name_their_option);
    TEST(a_row_tells_its_default_once_and_has_an_id_of_its_own);
    TEST(what_is_wrong_leaves_the_other_options_in_the_list);
    TEST(only_one_document_may_take_stdout);
    return expect_report("options");
}
