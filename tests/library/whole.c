/* A stranger's program: each header first and again, all of them together, the functions called. It is C99
 * and C++11. whole FOLDER: writes values.json, histograms.json, before.hlog and after.hlog there. */
#include "lauka_report.h"
#include "lauka_histogram.h"
#include "lauka_counts.h"
#include "lauka_micro.h"
#include "lauka_compare.h"
#include "lauka_report.h"

#include <stdio.h>

double of_another_file(struct lauka_hdr *histogram);

static uint64_t drawn(uint64_t level)
{
    static uint64_t state = 1;
    uint64_t sum = 0;

    for (int i = 0; i < 12; i++)
        sum += lauka_micro_draw(&state, level / 50);
    return level + sum;
}

static const char *in(const char *folder, const char *name)
{
    static char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int write_values(const char *folder)
{
    struct lauka_report *report = lauka_report_new("sorting");
    int time = lauka_report_add_metric(report, "sort_time", "ns", LAUKA_REPORT_LOWER);
    int error = 0;

    lauka_report_add_side(report, "quick");
    lauka_report_add_side(report, "slow");
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 80 && !error; i++) {
            uint64_t value = drawn(side ? 1100000 : 1000000);
            error = lauka_report_add_values(report, side, time, &value, 1);
        }
    lauka_report_pair(report);
    if (!error)
        error = lauka_report_write_screen(report, stdout);
    if (!error)
        error = lauka_report_save_json(report, in(folder, "values.json"));
    lauka_report_free(report);
    return error;
}

static int write_log(const char *path, const struct lauka_hdr *histogram)
{
    FILE *out = fopen(path, "w");
    int error = out ? lauka_hdr_log_begin(out, "whole", 1.7e9) : errno;

    if (!error)
        error = lauka_hdr_log_write(out, NULL, 0, 1, 1e6, histogram);
    if (out)
        fclose(out);
    return error;
}

static int write_histograms(const char *folder)
{
    static const char *const names[] = {"before.hlog", "after.hlog"};
    struct lauka_report *report = lauka_report_new(NULL);
    struct lauka_hdr_recorder *recorder = lauka_hdr_recorder_new(3);
    struct lauka_hdr *histogram = lauka_hdr_new(3, 0, 0);
    int time = lauka_report_add_metric(report, "latency", "ns", LAUKA_REPORT_LOWER), error = 0;

    for (int side = 0; side < 2 && !error; side++) {
        for (int i = 0; i < 3000; i++)
            lauka_hdr_recorder_record(recorder, drawn(side ? 2000000 : 1000000));
        error = lauka_hdr_recorder_take(recorder, histogram);
        if (!error)
            error = lauka_report_add_histogram(report, lauka_report_add_side(report, names[side]),
                                               time, histogram);
        if (!error)
            error = write_log(in(folder, names[side]), histogram);
    }
    printf("mean %.0f\n", of_another_file(histogram));
    if (!error)
        error = lauka_report_save_json(report, in(folder, "histograms.json"));
    lauka_hdr_free(histogram);
    lauka_hdr_recorder_free(recorder);
    lauka_report_free(report);
    return error;
}

static int count_a_region(void)
{
    const struct lauka_region_event events[] = {lauka_region_known(LAUKA_REGION_CPU_NS)};
    struct lauka_region region;
    struct lauka_counts counts;
    struct lauka_report *report = lauka_report_new("region");
    int error = lauka_region_open(&region, events, 1, NULL);

    if (!error)
        error = lauka_counts_open(&counts, &region, 0);
    for (int i = 0; i < 100 && !error; i++) {
        if (i == 50)
            lauka_counts_reset(&counts);
        lauka_region_begin(&region);
        drawn(1000);
        lauka_region_end(&region);
        lauka_counts_record(&counts, &region);
    }
    if (!error)
        error = lauka_counts_write(&counts, "drawing", stdout);
    if (!error)
        error = lauka_counts_add(&counts, report, "drawing");
    if (!error)
        error = lauka_report_write_percentiles(report, stdout);
    lauka_counts_close(&counts);
    lauka_region_close(&region);
    lauka_report_free(report);
    return error;
}

int main(int argc, char **argv)
{
    const double few[] = {1, 2, 3};
    struct lauka_compare_result result;

    if (argc != 2 || lauka_compare_doubles(few, 3, few, 3, NULL, &result) != 0)
        return 2;
    int error = write_values(argv[1]);
    if (!error)
        error = write_histograms(argv[1]);
    if (!error)
        error = count_a_region();
    printf("error %d\n", error);
    return error != 0;
}
