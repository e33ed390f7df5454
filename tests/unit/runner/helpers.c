/* runner/base: other programs that lauka asks, or runs several of at once; lists of words, digits and paths. */
#include "tests/unit/expect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/base.h"

/* ---- helper.c: one that is asked ---- */

enum { ROOM = 8 };
static const char *const no_variables[] = {NULL};

static struct lauka_answer ask(const char *script, uint64_t within_ns, char text[ROOM + 1])
{
    const char *const arguments[] = {"sh", "-c", script, NULL};
    const struct lauka_child helper = {
        .path = "/bin/sh", .arguments = arguments, .environment = no_variables};
    struct lauka_answer answer = {.text = text, .room = ROOM};

    lauka_helper_ask(&helper, lauka_now_ns() + within_ns, &answer);
    return answer;
}

static void an_answer_has_the_text_and_the_exit_code(void)
{
    char text[ROOM + 1];
    struct lauka_answer answer = ask("echo no >&2; printf hello; exit 3", 60000000000u, text);

    EXPECT_TEXT(text, "hello");
    EXPECT(answer.size == 5 && !answer.cut && answer.code == 3);
    answer = ask("kill -KILL $$", 60000000000u, text);
    EXPECT(answer.size == 0 && !answer.cut && answer.code == -1);
}

static void one_that_writes_too_much_is_ended(void)
{
    char text[ROOM + 1];
    struct lauka_answer answer = ask("while echo 0123456789; do :; done", 60000000000u, text);

    EXPECT_TEXT(text, "01234567");
    EXPECT(answer.size == ROOM && answer.cut && answer.code == -1);
}

static void one_that_takes_too_long_is_ended(void)
{
    char text[ROOM + 1];
    struct lauka_answer answer = ask("sleep 1000", 50000000u, text);

    EXPECT(answer.size == 0 && answer.code == -1);
    answer = ask("exit 0", 0, text);
    EXPECT(answer.code == -1);
}

static void one_that_cannot_be_started_has_no_code(void)
{
    const struct lauka_child helper = {
        .path = "/nothing/here", .arguments = no_variables, .environment = no_variables};
    char text[ROOM + 1] = "old";
    struct lauka_answer answer = {.text = text, .room = ROOM};

    lauka_helper_ask(&helper, lauka_now_ns() + 60000000000u, &answer);
    EXPECT(answer.code == -1 && answer.size == 0);
    EXPECT_TEXT(text, "");
}

/* ---- helper.c: several at once ---- */

enum { COUNT = 7, AT_ONCE = 3, FREE = 2 /* the one that needs no program */ };

struct watch {
    int codes[COUNT];     /* -1: it has not ended */
    size_t running, most; /* so many at once */
    size_t fails;         /* this one is an error; COUNT: none is */
    pid_t last;
};

static bool begin(void *context, size_t number, pid_t *pid, struct lauka_error *error)
{
    struct watch *watch = context;
    char script[40];
    const char *const arguments[] = {"sh", "-c", script, NULL};

    if (number == FREE)
        return true;
    snprintf(script, sizeof script, number > watch->fails ? "sleep 1000" : "exit %zu", number);
    *pid = watch->last = lauka_child_start(&(struct lauka_child){.path = "/bin/sh",
                                                                 .arguments = arguments,
                                                                 .environment = no_variables,
                                                                 .output = -1,
                                                                 .error = -1});
    watch->running++;
    watch->most = watch->running > watch->most ? watch->running : watch->most;
    return *pid > 0 || lauka_fail(error, LAUKA_EXIT_INTERNAL, "%s", strerror(errno));
}

static bool end(void *context, size_t number, int status, struct lauka_error *error)
{
    struct watch *watch = context;

    watch->codes[number] = WIFEXITED(status) ? WEXITSTATUS(status) : -2;
    watch->running--;
    return number != watch->fails || lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED, "enough");
}

static struct lauka_helpers helpers_of(struct watch *watch, size_t fails)
{
    *watch = (struct watch){.fails = fails};
    for (size_t i = 0; i < COUNT; i++)
        watch->codes[i] = -1;
    return (struct lauka_helpers){
        .count = COUNT, .at_once = AT_ONCE, .begin = begin, .end = end, .context = watch};
}

static void all_are_run_and_no_more_at_once_than_may_be(void)
{
    struct watch watch;
    struct lauka_helpers helpers = helpers_of(&watch, COUNT);
    struct lauka_error error = {.text = ""};

    EXPECT(lauka_helpers_run(&helpers, &error));
    EXPECT(helpers.done == COUNT && watch.running == 0 && watch.most == AT_ONCE);
    for (int i = 0; i < COUNT; i++)
        EXPECT(watch.codes[i] == (i == FREE ? -1 : i));
}

static void one_that_fails_ends_the_others(void)
{
    struct watch watch;
    struct lauka_helpers helpers = helpers_of(&watch, 1);
    struct lauka_error error = {.text = ""};

    EXPECT(!lauka_helpers_run(&helpers, &error));
    EXPECT_TEXT(error.text, "enough");
    EXPECT(watch.codes[1] == 1 && helpers.done < COUNT);
    EXPECT(waitpid(watch.last, NULL, WNOHANG) == -1 && errno == ECHILD); /* it was reaped */
}

/* ---- descriptors.c, texts.c ---- */

static void no_program_inherits_a_pipe(void)
{
    int ends[2];

    EXPECT(lauka_pipe_open(ends) == 0);
    EXPECT(fcntl(ends[0], F_GETFD) == FD_CLOEXEC && fcntl(ends[1], F_GETFD) == FD_CLOEXEC);
    close(ends[0]);
    close(ends[1]);
}

static void lists_of_words_are_counted_and_joined(void)
{
    const char *const one[] = {"a", NULL}, *const two[] = {"b", "c", NULL};
    char **joined = lauka_words_join(one, two);

    EXPECT(lauka_words_count(NULL) == 0 && lauka_words_count(no_variables) == 0);
    EXPECT(joined && lauka_words_count((const char *const *)joined) == 3);
    EXPECT(joined && joined[0] == one[0] && joined[2] == two[1]);
    free(joined);
}

static void bytes_become_small_digits(void)
{
    char text[2 * 3 + 1];

    EXPECT_TEXT(lauka_hex_put((const uint8_t[]){0x00, 0xaf, 0x9}, 3, text), "00af09");
    EXPECT_TEXT(lauka_hex_put(NULL, 0, text), "");
}

static void a_path_is_in_a_folder_by_whole_names(void)
{
    EXPECT(lauka_path_is_in("/a/b", "/a/b") && lauka_path_is_in("/a/b/c", "/a/b"));
    EXPECT(!lauka_path_is_in("/a/bc", "/a/b") && !lauka_path_is_in("/a", "/a/b"));
}

int main(void)
{
    TEST(an_answer_has_the_text_and_the_exit_code);
    TEST(one_that_writes_too_much_is_ended);
    TEST(one_that_takes_too_long_is_ended);
    TEST(one_that_cannot_be_started_has_no_code);
    TEST(all_are_run_and_no_more_at_once_than_may_be);
    TEST(one_that_fails_ends_the_others);
    TEST(no_program_inherits_a_pipe);
    TEST(lists_of_words_are_counted_and_joined);
    TEST(bytes_become_small_digits);
    TEST(a_path_is_in_a_folder_by_whole_names);
    return expect_report("helpers");
}
