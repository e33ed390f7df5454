/* apple_name: the names that Apple's event databases use for lauka's events. A name may have several
 * candidates, best first, because chips and releases differ. What they count is alike, not the same, so
 * the name that was used is shown beside the figures. */
#include "pmu/apple/apple.h"
#include "pmu/events/events.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *database;
} names[] = {
    {"cycles", "FIXED_CYCLES"},
    {"instructions", "FIXED_INSTRUCTIONS"},
    {"cycles:u", "CORE_ACTIVE_CYCLE"},
    {"instructions:u", "INST_ALL"},
    {"branches", "INST_BRANCH"},
    {"branch_misses", "BRANCH_MISPRED_NONSPEC"},
    {"stalled_cycles_frontend", "ARM_STALL_FRONTEND"},
    {"stalled_cycles_frontend", "MAP_DISPATCH_BUBBLE"},
    {"stalled_cycles_backend", "ARM_STALL_BACKEND"},
    {"stalled_cycles_backend", "MAP_STALL_DISPATCH"},
    {"stall_cycles", "MAP_STALL"},
    {"uops_retired", "RETIRE_UOP"},
    {"l1d_loads", "ARM_L1D_CACHE_RD"},
    {"l1d_load_misses", "L1D_CACHE_MISS_LD"},
    {"l1d_store_misses", "L1D_CACHE_MISS_ST"},
    {"l1d_load_misses_retired", "L1D_CACHE_MISS_LD_NONSPEC"},
    {"l1d_store_misses_retired", "L1D_CACHE_MISS_ST_NONSPEC"},
    {"l1d_writebacks", "L1D_CACHE_WRITEBACK"},
    {"l1i_load_misses", "L1I_CACHE_MISS_DEMAND"},
    {"l2_cache_misses", "PL2_CACHE_MISS"},
    {"dtlb_loads", "L1D_TLB_ACCESS"},
    {"dtlb_load_misses", "L1D_TLB_MISS"},
    {"dtlb_load_misses_retired", "L1D_TLB_MISS_NONSPEC"},
    {"itlb_load_misses", "L1I_TLB_MISS_DEMAND"},
    {"l2_tlb_misses", "L2_TLB_MISS_DATA"},
    {"l2_tlb_misses_instruction", "L2_TLB_MISS_INSTRUCTION"},
    {"page_walks_data", "MMU_TABLE_WALK_DATA"},
    {"page_walks_instruction", "MMU_TABLE_WALK_INSTRUCTION"},
    {"unaligned", "LDST_X64_UOP"},
    {"dispatch_stalls", "MAP_STALL_DISPATCH"}, /* on every chip, unlike the stalls of the backend */
};

/* Synonyms that mperf and other tools use; cache events have enough spellings of their own. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    {"l1d_cache_load_misses_retired", "l1d_load_misses_retired"},
    {"l1d_cache_store_misses_retired", "l1d_store_misses_retired"},
    {"l1d_cache_writebacks", "l1d_writebacks"},
    {"l1d_tlb_misses_retired", "dtlb_load_misses_retired"},
    {"l2_tlb_misses_data", "l2_tlb_misses"},
    {"map_stalls", "stall_cycles"},
    {"page_walks", "page_walks_data"},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The table's spelling of a name, without its mode; at most LAUKA_EVENT_NAME_SIZE is copied. */
static void spell(const char *name, char *plain)
{
    uint64_t config;
    snprintf(plain, LAUKA_EVENT_NAME_SIZE, "%s", name);
    for (size_t i = 0; i < COUNT(aliases); i++)
        if (lauka_same_name(aliases[i].alias, plain))
            snprintf(plain, LAUKA_EVENT_NAME_SIZE, "%s", aliases[i].name);
    const struct lauka_event *known = lauka_event_find(plain);
    if (known)
        snprintf(plain, LAUKA_EVENT_NAME_SIZE, "%s", known->name);
    else if (lauka_cache_event_parse(plain, &config))
        lauka_cache_event_name(config, plain, LAUKA_EVENT_NAME_SIZE);
}

/* Cycles and instructions in user mode are events of their own; for other events the mark can be dropped. */
static void normalize(const char *name, char *plain)
{
    char text[LAUKA_EVENT_NAME_SIZE];
    snprintf(text, sizeof text, "%s", name);
    size_t length = strlen(text);
    bool marked = length > 2 && strcmp(text + length - 2, ":u") == 0;
    if (marked)
        text[length - 2] = '\0';
    spell(text, plain);
    if (marked && (strcmp(plain, "cycles") == 0 || strcmp(plain, "instructions") == 0))
        strcat(plain, ":u");
}

const char *lauka_apple_name(const char *name, size_t candidate)
{
    char plain[LAUKA_EVENT_NAME_SIZE];
    normalize(name, plain);
    for (size_t i = 0; i < COUNT(names); i++)
        if (lauka_same_name(names[i].name, plain) && candidate-- == 0)
            return names[i].database;
    return NULL;
}

const char *lauka_apple_portable(const char *name)
{
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(names[i].database, name) == 0)
            return names[i].name;
    return NULL;
}

const char *lauka_apple_pair(size_t index, const char **name)
{
    if (index >= COUNT(names))
        return NULL;
    *name = names[index].name;
    return names[index].database;
}
