/* topology: which kinds of core there are, and which CPUs belong to each. Cores are of different kinds if
 * the kernel has a PMU for each of several sets of CPUs (cpu_core and cpu_atom, armv8_cortex_a53 ...), or
 * if their capacities, or else their highest frequencies, lie far apart. The PMU's name says which are the
 * performance cores; if it does not, the same numbers decide. ABI: sysfs-bus-event_source-devices,
 * sysfs-devices-system-cpu. */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- residency: how long a run was on which kind of core --------------------------------------- */

/* The backends collect what the systems say; this evaluates it. */

_Static_assert(LAUKA_UNKNOWN == UINT64_MAX, "all bits set");

void lauka_residency_forget(struct lauka_residency *residency)
{
    memset(residency, 0xff, sizeof *residency);
}

uint64_t lauka_residency_total_ns(const struct lauka_residency *residency, size_t type_count)
{
    uint64_t total = 0;
    for (size_t t = 0; t < type_count; t++) {
        if (residency->types[t].cpu_ns == LAUKA_UNKNOWN)
            return LAUKA_UNKNOWN;
        total += residency->types[t].cpu_ns;
    }
    return total;
}

double lauka_residency_share(const struct lauka_residency *residency, size_t type_count,
                             size_t type)
{
    uint64_t total = lauka_residency_total_ns(residency, type_count);
    if (total == LAUKA_UNKNOWN || total == 0)
        return -1;
    return (double)residency->types[type].cpu_ns / (double)total;
}

void lauka_residency_verify(struct lauka_residency *residency,
                            const struct lauka_counters *counters, uint64_t cpu_ns)
{
    enum { SLACK_NS = 500000 }; /* CPU time before exec and after the clocks' end */
    uint64_t total = lauka_residency_total_ns(residency, counters->topology.type_count);
    if (total != LAUKA_UNKNOWN && counters->started_cpu_ns + total + total + SLACK_NS < cpu_ns)
        lauka_residency_forget(residency);
}

/* ---- cpu set ----------------------------------------------------------------------------------- */

/* cpu_set: sets of CPUs, and the lists in which people and the kernel write them: "0-3,8". */

enum { BITS = 64 };

void lauka_cpu_set_add(struct lauka_cpu_set *set, unsigned cpu)
{
    if (cpu < LAUKA_CPUS_MAX)
        set->words[cpu / BITS] |= UINT64_C(1) << cpu % BITS;
}

bool lauka_cpu_set_has(const struct lauka_cpu_set *set, unsigned cpu)
{
    return cpu < LAUKA_CPUS_MAX && (set->words[cpu / BITS] >> cpu % BITS & 1);
}

unsigned lauka_cpu_set_count(const struct lauka_cpu_set *set)
{
    unsigned count = 0;
    for (unsigned i = 0; i < LAUKA_CPUS_MAX / BITS; i++)
        for (uint64_t word = set->words[i]; word != 0; word &= word - 1)
            count++;
    return count;
}

void lauka_cpu_set_join(struct lauka_cpu_set *set, const struct lauka_cpu_set *other)
{
    for (unsigned i = 0; i < LAUKA_CPUS_MAX / BITS; i++)
        set->words[i] |= other->words[i];
}

void lauka_cpu_set_remove(struct lauka_cpu_set *set, const struct lauka_cpu_set *other)
{
    for (unsigned i = 0; i < LAUKA_CPUS_MAX / BITS; i++)
        set->words[i] &= ~other->words[i];
}

/* Reads a number below LAUKA_CPUS_MAX at *text and moves *text behind it. */
static bool take_number(const char **text, unsigned *number)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    unsigned long value = strtoul(*text, &end, 10);
    *text = end;
    *number = (unsigned)value;
    return value < LAUKA_CPUS_MAX;
}

bool lauka_cpu_set_parse(const char *list, struct lauka_cpu_set *set)
{
    struct lauka_cpu_set parsed = {0};
    const char *at = list;
    for (;;) {
        unsigned first, last;
        if (!take_number(&at, &first))
            return false;
        last = first;
        if (*at == '-' && (at++, !take_number(&at, &last) || last < first))
            return false;
        for (unsigned cpu = first; cpu <= last; cpu++)
            lauka_cpu_set_add(&parsed, cpu);
        if (*at != ',')
            break;
        at++;
    }
    if (*at)
        return false;
    *set = parsed;
    return true;
}

void lauka_cpu_set_format(const struct lauka_cpu_set *set, char *text, size_t size)
{
    size_t used = 0;
    if (size > 0)
        text[0] = '\0';
    for (unsigned cpu = 0; cpu < LAUKA_CPUS_MAX && used < size; cpu++) {
        if (!lauka_cpu_set_has(set, cpu))
            continue;
        unsigned first = cpu;
        while (lauka_cpu_set_has(set, cpu + 1))
            cpu++;
        const char *comma = used > 0 ? "," : "";
        int length = first == cpu
                         ? snprintf(text + used, size - used, "%s%u", comma, first)
                         : snprintf(text + used, size - used, "%s%u-%u", comma, first, cpu);
        used += length > 0 ? (size_t)length : 0;
    }
}

/* ---- topology ---------------------------------------------------------------------------------- */

#define CPUS "devices/system/cpu"
#define PMUS "bus/event_source/devices"

/* Favoured cores of one kind differ by a few per cent. */
static const double kind_gap = 0.9;

/* ---- CPUs and their speed --------------------------------------------------------------------- */

/* A number that the system gives for a CPU; 0 if it gives none. */
static double read_number(const char *root, unsigned cpu, const char *file)
{
    char path[128], text[64];
    snprintf(path, sizeof path, CPUS "/cpu%u/%s", cpu, file);
    return lauka_sysfs_read(root, path, text, sizeof text) ? (double)strtoull(text, NULL, 10) : 0;
}

/* In order of trust. acpi_cppc/highest_perf is not among them: on AMD it ranks cores of one kind, from 47
 * down to 33 in a Ryzen AI Max+ 395. */
static const char *const measures[] = {"cpu_capacity", "cpufreq/cpuinfo_max_freq"};

/* The fastest CPU of a set, by one measure. */
static double speed_of(const char *root, const struct lauka_cpu_set *cpus, const char *measure)
{
    double fastest = 0;
    for (unsigned cpu = 0; cpu < LAUKA_CPUS_MAX; cpu++) {
        double speed = lauka_cpu_set_has(cpus, cpu) ? read_number(root, cpu, measure) : 0;
        fastest = speed > fastest ? speed : fastest;
    }
    return fastest;
}

static void read_online(const char *root, struct lauka_cpu_set *online)
{
    char text[1024];
    *online = (struct lauka_cpu_set){0};
    if (!lauka_sysfs_read(root, CPUS "/online", text, sizeof text) ||
        !lauka_cpu_set_parse(text, online))
        lauka_cpu_set_add(online, 0);
}

/* ---- One kind for each PMU of cores ----------------------------------------------------------- */

static void read_pmu(const char *root, const char *pmu, struct lauka_topology *topology)
{
    char path[300], text[1024];
    struct lauka_core_type type = {0};
    snprintf(path, sizeof path, PMUS "/%s/cpus", pmu);
    if (topology->type_count == LAUKA_CORE_TYPES_MAX || strlen(pmu) >= sizeof type.pmu ||
        !lauka_sysfs_read(root, path, text, sizeof text) || !lauka_cpu_set_parse(text, &type.cpus))
        return;
    snprintf(path, sizeof path, PMUS "/%s/type", pmu);
    if (!lauka_sysfs_read(root, path, text, sizeof text))
        return;
    strcpy(type.pmu, pmu);
    type.pmu_type = (uint32_t)strtoul(text, NULL, 10);
    topology->types[topology->type_count++] = type;
}

static void read_pmus(const char *root, struct lauka_topology *topology)
{
    char **pmus = lauka_sysfs_list(root, PMUS);
    for (char **pmu = pmus; pmu && *pmu; pmu++)
        read_pmu(root, *pmu, topology);
    lauka_sysfs_free(pmus);
}

/* Whether the label was found in the name. */
static bool label_by_name(struct lauka_core_type *type)
{
    static const struct {
        const char *part, *label;
    } names[] = {
        {"lowpower", "LP-E"}, {"cpu_core", "P"}, {"cpu_atom", "E"},
        {"firestorm", "P"},   {"icestorm", "E"}, {"avalanche", "P"},
        {"blizzard", "E"},    {"everest", "P"},  {"sawtooth", "E"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strstr(type->pmu, names[i].part)) {
            strcpy(type->label, names[i].label);
            return true;
        }
    return false;
}

/* ---- One kind for each speed ------------------------------------------------------------------ */

struct cpu_speed {
    unsigned cpu;
    double speed;
};

static int by_speed(const void *a, const void *b)
{
    const struct cpu_speed *left = a, *right = b;
    if (left->speed != right->speed)
        return left->speed < right->speed ? 1 : -1;
    return left->cpu < right->cpu ? -1 : left->cpu > right->cpu;
}

/* Returns how many there are; 0 if some CPU has no value, and most machines have none for any. */
static size_t read_speeds(const char *root, const struct lauka_cpu_set *online, const char *measure,
                          struct cpu_speed speeds[LAUKA_CPUS_MAX])
{
    size_t count = 0;

    for (unsigned cpu = 0; cpu < LAUKA_CPUS_MAX; cpu++) {
        if (!lauka_cpu_set_has(online, cpu))
            continue;
        speeds[count] = (struct cpu_speed){cpu, read_number(root, cpu, measure)};
        if (speeds[count++].speed <= 0)
            return 0;
    }
    return count;
}

/* Fills the kinds by one measure; none if some CPU has no value, one if all are alike. */
static void divide(const char *root, const struct lauka_cpu_set *online, const char *measure,
                   struct lauka_topology *topology)
{
    static struct cpu_speed speeds[LAUKA_CPUS_MAX];
    size_t count = read_speeds(root, online, measure, speeds);
    double fastest = 0;

    topology->type_count = 0;
    qsort(speeds, count, sizeof *speeds, by_speed);
    for (size_t i = 0; i < count; i++) {
        bool apart = topology->type_count == 0 || speeds[i].speed < kind_gap * fastest;
        if (apart && topology->type_count < LAUKA_CORE_TYPES_MAX) {
            topology->types[topology->type_count++] = (struct lauka_core_type){0};
            fastest = speeds[i].speed;
        }
        lauka_cpu_set_add(&topology->types[topology->type_count - 1].cpus, speeds[i].cpu);
    }
}

static void divide_by_speed(const char *root, const struct lauka_cpu_set *online,
                            struct lauka_topology *topology)
{
    for (size_t m = 0; m < sizeof measures / sizeof measures[0]; m++) {
        divide(root, online, measures[m], topology);
        if (topology->type_count > 1)
            return;
    }
    topology->types[0] = (struct lauka_core_type){.cpus = *online};
    topology->type_count = 1;
}

/* ---- Order and labels ------------------------------------------------------------------------- */

/* The first measure by which the kinds differ; NULL if none tells them apart. */
static const char *telling_measure(const char *root, const struct lauka_topology *topology)
{
    for (size_t m = 0; m < sizeof measures / sizeof measures[0]; m++) {
        double least = 0, most = 0;
        for (size_t t = 0; t < topology->type_count; t++) {
            double speed = speed_of(root, &topology->types[t].cpus, measures[m]);
            least = t == 0 || speed < least ? speed : least;
            most = speed > most ? speed : most;
        }
        if (least > 0 && least < kind_gap * most)
            return measures[m];
    }
    return NULL;
}

static int label_rank(const char *label)
{
    static const char *const ranks[] = {"P", "M", "E", "LP-E"};
    for (int i = 0; i < 4; i++)
        if (strcmp(label, ranks[i]) == 0)
            return i;
    return 4;
}

/* Sorts the fastest first. There are few, and an insertion sort keeps the kernel's order of equals. */
static void sort_types(const char *root, struct lauka_topology *topology, const char *measure)
{
    struct lauka_core_type *types = topology->types;
    for (size_t i = 1; i < topology->type_count; i++)
        for (size_t j = i; j > 0; j--) {
            bool later = measure ? speed_of(root, &types[j].cpus, measure) >
                                       speed_of(root, &types[j - 1].cpus, measure)
                                 : label_rank(types[j].label) < label_rank(types[j - 1].label);
            if (!later)
                break;
            struct lauka_core_type moved = types[j];
            types[j] = types[j - 1];
            types[j - 1] = moved;
        }
}

/* A PMU's name without the architecture: cortex_a53 of armv8_cortex_a53, pmuv3_0 of armv8_pmuv3_0. A name
 * whose rest has no '_' is kept whole: the rest could be a number, or P. */
static const char *short_name(const char *pmu)
{
    size_t digits = strncmp(pmu, "armv", 4) == 0 ? strspn(pmu + 4, "0123456789") : 0;
    const char *rest = digits > 0 && pmu[4 + digits] == '_' ? pmu + 4 + digits + 1 : pmu;
    return strchr(rest, '_') ? rest : pmu;
}

static bool are_unique(const struct lauka_topology *topology)
{
    for (size_t t = 1; t < topology->type_count; t++)
        for (size_t u = 0; u < t; u++)
            if (strcmp(topology->types[t].label, topology->types[u].label) == 0)
                return false;
    return true;
}

/* Names are cut at their beginning, because they differ at their end. */
static void label_by_pmu(struct lauka_core_type *type, bool whole)
{
    snprintf(type->label, sizeof type->label, "%s", whole ? type->pmu : short_name(type->pmu));
}

/* Whether the kind and the one after it are equally fast. */
static bool is_level(const char *root, const struct lauka_core_type *type, const char *measure)
{
    double faster = measure ? speed_of(root, &type[0].cpus, measure) : 0;
    return !measure || speed_of(root, &type[1].cpus, measure) >= kind_gap * faster;
}

/* In order of speed: the fastest kind is P, the slowest E, and those between are M and M2. Equally fast
 * kinds have no faster one, so they are named after their PMUs. */
static void label_by_rank(const char *root, struct lauka_topology *topology, const char *measure)
{
    bool apart = topology->types[0].pmu[0] == '\0'; /* they were divided by speed */
    size_t last = topology->type_count - 1;
    for (size_t t = 0; t <= last; t++) {
        struct lauka_core_type *type = &topology->types[t];
        bool level = !apart && ((t > 0 && is_level(root, type - 1, measure)) ||
                                (t < last && is_level(root, type, measure)));
        if (level)
            label_by_pmu(type, false);
        else
            strcpy(type->label, t == 0 ? "P" : t == last ? "E" : t == 1 ? "M" : "M2");
    }
}

static void label_types(const char *root, struct lauka_topology *topology)
{
    bool named = topology->types[0].pmu[0] != '\0';
    for (size_t t = 0; t < topology->type_count; t++)
        named = named && label_by_name(&topology->types[t]);
    if (named && are_unique(topology)) {
        sort_types(root, topology, NULL);
        return;
    }
    const char *measure = telling_measure(root, topology);
    if (measure)
        sort_types(root, topology, measure);
    label_by_rank(root, topology, measure);
    bool unique = are_unique(topology);
    for (size_t t = 0; t < topology->type_count && !unique; t++)
        label_by_pmu(&topology->types[t], true);
}

void lauka_topology_read(const char *root, struct lauka_topology *topology)
{
    struct lauka_cpu_set online;
    *topology = (struct lauka_topology){0};
    read_online(root, &online);
    topology->cpu_count = lauka_cpu_set_count(&online);
    read_pmus(root, topology);
    if (topology->type_count < 2)
        divide_by_speed(root, &online, topology);
    if (topology->type_count > 1)
        label_types(root, topology);
    for (size_t t = 0; t < topology->type_count; t++)
        topology->types[t].cpu_count = lauka_cpu_set_count(&topology->types[t].cpus);
}

size_t lauka_topology_count_pmus(const struct lauka_topology *topology)
{
    size_t count = 0;
    for (size_t t = 0; t < topology->type_count; t++)
        count += topology->types[t].pmu_type != 0;
    return count;
}

size_t lauka_topology_type(const struct lauka_topology *topology, unsigned cpu)
{
    size_t t = 0;
    while (t < topology->type_count && !lauka_cpu_set_has(&topology->types[t].cpus, cpu))
        t++;
    return t;
}

bool lauka_core_type_is(const struct lauka_core_type *type, const char *label)
{
    return strcmp(type->label, label) == 0 ||
           (strcmp(label, "E") == 0 && strcmp(type->label, "LP-E") == 0);
}

bool lauka_topology_find(const struct lauka_topology *topology, const char *label,
                         struct lauka_cpu_set *cpus)
{
    bool found = false;
    *cpus = (struct lauka_cpu_set){0};
    for (size_t t = 0; topology->type_count > 1 && t < topology->type_count; t++) {
        if (!lauka_core_type_is(&topology->types[t], label))
            continue;
        lauka_cpu_set_join(cpus, &topology->types[t].cpus);
        found = true;
    }
    return found;
}
