/* fake_kpep: what kperfdata.framework exports, as far as lauka looks it up. A configurable event takes the
 * lowest free counter of its mask, in the order of addition, and nothing is moved. */
#include "pmu/apple/apple.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fakes/fake.h"

enum { EVENTS_MAX = 160, ADDED_MAX = 16 };
enum { OK, INVALID, NO_EVENT = 11, CONFLICT = 12, NOT_FORCED = 13, EMPTY_MASK = 16 };

/* Two layouts, between which all but the mask has moved; the gaps are poisoned. */
union fake_event {
    struct {
        const char *name, *description, *errata, *alias, *fallback;
        uint32_t mask;
        uint8_t number, umask, reserved, is_fixed;
    } old;
    struct {
        const char *name, *description, *errata, *alias, *fallback;
        uint32_t mask;
        uint16_t number;
        uint8_t umask, poison0, flags, poison[7];
    } new;
};

struct fake_db {
    const struct lauka_apple_chip *chip;
    char name[80];
    size_t count;
    union fake_event events[EVENTS_MAX];
    struct lauka_apple_event known[EVENTS_MAX];
};

struct fake_config {
    struct fake_db *db;
    bool forced;
    size_t count;
    size_t event[ADDED_MAX], slot[ADDED_MAX];
    uint32_t flag[ADDED_MAX];
    unsigned taken;
};

int kpep_db_create(const char *name, struct fake_db **db);
void kpep_db_free(struct fake_db *db);
int kpep_db_name(struct fake_db *db, const char **name);
int kpep_db_event(struct fake_db *db, const char *name, union fake_event **event);
int kpep_config_create(struct fake_db *db, struct fake_config **config);
void kpep_config_free(struct fake_config *config);
int kpep_config_force_counters(struct fake_config *config);
int kpep_config_add_event(struct fake_config *config, union fake_event **event, uint32_t flag,
                          uint32_t *conflicts);
int kpep_config_kpc_classes(struct fake_config *config, uint32_t *classes);
int kpep_config_kpc_count(struct fake_config *config, size_t *count);
int kpep_config_kpc(struct fake_config *config, uint64_t *words, size_t size);
int kpep_config_kpc_map(struct fake_config *config, size_t *map, size_t size);

static int enter(const char *name)
{
    return fake_call(name, 0) == 0 ? OK : fake_options.fail_error ? fake_options.fail_error : 3;
}

/* A chip that has more, or fewer, configurable counters than its table: events that suit any counter suit
 * those. */
static void widen(struct lauka_apple_event *event)
{
    unsigned all = fake_options.configurable ? (1u << fake_options.configurable) - 1 : 0;
    if (event->mask == 0x3fc && all)
        event->mask = (uint16_t)(all << 2);
    else if (all && !(event->mask & LAUKA_APPLE_FIXED_MASK))
        event->mask &= (uint16_t)(all << 2);
}

int kpep_db_create(const char *name, struct fake_db **db)
{
    int code = enter("kpep_db_create");
    if (code)
        return code;
    struct fake_db *made = calloc(1, sizeof *made);
    made->chip = lauka_apple_chip_find(name ? name : fake_options.chip ? fake_options.chip : "a14");
    snprintf(made->name, sizeof made->name, "Apple \"%s\"", made->chip->products);
    while (lauka_apple_event(made->chip, made->count, &made->known[made->count])) {
        union fake_event *event = &made->events[made->count];
        memset(event, 0xa5, sizeof *event);
        if (fake_options.old_layout) {
            event->old.number = (uint8_t)made->known[made->count].number;
            event->old.mask = 0xa5a5a5a5;
        } else {
            event->new.number = made->known[made->count].number;
        }
        widen(&made->known[made->count++]);
    }
    *db = made;
    return OK;
}

void kpep_db_free(struct fake_db *db)
{
    free(db);
}

int kpep_db_name(struct fake_db *db, const char **name)
{
    int code = enter("kpep_db_name");
    *name = code ? NULL : db->name; /* what the chip is sold as */
    return code;
}

int kpep_db_event(struct fake_db *db, const char *name, union fake_event **event)
{
    int code = enter("kpep_db_event");
    if (strcmp(name, "Cycles") == 0)
        name = "FIXED_CYCLES";
    if (strcmp(name, "Instructions") == 0)
        name = "FIXED_INSTRUCTIONS";
    for (size_t i = 0; !code && i < db->count; i++)
        if (strcmp(db->known[i].name, name) == 0 &&
            !(fake_options.intel && i < LAUKA_APPLE_FIXED)) {
            *event = &db->events[i];
            return OK;
        }
    return code ? code : NO_EVENT;
}

int kpep_config_create(struct fake_db *db, struct fake_config **config)
{
    int code = enter("kpep_config_create");
    if (code)
        return code;
    *config = calloc(1, sizeof **config);
    (*config)->db = db;
    return OK;
}

void kpep_config_free(struct fake_config *config)
{
    free(config);
}

int kpep_config_force_counters(struct fake_config *config)
{
    int code = enter("kpep_config_force_counters");
    if (code)
        return code;
    code = config->forced ? INVALID : OK;
    config->forced = true;
    return code;
}

static int conflict(const struct fake_config *config, unsigned mask, uint32_t *conflicts)
{
    for (size_t i = 0; conflicts && i < config->count; i++)
        if (mask >> config->slot[i] & 1)
            *conflicts |= UINT32_C(1) << i;
    return CONFLICT;
}

int kpep_config_add_event(struct fake_config *config, union fake_event **event, uint32_t flag,
                          uint32_t *conflicts)
{
    int code = enter("kpep_config_add_event");
    size_t index = (size_t)(*event - config->db->events);
    if (code)
        return code;
    if (index >= config->db->count)
        return INVALID;
    unsigned mask = config->db->known[index].mask;
    if (mask == 0)
        return EMPTY_MASK;
    if (!config->forced && (mask & ~(unsigned)LAUKA_APPLE_POWER_MASK) == 0)
        return NOT_FORCED;
    for (size_t i = 0; fake_options.no_duplicates && i < config->count; i++)
        if (config->event[i] == index)
            return conflict(config, mask, conflicts);
    unsigned room = mask & ~config->taken, slot = 0;
    if (!room || config->count == ADDED_MAX)
        return conflict(config, mask, conflicts);
    while (!(room >> slot & 1))
        slot++;
    config->taken |= 1u << slot;
    config->event[config->count] = index;
    config->flag[config->count] = flag;
    config->slot[config->count++] = slot;
    return OK;
}

int kpep_config_kpc_classes(struct fake_config *config, uint32_t *classes)
{
    *classes = (config->taken & 3 ? 1u : 0) | (config->taken & ~3u ? 2u : 0);
    return enter("kpep_config_kpc_classes");
}

static size_t words_of(const struct fake_config *config)
{
    size_t count = 0;
    for (unsigned mask = config->db->chip->counters; mask; mask &= mask - 1)
        count++;
    return fake_options.configurable ? fake_options.configurable : count;
}

int kpep_config_kpc_count(struct fake_config *config, size_t *count)
{
    bool any =
        fake_options.counts_all_words || config->taken & ~3u; /* the fixed ones have no word */
    *count = any ? words_of(config) : 0;
    return enter("kpep_config_kpc_count");
}

int kpep_config_kpc(struct fake_config *config, uint64_t *words, size_t size)
{
    int code = enter("kpep_config_kpc");
    uint32_t user = fake_options.user_flag ? fake_options.user_flag : 0x20000;
    if (code || size < words_of(config) * sizeof *words)
        return code ? code : 4;
    memset(words, 0, words_of(config) * sizeof *words);
    for (size_t i = 0; i < config->count; i++)
        if (config->slot[i] >= 2)
            words[config->slot[i] - 2] =
                config->db->known[config->event[i]].number | (config->flag[i] == 1 ? user : 0);
    return OK;
}

int kpep_config_kpc_map(struct fake_config *config, size_t *map, size_t size)
{
    int code = enter("kpep_config_kpc_map");
    bool packed = fake_options.packed_map && !(config->taken & 3);
    if (code || size < config->count * sizeof *map)
        return code ? code : 4;
    for (size_t i = 0; i < config->count; i++)
        map[i] = config->slot[i] - (packed ? 2 : 0);
    return OK;
}
