/* Where a session's result comes from: time, machine, sources and job. */
#ifndef LAUKA_RUNNER_PROVENANCE_PROVENANCE_H
#define LAUKA_RUNNER_PROVENANCE_PROVENANCE_H

#include <stdbool.h>

#include "report/result/result.h"
#include "runner/options.h"

/* ---- provenance.c ---------------------------------------------------------------------------- */

/* Whether a requested document records more than the time: only then does lauka run git and
 * describe executables. */
bool lauka_provenance_is_told(const struct lauka_options *options);

/* Call it as the user before anything runs. It fills in everything except the end. What it cannot find stays NULL.
 * A pretended session only has labels and its job, so it is the same everywhere. Returns 0 or ENOMEM. */
int lauka_provenance_begin(struct lauka_result_provenance *provenance,
                           const struct lauka_options *options);

/* Call it after the last run. Returns 0 or ENOMEM. */
int lauka_provenance_end(struct lauka_result_provenance *provenance);

/* ---- git.c: the commit of the working directory ---------------------------------------------- */

#define LAUKA_GIT_PATH_SIZE 4096

/* Finds git along PATH, but not in the working directory, because that is being examined. */
bool lauka_git_find(char path[LAUKA_GIT_PATH_SIZE]);

/* Runs git, if installed, for at most two seconds to find commit, branch and whether tracked files
 * differ. It executes nothing that the repository's settings name. If git gives no answer, these
 * are not known, and no error is reported. Returns 0 or ENOMEM. */
int lauka_git_describe(struct lauka_result_provenance *provenance);

/* ---- git.c: git, such that the settings of a repository execute nothing --------------------- */

/* Environment variables, and arguments of git; each list ends with NULL. They do not disable filters. */
extern const char *const lauka_guard_variables[];
extern const char *const lauka_guard_settings[];

/* Those of lauka's own variables that `keeps` selects, the ones above, and `added`, NULL-terminated;
 * NULL: no more. An owned array of borrowed words; NULL without memory. */
const char **lauka_guard_environment(bool (*keeps)(const char *variable), const char *const *added);

#endif
