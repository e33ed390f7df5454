/* A file without a name on macOS: one that lost it. */
#include "runner/base/base.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int lauka_anonymous_file(void)
{
    char name[] = "/tmp/lauka-XXXXXX";
    int file = mkstemp(name);

    if (file >= 0) {
        unlink(name);
        fcntl(file, F_SETFD, FD_CLOEXEC);
    }
    return file;
}
