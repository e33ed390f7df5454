/* Copies that share blocks, on APFS: clonefile(2). */
#include "runner/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/clonefile.h>
#include <unistd.h>

int lauka_clone_file(int from, const char *path)
{
    if (fclonefileat(from, AT_FDCWD, path, 0) != 0)
        return -1;
    int to = open(path, O_RDONLY | O_CLOEXEC); /* it may be read-only, as the original */
    if (to < 0) {
        int failure = errno;
        (void)unlink(path);
        errno = failure;
    }
    return to;
}
