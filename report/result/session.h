/* A session: benchmarks that were measured together, each a result that is complete in itself. */
#ifndef LAUKA_REPORT_RESULT_SESSION_H
#define LAUKA_REPORT_RESULT_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/result/result.h"

/* The first benchmark has what holds for all: host, provenance, arguments, and options. Sides are the same
 * in each: a side has the same index and name everywhere. */
struct lauka_session {
    struct lauka_result *benchmarks; /* owned; at least one */
    size_t benchmark_count;
};

/* That many empty results. Returns 0 or ENOMEM; call _done in either case. */
int lauka_session_init(struct lauka_session *session, size_t benchmarks);

/* Frees what it owns; accepts a zeroed or partly filled one. */
void lauka_session_done(struct lauka_session *session);

/* Whether its benchmarks have names: there are several, or the only one was given a name. */
bool lauka_session_is_named(const struct lauka_session *session);

/* The benchmark's index by name, or benchmark_count. */
size_t lauka_session_find(const struct lauka_session *session, const char *name);

/* "benchmark/side" of all commands, one benchmark after the other; labels where nobody named it. As
 * lauka_unique_texts, which replaces; to be freed alike; in names.c. */
char **lauka_session_unique_names(const struct lauka_session *session, int width,
                                  const char *replaced);

/* Finished measured rounds of all benchmarks together. */
uint64_t lauka_session_rounds(const struct lauka_session *session);

/* Whether some benchmark is held to limits. */
bool lauka_session_has_gate(const struct lauka_session *session);

/* The gate's verdict over all benchmarks: failed if one failed, otherwise inconclusive if one is. */
enum lauka_gate lauka_session_verdict(const struct lauka_session *session);

#endif
