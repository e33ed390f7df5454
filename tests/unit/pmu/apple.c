/* Apple's chips: their events, and how sets of events are placed on their counters. The tests decide
 * whether a set fits by Hall's condition (1935), which shares nothing with the search for an assignment. */
#include <stdlib.h>
#include <string.h>

#include "pmu/apple/apple.h"
#include "tests/unit/expect.h"

enum { SET_MAX = 13, TRIALS = 400 };

static uint64_t seed = 20260101;

static unsigned below(unsigned limit) /* splitmix64; Steele, Lea & Flood 2014 */
{
    uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (unsigned)((z ^ (z >> 31)) % limit);
}

static unsigned ones(unsigned mask)
{
    unsigned count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

/* Hall's condition: every subset of the events can use at least as many counters as it has members.
 * only: a mask of the events to consider. */
static bool hall(const uint16_t *masks, size_t count, uint32_t only)
{
    for (uint32_t subset = 1; subset < (uint32_t)1 << count; subset++) {
        unsigned wanted = 0;
        if (subset & ~only)
            continue;
        for (size_t i = 0; i < count; i++)
            wanted |= subset >> i & 1 ? masks[i] : 0u;
        if (ones(wanted) < ones(subset))
            return false;
    }
    return true;
}

/* Applies the rule of the system's library: each event, in the order of addition, gets the lowest free
 * counter. */
static bool first_fit(const uint16_t *masks, const size_t *order, size_t count)
{
    unsigned taken = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned room = masks[order[i]] & ~taken;
        if (!room)
            return false;
        taken |= room & (0u - room);
    }
    return true;
}

static bool fits_in_order_of_slots(const uint16_t *masks, const int8_t *slots, size_t count)
{
    size_t order[SET_MAX], used = 0;
    for (int slot = 0; slot < LAUKA_SLOTS; slot++)
        for (size_t i = 0; i < count; i++)
            if (slots[i] == slot)
                order[used++] = i;
    return used == count && first_fit(masks, order, count);
}

static bool slots_are_valid(const uint16_t *masks, const int8_t *slots, size_t count)
{
    unsigned taken = 0;
    for (size_t i = 0; i < count; i++) {
        if (slots[i] == LAUKA_SLOT_NONE)
            continue;
        unsigned bit = 1u << slots[i];
        if (taken & bit || !(masks[i] & bit))
            return false;
        taken |= bit;
    }
    return true;
}

/* Whether each event that does not fit is explained by a minimal set: the set does not fit, but fits
 * without any one of its members. */
static bool conflict_is_minimal(const uint16_t *masks, const int8_t *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t counters;
        if (slots[i] != LAUKA_SLOT_NONE)
            continue;
        uint32_t events = lauka_slots_conflict(masks, count, slots, i, &counters);
        if (!(events >> i & 1) || hall(masks, count, events) || ones(events) != ones(counters) + 1)
            return false;
        for (size_t j = 0; j < count; j++)
            if (events >> j & 1 && !hall(masks, count, events & ~((uint32_t)1 << j)))
                return false;
    }
    return true;
}

static bool set_is_placed_right(const uint16_t *masks, size_t count)
{
    int8_t slots[LAUKA_SLOTS_EVENTS_MAX];
    uint32_t proposed = 0;
    bool placed = lauka_slots_match(masks, count, slots);
    for (size_t i = 0; i < count; i++)
        proposed |= slots[i] != LAUKA_SLOT_NONE ? (uint32_t)1 << i : 0;
    return placed == hall(masks, count, (1u << count) - 1) &&
           slots_are_valid(masks, slots, count) && hall(masks, count, proposed) &&
           conflict_is_minimal(masks, slots, count) &&
           (!placed || fits_in_order_of_slots(masks, slots, count));
}

static size_t count_events(const struct lauka_apple_chip *chip)
{
    struct lauka_apple_event event;
    size_t count = 0;
    while (lauka_apple_event(chip, count, &event))
        count++;
    return count;
}

static void sets_of_every_chip_are_placed_exactly_where_they_fit(void)
{
    size_t chip_count, failures = 0, placed = 0;
    const struct lauka_apple_chip *chips = lauka_apple_chips(&chip_count);
    for (size_t c = 0; c < chip_count; c++) {
        unsigned events = (unsigned)count_events(&chips[c]);
        for (int trial = 0; trial < TRIALS; trial++) {
            uint16_t masks[SET_MAX];
            int8_t slots[LAUKA_SLOTS_EVENTS_MAX];
            size_t count = 1 + below(SET_MAX - 2);
            for (size_t i = 0; i < count; i++) {
                struct lauka_apple_event event;
                lauka_apple_event(&chips[c], below(events), &event);
                masks[i] = event.mask;
            }
            failures += !set_is_placed_right(masks, count);
            placed += lauka_slots_match(masks, count, slots);
        }
    }
    EXPECT(failures == 0);
    EXPECT(placed > 1000 && placed < chip_count * TRIALS - 1000);
}

/* These masks belong to no known chip; no order by the width of the masks would place them. */
static void sets_of_any_masks_are_placed_exactly_where_they_fit(void)
{
    static const uint16_t pools[][4] = {
        {0x0c, 0x34, 0x34, 0x34}, {0x54, 0xe0, 0x80, 0x3fc}, {0x0c, 0x18, 0x30, 0x24}};
    size_t failures = 0;
    for (int trial = 0; trial < 20 * TRIALS; trial++) {
        uint16_t masks[SET_MAX];
        size_t count = 1 + below(10);
        for (size_t i = 0; i < count; i++)
            masks[i] = trial % 2 ? (uint16_t)below(1024) : pools[below(3)][below(4)];
        failures += !set_is_placed_right(masks, count);
    }
    EXPECT(failures == 0);
}

static void set_masks(const struct lauka_apple_chip *chip, const char *const *names, size_t count,
                      uint16_t *masks)
{
    for (size_t i = 0; i < count; i++) {
        struct lauka_apple_event event = {0};
        lauka_apple_event_find(chip, names[i], &event);
        masks[i] = event.mask;
    }
}

/* The example of an order from the study of Apple's PMU: here the sixth general event takes the only
 * counter that INST_LDST could have. */
static void six_general_events_leave_room_for_inst_ldst(void)
{
    static const char *const names[] = {"L1D_TLB_ACCESS",    "L1D_TLB_MISS", "L1D_CACHE_MISS_ST",
                                        "L1D_CACHE_MISS_LD", "LD_UNIT_UOP",  "ST_UNIT_UOP",
                                        "INST_LDST"};
    const size_t in_order[] = {0, 1, 2, 3, 4, 5, 6};
    uint16_t masks[7];
    int8_t slots[LAUKA_SLOTS_EVENTS_MAX];
    set_masks(lauka_apple_chip_find("M2"), names, 7, masks);
    EXPECT(masks[6] == 0x80 && masks[0] == 0x3fc);
    EXPECT(!first_fit(masks, in_order, 7));
    EXPECT(lauka_slots_match(masks, 7, slots));
    EXPECT(slots[6] == 7);
    EXPECT(fits_in_order_of_slots(masks, slots, 7));
}

static void a_conflict_names_the_two_that_want_one_counter(void)
{
    static const char *const names[] = {"L1D_TLB_MISS", "INST_LDST", "BRANCH_MISPRED_NONSPEC",
                                        "INST_INT_ALU"};
    uint16_t masks[4], counters;
    int8_t slots[LAUKA_SLOTS_EVENTS_MAX];
    set_masks(lauka_apple_chip_find("as1"), names, 4, masks);
    EXPECT(!lauka_slots_match(masks, 4, slots));
    EXPECT(slots[3] == LAUKA_SLOT_NONE && slots[1] == 7);
    EXPECT(lauka_slots_conflict(masks, 4, slots, 3, &counters) == (1u << 1 | 1u << 3));
    EXPECT(counters == 0x80);
}

/* ---- The tables ---- */

static const struct {
    const char *chip;
    size_t events; /* including the two fixed ones */
    /* Events with the widest mask, in the groups for retired work, and with a single counter. */
    size_t any, retired, one;
} known[] = {
    {"a7", 41, 16, 23, 0},          {"a8", 45, 20, 23, 0},          {"a9", 51, 25, 23, 1},
    {"a10", 53, 26, 24, 1},         {"a11", 53, 26, 24, 1},         {"a12", 54, 27, 24, 1},
    {"a13", 55, 28, 24, 1},         {"a14", 61, 34, 19, 6},         {"a14-macos26", 60, 34, 18, 6},
    {"a15", 60, 33, 19, 6},         {"a15-macos26", 60, 33, 18, 7}, {"a16", 63, 36, 19, 6},
    {"a16-macos26", 66, 39, 18, 7}, {"as1", 63, 36, 19, 6},         {"as2", 63, 36, 19, 6},
    {"as3", 63, 36, 19, 6},         {"as4", 63, 36, 21, 4},         {"as4-macos26", 103, 71, 25, 5},
    {"as4-1", 104, 71, 25, 5},      {"as5", 135, 71, 25, 5},        {"as5-1", 135, 71, 25, 5},
};

static void every_chip_has_its_events_in_their_groups(void)
{
    size_t chip_count;
    const struct lauka_apple_chip *chips = lauka_apple_chips(&chip_count);
    EXPECT(chip_count == sizeof known / sizeof known[0]);
    for (size_t c = 0; c < chip_count; c++) {
        struct lauka_apple_event event;
        size_t any = 0, one = 0, retired = 0;
        for (size_t i = LAUKA_APPLE_FIXED; lauka_apple_event(&chips[c], i, &event); i++) {
            any += event.mask == chips[c].counters;
            one += event.mask == 0x80;
            retired += event.mask && event.mask != 0x80 && event.mask != chips[c].counters;
        }
        EXPECT(strcmp(chips[c].name, known[c].chip) == 0);
        EXPECT(count_events(&chips[c]) == known[c].events);
        EXPECT(any == known[c].any && retired == known[c].retired && one == known[c].one);
    }
}

static void events_are_alphabetical_and_never_twice(void)
{
    size_t chip_count;
    const struct lauka_apple_chip *chips = lauka_apple_chips(&chip_count);
    for (size_t c = 0; c < chip_count; c++) {
        struct lauka_apple_event before, event;
        lauka_apple_event(&chips[c], LAUKA_APPLE_FIXED, &before);
        for (size_t i = LAUKA_APPLE_FIXED + 1; lauka_apple_event(&chips[c], i, &event); i++) {
            EXPECT(strcmp(before.name, event.name) < 0);
            EXPECT((event.mask & ~chips[c].counters) == 0);
            before = event;
        }
    }
}

static bool is_event(const char *chip, const char *name, unsigned number, unsigned mask)
{
    struct lauka_apple_event event;
    return lauka_apple_event_find(lauka_apple_chip_find(chip), name, &event) &&
           event.number == number && event.mask == mask;
}

static void numbers_are_those_of_the_databases(void)
{
    EXPECT(is_event("M1", "INST_BRANCH", 141, 0xe0) && is_event("M4", "INST_BRANCH", 33, 0xfc));
    EXPECT(is_event("M1", "L1D_CACHE_MISS_LD", 163, 0x3fc));
    EXPECT(is_event("M3", "L1D_CACHE_MISS_LD", 1443, 0x3fc));
    EXPECT(is_event("M4", "L1D_CACHE_MISS_LD_NONSPEC", 2239, 0xfc));
    EXPECT(is_event("as4-macos26", "ARM_L1D_CACHE_RD", 64, 0x3fc));
    EXPECT(is_event("M2", "RETIRE_UOP", 1, 0x80) && is_event("M4", "RETIRE_UOP", 58, 0xfc));
    EXPECT(is_event("M5", "PL2_CACHE_MISS", 2335, 0));
    EXPECT(is_event("M4", "FIXED_INSTRUCTIONS", 0, 2));
}

static void chips_are_found_by_any_of_their_names(void)
{
    EXPECT(strcmp(lauka_apple_chip_find("m3 max")->name, "as3") == 0);
    EXPECT(strcmp(lauka_apple_chip_find("AS4-1")->name, "as4-1") == 0);
    EXPECT(strcmp(lauka_apple_chip_find("M1")->name, "a14") == 0);
    EXPECT(strcmp(lauka_apple_chip_find("M5 Pro")->name, "as5-1") == 0);
    EXPECT(strcmp(lauka_apple_chip_of(0xf76c5b1a)->name, "as5-1") == 0);
    EXPECT(!lauka_apple_chip_find("M") && !lauka_apple_chip_find("") &&
           !lauka_apple_chip_find("M3 Max,") && !lauka_apple_chip_find("x86"));
    EXPECT(strcmp(lauka_apple_chip_of(0x72015832)->name, "as3") == 0);
    EXPECT(!lauka_apple_chip_of(0) && !lauka_apple_chip_of(1));
}

static bool has_name(const char *chip, const char *name, const char *expected)
{
    const char *candidate;
    struct lauka_apple_event event;
    for (size_t i = 0; (candidate = lauka_apple_name(name, i)); i++)
        if (lauka_apple_event_find(lauka_apple_chip_find(chip), candidate, &event))
            return expected && strcmp(candidate, expected) == 0;
    return !expected;
}

static void portable_names_lead_to_what_the_chip_has(void)
{
    EXPECT(has_name("M1", "cycles", "FIXED_CYCLES"));
    EXPECT(has_name("M1", "cycles:u", "CORE_ACTIVE_CYCLE"));
    EXPECT(has_name("M1", "instructions:u", "INST_ALL"));
    EXPECT(has_name("M1", "branch-misses:u", "BRANCH_MISPRED_NONSPEC"));
    EXPECT(has_name("M4", "stalled-cycles-backend", "MAP_STALL_DISPATCH"));
    EXPECT(has_name("M5", "stalled-cycles-backend", "ARM_STALL_BACKEND"));
    EXPECT(has_name("a10", "stalled-cycles-backend", NULL));
    EXPECT(has_name("M2", "l1d-loads", NULL) && has_name("M5", "l1d-loads", "ARM_L1D_CACHE_RD"));
    EXPECT(has_name("M2", "page-walks", "MMU_TABLE_WALK_DATA"));
    EXPECT(has_name("M2", "cache_misses", NULL));
    EXPECT(has_name("M2", "L1-dcache-load-misses", "L1D_CACHE_MISS_LD"));
    EXPECT(has_name("M2", "l1d-tlb-misses:u", "L1D_TLB_MISS"));
    EXPECT(has_name("M2", "insns:u", "INST_ALL"));
    EXPECT(has_name("M1", "map-stalls", "MAP_STALL") && has_name("M5", "map_stalls", "MAP_STALL"));
    EXPECT(has_name("M4", "dispatch-stalls", "MAP_STALL_DISPATCH"));
    EXPECT(has_name("M3", "l2-tlb-misses-data", "L2_TLB_MISS_DATA"));
    EXPECT(strcmp(lauka_apple_portable("INST_BRANCH"), "branches") == 0);
    EXPECT(!lauka_apple_portable("INST_LDST"));
}

/* Every documented portable name exists on some chip. */
static void every_portable_name_is_some_chips_event(void)
{
    const char *name, *database;
    for (size_t i = 0; (database = lauka_apple_pair(i, &name)); i++) {
        size_t chip_count, found = 0;
        const struct lauka_apple_chip *chips = lauka_apple_chips(&chip_count);
        struct lauka_apple_event event;
        for (size_t c = 0; c < chip_count; c++)
            found += lauka_apple_event_find(&chips[c], database, &event);
        EXPECT(found > 0);
    }
}

static bool add_all(struct lauka_apple_set *set, const char *chip, const char *const *names)
{
    for (; *names; names++)
        if (!lauka_apple_set_add(set, lauka_apple_chip_find(chip), *names))
            return false;
    return true;
}

static void a_set_that_does_not_fit_is_explained_by_names(void)
{
    static const char *const names[] = {
        "cycles",          "branches", "branch-misses", "INST_SIMD_LD", "uops-retired",
        "l1d-load-misses", NULL};
    struct lauka_apple_set set = {0};
    char text[2000];
    EXPECT(add_all(&set, "M1", names));
    EXPECT(!lauka_apple_set_place(&set));
    lauka_apple_set_explain(&set, text, sizeof text);
    EXPECT_TEXT(text, "INST_BRANCH, BRANCH_MISPRED_NONSPEC, INST_SIMD_LD, RETIRE_UOP can have "
                      "counters 5 to 7 only, which is one too few; these fit together: "
                      "cycles,branches,branch-misses,INST_SIMD_LD,l1d-load-misses");
    EXPECT(!lauka_apple_set_add(&set, lauka_apple_chip_find("M1"), "cache_misses"));
    EXPECT(lauka_apple_set_add(&set, lauka_apple_chip_find("M1"), "INST_LDST:u"));
}

static void more_general_events_than_counters_do_not_fit(void)
{
    static const char *const names[] = {"L1D_TLB_MISS",      "L1D_TLB_FILL",
                                        "L1D_TLB_ACCESS",    "L1I_TLB_FILL",
                                        "L2_TLB_MISS_DATA",  "L1I_TLB_MISS_DEMAND",
                                        "L1D_CACHE_MISS_LD", "L1D_CACHE_MISS_ST",
                                        "LD_UNIT_UOP",       NULL};
    struct lauka_apple_set set = {0};
    char text[2000];
    EXPECT(add_all(&set, "M2", names));
    EXPECT(!lauka_apple_set_place(&set));
    lauka_apple_set_explain(&set, text, sizeof text);
    EXPECT(strstr(text, "counters 2 to 9") && strstr(text, "LD_UNIT_UOP can have"));
}

int main(void)
{
    TEST(sets_of_every_chip_are_placed_exactly_where_they_fit);
    TEST(sets_of_any_masks_are_placed_exactly_where_they_fit);
    TEST(six_general_events_leave_room_for_inst_ldst);
    TEST(a_conflict_names_the_two_that_want_one_counter);
    TEST(a_set_that_does_not_fit_is_explained_by_names);
    TEST(more_general_events_than_counters_do_not_fit);
    TEST(every_chip_has_its_events_in_their_groups);
    TEST(events_are_alphabetical_and_never_twice);
    TEST(numbers_are_those_of_the_databases);
    TEST(chips_are_found_by_any_of_their_names);
    TEST(portable_names_lead_to_what_the_chip_has);
    TEST(every_portable_name_is_some_chips_event);
    return expect_report("apple");
}
