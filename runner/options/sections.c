/* A file of options with sections: one session, in which each section is a benchmark. */
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "runner/options/table.h"

#include <stdio.h>
#include <string.h>

struct section {
    const char *name;                 /* borrowed */
    size_t line;                      /* of the file */
    struct lauka_arguments arguments; /* what holds for it */
    size_t first_rule, rule_count;    /* of the gate's rules, its own */
    size_t first, count;              /* its benchmarks */
};

struct sections {
    const char *path;
    struct section *sections;
    size_t count;
    struct lauka_options *options;
};

/* ---- limits --------------------------------------------------------------------------------------- */

/* What the section itself says, as opposed to what comes before all sections or is typed. */
static bool take_limits(struct sections *sections, struct section *section,
                        struct lauka_error *error)
{
    struct lauka_result_gate *gate = &sections->options->judge.gate;
    char where[256];

    snprintf(where, sizeof where, "%.200s:%zu", sections->path, section->line);
    section->first_rule = gate->rule_count;
    for (size_t i = 0; i < section->arguments.given_count; i++) {
        const struct lauka_given *given = &section->arguments.given[i];
        struct lauka_error why;
        if (given->row->id != OPTION_GATE || given->line < section->line)
            continue;
        if (!gate_rule_add(sections->options->arena, given->text, section->name, where, gate, &why))
            return lauka_fail(error, why.code, "%.200s:%zu: %.700s", sections->path, given->line,
                              why.text);
    }
    section->rule_count = gate->rule_count - section->first_rule;
    return true;
}

/* If a section is several benchmarks, its limits hold for each of them. */
static void spread_limits(struct lauka_options *options, const struct section *section)
{
    const struct lauka_benchmark *benchmarks = &options->run.benchmarks[section->first];
    struct lauka_result_gate *gate = &options->judge.gate;

    for (size_t r = section->first_rule; r < section->first_rule + section->rule_count; r++) {
        for (size_t b = 1; b < section->count; b++) {
            struct lauka_gate_rule *added =
                lauka_arena_add(options->arena, &gate->rules, &gate->rule_count, sizeof *added);
            *added = gate->rules[r];
            added->benchmark = benchmarks[b].name;
        }
        gate->rules[r].benchmark = benchmarks[0].name;
    }
}

/* ---- commands ------------------------------------------------------------------------------------- */

/* The section's commands and benchmarks become the session's. What it says itself are settings of these; what comes
 * before all sections belongs to the session. */
static void append(struct sections *sections, struct section *section,
                   const struct lauka_options *own)
{
    struct lauka_options *options = sections->options;

    section->first = options->run.benchmark_count;
    section->count = own->run.benchmark_count;
    for (size_t b = 0; b < own->run.benchmark_count; b++) {
        struct lauka_benchmark *added = lauka_arena_add(
            options->arena, &options->run.benchmarks, &options->run.benchmark_count, sizeof *added);
        *added = own->run.benchmarks[b];
        added->first += options->run.command_count;
        added->arguments = &section->arguments;
        added->line = section->line;
    }
    for (size_t c = 0; c < own->run.command_count; c++) {
        struct lauka_command *added = lauka_arena_add(options->arena, &options->run.commands,
                                                      &options->run.command_count, sizeof *added);
        *added = own->run.commands[c];
    }
}

static bool take_commands(struct sections *sections, struct section *section,
                          struct lauka_error *error)
{
    struct lauka_options own;
    struct lauka_arguments words;
    struct lauka_error why;
    bool good = option_read(&section->arguments, &own, &words, &why);

    words.section = section->name;
    own.judge.gate =
        sections->options->judge.gate; /* whether it is tried out, and by which limits */
    good = good &&
           (own.verb != LAUKA_VERB_REVISIONS || option_take_revisions(&words, &own, &why)) &&
           option_take_run(&words, &own, &why);
    if (good)
        append(sections, section, &own);
    else
        lauka_fail(error, why.code, "%.200s:%zu: [%.100s]: %.600s", sections->path, section->line,
                   section->name, why.text);
    return good;
}

/* ---- sides ---------------------------------------------------------------------------------------- */

static const struct lauka_command *side_at(const struct sections *sections, size_t section,
                                           size_t place)
{
    const struct lauka_options *options = sections->options;

    return &options->run
                .commands[options->run.benchmarks[sections->sections[section].first].first + place];
}

static size_t sides_in(const struct sections *sections, size_t section)
{
    return sections->options->run.benchmarks[sections->sections[section].first].count;
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
    return lauka_misuse(error,
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
            return lauka_misuse(error,
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
    return options->run.shell
               ? lauka_arena_piece(options->arena, command->label, strcspn(command->label, " \t\n"))
               : command->argv[0];
}

/* For the first benchmark's sides, names that all benchmarks can use. */
static char **words_of(const struct lauka_options *options)
{
    const struct lauka_benchmark *benchmark = &options->run.benchmarks[0];
    char **words = lauka_arena_take(options->arena, (benchmark->count + 1) * sizeof *words);

    for (size_t p = 0; p < benchmark->count; p++) {
        const struct lauka_command *command = &options->run.commands[benchmark->first + p];
        words[p] = command->side ? command->side : word_of(options, benchmark, command);
    }
    return words;
}

static bool is_in_all(const struct lauka_options *options, size_t place, const char *word)
{
    for (size_t b = 0; b < options->run.benchmark_count; b++) {
        const struct lauka_benchmark *benchmark = &options->run.benchmarks[b];
        if (strcmp(word_of(options, benchmark, &options->run.commands[benchmark->first + place]),
                   word) != 0)
            return false;
    }
    return true;
}

static bool is_alone(char *const *words, size_t place)
{
    for (size_t p = 0; words[p]; p++)
        if (p != place && strcmp(words[p], words[place]) == 0)
            return false;
    return true;
}

/* "./prog (again)": as the labels of the copies that run against it. */
static void name_copies(struct lauka_options *options)
{
    for (size_t c = 0; c < options->run.command_count; c++) {
        struct lauka_command *command = &options->run.commands[c];
        size_t copy = c % options->run.benchmarks[0].count;
        const struct lauka_command *of = command - copy;
        if (copy > 0 && !command->side)
            command->side = lauka_arena_print(options->arena, "%s%s", of->side,
                                              command->label + strlen(of->label));
    }
}

/* A side without a name is called by its word, if that is the same in all benchmarks and unique; otherwise
 * by its number. */
static void name_sides(struct lauka_options *options)
{
    bool noise = options->verb == LAUKA_VERB_NOISE;
    size_t count = noise ? 1 : options->run.benchmarks[0].count;
    char **words = words_of(options);

    for (size_t p = 0; p < count; p++) {
        if (options->run.commands[p].side)
            continue;
        bool in_all = (noise || is_alone(words, p)) && is_in_all(options, p, words[p]);
        char *name = in_all ? words[p] : lauka_arena_print(options->arena, "%zu", p + 1);
        for (size_t b = 0; b < options->run.benchmark_count; b++)
            options->run.commands[options->run.benchmarks[b].first + p].side = name;
    }
    if (noise)
        name_copies(options);
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static bool check_twins(const struct sections *sections, struct lauka_error *error)
{
    const struct lauka_options *options = sections->options;
    size_t twin = option_find_twin(options), s = sections->count;

    if (twin == options->run.benchmark_count)
        return true;
    while (sections->sections[--s].first > twin)
        ;
    return lauka_misuse(error, "%.200s:%zu: [%.100s] makes a second benchmark of the name %.200s",
                        sections->path, sections->sections[s].line, sections->sections[s].name,
                        options->run.benchmarks[twin].name);
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
    if (!good || !check_sides(sections, error))
        return false;
    name_sides(options);
    if (!check_twins(sections, error))
        return false;
    for (size_t s = 0; s < sections->count; s++)
        spread_limits(options, &sections->sections[s]);
    return option_choose_benchmarks(options, error) && option_check_search(options, error) &&
           option_make_layouts(options, error);
}

static bool read_sections(struct lauka_config *config, const struct lauka_arguments *typed,
                          struct sections *sections, struct lauka_error *error)
{
    bool good = true;

    sections->sections =
        lauka_arena_take(config->arena, config->section_count * sizeof *sections->sections);
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
    struct lauka_arguments words;

    return lauka_config_add_session(config, typed, all, error) &&
           option_read(all, options, &words, error) && option_finish(options, error) &&
           (options->verb != LAUKA_VERB_REVISIONS ||
            option_take_revisions(&words, options, error)) &&
           read_sections(config, typed, &sections, error) && take_sections(&sections, error);
}
