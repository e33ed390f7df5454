/* What a program measured, until it is shown. */
#include "liblauka/report.h"
#include "liblauka/hdr.h"
#include "report/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct lauka_report *lauka_report_new(const char *name)
{
    struct lauka_report *report = calloc(1, sizeof *report);
    char begin[LAUKA_DATE_SIZE];
    if (!report || !lauka_format_time(time(NULL), begin))
        return free(report), lauka_hdr_refuse(ENOMEM);
    report->frame.provenance.begin = strdup(begin);
    report->frame.provenance.version = strdup(LAUKA_VERSION);
    report->frame.benchmark.name = name ? strdup(name) : NULL;
    if (report->frame.provenance.begin && report->frame.provenance.version &&
        (!name || report->frame.benchmark.name))
        return report;
    lauka_report_free(report);
    return lauka_hdr_refuse(ENOMEM);
}

static size_t cell_count(const struct lauka_report *report)
{
    return report->frame.command_count * report->frame.metric_count;
}

void lauka_report_free(struct lauka_report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < cell_count(report); i++) {
        lauka_series_done(&report->cells[i].values);
        lauka_hdr_free(report->cells[i].counts);
    }
    free(report->cells);
    lauka_result_done(&report->frame);
    free(report);
}

struct lauka_report_cell *lauka_report_cell_of(const struct lauka_report *report, size_t side,
                                               size_t metric)
{
    return &report->cells[side * report->frame.metric_count + metric];
}

/* ---- metrics and sides ------------------------------------------------------------------------- */

static int refuse(int error)
{
    errno = error;
    return -1;
}

/* Moves all cells to where they will be. 0 or ENOMEM. */
static int lay_out(struct lauka_report *report, size_t sides, size_t metrics)
{
    struct lauka_report_cell *cells = calloc(sides * metrics + 1, sizeof *cells);
    if (!cells)
        return ENOMEM;
    for (size_t s = 0; s < report->frame.command_count; s++)
        for (size_t m = 0; m < report->frame.metric_count; m++)
            cells[s * metrics + m] = *lauka_report_cell_of(report, s, m);
    free(report->cells);
    report->cells = cells;
    return 0;
}

/* A larger array of items of that size; NULL if there is no memory, and the old one stays. */
static void *grown(void *items, size_t count, size_t size)
{
    char *larger = realloc(items, (count + 1) * size);
    if (larger)
        memset(larger + count * size, 0, size);
    return larger;
}

static bool is_unit(const char *unit)
{
    return strcmp(unit, "ns") == 0 || strcmp(unit, "B") == 0 || strcmp(unit, "1") == 0;
}

int lauka_report_add_metric(struct lauka_report *report, const char *name, const char *unit,
                            enum lauka_report_better better)
{
    static const char *const betters[] = {"lower", "higher", "neither"};
    struct lauka_result *frame = &report->frame;
    size_t count = frame->metric_count;
    if (!*name || !is_unit(unit) || (size_t)better >= sizeof betters / sizeof *betters ||
        lauka_result_metric_index(frame, name) < count)
        return refuse(EINVAL);
    struct lauka_result_metric *metrics = grown(frame->metrics, count, sizeof *metrics);
    if (!metrics)
        return refuse(ENOMEM);
    frame->metrics = metrics;
    struct lauka_result_metric metric = {
        .name = strdup(name), .unit = strdup(unit), .source = strdup(LAUKA_SOURCE_PROGRAM)};
    if (metric.name && metric.unit && metric.source &&
        lay_out(report, frame->command_count, count + 1) == 0) {
        metric.better = betters[better];
        metric.share = 1;
        metric.primary = true;
        frame->metrics[frame->metric_count++] = metric;
        return (int)count;
    }
    free(metric.name);
    free(metric.unit);
    free(metric.source);
    return refuse(ENOMEM);
}

int lauka_report_add_side(struct lauka_report *report, const char *label)
{
    struct lauka_result *frame = &report->frame;
    size_t count = frame->command_count;
    struct lauka_result_command *commands = grown(frame->commands, count, sizeof *commands);
    if (!commands)
        return refuse(ENOMEM);
    frame->commands = commands;
    char *copy = strdup(label);
    if (!copy || lay_out(report, count + 1, frame->metric_count) != 0) {
        free(copy);
        return refuse(ENOMEM);
    }
    frame->commands[frame->command_count++].label = copy;
    return (int)count;
}

/* ---- what was measured ------------------------------------------------------------------------- */

static struct lauka_report_cell *find(const struct lauka_report *report, int side, int metric)
{
    if (side < 0 || metric < 0 || (size_t)side >= report->frame.command_count ||
        (size_t)metric >= report->frame.metric_count)
        return NULL;
    return lauka_report_cell_of(report, (size_t)side, (size_t)metric);
}

int lauka_report_add_values(struct lauka_report *report, int side, int metric,
                            const uint64_t *values, size_t count)
{
    struct lauka_report_cell *cell = find(report, side, metric);
    if (!cell || report->has_histograms)
        return EINVAL;
    size_t wanted = cell->values.count + count, capacity = cell->values.capacity;
    if (wanted > capacity) { /* one value at a time costs no more than all at once */
        int error =
            lauka_series_reserve(&cell->values, wanted > 2 * capacity ? wanted : 2 * capacity);
        if (error)
            return error;
    }
    lauka_series_add_all(&cell->values, values, count);
    report->has_values |= count > 0;
    return 0;
}

int lauka_report_add_histogram(struct lauka_report *report, int side, int metric,
                               const struct lauka_hdr *histogram)
{
    struct lauka_report_cell *cell = find(report, side, metric);
    if (!cell || report->has_values)
        return EINVAL;
    report->has_histograms = true;
    if (cell->counts)
        return lauka_hdr_merge(cell->counts, histogram);
    cell->counts = lauka_hdr_copy(histogram);
    return cell->counts ? 0 : ENOMEM;
}

void lauka_report_pair(struct lauka_report *report)
{
    report->paired = true;
}

int lauka_report_add_note(struct lauka_report *report, const char *text)
{
    return lauka_result_warn(&report->frame, text);
}

int lauka_report_add_label(struct lauka_report *report, const char *key, const char *value)
{
    struct lauka_result_provenance *provenance = &report->frame.provenance;
    return lauka_parameters_add(&provenance->labels, &provenance->label_count, key, value);
}
