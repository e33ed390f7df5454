/* watch: whether the kernel took a run's events away. It silently does so when a process executes a
 * program that is set-uid or unreadable (begin_new_exec), and only the counts up to there are left. Shares
 * of CPU time do not show it: some kernels (6.18 was seen to) miss a little of every process that ends,
 * which adds up over many short ones. So the kernel is asked to record what the processes do: after an
 * exec comes the mapping of the program, or else the end of the events. Records cost a run some
 * microseconds, so only one run of a command is watched. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmu/linux/perf_event.h"
#include "pmu/counters/counters.h"

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
