/* From words to what was asked for: the command line and files with more of it. */
#ifndef LAUKA_RUNNER_OPTIONS_OPTIONS_H
#define LAUKA_RUNNER_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

struct option_row;

/* ---- config.c: options from a file ----------------------------------------------------------- */

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

/* ---- trust.c: what a file may do that nobody named ------------------------------------------- */

/* Says on stderr that a file is obeyed that nobody named, and what of it is not. */
void lauka_arguments_say(const struct lauka_arguments *arguments);

/* This very pointer: the path of a file that nobody named. */
extern const char lauka_config_implicit[];

struct option_row;

/* Adds the option's name to a list of such. */
void config_leave_out(const struct option_row *row, char *list, size_t size);

/* Always false: such a file holds what it may not under `tool`. argv: what was typed. */
bool config_refuse(const char *tool, const char *list, char **argv, struct lauka_error *error);

/* ---- options.c: from the command line to struct lauka_options -------------------------------- */

/* argv as main has it. Random parts (the default seed) come from the system. */
bool lauka_options_parse(int argc, char **argv, struct lauka_options *options,
                         struct lauka_error *error);
void lauka_options_done(struct lauka_options *options);

/* What `lauka --help` was asked for. */
bool lauka_options_show_help(const struct lauka_options *options, FILE *out,
                             struct lauka_error *error);

/* ---- help.c: the help text, made from the table of options ----------------------------------- */

/* The help text; `brief` fits one screen. */
void lauka_options_help(bool brief, FILE *out);

/* ---- outputs.c: options of what is written, and how ------------------------------------------ */

/* Whether one of them takes the table's place. */
bool lauka_outputs_take_stdout(const struct lauka_options *options);

/* ---- parameters.c: options of parameters ----------------------------------------------------- */

/* The text with the command's parameters in place of their {NAME}s. Owned by the caller; NULL without
 * memory. */
char *lauka_command_substitute(const struct lauka_command *command, const char *text);

/* ---- settings.c: the options of a session, as its result tells them -------------------------- */

/* Adds what was given and what holds by default, but not where documents go. Returns 0 or ENOMEM. */
int lauka_settings_describe(struct lauka_result *result, const struct lauka_options *options);

#endif
