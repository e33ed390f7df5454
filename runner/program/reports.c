/* What is written once a session is over: documents, the screen, annotations; and, for a failed session,
 * what reports the failure. */
#include "runner/program/program.h"
#include "report/analysis/analysis.h"
#include "report/ci/ci.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/terminal/terminal.h"
#include "report/text/text.h"
#include "report/words/why.h"
#include "runner/base/base.h"
#include "runner/options/options.h"
#include "runner/session/session.h"
#include "runner/subcommands/subcommands.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

bool lauka_reports_write(struct lauka_program_state *program, struct lauka_error *error)
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

void lauka_reports_note_error(struct lauka_program_state *program, const struct lauka_error *error)
{
    const struct lauka_options *options = &program->options;

    for (size_t b = 0; b < program->results.benchmark_count; b++) {
        struct lauka_result *result = &program->results.benchmarks[b];
        struct lauka_options own;
        bool ended =
            b == 0 || result->run.stopped == LAUKA_STOPPED_ERROR || result->run.seconds <= 0;
        if (ended && lauka_options_of(options, b, &own) == 0) {
            lauka_failure_note_error(error, &own, result);
            lauka_options_of_done(&own);
        }
    }
}

bool lauka_reports_write_failure(struct lauka_program_state *program, struct lauka_error *error)
{
    struct lauka_error further;

    lauka_reports_note_error(program, error);
    for (size_t b = 0; b < program->results.benchmark_count;
         b++) /* without memory: without numbers */
        (void)lauka_result_number_names(&program->results.benchmarks[b]);
    if (!lauka_outputs_write_failure(&program->outputs, &program->results, &further))
        lauka_error_print(&further);
    if (program->options.github)
        write_annotations(program);
    return false;
}
