/* A session as JSON: hyperfine's keys, in seconds and bytes, and beside them every metric in its own unit. What holds for
 * all of its benchmarks is written once, and the rest with each. */
#include "report/json/parts.h"
#include "report/json/json.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- a command: hyperfine's keys, then lauka's own -------------------------------------------- */

static struct lauka_optional known(const void *known, double value)
{
    return (struct lauka_optional){.known = known, .value = known ? value : 0};
}

/* ---- hyperfine's keys -------------------------------------------------------------------------- */

static const struct lauka_summary *summary_of(const struct lauka_result *result, size_t command,
                                              const char *metric)
{
    return lauka_result_summary(result, command, lauka_result_metric_index(result, metric));
}

static void put_seconds(struct lauka_json_document *document, const char *key,
                        const struct lauka_summary *summary, double ns)
{
    lauka_document_optional(document, key, known(summary, ns / 1e9));
}

static void put_hyperfine(struct lauka_json_document *document, size_t command)
{
    static const struct lauka_summary none;
    const struct lauka_result *result = document->result;
    const struct lauka_result_command *about = &result->commands[command];
    const size_t wall_time = lauka_result_metric_index(result, "wall_time");
    const size_t peak_rss = lauka_result_metric_index(result, "peak_rss");
    const struct lauka_summary *wall = lauka_result_summary(result, command, wall_time);
    const struct lauka_summary *user = summary_of(result, command, "user_time");
    const struct lauka_summary *system = summary_of(result, command, "system_time");
    const struct lauka_summary *shown = wall ? wall : &none;
    double unit = wall ? lauka_result_unit(&result->metrics[wall_time]) : 1;
    lauka_document_bytes(document, "command", about->label);
    put_seconds(document, "mean", wall, shown->mean / unit);
    put_seconds(document, "stddev", shown->stddev.known ? wall : NULL, shown->stddev.value / unit);
    put_seconds(document, "median", wall, shown->median / unit);
    put_seconds(document, "user", user, user ? user->mean : 0);
    put_seconds(document, "system", system, system ? system->mean : 0);
    put_seconds(document, "min", wall, (double)shown->min / unit);
    put_seconds(document, "max", wall, (double)shown->max / unit);
    if (!result->run.samples_left_out) {
        lauka_document_runs(document, "times", LAUKA_JSON_TIMES, command, wall_time);
        lauka_document_runs(document, "memory_usage_byte", LAUKA_JSON_MEMORY, command, peak_rss);
    }
    /* hyperfine never leaves this array out, and Bencher requires it. */
    lauka_document_runs(document, "exit_codes", LAUKA_JSON_EXIT_CODES, command, 0);
    lauka_document_parameters(document, "parameters", about->parameters, about->parameter_count);
}

/* ---- what is kept instead of single values ------------------------------------------------------- */

/* Seven bits a byte, the lowest first; the eighth says that more follow (LEB128). */
static size_t put_number(uint8_t *bytes, uint64_t number)
{
    size_t size = 0;
    for (; number > 127; number >>= 7)
        bytes[size++] = (uint8_t)(number | 128);
    bytes[size++] = (uint8_t)number;
    return size;
}

/* Bins that are not empty, in order: the distance from the previous one, doubled; plus one if a count
 * follows, which otherwise is 1, as it mostly is. Returns the size. */
static size_t pack_bins(const struct lauka_paired_log *log, uint8_t *bytes)
{
    const struct lauka_sparse *bins = &log->bins;
    size_t next = 0, size = 0;
    for (size_t i = lauka_sparse_find(bins, 0); i < bins->count;
         i = lauka_sparse_find(bins, i + 1)) {
        uint64_t pairs = lauka_sparse_at(bins, i);
        bool counted = pairs > 1;
        size += put_number(bytes + size, (uint64_t)(i - next) << 1 | counted);
        if (counted)
            size += put_number(bytes + size, pairs);
        next = i + 1;
    }
    return size;
}

static void put_paired(struct lauka_json_document *document, const struct lauka_paired_log *log)
{
    enum { BIN_SIZE = 3 + 5 };
    uint8_t *bytes = malloc(BIN_SIZE * lauka_sparse_used(&log->bins) + 1);
    lauka_document_object(document, "paired");
    lauka_document_fields(document, &lauka_paired_record, log);
    lauka_document_base64(document, "bins", bytes, bytes ? pack_bins(log, bytes) : 0);
    lauka_document_end(document);
    document->incomplete |= !bytes;
    free(bytes);
}

static void put_stream(struct lauka_json_document *document,
                       const struct lauka_result_stream *stream)
{
    lauka_document_integer(document, "missing", stream->missing);
    lauka_document_record(document, "moments", &lauka_moments_record, &stream->moments);
    if (stream->paired)
        put_paired(document, stream->paired);
    else
        lauka_document_null(document, "paired");
}

/* Of each host there is what its comparison is made of; the histogram is of all together. */
static void put_streams(struct lauka_json_document *document, size_t command, size_t metric)
{
    const struct lauka_result *result = document->result;
    if (!result->commands[command].streams)
        return;
    lauka_document_object_line(document, "stream");
    put_stream(document, &result->commands[command].streams[metric]);
    if (lauka_result_has_hosts(result)) {
        lauka_document_array(document, "hosts");
        for (size_t h = 0; h < result->merged.host_count; h++) {
            lauka_document_object(document, NULL);
            put_stream(document, &result->merged.hosts[h].streams[command][metric]);
            lauka_document_end(document);
        }
        lauka_document_end(document);
    }
    lauka_document_end(document);
}

/* ---- metrics ------------------------------------------------------------------------------------- */

static void put_decimal(struct lauka_json_document *document, const char *key, uint64_t value,
                        int decimals)
{
    char text[32];
    lauka_document_raw(document, key,
                       lauka_format_json_decimal(value, decimals, text, sizeof text));
}

/* If nothing was counted there are no quantiles, and no histogram. */
static void put_quantiles(struct lauka_json_document *document, size_t command, size_t metric)
{
    struct lauka_result_quantiles quantiles;
    char key[32], *text = NULL;
    if (lauka_result_quantiles(document->result, command, metric, &quantiles) != 0)
        document->incomplete = true;
    const bool any = quantiles.count > 0;
    if (any && lauka_result_histogram(document->result, command, metric, &text) != 0)
        document->incomplete = true;
    lauka_document_object_line(document, "quantiles");
    for (size_t i = 0; i < LAUKA_SUMMARY_RANKS && any; i++)
        put_decimal(document, lauka_format_rank(lauka_summary_ranks[i], key, sizeof key),
                    quantiles.values[i], document->result->metrics[metric].decimals);
    lauka_document_end(document);
    lauka_document_text(document, "quantile_source",
                        !any                    ? NULL
                        : quantiles.from_values ? "values"
                                                : "histogram");
    lauka_document_text(document, "histogram", text);
    free(text);
}

static void put_extreme(struct lauka_json_document *document, const char *key,
                        const struct lauka_result_metric *about, const uint64_t *value)
{
    if (value)
        put_decimal(document, key, *value, about->decimals);
    else
        lauka_document_null(document, key);
}

static void put_about(struct lauka_json_document *document, const struct lauka_result_metric *about,
                      bool is_at_least)
{
    lauka_document_text(document, "unit", about->unit);
    if (about->decimals != 0) /* so many are kept */
        lauka_document_number(document, "decimals", about->decimals);
    lauka_document_text(document, "better", about->better);
    lauka_document_text(document, "source", about->source);
    lauka_document_bool(document, "primary", about->primary);
    if (about->repeatable) /* measured outside of the rounds */
        lauka_document_bool(document, "repeatable", true);
    if (about->bins > 0) /* values are the middles of buckets */
        lauka_document_number(document, "histogram_error", about->bins);
    if (is_at_least)
        lauka_document_bool(document, "partial", true);
    if (about->detail) /* not shown to people */
        lauka_document_bool(document, "detail", true);
}

static void put_metric(struct lauka_json_document *document, size_t command, size_t metric)
{
    static const struct lauka_summary none;
    const struct lauka_result *result = document->result;
    const struct lauka_result_metric *about = &result->metrics[metric];
    const struct lauka_summary *summary = lauka_result_summary(result, command, metric);
    const struct lauka_summary *shown = summary ? summary : &none;
    double unit = lauka_result_unit(about);
    lauka_document_object(document, about->name);
    put_about(document, about, lauka_result_is_at_least(result, command, metric));
    lauka_document_optional(document, "share", known(summary, about->share));
    lauka_document_integer(document, "count", shown->count);
    lauka_document_optional(document, "mean", known(summary, shown->mean / unit));
    lauka_document_optional(
        document, "stddev",
        (struct lauka_optional){shown->stddev.known, shown->stddev.value / unit});
    put_extreme(document, "min", about, summary ? &shown->min : NULL);
    put_extreme(document, "max", about, summary ? &shown->max : NULL);
    lauka_document_optional(document, "median", known(summary, shown->median / unit));
    put_quantiles(document, command, metric);
    if (result->run.samples_left_out)
        put_streams(document, command, metric);
    else
        lauka_document_runs(document, "values", LAUKA_JSON_VALUES, command, metric);
    lauka_document_end(document);
}

/* ---- the share of all runs' CPU time on each kind of core, by its label, from the metrics -------- */

#define OF_A_KIND "cpu_time@"

static const struct lauka_summary *time_of_kind(const struct lauka_result *result, size_t command,
                                                size_t metric)
{
    return strncmp(result->metrics[metric].name, OF_A_KIND, strlen(OF_A_KIND)) == 0
               ? lauka_result_summary(result, command, metric)
               : NULL;
}

static void put_residency(struct lauka_json_document *document, size_t command)
{
    const struct lauka_result *result = document->result;
    const struct lauka_summary *time;
    double total = 0;
    for (size_t m = 0; m < result->metric_count; m++)
        if ((time = time_of_kind(result, command, m)))
            total += time->mean;
    if (!(total > 0))
        return;
    lauka_document_object(document, "residency");
    for (size_t m = 0; m < result->metric_count; m++)
        if ((time = time_of_kind(result, command, m)))
            lauka_document_number(document, result->metrics[m].name + strlen(OF_A_KIND),
                                  time->mean / total);
    lauka_document_end(document);
}

/* ---- all of it ----------------------------------------------------------------------------------- */

/* A side has the same name in all benchmarks; in an unnamed benchmark it is mostly the command itself,
 * which is there already. */
static void put_side(struct lauka_json_document *document, size_t command)
{
    const struct lauka_result_command *first = &document->session->benchmarks[0].commands[command];
    const char *side = first->side ? first->side : first->label;
    if (document->result->benchmark.name || strcmp(side, first->label) != 0)
        lauka_document_bytes(document, "side", side);
}

/* A command of the document's benchmark. */
static void put_command(struct lauka_json_document *document, size_t command)
{
    const struct lauka_result *result = document->result;
    lauka_document_object(document, NULL);
    put_hyperfine(document, command);
    if (result->benchmark.name)
        lauka_document_bytes(document, "benchmark", result->benchmark.name);
    put_side(document, command);
    lauka_document_fields(document, &lauka_command_record, &result->commands[command]);
    lauka_document_object(document, "metrics");
    for (size_t m = 0; m < result->metric_count; m++)
        put_metric(document, command, m);
    lauka_document_end(document);
    put_residency(document, command);
    lauka_document_end(document);
}

/* ---- what holds for all ---------------------------------------------------------------------- */

struct shared {               /* flags of the first benchmark's: whether all have the same */
    bool *options, *warnings; /* owned */
};

/* The next one with this name, from a place on; NULL if there is none. */
static const struct lauka_result_option *next_option(const struct lauka_result *result,
                                                     const char *name, size_t *place)
{
    while (*place < result->option_count) {
        const struct lauka_result_option *option = &result->options[(*place)++];
        if (strcmp(option->name, name) == 0)
            return option;
    }
    return NULL;
}

/* Whether two results have the same values of the option, of which there may be several. */
static bool is_same_option(const struct lauka_result *left, const struct lauka_result *right,
                           const char *name)
{
    const struct lauka_result_option *one, *other;
    size_t left_place = 0, right_place = 0;
    do {
        one = next_option(left, name, &left_place);
        other = next_option(right, name, &right_place);
        if (!one || !other)
            return one == other;
    } while (one->given == other->given && lauka_text_is(one->value, other->value));
    return false;
}

/* Returns 0 or ENOMEM; what is there is to be freed in either case. */
static int find_shared(const struct lauka_session *session, struct shared *shared)
{
    const struct lauka_result *first = &session->benchmarks[0];
    *shared = (struct shared){malloc(first->option_count + 1), malloc(first->warning_count + 1)};
    if (!shared->options || !shared->warnings)
        return ENOMEM;
    memset(shared->options, true, first->option_count);
    memset(shared->warnings, true, first->warning_count);
    for (size_t b = 1; b < session->benchmark_count; b++) {
        const struct lauka_result *other = &session->benchmarks[b];
        for (size_t i = 0; i < first->option_count; i++)
            shared->options[i] &= is_same_option(first, other, first->options[i].name);
        for (size_t w = 0; w < first->warning_count; w++)
            shared->warnings[w] &= lauka_result_has_warning(other, first->warnings[w]);
    }
    return 0;
}

static bool is_shared_option(const struct lauka_session *session, const struct shared *shared,
                             const struct lauka_result_option *option)
{
    size_t place = 0;
    return next_option(&session->benchmarks[0], option->name, &place) && shared->options[place - 1];
}

static bool is_shared_warning(const struct lauka_session *session, const struct shared *shared,
                              const char *text)
{
    size_t w = lauka_result_find_warning(&session->benchmarks[0], text);
    return w < session->benchmarks[0].warning_count && shared->warnings[w];
}

/* Those that are shared, even if there are none, or the others, if there are some; in the order in which they were given,
 * after those that hold by default. */
static void put_options(struct lauka_json_document *document, const struct shared *shared,
                        bool wanted)
{
    const struct lauka_result *result = document->result;
    bool begun = wanted;
    if (wanted)
        lauka_document_array(document, "options");
    for (size_t i = 0; i < result->option_count; i++) {
        if (is_shared_option(document->session, shared, &result->options[i]) != wanted)
            continue;
        if (!begun)
            lauka_document_array(document, "options");
        begun = true;
        lauka_document_record(document, NULL, &lauka_option_record, &result->options[i]);
    }
    if (begun)
        lauka_document_end(document);
}

static void put_warnings(struct lauka_json_document *document, const struct shared *shared,
                         bool wanted)
{
    const struct lauka_result *result = document->result;
    bool begun = wanted;
    if (wanted)
        lauka_document_array(document, "warnings");
    for (size_t w = 0; w < result->warning_count; w++) {
        if (is_shared_warning(document->session, shared, result->warnings[w]) != wanted)
            continue;
        if (!begun)
            lauka_document_array(document, "warnings");
        begun = true;
        lauka_document_text(document, NULL, result->warnings[w]);
    }
    if (begun)
        lauka_document_end(document);
}

/* ---- how it ran -------------------------------------------------------------------------------- */

static void put_order(struct lauka_json_document *document)
{
    if (!document->result->run.samples_left_out)
        lauka_document_runs(document, "order", LAUKA_JSON_ORDER, 0, 0);
    if (document->result->run.layout)
        lauka_document_runs(document, "layout", LAUKA_JSON_LAYOUT, 0, 0);
}

/* With one benchmark, also that one's course. */
static void put_run(struct lauka_json_document *document, const struct shared *shared)
{
    const bool several = document->session->benchmark_count > 1;
    lauka_document_object(document, "run");
    lauka_document_fields(document, &lauka_seed_record, document->result);
    if (!several)
        lauka_document_fields(document, &lauka_course_record, document->result);
    lauka_document_fields(document, &lauka_words_record, document->result);
    put_options(document, shared, true);
    lauka_document_fields(document, &lauka_origin_record, document->result);
    if (!several)
        put_order(document);
    lauka_document_end(document);
}

static void put_failure(struct lauka_json_document *document)
{
    const struct lauka_result_failure *failure = &document->result->failure;
    if (failure->known)
        lauka_document_record(document, "failure", &lauka_failure_record, failure);
    else
        lauka_document_null(document, "failure");
}

/* ---- a benchmark ------------------------------------------------------------------------------- */

static void put_units(struct lauka_json_document *document, const char *key, bool inner)
{
    const struct lauka_result_benchmark *about = &document->result->benchmark;
    const struct lauka_result_units *units = inner ? &about->inner : &about->units;
    const bool are_rounds = units->kind == LAUKA_UNIT_ROUND;
    lauka_document_object(document, key);
    lauka_document_text(document, "kind", lauka_unit_name(units->kind));
    lauka_document_integer(document, "count",
                           are_rounds ? document->result->run.rounds : units->count);
    if (units->of)
        lauka_document_runs(document, "of", inner ? LAUKA_JSON_INNER_UNITS : LAUKA_JSON_UNITS, 0,
                            0);
    if (!inner && about->inner.of)
        put_units(document, "within", true);
    lauka_document_end(document);
}

/* What stands at the top of a document of one benchmark. */
static void put_own(struct lauka_json_document *document, const struct shared *shared)
{
    lauka_document_fields(document, &lauka_course_record, document->result);
    put_options(document, shared, false);
    lauka_document_doubts(document);
    lauka_document_gate(document);
    lauka_document_fields(document, &lauka_findings_record, document->result);
    put_failure(document);
    put_warnings(document, shared, false);
    put_order(document);
}

static void put_benchmark(struct lauka_json_document *document, const struct shared *shared)
{
    const struct lauka_result *result = document->result;
    const struct lauka_result_benchmark *about = &result->benchmark;
    lauka_document_object(document, NULL);
    if (about->name)
        lauka_document_bytes(document, "name", about->name);
    lauka_document_parameters(document, "parameters", about->parameters, about->parameter_count);
    put_units(document, "units", false);
    if (result->merged.session)
        lauka_document_hosts(document);
    if (document->session->benchmark_count > 1)
        put_own(document, shared);
    else
        lauka_document_fields(document, &lauka_ending_record, result);
    lauka_document_end(document);
}

/* ---- the document ------------------------------------------------------------------------------ */

/* Makes the document about the next benchmark: begin with 0. False after the last one, and then it is about the first one
 * again. */
static bool next_benchmark(struct lauka_json_document *document, size_t *benchmark)
{
    const struct lauka_session *session = document->session;
    const bool more = *benchmark < session->benchmark_count && !document->incomplete;
    document->first += *benchmark > 0 ? document->result->command_count : 0;
    document->first = more ? document->first : 0;
    document->result = &session->benchmarks[more ? (*benchmark)++ : 0];
    return more;
}

static void put_results(struct lauka_json_document *document)
{
    lauka_document_array(document, "results");
    for (size_t b = 0; next_benchmark(document, &b);)
        for (size_t c = 0; c < document->result->command_count && !document->incomplete; c++)
            put_command(document, c);
    lauka_document_end(document);
}

static void put_comparisons(struct lauka_json_document *document)
{
    lauka_document_array(document, "comparisons");
    for (size_t b = 0; next_benchmark(document, &b);)
        for (size_t i = 0; i < document->result->comparison_count; i++)
            lauka_document_comparison(document, &document->result->comparisons[i]);
    lauka_document_end(document);
}

static void put_benchmarks(struct lauka_json_document *document, const struct shared *shared)
{
    lauka_document_array(document, "benchmarks");
    for (size_t b = 0; next_benchmark(document, &b);)
        put_benchmark(document, shared);
    lauka_document_end(document);
}

/* A reader of version 1.0 would compare across benchmarks. */
static void put_document(struct lauka_json_document *document, const struct shared *shared)
{
    const bool several = document->session->benchmark_count > 1;
    lauka_document_object(document, NULL);
    lauka_document_text(document, "schema", several ? "lauka-result/2.1" : "lauka-result/1.2");
    put_results(document);
    put_comparisons(document);
    if (several) {
        lauka_document_verdict(document);
    } else {
        lauka_document_doubts(document);
        lauka_document_gate(document);
        lauka_document_fields(document, &lauka_findings_record, document->result);
    }
    put_benchmarks(document, shared);
    put_run(document, shared);
    if (!several)
        put_failure(document);
    lauka_document_record(document, "host", &lauka_host_record, &document->result->host);
    put_warnings(document, shared, true);
    lauka_document_end(document);
}

int lauka_write_json_session(const struct lauka_session *session, FILE *out)
{
    struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_SPACES, out);
    struct shared shared;
    document.session = session;
    document.result = &session->benchmarks[0];
    document.computed = lauka_document_computed;
    document.incomplete = find_shared(session, &shared) != 0;
    if (!document.incomplete)
        put_document(&document, &shared);
    free(shared.options);
    free(shared.warnings);
    return lauka_document_finish(&document);
}

/* The writer changes nothing and frees nothing. */
int lauka_write_json(const struct lauka_result *result, FILE *out)
{
    const struct lauka_session session = {(struct lauka_result *)(uintptr_t)result, 1};
    return lauka_write_json_session(&session, out);
}
