/* slots: assigns events to counters, not all of which suit every event. The system's library takes each
 * event's lowest free counter and never moves it again, so there the order decides whether a set fits.
 * Here a set fits whenever any assignment exists. */
#include <string.h>

#include "pmu/apple/apple.h"

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
