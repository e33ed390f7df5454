/* A vendor's table of events. The input is a mapfile.csv and, after a byte 1, the table t.json beside it; without that byte
 * it is the table alone. Of inputs of an odd size the processor is one of Arm's. */
#include "pmu/events/events.h"
#include "runner/base/arena.h"
#include "runner/options.h"
#include "runner/options/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static char folder[] = "/tmp/lauka-fuzz-XXXXXX";

static void name_file(const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", folder, name);
}

static void write_file(const char *name, const char *text, size_t size)
{
    char path[128];

    name_file(name, path);
    FILE *file = fopen(path, "w");
    fuzz_require(file && fwrite(text, 1, size, file) == size && fclose(file) == 0);
}

static void remove_file(const char *name)
{
    char path[128];

    name_file(name, path);
    remove(path);
}

static void remove_folder(void)
{
    remove_file("mapfile.csv");
    remove_file("t.json");
    remove(folder);
}

static void require_plain(const struct lauka_vendor_event *event)
{
    for (const char *at = event->name; *at; at++)
        fuzz_require(isalnum((unsigned char)*at) || strchr("._-", *at));
    for (const char *at = event->description; *at; at++)
        fuzz_require(*at >= ' ' && *at < 0x7f);
    fuzz_require(strlen(event->terms) < LAUKA_EVENT_NAME_SIZE && !strchr(event->pmu, '/'));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static bool made;
    const uint8_t *mark = size > 0 ? memchr(bytes, 1, size) : NULL;
    const char *table = mark ? (const char *)mark + 1 : (const char *)bytes;
    size_t map_size = mark ? (size_t)(mark - bytes) : 0, count;
    struct lauka_arena arena = {0};
    struct lauka_options options = {.arena = &arena};
    const char *why;

    if (!made) {
        fuzz_require(mkdtemp(folder) != NULL);
        atexit(remove_folder);
    }
    fuzz_require(setenv("PERF_CPUID", size % 2 ? "0x00000000410fd080" : "GenuineIntel-6-55-4", 1) ==
                 0);
    made = true;
    remove_file("mapfile.csv");
    if (mark)
        write_file("mapfile.csv", (const char *)bytes, map_size);
    write_file("t.json", table, size - map_size - (mark ? 1 : 0));
    options.measure.event_table = folder;
    const struct lauka_vendor_event *events;
    fuzz_require(lauka_event_tables_read(&options, &events, &count));
    for (size_t e = 0; e < count; e++)
        require_plain(&events[e]);
    for (size_t i = 0; lauka_event_tables_find(&options, "inst_retired.any", i, &why); i++)
        fuzz_require(i < count);
    fuzz_require(strlen(why) < 1000);
    lauka_arena_done(&arena);
    return 0;
}
