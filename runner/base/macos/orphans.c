/* What a program leaves behind, on macOS: nobody can adopt it, so only the program's own group is ended. */
#include "runner/base/base.h"

#include <unistd.h>

void lauka_orphans_adopt(void)
{
}

/* There is no death signal. */
bool lauka_orphans_bind(pid_t parent)
{
    return getppid() == parent;
}

void lauka_orphans_kill(void)
{
}
