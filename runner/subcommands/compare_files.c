/* lauka compare, gate and report: they read files instead of measuring, and from there on do the same. */
#include "runner/subcommands/subcommands.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "runner/base/base.h"
#include "runner/gate/gate.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "runner/session/session.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    char *benchmark;          /* its name in the files */
    char *side;               /* NULL: it has one side only */
    struct lauka_part *parts; /* in the order of the files; the results are owned */
    size_t part_count;
};

struct pairs {
    struct lauka_arena *arena; /* of all that it points to: the options' */
    struct pair *pairs;        /* in the order of the first file */
    size_t count;
    char **warnings; /* what is in some of the files only */
    size_t warning_count;
    bool gated; /* what is missing makes a gate fail */
};

/* ---- benchmarks and sides of several files, matched by their names --------------------------- */

static const char *side_of(const struct lauka_result *result, size_t command)
{
    const struct lauka_result_command *about = &result->commands[command];

    return about->side ? about->side : about->label ? about->label : "";
}

/* The benchmark of the file, or NULL. */
static struct lauka_result *find(const struct lauka_stored_file *file, const char *name)
{
    size_t b = lauka_session_find(&file->session, name);

    return b < file->session.benchmark_count ? &file->session.benchmarks[b] : NULL;
}

/* A side that was already taken has no series any more. */
static size_t find_side(const struct lauka_result *result, const char *side)
{
    size_t c = 0;

    while (c < result->command_count && strcmp(side_of(result, c), side) != 0)
        c++;
    return c;
}

/* ---- notes ------------------------------------------------------------------------------------------ */

static void warn(struct pairs *pairs, const char *benchmark, const char *side, const char *missing,
                 const char *effect)
{
    char **added =
        lauka_arena_add(pairs->arena, &pairs->warnings, &pairs->warning_count, sizeof *added);

    *added = lauka_arena_print(pairs->arena, "%s%s%s is not in %s%s", benchmark, side ? "/" : "",
                               side ? side : "", missing, effect);
}

/* ---- one pair --------------------------------------------------------------------------------------- */

/* Out of one file; side: NULL: the only one. False: it is not there. */
static int take_part(struct lauka_stored_file *file, const char *benchmark, const char *side,
                     bool *there, struct lauka_part *part)
{
    struct lauka_result *result = find(file, benchmark);
    size_t command = result && side ? find_side(result, side) : 0;

    *there = result && command < result->command_count;
    part->name = file->name;
    if (!*there)
        return 0;
    return lauka_result_take_command(result, command, &part->result);
}

/* Returns 0 or ENOMEM. */
static int make_pair(struct pairs *pairs, struct lauka_stored_file *files, size_t count,
                     const char *benchmark, const char *side)
{
    struct pair *pair = lauka_arena_add(pairs->arena, &pairs->pairs, &pairs->count, sizeof *pair);
    int failure = 0;

    pair->benchmark = lauka_arena_text(pairs->arena, benchmark);
    pair->side = side ? lauka_arena_text(pairs->arena, side) : NULL;
    pair->parts = lauka_arena_take(pairs->arena, count * sizeof *pair->parts);
    for (size_t f = 0; f < count && !failure; f++) {
        struct lauka_part *part = &pair->parts[pair->part_count++];
        bool there;
        failure = take_part(&files[f], benchmark, pair->side, &there, part);
        if (failure || there)
            continue;
        failure = lauka_result_make_absent(&pair->parts[0].result, files[f].name, &part->result);
        warn(pairs, benchmark, pair->side, files[f].name,
             pairs->gated ? ": there is nothing to compare, so the gate cannot pass"
                          : ": there is nothing to compare");
    }
    return failure;
}

/* ---- all of them ------------------------------------------------------------------------------------ */

/* Whether no file has more than one side of it. */
static bool has_one_side(const struct lauka_stored_file *files, size_t count, const char *name)
{
    for (size_t f = 0; f < count; f++) {
        const struct lauka_result *result = find(&files[f], name);
        if (result && result->command_count > 1)
            return false;
    }
    return true;
}

static int make_pairs(struct pairs *pairs, struct lauka_stored_file *files, size_t count,
                      const struct lauka_result *first)
{
    const char *name = first->benchmark.name;
    int failure = 0;

    if (has_one_side(files, count, name))
        return make_pair(pairs, files, count, name, NULL);
    for (size_t c = 0; c < first->command_count && !failure; c++)
        failure =
            make_pair(pairs, files, count, name, lauka_arena_text(pairs->arena, side_of(first, c)));
    return failure;
}

/* What only later files have. */
static void note_others(struct pairs *pairs, const struct lauka_options *options,
                        const struct lauka_stored_file *files, size_t count)
{
    for (size_t f = 1; f < count; f++)
        for (size_t b = 0; b < files[f].session.benchmark_count; b++) {
            const char *name = files[f].session.benchmarks[b].benchmark.name;
            if (lauka_options_choose(options, name) && !find(&files[0], name))
                warn(pairs, name, NULL, files[0].name, ": there is nothing to compare it with");
        }
}

/* A file by itself stays as it is. */
static void take_all(struct pairs *pairs, const struct lauka_options *options,
                     struct lauka_stored_file *file)
{
    for (size_t b = 0; b < file->session.benchmark_count; b++) {
        struct lauka_result *result = &file->session.benchmarks[b];
        if (!lauka_options_choose(options, result->benchmark.name))
            continue;
        struct pair *pair =
            lauka_arena_add(pairs->arena, &pairs->pairs, &pairs->count, sizeof *pair);
        pair->benchmark = lauka_arena_text(pairs->arena, result->benchmark.name);
        pair->parts = lauka_arena_take(pairs->arena, sizeof *pair->parts);
        pair->part_count = 1;
        pair->parts[0] = (struct lauka_part){file->name, *result};
        *result = (struct lauka_result){0};
    }
}

/* Returns 0 or ENOMEM. */
static int take_pairs(struct pairs *pairs, const struct lauka_options *options,
                      struct lauka_stored_file *files, size_t count)
{
    const struct lauka_session *first = &files[0].session;
    int failure = 0;

    note_others(pairs, options, files, count);
    for (size_t b = 0; b < first->benchmark_count && !failure; b++)
        if (lauka_options_choose(options, first->benchmarks[b].benchmark.name))
            failure = make_pairs(pairs, files, count, &first->benchmarks[b]);
    return failure;
}

/* Takes the results out of the files, those that --benchmark chooses. Of a single file every benchmark is as it
 * was. The arena has to know where to go on without memory. To be followed by free_pairs in either case. */
static bool make_all(const struct lauka_options *options, struct lauka_stored_file *files,
                     size_t count, struct pairs *pairs, struct lauka_error *error)
{
    *pairs = (struct pairs){.arena = options->arena, .gated = lauka_files_are_gated(options)};
    if (count == 1)
        take_all(pairs, options, &files[0]);
    else if (take_pairs(pairs, options, files, count) != 0)
        return lauka_fail_memory(error);
    return pairs->count > 0 ||
           lauka_misuse(error, "--benchmark: %.200s has no such benchmark", files[0].name);
}

static void parts_done(struct lauka_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lauka_result_done(&parts[i].result);
}

static void free_pairs(struct pairs *pairs)
{
    for (size_t p = 0; p < pairs->count; p++)
        parts_done(pairs->pairs[p].parts, pairs->pairs[p].part_count);
}

struct survey {
    size_t files;
    char *hosts;   /* of the arena; as in struct lauka_result_gate */
    bool nameless; /* not every part says on which host it was measured */
    bool plain;    /* all parts are plain numbers, or a column */
    bool numbers;  /* of no part is more known than numbers */
    /* A sentence if the one command has another name in the other file; otherwise "". */
    char names[700];
};

/* ---- what a gate has to know of stored results: hosts, and which commands belong together ------------- */

/* Appends to a text of the arena; NULL as long as there is no difference. */
static void add_difference(struct lauka_arena *arena, char **list, const char *what,
                           const char *here, const char *there)
{
    const char *unknown = "not known";

    here = here ? here : unknown;
    there = there ? there : unknown;
    if (strcmp(here, there) != 0)
        *list = lauka_arena_print(arena, "%s%s%s (%s; %s)", *list ? *list : "", *list ? ", " : "",
                                  what, here, there);
}

/* Which events were counted: kernels and virtual machines differ in what they show. */
static const char *counter_mode(const struct lauka_result *result)
{
    const char *mode = "no counters";

    for (size_t m = 0; m < result->metric_count; m++) {
        const struct lauka_result_metric *metric = &result->metrics[m];
        size_t length = strlen(metric->name);
        if (!metric->counted || strncmp(metric->source, "perf_event", 10) != 0)
            continue;
        bool user = length > 2 && strcmp(metric->name + length - 2, ":u") == 0;
        mode = user ? "counters of user mode" : "counters of all modes";
    }
    return mode;
}

static char *compare_hosts(struct lauka_arena *arena, const struct lauka_result *here,
                           const struct lauka_result *there)
{
    const struct lauka_result_host *a = &here->host, *b = &there->host;
    char cpus[2][32], *list = NULL;

    snprintf(cpus[0], sizeof cpus[0], "%" PRIu64, a->cpu_count);
    snprintf(cpus[1], sizeof cpus[1], "%" PRIu64, b->cpu_count);
    add_difference(arena, &list, "system", a->os, b->os);
    add_difference(arena, &list, "architecture", a->arch, b->arch);
    add_difference(arena, &list, "CPU model", a->cpu_model, b->cpu_model);
    add_difference(arena, &list, "CPUs", cpus[0], cpus[1]);
    add_difference(arena, &list, "kernel", a->kernel, b->kernel);
    add_difference(arena, &list, "governor", a->governor, b->governor);
    add_difference(arena, &list, "counting", counter_mode(here), counter_mode(there));
    return list;
}

/* A result that does not say where it was measured is trusted. */
static char *find_hosts(struct lauka_arena *arena, const struct lauka_part *parts, size_t count)
{
    char *hosts = NULL;

    for (size_t p = 1; p < count && !hosts; p++)
        if (parts[0].result.host.os && parts[p].result.host.os)
            hosts = compare_hosts(arena, &parts[0].result, &parts[p].result);
    return hosts;
}

/* Files with several commands were split before. */
static bool check_commands(const struct lauka_part *parts, size_t count, struct lauka_error *error)
{
    if (count == 1 ||
        (count == 2 && parts[0].result.command_count == 1 && parts[1].result.command_count == 1))
        return true;
    return lauka_misuse(
        error, "a gate takes one result, or two with the same commands: the base, then the "
               "head");
}

/* Numbers without a known session are named after their file. */
static bool is_plain(const struct lauka_part *part)
{
    const struct lauka_result *result = &part->result;

    return !result->host.os && result->command_count == 1 && result->metric_count == 1 &&
           strcmp(result->metrics[0].source, LAUKA_SOURCE_FILE) == 0 &&
           strcmp(result->commands[0].label, part->name) == 0;
}

/* Whether nothing is known of them but the numbers. */
static bool is_numbers(const struct lauka_result *result)
{
    bool numbers = !result->host.os;

    for (size_t m = 0; m < result->metric_count && numbers; m++)
        numbers = strcmp(result->metrics[m].source, LAUKA_SOURCE_FILE) == 0 ||
                  strcmp(result->metrics[m].source, LAUKA_SOURCE_HLOG) == 0;
    return numbers;
}

/* The program may have been renamed, or the wrong file given. */
static void compare_names(const struct lauka_part *parts, size_t count, struct survey *survey)
{
    if (count != 2 || survey->plain)
        return;
    const char *base = parts[0].result.commands[0].label, *head = parts[1].result.commands[0].label;
    if (strcmp(base, head) != 0)
        snprintf(survey->names, sizeof survey->names,
                 "the names differ: the gate holds `%.150s` of %.150s against `%.150s` of %.150s",
                 head, parts[1].name, base, parts[0].name);
}

/* For parts that are to be merged. Fails if a gate could not tell which commands belong together. */
static bool make_survey(struct lauka_arena *arena, const struct lauka_part *parts, size_t count,
                        struct survey *survey, struct lauka_error *error)
{
    *survey = (struct survey){.files = count, .plain = true, .numbers = true};
    if (!check_commands(parts, count, error))
        return false;
    for (size_t p = 0; p < count; p++) {
        survey->nameless |= !parts[p].result.host.os;
        survey->plain &= is_plain(&parts[p]);
        survey->numbers &= is_numbers(&parts[p].result);
    }
    compare_names(parts, count, survey);
    survey->hosts = find_hosts(arena, parts, count);
    return true;
}

/* Of numbers from files nobody knows whether a host has to do with them. */
static int warn_about_hosts(struct lauka_result *result, const struct survey *survey)
{
    if (survey->numbers)
        return lauka_result_warn(result, "the files do not say where and when these numbers were "
                                         "measured: the gate compares them as they are");
    int failure = lauka_result_warn(
        result, "the results were measured one after the other, so the difference contains what "
                "changed on the host in between; run both in one session to avoid that");
    if (!failure && survey->nameless)
        failure = lauka_result_warn(
            result, "not every result names its host: the gate assumes that it is the same");
    return failure;
}

static int warn_of_files(struct lauka_result *result, const struct survey *survey)
{
    int failure = warn_about_hosts(result, survey);

    if (!failure && *survey->names)
        failure = lauka_result_warn(result, survey->names);
    return failure;
}

/* The result's own gate, with what is excused today. Returns 0 or ENOMEM. */
static int excuse(struct lauka_result *result, const struct lauka_options *options)
{
    struct lauka_result_gate old = result->gate, wanted = old;

    wanted.allowances = options->judge.gate.allowances;
    wanted.allowance_count = options->judge.gate.allowance_count;
    int failure = lauka_gate_copy(&wanted, &result->gate);
    lauka_gate_done(&old);
    return failure;
}

/* Settings on the command line override those of the stored gate. */
static bool bind_stored(struct lauka_result *result, const struct lauka_options *options,
                        struct lauka_error *error)
{
    result->gate.cross_host |= options->judge.gate.cross_host;
    if (options->judge.gate.allowance_count == 0)
        return true;
    lauka_gate_check_allowances(result, options);
    return excuse(result, options) == 0 || lauka_fail_memory(error);
}

/* Binds the options' gate, or the stored result's if there is none, to the merged parts. Where
 * sides are not paired, what is known of their hosts and names is said. */
static bool bind_gate(struct lauka_result *result, const struct lauka_options *options,
                      struct survey *survey, struct lauka_error *error)
{
    struct lauka_result_gate *gate = &result->gate;
    const bool several = survey->files > 1;
    const size_t halves = several ? 0 : gate->halves;

    gate->halves = halves; /* several files have one command each */
    if (!several)          /* it may be of several files: new limits change nothing about that */
        survey->hosts = gate->hosts ? lauka_arena_text(options->arena, gate->hosts) : NULL;
    if (options->judge.gate.rule_count == 0 && !lauka_result_has_gate(result))
        return lauka_misuse(error, "no limit was given: use --gate wall_time=2%% or --gate-file");
    if (options->judge.gate.rule_count == 0 ? !bind_stored(result, options, error)
                                            : !lauka_gate_bind(result, options, error))
        return false;
    gate->halves = halves;
    free(gate->hosts);
    if (lauka_text_copy(survey->hosts, &gate->hosts) != 0)
        return lauka_fail_memory(error);
    if (several && result->run.unpaired && warn_of_files(result, survey) != 0)
        return lauka_fail_memory(error);
    if (options->judge.policy_given || options->judge.bisect)
        gate->policy = options->judge.gate.policy;
    return true;
}

/* ---- one result of several parts -------------------------------------------------------------- */

/* What was asked for; or what the stored result was about; or the metric that a run would be about; or, in
 * data of another kind, the first metric. */
static bool choose_primaries(const struct lauka_options *options, struct lauka_result *result,
                             struct lauka_error *error)
{
    static const char *const by_default[] = {"wall_time", "cpu_time"};

    if (strcmp(options->judge.primary, LAUKA_PRIMARY) != 0) {
        for (size_t m = 0; m < result->metric_count; m++)
            result->metrics[m].primary = false;
        return lauka_outline_choose(result, options->judge.primary, error);
    }
    if (lauka_result_primaries(result, false) > 0)
        return true;
    for (size_t i = 0; i < sizeof by_default / sizeof *by_default; i++) {
        size_t m = lauka_result_metric_index(result, by_default[i]);
        if (m < result->metric_count)
            result->metrics[m].primary = true;
    }
    if (lauka_result_primaries(result, false) == 0)
        result->metrics[0].primary = true;
    return true;
}

/* Whether some of the sides have no value in that round, and others have. */
static bool has_gap(const struct lauka_result *result, size_t metric, size_t round)
{
    size_t there = 0;
    for (size_t c = 0; c < result->command_count; c++)
        there += lauka_series_at(&result->commands[c].series[metric], round) != LAUKA_MISSING;
    return there > 0 && there < result->command_count;
}

/* Columns of files with gaps: a change can only be that of whole pairs. */
static int note_gaps(struct lauka_result *result)
{
    size_t gaps = 0;
    if (result->metric_count != 1 || !lauka_stored_has_source(result, LAUKA_SOURCE_FILE))
        return 0;
    for (size_t i = 0; i < result->run.rounds; i++)
        gaps += has_gap(result, 0, i);
    return gaps == 0 ? 0
                     : lauka_result_note(result,
                                         "%zu of %zu pairs have a gap: the change is that of the "
                                         "others, means are those of all values",
                                         gaps, (size_t)result->run.rounds);
}

/* Because somebody says that the n-th values belong together. */
static bool pair_values(struct lauka_result *result, struct lauka_error *error)
{
    bool possible = !result->run.samples_left_out;

    for (size_t c = 0; possible && c < result->command_count; c++)
        possible = result->commands[c].series[0].count == result->run.rounds;
    for (size_t m = 0; possible && m < result->metric_count; m++)
        possible = !(result->metrics[m].bins > 0);
    result->run.unpaired = false;
    result->run.apart = LAUKA_APART_NOT;
    if (!possible)
        return lauka_misuse(error, "--paired needs as many single values on each side");
    return note_gaps(result) == 0 || lauka_fail_memory(error);
}

/* What one observation is where sides come from different files: a session of one side is one, whatever the others are. */
static enum lauka_apart part_sides(const struct lauka_part *parts, size_t count)
{
    enum lauka_apart apart = LAUKA_APART_NOT;

    for (size_t p = 0; p < count; p++) {
        const struct lauka_result *part = &parts[p].result;
        if (lauka_stored_has_source(part, LAUKA_SOURCE_FILE) ||
            lauka_stored_has_source(part, LAUKA_SOURCE_LOGS))
            continue;
        if (!lauka_stored_has_source(part, LAUKA_SOURCE_HLOG))
            return LAUKA_APART_SESSIONS;
        apart = LAUKA_APART_LOGS;
    }
    return apart;
}

/* Stored results know the confidence with which they were measured; bare values do not. */
static bool complete(const struct lauka_options *options, struct lauka_result *result,
                     struct lauka_error *error)
{
    struct lauka_result_run *run = &result->run;

    if (options->judge.unpaired) {
        run->unpaired = true;
        run->apart = LAUKA_APART_NOT;
    }
    if (options->judge.paired && !pair_values(result, error))
        return false;
    run->samples_plain |= options->write.samples == LAUKA_SAMPLES_PLAIN;
    if (run->alpha <= 0)
        run->alpha = LAUKA_ALPHA_FIXED;
    if (run->precision <= 0)
        run->precision = LAUKA_PRECISION_DEFAULT;
    return choose_primaries(options, result, error) && lauka_shown_choose(result, options, error);
}

static bool is_gated(const struct lauka_options *options, const struct lauka_part *parts)
{
    return lauka_files_are_gated(options) ||
           (options->verb == LAUKA_VERB_MERGE && lauka_result_has_gate(&parts[0].result));
}

/* A report of verdicts needs some. */
static bool has_verdicts(const struct lauka_options *options, const struct lauka_session *session,
                         struct lauka_error *error)
{
    if (!options->write.outputs[LAUKA_DOCUMENT_JUNIT].wanted || lauka_session_has_gate(session))
        return true;
    return lauka_misuse(
        error,
        "--junit reports a gate's verdicts, and %.200s has none: run lauka gate FILE --gate "
        "wall_time=2%%",
        options->run.files[0]);
}

static bool merge(const struct lauka_options *options, struct lauka_part *parts, size_t count,
                  struct lauka_result *result, struct lauka_error *error)
{
    struct survey survey = {0};
    struct lauka_load_error reason;

    const bool gated = is_gated(options, parts);
    if (gated && !make_survey(options->arena, parts, count, &survey, error))
        return false;
    const enum lauka_apart apart = count > 1 ? part_sides(parts, count) : LAUKA_APART_NOT;
    int failure = lauka_result_merge(parts, count, result, &reason);
    if (count > 1) {
        result->run.unpaired = true;
        result->run.apart = apart;
    }
    return (!failure || lauka_stored_refuse(failure, &reason, error)) &&
           complete(options, result, error) &&
           (!gated || bind_gate(result, options, &survey, error));
}

/* ---- one benchmark, which nobody named -------------------------------------------------------------- */

static bool merge_unnamed(const struct lauka_options *options, struct lauka_stored_file *files,
                          size_t count, struct lauka_session *session, struct lauka_error *error)
{
    if (!lauka_options_check_limits(options, error))
        return false;
    struct lauka_part *parts = lauka_arena_take(options->arena, count * sizeof *parts);
    bool good = lauka_session_init(session, 1) == 0 || lauka_fail_memory(error);

    for (size_t f = 0; good && f < count; f++) {
        parts[f].name = files[f].name;
        parts[f].result = files[f].session.benchmarks[0];
        files[f].session.benchmarks[0] = (struct lauka_result){0};
    }
    good = good && merge(options, parts, count, &session->benchmarks[0], error);
    parts_done(parts, count);
    return good;
}

/* ---- benchmarks by their names ---------------------------------------------------------------------- */

/* The options as each of the benchmarks sees them: limits may be about some of them only. */
static bool bind(const struct lauka_options *options, struct pair *pairs, size_t count,
                 struct lauka_session *session, struct lauka_error *error)
{
    struct lauka_options *all = lauka_arena_take(options->arena, 2 * sizeof *all), *own = all + 1;

    *all = *options;
    all->run.benchmarks = lauka_arena_take(options->arena, count * sizeof *all->run.benchmarks);
    all->run.benchmark_count = count;
    for (size_t p = 0; p < count; p++)
        all->run.benchmarks[p].name = pairs[p].benchmark;
    bool good = lauka_options_check_limits(all, error);
    for (size_t p = 0; good && p < count; p++) {
        char *name = session->benchmarks[p].benchmark.name;
        (void)lauka_options_of(all, p, own);          /* without memory, it does not come back */
        session->benchmarks[p].benchmark.name = NULL; /* what is merged has none */
        good = merge(own, pairs[p].parts, pairs[p].part_count, &session->benchmarks[p], error);
        if (!session->benchmarks[p].benchmark.name)
            session->benchmarks[p].benchmark.name = name;
        else
            free(name);
    }
    return good;
}

/* In front of all others, because what is missing matters most. */
static bool warn_first(struct lauka_result *result, size_t place, const char *text)
{
    if (lauka_result_warn(result, text) != 0)
        return false;
    char *own = result->warnings[result->warning_count - 1];
    for (size_t w = result->warning_count - 1; w > place; w--)
        result->warnings[w] = result->warnings[w - 1];
    result->warnings[place] = own;
    return true;
}

static bool name_pair(const struct pair *pair, struct lauka_result *result)
{
    char *name = NULL;

    if (asprintf(&name, "%s%s%s", pair->benchmark, pair->side ? "/" : "",
                 pair->side ? pair->side : "") < 0)
        name = NULL;
    result->benchmark.name = name;
    return name != NULL;
}

static bool merge_named(const struct lauka_options *options, struct lauka_stored_file *files,
                        size_t count, struct lauka_session *session, struct lauka_error *error)
{
    struct pairs pairs;
    bool good = make_all(options, files, count, &pairs, error);

    if (good && lauka_session_init(session, pairs.count) != 0)
        good = lauka_fail_memory(error);
    for (size_t p = 0; good && p < pairs.count; p++)
        good = name_pair(&pairs.pairs[p], &session->benchmarks[p]) || lauka_fail_memory(error);
    good = good && bind(options, pairs.pairs, pairs.count, session, error);
    for (size_t w = 0; good && w < pairs.warning_count; w++)
        good =
            warn_first(&session->benchmarks[0], w, pairs.warnings[w]) || lauka_fail_memory(error);
    free_pairs(&pairs);
    return good;
}

/* ---- both ------------------------------------------------------------------------------------------- */

static bool compare(const struct lauka_options *options, struct lauka_session *session,
                    struct lauka_error *error)
{
    struct lauka_stored_file *files;
    size_t count;
    bool named;
    bool good = lauka_stored_files_read(options, &files, &count, &named, error) &&
                (named ? merge_named(options, files, count, session, error)
                       : merge_unnamed(options, files, count, session, error));

    for (size_t f = 0; f < count; f++)
        lauka_session_done(&files[f].session);
    return good && has_verdicts(options, session, error);
}

bool lauka_compare_files(const struct lauka_options *options, struct lauka_session *session,
                         struct lauka_error *error)
{
    jmp_buf exhausted;

    if (setjmp(exhausted) != 0)
        return lauka_fail_memory(error);
    options->arena->exhausted = &exhausted;
    bool good = compare(options, session, error);
    options->arena->exhausted = NULL;
    return good;
}
