/* A gate: rules about metrics, applied to every command. What cannot be known is inconclusive, with the
 * reason, and is never a pass or a failure. */
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "stats/stats.h"
#include "stats/crossover.h"
#include "stats/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the limit ------------------------------------------------------------------------------- */

/* Counts of a simulated processor, and instructions in user mode, depend on the program alone. Everything
 * else, even page faults, also depends on the host. */
static bool is_exact(const struct lauka_result *result, size_t metric)
{
    static const char *const own[] = {"instructions:u", "branches:u", "branch_instructions:u"};
    const struct lauka_result_metric *about = &result->metrics[metric];
    if (strncmp(about->source, "valgrind", strlen("valgrind")) == 0)
        return true;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(about->name, own[i]) == 0)
            return true;
    return false;
}

struct lauka_limit lauka_gate_limit(const struct lauka_result *result,
                                    const struct lauka_gate_rule *rule, size_t metric)
{
    const struct lauka_result_metric *about = &result->metrics[metric];
    struct lauka_limit limit = {
        .statistic = rule->statistic,
        .rank = rule->rank,
        .share = rule->share,
        .absolute = rule->absolute,
        .falls = strcmp(about->better, "higher") == 0,
        .counts = about->repeatable,
        .grain = lauka_result_grain(about),
        .bins = about->bins,
    };
    limit.most = rule->most;
    limit.absolute.value *= lauka_result_unit(about);
    limit.most.value *= lauka_result_unit(about);
    if (limit.falls) /* nothing falls by more than all of it */
        limit.share.value = fmin(limit.share.value, 1 - 1e-9);
    return limit;
}

bool lauka_gate_is_named(const struct lauka_result *result, size_t command, const char *name)
{
    const char *label = result->commands[command].label;
    size_t whole = strlen(label), length = strlen(name);
    if (result->run.noise && strcmp(result->commands[0].label, name) == 0)
        return true; /* the others are that command too */
    return strcmp(label, name) == 0 || (result->gate.halves > 0 && whole > length + 2 &&
                                        strcmp(label + whole - length, name) == 0 &&
                                        strncmp(label + whole - length - 2, ": ", 2) == 0);
}

double lauka_gate_alpha(const struct lauka_result *result)
{
    /* With -r nobody looks before the end, even if a given time ends the rounds. */
    bool timed = result->run.stopped == LAUKA_STOPPED_TIME && lauka_result_option(result, "runs");
    bool one_look = timed || result->run.stopped == LAUKA_STOPPED_ROUNDS ||
                    result->run.stopped == LAUKA_STOPPED_STORED;
    return one_look ? LAUKA_ALPHA_GATE : LAUKA_ALPHA_GATE_LOOK;
}

/* ---- one row --------------------------------------------------------------------------------- */

struct lauka_optional lauka_gate_mean(const struct lauka_result *result, size_t command,
                                      size_t metric)
{
    struct lauka_moments moments = lauka_result_moments(&result->commands[command], metric);
    struct lauka_optional unknown = {0};
    return result->metrics[metric].counted && moments.count > 0
               ? lauka_known(lauka_moments_mean(&moments))
               : unknown;
}

/* The reference's own values, all made worse by the share: it shows how a regression would look that
 * cannot be produced for real. */
static int raise(const struct lauka_series *from, double share, bool falls, struct lauka_series *to)
{
    int error = lauka_series_reserve(to, from->count);
    for (size_t i = 0; !error && i < from->count; i++) {
        double value = (double)lauka_series_at(from, i) * (falls ? fmax(0, 1 - share) : 1 + share);
        bool missing = lauka_series_at(from, i) == LAUKA_MISSING || value >= 0x1p63;
        lauka_series_add(to, missing ? LAUKA_MISSING : (uint64_t)(value + 0.5));
    }
    return error;
}

static int judge_values(const struct lauka_result *result, struct lauka_gate_row *row,
                        const struct lauka_limit *limit, double alpha)
{
    const struct lauka_series *reference = &result->commands[row->reference].series[row->metric];
    const struct lauka_series *other = &result->commands[row->command].series[row->metric];
    struct lauka_series raised = {0};
    int error = 0;
    if (row->raised.known) {
        error = raise(other, row->raised.value, limit->falls, &raised);
        other = &raised;
    }
    if (!error)
        error = lauka_limit_judge(limit, reference, other, alpha, result->run.unpaired,
                                  &row->judgement);
    lauka_series_done(&raised);
    return error;
}

/* Bounds of a command's values: a value that is not above the floor may be anything up to it. */
static int bound(const struct lauka_series *from, uint64_t floor, bool most,
                 struct lauka_series *to)
{
    int error = lauka_series_reserve(to, from->count);
    for (size_t i = 0; !error && i < from->count; i++) {
        uint64_t value = lauka_series_at(from, i);
        lauka_series_add(to, value > floor ? value : most ? floor : 0);
    }
    return error;
}

/* Assumes the best, or the worst, for values that are not visible. */
static int judge_bounds(const struct lauka_result *result, const struct lauka_gate_row *row,
                        const struct lauka_limit *limit, double alpha, bool worst,
                        struct lauka_judgement *judgement)
{
    uint64_t floor = lauka_result_floor(result, row->metric);
    struct lauka_series reference = {0}, other = {0};
    int error = bound(&result->commands[row->reference].series[row->metric],
                      row->reference_hidden ? floor : 0, worst == limit->falls, &reference);
    if (!error)
        error = bound(&result->commands[row->command].series[row->metric], row->hidden ? floor : 0,
                      worst != limit->falls, &other);
    if (!error)
        error =
            lauka_limit_judge(limit, &reference, &other, alpha, result->run.unpaired, judgement);
    lauka_series_done(&reference);
    lauka_series_done(&other);
    return error;
}

/* A value that is not visible may be anything up to the floor: a failure must hold for the best case, a
 * pass for the worst. */
static int judge_hidden(const struct lauka_result *result, struct lauka_gate_row *row,
                        const struct lauka_limit *limit, double alpha)
{
    struct lauka_judgement best, worst, *judgement = &row->judgement;
    int error = judge_bounds(result, row, limit, alpha, false, &best);
    error = error ? error : judge_bounds(result, row, limit, alpha, true, &worst);
    if (error)
        return error;
    bool passes = worst.verdict == LAUKA_GATE_PASS;
    *judgement = passes || worst.verdict == LAUKA_GATE_INCONCLUSIVE ? worst : best;
    if (best.verdict == LAUKA_GATE_FAIL || best.verdict == LAUKA_GATE_INCONCLUSIVE)
        *judgement = best;
    else if (!passes && worst.verdict == LAUKA_GATE_FAIL) {
        judgement->verdict = LAUKA_GATE_INCONCLUSIVE;
        judgement->undecided = LAUKA_UNDECIDED_UNKNOWN;
    }
    judgement->exact = false; /* these are bounds, and no change */
    judgement->change = judgement->change_low = judgement->change_high = (struct lauka_optional){0};
    judgement->difference = judgement->difference_low = judgement->difference_high =
        (struct lauka_optional){0};
    return 0;
}

/* A budget concerns the command alone. A value that is not visible may be anything up to the floor. */
static int judge_budget(const struct lauka_result *result, struct lauka_gate_row *row,
                        const struct lauka_limit *limit, double alpha)
{
    const struct lauka_result_command *command = &result->commands[row->command];
    struct lauka_optional mean = lauka_gate_mean(result, row->command, row->metric);
    uint64_t floor = lauka_result_floor(result, row->metric);
    struct lauka_judgement *judgement = &row->judgement;
    struct lauka_series most = {0};
    if (lauka_result_is_partial(result, row->command, row->metric) || !mean.known)
        return 0;
    row->hidden = floor > 0 && mean.value <= (double)floor;
    if (command->streams) {
        judgement->undecided = LAUKA_UNDECIDED_VALUES;
        return 0;
    }
    if (!row->hidden)
        return lauka_budget_judge(limit, &command->series[row->metric], alpha, judgement);
    int error = bound(&command->series[row->metric], floor, true, &most);
    if (!error)
        error = lauka_budget_judge(limit, &most, alpha, judgement);
    lauka_series_done(&most);
    if (judgement->verdict == LAUKA_GATE_FAIL) { /* at the most that it may have been */
        judgement->verdict = LAUKA_GATE_INCONCLUSIVE;
        judgement->undecided = LAUKA_UNDECIDED_UNKNOWN;
    }
    judgement->exact = false;
    judgement->value = judgement->value_low = judgement->value_high = (struct lauka_optional){0};
    return error;
}

/* Where sides are apart. What is exact holds, whichever sessions it comes from. */
static void take_back(const struct lauka_result *result, size_t metric,
                      const struct lauka_limit *limit, double alpha,
                      struct lauka_judgement *judgement)
{
    const struct lauka_optional none = {0};
    if (result->run.apart == LAUKA_APART_NOT ||
        (result->run.apart == LAUKA_APART_SESSIONS &&
         lauka_sessions_judge(&result->metrics[metric].sessions, limit, alpha, judgement)))
        return;
    judgement->verdict = LAUKA_GATE_INCONCLUSIVE;
    judgement->undecided =
        result->run.apart == LAUKA_APART_LOGS ? LAUKA_UNDECIDED_LOGS : LAUKA_UNDECIDED_SESSIONS;
    judgement->change_low = judgement->change_high = judgement->p = none;
    judgement->difference_low = judgement->difference_high = none;
    judgement->confidence = 0;
}

static int judge(const struct lauka_result *result, struct lauka_gate_row *row, double alpha)
{
    const struct lauka_result_gate *gate = &result->gate;
    struct lauka_limit limit = lauka_gate_limit(result, &gate->rules[row->rule], row->metric);
    struct lauka_turns turns;
    struct lauka_units units;
    limit.units = lauka_result_units(result, &units);
    if (row->reference != row->command) {
        int error = lauka_result_turns(result, row->reference, row->command, row->metric, &turns);
        if (error)
            return error;
        limit.turns = turns.first ? &turns : NULL;
    }
    const struct lauka_result_command *command = &result->commands[row->command];
    row->judgement = (struct lauka_judgement){.undecided = LAUKA_UNDECIDED_UNKNOWN};
    if (limit.most.known)
        return judge_budget(result, row, &limit, alpha);
    if (gate->hosts && !gate->cross_host && !is_exact(result, row->metric)) {
        row->judgement.undecided = LAUKA_UNDECIDED_HOSTS;
        return 0;
    }
    if (result->metrics[row->metric].apart ||
        lauka_result_is_partial(result, row->reference, row->metric) ||
        lauka_result_is_partial(result, row->command, row->metric))
        return 0;
    struct lauka_optional reference = lauka_gate_mean(result, row->reference, row->metric);
    struct lauka_optional other = lauka_gate_mean(result, row->command, row->metric);
    double floor = (double)lauka_result_floor(result, row->metric);
    if (!reference.known || !other.known)
        return 0;
    row->reference_hidden = floor > 0 && reference.value <= floor;
    row->hidden = floor > 0 && other.value <= floor;
    if (row->reference_hidden || row->hidden) /* what is made up, is so of what is not seen */
        return command->streams || row->raised.known ? 0 : judge_hidden(result, row, &limit, alpha);
    if (!command->streams) {
        int error = judge_values(result, row, &limit, alpha);
        if (!row->judgement.exact || limit.grain != LAUKA_GRAIN_COUNT)
            take_back(result, row->metric, &limit, alpha, &row->judgement);
        return error;
    }
    if (row->reference > 0 || row->raised.known || result->run.unpaired ||
        !command->streams[row->metric].paired) {
        row->judgement.undecided = LAUKA_UNDECIDED_VALUES;
        return 0;
    }
    return lauka_limit_judge_streamed(&limit, command->streams[row->metric].paired, alpha,
                                      &row->judgement);
}

/* ---- allowances ------------------------------------------------------------------------------ */

size_t lauka_gate_allowed_metric(const struct lauka_result *result,
                                 const struct lauka_gate_allowance *allowance,
                                 struct lauka_gate_rule *about)
{
    const char *name = allowance->metric, *point = name;
    size_t length = strlen(name), metric = lauka_result_find_metric(result, name, length);
    *about = (struct lauka_gate_rule){0};
    while (metric == result->metric_count && (point = strchr(point + 1, '.')) != NULL)
        if (lauka_statistic_parse(point + 1, strlen(point + 1), &about->statistic, &about->rank)) {
            about->metric = allowance->metric;
            return lauka_result_find_metric(result, name, (size_t)(point - name));
        }
    return metric;
}

static bool is_about(const struct lauka_result *result,
                     const struct lauka_gate_allowance *allowance, const struct lauka_gate_row *row)
{
    const struct lauka_gate_rule *rule = &result->gate.rules[row->rule];
    struct lauka_gate_rule about;
    if (strcmp(allowance->benchmark, "*") != 0 &&
        !lauka_gate_is_named(result, row->command, allowance->benchmark))
        return false;
    return lauka_gate_allowed_metric(result, allowance, &about) == row->metric &&
           (!about.metric || (about.statistic == rule->statistic && about.rank == rule->rank));
}

static void excuse(struct lauka_result *result, struct lauka_gate_row *row)
{
    row->allowance = row->expired = NULL;
    if (row->judgement.verdict != LAUKA_GATE_FAIL)
        return;
    for (size_t i = 0; i < result->gate.allowance_count; i++) {
        struct lauka_gate_allowance *allowance = &result->gate.allowances[i];
        if (!is_about(result, allowance, row))
            continue;
        allowance->used = true;
        if (allowance->expired)
            row->expired = allowance;
        else
            row->allowance = allowance;
    }
}

/* ---- all rows -------------------------------------------------------------------------------- */

static bool is_last(const struct lauka_result *result, size_t command)
{
    return command + 1 == result->command_count;
}

bool lauka_gate_slows(const struct lauka_result *result, size_t metric)
{
    const char *name = result->metrics[metric].name;
    return strcmp(name, "wall_time") == 0 || strcmp(name, "cpu_time") == 0 ||
           strcmp(name, "user_time") == 0;
}

/* Times can really be made longer; for anything else a share can only be added to the values. */
static struct lauka_optional raise_of(const struct lauka_result *result, size_t rule,
                                      size_t command, size_t metric)
{
    struct lauka_optional none = {0}, share = result->gate.rules[rule].share;
    bool slowed = lauka_gate_slows(result, metric);
    if (!result->gate.tried || !is_last(result, command) || (slowed && result->gate.injected > 0))
        return none;
    struct lauka_limit limit = lauka_gate_limit(result, &result->gate.rules[rule], metric);
    struct lauka_moments moments = lauka_result_moments(&result->commands[0], metric);
    double mean = moments.count > 0 ? lauka_moments_mean(&moments) : 0;
    double worse = share.known ? share.value : 0;
    if (limit.absolute.known && mean > 0 && limit.absolute.value / mean > worse)
        worse = limit.absolute.value / mean;
    return lauka_known(fmax(2 * worse, worse + 0.005));
}

/* Whether a section of the gate's file has its own limit for the same metric of this command. */
static bool is_replaced(const struct lauka_result *result, const struct lauka_gate_rule *rule,
                        size_t command, size_t metric)
{
    for (size_t r = 0; !rule->benchmark && r < result->gate.rule_count; r++) {
        const struct lauka_gate_rule *own = &result->gate.rules[r];
        if (own->benchmark && own->statistic == rule->statistic && own->rank == rule->rank &&
            own->most.known == rule->most.known &&
            lauka_gate_is_named(result, command, own->benchmark) &&
            lauka_result_find_metric(result, own->metric, strlen(own->metric)) == metric)
            return true;
    }
    return false;
}

static int list_rows(struct lauka_result *result)
{
    struct lauka_result_gate *gate = &result->gate;
    free(gate->rows);
    gate->row_count = 0;
    gate->rows = calloc(gate->rule_count * result->command_count + 1, sizeof *gate->rows);
    if (!gate->rows)
        return ENOMEM;
    size_t first = gate->halves > 0 ? gate->halves : result->command_count > 1;
    for (size_t c = first; c < result->command_count; c++)
        for (size_t r = 0; r < gate->rule_count; r++) {
            const struct lauka_gate_rule *rule = &gate->rules[r];
            size_t metric = lauka_result_find_metric(result, rule->metric, strlen(rule->metric));
            if (metric == result->metric_count || (c == 0 && !rule->most.known) ||
                (rule->benchmark && !lauka_gate_is_named(result, c, rule->benchmark)) ||
                is_replaced(result, rule, c, metric))
                continue;
            gate->rows[gate->row_count++] = (struct lauka_gate_row){
                .rule = r,
                .reference = gate->halves > 0 ? c - gate->halves : 0,
                .command = c,
                .metric = metric,
                .raised = raise_of(result, r, c, metric),
            };
        }
    return 0;
}

static size_t row_count(const struct lauka_result *results, size_t count)
{
    size_t rows = 0;
    for (size_t r = 0; r < count; r++)
        rows += results[r].gate.row_count;
    return rows;
}

/* All rows of all benchmarks are one family; when a gate is tried out, each command stands for a session of
 * its own, and only the rows of `command` are. What hosts decide by votes is no test. */
static int judge_family(struct lauka_result *results, size_t count, size_t command, double alpha)
{
    struct lauka_judgement **family = calloc(row_count(results, count) + 1, sizeof *family);
    size_t members = 0;
    if (!family)
        return ENOMEM;
    for (size_t r = 0; r < count; r++) {
        const struct lauka_result_gate *gate = &results[r].gate;
        for (size_t i = 0; i < gate->row_count && !lauka_result_has_hosts(&results[r]); i++)
            if (!gate->tried || gate->rows[i].command == command)
                family[members++] = &gate->rows[i].judgement;
    }
    int error = lauka_limit_judge_family(family, members, alpha);
    free(family);
    return error;
}

enum lauka_gate lauka_gate_expected(const struct lauka_result *result,
                                    const struct lauka_gate_row *row)
{
    return result->gate.tried && is_last(result, row->command) ? LAUKA_GATE_FAIL : LAUKA_GATE_PASS;
}

bool lauka_gate_is_as_expected(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    return row->judgement.verdict == lauka_gate_expected(result, row);
}

/* A session that did not end well never declares a command good. */
static enum lauka_gate verdict_of(const struct lauka_result *result)
{
    const struct lauka_result_gate *gate = &result->gate;
    bool well = lauka_result_ended_well(result) && gate->row_count > 0;
    enum lauka_gate verdict = well ? LAUKA_GATE_PASS : LAUKA_GATE_INCONCLUSIVE;
    for (size_t i = 0; i < gate->row_count; i++) {
        const struct lauka_gate_row *row = &gate->rows[i];
        if (row->allowance || lauka_gate_is_as_expected(result, row))
            continue;
        if (row->judgement.verdict != LAUKA_GATE_INCONCLUSIVE)
            return LAUKA_GATE_FAIL;
        verdict = LAUKA_GATE_INCONCLUSIVE;
    }
    return verdict;
}

/* The missing rounds could have decided otherwise, and nobody chose to omit them. After a failure, what the
 * others showed until then still holds of them. */
static void doubt(struct lauka_result *result)
{
    const enum lauka_ending ending = lauka_result_ending(result);
    const bool cut =
        result->error.known || ending == LAUKA_ENDED_BY_ERROR || ending == LAUKA_ENDED_BY_SIGNAL;
    for (size_t i = 0; i < result->gate.row_count && cut; i++) {
        struct lauka_judgement *judgement = &result->gate.rows[i].judgement;
        if (judgement->verdict != LAUKA_GATE_PASS)
            continue;
        judgement->verdict = LAUKA_GATE_INCONCLUSIVE;
        judgement->undecided =
            ending == LAUKA_ENDED_BY_SIGNAL ? LAUKA_UNDECIDED_CUT : LAUKA_UNDECIDED_BROKEN;
    }
}

/* Rounds whose order was not drawn give an interval, and no verdict. */
static void withhold(const struct lauka_result *result, struct lauka_gate_row *row)
{
    struct lauka_judgement *judgement = &row->judgement;
    if (lauka_result_is_drawn(result) || judgement->exact || judgement->value.known ||
        judgement->undecided == LAUKA_UNDECIDED_UNKNOWN)
        return;
    judgement->verdict = LAUKA_GATE_INCONCLUSIVE;
    judgement->undecided = LAUKA_UNDECIDED_ORDER;
}

/* Each row by itself. */
static int judge_rows(struct lauka_result *result, double alpha)
{
    struct lauka_result_gate *gate = &result->gate;
    const bool hosts = lauka_result_has_hosts(result);
    for (size_t i = 0; i < gate->allowance_count; i++)
        gate->allowances[i].used = false;
    int error = list_rows(result);
    for (size_t i = 0; i < gate->row_count && !error; i++)
        if (hosts)
            lauka_hosts_judge(result, i, &gate->rows[i]);
        else
            error = judge(result, &gate->rows[i], alpha);
    for (size_t i = 0; i < gate->row_count; i++)
        withhold(result, &gate->rows[i]);
    return error;
}

static int judge_families(struct lauka_result *results, size_t count, double alpha)
{
    size_t groups = 1;
    int error = 0;
    for (size_t r = 0; r < count; r++)
        if (results[r].gate.tried && results[r].command_count > groups)
            groups = results[r].command_count;
    for (size_t command = 0; command < groups && !error; command++)
        error = judge_family(results, count, command, alpha);
    return error;
}

static void conclude(struct lauka_result *result, int error)
{
    struct lauka_result_gate *gate = &result->gate;
    if (!lauka_result_has_gate(result))
        return;
    doubt(result);
    for (size_t i = 0; i < gate->row_count && !error && !gate->tried; i++)
        excuse(result, &gate->rows[i]);
    gate->verdict = error ? LAUKA_GATE_INCONCLUSIVE : verdict_of(result);
}

int lauka_gate_judge_result(struct lauka_result *result, double alpha)
{
    int error = 0;
    if (lauka_result_has_gate(result))
        error = judge_rows(result, alpha);
    error = error ? error : judge_families(result, 1, alpha);
    conclude(result, error);
    return error;
}

int lauka_gate_judge_session(struct lauka_result *results, size_t count)
{
    double least = 1;
    int error = 0;
    for (size_t r = 0; r < count && !error; r++) {
        double alpha = lauka_gate_alpha(&results[r]);
        if (!lauka_result_has_gate(&results[r]))
            continue;
        least = fmin(least, alpha);
        error = judge_rows(&results[r], alpha);
    }
    error = error ? error : judge_families(results, count, least);
    for (size_t r = 0; r < count; r++)
        conclude(&results[r], error);
    return error;
}

bool lauka_gate_is_decided(const struct lauka_result *result)
{
    for (size_t i = 0; i < result->gate.row_count; i++) {
        enum lauka_undecided undecided = result->gate.rows[i].judgement.undecided;
        if (undecided == LAUKA_UNDECIDED_AROUND || undecided == LAUKA_UNDECIDED_FAMILY ||
            undecided == LAUKA_UNDECIDED_FEW)
            return false;
    }
    return true;
}

bool lauka_gate_refuses_hosts(const struct lauka_result *result)
{
    for (size_t i = 0; i < result->gate.row_count; i++)
        if (result->gate.rows[i].judgement.undecided == LAUKA_UNDECIDED_HOSTS)
            return true;
    return false;
}

/* ---- what is within its limit ------------------------------------------------------------------ */

/* On the scale that is known: as shares of the reference if possible. */
static bool find_interval(const struct lauka_result *result, const struct lauka_gate_row *row,
                          double *low, double *high, double *small)
{
    const struct lauka_judgement *judgement = &row->judgement;
    bool as_share = judgement->change.known;
    struct lauka_optional estimate = as_share ? judgement->change : judgement->difference;
    struct lauka_optional from = as_share ? judgement->change_low : judgement->difference_low;
    struct lauka_optional to = as_share ? judgement->change_high : judgement->difference_high;
    double mean = lauka_gate_mean(result, row->reference, row->metric).value;
    if (judgement->exact)
        from = to = estimate;
    *low = from.value;
    *high = to.value;
    *small = lauka_result_precision(result) * (as_share ? 1 : mean);
    return from.known && to.known;
}

enum lauka_gate_shift lauka_gate_shift_of(const struct lauka_result *result,
                                          const struct lauka_gate_row *row)
{
    double low, high, small;
    if (row->judgement.verdict != LAUKA_GATE_PASS || result->gate.tried || row->hidden ||
        row->reference_hidden || !find_interval(result, row, &low, &high, &small) ||
        (low <= 0 && high >= 0) || (low >= -small && high <= small))
        return LAUKA_SHIFT_NONE;
    const int goodness = lauka_direction_goodness(result->metrics[row->metric].better, low > 0);
    return goodness > 0 ? LAUKA_SHIFT_BETTER : goodness < 0 ? LAUKA_SHIFT_WORSE : LAUKA_SHIFT_OTHER;
}
