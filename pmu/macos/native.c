/* native: what can be counted on macOS besides what has portable names. */
#include <stdio.h>

#include "pmu/macos/darwin.h"
#include "pmu/macos/kperf.h"
#include "pmu/apple/apple.h"
#include "pmu/counters/backend.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

/* Those of the kernel's account that have no portable name, and some that have one. */
const struct lauka_event *lauka_native_events(size_t *count)
{
    static const char *const portable[] = {"cycles", "instructions", "branch_misses"};
    static struct lauka_event events[LAUKA_USAGE_COUNTS + 1];
    size_t usage_count;
    const struct lauka_event *usage = lauka_darwin_usage_events(&usage_count);
    *count = 0;
    for (size_t i = 0; i < sizeof portable / sizeof portable[0]; i++)
        events[(*count)++] = *lauka_event_find(portable[i]);
    for (size_t i = LAUKA_USAGE_INSTRUCTIONS + 1; i < usage_count; i++)
        events[(*count)++] = usage[i];
    return events;
}

static bool find_usage(const char *asked, struct lauka_event *event)
{
    size_t count;
    const struct lauka_event *events = lauka_darwin_usage_events(&count);
    for (size_t i = LAUKA_USAGE_INSTRUCTIONS + 1; i < count; i++)
        if (lauka_same_name(events[i].name, asked)) {
            *event = events[i];
            return true;
        }
    return false;
}

/* The live database can be asked without root. */
static bool is_in_database(const char *name)
{
    static struct lauka_kperf_api api;
    struct lauka_kpep kpep;
    struct lauka_kpep_event *found;
    char text[200];
    if (!lauka_kperf_load(&api, text, sizeof text) || lauka_kpep_open(&kpep, &api) != 0)
        return false;
    bool known = api.kpep_db_event(kpep.db, name, &found) == 0;
    lauka_kpep_close(&kpep);
    return known;
}

bool lauka_native_event(const char *asked, struct lauka_event *event, char *name, size_t size)
{
    if (find_usage(asked, event)) {
        snprintf(name, size, "%s", event->name);
        return true;
    }
    uint64_t config;
    if (lauka_event_find(asked) || lauka_cache_event_parse(asked, &config))
        return false;
    if (!lauka_apple_name(asked, 0) && !is_in_database(asked))
        return false;
    *event = (struct lauka_event){.unit = "1",
                                  .source = "kperf",
                                  .type = LAUKA_TYPE_KPEP,
                                  .better = LAUKA_BETTER_NEITHER,
                                  .description = "an event of this Mac's database"};
    if (name != asked)
        snprintf(name, size, "%s", asked);
    return true;
}

const char *lauka_backend_unsupported(void)
{
    return "this Mac does not tell; run lauka doctor --selftest";
}
