/* A JSON document under way, for the files that write its parts. Items are owned by the document as
 * soon as they are added to something; what could not be made or added makes it incomplete. */
#ifndef LAUKA_REPORT_JSON_DOCUMENT_H
#define LAUKA_REPORT_JSON_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/result/result.h"
#include "stats/stats.h"

struct cJSON;

struct lauka_json_document {
    const struct lauka_result *result;
    bool incomplete; /* memory ran out while it was built */
};

/* Returns the item. */
struct cJSON *lauka_document_check(struct lauka_json_document *document, struct cJSON *item);

void lauka_document_add(struct lauka_json_document *document, struct cJSON *object, const char *key,
                        struct cJSON *item);

/* The same, all of it on one line. */
void lauka_document_add_line(struct lauka_json_document *document, struct cJSON *object,
                             const char *key, struct cJSON *item);
void lauka_document_append(struct lauka_json_document *document, struct cJSON *array,
                           struct cJSON *item);
void lauka_document_add_integer(struct lauka_json_document *document, struct cJSON *object,
                                const char *key, uint64_t value);
void lauka_document_add_number(struct lauka_json_document *document, struct cJSON *object,
                               const char *key, double value);
void lauka_document_add_bool(struct lauka_json_document *document, struct cJSON *object, const char *key,
                             bool value);

/* null where it is not known. */
void lauka_document_add_optional(struct lauka_json_document *document, struct cJSON *object,
                                 const char *key, struct lauka_optional value);

/* null for NULL. What is no UTF-8 becomes U+FFFD. */
void lauka_document_add_text(struct lauka_json_document *document, struct cJSON *object, const char *key,
                             const char *text);

/* The same, and where bytes of it are no UTF-8, all of them in base64 as KEY_base64. */
void lauka_document_add_bytes(struct lauka_json_document *document, struct cJSON *object,
                              const char *key, const char *text);

/* An array of them, with an array KEY_base64 where one of them is no UTF-8; null for NULL. */
void lauka_document_add_strings(struct lauka_json_document *document, struct cJSON *object,
                                const char *key, char *const *strings);
struct cJSON *lauka_document_text_item(const char *text);
char *lauka_document_repaired(const char *text); /* owned by the caller; NULL without memory */

/* Writes the document and deletes it. Returns 0, ENOMEM or an errno of the output. */
int lauka_document_print(struct lauka_json_document *document, struct cJSON *root, FILE *out);

/* comparisons.c */
struct cJSON *lauka_document_comparisons(struct lauka_json_document *document);
struct cJSON *lauka_document_doubts(struct lauka_json_document *document);

/* quantiles.c: adds `quantiles`, their source and the histogram. */
void lauka_document_add_quantiles(struct lauka_json_document *document, struct cJSON *object,
                                  size_t command, size_t metric);

/* gate.c: null where nothing was gated. */
struct cJSON *lauka_document_gate(struct lauka_json_document *document);

/* streams.c: adds `stream`, where single values are not kept. */
void lauka_document_add_stream(struct lauka_json_document *document, struct cJSON *object,
                               size_t command, size_t metric);

/* session.c; `order` is not in it. */
struct cJSON *lauka_document_run(struct lauka_json_document *document);
struct cJSON *lauka_document_failure(struct lauka_json_document *document);
struct cJSON *lauka_document_host(struct lauka_json_document *document);
struct cJSON *lauka_document_warnings(struct lauka_json_document *document);

#endif
