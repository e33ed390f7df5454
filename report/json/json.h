/* The only way to write JSON, and lauka's own two documents. */
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
    LAUKA_JSON_SPACES, /* a line for each member, with two spaces for each level */
    LAUKA_JSON_TABS,   /* the same with a tab */
    LAUKA_JSON_ROWS,   /* an array with each of its values in a line of its own */
    LAUKA_JSON_LINE,   /* all of it in one line */
};

struct lauka_json_document;

/* Writes a member that tables of records leave to be computed. */
typedef void lauka_json_computed(struct lauka_json_document *document, const char *key,
                                 enum lauka_field_computed computed, const void *record);

/* It goes to the output as it comes: nothing of it is kept. */
struct lauka_json_document {
    FILE *out; /* borrowed */
    enum lauka_json_layout layout;
    const struct lauka_session *session; /* borrowed; NULL: it is about something else */
    const struct lauka_result *result;   /* borrowed; the benchmark that it is about just now */
    size_t first; /* place of that one's reference among all results of the session */
    lauka_json_computed *computed; /* NULL: what is to be computed is null */
    bool incomplete;               /* memory ran out for some part of it */
    /* The rest is document.c's own. */
    unsigned depth;  /* objects and arrays that are open */
    unsigned line;   /* from which of them on all is in one line; 0: none is */
    uint64_t arrays; /* a bit for each depth: it is an array */
    bool begun;      /* the innermost one has a member */
};

/* Sets errno to 0, so that lauka_document_finish finds out what failed; but not for one line, which stands in what is
 * being written already. */
struct lauka_json_document lauka_document_begin(enum lauka_json_layout layout, FILE *out);

/* Ends the last line. Not for LAUKA_JSON_LINE. Returns 0, ENOMEM if the document is incomplete, or an errno of the output. */
int lauka_document_finish(struct lauka_json_document *document);

/* Each of these adds one value: to an object under a key, otherwise without one (NULL). Texts and keys may be any bytes:
 * what is not valid UTF-8 becomes U+FFFD, and nothing that is written can act on a terminal. */

/* What follows is inside, until lauka_document_end. At most 63 levels. */
void lauka_document_object(struct lauka_json_document *document, const char *key);
void lauka_document_object_line(struct lauka_json_document *document,
                                const char *key); /* one line */
void lauka_document_array(struct lauka_json_document *document, const char *key);
void lauka_document_end(struct lauka_json_document *document);

/* null for NULL. */
void lauka_document_text(struct lauka_json_document *document, const char *key, const char *text);

/* The same; if it is not valid UTF-8, also all of its bytes in base64 as KEY_base64. */
void lauka_document_bytes(struct lauka_json_document *document, const char *key, const char *text);

/* An array of texts, with an array KEY_base64 if one of them is not valid UTF-8; null for NULL. */
void lauka_document_strings(struct lauka_json_document *document, const char *key,
                            char *const *strings);

/* Bytes in base64, as a text. */
void lauka_document_base64(struct lauka_json_document *document, const char *key, const void *bytes,
                           size_t size);

/* In quotes beyond 2^53, because most readers would round it. */
void lauka_document_integer(struct lauka_json_document *document, const char *key, uint64_t value);

/* In as many digits as are needed to read the same number again; null if it is not known. */
void lauka_document_number(struct lauka_json_document *document, const char *key, double value);
void lauka_document_optional(struct lauka_json_document *document, const char *key,
                             struct lauka_optional value);
void lauka_document_bool(struct lauka_json_document *document, const char *key, bool value);
void lauka_document_null(struct lauka_json_document *document, const char *key);

/* Text that is JSON already: a number in our own digits, an object that others have written. NULL: the caller writes it
 * to the output next. */
void lauka_document_raw(struct lauka_json_document *document, const char *key, const char *json);

/* ---- session.c: a session ---------------------------------------------------------------------- */

/* Writes everything, benchmark after benchmark; it must have been analysed. Several benchmarks are lauka-result/2.x, one
 * is 1.x. Returns 0, ENOMEM or an errno of the output. */
int lauka_write_json_session(const struct lauka_session *session, FILE *out);

/* The same of one benchmark. */
int lauka_write_json(const struct lauka_result *result, FILE *out);

/* ---- threads.c: what the threads of a live process use --------------------------------------- */

/* One line. Returns 0 or an errno of the output. */
int lauka_write_threads_json(const struct lauka_thread_report *report, FILE *out);

#endif
