/* Sets of CPUs, and the core types that a made-up sysfs describes. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "tests/unit/expect.h"

/* ---- cpu_set.c ---- */

static void a_list_reads_as_it_is_written(void)
{
    static const char *const lists[] = {"0", "0-3", "0-1,4", "2,4,6-9,1023", "63-64"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct lauka_cpu_set set;
        char text[100];
        EXPECT(lauka_cpu_set_parse(lists[i], &set));
        lauka_cpu_set_format(&set, text, sizeof text);
        EXPECT_TEXT(text, lists[i]);
    }
    struct lauka_cpu_set set;
    char text[100];
    EXPECT(lauka_cpu_set_parse("3,1,2,2-3", &set));
    EXPECT_UINT(lauka_cpu_set_count(&set), 3);
    lauka_cpu_set_format(&set, text, sizeof text);
    EXPECT_TEXT(text, "1-3");
}

static void what_is_no_list_is_refused_and_changes_nothing(void)
{
    static const char *const lists[] = {"",
                                        "a",
                                        "1-",
                                        "-1",
                                        "1,",
                                        ",1",
                                        "1 2",
                                        "3-1",
                                        "1024",
                                        "1--2",
                                        "1-2-3",
                                        "0x1",
                                        "99999999999999999999"};
    struct lauka_cpu_set set;
    EXPECT(lauka_cpu_set_parse("5", &set));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        EXPECT(!lauka_cpu_set_parse(lists[i], &set));
        EXPECT(lauka_cpu_set_has(&set, 5) && lauka_cpu_set_count(&set) == 1);
    }
}

static void a_set_is_cut_to_the_room_there_is(void)
{
    struct lauka_cpu_set set;
    EXPECT(lauka_cpu_set_parse("1,3,5,7,9", &set));
    for (size_t size = 1; size < 12; size++) {
        char text[16];
        memset(text, '#', sizeof text);
        lauka_cpu_set_format(&set, text, size);
        EXPECT(strlen(text) < size && strncmp(text, "1,3,5,7,9", strlen(text)) == 0);
        EXPECT(text[size] == '#');
    }
}

static void sets_are_joined_and_taken_out(void)
{
    struct lauka_cpu_set all, some;
    char text[100];
    EXPECT(lauka_cpu_set_parse("0-7", &all) && lauka_cpu_set_parse("2-3,70", &some));
    lauka_cpu_set_remove(&all, &some);
    lauka_cpu_set_format(&all, text, sizeof text);
    EXPECT_TEXT(text, "0-1,4-7");
    lauka_cpu_set_join(&all, &some);
    lauka_cpu_set_format(&all, text, sizeof text);
    EXPECT_TEXT(text, "0-7,70");
    EXPECT(!lauka_cpu_set_has(&all, 5000));
}

static void the_own_affinity_can_be_set_again(void)
{
    struct lauka_cpu_set before, after;
    if (lauka_affinity_get(0, &before) != 0)
        return; /* on macOS */
    EXPECT(lauka_cpu_set_count(&before) > 0);
    EXPECT(lauka_affinity_set(0, &before) == 0);
    EXPECT(lauka_affinity_get(0, &after) == 0 && memcmp(&before, &after, sizeof before) == 0);
    struct lauka_cpu_set none = {0};
    EXPECT(lauka_affinity_set(0, &none) != 0);
}

/* ---- topology.c ---- */

static char root[] = "/tmp/lauka_topology_XXXXXX";

/* Creates the file, and the folders above it. */
static void put(const char *file, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, file);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    FILE *to = fopen(path, "w");
    EXPECT(to != NULL);
    if (to) {
        fputs(text, to);
        fclose(to);
    }
}

static void put_speeds(const char *measure, const unsigned *speeds, unsigned count)
{
    char file[128], text[32];
    for (unsigned cpu = 0; cpu < count; cpu++) {
        snprintf(file, sizeof file, "devices/system/cpu/cpu%u/%s", cpu, measure);
        snprintf(text, sizeof text, "%u\n", speeds[cpu]);
        put(file, text);
    }
    snprintf(text, sizeof text, "0-%u\n", count - 1);
    put("devices/system/cpu/online", text);
}

static void put_pmu(const char *name, const char *type, const char *cpus)
{
    char file[128];
    snprintf(file, sizeof file, "bus/event_source/devices/%s/type", name);
    put(file, type);
    snprintf(file, sizeof file, "bus/event_source/devices/%s/cpus", name);
    if (cpus)
        put(file, cpus);
}

static bool make_root(void)
{
    strcpy(root + strlen(root) - 6, "XXXXXX");
    return mkdtemp(root) != NULL;
}

static void remove_root(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", root);
    EXPECT(system(command) == 0);
}

static void expect_type(const struct lauka_topology *topology, size_t index, const char *label,
                        const char *pmu, const char *cpus)
{
    char text[100];
    const struct lauka_core_type *type = &topology->types[index];
    EXPECT_TEXT(type->label, label);
    EXPECT_TEXT(type->pmu, pmu);
    lauka_cpu_set_format(&type->cpus, text, sizeof text);
    EXPECT_TEXT(text, cpus);
    EXPECT_UINT(type->cpu_count, lauka_cpu_set_count(&type->cpus));
}

static void equal_cores_are_one_kind_without_a_label(void)
{
    struct lauka_topology topology;
    EXPECT(make_root());
    put_pmu("cpu", "4\n", NULL);
    put_pmu("software", "1\n", NULL);
    put_speeds("cpu_capacity", (unsigned[]){1024, 1024, 1024, 1024}, 4);
    /* Some cores are favoured; the second line is of four cores of a Ryzen AI Max+ 395. */
    put_speeds("cpufreq/cpuinfo_max_freq", (unsigned[]){4000, 4000, 3800, 4200}, 4);
    put_speeds("acpi_cppc/highest_perf", (unsigned[]){47, 43, 41, 33}, 4);
    lauka_topology_read(root, &topology);
    EXPECT_UINT(topology.type_count, 1);
    EXPECT_UINT(topology.cpu_count, 4);
    expect_type(&topology, 0, "", "", "0-3");
    struct lauka_cpu_set cpus;
    EXPECT(!lauka_topology_find(&topology, "P", &cpus));
    remove_root();
}

static void a_machine_that_tells_nothing_has_one_kind(void)
{
    struct lauka_topology topology;
    lauka_topology_read("/nonexistent", &topology);
    EXPECT_UINT(topology.type_count, 1);
    EXPECT_UINT(topology.cpu_count, 1);
}

static void names_of_pmus_tell_the_kind(void)
{
    struct lauka_topology topology;
    EXPECT(make_root());
    put_pmu("cpu_atom", "10\n", "4-7\n");
    put_pmu("cpu_core", "4\n", "0-3\n");
    put_pmu("cpu_lowpower", "11\n", "8-9\n");
    put_pmu("uncore_imc", "20\n", NULL);
    /* The speeds contradict the names of the PMUs; the names win. */
    put_speeds("cpu_capacity", (unsigned[]){1, 1, 1, 1, 9, 9, 9, 9, 9, 9}, 10);
    lauka_topology_read(root, &topology);
    EXPECT_UINT(topology.type_count, 3);
    expect_type(&topology, 0, "P", "cpu_core", "0-3");
    expect_type(&topology, 1, "E", "cpu_atom", "4-7");
    expect_type(&topology, 2, "LP-E", "cpu_lowpower", "8-9");
    EXPECT_UINT(topology.types[0].pmu_type, 4);
    EXPECT_UINT(lauka_topology_type(&topology, 5), 1);
    EXPECT_UINT(lauka_topology_type(&topology, 77), 3);
    struct lauka_cpu_set cpus;
    char text[50];
    EXPECT(lauka_topology_find(&topology, "E", &cpus));
    lauka_cpu_set_format(&cpus, text, sizeof text);
    EXPECT_TEXT(text, "4-9");
    EXPECT(!lauka_topology_find(&topology, "M", &cpus));
    remove_root();
}

static void capacities_tell_the_kind_where_names_do_not(void)
{
    struct lauka_topology topology;
    EXPECT(make_root());
    put_pmu("armv8_cortex_a53", "10\n", "0-3\n");
    put_pmu("armv8_cortex_a72", "11\n", "4-5\n");
    put_speeds("cpu_capacity", (unsigned[]){446, 446, 446, 446, 1024, 1024}, 6);
    lauka_topology_read(root, &topology);
    EXPECT_UINT(topology.type_count, 2);
    expect_type(&topology, 0, "P", "armv8_cortex_a72", "4-5");
    expect_type(&topology, 1, "E", "armv8_cortex_a53", "0-3");
    remove_root();
}

static void frequencies_tell_the_kind_where_capacities_do_not(void)
{
    struct lauka_topology topology;
    EXPECT(make_root());
    put_pmu("cpu", "4\n", NULL); /* one PMU for both kinds */
    put_speeds("cpu_capacity", (unsigned[]){1024, 1024, 1024, 1024}, 4);
    put_speeds("cpufreq/cpuinfo_max_freq", (unsigned[]){5100000, 3500000, 5000000, 3400000}, 4);
    lauka_topology_read(root, &topology);
    EXPECT_UINT(topology.type_count, 2);
    expect_type(&topology, 0, "P", "", "0,2");
    expect_type(&topology, 1, "E", "", "1,3");
    EXPECT_UINT(topology.types[0].pmu_type, 0);
    remove_root();
}

static void where_one_cpu_has_no_value_the_others_tell_no_kind(void)
{
    struct lauka_topology topology;
    EXPECT(make_root());
    put_speeds("cpu_capacity", (unsigned[]){1024, 0, 446, 446}, 4);
    lauka_topology_read(root, &topology);
    EXPECT_UINT(topology.type_count, 1);
    EXPECT_UINT(topology.types[0].cpu_count, 4);
    put_speeds("cpufreq/cpuinfo_max_freq", (unsigned[]){5100, 5100, 3400, 3400}, 4);
    lauka_topology_read(root, &topology);
    EXPECT_UINT(topology.type_count, 2);
    expect_type(&topology, 0, "P", "", "0-1");
    remove_root();
}

static void kinds_between_the_fastest_and_the_slowest_are_in_the_middle(void)
{
    struct lauka_topology topology;
    EXPECT(make_root());
    put_speeds("cpu_capacity", (unsigned[]){250, 250, 600, 600, 1024, 990}, 6);
    lauka_topology_read(root, &topology);
    EXPECT_UINT(topology.type_count, 3);
    expect_type(&topology, 0, "P", "", "4-5");
    expect_type(&topology, 1, "M", "", "2-3");
    expect_type(&topology, 2, "E", "", "0-1");
    remove_root();
}

static void pmus_of_equally_fast_cores_keep_their_names(void)
{
    struct lauka_topology topology;
    EXPECT(make_root());
    put_pmu("armv8_a", "10\n", "0\n");
    put_pmu("armv8_b", "11\n", "1\n");
    put_speeds("cpu_capacity", (unsigned[]){1024, 1024}, 2);
    lauka_topology_read(root, &topology);
    EXPECT_UINT(topology.type_count, 2);
    expect_type(&topology, 0, "armv8_a", "armv8_a", "0");
    remove_root();
}

/* Expects these labels for two PMUs in a row whose names begin alike, as Arm's do. */
static void expect_names(const char *const pmus[2], const char *const labels[2])
{
    struct lauka_topology topology;
    EXPECT(make_root());
    put_pmu(pmus[0], "10\n", "0-3\n");
    put_pmu(pmus[1], "11\n", "4-7\n");
    lauka_topology_read(root, &topology);
    EXPECT_UINT(topology.type_count, 2);
    expect_type(&topology, 0, labels[0], pmus[0], "0-3");
    expect_type(&topology, 1, labels[1], pmus[1], "4-7");
    remove_root();
}

static void labels_from_names_of_pmus_are_never_the_same(void)
{
    expect_names((const char *[]){"armv8_cortex_a53", "armv8_cortex_a72"},
                 (const char *[]){"cortex_a53", "cortex_a72"});
    expect_names((const char *[]){"armv8_pmuv3_0", "armv8_pmuv3_1"},
                 (const char *[]){"pmuv3_0", "pmuv3_1"});
    expect_names((const char *[]){"armv8_pmuv3_0", "armv9_pmuv3_0"},
                 (const char *[]){"armv8_pmuv3_0", "armv9_pmuv3_0"});
    expect_names((const char *[]){"a_very_long_name_of_a_pmu_that_ends_in_number_1",
                                  "a_very_long_name_of_a_pmu_that_ends_in_number_2"},
                 (const char *[]){"a_very_long_name_of_a_pmu_that_ends_in_number_1",
                                  "a_very_long_name_of_a_pmu_that_ends_in_number_2"});
    /* Both would be P. */
    expect_names((const char *[]){"apple_firestorm_pmu", "apple_firestorm_pmu_1"},
                 (const char *[]){"apple_firestorm_pmu", "apple_firestorm_pmu_1"});
}

static void of_equally_fast_kinds_none_is_called_the_faster_one(void)
{
    struct lauka_topology topology;
    EXPECT(make_root());
    put_pmu("armv8_cortex_a53", "10\n", "0-1\n");
    put_pmu("armv8_cortex_a55", "11\n", "2-3\n");
    put_pmu("armv8_cortex_a76", "12\n", "4-5\n");
    put_speeds("cpu_capacity", (unsigned[]){430, 430, 440, 440, 1024, 1024}, 6);
    lauka_topology_read(root, &topology);
    EXPECT_UINT(topology.type_count, 3);
    expect_type(&topology, 0, "P", "armv8_cortex_a76", "4-5");
    expect_type(&topology, 1, "cortex_a55", "armv8_cortex_a55", "2-3");
    expect_type(&topology, 2, "cortex_a53", "armv8_cortex_a53", "0-1");
    remove_root();
}

static void a_damaged_sysfs_is_survived(void)
{
    static const char *const texts[] = {"", "\n", "x", "0-", "5-2", "-1", "0-99999", "4294967296"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct lauka_topology topology;
        EXPECT(make_root());
        put_pmu("a", texts[i], texts[i]);
        put_pmu("b", texts[i], "0\n");
        put("devices/system/cpu/online", texts[i]);
        put("devices/system/cpu/cpu0/cpu_capacity", texts[i]);
        lauka_topology_read(root, &topology);
        EXPECT(topology.type_count >= 1 && topology.type_count <= LAUKA_CORE_TYPES_MAX);
        remove_root();
    }
}

/* ---- event.c: the cache that an event is about ---- */

/* Checks the description of cache events on a machine with this PMU and this /proc/cpuinfo. */
static void expect_cache(const char *pmu, const char *cpuinfo, const char *cache)
{
    const struct lauka_event *references = lauka_event_find("cache_references");
    const struct lauka_event *misses = lauka_event_find("cache-misses");
    const struct lauka_event *cycles = lauka_event_find("cycles");
    char pmus[200], text[200];
    EXPECT(make_root());
    snprintf(pmus, sizeof pmus, "%s/bus/event_source/devices", root);
    put_pmu("software", "1\n", NULL);
    put_pmu(pmu, "4\n", NULL);
    put("cpuinfo", cpuinfo);
    snprintf(text, sizeof text, "accesses to the %s", cache);
    EXPECT_TEXT(lauka_event_description(references, pmus, root),
                *cache ? text : references->description);
    snprintf(text, sizeof text, "misses in the %s", cache);
    EXPECT_TEXT(lauka_event_description(misses, pmus, root), *cache ? text : misses->description);
    EXPECT_TEXT(lauka_event_description(cycles, pmus, root), cycles->description);
    remove_root();
}

static void the_pmu_tells_which_cache_is_meant(void)
{
    expect_cache("armv8_pmuv3_0", "processor\t: 0\n", "first-level data cache");
    expect_cache("armv8_cortex_a72", "", "first-level data cache");
    expect_cache("cpu", "processor\t: 0\nvendor_id\t: AuthenticAMD\n", "second-level cache");
    expect_cache("cpu", "vendor_id\t: HygonGenuine\n", "second-level cache");
    expect_cache("cpu", "vendor_id\t: GenuineIntel\n", "last-level cache");
    expect_cache("cpu_core", "vendor_id\t: GenuineIntel\n", "last-level cache");
    expect_cache("cpu", "hart\t: 0\nisa\t: rv64imafdc\n", "");
    expect_cache("apple_firestorm_pmu", "", "");
}

static void this_machine_has_cores(void)
{
    struct lauka_topology topology;
    lauka_topology_detect(&topology);
    EXPECT(topology.type_count >= 1 && topology.cpu_count >= 1);
    for (size_t t = 0; t < topology.type_count; t++)
        EXPECT((topology.types[t].label[0] == '\0') == (topology.type_count == 1));
}

/* ---- residency.c ---- */

static void a_share_is_of_the_time_on_all_kinds(void)
{
    struct lauka_residency residency;
    lauka_residency_forget(&residency);
    EXPECT(residency.migrations == LAUKA_UNKNOWN && residency.types[1].cpu_ns == LAUKA_UNKNOWN);
    EXPECT(lauka_residency_share(&residency, 2, 0) < 0);
    residency.types[0].cpu_ns = 3000;
    EXPECT(lauka_residency_total_ns(&residency, 2) == LAUKA_UNKNOWN);
    EXPECT(lauka_residency_share(&residency, 1, 0) == 1);
    residency.types[1].cpu_ns = 1000;
    EXPECT_UINT(lauka_residency_total_ns(&residency, 2), 4000);
    EXPECT(lauka_residency_share(&residency, 2, 0) == 0.75);
    residency.types[0].cpu_ns = residency.types[1].cpu_ns = 0;
    EXPECT(lauka_residency_share(&residency, 2, 0) < 0);
}

int main(void)
{
    TEST(a_list_reads_as_it_is_written);
    TEST(what_is_no_list_is_refused_and_changes_nothing);
    TEST(a_set_is_cut_to_the_room_there_is);
    TEST(sets_are_joined_and_taken_out);
    TEST(the_own_affinity_can_be_set_again);

    TEST(equal_cores_are_one_kind_without_a_label);
    TEST(a_machine_that_tells_nothing_has_one_kind);
    TEST(names_of_pmus_tell_the_kind);
    TEST(capacities_tell_the_kind_where_names_do_not);
    TEST(frequencies_tell_the_kind_where_capacities_do_not);
    TEST(where_one_cpu_has_no_value_the_others_tell_no_kind);
    TEST(kinds_between_the_fastest_and_the_slowest_are_in_the_middle);
    TEST(pmus_of_equally_fast_cores_keep_their_names);
    TEST(labels_from_names_of_pmus_are_never_the_same);
    TEST(of_equally_fast_kinds_none_is_called_the_faster_one);
    TEST(a_damaged_sysfs_is_survived);
    TEST(this_machine_has_cores);
    TEST(the_pmu_tells_which_cache_is_meant);

    TEST(a_share_is_of_the_time_on_all_kinds);
    return expect_report("topology");
}
