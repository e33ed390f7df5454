/* What valgrind says while it runs: which process began as what, and from which other one. */
#ifndef LAUKA_PMU_VALGRIND_LOG_H
#define LAUKA_PMU_VALGRIND_LOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/valgrind/valgrind.h"

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
    uint64_t command_of; /* the process that the last command was told of */
    char command[64];
    char version[32];
    struct lauka_profile *profile; /* borrowed; what functions cost; NULL: nobody asks */

    struct lauka_valgrind_image *images; /* owned, in the order in which they began */
    size_t image_count, image_room;
    struct lauka_valgrind_part *parts; /* owned */
    size_t part_count, part_room;
};

#endif
