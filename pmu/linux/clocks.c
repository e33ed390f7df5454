/* clocks: how long a run was on each CPU. The kernel keeps a task clock for every CPU, exact to the
 * nanosecond, without a PMU and for every user. The time on a kind of core is the sum over its CPUs. */
#include <errno.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include "pmu/linux/perf_event.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

/* Opening, reading and closing an event costs about 2 us a run. If all cores are of one kind, that is too
 * much for knowing how many of a great many CPUs the run used. */
enum { CLOCKS_OF_ONE_KIND = 64 };

enum { CLOSED = -1, OFFLINE = -2 };

/* User mode only: the clock also runs in the kernel all the same, and every user may read it. */
static const struct lauka_event clock_event = {
    .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .modes = LAUKA_MODES_USER};
static const struct lauka_event migrations_event = {.type = PERF_TYPE_SOFTWARE,
                                                    .config = PERF_COUNT_SW_CPU_MIGRATIONS};

static int close_one(int fd)
{
    if (fd >= 0)
        close(fd);
    return CLOSED;
}

static void choose_cpus(struct lauka_counters *counters)
{
    const struct lauka_topology *topology = &counters->topology;
    unsigned most = topology->type_count > 1 ? (unsigned)LAUKA_CLOCKS_MAX : CLOCKS_OF_ONE_KIND;
    counters->clock_count = 0;
    for (unsigned cpu = 0; cpu < LAUKA_CPUS_MAX; cpu++) {
        if (lauka_topology_type(topology, cpu) == topology->type_count)
            continue;
        if (counters->clock_count == most) {
            counters->clock_count = 0;
            counters->clock_error = ENOBUFS;
            return;
        }
        counters->clock_cpus[counters->clock_count++] = (uint16_t)cpu;
    }
}

void lauka_clocks_open(struct lauka_counters *counters)
{
    counters->held_clock = lauka_perf_event_open(&clock_event, true, LAUKA_PERF_HOLD, -1);
    if (counters->held_clock >= 0)
        choose_cpus(counters);
    else
        counters->clock_error = errno;
    counters->held_migrations =
        lauka_perf_event_open(&migrations_event, false, LAUKA_PERF_HOLD, -1);
    counters->told = (counters->clock_count > 0 ? LAUKA_TOLD_CPU_TIME : 0) |
                     (counters->held_migrations >= 0 ? LAUKA_TOLD_MIGRATIONS : 0);
}

void lauka_clocks_arm(struct lauka_counters *counters)
{
    for (size_t i = 0; i < counters->clock_count; i++) {
        int fd = lauka_perf_event_open_on(&clock_event, true, LAUKA_PERF_COUNT, -1, 0,
                                          counters->clock_cpus[i]);
        counters->clocks[i] = fd < 0 && errno == ENODEV ? OFFLINE : fd;
        if (counters->clocks[i] == CLOSED)
            counters->clock_error = errno;
    }
    if (counters->held_migrations >= 0)
        counters->migrations =
            lauka_perf_event_open(&migrations_event, false, LAUKA_PERF_COUNT, -1);
}

bool lauka_clocks_note(struct lauka_counters *counters)
{
    bool good = true;
    for (size_t i = 0; i < counters->clock_count; i++) {
        errno = 0;
        counters->clocks_before[i] = lauka_perf_event_read(counters->clocks[i]).value;
        good = good && (counters->clocks[i] < 0 || errno == 0);
    }
    errno = 0;
    counters->migrations_before = lauka_perf_event_read(counters->migrations);
    return good && (counters->migrations < 0 || errno == 0);
}

/* False if the clock could not be opened. A clock of a CPU that the run never used has no time at all. */
static bool add_clock(struct lauka_counters *counters, size_t index)
{
    struct lauka_residency *residency = &counters->residency;
    size_t type = lauka_topology_type(&counters->topology, counters->clock_cpus[index]);
    uint64_t before = counters->in_batch ? counters->clocks_before[index] : 0;
    struct lauka_reading reading = lauka_perf_event_read(counters->clocks[index]);
    if (counters->clocks[index] == OFFLINE)
        return true;
    if (counters->clocks[index] < 0 || reading.value < before) {
        counters->noted = false;
        return false;
    }
    counters->clocks_before[index] = reading.value;
    residency->types[type].cpu_ns += reading.value - before;
    residency->cpus_used += reading.value > before;
    return true;
}

void lauka_clocks_collect(struct lauka_counters *counters)
{
    struct lauka_residency *residency = &counters->residency;
    bool known = counters->clock_count > 0;
    lauka_residency_forget(residency);
    for (size_t t = 0; t < counters->topology.type_count; t++)
        residency->types[t].cpu_ns = 0;
    residency->cpus_used = 0;
    for (size_t i = 0; i < counters->clock_count; i++) {
        known = add_clock(counters, i) && known;
    }
    if (!known)
        lauka_residency_forget(residency);
    struct lauka_reading moved = lauka_perf_event_read(counters->migrations);
    if (counters->in_batch) {
        struct lauka_reading now = moved;
        moved = lauka_perf_event_since(&now, &counters->migrations_before);
        counters->migrations_before = now;
    }
    if (moved.running > 0)
        residency->migrations = moved.value;
}

void lauka_clocks_disarm(struct lauka_counters *counters)
{
    for (size_t i = 0; i < counters->clock_count; i++)
        counters->clocks[i] = close_one(counters->clocks[i]);
    counters->migrations = close_one(counters->migrations);
}

void lauka_clocks_close(struct lauka_counters *counters)
{
    counters->held_clock = close_one(counters->held_clock);
    counters->held_migrations = close_one(counters->held_migrations);
    counters->clock_count = 0;
}
