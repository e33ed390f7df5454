/* The one table of options: what is understood, and what all help is made from. options.txt says it. */
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
#include "stats/stats.h"

/* Options that somebody asks for by name; the others need no name but that of their row. */
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
    OPTION_PREPARE = 'p',
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
    OPTION_UNTIL,
    OPTION_NO_SAMPLES,
    OPTION_CONFIG,
    OPTION_NO_CONFIG,
    OPTION_SEED,
    OPTION_CHIP,
    OPTION_COUNTERS,
    OPTION_SAMPLED,
    OPTION_NO_MULTIPLEX,
    OPTION_MULTIPLEX,
    OPTION_REQUIRE_CORE,
    OPTION_PIN,
    OPTION_SHELL,
    OPTION_AS_ROOT,
    OPTION_PERIOD,
    OPTION_ENV,
    OPTION_CWD,
    OPTION_TIMEOUT,
    OPTION_READ,
    OPTION_ITEMS,
    OPTION_BYTES,
    OPTION_EXPECT_EXIT,
    OPTION_OUTPUT,
    OPTION_SHOW_OUTPUT,
    OPTION_LABEL,
    OPTION_GATE,
    OPTION_GATE_FILE,
    OPTION_INCONCLUSIVE,
    OPTION_ALLOW_FILE,
    OPTION_BISECT,
    OPTION_PAIRED,
    OPTION_UNPAIRED,
    OPTION_BENCHMARK,
    OPTION_LIST_BENCHMARKS,
    OPTION_SUITE,
    OPTION_CLEAN,
    OPTION_COLOR,
    OPTION_BACKEND,
    OPTION_DOCUMENT = 1024, /* + enum lauka_document */
    OPTION_EXPORT = 1280,   /* the same, as hyperfine calls them */
};

/* Under which heading the help shows the option. */
enum option_group {
    OPTION_GROUP_ROUNDS,
    OPTION_GROUP_COMMANDS,
    OPTION_GROUP_FAILURES,
    OPTION_GROUP_MACHINE,
    OPTION_GROUP_COUNTERS,
    OPTION_GROUP_OUTPUTS,
    OPTION_GROUP_GATE,
    OPTION_GROUP_STORED,
    OPTION_GROUP_GENERAL,
    OPTION_GROUPS /* how many there are */
};

/* What a value is, and the type of the member of struct lauka_options that gets it. */
enum option_kind {
    KIND_ASKED,        /* none: who needs it asks the list of what was given */
    KIND_FLAG,         /* bool: true where it is given */
    KIND_COUNT,        /* uint64_t, from `least` on */
    KIND_DURATION,     /* uint64_t, in ns; bare numbers are seconds */
    KIND_MILLISECONDS, /* the same above 0; bare numbers are milliseconds */
    KIND_PERCENT,      /* double, a ratio */
    KIND_CHOICE,       /* an enum: the place of the value among `words` */
    KIND_TEXT,         /* const char *, borrowed */
    KIND_TEXTS,        /* struct lauka_texts: the value is added */
    KIND_FILE,         /* struct lauka_output */
    KIND_EACH,         /* of struct lauka_command, of all or of one: each.c */
};

/* There are many of them: small numbers are kept small. */
struct option_row {
    int16_t id;       /* its letter, or 256 and above; 0: nobody asks for it */
    uint8_t group;    /* enum option_group */
    unsigned verbs;   /* the verbs it goes with, as bits: 1 << enum lauka_verb */
    const char *name; /* NULL: a letter only */
    uint8_t argument; /* no_argument, required_argument or optional_argument of getopt_long(3) */
    const char *placeholder; /* NULL where there is no argument; a word for each value it takes */
    const char *help;
    bool harmless;     /* ./.lauka may set it beside what is typed, though nobody named that file */
    uint8_t kind;      /* enum option_kind */
    bool own;          /* it has a grammar besides that of its kind: a case in grammars.c */
    bool may_be_empty; /* an empty value means something */
    uint8_t least;     /* of a count */
    uint16_t member;   /* offset in struct lauka_options */
    int16_t
        told_unless; /* a result tells the member's value unless this option is given; 0: it does not */
    const char *words; /* that the value may be, blanks between them; not always the only ones */
    const char *fixed; /* the value of an option that takes none; NULL: it has none */
    /* The value where it is not given, for "{}" in the help; NULL, or own: all zero. */
    const char *standard;
};

/* Rows of a group stand together. */
extern const struct option_row lauka_option_rows[];
extern const struct option_row lauka_word_row; /* not among them: of what is no option */
extern const size_t lauka_option_count;

/* For completions: the words that its value may be; NULL: it has none, or none in particular. */
const char *option_values(const struct option_row *row);

bool option_has_letter(const struct option_row *row);

#define OPTION_SPELLING_SIZE 64
/* "--name", or "-c" where it has a letter only. Returns `text`. */
const char *option_spelling(const struct option_row *row, char text[OPTION_SPELLING_SIZE]);

/* There has to be one. */
const struct option_row *option_row_of(int id);

struct verb_row {
    enum lauka_verb verb;
    const char *name, *arguments, *help;
    const char *about; /* for its own page: sentences */
    const char *examples[4];
};
extern const struct verb_row lauka_verb_rows[]; /* `run`, which may be left out, is the first */
extern const size_t lauka_verb_count;

struct foreign_row {         /* an option of another tool */
    const char *word, *tool; /* without dashes */
    const char *advice;      /* what to type instead; absent: why lauka has nothing like it */
    bool absent;
    bool mistakable; /* for the beginning of a name of lauka's, or for letters */
};
extern const struct foreign_row lauka_foreign_rows[];
extern const size_t lauka_foreign_count;

/* The row of the verb that the word is, or its value alone. NULL, false: it is none. */
bool option_find_verb(const char *word, enum lauka_verb *verb);

/* ---- help.c: what all help tells -------------------------------------------------------- */

extern const char *const lauka_summary, *const lauka_description;

struct option_group_row {
    const char *heading;       /* of its options */
    const char *topic, *about; /* of `lauka help TOPIC` */
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

/* The nth topic of `lauka help`; NULL: there are no more. */
const char *option_topic(size_t n);

/* The length of a text's first sentence; where that exceeds `room`, of a part that says what matters. */
size_t option_first_clause(const char *text, size_t room);

#define OPTION_HELP_SIZE 800
/* The row's help, with the default where it says "{}". Returns `text`. */
const char *option_help(const struct option_row *row, char text[OPTION_HELP_SIZE]);

/* completions.c */
void option_write_bash(FILE *out);
void option_write_zsh(FILE *out);
void option_write_fish(FILE *out);

/* The help as FORM: "man", "bash", "zsh" or "fish"; the manual page of the subcommand, where one is
 * given, or NULL. False: there is no such form. */
bool option_write_form(const char *form, const char *subcommand, FILE *out);

/* ---- values.c: options that their row says all about ----------------------------------- */

/* Stores the value as the row's kind has it. Fails with LAUKA_EXIT_USAGE. */
bool option_member_set(const struct option_row *row, const char *text,
                       struct lauka_options *options, struct lauka_error *error);

/* The member as it could be typed; "" where it holds nothing. */
void option_member_format(const struct option_row *row, const struct lauka_options *options,
                          char *text, size_t size);

/* The functions below read values and refuse wrong ones with LAUKA_EXIT_USAGE; `option` is the name that an error
 * shows. */

/* A number of things: "500", "10k", "1.5M"; or of bytes: "4096", "64KiB", "1.5GB". Whole, from 1 on. */
bool option_parse_amount(const char *option, const char *text, bool bytes, uint64_t *amount,
                         struct lauka_error *error);

/* "5" (seconds), "500ms", "2m", in ns. */
bool option_parse_duration(const char *option, const char *text, uint64_t *ns,
                           struct lauka_error *error);

/* The first of the exit codes (0 to 255, commas between them) in *code. Returns what follows, "" after the
 * last one; NULL where that is no such code. */
const char *option_next_code(const char *text, size_t *code);

/* Appends a word that is kept, not copied. */
void option_add_text(const struct lauka_options *options, struct lauka_texts *texts,
                     const char *text);

/* What follows "B:" in front of a value that is for one command only, and which; the text itself
 * where there is no such letter. A is 0, Z 25, AA 26. */
const char *option_letter_end(const char *text, size_t *command);

#define LETTER_SIZE 8
/* The command's letter. Returns it. */
char *option_letter(size_t command, char letter[LETTER_SIZE]);

/* Whether the letter in front of the text, if there is one, is that of one of `count` commands. */
bool option_check_letter(const char *option, const char *text, size_t count,
                         struct lauka_error *error);

/* Commands, benchmark by benchmark, each of which has so many sides. A letter is a side's. */
struct option_sides {
    size_t commands, sides;
};

/* Of commands whose benchmarks are made. */
struct option_sides option_sides_of(const struct lauka_options *options);

/* The value for the command at `index`: the last one with its side's letter, or the only one, or its own
 * or its side's of those without a letter; NULL: none was given. */
const char *option_text_for(const struct lauka_texts *texts, size_t index,
                            struct option_sides among);

/* Whether there are none, one, one a side, or one a command without a letter; the error names the
 * numbers. */
bool option_check_texts(const char *option, const struct lauka_texts *texts,
                        struct option_sides among, struct lauka_error *error);

/* ---- values.c: options whose rows do not say all about them ------------------------------------- */

/* text: the value, or NULL where there is none. Fails with LAUKA_EXIT_USAGE. */
bool option_take_own(int id, const char *text, struct lauka_options *options,
                     struct lauka_error *error);

/* ---- gate_rule.c: the words of --gate, --gate-file and --allow ------------------------------------- */

/* The rule's strings are the arena's. */
bool gate_rule_parse(struct lauka_arena *arena, const char *text, struct lauka_gate_rule *rule,
                     struct lauka_error *error);

/* The same, added to the gate, whose arrays are the arena's, too. benchmark: the command that it is for, and where that
 * is said; NULL: all. */
bool gate_rule_add(struct lauka_arena *arena, const char *text, const char *benchmark,
                   const char *where, struct lauka_result_gate *gate, struct lauka_error *error);

/* In the form of --gate: a rule, with [NAME] or [GLOB] in front if it is only for these benchmarks, or
 * commands. */
bool gate_option_add(struct lauka_arena *arena, const char *text, struct lauka_result_gate *gate,
                     struct lauka_error *error);

/* One rule a line; rules below [name of a command] are only for that one; # begins a comment. */
bool gate_file_parse(struct lauka_arena *arena, const char *name, const char *bytes, size_t size,
                     struct lauka_result_gate *gate, struct lauka_error *error);

/* One "benchmark metric until=YYYY-MM-DD reason" a line, added to the gate. One that
 * ended before `today`, in the same form, has expired. */
bool gate_allowances_parse(struct lauka_arena *arena, const char *name, const char *bytes,
                           size_t size, const char *today, struct lauka_result_gate *gate,
                           struct lauka_error *error);

/* ---- what several options say together ------------------------------------------------------------- */

/* gate_rule.c: limits as they are given; and whether all that there are make sense together. */
bool option_take_limits(struct lauka_options *options, struct lauka_error *error);
bool option_check_gate(struct lauka_options *options, struct lauka_error *error);

/* job.c: which job of a session of several machines this is; and then the seed of its own. */
bool option_take_job(struct lauka_options *options, struct lauka_error *error);

/* ---- the commands ------------------------------------------------------------------------ */

/* options.c. What the options say one by one, and which verb it is. words: the arguments without the word of the verb. */
bool option_read(const struct lauka_arguments *arguments, struct lauka_options *options,
                 struct lauka_arguments *words, struct lauka_error *error);
/* What they say together, and the limits that they name. */
bool option_finish(struct lauka_options *options, struct lauka_error *error);
/* The commands with all that is given to each. The gate's limits have to be known. */
bool option_take_run(const struct lauka_arguments *words, struct lauka_options *options,
                     struct lauka_error *error);

/* Of `lauka revisions`: takes the revisions out of the words, which then have the command only. */
bool option_take_revisions(struct lauka_arguments *words, struct lauka_options *options,
                           struct lauka_error *error);

/* Whether --first-slower has one benchmark to judge by. */
bool option_check_search(const struct lauka_options *options, struct lauka_error *error);

/* commands.c. The commands and their benchmarks. A side of a section that has no name has none yet. */
bool option_take_commands(const struct lauka_arguments *words, struct lauka_options *options,
                          struct lauka_error *error);

/* words.c. A hint at what was perhaps meant, into options->hint; and, where there is no command, why. */
void option_advise(const struct lauka_arguments *words, struct lauka_options *options);
bool option_refuse_nothing(const struct lauka_options *options, struct lauka_error *error);

/* For `lauka noise`: each command becomes two, or three where a gate is tried out. */
bool option_double_commands(struct lauka_options *options, struct lauka_error *error);

/* benchmarks.c. The commands as one benchmark (groups: 0), or as so many with equally many sides each,
 * called by their parameters: "size=10", "section/size=10". section: NULL: none. */
void option_make_benchmarks(struct lauka_options *options, const char *section, size_t groups);

/* "size=10,mode=x", behind "SECTION/" where that is not NULL. */
char *option_name_by_parameters(const char *section, const struct lauka_command *command);

/* The first that has the name of an earlier one; benchmark_count: there is none. */
size_t option_find_twin(const struct lauka_options *options);

/* Whether there are benchmarks for the gate's sections and for --benchmark; the others are dropped. */
bool option_choose_benchmarks(struct lauka_options *options, struct lauka_error *error);

/* layouts.c: makes the programs of --layouts, once commands are final. */
bool option_make_layouts(struct lauka_options *options, struct lauka_error *error);

/* each.c, once the commands are known: hooks, input, output, --env, --cwd and others that may differ between them. */
bool option_give_each(struct lauka_options *options, struct lauka_error *error);

/* What is given once for all commands, once for each, or for one side by its letter: each command gets its text, with
 * `which`. */
typedef bool option_giving(int which, const char *text, struct lauka_command *command,
                           struct lauka_error *error);
bool option_spread(const struct lauka_options *options, const char *option,
                   const struct lauka_texts *texts, int which, option_giving *give,
                   struct lauka_error *error);

/* Once all commands have their figures of --read: whether these go together, and where the commands write. */
bool option_check_figures(struct lauka_options *options, struct lauka_error *error);

/* parameters.c */
bool option_take_parameter(int id, const char *name, char *const *rest,
                           struct lauka_options *options, struct lauka_error *error);

#endif
