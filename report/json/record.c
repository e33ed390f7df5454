/* Records as JSON, by their tables. */
#include "report/json/parts.h"
#include "report/result/record.h"
#include "report/result/result.h"

#include <string.h>

/* The last value of a name counts, because an object has each key once. */
struct lauka_json_value *lauka_document_parameters(struct lauka_json_document *document,
                                                   const struct lauka_parameter_value *parameters,
                                                   size_t count)
{
    struct lauka_json_value *object = lauka_document_object(document);
    for (size_t i = 0; i < count; i++) {
        bool last = true;
        for (size_t k = i + 1; k < count; k++)
            last &= strcmp(parameters[i].name, parameters[k].name) != 0;
        if (last)
            lauka_document_add_bytes(document, object, parameters[i].name, parameters[i].value);
    }
    return object;
}

static struct lauka_json_value *list_item(struct lauka_json_document *document,
                                          const struct lauka_field *field, const void *data)
{
    struct lauka_json_value *array = lauka_document_array(document);
    size_t count;
    const char *elements = lauka_field_elements(field, data, &count);
    for (size_t i = 0; i < count; i++)
        lauka_document_append(
            document, array,
            lauka_document_record(document, field->of, elements + i * field->of->size));
    return array;
}

static struct lauka_json_value *parameters_item(struct lauka_json_document *document,
                                                const struct lauka_field *field, const void *data)
{
    size_t count;
    const struct lauka_parameter_value *parameters = lauka_field_elements(field, data, &count);
    return lauka_document_parameters(document, parameters, count);
}

static struct lauka_json_value *word_item(struct lauka_json_document *document,
                                          const struct lauka_field *field, const void *data)
{
    char buffer[64];
    return lauka_document_text(document, field->word->print(data, buffer, sizeof buffer));
}

static struct lauka_json_value *wide_item(struct lauka_json_document *document, lauka_uint128 value)
{
    char buffer[48], *text = buffer + sizeof buffer;
    *--text = 0;
    do {
        *--text = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value > 0);
    return lauka_document_text(document, text);
}

static struct lauka_json_value *number_item(struct lauka_json_document *document,
                                            const struct lauka_field *field, double value)
{
    return lauka_document_optional(document, lauka_known(value != 0 ? value : field->standard));
}

static struct lauka_json_value *computed_item(struct lauka_json_document *document,
                                              const struct lauka_field *field, const void *data)
{
    return document->computed ? document->computed(document, field->computed, data)
                              : lauka_document_null(document);
}

static struct lauka_json_value *value_of(struct lauka_json_document *document,
                                         const struct lauka_field *field, const void *data)
{
    const void *member = (const char *)data + field->at;
    switch (field->kind) {
    case LAUKA_FIELD_INTEGER:
        return lauka_document_integer(document, *(const uint64_t *)member);
    case LAUKA_FIELD_COUNT:
        return lauka_document_integer(document, *(const size_t *)member);
    case LAUKA_FIELD_COMMAND:
        return lauka_document_integer(document, document->first + *(const size_t *)member);
    case LAUKA_FIELD_WIDE:
        return wide_item(document, *(const lauka_uint128 *)member);
    case LAUKA_FIELD_NUMBER:
        return number_item(document, field, *(const double *)member);
    case LAUKA_FIELD_OPTIONAL:
        return lauka_document_optional(document, *(const struct lauka_optional *)member);
    case LAUKA_FIELD_MAYBE:
        return lauka_document_bool(document, ((const struct lauka_optional *)member)->value != 0);
    case LAUKA_FIELD_BOOL:
        return lauka_document_bool(document, *(const bool *)member);
    case LAUKA_FIELD_NOT:
        return lauka_document_bool(document, !*(const bool *)member);
    case LAUKA_FIELD_TEXT:
        return lauka_document_text(document, *(char *const *)member);
    case LAUKA_FIELD_PARAMETERS:
        return parameters_item(document, field, data);
    case LAUKA_FIELD_CHOICE:
        return lauka_document_text(document, field->names[*(const unsigned *)member]);
    case LAUKA_FIELD_FLAG:
        return lauka_document_text(document, field->names[*(const bool *)member]);
    case LAUKA_FIELD_WORD:
        return word_item(document, field, data);
    case LAUKA_FIELD_RECORD:
        return lauka_document_record(document, field->of, member);
    case LAUKA_FIELD_LIST:
    case LAUKA_FIELD_ARRAY:
        return list_item(document, field, data);
    case LAUKA_FIELD_COMPUTED:
        return computed_item(document, field, data);
    case LAUKA_FIELD_BYTES:
    case LAUKA_FIELD_STRINGS: /* may need a second key */
        break;
    }
    return lauka_document_null(document);
}

static void add_field(struct lauka_json_document *document, struct lauka_json_value *object,
                      const struct lauka_field *field, const void *data)
{
    const void *member = (const char *)data + field->at;
    if (field->kind == LAUKA_FIELD_BYTES)
        lauka_document_add_bytes(document, object, field->key, *(char *const *)member);
    else if (field->kind == LAUKA_FIELD_STRINGS)
        lauka_document_add_strings(document, object, field->key, *(char **const *)member);
    else
        lauka_document_add(document, object, field->key,
                           lauka_document_field(document, field, data));
}

static bool is_written(const struct lauka_field *field, const void *data)
{
    return field->key &&
           (field->presence != LAUKA_FIELD_IF_KNOWN || lauka_field_is_known(field, data));
}

void lauka_document_add_fields(struct lauka_json_document *document,
                               struct lauka_json_value *object,
                               const struct lauka_record_table *record, const void *data)
{
    for (size_t i = 0; i < record->count; i++)
        if (is_written(&record->fields[i], data))
            add_field(document, object, &record->fields[i], data);
}

struct lauka_json_value *lauka_document_record(struct lauka_json_document *document,
                                               const struct lauka_record_table *record,
                                               const void *data)
{
    struct lauka_json_value *object = lauka_document_object(document);
    lauka_document_add_fields(document, object, record, data);
    return record->one_line ? lauka_document_line(document, object) : object;
}

struct lauka_json_value *lauka_document_field(struct lauka_json_document *document,
                                              const struct lauka_field *field, const void *data)
{
    if (field->presence == LAUKA_FIELD_ALWAYS || lauka_field_is_known(field, data))
        return value_of(document, field, data);
    return lauka_document_null(document);
}
