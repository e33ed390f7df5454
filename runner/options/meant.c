/* Words that were meant as something else. In the place of a command or an input file: a file to write, or an option in
 * the form that other programs' files use, runs = 5. And words that make sense as they stand, but may have meant something
 * else: that is said on stderr, without any effect. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "pmu/events/events.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/command/command.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- a file to write, as in --json FILE --------------------------------------------------------- */

static bool ends_as_document(const char *word)
{
    static const char *const ends[] = {".json", ".csv", ".md",  ".markdown",
                                       ".html", ".htm", ".xml", ".txt"};
    size_t length = strlen(word);

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i]);
        if (length > end && strcmp(word + length - end, ends[i]) == 0)
            return true;
    }
    return false;
}

/* Whether the word makes sense where it stands: a program to run, or a file to read. */
static bool is_meant(const struct lauka_arguments *arguments, const char *word)
{
    const enum lauka_verb verb = arguments->verb;

    if (verb != LAUKA_VERB_RUN && verb != LAUKA_VERB_NOISE && verb != LAUKA_VERB_WHY &&
        verb != LAUKA_VERB_SUITE)
        return access(word, F_OK) == 0;
    return lauka_command_exists(word);
}

/* Behind an option with an optional value, a word is a command, or a file to read, even if its name looks
 * like a file to write. */
bool lauka_misplaced_check(struct lauka_arguments *arguments, struct lauka_error *error)
{
    for (size_t i = 0; i + 1 < arguments->given_count; i++) {
        const struct lauka_given *given = &arguments->given[i], *next = given + 1;
        if (given->row->group != OPTION_GROUP_OUTPUTS ||
            given->row->argument != optional_argument || given->text ||
            next->row != &lauka_word_row || *next->text == '-' || !ends_as_document(next->text) ||
            is_meant(arguments, next->text))
            continue;
        arguments->failed_line = next->line;
        return lauka_misuse(
            error, "%.200s is no program to run and no file to read: to write it, type --%s=%.200s",
            next->text, given->row->name, next->text);
    }
    return true;
}

/* ---- in a file of options ----------------------------------------------------------------------- */

/* "runs = 5", "runs: 5", "runs 5", taken apart. */
struct assignment {
    char name[40]; /* as options have it: '-' for '_' */
    size_t blanks; /* between the name and what follows */
    char sign;     /* '=' or ':'; otherwise 0 */
    const char *value;
};

static bool take_apart(const char *text, struct assignment *found)
{
    size_t length =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

    if (length == 0 || length >= sizeof found->name)
        return false;
    for (size_t i = 0; i < length; i++)
        found->name[i] = text[i] == '_' ? '-' : text[i];
    found->name[length] = '\0';
    text += length;
    found->blanks = strspn(text, " \t");
    text += found->blanks;
    found->sign = *text == '=' || *text == ':' ? *text : '\0';
    text += found->sign != '\0';
    found->value = text + strspn(text, " \t");
    return true;
}

/* env X=1 ./a and timeout 5 ./a are commands, and so is sort file; but nothing has "=" as its first
 * argument. */
static bool is_assignment(const struct assignment *found, const struct option_row *row,
                          const char *text)
{
    char program[sizeof found->name];

    if (found->sign == '=' && found->blanks > 0)
        return true;
    if (!row || found->sign)
        return row;
    if (found->blanks == 0 || row->argument == no_argument)
        return false;
    snprintf(program, sizeof program, "%.*s", (int)strlen(found->name), text);
    return !lauka_command_exists(program);
}

static bool refuse_assignment(const char *text, const struct assignment *found,
                              const struct option_row *row, struct lauka_error *error)
{
    bool takes = row && row->argument != no_argument;

    if (row)
        return lauka_misuse(error,
                            "\"%.100s\" would be run as a command: an option is written as it is "
                            "typed, --%s%s%.100s",
                            text, row->name, takes ? "=" : "", takes ? found->value : "");
    return lauka_misuse(error,
                        "\"%.100s\" would be run as a command, and there is no option --%s: "
                        "options are written as they are typed, such as --runs=5",
                        text, found->name);
}

bool lauka_assignments_check(struct lauka_arguments *stored, struct lauka_error *error)
{
    for (size_t i = 0; i < stored->given_count; i++) {
        const struct lauka_given *given = &stored->given[i];
        struct assignment found;
        if (given->row != &lauka_word_row || !take_apart(given->text, &found))
            continue;
        const struct option_row *row = option_row_named(found.name);
        if (!is_assignment(&found, row, given->text))
            continue;
        stored->failed_line = given->line;
        return refuse_assignment(given->text, &found, row, error);
    }
    return true;
}

/* ---- words that also make sense as they stand ---------------------------------------------------- */

/* One vector of which every word is a program: somebody meant several commands. */
static bool is_without_vs(const struct lauka_arguments *words)
{
    bool programs = words->vector_count > 1;

    for (size_t i = 0; i < words->vector_count; i++)
        programs = programs && strchr(words->vector[i], '/') && access(words->vector[i], X_OK) == 0;
    return programs;
}

/* -n 5 is a number of runs for multitime, and a name here. */
static const char *name_of_digits(const struct lauka_arguments *arguments)
{
    const char *name = NULL;

    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct lauka_given *given = &arguments->given[i];
        if (given->row->id == OPTION_RUNS || (given->row->id == OPTION_COMMAND_NAME && name))
            return NULL;
        if (given->row->id == OPTION_COMMAND_NAME)
            name = given->text;
    }
    return name && *name && name[strspn(name, "0123456789")] == '\0' ? name : NULL;
}

static bool is_parameter(const struct lauka_options *options, const char *name, size_t length)
{
    for (size_t i = 0; i < options->run.parameter_count; i++)
        if (strlen(options->run.parameters[i].name) == length &&
            strncmp(options->run.parameters[i].name, name, length) == 0)
            return true;
    return options->run.layouts > 0 && length == strlen("layout") &&
           strncmp(name, "layout", 6) == 0;
}

/* The first {NAME} in a text that stands for nothing; its length with the braces, or 0. */
static size_t find_unknown(const struct lauka_options *options, const char **text)
{
    for (const char *brace = strchr(*text, '{'); brace; brace = strchr(brace + 1, '{')) {
        size_t length = 1;
        while (isalnum((unsigned char)brace[length]) || strchr("_-", brace[length]) != NULL)
            if (!brace[length++])
                break;
        if (length > 1 && brace[length] == '}' && !isdigit((unsigned char)brace[1]) &&
            !is_parameter(options, brace + 1, length - 1)) {
            *text = brace;
            return length + 1;
        }
    }
    return 0;
}

static bool hint_at_braces(const struct lauka_arguments *words, struct lauka_options *options)
{
    for (size_t i = 0; options->run.parameter_count > 0 && i < words->text_count; i++) {
        const char *text = words->texts[i];
        size_t length = find_unknown(options, &text);
        if (length > 0)
            snprintf(options->hint, sizeof options->hint,
                     "%.*s in `%.100s` stays as it is: no parameter has this name",
                     (int)(length < 60 ? length : 60), text, words->texts[i]);
        if (length > 0)
            return true;
    }
    return false;
}

/* A parameter of several values that stands in nothing that was given: all of its commands are the same. */
static const char *find_unused(const struct lauka_options *options)
{
    const struct lauka_arguments *arguments = options->arguments;

    for (size_t p = 0; p < options->run.parameter_count; p++) {
        const struct lauka_parameter *parameter = &options->run.parameters[p];
        const char *braced = lauka_arena_print(options->arena, "{%s}", parameter->name);
        bool used = parameter->count < 2;
        for (size_t i = 0; i < arguments->given_count; i++)
            for (size_t w = 0; w < arguments->given[i].word_count; w++)
                used |= strstr(arguments->given[i].words[w], braced) != NULL;
        for (size_t i = 0; i < arguments->vector_count; i++)
            used |= strstr(arguments->vector[i], braced) != NULL;
        if (!used)
            return parameter->name;
    }
    return NULL;
}

/* The subcommand that the first word nearly is, if that is no program. */
static const char *meant_verb(const struct lauka_arguments *words)
{
    const char *word = words->text_count > 0 ? words->texts[0] : "", *nearest = NULL;
    size_t least = 2; /* letters */

    for (size_t i = 0; i < lauka_verb_count && strlen(word) > 2; i++) {
        const char *name = lauka_verb_rows[i].name;
        const size_t far = lauka_name_distance(name, word);
        if (far > least || 2 * far > strlen(name)) /* `true` is not nearly `run` */
            continue;
        nearest = name;
        least = far;
    }
    return nearest && !lauka_command_exists(word) ? nearest : NULL;
}

void option_advise(const struct lauka_arguments *words, struct lauka_options *options)
{
    const char *name = name_of_digits(options->arguments), *verb = meant_verb(words);
    const char *unused = find_unused(options);

    if (is_without_vs(words) && options->run.command_count == 1)
        snprintf(options->hint, sizeof options->hint,
                 "all words after -- are one command; to compare, put --vs between two: "
                 "lauka -- ./a --vs ./b");
    else if (name)
        snprintf(options->hint, sizeof options->hint,
                 "-n %.20s names the command \"%.20s\"; for a number of rounds, use -r %.20s", name,
                 name, name);
    else if (verb)
        snprintf(options->hint, sizeof options->hint, "did you mean lauka %s?", verb);
    else if (!hint_at_braces(words, options) && unused)
        snprintf(options->hint, sizeof options->hint,
                 "{%.60s} is in no command: all its values run the same", unused);
}

/* ---- no command ----------------------------------------------------------------------------- */

bool option_refuse_nothing(const struct lauka_options *options, struct lauka_error *error)
{
    const struct lauka_given *list =
        lauka_arguments_find(options->arguments, OPTION_PARAMETER_LIST);

    if (list && !strchr(list->rest[0], ','))
        return lauka_misuse(error,
                            "no command to run: -L %.60s took \"%.100s\" as its values; type -L "
                            "%.60s VALUES before the command",
                            list->text, list->rest[0], list->text);
    const enum lauka_verb verb = options->measure.why ? LAUKA_VERB_WHY : options->verb;
    for (size_t i = 1; i < lauka_verb_count; i++)
        if (lauka_verb_rows[i].verb == verb)
            return lauka_misuse(error, "no command to run: lauka %s %s; see lauka help %s",
                                lauka_verb_rows[i].name, lauka_verb_rows[i].arguments,
                                lauka_verb_rows[i].name);
    return lauka_misuse(error, "no command to run: lauka COMMAND [COMMAND...]; see lauka --help");
}
