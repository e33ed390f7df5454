/* Compares HdrHistogram's logs of a server. Each run, so each log, is one observation: give at least four of each side.
 *
 *     cc -O2 server_log.c -o server_log $(pkg-config --cflags --libs lauka)
 *     ./server_log before-*.hlog --vs after-*.hlog && lauka gate --gate p99=5% server_log.json */
#include "lauka_report.h"
#include <errno.h>
#include <string.h>

/* Returns a run's p99; 0 if its log cannot be read. Adds all intervals to `all`. */
static uint64_t read_log(const char *path, struct lauka_hdr *all)
{
    struct lauka_hdr *run = lauka_hdr_new(3, 0, 0);
    FILE *file = fopen(path, "r");
    struct lauka_hdr_log *log = file ? lauka_hdr_log_open(file, path) : NULL;
    struct lauka_hdr_interval interval;
    int more = log && run && all ? 1 : -1;

    while (more == 1 && (more = lauka_hdr_log_read(log, &interval)) == 1) {
        more = lauka_hdr_merge(run, interval.histogram) ? -1 : 1;
        lauka_hdr_free(interval.histogram);
    }
    if (more < 0)
        fprintf(stderr, "%s: %s\n", path, log ? lauka_hdr_log_error(log) : strerror(errno));
    uint64_t p99 = more == 0 && !lauka_hdr_merge(all, run) ? lauka_hdr_percentile(run, 99) : 0;
    lauka_hdr_log_close(log);
    if (file)
        fclose(file);
    lauka_hdr_free(run);
    return p99;
}

int main(int argc, char **argv)
{
    enum { RUNS_MAX = 1000 };
    static uint64_t p99[2][RUNS_MAX];
    struct lauka_hdr *all[2] = {lauka_hdr_new(3, 0, 0), lauka_hdr_new(3, 0, 0)};
    struct lauka_report *report = lauka_report_new("server");
    size_t runs[2] = {0, 0}, side = 0;
    int metric = report ? lauka_report_add_metric(report, "p99", "ns", LAUKA_REPORT_LOWER) : 0;

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--vs") == 0)
            side = 1;
        else if (runs[side] == RUNS_MAX ||
                 !(p99[side][runs[side]++] = read_log(argv[i], all[side])))
            return 1;
    if (!report || runs[0] == 0 || runs[1] == 0)
        return 1;
    lauka_report_write_difference("latency", "before", all[0], "after", all[1], stdout);
    for (side = 0; side < 2; side++)
        lauka_report_add_values(report, lauka_report_add_side(report, side ? "after" : "before"),
                                metric, p99[side], runs[side]);
    lauka_report_write_screen(report, stdout); /* what p99 of the runs says */
    int error = lauka_report_save_json(report, "server_log.json");
    lauka_report_free(report);
    for (side = 0; side < 2; side++)
        lauka_hdr_free(all[side]);
    return error != 0;
}
