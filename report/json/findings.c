/* What was compared, doubted, held to limits and found by each host, as JSON. */
#include "report/json/parts.h"
#include "report/analysis/analysis.h"
#include "report/result/merged.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "report/words/words.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <stdio.h>

/* In the metric's unit, like its mean. */
static struct lauka_optional in_unit(const struct lauka_result_metric *metric,
                                     struct lauka_optional value)
{
    value.value /= lauka_result_unit(metric);
    return value;
}

static struct lauka_optional above_zero(double value)
{
    return (struct lauka_optional){value > 0, value};
}

/* ---- comparisons ------------------------------------------------------------------------------- */

/* Which of the two scales the estimate is on; if there is a zero there are no ratios. */
static const char *scale_of(const struct lauka_comparison *comparison)
{
    return comparison->ratio.known ? "ratio" : comparison->difference.known ? "difference" : NULL;
}

static void put_interval(struct lauka_json_document *document,
                         const struct lauka_comparison *values)
{
    lauka_document_optional(document, "ratio", values->ratio);
    lauka_document_optional(document, "low", values->low);
    lauka_document_optional(document, "high", values->high);
    lauka_document_optional(document, "confidence", above_zero(values->confidence));
    lauka_document_optional(document, "p", values->p);
    lauka_document_text(document, "method", lauka_method_name(values->method));
    lauka_document_text(document, "verdict", lauka_verdict_name(values->verdict));
    lauka_document_text(document, "scale", scale_of(values));
    lauka_document_optional(document, "half_width", values->half_width);
}

static void put_judgement(struct lauka_json_document *document,
                          const struct lauka_comparison *values)
{
    lauka_document_bool(document, "below_precision", values->below_precision);
    lauka_document_integer(document, "family", values->family);
    lauka_document_bool(document, "withdrawn", values->withdrawn);
    lauka_document_text(document, "unit", lauka_result_observation(document->result));
    lauka_document_text(document, "reason",
                        values->run_to_run.known ? lauka_apart_name(document->result->run.apart)
                        : values->mean_doubted   ? "mean"
                                                 : NULL);
    if (values->run_to_run.known)
        lauka_document_optional(document, "run_to_run", values->run_to_run);
}

static void put_effects(struct lauka_json_document *document, const struct lauka_comparison *values)
{
    lauka_document_optional(document, "cohens_d", values->cohens_d);
    lauka_document_optional(document, "hedges_g", values->hedges_g);
    lauka_document_optional(document, "mean_ratio", values->mean_ratio);
    lauka_document_optional(document, "mean_low", values->mean_low);
    lauka_document_optional(document, "mean_high", values->mean_high);
    lauka_document_optional(document, "median_ratio", values->median_ratio);
    lauka_document_optional(document, "min_ratio", values->min_ratio);
    lauka_document_optional(document, "geomean_ratio", values->geomean_ratio);
}

/* If rounds share units. The spread is that of the compared values: log ratios, or differences. */
static void put_units(struct lauka_json_document *document,
                      const struct lauka_result_metric *metric,
                      const struct lauka_comparison *values)
{
    const bool ratios = values->log_ratio.known;
    struct lauka_units units;
    if (!lauka_result_units(document->result, &units))
        return;
    lauka_document_integer(document, "units", values->units);
    lauka_document_optional(document, "within",
                            ratios ? values->within : in_unit(metric, values->within));
    lauka_document_optional(document, "between",
                            ratios ? values->between : in_unit(metric, values->between));
}

void lauka_document_comparison(struct lauka_json_document *document,
                               const struct lauka_result_comparison *comparison)
{
    const struct lauka_result *result = document->result;
    const struct lauka_comparison *values = &comparison->values;
    const struct lauka_result_metric *metric = &result->metrics[comparison->metric];
    lauka_document_object(document, NULL);
    if (result->benchmark.name)
        lauka_document_bytes(document, "benchmark", result->benchmark.name);
    lauka_document_integer(document, "reference", document->first);
    lauka_document_integer(document, "command", document->first + comparison->command);
    lauka_document_text(document, "metric", metric->name);
    lauka_document_bool(document, "primary", metric->primary);
    lauka_document_integer(document, "pairs", values->pairs);
    lauka_document_integer(document, "reference_count", values->reference_count);
    lauka_document_integer(document, "command_count", values->other_count);
    put_units(document, metric, values);
    put_interval(document, values);
    put_judgement(document, values);
    lauka_document_optional(document, "difference", in_unit(metric, values->difference));
    lauka_document_optional(document, "difference_low", in_unit(metric, values->difference_low));
    lauka_document_optional(document, "difference_high", in_unit(metric, values->difference_high));
    put_effects(document, values);
    if (result->run.noise)
        lauka_document_optional(document, "smallest_change",
                                lauka_visible_change(result, comparison->metric, false));
    lauka_document_end(document);
}

void lauka_document_doubts(struct lauka_json_document *document)
{
    const struct lauka_result *result = document->result;
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    struct lauka_doubt_said said;
    lauka_document_array(document, "doubts");
    for (size_t place = 0; lauka_result_next_doubt(result, &place, &said);) {
        lauka_document_object(document, NULL);
        lauka_document_text(document, "doubt", lauka_doubt_name(said.doubt));
        lauka_document_integer(document, "command", document->first + said.command);
        lauka_document_text(document, "metric", result->metrics[said.metric].name);
        lauka_document_number(document, "value", said.value);
        lauka_document_text(
            document, "sentence",
            lauka_doubt_sentence(&prose, result, &said,
                                 lauka_say_whole_subject(&prose, result, said.command),
                                 lauka_say_whole_subject(&prose, result, 0)));
        lauka_document_end(document);
    }
    lauka_document_end(document);
    document->incomplete |= lauka_prose_done(&prose) != 0;
}

/* ---- the gate: the outcome of each rule for each command --------------------------------------- */

static void put_ends(struct lauka_json_document *document, const char *scale, double unit,
                     const struct lauka_optional ends[3])
{
    static const char *const suffixes[] = {"", "_low", "_high"};
    for (int i = 0; i < 3; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s%s", scale, suffixes[i]);
        lauka_document_optional(document, key,
                                (struct lauka_optional){ends[i].known, ends[i].value / unit});
    }
}

static void put_limit_judgement(struct lauka_json_document *document,
                                const struct lauka_judgement *judged, double unit)
{
    const struct lauka_optional change[] = {judged->change, judged->change_low,
                                            judged->change_high};
    const struct lauka_optional difference[] = {judged->difference, judged->difference_low,
                                                judged->difference_high};
    const struct lauka_optional value[] = {judged->value, judged->value_low, judged->value_high};
    lauka_document_text(document, "verdict", lauka_gate_name(judged->verdict));
    lauka_document_text(document, "undecided", lauka_undecided_name(judged->undecided));
    lauka_document_integer(document, "rounds", judged->pairs);
    lauka_document_integer(document, "rounds_needed", judged->needed);
    if (judged->effective > 0)
        lauka_document_number(document, "effective", judged->effective);
    lauka_document_integer(document, "family", judged->family);
    lauka_document_bool(document, "exact", judged->exact);
    lauka_document_optional(document, "confidence", above_zero(judged->confidence));
    lauka_document_optional(document, "p", judged->p);
    put_ends(document, "change", 1, change);
    put_ends(document, "difference", unit, difference);
    if (judged->value.known)
        put_ends(document, "value", unit, value);
}

static void put_votes(struct lauka_json_document *document, const struct lauka_gate_hosts *hosts)
{
    if (hosts->count == 0)
        return;
    lauka_document_object(document, "hosts");
    lauka_document_integer(document, "count", hosts->count);
    lauka_document_integer(document, "failed", hosts->failed);
    lauka_document_integer(document, "passed", hosts->passed);
    lauka_document_end(document);
}

static void put_limit(struct lauka_json_document *document, const struct lauka_gate_row *row)
{
    const struct lauka_result *result = document->result;
    const struct lauka_result_metric *metric = &result->metrics[row->metric];
    struct lauka_prose prose = lauka_prose_begin(NULL, LAUKA_PLAIN_UTF8);
    const struct lauka_gate_cells cells = lauka_gate_row_cells(&prose, result, row);
    lauka_document_object(document, NULL);
    lauka_document_integer(document, "rule", row->rule);
    lauka_document_integer(document, "reference", document->first + row->reference);
    lauka_document_integer(document, "command", document->first + row->command);
    lauka_document_text(document, "metric", metric->name);
    lauka_document_fields(document, &lauka_rule_limit_record, &result->gate.rules[row->rule]);
    put_limit_judgement(document, &row->judgement, lauka_result_unit(metric));
    put_votes(document, &row->hosts);
    lauka_document_bool(document, "allowed", row->allowance != NULL);
    lauka_document_optional(document, "raised", row->raised);
    lauka_document_text(document, "remark", cells.text[LAUKA_GATE_CELL_REMARK]);
    lauka_document_end(document);
    document->incomplete |= lauka_prose_done(&prose) != 0;
}

static void put_limits(struct lauka_json_document *document, const char *key)
{
    const struct lauka_result_gate *gate = &document->result->gate;
    lauka_document_array(document, key);
    for (size_t i = 0; i < gate->row_count; i++)
        put_limit(document, &gate->rows[i]);
    lauka_document_end(document);
}

void lauka_document_gate(struct lauka_json_document *document)
{
    const struct lauka_result *result = document->result;
    if (lauka_result_has_gate(result))
        lauka_document_record(document, "gate", &lauka_gate_record, &result->gate);
    else
        lauka_document_null(document, "gate");
}

void lauka_document_verdict(struct lauka_json_document *document)
{
    const struct lauka_session *session = document->session;
    if (!lauka_session_has_gate(session)) {
        lauka_document_null(document, "gate");
        return;
    }
    lauka_document_object(document, "gate");
    lauka_document_text(document, "verdict", lauka_gate_name(lauka_session_verdict(session)));
    lauka_document_end(document);
}

/* ---- hosts ------------------------------------------------------------------------------------- */

static void put_host_comparison(struct lauka_json_document *document, size_t command, size_t metric,
                                const struct lauka_comparison *own)
{
    const struct lauka_result_metric *about = &document->result->metrics[metric];
    lauka_document_object(document, NULL);
    lauka_document_integer(document, "command", document->first + command);
    lauka_document_text(document, "metric", about->name);
    lauka_document_integer(document, "pairs", own->pairs);
    lauka_document_optional(document, "ratio", own->ratio);
    lauka_document_optional(document, "low", own->low);
    lauka_document_optional(document, "high", own->high);
    lauka_document_optional(document, "difference", in_unit(about, own->difference));
    lauka_document_text(document, "verdict", lauka_verdict_name(own->verdict));
    lauka_document_end(document);
}

static void put_host_comparisons(struct lauka_json_document *document, size_t host)
{
    const struct lauka_result *result = document->result;
    lauka_document_array(document, "comparisons");
    for (size_t c = 1; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++) {
            const struct lauka_comparison *own = lauka_merged_comparison(result, host, c, m);
            if (own && result->metrics[m].primary)
                put_host_comparison(document, c, m, own);
        }
    lauka_document_end(document);
}

static void put_host_limits(struct lauka_json_document *document, const struct lauka_gate_row *rows)
{
    const size_t count = rows ? document->result->gate.row_count : 0;
    lauka_document_array(document, "limits");
    for (size_t i = 0; i < count; i++)
        lauka_document_text(document, NULL, lauka_gate_name(rows[i].judgement.verdict));
    lauka_document_end(document);
}

void lauka_document_hosts(struct lauka_json_document *document)
{
    const struct lauka_result *result = document->result;
    lauka_document_array(document, "hosts");
    for (size_t h = 0; h < result->merged.host_count; h++) {
        const struct lauka_merged_host *host = &result->merged.hosts[h];
        lauka_document_object(document, NULL);
        lauka_document_integer(document, "rounds", host->rounds);
        lauka_document_text(document, "stopped",
                            lauka_stopped_name((enum lauka_stopped)host->stopped));
        if (lauka_result_has_hosts(result))
            put_host_comparisons(document, h);
        if (lauka_result_has_hosts(result) && result->gate.row_count > 0)
            put_host_limits(document, host->rows);
        lauka_document_end(document);
    }
    lauka_document_end(document);
}

/* ---- what tables leave to be computed ------------------------------------------------------------ */

static void put_executable(struct lauka_json_document *document, const char *key,
                           const struct lauka_result_command *command)
{
    lauka_document_object(document, key);
    lauka_document_bytes(document, "path", command->path);
    lauka_document_fields(document, &lauka_executable_record, &command->executable);
    lauka_document_end(document);
}

void lauka_document_computed(struct lauka_json_document *document, const char *key,
                             enum lauka_field_computed computed, const void *record)
{
    const struct lauka_result_gate *gate = record;
    char fingerprint[LAUKA_FINGERPRINT_SIZE];
    switch (computed) {
    case LAUKA_COMPUTED_FINGERPRINT:
        lauka_document_text(document, key,
                            lauka_host_fingerprint(record, fingerprint) ? fingerprint : NULL);
        break;
    case LAUKA_COMPUTED_VERDICT:
        lauka_document_text(document, key, lauka_gate_name(gate->verdict));
        break;
    case LAUKA_COMPUTED_LIMITS:
        put_limits(document, key);
        break;
    case LAUKA_COMPUTED_ERROR:
        lauka_document_text(document, key, lauka_result_error_text(record));
        break;
    case LAUKA_COMPUTED_EXECUTABLE:
        put_executable(document, key, record);
    }
}
