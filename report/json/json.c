/* A session as JSON: hyperfine's keys, in seconds and bytes, and beside them every metric in its own unit.
 * Part after part is built, printed and dropped, so many benchmarks need no more memory than one. The
 * parts are beside this file. */
#include "report/json/json.h"
#include "report/json/parts.h"
#include "report/result/record.h"
#include "report/result/session.h"
#include "report/text/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct writer {
    const struct lauka_session *session;
    struct lauka_json_shared shared;
    FILE *out;
    bool begun;      /* there is a key before */
    bool incomplete; /* memory ran out */
};

/* first: the number of commands of the benchmarks before it. */
static struct lauka_json_document about(const struct writer *writer, size_t benchmark, size_t first)
{
    return (struct lauka_json_document){
        .session = writer->session,
        .result = &writer->session->benchmarks[benchmark],
        .first = first,
        .computed = lauka_document_computed,
    };
}

static void put_value(struct writer *writer, struct lauka_json_document *document,
                      struct lauka_json_value *value, int levels)
{
    char *text = lauka_document_finish(document, value);
    writer->incomplete |= !text;
    if (text)
        lauka_document_copy(document, text, levels, writer->out);
    writer->incomplete |= document->incomplete;
    free(text);
}

/* ---- a key of the document, and its value ---------------------------------------------------- */

static void put_key(struct writer *writer, const char *key)
{
    fprintf(writer->out, "%s\n  \"%s\": ", writer->begun ? "," : "{", key);
    writer->begun = true;
}

static void put(struct writer *writer, const char *key, struct lauka_json_document *document,
                struct lauka_json_value *value)
{
    put_key(writer, key);
    put_value(writer, document, value, 1);
}

static void put_element(struct writer *writer, struct lauka_json_document *document,
                        struct lauka_json_value *value, size_t *count)
{
    fputs((*count)++ > 0 ? ", " : "", writer->out);
    put_value(writer, document, value, 2);
}

static void put_results(struct writer *writer)
{
    size_t count = 0, first = 0;
    put_key(writer, "results");
    fputc('[', writer->out);
    for (size_t b = 0; b < writer->session->benchmark_count; b++) {
        struct lauka_json_document document = about(writer, b, first);
        for (size_t c = 0; c < document.result->command_count && !writer->incomplete; c++)
            put_element(writer, &document, lauka_document_command(&document, c), &count);
        first += document.result->command_count;
    }
    fputc(']', writer->out);
}

static void put_comparisons(struct writer *writer)
{
    size_t count = 0, first = 0;
    put_key(writer, "comparisons");
    fputc('[', writer->out);
    for (size_t b = 0; b < writer->session->benchmark_count; b++) {
        struct lauka_json_document document = about(writer, b, first);
        const struct lauka_result *result = document.result;
        for (size_t i = 0; i < result->comparison_count && !writer->incomplete; i++)
            put_element(writer, &document,
                        lauka_document_comparison(&document, &result->comparisons[i]), &count);
        first += result->command_count;
    }
    fputc(']', writer->out);
}

static void put_benchmarks(struct writer *writer)
{
    size_t count = 0, first = 0;
    put_key(writer, "benchmarks");
    fputc('[', writer->out);
    for (size_t b = 0; b < writer->session->benchmark_count && !writer->incomplete; b++) {
        struct lauka_json_document document = about(writer, b, first);
        put_element(writer, &document, lauka_document_benchmark(&document, &writer->shared),
                    &count);
        first += document.result->command_count;
    }
    fputc(']', writer->out);
}

/* Each known member of the table about the document's result. */
static void put_fields(struct writer *writer, struct lauka_json_document *document,
                       const struct lauka_record_table *record)
{
    for (size_t i = 0; i < record->count; i++)
        if (lauka_field_is_known(&record->fields[i], document->result))
            put(writer, record->fields[i].key, document,
                lauka_document_field(document, &record->fields[i], document->result));
}

/* ---- the document ---------------------------------------------------------------------------- */

/* A reader of version 1.0 would compare across benchmarks. */
static void put_document(struct writer *writer)
{
    struct lauka_json_document document = about(writer, 0, 0);
    bool several = writer->session->benchmark_count > 1;
    put(writer, "schema", &document,
        lauka_document_text(&document, several ? "lauka-result/2.1" : "lauka-result/1.2"));
    put_results(writer);
    put_comparisons(writer);
    if (!several)
        put(writer, "doubts", &document, lauka_document_doubts(&document));
    put(writer, "gate", &document,
        several ? lauka_document_verdict(&document) : lauka_document_gate(&document));
    if (!several)
        put_fields(writer, &document, &lauka_findings_record);
    put_benchmarks(writer);
    put(writer, "run", &document, lauka_document_run(&document, &writer->shared));
    if (!several)
        put(writer, "failure", &document, lauka_document_failure(&document));
    put(writer, "host", &document,
        lauka_document_record(&document, &lauka_host_record, &document.result->host));
    put(writer, "warnings", &document, lauka_document_warnings(&document, &writer->shared));
    fputs("\n}\n", writer->out);
}

int lauka_write_json_session(const struct lauka_session *session, FILE *out)
{
    struct writer writer = {.session = session, .out = out};
    writer.incomplete = lauka_json_shared_find(session, &writer.shared) != 0;
    errno = 0;
    if (!writer.incomplete)
        put_document(&writer);
    lauka_json_shared_done(&writer.shared);
    return writer.incomplete ? ENOMEM : lauka_finish(out);
}

/* The writer changes nothing and frees nothing. */
int lauka_write_json(const struct lauka_result *result, FILE *out)
{
    const struct lauka_session session = {(struct lauka_result *)(uintptr_t)result, 1};
    return lauka_write_json_session(&session, out);
}
