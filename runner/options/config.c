/* What a file of options adds to what was typed: its words come first, unless what was typed replaces
 * them. */
#include "runner/options/config_file.h"
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    char *quoted = count > 0 ? lauka_quote_argv(typed->words, count) : NULL;
    const char *rest = count == 0 ? "" : !quoted || strlen(quoted) > MOST ? "..." : quoted;
    const char *blank = *rest ? " " : "";
    lauka_fail(
        error, LAUKA_EXIT_USAGE,
        "under %s, a file that nobody named sets harmless options only, and %s holds %s: type "
        "%s lauka --config %s%s%s if you trust it, or %s lauka --no-config%s%s",
        tool, lauka_config_implicit, list, tool, lauka_config_implicit, blank, rest, tool, blank,
        rest);
    free(quoted);
    return false;
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

/* Whether the word of the subcommand is there. */
static bool find_verb(const struct lauka_arguments *typed, enum lauka_verb *verb)
{
    *verb = LAUKA_VERB_RUN;
    return typed->text_count > 0 && option_find_verb(typed->texts[0], verb);
}

static bool asks_for_help(const struct lauka_arguments *typed)
{
    enum lauka_verb verb;

    find_verb(typed, &verb);
    return verb == LAUKA_VERB_HELP || is_typed(typed, OPTION_HELP) ||
           is_typed(typed, OPTION_HELP_BRIEF) || is_typed(typed, OPTION_VERSION);
}

/* Whether it is not a run: then nothing of it is in a section. */
static bool asks_only(const struct lauka_arguments *typed)
{
    return asks_for_help(typed) || is_typed(typed, OPTION_LIST);
}

/* The file's commands are run only if lauka is started without commands, and does nothing else. */
static bool leaves_commands(const struct lauka_arguments *typed)
{
    enum lauka_verb verb;
    bool has_verb = find_verb(typed, &verb);

    if (typed->vector || asks_only(typed))
        return false;
    if (verb == LAUKA_VERB_REVISIONS)
        return !is_typed(typed, OPTION_SUITE) && !is_typed(typed, OPTION_CLEAN);
    return (verb == LAUKA_VERB_RUN || verb == LAUKA_VERB_NOISE || verb == LAUKA_VERB_WHY) &&
           typed->text_count == (size_t)has_verb;
}

bool lauka_arguments_need_user(const struct lauka_arguments *typed)
{
    enum lauka_verb verb;

    find_verb(typed, &verb);
    return !asks_only(typed) && verb != LAUKA_VERB_LIST && verb != LAUKA_VERB_THREADS &&
           verb != LAUKA_VERB_DOCTOR;
}

/* NULL if there is no file. */
static const char *find_path(const struct lauka_arguments *typed)
{
    const char *variable = getenv("LAUKA_CONFIG"), *path = NULL;

    if (variable && *variable)
        path = variable;
    else if (!asks_for_help(typed) && access(lauka_config_implicit, F_OK) == 0)
        path = lauka_config_implicit;
    for (size_t i = 0; i < typed->given_count; i++) {
        if (typed->given[i].row->id == OPTION_CONFIG)
            path = typed->given[i].text;
        else if (typed->given[i].row->id == OPTION_NO_CONFIG)
            path = NULL;
    }
    return path;
}

/* ---- what holds for a section --------------------------------------------------------------------- */

/* Of the words, those before all sections, and the section's own. Returns how many. */
static size_t find_words(const struct lauka_config *config, size_t section, char **words,
                         size_t *lines)
{
    const struct lauka_section *own =
        section < config->section_count ? &config->sections[section] : NULL;
    size_t general = config->general, count = own ? own->count : 0;

    for (size_t i = 0; i < general + count; i++) {
        size_t from = i < general ? i : own->from + i - general;
        lines[i] = config->lines[from];
        words[i] = config->words[from];
    }
    return general + count;
}

/* What only the command line can say: whoever may write the file must not make anybody root, and there is
 * one file. */
static bool check_typed_only(const struct lauka_config *config,
                             const struct lauka_arguments *stored, struct lauka_error *error)
{
    for (size_t i = 0; i < stored->given_count; i++) {
        const struct lauka_given *given = &stored->given[i];
        int id = given->row->id;
        if (id == OPTION_AS_ROOT || id == OPTION_CONFIG || id == OPTION_NO_CONFIG)
            return lauka_fail(
                error, LAUKA_EXIT_USAGE,
                "%.200s:%zu: --%s takes effect only on the command line; remove it from the file%s",
                config->path, given->line, given->row->name,
                config->implicit ? ", or add --no-config" : "");
    }
    return true;
}

/* Fails with the place of what is wrong. */
static bool read_words(const struct lauka_config *config, char *const *words, const size_t *lines,
                       size_t count, struct lauka_arguments *stored, struct lauka_error *error)
{
    struct lauka_error refused;

    if (!lauka_words_read(words, count, stored, &refused) ||
        !lauka_misplaced_check(stored, &refused) || !lauka_assignments_check(stored, &refused))
        return lauka_fail(error, refused.code, "%.200s:%zu: %.600s", config->path,
                          lines[stored->failed_word], refused.text);
    for (size_t i = 0; i < stored->given_count; i++)
        stored->given[i].line = lines[stored->given[i].word];
    return check_typed_only(config, stored, error);
}

/* Call lauka_arguments_done in either case. */
static bool read_section(const struct lauka_config *config, size_t section,
                         struct lauka_arguments *stored, struct lauka_error *error)
{
    size_t most = config->general + 1;
    most += section < config->section_count ? config->sections[section].count : 0;
    char **words = calloc(most, sizeof *words);
    size_t *lines = calloc(most, sizeof *lines);

    *stored = (struct lauka_arguments){0};
    bool good = (words && lines) || lauka_fail_memory(error);
    if (good)
        good = read_words(config, words, lines, find_words(config, section, words, lines), stored,
                          error);
    free(words);
    free(lines);
    return good &&
           (section >= config->section_count || stored->text_count > 0 ||
            stored->vector_count > 0 ||
            lauka_fail(error, LAUKA_EXIT_USAGE,
                       "%.300s:%zu: the section [%.100s] has no command to run", config->path,
                       config->sections[section].line, config->sections[section].name));
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
    case OPTION_SHELL_MODE:
    case OPTION_NO_SHELL:
    case OPTION_IGNORE:
    case OPTION_ALLOW:
    case OPTION_AS_ROOT:
    case OPTION_BENCHMARK:
    case OPTION_LIST_BENCHMARKS:
        return false;
    default:
        return row->group == OPTION_GROUP_COMMANDS;
    }
}

/* Whether it holds nothing that concerns the session. */
static bool check_section(const struct lauka_config *config, size_t section,
                          const struct lauka_arguments *stored, struct lauka_error *error)
{
    const struct lauka_section *about = &config->sections[section];
    char name[OPTION_SPELLING_SIZE];

    for (size_t i = 0; i < stored->given_count; i++) {
        const struct lauka_given *given = &stored->given[i];
        if (given->line > about->line && !may_be_in_section(given->row))
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "%.200s:%zu: %s is about the whole session, not about [%.100s]: it "
                              "belongs before the first section",
                              config->path, given->line, option_spelling(given->row, name),
                              about->name);
    }
    return true;
}

/* Errors in a later section are reported before the first one runs. */
static bool check_sections(const struct lauka_config *config, struct lauka_error *error)
{
    bool good = true;

    for (size_t i = 0; good && i < config->section_count; i++) {
        struct lauka_arguments stored;
        good = read_section(config, i, &stored, error) && check_section(config, i, &stored, error);
        lauka_arguments_done(&stored);
    }
    return good;
}

bool lauka_config_read(struct lauka_arguments *typed, const struct lauka_error *unclear,
                       struct lauka_config *config, struct lauka_error *error)
{
    *config = (struct lauka_config){0};
    if (!lauka_misplaced_check(typed, error))
        return false;
    config->path = find_path(typed);
    config->implicit = config->path == lauka_config_implicit;
    if (unclear && (config->path || lauka_arguments_need_user(typed))) {
        *error = *unclear;
        return false;
    }
    if (!config->path)
        return true;
    if (!config_file_read(config, error))
        return false;
    if (!leaves_commands(typed))
        config->section_count = 0;
    return check_sections(config, error);
}

/* ---- what of it holds beside what was typed --------------------------------------------------------- */

/* What is typed replaces the file's word for the option, even if it may be given several times, or another
 * option says the opposite. */
static bool is_overruled(const struct option_row *row, const struct lauka_arguments *typed)
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
    return lauka_arguments_have(typed, row);
}

struct merging {
    struct lauka_config *config;
    const struct lauka_arguments *typed, *stored;
    struct lauka_arguments *all;
    enum lauka_verb verb;
    bool has_verb;
    bool takes_commands; /* of the file */
    bool guarded;        /* the file may do no harm */
    bool is_session;     /* of sections: they have the commands */
    char *letters;       /* where the next word of a letter may be written */
};

/* A section's value of a variable replaces the one before all sections. */
static bool is_replaced(const struct lauka_arguments *stored, size_t use)
{
    const char *text = stored->given[use].text;

    for (size_t later = use + 1; later < stored->given_count; later++)
        if (stored->given[use].row->id == OPTION_ENV &&
            stored->given[later].row->id == OPTION_ENV &&
            strncmp(stored->given[later].text, text, strcspn(text, "=") + 1) == 0)
            return true;
    return false;
}

static bool holds(const struct merging *merging, size_t i)
{
    const struct option_row *row = merging->stored->given[i].row;

    return row->verbs & 1u << merging->verb && !is_overruled(row, merging->typed) &&
           !is_replaced(merging->stored, i);
}

/* ---- one list of both ------------------------------------------------------------------------------- */

static size_t put(struct merging *merging, char *word)
{
    merging->all->words[merging->all->word_count] = word;
    return merging->all->word_count++;
}

/* Copies the option to another word, with its values behind that. */
static void put_given(struct merging *merging, const struct lauka_arguments *from,
                      const struct lauka_given *given, size_t word)
{
    struct lauka_given *own = &merging->all->given[merging->all->given_count++];
    size_t rest = (size_t)(given->rest - from->words) - given->word;

    *own = *given;
    own->word = word;
    own->rest = merging->all->words + word + rest;
}

/* Letters may share one word, and not all of them may hold: each gets its own word. */
static char *word_of(struct merging *merging, size_t i)
{
    const struct lauka_given *given = &merging->stored->given[i];
    char *word = merging->stored->words[given->word], *own = merging->letters;
    bool is_last = i + 1 == merging->stored->given_count || given[1].word != given->word;
    size_t at = 1;

    while (at <= i && merging->stored->given[i - at].word == given->word)
        at++;
    if (at == 1 && is_last)
        return word;
    size_t length = is_last ? strlen(word + at) : 1;
    own[0] = '-';
    memcpy(own + 1, word + at, length);
    own[length + 1] = '\0';
    merging->letters += length + 2;
    return own;
}

static void put_stored_options(struct merging *merging)
{
    struct lauka_config *config = merging->config;

    config->left_out[0] = '\0';
    for (size_t i = 0; i < merging->stored->given_count; i++) {
        const struct lauka_given *given = &merging->stored->given[i];
        if (!holds(merging, i))
            continue;
        if (merging->guarded && !given->row->harmless) {
            leave_out(given->row, config->left_out, sizeof config->left_out);
            continue;
        }
        config->holds = true;
        put_given(merging, merging->stored, given, put(merging, word_of(merging, i)));
        for (size_t w = 1; w < given->words; w++)
            put(merging, merging->stored->words[given->word + w]);
    }
}

/* The number of words of an option that named the file; 0 if it is not such an option. */
static size_t names_file(const struct lauka_given *given, size_t word)
{
    bool names = given->row->id == OPTION_CONFIG || given->row->id == OPTION_NO_CONFIG;

    return names && given->word == word ? given->words : 0;
}

/* What was typed, without what named the file, and without the subcommand, which comes first. */
static void put_typed(struct merging *merging)
{
    const struct lauka_arguments *typed = merging->typed;
    size_t end = typed->word_count - (typed->vector ? typed->vector_count + 1 : 0), g = 0;

    for (size_t w = 0, skipped; w < end; w += skipped ? skipped : 1) {
        skipped = merging->has_verb && typed->words[w] == typed->texts[0];
        if (g < typed->given_count && names_file(&typed->given[g], w) > 0)
            skipped = names_file(&typed->given[g++], w);
        if (skipped)
            continue;
        size_t word = put(merging, typed->words[w]);
        for (; g < typed->given_count && typed->given[g].word == w; g++)
            put_given(merging, typed, &typed->given[g], word);
    }
}

static void put_text(struct merging *merging, char *text)
{
    merging->all->texts[merging->all->text_count++] = text;
}

/* But for the verb's word. */
static void put_typed_texts(struct merging *merging)
{
    for (size_t i = merging->has_verb; i < merging->typed->text_count; i++)
        put_text(merging, merging->typed->texts[i]);
}

static void put_vector(struct merging *merging, const struct lauka_arguments *of)
{
    static char dashes[] = "--";

    if (!of->vector)
        return;
    put(merging, dashes);
    merging->all->vector = merging->all->words + merging->all->word_count;
    merging->all->vector_count = of->vector_count;
    for (size_t i = 0; i < of->vector_count; i++)
        put(merging, of->vector[i]);
}

/* No file needs to be read any more. */
static void put_no_config(struct merging *merging)
{
    static char word[] = "--no-config";

    merging->all->given[merging->all->given_count++] = (struct lauka_given){
        .row = option_row_of(OPTION_NO_CONFIG), .word = put(merging, word), .words = 1};
}

static void put_verb(struct merging *merging)
{
    if (!merging->has_verb)
        return;
    put(merging, merging->typed->texts[0]);
    put_text(merging, merging->typed->texts[0]);
}

/* Behind all words that were typed: typing those again makes the file add these. */
static void put_session(struct merging *merging)
{
    struct lauka_arguments *all = merging->all;

    all->word_count = merging->typed->word_count + 2; /* --config, and NULL behind the last one */
    put_stored_options(merging);
    all->word_count = 0;
    put_verb(merging);
    put(merging, strcat(strcpy(merging->letters, "--config="), merging->config->path));
    put_typed(merging);
    put_typed_texts(merging);
}

static void put_all(struct merging *merging)
{
    const struct lauka_arguments *stored = merging->stored;

    put_verb(merging);
    put_no_config(merging);
    put_stored_options(merging);
    for (size_t i = 0; merging->takes_commands && i < stored->text_count; i++) {
        put(merging, stored->texts[i]);
        put_text(merging, stored->texts[i]);
        merging->all->stored_count++;
    }
    put_typed(merging);
    put_typed_texts(merging);
    put_vector(merging, merging->takes_commands ? stored : merging->typed);
}

static bool make_room(struct merging *merging, struct lauka_error *error)
{
    const struct lauka_arguments *typed = merging->typed, *stored = merging->stored;
    size_t letters = strlen("--config=") + strlen(merging->config->path) + 1;

    for (size_t i = 0; i < stored->given_count; i++)
        letters += strlen(stored->words[stored->given[i].word]) + 2;
    if (!lauka_arguments_make(typed->word_count + stored->word_count + stored->given_count + 3,
                              typed->given_count + stored->given_count + 1, merging->all, error))
        return false;
    merging->letters = merging->all->letters = malloc(letters);
    return merging->letters || lauka_fail_memory(error);
}

static bool merge(struct merging *merging, struct lauka_error *error)
{
    struct lauka_config *config = merging->config;
    const struct lauka_arguments *typed = merging->typed, *stored = merging->stored;
    const char *tool = config->implicit ? lauka_identity_tool() : NULL;

    merging->has_verb = find_verb(typed, &merging->verb);
    if (is_typed(typed, OPTION_LIST))
        merging->verb = LAUKA_VERB_LIST;
    merging->takes_commands = leaves_commands(typed);
    merging->guarded = config->implicit && (!merging->takes_commands || tool);
    config->holds = merging->takes_commands &&
                    (stored->text_count > 0 || stored->vector || merging->is_session);
    if (tool && config->holds)
        return refuse_file(tool, "commands", typed, error);
    if (!make_room(merging, error))
        return false;
    if (merging->is_session)
        put_session(merging);
    else
        put_all(merging);
    return !tool || !*config->left_out || refuse_file(tool, config->left_out, typed, error);
}

bool lauka_config_add(struct lauka_config *config, const struct lauka_arguments *typed,
                      size_t section, struct lauka_arguments *all, struct lauka_error *error)
{
    struct lauka_arguments stored;
    struct merging merging = {.config = config, .typed = typed, .stored = &stored, .all = all};

    *all = (struct lauka_arguments){0};
    bool good = read_section(config, section, &stored, error) && merge(&merging, error);
    lauka_arguments_done(&stored);
    return good;
}

bool lauka_config_add_session(struct lauka_config *config, const struct lauka_arguments *typed,
                              struct lauka_arguments *all, struct lauka_error *error)
{
    struct lauka_arguments stored;
    struct merging merging = {
        .config = config, .typed = typed, .stored = &stored, .all = all, .is_session = true};

    *all = (struct lauka_arguments){0};
    bool good = read_section(config, SIZE_MAX, &stored, error) && merge(&merging, error);
    lauka_arguments_done(&stored);
    return good;
}
