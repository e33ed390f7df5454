/* placement: which events fit onto the counters together. Only the kernel knows, so it is asked: it
 * refuses the last member of a group that is larger than the PMU, and a group whose counter is taken (by
 * the NMI watchdog) never runs. */
#include "pmu/linux/perf_event.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- watch: whether the kernel took a run's events away ---------------------------------------- */

/* It silently does so when a process executes a program that is set-uid or unreadable (begin_new_exec), and
 * only the counts up to there are left. Shares of CPU time do not show it: some kernels (6.18 was seen to)
 * miss a little of every process that ends, which adds up over many short ones. So the kernel is asked to
 * record what the processes do: after an exec comes the mapping of the program, or else the end of the events.
 * Records cost a run some microseconds, so only one run of a command is watched. */

enum { DATA_PAGES = 32 }; /* per CPU: about 1500 processes */
/* The longest record is that of a mapping, with its path. A buffer fuller than this may have lost some. */
enum { LONGEST_RECORD = 4096 + 100 };
/* sample_id: the time, at the end of each record. */
enum { SAMPLE_ID_SIZE = sizeof(uint64_t) };

/* ---- in the child ---------------------------------------------------------------------------- */

static int open_events(int cpu)
{
    enum { DUMMY = 9 }; /* counts nothing: PERF_COUNT_SW_DUMMY */
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = PERF_ATTR_SIZE_VER0;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = DUMMY;
    attr.disabled = attr.enable_on_exec = attr.inherit = 1;
    attr.exclude_kernel = attr.exclude_hv = 1; /* for every user */
    attr.comm = attr.comm_exec = attr.mmap = attr.task = 1;
    attr.sample_id_all = 1;
    attr.sample_type = PERF_SAMPLE_TIME;
    return (int)syscall(SYS_perf_event_open, &attr, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static size_t size_of_data(void)
{
    return DATA_PAGES * (size_t)sysconf(_SC_PAGESIZE);
}

static size_t size_of_ring(void)
{
    return size_of_data() + (size_t)sysconf(_SC_PAGESIZE);
}

/* Of events that are inherited there is a buffer for each CPU. The mapping keeps them open. */
static bool open_ring(struct lauka_counters *counters, size_t index)
{
    int fd = open_events(counters->clock_cpus[index]);
    if (fd < 0)
        return errno == ENODEV; /* the CPU is offline */
    void *ring = mmap(NULL, size_of_ring(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    counters->rings[index] = ring != MAP_FAILED ? ring : NULL;
    return ring != MAP_FAILED;
}

void lauka_watch_arm(struct lauka_counters *counters)
{
    counters->watched = counters->watching && counters->clock_count > 0;
    for (size_t i = 0; i < counters->clock_count && counters->watched; i++)
        counters->watched = open_ring(counters, i);
}

/* ---- after the run --------------------------------------------------------------------------- */

struct record {
    const struct perf_event_header *header;
    uint32_t pid;
    uint64_t time_ns;
};

static uint64_t used_of(const void *ring)
{
    return __atomic_load_n(&((const struct perf_event_mmap_page *)ring)->data_head,
                           __ATOMIC_ACQUIRE);
}

/* Nothing is ever removed, so records are contiguous. False at the end. */
static bool next_record(const void *ring, uint64_t *at, struct record *record)
{
    const char *data = (const char *)ring + (size_of_ring() - size_of_data());
    uint64_t used = used_of(ring);
    if (*at + sizeof *record->header > used)
        return false;
    record->header = (const void *)(data + *at);
    size_t size = record->header->size;
    if (size < sizeof *record->header + sizeof record->pid + SAMPLE_ID_SIZE || *at + size > used)
        return false;
    memcpy(&record->pid, record->header + 1, sizeof record->pid);
    memcpy(&record->time_ns, data + *at + size - SAMPLE_ID_SIZE, sizeof record->time_ns);
    *at += size;
    return true;
}

/* The type of the process's next record; 0 if there is none. */
static uint32_t type_of_next(const struct lauka_counters *counters, const struct record *after)
{
    struct record record, next = {.time_ns = UINT64_MAX};
    for (size_t i = 0; i < counters->clock_count; i++)
        for (uint64_t at = 0; counters->rings[i] && next_record(counters->rings[i], &at, &record);)
            if (record.pid == after->pid && record.time_ns > after->time_ns &&
                record.time_ns < next.time_ns)
                next = record;
    return next.header ? next.header->type : 0;
}

static bool lost_events(const struct lauka_counters *counters)
{
    struct record record;
    for (size_t i = 0; i < counters->clock_count; i++)
        for (uint64_t at = 0; counters->rings[i] && next_record(counters->rings[i], &at, &record);)
            if (record.header->type == PERF_RECORD_COMM &&
                record.header->misc & PERF_RECORD_MISC_COMM_EXEC &&
                type_of_next(counters, &record) == PERF_RECORD_EXIT)
                return true;
    return false;
}

void lauka_watch_collect(struct lauka_counters *counters)
{
    for (size_t i = 0; i < counters->clock_count; i++)
        if (counters->rings[i] && used_of(counters->rings[i]) + LONGEST_RECORD > size_of_data())
            counters->watched = false;
    counters->unwatched = counters->watched && lost_events(counters);
    for (size_t i = 0; i < counters->clock_count; i++) {
        if (counters->rings[i])
            munmap(counters->rings[i], size_of_ring());
        counters->rings[i] = NULL;
    }
}

/* ---- placement --------------------------------------------------------------------------------- */

enum { COPIES_MAX = 16 }; /* no PMU has more counters that one event could choose from */

struct trial { /* events that are opened as one group, on the calling process */
    const struct lauka_counters *counters; /* borrowed */
    size_t count;
    int fds[LAUKA_COUNTERS_MAX];
};

/* False if the kernel refuses the event in this group. */
static bool try_event(struct trial *trial, size_t index)
{
    if (trial->count == LAUKA_COUNTERS_MAX)
        return false;
    int group = trial->count > 0 ? trial->fds[0] : -1;
    int fd = lauka_perf_event_open(trial->counters->events[index], trial->counters->user_only,
                                   LAUKA_PERF_HOLD, group);
    if (fd < 0)
        return false;
    trial->fds[trial->count++] = fd;
    return true;
}

/* Whether the group gets onto the counters of the CPU that the caller is on. */
static bool runs_here(const struct trial *trial)
{
    ioctl(trial->fds[0], PERF_EVENT_IOC_ENABLE, 0);
    for (int i = 0; i < 3; i++)
        (void)getppid(); /* some time in either mode */
    ioctl(trial->fds[0], PERF_EVENT_IOC_DISABLE, 0);
    struct lauka_reading reading = lauka_perf_event_read(trial->fds[0]);
    return reading.enabled == 0 || reading.running > 0;
}

/* Whether the group gets onto the counters now; core: as in its events. */
static bool runs(const struct trial *trial, uint8_t core)
{
    struct lauka_cpu_set before;
    if (trial->count == 0)
        return true;
    if (!trial->counters->core_kinds)
        return runs_here(trial);
    if (core == 0 || lauka_affinity_get(0, &before) != 0 ||
        lauka_affinity_set(0, &trial->counters->topology.types[core - 1].cpus) != 0)
        return true; /* nobody can tell */
    bool good = runs_here(trial);
    lauka_affinity_set(0, &before);
    return good;
}

static void end_trial(struct trial *trial)
{
    while (trial->count > 0)
        close(trial->fds[--trial->count]);
}

static bool needs_counter(const struct lauka_counters *counters, size_t index)
{
    return counters->errors[index] == 0 && !counters->sums[index] &&
           lauka_event_is_hardware(counters->events[index]);
}

/* A generic event of one PMU names it in the upper half of config. */
static uint64_t number_of_pmu(const struct lauka_event *event)
{
    bool generic = event->type == LAUKA_TYPE_HARDWARE || event->type == LAUKA_TYPE_CACHE;
    return generic ? event->config >> 32 : event->type;
}

/* A PMU takes neither another's counters nor its members into a group. If all cores are of one kind,
 * generic events and those of the cores' PMU belong to the same PMU. */
static bool same_pmu(const struct lauka_counters *counters, size_t a, size_t b)
{
    const struct lauka_event *left = counters->events[a], *right = counters->events[b];
    if (!counters->core_kinds)
        return true;
    if (left->of_one_pmu && right->of_one_pmu)
        return number_of_pmu(left) == number_of_pmu(right);
    if (left->core > 0 && right->core > 0)
        return left->core == right->core;
    const struct lauka_event *part = left->core > 0 ? left : right;
    const struct lauka_event *other = left->core > 0 ? right : left;
    return part->core > 0 ? counters->topology.types[part->core - 1].pmu_type == other->type
                          : left->type == right->type;
}

/* ---- Groups ---- */

static bool fits_beside(const struct lauka_counters *counters, size_t leader, size_t member)
{
    struct trial trial = {.counters = counters};
    bool fits = try_event(&trial, leader);
    for (size_t i = 0; i < member && fits; i++) /* those that do already */
        fits = i == leader || counters->leaders[i] != leader || try_event(&trial, i);
    fits = fits && try_event(&trial, member) && runs(&trial, counters->events[leader]->core);
    end_trial(&trial);
    return fits;
}

/* An event is in a group on every kind of core, or on none. */
static void take_out(struct lauka_counters *counters, uint8_t whole)
{
    for (size_t i = 0; i < counters->count; i++)
        if (counters->wholes[i] == whole)
            counters->leaders[i] = (uint8_t)i;
}

static void split_groups(struct lauka_counters *counters)
{
    for (size_t i = 0; i < counters->count; i++) {
        size_t leader = counters->leaders[i];
        if (leader != i && !counters->sums[i] && !fits_beside(counters, leader, i))
            take_out(counters, counters->wholes[i]);
    }
}

/* ---- Order ---- */

/* How many counters suit the event: as many times as it can be opened in one group. */
static unsigned count_places(const struct lauka_counters *counters, size_t index)
{
    struct trial trial = {.counters = counters};
    unsigned places = 0;
    while (places < COPIES_MAX && try_event(&trial, index))
        places++;
    end_trial(&trial);
    return places;
}

static bool has_fixed_counter(const struct lauka_event *event)
{
    return !event->of_one_pmu && event->type == PERF_TYPE_HARDWARE &&
           (event->config == PERF_COUNT_HW_CPU_CYCLES ||
            event->config == PERF_COUNT_HW_INSTRUCTIONS ||
            event->config == PERF_COUNT_HW_REF_CPU_CYCLES);
}

/* Fixed counters first, then events that fit the fewest counters, then those that need none. */
static unsigned rank(const struct lauka_counters *counters, size_t index)
{
    if (!needs_counter(counters, index))
        return COPIES_MAX + 1;
    return has_fixed_counter(lauka_counters_meant(counters, index)) ? 0
                                                                    : count_places(counters, index);
}

static void order_events(struct lauka_counters *counters)
{
    unsigned ranks[LAUKA_COUNTERS_MAX];
    size_t used = 0;
    for (size_t i = 0; i < counters->count; i++)
        ranks[i] = rank(counters, i);
    for (unsigned r = 0; r <= COPIES_MAX + 1; r++)
        for (size_t i = 0; i < counters->count; i++) {
            if (counters->leaders[i] != i || ranks[i] != r)
                continue;
            counters->order[used++] = (uint8_t)i; /* a leader, and its members behind it */
            for (size_t j = 0; j < counters->count; j++)
                if (j != i && counters->leaders[j] == i)
                    counters->order[used++] = (uint8_t)j;
        }
}

/* ---- Sets ---- */

static bool is_empty(const struct lauka_counters *counters, unsigned set)
{
    for (size_t i = 0; i < counters->count; i++)
        if (counters->sets[i] == set)
            return false;
    return true;
}

/* A group on one kind of core belongs to the same group on the others, identified by its leader. */
static uint8_t family(const struct lauka_counters *counters, size_t index)
{
    return counters->wholes[counters->leaders[index]];
}

/* Whether the events of a set and of a family fit together onto the leader's PMU. */
static bool fits_pmu(struct lauka_counters *counters, unsigned set, size_t leader)
{
    struct trial trial = {.counters = counters};
    uint8_t kin = family(counters, leader);
    bool fits = true;
    for (int later = 0; later < 2; later++) /* those that have to lead come first */
        for (size_t i = 0; i < counters->count && fits; i++) {
            bool member = family(counters, i) == kin || counters->sets[i] == set;
            if (member && needs_counter(counters, i) && same_pmu(counters, i, leader) &&
                counters->events[i]->leads == !later)
                fits = try_event(&trial, i);
        }
    if (fits && !runs(&trial, counters->events[leader]->core)) {
        counters->taken = true; /* the PMU has the counters, and yet they cannot be had */
        fits = false;
    }
    end_trial(&trial);
    return fits;
}

static bool fits_set(struct lauka_counters *counters, unsigned set, uint8_t kin)
{
    for (size_t i = 0; i < counters->count; i++)
        if (family(counters, i) == kin && counters->leaders[i] == i && needs_counter(counters, i) &&
            !fits_pmu(counters, set, i))
            return false;
    return true;
}

static void join_set(struct lauka_counters *counters, unsigned set, uint8_t kin)
{
    for (size_t i = 0; i < counters->count; i++)
        if (family(counters, i) == kin)
            counters->sets[i] = (uint8_t)set;
    if (set >= counters->set_count)
        counters->set_count = (uint8_t)(set + 1);
}

/* Each group goes into the first set that has room for it, or into a new one. */
static void make_sets(struct lauka_counters *counters)
{
    for (size_t k = 0; k < counters->count; k++) {
        size_t i = counters->order[k];
        if (counters->leaders[i] != i || !needs_counter(counters, i) ||
            counters->sets[i] != LAUKA_EVERY_SET)
            continue;
        uint8_t kin = family(counters, i);
        unsigned set = 0;
        while (set < counters->set_count && !is_empty(counters, set) &&
               !fits_set(counters, set, kin))
            set++;
        join_set(counters, set, kin);
    }
}

void lauka_counters_place(struct lauka_counters *counters)
{
    split_groups(counters);
    order_events(counters);
    make_sets(counters);
}
