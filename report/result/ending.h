/* How a session ended, and whether it ended well. All code that calls a result good uses this:
 * gates, merged jobs, exit codes and all documents. */
#ifndef LAUKA_REPORT_RESULT_ENDING_H
#define LAUKA_REPORT_RESULT_ENDING_H

#include <stdbool.h>
#include <stddef.h>

struct lauka_result;
struct lauka_session;

/* From best to worst: of several endings, the greatest is reported. */
enum lauka_ending {
    LAUKA_ENDED_WELL,
    LAUKA_ENDED_UNMEASURED, /* no round was finished, for an unknown reason */
    LAUKA_ENDED_BY_SIGNAL,
    LAUKA_ENDED_BY_ERROR,   /* lauka itself could not continue, or the ending is not known */
    LAUKA_ENDED_BY_FAILURE, /* a command failed */
};

/* For one benchmark. */
enum lauka_ending lauka_result_ending(const struct lauka_result *result);
bool lauka_result_ended_well(const struct lauka_result *result);

/* "interrupted", "error", "failure", "not measured": for machines; empty for a good ending. Static. */
const char *lauka_ending_name(enum lauka_ending ending);

/* The worst one of all benchmarks. */
enum lauka_ending lauka_session_ending(const struct lauka_session *session);

/* The text of the error that ended the session; NULL if there is none. */
const char *lauka_result_error_text(const struct lauka_result *result);

/* Stands for an error without text. */
#define LAUKA_UNKNOWN_ERROR "the error itself is not known"

/* The cause in a few words, for machines and tables: the text of the error, how a command failed,
 * "interrupted". NULL if the session ended well. Static, or borrowed from the result. */
const char *lauka_result_bad_end(const struct lauka_result *result);

/* Whether there is something to report about the session: a known failure is reported with its
 * command, so this concerns an additional error. */
bool lauka_result_tells_ending(const struct lauka_result *result);

#endif
