/* One row for each command: hyperfine's columns first, then ten for each metric, then one for each limit
 * of a gate. Times are in seconds, memory in bytes; an unknown value is an empty field. Named benchmarks
 * have a column of their own in front; a column that only some of them have is empty in the rows of the
 * others. How a session ended has a column before those of the gate, unless all is well. */
#include "report/csv/csv.h"
#include "report/csv/fields.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sheet {
    const struct lauka_session *session;
    struct lauka_csv_columns parameters, metrics, rules;
    FILE *out;
};

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
    size_t m = lauka_result_metric_index(result, metric);
    const struct lauka_summary *summary = lauka_result_summary(result, command, m);
    double mean = summary ? summary->mean / lauka_result_unit(&result->metrics[m]) : 0;

    put_optional((struct lauka_optional){summary, mean}, "ns", out);
}

/* To the last digit, also beyond 2^53; a value that is not above the floor is not known. */
static void put_extreme(const uint64_t *value, uint64_t floor, int decimals, FILE *out)
{
    char number[40];
    bool known = value && (floor == 0 || *value > floor);
    lauka_csv_put(known ? lauka_format_decimal(*value, decimals, number, sizeof number) : "", out);
}

static void put_spread(const struct lauka_summary *summary, uint64_t floor, int decimals, FILE *out)
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
    const struct lauka_result_metric *about = wall ? &result->metrics[wall_time] : NULL;
    double unit = about ? lauka_result_unit(about) : 1;
    struct lauka_optional median = {.known = wall, .value = wall ? wall->median / unit : 0};
    struct lauka_optional stddev = wall ? wall->stddev : unknown;
    put_mean_of(result, command, "wall_time", out);
    stddev.value /= unit;
    put_optional(stddev, "ns", out);
    put_optional(median, "ns", out);
    put_mean_of(result, command, "user_time", out);
    put_mean_of(result, command, "system_time", out);
    put_spread(wall, 0, about ? lauka_csv_decimals(about) : LAUKA_CSV_SECONDS, out);
}

/* The command whose parameters define the columns; a reference of its own has none. */
static const struct lauka_result_command *parametrised(const struct lauka_result *result)
{
    static const struct lauka_result_command none;
    return result->command_count > 0 ? &result->commands[result->command_count - 1] : &none;
}

static const char *parameter_of(const struct lauka_csv_column *column)
{
    return parametrised(column->result)->parameters[column->index].name;
}

static void put_parameters(const struct sheet *sheet, const struct lauka_result *result,
                           size_t command)
{
    const struct lauka_result_command *from = &result->commands[command];
    for (size_t i = 0; i < sheet->parameters.count; i++) {
        size_t p = 0;
        while (p < from->parameter_count &&
               strcmp(from->parameters[p].name, parameter_of(&sheet->parameters.list[i])) != 0)
            p++;
        fputc(',', sheet->out);
        if (p < from->parameter_count)
            lauka_csv_text(from->parameters[p].value, sheet->out);
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

/* Its share, and nine before it. */
static const char *const of_metric[] = {"mean",  "stddev", "min",  "max",     "d",
                                        "ratio", "low",    "high", "verdict", "share"};
enum { OF_METRIC = sizeof of_metric / sizeof *of_metric };

/* The benchmark may have no such metric. */
static void put_metrics(const struct sheet *sheet, const struct lauka_result *result,
                        size_t command)
{
    for (size_t i = 0; i < sheet->metrics.count; i++) {
        const struct lauka_csv_column *column = &sheet->metrics.list[i];
        size_t m = lauka_csv_metric_of(column, result);
        if (m < result->metric_count)
            put_metric(result, command, m, sheet->out);
        for (size_t empty = 0; empty < OF_METRIC && m == result->metric_count; empty++)
            lauka_csv_put("", sheet->out);
    }
}

static void put_gate_title(const struct lauka_csv_column *column, FILE *out)
{
    const struct lauka_gate_rule *rule = &column->result->gate.rules[column->index];
    char statistic[48], name[32];
    lauka_statistic_name(rule->statistic, rule->rank, name, sizeof name);
    snprintf(statistic, sizeof statistic, "%s_%s", name, rule->most.known ? "budget" : "gate");
    lauka_csv_title(rule->metric, statistic, out);
}

static void put_titles(const struct sheet *sheet)
{
    static const char *const first[] = {"mean", "stddev", "median", "user", "system", "min", "max"};
    FILE *out = sheet->out;
    fputs(lauka_session_is_named(sheet->session) ? "benchmark,command" : "command", out);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        lauka_csv_put(first[i], out);
    for (size_t i = 0; i < sheet->parameters.count; i++)
        lauka_csv_title("parameter", parameter_of(&sheet->parameters.list[i]), out);
    for (size_t m = 0; m < sheet->metrics.count; m++) {
        const struct lauka_csv_column *column = &sheet->metrics.list[m];
        for (size_t i = 0; i < OF_METRIC; i++)
            lauka_csv_title(column->result->metrics[column->index].name, of_metric[i], out);
    }
    lauka_csv_ending_title(sheet->session, out);
    for (size_t r = 0; r < sheet->rules.count; r++)
        put_gate_title(&sheet->rules.list[r], out);
    fputs("\r\n", out);
}

static bool is_same_rule(const struct lauka_gate_rule *one, const struct lauka_gate_rule *other)
{
    return strcmp(one->metric, other->metric) == 0 && one->statistic == other->statistic &&
           one->rank == other->rank;
}

/* How many earlier rules of the result have the same title. */
static size_t earlier_rules(const struct lauka_result *result, size_t rule)
{
    size_t count = 0;
    for (size_t r = 0; r < rule; r++)
        count += is_same_rule(&result->gate.rules[r], &result->gate.rules[rule]);
    return count;
}

/* Whether the column belongs to this rule: several rules of one result may share a title. */
static bool is_column_of(const struct lauka_csv_column *column, const struct lauka_result *result,
                         size_t rule)
{
    if (result == column->result)
        return rule == column->index;
    return is_same_rule(&column->result->gate.rules[column->index], &result->gate.rules[rule]) &&
           earlier_rules(column->result, column->index) == earlier_rules(result, rule);
}

/* A word for each rule; empty if it is not about the command. */
static void put_gate(const struct sheet *sheet, const struct lauka_result *result, size_t command)
{
    for (size_t r = 0; r < sheet->rules.count; r++) {
        const char *word = "";
        for (size_t i = 0; i < result->gate.row_count; i++) {
            const struct lauka_gate_row *row = &result->gate.rows[i];
            if (row->command == command && is_column_of(&sheet->rules.list[r], result, row->rule))
                word = row->allowance ? "allowed" : lauka_gate_name(row->judgement.verdict);
        }
        lauka_csv_put(word, sheet->out);
    }
}

/* ---- what columns there are ---------------------------------------------------------------------- */

/* Of one result each has a column of its own. */
static bool has_parameter(const struct lauka_csv_columns *columns,
                          const struct lauka_result *result, size_t index)
{
    for (size_t i = 0; i < columns->count; i++)
        if (columns->list[i].result != result &&
            strcmp(parameter_of(&columns->list[i]), parametrised(result)->parameters[index].name) ==
                0)
            return true;
    return false;
}

static bool has_rule(const struct lauka_csv_columns *columns, const struct lauka_result *result,
                     size_t index)
{
    for (size_t i = 0; i < columns->count; i++)
        if (is_column_of(&columns->list[i], result, index))
            return true;
    return false;
}

static int add_columns(struct sheet *sheet, const struct lauka_result *result)
{
    int error = 0;
    for (size_t p = 0; p < parametrised(result)->parameter_count && !error; p++)
        if (!has_parameter(&sheet->parameters, result, p))
            error = lauka_csv_add_column(&sheet->parameters, result, p);
    if (!error)
        error = lauka_csv_add_metrics(&sheet->metrics, result, true);
    for (size_t r = 0; r < result->gate.rule_count && !error; r++)
        if (!has_rule(&sheet->rules, result, r))
            error = lauka_csv_add_column(&sheet->rules, result, r);
    return error;
}

static void put_rows(const struct sheet *sheet, const struct lauka_result *result)
{
    for (size_t c = 0; c < result->command_count; c++) {
        lauka_csv_benchmark(result, sheet->out);
        lauka_csv_text(result->commands[c].label, sheet->out);
        put_hyperfine(result, c, sheet->out);
        put_parameters(sheet, result, c);
        put_metrics(sheet, result, c);
        lauka_csv_ending(sheet->session, result, sheet->out);
        put_gate(sheet, result, c);
        fputs("\r\n", sheet->out);
    }
}

int lauka_write_csv_session(const struct lauka_session *session, FILE *out)
{
    struct sheet sheet = {.session = session, .out = out};
    int error = 0;
    errno = 0;
    for (size_t b = 0; b < session->benchmark_count && !error; b++)
        error = add_columns(&sheet, &session->benchmarks[b]);
    if (!error)
        put_titles(&sheet);
    for (size_t b = 0; b < session->benchmark_count && !error && !ferror(out); b++)
        put_rows(&sheet, &session->benchmarks[b]);
    free(sheet.parameters.list);
    free(sheet.metrics.list);
    free(sheet.rules.list);
    return error ? error : lauka_finish(out);
}

int lauka_write_csv(const struct lauka_result *result, FILE *out)
{
    struct lauka_result one = *result; /* borrows */
    return lauka_write_csv_session(&(struct lauka_session){&one, 1}, out);
}
