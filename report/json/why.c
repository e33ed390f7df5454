/* Which functions made the difference, as JSON. */
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

static void add_cost(struct lauka_json_document *document, struct lauka_json_value *object,
                     const char *key, struct lauka_why_cost cost)
{
    lauka_document_add_line(document, object, key, cost_item(document, cost));
}

static struct lauka_json_value *line_item(struct lauka_json_document *document,
                                          const struct lauka_why_line *line)
{
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_bytes(document, object, "file", line->file);
    lauka_document_add_integer(document, object, "line", line->line);
    add_cost(document, object, "instructions", line->instructions);
    return object;
}

static struct lauka_json_value *function_item(struct lauka_json_document *document,
                                              const struct lauka_why_function *function)
{
    struct lauka_json_value *object = lauka_document_object(document);
    struct lauka_json_value *lines = lauka_document_array(document);
    lauka_document_add_bytes(document, object, "name", function->name);
    lauka_document_add_bytes(document, object, "object", function->object);
    lauka_document_add_bytes(document, object, "file", function->file);
    lauka_document_add_integer(document, object, "line", function->line);
    lauka_document_add_text(document, object, "fate", lauka_why_fate_name(function->fate));
    if (function->partner)
        lauka_document_add_bytes(document, object, "partner", function->partner);
    add_cost(document, object, "instructions", function->instructions);
    add_cost(document, object, "cycles", function->cycles);
    lauka_document_add_integer(document, object, "spread", function->spread);
    for (size_t l = 0; l < function->line_count; l++)
        lauka_document_append(document, lines, line_item(document, &function->lines[l]));
    lauka_document_add(document, object, "lines", lines);
    return object;
}

static struct lauka_json_value *why_item(struct lauka_json_document *document,
                                         const struct lauka_why *why)
{
    struct lauka_json_value *object = lauka_document_object(document);
    struct lauka_json_value *functions = lauka_document_array(document);
    lauka_document_add_integer(document, object, "command", document->first + why->command);
    lauka_document_add_text(document, object, "standing", lauka_why_standing_name(why->standing));
    if (why->reason)
        lauka_document_add_text(document, object, "reason", why->reason);
    add_cost(document, object, "instructions", why->instructions);
    add_cost(document, object, "cycles", why->cycles);
    lauka_document_add_integer(document, object, "spread", why->spread);
    for (size_t f = 0; f < why->function_count; f++)
        lauka_document_append(document, functions, function_item(document, &why->functions[f]));
    lauka_document_add(document, object, "functions", functions);
    add_cost(document, object, "others", why->others);
    lauka_document_add_integer(document, object, "other_count", why->other_count);
    add_cost(document, object, "beyond", why->beyond);
    return object;
}

struct lauka_json_value *lauka_document_why(struct lauka_json_document *document)
{
    const struct lauka_result_whys *whys = &document->result->whys;
    if (whys->count == 0)
        return NULL;
    struct lauka_json_value *object = lauka_document_object(document);
    struct lauka_json_value *commands = lauka_document_array(document);
    lauka_document_add_bool(document, object, "asked", whys->asked);
    for (size_t w = 0; w < whys->count; w++)
        lauka_document_append(document, commands, why_item(document, &whys->whys[w]));
    lauka_document_add(document, object, "commands", commands);
    return object;
}
