/* valgrind: what it counts, and the options with which it does. */
#include "pmu/valgrind/valgrind.h"
#include "pmu/events/events.h"

#include <stdio.h>
#include <string.h>

#define COUNTED(name_, description_)                                                               \
    {                                                                                              \
        .name = "sim_" name_ ":u", .unit = "1", .source = "valgrind", .description = description_, \
        .better = LAUKA_BETTER_LOWER                                                               \
    }

static const struct lauka_event events[LAUKA_VALGRIND_COUNTS] = {
    COUNTED("instructions", "instructions that a simulated processor executed in user mode"),
    COUNTED("branches", "branches of it, conditional and indirect ones"),
    COUNTED("branch_misses", "branches that a simulated predictor had wrong"),
    COUNTED("l1d_misses", "accesses to data that a simulated cache of 32 KiB could not serve"),
    COUNTED("cache_misses", "accesses that a simulated last level of 8 MiB could not serve"),
};

const struct lauka_event *lauka_valgrind_events(void)
{
    return events;
}

/* The innermost functions of libcs that have a name: what a fork executes from there to its system
 * call counts for both processes, and is some ten instructions. Before glibc 2.34, __libc_fork is it.
 * Threads are cloned, too, which does no harm. */
const char *const lauka_valgrind_forks[] = {
    "_Fork",        "__GI__Fork",       "fork",     "__fork",
    "__libc_fork",  "__GI___libc_fork", "vfork",    "__vfork",
    "__libc_vfork", "__GI___vfork",     "clone",    "__clone",
    "__GI___clone", "clone3",           "__clone3", "__GI___clone3",
    NULL,
};

const char *const lauka_valgrind_executions[] = {
    "execve",   "__execve", "__GI_execve",  "__GI___execve",
    "execveat", "fexecve",  "__GI_fexecve", NULL,
};

/* Valgrind replaces %p by the process's number, and %% by %. */
static void escape(const char *folder, char *text, size_t size)
{
    size_t used = 0;
    for (; *folder && used + 3 < size; folder++) {
        text[used++] = *folder;
        if (*folder == '%')
            text[used++] = '%';
    }
    text[used] = '\0';
}

/* Without options of its own for where its files go: those stand in `text`, in front of these. */
static size_t put_fixed(bool follow, const char **words)
{
    static const char *const fixed[] = {
        "--command-line-only=yes", /* nobody's ~/.valgrindrc counts */
        "--cache-sim=yes", "--branch-sim=yes",
        "--I1=32768,8,64", /* the host's, otherwise: then no two machines agree */
        "--D1=32768,8,64", "--LL=8388608,16,64",
        /* Cachegrind would also count what lies behind a branch that is not taken; without this, and
         * with caches, both tools agree in all counts, and with a processor that goes step by step. */
        "--vex-guest-chase=no", "--trace-children=yes", "--vgdb=no", /* no pipes for a debugger */
    };
    size_t count = sizeof fixed / sizeof *fixed;
    memcpy(words, fixed, sizeof fixed);
    words[count++] = follow ? "--tool=callgrind" : "--tool=cachegrind";
    return count;
}

/* Appends "--dump-before=NAME" for each, made in `text`; returns what is left of it. */
static char *put_names(const char *const *names, const char **words, size_t *count, char *text)
{
    enum { LONGEST = 40 };
    for (size_t i = 0; names[i]; i++) {
        words[(*count)++] = text;
        text += snprintf(text, LONGEST, "--dump-before=%s", names[i]) + 1;
    }
    return text;
}

void lauka_valgrind_options(const char *folder, bool follow, const char *untraced,
                            const char *words[LAUKA_VALGRIND_OPTIONS_MAX],
                            char text[LAUKA_VALGRIND_TEXT_SIZE])
{
    enum { PATH = 1200 };
    char escaped[1024];
    size_t count = put_fixed(follow, words);
    escape(folder, escaped, sizeof escaped);
    words[count++] = text;
    text += snprintf(text, PATH, "--%s-out-file=%s/part.%%p", follow ? "callgrind" : "cachegrind",
                     escaped) +
            1;
    words[count++] = text;
    /* One pipe for all; but only for a name with %p the head is written again in a forked process. */
    text += snprintf(text, PATH, "--log-file=/proc/%%p/root%s/log", escaped) + 1;
    if (follow) {
        text = put_names(lauka_valgrind_forks, words, &count, text);
        put_names(lauka_valgrind_executions, words, &count, text);
    }
    if (untraced)
        words[count++] = untraced;
    words[count++] = "--";
    words[count] = NULL;
}
