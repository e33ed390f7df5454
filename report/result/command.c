/* A command of a result, and the file that it executes. */
#include "report/result/record.h"
#include "report/result/result.h"

/* ---- the file ---------------------------------------------------------------------------------- */

static const char *const placements[] = {
    [LAUKA_PLACEMENT_UNKNOWN] = "",
    [LAUKA_PLACEMENT_REREAD] = "reread",
    [LAUKA_PLACEMENT_KEPT] = "kept",
    [LAUKA_PLACEMENT_SHARED] = "shared",
    [LAUKA_PLACEMENT_MEMORY] = "memory",
    [LAUKA_PLACEMENT_UNREADABLE] = "unreadable",
    [LAUKA_PLACEMENT_LONG] = "long",
    [LAUKA_PLACEMENT_UNSUPPORTED] = "unsupported",
    NULL,
};

static const struct lauka_field executable_fields[] = {
    {LAUKA_FIELD(INTEGER, lauka_result_executable, bytes), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(TEXT, lauka_result_executable, sha256), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(TEXT, lauka_result_executable, build_id), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(CHOICE, lauka_result_executable, placement), .names = placements, .is_open = true,
     LAUKA_IF_KNOWN},
};
const struct lauka_record_table lauka_executable_record = {
    LAUKA_RECORD(lauka_result_executable, executable_fields)};

/* ---- the command ------------------------------------------------------------------------------- */

static const struct lauka_field revision_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_result_revision, commit)},
    {LAUKA_FIELD(TEXT, lauka_result_revision, date)},
    {LAUKA_FIELD(BYTES, lauka_result_revision, subject)},
    {LAUKA_FIELD_AS(BOOL, lauka_result_revision, is_changed, "dirty"), LAUKA_IF_KNOWN},
};
static const struct lauka_record_table revision_record = {
    LAUKA_RECORD(lauka_result_revision, revision_fields)};

static bool is_file_known(const void *command)
{
    const struct lauka_result_executable *file =
        &((const struct lauka_result_command *)command)->executable;
    return file->bytes > 0 || file->sha256 || file->build_id || file->placement;
}

static const struct lauka_field command_fields[] = {
    {LAUKA_FIELD_AS(BYTES, lauka_result_command, label, NULL)},
    {LAUKA_FIELD_AS(BYTES, lauka_result_command, side, NULL)},
    {LAUKA_FIELD_AS(PARAMETERS, lauka_result_command, parameters, NULL),
     .count_at = offsetof(struct lauka_result_command, parameter_count)},
    {LAUKA_FIELD(STRINGS, lauka_result_command, argv), LAUKA_NULLABLE, LAUKA_LATE},
    {LAUKA_FIELD(BYTES, lauka_result_command, path), LAUKA_NULLABLE, LAUKA_LATE},
    {LAUKA_FIELD_AS(RECORD, lauka_result_command, executable, NULL),
     .of = &lauka_executable_record},
    {LAUKA_FIELD(COMPUTED, lauka_result_command, executable), .computed = LAUKA_COMPUTED_EXECUTABLE,
     .known = is_file_known, LAUKA_IF_KNOWN},
    {LAUKA_FIELD(RECORD, lauka_result_command, revision), .of = &revision_record, LAUKA_IF_KNOWN},
    {LAUKA_FIELD_AS(BOOL, lauka_result_command, is_same, "same"), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(INTEGER, lauka_result_command, failures), LAUKA_LATE},
    {LAUKA_FIELD(INTEGER, lauka_result_command, left_behind), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(BOOL, lauka_result_command, unwatched), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(INTEGER, lauka_result_command, contradicted), LAUKA_IF_KNOWN},
};
const struct lauka_record_table lauka_command_record = {
    LAUKA_RECORD(lauka_result_command, command_fields)};
