/* What a session was, as JSON: how it ran and ended, with which options, on which host. */
#include "report/json/parts.h"
#include "report/result/result.h"
#include "stats/stats.h"

/* In the order in which they were given; those that hold by default first. */
static struct lauka_json_value *options_item(struct lauka_json_document *document)
{
    struct lauka_json_value *array = lauka_document_array(document);
    for (size_t i = 0; i < document->result->option_count; i++) {
        const struct lauka_result_option *option = &document->result->options[i];
        struct lauka_json_value *object = lauka_document_object(document);
        lauka_document_add_text(document, object, "name", option->name);
        lauka_document_add_bytes(document, object, "value", option->value);
        lauka_document_add_bool(document, object, "given", option->given);
        lauka_document_append(document, array, object);
    }
    return array;
}

static struct lauka_json_value *batches_item(struct lauka_json_document *document)
{
    const struct lauka_result_run *run = &document->result->run;
    struct lauka_json_value *array = lauka_document_array(document);
    for (size_t i = 0; i < run->batch_count; i++) {
        const struct lauka_batch *batch = &run->batches[i];
        struct lauka_json_value *object = lauka_document_object(document);
        lauka_document_add_integer(document, object, "rounds", batch->rounds);
        lauka_document_add_number(document, object, "seconds", batch->seconds);
        lauka_document_add_optional(document, object, "pressure", batch->pressure);
        lauka_document_add_optional(document, object, "steal", batch->steal);
        lauka_document_append(document, array, object);
    }
    return array;
}

struct lauka_json_value *lauka_document_run(struct lauka_json_document *document)
{
    const struct lauka_result_run *run = &document->result->run;
    struct lauka_json_value *object = lauka_document_object(document);
    if (run->stopped == LAUKA_STOPPED_STORED)
        lauka_document_add(document, object, "seed", lauka_document_null(document));
    else
        lauka_document_add_integer(document, object, "seed", run->seed);
    lauka_document_add_integer(document, object, "rounds", run->rounds);
    lauka_document_add_bool(document, object, "unpaired", run->unpaired);
    lauka_document_add_bool(document, object, "samples", !run->samples_left_out);
    lauka_document_add_integer(document, object, "warmup", run->warmup);
    if (run->dropped > 0)
        lauka_document_add_integer(document, object, "dropped", run->dropped);
    lauka_document_add_text(document, object, "stopped", lauka_stopped_name(run->stopped));
    if (document->result->error.known)
        lauka_document_add_text(document, object, "error",
                                lauka_result_error_text(document->result));
    lauka_document_add_optional(
        document, object, "seconds",
        (struct lauka_optional){run->stopped != LAUKA_STOPPED_STORED, run->seconds});
    lauka_document_add_optional(document, object, "measured",
                                (struct lauka_optional){run->measured > 0, run->measured});
    lauka_document_add_optional(document, object, "pressure", run->pressure);
    lauka_document_add_optional(document, object, "steal", run->steal);
    if (run->batch_count > 0)
        lauka_document_add(document, object, "batches", batches_item(document));
    lauka_document_add_integer(document, object, "rss_floor", run->rss_floor);
    lauka_document_add_number(document, object, "alpha", lauka_result_alpha(document->result));
    lauka_document_add_number(document, object, "precision",
                              lauka_result_precision(document->result));
    lauka_document_add_bool(document, object, "noise", run->noise);
    lauka_document_add_strings(document, object, "arguments", document->result->arguments);
    lauka_document_add_strings(document, object, "reproduce", document->result->reproduce);
    lauka_document_add(document, object, "options", options_item(document));
    return object;
}

/* 0 stands for what is not known. */
static void add_known_integer(struct lauka_json_document *document, struct lauka_json_value *object,
                              const char *key, uint64_t value)
{
    if (value > 0)
        lauka_document_add_integer(document, object, key, value);
    else
        lauka_document_add(document, object, key, lauka_document_null(document));
}

struct lauka_json_value *lauka_document_host(struct lauka_json_document *document)
{
    const struct lauka_result_host *host = &document->result->host;
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_text(document, object, "os", host->os);
    lauka_document_add_text(document, object, "kernel", host->kernel);
    lauka_document_add_text(document, object, "arch", host->arch);
    lauka_document_add_text(document, object, "cpu_model", host->cpu_model);
    if (host->cores) /* more than one kind */
        lauka_document_add_text(document, object, "cores", host->cores);
    add_known_integer(document, object, "cpu_count", host->cpu_count);
    add_known_integer(document, object, "memory_bytes", host->memory_bytes);
    lauka_document_add_text(document, object, "governor", host->governor);
    char fingerprint[LAUKA_FINGERPRINT_SIZE];
    bool known = lauka_host_fingerprint(host, fingerprint);
    lauka_document_add_text(document, object, "fingerprint", known ? fingerprint : NULL);
    return object;
}

struct lauka_json_value *lauka_document_warnings(struct lauka_json_document *document)
{
    struct lauka_json_value *array = lauka_document_array(document);
    for (size_t w = 0; w < document->result->warning_count; w++)
        lauka_document_append(document, array,
                              lauka_document_text(document, document->result->warnings[w]));
    return array;
}

struct lauka_json_value *lauka_document_failure(struct lauka_json_document *document)
{
    const struct lauka_result_failure *failure = &document->result->failure;
    if (!failure->known)
        return lauka_document_null(document);
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_integer(document, object, "command", failure->command);
    lauka_document_add_integer(document, object, "round", failure->round);
    lauka_document_add_bool(document, object, "warmup", failure->warmup);
    if (failure->outside_rounds)
        lauka_document_add_bool(document, object, "outside_rounds", true);
    lauka_document_add_text(document, object, "reason", failure->reason);
    lauka_document_add_bytes(document, object, "stderr", failure->stderr_tail);
    return object;
}
