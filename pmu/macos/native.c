/* native: what can be counted on macOS besides what has portable names. */
#include "pmu/macos/darwin.h"
#include "pmu/apple/apple.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/macos/kperf.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- topology: the kinds of core of a Mac ------------------------------------------------------ */

/* Performance levels are numbered from the fastest. The system does not say which CPU belongs to which level,
 * so the sets of CPUs stay empty. ABI: sysctl(3), hw.perflevelN. */

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
    unsigned levels = (unsigned)lauka_darwin_number("hw.nperflevels");
    *topology = (struct lauka_topology){
        .type_count = 1, .cpu_count = (unsigned)lauka_darwin_number("hw.logicalcpu")};
    topology->types[0].cpu_count = topology->cpu_count;
    if (levels < 2) /* Intel, and systems before the sysctl */
        return;
    topology->type_count = levels < LAUKA_CORE_TYPES_MAX ? levels : LAUKA_CORE_TYPES_MAX;
    for (unsigned level = 0; level < topology->type_count; level++) {
        struct lauka_core_type *type = &topology->types[level];
        char name[64];
        snprintf(name, sizeof name, "hw.perflevel%u.logicalcpu", level);
        type->cpu_count = (unsigned)lauka_darwin_number(name);
        snprintf(name, sizeof name, "hw.perflevel%u.name", level);
        (void)lauka_darwin_text(name, type->pmu, sizeof type->pmu);
    }
    tell_apart(topology);
}

/* ---- native ------------------------------------------------------------------------------------ */

/* Those of the kernel's account that have no portable name, and some that have one. */
const struct lauka_event *lauka_native_events(size_t *count)
{
    static const char *const portable[] = {"cycles", "instructions", "branch_misses"};
    static struct lauka_event events[LAUKA_USAGE_COUNTS + 1];
    size_t usage_count;
    const struct lauka_event *usage = lauka_darwin_usage_events(&usage_count);
    *count = 0;
    for (size_t i = 0; i < sizeof portable / sizeof portable[0]; i++)
        events[(*count)++] = *lauka_event_find(portable[i]);
    for (size_t i = LAUKA_USAGE_INSTRUCTIONS + 1; i < usage_count; i++)
        events[(*count)++] = usage[i];
    return events;
}

/* The live database can be asked without root. */
static bool is_in_database(const char *name)
{
    static struct lauka_kperf_api api;
    struct lauka_kpep kpep;
    struct lauka_kpep_event *found;
    char text[200];
    if (!lauka_kperf_load(&api, text, sizeof text) || lauka_kpep_open(&kpep, &api) != 0)
        return false;
    bool known = api.kpep_db_event(kpep.db, name, &found) == 0;
    lauka_kpep_close(&kpep);
    return known;
}

bool lauka_native_event(const char *asked, struct lauka_event *event, char *name, size_t size)
{
    const struct lauka_event *usage = lauka_darwin_usage_find(asked);
    uint64_t config;
    if (usage && usage->config > LAUKA_USAGE_INSTRUCTIONS) {
        *event = *usage;
        snprintf(name, size, "%s", event->name);
        return true;
    }
    if (lauka_event_find(asked) || lauka_cache_event_parse(asked, &config))
        return false;
    if (!lauka_apple_name(asked, 0) && !is_in_database(asked))
        return false;
    *event = (struct lauka_event){.unit = "1",
                                  .source = "kperf",
                                  .type = LAUKA_TYPE_KPEP,
                                  .better = LAUKA_BETTER_NEITHER,
                                  .description = "an event of this Mac's database"};
    if (name != asked)
        snprintf(name, size, "%s", asked);
    return true;
}

const char *lauka_backend_unsupported(void)
{
    return "this Mac does not tell; run lauka doctor --selftest";
}
