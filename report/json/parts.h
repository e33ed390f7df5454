/* The parts of a session's document, for the file that puts them together. */
#ifndef LAUKA_REPORT_JSON_PARTS_H
#define LAUKA_REPORT_JSON_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/json/json.h"
#include "report/result/record.h"
#include "report/result/session.h"

/* ---- document.c ------------------------------------------------------------------------------ */

/* With U+FFFD for bytes that are not valid UTF-8. Owned by the caller; NULL if there is no memory. */
char *lauka_document_repaired(const char *text);

/* The document's text; deletes the root. Owned by the caller; NULL if there is no memory. */
char *lauka_document_finish(struct lauka_json_document *document, struct lauka_json_value *root);

/* ---- arrays.c: arrays with a value per run --------------------------------------------------- */

enum lauka_json_stream {
    LAUKA_JSON_TIMES = 't',
    LAUKA_JSON_MEMORY = 'm',
    LAUKA_JSON_EXIT_CODES = 'x',
    LAUKA_JSON_VALUES = 'v',
    LAUKA_JSON_ORDER = 'o',
    LAUKA_JSON_LAYOUT = 'l',
    LAUKA_JSON_UNITS = 'u',
    LAUKA_JSON_INNER_UNITS = 'i',
};

/* Adds one, as KEY_packed if it is long; in the tree it is a short token. */
void lauka_document_add_runs(struct lauka_json_document *document, struct lauka_json_value *object,
                             const char *key, enum lauka_json_stream stream, size_t command,
                             size_t metric);

/* Prints the document's text, with tokens expanded to arrays, at that depth. If there is no memory for
 * one, the document is incomplete. */
void lauka_document_copy(struct lauka_json_document *document, const char *text, int levels,
                         FILE *out);

/* ---- results.c ------------------------------------------------------------------------------- */

/* A command of the document's benchmark. */
struct lauka_json_value *lauka_document_command(struct lauka_json_document *document,
                                                size_t command);

/* The benchmark's `name` under this key, if it has one. */
void lauka_document_add_benchmark(struct lauka_json_document *document,
                                  struct lauka_json_value *object, const char *key);

/* ---- comparisons.c --------------------------------------------------------------------------- */

struct lauka_json_value *
lauka_document_comparison(struct lauka_json_document *document,
                          const struct lauka_result_comparison *comparison);
struct lauka_json_value *lauka_document_doubts(struct lauka_json_document *document);

/* ---- quantiles.c ----------------------------------------------------------------------------- */

/* Adds `quantiles`, their source and the histogram. */
void lauka_document_add_quantiles(struct lauka_json_document *document,
                                  struct lauka_json_value *object, size_t command, size_t metric);

/* ---- streams.c ------------------------------------------------------------------------------- */

/* Adds `stream` if single values are not kept. */
void lauka_document_add_stream(struct lauka_json_document *document,
                               struct lauka_json_value *object, size_t command, size_t metric);

/* ---- gate.c ---------------------------------------------------------------------------------- */

/* null if nothing was gated. */
struct lauka_json_value *lauka_document_gate(struct lauka_json_document *document);

/* The outcome of each rule for each command. */
struct lauka_json_value *lauka_document_limits(struct lauka_json_document *document);

/* The outcome over all benchmarks; null if none was gated. */
struct lauka_json_value *lauka_document_verdict(struct lauka_json_document *document);

/* ---- record.c: what tables describe ---------------------------------------------------------- */

/* The record as an object. */
struct lauka_json_value *lauka_document_record(struct lauka_json_document *document,
                                               const struct lauka_record_table *record,
                                               const void *data);

/* Adds its members to an object. */
void lauka_document_add_fields(struct lauka_json_document *document,
                               struct lauka_json_value *object,
                               const struct lauka_record_table *record, const void *data);

/* The value of one of them; null where it is not known and may be null. */
struct lauka_json_value *lauka_document_field(struct lauka_json_document *document,
                                              const struct lauka_field *field, const void *data);

/* Name and value of each, as an object. */
struct lauka_json_value *lauka_document_parameters(struct lauka_json_document *document,
                                                   const struct lauka_parameter_value *parameters,
                                                   size_t count);

/* ---- session.c ------------------------------------------------------------------------------- */

/* What holds for all benchmarks; flags are those of the first. */
struct lauka_json_shared {
    bool *options, *warnings; /* owned */
};

/* Returns 0 or ENOMEM; call _done in either case. */
int lauka_json_shared_find(const struct lauka_session *session, struct lauka_json_shared *shared);
void lauka_json_shared_done(struct lauka_json_shared *shared);

/* How the session ran; with one benchmark, also that one's course. */
struct lauka_json_value *lauka_document_run(struct lauka_json_document *document,
                                            const struct lauka_json_shared *shared);

/* An entry of `benchmarks`. */
struct lauka_json_value *lauka_document_benchmark(struct lauka_json_document *document,
                                                  const struct lauka_json_shared *shared);
struct lauka_json_value *lauka_document_failure(struct lauka_json_document *document);
struct lauka_json_value *lauka_document_warnings(struct lauka_json_document *document,
                                                 const struct lauka_json_shared *shared);

/* ---- merged.c ------------------------------------------------------------------------------ */

/* What each host of a session has found of a benchmark. */
struct lauka_json_value *lauka_document_hosts(struct lauka_json_document *document);

/* ---- computed.c ------------------------------------------------------------------------------ */

/* What a table says is computed of its record. */
lauka_json_computed lauka_document_computed;

#endif
