/* snapshot: what a histogram held when last looked at, and what has come since the time before.
 * Both live in memory that is there from the beginning, for monitors that must not allocate. */
#include "stats.h"

#include <errno.h>

/* Counters looked at together: where nothing ever was, nothing is written. */
enum { BLOCK = 64 };

int lauka_snapshot_init(struct lauka_snapshot *snapshot, const struct lauka_histogram *like)
{
    int error = like->sparse.count > 0 ? EINVAL : lauka_histogram_init_like(&snapshot->all, like);
    if (error != 0)
        return error;
    error = lauka_histogram_init_like(&snapshot->delta, like);
    if (error != 0)
        lauka_histogram_done(&snapshot->all);
    return error;
}

void lauka_snapshot_done(struct lauka_snapshot *snapshot)
{
    lauka_histogram_done(&snapshot->all);
    lauka_histogram_done(&snapshot->delta);
}

static void update_wide(uint64_t *all, uint64_t *delta, const uint64_t *now, size_t count)
{
    uint64_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= now[i] | delta[i];
    if (any == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        delta[i] = now[i] - all[i];
        all[i] = now[i];
    }
}

static void update_narrow(uint32_t *all, uint32_t *delta, const uint32_t *now, size_t count)
{
    uint32_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= now[i] | delta[i];
    if (any == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        delta[i] = now[i] - all[i];
        all[i] = now[i];
    }
}

void lauka_snapshot_update(struct lauka_snapshot *snapshot, const struct lauka_histogram *histogram)
{
    struct lauka_histogram *all = &snapshot->all, *delta = &snapshot->delta;
    if (all->resets != histogram->resets) {
        lauka_histogram_reset(all);
        all->resets = histogram->resets;
    }
    for (size_t at = histogram->begin; at < histogram->end; at += BLOCK) {
        size_t count = histogram->end - at < BLOCK ? histogram->end - at : BLOCK;
        if (histogram->narrow)
            update_narrow(all->narrow + at, delta->narrow + at, histogram->narrow + at, count);
        else
            update_wide(all->counts + at, delta->counts + at, histogram->counts + at, count);
    }
    delta->overflow = histogram->overflow - all->overflow;
    all->overflow = histogram->overflow;
}
