/* What the writers of CSV share. RFC 4180: rows end in CRLF. Times are in seconds, memory in bytes,
 * and a field stays empty where a value is not known. */
#ifndef LAUKA_REPORT_CSV_FIELDS_H
#define LAUKA_REPORT_CSV_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/result/result.h"
#include "report/result/session.h"

enum { LAUKA_CSV_SECONDS = 9 }; /* decimals of nanoseconds in seconds */

/* A field of text, in quotes. Text that a spreadsheet would calculate gets an apostrophe in front; a
 * reader removes one apostrophe if one or more precede such a beginning. On a terminal, bytes that could
 * act on it are escaped; elsewhere they stay as they are. */
void lauka_csv_text(const char *text, FILE *out);

/* A comma and a number or a word of ours; these need no quotes. */
void lauka_csv_put(const char *text, FILE *out);

/* A comma and the title METRIC_STATISTIC, or METRIC if statistic is NULL; quoted if the name that users
 * gave the metric requires it. */
void lauka_csv_title(const char *metric, const char *statistic, FILE *out);

/* Decimals of the metric's integers in the unit of the table. */
int lauka_csv_decimals(const struct lauka_result_metric *metric);

/* A comma and the value, exactly. */
void lauka_csv_value(uint64_t value, const struct lauka_result_metric *metric, FILE *out);

/* Columns in the order in which they were first seen: of metrics, or of other things that a result has
 * several of. */
struct lauka_csv_column {
    const struct lauka_result *result; /* borrowed */
    size_t index;
};

struct lauka_csv_columns {
    struct lauka_csv_column *list; /* owned: to be freed */
    size_t count;
};

/* Returns 0 or ENOMEM. */
int lauka_csv_add_column(struct lauka_csv_columns *columns, const struct lauka_result *result,
                         size_t index);

/* Adds those of the result's metrics that no earlier result had. Returns 0 or ENOMEM. */
int lauka_csv_add_metrics(struct lauka_csv_columns *columns, const struct lauka_result *result,
                          bool shown_only);

/* The result's metric of the column, or metric_count. */
size_t lauka_csv_metric_of(const struct lauka_csv_column *column,
                           const struct lauka_result *result);

/* What rows begin with: the benchmark's name and a comma, if it has one. */
void lauka_csv_benchmark(const struct lauka_result *result, FILE *out);

/* A column that is there only if some benchmark of the session did not end well: how the row's benchmark ended,
 * "interrupted", empty if well. Title and field begin with a comma. */
void lauka_csv_ending_title(const struct lauka_session *session, FILE *out);
void lauka_csv_ending(const struct lauka_session *session, const struct lauka_result *result,
                      FILE *out);

#endif
