/* Watches the threads of a live process from outside: a child of this program, whose threads follow
 * commands from a pipe. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/threads/threads.h"
#include "tests/unit/expect.h"

/* ---- An allocator that counts: reading must not allocate ---- */

static volatile size_t allocations;

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define HAS_ALLOCATOR 1 /* the sanitizer has its own allocator, with hooks */
#endif
#endif

#ifdef HAS_ALLOCATOR
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *));

static void count_allocation(const volatile void *memory, size_t size)
{
    (void)memory;
    (void)size;
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
}

static void ignore_free(const volatile void *memory)
{
    (void)memory;
}

static void count_allocations(void)
{
    __sanitizer_install_malloc_and_free_hooks(count_allocation, ignore_free);
}
#else
static void count_allocations(void)
{
}

static _Alignas(64) char arena[64 << 20];
static volatile size_t arena_used;

void *malloc(size_t size)
{
    size_t whole = (size + 16 + 63) & ~(size_t)63;
    size_t from = __atomic_fetch_add(&arena_used, whole, __ATOMIC_RELAXED);
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    if (from + whole > sizeof arena - 64)
        return NULL;
    memcpy(arena + from + 48, &size, sizeof size);
    return arena + from + 64;
}

void free(void *memory)
{
    (void)memory;
}

void *calloc(size_t count, size_t size)
{
    return malloc(count * size); /* the arena is zero, and no part is used twice */
}

void *realloc(void *memory, size_t size)
{
    void *moved = malloc(size);
    size_t old = 0;
    if (memory)
        memcpy(&old, (char *)memory - 16, sizeof old);
    if (moved && memory)
        memcpy(moved, memory, old < size ? old : size);
    return moved;
}
#endif

/* ---- The child ---- */

static void sleep_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void take_name(const char *name)
{
    int file = open("/proc/thread-self/comm", O_WRONLY);
    ssize_t ignored = write(file, name, strlen(name));
    (void)ignored;
    close(file);
}

static void *be_idle(void *name)
{
    take_name(name);
    for (;;)
        pause();
    return NULL;
}

static void *be_busy(void *name)
{
    take_name(name);
    for (;;)
        ;
    return NULL;
}

static void *work_and_end(void *used_ns)
{
    take_name("ending");
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < 20000000)
        ;
    *(uint64_t *)used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

static void start(void *(*work)(void *), const char *name)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, (void *)(uintptr_t)name);
    pthread_detach(thread);
}

static uint64_t start_and_end(void)
{
    pthread_t thread;
    uint64_t used_ns = 0;
    pthread_create(&thread, NULL, work_and_end, &used_ns);
    pthread_join(thread, NULL);
    return used_ns;
}

/* Works, then waits until it is told to end. */
static void *work_and_wait(void *descriptor)
{
    uint64_t ignored_ns;
    char word;
    work_and_end(&ignored_ns);
    ssize_t ignored = read(*(int *)descriptor, &word, 1);
    (void)ignored;
    return NULL;
}

static void start_waiting(pthread_t *thread, int pipe_ends[2])
{
    if (pipe(pipe_ends) == 0)
        pthread_create(thread, NULL, work_and_wait, &pipe_ends[0]);
}

static void end_waiting(pthread_t thread, const int pipe_ends[2])
{
    ssize_t ignored = write(pipe_ends[1], "", 1);
    (void)ignored;
    pthread_join(thread, NULL);
}

/* Orders: 'b', 'i' and 'n' start a busy, an idle and a nastily named thread; 'e' starts one that works
 * and ends; 'w' starts one that works and waits, and 'j' ends it; 'm' starts a hundred idle ones. Each
 * is answered with 8 bytes. */
static void obey(int orders, int answers)
{
    char order;
    pthread_t waiting;
    int waits_for[2];
    while (read(orders, &order, 1) == 1) {
        uint64_t answer = 0;
        if (order == 'b')
            start(be_busy, "busy");
        else if (order == 'i')
            start(be_idle, "idle");
        else if (order == 'n')
            start(be_idle, ") R 1 (2 3");
        else if (order == 'e')
            answer = start_and_end();
        else if (order == 'w')
            start_waiting(&waiting, waits_for);
        else if (order == 'j')
            end_waiting(waiting, waits_for);
        else
            for (int i = 0; i < 100; i++)
                start(be_idle, "one of many");
        if (write(answers, &answer, sizeof answer) != (ssize_t)sizeof answer)
            break;
    }
}

struct watched {
    pid_t pid;
    int orders, answers;
    struct lauka_threads *threads;
};

static struct watched watch(void)
{
    int orders[2], answers[2];
    struct watched watched = {0};
    EXPECT(pipe(orders) == 0 && pipe(answers) == 0);
    watched.pid = fork();
    if (watched.pid == 0) {
        close(orders[1]);
        obey(orders[0], answers[1]);
        _exit(0);
    }
    close(orders[0]);
    close(answers[1]);
    watched.orders = orders[1];
    watched.answers = answers[0];
    EXPECT_UINT((uint64_t)lauka_threads_open(watched.pid, NULL, 0, &watched.threads), 0);
    return watched;
}

static uint64_t order(const struct watched *watched, char what)
{
    uint64_t answer = 0;
    EXPECT(write(watched->orders, &what, 1) == 1);
    EXPECT(read(watched->answers, &answer, sizeof answer) == (ssize_t)sizeof answer);
    return answer;
}

/* The child ends by itself when the pipe is closed. */
static void end(struct watched *watched)
{
    close(watched->orders);
    close(watched->answers);
    waitpid(watched->pid, NULL, 0);
}

static void leave(struct watched *watched)
{
    end(watched);
    lauka_threads_close(watched->threads);
}

static const struct lauka_thread *find(const struct lauka_threads *threads, const char *name)
{
    for (size_t i = 0; i < threads->count; i++)
        if (strcmp(threads->threads[i].name, name) == 0)
            return &threads->threads[i];
    return NULL;
}

/* Reads until a thread with that name has run for so long. A thread sets its name when it first runs,
 * which may take any time. */
static const struct lauka_thread *read_until(struct lauka_threads *threads, const char *name,
                                             uint64_t time_ns)
{
    for (int i = 0; i < 3000; i++) {
        if (lauka_threads_read(threads) != 0)
            return NULL;
        const struct lauka_thread *thread = find(threads, name);
        if (thread && thread->total.time_ns >= time_ns)
            return thread;
        sleep_ms(10);
    }
    return NULL;
}

static uint64_t sum_ns(const struct lauka_threads *threads)
{
    uint64_t sum = threads->gone.time_ns;
    for (size_t i = 0; i < threads->count; i++)
        sum += threads->threads[i].total.time_ns;
    return sum;
}

/* ---- Times and names ---- */

static void busy_and_idle_threads_are_told_apart(void)
{
    struct watched watched = watch();
    order(&watched, 'i');
    order(&watched, 'b');
    EXPECT(read_until(watched.threads, "idle", 0));
    EXPECT(read_until(watched.threads, "busy", 50000000));
    const struct lauka_thread *busy = find(watched.threads, "busy");
    const struct lauka_thread *idle = find(watched.threads, "idle");
    if (busy && idle) {
        EXPECT(busy->total.time_ns > 10 * idle->total.time_ns);
        EXPECT_UINT(busy->total.user_ns + busy->total.system_ns, busy->total.time_ns);
        EXPECT(busy->total.user_ns > busy->total.system_ns);
        EXPECT(busy->id != idle->id);
    }
    EXPECT_UINT(watched.threads->count, 3);
    leave(&watched);
}

static void what_was_used_since_the_last_read_is_told(void)
{
    uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
    struct watched watched = watch();
    order(&watched, 'b');
    const struct lauka_thread *busy = read_until(watched.threads, "busy", 1);
    uint64_t first = busy ? busy->total.time_ns : 0;
    busy = read_until(watched.threads, "busy", first + 20000000);
    if (busy) {
        struct lauka_use used = lauka_use_since(&busy->total, &busy->total_before);
        EXPECT_UINT(used.time_ns, busy->total.time_ns - busy->total_before.time_ns);
        EXPECT_UINT(used.user_ns + used.system_ns, used.time_ns);
        EXPECT(used.time_ns <= clock_ns(CLOCK_MONOTONIC) - start_ns + 10000000);
    }
    leave(&watched);
}

static void a_name_may_look_like_the_rest_of_its_line(void)
{
    struct watched watched = watch();
    order(&watched, 'n');
    const struct lauka_thread *nasty = read_until(watched.threads, ") R 1 (2 3", 0);
    EXPECT(nasty && nasty->total.user_ns != LAUKA_UNKNOWN);
    leave(&watched);
}

static void threads_that_have_ended_are_not_lost(void)
{
    struct watched watched = watch();
    EXPECT_UINT((uint64_t)lauka_threads_read(watched.threads), 0);
    EXPECT_UINT(watched.threads->gone.time_ns, 0);
    uint64_t used_ns = order(&watched, 'e') + order(&watched, 'e');
    EXPECT_UINT((uint64_t)lauka_threads_read(watched.threads), 0);
    EXPECT_UINT(watched.threads->count, 1);
    /* They used a little more time while they ended. */
    EXPECT(watched.threads->gone.time_ns + 1000000 > used_ns);
    EXPECT_UINT(watched.threads->gone.user_ns + watched.threads->gone.system_ns,
                watched.threads->gone.time_ns);
    EXPECT(watched.threads->gone.cycles == LAUKA_UNKNOWN);
    leave(&watched);
}

/* In the interval in which a thread ends, only what it used since the last read is counted. */
static void a_thread_that_ends_is_not_counted_twice(void)
{
    struct watched watched = watch();
    struct lauka_threads *threads = watched.threads;
    order(&watched, 'w');
    EXPECT(read_until(threads, "ending", 20000000));
    uint64_t before_ns = 0;
    order(&watched, 'j');
    do { /* a joined thread may still be ending */
        before_ns = sum_ns(threads);
        EXPECT_UINT((uint64_t)lauka_threads_read(threads), 0);
    } while (threads->count > 1);
    EXPECT_UINT(threads->ended, 1);
    struct lauka_use gone = lauka_use_since(&threads->gone, &threads->gone_before);
    const struct lauka_thread *main_thread = &threads->threads[0];
    struct lauka_use lives = lauka_use_since(&main_thread->total, &main_thread->total_before);
    EXPECT(gone.time_ns < 20000000);
    EXPECT_UINT(gone.user_ns + gone.system_ns, gone.time_ns);
    EXPECT_UINT(gone.time_ns + lives.time_ns, sum_ns(threads) - before_ns);
    leave(&watched);
}

static void all_threads_add_up_to_the_process(void)
{
    struct watched watched = watch();
    clockid_t clock;
    EXPECT(clock_getcpuclockid(watched.pid, &clock) == 0);
    order(&watched, 'b');
    order(&watched, 'e');
    EXPECT(read_until(watched.threads, "busy", 10000000));
    /* If the machine interrupts the read between two clocks, the time of ended threads is too small, but
     * never too large. */
    bool enough = false;
    for (int i = 0; i < 100 && !enough; i++) {
        sleep_ms(i);
        uint64_t before = clock_ns(clock);
        EXPECT_UINT((uint64_t)lauka_threads_read(watched.threads), 0);
        enough = sum_ns(watched.threads) >= before;
        EXPECT(sum_ns(watched.threads) <= clock_ns(clock));
    }
    EXPECT(enough);
    leave(&watched);
}

/* ---- Sources that run out ---- */

static void reading_allocates_nothing(void)
{
    struct watched watched = watch();
    order(&watched, 'i');
    order(&watched, 'b');
    EXPECT(read_until(watched.threads, "busy", 1));
    size_t before = allocations;
    void *volatile one = malloc(1); /* volatile, so that the compiler keeps the call */
    free(one);
    EXPECT(allocations > before); /* allocations are counted */
    before = allocations;
    for (int i = 0; i < 100; i++)
        EXPECT_UINT((uint64_t)lauka_threads_read(watched.threads), 0);
    order(&watched, 'i'); /* nor does another thread allocate */
    EXPECT_UINT((uint64_t)lauka_threads_read(watched.threads), 0);
    EXPECT_UINT(allocations - before, 0);
    leave(&watched);
}

static void threads_beyond_the_capacity_are_counted_and_then_read(void)
{
    struct watched watched = watch();
    order(&watched, 'm');
    EXPECT_UINT((uint64_t)lauka_threads_read(watched.threads), 0);
    EXPECT_UINT(watched.threads->count, watched.threads->capacity);
    EXPECT_UINT(watched.threads->count + watched.threads->left_out, 101);
    EXPECT(watched.threads->gone.time_ns == LAUKA_UNKNOWN);
    EXPECT_UINT((uint64_t)lauka_threads_reserve(watched.threads, 200), 0);
    EXPECT_UINT((uint64_t)lauka_threads_read(watched.threads), 0);
    EXPECT_UINT(watched.threads->count, 101);
    EXPECT_UINT(watched.threads->left_out, 0);
    EXPECT(watched.threads->gone.time_ns != LAUKA_UNKNOWN);
    leave(&watched);
}

/* Runs in its own process, so that the limit does not affect the other tests. */
static void check_with_few_files(pid_t pid)
{
    struct lauka_threads *threads;
    int highest = dup(2); /* files that the parent keeps open are open here, too */
    struct rlimit limit = {(rlim_t)highest + 12, (rlim_t)highest + 12};
    bool good = setrlimit(RLIMIT_NOFILE, &limit) == 0;
    good = good && lauka_threads_open(pid, NULL, 0, &threads) == 0;
    for (int i = 0; i < 2 && good; i++)
        good = lauka_threads_read(threads) == 0 && lauka_threads_reserve(threads, 200) == 0;
    good = good && threads->count == 101 && find(threads, "one of many") &&
           threads->threads[100].total.time_ns != LAUKA_UNKNOWN;
    _exit(good ? 0 : 1);
}

static void more_threads_than_files_may_be_open_are_read_too(void)
{
    struct watched watched = watch();
    int status = -1;
    order(&watched, 'm');
    EXPECT_UINT((uint64_t)lauka_threads_reserve(watched.threads, 200), 0);
    EXPECT(read_until(watched.threads, "one of many", 0));
    pid_t reader = fork();
    if (reader == 0)
        check_with_few_files(watched.pid);
    EXPECT(waitpid(reader, &status, 0) == reader && status == 0);
    leave(&watched);
}

/* ---- Events that were asked for ---- */

enum { PAGES = 100 };

static void touch_fresh_pages(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory =
        mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(memory != MAP_FAILED);
    if (memory == MAP_FAILED)
        return;
    madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        ((volatile char *)memory)[i * page] = 1;
    munmap(memory, PAGES * page);
}

static void events_are_counted_of_a_thread_from_its_attachment_on(void)
{
    struct lauka_event asked[] = {
        *lauka_event_find("page_faults"),
        {.name = "none", .type = LAUKA_TYPE_SOFTWARE, .config = 999},
    };
    struct lauka_threads shown = {0};
    struct lauka_thread_events events;
    struct lauka_thread_source source;
    struct lauka_use use = {0};
    asked[0].modes = asked[1].modes = LAUKA_MODES_USER; /* for every user */
    memset(&source, -1, sizeof source);
    lauka_thread_events_open(&events, asked, 2, &shown, getpid());
    EXPECT_UINT(shown.event_count, 2);
    EXPECT(shown.event_errors[1] != 0);
    if (shown.event_errors[0] != 0) /* a container's filter */
        return;
    EXPECT_UINT(lauka_thread_events_attach(&events, getpid(), &source), 1);
    touch_fresh_pages();
    lauka_thread_events_read(&events, &source, &use);
    EXPECT(use.events[0] >= PAGES && use.events[0] < 2 * PAGES);
    EXPECT(use.events[1] == LAUKA_UNKNOWN && use.events[2] == LAUKA_UNKNOWN);
    close(source.events[0][0]);
    lauka_thread_events_read(&events, &source, &use);
    EXPECT(use.events[0] == LAUKA_UNKNOWN);
}

static void what_was_asked_for_replaces_cycles(void)
{
    struct watched watched = watch();
    struct lauka_threads *threads;
    struct lauka_event asked = *lauka_event_find("page_faults");
    asked.modes = LAUKA_MODES_USER;
    EXPECT_UINT((uint64_t)lauka_threads_open(watched.pid, &asked, 1, &threads), 0);
    EXPECT_UINT((uint64_t)lauka_threads_read(threads), 0);
    EXPECT(!threads->counts);
    EXPECT_UINT(threads->event_count, 1);
    lauka_threads_close(threads);
    leave(&watched);
}

/* ---- Processes that cannot be watched ---- */

static void a_process_that_ends_is_noticed(void)
{
    struct watched watched = watch();
    EXPECT_UINT((uint64_t)lauka_threads_read(watched.threads), 0);
    size_t count = watched.threads->count;
    end(&watched);
    struct pollfd file = {.fd = watched.threads->descriptor, .events = POLLIN};
    EXPECT(file.fd < 0 || poll(&file, 1, 0) == 1);
    EXPECT_UINT((uint64_t)lauka_threads_read(watched.threads), ESRCH);
    EXPECT_UINT(watched.threads->count, count);
    struct lauka_threads *again;
    EXPECT_UINT((uint64_t)lauka_threads_open(watched.pid, NULL, 0, &again), ESRCH);
    lauka_threads_close(watched.threads);
}

static void a_process_that_nobody_has_waited_for_has_ended(void)
{
    struct watched watched = watch();
    siginfo_t info;
    close(watched.orders);
    EXPECT(waitid(P_PID, (id_t)watched.pid, &info, WEXITED | WNOWAIT) == 0);
    EXPECT_UINT((uint64_t)lauka_threads_read(watched.threads), ESRCH);
    close(watched.answers);
    waitpid(watched.pid, NULL, 0);
    lauka_threads_close(watched.threads);
}

static void a_thread_is_not_a_process(void)
{
    struct watched watched = watch();
    struct lauka_threads *threads;
    order(&watched, 'i');
    const struct lauka_thread *idle = read_until(watched.threads, "idle", 0);
    EXPECT(idle && lauka_threads_open((pid_t)idle->id, NULL, 0, &threads) == EINVAL);
    EXPECT_UINT((uint64_t)lauka_threads_open(0, NULL, 0, &threads), ESRCH);
    EXPECT_UINT((uint64_t)lauka_threads_open(-1, NULL, 0, &threads), ESRCH);
    leave(&watched);
}

/* EACCES: /proc does not show it. Only root can become another user, others ask for init, which may be theirs. */
static void a_process_of_another_user_is_refused(void)
{
    int status = -1;
    const bool root = geteuid() == 0;
    const pid_t asked = root ? getpid() : 1;
    pid_t stranger = fork();
    if (stranger == 0) {
        struct lauka_threads *threads;
        struct stat init;
        if (!root && stat("/proc/1", &init) == 0 && init.st_uid == geteuid())
            _exit(0);
        bool alone = !root || setuid(65534) == 0;
        int error = alone ? lauka_threads_open(asked, NULL, 0, &threads) : 0;
        _exit(error == EPERM || error == EACCES ? 0 : 1);
    }
    EXPECT(waitpid(stranger, &status, 0) == stranger && status == 0);
}

/* ---- Disturbance ---- */

static void a_process_and_its_zombie_tell_how_long_they_waited(void)
{
    struct watched watched = watch();
    siginfo_t info;
    uint64_t alive = lauka_run_delay_ns(watched.pid);
    close(watched.orders);
    EXPECT(waitid(P_PID, (id_t)watched.pid, &info, WEXITED | WNOWAIT) == 0);
    uint64_t dead = lauka_run_delay_ns(watched.pid);
    EXPECT(alive == LAUKA_UNKNOWN || (dead != LAUKA_UNKNOWN && dead >= alive));
    close(watched.answers);
    waitpid(watched.pid, NULL, 0);
    EXPECT(lauka_run_delay_ns(watched.pid) == LAUKA_UNKNOWN);
    lauka_threads_close(watched.threads);
}

static void what_the_machine_lacked_never_falls(void)
{
    struct lauka_disturbance before, now;
    lauka_disturbance_read(&before);
    lauka_disturbance_read(&now);
    EXPECT(now.pressure_ns >= before.pressure_ns);
    EXPECT(now.steal_ns >= before.steal_ns);
}

/* ---- A process that goes on ---- */

static void what_a_process_has_used_so_far_grows(void)
{
    struct lauka_usage before, now;
    lauka_usage_of_living(getpid(), &before);
    touch_fresh_pages();
    lauka_usage_of_living(getpid(), &now);
    EXPECT(before.values[LAUKA_CPU_TIME] > 0);
    EXPECT(now.values[LAUKA_CPU_TIME] >= before.values[LAUKA_CPU_TIME]);
    EXPECT(now.values[LAUKA_USER_TIME] == LAUKA_UNKNOWN);
    if (before.values[LAUKA_MINOR_FAULTS] == LAUKA_UNKNOWN) /* another namespace's /proc */
        return;
    EXPECT(now.values[LAUKA_MINOR_FAULTS] >= before.values[LAUKA_MINOR_FAULTS] + PAGES);
    EXPECT(now.values[LAUKA_PEAK_RSS] != LAUKA_UNKNOWN &&
           now.values[LAUKA_PEAK_RSS] >= before.values[LAUKA_PEAK_RSS]);
}

/* ---- Arithmetic ---- */

static void what_is_not_known_stays_unknown(void)
{
    struct lauka_use known = {.time_ns = 5, .cycles = 7}, unknown = {.time_ns = 2};
    unknown.cycles = LAUKA_UNKNOWN;
    EXPECT_UINT(lauka_use_since(&known, &unknown).time_ns, 3);
    EXPECT(lauka_use_since(&known, &unknown).cycles == LAUKA_UNKNOWN);
    EXPECT(lauka_use_plus(&known, &unknown).cycles == LAUKA_UNKNOWN);
    EXPECT_UINT(lauka_use_plus(&known, &unknown).time_ns, 7);
}

int main(void)
{
    count_allocations();
    TEST(busy_and_idle_threads_are_told_apart);
    TEST(what_was_used_since_the_last_read_is_told);
    TEST(a_name_may_look_like_the_rest_of_its_line);
    TEST(threads_that_have_ended_are_not_lost);
    TEST(a_thread_that_ends_is_not_counted_twice);
    TEST(all_threads_add_up_to_the_process);
    TEST(reading_allocates_nothing);
    TEST(threads_beyond_the_capacity_are_counted_and_then_read);
    TEST(more_threads_than_files_may_be_open_are_read_too);
    TEST(events_are_counted_of_a_thread_from_its_attachment_on);
    TEST(what_was_asked_for_replaces_cycles);
    TEST(a_process_that_ends_is_noticed);
    TEST(a_process_that_nobody_has_waited_for_has_ended);
    TEST(a_thread_is_not_a_process);
    TEST(a_process_of_another_user_is_refused);
    TEST(a_process_and_its_zombie_tell_how_long_they_waited);
    TEST(what_the_machine_lacked_never_falls);
    TEST(what_a_process_has_used_so_far_grows);
    TEST(what_is_not_known_stays_unknown);
    return expect_report("threads");
}
