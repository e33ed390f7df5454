/* A session from opening its first document to writing its last one: measured, of revisions, or read from
 * files. */
#include "runner/program/program.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "runner/base/base.h"
#include "runner/launch/launch.h"
#include "runner/machine/machine.h"
#include "runner/provenance/provenance.h"
#include "runner/revisions/revisions.h"
#include "runner/session/session.h"
#include "runner/subcommands/subcommands.h"
#include "runner/suite/suite.h"
#include "report/analysis/analysis.h"
#include "report/ci/ci.h"
#include "report/terminal/terminal.h"
#include "report/text/prose.h"
#include "report/text/text.h"
#include "report/words/why.h"
#include "runner/options/options.h"
#include "runner/gate/gate.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what is written once a session is over --------------------------------------------------- */

/* Documents, the screen, annotations; and, for a failed session, what reports the failure. */

/* Returns 0 or an errno. */
static int write_one(const struct lauka_program_state *program, const struct lauka_result *result,
                     bool in_full, struct lauka_terminal terminal, FILE *out)
{
    int failure = in_full ? lauka_write_table(result, terminal, out)
                          : lauka_write_screen(result, terminal, out);

    if (!failure)
        failure = lauka_write_hosts(result, terminal, out);
    if (!failure)
        failure = lauka_write_why(result, in_full, terminal, out);
    if (!failure && program->options.percentiles)
        failure = lauka_write_percentiles(result, terminal, out);
    if (!failure && program->options.plot)
        failure = lauka_write_plot(result, terminal, out);
    return failure;
}

static void print_heading(const char *name, bool follows, struct lauka_terminal terminal, FILE *out)
{
    char *safe = lauka_safe_text(name, terminal.utf8);

    fputs(follows ? "\n" : "", out);
    lauka_put_styled(safe ? safe : "?", LAUKA_STYLE_HEADING, terminal, out);
    fputc('\n', out);
    free(safe);
}

/* One benchmark of many, which the overview mentions. Its text begins with an empty line. */
static int write_why(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    if (!lauka_result_tells_why(result))
        return 0;
    if (result->benchmark.name)
        print_heading(result->benchmark.name, true, terminal, out);
    return lauka_write_why(result, false, terminal, out);
}

/* Whether --full asks for it: all of them, or those of a name. */
static bool is_full(const struct lauka_program_state *program, const char *name)
{
    const char *full = program->options.full;

    return full && (!*full || (name && (strcmp(full, name) == 0 || fnmatch(full, name, 0) == 0)));
}

/* Returns 0 or an errno. */
static int write_tables(const struct lauka_program_state *program, struct lauka_terminal terminal,
                        FILE *out)
{
    const bool several = program->results.benchmark_count > 1;
    int failure = several ? lauka_write_overview(&program->results, terminal, out) : 0;

    for (size_t b = 0; b < program->results.benchmark_count && !failure; b++) {
        const struct lauka_result *result = &program->results.benchmarks[b];
        bool in_full = is_full(program, result->benchmark.name);
        if (result->run.rounds == 0)
            continue;
        if (several && !in_full) {
            failure = write_why(result, terminal, out);
            continue;
        }
        if (result->benchmark.name) {
            print_heading(result->benchmark.name, several, terminal, out);
            fputc('\n', out);
        }
        failure = write_one(program, result, in_full, terminal, out);
    }
    return failure;
}

/* In memory first: no line is wider than the terminal, whoever made it. */
static bool write_table(const struct lauka_program_state *program, struct lauka_error *error)
{
    const struct lauka_terminal terminal =
        lauka_terminal_detect(STDOUT_FILENO, program->options.color);
    struct lauka_prose prose = lauka_prose_begin(stdout, terminal);

    lauka_prose_capture(&prose);
    if (prose.out)
        lauka_prose_fail(&prose, write_tables(program, terminal, prose.out));
    lauka_put_folded(&prose, lauka_prose_captured(&prose));
    int failure = lauka_prose_end(&prose);
    return !failure || lauka_fail_stdout(error, failure);
}

/* GitHub's runner takes nothing in the table for a command. */
static bool write_text(const struct lauka_program_state *program, struct lauka_error *error)
{
    char token[33];

    if (!program->options.github)
        return write_table(program, error);
    lauka_github_begin_text(token);
    bool good = write_table(program, error);
    lauka_github_end_text(token);
    return good;
}

static void write_annotations(const struct lauka_program_state *program)
{
    if (program->results.benchmark_count > 0)
        lauka_write_annotations(&program->results, stdout);
}

static bool analyse(struct lauka_program_state *program)
{
    for (size_t b = 0; b < program->results.benchmark_count; b++)
        if (program->options.sorted && lauka_result_sort(&program->results.benchmarks[b]) != 0)
            return false;
    return lauka_session_analyse(&program->results) == 0;
}

/* Analyses the results and writes everything that was asked for. If one document fails, the others are
 * still written; the first error is returned. */
static bool write_reports(struct lauka_program_state *program, struct lauka_error *error)
{
    struct lauka_error table_error;

    if (!analyse(program))
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory for the analysis");
    program->judged = true;
    bool written = lauka_outputs_write(&program->outputs, &program->results, error);
    bool table = !program->options.no_table && !lauka_outputs_take_stdout(&program->options) &&
                 lauka_session_rounds(&program->results) > 0;
    bool shown = !table || write_text(program, written ? error : &table_error);
    if (program->options.github)
        write_annotations(program);
    if (!written && !shown)
        lauka_error_print(&table_error);
    return written && shown;
}

/* Marks every benchmark that the error ended. */
static void note_error(struct lauka_program_state *program, const struct lauka_error *error)
{
    const struct lauka_options *options = &program->options;

    for (size_t b = 0; b < program->results.benchmark_count; b++) {
        struct lauka_result *result = &program->results.benchmarks[b];
        struct lauka_options own;
        bool ended =
            b == 0 || result->run.stopped == LAUKA_STOPPED_ERROR || result->run.seconds <= 0;
        if (ended && lauka_options_of(options, b, &own) == 0)
            lauka_failure_note_error(error, &own, result);
    }
}

/* For a session in which nothing was measured: still writes the documents that report failures. Always
 * false. */
static bool write_failure(struct lauka_program_state *program, struct lauka_error *error)
{
    struct lauka_error further;

    note_error(program, error);
    for (size_t b = 0; b < program->results.benchmark_count;
         b++) /* without memory: without numbers */
        (void)lauka_result_number_names(&program->results.benchmarks[b]);
    if (!lauka_outputs_write_failure(&program->outputs, &program->results, &further))
        lauka_error_print(&further);
    if (program->options.github)
        write_annotations(program);
    return false;
}

/* ---- sessions --------------------------------------------------------------------------------- */

bool lauka_sessions_stop_reading(struct lauka_error *error)
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
static void end_keeping(struct lauka_program_state *program)
{
    lauka_process_release_program();
    program->has_kept = true;
}

static void keep_so_far(void *context, const struct lauka_session *so_far)
{
    struct lauka_program_state *program = context;

    lauka_outputs_keep(&program->outputs, so_far);
    end_keeping(program);
}

static void keep_one_so_far(void *context, const struct lauka_result *so_far)
{
    struct lauka_program_state *program = context;
    struct lauka_result one = *so_far; /* borrows */
    const struct lauka_session results = {.benchmarks = &one, .benchmark_count = 1};

    one.provenance = program->provenance; /* what is merged of several parts has none yet */
    lauka_outputs_keep(&program->outputs, &results);
    end_keeping(program);
}

/* Each benchmark gets a copy of what is known about it. */
static bool tell_provenance(struct lauka_program_state *program)
{
    int failure = 0;

    for (size_t b = 0; b < program->results.benchmark_count && !failure; b++) {
        struct lauka_result_provenance *own = &program->results.benchmarks[b].provenance;
        lauka_record_done(&lauka_provenance_record, own);
        failure = lauka_record_copy(&lauka_provenance_record, &program->provenance, own);
    }
    return !failure;
}

static bool begin_provenance(struct lauka_program_state *program, struct lauka_error *error)
{
    return (lauka_provenance_begin(&program->provenance, &program->options) == 0 &&
            tell_provenance(program)) ||
           lauka_fail_memory(error);
}

/* Without memory it is left as it was. */
static void end_provenance(struct lauka_program_state *program)
{
    if (lauka_provenance_end(&program->provenance) == 0)
        (void)tell_provenance(program);
}

/* What disturbs measurements on this machine, and what can be done about it. */
static bool face_machine(struct lauka_program_state *program, struct lauka_error *error)
{
    struct lauka_result *first = &program->results.benchmarks[0]; /* which tells it of all */

    return lauka_doctor_visit(&program->options, first, error) &&
           (!program->options.quiet_machine ||
            lauka_quiet(&program->options, program->launcher, first, error));
}

/* The cost of starting is the same in all benchmarks: it is noted in the first one in which it matters. */
static void note_floor(struct lauka_program_state *program)
{
    for (size_t b = 0; b < program->results.benchmark_count; b++) {
        struct lauka_result *result = &program->results.benchmarks[b];
        size_t warnings = result->warning_count;
        if (lauka_floor_note(program->launcher, result) != 0 || result->warning_count > warnings)
            return; /* of a note that is missing, nothing is said */
    }
}

/* Without a document, nobody would see what is known so far. */
static void keep_documents(struct lauka_program_state *program)
{
    if (!lauka_outputs_can_be_kept(&program->outputs))
        return;
    program->benchmarks.keep_one = keep_one_so_far;
    program->benchmarks.keep = keep_so_far;
}

bool lauka_sessions_report_early(struct lauka_program_state *program, struct lauka_error *error)
{
    const size_t count = program->options.benchmark_count;
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

bool lauka_sessions_run(struct lauka_program_state *program, struct lauka_error *error)
{
    program->benchmarks = (struct lauka_benchmarks){
        .options = &program->options,
        .launcher = program->launcher,
        .session = &program->results,
        .kind = program->options.is_suite ? &lauka_suited : NULL,
        .kind_context = &program->suite,
        .one_order = program->suite.whole && program->suite.whole->on,
        .context = program,
        .tells_executables = lauka_provenance_is_told(&program->options),
    };
    print_hint(&program->options);
    if (lauka_session_init(&program->results, program->options.benchmark_count) != 0)
        return lauka_fail_memory(error);
    if (!lauka_outputs_open(&program->outputs, &program->options, error))
        return false;
    keep_documents(program);
    if (!begin_provenance(program, error))
        return write_failure(program, error);
    if (!program->options.pretended && !face_machine(program, error))
        return write_failure(program, error);
    if (!program->options.pretended && !lauka_links_build(&program->options, error))
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
    if (!measured && lauka_session_rounds(&program->results) == 0)
        return write_failure(program, error);
    if (!measured)
        note_error(program, error);
    if (measured && !program->options.is_suite && !program->options.pretended &&
        !lauka_conclusion_find_failed(program))
        note_floor(program);
    if (!program->options.first_slower) {
        lauka_launcher_dismiss(program->launcher); /* its end takes as long as many a report */
        lauka_interrupt_let_write();
    }
    note_signal(&program->results);
    struct lauka_error report_error;
    bool reported = write_reports(program, measured ? error : &report_error);
    if (!measured && !reported)
        lauka_error_print(&report_error);
    return measured && reported;
}

bool lauka_sessions_run_revisions(struct lauka_program_state *program, struct lauka_error *error)
{
    struct lauka_revisions *revisions = &program->revisions;
    const struct lauka_options *options = &program->options;

    if (options->clean)
        return lauka_worktrees_open(&revisions->worktrees, options, error) &&
               lauka_worktrees_clean(&revisions->worktrees, error);
    if (!lauka_revisions_prepare(revisions, &program->options, error))
        return lauka_sessions_report_early(program, error);
    if (options->is_suite &&
        !lauka_suite_open(&program->suite, program->launcher, &program->options, error))
        return lauka_sessions_report_early(program, error) || lauka_interrupt_signal() != 0;
    if (options->list_benchmarks) /* they are known now */
        return lauka_benchmarks_list(options, stdout, error);
    if (!lauka_sessions_run(program, error))
        return false;
    return !options->first_slower || lauka_conclusion_find_failed(program) ||
           lauka_interrupt_signal() ||
           lauka_revisions_search(revisions, options, program->launcher, &program->results, error);
}

/* Files are read before documents are opened: one may be among them. */
bool lauka_sessions_compare(struct lauka_program_state *program, struct lauka_error *error)
{
    if (!(lauka_compare_files(&program->options, &program->results, error) ||
          lauka_sessions_stop_reading(error)) ||
        !lauka_outputs_open(&program->outputs, &program->options, error))
        return false;
    lauka_interrupt_let_write();
    return write_reports(program, error);
}

/* ---- the exit code once everything is written, and what stderr says with it ------------------- */

const struct lauka_measurement *
lauka_conclusion_find_failed(const struct lauka_program_state *program)
{
    const struct lauka_benchmarks *all = &program->benchmarks;

    for (size_t b = 0; all->benches && b < program->results.benchmark_count; b++)
        if (all->benches[b].failed)
            return &all->benches[b];
    return NULL;
}

static void print_stderr_tail(const struct lauka_failure *failure)
{
    if (*failure->stderr_tail)
        fputs("its stderr ended with:\n", stderr);
    lauka_helper_show_lines(failure->stderr_tail);
}

static void print_failures(const struct lauka_program_state *program, struct lauka_error *error)
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
static void print_stored_endings(const struct lauka_program_state *program)
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

static bool has_error(const struct lauka_program_state *program)
{
    for (size_t b = 0; b < program->results.benchmark_count; b++)
        if (program->results.benchmarks[b].error.known)
            return true;
    return false;
}

int lauka_conclusion_reach(struct lauka_program_state *program, struct lauka_error *error,
                           bool good)
{
    if (lauka_conclusion_find_failed(program)) {
        if (!good)
            lauka_error_print(error);
        print_failures(program, error);
        return LAUKA_EXIT_COMMAND_FAILED;
    }
    if (!good)
        lauka_error_print(error);
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
    if (good && program->options.verb == LAUKA_VERB_SUITE && !program->options.list_benchmarks &&
        !lauka_suite_is_whole(&program->suite, &program->options, error)) {
        lauka_error_print(error);
        return LAUKA_EXIT_COMMAND_FAILED;
    }
    /* A report that could not be written does not make a regression undone. */
    return gate != LAUKA_EXIT_DONE || good ? gate : (int)error->code;
}
