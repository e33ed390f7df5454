/* Splitting command lines, options, schedules, and the launcher. */
#include "tests/unit/expect.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "runner/machine/machine.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/session/session.h"
#include "stats/stats.h"

/* ---- processes.c ---------------------------------------------------------------------------------- */

/* Signal 0 is sent to nobody, but kill(2) succeeds wherever it would reach somebody. */
static void only_single_processes_are_signalled_or_waited_for(void)
{
    const pid_t refused[] = {1, 0, -1, -2, -getpgrp(), INT_MIN};

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        EXPECT(!lauka_pid_is_another(refused[i]));
        errno = 0;
        EXPECT(lauka_signal_process(refused[i], 0) == -1 && errno == ESRCH);
        errno = 0;
        EXPECT(lauka_signal_group(refused[i], 0) == -1 && errno == ESRCH);
        errno = 0;
        EXPECT(lauka_await_process(refused[i], NULL, WNOHANG, NULL) == -1 && errno == ESRCH);
    }
    (void)setpgid(0, 0); /* in a container, ours may be init's */
    EXPECT(lauka_signal_process(getpid(), 0) == 0 && lauka_signal_group(getpgrp(), 0) == 0);
}

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

/* ---- command.c ------------------------------------------------------------------------------------ */

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

/* ---- sha256.c -------------------------------------------------------------------------------------- */

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

/* ---- schedule.c ------------------------------------------------------------------------------------ */

static void every_round_runs_every_command_once(void)
{
    struct lauka_schedule schedule;

    EXPECT(lauka_schedule_init(&schedule, 5, 42) == 0);
    for (int round = 0; round < 100; round++) {
        const uint32_t *order = lauka_schedule_next(&schedule);
        unsigned seen = 0;
        for (int i = 0; i < 5; i++)
            seen |= 1u << order[i];
        EXPECT_UINT(seen, 31);
    }
    lauka_schedule_done(&schedule);
}

/* In a block, every command has every place equally often, and every block has rounds in another order. */
static void blocks_of_rounds_are_balanced(void)
{
    static const struct {
        size_t commands, rounds;
    } blocks[] = {{1, 20}, {2, 10}, {3, 21}, {7, 21}, {16, 32}, {20, 20}, {50, 50}};

    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        const size_t count = blocks[b].commands;
        struct lauka_schedule schedule;
        unsigned *at = calloc(count * count, sizeof *at), different = 0;
        uint32_t *first = calloc(blocks[b].rounds, sizeof *first);

        EXPECT(at && first && lauka_schedule_init(&schedule, count, 42) == 0);
        lauka_schedule_next(&schedule);
        lauka_schedule_restart(&schedule); /* after a warm-up round */
        for (unsigned block = 1; block <= 3; block++) {
            for (size_t round = 0; round < blocks[b].rounds; round++) {
                const uint32_t *order = lauka_schedule_next(&schedule);
                for (size_t i = 0; i < count; i++)
                    at[i * count + order[i]]++;
                different += block > 1 && first[round] != order[0];
                first[round] = order[0];
            }
            for (size_t i = 0; i < count * count; i++)
                EXPECT_UINT(at[i], block * blocks[b].rounds / count);
        }
        EXPECT(count == 1 || different > 0);
        free(at);
        free(first);
        lauka_schedule_done(&schedule);
    }
}

/* Rounds are planned ahead; those that were not begun are drawn again. */
static void a_schedule_goes_back_to_where_it_was(void)
{
    struct lauka_schedule whole, ahead;
    uint32_t order[3];

    EXPECT(lauka_schedule_init(&whole, 3, 9) == 0 && lauka_schedule_init(&ahead, 3, 9) == 0);
    for (int round = 0; round < 70; round++) {
        memcpy(order, lauka_schedule_next(&ahead), sizeof order);
        EXPECT(memcmp(lauka_schedule_next(&whole), order, sizeof order) == 0);
        struct lauka_schedule_mark mark = lauka_schedule_mark(&ahead);
        for (int more = 0; more < round; more++)
            lauka_schedule_next(&ahead);
        lauka_schedule_rewind(&ahead, &mark, order);
    }
    lauka_schedule_done(&whole);
    lauka_schedule_done(&ahead);
}

static void a_dropped_round_is_run_again_in_its_order(void)
{
    struct lauka_schedule whole, broken;
    uint32_t dropped[4];

    EXPECT(lauka_schedule_init(&whole, 4, 7) == 0 && lauka_schedule_init(&broken, 4, 7) == 0);
    for (int round = 0; round < 50; round++) {
        const uint32_t *order = lauka_schedule_next(&whole);
        memcpy(dropped, lauka_schedule_next(&broken), sizeof dropped);
        lauka_schedule_drop(&broken);
        const uint32_t *again = lauka_schedule_next(&broken);
        EXPECT(memcmp(dropped, again, sizeof dropped) == 0);
        EXPECT(memcmp(order, again, sizeof dropped) == 0);
    }
    lauka_schedule_done(&whole);
    lauka_schedule_done(&broken);
}

static void expect_orders(enum lauka_order kind, const char *orders)
{
    struct lauka_schedule schedule;
    char text[64] = "";

    EXPECT(lauka_schedule_init(&schedule, 3, 42) == 0);
    schedule.kind = kind;
    lauka_schedule_next(&schedule);
    lauka_schedule_restart(&schedule); /* after a warm-up round */
    for (size_t round = 0; round < 4; round++) {
        const uint32_t *order = lauka_schedule_next(&schedule);
        for (size_t i = 0; i < 3; i++)
            strcat(text, (char[]){(char)('a' + order[i]), '\0'});
        strcat(text, " ");
    }
    EXPECT_TEXT(text, orders);
    lauka_schedule_done(&schedule);
}

static void orders_that_are_not_shuffled_begin_as_typed(void)
{
    expect_orders(LAUKA_ORDER_ABBA, "abc cba abc cba ");
    expect_orders(LAUKA_ORDER_ROTATE, "abc bca cab abc ");
    expect_orders(LAUKA_ORDER_SEQUENTIAL, "abc abc abc abc ");
}

static void equal_seeds_give_equal_rounds_and_others_do_not(void)
{
    struct lauka_schedule a, b, c;
    int differ = 0;

    EXPECT(lauka_schedule_init(&a, 3, 7) == 0 && lauka_schedule_init(&b, 3, 7) == 0 &&
           lauka_schedule_init(&c, 3, 8) == 0);
    for (int round = 0; round < 50; round++) {
        const uint32_t *x = lauka_schedule_next(&a), *y = lauka_schedule_next(&b);
        EXPECT(memcmp(x, y, 3 * sizeof *x) == 0);
        differ += memcmp(x, lauka_schedule_next(&c), 3 * sizeof *x) != 0;
    }
    EXPECT(differ > 25);
    lauka_schedule_done(&a);
    lauka_schedule_done(&b);
    lauka_schedule_done(&c);
}

/* The generator is seeded, so the counts are the same on every machine. */
static void each_command_is_first_in_about_half_of_the_rounds(void)
{
    struct lauka_schedule schedule;
    int first = 0;

    EXPECT(lauka_schedule_init(&schedule, 2, 1) == 0);
    for (int round = 0; round < 10000; round++)
        first += lauka_schedule_next(&schedule)[0] == 0;
    EXPECT(first > 4800 && first < 5200);
    lauka_schedule_done(&schedule);
}

/* ---- options.c ------------------------------------------------------------------------------------- */

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

/* ---- launcher.c ------------------------------------------------------------------------------------ */

static char *own_path; /* the launcher runs this program itself: see main */

static bool add_own(struct lauka_launcher *launcher, const char *verb, const char *number,
                    struct lauka_error *error)
{
    char *argv[] = {own_path, (char *)(uintptr_t)verb, (char *)(uintptr_t)number};
    struct lauka_command command;
    bool added = lauka_command_from_argv(&arena, argv, 3, &command, error) &&
                 lauka_command_locate(&command, error) &&
                 lauka_launcher_add(launcher, &command, error);

    lauka_arena_done(&arena);
    return added;
}

static void the_memory_of_lauka_does_not_show_in_a_command(void)
{
    struct lauka_launcher *launcher = NULL;
    struct lauka_sample sample = {.code = -1};
    struct lauka_error error = {.text = ""};
    const size_t grown = 200u << 20;

    EXPECT(lauka_launcher_open(NULL, &launcher, &error));
    char *memory = malloc(grown);
    EXPECT(memory != NULL);
    memset(memory, 1, grown);
    EXPECT(add_own(launcher, "touch", "16", &error));
    EXPECT(lauka_launcher_run(launcher, 0, &sample, &error));
    EXPECT(sample.outcome == LAUKA_EXITED && sample.code == 0);
    EXPECT(sample.usage.values[LAUKA_PEAK_RSS] > 15u << 20); /* the kernel counts in batches */
    EXPECT(sample.usage.values[LAUKA_PEAK_RSS] < 64u << 20); /* includes a sanitizer's memory */
    EXPECT(lauka_launcher_rss_floor(launcher) < 64u << 20);
    EXPECT(memory[grown / 2] == 1);
    free(memory);
    lauka_launcher_close(launcher);
}

static void the_end_of_stderr_is_kept(void)
{
    struct lauka_launcher *launcher = NULL;
    struct lauka_sample sample;
    struct lauka_error error = {.text = ""};
    size_t size = 0;

    EXPECT(lauka_launcher_open(NULL, &launcher, &error));
    EXPECT(add_own(launcher, "chatter", "100000", &error) &&
           add_own(launcher, "chatter", "2", &error));
    EXPECT(lauka_launcher_run(launcher, 0, &sample, &error));
    const char *tail = lauka_launcher_stderr(launcher, &size);
    EXPECT_UINT(size, 4096);
    EXPECT(memcmp(tail + size - 7, "\n99999\n", 7) == 0);
    EXPECT(lauka_launcher_run(launcher, 1, &sample, &error));
    tail = lauka_launcher_stderr(launcher, &size);
    EXPECT(size == 4 && memcmp(tail, "0\n1\n", 4) == 0);
    lauka_launcher_close(launcher);
}

/* What this program does when it is run as a command. */
static int be_a_command(const char *verb, long number)
{
    if (strcmp(verb, "touch") == 0) { /* NUMBER MiB of memory */
        char *memory = malloc((size_t)number << 20);
        for (long i = 0; memory && i < number << 20; i += 4096)
            ((volatile char *)memory)[i] = 1;
        free(memory);
        return memory == NULL;
    }
    if (strcmp(verb, "exit") == 0)
        return (int)number;
    if (strcmp(verb, "sleep") == 0) { /* NUMBER ms */
        nanosleep(&(struct timespec){.tv_nsec = number * 1000000}, NULL);
        return 0;
    }
    for (long i = 0; i < number; i++) /* writes lines to stderr */
        fprintf(stderr, "%ld\n", i);
    return 0;
}

/* ---- batches ---- */

enum { QUIET, SPEAKS, FAILS, SLEEPS, LATE };

static struct lauka_launcher *open_for_batches(void)
{
    struct lauka_launcher *launcher = NULL;
    struct lauka_error error = {.text = ""};

    EXPECT(lauka_launcher_open(NULL, &launcher, &error) && add_own(launcher, "exit", "0", &error) &&
           add_own(launcher, "chatter", "1", &error) && add_own(launcher, "exit", "3", &error) &&
           add_own(launcher, "sleep", "60", &error) && add_own(launcher, "sleep", "900", &error));
    return launcher;
}

/* The number of runs that are finished after one batch, or, if `again`, after as many batches as it
 * takes. */
static size_t run_batch(struct lauka_launcher *launcher, const size_t *commands, size_t count,
                        struct lauka_sample *samples, bool again)
{
    struct lauka_launch launches[LAUKA_BATCH_MAX];
    struct lauka_error error = {.text = ""};
    size_t over = 0, done = 0;

    for (size_t i = 0; i < count; i++) {
        launches[i] = (struct lauka_launch){.command = commands[i], .sample = &samples[i]};
        samples[i].code = -1;
    }
    do {
        EXPECT(lauka_launcher_run_all(launcher, launches + over, count - over, &done, &error));
        over += done;
    } while (again && over < count && samples[over - 1].code == 0);
    return over;
}

static void a_batch_ends_with_a_failure(void)
{
    static const size_t commands[] = {QUIET, QUIET, FAILS, QUIET};
    struct lauka_launcher *launcher = open_for_batches();
    struct lauka_sample samples[4];

    EXPECT_UINT(run_batch(launcher, commands, 4, samples, true), 3);
    EXPECT(samples[0].code == 0 && samples[1].code == 0 && samples[2].code == 3);
    EXPECT(samples[0].usage.values[LAUKA_WALL_TIME] > 0 && samples[3].code == -1);
    lauka_launcher_close(launcher);
}

static void a_batch_ends_with_a_run_that_wrote_to_stderr(void)
{
    static const size_t commands[] = {SPEAKS, SPEAKS, QUIET};
    struct lauka_launcher *launcher = open_for_batches();
    struct lauka_sample samples[3];
    size_t size;

    EXPECT_UINT(run_batch(launcher, commands, 3, samples, false), 1);
    lauka_launcher_stderr(launcher, &size);
    EXPECT_UINT(size, 2);
    EXPECT_UINT(run_batch(launcher, commands + 2, 1, samples, false), 1);
    lauka_launcher_stderr(launcher, &size);
    EXPECT_UINT(size, 0);
    lauka_launcher_close(launcher);
}

static void a_batch_ends_when_it_has_taken_long(void)
{
    static const size_t commands[] = {SLEEPS, QUIET};
    struct lauka_launcher *launcher = open_for_batches();
    struct lauka_sample samples[2];

    EXPECT_UINT(run_batch(launcher, commands, 2, samples, false), 1);
    EXPECT_UINT(run_batch(launcher, commands, 2, samples, true), 2);
    lauka_launcher_close(launcher);
}

/* The fourth run exceeds the limit by its own clock; the earlier ones may take any time. */
static void a_run_of_a_batch_is_ended_when_it_takes_too_long(void)
{
    static const size_t commands[] = {QUIET, QUIET, QUIET, LATE, QUIET};
    struct lauka_launcher *launcher = open_for_batches();
    struct lauka_sample samples[5];

    launcher->commands[LATE]->timeout_ns = 20000000;
    EXPECT_UINT(run_batch(launcher, commands, 5, samples, true), 4);
    for (size_t i = 0; i < 4; i++)
        EXPECT(samples[i].timed_out == (i == 3));
    EXPECT(samples[3].outcome == LAUKA_SIGNALED && samples[3].code == SIGTERM);
    EXPECT(samples[4].code == -1);
    launcher->commands[QUIET]->timeout_ns = 60000000000;
    EXPECT_UINT(run_batch(launcher, commands, 5, samples, true), 4);
    EXPECT(!samples[2].timed_out && samples[3].timed_out);
    lauka_launcher_close(launcher);
}

/* A record has as many readings as there are counters, and no more. */
static void records_come_back_as_they_were_put(void)
{
    static struct shared shared;
    static struct lauka_sample sample;
    static _Alignas(struct lauka_sample) char records[LAUKA_RECORDS_SIZE];
    const size_t size = LAUKA_RECORD_SIZE(2);

    shared.records = records;
    shared.counters.count = 2;
    for (size_t run = LAUKA_BATCH_MAX; run-- > 0;) {
        shared.sample = (struct lauka_sample){.code = (int)run, .tree_memory = 10 * run};
        shared.readings[1].running = 100 * run;
        shared.readings[2].value = 5;
        launcher_run_of(&shared, run)->name.round = 1000 * run;
        launcher_record_put(&shared, run);
    }
    for (size_t i = LAUKA_BATCH_MAX * size; i < sizeof records; i++)
        EXPECT(records[i] == 0);
    for (size_t run = 0; run < LAUKA_BATCH_MAX; run++) {
        launcher_record_get(&shared, run, &sample);
        EXPECT(sample.code == (int)run && sample.tree_memory == 10 * run);
        EXPECT(sample.readings[1].running == 100 * run);
        EXPECT(launcher_run_of(&shared, run)->name.round == 1000 * run);
    }
}

/* ---- Becoming another user ---- */

static char becoming[64];
static bool can_return;

static int note_groups(const struct lauka_identity *identity)
{
    (void)identity;
    strcat(becoming, "groups ");
    return 0;
}

static int note_group(gid_t gid)
{
    strcat(becoming, gid ? "group " : "root's group? ");
    return gid ? 0 : -1;
}

static int note_user(uid_t uid)
{
    strcat(becoming, uid ? "user " : "root? ");
    return uid || can_return ? 0 : -1;
}

static void a_kind_of_core_means_those_that_may_be_used(void)
{
    struct lauka_error error = {.text = ""};
    struct lauka_cpu_set own, cpus = {0}, now;
    unsigned first = 0;

    if (lauka_affinity_get(0, &own) != 0)
        return; /* on macOS */
    while (!lauka_cpu_set_has(&own, first))
        first++;
    lauka_cpu_set_add(&cpus, first);
    lauka_cpu_set_add(&cpus, LAUKA_CPUS_MAX - 1); /* no real machine has so many */
    EXPECT(lauka_pin_limit("P", &cpus, &error));
    EXPECT(lauka_cpu_set_has(&cpus, first) && lauka_cpu_set_count(&cpus) == 1);
    EXPECT(lauka_affinity_get(0, &now) == 0 && memcmp(&now, &own, sizeof now) == 0);

    cpus = (struct lauka_cpu_set){0};
    lauka_cpu_set_add(&cpus, LAUKA_CPUS_MAX - 1);
    EXPECT(!lauka_pin_limit("cortex_a72", &cpus, &error) && error.code == LAUKA_EXIT_HOST);
    EXPECT_TEXT(error.text, "--pin cortex_a72: none of these cores (CPUs 1023) may be used here; "
                            "bring one online, or add it to the cpuset");
    EXPECT(lauka_pin_limit("1023", &cpus, &error) && lauka_cpu_set_count(&cpus) == 1);
    EXPECT(lauka_affinity_get(0, &now) == 0 && memcmp(&now, &own, sizeof now) == 0);
}

static void rights_are_given_up_in_order_and_for_good(void)
{
    static const struct lauka_identity_calls calls = {note_groups, note_group, note_user};
    const struct lauka_identity identity = {.other = true, .uid = 501, .gid = 20};
    EXPECT(lauka_identity_assume(&identity, &calls) == 0);
    EXPECT_TEXT(becoming, "groups group user root? root's group? ");
    can_return = true; /* privileges that can be regained were not given up */
    EXPECT(lauka_identity_assume(&identity, &calls) == EPERM);
}

/* ---- economy.c ------------------------------------------------------------------------------------ */

static void short_runs_are_spared_what_nobody_sees(void)
{
    char name[] = "run_delay";
    struct lauka_result_metric metric = {.name = name, .detail = true};
    struct lauka_result result = {.metrics = &metric, .metric_count = 1, .command_count = 2};
    struct lauka_sample samples[2] = {0};

    samples[0].usage.values[LAUKA_WALL_TIME] = 5000000;
    samples[1].usage.values[LAUKA_WALL_TIME] = 1000000;
    EXPECT(!lauka_is_to_be_spared(&result, samples, 0, 2));
    /* The shortest command decides for all. */
    samples[1].usage.values[LAUKA_WALL_TIME] = 999999;
    EXPECT(lauka_is_to_be_spared(&result, samples, 0, 2));
    metric.detail = false; /* visible */
    EXPECT(!lauka_is_to_be_spared(&result, samples, 0, 2));
    metric.detail = metric.primary = true;
    EXPECT(!lauka_is_to_be_spared(&result, samples, 0, 2));
}

static void a_launcher_that_spares_tells_no_delay(void)
{
    struct lauka_launcher *launcher = NULL;
    struct lauka_sample sample;
    struct lauka_error error = {.text = ""};

    EXPECT(lauka_launcher_open(NULL, &launcher, &error) &&
           add_own(launcher, "chatter", "1", &error));
    lauka_launcher_spare(launcher);
    EXPECT(lauka_launcher_run(launcher, 0, &sample, &error));
    EXPECT(sample.outcome == LAUKA_EXITED && sample.usage.values[LAUKA_WALL_TIME] > 0);
    EXPECT(sample.run_delay_ns == LAUKA_UNKNOWN);
    EXPECT(sample.residency.cpus_used == LAUKA_UNKNOWN);
    lauka_launcher_close(launcher);
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return be_a_command(argv[1], atol(argv[2]));
    own_path = argv[0];
    TEST(
        the_memory_of_lauka_does_not_show_in_a_command); /* first: a sanitizer keeps what others have freed */
    TEST(an_arena_without_memory_goes_on_where_it_says);
    TEST(only_single_processes_are_signalled_or_waited_for);
    TEST(words_are_split_by_the_shells_quoting_rules);
    TEST(characters_without_meaning_to_a_shell_pass);
    TEST(what_only_a_shell_would_act_on_is_refused_with_both_ways_out);
    TEST(unfinished_text_is_refused);
    TEST(quoted_arguments_split_into_themselves);
    TEST(a_first_word_that_a_shell_would_act_on_is_quoted);
    TEST(any_bytes_survive_quoting_and_splitting);
    TEST(a_shell_gets_the_text_as_one_argument);
    TEST(programs_are_found_along_the_path);
    TEST(sha256_is_that_of_the_standard);
    TEST(every_round_runs_every_command_once);
    TEST(blocks_of_rounds_are_balanced);
    TEST(a_schedule_goes_back_to_where_it_was);
    TEST(a_dropped_round_is_run_again_in_its_order);
    TEST(orders_that_are_not_shuffled_begin_as_typed);
    TEST(equal_seeds_give_equal_rounds_and_others_do_not);
    TEST(each_command_is_first_in_about_half_of_the_rounds);
    TEST(defaults_are_those_of_the_documentation);
    TEST(only_an_exact_first_word_is_a_verb);
    TEST(argument_vectors_follow_two_dashes);
    TEST(options_may_follow_commands);
    TEST(wrong_values_name_their_option);
    TEST(a_row_tells_its_default_once_and_has_an_id_of_its_own);
    TEST(what_is_wrong_leaves_the_other_options_in_the_list);
    TEST(only_one_document_may_take_stdout);
    TEST(the_end_of_stderr_is_kept);
    TEST(a_batch_ends_with_a_failure);
    TEST(a_batch_ends_with_a_run_that_wrote_to_stderr);
    TEST(a_batch_ends_when_it_has_taken_long);
    TEST(a_run_of_a_batch_is_ended_when_it_takes_too_long);
    TEST(records_come_back_as_they_were_put);
    TEST(a_kind_of_core_means_those_that_may_be_used);
    TEST(rights_are_given_up_in_order_and_for_good);
    TEST(short_runs_are_spared_what_nobody_sees);
    TEST(a_launcher_that_spares_tells_no_delay);
    return expect_report("runner");
}
