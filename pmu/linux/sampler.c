/* sampler on Linux: one event for each CPU, which the launcher's children inherit, each with a ring
 * buffer; perf_event_open(2). An inherited event without a CPU cannot be mapped. The event also counts in
 * the process that starts the command, so a command may start anywhere in a period and is not always
 * sampled at the same points. */
#include "pmu/counters/counters.h"
#include "pmu/samples/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The size of a ring; at 1 kHz a page holds 80 samples. All rings together take at most RINGS_MOST. */
enum { PAGES_MOST = 128, PAGES_LEAST = 2, RINGS_MOST = 32 << 20 };
enum { TAKEN_MOST = 256 << 20 };        /* bytes; more than an hour of a busy CPU */
static const uint64_t period = 1000003; /* ns; a prime: no program's own rhythm */
static const uint64_t frequency = 997;

struct ring {
    int file;
    struct perf_event_mmap_page *page; /* the first one; data follow */
    size_t size;                       /* of data; a power of two */
};

struct lauka_sampler {
    struct ring *rings; /* owned */
    size_t count;
    struct lauka_sampler_setting setting;
    char *taken; /* owned */
    size_t taken_size, taken_room;
};

/* ---- opening --------------------------------------------------------------------------------- */

static struct perf_event_attr describe(bool cycles, bool kernel)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = PERF_ATTR_SIZE_VER0;
    attr.type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
    attr.config = cycles ? (uint64_t)PERF_COUNT_HW_CPU_CYCLES : (uint64_t)PERF_COUNT_SW_CPU_CLOCK;
    attr.freq = cycles; /* how many cycles there are in a millisecond is not known */
    attr.sample_period = cycles ? frequency : period;
    attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
    attr.sample_id_all = 1;
    attr.inherit = 1;
    attr.mmap = 1;
    attr.mmap2 = 1;
    attr.comm = 1;
    attr.comm_exec = 1;
    attr.task = 1;
    attr.exclude_kernel = !kernel;
    attr.exclude_hv = 1;
    return attr;
}

/* Maps a ring as large as possible. Returns 0 or an errno. */
static int map_ring(struct ring *ring, size_t most)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t pages = most; pages >= PAGES_LEAST; pages /= 2) {
        void *memory =
            mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, ring->file, 0);
        if (memory != MAP_FAILED) {
            ring->page = memory;
            ring->size = pages * page;
            return 0;
        }
        if (errno != EPERM && errno != ENOMEM) /* more than may be locked */
            return errno;
    }
    return EPERM;
}

static void close_rings(struct lauka_sampler *sampler)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < sampler->count; i++) {
        if (sampler->rings[i].page)
            munmap(sampler->rings[i].page, sampler->rings[i].size + page);
        close(sampler->rings[i].file);
    }
    sampler->count = 0;
}

static size_t pages_of(long cpus)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = PAGES_MOST;
    while (pages > PAGES_LEAST && pages * page * (size_t)cpus > RINGS_MOST)
        pages /= 2;
    return pages;
}

/* Where each kind of core has a PMU of its own, x86 wants to know which one is meant: in the upper half of config. */
static int lend(const struct lauka_event_lender *lender, struct perf_event_attr attr, int cpu)
{
    static struct lauka_topology topology; /* large */
    int file = lender->lend(lender->context, &attr, attr.size, cpu);
    if (file >= 0 || errno != ENOENT || attr.type != PERF_TYPE_HARDWARE || cpu < 0)
        return file;
    if (topology.type_count == 0)
        lauka_topology_detect(&topology);
    size_t type = lauka_topology_type(&topology, (unsigned)cpu);
    if (topology.type_count < 2 || type >= topology.type_count) {
        errno = ENOENT;
        return -1;
    }
    attr.config |= (uint64_t)topology.types[type].pmu_type << 32;
    return lender->lend(lender->context, &attr, attr.size, cpu);
}

/* A CPU that does not exist, or is offline, has no ring. */
static int open_rings(struct lauka_sampler *sampler, const struct lauka_event_lender *lender,
                      bool cycles, bool kernel)
{
    struct perf_event_attr attr = describe(cycles, kernel);
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    for (int cpu = 0; cpu < cpus; cpu++) {
        struct ring *ring = &sampler->rings[sampler->count];
        *ring = (struct ring){.file = lend(lender, attr, cpu)};
        if (ring->file < 0 && errno == ENODEV && !cycles)
            continue;
        if (ring->file < 0)
            return errno;
        sampler->count++;
        int error = map_ring(ring, pages_of(cpus));
        if (error)
            return error;
    }
    return sampler->count > 0 ? 0 : ENODEV;
}

/* Cycles if all CPUs can count them, otherwise the clock; with the kernel if that is allowed. */
static int open_some(struct lauka_sampler *sampler, const struct lauka_event_lender *lender)
{
    int error = 0;
    for (int way = 0; way < 4; way++) {
        bool cycles = way < 2, kernel = way % 2 == 0;
        error = open_rings(sampler, lender, cycles, kernel);
        sampler->setting = (struct lauka_sampler_setting){
            cycles ? "cycles" : "cpu-clock", cycles ? 1000000000 / frequency : period, kernel};
        if (!error)
            return 0;
        close_rings(sampler);
    }
    return error;
}

int lauka_sampler_open(const struct lauka_event_lender *lender, struct lauka_sampler **sampler)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    struct lauka_sampler *own = calloc(1, sizeof *own);
    *sampler = NULL;
    if (own)
        own->rings = calloc((size_t)(cpus > 0 ? cpus : 1), sizeof *own->rings);
    int error = own && own->rings ? open_some(own, lender) : ENOMEM;
    if (!error)
        *sampler = own;
    else if (own)
        lauka_sampler_close(own);
    return error;
}

struct lauka_sampler_setting lauka_sampler_setting(const struct lauka_sampler *sampler)
{
    return sampler->setting;
}

/* ---- taking ---------------------------------------------------------------------------------- */

static bool make_room(struct lauka_sampler *sampler, size_t more)
{
    size_t room = sampler->taken_room ? sampler->taken_room : 65536;
    while (room < sampler->taken_size + more)
        room *= 2;
    if (room == sampler->taken_room)
        return true;
    char *grown = realloc(sampler->taken, room);
    if (!grown)
        return false;
    sampler->taken = grown;
    sampler->taken_room = room;
    return true;
}

/* A record that crosses the end of the ring continues at its beginning. */
static void copy_out(const struct ring *ring, uint64_t from, size_t size, char *to)
{
    const char *data = (const char *)ring->page + sysconf(_SC_PAGESIZE);
    size_t begin = (size_t)(from & (ring->size - 1)), first = ring->size - begin;
    first = first < size ? first : size;
    memcpy(to, data + begin, first);
    memcpy(to + first, data, size - first);
}

/* The kernel writes at the head and never beyond the tail, which is ours: barriers as in perf_event.h. */
static int take_ring(struct lauka_sampler *sampler, struct ring *ring)
{
    uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE),
             tail = ring->page->data_tail;
    size_t size = (size_t)(head - tail);
    if (size > 0 && sampler->taken_size + size <= TAKEN_MOST) {
        if (!make_room(sampler, size))
            return ENOMEM;
        copy_out(ring, tail, size, sampler->taken + sampler->taken_size);
        sampler->taken_size += size;
        __atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
    } /* what has no room stays: the kernel will tell how much was lost */
    return 0;
}

int lauka_sampler_take(struct lauka_sampler *sampler)
{
    int error = 0;
    for (size_t i = 0; i < sampler->count && !error; i++)
        error = take_ring(sampler, &sampler->rings[i]);
    return error;
}

const void *lauka_sampler_taken(const struct lauka_sampler *sampler, size_t *size)
{
    *size = sampler->taken_size;
    return sampler->taken;
}

void lauka_sampler_forget(struct lauka_sampler *sampler)
{
    sampler->taken_size = 0;
}

void lauka_sampler_close(struct lauka_sampler *sampler)
{
    close_rings(sampler);
    free(sampler->rings);
    free(sampler->taken);
    free(sampler);
}

/* ---- words ----------------------------------------------------------------------------------- */

void lauka_sampler_explain(int error, char *text, size_t size)
{
    if (error == EACCES)
        snprintf(text, size,
                 "sampling is not permitted; set kernel.perf_event_paranoid to 2 or less (sysctl), "
                 "or run as root");
    else if (error == EPERM || error == ENOSYS)
        snprintf(text, size,
                 "sampling is not permitted: a container may forbid perf_event_open(2); docker run "
                 "--cap-add=PERFMON, or --security-opt seccomp=unconfined, allows it");
    else
        snprintf(text, size, "the kernel cannot sample here (%s)", strerror(error));
}

/* ---- files ----------------------------------------------------------------------------------- */

/* As the kernel reports it of a map: on some file systems (overlayfs, btrfs), stat(2) reports something else. */
static uint64_t mapped_inode(const char *path)
{
    char line[4400], first[40];
    unsigned long long inode = 0;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    void *map = file < 0 ? MAP_FAILED : mmap(NULL, page, PROT_READ, MAP_PRIVATE, file, 0);
    FILE *maps = map == MAP_FAILED ? NULL : fopen("/proc/self/maps", "re");
    snprintf(first, sizeof first, "%08lx-", (unsigned long)(uintptr_t)map);
    while (maps && fgets(line, sizeof line, maps))
        if (strncmp(line, first, strlen(first)) == 0)
            (void)sscanf(line, "%*s %*s %*s %*s %llu", &inode);
    if (maps)
        fclose(maps);
    if (map != MAP_FAILED)
        munmap(map, page);
    if (file >= 0)
        close(file);
    return inode;
}

static bool is_file(const char *path, uint64_t inode)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
           (about.st_ino == inode || mapped_inode(path) == inode);
}

bool lauka_sampler_find_file(const struct lauka_sampled_object *object, char *place, size_t size)
{
    snprintf(place, size, "%s", object->path);
    if (is_file(place, object->inode))
        return true;
    bool other = access(place, F_OK) == 0;
    snprintf(place, size, "/proc/%u/root%s", object->pid, object->path); /* while it lives */
    if (is_file(place, object->inode))
        return true;
    snprintf(place, size, other ? "(another file is at %s now)" : "(no file is at %s any more)",
             object->path);
    return false;
}
