/* What valgrind counted of one run of a command: its processes followed through fork and exec. */
#ifndef LAUKA_PMU_VALGRIND_VALGRIND_H
#define LAUKA_PMU_VALGRIND_VALGRIND_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/events/events.h"

struct lauka_profile;
struct lauka_valgrind_log; /* what is heard of a run while it goes on */

/* ---- valgrind.c: what valgrind counts of a program, with which options ----------------------- */

/* In user mode only, and nothing of waiting. */
enum lauka_valgrind_count {
    LAUKA_VALGRIND_INSTRUCTIONS,
    LAUKA_VALGRIND_BRANCHES,
    LAUKA_VALGRIND_BRANCH_MISSES,
    LAUKA_VALGRIND_L1D_MISSES,
    LAUKA_VALGRIND_CACHE_MISSES, /* of the last level */
    LAUKA_VALGRIND_COUNTS        /* how many there are */
};

/* The table of them, indexed by the enum. Their source is "valgrind". */
const struct lauka_event *lauka_valgrind_events(void);

/* Functions before which callgrind writes what was done until then. NULL-terminated. */
extern const char *const lauka_valgrind_forks[], *const lauka_valgrind_executions[];

/* Options that make valgrind write into the folder, of caches that are the same on every machine;
 * NULL-terminated. `follow`: with callgrind, which also counts what a process did before it forked or
 * executed another program, and is about four times slower; otherwise with cachegrind. Both count a
 * process that does neither alike. The folder's name is absolute, and shorter than 512 bytes. `untraced`: an
 * option about programs that are not to be followed, borrowed; NULL: there is none. Filled with static words and
 * words made in `text`. */
enum { LAUKA_VALGRIND_OPTIONS_MAX = 64, LAUKA_VALGRIND_TEXT_SIZE = 4096 };
void lauka_valgrind_options(const char *folder, bool follow, const char *untraced,
                            const char *words[LAUKA_VALGRIND_OPTIONS_MAX],
                            char text[LAUKA_VALGRIND_TEXT_SIZE]);

/* ---- valgrind.c: what a program can tell valgrind ------------------------------------------- */

enum lauka_valgrind_request {
    LAUKA_VALGRIND_ASKS_CALLGRIND = 1,  /* to forget what it counted, to stop, to go on */
    LAUKA_VALGRIND_ASKS_CACHEGRIND = 2, /* to stop; from valgrind 3.22 on */
    LAUKA_VALGRIND_HEARS = 4,           /* for valgrind.c only: there is a request of some kind */
};

/* Whether the file has such client requests: those of the first two that it has. 0 if it cannot be read. */
unsigned lauka_valgrind_requests(const char *path);

/* ---- part.c: one file that valgrind wrote ---------------------------------------------------- */

enum lauka_valgrind_end {
    /* what the process did next */
    LAUKA_VALGRIND_ENDS,
    LAUKA_VALGRIND_FORKS,
    LAUKA_VALGRIND_EXECUTES, /* or tried to */
    LAUKA_VALGRIND_GOES_ON,
};

struct lauka_valgrind_part {
    uint64_t counts[LAUKA_VALGRIND_COUNTS];
    uint64_t from, to; /* of the basic blocks since the program began, from one to before the other;
                        * a forked process goes on with its parent's numbers; cachegrind: 0 */
    enum lauka_valgrind_end end;
};

/* A file of cachegrind's or callgrind's, which need not end with a NUL. False where it is neither, or
 * incomplete, or lacks one of the events. */
bool lauka_valgrind_part_parse(const char *bytes, size_t size, struct lauka_valgrind_part *part);

/* ---- functions.c: what its functions and lines cost ------------------------------------------ */

/* Adds the costs of a file that lauka_valgrind_part_parse takes. Cycles are estimated as callgrind's tools
 * do: Ir + 10 (L1 misses + mispredicted branches) + 100 (misses of the last level). Returns 0, ENOMEM
 * or EINVAL; after either, what was read until then has been added, and the profile is damaged. */
int lauka_valgrind_functions_read(const char *bytes, size_t size, struct lauka_profile *profile);

/* ---- log.c: all processes of a run ----------------------------------------------------------- */

enum lauka_valgrind_gap {
    /* why the counts are not known to be all */
    LAUKA_VALGRIND_NO_GAP,
    LAUKA_VALGRIND_NOT_FOLLOWED, /* several programs or processes, where cachegrind counted */
    LAUKA_VALGRIND_UNSEEN_FORK,
    LAUKA_VALGRIND_UNSEEN_EXECUTION,
    LAUKA_VALGRIND_UNSEEN_END, /* it was killed, or goes on */
    LAUKA_VALGRIND_UNTRACED,   /* it executes a program that valgrind left to the kernel */
    LAUKA_VALGRIND_DAMAGED,    /* a file is missing, or cannot be read */
    LAUKA_VALGRIND_STEERED /* a program can tell the tool what to count; never set by _collect */
};

struct lauka_valgrind_sum {
    /* Of all parts that are known; nothing counts twice, but the few instructions from the name
     * of a function that forks to its system call. */
    uint64_t counts[LAUKA_VALGRIND_COUNTS];
    size_t programs;             /* that were executed, and processes that were forked */
    enum lauka_valgrind_gap gap; /* the first one, */
    char program[64];            /* and whose it is: the words of its command */
    char version[32];            /* "3.19.0"; empty if not reported */
};

/* Makes the pipe in the empty folder that valgrind's processes tell their beginnings to, and a thread
 * that reads it and takes what a process wrote when it executes a program, before that program can
 * write over it. What functions cost is added to the profile, which is borrowed until the log ends;
 * NULL: nobody wants to know. Sets *log, to be ended by lauka_valgrind_collect. Returns 0 or an errno. */
int lauka_valgrind_listen(const char *folder, struct lauka_profile *profile,
                          struct lauka_valgrind_log **log);

/* After the run: ends the thread, adds up, empties the folder and frees the log. Returns 0, ENOENT (no
 * process wrote its counts), ENOMEM or an errno of the thread's. */
int lauka_valgrind_collect(struct lauka_valgrind_log *log, bool follow,
                           struct lauka_valgrind_sum *sum);

/* ---- what valgrind says while it runs: which process began as what, and from which other one --- */

/* A process from the execution of a program, or from its fork, to its end or its next program. */
struct lauka_valgrind_image {
    uint64_t pid, parent;
    size_t first, count; /* of its parts, in the order of their numbers */
    bool forked;         /* it was: not executed */
    bool replaced;       /* by the next program of the same process */
    bool damaged;        /* a part could not be read */
    char program[64];
};

struct lauka_valgrind_log {
    char folder[512];
    int pipe, writer, stop[2]; /* `writer` is never written to: with it the pipe never ends */
    pthread_t thread;
    int error; /* the thread's */

    char line[1024]; /* what is there of the one that is being written */
    size_t length;
    uint64_t command_of; /* the process of the last reported command */
    char command[64];
    char version[32];
    struct lauka_profile *profile; /* borrowed; what functions cost; NULL: nobody asks */

    struct lauka_valgrind_image *images; /* owned, in the order in which they began */
    size_t image_count, image_room;
    struct lauka_valgrind_part *parts; /* owned */
    size_t part_count, part_room;
};

#endif
