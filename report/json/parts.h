/* The parts of a session's document, for the file that combines them. */
#ifndef LAUKA_REPORT_JSON_PARTS_H
#define LAUKA_REPORT_JSON_PARTS_H

#include <stddef.h>

#include "report/json/json.h"
#include "report/result/record.h"
#include "report/result/session.h"

/* ---- arrays.c: arrays with a value per run --------------------------------------------------- */

enum lauka_json_stream {
    LAUKA_JSON_TIMES, /* in seconds */
    LAUKA_JSON_MEMORY,
    LAUKA_JSON_EXIT_CODES,
    LAUKA_JSON_VALUES,
    LAUKA_JSON_ORDER,
    LAUKA_JSON_LAYOUT,
    LAUKA_JSON_UNITS,
    LAUKA_JSON_INNER_UNITS,
};

/* Writes one series of the current benchmark, as KEY_packed if it is long. Streams set the unused
 * ones of command and metric to 0. */
void lauka_document_runs(struct lauka_json_document *document, const char *key,
                         enum lauka_json_stream stream, size_t command, size_t metric);

/* ---- findings.c ------------------------------------------------------------------------------ */

/* A comparison of the current benchmark, as an element. */
void lauka_document_comparison(struct lauka_json_document *document,
                               const struct lauka_result_comparison *comparison);

/* `doubts`. */
void lauka_document_doubts(struct lauka_json_document *document);

/* `gate`: null if there was no gate. */
void lauka_document_gate(struct lauka_json_document *document);

/* The same for all benchmarks: only the outcome. */
void lauka_document_verdict(struct lauka_json_document *document);

/* `hosts`: what each host of a session found about a benchmark. */
void lauka_document_hosts(struct lauka_json_document *document);

/* The computed members of the records in the tables. */
lauka_json_computed lauka_document_computed;

/* ---- record.c: what tables describe ---------------------------------------------------------- */

/* Writes the record as an object. */
void lauka_document_record(struct lauka_json_document *document, const char *key,
                           const struct lauka_record_table *record, const void *data);

/* Writes its members into the open object. */
void lauka_document_fields(struct lauka_json_document *document,
                           const struct lauka_record_table *record, const void *data);

/* Name and value of each, as an object. */
void lauka_document_parameters(struct lauka_json_document *document, const char *key,
                               const struct lauka_parameter_value *parameters, size_t count);

#endif
