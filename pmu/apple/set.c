/* apple_set: a set of events, by lauka's names or the chip's own, and whether one run can count it. */
#include "pmu/apple/apple.h"
#include "pmu/events/events.h"

#include <stdio.h>
#include <string.h>

/* ---- apple_name: the names that Apple's event databases use for lauka's events ----------------- */

/* A name may have several candidates, best first, because chips and releases differ. What they count is alike,
 * not the same, so the name that was used is shown beside the figures. */

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

/* ---- slots: assigns events to counters, not all of which suit every event ---------------------- */

/* The system's library takes each event's lowest free counter and never moves it again, so there the order
 * decides whether a set fits. Here a set fits whenever any assignment exists. */

struct matching {
    const uint16_t *masks;      /* borrowed */
    int8_t owners[LAUKA_SLOTS]; /* which event has the counter, or LAUKA_SLOT_NONE */
};

/* Finds a counter for the event, moving others if need be, and marks what it looked at. */
static bool augment(struct matching *matching, size_t event, uint16_t *seen)
{
    for (unsigned slot = 0; slot < LAUKA_SLOTS; slot++) {
        uint16_t bit = (uint16_t)(1u << slot);
        if (!(matching->masks[event] & bit) || *seen & bit)
            continue;
        *seen |= bit;
        int8_t owner = matching->owners[slot];
        if (owner == LAUKA_SLOT_NONE || augment(matching, (size_t)owner, seen)) {
            matching->owners[slot] = (int8_t)event;
            return true;
        }
    }
    return false;
}

bool lauka_slots_match(const uint16_t *masks, size_t count, int8_t *slots)
{
    struct matching matching = {.masks = masks};
    size_t placed = 0;

    memset(matching.owners, LAUKA_SLOT_NONE, sizeof matching.owners);
    for (size_t i = 0; i < count; i++) {
        uint16_t seen = 0;
        placed += augment(&matching, i, &seen);
        slots[i] = LAUKA_SLOT_NONE;
    }
    for (unsigned slot = 0; slot < LAUKA_SLOTS; slot++)
        if (matching.owners[slot] != LAUKA_SLOT_NONE)
            slots[matching.owners[slot]] = (int8_t)slot;
    return placed == count;
}

uint32_t lauka_slots_conflict(const uint16_t *masks, size_t count, const int8_t *slots,
                              size_t index, uint16_t *counters)
{
    uint32_t events = (uint32_t)1 << index, before = 0;
    uint16_t wanted = masks[index];

    /* An event that holds a counter which one of the set could use belongs to the set, too. */
    while (events != before) {
        before = events;
        for (size_t i = 0; i < count; i++) {
            if (slots[i] == LAUKA_SLOT_NONE || !(wanted >> slots[i] & 1))
                continue;
            events |= (uint32_t)1 << i;
            wanted |= masks[i];
        }
    }
    *counters = wanted;
    return events;
}

/* ---- Words ---- */

/* "7", "2 to 7", "3, 5" */
static void name_counters(uint16_t mask, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int from = 0; from < LAUKA_SLOTS && used < size; from++) {
        int to = from;
        if (!(mask >> from & 1))
            continue;
        while (to + 1 < LAUKA_SLOTS && mask >> (to + 1) & 1)
            to++;
        used += (size_t)snprintf(text + used, size - used, to > from ? "%s%d to %d" : "%s%d",
                                 used ? ", " : "", from, to);
        from = to;
    }
}

void lauka_apple_counters(uint16_t mask, char *text, size_t size)
{
    char numbers[64];
    bool single = mask && !(mask & (mask - 1));
    name_counters(mask, numbers, sizeof numbers);
    snprintf(text, size, "%s %s", single ? "counter" : "counters", numbers);
}

static void append(char *text, size_t size, const char *word, const char *between)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? between : "", word);
}

/* ---- The set ---- */

static bool resolve(struct lauka_apple_set *set, const struct lauka_apple_chip *chip, size_t index)
{
    const char *candidate;
    char own[LAUKA_EVENT_NAME_SIZE];
    struct lauka_apple_event *event = &set->events[index];

    for (size_t i = 0; (candidate = lauka_apple_name(set->asked[index], i)); i++)
        if (lauka_apple_event_find(chip, candidate, event))
            return true;
    snprintf(own, sizeof own, "%s", set->asked[index]);
    size_t length = strlen(own);
    if (length > 2 && strcmp(own + length - 2, ":u") == 0)
        own[length - 2] = '\0';
    return lauka_apple_event_find(chip, own, event);
}

bool lauka_apple_set_add(struct lauka_apple_set *set, const struct lauka_apple_chip *chip,
                         const char *name)
{
    if (set->count == LAUKA_SLOTS_EVENTS_MAX)
        return false;
    set->asked[set->count] = name;
    if (!resolve(set, chip, set->count))
        return false;
    set->count++;
    return true;
}

static void copy_masks(const struct lauka_apple_set *set, uint16_t *masks)
{
    for (size_t i = 0; i < set->count; i++)
        masks[i] = set->events[i].mask;
}

bool lauka_apple_set_place(struct lauka_apple_set *set)
{
    uint16_t masks[LAUKA_SLOTS_EVENTS_MAX];
    copy_masks(set, masks);
    return lauka_slots_match(masks, set->count, set->slots);
}

/* The event that found no counter, the events that it competes with, and those that failed for the same
 * reason. One bit per event. */
static uint32_t find_conflict(const struct lauka_apple_set *set, size_t index, uint16_t *counters)
{
    uint16_t masks[LAUKA_SLOTS_EVENTS_MAX], others;

    copy_masks(set, masks);
    uint32_t events = lauka_slots_conflict(masks, set->count, set->slots, index, counters), before;
    do {
        before = events;
        for (size_t i = 0; i < set->count; i++) {
            if (set->slots[i] != LAUKA_SLOT_NONE || events >> i & 1)
                continue;
            uint32_t more = lauka_slots_conflict(masks, set->count, set->slots, i, &others);
            if (others & *counters || others == *counters) {
                events |= more;
                *counters |= others;
            }
        }
    } while (events != before);
    return events;
}

/* Returns the events that it names. */
static uint32_t explain_conflict(const struct lauka_apple_set *set, size_t index, char *text,
                                 size_t size)
{
    uint16_t counters;
    uint32_t events = find_conflict(set, index, &counters);
    char room[80], listed[600] = "", few[16] = "one";
    unsigned lacking = 0;

    for (size_t i = 0; i < set->count; i++)
        if (events >> i & 1) {
            append(listed, sizeof listed, set->events[i].name, ", ");
            lacking += set->slots[i] == LAUKA_SLOT_NONE;
        }
    lauka_apple_counters(counters, room, sizeof room);
    if (lacking > 1)
        snprintf(few, sizeof few, "%u", lacking);
    if (counters)
        snprintf(text, size, "%s can have %s only, which is %s too few", listed, room, few);
    else
        snprintf(text, size, "the counters that %s can have are not known here", listed);
    return events;
}

void lauka_apple_set_explain(const struct lauka_apple_set *set, char *text, size_t size)
{
    char fitting[1000] = "", conflict[800] = "", one[800];
    uint32_t told = 0;

    for (size_t i = 0; i < set->count; i++) {
        if (set->slots[i] != LAUKA_SLOT_NONE)
            append(fitting, sizeof fitting, set->asked[i], ",");
        else if (!(told >> i & 1)) {
            told |= explain_conflict(set, i, one, sizeof one);
            append(conflict, sizeof conflict, one, "; ");
        }
    }
    snprintf(text, size, "%s; these fit together: %s", conflict, *fitting ? fitting : "none");
}
