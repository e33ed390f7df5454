/* The lauka program: reads its words and does what they ask for. The only place that exits. */
#include "runner/options.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/gate/gate.h"
#include "runner/launch/launch.h"
#include "runner/machine/machine.h"
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/program/program.h"
#include "runner/provenance/provenance.h"
#include "runner/revisions/revisions.h"
#include "runner/session/session.h"
#include "runner/subcommands/subcommands.h"
#include "runner/suite/suite.h"
#include "report/result/record.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

extern char **environ;

/* As whom files are opened from the first one on, and commands run. */
static struct lauka_identity identity;

/* For good, where a user is needed: from there on only the launcher may be root. Who only lists or watches
 * may have to be root again, once the files are read. */
static bool settle_identity(const struct lauka_arguments *typed, struct lauka_launcher *launcher,
                            struct lauka_error *error)
{
    lauka_launcher_identify(launcher, &identity);
    if (!lauka_arguments_need_user(typed)) {
        lauka_identity_borrow(&identity, true);
        return true;
    }
    if (!lauka_identity_become(&identity, error))
        return false;
    identity.other = false; /* there is nobody else to become */
    return true;
}

static void give_back_identity(const struct lauka_arguments *typed)
{
    if (!lauka_arguments_need_user(typed))
        lauka_identity_borrow(&identity, false);
}

static int perform(struct lauka_program_state *program, struct lauka_error *error)
{
    switch (program->options.verb) {
    case LAUKA_VERB_VERSION:
        return lauka_conclusion_reach(
            program, error,
            lauka_write_version(&program->options, &lauka_this_build, stdout, error));
    case LAUKA_VERB_HELP:
        return lauka_conclusion_reach(program, error,
                                      lauka_options_show_help(&program->options, stdout, error));
    case LAUKA_VERB_LIST:
        return lauka_conclusion_reach(program, error,
                                      lauka_list_events(&program->options, stdout, error));
    case LAUKA_VERB_DOCTOR:
        if (program->options.selftest)
            return lauka_conclusion_reach(program, error,
                                          lauka_selftest(program->launcher, stdout, error));
        return lauka_conclusion_reach(
            program, error, lauka_doctor(&program->options, program->launcher, stdout, error));
    case LAUKA_VERB_THREADS:
        return lauka_conclusion_reach(program, error,
                                      lauka_watch_threads(&program->options, stdout, error));
    case LAUKA_VERB_RUN:
    case LAUKA_VERB_REVISIONS:
    case LAUKA_VERB_WHY:
    case LAUKA_VERB_NOISE:
    case LAUKA_VERB_SUITE:
    case LAUKA_VERB_COMPARE:
    case LAUKA_VERB_GATE:
    case LAUKA_VERB_REPORT:
    case LAUKA_VERB_MERGE:
        break;
    }
    if (program->options.verb == LAUKA_VERB_SUITE &&
        !lauka_suite_open(&program->suite, program->launcher, &program->options, error))
        return lauka_conclusion_reach(program, error,
                                      lauka_sessions_report_early(program, error) ||
                                          lauka_interrupt_signal() != 0);
    if (program->options.list_benchmarks && !program->options.suite)
        return lauka_conclusion_reach(program, error,
                                      lauka_benchmarks_list(&program->options, stdout, error));
    if (identity.other && !lauka_identity_become(&identity, error))
        return lauka_conclusion_reach(program, error,
                                      false); /* never as root, whatever was thought before */
    bool good = program->options.file_count > 0 ? lauka_sessions_compare(program, error)
                : program->options.verb == LAUKA_VERB_REVISIONS
                    ? lauka_sessions_run_revisions(program, error)
                    : lauka_sessions_run(program, error);
    return lauka_conclusion_reach(program, error, good);
}

/* Not before the launcher is forked: commands get the signals as lauka found them. */
static bool set_up_signals(struct lauka_launcher *launcher, struct lauka_error *error)
{
    signal(SIGPIPE, SIG_IGN); /* all else is written, and judged, where nobody reads stdout */
    signal(SIGXFSZ, SIG_IGN); /* a file as large as files may be is an error to report */
    int failure = lauka_interrupt_install();
    if (failure)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "cannot set up signals: %s",
                          strerror(failure));
    return lauka_launcher_rouse(launcher, error);
}

/* What was asked for, in words. */
struct wording {
    struct lauka_arena arena;
    struct lauka_arguments typed, all; /* all: with what a file adds; empty where there is none */
    struct lauka_config config;
};

static const struct lauka_arguments *arguments_of(const struct wording *wording)
{
    return wording->config.path ? &wording->all : &wording->typed;
}

static bool parse(struct wording *wording, struct lauka_options *options, struct lauka_error *error)
{
    struct lauka_config *config = &wording->config;
    jmp_buf exhausted;
    bool good;

    if (setjmp(exhausted) != 0) {
        wording->arena.exhausted = NULL; /* whichever it was */
        return lauka_fail_memory(error);
    }
    wording->arena.exhausted = &exhausted;
    if (config->section_count == 0) {
        lauka_config_say(config, &wording->typed);
        good = lauka_options_parse(arguments_of(wording), options, error);
    } else {
        good = lauka_options_parse_sections(config, &wording->typed, &wording->all, options, error);
        lauka_config_say(config, &wording->typed);
        options->config_path = config->path;
    }
    wording->arena.exhausted = NULL;
    return good;
}

/* What was lost before may have left nothing to write now. */
static bool finish_stdout(struct lauka_error *error)
{
    const bool lost = ferror(stdout) != 0;
    const int failure = fflush(stdout) != 0 ? errno : lost ? EIO : 0;

    return !failure || lauka_fail_stdout(error, failure);
}

static int run_once(struct lauka_launcher *launcher, struct wording *wording)
{
    static struct lauka_program_state program;
    struct lauka_error error = {.code = LAUKA_EXIT_INTERNAL};
    int code;

    program.launcher = launcher;
    program.revisions.worktrees.lock = -1;
    bool parsed = set_up_signals(launcher, &error) &&
                  (parse(wording, &program.options, &error) || lauka_sessions_stop_reading(&error));
    give_back_identity(&wording->typed);
    if (parsed) {
        code = perform(&program, &error);
    } else {
        lauka_error_print(&error);
        code = (int)error.code;
    }
    if (!finish_stdout(&error) && code == LAUKA_EXIT_DONE) {
        lauka_error_print(&error);
        code = (int)error.code;
    }
    const struct lauka_measurement *failed = lauka_conclusion_find_failed(&program);
    bool no_reference = failed && failed->failure.command == 0;
    if (lauka_arguments_find(
            arguments_of(wording),
            OPTION_BISECT)) /* it is the same in every step, and no step could be tested */
        code = lauka_bisect_code(no_reference ? LAUKA_EXIT_INTERNAL : code);
    lauka_launcher_close(program.launcher);
    lauka_benchmarks_done(&program.benchmarks);
    lauka_suite_close(&program.suite);
    lauka_session_done(&program.results);
    lauka_revisions_done(&program.revisions);
    lauka_record_done(&lauka_provenance_record, &program.provenance);
    return code;
}

/* Its exit code, which `git bisect run` takes for a verdict. */
static int refuse(const struct lauka_error *error, const struct lauka_arguments *arguments)
{
    lauka_error_print(error);
    return lauka_arguments_find(arguments, OPTION_BISECT) ? lauka_bisect_code((int)error->code)
                                                          : (int)error->code;
}

static bool read_words(int argc, char **argv, struct lauka_launcher *launcher,
                       struct wording *wording, struct lauka_error *error)
{
    struct lauka_arguments *typed = &wording->typed;
    struct lauka_config *config = &wording->config;
    struct lauka_error unclear;
    jmp_buf exhausted;

    if (setjmp(exhausted) != 0) {
        wording->arena.exhausted = NULL; /* whichever it was */
        return lauka_fail_memory(error);
    }
    wording->arena.exhausted = &exhausted;
    bool read = lauka_words_read(&wording->arena, argv + 1, NULL, argc > 0 ? (size_t)argc - 1 : 0,
                                 typed, error);
    bool clear = lauka_identity_find(&identity, lauka_arguments_find(typed, OPTION_AS_ROOT) != NULL,
                                     &unclear);
    bool good = read && (!clear || settle_identity(typed, launcher, error)) &&
                lauka_config_read(typed, clear ? NULL : &unclear, config, error) &&
                (!config->path || config->section_count > 0 ||
                 lauka_config_add(config, typed, 0, &wording->all, error));
    wording->arena.exhausted = NULL;
    return good;
}

static int run(struct lauka_launcher *launcher, int argc, char **argv)
{
    struct wording wording = {0};
    struct lauka_error error;
    int code;

    if (read_words(argc, argv, launcher, &wording, &error)) {
        code = run_once(launcher, &wording);
    } else {
        lauka_launcher_close(launcher);
        code = refuse(&error, &wording.typed);
    }
    lauka_arena_done(&wording.arena);
    return code;
}

static int begin(int argc, char **argv)
{
    struct lauka_launcher *launcher = NULL;
    struct lauka_error error = {.code = LAUKA_EXIT_INTERNAL};

    lauka_guard_descriptors();
    if (lauka_stack_is_enough(argv, environ, &error) &&
        lauka_launcher_open(&lauka_launcher_program, &launcher,
                            &error)) /* before anything is allocated */
        return run(launcher, argc, argv);
    lauka_error_print(&error);
    return (int)error.code;
}

int main(int argc, char **argv)
{
    bool is_measured = argc == 4 && strcmp(argv[1], LAUKA_SELFTEST_LOOP) == 0;

    return !is_measured ? begin(argc, argv) : lauka_selftest_loop(argv[2], argv[3]);
}
