/* Benchmarks of known work inside a program: a pass of `few` executes as many turns of two instructions as the first
 * argument says, one of `many` a thousand times as many, so that a round of it is one pass. `thread` has them executed
 * by a thread that it started before. */
#include "../../include/lauka_bench.h"

#include <pthread.h>
#include <stdint.h>

static uint64_t turns = 1000;

static void execute(uint64_t count)
{
#if defined(__aarch64__)
    __asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(count) : : "cc");
#else
    __asm__ volatile("1: dec %0\n jnz 1b" : "+r"(count) : : "cc");
#endif
}

static void few(struct lauka_bench_state *state)
{
    LAUKA_BENCH_LOOP(state)
    execute(turns);
}

static void many(struct lauka_bench_state *state)
{
    LAUKA_BENCH_LOOP(state)
    execute(1000 * turns);
}

static pthread_barrier_t begun, ended;

static void *work(void *nothing)
{
    for (;;) {
        pthread_barrier_wait(&begun);
        execute(1000 * turns);
        pthread_barrier_wait(&ended);
    }
    return nothing;
}

static void thread(struct lauka_bench_state *state)
{
    LAUKA_BENCH_LOOP(state)
    {
        pthread_barrier_wait(&begun);
        pthread_barrier_wait(&ended);
    }
}

static const struct lauka_bench benches[] = {{"few", few}, {"many", many}, {"thread", thread}};

int main(int count, char **words)
{
    pthread_t worker;

    turns = count > 1 ? strtoull(words[1], NULL, 10) : turns;
    pthread_barrier_init(&begun, NULL, 2);
    pthread_barrier_init(&ended, NULL, 2);
    if (pthread_create(&worker, NULL, work, NULL) != 0)
        return 1;
    return lauka_bench_main(benches, sizeof benches / sizeof *benches);
}
