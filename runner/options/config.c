/* A file of options: one argument per line, # comments, [name] sections; and what it adds to what was typed: its words
 * come first, unless what was typed replaces them. */
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

/* This very pointer is the path of a file that nobody named. */
static const char implicit_path[] = "./.lauka";

/* ---- a file that nobody named -------------------------------------------------------------------- */

/* ./.lauka. Whoever can write it, the author of a checkout or what was measured before, must not decide what is run,
 * written, accepted or hidden. Options are harmless where the table of options says so. */

static const char more[] = ", ...";

/* Adds the option's name to a list of such. */
static void leave_out(const struct option_row *row, char *list, size_t size)
{
    char name[OPTION_SPELLING_SIZE];
    size_t used = strlen(list);

    size_t length = strlen(option_spelling(row, name));
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if (at[length] == ',' || at[length] == '\0')
            return; /* it is there already */
    if (used + length + 2 * sizeof more < size)
        snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
    else if (strlen(list) < strlen(more) || strcmp(list + used - strlen(more), more) != 0)
        snprintf(list + used, size - used, "%s", more);
}

/* Always false: the file holds what it may not hold under `tool`. */
static bool refuse_file(const char *tool, const char *list, const struct lauka_arguments *typed,
                        struct lauka_error *error)
{
    enum { MOST = 200 };
    size_t count = typed->word_count;
    const char *quoted = lauka_quote_argv(typed->arena, typed->words, count);
    const char *rest = strlen(quoted) > MOST ? "..." : quoted;
    const char *blank = *rest ? " " : "";
    return lauka_misuse(
        error,
        "under %s, a file that nobody named sets harmless options only, and %s holds %s: type %s "
        "lauka --config %s%s%s if you trust it, or %s lauka --no-config%s%s",
        tool, implicit_path, list, tool, implicit_path, blank, rest, tool, blank, rest);
}

/* What nobody typed is said. What the file says without effect may be a limit that somebody relies on:
 * that is said with -q, too. */
void lauka_config_say(const struct lauka_config *config, const struct lauka_arguments *typed)
{
    if (!config->implicit)
        return;
    if (*config->left_out)
        fprintf(stderr, "lauka: %s: without --config %s, these are ignored: %s%s\n", config->path,
                config->path, config->left_out, config->holds ? "; its other options apply" : "");
    else if (config->holds && !lauka_arguments_find(typed, OPTION_QUIET))
        fprintf(stderr, "lauka: using the options in %s; --no-config ignores them\n", config->path);
}

static bool is_typed(const struct lauka_arguments *typed, int id)
{
    return lauka_arguments_find(typed, id) != NULL;
}

/* ---- what was typed asks for -------------------------------------------------------------------- */

static bool asks_for_help(const struct lauka_arguments *typed)
{
    return typed->verb == LAUKA_VERB_HELP || is_typed(typed, OPTION_HELP) ||
           is_typed(typed, OPTION_BRIEF_HELP) || is_typed(typed, OPTION_VERSION);
}

/* Whether it is not a run: then nothing of it is in a section. */
static bool asks_only(const struct lauka_arguments *typed)
{
    return asks_for_help(typed) || is_typed(typed, OPTION_LIST);
}

/* The file's commands are run only if lauka is started without commands, and does nothing else. */
static bool leaves_commands(const struct lauka_arguments *typed)
{
    const enum lauka_verb verb = typed->verb;

    if (typed->vector || asks_only(typed))
        return false;
    if (verb == LAUKA_VERB_REVISIONS)
        return !is_typed(typed, OPTION_SUITE) && !is_typed(typed, OPTION_CLEAN);
    return (verb == LAUKA_VERB_RUN || verb == LAUKA_VERB_NOISE || verb == LAUKA_VERB_WHY) &&
           typed->text_count == (size_t)typed->has_verb;
}

bool lauka_arguments_need_user(const struct lauka_arguments *typed)
{
    const enum lauka_verb verb = typed->verb;

    return !asks_only(typed) && verb != LAUKA_VERB_LIST && verb != LAUKA_VERB_THREADS &&
           verb != LAUKA_VERB_DOCTOR;
}

/* NULL if there is no file. */
static const char *find_path(const struct lauka_arguments *typed)
{
    const char *variable = getenv("LAUKA_CONFIG"), *path = NULL;

    if (variable && *variable)
        path = variable;
    else if (!asks_for_help(typed) && access(implicit_path, F_OK) == 0)
        path = implicit_path;
    for (size_t i = 0; i < typed->given_count; i++) {
        if (typed->given[i].row->id == OPTION_CONFIG)
            path = typed->given[i].text;
        else if (typed->given[i].row->id == OPTION_NO_CONFIG)
            path = NULL;
    }
    return path;
}

/* ---- the bytes of the file -------------------------------------------------------------------- */

/* Why a file that nobody named is not read; NULL if nothing is wrong with it, or errno says what. */
static const char *doubt(int descriptor)
{
    struct stat about;

    if (descriptor < 0)
        return errno == ELOOP ? "is a link" : NULL;
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
        return "is not a regular file";
    if (about.st_uid == geteuid() || about.st_uid == 0 ||
        (geteuid() == 0 && lauka_identity_is_caller(about.st_uid)))
        return NULL;
    return "belongs to another user";
}

/* Another user's file in the current directory must not decide what is run. Whoever may create a link
 * there chooses the file, and can change it at any moment: so no link is followed, and the opened file
 * itself is checked. */
static FILE *open_implicit(const char **wrong)
{
    int descriptor = open(implicit_path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    *wrong = doubt(descriptor);
    FILE *file = *wrong || descriptor < 0 ? NULL : fdopen(descriptor, "r");
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

/* NULL: it cannot be read. */
static char *read_file(struct lauka_arena *arena, const char *path, struct lauka_error *error)
{
    enum { SIZE_LIMIT = 1 << 20 };
    bool implicit = path == implicit_path;
    const char *wrong = NULL;
    FILE *file = implicit ? open_implicit(&wrong) : fopen(path, "re");
    const char *named_by = path == getenv("LAUKA_CONFIG") ? "LAUKA_CONFIG="
                           : implicit                     ? ""
                                                          : "--config ";
    char *text = file ? lauka_arena_take(arena, SIZE_LIMIT + 1) : NULL;
    size_t size = file ? fread(text, 1, SIZE_LIMIT, file) : 0;
    bool good = file && !ferror(file) && size < SIZE_LIMIT && !memchr(text, '\0', size);

    if (!good)
        lauka_misuse(error, "%s%.300s: %s%s", named_by, path,
                     wrong                   ? wrong
                     : !file || ferror(file) ? strerror(errno)
                                             : "is not a text file of less than 1 MB",
                     wrong      ? "; --config ./.lauka reads it anyway, --no-config ignores it"
                     : implicit ? "; --no-config ignores it"
                                : "");
    if (file)
        fclose(file);
    return good ? text : NULL;
}

/* ---- its lines -------------------------------------------------------------------------------- */

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
           lauka_misuse(
               error,
               "%.300s:%zu: expected one argument per line: %.*s, and the rest on the next line",
               path, line, (int)(name < 60 ? name : 60), word);
}

/* With two sections of the same name, nobody could tell which one a report is about. */
static bool begin_section(struct lauka_config *config, size_t number, char *name,
                          struct lauka_error *error)
{
    for (size_t i = 0; i < config->section_count; i++)
        if (strcmp(config->sections[i].name, name) == 0)
            return lauka_misuse(error,
                                "%.300s:%zu: there is a section [%.100s] already, in line %zu",
                                config->path, number, name, config->sections[i].line);
    struct lauka_section *section =
        lauka_arena_add(config->arena, &config->sections, &config->section_count, sizeof *section);
    *section = (struct lauka_section){.name = name, .from = config->count, .line = number};
    return *name ||
           lauka_misuse(error, "%.300s:%zu: a section needs a name: [name]", config->path, number);
}

static bool take_line(struct lauka_config *config, size_t number, char *line,
                      struct lauka_error *error)
{
    size_t length = strlen(line);

    if (*line == '\0' || *line == '#')
        return true;
    if (*line == '[' && line[length - 1] == ']') {
        line[length - 1] = '\0';
        return begin_section(config, number, line + 1, error);
    }
    if (*line == '[')
        return lauka_misuse(error, "%.300s:%zu: the name of a section ends with ]: %.60s]",
                            config->path, number, line);
    config->lines[config->count] = number;
    config->words[config->count++] = line;
    if (config->section_count > 0)
        config->sections[config->section_count - 1].count++;
    else
        config->general++;
    return check_word(config->path, number, line, error);
}

static bool read_lines(struct lauka_config *config, struct lauka_error *error)
{
    char *text = read_file(config->arena, config->path, error), *next;
    size_t lines = 2, number = 0;

    if (!text)
        return false;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    config->words = lauka_arena_take(config->arena, lines * sizeof *config->words);
    config->lines = lauka_arena_take(config->arena, lines * sizeof *config->lines);
    for (char *line = text + lauka_file_mark(text, strlen(text)); line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (!take_line(config, ++number, trim(line), error))
            return false;
    }
    return true;
}

/* ---- what holds for a section --------------------------------------------------------------------- */

/* What only the command line can say: whoever may write the file must not make anybody root, and there is
 * one file. */
static bool check_typed_only(const struct lauka_config *config,
                             const struct lauka_arguments *stored, struct lauka_error *error)
{
    for (size_t i = 0; i < stored->given_count; i++) {
        const struct lauka_given *given = &stored->given[i];
        int id = given->row->id;
        if (id == OPTION_AS_ROOT || id == OPTION_CONFIG || id == OPTION_NO_CONFIG)
            return lauka_misuse(
                error,
                "%.200s:%zu: --%s takes effect only on the command line; remove it from the file%s",
                config->path, given->line, given->row->name,
                config->implicit ? ", or add --no-config" : "");
    }
    return true;
}

/* The words before all sections, and the section's own; section: NULL: there is none. Fails with the place of what is
 * wrong. */
static bool read_section(const struct lauka_config *config, const struct lauka_section *section,
                         struct lauka_arguments *stored, struct lauka_error *error)
{
    struct lauka_arena *arena = config->arena;
    size_t general = config->general, own = section ? section->count : 0, count = general + own;
    char **words = lauka_arena_take(arena, (count + 1) * sizeof *words);
    size_t *lines = lauka_arena_take(arena, (count + 1) * sizeof *lines);
    struct lauka_error refused;

    memcpy(words, config->words, general * sizeof *words);
    memcpy(lines, config->lines, general * sizeof *lines);
    if (section) {
        memcpy(words + general, config->words + section->from, own * sizeof *words);
        memcpy(lines + general, config->lines + section->from, own * sizeof *lines);
    }
    if (!lauka_words_read(arena, words, lines, count, stored, &refused) ||
        !lauka_misplaced_check(stored, &refused) || !lauka_assignments_check(stored, &refused))
        return lauka_fail(error, refused.code, "%.200s:%zu: %.600s", config->path,
                          stored->failed_line, refused.text);
    return check_typed_only(config, stored, error) &&
           (!section || stored->text_count > 0 || stored->vector_count > 0 ||
            lauka_misuse(error, "%.300s:%zu: the section [%.100s] has no command to run",
                         config->path, section->line, section->name));
}

/* Of options, those that are about commands; and what these are held to. */
static bool may_be_in_section(const struct option_row *row)
{
    switch (row->id) {
    case OPTION_EXPECT_EXIT:
    case OPTION_TIMEOUT:
    case OPTION_GATE:
        return true;
    case OPTION_SHELL:
    case OPTION_USE_SHELL:
    case OPTION_NO_SHELL:
    case OPTION_IGNORE_FAILURE:
    case OPTION_ALLOW_FAILURES:
    case OPTION_AS_ROOT:
    case OPTION_BENCHMARK:
    case OPTION_LIST_BENCHMARKS:
        return false;
    default:
        return row->group == OPTION_GROUP_COMMANDS;
    }
}

/* Whether it holds nothing that concerns the session. */
static bool check_section(const struct lauka_config *config, const struct lauka_section *about,
                          const struct lauka_arguments *stored, struct lauka_error *error)
{
    char name[OPTION_SPELLING_SIZE];

    for (size_t i = 0; i < stored->given_count; i++) {
        const struct lauka_given *given = &stored->given[i];
        if (given->line > about->line && given->row != &lauka_word_row &&
            !may_be_in_section(given->row))
            return lauka_misuse(error,
                                "%.200s:%zu: %s is about the whole session, not about [%.100s]: it "
                                "belongs before the first section",
                                config->path, given->line, option_spelling(given->row, name),
                                about->name);
    }
    return true;
}

bool lauka_config_read(struct lauka_arguments *typed, const struct lauka_error *unclear,
                       struct lauka_config *config, struct lauka_error *error)
{
    *config = (struct lauka_config){.arena = typed->arena};
    if (!lauka_misplaced_check(typed, error))
        return false;
    config->path = find_path(typed);
    config->implicit = config->path == implicit_path;
    if (unclear && (config->path || lauka_arguments_need_user(typed))) {
        *error = *unclear;
        return false;
    }
    if (!config->path)
        return true;
    if (!read_lines(config, error))
        return false;
    if (!leaves_commands(typed))
        config->section_count = 0;
    return true;
}

/* ---- what of it holds beside what was typed --------------------------------------------------------- */

/* What is typed replaces the file's word for the option, even if it may be given several times, or another
 * option says the opposite. */
static bool is_overruled(const struct option_row *row, const struct lauka_arguments *typed)
{
    static const int families[][4] = {
        {OPTION_RUNS, OPTION_MIN_RUNS, OPTION_MAX_RUNS, 0},
        {OPTION_SHELL, OPTION_USE_SHELL, OPTION_NO_SHELL, 0},
        {OPTION_MAX_TIME, OPTION_DURATION, 0, 0},
        {OPTION_OUTPUT, OPTION_SHOW_OUTPUT, 0, 0},
        {OPTION_PAIRED, OPTION_UNPAIRED, 0, 0},
        {OPTION_MULTIPLEX, OPTION_NO_MULTIPLEX, 0, 0},
        {OPTION_PARAMETER_LIST, OPTION_PARAMETER_SCAN, OPTION_PARAMETER_STEP_SIZE, 0},
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
    return lauka_arguments_have(typed, row);
}

/* A section's value of a variable replaces the one before all sections. */
static bool is_replaced(const struct lauka_arguments *stored, size_t use)
{
    const char *text = stored->given[use].text;

    if (stored->given[use].row->id != OPTION_ENV)
        return false;
    for (size_t later = use + 1; later < stored->given_count; later++)
        if (stored->given[later].row->id == OPTION_ENV &&
            strncmp(stored->given[later].text, text, strcspn(text, "=") + 1) == 0)
            return true;
    return false;
}

/* ---- one list of both ------------------------------------------------------------------------------- */

struct merging {
    struct lauka_config *config;
    const struct lauka_arguments *typed;
    struct lauka_arguments stored, *all;
    enum lauka_verb verb;
    bool takes_commands; /* of the file */
    bool guarded;        /* the file may do no harm */
    bool is_session;     /* of sections: they have the commands */
};

static bool is_word(const struct lauka_given *given)
{
    return given->row == &lauka_word_row;
}

/* Typing the words of a session again makes the file add its options: its words are not among them. */
static void put_stored_options(struct merging *merging)
{
    struct lauka_config *config = merging->config;

    config->left_out[0] = '\0';
    for (size_t i = 0; i < merging->stored.given_count; i++) {
        struct lauka_given given = merging->stored.given[i];
        if (is_word(&given) || !(given.row->verbs & 1u << merging->verb) ||
            is_overruled(given.row, merging->typed) || is_replaced(&merging->stored, i))
            continue;
        if (merging->guarded && !given.row->harmless) {
            leave_out(given.row, config->left_out, sizeof config->left_out);
            continue;
        }
        config->holds = true;
        if (merging->is_session)
            given.word_count = 0;
        lauka_arguments_add(merging->all, given);
    }
}

/* What was typed, without what named the file, and without the subcommand, which comes first. */
static void put_typed(struct merging *merging)
{
    for (size_t i = 0; i < merging->typed->given_count; i++) {
        const struct lauka_given *given = &merging->typed->given[i];
        bool is_verb =
            merging->typed->has_verb && is_word(given) && given->text == merging->typed->texts[0];
        if (!is_verb && given->row->id != OPTION_CONFIG && given->row->id != OPTION_NO_CONFIG)
            lauka_arguments_add(merging->all, *given);
    }
}

/* In front of all others, after the subcommand: the file is to be read again, or not any more. */
static void put_first(struct merging *merging)
{
    static char no_config[] = "--no-config";
    struct lauka_arena *arena = merging->all->arena;
    char **words = lauka_arena_take(arena, sizeof *words);

    for (size_t i = 0; merging->typed->has_verb && i < merging->typed->given_count; i++)
        if (is_word(&merging->typed->given[i])) {
            lauka_arguments_add(merging->all, merging->typed->given[i]);
            break;
        }
    words[0] = merging->is_session ? lauka_arena_print(arena, "--config=%s", merging->config->path)
                                   : no_config;
    lauka_arguments_add(merging->all,
                        (struct lauka_given){.row = merging->is_session
                                                        ? &lauka_word_row /* to be typed again */
                                                        : option_row_of(OPTION_NO_CONFIG),
                                             .words = words,
                                             .word_count = 1});
}

static void put_all(struct merging *merging)
{
    const struct lauka_arguments *vector =
        merging->takes_commands ? &merging->stored : merging->typed;
    bool takes_words = merging->takes_commands && !merging->is_session;

    *merging->all = (struct lauka_arguments){.arena = merging->typed->arena};
    put_first(merging);
    put_stored_options(merging);
    for (size_t i = 0; takes_words && i < merging->stored.given_count; i++)
        if (is_word(&merging->stored.given[i])) {
            lauka_arguments_add(merging->all, merging->stored.given[i]);
            merging->all->stored_count++;
        }
    put_typed(merging);
    lauka_arguments_settle(merging->all, merging->is_session ? NULL : vector->vector,
                           vector->vector_count);
}

static bool merge(struct merging *merging, struct lauka_error *error)
{
    struct lauka_config *config = merging->config;
    const struct lauka_arguments *typed = merging->typed, *stored = &merging->stored;
    const char *tool = config->implicit ? lauka_identity_tool() : NULL;

    merging->verb = is_typed(typed, OPTION_LIST) ? LAUKA_VERB_LIST : typed->verb;
    merging->takes_commands = leaves_commands(typed);
    merging->guarded = config->implicit && (!merging->takes_commands || tool);
    config->holds = merging->takes_commands &&
                    (stored->text_count > 0 || stored->vector || merging->is_session);
    if (tool && config->holds)
        return refuse_file(tool, "commands", typed, error);
    put_all(merging);
    return !tool || !*config->left_out || refuse_file(tool, config->left_out, typed, error);
}

bool lauka_config_add(struct lauka_config *config, const struct lauka_arguments *typed,
                      size_t section, struct lauka_arguments *all, struct lauka_error *error)
{
    struct merging merging = {.config = config, .typed = typed, .all = all};
    const struct lauka_section *about =
        section < config->section_count ? &config->sections[section] : NULL;

    return read_section(config, about, &merging.stored, error) &&
           (!about || check_section(config, about, &merging.stored, error)) &&
           merge(&merging, error);
}

bool lauka_config_add_session(struct lauka_config *config, const struct lauka_arguments *typed,
                              struct lauka_arguments *all, struct lauka_error *error)
{
    struct merging merging = {.config = config, .typed = typed, .all = all, .is_session = true};

    return read_section(config, NULL, &merging.stored, error) && merge(&merging, error);
}
