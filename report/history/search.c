/* The order of a history, and the steps in it. */
#include "report/history/history.h"
#include "report/result/lists.h"
#include "stats/levels.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ------------------------------------------------------------------------------------- */

const char *lauka_certainty_name(enum lauka_certainty certainty)
{
    static const char *const names[] = {"certain", "confirmed", "suspected", "refuted", "too new"};

    return names[certainty];
}

const char *lauka_history_kind_name(enum lauka_history_kind kind)
{
    static const char *const names[] = {"exact", "ratio", "absolute"};

    return names[kind];
}

const char *lauka_answer_name(enum lauka_answer_verdict verdict)
{
    static const char *const names[] = {"confirmed", "refuted", "inconclusive"};

    return names[verdict];
}

char *lauka_history_name(const struct lauka_history_series *series)
{
    return lauka_text_format("%s%s%s", series->benchmark, *series->side ? "/" : "", series->side);
}

/* ---- the order --------------------------------------------------------------------------------- */

struct placed {
    size_t session, commit; /* indices; commit: how many there are, where it is not known */
    const char *time;
};

static int by_hash(const void *a, const void *b)
{
    const struct lauka_history_commit *const *left = a, *const *right = b;

    return strcmp((*left)->hash, (*right)->hash);
}

static int by_commit(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;
    const int times = strcmp(left->time, right->time);

    if (left->commit != right->commit)
        return left->commit < right->commit ? -1 : 1;
    return times != 0 ? times : left->session < right->session ? -1 : 1;
}

static const struct lauka_history_commit *
find_commit(const struct lauka_history_commit *const *sorted, size_t count, const char *hash)
{
    const struct lauka_history_commit wanted = {.hash = hash}, *key = &wanted;
    const struct lauka_history_commit *const *found =
        hash && count > 0 ? bsearch(&key, sorted, count, sizeof *sorted, by_hash) : NULL;

    return found ? *found : NULL;
}

/* Those of known commits in their order, each preceded by those of others that are not younger. */
static void merge(struct lauka_history *history, const struct placed *known, size_t known_count,
                  const struct placed *others, size_t other_count)
{
    size_t next = 0, place = 0;

    for (size_t i = 0; i < known_count; i++) {
        while (next < other_count && strcmp(others[next].time, known[i].time) < 0)
            history->sessions[others[next++].session].place = place++;
        history->sessions[known[i].session].place = place++;
    }
    while (next < other_count)
        history->sessions[others[next++].session].place = place++;
}

static const struct lauka_history *compared; /* qsort(3) has no context */

static int by_place(const void *a, const void *b)
{
    const struct lauka_history_point *left = a, *right = b;
    const size_t first = compared->sessions[left->session].place,
                 second = compared->sessions[right->session].place;

    return first < second ? -1 : first > second;
}

static bool is_in_order(const struct lauka_history *history,
                        const struct lauka_history_series *series)
{
    for (size_t i = 1; i < series->count; i++)
        if (history->sessions[series->points[i - 1].session].place >
            history->sessions[series->points[i].session].place)
            return false;
    return true;
}

static void place_sessions(struct lauka_history *history,
                           const struct lauka_history_commit *commits, size_t count,
                           const struct lauka_history_commit **sorted, struct placed *placed)
{
    const size_t sessions = history->session_count;
    size_t known = 0;

    for (size_t i = 0; i < count; i++)
        sorted[i] = &commits[i];
    qsort(sorted, count, sizeof *sorted, by_hash);
    for (size_t i = 0; i < sessions; i++) {
        struct lauka_history_session *session = &history->sessions[i];
        const struct lauka_history_commit *commit = find_commit(sorted, count, session->commit);
        session->date = commit ? commit->date : session->time;
        session->subject = commit ? commit->subject : NULL;
        placed[i] = (struct placed){i, commit ? (size_t)(commit - commits) : count, session->time};
        known += commit != NULL;
    }
    qsort(placed, sessions, sizeof *placed, by_commit);
    merge(history, placed, known, placed + known, sessions - known);
}

int lauka_history_order(struct lauka_history *history, const struct lauka_history_commit *commits,
                        size_t count)
{
    const struct lauka_history_commit **sorted = malloc((count + 1) * sizeof *sorted);
    struct placed *placed = malloc((history->session_count + 1) * sizeof *placed);
    const bool good = sorted && placed;

    if (good)
        place_sessions(history, commits, count, sorted, placed);
    free(sorted);
    free(placed);
    compared = history;
    for (size_t i = 0; good && i < history->series_count; i++)
        if (!is_in_order(history, &history->series[i]))
            qsort(history->series[i].points, history->series[i].count,
                  sizeof *history->series[i].points, by_place);
    return good ? 0 : ENOMEM;
}

/* ---- which series are searched ----------------------------------------------------------------- */

static bool is_same_subject(const struct lauka_history_series *a,
                            const struct lauka_history_series *b)
{
    return strcmp(a->benchmark, b->benchmark) == 0 && strcmp(a->side, b->side) == 0 &&
           strcmp(a->metric, b->metric) == 0;
}

/* Whether a ratio to an anchor says the same without the machine. */
static bool is_superseded(const struct lauka_history *history,
                          const struct lauka_history_series *series)
{
    for (size_t i = 0; i < history->series_count; i++) {
        const struct lauka_history_series *other = &history->series[i];
        if (other->kind == LAUKA_HISTORY_RATIO && 2 * other->count >= series->count &&
            is_same_subject(series, other))
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

/* Series of a benchmark mostly stand side by side, so the nearest are compared first. */
bool lauka_history_is_first(const struct lauka_history *history, size_t series)
{
    const struct lauka_history_series *about = &history->series[series];

    if (about->is_anchor)
        return false;
    for (size_t i = series; i-- > 0;)
        if (!history->series[i].is_anchor &&
            strcmp(history->series[i].benchmark, about->benchmark) == 0)
            return false;
    return true;
}

static void count_names(struct lauka_history *history)
{
    history->machines = history->benchmarks = 0;
    for (size_t i = 0; i < history->series_count; i++)
        history->benchmarks += lauka_history_is_first(history, i);
    for (size_t i = 0; i < history->session_count; i++) {
        size_t other = 0;
        while (strcmp(history->sessions[other].host, history->sessions[i].host) != 0)
            other++;
        history->machines += other == i;
    }
}

/* ---- steps ------------------------------------------------------------------------------------- */

struct found {
    struct lauka_levels levels;
    double *values; /* owned; logarithms where as_ratio */
    bool as_ratio;
};

/* All that was found, and a p for each step; for a series without steps one that is 1. */
struct search {
    struct lauka_history *history;
    struct found *found;      /* owned; by series */
    struct lauka_optional *p; /* owned */
    bool *stands;             /* owned */
    size_t count;
};

static int search_series(const struct lauka_history_series *series, double alpha,
                         struct found *found)
{
    const bool exact = series->kind == LAUKA_HISTORY_EXACT;

    found->values = malloc((series->count + 1) * sizeof *found->values);
    if (!found->values)
        return ENOMEM;
    found->as_ratio = !exact;
    for (size_t i = 0; i < series->count; i++)
        found->as_ratio &= series->points[i].value > 0;
    for (size_t i = 0; i < series->count; i++)
        found->values[i] = found->as_ratio ? log(series->points[i].value) : series->points[i].value;
    return exact ? lauka_levels_find_exact(found->values, series->count, &found->levels)
                 : lauka_levels_find(found->values, series->count, alpha, &found->levels);
}

static int judge(struct search *search, double alpha)
{
    size_t room = 0;

    for (size_t i = 0; i < search->history->series_count; i++)
        room += search->found[i].levels.count + 1;
    search->p = calloc(room, sizeof *search->p);
    search->stands = calloc(room, sizeof *search->stands);
    if (!search->p || !search->stands)
        return ENOMEM;
    for (size_t i = 0; i < search->history->series_count; i++) {
        const struct lauka_history_series *series = &search->history->series[i];
        const struct lauka_levels *levels = &search->found[i].levels;
        if (!series->is_searched || series->kind == LAUKA_HISTORY_EXACT)
            continue;
        for (size_t s = 0; s < levels->count; s++)
            search->p[search->count++] = levels->steps[s].location.p;
        if (levels->count == 0)
            search->p[search->count++] = lauka_known(1);
    }
    lauka_family_holm(search->p, NULL, search->count, alpha, search->stands);
    return 0;
}

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

static double median_between(const struct lauka_history_series *series, size_t from, size_t to)
{
    double *room = malloc((to - from) * sizeof *room);
    double median = series->points[(from + to) / 2].value; /* of a constant, and without memory */

    for (size_t i = from; room && i < to; i++)
        room[i - from] = series->points[i].value;
    if (room && lauka_sort_doubles(room, to - from) == 0)
        median = (room[(to - from) / 2] + room[(to - from - 1) / 2]) / 2;
    free(room);
    return median;
}

static struct lauka_optional ratio_of(struct lauka_optional log_ratio)
{
    return log_ratio.known ? lauka_known(exp(log_ratio.value)) : log_ratio;
}

static void set_sizes(const struct lauka_level_step *step, const struct found *found,
                      struct lauka_history_step *to)
{
    const struct lauka_history_series *series = to->series;

    to->before = median_between(series, step->from, step->at);
    to->after = median_between(series, step->at, step->to);
    if (found->as_ratio) {
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

static int add_step(struct lauka_history *history, size_t series, const struct found *found,
                    const struct lauka_level_step *step, bool is_new)
{
    const size_t at = find_change(history, &history->series[series], step->at);
    struct lauka_history_step *to;

    if (at == 0)
        return 0;
    if (!(to = lauka_list_add(&history->steps, &history->step_count, sizeof *to)))
        return ENOMEM;
    to->series = &history->series[series];
    to->at = at;
    set_sizes(step, found, to);
    to->answer = find_answer(history, to);
    to->certainty = is_new ? LAUKA_STEP_NEW : certainty_of(to);
    return 0;
}

static int add_fresh(struct lauka_history *history, size_t series, const struct found *found)
{
    const struct lauka_levels *levels = &found->levels;
    const size_t count = history->series[series].count;

    if (levels->fresh == 0)
        return 0;
    const struct lauka_level_step step = {
        .at = count - levels->fresh,
        .from = levels->count > 0 ? levels->steps[levels->count - 1].at : 0,
        .to = count,
        .location = {.estimate = levels->fresh_distance},
    };
    return add_step(history, series, found, &step, true);
}

static int take_steps(struct search *search)
{
    struct lauka_history *history = search->history;
    size_t p = 0;
    int failure = 0;

    for (size_t i = 0; i < history->series_count && !failure; i++) {
        const struct lauka_history_series *series = &history->series[i];
        const struct found *found = &search->found[i];
        const bool exact = series->kind == LAUKA_HISTORY_EXACT;
        if (!series->is_searched)
            continue;
        for (size_t s = 0; s < found->levels.count && !failure; s++)
            if (exact || search->stands[p + s])
                failure = add_step(history, i, found, &found->levels.steps[s], false);
        if (!failure)
            failure = add_fresh(history, i, found);
        p += exact ? 0 : found->levels.count + (found->levels.count == 0);
    }
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
    struct search search = {.history = history,
                            .found = calloc(history->series_count + 1, sizeof *search.found)};
    int failure = search.found ? 0 : ENOMEM;

    free(history->steps);
    history->steps = NULL;
    history->step_count = 0;
    choose(history);
    count_names(history);
    for (size_t i = 0; i < history->series_count && !failure; i++)
        if (history->series[i].is_searched)
            failure = search_series(&history->series[i], alpha, &search.found[i]);
    if (!failure)
        failure = judge(&search, alpha);
    if (!failure)
        failure = take_steps(&search);
    if (history->step_count > 0)
        qsort(history->steps, history->step_count, sizeof *history->steps, by_weight);
    for (size_t i = 0; search.found && i < history->series_count; i++) {
        lauka_levels_done(&search.found[i].levels);
        free(search.found[i].values);
    }
    free(search.found);
    free(search.p);
    free(search.stands);
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
