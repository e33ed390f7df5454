/* tracepoint: events that the kernel's code reports itself: every system call, every switch of a CPU to
 * another task. They need no PMU. Their numbers are in tracefs: events/SYSTEM/NAME/id. */
#include "pmu/events/events.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where it is usually mounted, and where it was before Linux 4.1. */
static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
enum { PLACES = sizeof places / sizeof places[0], PATH_SIZE = 400 };

/* lauka's name for one of them. */
static const char short_name[] = "syscalls", short_meaning[] = "raw_syscalls:sys_enter";

/* "sched:sched_switch"; nothing that leads out of a folder. */
bool lauka_tracepoint_is(const char *name)
{
    const char *colon = strchr(name, ':');
    if (!colon || colon == name || !colon[1])
        return false;
    for (const char *at = name; *at; at++)
        if (at != colon && !isalnum((unsigned char)*at) && *at != '_' && *at != '-')
            return false;
    return strcmp(colon, ":enable") != 0 && strcmp(colon, ":filter") != 0; /* files beside them */
}

/* The errno that prevents reading the folder of events; 0 if it can be read. */
static int find_root(const char *const *roots, size_t count, const char **root)
{
    int error = ENOENT;
    for (size_t i = 0; i < count; i++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s/events", roots[i]);
        *root = roots[i];
        if (access(path, R_OK | X_OK) == 0)
            return 0;
        error = errno == EACCES || errno == EPERM ? EACCES : error;
    }
    return error;
}

static int read_id(const char *root, const char *name, uint64_t *id)
{
    char file[PATH_SIZE], text[32], *end;
    const char *colon = strchr(name, ':');
    snprintf(file, sizeof file, "events/%.*s/%s/id", (int)(colon - name), name, colon + 1);
    errno = 0;
    if (!lauka_sysfs_read(root, file, text, sizeof text))
        return errno == EACCES || errno == EPERM ? EACCES : ESRCH;
    *id = strtoull(text, &end, 10);
    return end != text && !*end && *id != 0 ? 0 : ESRCH;
}

int lauka_tracepoint_find(const char *root, struct lauka_event *event)
{
    const char *name = strcmp(event->name, short_name) == 0 ? short_meaning : event->name;
    int error = find_root(root ? &root : places, root ? 1 : PLACES, &root);
    if (event->config != 0)
        return 0;
    return error ? error : read_id(root, name, &event->config);
}

char **lauka_tracepoint_list(const char *root, const char *system)
{
    char folder[PATH_SIZE];
    if (find_root(root ? &root : places, root ? 1 : PLACES, &root) != 0)
        return NULL;
    snprintf(folder, sizeof folder, "events%s%s", system ? "/" : "", system ? system : "");
    return lauka_sysfs_list(root, folder);
}
