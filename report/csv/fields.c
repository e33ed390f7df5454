/* Fields of CSV. Text goes through libcsv, which quotes it; our numbers and names need no quotes, as in
 * hyperfine's. */
#include "report/csv/fields.h"
#include "report/csv/csv.h"
#include "report/result/result.h"
#include "report/text/text.h"

#include <csv.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a title may consist of without quotes. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/@"

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, release) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(release)

const char *lauka_csv_library(void)
{
    return VERSION_TEXT(CSV_MAJOR, CSV_MINOR, CSV_RELEASE);
}

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

static void put_text(const char *text, FILE *out)
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

void lauka_csv_text(const char *text, FILE *out)
{
    bool acts = !is_plain(text) && isatty(fileno(out)); /* no terminal: -1 of memory, too */
    char *safe = acts ? lauka_safe_text(text, true) : NULL;
    put_text(!acts ? text : safe ? safe : "?", out);
    free(safe);
}

void lauka_csv_put(const char *text, FILE *out)
{
    fprintf(out, ",%s", text);
}

void lauka_csv_title(const char *metric, const char *statistic, FILE *out)
{
    char title[256];
    snprintf(title, sizeof title, "%s%s%s", metric, statistic ? "_" : "",
             statistic ? statistic : "");
    if (title[strspn(title, PLAIN)] == 0) {
        lauka_csv_put(title, out);
        return;
    }
    fputc(',', out);
    lauka_csv_text(title, out);
}

int lauka_csv_decimals(const struct lauka_result_metric *metric)
{
    return metric->decimals + (strcmp(metric->unit, "ns") == 0 ? LAUKA_CSV_SECONDS : 0);
}

void lauka_csv_value(uint64_t value, const struct lauka_result_metric *metric, FILE *out)
{
    char number[40];
    lauka_csv_put(lauka_format_decimal(value, lauka_csv_decimals(metric), number, sizeof number),
                  out);
}

void lauka_csv_benchmark(const struct lauka_result *result, FILE *out)
{
    if (!result->benchmark.name)
        return;
    lauka_csv_text(result->benchmark.name, out);
    fputc(',', out);
}

int lauka_csv_add_column(struct lauka_csv_columns *columns, const struct lauka_result *result,
                         size_t index)
{
    struct lauka_csv_column *longer =
        realloc(columns->list, (columns->count + 1) * sizeof *columns->list);
    if (!longer)
        return ENOMEM;
    columns->list = longer;
    columns->list[columns->count++] = (struct lauka_csv_column){result, index};
    return 0;
}

/* Of one result each has a column of its own. */
static bool has_metric(const struct lauka_csv_columns *columns, const struct lauka_result *result,
                       size_t index)
{
    for (size_t i = 0; i < columns->count; i++) {
        const struct lauka_csv_column *column = &columns->list[i];
        if (column->result != result &&
            strcmp(column->result->metrics[column->index].name, result->metrics[index].name) == 0)
            return true;
    }
    return false;
}

int lauka_csv_add_metrics(struct lauka_csv_columns *columns, const struct lauka_result *result,
                          bool shown_only)
{
    int error = 0;
    for (size_t m = 0; m < result->metric_count && !error; m++)
        if ((!shown_only || lauka_result_is_shown(result, m)) && !has_metric(columns, result, m))
            error = lauka_csv_add_column(columns, result, m);
    return error;
}

size_t lauka_csv_metric_of(const struct lauka_csv_column *column, const struct lauka_result *result)
{
    return result == column->result
               ? column->index
               : lauka_result_metric_index(result, column->result->metrics[column->index].name);
}

void lauka_csv_ending_title(const struct lauka_session *session, FILE *out)
{
    if (lauka_session_ending(session) != LAUKA_ENDED_WELL)
        lauka_csv_put("ended", out);
}

void lauka_csv_ending(const struct lauka_session *session, const struct lauka_result *result,
                      FILE *out)
{
    if (lauka_session_ending(session) != LAUKA_ENDED_WELL)
        lauka_csv_put(lauka_ending_name(lauka_result_ending(result)), out);
}
