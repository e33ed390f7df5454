/* System calls that one side makes more often, as JSON. */
#include "report/json/parts.h"
#include "report/result/result.h"

static struct lauka_json_value *cost_item(struct lauka_json_document *document,
                                          struct lauka_why_cost cost)
{
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_integer(document, object, "before", cost.before);
    lauka_document_add_integer(document, object, "after", cost.after);
    return object;
}

static struct lauka_json_value *row_item(struct lauka_json_document *document,
                                         const struct lauka_calls_row *row)
{
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_bytes(document, object, "name", row->name);
    lauka_document_add_line(document, object, "calls", cost_item(document, row->calls));
    lauka_document_add_integer(document, object, "spread", row->spread);
    return object;
}

static struct lauka_json_value *command_item(struct lauka_json_document *document,
                                             const struct lauka_calls *calls)
{
    struct lauka_json_value *object = lauka_document_object(document);
    struct lauka_json_value *rows = lauka_document_array(document);
    lauka_document_add_integer(document, object, "command", document->first + calls->command);
    if (calls->reason)
        lauka_document_add_text(document, object, "reason", calls->reason);
    else
        lauka_document_add_text(document, object, "source",
                                calls->traced ? "strace" : "tracepoints");
    lauka_document_add_line(document, object, "calls", cost_item(document, calls->calls));
    lauka_document_add_integer(document, object, "spread", calls->spread);
    for (size_t r = 0; r < calls->row_count; r++)
        lauka_document_append(document, rows, row_item(document, &calls->rows[r]));
    lauka_document_add(document, object, "rows", rows);
    return object;
}

struct lauka_json_value *lauka_document_calls(struct lauka_json_document *document)
{
    const struct lauka_result_calls *calls = &document->result->calls;
    struct lauka_json_value *array = lauka_document_array(document);
    for (size_t c = 0; c < calls->count; c++)
        lauka_document_append(document, array, command_item(document, &calls->commands[c]));
    return array;
}
