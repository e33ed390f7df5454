/* The parts of a session's document, for the file that puts them together. */
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

/* Writes one of the document's benchmark, as KEY_packed if it is long. What a stream does not need of command and metric
 * is 0. */
void lauka_document_runs(struct lauka_json_document *document, const char *key,
                         enum lauka_json_stream stream, size_t command, size_t metric);

/* ---- findings.c ------------------------------------------------------------------------------ */

/* A comparison of the document's benchmark, as an element. */
void lauka_document_comparison(struct lauka_json_document *document,
                               const struct lauka_result_comparison *comparison);

/* `doubts`. */
void lauka_document_doubts(struct lauka_json_document *document);

/* `gate`: null if nothing was gated. */
void lauka_document_gate(struct lauka_json_document *document);

/* The same over all benchmarks: the outcome alone. */
void lauka_document_verdict(struct lauka_json_document *document);

/* `hosts`: what each host of a session has found of a benchmark. */
void lauka_document_hosts(struct lauka_json_document *document);

/* What a table says is computed of its record. */
lauka_json_computed lauka_document_computed;

/* ---- record.c: what tables describe ---------------------------------------------------------- */

/* The record as an object. */
void lauka_document_record(struct lauka_json_document *document, const char *key,
                           const struct lauka_record_table *record, const void *data);

/* Its members, in the object that is open. */
void lauka_document_fields(struct lauka_json_document *document,
                           const struct lauka_record_table *record, const void *data);

/* Name and value of each, as an object. */
void lauka_document_parameters(struct lauka_json_document *document, const char *key,
                               const struct lauka_parameter_value *parameters, size_t count);

#endif
