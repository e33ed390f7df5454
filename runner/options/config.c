/* Options from a file: one argument a line, # comments, [name] sections. They are put in front of what
 * was typed, as far as that leaves room for them, so that there is one list of words to read. */
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE_LIMIT (1 << 20)

struct section {
    char *name;
    size_t from, count; /* of the words */
    size_t line;
};

struct config {
    char *text;    /* owned; the words lie in it */
    char **words;  /* owned array */
    size_t *lines; /* owned; where each word stands */
    size_t count, general; /* words; those before the first section */
    struct section *sections; /* owned */
    size_t section_count;
};

static bool no_memory(struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
}

/* ---- the file ----------------------------------------------------------------------------------- */

/* Why a file that nobody named is not read; NULL: nothing is wrong with it, or errno says what. */
static const char *doubt(int descriptor)
{
    struct stat about;

    if (descriptor < 0)
        return errno == ELOOP ? "is a link" : NULL;
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
        return "is no plain file";
    if (about.st_uid == geteuid() || about.st_uid == 0 ||
        (geteuid() == 0 && lauka_identity_is_caller(about.st_uid)))
        return NULL;
    return "belongs to another user";
}

/* A file of others in the current directory must not decide what is run. Whoever may make a link there
 * chooses the file, and another one at any moment: no link is followed, and what is judged is what has
 * been opened. */
static FILE *open_implicit(const char **wrong)
{
    int descriptor = open(lauka_config_implicit, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    *wrong = doubt(descriptor);
    FILE *file = *wrong || descriptor < 0 ? NULL : fdopen(descriptor, "r");
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

static char *read_file(const char *path, struct lauka_error *error)
{
    bool implicit = path == lauka_config_implicit;
    const char *wrong = NULL;
    FILE *file = implicit ? open_implicit(&wrong) : fopen(path, "re");
    const char *named_by = path == getenv("LAUKA_CONFIG") ? "LAUKA_CONFIG="
                           : implicit                     ? ""
                                                          : "--config ";
    char *text = malloc(SIZE_LIMIT + 1);
    size_t size = file && text ? fread(text, 1, SIZE_LIMIT, file) : 0;
    bool good = file && text && !ferror(file) && size < SIZE_LIMIT && !memchr(text, '\0', size);

    if (good)
        text[size] = '\0';
    else
        lauka_fail(error, LAUKA_EXIT_USAGE, "%s%.300s: %s%s", named_by, path,
                   wrong                     ? wrong
                   : !file || ferror(file) ? strerror(errno)
                                             : "is no text of less than a megabyte",
                   wrong      ? "; --config ./.lauka reads it all the same, --no-config does without it"
                   : implicit ? "; --no-config does without it"
                              : "");
    if (file)
        fclose(file);
    if (good)
        return text;
    free(text);
    return NULL;
}

static char *trim(char *line)
{
    line += strspn(line, " \t\r");
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t\r", line[length - 1]))
        length--;
    line[length] = '\0';
    return line;
}

/* --runs 10 in one line is not one argument. */
static bool check_word(const char *path, size_t line, const char *word, struct lauka_error *error)
{
    size_t name = strcspn(word, "= \t");

    return word[0] != '-' || (word[name] != ' ' && word[name] != '\t') ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "%.300s:%zu: one argument a line is needed: %.*s, and what follows in the next "
                      "line",
                      path, line, (int)(name < 60 ? name : 60), word);
}

/* Nobody could tell which of two of one name a report is about. */
static bool begin_section(struct config *config, const char *path, size_t number, char *name,
                          struct lauka_error *error)
{
    for (size_t i = 0; i < config->section_count; i++)
        if (strcmp(config->sections[i].name, name) == 0)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "%.300s:%zu: there is a suite [%.100s] already, in line %zu", path,
                              number, name, config->sections[i].line);
    config->sections[config->section_count++] =
        (struct section){.name = name, .from = config->count, .line = number};
    return *name || lauka_fail(error, LAUKA_EXIT_USAGE,
                               "%.300s:%zu: a section needs a name: [name]", path, number);
}

static bool take_line(struct config *config, const char *path, size_t number, char *line,
                      struct lauka_error *error)
{
    size_t length = strlen(line);

    if (*line == '\0' || *line == '#')
        return true;
    if (*line == '[' && line[length - 1] == ']') {
        line[length - 1] = '\0';
        return begin_section(config, path, number, line + 1, error);
    }
    config->lines[config->count] = number;
    config->words[config->count++] = line;
    if (config->section_count > 0)
        config->sections[config->section_count - 1].count++;
    else
        config->general++;
    return check_word(path, number, line, error);
}

static bool parse(struct config *config, const char *path, struct lauka_error *error)
{
    size_t lines = 2, number = 0;

    for (const char *c = config->text; *c; c++)
        lines += *c == '\n';
    config->words = calloc(lines, sizeof *config->words);
    config->lines = calloc(lines, sizeof *config->lines);
    config->sections = calloc(lines, sizeof *config->sections);
    if (!config->words || !config->lines || !config->sections)
        return no_memory(error);
    char *first = config->text + lauka_file_mark(config->text, strlen(config->text));
    for (char *line = first, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (!take_line(config, path, ++number, trim(line), error))
            return false;
    }
    return true;
}

static void config_done(struct config *config)
{
    free(config->words);
    free(config->lines);
    free(config->sections);
}

/* ---- which file ----------------------------------------------------------------------------------- */

static bool is_typed(const struct option_words *typed, int id)
{
    for (size_t i = 0; i < typed->use_count; i++)
        if (typed->uses[i].row->id == id)
            return true;
    return false;
}

static bool asks_for_help(const struct option_words *typed)
{
    return is_typed(typed, OPTION_HELP) || is_typed(typed, OPTION_HELP_BRIEF) ||
           is_typed(typed, OPTION_VERSION);
}

/* *path: NULL where there is none. */
static void find_path(const struct option_words *typed, const char **path)
{
    const char *variable = getenv("LAUKA_CONFIG");

    *path = NULL;
    if (variable && *variable)
        *path = variable;
    else if (!asks_for_help(typed) && access(lauka_config_implicit, F_OK) == 0)
        *path = lauka_config_implicit;
    for (size_t i = 0; i < typed->use_count; i++) {
        if (typed->uses[i].row->id == OPTION_CONFIG)
            *path = typed->uses[i].text;
        else if (typed->uses[i].row->id == OPTION_NO_CONFIG)
            *path = NULL;
    }
}

/* ---- what of it holds beside what was typed --------------------------------------------------------- */

/* Whoever types says it all: also where an option may be given several times, or another one says the
 * opposite. */
static bool is_overruled(const struct option_row *row, const struct option_words *typed)
{
    static const int families[][4] = {
        {OPTION_RUNS, OPTION_MIN_RUNS, OPTION_MAX_RUNS, 0},
        {OPTION_SHELL, OPTION_SHELL_MODE, OPTION_NO_SHELL, 0},
        {OPTION_MAX_TIME, OPTION_DURATION, 0, 0},
        {OPTION_OUTPUT, OPTION_SHOW_OUTPUT, 0, 0},
        {OPTION_MULTIPLEX, OPTION_NO_MULTIPLEX, 0, 0},
        {OPTION_PARAMETER_LIST, OPTION_PARAMETER_SCAN, OPTION_PARAMETER_STEP, 0},
    };

    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        bool member = false, chosen = false;
        for (const int *id = families[f]; *id; id++) {
            member |= *id == row->id;
            chosen |= is_typed(typed, *id);
        }
        if (member && chosen)
            return true;
    }
    return is_typed(typed, row->id);
}

struct merging {
    struct lauka_arguments *arguments;
    const struct option_words *typed, *stored;
    enum lauka_verb verb;
    bool commands_typed;
    bool guarded; /* the file may do no harm */
    size_t count;
};

static void put(struct merging *merging, char *word)
{
    merging->arguments->argv[merging->count++] = word;
}

/* A section's value of a variable replaces the one before all sections. */
static bool is_replaced(const struct option_words *stored, size_t use)
{
    const char *text = stored->uses[use].text;

    for (size_t later = use + 1; later < stored->use_count; later++)
        if (stored->uses[use].row->id == OPTION_ENV && stored->uses[later].row->id == OPTION_ENV &&
            strncmp(stored->uses[later].text, text, strcspn(text, "=") + 1) == 0)
            return true;
    return false;
}

/* Letters may stand together in one word, and not all of them may hold: each gets a word of its own. */
static char *word_of(const struct option_words *stored, size_t use, char *const *words)
{
    static char flags[128][3];
    size_t word = stored->uses[use].word, at = 1;
    bool is_last = use + 1 == stored->use_count || stored->uses[use + 1].word != word;

    while (at <= use && stored->uses[use - at].word == word)
        at++;
    char *own = is_last ? words[word] + at - 1 : flags[words[word][at] & 127];
    *own = '-';
    if (!is_last)
        own[1] = words[word][at];
    return own;
}

static bool holds(const struct merging *merging, size_t i)
{
    const struct option_row *row = merging->stored->uses[i].row;

    return row->verbs & 1u << merging->verb && !is_overruled(row, merging->typed) &&
           !is_replaced(merging->stored, i);
}

static void put_stored_options(struct merging *merging, char *const *words)
{
    struct lauka_arguments *arguments = merging->arguments;

    for (size_t i = 0; i < merging->stored->use_count; i++) {
        const struct option_use *use = &merging->stored->uses[i];
        if (!holds(merging, i))
            continue;
        if (merging->guarded && !use->row->harmless) {
            config_leave_out(use->row, arguments->left_out, sizeof arguments->left_out);
            continue;
        }
        arguments->holds = true;
        put(merging, word_of(merging->stored, i, words));
        for (size_t w = 1; w < use->words; w++)
            put(merging, words[use->word + w]);
    }
}

/* What was typed, but for what named the file. */
static void put_typed(struct merging *merging, int argc, char **argv, bool has_verb)
{
    size_t end = (size_t)argc - 1 -
                 (merging->typed->vector ? merging->typed->vector_count + 1 : 0);

    for (size_t w = 0; w < end; w++) {
        bool skip = has_verb && argv[w + 1] == merging->typed->texts[0];
        for (size_t i = 0; i < merging->typed->use_count; i++) {
            const struct option_use *use = &merging->typed->uses[i];
            skip |= (use->row->id == OPTION_CONFIG || use->row->id == OPTION_NO_CONFIG) &&
                    w >= use->word && w < use->word + use->words;
        }
        if (!skip)
            put(merging, argv[w + 1]);
    }
}

static void put_vector(struct merging *merging, const struct option_words *of)
{
    static char dashes[] = "--";

    if (!of->vector)
        return;
    put(merging, dashes);
    for (size_t i = 0; i < of->vector_count; i++)
        put(merging, of->vector[i]);
}

/* Whether it is no run: nothing of that is in a suite. */
static bool asks_only(const struct option_words *typed)
{
    return asks_for_help(typed) || is_typed(typed, OPTION_LIST);
}

/* Commands of the file are run only where lauka is started without any, and does nothing else. */
static void find_commands(struct merging *merging, bool has_verb)
{
    bool runs = merging->verb == LAUKA_VERB_RUN || merging->verb == LAUKA_VERB_NOISE;

    merging->commands_typed = !runs || merging->typed->text_count > (size_t)has_verb ||
                              merging->typed->vector || asks_only(merging->typed);
    merging->arguments->holds =
        !merging->commands_typed && (merging->stored->text_count > 0 || merging->stored->vector);
}

static bool merge(struct merging *merging, int argc, char **argv, char *const *words,
                  size_t stored_count, struct lauka_error *error)
{
    static char no_config[] = "--no-config";
    struct lauka_arguments *arguments = merging->arguments;
    const char *tool = arguments->implicit ? lauka_identity_tool() : NULL;
    bool has_verb = merging->typed->text_count > 0 &&
                    option_find_verb(merging->typed->texts[0], &merging->verb);

    if (is_typed(merging->typed, OPTION_LIST))
        merging->verb = LAUKA_VERB_LIST;
    find_commands(merging, has_verb);
    merging->guarded = arguments->implicit && (merging->commands_typed || tool);
    if (tool && arguments->holds)
        return config_refuse(tool, "commands", argv, error);
    arguments->argv = calloc((size_t)argc + stored_count + merging->stored->use_count + 5,
                             sizeof *arguments->argv);
    if (!arguments->argv)
        return no_memory(error);
    put(merging, argv[0]);
    if (has_verb)
        put(merging, merging->typed->texts[0]);
    put(merging, no_config);
    put_stored_options(merging, words);
    for (size_t i = 0; !merging->commands_typed && i < merging->stored->text_count; i++)
        put(merging, merging->stored->texts[i]);
    put_typed(merging, argc, argv, has_verb);
    put_vector(merging, merging->typed);
    if (!merging->commands_typed)
        put_vector(merging, merging->stored);
    arguments->argc = (int)merging->count;
    return !tool || !*arguments->left_out ||
           config_refuse(tool, arguments->left_out, argv, error);
}

/* The words that hold for a suite: those before all sections, and its own. */
static char **words_of(const struct config *config, size_t suite, bool sections, size_t **lines,
                       size_t *count)
{
    const struct section *own =
        sections && suite < config->section_count ? &config->sections[suite] : NULL;
    char **words = calloc(config->count + 1, sizeof *words);

    *lines = calloc(config->count + 1, sizeof **lines);
    *count = 0;
    for (size_t i = 0; words && *lines && i < config->count; i++)
        if (i < config->general || (own && i >= own->from && i < own->from + own->count)) {
            (*lines)[*count] = config->lines[i];
            words[(*count)++] = config->words[i];
        }
    return *lines ? words : NULL;
}

struct suite_words {
    char **words;  /* owned array */
    size_t *lines; /* owned */
    size_t count;
    struct option_words read;
};

/* What only the command line can say: who may write the file must not make root of anybody, and there is
 * one file. */
static bool check_typed_only(const char *path, const struct suite_words *own,
                             struct lauka_error *error)
{
    for (size_t i = 0; i < own->read.use_count; i++) {
        const struct option_use *use = &own->read.uses[i];
        int id = use->row->id;
        if (id == OPTION_AS_ROOT || id == OPTION_CONFIG || id == OPTION_NO_CONFIG)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "%.200s:%zu: --%s counts only where it is typed: take it out of the "
                              "file%s",
                              path, own->lines[use->word], use->row->name,
                              path == lauka_config_implicit ? ", or add --no-config" : "");
    }
    return true;
}

/* Fails with the place of what is wrong with it. To be followed by _done in either case. */
static bool suite_read(const struct config *config, const char *path, size_t suite, bool sections,
                       struct suite_words *own, struct lauka_error *error)
{
    struct lauka_error refused;

    *own = (struct suite_words){0};
    own->words = words_of(config, suite, sections, &own->lines, &own->count);
    if (!own->words)
        return no_memory(error);
    if (!option_words_read(own->words, own->count, &own->read, &refused))
        return lauka_fail(error, refused.code, "%.200s:%zu: %.600s", path,
                          own->lines[own->read.failed_word], refused.text);
    if (!check_typed_only(path, own, error))
        return false;
    return !sections || config->section_count == 0 || own->read.text_count > 0 ||
           own->read.vector_count > 0 ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "%.300s:%zu: the suite [%.100s] has no command to run",
                      path, config->sections[suite].line, config->sections[suite].name);
}

static void suite_done(struct suite_words *own)
{
    option_words_done(&own->read);
    free(own->words);
    free(own->lines);
}

/* What is wrong with a later suite is said before the first one runs. */
static bool check_suites(const struct config *config, const char *path, struct lauka_error *error)
{
    bool good = true;

    for (size_t i = 0; good && i < config->section_count; i++) {
        struct suite_words own;
        good = suite_read(config, path, i, true, &own, error);
        suite_done(&own);
    }
    return good;
}

static bool apply(const struct config *config, const char *path, int argc, char **argv,
                  size_t suite, struct merging *merging, struct lauka_error *error)
{
    struct suite_words own;
    enum lauka_verb verb = LAUKA_VERB_RUN;
    bool has_verb = merging->typed->text_count > 0 &&
                    option_find_verb(merging->typed->texts[0], &verb);
    bool sections = merging->typed->text_count == (size_t)has_verb && !merging->typed->vector &&
                    (verb == LAUKA_VERB_RUN || verb == LAUKA_VERB_NOISE) &&
                    !asks_only(merging->typed);

    if (sections && suite == 0 && !check_suites(config, path, error))
        return false;
    bool good = suite_read(config, path, suite, sections, &own, error);
    merging->stored = &own.read;
    good = good && merge(merging, argc, argv, own.words, own.count, error);
    if (good && sections && config->section_count > 0) {
        merging->arguments->suite = config->sections[suite].name;
        merging->arguments->suite_count = config->section_count;
    }
    suite_done(&own);
    return good;
}

/* Whether files are read or written, or commands run. */
static bool needs_user(const struct option_words *typed)
{
    enum lauka_verb verb = LAUKA_VERB_RUN;

    if (typed->text_count > 0)
        option_find_verb(typed->texts[0], &verb);
    return !asks_only(typed) && verb != LAUKA_VERB_LIST && verb != LAUKA_VERB_THREADS &&
           verb != LAUKA_VERB_DOCTOR;
}

bool lauka_arguments_as_root(int argc, char **argv)
{
    struct option_words typed = {0};
    struct lauka_error ignored; /* it is told later */
    bool as_root = option_words_read(argv + 1, (size_t)(argc > 0 ? argc - 1 : 0), &typed, &ignored) &&
                   is_typed(&typed, OPTION_AS_ROOT);

    option_words_done(&typed);
    return as_root;
}

bool lauka_arguments_read(int argc, char **argv, size_t suite, const struct lauka_error *unclear,
                          struct lauka_arguments *arguments, struct lauka_error *error)
{
    struct option_words typed = {0};
    struct config config = {0};
    const char *path = NULL;

    *arguments = (struct lauka_arguments){.argc = argc, .typed = argv};
    bool good = option_words_read(argv + 1, (size_t)(argc > 0 ? argc - 1 : 0), &typed, error);
    if (good)
        find_path(&typed, &path);
    if (good && unclear && (path || needs_user(&typed))) {
        *error = *unclear;
        good = false;
    }
    if (good && path) {
        struct merging merging = {.arguments = arguments, .typed = &typed, .verb = LAUKA_VERB_RUN};
        arguments->path = path;
        arguments->implicit = path == lauka_config_implicit;
        arguments->quiet = is_typed(&typed, OPTION_QUIET);
        good = (config.text = read_file(path, error)) != NULL && parse(&config, path, error) &&
               apply(&config, path, argc, argv, suite, &merging, error);
        arguments->text = config.text;
    }
    config_done(&config);
    option_words_done(&typed);
    return good;
}

void lauka_arguments_done(struct lauka_arguments *arguments)
{
    free(arguments->argv);
    free(arguments->text);
    *arguments = (struct lauka_arguments){0};
}
