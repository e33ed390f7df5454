/* The functions of two sides, each beside its counterpart. */
#ifndef LAUKA_RUNNER_ATTRIBUTION_PAIRS_H
#define LAUKA_RUNNER_ATTRIBUTION_PAIRS_H

#include "runner/attribution/attribution.h"

struct lauka_function_pair {
    const char *name, *file, *object; /* borrowed from `texts` */
    const char *path;                 /* of the file, as people see it; empty: not known */
    uint64_t instructions[2][LAUKA_ATTRIBUTION_RUNS], cycles[2][LAUKA_ATTRIBUTION_RUNS];
    uint64_t line;      /* its first, on the side that is told; 0: not known */
    uint64_t first[2];  /* the same on each side */
    size_t into;        /* the pair that it is counted with; itself */
    const char *called; /* its partner; NULL: there is none */
    enum lauka_why_fate fate;
    bool inlined; /* on one side: that is why it is counted with another one */
};

struct lauka_function_pair_line {
    size_t pair;
    const char *file, *path; /* borrowed from `texts`; the file's last part, and as people see it */
    uint64_t line;
    uint64_t instructions[2]; /* of the first run of each side */
};

struct lauka_function_pairs {
    struct lauka_profile texts; /* and names of functions, whose places are those of the pairs */
    struct lauka_function_pair *pairs; /* owned */
    size_t count, room;
    struct lauka_function_pair_line *lines; /* owned; by pair, file and line */
    size_t line_count;
};

/* ---- pairs.c ------------------------------------------------------------------------------------ */

/* Returns 0 or ENOMEM; call _done in either case. */
int lauka_function_pairs_make(const struct lauka_attribution_side sides[2],
                              struct lauka_function_pairs *pairs);
void lauka_function_pairs_done(struct lauka_function_pairs *pairs);

/* The pair that it is finally counted with. */
size_t lauka_function_pairs_final(const struct lauka_function_pairs *pairs, size_t pair);

/* Counts functions that exist on one side only with the one that has their source lines on the other side.
 * Without lines it guesses by the file, and counts that apart. Returns 0 or ENOMEM. */
int lauka_inlining_find(struct lauka_function_pairs *pairs);

#endif
