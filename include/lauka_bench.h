/* lauka_bench.h: benchmarks inside a program, in C99 or C++11. One header, no library.
 *
 *     #include "lauka_bench.h"
 *
 *     static void sum(struct lauka_bench_state *state)
 *     {
 *         int *numbers = make_numbers(1000);         // not measured
 *         LAUKA_BENCH_LOOP (state) {                 // measured, from its first pass to its last
 *             lauka_bench_keep(add_up(numbers, 1000));
 *         }
 *         lauka_bench_items(state, 1000);            // of one pass
 *         free(numbers);                             // not measured
 *     }
 *
 *     static const struct lauka_bench benches[] = {{"sum", sum}};
 *
 *     int main(void) { return lauka_bench_main(benches, 1); }
 *
 * Alone, the program prints a table. Under `lauka suite ./base ./head` it speaks the protocol
 * lauka-bench/1 (docs/suite.md). Each benchmark must run its loop exactly once. With -std=c99 include
 * this before the system's headers, or define _POSIX_C_SOURCE=200809L. */
#ifndef LAUKA_BENCH_H
#define LAUKA_BENCH_H

#if defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct lauka_bench_state {
    uint64_t iterations; /* passes of the loop */
    uint64_t seed;       /* for random input; the same for both sides of a round */
    uint64_t wall_ns, cpu_ns;
    uint64_t items, bytes; /* per pass; 0: not given */
    int done;              /* the loop has run */
    const char *error;
    void (*watch)(void *watcher, int ended); /* called at the loop's begin and end; or NULL */
    void *watcher;
};

struct lauka_bench {
    const char *name; /* contains no blanks */
    void (*run)(struct lauka_bench_state *state);
};

/* ---- within a benchmark ------------------------------------------------------------------------ */

/* The measured part. Leave it only by reaching its end. */
#define LAUKA_BENCH_LOOP(state)                                                                    \
    for (uint64_t lauka_bench_left_ = lauka_bench_begin(state);                                    \
         lauka_bench_left_ > 0 || lauka_bench_end(state); lauka_bench_pass(), lauka_bench_left_--)

/* Makes the compiler compute the value, although nobody reads it. */
#if defined(__cplusplus)
template <class Value> static inline void lauka_bench_keep(const Value &value)
{
    __asm__ volatile("" : : "r,m"(value) : "memory");
}
#else
#define lauka_bench_keep(value)                                                                    \
    do {                                                                                           \
        __typeof__(value) lauka_bench_kept_ = (value);                                             \
        __asm__ volatile("" : : "r,m"(lauka_bench_kept_) : "memory");                              \
    } while (0)
#endif

/* Makes the compiler assume that what the pointer refers to may have changed and may be read. */
static inline void lauka_bench_touch(const void *pointer)
{
    __asm__ volatile("" : : "r"(pointer) : "memory");
}

/* Each pass processes that many items, or bytes. */
static inline void lauka_bench_items(struct lauka_bench_state *state, uint64_t items)
{
    state->items = items;
}

static inline void lauka_bench_bytes(struct lauka_bench_state *state, uint64_t bytes)
{
    state->bytes = bytes;
}

/* Reports that the benchmark cannot run, and why. */
static inline void lauka_bench_fail(struct lauka_bench_state *state, const char *why)
{
    state->error = why;
}

/* ---- how it is measured ------------------------------------------------------------------------ */

static inline uint64_t lauka_bench_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Does nothing, but keeps the compiler from removing an empty loop. */
static inline void lauka_bench_pass(void)
{
    __asm__ volatile("");
}

static inline uint64_t lauka_bench_begin(struct lauka_bench_state *state)
{
    if (state->watch)
        state->watch(state->watcher, 0);
    state->cpu_ns = lauka_bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    state->wall_ns = lauka_bench_clock(CLOCK_MONOTONIC);
    return state->iterations;
}

static inline int lauka_bench_end(struct lauka_bench_state *state)
{
    state->wall_ns = lauka_bench_clock(CLOCK_MONOTONIC) - state->wall_ns;
    state->cpu_ns = lauka_bench_clock(CLOCK_PROCESS_CPUTIME_ID) - state->cpu_ns;
    if (state->watch)
        state->watch(state->watcher, 1);
    state->done = 1;
    return 0;
}

static inline struct lauka_bench_state lauka_bench_run(const struct lauka_bench *bench,
                                                       uint64_t iterations, uint64_t seed)
{
    struct lauka_bench_state state;

    memset(&state, 0, sizeof state);
    state.iterations = iterations;
    state.seed = seed;
    bench->run(&state);
    if (!state.done && !state.error)
        state.error = "the benchmark did not run its loop to the end";
    return state;
}

/* ---- alone: a table ---------------------------------------------------------------------------- */

static inline int lauka_bench_table(const struct lauka_bench *benches, size_t count)
{
    const uint64_t enough_ns = 50000000;
    int failed = 0;

    printf("%-32s %14s %14s %14s\n", "benchmark", "ns/pass", "CPU ns/pass", "passes");
    for (size_t i = 0; i < count; i++) {
        struct lauka_bench_state state = lauka_bench_run(&benches[i], 1, 1);
        for (uint64_t n = 10; !state.error && state.wall_ns < enough_ns && n <= 1000000000000u;
             n *= 10)
            state = lauka_bench_run(&benches[i], n, 1);
        double passes = (double)state.iterations, seconds = (double)state.wall_ns / 1e9;
        if (state.error) {
            failed = 1;
            printf("%-32s %s\n", benches[i].name, state.error);
            continue;
        }
        printf("%-32s %14.2f %14.2f %14.0f", benches[i].name, (double)state.wall_ns / passes,
               (double)state.cpu_ns / passes, passes);
        if (state.items)
            printf("  %.4g items/s", (double)state.items * passes / seconds);
        if (state.bytes)
            printf("  %.4g MB/s", (double)state.bytes * passes / seconds / 1e6);
        printf("\n");
    }
    return failed;
}

/* ---- under lauka: the protocol ----------------------------------------------------------------- */

static inline void lauka_bench_answer(FILE *to, const struct lauka_bench *benches, size_t count,
                                      const char *name, uint64_t iterations, uint64_t seed)
{
    size_t i = 0;

    while (i < count && strcmp(benches[i].name, name) != 0)
        i++;
    if (i == count) {
        fprintf(to, "error there is no benchmark %s\n", name);
        return;
    }
    struct lauka_bench_state state = lauka_bench_run(&benches[i], iterations, seed);
    double seconds = (double)state.wall_ns / 1e9, passes = (double)iterations;
    if (state.error) {
        fprintf(to, "error %s\n", state.error);
        return;
    }
    fprintf(to, "ok %llu %llu", (unsigned long long)state.wall_ns,
            (unsigned long long)state.cpu_ns);
    if (state.items && seconds > 0)
        fprintf(to, " items=%.9g /s", (double)state.items * passes / seconds);
    if (state.bytes && seconds > 0)
        fprintf(to, " bytes=%.9g B/s", (double)state.bytes * passes / seconds);
    fputc('\n', to);
}

static inline int lauka_bench_speak(FILE *from, FILE *to, const struct lauka_bench *benches,
                                    size_t count)
{
    char line[512], name[400];
    unsigned long long iterations, seed;

    while (fgets(line, sizeof line, from)) {
        if (strcmp(line, "hello 1\n") == 0)
            fputs("hello 1\n", to);
        else if (strcmp(line, "list\n") == 0) {
            for (size_t i = 0; i < count; i++)
                fprintf(to, "benchmark %s\n", benches[i].name);
            fputs("ok\n", to);
        } else if (sscanf(line, "run %399s %llu %llu", name, &iterations, &seed) == 3)
            lauka_bench_answer(to, benches, count, name, iterations, seed);
        else if (strcmp(line, "bye\n") == 0)
            return 0;
        else
            fputs("error this is not understood\n", to);
        if (fflush(to) != 0)
            return 1;
    }
    return 0;
}

/* Runs the benchmarks. main should return its value. */
static inline int lauka_bench_main(const struct lauka_bench *benches, size_t count)
{
    const char *descriptors = getenv("LAUKA_BENCH_FDS");
    int from, to;

    if (!descriptors || sscanf(descriptors, "%d,%d", &from, &to) != 2)
        return lauka_bench_table(benches, count);
    FILE *in = fdopen(from, "r"), *out = fdopen(to, "w");
    return !in || !out || lauka_bench_speak(in, out, benches, count);
}

#endif
