/* What Linux tells of a machine that can disturb a measurement. */
#include "runner/machine/machine.h"
#include "pmu/events/events.h"

#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- reading ------------------------------------------------------------------------------------ */

/* The beginning of a file, without its last newline. False if it cannot be read. */
static bool read_text(const char *root, const char *path, char *text, size_t size)
{
    bool any = lauka_sysfs_take(root, path + 1, text, size) > 0; /* it puts the slash */
    size_t length = strlen(text);

    if (length > 0 && text[length - 1] == '\n')
        text[length - 1] = '\0';
    return any;
}

static bool read_number(const char *root, const char *path, long long *number)
{
    char text[64], *end;

    if (!read_text(root, path, text, sizeof text))
        return false;
    *number = strtoll(text, &end, 10);
    return end != text;
}

/* The number behind `key` and blanks or '='; -1 if there is none. */
static double number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    if (!at)
        return -1;
    at += strlen(key);
    return strtod(at + strspn(at, " =:\t"), NULL);
}

typedef void visitor(const char *root, const char *folder, void *context);

/* "cpu12" of "cpu", but not "cpufreq"; everything of "". */
static bool is_numbered(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);

    return strncmp(name, prefix, length) == 0 &&
           (length == 0 || isdigit((unsigned char)name[length]));
}

/* Visits the subfolders of a folder whose names are `prefix` and a number; all of them for "". */
static void visit(const char *root, const char *folder, const char *prefix, visitor *each,
                  void *context)
{
    char path[600];

    snprintf(path, sizeof path, "%s%s", root, folder);
    DIR *directory = opendir(path);
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        if (entry->d_name[0] == '.' || !is_numbered(entry->d_name, prefix))
            continue;
        snprintf(path, sizeof path, "%s/%.200s", folder, entry->d_name);
        each(root, path, context);
    }
    if (directory)
        closedir(directory);
}

/* ---- busy CPUs and steal, over an interval ------------------------------------------------------- */

enum { CPUS_MAX = 8192 }; /* as many as Linux can have (NR_CPUS) */

struct ticks {
    uint64_t busy, stolen, all;
};

struct cpu_times {
    bool known;
    unsigned long count; /* of the CPUs up to the last one that is told */
    struct ticks total, cpus[CPUS_MAX];
};

/* user nice system idle iowait irq softirq steal: proc(5) */
static struct ticks parse_ticks(const char *numbers)
{
    struct ticks ticks = {0};
    char *end = NULL;

    for (int i = 0; i < 8; i++, numbers = end) {
        uint64_t value = strtoull(numbers, &end, 10);
        ticks.all += value;
        ticks.busy += i != 3 && i != 4 ? value : 0;
        ticks.stolen += i == 7 ? value : 0;
    }
    return ticks;
}

/* Where a CPU's are kept; those before it that are not told have none. */
static struct ticks *ticks_of(struct cpu_times *times, unsigned long cpu)
{
    while (times->count <= cpu)
        times->cpus[times->count++] = (struct ticks){0};
    return &times->cpus[cpu];
}

static void read_cpu_times(const char *root, struct cpu_times *times)
{
    char path[600], line[1024];

    times->known = false;
    times->total = (struct ticks){0};
    times->count = 0; /* most of the array is never touched */
    snprintf(path, sizeof path, "%s/proc/stat", root);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file) && strncmp(line, "cpu", 3) == 0) {
        unsigned long cpu = strtoul(line + 3, NULL, 10);
        times->known = true;
        if (line[3] == ' ')
            times->total = parse_ticks(line + 4);
        else if (cpu < CPUS_MAX)
            *ticks_of(times, cpu) = parse_ticks(line + 3 + strcspn(line + 3, " "));
    }
    if (file)
        fclose(file);
}

static struct ticks ticks_between(const struct ticks *from, const struct ticks *to)
{
    struct ticks none = {0};

    if (to->all < from->all || to->busy < from->busy || to->stolen < from->stolen)
        return none;
    return (struct ticks){to->busy - from->busy, to->stolen - from->stolen, to->all - from->all};
}

static double share_of(uint64_t part, uint64_t all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

/* ---- findings ------------------------------------------------------------------------------------ */

struct reading { /* the findings so far */
    const char *root;
    struct lauka_finding *findings;
    size_t count;
    struct cpu_times before, after;
};

static struct lauka_finding *add(struct reading *reading, const char *subject, const char *source,
                                 const char *effect, const char *cure)
{
    return lauka_finding_begin(&reading->findings[reading->count++], subject, source, effect, cure);
}

__attribute__((format(printf, 3, 4))) static void
find(struct lauka_finding *finding, enum lauka_weight weight, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    finding->weight = weight;
    vsnprintf(finding->found, sizeof finding->found, format, arguments);
    va_end(arguments);
}

struct governors {
    unsigned count, others; /* others than performance */
    char name[40];
};

static void visit_governor(const char *root, const char *folder, void *context)
{
    struct governors *governors = context;
    char path[300], text[40];

    snprintf(path, sizeof path, "%.250s/cpufreq/scaling_governor", folder);
    if (!read_text(root, path, text, sizeof text))
        return;
    bool good = strcmp(text, "performance") == 0;
    governors->count++;
    governors->others += !good;
    if (!good || !*governors->name)
        snprintf(governors->name, sizeof governors->name, "%s", text);
}

static void find_governor(struct reading *reading)
{
    struct governors governors = {0};
    struct lauka_finding *finding =
        add(reading, "governor", "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
            "the clock follows the load, so short runs are timed while it still rises",
            "sudo cpupower frequency-set -g performance");

    visit(reading->root, "/sys/devices/system/cpu", "cpu", visit_governor, &governors);
    if (governors.count > 0)
        find(finding, governors.others ? LAUKA_WEIGHT_MATTERS : LAUKA_WEIGHT_FINE,
             "%s on %u of %u CPUs", governors.name,
             governors.others ? governors.others : governors.count, governors.count);
}

static void find_turbo(struct reading *reading)
{
    long long value;
    static const char effect[] = "the clock depends on temperature and on what other cores do";

    if (read_number(reading->root, "/sys/devices/system/cpu/intel_pstate/no_turbo", &value))
        find(add(reading, "turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo", effect,
                 "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"),
             value ? LAUKA_WEIGHT_FINE : LAUKA_WEIGHT_MINOR, value ? "off" : "on");
    else if (read_number(reading->root, "/sys/devices/system/cpu/cpufreq/boost", &value))
        find(add(reading, "turbo", "/sys/devices/system/cpu/cpufreq/boost", effect,
                 "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"),
             value ? LAUKA_WEIGHT_MINOR : LAUKA_WEIGHT_FINE, value ? "on" : "off");
    else
        add(reading, "turbo", "/sys/devices/system/cpu/cpufreq/boost", effect, NULL);
}

struct siblings {
    struct reading *reading;
    unsigned told, pairs, busy; /* CPUs; those that share a core; those of them busy meanwhile */
};

static bool is_busy(const struct reading *reading, unsigned long cpu)
{
    struct ticks spent;

    if (!reading->after.known || cpu >= reading->before.count || cpu >= reading->after.count)
        return false;
    spent = ticks_between(&reading->before.cpus[cpu], &reading->after.cpus[cpu]);
    return share_of(spent.busy, spent.all) > 0.1;
}

static void visit_siblings(const char *root, const char *folder, void *context)
{
    struct siblings *siblings = context;
    char path[300], list[100];
    unsigned long cpu = strtoul(strrchr(folder, '/') + 4, NULL, 10);

    snprintf(path, sizeof path, "%.250s/topology/thread_siblings_list", folder);
    if (!read_text(root, path, list, sizeof list))
        return;
    siblings->told++;
    if (!strpbrk(list, ",-"))
        return;
    siblings->pairs++;
    siblings->busy += is_busy(siblings->reading, cpu);
}

static void find_siblings(struct reading *reading)
{
    struct siblings siblings = {.reading = reading};
    struct lauka_finding *finding =
        add(reading, "SMT siblings", "/sys/devices/system/cpu/cpu*/topology/thread_siblings_list",
            "two CPUs share a core: what runs on one slows down what runs on the other",
            "lauka --quiet-machine, or echo off | sudo tee /sys/devices/system/cpu/smt/control");

    visit(reading->root, "/sys/devices/system/cpu", "cpu", visit_siblings, &siblings);
    if (siblings.told == 0)
        return;
    if (siblings.pairs == 0)
        find(finding, LAUKA_WEIGHT_FINE, "none: no core is shared");
    else if (!reading->after.known)
        find(finding, LAUKA_WEIGHT_MINOR, "%u CPU%s a core with another", siblings.pairs,
             siblings.pairs == 1 ? " shares" : "s share");
    else
        find(finding, siblings.busy ? LAUKA_WEIGHT_MATTERS : LAUKA_WEIGHT_MINOR,
             "%u of the %u CPUs that share a core are busy", siblings.busy, siblings.pairs);
}

/* Of "0.52 0.58 0.59 2/1204 5678" the first and the fourth number. */
static bool take_load(const char *text, double *one, unsigned *running)
{
    char *end;

    *one = strtod(text, &end);
    for (int i = 0; i < 2 && end != text; i++)
        strtod(text = end, &end);
    if (end == text)
        return false;
    *running = (unsigned)strtoul(text = end, &end, 10);
    return end != text;
}

static void find_load(struct reading *reading)
{
    char text[128];
    double one;
    unsigned running, cpus = 0;
    struct lauka_finding *finding =
        add(reading, "load", "/proc/loadavg",
            "other programs use the CPUs: runs wait, and caches are shared",
            "stop other programs, or keep them off with lauka --quiet-machine");

    for (size_t i = 0; i < reading->before.count; i++)
        cpus += reading->before.cpus[i].all > 0;
    if (cpus == 0 || !read_text(reading->root, "/proc/loadavg", text, sizeof text) ||
        !take_load(text, &one, &running))
        return;
    running -= running > 0; /* lauka itself */
    find(finding,
         running >= cpus && running > 0 ? LAUKA_WEIGHT_MATTERS
         : running > 0                  ? LAUKA_WEIGHT_MINOR
                                        : LAUKA_WEIGHT_FINE,
         "%u thread%s of other programs want%s a CPU; there %s %u; load average %.2f", running,
         running == 1 ? "" : "s", running == 1 ? "s" : "", cpus == 1 ? "is" : "are", cpus, one);
}

static void find_pressure(struct reading *reading)
{
    char text[400];
    struct lauka_finding *finding =
        add(reading, "CPU pressure", "/proc/pressure/cpu",
            "wall times grow and scatter; CPU times and counts suffer less",
            "stop other programs, or keep them off with lauka --quiet-machine");

    if (!read_text(reading->root, "/proc/pressure/cpu", text, sizeof text))
        return;
    double waited = number_after(text, "avg10");
    find(finding,
         waited > 10  ? LAUKA_WEIGHT_MATTERS
         : waited > 2 ? LAUKA_WEIGHT_MINOR
                      : LAUKA_WEIGHT_FINE,
         "in %.0f %% of the last 10 s something waited for a CPU", waited);
}

/* The folder of this process's group: "/a/b" of "0::/a/b", or of the controller in version 1. */
static bool find_group(const char *root, const char *controller, char *folder, size_t size)
{
    char text[4000], *line = text;

    if (!read_text(root, "/proc/self/cgroup", text, sizeof text))
        return false;
    while (line && *line) {
        char *end = strchr(line, '\n'), *names = strchr(line, ':');
        char *path = names ? strchr(names + 1, ':') : NULL;
        if (end)
            *end = '\0';
        if (path) {
            *path = '\0';
            if (*controller ? strstr(names + 1, controller) != NULL : names[1] == '\0')
                return snprintf(folder, size, "%s", path + 1) < (int)size;
        }
        line = end ? end + 1 : NULL;
    }
    return false;
}

/* "50000 100000": what the text does not say stays as it is. */
static void take_quota(const char *text, double *quota, double *period)
{
    char *end, *last;
    double first = strtod(text, &end), second = strtod(end, &last);

    if (end != text)
        *quota = first;
    if (last != end)
        *period = second;
}

/* How many CPUs the group may use, and in which share of the periods it was throttled. */
static bool read_quota(const char *root, double *cpus, double *throttled)
{
    char folder[300] = "", path[500], text[600];
    double quota = -1, period = 1;

    find_group(root, "", folder, sizeof folder);
    for (int deep = 1; deep >= 0; deep--) { /* in a container, its own group is the root */
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", deep ? folder : "");
        if (read_text(root, path, text, sizeof text)) {
            if (strncmp(text, "max", 3) != 0)
                take_quota(text, &quota, &period);
            snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.stat", deep ? folder : "");
            break;
        }
        long long us, of;
        snprintf(path, sizeof path, "/sys/fs/cgroup/cpu%s/cpu.cfs_quota_us", deep ? folder : "");
        if (read_number(root, path, &us)) {
            quota = (double)us;
            snprintf(path, sizeof path, "/sys/fs/cgroup/cpu%s/cpu.cfs_period_us",
                     deep ? folder : "");
            period = read_number(root, path, &of) ? (double)of : 100000;
            snprintf(path, sizeof path, "/sys/fs/cgroup/cpu%s/cpu.stat", deep ? folder : "");
            break;
        }
        if (deep == 0)
            return false;
    }
    *cpus = quota > 0 ? quota / period : 0;
    *throttled = 0;
    if (read_text(root, path, text, sizeof text) && number_after(text, "nr_periods") > 0)
        *throttled = number_after(text, "nr_throttled") / number_after(text, "nr_periods");
    return true;
}

static void find_throttling(struct reading *reading)
{
    double cpus, throttled;
    struct lauka_finding *finding =
        add(reading, "cgroup quota", "/sys/fs/cgroup/*/cpu.max, cpu.stat",
            "a run that has used up its quota stands still until the next period, often 100 ms",
            "start the container without a CPU limit (docker run without --cpus)");

    if (!read_quota(reading->root, &cpus, &throttled))
        return;
    if (cpus <= 0)
        find(finding, LAUKA_WEIGHT_FINE, "none");
    else
        find(finding, throttled > 0.01 ? LAUKA_WEIGHT_MATTERS : LAUKA_WEIGHT_MINOR,
             "%.2f CPUs' time; used up in %.0f %% of the periods so far", cpus, 100 * throttled);
}

static void find_steal(struct reading *reading)
{
    const struct ticks none = {0};
    struct ticks spent =
        ticks_between(reading->after.known ? &reading->before.total : &none,
                      reading->after.known ? &reading->after.total : &reading->before.total);
    struct lauka_finding *finding =
        add(reading, "steal", "/proc/stat",
            "the host gave these CPUs to other guests: time passes, nothing runs",
            "use a machine with CPUs of its own, or measure when the others are idle");

    if (!reading->before.known)
        return;
    double share = share_of(spent.stolen, spent.all);
    find(finding, share > 0.01 ? LAUKA_WEIGHT_MATTERS : LAUKA_WEIGHT_FINE, "%.1f %% of the time%s",
         100 * share, reading->after.known ? "" : " since it was started");
}

struct heat {
    unsigned zones;
    long long hottest, throttles; /* thousandths of a degree; events since boot */
    bool near_limit;
};

static void visit_zone(const char *root, const char *folder, void *context)
{
    struct heat *heat = context;
    char path[300];
    long long now, limit;

    snprintf(path, sizeof path, "%.250s/temp", folder);
    if (!read_number(root, path, &now) || now <= 0)
        return;
    heat->zones++;
    heat->hottest = now > heat->hottest ? now : heat->hottest;
    snprintf(path, sizeof path, "%.250s/trip_point_0_temp", folder);
    heat->near_limit |= read_number(root, path, &limit) && limit > 40000 && now > limit - 5000;
}

static void visit_throttle(const char *root, const char *folder, void *context)
{
    struct heat *heat = context;
    char path[300];
    long long count;

    snprintf(path, sizeof path, "%.250s/thermal_throttle/core_throttle_count", folder);
    if (read_number(root, path, &count))
        heat->throttles += count;
}

static void find_heat(struct reading *reading)
{
    struct heat heat = {0};
    struct lauka_finding *finding =
        add(reading, "thermal", "/sys/class/thermal/thermal_zone*/temp, cpu*/thermal_throttle",
            "a hot CPU lowers its clock: later rounds are slower",
            "let it cool down, or measure for shorter");

    visit(reading->root, "/sys/class/thermal", "thermal_zone", visit_zone, &heat);
    visit(reading->root, "/sys/devices/system/cpu", "cpu", visit_throttle, &heat);
    if (heat.zones == 0 && heat.throttles == 0)
        return;
    find(finding,
         heat.near_limit      ? LAUKA_WEIGHT_MATTERS
         : heat.throttles > 0 ? LAUKA_WEIGHT_MINOR
                              : LAUKA_WEIGHT_FINE,
         "%lld degrees C at the hottest place; throttled %lld times since boot",
         heat.hottest / 1000, heat.throttles);
}

static void find_clock_source(struct reading *reading)
{
    static const char path[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "xen"};
    char name[40];
    bool bad = false;
    struct lauka_finding *finding = add(
        reading, "clock source", path, "reading the clock takes a system call of a microsecond",
        "boot with tsc=reliable if the CPU's TSC is; ask the host's owner in a virtual machine");

    if (!read_text(reading->root, path, name, sizeof name))
        return;
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        bad |= strcmp(name, slow[i]) == 0;
    find(finding, bad ? LAUKA_WEIGHT_MATTERS : LAUKA_WEIGHT_FINE, "%s", name);
}

static void visit_supply(const char *root, const char *folder, void *context)
{
    bool *discharging = context;
    char path[300], text[40];

    snprintf(path, sizeof path, "%.250s/status", folder);
    if (read_text(root, path, text, sizeof text))
        discharging[strcmp(text, "Discharging") == 0] = true;
}

static void find_battery(struct reading *reading)
{
    bool seen[2] = {false, false}; /* a battery; one that is discharging */
    struct lauka_finding *finding = add(reading, "battery", "/sys/class/power_supply/*/status",
                                        "on battery the clock is often held down", "plug it in");

    visit(reading->root, "/sys/class/power_supply", "", visit_supply, seen);
    find(finding, seen[1] ? LAUKA_WEIGHT_MATTERS : LAUKA_WEIGHT_FINE, "%s",
         seen[1]   ? "it is what the machine runs on"
         : seen[0] ? "it is being charged, or full"
                   : "there is none");
}

size_t lauka_findings_read(const char *root, uint64_t interval_ns,
                           struct lauka_finding findings[LAUKA_FINDINGS_MAX])
{
    struct reading *reading = malloc(sizeof *reading);
    const struct timespec interval = {.tv_sec = (time_t)(interval_ns / 1000000000),
                                      .tv_nsec = (long)(interval_ns % 1000000000)};

    if (!reading)
        return 0;
    reading->root = root;
    reading->findings = findings;
    reading->count = 0;
    reading->after.known = false;
    read_cpu_times(root, &reading->before);
    if (interval_ns > 0) {
        nanosleep(&interval, NULL);
        read_cpu_times(root, &reading->after);
    }
    find_load(reading);
    find_pressure(reading);
    find_steal(reading);
    find_throttling(reading);
    find_governor(reading);
    find_turbo(reading);
    find_siblings(reading);
    find_heat(reading);
    find_clock_source(reading);
    find_battery(reading);
    size_t count = reading->count;
    free(reading);
    return count;
}
