/* batch: events that several runs share. They are open in the launcher, disabled, and every process that
 * it starts inherits them. They count from execve on, and what they had counted before a run is
 * subtracted. At a context switch the kernel may exchange the events of two processes, instead of stopping
 * and starting them, if both inherited all their events from the same ancestor
 * (perf_event_context_sched_out). The launcher is such an ancestor: its own events would end with a
 * command. The kernel does not do so if one of the ancestor's events is not inherited. Every held event is
 * like that (struct lauka_counters); there is one of each kind, because kernels before 6.2 keep software
 * and hardware events apart. */
#include "pmu/linux/perf_event.h"
#include "pmu/counters/counters.h"

#include <stdlib.h>
#include <sys/utsname.h>

/* If kinds of core have their own counters, kernels before 6.2 were not tried. */
static bool is_tried(const struct lauka_counters *counters)
{
    struct utsname about;
    char *end;
    if (!counters->core_kinds)
        return true;
    if (uname(&about) != 0)
        return false;
    unsigned long major = strtoul(about.release, &end, 10);
    return major > 6 || (major == 6 && *end == '.' && strtoul(end + 1, NULL, 10) >= 2);
}

static bool is_complete(const struct lauka_counters *counters)
{
    for (size_t i = 0; i < counters->clock_count; i++)
        if (counters->clocks[i] == -1)
            return false;
    return counters->run_error == 0 && (counters->held_migrations < 0 || counters->migrations >= 0);
}

void lauka_counters_batch_begin(struct lauka_counters *counters)
{
    if (counters->in_batch || counters->batches_fail || !lauka_counters_arms(counters) ||
        !is_tried(counters))
        return;
    lauka_perf_event_arm(counters);
    counters->noted = false;
    if (is_complete(counters))
        counters->in_batch = true;
    else
        lauka_perf_event_disarm(counters); /* each run tells what is wrong */
}

/* What every event has counted so far. After a run that left no process behind, this equals what was read
 * at its end. False if one cannot be read. */
static bool note(struct lauka_counters *counters)
{
    size_t failed;
    counters->noted = lauka_clocks_note(counters) &&
                      lauka_perf_event_read_all(counters, counters->before, &failed) == 0;
    return counters->noted;
}

void lauka_counters_batch_run(struct lauka_counters *counters)
{
    if (!counters->in_batch)
        return;
    counters->run_error = 0;
    counters->started_cpu_ns = 0;
    if (!counters->noted && !note(counters))
        lauka_counters_batch_end(counters);
}

void lauka_counters_batch_disturb(struct lauka_counters *counters)
{
    counters->noted = false;
}

void lauka_counters_batch_end(struct lauka_counters *counters)
{
    if (counters->in_batch)
        lauka_perf_event_disarm(counters);
}
