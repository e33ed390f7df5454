/* Touches 500 pages, starts a process, and waits a second; then both touch 300 pages. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void touch(size_t pages)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory =
        mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        exit(1);
    madvise(memory, pages * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < pages; i++)
        memory[i * page] = 1;
}

int main(void)
{
    const struct timespec pause = {1, 0};
    touch(500);
    pid_t child = fork();
    nanosleep(&pause, NULL);
    touch(300);
    if (child == 0)
        return 0;
    return child < 0 || waitpid(child, NULL, 0) != child;
}
