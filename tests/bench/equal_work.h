/* Recording that does the same as HdrHistogram_c's: a count, a minimum, a maximum and a check of the range. */
#ifndef LAUKA_TESTS_BENCH_EQUAL_WORK_H
#define LAUKA_TESTS_BENCH_EQUAL_WORK_H

#include <stddef.h>
#include <stdint.h>

#include "stats/histogram.h"

void equal_work_lauka(struct lauka_histogram *histogram, struct lauka_tally *tally,
                      const uint64_t *values, size_t count);

#ifdef LAUKA_BENCH_HDR
struct hdr_histogram;
void equal_work_hdr(struct hdr_histogram *histogram, const uint64_t *values, size_t count);
#endif

#endif
