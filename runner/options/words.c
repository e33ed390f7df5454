/* A command line taken apart by the table of options. Not by getopt_long(3): the libraries differ in
 * how they permute words, none of them reads options with two values, and none names what was meant. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "pmu/events/events.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

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
        lauka_misuse(error,
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

static bool refuse_name(const char *name, size_t length, struct lauka_error *error)
{
    const struct option_row *nearest = NULL;
    size_t least = NEAR;
    char typed[64];

    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    if (strcmp(typed, "vs") == 0)
        return lauka_misuse(
            error, "--vs parts commands after --: lauka [OPTIONS] -- ./a ARGS --vs ./b ARGS");
    for (size_t i = 0; i < lauka_option_count; i++) {
        const char *known = lauka_option_rows[i].name;
        size_t far = known ? lauka_name_distance(known, typed) : NEAR;
        if (far < least && far < strlen(typed)) {
            least = far;
            nearest = &lauka_option_rows[i];
        }
    }
    if (nearest)
        return lauka_misuse(error, "unknown option --%s: did you mean --%s? See lauka --help",
                            typed, nearest->name);
    return lauka_misuse(error, "unknown option --%s; see lauka --help", typed);
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
    return lauka_misuse(error, "--%.*s is ambiguous: %s", (int)(length < 60 ? length : 60), name,
                        list);
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
        return lauka_misuse(
            reading->error,
            "--%s needs a value before %.100s; write ./%.100s if that is the name of a file",
            row->name, word, word);
    return lauka_misuse(reading->error, "--%s needs a value before %.100s: %s; see lauka --help",
                        row->name, word, row->placeholder);
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
           lauka_misuse(reading->error,
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
        return lauka_misuse(reading->error, "--%s takes no value", row->name);
    if (missing > reading->count - reading->next)
        return lauka_misuse(reading->error, "%s needs %s: %s; see lauka --help",
                            option_spelling(row, name),
                            value_count(row) == 1 ? "a value" : "values", row->placeholder);
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
        return lauka_misuse(reading->error,
                            "unknown option -%.*s; if -%.60s is for %.100s, make them one word: "
                            "'%.100s -%.60s', or lauka -- %.100s -%.60s",
                            length, unknown, word, program, program, word, program, word);
    if (refuse_foreign("-", word, name > 0 ? name : 1, reading->error) ||
        refuse_foreign("-", unknown, 1, reading->error))
        return false;
    return lauka_misuse(reading->error, "unknown option -%.*s; see lauka --help", length, unknown);
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
        const struct option_row *row = option_row_of((unsigned char)*letters);
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
