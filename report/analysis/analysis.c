/* From values to what is said about them: summaries, comparisons that are judged together, doubts. Doubts
 * are raised about primary metrics only: among the many others, some always look odd. */
#include "report/analysis/analysis.h"
#include "report/analysis/steps.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "stats/crossover.h"
#include "stats/histogram.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- summaries ------------------------------------------------------------------------------- */

/* The middle of the bucket, clamped to the range of the values. */
static double quantile_of(const struct lauka_result_stream *stream, uint32_t rank)
{
    struct lauka_quantile quantile;
    if (!lauka_histogram_quantile(&stream->histogram, rank, &quantile))
        return 0;
    double middle = (double)quantile.bucket.lowest +
                    (double)(quantile.bucket.highest - quantile.bucket.lowest) / 2;
    return fmin(fmax(middle, (double)stream->moments.min), (double)stream->moments.max);
}

/* Moments are exact; the median and the quartiles are as exact as the histogram's buckets. Outliers are
 * not known, and lauka_result_view says so. */
static void summarize_stream(const struct lauka_result_stream *stream,
                             struct lauka_summary *summary)
{
    *summary = (struct lauka_summary){.count = stream->moments.count, .missing = stream->missing};
    if (summary->count == 0)
        return;
    struct lauka_optional variance = lauka_moments_variance(&stream->moments);
    summary->min = stream->moments.min;
    summary->max = stream->moments.max;
    summary->mean = lauka_moments_mean(&stream->moments);
    summary->stddev = (struct lauka_optional){variance.known, sqrt(variance.value)};
    summary->first_quartile = quantile_of(stream, LAUKA_RANK_WHOLE / 4);
    summary->median = quantile_of(stream, LAUKA_RANK_WHOLE / 2);
    summary->third_quartile = quantile_of(stream, LAUKA_RANK_WHOLE / 4 * 3);
}

static int summarize_command(struct lauka_result_command *command, size_t metric_count)
{
    if (!command->summaries)
        command->summaries = calloc(metric_count + 1, sizeof *command->summaries);
    if (!command->summaries)
        return ENOMEM;
    for (size_t m = 0; m < metric_count; m++) {
        int error = 0;
        if (command->streams)
            summarize_stream(&command->streams[m], &command->summaries[m]);
        else
            error = lauka_summarize(&command->series[m], &command->summaries[m]);
        if (error)
            return error;
    }
    return 0;
}

/* For commands whose values vary. */
static void add_deviation(const struct lauka_result_view *view, double *least, double *greatest)
{
    double deviation = view->at_floor ? 0 : view->summary->stddev.value;
    if (deviation <= 0)
        return;
    *least = fmin(*least, deviation);
    *greatest = fmax(*greatest, deviation);
}

/* Computed once: every cell is written in the scale that follows from it. */
static void find_range(const struct lauka_result *result, size_t metric)
{
    struct lauka_result_metric *about = &result->metrics[metric];
    double least_deviation = HUGE_VAL, greatest_deviation = 0;
    about->least_mean = about->greatest_mean = 0;
    for (size_t c = 0; c < result->command_count; c++) {
        struct lauka_result_view view = lauka_result_view(result, c, metric);
        double mean = view.at_floor ? (double)view.floor : view.summary->mean;
        if (!view.counted || mean <= 0)
            continue;
        bool least = about->least_mean == 0 || mean < about->least_mean;
        about->least_mean = least ? mean : about->least_mean;
        about->greatest_mean = fmax(about->greatest_mean, mean);
        add_deviation(&view, &least_deviation, &greatest_deviation);
    }
    about->deviation = greatest_deviation <= 10 * least_deviation ? greatest_deviation : 0;
}

/* ---- the best of several ----------------------------------------------------------------------- */

/* Among further commands, the one with the least median; 0 if the reference has it. */
static size_t least_median(const struct lauka_result *result, size_t metric)
{
    size_t least = 0;
    for (size_t c = 1; c < result->command_count; c++)
        if (result->commands[c].summaries[metric].median <
            result->commands[least].summaries[metric].median)
            least = c;
    return least;
}

/* Whether each of the others is significantly higher. The candidate was chosen from `command_count`
 * commands by looking at their values, so the tests share alpha (Bonferroni). */
static int beats_all(const struct lauka_result *result, size_t candidate, size_t metric, bool *best)
{
    const size_t others = result->command_count - 1;
    struct lauka_units units;
    const struct lauka_comparison_options options = {
        .alpha = lauka_result_alpha(result) / (double)others,
        .precision = lauka_result_precision(result),
        .unpaired = result->run.unpaired,
        .grain = lauka_result_grain(&result->metrics[metric]),
        .bins = result->metrics[metric].bins,
        .units = lauka_result_units(result, &units),
    };
    int error = 0;
    *best = lauka_analysis_is_comparable(result, candidate, metric) &&
            !lauka_result_is_partial(result, candidate, metric);
    for (size_t c = 0; c < result->command_count && *best && !error; c++) {
        struct lauka_comparison comparison = {0};
        if (c == candidate)
            continue;
        if (!lauka_analysis_is_comparable(result, c, metric) ||
            lauka_result_is_partial(result, c, metric))
            *best = false;
        else
            error = lauka_compare(&result->commands[candidate].series[metric],
                                  &result->commands[c].series[metric], &options, &comparison);
        *best &= comparison.verdict == LAUKA_VERDICT_HIGHER;
    }
    return error;
}

/* Streams are paired with the reference only. */
static int find_best(struct lauka_result *result)
{
    size_t metric = lauka_result_main_metric(result), candidate;
    bool best = false;
    result->best = 0;
    if (result->command_count < 3 || metric >= result->metric_count || result->run.noise ||
        result->run.samples_left_out || !result->metrics[metric].counted ||
        lauka_result_has_hosts(result) || !lauka_result_is_drawn(result))
        return 0;
    candidate = least_median(result, metric);
    int error = candidate > 0 ? beats_all(result, candidate, metric, &best) : 0;
    result->best = best ? candidate : 0;
    return error;
}

/* ---- doubts ---------------------------------------------------------------------------------- */

/* Drops what can only be said of runs, and of values in the order in which they were measured. */
static void drop_baseless(const struct lauka_result_metric *metric, struct lauka_doubts *doubts)
{
    const bool is_hlog = strcmp(metric->source, LAUKA_SOURCE_HLOG) == 0;
    static const enum lauka_doubt of_order[] = {LAUKA_DOUBT_FIRST_ROUND, LAUKA_DOUBT_DRIFT,
                                                LAUKA_DOUBT_AUTOCORRELATION};
    for (size_t i = 0; is_hlog && i < sizeof of_order / sizeof *of_order; i++)
        doubts->raised[of_order[i]] = (struct lauka_optional){0};
    if (is_hlog || strcmp(metric->source, LAUKA_SOURCE_FILE) == 0 ||
        strcmp(metric->source, LAUKA_SOURCE_PROGRAM) == 0)
        doubts->raised[LAUKA_DOUBT_ABOVE_MINIMUM] = (struct lauka_optional){0};
}

static int doubt_series(const struct lauka_result *result, struct lauka_result_command *command)
{
    if (!command->doubts)
        command->doubts = calloc(result->metric_count + 1, sizeof *command->doubts);
    int error = command->doubts ? 0 : ENOMEM;
    for (size_t m = 0; m < result->metric_count && !error; m++) {
        const struct lauka_result_metric *about = &result->metrics[m];
        command->doubts[m] = (struct lauka_doubts){0};
        if (about->primary && about->counted && !command->streams &&
            !lauka_result_has_hosts(result))
            error = lauka_doubts_of_series(&command->series[m], lauka_result_precision(result),
                                           &command->doubts[m]);
        drop_baseless(about, &command->doubts[m]);
    }
    return error;
}

/* A twentieth of the time, as for outliers; less for stolen time, all of which is caused by others. */
static void doubt_waiting(struct lauka_result *result)
{
    static const double much_waiting = 0.05, much_stolen = 0.02;
    size_t wall = lauka_result_metric_index(result, "wall_time");
    size_t delay = lauka_result_metric_index(result, "run_delay");
    if (wall == result->metric_count || !result->metrics[wall].primary)
        return;
    for (size_t c = 0; c < result->command_count; c++) {
        struct lauka_optional *raised = result->commands[c].doubts[wall].raised;
        const struct lauka_summary *waited = lauka_result_summary(result, c, delay);
        const struct lauka_summary *whole = lauka_result_summary(result, c, wall);
        double share = waited && whole && whole->mean > 0 ? waited->mean / whole->mean : 0;
        raised[LAUKA_DOUBT_WAITED] = (struct lauka_optional){share > much_waiting, share};
    }
    result->commands[0].doubts[wall].raised[LAUKA_DOUBT_STOLEN] = (struct lauka_optional){
        result->run.steal.known && result->run.steal.value > much_stolen, result->run.steal.value};
}

static int doubt_order(const struct lauka_result *result,
                       struct lauka_result_comparison *comparison)
{
    const struct lauka_result_command *reference = &result->commands[0];
    const struct lauka_result_command *command = &result->commands[comparison->command];
    if (!result->run.order || result->run.unpaired || command->streams)
        return 0;
    return lauka_doubts_of_order(&reference->series[comparison->metric],
                                 &command->series[comparison->metric], result->run.order,
                                 result->command_count, 0, (uint32_t)comparison->command,
                                 &comparison->doubts);
}

/* Long sessions do not keep the values. */
static void doubt_tails(const struct lauka_result *result,
                        struct lauka_result_comparison *comparison)
{
    const struct lauka_result_command *command = &result->commands[comparison->command];
    const struct lauka_series *reference = NULL, *other = NULL;
    if (!command->streams) {
        reference = &result->commands[0].series[comparison->metric];
        other = &command->series[comparison->metric];
    }
    lauka_doubts_of_comparison(&comparison->values, reference, other,
                               lauka_result_precision(result), &comparison->doubts);
}

static int doubt_comparisons(struct lauka_result *result)
{
    double precision = lauka_result_precision(result);
    size_t wall = lauka_result_metric_index(result, "wall_time");
    int error = 0;
    if (lauka_result_has_hosts(result)) /* machines differ in what would be odd on one */
        return 0;
    for (size_t i = 0; i < result->comparison_count && !error; i++) {
        struct lauka_result_comparison *comparison = &result->comparisons[i];
        if (!result->metrics[comparison->metric].primary || comparison->values.pairs == 0)
            continue;
        const struct lauka_comparison *cpu = lauka_result_comparison(
            result, comparison->command, lauka_result_metric_index(result, "cpu_time"));
        doubt_tails(result, comparison);
        error = doubt_order(result, comparison);
        if (comparison->metric == wall && cpu)
            lauka_doubts_of_times(&comparison->values, cpu, precision, &comparison->doubts);
        lauka_levels_doubt(result, comparison);
    }
    return error;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int keep_comparisons(const struct lauka_result *view, struct lauka_merged_host *host)
{
    free(host->comparisons);
    host->comparisons = calloc(view->comparison_count + 1, sizeof *host->comparisons);
    for (size_t i = 0; host->comparisons && i < view->comparison_count; i++)
        host->comparisons[i] = view->comparisons[i].values;
    return host->comparisons ? 0 : ENOMEM;
}

/* Each by its own rounds, as it would be alone. */
static int analyse_hosts(struct lauka_result *result)
{
    const size_t hosts = lauka_result_has_hosts(result) ? result->merged.host_count : 0;
    int error = 0;
    for (size_t h = 0; h < hosts && !error; h++) {
        struct lauka_merged_host *host = &result->merged.hosts[h];
        struct lauka_result view;
        error = lauka_merged_view(result, h, &view);
        if (error)
            break;
        error = lauka_result_analyse(&view);
        error = error ? error : keep_comparisons(&view, host);
        free(host->rows);
        host->rows = view.gate.rows;
        view.gate.rows = NULL;
        lauka_merged_view_done(&view);
    }
    return error;
}

/* Everything before the comparisons are judged together with other benchmarks. */
static int begin(struct lauka_result *result)
{
    int error = analyse_hosts(result);
    error = error ? error : lauka_result_number_names(result);
    for (size_t c = 0; c < result->command_count && !error; c++) {
        error = summarize_command(&result->commands[c], result->metric_count);
        error = error ? error : doubt_series(result, &result->commands[c]);
    }
    for (size_t m = 0; m < result->metric_count && !error && result->command_count > 0; m++)
        find_range(result, m);
    if (!error && result->command_count > 0)
        doubt_waiting(result);
    if (!error)
        lauka_partial_doubt(result);
    if (error || result->command_count < 2)
        return error;
    error = lauka_analysis_compare_all(result);
    if (!error)
        lauka_families_find_restated(result);
    return error;
}

static int end(struct lauka_result *result)
{
    bool compared = result->command_count > 1;
    int error = 0;
    if (compared) {
        lauka_families_judge_restated(result);
        lauka_partial_withhold(result);
        error = doubt_comparisons(result);
    }
    if (!error && compared)
        error = find_best(result);
    return error;
}

static int analyse(struct lauka_result *results, size_t count)
{
    int error = 0;
    for (size_t r = 0; r < count && !error; r++)
        error = begin(&results[r]);
    error = error ? error : lauka_families_judge(results, count);
    for (size_t r = 0; r < count && !error; r++)
        error = end(&results[r]);
    return error ? error : lauka_gate_judge_session(results, count);
}

int lauka_result_analyse(struct lauka_result *result)
{
    return analyse(result, 1);
}

int lauka_session_analyse(struct lauka_session *session)
{
    return analyse(session->benchmarks, session->benchmark_count);
}
