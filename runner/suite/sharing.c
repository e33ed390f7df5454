/* One CPU for lauka and the benchmarks that it asks in turn. Only one of the three works at a time, yet the kernel wakes
 * each on a CPU that is idle: both ways of a question then wake a CPU that sleeps, which takes 60 us in a virtual
 * machine, and 10 times less on one CPU.
 *
 * What is measured keeps its CPUs: a process is told where to wake up, and may go anywhere again before lauka lets go of
 * that CPU. Whoever has started threads or processes is left alone, as they inherit the CPUs of whoever starts them: if the
 * kernel lets the process go before lauka, that would be the one. So are machines with several kinds of core, where the
 * kernel knows better which one suits the work. */
#include "runner/suite/suite.h"
#include "pmu/counters/counters.h"

#include <string.h>

static bool is_same(const struct lauka_cpu_set *one, const struct lauka_cpu_set *other)
{
    return memcmp(one, other, sizeof *one) == 0;
}

/* Whether the process may be on the CPU, and is where it was put, or wherever lauka is. */
static bool suits(const struct lauka_sharing *sharing, pid_t pid, unsigned cpu)
{
    struct lauka_cpu_set own;

    return lauka_affinity_get(pid, &own) == 0 && lauka_cpu_set_has(&own, cpu) &&
           (is_same(&own, &sharing->before) || lauka_cpu_set_count(&own) == 1);
}

void lauka_sharing_begin(struct lauka_sharing *sharing, const struct lauka_topology *topology,
                         const pid_t *pids, size_t count)
{
    unsigned cpu = 0, ignored;

    *sharing = (struct lauka_sharing){.on = false};
    if (topology->type_count != 1 || lauka_affinity_get(0, &sharing->before) != 0 ||
        lauka_cpu_set_count(&sharing->before) < 2)
        return;
    for (size_t i = 0; i < count; i++)
        if (!lauka_affinity_is_lone(pids[i], i == 0 ? &cpu : &ignored) ||
            !suits(sharing, pids[i], cpu))
            return;
    lauka_cpu_set_add(&sharing->cpu, cpu);
    sharing->on =
        lauka_cpu_set_has(&sharing->before, cpu) && lauka_affinity_set(0, &sharing->cpu) == 0;
}

/* It may have chosen its CPUs since. */
void lauka_sharing_lead(struct lauka_sharing *sharing, pid_t pid)
{
    struct lauka_cpu_set own;

    sharing->leads = sharing->on && lauka_affinity_get(pid, &own) == 0 &&
                     is_same(&own, &sharing->before) && lauka_affinity_set(pid, &sharing->cpu) == 0;
}

void lauka_sharing_let_go(struct lauka_sharing *sharing, pid_t pid)
{
    if (sharing->leads)
        lauka_affinity_set(pid, &sharing->before);
    sharing->leads = false;
}

void lauka_sharing_end(struct lauka_sharing *sharing)
{
    if (sharing->on)
        lauka_affinity_set(0, &sharing->before);
    sharing->on = false;
}
