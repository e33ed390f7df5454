/* What the threads of a live process use, as one line of JSON. */
#include "report/json/json.h"
#include "report/result/threads.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>

static void add_count(struct lauka_json_document *document, struct lauka_json_value *object,
                      const char *key, struct lauka_optional value)
{
    if (value.known)
        lauka_document_add_integer(document, object, key, (uint64_t)value.value);
    else
        lauka_document_add(document, object, key, lauka_document_null(document));
}

static void add_figures(struct lauka_json_document *document, struct lauka_json_value *object,
                        const struct lauka_thread_figures *figures)
{
    struct lauka_optional ipc = {.known = figures->cycles.known && figures->instructions.known &&
                                          figures->cycles.value > 0};
    if (ipc.known)
        ipc.value = figures->instructions.value / figures->cycles.value;
    lauka_document_add_optional(document, object, "time", figures->time);
    lauka_document_add_optional(document, object, "user", figures->user);
    lauka_document_add_optional(document, object, "system", figures->system);
    add_count(document, object, "cycles", figures->cycles);
    add_count(document, object, "instructions", figures->instructions);
    lauka_document_add_optional(document, object, "ipc", ipc);
    lauka_document_add_optional(document, object, "ghz", figures->ghz);
    lauka_document_add_optional(document, object, "energy", figures->energy);
    lauka_document_add_optional(document, object, "power", figures->power);
    lauka_document_add_bool(document, object, "estimated", figures->estimated);
}

static struct lauka_json_value *figures_item(struct lauka_json_document *document,
                                             const struct lauka_thread_figures *figures)
{
    struct lauka_json_value *object = lauka_document_object(document);
    add_figures(document, object, figures);
    return object;
}

static struct lauka_json_value *row_item(struct lauka_json_document *document,
                                         const struct lauka_thread_report *report,
                                         const struct lauka_thread_row *row)
{
    struct lauka_json_value *object = lauka_document_object(document);
    struct lauka_json_value *types = lauka_document_object(document);
    lauka_document_add_integer(document, object, "id", row->id);
    lauka_document_add_text(document, object, "name", row->name);
    lauka_document_add_bool(document, object, "new", row->is_new);
    add_figures(document, object, &row->total);
    for (size_t t = 0; report->type_count > 1 && t < report->type_count; t++)
        lauka_document_add(document, types, report->types[t],
                           figures_item(document, &row->types[t]));
    lauka_document_add(document, object, "types", types);
    return object;
}

static struct lauka_json_value *rows_item(struct lauka_json_document *document,
                                          const struct lauka_thread_report *report)
{
    struct lauka_json_value *array = lauka_document_array(document);
    for (size_t i = 0; i < report->count; i++)
        lauka_document_append(document, array, row_item(document, report, &report->rows[i]));
    return array;
}

int lauka_write_threads_json(const struct lauka_thread_report *report, FILE *out)
{
    struct lauka_json_document document = {0};
    struct lauka_json_value *root = lauka_document_object(&document);
    lauka_document_add_text(&document, root, "schema", "lauka-threads/1.1");
    lauka_document_add_integer(&document, root, "pid", report->pid);
    lauka_document_add_text(&document, root, "name", report->name);
    lauka_document_add_optional(&document, root, "seconds",
                                (struct lauka_optional){report->seconds > 0, report->seconds});
    lauka_document_add(&document, root, "threads", rows_item(&document, report));
    lauka_document_add_integer(&document, root, "left_out", report->left_out);
    lauka_document_add_integer(&document, root, "begun", report->begun);
    lauka_document_add_integer(&document, root, "ended", report->ended);
    lauka_document_add(&document, root, "gone", figures_item(&document, &report->gone));
    lauka_document_add(&document, root, "total", figures_item(&document, &report->total));
    lauka_document_add_bool(&document, root, "user_only", report->user_only);
    lauka_document_add_text(&document, root, "note", report->note);
    int error = lauka_document_print_line(&document, root, out);
    fputs(error ? "" : "\n", out);
    return error ? error : ferror(out) ? errno ? errno : EIO : 0;
}
