/* What lauka asks the kernel for on an Alder Lake, a Skylake and a Zen 4. Each machine is a folder that
 * looks like its sysfs, and perf_event_open(2) is replaced by a function that only records its arguments.
 *
 * The folders contain what is public about these machines:
 * - Alder Lake: `perf list` and `perf stat -vvv -e topdown-retiring` on a hybrid, by James Clark on the
 *   list linux-kernel, message e2ea3776-12d2-41c2-9b7b-836c7c249c45@linaro.org; `perf stat -vv -e cycles`
 *   and of cpu_core, by Ian Rogers there ("perf parse-events: Support hardware events inside PMU"); `perf
 *   stat -vv -e FRONTEND_RETIRED.DSB_MISS,...` in issue 317 of github.com/intel/perfmon; `perf trace -vvv`
 *   with raw_syscalls:sys_enter, by Arnaldo Carvalho de Melo.
 * - Skylake: the list of /sys/devices/cpu/events and `strace -e perf_event_open perf stat -e
 *   cpu/LLC-load-misses/` on a Core i7-8650U, by Arnaldo Carvalho de Melo on linux-kernel, November 2023;
 *   cpu/cpu-cycles/ by Ian Rogers, January 2025. Terms and scales come from Linux's
 *   arch/x86/events/intel/core.c, with hyper-threading.
 * - Zen 4: amd_zen4_perfmon_event_map of arch/x86/events/amd/core.c, as that file writes it into sysfs; the
 *   numbers of cycles and of micro-ops, type 4, in `perf test -vv` of "AMD IBS via core pmu", by Ravi
 *   Bangoria, May 2023. No log of `perf stat -vv` on a Zen 4 was found.
 *
 * perf asks for more than lauka does: sample_type IDENTIFIER, which only perf.data needs, and, where the
 * kernel allows it, exclude_guest, which makes no difference for a command that runs no guests. */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/calls/calls.h"
#include "pmu/linux/call_names.h"
#include "pmu/linux/perf_event.h"
#include "tests/unit/expect.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- the replacement of perf_event_open(2) ---- */

static struct {
    struct perf_event_attr attr;
    int pid, cpu, group;
    unsigned long flags;
} told[64];
static size_t told_count;

/* Replaces the C library's function. Nothing else in this program needs that one. */
long syscall(long number, ...)
{
    va_list arguments;
    if (number != SYS_perf_event_open || told_count == COUNT(told)) {
        errno = ENOSYS;
        return -1;
    }
    va_start(arguments, number);
    const struct perf_event_attr *attr = va_arg(arguments, const struct perf_event_attr *);
    told[told_count].pid = va_arg(arguments, int);
    told[told_count].cpu = va_arg(arguments, int);
    told[told_count].group = va_arg(arguments, int);
    told[told_count].flags = va_arg(arguments, unsigned long);
    va_end(arguments);
    memset(&told[told_count].attr, 0, sizeof told->attr);
    memcpy(&told[told_count++].attr, attr, attr->size < sizeof *attr ? attr->size : sizeof *attr);
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* ---- machines, as folders ---- */

struct file {
    const char *path, *text; /* relative to the root */
};

#define PMUS "bus/event_source/devices/"
#define INTEL_FORMAT(pmu)                                                                          \
    {PMUS pmu "/format/event", "config:0-7"}, {PMUS pmu "/format/umask", "config:8-15"},           \
        {PMUS pmu "/format/edge", "config:18"}, {PMUS pmu "/format/pc", "config:19"},              \
        {PMUS pmu "/format/inv", "config:23"}, {PMUS pmu "/format/cmask", "config:24-31"},         \
        {PMUS pmu "/format/ldlat", "config1:0-15"},                                                \
    {                                                                                              \
        PMUS pmu "/format/offcore_rsp", "config1:0-63"                                             \
    }

static const struct file alder_lake[] = {
    {"devices/system/cpu/online", "0-23"},
    {PMUS "cpu_core/type", "4"},
    {PMUS "cpu_core/cpus", "0-15"},
    INTEL_FORMAT("cpu_core"),
    {PMUS "cpu_core/format/frontend", "config1:0-23"},
    {PMUS "cpu_core/events/cpu-cycles", "event=0x3c"},
    {PMUS "cpu_core/events/instructions", "event=0xc0"},
    {PMUS "cpu_core/events/slots", "event=0x00,umask=0x4"},
    {PMUS "cpu_core/events/topdown-retiring", "event=0x00,umask=0x80"},
    {PMUS "cpu_core/events/topdown-mem-bound", "event=0x00,umask=0x87"},
    {PMUS "cpu_core/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3"},
    {PMUS "cpu_atom/type", "10"},
    {PMUS "cpu_atom/cpus", "16-23"},
    INTEL_FORMAT("cpu_atom"),
    {PMUS "cpu_atom/events/cpu-cycles", "event=0x3c"},
    {PMUS "cpu_atom/events/instructions", "event=0xc0"},
    {PMUS "cpu_atom/events/topdown-retiring", "event=0xc2,umask=0x0"},
    {PMUS "cpu_atom/events/mem-loads", "event=0xd0,umask=0x5,ldlat=3"},
    {"tracing/events/raw_syscalls/sys_enter/id", "407"},
    {NULL, NULL},
};

static const struct file skylake[] = {
    {"devices/system/cpu/online", "0-7"},
    {PMUS "cpu/type", "4"},
    INTEL_FORMAT("cpu"),
    {PMUS "cpu/format/any", "config:21"},
    {PMUS "cpu/format/frontend", "config1:0-23"},
    {PMUS "cpu/events/cpu-cycles", "event=0x3c"},
    {PMUS "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3"},
    {PMUS "cpu/events/topdown-total-slots", "event=0x3c,umask=0x0,any=1"},
    {PMUS "cpu/events/topdown-total-slots.scale", "2"},
    {PMUS "cpu/events/topdown-slots-retired", "event=0xc2,umask=0x2"},
    {PMUS "cpu/events/topdown-recovery-bubbles", "event=0xd,umask=0x3,cmask=1,any=1"},
    {PMUS "cpu/events/topdown-recovery-bubbles.scale", "2"},
    {NULL, NULL},
};

static const struct file zen4[] = {
    {"devices/system/cpu/online", "0-31"},
    {PMUS "cpu/type", "4"},
    {PMUS "cpu/format/event", "config:0-7,32-35"},
    {PMUS "cpu/format/umask", "config:8-15"},
    {PMUS "cpu/format/edge", "config:18"},
    {PMUS "cpu/format/inv", "config:23"},
    {PMUS "cpu/format/cmask", "config:24-31"},
    {PMUS "cpu/events/cpu-cycles", "event=0x76"},
    {PMUS "cpu/events/cache-references", "event=0x60,umask=0xff"},
    {PMUS "cpu/events/cache-misses", "event=0x64,umask=0x09"},
    {PMUS "cpu/events/ref-cycles", "event=0x120,umask=0x01"},
    {PMUS "amd_l3/type", "11"},
    {PMUS "amd_l3/cpumask", "0"},
    {PMUS "amd_l3/format/event", "config:0-7"},
    {NULL, NULL},
};

static char root[] = "/tmp/lauka_machines_XXXXXX";

/* Creates the file, and the folders above it. */
static void put(const struct file *file)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", root, file->path);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    FILE *to = fopen(path, "w");
    EXPECT(to != NULL);
    if (!to)
        return;
    fprintf(to, "%s\n", file->text);
    fclose(to);
}

/* Removes the file, and the folders that become empty. */
static void take_away(const struct file *file)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", root, file->path);
    remove(path);
    for (char *slash; (slash = strrchr(path, '/')) != NULL && slash > path + strlen(root);) {
        *slash = '\0';
        if (rmdir(path) != 0)
            return;
    }
}

/* ---- what lauka asks for ---- */

static struct lauka_event_list list;
static struct lauka_counters counters;

/* Records in told[] every event that a run on the machine would open. */
static void count(const struct file *machine, const char *names)
{
    char pmus[100], why[300] = "";
    for (const struct file *file = machine; file->path; file++)
        put(file);
    snprintf(pmus, sizeof pmus, "%s/bus/event_source/devices", root);
    list = (struct lauka_event_list){0};
    EXPECT(lauka_event_list_add(&list, names, pmus, why, sizeof why));
    if (*why)
        printf("  %s: %s\n", names, why);
    lauka_counters_prepare(&counters, list.events, list.count);
    lauka_topology_read(root, &counters.topology);
    lauka_counters_split(&counters);
    lauka_counters_pair(&counters);
    told_count = 0;
    lauka_perf_event_arm(&counters);
    EXPECT_UINT((uint64_t)counters.run_error, 0);
    lauka_perf_event_disarm(&counters);
    for (const struct file *file = machine; file->path; file++)
        take_away(file);
}

static void expect_told(size_t index, uint32_t type, uint64_t config, uint64_t config1)
{
    const struct perf_event_attr *attr = &told[index].attr;
    EXPECT(index < told_count);
    EXPECT_UINT(attr->type, type);
    EXPECT_UINT(attr->config, config);
    EXPECT_UINT(attr->config1, config1);
    EXPECT_UINT(attr->read_format, PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
    EXPECT(attr->inherit && !attr->exclude_user && !attr->exclude_kernel && !attr->exclude_hv);
    EXPECT(attr->sample_period == 0 && attr->precise_ip == 0 && attr->size == PERF_ATTR_SIZE_VER0);
    bool leads = told[index].group < 0;
    EXPECT(attr->disabled == leads && attr->enable_on_exec == leads);
    EXPECT(told[index].pid == 0 && told[index].cpu == -1);
    EXPECT_UINT(told[index].flags, PERF_FLAG_FD_CLOEXEC);
}

static void alder_lake_is_asked_for_each_kind_of_core(void)
{
    count(alder_lake, "cycles");
    EXPECT_UINT(told_count, 2);
    expect_told(0, PERF_TYPE_HARDWARE, 0x400000000, 0);
    expect_told(1, PERF_TYPE_HARDWARE, 0xa00000000, 0);
    EXPECT(told[0].group == -1 && told[1].group == -1);
    count(alder_lake, "cycles,instructions");
    EXPECT_UINT(told_count, 4);
    expect_told(0, PERF_TYPE_HARDWARE, 0x400000000, 0);
    count(alder_lake, "topdown-retiring");
    EXPECT_UINT(told_count, 3);
    expect_told(0, 10, 0xc2, 0);
    expect_told(1, 4, 0x400, 0); /* slots, which leads the group */
    expect_told(2, 4, 0x8000, 0);
    EXPECT(told[1].group == -1 && told[2].group >= 0);
    count(
        alder_lake,
        "cpu_core/event=0xc6,umask=0x1,frontend=0x11/,cpu_core/event=0xc6,umask=1,frontend=0x14/P");
    expect_told(0, 4, 0x1c6, 0x11);
    expect_told(1, 4, 0x1c6, 0x14);
    count(alder_lake, "cpu_core/instructions/,cpu_atom/instructions/");
    expect_told(0, 4, 0xc0, 0);
    expect_told(1, 10, 0xc0, 0);
    count(alder_lake, "slots,LLC-load-misses");
    EXPECT_UINT(told_count, 3);
    expect_told(0, 4, 0x400, 0); /* on one kind of core only */
    expect_told(1, PERF_TYPE_HW_CACHE, 0x400010002, 0);
    expect_told(2, PERF_TYPE_HW_CACHE, 0xa00010002, 0);
}

static void a_group_is_one_on_each_kind_of_core(void)
{
    count(alder_lake, "{instructions,cycles}");
    EXPECT_UINT(told_count, 4);
    for (size_t i = 0; i < told_count; i++)
        expect_told(i, PERF_TYPE_HARDWARE, (i % 2 ? 0xa00000000 : 0x400000000) + (i < 2), 0);
    EXPECT(told[0].group == -1 && told[1].group == -1);
    EXPECT(told[2].group >= 0 && told[3].group >= 0 && told[2].group != told[3].group);
}

static void skylake_is_asked_as_perf_asks_it(void)
{
    count(skylake, "cycles,cpu/cpu-cycles/"
                   ",LLC-load-misses,topdown-total-slots,topdown-recovery-bubbles,mem-loads");
    EXPECT_UINT(told_count, 6);
    expect_told(0, PERF_TYPE_HARDWARE, 0, 0);
    expect_told(1, 4, 0x3c, 0);
    expect_told(2, PERF_TYPE_HW_CACHE, 0x10002, 0);
    expect_told(3, 4, 0x20003c, 0);
    expect_told(4, 4, 0x120030d, 0);
    expect_told(5, 4, 0x1cd, 3);
    EXPECT_UINT(lauka_event_scaled(&list.events[3], 1000), 2000);
    EXPECT_UINT(lauka_event_scaled(&list.events[4], 1000), 2000);
    count(skylake, "{cycles,instructions}:u");
    EXPECT_UINT(told_count, 2);
    for (size_t i = 0; i < told_count; i++)
        EXPECT(told[i].attr.exclude_kernel && told[i].attr.exclude_hv &&
               !told[i].attr.exclude_user);
    EXPECT(told[0].attr.config == 0 && told[1].attr.config == 1 && told[1].group >= 0);
}

static void zen_4_has_numbers_of_more_than_eight_bits(void)
{
    count(zen4,
          "cycles,cpu/cpu-cycles/,rc1,cpu/ref-cycles/,cpu/cache-references/,cpu/cache-misses/");
    EXPECT_UINT(told_count, 6);
    expect_told(0, PERF_TYPE_HARDWARE, 0, 0);
    expect_told(1, 4, 0x76, 0);
    expect_told(2, 4, 0xc1, 0);
    expect_told(3, 4, 0x100000120, 0);
    expect_told(4, 4, 0xff60, 0);
    expect_told(5, 4, 0x0964, 0);
}

static void tracepoints_are_counted_in_the_kernel(void)
{
    char tracing[100];
    struct lauka_event event = {.name = "syscalls", .type = LAUKA_TYPE_TRACEPOINT};
    for (const struct file *file = alder_lake; file->path; file++)
        put(file);
    snprintf(tracing, sizeof tracing, "%s/tracing", root);
    EXPECT(lauka_tracepoint_find(tracing, &event) == 0);
    EXPECT_UINT(event.config, 0x197);
    event = (struct lauka_event){.name = "raw_syscalls:sys_exit", .type = LAUKA_TYPE_TRACEPOINT};
    EXPECT(lauka_tracepoint_find(tracing, &event) == ESRCH);
    event = (struct lauka_event){.name = "raw_syscalls:sys_enter", .type = LAUKA_TYPE_TRACEPOINT};
    EXPECT(lauka_tracepoint_find(tracing, &event) == 0);
    told_count = 0;
    int fd = lauka_perf_event_open(&event, false, LAUKA_PERF_COUNT, -1);
    expect_told(0, PERF_TYPE_TRACEPOINT, 0x197, 0);
    close(fd);
    char **names = lauka_tracepoint_list(tracing, "raw_syscalls");
    EXPECT(names && strcmp(names[0], "sys_enter") == 0 && !names[1]);
    lauka_sysfs_free(names);
    for (const struct file *file = alder_lake; file->path; file++)
        take_away(file);
}

static void system_calls_have_the_names_of_their_numbers(void)
{
    static const struct {
        long number;
        const char *name;
    } known[] = {{SYS_read, "read"},
                 {SYS_getppid, "getppid"},
                 {SYS_newfstatat, "newfstatat"},
                 {SYS_exit_group, "exit_group"},
                 {SYS_execveat, "execveat"},
                 {SYS_pidfd_open, "pidfd_open"}};
    struct lauka_call_names at = {0};
    size_t found = 0, count = 0;
    unsigned last = 0;
    while (lauka_call_names_next(&at)) {
        EXPECT(count++ == 0 || at.number > last);
        EXPECT(at.length < LAUKA_CALL_NAME);
        last = at.number;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (known[i].number == (long)at.number) {
                EXPECT(strlen(known[i].name) == at.length &&
                       memcmp(at.name, known[i].name, at.length) == 0);
                found++;
            }
    }
    EXPECT_UINT(found, sizeof known / sizeof *known);
    EXPECT(count > 300 && !lauka_call_names_next(&at));
}

/* Under sudo, the launcher opens events that an unprivileged user asks for. */
static void only_what_does_no_harm_is_opened_for_others(void)
{
    const struct {
        uint32_t type;
        uint64_t config, sample_type, sample_period;
        bool good;
    } asked[] = {
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, PERF_SAMPLE_IP | PERF_SAMPLE_TID, 999, true},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERF_SAMPLE_IP, 999, true},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERF_SAMPLE_REGS_INTR, 999, false},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, PERF_SAMPLE_CALLCHAIN, 999, false},
        {PERF_TYPE_TRACEPOINT, 17, 0, 0, false},
        {PERF_TYPE_TRACEPOINT, 0, PERF_SAMPLE_RAW, 1, false},
        {PERF_TYPE_RAW, 0xc0, PERF_SAMPLE_IP, 999, false},
        {PERF_TYPE_BREAKPOINT, 0, 0, 0, false},
    };
    for (size_t i = 0; i < COUNT(asked); i++) {
        struct perf_event_attr attr;
        memset(&attr, 0, sizeof attr);
        attr.size = PERF_ATTR_SIZE_VER0;
        attr.type = asked[i].type;
        attr.config = asked[i].config;
        attr.sample_type = asked[i].sample_type;
        attr.sample_period = asked[i].sample_period;
        told_count = 0;
        int file = lauka_event_open(&attr, 3);
        EXPECT_UINT(told_count, asked[i].good);
        EXPECT(asked[i].good ? told[0].cpu == 3 && told[0].pid == 0 : file == -1 && errno == EPERM);
        if (file >= 0)
            close(file);
    }
}

int main(void)
{
    if (!mkdtemp(root))
        return 1;
    TEST(alder_lake_is_asked_for_each_kind_of_core);
    TEST(a_group_is_one_on_each_kind_of_core);
    TEST(skylake_is_asked_as_perf_asks_it);
    TEST(zen_4_has_numbers_of_more_than_eight_bits);
    TEST(tracepoints_are_counted_in_the_kernel);
    TEST(system_calls_have_the_names_of_their_numbers);
    TEST(only_what_does_no_harm_is_opened_for_others);
    rmdir(root);
    return expect_report("machines");
}
