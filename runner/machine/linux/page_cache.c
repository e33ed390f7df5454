/* How a file lies in the page cache, on Linux. A linker leaves other folios behind than cp does, and a
 * program mapped from them takes more or fewer faults. */
#include "runner/machine/machine.h"
#include "runner/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

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
