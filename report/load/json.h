/* What the readers of the kinds of JSON share. Paths in errors say where something is in the document:
 * "results[1].times". Functions that read return whether all went well; otherwise json->failure is ENOMEM, or EINVAL and
 * the error has its text. */
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
    int failure; /* the first one */
    struct lauka_json_text text;
    struct cJSON *root; /* the results are none of its arrays, but of this: */
    struct lauka_json_elements entries;
    size_t entry_count;           /* that were parsed */
    struct cJSON *entry;          /* owned; the one that comes next; NULL: it has not been parsed */
    struct lauka_json_array part; /* where it stands */
    size_t passed;                /* bytes before are forgotten */
    struct lauka_session *session; /* to be filled */
    size_t values_left;            /* that may still be read */
    /* Of the benchmark that is being read: */
    struct lauka_result *result;
    const struct cJSON *results; /* an array with at least one element */
    size_t first;                /* place of the first of them in the document */
    const struct cJSON *own;     /* what holds its gate and its failure */
    const struct cJSON *course;  /* what holds its rounds */
    char place[40];              /* of `own`, before all paths; empty: it is the document */
};

enum { LAUKA_PATH_SIZE = 160 }; /* of the path of an item, with its NUL */

/* Refuses the document: "place.path: reason", shortened; a path that begins with a dot is the place
 * itself. Always returns false. */
bool lauka_json_fail(struct lauka_json *json, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether the error is 0; otherwise it is the failure. And whether there is memory. */
bool lauka_json_check(struct lauka_json *json, int error);
bool lauka_json_has(struct lauka_json *json, const void *memory);

/* Fails if a key is there twice, because nobody knows which one is meant. _object: or if it is no object at all. */
bool lauka_json_check_keys(struct lauka_json *json, const char *path, const struct cJSON *object);
bool lauka_json_check_object(struct lauka_json *json, const char *path, const struct cJSON *item);

/* The value under the key; NULL if it is missing or null. */
const struct cJSON *lauka_json_get(const struct cJSON *object, const char *key);

/* `path` names the object. A missing or null item leaves the value as it is; a whole number beyond 2^53 is
 * a string. */
bool lauka_json_integer(struct lauka_json *json, const char *path, const struct cJSON *object,
                        const char *key, uint64_t *value);
bool lauka_json_number(struct lauka_json *json, const char *path, const struct cJSON *object,
                       const char *key, double least, double most, double *value);

/* How a benchmark ended; LAUKA_STOPPED_STORED if there is no word for it. */
enum lauka_stopped lauka_json_stopped(const struct cJSON *item);

/* An owned copy, or NULL if it is not a text. */
bool lauka_json_copy_text(struct lauka_json *json, const struct cJSON *item, char **copy);

/* The same for a text that may not be valid UTF-8: KEY_base64 takes precedence over KEY. */
bool lauka_json_bytes(struct lauka_json *json, const char *path, const struct cJSON *object,
                      const char *key, char **bytes);

/* An array of texts, NULL-terminated; nothing is set if there is none. */
bool lauka_json_strings(struct lauka_json *json, const char *path, const struct cJSON *object,
                        const char *key, char ***strings);

/* Appends texts under their names; anything else was not a parameter. */
bool lauka_json_parameters(struct lauka_json *json, const char *path, const struct cJSON *object,
                           struct lauka_parameter_value **parameters, size_t *count);

/* Finds the metric by its name, or makes it. The strings of `about` are copied. Fails if the metric is
 * there with another unit. */
bool lauka_json_metric(struct lauka_json *json, const char *path,
                       const struct lauka_result_metric *about);

/* Makes the commands with their labels, and a series for each metric: all these must be known. */
bool lauka_json_commands(struct lauka_json *json);

/* Nobody will look at the array again; there may be none. */
void lauka_json_forget(struct lauka_json *json, const struct cJSON *item);

/* Appends the elements of KEY or of KEY_packed; nothing if there is neither. */
bool lauka_json_runs(struct lauka_json *json, const char *path, const struct cJSON *object,
                     const char *key, struct lauka_column *column);

/* Appends the array's elements; null is a missing value. An item that is NULL is an empty array. */
bool lauka_json_values(struct lauka_json *json, const char *path, const struct cJSON *item,
                       struct lauka_column *column);

/* Notes in the result how many values from another tool were left out because they are not finite. */
bool lauka_json_note_left_out(struct lauka_json *json, const char *path, size_t left_out,
                              size_t count);

/* Exit codes of a command; null, a run that was killed, is -1. May be NULL. */
bool lauka_json_exit_codes(struct lauka_json *json, size_t command, const struct cJSON *item);

/* Takes this many values from the budget. */
bool lauka_json_spend(struct lauka_json *json, const char *path, size_t values);

/* "results[3]" for a command, followed by what is inside it. Returns path, of LAUKA_PATH_SIZE bytes. */
char *lauka_json_name(const struct lauka_json *json, size_t command, const char *rest, char *path);

/* Call it when all values are read: fills series that hold none with missing values, so that all of a
 * command's are equally long; says what was counted, and whether rounds are paired. */
bool lauka_json_complete(struct lauka_json *json);

/* ---- parts of lauka's own ---------------------------------------------------------------------- */

/* json_session.c: the benchmark's units; call it once its rounds are known. */
bool lauka_json_units(struct lauka_json *json, const struct cJSON *object);

/* json_results.c: the benchmark's commands with their metrics. streamed: single values were not kept. */
bool lauka_json_results(struct lauka_json *json, bool streamed);

/* json_session.c: the run with its order and options, failure, warnings. The commands must have been read. */
bool lauka_json_session(struct lauka_json *json, bool streamed);

/* json_record.c: the record, or the elements of its list, by the table. Each member is refused that the table does not
 * allow. path: of the object or the array. */
struct lauka_record_table;
struct lauka_field;
bool lauka_json_record(struct lauka_json *json, const char *path, const struct cJSON *object,
                       const struct lauka_record_table *record, void *data);
/* The same of a table whose object has been looked at already, so that it has each key once. */
bool lauka_json_fields(struct lauka_json *json, const char *path, const struct cJSON *object,
                       const struct lauka_record_table *record, void *data);
bool lauka_json_list(struct lauka_json *json, const char *path, const struct cJSON *array,
                     const struct lauka_field *field, void *data);

/* ---- of others --------------------------------------------------------------------------------- */

bool lauka_load_hyperfine_1(struct lauka_json *json); /* json_hyperfine.c */
bool lauka_load_hyperfine_2(struct lauka_json *json);

#endif
