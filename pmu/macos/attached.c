/* attached on macOS, whose counters count whole runs only. */
#include "pmu/counters/counters.h"

#include <string.h>

bool lauka_counters_can_attach(void)
{
    return false;
}

void lauka_counters_attach(struct lauka_counters *counters, pid_t pid)
{
    (void)counters;
    (void)pid;
}

void lauka_counters_begin_stretch(struct lauka_counters *counters)
{
    (void)counters;
}

void lauka_counters_end_stretch(struct lauka_counters *counters, struct lauka_reading *readings)
{
    memset(readings, 0, counters->count * sizeof *readings);
}

void lauka_counters_detach(struct lauka_counters *counters)
{
    (void)counters;
}
