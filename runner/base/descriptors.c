/* The three descriptors that every program expects to be open. */
#include "runner/base/base.h"

#include <errno.h>
#include <fcntl.h>

void lauka_guard_descriptors(void)
{
    static const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY}; /* stdout: writing has to fail */

    for (int descriptor = 0; descriptor < 3; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", modes[descriptor]); /* gets the lowest number that is free */
}
