/* The smallest program that every macOS has. */
#include "runner/machine/machine.h"

#include <stdio.h>

int lauka_floor_open(char *path, size_t size, int *handle)
{
    *handle = -1;
    snprintf(path, size, "/usr/bin/true");
    return 0;
}

void lauka_floor_close(int handle)
{
    (void)handle;
}
