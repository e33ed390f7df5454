/* System calls of two sides, as plain data. */
#include "report/result/calls.h"
#include "report/result/lists.h"
#include "report/result/record.h"

/* ---- as they are stored ---------------------------------------------------------------------- */

/* Earlier versions had strace alone, and did not write it. */
static const char *const sources[] = {"tracepoints", "strace", NULL};

static bool are_counted(const void *calls)
{
    return !((const struct lauka_calls *)calls)->reason;
}

static const struct lauka_field row_fields[] = {
    {LAUKA_FIELD(BYTES, lauka_calls_row, name)},
    {LAUKA_FIELD(RECORD, lauka_calls_row, calls), .of = &lauka_cost_record},
    {LAUKA_FIELD(INTEGER, lauka_calls_row, spread)},
};
static const struct lauka_record_table row_record = {LAUKA_RECORD(lauka_calls_row, row_fields)};

static const struct lauka_field command_fields[] = {
    {LAUKA_FIELD(COMMAND, lauka_calls, command), .least = 1},
    {LAUKA_FIELD(TEXT, lauka_calls, reason), LAUKA_IF_KNOWN},
    {LAUKA_FIELD_AS(FLAG, lauka_calls, traced, "source"), .names = sources, .standard = true,
     LAUKA_IF_KNOWN, .known = are_counted},
    {LAUKA_FIELD(RECORD, lauka_calls, calls), .of = &lauka_cost_record},
    {LAUKA_FIELD(INTEGER, lauka_calls, spread)},
    {LAUKA_FIELD(LIST, lauka_calls, rows),
     LAUKA_ELEMENTS(lauka_calls, row_count, LAUKA_LIST_LONG, &row_record)},
};
const struct lauka_record_table lauka_calls_record = {LAUKA_RECORD(lauka_calls, command_fields)};

/* ---- one more of each ------------------------------------------------------------------------ */

struct lauka_calls *lauka_calls_add(struct lauka_result_calls *calls)
{
    return lauka_list_add(&calls->commands, &calls->count, sizeof *calls->commands);
}

struct lauka_calls_row *lauka_calls_add_row(struct lauka_calls *calls)
{
    return lauka_list_add(&calls->rows, &calls->row_count, sizeof *calls->rows);
}
