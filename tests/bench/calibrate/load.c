/* Other load for a measurement to stand: `load PATTERN SECONDS THREADS SEED`.
 *   quiet   none             step    none, then busy from half of SECONDS on
 *   sine    0 ... 100 % busy, period 8 s
 *   bursts  busy for 0.5 s on average, then idle for 2 s on average
 * Equal seeds give equal loads. */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double SLICE = 0.010; /* seconds in which a share of time is delivered */
enum { THREADS_MAX = 64 };

struct thread {
    pthread_t id;
    const char *pattern;
    double begin, seconds;
    uint64_t random;
    bool busy;        /* of bursts */
    double switch_at; /* of bursts */
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* splitmix64, as a uniform on (0, 1). Steele, Lea & Flood 2014 */
static double uniform(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

/* The share of time to be busy at `elapsed` seconds. */
static double duty(struct thread *thread, double elapsed)
{
    if (strcmp(thread->pattern, "step") == 0)
        return elapsed > thread->seconds / 2;
    if (strcmp(thread->pattern, "sine") == 0)
        return 0.5 - 0.5 * cos(elapsed * 6.283185307179586 / 8);
    if (strcmp(thread->pattern, "bursts") != 0)
        return 0;
    while (elapsed >= thread->switch_at) {
        thread->busy = thread->switch_at > 0 && !thread->busy;
        thread->switch_at -= log(uniform(&thread->random)) * (thread->busy ? 0.5 : 2.0);
    }
    return thread->busy;
}

static void *run(void *argument)
{
    struct thread *thread = argument;
    double elapsed;

    while ((elapsed = now() - thread->begin) < thread->seconds) {
        double share = duty(thread, elapsed), end = now() + SLICE * share;
        while (share > 0 && now() < end)
            ;
        struct timespec rest = {.tv_nsec = (long)(SLICE * (1 - share) * 1e9)};
        nanosleep(&rest, NULL);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct thread threads[THREADS_MAX];
    int count = argc == 5 ? atoi(argv[3]) : 0;

    if (count < 1 || count > THREADS_MAX) {
        fputs("usage: load quiet|step|sine|bursts SECONDS THREADS SEED\n", stderr);
        return 2;
    }
    for (int i = 0; i < count; i++) {
        threads[i] = (struct thread){.pattern = argv[1],
                                     .begin = now(),
                                     .seconds = atof(argv[2]),
                                     .random = strtoull(argv[4], NULL, 10) + (uint64_t)i * 1000003};
        pthread_create(&threads[i].id, NULL, run, &threads[i]);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i].id, NULL);
    return 0;
}
