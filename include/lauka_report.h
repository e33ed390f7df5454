/* lauka_report.h: what a program measured, as lauka shows it, and as files that `lauka report`, `compare` and `gate`
 * take. For C99 and C++11, of liblauka (pkg-config lauka).
 *
 *     struct lauka_report *report = lauka_report_new("parse");
 *     int time = lauka_report_add_metric(report, "parse_time", "ns", LAUKA_REPORT_LOWER);
 *     int old = lauka_report_add_side(report, "strtod"), mine = lauka_report_add_side(report, "by hand");
 *     lauka_report_add_values(report, old, time, old_ns, 100);
 *     lauka_report_add_values(report, mine, time, my_ns, 100);
 *     lauka_report_write_table(report, stdout);
 *     lauka_report_save_json(report, "parse.json");
 *     lauka_report_free(report);
 *
 * Functions that return int return 0 or an errno, unless they say otherwise. All texts are copied. One thread at a
 * time may use a report; two threads may use two. Nothing here exits or handles signals. */
#ifndef LAUKA_REPORT_H
#define LAUKA_REPORT_H

#include "lauka_histogram.h"

#include "lauka_compare.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* ---- histograms at once ------------------------------------------------------------------------ */

/* "NAME: Total=1,000, Overflow=0, Mean=21,443.7, P0=20,096, P25=... P999=..., P100=...", without newline, cut
 * to `size` bytes with its NUL. Returns text. */
LAUKA_API char *lauka_report_line(const struct lauka_hdr *histogram, const char *name, char *text,
                                  size_t size);

/* A table of 16 percentiles with the error of each and how many values lie up to it, total, mean and deviation. It is
 * valid Markdown. Returns an errno of `out`. */
LAUKA_API int lauka_report_write_histogram(const struct lauka_hdr *histogram, const char *title,
                                           FILE *out);

/* A table of two histograms: each percentile that both have values beyond, the change in percent, then means,
 * deviations, totals, and the difference of the means in standard deviations. The same otherwise. */
LAUKA_API int lauka_report_write_difference(const char *title, const char *reference_name,
                                            const struct lauka_hdr *reference,
                                            const char *other_name, const struct lauka_hdr *other,
                                            FILE *out);

/* ---- a report ---------------------------------------------------------------------------------- */

struct lauka_report;

/* name: of the benchmark, by which reports of several are told apart; NULL: none. NULL, and errno ENOMEM. To be
 * freed by lauka_report_free, which takes NULL. */
LAUKA_API struct lauka_report *lauka_report_new(const char *name);
LAUKA_API void lauka_report_free(struct lauka_report *report);

enum lauka_report_better {
    LAUKA_REPORT_LOWER,  /* is better: a rise is "slower" of times, "higher" of others */
    LAUKA_REPORT_HIGHER, /* throughput */
    LAUKA_REPORT_NEITHER
};

/* name: letters, digits and _ as a rule; gates call it so. unit: "ns", "B", or "1" for counts. Returns its index,
 * from 0, or -1 and errno: EINVAL (no name, one that is there already, another unit), ENOMEM. */
LAUKA_API int lauka_report_add_metric(struct lauka_report *report, const char *name,
                                      const char *unit, enum lauka_report_better better);

/* One of the things that are compared; the first is the reference. Returns its index, from 0, or -1 and
 * errno. */
LAUKA_API int lauka_report_add_side(struct lauka_report *report, const char *label);

/* Appends values of a side in a metric: value i belongs to round i, and is UINT64_MAX if it was not
 * measured. EINVAL: an index that does not exist, or the report has histograms. ENOMEM. */
LAUKA_API int lauka_report_add_values(struct lauka_report *report, int side, int metric,
                                      const uint64_t *values, size_t count);

/* Adds the counts of a histogram. A report has either values or histograms: EINVAL if it has values, or
 * for an index that does not exist. If all histograms together hold at most 67 million values, sides are
 * compared with interval and verdict; beyond that by means and percentiles. */
LAUKA_API int lauka_report_add_histogram(struct lauka_report *report, int side, int metric,
                                         const struct lauka_hdr *histogram);

/* Declares that values with the same index belong together: all sides were measured in rounds, one after
 * the other, in turns. Otherwise nothing is paired. It requires equally many values on all sides. */
LAUKA_API void lauka_report_pair(struct lauka_report *report);

/* A note that every form of the report shows; and a label, KEY=VALUE, for its JSON. */
LAUKA_API int lauka_report_add_note(struct lauka_report *report, const char *text);
LAUKA_API int lauka_report_add_label(struct lauka_report *report, const char *key,
                                     const char *value);

/* ---- what it comes to -------------------------------------------------------------------------- */

/* These return EINVAL for a report without metric, side or value, ENOMEM, or an errno of the output. They
 * change nothing: more values may be added afterwards. Colours, width and characters suit `out`, as in
 * lauka itself. */

/* One sentence about a side: the reference alone, the others against it; cut to `size` bytes with its NUL. */
LAUKA_API int lauka_report_sentence(const struct lauka_report *report, int side, char *text,
                                    size_t size);

/* A side against the reference in one metric; side is not 0. LAUKA_COMPARE_NONE if there were too many
 * values. */
LAUKA_API int lauka_report_compare(const struct lauka_report *report, int side, int metric,
                                   struct lauka_compare_result *result);

/* What `lauka` shows on the screen; the table of `lauka --full`; and the percentiles of each metric. */
LAUKA_API int lauka_report_write_screen(const struct lauka_report *report, FILE *out);
LAUKA_API int lauka_report_write_table(const struct lauka_report *report, FILE *out);
LAUKA_API int lauka_report_write_percentiles(const struct lauka_report *report, FILE *out);

/* The JSON of `lauka --json` (lauka-result/1.1), to a stream, or to a file, which is replaced as a whole. */
LAUKA_API int lauka_report_write_json(const struct lauka_report *report, FILE *out);
LAUKA_API int lauka_report_save_json(const struct lauka_report *report, const char *path);

#if defined(__cplusplus)
}
#endif

#endif
