/* kpep: sets of events as configurations of the counters. The library gives each event its lowest free
 * counter and never moves one. So lauka decides the places and adds events in the order of the counters:
 * then each finds its own counter, or a lower one, free. */
#include "pmu/macos/kperf.h"
#include "pmu/apple/apple.h"
#include "pmu/events/events.h"

#include <stdio.h>
#include <string.h>

enum { ALL_MODES = 0, USER_ONLY = 1 };

static const char *const fixed_names[LAUKA_APPLE_FIXED] = {"FIXED_CYCLES", "FIXED_INSTRUCTIONS"};

const char *lauka_kpep_error(int code)
{
    /* clang-format off: a table */
    static const char *const texts[] = {"no error",
                                        "an invalid argument",
                                        "out of memory",
                                        "an input or output error",
                                        "a buffer too small",
                                        "an unknown system",
                                        "an invalid database path",
                                        "no database for this Mac",
                                        "an unsupported architecture",
                                        "an unsupported version",
                                        "a damaged database",
                                        "no such event",
                                        "conflicting events",
                                        "counters not forced",
                                        "an unavailable event",
                                        "a system error",
                                        "an event without counters"};
    /* clang-format on */
    bool known = code >= 0 && (size_t)code < sizeof texts / sizeof texts[0];
    return known ? texts[code] : "an unknown error";
}

/* ---- the database ---- */

static int look_up(const struct lauka_kpep *kpep, const char *name)
{
    struct lauka_kpep_event *event;
    return kpep->api->kpep_db_event(kpep->db, name, &event);
}

static size_t count_unknown(const struct lauka_kpep *kpep, const struct lauka_apple_chip *chip)
{
    struct lauka_apple_event event;
    size_t count = 0;
    for (size_t i = 0; lauka_apple_event(chip, i, &event); i++)
        count += look_up(kpep, event.name) != 0;
    return count;
}

/* The library tells what the chip is sold as, which is no name of a table. Of the tables of this chip
 * the one is meant whose events the database has: a newer system has newer names for some. */
static const struct lauka_apple_chip *chip_of(const struct lauka_kpep *kpep)
{
    const struct lauka_apple_chip *best = lauka_native_chip();
    size_t count, least = best ? count_unknown(kpep, best) : 0;
    const struct lauka_apple_chip *chips = lauka_apple_chips(&count);
    for (size_t i = 0; least > 0 && i < count; i++) {
        if (chips[i].families[0] != best->families[0])
            continue;
        size_t unknown = count_unknown(kpep, &chips[i]);
        best = unknown < least ? &chips[i] : best;
        least = unknown < least ? unknown : least;
    }
    return best;
}

bool lauka_kpep_has_fixed(const struct lauka_kpep *kpep)
{
    return look_up(kpep, fixed_names[0]) != LAUKA_KPEP_NO_EVENT;
}

int lauka_kpep_open(struct lauka_kpep *kpep, const struct lauka_kperf_api *api)
{
    const char *name = "";
    *kpep = (struct lauka_kpep){.api = api};
    int code = api->kpep_db_create(NULL, &kpep->db);
    if (code != 0) {
        kpep->db = NULL;
        return code;
    }
    if (api->kpep_db_name && api->kpep_db_name(kpep->db, &name) != 0)
        name = "";
    snprintf(kpep->name, sizeof kpep->name, "%s", name ? name : "");
    kpep->chip = chip_of(kpep);
    return 0;
}

void lauka_kpep_close(struct lauka_kpep *kpep)
{
    if (kpep->db && kpep->api->kpep_db_free)
        kpep->api->kpep_db_free(kpep->db);
    *kpep = (struct lauka_kpep){0};
}

/* ---- which counters an event can have ---- */

static struct lauka_kpep_config *new_config(const struct lauka_kpep *kpep, int *code)
{
    struct lauka_kpep_config *config = NULL;
    *code = kpep->api->kpep_config_create(kpep->db, &config);
    if (*code == 0)
        *code = kpep->api->kpep_config_force_counters(config);
    return *code == 0 || config ? config : NULL;
}

static void free_config(const struct lauka_kpep *kpep, struct lauka_kpep_config *config)
{
    if (config && kpep->api->kpep_config_free)
        kpep->api->kpep_config_free(config);
}

static int add(const struct lauka_kpep *kpep, struct lauka_kpep_config *config, const char *name,
               uint32_t modes)
{
    struct lauka_kpep_event *event;
    int code = kpep->api->kpep_db_event(kpep->db, name, &event);
    return code ? code : kpep->api->kpep_config_add_event(config, &event, modes, NULL);
}

/* Both fixed ones always: then the map counts from the first of all counters. */
static int add_fixed(const struct lauka_kpep *kpep, struct lauka_kpep_config *config)
{
    int code = add(kpep, config, fixed_names[0], ALL_MODES);
    return code ? code : add(kpep, config, fixed_names[1], ALL_MODES);
}

/* Added again and again, an event takes one counter after the other. */
static uint16_t probe(const struct lauka_kpep *kpep, const char *name)
{
    size_t map[LAUKA_SLOTS], count = LAUKA_APPLE_FIXED;
    uint16_t mask = 0;
    int code;
    struct lauka_kpep_config *config = new_config(kpep, &code);
    if (code == 0)
        code = add_fixed(kpep, config);
    while (code == 0 && count < sizeof map / sizeof map[0]) {
        code = add(kpep, config, name, USER_ONLY);
        count += code == 0;
    }
    if (config && count > LAUKA_APPLE_FIXED &&
        kpep->api->kpep_config_kpc_map(config, map, count * sizeof map[0]) == 0)
        for (size_t i = LAUKA_APPLE_FIXED; i < count; i++)
            mask |= map[i] < LAUKA_SLOTS ? (uint16_t)(1u << map[i]) : 0;
    free_config(kpep, config);
    return mask & (uint16_t)~LAUKA_APPLE_FIXED_MASK;
}

static bool is_single(uint16_t mask)
{
    return mask && !(mask & (mask - 1));
}

/* The live database decides. But if it shows one counter only, it may just not accept an event twice, and
 * then the table knows more. */
static uint16_t find_mask(const struct lauka_kpep *kpep, const char *name)
{
    struct lauka_apple_event known = {0};
    uint16_t mask = probe(kpep, name);
    if (kpep->chip && (!mask || is_single(mask)) &&
        lauka_apple_event_find(kpep->chip, name, &known) && (known.mask & mask) == mask)
        mask = known.mask;
    return mask;
}

/* The database's name for one of lauka's, or the database's own. */
static int find_name(const struct lauka_kpep *kpep, const char *asked, char *name, size_t size)
{
    const char *candidate;
    for (size_t i = 0; (candidate = lauka_apple_name(asked, i)); i++) {
        int code = look_up(kpep, candidate);
        snprintf(name, size, "%s", candidate);
        if (code != LAUKA_KPEP_NO_EVENT)
            return code;
    }
    snprintf(name, size, "%s", asked);
    size_t length = strlen(name);
    if (length > 2 && strcmp(name + length - 2, ":u") == 0)
        name[length - 2] = '\0';
    return look_up(kpep, name);
}

int lauka_kpep_find(const struct lauka_kpep *kpep, const struct lauka_event *event, char *name,
                    size_t size, struct lauka_apple_event *found)
{
    *found = (struct lauka_apple_event){.name = name};
    int code = find_name(kpep, event->name, name, size);
    if (code != 0)
        return code;
    for (size_t i = 0; i < LAUKA_APPLE_FIXED; i++)
        if (strcmp(fixed_names[i], name) == 0)
            found->mask = (uint16_t)(1u << i);
    if (!found->mask)
        found->mask = find_mask(kpep, name);
    return 0;
}

/* ---- a configuration ---- */

struct order { /* of addition */
    size_t count, events[LAUKA_SLOTS];
};

static int add_in_order(const struct lauka_kpep *kpep, struct lauka_kpep_config *config,
                        const struct lauka_apple_event *events, const int8_t *slots, size_t count,
                        struct order *order)
{
    int code = add_fixed(kpep, config);
    order->count = LAUKA_APPLE_FIXED;
    for (int slot = LAUKA_APPLE_FIXED; code == 0 && slot < LAUKA_SLOTS; slot++)
        for (size_t i = 0; code == 0 && i < count; i++) {
            if (slots[i] != slot)
                continue;
            code = add(kpep, config, events[i].name, USER_ONLY);
            order->events[order->count++] = i;
        }
    return code;
}

static int read_config(const struct lauka_kpep *kpep, struct lauka_kpep_config *config,
                       struct lauka_kpep_set *set, size_t *map, size_t count)
{
    const struct lauka_kperf_api *api = kpep->api;
    uint32_t classes = 0;
    int code = api->kpep_config_kpc_classes(config, &classes);
    if (code == 0)
        code = api->kpep_config_kpc_count(config, &set->word_count);
    if (code == 0 && set->word_count > LAUKA_KPC_MAX)
        return 4;
    if (code == 0 && set->word_count > 0)
        code = api->kpep_config_kpc(config, set->words, sizeof set->words);
    if (code == 0)
        code = api->kpep_config_kpc_map(config, map, count * sizeof *map);
    return code;
}

/* The map is by the order of addition, and says where in a sample a value is. */
static bool follow_map(struct lauka_kpep_set *set, const struct order *order, const size_t *map,
                       const int8_t *slots, size_t count)
{
    for (size_t k = 0; k < order->count; k++)
        if (map[k] >= LAUKA_KPC_COUNTERS_MAX)
            return false;
        else if (map[k] >= set->least)
            set->least = map[k] + 1;
    for (size_t i = 0; i < count; i++)
        if (slots[i] == 0 || slots[i] == 1)
            set->value_of[i] = map[slots[i]];
    for (size_t k = LAUKA_APPLE_FIXED; k < order->count; k++)
        set->value_of[order->events[k]] = map[k];
    return true;
}

int lauka_kpep_configure(const struct lauka_kpep *kpep, const struct lauka_apple_event *events,
                         const int8_t *slots, size_t count, struct lauka_kpep_set *set)
{
    struct order order = {0};
    size_t map[LAUKA_SLOTS] = {0};
    int code;
    struct lauka_kpep_config *config = new_config(kpep, &code);

    memset(set, 0, sizeof *set);
    if (code == 0)
        code = add_in_order(kpep, config, events, slots, count, &order);
    if (code == 0)
        code = read_config(kpep, config, set, map, order.count);
    set->placed = order.count - LAUKA_APPLE_FIXED;
    if (code == 0 && !follow_map(set, &order, map, slots, count))
        code = 10;
    free_config(kpep, config);
    return code;
}
