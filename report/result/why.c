/* Why a command costs more or less than the reference, as plain data: the tables of functions, samples and system calls. */
#include "report/result/why.h"
#include "report/result/lists.h"
#include "report/result/record.h"

/* ---- functions -------------------------------------------------------------------------------- */

int64_t lauka_why_change(struct lauka_why_cost cost)
{
    bool more = cost.after >= cost.before;
    uint64_t size = more ? cost.after - cost.before : cost.before - cost.after;
    int64_t change = size > INT64_MAX ? INT64_MAX : (int64_t)size;
    return more ? change : -change;
}

/* ---- as they are stored ---------------------------------------------------------------------- */

static const char *const standings[] = {"same", "within", "changed", "unknown", NULL};
static const char *const fates[] = {"both", "gone", "new", "took", "parted", NULL};

static const struct lauka_field cost_fields[] = {
    {LAUKA_FIELD(INTEGER, lauka_why_cost, before)},
    {LAUKA_FIELD(INTEGER, lauka_why_cost, after)},
};
const struct lauka_record_table lauka_cost_record = {LAUKA_RECORD(lauka_why_cost, cost_fields),
                                                     .one_line = true};

static const struct lauka_field line_fields[] = {
    {LAUKA_FIELD(BYTES, lauka_why_line, file)},
    {LAUKA_FIELD(INTEGER, lauka_why_line, line)},
    {LAUKA_FIELD(RECORD, lauka_why_line, instructions), .of = &lauka_cost_record},
};
static const struct lauka_record_table line_record = {LAUKA_RECORD(lauka_why_line, line_fields)};

static const struct lauka_field function_fields[] = {
    {LAUKA_FIELD(BYTES, lauka_why_function, name)},
    {LAUKA_FIELD(BYTES, lauka_why_function, object)},
    {LAUKA_FIELD(BYTES, lauka_why_function, file)},
    {LAUKA_FIELD(INTEGER, lauka_why_function, line)},
    {LAUKA_FIELD(CHOICE, lauka_why_function, fate), .names = fates},
    {LAUKA_FIELD(BYTES, lauka_why_function, partner), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(RECORD, lauka_why_function, instructions), .of = &lauka_cost_record},
    {LAUKA_FIELD(RECORD, lauka_why_function, cycles), .of = &lauka_cost_record},
    {LAUKA_FIELD(INTEGER, lauka_why_function, spread)},
    {LAUKA_FIELD(LIST, lauka_why_function, lines),
     LAUKA_ELEMENTS(lauka_why_function, line_count, LAUKA_LIST_SHORT, &line_record)},
};
static const struct lauka_record_table function_record = {
    LAUKA_RECORD(lauka_why_function, function_fields)};

static const struct lauka_field inlining_fields[] = {
    {LAUKA_FIELD(BYTES, lauka_why_inlining, name)},
    {LAUKA_FIELD(BYTES, lauka_why_inlining, object)},
    {LAUKA_FIELD(BYTES, lauka_why_inlining, host)},
};
static const struct lauka_record_table inlining_record = {
    LAUKA_RECORD(lauka_why_inlining, inlining_fields)};

static const struct lauka_field why_fields[] = {
    {LAUKA_FIELD(COMMAND, lauka_why, command), .least = 1},
    {LAUKA_FIELD(CHOICE, lauka_why, standing), .names = standings},
    {LAUKA_FIELD(TEXT, lauka_why, reason), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(RECORD, lauka_why, instructions), .of = &lauka_cost_record},
    {LAUKA_FIELD(RECORD, lauka_why, cycles), .of = &lauka_cost_record},
    {LAUKA_FIELD(INTEGER, lauka_why, spread)},
    {LAUKA_FIELD(LIST, lauka_why, functions),
     LAUKA_ELEMENTS(lauka_why, function_count, LAUKA_LIST_SHORT, &function_record)},
    {LAUKA_FIELD(RECORD, lauka_why, others), .of = &lauka_cost_record},
    {LAUKA_FIELD(COUNT, lauka_why, other_count)},
    {LAUKA_FIELD(RECORD, lauka_why, beyond), .of = &lauka_cost_record},
    {LAUKA_FIELD_AS(LIST, lauka_why, inlinings, NULL),
     LAUKA_ELEMENTS(lauka_why, inlining_count, 0, &inlining_record)},
};
static const struct lauka_record_table why_record = {LAUKA_RECORD(lauka_why, why_fields)};

static const struct lauka_field whys_fields[] = {
    {LAUKA_FIELD(BOOL, lauka_result_whys, asked)},
    {LAUKA_FIELD_AS(LIST, lauka_result_whys, whys, "commands"),
     LAUKA_ELEMENTS(lauka_result_whys, count, LAUKA_LIST_LONGEST, &why_record)},
};
const struct lauka_record_table lauka_whys_record = {LAUKA_RECORD(lauka_result_whys, whys_fields)};

/* ---- samples ---------------------------------------------------------------------------------- */

static const char *const sampled_standings[] = {"same", "changed", "unknown", NULL};
static const char *const places[] = {"function", "object", "jit", "kernel", "unknown", NULL};

/* ---- as they are stored ---------------------------------------------------------------------- */

static const struct lauka_field sampled_share_fields[] = {
    {LAUKA_FIELD(NUMBER, lauka_sampled_share, estimate), .least = -1, .most = 1},
    {LAUKA_FIELD(NUMBER, lauka_sampled_share, low), .least = -1e6, .most = 1e6},
    {LAUKA_FIELD(NUMBER, lauka_sampled_share, high), .least = -1e6, .most = 1e6},
};
static const struct lauka_record_table sampled_share_record = {
    LAUKA_RECORD(lauka_sampled_share, sampled_share_fields), .one_line = true};

static const struct lauka_field sampled_row_fields[] = {
    {LAUKA_FIELD(CHOICE, lauka_sampled_row, place), .names = places},
    {LAUKA_FIELD(BYTES, lauka_sampled_row, name)},
    {LAUKA_FIELD(BYTES, lauka_sampled_row, object)},
    {LAUKA_FIELD(RECORD, lauka_sampled_row, before), .of = &sampled_share_record},
    {LAUKA_FIELD(RECORD, lauka_sampled_row, after), .of = &sampled_share_record},
    {LAUKA_FIELD(RECORD, lauka_sampled_row, difference), .of = &sampled_share_record},
    {LAUKA_FIELD(NUMBER, lauka_sampled_row, p), .most = 1},
    {LAUKA_FIELD(BOOL, lauka_sampled_row, claimed)},
};
static const struct lauka_record_table sampled_row_record = {
    LAUKA_RECORD(lauka_sampled_row, sampled_row_fields)};

static const struct lauka_field sampled_side_fields[] = {
    {LAUKA_FIELD(INTEGER, lauka_sampled_side, samples)},
    {LAUKA_FIELD(INTEGER, lauka_sampled_side, lost)},
    {LAUKA_FIELD(INTEGER, lauka_sampled_side, throttled)},
};
static const struct lauka_record_table sampled_side_record = {
    LAUKA_RECORD(lauka_sampled_side, sampled_side_fields), .one_line = true};

static const struct lauka_field sampled_command_fields[] = {
    {LAUKA_FIELD(COMMAND, lauka_sampled, command), .least = 1},
    {LAUKA_FIELD(CHOICE, lauka_sampled, standing), .names = sampled_standings},
    {LAUKA_FIELD(TEXT, lauka_sampled, reason), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(RECORD, lauka_sampled, before), .of = &sampled_side_record},
    {LAUKA_FIELD(RECORD, lauka_sampled, after), .of = &sampled_side_record},
    {LAUKA_FIELD(LIST, lauka_sampled, rows),
     LAUKA_ELEMENTS(lauka_sampled, row_count, LAUKA_LIST_SHORT, &sampled_row_record)},
    {LAUKA_FIELD(NUMBER, lauka_sampled, others_before), .most = 1},
    {LAUKA_FIELD(NUMBER, lauka_sampled, others_after), .most = 1},
};
static const struct lauka_record_table sampled_command_record = {
    LAUKA_RECORD(lauka_sampled, sampled_command_fields)};

static const struct lauka_field sampled_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_result_sampled, event), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(INTEGER, lauka_result_sampled, period_ns)},
    {LAUKA_FIELD(INTEGER, lauka_result_sampled, rounds)},
    {LAUKA_FIELD(INTEGER, lauka_result_sampled, family)},
    {LAUKA_FIELD(BOOL, lauka_result_sampled, kernel)},
    {LAUKA_FIELD(LIST, lauka_result_sampled, commands),
     LAUKA_ELEMENTS(lauka_result_sampled, count, LAUKA_LIST_LONGEST, &sampled_command_record)},
};
const struct lauka_record_table lauka_sampled_record = {
    LAUKA_RECORD(lauka_result_sampled, sampled_fields)};

const char *lauka_sampled_place_name(enum lauka_sampled_place place)
{
    return places[place];
}

enum lauka_sampled_place lauka_sampled_place_named(const char *name)
{
    size_t place = lauka_name_place(places, name);
    return places[place] ? (enum lauka_sampled_place)place : LAUKA_PLACE_UNKNOWN;
}

/* ---- system calls ----------------------------------------------------------------------------- */

/* ---- as they are stored ---------------------------------------------------------------------- */

/* Earlier versions had strace alone, and did not write it. */
static const char *const calls_sources[] = {"tracepoints", "strace", NULL};

static bool are_counted(const void *calls)
{
    return !((const struct lauka_calls *)calls)->reason;
}

static const struct lauka_field calls_row_fields[] = {
    {LAUKA_FIELD(BYTES, lauka_calls_row, name)},
    {LAUKA_FIELD(RECORD, lauka_calls_row, calls), .of = &lauka_cost_record},
    {LAUKA_FIELD(INTEGER, lauka_calls_row, spread)},
};
static const struct lauka_record_table calls_row_record = {
    LAUKA_RECORD(lauka_calls_row, calls_row_fields)};

static const struct lauka_field calls_command_fields[] = {
    {LAUKA_FIELD(COMMAND, lauka_calls, command), .least = 1},
    {LAUKA_FIELD(TEXT, lauka_calls, reason), LAUKA_IF_KNOWN},
    {LAUKA_FIELD_AS(FLAG, lauka_calls, traced, "source"), .names = calls_sources, .standard = true,
     LAUKA_IF_KNOWN, .known = are_counted},
    {LAUKA_FIELD(RECORD, lauka_calls, calls), .of = &lauka_cost_record},
    {LAUKA_FIELD(INTEGER, lauka_calls, spread)},
    {LAUKA_FIELD(LIST, lauka_calls, rows),
     LAUKA_ELEMENTS(lauka_calls, row_count, LAUKA_LIST_LONG, &calls_row_record)},
};
const struct lauka_record_table lauka_calls_record = {
    LAUKA_RECORD(lauka_calls, calls_command_fields)};
