/* The CPU time per core type is checked against a child's own account. The child moves between CPUs,
 * alone, with threads, or with processes of its own, and records how much time it spent on each of the
 * first two CPUs. It reads the kernel's task-clock, because that clock includes time which a hypervisor
 * takes away, and the CPU time of getrusage(2) does not. */
#include <sched.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "tests/unit/expect.h"

#ifdef CLONE_FILES /* Linux: a process can be pinned to a CPU, and each CPU has a clock */

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CPUS = 2, TURN_MS = 40, DESCRIPTOR = 9 };
enum { AT_EXEC = CPUS, SHARED }; /* AT_EXEC: what the first thread had used when it called exec */

/* ---- The child: argv[1] says how it wanders ---- */

static _Atomic uint64_t *spent; /* shared with the parent; one for each CPU, then AT_EXEC */

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Opens a task-clock that counts the calling thread only, from now on. */
static int open_own_clock(void)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .exclude_kernel = true,
                                   .exclude_hv = true};
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t read_ns(int clock)
{
    uint64_t value = 0;
    if (read(clock, &value, sizeof value) != sizeof value)
        _exit(1);
    return value;
}

/* Works on this CPU until it has used so much time there. */
static void burn(int clock, unsigned cpu, uint64_t ms)
{
    struct lauka_cpu_set set = {0};
    lauka_cpu_set_add(&set, cpu);
    lauka_affinity_set(0, &set);
    uint64_t begin = read_ns(clock), end = begin;
    while (end < begin + ms * 1000000)
        end = read_ns(clock);
    spent[cpu] += end - begin;
}

/* A new thread begins on CPU 0, because its creator runs there. */
static void *wander(void *argument)
{
    unsigned first = (unsigned)(uintptr_t)argument;
    int clock = open_own_clock();
    spent[0] += clock_ns(CLOCK_THREAD_CPUTIME_ID);
    burn(clock, first, TURN_MS);
    burn(clock, !first, TURN_MS / 2);
    close(clock);
    return NULL;
}

static void wander_in_threads(void)
{
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, wander, (void *)(i / 3)); /* three begin on CPU 0 */
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void wander_in_processes(void)
{
    for (uintptr_t i = 0; i < 3; i++)
        if (fork() == 0) {
            wander((void *)(i & 1));
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
}

static int be_child(const char *how)
{
    spent = mmap(NULL, SHARED * sizeof *spent, PROT_READ | PROT_WRITE, MAP_SHARED, DESCRIPTOR, 0);
    if (spent == MAP_FAILED)
        return 1;
    int clock = open_own_clock();
    spent[0] += clock_ns(CLOCK_THREAD_CPUTIME_ID) - spent[AT_EXEC];
    if (strcmp(how, "alone") == 0) {
        burn(clock, 0, 4 * TURN_MS);
        burn(clock, 1, 4 * TURN_MS / 2);
        return 0;
    }
    uint64_t begin = read_ns(clock);
    if (strcmp(how, "threads") == 0)
        wander_in_threads();
    else
        wander_in_processes();
    spent[0] += read_ns(clock) - begin;
    return 0;
}

/* ---- The parent ---- */

struct start {
    struct lauka_counters *counters; /* borrowed */
    const char *how;                 /* borrowed */
};

static int arm_and_execute(void *argument)
{
    const struct start *start = argument;
    lauka_counters_arm(start->counters);
    spent[AT_EXEC] = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    execl("/proc/self/exe", "test_residency", start->how, (char *)NULL);
    _exit(127);
}

static void run(struct lauka_counters *counters, const char *how, struct lauka_reading *reading)
{
    static char stack[1 << 16] __attribute__((aligned(64)));
    struct start start = {counters, how};
    int status = -1;
    pid_t pid = clone(arm_and_execute, stack + sizeof stack,
                      CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &start);
    EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    lauka_counters_collect(counters, reading);
}

static const struct lauka_event task_clock = {
    .name = "task_clock", .unit = "ns", .type = LAUKA_TYPE_SOFTWARE, .config = 1};

/* Makes each CPU a core type of its own. */
static void tell_cpus_apart(struct lauka_counters *counters)
{
    counters->topology.type_count = CPUS;
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        counters->topology.types[cpu] = (struct lauka_core_type){.cpu_count = 1};
        lauka_cpu_set_add(&counters->topology.types[cpu].cpus, cpu);
    }
}

/* Returns false, and prints why the test is skipped, if it cannot run here. */
static bool open_clocks(struct lauka_counters *counters)
{
    struct lauka_cpu_set own;
    lauka_counters_open(counters, &task_clock, 1);
    lauka_affinity_get(0, &own);
    if ((counters->told & LAUKA_TOLD_CPU_TIME) && lauka_cpu_set_has(&own, 0) &&
        lauka_cpu_set_has(&own, 1))
        return true;
    printf("skipped: this test needs two CPUs and the permission to count its own time\n");
    lauka_counters_close(counters);
    return false;
}

static const double ALIKE = 0.01;

/* Whether the clocks and the child agree. The clocks also include starting, moving and ending, and what
 * a hypervisor takes away meanwhile, so they may exceed the child's account. They may never be below it,
 * or above the elapsed time. */
static bool agrees(const struct lauka_residency *residency, double wall)
{
    bool good = true;
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        double clock = (double)residency->types[cpu].cpu_ns;
        EXPECT(clock >= (1 - ALIKE) * (double)spent[cpu]);
        EXPECT(clock <= (1 + ALIKE) * wall);
        good = good && clock <= (1 + ALIKE) * (double)spent[cpu];
    }
    return good;
}

static void check(const char *how, uint64_t turns)
{
    enum { ATTEMPTS = 12 };
    static struct lauka_counters counters;
    struct lauka_reading whole;
    struct lauka_cpu_set own, first;
    bool agreed = false;
    if (!open_clocks(&counters) || !lauka_cpu_set_parse("0", &first))
        return;
    tell_cpus_apart(&counters);
    lauka_affinity_get(0, &own);
    lauka_affinity_set(0, &first);
    for (int attempt = 0; attempt < ATTEMPTS && !agreed; attempt++) {
        memset((void *)spent, 0, SHARED * sizeof *spent);
        uint64_t begin = clock_ns(CLOCK_MONOTONIC);
        run(&counters, how, &whole);
        double wall = (double)(clock_ns(CLOCK_MONOTONIC) - begin);
        const struct lauka_residency *residency = &counters.residency;
        /* The total is exact to the nanosecond. */
        EXPECT_UINT(lauka_residency_total_ns(residency, CPUS), whole.value);
        EXPECT(spent[0] + spent[1] >= turns * (TURN_MS + TURN_MS / 2) * 1000000);
        EXPECT_UINT(residency->cpus_used, CPUS);
        agreed = agrees(residency, wall);
    }
    EXPECT(agreed);
    lauka_affinity_set(0, &own);
    lauka_counters_close(&counters);
}

static void a_process_that_moves_is_followed(void)
{
    check("alone", 4);
}

static void threads_are_followed(void)
{
    check("threads", 4);
}

static void processes_are_followed(void)
{
    check("processes", 3);
}

static void nobody_else_needs_a_privilege_for_that(void)
{
    int status = -1;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        bool changed = geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
        prctl(PR_SET_DUMPABLE, 1); /* allows /proc/self/exe to be executed */
        check("threads", 4);
        fflush(stdout);
        _exit(changed && expect_ok ? 0 : 1);
    }
    EXPECT(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void a_command_on_one_cpu_used_one(void)
{
    static struct lauka_counters counters;
    struct lauka_cpu_set own, first;
    struct lauka_reading whole;
    if (!open_clocks(&counters) || !lauka_cpu_set_parse("0", &first))
        return;
    lauka_affinity_get(0, &own);
    lauka_affinity_set(0, &first);
    run(&counters, "none of these", &whole); /* it starts processes, which move */
    EXPECT_UINT(counters.residency.cpus_used, CPUS);
    EXPECT(counters.residency.migrations == LAUKA_UNKNOWN || counters.residency.migrations >= 3);
    EXPECT_UINT(lauka_residency_total_ns(&counters.residency, counters.topology.type_count),
                whole.value);
    lauka_affinity_set(0, &own);
    lauka_counters_close(&counters);
}

static void a_clock_that_is_refused_leaves_its_reason(void)
{
    static struct lauka_counters counters;
    struct lauka_reading whole;
    struct rlimit limit;
    if (!open_clocks(&counters) || getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    EXPECT(counters.clock_error == 0);
    int next = dup(DESCRIPTOR);
    close(next);
    const struct rlimit one_more = {(rlim_t)next + 1, limit.rlim_max}; /* room for the event only */
    setrlimit(RLIMIT_NOFILE, &one_more);
    run(&counters, "alone", &whole);
    setrlimit(RLIMIT_NOFILE, &limit);
    EXPECT(whole.running > 0);
    EXPECT(lauka_residency_share(&counters.residency, counters.topology.type_count, 0) < 0);
    EXPECT(counters.clock_error == EMFILE);
    lauka_counters_close(&counters);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        _exit(be_child(argv[1])); /* before anything else */
    int memory = memfd_create("spent", 0);
    if (memory < 0 || dup2(memory, DESCRIPTOR) < 0 ||
        ftruncate(DESCRIPTOR, SHARED * (off_t)sizeof *spent) != 0)
        return 1;
    spent = mmap(NULL, SHARED * sizeof *spent, PROT_READ | PROT_WRITE, MAP_SHARED, DESCRIPTOR, 0);
    if (spent == MAP_FAILED)
        return 1;
    TEST(a_process_that_moves_is_followed);
    TEST(threads_are_followed);
    TEST(processes_are_followed);
    TEST(nobody_else_needs_a_privilege_for_that);
    TEST(a_command_on_one_cpu_used_one);
    TEST(a_clock_that_is_refused_leaves_its_reason);
    return expect_report("residency");
}

#else

int main(void)
{
    printf("skipped: threads cannot be pinned to a CPU on this system\n");
    return expect_report("residency");
}

#endif
