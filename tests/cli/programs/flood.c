/* flood N: maps its own file N times as if to execute it, while its parent's parent is stopped: nobody
 * reads the kernel's records of that, and its buffers overflow. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The fourth field of /proc/PID/stat, behind the name in brackets. */
static pid_t parent_of(pid_t pid)
{
    char path[64];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%*d (%*[^)]) %*c %d", &parent) != 1)
        exit(1);
    fclose(file);
    return parent;
}

int main(int argc, char **argv)
{
    pid_t starter = parent_of(getppid());
    int file = open(argv[0], O_RDONLY);
    if (file < 0 || kill(starter, SIGSTOP) != 0)
        return 1;
    for (int left = argc > 1 ? atoi(argv[1]) : 0; left > 0; left--) {
        void *mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
        if (mapped != MAP_FAILED)
            munmap(mapped, 4096);
    }
    return kill(starter, SIGCONT) != 0;
}
