/* What a session was, as JSON: how it ran and ended, and with which options. What holds for all of its
 * benchmarks is written once, and the rest with each. */
#include "report/json/parts.h"
#include "report/result/record.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what holds for all ---------------------------------------------------------------------- */

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

int lauka_json_shared_find(const struct lauka_session *session, struct lauka_json_shared *shared)
{
    const struct lauka_result *first = &session->benchmarks[0];
    *shared = (struct lauka_json_shared){
        .options = malloc(first->option_count + 1),
        .warnings = malloc(first->warning_count + 1),
    };
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

void lauka_json_shared_done(struct lauka_json_shared *shared)
{
    free(shared->options);
    free(shared->warnings);
    *shared = (struct lauka_json_shared){0};
}

static bool is_shared_option(const struct lauka_session *session,
                             const struct lauka_json_shared *shared, const char *name)
{
    const struct lauka_result *first = &session->benchmarks[0];
    size_t place = 0;
    return next_option(first, name, &place) && shared->options[place - 1];
}

static bool is_shared_warning(const struct lauka_session *session,
                              const struct lauka_json_shared *shared, const char *text)
{
    size_t w = lauka_result_find_warning(&session->benchmarks[0], text);
    return w < session->benchmarks[0].warning_count && shared->warnings[w];
}

/* ---- options and warnings, those that are shared or the others --------------------------------- */

/* In the order in which they were given, after those that hold by default. NULL if there are none. */
static struct lauka_json_value *options_item(struct lauka_json_document *document,
                                             const struct lauka_json_shared *shared, bool wanted)
{
    struct lauka_json_value *array = NULL;
    for (size_t i = 0; i < document->result->option_count; i++) {
        const struct lauka_result_option *option = &document->result->options[i];
        if (is_shared_option(document->session, shared, option->name) != wanted)
            continue;
        array = array ? array : lauka_document_array(document);
        lauka_document_append(document, array,
                              lauka_document_record(document, &lauka_option_record, option));
    }
    return array;
}

static struct lauka_json_value *warnings_item(struct lauka_json_document *document,
                                              const struct lauka_json_shared *shared, bool wanted)
{
    struct lauka_json_value *array = NULL;
    for (size_t w = 0; w < document->result->warning_count; w++) {
        const char *text = document->result->warnings[w];
        if (is_shared_warning(document->session, shared, text) != wanted)
            continue;
        array = array ? array : lauka_document_array(document);
        lauka_document_append(document, array, lauka_document_text(document, text));
    }
    return array;
}

struct lauka_json_value *lauka_document_warnings(struct lauka_json_document *document,
                                                 const struct lauka_json_shared *shared)
{
    struct lauka_json_value *array = warnings_item(document, shared, true);
    return array ? array : lauka_document_array(document);
}

/* ---- the course of a benchmark --------------------------------------------------------------- */

static void add_order(struct lauka_json_document *document, struct lauka_json_value *object)
{
    if (!document->result->run.samples_left_out)
        lauka_document_add_runs(document, object, "order", LAUKA_JSON_ORDER, 0, 0);
    if (document->result->run.layout)
        lauka_document_add_runs(document, object, "layout", LAUKA_JSON_LAYOUT, 0, 0);
}

/* ---- the session ----------------------------------------------------------------------------- */

struct lauka_json_value *lauka_document_run(struct lauka_json_document *document,
                                            const struct lauka_json_shared *shared)
{
    bool several = document->session->benchmark_count > 1;
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_fields(document, object, &lauka_seed_record, document->result);
    if (!several)
        lauka_document_add_fields(document, object, &lauka_course_record, document->result);
    lauka_document_add_fields(document, object, &lauka_words_record, document->result);
    struct lauka_json_value *options = options_item(document, shared, true);
    lauka_document_add(document, object, "options",
                       options ? options : lauka_document_array(document));
    lauka_document_add_fields(document, object, &lauka_origin_record, document->result);
    if (!several)
        add_order(document, object);
    return object;
}

struct lauka_json_value *lauka_document_failure(struct lauka_json_document *document)
{
    const struct lauka_result_failure *failure = &document->result->failure;
    if (!failure->known)
        return lauka_document_null(document);
    return lauka_document_record(document, &lauka_failure_record, failure);
}

/* ---- a benchmark ------------------------------------------------------------------------------- */

static struct lauka_json_value *units_item(struct lauka_json_document *document, bool inner)
{
    const struct lauka_result_benchmark *about = &document->result->benchmark;
    const struct lauka_result_units *units = inner ? &about->inner : &about->units;
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_text(document, object, "kind", lauka_unit_name(units->kind));
    lauka_document_add_integer(document, object, "count",
                               units->kind == LAUKA_UNIT_ROUND ? document->result->run.rounds
                                                               : units->count);
    if (units->of)
        lauka_document_add_runs(document, object, "of",
                                inner ? LAUKA_JSON_INNER_UNITS : LAUKA_JSON_UNITS, 0, 0);
    if (!inner && about->inner.of)
        lauka_document_add(document, object, "within", units_item(document, true));
    return object;
}

/* What stands at the top of a document of one benchmark. */
static void add_own(struct lauka_json_document *document, struct lauka_json_value *object,
                    const struct lauka_json_shared *shared)
{
    struct lauka_json_value *options = options_item(document, shared, false);
    struct lauka_json_value *warnings = warnings_item(document, shared, false);
    lauka_document_add_fields(document, object, &lauka_course_record, document->result);
    if (options)
        lauka_document_add(document, object, "options", options);
    lauka_document_add(document, object, "doubts", lauka_document_doubts(document));
    lauka_document_add(document, object, "gate", lauka_document_gate(document));
    lauka_document_add_fields(document, object, &lauka_findings_record, document->result);
    lauka_document_add(document, object, "failure", lauka_document_failure(document));
    if (warnings)
        lauka_document_add(document, object, "warnings", warnings);
    add_order(document, object);
}

struct lauka_json_value *lauka_document_benchmark(struct lauka_json_document *document,
                                                  const struct lauka_json_shared *shared)
{
    const struct lauka_result_benchmark *about = &document->result->benchmark;
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_benchmark(document, object, "name");
    lauka_document_add(
        document, object, "parameters",
        lauka_document_parameters(document, about->parameters, about->parameter_count));
    lauka_document_add(document, object, "units", units_item(document, false));
    if (document->result->merged.session)
        lauka_document_add(document, object, "hosts", lauka_document_hosts(document));
    if (document->session->benchmark_count > 1) {
        add_own(document, object, shared);
        return object;
    }
    lauka_document_add_fields(document, object, &lauka_ending_record, document->result);
    return object;
}
