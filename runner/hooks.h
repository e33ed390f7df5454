/* What runs around the commands, and whether it leaves their programs alone. */
#ifndef LAUKA_RUNNER_HOOKS_H
#define LAUKA_RUNNER_HOOKS_H

#include "runner/runner.h"

#include <time.h>

/* ---- sha256.c, executable.c: whether a program is still the same ----------------------------------- */

#define LAUKA_SHA256_SIZE 32

/* Of what is left in the file. False where it cannot be read. */
bool lauka_sha256(FILE *file, uint8_t digest[LAUKA_SHA256_SIZE]);

struct lauka_executable {
    dev_t device;
    ino_t inode;
    off_t size;
    time_t changed; /* its inode, or what is in it */
    bool known;     /* for who keeps it */
    bool hashed;    /* it may be executable, yet not readable */
    uint8_t sha256[LAUKA_SHA256_SIZE];
};

/* Returns 0 or an errno. */
int lauka_executable_read(const char *path, struct lauka_executable *executable);
/* Whether it is that very file, and nothing else in it; false also where it is gone. */
bool lauka_executable_is_same(const char *path, const struct lauka_executable *known);
/* Whether the same is in it, in that file or in another; false also where that cannot be read. */
bool lauka_executable_has_same_content(const char *path, const struct lauka_executable *known);

/* ---- hooks.c: what is run around the commands ------------------------------------------------------ */

struct lauka_hooks {
    const struct lauka_options *options; /* borrowed; its commands are located */
    struct lauka_launcher *launcher;     /* borrowed */
    size_t *numbers;                     /* owned; the launcher's, by command and hook */
    size_t *command_numbers;             /* owned; the launcher's, once handed over */
    bool *begun;                         /* owned; by command: a cleanup is due */
    struct lauka_executable *executables; /* owned; by command: as its own setup left it */
};

enum lauka_hook_end { LAUKA_HOOK_DONE, LAUKA_HOOK_FAILED, LAUKA_HOOK_BROKEN };

/* Hands all hooks to the launcher, and all commands whose programs no hook has to make first. */
bool lauka_hooks_init(struct lauka_hooks *hooks, const struct lauka_options *options,
                      struct lauka_launcher *launcher, struct lauka_error *error);

/* Runs one and waits; one that is not there is done. _FAILED fills `failure` but for the round,
 * _BROKEN, where lauka itself failed, `error`. */
enum lauka_hook_end lauka_hooks_run(struct lauka_hooks *hooks, size_t command, enum lauka_hook hook,
                                    struct lauka_failure *failure, struct lauka_error *error);

/* Looks for the command's program, once, and hands it to the launcher: its number there is known from
 * then on. */
bool lauka_hooks_hand_over(struct lauka_hooks *hooks, size_t command, struct lauka_error *error);

/* A command's setup, after which the command is looked for and handed to the launcher. */
enum lauka_hook_end lauka_hooks_set_up(struct lauka_hooks *hooks, size_t command,
                                       struct lauka_failure *failure, struct lauka_error *error);

/* After all setups: whether one of them changed the program of an earlier command. */
bool lauka_hooks_check(const struct lauka_hooks *hooks, struct lauka_error *error);

/* The cleanup of a command whose setup was begun, once; it is done even after an interruption. */
enum lauka_hook_end lauka_hooks_clean_up(struct lauka_hooks *hooks, size_t command,
                                         struct lauka_failure *failure, struct lauka_error *error);
void lauka_hooks_done(struct lauka_hooks *hooks);

/* ---- shell_cost.c --------------------------------------------------------------------------------- */

/* Measures the shell without a command, and notes that in the result. Returns 0 or ENOMEM. */
int lauka_shell_cost_note(const struct lauka_options *options, struct lauka_launcher *launcher,
                          struct lauka_result *result);

#endif
