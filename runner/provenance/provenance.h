/* Where a session's result comes from: when, where, of which sources, in which job. */
#ifndef LAUKA_RUNNER_PROVENANCE_PROVENANCE_H
#define LAUKA_RUNNER_PROVENANCE_PROVENANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/result/result.h"
#include "runner/options.h"

/* ---- provenance.c ---------------------------------------------------------------------------- */

/* Whether a document is wanted that tells more of it than the time: only then is git asked, and are
 * executables described. */
bool lauka_provenance_is_told(const struct lauka_options *options);

/* Before anything runs, as the user: all but the end. What is not found out stays NULL. A session that
 * is pretended has labels and its job only, so that it says the same everywhere. Returns 0 or ENOMEM. */
int lauka_provenance_begin(struct lauka_result_provenance *provenance,
                           const struct lauka_options *options);

/* Once nothing runs any more. Returns 0 or ENOMEM. */
int lauka_provenance_end(struct lauka_result_provenance *provenance);

/* ---- ci.c: the service that runs the job, as its environment tells --------------------------- */

/* What getenv(3) finds, or a test. */
typedef const char *lauka_variable(const char *name);

/* Sets ci, job and url, as far as they are known. Returns 0 or ENOMEM. */
int lauka_ci_find(lauka_variable *variable, struct lauka_result_provenance *provenance);

/* ---- git.c: the commit of the working directory ---------------------------------------------- */

#define LAUKA_GIT_PATH_SIZE 4096

/* The program, along PATH, but not in the working directory, which is the one that is asked about. */
bool lauka_git_find(char path[LAUKA_GIT_PATH_SIZE]);

/* Asks git, if there is one, for commit, branch and whether tracked files differ; takes two seconds at
 * most. Nothing that the repository's settings name is executed. What git does not tell, or refuses to
 * look at, is not known; of that nothing is said. Returns 0 or ENOMEM. */
int lauka_git_describe(struct lauka_result_provenance *provenance);

/* ---- question.c: what another program answers ------------------------------------------------- */

#define LAUKA_ANSWER_SIZE 16384

struct lauka_answer {
    char text[LAUKA_ANSWER_SIZE + 1]; /* of its stdout; a 0 follows */
    size_t size;
    bool cut; /* there was more; the program was ended then */
    int code; /* its exit code; -1: it has none, or did not end in time */
};

/* Executes the file, which can neither read anything nor ask anybody, and waits for its end; until then,
 * a time of lauka_now_ns, or until lauka is interrupted. It has ended when this returns, and so has what
 * it started. */
void lauka_question_ask(const char *path, const char *const *arguments,
                        const char *const *environment, uint64_t until_ns,
                        struct lauka_answer *answer);

#endif
