/* From values to comparisons, verdicts and doubts. */
#include "report/analysis/analysis.h"
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

/* Interval and verdict, where sides are apart and it is not exact. */
static void take_back(const struct lauka_result *result, size_t metric,
                      struct lauka_comparison *comparison)
{
    if (result->run.apart == LAUKA_APART_NOT || comparison->pairs == 0 ||
        (comparison->method == LAUKA_METHOD_EXACT &&
         lauka_result_grain(&result->metrics[metric]) == LAUKA_GRAIN_COUNT))
        return;
    if (result->run.apart == LAUKA_APART_SESSIONS &&
        lauka_sessions_compare(&result->metrics[metric].sessions, lauka_result_alpha(result),
                               lauka_result_precision(result), comparison))
        return;
    comparison->run_to_run = comparison->half_width;
    lauka_contrast_unknow(comparison);
    comparison->mean_low = comparison->mean_high = (struct lauka_optional){0};
    comparison->verdict = LAUKA_VERDICT_INCONCLUSIVE;
    comparison->below_precision = comparison->mean_doubted = false;
}

/* NULL if they were not summarized. */
static const struct lauka_medians *medians_of(const struct lauka_result *result, size_t command,
                                              size_t metric, struct lauka_medians *medians)
{
    const struct lauka_summary *reference = result->commands[0].summaries;
    const struct lauka_summary *other = result->commands[command].summaries;
    if (!reference || !other)
        return NULL;
    *medians = (struct lauka_medians){reference[metric].median, other[metric].median};
    return medians;
}

/* How a command is compared with the first one, and what its options point to. */
struct how {
    struct lauka_turns turns;
    struct lauka_units units;
    struct lauka_medians medians;
    struct lauka_comparison_options options;
};

static int find_how(const struct lauka_result *result, size_t command, size_t metric,
                    struct how *how)
{
    int error = lauka_result_turns(result, 0, command, metric, &how->turns);
    how->options = (struct lauka_comparison_options){
        .alpha = lauka_result_alpha(result),
        .precision = lauka_result_precision(result),
        .unpaired = result->run.unpaired,
        .repeatable = result->metrics[metric].repeatable,
        .grain = lauka_result_grain(&result->metrics[metric]),
        .bins = result->metrics[metric].bins,
        .turns = how->turns.first ? &how->turns : NULL,
        .units = lauka_result_units(result, &how->units),
        .medians = medians_of(result, command, metric, &how->medians),
    };
    return error;
}

/* The command against the first one. Returns 0 or ENOMEM. */
static int compare_command(const struct lauka_result *result, size_t command, size_t metric,
                           struct lauka_comparison *comparison)
{
    const struct lauka_result_command *commands = result->commands;
    struct how how;
    int error = find_how(result, command, metric, &how);
    *comparison = (struct lauka_comparison){0};
    if (error || !lauka_result_is_comparable(result, 0, metric) ||
        !lauka_result_is_comparable(result, command, metric))
        return error;
    if (!commands[command].streams)
        error = lauka_compare(&commands[0].series[metric], &commands[command].series[metric],
                              &how.options, comparison);
    else if (!result->run.unpaired && commands[command].streams[metric].paired)
        error = lauka_compare_streamed(commands[command].streams[metric].paired, &how.options,
                                       comparison);
    take_back(result, metric, comparison);
    return error || !lauka_result_has_hosts(result)
               ? error
               : lauka_hosts_compare(result, command, metric, comparison);
}

static struct lauka_series part_of(const struct lauka_series *series, size_t first, size_t count)
{
    return (struct lauka_series){
        .wide = series->wide ? series->wide + first : NULL,
        .narrow = series->narrow ? series->narrow + first : NULL,
        .count = count,
    };
}

int lauka_result_compare_rounds(const struct lauka_result *result, size_t command, size_t metric,
                                size_t first, size_t count, struct lauka_comparison *comparison)
{
    const struct lauka_series reference =
        part_of(&result->commands[0].series[metric], first, count);
    const struct lauka_series other =
        part_of(&result->commands[command].series[metric], first, count);
    struct how how;
    int error = find_how(result, command, metric, &how);
    if (how.options.turns)
        how.turns.first += first * how.turns.stride;
    how.options.medians = NULL; /* they are those of all rounds */
    return error ? error : lauka_compare(&reference, &other, &how.options, comparison);
}

static int make_room(struct lauka_result *result)
{
    size_t count = (result->command_count - 1) * result->metric_count;
    if (!result->comparisons)
        result->comparisons = calloc(count + 1, sizeof *result->comparisons);
    if (!result->comparisons)
        return ENOMEM;
    result->comparison_count = count;
    return 0;
}

/* All commands in all metrics, into result->comparisons. Returns 0 or ENOMEM. */
static int compare_all(struct lauka_result *result)
{
    int error = make_room(result);
    for (size_t i = 0; i < result->comparison_count && !error; i++) {
        struct lauka_result_comparison *comparison = &result->comparisons[i];
        *comparison = (struct lauka_result_comparison){
            .command = 1 + i / result->metric_count,
            .metric = i % result->metric_count,
        };
        error =
            compare_command(result, comparison->command, comparison->metric, &comparison->values);
    }
    return error;
}

/* ---- comparisons in other words ---------------------------------------------------------------- */

/* What a throughput is made of, by its name: wall_time_per_item, cycles_per_item (cycles:u serves, too),
 * megabytes_per_second. As many as there are metrics: nothing. */
static size_t find_whole(const struct lauka_result *result, const char *name)
{
    const char *part = strstr(name, "_per_");
    size_t length = part ? (size_t)(part - name) : 0, m = 0;
    if (!part)
        return result->metric_count;
    if (strcmp(part, "_per_second") == 0) {
        name = "wall_time";
        length = strlen(name);
    }
    while (m < result->metric_count &&
           (!result->metrics[m].counted || strncmp(result->metrics[m].name, name, length) != 0 ||
            (result->metrics[m].name[length] != '\0' && result->metrics[m].name[length] != ':')))
        m++;
    return m;
}

static bool are_close(struct lauka_optional one, struct lauka_optional other, double sign)
{
    static const double rounding = 1e-4; /* values have three decimals */
    return one.known && other.known && fabs(one.value - sign * other.value) <= rounding;
}

static enum lauka_verdict inverse_of(enum lauka_verdict verdict)
{
    return verdict == LAUKA_VERDICT_HIGHER  ? LAUKA_VERDICT_LOWER
           : verdict == LAUKA_VERDICT_LOWER ? LAUKA_VERDICT_HIGHER
                                            : verdict;
}

/* Whether the numbers are the same, or their inverses. They are not where commands get through
 * different amounts, or where rounding took too much. */
static bool says_the_same(const struct lauka_comparison *one, const struct lauka_comparison *other)
{
    bool same = one->verdict == other->verdict && are_close(one->log_low, other->log_low, 1) &&
                are_close(one->log_high, other->log_high, 1);
    bool inverse = one->verdict == inverse_of(other->verdict) &&
                   are_close(one->log_low, other->log_high, -1) &&
                   are_close(one->log_high, other->log_low, -1);
    return same || inverse;
}

/* Runs before anything is judged in its family. A deciding metric never restates one that does not decide;
 * then the whole is the one that says the same in other words. */
static void find_restated(struct lauka_result *result)
{
    for (size_t i = 0; i < result->comparison_count; i++)
        result->comparisons[i].restated = result->metric_count;
    for (size_t i = 0; i < result->comparison_count; i++) {
        struct lauka_result_comparison *part = &result->comparisons[i], *whole;
        size_t m = find_whole(result, result->metrics[part->metric].name);
        if (m == result->metric_count || m == part->metric)
            continue;
        whole = part - part->metric + m; /* of the same command */
        if (!says_the_same(&part->values, &whole->values))
            continue;
        if (result->metrics[part->metric].primary && !result->metrics[m].primary)
            whole->restated = part->metric;
        else
            part->restated = m;
    }
}

/* The numbers are the same, so the verdict is copied. The whole comes before its parts. */
static void judge_restated(struct lauka_result *result)
{
    for (size_t i = 0; i < result->comparison_count; i++) {
        struct lauka_result_comparison *comparison = &result->comparisons[i];
        if (comparison->restated == result->metric_count)
            continue;
        const struct lauka_comparison *of =
            lauka_result_comparison(result, comparison->command, comparison->restated);
        comparison->values.family = of->family;
        if (of->withdrawn)
            lauka_comparison_withdraw(&comparison->values);
    }
}

/* ---- families ---------------------------------------------------------------------------------- */

enum family { PRIMARY, EXPLORED, DETAILS, FAMILIES };

/* The share of one kind of core (cycles@P) is a detail of the count on all of them. */
static enum family family_of(const struct lauka_result *result, size_t metric)
{
    if (result->metrics[metric].primary)
        return PRIMARY;
    return lauka_result_is_shown(result, metric) && !strchr(result->metrics[metric].name, '@')
               ? EXPLORED
               : DETAILS;
}

static bool belongs(const struct lauka_result *result,
                    const struct lauka_result_comparison *comparison, enum family which)
{
    return family_of(result, comparison->metric) == which &&
           comparison->restated == result->metric_count;
}

struct members {                           /* of one family */
    struct lauka_comparison **comparisons; /* owned */
    double *weights;                       /* owned */
    size_t count;
    double alpha; /* the least of all results' */
};

static void add_members(struct lauka_result *result, enum family which, struct members *members)
{
    for (size_t i = 0; i < result->comparison_count; i++)
        if (belongs(result, &result->comparisons[i], which)) {
            members->weights[members->count] =
                lauka_result_weight(result, result->comparisons[i].metric);
            members->comparisons[members->count++] = &result->comparisons[i].values;
        }
    if (result->comparison_count > 0)
        members->alpha = fmin(members->alpha, lauka_result_alpha(result));
}

static int find_members(struct lauka_result *results, size_t count, enum family which,
                        struct members *members)
{
    size_t most = 1;
    for (size_t r = 0; r < count; r++)
        most += results[r].comparison_count;
    *members = (struct members){.alpha = 1};
    members->comparisons = calloc(most, sizeof *members->comparisons);
    members->weights = calloc(most, sizeof *members->weights);
    if (!members->comparisons || !members->weights)
        return ENOMEM;
    for (size_t r = 0; r < count; r++)
        add_members(&results[r], which, members);
    return 0;
}

static int judge(struct lauka_result *results, size_t count, enum family which)
{
    struct members members;
    int error = find_members(results, count, which, &members);
    if (!error)
        error =
            lauka_family_judge(members.comparisons, members.weights, members.count, members.alpha);
    free(members.comparisons);
    free(members.weights);
    return error;
}

/* Judges each family of comparisons over all the results. Returns 0 or ENOMEM. */
static int judge_families(struct lauka_result *results, size_t count)
{
    int error = 0;
    for (enum family family = PRIMARY; family < FAMILIES && !error; family++)
        error = judge(results, count, family);
    return error;
}

/* ---- what may be behind a difference beside the program --------------------------------------- */

/* Instructions that differ by less count as equal: the kernel's own work in a run varies as much. */
static const double same_instructions = 0.001;
/* Beyond this, a layout is an unlikely cause: paddings of one source differed by 28 % at most. */
static const double most_of_layout = 0.5;

bool lauka_is_clear(const struct lauka_comparison *comparison)
{
    return comparison && (comparison->verdict == LAUKA_VERDICT_HIGHER ||
                          comparison->verdict == LAUKA_VERDICT_LOWER);
}

static const struct lauka_comparison *find(const struct lauka_result *result, size_t command,
                                           const char *metric)
{
    return lauka_result_comparison(result, command, lauka_result_metric_index(result, metric));
}

/* The whole interval must say so; if none were counted, nothing does. */
static bool has_same_instructions(const struct lauka_result *result, size_t command)
{
    static const char *const names[] = {"instructions:u", "instructions", "sim_instructions"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct lauka_comparison *counts = find(result, command, names[i]);
        if (counts && counts->log_low.known && counts->log_high.known)
            return counts->log_low.value > -same_instructions &&
                   counts->log_high.value < same_instructions;
    }
    return false;
}

static bool share_a_file(const struct lauka_result *result)
{
    return result->commands[0].executable.placement == LAUKA_PLACEMENT_SHARED;
}

/* Raises doubts about a comparison of times that the instructions do not explain. Call it once all are
 * judged. */
static void doubt_levels(const struct lauka_result *result,
                         struct lauka_result_comparison *comparison)
{
    struct lauka_optional *raised = comparison->doubts.raised;
    const size_t command = comparison->command;
    const struct lauka_comparison *faults = find(result, command, "minor_faults");
    bool is_time = strcmp(result->metrics[comparison->metric].unit, "ns") == 0;

    raised[LAUKA_DOUBT_PLACEMENT] = raised[LAUKA_DOUBT_LAYOUT] = (struct lauka_optional){0};
    if (!is_time || result->run.noise || share_a_file(result) ||
        !lauka_is_clear(&comparison->values) || !has_same_instructions(result, command))
        return;
    if (lauka_is_clear(faults) && faults->mean_ratio.known && faults->mean_ratio.value > 0)
        raised[LAUKA_DOUBT_PLACEMENT] = faults->mean_ratio;
    else if (!result->commands[command].is_same &&
             result->benchmark.units.kind != LAUKA_UNIT_LAYOUT && comparison->values.ratio.known &&
             fabs(comparison->values.ratio.value - 1) < most_of_layout &&
             lauka_is_clear(find(result, command, "cpu_time")))
        raised[LAUKA_DOUBT_LAYOUT] = comparison->values.ratio;
}

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

/* The reference is compared with all anyway. */
static int find_best(struct lauka_result *result)
{
    struct lauka_ranking ranking;
    int error = lauka_result_rank(result, &ranking);
    result->best = ranking.clear ? ranking.rows[0].command : 0;
    lauka_ranking_done(&ranking);
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
        doubt_levels(result, comparison);
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
    error = compare_all(result);
    if (!error)
        find_restated(result);
    return error;
}

static int end(struct lauka_result *result)
{
    bool compared = result->command_count > 1;
    int error = 0;
    if (compared) {
        judge_restated(result);
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
    error = error ? error : judge_families(results, count);
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
