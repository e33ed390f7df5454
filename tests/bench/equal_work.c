/* Both are in one file, so that the compiler inlines both. For other programs this is the library
 * HdrHistogram_c, whose functions are called. */
#include "tests/bench/equal_work.h"

#ifdef LAUKA_BENCH_HDR
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include <hdr_histogram.c>
#pragma clang diagnostic pop

void equal_work_hdr(struct hdr_histogram *histogram, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hdr_record_value(histogram, (int64_t)values[i]);
}
#endif

void equal_work_lauka(struct lauka_histogram *histogram, struct lauka_tally *tally,
                      const uint64_t *values, size_t count)
{
    struct lauka_tally own = *tally; /* nobody looks at it meanwhile: it may stay in registers */
    for (size_t i = 0; i < count; i++)
        lauka_histogram_record_tallied(histogram, &own, values[i]);
    *tally = own;
}
