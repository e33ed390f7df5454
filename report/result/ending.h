/* How a session ended, and whether that was well. Everything that calls a result good asks here: gates, merged
 * jobs, exit codes and all documents. */
#ifndef LAUKA_REPORT_RESULT_ENDING_H
#define LAUKA_REPORT_RESULT_ENDING_H

#include <stdbool.h>
#include <stddef.h>

struct lauka_result;
struct lauka_session;

/* From best to worst: of several endings, the greatest is reported. */
enum lauka_ending {
    LAUKA_ENDED_WELL,
    LAUKA_ENDED_UNMEASURED, /* no round was finished, and nothing says why */
    LAUKA_ENDED_BY_SIGNAL,
    LAUKA_ENDED_BY_ERROR, /* lauka itself could not go on; or it is not known how the session ended */
    LAUKA_ENDED_BY_FAILURE, /* a command failed */
};

/* Of one benchmark. */
enum lauka_ending lauka_result_ending(const struct lauka_result *result);
bool lauka_result_ended_well(const struct lauka_result *result);

/* "interrupted", "error", "failure", "not measured": for machines; empty where it ended well. Static. */
const char *lauka_ending_name(enum lauka_ending ending);

/* The worst of all benchmarks. */
enum lauka_ending lauka_session_ending(const struct lauka_session *session);

/* The error that ended the session, in its own words; NULL if none did. */
const char *lauka_result_error_text(const struct lauka_result *result);

/* What is said of one that has no words. */
#define LAUKA_UNKNOWN_ERROR "the error itself is not known"

/* The cause in a few words, for machines and tables: the error's own text, how a command failed, "interrupted".
 * NULL if the session ended well. Static, or borrowed from the result. */
const char *lauka_result_bad_end(const struct lauka_result *result);

/* Whether there is something to report about the session: a known failure is reported with its
 * command, so this concerns an additional error. */
bool lauka_result_tells_ending(const struct lauka_result *result);

#endif
