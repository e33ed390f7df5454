/* What lauka does besides measuring commands, and the documents of all subcommands. */
#ifndef LAUKA_RUNNER_SUBCOMMANDS_SUBCOMMANDS_H
#define LAUKA_RUNNER_SUBCOMMANDS_SUBCOMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/load/load.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/options/options.h"

/* ---- outputs.c: the documents, from options to files ----------------------------------------- */

struct lauka_history;
struct lauka_outputs {
    const struct lauka_options *options; /* borrowed */
    const struct lauka_history *history; /* borrowed; what they are about; NULL: a session */
    FILE *files[LAUKA_DOCUMENTS];        /* NULL: not requested, or written */
    bool created[LAUKA_DOCUMENTS];       /* created by lauka */
    FILE *summary;                       /* for --github: the step's summary; NULL: none */
    size_t summary_room;                 /* bytes that still fit into it */
    char *comment_id;                    /* owned; for --pr-comment; NULL: none */
};

/* Opens all files before anything runs, so that a wrong name, a full disk or a closed stdout costs
 * no measurements. Their old content stays until there is a result, and also without room for the
 * new one. On failure no files are left behind. */
bool lauka_outputs_open(struct lauka_outputs *outputs, const struct lauka_options *options,
                        struct lauka_error *error);

/* Whether there is a file that lauka_outputs_keep could write. */
bool lauka_outputs_can_be_kept(const struct lauka_outputs *outputs);

/* Saves documents that are regular files with their own names, so that results survive a crash:
 * writes a file beside each, then renames it. Errors wait until the end. */
void lauka_outputs_keep(struct lauka_outputs *outputs, const struct lauka_session *session);

/* Writes all of them, even if some fail: it prints all errors but the first, which it returns. failures_only:
 * there is no result, so it only writes documents that report failures, and names old files that stay. */
bool lauka_outputs_write(struct lauka_outputs *outputs, const struct lauka_session *session,
                         bool failures_only, struct lauka_error *error);

/* Prints the tables of the screen to stdout: of all benchmarks, or of the only one. */
bool lauka_outputs_show(const struct lauka_options *options, const struct lauka_session *session,
                        struct lauka_error *error);

/* ---- list_chip.c: what can be counted on a chip of Apple's, wherever this runs --------------- */

/* Prints the chip of the options: its events by possible counters, or the placement of the events
 * of --events. Fails with LAUKA_EXIT_HOST if they do not fit. */
bool lauka_list_chip(const struct lauka_options *options, FILE *out, struct lauka_error *error);

/* Prints the event groups of this Mac's chip, if lauka knows it, as text: which events exclude each
 * other. pattern: NULL or "": all. Returns the number of printed events. */
size_t lauka_list_own_chip(const char *pattern, FILE *out);

/* ---- stored_files.c: stored results, read again ------------------------------------------------ */

struct lauka_stored_file {
    const char *name;             /* borrowed */
    struct lauka_session session; /* owned */
};

/* Reads the options' files into an array in their arena, which must handle memory exhaustion: jobs
 * as the one file they are parts of, logs of two sides as two. named: their benchmarks have names.
 * A defect of a file is a usage error with its place. The caller frees the sessions in any case. */
bool lauka_stored_files_read(const struct lauka_options *options, struct lauka_stored_file **files,
                             size_t *count, bool *named, struct lauka_error *error);

/* Reads one of them into an empty session, which the caller frees in any case. column: of CSV, or NULL. */
bool lauka_stored_read(const char *name, const char *column, struct lauka_session *session,
                       struct lauka_error *error);

/* Turns a loader's failure into an error. Always false. */
struct lauka_load_error;
bool lauka_stored_refuse(int failure, const struct lauka_load_error *reason,
                         struct lauka_error *error);

/* Whether all metrics have this source. */
bool lauka_stored_has_source(const struct lauka_result *result, const char *source);

/* Whether the files are judged by limits, so that missing data in one of them matters. */
bool lauka_files_are_gated(const struct lauka_options *options);

/* ---- compare_files.c: files instead of runs -------------------------------------------------- */

/* Reads the options' files and combines them into one session: each name is compared with the same
 * name in the first file. A defect of a file is a usage error with its place. */
bool lauka_compare_files(const struct lauka_options *options, struct lauka_session *session,
                         struct lauka_error *error);

/* ---- list.c: what can be counted here -------------------------------------------------------- */

/* Tries every known event whose name or description contains the options' pattern, and prints a
 * table or JSON. */
bool lauka_list_events(struct lauka_options *options, FILE *out, struct lauka_error *error);

/* Removes this advice from the reason why an event cannot be counted: it only applies to runs. */
void lauka_leave_out_valgrind(char *text);

/* ---- threads.c: what the threads of a live process use --------------------------------------- */

/* Prints a table or a line of JSON, once or every interval, up to the requested number, until the
 * process ends or lauka is interrupted. */
bool lauka_watch_threads(const struct lauka_options *options, FILE *out, struct lauka_error *error);

/* ---- version.c: what this program is --------------------------------------------------------- */

struct lauka_build { /* all texts are static */
    const char *version;
    const char *commit; /* with "-dirty" if tracked files differed; "unknown" outside of git */
    const char *target; /* architecture, system, C library */
    const char *libc_name;
    const char *libc_version; /* empty: whichever the system has */
};

/* Defined in runner/build.c, which is part of the program but not of liblauka. */
extern const struct lauka_build lauka_this_build;

/* Prints four lines, the first being "lauka VERSION"; with --version=json: one object. */
bool lauka_write_version(const struct lauka_options *options, const struct lauka_build *build,
                         FILE *out, struct lauka_error *error);

/* ---- ci.c: `lauka ci init` ------------------------------------------------------------------------ */

/* Looks at the repository in the working directory, and writes the files there, or with --print to `out`. Fails with
 * LAUKA_EXIT_USAGE, before anything is written, if one is there and --force is not given. */
bool lauka_ci_init(const struct lauka_options *options, FILE *out, struct lauka_error *error);

/* Files of examples/ci, which build/templates.zig puts into the program. */
extern const char lauka_ci_github[], lauka_ci_github_comment[], lauka_ci_gitlab[];

#endif
