/* Two processes take turns through pipes, so that the CPU switches directly between them, twenty
 * times each; a thread sleeps between its turns; one process finally becomes ./loop: `crowd 1000`.
 * Each turn has this many times two instructions: 43 turns in total, including ./loop's. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 20 };

static void execute(uint64_t turns)
{
#if defined(__aarch64__)
    __asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(turns) : : "cc");
#else
    __asm__ volatile("1: dec %0\n jnz 1b" : "+r"(turns) : : "cc");
#endif
}

static void *sleep_often(void *turns)
{
    const struct timespec pause = {0, 1000000};

    for (int i = 0; i < 3; i++) {
        execute(*(uint64_t *)turns);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static int follow(int in, int out, uint64_t turns, char *number)
{
    char byte;

    for (int i = 0; i < TURNS; i++) {
        if (read(in, &byte, 1) != 1)
            return 1;
        execute(turns);
        if (write(out, "", 1) != 1)
            return 1;
    }
    return execl("./loop", "loop", number, (char *)NULL);
}

int main(int argc, char **argv)
{
    uint64_t turns = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int there[2], back[2], status = 1;
    pthread_t thread;
    char byte;

    if (argc < 2 || pipe(there) != 0 || pipe(back) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0)
        _exit(follow(there[0], back[1], turns, argv[1]));
    if (pthread_create(&thread, NULL, sleep_often, &turns) != 0)
        return 1;
    for (int i = 0; i < TURNS; i++) {
        execute(turns);
        if (write(there[1], "", 1) != 1 || read(back[0], &byte, 1) != 1)
            return 1;
    }
    pthread_join(thread, NULL);
    return waitpid(child, &status, 0) == child ? status : 1;
}
