/* apple_set: a set of events, by lauka's names or the chip's own, and whether one run can count it. */
#include <stdio.h>
#include <string.h>

#include "pmu/apple/apple.h"
#include "pmu/events/events.h"

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
    char room[80], names[600] = "", few[16] = "one";
    unsigned lacking = 0;

    for (size_t i = 0; i < set->count; i++)
        if (events >> i & 1) {
            append(names, sizeof names, set->events[i].name, ", ");
            lacking += set->slots[i] == LAUKA_SLOT_NONE;
        }
    lauka_apple_counters(counters, room, sizeof room);
    if (lacking > 1)
        snprintf(few, sizeof few, "%u", lacking);
    if (counters)
        snprintf(text, size, "%s can have %s only, which is %s too few", names, room, few);
    else
        snprintf(text, size, "the counters that %s can have are not known here", names);
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
