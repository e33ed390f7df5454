/* Records as JSON, by their tables. */
#include "report/json/parts.h"
#include "report/result/record.h"
#include "report/result/result.h"

#include <string.h>

/* The last value of a name counts, because an object has each key once. */
void lauka_document_parameters(struct lauka_json_document *document, const char *key,
                               const struct lauka_parameter_value *parameters, size_t count)
{
    lauka_document_object(document, key);
    for (size_t i = 0; i < count; i++) {
        bool last = true;
        for (size_t k = i + 1; k < count; k++)
            last &= strcmp(parameters[i].name, parameters[k].name) != 0;
        if (last)
            lauka_document_bytes(document, parameters[i].name, parameters[i].value);
    }
    lauka_document_end(document);
}

static void put_list(struct lauka_json_document *document, const struct lauka_field *field,
                     const void *data)
{
    size_t count;
    const char *elements = lauka_field_elements(field, data, &count);
    lauka_document_array(document, field->key);
    for (size_t i = 0; i < count; i++)
        lauka_document_record(document, NULL, field->of, elements + i * field->of->size);
    lauka_document_end(document);
}

static void put_parameters(struct lauka_json_document *document, const struct lauka_field *field,
                           const void *data)
{
    size_t count;
    const struct lauka_parameter_value *parameters = lauka_field_elements(field, data, &count);
    lauka_document_parameters(document, field->key, parameters, count);
}

static void put_word(struct lauka_json_document *document, const struct lauka_field *field,
                     const void *data)
{
    char buffer[64];
    lauka_document_text(document, field->key, field->word->print(data, buffer, sizeof buffer));
}

static void put_wide(struct lauka_json_document *document, const char *key, lauka_uint128 value)
{
    char buffer[48], *text = buffer + sizeof buffer;
    *--text = 0;
    do {
        *--text = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value > 0);
    lauka_document_text(document, key, text);
}

static void put_computed(struct lauka_json_document *document, const struct lauka_field *field,
                         const void *data)
{
    if (document->computed)
        document->computed(document, field->key, field->computed, data);
    else
        lauka_document_null(document, field->key);
}

static void put_field(struct lauka_json_document *document, const struct lauka_field *field,
                      const void *data)
{
    const void *member = (const char *)data + field->at;
    const char *key = field->key;
    switch (field->kind) {
    case LAUKA_FIELD_INTEGER:
        lauka_document_integer(document, key, *(const uint64_t *)member);
        break;
    case LAUKA_FIELD_COUNT:
        lauka_document_integer(document, key, *(const size_t *)member);
        break;
    case LAUKA_FIELD_COMMAND:
        lauka_document_integer(document, key, document->first + *(const size_t *)member);
        break;
    case LAUKA_FIELD_WIDE:
        put_wide(document, key, *(const lauka_uint128 *)member);
        break;
    case LAUKA_FIELD_NUMBER:
        lauka_document_number(document, key,
                              *(const double *)member != 0 ? *(const double *)member
                                                           : field->standard);
        break;
    case LAUKA_FIELD_OPTIONAL:
        lauka_document_optional(document, key, *(const struct lauka_optional *)member);
        break;
    case LAUKA_FIELD_MAYBE:
        lauka_document_bool(document, key, ((const struct lauka_optional *)member)->value != 0);
        break;
    case LAUKA_FIELD_BOOL:
        lauka_document_bool(document, key, *(const bool *)member);
        break;
    case LAUKA_FIELD_NOT:
        lauka_document_bool(document, key, !*(const bool *)member);
        break;
    case LAUKA_FIELD_TEXT:
        lauka_document_text(document, key, *(char *const *)member);
        break;
    case LAUKA_FIELD_BYTES:
        lauka_document_bytes(document, key, *(char *const *)member);
        break;
    case LAUKA_FIELD_STRINGS:
        lauka_document_strings(document, key, *(char **const *)member);
        break;
    case LAUKA_FIELD_PARAMETERS:
        put_parameters(document, field, data);
        break;
    case LAUKA_FIELD_CHOICE:
        lauka_document_text(document, key, field->names[*(const unsigned *)member]);
        break;
    case LAUKA_FIELD_FLAG:
        lauka_document_text(document, key, field->names[*(const bool *)member]);
        break;
    case LAUKA_FIELD_WORD:
        put_word(document, field, data);
        break;
    case LAUKA_FIELD_RECORD:
        lauka_document_record(document, key, field->of, member);
        break;
    case LAUKA_FIELD_LIST:
    case LAUKA_FIELD_ARRAY:
        put_list(document, field, data);
        break;
    case LAUKA_FIELD_COMPUTED:
        put_computed(document, field, data);
    }
}

void lauka_document_fields(struct lauka_json_document *document,
                           const struct lauka_record_table *record, const void *data)
{
    for (size_t i = 0; i < record->count; i++) {
        const struct lauka_field *field = &record->fields[i];
        const bool may_miss = field->presence != LAUKA_FIELD_ALWAYS;
        if (!field->key)
            continue;
        if (!may_miss || lauka_field_is_known(field, data))
            put_field(document, field, data);
        else if (field->presence == LAUKA_FIELD_NULLABLE)
            lauka_document_null(document, field->key);
    }
}

void lauka_document_record(struct lauka_json_document *document, const char *key,
                           const struct lauka_record_table *record, const void *data)
{
    if (record->one_line)
        lauka_document_object_line(document, key);
    else
        lauka_document_object(document, key);
    lauka_document_fields(document, record, data);
    lauka_document_end(document);
}
