/* suggest: the known names that are nearest to what was typed. */
#include "pmu/events/events.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { SUGGESTIONS = 3, LONGEST = LAUKA_EVENT_NAME_SIZE };

struct nearest {       /* the best names so far, nearest first */
    const char *typed; /* borrowed */
    size_t count;
    size_t distances[SUGGESTIONS];
    char names[SUGGESTIONS][LONGEST];
};

static char plain(char c)
{
    return c == '-' ? '_' : (char)tolower((unsigned char)c);
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t least_two = a < b ? a : b;
    return least_two < c ? least_two : c;
}

bool lauka_name_contains(const char *name, const char *part)
{
    for (; *name; name++) {
        size_t i = 0;
        while (part[i] && plain(name[i]) == plain(part[i]))
            i++;
        if (!part[i])
            return true;
    }
    return false;
}

size_t lauka_name_distance(const char *a, const char *b)
{
    size_t row[LONGEST + 1], length = strlen(b);
    if (length > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t replaced = diagonal + (plain(a[i]) != plain(b[j]));
            diagonal = row[j + 1];
            row[j + 1] = least(replaced, row[j] + 1, diagonal + 1);
        }
    }
    return row[length];
}

static void consider(struct nearest *nearest, const char *spelling, const char *name)
{
    size_t far = lauka_name_distance(spelling, nearest->typed);
    /* A part of a name is near, too: "tlb". */
    if (far > 1 && strlen(nearest->typed) >= 3 && lauka_name_contains(spelling, nearest->typed))
        far = 1;
    if (far > 1 + strlen(nearest->typed) / 4)
        return;
    for (size_t i = 0; i < nearest->count; i++)
        if (strcmp(nearest->names[i], name) == 0)
            return;
    size_t at = nearest->count < SUGGESTIONS ? nearest->count++ : SUGGESTIONS;
    for (; at > 0 && nearest->distances[at - 1] > far; at--) {
        if (at == SUGGESTIONS)
            continue;
        nearest->distances[at] = nearest->distances[at - 1];
        memcpy(nearest->names[at], nearest->names[at - 1], LONGEST);
    }
    if (at == SUGGESTIONS)
        return;
    nearest->distances[at] = far;
    snprintf(nearest->names[at], LONGEST, "%s", name);
}

static void consider_portable(struct nearest *nearest)
{
    const char *alias, *name;
    size_t count;
    const struct lauka_event *events = lauka_portable_events(&count);
    for (size_t i = 0; i < count; i++)
        consider(nearest, events[i].name, events[i].name);
    for (size_t i = 0; (alias = lauka_event_alias(i, &name)) != NULL; i++)
        consider(nearest, alias, name);
    uint64_t config;
    for (size_t i = 0; lauka_cache_event(i, &config); i++) {
        char own[LONGEST];
        lauka_cache_event_name(config, own, sizeof own);
        consider(nearest, own, own);
    }
}

static void consider_sysfs(struct nearest *nearest, const char *root)
{
    char **pmus = lauka_sysfs_list(root, ".");
    for (char **pmu = pmus; pmu && *pmu; pmu++) {
        char folder[512];
        snprintf(folder, sizeof folder, "%s/events", *pmu);
        char **events = lauka_sysfs_list(root, folder);
        for (char **event = events; event && *event; event++) {
            char name[LONGEST];
            snprintf(name, sizeof name, "%.60s/%.60s/", *pmu, *event);
            if (lauka_sysfs_is_event(*event)) {
                consider(nearest, *event, name);
                consider(nearest, name, name);
            }
        }
        lauka_sysfs_free(events);
    }
    lauka_sysfs_free(pmus);
}

static void tell(const struct nearest *nearest, char *text, size_t size)
{
    size_t used = 0;

    if (size > 0)
        text[0] = '\0';
    for (size_t i = 0; i < nearest->count && used < size; i++) {
        const char *before = i == 0 ? "" : i + 1 < nearest->count ? ", " : " or ";
        int length = snprintf(text + used, size - used, "%s%s", before, nearest->names[i]);
        used += length > 0 ? (size_t)length : 0;
    }
}

void lauka_event_suggest(const char *typed, const char *root, char *text, size_t size)
{
    struct nearest nearest = {.typed = typed};

    consider_portable(&nearest);
    consider_sysfs(&nearest, root);
    tell(&nearest, text, size);
}

static void consider_system(struct nearest *nearest, const char *system)
{
    char **names = lauka_tracepoint_list(NULL, system);
    for (char **name = names; name && *name; name++) {
        char whole[LONGEST];
        int length = snprintf(whole, sizeof whole, "%s:%s", system, *name);
        if (length > 0 && (size_t)length < sizeof whole && lauka_tracepoint_is(whole))
            consider(nearest, whole, whole);
    }
    lauka_sysfs_free(names);
}

void lauka_tracepoint_suggest(const char *typed, char *text, size_t size)
{
    struct nearest nearest = {.typed = typed};
    char **systems = lauka_tracepoint_list(NULL, NULL);

    for (char **system = systems; system && *system; system++)
        consider_system(&nearest, *system);
    lauka_sysfs_free(systems);
    tell(&nearest, text, size);
}
