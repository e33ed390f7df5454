/* lauka_counts.h: what regions of your program cost, with a histogram per event. For C99 and C++11; needs liblauka
 * (pkg-config lauka), and brings lauka_region.h and lauka_report.h together.
 *
 *     lauka_region_open(&region, events, 2, NULL);
 *     lauka_counts_open(&counts, &region, 3);
 *     for (int i = 0; i < 10000; i++) {
 *         if (i == 1000)
 *             lauka_counts_reset(&counts);        // that was the warm-up
 *         lauka_region_begin(&region);
 *         work();
 *         lauka_region_end(&region);
 *         lauka_counts_record(&counts, &region);
 *     }
 *     lauka_counts_write(&counts, "work", stdout);
 *
 * Several kinds of work can share one region, each with its own counts. One thread at a time may use them. */
#ifndef LAUKA_COUNTS_H
#define LAUKA_COUNTS_H

#include "lauka_region.h"

#include "lauka_report.h"

struct lauka_counts {
    size_t count;                                /* number of events */
    const char *names[LAUKA_REGION_MOST];        /* borrowed from the region's events */
    struct lauka_hdr *events[LAUKA_REGION_MOST]; /* owned */
    struct lauka_hdr *ns;                        /* owned; wall times */
    uint64_t unknown
        [LAUKA_REGION_MOST]; /* regions in which the event was not counted, or only estimated */
};

/* Frees what it owns. Accepts a zeroed struct, and one whose opening failed. */
static inline void lauka_counts_close(struct lauka_counts *counts)
{
    for (size_t i = 0; i < counts->count; i++)
        lauka_hdr_free(counts->events[i]);
    lauka_hdr_free(counts->ns);
    memset(counts, 0, sizeof *counts);
}

/* Makes it empty, for the events of this region. digits: as for lauka_hdr_new. Returns 0, EINVAL or ENOMEM. */
static inline int lauka_counts_open(struct lauka_counts *counts, const struct lauka_region *region,
                                    unsigned digits)
{
    memset(counts, 0, sizeof *counts);
    counts->ns = lauka_hdr_new(digits, 0, 0);
    if (!counts->ns)
        return errno;
    for (; counts->count < region->count; counts->count++) {
        counts->names[counts->count] = region->counters[counts->count].event.name;
        counts->events[counts->count] = lauka_hdr_new(digits, 0, 0);
        if (!counts->events[counts->count]) {
            int error = errno;
            lauka_counts_close(counts);
            return error;
        }
    }
    return 0;
}

/* Records the last region: its time, and each event that was counted exactly. Allocates nothing. */
static inline void lauka_counts_record(struct lauka_counts *counts,
                                       const struct lauka_region *region)
{
    lauka_hdr_record(counts->ns, lauka_region_elapsed_ns(region));
    for (size_t i = 0; i < counts->count; i++) {
        uint64_t value;
        if (lauka_region_count(region, i, &value) == LAUKA_REGION_EXACT)
            lauka_hdr_record(counts->events[i], value);
        else
            counts->unknown[i]++;
    }
}

/* Forgets all values, for example after a warm-up. */
static inline void lauka_counts_reset(struct lauka_counts *counts)
{
    lauka_hdr_reset(counts->ns);
    for (size_t i = 0; i < counts->count; i++) {
        lauka_hdr_reset(counts->events[i]);
        counts->unknown[i] = 0;
    }
}

/* The histogram at an index: 0 is ns, then come the events that were counted at least once. NULL
 * beyond the last. */
static inline const struct lauka_hdr *lauka_counts_of(const struct lauka_counts *counts,
                                                      size_t index)
{
    const struct lauka_hdr *histogram = index == 0               ? counts->ns
                                        : index <= counts->count ? counts->events[index - 1]
                                                                 : NULL;

    return histogram && lauka_hdr_total(histogram) > 0 ? histogram : NULL;
}

static inline const char *lauka_counts_name(const struct lauka_counts *counts, size_t index)
{
    return index == 0 ? "ns" : counts->names[index - 1];
}

/* Writes a table for each, titled "TITLE: EVENT". Returns 0 or an errno of `out`. */
static inline int lauka_counts_write(const struct lauka_counts *counts, const char *title,
                                     FILE *out)
{
    int error = 0;

    for (size_t i = 0; i <= counts->count && !error; i++) {
        const struct lauka_hdr *histogram = lauka_counts_of(counts, i);
        char heading[160];
        snprintf(heading, sizeof heading, "%.90s: %.60s", title, lauka_counts_name(counts, i));
        if (histogram)
            error = lauka_report_write_histogram(histogram, heading, out);
        if (histogram && !error && fputc('\n', out) == EOF)
            error = errno;
    }
    return error;
}

/* Writes a table of differences for each event that both have. */
static inline int lauka_counts_write_difference(const char *reference_name,
                                                const struct lauka_counts *reference,
                                                const char *other_name,
                                                const struct lauka_counts *other, FILE *out)
{
    int error = 0;

    for (size_t i = 0; i <= reference->count && !error; i++) {
        const struct lauka_hdr *a = lauka_counts_of(reference, i);
        const struct lauka_hdr *b = lauka_counts_of(other, i);
        if (!a || !b)
            continue;
        error = lauka_report_write_difference(lauka_counts_name(reference, i), reference_name, a,
                                              other_name, b, out);
        if (!error && fputc('\n', out) == EOF)
            error = errno;
    }
    return error;
}

/* Adds a side to a report, with "wall_time" and each counted event as a metric; the first side defines the
 * metrics. Returns 0, EINVAL if the report has other metrics, or ENOMEM. */
static inline int lauka_counts_add(const struct lauka_counts *counts, struct lauka_report *report,
                                   const char *label)
{
    int side = lauka_report_add_side(report, label), error = side < 0 ? errno : 0;

    for (size_t i = 0; i <= counts->count && !error; i++) {
        const struct lauka_hdr *histogram = lauka_counts_of(counts, i);
        if (side == 0 &&
            lauka_report_add_metric(report, i == 0 ? "wall_time" : counts->names[i - 1],
                                    i == 0 ? "ns" : "1", LAUKA_REPORT_LOWER) < 0)
            error = errno;
        if (!error && histogram)
            error = lauka_report_add_histogram(report, side, (int)i, histogram);
    }
    return error;
}

#endif
