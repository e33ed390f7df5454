/* Percentiles in long form: one row for each metric, command and percentile. The reference's value is
 * beside the command's. `change` is a share, empty if there is none. `share` is the part of its time in
 * which the metric was counted, less than 1 for estimates. */
#include "report/csv/csv.h"
#include "report/csv/fields.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/histogram.h"

#include <errno.h>
#include <stdio.h>

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
static void put_value(const struct rows *rows, uint64_t value)
{
    if (value > lauka_result_floor(rows->result, rows->metric) || value == 0)
        lauka_csv_value(value, &rows->result->metrics[rows->metric], rows->out);
    else
        lauka_csv_put("", rows->out);
}

static void put_row(const struct rows *rows, uint32_t rank, uint64_t reference, uint64_t own)
{
    const struct lauka_result_metric *metric = &rows->result->metrics[rows->metric];
    char text[40];
    lauka_csv_benchmark(rows->result, rows->out);
    lauka_csv_text(metric->name, rows->out);
    lauka_csv_put(lauka_format_rank(rank, text, sizeof text), rows->out);
    put_value(rows, reference);
    if (rows->command > 0)
        put_value(rows, own);
    else
        lauka_csv_put("", rows->out);
    bool comparable = is_comparable(rows, reference, own);
    lauka_csv_put(comparable
                      ? lauka_format_exact((double)own / (double)reference - 1, text, sizeof text)
                      : "",
                  rows->out);
    fputc(',', rows->out);
    lauka_csv_text(rows->result->commands[rows->command].label, rows->out);
    lauka_csv_put(lauka_format_exact(metric->share, text, sizeof text), rows->out);
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
    fputs(lauka_session_is_named(session) ? "benchmark," : "", out);
    fputs("metric,percentile,reference,command,change,label,share\r\n", out);
    for (size_t b = 0; b < session->benchmark_count && !error; b++)
        error = put_result(&session->benchmarks[b], out);
    return error ? error : lauka_finish(out);
}

int lauka_write_csv_percentiles(const struct lauka_result *result, FILE *out)
{
    struct lauka_result one = *result; /* borrows */
    return lauka_write_csv_percentiles_session(&(struct lauka_session){&one, 1}, out);
}
