/* A session of several jobs as JSON: what each host found. */
#include "report/json/parts.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "stats/stats.h"

static struct lauka_json_value *comparison_item(struct lauka_json_document *document, size_t host,
                                                size_t command, size_t metric)
{
    const struct lauka_comparison *own =
        lauka_merged_comparison(document->result, host, command, metric);
    const double unit = lauka_result_unit(&document->result->metrics[metric]);
    struct lauka_json_value *object = lauka_document_object(document);
    struct lauka_optional difference = own->difference;
    difference.value /= unit;
    lauka_document_add_integer(document, object, "command", document->first + command);
    lauka_document_add_text(document, object, "metric", document->result->metrics[metric].name);
    lauka_document_add_integer(document, object, "pairs", own->pairs);
    lauka_document_add_optional(document, object, "ratio", own->ratio);
    lauka_document_add_optional(document, object, "low", own->low);
    lauka_document_add_optional(document, object, "high", own->high);
    lauka_document_add_optional(document, object, "difference", difference);
    lauka_document_add_text(document, object, "verdict", lauka_verdict_name(own->verdict));
    return object;
}

static struct lauka_json_value *comparisons_item(struct lauka_json_document *document, size_t host)
{
    const struct lauka_result *result = document->result;
    struct lauka_json_value *array = lauka_document_array(document);
    for (size_t c = 1; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            if (result->metrics[m].primary && lauka_merged_comparison(result, host, c, m))
                lauka_document_append(document, array, comparison_item(document, host, c, m));
    return array;
}

static struct lauka_json_value *limits_item(struct lauka_json_document *document, size_t host)
{
    const struct lauka_result *result = document->result;
    const struct lauka_gate_row *rows = result->merged.hosts[host].rows;
    struct lauka_json_value *array = lauka_document_array(document);
    for (size_t i = 0; rows && i < result->gate.row_count; i++)
        lauka_document_append(
            document, array,
            lauka_document_text(document, lauka_gate_name(rows[i].judgement.verdict)));
    return array;
}

struct lauka_json_value *lauka_document_hosts(struct lauka_json_document *document)
{
    const struct lauka_result *result = document->result;
    struct lauka_json_value *array = lauka_document_array(document);
    for (size_t h = 0; h < result->merged.host_count; h++) {
        const struct lauka_merged_host *host = &result->merged.hosts[h];
        struct lauka_json_value *object = lauka_document_object(document);
        lauka_document_add_integer(document, object, "rounds", host->rounds);
        lauka_document_add_text(document, object, "stopped",
                                lauka_stopped_name((enum lauka_stopped)host->stopped));
        if (lauka_result_has_hosts(result))
            lauka_document_add(document, object, "comparisons", comparisons_item(document, h));
        if (lauka_result_has_hosts(result) && result->gate.row_count > 0)
            lauka_document_add(document, object, "limits", limits_item(document, h));
        lauka_document_append(document, array, object);
    }
    return array;
}
