/* On macOS the launcher is a copy of lauka: what its peak memory was is no part of its children's there. */
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"

#include <sys/mman.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* there is no program of its own */

void *launcher_map(bool for_program, size_t size, int *file)
{
    *file = -1;
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                0);
}

/* The system widens a pipe by itself, as far as it goes. */
void launcher_widen(int pipe)
{
}

pid_t launcher_execute(const struct lauka_program *program, int file, size_t size,
                       struct shared *shared)
{
    return -1;
}
