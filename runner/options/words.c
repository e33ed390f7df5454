/* A command line taken apart by the table of options. Not by getopt_long(3): the libraries differ in
 * how they permute words, none of them reads options with two values, and none names what was meant. */
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

/* ---- options of other tools, which people type from habit ------------------------------------- */

static const struct foreign_row *find_foreign(const char *name, size_t length)
{
    for (size_t i = 0; i < lauka_foreign_count; i++)
        if (strlen(lauka_foreign_rows[i].word) == length &&
            strncmp(lauka_foreign_rows[i].word, name, length) == 0)
            return &lauka_foreign_rows[i];
    return NULL;
}

/* Whether such a name is refused before it is read as the beginning of a name of lauka's, or as letters. */
static bool is_mistakable(const char *name, size_t length)
{
    const struct foreign_row *row = find_foreign(name, length);

    return row && row->mistakable;
}

/* Whether another tool has an option of this name of `length` characters; then the error says what to type
 * here. dashes: "-" or "--", as typed. */
static bool refuse_foreign(const char *dashes, const char *name, size_t length,
                           struct lauka_error *error)
{
    const struct foreign_row *row = find_foreign(name, length);

    if (row)
        lauka_fail(error, LAUKA_EXIT_USAGE,
                   row->absent ? "unknown option %s%s; lauka has nothing like %s's %s%s: %s"
                               : "unknown option %s%s; instead of %s's %s%s, use %s",
                   dashes, row->word, row->tool, dashes, row->word, row->advice);
    return row != NULL;
}

/* ---- a command line in one list ------------------------------------------------------------------ */

void lauka_arguments_add(struct lauka_arguments *arguments, struct lauka_given given)
{
    struct lauka_given *added = lauka_arena_add(arguments->arena, &arguments->given,
                                                &arguments->given_count, sizeof *added);

    *added = given;
}

static void put(struct lauka_arguments *arguments, char *const *words, size_t count)
{
    if (count > 0)
        memcpy(arguments->words + arguments->word_count, words, count * sizeof *words);
    arguments->word_count += count;
}

void lauka_arguments_settle(struct lauka_arguments *arguments, char *const *vector, size_t count)
{
    static char mark[] = "--", *dashes[] = {mark};
    size_t words = count + 2, texts = 0;

    for (size_t i = 0; i < arguments->given_count; i++) {
        words += arguments->given[i].word_count;
        texts += arguments->given[i].row == &lauka_word_row;
    }
    arguments->words = lauka_arena_take(arguments->arena, words * sizeof *arguments->words);
    arguments->texts = lauka_arena_take(arguments->arena, (texts + 1) * sizeof *arguments->texts);
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct lauka_given *given = &arguments->given[i];
        put(arguments, given->words, given->word_count);
        if (given->row == &lauka_word_row && given->text)
            arguments->texts[arguments->text_count++] = given->text;
    }
    arguments->has_verb =
        arguments->text_count > 0 && option_find_verb(arguments->texts[0], &arguments->verb);
    if (!vector)
        return;
    put(arguments, dashes, 1);
    arguments->vector = arguments->words + arguments->word_count;
    arguments->vector_count = count;
    put(arguments, vector, count);
}

const struct lauka_given *lauka_arguments_find(const struct lauka_arguments *arguments, int id)
{
    const struct lauka_given *found = NULL;

    for (size_t i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].row->id == id)
            found = &arguments->given[i];
    return found;
}

bool lauka_arguments_have(const struct lauka_arguments *arguments, const struct option_row *row)
{
    for (size_t i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].row == row)
            return true;
    return false;
}

struct reading {
    char *const *words;  /* the words before "--" */
    const size_t *lines; /* of a file, where they stand; NULL: they were typed */
    size_t count, next, text_count;
    const char *first; /* neither option nor value: what follows may be that program's options */
    struct lauka_arguments *arguments;
    struct lauka_error *error;
};

/* Names nearer than this many letters are worth naming. */
#define NEAR 3

static const struct option_row *row_of_letter(char letter)
{
    for (size_t i = 0; i < lauka_option_count; i++)
        if (lauka_option_rows[i].id == letter)
            return &lauka_option_rows[i];
    return NULL;
}

static bool refuse_name(const char *name, size_t length, struct lauka_error *error)
{
    const struct option_row *nearest = NULL;
    size_t least = NEAR;
    char typed[64];

    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    if (strcmp(typed, "vs") == 0)
        return lauka_fail(
            error, LAUKA_EXIT_USAGE,
            "--vs parts commands after --: lauka [OPTIONS] -- ./a ARGS --vs ./b ARGS");
    for (size_t i = 0; i < lauka_option_count; i++) {
        const char *known = lauka_option_rows[i].name;
        size_t far = known ? lauka_name_distance(known, typed) : NEAR;
        if (far < least && far < strlen(typed)) {
            least = far;
            nearest = &lauka_option_rows[i];
        }
    }
    if (nearest)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "unknown option --%s: did you mean --%s? See lauka --help", typed,
                          nearest->name);
    return lauka_fail(error, LAUKA_EXIT_USAGE, "unknown option --%s; see lauka --help", typed);
}

static bool refuse_beginning(const char *name, size_t length, struct lauka_error *error)
{
    char list[400] = "";
    size_t used = 0;

    for (size_t i = 0; i < lauka_option_count && used < sizeof list - 40; i++) {
        const char *known = lauka_option_rows[i].name;
        if (known && strncmp(known, name, length) == 0)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s--%.30s", used ? ", " : "",
                                     known);
    }
    return lauka_fail(error, LAUKA_EXIT_USAGE, "--%.*s is ambiguous: %s",
                      (int)(length < 60 ? length : 60), name, list);
}

/* By its name, or the beginning of one name only. */
static const struct option_row *row_of_name(const char *name, size_t length,
                                            struct lauka_error *error)
{
    const struct option_row *begins = NULL;
    size_t count = 0;

    for (size_t i = 0; i < lauka_option_count; i++) {
        const struct option_row *row = &lauka_option_rows[i];
        if (!row->name || strncmp(row->name, name, length) != 0)
            continue;
        if (row->name[length] == '\0')
            return row;
        begins = row;
        count++;
    }
    if (count == 1 && !is_mistakable(name, length))
        return begins;
    if (count > 1)
        refuse_beginning(name, length, error);
    else if (!refuse_foreign("--", name, length, error))
        refuse_name(name, length, error);
    return NULL;
}

/* How many words its values take: as many as its placeholder has. */
static size_t value_count(const struct option_row *row)
{
    size_t count = row->argument == required_argument;

    for (const char *c = row->placeholder; c && *c; c++)
        count += *c == ' ';
    return count;
}

static bool takes_file(const struct option_row *row)
{
    return row->kind == KIND_FILE || row->id == OPTION_OUTPUT;
}

/* Whether no value begins with a dash. */
static bool takes_no_dash(const struct option_row *row)
{
    return (row->kind >= KIND_COUNT && row->kind <= KIND_CHOICE) || row->id == OPTION_GATE;
}

/* Whether the next word would be the value, and is rather an option: --runs --bisect. */
static bool eats_option(const struct reading *reading, const struct option_row *row)
{
    const char *word = reading->words[reading->next];

    if (takes_file(row))
        return word[0] == '-' && word[1];
    return takes_no_dash(row) && strncmp(word, "--", 2) == 0;
}

static bool refuse_eating(const struct reading *reading, const struct option_row *row)
{
    const char *word = reading->words[reading->next];

    if (takes_file(row))
        return lauka_fail(reading->error, LAUKA_EXIT_USAGE,
                          "--%s needs a value before %.100s; write ./%.100s if that is the name of "
                          "a file",
                          row->name, word, word);
    return lauka_fail(reading->error, LAUKA_EXIT_USAGE,
                      "--%s needs a value before %.100s: %s; see lauka --help", row->name, word,
                      row->placeholder);
}

/* An empty value is a variable that is not set: it must not be taken for "not given", or for "all". */
static bool check_filled(const struct reading *reading, const struct option_row *row,
                         const char *value)
{
    char name[OPTION_SPELLING_SIZE];
    size_t side;

    if (!value || row->may_be_empty)
        return true;
    const char *text = row->kind == KIND_EACH ? option_letter_end(value, &side) : value;
    return text[strspn(text, " \t\n")] ||
           lauka_fail(reading->error, LAUKA_EXIT_USAGE,
                      "%s: its value is empty (is a variable not set?); expected %s",
                      option_spelling(row, name), row->placeholder);
}

/* Of the word that was read last; 0: it was typed. */
static size_t line_of(const struct reading *reading)
{
    return reading->lines ? reading->lines[reading->next - 1] : 0;
}

/* The option as it can be typed: in `word`, which it shares with letters before it if that is NULL. */
static bool use(struct reading *reading, const struct option_row *row, char *word, char *value)
{
    size_t missing = value_count(row) - (value && row->argument == required_argument);
    char *const *rest = reading->words + reading->next;
    char name[OPTION_SPELLING_SIZE];

    if (value && row->argument == no_argument)
        return lauka_fail(reading->error, LAUKA_EXIT_USAGE, "--%s takes no value", row->name);
    if (missing > reading->count - reading->next)
        return lauka_fail(reading->error, LAUKA_EXIT_USAGE, "%s needs %s: %s; see lauka --help",
                          option_spelling(row, name), value_count(row) == 1 ? "a value" : "values",
                          row->placeholder);
    if (missing > 0 && eats_option(reading, row))
        return refuse_eating(reading, row);
    char *text = row->argument == required_argument && !value ? rest[0] : value;
    char *const *words = rest - 1;
    if (word && word != *words) { /* a letter of its own */
        char **own = lauka_arena_take(reading->arguments->arena, (missing + 1) * sizeof *own);
        own[0] = word;
        memcpy(own + 1, rest, missing * sizeof *own);
        words = own;
    }
    lauka_arguments_add(reading->arguments, (struct lauka_given){
                                                .row = row,
                                                .text = text,
                                                .rest = rest + (value_count(row) > 0 && !value),
                                                .words = word ? words : rest,
                                                .word_count = missing + (word != NULL),
                                                .line = line_of(reading),
                                            });
    reading->next += missing;
    return check_filled(reading, row, text);
}

static bool read_name(struct reading *reading, char *word)
{
    char *name = word + 2;
    size_t length = strcspn(name, "=");
    const struct option_row *row = row_of_name(name, length, reading->error);

    return row && use(reading, row, word, name[length] ? name + length + 1 : NULL);
}

/* Of `word`, which is whole: -la behind ls is for ls, and -count=5 is go test's. unknown: the part of it
 * that is no option, of `length` characters. */
static bool refuse_letters(const struct reading *reading, const char *word, const char *unknown,
                           int length)
{
    const char *program = reading->first;
    enum lauka_verb verb;
    size_t name = strcspn(word, "=,0123456789");

    if (program && !option_find_verb(program, &verb))
        return lauka_fail(reading->error, LAUKA_EXIT_USAGE,
                          "unknown option -%.*s; if -%.60s is for %.100s, make them one word: "
                          "'%.100s -%.60s', or lauka -- %.100s -%.60s",
                          length, unknown, word, program, program, word, program, word);
    if (refuse_foreign("-", word, name > 0 ? name : 1, reading->error) ||
        refuse_foreign("-", unknown, 1, reading->error))
        return false;
    return lauka_fail(reading->error, LAUKA_EXIT_USAGE, "unknown option -%.*s; see lauka --help",
                      length, unknown);
}

/* Letters may stand together; the last one may have its value attached: -qw3, -w=3. Not all of a file may hold, so
 * each of these gets a word of its own. */
static bool read_letters(struct reading *reading, char *whole)
{
    char *letters = whole + 1;
    size_t length = strcspn(letters, "=");

    if (is_mistakable(letters, length))
        return refuse_letters(reading, letters, letters, (int)length);
    for (const char *word = letters; *letters; letters++) {
        const struct option_row *row = row_of_letter(*letters);
        char *own = letters == word ? whole : NULL;
        if (!row)
            return refuse_letters(reading, word, letters, 1);
        bool last = row->argument != no_argument || !letters[1];
        if (reading->lines && !(own && last))
            own = lauka_arena_print(reading->arguments->arena, "-%.*s",
                                    last ? (int)strlen(letters) : 1, letters);
        char *value = last && letters[1] ? letters + 1 + (letters[1] == '=') : NULL;
        if (!use(reading, row, own, value))
            return false;
        if (last)
            break;
    }
    return true;
}

/* Whether it looks like an option, but what came before says that it is a word. */
static bool is_no_option(const struct reading *reading, const char *word)
{
    enum lauka_verb verb;

    if (!reading->first || !option_find_verb(reading->first, &verb))
        return false;
    if (verb == LAUKA_VERB_HELP) /* lauka help --max-time asks about the option */
        return strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0;
    return strcmp(word, "--vs") == 0 && (verb == LAUKA_VERB_COMPARE || verb == LAUKA_VERB_GATE);
}

static bool read_word(struct reading *reading)
{
    char *const *words = &reading->words[reading->next++], *word = *words;

    if (*word == '-' && word[1] && !is_no_option(reading, word))
        return word[1] == '-' ? read_name(reading, word) : read_letters(reading, word);
    if (reading->text_count++ == 0)
        reading->first = word;
    lauka_arguments_add(reading->arguments, (struct lauka_given){.row = &lauka_word_row,
                                                                 .text = word,
                                                                 .words = words,
                                                                 .word_count = 1,
                                                                 .line = line_of(reading)});
    return true;
}

/* At the program of `lauka keep NAME PROGRAM...`, to which all words from there on belong. */
static bool begins_kept_program(const struct reading *reading)
{
    enum lauka_verb verb;

    return reading->text_count == 2 && *reading->words[reading->next] != '-' &&
           option_find_verb(reading->first, &verb) && verb == LAUKA_VERB_KEEP;
}

/* ---- all of them ------------------------------------------------------------------------------------ */

bool lauka_words_read(struct lauka_arena *arena, char *const *words, const size_t *lines,
                      size_t count, struct lauka_arguments *arguments, struct lauka_error *error)
{
    struct lauka_error further;
    struct reading reading = {
        .words = words, .lines = lines, .arguments = arguments, .error = error};
    bool good = true;

    *arguments = (struct lauka_arguments){.arena = arena};
    while (reading.count < count && strcmp(words[reading.count], "--") != 0)
        reading.count++;
    while (reading.next < reading.count && !begins_kept_program(&reading)) {
        if (read_word(&reading) || !good)
            continue;
        good = false; /* the first error counts; what follows is read even so */
        arguments->failed_line = line_of(&reading);
        reading.error = &further;
    }
    size_t rest = reading.next < reading.count ? reading.next : reading.count + 1;
    lauka_arguments_settle(arguments, rest <= count ? words + rest : NULL,
                           rest <= count ? count - rest : 0);
    return good;
}

/* ---- words that were meant as something else ------------------------------------------------- */

/* In the place of a command or an input file: a file to write, as in --json FILE, or an option in the form that other
 * programs' files use, runs = 5; and words that make sense as they stand, but may have meant something else: that is said
 * on stderr, without any effect. */

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
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "%.200s is no program to run and no file to read: to write it, type "
                          "--%s=%.200s",
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

static const struct option_row *find_option(const char *name)
{
    for (size_t i = 0; i < lauka_option_count; i++)
        if (lauka_option_rows[i].name && strcmp(lauka_option_rows[i].name, name) == 0)
            return &lauka_option_rows[i];
    return NULL;
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
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "\"%.100s\" would be run as a command: an option is written as it is "
                          "typed, --%s%s%.100s",
                          text, row->name, takes ? "=" : "", takes ? found->value : "");
    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "\"%.100s\" would be run as a command, and there is no option --%s: options "
                      "are written as they are typed, such as --runs=5",
                      text, found->name);
}

bool lauka_assignments_check(struct lauka_arguments *stored, struct lauka_error *error)
{
    for (size_t i = 0; i < stored->given_count; i++) {
        const struct lauka_given *given = &stored->given[i];
        struct assignment found;
        if (given->row != &lauka_word_row || !take_apart(given->text, &found))
            continue;
        const struct option_row *row = find_option(found.name);
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
        if (given->row->id == OPTION_RUNS || (given->row->id == OPTION_NAME && name))
            return NULL;
        if (given->row->id == OPTION_NAME)
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
    size_t least = NEAR - 1;

    for (size_t i = 0; i < lauka_verb_count && strlen(word) > 2; i++) {
        const size_t far = lauka_name_distance(lauka_verb_rows[i].name, word);
        nearest = far <= least ? lauka_verb_rows[i].name : nearest;
        least = far < least ? far : least;
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
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "no command to run: -L %.60s took \"%.100s\" as its values; type -L "
                          "%.60s VALUES before the command",
                          list->text, list->rest[0], list->text);
    const enum lauka_verb verb = options->measure.why ? LAUKA_VERB_WHY : options->verb;
    for (size_t i = 1; i < lauka_verb_count; i++)
        if (lauka_verb_rows[i].verb == verb)
            return lauka_fail(
                error, LAUKA_EXIT_USAGE, "no command to run: lauka %s %s; see lauka help %s",
                lauka_verb_rows[i].name, lauka_verb_rows[i].arguments, lauka_verb_rows[i].name);
    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "no command to run: lauka COMMAND [COMMAND...]; see lauka --help");
}
