/* Benchmarks and sides of several files, matched by their names: a side is compared with its namesake in
 * the first file. If each file has one side of a benchmark, these are the pair, whatever their names. */
#include "runner/subcommands/subcommands.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/options/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void warn(struct lauka_pairs *pairs, const char *benchmark, const char *side,
                 const char *missing, const char *effect)
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
static int make_pair(struct lauka_pairs *pairs, struct lauka_stored_file *files, size_t count,
                     const char *benchmark, const char *side)
{
    struct lauka_pair *pair =
        lauka_arena_add(pairs->arena, &pairs->pairs, &pairs->count, sizeof *pair);
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

static int make_pairs(struct lauka_pairs *pairs, struct lauka_stored_file *files, size_t count,
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
static void note_others(struct lauka_pairs *pairs, const struct lauka_options *options,
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
static void take_all(struct lauka_pairs *pairs, const struct lauka_options *options,
                     struct lauka_stored_file *file)
{
    for (size_t b = 0; b < file->session.benchmark_count; b++) {
        struct lauka_result *result = &file->session.benchmarks[b];
        if (!lauka_options_choose(options, result->benchmark.name))
            continue;
        struct lauka_pair *pair =
            lauka_arena_add(pairs->arena, &pairs->pairs, &pairs->count, sizeof *pair);
        pair->benchmark = lauka_arena_text(pairs->arena, result->benchmark.name);
        pair->parts = lauka_arena_take(pairs->arena, sizeof *pair->parts);
        pair->part_count = 1;
        pair->parts[0] = (struct lauka_part){file->name, *result};
        *result = (struct lauka_result){0};
    }
}

/* Returns 0 or ENOMEM. */
static int take_pairs(struct lauka_pairs *pairs, const struct lauka_options *options,
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

bool lauka_pairs_are_gated(const struct lauka_options *options)
{
    return options->verb == LAUKA_VERB_GATE || options->gate.rule_count > 0;
}

bool lauka_pairs_make(const struct lauka_options *options, struct lauka_stored_file *files,
                      size_t count, struct lauka_pairs *pairs, struct lauka_error *error)
{
    *pairs = (struct lauka_pairs){.arena = options->arena, .gated = lauka_pairs_are_gated(options)};
    if (count == 1)
        take_all(pairs, options, &files[0]);
    else if (take_pairs(pairs, options, files, count) != 0)
        return lauka_fail_memory(error);
    return pairs->count > 0 ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--benchmark: %.200s has no such benchmark",
                      files[0].name);
}

void lauka_pairs_done(struct lauka_pairs *pairs)
{
    for (size_t p = 0; p < pairs->count; p++)
        for (size_t i = 0; i < pairs->pairs[p].part_count; i++)
            lauka_result_done(&pairs->pairs[p].parts[i].result);
}

/* ---- commands of several files without benchmarks --------------------------------------------- */

/* Those with the same name are compared with each other, as if each name were a benchmark. */

static const struct lauka_result *result_of(const struct lauka_stored_file *file)
{
    return &file->session.benchmarks[0];
}

/* How many commands before this one have its label. */
static size_t count_before(const struct lauka_result *result, size_t command)
{
    size_t count = 0;

    for (size_t c = 0; c < command; c++)
        count += strcmp(result->commands[c].label, result->commands[command].label) == 0;
    return count;
}

/* Whether the file has a command with that label, and as many more of them. */
static bool has(const struct lauka_result *result, const char *label, size_t more)
{
    for (size_t c = 0; c < result->command_count; c++)
        if (strcmp(result->commands[c].label, label) == 0 && more-- == 0)
            return true;
    return false;
}

bool lauka_namesakes_are_there(const struct lauka_stored_file *files, size_t count)
{
    const struct lauka_result *first = result_of(&files[0]);
    bool several = false, common = false;

    for (size_t f = 0; f < count; f++)
        several |= result_of(&files[f])->command_count > 1;
    for (size_t f = 1; f < count && several; f++)
        for (size_t c = 0; c < first->command_count && !common; c++)
            common = has(result_of(&files[f]), first->commands[c].label, 0);
    return common;
}

/* Names a command that the file has and the other has not. */
static bool check(const struct lauka_stored_file *file, const struct lauka_stored_file *other,
                  struct lauka_error *error)
{
    const struct lauka_result *result = result_of(file);

    for (size_t c = 0; c < result->command_count; c++)
        if (!has(result_of(other), result->commands[c].label, count_before(result, c)))
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "`%.200s` of %.200s is not in %.200s: a gate needs the same commands "
                              "in both",
                              result->commands[c].label, file->name, other->name);
    return true;
}

bool lauka_namesakes_check(const struct lauka_stored_file *files, size_t count,
                           struct lauka_error *error)
{
    for (size_t f = 1; f < count; f++)
        if (!check(&files[0], &files[f], error) || !check(&files[f], &files[0], error))
            return false;
    return true;
}

/* The first with a label has its name, the others "NAME (2)" and so on. */
static char *name_of(const struct lauka_result *result, size_t command)
{
    const char *label = result->commands[command].label;
    const size_t before = count_before(result, command);
    char *name = NULL;

    if (before == 0)
        return strdup(label);
    return asprintf(&name, "%s (%zu)", label, before + 1) < 0 ? NULL : name;
}

static int split(struct lauka_stored_file *file)
{
    struct lauka_session session;
    struct lauka_result *result = &file->session.benchmarks[0];
    const size_t count = result->command_count;
    int failure = lauka_session_init(&session, count);

    if (failure)
        return failure;
    for (size_t c = 0; c < count && !failure; c++) { /* names are made of labels, which then move */
        session.benchmarks[c].benchmark.name = name_of(result, c);
        failure = session.benchmarks[c].benchmark.name ? 0 : ENOMEM;
    }
    for (size_t c = 0; c < count && !failure; c++) {
        char *name = session.benchmarks[c].benchmark.name;
        failure = lauka_result_take_command(result, c, &session.benchmarks[c]);
        session.benchmarks[c].benchmark.name = name;
    }
    lauka_session_done(&file->session);
    file->session = session;
    return failure;
}

int lauka_namesakes_split(struct lauka_stored_file *files, size_t count)
{
    int failure = 0;

    for (size_t f = 0; f < count && !failure; f++)
        failure = split(&files[f]);
    return failure;
}
