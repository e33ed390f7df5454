/* The counters of Apple's chips, and which events fit on them. Nothing here queries the system, so
 * any machine can plan a set of events; on a Mac the Mac's own database decides. */
#ifndef LAUKA_PMU_APPLE_APPLE_H
#define LAUKA_PMU_APPLE_APPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- chip.c: chips and their events ---------------------------------------------------------- */

/* Bit b of a mask is counter b: 0 and 1 are fixed (cycles, instructions), 2 to 9 configurable. */
enum { LAUKA_APPLE_COUNTERS = 10, LAUKA_APPLE_FIXED = 2, LAUKA_APPLE_FIXED_MASK = 0x3 };

struct lauka_apple_chip {
    const char *name;     /* of the event database: "as4", "as4-macos26" */
    const char *products; /* "M4 Pro, M4 Max" */
    const char *release;  /* the database's system: "macOS 15" */
    uint32_t families[2]; /* hw.cpufamily; 0: none */
    uint16_t counters;    /* mask of configurable counters */
    bool inferred;        /* events or masks were not seen, but taken over from a sibling's */
};

struct lauka_apple_event {
    const char *name;
    uint16_t number; /* the selector; 0 for fixed events */
    uint16_t mask;   /* 0: not known */
};

/* The counters that the power manager keeps for itself until all are requested ("forced"). */
#define LAUKA_APPLE_POWER_MASK 0xe0

const struct lauka_apple_chip *lauka_apple_chips(size_t *count);

/* Finds a chip by the name of its database or of a product, in any case: "as4", "M4 Pro". NULL if there is
 * none. */
const struct lauka_apple_chip *lauka_apple_chip_find(const char *name);

/* Finds a chip by hw.cpufamily; the older database if there are two. NULL if unknown. */
const struct lauka_apple_chip *lauka_apple_chip_of(uint32_t family);

/* linux/native.c, macos/darwin_usage.c: this machine's chip. NULL if it is not Apple's, or unknown. */
const struct lauka_apple_chip *lauka_native_chip(void);

/* The chip's events by number: the fixed ones first, then sorted by name. False beyond the last. */
bool lauka_apple_event(const struct lauka_apple_chip *chip, size_t index,
                       struct lauka_apple_event *event);

/* Finds an event by its exact name. */
bool lauka_apple_event_find(const struct lauka_apple_chip *chip, const char *name,
                            struct lauka_apple_event *event);

/* ---- set.c: what lauka's names are called there --------------------------------------------- */

/* The database's names for one of lauka's ("branch_misses", "cycles:u"), best first. NULL beyond the last:
 * there is none, or `name` is the database's own. */
const char *lauka_apple_name(const char *name, size_t candidate);

/* lauka's name for one of the database's; NULL: it has none. */
const char *lauka_apple_portable(const char *name);

/* All pairs, by number; NULL beyond the last. */
const char *lauka_apple_pair(size_t index, const char **name);

/* ---- set.c: events onto counters that not every event can have ----------------------------- */

enum { LAUKA_SLOTS = 16, LAUKA_SLOTS_EVENTS_MAX = 32, LAUKA_SLOT_NONE = -1 };

/* Assigns each mask one of its bits: slots[i] is the bit's number, or LAUKA_SLOT_NONE if the mask
 * does not fit together with earlier ones. Returns whether all fit. At most LAUKA_SLOTS_EVENTS_MAX
 * masks. Maximum bipartite matching by augmenting paths: Kuhn 1955. */
bool lauka_slots_match(const uint16_t *masks, size_t count, int8_t *slots);

/* For event number `index`, which match could not place: the smallest set of events, including this
 * one, that needs more counters than its events may use; without any one of them the rest fits. One
 * bit per event. Sets *counters to these counters. */
uint32_t lauka_slots_conflict(const uint16_t *masks, size_t count, const int8_t *slots,
                              size_t index, uint16_t *counters);

/* ---- set.c: events that one run is to count -------------------------------------------------- */

struct lauka_apple_set { /* empty when zeroed */
    size_t count;
    const char *asked[LAUKA_SLOTS_EVENTS_MAX]; /* borrowed; as typed by the user */
    struct lauka_apple_event events[LAUKA_SLOTS_EVENTS_MAX];
    int8_t slots[LAUKA_SLOTS_EVENTS_MAX]; /* after place */
};

/* False if the chip has no such event, or the set is full. */
bool lauka_apple_set_add(struct lauka_apple_set *set, const struct lauka_apple_chip *chip,
                         const char *name);

/* Assigns a counter to each event; false if they do not all fit. */
bool lauka_apple_set_place(struct lauka_apple_set *set);

/* For a set that does not fit: which events exclude each other, and some that fit. One line. */
void lauka_apple_set_explain(const struct lauka_apple_set *set, char *text, size_t size);

/* "counter 7", "counters 2 to 7" */
void lauka_apple_counters(uint16_t mask, char *text, size_t size);

#endif
