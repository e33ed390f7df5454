/* A gate in words: the same in every report. */
#include "report/words/words.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 24 };

const char *lauka_gate_word(const struct lauka_result *result)
{
    switch (result->gate.verdict) {
    case LAUKA_GATE_FAIL:
        return "FAIL";
    case LAUKA_GATE_PASS:
        return "pass";
    case LAUKA_GATE_INCONCLUSIVE:
        break;
    }
    return "inconclusive";
}

/* ---- numbers --------------------------------------------------------------------------------- */

static const struct lauka_gate_rule *rule_of(const struct lauka_result *result,
                                             const struct lauka_gate_row *row)
{
    return &result->gate.rules[row->rule];
}

static void append(char *text, size_t size, const char *between, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used > 0 ? between : "", more);
}

/* On one scale, as a comparison that lauka_change_format knows. */
static struct lauka_comparison comparison_of(const struct lauka_judgement *judgement, bool as_share)
{
    struct lauka_comparison comparison = {
        .confidence = judgement->confidence,
        .method = judgement->exact ? LAUKA_METHOD_EXACT : LAUKA_METHOD_HODGES_LEHMANN,
    };
    if (as_share) {
        comparison.log_ratio = judgement->change;
        comparison.log_low = judgement->change_low;
        comparison.log_high = judgement->change_high;
        comparison.log_ratio.value =
            log1p(fmax(-1, judgement->change.value)); /* a mean's may lie */
        comparison.log_low.value = log1p(fmax(-1, judgement->change_low.value)); /* below nothing */
        comparison.log_high.value = log1p(fmax(-1, judgement->change_high.value));
    } else {
        comparison.difference = judgement->difference;
        comparison.difference_low = judgement->difference_low;
        comparison.difference_high = judgement->difference_high;
    }
    bool known = as_share ? judgement->change_low.known : judgement->difference_low.known;
    if (!known)
        comparison.confidence = 0;
    return comparison;
}

/* "50 µs": with as few digits as possible. */
static char *format_absolute(double value, const char *unit, bool utf8, char *text, size_t size)
{
    struct lauka_scale scale = lauka_scale_for(value, unit, utf8);
    snprintf(text, size, value < 9999.5 * scale.divisor ? "%.4g%s%s" : "%.0f%s%s",
             value / scale.divisor, *scale.suffix ? " " : "", scale.suffix);
    return text;
}

/* For a budget, the most that it can have been. */
static void put_floor(const struct lauka_result *result, const struct lauka_gate_row *row,
                      bool utf8, char *text)
{
    char number[64];
    snprintf(text, LAUKA_GATE_CELL_SIZE, "at most %s",
             format_absolute((double)lauka_result_floor(result, row->metric),
                             result->metrics[row->metric].unit, utf8, number, sizeof number));
}

/* If the reference is below what can be seen, the rise has only one known bound. */
static void put_bound(const struct lauka_result *result, const struct lauka_gate_row *row,
                      bool utf8, char *text)
{
    double mean = lauka_gate_mean(result, row->command, row->metric).value;
    double rise = mean - (double)lauka_result_floor(result, row->metric);
    char number[64];
    if (rule_of(result, row)->most.known)
        put_floor(result, row, utf8, text);
    else if (row->judgement.verdict != LAUKA_GATE_FAIL)
        snprintf(text, LAUKA_GATE_CELL_SIZE, "%s", lauka_dash(utf8));
    else
        snprintf(
            text, LAUKA_GATE_CELL_SIZE, "+%s or more",
            format_absolute(rise, result->metrics[row->metric].unit, utf8, number, sizeof number));
}

/* For a budget, the value itself. */
static void format_on_scale(const struct lauka_result *result, const struct lauka_gate_row *row,
                            bool as_share, bool utf8, struct lauka_change *change)
{
    struct lauka_scale scale = lauka_result_scale(result, row->metric, utf8);
    struct lauka_comparison comparison = comparison_of(&row->judgement, as_share);
    if (row->judgement.value.known && !as_share)
        lauka_value_format(&row->judgement, scale, change);
    else
        lauka_change_format(&comparison, scale, utf8, change);
}

static void put_change(const struct lauka_result *result, const struct lauka_gate_row *row,
                       bool utf8, char *text)
{
    *text = 0;
    if (row->reference_hidden || row->hidden) {
        put_bound(result, row, utf8, text);
        return;
    }
    for (int as_share = 1; as_share >= 0; as_share--) {
        struct lauka_change change;
        char both[160];
        format_on_scale(result, row, as_share, utf8, &change);
        snprintf(both, sizeof both, "%s%s%s%s", result->metrics[row->metric].share < 1 ? "~" : "",
                 change.estimate, *change.interval ? " " : "", change.interval);
        if (*change.estimate)
            append(text, LAUKA_GATE_CELL_SIZE, "; ", both);
    }
    if (!*text)
        snprintf(text, LAUKA_GATE_CELL_SIZE, "%s", lauka_dash(utf8));
}

void lauka_gate_row_change(const struct lauka_result *result, const struct lauka_gate_row *row,
                           bool utf8, struct lauka_change *change)
{
    *change = (struct lauka_change){{0}, {0}};
    if (row->reference_hidden || row->hidden) {
        char bound[LAUKA_GATE_CELL_SIZE];
        put_bound(result, row, utf8, bound);
        snprintf(change->estimate, sizeof change->estimate, "%.47s", bound);
    }
    for (int as_share = 1; as_share >= 0 && !*change->estimate; as_share--)
        format_on_scale(result, row, as_share, utf8, change);
}

static void put_limit(const struct lauka_result *result, const struct lauka_gate_row *row,
                      bool utf8, char *text)
{
    const struct lauka_gate_rule *rule = rule_of(result, row);
    const struct lauka_result_metric *about = &result->metrics[row->metric];
    char number[64];
    *text = 0;
    if (rule->share.known)
        append(text, LAUKA_GATE_CELL_SIZE, "",
               lauka_format_share(rule->share.value, number, sizeof number));
    if (rule->absolute.known)
        append(text, LAUKA_GATE_CELL_SIZE, " and ",
               format_absolute(rule->absolute.value, about->unit, utf8, number, sizeof number));
    if (rule->most.known)
        snprintf(text, LAUKA_GATE_CELL_SIZE, "%s %s", utf8 ? "≤" : "<=",
                 format_absolute(rule->most.value, about->unit, utf8, number, sizeof number));
}

const char *lauka_gate_figures(const struct lauka_result *result)
{
    bool budgets = false, changes = false;
    for (size_t i = 0; i < result->gate.row_count; i++) {
        bool budget = rule_of(result, &result->gate.rows[i])->most.known;
        budgets |= budget;
        changes |= !budget;
    }
    return !budgets ? "Change" : changes ? "Change or value" : "Value";
}

/* ---- why --------------------------------------------------------------------------------------- */

static bool is_stored(const struct lauka_result *result)
{
    return result->run.stopped == LAUKA_STOPPED_STORED;
}

/* If nothing counts instructions, there are only times, which suffer from other load. */
static bool lacks_counts(const struct lauka_result *result, size_t metric)
{
    size_t instructions = lauka_result_metric_index(result, "instructions");
    size_t simulated = lauka_result_metric_index(result, "sim_instructions");
    return strcmp(result->metrics[metric].unit, "ns") == 0 && simulated == result->metric_count &&
           instructions < result->metric_count && !result->metrics[instructions].counted &&
           !is_stored(result);
}

/* How long it would take until the interval no longer contained the limit, if the estimate stayed. */
static void say_around(const struct lauka_result *result, const struct lauka_gate_row *row,
                       char *text)
{
    const struct lauka_judgement *judgement = &row->judgement;
    const struct lauka_gate_rule *rule = rule_of(result, row);
    double half = (judgement->change_high.value - judgement->change_low.value) / 2;
    bool falls = lauka_gate_limit(result, rule, row->metric).falls;
    double worse = falls ? -judgement->change.value : judgement->change.value;
    double distance = fabs(worse - rule->share.value);
    char wait[32];
    snprintf(text, LAUKA_GATE_CELL_SIZE, "the interval contains the limit");
    if (judgement->effective > 0 && judgement->effective < (double)judgement->pairs / 2)
        snprintf(text, LAUKA_GATE_CELL_SIZE,
                 "runs resemble their neighbours: %" PRIu64 " count as %.0f", judgement->pairs,
                 fmax(1, judgement->effective));
    if (!judgement->change_low.known || !rule->share.known || rule->absolute.known)
        return;
    double factor = distance > 0 ? half / distance * (half / distance) : HUGE_VAL;
    bool wide = half > fmax(rule->share.value, lauka_result_precision(result));
    if (factor > 50 && wide)
        append(text, LAUKA_GATE_CELL_SIZE, ", too wide to tell: measure more ",
               is_stored(result) ? "values" : "rounds");
    else if (factor > 50)
        append(text, LAUKA_GATE_CELL_SIZE, "", ", too close to be told apart from it");
    else if (result->run.stopped == LAUKA_STOPPED_ROUNDS && factor > 1) {
        snprintf(wait, sizeof wait, "%.0f", ceil(factor * (double)judgement->pairs / 10) * 10);
        append(text, LAUKA_GATE_CELL_SIZE, "; about -r ", wait);
        append(text, LAUKA_GATE_CELL_SIZE, " might tell", "");
    } else if (!is_stored(result) && result->run.measured > 0 && factor > 1) {
        lauka_format_wait((factor - 1) * result->run.measured, wait, sizeof wait);
        append(text, LAUKA_GATE_CELL_SIZE, "; about ", wait);
        append(text, LAUKA_GATE_CELL_SIZE, " more (--max-time) might tell", "");
    }
    if (lacks_counts(result, row->metric))
        append(text, LAUKA_GATE_CELL_SIZE, "; or gate sim_instructions (--counters=valgrind)", "");
}

static void say_few(const struct lauka_result *result, const struct lauka_gate_row *row, char *text)
{
    const struct lauka_gate_rule *rule = rule_of(result, row);
    enum lauka_unit unit = result->benchmark.units.kind;
    const struct lauka_judgement *judgement = &row->judgement;
    const char *what = judgement->pairs == 1 ? lauka_unit_name(unit) : lauka_units_name(unit);
    char name[32];
    if (is_stored(result) && unit == LAUKA_UNIT_ROUND)
        what = judgement->pairs == 1 ? "value" : "values";
    snprintf(text, LAUKA_GATE_CELL_SIZE, "%" PRIu64 " %s of at least %" PRIu64 " that %s%s needs",
             judgement->pairs, what, judgement->needed,
             rule->statistic == LAUKA_STATISTIC_TYPICAL ? "it" : "the ",
             rule->statistic == LAUKA_STATISTIC_TYPICAL
                 ? ""
                 : lauka_statistic_name(rule->statistic, rule->rank, name, sizeof name));
}

/* Which command cannot be seen, and what follows, or what would help. */
static void say_hidden(const struct lauka_result *result, const struct lauka_gate_row *row,
                       bool utf8, char *text)
{
    double least = (double)lauka_result_floor(result, row->metric);
    double most = fmax(least, lauka_gate_mean(result, row->command, row->metric).value);
    const char *unit = result->metrics[row->metric].unit;
    char number[64], advice[64] = "";
    size_t command = row->reference_hidden ? row->reference : row->command;
    char *label = lauka_result_fit_label(result, command, LABEL_WIDTH, utf8);
    if (row->judgement.verdict == LAUKA_GATE_INCONCLUSIVE)
        snprintf(advice, sizeof advice, "; a limit of %s%.0fMiB or more can be decided",
                 rule_of(result, row)->most.known ? "" : "+", ceil(most / 0x1p20));
    snprintf(text, LAUKA_GATE_CELL_SIZE,
             "that of %s%s%s may be anything up to %s, as lower values cannot be seen%s",
             row->reference_hidden ? "the reference, " : "", label ? label : "?",
             !row->reference_hidden ? ""
             : row->hidden          ? ", and of the other"
                                    : ",",
             format_absolute(least, unit, utf8, number, sizeof number), advice);
    free(label);
}

static void say_unknown(const struct lauka_result *result, const struct lauka_gate_row *row,
                        char *text)
{
    bool budget = rule_of(result, row)->most.known;
    size_t reference = budget ? row->command : row->reference;
    if (result->run.rounds == 0)
        snprintf(text, LAUKA_GATE_CELL_SIZE, "no round was finished");
    else if (lauka_result_is_partial(result, reference, row->metric) ||
             lauka_result_is_partial(result, row->command, row->metric))
        snprintf(text, LAUKA_GATE_CELL_SIZE, "%s (see the notes)",
                 lauka_partial_reason(result, reference, row->command));
    else if (!result->metrics[row->metric].counted)
        snprintf(text, LAUKA_GATE_CELL_SIZE, "it could not be counted here");
    else if (budget)
        snprintf(text, LAUKA_GATE_CELL_SIZE, "there is nothing that could be judged");
    else
        snprintf(text, LAUKA_GATE_CELL_SIZE, "there is nothing that could be compared");
}

static void say_undecided(const struct lauka_result *result, const struct lauka_gate_row *row,
                          char *text)
{
    bool hidden = row->reference_hidden || row->hidden;
    if (hidden && row->judgement.undecided != LAUKA_UNDECIDED_FEW) /* that is why */
        return;
    switch (row->judgement.undecided) {
    case LAUKA_UNDECIDED_NOT:
        break;
    case LAUKA_UNDECIDED_AROUND:
        say_around(result, row, text);
        break;
    case LAUKA_UNDECIDED_FAMILY:
        snprintf(text, LAUKA_GATE_CELL_SIZE,
                 "beyond the limit if it were alone, but not as 1 of %" PRIu64 " (Holm)",
                 row->judgement.family);
        break;
    case LAUKA_UNDECIDED_FEW:
        say_few(result, row, text);
        break;
    case LAUKA_UNDECIDED_VALUES:
        snprintf(text, LAUKA_GATE_CELL_SIZE, "it needs single runs, which were not kept");
        break;
    case LAUKA_UNDECIDED_UNKNOWN:
        say_unknown(result, row, text);
        break;
    case LAUKA_UNDECIDED_HOSTS:
        snprintf(text, LAUKA_GATE_CELL_SIZE,
                 "the hosts differ: measure both on one host (or --cross-host)");
        break;
    case LAUKA_UNDECIDED_BROKEN:
        snprintf(text, LAUKA_GATE_CELL_SIZE, "the session was ended by an error");
        break;
    case LAUKA_UNDECIDED_CUT:
        snprintf(text, LAUKA_GATE_CELL_SIZE, "the session was interrupted");
        break;
    case LAUKA_UNDECIDED_ORDER:
        snprintf(text, LAUKA_GATE_CELL_SIZE, "%s", lauka_order_reason);
        break;
    case LAUKA_UNDECIDED_UNITS:
        snprintf(text, LAUKA_GATE_CELL_SIZE,
                 "over %s the typical value alone can be judged: leave the statistic out",
                 lauka_units_name(result->benchmark.units.kind));
        break;
    case LAUKA_UNDECIDED_STEPS:
        snprintf(text, LAUKA_GATE_CELL_SIZE,
                 "values come in steps, and too few of them differ for an interval");
        break;
    case LAUKA_UNDECIDED_MEAN:
        snprintf(text, LAUKA_GATE_CELL_SIZE,
                 "a typical run holds the limit, but the mean does not: see %s.mean",
                 result->metrics[row->metric].name);
        break;
    case LAUKA_UNDECIDED_SESSIONS:
        snprintf(text, LAUKA_GATE_CELL_SIZE,
                 "two sessions of one program may differ by more: measure both in one session");
        break;
    case LAUKA_UNDECIDED_LOGS:
        snprintf(text, LAUKA_GATE_CELL_SIZE,
                 "one log a side is one unit: give at least 4 a side (--vs)");
        break;
    case LAUKA_UNDECIDED_VOTES: /* say_votes tells it */
        break;
    }
}

static void put_safely(const char *text, bool utf8, char *cell, size_t size)
{
    char *safe = lauka_safe_text(text, utf8);
    snprintf(cell, size, "%s", safe ? safe : "?");
    free(safe);
}

static void say_allowance(const struct lauka_gate_row *row, bool utf8, char *text)
{
    const struct lauka_gate_allowance *allowance = row->allowance ? row->allowance : row->expired;
    char until[64], reason[320];
    put_safely(allowance->until, utf8, until, sizeof until);
    put_safely(allowance->reason, utf8, reason, sizeof reason);
    snprintf(text, LAUKA_GATE_CELL_SIZE,
             row->allowance ? "allowed until %s: %s" : "no longer allowed since %s: %s", until,
             reason);
}

/* When the gate is tried out: what was right and what was not. */
static void say_expected(const struct lauka_result *result, const struct lauka_gate_row *row,
                         char *text)
{
    bool slowed = lauka_gate_expected(result, row) == LAUKA_GATE_FAIL;
    enum lauka_gate verdict = row->judgement.verdict;
    if (verdict == LAUKA_GATE_INCONCLUSIVE)
        return;
    if (verdict == LAUKA_GATE_FAIL)
        snprintf(text, LAUKA_GATE_CELL_SIZE,
                 slowed ? "caught, as expected" : "a false alarm: it is the same program");
    else
        snprintf(text, LAUKA_GATE_CELL_SIZE,
                 slowed ? "missed: it was made worse than the limit" : "passed, as expected");
}

/* What is within its limit need not be unchanged. */
static void say_shift(const struct lauka_result *result, const struct lauka_gate_row *row,
                      char *text)
{
    static const char *const said[] = {
        [LAUKA_SHIFT_NONE] = "",
        [LAUKA_SHIFT_BETTER] = "better",
        [LAUKA_SHIFT_WORSE] = "worse, but within the limit",
        [LAUKA_SHIFT_OTHER] = "changed, but within the limit",
    };
    snprintf(text, LAUKA_GATE_CELL_SIZE, "%s", said[lauka_gate_shift_of(result, row)]);
}

/* ---- a row ----------------------------------------------------------------------------------- */

static const char *word_of(const struct lauka_gate_row *row)
{
    switch (row->judgement.verdict) {
    case LAUKA_GATE_FAIL:
        return row->allowance ? "allowed" : "FAIL";
    case LAUKA_GATE_PASS:
        return "pass";
    case LAUKA_GATE_INCONCLUSIVE:
        break;
    }
    return "inconclusive";
}

const char *lauka_gate_row_sign(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    if (!result->gate.tried || row->judgement.verdict == LAUKA_GATE_INCONCLUSIVE)
        return word_of(row);
    return lauka_gate_is_as_expected(result, row) ? "pass" : "FAIL";
}

static void put_command(const struct lauka_result *result, const struct lauka_gate_row *row,
                        bool utf8, char *text)
{
    char share[32];
    char *label = lauka_result_fit_label(result, row->command, LABEL_WIDTH, utf8);
    bool slowed = lauka_gate_expected(result, row) == LAUKA_GATE_FAIL;
    if (!result->gate.tried)
        snprintf(text, LAUKA_GATE_CELL_SIZE, "%s", label ? label : "?");
    else if (row->raised.known)
        snprintf(text, LAUKA_GATE_CELL_SIZE, "+%s made up",
                 lauka_format_share(row->raised.value, share, sizeof share));
    else
        snprintf(text, LAUKA_GATE_CELL_SIZE, "%s", slowed ? "slowed down" : "the same");
    free(label);
}

/* It fails nevertheless: its reader should not look for the cause in the program. */
static void say_same(const struct lauka_result *result, const struct lauka_gate_row *row,
                     char *text)
{
    if (row->judgement.verdict == LAUKA_GATE_FAIL && row->reference == 0 && !result->gate.tried &&
        lauka_result_is_same(result, row->command))
        append(text, LAUKA_GATE_CELL_SIZE, *text ? "; " : "",
               "the same bytes as the reference, with the same arguments");
}

/* What each of the hosts found; the verdict is theirs. */
static void say_votes(const struct lauka_gate_row *row, char *text)
{
    const struct lauka_gate_hosts *hosts = &row->hosts;
    char said[96];
    if (hosts->count == 0)
        return;
    snprintf(said, sizeof said, "of %" PRIu32 " hosts %" PRIu32 " fail, %" PRIu32 " pass",
             hosts->count, hosts->failed, hosts->passed);
    if (hosts->failed == hosts->count || hosts->passed == hosts->count)
        snprintf(said, sizeof said, "on %s %" PRIu32 " hosts",
                 hosts->count == 2 ? "both of" : "all", hosts->count);
    append(text, LAUKA_GATE_CELL_SIZE, "; ", said);
}

void lauka_gate_row_cells(const struct lauka_result *result, const struct lauka_gate_row *row,
                          bool utf8, struct lauka_gate_cells *cells)
{
    const struct lauka_gate_rule *rule = rule_of(result, row);
    char name[32];
    *cells = (struct lauka_gate_cells){{{0}}};
    snprintf(cells->text[LAUKA_GATE_CELL_VERDICT], LAUKA_GATE_CELL_SIZE, "%s", word_of(row));
    put_safely(result->metrics[row->metric].name, utf8, cells->text[LAUKA_GATE_CELL_METRIC],
               LAUKA_GATE_CELL_SIZE);
    if (rule->statistic != LAUKA_STATISTIC_TYPICAL)
        append(cells->text[LAUKA_GATE_CELL_METRIC], LAUKA_GATE_CELL_SIZE, " ",
               lauka_statistic_name(rule->statistic, rule->rank, name, sizeof name));
    put_command(result, row, utf8, cells->text[LAUKA_GATE_CELL_COMMAND]);
    put_change(result, row, utf8, cells->text[LAUKA_GATE_CELL_CHANGE]);
    put_limit(result, row, utf8, cells->text[LAUKA_GATE_CELL_LIMIT]);
    char *remark = cells->text[LAUKA_GATE_CELL_REMARK];
    if (result->gate.tried)
        say_expected(result, row, remark);
    else if (row->allowance || row->expired)
        say_allowance(row, utf8, remark);
    else
        say_shift(result, row, remark);
    say_undecided(result, row, remark);
    if ((row->reference_hidden || row->hidden) && !*remark)
        say_hidden(result, row, utf8, remark);
    say_votes(row, remark);
    say_same(result, row, remark);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static size_t count_rows(const struct lauka_result *result, enum lauka_gate verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < result->gate.row_count; i++)
        count +=
            result->gate.rows[i].judgement.verdict == verdict && !result->gate.rows[i].allowance;
    return count;
}

static void say_trial(const struct lauka_result *result, char *text, size_t size)
{
    static const char *const said[] = {
        [LAUKA_GATE_PASS] = "it passes the same program, and catches one that got worse",
        [LAUKA_GATE_FAIL] = "it cannot tell the same program from one that got worse",
        [LAUKA_GATE_INCONCLUSIVE] = "with this budget it cannot tell on this machine",
    };
    snprintf(text, size, "gate tried out: %s: %s", lauka_gate_word(result),
             said[result->gate.verdict]);
}

static size_t count_shifts(const struct lauka_result *result, enum lauka_gate_shift shift)
{
    size_t count = 0;
    for (size_t i = 0; i < result->gate.row_count; i++)
        count += lauka_gate_shift_of(result, &result->gate.rows[i]) == shift;
    return count;
}

/* ": 1 better, 2 worse" */
static void append_shifts(const struct lauka_result *result, char *text, size_t size)
{
    static const char *const words[] = {
        [LAUKA_SHIFT_BETTER] = "better",
        [LAUKA_SHIFT_WORSE] = "worse",
        [LAUKA_SHIFT_OTHER] = "changed",
    };
    const char *between = "; ";
    for (enum lauka_gate_shift shift = LAUKA_SHIFT_BETTER; shift <= LAUKA_SHIFT_OTHER; shift++) {
        size_t count = count_shifts(result, shift), used = strlen(text);
        if (count == 0)
            continue;
        snprintf(text + used, size - used, "%s%zu %s", between, count, words[shift]);
        between = ", ";
    }
}

/* If none failed: "all 3 limits are held", "the limit is exceeded, which is allowed". */
static void say_held(const struct lauka_result *result, char *text, size_t size)
{
    size_t all = result->gate.row_count, allowed = 0;
    for (size_t i = 0; i < all; i++)
        allowed += result->gate.rows[i].allowance != NULL;
    if (all == 1)
        snprintf(text, size, "the limit is %s", allowed ? "exceeded, which is allowed" : "held");
    else if (allowed == 0)
        snprintf(text, size, "all %zu limits are held", all);
    else
        snprintf(text, size, "%zu of %zu limits are exceeded, which is allowed", allowed, all);
}

/* Why no limit can be held, whatever the rounds show that there are. Static. */
static const char *name_bad_end(const struct lauka_result *result)
{
    static const char *const names[] = {
        [LAUKA_ENDED_WELL] = "",
        [LAUKA_ENDED_UNMEASURED] = "no round was finished",
        [LAUKA_ENDED_BY_SIGNAL] = "the session was interrupted",
        [LAUKA_ENDED_BY_ERROR] = "the session was ended by an error",
        [LAUKA_ENDED_BY_FAILURE] = "a command failed",
    };
    return names[result->error.known ? LAUKA_ENDED_BY_ERROR : lauka_result_ending(result)];
}

void lauka_gate_headline(const struct lauka_result *result, bool utf8, char *text, size_t size)
{
    size_t all = result->gate.row_count, failed = count_rows(result, LAUKA_GATE_FAIL);
    size_t open = count_rows(result, LAUKA_GATE_INCONCLUSIVE);
    (void)utf8;
    if (result->gate.tried && lauka_result_ended_well(result)) {
        say_trial(result, text, size);
        return;
    }
    snprintf(text, size, "gate: %s: ", lauka_gate_word(result));
    size_t used = strlen(text);
    const char *plural = all == 1 ? "" : "s";
    if (failed > 0)
        snprintf(text + used, size - used, "%zu of %zu limit%s exceeded", failed, all, plural);
    else if (!lauka_result_ended_well(result))
        snprintf(text + used, size - used, "%s", name_bad_end(result));
    else if (open > 0)
        snprintf(text + used, size - used, "%zu of %zu limit%s undecided%s", open, all, plural,
                 result->gate.policy == LAUKA_POLICY_FAIL ? ", which counts as a failure" : "");
    else if (all == 0)
        snprintf(text + used, size - used, "no limit applies to these commands");
    else
        say_held(result, text + used, size - used);
    if (failed == 0 && open == 0)
        append_shifts(result, text, size);
}

/* The smallest rise for which nine of ten sessions like this one would fail: as in lauka_smallest_change,
 * beyond the limit. */
static struct lauka_optional seen_from(const struct lauka_result *result,
                                       const struct lauka_gate_row *row)
{
    const struct lauka_judgement *judgement = &row->judgement;
    const struct lauka_gate_rule *rule = rule_of(result, row);
    struct lauka_optional unknown = {0};
    if (!judgement->change_low.known || !rule->share.known || judgement->confidence <= 0)
        return unknown;
    double half = (judgement->change_high.value - judgement->change_low.value) / 2;
    double deviations = lauka_normal_quantile((1 + judgement->confidence) / 2);
    double reach = half * (1 + lauka_normal_quantile(0.9) / deviations);
    return lauka_known(rule->share.value + reach);
}

static void say_sight(const struct lauka_result *result, const struct lauka_gate_row *row,
                      char *text, size_t size)
{
    struct lauka_gate_cells cells;
    struct lauka_optional from = seen_from(result, row);
    char limit[32], least[32];
    lauka_gate_row_cells(result, row, true, &cells);
    const char *metric = cells.text[LAUKA_GATE_CELL_METRIC];
    if (!from.known) {
        snprintf(text, size, "%s: these rounds do not show what this gate can detect.", metric);
        return;
    }
    double share = rule_of(result, row)->share.value;
    lauka_format_share(share, limit, sizeof limit);
    lauka_format_share_roughly(from.value, least, sizeof least);
    if (from.value < 1.05 * share)
        snprintf(text, size, "%s: this gate detects nearly everything beyond %s.", metric, limit);
    else
        snprintf(text, size,
                 "%s: this gate detects a rise of %s or more in 9 of 10 sessions like this one; a "
                 "rise between %s and that often stays inconclusive.",
                 metric, least, limit);
}

static bool say_injection(const struct lauka_result *result, bool utf8, char *text, size_t size)
{
    char number[64];
    if (!result->gate.tried || !(result->gate.injected > 0))
        return false;
    snprintf(text, size, "each run of the slowed-down command spent %s of CPU time before it began",
             format_absolute(result->gate.injected, "ns", utf8, number, sizeof number));
    return true;
}

static bool say_raised(const struct lauka_result *result, char *text, size_t size)
{
    const struct lauka_result_gate *gate = &result->gate;
    bool raised = false;
    for (size_t i = 0; i < gate->row_count; i++)
        raised |= gate->rows[i].raised.known;
    snprintf(text, size,
             "made up: the values of the last command were raised for the gate alone; all other "
             "tables show them as measured");
    return raised;
}

static bool say_hosts(const struct lauka_result *result, bool utf8, char *text, size_t size)
{
    char hosts[700];
    if (!result->gate.hosts)
        return false;
    put_safely(result->gate.hosts, utf8, hosts, sizeof hosts);
    snprintf(text, size, "the results come from different hosts: %s%s", hosts,
             result->gate.cross_host ? "; a difference may be theirs (--cross-host)"
                                     : "; only metrics that do not depend on the host are judged");
    return true;
}

static bool say_sight_of(const struct lauka_result *result, size_t index, char *text, size_t size)
{
    const struct lauka_gate_row *row = &result->gate.rows[index];
    if (!result->gate.tried || lauka_gate_expected(result, row) == LAUKA_GATE_FAIL)
        return false;
    say_sight(result, row, text, size);
    return true;
}

bool lauka_gate_next_note(const struct lauka_result *result, bool utf8, size_t *place, char *text,
                          size_t size)
{
    enum { HOSTS, INJECTION, RAISED, ROWS };
    while (*place < ROWS + result->gate.row_count) {
        size_t at = (*place)++;
        if (at == HOSTS       ? say_hosts(result, utf8, text, size)
            : at == INJECTION ? say_injection(result, utf8, text, size)
            : at == RAISED    ? say_raised(result, text, size)
                              : say_sight_of(result, at - ROWS, text, size))
            return true;
    }
    return false;
}
