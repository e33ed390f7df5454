/* fake_work: commands, and what the kernel writes while they run. */
#include "pmu/apple/apple.h"
#include "pmu/macos/darwin.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fakes/machine.h"

enum { MS = 24000 /* ticks */, WATCH = 20 * MS, STUB_COUNTS = 2500000 };

uint64_t fake_random(uint64_t *seed) /* splitmix64; Steele, Lea & Flood 2014 */
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static uint64_t below(uint64_t limit)
{
    return fake_random(&mac.seed) % limit;
}

/* ---- the truth ---------------------------------------------------------------------------------- */

/* Counts a tick, by event and slice: nothing is proportional to anything else. */
static uint64_t rate(const struct thread *thread, unsigned event, size_t slice, bool user)
{
    uint64_t key = thread->id * 31 + event * 7919 + slice * 104729 + user;
    return user ? 3 + fake_random(&key) % 50 : 1 + fake_random(&key) % 9;
}

uint64_t fake_counted(const struct thread *thread, unsigned event, bool user, bool kernel,
                      uint64_t now)
{
    uint64_t sum = 0;
    if (thread->stub)
        return STUB_COUNTS;
    for (size_t s = 0; mac.in_run && s < thread->slices; s++) {
        const struct slice *slice = &mac.slices[thread->first_slice + s];
        uint64_t to = slice->to < now ? slice->to : now;
        if (slice->from >= to)
            continue;
        sum += user ? rate(thread, event, s, true) * (to - slice->from) : 0;
        sum += kernel ? rate(thread, event, s, false) * (to - slice->from) : 0;
    }
    return sum;
}

static unsigned selector(const char *name)
{
    struct lauka_apple_event event = {0};
    const char *chip = fake_options.chip ? fake_options.chip : "a14";
    if (strcmp(name, "FIXED_CYCLES") == 0)
        return FAKE_CYCLES;
    if (strcmp(name, "FIXED_INSTRUCTIONS") == 0)
        return FAKE_INSTRUCTIONS;
    lauka_apple_event_find(lauka_apple_chip_find(chip), name, &event);
    return event.number;
}

static uint64_t truth(const char *event, bool user, bool main_only)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < mac.thread_count; i++) {
        const struct process *process = &mac.processes[mac.threads[i].process];
        if (process->ours && !mac.threads[i].stub && (!main_only || process->pid == FAKE_PID))
            sum += fake_counted(&mac.threads[i], selector(event), true, !user, mac.ticks);
    }
    return sum;
}

uint64_t fake_truth(const char *event, bool user)
{
    return truth(event, user, false);
}

uint64_t fake_truth_of_process(const char *event, bool user)
{
    return truth(event, user, true);
}

size_t fake_sample_values(const struct thread *thread, uint64_t now, uint64_t *values)
{
    size_t count =
        mac.forced && !fake_options.forces_nothing ? fake_configurable() : fake_configurable() - 3;
    bool on = mac.thread_counting == 3 && mac.counting == 3;
    values[0] = on ? fake_counted(thread, FAKE_CYCLES, true, true, now) : 0;
    values[1] = on ? fake_counted(thread, FAKE_INSTRUCTIONS, true, true, now) : 0;
    for (size_t i = 0; i < count; i++) {
        bool user_only =
            fake_release() >= 15 || (mac.config[i] & 0x20000 && !(mac.config[i] & 0x40000));
        unsigned number = mac.config[i] & 0xffff;
        values[2 + i] = on && number ? fake_counted(thread, number, true, !user_only, now) : 0;
    }
    return 2 + count;
}

/* ---- making one --------------------------------------------------------------------------------- */

static size_t add_process(int pid, bool ours)
{
    assert(mac.process_count < FAKE_PROCESSES_MAX);
    mac.processes[mac.process_count] =
        (struct process){.pid = pid, .unique = mac.next_unique++, .ours = ours};
    return mac.process_count++;
}

static struct thread *add_thread(size_t process, uint64_t creator, uint64_t begin, uint64_t end)
{
    assert(mac.thread_count < FAKE_THREADS_MAX);
    struct thread *thread = &mac.threads[mac.thread_count++];
    *thread = (struct thread){.id = mac.next_thread,
                              .creator = creator,
                              .begin = begin,
                              .end = end,
                              .process = process,
                              .first_slice = mac.slice_count};
    mac.next_thread += mac.thread_step;
    return thread;
}

/* Gives the thread `count` turns on CPUs between its begin and its end. */
static void add_slices(struct thread *thread, size_t count)
{
    uint64_t length = (thread->end - thread->begin) / count;
    for (size_t s = 0; s < count; s++) {
        uint64_t from = thread->begin + s * length + below(length / 4 + 1);
        uint64_t to = s + 1 == count ? thread->end : from + length / 2 + below(length / 4 + 1);
        assert(mac.slice_count < FAKE_SLICES_MAX);
        mac.slices[mac.slice_count++] = (struct slice){from, to, (unsigned)below(FAKE_CPUS)};
    }
    thread->slices = count;
}

static struct thread *make_thread(size_t process, uint64_t creator, uint64_t begin, uint64_t end,
                                  size_t slices)
{
    struct thread *thread = add_thread(process, creator, begin, end);
    add_slices(thread, slices);
    return thread;
}

/* fork, then exec: the thread of the fork is replaced by another of the same process. */
static struct thread *fork_and_exec(uint64_t creator, int pid, uint64_t begin, uint64_t end)
{
    size_t process = add_process(pid, true);
    struct thread *stub = make_thread(process, creator, begin, begin + MS / 10, 1);
    stub->replaced = true;
    struct thread *main = make_thread(process, stub->id, begin + MS / 10 + 3, end, 4);
    main->exec_copy = true;
    return main;
}

static void add_neighbours(uint64_t end)
{
    for (int i = 0; i < 6; i++) {
        size_t process = add_process(9000 + i, false);
        struct thread *old = make_thread(process, 5, 0, end - below(MS), 3);
        old->before = true;
        for (int t = 0; t < 5; t++) {
            uint64_t begin = below(end / 2);
            make_thread(process, old->id, begin, begin + 1 + below(end / 2), 2);
        }
    }
}

static void make_children(const struct thread *main)
{
    for (int i = 0; i < 5; i++) {
        uint64_t begin = MS + (uint64_t)i * 3 * MS;
        struct thread *child = fork_and_exec(main->id, 5000 + i, begin, begin + 2 * MS);
        make_thread(child->process, child->id, begin + MS, begin + 2 * MS - 5, 2);
    }
}

/* A child's pid is used again by somebody else's process as soon as the child is gone. */
static void reuse_pid(const struct thread *main)
{
    size_t child = add_process(5000, true), other = add_process(5000, false);
    make_thread(child, main->id, MS, 3 * MS, 2);
    struct thread *foreign = make_thread(other, 7, 4 * MS, 9 * MS, 2);
    make_thread(other, foreign->id, 5 * MS, 8 * MS, 2);
}

static void make_pool(const struct thread *main, size_t count, uint64_t end, bool together)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t begin = 10 + below(end / 2);
        make_thread(main->process, main->id, begin, together ? end : begin + 1 + below(end / 2), 5);
    }
}

/* Threads of 50 us, one after the other. */
static void make_burst(const struct thread *main, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t begin = 10 + i * MS / 100;
        make_thread(main->process, main->id, begin, begin + MS / 20, 1);
    }
}

static void make_daemon(const struct thread *main, uint64_t end)
{
    struct thread *child = fork_and_exec(main->id, 6000, MS, 10 * end);
    child->outlives = true;
}

/* The thread of the fork that exec has replaced: its work was done before the trace began, but its end,
 * with all that it had counted, is recorded only then. */
static void add_stub(size_t process)
{
    struct thread *stub = add_thread(process, 3, 0, 50);
    add_slices(stub, 1);
    stub->before = stub->stub = true;
}

static void fill(enum fake_workload workload, struct thread *main, uint64_t end)
{
    if (workload == FAKE_POOL || workload == FAKE_LARGE_IDS)
        make_pool(main, 64, end, false);
    if (workload == FAKE_KILLED)
        make_pool(main, 32, end, true);
    if (workload == FAKE_BURST)
        make_burst(main, 3000);
    if (workload == FAKE_FORK_EXEC)
        make_children(main);
    if (workload == FAKE_PID_REUSE)
        reuse_pid(main);
    if (workload == FAKE_DAEMON)
        make_daemon(main, end);
    if (workload == FAKE_NEIGHBOURS || workload == FAKE_PID_REUSE)
        add_neighbours(end);
}

int fake_spawn(enum fake_workload workload, uint64_t seed)
{
    uint64_t end = (workload == FAKE_BURST ? 40 : 20) * (uint64_t)MS;
    fake_call("spawn", FAKE_PID);
    mac.seed = seed;
    mac.calls_of_run = 0;
    mac.process_count = mac.thread_count = mac.slice_count = 0;
    mac.thread_step = workload == FAKE_LARGE_IDS ? UINT64_C(1) << 32 : 1;
    if (workload == FAKE_LARGE_IDS)
        mac.next_thread = UINT64_C(0x700000000) + seed % 1000;
    struct thread *main =
        make_thread(add_process(FAKE_PID, true), 3, 0, end, workload == FAKE_MIGRATIONS ? 200 : 6);
    main->before = true;
    if (workload == FAKE_EXEC) {
        main->end = end / 2;
        main->slices = 2; /* those that end before it */
        main->replaced = true;
        make_thread(main->process, main->id, end / 2 + 9, end, 4)->exec_copy = true;
        uint64_t last = mac.slices[main->first_slice + 1].to;
        main->end = last > main->end ? last : main->end;
    }
    fill(workload, main, end);
    if (fake_options.late_stub)
        add_stub(main->process);
    mac.alive = true;
    mac.in_run = false;
    mac.zombie = false;
    return FAKE_PID;
}

/* ---- running it --------------------------------------------------------------------------------- */

enum kind { NEW_THREAD, RUNS, TIMER, EXITS };

struct happening {
    uint64_t at;
    enum kind kind;
    uint32_t thread, slice;
};

static struct happening all[FAKE_THREADS_MAX * 2 + FAKE_SLICES_MAX + 4096]; /* of the run */
static size_t happenings, happened;
static uint64_t run_end;

static int by_time(const void *a, const void *b)
{
    const struct happening *first = a, *second = b;
    if (first->at != second->at)
        return first->at < second->at ? -1 : 1;
    return (int)first->kind - (int)second->kind;
}

static unsigned last_cpu(const struct thread *thread)
{
    return mac.slices[thread->first_slice + thread->slices - 1].cpu;
}

static void emit_new_thread(const struct thread *thread, uint64_t now)
{
    const struct process *process = &mac.processes[thread->process];
    const uint64_t about[4] = {thread->id, (uint64_t)process->pid, thread->exec_copy,
                               process->unique};
    struct thread creator = {.id = thread->creator, .process = thread->process, .slices = 0};
    unsigned cpu = (unsigned)(thread->creator % FAKE_CPUS);
    if (!fake_options.loses_beginning || !process->ours)
        fake_emit(cpu, now, LAUKA_KD_NEW_THREAD, about, &creator);
    if (!thread->exec_copy)
        return;
    const uint64_t exec[4] = {(uint64_t)process->pid, 0x1000012 /* the file system */,
                              1152921500312 /* the file */, 0};
    fake_emit(cpu, now + 1, LAUKA_KD_EXEC, exec, thread);
    fake_start_program();
}

static void emit_exit(const struct thread *thread, uint64_t now)
{
    const struct process *process = &mac.processes[thread->process];
    const uint64_t about[4] = {(uint64_t)process->pid, process->unique, 0, 0};
    if (thread->replaced && !fake_options.exec_exits)
        return;
    fake_emit(last_cpu(thread), now, LAUKA_KD_THREAD_EXIT, about, thread);
}

static bool samples_now(void)
{
    return mac.sampling && mac.pet_timer == 0 && mac.timers > 0 && mac.samplers[1] & 0x10;
}

/* Without the lightweight mode a thread of the kernel walks over all others, and reads its own
 * counters each time. */
static void sample_running(struct thread *thread, unsigned cpu, uint64_t now)
{
    struct thread walker = {.id = thread->id, .first_slice = thread->first_slice, .slices = 1};
    if (mac.lightweight)
        fake_emit_sample(cpu, now, thread);
    else
        fake_emit_sample(cpu, now, &walker);
}

static void tick(uint64_t now, uint64_t period)
{
    for (size_t i = 0; i < mac.thread_count; i++) {
        struct thread *thread = &mac.threads[i];
        for (size_t s = 0; s < thread->slices; s++) {
            const struct slice *slice = &mac.slices[thread->first_slice + s];
            if (slice->from > now || now >= slice->to)
                continue;
            sample_running(thread, slice->cpu, now);
            thread->sampled = now / period;
            break;
        }
    }
}

static void comes_on_cpu(struct thread *thread, const struct slice *slice, uint64_t period)
{
    if (!samples_now() || thread->sampled == slice->from / period)
        return;
    sample_running(thread, slice->cpu, slice->from);
    thread->sampled = slice->from / period;
}

static size_t collect(uint64_t from, uint64_t end, uint64_t period)
{
    size_t count = 0;
    for (uint32_t i = 0; i < mac.thread_count; i++) {
        const struct thread *thread = &mac.threads[i];
        if (!thread->before)
            all[count++] = (struct happening){thread->begin, NEW_THREAD, i, 0};
        for (uint32_t s = 0; s < thread->slices; s++)
            all[count++] = (struct happening){mac.slices[thread->first_slice + s].from, RUNS, i, s};
        if (!thread->outlives)
            all[count++] = (struct happening){thread->end, EXITS, i, 0};
    }
    for (uint64_t at = from + period; samples_now() && at < end; at += period)
        all[count++] = (struct happening){at, TIMER, 0, 0};
    qsort(all, count, sizeof *all, by_time);
    return count;
}

static void happen(const struct happening *now, uint64_t period)
{
    struct thread *thread = &mac.threads[now->thread];
    if (now->kind == NEW_THREAD)
        emit_new_thread(thread, now->at);
    else if (now->kind == EXITS)
        emit_exit(thread, now->at);
    else if (now->kind == TIMER)
        tick(now->at, period);
    else if (now->kind == RUNS)
        comes_on_cpu(thread, &mac.slices[thread->first_slice + now->slice], period);
}

static void shift(uint64_t by)
{
    for (size_t i = 0; i < mac.thread_count; i++) {
        mac.threads[i].begin += by;
        mac.threads[i].end += by;
    }
    for (size_t s = 0; s < mac.slice_count; s++) {
        mac.slices[s].from += by;
        mac.slices[s].to += by;
    }
}

static uint64_t end_of_command(void)
{
    uint64_t end = 0;
    for (size_t i = 0; i < mac.thread_count; i++) {
        const struct thread *thread = &mac.threads[i];
        if (mac.processes[thread->process].pid == FAKE_PID && thread->end > end)
            end = thread->end;
    }
    return end;
}

void fake_continue(void)
{
    uint64_t from = mac.ticks + 100, period = fake_kperf_get("period");
    fake_call("continue", FAKE_PID);
    shift(from);
    mac.in_run = true;
    run_end = end_of_command();
    fake_start_program();
    happened = 0;
    happenings = collect(from, run_end, period ? period : 1);
    mac.ticks = from;
}

/* Descendants that are waited for end earlier; those that outlive the command are not recorded until then. */
bool fake_pass(uint64_t ticks)
{
    uint64_t until = ticks < run_end - mac.ticks ? mac.ticks + ticks : run_end;
    uint64_t period = fake_kperf_get("period");
    for (; happened < happenings && all[happened].at <= until; happened++) {
        if (mac.ticks < all[happened].at)
            mac.ticks = all[happened].at;
        happen(&all[happened], period ? period : 1);
    }
    if (mac.ticks < until)
        mac.ticks = until;
    if (until < run_end)
        return false;
    mac.ticks = run_end + 200;
    mac.alive = false;
    mac.zombie = true;
    if (fake_options.foreign_config_run && ++mac.runs == fake_options.foreign_config_run)
        mac.config[0] ^= 1;
    return true;
}

void fake_run(unsigned (*watch)(void *context), void *context)
{
    bool watched = watch != NULL;
    fake_continue();
    while (!fake_pass(WATCH))
        watched = watched && watch(context) > 0;
}

void fake_reap(void)
{
    fake_call("reap", FAKE_PID);
    mac.zombie = false;
}
