/* Our side of the interchange: writes a log, or prints what is in one, as Interop.java does. interop
 * write|read FILE */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/hdr/hdr.h"
#include "stats/histogram.h"
#include "stats/stats.h"
#include "tests/unit/hdr_intervals.h"

enum { INTERVALS = 25 };

static const double epoch = 1700000000.5; /* s */

static int read_log(FILE *file, const char *path)
{
    struct lauka_hlog log;
    struct lauka_hlog_interval interval;
    char error[256];
    enum lauka_hlog_status status;
    lauka_hlog_open(&log, file, path);
    while ((status = lauka_hlog_read(&log, &interval, error, sizeof error)) ==
           LAUKA_HLOG_INTERVAL) {
        print_interval(&interval, stdout);
        lauka_histogram_done(&interval.histogram);
    }
    lauka_hlog_close(&log);
    if (status == LAUKA_HLOG_ERROR)
        fprintf(stderr, "%s\n", error);
    return status == LAUKA_HLOG_ERROR;
}

/* Own histograms of all digits, with values up to 2^53 and beyond, counters of both widths. */
static int fill(struct lauka_histogram *histogram, uint64_t number, struct lauka_random *random)
{
    const struct lauka_histogram_options options = {
        .digits = 1 + (unsigned)(number % 5),
        .narrow = number % 2,
    };
    int error = lauka_histogram_init(histogram, &options);
    unsigned least = number < 20 ? 11 : 1; /* bits of the largest values: 53 and 63 */
    for (uint64_t n = 0; error == 0 && n < 40 * number; n++) {
        uint64_t value = lauka_random_next(random) >> least;
        value >>= lauka_random_below(random, 64 - least);
        lauka_histogram_record_count(histogram, value, 1 + lauka_random_below(random, 1000));
    }
    return error;
}

static int write_log(FILE *file)
{
    struct lauka_random random;
    lauka_random_seed(&random, 7);
    int error = lauka_hlog_write_header("written by lauka", epoch, file);
    for (uint64_t i = 0; error == 0 && i < INTERVALS; i++) {
        struct lauka_hlog_interval interval = {.offset = (double)i, .length = 0.5};
        interval.start = epoch + interval.offset;
        if (i % 3 != 0)
            snprintf(interval.tag, sizeof interval.tag, "tag.%" PRIu64, i);
        error = fill(&interval.histogram, i, &random);
        if (error == 0)
            error = lauka_hlog_write(&interval, 1e6, file);
        /* As it will be read: a highest value is chosen in writing. */
        interval.histogram.highest = i < 20 ? (UINT64_C(1) << 53) - 1 : INT64_MAX;
        print_interval(&interval, stdout);
        lauka_histogram_done(&interval.histogram);
    }
    return error;
}

int main(int argc, char **argv)
{
    bool writes = argc == 3 && strcmp(argv[1], "write") == 0;
    FILE *file = argc == 3 ? fopen(argv[2], writes ? "w" : "r") : NULL;
    if (!file) {
        perror(argc == 3 ? argv[2] : "interop write|read FILE");
        return 2;
    }
    int status = writes ? write_log(file) : read_log(file, argv[2]);
    return fclose(file) != 0 || status != 0;
}
