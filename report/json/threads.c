/* What the threads of a live process use, as one line of JSON. */
#include "report/json/json.h"
#include "report/result/threads.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>

static void put_count(struct lauka_json_document *document, const char *key,
                      struct lauka_optional value)
{
    if (value.known)
        lauka_document_integer(document, key, (uint64_t)value.value);
    else
        lauka_document_null(document, key);
}

static void put_figures(struct lauka_json_document *document,
                        const struct lauka_thread_report *report,
                        const struct lauka_thread_figures *figures)
{
    struct lauka_optional ipc = {.known = figures->cycles.known && figures->instructions.known &&
                                          figures->cycles.value > 0};
    if (ipc.known)
        ipc.value = figures->instructions.value / figures->cycles.value;
    lauka_document_optional(document, "time", figures->time);
    lauka_document_optional(document, "user", figures->user);
    lauka_document_optional(document, "system", figures->system);
    put_count(document, "cycles", figures->cycles);
    put_count(document, "instructions", figures->instructions);
    lauka_document_optional(document, "ipc", ipc);
    lauka_document_optional(document, "ghz", figures->ghz);
    lauka_document_optional(document, "energy", figures->energy);
    lauka_document_optional(document, "power", figures->power);
    lauka_document_bool(document, "estimated", figures->estimated);
    if (report->count_count == 0)
        return;
    lauka_document_object(document, "events");
    for (size_t e = 0; e < report->count_count; e++)
        put_count(document, report->counts[e], figures->counts[e]);
    lauka_document_end(document);
}

static void put_named(struct lauka_json_document *document,
                      const struct lauka_thread_report *report, const char *key,
                      const struct lauka_thread_figures *figures)
{
    lauka_document_object(document, key);
    put_figures(document, report, figures);
    lauka_document_end(document);
}

static void put_row(struct lauka_json_document *document, const struct lauka_thread_report *report,
                    const struct lauka_thread_row *row)
{
    lauka_document_object(document, NULL);
    lauka_document_integer(document, "id", row->id);
    lauka_document_text(document, "name", row->name);
    lauka_document_bool(document, "new", row->is_new);
    put_figures(document, report, &row->total);
    lauka_document_object(document, "types");
    for (size_t t = 0; report->type_count > 1 && t < report->type_count; t++)
        put_named(document, report, report->types[t], &row->types[t]);
    lauka_document_end(document);
    lauka_document_end(document);
}

int lauka_write_threads_json(const struct lauka_thread_report *report, FILE *out)
{
    struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_LINE, out);
    errno = 0;
    lauka_document_object(&document, NULL);
    lauka_document_text(&document, "schema", "lauka-threads/1.1");
    lauka_document_integer(&document, "pid", report->pid);
    lauka_document_text(&document, "name", report->name);
    lauka_document_optional(&document, "seconds",
                            (struct lauka_optional){report->seconds > 0, report->seconds});
    lauka_document_array(&document, "threads");
    for (size_t i = 0; i < report->count; i++)
        put_row(&document, report, &report->rows[i]);
    lauka_document_end(&document);
    lauka_document_integer(&document, "left_out", report->left_out);
    lauka_document_integer(&document, "begun", report->begun);
    lauka_document_integer(&document, "ended", report->ended);
    put_named(&document, report, "gone", &report->gone);
    put_named(&document, report, "total", &report->total);
    lauka_document_bool(&document, "user_only", report->user_only);
    lauka_document_text(&document, "note", report->note);
    lauka_document_end(&document);
    fputs("\n", out);
    return ferror(out) ? errno ? errno : EIO : 0;
}
