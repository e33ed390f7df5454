/* The commands of several stored results as one result: whatever was measured together keeps its order,
 * and what one file lacks was not measured there. */
#include "report/load/loader.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- histograms where there are too many values to keep them ---------------------------------- */

int lauka_stream_widen(struct lauka_result_stream *stream, unsigned digits)
{
    const struct lauka_histogram_options options = {.digits = digits, .sparse = true};
    struct lauka_histogram coarse, *old = &stream->histogram;
    bool is_there = lauka_histogram_is_there(old);
    if (is_there && old->digits <= digits)
        return 0;
    if (!is_there)
        lauka_moments_init(&stream->moments);
    int failure = lauka_histogram_init(&coarse, &options);
    if (!failure && is_there)
        failure = lauka_histogram_merge(&coarse, old);
    if (failure) {
        lauka_histogram_done(&coarse);
        return failure;
    }
    lauka_histogram_done(old);
    *old = coarse;
    return 0;
}

static int pour(const struct lauka_series *series, struct lauka_result_stream *stream)
{
    int failure = 0;
    for (size_t i = 0; i < series->count && !failure; i++) {
        uint64_t value = lauka_series_at(series, i);
        struct lauka_stream_place place;
        failure = lauka_stream_reach(stream, LAUKA_MISSING, value, &place);
        if (!failure)
            lauka_stream_add(stream, LAUKA_MISSING, value, &place);
    }
    return failure;
}

static int condense_command(struct lauka_result_command *command, size_t metric_count)
{
    int failure = 0;
    command->streams = calloc(metric_count + 1, sizeof *command->streams);
    if (!command->streams)
        return ENOMEM;
    for (size_t m = 0; m < metric_count && !failure; m++) {
        failure = lauka_stream_widen(&command->streams[m], LAUKA_DIGITS_DEFAULT);
        if (!failure)
            failure = pour(&command->series[m], &command->streams[m]);
        lauka_series_done(&command->series[m]);
    }
    return failure;
}

/* The opposite of expand: afterwards every command has streams, none of them paired. Returns
 * 0 or ENOMEM. */
static int condense(struct lauka_result *result)
{
    int failure = 0;
    for (size_t c = 0; c < result->command_count && !failure; c++) {
        struct lauka_result_command *command = &result->commands[c];
        if (!command->streams)
            failure = condense_command(command, result->metric_count);
        for (size_t m = 0; m < result->metric_count && !failure; m++)
            lauka_stream_unpair(&command->streams[m]); /* from what was the reference */
    }
    result->run.samples_left_out = true;
    result->run.unpaired = true;
    return failure;
}

/* ---- values where only histograms were kept --------------------------------------------------- */

enum { SHUFFLE_SEED = 1 };

/* Durstenfeld's, as lauka_random_shuffle. */
void lauka_series_mix(struct lauka_series *series)
{
    struct lauka_random random;
    lauka_random_seed(&random, SHUFFLE_SEED);
    for (size_t i = series->count; i > 1; i--) {
        size_t k = (size_t)lauka_random_below(&random, i);
        uint64_t value = lauka_series_at(series, i - 1);
        lauka_series_set(series, i - 1, lauka_series_at(series, k));
        lauka_series_set(series, k, value);
    }
}

static uint64_t within(const struct lauka_moments *moments, uint64_t value)
{
    return value < moments->min ? moments->min : value > moments->max ? moments->max : value;
}

static int expand_stream(const struct lauka_result_stream *stream, uint64_t rounds,
                         struct lauka_series *series)
{
    struct lauka_bucket bucket = {0};
    int failure = lauka_series_reserve(series, (size_t)rounds);
    while (!failure && lauka_histogram_next(&stream->histogram, &bucket))
        for (uint64_t i = 0; i < bucket.count && series->count < rounds; i++)
            lauka_series_add(series, within(&stream->moments, lauka_bucket_middle(&bucket)));
    lauka_series_mix(series);
    while (!failure && series->count < rounds)
        lauka_series_add(series, LAUKA_MISSING);
    return failure;
}

static int expand_command(struct lauka_result *result, struct lauka_result_command *command)
{
    int failure = 0;
    for (size_t m = 0; m < result->metric_count && !failure; m++) {
        const struct lauka_result_stream *stream = &command->streams[m];
        failure = expand_stream(stream, result->run.rounds, &command->series[m]);
        if (stream->moments.count > 0)
            result->metrics[m].bins =
                fmax(result->metrics[m].bins, lauka_histogram_error(&stream->histogram));
    }
    lauka_streams_free(command->streams, result->metric_count);
    command->streams = NULL;
    return failure;
}

static int warn(struct lauka_result *result)
{
    double off = 0;
    for (size_t m = 0; m < result->metric_count; m++)
        off = fmax(off, result->metrics[m].bins);
    return lauka_result_note(
        result,
        "single values were not kept, so nothing is paired; each comes from a histogram and "
        "can be off by %.1g %%",
        100 * off);
}

/* Does nothing if single values are there. The rounds must be a number that memory can hold. Returns 0 or
 * ENOMEM. */
static int expand(struct lauka_result *result)
{
    int failure = 0;
    if (!result->run.samples_left_out)
        return 0;
    for (size_t c = 0; c < result->command_count && !failure; c++)
        if (result->commands[c].streams)
            failure = expand_command(result, &result->commands[c]);
    result->run.samples_left_out = false;
    result->run.unpaired = true;
    return failure ? failure : warn(result);
}

/* ---- rounds that share units ------------------------------------------------------------------ */

/* Scratch of as many as there are rounds. */
struct values {
    double *values;
    uint32_t *of;
    size_t room;
};

/* Those that are there, each with its unit; how many. */
static size_t gather(const struct lauka_series *series, const uint32_t *of, struct values *into)
{
    size_t count = 0;
    for (size_t i = 0; i < series->count && i < into->room; i++) {
        uint64_t value = lauka_series_at(series, i);
        if (value == LAUKA_MISSING)
            continue;
        into->values[count] = (double)value;
        into->of[count++] = of[i];
    }
    return count;
}

/* Medians come in the order of their units; a unit of which nothing is there has none. */
static int collapse_series(struct lauka_series *series, const struct lauka_result_units *units,
                           struct values *scratch)
{
    struct lauka_series medians = {0};
    struct lauka_spread ignored;
    bool *present = calloc(units->count + 1, sizeof *present);
    size_t count = gather(series, units->of, scratch), next = 0;
    if (!present)
        return ENOMEM;
    for (size_t i = 0; i < count; i++)
        present[scratch->of[i]] = true;
    int failure = lauka_units_collapse(scratch->values, scratch->of, false, &count, &ignored);
    if (!failure)
        failure = lauka_series_reserve(&medians, units->count);
    for (uint64_t u = 0; u < units->count && !failure; u++)
        lauka_series_add(&medians,
                         present[u] ? (uint64_t)llround(scratch->values[next++]) : LAUKA_MISSING);
    free(present);
    if (failure)
        return failure;
    lauka_series_done(series);
    *series = medians;
    return 0;
}

static int collapse_all(struct lauka_result *result, struct values *scratch)
{
    int failure = 0;
    for (size_t c = 0; c < result->command_count && !failure; c++) {
        struct lauka_result_command *command = &result->commands[c];
        for (size_t m = 0; m < result->metric_count && !failure; m++)
            if (command->series && command->series[m].count > 0)
                failure = collapse_series(&command->series[m], &result->benchmark.units, scratch);
        free(command->exit_codes);
        command->exit_codes = NULL;
    }
    return failure;
}

int lauka_result_collapse_units(struct lauka_result *result)
{
    struct lauka_result_units *units = &result->benchmark.units;
    struct lauka_units ignored;
    const uint64_t rounds = result->run.rounds;
    if (!lauka_result_units(result, &ignored) || units->count >= rounds)
        return 0; /* each is one */
    struct values scratch = {calloc(rounds + 1, sizeof *scratch.values),
                             calloc(rounds + 1, sizeof *scratch.of), rounds};
    int failure = scratch.values && scratch.of ? collapse_all(result, &scratch) : ENOMEM;
    free(scratch.values);
    free(scratch.of);
    free(result->run.order);
    free(result->run.layout);
    result->run.order = NULL;
    result->run.layout = NULL;
    result->run.rounds = units->count;
    for (uint32_t u = 0; u < units->count; u++)
        units->of[u] = u;
    return failure;
}

int lauka_result_copy_units(const struct lauka_result *from, struct lauka_result *to)
{
    const struct lauka_result_units *units = &from->benchmark.units;
    struct lauka_units ignored;
    to->benchmark.units = (struct lauka_result_units){.kind = units->kind, .count = units->count};
    if (!lauka_result_units(from, &ignored))
        return 0;
    to->benchmark.units.of = calloc(from->run.rounds + 1, sizeof *units->of);
    for (uint64_t i = 0; to->benchmark.units.of && i < from->run.rounds; i++)
        to->benchmark.units.of[i] = units->of[i];
    return to->benchmark.units.of ? 0 : ENOMEM;
}

static int fail(const struct lauka_part *part, struct lauka_load_error *error, const char *format,
                const char *metric, const char *other)
{
    struct lauka_stored named = {.name = part->name};
    char text[256];
    snprintf(text, sizeof text, format, metric, other);
    return lauka_load_fail(&named, 0, error, "%s", text);
}

/* ---- metrics --------------------------------------------------------------------------------- */

/* A column is named after its title, which may differ between files. */
static bool is_column(const struct lauka_result *result)
{
    return result->metric_count == 1 && strcmp(result->metrics[0].source, LAUKA_SOURCE_FILE) == 0;
}

static int name_columns_alike(struct lauka_part *parts, size_t count)
{
    bool columns = true, alike = true;
    for (size_t p = 0; p < count && columns; p++) {
        columns = is_column(&parts[p].result);
        alike = alike && columns &&
                strcmp(parts[p].result.metrics[0].name, parts[0].result.metrics[0].name) == 0;
    }
    for (size_t p = 0; p < count && columns && !alike; p++) {
        char *name = strdup("value");
        if (!name)
            return ENOMEM;
        free(parts[p].result.metrics[0].name);
        parts[p].result.metrics[0].name = name;
    }
    return 0;
}

static void unite(const struct lauka_result_metric *from, struct lauka_result_metric *to)
{
    to->counted |= from->counted;
    to->primary |= from->primary;
    to->repeatable &= from->repeatable;
    to->share = from->share < to->share ? from->share : to->share;
    to->decimals = from->decimals > to->decimals ? from->decimals : to->decimals;
}

static int add_metric(const struct lauka_result_metric *from, const struct lauka_stored *named,
                      struct lauka_result *to, struct lauka_load_error *error)
{
    const size_t index = lauka_result_metric_index(to, from->name);
    if (index == LAUKA_LOAD_METRICS)
        return lauka_load_fail(named, 0, error, "too many metrics");
    if (index == to->metric_count)
        return lauka_result_add_metric(to, from);
    struct lauka_result_metric *metric = &to->metrics[index];
    if (strcmp(metric->unit, from->unit) != 0)
        return lauka_load_fail(named, 0, error, "`%.60s` has another unit (%.20s) than before",
                               from->name, from->unit);
    unite(from, metric);
    return 0;
}

int lauka_metrics_add(const struct lauka_result *from, const char *name, struct lauka_result *to,
                      struct lauka_load_error *error)
{
    const struct lauka_stored named = {.name = name};
    int failure = 0;
    for (size_t m = 0; m < from->metric_count && !failure; m++)
        failure = add_metric(&from->metrics[m], &named, to, error);
    return failure;
}

static bool have_common(const struct lauka_result *one, const struct lauka_result *other)
{
    for (size_t m = 0; m < other->metric_count; m++)
        if (lauka_result_metric_index(one, other->metrics[m].name) < one->metric_count)
            return true;
    return false;
}

static int add_metrics(struct lauka_result *result, struct lauka_part *parts, size_t count,
                       struct lauka_load_error *error)
{
    int failure = 0;
    for (size_t p = 0; p < count && !failure; p++) {
        failure = lauka_metrics_add(&parts[p].result, parts[p].name, result, error);
        if (!failure && p > 0 && !have_common(&parts[0].result, &parts[p].result))
            failure =
                fail(&parts[p], error, "has no metric in common with %.200s%s", parts[0].name, "");
    }
    for (size_t p = 0; p < count && !failure; p++)
        lauka_metrics_make_room(result, &parts[p].result);
    return failure;
}

/* ---- commands -------------------------------------------------------------------------------- */

static char *make_label(const struct lauka_part *part, const char *label)
{
    return part->result.command_count == 1 ? strdup(part->name)
                                           : lauka_text_format("%s: %s", part->name, label);
}

static int rescale(struct lauka_result *result, struct lauka_part *part, size_t m,
                   struct lauka_series *series, const struct lauka_result_metric *to,
                   struct lauka_load_error *error)
{
    const struct lauka_result_metric *from = &part->result.metrics[m];
    bool rounded = false;
    if (lauka_series_rescale(series, from->decimals, to->decimals, &rounded) != 0)
        return fail(part, error, "the values of `%.60s` are too %s beside the others", from->name,
                    to->decimals < from->decimals ? "small" : "large");
    return rounded ? lauka_result_note(result,
                                       "values of `%.60s` were rounded beside those of other files",
                                       from->name)
                   : 0;
}

/* The series move into the order of the result's metrics. */
static int move_series(struct lauka_result *result, struct lauka_part *part,
                       struct lauka_series *from, struct lauka_series *to,
                       struct lauka_load_error *error)
{
    size_t count = from[0].count;
    int failure = 0;
    for (size_t m = 0; m < part->result.metric_count && !failure; m++) {
        const struct lauka_result_metric *metric = &part->result.metrics[m];
        size_t index = lauka_result_metric_index(result, metric->name);
        to[index] = from[m];
        from[m] = (struct lauka_series){0};
        failure = rescale(result, part, m, &to[index], &result->metrics[index], error);
    }
    for (size_t m = 0; m < result->metric_count && !failure; m++) {
        failure = lauka_series_reserve(&to[m], count);
        while (!failure && to[m].count < count)
            lauka_series_add(&to[m], LAUKA_MISSING);
    }
    return failure;
}

/* Moves the streams, too; there are no values for what the part lacks. */
static int move_streams(struct lauka_result *result, const struct lauka_part *part,
                        struct lauka_result_stream *from, struct lauka_result_stream *to,
                        struct lauka_load_error *error)
{
    int failure = 0;
    for (size_t m = 0; m < part->result.metric_count && !failure; m++) {
        const struct lauka_result_metric *metric = &part->result.metrics[m];
        size_t index = lauka_result_metric_index(result, metric->name);
        to[index] = from[m];
        from[m] = (struct lauka_result_stream){0};
        failure =
            lauka_stream_rescale(&to[index], metric->decimals, result->metrics[index].decimals);
        if (failure == ERANGE)
            failure = fail(part, error,
                           "histograms of `%.60s` cannot be compared: the values of the files are "
                           "too far apart%s",
                           metric->name, "");
    }
    for (size_t m = 0; m < result->metric_count && !failure; m++)
        if (!lauka_histogram_is_there(&to[m].histogram))
            failure = lauka_stream_widen(&to[m], LAUKA_DIGITS_DEFAULT);
    return failure;
}

/* To the last command of the result. */
static int copy_at_least(struct lauka_result *result, const struct lauka_part *part,
                         const struct lauka_result_command *from)
{
    int failure = 0;
    for (size_t m = 0; from->at_least && m < part->result.metric_count && !failure; m++)
        if (from->at_least[m])
            failure = lauka_result_set_at_least(
                result, result->command_count - 1,
                lauka_result_metric_index(result, part->result.metrics[m].name));
    return failure;
}

static int move_command(struct lauka_result *result, struct lauka_part *part,
                        struct lauka_result_command *from, struct lauka_load_error *error)
{
    struct lauka_result_command *to = &result->commands[result->command_count++];
    to->label = make_label(part, from->label);
    to->series = calloc(result->metric_count, sizeof *to->series);
    to->argv = from->argv;
    to->exit_codes = from->exit_codes;
    to->failures = from->failures;
    to->left_behind = from->left_behind;
    to->unwatched = from->unwatched;
    to->contradicted = from->contradicted;
    to->path = from->path;
    to->parameters = from->parameters;
    to->parameter_count = from->parameter_count;
    from->parameters = NULL;
    from->parameter_count = 0;
    from->path = NULL;
    from->argv = NULL;
    from->exit_codes = NULL;
    if (!to->label || !to->series || copy_at_least(result, part, from) != 0)
        return ENOMEM;
    if (!from->streams)
        return move_series(result, part, from->series, to->series, error);
    to->streams = calloc(result->metric_count, sizeof *to->streams);
    return to->streams ? move_streams(result, part, from->streams, to->streams, error) : ENOMEM;
}

/* Whether all have single values: there can be any number of rounds if none are kept. */
static bool are_values_few(const struct lauka_part *parts, size_t count, size_t metrics)
{
    const uint64_t most = LAUKA_LOAD_VALUES / (uint64_t)metrics;
    uint64_t values = 0;
    for (size_t p = 0; p < count; p++) {
        if (parts[p].result.run.rounds > most)
            return false;
        values += parts[p].result.run.rounds * parts[p].result.command_count;
    }
    return values <= most;
}

static int move_commands(struct lauka_result *result, struct lauka_part *parts, size_t count,
                         struct lauka_load_error *error)
{
    const bool few = are_values_few(parts, count, result->metric_count);
    size_t commands = 0;
    int failure = 0;
    for (size_t p = 0; p < count && !failure; p++) {
        commands += parts[p].result.command_count;
        if (commands > LAUKA_LOAD_COMMANDS ||
            (!few && commands > LAUKA_LOAD_STREAMS / result->metric_count))
            return fail(&parts[p], error, "these files together hold too much%s%s", "", "");
    }
    for (size_t p = 0; p < count && !failure; p++)
        failure = few ? expand(&parts[p].result) : condense(&parts[p].result);
    result->run.samples_left_out = !few;
    if (failure)
        return failure;
    result->commands = calloc(commands + 1, sizeof *result->commands);
    if (!result->commands)
        return ENOMEM;
    for (size_t p = 0; p < count; p++)
        for (size_t c = 0; c < parts[p].result.command_count && !failure; c++)
            failure = move_command(result, &parts[p], &parts[p].result.commands[c], error);
    return failure;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static bool same_host(const struct lauka_result_host *a, const struct lauka_result_host *b)
{
    return lauka_text_is(a->os, b->os) && lauka_text_is(a->kernel, b->kernel) &&
           lauka_text_is(a->arch, b->arch) && lauka_text_is(a->cpu_model, b->cpu_model) &&
           a->cpu_count == b->cpu_count && a->memory_bytes == b->memory_bytes;
}

/* Counts of a simulated processor depend on what simulated it, and on the processor's model, for which the C library
 * chooses its code. */
static bool same_simulation(const struct lauka_result_host *a, const struct lauka_result_host *b)
{
    return !a->simulator || !b->simulator ||
           (strcmp(a->simulator, b->simulator) == 0 && lauka_text_is(a->cpu_model, b->cpu_model));
}

/* Before the hosts are merged. Returns 0 or ENOMEM. */
static int part_simulated(struct lauka_result *result, const struct lauka_part *parts, size_t count)
{
    const struct lauka_result_host *first = &parts[0].result.host, *other = NULL;
    bool any = false;
    for (size_t p = 1; p < count && !other; p++)
        other = same_simulation(first, &parts[p].result.host) ? NULL : &parts[p].result.host;
    for (size_t m = 0; m < result->metric_count && other; m++) {
        result->metrics[m].apart = strncmp(result->metrics[m].source, "valgrind", 8) == 0;
        any = any || result->metrics[m].apart;
    }
    if (!any)
        return 0;
    bool same = strcmp(first->simulator, other->simulator) == 0;
    const char *unknown = "an unknown processor";
    const char *here = first->cpu_model ? first->cpu_model : unknown,
               *there = other->cpu_model ? other->cpu_model : unknown;
    return lauka_result_note(
        result,
        "sim_ counts are not compared, because they were counted under different "
        "circumstances: %s and %s",
        same ? here : first->simulator, same ? there : other->simulator);
}

static int merge_hosts(struct lauka_result *result, struct lauka_part *parts, size_t count)
{
    bool same = true, known = true;
    for (size_t p = 0; p < count; p++) {
        known &= parts[p].result.host.os != NULL;
        same &= same_host(&parts[p].result.host, &parts[0].result.host);
    }
    if (same) {
        result->host = parts[0].result.host;
        parts[0].result.host = (struct lauka_result_host){0};
    }
    return same || !known ? 0
                          : lauka_result_warn(result, "these results come from different machines "
                                                      "or kernels, which may explain a difference");
}

static int merge_warnings(struct lauka_result *result, const struct lauka_part *part)
{
    int failure = 0;
    for (size_t w = 0; w < part->result.warning_count && !failure; w++)
        failure = lauka_result_note(result, "%s: %s", part->name, part->result.warnings[w]);
    return failure;
}

/* As many of the same kind on all sides pair; of other numbers the kind is told. */
static int merge_units(struct lauka_result *result, struct lauka_part *parts, size_t count)
{
    const struct lauka_result *first = &parts[0].result;
    bool same_kind = true, pair = true;
    int failure = 0;
    for (size_t p = 0; p < count && !failure; p++) {
        failure = lauka_result_collapse_units(&parts[p].result);
        same_kind &= parts[p].result.benchmark.units.kind == first->benchmark.units.kind;
        pair &= parts[p].result.run.rounds == first->run.rounds;
    }
    if (failure || !same_kind)
        return failure;
    result->benchmark.units.kind = first->benchmark.units.kind;
    return pair ? lauka_result_copy_units(first, result) : 0;
}

/* Runs at different times share no seed, no order and no trend. */
static void merge_runs(struct lauka_result_run *run, const struct lauka_part *parts, size_t count)
{
    *run = (struct lauka_result_run){.stopped = LAUKA_STOPPED_STORED,
                                     .rounds = parts[0].result.run.rounds,
                                     .samples_left_out = run->samples_left_out};
    for (size_t p = 0; p < count; p++) {
        const struct lauka_result_run *from = &parts[p].result.run;
        run->unpaired |= from->unpaired || from->rounds != run->rounds;
        run->rounds = from->rounds > run->rounds ? from->rounds : run->rounds;
        run->rss_floor = from->rss_floor > run->rss_floor ? from->rss_floor : run->rss_floor;
    }
}

/* From the first part; called before the commands are moved. */
static void take_failure(struct lauka_result *result, struct lauka_part *parts, size_t count)
{
    size_t before = 0;
    for (size_t p = 0; p < count && !result->failure.known; p++) {
        struct lauka_result_failure *failure = &parts[p].result.failure;
        result->failure = *failure;
        result->failure.command += before;
        *failure = (struct lauka_result_failure){0};
        before += parts[p].result.command_count;
    }
}

/* What is missing in a file has no rounds, and did not end at all. */
static bool is_absent(const struct lauka_result *result)
{
    return result->run.stopped == LAUKA_STOPPED_STORED && result->run.rounds == 0;
}

/* From the first part that something else ended, saying whose it is: an error, a signal, which the merged
 * course cannot tell. */
static void take_ending(struct lauka_result *result, const struct lauka_part *parts, size_t count)
{
    for (size_t p = 0; p < count && !result->error.known; p++) {
        const struct lauka_result *from = &parts[p].result;
        const bool failed = lauka_result_ending(from) == LAUKA_ENDED_BY_FAILURE;
        const bool told = failed && !from->error.known && result->failure.known;
        const char *text =
            told || is_absent(from) ? lauka_result_error_text(from) : lauka_result_bad_end(from);
        if (text)
            result->error = (struct lauka_result_error){
                .known = true, .text = lauka_text_format("%s: %s", parts[p].name, text)};
    }
}

int lauka_result_merge(struct lauka_part *parts, size_t count, struct lauka_result *result,
                       struct lauka_load_error *error)
{
    *result = (struct lauka_result){0};
    error->text[0] = 0;
    if (count == 1) {
        *result = parts[0].result;
        parts[0].result = (struct lauka_result){0};
        return 0;
    }
    take_failure(result, parts, count);
    take_ending(result, parts, count);
    int failure = merge_units(result, parts, count);
    if (!failure)
        failure = name_columns_alike(parts, count);
    if (!failure)
        failure = add_metrics(result, parts, count, error);
    if (!failure)
        failure = move_commands(result, parts, count, error);
    if (!failure)
        failure = part_simulated(result, parts, count);
    if (!failure)
        failure = merge_hosts(result, parts, count);
    for (size_t p = 0; p < count && !failure; p++)
        failure = merge_warnings(result, &parts[p]);
    merge_runs(&result->run, parts, count);
    if (!failure && result->run.samples_left_out)
        failure = lauka_result_warn(
            result,
            "there are too many values to keep each of them: means and percentiles are compared; "
            "the table's intervals and verdicts need single values and are left out");
    for (size_t p = 0; p < count; p++)
        lauka_result_done(&parts[p].result);
    if (failure)
        lauka_result_done(result);
    return failure;
}
