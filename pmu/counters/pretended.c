/* pretended: every event from a seed. The goldens compare reports byte for byte on every platform, so this
 * uses integer arithmetic only: the last bit of libm's functions differs between systems. */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 int128;

static const char *const scenario_names[] = {
    [LAUKA_SCENARIO_FULL] = "full",           [LAUKA_SCENARIO_NO_PMU] = "no-pmu",
    [LAUKA_SCENARIO_DENIED] = "denied",       [LAUKA_SCENARIO_MULTIPLEXED] = "multiplexed",
    [LAUKA_SCENARIO_USER_ONLY] = "user-only", [LAUKA_SCENARIO_HYBRID] = "hybrid",
    [LAUKA_SCENARIO_APART] = "hybrid-apart",  [LAUKA_SCENARIO_ALIKE] = "hybrid-alike",
    [LAUKA_SCENARIO_EFFECTS] = "effects",
};

/* What the pretended program costs as command 0, by the config of the hardware events. Any other event
 * costs OTHER_EVENT. */
static const uint64_t hardware_costs[] = {
    27000000, /* cycles: 3 GHz for the CPU time below */
    54000000, /* instructions */
    400000,   /* cache references */
    80000,    /* cache misses */
    9000000,  /* branches */
    120000,   /* branch misses */
};
enum { OTHER_EVENT = 50000, BACKEND_STALLS = 8 };
enum { WALL_NS = 10000000, USER_NS = 7500000, SYSTEM_NS = 1500000 };
enum { RSS_PAGES = 620, PAGE = 4096, FAULTS = 260 };

/* Deviations, in millionths. */
enum { TIME_NOISE = 10000, COUNT_NOISE = 3000, INSTRUCTION_NOISE = 200, MEMORY_NOISE = 5000 };

/* splitmix64's output function (Steele, Lea & Flood 2014): a hash of 64 bits. */
static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Nearly normal around 0 with a deviation of 2^16: it sums twelve uniforms of 16 bits, whose
 * variance is 2^32 / 12 each. */
static int64_t noise(uint64_t key)
{
    int64_t sum = 0;
    for (int word = 0; word < 3; word++) {
        key = mix(key);
        for (int shift = 0; shift < 64; shift += 16)
            sum += (int64_t)(key >> shift & 0xffff) - 0x8000;
    }
    return sum;
}

/* The amount with a deviation given in millionths. */
static uint64_t vary(uint64_t amount, uint64_t key, int64_t millionths)
{
    int128 change = (int128)amount * noise(key) * millionths / 65536 / 1000000;
    return (uint64_t)((int128)amount + change);
}

/* Command k takes 5 k % more. */
static uint64_t slower(uint64_t amount, size_t command)
{
    return amount + amount / 20 * command;
}

/* One round in 32 waits for something else: its wall time, and nothing else, is 20 ... 69 % longer. */
static uint64_t spike(uint64_t wall, uint64_t key)
{
    uint64_t hash = mix(key);
    return hash % 32 == 0 ? wall + wall / 100 * (20 + hash / 32 % 50) : wall;
}

/* A failing scenario is FAILING + 64 * errno + position. */
enum { EVERY_POSITION = 63 };

enum lauka_scenario lauka_scenario_failing(int error, unsigned position)
{
    return (enum lauka_scenario)(LAUKA_SCENARIO_FAILING + 64 * error + (int)position);
}

/* "EBUSY-2" or "EBUSY" */
static bool parse_failure(const char *text, enum lauka_scenario *scenario)
{
    char name[16];
    size_t length = strcspn(text, "-");
    unsigned long position = EVERY_POSITION;
    if (length >= sizeof name)
        return false;
    memcpy(name, text, length);
    name[length] = '\0';
    if (text[length]) {
        char *end;
        position = strtoul(text + length + 1, &end, 10);
        if (end == text + length + 1 || *end || position >= LAUKA_EVENTS_MAX)
            return false;
    }
    int error = lauka_refusal_number(name);
    *scenario = error ? lauka_scenario_failing(error, (unsigned)position) : *scenario;
    return error != 0;
}

/* "multiplexed-8" */
static bool parse_counters(const char *text, enum lauka_scenario *scenario)
{
    char *end;
    unsigned long counters = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || counters < 2 || counters > LAUKA_EVENTS_MAX)
        return false;
    *scenario = (enum lauka_scenario)(LAUKA_SCENARIO_COUNTERS + (int)counters);
    return true;
}

/* The number of hardware events that fit at a time; 0: all. */
static size_t count_counters(enum lauka_scenario scenario)
{
    if (scenario == LAUKA_SCENARIO_MULTIPLEXED)
        return 3;
    return (int)scenario > LAUKA_SCENARIO_COUNTERS && (int)scenario < LAUKA_SCENARIO_FAILING
               ? (size_t)scenario - LAUKA_SCENARIO_COUNTERS
               : 0;
}

bool lauka_scenario_parse(const char *name, enum lauka_scenario *scenario)
{
    for (size_t i = 0; i < sizeof scenario_names / sizeof scenario_names[0]; i++) {
        if (strcmp(name, scenario_names[i]) == 0) {
            *scenario = (enum lauka_scenario)i;
            return true;
        }
    }
    if (strncmp(name, "multiplexed-", 12) == 0)
        return parse_counters(name + 12, scenario);
    return strncmp(name, "fail-", 5) == 0 && parse_failure(name + 5, scenario);
}

static int refusal(enum lauka_scenario scenario, const struct lauka_event *event, size_t position)
{
    if ((int)scenario >= LAUKA_SCENARIO_FAILING) {
        int code = (int)scenario - LAUKA_SCENARIO_FAILING;
        return code % 64 == EVERY_POSITION || (size_t)(code % 64) == position ? code / 64 : 0;
    }
    if (!lauka_event_is_hardware(event))
        return 0;
    if (event->core == 2 && event->type == LAUKA_TYPE_HARDWARE &&
        (uint32_t)event->config == BACKEND_STALLS)
        return ENOENT; /* as on some efficiency cores */
    if (scenario == LAUKA_SCENARIO_USER_ONLY)
        return event->modes == LAUKA_MODES_KERNEL ? EACCES : 0;
    return scenario == LAUKA_SCENARIO_NO_PMU   ? ENOENT
           : scenario == LAUKA_SCENARIO_DENIED ? EACCES
                                               : 0;
}

/* Groups fill sets of this many events; a group that does not fit opens the next set. */
static void make_sets(struct lauka_counters *counters, size_t most)
{
    size_t used = 0, sizes[LAUKA_COUNTERS_MAX] = {0};
    for (size_t i = 0; i < counters->count; i++)
        sizes[counters->leaders[i]] += lauka_event_is_hardware(counters->events[i]);
    for (size_t i = 0; i < counters->count; i++) {
        if (sizes[i] == 0)
            continue;
        if (used + sizes[i] > most) {
            counters->set_count++;
            used = 0;
        }
        used += sizes[i];
        for (size_t j = 0; j < counters->count; j++)
            if (counters->leaders[j] == i)
                counters->sets[j] = (uint8_t)(counters->set_count - 1);
    }
}

static bool is_hybrid(enum lauka_scenario scenario)
{
    return scenario == LAUKA_SCENARIO_HYBRID || scenario == LAUKA_SCENARIO_APART ||
           scenario == LAUKA_SCENARIO_ALIKE;
}

/* Four cores of either kind, or of one. */
static void pretend_topology(enum lauka_scenario scenario, struct lauka_topology *topology)
{
    static const struct lauka_core_type kinds[] = {
        {.label = "P", .pmu = "simulated_p", .pmu_type = 100, .cpu_count = 4, .cpus = {{0x0f}}},
        {.label = "E", .pmu = "simulated_e", .pmu_type = 101, .cpu_count = 4, .cpus = {{0xf0}}},
    };
    if (is_hybrid(scenario)) {
        *topology = (struct lauka_topology){.type_count = 2, .cpu_count = 8};
        memcpy(topology->types, kinds, sizeof kinds);
        for (size_t t = 0; t < 2 && scenario == LAUKA_SCENARIO_ALIKE; t++)
            snprintf(topology->types[t].label, LAUKA_CORE_LABEL_SIZE, "pmuv3_%zu", t);
        return;
    }
    *topology = (struct lauka_topology){.type_count = 1, .cpu_count = 4};
    topology->types[0].cpu_count = 4;
    topology->types[0].cpus = kinds[0].cpus;
}

void lauka_pretended_open(struct lauka_counters *counters, enum lauka_scenario scenario,
                          const struct lauka_event *events, size_t count)
{
    lauka_counters_prepare(counters, events, count);
    pretend_topology(scenario, &counters->topology);
    lauka_counters_split(counters);
    for (size_t i = 0; i < counters->count; i++)
        counters->errors[i] = refusal(scenario, counters->events[i], i);
    lauka_counters_settle(counters);
    counters->user_only = scenario == LAUKA_SCENARIO_USER_ONLY;
    if (scenario != LAUKA_SCENARIO_DENIED)
        counters->told = LAUKA_TOLD_CPU_TIME | LAUKA_TOLD_MIGRATIONS;
    lauka_counters_pair(counters);
    if (count_counters(scenario) > 0)
        make_sets(counters, count_counters(scenario));
}

static void pretend_usage(uint64_t key, size_t command, uint64_t *values)
{
    /* All times share one pace: a slow round is slow in each. Whole microseconds, as in rusage. */
    uint64_t pace = mix(key);
    uint64_t user_ns = vary(slower(USER_NS, command), pace, TIME_NOISE) / 1000 * 1000;
    uint64_t system_ns = vary(slower(SYSTEM_NS, command), pace, TIME_NOISE) / 1000 * 1000;
    uint64_t wall_ns = vary(slower(WALL_NS, command), pace, TIME_NOISE);

    values[LAUKA_WALL_TIME] = spike(wall_ns, key + 1);
    values[LAUKA_USER_TIME] = user_ns;
    values[LAUKA_SYSTEM_TIME] = system_ns;
    values[LAUKA_CPU_TIME] = user_ns + system_ns;
    values[LAUKA_PEAK_RSS] = vary(RSS_PAGES, mix(key + 2), MEMORY_NOISE) * PAGE;
    values[LAUKA_MINOR_FAULTS] = vary(FAULTS, mix(key + 3), MEMORY_NOISE);
    values[LAUKA_MAJOR_FAULTS] = 0;
    values[LAUKA_CONTEXT_SWITCHES] = 1 + mix(key + 4) % 3;
}

/* The share of the time on performance cores, in thousandths. */
static uint64_t part_on_p(enum lauka_scenario scenario, size_t command, uint64_t key)
{
    if (scenario == LAUKA_SCENARIO_APART || scenario == LAUKA_SCENARIO_ALIKE)
        return command == 0 ? 1000 : 0;
    return 898 + mix(key + 5) % 5;
}

static void pretend_residency(struct lauka_counters *counters, enum lauka_scenario scenario,
                              size_t command, uint64_t key, uint64_t cpu_ns)
{
    struct lauka_residency *residency = &counters->residency;
    lauka_residency_forget(residency);
    if (!(counters->told & LAUKA_TOLD_CPU_TIME))
        return;
    uint64_t on_p_ns =
        is_hybrid(scenario) ? cpu_ns / 1000 * part_on_p(scenario, command, key) : cpu_ns;
    residency->types[0].cpu_ns = on_p_ns;
    if (is_hybrid(scenario))
        residency->types[1].cpu_ns = cpu_ns - on_p_ns;
    residency->migrations = mix(key + 6) % 3;
    residency->cpus_used = 1 + (residency->migrations > 0);
}

static uint64_t pretend_count(const struct lauka_event *event, uint64_t key, size_t command)
{
    static const uint64_t known = sizeof hardware_costs / sizeof hardware_costs[0];
    bool generic = event->type == LAUKA_TYPE_HARDWARE && event->config < known;
    uint64_t amount = slower(generic ? hardware_costs[event->config] : OTHER_EVENT, command);
    bool instructions = event->type == LAUKA_TYPE_HARDWARE && event->config == 1;
    return vary(amount, key, instructions ? INSTRUCTION_NOISE : COUNT_NOISE);
}

/* For a part: the share that belongs to the time on its kind of core. */
static struct lauka_reading pretend_reading(const struct lauka_counters *counters, size_t index,
                                            uint64_t count, uint64_t cpu_ns, bool shares)
{
    const struct lauka_event *event = counters->events[index];
    if (event->core > 0) {
        uint64_t there_ns = counters->residency.types[event->core - 1].cpu_ns;
        return (struct lauka_reading){(uint64_t)((int128)count * there_ns / cpu_ns), cpu_ns,
                                      there_ns};
    }
    if (shares && lauka_event_is_hardware(event))
        return (struct lauka_reading){count / 5 * 3, cpu_ns, cpu_ns / 5 * 3};
    return (struct lauka_reading){count, cpu_ns, cpu_ns};
}

void lauka_pretended_run(struct lauka_counters *counters, enum lauka_scenario scenario,
                         uint64_t seed, size_t command, uint64_t round, struct lauka_usage *usage,
                         struct lauka_reading *readings)
{
    uint64_t key = mix(mix(mix(seed) + command) + round);
    bool shares = counters->turn == LAUKA_ALL_SETS && counters->set_count > 1;
    pretend_usage(key, command, usage->values);
    uint64_t cpu_ns = usage->values[LAUKA_CPU_TIME];
    pretend_residency(counters, scenario, command, key, cpu_ns);

    for (size_t i = 0; i < counters->count; i++) {
        size_t whole = counters->wholes[i];
        uint64_t count = pretend_count(counters->events[whole], mix(key + 16 + whole), command);
        readings[i] = (struct lauka_reading){0};
        if (counters->errors[i] == 0 && !counters->sums[i] && lauka_counters_has_turn(counters, i))
            readings[i] = pretend_reading(counters, i, count, cpu_ns, shares);
    }
    lauka_counters_add_up(counters, readings);
}
