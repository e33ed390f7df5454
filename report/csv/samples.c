/* One row per run, in the order in which they ran: round and position in it, both from 1, the command,
 * every metric, the exit code; then, of each estimate, the smallest share of its time in which it was
 * counted. What is not above the floor of memory is not known. */
#include "report/csv/csv.h"
#include "report/csv/fields.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static void put_titles(const struct lauka_result *result, FILE *out)
{
    fputs("round,position,command", out);
    for (size_t m = 0; m < result->metric_count; m++)
        lauka_csv_title(result->metrics[m].name, NULL, out);
    fputs(",exit_code", out);
    for (size_t m = 0; m < result->metric_count; m++)
        if (result->metrics[m].share < 1)
            lauka_csv_title(result->metrics[m].name, "share", out);
    fputs("\r\n", out);
}

static void put_shares(const struct lauka_result *result, FILE *out)
{
    char number[40];
    for (size_t m = 0; m < result->metric_count; m++)
        if (result->metrics[m].share < 1)
            lauka_csv_put(lauka_format_exact(result->metrics[m].share, number, sizeof number), out);
    fputs("\r\n", out);
}

static void put_sample(const struct lauka_result *result, uint64_t round, size_t c, FILE *out)
{
    const struct lauka_result_command *command = &result->commands[c];
    fputc(',', out);
    lauka_csv_text(command->label, out);
    for (size_t m = 0; m < result->metric_count; m++) {
        const struct lauka_series *series = &command->series[m];
        uint64_t floor = lauka_result_floor(result, m);
        bool measured = round < series->count && lauka_series_at(series, round) != LAUKA_MISSING &&
                        (floor == 0 || lauka_series_at(series, round) > floor);
        if (measured)
            lauka_csv_value(lauka_series_at(series, round), &result->metrics[m], out);
        else
            lauka_csv_put("", out);
    }
    if (command->exit_codes && command->exit_codes[round] >= 0)
        fprintf(out, ",%d", command->exit_codes[round]);
    else
        fputs(",", out);
    put_shares(result, out);
}

/* Of stored data it may not be known who ran first: then positions stay empty. */
static void put_round(const struct lauka_result *result, uint64_t round, FILE *out)
{
    for (size_t i = 0; i < result->command_count && !ferror(out); i++) {
        const uint32_t *order = result->run.order;
        size_t command = order ? order[round * result->command_count + i] : i;
        if (round >= lauka_result_rounds(result, command))
            continue;
        fprintf(out, "%" PRIu64 ",", round + 1);
        if (order)
            fprintf(out, "%zu", i + 1);
        put_sample(result, round, command, out);
    }
}

int lauka_write_csv_samples(const struct lauka_result *result, FILE *out)
{
    if (result->run.samples_left_out)
        return ENODATA;
    errno = 0;
    put_titles(result, out);
    for (uint64_t round = 0; round < result->run.rounds && !ferror(out); round++)
        put_round(result, round, out);
    return lauka_finish(out);
}
