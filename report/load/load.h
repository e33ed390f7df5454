/* Reads stored results: lauka's own, and those of other tools. */
#ifndef LAUKA_REPORT_LOAD_LOAD_H
#define LAUKA_REPORT_LOAD_LOAD_H

#include <stddef.h>

#include "report/result/session.h"

/* ---- load.c: results that were stored, by lauka and by others -------------------------------- */

struct lauka_stored {
    const char *name;  /* borrowed: its name in errors, and the label of a single command */
    const char *bytes; /* borrowed; read only */
    size_t size;
    const char *column; /* borrowed; for CSV: title, or number from 1; NULL: not CSV */
    /* Called for bytes that will not be read again, so that the memory of what was read from them
     * can be reused; NULL: no calls. */
    void (*forget)(const char *bytes, size_t size);
};

/* One line: "FILE:LINE: reason" or "FILE: reason". May quote text of others. */
struct lauka_load_error {
    char text[640];
};

/* The most bytes to which a compressed file may expand. */
enum { LAUKA_UNPACKED_MAX = 1 << 29 };

/* Reads plain numbers, a column of CSV, an HdrHistogram log, or the JSON of lauka or of hyperfine 1 and
 * 2, each also with gzip; it detects the format by content. Only lauka's own JSON may have several
 * benchmarks. Does not analyse the session. Returns 0, ENOMEM, or EINVAL and the error; then the session
 * is empty. Memory is a small multiple of the bytes, and it returns for any input. */
int lauka_load_session(const struct lauka_stored *stored, struct lauka_session *session,
                       struct lauka_load_error *error);

struct lauka_record_table;

/* Reads a document of JSON that is one record, and no result, into zeroed data. Returns as above; free the record in any
 * case. */
int lauka_load_record(const struct lauka_stored *stored, const struct lauka_record_table *record,
                      void *data, struct lauka_load_error *error);

/* The same as lauka_load_session for one benchmark; several are an error. */
int lauka_load(const struct lauka_stored *stored, struct lauka_result *result,
               struct lauka_load_error *error);

/* The version of cJSON, which parses JSON; static. */
const char *lauka_json_library(void);

/* ---- merge.c: the commands of several results as one ----------------------------------------- */

struct lauka_part {
    const char *name;           /* borrowed; part of its commands' labels */
    struct lauka_result result; /* owned; empty afterwards */
};

/* For a result that shares its file with no other side of a comparison: replaces each unit by one value, the
 * median of its rounds, because rounds of two sessions do not belong together. Returns 0 or ENOMEM. */
int lauka_result_collapse_units(struct lauka_result *result);

/* Matches metrics by name; a metric that a part lacks was not measured there. A single part does
 * not change. Collapses units as above. Different numbers of values make the result unpaired.
 * Returns 0, ENOMEM, or EINVAL and the error if the parts have no common metric. */
int lauka_result_merge(struct lauka_part *parts, size_t count, struct lauka_result *result,
                       struct lauka_load_error *error);

/* ---- logs.c: several logs of a side ------------------------------------------------------------ */

/* Combines results of logs, with one command each, into one side: a benchmark per tag of the first
 * log, whose metrics are figures of a log (p50, p90, p99, p99.9, mean), with a value per log. name:
 * of the side. Returns 0 or ENOMEM; free the session in any case. */
int lauka_logs_join(const struct lauka_result *const *logs, size_t count, const char *name,
                    struct lauka_session *session);

/* ---- jobs.c: the jobs of a session as one ------------------------------------------------------ */

struct lauka_job_file {
    const char *name;             /* borrowed */
    struct lauka_session session; /* owned; parts of it are taken over */
};

/* Combines files of one session, each with all of it from one machine; per job one file counts. If
 * more jobs than this are missing, or ended badly, the result records it as an error. Sorts the
 * files. Returns 0, ENOMEM, or EINVAL and the error if they do not belong together. */
int lauka_jobs_join(struct lauka_job_file *files, size_t count, uint64_t missing_allowed,
                    struct lauka_session *session, struct lauka_load_error *error);

/* ---- split.c: the commands of a result as results of their own ------------------------------- */

/* Moves one command out of a result, whose other commands stay; copies common data, but moves the result's
 * warnings, which need not be repeated per command. Returns 0 or ENOMEM; free *to in any case. */
int lauka_result_take_command(struct lauka_result *from, size_t command, struct lauka_result *to);

/* Makes the result of a command with this label that was not measured; it has the metrics and the host of `like`.
 * Returns 0 or ENOMEM; free *to in any case. */
int lauka_result_make_absent(const struct lauka_result *like, const char *label,
                             struct lauka_result *to);

#endif
