/* The only way to write JSON: a document is built of values and then printed. And lauka's own two
 * documents. */
#ifndef LAUKA_REPORT_JSON_JSON_H
#define LAUKA_REPORT_JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/result/record.h"
#include "report/result/threads.h"
#include "stats/stats.h"

struct lauka_result;
struct lauka_session;

/* ---- document.c: a document under way -------------------------------------------------------- */

/* A value of a document, which owns it as soon as it is added to something. */
struct lauka_json_value;

struct lauka_json_document;
typedef struct lauka_json_value *lauka_json_computed(struct lauka_json_document *document,
                                                     enum lauka_field_computed computed,
                                                     const void *record);

struct lauka_json_document {
    const struct lauka_session *session; /* borrowed; NULL: it is about something else */
    const struct lauka_result *result;   /* borrowed; the benchmark that it is about just now */
    size_t first; /* place of that one's reference among all results of the session */
    lauka_json_computed *computed; /* what tables of records leave to be computed; NULL: null */
    bool incomplete;               /* memory ran out while it was built */
};

/* A new value, to be added to one of the same document. If there is no memory it is NULL, which every
 * function here accepts, and the document is incomplete. */
struct lauka_json_value *lauka_document_object(struct lauka_json_document *document);
struct lauka_json_value *lauka_document_array(struct lauka_json_document *document);
struct lauka_json_value *lauka_document_null(struct lauka_json_document *document);

/* null for NULL. Bytes that are not valid UTF-8 become U+FFFD. */
struct lauka_json_value *lauka_document_text(struct lauka_json_document *document,
                                             const char *text);

/* In quotes beyond 2^53, because most readers would round it; null if it is not known. */
struct lauka_json_value *lauka_document_integer(struct lauka_json_document *document,
                                                uint64_t value);
struct lauka_json_value *lauka_document_optional(struct lauka_json_document *document,
                                                 struct lauka_optional value);
struct lauka_json_value *lauka_document_bool(struct lauka_json_document *document, bool value);

/* The value on one line; it is used up. */
struct lauka_json_value *lauka_document_line(struct lauka_json_document *document,
                                             struct lauka_json_value *value);

/* Text that is JSON already: a number in our own digits, an object that others have written. */
struct lauka_json_value *lauka_document_raw(struct lauka_json_document *document, const char *json);

/* Adds a value to an object or an array. Keys are valid UTF-8. */
void lauka_document_add(struct lauka_json_document *document, struct lauka_json_value *object,
                        const char *key, struct lauka_json_value *value);
void lauka_document_append(struct lauka_json_document *document, struct lauka_json_value *array,
                           struct lauka_json_value *value);

/* The same as a member or an element. */
void lauka_document_add_integer(struct lauka_json_document *document,
                                struct lauka_json_value *object, const char *key, uint64_t value);
void lauka_document_append_integer(struct lauka_json_document *document,
                                   struct lauka_json_value *array, uint64_t value);
void lauka_document_add_number(struct lauka_json_document *document,
                               struct lauka_json_value *object, const char *key, double value);
void lauka_document_add_bool(struct lauka_json_document *document, struct lauka_json_value *object,
                             const char *key, bool value);
void lauka_document_add_optional(struct lauka_json_document *document,
                                 struct lauka_json_value *object, const char *key,
                                 struct lauka_optional value);

/* As lauka_document_text. */
void lauka_document_add_text(struct lauka_json_document *document, struct lauka_json_value *object,
                             const char *key, const char *text);

/* The same; if it is not valid UTF-8, also all of its bytes in base64 as KEY_base64. */
void lauka_document_add_bytes(struct lauka_json_document *document, struct lauka_json_value *object,
                              const char *key, const char *text);

/* An array of texts, with an array KEY_base64 if one of them is not valid UTF-8; null for NULL. */
void lauka_document_add_strings(struct lauka_json_document *document,
                                struct lauka_json_value *object, const char *key,
                                char *const *strings);

/* The version of cJSON; static. */
const char *lauka_json_library(void);

/* Deletes a root that will not be printed. */
void lauka_document_drop(struct lauka_json_value *root);

/* These delete the root. Nothing that they print can act on a terminal. They return 0, ENOMEM or an errno
 * of the output. */

/* In many lines, the last with a newline. */
int lauka_document_print(struct lauka_json_document *document, struct lauka_json_value *root,
                         FILE *out);

/* In one line, without its newline. */
int lauka_document_print_line(struct lauka_json_document *document, struct lauka_json_value *root,
                              FILE *out);

/* An array with each of its values in a line of its own. */
int lauka_document_print_rows(struct lauka_json_document *document, struct lauka_json_value *array,
                              FILE *out);

/* ---- json.c: a session ----------------------------------------------------------------------- */

/* Writes everything, benchmark after benchmark, so that only a part of the document is in memory; it must
 * have been analysed. Several benchmarks are lauka-result/2.x, one is 1.x. Returns 0, ENOMEM or an errno
 * of the output. */
int lauka_write_json_session(const struct lauka_session *session, FILE *out);

/* The same of one benchmark. */
int lauka_write_json(const struct lauka_result *result, FILE *out);

/* ---- threads.c: what the threads of a live process use --------------------------------------- */

/* One line. Returns 0, ENOMEM or an errno of the output. */
int lauka_write_threads_json(const struct lauka_thread_report *report, FILE *out);

#endif
