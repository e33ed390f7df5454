/* Options of the gate: limits, and what follows from them. */
#include "runner/options/gate_rule.h"
#include "runner/options/options.h"
#include "runner/options/table.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A slowdown is a share of the command's time, which warm-up rounds measure. */
enum { WARMUP_ROUNDS = 5 };

/* NULL if it cannot be read. */
static const char *read_file(struct lauka_arena *arena, const char *option, const char *name,
                             size_t *size, struct lauka_error *error)
{
    struct lauka_error reason;
    char *bytes = lauka_file_read(name, size, &reason), *kept = NULL;

    if (bytes)
        kept = lauka_arena_piece(arena, bytes, *size);
    else
        lauka_fail(error, reason.code, "--%s %.900s", option, reason.text);
    free(bytes);
    return kept;
}

static bool take_gate_file(const char *name, struct lauka_options *options,
                           struct lauka_error *error)
{
    size_t size, before = options->gate.rule_count;
    const char *bytes = read_file(options->arena, "gate-file", name, &size, error);

    return bytes && gate_file_parse(options->arena, name, bytes, size, &options->gate, error) &&
           (options->gate.rule_count > before ||
            lauka_fail(error, LAUKA_EXIT_USAGE, "--gate-file %.300s: it holds no limit", name));
}

/* Days are in UTC: an allowance ends at the same time for everybody. */
static bool take_allowances(const char *name, struct lauka_options *options,
                            struct lauka_error *error)
{
    char today[LAUKA_DATE_SIZE] = "";
    size_t size;

    lauka_format_day(time(NULL), today);
    const char *bytes = read_file(options->arena, "allow", name, &size, error);
    return bytes &&
           gate_allowances_parse(options->arena, name, bytes, size, today, &options->gate, error);
}

/* In the order in which they were given. */
bool option_take_limits(struct lauka_options *options, struct lauka_error *error)
{
    bool good = true;

    for (size_t i = 0; good && i < options->arguments->given_count; i++) {
        const char *text = options->arguments->given[i].text;
        int id = options->arguments->given[i].row->id;
        if (id == OPTION_GATE)
            good = gate_option_add(options->arena, text, &options->gate, error);
        else if (id == OPTION_GATE_FILE)
            good = take_gate_file(text, options, error);
        else if (id == OPTION_ALLOW_FILE)
            good = take_allowances(text, options, error);
    }
    return good;
}

static bool needs_values(const struct lauka_gate_rule *rule)
{
    return rule->statistic != LAUKA_STATISTIC_TYPICAL || rule->absolute.known || rule->most.known;
}

/* Against itself, a command is slowed down by a share of its own cost, not beyond a budget. */
static bool check_trial(const struct lauka_options *options, struct lauka_error *error)
{
    for (size_t i = 0; i < options->gate.rule_count; i++)
        if (options->gate.rules[i].most.known)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--gate %.100s: a budget (<=) compares nothing, and so cannot be "
                              "tried out by lauka noise: leave it out",
                              options->gate.rules[i].metric);
    return true;
}

/* Unknown is neither good nor bad: a search skips it, and a trial of the gate has not succeeded. */
static void set_policy(struct lauka_options *options)
{
    bool strict = options->bisect || options->verb == LAUKA_VERB_NOISE;

    options->policy_given = lauka_arguments_find(options->arguments, OPTION_INCONCLUSIVE) != NULL;
    if (!options->policy_given && strict)
        options->gate.policy = LAUKA_POLICY_FAIL;
    options->gate.tried = options->verb == LAUKA_VERB_NOISE && options->gate.rule_count > 0;
    if (options->gate.tried && options->warmup < WARMUP_ROUNDS)
        options->warmup = WARMUP_ROUNDS;
}

bool option_check_gate(struct lauka_options *options, struct lauka_error *error)
{
    const struct lauka_result_gate *gate = &options->gate;

    set_policy(options);
    if (options->verb == LAUKA_VERB_NOISE && !check_trial(options, error))
        return false;
    if (options->verb == LAUKA_VERB_GATE || options->verb == LAUKA_VERB_MERGE ||
        options->verb == LAUKA_VERB_REPORT) /* the result may bring its own */
        return true;
    if (gate->rule_count == 0 &&
        (gate->allowance_count > 0 || options->policy_given || options->bisect || gate->cross_host))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "no limit was given: use --gate wall_time=2%% or --gate-file");
    if (gate->rule_count == 0 && options->outputs[LAUKA_DOCUMENT_JUNIT].wanted)
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--junit reports a gate's verdicts: add --gate");
    for (size_t i = 0; options->no_samples && i < gate->rule_count; i++)
        if (needs_values(&gate->rules[i]))
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--gate %.100s: without single runs (--no-samples) only the typical "
                              "value can be judged, as a percentage",
                              gate->rules[i].metric);
    return true;
}
