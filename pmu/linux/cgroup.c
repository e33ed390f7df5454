/* cgroup on Linux: a control group (v2) for each run, so that the memory of all its processes together
 * is known. Documentation/admin-guide/cgroup-v2.rst of the kernel; memory.peak is there since 5.19.
 *
 * A new one is made for every run, where 6.12 could set the peak back, too: the files that earlier runs
 * have read or written would remain in an old one, and count again. It lies below the nearest cgroup
 * above ours that hands the memory controller down and in which we may make one: systemd gives users
 * such a one, and elsewhere root has it. Nothing else is changed. */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = LAUKA_CGROUP_PATH_SIZE };

/* ---- where we are ---------------------------------------------------------------------------- */

/* "31 23 0:26 ROOT MOUNT rw,nosuid - cgroup2 cgroup2 rw": false for any other line. */
static bool parse_mount(char *line, char mount[PATH_SIZE], char within[PATH_SIZE])
{
    if (!strstr(line, " - cgroup2 ") ||
        strchr(line, '\\')) /* escapes: no path of today's systems */
        return false;
    char *rest = NULL;
    char *field = strtok_r(line, " ", &rest);
    for (int i = 0; i < 3 && field; i++)
        field = strtok_r(NULL, " ", &rest);
    const char *place = field ? strtok_r(NULL, " ", &rest) : NULL;
    if (!place || strlen(place) >= PATH_SIZE || strlen(field) >= PATH_SIZE)
        return false;
    strcpy(within, strcmp(field, "/") == 0 ? "" : field);
    strcpy(mount, place);
    return true;
}

static bool find_mount(const char *root, char mount[PATH_SIZE], char within[PATH_SIZE])
{
    enum { SIZE = 1 << 18 }; /* containers have many mounts */
    char *text = malloc(SIZE), *next = NULL;
    bool found = false;
    if (!text)
        return false;
    lauka_sysfs_take(root, "proc/self/mountinfo", text, SIZE);
    for (char *line = strtok_r(text, "\n", &next); line && !found;
         line = strtok_r(NULL, "\n", &next))
        found = parse_mount(line, mount, within);
    free(text);
    return found;
}

/* The line "0::/our/own", of version 2. */
static bool find_own(const char *root, char own[PATH_SIZE])
{
    char text[8192], *next = NULL;
    lauka_sysfs_take(root, "proc/self/cgroup", text, sizeof text);
    for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
        if (strncmp(line, "0::/", 4) != 0 || strlen(line + 3) >= PATH_SIZE)
            continue;
        strcpy(own, strcmp(line + 3, "/") == 0 ? "" : line + 3);
        return true;
    }
    return false;
}

/* The folder of our own cgroup, and in its first *top characters the mount point. */
static bool find_folder(const char *root, char folder[PATH_SIZE], size_t *top)
{
    char mount[PATH_SIZE], within[PATH_SIZE], own[PATH_SIZE];
    if (!find_mount(root, mount, within) || !find_own(root, own))
        return false;
    size_t shared = strlen(within); /* what is above the mount cannot be seen from here */
    const char *below = strncmp(own, within, shared) == 0 ? own + shared : "";
    *top = strlen(root) + strlen(mount);
    return snprintf(folder, PATH_SIZE, "%s%s%s", root, mount, below) < PATH_SIZE;
}

/* ---- one to make others in ------------------------------------------------------------------- */

static bool hands_memory_down(const char *folder)
{
    char text[400], *next = NULL;
    lauka_sysfs_take(folder, "cgroup.subtree_control", text, sizeof text);
    for (char *word = strtok_r(text, " \n", &next); word; word = strtok_r(NULL, " \n", &next))
        if (strcmp(word, "memory") == 0)
            return true;
    return false;
}

static int try_folder(struct lauka_cgroup *cgroup, const char *folder)
{
    snprintf(cgroup->folder, sizeof cgroup->folder, "%s", folder);
    int error = lauka_cgroup_begin(cgroup);
    if (!error && faccessat(cgroup->own, "memory.peak", R_OK, 0) != 0)
        error = ENOSYS;
    lauka_cgroup_end(cgroup);
    return error;
}

int lauka_cgroup_open(const char *root, struct lauka_cgroup *cgroup)
{
    char folder[PATH_SIZE];
    size_t top;
    int first = ENOTSUP;
    if (cgroup->open)
        return 0;
    *cgroup = (struct lauka_cgroup){.owner = getpid(), .own = -1, .procs = -1};
    if (!find_folder(root, folder, &top))
        return ENOTSUP;
    for (;;) {
        int error = hands_memory_down(folder) ? try_folder(cgroup, folder) : ENOTSUP;
        cgroup->open = error == 0;
        if (cgroup->open)
            return 0;
        first = first == ENOTSUP ? error : first;
        char *end = strrchr(folder, '/');
        if (strlen(folder) <= top || !end)
            return first;
        *end = '\0';
    }
}

/* ---- one run --------------------------------------------------------------------------------- */

static void name_of(const struct lauka_cgroup *cgroup, uint64_t run, char path[PATH_SIZE + 64])
{
    snprintf(path, PATH_SIZE + 64, "%s/lauka-%ld-%llu", cgroup->folder, (long)cgroup->owner,
             (unsigned long long)run);
}

int lauka_cgroup_begin(struct lauka_cgroup *cgroup)
{
    char path[PATH_SIZE + 64];
    name_of(cgroup, ++cgroup->runs, path);
    cgroup->joined = false;
    if (mkdir(path, 0755) != 0)
        return errno;
    cgroup->own = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cgroup->procs =
        cgroup->own >= 0 ? openat(cgroup->own, "cgroup.procs", O_WRONLY | O_CLOEXEC) : -1;
    return cgroup->procs >= 0 ? 0 : errno;
}

void lauka_cgroup_join(struct lauka_cgroup *cgroup)
{
    if (cgroup->procs >= 0)
        cgroup->joined = write(cgroup->procs, "0", 1) == 1;
}

static uint64_t read_peak(const struct lauka_cgroup *cgroup)
{
    char text[40], *end;
    int file = cgroup->joined ? openat(cgroup->own, "memory.peak", O_RDONLY | O_CLOEXEC) : -1;
    ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = '\0';
    uint64_t peak = strtoull(text, &end, 10);
    return end != text && peak > 0 ? peak : LAUKA_UNKNOWN;
}

uint64_t lauka_cgroup_end(struct lauka_cgroup *cgroup)
{
    char path[PATH_SIZE + 64];
    uint64_t peak = read_peak(cgroup);
    if (cgroup->procs >= 0)
        close(cgroup->procs);
    if (cgroup->own >= 0)
        close(cgroup->own);
    cgroup->own = cgroup->procs = -1;
    name_of(cgroup, cgroup->runs, path);
    cgroup->occupied |= rmdir(path) != 0 && errno == EBUSY; /* by what was to live on */
    return peak;
}

void lauka_cgroup_close(struct lauka_cgroup *cgroup)
{
    char path[PATH_SIZE + 64];
    for (uint64_t run = 1; cgroup->occupied && run <= cgroup->runs; run++) {
        name_of(cgroup, run, path);
        rmdir(path);
    }
    cgroup->open = false;
}
