/* How much memory and disk space lauka needs by the number of runs: its peak resident set while it
 * simulates them, including the launcher, and the size of the result file.
 *
 *     footprint LAUKA */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[] = "/tmp/lauka-bench-footprint.json";

static void demand(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "footprint: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double megabytes(off_t bytes)
{
    return (double)bytes / 1e6;
}

static off_t file_size(const char *name)
{
    struct stat about;

    demand(stat(name, &about) == 0, name);
    return about.st_size;
}

/* Peak memory in bytes of lauka with these arguments, its output discarded. */
static off_t peak_of(char **argv)
{
    struct rusage usage;
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        for (int descriptor = 0; descriptor <= 2; descriptor++)
            dup2(nowhere, descriptor);
        execv(argv[0], argv);
        _exit(127);
    }
    demand(child > 0 && wait4(child, &status, 0, &usage) == child, argv[0]);
    errno = 0;
    demand(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a simulated session");
    return (off_t)usage.ru_maxrss * LAUKA_MAXRSS_UNIT;
}

enum { WORDS_MAX = 16 };

/* The peak of a session of that many runs with further words, up to a NULL. */
static off_t session(const char *lauka, const char *runs, const char *const *words)
{
    static const char *const begin[] = {"--backend", "simulated:no-pmu", "-w", "0", "-r"};
    char *argv[WORDS_MAX] = {(char *)(size_t)lauka};
    size_t count = 1;

    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        argv[count++] = (char *)(size_t)begin[i];
    argv[count++] = (char *)(size_t)runs;
    for (size_t i = 0; words[i] && count + 1 < WORDS_MAX; i++)
        argv[count++] = (char *)(size_t)words[i];
    argv[count] = NULL;
    return peak_of(argv);
}

static void bench(const char *lauka, const char *runs, const char *memory_goal,
                  const char *file_goal)
{
    char output[64];
    const char *const one[] = {"a", NULL}, *const flat[] = {"--no-samples", "a", NULL};
    const char *const two[] = {"--no-samples", output, "a", "b", NULL};

    snprintf(output, sizeof output, "--json=%s", path);
    printf("footprint: %7s runs of one command: %5.1f MB (goal: %s), without samples %.1f MB "
           "(goal: 3 MB)\n",
           runs, megabytes(session(lauka, runs, one)), memory_goal,
           megabytes(session(lauka, runs, flat)));
    session(lauka, runs, two);
    printf("footprint: %7s rounds of two, result file without samples: %.0f kB (goal: %s)\n", runs,
           megabytes(file_size(path)) * 1e3, file_goal);
    unlink(path);
}

/* Long enough for documents to be written while it runs, which happens every five seconds. */
static void bench_interim(const char *lauka)
{
    char output[64];

    snprintf(output, sizeof output, "--json=%s", path);
    char *argv[] = {(char *)(size_t)lauka,           (char *)(size_t) "-w0",
                    (char *)(size_t) "-r10000",      output,
                    (char *)(size_t) "sleep 0.0005", NULL};
    printf("footprint:   10000 real runs with documents meanwhile: %.1f MB (goal: 3 MB)\n",
           megabytes(peak_of(argv)));
    unlink(path);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: footprint LAUKA\n", stderr);
        return 2;
    }
    bench(argv[1], "10000", "3 MB", "60 kB");
    bench(argv[1], "100000", "12 MB", "none");
    bench(argv[1], "1000000", "80 MB", "200 kB");
    bench_interim(argv[1]);
    printf(
        "footprint: the program, as it was given: %.0f kB (goal of a static release: 1,000 kB)\n",
        megabytes(file_size(argv[1])) * 1e3);
    return 0;
}
