/* Whether there is room for lauka's calls: a limit that is too low would end it by a signal, without a word. */
#include "runner/base/base.h"

#include <stdint.h>
#include <sys/resource.h>

/* The most that any call has been seen to need is 43 KiB. */
enum { LEAST = 48 * 1024 };

/* The stack begins with the words and the environment. Where it is now is told by an own address. */
static uintptr_t count_used(char *const *texts, uintptr_t here)
{
    uintptr_t used = 0;

    for (size_t i = 0; texts && texts[i]; i++) {
        uintptr_t text = (uintptr_t)texts[i];
        if (text > here && text - here > used)
            used = text - here;
    }
    return used;
}

bool lauka_stack_is_enough(char *const *words, char *const *environment, struct lauka_error *error)
{
    char here;
    struct rlimit limit;
    uintptr_t by_words = count_used(words, (uintptr_t)&here),
              by_environment = count_used(environment, (uintptr_t)&here),
              used = by_words > by_environment ? by_words : by_environment;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= used + LEAST)
        return true;
    return lauka_fail(
        error, LAUKA_EXIT_INTERNAL,
        "the limit of the stack is %llu KiB, and lauka needs %llu KiB with these words "
        "and this environment; raise it (ulimit -s)",
        (unsigned long long)limit.rlim_cur / 1024,
        (unsigned long long)(used + LEAST + 1023) / 1024);
}
