/* The processes of one benchmark under way: what the files of the executor share. */
#ifndef LAUKA_RUNNER_SUITE_UNIT_H
#define LAUKA_RUNNER_SUITE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/counters/counters.h"
#include "runner/base/base.h"
#include "runner/session/session.h"
#include "runner/suite/suite.h"

/* Of each process: rounds that count, and how long one is at least. */
enum { LAUKA_SIDES = 2, LAUKA_UNIT_ROUNDS = 10, LAUKA_UNIT_ROUND_NS = 1000000 };

struct lauka_suite_side {
    struct lauka_process process;
    uint64_t until_ns, took_ns;         /* took_ns: from its start to its end, if it writes */
    bool begun;                         /* its preparation was run, so that its conclusion is due */
    uint64_t iterations;                /* of a round, as it says */
    struct lauka_inner_answers answers; /* of a process that writes them all */
    struct lauka_reading readings[LAUKA_COUNTERS_MAX]; /* of the last round, where it is counted */
};

struct lauka_suite_unit { /* what the executor has beside the others' */
    struct lauka_inner_figures figures;
    struct lauka_inner_request request;
    size_t number;       /* of processes that run all benchmarks: the next one */
    uint64_t start_ns;   /* what starting a process took */
    uint64_t slowest_ns; /* of an iteration */
    size_t rounds_most;  /* in a process, where the benchmark has a will of its own */
    bool medians;        /* it tells only of all rounds of a process together */
    struct lauka_suite_side sides[LAUKA_SIDES];
};

/* ---- unit.c --------------------------------------------------------------------------------------------- */

struct lauka_suite_unit *lauka_unit_of(const struct lauka_executor *executor);
const struct lauka_adapter *lauka_unit_adapter(const struct lauka_executor *executor);

const struct lauka_suite *lauka_unit_suite(const struct lauka_executor *executor);

/* What is counted in processes of the side; NULL: nothing. */
struct lauka_counters *lauka_unit_counters(const struct lauka_executor *executor, size_t side);

/* NULL: each process runs one benchmark. */
struct lauka_whole *lauka_unit_whole(const struct lauka_executor *executor);

/* Of the benchmark in one side; always false. why: "died: ...", in words. */
bool lauka_unit_fail(struct lauka_executor *executor, size_t c, const char *why);

/* Each is false where lauka failed, or the side, of which executor->failure tells. Before each process it is prepared.
 * One that speaks is started, and asked for a round. */
bool lauka_unit_prepare(struct lauka_executor *executor, size_t c, struct lauka_error *error);
bool lauka_unit_start(struct lauka_executor *executor, size_t c, struct lauka_error *error);
bool lauka_unit_ask(struct lauka_executor *executor, size_t c, uint64_t seed,
                    struct lauka_inner_answer *answer);
/* How many rounds the source of the benchmark wants; 0: as many as are asked for. */
uint64_t lauka_unit_own_rounds(const struct lauka_executor *executor);

/* Ends what still runs. good: no side has failed. Whether all went well: of a side that failed before nothing more is
 * said. */
bool lauka_unit_conclude(struct lauka_executor *executor, bool good, struct lauka_error *error);

/* Frees what the sides own. */
void lauka_unit_forget(struct lauka_suite_unit *unit);

/* ---- rounds.c ------------------------------------------------------------------------------------------- */

/* One that writes runs so many rounds of the side, and what comes before them. False as above. */
bool lauka_unit_run(struct lauka_executor *executor, size_t c, uint64_t rounds,
                    struct lauka_error *error);

#endif
