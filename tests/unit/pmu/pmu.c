/* Counting, as far as it can be tested on any machine: missing counters are simulated, and events that
 * the kernel counts in software show that counting works. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/linux/perf_event.h"
#include "tests/unit/expect.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- Helpers ---- */

enum { CYCLES, INSTRUCTIONS, CACHE_REFERENCES, CACHE_MISSES, BRANCH_MISSES, DEFAULTS };

static struct lauka_counters simulated(enum lauka_scenario scenario)
{
    struct lauka_counters counters;
    size_t count;
    const struct lauka_event *events = lauka_default_events(&count);
    lauka_pretended_open(&counters, scenario, events, count);
    return counters;
}

/* The default events, all refused with the same error. */
static struct lauka_counters refused(int error)
{
    struct lauka_counters counters = simulated(LAUKA_SCENARIO_FULL);
    for (size_t i = 0; i < counters.count; i++)
        counters.errors[i] = error;
    return counters;
}

static bool scaled_is(struct lauka_reading reading, uint64_t expected)
{
    uint64_t value;
    return lauka_reading_scaled(&reading, &value) && value == expected;
}

static bool not_counted(struct lauka_reading reading)
{
    uint64_t value = 1;
    return !lauka_reading_scaled(&reading, &value) && value == 0;
}

static double share_of(uint64_t value, uint64_t enabled, uint64_t running)
{
    return lauka_reading_share(&(struct lauka_reading){value, enabled, running});
}

/* The lowest free descriptor: it stays the same unless something leaks. */
static int lowest_free_descriptor(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(fd);
    return fd;
}

/* ---- event.c ---- */

static void every_event_has_a_name_of_its_own_a_unit_and_a_description(void)
{
    const struct lauka_event *all[LAUKA_USAGE_METRICS + DEFAULTS];
    size_t count, used = 0;
    for (size_t i = 0; i < LAUKA_USAGE_METRICS; i++)
        all[used++] = &lauka_usage_events()[i];
    const struct lauka_event *events = lauka_default_events(&count);
    EXPECT_UINT(count, DEFAULTS);
    for (size_t i = 0; i < DEFAULTS; i++)
        all[used++] = &events[i];

    for (size_t i = 0; i < used; i++) {
        EXPECT(all[i]->name && all[i]->description && strlen(all[i]->description) > 10);
        EXPECT(strchr(all[i]->description, '\n') == NULL);
        EXPECT(strcmp(all[i]->unit, "ns") == 0 || strcmp(all[i]->unit, "B") == 0 ||
               strcmp(all[i]->unit, "1") == 0);
        for (size_t other = 0; other < i; other++)
            EXPECT(strcmp(all[i]->name, all[other]->name) != 0);
    }
}

static void the_metrics_are_found_by_their_enum(void)
{
    const struct lauka_event *events = lauka_usage_events();
    EXPECT_TEXT(events[LAUKA_WALL_TIME].name, "wall_time");
    EXPECT_TEXT(events[LAUKA_WALL_TIME].source, "clock");
    EXPECT_TEXT(events[LAUKA_USER_TIME].name, "user_time");
    EXPECT_TEXT(events[LAUKA_SYSTEM_TIME].name, "system_time");
    EXPECT_TEXT(events[LAUKA_CPU_TIME].name, "cpu_time");
    EXPECT_TEXT(events[LAUKA_PEAK_RSS].name, "peak_rss");
    EXPECT_TEXT(events[LAUKA_PEAK_RSS].unit, "B");
    EXPECT_TEXT(events[LAUKA_MINOR_FAULTS].name, "minor_faults");
    EXPECT_TEXT(events[LAUKA_MAJOR_FAULTS].name, "major_faults");
    EXPECT_TEXT(events[LAUKA_CONTEXT_SWITCHES].name, "context_switches");
    EXPECT_TEXT(events[LAUKA_CONTEXT_SWITCHES].source, "rusage");
}

static void the_default_counters_stand_in_order(void)
{
    size_t count;
    const struct lauka_event *events = lauka_default_events(&count);
    EXPECT_TEXT(events[CYCLES].name, "cycles");
    EXPECT_TEXT(events[INSTRUCTIONS].name, "instructions");
    EXPECT_TEXT(events[CACHE_REFERENCES].name, "cache_references");
    EXPECT_TEXT(events[CACHE_MISSES].name, "cache_misses");
    EXPECT_TEXT(events[BRANCH_MISSES].name, "branch_misses");
    EXPECT_TEXT(events[BRANCH_MISSES].source, "perf_event");
}

/* ---- rusage.c ---- */

static void usage_is_converted_to_nanoseconds_and_bytes(void)
{
    struct rusage rusage = {0};
    rusage.ru_utime.tv_sec = 2;
    rusage.ru_utime.tv_usec = 34;
    rusage.ru_stime.tv_usec = 999999;
    rusage.ru_maxrss = 1234;
    rusage.ru_minflt = 56;
    rusage.ru_majflt = 7;
    rusage.ru_nvcsw = 8;
    rusage.ru_nivcsw = 90;

    struct lauka_usage usage;
    lauka_usage_read(&rusage, 4000000001, &usage);
    EXPECT_UINT(usage.values[LAUKA_WALL_TIME], 4000000001);
    EXPECT_UINT(usage.values[LAUKA_USER_TIME], 2000034000);
    EXPECT_UINT(usage.values[LAUKA_SYSTEM_TIME], 999999000);
    EXPECT_UINT(usage.values[LAUKA_CPU_TIME], 3000033000);
    EXPECT_UINT(usage.values[LAUKA_PEAK_RSS], (uint64_t)1234 * LAUKA_MAXRSS_UNIT);
    EXPECT_UINT(usage.values[LAUKA_MINOR_FAULTS], 56);
    EXPECT_UINT(usage.values[LAUKA_MAJOR_FAULTS], 7);
    EXPECT_UINT(usage.values[LAUKA_CONTEXT_SWITCHES], 98);
}

/* ---- counters.c: readings ---- */

static void an_event_that_never_shared_its_counter_is_not_scaled(void)
{
    EXPECT(scaled_is((struct lauka_reading){12345, 1000, 1000}, 12345));
    EXPECT(scaled_is((struct lauka_reading){0, 1000, 1000}, 0));
    EXPECT(scaled_is((struct lauka_reading){UINT64_MAX, UINT64_MAX, UINT64_MAX}, UINT64_MAX));
    EXPECT(share_of(12345, 1000, 1000) == 1);
}

static void an_event_that_shared_its_counter_is_scaled_and_rounded(void)
{
    EXPECT(scaled_is((struct lauka_reading){100, 1000, 250}, 400));
    EXPECT(scaled_is((struct lauka_reading){1, 5, 3}, 2)); /* 1.67 */
    EXPECT(scaled_is((struct lauka_reading){1, 4, 3}, 1)); /* 1.33 */
    EXPECT(scaled_is((struct lauka_reading){1, 3, 2}, 2)); /* 1.5 */
    EXPECT(share_of(100, 1000, 250) == 0.25);
}

static void scaling_does_not_overflow_on_the_way(void)
{
    const uint64_t half = (uint64_t)1 << 63;
    EXPECT(scaled_is((struct lauka_reading){half - 1, half, half / 2}, 2 * (half - 1)));
    EXPECT(not_counted((struct lauka_reading){UINT64_MAX, UINT64_MAX, 1}));
}

static void an_event_that_never_ran_was_not_counted(void)
{
    EXPECT(not_counted((struct lauka_reading){0, 0, 0}));
    EXPECT(not_counted((struct lauka_reading){0, 1000, 0}));
    EXPECT(not_counted((struct lauka_reading){77, 1000, 0}));
    EXPECT(share_of(0, 0, 0) == 0);
    EXPECT(share_of(0, 1000, 0) == 0);
}

static void an_event_cannot_run_for_more_than_its_time(void)
{
    EXPECT(scaled_is((struct lauka_reading){50, 1000, 1001}, 50));
    EXPECT(share_of(50, 1000, 1001) == 1);
}

/* ---- counters.c: advice ---- */

static void where_nothing_is_missing_there_is_no_advice(void)
{
    struct lauka_counters counters = simulated(LAUKA_SCENARIO_FULL);
    char text[100] = "old";
    EXPECT(!lauka_counters_advice(&counters, text, sizeof text));
    EXPECT_TEXT(text, "");
    counters.count = 0;
    EXPECT(!lauka_counters_advice(&counters, text, sizeof text));
}

/* Each message says what is missing, why, and what to do. */
static void every_refusal_has_its_own_advice(void)
{
    static const struct {
        int error;
        const char *says;
    } refusals[] = {
        {EACCES, "kernel.perf_event_paranoid"},
        {EPERM, "--cap-add PERFMON"},
        {ENOSYS, "seccomp=unconfined"},
        {ENOENT, "this machine has no PMU; try "},
        {ENOTSUP, "the counters"},
        {EINVAL, "invalid"},
        {ENODEV, "offline"},
        {EMFILE, "ulimit -n"},
        {ENFILE, "fs.file-max"},
        {ESRCH, "already gone"},
        {E2BIG, "does not understand"},
        {ENOSPC, "fewer events"},
        {EBUSY, "kernel.nmi_watchdog"},
        {ENOBUFS, "no more than 64 CPUs"},
        {EIO, "please report it"}, /* an unknown error */
    };
    static char texts[COUNT(refusals)][500];
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct lauka_counters counters = refused(refusals[i].error);
        EXPECT(lauka_counters_advice(&counters, texts[i], sizeof texts[i]));
        EXPECT(strstr(texts[i], "cannot count cycles, instructions, cache_references, "
                                "cache_misses, branch_misses: ") == texts[i]);
        EXPECT(strstr(texts[i], refusals[i].says) != NULL);
        if (!strstr(texts[i], refusals[i].says))
            printf("  %s\n", texts[i]);
        EXPECT(strchr(texts[i], ';') != NULL); /* separates the reason from the advice */
        EXPECT(strchr(texts[i], '\n') == NULL);
        EXPECT(strlen(texts[i]) < 300);
        for (size_t other = 0; other < i; other++)
            EXPECT(strcmp(texts[i], texts[other]) != 0);
    }
}

static void only_what_is_missing_is_named(void)
{
    struct lauka_counters counters = simulated(LAUKA_SCENARIO_FULL);
    char text[500];
    counters.errors[CACHE_MISSES] = EBUSY;
    EXPECT(lauka_counters_advice(&counters, text, sizeof text));
    EXPECT(strstr(text, "cannot count cache_misses: another profiler") == text);
}

static void an_unknown_event_beside_a_counted_one_is_the_cpus_matter(void)
{
    struct lauka_counters counters = refused(ENOENT);
    char text[500];
    counters.errors[CYCLES] = 0;
    EXPECT(lauka_counters_advice(&counters, text, sizeof text));
    EXPECT(strstr(text, "cannot count instructions, ") == text);
    EXPECT(strstr(text, "this CPU does not have") != NULL);
    EXPECT(strstr(text, "virtual") == NULL);
}

static void different_refusals_are_explained_apart(void)
{
    struct lauka_counters counters = simulated(LAUKA_SCENARIO_FULL);
    char text[500];
    counters.errors[INSTRUCTIONS] = EBUSY;
    counters.errors[CACHE_MISSES] = ENOENT;
    counters.errors[BRANCH_MISSES] = EBUSY;
    EXPECT(lauka_counters_advice(&counters, text, sizeof text));
    EXPECT(strstr(text, "cannot count instructions, branch_misses: another profiler") == text);
    EXPECT(strstr(text, "; cannot count cache_misses: this CPU") != NULL);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    EXPECT(file != NULL);
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

static void the_watchdog_that_holds_a_counter_is_named(void)
{
    char root[] = "/tmp/lauka_pmu_XXXXXX", path[64];
    EXPECT(mkdtemp(root) != NULL);
    EXPECT(strstr(lauka_counter_holder(root), "another profiler") != NULL);
    snprintf(path, sizeof path, "%s/nmi_watchdog", root);
    write_file(path, "0\n");
    EXPECT(strstr(lauka_counter_holder(root), "another profiler") != NULL);
    write_file(path, "1\n");
    EXPECT(strstr(lauka_counter_holder(root), "kernel.nmi_watchdog = 0") != NULL);
    remove(path);
    rmdir(root);
}

static void a_virtual_machine_is_told_from_a_bare_one(void)
{
    char root[] = "/tmp/lauka_pmu_XXXXXX", path[64], text[500];
    EXPECT(mkdtemp(root) != NULL);
    EXPECT(!lauka_machine_is_virtual(root));
    snprintf(path, sizeof path, "%s/cpuinfo", root);
    write_file(path, "processor : 0\nflags : fpu vme\nbugs : hypervisor\n");
    EXPECT(!lauka_machine_is_virtual(root));
    write_file(path, "processor : 0\nflags : fpu hypervisor vme\n");
    EXPECT(lauka_machine_is_virtual(root));
    remove(path);
    rmdir(root);
    struct lauka_counters counters = refused(ENOENT);
    counters.virtual_machine = true;
    EXPECT(lauka_counters_advice(&counters, text, sizeof text));
    EXPECT(strstr(text, "this VM has no PMU; ") != NULL);
}

static void advice_is_cut_to_the_room_there_is(void)
{
    struct lauka_counters counters = refused(EACCES);
    char whole[500], text[500];
    EXPECT(lauka_counters_advice(&counters, whole, sizeof whole));
    for (size_t size = 1; size < strlen(whole) + 2; size++) {
        memset(text, '#', sizeof text);
        EXPECT(lauka_counters_advice(&counters, text, size));
        EXPECT(strlen(text) == (size - 1 < strlen(whole) ? size - 1 : strlen(whole)));
        EXPECT(strncmp(text, whole, strlen(text)) == 0);
        EXPECT(text[size] == '#');
    }
    EXPECT(lauka_counters_advice(&counters, NULL, 0));
}

/* ---- pretended.c ---- */

static void scenarios_are_parsed_by_name(void)
{
    enum lauka_scenario scenario = LAUKA_SCENARIO_FULL;
    EXPECT(lauka_scenario_parse("no-pmu", &scenario) && scenario == LAUKA_SCENARIO_NO_PMU);
    EXPECT(lauka_scenario_parse("denied", &scenario) && scenario == LAUKA_SCENARIO_DENIED);
    EXPECT(lauka_scenario_parse("full", &scenario) && scenario == LAUKA_SCENARIO_FULL);
    EXPECT(lauka_scenario_parse("multiplexed", &scenario));
    EXPECT(scenario == LAUKA_SCENARIO_MULTIPLEXED);
    EXPECT(!lauka_scenario_parse("", &scenario));
    EXPECT(!lauka_scenario_parse("Full", &scenario));
    EXPECT(!lauka_scenario_parse("no_pmu", &scenario));
    EXPECT(scenario == LAUKA_SCENARIO_MULTIPLEXED);
}

struct run {
    struct lauka_usage usage;
    struct lauka_reading readings[DEFAULTS];
};

static struct run simulate(enum lauka_scenario scenario, uint64_t seed, size_t command,
                           uint64_t round)
{
    struct lauka_counters counters = simulated(scenario);
    struct run run;
    memset(&run, 0x55, sizeof run);
    lauka_pretended_run(&counters, scenario, seed, command, round, &run.usage, run.readings);
    return run;
}

static bool same_run(const struct run *a, const struct run *b)
{
    return memcmp(a, b, sizeof *a) == 0; /* only uint64_t members: no padding */
}

static void a_simulated_run_depends_on_its_arguments_only(void)
{
    struct run run = simulate(LAUKA_SCENARIO_FULL, 1, 0, 3);
    struct run again = simulate(LAUKA_SCENARIO_FULL, 1, 0, 3);
    struct run other_seed = simulate(LAUKA_SCENARIO_FULL, 2, 0, 3);
    struct run other_command = simulate(LAUKA_SCENARIO_FULL, 1, 1, 3);
    struct run other_round = simulate(LAUKA_SCENARIO_FULL, 1, 0, 4);
    EXPECT(same_run(&run, &again));
    EXPECT(!same_run(&run, &other_seed));
    EXPECT(!same_run(&run, &other_command));
    EXPECT(!same_run(&run, &other_round));
}

/* The goldens contain these numbers: if the numbers change, the goldens must change, too. */
static void a_simulated_run_is_the_same_on_every_machine(void)
{
    struct run run = simulate(LAUKA_SCENARIO_FULL, 1, 2, 3);
    EXPECT_UINT(run.usage.values[LAUKA_WALL_TIME], 11038868);
    EXPECT_UINT(run.usage.values[LAUKA_USER_TIME], 8279000);
    EXPECT_UINT(run.usage.values[LAUKA_SYSTEM_TIME], 1655000);
    EXPECT_UINT(run.usage.values[LAUKA_PEAK_RSS], 2539520);
    EXPECT_UINT(run.readings[CYCLES].value, 29625892);
    EXPECT_UINT(run.readings[BRANCH_MISSES].value, 132141);
}

static void simulated_usage_is_consistent(void)
{
    for (uint64_t round = 0; round < 200; round++) {
        struct run run = simulate(LAUKA_SCENARIO_FULL, round, 1, round);
        uint64_t cpu = run.usage.values[LAUKA_USER_TIME] + run.usage.values[LAUKA_SYSTEM_TIME];
        EXPECT_UINT(run.usage.values[LAUKA_CPU_TIME], cpu);
        EXPECT(run.usage.values[LAUKA_WALL_TIME] > cpu);
        EXPECT_UINT(run.usage.values[LAUKA_PEAK_RSS] % 4096, 0);
        EXPECT_UINT(run.readings[CYCLES].enabled, cpu);
    }
}

static double mean_of(size_t command, enum lauka_usage_metric metric)
{
    double sum = 0;
    for (uint64_t round = 0; round < 1000; round++)
        sum += (double)simulate(LAUKA_SCENARIO_FULL, 1, command, round).usage.values[metric];
    return sum / 1000;
}

static void each_simulated_command_is_five_per_cent_slower(void)
{
    double reference = mean_of(0, LAUKA_CPU_TIME);
    EXPECT_NEAR(mean_of(1, LAUKA_CPU_TIME), reference * 1.05, 0.002);
    EXPECT_NEAR(mean_of(2, LAUKA_CPU_TIME), reference * 1.10, 0.002);
    EXPECT_NEAR(mean_of(20, LAUKA_CPU_TIME), reference * 2, 0.002);
}

static void simulated_times_have_one_per_cent_of_noise(void)
{
    double mean = mean_of(0, LAUKA_CPU_TIME), squares = 0;
    for (uint64_t round = 0; round < 1000; round++) {
        struct run run = simulate(LAUKA_SCENARIO_FULL, 1, 0, round);
        double deviation = (double)run.usage.values[LAUKA_CPU_TIME] / mean - 1;
        squares += deviation * deviation;
    }
    EXPECT_NEAR(sqrt(squares / 1000), 0.01, 0.1);
}

static void a_simulated_spike_is_rare_and_far_out(void)
{
    int spikes = 0;
    for (uint64_t round = 0; round < 1000; round++) {
        struct run run = simulate(LAUKA_SCENARIO_FULL, 1, 0, round);
        spikes += run.usage.values[LAUKA_WALL_TIME] > 11500000;
        EXPECT(run.usage.values[LAUKA_WALL_TIME] < 20000000);
    }
    EXPECT(spikes > 10 && spikes < 70);
}

static void everything_is_counted_in_the_full_scenario(void)
{
    struct lauka_counters counters = simulated(LAUKA_SCENARIO_FULL);
    struct run run = simulate(LAUKA_SCENARIO_FULL, 1, 0, 0);
    EXPECT_UINT(counters.count, DEFAULTS);
    for (size_t i = 0; i < counters.count; i++) {
        EXPECT(counters.errors[i] == 0);
        EXPECT(run.readings[i].value > 0);
        EXPECT(run.readings[i].running == run.readings[i].enabled);
    }
    EXPECT(run.readings[CACHE_MISSES].value < run.readings[CACHE_REFERENCES].value);
}

static void hardware_events_are_refused_where_the_scenario_says_so(void)
{
    static const struct {
        enum lauka_scenario scenario;
        int error;
    } refusals[] = {{LAUKA_SCENARIO_NO_PMU, ENOENT}, {LAUKA_SCENARIO_DENIED, EACCES}};
    for (size_t r = 0; r < COUNT(refusals); r++) {
        struct lauka_counters counters = simulated(refusals[r].scenario);
        struct run run = simulate(refusals[r].scenario, 1, 0, 0);
        for (size_t i = 0; i < counters.count; i++) {
            EXPECT(counters.errors[i] == refusals[r].error);
            EXPECT(not_counted(run.readings[i]));
        }
        EXPECT(run.usage.values[LAUKA_WALL_TIME] > 0);
    }
}

static void what_is_refused_changes_nothing_else(void)
{
    struct run full = simulate(LAUKA_SCENARIO_FULL, 1, 0, 0);
    struct run denied = simulate(LAUKA_SCENARIO_DENIED, 1, 0, 0);
    EXPECT(memcmp(&full.usage, &denied.usage, sizeof full.usage) == 0);
}

static void multiplexed_events_run_for_part_of_their_time(void)
{
    struct run full = simulate(LAUKA_SCENARIO_FULL, 1, 0, 0);
    struct run shared = simulate(LAUKA_SCENARIO_MULTIPLEXED, 1, 0, 0);
    for (size_t i = 0; i < DEFAULTS; i++) {
        uint64_t value;
        EXPECT(shared.readings[i].running > 0);
        EXPECT(shared.readings[i].running < shared.readings[i].enabled);
        EXPECT(lauka_reading_scaled(&shared.readings[i], &value));
        EXPECT_NEAR((double)value, (double)full.readings[i].value, 0.001);
        EXPECT_NEAR(lauka_reading_share(&shared.readings[i]), 0.6, 0.001);
    }
}

/* ---- derived.c, and the sets of pretended.c ---- */

static const char *const six[] = {"cycles",        "instructions", "branches",
                                  "branch_misses", "cache_misses", "l1d_loads"};

/* Initialises the counters in place, because parts of them point into the struct. */
static void simulate_six(struct lauka_counters *counters, enum lauka_scenario scenario)
{
    static struct lauka_event_list list;
    char text[200];
    list = (struct lauka_event_list){0};
    for (size_t i = 0; i < COUNT(six); i++)
        EXPECT(lauka_event_list_add(&list, six[i], "/nonexistent", text, sizeof text));
    lauka_pretended_open(counters, scenario, list.events, list.count);
}

static void ratios_come_from_groups(void)
{
    struct lauka_counters counters;
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    simulate_six(&counters, LAUKA_SCENARIO_FULL);
    EXPECT_UINT(lauka_derived_find(&counters, derived), 3);
    EXPECT_TEXT(derived[0].name, "ipc");
    EXPECT_TEXT(derived[1].name, "ghz");
    EXPECT_TEXT(derived[2].name, "branch_miss_percent");
    EXPECT_UINT(counters.leaders[1], 0);
    EXPECT_UINT(counters.leaders[3], 2);
    EXPECT_UINT(counters.leaders[4], 4);
}

static void a_ratio_is_of_counts_of_the_same_time(void)
{
    struct lauka_counters counters;
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    struct lauka_reading readings[6] = {
        {3000, 2000, 1000}, {4500, 2000, 1000}, {200, 900, 900}, {1, 900, 900}};
    uint64_t value;
    simulate_six(&counters, LAUKA_SCENARIO_FULL);
    EXPECT_UINT(lauka_derived_find(&counters, derived), 3);
    EXPECT(lauka_derived_value(&derived[0], readings, &value));
    EXPECT_UINT(value, 15000); /* 1.5 */
    EXPECT(lauka_derived_value(&derived[1], readings, &value));
    EXPECT_UINT(value, 30000); /* 3 GHz */
    EXPECT(lauka_derived_value(&derived[2], readings, &value));
    EXPECT_UINT(value, 5000); /* 0.5 % */
    readings[1].running = 999;
    EXPECT(!lauka_derived_value(&derived[0], readings, &value));
    readings[0] = readings[1] = (struct lauka_reading){0, 2000, 0};
    EXPECT(!lauka_derived_value(&derived[0], readings, &value));
    EXPECT(!lauka_derived_value(&derived[1], readings, &value));
    readings[2].value = 0;
    EXPECT(!lauka_derived_value(&derived[2], readings, &value));
}

static void a_frequency_is_not_made_of_user_mode_cycles(void)
{
    struct lauka_counters counters;
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    simulate_six(&counters, LAUKA_SCENARIO_USER_ONLY);
    EXPECT(counters.user_only);
    EXPECT_UINT(lauka_derived_find(&counters, derived), 2);
    EXPECT_TEXT(derived[0].name, "ipc");
    EXPECT_TEXT(derived[1].name, "branch_miss_percent");
    char name[LAUKA_EVENT_NAME_SIZE];
    lauka_counters_name(&counters, 1, name, sizeof name);
    EXPECT_TEXT(name, "instructions:u");
}

static void what_does_not_fit_takes_turns(void)
{
    struct lauka_counters counters;
    struct lauka_usage usage;
    struct lauka_reading readings[LAUKA_COUNTERS_MAX];
    size_t turns[COUNT(six)] = {0};
    simulate_six(&counters, LAUKA_SCENARIO_MULTIPLEXED);
    EXPECT_UINT(counters.set_count, 3);
    EXPECT_UINT(counters.turn, LAUKA_ALL_SETS);
    for (unsigned turn = 0; turn < counters.set_count; turn++) {
        counters.turn = (uint8_t)turn;
        lauka_pretended_run(&counters, LAUKA_SCENARIO_MULTIPLEXED, 1, 0, turn, &usage, readings);
        for (size_t i = 0; i < counters.count; i++) {
            EXPECT(counters.sets[counters.leaders[i]] == counters.sets[i]);
            EXPECT(not_counted(readings[i]) || lauka_reading_share(&readings[i]) == 1);
            turns[i] += !not_counted(readings[i]);
        }
    }
    for (size_t i = 0; i < counters.count; i++)
        EXPECT_UINT(turns[i], 1);
    char text[100];
    lauka_counters_list_set(&counters, 1, text, sizeof text);
    EXPECT_TEXT(text, "branches, branch_misses, cache_misses");
}

/* ---- parts.c ---- */

static struct lauka_reading hybrid_readings[LAUKA_COUNTERS_MAX];

static void run_hybrid(struct lauka_counters *counters, enum lauka_scenario scenario,
                       size_t command)
{
    struct lauka_usage usage;
    simulate_six(counters, scenario);
    lauka_pretended_run(counters, scenario, 1, command, 0, &usage, hybrid_readings);
}

static void an_event_is_the_sum_of_its_parts_on_each_kind_of_core(void)
{
    static struct lauka_counters counters;
    char name[LAUKA_EVENT_NAME_SIZE];
    run_hybrid(&counters, LAUKA_SCENARIO_HYBRID, 0);
    EXPECT_UINT(counters.asked, COUNT(six));
    EXPECT_UINT(counters.count, 3 * COUNT(six));
    for (size_t i = 0; i < counters.asked; i++) {
        const struct lauka_reading *on_p = &hybrid_readings[counters.asked + 2 * i];
        const struct lauka_reading *on_e = on_p + 1;
        EXPECT(counters.sums[i] && on_p->value > 8 * on_e->value);
        EXPECT_UINT(hybrid_readings[i].value, on_p->value + on_e->value);
        EXPECT(lauka_reading_share(&hybrid_readings[i]) == 1);
        EXPECT_UINT(on_p->enabled, counters.residency.types[0].cpu_ns);
        EXPECT_UINT(on_e->running, counters.residency.types[1].cpu_ns);
    }
    lauka_counters_name(&counters, counters.asked + 3, name, sizeof name);
    EXPECT_TEXT(name, "instructions@E");
    counters.user_only = true;
    lauka_counters_name(&counters, counters.asked + 3, name, sizeof name);
    EXPECT_TEXT(name, "instructions:u@E");
}

/* A run that was never on one kind of core misses nothing there: its count is 0, and this is known. */
static void a_run_on_one_kind_of_core_counts_nothing_on_the_other(void)
{
    static struct lauka_counters counters;
    for (size_t command = 0; command < 2; command++) {
        run_hybrid(&counters, LAUKA_SCENARIO_APART, command);
        const struct lauka_reading *there = &hybrid_readings[counters.asked + command];
        const struct lauka_reading *elsewhere = &hybrid_readings[counters.asked + 1 - command];
        EXPECT(scaled_is(*elsewhere, 0));
        EXPECT(there->value > 0);
        EXPECT_UINT(hybrid_readings[0].value, there->value);
        EXPECT(lauka_residency_share(&counters.residency, 2, command) == 1);
    }
}

static void ratios_are_made_for_each_kind_of_core_too(void)
{
    static struct lauka_counters counters;
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    uint64_t value;
    run_hybrid(&counters, LAUKA_SCENARIO_APART, 0);
    EXPECT_UINT(lauka_derived_find(&counters, derived), 9);
    EXPECT_TEXT(derived[0].name, "ipc");
    EXPECT_UINT(derived[0].core, 0);
    EXPECT_TEXT(derived[3].name, "ipc");
    EXPECT_UINT(derived[3].core, 1);
    EXPECT_TEXT(derived[7].name, "ghz");
    EXPECT_UINT(derived[7].core, 2);
    EXPECT(lauka_derived_value(&derived[3], hybrid_readings, &value));
    EXPECT_NEAR((double)value, 20000, 0.02);
    EXPECT(lauka_derived_value(&derived[4], hybrid_readings, &value));
    EXPECT_NEAR((double)value, 30000, 0.05);
    EXPECT(!lauka_derived_value(&derived[6], hybrid_readings, &value)); /* never on an E core */
    EXPECT(!lauka_derived_value(&derived[7], hybrid_readings, &value));
}

static void an_event_of_one_pmu_has_no_parts(void)
{
    static struct lauka_counters counters;
    const struct lauka_event of_one_kind = {
        .name = "cpu_core/event=1/", .type = LAUKA_TYPE_RAW, .config = 1, .of_one_pmu = true};
    lauka_pretended_open(&counters, LAUKA_SCENARIO_HYBRID, &of_one_kind, 1);
    EXPECT(counters.count == 1 && !counters.sums[0] && counters.errors[0] == 0);
    EXPECT(counters.core_kinds);
}

static void a_number_that_is_each_pmus_own_is_counted_by_each(void)
{
    static struct lauka_counters counters;
    const struct lauka_event raw = {.name = "r11", .type = LAUKA_TYPE_RAW, .config = 0x11};
    const struct lauka_event cache = {.name = "llc_loads", .type = LAUKA_TYPE_CACHE, .config = 2};
    lauka_pretended_open(&counters, LAUKA_SCENARIO_HYBRID, &raw, 1);
    EXPECT_UINT(counters.count, 3);
    EXPECT_UINT(counters.events[2]->type, counters.topology.types[1].pmu_type);
    EXPECT_UINT(counters.events[2]->config, 0x11);
    lauka_pretended_open(&counters, LAUKA_SCENARIO_HYBRID, &cache, 1);
    EXPECT_UINT(counters.events[1]->type, LAUKA_TYPE_CACHE);
    EXPECT_UINT(counters.events[1]->config,
                2 | (uint64_t)counters.topology.types[0].pmu_type << 32);
}

static void an_event_that_one_kind_of_core_lacks_has_no_sum(void)
{
    static struct lauka_counters counters;
    struct lauka_usage usage;
    char text[500];
    const struct lauka_event *stalls = lauka_event_find("stalled_cycles_backend");
    lauka_pretended_open(&counters, LAUKA_SCENARIO_HYBRID, stalls, 1);
    EXPECT(counters.errors[1] == 0 && counters.errors[2] == ENOENT);
    lauka_pretended_run(&counters, LAUKA_SCENARIO_HYBRID, 1, 0, 0, &usage, hybrid_readings);
    EXPECT(not_counted(hybrid_readings[0]) && not_counted(hybrid_readings[2]));
    EXPECT(hybrid_readings[1].value > 0);
    EXPECT(lauka_counters_advice(&counters, text, sizeof text));
    EXPECT(strstr(text, "cannot count stalled_cycles_backend: not every kind of core") == text);
}

/* ---- Faults: every errno at every position ---- */

static const struct {
    int error;
    const char *name;
} known_faults[] = {
    {EACCES, "EACCES"}, {EPERM, "EPERM"},   {ENOSYS, "ENOSYS"}, {ENOENT, "ENOENT"},
    {EINVAL, "EINVAL"}, {ENODEV, "ENODEV"}, {EMFILE, "EMFILE"}, {ENFILE, "ENFILE"},
    {ESRCH, "ESRCH"},   {E2BIG, "E2BIG"},   {EBUSY, "EBUSY"},   {ENOTSUP, "EOPNOTSUPP"},
    {ENOSPC, "ENOSPC"},
};

static void check_fault(enum lauka_scenario scenario, int error, size_t first, size_t beyond)
{
    struct lauka_counters counters;
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    struct lauka_usage usage;
    struct lauka_reading readings[LAUKA_COUNTERS_MAX];
    char text[500];
    simulate_six(&counters, scenario);
    EXPECT(lauka_counters_advice(&counters, text, sizeof text));
    EXPECT(strstr(text, counters.events[first]->name) && strchr(text, ';'));
    lauka_pretended_run(&counters, scenario, 1, 0, 0, &usage, readings);
    for (size_t i = 0; i < counters.count; i++) {
        bool fails = i >= first && i < beyond;
        EXPECT((counters.errors[i] == error) == fails);
        EXPECT(not_counted(readings[i]) == fails);
        EXPECT(!fails || (counters.leaders[i] == i && strstr(text, counters.events[i]->name)));
    }
    size_t count = lauka_derived_find(&counters, derived);
    for (size_t d = 0; d < count; d++) {
        uint64_t value;
        EXPECT(counters.errors[derived[d].of] == 0 && counters.errors[derived[d].per] == 0);
        EXPECT(lauka_derived_value(&derived[d], readings, &value) && value > 0);
    }
}

static void every_errno_at_every_position_is_a_gap_with_advice(void)
{
    for (size_t f = 0; f < COUNT(known_faults); f++) {
        enum lauka_scenario scenario;
        char name[40];
        for (size_t position = 0; position < COUNT(six); position++) {
            snprintf(name, sizeof name, "fail-%s-%zu", known_faults[f].name, position);
            EXPECT(lauka_scenario_parse(name, &scenario));
            EXPECT(scenario == lauka_scenario_failing(known_faults[f].error, (unsigned)position));
            check_fault(scenario, known_faults[f].error, position, position + 1);
        }
        snprintf(name, sizeof name, "fail-%s", known_faults[f].name);
        EXPECT(lauka_scenario_parse(name, &scenario));
        check_fault(scenario, known_faults[f].error, 0, COUNT(six));
    }
    enum lauka_scenario untouched = LAUKA_SCENARIO_FULL;
    EXPECT(!lauka_scenario_parse("fail-EBUSY-", &untouched));
    EXPECT(!lauka_scenario_parse("fail-EBUSY-99", &untouched));
    EXPECT(!lauka_scenario_parse("fail-ENONSENSE", &untouched));
    EXPECT(!lauka_scenario_parse("fail-", &untouched));
    EXPECT(untouched == LAUKA_SCENARIO_FULL);
}

/* ---- Events that the kernel took away ---- */

static void counts_that_end_long_before_the_command_are_dropped(void)
{
    struct lauka_counters counters = simulated(LAUKA_SCENARIO_FULL);
    struct lauka_reading readings[DEFAULTS] = {{12, 26000, 26000}, {5, 26000, 26000}};
    struct lauka_reading whole[DEFAULTS] = {{12, 600000, 300000}};
    EXPECT(!lauka_counters_verify(&counters, 607000, readings));
    EXPECT(not_counted(readings[0]) && not_counted(readings[1]));
    EXPECT(lauka_counters_verify(&counters, 607000, readings)); /* nothing is left to doubt */
    EXPECT(lauka_counters_verify(&counters, 640000, whole));
    EXPECT_UINT(whole[0].value, 12);
}

static void counts_of_one_pmu_are_kept_where_most_of_the_time_was_spent_on_other_cores(void)
{
    struct lauka_counters counters = simulated(LAUKA_SCENARIO_HYBRID);
    struct lauka_reading readings[LAUKA_COUNTERS_MAX] = {{12, 26000, 26000}};
    counters.residency.types[0].cpu_ns = 26000;
    EXPECT(counters.topology.type_count == 2);
    counters.residency.types[1].cpu_ns = 9974000;
    EXPECT(lauka_counters_verify(&counters, 10000000, readings));
    EXPECT_UINT(readings[0].value, 12);
    EXPECT(!lauka_counters_verify(&counters, 21000000, readings)); /* the clocks ended early, too */
}

/* ---- Software events of perf_event_open(2), which the kernel counts without a PMU ---- */

enum { SOFTWARE = 1, TASK_CLOCK = 1, PAGE_FAULTS = 2, NO_SUCH_EVENT = 9999 };

static const struct lauka_event software_events[] = {
    {.name = "task_clock", .unit = "ns", .type = SOFTWARE, .config = TASK_CLOCK},
    {.name = "page_faults", .unit = "1", .type = SOFTWARE, .config = PAGE_FAULTS},
    {.name = "nothing", .unit = "1", .type = SOFTWARE, .config = NO_SUCH_EVENT},
};

static void software_events_need_no_pmu(void)
{
    struct lauka_counters counters;
    struct lauka_usage usage;
    struct lauka_reading readings[COUNT(software_events)];
    lauka_pretended_open(&counters, LAUKA_SCENARIO_NO_PMU, software_events, COUNT(software_events));
    lauka_pretended_run(&counters, LAUKA_SCENARIO_NO_PMU, 1, 0, 0, &usage, readings);
    for (size_t i = 0; i < COUNT(software_events); i++) {
        EXPECT(counters.errors[i] == 0);
        EXPECT(!not_counted(readings[i]));
    }
}

/* ---- perf_event.c or kperf.c, on this machine ---- */

static void check_open(const struct lauka_event *events, size_t count)
{
    struct lauka_counters counters;
    int free_before = lowest_free_descriptor();
    lauka_counters_open(&counters, events, count);
    EXPECT_UINT(counters.asked, count);
    for (size_t i = 0; i < counters.count; i++) {
        EXPECT(i >= count || counters.events[i] == &events[i]);
        EXPECT((counters.errors[i] == 0 && !counters.sums[i]) == (counters.held[i] >= 0));
        EXPECT(counters.held[i] < 0 || fcntl(counters.held[i], F_GETFD) == FD_CLOEXEC);
        EXPECT(counters.armed[i] == -1);
    }
    lauka_counters_close(&counters);
    lauka_counters_close(&counters);
    EXPECT(lowest_free_descriptor() == free_before);
}

static void every_event_is_either_held_or_refused(void)
{
    size_t count;
    const struct lauka_event *events = lauka_default_events(&count);
    check_open(events, count);
    check_open(software_events, COUNT(software_events));
}

static void what_was_never_armed_was_not_counted(void)
{
    struct lauka_counters counters;
    struct lauka_reading readings[LAUKA_COUNTERS_MAX];
    memset(readings, 0x55, sizeof readings);
    size_t count;
    const struct lauka_event *events = lauka_default_events(&count);
    lauka_counters_open(&counters, events, count);
    lauka_counters_collect(&counters, readings);
    for (size_t i = 0; i < count; i++)
        EXPECT(not_counted(readings[i]));
    lauka_counters_close(&counters);
}

static void an_empty_set_can_be_opened_and_closed(void)
{
    struct lauka_counters counters;
    lauka_counters_open(&counters, NULL, 0);
    lauka_counters_arm(&counters);
    lauka_counters_collect(&counters, NULL);
    lauka_counters_close(&counters);
    EXPECT_UINT(counters.count, 0);
}

#ifdef CLONE_FILES /* Linux: a child can open descriptors for its parent */

struct child {
    struct lauka_counters *counters; /* borrowed */
    const char *shell, *script;      /* borrowed */
};

static int arm_and_execute(void *argument)
{
    struct child *child = argument;
    lauka_counters_arm(child->counters);
    execl(child->shell, child->shell, "-c", child->script, (char *)NULL);
    _exit(127);
}

/* Runs a script the way the launcher runs a command; returns its exit status. */
static int run_counted(struct lauka_counters *counters, const char *shell, const char *script,
                       struct lauka_reading *readings)
{
    static char stack[1 << 16] __attribute__((aligned(64)));
    struct child child = {counters, shell, script};
    int status = -1;
    pid_t pid = clone(arm_and_execute, stack + sizeof stack,
                      CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &child);
    EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    lauka_counters_collect(counters, readings);
    return WEXITSTATUS(status);
}

/* Returns false, and prints why the test is skipped, if this machine refuses even software events. */
static bool open_software(struct lauka_counters *counters)
{
    lauka_counters_open(counters, software_events, COUNT(software_events));
    if (counters->errors[0] == 0)
        return true;
    printf("skipped: perf_event_open refuses software events here: %s\n",
           strerror(counters->errors[0]));
    lauka_counters_close(counters);
    return false;
}

static void every_run_is_counted_anew(void)
{
    struct lauka_counters counters;
    struct lauka_reading readings[COUNT(software_events)];
    if (!open_software(&counters))
        return;

    int free_before = lowest_free_descriptor();
    for (int run = 0; run < 20; run++) {
        EXPECT(run_counted(&counters, "/bin/sh", ":", readings) == 0);
        uint64_t nanoseconds, faults;
        EXPECT(lauka_reading_scaled(&readings[0], &nanoseconds));
        EXPECT(lauka_reading_scaled(&readings[1], &faults));
        EXPECT(nanoseconds > 10000 && nanoseconds < 10000000000);
        EXPECT(faults > 5 && faults < 5000);
        EXPECT(lauka_reading_share(&readings[0]) == 1);
        EXPECT(counters.armed[0] == -1);
    }
    EXPECT(lowest_free_descriptor() == free_before);
    lauka_counters_close(&counters);
}

/* Whether the run was counted; if so, its counts must be plausible. */
static bool was_counted(const struct lauka_reading *readings)
{
    uint64_t nanoseconds, faults;
    bool counted = lauka_reading_scaled(&readings[0], &nanoseconds);
    EXPECT(lauka_reading_scaled(&readings[1], &faults) == counted);
    EXPECT(!counted || (nanoseconds > 10000 && nanoseconds < 10000000000));
    EXPECT(!counted || (faults > 5 && faults < 5000));
    return counted;
}

static void runs_of_a_batch_are_counted_apart(void)
{
    static const char *const scripts[] = {":", "(:); (:); (:); (:)"};
    struct lauka_counters counters;
    struct lauka_reading readings[2][COUNT(software_events)], between[COUNT(software_events)];
    if (!open_software(&counters))
        return;

    int free_before = lowest_free_descriptor();
    lauka_counters_batch_begin(&counters);
    for (int run = 0; run < 20; run++) {
        if (counters.in_batch) /* what is counted in between belongs to no run */
            run_counted(&counters, "/bin/sh", scripts[1], between);
        lauka_counters_batch_run(&counters);
        EXPECT(run_counted(&counters, "/bin/sh", scripts[run % 2], readings[run % 2]) == 0);
        EXPECT(was_counted(readings[run % 2]));
        EXPECT(run % 2 == 0 || readings[0][1].value < readings[1][1].value);
    }
    EXPECT(counters.core_kinds || (counters.in_batch && counters.armed[0] >= 0));
    lauka_counters_batch_end(&counters);
    EXPECT(!counters.in_batch && counters.armed[0] == -1);
    EXPECT(lowest_free_descriptor() == free_before);
    lauka_counters_close(&counters);
}

/* One read returns all events that need no counter. Reading them one by one gives the same values. */
static void events_that_take_no_counter_are_read_at_once(void)
{
    struct lauka_counters counters;
    struct lauka_reading readings[COUNT(software_events)], again[COUNT(software_events)];
    size_t failed;
    if (!open_software(&counters))
        return;

    EXPECT(counters.leaders[0] == 0 && counters.leaders[1] == !counters.reads_groups);
    EXPECT(counters.leaders[2] == 2); /* this event cannot be counted */
    for (int together = counters.reads_groups; together >= 0; together--) {
        counters.reads_groups = together;
        for (size_t i = 0; i < counters.count && !together; i++)
            counters.leaders[i] = (uint8_t)i;
        lauka_counters_batch_begin(&counters);
        lauka_counters_batch_run(&counters);
        EXPECT(run_counted(&counters, "/bin/sh", "(:); :", readings) == 0);
        EXPECT(was_counted(readings));
        EXPECT(lauka_perf_event_read_all(&counters, again, &failed) == 0);
        for (size_t i = 0; i < counters.count && counters.in_batch; i++)
            EXPECT(again[i].value == readings[i].value && again[i].running == readings[i].running);
        lauka_counters_batch_end(&counters);
    }
    lauka_counters_close(&counters);
}

/* What happens after a run's end belongs to no run. The reading at a run's end also serves as the one
 * before the next run, unless lauka_counters_batch_disturb says that something happened in between. */
static void what_is_done_between_runs_is_in_none(void)
{
    struct lauka_counters counters;
    struct lauka_reading readings[COUNT(software_events)], between[COUNT(software_events)];
    if (!open_software(&counters))
        return;

    lauka_counters_batch_begin(&counters);
    lauka_counters_batch_run(&counters);
    EXPECT(run_counted(&counters, "/bin/sh", ":", readings) == 0);
    uint64_t alone = readings[1].value;
    EXPECT(!counters.in_batch || counters.noted);
    struct lauka_counters other = counters; /* counts with the same events, unnoticed */
    EXPECT(run_counted(&other, "/bin/sh", "(:); (:); (:); (:); (:); (:); (:); (:)", between) == 0);
    lauka_counters_batch_disturb(&counters);
    lauka_counters_batch_run(&counters);
    EXPECT(run_counted(&counters, "/bin/sh", ":", readings) == 0);
    EXPECT(!counters.in_batch || readings[1].value < alone + alone / 2);
    lauka_counters_batch_end(&counters);
    lauka_counters_close(&counters);
}

/* Unless an event is held, the kernel may exchange the events of this process with its child's; then
 * they are gone after a run. */
static void a_batch_whose_events_are_gone_is_over(void)
{
    struct lauka_counters counters;
    struct lauka_reading readings[COUNT(software_events)];
    struct lauka_cpu_set before, one = {0};
    if (!open_software(&counters))
        return;

    for (size_t i = 0; i < counters.count; i++)
        if (counters.held[i] >= 0)
            close(counters.held[i]);
    lauka_counters_spare(&counters);
    EXPECT(lauka_affinity_get(0, &before) == 0);
    unsigned cpu = 0;
    while (!lauka_cpu_set_has(&before, cpu))
        cpu++;
    lauka_cpu_set_add(&one, cpu);
    lauka_affinity_set(0, &one);
    lauka_counters_batch_begin(&counters);
    for (int run = 0; run < 50; run++) {
        bool in_batch = counters.in_batch;
        lauka_counters_batch_run(&counters);
        EXPECT(run_counted(&counters, "/bin/sh", ":", readings) == 0);
        EXPECT(was_counted(readings) || (in_batch && !counters.in_batch));
    }
    lauka_affinity_set(0, &before);
    lauka_counters_batch_end(&counters);
    for (size_t i = 0; i < counters.count; i++)
        counters.held[i] = -1;
    lauka_counters_close(&counters);
}

static void an_event_that_does_not_exist_is_refused_and_never_read_as_zero(void)
{
    struct lauka_counters counters;
    struct lauka_reading readings[COUNT(software_events)];
    if (!open_software(&counters))
        return;
    EXPECT(counters.errors[2] == ENOENT || counters.errors[2] == EINVAL);
    run_counted(&counters, "/bin/sh", ":", readings);
    EXPECT(not_counted(readings[2]));
    lauka_counters_close(&counters);
}

static void a_command_that_cannot_start_was_not_counted(void)
{
    struct lauka_counters counters;
    struct lauka_reading readings[COUNT(software_events)];
    if (!open_software(&counters))
        return;
    EXPECT(run_counted(&counters, "/nonexistent/sh", ":", readings) == 127);
    EXPECT(not_counted(readings[0]));
    EXPECT(not_counted(readings[1]));
    lauka_counters_close(&counters);
}

static void descendants_are_counted_too(void)
{
    static const char eight_shells[] = "for i in 1 2 3 4 5 6 7 8; do /bin/sh -c :; done";
    struct lauka_counters counters;
    struct lauka_reading one[COUNT(software_events)], eight[COUNT(software_events)];
    if (!open_software(&counters))
        return;
    EXPECT(run_counted(&counters, "/bin/sh", ":", one) == 0);
    EXPECT(run_counted(&counters, "/bin/sh", eight_shells, eight) == 0);
    EXPECT(eight[1].value > 6 * one[1].value);
    lauka_counters_close(&counters);
}

static void test_real_runs(void)
{
    TEST(every_run_is_counted_anew);
    TEST(runs_of_a_batch_are_counted_apart);
    TEST(a_batch_whose_events_are_gone_is_over);
    TEST(events_that_take_no_counter_are_read_at_once);
    TEST(what_is_done_between_runs_is_in_none);
    TEST(an_event_that_does_not_exist_is_refused_and_never_read_as_zero);
    TEST(a_command_that_cannot_start_was_not_counted);
    TEST(descendants_are_counted_too);
}

#else

static void test_real_runs(void)
{
    printf("skipped: counting real runs needs clone(2)\n");
}

#endif

int main(void)
{
    TEST(every_event_has_a_name_of_its_own_a_unit_and_a_description);
    TEST(the_metrics_are_found_by_their_enum);
    TEST(the_default_counters_stand_in_order);
    TEST(usage_is_converted_to_nanoseconds_and_bytes);

    TEST(an_event_that_never_shared_its_counter_is_not_scaled);
    TEST(an_event_that_shared_its_counter_is_scaled_and_rounded);
    TEST(scaling_does_not_overflow_on_the_way);
    TEST(an_event_that_never_ran_was_not_counted);
    TEST(an_event_cannot_run_for_more_than_its_time);

    TEST(where_nothing_is_missing_there_is_no_advice);
    TEST(every_refusal_has_its_own_advice);
    TEST(only_what_is_missing_is_named);
    TEST(an_unknown_event_beside_a_counted_one_is_the_cpus_matter);
    TEST(different_refusals_are_explained_apart);
    TEST(the_watchdog_that_holds_a_counter_is_named);
    TEST(a_virtual_machine_is_told_from_a_bare_one);
    TEST(advice_is_cut_to_the_room_there_is);

    TEST(scenarios_are_parsed_by_name);
    TEST(a_simulated_run_depends_on_its_arguments_only);
    TEST(a_simulated_run_is_the_same_on_every_machine);
    TEST(simulated_usage_is_consistent);
    TEST(each_simulated_command_is_five_per_cent_slower);
    TEST(simulated_times_have_one_per_cent_of_noise);
    TEST(a_simulated_spike_is_rare_and_far_out);
    TEST(everything_is_counted_in_the_full_scenario);
    TEST(hardware_events_are_refused_where_the_scenario_says_so);
    TEST(what_is_refused_changes_nothing_else);
    TEST(multiplexed_events_run_for_part_of_their_time);
    TEST(software_events_need_no_pmu);
    TEST(ratios_come_from_groups);
    TEST(a_ratio_is_of_counts_of_the_same_time);
    TEST(a_frequency_is_not_made_of_user_mode_cycles);
    TEST(what_does_not_fit_takes_turns);
    TEST(an_event_is_the_sum_of_its_parts_on_each_kind_of_core);
    TEST(a_run_on_one_kind_of_core_counts_nothing_on_the_other);
    TEST(ratios_are_made_for_each_kind_of_core_too);
    TEST(an_event_of_one_pmu_has_no_parts);
    TEST(a_number_that_is_each_pmus_own_is_counted_by_each);
    TEST(an_event_that_one_kind_of_core_lacks_has_no_sum);
    TEST(every_errno_at_every_position_is_a_gap_with_advice);
    TEST(counts_that_end_long_before_the_command_are_dropped);
    TEST(counts_of_one_pmu_are_kept_where_most_of_the_time_was_spent_on_other_cores);

    TEST(every_event_is_either_held_or_refused);
    TEST(what_was_never_armed_was_not_counted);
    TEST(an_empty_set_can_be_opened_and_closed);
    test_real_runs();
    return expect_report("pmu");
}
