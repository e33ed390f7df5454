/* What samples point to, as plain data. */
#include "report/result/sampled.h"
#include "report/result/lists.h"
#include "report/result/record.h"

static const char *const standings[] = {"same", "changed", "unknown", NULL};
static const char *const places[] = {"function", "object", "jit", "kernel", "unknown", NULL};

/* ---- as they are stored ---------------------------------------------------------------------- */

static const struct lauka_field share_fields[] = {
    {LAUKA_FIELD(NUMBER, lauka_sampled_share, estimate), .least = -1, .most = 1},
    {LAUKA_FIELD(NUMBER, lauka_sampled_share, low), .least = -1e6, .most = 1e6},
    {LAUKA_FIELD(NUMBER, lauka_sampled_share, high), .least = -1e6, .most = 1e6},
};
static const struct lauka_record_table share_record = {
    LAUKA_RECORD(lauka_sampled_share, share_fields), .one_line = true};

static const struct lauka_field row_fields[] = {
    {LAUKA_FIELD(CHOICE, lauka_sampled_row, place), .names = places},
    {LAUKA_FIELD(BYTES, lauka_sampled_row, name)},
    {LAUKA_FIELD(BYTES, lauka_sampled_row, object)},
    {LAUKA_FIELD(RECORD, lauka_sampled_row, before), .of = &share_record},
    {LAUKA_FIELD(RECORD, lauka_sampled_row, after), .of = &share_record},
    {LAUKA_FIELD(RECORD, lauka_sampled_row, difference), .of = &share_record},
    {LAUKA_FIELD(NUMBER, lauka_sampled_row, p), .most = 1},
    {LAUKA_FIELD(BOOL, lauka_sampled_row, claimed)},
};
static const struct lauka_record_table row_record = {LAUKA_RECORD(lauka_sampled_row, row_fields)};

static const struct lauka_field side_fields[] = {
    {LAUKA_FIELD(INTEGER, lauka_sampled_side, samples)},
    {LAUKA_FIELD(INTEGER, lauka_sampled_side, lost)},
    {LAUKA_FIELD(INTEGER, lauka_sampled_side, throttled)},
};
static const struct lauka_record_table side_record = {LAUKA_RECORD(lauka_sampled_side, side_fields),
                                                      .one_line = true};

static const struct lauka_field command_fields[] = {
    {LAUKA_FIELD(COMMAND, lauka_sampled, command), .least = 1},
    {LAUKA_FIELD(CHOICE, lauka_sampled, standing), .names = standings},
    {LAUKA_FIELD(TEXT, lauka_sampled, reason), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(RECORD, lauka_sampled, before), .of = &side_record},
    {LAUKA_FIELD(RECORD, lauka_sampled, after), .of = &side_record},
    {LAUKA_FIELD(LIST, lauka_sampled, rows),
     LAUKA_ELEMENTS(lauka_sampled, row_count, LAUKA_LIST_SHORT, &row_record)},
    {LAUKA_FIELD(NUMBER, lauka_sampled, others_before), .most = 1},
    {LAUKA_FIELD(NUMBER, lauka_sampled, others_after), .most = 1},
};
static const struct lauka_record_table command_record = {
    LAUKA_RECORD(lauka_sampled, command_fields)};

static const struct lauka_field sampled_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_result_sampled, event), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(INTEGER, lauka_result_sampled, period_ns)},
    {LAUKA_FIELD(INTEGER, lauka_result_sampled, rounds)},
    {LAUKA_FIELD(INTEGER, lauka_result_sampled, family)},
    {LAUKA_FIELD(BOOL, lauka_result_sampled, kernel)},
    {LAUKA_FIELD(LIST, lauka_result_sampled, commands),
     LAUKA_ELEMENTS(lauka_result_sampled, count, LAUKA_LIST_LONGEST, &command_record)},
};
const struct lauka_record_table lauka_sampled_record = {
    LAUKA_RECORD(lauka_result_sampled, sampled_fields)};

/* ---- one more of each, and names ------------------------------------------------------------- */

struct lauka_sampled *lauka_sampled_add(struct lauka_result_sampled *sampled)
{
    return lauka_list_add(&sampled->commands, &sampled->count, sizeof *sampled->commands);
}

struct lauka_sampled_row *lauka_sampled_add_row(struct lauka_sampled *sampled)
{
    return lauka_list_add(&sampled->rows, &sampled->row_count, sizeof *sampled->rows);
}

const char *lauka_sampled_place_name(enum lauka_sampled_place place)
{
    return places[place];
}

enum lauka_sampled_place lauka_sampled_place_named(const char *name)
{
    size_t place = lauka_name_place(places, name);
    return places[place] ? (enum lauka_sampled_place)place : LAUKA_PLACE_UNKNOWN;
}
