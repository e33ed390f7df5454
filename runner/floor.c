/* What measuring itself costs: the wall time of a program that does nothing, and the clock. */
#include "runner/doctor.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void read_clock(struct lauka_floor *floor)
{
    enum { READINGS = 2000 };
    struct timespec resolution;
    uint64_t begin = lauka_now_ns(), end = begin;

    if (clock_getres(CLOCK_MONOTONIC, &resolution) == 0)
        floor->clock_resolution_ns =
            (uint64_t)resolution.tv_sec * 1000000000u + (uint64_t)resolution.tv_nsec;
    for (int i = 0; i < READINGS; i++)
        end = lauka_now_ns();
    floor->clock_cost_ns = (double)(end - begin) / (double)READINGS;
}

/* 0, and no times, where the program cannot be run here. */
static bool run_floor(struct lauka_launcher *launcher, size_t runs, struct lauka_series *times,
                      struct lauka_error *error)
{
    struct lauka_sample sample;

    for (size_t i = 0; i < runs && !lauka_interrupt_signal(); i++) {
        if (!lauka_launcher_run(launcher, 0, &sample, error))
            return false;
        if (sample.outcome != LAUKA_EXITED || sample.code != 0)
            return true;
        lauka_series_add(times, sample.usage.values[LAUKA_WALL_TIME]);
    }
    return true;
}

static bool add_program(struct lauka_launcher *launcher, char *path, struct lauka_error *error)
{
    char *argv[] = {path, NULL};
    struct lauka_command command;
    bool good = lauka_command_from_argv(argv, 1, &command, error);

    if (good) {
        command.path = strdup(path);
        good = command.path ? lauka_launcher_add(launcher, &command, error)
                            : lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
    }
    lauka_command_done(&command);
    return good;
}

bool lauka_floor_measure(struct lauka_launcher *launcher, size_t runs, struct lauka_floor *floor,
                         struct lauka_error *error)
{
    char path[64];
    int handle;
    struct lauka_series times = {0};
    struct lauka_summary summary;

    *floor = (struct lauka_floor){0};
    read_clock(floor);
    if (lauka_floor_open(path, sizeof path, &handle) != 0)
        return true;
    bool good = lauka_series_reserve(&times, runs) == 0
                    ? add_program(launcher, path, error) && run_floor(launcher, runs, &times, error)
                    : lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
    if (good && times.count > 0 && lauka_summarize(&times, &summary) == 0) {
        floor->spawn_median_ns = (uint64_t)summary.median;
        floor->spawn_least_ns = summary.min;
    }
    lauka_series_done(&times);
    lauka_floor_close(handle);
    return good;
}
