/* The limits of a gate as plain data: making, copying and naming them. */
#include "report/result/result.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lauka_result_has_gate(const struct lauka_result *result)
{
    return result->gate.rule_count > 0;
}

void lauka_gate_done(struct lauka_result_gate *gate)
{
    for (size_t i = 0; i < gate->rule_count; i++) {
        free(gate->rules[i].benchmark);
        free(gate->rules[i].metric);
        free(gate->rules[i].where);
    }
    for (size_t i = 0; i < gate->allowance_count; i++) {
        free(gate->allowances[i].benchmark);
        free(gate->allowances[i].metric);
        free(gate->allowances[i].until);
        free(gate->allowances[i].reason);
        free(gate->allowances[i].where);
    }
    free(gate->rules);
    free(gate->allowances);
    free(gate->rows);
    free(gate->hosts);
    *gate = (struct lauka_result_gate){0};
}

int lauka_gate_copy(const struct lauka_result_gate *from, struct lauka_result_gate *to)
{
    int error = 0;
    *to = (struct lauka_result_gate){
        .policy = from->policy, .cross_host = from->cross_host, .tried = from->tried};
    error |= lauka_text_copy(from->hosts, &to->hosts);
    to->rules = calloc(from->rule_count + 1, sizeof *to->rules);
    to->allowances = calloc(from->allowance_count + 1, sizeof *to->allowances);
    if (!to->rules || !to->allowances)
        return ENOMEM;
    for (; to->rule_count < from->rule_count; to->rule_count++) {
        struct lauka_gate_rule *rule = &to->rules[to->rule_count];
        *rule = from->rules[to->rule_count];
        error |= lauka_text_copy(rule->benchmark, &rule->benchmark);
        error |= lauka_text_copy(rule->metric, &rule->metric);
        error |= lauka_text_copy(rule->where, &rule->where);
    }
    for (; to->allowance_count < from->allowance_count; to->allowance_count++) {
        struct lauka_gate_allowance *allowance = &to->allowances[to->allowance_count];
        *allowance = from->allowances[to->allowance_count];
        error |= lauka_text_copy(allowance->benchmark, &allowance->benchmark);
        error |= lauka_text_copy(allowance->metric, &allowance->metric);
        error |= lauka_text_copy(allowance->until, &allowance->until);
        error |= lauka_text_copy(allowance->reason, &allowance->reason);
        error |= lauka_text_copy(allowance->where, &allowance->where);
    }
    return error;
}

char *lauka_statistic_name(enum lauka_statistic statistic, uint32_t rank, char *text, size_t size)
{
    char number[24];
    if (statistic == LAUKA_STATISTIC_QUANTILE)
        snprintf(text, size, "p%s", lauka_format_rank(rank, number, sizeof number));
    else
        snprintf(text, size, "%s", statistic == LAUKA_STATISTIC_MEAN ? "mean" : "typical");
    return text;
}

/* "99.9" in parts of LAUKA_RANK_WHOLE: digits, and at most seven behind a point. */
static bool parse_rank(const char *text, size_t length, uint32_t *rank)
{
    uint64_t parts = 0, unit = LAUKA_RANK_WHOLE / 100;
    size_t i = 0;
    for (; i < length && i < 2 && text[i] >= '0' && text[i] <= '9'; i++)
        parts = 10 * parts + (uint64_t)(text[i] - '0') * unit;
    if (i == 0)
        return false;
    if (i < length && text[i++] != '.')
        return false;
    if (i == length && text[i - 1] == '.')
        return false;
    for (; i < length && unit >= 10 && text[i] >= '0' && text[i] <= '9'; i++)
        parts += (uint64_t)(text[i] - '0') * (unit /= 10);
    *rank = (uint32_t)parts;
    return i == length && parts > 0 && parts < LAUKA_RANK_WHOLE;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && strncmp(text, word, length) == 0;
}

bool lauka_statistic_parse(const char *text, size_t length, enum lauka_statistic *statistic,
                           uint32_t *rank)
{
    *rank = 0;
    *statistic = LAUKA_STATISTIC_TYPICAL;
    if (is_word(text, length, "typical"))
        return true;
    *statistic = LAUKA_STATISTIC_MEAN;
    if (is_word(text, length, "mean"))
        return true;
    *statistic = LAUKA_STATISTIC_QUANTILE;
    if (is_word(text, length, "median")) {
        *rank = LAUKA_RANK_WHOLE / 2;
        return true;
    }
    return length > 1 && text[0] == 'p' && parse_rank(text + 1, length - 1, rank);
}

const char *lauka_policy_name(enum lauka_gate_policy policy)
{
    switch (policy) {
    case LAUKA_POLICY_WARN:
        return "warn";
    case LAUKA_POLICY_FAIL:
        return "fail";
    case LAUKA_POLICY_PASS:
        return "pass";
    }
    return "warn";
}

const char *lauka_undecided_name(enum lauka_undecided undecided)
{
    switch (undecided) {
    case LAUKA_UNDECIDED_NOT:
        break;
    case LAUKA_UNDECIDED_AROUND:
        return "limit within interval";
    case LAUKA_UNDECIDED_FAMILY:
        return "one of many";
    case LAUKA_UNDECIDED_FEW:
        return "too few rounds";
    case LAUKA_UNDECIDED_VALUES:
        return "no single values";
    case LAUKA_UNDECIDED_UNKNOWN:
        return "not known";
    case LAUKA_UNDECIDED_HOSTS:
        return "different hosts";
    case LAUKA_UNDECIDED_BROKEN:
        return "ended by an error";
    case LAUKA_UNDECIDED_CUT:
        return "interrupted";
    case LAUKA_UNDECIDED_VOTES:
        return "hosts do not agree";
    case LAUKA_UNDECIDED_ORDER:
        return "order not drawn";
    case LAUKA_UNDECIDED_UNITS:
        return "rounds share units";
    }
    return NULL;
}
