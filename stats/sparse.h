/* The part of stats.h about counters that are mostly 0: include that. */
#ifndef LAUKA_STATS_SPARSE_H
#define LAUKA_STATS_SPARSE_H

#include <stddef.h>
#include <stdint.h>

/* ---- histogram.c: counters of which most are never used ----------------------------------------- */

/* Counters 0 ... count - 1, all 0 at first; memory is there for blocks in which something was counted. */
enum { LAUKA_SPARSE_BLOCK = 32 };

struct lauka_sparse {   /* set count before use, and zero the rest */
    uint64_t ***groups; /* owned; NULL before anything was counted */
    size_t count;
};

/* Frees what there is, and zeroes it. */
void lauka_sparse_done(struct lauka_sparse *sparse);

/* A counter that may be written; NULL without memory, which can only be where lauka_sparse_block is. */
uint64_t *lauka_sparse_reach(struct lauka_sparse *sparse, size_t place);
uint64_t lauka_sparse_at(const struct lauka_sparse *sparse, size_t place);

/* The whole block that the place is in, as many as LAUKA_SPARSE_BLOCK; NULL: they are all 0. */
const uint64_t *lauka_sparse_block(const struct lauka_sparse *sparse, size_t place);

/* The first place from this one on that is in a block; count where there is none. */
size_t lauka_sparse_next(const struct lauka_sparse *sparse, size_t place);

/* The first place from this one on where something was counted; count where there is none. */
size_t lauka_sparse_find(const struct lauka_sparse *sparse, size_t place);

/* For how many counters there is memory. */
size_t lauka_sparse_used(const struct lauka_sparse *sparse);

#endif
