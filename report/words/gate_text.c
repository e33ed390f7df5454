/* A gate in words: the same in every report. */
#include "report/words/words.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>

static const char *const gate_words[] = {
    [LAUKA_GATE_FAIL] = "FAIL",
    [LAUKA_GATE_PASS] = "pass",
    [LAUKA_GATE_INCONCLUSIVE] = "inconclusive",
};

const char *lauka_gate_word(const struct lauka_result *result)
{
    return gate_words[result->gate.verdict];
}

/* ---- numbers --------------------------------------------------------------------------------- */

static const struct lauka_gate_rule *rule_of(const struct lauka_result *result,
                                             const struct lauka_gate_row *row)
{
    return &result->gate.rules[row->rule];
}

/* On one scale, as a comparison that lauka_change knows. */
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

struct lauka_comparison lauka_gate_row_comparison(const struct lauka_gate_row *row)
{
    return comparison_of(&row->judgement, true);
}

/* "50 µs": with as few digits as possible. */
static const char *absolute_of(struct lauka_prose *prose, double value, const char *unit)
{
    struct lauka_scale scale = lauka_scale_for(value, unit, prose->utf8);
    double scaled = value / scale.divisor;
    return lauka_with_unit(prose, lauka_say(prose, scaled < 9999.5 ? "%.4g" : "%.0f", scaled),
                           scale.suffix);
}

static bool is_hidden(const struct lauka_gate_row *row)
{
    return row->reference_hidden || row->hidden;
}

/* For a budget, the most that it can have been. If the reference is below what can be seen, the rise has only one known
 * bound. */
static const char *bound_of(struct lauka_prose *prose, const struct lauka_result *result,
                            const struct lauka_gate_row *row)
{
    const char *unit = result->metrics[row->metric].unit;
    const double floor = (double)lauka_result_floor(result, row->metric);
    if (lauka_gate_is_budget(result, row))
        return lauka_say(prose, "at most %s", absolute_of(prose, floor, unit));
    if (row->judgement.verdict != LAUKA_GATE_FAIL)
        return prose->signs->dash;
    double mean = lauka_gate_mean(result, row->command, row->metric).value;
    return lauka_say(prose, "+%s or more", absolute_of(prose, mean - floor, unit));
}

/* For a budget, the value itself. */
static struct lauka_change change_on_scale(struct lauka_prose *prose,
                                           const struct lauka_result *result,
                                           const struct lauka_gate_row *row, bool as_share)
{
    struct lauka_scale scale = lauka_result_scale(result, row->metric, prose->utf8);
    struct lauka_comparison comparison = comparison_of(&row->judgement, as_share);
    return row->judgement.value.known && !as_share
               ? lauka_value_change(prose, &row->judgement, scale)
               : lauka_change(prose, &comparison, scale);
}

static const char *changes_of(struct lauka_prose *prose, const struct lauka_result *result,
                              const struct lauka_gate_row *row)
{
    const char *mark = result->metrics[row->metric].share < 1 ? "~" : "", *text = "";
    if (is_hidden(row))
        return bound_of(prose, result, row);
    for (int as_share = 1; as_share >= 0; as_share--) {
        struct lauka_change change = change_on_scale(prose, result, row, as_share);
        if (*change.estimate)
            text = lauka_join(prose, text, "; ",
                              lauka_say(prose, "%s%s", mark, lauka_change_text(prose, change)));
    }
    return *text ? text : prose->signs->dash;
}

struct lauka_change lauka_gate_row_change(struct lauka_prose *prose,
                                          const struct lauka_result *result,
                                          const struct lauka_gate_row *row)
{
    struct lauka_change change = {is_hidden(row) ? bound_of(prose, result, row) : "", ""};
    for (int as_share = 1; as_share >= 0 && !*change.estimate; as_share--)
        change = change_on_scale(prose, result, row, as_share);
    return change;
}

static const char *limit_of(struct lauka_prose *prose, const struct lauka_result *result,
                            const struct lauka_gate_row *row)
{
    const struct lauka_gate_rule *rule = rule_of(result, row);
    const char *unit = result->metrics[row->metric].unit;
    if (rule->most.known)
        return lauka_say(prose, "%s %s", prose->signs->at_most,
                         absolute_of(prose, rule->most.value, unit));
    return lauka_join(prose, rule->share.known ? lauka_say_share(prose, rule->share.value) : "",
                      " and ",
                      rule->absolute.known ? absolute_of(prose, rule->absolute.value, unit) : "");
}

const char *lauka_gate_figures(const struct lauka_result *result)
{
    bool budgets = false, changes = false;
    for (size_t i = 0; i < result->gate.row_count; i++) {
        bool budget = lauka_gate_is_budget(result, &result->gate.rows[i]);
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
    return lauka_is_time(result, metric) && simulated == result->metric_count &&
           instructions < result->metric_count && !result->metrics[instructions].counted &&
           !is_stored(result);
}

/* What else would have to be measured, at most so many times as much as there is. */
static const char *more_of(struct lauka_prose *prose, const struct lauka_result *result,
                           const struct lauka_judgement *judgement, double factor, bool wide)
{
    if (factor > 50 && wide)
        return lauka_say(prose, ", too wide to tell: measure more %s",
                         is_stored(result) ? "values" : "rounds");
    if (factor > 50)
        return ", too close to be told apart from it";
    if (factor > 1 && result->run.stopped == LAUKA_STOPPED_ROUNDS)
        return lauka_say(prose, "; about -r %.0f might tell",
                         ceil(factor * (double)judgement->pairs / 10) * 10);
    if (factor > 1 && !is_stored(result) && result->run.measured > 0)
        return lauka_say(prose, "; about %s more (--max-time) might tell",
                         lauka_say_wait(prose, (factor - 1) * result->run.measured));
    return "";
}

/* How long it would take until the interval no longer contained the limit, if the estimate stayed. */
static const char *say_around(struct lauka_prose *prose, const struct lauka_result *result,
                              const struct lauka_gate_row *row)
{
    const struct lauka_judgement *judgement = &row->judgement;
    const struct lauka_gate_rule *rule = rule_of(result, row);
    double half = (judgement->change_high.value - judgement->change_low.value) / 2;
    bool falls = lauka_gate_limit(result, rule, row->metric).falls;
    double worse = falls ? -judgement->change.value : judgement->change.value;
    double distance = fabs(worse - rule->share.value);
    const char *text = "the interval contains the limit";
    if (judgement->effective > 0 && judgement->effective < (double)judgement->pairs / 2)
        text = lauka_say(prose, "runs resemble their neighbours: %" PRIu64 " count as %.0f",
                         judgement->pairs, fmax(1, judgement->effective));
    if (!judgement->change_low.known || !rule->share.known || rule->absolute.known)
        return text;
    double factor = distance > 0 ? half / distance * (half / distance) : HUGE_VAL;
    bool wide = half > fmax(rule->share.value, lauka_result_precision(result));
    return lauka_say(prose, "%s%s%s", text, more_of(prose, result, judgement, factor, wide),
                     lacks_counts(result, row->metric)
                         ? "; or gate sim_instructions (--counters=valgrind)"
                         : "");
}

/* "p99"; of the typical value "". */
static const char *statistic_of(struct lauka_prose *prose, const struct lauka_gate_rule *rule)
{
    char name[32];
    return rule->statistic == LAUKA_STATISTIC_TYPICAL
               ? ""
               : lauka_say(prose, "%s",
                           lauka_statistic_name(rule->statistic, rule->rank, name, sizeof name));
}

static const char *say_few(struct lauka_prose *prose, const struct lauka_result *result,
                           const struct lauka_gate_row *row)
{
    const char *statistic = statistic_of(prose, rule_of(result, row));
    enum lauka_unit unit = result->benchmark.units.kind;
    const bool one = row->judgement.pairs == 1;
    const char *what = one ? lauka_unit_name(unit) : lauka_units_name(unit);
    if (is_stored(result) && unit == LAUKA_UNIT_ROUND)
        what = one ? "value" : "values";
    return lauka_say(prose, "%" PRIu64 " %s of at least %" PRIu64 " that %s%s needs",
                     row->judgement.pairs, what, row->judgement.needed, *statistic ? "the " : "it",
                     statistic);
}

/* Which command cannot be seen, and what follows, or what would help. */
static const char *say_hidden(struct lauka_prose *prose, const struct lauka_result *result,
                              const struct lauka_gate_row *row)
{
    double least = (double)lauka_result_floor(result, row->metric);
    double most = fmax(least, lauka_gate_mean(result, row->command, row->metric).value);
    size_t command = row->reference_hidden ? row->reference : row->command;
    const char *advice = "";
    if (row->judgement.verdict == LAUKA_GATE_INCONCLUSIVE)
        advice = lauka_say(prose, "; a limit of %s%.0fMiB or more can be decided",
                           lauka_gate_is_budget(result, row) ? "" : "+", ceil(most / 0x1p20));
    return lauka_say(
        prose, "that of %s%s%s may be anything up to %s, as lower values cannot be seen%s",
        row->reference_hidden ? "the reference, " : "", lauka_say_name(prose, result, command),
        !row->reference_hidden ? ""
        : row->hidden          ? ", and of the other"
                               : ",",
        absolute_of(prose, least, result->metrics[row->metric].unit), advice);
}

static const char *say_unknown(struct lauka_prose *prose, const struct lauka_result *result,
                               const struct lauka_gate_row *row)
{
    bool budget = lauka_gate_is_budget(result, row);
    size_t reference = budget ? row->command : row->reference;
    if (result->run.rounds == 0)
        return "no round was finished";
    if (result->metrics[row->metric].apart && !budget)
        return "the sides were counted under different circumstances (see the notes)";
    if (lauka_result_is_partial(result, reference, row->metric) ||
        lauka_result_is_partial(result, row->command, row->metric))
        return lauka_say(prose, "%s (see the notes)",
                         lauka_partial_reason(result, reference, row->command));
    if (!result->metrics[row->metric].counted)
        return "it could not be counted here";
    return budget ? "there is nothing that could be judged"
                  : "there is nothing that could be compared";
}

/* Empty where something else is the reason. */
static const char *say_undecided(struct lauka_prose *prose, const struct lauka_result *result,
                                 const struct lauka_gate_row *row)
{
    if (is_hidden(row) && row->judgement.undecided != LAUKA_UNDECIDED_FEW) /* that is why */
        return "";
    switch (row->judgement.undecided) {
    case LAUKA_UNDECIDED_NOT:
    case LAUKA_UNDECIDED_VOTES: /* votes_of tells it */
        break;
    case LAUKA_UNDECIDED_AROUND:
        return say_around(prose, result, row);
    case LAUKA_UNDECIDED_FAMILY:
        return lauka_say(prose,
                         "beyond the limit if it were alone, but not as 1 of %" PRIu64 " (Holm)",
                         row->judgement.family);
    case LAUKA_UNDECIDED_FEW:
        return say_few(prose, result, row);
    case LAUKA_UNDECIDED_VALUES:
        return "it needs single runs, which were not kept";
    case LAUKA_UNDECIDED_UNKNOWN:
        return say_unknown(prose, result, row);
    case LAUKA_UNDECIDED_HOSTS:
        return "the hosts differ: measure both on one host (or --cross-host)";
    case LAUKA_UNDECIDED_BROKEN:
        return "the session was ended by an error";
    case LAUKA_UNDECIDED_CUT:
        return "the session was interrupted";
    case LAUKA_UNDECIDED_ORDER:
        return lauka_order_reason;
    case LAUKA_UNDECIDED_UNITS:
        return lauka_say(prose,
                         "over %s the typical value alone can be judged: leave the statistic out",
                         lauka_units_name(result->benchmark.units.kind));
    case LAUKA_UNDECIDED_STEPS:
        return "values come in steps, and too few of them differ for an interval";
    case LAUKA_UNDECIDED_MEAN:
        return lauka_say(prose, "a typical run holds the limit, but the mean does not: see %s.mean",
                         result->metrics[row->metric].name);
    case LAUKA_UNDECIDED_SESSIONS:
        return "two sessions of one program may differ by more: measure both in one session";
    case LAUKA_UNDECIDED_LOGS:
        return "one log a side is one unit: give at least 4 a side (--vs)";
    }
    return "";
}

static const char *say_allowance(struct lauka_prose *prose, const struct lauka_gate_row *row)
{
    const struct lauka_gate_allowance *allowance = row->allowance ? row->allowance : row->expired;
    return lauka_say(
        prose, "%s %s: %s", row->allowance ? "allowed until" : "no longer allowed since",
        lauka_say_safely(prose, allowance->until), lauka_say_safely(prose, allowance->reason));
}

/* When the gate is tried out: what was right and what was not. */
static const char *say_expected(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    if (row->judgement.verdict == LAUKA_GATE_INCONCLUSIVE)
        return "";
    if (lauka_gate_is_as_expected(result, row))
        return "as expected";
    return row->judgement.verdict == LAUKA_GATE_FAIL ? "a false alarm: it is the same program"
                                                     : "it was made worse than the limit";
}

/* What is within its limit need not be unchanged. */
static const char *say_shift(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    static const char *const said[] = {
        [LAUKA_SHIFT_NONE] = "",
        [LAUKA_SHIFT_BETTER] = "better",
        [LAUKA_SHIFT_WORSE] = "worse, but within the limit",
        [LAUKA_SHIFT_OTHER] = "changed, but within the limit",
    };
    return said[lauka_gate_shift_of(result, row)];
}

/* ---- a row ----------------------------------------------------------------------------------- */

/* In a trial of the gate, a failure that had to come is none. */
static const char *word_of(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    const bool slowed = result->gate.tried && lauka_gate_expected(result, row) == LAUKA_GATE_FAIL;
    if (row->judgement.verdict == LAUKA_GATE_FAIL)
        return slowed ? "caught" : row->allowance ? "allowed" : "FAIL";
    return slowed && row->judgement.verdict == LAUKA_GATE_PASS ? "missed"
                                                               : gate_words[row->judgement.verdict];
}

const char *lauka_gate_row_sign(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    if (!result->gate.tried || row->judgement.verdict == LAUKA_GATE_INCONCLUSIVE)
        return word_of(result, row);
    return lauka_gate_is_as_expected(result, row) ? "pass" : "FAIL";
}

static const char *command_of(struct lauka_prose *prose, const struct lauka_result *result,
                              const struct lauka_gate_row *row)
{
    if (!result->gate.tried)
        return lauka_say_name(prose, result, row->command);
    if (row->raised.known)
        return lauka_say(prose, "+%s made up", lauka_say_share(prose, row->raised.value));
    return lauka_gate_expected(result, row) == LAUKA_GATE_FAIL ? "slowed down" : "the same";
}

/* It fails nevertheless: its reader should not look for the cause in the program. */
static const char *say_same(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    return row->judgement.verdict == LAUKA_GATE_FAIL && row->reference == 0 &&
                   !result->gate.tried && lauka_result_is_same(result, row->command)
               ? "the same bytes as the reference, with the same arguments"
               : "";
}

/* What each of the hosts found; the verdict is theirs. */
static const char *votes_of(struct lauka_prose *prose, const struct lauka_gate_row *row)
{
    const struct lauka_gate_hosts *hosts = &row->hosts;
    if (hosts->count == 0)
        return "";
    if (hosts->failed == hosts->count || hosts->passed == hosts->count)
        return lauka_say(prose, "on %s %" PRIu32 " hosts", hosts->count == 2 ? "both of" : "all",
                         hosts->count);
    return lauka_say(prose, "of %" PRIu32 " hosts %" PRIu32 " fail, %" PRIu32 " pass", hosts->count,
                     hosts->failed, hosts->passed);
}

static const char *remark_of(struct lauka_prose *prose, const struct lauka_result *result,
                             const struct lauka_gate_row *row)
{
    const char *remark = say_undecided(prose, result, row);
    if (!*remark)
        remark = result->gate.tried               ? say_expected(result, row)
                 : row->allowance || row->expired ? say_allowance(prose, row)
                                                  : say_shift(result, row);
    if (!*remark && is_hidden(row))
        remark = say_hidden(prose, result, row);
    remark = lauka_join(prose, remark, "; ", votes_of(prose, row));
    return lauka_join(prose, remark, "; ", say_same(result, row));
}

struct lauka_gate_cells lauka_gate_row_cells(struct lauka_prose *prose,
                                             const struct lauka_result *result,
                                             const struct lauka_gate_row *row)
{
    const char *metric = lauka_say_safely(prose, result->metrics[row->metric].name);
    return (struct lauka_gate_cells){{
        [LAUKA_GATE_CELL_VERDICT] = word_of(result, row),
        [LAUKA_GATE_CELL_METRIC] =
            lauka_join(prose, metric, " ", statistic_of(prose, rule_of(result, row))),
        [LAUKA_GATE_CELL_COMMAND] = command_of(prose, result, row),
        [LAUKA_GATE_CELL_CHANGE] = changes_of(prose, result, row),
        [LAUKA_GATE_CELL_LIMIT] = limit_of(prose, result, row),
        [LAUKA_GATE_CELL_REMARK] = remark_of(prose, result, row),
    }};
}

/* ---- notes ----------------------------------------------------------------------------------- */

/* The smallest rise for which nine of ten sessions like this one would fail: as in lauka_smallest_change,
 * beyond the limit. */
static struct lauka_optional seen_from(const struct lauka_judgement *judgement,
                                       const struct lauka_gate_rule *rule)
{
    struct lauka_optional unknown = {0};
    if (!judgement->change_low.known || !rule->share.known || judgement->confidence <= 0)
        return unknown;
    double half = (judgement->change_high.value - judgement->change_low.value) / 2;
    double deviations = lauka_normal_quantile((1 + judgement->confidence) / 2);
    double reach = half * (1 + lauka_normal_quantile(0.9) / deviations);
    return lauka_known(rule->share.value + reach);
}

static const char *say_sight(struct lauka_prose *prose, const struct lauka_result *result,
                             const struct lauka_gate_row *row)
{
    const struct lauka_gate_rule *rule = rule_of(result, row);
    struct lauka_optional from = seen_from(&row->judgement, rule);
    struct lauka_gate_cells cells = lauka_gate_row_cells(prose, result, row);
    const char *metric = cells.text[LAUKA_GATE_CELL_METRIC];
    if (!from.known)
        return lauka_say(prose, "%s: these rounds do not show what this gate can detect.", metric);
    const char *limit = lauka_say_share(prose, rule->share.value);
    if (from.value < 1.05 * rule->share.value)
        return lauka_say(prose, "%s: this gate detects nearly everything beyond %s.", metric,
                         limit);
    return lauka_say(prose,
                     "%s: this gate detects a rise of %s or more in 9 of 10 sessions like this "
                     "one; a rise between %s and that often stays inconclusive.",
                     metric, lauka_say_share_roughly(prose, from.value), limit);
}

static const char *say_injection(struct lauka_prose *prose, const struct lauka_result *result)
{
    return !result->gate.tried || !(result->gate.injected > 0)
               ? ""
               : lauka_say(
                     prose,
                     "each run of the slowed-down command spent %s of CPU time before it began",
                     absolute_of(prose, result->gate.injected, "ns"));
}

static const char *say_raised(const struct lauka_result_gate *gate)
{
    bool raised = false;
    for (size_t i = 0; i < gate->row_count; i++)
        raised |= gate->rows[i].raised.known;
    return raised ? "made up: the values of the last command were raised for the gate alone; all "
                    "other tables show them as measured"
                  : "";
}

static const char *say_hosts(struct lauka_prose *prose, const struct lauka_result *result)
{
    return !result->gate.hosts
               ? ""
               : lauka_say(prose, "the results come from different hosts: %s%s",
                           lauka_say_safely(prose, result->gate.hosts),
                           result->gate.cross_host
                               ? "; a difference may be theirs (--cross-host)"
                               : "; only metrics that do not depend on the host are judged");
}

static const char *note_at(struct lauka_prose *prose, const struct lauka_result *result, size_t at)
{
    enum { HOSTS, INJECTION, RAISED, ROWS };
    if (at == HOSTS)
        return say_hosts(prose, result);
    if (at < ROWS)
        return at == INJECTION ? say_injection(prose, result) : say_raised(&result->gate);
    if (at - ROWS >= result->gate.row_count)
        return NULL;
    const struct lauka_gate_row *row = &result->gate.rows[at - ROWS];
    return !result->gate.tried || lauka_gate_expected(result, row) == LAUKA_GATE_FAIL
               ? ""
               : say_sight(prose, result, row);
}

const char *lauka_gate_next_note(struct lauka_prose *prose, const struct lauka_result *result,
                                 size_t *place)
{
    const char *note = "";
    while (note && !*note)
        note = note_at(prose, result, (*place)++);
    return note;
}
