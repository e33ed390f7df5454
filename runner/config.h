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
};

/* The file is that of --config, or of $LAUKA_CONFIG, or ./.lauka; what was typed wins over it.
 * suite: which one, from 0. To be followed by _done in either case. */
bool lauka_arguments_read(int argc, char **argv, size_t suite, struct lauka_arguments *arguments,
                          struct lauka_error *error);
void lauka_arguments_done(struct lauka_arguments *arguments);

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
