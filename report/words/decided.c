/* What decided: the limits that are exceeded, the worst first. Headlines and sentences name them before anything
 * else. */
#include "report/words/words.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/why.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether the name is this one, or this one with a mode: "instructions:u". */
static bool is_stem(const char *name, const char *stem)
{
    const size_t length = strlen(stem);
    return strncmp(name, stem, length) == 0 && (name[length] == 0 || name[length] == ':');
}

const char *lauka_metric_topic(struct lauka_prose *prose, const char *name)
{
    if (is_stem(name, "instructions") || is_stem(name, "sim_instructions"))
        return "instructions"; /* in user mode alone, too */
    const char *noun = lauka_metric_noun(name);
    return *noun && strcmp(noun, "of this metric") != 0 ? noun : lauka_say_safely(prose, name);
}

/* ---- which limits ------------------------------------------------------------------------------ */

static bool is_exceeded(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    return lauka_concern_of_row(result, row) == LAUKA_CONCERN_WORSE;
}

double lauka_limit_excess(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    const struct lauka_judgement *judgement = &row->judgement;
    const struct lauka_gate_rule *rule = &result->gate.rules[row->rule];
    if (rule->most.known && judgement->value.known && rule->most.value > 0)
        return fabs(log(fmax(judgement->value.value, 1) / rule->most.value));
    return judgement->change.known ? fabs(log1p(fmax(-1, judgement->change.value))) : HUGE_VAL;
}

struct sized {
    double size;
    const struct lauka_gate_row *row;
};

/* Of equal ones the first of the gate. */
static int compare_sized(const void *left, const void *right)
{
    const struct sized *a = left, *b = right;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static struct lauka_exceeded limits_with(struct lauka_prose *prose,
                                         const struct lauka_result *result, size_t command,
                                         enum lauka_concern concern)
{
    const size_t most = result->gate.row_count;
    struct lauka_exceeded found = {lauka_prose_room(prose, most + 1, sizeof *found.rows), 0};
    struct sized *sized = lauka_prose_room(prose, most + 1, sizeof *sized);
    for (size_t i = 0; sized && found.rows && i < most; i++) {
        const struct lauka_gate_row *row = &result->gate.rows[i];
        if ((command == LAUKA_EACH_COMMAND || row->command == command) &&
            lauka_concern_of_row(result, row) == concern)
            sized[found.count++] = (struct sized){lauka_limit_excess(result, row), row};
    }
    if (found.count > 1)
        qsort(sized, found.count, sizeof *sized, compare_sized);
    for (size_t i = 0; i < found.count; i++)
        found.rows[i] = sized[i].row;
    return found;
}

struct lauka_exceeded lauka_exceeded_limits(struct lauka_prose *prose,
                                            const struct lauka_result *result, size_t command)
{
    return limits_with(prose, result, command, LAUKA_CONCERN_WORSE);
}

/* ---- a limit in words -------------------------------------------------------------------------- */

static bool is_typical(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    return result->gate.rules[row->rule].statistic == LAUKA_STATISTIC_TYPICAL;
}

/* Whether limits are about the count of the machine and that of valgrind at once: then each has its own name. */
static bool counts_twice(const struct lauka_result *result)
{
    bool counted = false, simulated = false;
    for (size_t i = 0; i < result->gate.row_count; i++) {
        const char *name = result->metrics[result->gate.rows[i].metric].name;
        counted |= is_stem(name, "instructions");
        simulated |= is_stem(name, "sim_instructions");
    }
    return counted && simulated;
}

const char *lauka_limit_topic(struct lauka_prose *prose, const struct lauka_result *result,
                              const struct lauka_gate_row *row)
{
    const struct lauka_gate_rule *rule = &result->gate.rules[row->rule];
    const char *name = result->metrics[row->metric].name;
    const char *topic =
        counts_twice(result) ? lauka_say_safely(prose, name) : lauka_metric_topic(prose, name);
    char statistic[32];
    return is_typical(result, row) ? topic
                                   : lauka_say(prose, "%s %s", topic,
                                               lauka_statistic_name(rule->statistic, rule->rank,
                                                                    statistic, sizeof statistic));
}

const char *lauka_limits_list(struct lauka_prose *prose, const struct lauka_result *result,
                              enum lauka_concern concern)
{
    const struct lauka_exceeded limits = limits_with(prose, result, LAUKA_EACH_COMMAND, concern);
    const char *text = "";
    for (size_t i = 0; i < limits.count && i < LAUKA_LIMITS_LISTED; i++) {
        const struct lauka_gate_row *row = limits.rows[i];
        const char *what = lauka_limit_topic(prose, result, row);
        if (result->command_count > 2)
            what = lauka_say(prose, "%s of %s", what, lauka_say_name(prose, result, row->command));
        if (concern != LAUKA_CONCERN_UNCLEAR)
            what = lauka_join(prose, what, " ", lauka_gate_row_change(prose, result, row).estimate);
        text = lauka_join(prose, text, ", ", what);
    }
    return limits.count > LAUKA_LIMITS_LISTED
               ? lauka_say(prose, "%s and %zu more", text, limits.count - LAUKA_LIMITS_LISTED)
               : text;
}

const char *lauka_why_function(struct lauka_prose *prose, const struct lauka_result *result,
                               size_t command, const char **place)
{
    struct lauka_why_part part;
    size_t next = 0;
    *place = "";
    if (!lauka_result_tells_why(result) || command == 0 ||
        !lauka_why_next(prose, result, command, 1, &next, &part) ||
        part.kind != LAUKA_WHY_COUNTED || part.row_count == 0 || !part.rows[0].is_name)
        return "";
    *place = part.rows[0].text[LAUKA_WHY_PLACE];
    const struct lauka_why_function *function = part.rows[0].function;
    return function ? lauka_say_function(prose, function->name, LAUKA_FUNCTION_WIDTH)
                    : part.rows[0].text[LAUKA_WHY_NAME];
}

/* ---- the sentence ------------------------------------------------------------------------------ */

static const char *sides_of(struct lauka_prose *prose, const struct lauka_result *result,
                            size_t command, size_t metric)
{
    return lauka_say(prose, " (%s)",
                     lauka_say_means(prose, result, 0, command, metric, false, " "));
}

/* "uses 94 % more memory than R", without what it is compared with where `reference` is empty. */
static const char *say_more(struct lauka_prose *prose, const struct lauka_result *result,
                            size_t metric, const struct lauka_comparison *values,
                            const char *reference, struct lauka_change *size)
{
    const char *name = result->metrics[metric].name, *than = *reference ? " than " : "";
    const char *topic = lauka_metric_topic(prose, name);
    bool rises = values->log_ratio.value > 0, cpu = lauka_is_cpu_time(name);
    const char *verb = lauka_metric_verb(name);
    bool factor = lauka_change_is_factor(values);
    *size = factor ? lauka_change_factor(prose, values)
                   : lauka_change_size(prose, values, lauka_result_scale(result, metric, true));
    if (lauka_is_speed(result, metric) && !cpu && !factor)
        return lauka_say(prose, "is %s %s%s%s", size->estimate, rises ? "slower" : "faster", than,
                         reference);
    if (factor && rises)
        return lauka_say(prose, "%s %s times as much %s%s%s", verb, size->estimate, topic,
                         *reference ? " as " : "", reference);
    if (factor)
        return lauka_say(prose, "%s less %s%s%s by a factor of %s", verb, topic, than, reference,
                         size->estimate);
    return lauka_say(prose, "%s %s %s %s%s%s", verb, size->estimate, rises ? "more" : "less", topic,
                     than, reference);
}

/* Whether a clause about it says how the command differs from the reference; otherwise it names the limit. */
static bool is_difference(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    const struct lauka_optional change = lauka_gate_row_comparison(row).log_ratio;
    return change.known && isfinite(change.value) && is_typical(result, row) &&
           !lauka_gate_is_budget(result, row);
}

/* One limit as a clause: "uses 94.1 % more memory than R [93.4, 94.8] (5.007 → 9.719 MiB)". */
static const char *say_exceeded(struct lauka_prose *prose, const struct lauka_result *result,
                                const struct lauka_gate_row *row, const char *reference)
{
    const struct lauka_comparison values = lauka_gate_row_comparison(row);
    struct lauka_change size = lauka_gate_row_change(prose, result, row);
    if (!is_difference(result, row))
        return lauka_say(prose, "exceeds the limit on %s with %s",
                         lauka_limit_topic(prose, result, row), lauka_change_text(prose, size));
    const char *text = say_more(prose, result, row->metric, &values, reference, &size);
    text = lauka_join(prose, text, " ", size.interval);
    return lauka_say(prose, "%s%s", text, sides_of(prose, result, row->command, row->metric));
}

/* A limit on the main metric that needs no words of its own: the sentence about all else has them. */
static bool is_usual(const struct lauka_result *result, const struct lauka_gate_row *row)
{
    return row->metric == lauka_result_main_metric(result) && is_typical(result, row) &&
           !lauka_gate_is_budget(result, row);
}

const char *lauka_exceeded_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                    size_t command, const char *name, const char *reference_name)
{
    struct lauka_exceeded limits = lauka_exceeded_limits(prose, result, command);
    const char *text = "", *reference = reference_name;
    size_t said = 0, others = 0;
    bool differs = false;
    for (size_t i = 0; i < limits.count; i++)
        others += !is_usual(result, limits.rows[i]);
    if (others == 0 || result->gate.tried)
        return "";
    for (size_t i = 0; i < limits.count && said < LAUKA_LIMITS_LISTED; i++) {
        if (is_usual(result, limits.rows[i]))
            continue;
        const char *between = said == 0 ? "" : said + 1 == others ? " and " : ", ";
        text = lauka_say(prose, "%s%s%s", text, between,
                         say_exceeded(prose, result, limits.rows[i], reference));
        differs = differs || is_difference(result, limits.rows[i]);
        reference = "";
        said++;
    }
    if (others > said)
        text = lauka_say(prose, "%s and %zu more", text, others - said);
    return differs
               ? lauka_say(prose, "%s %s: over the limit%s. ", name, text, others == 1 ? "" : "s")
               : lauka_say(prose, "%s %s. ", name, text);
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* Less is no news beside a time: smaller changes come from where the heap begins, and from a page more or less. */
#define MEMORY_SHARE 0.05
#define MEMORY_BYTES 0x1p20

static bool is_large(const struct lauka_comparison *values)
{
    double near = fmin(fabs(values->log_low.value), fabs(values->log_high.value));
    return lauka_is_clear(values) && values->log_ratio.known && values->log_low.known &&
           near >= log1p(MEMORY_SHARE) &&
           fabs(values->other_mean - values->reference_mean) >= MEMORY_BYTES;
}

const char *lauka_memory_clause(struct lauka_prose *prose, const struct lauka_result *result,
                                size_t command)
{
    size_t metric = lauka_result_metric_index(result, "peak_rss");
    if (metric >= result->metric_count || metric == lauka_result_main_metric(result))
        return "";
    struct lauka_result_view view = lauka_result_view(result, command, metric);
    struct lauka_result_view before = lauka_result_view(result, 0, metric);
    const struct lauka_gate_row *row = lauka_gate_row_of(result, command, metric);
    if (!view.counted || !view.comparison || view.at_floor || before.at_floor || view.at_least ||
        before.at_least || !is_large(view.comparison) || (row && is_exceeded(result, row)))
        return "";
    struct lauka_change size;
    const char *text = say_more(prose, result, metric, view.comparison, "", &size);
    return lauka_say(prose, "; it %s%s", text, sides_of(prose, result, command, metric));
}
