/* Runs that fail or leave processes behind: how they are described, which end a session, and which only their round. */
#include "runner/session/loop.h"
#include "runner/session/session.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* ---- how a run that ended a session is described ----------------------------------------------- */

/* The names of the signals that end programs; the numbers differ between systems. */
static const char *signal_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SIGABRT, "SIGABRT"},     {SIGALRM, "SIGALRM"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
        {SIGHUP, "SIGHUP"},       {SIGILL, "SIGILL"},   {SIGINT, "SIGINT"},   {SIGKILL, "SIGKILL"},
        {SIGPIPE, "SIGPIPE"},     {SIGQUIT, "SIGQUIT"}, {SIGSEGV, "SIGSEGV"}, {SIGSYS, "SIGSYS"},
        {SIGTERM, "SIGTERM"},     {SIGTRAP, "SIGTRAP"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"},
        {SIGVTALRM, "SIGVTALRM"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number)
            return names[i].name;
    return NULL;
}

/* Some have no name that all systems know. */
static void describe_signal(int number, char *text, size_t size)
{
    const char *name = signal_name(number);

    if (name)
        snprintf(text, size, "%s (signal %d, %s)", name, number, strsignal(number));
    else
        snprintf(text, size, "signal %d (%s)", number, strsignal(number));
}

const char *lauka_sample_describe(const struct lauka_sample *sample, char *text, size_t size)
{
    char signal[100] = "";

    if (sample->outcome == LAUKA_SIGNALED)
        describe_signal(sample->code, signal, sizeof signal);
    if (sample->outcome == LAUKA_CHANGED)
        snprintf(text, size, "its executable %s%s%s",
                 sample->code ? "was gone (" : "had changed since its first run",
                 sample->code ? strerror(sample->code) : "", sample->code ? ")" : "");
    else if (sample->timed_out && sample->outcome == LAUKA_SIGNALED)
        snprintf(text, size, "took longer than its --timeout, and was ended by %s", signal);
    else if (sample->timed_out && sample->outcome == LAUKA_NO_INPUT)
        snprintf(text, size,
                 "waited for the file of its --input until its --timeout: nobody opened "
                 "the FIFO for writing");
    else if (sample->timed_out && sample->outcome == LAUKA_NO_OUTPUT)
        snprintf(text, size,
                 "waited for the file of its --output until its --timeout: nobody opened "
                 "the FIFO for reading");
    else if (sample->timed_out)
        snprintf(text, size, "took longer than its --timeout; asked to end, it exited with code %d",
                 sample->code);
    else if (sample->stopped)
        snprintf(text, size,
                 "was not measured: lauka's launcher, which times it, was stopped meanwhile "
                 "(SIGSTOP)");
    else if (sample->outcome == LAUKA_NO_DIRECTORY)
        snprintf(text, size, "the directory of its --cwd could not be entered: %s",
                 strerror(sample->code));
    else if (sample->outcome == LAUKA_NOT_STARTED)
        snprintf(text, size, "could not be started: %s%s", strerror(sample->code),
                 sample->code == ENOEXEC ? " (is it a script without a #! line?)" : "");
    else if (sample->outcome == LAUKA_NO_INPUT || sample->outcome == LAUKA_NO_OUTPUT)
        snprintf(text, size,
                 "its standard %s could not be opened (the file of --%s, otherwise /dev/null): %s",
                 sample->outcome == LAUKA_NO_INPUT ? "input" : "output",
                 sample->outcome == LAUKA_NO_INPUT ? "input" : "output",
                 lauka_own_file_error(sample->code));
    else if (sample->outcome == LAUKA_SIGNALED)
        snprintf(text, size, "was ended by %s", signal);
    else
        snprintf(text, size, "failed with exit code %d", sample->code);
    return text;
}

const char *lauka_status_describe(int status, char *text, size_t size)
{
    const bool ended = WIFSIGNALED(status);
    const struct lauka_sample sample = {.outcome = ended ? LAUKA_SIGNALED : LAUKA_EXITED,
                                        .code = ended ? WTERMSIG(status) : WEXITSTATUS(status)};

    if (status != 0)
        return lauka_sample_describe(&sample, text, size);
    snprintf(text, size, "ended with exit code 0");
    return text;
}

static void describe_outcome(const struct lauka_failure *failure, char *text, size_t size)
{
    int used = failure->layout ? snprintf(text, size, "layout %zu: ", failure->layout) : 0;

    if (failure->hook)
        used += snprintf(text + used, size - (size_t)used, "its %s ", failure->hook);
    if (*failure->reason)
        snprintf(text, size, "%s", failure->reason);
    else
        lauka_sample_describe(&failure->sample, text + used, size - (size_t)used);
}

int lauka_failure_note(const struct lauka_failure *failure, struct lauka_result *result)
{
    char reason[500];

    describe_outcome(failure, reason, sizeof reason);
    result->failure = (struct lauka_result_failure){
        .known = true,
        .command = failure->command,
        .round = failure->round,
        .warmup = failure->warmup,
        .outside_rounds = failure->outside_rounds,
        .reason = strdup(reason),
        .stderr_tail = strdup(failure->stderr_tail),
    };
    return result->failure.reason && result->failure.stderr_tail ? 0 : ENOMEM;
}

/* Whether the commands have one word each, as sleep 1 has. */
static bool are_single(const struct lauka_options *options)
{
    for (size_t c = 0; c < options->run.command_count; c++)
        if (options->run.commands[c].argv[1])
            return false;
    return options->run.command_count > 1 && options->run.benchmark_count == 1;
}

/* Adds that together they may be one command. */
static void advise_one_command(const struct lauka_options *options, size_t failed, char *text,
                               size_t size)
{
    size_t used = strlen(text);
    char words[200] = "";

    if (failed == 0 || !are_single(options) || strchr(options->run.commands[failed].argv[0], '/'))
        return;
    for (size_t c = 0, length = 0; c < options->run.command_count && length < sizeof words; c++)
        length += (size_t)snprintf(words + length, sizeof words - length, "%s%s", c > 0 ? " " : "",
                                   options->run.commands[c].argv[0]);
    snprintf(text + used, size - used,
             "; a command and its arguments are one word: lauka '%s', or lauka -- %s", words,
             words);
}

bool lauka_failure_take_error(const struct lauka_error *error, const struct lauka_options *options,
                              struct lauka_failure *failure)
{
    for (size_t c = 0; error->code == LAUKA_EXIT_COMMAND_FAILED && c < options->run.command_count;
         c++) {
        struct lauka_command *command = &options->run.commands[c];
        struct lauka_error own;
        if (lauka_command_locate(command, &own) || strcmp(own.text, error->text) != 0)
            continue;
        size_t length = strlen(command->argv[0]);
        bool named = strncmp(command->label, command->argv[0], length) == 0 &&
                     strncmp(own.text, command->argv[0], length) == 0;
        *failure = (struct lauka_failure){
            .command = c,
            .warmup = options->measure.warmup > 0, /* it is what would have been run first */
            .outside_rounds = true,
            .sample = {.outcome = LAUKA_NOT_STARTED},
        };
        snprintf(failure->reason, sizeof failure->reason, "%s",
                 own.text + (named ? length + strlen(": ") : 0)); /* the label is told before it */
        advise_one_command(options, c, failure->reason, sizeof failure->reason);
        return true;
    }
    return false;
}

void lauka_failure_note_error(const struct lauka_error *error, const struct lauka_options *options,
                              struct lauka_result *result)
{
    result->run.stopped = LAUKA_STOPPED_ERROR;
    if (!result->error.known)
        result->error = (struct lauka_result_error){.known = true, .text = strdup(error->text)};
    if (result->commands)
        return;
    result->commands = calloc(options->run.command_count + 1, sizeof *result->commands);
    for (size_t c = 0; result->commands && c < options->run.command_count; c++) {
        result->commands[c].label = strdup(options->run.commands[c].label);
        if (!result->commands[c].label)
            break;
        result->command_count++;
    }
}

/* Which of several of the same name; 0: there are no others. */
static size_t number_of(const struct lauka_options *options, size_t command)
{
    size_t number = 0, alike = 0;

    for (size_t c = 0; c < options->run.command_count && options->verb != LAUKA_VERB_NOISE; c++)
        if (strcmp(options->run.commands[c].label, options->run.commands[command].label) == 0) {
            alike++;
            number += c <= command;
        }
    return alike > 1 ? number : 0;
}

/* "LABEL: failed with exit code 1 in round 3". Returns text. */
static char *failure_word(const struct lauka_failure *failure, const struct lauka_options *options,
                          char *text, size_t size)
{
    char *number = lauka_text_numbered("", number_of(options, failure->command));
    char outcome[500], round[64] = "";

    describe_outcome(failure, outcome, sizeof outcome);
    if (!failure->outside_rounds)
        snprintf(round, sizeof round, " in %s %llu", failure->warmup ? "warm-up round" : "round",
                 (unsigned long long)(failure->round + 1));
    snprintf(text, size, "%.400s%s: %s%s", options->run.commands[failure->command].label,
             number ? number : "", outcome, round);
    free(number);
    return text;
}

static const char *way_out(const struct lauka_failure *failure, bool accepts_all)
{
    const struct lauka_sample *sample = &failure->sample;

    if (failure->differs)
        return "; --same-output=FILTER leaves out what may vary";
    if (failure->outside_rounds && !failure->hook && *failure->reason)
        return "";
    if (sample->timed_out && accepts_all && !failure->hook)
        return "; -i does not accept a run that was cut short; --max-failures drops its round";
    if ((sample->stopped || sample->unreported) && !failure->hook)
        return "; --max-failures drops such rounds";
    if (sample->timed_out || (sample->outcome != LAUKA_EXITED && sample->outcome != LAUKA_SIGNALED))
        return "";
    return failure->hook ? "; \"|| true\" behind it accepts that"
                         : "; -i accepts failing runs as ordinary ones";
}

void lauka_failure_describe(const struct lauka_failure *failure,
                            const struct lauka_options *options, struct lauka_error *error)
{
    const char *name = options->run.benchmark_count == 1 ? options->run.benchmarks[0].name : NULL;
    char text[1000];

    lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED, "%.200s%s%s%s", name ? name : "", name ? ": " : "",
               failure_word(failure, options, text, sizeof text),
               way_out(failure, options->run.accept_all_failures));
}

void lauka_failure_describe_stored(const struct lauka_result *result, struct lauka_error *error)
{
    const struct lauka_result_failure *failure = &result->failure;
    const char *name = result->benchmark.name, *colon = name ? ": " : "";
    char round[64] = "";

    name = name ? name : "";
    if (!failure->known) {
        struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
        lauka_fail(error, LAUKA_EXIT_INTERNAL, "%.200s%s%.750s", name, colon,
                   lauka_say_ending(&prose, result));
        lauka_prose_done(&prose);
        return;
    }
    if (!failure->outside_rounds)
        snprintf(round, sizeof round, " in %sround %llu", failure->warmup ? "warm-up " : "",
                 (unsigned long long)failure->round + 1);
    lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED, "%.200s%s%.400s: %.300s%s", name, colon,
               result->commands[failure->command].label,
               failure->reason ? failure->reason : "failed", round);
}

/* ---- mishaps ----------------------------------------------------------------------------------- */

/* What goes wrong with runs, and what follows: which ends count as success, how many failed rounds may be
 * dropped, what commands leave behind, and whether they still execute the file they began with. */

int lauka_mishaps_init(struct lauka_mishaps *mishaps, const struct lauka_options *options,
                       const struct lauka_options *acting, struct lauka_executables *executables)
{
    size_t count = acting->run.command_count;

    *mishaps = (struct lauka_mishaps){
        .options = options,
        .acting = acting,
        .read = executables,
        .stamps = calloc(count, sizeof *mishaps->stamps),
        .executables = calloc(count, sizeof *mishaps->executables),
        .left = calloc(count, sizeof *mishaps->left),
        .unread = calloc(count, sizeof *mishaps->unread),
    };
    return mishaps->stamps && mishaps->executables && mishaps->left && mishaps->unread ? 0 : ENOMEM;
}

void lauka_mishaps_done(struct lauka_mishaps *mishaps)
{
    free(mishaps->stamps);
    free(mishaps->executables);
    free(mishaps->left);
    free(mishaps->unread);
    *mishaps = (struct lauka_mishaps){0};
}

/* ---- before a run ------------------------------------------------------------------------------- */

bool lauka_mishaps_is_same_file(struct lauka_mishaps *mishaps, size_t command,
                                struct lauka_sample *sample)
{
    const char *path = mishaps->acting->run.commands[command].path;
    struct lauka_file_stamp now, *known = &mishaps->stamps[command];
    int error = lauka_file_stamp_read(path, &now);

    if (!error && !known->known)
        *known = now;
    if (!error && (lauka_file_stamp_is_same(&now, known) ||
                   lauka_executable_has_same_content(path, &mishaps->executables[command]))) {
        *known = now;
        return true;
    }
    *sample = (struct lauka_sample){.outcome = LAUKA_CHANGED, .code = error};
    return false;
}

/* ---- after a run -------------------------------------------------------------------------------- */

static bool is_unread(const struct lauka_mishaps *mishaps, size_t command)
{
    for (size_t i = 0; i < mishaps->unread_count; i++)
        if (mishaps->unread[i] == command)
            return true;
    return false;
}

void lauka_mishaps_remember_file(struct lauka_mishaps *mishaps, size_t command)
{
    if (!mishaps->executables[command].known && !is_unread(mishaps, command))
        mishaps->unread[mishaps->unread_count++] = command;
}

/* Not before the first run: someone who measures with cold caches does not want the file to be read then. */
static void read_file(struct lauka_mishaps *mishaps, size_t command)
{
    const char *path = mishaps->acting->run.commands[command].path;
    struct lauka_executable *executable = &mishaps->executables[command];
    struct lauka_file_stamp now;

    if (executable->known || lauka_file_stamp_read(path, &now) != 0 ||
        !lauka_file_stamp_is_same(&now, &mishaps->stamps[command]))
        return;
    executable->known = true;
    executable->size = (off_t)now.size;
    executable->hashed = lauka_executables_hash(mishaps->read, path, executable->sha256);
}

void lauka_mishaps_read_files(struct lauka_mishaps *mishaps)
{
    while (mishaps->unread_count > 0)
        read_file(mishaps, mishaps->unread[--mishaps->unread_count]);
}

int lauka_mishaps_exit_code(const struct lauka_sample *sample)
{
    return sample->outcome == LAUKA_SIGNALED ? 128 + sample->code : sample->code;
}

bool lauka_mishaps_has_failed(const struct lauka_command *command,
                              const struct lauka_sample *sample)
{
    int code = lauka_mishaps_exit_code(sample);

    if (!command->expects)
        return code != 0;
    return code < 0 || code > 255 || !(command->expected[code / 8] & 1u << code % 8);
}

bool lauka_mishaps_is_success(const struct lauka_options *options, size_t command,
                              const struct lauka_sample *sample)
{
    const struct lauka_command *about = &options->run.commands[command];

    if (sample->timed_out || sample->stopped || sample->unreported ||
        (sample->outcome != LAUKA_EXITED && sample->outcome != LAUKA_SIGNALED))
        return false; /* how much it would have cost is not known */
    if (options->run.accept_all_failures || !lauka_mishaps_has_failed(about, sample))
        return true;
    int code = lauka_mishaps_exit_code(sample);
    return code > 0 && code <= 255 && options->run.accept_exit_code[code];
}

void lauka_mishaps_add_leftovers(struct lauka_mishaps *mishaps, size_t command,
                                 const struct lauka_leftovers *leftovers,
                                 struct lauka_result_command *shown)
{
    struct lauka_left *left = &mishaps->left[command];

    if (leftovers->count == 0)
        return;
    left->runs++;
    left->processes += leftovers->count;
    left->alive |= leftovers->alive;
    shown->left_behind = left->runs;
}

bool lauka_mishaps_drop(struct lauka_mishaps *mishaps, const struct lauka_failure *failure)
{
    if (failure->sample.outcome == LAUKA_CHANGED ||
        mishaps->failures - mishaps->earlier >= mishaps->options->run.max_failures)
        return false;
    mishaps->failures++;
    mishaps->dropped_rounds += !failure->warmup;
    mishaps->last = *failure;
    return true;
}

/* ---- at the end --------------------------------------------------------------------------------- */

static int warn_about_leftovers(const struct lauka_left *left, const char *label, bool keep,
                                struct lauka_result *result)
{
    const char *ended =
        keep          ? "they keep running and compete with the commands"
        : left->alive ? "not all of them could be ended"
                      : "they were ended after it; their time and memory are not measured, and "
                        "their events are counted only by chance (--keep-orphans lets them run)";

    return lauka_result_note(result,
                             "`%.200s` left processes behind in %llu run%s (%llu in all): %s",
                             label, (unsigned long long)left->runs, left->runs == 1 ? "" : "s",
                             (unsigned long long)left->processes, ended);
}

int lauka_mishaps_warn(const struct lauka_mishaps *mishaps, struct lauka_result *result)
{
    const struct lauka_options *options = mishaps->options;
    char reason[1200];

    for (size_t c = 0; mishaps->left && c < options->run.command_count; c++)
        if (mishaps->left[c].runs > 0 &&
            warn_about_leftovers(&mishaps->left[c], options->run.commands[c].label,
                                 options->run.keep_orphans, result) != 0)
            return ENOMEM;
    if (mishaps->failures == 0)
        return 0;
    failure_word(&mishaps->last, options, reason, sizeof reason);
    return lauka_result_note(result,
                             "%llu round%s dropped, for all commands, because of a failed run "
                             "(--max-failures); the last: %s",
                             (unsigned long long)mishaps->failures,
                             mishaps->failures == 1 ? " was" : "s were", reason);
}

bool lauka_loop_fail_memory(struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_INTERNAL,
                      "out of memory; use fewer rounds (-r) or less time (--max-time)");
}
