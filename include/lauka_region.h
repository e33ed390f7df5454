/* lauka_region.h: what a region of your own program costs, in C99 or C++11. One header, no library.
 *
 *     #include "lauka_region.h"
 *
 *     struct lauka_region region;
 *     const struct lauka_region_event events[] = {lauka_region_known(LAUKA_REGION_CYCLES),
 *                                                 lauka_region_known(LAUKA_REGION_INSTRUCTIONS)};
 *     lauka_region_open(&region, events, 2, NULL);    // of the calling thread, in user mode
 *     lauka_region_begin(&region);
 *     work();                                         // what is measured
 *     lauka_region_end(&region);
 *     uint64_t instructions;
 *     if (lauka_region_count(&region, 1, &instructions) == LAUKA_REGION_EXACT)
 *         printf("%llu in %llu ns\n", (unsigned long long)instructions,
 *                (unsigned long long)lauka_region_elapsed_ns(&region));
 *     lauka_region_close(&region);
 *
 * It only reads. Where the kernel allows it, it reads counters without a system call (rdpmc on x86,
 * pmevcntr on arm64 with kernel.perf_user_access=1). It checks this at every read, and otherwise calls
 * read(2). On macOS every user can read cycles and instructions, but only root other events. Without
 * counters it has clocks and the system's accounting; lauka_region_way() returns which it used.
 *
 * A region belongs to one thread: open one in each thread that measures. Two threads need no lock for
 * two regions. With -std=c99 include this before the system's headers, or define
 * _POSIX_C_SOURCE=200809L. On macOS all regions of a process share one set of counters. */
#ifndef LAUKA_REGION_H
#define LAUKA_REGION_H

#if defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#if defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE 1
#endif

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/resource.h>

#if defined(__linux__)
#include <linux/perf_event.h>
#include <sys/syscall.h>
#if !defined(__USE_MISC) && !defined(__cplusplus)
extern long syscall(long number, ...); /* hidden by -std=c99 */
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#elif defined(__APPLE__)
#include <dlfcn.h>
#if defined(__cplusplus)
extern "C"
#endif
    uint64_t
    mach_absolute_time(void); /* <mach/mach_time.h> would include much else */
#endif

enum { LAUKA_REGION_MOST = 16 }; /* events per region */

/* ---- events ------------------------------------------------------------------------------------ */

enum lauka_region_kind {
    LAUKA_REGION_CYCLES,
    LAUKA_REGION_INSTRUCTIONS,
    LAUKA_REGION_REFERENCE_CYCLES, /* at a constant frequency */
    LAUKA_REGION_BRANCHES,
    LAUKA_REGION_BRANCH_MISSES,
    LAUKA_REGION_CACHE_REFERENCES, /* mostly of the last level */
    LAUKA_REGION_CACHE_MISSES,
    LAUKA_REGION_L1D_READS,
    LAUKA_REGION_L1D_READ_MISSES,
    LAUKA_REGION_L1I_READ_MISSES,
    LAUKA_REGION_LL_READS,
    LAUKA_REGION_LL_READ_MISSES,
    LAUKA_REGION_DTLB_READ_MISSES,
    /* The system accounts for these in user and kernel mode, even without counters. */
    LAUKA_REGION_CPU_NS,
    LAUKA_REGION_PAGE_FAULTS,
    LAUKA_REGION_MAJOR_FAULTS,
    LAUKA_REGION_CONTEXT_SWITCHES,
    LAUKA_REGION_KINDS
};

/* `type` of events that the system accounts for. */
#define LAUKA_REGION_ACCOUNT UINT32_C(0xffffffff)

struct lauka_region_event {
    const char *name;  /* borrowed */
    uint32_t type;     /* as in perf_event_open(2): 0 hardware, 3 cache, 4 raw, or a PMU's number */
    uint64_t config;   /* as in perf_event_open(2) */
    const char *apple; /* borrowed: its name in Apple's tables; NULL: none */
    uint64_t config1, config2; /* as in perf_event_open(2), for some events of PMUs; otherwise 0 */
};

/* An event by its encoding in perf_event_open(2); set config1 and config2 later, if it has them. macOS cannot count it. */
static inline struct lauka_region_event lauka_region_encoded(const char *name, uint32_t type,
                                                             uint64_t config)
{
    struct lauka_region_event event;

    event.name = name;
    event.type = type;
    event.config = config;
    event.config1 = event.config2 = 0;
    event.apple = NULL;
    return event;
}

/* An event by its name on macOS (INST_BRANCH). Linux cannot count it. */
static inline struct lauka_region_event lauka_region_apple(const char *name)
{
    struct lauka_region_event event = lauka_region_encoded(name, LAUKA_REGION_ACCOUNT, 0);

    event.apple = name;
    return event;
}

/* A cache event. cache: 0 L1D, 1 L1I, 2 last level, 3 DTLB, 4 ITLB, 5 branches, 6 node; operation:
 * 0 read, 1 write, 2 prefetch; misses: 0 counts accesses. */
static inline struct lauka_region_event lauka_region_cache(const char *name, unsigned cache,
                                                           unsigned operation, int misses)
{
    return lauka_region_encoded(
        name, 3, (uint64_t)cache | (uint64_t)operation << 8 | (misses ? UINT64_C(1) << 16 : 0));
}

static inline struct lauka_region_event lauka_region_known(enum lauka_region_kind kind)
{
    static const struct lauka_region_event known[LAUKA_REGION_KINDS] = {
        {"cycles", 0, 0, "FIXED_CYCLES", 0, 0},
        {"instructions", 0, 1, "FIXED_INSTRUCTIONS", 0, 0},
        {"reference-cycles", 0, 9, NULL, 0, 0},
        {"branches", 0, 4, "INST_BRANCH", 0, 0},
        {"branch-misses", 0, 5, "BRANCH_MISPRED_NONSPEC", 0, 0},
        {"cache-references", 0, 2, NULL, 0, 0},
        {"cache-misses", 0, 3, NULL, 0, 0},
        {"L1D-reads", 3, 0, "ARM_L1D_CACHE_RD", 0, 0},
        {"L1D-read-misses", 3, 0x10000, "L1D_CACHE_MISS_LD", 0, 0},
        {"L1I-read-misses", 3, 0x10001, "L1I_CACHE_MISS_DEMAND", 0, 0},
        {"LL-reads", 3, 2, NULL, 0, 0},
        {"LL-read-misses", 3, 0x10002, NULL, 0, 0},
        {"DTLB-read-misses", 3, 0x10003, "L1D_TLB_MISS", 0, 0},
        {"CPU-ns", LAUKA_REGION_ACCOUNT, LAUKA_REGION_CPU_NS, NULL, 0, 0},
        {"page-faults", LAUKA_REGION_ACCOUNT, LAUKA_REGION_PAGE_FAULTS, NULL, 0, 0},
        {"major-faults", LAUKA_REGION_ACCOUNT, LAUKA_REGION_MAJOR_FAULTS, NULL, 0, 0},
        {"context-switches", LAUKA_REGION_ACCOUNT, LAUKA_REGION_CONTEXT_SWITCHES, NULL, 0, 0},
    };

    return known[kind];
}

/* ---- clocks and scopes ------------------------------------------------------------------------- */

/* Reads a clock in ns; lauka_region_ns reads CLOCK_MONOTONIC. */
static inline uint64_t lauka_region_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t lauka_region_ns(void)
{
    return lauka_region_clock(CLOCK_MONOTONIC);
}

/* Ticks of the processor's constant-rate counter: the time stamp counter of x86 (constant on processors
 * of the last fifteen years), the generic timer of arm64, or Mach's absolute time; elsewhere ns. */
static inline uint64_t lauka_region_ticks(void)
{
#if defined(__APPLE__)
    return mach_absolute_time();
#elif defined(__x86_64__)
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
#else
    return lauka_region_ns();
#endif
}

enum lauka_region_unit { LAUKA_REGION_TICKS, LAUKA_REGION_NS, LAUKA_REGION_US, LAUKA_REGION_MS };

static inline uint64_t lauka_region_now(enum lauka_region_unit unit)
{
    return unit == LAUKA_REGION_TICKS ? lauka_region_ticks() : lauka_region_ns();
}

/* The time between two readings of lauka_region_now(unit), in whole units, rounded down. */
static inline uint64_t lauka_region_between(enum lauka_region_unit unit, uint64_t begin,
                                            uint64_t end)
{
    return (end - begin) / (unit == LAUKA_REGION_MS   ? 1000000u
                            : unit == LAUKA_REGION_US ? 1000u
                                                      : 1u);
}

/* Times a block: LAUKA_REGION_SCOPE (LAUKA_REGION_US, took) { work(); } sets uint64_t took. Leave
 * the block only by its end. */
#define LAUKA_REGION_SCOPE(unit, took)                                                             \
    for (uint64_t lauka_region_begun_ = lauka_region_now(unit), lauka_region_once_ = 1;            \
         lauka_region_once_;                                                                       \
         (took) = lauka_region_between(unit, lauka_region_begun_, lauka_region_now(unit)),         \
                  lauka_region_once_ = 0)

/* The resolution of a unit's clock, and the cost of reading it. */
struct lauka_region_resolution {
    double tick_ns;       /* length of a tick in ns; 1 for the other units */
    double resolution_ns; /* the smallest observed step */
    double cost_ns;       /* lowest cost of one reading */
};

/* Measures it in about 2 ms. */
static inline struct lauka_region_resolution lauka_region_resolve(enum lauka_region_unit unit)
{
    struct lauka_region_resolution found = {1, 1e9, 1e9};
    uint64_t begin_ns = lauka_region_ns(), begin = lauka_region_now(unit), step = UINT64_MAX;
    uint64_t cost = UINT64_MAX, last = begin;

    while (lauka_region_ns() - begin_ns < 2000000) {
        uint64_t first = lauka_region_ns();
        for (int i = 0; i < 32; i++) {
            uint64_t now = lauka_region_now(unit);
            step = now > last && now - last < step ? now - last : step;
            last = now;
        }
        first = lauka_region_ns() - first;
        cost = first < cost ? first : cost;
        last = lauka_region_now(unit);
    }
    uint64_t ns = lauka_region_ns() - begin_ns, units = lauka_region_now(unit) - begin;
    found.tick_ns = unit == LAUKA_REGION_TICKS ? (double)ns / (double)units : 1;
    found.resolution_ns = (double)step * found.tick_ns;
    found.cost_ns = (double)cost / 33; /* one more reading times the others */
    return found;
}

/* ---- regions ----------------------------------------------------------------------------------- */

enum lauka_region_way {
    LAUKA_REGION_ABSENT,    /* not counted: lauka_region_why() */
    LAUKA_REGION_ACCOUNTED, /* the system's accounting, by a system call */
    LAUKA_REGION_READ,      /* a counter, by a system call */
    LAUKA_REGION_USER_READ  /* a counter, without a system call */
};

enum lauka_region_mode { LAUKA_REGION_USER, LAUKA_REGION_KERNEL, LAUKA_REGION_BOTH };

struct lauka_region_options {
    int process; /* count also all threads and processes that this thread starts from now on */
    enum lauka_region_mode mode; /* the processor's modes to count */
    int asleep;                  /* count only after lauka_region_wake() */
    int by_system_call; /* always use a system call: it reads a group's events at one moment */
    int pinned;         /* the events of a group keep their counters, or get none */
};

struct lauka_region_reading {
    uint64_t ns;
    uint64_t count[LAUKA_REGION_MOST];
    uint64_t enabled[LAUKA_REGION_MOST], running[LAUKA_REGION_MOST]; /* ns */
    unsigned char way[LAUKA_REGION_MOST];                            /* enum lauka_region_way */
};

struct lauka_region_counter {
    struct lauka_region_event event;
    int why;                     /* errno if it is absent */
    enum lauka_region_mode mode; /* the counted mode, which may differ from the requested one */
    int fd;                      /* Linux; -1: none */
    size_t leader, place; /* its group, and its place there; on macOS the index of its value */
    void *page;           /* the kernel's page, or NULL */
};

struct lauka_region {
    size_t count; /* number of events */
    struct lauka_region_counter counters[LAUKA_REGION_MOST];
    struct lauka_region_options options;
    struct lauka_region_reading first, last;
    struct lauka_region_reading own; /* counts of an empty region: lauka_region_calibrate() */
    size_t page_size;
    void (*system_read)(void); /* macOS: kpc_get_thread_counters */
    void *library[2];          /* macOS: kperf and kperfdata */
};

enum lauka_region_quality {
    LAUKA_REGION_UNKNOWN,  /* not counted in this region */
    LAUKA_REGION_ESTIMATE, /* counted in a part of it: lauka_region_share() */
    LAUKA_REGION_EXACT
};

#if defined(__linux__)

/* ---- Linux: without a system call -------------------------------------------------------------- */

/* Reads a counter of the processor by its number. Tests of this header replace it. */
#if !defined(LAUKA_REGION_PMC)
#define LAUKA_REGION_PMC(number) lauka_region_pmc(number)
#if defined(__aarch64__)
#define LAUKA_REGION_PMC_CASE(n)                                                                   \
    case n:                                                                                        \
        __asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value) : : "memory");                 \
        break;
#endif
static inline uint64_t lauka_region_pmc(uint32_t number)
{
#if defined(__x86_64__)
    uint32_t low, high;

    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number) : "memory");
    return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
    uint64_t value = 0;

    switch (number) {
        LAUKA_REGION_PMC_CASE(0)
        LAUKA_REGION_PMC_CASE(1)
        LAUKA_REGION_PMC_CASE(2)
        LAUKA_REGION_PMC_CASE(3)
        LAUKA_REGION_PMC_CASE(4)
        LAUKA_REGION_PMC_CASE(5)
        LAUKA_REGION_PMC_CASE(6)
        LAUKA_REGION_PMC_CASE(7)
        LAUKA_REGION_PMC_CASE(8)
        LAUKA_REGION_PMC_CASE(9)
        LAUKA_REGION_PMC_CASE(10)
        LAUKA_REGION_PMC_CASE(11)
        LAUKA_REGION_PMC_CASE(12)
        LAUKA_REGION_PMC_CASE(13)
        LAUKA_REGION_PMC_CASE(14)
        LAUKA_REGION_PMC_CASE(15)
        LAUKA_REGION_PMC_CASE(16)
        LAUKA_REGION_PMC_CASE(17)
        LAUKA_REGION_PMC_CASE(18)
        LAUKA_REGION_PMC_CASE(19)
        LAUKA_REGION_PMC_CASE(20)
        LAUKA_REGION_PMC_CASE(21)
        LAUKA_REGION_PMC_CASE(22)
        LAUKA_REGION_PMC_CASE(23)
        LAUKA_REGION_PMC_CASE(24)
        LAUKA_REGION_PMC_CASE(25)
        LAUKA_REGION_PMC_CASE(26)
        LAUKA_REGION_PMC_CASE(27)
        LAUKA_REGION_PMC_CASE(28)
        LAUKA_REGION_PMC_CASE(29)
        LAUKA_REGION_PMC_CASE(30)
    default: /* 31 */
        __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value) : : "memory");
    }
    return value;
#else
    (void)number;
    return 0; /* never called: no user reads are known for other processors */
#endif
}
#endif

#if defined(__x86_64__) || defined(__aarch64__)
#define LAUKA_REGION_COUNTERS_READABLE 1
#else
#define LAUKA_REGION_COUNTERS_READABLE 0
#endif

/* A counter of `width` bits is signed; this is what it adds to the kernel's offset. */
static inline uint64_t lauka_region_widened(uint64_t pmc, unsigned width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);
    uint64_t bits = pmc & (sign | (sign - 1));

    return (bits ^ sign) - sign;
}

/* Whether a page's index stands for a counter as others: Intel's PERF_METRICS holds shares of a whole, and arm64 has 31
 * counters beside the one for cycles. */
static inline int lauka_region_index_is_good(uint32_t index)
{
#if defined(__aarch64__)
    return index <= 32;
#else
    return !((index - 1) >> 29 & 1);
#endif
}

/* Reads the event's count from the page that the kernel keeps for it (perf_event_open(2), "MMAP
 * layout"). Returns 0 if the kernel must be asked: the counter cannot be read here, currently
 * belongs to another event, was shared before, or the kernel keeps changing the page. */
static inline int lauka_region_page_read(const void *memory, uint64_t *count, uint64_t *enabled)
{
    const volatile struct perf_event_mmap_page *page =
        (const volatile struct perf_event_mmap_page *)memory;

    for (int tries = 0; LAUKA_REGION_COUNTERS_READABLE && tries < 64; tries++) {
        uint32_t lock = page->lock;
        __asm__ volatile("" : : : "memory");
        uint32_t index = page->index;
        unsigned width = page->pmc_width;
        uint64_t offset = (uint64_t)page->offset, since = page->time_enabled;
        if (!page->cap_user_rdpmc || index == 0 || width == 0 || width > 64 ||
            !lauka_region_index_is_good(index) || since != page->time_running) {
            if (page->lock == lock)
                return 0;
            continue;
        }
        *count = offset + lauka_region_widened(LAUKA_REGION_PMC(index - 1), width);
        *enabled = since;
        __asm__ volatile("" : : : "memory");
        if (page->lock == lock)
            return 1;
    }
    return 0;
}

/* ---- Linux: by system calls -------------------------------------------------------------------- */

/* Reads a whole group. Returns 0 if it read nothing, for example because pinned events lost their counters. */
static inline int lauka_region_group_read(const struct lauka_region *region, size_t leader,
                                          struct lauka_region_reading *reading)
{
    uint64_t
        values[3 + LAUKA_REGION_MOST]; /* number of events, ns enabled, ns running, the counts */

    if (read(region->counters[leader].fd, values, sizeof values) < (ssize_t)(4 * sizeof *values))
        return 0;
    for (size_t i = 0; i < region->count; i++) {
        const struct lauka_region_counter *counter = &region->counters[i];
        if (counter->fd < 0 || counter->leader != leader || counter->place >= values[0])
            continue;
        reading->count[i] = values[3 + counter->place];
        reading->enabled[i] = values[1];
        reading->running[i] = values[2];
        reading->way[i] = LAUKA_REGION_READ;
    }
    return 1;
}

/* Reads, group by group, the events whose pages have no count. */
static inline void lauka_region_groups_read(const struct lauka_region *region,
                                            struct lauka_region_reading *reading)
{
    for (size_t i = 0; i < region->count; i++)
        if (region->counters[i].fd >= 0 && reading->way[i] == LAUKA_REGION_ABSENT)
            (void)lauka_region_group_read(region, region->counters[i].leader, reading);
}

static inline void lauka_region_counters_read(struct lauka_region *region,
                                              struct lauka_region_reading *reading)
{
    int left = 0;

    for (size_t i = 0; i < region->count; i++) {
        const struct lauka_region_counter *counter = &region->counters[i];
        if (counter->fd < 0)
            continue;
        if (counter->page &&
            lauka_region_page_read(counter->page, &reading->count[i], &reading->enabled[i])) {
            reading->running[i] = reading->enabled[i];
            reading->way[i] = LAUKA_REGION_USER_READ;
        } else {
            reading->way[i] = LAUKA_REGION_ABSENT;
            left = 1;
        }
    }
    if (left)
        lauka_region_groups_read(region, reading);
}

static inline struct perf_event_attr lauka_region_attr(const struct lauka_region_event *event,
                                                       const struct lauka_region_options *options,
                                                       enum lauka_region_mode mode)
{
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.size = 112; /* PERF_ATTR_SIZE_VER5, which every kernel since 4.1 accepts */
    attr.type = event->type;
    attr.config = event->config;
    attr.config1 = event->config1;
    attr.config2 = event->config2;
    attr.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (options->process)
        attr.inherit = 1;
    if (mode == LAUKA_REGION_USER)
        attr.exclude_kernel = attr.exclude_hv = 1;
    if (mode == LAUKA_REGION_KERNEL)
        attr.exclude_user = 1;
#if defined(__aarch64__)
    if (event->type != PERF_TYPE_SOFTWARE && !options->process && !options->by_system_call)
        attr.config1 |= 2; /* user access, where the sysctl allows it */
#endif
    return attr;
}

/* Returns the descriptor, or -1 with errno. */
static inline int lauka_region_call(struct perf_event_attr *attr, int group,
                                    const struct lauka_region_options *options)
{
    attr->disabled = 0;
    attr->pinned = 0;
    if (group < 0 && options->asleep)
        attr->disabled = 1;
    if (group < 0 && options->pinned)
        attr->pinned = 1;
    return (int)syscall(SYS_perf_event_open, attr, 0, -1, group, (unsigned long)8 /* CLOEXEC */);
}

/* Tries the requested form first, then forms that some kernels and processors need. */
static inline int lauka_region_try(struct lauka_region_counter *counter, int group,
                                   const struct lauka_region_options *options)
{
    struct perf_event_attr attr = lauka_region_attr(&counter->event, options, counter->mode);
    int fd = lauka_region_call(&attr, group, options);

    if (fd < 0 && (errno == EACCES || errno == EPERM) && counter->mode == LAUKA_REGION_BOTH) {
        attr.exclude_kernel = attr.exclude_hv = 1;
        if ((fd = lauka_region_call(&attr, group, options)) >= 0)
            counter->mode = LAUKA_REGION_USER;
    }
    if (fd < 0 && (errno == EINVAL || errno == EOPNOTSUPP)) {
        attr.config1 = counter->event.config1;
        fd = lauka_region_call(&attr, group, options);
    }
    if (fd < 0 && (errno == EINVAL || errno == EOPNOTSUPP)) {
        attr.exclude_guest = 1;
        fd = lauka_region_call(&attr, group, options);
    }
    if (fd < 0 && (errno == EINVAL || errno == EOPNOTSUPP) && group < 0) {
        attr.exclude_guest = attr.exclude_user = attr.exclude_kernel = attr.exclude_hv = 0;
        if ((fd = lauka_region_call(&attr, group, options)) >= 0)
            counter->mode = LAUKA_REGION_BOTH;
    }
    return fd;
}

/* The number of events that are open in the group. */
static inline size_t lauka_region_members(const struct lauka_region *region, size_t leader)
{
    size_t members = 0;

    for (size_t i = 0; i < region->count; i++)
        members += region->counters[i].fd >= 0 && region->counters[i].leader == leader;
    return members;
}

/* The leader of the last group that has earlier events of its kind, software or not; itself, if there is none. */
static inline size_t lauka_region_leader(const struct lauka_region *region, size_t index)
{
    int software = region->counters[index].event.type == PERF_TYPE_SOFTWARE;
    size_t leader = index;

    for (size_t i = 0; i < index; i++) {
        const struct lauka_region_counter *other = &region->counters[i];
        if (other->fd < 0 || (other->event.type == PERF_TYPE_SOFTWARE) != software)
            continue;
        leader = leader == index || other->leader > leader ? other->leader : leader;
    }
    return leader;
}

/* Opens it in one group with others of its kind while they fit; otherwise in a new group. */
static inline void lauka_region_counter_open(struct lauka_region *region, size_t index)
{
    struct lauka_region_counter *counter = &region->counters[index];

    counter->leader = lauka_region_leader(region, index);
    counter->place = lauka_region_members(region, counter->leader);
    if (counter->leader != index)
        counter->fd =
            lauka_region_try(counter, region->counters[counter->leader].fd, &region->options);
    if (counter->fd < 0) {
        counter->leader = index;
        counter->place = 0;
        counter->fd = lauka_region_try(counter, -1, &region->options);
    }
    counter->why = counter->fd < 0 ? errno : 0;
    if (counter->fd < 0 || counter->event.type == PERF_TYPE_SOFTWARE || region->options.process ||
        region->options.by_system_call)
        return;
    void *page = mmap(NULL, region->page_size, PROT_READ, MAP_SHARED, counter->fd, 0);
    counter->page = page == MAP_FAILED ? NULL : page;
}

static inline void lauka_region_counters_open(struct lauka_region *region)
{
    region->page_size = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < region->count; i++) {
        if (region->counters[i].event.type != LAUKA_REGION_ACCOUNT)
            lauka_region_counter_open(region, i);
        else if (region->counters[i].event.apple)
            region->counters[i].why = ENOENT;
    }
}

static inline void lauka_region_counters_close(struct lauka_region *region)
{
    for (size_t i = region->count; i-- > 0;) {
        if (region->counters[i].page)
            munmap(region->counters[i].page, region->page_size);
        if (region->counters[i].fd >= 0)
            close(region->counters[i].fd);
    }
}

static inline void lauka_region_switch(struct lauka_region *region, int on)
{
    unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

    for (size_t i = 0; i < region->count; i++)
        if (region->counters[i].fd >= 0 && region->counters[i].leader == i)
            syscall(SYS_ioctl, region->counters[i].fd, request, (unsigned long)PERF_IOC_FLAG_GROUP);
}

/* How many events of one kind fit at once. For other processors, manuals name an instruction that
 * returns this number. */
static inline unsigned lauka_region_fitting(uint32_t type, uint64_t config, unsigned most)
{
    struct lauka_region_options options;
    struct lauka_region_event event = lauka_region_encoded("", type, config);
    int fds[64];
    unsigned fitting = 0;

    memset(&options, 0, sizeof options); /* enabled: disabled events always fit */
    for (; fitting < most && fitting < 64; fitting++) {
        struct perf_event_attr attr = lauka_region_attr(&event, &options, LAUKA_REGION_USER);
        attr.config1 = 0;
        fds[fitting] = lauka_region_call(&attr, fitting ? fds[0] : -1, &options);
        if (fds[fitting] < 0)
            break;
    }
    for (unsigned i = 0; i < fitting; i++)
        close(fds[i]);
    return fitting;
}

/* The numbers of fixed counters, which count one event only, and of programmable ones. Returns 0 if
 * there are none, or they are not known. */
static inline int lauka_region_counters_there(unsigned *fixed, unsigned *programmable)
{
    unsigned a = 0, b = 0, c = 0, d = 0;

    *fixed = *programmable = 0;
    if (lauka_region_fitting(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1) == 0)
        return 0;
#if defined(__x86_64__)
    if (__get_cpuid(0xa, &a, &b, &c, &d) && (a & 0xff)) { /* Intel: architectural counters */
        *programmable = a >> 8 & 0xff;
        *fixed = (a & 0xff) > 1 ? d & 0x1f : 0;
    } else if (__get_cpuid(0x80000022, &a, &b, &c, &d) && (a & 1)) /* AMD: PerfMonV2 */
        *programmable = b & 0xf;
    else if (__get_cpuid(0x80000001, &a, &b, &c, &d)) /* AMD: PerfCtrExtCore */
        *programmable = c >> 23 & 1 ? 6 : 4;
#else
    (void)a, (void)b, (void)c, (void)d;
#if defined(__aarch64__)
    *fixed = 1; /* for cycles */
    *programmable = lauka_region_fitting(PERF_TYPE_RAW, 8 /* instructions */, 64);
#else
    return 0;
#endif
#endif
    return 1;
}

#elif defined(__APPLE__)

/* ---- macOS ------------------------------------------------------------------------------------- */

/* No library is linked: these interfaces are private to the system and may disappear. A counter's
 * `fd` says where its value comes from, its `place` which value it is. */
enum { LAUKA_REGION_MAC_CPI, LAUKA_REGION_MAC_KPC, LAUKA_REGION_MAC_VALUES = 32 };

/* Stores a function pointer; ISO C cannot convert an object pointer to one. */
static inline int lauka_region_look(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);

    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* Instructions and cycles of this thread, or process. Since macOS 12.4. */
static inline int lauka_region_cpi(const struct lauka_region *region, uint64_t values[2])
{
    uint64_t usage[64] = {0}; /* struct rusage_info_v4 */
    int (*rusage)(int, int, void *);
    int (*selfcounts)(int, void *, size_t);

    if (!region->options.process)
        return lauka_region_look(RTLD_DEFAULT, "thread_selfcounts", &selfcounts) &&
               selfcounts(1 /* CPI */, values, 2 * sizeof *values) == 0;
    if (!lauka_region_look(RTLD_DEFAULT, "proc_pid_rusage", &rusage) ||
        rusage(getpid(), 4, usage) != 0)
        return 0;
    values[0] = usage[31]; /* ri_instructions */
    values[1] = usage[32]; /* ri_cycles */
    return 1;
}

static inline int lauka_region_kpc(const struct lauka_region *region, uint64_t *values)
{
    int (*get)(uint32_t, uint32_t, void *);

    memcpy(&get, &region->system_read, sizeof get);
    return get && get(0, LAUKA_REGION_MAC_VALUES, values) == 0;
}

static inline void lauka_region_counters_read(struct lauka_region *region,
                                              struct lauka_region_reading *reading)
{
    uint64_t cpi[2], kpc[LAUKA_REGION_MAC_VALUES];
    int there[2] = {-1, -1}; /* not asked yet */

    for (size_t i = 0; i < region->count; i++) {
        const struct lauka_region_counter *counter = &region->counters[i];
        if (counter->fd < 0)
            continue;
        if (there[counter->fd] < 0)
            there[counter->fd] = counter->fd == LAUKA_REGION_MAC_CPI
                                     ? lauka_region_cpi(region, cpi)
                                     : lauka_region_kpc(region, kpc);
        reading->way[i] = LAUKA_REGION_ABSENT;
        if (!there[counter->fd])
            continue;
        reading->count[i] =
            counter->fd == LAUKA_REGION_MAC_CPI ? cpi[counter->place] : kpc[counter->place];
        reading->enabled[i] = reading->running[i] = 1; /* these are never multiplexed */
        reading->way[i] = LAUKA_REGION_READ;
    }
}

/* The functions of the event database and of the counters that are used here. */
struct lauka_region_kperf {
    int (*database)(const char *, void **), (*configuration)(void *, void **), (*force)(void *);
    int (*find)(void *, const char *, void **), (*add)(void *, void **, uint32_t, uint32_t *);
    int (*classes)(void *, uint32_t *), (*map)(void *, void *, size_t);
    int (*words)(void *, void *, size_t);
    int (*force_all)(int), (*configure)(uint32_t, void *), (*count)(uint32_t), (*threads)(uint32_t);
    int (*forced)(int *); /* may be NULL */
};

static inline int lauka_region_kperf_load(struct lauka_region *region,
                                          struct lauka_region_kperf *kperf)
{
    void **library = region->library;

    memset(kperf, 0, sizeof *kperf);
    library[0] = dlopen("/System/Library/PrivateFrameworks/kperf.framework/kperf", RTLD_LAZY);
    library[1] =
        dlopen("/System/Library/PrivateFrameworks/kperfdata.framework/kperfdata", RTLD_LAZY);
    if (library[0])
        (void)lauka_region_look(library[0], "kpc_force_all_ctrs_get", &kperf->forced);
    return library[0] && library[1] &&
           lauka_region_look(library[1], "kpep_db_create", &kperf->database) &&
           lauka_region_look(library[1], "kpep_config_create", &kperf->configuration) &&
           lauka_region_look(library[1], "kpep_config_force_counters", &kperf->force) &&
           lauka_region_look(library[1], "kpep_db_event", &kperf->find) &&
           lauka_region_look(library[1], "kpep_config_add_event", &kperf->add) &&
           lauka_region_look(library[1], "kpep_config_kpc_classes", &kperf->classes) &&
           lauka_region_look(library[1], "kpep_config_kpc_map", &kperf->map) &&
           lauka_region_look(library[1], "kpep_config_kpc", &kperf->words) &&
           lauka_region_look(library[0], "kpc_force_all_ctrs_set", &kperf->force_all) &&
           lauka_region_look(library[0], "kpc_set_config", &kperf->configure) &&
           lauka_region_look(library[0], "kpc_set_counting", &kperf->count) &&
           lauka_region_look(library[0], "kpc_set_thread_counting", &kperf->threads) &&
           lauka_region_look(library[0], "kpc_get_thread_counters", &region->system_read);
}

/* Returns the place of an added event, or -1 if it was not added. Both fixed events are always
 * added, so the map numbers all counters. */
static inline int lauka_region_kpc_add(const struct lauka_region_kperf *kperf, void *database,
                                       void *configuration, const char *name, size_t *added)
{
    void *event;
    uint32_t user_only = strncmp(name, "FIXED_", 6) != 0;

    if (kperf->find(database, name, &event) != 0 ||
        kperf->add(configuration, &event, user_only, NULL) != 0)
        return -1;
    return (int)(*added)++;
}

/* Events of a region, in the order in which they are added to a configuration. */
struct lauka_region_order {
    size_t count, events[LAUKA_REGION_MOST];
};

/* Makes a configuration of the fixed events and the others. places: by event. Returns the place in the order of the first
 * existing event without a counter (the order's count: every event has one), or -1 without a configuration. */
static inline int lauka_region_kpc_place(const struct lauka_region *region,
                                         const struct lauka_region_kperf *kperf, void *database,
                                         void **configuration,
                                         const struct lauka_region_order *order, int *places)
{
    int fixed[2], failed = (int)order->count;
    size_t added = 0;
    void *event;

    for (size_t i = 0; i < region->count; i++)
        places[i] = -1;
    if (kperf->configuration(database, configuration) != 0 || kperf->force(*configuration) != 0)
        return -1;
    fixed[0] = lauka_region_kpc_add(kperf, database, *configuration, "FIXED_CYCLES", &added);
    fixed[1] = lauka_region_kpc_add(kperf, database, *configuration, "FIXED_INSTRUCTIONS", &added);
    for (size_t k = 0; k < order->count; k++) {
        const char *name = region->counters[order->events[k]].event.apple;
        int *place = &places[order->events[k]];
        *place = !name                               ? -1
                 : strcmp(name, "FIXED_CYCLES") == 0 ? fixed[0]
                 : strncmp(name, "FIXED_INST", 10) == 0
                     ? fixed[1]
                     : lauka_region_kpc_add(kperf, database, *configuration, name, &added);
        if (*place < 0 && name && failed == (int)order->count &&
            kperf->find(database, name, &event) == 0)
            failed = (int)k;
    }
    return failed;
}

/* The database gives each event the lowest free counter that suits it, in the order of calls. An event that
 * finds none is therefore added first in the next try, before events that suit other counters as well. */
static inline int lauka_region_kpc_place_all(const struct lauka_region *region,
                                             const struct lauka_region_kperf *kperf, void *database,
                                             void **configuration, struct lauka_region_order *order,
                                             int *places)
{
    for (size_t tries = 0;; tries++) {
        int failed = lauka_region_kpc_place(region, kperf, database, configuration, order, places);
        if (failed < 0 || failed == (int)order->count || tries == order->count)
            return failed >= 0;
        size_t first = order->events[failed];
        memmove(order->events + 1, order->events, (size_t)failed * sizeof *order->events);
        order->events[0] = first;
    }
}

/* Open regions of this process that use the counters. */
__attribute__((weak)) int lauka_region_kpc_users;

/* Whether another program has the counters. From macOS 26 on, the kernel grants them twice. In a virtual machine it says
 * that they are taken although nobody has them. */
static inline int lauka_region_kpc_taken(const struct lauka_region_kperf *kperf)
{
    int (*ask)(const char *, void *, size_t *, void *, size_t), taken = 0, virtual_machine = 0;
    size_t size = sizeof virtual_machine;

    if (__atomic_load_n(&lauka_region_kpc_users, __ATOMIC_RELAXED) > 0 || !kperf->forced ||
        kperf->forced(&taken) != 0 || !taken)
        return 0;
    return !lauka_region_look(RTLD_DEFAULT, "sysctlbyname", &ask) ||
           ask("kern.hv_vmm_present", &virtual_machine, &size, NULL, 0) != 0 || !virtual_machine;
}

/* 0, or an errno. The kernel refuses a configuration as a whole. */
static inline int lauka_region_kpc_configure(const struct lauka_region_kperf *kperf,
                                             void *configuration, uint32_t *classes)
{
    uint64_t words[LAUKA_REGION_MAC_VALUES] = {0};

    if (kperf->classes(configuration, classes) != 0 ||
        kperf->words(configuration, words, sizeof words) != 0)
        return ENOSYS;
    return *classes & 2 && kperf->configure(*classes, words) != 0 ? errno : 0;
}

/* Leaves out of the order what the kernel refuses even alone. */
static inline void lauka_region_kpc_drop_refused(struct lauka_region *region,
                                                 const struct lauka_region_kperf *kperf,
                                                 void *database, struct lauka_region_order *order)
{
    struct lauka_region_order alone = {1, {0}};
    int places[LAUKA_REGION_MOST];
    void *configuration;
    uint32_t classes;
    size_t kept = 0;

    for (size_t k = 0; k < order->count; k++) {
        alone.events[0] = order->events[k];
        if (lauka_region_kpc_place(region, kperf, database, &configuration, &alone, places) >= 0 &&
            lauka_region_kpc_configure(kperf, configuration, &classes) == EPERM)
            region->counters[order->events[k]].why = ENOTSUP;
        else
            order->events[kept++] = order->events[k];
    }
    order->count = kept;
}

/* Unless another region uses them. */
static inline void lauka_region_kpc_release(const struct lauka_region_kperf *kperf)
{
    if (__atomic_load_n(&lauka_region_kpc_users, __ATOMIC_RELAXED) > 0)
        return;
    (void)kperf->threads(0);
    (void)kperf->count(0);
    (void)kperf->force_all(0);
}

/* The database and the configurations remain until the process ends: some hundred kilobytes. */
static inline int lauka_region_kpc_open(struct lauka_region *region, int *why)
{
    struct lauka_region_kperf kperf;
    struct lauka_region_order order = {region->count, {0}};
    void *database, *configuration;
    int places[LAUKA_REGION_MOST];
    size_t map[LAUKA_REGION_MAC_VALUES] = {0};
    uint32_t classes;

    for (size_t i = 0; i < region->count; i++)
        order.events[i] = i;
    *why = ENOSYS;
    if (!lauka_region_kperf_load(region, &kperf) || kperf.database(NULL, &database) != 0 ||
        !lauka_region_kpc_place_all(region, &kperf, database, &configuration, &order, places))
        return 0;
    *why = lauka_region_kpc_taken(&kperf) ? EBUSY : kperf.force_all(1) != 0 ? errno : 0;
    if (*why)
        return 0;
    *why = lauka_region_kpc_configure(&kperf, configuration, &classes);
    if (*why == EPERM) {
        lauka_region_kpc_drop_refused(region, &kperf, database, &order);
        *why = lauka_region_kpc_place_all(region, &kperf, database, &configuration, &order, places)
                   ? lauka_region_kpc_configure(&kperf, configuration, &classes)
                   : ENOSYS;
    }
    if (!*why && kperf.map(configuration, map, sizeof map) != 0)
        *why = ENOSYS;
    if (!*why && (kperf.count(classes) != 0 || kperf.threads(classes) != 0))
        *why = errno;
    if (*why) {
        lauka_region_kpc_release(&kperf);
        return 0;
    }
    (void)__atomic_add_fetch(&lauka_region_kpc_users, 1, __ATOMIC_RELAXED);
    *why = ENOENT; /* for events that were not added */
    for (size_t i = 0; i < region->count; i++) {
        struct lauka_region_counter *counter = &region->counters[i];
        if (places[i] < 0 || map[places[i]] >= LAUKA_REGION_MAC_VALUES)
            continue;
        counter->fd = LAUKA_REGION_MAC_KPC;
        counter->place = map[places[i]];
        counter->mode =
            strncmp(counter->event.apple, "FIXED_", 6) == 0 ? LAUKA_REGION_BOTH : LAUKA_REGION_USER;
        counter->why = 0;
    }
    return 1;
}

/* Without root, cycles and instructions come from the unprivileged call; root with other events uses kpc for all. */
static inline void lauka_region_counters_open(struct lauka_region *region)
{
    uint64_t values[2];
    int cpi = lauka_region_cpi(region, values), others = 0, why = EPERM;

    for (size_t i = 0; i < region->count; i++) {
        struct lauka_region_counter *counter = &region->counters[i];
        const char *name = counter->event.apple;
        if (counter->event.type == LAUKA_REGION_ACCOUNT && !name)
            continue;
        counter->why = name ? EPERM : ENOENT;
        if (!name || strncmp(name, "FIXED_", 6) != 0) {
            others |= name != NULL;
            continue;
        }
        counter->mode = LAUKA_REGION_BOTH;
        counter->place = strcmp(name, "FIXED_CYCLES") == 0;
        counter->fd = cpi ? LAUKA_REGION_MAC_CPI : -1;
        counter->why = cpi ? 0 : ENOSYS;
    }
    if (others && geteuid() == 0 && !region->options.process) {
        if (!lauka_region_kpc_open(region, &why))
            region->system_read = NULL; /* none of our counters need to be turned off */
    }
    for (size_t i = 0; i < region->count; i++)
        if (region->counters[i].why == EPERM)
            region->counters[i].why = geteuid() == 0 ? (why == EPERM ? ENOENT : why) : EPERM;
}

static inline void lauka_region_counters_close(struct lauka_region *region)
{
    struct lauka_region_kperf kperf;

    if (!region->system_read || !lauka_region_kperf_load(region, &kperf))
        return;
    (void)__atomic_sub_fetch(&lauka_region_kpc_users, 1, __ATOMIC_RELAXED);
    lauka_region_kpc_release(&kperf);
}

/* These counters are always on. */
static inline void lauka_region_switch(struct lauka_region *region, int on)
{
    (void)region, (void)on;
}

static inline int lauka_region_counters_there(unsigned *fixed, unsigned *programmable)
{
    uint32_t (*count)(uint32_t);
    void *library = dlopen("/System/Library/PrivateFrameworks/kperf.framework/kperf", RTLD_LAZY);

    *fixed = *programmable = 0;
    if (!library || !lauka_region_look(library, "kpc_get_counter_count", &count))
        return 0;
    *fixed = count(1);
    *programmable = count(2);
    return *fixed > 0;
}
#else

static inline void lauka_region_counters_read(struct lauka_region *region,
                                              struct lauka_region_reading *reading)
{
    (void)region, (void)reading;
}
static inline void lauka_region_counters_open(struct lauka_region *region)
{
    for (size_t i = 0; i < region->count; i++)
        if (region->counters[i].event.type != LAUKA_REGION_ACCOUNT)
            region->counters[i].why = ENOSYS;
}
static inline void lauka_region_counters_close(struct lauka_region *region)
{
    (void)region;
}
static inline void lauka_region_switch(struct lauka_region *region, int on)
{
    (void)region, (void)on;
}
static inline int lauka_region_counters_there(unsigned *fixed, unsigned *programmable)
{
    *fixed = *programmable = 0;
    return 0;
}
#endif

/* ---- what the system accounts for -------------------------------------------------------------- */

/* Returns 0, or the errno that says why the number is not known. macOS accounts for processes, not threads. */
static inline int lauka_region_account(const struct lauka_region *region, uint64_t kind,
                                       const struct rusage *usage, uint64_t *count)
{
    if (kind == LAUKA_REGION_CPU_NS) {
        *count = lauka_region_clock(region->options.process ? CLOCK_PROCESS_CPUTIME_ID
                                                            : CLOCK_THREAD_CPUTIME_ID);
        return 0;
    }
    *count = (uint64_t)usage->ru_majflt;
    if (kind == LAUKA_REGION_PAGE_FAULTS)
        *count += (uint64_t)usage->ru_minflt;
    if (kind == LAUKA_REGION_CONTEXT_SWITCHES)
        *count = (uint64_t)usage->ru_nvcsw + (uint64_t)usage->ru_nivcsw;
#if defined(__linux__)
    return 0;
#else
    return region->options.process ? 0 : ENOSYS;
#endif
}

static inline void lauka_region_accounts_read(struct lauka_region *region,
                                              struct lauka_region_reading *reading)
{
    struct rusage usage;
    int asked = 0;
#if defined(__linux__)
    int who = region->options.process ? RUSAGE_SELF : 1; /* RUSAGE_THREAD */
#else
    int who = RUSAGE_SELF;
#endif

    memset(&usage, 0, sizeof usage);
    for (size_t i = 0; i < region->count; i++) {
        struct lauka_region_counter *counter = &region->counters[i];
        uint64_t kind = counter->event.config;
        if (counter->event.type != LAUKA_REGION_ACCOUNT || counter->event.apple)
            continue;
        if (kind != LAUKA_REGION_CPU_NS && !asked++)
            getrusage(who, &usage);
        counter->why = lauka_region_account(region, kind, &usage, &reading->count[i]);
        reading->way[i] = counter->why ? LAUKA_REGION_ABSENT : LAUKA_REGION_ACCOUNTED;
        reading->enabled[i] = reading->running[i] = 1;
    }
}

/* ---- a region ---------------------------------------------------------------------------------- */

/* The counters are read last at the beginning and first at the end, so they do not include the cost
 * of the clock and of the system's accounting; the clock includes all of it. To measure time alone,
 * open a region without events, or use LAUKA_REGION_SCOPE. */
static inline void lauka_region_begin(struct lauka_region *region)
{
    region->first.ns = lauka_region_ns();
    if (region->count == 0)
        return;
    lauka_region_accounts_read(region, &region->first);
    lauka_region_counters_read(region, &region->first);
}

static inline void lauka_region_end(struct lauka_region *region)
{
    if (region->count > 0) {
        lauka_region_counters_read(region, &region->last);
        lauka_region_accounts_read(region, &region->last);
    }
    region->last.ns = lauka_region_ns();
}

/* Events that cannot be counted are absent, which is no error: see lauka_region_way(). options:
 * NULL for all 0. The event names are borrowed until lauka_region_close(). Returns 0, or EINVAL for
 * more than LAUKA_REGION_MOST events. */
static inline int lauka_region_open(struct lauka_region *region,
                                    const struct lauka_region_event *events, size_t count,
                                    const struct lauka_region_options *options)
{
    memset(region, 0, sizeof *region);
    if (count > LAUKA_REGION_MOST)
        return EINVAL;
    if (options)
        region->options = *options;
    region->count = count;
    for (size_t i = 0; i < count; i++) {
        region->counters[i].event = events[i];
        region->counters[i].fd = -1;
        region->counters[i].mode =
            events[i].type == LAUKA_REGION_ACCOUNT ? LAUKA_REGION_BOTH : region->options.mode;
    }
    lauka_region_counters_open(region);
    lauka_region_begin(region);
    region->last = region->first;
    return 0;
}

static inline void lauka_region_close(struct lauka_region *region)
{
    lauka_region_counters_close(region);
    memset(region, 0, sizeof *region);
}

/* For regions opened asleep. They affect neither accounts nor anything on macOS. */
static inline void lauka_region_wake(struct lauka_region *region)
{
    lauka_region_switch(region, 1);
}

static inline void lauka_region_sleep(struct lauka_region *region)
{
    lauka_region_switch(region, 0);
}

/* ---- what it came to, between begin and end ---------------------------------------------------- */

static inline uint64_t lauka_region_elapsed_ns(const struct lauka_region *region)
{
    return region->last.ns - region->first.ns;
}

/* Measures with empty regions how much reading itself adds to each count. From then on
 * lauka_region_count() subtracts it, as long as the event is read in the same way. */
static inline void lauka_region_calibrate(struct lauka_region *region)
{
    struct lauka_region_reading own;

    memset(&own, 0, sizeof own);
    memset(&region->own, 0, sizeof region->own);
    for (int pass = 0; pass < 32; pass++) {
        lauka_region_begin(region);
        lauka_region_end(region);
        for (size_t i = 0; i < region->count; i++) {
            uint64_t counted = region->last.count[i] - region->first.count[i];
            if (pass == 0 || counted < own.count[i])
                own.count[i] = counted;
            own.way[i] = region->first.way[i] == region->last.way[i] ? region->last.way[i] : 0;
        }
    }
    region->own = own;
}

/* How the event was last read; this may change from one reading to the next. */
static inline enum lauka_region_way lauka_region_way(const struct lauka_region *region,
                                                     size_t event)
{
    return (enum lauka_region_way)region->last.way[event];
}

/* Static. */
static inline const char *lauka_region_way_name(enum lauka_region_way way)
{
    static const char *const names[] = {"absent", "accounted by the system",
                                        "read by a system call", "read without a system call"};

    return names[way];
}

/* The share of the region in which the event had a counter, from 0 to 1. */
static inline double lauka_region_share(const struct lauka_region *region, size_t event)
{
    const struct lauka_region_reading *first = &region->first, *last = &region->last;

    if (!first->way[event] || !last->way[event])
        return 0;
    uint64_t enabled = last->enabled[event] - first->enabled[event];
    uint64_t running = last->running[event] - first->running[event];
    if (first->way[event] != LAUKA_REGION_READ || last->way[event] != LAUKA_REGION_READ) {
        /* Without a call, the times are from when the counter was assigned: find how long it was missing. */
        uint64_t gone = enabled - running, passed = lauka_region_elapsed_ns(region);
        if (gone == 0)
            return 1;
        enabled = passed < enabled ? passed : enabled;
        running = gone < enabled ? enabled - gone : 0;
    }
#if defined(__APPLE__)
    return 1;
#else
    return enabled == 0 ? 0 : (double)running / (double)enabled;
#endif
}

/* Why an event is absent or unknown, and what to do about it. Static. */
static inline const char *lauka_region_why(const struct lauka_region *region, size_t event)
{
    switch (region->counters[event].why) {
    case 0:
        return region->last.way[event] && (lauka_region_elapsed_ns(region) == 0 ||
                                           lauka_region_share(region, event) > 0)
                   ? "it is counted"
                   : "it lost its counter to other events";
    case EACCES:
        return "not permitted: set kernel.perf_event_paranoid to 2 or less, or give CAP_PERFMON";
    case EPERM:
        return "not permitted: macOS wants root; a container, --cap-add PERFMON";
    case ENOENT:
        return "there is no such counter here; a virtual machine may have none at all";
    case ENOSYS:
        return "this system does not tell";
    case EMFILE:
        return "too many open files: ulimit -n";
    case EBUSY:
        return "another profiler has the counters";
    default:
        return "this processor cannot count it so";
    }
}

/* How often the event happened; an estimate if it shared a counter. 0 and UNKNOWN if nothing is known. */
static inline enum lauka_region_quality lauka_region_count(const struct lauka_region *region,
                                                           size_t event, uint64_t *count)
{
    double share = lauka_region_share(region, event);
    uint64_t first = region->first.count[event], last = region->last.count[event];
    uint64_t counted =
        last > first ? last - first : 0; /* reads may overtake each other by a little */

    *count = 0;
    if (share <= 0)
        return LAUKA_REGION_UNKNOWN;
    if (region->own.way[event] && region->own.way[event] == region->last.way[event])
        counted -= counted < region->own.count[event] ? counted : region->own.count[event];
    *count = share < 1 ? (uint64_t)((double)counted / share) : counted;
    return share < 1 ? LAUKA_REGION_ESTIMATE : LAUKA_REGION_EXACT;
}

/* ---- C++ --------------------------------------------------------------------------------------- */

#if defined(__cplusplus)
#include <utility>

namespace lauka {

/* Begins a region and ends it with the block. */
class region_scope {
    lauka_region *region_;

  public:
    explicit region_scope(lauka_region &region) : region_(&region)
    {
        lauka_region_begin(region_);
    }
    region_scope(const region_scope &) = delete;
    region_scope &operator=(const region_scope &) = delete;
    ~region_scope()
    {
        lauka_region_end(region_);
    }
};

/* Calls record(uint64_t) with the duration of the block, in units; it must not throw. */
template <class Record> class time_scope {
    lauka_region_unit unit_;
    Record record_;
    uint64_t begin_;
    bool owned_ = true;

  public:
    time_scope(lauka_region_unit unit, Record record)
        : unit_(unit), record_(std::move(record)), begin_(lauka_region_now(unit))
    {
    }
    time_scope(time_scope &&other)
        : unit_(other.unit_), record_(std::move(other.record_)), begin_(other.begin_)
    {
        other.owned_ = false;
    }
    time_scope(const time_scope &) = delete;
    time_scope &operator=(const time_scope &) = delete;
    ~time_scope()
    {
        if (owned_)
            record_(lauka_region_between(unit_, begin_, lauka_region_now(unit_)));
    }
};

/* auto scope = lauka::time_block(LAUKA_REGION_US, [&](uint64_t us) { ... }); */
template <class Record> time_scope<Record> time_block(lauka_region_unit unit, Record record)
{
    return time_scope<Record>(unit, std::move(record));
}

} // namespace lauka
#endif

#endif
