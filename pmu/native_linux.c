/* native: what only this system counts. On Linux the portable events and those of sysfs are all. */
#include "pmu.h"

const struct lauka_event *lauka_native_events(size_t *count)
{
    return lauka_default_events(count);
}

bool lauka_native_event(const char *asked, struct lauka_event *event, char *name, size_t size)
{
    (void)asked;
    (void)event;
    (void)name;
    (void)size;
    return false;
}
