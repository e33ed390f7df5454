/* What measuring itself costs: the wall time of a program that does nothing, and the clock. */
#include "runner/machine/machine.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "stats/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_clock(struct lauka_floor *floor, size_t times)
{
    uint64_t begin = lauka_now_ns(), end = begin;

    floor->clock_resolution_ns = lauka_clock_resolution_ns();
    for (size_t i = 0; i < times; i++)
        end = lauka_now_ns();
    floor->clock_cost_ns = (double)(end - begin) / (double)times;
}

enum { AT_ONCE = 8, CLOCK_READINGS = 10 }; /* for each run */

/* 0, without times, if the program cannot be run here. */
static bool run_floor(struct lauka_launcher *launcher, size_t number, size_t runs,
                      struct lauka_series *times, struct lauka_error *error)
{
    struct lauka_sample samples[AT_ONCE];
    struct lauka_launch launches[AT_ONCE];
    size_t done;

    for (size_t i = 0; i < AT_ONCE; i++)
        launches[i] = (struct lauka_launch){.command = number, .sample = &samples[i]};
    while (times->count < runs && !lauka_interrupt_signal()) {
        size_t left = runs - times->count;
        if (!lauka_launcher_run_all(launcher, launches, left < AT_ONCE ? left : AT_ONCE, &done,
                                    error))
            return false;
        for (size_t i = 0; i < done; i++) {
            if (samples[i].outcome != LAUKA_EXITED || samples[i].code != 0 || samples[i].stopped)
                return true;
            lauka_series_add(times, samples[i].usage.values[LAUKA_WALL_TIME]);
        }
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
        good =
            command.path ? lauka_launcher_add(launcher, &command, error) : lauka_fail_memory(error);
    }
    lauka_command_done(&command);
    return good;
}

bool lauka_floor_measure(struct lauka_launcher *launcher, size_t runs, struct lauka_floor *floor,
                         struct lauka_error *error)
{
    const size_t number = lauka_launcher_count_commands(launcher);
    char path[64];
    int handle;
    struct lauka_series times = {0};
    struct lauka_summary summary;

    *floor = (struct lauka_floor){0};
    read_clock(floor, CLOCK_READINGS * runs);
    if (lauka_floor_open(path, sizeof path, &handle) != 0)
        return true;
    bool good =
        lauka_series_reserve(&times, runs) == 0
            ? add_program(launcher, path, error) && run_floor(launcher, number, runs, &times, error)
            : lauka_fail_memory(error);
    if (good && times.count > 0 && lauka_summarize(&times, &summary) == 0) {
        floor->spawn_median_ns = (uint64_t)summary.median;
        floor->spawn_least_ns = summary.min;
    }
    lauka_series_done(&times);
    lauka_floor_close(handle);
    return good;
}

/* ---- beside a result ------------------------------------------------------------------------------- */

enum { NOTE_RUNS = 4, NOTEWORTHY_NS = 20000000 };

/* As many as there were rounds, if those were few: more of them would take longer than the session itself, and the
 * minimum of many is not to be held against that of few. */
static size_t runs_for(const struct lauka_result *result)
{
    return result->run.rounds < NOTE_RUNS ? (size_t)result->run.rounds : NOTE_RUNS;
}

/* 0: not known. */
static uint64_t least_wall_time(const struct lauka_result *result, size_t command)
{
    size_t metric = lauka_result_metric_index(result, "wall_time");
    const struct lauka_result_command *own = &result->commands[command];
    uint64_t least = UINT64_MAX;

    if (metric == result->metric_count || result->run.rounds == 0)
        return 0;
    if (own->streams)
        return own->streams[metric].moments.min;
    for (size_t i = 0; i < own->series[metric].count; i++)
        if (lauka_series_at(&own->series[metric], i) < least) /* LAUKA_MISSING is the largest */
            least = lauka_series_at(&own->series[metric], i);
    return least < UINT64_MAX ? least : 0;
}

static bool is_near(uint64_t wall_ns, const struct lauka_floor *floor)
{
    return wall_ns > 0 && floor->spawn_least_ns >= wall_ns / 4;
}

/* The command of whose time starting is the largest share; commands: of how many it is a substantial part. */
static size_t find_nearest(const struct lauka_result *result, const struct lauka_floor *floor,
                           size_t *commands)
{
    size_t nearest = 0;
    uint64_t nearest_ns = UINT64_MAX;

    *commands = 0;
    for (size_t c = 0; c < result->command_count; c++) {
        uint64_t own = least_wall_time(result, c);
        *commands += is_near(own, floor);
        if (own > 0 && own < nearest_ns) {
            nearest = c;
            nearest_ns = own;
        }
    }
    return nearest;
}

static int note(const struct lauka_floor *floor, struct lauka_result *result)
{
    struct lauka_scale scale = lauka_scale_for((double)floor->spawn_least_ns, "ns", true);
    char text[700], time[40], others[80] = "", runs[60] = "in one run";
    size_t count, nearest = find_nearest(result, floor, &count);

    if (count == 0)
        return 0;
    if (count > 1)
        snprintf(others, sizeof others, ", and a quarter or more of that of %zu other%s", count - 1,
                 count == 2 ? "" : "s");
    if (runs_for(result) > 1)
        snprintf(runs, sizeof runs, "the minimum of %zu runs", runs_for(result));
    double share = 100 * (double)floor->spawn_least_ns / (double)least_wall_time(result, nearest);
    snprintf(
        text, sizeof text,
        "starting and reaping an empty program takes %s %s here, %s: about "
        "%.0f %% of the minimum wall time of `%.200s`%s; the resolution of the clock is %llu ns",
        lauka_format_scaled((double)floor->spawn_least_ns, scale, time, sizeof time), scale.suffix,
        runs, share, result->commands[nearest].label, others,
        (unsigned long long)floor->clock_resolution_ns);
    return lauka_result_warn(result, text);
}

int lauka_floor_note(struct lauka_launcher *launcher, struct lauka_result *result)
{
    struct lauka_error ignored; /* what cannot be measured is not told */
    struct lauka_floor floor;
    bool is_short = false;

    for (size_t c = 0; c < result->command_count; c++) {
        uint64_t least = least_wall_time(result, c);
        is_short |= least > 0 && least < NOTEWORTHY_NS;
    }
    if (!is_short || lauka_interrupt_signal() ||
        !lauka_floor_measure(launcher, runs_for(result), &floor, &ignored) ||
        floor.spawn_least_ns == 0)
        return 0;
    return note(&floor, result);
}
