/* The limits of a gate as plain data: making, copying and naming them. */
#include "report/result/record.h"
#include "report/result/result.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lauka_result_has_gate(const struct lauka_result *result)
{
    return result->gate.rule_count > 0;
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

const char *lauka_undecided_name(enum lauka_undecided undecided)
{
    static const char *const names[] = {
        [LAUKA_UNDECIDED_NOT] = NULL,
        [LAUKA_UNDECIDED_AROUND] = "limit within interval",
        [LAUKA_UNDECIDED_FAMILY] = "one of many",
        [LAUKA_UNDECIDED_FEW] = "too few rounds",
        [LAUKA_UNDECIDED_VALUES] = "no single values",
        [LAUKA_UNDECIDED_UNKNOWN] = "not known",
        [LAUKA_UNDECIDED_HOSTS] = "different hosts",
        [LAUKA_UNDECIDED_BROKEN] = "ended by an error",
        [LAUKA_UNDECIDED_CUT] = "interrupted",
        [LAUKA_UNDECIDED_VOTES] = "hosts do not agree",
        [LAUKA_UNDECIDED_ORDER] = "order not drawn",
        [LAUKA_UNDECIDED_UNITS] = "rounds share units",
        [LAUKA_UNDECIDED_STEPS] = "values in steps",
        [LAUKA_UNDECIDED_MEAN] = "mean",
        [LAUKA_UNDECIDED_SESSIONS] = "two sessions",
        [LAUKA_UNDECIDED_LOGS] = "one log a side",
    };
    return names[undecided];
}

/* ---- as they are stored ---------------------------------------------------------------------- */

static const char *print_statistic(const void *data, char *buffer, size_t size)
{
    const struct lauka_gate_rule *rule = data;
    return lauka_statistic_name(rule->statistic, rule->rank, buffer, size);
}

static bool parse_statistic(const char *text, void *data)
{
    struct lauka_gate_rule *rule = data;
    return lauka_statistic_parse(text, strlen(text), &rule->statistic, &rule->rank);
}

static const struct lauka_word statistic_word = {print_statistic, parse_statistic};

/* The first ones say what it is about, the others what is allowed. */
enum { LIMIT = 2, LIMIT_FIELDS = 4 };
static const struct lauka_field rule_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_gate_rule, benchmark), LAUKA_NULLABLE, LAUKA_LATE},
    {LAUKA_FIELD(TEXT, lauka_gate_rule, metric)},
    {LAUKA_FIELD(WORD, lauka_gate_rule, statistic), .word = &statistic_word},
    {LAUKA_FIELD_AS(OPTIONAL, lauka_gate_rule, share, "limit"), .most = 1e6, LAUKA_NULLABLE,
     LAUKA_LATE},
    {LAUKA_FIELD(OPTIONAL, lauka_gate_rule, absolute), .most = 1e40, LAUKA_NULLABLE, LAUKA_LATE},
    {LAUKA_FIELD_AS(OPTIONAL, lauka_gate_rule, most, "at_most"), .most = 1e40, LAUKA_IF_KNOWN},
    {LAUKA_FIELD_AS(TEXT, lauka_gate_rule, where, NULL)},
};
const struct lauka_record_table lauka_rule_record = {LAUKA_RECORD(lauka_gate_rule, rule_fields)};
const struct lauka_record_table lauka_rule_limit_record = {
    sizeof(struct lauka_gate_rule), &rule_fields[LIMIT], LIMIT_FIELDS, false};

static const struct lauka_field allowance_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_gate_allowance, benchmark)},
    {LAUKA_FIELD(TEXT, lauka_gate_allowance, metric)},
    {LAUKA_FIELD(TEXT, lauka_gate_allowance, until)},
    {LAUKA_FIELD(TEXT, lauka_gate_allowance, reason)},
    {LAUKA_FIELD(BOOL, lauka_gate_allowance, expired)},
    {LAUKA_FIELD(BOOL, lauka_gate_allowance, used)},
    {LAUKA_FIELD_AS(TEXT, lauka_gate_allowance, where, NULL)},
};
static const struct lauka_record_table allowance_record = {
    LAUKA_RECORD(lauka_gate_allowance, allowance_fields)};

static const char *const policies[] = {"warn", "fail", "pass", NULL};

static const struct lauka_field gate_fields[] = {
    {LAUKA_FIELD(COMPUTED, lauka_result_gate, verdict), .computed = LAUKA_COMPUTED_VERDICT},
    {LAUKA_FIELD_AS(CHOICE, lauka_result_gate, policy, "inconclusive"), .names = policies},
    {LAUKA_FIELD(LIST, lauka_result_gate, rules),
     LAUKA_ELEMENTS(lauka_result_gate, rule_count, LAUKA_LIST_LONG, &lauka_rule_record)},
    {LAUKA_FIELD_AS(COMPUTED, lauka_result_gate, rows, "limits"),
     .computed = LAUKA_COMPUTED_LIMITS},
    {LAUKA_FIELD(LIST, lauka_result_gate, allowances),
     LAUKA_ELEMENTS(lauka_result_gate, allowance_count, LAUKA_LIST_LONG, &allowance_record),
     LAUKA_LATE},
    {LAUKA_FIELD(COUNT, lauka_result_gate, halves), LAUKA_LATE},
    {LAUKA_FIELD(TEXT, lauka_result_gate, hosts), LAUKA_NULLABLE, LAUKA_LATE},
    {LAUKA_FIELD(BOOL, lauka_result_gate, cross_host), LAUKA_LATE},
    {LAUKA_FIELD(BOOL, lauka_result_gate, tried), LAUKA_LATE},
    {LAUKA_FIELD(NUMBER, lauka_result_gate, injected), .most = 1e18, LAUKA_NULLABLE, LAUKA_LATE},
};
const struct lauka_record_table lauka_gate_record = {LAUKA_RECORD(lauka_result_gate, gate_fields)};

void lauka_gate_done(struct lauka_result_gate *gate)
{
    free(gate->rows);
    lauka_record_done(&lauka_gate_record, gate);
    *gate = (struct lauka_result_gate){0};
}

/* It is not judged yet. */
int lauka_gate_copy(const struct lauka_result_gate *from, struct lauka_result_gate *to)
{
    int failure = lauka_record_copy(&lauka_gate_record, from, to);
    to->rows = NULL;
    to->row_count = 0;
    return failure;
}
