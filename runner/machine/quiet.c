/* --quiet-machine: what lauka itself may do against disturbance. It changes only its own processes, so
 * there is nothing to undo when they end, however they end. */
#include "runner/machine/machine.h"
#include "pmu/counters/counters.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/launch/launch.h"
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define PRIORITY (-10)

/* The first core is for lauka and everything that the system does there; the others are for the commands.
 * False if there are no others. */
static bool divide(struct lauka_cpu_set *cpus)
{
    struct lauka_cpu_set first = {0};
    unsigned cpu = 0;

    if (lauka_affinity_get(0, cpus) != 0)
        return false;
    while (cpu < LAUKA_CPUS_MAX && !lauka_cpu_set_has(cpus, cpu))
        cpu++;
    lauka_cpu_siblings(cpu, &first);
    lauka_cpu_set_remove(cpus, &first);
    return lauka_cpu_set_count(cpus) > 0;
}

/* 0, or why commands cannot get a higher priority; then nothing has changed. */
static int try_priority(void)
{
    errno = 0;
    int own = getpriority(PRIO_PROCESS, 0);

    if (setpriority(PRIO_PROCESS, 0, PRIORITY) != 0)
        return errno;
    setpriority(PRIO_PROCESS, 0, own);
    return 0;
}

bool lauka_quiet(struct lauka_options *options, struct lauka_launcher *launcher,
                 struct lauka_result *result, struct lauka_error *error)
{
    struct lauka_cpu_set cpus;
    char text[500], where[300];
    bool given = options->pin != NULL, divided = !given && divide(&cpus);
    int refused = try_priority();

    if (divided) {
        lauka_cpu_set_format(&cpus, options->quiet_pin, sizeof options->quiet_pin);
        options->pin = options->quiet_pin;
    }
    if (!refused)
        lauka_launcher_prioritise(launcher, PRIORITY);
    if (options->pin)
        snprintf(where, sizeof where, "all commands ran on CPU%s %.200s%s",
                 options->pin[strspn(options->pin, "0123456789")] ? "s" : "", options->pin,
                 given ? ", as --pin says" : ", lauka on the others");
    else
        snprintf(where, sizeof where, "no CPU could be set aside for lauka");
    snprintf(text, sizeof text, "--quiet-machine: %s; %s%s%s", where,
             refused ? "their priority could not be raised (" : "their priority was raised",
             refused ? strerror(refused) : "", refused ? "; root may)" : "");
    return lauka_result_warn(result, text) == 0 || lauka_fail_memory(error);
}
