/* The lauka program: reads its words and does what they ask for, a session from its first document to its exit code. The
 * only place that exits. */
#include "runner/options.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/gate/gate.h"
#include "runner/history/history.h"
#include "runner/kept/kept.h"
#include "runner/launch/launch.h"
#include "runner/machine/machine.h"
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/provenance/provenance.h"
#include "runner/revisions/revisions.h"
#include "runner/service/service.h"
#include "runner/session/session.h"
#include "runner/subcommands/subcommands.h"
#include "runner/suite/suite.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/analysis/analysis.h"
#include "report/ci/ci.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct program { /* owned, all of it, but for the launcher */
    struct lauka_options options;
    struct lauka_launcher *launcher;
    struct lauka_session results;
    struct lauka_benchmarks benchmarks;
    struct lauka_suite suite; /* where the options are a suite's */
    struct lauka_outputs outputs;
    struct lauka_result_provenance provenance; /* owned */
    struct lauka_revisions revisions;          /* of LAUKA_VERB_REVISIONS */
    struct lauka_kept kept;                    /* of commands that are kept programs */
    bool judged;      /* the results are complete, and so is what the gate says of them */
    int history_code; /* of LAUKA_VERB_HISTORY, where nothing failed */
    bool has_kept;    /* documents of what was known so far */
};

/* The first benchmark that failed; NULL: none did. */
static const struct lauka_measurement *find_failed(const struct program *program)
{
    const struct lauka_benchmarks *all = &program->benchmarks;

    for (size_t b = 0; all->benches && b < program->results.benchmark_count; b++)
        if (all->benches[b].failed)
            return &all->benches[b];
    return NULL;
}

/* ---- what is written once a session is over --------------------------------------------------- */

/* Documents, the screen, annotations; and, for a failed session, what reports the failure. */

static void write_annotations(const struct program *program)
{
    if (program->results.benchmark_count > 0)
        lauka_write_annotations(&program->results, stdout);
}

static bool analyse(struct program *program)
{
    for (size_t b = 0; b < program->results.benchmark_count; b++)
        if (program->options.write.sorted &&
            lauka_result_sort(&program->results.benchmarks[b]) != 0)
            return false;
    return lauka_session_analyse(&program->results) == 0;
}

/* Analyses the results and writes everything that was asked for. If one document fails, the others are
 * still written; the first error is returned. */
static bool write_reports(struct program *program, struct lauka_error *error)
{
    struct lauka_error table_error;

    if (!analyse(program))
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory for the analysis");
    program->judged = true;
    bool written = lauka_outputs_write(&program->outputs, &program->results, false, error);
    bool table = !program->options.write.no_table &&
                 !lauka_outputs_take_stdout(&program->options) &&
                 lauka_session_rounds(&program->results) > 0;
    bool shown = !table || lauka_outputs_show(&program->options, &program->results,
                                              written ? error : &table_error);
    if (program->options.write.github)
        write_annotations(program);
    if (!written && !shown)
        lauka_error_print(&table_error);
    return written && shown;
}

/* Marks every benchmark that the error ended. */
static void note_error(struct program *program, const struct lauka_error *error)
{
    const struct lauka_options *options = &program->options;

    for (size_t b = 0; b < program->results.benchmark_count; b++) {
        struct lauka_result *result = &program->results.benchmarks[b];
        struct lauka_options own = *options; /* before stored benchmarks are known */
        bool ended =
            b == 0 || result->run.stopped == LAUKA_STOPPED_ERROR || result->run.seconds <= 0;
        if (ended && (!options->run.benchmarks || lauka_options_of(options, b, &own) == 0))
            lauka_failure_note_error(error, &own, result);
    }
}

/* For a session in which nothing was measured: still writes the documents that report failures. Always
 * false. */
static bool write_failure(struct program *program, struct lauka_error *error)
{
    struct lauka_error further;

    note_error(program, error);
    for (size_t b = 0; b < program->results.benchmark_count;
         b++) /* without memory: without numbers */
        (void)lauka_result_number_names(&program->results.benchmarks[b]);
    if (!lauka_outputs_write(&program->outputs, &program->results, true, &further))
        lauka_error_print(&further);
    if (program->options.write.github)
        write_annotations(program);
    return false;
}

/* ---- sessions --------------------------------------------------------------------------------- */

/* Always false: if waiting for a file was given up, the message is not "interrupted system call". */
static bool stop_reading(struct lauka_error *error)
{
    if (lauka_interrupt_signal())
        lauka_fail(error, lauka_interrupt_exit(),
                   "interrupted while files were read; nothing was run");
    return false;
}

static void print_hint(const struct lauka_options *options)
{
    if (*options->hint && !options->quiet)
        fprintf(stderr, "lauka: %s\n", options->hint);
}

/* Half of the program was needed for it, which measuring does without. */
static void end_keeping(struct program *program)
{
    lauka_process_release_program();
    program->has_kept = true;
}

static void keep_so_far(void *context, const struct lauka_session *so_far)
{
    struct program *program = context;

    lauka_outputs_keep(&program->outputs, so_far);
    end_keeping(program);
}

static void keep_one_so_far(void *context, const struct lauka_result *so_far)
{
    struct program *program = context;
    struct lauka_result one = *so_far; /* borrows */
    const struct lauka_session results = {.benchmarks = &one, .benchmark_count = 1};

    one.provenance = program->provenance; /* what is merged of several parts has none yet */
    lauka_outputs_keep(&program->outputs, &results);
    end_keeping(program);
}

/* Each benchmark gets a copy of what is known about it. */
static bool tell_provenance(struct program *program)
{
    int failure = 0;

    for (size_t b = 0; b < program->results.benchmark_count && !failure; b++) {
        struct lauka_result_provenance *own = &program->results.benchmarks[b].provenance;
        lauka_record_done(&lauka_provenance_record, own);
        failure = lauka_record_copy(&lauka_provenance_record, &program->provenance, own);
    }
    return !failure;
}

static bool begin_provenance(struct program *program, struct lauka_error *error)
{
    return (lauka_provenance_begin(&program->provenance, &program->options) == 0 &&
            tell_provenance(program)) ||
           lauka_fail_memory(error);
}

/* Without memory it is left as it was. */
static void end_provenance(struct program *program)
{
    if (lauka_provenance_end(&program->provenance) == 0)
        (void)tell_provenance(program);
}

/* What disturbs measurements on this machine, and what can be done about it. */
static bool face_machine(struct program *program, struct lauka_error *error)
{
    struct lauka_result *first = &program->results.benchmarks[0]; /* which tells it of all */

    return lauka_doctor_visit(&program->options, first, error) &&
           (!program->options.measure.quiet_machine ||
            lauka_quiet(&program->options, program->launcher, first, error));
}

/* The cost of starting is the same in all benchmarks: it is noted in the first one in which it matters. */
static void note_floor(struct program *program)
{
    for (size_t b = 0; b < program->results.benchmark_count; b++) {
        struct lauka_result *result = &program->results.benchmarks[b];
        size_t warnings = result->warning_count;
        if (lauka_floor_note(program->launcher, result) != 0 || result->warning_count > warnings)
            return; /* of a note that is missing, nothing is said */
    }
}

/* Without a document, nobody would see what is known so far. */
static void keep_documents(struct program *program)
{
    if (!lauka_outputs_can_be_kept(&program->outputs))
        return;
    program->benchmarks.keep_one = keep_one_so_far;
    program->benchmarks.keep = keep_so_far;
}

/* Where an error ends a session before its documents are opened: those that report failures do, and of others it is
 * said that they are of an earlier session. If a signal was the cause, the error becomes one that says so. Always
 * false. */
static bool report_early(struct program *program, struct lauka_error *error)
{
    const size_t count = program->options.run.benchmark_count;
    struct lauka_error further;

    if (lauka_interrupt_signal() &&
        error->code < LAUKA_EXIT_SIGNAL) /* what was asked has no answer */
        lauka_fail(error, lauka_interrupt_exit(), "interrupted before anything was measured");
    if (lauka_session_init(&program->results, count > 0 ? count : 1) != 0)
        return false;
    if (lauka_outputs_open(&program->outputs, &program->options, &further))
        return write_failure(program, error);
    lauka_error_print(&further);
    return false;
}

/* A signal that came once all rounds were there ended something else: a cleanup, the last notes. */
static void note_signal(struct lauka_session *session)
{
    struct lauka_result *last = &session->benchmarks[session->benchmark_count - 1];

    if (lauka_interrupt_signal() && lauka_session_ending(session) == LAUKA_ENDED_WELL)
        last->run.stopped = LAUKA_STOPPED_INTERRUPTED;
}

/* What was interrupted is no point of it. */
static bool keep_in_history(struct program *program, struct lauka_error *error)
{
    return !program->options.run.history || find_failed(program) || lauka_interrupt_signal() ||
           lauka_history_keep(&program->options, &program->results, error);
}

/* Each opens the documents, fills the results and writes them. False with the error; what was measured
 * until then is written. */
static bool run_session(struct program *program, struct lauka_error *error)
{
    program->benchmarks = (struct lauka_benchmarks){
        .options = &program->options,
        .launcher = program->launcher,
        .session = &program->results,
        .kind = program->options.run.is_suite                                 ? &lauka_suited
                : program->options.service.ready.way != LAUKA_READY_NOT_ASKED ? &lauka_served
                                                                              : NULL,
        .kind_context = &program->suite,
        .one_order = program->suite.whole.on,
        .context = program,
        .tells_executables = lauka_provenance_is_told(&program->options),
    };
    print_hint(&program->options);
    if (lauka_session_init(&program->results, program->options.run.benchmark_count) != 0)
        return lauka_fail_memory(error);
    if (!lauka_outputs_open(&program->outputs, &program->options, error))
        return false;
    keep_documents(program);
    if (!begin_provenance(program, error))
        return write_failure(program, error);
    if (!program->options.measure.pretended && !face_machine(program, error))
        return write_failure(program, error);
    if (!program->options.measure.pretended && !lauka_links_build(&program->options, error))
        return write_failure(program, error);
    if (lauka_suite_note(&program->suite, &program->options, &program->results.benchmarks[0]) != 0)
        return lauka_fail_memory(error);
    bool measured = lauka_benchmarks_run(&program->benchmarks, error);
    if (lauka_suite_note_counts(&program->suite, &program->results.benchmarks[0]) != 0)
        return lauka_fail_memory(error);
    end_provenance(program);
    if (program->has_kept) /* a long session: there is time for it, and much to analyse */
        lauka_process_release_program();
    if (program->revisions.count > 0) /* without memory they are not told */
        (void)lauka_revisions_describe(&program->revisions, &program->options, &program->results);
    (void)lauka_kept_describe(&program->kept, &program->options, &program->results);
    if (!measured && lauka_session_rounds(&program->results) == 0)
        return write_failure(program, error);
    if (!measured)
        note_error(program, error);
    if (measured && !program->options.run.is_suite && !program->options.measure.pretended &&
        !find_failed(program))
        note_floor(program);
    if (!program->options.run.first_slower) {
        lauka_launcher_dismiss(program->launcher); /* its end takes as long as many a report */
        lauka_interrupt_let_write();
    }
    note_signal(&program->results);
    struct lauka_error report_error;
    bool reported = write_reports(program, measured ? error : &report_error);
    if (!measured && !reported)
        lauka_error_print(&report_error);
    return measured && reported && keep_in_history(program, error);
}

/* To ask programs for their benchmarks takes time of --budget, too. */
static bool open_suite(struct program *program, struct lauka_error *error)
{
    const uint64_t begun_ns = lauka_now_ns();
    uint64_t *budget_ns = &program->options.measure.budget_ns;
    bool good = lauka_suite_open(&program->suite, program->launcher, &program->options, error);
    const uint64_t gone_ns = lauka_now_ns() - begun_ns;

    if (*budget_ns > 0)
        *budget_ns = *budget_ns > gone_ns ? *budget_ns - gone_ns : 1;
    return good;
}

static bool run_revisions(struct program *program, struct lauka_error *error)
{
    struct lauka_revisions *revisions = &program->revisions;
    const struct lauka_options *options = &program->options;

    if (options->run.clean)
        return lauka_worktrees_open(&revisions->worktrees, options, error) &&
               lauka_worktrees_clean(&revisions->worktrees, error);
    if (!lauka_revisions_prepare(revisions, &program->options, error))
        return report_early(program, error);
    if (options->run.is_suite && !open_suite(program, error))
        return report_early(program, error) || lauka_interrupt_signal() != 0;
    if (options->run.list_benchmarks) /* they are known now */
        return lauka_benchmarks_list(options, stdout, error);
    if (!run_session(program, error))
        return false;
    return !options->run.first_slower || find_failed(program) || lauka_interrupt_signal() ||
           lauka_revisions_search(revisions, options, program->launcher, &program->results, error);
}

/* Files are read before documents are opened: one may be among them. */
static bool compare_stored(struct program *program, struct lauka_error *error)
{
    if (!(lauka_compare_files(&program->options, &program->results, error) ||
          stop_reading(error)) ||
        (program->options.run.history &&
         !lauka_history_compare(&program->options, &program->results, error)) ||
        !lauka_outputs_open(&program->outputs, &program->options, error))
        return false;
    lauka_interrupt_let_write();
    return write_reports(program, error);
}

/* ---- the exit code once everything is written, and what stderr says with it ------------------- */

static void print_stderr_tail(const struct lauka_failure *failure)
{
    if (*failure->stderr_tail)
        fprintf(stderr, "its %s ended with:\n", failure->tail_is_output ? "output" : "stderr");
    lauka_helper_show_lines(failure->stderr_tail);
}

static void print_failures(const struct program *program, struct lauka_error *error)
{
    for (size_t b = 0; b < program->results.benchmark_count; b++) {
        const struct lauka_measurement *bench = &program->benchmarks.benches[b];
        if (!bench->failed)
            continue;
        lauka_failure_describe(&bench->failure, bench->options, error);
        lauka_error_print(error);
        print_stderr_tail(&bench->failure);
    }
}

/* Each failure; of benchmarks that something else ended, which is mostly the same for all, the first. */
static void print_stored_endings(const struct program *program)
{
    size_t others = 0;

    for (size_t b = 0; b < program->results.benchmark_count; b++) {
        const struct lauka_result *result = &program->results.benchmarks[b];
        struct lauka_error ended;
        if (lauka_result_ended_well(result) || (!result->failure.known && others++ > 0))
            continue;
        lauka_failure_describe_stored(result, &ended);
        lauka_error_print(&ended);
    }
    if (others > 1)
        fprintf(stderr, "lauka: %zu more benchmark%s did not end well\n", others - 1,
                others == 2 ? "" : "s");
}

static bool has_error(const struct program *program)
{
    for (size_t b = 0; b < program->results.benchmark_count; b++)
        if (program->results.benchmarks[b].error.known)
            return true;
    return false;
}

/* Prints what failed, or the error where !good, and the gate's conclusion. Returns the exit code. */
static int conclude(struct program *program, struct lauka_error *error, bool good)
{
    if (find_failed(program)) {
        if (!good)
            lauka_error_print(error);
        print_failures(program, error);
        return LAUKA_EXIT_COMMAND_FAILED;
    }
    if (!good)
        lauka_error_print(error);
    if (good && program->history_code != LAUKA_EXIT_DONE)
        return program->history_code;
    if (lauka_interrupt_signal() && good) {
        if (lauka_session_rounds(&program->results) == 0 && program->results.benchmark_count > 0 &&
            program->results.benchmarks[0].command_count > 0)
            fputs("lauka: interrupted before a round was finished: nothing was measured\n", stderr);
        return (int)lauka_interrupt_exit();
    }
    if (!good && has_error(program)) /* what is known tells of no command that it is good */
        return (int)error->code;
    if (program->judged)
        print_stored_endings(program);
    int gate = program->judged ? lauka_gate_conclude(&program->results, &program->options)
                               : LAUKA_EXIT_DONE;
    if (good && program->options.verb == LAUKA_VERB_SUITE &&
        !program->options.run.list_benchmarks &&
        !lauka_suite_is_whole(&program->suite, &program->options, error)) {
        lauka_error_print(error);
        return LAUKA_EXIT_COMMAND_FAILED;
    }
    /* A report that could not be written does not make a regression undone. */
    return gate != LAUKA_EXIT_DONE || good ? gate : (int)error->code;
}

/* ---- what is asked for --------------------------------------------------------------------------- */

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

/* Results, measured or read: what they say, and whether that could be written. */
static bool make_results(struct program *program, struct lauka_error *error)
{
    const struct lauka_options *options = &program->options;

    if (!lauka_kept_prepare(&program->kept, &program->options, error))
        return report_early(program, error);
    if (options->verb == LAUKA_VERB_SUITE && !open_suite(program, error))
        return report_early(program, error) || lauka_interrupt_signal() != 0;
    if (options->run.list_benchmarks && !options->run.suite)
        return lauka_benchmarks_list(options, stdout, error);
    if (identity.other && !lauka_identity_become(&identity, error))
        return false; /* never as root, whatever was thought before */
    return options->run.file_count > 0             ? compare_stored(program, error)
           : options->verb == LAUKA_VERB_REVISIONS ? run_revisions(program, error)
                                                   : run_session(program, error);
}

static bool perform(struct program *program, struct lauka_error *error)
{
    const struct lauka_options *options = &program->options;

    switch (options->verb) {
    case LAUKA_VERB_VERSION:
        return lauka_write_version(options, &lauka_this_build, stdout, error);
    case LAUKA_VERB_HELP:
        return lauka_options_show_help(options, stdout, error);
    case LAUKA_VERB_LIST:
        return lauka_list_events(&program->options, stdout, error);
    case LAUKA_VERB_CI:
        return (!identity.other || lauka_identity_become(&identity, error)) &&
               lauka_ci_init(options, stdout, error);
    case LAUKA_VERB_DOCTOR:
        return options->run.selftest ? lauka_selftest(program->launcher, stdout, error)
                                     : lauka_doctor(options, program->launcher, stdout, error);
    case LAUKA_VERB_THREADS:
        return lauka_watch_threads(options, stdout, error);
    case LAUKA_VERB_KEEP:
        return lauka_keep_act(options, stdout, error);
    case LAUKA_VERB_HISTORY:
        return lauka_history_run(options, stdout, &program->history_code, error);
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
    return make_results(program, error);
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
        options->write.config_path = config->path;
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
    static struct program program;
    struct lauka_error error = {.code = LAUKA_EXIT_INTERNAL};
    int code;

    program.launcher = launcher;
    program.revisions.worktrees.lock = -1;
    bool parsed = set_up_signals(launcher, &error) &&
                  (parse(wording, &program.options, &error) || stop_reading(&error));
    give_back_identity(&wording->typed);
    if (parsed) {
        code = conclude(&program, &error, perform(&program, &error));
    } else {
        lauka_error_print(&error);
        code = (int)error.code;
    }
    if (!finish_stdout(&error) && code == LAUKA_EXIT_DONE) {
        lauka_error_print(&error);
        code = (int)error.code;
    }
    const struct lauka_measurement *failed = find_failed(&program);
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
    lauka_kept_done(&program.kept);
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
