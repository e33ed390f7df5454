/* "descend once|twice|forked|executed|killed": some work once, or once more: by itself, by a process that it
 * forks, or by the program that it executes; or by a process that works until it is killed. Whatever the addresses, the number of instructions is the
 * same, because no function of a library is involved. */
#include <signal.h>
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

/* The other one works when it is killed: it has said so. */
static int fork_and_kill(void)
{
    int status, ends[2];
    char byte = 0;

    if (pipe(ends) != 0)
        return 1;
    pid_t child = fork();
    if (child < 0)
        return 1;
    if (child == 0) {
        if (write(ends[1], &byte, 1) == 1)
            for (;;)
                work();
        _exit(1);
    }
    if (read(ends[0], &byte, 1) != 1 || kill(child, SIGKILL) != 0)
        return 1;
    return waitpid(child, &status, 0) != child || !WIFSIGNALED(status);
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
    if (strcmp(how, "killed") == 0)
        return fork_and_kill();
    if (strcmp(how, "executed") == 0) {
        execv(argv[0], words);
        return 1;
    }
    return 0;
}
