/* "descend once|twice|forked|executed": some work once, or once more: by itself, by a process that it
 * forks, or by the program that it executes. Whatever the addresses, the number of instructions is the
 * same, because no function of a library is involved. */
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 500000 };

static void work(void)
{
    static volatile uint32_t sum;

    for (int i = 0; i < STEPS; i++)
        sum = sum + 1;
}

static int fork_and_work(void)
{
    int status = 1;
    pid_t child = fork();

    if (child < 0)
        return 1;
    if (child == 0) {
        work();
        _exit(0);
    }
    return waitpid(child, &status, 0) != child || status != 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "once";
    char once[] = "once", *words[] = {argv[0], once, NULL};

    work();
    if (strcmp(how, "twice") == 0)
        work();
    if (strcmp(how, "forked") == 0)
        return fork_and_work();
    if (strcmp(how, "executed") == 0) {
        execv(argv[0], words);
        return 1;
    }
    return 0;
}
