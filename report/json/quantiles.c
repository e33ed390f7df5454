/* What a metric's values look like beyond mean and deviation, as JSON. */
#include "report/json/parts.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/histogram.h"

#include <stdlib.h>

static struct lauka_json_value *quantiles_item(struct lauka_json_document *document,
                                               const struct lauka_result_metric *metric,
                                               const struct lauka_result_quantiles *quantiles)
{
    struct lauka_json_value *object = lauka_document_object(document);
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS && quantiles->count > 0; i++) {
        char key[32], value[32];
        lauka_format_rank(lauka_summary_ranks[i], key, sizeof key);
        lauka_format_json_decimal(quantiles->values[i], metric->decimals, value, sizeof value);
        lauka_document_add(document, object, key, lauka_document_raw(document, value));
    }
    return object;
}

/* If nothing was counted there are no quantiles, and no histogram. */
void lauka_document_add_quantiles(struct lauka_json_document *document,
                                  struct lauka_json_value *object, size_t command, size_t metric)
{
    struct lauka_result_quantiles quantiles;
    char *text = NULL;
    if (lauka_result_quantiles(document->result, command, metric, &quantiles) != 0)
        document->incomplete = true;
    bool any = quantiles.count > 0;
    if (any && lauka_result_histogram(document->result, command, metric, &text) != 0)
        document->incomplete = true;
    struct lauka_json_value *item =
        quantiles_item(document, &document->result->metrics[metric], &quantiles);
    lauka_document_add(document, object, "quantiles", lauka_document_line(document, item));
    lauka_document_add_text(document, object, "quantile_source",
                            !any                    ? NULL
                            : quantiles.from_values ? "values"
                                                    : "histogram");
    lauka_document_add_text(document, object, "histogram", text);
    free(text);
}
