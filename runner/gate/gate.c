/* The gate of a session: bound to the existing metrics, checked beforehand for what it cannot decide, and
 * turned into an exit code at the end. */
#include "runner/gate/gate.h"
#include "pmu/events/events.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "runner/base/base.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"
#include "stats/stats.h"
#include "runner/launch/launch.h"
#include "runner/launch/process.h"
#include "stats/histogram.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- before -------------------------------------------------------------------------------------- */

/* A limit with a unit of another kind: "50us" of memory, "1MiB" of time. */
static bool has_unit(const struct lauka_result_metric *metric, const struct lauka_gate_rule *rule)
{
    if (!rule->unit || strcmp(rule->unit, metric->unit) == 0)
        return true;
    bool bare = strcmp(rule->unit, "1") == 0;
    return bare && strcmp(metric->unit, "ns") != 0;
}

static const char *unit_for(const struct lauka_result_metric *metric, bool budget)
{
    const char *needed = strcmp(metric->unit, "ns") == 0  ? "a time, such as +50us"
                         : strcmp(metric->unit, "B") == 0 ? "a size, such as +1MiB"
                                                          : "a number without unit, such as +1000";

    if (!budget)
        return needed;
    return strcmp(metric->unit, "ns") == 0  ? "a time, such as <=5ms"
           : strcmp(metric->unit, "B") == 0 ? "a size, such as <=64MiB"
                                            : "a number without unit, such as <=1000";
}

/* What valgrind counts has names of its own. */
static bool refuse_metric(const struct lauka_result *result, const char *name,
                          struct lauka_error *error)
{
    char simulated[LAUKA_EVENT_NAME_SIZE];
    size_t length = (size_t)snprintf(simulated, sizeof simulated, "sim_%.40s", name);

    if (lauka_result_find_metric(result, simulated, length) < result->metric_count)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--gate %.100s: there is no such metric; what valgrind counts is %s",
                          name, simulated);
    return lauka_outline_refuse(result, "gate", name, strlen(name),
                                strchr(name, '.') ? "; STAT is typical, mean, median or pNN" : "",
                                error);
}

/* From this one on. */
static bool has_command(const struct lauka_result *result, size_t c, const char *name)
{
    while (c < result->command_count && !lauka_gate_is_named(result, c, name))
        c++;
    return c < result->command_count;
}

static bool refuse_command(const struct lauka_result *result, const struct lauka_gate_rule *rule,
                           struct lauka_error *error)
{
    const char *where = rule->where ? rule->where : "--gate-file";
    char names[400] = "";

    if (has_command(result, 0, rule->benchmark))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "%s: [%.200s] is a reference: limits apply to what is compared with it",
                          where, rule->benchmark);
    for (size_t c = 0; c < result->command_count; c++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s`%.60s`", c > 0 ? ", " : "",
                 result->commands[c].label);
    }
    return lauka_fail(error, LAUKA_EXIT_USAGE, "%s: there is no command [%.200s]; there are %s",
                      where, rule->benchmark, names);
}

static bool check_rule(const struct lauka_result *result, const struct lauka_gate_rule *rule,
                       struct lauka_error *error)
{
    size_t m = lauka_result_find_metric(result, rule->metric, strlen(rule->metric));

    if (m == result->metric_count)
        return refuse_metric(result, rule->metric, error);
    if (!has_unit(&result->metrics[m], rule))
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--gate %.100s: its absolute limit must be %s",
                          rule->metric, unit_for(&result->metrics[m], rule->most.known));
    if (rule->most.known && strcmp(result->metrics[m].better, "higher") == 0)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--gate %.100s: more of it is better, and <= says what it may be at most",
                          rule->metric);
    if (strcmp(result->metrics[m].better, "higher") == 0 && rule->share.known &&
        rule->share.value >= 1)
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--gate %.100s: less of it is worse, and it cannot fall by 100 %%",
                          rule->metric);
    size_t first = result->gate.halves > 0 ? result->gate.halves : result->command_count > 1;
    return !rule->benchmark || has_command(result, first, rule->benchmark) ||
           refuse_command(result, rule, error);
}

void lauka_gate_note_unused(const struct lauka_gate_allowance *allowance, const char *what,
                            const char *name)
{
    struct lauka_error note;

    lauka_fail(&note, LAUKA_EXIT_DONE, "%s: there is no %s %.200s here: this line has no effect",
               allowance->where, what, name);
    lauka_note_print(&note);
}

void lauka_gate_check_allowances(const struct lauka_result *result,
                                 const struct lauka_options *options)
{
    for (size_t i = 0; !options->quiet && i < options->judge.gate.allowance_count; i++) {
        const struct lauka_gate_allowance *allowance = &options->judge.gate.allowances[i];
        struct lauka_gate_rule about;
        if (strcmp(allowance->benchmark, "*") != 0 && !has_command(result, 0, allowance->benchmark))
            lauka_gate_note_unused(allowance, "command", allowance->benchmark);
        else if (lauka_gate_allowed_metric(result, allowance, &about) == result->metric_count)
            lauka_gate_note_unused(allowance, "metric", allowance->metric);
    }
}

/* A single command can only be held to budgets. */
static bool check_sides(const struct lauka_result *result, const struct lauka_result_gate *gate,
                        struct lauka_error *error)
{
    for (size_t i = 0; result->command_count < 2 && i < gate->rule_count; i++)
        if (!gate->rules[i].most.known)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--gate %.100s compares commands: give the reference first, then the "
                              "one to judge; for a single command set a budget, such as "
                              "wall_time<=5ms",
                              gate->rules[i].metric);
    return true;
}

bool lauka_gate_bind(struct lauka_result *result, const struct lauka_options *options,
                     struct lauka_error *error)
{
    const struct lauka_result_gate *gate = &options->judge.gate;

    if (gate->rule_count == 0)
        return true;
    if (!check_sides(result, gate, error))
        return false;
    for (size_t i = 0; i < gate->rule_count; i++)
        if (!check_rule(result, &gate->rules[i], error))
            return false;
    lauka_gate_check_allowances(result, options);
    lauka_gate_done(&result->gate);
    return lauka_gate_copy(gate, &result->gate) == 0 || lauka_fail_memory(error);
}

/* 0 where its metric is not counted, or so exact that their number does not matter. */
static uint64_t rounds_needed(const struct lauka_result *result, const struct lauka_gate_rule *rule,
                              size_t metric, const struct lauka_options *options)
{
    struct lauka_limit limit = lauka_gate_limit(result, rule, metric);

    if (!result->metrics[metric].counted ||
        strcmp(result->metrics[metric].source, "valgrind") == 0) /* mostly the same each time */
        return 0;
    return lauka_limit_rounds_needed(&limit, options->measure.rounds > 0 ? LAUKA_ALPHA_GATE
                                                                         : LAUKA_ALPHA_GATE_LOOK);
}

static void announce_uncounted(const struct lauka_gate_rule *rule)
{
    struct lauka_error note;

    lauka_fail(&note, LAUKA_EXIT_DONE,
               "--gate %.100s cannot be counted here and stays inconclusive: gate another "
               "metric, such as sim_instructions with --counters=valgrind; or have that fail, "
               "--require-counters",
               rule->metric);
    lauka_note_print(&note);
}

static void announce_rounds(const struct lauka_gate_rule *rule, uint64_t needed,
                            const struct lauka_options *options)
{
    const uint64_t floor = rule->most.known ? LAUKA_FEWEST_BUDGET : LAUKA_FIRST_LOOK + 1;
    struct lauka_error note;
    char name[32];

    if (options->measure.rounds > 0 ? options->measure.rounds >= needed
                                    : needed <= floor) /* the floor of enough.c is as high */
        return;
    const bool typical = rule->statistic == LAUKA_STATISTIC_TYPICAL; /* nobody has to type that */
    lauka_fail(&note, LAUKA_EXIT_DONE,
               "--gate %.100s%s%s needs %" PRIu64 " rounds at least; with fewer%s it is "
               "inconclusive",
               rule->metric, typical ? "" : ".",
               typical ? "" : lauka_statistic_name(rule->statistic, rule->rank, name, sizeof name),
               needed, options->measure.rounds > 0 ? ", as here," : "");
    lauka_note_print(&note);
}

uint64_t lauka_gate_announce(const struct lauka_result *result, const struct lauka_options *options)
{
    uint64_t most = 0;

    for (size_t i = 0; i < result->gate.rule_count; i++) {
        const struct lauka_gate_rule *rule = &result->gate.rules[i];
        size_t metric = lauka_result_find_metric(result, rule->metric, strlen(rule->metric));
        const uint64_t needed = rounds_needed(result, rule, metric, options);
        most = needed > most ? needed : most;
        if (!options->quiet && !result->metrics[metric].counted)
            announce_uncounted(rule);
        else if (!options->quiet && needed > 0)
            announce_rounds(rule, needed, options);
    }
    return most;
}

/* ---- after --------------------------------------------------------------------------------------- */

static void say(const struct lauka_result *result, const char *follow)
{
    struct lauka_prose prose = lauka_prose_begin(NULL, lauka_terminal_detect(2, LAUKA_COLOR_NEVER));
    const char *name = result->benchmark.name;

    fprintf(stderr, "lauka: %s%s%s%s\n", name ? lauka_say_safely(&prose, name) : "",
            name ? ": " : "", lauka_say_safely(&prose, lauka_gate_headline(&prose, result)),
            follow);
    lauka_prose_done(&prose);
}

/* For one benchmark; LAUKA_EXIT_INCONCLUSIVE if that must be reported, even if only as a warning. */
static int conclude(const struct lauka_result *result)
{
    const struct lauka_result_gate *gate = &result->gate;

    switch (lauka_result_ending(result)) {
    case LAUKA_ENDED_WELL:
        break;
    case LAUKA_ENDED_BY_FAILURE: /* a session that ended so tells of no command that it is good */
        return LAUKA_EXIT_COMMAND_FAILED;
    case LAUKA_ENDED_BY_ERROR:
    case LAUKA_ENDED_BY_SIGNAL:
    case LAUKA_ENDED_UNMEASURED:
        return LAUKA_EXIT_INTERNAL;
    }
    if (!lauka_result_has_gate(result))
        return LAUKA_EXIT_DONE;
    if (gate->verdict == LAUKA_GATE_FAIL) {
        say(result, "");
        return LAUKA_EXIT_REGRESSION;
    }
    if (lauka_gate_refuses_hosts(result)) {
        say(result, "; the results come from different hosts, and only one host can judge its "
                    "times: measure both on one, or say --cross-host");
        return LAUKA_EXIT_HOST;
    }
    return gate->verdict == LAUKA_GATE_PASS || gate->policy == LAUKA_POLICY_PASS
               ? LAUKA_EXIT_DONE
               : LAUKA_EXIT_INCONCLUSIVE;
}

/* Broken takes precedence over worse, and worse over unknown. */
static int worse_of(int one, int other)
{
    static const int order[] = {LAUKA_EXIT_INTERNAL, LAUKA_EXIT_COMMAND_FAILED,
                                LAUKA_EXIT_REGRESSION, LAUKA_EXIT_HOST, LAUKA_EXIT_INCONCLUSIVE};

    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (one == order[i] || other == order[i])
            return order[i];
    return LAUKA_EXIT_DONE;
}

static void name_some(const struct lauka_session *session, const int *codes, FILE *out)
{
    enum { MOST = 3 };
    bool utf8 = lauka_terminal_detect(2, LAUKA_COLOR_NEVER).utf8;
    size_t named = 0;

    for (size_t b = 0; b < session->benchmark_count; b++) {
        const char *name = session->benchmarks[b].benchmark.name;
        if (codes[b] != LAUKA_EXIT_INCONCLUSIVE || named++ >= MOST)
            continue;
        fputs(named > 1 ? ", " : "", out);
        lauka_print_safely(name ? name : "?", utf8, out);
    }
    if (named > MOST)
        fprintf(out, " and %zu more", named - MOST);
}

/* ", in --budget 10m", if a given time ended the rounds of each of them. */
static void name_limit(const struct lauka_session *session, const int *codes, FILE *out)
{
    struct lauka_prose prose = lauka_prose_begin(NULL, lauka_terminal_detect(2, LAUKA_COLOR_NEVER));
    const char *limit = NULL;

    for (size_t b = 0; b < session->benchmark_count; b++) {
        const char *own = lauka_time_limit(&prose, &session->benchmarks[b], 0).text;
        if (codes[b] == LAUKA_EXIT_INCONCLUSIVE)
            limit = !limit || strcmp(limit, own) == 0 ? own : "";
    }
    if (limit && *limit)
        fprintf(out, ", in %s", limit);
    lauka_prose_done(&prose);
}

/* One line, however many there are. */
static void say_undecided(const struct lauka_session *session, const int *codes, size_t count,
                          bool warns)
{
    const char *follow = warns ? ": a warning only (--inconclusive=fail makes it exit code 4)" : "";
    size_t first = 0;

    while (codes[first] != LAUKA_EXIT_INCONCLUSIVE)
        first++;
    if (count == 1) {
        say(&session->benchmarks[first], follow);
        return;
    }
    fprintf(stderr, "lauka: gate: inconclusive in %zu of %zu benchmarks, ", count,
            session->benchmark_count);
    name_some(session, codes, stderr);
    name_limit(session, codes, stderr);
    fprintf(stderr, "%s\n", follow);
}

int lauka_gate_conclude(const struct lauka_session *session, const struct lauka_options *options)
{
    int *codes, code = LAUKA_EXIT_DONE;
    size_t undecided = 0;
    bool warns = true;

    if (options->judge.gate.rule_count == 0 && options->verb != LAUKA_VERB_GATE &&
        options->verb != LAUKA_VERB_MERGE)
        return code;
    if (!(codes = calloc(session->benchmark_count + 1, sizeof *codes)))
        return LAUKA_EXIT_INTERNAL;
    for (size_t b = 0; b < session->benchmark_count; b++) {
        codes[b] = conclude(&session->benchmarks[b]);
        warns = warns && session->benchmarks[b].gate.policy != LAUKA_POLICY_FAIL;
        if (codes[b] == LAUKA_EXIT_INCONCLUSIVE)
            undecided++;
        else
            code = worse_of(code, codes[b]);
    }
    if (undecided > 0)
        say_undecided(session, codes, undecided, warns);
    free(codes);
    return undecided > 0 && !warns ? worse_of(code, LAUKA_EXIT_INCONCLUSIVE) : code;
}

/* ---- bisecting ------------------------------------------------------------------------------------- */

/* git-bisect(1): 0 is good, 1 to 124 and 126, 127 are bad, 125 cannot be tested, all above ends it. */
int lauka_bisect_code(int code)
{
    switch (code) {
    case LAUKA_EXIT_DONE:
        return 0;
    case LAUKA_EXIT_REGRESSION:
        return 1;
    case LAUKA_EXIT_INCONCLUSIVE:
    case LAUKA_EXIT_COMMAND_FAILED:
        return 125;
    default:
        return code >= LAUKA_EXIT_SIGNAL ? code : 255;
    }
}

/* ---- a regression made on purpose ------------------------------------------------------------- */

/* To see whether a gate notices it, the last command spends some CPU time before it begins, within what is measured. */

/* A gate must catch twice what it lets through, and half a per cent if it lets nothing through. */
static double worse_than(const struct lauka_limit *limit, double typical)
{
    double share = limit->share.known ? limit->share.value * typical : 0;
    double limit_ns =
        limit->absolute.known && limit->absolute.value > share ? limit->absolute.value : share;

    return limit_ns > 0.005 * typical ? 2 * limit_ns : limit_ns + 0.005 * typical;
}

void lauka_slowdown_note(struct lauka_slowdown *slowdown, const struct lauka_sample *sample)
{
    if (slowdown->count == LAUKA_SLOWDOWN_ROUNDS)
        return;
    for (size_t m = 0; m < LAUKA_USAGE_METRICS; m++)
        slowdown->values[m][slowdown->count] = sample->usage.values[m];
    slowdown->count++;
}

/* The median of the warm-up rounds; their maximum if a high quantile is judged. */
static double expected(struct lauka_slowdown *slowdown, size_t metric,
                       const struct lauka_limit *limit)
{
    uint64_t *values = slowdown->values[metric];
    bool tail = limit->statistic == LAUKA_STATISTIC_QUANTILE && limit->rank > LAUKA_RANK_WHOLE / 2;

    if (slowdown->count == 0 || lauka_sort_integers(values, slowdown->count) != 0)
        return 0;
    return tail ? (double)values[slowdown->count - 1]
                : lauka_sorted_median(values, slowdown->count);
}

bool lauka_slowdown_is_real(const struct lauka_options *options)
{
    char names[][sizeof "wall_time"] = {"wall_time", "cpu_time", "user_time"};
    struct lauka_result_metric times[] = {
        {.name = names[0]}, {.name = names[1]}, {.name = names[2]}};
    const struct lauka_result result = {.metrics = times, .metric_count = 3};

    if (options->measure.pretended || !lauka_process_can_delay())
        return false;
    for (size_t r = 0; r < options->judge.gate.rule_count; r++) {
        const char *metric = options->judge.gate.rules[r].metric;
        if (lauka_result_find_metric(&result, metric, strlen(metric)) < result.metric_count)
            return true;
    }
    return false;
}

uint64_t lauka_slowdown_ns(struct lauka_slowdown *slowdown, const struct lauka_result *result)
{
    double most = 0;

    for (size_t r = 0; r < result->gate.rule_count; r++) {
        const struct lauka_gate_rule *rule = &result->gate.rules[r];
        size_t metric = lauka_result_find_metric(result, rule->metric, strlen(rule->metric));
        if (!lauka_gate_slows(result, metric))
            continue;
        struct lauka_limit limit = lauka_gate_limit(result, rule, metric);
        double worse = worse_than(&limit, expected(slowdown, metric, &limit));
        most = worse > most ? worse : most;
    }
    return (uint64_t)most;
}
