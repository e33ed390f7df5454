/* Keeping the commands on some CPUs, and lauka itself off them. */
#include "runner/machine/machine.h"
#include "pmu/counters/counters.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/launch/launch.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static bool cannot(struct lauka_error *error, const char *pin, const struct lauka_cpu_set *own,
                   int reason)
{
    char list[200];

    if (reason == ENOTSUP)
        return lauka_fail(error, LAUKA_EXIT_HOST,
                          "--pin %.100s: this system does not let a program choose its CPUs; leave "
                          "it out",
                          pin);
    lauka_cpu_set_format(own, list, sizeof list);
    return lauka_fail(error, LAUKA_EXIT_HOST,
                      "--pin %.100s: not all of these CPUs may be used here; choose from %s", pin,
                      list);
}

bool lauka_pin_find(const char *pin, const struct lauka_topology *topology,
                    struct lauka_cpu_set *cpus, struct lauka_error *error)
{
    return lauka_cpu_set_parse(pin, cpus) || lauka_find_cores(topology, "--pin", pin, cpus, error);
}

/* The kernel drops CPUs that are offline or in other cpusets from the request, and refuses if none is
 * left. */
static int ask_for(const struct lauka_cpu_set *cpus, const struct lauka_cpu_set *own,
                   struct lauka_cpu_set *got)
{
    int reason = lauka_affinity_set(0, cpus);

    if (!reason) {
        reason = lauka_affinity_get(0, got);
        lauka_affinity_set(0, own);
    }
    return reason;
}

/* Tries whether the kernel gives a process exactly these CPUs. */
static int try_cpus(const struct lauka_cpu_set *cpus, const struct lauka_cpu_set *own)
{
    struct lauka_cpu_set got;
    int reason = ask_for(cpus, own, &got);

    return !reason && memcmp(&got, cpus, sizeof got) != 0 ? EINVAL : reason;
}

bool lauka_pin_limit(const char *pin, struct lauka_cpu_set *cpus, struct lauka_error *error)
{
    struct lauka_cpu_set own, got, ignored;
    char list[200];
    int reason = lauka_affinity_get(0, &own);

    if (lauka_cpu_set_parse(pin, &ignored)) /* who names CPUs wants all of them */
        return true;
    if (!reason)
        reason = ask_for(cpus, &own, &got);
    if (!reason)
        *cpus = got;
    if (reason != EINVAL)
        return !reason || cannot(error, pin, &own, reason);
    lauka_cpu_set_format(cpus, list, sizeof list);
    return lauka_fail(
        error, LAUKA_EXIT_HOST,
        "--pin %.50s: none of these cores (CPUs %s) may be used here; bring one online, "
        "or add it to the cpuset",
        pin, list);
}

static bool warn_that_they_share(const char *pin, struct lauka_result *result,
                                 struct lauka_error *error)
{
    return lauka_result_note(result,
                             "--pin %.100s leaves no CPU for lauka itself, which then shares one "
                             "with the commands; leave one out",
                             pin) == 0 ||
           lauka_fail_memory(error);
}

bool lauka_pin(const char *pin, struct lauka_cpu_set *cpus, struct lauka_launcher *launcher,
               struct lauka_result *result, struct lauka_error *error)
{
    struct lauka_cpu_set own, others;
    int reason = lauka_affinity_get(0, &own);

    if (!lauka_pin_limit(pin, cpus, error))
        return false;
    if (!reason)
        reason = try_cpus(cpus, &own);
    if (reason)
        return cannot(error, pin, &own, reason);
    others = own;
    lauka_cpu_set_remove(&others, cpus);
    if (lauka_cpu_set_count(&others) > 0)
        lauka_affinity_set(0, &others);
    lauka_launcher_pin(launcher, cpus, &others);
    return lauka_cpu_set_count(&others) > 0 || warn_that_they_share(pin, result, error);
}

/* ---- --quiet-machine: what lauka itself may do against disturbance ----------------------------- */

/* It changes only its own processes, so there is nothing to undo when they end, however they end. */

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
    char where[300];
    bool given = options->measure.pin != NULL, divided = !given && divide(&cpus);
    int refused = try_priority();

    if (divided) {
        lauka_cpu_set_format(&cpus, options->measure.quiet_pin, sizeof options->measure.quiet_pin);
        options->measure.pin = options->measure.quiet_pin;
    }
    if (!refused)
        lauka_launcher_prioritise(launcher, PRIORITY);
    if (options->measure.pin)
        snprintf(where, sizeof where, "all commands ran on CPU%s %.200s%s",
                 options->measure.pin[strspn(options->measure.pin, "0123456789")] ? "s" : "",
                 options->measure.pin, given ? ", as --pin says" : ", lauka on the others");
    else
        snprintf(where, sizeof where, "no CPU could be set aside for lauka");
    return lauka_result_note(result, "--quiet-machine: %s; %s%s%s", where,
                             refused ? "their priority could not be raised ("
                                     : "their priority was raised",
                             refused ? strerror(refused) : "", refused ? "; root may)" : "") == 0 ||
           lauka_fail_memory(error);
}
