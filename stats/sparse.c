/* sparse: counters of which most are never used. They lie in blocks, and blocks in groups; each comes into
 * being where something is counted, so that memory follows what was counted and not what could be. A
 * calloc of all of them would do on systems that provide a page when it is first written; but some C
 * libraries write the zeros themselves, and a page is large beside the counters of a few values. */
#include "stats.h"

#include <stdlib.h>

enum { BLOCKS = 32 /* of a group */, GROUP = BLOCKS * LAUKA_SPARSE_BLOCK };

static size_t group_count(const struct lauka_sparse *sparse)
{
    return (sparse->count + GROUP - 1) / GROUP;
}

void lauka_sparse_done(struct lauka_sparse *sparse)
{
    for (size_t g = 0; sparse->groups && g < group_count(sparse); g++) {
        for (size_t b = 0; sparse->groups[g] && b < BLOCKS; b++)
            free(sparse->groups[g][b]);
        free(sparse->groups[g]);
    }
    free(sparse->groups);
    *sparse = (struct lauka_sparse){0};
}

const uint64_t *lauka_sparse_block(const struct lauka_sparse *sparse, size_t place)
{
    uint64_t **group = sparse->groups ? sparse->groups[place / GROUP] : NULL;
    return group ? group[place % GROUP / LAUKA_SPARSE_BLOCK] : NULL;
}

uint64_t lauka_sparse_at(const struct lauka_sparse *sparse, size_t place)
{
    const uint64_t *block = lauka_sparse_block(sparse, place);
    return block ? block[place % LAUKA_SPARSE_BLOCK] : 0;
}

uint64_t *lauka_sparse_reach(struct lauka_sparse *sparse, size_t place)
{
    if (!sparse->groups)
        sparse->groups = calloc(group_count(sparse), sizeof *sparse->groups);
    if (!sparse->groups)
        return NULL;
    uint64_t ***group = &sparse->groups[place / GROUP];
    if (!*group)
        *group = calloc(BLOCKS, sizeof **group);
    if (!*group)
        return NULL;
    uint64_t **block = &(*group)[place % GROUP / LAUKA_SPARSE_BLOCK];
    if (!*block)
        *block = calloc(LAUKA_SPARSE_BLOCK, sizeof **block);
    return *block ? *block + place % LAUKA_SPARSE_BLOCK : NULL;
}

size_t lauka_sparse_next(const struct lauka_sparse *sparse, size_t place)
{
    if (!sparse->groups)
        return sparse->count;
    while (place < sparse->count && !lauka_sparse_block(sparse, place))
        place = sparse->groups[place / GROUP]
                    ? (place / LAUKA_SPARSE_BLOCK + 1) * LAUKA_SPARSE_BLOCK
                    : (place / GROUP + 1) * GROUP;
    return place < sparse->count ? place : sparse->count;
}

size_t lauka_sparse_find(const struct lauka_sparse *sparse, size_t place)
{
    for (place = lauka_sparse_next(sparse, place); place < sparse->count;
         place = lauka_sparse_next(sparse, place)) {
        const uint64_t *block = lauka_sparse_block(sparse, place);
        do {
            if (block[place % LAUKA_SPARSE_BLOCK] > 0)
                return place < sparse->count ? place : sparse->count;
        } while (++place % LAUKA_SPARSE_BLOCK != 0);
    }
    return sparse->count;
}

size_t lauka_sparse_used(const struct lauka_sparse *sparse)
{
    size_t used = 0;
    for (size_t place = lauka_sparse_next(sparse, 0); place < sparse->count;
         place = lauka_sparse_next(sparse, place + LAUKA_SPARSE_BLOCK))
        used += LAUKA_SPARSE_BLOCK;
    return used;
}
