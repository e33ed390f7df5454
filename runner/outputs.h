/* The part of runner.h about documents: include that. */
#ifndef LAUKA_RUNNER_OUTPUTS_H
#define LAUKA_RUNNER_OUTPUTS_H

#include "runner/runner.h"

/* ---- outputs.c: the documents, from options to files ----------------------------------------------- */

struct lauka_outputs {
    const struct lauka_options *options; /* borrowed */
    FILE *files[LAUKA_DOCUMENTS];        /* NULL: not wanted, or written */
    bool created[LAUKA_DOCUMENTS];       /* by us: there was no such file */
    FILE *summary;                       /* of --github: the step's; NULL: there is none */
    size_t summary_room;                 /* bytes that it may still get */
};

/* Opens all files before anything runs, so that a wrong name, a full disk or a closed stdout costs no
 * measurement; what they held stays until there is a result, and where that finds no room. Where it
 * fails nothing is left. */
bool lauka_outputs_open(struct lauka_outputs *outputs, const struct lauka_options *options,
                        struct lauka_error *error);

/* Writes those that are plain files with a name of their own, so that a crash leaves what was known:
 * into a file beside it, which then takes its name. What cannot be written is left for the end. */
void lauka_outputs_keep(struct lauka_outputs *outputs, const struct lauka_result *result);

/* Writes them all, whatever becomes of the others: prints the errors of all but the first, which is
 * the one returned. */
bool lauka_outputs_write(struct lauka_outputs *outputs, const struct lauka_result *result,
                         struct lauka_error *error);

/* The same where there is no result: only what tells of failures. Says which old files stay. */
bool lauka_outputs_write_failure(struct lauka_outputs *outputs, const struct lauka_result *result,
                                 struct lauka_error *error);

/* Closes what was not written; files that we have made and left empty go away. */
void lauka_outputs_close(struct lauka_outputs *outputs);

/* Closed descriptors 0, 1 and 2 are opened onto nothing, so that no file of ours becomes one of them;
 * writing to stdout then fails. To be called first in main. */
void lauka_outputs_guard_descriptors(void);

/* ---- own_file.c: files that lauka writes, also where others can write -------------------------------- */

/* open(2) for writing, made where there is none; `flags` beside that: O_EXCL, O_TRUNC, O_APPEND. In a
 * directory that everybody may write to no link is followed (ELOOP), and where that is sticky, as /tmp,
 * nobody else's file is taken (EEXIST). Returns the descriptor, closed by exec; or -1 with errno. */
int lauka_own_file_open(const char *path, int flags);

/* The same without flags, where a FIFO that nobody reads is waited for, with a line on stderr that names
 * the option. EINTR: lauka was interrupted meanwhile. */
int lauka_own_file_await(const char *path, const char *option);

/* Static: of that errno, as what follows "FILE: ". */
const char *lauka_own_file_error(int error);

/* ---- github.c: what GitHub's runner reads of stdout ------------------------------------------------ */

/* Between the two no line of stdout is a command to GitHub's runner, whatever others wrote in it. */
void lauka_github_begin_text(char token[33]);
void lauka_github_end_text(const char *token);

/* Opens the step's summary, which GITHUB_STEP_SUMMARY names. */
bool lauka_github_open_summary(struct lauka_outputs *outputs, struct lauka_error *error);
bool lauka_github_write_summary(struct lauka_outputs *outputs, const struct lauka_result *result,
                                struct lauka_error *error);

/* Whether one of them takes the table's place. */
bool lauka_outputs_take_stdout(const struct lauka_options *options);

/* ---- list_chip.c: what can be counted on a chip of Apple's, wherever this runs -------------------- */

/* Prints the options' chip: its events by the counters they can have, or where the events of
 * --events would go. Fails with LAUKA_EXIT_HOST where they do not fit. */
bool lauka_list_chip(const struct lauka_options *options, FILE *out, struct lauka_error *error);

/* The groups of the Mac's own chip, where this is one that lauka knows, as text: which events exclude
 * each other. pattern: NULL or "": all. Returns how many events it has shown. */
size_t lauka_list_own_chip(const char *pattern, FILE *out);

#endif
