/* Percentiles in Markdown: what the mean does not show, folded until somebody asks. */
#include "report/markdown/markdown.h"
#include "report/result/result.h"
#include "report/words/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void put_row(const struct lauka_quantile_cells *cells, size_t row, bool compared, FILE *out)
{
    const char(*texts)[LAUKA_QUANTILE_SIZE] = cells->cells[row];
    const char *label = texts[LAUKA_QUANTILE_LABEL];
    if (!*label) /* the blank between percentiles and the rest */
        return;
    fprintf(out, "| %s | ", label);
    if (compared)
        fprintf(out, "%s | ", texts[LAUKA_QUANTILE_REFERENCE]);
    fprintf(out, "%s |", texts[LAUKA_QUANTILE_COMMAND]);
    fprintf(out, compared ? " %s |\n" : "\n", texts[LAUKA_QUANTILE_CHANGE]);
}

static int put_table(const struct lauka_result *result, size_t command, size_t metric,
                     struct lauka_quantile_cells *cells, FILE *out)
{
    bool compared = command > 0;
    int error = lauka_result_quantile_cells(result, command, metric, true, cells);
    if (error || cells->rows == 0)
        return error;
    fputs("| Percentile | ", out);
    if (compared) {
        lauka_markdown_put_name(result, 0, true, out);
        fputs(" | ", out);
    }
    lauka_markdown_put_name(result, command, true, out);
    fprintf(out, " |%s\n|:--|--:|%s\n", compared ? " Change |" : "", compared ? "--:|--:|" : "");
    for (size_t row = 0; row < cells->rows; row++)
        put_row(cells, row, compared, out);
    fputc('\n', out);
    return 0;
}

/* A table for each further command, or of the only one. Returns 0 or ENOMEM. */
static int put_percentiles(const struct lauka_result *result, size_t metric, FILE *out)
{
    struct lauka_quantile_cells *cells = malloc(sizeof *cells);
    int error = cells ? 0 : ENOMEM;
    for (size_t c = result->command_count > 1; c < result->command_count && !error; c++)
        error = put_table(result, c, metric, cells, out);
    free(cells);
    return error;
}

static bool is_counted(const struct lauka_result *result, size_t metric)
{
    bool counted = false;
    for (size_t c = 0; c < result->command_count; c++)
        counted |= lauka_result_view(result, c, metric).counted;
    return counted;
}

int lauka_markdown_fold_percentiles(const struct lauka_result *result, FILE *out)
{
    int error = 0;
    for (size_t m = 0; m < result->metric_count && !error; m++) {
        if (!result->metrics[m].primary || !is_counted(result, m))
            continue;
        const char *unit = lauka_result_scale(result, m, true).suffix;
        fputs("<details><summary>Percentiles of ", out);
        lauka_markdown_put_element(result->metrics[m].name, out);
        fprintf(out, "%s%s</summary>\n\n", *unit ? " in " : "", unit);
        error = put_percentiles(result, m, out);
        fputs("</details>\n\n", out);
    }
    return error;
}
