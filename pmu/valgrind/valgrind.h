/* What valgrind counted in one run of a command: follows its processes through fork and exec. */
#ifndef LAUKA_PMU_VALGRIND_VALGRIND_H
#define LAUKA_PMU_VALGRIND_VALGRIND_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/events/events.h"

struct lauka_profile;
struct lauka_valgrind_log; /* data that arrives during a run */

/* ---- valgrind.c: what valgrind counts of a program, with which options ----------------------- */

/* Only in user mode, and without waiting. */
enum lauka_valgrind_count {
    LAUKA_VALGRIND_INSTRUCTIONS,
    LAUKA_VALGRIND_ALLOCATIONS, /* by callgrind, of the profile's lines; never in a part */
    LAUKA_VALGRIND_BRANCHES,
    LAUKA_VALGRIND_BRANCH_MISSES,
    LAUKA_VALGRIND_L1D_MISSES,
    LAUKA_VALGRIND_CACHE_MISSES, /* in the last level */
    LAUKA_VALGRIND_COUNTS        /* number of counts */
};

/* How many of them a session has: all but allocations; without caches and branch prediction only instructions, and
 * allocations if they are asked for. */
static inline size_t lauka_valgrind_counts(bool caches, bool allocations)
{
    return caches ? LAUKA_VALGRIND_COUNTS - 1 : allocations ? 2 : 1;
}

/* Which count has this place among them. */
static inline enum lauka_valgrind_count lauka_valgrind_count_at(bool caches, size_t place)
{
    return (enum lauka_valgrind_count)(caches && place > 0 ? place + 1 : place);
}

/* The table of counts, indexed by the enum. Their source is "valgrind". */
const struct lauka_event *lauka_valgrind_events(void);

/* Functions before which callgrind writes its counts so far. NULL-terminated. */
extern const char *const lauka_valgrind_forks[], *const lauka_valgrind_executions[];

/* Options that make valgrind write into the folder, of caches that are the same on every machine;
 * NULL-terminated. `follow`: with callgrind, which also counts what a process did before it forked or
 * executed another program, and is about four times slower; otherwise with cachegrind. Both count a
 * process that does neither alike. caches: they and the prediction of branches are simulated, too. The folder's name is absolute, and shorter than 512 bytes. `untraced`: an
 * option about programs that are not to be followed, borrowed; NULL: there is none. Filled with static words and
 * words made in `text`. */
enum { LAUKA_VALGRIND_OPTIONS_MAX = 64, LAUKA_VALGRIND_TEXT_SIZE = 4096 };
void lauka_valgrind_options(const char *folder, bool follow, bool caches, const char *untraced,
                            const char *words[LAUKA_VALGRIND_OPTIONS_MAX],
                            char text[LAUKA_VALGRIND_TEXT_SIZE]);

/* The variables of a command for runs under valgrind, borrowed, behind a first one: "GLIBC_TUNABLES=..." has what they or
 * lauka's own environment set, and limits from which on glibc copies and fills memory by `rep`, larger than any memory.
 * Valgrind counts each repetition as an instruction, a processor counts one. own: NULL-terminated, or NULL. Returns what the
 * caller frees, NULL without memory. */
char **lauka_valgrind_environment(char *const *own);

/* ---- valgrind.c: what a program can tell valgrind ------------------------------------------- */

enum lauka_valgrind_request {
    LAUKA_VALGRIND_ASKS_CALLGRIND = 1,  /* to clear its counts, to stop, to continue */
    LAUKA_VALGRIND_ASKS_CACHEGRIND = 2, /* to stop; since valgrind 3.22 */
};

/* Which client requests the file's executable segments contain, or all of it if it is no ELF. 0 if
 * it cannot be read. */
unsigned lauka_valgrind_requests(const char *path);

/* ---- part.c: one file that valgrind wrote: its totals, and what its functions and lines cost --- */

enum lauka_valgrind_end {
    /* what the process did next */
    LAUKA_VALGRIND_ENDS,
    LAUKA_VALGRIND_FORKS,
    LAUKA_VALGRIND_EXECUTES, /* or tried to execute */
    LAUKA_VALGRIND_GOES_ON,
};

struct lauka_valgrind_part {
    uint64_t counts[LAUKA_VALGRIND_COUNTS];
    uint64_t from, to; /* of the basic blocks since the program began, from one to before the other;
                        * a forked process goes on with its parent's numbers; cachegrind: 0 */
    enum lauka_valgrind_end end;
};

/* Parses a file by cachegrind or callgrind, which need not end with a NUL. False if it is neither,
 * or incomplete, or lacks one of the events; those of caches and branches may all be missing, and are 0 then. */
bool lauka_valgrind_part_parse(const char *bytes, size_t size, struct lauka_valgrind_part *part);

/* Adds the costs in a file that lauka_valgrind_part_parse accepts. Cycles are estimated as in callgrind's
 * tools: Ir + 10 (L1 misses + mispredicted branches) + 100 (misses of the last level); 0 if only Ir is there. Returns 0, ENOMEM or
 * EINVAL; after either error everything read so far was added, and the profile is damaged. */
int lauka_valgrind_functions_read(const char *bytes, size_t size, struct lauka_profile *profile);

/* ---- log.c: all processes of a run ----------------------------------------------------------- */

enum lauka_valgrind_gap {
    /* why counts may be incomplete */
    LAUKA_VALGRIND_NO_GAP,
    LAUKA_VALGRIND_NOT_FOLLOWED, /* several programs or processes under cachegrind */
    LAUKA_VALGRIND_UNSEEN_FORK,
    LAUKA_VALGRIND_UNSEEN_EXECUTION,
    LAUKA_VALGRIND_UNSEEN_END, /* it was killed, or still runs */
    LAUKA_VALGRIND_UNTRACED,   /* it executed a program that valgrind did not trace */
    LAUKA_VALGRIND_DAMAGED,    /* a file is missing or unreadable */
    LAUKA_VALGRIND_STEERED /* a program can control what the tool counts; never set by _collect */
};

struct lauka_valgrind_sum {
    /* Sum over all known parts; only the few instructions between the name of a forking function
     * and its system call count twice. */
    uint64_t counts[LAUKA_VALGRIND_COUNTS];
    size_t programs;             /* executed programs, and forked processes */
    enum lauka_valgrind_gap gap; /* the first gap, */
    char program[64];            /* and its program: the words of its command */
    char version[32];            /* "3.19.0"; empty if not reported */
};

/* Makes a pipe in the empty folder, through which valgrind's processes report their start, and a
 * thread that reads it. When a process executes a program, the thread takes its file before that
 * program can overwrite it. Costs of functions are added to the profile, borrowed until the log
 * ends; NULL: not needed. Sets *log, which lauka_valgrind_collect ends. Returns 0 or an errno. */
int lauka_valgrind_listen(const char *folder, struct lauka_profile *profile,
                          struct lauka_valgrind_log **log);

/* After the run: ends the thread, sums the counts, empties the folder and frees the log. Returns 0,
 * ENOENT (no process wrote its counts), ENOMEM or an errno of the thread. */
int lauka_valgrind_collect(struct lauka_valgrind_log *log, bool follow,
                           struct lauka_valgrind_sum *sum);

/* ---- what valgrind says while it runs: which process began as what, and from which other one --- */

/* A process from executing a program, or from its fork, to its end or its next program. */
struct lauka_valgrind_image {
    uint64_t pid, parent;
    size_t first, count; /* its parts, in order of their numbers */
    bool forked;         /* forked, not executed */
    bool replaced;       /* by the next program in the same process */
    bool damaged;        /* a part could not be read */
    char program[64];
};

struct lauka_valgrind_log {
    char folder[512];
    int pipe, writer, stop[2]; /* `writer` is never written to: it keeps the pipe from ending */
    pthread_t thread;
    int error; /* error of the thread */

    char line[1024]; /* the received part of an incomplete line */
    size_t length;
    uint64_t command_of; /* the process of the last reported command */
    char command[64];
    char version[32];
    struct lauka_profile *profile; /* borrowed; costs of functions; NULL: not needed */

    struct lauka_valgrind_image *images; /* owned, in order of their start */
    size_t image_count, image_room;
    struct lauka_valgrind_part *parts; /* owned */
    size_t part_count, part_room;
};

#endif
