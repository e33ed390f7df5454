/* What lauka does besides measuring commands, and the documents that all of it writes. */
#ifndef LAUKA_RUNNER_SUBCOMMANDS_SUBCOMMANDS_H
#define LAUKA_RUNNER_SUBCOMMANDS_SUBCOMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "pmu/events/events.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/options/options.h"

/* ---- outputs.c: the documents, from options to files ----------------------------------------- */

struct lauka_outputs {
    const struct lauka_options *options; /* borrowed */
    FILE *files[LAUKA_DOCUMENTS];        /* NULL: not wanted, or written */
    bool created[LAUKA_DOCUMENTS];       /* by us: there was no such file */
    FILE *summary;                       /* of --github: the step's; NULL: there is none */
    size_t summary_room;                 /* bytes that it may still get */
    char *comment_id;                    /* owned; of --pr-comment; NULL: it has none */
};

/* Opens all files before anything runs, so that a wrong name, a full disk or a closed stdout costs no
 * measurement. Their old content stays until there is a result, or if there is no room for it. On failure
 * nothing is left. */
bool lauka_outputs_open(struct lauka_outputs *outputs, const struct lauka_options *options,
                        struct lauka_error *error);

/* Whether there is a file that lauka_outputs_keep might write. */
bool lauka_outputs_can_be_kept(const struct lauka_outputs *outputs);

/* Writes those that are plain files with a name of their own, so that a crash leaves what was known:
 * into a file beside it, which then takes its name. What cannot be written is left for the end. */
void lauka_outputs_keep(struct lauka_outputs *outputs, const struct lauka_session *session);

/* Writes them all, even if some fail: prints the errors of all but the first, which is returned. failures_only: there is
 * no result, so it writes only documents that report failures, and says which old files stay. */
bool lauka_outputs_write(struct lauka_outputs *outputs, const struct lauka_session *session,
                         bool failures_only, struct lauka_error *error);

/* Writes the tables of the screen to stdout: of all benchmarks, or of the one that there is. */
bool lauka_outputs_show(const struct lauka_options *options, const struct lauka_session *session,
                        struct lauka_error *error);

/* ---- list_chip.c: what can be counted on a chip of Apple's, wherever this runs --------------- */

/* Prints the options' chip: its events by the counters they can have, or where the events of
 * --events would go. Fails with LAUKA_EXIT_HOST where they do not fit. */
bool lauka_list_chip(const struct lauka_options *options, FILE *out, struct lauka_error *error);

/* The groups of the Mac's own chip, where this is one that lauka knows, as text: which events exclude
 * each other. pattern: NULL or "": all. Returns how many events it has shown. */
size_t lauka_list_own_chip(const char *pattern, FILE *out);

/* ---- stored_files.c: stored results, read again ------------------------------------------------ */

struct lauka_stored_file {
    const char *name;             /* borrowed */
    struct lauka_session session; /* owned */
};

/* Reads the options' files into an array of their arena, which has to know where to go on without memory: jobs as the
 * one file that they are parts of, logs of two sides as two. named: their benchmarks have names. What is wrong with a
 * file is a usage error that names the place. The caller frees the sessions in either case. */
bool lauka_stored_files_read(const struct lauka_options *options, struct lauka_stored_file **files,
                             size_t *count, bool *named, struct lauka_error *error);

/* Always false: turns a loader's failure into an error. */
struct lauka_load_error;
bool lauka_stored_refuse(int failure, const struct lauka_load_error *reason,
                         struct lauka_error *error);

/* Whether all metrics come from there. */
bool lauka_stored_has_source(const struct lauka_result *result, const char *source);

/* Whether limits decide about files, so that what is missing in one of them matters. */
bool lauka_files_are_gated(const struct lauka_options *options);

/* ---- compare_files.c: files instead of runs -------------------------------------------------- */

/* Reads the options' files and makes one session of them: what has a name is compared with its namesake in
 * the first file. What is wrong with a file is a usage error that names the place. */
bool lauka_compare_files(const struct lauka_options *options, struct lauka_session *session,
                         struct lauka_error *error);

/* ---- list.c: what can be counted here -------------------------------------------------------- */

/* Tries every known event whose name or description contains the options' pattern, and prints a
 * table, or JSON. */
bool lauka_list_events(const struct lauka_options *options, FILE *out, struct lauka_error *error);

/* Removes that advice from why something cannot be counted: it is for runs. */
void lauka_leave_out_valgrind(char *text);

/* ---- threads.c: what the threads of a live process use --------------------------------------- */

/* Prints a table, or a line of JSON, once, or for every interval until so many were printed, the
 * process ends or lauka is interrupted. */
bool lauka_watch_threads(const struct lauka_options *options, FILE *out, struct lauka_error *error);

/* ---- version.c: what this program is --------------------------------------------------------- */

struct lauka_build { /* static texts */
    const char *version;
    const char *commit; /* with "-dirty" where tracked files differed; "unknown" outside of git */
    const char *target; /* architecture, system, C library */
    const char *libc_name;
    const char *libc_version; /* empty: the system's, whichever it is */
};

/* In runner/build.c, which belongs to the program and not to liblauka. */
extern const struct lauka_build lauka_this_build;

/* In four lines, the first of which is "lauka VERSION"; --version=json: as one object. */
bool lauka_write_version(const struct lauka_options *options, const struct lauka_build *build,
                         FILE *out, struct lauka_error *error);

#endif
