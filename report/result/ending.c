/* A session: benchmarks that were measured together, and how it ended, and whether that was well. */
#include "report/result/session.h"
#include "report/result/ending.h"
#include "report/result/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- a session -------------------------------------------------------------------------------- */

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

/* A way to end that is none of these is not a good one. */
static enum lauka_ending ending_of(enum lauka_stopped stopped)
{
    switch (stopped) {
    case LAUKA_STOPPED_ROUNDS:
    case LAUKA_STOPPED_TIME:
    case LAUKA_STOPPED_PRECISION:
    case LAUKA_STOPPED_EFFECT:
    case LAUKA_STOPPED_EXACT:
    case LAUKA_STOPPED_GATE:
    case LAUKA_STOPPED_STORED:
        return LAUKA_ENDED_WELL;
    case LAUKA_STOPPED_FAILURE:
        return LAUKA_ENDED_BY_FAILURE;
    case LAUKA_STOPPED_INTERRUPTED:
        return LAUKA_ENDED_BY_SIGNAL;
    case LAUKA_STOPPED_ERROR:
        break;
    }
    return LAUKA_ENDED_BY_ERROR;
}

static enum lauka_ending worse_of(enum lauka_ending one, enum lauka_ending other)
{
    return one > other ? one : other;
}

enum lauka_ending lauka_result_ending(const struct lauka_result *result)
{
    if (result->failure.known)
        return LAUKA_ENDED_BY_FAILURE;
    if (result->error.known)
        return LAUKA_ENDED_BY_ERROR;
    enum lauka_ending ending = ending_of(result->run.stopped);
    for (size_t h = 0; h < result->merged.host_count; h++)
        ending = worse_of(ending, ending_of((enum lauka_stopped)result->merged.hosts[h].stopped));
    return result->run.rounds > 0 ? ending : worse_of(ending, LAUKA_ENDED_UNMEASURED);
}

bool lauka_result_ended_well(const struct lauka_result *result)
{
    return lauka_result_ending(result) == LAUKA_ENDED_WELL;
}

enum lauka_ending lauka_session_ending(const struct lauka_session *session)
{
    enum lauka_ending ending = LAUKA_ENDED_WELL;
    for (size_t b = 0; b < session->benchmark_count; b++)
        ending = worse_of(ending, lauka_result_ending(&session->benchmarks[b]));
    return ending;
}

const char *lauka_ending_name(enum lauka_ending ending)
{
    static const char *const names[] = {
        [LAUKA_ENDED_WELL] = "",
        [LAUKA_ENDED_UNMEASURED] = "not measured",
        [LAUKA_ENDED_BY_SIGNAL] = "interrupted",
        [LAUKA_ENDED_BY_ERROR] = "error",
        [LAUKA_ENDED_BY_FAILURE] = "failure",
    };
    return names[ending];
}

/* ---- in words ---------------------------------------------------------------------------------------- */

const char *lauka_result_error_text(const struct lauka_result *result)
{
    if (!result->error.known)
        return NULL;
    return result->error.text ? result->error.text : "out of memory";
}

const char *lauka_result_bad_end(const struct lauka_result *result)
{
    if (result->error.known)
        return lauka_result_error_text(result);
    switch (lauka_result_ending(result)) {
    case LAUKA_ENDED_WELL:
        break;
    case LAUKA_ENDED_UNMEASURED:
        return "no round was finished";
    case LAUKA_ENDED_BY_SIGNAL:
        return result->run.rounds > 0 ? "interrupted" : "interrupted before a round was finished";
    case LAUKA_ENDED_BY_ERROR:
        return LAUKA_UNKNOWN_ERROR;
    case LAUKA_ENDED_BY_FAILURE:
        return result->failure.reason ? result->failure.reason : "a command failed";
    }
    return NULL;
}

bool lauka_result_tells_ending(const struct lauka_result *result)
{
    return result->error.known || !(result->failure.known || lauka_result_ended_well(result));
}
