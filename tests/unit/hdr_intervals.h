/* What an interval of a log holds as text, the same as tests/interop/Interop.java prints. */
#ifndef LAUKA_TESTS_HDR_INTERVALS_H
#define LAUKA_TESTS_HDR_INTERVALS_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/hdr/hdr.h"
#include "stats/histogram.h"

/* Middles of buckets, as the bits of a double. */
static inline void print_doubles(const struct lauka_hlog_interval *interval, FILE *out)
{
    struct lauka_bucket bucket = {0};
    while (lauka_histogram_next(&interval->histogram, &bucket)) {
        const double middle = (double)lauka_bucket_middle(&bucket) * interval->unit;
        uint64_t bits;
        memcpy(&bits, &middle, sizeof bits);
        fprintf(out, "  %016" PRIx64 " %" PRIu64 "\n", bits, bucket.count);
    }
}

/* A line for the interval, one for each bucket in use. Tags tell what is a double histogram. */
static inline void print_interval(const struct lauka_hlog_interval *interval, FILE *out)
{
    const struct lauka_histogram *histogram = &interval->histogram;
    const bool is_double = strncmp(interval->tag, "double", 6) == 0;
    struct lauka_bucket bucket = {0};
    fprintf(out, "%s %.0f %.0f %sdigits %" PRIu32, interval->tag[0] ? interval->tag : "-",
            1000 * interval->start, 1000 * (interval->start + interval->length),
            is_double ? "double " : "", histogram->digits);
    if (!is_double)
        fprintf(out, " lowest %" PRIu64 " highest %" PRIu64, histogram->lowest, histogram->highest);
    fprintf(out, " total %" PRIu64 "\n", lauka_histogram_total(histogram));
    if (is_double)
        print_doubles(interval, out);
    while (!is_double && lauka_histogram_next(histogram, &bucket))
        fprintf(out, "  %" PRIu64 " %" PRIu64 "\n", bucket.highest, bucket.count);
}

#endif
