/* Compares logs of a server's latencies, written by HdrHistogram: how slow were the slow requests, before and
 * after? Requests of one run have much in common, so each run is one observation, however many requests it has: give
 * several logs of each side.
 *
 *     cc -O2 server_log.c -o server_log $(pkg-config --cflags --libs lauka)
 *     ./server_log before-*.hlog --vs after-*.hlog && lauka gate --gate p99=5% server_log.json */
#include "lauka_report.h"

#include <errno.h>
#include <string.h>

enum { RUNS_MAX = 1000 };

struct side {
    const char *name;
    struct lauka_hdr *all;  /* the requests of all runs, for the picture */
    uint64_t p99[RUNS_MAX]; /* of each run */
    size_t runs;
};

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

static int add_run(struct side *side, const char *path)
{
    struct lauka_hdr *run = side->runs < RUNS_MAX ? read_log(path) : NULL;

    if (!run || lauka_hdr_merge(side->all, run) != 0)
        return 1;
    side->p99[side->runs++] = lauka_hdr_percentile(run, 99);
    lauka_hdr_free(run);
    return 0;
}

/* Runs that were not made side by side are not paired. Four of each side are the fewest for a verdict. */
static int compare(const struct side *before, const struct side *after)
{
    const struct lauka_compare_options options = {.unpaired = 1};
    struct lauka_compare_result p99;

    if (before->runs < 4 || after->runs < 4) {
        printf("\nno verdict: a side needs at least four runs\n");
        return 0;
    }
    if (lauka_compare_values(before->p99, before->runs, after->p99, after->runs, &options, &p99))
        return 1;
    printf("\np99 is %s: %.0f against %.0f, over %zu and %zu runs\n",
           lauka_compare_verdict_name(p99.verdict), p99.other_mean, p99.reference_mean, after->runs,
           before->runs);
    return 0;
}

static int save(const struct side sides[2])
{
    struct lauka_report *report = lauka_report_new("server");
    int metric = report ? lauka_report_add_metric(report, "p99", "ns", LAUKA_REPORT_LOWER) : -1;

    for (int i = 0; report && i < 2; i++)
        lauka_report_add_values(report, lauka_report_add_side(report, sides[i].name), metric,
                                sides[i].p99, sides[i].runs);
    int error = report ? lauka_report_save_json(report, "server_log.json") : ENOMEM;
    lauka_report_free(report);
    return error;
}

int main(int argc, char **argv)
{
    static struct side sides[2] = {{.name = "before"}, {.name = "after"}};
    int which = 0, failed = 0;

    for (int i = 0; i < 2; i++)
        sides[i].all = lauka_hdr_new(3, 0, 0);
    for (int i = 1; i < argc && !failed; i++)
        if (strcmp(argv[i], "--vs") == 0)
            which = 1;
        else
            failed = !sides[which].all || add_run(&sides[which], argv[i]);
    failed = failed || sides[0].runs == 0 || sides[1].runs == 0;
    if (!failed)
        lauka_report_write_difference("latency", "before", sides[0].all, "after", sides[1].all,
                                      stdout);
    failed = failed || compare(&sides[0], &sides[1]) || save(sides);
    lauka_hdr_free(sides[0].all);
    lauka_hdr_free(sides[1].all);
    return failed;
}
