/* One row per command: hyperfine's columns first, then ten per metric, then one per limit of a gate.
 * Times in seconds, memory in bytes, and a field stays empty where a value is not known. */
#include "report/csv/csv.h"
#include "report/csv/fields.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void put_number(double value, const char *unit, FILE *out)
{
    char number[40];
    lauka_csv_put(lauka_format_exact(lauka_in_seconds(value, unit), number, sizeof number), out);
}

static void put_optional(struct lauka_optional value, const char *unit, FILE *out)
{
    if (value.known)
        put_number(value.value, unit, out);
    else
        lauka_csv_put("", out);
}

static void put_mean_of(const struct lauka_result *result, size_t command, const char *metric,
                        FILE *out)
{
    const struct lauka_summary *summary =
        lauka_result_summary(result, command, lauka_result_metric_index(result, metric));
    struct lauka_optional mean = {.known = summary, .value = summary ? summary->mean : 0};
    put_optional(mean, "ns", out);
}

/* To the last digit, also beyond 2^53; what is not above the floor is not known. */
static void put_extreme(const uint64_t *value, uint64_t floor, unsigned decimals, FILE *out)
{
    char number[40];
    bool known = value && (floor == 0 || *value > floor);
    lauka_csv_put(known ? lauka_format_decimal(*value, decimals, number, sizeof number) : "", out);
}

static void put_spread(const struct lauka_summary *summary, uint64_t floor, unsigned decimals,
                       FILE *out)
{
    put_extreme(summary ? &summary->min : NULL, floor, decimals, out);
    put_extreme(summary ? &summary->max : NULL, floor, decimals, out);
}

/* mean, stddev, median, user, system, min, max: hyperfine's, of the wall time. */
static void put_hyperfine(const struct lauka_result *result, size_t command, FILE *out)
{
    size_t wall_time = lauka_result_metric_index(result, "wall_time");
    const struct lauka_summary *wall = lauka_result_summary(result, command, wall_time);
    struct lauka_optional unknown = {0};
    struct lauka_optional median = {.known = wall, .value = wall ? wall->median : 0};
    put_mean_of(result, command, "wall_time", out);
    put_optional(wall ? wall->stddev : unknown, "ns", out);
    put_optional(median, "ns", out);
    put_mean_of(result, command, "user_time", out);
    put_mean_of(result, command, "system_time", out);
    put_spread(wall, 0, LAUKA_CSV_SECONDS, out);
}

/* The command whose parameters say which there are; a reference of its own has none. */
static const struct lauka_result_command *parametrised(const struct lauka_result *result)
{
    static const struct lauka_result_command none;
    return result->command_count > 0 ? &result->commands[result->command_count - 1] : &none;
}

static void put_parameters(const struct lauka_result *result, size_t command, FILE *out)
{
    const struct lauka_result_command *from = &result->commands[command];
    for (size_t i = 0; i < parametrised(result)->parameter_count; i++) {
        fputc(',', out);
        if (i < from->parameter_count)
            lauka_csv_text(from->parameters[i].value, out);
    }
}

/* d, ratio, low, high, verdict; those of the reference are empty. */
static void put_comparison(const struct lauka_comparison *comparison, FILE *out)
{
    static const struct lauka_comparison none;
    const struct lauka_comparison *shown = comparison ? comparison : &none;
    const char *verdict = lauka_verdict_name(shown->verdict);
    put_optional(shown->cohens_d, "1", out);
    put_optional(shown->ratio, "1", out);
    put_optional(shown->low, "1", out);
    put_optional(shown->high, "1", out);
    lauka_csv_put(verdict ? verdict : "", out);
}

static void put_metric(const struct lauka_result *result, size_t command, size_t metric, FILE *out)
{
    const struct lauka_summary *summary = lauka_result_summary(result, command, metric);
    const struct lauka_result_metric *about = &result->metrics[metric];
    const struct lauka_result_view view = lauka_result_view(result, command, metric);
    double unit = lauka_result_unit(about);
    bool known = summary && !view.at_floor && !view.at_least,
         spread = known && summary->stddev.known;
    struct lauka_optional mean = {known, known ? summary->mean / unit : 0};
    struct lauka_optional stddev = {spread, spread ? summary->stddev.value / unit : 0};
    put_optional(mean, about->unit, out);
    put_optional(stddev, about->unit, out);
    put_spread(view.at_least ? NULL : summary, view.floor, lauka_csv_decimals(about), out);
    put_comparison(lauka_result_comparison(result, command, metric), out);
    put_optional((struct lauka_optional){known, about->share}, "1", out);
}

static void put_gate_title(const struct lauka_gate_rule *rule, FILE *out)
{
    char statistic[48], name[32];
    lauka_statistic_name(rule->statistic, rule->rank, name, sizeof name);
    snprintf(statistic, sizeof statistic, "%s_gate", name);
    lauka_csv_title(rule->metric, statistic, out);
}

static void put_titles(const struct lauka_result *result, FILE *out)
{
    static const char *const first[] = {"mean", "stddev", "median", "user", "system", "min", "max"};
    static const char *const each[] = {"mean",  "stddev", "min",  "max",     "d",
                                       "ratio", "low",    "high", "verdict", "share"};
    fputs("command", out);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        lauka_csv_put(first[i], out);
    for (size_t i = 0; i < parametrised(result)->parameter_count; i++)
        lauka_csv_title("parameter", parametrised(result)->parameters[i].name, out);
    for (size_t m = 0; m < result->metric_count; m++)
        for (size_t i = 0; i < sizeof each / sizeof *each && lauka_result_is_shown(result, m); i++)
            lauka_csv_title(result->metrics[m].name, each[i], out);
    for (size_t r = 0; r < result->gate.rule_count; r++)
        put_gate_title(&result->gate.rules[r], out);
    fputs("\r\n", out);
}

/* A word for each rule; empty where it is not about the command. */
static void put_gate(const struct lauka_result *result, size_t command, FILE *out)
{
    for (size_t r = 0; r < result->gate.rule_count; r++) {
        const char *word = "";
        for (size_t i = 0; i < result->gate.row_count; i++) {
            const struct lauka_gate_row *row = &result->gate.rows[i];
            if (row->rule == r && row->command == command)
                word = row->allowance ? "allowed" : lauka_gate_name(row->judgement.verdict);
        }
        lauka_csv_put(word, out);
    }
}

int lauka_write_csv(const struct lauka_result *result, FILE *out)
{
    errno = 0;
    put_titles(result, out);
    for (size_t c = 0; c < result->command_count; c++) {
        lauka_csv_text(result->commands[c].label, out);
        put_hyperfine(result, c, out);
        put_parameters(result, c, out);
        for (size_t m = 0; m < result->metric_count; m++)
            if (lauka_result_is_shown(result, m))
                put_metric(result, c, m, out);
        put_gate(result, c, out);
        fputs("\r\n", out);
    }
    return lauka_finish(out);
}
