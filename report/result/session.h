/* A session: benchmarks measured together, each of which is a complete result. */
#ifndef LAUKA_REPORT_RESULT_SESSION_H
#define LAUKA_REPORT_RESULT_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/result/result.h"

/* The first benchmark has the data that all share: host, provenance, arguments, and options. A side
 * has the same index and name in every benchmark. */
struct lauka_session {
    struct lauka_result *benchmarks; /* owned; not empty */
    size_t benchmark_count;
};

/* Makes this many empty results. Returns 0 or ENOMEM; call _done in any case. */
int lauka_session_init(struct lauka_session *session, size_t benchmarks);

/* Frees what it owns; accepts a zeroed or partly filled one. */
void lauka_session_done(struct lauka_session *session);

/* Whether its benchmarks have names: there are several, or the only one was named. */
bool lauka_session_is_named(const struct lauka_session *session);

/* The benchmark's index by name, or benchmark_count. */
size_t lauka_session_find(const struct lauka_session *session, const char *name);

/* "benchmark/side" for all commands, in the order of benchmarks; labels in an unnamed one. As
 * lauka_unique_texts, including what it replaces and how it is freed; in names.c. */
char **lauka_session_unique_names(const struct lauka_session *session, int width,
                                  const char *replaced);

/* Total of finished measured rounds in all benchmarks. */
uint64_t lauka_session_rounds(const struct lauka_session *session);

/* Whether some benchmark has a gate. */
bool lauka_session_has_gate(const struct lauka_session *session);

/* The gate's verdict over all benchmarks: failed if one failed, otherwise inconclusive if one is. */
enum lauka_gate lauka_session_verdict(const struct lauka_session *session);

#endif
