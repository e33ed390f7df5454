/* percentiles: a histogram as people read it: in one line for monitoring, and as tables, which are valid
 * Markdown and also align in a terminal. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name of so many columns may have four bytes in each, and a few backslashes. */
enum { CELL_SIZE = 128, NAME_WIDTH = 24, COLUMNS = 4, ROWS_MAX = LAUKA_SUMMARY_RANKS + 8 };

/* ---- numbers ---- */

char *lauka_format_grouped(double value, int decimals, char *text, size_t size)
{
    char digits[400];
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(value));
    size_t whole = strcspn(digits, "."), used = 0;
    if (value < 0 && strspn(digits, "0.") < strlen(digits) && size > 1)
        text[used++] = '-';
    for (size_t i = 0; digits[i] && used + 1 < size; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0)
            text[used++] = ',';
        if (used + 1 < size)
            text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

/* Exact, unlike a double. */
static char *format_count(uint64_t value, char *text)
{
    uint64_t low = value % 1000000000, high = value / 1000000000;
    char part[16];
    if (high == 0)
        return lauka_format_grouped((double)low, 0, text, CELL_SIZE);
    lauka_format_grouped((double)high, 0, text, CELL_SIZE);
    snprintf(part, sizeof part, ",%03u,%03u,%03u", (unsigned)(low / 1000000),
             (unsigned)(low / 1000 % 1000), (unsigned)(low % 1000));
    return strcat(text, part);
}

/* "99.9": percent without needless zeros. */
static char *format_rank(uint32_t rank, char *text)
{
    int length =
        snprintf(text, CELL_SIZE, "%" PRIu32 ".%07" PRIu32, rank / 10000000, rank % 10000000);
    while (text[length - 1] == '0')
        text[--length] = '\0';
    if (text[length - 1] == '.')
        text[--length] = '\0';
    return text;
}

static char *format_mean(const struct lauka_histogram_summary *summary, int decimals, char *text)
{
    text[0] = '~'; /* from the buckets: good to their precision */
    lauka_format_grouped(summary->mean, decimals, text + !summary->exact, CELL_SIZE - 1);
    return text;
}

/* ---- one line ---- */

char *lauka_format_histogram(const struct lauka_histogram_summary *summary, const char *name,
                             char *text, size_t size)
{
    static const struct {
        const char *name;
        size_t rank; /* index of lauka_summary_ranks */
    } shown[] = {{"P0", 0},  {"P25", 4},  {"P50", 5},   {"P90", 7},
                 {"P95", 9}, {"P99", 11}, {"P999", 12}, {"P100", 15}};
    char total[CELL_SIZE], overflow[CELL_SIZE], number[CELL_SIZE];
    char *safe = lauka_fit_text(name, 80, true);
    int used =
        snprintf(text, size, "%s: Total=%s, Overflow=%s", safe ? safe : "?",
                 format_count(summary->total, total), format_count(summary->overflow, overflow));
    free(safe);
    if (summary->total > 0 && used >= 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, ", Mean=%s",
                         format_mean(summary, 1, number));
    for (size_t i = 0; summary->total > 0 && i < sizeof shown / sizeof *shown; i++)
        if (used >= 0 && (size_t)used < size)
            used += snprintf(
                text + used, size - (size_t)used, ", %s=%s", shown[i].name,
                format_count(lauka_bucket_middle(&summary->quantiles[shown[i].rank].bucket),
                             number));
    return text;
}

/* ---- tables ---- */

struct table {
    char cells[ROWS_MAX][COLUMNS][CELL_SIZE];
    size_t rows;
    bool left[COLUMNS]; /* alignment; numbers stand to the right */
};

static void add_row(struct table *table, const char *a, const char *b, const char *c, const char *d)
{
    const char *texts[COLUMNS] = {a, b, c, d};
    for (size_t i = 0; i < COLUMNS; i++)
        snprintf(table->cells[table->rows][i], CELL_SIZE, "%s", texts[i] ? texts[i] : "");
    table->rows++;
}

static void print_cell(const char *text, int width, bool left, FILE *out)
{
    int padding = width - lauka_display_width(text);
    fprintf(out, "| %*s%s%*s ", left ? 0 : padding, "", text, left ? padding : 0, "");
}

static void print_rule(const int *widths, const bool *left, size_t columns, FILE *out)
{
    for (size_t i = 0; i < columns; i++) {
        fputs(left[i] ? "| :" : "| ", out);
        for (int j = 1; j < widths[i]; j++)
            fputc('-', out);
        fputs(left[i] ? " " : ": ", out);
    }
    fputs("|\n", out);
}

static void print_table(const struct table *table, size_t columns, FILE *out)
{
    int widths[COLUMNS] = {0};
    for (size_t row = 0; row < table->rows; row++)
        for (size_t i = 0; i < columns; i++) {
            int width = lauka_display_width(table->cells[row][i]);
            widths[i] = width > widths[i] ? width : widths[i];
        }
    for (size_t row = 0; row < table->rows; row++) {
        for (size_t i = 0; i < columns; i++)
            print_cell(table->cells[row][i], widths[i], table->left[i], out);
        fputs("|\n", out);
        if (row == 0)
            print_rule(widths, table->left, columns, out);
    }
}

static void print_title(const char *title, bool utf8, FILE *out)
{
    fputs("##### ", out);
    lauka_print_safely(title, utf8, out);
    fputc('\n', out);
}

static void add_quantile(struct table *table, const struct lauka_quantile *quantile, bool utf8)
{
    char rank[CELL_SIZE], value[CELL_SIZE], number[CELL_SIZE], error[CELL_SIZE + 8],
        count[CELL_SIZE];
    snprintf(error, sizeof error, "%s%s", utf8 ? "±" : "+-",
             format_count(lauka_bucket_error(&quantile->bucket), number));
    add_row(table, format_rank(quantile->rank, rank),
            format_count(lauka_bucket_middle(&quantile->bucket), value), error,
            format_count(quantile->count, count));
}

static void add_rest(struct table *table, const struct lauka_histogram_summary *summary, bool utf8)
{
    char a[CELL_SIZE], b[CELL_SIZE];
    if (summary->overflow > 0 || summary->range_min > 0 || summary->range_max > 0)
        add_row(table, "Overflow", "", "", format_count(summary->overflow, a));
    add_row(table, "", "", "", "");
    if (summary->total > 0)
        add_row(table, "Mean:", format_mean(summary, 2, a), "StDev:",
                summary->stddev.known ? lauka_format_grouped(summary->stddev.value, 2, b, sizeof b)
                                      : lauka_dash(utf8));
    snprintf(a, sizeof a, "%.4f%%", 100 * summary->error);
    add_row(table, "Precision:", a, "Total:", format_count(summary->total, b));
    if (summary->range_min > 0 || summary->range_max > 0)
        add_row(table, "Range Min:", format_count(summary->range_min, a),
                "Max:", format_count(summary->range_max ? summary->range_max : UINT64_MAX, b));
}

int lauka_write_histogram(const struct lauka_histogram_summary *summary, const char *title,
                          bool utf8, FILE *out)
{
    struct table table = {.left = {true, false, true, false}};
    add_row(&table, "Percentile", "Value", utf8 ? "±" : "+-", "Count");
    for (size_t i = 0; summary->total > 0 && i < LAUKA_SUMMARY_RANKS; i++)
        add_quantile(&table, &summary->quantiles[i], utf8);
    add_rest(&table, summary, utf8);
    print_title(title, utf8, out);
    print_table(&table, COLUMNS, out);
    return lauka_finish(out);
}

/* ---- two against each other ---- */

/* "-47.5%", "+1.1%", "0.0%"; a dash if the reference is 0. */
static char *format_delta(double reference, double other, bool utf8, char *text)
{
    double delta = reference != 0 ? 100 * (other / reference - 1) : 0;
    if (reference == 0 && other != 0)
        snprintf(text, CELL_SIZE, "%s", lauka_dash(utf8));
    else if (fabs(delta) < 0.05)
        snprintf(text, CELL_SIZE, "0.0%%");
    else
        snprintf(text, CELL_SIZE, "%s%.1f%%", lauka_sign(delta, utf8), fabs(delta));
    return text;
}

static void add_ranks(struct table *table, const struct lauka_histogram_summary *reference,
                      const struct lauka_histogram_summary *other, bool utf8)
{
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS; i++) {
        uint32_t rank = lauka_summary_ranks[i];
        char name[CELL_SIZE], a[CELL_SIZE], b[CELL_SIZE], delta[CELL_SIZE];
        if (!lauka_rank_has_values(rank, reference->total) ||
            !lauka_rank_has_values(rank, other->total))
            continue;
        uint64_t x = lauka_bucket_middle(&reference->quantiles[i].bucket);
        uint64_t y = lauka_bucket_middle(&other->quantiles[i].bucket);
        add_row(table, format_rank(rank, name), format_count(x, a), format_count(y, b),
                format_delta((double)x, (double)y, utf8, delta));
    }
}

static void add_deviations(struct table *table, const struct lauka_histogram_summary *reference,
                           const struct lauka_histogram_summary *other, bool utf8)
{
    char a[CELL_SIZE], b[CELL_SIZE], delta[CELL_SIZE];
    struct lauka_optional x = reference->stddev, y = other->stddev;
    bool both = x.known && y.known;
    add_row(table,
            "StDev:", x.known ? lauka_format_grouped(x.value, 2, a, sizeof a) : lauka_dash(utf8),
            y.known ? lauka_format_grouped(y.value, 2, b, sizeof b) : lauka_dash(utf8),
            both ? format_delta(x.value, y.value, utf8, delta) : lauka_dash(utf8));
}

static void add_totals(struct table *table, const struct lauka_histogram_summary *reference,
                       const struct lauka_histogram_summary *other, bool utf8)
{
    char a[CELL_SIZE], b[CELL_SIZE], delta[CELL_SIZE];
    snprintf(a, sizeof a, "%.4f%%", 100 * reference->error);
    snprintf(b, sizeof b, "%.4f%%", 100 * other->error);
    add_row(table, "Precision:", a, b, format_delta(reference->error, other->error, utf8, delta));
    add_row(table, "Total:", format_count(reference->total, a), format_count(other->total, b),
            format_delta((double)reference->total, (double)other->total, utf8, delta));
}

/* Made safe and short; what would end the cell is escaped. */
static const char *fit_name(const char *name, bool utf8, char *cell)
{
    char *fitted = lauka_fit_text(name, NAME_WIDTH, utf8);
    size_t used = 0;
    for (const char *c = fitted ? fitted : "?"; *c && used + 2 < CELL_SIZE; c++) {
        if (*c == '|')
            cell[used++] = '\\';
        cell[used++] = *c;
    }
    cell[used] = '\0';
    free(fitted);
    return cell;
}

int lauka_write_histogram_difference(const struct lauka_histogram_difference *difference, bool utf8,
                                     FILE *out)
{
    const struct lauka_histogram_summary *reference = difference->reference;
    const struct lauka_histogram_summary *other = difference->other;
    struct table table = {.left = {true, false, false, false}};
    char a[CELL_SIZE], b[CELL_SIZE], delta[CELL_SIZE];
    char reference_name[CELL_SIZE], other_name[CELL_SIZE];

    add_row(&table, "Percentile", fit_name(difference->reference_name, utf8, reference_name),
            fit_name(difference->other_name, utf8, other_name), utf8 ? "Δ%" : "change");
    add_ranks(&table, reference, other, utf8);
    add_row(&table, "", "", "", "");
    add_row(&table, "Mean:", format_mean(reference, 2, a), format_mean(other, 2, b),
            format_delta(reference->mean, other->mean, utf8, delta));
    add_deviations(&table, reference, other, utf8);
    add_totals(&table, reference, other, utf8);
    struct lauka_optional d = difference->cohens_d;
    add_row(&table, "D-value:", "", "",
            d.known ? lauka_format_effect(d.value, utf8, a, sizeof a) : lauka_dash(utf8));
    print_title(difference->title, utf8, out);
    print_table(&table, COLUMNS, out);
    return lauka_finish(out);
}
