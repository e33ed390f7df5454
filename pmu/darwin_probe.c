/* darwin_probe: what this Mac's kernel does with the calls that lauka relies on, for a report. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pmu/kperf.h"

struct text { /* a JSON document; cut where there is no more room */
    char *start;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    if (text->used >= text->size)
        return;
    va_start(arguments, format);
    int length = vsnprintf(text->start + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    text->used += length > 0 ? (size_t)length : 0;
}

static void add_counts(struct text *text, const struct lauka_kperf_api *api, const char *when)
{
    add(text, ",\n    \"%s\": {\"counters\": %u, \"configs\": %u}", when,
        api->kpc_get_counter_count(LAUKA_KPC_CLASSES), api->kpc_get_config_count(LAUKA_KPC_CLASSES));
}

/* One event alone in the first configurable counter that it can have. */
static int try_event(const struct lauka_kperf_api *api, unsigned number, uint16_t mask)
{
    uint64_t words[LAUKA_KPC_MAX] = {0};
    unsigned slot = LAUKA_APPLE_FIXED;
    while (slot < LAUKA_APPLE_COUNTERS - 1 && !(mask >> slot & 1))
        slot++;
    words[slot - LAUKA_APPLE_FIXED] = number | 0x20000;
    errno = 0;
    return api->kpc_set_config(LAUKA_KPC_CLASSES, words) == 0 ? 0 : errno;
}

/* Which events of the chip the kernel refuses, and whether it takes one that is in no database. */
static void add_allowlist(struct text *text, const struct lauka_kpep *kpep)
{
    struct lauka_apple_event event;
    size_t allowed = 0, refused = 0;
    add(text, ",\n    \"refused_events\": [");
    for (size_t i = LAUKA_APPLE_FIXED; kpep->chip && lauka_apple_event(kpep->chip, i, &event); i++) {
        int error = event.mask ? try_event(kpep->api, event.number, event.mask) : 0;
        if (error)
            add(text, "%s\"%s: %s\"", refused++ ? ", " : "", event.name, strerror(error));
        allowed += error == 0;
    }
    add(text, "],\n    \"allowed_events\": %zu, \"event_of_no_database\": %d", allowed,
        try_event(kpep->api, 0xfffe, 0x3fc));
}

static void add_map(struct text *text, const struct lauka_kpep *kpep, struct lauka_kpep_set *set)
{
    static const char *const names[] = {"INST_LDST", "BRANCH_MISPRED_NONSPEC", "L1D_TLB_MISS"};
    struct lauka_apple_event found[3];
    char own[3][LAUKA_EVENT_NAME_SIZE];
    uint16_t masks[3] = {0};
    int8_t slots[3] = {LAUKA_SLOT_NONE, LAUKA_SLOT_NONE, LAUKA_SLOT_NONE};
    for (size_t i = 0; i < 3; i++) {
        const struct lauka_event event = {.name = names[i]};
        if (lauka_kpep_find(kpep, &event, own[i], sizeof own[i], &found[i]) == 0)
            masks[i] = found[i].mask;
    }
    lauka_slots_match(masks, 3, slots);
    int code = lauka_kpep_configure(kpep, found, slots, 3, set);
    add(text, ",\n    \"map\": {\"code\": %d, \"words\": %zu", code, set->word_count);
    for (size_t i = 0; i < 3; i++)
        add(text, ", \"%s\": {\"mask\": %u, \"slot\": %d, \"value\": %zu}", names[i], masks[i],
            slots[i], set->value_of[i]);
    add(text, "}");
}

static void add_session(struct text *text, const struct lauka_kperf_api *api,
                        const struct lauka_kpep_set *set)
{
    struct lauka_kperf session = {0};
    int error = lauka_kperf_open(&session, api, set);
    add(text, ",\n    \"session\": {\"error\": %d, \"step\": \"%s\"", error,
        error ? session.step : "");
    if (!error) {
        error = lauka_kperf_sample(&session, 1);
        add(text, ", \"sample_error\": %d, \"least_period_ns\": %llu", error,
            (unsigned long long)session.period_ns);
        lauka_kperf_close(&session);
    }
    add(text, "}");
}

void lauka_native_probe(char *json, size_t size)
{
    struct text text = {json, size, 0};
    struct lauka_kperf_api api;
    struct lauka_kpep kpep;
    struct lauka_kpep_set set;
    char why[300];

    if (!lauka_kperf_load(&api, why, sizeof why)) {
        add(&text, "{\"library\": \"%s\"}", why);
        return;
    }
    int code = lauka_kpep_open(&kpep, &api);
    add(&text, "{\"database\": \"%s\", \"database_code\": %d, \"table\": \"%s\"", kpep.name, code,
        kpep.chip ? kpep.chip->name : "");
    add_counts(&text, &api, "before_forcing");
    errno = 0;
    int forced = api.kpc_force_all_ctrs_set(1);
    add(&text, ",\n    \"forcing\": %d", forced == 0 ? 0 : errno);
    if (forced == 0 && code == 0) {
        add_counts(&text, &api, "forced");
        add_allowlist(&text, &kpep);
        api.kpc_force_all_ctrs_set(0);
        add_counts(&text, &api, "after_forcing");
    }
    if (code == 0) {
        add_map(&text, &kpep, &set);
        add_session(&text, &api, &set);
        lauka_kpep_close(&kpep);
    }
    add(&text, "}");
}
