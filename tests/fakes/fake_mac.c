/* fake_mac: the kernel's side of kpc and kperf, the log of calls, and what the system tells anybody. */
#include "pmu/apple/apple.h"
#include "pmu/macos/darwin.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/fakes/machine.h"

struct fake_options fake_options;
struct machine mac;
struct fake_call fake_log[FAKE_LOG_MAX];
uint64_t fake_calls;

enum { TICKS_PER_MS = 24000 };

void fake_reset(void)
{
    fake_trace_free();
    memset(&mac, 0, offsetof(struct machine, processes));
    mac.ticks = 1000000000;
    mac.self = 1;
    mac.actions = fake_options.stale_actions;
    for (uint32_t i = 1; i <= mac.actions; i++)
        mac.samplers[i] = 1;
    mac.pet_timer = 999;
    if (fake_options.left_over) {
        mac.counting = mac.thread_counting = 3;
        mac.sampling = mac.lightweight = true;
        mac.actions = mac.timers = mac.kdebug_action = 1;
        mac.samplers[1] = 0x10;
        mac.pet_timer = 0;
        mac.trace_mask = FAKE_KPERF;
    }
    mac.next_thread = 1000;
    mac.next_unique = 70000;
    fake_calls = 0;
}

static const struct lauka_apple_chip *chip(void)
{
    return lauka_apple_chip_find(fake_options.chip ? fake_options.chip : "a14");
}

unsigned fake_release(void)
{
    return fake_options.macos ? fake_options.macos : 15;
}

/* ---- the log ---- */

int fake_call(const char *name, int64_t value)
{
    bool fails = ++fake_calls == fake_options.fail_call;
    if (fake_calls <= FAKE_LOG_MAX)
        fake_log[fake_calls - 1] = (struct fake_call){name, value, fails ? -1 : 0, mac.ticks};
    mac.ticks += 24;
    if (fails)
        errno = fake_options.fail_error ? fake_options.fail_error : EIO;
    return fails ? -1 : 0;
}

int fake_done(int result)
{
    if (fake_calls && fake_calls <= FAKE_LOG_MAX)
        fake_log[fake_calls - 1].result = result;
    return result;
}

static int refuse(int error)
{
    errno = error;
    return fake_done(-1);
}

size_t fake_count_calls(const char *name, int64_t value)
{
    size_t count = 0;
    for (uint64_t i = 0; i < fake_calls && i < FAKE_LOG_MAX; i++)
        count += strcmp(fake_log[i].name, name) == 0 && (value < 0 || fake_log[i].value == value);
    return count;
}

/* ---- rules ---- */

const char *fake_left_set(void)
{
    static char text[200];
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s%s%s", mac.forced ? "forced " : "",
             mac.counting ? "counting " : "", mac.thread_counting ? "thread-counting " : "",
             mac.sampling ? "sampling " : "", mac.lightweight ? "lightweight-pet " : "",
             mac.filter_count ? "filter " : "", mac.kdebug_action ? "kdebug-action " : "",
             mac.traced ? "trace " : "", mac.enabled ? "enabled " : "");
    return text;
}

static uint64_t first_call(const char *name, int64_t value)
{
    for (uint64_t i = 0; i < fake_calls && i < FAKE_LOG_MAX; i++)
        if (strcmp(fake_log[i].name, name) == 0 && (value < 0 || fake_log[i].value == value))
            return i;
    return UINT64_MAX;
}

/* Expects the first of two calls before the other, if that came at all. */
static bool in_order(const char *first, int64_t a, const char *second, int64_t b)
{
    uint64_t later = first_call(second, b);
    return later == UINT64_MAX || first_call(first, a) < later;
}

static bool resized_within_a_run(void)
{
    bool inside = false;
    for (uint64_t i = 0; i < fake_calls && i < FAKE_LOG_MAX; i++) {
        const char *name = fake_log[i].name;
        if (strcmp(name, "spawn") == 0)
            inside = true;
        else if (strcmp(name, "reap") == 0)
            inside = false;
        else if (inside && (strcmp(name, "KDSETUP") == 0 || strcmp(name, "KDREMOVE") == 0))
            return true;
    }
    return false;
}

static bool set_within_a_run(void)
{
    bool inside = false;
    for (uint64_t i = 0; i < fake_calls && i < FAKE_LOG_MAX; i++) {
        const char *name = fake_log[i].name;
        inside = strcmp(name, "spawn") == 0 || (inside && strcmp(name, "reap") != 0);
        if (inside &&
            (strcmp(name, "kpc_set_config") == 0 || strcmp(name, "kpc_set_counting") == 0))
            return true;
    }
    return false;
}

static bool reaped_before_account(void)
{
    bool reaped = false;
    for (uint64_t i = 0; i < fake_calls && i < FAKE_LOG_MAX; i++) {
        if (strcmp(fake_log[i].name, "reap") == 0)
            reaped = true;
        if (strcmp(fake_log[i].name, "spawn") == 0)
            reaped = false;
        if (reaped && strcmp(fake_log[i].name, "proc_pid_rusage") == 0 &&
            fake_log[i].value == FAKE_PID)
            return true;
    }
    return false;
}

const char *fake_broken_rule(void)
{
    if (!in_order("kpc_force_all_ctrs_set", 1, "kpc_get_counter_count", -1) ||
        !in_order("kpc_force_all_ctrs_set", 1, "kpc_set_config", -1))
        return "all counters are forced before their number is asked for or they are set";
    if (!in_order("kpc_set_config", -1, "kpc_set_counting", 3))
        return "the events are chosen before the counters start";
    if (!in_order("kpc_set_counting", 3, "kpc_set_thread_counting", 3))
        return "the counters start before threads are counted";
    if (!in_order("kperf_action_samplers_set", 1, "KDENABLE", 1))
        return "the samplers are chosen before the trace starts";
    if (resized_within_a_run())
        return "the trace is set up once, not in a run";
    if (reaped_before_account())
        return "a zombie is asked for its account before it is reaped";
    if (!in_order("KDEFLAGS", 0x400, "KDSETUP", -1))
        return "coprocessors are left asleep";
    bool traces = first_call("KDSETUP", -1) != UINT64_MAX;
    if ((traces && !in_order("kperf_reset", -1, "kpc_force_all_ctrs_set", 1)) || mac.spoiled)
        return "the trace is claimed first, and counters that somebody has are left alone";
    if (mac.trace_calls > 0)
        return "the command's libraries find that nobody wants their tracepoints";
    if (mac.log_lines > 0)
        return "from macOS 26 on no read of the trace finds next to nothing";
    if (set_within_a_run())
        return "the counters are set before the command exists";
    return NULL;
}

bool fake_is_clean(void)
{
    const char *rule = fake_broken_rule();
    if (rule)
        printf("broken: %s\n", rule);
    if (*fake_left_set())
        printf("left set: %s\n", fake_left_set());
    return !rule && !*fake_left_set();
}

/* ---- kpc ---- */

unsigned fake_configurable(void)
{
    unsigned count = 0;
    for (uint16_t mask = chip()->counters; mask; mask &= (uint16_t)(mask - 1))
        count++;
    return fake_options.configurable ? fake_options.configurable : count;
}

static uint32_t available(void)
{
    return mac.forced && !fake_options.forces_nothing ? fake_configurable()
                                                      : fake_configurable() - 3;
}

uint32_t fake_kpc_count(const char *name, uint32_t classes)
{
    if (fake_call(name, classes) != 0)
        return 0;
    uint32_t count = strcmp(name, "kpc_get_counter_count") == 0 && classes & 1 ? 2 : 0;
    return count + (classes & 2 ? available() : 0);
}

static bool is_refused(const char *name)
{
    for (size_t i = 0; i < FAKE_REFUSED && fake_options.refused[i]; i++)
        if (strcmp(fake_options.refused[i], name) == 0)
            return true;
    return false;
}

static bool allowed(uint64_t word)
{
    struct lauka_apple_event event;
    unsigned number = word & 0xffff;
    if (number == 0)
        return true;
    for (size_t i = 2; !fake_options.allow_nothing && lauka_apple_event(chip(), i, &event); i++)
        if (event.number == number)
            return !is_refused(event.name);
    return false;
}

static int force(int64_t on)
{
    if (fake_options.forced_by_other)
        return refuse(EACCES);
    if (fake_options.virtual_machine)
        return refuse(ENOTSUP);
    if (mac.forced && mac.forcer != mac.self)
        return fake_release() < 26 ? refuse(EACCES) : fake_done(0);
    mac.forced = on != 0;
    mac.forcer = on ? mac.self : 0;
    return fake_done(0);
}

/* 26 grants the forcing, and what is set then is set for the one that has the counters, too. */
static void spoil(const char *name)
{
    mac.spoiled = mac.spoiled || (fake_options.other_owner && strncmp(name, "kpc_set", 7) == 0);
}

static int set_config(const uint64_t *words)
{
    uint32_t count = available();
    for (uint32_t i = 0; i < FAKE_COUNTERS - 2; i++)
        if ((i >= count && words[i]) || !allowed(words[i]))
            return refuse(EPERM);
    memcpy(mac.written, words, sizeof mac.written - 2 * sizeof *words);
    if (fake_release() < 26) /* from then on it applies when counting starts only */
        memcpy(mac.config, mac.written, sizeof mac.config);
    mac.configured = true;
    return fake_done(0);
}

/* Newer kernels keep only the number of the event. */
static void get_config(uint64_t *words)
{
    uint64_t kept = fake_options.old_readback || fake_release() < 15 ? UINT64_MAX : 0xffff;
    for (uint32_t i = 0; i < available(); i++)
        words[i] = mac.config[i] & kept;
}

static void set_counting(uint32_t classes)
{
    if (classes && !mac.counting && fake_release() >= 26)
        memcpy(mac.config, mac.written, sizeof mac.config);
    mac.counting = classes;
}

int fake_kpc(const char *name, int64_t value, uint64_t *words)
{
    if (fake_call(name, value) != 0)
        return -1;
    if (fake_options.euid != 0)
        return refuse(EPERM);
    if (fake_options.cpmu_busy)
        return refuse(EBUSY);
    if (strcmp(name, "kpc_force_all_ctrs_set") == 0)
        return force(value);
    if (strcmp(name, "kpc_force_all_ctrs_get") == 0)
        return (int)(mac.forced || fake_options.other_owner || fake_options.virtual_machine);
    spoil(name);
    if (value & 4 && value > 0)
        return refuse(EPERM);
    if (strcmp(name, "kpc_set_config") == 0)
        return set_config(words);
    if (strcmp(name, "kpc_get_config") == 0)
        get_config(words);
    else if (strcmp(name, "kpc_set_counting") == 0)
        set_counting((uint32_t)value);
    else if (strcmp(name, "kpc_set_thread_counting") == 0)
        mac.thread_counting = (uint32_t)value;
    else if (strcmp(name, "kpc_get_counting") == 0)
        return (int)(mac.counting | fake_options.counting_more);
    else if (strcmp(name, "kpc_get_thread_counting") == 0)
        return (int)mac.thread_counting;
    return fake_done(0);
}

static uint64_t rate_of(unsigned number)
{
    return number % 97 + 2;
}

void fake_own_counters(uint32_t count, uint64_t *values)
{
    for (uint32_t i = 0; i < count && i < 2 + fake_configurable(); i++) {
        unsigned number = i < 2 ? FAKE_CYCLES + i : mac.config[i - 2] & 0xffff;
        values[i] = number && mac.counting && mac.thread_counting ? mac.ticks * rate_of(number) : 0;
    }
}

uint64_t fake_own_rate(const char *event)
{
    struct lauka_apple_event found = {0};
    if (strcmp(event, "FIXED_CYCLES") == 0)
        return rate_of(FAKE_CYCLES);
    if (strcmp(event, "FIXED_INSTRUCTIONS") == 0)
        return rate_of(FAKE_INSTRUCTIONS);
    lauka_apple_event_find(chip(), event, &found);
    return rate_of(found.number);
}

void fake_work(uint64_t ticks)
{
    mac.ticks += ticks;
}

/* What anybody may read of his own thread: instructions, and cycles. */
int thread_selfcounts(int kind, void *counts, size_t size)
{
    const uint64_t values[2] = {mac.ticks * rate_of(FAKE_INSTRUCTIONS),
                                mac.ticks * rate_of(FAKE_CYCLES)};
    if (fake_call("thread_selfcounts", kind) != 0)
        return -1;
    if (kind != 1 || size != sizeof values)
        return refuse(EINVAL);
    memcpy(counts, values, size);
    return fake_done(0);
}

/* ---- ktrace ---- */

static bool trace_is_anothers(void)
{
    return fake_options.trace_owned || (mac.trace_owner && mac.trace_owner != mac.self);
}

void fake_own_trace(unsigned part)
{
    mac.trace_owner = mac.self;
    mac.trace_mask |= part;
}

void fake_give_trace_up(unsigned part)
{
    mac.trace_mask &= ~part;
    mac.trace_owner = mac.trace_mask ? mac.trace_owner : 0;
}

/* The process is killed: of what it has set only the forcing is undone. */
static int apart(int (*work)(void *context), void *context)
{
    if (fake_call("apart", 0) != 0)
        return -1;
    int before = mac.self++;
    int answer = work(context);
    if (mac.forcer == mac.self)
        mac.forced = false, mac.forcer = 0;
    if (mac.trace_owner == mac.self)
        mac.trace_owner = 0;
    mac.self = before;
    return answer;
}

/* ---- kperf ---- */

static uint64_t least_period(void)
{
    bool pet = mac.pet_timer == 0;
    return pet ? (fake_release() >= 14 ? 1 : 2) * (uint64_t)TICKS_PER_MS : TICKS_PER_MS / 20;
}

static bool is_timer(const char *name)
{
    return strncmp(name, "kperf_timer", 11) == 0 || strcmp(name, "kperf.lightweight_pet") == 0;
}

static int set_actions(int64_t count)
{
    if (count < mac.actions || count > 32)
        return refuse(EINVAL);
    mac.actions = (uint32_t)count;
    return fake_done(0);
}

static void reset(void)
{
    mac.sampling = mac.lightweight = false;
    mac.filter_count = 0;
    mac.kdebug_action = 0;
    mac.timers = 0;
    mac.pet_timer = 999;
    memset(mac.samplers, 0, sizeof mac.samplers);
    fake_give_trace_up(FAKE_KPERF);
}

static int set_action(const char *name, int64_t action, uint64_t value)
{
    if (action < 1 || action > mac.actions)
        return refuse(EINVAL);
    if (strcmp(name, "kperf_action_samplers_set") != 0)
        mac.filter_pid[action] = (int32_t)value;
    else if ((value & 0x30) == 0x30)
        return refuse(EINVAL);
    else
        mac.samplers[action] = (uint32_t)value;
    return fake_done(0);
}

static int set_timer(const char *name, int64_t a, uint64_t b)
{
    if (strcmp(name, "kperf_timer_count_set") == 0)
        mac.timers = (uint32_t)a;
    else if (strcmp(name, "kperf.lightweight_pet") == 0)
        mac.lightweight = a != 0;
    else if (strcmp(name, "kperf_timer_pet_set") == 0 && (a == 999 || a < mac.timers))
        mac.pet_timer = (uint32_t)a;
    else if (a >= mac.timers)
        return refuse(EINVAL);
    else if (strcmp(name, "kperf_timer_period_set") == 0)
        mac.timer_period = b;
    else
        mac.timer_action = (uint32_t)b;
    return fake_done(0);
}

int fake_kperf(const char *name, int64_t a, uint64_t b)
{
    if (fake_call(name, a) != 0)
        return -1;
    if (fake_options.euid != 0)
        return refuse(EPERM);
    if (trace_is_anothers())
        return refuse(EBUSY);
    fake_own_trace(FAKE_KPERF);
    if (is_timer(name))
        return mac.sampling ? refuse(EBUSY) : set_timer(name, a, b);
    if (strcmp(name, "kperf_action_count_set") == 0)
        return set_actions(a);
    if (strncmp(name, "kperf_action_", 13) == 0)
        return set_action(name, a, b);
    if (strcmp(name, "kperf_sample_set") == 0 && a && mac.actions == 0)
        return refuse(ECANCELED);
    if (strcmp(name, "kperf_sample_set") == 0)
        mac.sampling = a != 0;
    else if (strcmp(name, "kperf_reset") == 0)
        reset();
    else if (strcmp(name, "kperf_kdebug_action_set") == 0)
        mac.kdebug_action = (int)a;
    return fake_done(0);
}

void fake_set_filter(const uint32_t *debugids, unsigned count)
{
    mac.filter_count = count;
    if (count)
        memcpy(mac.filter, debugids, count * sizeof *debugids);
}

uint64_t fake_kperf_get(const char *name)
{
    if (strcmp(name, "period") == 0)
        return mac.timer_period > least_period() ? mac.timer_period : least_period();
    return mac.actions;
}

/* ---- what the system tells anybody ---- */

static const char *libraries[2]; /* kperf's and kperfdata's */

bool fake_find_libraries(int argc, char **argv)
{
    for (int i = 0; i < 2 && argc > 2; i++)
        libraries[i] = argv[1 + i];
    return argc > 2;
}

static void *open_library(const char *path)
{
    const char *name = strrchr(path, '/');
    const char *file = libraries[strcmp(name ? name : "", "/kperf") != 0];
    return fake_options.no_library || !file ? NULL : dlopen(file, RTLD_LAZY);
}

static char *library_error(void)
{
    static char not_found[] = "image not found";
    return fake_options.no_library ? not_found : dlerror();
}

static void *find_symbol(void *library, const char *name)
{
    if (fake_options.hidden && strcmp(fake_options.hidden, name) == 0)
        return NULL;
    return dlsym(library, name);
}

static int give(void *old, size_t *old_size, const void *value, size_t size)
{
    if (*old_size < size)
        return refuse(ENOMEM);
    memcpy(old, value, size);
    *old_size = size;
    return 0;
}

static int give_number(void *old, size_t *old_size, uint32_t value)
{
    return give(old, old_size, &value, sizeof value);
}

static unsigned levels(void)
{
    return fake_options.intel ? 1 : fake_options.levels ? fake_options.levels : 2;
}

static int describe_level(unsigned level, const char *what, void *old, size_t *old_size)
{
    static const char *const names[FAKE_LEVELS] = {"Performance", "Efficiency"};
    const char *name =
        fake_options.level_names[level] ? fake_options.level_names[level] : names[level];
    if (level >= levels())
        return refuse(ENOENT);
    if (strcmp(what, "logicalcpu") == 0)
        return give_number(old, old_size, FAKE_CPUS / levels());
    return strcmp(what, "name") == 0 && name ? give(old, old_size, name, strlen(name) + 1)
                                             : refuse(ENOENT);
}

/* Reading the clock cannot fail, and is not worth a line in the log. */
static int describe_clock(const char *name, void *old, size_t *old_size)
{
    if (strcmp(name, "hw.tbfrequency") == 0)
        return give_number(old, old_size, 24000000);
    if (!fake_options.intel)
        return give_number(old, old_size, fake_options.translated);
    errno = ENOENT;
    return -1;
}

static int sysctl_by_name(const char *name, void *old, size_t *old_size, const void *new,
                          size_t new_size)
{
    int value = 0;
    if (new &&new_size == sizeof value) {
        memcpy(&value, new, sizeof value);
        return fake_kperf(name, value, 0);
    }
    if (strcmp(name, "sysctl.proc_translated") == 0 || strcmp(name, "hw.tbfrequency") == 0)
        return describe_clock(name, old, old_size);
    if (fake_call(name, 0) != 0)
        return -1;
    if (strcmp(name, "hw.cpufamily") == 0)
        return give_number(old, old_size, fake_options.intel ? 0x573b5eec : chip()->families[0]);
    if (strcmp(name, "hw.optional.arm64") == 0)
        return fake_options.intel ? refuse(ENOENT) : give_number(old, old_size, 1);
    if (strcmp(name, "hw.nperflevels") == 0)
        return fake_release() >= 12 ? give_number(old, old_size, levels()) : refuse(ENOENT);
    if (strncmp(name, "hw.perflevel", 12) == 0)
        return describe_level((unsigned)(name[12] - '0'), name + 14, old, old_size);
    if (strcmp(name, "kern.hv_vmm_present") == 0)
        return give_number(old, old_size, fake_options.virtual_machine);
    if (strcmp(name, "hw.logicalcpu") == 0)
        return give_number(old, old_size, FAKE_CPUS);
    if (strcmp(name, "ktrace.owning_pid") == 0)
        return give_number(old, old_size,
                           fake_options.trace_owned ? 321
                           : mac.trace_owner        ? 4000 + (uint32_t)mac.trace_owner
                                                    : 0);
    if (strcmp(name, "ktrace.state") == 0)
        return fake_options.no_ktrace
                   ? refuse(ENOENT)
                   : give_number(old, old_size, fake_options.trace_owned || mac.trace_mask);
    if (strcmp(name, "kpc.counting") == 0)
        return fake_options.euid != 0 ? refuse(EPERM) : give_number(old, old_size, mac.counting);
    if (strcmp(name, "ktrace.active_mask") == 0)
        return give_number(old, old_size, mac.trace_mask);
    if (strcmp(name, "kern.osrelease") == 0)
        return give(old, old_size, fake_release() >= 26 ? "25.0.0" : "24.5.0", 7);
    if (strcmp(name, "ktrace.configured_by") == 0)
        return give(old, old_size, "Instruments", 12);
    if (strcmp(name, "kern.osproductversion") == 0)
        return give(old, old_size, fake_release() >= 15 ? "15.5" : "14.1", 5);
    return refuse(ENOENT);
}

/* As programs call it, and code of runner/. */
int sysctlbyname(const char *name, void *old, size_t *old_size, void *new_value, size_t new_size)
{
    return sysctl_by_name(name, old, old_size, new_value, new_size);
}

static int sysctl_by_number(const int *mib, unsigned count, void *old, size_t *old_size)
{
    static const char *const names[] = {
        [1] = "KDEFLAGS", [3] = "KDENABLE",  [4] = "KDSETBUF",
        [5] = "KDGETBUF", [6] = "KDSETUP",   [7] = "KDREMOVE",
        [8] = "KDSETREG", [10] = "KDREADTR", [22] = "KDSET_TYPEFILTER"};
    if (count < 3 || mib[0] != LAUKA_CTL_KERN || mib[1] != LAUKA_KERN_KDEBUG || mib[2] > 22 ||
        !names[mib[2]])
        return refuse(EINVAL);
    if (fake_call(names[mib[2]], count > 3 ? mib[3] : 0) != 0)
        return -1;
    if (fake_options.euid != 0)
        return refuse(EPERM);
    if (trace_is_anothers() && mib[2] != LAUKA_KDGETBUF)
        return refuse(EBUSY);
    int error = fake_trace_control(mib, count, old, old_size);
    return error ? refuse(error) : fake_done(0);
}

/* ---- accounts ---- */

static const struct thread *thread_of(uint64_t id)
{
    for (size_t i = 0; i < mac.thread_count; i++)
        if (mac.threads[i].id == id)
            return &mac.threads[i];
    return NULL;
}

static unsigned level_of(unsigned cpu)
{
    return cpu * levels() / FAKE_CPUS;
}

static void account(struct lauka_rusage_info *info)
{
    const uint64_t stub = 40000, tail = 25000; /* before and after what the trace can see */
    for (size_t i = 0; i < mac.thread_count; i++) {
        const struct thread *thread = &mac.threads[i];
        const struct process *process = &mac.processes[thread->process];
        for (size_t s = 0; mac.in_run && s < thread->slices; s++) {
            const struct slice *slice = &mac.slices[thread->first_slice + s];
            uint64_t to = slice->to < mac.ticks ? slice->to : mac.ticks;
            if (slice->from >= to || !process->ours || thread->stub)
                continue;
            if (process->pid != FAKE_PID) {
                info->child_user_time += to - slice->from;
                continue;
            }
            info->user_time += to - slice->from;
            info->user_ptime += level_of(slice->cpu) == 0 ? to - slice->from : 0;
        }
        if (process->pid != FAKE_PID || !process->ours || thread->stub)
            continue;
        info->cycles += fake_counted(thread, FAKE_CYCLES, true, true, mac.ticks);
        info->instructions += fake_counted(thread, FAKE_INSTRUCTIONS, true, true, mac.ticks);
    }
    info->child_elapsed_abstime = info->child_user_time;
    info->cycles += stub + (mac.zombie ? tail : 0);
    info->instructions += stub + (mac.zombie ? tail + fake_options.account_more : 0);
    info->instructions += 100000 * mac.calls_of_run; /* so that they stand out */
    info->pcycles = info->cycles / 4 * 3;
    info->pinstructions = info->instructions / 4 * 3;
}

static int pid_rusage(int pid, int flavor, void *buffer)
{
    static const size_t sizes[] = {[4] = 296, [5] = 304, [6] = 464};
    struct lauka_rusage_info info = {.lifetime_max_phys_footprint = 5 << 20};
    if (fake_call("proc_pid_rusage", pid) != 0)
        return -1;
    if (flavor > 6 || flavor < 4 || (flavor == 6 && fake_release() < 13) ||
        (flavor == 5 && fake_release() < 11))
        return refuse(EINVAL);
    if (pid == 0 || (pid == FAKE_PID && (mac.alive || mac.zombie))) {
        if (pid != 0)
            account(&info);
        info.cycles += pid == 0 ? mac.ticks * rate_of(FAKE_CYCLES) : 0;
        info.instructions += pid == 0 ? mac.ticks * rate_of(FAKE_INSTRUCTIONS) : 0;
        info.energy_nj = 1000 + info.cycles / 3;
        info.phys_footprint = mac.zombie ? 0 : 4 << 20;
        info.proc_exit_abstime = mac.zombie ? mac.ticks : 0;
        memcpy(buffer, &info, sizes[flavor]);
        return fake_done(0);
    }
    return refuse(pid == 1 ? EPERM : ESRCH);
}

static int list_threads(void *buffer, int size)
{
    uint64_t *ids = buffer;
    int count = 0;
    for (size_t i = 0; i < mac.thread_count && (count + 1) * 8 <= size; i++) {
        const struct thread *thread = &mac.threads[i];
        if (!fake_options.no_thread_list && !thread->stub &&
            mac.processes[thread->process].pid == FAKE_PID && mac.processes[thread->process].ours &&
            (thread->before || (thread->begin <= mac.ticks && mac.ticks < thread->end)))
            ids[count++] = thread->id;
    }
    return count * 8;
}

static uint64_t time_on(const struct thread *thread, unsigned level)
{
    uint64_t sum = 0;
    for (size_t s = 0; mac.in_run && s < thread->slices; s++) {
        const struct slice *slice = &mac.slices[thread->first_slice + s];
        uint64_t to = slice->to < mac.ticks ? slice->to : mac.ticks;
        if (slice->from < to && level_of(slice->cpu) == level)
            sum += to - slice->from;
    }
    return sum;
}

static int describe_thread(const struct thread *thread, int flavor, void *buffer, int size)
{
    struct lauka_proc_threadcounts counts = {.length = (uint16_t)levels()};
    struct lauka_proc_threadinfo info = {.user_time = 1};
    int counts_size = 8 + (int)levels() * 40;
    bool suspended = !mac.in_run && thread->before;
    if (!suspended && (thread->begin > mac.ticks || thread->end <= mac.ticks))
        return 0;
    if (flavor == LAUKA_PROC_PIDTHREADID64INFO && size >= (int)sizeof info) {
        snprintf(info.name, sizeof info.name, "worker %llu", (unsigned long long)thread->id);
        memcpy(buffer, &info, sizeof info);
        return sizeof info;
    }
    if (flavor != LAUKA_PROC_PIDTHREADCOUNTS || size < counts_size || fake_release() < 13)
        return 0;
    for (unsigned level = 0; level < levels(); level++) {
        uint64_t ticks_there = time_on(thread, level);
        counts.levels[level] =
            (struct lauka_proc_levelcounts){.instructions = ticks_there * 200,
                                            .cycles = ticks_there * 100,
                                            .user_time = ticks_there,
                                            .energy_nj = ticks_there * (50 - 40 * level)};
    }
    memcpy(buffer, &counts, (size_t)counts_size);
    return counts_size;
}

static int pid_info(int pid, int flavor, uint64_t argument, void *buffer, int size)
{
    if (fake_call("proc_pidinfo", flavor) != 0)
        return 0;
    if (pid != FAKE_PID || !mac.alive ||
        (flavor != LAUKA_PROC_PIDLISTTHREADIDS && !thread_of(argument))) {
        refuse(ESRCH);
        return 0;
    }
    return flavor == LAUKA_PROC_PIDLISTTHREADIDS
               ? list_threads(buffer, size)
               : describe_thread(thread_of(argument), flavor, buffer, size);
}

/* As programs call it, for themselves. */
int proc_pid_rusage(int pid, int flavor, void *usage)
{
    return pid == getpid() ? pid_rusage(0, flavor, usage) : pid_rusage(pid, flavor, usage);
}

static unsigned euid(void)
{
    return fake_options.euid;
}

static uint64_t ticks(void)
{
    return fake_options.translated ? mac.ticks * 125 / 3 : mac.ticks;
}

static void timebase(uint32_t *numerator, uint32_t *denominator)
{
    /* 24 MHz: code that takes ticks for nanoseconds is wrong by a factor of 41.67 */
    *numerator = fake_options.translated ? 1 : 125;
    *denominator = fake_options.translated ? 1 : 3;
}

const struct lauka_darwin *lauka_darwin(void)
{
    static const struct lauka_darwin darwin = {
        open_library, library_error, find_symbol, sysctl_by_name, sysctl_by_number, pid_rusage,
        pid_info,     apart,         euid,        ticks,          timebase};
    return &darwin;
}
