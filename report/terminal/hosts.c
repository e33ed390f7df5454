/* What each of several hosts found, over one axis of change: whether they agree is to be seen at once. */
#include "report/terminal/terminal.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 36, NARROWEST = 12 };

struct forest {
    const struct lauka_result *result;
    struct lauka_terminal terminal;
    FILE *out;
    size_t command, metric;
    double low, high; /* of the axis, logarithms of ratios */
    int names, changes, width;
};

static void widen(struct forest *forest, const struct lauka_comparison *values)
{
    if (!values || !values->log_ratio.known)
        return;
    forest->low =
        fmin(forest->low, values->log_low.known ? values->log_low.value : values->log_ratio.value);
    forest->high = fmax(forest->high,
                        values->log_high.known ? values->log_high.value : values->log_ratio.value);
}

static int place(const struct forest *forest, double value)
{
    double share = (value - forest->low) / (forest->high - forest->low);
    return (int)fmin(fmax(floor(share * forest->width), 0), forest->width - 1);
}

static void draw(const struct forest *forest, const struct lauka_comparison *values)
{
    const bool utf8 = forest->terminal.utf8;
    const char *cells[WIDEST];
    for (int i = 0; i < forest->width; i++)
        cells[i] = " ";
    cells[place(forest, 0)] = utf8 ? "┊" : ":";
    if (values && values->log_ratio.known && values->log_low.known)
        for (int i = place(forest, values->log_low.value);
             i <= place(forest, values->log_high.value); i++)
            cells[i] = utf8 ? "─" : "-";
    if (values && values->log_ratio.known)
        cells[place(forest, values->log_ratio.value)] = utf8 ? "●" : "o";
    for (int i = 0; i < forest->width; i++)
        fputs(cells[i], forest->out);
}

static void put_row(const struct forest *forest, const char *name,
                    const struct lauka_comparison *values, const struct lauka_change *change,
                    const char *verdict)
{
    char text[160];
    snprintf(text, sizeof text, "%s%s%s", change->estimate, *change->interval ? " " : "",
             change->interval);
    fprintf(forest->out, "  %s%*s  ", name, forest->names - lauka_display_width(name), "");
    if (forest->width > 0) {
        draw(forest, values);
        fputs("  ", forest->out);
    }
    fprintf(forest->out, "%s%*s  %s\n", text, forest->changes - lauka_display_width(text), "",
            verdict);
}

static void measure(struct forest *forest, const char *name, const struct lauka_change *change)
{
    int width = lauka_display_width(change->estimate) +
                (*change->interval ? 1 + lauka_display_width(change->interval) : 0);
    forest->changes = width > forest->changes ? width : forest->changes;
    width = lauka_display_width(name);
    forest->names = width > forest->names ? width : forest->names;
}

static size_t shown_hosts(const struct forest *forest)
{
    size_t count = forest->result->merged.host_count;
    return count < LAUKA_HOSTS_SHOWN ? count : LAUKA_HOSTS_SHOWN;
}

/* What all hosts come to stands below them. */
static const struct lauka_comparison *all_of(const struct forest *forest,
                                             struct lauka_change *change)
{
    const struct lauka_comparison *all =
        lauka_result_comparison(forest->result, forest->command, forest->metric);
    *change = (struct lauka_change){{0}, {0}};
    if (all)
        lauka_change_format(
            all, lauka_result_scale(forest->result, forest->metric, forest->terminal.utf8),
            forest->terminal.utf8, change);
    return all;
}

static void set_widths(struct forest *forest)
{
    const bool utf8 = forest->terminal.utf8;
    struct lauka_change change;
    struct lauka_host_line line;
    const double precision = log1p(lauka_result_precision(forest->result));
    forest->low = -precision;
    forest->high = precision;
    widen(forest, all_of(forest, &change));
    measure(forest, "all", &change);
    for (size_t h = 0; h < shown_hosts(forest); h++) {
        lauka_host_line_make(forest->result, h, forest->command, forest->metric, utf8, &line);
        widen(forest, line.comparison);
        measure(forest, line.name, &line.change);
    }
    int room = forest->terminal.width - forest->names - forest->changes -
               (int)strlen("    inconclusive      ");
    forest->width = room > WIDEST ? WIDEST : room < NARROWEST ? 0 : room;
}

static void write_command(struct forest *forest)
{
    const struct lauka_result *result = forest->result;
    const char *unit = result->metrics[forest->metric].unit;
    char subject[LAUKA_SUBJECT_SIZE], title[LAUKA_SUBJECT_SIZE + 80];
    struct lauka_host_line line;
    struct lauka_change change;
    set_widths(forest);
    lauka_result_subject(result, forest->command, forest->terminal.utf8, subject);
    snprintf(title, sizeof title, "%s of %s on each host", result->metrics[forest->metric].name,
             subject);
    fputc('\n', forest->out);
    lauka_put_styled(title, LAUKA_STYLE_HEADING, forest->terminal, forest->out);
    fputc('\n', forest->out);
    for (size_t h = 0; h < shown_hosts(forest); h++) {
        bool known = lauka_host_line_make(result, h, forest->command, forest->metric,
                                          forest->terminal.utf8, &line);
        put_row(forest, line.name, line.comparison, &line.change,
                known ? line.verdict : "not measured");
    }
    if (result->merged.host_count > LAUKA_HOSTS_SHOWN)
        fprintf(forest->out, "  and %zu more hosts in the JSON\n",
                result->merged.host_count - LAUKA_HOSTS_SHOWN);
    const struct lauka_comparison *all = all_of(forest, &change);
    if (all && all->confidence > 0)
        put_row(forest, "all", all, &change, lauka_verdict_word(all, unit));
}

int lauka_write_hosts(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out)
{
    const size_t metric = lauka_result_main_metric(result);
    if (!lauka_result_has_hosts(result) || metric >= result->metric_count)
        return 0;
    errno = 0;
    for (size_t c = 1; c < result->command_count; c++) {
        struct forest forest = {
            .result = result, .terminal = terminal, .out = out, .command = c, .metric = metric};
        if (lauka_result_comparison(result, c, metric))
            write_command(&forest);
    }
    return lauka_finish(out);
}
