/* The gate of a stored result: its rules, and what was allowed on the day. It is judged again from the
 * values, with the same outcome. */
#include "report/load/json.h"
#include "report/result/result.h"
#include "stats/stats.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS_MAX = 10000 };

/* A number in a range, or nothing. */
static int read_optional(struct lauka_json *json, const char *path, const cJSON *object,
                         const char *key, double most, struct lauka_optional *value)
{
    value->known = lauka_json_get(object, key) != NULL;
    return lauka_json_number(json, path, object, key, 0, most, &value->value);
}

static int read_rule(struct lauka_json *json, const cJSON *item, struct lauka_gate_rule *rule)
{
    static const char path[] = "gate.rules";
    const char *statistic = cJSON_GetStringValue(lauka_json_get(item, "statistic"));
    int failure = lauka_json_copy_text(lauka_json_get(item, "benchmark"), &rule->benchmark);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(item, "metric"), &rule->metric);
    if (!failure &&
        (!rule->metric || !statistic ||
         !lauka_statistic_parse(statistic, strlen(statistic), &rule->statistic, &rule->rank)))
        failure = lauka_json_fail(json, path, "is not a rule: metric or statistic are missing");
    if (!failure)
        failure = read_optional(json, path, item, "limit", 1e6, &rule->share);
    if (!failure)
        failure = read_optional(json, path, item, "absolute", 1e40, &rule->absolute);
    if (!failure)
        failure = read_optional(json, path, item, "at_most", 1e40, &rule->most);
    if (!failure && rule->most.known && (rule->share.known || rule->absolute.known))
        failure = lauka_json_fail(json, path, "is not a rule: a budget has no other limit");
    if (!failure && !rule->share.known && !rule->absolute.known && !rule->most.known)
        failure = lauka_json_fail(json, path, "is not a rule: it has no limit");
    return failure;
}

static int read_rules(struct lauka_json *json, const cJSON *array)
{
    struct lauka_result_gate *gate = &json->result->gate;
    int count = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0, failure = 0;
    if (count == 0 || count > ITEMS_MAX)
        return lauka_json_fail(json, "gate.rules", "is not a short array of rules");
    gate->rules = calloc((size_t)count, sizeof *gate->rules);
    if (!gate->rules)
        return ENOMEM;
    for (const cJSON *item = array->child; item && !failure; item = item->next)
        failure = read_rule(json, item, &gate->rules[gate->rule_count++]);
    return failure;
}

static int read_allowance(struct lauka_json *json, const cJSON *item,
                          struct lauka_gate_allowance *allowance)
{
    int failure = lauka_json_copy_text(lauka_json_get(item, "benchmark"), &allowance->benchmark);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(item, "metric"), &allowance->metric);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(item, "until"), &allowance->until);
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(item, "reason"), &allowance->reason);
    allowance->expired = cJSON_IsTrue(lauka_json_get(item, "expired"));
    if (!failure &&
        (!allowance->benchmark || !allowance->metric || !allowance->until || !allowance->reason))
        failure = lauka_json_fail(json, "gate.allowances", "is not complete");
    return failure;
}

static int read_allowances(struct lauka_json *json, const cJSON *array)
{
    struct lauka_result_gate *gate = &json->result->gate;
    int count = array ? cJSON_GetArraySize(array) : 0, failure = 0;
    if (count == 0)
        return 0;
    if (!cJSON_IsArray(array) || count > ITEMS_MAX)
        return lauka_json_fail(json, "gate.allowances", "is not a short array");
    gate->allowances = calloc((size_t)count, sizeof *gate->allowances);
    if (!gate->allowances)
        return ENOMEM;
    for (const cJSON *item = array->child; item && !failure; item = item->next)
        failure = read_allowance(json, item, &gate->allowances[gate->allowance_count++]);
    return failure;
}

static enum lauka_gate_policy policy_of(const cJSON *item)
{
    const char *text = cJSON_GetStringValue(item);
    for (int i = LAUKA_POLICY_WARN; text && i <= LAUKA_POLICY_PASS; i++)
        if (strcmp(text, lauka_policy_name((enum lauka_gate_policy)i)) == 0)
            return (enum lauka_gate_policy)i;
    return LAUKA_POLICY_WARN;
}

int lauka_json_gate(struct lauka_json *json)
{
    struct lauka_result_gate *gate = &json->result->gate;
    const cJSON *object = lauka_json_get(json->own, "gate");
    uint64_t halves = 0;
    if (!object)
        return 0;
    int failure = lauka_json_check_keys(json, "gate", object);
    if (!failure)
        failure = read_rules(json, lauka_json_get(object, "rules"));
    if (!failure)
        failure = read_allowances(json, lauka_json_get(object, "allowances"));
    if (!failure)
        failure = lauka_json_copy_text(lauka_json_get(object, "hosts"), &gate->hosts);
    if (!failure)
        failure = lauka_json_number(json, "gate", object, "injected", 0, 1e18, &gate->injected);
    if (!failure)
        failure = lauka_json_integer(json, "gate", object, "halves", &halves);
    if (!failure && halves > 0 && halves != json->result->command_count / 2)
        failure = lauka_json_fail(json, "gate.halves", "is not half of the commands");
    gate->halves = (size_t)halves;
    gate->policy = policy_of(lauka_json_get(object, "inconclusive"));
    gate->cross_host = cJSON_IsTrue(lauka_json_get(object, "cross_host"));
    gate->tried = cJSON_IsTrue(lauka_json_get(object, "tried"));
    return failure;
}
