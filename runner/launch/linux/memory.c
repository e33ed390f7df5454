/* The launcher's own memory on Linux. A command's peak begins at the launcher's (exec keeps the old
 * memory's high-water mark), so every page that the launcher does without makes smaller peaks visible. */
#include "runner/launch/process.h"
#include "runner/launch/launch.h"
#include "pmu/counters/counters.h"
#include "runner/base/base.h"

#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { RANGES_MAX = 128 };

struct pages { /* addresses, whole pages */
    uintptr_t from, to;
};

/* What can be read again from where it came from. */
struct clean_pages {
    struct pages ranges[RANGES_MAX];
    size_t count;
};

static uintptr_t page_size(void)
{
    return (uintptr_t)sysconf(_SC_PAGESIZE);
}

static void add_pages(struct clean_pages *pages, uintptr_t from, size_t size)
{
    if (pages->count < RANGES_MAX)
        pages->ranges[pages->count++] = (struct pages){from & ~(page_size() - 1), from + size};
}

/* Of one object. Nothing is dropped yet: its headers are among it, and reading brings them back. */
static int find_clean_pages(struct dl_phdr_info *object, size_t size, void *argument)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_W))
            add_pages(argument, object->dlpi_addr + segment->p_vaddr, segment->p_memsz);
    }
    return 0;
}

/* Who touches a page of a file gets its neighbours, too, sixteen pages at once; but not beyond the mapping, and
 * what is advised otherwise is one of its own. Each takes microseconds to make, so that smaller ones only pay where
 * what is touched lies scattered, as in a copy of lauka. */
static void keep_apart(uintptr_t from, uintptr_t to)
{
    enum { SMALL = 128 << 10 };
    const uintptr_t size = (to - from < SMALL ? 4 : 2) * page_size();

    for (; from + size < to; from += 2 * size)
        madvise((void *)from, size, MADV_RANDOM);
}

static void drop(uintptr_t from, uintptr_t to)
{
    madvise((void *)from, to - from, MADV_DONTNEED);
}

/* What lies below the caller on the stack was used by what has returned; a function of its own, as all that is
 * alive lies above its frame. What is beyond the stack's end is not mapped: the kernel keeps a megabyte free there. */
__attribute__((noinline)) static void drop_stack(void)
{
    enum { DEPTH = 256 << 10, MARGIN = 4096 };
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0) - MARGIN;
    const uintptr_t to = here & ~(page_size() - 1);

    drop(to - DEPTH, to);
}

void lauka_process_slim(const void *shared, size_t size)
{
    struct clean_pages pages = {.count = 0};

    dl_iterate_phdr(find_clean_pages, &pages);
    add_pages(&pages, (uintptr_t)shared, size);
    for (size_t i = 0; i < pages.count; i++)
        keep_apart(pages.ranges[i].from, pages.ranges[i].to);
    for (size_t i = 0; i < pages.count; i++)
        drop(pages.ranges[i].from, pages.ranges[i].to);
    drop_stack();
    int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t ignored = write(file, "5", 1); /* forgets the peak; proc(5) */
    (void)ignored;
    close(file);
}

void lauka_process_release_program(void)
{
    struct clean_pages pages = {.count = 0};

    dl_iterate_phdr(find_clean_pages, &pages);
    for (size_t i = 0; i < pages.count; i++)
        keep_apart(pages.ranges[i].from, pages.ranges[i].to);
    for (size_t i = 0; i < pages.count; i++)
        drop(pages.ranges[i].from, pages.ranges[i].to);
}

void lauka_process_release(const void *from, const void *to)
{
    const uintptr_t mask = ~(page_size() - 1);
    const uintptr_t first = (uintptr_t)from & mask, end = (uintptr_t)to & mask;

    if (end > first)
        drop(first, end);
}

/* Of the calling process getrusage(2) tells what it had before its own exec, too. */
uint64_t lauka_process_rss_floor(void)
{
    struct rusage child = {0};
    struct lauka_usage usage;
    int status;
    pid_t pid = vfork();

    if (pid == 0)
        _exit(0);
    if (pid > 0)
        lauka_await_process(pid, &status, 0, &child);
    lauka_usage_read(&child, 0, &usage);
    return usage.values[LAUKA_PEAK_RSS];
}
