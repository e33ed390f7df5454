/* Results as CSV (RFC 4180: rows end in CRLF), in three documents. Times are in seconds, memory in bytes, and a field stays
 * empty where a value is not known. Named benchmarks have a column in front; a column that only some of them have is empty
 * in the rows of the others. Text goes through libcsv, which quotes it; our numbers and names need no quotes, as in
 * hyperfine's. */
#include "report/csv/csv.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <csv.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 9 }; /* decimals of nanoseconds in seconds */

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, release) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(release)

const char *lauka_csv_library(void)
{
    return VERSION_TEXT(CSV_MAJOR, CSV_MINOR, CSV_RELEASE);
}

/* ---- fields ------------------------------------------------------------------------------------ */

/* Also in full width, which some spreadsheets treat alike. */
static bool begins_like_a_formula(const char *text)
{
    static const char *const wide[] = {"\uFF0B", "\uFF0D", "\uFF1D", "\uFF20"};
    if (!*text)
        return false;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strncmp(text, wide[i], strlen(wide[i])) == 0)
            return true;
    return strchr("=+-@\t\r\n", *text) != NULL;
}

static void put_guarded(const char *text, FILE *out)
{
    size_t length = strlen(text);
    if (!begins_like_a_formula(text + strspn(text, "'"))) {
        csv_fwrite(out, text, length);
        return;
    }
    char *guarded = malloc(length + 2);
    if (guarded) {
        guarded[0] = '\'';
        memcpy(guarded + 1, text, length + 1);
    }
    csv_fwrite(out, guarded ? guarded : "", guarded ? length + 1 : 0);
    free(guarded);
}

/* Printable ASCII, which most text is, is the same wherever it goes. */
static bool is_plain(const char *text)
{
    while (*text >= ' ' && *text < 0x7F)
        text++;
    return !*text;
}

/* A field of text, in quotes. Text that a spreadsheet would calculate gets an apostrophe in front; a
 * reader removes one apostrophe if one or more precede such a beginning. On a terminal, bytes that could
 * act on it are escaped; elsewhere they stay as they are. */
static void put_text(const char *text, FILE *out)
{
    bool acts = !is_plain(text) && isatty(fileno(out)); /* no terminal: -1 of memory, too */
    char *safe = acts ? lauka_safe_text(text, true) : NULL;
    put_guarded(!acts ? text : safe ? safe : "?", out);
    free(safe);
}

/* A comma and a number or a word of ours. */
static void put(const char *text, FILE *out)
{
    fprintf(out, ",%s", text);
}

/* A comma and the title METRIC_STATISTIC, or METRIC if statistic is NULL; quoted if the name that users
 * gave the metric requires it. */
static void put_title(const char *metric, const char *statistic, FILE *out)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/@";
    char title[256];
    snprintf(title, sizeof title, "%s%s%s", metric, statistic ? "_" : "",
             statistic ? statistic : "");
    if (title[strspn(title, plain)] == 0) {
        put(title, out);
        return;
    }
    fputc(',', out);
    put_text(title, out);
}

static void put_number(double value, const char *unit, FILE *out)
{
    char number[40];
    put(lauka_format_exact(lauka_in_seconds(value, unit), number, sizeof number), out);
}

static void put_optional(struct lauka_optional value, const char *unit, FILE *out)
{
    if (value.known)
        put_number(value.value, unit, out);
    else
        put("", out);
}

/* Decimals of the metric's integers in the unit of the table. */
static int decimals_of(const struct lauka_result_metric *metric)
{
    return metric->decimals + (strcmp(metric->unit, "ns") == 0 ? SECONDS : 0);
}

/* To the last digit, also beyond 2^53. */
static void put_value(const uint64_t *value, int decimals, FILE *out)
{
    char number[40];
    put(value ? lauka_format_decimal(*value, decimals, number, sizeof number) : "", out);
}

/* What rows begin with. */
static void put_benchmark(const struct lauka_result *result, FILE *out)
{
    if (!result->benchmark.name)
        return;
    put_text(result->benchmark.name, out);
    fputc(',', out);
}

static void put_benchmark_title(const struct lauka_session *session, FILE *out)
{
    fputs(lauka_session_is_named(session) ? "benchmark," : "", out);
}

/* ---- columns ------------------------------------------------------------------------------------ */

/* In the order in which they were first seen: of metrics, or of other things that a result has several of. */
struct column {
    const struct lauka_result *result; /* borrowed */
    size_t index;
};

struct columns {
    struct column *list; /* owned */
    size_t count;
};

/* Whether the column has room for that of the result, too. */
typedef bool is_same(const struct column *column, const struct lauka_result *result, size_t index);

/* Unless an earlier result has it: of one result each has a column of its own. Returns 0 or ENOMEM. */
static int add_column(struct columns *columns, const struct lauka_result *result, size_t index,
                      is_same *same)
{
    for (size_t i = 0; i < columns->count; i++)
        if (columns->list[i].result != result && same(&columns->list[i], result, index))
            return 0;
    struct column *added = lauka_list_add(&columns->list, &columns->count, sizeof *added);
    if (!added)
        return ENOMEM;
    *added = (struct column){result, index};
    return 0;
}

static const struct lauka_result_metric *metric_of(const struct column *column)
{
    return &column->result->metrics[column->index];
}

static bool is_same_metric(const struct column *column, const struct lauka_result *result,
                           size_t index)
{
    return strcmp(metric_of(column)->name, result->metrics[index].name) == 0;
}

static int add_metrics(struct columns *columns, const struct lauka_result *result, bool shown_only)
{
    int error = 0;
    for (size_t m = 0; m < result->metric_count && !error; m++)
        if (!shown_only || lauka_result_is_shown(result, m))
            error = add_column(columns, result, m, is_same_metric);
    return error;
}

/* The result's metric of the column, or metric_count. */
static size_t find_metric(const struct column *column, const struct lauka_result *result)
{
    return result == column->result ? column->index
                                    : lauka_result_metric_index(result, metric_of(column)->name);
}

/* ---- a row for each command: hyperfine's columns first, then ten for each metric, then one for each limit of a gate.
 * How a session ended has a column before those of the gate, unless all is well. */

struct sheet {
    const struct lauka_session *session;
    struct columns parameters, metrics, rules;
    FILE *out;
};

static void put_mean_of(const struct lauka_result *result, size_t command, const char *metric,
                        FILE *out)
{
    size_t m = lauka_result_metric_index(result, metric);
    const struct lauka_summary *summary = lauka_result_summary(result, command, m);
    double mean = summary ? summary->mean / lauka_result_unit(&result->metrics[m]) : 0;

    put_optional((struct lauka_optional){summary, mean}, "ns", out);
}

/* A value that is not above the floor is not known. */
static void put_spread(const struct lauka_summary *summary, uint64_t floor, int decimals, FILE *out)
{
    put_value(summary && (floor == 0 || summary->min > floor) ? &summary->min : NULL, decimals,
              out);
    put_value(summary && (floor == 0 || summary->max > floor) ? &summary->max : NULL, decimals,
              out);
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
    put_spread(wall, 0, about ? decimals_of(about) : SECONDS, out);
}

/* The command whose parameters define the columns; a reference of its own has none. */
static const struct lauka_result_command *parametrised(const struct lauka_result *result)
{
    static const struct lauka_result_command none;
    return result->command_count > 0 ? &result->commands[result->command_count - 1] : &none;
}

static const char *parameter_of(const struct column *column)
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
            put_text(from->parameters[p].value, sheet->out);
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
    put(verdict ? verdict : "", out);
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
    put_spread(view.at_least ? NULL : summary, view.floor, decimals_of(about), out);
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
        const struct column *column = &sheet->metrics.list[i];
        size_t m = find_metric(column, result);
        if (m < result->metric_count)
            put_metric(result, command, m, sheet->out);
        for (size_t empty = 0; empty < OF_METRIC && m == result->metric_count; empty++)
            put("", sheet->out);
    }
}

static void put_gate_title(const struct column *column, FILE *out)
{
    const struct lauka_gate_rule *rule = &column->result->gate.rules[column->index];
    char statistic[48], name[32];
    lauka_statistic_name(rule->statistic, rule->rank, name, sizeof name);
    snprintf(statistic, sizeof statistic, "%s_%s", name, rule->most.known ? "budget" : "gate");
    put_title(rule->metric, statistic, out);
}

static void put_summary_titles(const struct sheet *sheet)
{
    static const char *const first[] = {"mean", "stddev", "median", "user", "system", "min", "max"};
    FILE *out = sheet->out;
    put_benchmark_title(sheet->session, out);
    fputs("command", out);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        put(first[i], out);
    for (size_t i = 0; i < sheet->parameters.count; i++)
        put_title("parameter", parameter_of(&sheet->parameters.list[i]), out);
    for (size_t m = 0; m < sheet->metrics.count; m++) {
        const struct column *column = &sheet->metrics.list[m];
        for (size_t i = 0; i < OF_METRIC; i++)
            put_title(metric_of(column)->name, of_metric[i], out);
    }
    if (lauka_session_ending(sheet->session) != LAUKA_ENDED_WELL)
        put("ended", out);
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
static bool is_column_of(const struct column *column, const struct lauka_result *result,
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
        put(word, sheet->out);
    }
}

static bool is_same_parameter(const struct column *column, const struct lauka_result *result,
                              size_t index)
{
    return strcmp(parameter_of(column), parametrised(result)->parameters[index].name) == 0;
}

static int add_columns(struct sheet *sheet, const struct lauka_result *result)
{
    int error = 0;
    for (size_t p = 0; p < parametrised(result)->parameter_count && !error; p++)
        error = add_column(&sheet->parameters, result, p, is_same_parameter);
    if (!error)
        error = add_metrics(&sheet->metrics, result, true);
    for (size_t r = 0; r < result->gate.rule_count && !error; r++)
        error = add_column(&sheet->rules, result, r, is_column_of);
    return error;
}

static void put_commands(const struct sheet *sheet, const struct lauka_result *result)
{
    for (size_t c = 0; c < result->command_count; c++) {
        put_benchmark(result, sheet->out);
        put_text(result->commands[c].label, sheet->out);
        put_hyperfine(result, c, sheet->out);
        put_parameters(sheet, result, c);
        put_metrics(sheet, result, c);
        if (lauka_session_ending(sheet->session) != LAUKA_ENDED_WELL)
            put(lauka_ending_name(lauka_result_ending(result)), sheet->out);
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
        put_summary_titles(&sheet);
    for (size_t b = 0; b < session->benchmark_count && !error && !ferror(out); b++)
        put_commands(&sheet, &session->benchmarks[b]);
    free(sheet.parameters.list);
    free(sheet.metrics.list);
    free(sheet.rules.list);
    return error ? error : lauka_finish(out);
}

/* ---- percentiles in long form: a row for each metric, command and percentile. The reference's value is beside the
 * command's. `change` is a share, empty if there is none. `share` is the part of its time in which the metric was counted,
 * less than 1 for estimates. */

struct rows {
    const struct lauka_result *result;
    size_t command, metric;
    struct lauka_result_quantiles reference, own;
    FILE *out;
};

/* As in the table: values hidden below the launcher's own memory cannot be compared. */
static bool is_comparable(const struct rows *rows, uint64_t reference, uint64_t own)
{
    uint64_t floor = lauka_result_view(rows->result, rows->command, rows->metric).floor;
    return rows->command > 0 && reference > floor && own > floor;
}

/* Empty if it is not above the floor, below which nothing is known. */
static void put_quantile(const struct rows *rows, uint64_t value, bool is_there)
{
    const bool known = value > lauka_result_floor(rows->result, rows->metric) || value == 0;
    put_value(is_there && known ? &value : NULL, decimals_of(&rows->result->metrics[rows->metric]),
              rows->out);
}

static void put_row(const struct rows *rows, uint32_t rank, uint64_t reference, uint64_t own)
{
    const struct lauka_result_metric *metric = &rows->result->metrics[rows->metric];
    char text[40];
    put_benchmark(rows->result, rows->out);
    put_text(metric->name, rows->out);
    put(lauka_format_rank(rank, text, sizeof text), rows->out);
    put_quantile(rows, reference, true);
    put_quantile(rows, own, rows->command > 0);
    bool comparable = is_comparable(rows, reference, own);
    put(comparable ? lauka_format_exact((double)own / (double)reference - 1, text, sizeof text)
                   : "",
        rows->out);
    fputc(',', rows->out);
    put_text(rows->result->commands[rows->command].label, rows->out);
    put(lauka_format_exact(metric->share, text, sizeof text), rows->out);
    fputs("\r\n", rows->out);
}

/* Leaves out ranks that merely repeat the least or the greatest value of either. */
static int put_rows(struct rows *rows)
{
    int error = lauka_result_quantiles(rows->result, 0, rows->metric, &rows->reference);
    if (!error)
        error = lauka_result_quantiles(rows->result, rows->command, rows->metric, &rows->own);
    if (error)
        return error;
    uint64_t fewest =
        rows->reference.count < rows->own.count ? rows->reference.count : rows->own.count;
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++)
        if (lauka_rank_has_values(lauka_summary_ranks[i], fewest))
            put_row(rows, lauka_summary_ranks[i], rows->reference.values[i], rows->own.values[i]);
    return 0;
}

static int put_result(const struct lauka_result *result, FILE *out)
{
    int error = 0;
    for (size_t c = result->command_count > 1; c < result->command_count && !error; c++)
        for (size_t m = 0; m < result->metric_count && !error; m++) {
            if (!lauka_result_is_shown(result, m))
                continue;
            struct rows rows = {.result = result, .command = c, .metric = m, .out = out};
            error = put_rows(&rows);
        }
    return error;
}

int lauka_write_csv_percentiles_session(const struct lauka_session *session, FILE *out)
{
    int error = 0;
    errno = 0;
    put_benchmark_title(session, out);
    fputs("metric,percentile,reference,command,change,label,share\r\n", out);
    for (size_t b = 0; b < session->benchmark_count && !error; b++)
        error = put_result(&session->benchmarks[b], out);
    return error ? error : lauka_finish(out);
}

/* ---- a row for each run, in the order in which they ran: round and position in it, both from 1; the command; every metric;
 * the exit code; then, for each estimate, the smallest share of its time in which it was counted. */

struct samples {
    const struct lauka_session *session;
    struct columns metrics, shares;
    FILE *out;
};

static void put_sample_titles(const struct samples *sheet)
{
    FILE *out = sheet->out;
    put_benchmark_title(sheet->session, out);
    fputs("round,position,command", out);
    for (size_t i = 0; i < sheet->metrics.count; i++)
        put_title(metric_of(&sheet->metrics.list[i])->name, NULL, out);
    fputs(",exit_code", out);
    for (size_t i = 0; i < sheet->shares.count; i++)
        put_title(metric_of(&sheet->shares.list[i])->name, "share", out);
    fputs("\r\n", out);
}

static void put_shares(const struct samples *sheet, const struct lauka_result *result)
{
    char number[40];
    for (size_t i = 0; i < sheet->shares.count; i++) {
        size_t m = find_metric(&sheet->shares.list[i], result);
        put(m < result->metric_count
                ? lauka_format_exact(result->metrics[m].share, number, sizeof number)
                : "",
            sheet->out);
    }
    fputs("\r\n", sheet->out);
}

/* Memory that is not above the floor is not known. */
static void put_measured(const struct lauka_result *result, uint64_t round, size_t command,
                         size_t metric, FILE *out)
{
    uint64_t value = LAUKA_MISSING, floor = 0;
    if (metric < result->metric_count) {
        const struct lauka_series *series = &result->commands[command].series[metric];
        value = round < series->count ? lauka_series_at(series, round) : LAUKA_MISSING;
        floor = lauka_result_floor(result, metric);
    }
    const bool measured = value != LAUKA_MISSING && (floor == 0 || value > floor);
    put_value(measured ? &value : NULL, measured ? decimals_of(&result->metrics[metric]) : 0, out);
}

static void put_sample(const struct samples *sheet, const struct lauka_result *result,
                       uint64_t round, size_t c)
{
    const struct lauka_result_command *command = &result->commands[c];
    fputc(',', sheet->out);
    put_text(command->label, sheet->out);
    for (size_t i = 0; i < sheet->metrics.count; i++)
        put_measured(result, round, c, find_metric(&sheet->metrics.list[i], result), sheet->out);
    if (command->exit_codes && command->exit_codes[round] >= 0)
        fprintf(sheet->out, ",%d", command->exit_codes[round]);
    else
        fputs(",", sheet->out);
    put_shares(sheet, result);
}

/* Stored data may not say who ran first: then positions stay empty. */
static void put_round(const struct samples *sheet, const struct lauka_result *result,
                      uint64_t round)
{
    FILE *out = sheet->out;
    for (size_t i = 0; i < result->command_count && !ferror(out); i++) {
        const uint32_t *order = result->run.order;
        size_t command = order ? order[round * result->command_count + i] : i;
        if (round >= lauka_result_rounds(result, command))
            continue;
        put_benchmark(result, out);
        fprintf(out, "%" PRIu64 ",", round + 1);
        if (order)
            fprintf(out, "%zu", i + 1);
        put_sample(sheet, result, round, command);
    }
}

/* A metric that is exact everywhere has no column. */
static bool is_estimated(const struct samples *sheet, const struct column *column)
{
    bool estimated = metric_of(column)->share < 1;
    for (size_t b = 0; b < sheet->session->benchmark_count; b++) {
        const struct lauka_result *result = &sheet->session->benchmarks[b];
        size_t m = find_metric(column, result);
        estimated |= m < result->metric_count && result->metrics[m].share < 1;
    }
    return estimated;
}

static int find_columns(struct samples *sheet)
{
    int error = 0;
    for (size_t b = 0; b < sheet->session->benchmark_count && !error; b++)
        error = add_metrics(&sheet->metrics, &sheet->session->benchmarks[b], false);
    for (size_t i = 0; i < sheet->metrics.count && !error; i++) {
        const struct column *column = &sheet->metrics.list[i];
        if (is_estimated(sheet, column))
            error = add_column(&sheet->shares, column->result, column->index, is_same_metric);
    }
    return error;
}

int lauka_write_csv_samples_session(const struct lauka_session *session, FILE *out)
{
    struct samples sheet = {.session = session, .out = out};
    for (size_t b = 0; b < session->benchmark_count; b++)
        if (session->benchmarks[b].run.samples_left_out)
            return ENODATA;
    errno = 0;
    int error = find_columns(&sheet);
    if (!error)
        put_sample_titles(&sheet);
    for (size_t b = 0; b < session->benchmark_count && !error; b++) {
        const struct lauka_result *result = &session->benchmarks[b];
        for (uint64_t round = 0; round < result->run.rounds && !ferror(out); round++)
            put_round(&sheet, result, round);
    }
    free(sheet.metrics.list);
    free(sheet.shares.list);
    return error ? error : lauka_finish(out);
}
