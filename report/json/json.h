/* The only code that writes JSON, and lauka's own two documents. */
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

enum lauka_json_layout {
    LAUKA_JSON_SPACES, /* one member per line, with two spaces per level */
    LAUKA_JSON_TABS,   /* the same with a tab */
    LAUKA_JSON_ROWS,   /* an array with one value per line */
    LAUKA_JSON_LINE,   /* everything on one line */
};

struct lauka_json_document;

/* Writes a member whose value is not stored in the record but computed. */
typedef void lauka_json_computed(struct lauka_json_document *document, const char *key,
                                 enum lauka_field_computed computed, const void *record);

/* Writes to the output immediately and stores nothing. */
struct lauka_json_document {
    FILE *out; /* borrowed */
    enum lauka_json_layout layout;
    const struct lauka_session *session; /* borrowed; NULL: it is about something else */
    const struct lauka_result *result;   /* borrowed; the current benchmark */
    size_t first;                  /* index of its reference among all results of the session */
    lauka_json_computed *computed; /* NULL: write null for computed members */
    bool incomplete;               /* memory ran out for some part */
    /* The rest is private to document.c. */
    unsigned depth;  /* number of open objects and arrays */
    unsigned line;   /* the level from which on all is on one line; 0: none */
    uint64_t arrays; /* one bit per level: it is an array */
    bool begun;      /* the innermost one has a member */
};

/* Sets errno to 0, so that lauka_document_finish can find errors; but not for one line, which is a
 * part of other output. */
struct lauka_json_document lauka_document_begin(enum lauka_json_layout layout, FILE *out);

/* Ends the last line. Not for LAUKA_JSON_LINE. Returns 0, ENOMEM for an incomplete document, or an errno. */
int lauka_document_finish(struct lauka_json_document *document);

/* Each of these adds a value: to an object with a key, otherwise without one (NULL). Texts and keys
 * may be any bytes: invalid UTF-8 becomes U+FFFD, and no output can control a terminal. */

/* Opens it for the next values, until lauka_document_end. At most 63 levels. */
void lauka_document_object(struct lauka_json_document *document, const char *key);
void lauka_document_object_line(struct lauka_json_document *document,
                                const char *key); /* on one line */
void lauka_document_array(struct lauka_json_document *document, const char *key);
void lauka_document_end(struct lauka_json_document *document);

/* null for NULL. */
void lauka_document_text(struct lauka_json_document *document, const char *key, const char *text);

/* The same; for invalid UTF-8 also adds all bytes in base64 as KEY_base64. */
void lauka_document_bytes(struct lauka_json_document *document, const char *key, const char *text);

/* An array of texts, and an array KEY_base64 if one of them is not valid UTF-8; null for NULL. */
void lauka_document_strings(struct lauka_json_document *document, const char *key,
                            char *const *strings);

/* Bytes in base64, as a text. */
void lauka_document_base64(struct lauka_json_document *document, const char *key, const void *bytes,
                           size_t size);

/* In quotes beyond 2^53, because most readers would round it. */
void lauka_document_integer(struct lauka_json_document *document, const char *key, uint64_t value);

/* With as many digits as needed to read the same number back; null if not known. */
void lauka_document_number(struct lauka_json_document *document, const char *key, double value);
void lauka_document_optional(struct lauka_json_document *document, const char *key,
                             struct lauka_optional value);
void lauka_document_bool(struct lauka_json_document *document, const char *key, bool value);
void lauka_document_null(struct lauka_json_document *document, const char *key);

/* Text that already is JSON: a number in our own digits, or an object from others. NULL: the caller
 * writes it to the output next. */
void lauka_document_raw(struct lauka_json_document *document, const char *key, const char *json);

/* ---- session.c: a session ---------------------------------------------------------------------- */

/* Writes all benchmarks of an analysed session. Several benchmarks are lauka-result/2.x, one is
 * 1.x. Returns 0, ENOMEM or an errno of the output. */
int lauka_write_json_session(const struct lauka_session *session, FILE *out);

/* The same for one benchmark. */
int lauka_write_json(const struct lauka_result *result, FILE *out);

/* ---- threads.c: what the threads of a live process use --------------------------------------- */

/* Writes one line. Returns 0 or an errno of the output. */
int lauka_write_threads_json(const struct lauka_thread_report *report, FILE *out);

#endif
