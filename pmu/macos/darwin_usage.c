/* darwin_usage: the kernel's account of a process, for any user, on any Mac. A zombie's account is final;
 * its children are in none of the counts. */
#include "pmu/macos/darwin.h"
#include "pmu/apple/apple.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <errno.h>
#include <string.h>

uint64_t lauka_darwin_number(const char *name)
{
    uint64_t value = 0; /* the kernel fills four or eight bytes; both systems are little-endian */
    size_t size = sizeof value;
    return lauka_darwin()->sysctlbyname(name, &value, &size, NULL, 0) == 0 ? value : 0;
}

int lauka_darwin_text(const char *name, char *text, size_t size)
{
    size_t length = size - 1;
    memset(text, 0, size);
    if (lauka_darwin()->sysctlbyname(name, text, &length, NULL, 0) == 0)
        return 0;
    text[0] = '\0';
    return errno ? errno : ENOENT;
}

bool lauka_darwin_is_translated(void)
{
    return lauka_darwin_number("sysctl.proc_translated") == 1;
}

void lauka_darwin_timebase(uint32_t *numerator, uint32_t *denominator)
{
    uint64_t frequency = lauka_darwin_is_translated() ? lauka_darwin_number("hw.tbfrequency") : 0;
    *numerator = 1000000000;
    *denominator = (uint32_t)frequency;
    if (frequency == 0)
        lauka_darwin()->timebase(numerator, denominator);
}

uint64_t lauka_darwin_ns(uint64_t ticks)
{
    uint32_t numerator = 1, denominator = 1;
    lauka_darwin_timebase(&numerator, &denominator);
    __extension__ typedef unsigned __int128 uint128;
    return (uint64_t)((uint128)ticks * numerator / (denominator ? denominator : 1));
}

#define USAGE(config_, name_, unit_, better_, description_)                                        \
    [config_] = {.name = name_,                                                                    \
                 .unit = unit_,                                                                    \
                 .source = "rusage_info",                                                          \
                 .description = description_,                                                      \
                 .better = LAUKA_BETTER_##better_,                                                 \
                 .type = LAUKA_TYPE_USAGE,                                                         \
                 .config = config_}

static const struct lauka_event events[LAUKA_USAGE_COUNTS] = {
    USAGE(LAUKA_USAGE_CYCLES, "cycles", "1", LOWER, "CPU cycles while the command was running"),
    USAGE(LAUKA_USAGE_INSTRUCTIONS, "instructions", "1", LOWER, "instructions retired"),
    USAGE(LAUKA_USAGE_P_TIME, "p_core_time", "ns", NEITHER, "CPU time on performance cores"),
    USAGE(LAUKA_USAGE_P_CYCLES, "p_core_cycles", "1", NEITHER, "cycles on performance cores"),
    USAGE(LAUKA_USAGE_P_INSTRUCTIONS, "p_core_instructions", "1", NEITHER,
          "instructions retired on performance cores"),
    USAGE(LAUKA_USAGE_ENERGY, "energy", "nJ", LOWER, "energy that the kernel accounts to it"),
    USAGE(LAUKA_USAGE_PEAK_FOOTPRINT, "peak_footprint", "B", LOWER,
          "largest footprint: memory of its own, compressed pages included"),
};

const struct lauka_event *lauka_darwin_usage_events(size_t *count)
{
    *count = LAUKA_USAGE_COUNTS;
    return events;
}

const struct lauka_event *lauka_darwin_usage_find(const char *name)
{
    for (size_t i = 0; i < LAUKA_USAGE_COUNTS; i++)
        if (lauka_same_name(events[i].name, name))
            return &events[i];
    return NULL;
}

int lauka_darwin_usage_read(int pid, struct lauka_darwin_usage *usage)
{
    for (int flavor = 6; flavor >= 4; flavor--) {
        memset(usage, 0, sizeof *usage);
        if (lauka_darwin()->proc_pid_rusage(pid, flavor, &usage->info) == 0) {
            usage->flavor = flavor;
            return 0;
        }
        if (errno != EINVAL) /* an older system does not know the newer flavors */
            return errno;
    }
    return ENOTSUP;
}

void lauka_darwin_usage_since(struct lauka_darwin_usage *usage,
                              const struct lauka_darwin_usage *before)
{
    struct lauka_rusage_info *now = &usage->info;
    const struct lauka_rusage_info *then = &before->info;

    now->user_time -= then->user_time;
    now->system_time -= then->system_time;
    now->cycles -= then->cycles;
    now->instructions -= then->instructions;
    now->user_ptime -= then->user_ptime;
    now->system_ptime -= then->system_ptime;
    now->pcycles -= then->pcycles;
    now->pinstructions -= then->pinstructions;
    now->energy_nj -= then->energy_nj;
}

bool lauka_darwin_usage_has_children(const struct lauka_darwin_usage *usage)
{
    const struct lauka_rusage_info *info = &usage->info;
    return info->child_elapsed_abstime || info->child_user_time || info->child_system_time;
}

uint64_t lauka_darwin_usage_cpu_ns(const struct lauka_darwin_usage *usage)
{
    return lauka_darwin_ns(usage->info.user_time + usage->info.system_time);
}

/* Machines without performance levels of their own leave them at 0. */
static bool has_levels(const struct lauka_darwin_usage *usage)
{
    return usage->flavor >= 6 && (usage->info.pcycles || usage->info.energy_nj);
}

void lauka_darwin_usage_residency(const struct lauka_darwin_usage *usage, size_t levels,
                                  struct lauka_residency *residency)
{
    const struct lauka_rusage_info *info = &usage->info;
    lauka_residency_forget(residency);
    if (!has_levels(usage))
        return;
    uint64_t user_ns = lauka_darwin_ns(info->user_ptime);
    uint64_t system_ns = lauka_darwin_ns(info->system_ptime);
    residency->types[0] = (struct lauka_core_usage){user_ns + system_ns, user_ns, system_ns,
                                                    info->pcycles, info->pinstructions};
    if (levels != 2) /* what is left is the sum of all others */
        return;
    user_ns = lauka_darwin_ns(info->user_time - info->user_ptime);
    system_ns = lauka_darwin_ns(info->system_time - info->system_ptime);
    residency->types[1] = (struct lauka_core_usage){user_ns + system_ns, user_ns, system_ns,
                                                    info->cycles - info->pcycles,
                                                    info->instructions - info->pinstructions};
}

/* Virtual machines, and flavors without an account, have 0. */
bool lauka_darwin_usage_value(const struct lauka_darwin_usage *usage, uint64_t config,
                              uint64_t *value)
{
    const struct lauka_rusage_info *info = &usage->info;
    const uint64_t values[LAUKA_USAGE_COUNTS] = {
        [LAUKA_USAGE_CYCLES] = info->cycles,
        [LAUKA_USAGE_INSTRUCTIONS] = info->instructions,
        [LAUKA_USAGE_P_TIME] = lauka_darwin_ns(info->user_ptime + info->system_ptime),
        [LAUKA_USAGE_P_CYCLES] = info->pcycles,
        [LAUKA_USAGE_P_INSTRUCTIONS] = info->pinstructions,
        [LAUKA_USAGE_ENERGY] = info->energy_nj,
        [LAUKA_USAGE_PEAK_FOOTPRINT] = info->lifetime_max_phys_footprint};
    bool of_levels = config == LAUKA_USAGE_P_TIME || config == LAUKA_USAGE_P_CYCLES ||
                     config == LAUKA_USAGE_P_INSTRUCTIONS;

    *value = config < LAUKA_USAGE_COUNTS ? values[config] : 0;
    return of_levels ? has_levels(usage) : *value > 0;
}

/* ---- which of Apple's chips this is --------------------------------------------------------------- */

const struct lauka_apple_chip *lauka_native_chip(void)
{
    return lauka_apple_chip_of((uint32_t)lauka_darwin_number("hw.cpufamily"));
}
