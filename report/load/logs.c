/* Several logs of a side: each log is one unit, as runs of a server differ by more than requests of one run do.
 * What a log comes to is a value: its mean, and some percentiles, each a metric. */
#include "report/load/load.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>

/* rank: an index of lauka_summary_ranks; MEAN: none. */
enum { MEAN = -1, FINER = 3 };
static const struct {
    const char *name;
    int rank;
} figures[] = {{"p50", 5}, {"p90", 7}, {"p99", 11}, {"p99.9", 12}, {"mean", MEAN}};
enum { FIGURES = sizeof figures / sizeof *figures };

static int add_metrics(const struct lauka_result_metric *from, struct lauka_result *to)
{
    int failure = 0;
    for (size_t f = 0; f < FIGURES && !failure; f++) {
        const struct lauka_result_metric about = {
            .name = (char *)figures[f].name,
            .unit = from->unit,
            .source = (char *)LAUKA_SOURCE_LOGS,
            .better = from->better,
            .decimals = from->decimals + FINER,
            .counted = true,
            .primary = f == 0,
            .share = 1,
        };
        failure = lauka_result_add_metric(to, &about);
    }
    return failure;
}

static int add_command(const char *name, size_t count, struct lauka_result *to)
{
    const struct lauka_result_command *command = lauka_result_add_command(to, name);
    int failure = command ? 0 : ENOMEM;
    for (size_t f = 0; f < FIGURES && !failure; f++)
        failure = lauka_series_reserve(&command->series[f], count);
    return failure;
}

static double mean_of(const struct lauka_result *log, size_t metric)
{
    const struct lauka_moments moments = lauka_result_moments(&log->commands[0], metric);
    return lauka_moments_mean(&moments);
}

/* One value of each figure; a log that lacks the tag has none. */
static int add_log(const struct lauka_result *log, const char *name, struct lauka_result *to)
{
    const size_t m = lauka_result_metric_index(log, name);
    struct lauka_result_quantiles quantiles = {0};
    int failure = m < log->metric_count ? lauka_result_quantiles(log, 0, m, &quantiles) : 0;
    for (size_t f = 0; f < FIGURES && !failure; f++) {
        uint64_t value = LAUKA_MISSING;
        if (quantiles.count > 0) {
            double figure = figures[f].rank == MEAN ? mean_of(log, m)
                                                    : (double)quantiles.values[figures[f].rank];
            figure *= pow(10, to->metrics[f].decimals - log->metrics[m].decimals);
            value = figure < LAUKA_VALUE_END ? (uint64_t)(figure + 0.5) : LAUKA_MISSING;
            to->metrics[f].bins = fmax(to->metrics[f].bins, log->metrics[m].bins);
        }
        lauka_series_add(&to->commands[0].series[f], value);
    }
    return failure;
}

static int join_tag(const struct lauka_result *const *logs, size_t count, const char *name,
                    const struct lauka_result_metric *metric, struct lauka_result *to)
{
    int failure = add_metrics(metric, to);
    failure = failure ? failure : add_command(name, count, to);
    for (size_t i = 0; i < count && !failure; i++)
        failure = add_log(logs[i], metric->name, to);
    to->run.rounds = count;
    to->run.unpaired = true;
    to->run.stopped = LAUKA_STOPPED_STORED;
    return failure;
}

int lauka_logs_join(const struct lauka_result *const *logs, size_t count, const char *name,
                    struct lauka_session *session)
{
    const struct lauka_result *first = logs[0];
    const bool tags = first->metric_count > 1;
    int failure = lauka_session_init(session, first->metric_count);
    for (size_t m = 0; m < first->metric_count && !failure; m++) {
        struct lauka_result *to = &session->benchmarks[m];
        failure = join_tag(logs, count, name, &first->metrics[m], to);
        if (!failure && tags)
            failure = lauka_text_copy(first->metrics[m].name, &to->benchmark.name);
    }
    return failure;
}
