/* The only table of options, from options.txt: what is understood, and the source of all help. */
#ifndef LAUKA_RUNNER_OPTIONS_TABLE_H
#define LAUKA_RUNNER_OPTIONS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/result/result.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"
#include "runner/options/numbers.h"

/* The kind of a value, and the type of its member in struct lauka_options. */
enum option_kind {
    KIND_ASKED,        /* no member: the code searches the given arguments */
    KIND_FLAG,         /* bool: true if given */
    KIND_COUNT,        /* uint64_t, at least `least` */
    KIND_DURATION,     /* uint64_t in ns; plain numbers are seconds */
    KIND_MILLISECONDS, /* the same, above 0; plain numbers are milliseconds */
    KIND_PERCENT,      /* double, a ratio */
    KIND_CHOICE,       /* an enum: the index of the value in `words` */
    KIND_TEXT,         /* const char *, borrowed */
    KIND_TEXTS,        /* struct lauka_texts: appends the value */
    KIND_FILE,         /* struct lauka_output */
    KIND_EACH,         /* in struct lauka_command, for all or for one: each.c */
};

/* There are many rows, so small numbers have small types. */
struct option_row {
    int16_t id;       /* enum option_id */
    uint8_t group;    /* enum option_group */
    unsigned verbs;   /* verbs that accept it, as bits: 1 << enum lauka_verb */
    const char *name; /* NULL: it only has a letter */
    uint8_t argument; /* no_argument, required_argument or optional_argument of getopt_long(3) */
    const char *placeholder; /* NULL without argument; otherwise one word per value */
    const char *help;
    bool harmless;       /* ./.lauka may set it even if the user did not name that file */
    uint8_t kind;        /* enum option_kind */
    bool own;            /* its values need a parser of their own: a case in values.c */
    bool may_be_empty;   /* an empty value is allowed */
    uint8_t least;       /* least value of a count */
    uint16_t member;     /* offset in struct lauka_options */
    int16_t told_unless; /* results record the value unless this option is given; 0: they do not */
    const char *words;   /* possible values, separated by blanks; not always all of them */
    const char *fixed;   /* the value of an option without argument; NULL: none */
    /* The default, for "{}" in the help. NULL, or a parser of its own: it starts as zero. */
    const char *standard;
};

/* The rows of a group are adjacent. */
extern const struct option_row lauka_option_rows[];
extern const struct option_row lauka_word_row; /* an extra row for words that are no options */
extern const size_t lauka_option_count;

/* ---- table.c: the tables, asked ---------------------------------------------------------- */

/* For completions: the possible values; NULL: none, or no fixed ones. */
const char *option_values(const struct option_row *row);

bool option_has_letter(const struct option_row *row);

#define OPTION_SPELLING_SIZE 64
/* "--name", or "-c" if it only has a letter. Returns `text`. */
const char *option_spelling(const struct option_row *row, char text[OPTION_SPELLING_SIZE]);

/* By its enum option_id, which may be a letter, or by its name without dashes; NULL if there is none. */
const struct option_row *option_row_of(int id);
const struct option_row *option_row_named(const char *name);

struct verb_row {
    enum lauka_verb verb;
    const char *name, *arguments, *help;
    const char *about; /* sentences for its own page */
    const char *examples[4];
};
extern const struct verb_row lauka_verb_rows[]; /* the first is `run`, which is optional */
extern const size_t lauka_verb_count;

struct foreign_row {         /* an option of another tool */
    const char *word, *tool; /* without dashes */
    const char *advice;      /* the replacement to type; absent: why lauka has no equivalent */
    bool absent;
    bool mistakable; /* looks like an abbreviation of lauka's option, or like letters */
};
extern const struct foreign_row lauka_foreign_rows[];
extern const size_t lauka_foreign_count;

/* Finds a verb by its word, as a row, or only its value. NULL or false if there is none. */
const struct verb_row *option_verb_row(const char *word);
bool option_find_verb(const char *word, enum lauka_verb *verb);

/* ---- help.c: what all help tells -------------------------------------------------------- */

extern const char *const lauka_summary, *const lauka_description;

struct option_group_row {
    const char *heading;       /* over its options */
    const char *topic, *about; /* for `lauka help TOPIC` */
};
extern const struct option_group_row lauka_option_groups[OPTION_GROUPS];

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

/* The nth topic of `lauka help`; NULL after the last. */
const char *option_topic(size_t n);

/* The length of the first sentence of a text; if that exceeds `room`, of a part that has the main point. */
size_t option_first_clause(const char *text, size_t room);

#define OPTION_HELP_SIZE 800
/* The row's help, with the default for "{}". Returns `text`. */
const char *option_help(const struct option_row *row, char text[OPTION_HELP_SIZE]);

/* completions.c */
void option_write_bash(FILE *out);
void option_write_zsh(FILE *out);
void option_write_fish(FILE *out);

/* The help in a format: "man", "bash", "zsh" or "fish"; if a subcommand is given (not NULL), its
 * manual page. False: no such format. */
bool option_write_form(const char *form, const char *subcommand, FILE *out);

/* ---- values.c: options that their row says all about ----------------------------------- */

/* Stores the value as the row's kind requires. Fails with LAUKA_EXIT_USAGE. */
bool option_member_set(const struct option_row *row, const char *text,
                       struct lauka_options *options, struct lauka_error *error);

/* Formats the member as it could be typed; "" if it is not set. */
void option_member_format(const struct option_row *row, const struct lauka_options *options,
                          char *text, size_t size);

/* The functions below parse values and reject wrong ones with LAUKA_EXIT_USAGE; `option` is the
 * name shown in errors. */

/* Parses a count: "500", "10k", "1.5M"; or bytes: "4096", "64KiB", "1.5GB". Integers of at least 1. */
bool option_parse_amount(const char *option, const char *text, bool bytes, uint64_t *amount,
                         struct lauka_error *error);

/* Parses "5" (seconds), "500ms", "2m" to ns. */
bool option_parse_duration(const char *option, const char *text, uint64_t *ns,
                           struct lauka_error *error);

/* Parses the first of several exit codes (0 to 255, separated by commas) into *code. Returns the
 * rest, "" after the last; NULL if that is no such code. */
const char *option_next_code(const char *text, size_t *code);

/* Appends the pointer without copying the word. */
void option_add_text(const struct lauka_options *options, struct lauka_texts *texts,
                     const char *text);

/* Parses the prefix "B:" of a value for one command. Returns the value without it, or the whole
 * text if there is no such letter. A is 0, Z 25, AA 26. */
const char *option_letter_end(const char *text, size_t *command);

#define LETTER_SIZE 8
/* The command's letter. Returns letter. */
char *option_letter(size_t command, char letter[LETTER_SIZE]);

/* Checks that a leading letter, if any, belongs to one of `count` commands. */
bool option_check_letter(const char *option, const char *text, size_t count,
                         struct lauka_error *error);

/* The commands of all benchmarks in order, with the same number of sides each. A letter means a side. */
struct option_sides {
    size_t commands, sides;
};

/* For commands whose benchmarks exist. */
struct option_sides option_sides_of(const struct lauka_options *options);

/* The value for the command at `index`: the last with its side's letter; otherwise the only one
 * without a letter, or the one for the command or for its side; NULL: none was given. */
const char *option_text_for(const struct lauka_texts *texts, size_t index,
                            struct option_sides among);

/* Checks that there are zero, one, one per side, or one per command without a letter; otherwise the
 * error has the numbers. */
bool option_check_texts(const char *option, const struct lauka_texts *texts,
                        struct option_sides among, struct lauka_error *error);

/* ---- services.c: --ready, --service and --load ------------------------------------------------- */

/* kind: "wrk", "hdr:us" ...; the command is split later. Fails with LAUKA_EXIT_USAGE, as all of these do. */
bool option_take_load(const char *kind, const char *command, struct lauka_options *options,
                      struct lauka_error *error);

/* Once there are commands: gives each its load and what is read of that, which --read may replace. */
bool option_make_services(struct lauka_options *options, struct lauka_error *error);

/* Once --read and --timeout are given, too: adds what lauka measures of services, and chooses the primary metric. */
bool option_lead_services(struct lauka_options *options, struct lauka_error *error);

/* ---- values.c: options whose rows do not say all about them ------------------------------------- */

/* text: the value, or NULL if there is none. Fails with LAUKA_EXIT_USAGE. */
bool option_take_own(int id, const char *text, struct lauka_options *options,
                     struct lauka_error *error);

/* ---- gate_rule.c: the words of --gate, --gate-file and --allow ------------------------------------- */

/* The arena owns the rule's strings. */
bool gate_rule_parse(struct lauka_arena *arena, const char *text, struct lauka_gate_rule *rule,
                     struct lauka_error *error);

/* The same, and adds it to the gate, whose arrays the arena also owns. benchmark: its command, and
 * where it is named; NULL: all. */
bool gate_rule_add(struct lauka_arena *arena, const char *text, const char *benchmark,
                   const char *where, struct lauka_result_gate *gate, struct lauka_error *error);

/* Parses --gate: a rule, with a prefix [NAME] or [GLOB] if it only applies to some benchmarks, or
 * commands. */
bool gate_option_add(struct lauka_arena *arena, const char *text, struct lauka_result_gate *gate,
                     struct lauka_error *error);

/* Parses one rule per line; rules below [name of a command] apply only to it; # begins a comment. */
bool gate_file_parse(struct lauka_arena *arena, const char *name, const char *bytes, size_t size,
                     struct lauka_result_gate *gate, struct lauka_error *error);

/* Parses one "benchmark metric until=YYYY-MM-DD reason" per line and adds it to the gate. It has
 * expired if it ended before `today`, in the same format. */
bool gate_allowances_parse(struct lauka_arena *arena, const char *name, const char *bytes,
                           size_t size, const char *today, struct lauka_result_gate *gate,
                           struct lauka_error *error);

/* ---- what several options say together ------------------------------------------------------------- */

/* gate_rule.c: collects the limits and checks that they are consistent. */
bool option_take_limits(struct lauka_options *options, struct lauka_error *error);
bool option_check_gate(struct lauka_options *options, struct lauka_error *error);

/* job.c: which job of a session on several machines this is; sets the job's own seed. */
bool option_take_job(struct lauka_options *options, struct lauka_error *error);

/* ---- the commands ------------------------------------------------------------------------ */

/* options.c. Reads options one by one, and the verb. words: the arguments without the verb. */
bool option_read(const struct lauka_arguments *arguments, struct lauka_options *options,
                 struct lauka_arguments *words, struct lauka_error *error);
/* Checks options that depend on each other, and the limits that they name. */
bool option_finish(struct lauka_options *options, struct lauka_error *error);
/* Builds the commands with all their options. The gate's limits must be known. */
bool option_take_run(const struct lauka_arguments *words, struct lauka_options *options,
                     struct lauka_error *error);

/* For `lauka revisions`: removes the revisions from the words, which then only have the command. */
bool option_take_revisions(struct lauka_arguments *words, struct lauka_options *options,
                           struct lauka_error *error);

/* Whether --first-slower has one benchmark to judge by. */
bool option_check_search(const struct lauka_options *options, struct lauka_error *error);

/* commands.c. Takes one -L or -P: its name, and the values that follow it. */
bool option_take_parameter(int id, const char *name, char *const *rest,
                           struct lauka_options *options, struct lauka_error *error);

/* Builds the commands and their benchmarks. A nameless side in a section gets no name yet. */
bool option_take_commands(const struct lauka_arguments *words, struct lauka_options *options,
                          struct lauka_error *error);

/* For `lauka noise`: duplicates each command, or triplicates it when a gate is tried out. */
bool option_double_commands(struct lauka_options *options, struct lauka_error *error);

/* meant.c. Writes a hint about a probable mistake to options->hint and, without a command, the reason. */
void option_advise(const struct lauka_arguments *words, struct lauka_options *options);
bool option_refuse_nothing(const struct lauka_options *options, struct lauka_error *error);

/* benchmarks.c. Makes one benchmark of the commands (groups: 0), or this many, with equal numbers
 * of sides, named after their parameters: "size=10", "section/size=10". section: NULL: none. */
void option_make_benchmarks(struct lauka_options *options, const char *section, size_t groups);

/* "size=10,mode=x", with the prefix "SECTION/" unless it is NULL. */
char *option_name_by_parameters(const char *section, const struct lauka_command *command);

/* The first with the name of an earlier one; benchmark_count: there is none. */
size_t option_find_twin(const struct lauka_options *options);

/* Checks that the benchmarks of the gate's sections and of --benchmark exist; drops all others. */
bool option_choose_benchmarks(struct lauka_options *options, struct lauka_error *error);

/* layouts.c: builds the programs of --layouts when commands are final. */
bool option_make_layouts(struct lauka_options *options, struct lauka_error *error);

/* each.c, when the commands are known: hooks, input, output, --env, --cwd and other options per command. */
bool option_give_each(struct lauka_options *options, struct lauka_error *error);

/* For options given once for all commands, once per command, or for one side by its letter: each
 * command gets its text, with `which`. */
typedef bool option_giving(int which, const char *text, struct lauka_command *command,
                           struct lauka_error *error);
bool option_spread(const struct lauka_options *options, const char *option,
                   const struct lauka_texts *texts, int which, option_giving *give,
                   struct lauka_error *error);

/* When all commands have their figures of --read: checks that they are consistent, and where commands write them. */
bool option_check_figures(struct lauka_options *options, struct lauka_error *error);

#endif
