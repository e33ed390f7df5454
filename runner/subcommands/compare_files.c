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

#include <errno.h>
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
           lauka_fail(error, LAUKA_EXIT_USAGE, "--benchmark: %.200s has no such benchmark",
                      files[0].name);
}

static void free_pairs(struct pairs *pairs)
{
    for (size_t p = 0; p < pairs->count; p++)
        for (size_t i = 0; i < pairs->pairs[p].part_count; i++)
            lauka_result_done(&pairs->pairs[p].parts[i].result);
}

/* ---- one result of several parts -------------------------------------------------------------- */

static void forget_primaries(struct lauka_result *result)
{
    for (size_t m = 0; m < result->metric_count; m++)
        result->metrics[m].primary = false;
}

/* What was asked for; or what the stored result was about; or the metric that a run would be about; or, in
 * data of another kind, the first metric. */
static bool choose_primaries(const struct lauka_options *options, struct lauka_result *result,
                             struct lauka_error *error)
{
    static const char *const by_default[] = {"wall_time", "cpu_time"};
    bool any = false;

    if (strcmp(options->primary, LAUKA_PRIMARY) != 0) {
        forget_primaries(result);
        return lauka_outline_choose(result, options->primary, error);
    }
    for (size_t m = 0; m < result->metric_count; m++)
        any |= result->metrics[m].primary;
    for (size_t i = 0; !any && i < sizeof by_default / sizeof *by_default; i++) {
        size_t m = lauka_result_metric_index(result, by_default[i]);
        if (m < result->metric_count)
            result->metrics[m].primary = true;
    }
    for (size_t m = 0; m < result->metric_count; m++)
        any |= result->metrics[m].primary;
    if (!any)
        result->metrics[0].primary = true;
    return true;
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
    return possible ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--paired needs as many single values on each side");
}

/* What one observation is where sides come from different files: a session of one side is one, whatever the others are. */
static enum lauka_apart part_sides(const struct lauka_part *parts, size_t count)
{
    enum lauka_apart apart = LAUKA_APART_NOT;

    for (size_t p = 0; p < count; p++) {
        const struct lauka_result *part = &parts[p].result;
        if (lauka_stored_has_source(part, LAUKA_SOURCE_FILE) || lauka_stored_has_source(part, LAUKA_SOURCE_LOGS))
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

    if (options->unpaired) {
        run->unpaired = true;
        run->apart = LAUKA_APART_NOT;
    }
    if (options->paired && !pair_values(result, error))
        return false;
    run->samples_plain |= options->samples == LAUKA_SAMPLES_PLAIN;
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
    if (!options->outputs[LAUKA_DOCUMENT_JUNIT].wanted || lauka_session_has_gate(session))
        return true;
    return lauka_fail(
        error, LAUKA_EXIT_USAGE,
        "--junit reports a gate's verdicts, and %.200s has none: run lauka gate FILE --gate "
        "wall_time=2%%",
        options->files[0]);
}

static bool merge(const struct lauka_options *options, struct lauka_part *parts, size_t count,
                  struct lauka_result *result, struct lauka_error *error)
{
    struct lauka_survey survey = {0};
    struct lauka_load_error reason;

    const bool gated = is_gated(options, parts);
    if (gated && !lauka_gate_survey(options->arena, parts, count, &survey, error))
        return false;
    const enum lauka_apart apart = count > 1 ? part_sides(parts, count) : LAUKA_APART_NOT;
    int failure = lauka_result_merge(parts, count, result, &reason);
    if (count > 1) {
        result->run.unpaired = true;
        result->run.apart = apart;
    }
    return (!failure || lauka_stored_refuse(failure, &reason, error)) &&
           complete(options, result, error) &&
           (!gated || lauka_gate_bind_files(result, options, &survey, error));
}

/* ---- one benchmark, which nobody named -------------------------------------------------------------- */

static void parts_done(struct lauka_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lauka_result_done(&parts[i].result);
}

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
    all->benchmarks = lauka_arena_take(options->arena, count * sizeof *all->benchmarks);
    all->benchmark_count = count;
    for (size_t p = 0; p < count; p++)
        all->benchmarks[p].name = pairs[p].benchmark;
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
