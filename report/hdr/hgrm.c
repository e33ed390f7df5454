/* hgrm: percentiles as text, as HdrHistogram for Java prints and its plotters read them: ever finer
 * towards 100 %, with a fixed number of rows for each halving of the rest. */
#include "report/hdr/hdr.h"
#include "report/text/text.h"
#include "stats/histogram.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* The next level, in Java's arithmetic, so that rows fall on the same counts. 100 if doubles are too
 * coarse for one. */
static double level_after(double level, unsigned ticks)
{
    double halvings = floor(log(100.0 / (100.0 - level)) / log(2)) + 1;
    double next = level + 100.0 / (ticks * exp2(halvings));
    return next > level ? next : 100.0;
}

struct rows {
    const struct lauka_histogram *histogram;
    uint64_t total;
    unsigned ticks;
    double divisor;
    FILE *out;
};

static void print_row(const struct rows *rows, const struct lauka_bucket *bucket, double level)
{
    /* Java rounds ties half up in the decimal digits it shows; printf(3) rounds them to even in the
     * double. */
    double share = nextafter(level / 100.0, INFINITY);
    fprintf(rows->out, "%12.*f %2.12f %10" PRIu64, (int)rows->histogram->digits,
            (double)bucket->highest / rows->divisor, share, bucket->cumulative);
    if (level < 100.0)
        fprintf(rows->out, " %14.2f", 1 / (1.0 - level / 100.0));
    fputc('\n', rows->out);
}

/* One row each time a bucket's cumulative share reaches the level; the last bucket has one, and another
 * for 100 %. */
static struct lauka_bucket print_rows(const struct rows *rows)
{
    struct lauka_bucket bucket = {0};
    double level = 0;
    while (lauka_histogram_next(rows->histogram, &bucket)) {
        double share = 100.0 * (double)bucket.cumulative / (double)rows->total;
        bool last = bucket.cumulative == rows->total;
        while (share >= level && level < 100.0) {
            print_row(rows, &bucket, level);
            level = level_after(level, rows->ticks);
            if (last)
                break;
        }
        if (last)
            print_row(rows, &bucket, 100.0);
    }
    return bucket;
}

int lauka_write_hgrm(const struct lauka_histogram *histogram, unsigned ticks, double divisor,
                     FILE *out)
{
    if (ticks == 0 || !(divisor > 0))
        return EINVAL;
    struct rows rows = {histogram, lauka_histogram_total(histogram), ticks, divisor, out};
    double mean, stddev;
    lauka_histogram_estimate(histogram, &mean, &stddev);
    int decimals = (int)histogram->digits;
    size_t octaves = lauka_histogram_size(histogram) >> histogram->sub_bits;

    fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
            "1/(1-Percentile)");
    struct lauka_bucket last = print_rows(&rows);
    fprintf(out, "#[Mean    = %12.*f, StdDeviation   = %12.*f]\n", decimals, mean / divisor,
            decimals, stddev / divisor);
    fprintf(out, "#[Max     = %12.*f, Total count    = %12" PRIu64 "]\n", decimals,
            (double)last.highest / divisor, rows.total);
    fprintf(out, "#[Buckets = %12zu, SubBuckets     = %12zu]\n", octaves - 1,
            (size_t)2 << histogram->sub_bits);
    return lauka_finish(out);
}
