/* What valgrind counts of the commands of a session. */
#ifndef LAUKA_RUNNER_SESSION_VALGRIND_RUNS_H
#define LAUKA_RUNNER_SESSION_VALGRIND_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/profile/profile.h"
#include "pmu/valgrind/valgrind.h"
#include "runner/base/base.h"

struct lauka_command;
struct lauka_launcher;
struct lauka_options;
struct lauka_result;

/* ---- valgrind_runs.c: what valgrind counts of the commands, outside of the rounds ------------ */

enum { LAUKA_VALGRIND_RUNS = 2 };

struct lauka_valgrind_command {
    size_t padding; /* of its environment */
    bool
        follow; /* callgrind counts it: it has more than one process or program, or functions are asked for */
    bool stays; /* with callgrind, whatever it tells callgrind */
    struct lauka_valgrind_sum runs[LAUKA_VALGRIND_RUNS];
    struct lauka_profile profiles[LAUKA_VALGRIND_RUNS]; /* owned; what its functions cost in each */
};
struct lauka_valgrind_runs {                 /* zeroed, it is closed */
    const struct lauka_options *options;     /* borrowed */
    struct lauka_launcher *launcher;         /* borrowed */
    struct lauka_valgrind_command *commands; /* owned; NULL where none is asked for */
    size_t first; /* the launcher's number of the first of them; each is there for both tools */
    bool again;   /* all of them, because another tool must count */
    char folder[LAUKA_FOLDER_SIZE];
};

/* Does nothing unless asked for. Call it when the launcher knows all other commands. Fails with
 * LAUKA_EXIT_HOST if there is no valgrind. */
bool lauka_valgrind_runs_open(struct lauka_valgrind_runs *runs, const struct lauka_options *options,
                              struct lauka_launcher *launcher, struct lauka_error *error);

/* The values for this round of the result: those of the runs in the first rounds, LAUKA_MISSING in all
 * others. */
uint64_t lauka_valgrind_runs_value(const struct lauka_valgrind_runs *runs, size_t command,
                                   uint64_t round, size_t count);

/* Adds to the result which functions made the difference. Returns 0 or ENOMEM. */
void lauka_valgrind_runs_close(struct lauka_valgrind_runs *runs);

#endif
