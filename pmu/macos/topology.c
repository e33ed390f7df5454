/* topology: the kinds of core of a Mac. Performance levels are numbered from the fastest. The system does
 * not say which CPU belongs to which level, so the sets of CPUs stay empty. ABI: sysctl(3), hw.perflevelN. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "pmu/macos/darwin.h"
#include "pmu/counters/counters.h"

static unsigned ask(const char *name)
{
    int value = 0;
    size_t size = sizeof value;
    return lauka_darwin()->sysctlbyname(name, &value, &size, NULL, 0) == 0 && value > 0
               ? (unsigned)value
               : 0;
}

static bool begins_like_another(const struct lauka_topology *topology, size_t level)
{
    for (size_t t = 0; t < topology->type_count; t++)
        if (t != level && toupper((unsigned char)*topology->types[t].pmu) ==
                              toupper((unsigned char)*topology->types[level].pmu))
            return true;
    return false;
}

/* "P" of Performance, "S" of Super; the word itself where two begin alike. Which kinds there are, and
 * in which order, differs between Macs: an M1 has Performance and Efficiency, an M5 Pro Super and
 * Performance. */
static void label(struct lauka_topology *topology, size_t level)
{
    struct lauka_core_type *type = &topology->types[level];
    const size_t room = sizeof type->label;
    if (!*type->pmu)
        snprintf(type->label, room, "L%zu", level);
    else if (begins_like_another(topology, level))
        snprintf(type->label, room, "%.*s", (int)room - 1, type->pmu);
    else
        snprintf(type->label, room, "%c", toupper((unsigned char)*type->pmu));
    for (char *at = type->label; *at; at++)
        if (!isalnum((unsigned char)*at)) /* it becomes a part of names */
            *at = '-';
}

/* Labels are told apart by the level's number, in whatever way the system names them. */
static void tell_apart(struct lauka_topology *topology)
{
    for (size_t t = 0; t < topology->type_count; t++)
        label(topology, t);
    for (size_t t = 1; t < topology->type_count; t++)
        for (size_t before = 0; before < t; before++)
            if (strcmp(topology->types[t].label, topology->types[before].label) == 0)
                snprintf(topology->types[t].label, sizeof topology->types[t].label, "L%zu", t);
}

void lauka_topology_detect(struct lauka_topology *topology)
{
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
        snprintf(name, sizeof name, "hw.perflevel%u.logicalcpu", level);
        type->cpu_count = ask(name);
        snprintf(name, sizeof name, "hw.perflevel%u.name", level);
        if (lauka_darwin()->sysctlbyname(name, type->pmu, &size, NULL, 0) != 0)
            type->pmu[0] = '\0';
    }
    tell_apart(topology);
}
