/* Many benchmarks at a glance: the standing of each, their order, and all of them in one sentence. Every
 * form that shows a session takes order, words and figures from here. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 36, NAME_WIDEST = 60 }; /* columns */

/* ---- what a benchmark came to -------------------------------------------------------------------- */

static enum lauka_standing standing_of(enum lauka_concern concern)
{
    static const enum lauka_standing standings[] = {
        [LAUKA_CONCERN_NONE] = LAUKA_STANDING_EQUIVALENT,
        [LAUKA_CONCERN_CHANGED] = LAUKA_STANDING_CHANGED,
        [LAUKA_CONCERN_BETTER] = LAUKA_STANDING_BETTER,
        [LAUKA_CONCERN_UNCLEAR] = LAUKA_STANDING_INCONCLUSIVE,
        [LAUKA_CONCERN_WORSE] = LAUKA_STANDING_WORSE,
        [LAUKA_CONCERN_FAILED] = LAUKA_STANDING_FAILED,
    };
    return standings[concern];
}

enum lauka_concern lauka_standing_concern(enum lauka_standing standing)
{
    if (standing <= LAUKA_STANDING_MISSING)
        return LAUKA_CONCERN_FAILED;
    enum lauka_concern concern = LAUKA_CONCERN_FAILED;
    while (concern > LAUKA_CONCERN_NONE && standing_of(concern) != standing)
        concern--;
    return concern;
}

static double half_of(struct lauka_optional low, struct lauka_optional high)
{
    return low.known && high.known ? fabs(high.value - low.value) / 2 : 0;
}

/* For inconclusive ones, the width of the interval: what is least known comes first. */
static double size_of_comparison(const struct lauka_comparison *values,
                                 enum lauka_standing standing)
{
    if (standing == LAUKA_STANDING_INCONCLUSIVE)
        return values->confidence > 0 ? half_of(values->log_low, values->log_high) : HUGE_VAL;
    return values->log_ratio.known ? fabs(values->log_ratio.value) : HUGE_VAL;
}

static double size_of_judgement(const struct lauka_judgement *judgement,
                                enum lauka_standing standing)
{
    bool known = judgement->change.known && judgement->change_low.known;
    if (judgement->value.known) /* a budget: what changed by more than a limit is told before it */
        return 0;
    if (standing == LAUKA_STANDING_INCONCLUSIVE)
        return known ? half_of(judgement->change_low, judgement->change_high) : HUGE_VAL;
    return judgement->change.known ? fabs(log1p(fmax(-1, judgement->change.value))) : HUGE_VAL;
}

/* By the gate: as in its verdict, inconclusive comes before better. */
static int rank_of_limit(enum lauka_standing standing)
{
    return standing == LAUKA_STANDING_WORSE          ? 0
           : standing == LAUKA_STANDING_INCONCLUSIVE ? 1
                                                     : 1 + (int)standing;
}

static void find_limit(const struct lauka_result *result, struct lauka_overview_row *row)
{
    for (size_t i = 0; i < result->gate.row_count; i++) {
        const struct lauka_gate_row *limit = &result->gate.rows[i];
        enum lauka_standing standing = standing_of(lauka_concern_of_row(result, limit));
        double size = size_of_judgement(&limit->judgement, standing);
        int before = row->gate ? rank_of_limit(standing) - rank_of_limit(row->standing) : -1;
        if (before > 0 || (before == 0 && size <= row->size))
            continue;
        row->standing = standing;
        row->command = limit->command;
        row->metric = limit->metric;
        row->gate = limit;
        row->size = size;
    }
}

/* Whether to show the other comparison of the command. The main metric is shown, unless another is worse,
 * or clear where the main one says nothing. */
static bool tells_more(enum lauka_standing standing, bool is_main, enum lauka_standing shown,
                       bool shown_is_main)
{
    bool silent = shown == LAUKA_STANDING_EQUIVALENT || shown == LAUKA_STANDING_INCONCLUSIVE;
    bool clear = standing < LAUKA_STANDING_INCONCLUSIVE;
    if (is_main || !shown_is_main)
        return standing < shown;
    return clear && (silent || (standing == LAUKA_STANDING_WORSE && shown != standing));
}

static bool find_of_command(const struct lauka_result *result, size_t command,
                            struct lauka_overview_row *row)
{
    size_t main = lauka_result_main_metric(result);
    bool found = false;
    for (size_t i = 0; i <= result->metric_count; i++) { /* the main one comes first */
        size_t m = i == 0 ? main : i - 1;
        const struct lauka_comparison *values = lauka_result_comparison(result, command, m);
        if ((i > 0 && m == main) || !result->metrics[m].primary || !values ||
            !result->metrics[m].counted || values->pairs == 0)
            continue;
        enum lauka_standing standing = standing_of(lauka_concern_of(result, command, m));
        if (found && !tells_more(standing, m == main, row->standing, row->metric == main))
            continue;
        row->standing = standing;
        row->command = command;
        row->metric = m;
        row->size = size_of_comparison(values, standing);
        found = true;
    }
    return found;
}

/* The worst of all sides. */
static bool find_comparison(const struct lauka_result *result, struct lauka_overview_row *row)
{
    bool found = false;
    if (lauka_result_main_metric(result) >= result->metric_count)
        return false;
    for (size_t c = 1; c < result->command_count; c++) {
        struct lauka_overview_row own = *row;
        if (!find_of_command(result, c, &own))
            continue;
        if (!found || own.standing < row->standing ||
            (own.standing == row->standing && own.size > row->size))
            *row = own;
        found = true;
    }
    return found;
}

static struct lauka_overview_row make_row(const struct lauka_session *session, size_t benchmark)
{
    const struct lauka_result *result = &session->benchmarks[benchmark];
    struct lauka_overview_row row = {.benchmark = benchmark,
                                     .metric = lauka_result_main_metric(result)};
    if (lauka_result_ending(result) >= LAUKA_ENDED_BY_ERROR) {
        row.standing = LAUKA_STANDING_FAILED;
    } else if (result->run.rounds == 0) {
        row.standing = LAUKA_STANDING_MISSING;
    } else if (result->gate.row_count > 0) {
        find_limit(result, &row);
    } else if (lauka_result_has_gate(result)) { /* no limit applies, so that none is held */
        row.standing = LAUKA_STANDING_INCONCLUSIVE;
        row.size = HUGE_VAL;
    } else if (result->command_count < 2 || result->run.noise) {
        row.standing = LAUKA_STANDING_ALONE;
    } else if (!find_comparison(result, &row)) {
        row.standing = LAUKA_STANDING_INCONCLUSIVE;
        row.size = HUGE_VAL;
    }
    /* A gate decides; what it does not limit cannot fail. */
    if (row.standing == LAUKA_STANDING_WORSE && !row.gate && lauka_session_has_gate(session))
        row.standing = LAUKA_STANDING_CHANGED;
    return row;
}

/* ---- all of them --------------------------------------------------------------------------------- */

static int compare_rows(const void *left, const void *right)
{
    const struct lauka_overview_row *a = left, *b = right;
    if (a->standing != b->standing)
        return a->standing < b->standing ? -1 : 1;
    bool sorted = a->standing > LAUKA_STANDING_MISSING && a->standing < LAUKA_STANDING_EQUIVALENT;
    if (sorted && a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return (a->benchmark > b->benchmark) - (a->benchmark < b->benchmark);
}

/* Short names; an overview explains no letters: where some would be needed, the texts are cut in their middles, and
 * *whole is false. NULL without memory. */
static const char **short_names(struct lauka_prose *prose, const char **texts, size_t count,
                                int width, bool *whole)
{
    bool *lettered = lauka_prose_room(prose, count + 1, sizeof *lettered);
    const char **kept = lauka_prose_room(prose, count, sizeof *kept);
    *whole = true;
    if (!lettered || !kept || !texts)
        return NULL;
    char **names = lauka_short_names(texts, count, width, prose->utf8, lettered);
    lauka_prose_fail(prose, names ? 0 : ENOMEM);
    for (size_t i = 0; names && i < count; i++) {
        kept[i] = lauka_say(prose, "%s", names[i]);
        *whole = *whole && !lettered[i];
    }
    lauka_strings_free(names);
    return !names ? NULL : *whole ? kept : lauka_say_unique(prose, texts, count, width, "");
}

static const char *plain_name(struct lauka_prose *prose, const char *name)
{
    return lauka_say(prose, "`%s`", name);
}

const struct lauka_overview_row *lauka_overview_further(struct lauka_prose *prose,
                                                        const struct lauka_overview *overview,
                                                        const struct lauka_overview_row *row,
                                                        size_t *count)
{
    const struct lauka_result *result = lauka_overview_result(overview, row);
    struct lauka_overview_row *rows = lauka_prose_room(prose, LAUKA_FURTHER_LIMITS, sizeof *rows);
    *count = 0;
    if (!rows || !row->gate || row->standing != LAUKA_STANDING_WORSE)
        return rows;
    const struct lauka_exceeded limits = lauka_exceeded_limits(prose, result, LAUKA_EACH_COMMAND);
    for (size_t i = 0; i < limits.count && *count < LAUKA_FURTHER_LIMITS; i++) {
        const struct lauka_gate_row *limit = limits.rows[i];
        if (limit == row->gate)
            continue;
        struct lauka_overview_row *further = &rows[(*count)++];
        *further = *row;
        further->command = limit->command;
        further->metric = limit->metric;
        further->gate = limit;
    }
    return rows;
}

bool lauka_overview_shorten(struct lauka_prose *prose, struct lauka_overview *overview, int width)
{
    const struct lauka_session *session = overview->session;
    const char **names = lauka_prose_room(prose, session->benchmark_count, sizeof *names);
    for (size_t b = 0; names && b < session->benchmark_count; b++)
        names[b] = session->benchmarks[b].benchmark.name ? session->benchmarks[b].benchmark.name
                                                         : "(no name)";
    bool whole;
    overview->names = short_names(prose, names, session->benchmark_count, width, &whole);
    overview->count = overview->names ? overview->count : 0;
    return whole;
}

/* Half of a terminal, or as much as a document has room for. */
static int width_of_names(const struct lauka_prose *prose)
{
    const int half = prose->terminal.width / 2;
    return prose->terminal.width == 0 ? NAME_WIDEST : half > NAME_WIDTH ? half : NAME_WIDTH;
}

struct lauka_overview lauka_overview(struct lauka_prose *prose, const struct lauka_session *session)
{
    struct lauka_overview overview = {.session = session, .name_of = plain_name};
    overview.rows = lauka_prose_room(prose, session->benchmark_count, sizeof *overview.rows);
    overview.count = overview.rows ? session->benchmark_count : 0;
    lauka_overview_shorten(prose, &overview, width_of_names(prose));
    for (size_t b = 0; b < overview.count; b++) {
        struct lauka_overview_row *row = &overview.rows[b];
        *row = make_row(session, b);
        overview.standings[row->standing]++;
        overview.gated += session->benchmarks[b].gate.row_count > 0;
        enum lauka_ending ending = lauka_result_ending(&session->benchmarks[b]);
        overview.interrupted += ending == LAUKA_ENDED_BY_SIGNAL;
        overview.complete += ending == LAUKA_ENDED_WELL;
    }
    if (overview.count > 0)
        qsort(overview.rows, overview.count, sizeof *overview.rows, compare_rows);
    return overview;
}

/* ---- words --------------------------------------------------------------------------------------- */

/* For a clear change; empty if its direction is not known. */
static const char *word_of_change(const struct lauka_result *result,
                                  const struct lauka_overview_row *row)
{
    bool speed = lauka_is_speed(result, row->metric);
    if (!row->gate)
        return lauka_verdict_word(lauka_result_comparison(result, row->command, row->metric),
                                  speed);
    const struct lauka_judgement *judgement = &row->gate->judgement;
    double change = judgement->change.known ? judgement->change.value : judgement->difference.value;
    return change == 0 ? "" : lauka_direction_word(change > 0, speed);
}

static const char *word_of(const struct lauka_result *result, const struct lauka_overview_row *row)
{
    const char *word;
    if (row->gate && row->gate->allowance)
        return "allowed";
    if (row->gate && row->standing == LAUKA_STANDING_WORSE)
        return "FAIL";
    switch (row->standing) {
    case LAUKA_STANDING_FAILED: /* not "failed", which a limit does as well */
        return "error";
    case LAUKA_STANDING_MISSING:
        return "not measured";
    case LAUKA_STANDING_WORSE:
    case LAUKA_STANDING_CHANGED:
    case LAUKA_STANDING_BETTER:
        word = word_of_change(result, row);
        return *word ? word : "changed";
    case LAUKA_STANDING_INCONCLUSIVE:
        return "inconclusive";
    case LAUKA_STANDING_EQUIVALENT:
        return row->gate ? "within limit" : "equivalent";
    case LAUKA_STANDING_ALONE:
    case LAUKA_STANDINGS:
        break;
    }
    return "";
}

const char *lauka_gate_row_verdict(const struct lauka_result *result,
                                   const struct lauka_gate_row *limit)
{
    const struct lauka_overview_row row = {
        .standing = standing_of(lauka_concern_of_row(result, limit)),
        .command = limit->command,
        .metric = limit->metric,
        .gate = limit,
    };
    return word_of(result, &row);
}

/* ---- the sentence -------------------------------------------------------------------------------- */

/* Of a budget only that it is exceeded is known. */
static const char *direction_of(const struct lauka_result *result,
                                const struct lauka_overview_row *row)
{
    const char *word = word_of_change(result, row);
    return *word ? word : "over the limit";
}

/* The word of all rows of the standing, or one for all of them where they differ. */
static const char *common_word(const struct lauka_overview *overview, enum lauka_standing standing)
{
    const char *common = NULL;
    for (size_t i = 0; i < overview->count; i++) {
        const struct lauka_overview_row *row = &overview->rows[i];
        const struct lauka_result *result = lauka_overview_result(overview, row);
        if (row->standing != standing)
            continue;
        const char *word = lauka_is_speed(result, row->metric) ? direction_of(result, row) : "";
        common = !common || strcmp(common, word) == 0 ? word : "";
    }
    if (common && *common)
        return common;
    return standing == LAUKA_STANDING_WORSE ? "worse" : "better";
}

/* A limit that is exceeded with permission is not one that is held. */
static const char *word_of_changed(const struct lauka_overview *overview)
{
    size_t allowed = 0;
    for (size_t i = 0; i < overview->count; i++) {
        const struct lauka_overview_row *row = &overview->rows[i];
        allowed += row->standing == LAUKA_STANDING_CHANGED && row->gate && row->gate->allowance;
    }
    return overview->gated == 0 ? "changed"
           : allowed == 0       ? "changed within limits"
           : allowed < overview->standings[LAUKA_STANDING_CHANGED]
               ? "changed or allowed to exceed limits"
               : "allowed to exceed limits";
}

/* What follows the number of them, or the verb. */
static const char *predicate(const struct lauka_overview *overview, enum lauka_standing standing)
{
    return standing == LAUKA_STANDING_FAILED        ? "ended with an error"
           : standing == LAUKA_STANDING_MISSING     ? "not measured"
           : standing == LAUKA_STANDING_CHANGED     ? word_of_changed(overview)
           : standing < LAUKA_STANDING_INCONCLUSIVE ? common_word(overview, standing)
                                                    : "inconclusive";
}

const char *lauka_overview_rest(struct lauka_prose *prose, const struct lauka_overview *overview)
{
    if (overview->gated > 0)
        return overview->gated < overview->count ? "unchanged" : "within the limits";
    return lauka_say(prose, "equivalent (within %s)",
                     lauka_say_share(prose, lauka_result_precision(overview->session->benchmarks)));
}

const char *lauka_overview_interruption(struct lauka_prose *prose,
                                        const struct lauka_overview *overview)
{
    return overview->interrupted == 0
               ? ""
               : lauka_say(prose, "the session was interrupted: %zu of %zu benchmark%s %s complete",
                           overview->complete, overview->count, lauka_plural(overview->count),
                           overview->complete == 1 ? "is" : "are");
}

/* Said once about all that have the same standing; failures have no such word. Static. */
static const char *verb_of(enum lauka_standing standing, size_t number, bool *said)
{
    if (standing == LAUKA_STANDING_MISSING)
        return number == 1 ? " was" : " were";
    if (standing == LAUKA_STANDING_FAILED || *said)
        return "";
    *said = true;
    return number == 1 ? " is" : " are";
}

/* Of those from `begin` on and before `end`; counted: how many benchmarks there are has been said. */
static const char *standings_between(struct lauka_prose *prose,
                                     const struct lauka_overview *overview,
                                     enum lauka_standing begin, enum lauka_standing end,
                                     bool counted)
{
    bool said = false;
    const char *text = "";
    for (enum lauka_standing standing = begin; standing < end; standing++) {
        size_t number = overview->standings[standing];
        const char *all = "";
        if (number == 0)
            continue;
        if (!*text && !counted)
            all = lauka_say(prose, " of %zu benchmark%s", overview->count,
                            lauka_plural(overview->count));
        text =
            lauka_join(prose, text, ", ",
                       lauka_say(prose, "%zu%s%s %s", number, all, verb_of(standing, number, &said),
                                 predicate(overview, standing)));
    }
    return text;
}

/* Of all before `end`. What decided is named instead of the number of worse ones. */
static const char *standings_of(struct lauka_prose *prose, const struct lauka_overview *overview,
                                enum lauka_standing end, bool counted)
{
    const char *decided = lauka_overview_decided(prose, overview);
    if (!*decided)
        return standings_between(prose, overview, 0, end, counted);
    const char *before = standings_between(prose, overview, 0, LAUKA_STANDING_WORSE, counted);
    const char *after =
        standings_between(prose, overview, LAUKA_STANDING_CHANGED, end, counted || *before != 0);
    return lauka_join(prose, lauka_join(prose, before, "; ", decided), "; ", after);
}

/* Where no standing says more. */
static const char *all_of(struct lauka_prose *prose, const struct lauka_overview *overview,
                          const char *words)
{
    return overview->count == 1 ? lauka_say(prose, "the benchmark is %s", words)
           : overview->count == 2
               ? lauka_say(prose, "both benchmarks are %s", words)
               : lauka_say(prose, "all %zu benchmarks are %s", overview->count, words);
}

const char *lauka_overview_headline(struct lauka_prose *prose,
                                    const struct lauka_overview *overview)
{
    size_t rest = overview->standings[LAUKA_STANDING_EQUIVALENT];
    size_t alone = overview->standings[LAUKA_STANDING_ALONE];
    const char *interruption = lauka_overview_interruption(prose, overview);
    const char *words = lauka_overview_rest(prose, overview);
    const char *text = standings_of(prose, overview, LAUKA_STANDING_EQUIVALENT, *interruption != 0);
    if (!*text)
        text = all_of(prose, overview, alone == overview->count ? "measured" : words);
    else
        text = lauka_say(prose, "%s%s%s", text,
                         rest > 0 ? lauka_say(prose, "; %zu %s", rest, words) : "",
                         alone > 0 ? lauka_say(prose, "; %zu measured alone", alone) : "");
    return lauka_join(prose, interruption, "; ", text);
}

const char *lauka_overview_worst(struct lauka_prose *prose, const struct lauka_overview *overview)
{
    return standings_of(prose, overview, LAUKA_STANDING_CHANGED, false);
}

enum lauka_concern lauka_overview_concern(const struct lauka_overview *overview)
{
    enum lauka_concern worst =
        overview->interrupted > 0 ? LAUKA_CONCERN_FAILED : LAUKA_CONCERN_NONE;
    for (size_t i = 0; i < overview->count; i++) {
        const struct lauka_overview_row *row = &overview->rows[i];
        enum lauka_concern concern = lauka_standing_concern(row->standing);
        bool decides = overview->gated == 0 || row->gate || concern != LAUKA_CONCERN_UNCLEAR;
        worst = decides && concern > worst ? concern : worst;
    }
    const bool open = lauka_session_has_gate(overview->session) &&
                      lauka_session_verdict(overview->session) == LAUKA_GATE_INCONCLUSIVE;
    return open && worst < LAUKA_CONCERN_UNCLEAR ? LAUKA_CONCERN_UNCLEAR : worst;
}

/* ---- a row --------------------------------------------------------------------------------------- */

/* "12.40 → 13.03 ms"; nothing of a budget, which is about one command alone. */
static const char *means_of(struct lauka_prose *prose, const struct lauka_result *result,
                            const struct lauka_overview_row *row)
{
    size_t reference = row->gate ? row->gate->reference : 0;
    struct lauka_result_view before = lauka_result_view(result, reference, row->metric);
    struct lauka_result_view after = lauka_result_view(result, row->command, row->metric);
    if (reference == row->command || !before.counted || !after.counted || before.at_floor ||
        after.at_floor)
        return "";
    return lauka_say_means(prose, result, reference, row->command, row->metric, false, " ");
}

/* "12.40 ± 0.10 ms", of what is compared with nothing. */
static const char *mean_alone(struct lauka_prose *prose, const struct lauka_result *result,
                              size_t metric)
{
    const struct lauka_cells cells = lauka_result_cells(prose, result, 0, metric);
    return cells.counted ? lauka_cells_mean(prose, &cells, " ") : "";
}

/* For ratios only; for differences the interval itself says it. */
static const char *interval_reach(struct lauka_prose *prose, const struct lauka_result *result,
                                  const struct lauka_overview_row *row)
{
    const struct lauka_comparison *values =
        lauka_result_comparison(result, row->command, row->metric);
    double low = 0, high = 0;
    if (row->gate) {
        low = row->gate->judgement.change_low.value;
        high = row->gate->judgement.change_high.value;
    } else if (values && values->confidence > 0 && values->log_low.known) {
        low = expm1(values->log_low.value);
        high = expm1(values->log_high.value);
    }
    return high > low ? lauka_say(prose, "%s%s", prose->signs->plus_minus,
                                  lauka_say_share_roughly(prose, fmax(fabs(low), fabs(high))))
                      : "";
}

static struct lauka_change change_of(struct lauka_prose *prose, const struct lauka_result *result,
                                     const struct lauka_overview_row *row)
{
    const struct lauka_comparison *values =
        lauka_result_comparison(result, row->command, row->metric);
    if (row->gate)
        return lauka_gate_row_change(prose, result, row->gate);
    return values
               ? lauka_change(prose, values, lauka_result_scale(result, row->metric, prose->utf8))
               : (struct lauka_change){"", ""};
}

/* Whether the benchmark exceeds other limits, too: then each has the name of its metric. */
static bool is_one_of_several(struct lauka_prose *prose, const struct lauka_result *result,
                              const struct lauka_overview_row *row)
{
    return row->gate && row->standing == LAUKA_STANDING_WORSE &&
           lauka_exceeded_limits(prose, result, LAUKA_EACH_COMMAND).count > 1;
}

/* The short name of the command's side, as of all benchmarks with these sides. */
static const char *side_of(struct lauka_prose *prose, const struct lauka_result *result,
                           size_t command)
{
    const char **sides = lauka_prose_room(prose, result->command_count, sizeof *sides);
    for (size_t c = 0; sides && c < result->command_count; c++)
        sides[c] = lauka_result_side(result, c);
    bool whole;
    const char **names = short_names(prose, sides, result->command_count, NAME_WIDTH, &whole);
    return names ? names[command] : "?";
}

/* Whether all that changed is about wall time, which need not be named then. */
static bool is_usual(const struct lauka_overview *overview)
{
    for (size_t i = 0; i < overview->count; i++) {
        const struct lauka_overview_row *row = &overview->rows[i];
        const struct lauka_result *result = lauka_overview_result(overview, row);
        if (lauka_standing_concern(row->standing) != LAUKA_CONCERN_NONE &&
            row->metric < result->metric_count &&
            strcmp(result->metrics[row->metric].name, "wall_time") != 0)
            return false;
    }
    return true;
}

/* What is known about the comparison. */
static void put_comparison(struct lauka_prose *prose, const struct lauka_overview *overview,
                           const struct lauka_overview_row *row, struct lauka_overview_cells *cells)
{
    const struct lauka_result *result = lauka_overview_result(overview, row);
    if (result->command_count > 2)
        cells->side = side_of(prose, result, row->command);
    cells->metric = lauka_say_fitted(prose, result->metrics[row->metric].name, NAME_WIDTH / 2);
    if (row->gate) {
        struct lauka_gate_cells limit = lauka_gate_row_cells(prose, result, row->gate);
        cells->metric = limit.text[LAUKA_GATE_CELL_METRIC];
        cells->limit = limit.text[LAUKA_GATE_CELL_LIMIT];
    }
    if (strcmp(cells->metric, "wall_time") == 0 && !is_one_of_several(prose, result, row) &&
        (is_usual(overview) || lauka_standing_concern(row->standing) == LAUKA_CONCERN_NONE))
        cells->metric = "";
    struct lauka_change change = change_of(prose, result, row);
    cells->estimate = change.estimate;
    cells->interval = change.interval;
    cells->means = means_of(prose, result, row);
    if (row->standing == LAUKA_STANDING_INCONCLUSIVE)
        cells->reach = interval_reach(prose, result, row);
    if (row->gate && row->standing == LAUKA_STANDING_WORSE)
        cells->found = lauka_join(prose, cells->verdict, ": ",
                                  lauka_limits_list(prose, result, LAUKA_CONCERN_WORSE));
    else if (row->standing != LAUKA_STANDING_EQUIVALENT) /* of several limits */
        cells->found = lauka_join(prose, cells->metric, " ", cells->verdict);
}

struct lauka_overview_cells lauka_overview_row_cells(struct lauka_prose *prose,
                                                     const struct lauka_overview *overview,
                                                     const struct lauka_overview_row *row)
{
    const struct lauka_result *result = lauka_overview_result(overview, row);
    const char *word = word_of(result, row);
    struct lauka_overview_cells cells = {
        .name = overview->names[row->benchmark],
        .side = "",
        .metric = "",
        .verdict = word,
        .found = word,
        .estimate = "",
        .interval = "",
        .reach = "",
        .limit = "",
        .means = "",
    };
    const bool known = row->metric < result->metric_count;
    if (row->standing == LAUKA_STANDING_ALONE && known)
        cells.means = mean_alone(prose, result, row->metric);
    if (row->standing > LAUKA_STANDING_MISSING && known && (row->command > 0 || row->gate))
        put_comparison(prose, overview, row, &cells);
    return cells;
}
