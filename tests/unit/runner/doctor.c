/* What lauka finds out about a machine, from the files of a made-up one. macOS needs no files for this,
 * so there the test only checks that reading returns. */
#include "tests/unit/expect.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/machine/machine.h"
#include "stats/stats.h"

static char root[64];

static void write_file(const char *path, const char *text)
{
    char whole[300];

    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(whole, 0755);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    EXPECT(file != NULL);
    if (!file)
        return;
    fputs(text, file);
    fclose(file);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    return remove(path);
}

static void begin(void)
{
    strcpy(root, "/tmp/lauka-doctor-XXXXXX");
    EXPECT(mkdtemp(root) != NULL);
}

static void end(void)
{
    nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct lauka_finding find(const char *subject)
{
    struct lauka_finding findings[LAUKA_FINDINGS_MAX], none = {.subject = "none"};
    size_t count = lauka_findings_read(root, 0, findings);

    EXPECT(count > 0 && count <= LAUKA_FINDINGS_MAX);
    for (size_t i = 0; i < count; i++)
        if (strcmp(findings[i].subject, subject) == 0)
            return findings[i];
    return none;
}

static bool reads_files(void)
{
    return strcmp(find("CPU pressure").subject, "none") != 0;
}

#define EXPECT_FINDING(name, expected_weight, expected_text)                                       \
    do {                                                                                           \
        struct lauka_finding finding_ = find(name);                                                \
        EXPECT_UINT(finding_.weight, expected_weight);                                             \
        EXPECT_TEXT(finding_.found, expected_text);                                                \
        EXPECT(finding_.source &&finding_.effect);                                                 \
    } while (0)

static void what_the_system_does_not_tell_is_unknown_and_never_fine(void)
{
    static const char *const subjects[] = {"load",         "CPU pressure", "steal",
                                           "cgroup quota", "governor",     "turbo",
                                           "clock source", "thermal",      "SMT siblings"};

    begin();
    for (size_t i = 0; reads_files() && i < sizeof subjects / sizeof *subjects; i++)
        EXPECT_UINT(find(subjects[i]).weight, LAUKA_WEIGHT_UNKNOWN);
    end();
}

static void a_governor_that_follows_the_load_matters(void)
{
    begin();
    if (reads_files()) {
        write_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
        write_file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
        EXPECT_FINDING("governor", LAUKA_WEIGHT_FINE, "performance on 2 of 2 CPUs");
        write_file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
        EXPECT_FINDING("governor", LAUKA_WEIGHT_MATTERS, "powersave on 1 of 2 CPUs");
    }
    end();
}

static void turbo_is_told_by_either_driver(void)
{
    begin();
    if (reads_files()) {
        write_file("/sys/devices/system/cpu/cpufreq/boost", "1\n");
        EXPECT_FINDING("turbo", LAUKA_WEIGHT_MINOR, "on");
        write_file("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
        EXPECT_FINDING("turbo", LAUKA_WEIGHT_FINE, "off");
    }
    end();
}

static void who_else_wants_the_cpus_is_seen(void)
{
    begin();
    if (reads_files()) {
        write_file("/proc/stat", "cpu  10 0 10 970 0 0 0 10 0 0\ncpu0 5 0 5 485 0 0 0 5 0 0\n"
                                 "cpu1 5 0 5 485 0 0 0 5 0 0\nintr 1\n");
        write_file("/proc/loadavg", "0.50 0.10 0.05 1/123 4567\n");
        EXPECT_FINDING("load", LAUKA_WEIGHT_FINE,
                       "0 threads of other programs want a CPU; there are 2; load average 0.50");
        write_file("/proc/loadavg", "3.50 0.10 0.05 3/123 4567\n");
        EXPECT_FINDING("load", LAUKA_WEIGHT_MATTERS,
                       "2 threads of other programs want a CPU; there are 2; load average 3.50");
        EXPECT_FINDING("steal", LAUKA_WEIGHT_FINE, "1.0 % of the time since it was started");
        write_file("/proc/pressure/cpu", "some avg10=12.34 avg60=0.00 avg300=0.00 total=1\n");
        EXPECT_FINDING("CPU pressure", LAUKA_WEIGHT_MATTERS,
                       "in 12 % of the last 10 s something waited for a CPU");
    }
    end();
}

static void offline_cpus_and_those_beyond_a_thousand_are_counted_aright(void)
{
    begin();
    if (reads_files()) {
        write_file("/proc/loadavg", "0.50 0.10 0.05 3/123 4567\n");
        EXPECT_UINT(find("load").weight, LAUKA_WEIGHT_UNKNOWN);
        write_file("/proc/stat", "cpu  10 0 10 970 0 0 0 10 0 0\ncpu0 5 0 5 485 0 0 0 5 0 0\n"
                                 "cpu2 5 0 5 485 0 0 0 5 0 0\ncpu1500 5 0 5 485 0 0 0 5 0 0\n"
                                 "intr 1\n");
        EXPECT_FINDING("load", LAUKA_WEIGHT_MINOR,
                       "2 threads of other programs want a CPU; there are 3; load average 0.50");
        write_file("/proc/stat", "cpu0 5 0 5 485 0 0 0 5 0 0\nintr 1\n");
        EXPECT_FINDING("steal", LAUKA_WEIGHT_FINE, "0.0 % of the time since it was started");
    }
    end();
}

static void quotas_of_both_versions_of_cgroups_are_read(void)
{
    begin();
    if (reads_files()) {
        write_file("/proc/self/cgroup", "0::/box\n");
        write_file("/sys/fs/cgroup/box/cpu.max", "max 100000\n");
        EXPECT_FINDING("cgroup quota", LAUKA_WEIGHT_FINE, "none");
        write_file("/sys/fs/cgroup/box/cpu.max", "150000 100000\n");
        write_file("/sys/fs/cgroup/box/cpu.stat",
                   "usage_usec 1\nnr_periods 200\nnr_throttled 50\n");
        EXPECT_FINDING("cgroup quota", LAUKA_WEIGHT_MATTERS,
                       "1.50 CPUs' time; used up in 25 % of the periods so far");
    }
    end();
    begin();
    if (reads_files()) {
        write_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
        write_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
        EXPECT_FINDING("cgroup quota", LAUKA_WEIGHT_MINOR,
                       "0.50 CPUs' time; used up in 0 % of the periods so far");
    }
    end();
}

static void heat_batteries_siblings_and_slow_clocks_are_found(void)
{
    begin();
    if (reads_files()) {
        write_file("/sys/class/thermal/thermal_zone0/temp", "52000\n");
        write_file("/sys/class/thermal/thermal_zone0/trip_point_0_temp", "90000\n");
        EXPECT_UINT(find("thermal").weight, LAUKA_WEIGHT_FINE);
        write_file("/sys/class/thermal/thermal_zone0/temp", "88000\n");
        EXPECT_UINT(find("thermal").weight, LAUKA_WEIGHT_MATTERS);
        EXPECT_FINDING("battery", LAUKA_WEIGHT_FINE, "there is none");
        write_file("/sys/class/power_supply/BAT0/status", "Discharging\n");
        EXPECT_FINDING("battery", LAUKA_WEIGHT_MATTERS, "it is what the machine runs on");
        write_file("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,4\n");
        EXPECT_FINDING("SMT siblings", LAUKA_WEIGHT_MINOR, "1 CPU shares a core with another");
        write_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
        EXPECT_FINDING("clock source", LAUKA_WEIGHT_MATTERS, "hpet");
    }
    end();
}

static void files_of_any_bytes_are_survived(void)
{
    static const char *const paths[] = {
        "/proc/stat",
        "/proc/loadavg",
        "/proc/pressure/cpu",
        "/proc/self/cgroup",
        "/sys/fs/cgroup/cpu.max",
        "/sys/fs/cgroup/cpu.stat",
        "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
        "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
        "/sys/class/thermal/thermal_zone0/temp",
        "/sys/class/power_supply/BAT0/status"};
    struct lauka_random random;

    begin();
    lauka_random_seed(&random, 1);
    for (int round = 0; round < 300; round++) {
        char text[200];
        size_t length = lauka_random_below(&random, sizeof text - 1);
        for (size_t i = 0; i < length; i++)
            text[i] = "0123456789 \n:,/-.max cpu%s"[lauka_random_below(&random, 26)];
        text[length] = '\0';
        write_file(paths[lauka_random_below(&random, sizeof paths / sizeof *paths)], text);
        find("load");
    }
    end();
}

int main(void)
{
    TEST(what_the_system_does_not_tell_is_unknown_and_never_fine);
    TEST(a_governor_that_follows_the_load_matters);
    TEST(turbo_is_told_by_either_driver);
    TEST(who_else_wants_the_cpus_is_seen);
    TEST(offline_cpus_and_those_beyond_a_thousand_are_counted_aright);
    TEST(quotas_of_both_versions_of_cgroups_are_read);
    TEST(heat_batteries_siblings_and_slow_clocks_are_found);
    TEST(files_of_any_bytes_are_survived);
    return expect_report("doctor");
}
