/* The parts of a result's document, for the file that puts them together. */
#ifndef LAUKA_REPORT_JSON_PARTS_H
#define LAUKA_REPORT_JSON_PARTS_H

#include <stddef.h>

#include "report/json/json.h"

/* ---- document.c ------------------------------------------------------------------------------ */

/* With U+FFFD for what is no UTF-8. Owned by the caller; NULL without memory. */
char *lauka_document_repaired(const char *text);

/* The document's text; deletes the root. Owned by the caller; NULL without memory. */
char *lauka_document_finish(struct lauka_json_document *document, struct lauka_json_value *root);

/* ---- comparisons.c --------------------------------------------------------------------------- */

struct lauka_json_value *lauka_document_comparisons(struct lauka_json_document *document);
struct lauka_json_value *lauka_document_doubts(struct lauka_json_document *document);

/* ---- quantiles.c ----------------------------------------------------------------------------- */

/* Adds `quantiles`, their source and the histogram. */
void lauka_document_add_quantiles(struct lauka_json_document *document,
                                  struct lauka_json_value *object, size_t command, size_t metric);

/* ---- streams.c ------------------------------------------------------------------------------- */

/* Adds `stream`, where single values are not kept. */
void lauka_document_add_stream(struct lauka_json_document *document,
                               struct lauka_json_value *object, size_t command, size_t metric);

/* ---- gate.c ---------------------------------------------------------------------------------- */

/* null where nothing was gated. */
struct lauka_json_value *lauka_document_gate(struct lauka_json_document *document);

/* ---- session.c ------------------------------------------------------------------------------- */

/* `order` and `layout` are not in it. */
struct lauka_json_value *lauka_document_run(struct lauka_json_document *document);
struct lauka_json_value *lauka_document_failure(struct lauka_json_document *document);
struct lauka_json_value *lauka_document_host(struct lauka_json_document *document);
struct lauka_json_value *lauka_document_warnings(struct lauka_json_document *document);

#endif
