/* Compares two logs of a server's latencies, written by HdrHistogram: how slow were the slow requests,
 * before and after?
 *
 *     cc -O2 server_log.c -o server_log $(pkg-config --cflags --libs lauka)
 *     ./server_log before.hlog after.hlog && lauka gate --gate latency.p99=5% server_log.json */
#include "lauka_report.h"

#include <errno.h>
#include <string.h>

/* Returns all intervals of the log as one histogram; NULL if it cannot be read. */
static struct lauka_hdr *read_log(const char *path)
{
    struct lauka_hdr *all = lauka_hdr_new(3, 0, 0);
    FILE *file = fopen(path, "r");
    struct lauka_hdr_log *log = file && all ? lauka_hdr_log_open(file, path) : NULL;
    struct lauka_hdr_interval interval;
    int more = -1, failed = 0;

    while (log && !failed && (more = lauka_hdr_log_read(log, &interval)) == 1) {
        failed = lauka_hdr_merge(all, interval.histogram);
        lauka_hdr_free(interval.histogram);
    }
    if (more < 0 || failed)
        fprintf(stderr, "%s\n",
                log && !failed ? lauka_hdr_log_error(log) : strerror(failed ? failed : errno));
    lauka_hdr_log_close(log);
    if (file)
        fclose(file);
    if (more == 0 && !failed)
        return all;
    lauka_hdr_free(all);
    return NULL;
}

int main(int argc, char **argv)
{
    struct lauka_hdr *before = argc == 3 ? read_log(argv[1]) : NULL;
    struct lauka_hdr *after = before ? read_log(argv[2]) : NULL;
    struct lauka_report *report = after ? lauka_report_new("server") : NULL;
    struct lauka_compare_tail tail;

    if (!report || lauka_compare_percentile(before, after, 99, NULL, &tail) != 0)
        return 1;
    lauka_report_write_difference("latency", "before", before, "after", after, stdout);
    printf("\np99 is %s: %.0f against %.0f\n", lauka_compare_verdict_name(tail.verdict),
           tail.other.value.value, tail.reference.value.value);
    lauka_report_add_metric(report, "latency", "ns", LAUKA_REPORT_LOWER);
    lauka_report_add_histogram(report, lauka_report_add_side(report, "before"), 0, before);
    lauka_report_add_histogram(report, lauka_report_add_side(report, "after"), 0, after);
    int error = lauka_report_save_json(report, "server_log.json");
    lauka_report_free(report);
    lauka_hdr_free(before);
    lauka_hdr_free(after);
    return error != 0;
}
