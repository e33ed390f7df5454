/* What counts as one observation of stored data: docs/documents.md has the table. */
#ifndef LAUKA_REPORT_RESULT_EVIDENCE_H
#define LAUKA_REPORT_RESULT_EVIDENCE_H

struct lauka_result;

enum lauka_apart {
    LAUKA_APART_NOT, /* values are observations: rounds of one session, or numbers from files */
    LAUKA_APART_SESSIONS, /* each side is a session: what changes between sessions is in no interval */
    LAUKA_APART_LOGS,     /* each side is one log, which is one unit */
};

/* "none", "sessions", "logs", as in JSON. Static; in stored.c. */
const char *lauka_apart_name(enum lauka_apart apart);

/* What one observation is, as JSON has it: "round", "process", "layout", "host"; of stored data "value",
 * "session", "log". Static. */
const char *lauka_result_observation(const struct lauka_result *result);

#endif
