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

#include <stdio.h>

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
        return lauka_reports_write_failure(program, error);
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
        return lauka_reports_write_failure(program, error);
    if (!program->options.pretended && !face_machine(program, error))
        return lauka_reports_write_failure(program, error);
    if (!program->options.pretended && !lauka_links_build(&program->options, error))
        return lauka_reports_write_failure(program, error);
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
        return lauka_reports_write_failure(program, error);
    if (!measured)
        lauka_reports_note_error(program, error);
    if (measured && !program->options.is_suite && !program->options.pretended &&
        !lauka_conclusion_find_failed(program))
        note_floor(program);
    if (!program->options.first_slower) {
        lauka_launcher_dismiss(program->launcher); /* its end takes as long as many a report */
        lauka_interrupt_let_write();
    }
    note_signal(&program->results);
    struct lauka_error report_error;
    bool reported = lauka_reports_write(program, measured ? error : &report_error);
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
    if (options->list_benchmarks) { /* they are known now */
        lauka_benchmarks_list(options, stdout);
        return true;
    }
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
    return lauka_reports_write(program, error);
}
