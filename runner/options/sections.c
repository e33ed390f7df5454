/* A file of options with sections: one session, in which each section is a benchmark. */
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"
#include "runner/options/gate_rule.h"
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "runner/options/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct section {
    const char *name;                 /* borrowed */
    size_t line;                      /* of the file */
    struct lauka_arguments arguments; /* owned; what holds for it */
    size_t first_rule, rule_count;    /* of the gate's rules, its own */
    size_t first, count;              /* its benchmarks */
};

struct sections {
    const char *path;
    struct section *sections; /* owned */
    size_t count;
    struct lauka_options *options;
    size_t room_for_commands, room_for_benchmarks;
};

/* ---- limits --------------------------------------------------------------------------------------- */

static bool set_scope(const char *benchmark, const char *where, struct lauka_gate_rule *rule,
                      struct lauka_error *error)
{
    rule->benchmark = strdup(benchmark);
    rule->where = strdup(where);
    return (rule->benchmark && rule->where) || lauka_fail_memory(error);
}

/* What the section itself says, as opposed to what comes before all sections or is typed. */
static bool take_limits(struct sections *sections, struct section *section,
                        struct lauka_error *error)
{
    struct lauka_result_gate *gate = &sections->options->gate;
    char where[256];

    snprintf(where, sizeof where, "%.200s:%zu", sections->path, section->line);
    section->first_rule = gate->rule_count;
    for (size_t i = 0; i < section->arguments.given_count; i++) {
        const struct lauka_given *given = &section->arguments.given[i];
        struct lauka_error why;
        if (given->row->id != OPTION_GATE || given->line < section->line)
            continue;
        if (!gate_rule_add(given->text, NULL, gate, &why))
            return lauka_fail(error, why.code, "%.200s:%zu: %.700s", sections->path, given->line,
                              why.text);
        if (!set_scope(section->name, where, &gate->rules[gate->rule_count - 1], error))
            return false;
    }
    section->rule_count = gate->rule_count - section->first_rule;
    return true;
}

static bool copy_rule(struct lauka_result_gate *gate, size_t from, const char *benchmark,
                      struct lauka_error *error)
{
    struct lauka_gate_rule *grown = realloc(gate->rules, (gate->rule_count + 1) * sizeof *grown);

    if (!grown)
        return lauka_fail_memory(error);
    gate->rules = grown;
    struct lauka_gate_rule *rule = &grown[gate->rule_count++];
    *rule = grown[from];
    rule->benchmark = rule->where = NULL;
    rule->metric = strdup(grown[from].metric);
    return set_scope(benchmark, grown[from].where, rule, error) &&
           (rule->metric || lauka_fail_memory(error));
}

/* If a section is several benchmarks, its limits hold for each of them. */
static bool spread_limits(struct lauka_options *options, const struct section *section,
                          struct lauka_error *error)
{
    const struct lauka_benchmark *benchmarks = &options->benchmarks[section->first];

    for (size_t r = section->first_rule; r < section->first_rule + section->rule_count; r++) {
        for (size_t b = 1; b < section->count; b++)
            if (!copy_rule(&options->gate, r, benchmarks[b].name, error))
                return false;
        char *name = strdup(benchmarks[0].name);
        if (!name)
            return lauka_fail_memory(error);
        free(options->gate.rules[r].benchmark);
        options->gate.rules[r].benchmark = name;
    }
    return true;
}

/* ---- commands ------------------------------------------------------------------------------------- */

static void *grow(void *array, size_t needed, size_t *room, size_t size)
{
    if (needed <= *room)
        return array;
    size_t wanted = 2 * needed;
    void *grown = realloc(array, wanted * size);

    if (grown)
        *room = wanted;
    return grown;
}

/* The section's commands and benchmarks become the session's. */
static bool append(struct sections *sections, struct section *section, struct lauka_options *own,
                   struct lauka_error *error)
{
    struct lauka_options *options = sections->options;
    struct lauka_command *commands =
        grow(options->commands, options->command_count + own->command_count,
             &sections->room_for_commands, sizeof *commands);

    if (!commands)
        return lauka_fail_memory(error);
    options->commands = commands;
    struct lauka_benchmark *benchmarks =
        grow(options->benchmarks, options->benchmark_count + own->benchmark_count,
             &sections->room_for_benchmarks, sizeof *benchmarks);
    if (!benchmarks)
        return lauka_fail_memory(error);
    options->benchmarks = benchmarks;
    section->first = options->benchmark_count;
    section->count = own->benchmark_count;
    for (size_t b = 0; b < own->benchmark_count; b++) {
        own->benchmarks[b].first += options->command_count;
        benchmarks[options->benchmark_count++] = own->benchmarks[b];
    }
    memcpy(commands + options->command_count, own->commands, own->command_count * sizeof *commands);
    options->command_count += own->command_count;
    own->command_count = own->benchmark_count = 0;
    return true;
}

/* What it says itself: what comes before all sections belongs to the session. */
static bool keep_settings(const struct section *section, struct lauka_options *own,
                          struct lauka_error *error)
{
    for (size_t b = 0; b < own->benchmark_count; b++)
        if (option_settings_of_section(&section->arguments, section->line, &own->benchmarks[b]))
            return lauka_fail_memory(error);
    return true;
}

static bool take_commands(struct sections *sections, struct section *section,
                          struct lauka_error *error)
{
    struct lauka_options own;
    struct option_words words;
    struct lauka_error why;
    bool good = option_read(&section->arguments, &own, &words, &why);

    words.section = section->name;
    enum lauka_gate_policy policy = own.gate.policy;
    own.gate = sections->options->gate; /* borrowed: whether it is tried out, and by which limits */
    good = good &&
           (own.verb != LAUKA_VERB_REVISIONS || option_take_revisions(&words, &own, &why)) &&
           option_take_run(&words, &own, &why) && keep_settings(section, &own, &why);
    own.gate = (struct lauka_result_gate){.policy = policy};
    if (good)
        good = append(sections, section, &own, error);
    else
        lauka_fail(error, why.code, "%.200s:%zu: [%.100s]: %.600s", sections->path, section->line,
                   section->name, why.text);
    lauka_options_done(&own);
    return good;
}

/* ---- sides ---------------------------------------------------------------------------------------- */

static const struct lauka_command *side_at(const struct sections *sections, size_t section,
                                           size_t place)
{
    const struct lauka_options *options = sections->options;

    return &options->commands[options->benchmarks[sections->sections[section].first].first + place];
}

static size_t sides_in(const struct sections *sections, size_t section)
{
    return sections->options->benchmarks[sections->sections[section].first].count;
}

static bool refuse_names(const struct sections *sections, size_t other, size_t place,
                         struct lauka_error *error)
{
    const struct section *a = &sections->sections[0], *b = &sections->sections[other];
    const char *names[] = {side_at(sections, 0, place)->side,
                           side_at(sections, other, place)->side};
    char letter[LETTER_SIZE], text[2][80];

    for (int i = 0; i < 2; i++)
        snprintf(text[i], sizeof text[i], names[i] ? "is called `%.60s`" : "has no name", names[i]);
    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "%.200s:%zu: side %s of [%.100s] %s, that of [%.100s] (line %zu) %s: all "
                      "benchmarks have the same sides",
                      sections->path, b->line, option_letter(place, letter), b->name, text[1],
                      a->name, a->line, text[0]);
}

/* All benchmarks have the sides of the first one. */
static bool check_sides(const struct sections *sections, struct lauka_error *error)
{
    const struct section *a = &sections->sections[0];
    size_t count = sides_in(sections, 0);

    for (size_t s = 1; s < sections->count; s++) {
        const struct section *b = &sections->sections[s];
        size_t own = sides_in(sections, s);
        if (own != count)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "%.200s:%zu: [%.100s] has %zu side%s, [%.100s] (line %zu) has %zu: "
                              "all benchmarks have the same sides",
                              sections->path, b->line, b->name, own, own == 1 ? "" : "s", a->name,
                              a->line, count);
        for (size_t p = 0; p < count; p++) {
            const char *name = side_at(sections, 0, p)->side,
                       *other = side_at(sections, s, p)->side;
            if (name && other ? strcmp(name, other) != 0 : name != other)
                return refuse_names(sections, s, p, error);
        }
    }
    return true;
}

/* The word that can name a side without a name: what it runs, or its value of a parameter. */
static char *word_of(const struct lauka_options *options, const struct lauka_benchmark *benchmark,
                     const struct lauka_command *command)
{
    bool of_values =
        benchmark->count > 1 && benchmark->parameter_count == 0 && command->parameter_count > 0;

    if (of_values)
        return option_name_by_parameters(NULL, command);
    return options->shell ? strndup(command->label, strcspn(command->label, " \t\n"))
                          : strdup(command->argv[0]);
}

/* For the first benchmark's sides, names that all benchmarks can use. NULL if there is no memory. */
static char **words_of(const struct lauka_options *options)
{
    const struct lauka_benchmark *benchmark = &options->benchmarks[0];
    char **words = calloc(benchmark->count + 1, sizeof *words);
    bool good = words != NULL;

    for (size_t p = 0; good && p < benchmark->count; p++) {
        const struct lauka_command *command = &options->commands[benchmark->first + p];
        words[p] = command->side ? strdup(command->side) : word_of(options, benchmark, command);
        good = words[p] != NULL;
    }
    if (good)
        return words;
    lauka_strings_free(words);
    return NULL;
}

/* 1, 0, or -1 if there is no memory. */
static int is_in_all(const struct lauka_options *options, size_t place, const char *word)
{
    for (size_t b = 0; b < options->benchmark_count; b++) {
        const struct lauka_benchmark *benchmark = &options->benchmarks[b];
        char *own = word_of(options, benchmark, &options->commands[benchmark->first + place]);
        bool same = own && strcmp(own, word) == 0;
        free(own);
        if (!own || !same)
            return own ? 0 : -1;
    }
    return 1;
}

static bool is_alone(char *const *words, size_t place)
{
    for (size_t p = 0; words[p]; p++)
        if (p != place && strcmp(words[p], words[place]) == 0)
            return false;
    return true;
}

static bool set_sides(struct lauka_options *options, size_t place, const char *word)
{
    for (size_t b = 0; b < options->benchmark_count; b++) {
        struct lauka_command *command = &options->commands[options->benchmarks[b].first + place];
        if (!(command->side = strdup(word)))
            return false;
    }
    return true;
}

/* "./prog (again)": as the labels of the copies that run against it. */
static bool name_copies(struct lauka_options *options)
{
    for (size_t c = 0; c < options->command_count; c++) {
        struct lauka_command *command = &options->commands[c];
        size_t copy = c % options->benchmarks[0].count;
        const struct lauka_command *of = command - copy;
        if (copy > 0 && !command->side &&
            asprintf(&command->side, "%s%s", of->side, command->label + strlen(of->label)) < 0) {
            command->side = NULL;
            return false;
        }
    }
    return true;
}

/* A side without a name is called by its word, if that is the same in all benchmarks and unique; otherwise
 * by its number. */
static bool name_sides(struct lauka_options *options, struct lauka_error *error)
{
    bool noise = options->verb == LAUKA_VERB_NOISE;
    size_t count = noise ? 1 : options->benchmarks[0].count;
    char **words = words_of(options);
    bool good = words != NULL;

    for (size_t p = 0; good && p < count; p++) {
        char number[24];
        if (options->commands[p].side)
            continue;
        int in_all = noise || is_alone(words, p) ? is_in_all(options, p, words[p]) : 0;
        snprintf(number, sizeof number, "%zu", p + 1);
        good = in_all >= 0 && set_sides(options, p, in_all ? words[p] : number);
    }
    lauka_strings_free(words);
    good = good && (!noise || name_copies(options));
    return good || lauka_fail_memory(error);
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static bool check_twins(const struct sections *sections, struct lauka_error *error)
{
    const struct lauka_options *options = sections->options;
    size_t earlier, twin = option_find_twin(options, &earlier), s = sections->count;

    if (twin == options->benchmark_count)
        return true;
    while (sections->sections[--s].first > twin)
        ;
    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "%.200s:%zu: [%.100s] makes a second benchmark of the name %.200s",
                      sections->path, sections->sections[s].line, sections->sections[s].name,
                      options->benchmarks[twin].name);
}

static bool take_sections(struct sections *sections, struct lauka_error *error)
{
    struct lauka_options *options = sections->options;
    bool good = true;

    for (size_t s = 0; good && s < sections->count; s++)
        good = take_limits(sections, &sections->sections[s], error);
    good = good && option_check_gate(options, error);
    for (size_t s = 0; good && s < sections->count; s++)
        good = take_commands(sections, &sections->sections[s], error);
    good = good && check_sides(sections, error) && name_sides(options, error) &&
           check_twins(sections, error);
    for (size_t s = 0; good && s < sections->count; s++)
        good = spread_limits(options, &sections->sections[s], error);
    return good && option_choose_benchmarks(options, error) &&
           option_check_search(options, error) && option_make_layouts(options, error);
}

static bool read_sections(struct lauka_config *config, const struct lauka_arguments *typed,
                          struct sections *sections, struct lauka_error *error)
{
    bool good = true;

    sections->sections = calloc(config->section_count, sizeof *sections->sections);
    if (!sections->sections)
        return lauka_fail_memory(error);
    for (size_t s = 0; good && s < config->section_count; s++) {
        struct section *section = &sections->sections[sections->count++];
        section->name = config->sections[s].name;
        section->line = config->sections[s].line;
        good = lauka_config_add(config, typed, s, &section->arguments, error);
    }
    return good;
}

bool lauka_options_parse_sections(struct lauka_config *config, const struct lauka_arguments *typed,
                                  struct lauka_arguments *all, struct lauka_options *options,
                                  struct lauka_error *error)
{
    struct sections sections = {.path = config->path, .options = options};
    struct option_words words;

    *options = (struct lauka_options){0};
    bool good =
        lauka_config_add_session(config, typed, all, error) &&
        option_read(all, options, &words, error) && option_finish(options, error) &&
        (options->verb != LAUKA_VERB_REVISIONS || option_take_revisions(&words, options, error)) &&
        read_sections(config, typed, &sections, error) && take_sections(&sections, error);
    for (size_t s = 0; s < sections.count; s++)
        lauka_arguments_done(&sections.sections[s].arguments);
    free(sections.sections);
    return good;
}
