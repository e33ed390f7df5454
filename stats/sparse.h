/* The part of stats.h about counters that are mostly 0: include that. */
#ifndef LAUKA_STATS_SPARSE_H
#define LAUKA_STATS_SPARSE_H

#include <stddef.h>
#include <stdint.h>

/* ---- histogram.c: counters of which most are never used ----------------------------------------- */

/* Counters 0 ... count - 1, initially 0; only blocks with counts take memory. */
enum { LAUKA_SPARSE_BLOCK = 32 };

struct lauka_sparse {   /* set count before use, and zero the rest */
    uint64_t ***groups; /* owned; NULL before the first count */
    size_t count;
};

/* Frees everything and zeroes it. */
void lauka_sparse_done(struct lauka_sparse *sparse);

/* A counter to write to; NULL without memory, but never if lauka_sparse_block is not NULL. */
uint64_t *lauka_sparse_reach(struct lauka_sparse *sparse, size_t place);
uint64_t lauka_sparse_at(const struct lauka_sparse *sparse, size_t place);

/* The whole block of the place, with LAUKA_SPARSE_BLOCK counters; NULL: all are 0. */
const uint64_t *lauka_sparse_block(const struct lauka_sparse *sparse, size_t place);

/* The first place in an existing block, from this one on; count if there is none. */
size_t lauka_sparse_next(const struct lauka_sparse *sparse, size_t place);

/* The first place with a count, from this one on; count if there is none. */
size_t lauka_sparse_find(const struct lauka_sparse *sparse, size_t place);

/* The number of counters that take memory. */
size_t lauka_sparse_used(const struct lauka_sparse *sparse);

#endif
