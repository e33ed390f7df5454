/* What samples point to, as JSON. */
#include "report/json/parts.h"
#include "report/result/result.h"

static struct lauka_json_value *share_item(struct lauka_json_document *document,
                                           const struct lauka_sampled_share *share)
{
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_number(document, object, "estimate", share->estimate);
    lauka_document_add_number(document, object, "low", share->low);
    lauka_document_add_number(document, object, "high", share->high);
    return object;
}

static struct lauka_json_value *row_item(struct lauka_json_document *document,
                                         const struct lauka_sampled_row *row)
{
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_text(document, object, "place", lauka_sampled_place_name(row->place));
    lauka_document_add_bytes(document, object, "name", row->name);
    lauka_document_add_bytes(document, object, "object", row->object);
    lauka_document_add_line(document, object, "before", share_item(document, &row->before));
    lauka_document_add_line(document, object, "after", share_item(document, &row->after));
    lauka_document_add_line(document, object, "difference", share_item(document, &row->difference));
    lauka_document_add_number(document, object, "p", row->p);
    lauka_document_add_bool(document, object, "claimed", row->claimed);
    return object;
}

static struct lauka_json_value *side_item(struct lauka_json_document *document,
                                          const struct lauka_sampled_side *side)
{
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_integer(document, object, "samples", side->samples);
    lauka_document_add_integer(document, object, "lost", side->lost);
    lauka_document_add_integer(document, object, "throttled", side->throttled);
    return object;
}

static struct lauka_json_value *command_item(struct lauka_json_document *document,
                                             const struct lauka_sampled *sampled)
{
    struct lauka_json_value *object = lauka_document_object(document);
    struct lauka_json_value *rows = lauka_document_array(document);
    lauka_document_add_integer(document, object, "command", document->first + sampled->command);
    lauka_document_add_text(document, object, "standing",
                            lauka_sampled_standing_name(sampled->standing));
    if (sampled->reason)
        lauka_document_add_text(document, object, "reason", sampled->reason);
    lauka_document_add_line(document, object, "before", side_item(document, &sampled->before));
    lauka_document_add_line(document, object, "after", side_item(document, &sampled->after));
    for (size_t r = 0; r < sampled->row_count; r++)
        lauka_document_append(document, rows, row_item(document, &sampled->rows[r]));
    lauka_document_add(document, object, "rows", rows);
    lauka_document_add_number(document, object, "others_before", sampled->others_before);
    lauka_document_add_number(document, object, "others_after", sampled->others_after);
    return object;
}

struct lauka_json_value *lauka_document_sampled(struct lauka_json_document *document)
{
    const struct lauka_result_sampled *sampled = &document->result->sampled;
    if (sampled->count == 0)
        return NULL;
    struct lauka_json_value *object = lauka_document_object(document);
    struct lauka_json_value *commands = lauka_document_array(document);
    if (sampled->event)
        lauka_document_add_text(document, object, "event", sampled->event);
    lauka_document_add_integer(document, object, "period_ns", sampled->period_ns);
    lauka_document_add_integer(document, object, "rounds", sampled->rounds);
    lauka_document_add_integer(document, object, "family", sampled->family);
    lauka_document_add_bool(document, object, "kernel", sampled->kernel);
    for (size_t c = 0; c < sampled->count; c++)
        lauka_document_append(document, commands, command_item(document, &sampled->commands[c]));
    lauka_document_add(document, object, "commands", commands);
    return object;
}
