/* A file without a name on Linux lies in memory: memfd_create(2). */
#include "runner/base/base.h"

#include <sys/mman.h>

int lauka_anonymous_file(void)
{
    return memfd_create("lauka", MFD_CLOEXEC);
}
