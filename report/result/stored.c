/* What is stored of a result: the tables of its parts. Those of gate, hosts, streams and of `why` stand with these. */
#include "report/result/merged.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "stats/stats.h"
#include "stats/warming.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- a machine -------------------------------------------------------------------------------- */

static const struct lauka_field host_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_result_host, os), LAUKA_NULLABLE},
    {LAUKA_FIELD(TEXT, lauka_result_host, kernel), LAUKA_NULLABLE},
    {LAUKA_FIELD(TEXT, lauka_result_host, arch), LAUKA_NULLABLE},
    {LAUKA_FIELD(TEXT, lauka_result_host, cpu_model), LAUKA_NULLABLE},
    {LAUKA_FIELD(TEXT, lauka_result_host, cores), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(INTEGER, lauka_result_host, cpu_count), LAUKA_NULLABLE},
    {LAUKA_FIELD(INTEGER, lauka_result_host, memory_bytes), LAUKA_NULLABLE},
    {LAUKA_FIELD(TEXT, lauka_result_host, governor), LAUKA_NULLABLE, LAUKA_LATE},
    {LAUKA_FIELD(TEXT, lauka_result_host, simulator), LAUKA_IF_KNOWN},
    {.key = "fingerprint",
     .kind = LAUKA_FIELD_COMPUTED,
     .computed = LAUKA_COMPUTED_FINGERPRINT,
     LAUKA_LATE},
};
const struct lauka_record_table lauka_host_record = {LAUKA_RECORD(lauka_result_host, host_fields)};

bool lauka_host_fingerprint(const struct lauka_result_host *host, char text[LAUKA_FINGERPRINT_SIZE])
{
    const char *const texts[] = {host->os, host->kernel, host->arch, host->cpu_model,
                                 host->governor};
    uint64_t hash = LAUKA_HASH;
    char numbers[64];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash = lauka_hash_text(hash, texts[i] ? texts[i] : "");
    int length = snprintf(numbers, sizeof numbers, "%" PRIu64 " %" PRIu64, host->cpu_count,
                          host->memory_bytes);
    snprintf(text, LAUKA_FINGERPRINT_SIZE, "%016" PRIx64,
             lauka_hash(hash, numbers, (size_t)length));
    return host->os != NULL;
}

/* ---- where it comes from ---------------------------------------------------------------------- */

static const struct lauka_field job_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_result_job, session)},
    {LAUKA_FIELD(INTEGER, lauka_result_job, number), .least = 1, .most = LAUKA_JOBS_MAX},
    {LAUKA_FIELD(INTEGER, lauka_result_job, of), .least = 1, .most = LAUKA_JOBS_MAX},
    {LAUKA_FIELD(INTEGER, lauka_result_job, attempt), .least = 1, .most = LAUKA_JOBS_MAX},
    {LAUKA_FIELD(TEXT, lauka_result_job, host)},
};
const struct lauka_record_table lauka_job_record = {LAUKA_RECORD(lauka_result_job, job_fields)};

static const struct lauka_field provenance_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_result_provenance, begin), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(TEXT, lauka_result_provenance, end), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(TEXT, lauka_result_provenance, version), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(BYTES, lauka_result_provenance, directory), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(TEXT, lauka_result_provenance, commit), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(BYTES, lauka_result_provenance, branch), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(MAYBE, lauka_result_provenance, dirty), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(TEXT, lauka_result_provenance, ci), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(BYTES, lauka_result_provenance, job), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(BYTES, lauka_result_provenance, url), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(PARAMETERS, lauka_result_provenance, labels),
     .count_at = offsetof(struct lauka_result_provenance, label_count), LAUKA_IF_KNOWN},
    {LAUKA_FIELD_AS(RECORD, lauka_result_provenance, part, NULL), .of = &lauka_job_record},
};
const struct lauka_record_table lauka_provenance_record = {
    LAUKA_RECORD(lauka_result_provenance, provenance_fields)};

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

static const char *const classes[] = {
    [LAUKA_STEADY_UNKNOWN] = "",
    [LAUKA_STEADY_FLAT] = "flat",
    [LAUKA_STEADY_WARMS_UP] = "warms up",
    [LAUKA_STEADY_SLOWS_DOWN] = "slows down",
    [LAUKA_STEADY_NONE] = "no steady state",
    NULL,
};

static const struct lauka_field steady_fields[] = {
    {LAUKA_FIELD(CHOICE, lauka_warmings, class), .names = classes, .is_open = true, LAUKA_IF_KNOWN},
    {LAUKA_FIELD(NUMBER, lauka_warmings, rounds), .most = 1e18},
    {LAUKA_FIELD(NUMBER, lauka_warmings, seconds), .most = 1e18},
    {LAUKA_FIELD(INTEGER, lauka_warmings, flat)},
    {LAUKA_FIELD(INTEGER, lauka_warmings, warms_up)},
    {LAUKA_FIELD(INTEGER, lauka_warmings, slows_down)},
    {LAUKA_FIELD_AS(INTEGER, lauka_warmings, unsteady, "no_steady_state")},
};
static const struct lauka_record_table steady_record = {
    LAUKA_RECORD(lauka_warmings, steady_fields)};

static const struct lauka_field kept_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_result_kept, name)},
    {LAUKA_FIELD(TEXT, lauka_result_kept, time)},
    {LAUKA_FIELD(TEXT, lauka_result_kept, commit), LAUKA_IF_KNOWN},
    {LAUKA_FIELD_AS(BOOL, lauka_result_kept, is_changed, "dirty"), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(BYTES, lauka_result_kept, command)},
};
const struct lauka_record_table lauka_kept_record = {LAUKA_RECORD(lauka_result_kept, kept_fields)};

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
    {LAUKA_FIELD(RECORD, lauka_result_command, steady), .of = &steady_record, LAUKA_IF_KNOWN},
    {LAUKA_FIELD(RECORD, lauka_result_command, kept), .of = &lauka_kept_record, LAUKA_IF_KNOWN},
    {LAUKA_FIELD_AS(BOOL, lauka_result_command, is_same, "same"), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(INTEGER, lauka_result_command, failures), LAUKA_LATE},
    {LAUKA_FIELD(INTEGER, lauka_result_command, left_behind), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(BOOL, lauka_result_command, unwatched), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(INTEGER, lauka_result_command, contradicted), LAUKA_IF_KNOWN},
};
const struct lauka_record_table lauka_command_record = {
    LAUKA_RECORD(lauka_result_command, command_fields)};

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

static const struct lauka_field origin_fields[] = {
    {LAUKA_FIELD(RECORD, lauka_result, provenance), .of = &lauka_provenance_record, LAUKA_IF_KNOWN},
    {LAUKA_FIELD_AS(RECORD, lauka_result, provenance.part, "job"), .of = &lauka_job_record,
     LAUKA_IF_KNOWN, .is_inside = true},
    {LAUKA_FIELD(RECORD, lauka_result, merged), .of = &lauka_merged_record, LAUKA_IF_KNOWN},
};
const struct lauka_record_table lauka_origin_record = {LAUKA_RECORD(lauka_result, origin_fields)};
