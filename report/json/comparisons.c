/* What was compared, judged and doubted, as JSON. */
#include "report/json/parts.h"
#include "report/result/result.h"
#include "report/words/words.h"
#include "stats/stats.h"
#include "stats/units.h"

/* Which of the two scales the estimate is on; if there is a zero there are no ratios. */
static const char *scale_of(const struct lauka_comparison *comparison)
{
    return comparison->ratio.known ? "ratio" : comparison->difference.known ? "difference" : NULL;
}

static void add_interval(struct lauka_json_document *document, struct lauka_json_value *object,
                         const struct lauka_comparison *values)
{
    bool has_interval = values->confidence > 0;
    lauka_document_add_optional(document, object, "ratio", values->ratio);
    lauka_document_add_optional(document, object, "low", values->low);
    lauka_document_add_optional(document, object, "high", values->high);
    lauka_document_add_optional(document, object, "confidence",
                                (struct lauka_optional){has_interval, values->confidence});
    lauka_document_add_optional(document, object, "p", values->p);
    lauka_document_add_text(document, object, "method", lauka_method_name(values->method));
    lauka_document_add_text(document, object, "verdict", lauka_verdict_name(values->verdict));
    lauka_document_add_text(document, object, "scale", scale_of(values));
    lauka_document_add_optional(document, object, "half_width", values->half_width);
}

/* In the metric's unit, like its mean. */
static void add_difference(struct lauka_json_document *document, struct lauka_json_value *object,
                           const char *key, const struct lauka_result_metric *metric,
                           struct lauka_optional value)
{
    value.value /= lauka_result_unit(metric);
    lauka_document_add_optional(document, object, key, value);
}

static void add_judgement(struct lauka_json_document *document, struct lauka_json_value *object,
                          const struct lauka_comparison *values)
{
    lauka_document_add_bool(document, object, "below_precision", values->below_precision);
    lauka_document_add_integer(document, object, "family", values->family);
    lauka_document_add_bool(document, object, "withdrawn", values->withdrawn);
    lauka_document_add_text(document, object, "unit", lauka_result_observation(document->result));
    lauka_document_add_text(document, object, "reason",
                            values->run_to_run.known ? lauka_apart_name(document->result->run.apart)
                            : values->mean_doubted   ? "mean"
                                                     : NULL);
    if (values->run_to_run.known)
        lauka_document_add_optional(document, object, "run_to_run", values->run_to_run);
}

static void add_effects(struct lauka_json_document *document, struct lauka_json_value *object,
                        const struct lauka_comparison *values)
{
    lauka_document_add_optional(document, object, "cohens_d", values->cohens_d);
    lauka_document_add_optional(document, object, "hedges_g", values->hedges_g);
    lauka_document_add_optional(document, object, "mean_ratio", values->mean_ratio);
    lauka_document_add_optional(document, object, "mean_low", values->mean_low);
    lauka_document_add_optional(document, object, "mean_high", values->mean_high);
    lauka_document_add_optional(document, object, "median_ratio", values->median_ratio);
    lauka_document_add_optional(document, object, "min_ratio", values->min_ratio);
    lauka_document_add_optional(document, object, "geomean_ratio", values->geomean_ratio);
}

/* If rounds share units. The spread is that of the compared values: log ratios, or differences. */
static void add_units(struct lauka_json_document *document, struct lauka_json_value *object,
                      const struct lauka_result_metric *metric,
                      const struct lauka_comparison *values)
{
    struct lauka_units units;
    if (!lauka_result_units(document->result, &units))
        return;
    lauka_document_add_integer(document, object, "units", values->units);
    if (values->log_ratio.known) {
        lauka_document_add_optional(document, object, "within", values->within);
        lauka_document_add_optional(document, object, "between", values->between);
        return;
    }
    add_difference(document, object, "within", metric, values->within);
    add_difference(document, object, "between", metric, values->between);
}

struct lauka_json_value *lauka_document_comparison(struct lauka_json_document *document,
                                                   const struct lauka_result_comparison *comparison)
{
    const struct lauka_comparison *values = &comparison->values;
    const struct lauka_result_metric *metric = &document->result->metrics[comparison->metric];
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_benchmark(document, object, "benchmark");
    lauka_document_add_integer(document, object, "reference",
                               document->first + comparison->reference);
    lauka_document_add_integer(document, object, "command", document->first + comparison->command);
    lauka_document_add_text(document, object, "metric", metric->name);
    lauka_document_add_bool(document, object, "primary", metric->primary);
    lauka_document_add_integer(document, object, "pairs", values->pairs);
    lauka_document_add_integer(document, object, "reference_count", values->reference_count);
    lauka_document_add_integer(document, object, "command_count", values->other_count);
    add_units(document, object, metric, values);
    add_interval(document, object, values);
    add_judgement(document, object, values);
    add_difference(document, object, "difference", metric, values->difference);
    add_difference(document, object, "difference_low", metric, values->difference_low);
    add_difference(document, object, "difference_high", metric, values->difference_high);
    add_effects(document, object, values);
    if (document->result->run.noise)
        lauka_document_add_optional(
            document, object, "smallest_change",
            lauka_visible_change(document->result, comparison->metric, false));
    return object;
}

struct lauka_json_value *lauka_document_doubts(struct lauka_json_document *document)
{
    struct lauka_json_value *array = lauka_document_array(document);
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    struct lauka_doubt_said said;
    for (size_t place = 0; lauka_result_next_doubt(document->result, &place, &said);) {
        struct lauka_json_value *object = lauka_document_object(document);
        lauka_document_add_text(document, object, "doubt", lauka_doubt_name(said.doubt));
        lauka_document_add_integer(document, object, "command", document->first + said.command);
        lauka_document_add_text(document, object, "metric",
                                document->result->metrics[said.metric].name);
        lauka_document_add_number(document, object, "value", said.value);
        lauka_document_add_text(document, object, "sentence",
                                lauka_doubt_text(&prose, document->result, &said));
        lauka_document_append(document, array, object);
    }
    document->incomplete |= lauka_prose_done(&prose) != 0;
    return array;
}
