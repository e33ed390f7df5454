/* What watching a process costs: the CPU time of one read of all its threads, some of which are busy, and
 * the share of a core that 400 reads a second take. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pmu/threads/threads.h"

#include <stdio.h>

enum { TURNS = 15, READS = 200, READS_PER_SECOND = 400 };

static uint64_t cpu_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void *be_idle(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void *be_busy(void *unused)
{
    for (;;)
        ;
    return unused;
}

static pid_t start(size_t threads, size_t busy)
{
    int ready[2];
    char byte;

    if (pipe(ready) != 0)
        exit(1);
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t thread;
        for (size_t i = 1; i < threads; i++)
            pthread_create(&thread, NULL, i <= busy ? be_busy : be_idle, NULL);
        if (write(ready[1], "", 1) != 1)
            _exit(1);
        be_idle(NULL);
    }
    if (read(ready[0], &byte, 1) != 1)
        exit(1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

/* Reads are 2.5 ms apart, as in practice: busy threads have run in between. */
static double cost_us(struct lauka_threads *threads)
{
    double turns[TURNS];
    struct timespec apart = {0, 1000000000 / READS_PER_SECOND};

    for (size_t t = 0; t < TURNS; t++) {
        uint64_t spent = 0;
        for (int i = 0; i < READS; i++) {
            nanosleep(&apart, NULL);
            uint64_t begin = cpu_ns();
            if (lauka_threads_read(threads) != 0)
                exit(1);
            spent += cpu_ns() - begin;
        }
        turns[t] = (double)spent / 1e3 / (double)READS;
    }
    qsort(turns, TURNS, sizeof *turns, by_size);
    return turns[TURNS / 2];
}

int main(void)
{
    static const size_t counts[][2] = {{1, 0}, {8, 2}, {64, 2}};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct lauka_threads *threads;
        pid_t pid = start(counts[i][0], counts[i][1]);
        if (lauka_threads_open(pid, NULL, 0, &threads) != 0 ||
            lauka_threads_reserve(threads, 2 * counts[i][0]) != 0)
            return 1;
        double us = cost_us(threads);
        printf(
            "threads: a read of %2zu threads, %zu of them busy: %5.1f us; %d reads/s take %.2f %% "
            "of a core%s\n",
            counts[i][0], counts[i][1], us, READS_PER_SECOND, us * (double)READS_PER_SECOND / 1e4,
            counts[i][0] == 8 ? " (goal: less than 1 %)" : "");
        lauka_threads_close(threads);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return 0;
}
