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
    OPTION_JSON,
    OPTION_CSV,
    OPTION_MARKDOWN,
};

struct option_row {
    int id;           /* its letter, or 256 and above */
    unsigned verbs;   /* the verbs it goes with, as bits: 1 << enum lauka_verb */
    const char *name; /* NULL: a letter only */
    int argument;     /* no_argument, required_argument or optional_argument of getopt_long(3) */
    const char *placeholder; /* NULL where there is no argument */
    const char *help;
};

extern const struct option_row lauka_option_rows[];
extern const size_t lauka_option_count; /* at most OPTION_ROWS_MAX */

#define OPTION_ROWS_MAX 128

#endif
