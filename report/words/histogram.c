/* A histogram as people read it: in one line for monitoring, and as tables, which are valid Markdown and also align in a
 * terminal. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <math.h>
#include <string.h>

enum { NAME_WIDTH = 24, COLUMNS = 4, ROWS_MAX = LAUKA_SUMMARY_RANKS + 8 };

/* ---- numbers --------------------------------------------------------------------------------- */

/* "~" is from the buckets: good to their precision. */
static const char *mean_of(struct lauka_prose *prose, const struct lauka_histogram_summary *summary,
                           int decimals)
{
    return lauka_say(prose, "%s%s", summary->exact ? "" : "~",
                     lauka_say_grouped(prose, summary->mean, decimals));
}

static const char *percent_of(struct lauka_prose *prose, double error)
{
    return lauka_say(prose, "%.4f%%", 100 * error);
}

static const char *grouped(struct lauka_prose *prose, struct lauka_optional value)
{
    return value.known ? lauka_say_grouped(prose, value.value, 2) : prose->signs->dash;
}

/* ---- one line -------------------------------------------------------------------------------- */

const char *lauka_say_histogram(struct lauka_prose *prose,
                                const struct lauka_histogram_summary *summary, const char *name)
{
    static const struct {
        const char *name;
        size_t rank; /* index of lauka_summary_ranks */
    } shown[] = {{"P0", 0},  {"P25", 4},  {"P50", 5},   {"P90", 7},
                 {"P95", 9}, {"P99", 11}, {"P999", 12}, {"P100", 15}};
    const char *text = lauka_say(
        prose, "%s: Total=%s, Overflow=%s", lauka_say_fitted(prose, name, 80),
        lauka_say_count(prose, summary->total), lauka_say_count(prose, summary->overflow));
    if (summary->total == 0)
        return text;
    text = lauka_say(prose, "%s, Mean=%s", text, mean_of(prose, summary, 1));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        text = lauka_say(
            prose, "%s, %s=%s", text, shown[i].name,
            lauka_say_count(prose, lauka_bucket_middle(&summary->quantiles[shown[i].rank].bucket)));
    return text;
}

/* ---- tables ---------------------------------------------------------------------------------- */

struct table {
    struct lauka_prose *prose;
    const char *cells[ROWS_MAX][COLUMNS];
    size_t rows;
    bool left[COLUMNS]; /* alignment; numbers stand to the right */
};

static void add_row(struct table *table, const char *a, const char *b, const char *c, const char *d)
{
    const char *texts[COLUMNS] = {a, b, c, d};
    memcpy(table->cells[table->rows++], texts, sizeof texts);
}

static void print_row(const struct table *table, size_t row, const int *widths)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *text = table->cells[row][i];
        int padding = widths[i] - lauka_display_width(text);
        lauka_put(table->prose, "| %*s%s%*s ", table->left[i] ? 0 : padding, "", text,
                  table->left[i] ? padding : 0, "");
    }
    lauka_put(table->prose, "|\n");
}

static void print_rule(const struct table *table, const int *widths)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        lauka_put(table->prose, table->left[i] ? "| :" : "| ");
        for (int j = 1; j < widths[i]; j++)
            lauka_put(table->prose, "-");
        lauka_put(table->prose, table->left[i] ? " " : ": ");
    }
    lauka_put(table->prose, "|\n");
}

static void print_table(const struct table *table, const char *title)
{
    int widths[COLUMNS] = {0};
    lauka_put(table->prose, "##### %s\n", lauka_say_safely(table->prose, title));
    for (size_t row = 0; row < table->rows; row++)
        for (size_t i = 0; i < COLUMNS; i++) {
            int width = lauka_display_width(table->cells[row][i]);
            widths[i] = width > widths[i] ? width : widths[i];
        }
    for (size_t row = 0; row < table->rows; row++) {
        print_row(table, row, widths);
        if (row == 0)
            print_rule(table, widths);
    }
}

static void add_quantile(struct table *table, const struct lauka_quantile *quantile)
{
    struct lauka_prose *prose = table->prose;
    add_row(table, lauka_say_rank(prose, quantile->rank),
            lauka_say_count(prose, lauka_bucket_middle(&quantile->bucket)),
            lauka_say(prose, "%s%s", prose->signs->plus_minus,
                      lauka_say_count(prose, lauka_bucket_error(&quantile->bucket))),
            lauka_say_count(prose, quantile->count));
}

static void add_rest(struct table *table, const struct lauka_histogram_summary *summary)
{
    struct lauka_prose *prose = table->prose;
    const bool bounded = summary->range_min > 0 || summary->range_max > 0;
    if (summary->overflow > 0 || bounded)
        add_row(table, "Overflow", "", "", lauka_say_count(prose, summary->overflow));
    add_row(table, "", "", "", "");
    if (summary->total > 0)
        add_row(table, "Mean:", mean_of(prose, summary, 2),
                "StDev:", grouped(prose, summary->stddev));
    add_row(table, "Precision:", percent_of(prose, summary->error),
            "Total:", lauka_say_count(prose, summary->total));
    if (bounded)
        add_row(table, "Range Min:", lauka_say_count(prose, summary->range_min), "Max:",
                lauka_say_count(prose, summary->range_max ? summary->range_max : UINT64_MAX));
}

void lauka_put_histogram(struct lauka_prose *prose, const struct lauka_histogram_summary *summary,
                         const char *title)
{
    struct table table = {.prose = prose, .left = {true, false, true, false}};
    add_row(&table, "Percentile", "Value", prose->signs->plus_minus, "Count");
    for (size_t i = 0; summary->total > 0 && i < LAUKA_SUMMARY_RANKS; i++)
        add_quantile(&table, &summary->quantiles[i]);
    add_rest(&table, summary);
    print_table(&table, title);
}

/* ---- two against each other ------------------------------------------------------------------ */

/* "-47.5%", "+1.1%", "0.0%"; a dash if the reference is 0. */
static const char *delta_of(struct lauka_prose *prose, double reference, double other)
{
    double delta = reference != 0 ? 100 * (other / reference - 1) : 0;
    if (reference == 0 && other != 0)
        return prose->signs->dash;
    return fabs(delta) < 0.05
               ? "0.0%"
               : lauka_say(prose, "%s%.1f%%", lauka_sign(delta, prose->utf8), fabs(delta));
}

static void add_counts(struct table *table, const char *label, uint64_t reference, uint64_t other)
{
    struct lauka_prose *prose = table->prose;
    add_row(table, label, lauka_say_count(prose, reference), lauka_say_count(prose, other),
            delta_of(prose, (double)reference, (double)other));
}

static void add_ranks(struct table *table, const struct lauka_histogram_summary *reference,
                      const struct lauka_histogram_summary *other)
{
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++) {
        uint32_t rank = lauka_summary_ranks[i];
        if (lauka_rank_has_values(rank, reference->total) &&
            lauka_rank_has_values(rank, other->total))
            add_counts(table, lauka_say_rank(table->prose, rank),
                       lauka_bucket_middle(&reference->quantiles[i].bucket),
                       lauka_bucket_middle(&other->quantiles[i].bucket));
    }
}

/* Made safe and short; what would end the cell is escaped. */
static const char *name_of(struct lauka_prose *prose, const char *name)
{
    lauka_prose_capture(prose);
    for (const char *c = lauka_say_fitted(prose, name, NAME_WIDTH); *c; c++)
        lauka_put(prose, *c == '|' ? "\\%c" : "%c", *c);
    return lauka_prose_captured(prose);
}

void lauka_put_histogram_difference(struct lauka_prose *prose,
                                    const struct lauka_histogram_difference *difference)
{
    const struct lauka_histogram_summary *x = difference->reference, *y = difference->other;
    struct table table = {.prose = prose, .left = {true, false, false, false}};
    const bool both = x->stddev.known && y->stddev.known;
    add_row(&table, "Percentile", name_of(prose, difference->reference_name),
            name_of(prose, difference->other_name), prose->utf8 ? "Δ%" : "change");
    add_ranks(&table, x, y);
    add_row(&table, "", "", "", "");
    add_row(&table, "Mean:", mean_of(prose, x, 2), mean_of(prose, y, 2),
            delta_of(prose, x->mean, y->mean));
    add_row(&table, "StDev:", grouped(prose, x->stddev), grouped(prose, y->stddev),
            both ? delta_of(prose, x->stddev.value, y->stddev.value) : prose->signs->dash);
    add_row(&table, "Precision:", percent_of(prose, x->error), percent_of(prose, y->error),
            delta_of(prose, x->error, y->error));
    add_counts(&table, "Total:", x->total, y->total);
    add_row(&table, "D-value:", "", "",
            difference->cohens_d.known ? lauka_say_effect(prose, difference->cohens_d.value)
                                       : prose->signs->dash);
    print_table(&table, difference->title);
}
