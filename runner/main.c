/* The lauka program: parse, run, report. The one place that exits. */
#include "runner/options.h"
#include "report/analysis/analysis.h"
#include "report/ci/ci.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/terminal/terminal.h"
#include "report/text/text.h"
#include "report/words/why.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/gate/gate.h"
#include "runner/launch/launch.h"
#include "runner/machine/machine.h"
#include "runner/options/options.h"
#include "runner/provenance/provenance.h"
#include "runner/revisions/revisions.h"
#include "runner/session/session.h"
#include "runner/suite/suite.h"
#include "runner/subcommands/subcommands.h"

#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct session {
    struct lauka_options options;
    struct lauka_launcher *launcher;
    struct lauka_session results;
    struct lauka_benchmarks benchmarks;
    struct lauka_suite suite; /* of LAUKA_VERB_SUITE */
    struct lauka_outputs outputs;
    struct lauka_result_provenance provenance; /* owned */
    struct lauka_revisions revisions;          /* of LAUKA_VERB_REVISIONS */
    bool judged; /* the results are complete, and so is what the gate says of them */
};

/* Returns 0 or an errno. */
static int write_one(const struct session *session, const struct lauka_result *result, bool in_full,
                     struct lauka_terminal terminal)
{
    int failure = in_full ? lauka_write_table(result, terminal, stdout)
                          : lauka_write_screen(result, terminal, stdout);

    if (!failure)
        failure = lauka_write_why(result, in_full, terminal, stdout);
    if (!failure && session->options.percentiles)
        failure = lauka_write_percentiles(result, terminal, stdout);
    if (!failure && session->options.plot)
        failure = lauka_write_plot(result, terminal, stdout);
    return failure;
}

static void print_heading(const char *name, bool follows, struct lauka_terminal terminal)
{
    char *safe = lauka_safe_text(name, terminal.utf8);

    printf("%s", follows ? "\n" : "");
    lauka_put_styled(safe ? safe : "?", LAUKA_STYLE_HEADING, terminal, stdout);
    fputc('\n', stdout);
    free(safe);
}

/* Of one benchmark of many, which the overview tells of. What is told begins with an empty line. */
static int write_why(const struct lauka_result *result, struct lauka_terminal terminal)
{
    if (!lauka_result_tells_why(result))
        return 0;
    if (result->benchmark.name)
        print_heading(result->benchmark.name, true, terminal);
    return lauka_write_why(result, false, terminal, stdout);
}

/* Whether --full asks for it: all of them, or those of a name. */
static bool is_full(const struct session *session, const char *name)
{
    const char *full = session->options.full;

    return full && (!*full || (name && (strcmp(full, name) == 0 || fnmatch(full, name, 0) == 0)));
}

static bool write_table(const struct session *session, struct lauka_error *error)
{
    struct lauka_terminal terminal = lauka_terminal_detect(STDOUT_FILENO, session->options.color);
    int failure = 0;

    bool several = session->results.benchmark_count > 1;

    if (several)
        failure = lauka_write_overview(&session->results, terminal, stdout);
    for (size_t b = 0; b < session->results.benchmark_count && !failure; b++) {
        const struct lauka_result *result = &session->results.benchmarks[b];
        bool in_full = is_full(session, result->benchmark.name);
        if (result->run.rounds == 0)
            continue;
        if (several && !in_full) {
            failure = write_why(result, terminal);
            continue;
        }
        if (result->benchmark.name) {
            print_heading(result->benchmark.name, several, terminal);
            fputc('\n', stdout);
        }
        failure = write_one(session, result, in_full, terminal);
    }
    return !failure ||
           lauka_fail(error, LAUKA_EXIT_INTERNAL, "cannot write to stdout: %s", strerror(failure));
}

/* GitHub's runner takes nothing in the table for a command. */
static bool write_text(const struct session *session, struct lauka_error *error)
{
    char token[33];

    if (!session->options.github)
        return write_table(session, error);
    lauka_github_begin_text(token);
    bool good = write_table(session, error);
    lauka_github_end_text(token);
    return good;
}

static void write_annotations(const struct session *session)
{
    if (session->results.benchmark_count > 0)
        lauka_write_annotations_session(&session->results, stdout);
}

static bool analyse(struct session *session)
{
    for (size_t b = 0; b < session->results.benchmark_count; b++)
        if (session->options.sorted && lauka_result_sort(&session->results.benchmarks[b]) != 0)
            return false;
    return lauka_session_analyse(&session->results) == 0;
}

/* Everything is tried, whatever became of the others; the first error is the one returned. */
static bool report(struct session *session, struct lauka_error *error)
{
    struct lauka_error table_error;

    if (!analyse(session))
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory for the analysis");
    session->judged = true;
    bool written = lauka_outputs_write(&session->outputs, &session->results, error);
    bool table = !session->options.no_table && !lauka_outputs_take_stdout(&session->options) &&
                 lauka_session_rounds(&session->results) > 0;
    bool shown = !table || write_text(session, written ? error : &table_error);
    if (session->options.github)
        write_annotations(session);
    if (!written && !shown)
        lauka_error_print(&table_error);
    return written && shown;
}

static void print_stderr_tail(const struct lauka_failure *failure)
{
    bool utf8 = lauka_terminal_detect(STDERR_FILENO, LAUKA_COLOR_NEVER).utf8;
    const char *line = failure->stderr_tail;

    if (*line)
        fputs("its stderr ended with:\n", stderr);
    while (*line) {
        size_t length = strcspn(line, "\n");
        char text[sizeof failure->stderr_tail];
        snprintf(text, sizeof text, "%.*s", (int)length, line);
        fputs("  | ", stderr); /* no line of others' begins as theirs */
        lauka_print_safely(text, utf8, stderr);
        fputc('\n', stderr);
        line += length + (line[length] == '\n');
    }
}

static void print_hint(const struct lauka_options *options)
{
    if (*options->hint && !options->quiet)
        fprintf(stderr, "lauka: %s\n", options->hint);
}

/* Every benchmark that it ended tells so. */
static void note_error(struct session *session, const struct lauka_error *error)
{
    const struct lauka_options *options = &session->options;

    for (size_t b = 0; b < session->results.benchmark_count; b++) {
        struct lauka_result *result = &session->results.benchmarks[b];
        struct lauka_options own;
        bool ended =
            b == 0 || result->run.stopped == LAUKA_STOPPED_ERROR || result->run.seconds <= 0;
        if (ended && lauka_options_of(options, b, &own) == 0) {
            lauka_failure_note_error(error, &own, result);
            lauka_options_of_done(&own);
        }
    }
}

/* What tells of failures is written even so. Always false. */
static bool report_nothing(struct session *session, struct lauka_error *error)
{
    struct lauka_error further;

    note_error(session, error);
    for (size_t b = 0; b < session->results.benchmark_count;
         b++) /* without memory: without numbers */
        (void)lauka_result_number_names(&session->results.benchmarks[b]);
    if (!lauka_outputs_write_failure(&session->outputs, &session->results, &further))
        lauka_error_print(&further);
    if (session->options.github)
        write_annotations(session);
    return false;
}

static void keep_so_far(void *context, const struct lauka_session *so_far)
{
    struct session *session = context;

    lauka_outputs_keep(&session->outputs, so_far);
}

static void keep_one_so_far(void *context, const struct lauka_result *so_far)
{
    struct session *session = context;
    struct lauka_result one = *so_far; /* borrows */
    const struct lauka_session results = {.benchmarks = &one, .benchmark_count = 1};

    one.provenance = session->provenance; /* what is merged of several parts has none yet */
    lauka_outputs_keep(&session->outputs, &results);
}

/* Each benchmark gets a copy of what is known of it. */
static bool tell_provenance(struct session *session)
{
    int failure = 0;

    for (size_t b = 0; b < session->results.benchmark_count && !failure; b++) {
        struct lauka_result_provenance *own = &session->results.benchmarks[b].provenance;
        lauka_provenance_done(own);
        failure = lauka_provenance_copy(&session->provenance, own);
    }
    return !failure;
}

static bool begin_provenance(struct session *session, struct lauka_error *error)
{
    return (lauka_provenance_begin(&session->provenance, &session->options) == 0 &&
            tell_provenance(session)) ||
           lauka_fail_memory(error);
}

/* Without memory it is left as it was. */
static void end_provenance(struct session *session)
{
    if (lauka_provenance_end(&session->provenance) == 0)
        (void)tell_provenance(session);
}

/* What disturbs on this machine, and what may be done about it. */
static bool face_machine(struct session *session, struct lauka_error *error)
{
    struct lauka_result *first = &session->results.benchmarks[0]; /* which tells it of all */

    return lauka_doctor_visit(&session->options, first, error) &&
           (!session->options.quiet_machine ||
            lauka_quiet(&session->options, session->launcher, first, error));
}

/* The first benchmark that failed; NULL: none did. */
static const struct lauka_measurement *find_failed(const struct session *session)
{
    const struct lauka_benchmarks *all = &session->benchmarks;

    for (size_t b = 0; all->benches && b < session->results.benchmark_count; b++)
        if (all->benches[b].failed)
            return &all->benches[b];
    return NULL;
}

/* What starting costs is the same in all: it is told of the first one in which it matters. */
static void note_floor(struct session *session)
{
    for (size_t b = 0; b < session->results.benchmark_count; b++) {
        struct lauka_result *result = &session->results.benchmarks[b];
        size_t warnings = result->warning_count;
        if (lauka_floor_note(session->launcher, result) != 0 || result->warning_count > warnings)
            return; /* of a note that is missing, nothing is said */
    }
}

static bool run_session(struct session *session, struct lauka_error *error)
{
    session->benchmarks = (struct lauka_benchmarks){
        .options = &session->options,
        .launcher = session->launcher,
        .session = &session->results,
        .kind = session->options.verb == LAUKA_VERB_SUITE ? &lauka_suited : NULL,
        .kind_context = &session->suite,
        .one_order = session->suite.whole && session->suite.whole->on,
        .keep_one = keep_one_so_far,
        .keep = keep_so_far,
        .context = session,
        .tells_executables = lauka_provenance_is_told(&session->options),
    };
    print_hint(&session->options);
    if (lauka_session_init(&session->results, session->options.benchmark_count) != 0)
        return lauka_fail_memory(error);
    if (!lauka_outputs_open(&session->outputs, &session->options, error))
        return false;
    if (!begin_provenance(session, error))
        return report_nothing(session, error);
    if (!session->options.pretended && !face_machine(session, error))
        return report_nothing(session, error);
    if (!session->options.pretended && !lauka_links_build(&session->options, error))
        return report_nothing(session, error);
    if (lauka_interrupt_signal() && session->options.links.count > 0)
        return true; /* some are not there */
    if (lauka_suite_note(&session->suite, &session->results.benchmarks[0]) != 0)
        return lauka_fail_memory(error);
    bool measured = lauka_benchmarks_run(&session->benchmarks, error);
    end_provenance(session);
    if (session->revisions.count > 0) /* without memory they are not told */
        (void)lauka_revisions_describe(&session->revisions, &session->options, &session->results);
    if (!measured && lauka_session_rounds(&session->results) == 0)
        return report_nothing(session, error);
    if (!measured)
        note_error(session, error);
    if (measured && session->options.verb != LAUKA_VERB_SUITE && !session->options.pretended &&
        !find_failed(session))
        note_floor(session);
    struct lauka_error report_error;
    bool reported = report(session, measured ? error : &report_error);
    if (!measured && !reported)
        lauka_error_print(&report_error);
    return measured && reported;
}

static bool run_revisions(struct session *session, struct lauka_error *error)
{
    struct lauka_revisions *revisions = &session->revisions;
    const struct lauka_options *options = &session->options;

    if (options->clean)
        return lauka_worktrees_open(&revisions->worktrees, options, error) &&
               lauka_worktrees_clean(&revisions->worktrees, error);
    if (!lauka_revisions_prepare(revisions, &session->options, error) ||
        !run_session(session, error))
        return false;
    return !options->first_slower || find_failed(session) || lauka_interrupt_signal() ||
           lauka_revisions_search(revisions, options, session->launcher, &session->results, error);
}

/* Always false: who gave up waiting for a file is not told that a system call was interrupted. */
static bool stop_reading(struct lauka_error *error)
{
    if (lauka_interrupt_signal())
        lauka_fail(error, (enum lauka_exit)(LAUKA_EXIT_SIGNAL + lauka_interrupt_signal()),
                   "interrupted while files were read; nothing was run");
    return false;
}

/* Files are read before documents are opened: one may be among them. */
static bool compare(struct session *session, struct lauka_error *error)
{
    return (lauka_compare_files(&session->options, &session->results, error) ||
            stop_reading(error)) &&
           lauka_outputs_open(&session->outputs, &session->options, error) &&
           report(session, error);
}

static void print_failures(const struct session *session, struct lauka_error *error)
{
    for (size_t b = 0; b < session->results.benchmark_count; b++) {
        const struct lauka_measurement *bench = &session->benchmarks.benches[b];
        if (!bench->failed)
            continue;
        lauka_failure_describe(&bench->failure, bench->options, error);
        lauka_error_print(error);
        print_stderr_tail(&bench->failure);
    }
}

static void print_stored_failures(const struct session *session)
{
    for (size_t b = 0; b < session->results.benchmark_count; b++) {
        const struct lauka_result *result = &session->results.benchmarks[b];
        struct lauka_error failed;
        if (!result->failure.known && !result->error.known)
            continue;
        lauka_failure_describe_stored(result, &failed);
        lauka_error_print(&failed);
    }
}

static bool has_error(const struct session *session)
{
    for (size_t b = 0; b < session->results.benchmark_count; b++)
        if (session->results.benchmarks[b].error.known)
            return true;
    return false;
}

/* What the exit code says once everything is written. */
static int conclude(struct session *session, struct lauka_error *error, bool good)
{
    if (find_failed(session)) {
        if (!good)
            lauka_error_print(error);
        print_failures(session, error);
        return LAUKA_EXIT_COMMAND_FAILED;
    }
    if (!good)
        lauka_error_print(error);
    if (lauka_interrupt_signal() && good) {
        if (lauka_session_rounds(&session->results) == 0 && session->results.benchmark_count > 0 &&
            session->results.benchmarks[0].command_count > 0)
            fputs("lauka: interrupted before a round was finished: nothing was measured\n", stderr);
        return LAUKA_EXIT_SIGNAL + lauka_interrupt_signal();
    }
    if (!good && has_error(session)) /* what is known tells of no command that it is good */
        return (int)error->code;
    if (session->judged)
        print_stored_failures(session);
    int gate = session->judged ? lauka_gate_conclude(&session->results, &session->options)
                               : LAUKA_EXIT_DONE;
    /* A report that could not be written does not make a regression undone. */
    return gate != LAUKA_EXIT_DONE || good ? gate : (int)error->code;
}

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

static int perform(struct session *session, struct lauka_error *error)
{
    switch (session->options.verb) {
    case LAUKA_VERB_VERSION:
        return conclude(session, error,
                        lauka_write_version(&session->options, &lauka_this_build, stdout, error));
    case LAUKA_VERB_HELP:
        return conclude(session, error, lauka_options_show_help(&session->options, stdout, error));
    case LAUKA_VERB_LIST:
        return conclude(session, error, lauka_list_events(&session->options, stdout, error));
    case LAUKA_VERB_DOCTOR:
        if (session->options.selftest)
            return conclude(session, error, lauka_selftest(session->launcher, stdout, error));
        return conclude(session, error,
                        lauka_doctor(&session->options, session->launcher, stdout, error));
    case LAUKA_VERB_THREADS:
        return conclude(session, error, lauka_watch_threads(&session->options, stdout, error));
    case LAUKA_VERB_RUN:
    case LAUKA_VERB_REVISIONS:
    case LAUKA_VERB_WHY:
    case LAUKA_VERB_NOISE:
    case LAUKA_VERB_SUITE:
    case LAUKA_VERB_COMPARE:
    case LAUKA_VERB_GATE:
    case LAUKA_VERB_REPORT:
        break;
    }
    if (session->options.verb == LAUKA_VERB_SUITE &&
        !lauka_suite_open(&session->suite, &session->options, error))
        return conclude(session, error, lauka_interrupt_signal() != 0);
    if (session->options.list_benchmarks) {
        lauka_benchmarks_list(&session->options, stdout);
        return conclude(session, error, true);
    }
    if (identity.other && !lauka_identity_become(&identity, error))
        return conclude(session, error, false); /* never as root, whatever was thought before */
    bool good = session->options.file_count > 0                 ? compare(session, error)
                : session->options.verb == LAUKA_VERB_REVISIONS ? run_revisions(session, error)
                                                                : run_session(session, error);
    return conclude(session, error, good);
}

/* Not before the launcher is forked: commands get the signals as lauka found them. */
static bool set_up_signals(struct lauka_error *error)
{
    signal(SIGPIPE, SIG_IGN); /* a closed stdout is an error to report, not an end */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file as large as files may be */
    int failure = lauka_interrupt_install();
    return failure == 0 ||
           lauka_fail(error, LAUKA_EXIT_INTERNAL, "cannot set up signals: %s", strerror(failure));
}

/* What was asked for, in words. */
struct wording {
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

    if (config->section_count == 0) {
        lauka_config_say(config, &wording->typed);
        return lauka_options_parse(arguments_of(wording), options, error);
    }
    bool good =
        lauka_options_parse_sections(config, &wording->typed, &wording->all, options, error);
    lauka_config_say(config, &wording->typed);
    options->config_path = config->path;
    return good;
}

static int run_once(struct lauka_launcher *launcher, struct wording *wording)
{
    static struct session session;
    struct lauka_error error = {.code = LAUKA_EXIT_INTERNAL};
    int code;

    session.launcher = launcher;
    session.revisions.worktrees.lock = -1;
    bool parsed = set_up_signals(&error) &&
                  (parse(wording, &session.options, &error) || stop_reading(&error));
    give_back_identity(&wording->typed);
    if (parsed) {
        code = perform(&session, &error);
    } else {
        lauka_error_print(&error);
        code = (int)error.code;
    }
    if (fflush(stdout) != 0 && code == LAUKA_EXIT_DONE) {
        lauka_fail(&error, LAUKA_EXIT_INTERNAL, "cannot write to stdout: %s", strerror(errno));
        lauka_error_print(&error);
        code = (int)error.code;
    }
    const struct lauka_measurement *failed = find_failed(&session);
    bool no_reference = failed && failed->failure.command == 0;
    if (lauka_arguments_bisect(
            arguments_of(wording))) /* it is the same in every step, and no step could be tested */
        code = lauka_bisect_code(no_reference ? LAUKA_EXIT_INTERNAL : code);
    lauka_launcher_close(session.launcher);
    lauka_benchmarks_done(&session.benchmarks);
    lauka_suite_close(&session.suite);
    lauka_session_done(&session.results);
    lauka_revisions_done(&session.revisions);
    lauka_provenance_done(&session.provenance);
    lauka_options_done(&session.options);
    return code;
}

/* Its exit code, which `git bisect run` takes for a verdict. */
static int refuse(const struct lauka_error *error, const struct lauka_arguments *arguments)
{
    lauka_error_print(error);
    return lauka_arguments_bisect(arguments) ? lauka_bisect_code((int)error->code)
                                             : (int)error->code;
}

static bool read_words(int argc, char **argv, struct lauka_launcher *launcher,
                       struct wording *wording, struct lauka_error *error)
{
    struct lauka_arguments *typed = &wording->typed;
    struct lauka_config *config = &wording->config;
    struct lauka_error unclear;
    bool read = lauka_words_read(argv + 1, argc > 0 ? (size_t)argc - 1 : 0, typed, error);
    bool clear = lauka_identity_find(&identity, lauka_arguments_as_root(typed), &unclear);

    return read && (!clear || settle_identity(typed, launcher, error)) &&
           lauka_config_read(typed, clear ? NULL : &unclear, config, error) &&
           (!config->path || config->section_count > 0 ||
            lauka_config_add(config, typed, 0, &wording->all, error));
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
    lauka_arguments_done(&wording.all);
    lauka_config_done(&wording.config);
    lauka_arguments_done(&wording.typed);
    return code;
}

int main(int argc, char **argv)
{
    struct lauka_launcher *launcher = NULL;
    struct lauka_error error = {.code = LAUKA_EXIT_INTERNAL};

    if (argc == 4 && strcmp(argv[1], LAUKA_SELFTEST_LOOP) == 0)
        return lauka_selftest_loop(argv[2], argv[3]);
    lauka_guard_descriptors();
    if (lauka_launcher_open(&lauka_launcher_program, &launcher,
                            &error)) /* before anything is allocated */
        return run(launcher, argc, argv);
    lauka_error_print(&error);
    return (int)error.code;
}
