/* Tests of the tables of stored records: each member of each record is written, read, copied, compared and freed; what
 * its table does not allow is refused with its path; and the schema says the same as the tables. */
#include "report/json/parts.h"
#include "report/load/json.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/expect.h"

enum { ELEMENTS = 2, COMMANDS = 3, FIRST = 5 };

/* Those that are part of no other one, and where the schema describes them. A part of an object is written together with
 * other members. */
static const struct {
    const char *name, *place;
    const struct lauka_record_table *table;
    bool is_part;
} records[] = {
    {"why", "/$defs/why", &lauka_whys_record, false},
    {"sampled", "/$defs/sampled", &lauka_sampled_record, false},
    {"call", "/$defs/system_calls/items", &lauka_calls_record, false},
    {"entry", "/$defs/result", &lauka_command_record, true},
    {"executable", "/$defs/result/properties/executable", &lauka_executable_record, true},
    {"moments", "/$defs/moments", &lauka_moments_record, false},
    {"paired", "/$defs/metric/properties/stream/properties/paired", &lauka_paired_record, true},
    {"gate", "/$defs/gate", &lauka_gate_record, false},
    {"limit", "/$defs/gate/oneOf/1/properties/limits/items", &lauka_rule_limit_record, true},
    {"failure", "/$defs/failure", &lauka_failure_record, false},
    {"host", "/$defs/host", &lauka_host_record, false},
    {"job", "/$defs/job", &lauka_job_record, false},
    {"merged", "/$defs/merged", &lauka_merged_record, false},
    {"provenance", "/$defs/provenance", &lauka_provenance_record, false},
    {"option", "/$defs/run/properties/options/items", &lauka_option_record, false},
    {"course", "/$defs/run", &lauka_course_record, true},
    {"course", "/$defs/benchmark", &lauka_course_record, true},
    {"ending", "/$defs/benchmark", &lauka_ending_record, true},
    {"seed", "/$defs/run", &lauka_seed_record, true},
    {"words", "/$defs/run", &lauka_words_record, true},
    {"origin", "/$defs/run", &lauka_origin_record, true},
    {"findings", "", &lauka_findings_record, true},
};

#define FOR_EACH_RECORD(r) for (size_t r = 0; r < sizeof records / sizeof *records; r++)

/* ---- a record with something in each member ---------------------------------------------------- */

static bool only_stored;

static void fill(const struct lauka_record_table *table, void *data);

static double middle(const struct lauka_field *field)
{
    return field->most > 0 ? floor(field->least + field->most) / 2 : 7;
}

static void fill_elements(const struct lauka_field *field, void *data)
{
    char *member = (char *)data + field->at;
    for (size_t i = 0; i < ELEMENTS; i++)
        if (field->kind == LAUKA_FIELD_ARRAY)
            fill(field->of, member + i * field->of->size);
        else
            fill(field->of, lauka_list_add(member, (size_t *)((char *)data + field->count_at),
                                           field->of->size));
    if (field->kind == LAUKA_FIELD_ARRAY)
        *(size_t *)((char *)data + field->count_at) = ELEMENTS;
}

static void fill_parameters(const struct lauka_field *field, void *data)
{
    struct lauka_parameter_value *parameters = NULL;
    size_t count = 0;
    lauka_parameters_add(&parameters, &count, "size", "10");
    lauka_parameters_add(&parameters, &count, "kind", "b\xE4");
    memcpy((char *)data + field->at, &parameters, sizeof parameters);
    *(size_t *)((char *)data + field->count_at) = count;
}

static void fill_word(const struct lauka_field *field, void *data)
{
    EXPECT(field->word->parse("p99.9", data));
}

static void fill_member(const struct lauka_field *field, void *data)
{
    char one[] = "one", two[] = "t\xFFwo";
    char *const strings[] = {one, two, NULL};
    const unsigned choice = 1;
    void *member = (char *)data + field->at;
    switch (field->kind) {
    case LAUKA_FIELD_INTEGER:
        *(uint64_t *)member = (uint64_t)ceil(middle(field));
        break;
    case LAUKA_FIELD_COUNT:
        *(size_t *)member = (size_t)middle(field);
        break;
    case LAUKA_FIELD_COMMAND:
        *(size_t *)member = COMMANDS - 1;
        break;
    case LAUKA_FIELD_WIDE:
        *(lauka_uint128 *)member = ~(lauka_uint128)0;
        break;
    case LAUKA_FIELD_NUMBER:
        *(double *)member = middle(field) + 0.25;
        break;
    case LAUKA_FIELD_OPTIONAL:
        *(struct lauka_optional *)member = (struct lauka_optional){true, middle(field)};
        break;
    case LAUKA_FIELD_MAYBE:
        *(struct lauka_optional *)member = (struct lauka_optional){true, 1};
        break;
    case LAUKA_FIELD_BOOL:
    case LAUKA_FIELD_NOT:
    case LAUKA_FIELD_FLAG:
        *(bool *)member = true;
        break;
    case LAUKA_FIELD_TEXT:
        *(char **)member = strdup("a \"text\"");
        break;
    case LAUKA_FIELD_BYTES:
        *(char **)member = strdup("by\xFFtes");
        break;
    case LAUKA_FIELD_STRINGS:
        *(char ***)member = lauka_strings_copy(strings);
        break;
    case LAUKA_FIELD_PARAMETERS:
        fill_parameters(field, data);
        break;
    case LAUKA_FIELD_CHOICE:
        memcpy(member, &choice, sizeof choice);
        break;
    case LAUKA_FIELD_WORD:
        fill_word(field, data);
        break;
    case LAUKA_FIELD_RECORD:
        fill(field->of, member);
        break;
    case LAUKA_FIELD_LIST:
    case LAUKA_FIELD_ARRAY:
        fill_elements(field, data);
        break;
    case LAUKA_FIELD_COMPUTED:
        break;
    }
}

static void fill(const struct lauka_record_table *table, void *data)
{
    for (size_t i = 0; i < table->count; i++)
        if (only_stored ? table->fields[i].key != NULL : !table->fields[i].is_inside)
            fill_member(&table->fields[i], data);
}

/* What is owned, but not stored with it, comes back empty. */
static void *filled(const struct lauka_record_table *table, bool is_stored)
{
    void *data = calloc(1, table->size);
    only_stored = is_stored;
    fill(table, data);
    return data;
}

static void drop(const struct lauka_record_table *table, void *data)
{
    lauka_record_done(table, data);
    free(data);
}

/* ---- as a document and back -------------------------------------------------------------------- */

static struct lauka_result_command commands[COMMANDS];
static struct lauka_result result = {.commands = commands, .command_count = COMMANDS};

static char *json_of(const struct lauka_record_table *table, const void *data)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_LINE, out);
    document.result = &result;
    document.first = FIRST;
    lauka_document_record(&document, NULL, table, data);
    EXPECT(fclose(out) == 0);
    return text;
}

/* Returns what the reader does. *data is to be dropped either way. */
static int read_tree(const char *name, const cJSON *tree, const struct lauka_record_table *table,
                     void **data, struct lauka_load_error *error)
{
    const struct lauka_stored stored = {.name = "f"};
    struct lauka_json json = {.stored = &stored, .error = error, .result = &result, .first = FIRST};
    *error = (struct lauka_load_error){0};
    *data = calloc(1, table->size);
    return lauka_json_record(&json, name, tree, table, *data) ? 0 : json.failure;
}

static void each_member_comes_back(void)
{
    FOR_EACH_RECORD(r)
    {
        const struct lauka_record_table *table = records[r].table;
        struct lauka_load_error error;
        void *data = filled(table, true), *again;
        char *text = json_of(table, data);
        cJSON *tree = cJSON_Parse(text);
        EXPECT(read_tree(records[r].name, tree, table, &again, &error) == 0);
        EXPECT_TEXT(error.text, "");
        EXPECT(lauka_record_is_equal(table, data, again));
        char *same = json_of(table, again);
        EXPECT_TEXT(same, text);
        free(same);
        free(text);
        cJSON_Delete(tree);
        drop(table, again);
        drop(table, data);
    }
}

static void a_copy_is_equal_and_owns_its_texts(void)
{
    FOR_EACH_RECORD(r)
    {
        const struct lauka_record_table *table = records[r].table;
        void *data = filled(table, false), *copy = calloc(1, table->size);
        EXPECT(lauka_record_copy(table, data, copy) == 0);
        EXPECT(lauka_record_is_equal(table, data, copy));
        drop(table, data);
        char *text = json_of(table, copy);
        EXPECT(text != NULL);
        free(text);
        drop(table, copy);
    }
}

/* Each field by itself, also inside of records and elements. */
static void expect_difference(const struct lauka_record_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct lauka_field *field = &table->fields[i];
        const struct lauka_record_table one = {table->size, field, 1, false};
        if (field->is_inside) /* its owner has a row, too */
            continue;
        void *data = filled(table, false), *other = filled(table, false);
        EXPECT(lauka_record_is_equal(table, data, other));
        lauka_record_done(&one, other);
        if (field->kind != LAUKA_FIELD_COMPUTED && field->kind != LAUKA_FIELD_WORD) {
            EXPECT(lauka_record_is_equal(table, data, other) == !field->key);
            lauka_record_keep_common(&one, data, other);
            EXPECT(lauka_record_is_equal(table, data, other));
        }
        drop(table, other);
        drop(table, data);
        if (field->of)
            expect_difference(field->of);
    }
}

static void a_record_that_differs_in_one_member_is_not_equal(void)
{
    FOR_EACH_RECORD(r)
    {
        expect_difference(records[r].table);
    }
}

/* ---- refusals ---------------------------------------------------------------------------------- */

struct attack { /* on a member of a record that is part of a tree */
    const char *name;
    const struct lauka_record_table *table; /* of the whole tree */
    cJSON *tree, *object;
    const struct lauka_field *field;
    char path[200];
};

/* Reads the tree, in which the value stands in place of the member's (NULL: nothing does). reason: of the refusal; empty:
 * any; NULL: it is no refusal. */
static void expect_answer(const struct attack *attack, cJSON *value, const char *inside,
                          const char *reason)
{
    struct lauka_load_error error;
    char expected[300];
    void *data;
    const char *key = attack->field->key;
    cJSON *own = cJSON_DetachItemFromObjectCaseSensitive(attack->object, key);
    EXPECT(own || attack->field->known); /* which decides by another member */
    if (value)
        cJSON_AddItemToObject(attack->object, key, value);
    int failure = read_tree(attack->name, attack->tree, attack->table, &data, &error);
    snprintf(expected, sizeof expected, "f: %s%s: %s", attack->path, inside, reason ? reason : "");
    if (failure != (reason ? EINVAL : 0) ||
        (reason && strncmp(error.text, expected, strlen(expected)) != 0)) {
        printf("\"%s\" in place of \"%s\"\n", error.text, expected);
        expect_ok = false;
    }
    drop(attack->table, data);
    cJSON_DeleteItemFromObjectCaseSensitive(attack->object, key);
    if (own)
        cJSON_AddItemToObject(attack->object, key, own);
}

/* No kind of member may be an array with a number in it, nor true where it is none. */
static void expect_other_types_refused(const struct attack *attack)
{
    const enum lauka_field_kind kind = attack->field->kind;
    const bool is_bool =
        kind == LAUKA_FIELD_BOOL || kind == LAUKA_FIELD_NOT || kind == LAUKA_FIELD_MAYBE;
    const bool is_list = kind == LAUKA_FIELD_LIST || kind == LAUKA_FIELD_ARRAY;
    const bool has_members = kind == LAUKA_FIELD_RECORD || kind == LAUKA_FIELD_PARAMETERS;
    if (!is_bool)
        expect_answer(attack, cJSON_CreateTrue(), "", "");
    else
        expect_answer(attack, cJSON_CreateNumber(1), "", "");
    if (!has_members)
        expect_answer(attack, cJSON_CreateObject(), "", "");
    if (kind != LAUKA_FIELD_STRINGS)
        expect_answer(attack, cJSON_CreateIntArray(&(int){1}, 1), is_list ? "[0]" : "", "");
}

static void expect_ranges_refused(const struct attack *attack)
{
    const struct lauka_field *field = attack->field;
    switch (field->kind) {
    case LAUKA_FIELD_INTEGER:
    case LAUKA_FIELD_COUNT:
    case LAUKA_FIELD_COMMAND:
        expect_answer(attack, cJSON_CreateNumber(-1), "", "");
        expect_answer(attack, cJSON_CreateNumber(1.5), "", "");
        expect_answer(attack, cJSON_CreateString("1e30"), "", "");
        break;
    case LAUKA_FIELD_CHOICE:
    case LAUKA_FIELD_FLAG:
    case LAUKA_FIELD_WORD:
        expect_answer(attack, cJSON_CreateString("nothing"), "",
                      field->is_open ? NULL : "is unknown to this version of lauka");
        break;
    case LAUKA_FIELD_WIDE:
        expect_answer(attack, cJSON_CreateString("-1"), "", "");
        expect_answer(attack, cJSON_CreateString(""), "", "");
        expect_answer(attack, cJSON_CreateString("340282366920938463463374607431768211456"), "",
                      "is no text of a whole number up to 2^128");
        break;
    default:
        break;
    }
    if (field->kind == LAUKA_FIELD_COMMAND) {
        expect_answer(attack, cJSON_CreateNumber((double)FIRST + field->least - 1), "",
                      "there is no such command");
        expect_answer(attack, cJSON_CreateNumber(FIRST + COMMANDS), "", "there is no such command");
    } else if (field->most > 0 && !field->of) {
        expect_answer(attack, cJSON_CreateNumber(field->most * 1.5 + 1), "", "is out of its range");
        expect_answer(attack, cJSON_CreateNumber(field->least - 1), "", "");
    }
}

static void expect_long_list_refused(const struct attack *attack)
{
    const struct lauka_field *field = attack->field;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(attack->object, field->key);
    if ((field->kind != LAUKA_FIELD_LIST && field->kind != LAUKA_FIELD_ARRAY) ||
        (int)field->most > LAUKA_LIST_SHORT)
        return;
    cJSON *longer = cJSON_CreateArray();
    for (double i = 0; i <= field->most; i++)
        cJSON_AddItemToArray(longer, cJSON_Duplicate(list->child, true));
    expect_answer(attack, longer, "", "has too many elements");
}

static void expect_damage_refused(struct attack *attack)
{
    const struct lauka_field *field = attack->field;
    const bool may_miss = field->late || field->presence == LAUKA_FIELD_IF_KNOWN;
    expect_answer(attack, NULL, "", may_miss ? NULL : "is missing");
    expect_answer(attack, cJSON_CreateNull(), "",
                  field->presence == LAUKA_FIELD_NULLABLE ? NULL : "is null");
    expect_other_types_refused(attack);
    expect_ranges_refused(attack);
    expect_long_list_refused(attack);
}

static void attack_record(struct attack *attack, const struct lauka_record_table *table,
                          cJSON *object);

static void attack_inside(const struct attack *attack)
{
    const struct lauka_field *field = attack->field;
    cJSON *value = cJSON_GetObjectItemCaseSensitive(attack->object, field->key);
    struct attack inside = *attack;
    int index = 0;
    if (field->kind == LAUKA_FIELD_RECORD) {
        attack_record(&inside, field->of, value);
        return;
    }
    for (cJSON *item = value->child; item; item = item->next, index++) {
        snprintf(inside.path, sizeof inside.path, "%s[%d]", attack->path, index);
        attack_record(&inside, field->of, item);
    }
}

static void attack_record(struct attack *attack, const struct lauka_record_table *table,
                          cJSON *object)
{
    char path[200];
    snprintf(path, sizeof path, "%s", attack->path);
    for (size_t i = 0; i < table->count; i++) {
        attack->object = object;
        attack->field = &table->fields[i];
        if (!attack->field->key || attack->field->kind == LAUKA_FIELD_COMPUTED)
            continue;
        snprintf(attack->path, sizeof attack->path, "%.150s.%s", path, attack->field->key);
        expect_damage_refused(attack);
        if (attack->field->of)
            attack_inside(attack);
    }
}

static void each_member_that_its_table_does_not_allow_is_refused_with_its_path(void)
{
    FOR_EACH_RECORD(r)
    {
        void *data = filled(records[r].table, true);
        char *text = json_of(records[r].table, data);
        struct attack attack = {
            .name = records[r].name, .table = records[r].table, .tree = cJSON_Parse(text)};
        snprintf(attack.path, sizeof attack.path, "%s", records[r].name);
        attack_record(&attack, records[r].table, attack.tree);
        cJSON_Delete(attack.tree);
        free(text);
        drop(records[r].table, data);
    }
}

static void a_key_that_is_there_twice_is_refused(void)
{
    FOR_EACH_RECORD(r)
    {
        struct lauka_load_error error;
        void *data = filled(records[r].table, true), *again;
        char *text = json_of(records[r].table, data);
        cJSON *tree = cJSON_Parse(text);
        cJSON_AddItemToObject(tree, tree->child->string, cJSON_Duplicate(tree->child, true));
        EXPECT(read_tree(records[r].name, tree, records[r].table, &again, &error) == EINVAL);
        EXPECT(strstr(error.text, "is there twice"));
        cJSON_Delete(tree);
        free(text);
        drop(records[r].table, again);
        drop(records[r].table, data);
    }
}

/* ---- the schema -------------------------------------------------------------------------------- */

static cJSON *schema;

static cJSON *read_schema(void)
{
    FILE *file = fopen("schema/lauka-result.schema.json", "rb");
    char *text = calloc(1, 1 << 20);
    EXPECT(file && fread(text, 1, (1 << 20) - 1, file) > 0);
    if (file)
        fclose(file);
    cJSON *tree = cJSON_Parse(text);
    free(text);
    EXPECT(tree != NULL);
    return tree;
}

/* "/$defs/why" */
static const cJSON *at_pointer(const char *pointer)
{
    const cJSON *item = schema;
    char key[64];
    while (item && *pointer == '/') {
        size_t length = strcspn(pointer + 1, "/");
        snprintf(key, sizeof key, "%.*s", (int)length, pointer + 1);
        item = cJSON_IsArray(item) ? cJSON_GetArrayItem(item, atoi(key))
                                   : cJSON_GetObjectItemCaseSensitive(item, key);
        pointer += length + 1;
    }
    return item;
}

static const cJSON *resolved(const cJSON *item)
{
    const char *reference = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "$ref"));
    return reference ? resolved(at_pointer(reference + 1)) : item;
}

/* The names of types that it allows, each with a blank behind it. */
static void list_types(const cJSON *item, char *types, size_t size)
{
    item = resolved(item);
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(item, "type");
    size_t used = strlen(types);
    for (const cJSON *one = cJSON_IsArray(type) ? type->child : type; one;
         one = cJSON_IsArray(type) ? one->next : NULL)
        used += (size_t)snprintf(types + used, size - used, "%s ", one->valuestring);
    if (cJSON_HasObjectItem(item, "enum"))
        snprintf(types + used, size - used, "string ");
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "const")))
        snprintf(types + used, size - used, "boolean ");
    const cJSON *option;
    cJSON_ArrayForEach(option, cJSON_GetObjectItemCaseSensitive(item, "oneOf"))
    {
        list_types(option, types, size);
    }
}

/* What the table writes. */
static const char *type_of(enum lauka_field_kind kind)
{
    switch (kind) {
    case LAUKA_FIELD_INTEGER:
    case LAUKA_FIELD_COUNT:
    case LAUKA_FIELD_COMMAND:
        return "integer ";
    case LAUKA_FIELD_NUMBER:
    case LAUKA_FIELD_OPTIONAL:
        return "number ";
    case LAUKA_FIELD_MAYBE:
    case LAUKA_FIELD_BOOL:
    case LAUKA_FIELD_NOT:
        return "boolean ";
    case LAUKA_FIELD_WIDE:
    case LAUKA_FIELD_TEXT:
    case LAUKA_FIELD_BYTES:
    case LAUKA_FIELD_CHOICE:
    case LAUKA_FIELD_FLAG:
    case LAUKA_FIELD_WORD:
        return "string ";
    case LAUKA_FIELD_RECORD:
    case LAUKA_FIELD_PARAMETERS:
        return "object ";
    case LAUKA_FIELD_STRINGS:
    case LAUKA_FIELD_LIST:
    case LAUKA_FIELD_ARRAY:
        return "array ";
    case LAUKA_FIELD_COMPUTED:
        break;
    }
    return "";
}

static void say(const char *path, const struct lauka_field *field, const char *what)
{
    printf("%s.%s: %s\n", path, field ? field->key : "", what);
    expect_ok = false;
}

static bool has_text(const cJSON *array, const char *text)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, array)
    {
        if (strcmp(item->valuestring, text) == 0)
            return true;
    }
    return false;
}

static void expect_type(const char *path, const struct lauka_field *field, const cJSON *value)
{
    char types[200] = "";
    list_types(value, types, sizeof types);
    if (!strstr(types, type_of(field->kind)))
        say(path, field, "has another type in the schema");
    if (!!strstr(types, "null ") != (field->presence == LAUKA_FIELD_NULLABLE))
        say(path, field, "may be null in one of both only");
    if (field->kind == LAUKA_FIELD_INTEGER &&
        (field->most <= 0) != !!strstr(types, "integer string "))
        say(path, field, "is beyond 2^53 in one of both only");
}

static void expect_names(const char *path, const struct lauka_field *field, const cJSON *value)
{
    const cJSON *names = cJSON_GetObjectItemCaseSensitive(resolved(value), "enum");
    size_t count = 0;
    for (; field->names && field->names[count]; count++)
        if (!has_text(names, field->names[count]) &&
            (count > 0 || field->presence != LAUKA_FIELD_IF_KNOWN))
            say(path, field, field->names[count]);
    if (field->names && (size_t)cJSON_GetArraySize(names) > count)
        say(path, field, "has more names in the schema");
}

/* Where the schema has one. */
static void expect_range(const char *path, const struct lauka_field *field, const cJSON *value)
{
    const cJSON *least = cJSON_GetObjectItemCaseSensitive(resolved(value), "minimum");
    const cJSON *most = cJSON_GetObjectItemCaseSensitive(resolved(value), "maximum");
    if (field->kind == LAUKA_FIELD_COMMAND || field->kind == LAUKA_FIELD_COUNT)
        return;
    if ((least && least->valuedouble != field->least) || (most && most->valuedouble != field->most))
        say(path, field, "has another range in the schema");
}

static void expect_described(const char *path, const struct lauka_record_table *table,
                             const cJSON *object, bool is_part);

/* Returns how many keys it has: the bytes of a text are a second one. */
static size_t expect_member(const char *path, const struct lauka_field *field, const cJSON *object,
                            bool is_part)
{
    const cJSON *properties = cJSON_GetObjectItemCaseSensitive(object, "properties");
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(properties, field->key);
    const bool required = !field->late && field->presence != LAUKA_FIELD_IF_KNOWN;
    char name[200];
    if (!value) {
        say(path, field, "is missing in the schema");
        return 0;
    }
    if (!is_part &&
        has_text(cJSON_GetObjectItemCaseSensitive(object, "required"), field->key) != required)
        say(path, field, "is required in one of both only");
    if (field->kind == LAUKA_FIELD_COMPUTED)
        return 1;
    expect_type(path, field, value);
    expect_names(path, field, value);
    expect_range(path, field, value);
    snprintf(name, sizeof name, "%.150s.%s", path, field->key);
    if (field->kind == LAUKA_FIELD_RECORD)
        expect_described(name, field->of, value, false);
    else if (field->of)
        expect_described(name, field->of,
                         cJSON_GetObjectItemCaseSensitive(resolved(value), "items"), false);
    snprintf(name, sizeof name, "%.50s_base64", field->key);
    if (field->kind != LAUKA_FIELD_BYTES && field->kind != LAUKA_FIELD_STRINGS)
        return 1;
    if (!cJSON_HasObjectItem(properties, name))
        say(path, field, "its base64 is missing in the schema");
    return 2;
}

static void expect_described(const char *path, const struct lauka_record_table *table,
                             const cJSON *object, bool is_part)
{
    size_t keys = 0;
    object = resolved(object);
    const cJSON *null_or = cJSON_GetObjectItemCaseSensitive(object, "oneOf");
    object = null_or ? resolved(cJSON_GetArrayItem(null_or, 1)) : object;
    for (size_t i = 0; i < table->count; i++)
        if (table->fields[i].key)
            keys += expect_member(path, &table->fields[i], object, is_part);
    if (!is_part &&
        keys != (size_t)cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(object, "properties")))
        say(path, NULL, "has other keys in the schema");
}

static void the_schema_says_what_the_tables_say(void)
{
    schema = read_schema();
    FOR_EACH_RECORD(r)
    {
        expect_described(records[r].name, records[r].table, at_pointer(records[r].place),
                         records[r].is_part);
    }
    cJSON_Delete(schema);
}

int main(void)
{
    TEST(each_member_comes_back);
    TEST(a_copy_is_equal_and_owns_its_texts);
    TEST(a_record_that_differs_in_one_member_is_not_equal);
    TEST(each_member_that_its_table_does_not_allow_is_refused_with_its_path);
    TEST(a_key_that_is_there_twice_is_refused);
    TEST(the_schema_says_what_the_tables_say);
    return expect_report("records");
}
