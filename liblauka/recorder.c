/* Histograms that keep being filled: snapshots of one, and one that many threads record into. */
#include "liblauka/hdr.h"
#include "stats/recorder.h"

#include <errno.h>
#include <stdlib.h>

/* ---- snapshots --------------------------------------------------------------------------------- */

struct lauka_hdr_snapshot {
    struct lauka_snapshot counts; /* owned */
    struct lauka_hdr all, delta;  /* how others see it; what they point to is that of `counts` */
};

/* Counters stay where they are; numbers beside them do not. */
static void show(struct lauka_hdr_snapshot *snapshot)
{
    snapshot->all.counts = snapshot->counts.all;
    snapshot->delta.counts = snapshot->counts.delta;
}

struct lauka_hdr_snapshot *lauka_hdr_snapshot_new(const struct lauka_hdr *like)
{
    struct lauka_hdr_snapshot *snapshot = calloc(1, sizeof *snapshot);
    int error = snapshot ? lauka_snapshot_init(&snapshot->counts, &like->counts) : ENOMEM;
    if (error) {
        free(snapshot);
        return lauka_hdr_refuse(error);
    }
    lauka_moments_init(&snapshot->all.moments);
    lauka_moments_init(&snapshot->delta.moments);
    show(snapshot);
    return snapshot;
}

void lauka_hdr_snapshot_free(struct lauka_hdr_snapshot *snapshot)
{
    if (snapshot)
        lauka_snapshot_done(&snapshot->counts);
    free(snapshot);
}

static bool is_alike(const struct lauka_histogram *a, const struct lauka_histogram *b)
{
    return a->sub_bits == b->sub_bits && a->unit_bits == b->unit_bits && a->begin == b->begin &&
           a->end == b->end;
}

int lauka_hdr_snapshot_take(struct lauka_hdr_snapshot *snapshot, const struct lauka_hdr *histogram)
{
    if (!is_alike(&snapshot->counts.all, &histogram->counts))
        return EINVAL;
    lauka_snapshot_update(&snapshot->counts, &histogram->counts);
    show(snapshot);
    snapshot->all.moments = histogram->moments;
    snapshot->all.exact = histogram->exact;
    return 0;
}

const struct lauka_hdr *lauka_hdr_snapshot_all(const struct lauka_hdr_snapshot *snapshot)
{
    return &snapshot->all;
}

const struct lauka_hdr *lauka_hdr_snapshot_new_values(const struct lauka_hdr_snapshot *snapshot)
{
    return &snapshot->delta;
}

/* ---- many threads ------------------------------------------------------------------------------ */

struct lauka_hdr_recorder {
    struct lauka_recorder recorder;
};

struct lauka_hdr_recorder *lauka_hdr_recorder_new(unsigned digits)
{
    struct lauka_hdr_recorder *recorder = calloc(1, sizeof *recorder);
    int error = recorder ? lauka_recorder_init(&recorder->recorder, digits) : ENOMEM;
    if (!error)
        return recorder;
    free(recorder);
    return lauka_hdr_refuse(error);
}

void lauka_hdr_recorder_free(struct lauka_hdr_recorder *recorder)
{
    if (recorder)
        lauka_recorder_done(&recorder->recorder);
    free(recorder);
}

void lauka_hdr_recorder_record(struct lauka_hdr_recorder *recorder, uint64_t value)
{
    lauka_recorder_record(&recorder->recorder, value);
}

void lauka_hdr_recorder_record_shared(struct lauka_hdr_recorder *recorder, uint64_t value)
{
    lauka_recorder_record_shared(&recorder->recorder, value);
}

static int forget_moments(struct lauka_hdr *histogram, int error)
{
    if (!error) {
        lauka_moments_init(&histogram->moments);
        histogram->exact = false;
    }
    return error;
}

int lauka_hdr_recorder_read(struct lauka_hdr_recorder *recorder, struct lauka_hdr *histogram)
{
    return forget_moments(histogram, lauka_recorder_read(&recorder->recorder, &histogram->counts));
}

int lauka_hdr_recorder_take(struct lauka_hdr_recorder *recorder, struct lauka_hdr *histogram)
{
    return forget_moments(histogram, lauka_recorder_take(&recorder->recorder, &histogram->counts));
}

void lauka_hdr_recorder_reset(struct lauka_hdr_recorder *recorder)
{
    lauka_recorder_reset(&recorder->recorder);
}
