/* A session: benchmarks that were measured together, each a result that is complete in itself. */
#ifndef LAUKA_REPORT_RESULT_SESSION_H
#define LAUKA_REPORT_RESULT_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/result/result.h"

/* The first benchmark tells what holds for all: host, provenance, arguments, and options. Sides are
 * the same in each: the side of one index has one name. */
struct lauka_session {
    struct lauka_result *benchmarks; /* owned; at least one */
    size_t benchmark_count;
};

/* So many empty results. Returns 0 or ENOMEM; to be followed by _done in either case. */
int lauka_session_init(struct lauka_session *session, size_t benchmarks);

/* Frees what it owns; copes with a zeroed or partly filled one. */
void lauka_session_done(struct lauka_session *session);

/* Whether its benchmarks have names: there are several, or the one has been given a name. */
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

/* The gate's verdict over all benchmarks: failed where one did, otherwise inconclusive where one is. */
enum lauka_gate lauka_session_verdict(const struct lauka_session *session);

#endif
