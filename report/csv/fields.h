/* What the writers of CSV share. RFC 4180: rows end in CRLF. Times are in seconds, memory in bytes,
 * and a field stays empty where a value is not known. */
#ifndef LAUKA_REPORT_CSV_FIELDS_H
#define LAUKA_REPORT_CSV_FIELDS_H

#include <stdint.h>
#include <stdio.h>

#include "report/result/result.h"

enum { LAUKA_CSV_SECONDS = 9 }; /* decimals of nanoseconds in seconds */

/* A field of text, in quotes. What a spreadsheet would calculate gets an apostrophe in front; a
 * reader takes one away where apostrophes, at least one, precede such a beginning. On a terminal, what
 * could act on it is escaped, byte by byte; elsewhere bytes stay what they are. */
void lauka_csv_text(const char *text, FILE *out);

/* A comma and a number or a word of ours, which need no quotes. */
void lauka_csv_put(const char *text, FILE *out);

/* A comma and the title METRIC_STATISTIC, or METRIC where statistic is NULL; in quotes where users
 * have named the metric so. */
void lauka_csv_title(const char *metric, const char *statistic, FILE *out);

/* Decimals of the metric's integers in the unit of the table. */
unsigned lauka_csv_decimals(const struct lauka_result_metric *metric);

/* A comma and the value, exactly. */
void lauka_csv_value(uint64_t value, const struct lauka_result_metric *metric, FILE *out);

#endif
