/* From words to what was asked for: the command line, and files that add to it. */
#ifndef LAUKA_RUNNER_OPTIONS_OPTIONS_H
#define LAUKA_RUNNER_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/result/result.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

struct option_row;

/* ---- words.c: a command line in one list ------------------------------------------------- */

struct lauka_given { /* one option, or a word that is neither option nor value; borrowed */
    const struct option_row *row; /* of such a word, lauka_word_row */
    char *text;                   /* its value, or the first of several, or the word; NULL: none */
    char *const *rest;            /* the other values */
    char *const *words;           /* as they can be typed, values included */
    size_t
        word_count; /* of a letter in the word of the letter before it, those of its values; 0 as well
                         * where another word makes lauka read this one from a file again */
    size_t line;    /* of the file that says it; 0: it was typed */
};

/* Everything in the order of precedence: what comes later replaces what came before, or is added to it. */
struct lauka_arguments {
    struct lauka_arena *arena; /* of all the arrays; borrowed */
    struct lauka_given *given;
    size_t given_count;
    char **words; /* all of them, as they can be typed */
    size_t word_count;
    char **texts; /* what is neither option nor value, in order */
    size_t text_count;
    size_t stored_count; /* of them, those behind the verb that are commands of a file */
    char **vector;       /* of the words, what follows "--"; NULL: there is no "--" */
    size_t vector_count;
    size_t failed_line;   /* of the word that was refused */
    const char *section;  /* of a file, that they are of; NULL: none */
    enum lauka_verb verb; /* by the first of the texts */
    bool has_verb;        /* that is its word; otherwise `run`, which may be left out */
};

/* Appends one. Like all functions below that take an arena or arguments, it needs an arena that knows where to go on
 * without memory. */
void lauka_arguments_add(struct lauka_arguments *arguments, struct lauka_given given);

/* Lists words and texts once all are added. vector: what follows "--"; NULL: there is no "--". */
void lauka_arguments_settle(struct lauka_arguments *arguments, char *const *vector, size_t count);

/* The last one with this enum option_id, or NULL. */
const struct lauka_given *lauka_arguments_find(const struct lauka_arguments *arguments, int id);

bool lauka_arguments_have(const struct lauka_arguments *arguments, const struct option_row *row);

/* ---- words.c: words taken apart by the table of options -------------------------------------- */

/* Names may be abbreviated as long as they stay unique. lines: of a file, where each word stands; NULL: they were
 * typed. Fails with LAUKA_EXIT_USAGE, and names the option that was probably meant; the list then holds everything else
 * that was understood. */
bool lauka_words_read(struct lauka_arena *arena, char *const *words, const size_t *lines,
                      size_t count, struct lauka_arguments *arguments, struct lauka_error *error);

/* Whether files are read or written, or commands run (config.c). */
bool lauka_arguments_need_user(const struct lauka_arguments *arguments);

/* ---- words.c: "--json FILE", "runs = 5" ---------------------------------------------------------------- */

/* Whether no word in the place of a command or an input file was meant as the name of a document. Looks
 * for files. Fails with LAUKA_EXIT_USAGE. */
bool lauka_misplaced_check(struct lauka_arguments *arguments, struct lauka_error *error);

/* Whether no word of a file of options, which would be a command, is an option in the form of other
 * programs' files: "runs = 5". Looks for programs. Fails with LAUKA_EXIT_USAGE. */
bool lauka_assignments_check(struct lauka_arguments *stored, struct lauka_error *error);

/* ---- config.c: options from a file -------------------------------------------- */

struct lauka_section {
    char *name;         /* borrowed from the text */
    size_t from, count; /* of the words */
    size_t line;
};

struct lauka_config {
    const char *path;          /* borrowed; NULL: there is no file */
    bool implicit;             /* nobody named it */
    struct lauka_arena *arena; /* of what it points to; borrowed */
    char **words;
    size_t *lines;         /* where each word stands */
    size_t count, general; /* words; those before the first section */
    struct lauka_section *sections;
    size_t section_count; /* 0 as well where commands are typed */
    bool holds;           /* something of it takes effect */
    char left_out[400];   /* "--setup, --json": what would, if the file was named */
};

/* Finds the file of --config, of $LAUKA_CONFIG, or ./.lauka. The calling process already is the user to
 * whom the file must belong; unclear: why it is not known who that is, or NULL. */
bool lauka_config_read(struct lauka_arguments *typed, const struct lauka_error *unclear,
                       struct lauka_config *config, struct lauka_error *error);

/* What was typed, after what the file adds to it. section: which one, from 0. There must be a file. */
bool lauka_config_add(struct lauka_config *config, const struct lauka_arguments *typed,
                      size_t section, struct lauka_arguments *all, struct lauka_error *error);
/* The same for the whole session, from what comes before all sections: without what they say, and without
 * commands. Its words name the file; behind them, where `given` has them, are those of the file. There
 * must be sections. */
bool lauka_config_add_session(struct lauka_config *config, const struct lauka_arguments *typed,
                              struct lauka_arguments *all, struct lauka_error *error);

/* ---- config.c: what a file may do that nobody named ------------------------------------------- */

/* Says on stderr that a file is used that nobody named, and which of its lines are not. */
void lauka_config_say(const struct lauka_config *config, const struct lauka_arguments *typed);

/* ---- options.c: from the command line to struct lauka_options -------------------------------- */

/* The arguments must outlive the options, which use their arena. Random parts (the default seed) come from the
 * system. */
bool lauka_options_parse(const struct lauka_arguments *arguments, struct lauka_options *options,
                         struct lauka_error *error);

/* sections.c: the same for a file with sections, each of which is one benchmark, or several by its
 * parameters. `all` consists of what was typed and what the file says before the sections; it must outlive
 * the options. */
bool lauka_options_parse_sections(struct lauka_config *config, const struct lauka_arguments *typed,
                                  struct lauka_arguments *all, struct lauka_options *options,
                                  struct lauka_error *error);

/* What `lauka --help` asks for. */
bool lauka_options_show_help(const struct lauka_options *options, FILE *out,
                             struct lauka_error *error);

/* ---- help.c: the help text, made from the table of options ----------------------------------- */

/* All options, one line each; `brief`: what fits on one screen. topic: NULL, or what `lauka help` was
 * asked about: a subcommand, a group of options, "all", or "" for the list of topics. False if there is no
 * such topic. */
bool lauka_options_help(const char *topic, bool brief, FILE *out);

/* ---- benchmarks.c, layouts.c: what is compared with what ------------------------------------- */

/* Prints their names, one a line, escaped for a terminal. */
bool lauka_benchmarks_list(const struct lauka_options *options, FILE *out,
                           struct lauka_error *error);

/* The same options with what is really executed: with --layouts, command c becomes the `layouts` commands
 * from c * layouts on; otherwise nothing changes. Borrows everything. */
void lauka_layouts_act(const struct lauka_options *options, struct lauka_options *acting);

/* The text with the layout's number for every {layout}. NULL if there is no memory. */
char *lauka_layout_fill(struct lauka_arena *arena, const char *text, uint64_t layout);

/* The session as one of its benchmarks sees it: only that one's commands and benchmarks (its `first` stays
 * a place among the session's commands), and a gate with the rules and allowances that hold for it. In a
 * named benchmark these apply to all its sides and name none: their `benchmark` is NULL, or "*" in an
 * allowance. Borrows from the session, which must outlive it; free it with lauka_options_of_done only.
 * Returns 0 or ENOMEM. */
int lauka_options_of(const struct lauka_options *session, size_t benchmark,
                     struct lauka_options *own);
void lauka_options_of_done(struct lauka_options *own);

/* Whether --benchmark leaves a stored benchmark of that name. */
bool lauka_options_choose(const struct lauka_options *options, const char *benchmark);

/* Whether every limit that names benchmarks, and --full, matches one of the options'. Fails with
 * LAUKA_EXIT_USAGE. */
bool lauka_options_check_limits(const struct lauka_options *options, struct lauka_error *error);

/* ---- benchmarks.c: the benchmarks inside two programs --------------------------------------------- */

/* Turns the commands, so far those of one benchmark, into the sides of each of these, of which --benchmark
 * may drop some, but not the last one if that stays; like option_choose_benchmarks, which also checks limits. */
bool lauka_options_take_inner(struct lauka_options *options, char *const *names, size_t count,
                              bool last_stays, struct lauka_error *error);

/* ---- values.c: options of what is written, and how ------------------------------------------ */

/* Whether one of them replaces the table. */
bool lauka_outputs_take_stdout(const struct lauka_options *options);

/* ---- commands.c: options of parameters ----------------------------------------------------- */

/* The text with the command's parameters in place of their {NAME}s, from its arena. */
char *lauka_command_substitute(const struct lauka_command *command, const char *text);

/* ---- settings.c: the options of a session, as its result tells them -------------------------- */

/* Adds what was given and what holds by default, except where documents go. Returns 0 or ENOMEM. */
int lauka_settings_describe(struct lauka_result *result, const struct lauka_options *options);

#endif
