/* What only the library's own files share. */
#ifndef LAUKA_LIBLAUKA_HDR_H
#define LAUKA_LIBLAUKA_HDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/lauka_compare.h"
#include "include/lauka_histogram.h"
#include "stats/histogram.h"
#include "stats/stats.h"

/* Counters and, in addition, exact data about the values as long as all were recorded here. */
struct lauka_hdr {
    struct lauka_histogram counts; /* owned */
    struct lauka_moments moments;
    bool exact;
};

/* ---- hdr.c ------------------------------------------------------------------------------------- */

/* Takes ownership of the counters; nothing is exactly known about their values. NULL and errno
 * ENOMEM, with the counters freed. */
struct lauka_hdr *lauka_hdr_adopt(struct lauka_histogram *counts);

/* The moments if they cover all values; otherwise NULL. */
const struct lauka_moments *lauka_hdr_moments(const struct lauka_hdr *histogram);

/* The rank of a percentile, as a part of LAUKA_RANK_WHOLE. */
uint32_t lauka_hdr_rank(double percent);

/* Sets errno and returns NULL. */
void *lauka_hdr_refuse(int error);

/* ---- compare.c --------------------------------------------------------------------------------- */

/* The public form. unit: divisor for integers. */
void lauka_compare_publish(const struct lauka_comparison *comparison, double unit,
                           struct lauka_compare_result *result);

#endif
