/* Energy of the whole machine from a powercap that is made by hand. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/linux/perf_event.h"
#include "tests/unit/expect.h"

static char root[] = "/tmp/lauka-machine-XXXXXX";
static const char *const zones[] = {"intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0",
                                    "intel-rapl-mmio:0"};
static const char *const names[] = {"package-0", "package-1", "core", "package-0"};
enum { ZONES = sizeof zones / sizeof *zones };

static struct lauka_counters counters;
static struct lauka_event events[2];
static struct lauka_reading readings[2];

static void put(size_t zone, const char *file, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", root, zones[zone]);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/%s", root, zones[zone], file);
    FILE *out = fopen(path, "w");
    EXPECT(out && fputs(text, out) >= 0 && fclose(out) == 0);
}

static void set_energies(const char *const energies[ZONES])
{
    for (size_t z = 0; z < ZONES; z++)
        put(z, "energy_uj", energies[z]);
}

static void make_zones(void)
{
    for (size_t z = 0; z < ZONES; z++) {
        put(z, "name", names[z]);
        put(z, "max_energy_range_uj", "1000\n");
    }
    set_energies((const char *const[]){"900\n", "10\n", "5\n", "1\n"});
}

static void remove_zones(void)
{
    static const char *const files[] = {"/name", "/max_energy_range_uj", "/energy_uj", ""};
    char path[200];
    for (size_t z = 0; z < ZONES; z++)
        for (size_t f = 0; f < 4; f++) {
            snprintf(path, sizeof path, "%s/%s%s", root, zones[z], files[f]);
            remove(path);
        }
    remove(root);
}

static void open_two(const char *first, const char *second)
{
    memset(events, 0, sizeof events);
    memset(readings, 0, sizeof readings);
    EXPECT(lauka_powercap_event(root, first, &events[0]));
    EXPECT(lauka_powercap_event(root, second, &events[1]));
    events[0].of_machine = events[1].of_machine = true;
    lauka_counters_prepare(&counters, events, 2);
}

static void the_energy_of_all_packages_is_counted_across_the_wrap(void)
{
    open_two("energy-pkg", "energy-cores");
    EXPECT_UINT((uint64_t)lauka_machine_hold(&counters, 0, root), 0);
    EXPECT_UINT((uint64_t)lauka_machine_hold(&counters, 1, root), 0);
    EXPECT_UINT(counters.machine_count,
                3); /* two packages, and the cores; the others are the same registers */
    lauka_counters_look(&counters);
    set_energies((const char *const[]){"100\n", "15\n", "5\n", "500\n"});
    lauka_machine_end(&counters, readings);
    EXPECT_UINT(readings[0].value, 205);
    EXPECT_UINT(readings[1].value, 0);
    EXPECT(readings[0].running > 0 && readings[1].running > 0);
    lauka_counters_look(&counters);
    put(1, "energy_uj", ""); /* one of two cannot be read: their sum is not known */
    memset(readings, 0, sizeof readings);
    lauka_machine_end(&counters, readings);
    EXPECT_UINT(readings[0].running, 0);
    EXPECT(readings[1].running > 0);
    lauka_machine_release(&counters);
    EXPECT_UINT(counters.machine_count, 0);
    make_zones();
}

static void what_is_not_there_is_refused(void)
{
    struct lauka_event event = {0};
    open_two("energy-psys", "energy-pkg");
    EXPECT_UINT((uint64_t)lauka_machine_hold(&counters, 0, root), ENOENT);
    EXPECT_UINT((uint64_t)lauka_machine_hold(&counters, 1, "/nonexistent"), ENOENT);
    EXPECT_UINT(counters.machine_count, 0);
    EXPECT(!lauka_powercap_event(root, "energy-nonsense", &event));
    EXPECT(!lauka_powercap_event("/nonexistent", "energy-pkg", &event));
    EXPECT_TEXT(lauka_powercap_zone(events[0].config), "psys");
}

static void more_than_fit_are_refused_and_closed(void)
{
    open_two("energy-pkg", "energy-pkg");
    counters.machine_count = LAUKA_MACHINE_MAX - 1;
    EXPECT_UINT((uint64_t)lauka_machine_hold(&counters, 0, root), ENOSPC);
    EXPECT_UINT(counters.machine_count, LAUKA_MACHINE_MAX - 1);
    counters.machine_count = 0;
}

int main(void)
{
    EXPECT(mkdtemp(root) != NULL);
    make_zones();
    TEST(the_energy_of_all_packages_is_counted_across_the_wrap);
    TEST(what_is_not_there_is_refused);
    TEST(more_than_fit_are_refused_and_closed);
    remove_zones();
    return expect_report("machine");
}
