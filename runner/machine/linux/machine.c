/* What Linux tells of the machine, and does for measuring: the page cache, what starting a program costs, processor and memory. */
#include "runner/machine/machine.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/base/base.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- how a file lies in the page cache, on Linux ----------------------------------------------- */

/* A linker leaves other folios behind than cp does, and a program mapped from them takes more or fewer faults. */

static long file_system_of(int descriptor)
{
    struct statfs about;

    return fstatfs(descriptor, &about) == 0 ? (long)about.f_type : 0;
}

bool lauka_page_cache_is_all(int descriptor)
{
    long kind = file_system_of(descriptor) & 0xffffffffL; /* signed on some machines */

    return kind == TMPFS_MAGIC || kind == RAMFS_MAGIC;
}

/* Only written pages can be dropped. sync_file_range(2) does not touch the journal, which others may have
 * filled; but an overlay does not pass it on to the file below. */
int lauka_page_cache_write_back(int descriptor)
{
    const unsigned all =
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    bool overlaid = file_system_of(descriptor) == OVERLAYFS_SUPER_MAGIC;

    return (overlaid ? fdatasync(descriptor) : sync_file_range(descriptor, 0, 0, all)) == 0 ? 0
                                                                                            : errno;
}

int lauka_page_cache_reread(int descriptor, uint64_t bytes)
{
    static char text[1 << 16];
    int failure = posix_fadvise(descriptor, 0, (off_t)bytes, POSIX_FADV_DONTNEED);

    for (uint64_t at = 0; at < bytes && !failure;) {
        ssize_t got =
            lauka_interrupt_signal() ? 0 : pread(descriptor, text, sizeof text, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        failure = got > 0 ? 0 : got < 0 ? errno : EINTR; /* or it has become shorter */
        at += got > 0 ? (uint64_t)got : 0;
    }
    return failure;
}

/* ---- floor ------------------------------------------------------------------------------------- */

/* The smallest program on Linux: an ELF file in memory whose only instructions are exit(0). */

#if defined(__x86_64__)
/* xor %edi,%edi; mov $60,%eax; syscall */
static const uint8_t code[] = {0x31, 0xff, 0xb8, 0x3c, 0x00, 0x00, 0x00, 0x0f, 0x05};
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
/* mov x0, #0; mov x8, #93; svc #0 */
static const uint8_t code[] = {0x00, 0x00, 0x80, 0xd2, 0xa8, 0x0b,
                               0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};
enum { MACHINE = EM_AARCH64 };
#else
static const uint8_t code[] = {0};
enum { MACHINE = EM_NONE };
#endif

struct image {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    uint8_t code[sizeof code];
};

static void make_image(struct image *image)
{
    const uint64_t base = 0x400000;

    memset(image, 0, sizeof *image);
    memcpy(image->header.e_ident, ELFMAG, SELFMAG);
    image->header.e_ident[EI_CLASS] = ELFCLASS64;
    image->header.e_ident[EI_DATA] = ELFDATA2LSB;
    image->header.e_ident[EI_VERSION] = EV_CURRENT;
    image->header.e_type = ET_EXEC;
    image->header.e_machine = MACHINE;
    image->header.e_version = EV_CURRENT;
    image->header.e_entry = base + offsetof(struct image, code);
    image->header.e_phoff = offsetof(struct image, segment);
    image->header.e_ehsize = sizeof image->header;
    image->header.e_phentsize = sizeof image->segment;
    image->header.e_phnum = 1;
    image->segment = (Elf64_Phdr){.p_type = PT_LOAD,
                                  .p_flags = PF_R | PF_X,
                                  .p_vaddr = base,
                                  .p_paddr = base,
                                  .p_filesz = sizeof *image,
                                  .p_memsz = sizeof *image,
                                  .p_align = 0x10000};
    memcpy(image->code, code, sizeof code);
}

int lauka_floor_open(char *path, size_t size, int *handle)
{
    struct image image;
    char own[64];

    *handle = -1;
    if (MACHINE == EM_NONE)
        return ENOTSUP;
    int file = memfd_create("lauka-floor", MFD_CLOEXEC);
    if (file < 0)
        return errno;
    make_image(&image);
    bool written =
        write(file, &image, sizeof image) == (ssize_t)sizeof image && fchmod(file, 0500) == 0;
    snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    if (written)
        *handle = open(own, O_RDONLY | O_CLOEXEC); /* who may write it may not execute it */
    int error = *handle < 0 ? errno : 0;
    close(file);
    snprintf(path, size, "/proc/%ld/fd/%d", (long)getpid(), *handle);
    return error;
}

void lauka_floor_close(int handle)
{
    if (handle >= 0)
        close(handle);
}

/* ---- what machine this is, as Linux tells it --------------------------------------------------- */

/* The first "model name" of /proc/cpuinfo; arm64 kernels have none. */
static char *read_cpu_model(void)
{
    char name[512];

    return lauka_cpuinfo("/proc", "model name", name, sizeof name) ? strdup(name) : NULL;
}

/* Of the first CPU. Virtual machines have none. */
static char *read_governor(void)
{
    char name[64];
    bool known = lauka_sysfs_read("/sys/devices/system/cpu", "cpu0/cpufreq/scaling_governor", name,
                                  sizeof name);

    return known && *name ? strdup(name) : NULL;
}

static uint64_t count_cpus(void)
{
    cpu_set_t set;
    long online = sysconf(_SC_NPROCESSORS_ONLN);

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (uint64_t)CPU_COUNT(&set);
    return online > 0 ? (uint64_t)online : 0; /* more CPUs than a cpu_set_t holds */
}

int lauka_machine_describe(struct lauka_result_host *host)
{
    struct utsname name;
    long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);

    if (uname(&name) == 0) {
        host->os = strdup(name.sysname);
        host->kernel = strdup(name.release);
        host->arch = strdup(name.machine);
        if (!host->os || !host->kernel || !host->arch)
            return ENOMEM;
    }
    host->cpu_model = read_cpu_model();
    host->governor = read_governor();
    host->cpu_count = count_cpus();
    if (pages > 0 && page_size > 0)
        host->memory_bytes = (uint64_t)pages * (uint64_t)page_size;
    return 0;
}

uint64_t lauka_modified_ns(const struct stat *about)
{
    return (uint64_t)about->st_mtim.tv_sec * 1000000000u + (uint64_t)about->st_mtim.tv_nsec;
}

void lauka_cpu_siblings(unsigned cpu, struct lauka_cpu_set *siblings)
{
    char path[60], list[200];
    struct lauka_cpu_set found;

    lauka_cpu_set_add(siblings, cpu);
    snprintf(path, sizeof path, "cpu%u/topology/thread_siblings_list", cpu);
    if (lauka_sysfs_read("/sys/devices/system/cpu", path, list, sizeof list) &&
        lauka_cpu_set_parse(list, &found))
        lauka_cpu_set_join(siblings, &found);
}

int lauka_own_path(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);

    if (length < 0)
        return errno;
    path[length] = '\0';
    return 0;
}

/* ---- valgrind ----------------------------------------------------------------------------------- */

const char *lauka_valgrind_advice(void)
{
    return "install it (apt install valgrind, dnf install valgrind)";
}

/* capabilities(7): "File capabilities" */
bool lauka_has_file_capabilities(const char *path)
{
    return getxattr(path, "security.capability", NULL, 0) > 0;
}
