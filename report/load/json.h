/* What the readers of the kinds of JSON share. Paths in errors locate a part of the document:
 * "results[1].times". Functions that read return whether they succeeded; otherwise json->failure is
 * ENOMEM, or EINVAL with the text in the error. */
#ifndef LAUKA_REPORT_LOAD_JSON_H
#define LAUKA_REPORT_LOAD_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/load/load.h"
#include "report/load/loader.h"
#include "report/result/session.h"

struct cJSON;

struct lauka_json {
    const struct lauka_stored *stored;
    struct lauka_load_error *error;
    int failure; /* the first failure */
    struct lauka_json_text text;
    struct cJSON *root; /* the results come from this object, not from its arrays: */
    struct lauka_json_elements entries;
    size_t entry_count;            /* parsed entries */
    struct cJSON *entry;           /* owned; the next one; NULL: not parsed yet */
    struct lauka_json_array part;  /* its place */
    size_t passed;                 /* all bytes before it are released */
    struct lauka_session *session; /* to be filled */
    size_t values_left;            /* values that may still be read */
    /* The current benchmark: */
    struct lauka_result *result;
    const struct cJSON *results; /* an array with at least one element */
    size_t first;                /* index of the first of them in the document */
    const struct cJSON *own;     /* holds its gate and failure */
    const struct cJSON *course;  /* holds its rounds */
    char place[40];              /* prefix of all paths in `own`; empty: the document */
};

enum { LAUKA_PATH_SIZE = 160 }; /* room for the path of an item with its NUL */

/* Rejects the document: "place.path: reason", shortened; a path that begins with a dot is the place
 * itself. Always returns false. */
bool lauka_json_fail(struct lauka_json *json, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Checks that the error is 0; otherwise sets the failure. The second checks that there is memory. */
bool lauka_json_check(struct lauka_json *json, int error);
bool lauka_json_has(struct lauka_json *json, const void *memory);

/* Fails on a duplicate key, because its meaning is not known. _object: also if it is no object. */
bool lauka_json_check_keys(struct lauka_json *json, const char *path, const struct cJSON *object);
bool lauka_json_check_object(struct lauka_json *json, const char *path, const struct cJSON *item);

/* The value under the key; NULL if it is missing or null. */
const struct cJSON *lauka_json_get(const struct cJSON *object, const char *key);

/* `path` names the object. A missing or null item leaves the value unchanged; an integer beyond
 * 2^53 is a string. */
bool lauka_json_integer(struct lauka_json *json, const char *path, const struct cJSON *object,
                        const char *key, uint64_t *value);
bool lauka_json_number(struct lauka_json *json, const char *path, const struct cJSON *object,
                       const char *key, double least, double most, double *value);

/* How a benchmark ended; LAUKA_STOPPED_STORED for a missing word. */
enum lauka_stopped lauka_json_stopped(const struct cJSON *item);

/* An owned copy, or NULL if it is not a text. */
bool lauka_json_copy_text(struct lauka_json *json, const struct cJSON *item, char **copy);

/* The same for a text that may not be valid UTF-8: KEY_base64 has precedence over KEY. */
bool lauka_json_bytes(struct lauka_json *json, const char *path, const struct cJSON *object,
                      const char *key, char **bytes);

/* An array of texts, NULL-terminated; nothing is set if there is none. */
bool lauka_json_strings(struct lauka_json *json, const char *path, const struct cJSON *object,
                        const char *key, char ***strings);

/* Appends texts with their names; skips all other items, which are no parameters. */
bool lauka_json_parameters(struct lauka_json *json, const char *path, const struct cJSON *object,
                           struct lauka_parameter_value **parameters, size_t *count);

/* Finds the metric by its name, or makes it. Copies the strings of `about`. Fails if the metric
 * exists with another unit. */
bool lauka_json_metric(struct lauka_json *json, const char *path,
                       const struct lauka_result_metric *about);

/* Makes the commands with their labels, and a series per metric: all these must be known. */
bool lauka_json_commands(struct lauka_json *json);

/* Releases an array that is not needed again; it may be missing. */
void lauka_json_forget(struct lauka_json *json, const struct cJSON *item);

/* Appends the elements of KEY or of KEY_packed; nothing without either. */
bool lauka_json_runs(struct lauka_json *json, const char *path, const struct cJSON *object,
                     const char *key, struct lauka_column *column);

/* Appends the array's elements; null is a missing value. A NULL item is an empty array. */
bool lauka_json_values(struct lauka_json *json, const char *path, const struct cJSON *item,
                       struct lauka_column *column);

/* Notes in the result how many values from another tool were left out because they are not finite. */
bool lauka_json_note_left_out(struct lauka_json *json, const char *path, size_t left_out,
                              size_t count);

/* Exit codes of a command; null, for a killed run, becomes -1. May be NULL. */
bool lauka_json_exit_codes(struct lauka_json *json, size_t command, const struct cJSON *item);

/* Takes this many values from the budget. */
bool lauka_json_spend(struct lauka_json *json, const char *path, size_t values);

/* "results[3]" for a command, followed by the part inside it. Returns path, of LAUKA_PATH_SIZE bytes. */
char *lauka_json_name(const struct lauka_json *json, size_t command, const char *rest, char *path);

/* Call it after all values: fills empty series with missing values, so that all series of a command
 * have the same length; sets what was counted, and whether rounds are paired. */
bool lauka_json_complete(struct lauka_json *json);

/* ---- parts of lauka's own ---------------------------------------------------------------------- */

/* json_session.c: the benchmark's units; its rounds must be known. */
bool lauka_json_units(struct lauka_json *json, const struct cJSON *object);

/* json_results.c: the benchmark's commands with their metrics. streamed: single values were not kept. */
bool lauka_json_results(struct lauka_json *json, bool streamed);

/* json_session.c: the run with its order and options, failure, warnings. Call it after reading the commands. */
bool lauka_json_session(struct lauka_json *json, bool streamed);

/* json_record.c: reads the record, or the elements of its list, by the table. Rejects members that
 * the table does not have. path: of the object or the array. */
struct lauka_record_table;
struct lauka_field;
bool lauka_json_record(struct lauka_json *json, const char *path, const struct cJSON *object,
                       const struct lauka_record_table *record, void *data);
/* The same for a table whose object was checked before, so that it has each key once. */
bool lauka_json_fields(struct lauka_json *json, const char *path, const struct cJSON *object,
                       const struct lauka_record_table *record, void *data);
bool lauka_json_list(struct lauka_json *json, const char *path, const struct cJSON *array,
                     const struct lauka_field *field, void *data);

/* ---- of others --------------------------------------------------------------------------------- */

bool lauka_load_hyperfine_1(struct lauka_json *json); /* json_hyperfine.c */
bool lauka_load_hyperfine_2(struct lauka_json *json);

#endif
