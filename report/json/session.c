/* A session as JSON: hyperfine's keys, in seconds and bytes, and beside them every metric in its own unit. What holds for
 * all of its benchmarks is written once, and the rest with each. The parts are beside this file. */
#include "report/json/json.h"
#include "report/json/parts.h"
#include "report/result/record.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
            lauka_document_command(document, c);
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
