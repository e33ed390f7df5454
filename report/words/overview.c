/* Many benchmarks at a glance: the standing of each, their order, and all of them in one sentence. Every
 * form that shows a session takes order, words and figures from here. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 36 }; /* columns */

/* ---- what a benchmark came to -------------------------------------------------------------------- */

static enum lauka_standing standing_of(enum lauka_concern concern)
{
    switch (concern) {
    case LAUKA_CONCERN_FAILED:
        return LAUKA_STANDING_FAILED;
    case LAUKA_CONCERN_WORSE:
        return LAUKA_STANDING_WORSE;
    case LAUKA_CONCERN_UNCLEAR:
        return LAUKA_STANDING_INCONCLUSIVE;
    case LAUKA_CONCERN_CHANGED:
        return LAUKA_STANDING_CHANGED;
    case LAUKA_CONCERN_BETTER:
        return LAUKA_STANDING_BETTER;
    case LAUKA_CONCERN_NONE:
        break;
    }
    return LAUKA_STANDING_EQUIVALENT;
}

enum lauka_concern lauka_standing_concern(enum lauka_standing standing)
{
    switch (standing) {
    case LAUKA_STANDING_FAILED:
    case LAUKA_STANDING_MISSING:
        return LAUKA_CONCERN_FAILED;
    case LAUKA_STANDING_WORSE:
        return LAUKA_CONCERN_WORSE;
    case LAUKA_STANDING_CHANGED:
        return LAUKA_CONCERN_CHANGED;
    case LAUKA_STANDING_BETTER:
        return LAUKA_CONCERN_BETTER;
    case LAUKA_STANDING_INCONCLUSIVE:
        return LAUKA_CONCERN_UNCLEAR;
    case LAUKA_STANDING_EQUIVALENT:
    case LAUKA_STANDING_ALONE:
    case LAUKA_STANDINGS:
        break;
    }
    return LAUKA_CONCERN_NONE;
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

int lauka_overview_make(const struct lauka_session *session, struct lauka_overview *overview)
{
    *overview = (struct lauka_overview){.session = session};
    overview->rows = calloc(session->benchmark_count + 1, sizeof *overview->rows);
    if (!overview->rows)
        return ENOMEM;
    overview->count = session->benchmark_count;
    for (size_t b = 0; b < overview->count; b++) {
        struct lauka_overview_row *row = &overview->rows[b];
        *row = make_row(session, b);
        overview->standings[row->standing]++;
        overview->gated += session->benchmarks[b].gate.row_count > 0;
        enum lauka_ending ending = lauka_result_ending(&session->benchmarks[b]);
        overview->interrupted += ending == LAUKA_ENDED_BY_SIGNAL;
        overview->complete += ending == LAUKA_ENDED_WELL;
    }
    qsort(overview->rows, overview->count, sizeof *overview->rows, compare_rows);
    return 0;
}

void lauka_overview_done(struct lauka_overview *overview)
{
    free(overview->rows);
    *overview = (struct lauka_overview){0};
}

const struct lauka_result *lauka_overview_result(const struct lauka_overview *overview,
                                                 const struct lauka_overview_row *row)
{
    return &overview->session->benchmarks[row->benchmark];
}

/* ---- words --------------------------------------------------------------------------------------- */

/* Whether more of the metric is slower, rather than higher. */
static bool is_speed(const struct lauka_result *result, size_t metric)
{
    const struct lauka_result_metric *about = &result->metrics[metric];
    return strcmp(about->unit, "ns") == 0 && strcmp(about->better, "neither") != 0;
}

/* For a clear change; empty if its direction is not known. */
static const char *word_of_change(const struct lauka_result *result,
                                  const struct lauka_overview_row *row)
{
    bool speed = is_speed(result, row->metric);
    double change = 0;
    if (!row->gate)
        return lauka_verdict_word(lauka_result_comparison(result, row->command, row->metric),
                                  speed ? "ns" : "1");
    change = row->gate->judgement.change.known ? row->gate->judgement.change.value
                                               : row->gate->judgement.difference.value;
    return change > 0 ? speed ? "slower" : "higher" : change < 0 ? speed ? "faster" : "lower" : "";
}

static const char *word_of(const struct lauka_result *result, const struct lauka_overview_row *row)
{
    const char *word;
    if (row->gate && row->gate->allowance)
        return "allowed";
    switch (row->standing) {
    case LAUKA_STANDING_FAILED:
        return "failed";
    case LAUKA_STANDING_MISSING:
        return "not measured";
    case LAUKA_STANDING_WORSE:
    case LAUKA_STANDING_CHANGED:
    case LAUKA_STANDING_BETTER:
        word = word_of_change(result, row);
        return *word ? word : row->standing == LAUKA_STANDING_WORSE ? "over the limit" : "changed";
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

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
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
        const char *word = is_speed(result, row->metric) ? word_of(result, row) : "";
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
    switch (standing) {
    case LAUKA_STANDING_FAILED:
        return "failed";
    case LAUKA_STANDING_MISSING:
        return "not measured";
    case LAUKA_STANDING_WORSE:
    case LAUKA_STANDING_BETTER:
        return common_word(overview, standing);
    case LAUKA_STANDING_CHANGED:
        return word_of_changed(overview);
    case LAUKA_STANDING_INCONCLUSIVE:
        return "inconclusive";
    case LAUKA_STANDING_EQUIVALENT:
    case LAUKA_STANDING_ALONE:
    case LAUKA_STANDINGS:
        break;
    }
    return "";
}

/* "equivalent (within 1 %)"; of limits only what holds of all of them. */
void lauka_overview_rest(const struct lauka_overview *overview, char *text, size_t size)
{
    char share[32];
    if (overview->gated == 0)
        snprintf(text, size, "equivalent (within %s)",
                 lauka_format_share(lauka_result_precision(overview->session->benchmarks), share,
                                    sizeof share));
    else
        snprintf(text, size, overview->gated < overview->count ? "unchanged" : "within the limits");
}

bool lauka_overview_interruption(const struct lauka_overview *overview, char *text, size_t size)
{
    text[0] = 0;
    if (overview->interrupted > 0)
        snprintf(text, size, "the session was interrupted: %zu of %zu benchmark%s %s complete",
                 overview->complete, overview->count, overview->count == 1 ? "" : "s",
                 overview->complete == 1 ? "is" : "are");
    return overview->interrupted > 0;
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

/* Of those before `end`, after what is in the text. */
static bool say_standings(const struct lauka_overview *overview, enum lauka_standing end,
                          char *text, size_t size)
{
    bool first = true, said = false, counted = *text != '\0'; /* how many there are is said */
    for (enum lauka_standing standing = 0; standing < end; standing++) {
        size_t number = overview->standings[standing];
        char part[160], all[64] = "";
        if (number == 0)
            continue;
        if (first && !counted)
            snprintf(all, sizeof all, " of %zu benchmark%s", overview->count,
                     overview->count == 1 ? "" : "s");
        snprintf(part, sizeof part, "%s%zu%s%s %s", first ? "" : ", ", number, all,
                 verb_of(standing, number, &said), predicate(overview, standing));
        append(text, size, part);
        first = false;
    }
    return !first;
}

void lauka_overview_headline(const struct lauka_overview *overview, char *text, size_t size)
{
    size_t rest = overview->standings[LAUKA_STANDING_EQUIVALENT];
    size_t alone = overview->standings[LAUKA_STANDING_ALONE];
    char words[64], part[160];
    if (lauka_overview_interruption(overview, text, size))
        append(text, size, "; ");
    lauka_overview_rest(overview, words, sizeof words);
    if (say_standings(overview, LAUKA_STANDING_EQUIVALENT, text, size)) {
        snprintf(part, sizeof part, "; %zu %s", rest, words);
        append(text, size, rest > 0 ? part : "");
        snprintf(part, sizeof part, "; %zu measured alone", alone);
        append(text, size, alone > 0 ? part : "");
        return;
    }
    if (alone == overview->count)
        snprintf(words, sizeof words, "measured");
    if (overview->count == 1)
        snprintf(part, sizeof part, "the benchmark is %s", words);
    else if (overview->count == 2)
        snprintf(part, sizeof part, "both benchmarks are %s", words);
    else
        snprintf(part, sizeof part, "all %zu benchmarks are %s", overview->count, words);
    append(text, size, part);
}

bool lauka_overview_worst(const struct lauka_overview *overview, char *text, size_t size)
{
    text[0] = 0;
    return say_standings(overview, LAUKA_STANDING_CHANGED, text, size);
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

static void put_fitted(const char *from, bool utf8, char *text, size_t size)
{
    char *fitted = lauka_fit_text(from, NAME_WIDTH, utf8);
    snprintf(text, size, "%s", fitted ? fitted : "?");
    free(fitted);
}

static char *format_mean(const struct lauka_result *result, size_t command, size_t metric,
                         struct lauka_scale scale, char *text, size_t size)
{
    double mean = lauka_result_view(result, command, metric).summary->mean;
    return lauka_format_uncertain(mean, mean, lauka_result_deviation(result, command, metric),
                                  scale, text, size);
}

static void put_means(const struct lauka_result *result, const struct lauka_overview_row *row,
                      bool utf8, struct lauka_overview_cells *cells)
{
    size_t reference = row->gate ? row->gate->reference : 0;
    struct lauka_result_view before = lauka_result_view(result, reference, row->metric);
    struct lauka_result_view after = lauka_result_view(result, row->command, row->metric);
    struct lauka_scale scale = lauka_result_scale(result, row->metric, utf8);
    char first[48], second[48];
    if (reference == row->command) /* a budget, of one command alone */
        return;
    if (!before.counted || !after.counted || before.at_floor || after.at_floor)
        return;
    snprintf(cells->means, sizeof cells->means, "%s %s %s%s%s",
             format_mean(result, reference, row->metric, scale, first, sizeof first),
             utf8 ? "→" : "->",
             format_mean(result, row->command, row->metric, scale, second, sizeof second),
             *scale.suffix ? " " : "", scale.suffix);
}

/* Of what is compared with nothing. */
static void put_mean(const struct lauka_result *result, const struct lauka_overview_row *row,
                     bool utf8, struct lauka_overview_cells *cells)
{
    struct lauka_result_view view = lauka_result_view(result, 0, row->metric);
    struct lauka_scale scale = lauka_result_scale(result, row->metric, utf8);
    char mean[48], deviation[48];
    if (!view.counted || view.at_floor || !view.summary->stddev.known)
        return;
    snprintf(cells->means, sizeof cells->means, "%s %s %s%s%s",
             format_mean(result, 0, row->metric, scale, mean, sizeof mean), utf8 ? "±" : "+-",
             lauka_format_uncertain(view.summary->stddev.value, view.summary->mean,
                                    view.summary->stddev.value, scale, deviation, sizeof deviation),
             *scale.suffix ? " " : "", scale.suffix);
}

/* For ratios only; for differences the interval itself says it. */
static void put_half(const struct lauka_result *result, const struct lauka_overview_row *row,
                     bool utf8, struct lauka_overview_cells *cells)
{
    const struct lauka_comparison *values =
        lauka_result_comparison(result, row->command, row->metric);
    double half = 0;
    char share[24];
    if (row->gate)
        half = half_of(row->gate->judgement.change_low, row->gate->judgement.change_high);
    else if (values && values->confidence > 0 && values->log_low.known)
        half = (expm1(values->log_high.value) - expm1(values->log_low.value)) / 2;
    if (half > 0)
        snprintf(cells->half, sizeof cells->half, "%s%s", utf8 ? "±" : "+-",
                 lauka_format_share_roughly(half, share, sizeof share));
}

static void put_metric(const struct lauka_result *result, const struct lauka_overview_row *row,
                       bool utf8, struct lauka_overview_cells *cells)
{
    struct lauka_gate_cells limit;
    char *safe = lauka_fit_text(result->metrics[row->metric].name, NAME_WIDTH / 2, utf8);
    snprintf(cells->metric, sizeof cells->metric, "%s", safe ? safe : "?");
    free(safe);
    if (row->gate) {
        lauka_gate_row_cells(result, row->gate, utf8, &limit);
        snprintf(cells->metric, sizeof cells->metric, "%.95s", limit.text[LAUKA_GATE_CELL_METRIC]);
        snprintf(cells->limit, sizeof cells->limit, "%.95s", limit.text[LAUKA_GATE_CELL_LIMIT]);
    }
    if (strcmp(cells->metric, "wall_time") == 0)
        cells->metric[0] = 0;
}

static void put_change(const struct lauka_result *result, const struct lauka_overview_row *row,
                       bool utf8, struct lauka_overview_cells *cells)
{
    const struct lauka_comparison *values =
        lauka_result_comparison(result, row->command, row->metric);
    struct lauka_change change = {{0}, {0}};
    if (row->gate)
        lauka_gate_row_change(result, row->gate, utf8, &change);
    else if (values)
        lauka_change_format(values, lauka_result_scale(result, row->metric, utf8), utf8, &change);
    snprintf(cells->estimate, sizeof cells->estimate, "%s", change.estimate);
    snprintf(cells->interval, sizeof cells->interval, "%s", change.interval);
}

void lauka_overview_row_cells(const struct lauka_overview *overview,
                              const struct lauka_overview_row *row, bool utf8,
                              struct lauka_overview_cells *cells)
{
    const struct lauka_result *result = lauka_overview_result(overview, row);
    const char *name = result->benchmark.name;
    *cells = (struct lauka_overview_cells){.verdict = word_of(result, row)};
    put_fitted(name ? name : "(no name)", utf8, cells->name, sizeof cells->name);
    snprintf(cells->found, sizeof cells->found, "%s", cells->verdict);
    if (row->standing == LAUKA_STANDING_ALONE && row->metric < result->metric_count)
        put_mean(result, row, utf8, cells);
    if (row->standing <= LAUKA_STANDING_MISSING || row->metric >= result->metric_count ||
        (row->command == 0 && !row->gate))
        return;
    const struct lauka_result_command *command = &result->commands[row->command];
    if (result->command_count > 2)
        put_fitted(command->side ? command->side : command->label, utf8, cells->side,
                   sizeof cells->side);
    put_metric(result, row, utf8, cells);
    put_change(result, row, utf8, cells);
    put_means(result, row, utf8, cells);
    if (row->standing == LAUKA_STANDING_INCONCLUSIVE)
        put_half(result, row, utf8, cells);
    bool one = row->standing != LAUKA_STANDING_EQUIVALENT && *cells->metric; /* of several limits */
    snprintf(cells->found, sizeof cells->found, "%s%s%s", one ? cells->metric : "", one ? " " : "",
             cells->verdict);
}
