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

/* What damaged or strange files may ask for. A million rounds of the default metrics of four
 * commands are within these limits. */
enum {
    LAUKA_LOAD_VALUES = 1 << 26,   /* in all, of one file: 512 MiB */
    LAUKA_LOAD_ROOM = 1 << 27,     /* the same with all that belongs to metrics of commands */
    LAUKA_LOAD_COMMANDS = 1 << 14, /* of one file, and of all files together */
    LAUKA_LOAD_METRICS = 1 << 12,
    LAUKA_LOAD_STREAMS = 1 << 11, /* histograms in place of values, of all files together */
};

/* The number of values that a histogram may stand for: their sums fit into 128 bits. */
#define LAUKA_LOAD_COUNTS (UINT64_C(1) << 62)

/* Fills the error, "FILE:LINE: reason", or "FILE: reason" if line is 0. Always returns EINVAL. */
int lauka_load_fail(const struct lauka_stored *stored, size_t line, struct lauka_load_error *error,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* "`text`", short enough for an error. Returns buffer. */
enum { LAUKA_QUOTE_SIZE = 64 };
char *lauka_load_quote(const char *text, size_t length, char *buffer);

/* ---- columns.c: decimal numbers as exact integers --------------------------------------------- */

/* A series under way. Its values are in units of 10^-decimals. */
struct lauka_column {
    struct lauka_series series; /* owned */
    int decimals;
    bool
        adapts; /* decimals grow as the numbers ask for: nine at most, or as many as keep nine digits */
    bool whole;    /* what is no whole number of units is refused, not rounded */
    bool rounded;  /* some number had more decimals than are kept */
    bool full;     /* decimals cannot grow: the largest number leaves no room */
    uint64_t most; /* the largest value; 0 while there is none */
};

/* Appends a number: digits, a point, an exponent. Returns 0, ENOMEM, or EINVAL and then *reason,
 * static: "is not a number". */
int lauka_column_add(struct lauka_column *column, const char *text, size_t length,
                     const char **reason);

/* Appends a value that was not measured. Returns 0 or ENOMEM. */
int lauka_column_add_missing(struct lauka_column *column);

/* ---- magnitudes.c: values in units of other powers of ten ------------------------------------- */

/* Takes decimals from metrics of several results until the values of this one have room; where its own decimals are
 * others. */
void lauka_metrics_make_room(struct lauka_result *to, const struct lauka_result *from);

/* Values in units of 10^-from become values in units of 10^-to. *rounded is set if some of them are others now.
 * Returns 0, or ERANGE where one is too large, or would vanish. */
int lauka_series_rescale(struct lauka_series *series, int from, int to, bool *rounded);

/* The same of what is kept in their place; to finer units only. Returns 0, ENOMEM or ERANGE. */
int lauka_stream_rescale(struct lauka_result_stream *stream, int from, int to);

/* ---- merge.c: results as one ------------------------------------------------------------------- */

/* Adds the metrics of a result to those of several: copies them, or adds to one of that name what it has in addition. name:
 * what errors call the result. Returns 0, ENOMEM, or EINVAL and the error. */
int lauka_metrics_add(const struct lauka_result *from, const char *name, struct lauka_result *to,
                      struct lauka_load_error *error);

/* Shuffles values that have lost their order, always in the same way, so that nobody sees a trend in them. */
void lauka_series_mix(struct lauka_series *series);

/* Makes room for values with that many digits: turns a zeroed stream into an empty one, a finer one into a
 * coarser one. Returns 0, EINVAL (digits) or ENOMEM. */
int lauka_stream_widen(struct lauka_result_stream *stream, unsigned digits);

/* Copies which rounds share units. Returns 0 or ENOMEM. */
int lauka_result_copy_units(const struct lauka_result *from, struct lauka_result *to);

/* ---- a loader each; all return 0, ENOMEM, or EINVAL and then the error ----------------------- */

int lauka_load_text(const struct lauka_stored *stored, struct lauka_result *result,
                    struct lauka_load_error *error);
int lauka_load_csv(const struct lauka_stored *stored, struct lauka_result *result,
                   struct lauka_load_error *error);
int lauka_load_hlog(const struct lauka_stored *stored, struct lauka_result *result,
                    struct lauka_load_error *error);

/* The session must be empty; it may be partly filled on failure. */
int lauka_load_json(const struct lauka_stored *stored, struct lauka_session *session,
                    struct lauka_load_error *error);

/* ---- json_arrays.c: arrays with a value per run, kept out of cJSON's tree -------------------- */

struct lauka_json_array {
    size_t begin, end; /* of what stands between the brackets or quotes, in the stored bytes */
    size_t line;       /* where it begins, from 1 */
};

struct lauka_json_text {
    char *
        text; /* owned, NUL-terminated: a part of the document with a short string for each array */
    size_t size, capacity;
    struct lauka_json_array *arrays; /* owned; of all parts */
    size_t array_count;
    size_t nodes; /* nodes in the trees of all parts; callers that free trees reset it */
};

/* Puts this part of the stored bytes into text->text. Arrays with a value for each run, packed or not,
 * become tokens: a string of the byte 1 as an escape and the array's number. What is computed again is
 * left out, and lines keep their numbers. outermost: it is the document itself, whose results become such
 * tokens, too. Returns 0, ENOMEM, or EINVAL if the rest is more than a tree should be made of. */
int lauka_json_text_make(const struct lauka_stored *stored, const struct lauka_json_array *part,
                         bool outermost, struct lauka_json_text *text,
                         struct lauka_load_error *error);
void lauka_json_text_done(struct lauka_json_text *text);

/* The array for which a string of the tree stands, or NULL. */
const struct lauka_json_array *lauka_json_array(const struct lauka_json_text *text,
                                                const char *token);

struct lauka_json_cursor { /* a place in such an array */
    const char *at, *end;
    size_t line;      /* of the item */
    const char *item; /* the element without blanks; not NUL-terminated */
    size_t length;
};

struct lauka_json_cursor lauka_json_array_begin(const struct lauka_stored *stored,
                                                const struct lauka_json_array *array);

/* Moves to the first or next element. False at the end. */
bool lauka_json_array_next(struct lauka_json_cursor *cursor);

struct lauka_json_elements { /* of an array of objects */
    struct lauka_json_array rest;
    bool more;
};

struct lauka_json_elements lauka_json_elements_begin(const struct lauka_stored *stored,
                                                     const struct lauka_json_array *array);
bool lauka_json_elements_next(const struct lauka_stored *stored,
                              struct lauka_json_elements *elements,
                              struct lauka_json_array *element);

#endif
