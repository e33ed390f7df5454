/* What the shell itself costs, if commands run in one: measured, shown, and never subtracted, because a
 * difference of two noisy times is not a time. */
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 10 };

static int ascending(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* An empty command; false where it cannot be run, or was interrupted. */
static bool run_empty(struct lauka_launcher *launcher, size_t number, uint64_t *wall_ns,
                      struct lauka_error *error)
{
    struct lauka_sample sample;

    if (!lauka_launcher_run(launcher, number, &sample, error) || lauka_interrupt_signal() ||
        sample.outcome != LAUKA_EXITED)
        return false;
    *wall_ns = sample.usage.values[LAUKA_WALL_TIME];
    return true;
}

static int note(struct lauka_result *result, const char *shell, uint64_t ns)
{
    struct lauka_scale scale = lauka_scale_for((double)ns, "ns", true);
    char text[400], time[40];

    snprintf(
        text, sizeof text,
        "commands run in a shell: `%.100s -c :` alone took %s %s (median of %d runs), which is a "
        "part of every run and was not subtracted",
        shell, lauka_format_scaled((double)ns, scale, time, sizeof time), scale.suffix, RUNS);
    return lauka_result_warn(result, text);
}

int lauka_shell_cost_note(const struct lauka_options *options, struct lauka_launcher *launcher,
                          struct lauka_result *result)
{
    size_t number = lauka_launcher_count_commands(launcher);
    struct lauka_command empty;
    struct lauka_error ignored; /* a shell that cannot do nothing is told of by its first command */
    uint64_t times[RUNS];

    if (!lauka_command_for_shell(options->arena, options->shell, ":", &empty, &ignored))
        return 0;
    empty.is_hook = true;
    bool good =
        lauka_command_locate(&empty, &ignored) && lauka_launcher_add(launcher, &empty, &ignored);
    for (int i = 0; good && i < RUNS; i++)
        good = run_empty(launcher, number, &times[i], &ignored);
    if (!good)
        return 0;
    qsort(times, RUNS, sizeof *times, ascending);
    return note(result, options->shell, (times[RUNS / 2 - 1] + times[RUNS / 2]) / 2);
}
