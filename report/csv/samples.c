/* One row for each run, in the order in which they ran: round and position in it, both from 1; the
 * command; every metric; the exit code; then, for each estimate, the smallest share of its time in which
 * it was counted. Memory that is not above the floor is not known. */
#include "report/csv/csv.h"
#include "report/csv/fields.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct sheet {
    const struct lauka_session *session;
    struct lauka_csv_columns metrics, shares;
    FILE *out;
};

static const struct lauka_result_metric *metric_of(const struct lauka_csv_column *column)
{
    return &column->result->metrics[column->index];
}

static void put_titles(const struct sheet *sheet)
{
    FILE *out = sheet->out;
    fputs(lauka_session_is_named(sheet->session) ? "benchmark," : "", out);
    fputs("round,position,command", out);
    for (size_t i = 0; i < sheet->metrics.count; i++)
        lauka_csv_title(metric_of(&sheet->metrics.list[i])->name, NULL, out);
    fputs(",exit_code", out);
    for (size_t i = 0; i < sheet->shares.count; i++)
        lauka_csv_title(metric_of(&sheet->shares.list[i])->name, "share", out);
    fputs("\r\n", out);
}

static void put_shares(const struct sheet *sheet, const struct lauka_result *result)
{
    char number[40];
    for (size_t i = 0; i < sheet->shares.count; i++) {
        size_t m = lauka_csv_metric_of(&sheet->shares.list[i], result);
        lauka_csv_put(m < result->metric_count
                          ? lauka_format_exact(result->metrics[m].share, number, sizeof number)
                          : "",
                      sheet->out);
    }
    fputs("\r\n", sheet->out);
}

static void put_value(const struct lauka_result *result, uint64_t round, size_t command,
                      size_t metric, FILE *out)
{
    bool measured = false;
    if (metric < result->metric_count) {
        const struct lauka_series *series = &result->commands[command].series[metric];
        uint64_t floor = lauka_result_floor(result, metric);
        measured = round < series->count && lauka_series_at(series, round) != LAUKA_MISSING &&
                   (floor == 0 || lauka_series_at(series, round) > floor);
        if (measured)
            lauka_csv_value(lauka_series_at(series, round), &result->metrics[metric], out);
    }
    if (!measured)
        lauka_csv_put("", out);
}

static void put_sample(const struct sheet *sheet, const struct lauka_result *result, uint64_t round,
                       size_t c)
{
    const struct lauka_result_command *command = &result->commands[c];
    fputc(',', sheet->out);
    lauka_csv_text(command->label, sheet->out);
    for (size_t i = 0; i < sheet->metrics.count; i++)
        put_value(result, round, c, lauka_csv_metric_of(&sheet->metrics.list[i], result),
                  sheet->out);
    if (command->exit_codes && command->exit_codes[round] >= 0)
        fprintf(sheet->out, ",%d", command->exit_codes[round]);
    else
        fputs(",", sheet->out);
    put_shares(sheet, result);
}

/* Stored data may not say who ran first: then positions stay empty. */
static void put_round(const struct sheet *sheet, const struct lauka_result *result, uint64_t round)
{
    FILE *out = sheet->out;
    for (size_t i = 0; i < result->command_count && !ferror(out); i++) {
        const uint32_t *order = result->run.order;
        size_t command = order ? order[round * result->command_count + i] : i;
        if (round >= lauka_result_rounds(result, command))
            continue;
        lauka_csv_benchmark(result, out);
        fprintf(out, "%" PRIu64 ",", round + 1);
        if (order)
            fprintf(out, "%zu", i + 1);
        put_sample(sheet, result, round, command);
    }
}

/* A metric that is exact everywhere has no column. */
static bool is_estimated(const struct sheet *sheet, const struct lauka_csv_column *column)
{
    bool estimated = metric_of(column)->share < 1;
    for (size_t b = 0; b < sheet->session->benchmark_count; b++) {
        const struct lauka_result *result = &sheet->session->benchmarks[b];
        size_t m = lauka_csv_metric_of(column, result);
        estimated |= m < result->metric_count && result->metrics[m].share < 1;
    }
    return estimated;
}

static int find_columns(struct sheet *sheet)
{
    int error = 0;
    for (size_t b = 0; b < sheet->session->benchmark_count && !error; b++)
        error = lauka_csv_add_metrics(&sheet->metrics, &sheet->session->benchmarks[b], false);
    for (size_t i = 0; i < sheet->metrics.count && !error; i++) {
        const struct lauka_csv_column *column = &sheet->metrics.list[i];
        if (is_estimated(sheet, column))
            error = lauka_csv_add_column(&sheet->shares, column->result, column->index);
    }
    return error;
}

int lauka_write_csv_samples_session(const struct lauka_session *session, FILE *out)
{
    struct sheet sheet = {.session = session, .out = out};
    for (size_t b = 0; b < session->benchmark_count; b++)
        if (session->benchmarks[b].run.samples_left_out)
            return ENODATA;
    errno = 0;
    int error = find_columns(&sheet);
    if (!error)
        put_titles(&sheet);
    for (size_t b = 0; b < session->benchmark_count && !error; b++) {
        const struct lauka_result *result = &session->benchmarks[b];
        for (uint64_t round = 0; round < result->run.rounds && !ferror(out); round++)
            put_round(&sheet, result, round);
    }
    free(sheet.metrics.list);
    free(sheet.shares.list);
    return error ? error : lauka_finish(out);
}

int lauka_write_csv_samples(const struct lauka_result *result, FILE *out)
{
    struct lauka_result one = *result; /* borrows */
    return lauka_write_csv_samples_session(&(struct lauka_session){&one, 1}, out);
}
