/* machine: what whole CPUs did while a run went on, of everybody's work: energy, memory controllers. The events stay open,
 * on each CPU of their PMU's cpumask, and are read before and after a run. Where there is no PMU of the energy, the same
 * registers are files of powercap (Documentation/power/powercap/powercap.rst), which begin again at their range. */
#include "pmu/linux/perf_event.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NAME_SIZE = 128, TEXT_SIZE = 256 };

static int add_file(struct lauka_counters *counters, size_t event, int fd, uint64_t range)
{
    if (fd < 0)
        return errno;
    if (counters->machine_count == LAUKA_MACHINE_MAX) {
        close(fd);
        return ENOSPC;
    }
    counters->machine[counters->machine_count++] =
        (struct lauka_machine_count){.fd = fd, .event = (uint8_t)event, .range = range};
    return 0;
}

/* ---- by PMUs ------------------------------------------------------------------------------------- */

/* 0 or an errno. */
static int hold_pmu(struct lauka_counters *counters, size_t index, const struct lauka_event *event,
                    const char *pmu)
{
    char file[NAME_SIZE], text[TEXT_SIZE];
    struct lauka_cpu_set cpus = {0};
    int error = ENODEV; /* no CPU */
    snprintf(file, sizeof file, "%.64s/cpumask", pmu);
    if (!lauka_sysfs_read(LAUKA_SYSFS, file, text, sizeof text) ||
        !lauka_cpu_set_parse(text, &cpus))
        return ENOENT;
    for (unsigned cpu = 0; cpu < LAUKA_CPUS_MAX; cpu++) {
        if (!lauka_cpu_set_has(&cpus, cpu))
            continue;
        int fd = lauka_perf_event_open_on(event, false, LAUKA_PERF_HOLD, -1, -1, (int)cpu);
        error = add_file(counters, index, fd, 0);
        if (error)
            break;
        ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    }
    return error;
}

/* "uncore_imc_0" is one of "uncore_imc". */
static bool is_of_family(const char *pmu, const char *family)
{
    size_t length = strlen(family);
    return strncmp(pmu, family, length) == 0 && pmu[length] == '_' && pmu[length + 1] &&
           strspn(pmu + length + 1, "0123456789") == strlen(pmu + length + 1);
}

/* Of the PMU with the event's type, or of all that are called alike but for a number. */
static int hold_pmus(struct lauka_counters *counters, size_t index)
{
    const struct lauka_event *event = counters->events[index];
    char family[NAME_SIZE];
    char **pmus = lauka_sysfs_list(LAUKA_SYSFS, ".");
    int error = ENOENT;
    bool good = true;
    snprintf(family, sizeof family, "%.*s", (int)strcspn(event->name, "/"), event->name);
    for (char **pmu = pmus; pmu && *pmu && good; pmu++) {
        struct lauka_event own = *event;
        bool meant = lauka_sysfs_pmu(LAUKA_SYSFS, *pmu, &own.type) &&
                     (event->of_family ? is_of_family(*pmu, family) : own.type == event->type);
        if (!meant)
            continue;
        error = hold_pmu(counters, index, &own, *pmu);
        good = error == 0;
    }
    lauka_sysfs_free(pmus);
    return error;
}

/* ---- by powercap --------------------------------------------------------------------------------- */

/* Whether the zone is the one of the event: packages are numbered, and there are such zones of other drivers, which show
 * the same registers. */
static bool is_zone(const char *root, const char *folder, const char *zone)
{
    char file[NAME_SIZE], name[TEXT_SIZE];
    snprintf(file, sizeof file, "%.64s/name", folder);
    return strncmp(folder, "intel-rapl:", 11) == 0 &&
           lauka_sysfs_read(root, file, name, sizeof name) &&
           strncmp(name, zone, strlen(zone)) == 0 &&
           (!name[strlen(zone)] || name[strlen(zone)] == '-');
}

static int hold_zone(struct lauka_counters *counters, size_t index, const char *root,
                     const char *folder)
{
    char file[NAME_SIZE], text[TEXT_SIZE], path[NAME_SIZE + TEXT_SIZE];
    snprintf(file, sizeof file, "%.64s/max_energy_range_uj", folder);
    uint64_t range = lauka_sysfs_read(root, file, text, sizeof text) ? strtoull(text, NULL, 10) : 0;
    snprintf(path, sizeof path, "%.200s/%.64s/energy_uj", root, folder);
    return add_file(counters, index, open(path, O_RDONLY | O_CLOEXEC), range);
}

static int hold_zones(struct lauka_counters *counters, size_t index, const char *root)
{
    const char *zone = lauka_powercap_zone(counters->events[index]->config);
    char **folders = lauka_sysfs_list(root, ".");
    int error = ENOENT;
    bool good = true;
    for (char **folder = folders; folder && *folder && good; folder++)
        if (is_zone(root, *folder, zone)) {
            error = hold_zone(counters, index, root, *folder);
            good = error == 0;
        }
    lauka_sysfs_free(folders);
    return error;
}

/* ---- both ---------------------------------------------------------------------------------------- */

int lauka_machine_hold(struct lauka_counters *counters, size_t index, const char *powercap)
{
    const size_t before = counters->machine_count;
    int error = counters->events[index]->type == LAUKA_TYPE_POWERCAP
                    ? hold_zones(counters, index, powercap)
                    : hold_pmus(counters, index);
    while (error && counters->machine_count > before)
        close(counters->machine[--counters->machine_count].fd);
    return error;
}

void lauka_machine_release(struct lauka_counters *counters)
{
    while (counters->machine_count > 0)
        close(counters->machine[--counters->machine_count].fd);
}

/* A running total, in a time that is meaningless for powercap. Empty if it cannot be read. */
static struct lauka_reading read_total(const struct lauka_machine_count *count)
{
    char text[32];
    if (count->range == 0)
        return lauka_perf_event_read(count->fd);
    ssize_t got = pread(count->fd, text, sizeof text - 1, 0);
    if (got <= 0)
        return (struct lauka_reading){0};
    text[got] = '\0';
    return (struct lauka_reading){strtoull(text, NULL, 10), 1, 1};
}

void lauka_counters_look(struct lauka_counters *counters)
{
    for (size_t i = 0; i < counters->machine_count; i++)
        counters->machine[i].before = read_total(&counters->machine[i]);
}

/* What one of them counted since then. */
static struct lauka_reading since(const struct lauka_machine_count *count)
{
    struct lauka_reading now = read_total(count), before = count->before;
    if (count->range == 0)
        return lauka_perf_event_since(&now, &before);
    if (now.running == 0 || before.running == 0)
        return (struct lauka_reading){0};
    now.value += now.value < before.value ? count->range : 0;
    now.value -= before.value;
    return now;
}

void lauka_machine_end(const struct lauka_counters *counters, struct lauka_reading *readings)
{
    bool known[LAUKA_EVENTS_MAX];
    memset(known, true, sizeof known);
    for (size_t i = 0; i < counters->machine_count; i++) {
        size_t event = counters->machine[i].event;
        struct lauka_reading part = since(&counters->machine[i]);
        readings[event].value += part.value;
        readings[event].enabled += part.enabled;
        readings[event].running += part.running;
        known[event] = known[event] && part.running > 0;
    }
    for (size_t e = 0; e < counters->asked; e++) /* without one of its parts a sum says nothing */
        if (counters->events[e]->of_machine && !known[e])
            readings[e] = (struct lauka_reading){0};
}
