/* topology: the kinds of core of this machine, from sysfs. */
#include "pmu/counters/counters.h"

void lauka_topology_detect(struct lauka_topology *topology)
{
    lauka_topology_read("/sys", topology);
}
