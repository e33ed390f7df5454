/* Where a session's result comes from: when, where, of which sources, in which job. */
#ifndef LAUKA_RUNNER_PROVENANCE_PROVENANCE_H
#define LAUKA_RUNNER_PROVENANCE_PROVENANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/result/result.h"
#include "runner/options.h"

/* ---- provenance.c ---------------------------------------------------------------------------- */

/* Whether a document is wanted that records more than the time: only then is git asked, and are
 * executables described. */
bool lauka_provenance_is_told(const struct lauka_options *options);

/* Call it before anything runs, as the user: everything except the end. What is not found stays NULL. A
 * pretended session has only labels and its job, so that it is the same everywhere. Returns 0 or ENOMEM. */
int lauka_provenance_begin(struct lauka_result_provenance *provenance,
                           const struct lauka_options *options);

/* Call it when nothing runs any more. Returns 0 or ENOMEM. */
int lauka_provenance_end(struct lauka_result_provenance *provenance);

/* ---- provenance.c: the service that runs the job, as its environment tells --------------------------- */

/* What getenv(3) finds, or a test. */
typedef const char *lauka_variable(const char *name);

/* ---- git.c: the commit of the working directory ---------------------------------------------- */

#define LAUKA_GIT_PATH_SIZE 4096

/* The program, along PATH, but not in the working directory, because that is what is being examined. */
bool lauka_git_find(char path[LAUKA_GIT_PATH_SIZE]);

/* Asks git, if there is one, for commit, branch and whether tracked files differ; takes at most two
 * seconds. Nothing that the repository's settings name is executed. If git does not say, or refuses to
 * look, it is not known, and nothing is reported. Returns 0 or ENOMEM. */
int lauka_git_describe(struct lauka_result_provenance *provenance);

/* ---- git.c: git, such that the settings of a repository execute nothing --------------------- */

/* Variables, and words behind "git"; each list ends with NULL. They do not turn filters off. */
extern const char *const lauka_guard_variables[];
extern const char *const lauka_guard_settings[];

/* The variables of lauka's own environment that are to be kept, those above, and these, ended by NULL; NULL: no more.
 * An owned array of borrowed words; NULL without memory. */
const char **lauka_guard_environment(bool (*keeps)(const char *variable), const char *const *added);

#endif
