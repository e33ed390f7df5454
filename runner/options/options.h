/* From words to options: the command line, and files that add to it. */
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

struct lauka_given { /* an option, or a word that is neither option nor value; borrowed */
    const struct option_row *row; /* for such a word, lauka_word_row */
    char *text;                   /* its value, the first of several, or the word; NULL: none */
    char *const *rest;            /* the other values */
    char *const *words;           /* as typed, including values */
    size_t word_count; /* for a letter in the word of the previous letter, only the words of its
                     * values; 0 also if another word makes lauka read this one again from a file */
    size_t line;       /* line in its file; 0: it was typed */
};

/* All arguments in order of precedence: later ones replace earlier ones, or are added to them. */
struct lauka_arguments {
    struct lauka_arena *arena; /* owns all arrays; borrowed */
    struct lauka_given *given;
    size_t given_count;
    char **words; /* all arguments, as typed */
    size_t word_count;
    char **texts; /* words that are neither option nor value, in order */
    size_t text_count;
    size_t stored_count; /* how many of them, after the verb, are commands from a file */
    char **vector;       /* the words after "--"; NULL: there is no "--" */
    size_t vector_count;
    size_t failed_line;   /* line of the rejected word */
    const char *section;  /* their section of a file; NULL: none */
    enum lauka_verb verb; /* set by the first of the texts */
    bool has_verb;        /* the verb was typed; otherwise `run`, which is optional */
};

/* Appends one. Like all functions below that take an arena or arguments, it needs an arena that
 * handles memory exhaustion. */
void lauka_arguments_add(struct lauka_arguments *arguments, struct lauka_given given);

/* Lists words and texts after all were added. vector: the words after "--"; NULL: there is no "--". */
void lauka_arguments_settle(struct lauka_arguments *arguments, char *const *vector, size_t count);

/* The last one with this enum option_id, or NULL. */
const struct lauka_given *lauka_arguments_find(const struct lauka_arguments *arguments, int id);

bool lauka_arguments_have(const struct lauka_arguments *arguments, const struct option_row *row);

/* ---- words.c: words taken apart by the table of options -------------------------------------- */

/* Names may be abbreviated while they stay unique. lines: the line of each word in a file; NULL:
 * they were typed. Fails with LAUKA_EXIT_USAGE and suggests an option; the list then has everything
 * else that was understood. */
bool lauka_words_read(struct lauka_arena *arena, char *const *words, const size_t *lines,
                      size_t count, struct lauka_arguments *arguments, struct lauka_error *error);

/* Whether files are read or written, or commands run (config.c). */
bool lauka_arguments_need_user(const struct lauka_arguments *arguments);

/* ---- meant.c: "--json FILE", "runs = 5" ---------------------------------------------------------------- */

/* Checks that no word in the place of a command or an input file was meant as the name of a
 * document. Looks for files. Fails with LAUKA_EXIT_USAGE. */
bool lauka_misplaced_check(struct lauka_arguments *arguments, struct lauka_error *error);

/* Checks that no word in a file of options, which would be a command, is an option in the syntax of
 * other programs: "runs = 5". Looks for programs. Fails with LAUKA_EXIT_USAGE. */
bool lauka_assignments_check(struct lauka_arguments *stored, struct lauka_error *error);

/* ---- config.c: options from a file -------------------------------------------- */

struct lauka_section {
    char *name;         /* borrowed from the text */
    size_t from, count; /* range of words */
    size_t line;
};

struct lauka_config {
    const char *path;          /* borrowed; NULL: no file */
    bool implicit;             /* found without --config or $LAUKA_CONFIG */
    struct lauka_arena *arena; /* owns what it points to; borrowed */
    char **words;
    size_t *lines;         /* the line of each word */
    size_t count, general; /* number of words; of those before the first section */
    struct lauka_section *sections;
    size_t section_count; /* also 0 if commands were typed */
    bool holds;           /* some of it is in effect */
    char left_out[400];   /* "--setup, --json": lines in effect if the file were named */
};

/* Finds the file of --config, of $LAUKA_CONFIG, or ./.lauka. The calling process has already become
 * the user who must own it; unclear: why that user is not known, or NULL. */
bool lauka_config_read(struct lauka_arguments *typed, const struct lauka_error *unclear,
                       struct lauka_config *config, struct lauka_error *error);

/* Combines what was typed with the file. section: index from 0. There must be a file. */
bool lauka_config_add(struct lauka_config *config, const struct lauka_arguments *typed,
                      size_t section, struct lauka_arguments *all, struct lauka_error *error);
/* The same for the whole session, with the part before all sections only: without sections and
 * commands. Its words name the file; in `given` the file's own words follow. There must be
 * sections. */
bool lauka_config_add_session(struct lauka_config *config, const struct lauka_arguments *typed,
                              struct lauka_arguments *all, struct lauka_error *error);

/* ---- config.c: what a file may do that nobody named ------------------------------------------- */

/* Reports on stderr that an implicit file is used, and which of its lines are not. */
void lauka_config_say(const struct lauka_config *config, const struct lauka_arguments *typed);

/* ---- options.c: from the command line to struct lauka_options -------------------------------- */

/* The arguments must outlive the options, which use their arena. The default seed is random, from
 * the system. */
bool lauka_options_parse(const struct lauka_arguments *arguments, struct lauka_options *options,
                         struct lauka_error *error);

/* sections.c: the same for a file with sections, each of which is one benchmark, or several with
 * parameters. `all` has what was typed and the part of the file before the sections; it must
 * outlive the options. */
bool lauka_options_parse_sections(struct lauka_config *config, const struct lauka_arguments *typed,
                                  struct lauka_arguments *all, struct lauka_options *options,
                                  struct lauka_error *error);

/* Prints the help requested by `lauka --help`. */
bool lauka_options_show_help(const struct lauka_options *options, FILE *out,
                             struct lauka_error *error);

/* ---- help.c: the help text, made from the table of options ----------------------------------- */

/* Prints all options, one per line; `brief`: on one screen. topic: NULL, or the argument of `lauka
 * help`: a subcommand, a group of options, "all", or "" for the list of topics. False if there is
 * no such topic. */
bool lauka_options_help(const char *topic, bool brief, FILE *out);

/* ---- benchmarks.c, layouts.c: what is compared with what ------------------------------------- */

/* Prints their names, one per line, escaped for a terminal. */
bool lauka_benchmarks_list(const struct lauka_options *options, FILE *out,
                           struct lauka_error *error);

/* Copies the options with the commands that are really executed: with --layouts, command c becomes
 * the `layouts` commands from c * layouts on; otherwise nothing changes. Borrows everything. */
void lauka_layouts_act(const struct lauka_options *options, struct lauka_options *acting);

/* Replaces every {layout} in the text by the layout's number. NULL without memory. */
char *lauka_layout_fill(struct lauka_arena *arena, const char *text, uint64_t layout);

/* The session as seen by one benchmark: only its own commands and benchmark (`first` is still an
 * index into the session's commands), and a gate with the rules and allowances for it. In a named
 * benchmark they apply to all sides and name none: their `benchmark` is NULL, or "*" in an
 * allowance. Borrows from the session, which must outlive it. Returns 0 or ENOMEM. */
int lauka_options_of(const struct lauka_options *session, size_t benchmark,
                     struct lauka_options *own);

/* Whether --benchmark selects a stored benchmark of this name. */
bool lauka_options_choose(const struct lauka_options *options, const char *benchmark);

/* Checks that every limit for named benchmarks, and --full, matches a benchmark of the options.
 * Fails with LAUKA_EXIT_USAGE. */
bool lauka_options_check_limits(const struct lauka_options *options, struct lauka_error *error);

/* ---- benchmarks.c: the benchmarks inside two programs --------------------------------------------- */

/* Turns the commands, so far of one benchmark, into the sides of each of these benchmarks. --benchmark may
 * exclude some, but not the last if that stays. As option_choose_benchmarks, it also checks limits. */
bool lauka_options_take_inner(struct lauka_options *options, char *const *names, size_t count,
                              bool last_stays, struct lauka_error *error);

/* ---- options.c: options of what is written ------------------------------------------ */

/* Whether a document replaces the table. */
bool lauka_outputs_take_stdout(const struct lauka_options *options);

/* ---- commands.c: options of parameters ----------------------------------------------------- */

/* The text with the values of the command's parameters for {NAME}; in its arena. */
char *lauka_command_substitute(const struct lauka_command *command, const char *text);

/* ---- settings.c: the options of a session, as its result tells them -------------------------- */

/* Adds options that were given, and defaults, except document paths. Returns 0 or ENOMEM. */
int lauka_settings_describe(struct lauka_result *result, const struct lauka_options *options);

/* ---- event_tables.c: names that vendors give their events -------------------------------------- */

/* All events of this processor's tables: --event-table, or else the first place that has some, or else an installed perf.
 * They are read at the first call, into the options' arena. Names may occur more than once. Sets *count; false without
 * memory, if the arena does not go on elsewhere then. */
bool lauka_event_tables_read(struct lauka_options *options,
                             const struct lauka_vendor_event **events, size_t *count);

/* As find of struct lauka_event_list; context: the options. *why says what there is in place of the name, or where tables
 * are to be had. */
const struct lauka_vendor_event *lauka_event_tables_find(void *context, const char *name,
                                                         size_t index, const char **why);

#endif
