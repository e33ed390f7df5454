/* Which functions take more or fewer instructions, as plain data. */
#include "report/result/why.h"
#include "report/result/lists.h"
#include "report/result/record.h"

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

/* ---- one more of each ------------------------------------------------------------------------ */

struct lauka_why *lauka_whys_add(struct lauka_result_whys *whys)
{
    return lauka_list_add(&whys->whys, &whys->count, sizeof *whys->whys);
}

struct lauka_why_function *lauka_why_add_function(struct lauka_why *why)
{
    return lauka_list_add(&why->functions, &why->function_count, sizeof *why->functions);
}

struct lauka_why_inlining *lauka_why_add_inlining(struct lauka_why *why)
{
    return lauka_list_add(&why->inlinings, &why->inlining_count, sizeof *why->inlinings);
}

struct lauka_why_line *lauka_why_add_line(struct lauka_why_function *function)
{
    return lauka_list_add(&function->lines, &function->line_count, sizeof *function->lines);
}
