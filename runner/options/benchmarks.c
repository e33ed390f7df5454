/* What is compared with what: commands are the sides of benchmarks. */
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/gate/gate.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "runner/options/table.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- of the commands ------------------------------------------------------------------------------ */

char *option_name_by_parameters(const char *section, const struct lauka_command *command)
{
    char *text =
        lauka_arena_print(command->arena, "%s%s", section ? section : "", section ? "/" : "");

    for (size_t p = 0; p < command->parameter_count; p++)
        text = lauka_arena_print(command->arena, "%s%s%s=%s", text, p > 0 ? "," : "",
                                 command->parameters[p].name, command->parameters[p].value);
    return text;
}

void option_make_benchmarks(struct lauka_options *options, const char *section, size_t groups)
{
    size_t count = groups > 0 ? groups : 1, sides = options->run.command_count / count;

    options->run.benchmarks =
        lauka_arena_take(options->arena, count * sizeof *options->run.benchmarks);
    options->run.benchmark_count = count;
    for (size_t b = 0; b < count; b++) {
        struct lauka_benchmark *benchmark = &options->run.benchmarks[b];
        const struct lauka_command *command = &options->run.commands[b * sides];
        benchmark->first = b * sides;
        benchmark->count = sides;
        if (groups > 0) {
            benchmark->name = option_name_by_parameters(section, command);
            benchmark->parameters = command->parameters;
            benchmark->parameter_count = command->parameter_count;
        } else if (section) {
            benchmark->name = lauka_arena_text(options->arena, section);
        }
    }
}

struct option_sides option_sides_of(const struct lauka_options *options)
{
    return (struct option_sides){options->run.command_count, options->run.benchmarks[0].count};
}

/* Leaves the others out, with their commands. At least one is kept. */
static void drop_benchmarks(struct lauka_options *options, const bool *kept)
{
    size_t benchmarks = 0, commands = 0;

    for (size_t b = 0; b < options->run.benchmark_count; b++) {
        struct lauka_benchmark moved = options->run.benchmarks[b];
        if (!kept[b])
            continue;
        memmove(&options->run.commands[commands], &options->run.commands[moved.first],
                moved.count * sizeof *options->run.commands);
        moved.first = commands;
        commands += moved.count;
        options->run.benchmarks[benchmarks++] = moved;
    }
    options->run.benchmark_count = benchmarks;
    options->run.command_count = commands;
}

/* ---- their names ---------------------------------------------------------------------------------- */

static int compare_names(const void *left, const void *right)
{
    const struct lauka_benchmark *a = *(const struct lauka_benchmark *const *)left;
    const struct lauka_benchmark *b = *(const struct lauka_benchmark *const *)right;
    int order = strcmp(a->name, b->name);

    return order ? order : a < b ? -1 : a > b;
}

size_t option_find_twin(const struct lauka_options *options)
{
    size_t count = options->run.benchmark_count, twin = count;
    const struct lauka_benchmark **sorted =
        lauka_arena_take(options->arena, count * sizeof sorted[0]);

    if (count < 2)
        return twin;
    for (size_t b = 0; b < count; b++)
        sorted[b] = &options->run.benchmarks[b];
    qsort(sorted, count, sizeof sorted[0], compare_names);
    for (size_t b = 1; b < count; b++) {
        size_t later = (size_t)(sorted[b] - options->run.benchmarks);
        if (later < twin && strcmp(sorted[b - 1]->name, sorted[b]->name) == 0)
            twin = later;
    }
    return twin;
}

/* Names of the first few: "`a`, `b` and 22 more". Returns text. */
static char *list_names(const struct lauka_options *options, char *text, size_t size)
{
    enum { SHOWN = 5 };
    size_t used = 0, count = options->run.benchmark_count;
    size_t shown = count <= SHOWN + 1 ? count : SHOWN;

    *text = '\0';
    for (size_t b = 0; b < shown && used < size; b++)
        used += (size_t)snprintf(text + used, size - used, "%s`%.60s`",
                                 b == 0                             ? ""
                                 : b + 1 == shown && shown == count ? " and "
                                                                    : ", ",
                                 options->run.benchmarks[b].name);
    if (shown < count && used < size)
        snprintf(text + used, size - used, " and %zu more", count - shown);
    return text;
}

bool lauka_benchmarks_list(const struct lauka_options *options, FILE *out,
                           struct lauka_error *error)
{
    errno = 0;
    for (size_t b = 0; b < options->run.benchmark_count; b++) {
        if (!options->run.benchmarks[b].name)
            continue;
        lauka_print_safely(options->run.benchmarks[b].name, true, out);
        fputc('\n', out);
    }
    if (!options->run.benchmarks[0].name && !options->quiet)
        fputs("lauka: there is one benchmark, and it has no name\n", stderr);
    int failure = lauka_finish(out);
    return !failure || lauka_fail_stdout(error, failure);
}

/* ---- which are meant by a name or a glob ------------------------------------------------------ */

/* Of --benchmark, limits and allowances; and of the benchmarks inside two programs, once it is known what they are
 * called. */

/* How a text matches a benchmark; the more specific match takes precedence. */
enum scope {
    SCOPE_NOTHING,
    SCOPE_ALL,
    SCOPE_GLOB,
    SCOPE_NAME,
};

static bool is_name(const struct lauka_options *options, const char *text)
{
    for (size_t b = 0; b < options->run.benchmark_count; b++)
        if (strcmp(options->run.benchmarks[b].name, text) == 0)
            return true;
    return false;
}

static bool matches(const char *glob, const char *name)
{
    return strpbrk(glob, "*?[\\") && fnmatch(glob, name, 0) == 0;
}

/* text: NULL: all. A name is not also a glob. */
static enum scope scope_of(const struct lauka_options *options, const char *text, const char *name)
{
    if (!text)
        return SCOPE_ALL;
    if (strcmp(text, name) == 0)
        return SCOPE_NAME;
    return matches(text, name) && !is_name(options, text) ? SCOPE_GLOB : SCOPE_NOTHING;
}

static bool has_benchmark(const struct lauka_options *options, const char *text)
{
    for (size_t b = 0; b < options->run.benchmark_count; b++)
        if (scope_of(options, text, options->run.benchmarks[b].name) != SCOPE_NOTHING)
            return true;
    return false;
}

/* ---- which are run -------------------------------------------------------------------------------- */

static bool check_chosen(const struct lauka_options *options, struct lauka_error *error)
{
    char names[500];

    for (size_t i = 0; i < options->run.chosen.count; i++) {
        const char *text = options->run.chosen.texts[i];
        if (!options->run.benchmarks[0].name)
            return lauka_misuse(
                error, "--benchmark %.200s: the only benchmark has no name; leave the option out",
                text);
        if (!has_benchmark(options, text))
            return lauka_misuse(error,
                                "--benchmark %.200s: there is no such benchmark; there %s %s", text,
                                options->run.benchmark_count == 1 ? "is" : "are",
                                list_names(options, names, sizeof names));
    }
    return true;
}

/* An allowance may outlive its benchmark: this is reported, but is no error. */
static void note_allowances(const struct lauka_options *options)
{
    for (size_t i = 0; !options->quiet && i < options->judge.gate.allowance_count; i++) {
        const struct lauka_gate_allowance *allowance = &options->judge.gate.allowances[i];
        if (!has_benchmark(options, allowance->benchmark))
            lauka_gate_note_unused(allowance, "benchmark", allowance->benchmark);
    }
}

static bool check_full(const struct lauka_options *options, struct lauka_error *error)
{
    const char *text = options->write.full;
    char names[500];

    if (!text || !*text)
        return true;
    if (options->run.benchmark_count == 0 || !options->run.benchmarks[0].name)
        return lauka_misuse(error,
                            "--full=%.200s: there is one benchmark, and it has no name: --full "
                            "alone shows all of it",
                            text);
    return has_benchmark(options, text) ||
           lauka_misuse(error, "--full=%.200s: there is no such benchmark; there %s %s", text,
                        options->run.benchmark_count == 1 ? "is" : "are",
                        list_names(options, names, sizeof names));
}

/* The file may name what this session does not run, but not what does not exist. */
bool lauka_options_check_limits(const struct lauka_options *options, struct lauka_error *error)
{
    bool named = options->run.benchmark_count > 0 && options->run.benchmarks[0].name;
    char names[500];

    for (size_t i = 0; named && i < options->judge.gate.rule_count; i++) {
        const struct lauka_gate_rule *rule = &options->judge.gate.rules[i];
        if (!rule->benchmark || has_benchmark(options, rule->benchmark))
            continue;
        return lauka_misuse(error, "%s: there is no benchmark [%.200s]; there %s %s",
                            rule->where ? rule->where : "--gate-file", rule->benchmark,
                            options->run.benchmark_count == 1 ? "is" : "are",
                            list_names(options, names, sizeof names));
    }
    if (named)
        note_allowances(options);
    return check_full(options, error);
}

bool lauka_options_choose(const struct lauka_options *options, const char *benchmark)
{
    bool chosen = options->run.chosen.count == 0;

    for (size_t i = 0; i < options->run.chosen.count && !chosen; i++)
        chosen = scope_of(options, options->run.chosen.texts[i], benchmark) != SCOPE_NOTHING;
    return chosen;
}

static void drop_rules(struct lauka_options *options)
{
    size_t kept = 0;

    for (size_t i = 0; i < options->judge.gate.rule_count; i++) {
        struct lauka_gate_rule rule = options->judge.gate.rules[i];
        if (!rule.benchmark || has_benchmark(options, rule.benchmark))
            options->judge.gate.rules[kept++] = rule;
    }
    options->judge.gate.rule_count = kept;
}

bool option_choose_benchmarks(struct lauka_options *options, struct lauka_error *error)
{
    if (!lauka_options_check_limits(options, error) || !check_chosen(options, error))
        return false;
    if (options->run.chosen.count == 0)
        return true;
    bool *kept = lauka_arena_take(options->arena, options->run.benchmark_count * sizeof *kept);
    for (size_t b = 0; b < options->run.benchmark_count; b++)
        kept[b] = options->run.benchmarks[b].stays;
    for (size_t i = 0; i < options->run.chosen.count; i++) {
        const char *text = options->run.chosen.texts[i];
        bool named = is_name(options, text); /* there may be many benchmarks to ask this of */
        for (size_t b = 0; b < options->run.benchmark_count; b++) {
            const char *name = options->run.benchmarks[b].name;
            kept[b] |= named ? strcmp(text, name) == 0 : matches(text, name);
        }
    }
    drop_benchmarks(options, kept);
    drop_rules(options);
    return true;
}

/* ---- one of them alone ---------------------------------------------------------------------------- */

static bool is_same_statistic(const struct lauka_gate_rule *a, const struct lauka_gate_rule *b)
{
    return a->statistic == b->statistic && a->rank == b->rank && a->most.known == b->most.known &&
           lauka_metric_names_agree(a->metric, b->metric);
}

/* Whether a rule holds for the benchmark: no other one is about the same, and more specific. */
static bool holds(const struct lauka_options *session, size_t rule, const char *name)
{
    const struct lauka_gate_rule *rules = session->judge.gate.rules;
    enum scope scope = name ? scope_of(session, rules[rule].benchmark, name) : SCOPE_ALL;

    if (scope == SCOPE_NOTHING)
        return false;
    for (size_t i = 0; name && i < session->judge.gate.rule_count; i++)
        if (is_same_statistic(&rules[rule], &rules[i]) &&
            scope_of(session, rules[i].benchmark, name) > scope)
            return false;
    return true;
}

/* Appends in the session's order. Returns 0 or ENOMEM. */
static int take_limits(const struct lauka_options *session, const char *name,
                       struct lauka_result_gate *gate)
{
    static char any[] = "*";

    gate->rules = NULL;
    gate->allowances = NULL;
    gate->rule_count = gate->allowance_count = 0;
    for (size_t i = 0; i < session->judge.gate.rule_count; i++) {
        struct lauka_gate_rule *rule;
        if (!holds(session, i, name))
            continue;
        if (!(rule =
                  lauka_arena_add(session->arena, &gate->rules, &gate->rule_count, sizeof *rule)))
            return ENOMEM;
        *rule = session->judge.gate.rules[i];
        rule->benchmark = name ? NULL : rule->benchmark;
    }
    for (size_t i = 0; i < session->judge.gate.allowance_count; i++) {
        struct lauka_gate_allowance *allowance;
        if (name &&
            scope_of(session, session->judge.gate.allowances[i].benchmark, name) == SCOPE_NOTHING)
            continue;
        if (!(allowance = lauka_arena_add(session->arena, &gate->allowances, &gate->allowance_count,
                                          sizeof *allowance)))
            return ENOMEM;
        *allowance = session->judge.gate.allowances[i];
        allowance->benchmark = name ? any : allowance->benchmark;
    }
    return 0;
}

int lauka_options_of(const struct lauka_options *session, size_t benchmark,
                     struct lauka_options *own)
{
    struct lauka_benchmark *about = &session->run.benchmarks[benchmark];

    *own = *session;
    if (session->run.commands) /* stored ones have none */
        own->run.commands = session->run.commands + about->first;
    if (session->run.variants)
        own->run.variants = session->run.variants + about->first * session->run.layouts;
    own->run.command_count = about->count;
    own->run.benchmarks = about;
    own->run.benchmark_count = 1;
    return take_limits(session, about->name, &own->judge.gate);
}

/* ---- the benchmarks inside two programs ---------------------------------------------------------- */

/* Commands have no parameters here, no words of a pretence, and no --read. */
static bool take_inner(struct lauka_options *options, char *const *names, size_t count,
                       bool last_stays, struct lauka_error *error)
{
    const struct lauka_command *commands = options->run.commands;
    size_t sides = options->run.command_count;

    options->run.benchmarks =
        lauka_arena_take(options->arena, count * sizeof *options->run.benchmarks);
    options->run.benchmark_count = count;
    options->run.commands = lauka_arena_take(options->arena, count * sides * sizeof *commands);
    options->run.command_count = count * sides;
    for (size_t b = 0; b < count; b++) {
        options->run.benchmarks[b] = (struct lauka_benchmark){
            .name = lauka_arena_text(options->arena, names[b]),
            .first = b * sides,
            .count = sides,
            .stays = last_stays && b + 1 == count,
        };
        for (size_t s = 0; s < sides; s++) {
            struct lauka_command *command = &options->run.commands[b * sides + s];
            *command = commands[s];
            command->side = command->side ? command->side : command->label;
        }
    }
    return option_choose_benchmarks(options, error);
}

bool lauka_options_take_inner(struct lauka_options *options, char *const *names, size_t count,
                              bool last_stays, struct lauka_error *error)
{
    jmp_buf exhausted;

    if (setjmp(exhausted) != 0)
        return lauka_fail_memory(error);
    options->arena->exhausted = &exhausted;
    bool good = take_inner(options, names, count, last_stays, error);
    options->arena->exhausted = NULL;
    return good;
}
