/* topology: the kinds of core of a Mac. Performance levels are numbered from the fastest one; which
 * CPU belongs to which is not told, so the sets of CPUs stay empty. ABI: sysctl(3), hw.perflevelN. */
#include <stdio.h>
#include <string.h>

#include "pmu/darwin.h"

static unsigned ask(const char *name)
{
    int value = 0;
    size_t size = sizeof value;
    return lauka_darwin()->sysctlbyname(name, &value, &size, NULL, 0) == 0 && value > 0 ? (unsigned)value : 0;
}

void lauka_topology_detect(struct lauka_topology *topology)
{
    static const char *const labels[LAUKA_CORE_TYPES_MAX] = {"P", "E", "LP-E", "E3"};
    unsigned levels = ask("hw.nperflevels");
    *topology = (struct lauka_topology){.type_count = 1, .cpu_count = ask("hw.logicalcpu")};
    topology->types[0].cpu_count = topology->cpu_count;
    if (levels < 2) /* Intel, and systems before the sysctl */
        return;
    topology->type_count = levels < LAUKA_CORE_TYPES_MAX ? levels : LAUKA_CORE_TYPES_MAX;
    for (unsigned level = 0; level < topology->type_count; level++) {
        struct lauka_core_type *type = &topology->types[level];
        char name[64];
        size_t size = sizeof type->pmu;
        snprintf(type->label, sizeof type->label, "%s", labels[level]);
        snprintf(name, sizeof name, "hw.perflevel%u.logicalcpu", level);
        type->cpu_count = ask(name);
        snprintf(name, sizeof name, "hw.perflevel%u.name", level);
        if (lauka_darwin()->sysctlbyname(name, type->pmu, &size, NULL, 0) != 0)
            type->pmu[0] = '\0';
    }
}
