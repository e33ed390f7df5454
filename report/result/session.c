/* A session: benchmarks that were measured together. */
#include "report/result/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lauka_session_init(struct lauka_session *session, size_t benchmarks)
{
    session->benchmarks = calloc(benchmarks, sizeof *session->benchmarks);
    session->benchmark_count = session->benchmarks ? benchmarks : 0;
    return session->benchmarks ? 0 : ENOMEM;
}

void lauka_session_done(struct lauka_session *session)
{
    for (size_t b = 0; b < session->benchmark_count; b++)
        lauka_result_done(&session->benchmarks[b]);
    free(session->benchmarks);
    *session = (struct lauka_session){0};
}

bool lauka_session_is_named(const struct lauka_session *session)
{
    return session->benchmark_count > 0 && session->benchmarks[0].benchmark.name;
}

size_t lauka_session_find(const struct lauka_session *session, const char *name)
{
    size_t b = 0;
    while (b < session->benchmark_count &&
           (!session->benchmarks[b].benchmark.name ||
            strcmp(session->benchmarks[b].benchmark.name, name) != 0))
        b++;
    return b;
}

uint64_t lauka_session_rounds(const struct lauka_session *session)
{
    uint64_t rounds = 0;
    for (size_t b = 0; b < session->benchmark_count; b++)
        rounds += session->benchmarks[b].run.rounds;
    return rounds;
}

bool lauka_session_has_gate(const struct lauka_session *session)
{
    for (size_t b = 0; b < session->benchmark_count; b++)
        if (lauka_result_has_gate(&session->benchmarks[b]))
            return true;
    return false;
}

enum lauka_gate lauka_session_verdict(const struct lauka_session *session)
{
    enum lauka_gate verdict = LAUKA_GATE_PASS;
    for (size_t b = 0; b < session->benchmark_count; b++) {
        const struct lauka_result *result = &session->benchmarks[b];
        if (!lauka_result_has_gate(result))
            continue;
        if (result->gate.verdict == LAUKA_GATE_FAIL)
            return LAUKA_GATE_FAIL;
        if (result->gate.verdict == LAUKA_GATE_INCONCLUSIVE)
            verdict = LAUKA_GATE_INCONCLUSIVE;
    }
    return verdict;
}
