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

/* Formats "NAME: Total=1,000, Overflow=0, Mean=21,443.7, P0=20,096, P25=... P999=..., P100=..."
 * without newline, cut to `size` bytes including the NUL. Returns text. */
LAUKA_API char *lauka_report_line(const struct lauka_hdr *histogram, const char *name, char *text,
                                  size_t size);

/* Writes 16 percentiles with the error of each and the number of values up to it, then total, mean
 * and deviation, as a table in Markdown. Returns 0 or an errno of `out`. */
LAUKA_API int lauka_report_write_histogram(const struct lauka_hdr *histogram, const char *title,
                                           FILE *out);

/* Compares two histograms in a table: each percentile beyond which both have values, the change in percent, then
 * means, deviations, totals, and the difference of the means in standard deviations. Otherwise the same. */
LAUKA_API int lauka_report_write_difference(const char *title, const char *reference_name,
                                            const struct lauka_hdr *reference,
                                            const char *other_name, const struct lauka_hdr *other,
                                            FILE *out);

/* ---- a report ---------------------------------------------------------------------------------- */

struct lauka_report;

/* name: the benchmark's, which identifies it among several reports; NULL: none. Returns NULL and
 * errno ENOMEM on failure. Free it with lauka_report_free, which accepts NULL. */
LAUKA_API struct lauka_report *lauka_report_new(const char *name);
LAUKA_API void lauka_report_free(struct lauka_report *report);

enum lauka_report_better {
    LAUKA_REPORT_LOWER,  /* lower is better: a rise is "slower" for times, "higher" for others */
    LAUKA_REPORT_HIGHER, /* throughput */
    LAUKA_REPORT_NEITHER
};

/* name: usually letters, digits and _; gates use it. unit: "ns", "B", or "1" for counts. Returns the
 * metric's index from 0, or -1 and errno: EINVAL (an empty or duplicate name, another unit), ENOMEM. */
LAUKA_API int lauka_report_add_metric(struct lauka_report *report, const char *name,
                                      const char *unit, enum lauka_report_better better);

/* Adds one of the compared sides; the first is the reference. Returns its index from 0, or -1 and
 * errno. */
LAUKA_API int lauka_report_add_side(struct lauka_report *report, const char *label);

/* Appends values of a side in a metric. Value i belongs to round i, and is UINT64_MAX if it was not
 * measured. EINVAL: the index does not exist, or the report has histograms. ENOMEM. */
LAUKA_API int lauka_report_add_values(struct lauka_report *report, int side, int metric,
                                      const uint64_t *values, size_t count);

/* Adds the counts of a histogram. A report has either values or histograms: EINVAL if it has
 * values, or if an index does not exist. If all histograms together hold at most 67 million values,
 * sides are compared with interval and verdict; otherwise only by means and percentiles. */
LAUKA_API int lauka_report_add_histogram(struct lauka_report *report, int side, int metric,
                                         const struct lauka_hdr *histogram);

/* Declares that values with the same index belong together, because all sides were measured in
 * rounds, in turns. Otherwise nothing is paired. All sides must have equally many values. */
LAUKA_API void lauka_report_pair(struct lauka_report *report);

/* Adds a note that every form of the report shows, or a label, KEY=VALUE, for its JSON. */
LAUKA_API int lauka_report_add_note(struct lauka_report *report, const char *text);
LAUKA_API int lauka_report_add_label(struct lauka_report *report, const char *key,
                                     const char *value);

/* ---- what it comes to -------------------------------------------------------------------------- */

/* These return 0; EINVAL for a report without metric, side or value; ENOMEM; or an errno of the
 * output. They do not change the report: values may still be added. Colours, width and characters
 * suit `out`, as in lauka itself. */

/* One sentence about the reference alone, or about a side compared with it; cut to `size` bytes including the NUL. */
LAUKA_API int lauka_report_sentence(const struct lauka_report *report, int side, char *text,
                                    size_t size);

/* Compares a side with the reference in one metric; side is not 0. LAUKA_COMPARE_NONE if there are
 * too many values. */
LAUKA_API int lauka_report_compare(const struct lauka_report *report, int side, int metric,
                                   struct lauka_compare_result *result);

/* What `lauka` shows on the screen, the table of `lauka --full`, and the percentiles of each metric. */
LAUKA_API int lauka_report_write_screen(const struct lauka_report *report, FILE *out);
LAUKA_API int lauka_report_write_table(const struct lauka_report *report, FILE *out);
LAUKA_API int lauka_report_write_percentiles(const struct lauka_report *report, FILE *out);

/* Writes the JSON of `lauka --json` (lauka-result/1.1) to a stream, or to a file, which it replaces as a whole. */
LAUKA_API int lauka_report_write_json(const struct lauka_report *report, FILE *out);
LAUKA_API int lauka_report_save_json(const struct lauka_report *report, const char *path);

#if defined(__cplusplus)
}
#endif

#endif
