/* What the loaders share. A loader is a function of bytes: it opens nothing, and returns for any bytes. */
#ifndef LAUKA_REPORT_LOAD_LOADER_H
#define LAUKA_REPORT_LOAD_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/load/load.h"
#include "report/result/result.h"
#include "stats/stats.h"

/* ---- refusal.c: what is refused, and how that is said ---------------------------------------- */

/* Limits for damaged or strange files. A million rounds of the default metrics of four commands are
 * within them. */
enum {
    LAUKA_LOAD_VALUES = 1 << 26,   /* per file in total: 512 MiB */
    LAUKA_LOAD_ROOM = 1 << 27,     /* the same, including all data for metrics of commands */
    LAUKA_LOAD_COMMANDS = 1 << 14, /* per file, and for all files together */
    LAUKA_LOAD_METRICS = 1 << 12,
    LAUKA_LOAD_STREAMS = 1 << 11, /* histograms in place of values, for all files together */
};

/* The most values for which a histogram may stand: their sums fit into 128 bits. */
#define LAUKA_LOAD_COUNTS (UINT64_C(1) << 62)

/* Fills the error, "FILE:LINE: reason", or "FILE: reason" if line is 0. Always returns EINVAL. */
int lauka_load_fail(const struct lauka_stored *stored, size_t line, struct lauka_load_error *error,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* "`text`", short enough for an error. Returns buffer. */
enum { LAUKA_QUOTE_SIZE = 64 };
char *lauka_load_quote(const char *text, size_t length, char *buffer);

/* ---- columns.c: decimal numbers as exact integers --------------------------------------------- */

/* A series being read. Its values are in units of 10^-decimals. */
struct lauka_column {
    struct lauka_series series; /* owned */
    int decimals;
    bool
        adapts; /* decimals increase as the numbers require: to nine, or as many as keep nine digits */
    bool whole;    /* reject fractions of a unit instead of rounding them */
    bool rounded;  /* some number had more decimals than are kept */
    bool full;     /* decimals cannot increase: the largest number leaves no room */
    uint64_t most; /* the largest value; 0 if there is none yet */
};

/* Appends a number: digits, a point, an exponent. Returns 0, ENOMEM, or EINVAL and then *reason,
 * static: "is not a number". */
int lauka_column_add(struct lauka_column *column, const char *text, size_t length,
                     const char **reason);

/* Appends a value that was not measured. Returns 0 or ENOMEM. */
int lauka_column_add_missing(struct lauka_column *column);

/* ---- magnitudes.c: values in units of other powers of ten ------------------------------------- */

/* Reduces the decimals of several results' metrics until values of this one fit, if it has other
 * decimals. */
void lauka_metrics_make_room(struct lauka_result *to, const struct lauka_result *from);

/* Converts values in units of 10^-from to units of 10^-to. Sets *rounded if some of them change.
 * Returns 0, or ERANGE if one would be too large, or vanish. */
int lauka_series_rescale(struct lauka_series *series, int from, int to, bool *rounded);

/* The same for streams; only to finer units. Returns 0, ENOMEM or ERANGE. */
int lauka_stream_rescale(struct lauka_result_stream *stream, int from, int to);

/* ---- merge.c: results as one ------------------------------------------------------------------- */

/* Adds the metrics of a result to several results' metrics: copies them, or adds to a metric of the
 * same name. name: the result's name in errors. Returns 0, ENOMEM, or EINVAL and the error. */
int lauka_metrics_add(const struct lauka_result *from, const char *name, struct lauka_result *to,
                      struct lauka_load_error *error);

/* Shuffles values that have lost their order, always in the same way, so that they show no trend. */
void lauka_series_mix(struct lauka_series *series);

/* Makes room for values with this many digits: initialises a zeroed stream, or makes a finer one
 * coarser. Returns 0, EINVAL (digits) or ENOMEM. */
int lauka_stream_widen(struct lauka_result_stream *stream, unsigned digits);

/* Copies the assignment of rounds to units. Returns 0 or ENOMEM. */
int lauka_result_copy_units(const struct lauka_result *from, struct lauka_result *to);

/* ---- a loader each; all return 0, ENOMEM, or EINVAL and then the error ----------------------- */

int lauka_load_text(const struct lauka_stored *stored, struct lauka_result *result,
                    struct lauka_load_error *error);
int lauka_load_csv(const struct lauka_stored *stored, struct lauka_result *result,
                   struct lauka_load_error *error);
int lauka_load_hlog(const struct lauka_stored *stored, struct lauka_result *result,
                    struct lauka_load_error *error);

/* The session must be empty; on failure it may be partly filled. */
int lauka_load_json(const struct lauka_stored *stored, struct lauka_session *session,
                    struct lauka_load_error *error);

/* ---- json_arrays.c: arrays with a value per run, kept out of cJSON's tree -------------------- */

struct lauka_json_array {
    size_t begin, end; /* range between the brackets or quotes, in the stored bytes */
    size_t line;       /* its first line, from 1 */
};

struct lauka_json_text {
    char *text; /* owned, NUL-terminated: a part of the document with a short string per array */
    size_t size, capacity;
    struct lauka_json_array *arrays; /* owned; for all parts */
    size_t array_count;
    size_t nodes; /* nodes in the trees of all parts; callers that free trees reset it */
};

/* Puts this part of the stored bytes into text->text. Arrays with a value per run, packed or not, become
 * tokens: a string of the byte 1 as an escape and the array's number. Data that is recomputed is left
 * out, and lines keep their numbers. outermost: this is the document itself, whose results become such
 * tokens, too. Returns 0, ENOMEM, or EINVAL if the rest is too large for a tree. */
int lauka_json_text_make(const struct lauka_stored *stored, const struct lauka_json_array *part,
                         bool outermost, struct lauka_json_text *text,
                         struct lauka_load_error *error);
void lauka_json_text_done(struct lauka_json_text *text);

/* The array for which a string in the tree stands, or NULL. */
const struct lauka_json_array *lauka_json_array(const struct lauka_json_text *text,
                                                const char *token);

struct lauka_json_cursor { /* a position in such an array */
    const char *at, *end;
    size_t line;      /* line of the item */
    const char *item; /* the element without blanks; not NUL-terminated */
    size_t length;
};

struct lauka_json_cursor lauka_json_array_begin(const struct lauka_stored *stored,
                                                const struct lauka_json_array *array);

/* Moves to the first or next element. False at the end. */
bool lauka_json_array_next(struct lauka_json_cursor *cursor);

struct lauka_json_elements { /* elements of an array of objects */
    struct lauka_json_array rest;
    bool more;
};

struct lauka_json_elements lauka_json_elements_begin(const struct lauka_stored *stored,
                                                     const struct lauka_json_array *array);
bool lauka_json_elements_next(const struct lauka_stored *stored,
                              struct lauka_json_elements *elements,
                              struct lauka_json_array *element);

#endif
