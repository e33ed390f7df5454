/* Everything that was measured, as one plain value, and what there is to say about it. What is known and
 * what is not is decided here, once, so that a dash in the table is a null in the JSON. */
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/crossover.h"
#include "stats/units.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t lauka_result_find_warning(const struct lauka_result *result, const char *text)
{
    size_t w = 0;
    while (w < result->warning_count && strcmp(result->warnings[w], text) != 0)
        w++;
    return w;
}

bool lauka_result_has_warning(const struct lauka_result *result, const char *text)
{
    return lauka_result_find_warning(result, text) < result->warning_count;
}

/* Owned by the result, also if it cannot be appended; NULL: there was no memory for it. */
static int append_warning(struct lauka_result *result, char *text)
{
    char **added =
        text ? lauka_list_add(&result->warnings, &result->warning_count, sizeof text) : NULL;
    if (added)
        *added = text;
    else
        free(text);
    return added ? 0 : ENOMEM;
}

int lauka_result_warn(struct lauka_result *result, const char *text)
{
    return append_warning(result, strdup(text));
}

int lauka_result_note(struct lauka_result *result, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return append_warning(result, length < 0 ? NULL : text);
}

int lauka_result_add_option(struct lauka_result *result, const char *name, const char *value,
                            bool given)
{
    struct lauka_result_option *option =
        lauka_list_add(&result->options, &result->option_count, sizeof *option);
    if (!option)
        return ENOMEM;
    *option = (struct lauka_result_option){strdup(name), value ? strdup(value) : NULL, given};
    return option->name && (option->value || !value) ? 0 : ENOMEM;
}

/* ---- its end ---------------------------------------------------------------------------------- */

static void command_done(struct lauka_result_command *command, size_t metric_count)
{
    for (size_t m = 0; command->series && m < metric_count; m++)
        lauka_series_done(&command->series[m]);
    free(command->series);
    lauka_streams_free(command->streams, metric_count);
    free(command->summaries);
    free(command->doubts);
    free(command->at_least);
    free(command->exit_codes);
    lauka_record_done(&lauka_command_record, command);
}

static void benchmark_done(struct lauka_result_benchmark *benchmark)
{
    free(benchmark->name);
    free(benchmark->units.of);
    free(benchmark->inner.of);
    lauka_parameters_free(benchmark->parameters, benchmark->parameter_count);
}

int lauka_result_add_metric(struct lauka_result *result, const struct lauka_result_metric *about)
{
    struct lauka_result_metric *metric =
        lauka_list_add(&result->metrics, &result->metric_count, sizeof *metric);
    if (!metric)
        return ENOMEM;
    *metric = *about;
    int failure = lauka_text_copy(about->name, &metric->name);
    failure |= lauka_text_copy(about->unit, &metric->unit);
    return failure | lauka_text_copy(about->source, &metric->source);
}

int lauka_result_copy_metrics(const struct lauka_result *from, struct lauka_result *to)
{
    int failure = 0;
    for (size_t m = 0; m < from->metric_count && !failure; m++)
        failure = lauka_result_add_metric(to, &from->metrics[m]);
    return failure;
}

struct lauka_result_command *lauka_result_add_command(struct lauka_result *result,
                                                      const char *label)
{
    struct lauka_result_command *command =
        lauka_list_add(&result->commands, &result->command_count, sizeof *command);
    if (!command)
        return NULL;
    command->label = strdup(label);
    command->series = calloc(result->metric_count + 1, sizeof *command->series);
    return command->label && command->series ? command : NULL;
}

void lauka_result_drop_commands(struct lauka_result *result, size_t from)
{
    for (size_t c = from; result->commands && c < result->command_count; c++)
        command_done(&result->commands[c], result->metric_count);
    if (from < result->command_count)
        result->command_count = from;
    if (from == 0) {
        free(result->commands);
        result->commands = NULL;
    }
}

void lauka_result_done(struct lauka_result *result)
{
    lauka_merged_done(&result->merged, result->command_count, result->metric_count);
    for (size_t m = 0; result->metrics && m < result->metric_count; m++) {
        free(result->metrics[m].name);
        free(result->metrics[m].unit);
        free(result->metrics[m].source);
    }
    free(result->metrics);
    lauka_result_drop_commands(result, 0);
    free(result->comparisons);
    lauka_gate_done(&result->gate);
    lauka_record_done(&lauka_findings_record, result);
    free(result->run.order);
    free(result->run.layout);
    benchmark_done(&result->benchmark);
    lauka_record_done(&lauka_host_record, &result->host);
    lauka_record_done(&lauka_failure_record, &result->failure);
    lauka_record_done(&lauka_words_record, result);
    lauka_record_done(&lauka_options_record, result);
    lauka_record_done(&lauka_origin_record, result);
    free(result->error.text);
    for (size_t w = 0; w < result->warning_count; w++)
        free(result->warnings[w]);
    free(result->warnings);
    *result = (struct lauka_result){0};
}

const struct lauka_comparison *lauka_result_comparison(const struct lauka_result *result,
                                                       size_t command, size_t metric)
{
    if (command == 0 || metric >= result->metric_count)
        return NULL;
    size_t index = (command - 1) * result->metric_count + metric;
    return index < result->comparison_count ? &result->comparisons[index].values : NULL;
}

bool lauka_result_is_shown(const struct lauka_result *result, size_t metric)
{
    return result->metrics[metric].primary || !result->metrics[metric].detail;
}

size_t lauka_result_shown_count(const struct lauka_result *result)
{
    size_t count = 0;
    for (size_t m = 0; m < result->metric_count; m++)
        count += lauka_result_is_shown(result, m);
    return count;
}

size_t lauka_result_primaries(const struct lauka_result *result, bool counted)
{
    size_t count = 0;
    for (size_t m = 0; m < result->metric_count; m++)
        count += result->metrics[m].primary && (!counted || result->metrics[m].counted);
    return count;
}

bool lauka_result_is_packed(const struct lauka_result *result, uint64_t count)
{
    enum { PLAIN_MAX = 10000 };
    return count > PLAIN_MAX && !result->run.samples_plain;
}

size_t lauka_result_metric_index(const struct lauka_result *result, const char *name)
{
    size_t m = 0;
    while (m < result->metric_count && strcmp(result->metrics[m].name, name) != 0)
        m++;
    return m;
}

/* Nothing can be said about a child's peak below the launcher's own. */
uint64_t lauka_result_floor(const struct lauka_result *result, size_t metric)
{
    bool has_floor = strcmp(result->metrics[metric].name, "peak_rss") == 0;
    return has_floor ? result->run.rss_floor : 0;
}

static bool above_floor(const struct lauka_summary *summary, uint64_t floor)
{
    return summary->count > 0 && (floor == 0 || summary->mean > (double)floor);
}

struct lauka_result_view lauka_result_view(const struct lauka_result *result, size_t command,
                                           size_t metric)
{
    const struct lauka_result_metric *about = &result->metrics[metric];
    struct lauka_result_view view = {.floor = lauka_result_floor(result, metric)};
    view.summary = &result->commands[command].summaries[metric];
    view.counted = about->counted && view.summary->count > 0;
    view.outliers_known = view.counted && !result->commands[command].streams;
    view.estimated = view.counted && about->share < 1;
    view.at_floor = view.counted && !above_floor(view.summary, view.floor);
    view.at_least = view.counted && lauka_result_is_at_least(result, command, metric);
    view.comparison = lauka_result_comparison(result, command, metric);
    return view;
}

uint64_t lauka_result_rounds(const struct lauka_result *result, size_t command)
{
    const struct lauka_result_command *about = &result->commands[command];
    if (!result->run.unpaired || result->metric_count == 0)
        return result->run.rounds;
    return about->streams ? about->streams[0].moments.count + about->streams[0].missing
                          : about->series[0].count;
}

double lauka_result_precision(const struct lauka_result *result)
{
    return result->run.precision > 0 ? result->run.precision : LAUKA_PRECISION_DEFAULT;
}

double lauka_result_alpha(const struct lauka_result *result)
{
    return result->run.alpha > 0 ? result->run.alpha : LAUKA_ALPHA_FIXED;
}

double lauka_result_confidence(const struct lauka_result *result)
{
    double alpha = result->run.alpha;
    bool at_looks = alpha == LAUKA_ALPHA_LOOK || alpha == LAUKA_ALPHA_INTERRUPTED;
    return 1 - (alpha <= 0 || at_looks ? LAUKA_ALPHA_FIXED : alpha);
}

size_t lauka_result_main_metric(const struct lauka_result *result)
{
    size_t wall_time = lauka_result_metric_index(result, "wall_time"), m = 0;
    bool has_wall_time = wall_time < result->metric_count;
    if (has_wall_time && result->metrics[wall_time].primary)
        return wall_time;
    while (m < result->metric_count && !result->metrics[m].primary)
        m++;
    return m < result->metric_count ? m : has_wall_time ? wall_time : 0;
}

const struct lauka_summary *lauka_result_summary(const struct lauka_result *result, size_t command,
                                                 size_t metric)
{
    if (metric >= result->metric_count)
        return NULL;
    struct lauka_result_view view = lauka_result_view(result, command, metric);
    return view.counted ? view.summary : NULL;
}

/* Much smaller values get a scale of their own: in the common unit three decimals would show nothing of
 * them, and a plain number would need more than six for four digits. */
static double shown_least(struct lauka_scale scale)
{
    return *scale.suffix ? 0.0005 : 0.0009995;
}

/* What we count or divide ourselves is not shown in thousandths. */
static double with_fractions(const struct lauka_result_metric *metric, double magnitude)
{
    bool ours = metric->decimals == 0 || strcmp(metric->source, "derived") == 0;
    return ours && magnitude < 1 ? 1 : magnitude;
}

/* As many decimals as the smallest mean needs, unless it will have its own scale. */
static struct lauka_scale with_digits(const struct lauka_result_metric *metric,
                                      struct lauka_scale scale, double smallest)
{
    bool own = !metric->shown_in && smallest < shown_least(scale) * scale.divisor;
    return lauka_scale_with_digits(scale, own ? 0 : smallest);
}

struct lauka_scale lauka_result_scale(const struct lauka_result *result, size_t metric, bool utf8)
{
    const struct lauka_result_metric *about = &result->metrics[metric];
    double unit = lauka_result_unit(about);
    double smallest = about->least_mean / unit, largest = about->greatest_mean / unit;
    largest = largest > 0 ? with_fractions(about, largest) : 0;
    double least = smallest; /* as it is */
    smallest = smallest > 0 ? with_fractions(about, smallest) : 0;
    struct lauka_scale scale = about->shown_in
                                   ? lauka_scale_chosen(about->shown_in, about->unit, utf8)
                                   : lauka_scale_for_range(smallest, largest, about->unit, utf8);
    scale = with_digits(about, scale, about->decimals > 0 ? least : smallest);
    scale.divisor *= unit;
    return scale;
}

struct lauka_scale lauka_result_scale_of(const struct lauka_result *result, size_t metric,
                                         double value, bool utf8)
{
    const struct lauka_result_metric *about = &result->metrics[metric];
    struct lauka_scale scale = lauka_result_scale(result, metric, utf8);
    double unit = lauka_result_unit(about);
    if (!about->shown_in && value != 0 && fabs(value) < shown_least(scale) * scale.divisor) {
        scale = lauka_scale_for(with_fractions(about, fabs(value) / unit), about->unit, utf8);
        scale.divisor *= unit;
    }
    struct lauka_scale own = lauka_scale_with_digits(scale, value);
    scale.decimals = own.decimals < scale.decimals ? own.decimals : scale.decimals;
    return scale;
}

double lauka_result_deviation(const struct lauka_result *result, size_t command, size_t metric)
{
    struct lauka_result_view view = lauka_result_view(result, command, metric);
    double own = view.counted && !view.at_floor ? view.summary->stddev.value : 0;
    double common = result->metrics[metric].deviation;
    return common > 0 && view.counted && !view.at_floor && view.summary->stddev.known ? common
                                                                                      : own;
}

int lauka_direction_goodness(const char *better, bool rises)
{
    const bool higher = strcmp(better, "higher") == 0;
    if (!higher && strcmp(better, "lower") != 0)
        return 0;
    return higher == rises ? 1 : -1;
}

double lauka_result_unit(const struct lauka_result_metric *metric)
{
    return lauka_power_of_ten(metric->decimals);
}

bool lauka_result_has_estimates(const struct lauka_result *result)
{
    bool found = false;
    for (size_t c = 0; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            found |= lauka_result_view(result, c, m).estimated;
    return found;
}

static int place_cost(const struct lauka_result *result, size_t metric, double *cost)
{
    const struct lauka_series *series[LAUKA_PLACES_MOST];
    *cost = 0;
    for (size_t c = 0; c < result->command_count; c++) {
        const struct lauka_result_command *command = &result->commands[c];
        if (command->streams || command->series[metric].count != result->run.rounds)
            return 0;
        series[c] = &command->series[metric];
    }
    return lauka_places_cost(series, result->command_count, result->run.order, cost);
}

int lauka_result_turns(const struct lauka_result *result, size_t reference, size_t command,
                       size_t metric, struct lauka_turns *turns)
{
    size_t count = result->command_count;
    *turns = (struct lauka_turns){
        .stride = count, .reference = (uint32_t)reference, .other = (uint32_t)command};
    if (!result->run.order || result->run.unpaired || count > LAUKA_PLACES_MOST ||
        result->run.rounds > LAUKA_CROSSOVER_MOST)
        return 0;
    int error = count == 2 ? 0 : place_cost(result, metric, &turns->cost);
    if (!error && (count == 2 || turns->cost != 0))
        turns->first = result->run.order;
    return error;
}

/* ---- units ------------------------------------------------------------------------------------ */

static const struct {
    const char *name, *plural;
    uint64_t least; /* of fewer there is no interval */
} unit_kinds[] = {
    [LAUKA_UNIT_ROUND] = {"round", "rounds", 0},
    [LAUKA_UNIT_PROCESS] = {"process", "processes", LAUKA_FEWEST_PROCESSES},
    [LAUKA_UNIT_LAYOUT] = {"layout", "layouts", LAUKA_FEWEST_LAYOUTS},
    [LAUKA_UNIT_HOST] = {"host", "hosts", LAUKA_FEWEST_HOSTS},
};

const struct lauka_units *lauka_result_units(const struct lauka_result *result,
                                             struct lauka_units *units)
{
    const struct lauka_result_units *of = &result->benchmark.units;
    if (!of->of || of->kind == LAUKA_UNIT_ROUND)
        return NULL;
    *units = (struct lauka_units){of->of, unit_kinds[of->kind].least};
    return units;
}

uint64_t lauka_result_unit_count(const struct lauka_result *result)
{
    const struct lauka_result_units *units = &result->benchmark.units;
    return units->of && units->kind != LAUKA_UNIT_ROUND ? units->count : result->run.rounds;
}

const char *lauka_unit_name(enum lauka_unit unit)
{
    return unit_kinds[unit].name;
}

const char *lauka_units_name(enum lauka_unit unit)
{
    return unit_kinds[unit].plural;
}

const char *lauka_result_observation(const struct lauka_result *result)
{
    const bool stored = result->run.stopped == LAUKA_STOPPED_STORED;
    if (result->run.apart != LAUKA_APART_NOT)
        return result->run.apart == LAUKA_APART_LOGS ? "log" : "session";
    if (stored && result->metric_count > 0 &&
        strcmp(result->metrics[0].source, LAUKA_SOURCE_LOGS) == 0)
        return "log";
    return stored && result->benchmark.units.kind == LAUKA_UNIT_ROUND
               ? "value"
               : lauka_unit_name(result->benchmark.units.kind);
}

/* ---- how a metric is judged --------------------------------------------------------------------- */

enum lauka_grain lauka_result_grain(const struct lauka_result_metric *metric)
{
    if (strcmp(metric->source, LAUKA_SOURCE_LOGS) == 0)
        return LAUKA_GRAIN_LOGS;
    if (metric->bins > 0)
        return LAUKA_GRAIN_BINS;
    if (strcmp(metric->source, LAUKA_SOURCE_FILE) == 0 ||
        strcmp(metric->source, LAUKA_SOURCE_REPORTED) == 0)
        return LAUKA_GRAIN_TEXT;
    bool ticks = strcmp(metric->source, "rusage") == 0 || strcmp(metric->source, "hyperfine") == 0;
    return strcmp(metric->unit, "ns") == 0 && ticks ? LAUKA_GRAIN_CLOCK : LAUKA_GRAIN_COUNT;
}

static bool decides(const struct lauka_result *result, const char *name)
{
    size_t metric = lauka_result_metric_index(result, name);
    return metric < result->metric_count && result->metrics[metric].primary &&
           result->metrics[metric].counted;
}

/* Wall and CPU time mostly say the same: what CPU time costs, wall time would have found. */
double lauka_result_weight(const struct lauka_result *result, size_t metric)
{
    if (!result->metrics[metric].primary || lauka_result_primaries(result, true) != 2 ||
        !decides(result, "wall_time") || !decides(result, "cpu_time"))
        return 1;
    return strcmp(result->metrics[metric].name, "wall_time") == 0 ? 1.6 : 0.4;
}
