/* What is stored of a result as a whole. Records that are parts of it have tables of their own. */
#include "report/result/record.h"
#include "report/result/result.h"
#include "stats/stats.h"

/* ---- what was found ---------------------------------------------------------------------------- */

static bool has_whys(const void *result)
{
    return ((const struct lauka_result *)result)->whys.count > 0;
}

static bool has_sampled(const void *result)
{
    return ((const struct lauka_result *)result)->sampled.count > 0;
}

static const struct lauka_field findings_fields[] = {
    {LAUKA_FIELD_AS(RECORD, lauka_result, whys, "why"), .of = &lauka_whys_record, .known = has_whys,
     LAUKA_IF_KNOWN},
    {LAUKA_FIELD_AS(LIST, lauka_result, calls.commands, "system_calls"),
     LAUKA_ELEMENTS(lauka_result, calls.count, LAUKA_LIST_LONGEST, &lauka_calls_record),
     LAUKA_IF_KNOWN},
    {LAUKA_FIELD(RECORD, lauka_result, sampled), .of = &lauka_sampled_record, .known = has_sampled,
     LAUKA_IF_KNOWN},
};
const struct lauka_record_table lauka_findings_record = {
    LAUKA_RECORD(lauka_result, findings_fields)};

/* ---- how it went ------------------------------------------------------------------------------- */

static const struct lauka_field failure_fields[] = {
    {LAUKA_FIELD(COMMAND, lauka_result_failure, command)},
    {LAUKA_FIELD(INTEGER, lauka_result_failure, round)},
    {LAUKA_FIELD(BOOL, lauka_result_failure, warmup)},
    {LAUKA_FIELD(BOOL, lauka_result_failure, outside_rounds), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(TEXT, lauka_result_failure, reason)},
    {LAUKA_FIELD_AS(BYTES, lauka_result_failure, stderr_tail, "stderr"), LAUKA_NULLABLE,
     LAUKA_LATE},
};
const struct lauka_record_table lauka_failure_record = {
    LAUKA_RECORD(lauka_result_failure, failure_fields)};

static const struct lauka_field batch_fields[] = {
    {LAUKA_FIELD(INTEGER, lauka_batch, rounds)},
    {LAUKA_FIELD(NUMBER, lauka_batch, seconds), .most = 1e18},
    {LAUKA_FIELD(OPTIONAL, lauka_batch, pressure), .most = 1, LAUKA_NULLABLE},
    {LAUKA_FIELD(OPTIONAL, lauka_batch, steal), .most = 1, LAUKA_NULLABLE},
};
static const struct lauka_record_table batch_record = {LAUKA_RECORD(lauka_batch, batch_fields)};

static bool was_run(const void *result)
{
    return ((const struct lauka_result *)result)->run.stopped != LAUKA_STOPPED_STORED;
}

static bool has_error(const void *result)
{
    return ((const struct lauka_result *)result)->error.known;
}

static const char *const endings[] = {
    [LAUKA_STOPPED_ROUNDS] = "rounds",
    [LAUKA_STOPPED_TIME] = "time",
    [LAUKA_STOPPED_PRECISION] = "precision",
    [LAUKA_STOPPED_EFFECT] = "effect",
    [LAUKA_STOPPED_EXACT] = "exact",
    [LAUKA_STOPPED_GATE] = "gate",
    [LAUKA_STOPPED_FAILURE] = "failure",
    [LAUKA_STOPPED_INTERRUPTED] = "interrupted",
    [LAUKA_STOPPED_ERROR] = "error",
    [LAUKA_STOPPED_STORED] = "stored",
    NULL,
};

const char *lauka_stopped_name(enum lauka_stopped stopped)
{
    return endings[stopped];
}

enum lauka_stopped lauka_stopped_named(const char *name)
{
    size_t place = lauka_name_place(endings, name);
    return endings[place] ? (enum lauka_stopped)place : LAUKA_STOPPED_ERROR;
}

static const char *const aparts[] = {"none", "sessions", "logs", NULL};

const char *lauka_apart_name(enum lauka_apart apart)
{
    return aparts[apart];
}

static const struct lauka_field course_fields[] = {
    {LAUKA_FIELD_AS(INTEGER, lauka_result, run.rounds, "rounds")},
    {LAUKA_FIELD_AS(BOOL, lauka_result, run.unpaired, "unpaired")},
    {LAUKA_FIELD_AS(CHOICE, lauka_result, run.apart, "apart"), .names = aparts, LAUKA_IF_KNOWN},
    {LAUKA_FIELD_AS(NOT, lauka_result, run.samples_left_out, "samples")},
    {LAUKA_FIELD_AS(INTEGER, lauka_result, run.warmup, "warmup")},
    {LAUKA_FIELD_AS(INTEGER, lauka_result, run.dropped, "dropped"), LAUKA_IF_KNOWN},
    {LAUKA_FIELD_AS(CHOICE, lauka_result, run.stopped, "stopped"), .names = endings,
     .is_open = true, .standard = LAUKA_STOPPED_ERROR},
    {LAUKA_FIELD_AS(COMPUTED, lauka_result, error, "error"), .computed = LAUKA_COMPUTED_ERROR,
     LAUKA_IF_KNOWN, .known = has_error},
    {LAUKA_FIELD_AS(NUMBER, lauka_result, run.seconds, "seconds"), .most = 1e18, LAUKA_NULLABLE,
     .known = was_run},
    {LAUKA_FIELD_AS(NUMBER, lauka_result, run.measured, "measured"), .most = 1e18, LAUKA_NULLABLE,
     LAUKA_LATE},
    {LAUKA_FIELD_AS(OPTIONAL, lauka_result, run.pressure, "pressure"), .most = 1, LAUKA_NULLABLE,
     LAUKA_LATE},
    {LAUKA_FIELD_AS(OPTIONAL, lauka_result, run.steal, "steal"), .most = 1, LAUKA_NULLABLE,
     LAUKA_LATE},
    {LAUKA_FIELD_AS(ARRAY, lauka_result, run.batches, "batches"),
     LAUKA_ELEMENTS(lauka_result, run.batch_count, LAUKA_BATCHES_MAX, &batch_record),
     LAUKA_IF_KNOWN},
    {LAUKA_FIELD_AS(INTEGER, lauka_result, run.rss_floor, "rss_floor"), LAUKA_LATE},
    {LAUKA_FIELD_AS(NUMBER, lauka_result, run.alpha, "alpha"), .least = 1e-9, .most = 0.5,
     .standard = LAUKA_ALPHA_FIXED},
    {LAUKA_FIELD_AS(NUMBER, lauka_result, run.precision, "precision"), .most = 1,
     .standard = LAUKA_PRECISION_DEFAULT},
};
const struct lauka_record_table lauka_course_record = {LAUKA_RECORD(lauka_result, course_fields)};

/* What stands of it with the only benchmark, too. */
static const struct lauka_field ending_fields[] = {
    {LAUKA_FIELD_AS(INTEGER, lauka_result, run.rounds, "rounds")},
    {LAUKA_FIELD_AS(CHOICE, lauka_result, run.stopped, "stopped"), .names = endings,
     .is_open = true, .standard = LAUKA_STOPPED_ERROR},
    {LAUKA_FIELD_AS(NUMBER, lauka_result, run.seconds, "seconds"), .most = 1e18, LAUKA_NULLABLE,
     .known = was_run},
};
const struct lauka_record_table lauka_ending_record = {LAUKA_RECORD(lauka_result, ending_fields)};

/* ---- what holds for the whole session ---------------------------------------------------------- */

static const struct lauka_field option_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_result_option, name)},
    {LAUKA_FIELD(BYTES, lauka_result_option, value), LAUKA_NULLABLE},
    {LAUKA_FIELD(BOOL, lauka_result_option, given)},
};
const struct lauka_record_table lauka_option_record = {
    LAUKA_RECORD(lauka_result_option, option_fields)};

static const struct lauka_field options_fields[] = {
    {LAUKA_FIELD(LIST, lauka_result, options),
     LAUKA_ELEMENTS(lauka_result, option_count, LAUKA_LIST_LONGEST, &lauka_option_record),
     LAUKA_IF_KNOWN},
};
const struct lauka_record_table lauka_options_record = {LAUKA_RECORD(lauka_result, options_fields)};

static const struct lauka_field seed_fields[] = {
    {LAUKA_FIELD_AS(INTEGER, lauka_result, run.seed, "seed"), LAUKA_NULLABLE, .known = was_run},
};
const struct lauka_record_table lauka_seed_record = {LAUKA_RECORD(lauka_result, seed_fields)};

static const struct lauka_field words_fields[] = {
    {LAUKA_FIELD_AS(BOOL, lauka_result, run.noise, "noise")},
    {LAUKA_FIELD(STRINGS, lauka_result, arguments), LAUKA_NULLABLE, LAUKA_LATE},
    {LAUKA_FIELD(STRINGS, lauka_result, reproduce), LAUKA_NULLABLE, LAUKA_LATE},
};
const struct lauka_record_table lauka_words_record = {LAUKA_RECORD(lauka_result, words_fields)};

static bool is_job(const void *result)
{
    return ((const struct lauka_result *)result)->provenance.part.session;
}

static bool is_merged(const void *result)
{
    return ((const struct lauka_result *)result)->merged.session;
}

static const struct lauka_field origin_fields[] = {
    {LAUKA_FIELD(RECORD, lauka_result, provenance), .of = &lauka_provenance_record, LAUKA_IF_KNOWN},
    {LAUKA_FIELD_AS(COMPUTED, lauka_result, provenance, "job"), .computed = LAUKA_COMPUTED_JOB,
     LAUKA_IF_KNOWN, .known = is_job},
    {LAUKA_FIELD(COMPUTED, lauka_result, merged), .computed = LAUKA_COMPUTED_MERGED, LAUKA_IF_KNOWN,
     .known = is_merged},
};
const struct lauka_record_table lauka_origin_record = {LAUKA_RECORD(lauka_result, origin_fields)};
