/* System calls that do not touch errno. The launcher and a child that shares its memory also share
 * one errno, so the launcher must not change it meanwhile. */
#ifndef LAUKA_RUNNER_LAUNCH_LINUX_BARE_CALL_H
#define LAUKA_RUNNER_LAUNCH_LINUX_BARE_CALL_H

#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Each returns what the kernel returns: a negative errno on failure. syscall(2) lists the registers. */
#if defined __x86_64__

static const bool lauka_has_bare_calls = true;

static inline long lauka_bare_call(long number, long a, long b, long c, long d, long e)
{
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
    return result;
}

#elif defined __aarch64__

static const bool lauka_has_bare_calls = true;

static inline long lauka_bare_call(long number, long a, long b, long c, long d, long e)
{
    register long call __asm__("x8") = number;
    register long first __asm__("x0") = a;
    register long second __asm__("x1") = b;
    register long third __asm__("x2") = c;
    register long fourth __asm__("x3") = d;
    register long fifth __asm__("x4") = e;

    __asm__ volatile("svc 0"
                     : "+r"(first)
                     : "r"(call), "r"(second), "r"(third), "r"(fourth), "r"(fifth)
                     : "memory");
    return first;
}

#else

static const bool lauka_has_bare_calls = false; /* here the calls do change errno */

static inline long lauka_bare_call(long number, long a, long b, long c, long d, long e)
{
    long result = syscall(number, a, b, c, d, e);

    return result < 0 ? -errno : result;
}

#endif
#endif
