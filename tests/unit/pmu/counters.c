/* Counting, as far as it can be tested on any machine: readings, advice, and events that the kernel counts in
 * software, which show that counting works. */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/linux/perf_event.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/expect.h"
#include "tests/unit/scenarios.h"

/* ---- Helpers ----------------------------------------------------------------------------------------- */

/* The default events, all refused with the same error. */
static struct lauka_counters refused(int error)
{
    struct lauka_counters counters = simulated(LAUKA_SCENARIO_FULL);
    for (size_t i = 0; i < counters.count; i++)
        counters.errors[i] = error;
    return counters;
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

/* ---- event.c ----------------------------------------------------------------------------------------- */

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

static void expect_names(const struct lauka_event *events, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        EXPECT_TEXT(events[i].name, names[i]);
}

static void the_metrics_are_found_by_their_enum(void)
{
    static const char *const names[LAUKA_USAGE_METRICS] = {
        [LAUKA_WALL_TIME] = "wall_time",       [LAUKA_USER_TIME] = "user_time",
        [LAUKA_SYSTEM_TIME] = "system_time",   [LAUKA_CPU_TIME] = "cpu_time",
        [LAUKA_PEAK_RSS] = "peak_rss",         [LAUKA_MINOR_FAULTS] = "minor_faults",
        [LAUKA_MAJOR_FAULTS] = "major_faults", [LAUKA_CONTEXT_SWITCHES] = "context_switches",
    };
    const struct lauka_event *events = lauka_usage_events();
    expect_names(events, names, COUNT(names));
    EXPECT_TEXT(events[LAUKA_WALL_TIME].source, "clock");
    EXPECT_TEXT(events[LAUKA_PEAK_RSS].unit, "B");
    EXPECT_TEXT(events[LAUKA_CONTEXT_SWITCHES].source, "rusage");
}

static void the_default_counters_stand_in_order(void)
{
    static const char *const names[DEFAULTS] = {
        [CYCLES] = "cycles",
        [INSTRUCTIONS] = "instructions",
        [CACHE_REFERENCES] = "cache_references",
        [CACHE_MISSES] = "cache_misses",
        [BRANCH_MISSES] = "branch_misses",
    };
    size_t count;
    const struct lauka_event *events = lauka_default_events(&count);
    expect_names(events, names, COUNT(names));
    EXPECT_TEXT(events[BRANCH_MISSES].source, "perf_event");
}

/* ---- rusage.c ---------------------------------------------------------------------------------------- */

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

/* ---- counters.c: readings ---------------------------------------------------------------------------- */

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

/* ---- counters.c: advice ------------------------------------------------------------------------------ */

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

/* ---- Events that the kernel took away ---------------------------------------------------------------- */

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

/* ---- Software events of perf_event_open(2), which the kernel counts without a PMU -------------------- */

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

/* ---- perf_event.c or kperf.c, on this machine -------------------------------------------------------- */

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
    TEST(software_events_need_no_pmu);
    TEST(counts_that_end_long_before_the_command_are_dropped);
    TEST(counts_of_one_pmu_are_kept_where_most_of_the_time_was_spent_on_other_cores);
    TEST(every_event_is_either_held_or_refused);
    TEST(what_was_never_armed_was_not_counted);
    TEST(an_empty_set_can_be_opened_and_closed);
    test_real_runs();
    return expect_report("counters");
}
