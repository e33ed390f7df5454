/* The gate of a stored result: its rules, and what was allowed on the day. It is judged again from the
 * values, with the same outcome. */
#include "report/load/json.h"
#include "report/result/record.h"
#include "report/result/result.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* A budget, or one or two limits of a change. */
static int check_rule(struct lauka_json *json, const struct lauka_gate_rule *rule, size_t index)
{
    const bool has_limit = rule->share.known || rule->absolute.known;
    char path[LAUKA_PATH_SIZE];
    snprintf(path, sizeof path, "gate.rules[%zu]", index);
    if (rule->most.known && has_limit)
        return lauka_json_fail(json, path, "is not a rule: a budget has no other limit");
    if (!rule->most.known && !has_limit)
        return lauka_json_fail(json, path, "is not a rule: it has no limit");
    return 0;
}

int lauka_json_gate(struct lauka_json *json)
{
    struct lauka_result_gate *gate = &json->result->gate;
    const cJSON *object = lauka_json_get(json->own, "gate");
    int failure = object ? lauka_json_record(json, "gate", object, &lauka_gate_record, gate) : 0;
    for (size_t i = 0; i < gate->rule_count && !failure; i++)
        failure = check_rule(json, &gate->rules[i], i);
    if (!failure && object && gate->rule_count == 0)
        failure = lauka_json_fail(json, "gate.rules", "is empty");
    if (!failure && gate->halves > 0 && gate->halves != json->result->command_count / 2)
        failure = lauka_json_fail(json, "gate.halves", "is not half of the commands");
    return failure;
}
