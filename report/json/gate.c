/* A gate as JSON: the outcome of each rule for each command. */
#include "report/json/parts.h"
#include "report/result/record.h"
#include "report/result/session.h"
#include "report/words/words.h"
#include "stats/stats.h"

#include <stdio.h>

static void add_interval(struct lauka_json_document *document, struct lauka_json_value *object,
                         const char *scale, double unit, const struct lauka_optional ends[3])
{
    static const char *const suffixes[] = {"", "_low", "_high"};
    for (int i = 0; i < 3; i++) {
        struct lauka_optional end = {ends[i].known, ends[i].value / unit};
        char key[32];
        snprintf(key, sizeof key, "%s%s", scale, suffixes[i]);
        lauka_document_add_optional(document, object, key, end);
    }
}

static void add_judgement(struct lauka_json_document *document, struct lauka_json_value *object,
                          const struct lauka_judgement *judgement, double unit)
{
    lauka_document_add_text(document, object, "verdict", lauka_gate_name(judgement->verdict));
    lauka_document_add_text(document, object, "undecided",
                            lauka_undecided_name(judgement->undecided));
    lauka_document_add_integer(document, object, "rounds", judgement->pairs);
    lauka_document_add_integer(document, object, "rounds_needed", judgement->needed);
    if (judgement->effective > 0)
        lauka_document_add_number(document, object, "effective", judgement->effective);
    lauka_document_add_integer(document, object, "family", judgement->family);
    lauka_document_add_bool(document, object, "exact", judgement->exact);
    lauka_document_add_optional(
        document, object, "confidence",
        (struct lauka_optional){judgement->confidence > 0, judgement->confidence});
    lauka_document_add_optional(document, object, "p", judgement->p);
    add_interval(document, object, "change", 1,
                 (struct lauka_optional[]){judgement->change, judgement->change_low,
                                           judgement->change_high});
    add_interval(document, object, "difference", unit,
                 (struct lauka_optional[]){judgement->difference, judgement->difference_low,
                                           judgement->difference_high});
    if (judgement->value.known)
        add_interval(document, object, "value", unit,
                     (struct lauka_optional[]){judgement->value, judgement->value_low,
                                               judgement->value_high});
}

static struct lauka_json_value *limit_item(struct lauka_json_document *document,
                                           const struct lauka_gate_row *row)
{
    const struct lauka_result *result = document->result;
    const struct lauka_result_metric *metric = &result->metrics[row->metric];
    struct lauka_gate_cells cells;
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_gate_row_cells(result, row, true, &cells);
    lauka_document_add_integer(document, object, "rule", row->rule);
    lauka_document_add_integer(document, object, "reference", document->first + row->reference);
    lauka_document_add_integer(document, object, "command", document->first + row->command);
    lauka_document_add_text(document, object, "metric", metric->name);
    lauka_document_add_fields(document, object, &lauka_rule_limit_record,
                              &result->gate.rules[row->rule]);
    add_judgement(document, object, &row->judgement, lauka_result_unit(metric));
    if (row->hosts.count > 0) {
        struct lauka_json_value *hosts = lauka_document_object(document);
        lauka_document_add_integer(document, hosts, "count", row->hosts.count);
        lauka_document_add_integer(document, hosts, "failed", row->hosts.failed);
        lauka_document_add_integer(document, hosts, "passed", row->hosts.passed);
        lauka_document_add(document, object, "hosts", hosts);
    }
    lauka_document_add_bool(document, object, "allowed", row->allowance != NULL);
    lauka_document_add_optional(document, object, "raised", row->raised);
    lauka_document_add_text(document, object, "remark", cells.text[LAUKA_GATE_CELL_REMARK]);
    return object;
}

struct lauka_json_value *lauka_document_limits(struct lauka_json_document *document)
{
    const struct lauka_result_gate *gate = &document->result->gate;
    struct lauka_json_value *limits = lauka_document_array(document);
    for (size_t i = 0; i < gate->row_count; i++)
        lauka_document_append(document, limits, limit_item(document, &gate->rows[i]));
    return limits;
}

struct lauka_json_value *lauka_document_gate(struct lauka_json_document *document)
{
    return lauka_result_has_gate(document->result)
               ? lauka_document_record(document, &lauka_gate_record, &document->result->gate)
               : lauka_document_null(document);
}

struct lauka_json_value *lauka_document_verdict(struct lauka_json_document *document)
{
    if (!lauka_session_has_gate(document->session))
        return lauka_document_null(document);
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_text(document, object, "verdict",
                            lauka_gate_name(lauka_session_verdict(document->session)));
    return object;
}
