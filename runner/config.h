/* Options from files, and the suites that those may hold. */
#ifndef LAUKA_RUNNER_CONFIG_H
#define LAUKA_RUNNER_CONFIG_H

#include "runner/runner.h"

/* ---- config.c ----------------------------------------------------------------------------------- */

/* A command line with what a file adds to it. */
struct lauka_arguments {
    int argc;
    char **argv;       /* owned array; NULL: no file adds anything */
    char **typed;      /* borrowed */
    char *text;        /* owned; the file's words lie in it */
    const char *path;  /* borrowed; NULL: there is no file */
    const char *suite; /* which one these are; NULL: there are none */
    size_t suite_count;
    bool implicit;       /* nobody named the file */
    bool holds;          /* something of it takes effect */
    bool quiet;          /* -q was typed */
    char left_out[400];  /* "--setup, --json": what would, if the file was named */
};

/* Whether --as-root is typed: it counts nowhere else. */
bool lauka_arguments_as_root(int argc, char **argv);

/* The file is that of --config, or of $LAUKA_CONFIG, or ./.lauka; what was typed wins over it. The
 * calling process reads it as the user whose file it has to be (lauka_identity_borrow); unclear: why it
 * is not known who that is, or NULL. suite: which one, from 0. To be followed by _done in either case. */
bool lauka_arguments_read(int argc, char **argv, size_t suite, const struct lauka_error *unclear,
                          struct lauka_arguments *arguments, struct lauka_error *error);
void lauka_arguments_done(struct lauka_arguments *arguments);

/* Says on stderr that a file is obeyed that nobody named, and what of it is not. */
void lauka_arguments_say(const struct lauka_arguments *arguments);

/* ---- config_trust.c: what a file may do that nobody named ------------------------------------------ */

/* This very pointer: the path of a file that nobody named. */
extern const char lauka_config_implicit[];

struct option_row;

/* Adds the option's name to a list of such. */
void config_leave_out(const struct option_row *row, char *list, size_t size);

/* Always false: such a file holds what it may not under `tool`. argv: what was typed. */
bool config_refuse(const char *tool, const char *list, char **argv, struct lauka_error *error);

/* ---- identity.c: who called lauka -------------------------------------------------------------- */

/* Which of sudo, doas and pkexec a process of root's was started by, as the environment tells; NULL:
 * none. Where it was several, one of them. */
const char *lauka_identity_tool(void);

/* Whether the user may be the one who called it. */
bool lauka_identity_is_caller(uid_t uid);

/* ---- suites.c ------------------------------------------------------------------------------------- */

/* Runs all suites one after the other, each in a process of its own, by `run`, and makes one of each of
 * their documents. Returns the exit code: that of the first that did not end well. */
int lauka_suites_run(int argc, char **argv, const struct lauka_arguments *first,
                     int (*run)(int argc, char **argv));

/* Does something in the process of a suite only: from now on it ends with the one that started it. */
void lauka_suites_tie(void);

/* In the process of a suite: its documents go to where they are collected. */
void lauka_suites_redirect(struct lauka_options *options);

#endif
