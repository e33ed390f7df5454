/* The one table of options: what is understood, and what all help is made from. */
#ifndef LAUKA_RUNNER_OPTIONS_TABLE_H
#define LAUKA_RUNNER_OPTIONS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"
#include "stats/stats.h"

enum option_id {
    OPTION_WARMUP = 'w',
    OPTION_RUNS = 'r',
    OPTION_MIN_RUNS = 'm',
    OPTION_MAX_RUNS = 'M',
    OPTION_DURATION = 'd',
    OPTION_TIME_UNIT = 'u',
    OPTION_SHELL_MODE = 'S',
    OPTION_NO_SHELL = 'N',
    OPTION_NAME = 'n',
    OPTION_SETUP = 's',
    OPTION_PREPARE = 'p',
    OPTION_CONCLUDE = 'C',
    OPTION_CLEANUP = 'c',
    OPTION_PARAMETER_SCAN = 'P',
    OPTION_PARAMETER_STEP = 'D',
    OPTION_PARAMETER_LIST = 'L',
    OPTION_IGNORE = 'i',
    OPTION_ALLOW = 'f',
    OPTION_QUIET = 'q',
    OPTION_EVENTS = 'e',
    OPTION_LIST = 'l',
    OPTION_HELP_BRIEF = 'h',
    OPTION_VERSION = 'V',
    OPTION_HELP = 256, /* from here on: options without a letter */
    OPTION_MAX_TIME,
    OPTION_METRICS,
    OPTION_SORT,
    OPTION_STYLE,
    OPTION_MIN_TIME,
    OPTION_UNTIL,
    OPTION_PRIMARY,
    OPTION_NO_SAMPLES,
    OPTION_HGRM_COMMAND,
    OPTION_CONFIG,
    OPTION_NO_CONFIG,
    OPTION_COLUMN,
    OPTION_UNPAIRED,
    OPTION_SEED,
    OPTION_ORDER,
    OPTION_CHIP,
    OPTION_INTERVAL,
    OPTION_COUNTERS,
    OPTION_NO_MULTIPLEX,
    OPTION_MULTIPLEX,
    OPTION_REQUIRE_COUNTERS,
    OPTION_PER_CORE_TYPE,
    OPTION_REQUIRE_CORE,
    OPTION_PIN,
    OPTION_TREE_MEMORY,
    OPTION_SHELL,
    OPTION_AS_ROOT,
    OPTION_PERIOD,
    OPTION_ENV,
    OPTION_CWD,
    OPTION_TIMEOUT,
    OPTION_ITEMS,
    OPTION_BYTES,
    OPTION_EXPECT_EXIT,
    OPTION_MAX_FAILURES,
    OPTION_KEEP_ORPHANS,
    OPTION_FIXED_LAYOUT,
    OPTION_REQUIRE_QUIET,
    OPTION_SELFTEST,
    OPTION_QUIET_MACHINE,
    OPTION_INPUT,
    OPTION_REFERENCE,
    OPTION_REFERENCE_NAME,
    OPTION_OUTPUT,
    OPTION_SHOW_OUTPUT,
    OPTION_GATE,
    OPTION_GATE_FILE,
    OPTION_INCONCLUSIVE,
    OPTION_ALLOW_FILE,
    OPTION_CROSS_HOST,
    OPTION_BISECT,
    OPTION_PERCENTILES,
    OPTION_PLOT,
    OPTION_COLOR,
    OPTION_BACKEND,
    OPTION_GITHUB,
    OPTION_DOCUMENT = 1024, /* + enum lauka_document */
    OPTION_EXPORT = 1280,   /* the same, as hyperfine calls them */
};

/* Which file reads the option, and under which heading the help shows it. */
enum option_group {
    OPTION_GROUP_ROUNDS,   /* rounds.c */
    OPTION_GROUP_COMMANDS, /* commands.c */
    OPTION_GROUP_FAILURES, /* failures.c */
    OPTION_GROUP_MACHINE,  /* machine.c */
    OPTION_GROUP_COUNTERS, /* counters.c */
    OPTION_GROUP_OUTPUTS,  /* outputs.c */
    OPTION_GROUP_GATE,     /* gate.c */
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
    const char *placeholder; /* NULL where there is no argument; a word for each value it takes */
    const char *help;
    bool harmless; /* ./.lauka may set it beside what is typed, though nobody named that file: it is about
                    * how often, what is counted and how it is shown; it runs, reads, writes, accepts and
                    * hides nothing. Where that is not certain: false */
};

extern const struct option_row lauka_option_rows[];
extern const size_t lauka_option_count; /* at most OPTION_ROWS_MAX */

#define OPTION_ROWS_MAX 128

/* The words that its value may be, with blanks between them; NULL: there are none in particular. */
const char *option_values(const struct option_row *row);

struct verb_row {
    enum lauka_verb verb;
    const char *name, *arguments, *help;
};
extern const struct verb_row lauka_verb_rows[]; /* `run`, which may be left out, is the first */
extern const size_t lauka_verb_count;

/* ---- help.c: what all help tells -------------------------------------------------------- */

extern const char lauka_summary[], lauka_description[];
extern const char *const lauka_option_headings[OPTION_GROUPS];

struct help_example {
    const char *line, *about;
};
extern const struct help_example lauka_examples[];
extern const size_t lauka_example_count;

struct help_exit {
    const char *code, *about;
};
extern const struct help_exit lauka_exits[];
extern const size_t lauka_exit_count;

/* How much of a help text says what matters within so many characters. */
size_t option_first_clause(const char *text, size_t room);

/* man.c, completions.c */
void option_write_man(FILE *out);
void option_write_bash(FILE *out);
void option_write_zsh(FILE *out);
void option_write_fish(FILE *out);

/* forms.c: the help as FORM: "man", "bash", "zsh" or "fish". False: there is no such form. */
bool option_write_form(const char *form, FILE *out);

/* ---- words.c: a command line taken apart by the table ----------------------------------- */

struct option_use { /* one option as it was given; borrowed */
    const struct option_row *row;
    const char *text;  /* its value, or the first of several; NULL: none */
    char *const *rest; /* the others */
    size_t word;       /* which of the words it was */
    size_t words;      /* how many of them it took, its values included */
};

struct option_words {
    struct option_use *uses; /* owned, in order */
    size_t use_count;
    char **texts; /* owned array of borrowed words: what is neither option nor value, in order */
    size_t text_count;
    char **vector; /* borrowed: what follows "--"; NULL: there is no "--" */
    size_t vector_count;
    size_t failed_word; /* which one was refused */
};

/* Names may be shortened as long as they stay unique. Fails with LAUKA_EXIT_USAGE, and names the
 * option that was probably meant. To be followed by _done in either case. */
bool option_words_read(char **words, size_t count, struct option_words *split,
                       struct lauka_error *error);
void option_words_done(struct option_words *split);

/* ---- a file for each group ------------------------------------------------------------------------------- */

/* options.c: the verb that the word is. */
bool option_find_verb(const char *word, enum lauka_verb *verb);

/* Each reads one option of its group; text: its value, or NULL where it has none. They fail with
 * LAUKA_EXIT_USAGE. */
bool option_take_rounds(int id, const char *text, struct lauka_options *options,
                        struct lauka_error *error);
bool option_take_command(int id, const char *text, struct lauka_options *options,
                         struct lauka_error *error);
bool option_take_failure(int id, const char *text, struct lauka_options *options,
                         struct lauka_error *error);
bool option_take_machine(int id, const char *text, struct lauka_options *options,
                         struct lauka_error *error);
bool option_take_counter(int id, const char *text, struct lauka_options *options,
                         struct lauka_error *error);

/* Once all options are read: what depends on several of them. */
bool option_finish_counters(struct lauka_options *options, struct lauka_error *error);
bool option_take_output(int id, const char *text, struct lauka_options *options,
                        struct lauka_error *error);

bool option_take_gate(int id, const char *text, struct lauka_options *options,
                      struct lauka_error *error);

/* gate.c: whether they make sense together. */
bool option_check_gate(struct lauka_options *options, struct lauka_error *error);
/* rounds.c: when all options are read, whether they go together. */
bool option_finish_rounds(struct lauka_options *options, struct lauka_error *error);

/* outputs.c: whether they can all be written. */
bool option_check_outputs(const struct lauka_options *options, struct lauka_error *error);

/* Whether there is the command that --hgrm-command names; where commands are typed. */
bool option_check_hgrm(const struct lauka_options *options, struct lauka_error *error);

/* commands.c. texts: commands as one string each; words: argument vectors with --vs between
 * them, or NULL. */
bool option_take_commands(char **texts, size_t text_count, char **words, size_t word_count,
                          struct lauka_options *options, struct lauka_error *error);

/* streams.c: what of a command's input and output was asked for, given to each of them. */
bool option_take_stream(int id, const char *text, struct lauka_options *options,
                        struct lauka_error *error);
bool option_direct_streams(struct lauka_options *options, struct lauka_error *error);

/* each.c, once the commands are known: --env, --cwd and others that may differ between them. */
bool option_give_each(struct lauka_options *options, struct lauka_error *error);
/* hooks.c: what is run around commands, given to each of them. */
bool option_take_hook(int id, const char *text, struct lauka_options *options,
                      struct lauka_error *error);
bool option_attach_hooks(struct lauka_options *options, struct lauka_error *error);

/* parameters.c */
bool option_take_parameter(int id, const char *text, struct lauka_options *options,
                           struct lauka_error *error);
/* When all options are read: the values of a scan, and whether names differ. */
bool option_finish_parameters(struct lauka_options *options, struct lauka_error *error);
/* How many commands one becomes; 0: too many. */
size_t option_combinations(const struct lauka_options *options);
/* Of the combinations, the first parameter changes fastest. */
bool option_set_parameters(const struct lauka_options *options, size_t combination,
                           struct lauka_command *command, struct lauka_error *error);
void option_parameters_done(struct lauka_options *options);

/* The one command of `lauka noise` becomes two, or three where a gate is tried out. */
bool option_double_command(struct lauka_options *options, struct lauka_error *error);

#endif
