/* Threads with names: "busy" computes, "idle" waits, "ending" computes for a moment, ends and is started
 * again. Prints "ready" once they run, and ends with its standard input. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void take_name(const char *name)
{
    int file = open("/proc/thread-self/comm", O_WRONLY);

    if (file < 0)
        return;
    if (write(file, name, strlen(name)) < 0)
        perror("comm");
    close(file);
}

static void *be_busy(void *unused)
{
    take_name("busy");
    for (;;)
        ;
    return unused;
}

static void *be_idle(void *unused)
{
    take_name("idle \033[31m"); /* nobody's terminal is to turn red */
    for (;;)
        pause();
    return unused;
}

static void *work_and_end(void *unused)
{
    clock_t until = clock() + CLOCKS_PER_SEC / 100;

    take_name("ending");
    while (clock() < until)
        ;
    return unused;
}

static void *start_and_await(void *unused)
{
    struct timespec pause_time = {0, 5000000};

    take_name("starter");
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work_and_end, NULL) == 0)
            pthread_join(thread, NULL);
        nanosleep(&pause_time, NULL);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte;

    pthread_create(&thread, NULL, be_busy, NULL);
    pthread_create(&thread, NULL, be_idle, NULL);
    pthread_create(&thread, NULL, start_and_await, NULL);
    puts("ready");
    fflush(stdout);
    while (read(0, &byte, 1) > 0)
        ;
    return 0;
}
