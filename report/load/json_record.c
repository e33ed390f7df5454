/* Records of a stored result, read by their tables. What a table does not allow is refused with its path. */
#include "report/load/json.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "stats/stats.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

struct part { /* a member that is being read */
    struct lauka_json *json;
    const char *path; /* of its record */
    const cJSON *object, *item;
    const struct lauka_field *field;
    void *data, *member;
};

static char *name_part(const struct part *part, char *path)
{
    snprintf(path, LAUKA_PATH_SIZE, "%.*s%s%.40s", LAUKA_PATH_SIZE - 42, part->path,
             *part->path ? "." : "", part->field->key);
    return path;
}

static bool refuse(const struct part *part, const char *reason)
{
    char path[LAUKA_PATH_SIZE];
    return lauka_json_fail(part->json, name_part(part, path), "%s", reason);
}

/* ---- numbers --------------------------------------------------------------------------------------- */

static bool is_in_range(const struct lauka_field *field, double value)
{
    return field->most <= 0 || (value >= field->least && value <= field->most);
}

static bool read_integer(const struct part *part, uint64_t *value)
{
    return lauka_json_integer(part->json, part->path, part->object, part->field->key, value) &&
           (is_in_range(part->field, (double)*value) || refuse(part, "is out of its range"));
}

static bool read_count(const struct part *part)
{
    uint64_t count = 0;
    bool good = read_integer(part, &count);
    *(size_t *)part->member = (size_t)count;
    return good;
}

/* Its least index is in the table: 1 where it is not the reference. */
static bool read_command(const struct part *part)
{
    const struct lauka_json *json = part->json;
    uint64_t place = 0;
    if (!lauka_json_integer(part->json, part->path, part->object, part->field->key, &place))
        return false;
    size_t command = (size_t)(place - json->first);
    if (place < json->first + (size_t)part->field->least || command >= json->result->command_count)
        return refuse(part, "there is no such command");
    *(size_t *)part->member = command;
    return true;
}

static bool read_wide(const struct part *part, lauka_uint128 *value)
{
    const char *text = cJSON_GetStringValue(part->item);
    const lauka_uint128 most = ~(lauka_uint128)0;
    bool good = text && *text;
    *value = 0;
    for (; good && *text; text++) {
        const lauka_uint128 next = (lauka_uint128)(*text - '0');
        good = *text >= '0' && *text <= '9' && *value <= (most - next) / 10;
        *value = *value * 10 + next;
    }
    return good || refuse(part, "is no text of a whole number up to 2^128");
}

static bool read_number(const struct part *part, double *value)
{
    if (!cJSON_IsNumber(part->item))
        return refuse(part, "is not a number");
    if (!is_in_range(part->field, part->item->valuedouble))
        return refuse(part, "is out of its range");
    *value = part->item->valuedouble;
    return true;
}

static bool read_optional(const struct part *part)
{
    struct lauka_optional *value = part->member;
    value->known = true;
    return read_number(part, &value->value);
}

/* maybe: the member is an optional. */
static bool read_bool(const struct part *part, bool maybe, bool opposite)
{
    const bool value = cJSON_IsTrue(part->item) != opposite;
    if (!cJSON_IsBool(part->item))
        return refuse(part, "is neither true nor false");
    if (maybe)
        *(struct lauka_optional *)part->member = (struct lauka_optional){true, value};
    else
        *(bool *)part->member = value;
    return true;
}

/* ---- texts ----------------------------------------------------------------------------------------- */

/* The bytes, if there are any beside it, take precedence over the text. */
static bool read_text(const struct part *part)
{
    if (!cJSON_IsString(part->item))
        return refuse(part, "is not a text");
    return part->field->kind == LAUKA_FIELD_BYTES
               ? lauka_json_bytes(part->json, part->path, part->object, part->field->key,
                                  part->member)
               : lauka_json_copy_text(part->json, part->item, part->member);
}

static bool read_strings(const struct part *part)
{
    return cJSON_IsArray(part->item) ? lauka_json_strings(part->json, part->path, part->object,
                                                          part->field->key, part->member)
                                     : refuse(part, "is not an array of texts");
}

static bool read_choice(const struct part *part)
{
    const struct lauka_field *field = part->field;
    const char *text = cJSON_GetStringValue(part->item);
    size_t place = text ? lauka_name_place(field->names, text) : 0;
    if (!text)
        return refuse(part, "is not a text");
    if (!field->names[place] && !field->is_open)
        return refuse(part, "is unknown to this version of lauka");
    const unsigned chosen = (unsigned)(field->names[place] ? place : (size_t)field->standard);
    if (field->kind == LAUKA_FIELD_FLAG)
        *(bool *)part->member = chosen;
    else
        memcpy(part->member, &chosen, sizeof chosen);
    return true;
}

static bool read_word(const struct part *part)
{
    const char *text = cJSON_GetStringValue(part->item);
    if (!text)
        return refuse(part, "is not a text");
    return part->field->word->parse(text, part->data) ||
           refuse(part, "is unknown to this version of lauka");
}

/* ---- what has members of its own ------------------------------------------------------------------- */

static bool read_parameters(const struct part *part)
{
    char path[LAUKA_PATH_SIZE];
    if (!cJSON_IsObject(part->item))
        return refuse(part, "is not an object");
    return lauka_json_parameters(part->json, name_part(part, path), part->item, part->member,
                                 (size_t *)((char *)part->data + part->field->count_at));
}

/* NULL if there is no memory; the array's room was checked. */
static void *add_element(const struct lauka_field *field, void *data)
{
    size_t *count = (size_t *)((char *)data + field->count_at);
    char *member = (char *)data + field->at;
    if (field->kind == LAUKA_FIELD_LIST)
        return lauka_list_add(member, count, field->of->size);
    return member + field->of->size * (*count)++;
}

bool lauka_json_list(struct lauka_json *json, const char *path, const cJSON *array,
                     const struct lauka_field *field, void *data)
{
    char place[LAUKA_PATH_SIZE];
    size_t index = 0;
    if (!cJSON_IsArray(array))
        return lauka_json_fail(json, path, "is not an array");
    if (cJSON_GetArraySize(array) > field->most)
        return lauka_json_fail(json, path, "has too many elements");
    for (const cJSON *item = array->child; item; item = item->next) {
        void *element = add_element(field, data);
        snprintf(place, sizeof place, "%.*s[%zu]", LAUKA_PATH_SIZE - 24, path, index++);
        if (!lauka_json_has(json, element) ||
            !lauka_json_record(json, place, item, field->of, element))
            return false;
    }
    return true;
}

static bool read_inside(const struct part *part)
{
    char path[LAUKA_PATH_SIZE];
    name_part(part, path);
    return part->field->kind == LAUKA_FIELD_RECORD
               ? lauka_json_record(part->json, path, part->item, part->field->of, part->member)
               : lauka_json_list(part->json, path, part->item, part->field, part->data);
}

/* ---- a member -------------------------------------------------------------------------------------- */

static bool read_value(const struct part *part)
{
    switch (part->field->kind) {
    case LAUKA_FIELD_INTEGER:
        return read_integer(part, part->member);
    case LAUKA_FIELD_COUNT:
        return read_count(part);
    case LAUKA_FIELD_COMMAND:
        return read_command(part);
    case LAUKA_FIELD_WIDE:
        return read_wide(part, part->member);
    case LAUKA_FIELD_NUMBER:
        return read_number(part, part->member);
    case LAUKA_FIELD_OPTIONAL:
        return read_optional(part);
    case LAUKA_FIELD_MAYBE:
    case LAUKA_FIELD_BOOL:
    case LAUKA_FIELD_NOT:
        return read_bool(part, part->field->kind == LAUKA_FIELD_MAYBE,
                         part->field->kind == LAUKA_FIELD_NOT);
    case LAUKA_FIELD_TEXT:
    case LAUKA_FIELD_BYTES:
        return read_text(part);
    case LAUKA_FIELD_STRINGS:
        return read_strings(part);
    case LAUKA_FIELD_PARAMETERS:
        return read_parameters(part);
    case LAUKA_FIELD_CHOICE:
    case LAUKA_FIELD_FLAG:
        return read_choice(part);
    case LAUKA_FIELD_WORD:
        return read_word(part);
    case LAUKA_FIELD_RECORD:
    case LAUKA_FIELD_LIST:
    case LAUKA_FIELD_ARRAY:
        return read_inside(part);
    case LAUKA_FIELD_COMPUTED:
        break;
    }
    return true;
}

static bool read_field(const struct part *part)
{
    const struct lauka_field *field = part->field;
    const bool may_be_missing = field->late || field->presence == LAUKA_FIELD_IF_KNOWN;
    if (!part->item && !may_be_missing)
        return refuse(part, "is missing");
    if (cJSON_IsNull(part->item) && field->presence != LAUKA_FIELD_NULLABLE)
        return refuse(part, "is null");
    if (part->item && !cJSON_IsNull(part->item))
        return read_value(part);
    if (field->kind == LAUKA_FIELD_FLAG)
        *(bool *)part->member = field->standard != 0;
    return true;
}

bool lauka_json_fields(struct lauka_json *json, const char *path, const cJSON *object,
                       const struct lauka_record_table *record, void *data)
{
    for (size_t i = 0; i < record->count; i++) {
        const struct lauka_field *field = &record->fields[i];
        const struct part part = {
            .json = json,
            .path = path,
            .object = object,
            .item = field->key ? cJSON_GetObjectItemCaseSensitive(object, field->key) : NULL,
            .field = field,
            .data = data,
            .member = (char *)data + field->at,
        };
        if (field->key && field->kind != LAUKA_FIELD_COMPUTED && !read_field(&part))
            return false;
    }
    return true;
}

bool lauka_json_record(struct lauka_json *json, const char *path, const cJSON *object,
                       const struct lauka_record_table *record, void *data)
{
    return lauka_json_check_object(json, path, object) &&
           lauka_json_fields(json, path, object, record, data);
}

int lauka_load_record(const struct lauka_stored *stored, const struct lauka_record_table *record,
                      void *data, struct lauka_load_error *error)
{
    struct lauka_json json = {.stored = stored, .error = error};
    cJSON *tree = cJSON_ParseWithLength(stored->bytes, stored->size);
    if (!tree)
        return lauka_load_fail(stored, 0, error, "this is not JSON");
    (void)lauka_json_record(&json, "", tree, record, data);
    cJSON_Delete(tree);
    return json.failure;
}
