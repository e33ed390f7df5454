/* From values to what is said about them: summaries, comparisons that are judged together, doubts.
 * Doubts are raised about primary metrics only: of many others some always look odd. */
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "stats/crossover.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- summaries ------------------------------------------------------------------------------- */

/* The middle of the bucket, as far as there are values. */
static double quantile_of(const struct lauka_result_stream *stream, uint32_t rank)
{
    struct lauka_quantile quantile;
    if (!lauka_histogram_quantile(&stream->histogram, rank, &quantile))
        return 0;
    double middle = (double)quantile.bucket.lowest +
                    (double)(quantile.bucket.highest - quantile.bucket.lowest) / 2;
    return fmin(fmax(middle, (double)stream->moments.min), (double)stream->moments.max);
}

/* Moments are exact; the median and the quartiles are as exact as the histogram's buckets; outliers
 * are not known, and lauka_result_view says so. */
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

/* Once: every cell is written in the scale that follows from it. */
static void find_range(const struct lauka_result *result, size_t metric)
{
    struct lauka_result_metric *about = &result->metrics[metric];
    about->least_mean = about->greatest_mean = 0;
    for (size_t c = 0; c < result->command_count; c++) {
        struct lauka_result_view view = lauka_result_view(result, c, metric);
        double mean = view.at_floor ? (double)view.floor : view.summary->mean;
        if (!view.counted || mean <= 0)
            continue;
        bool least = about->least_mean == 0 || mean < about->least_mean;
        about->least_mean = least ? mean : about->least_mean;
        about->greatest_mean = fmax(about->greatest_mean, mean);
    }
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static bool is_comparable(const struct lauka_result *result, size_t command, size_t metric)
{
    struct lauka_result_view view = lauka_result_view(result, command, metric);
    return view.counted && !view.at_floor && !view.at_least;
}

/* family: see lauka_comparison_options. */
static int compare(const struct lauka_result *result, size_t command, size_t metric,
                   uint64_t family, struct lauka_comparison *comparison)
{
    const struct lauka_result_command *commands = result->commands;
    struct lauka_turns turns;
    const struct lauka_comparison_options options = {
        .alpha = lauka_result_alpha(result),
        .precision = lauka_result_precision(result),
        .unpaired = result->run.unpaired,
        .repeatable = result->metrics[metric].repeatable,
        .family = family,
        .turns = lauka_result_turns(result, 0, &turns),
    };
    *comparison = (struct lauka_comparison){0};
    if (!is_comparable(result, 0, metric) || !is_comparable(result, command, metric))
        return 0;
    if (!commands[command].streams)
        return lauka_compare(&commands[0].series[metric], &commands[command].series[metric],
                             &options, comparison);
    if (result->run.unpaired || !commands[command].streams[metric].paired)
        return 0;
    return lauka_compare_streamed(commands[command].streams[metric].paired, &options, comparison);
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

static int compare_all(struct lauka_result *result)
{
    int error = make_room(result);
    for (size_t i = 0; i < result->comparison_count && !error; i++) {
        struct lauka_result_comparison *comparison = &result->comparisons[i];
        *comparison = (struct lauka_result_comparison){
            .command = 1 + i / result->metric_count,
            .metric = i % result->metric_count,
        };
        error = compare(result, comparison->command, comparison->metric, 0, &comparison->values);
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

/* Before anything is judged in its family. What decides is never left to what does not: it is the
 * whole then that says the same in other words. */
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

/* The numbers are the same. The whole comes before its parts. */
static int judge_restated(struct lauka_result *result)
{
    int error = 0;
    for (size_t i = 0; i < result->comparison_count && !error; i++) {
        struct lauka_result_comparison *comparison = &result->comparisons[i];
        if (comparison->restated == result->metric_count)
            continue;
        const struct lauka_comparison *of =
            lauka_result_comparison(result, comparison->command, comparison->restated);
        error = compare(result, comparison->command, comparison->metric, of->family,
                        &comparison->values);
        comparison->values.family = of->family;
        comparison->values.withdrawn = of->withdrawn;
        if (of->withdrawn) {
            comparison->values.verdict = LAUKA_VERDICT_INCONCLUSIVE;
            comparison->values.below_precision = false;
        }
    }
    return error;
}

/* ---- families ---------------------------------------------------------------------------------- */

enum family { PRIMARY, EXPLORED, DETAILS, FAMILIES };

/* The share of one kind of core (cycles@P) is a detail of what is counted on all of them. */
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

/* Where rounds are too few for the ranks of so many tests, it takes Student's t of that family. */
static int compare_family(struct lauka_result *result, enum family which, uint64_t tests)
{
    int error = 0;
    for (size_t i = 0; i < result->comparison_count && !error && tests > 1; i++) {
        struct lauka_result_comparison *one = &result->comparisons[i];
        if (belongs(result, one, which) && one->values.p.known && !result->run.unpaired &&
            lauka_family_needs_t(one->values.pairs, tests, lauka_result_alpha(result)))
            error = compare(result, one->command, one->metric, tests, &one->values);
    }
    return error;
}

/* Those of all commands together, each question once: what is asked of more metrics at once, has to
 * be the clearer. */
static int judge(struct lauka_result *result, enum family which)
{
    struct lauka_comparison **family = calloc(result->comparison_count + 1, sizeof *family);
    size_t count = 0;
    uint64_t tests = 0;
    if (!family)
        return ENOMEM;
    for (size_t i = 0; i < result->comparison_count; i++)
        if (belongs(result, &result->comparisons[i], which)) {
            family[count++] = &result->comparisons[i].values;
            tests += result->comparisons[i].values.p.known;
        }
    int error = compare_family(result, which, tests);
    if (!error)
        error = lauka_family_judge(family, count, lauka_result_alpha(result));
    free(family);
    return error;
}

/* ---- the best of several ----------------------------------------------------------------------- */

/* Of further commands that with the least median; 0 where the reference has it. */
static size_t least_median(const struct lauka_result *result, size_t metric)
{
    size_t least = 0;
    for (size_t c = 1; c < result->command_count; c++)
        if (result->commands[c].summaries[metric].median <
            result->commands[least].summaries[metric].median)
            least = c;
    return least;
}

/* Whether each of the others is significantly higher. The candidate was chosen by looking, among
 * `command_count` of them: the tests share alpha (Bonferroni). */
static int beats_all(const struct lauka_result *result, size_t candidate, size_t metric, bool *best)
{
    const size_t others = result->command_count - 1;
    const struct lauka_comparison_options options = {
        .alpha = lauka_result_alpha(result) / (double)others,
        .precision = lauka_result_precision(result),
        .unpaired = result->run.unpaired,
    };
    int error = 0;
    *best = is_comparable(result, candidate, metric) &&
            !lauka_result_is_partial(result, candidate, metric);
    for (size_t c = 0; c < result->command_count && *best && !error; c++) {
        struct lauka_comparison comparison = {0};
        if (c == candidate)
            continue;
        if (!is_comparable(result, c, metric) || lauka_result_is_partial(result, c, metric))
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
        result->run.samples_left_out || !result->metrics[metric].counted)
        return 0;
    candidate = least_median(result, metric);
    int error = candidate > 0 ? beats_all(result, candidate, metric, &best) : 0;
    result->best = best ? candidate : 0;
    return error;
}

/* ---- doubts ---------------------------------------------------------------------------------- */

static int doubt_series(const struct lauka_result *result, struct lauka_result_command *command)
{
    if (!command->doubts)
        command->doubts = calloc(result->metric_count + 1, sizeof *command->doubts);
    int error = command->doubts ? 0 : ENOMEM;
    for (size_t m = 0; m < result->metric_count && !error; m++) {
        const struct lauka_result_metric *about = &result->metrics[m];
        command->doubts[m] = (struct lauka_doubts){0};
        if (about->primary && about->counted && !command->streams)
            error = lauka_doubts_of_series(&command->series[m], lauka_result_precision(result),
                                           &command->doubts[m]);
    }
    return error;
}

/* A twentieth of the time, as for outliers; of what is stolen less, as any of it is others' doing. */
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

/* Of long sessions the values are not kept. */
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
    }
    return error;
}

int lauka_result_analyse(struct lauka_result *result)
{
    int error = lauka_result_number_names(result);
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
    for (enum family family = PRIMARY; family < FAMILIES && !error; family++)
        error = judge(result, family);
    error = error ? error : judge_restated(result);
    if (!error)
        lauka_partial_withhold(result);
    error = error ? error : doubt_comparisons(result);
    error = error ? error : find_best(result);
    return error ? error : lauka_gate_judge_result(result, lauka_gate_alpha(result));
}
