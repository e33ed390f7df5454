/* The launcher as a program of its own: see program.c, which executes it as
 *
 *     lauka-launcher FILE ADDRESS SIZE
 *
 * FILE: the descriptor of the memory that it shares with lauka; ADDRESS, SIZE: where that lies, in hexadecimal. */
#include "runner/launch/launcher.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static void close_on_exec(const struct launcher_ends *ends)
{
    const int all[] = {ends->request,  ends->reply, ends->error,   ends->output,
                       ends->lifeline, ends->loans, ends->written, ends->reported};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] >= 0)
            fcntl(all[i], F_SETFD, FD_CLOEXEC);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    int file = (int)strtoul(argv[1], NULL, 10);
    void *wanted = (void *)(uintptr_t)strtoull(argv[2], NULL, 16);
    void *region = mmap(wanted, strtoull(argv[3], NULL, 16), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
    if (region != wanted)
        return 2;
    struct shared *shared = region;
    close(file);
    prctl(PR_SET_NAME, "lauka-launcher"); /* it would be the number of a descriptor */
    close_on_exec(&shared->ends);
    launcher_begin(shared, true);
}
