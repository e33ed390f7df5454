/* The one table of options: what getopt_long(3) is given, and what the help text is made from. */
#ifndef LAUKA_RUNNER_OPTION_TABLE_H
#define LAUKA_RUNNER_OPTION_TABLE_H

#include "runner/runner.h"

enum option_id {
    OPTION_WARMUP = 'w',
    OPTION_RUNS = 'r',
    OPTION_SHELL_MODE = 'S',
    OPTION_IGNORE = 'i',
    OPTION_ALLOW = 'f',
    OPTION_QUIET = 'q',
    OPTION_EVENTS = 'e',
    OPTION_LIST = 'l',
    OPTION_HELP_BRIEF = 'h',
    OPTION_VERSION = 'V',
    OPTION_HELP = 256, /* from here on: options without a letter */
    OPTION_MAX_TIME,
    OPTION_MIN_TIME,
    OPTION_UNTIL,
    OPTION_PRIMARY,
    OPTION_NO_SAMPLES,
    OPTION_COLUMN,
    OPTION_UNPAIRED,
    OPTION_SEED,
    OPTION_NO_MULTIPLEX,
    OPTION_MULTIPLEX,
    OPTION_REQUIRE_COUNTERS,
    OPTION_SHELL,
    OPTION_PERCENTILES,
    OPTION_COLOR,
    OPTION_BACKEND,
    OPTION_DOCUMENT = 1024, /* + enum lauka_document */
};

/* Which file reads the option, and under which heading the help shows it. */
enum option_group {
    OPTION_GROUP_ROUNDS,   /* options_rounds.c */
    OPTION_GROUP_COMMANDS, /* options_commands.c */
    OPTION_GROUP_COUNTERS, /* options_counters.c */
    OPTION_GROUP_OUTPUTS,  /* options_outputs.c */
    OPTION_GROUP_STORED,   /* options.c */
    OPTION_GROUP_GENERAL,  /* options.c */
    OPTION_GROUPS          /* how many there are */
};

struct option_row {
    int id; /* its letter, or 256 and above */
    enum option_group group;
    unsigned verbs;   /* the verbs it goes with, as bits: 1 << enum lauka_verb */
    const char *name; /* NULL: a letter only */
    int argument;     /* no_argument, required_argument or optional_argument of getopt_long(3) */
    const char *placeholder; /* NULL where there is no argument */
    const char *help;
};

extern const struct option_row lauka_option_rows[];
extern const size_t lauka_option_count; /* at most OPTION_ROWS_MAX */

#define OPTION_ROWS_MAX 128

/* Each reads one option of its group; text: its value, or NULL where it has none. They fail with
 * LAUKA_EXIT_USAGE. */
bool option_take_rounds(int id, const char *text, struct lauka_options *options,
                        struct lauka_error *error);
bool option_take_command(int id, const char *text, struct lauka_options *options,
                         struct lauka_error *error);
bool option_take_counter(int id, const char *text, struct lauka_options *options,
                         struct lauka_error *error);
bool option_take_output(int id, const char *text, struct lauka_options *options,
                        struct lauka_error *error);

/* options_outputs.c: whether they can all be written. */
bool option_check_outputs(const struct lauka_options *options, struct lauka_error *error);

/* options_commands.c. texts: commands as one string each; words: argument vectors with --vs between
 * them, or NULL. */
bool option_take_commands(char **texts, size_t text_count, char **words, size_t word_count,
                          struct lauka_options *options, struct lauka_error *error);

/* The one command of `lauka noise` becomes two. */
bool option_double_command(struct lauka_options *options, struct lauka_error *error);

#endif
