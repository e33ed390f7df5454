/* How a file lies in the page cache: macOS has no call that drops a file's pages. */
#include "runner/machine/machine.h"

#include <errno.h>

bool lauka_page_cache_is_all(int descriptor)
{
    (void)descriptor;
    return false;
}

int lauka_page_cache_write_back(int descriptor)
{
    (void)descriptor;
    return ENOTSUP;
}

int lauka_page_cache_reread(int descriptor, uint64_t bytes)
{
    (void)descriptor;
    (void)bytes;
    return ENOTSUP;
}
