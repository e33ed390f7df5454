/* For LD_PRELOAD: a wall clock that is constantly being set. Each time it is read, it is half a day ahead,
 * or a day back; clocks that nobody can set are left alone. */
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* glibc's header says that it is never NULL, but it may well be. */
int gettimeofday(struct timeval *restrict tv, void *restrict tz);

static long stepped(void)
{
    static unsigned asked;

    asked++;
    return (long)asked % 3 == 0 ? -86400 : 43200;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = (int)syscall(SYS_clock_gettime, clock, now);

    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += stepped();
    return result;
}

time_t time(time_t *to)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (to)
        *to = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
    struct timespec now;

    (void)tz;
    clock_gettime(CLOCK_REALTIME, &now);
    tv->tv_sec = now.tv_sec;
    tv->tv_usec = now.tv_nsec / 1000;
    return 0;
}
