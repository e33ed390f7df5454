/* The contents of stored records, in one table per record. From it records are written as JSON (json/record.c),
 * read (load/json_record.c), copied, compared and freed (record.c). A test compares the tables with the schema. */
#ifndef LAUKA_REPORT_RESULT_RECORD_H
#define LAUKA_REPORT_RESULT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The type of a member, and the form of its key in JSON. */
enum lauka_field_kind {
    LAUKA_FIELD_INTEGER,    /* uint64_t; a string beyond 2^53 */
    LAUKA_FIELD_COUNT,      /* size_t */
    LAUKA_FIELD_COMMAND,    /* size_t, the index of a command; its place among all results */
    LAUKA_FIELD_WIDE,       /* lauka_uint128; always a string */
    LAUKA_FIELD_NUMBER,     /* double */
    LAUKA_FIELD_OPTIONAL,   /* struct lauka_optional; a number */
    LAUKA_FIELD_MAYBE,      /* struct lauka_optional with 0 or 1; a boolean */
    LAUKA_FIELD_BOOL,       /* bool */
    LAUKA_FIELD_NOT,        /* bool; in JSON its opposite */
    LAUKA_FIELD_TEXT,       /* char *, owned; NULL if not known */
    LAUKA_FIELD_BYTES,      /* the same, possibly invalid UTF-8: then KEY_base64 has the bytes */
    LAUKA_FIELD_STRINGS,    /* char **, owned and NULL-terminated; an array of such texts */
    LAUKA_FIELD_PARAMETERS, /* struct lauka_parameter_value *, owned; an object */
    LAUKA_FIELD_CHOICE,     /* an enum; one of `names` */
    LAUKA_FIELD_FLAG,       /* bool; one of two `names` */
    LAUKA_FIELD_WORD,       /* a text that the functions of `word` compute from the record */
    LAUKA_FIELD_RECORD,     /* a nested struct; an object */
    LAUKA_FIELD_LIST,       /* an owned array of structs and its length; an array of objects */
    LAUKA_FIELD_ARRAY,      /* the same, but inside the struct, with room for `most` */
    LAUKA_FIELD_COMPUTED,   /* written by a function of `computed` in json/record.c; never read */
};

/* When the key exists. Unknown values are NULL, 0, false, or an unknown optional; a record without
 * any known member is unknown itself. */
enum lauka_field_presence {
    LAUKA_FIELD_ALWAYS,
    LAUKA_FIELD_NULLABLE, /* null if unknown */
    LAUKA_FIELD_IF_KNOWN, /* missing if unknown */
};

enum lauka_field_computed {
    LAUKA_COMPUTED_FINGERPRINT,
    LAUKA_COMPUTED_VERDICT,
    LAUKA_COMPUTED_LIMITS,
    LAUKA_COMPUTED_ERROR,
    LAUKA_COMPUTED_EXECUTABLE, /* with the path, which is stored in the command */
};

struct lauka_word {
    /* Returns the text, static or printed to the buffer. */
    const char *(*print)(const void *record, char *buffer, size_t size);
    /* Sets the record's members. Returns false for an unknown word. */
    bool (*parse)(const char *text, void *record);
};

struct lauka_record_table;
struct lauka_field {
    const char *key; /* NULL: owned by the record, but not stored */
    enum lauka_field_kind kind;
    size_t at, count_at; /* offsets in the struct; count_at: of PARAMETERS, LIST and ARRAY */
    enum lauka_field_presence presence;
    /* Earlier versions did not write it: if it is missing, the member keeps its value. */
    bool late;
    /* The range of numbers, if `most` is above 0; for LIST and ARRAY the most elements. */
    double least, most;
    /* For NUMBER: written in place of 0. For FLAG: the value if it is missing. */
    double standard;
    const char *const *names; /* the last is NULL */
    bool is_inside;           /* a member owned by another row; only written and read here */
    /* Later versions may add names, which are read as the one at `standard`. */
    bool is_open;
    const struct lauka_record_table *of; /* for RECORD, LIST and ARRAY */
    const struct lauka_word *word;
    enum lauka_field_computed computed;
    /* Decides whether it is known; NULL: decided by its value. */
    bool (*known)(const void *record);
};

struct lauka_record_table {
    size_t size; /* size of the struct */
    const struct lauka_field *fields;
    size_t count;
    bool one_line; /* in the document */
};

/* ---- for tables: the key is the member's name, unless the row says something else ---------------- */

#define LAUKA_RECORD(TYPE, FIELDS)                                                                 \
    .size = sizeof(struct TYPE), .fields = (FIELDS), .count = sizeof(FIELDS) / sizeof *(FIELDS)
#define LAUKA_FIELD_AS(KIND, TYPE, MEMBER, KEY)                                                    \
    .key = (KEY), .kind = LAUKA_FIELD_##KIND, .at = offsetof(struct TYPE, MEMBER)
#define LAUKA_FIELD(KIND, TYPE, MEMBER) LAUKA_FIELD_AS(KIND, TYPE, MEMBER, #MEMBER)
#define LAUKA_ELEMENTS(TYPE, COUNT, MOST, OF)                                                      \
    .count_at = offsetof(struct TYPE, COUNT), .most = (MOST), .of = (OF)

#define LAUKA_NULLABLE .presence = LAUKA_FIELD_NULLABLE
#define LAUKA_IF_KNOWN .presence = LAUKA_FIELD_IF_KNOWN
#define LAUKA_LATE .late = true

enum { LAUKA_LIST_SHORT = 1000, LAUKA_LIST_LONG = 10000, LAUKA_LIST_LONGEST = 100000 };

/* ---- records in memory --------------------------------------------------------------------------- */

/* Frees what it owns and clears all members in the table, except those of a WORD, which the table does not have. */
void lauka_record_done(const struct lauka_record_table *record, void *data);

/* Copies all members, including texts and lists; *to owns nothing before. Returns 0, or ENOMEM with
 * a part copied to *to. */
int lauka_record_copy(const struct lauka_record_table *record, const void *from, void *to);

/* Whether all stored members are equal. */
bool lauka_record_is_equal(const struct lauka_record_table *record, const void *data,
                           const void *other);

/* Keeps the stored members that are equal in both, and clears the others. */
void lauka_record_keep_common(const struct lauka_record_table *record, void *data,
                              const void *other);

bool lauka_field_is_known(const struct lauka_field *field, const void *data);

/* The elements of LIST, ARRAY or PARAMETERS; sets *count. */
void *lauka_field_elements(const struct lauka_field *field, const void *data, size_t *count);

/* The index of the text among the names, or of the NULL that ends them. */
size_t lauka_name_place(const char *const *names, const char *text);

/* ---- the records of a result --------------------------------------------------------------------- */

/* why.c */
extern const struct lauka_record_table lauka_cost_record, lauka_whys_record, lauka_sampled_record,
    lauka_calls_record;

/* streams.c */
extern const struct lauka_record_table lauka_moments_record, lauka_paired_record;

/* gate_values.c, merged.c */
extern const struct lauka_record_table lauka_rule_record, lauka_rule_limit_record,
    lauka_gate_record, lauka_merged_record;

/* stored.c: findings, course, options and provenance of the result; and parts of them */
extern const struct lauka_record_table lauka_findings_record, lauka_course_record,
    lauka_ending_record, lauka_seed_record, lauka_words_record, lauka_origin_record,
    lauka_failure_record, lauka_option_record, lauka_options_record, lauka_command_record,
    lauka_executable_record, lauka_kept_record, lauka_host_record, lauka_job_record,
    lauka_provenance_record;

#endif
