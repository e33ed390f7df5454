/* The steps in a history. */
#include "report/history/history.h"
#include "report/result/lists.h"
#include "stats/levels.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ------------------------------------------------------------------------------------- */

const char *const lauka_certainty_names[] = {"certain", "confirmed", "suspected", "refuted",
                                             "too new"};
const char *const lauka_history_kinds[] = {"exact", "ratio", "absolute"};
const char *const lauka_answer_names[] = {"confirmed", "refuted", "inconclusive"};

/* ---- which series are searched ----------------------------------------------------------------- */

/* Whether a ratio to an anchor says the same without the machine. */
static bool is_superseded(const struct lauka_history *history,
                          const struct lauka_history_series *series)
{
    for (size_t i = series->first; i < history->series_count; i++) {
        const struct lauka_history_series *other = &history->series[i];
        if (other->first == series->first && other->kind == LAUKA_HISTORY_RATIO &&
            2 * other->count >= series->count && strcmp(other->side, series->side) == 0 &&
            strcmp(other->metric, series->metric) == 0)
            return true;
    }
    return false;
}

/* Exact counts, primary metrics, and memory. The others would only add false alarms. */
static void choose(struct lauka_history *history)
{
    for (size_t i = 0; i < history->series_count; i++) {
        struct lauka_history_series *series = &history->series[i];
        series->is_searched =
            !series->is_anchor && !series->is_hidden &&
            (series->kind == LAUKA_HISTORY_EXACT || series->is_primary ||
             strcmp(series->metric, "peak_rss") == 0) &&
            (series->kind != LAUKA_HISTORY_ABSOLUTE || !is_superseded(history, series));
    }
}

static void count_names(struct lauka_history *history)
{
    history->machines = history->benchmarks = 0;
    for (size_t i = 0; i < history->series_count; i++)
        history->benchmarks += history->series[i].first == i && !history->series[i].is_hidden;
    for (size_t i = 0; i < history->session_count; i++) {
        size_t other = 0;
        while (strcmp(history->sessions[other].host, history->sessions[i].host) != 0)
            other++;
        history->machines += other == i;
    }
}

/* ---- a step ------------------------------------------------------------------------------------ */

static const char *commit_at(const struct lauka_history *history,
                             const struct lauka_history_series *series, size_t point)
{
    const struct lauka_history_session *session = &history->sessions[series->points[point].session];

    return session->commit && !session->is_changed ? session->commit : NULL;
}

/* The nearest place, at most two points away, where the commit changes; a step within one is none. 0: there is none. */
static size_t find_change(const struct lauka_history *history,
                          const struct lauka_history_series *series, size_t at)
{
    static const int away[] = {0, 1, -1, 2, -2};

    for (size_t i = 0; i < sizeof away / sizeof *away; i++) {
        const size_t place = at + (size_t)away[i];
        if (place < 1 || place >= series->count)
            continue;
        const char *before = commit_at(history, series, place - 1),
                   *after = commit_at(history, series, place);
        if (!before || !after || strcmp(before, after) != 0)
            return place;
    }
    return 0;
}

static struct lauka_optional ratio_of(struct lauka_optional log_ratio)
{
    return log_ratio.known ? lauka_known(exp(log_ratio.value)) : log_ratio;
}

/* as_ratio: the values that were searched were logarithms. */
static void set_sizes(const struct lauka_level_step *step, bool as_ratio,
                      struct lauka_history_step *to)
{
    const struct lauka_history_series *series = to->series;

    to->before = as_ratio ? exp(step->before) : step->before;
    to->after = as_ratio ? exp(step->after) : step->after;
    if (as_ratio) {
        to->ratio = lauka_known(exp(step->location.estimate));
        to->low = ratio_of(step->location.low);
        to->high = ratio_of(step->location.high);
    } else if (series->kind == LAUKA_HISTORY_EXACT && to->before > 0) {
        to->ratio = to->low = to->high = lauka_known(to->after / to->before);
    }
    const int goodness = lauka_direction_goodness(series->better, step->location.estimate > 0);
    to->is_worse = goodness < 0;
    to->is_better = goodness > 0;
}

/* What --confirm found out about it: the newest answer whose second commit stands within two points. */
static const struct lauka_history_answer *find_answer(const struct lauka_history *history,
                                                      const struct lauka_history_step *step)
{
    const struct lauka_history_series *series = step->series;

    for (size_t i = history->answer_count; i-- > 0;) {
        const struct lauka_history_answer *answer = &history->answers[i];
        if (strcmp(answer->benchmark, series->benchmark) != 0 ||
            strcmp(answer->side, series->side) != 0 || strcmp(answer->metric, series->metric) != 0)
            continue;
        for (size_t p = step->at >= 2 ? step->at - 2 : 0; p <= step->at + 2 && p < series->count;
             p++) {
            const char *commit = history->sessions[series->points[p].session].commit;
            if (commit && strcmp(commit, answer->after) == 0)
                return answer;
        }
    }
    return NULL;
}

static enum lauka_certainty certainty_of(const struct lauka_history_step *step)
{
    if (step->series->kind == LAUKA_HISTORY_EXACT)
        return LAUKA_STEP_CERTAIN;
    if (!step->answer || step->answer->verdict == LAUKA_ANSWER_INCONCLUSIVE)
        return LAUKA_STEP_SUSPECTED;
    return step->answer->verdict == LAUKA_ANSWER_CONFIRMED ? LAUKA_STEP_CONFIRMED
                                                           : LAUKA_STEP_REFUTED;
}

static int add_step(struct lauka_history *history, const struct lauka_history_series *series,
                    const struct lauka_level_step *step, bool as_ratio, bool is_new)
{
    struct lauka_history_step *to =
        lauka_list_add(&history->steps, &history->step_count, sizeof *to);

    if (!to)
        return ENOMEM;
    to->series = series;
    to->at = find_change(history, series, step->at);
    to->p = step->location.p;
    set_sizes(step, as_ratio, to);
    to->answer = find_answer(history, to);
    to->certainty = is_new ? LAUKA_STEP_NEW : certainty_of(to);
    return 0;
}

/* ---- all steps --------------------------------------------------------------------------------- */

static int add_steps(struct lauka_history *history, const struct lauka_history_series *series,
                     const struct lauka_levels *levels, bool as_ratio)
{
    int failure = 0;

    for (size_t s = 0; s < levels->count && !failure; s++)
        failure = add_step(history, series, &levels->steps[s], as_ratio, false);
    if (!failure && levels->fresh.at > 0)
        failure = add_step(history, series, &levels->fresh, as_ratio, true);
    return failure;
}

/* *quiet: incremented for a series that may have steps by chance, and has none. */
static int search_series(struct lauka_history *history, const struct lauka_history_series *series,
                         double alpha, size_t *quiet)
{
    const bool exact = series->kind == LAUKA_HISTORY_EXACT;
    double *values = malloc((series->count + 1) * sizeof *values);
    struct lauka_levels levels = {0};
    bool as_ratio = !exact;
    if (!values)
        return ENOMEM;
    for (size_t i = 0; i < series->count; i++)
        as_ratio &= series->points[i].value > 0;
    for (size_t i = 0; i < series->count; i++)
        values[i] = as_ratio ? log(series->points[i].value) : series->points[i].value;
    int failure = exact ? lauka_levels_find_exact(values, series->count, &levels)
                        : lauka_levels_find(values, series->count, alpha, &levels);
    if (!failure)
        failure = add_steps(history, series, &levels, as_ratio);
    *quiet += !exact && levels.count == 0;
    lauka_levels_done(&levels);
    free(values);
    return failure;
}

/* Leaves those that stand among all suspicions, and are between two commits. A series without a step is a test whose p
 * is 1. */
static int judge(struct lauka_history *history, size_t quiet, double alpha)
{
    const size_t count = history->step_count, tests = count + quiet;
    struct lauka_optional *p = calloc(tests + 1, sizeof *p);
    bool *stands = calloc(tests + 1, sizeof *stands);
    const int failure = p && stands ? 0 : ENOMEM;

    for (size_t i = 0; i < tests && !failure; i++)
        p[i] = i < count ? history->steps[i].p : lauka_known(1);
    if (!failure)
        lauka_family_holm(p, NULL, tests, alpha, stands);
    history->step_count = 0;
    for (size_t i = 0; i < count && !failure; i++)
        if ((stands[i] || !p[i].known) && history->steps[i].at > 0)
            history->steps[history->step_count++] = history->steps[i];
    free(p);
    free(stands);
    return failure;
}

static double size_of(const struct lauka_history_step *step)
{
    return step->ratio.known && step->ratio.value > 0 ? fabs(log(step->ratio.value)) : 0;
}

/* Worse ones first, then what is certain, then by size. */
static int by_weight(const void *a, const void *b)
{
    const struct lauka_history_step *left = a, *right = b;

    if (left->is_better != right->is_better)
        return left->is_better ? 1 : -1;
    if (left->certainty != right->certainty)
        return left->certainty < right->certainty ? -1 : 1;
    if (size_of(left) != size_of(right))
        return size_of(left) > size_of(right) ? -1 : 1;
    const int names = strcmp(left->series->key, right->series->key);
    return names != 0 ? names : left->at < right->at ? -1 : left->at > right->at;
}

int lauka_history_search(struct lauka_history *history, double alpha)
{
    size_t quiet = 0;
    int failure = 0;

    free(history->steps);
    history->steps = NULL;
    history->step_count = 0;
    choose(history);
    count_names(history);
    for (size_t i = 0; i < history->series_count && !failure; i++)
        if (history->series[i].is_searched)
            failure = search_series(history, &history->series[i], alpha, &quiet);
    if (!failure)
        failure = judge(history, quiet, alpha);
    if (history->step_count > 0)
        qsort(history->steps, history->step_count, sizeof *history->steps, by_weight);
    return failure;
}

const struct lauka_history_session *lauka_history_after(const struct lauka_history *history,
                                                        const struct lauka_history_step *step)
{
    return &history->sessions[step->series->points[step->at].session];
}

const struct lauka_history_session *lauka_history_before(const struct lauka_history *history,
                                                         const struct lauka_history_step *step)
{
    return &history->sessions[step->series->points[step->at - 1].session];
}

/* ---- from session to session ------------------------------------------------------------------- */

static struct lauka_sessions spread_of(const struct lauka_history *history,
                                       const struct lauka_history_series *series, const char *host,
                                       const double own[2])
{
    double mean = 0, squares = 0;
    uint64_t count = 0;

    for (size_t i = 0; i < series->count; i++) {
        const struct lauka_history_point *point = &series->points[i];
        if (strcmp(history->sessions[point->session].host, host) != 0 || !(point->value > 0) ||
            point->value == own[0] || point->value == own[1])
            continue;
        const double value = log(point->value), delta = value - mean;
        mean += delta / (double)++count; /* Welford 1962 */
        squares += delta * (value - mean);
    }
    return (struct lauka_sessions){count > 1 ? sqrt(squares / (double)(count - 1)) : 0, count};
}

struct lauka_sessions lauka_history_spread(const struct lauka_history *history,
                                           const char *benchmark, const char *metric,
                                           const char *host, const double own[2])
{
    struct lauka_sessions best = {0};

    for (size_t i = 0; i < history->series_count; i++) {
        const struct lauka_history_series *series = &history->series[i];
        if (series->kind != LAUKA_HISTORY_ABSOLUTE || strcmp(series->benchmark, benchmark) != 0 ||
            strcmp(series->metric, metric) != 0)
            continue;
        const struct lauka_sessions spread = spread_of(history, series, host, own);
        best = spread.count > best.count ? spread : best;
    }
    return best;
}
