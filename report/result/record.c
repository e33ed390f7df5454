/* Owned arrays that grow, and records in memory, by their tables. */
#include "report/result/lists.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists ------------------------------------------------------------------------------------ */

/* The pointer may be one to any type. */
void *lauka_list_add(void *elements, size_t *count, size_t size)
{
    char *grown;
    memcpy(&grown, elements, sizeof grown);
    grown = realloc(grown, (*count + 1) * size);
    if (!grown)
        return NULL;
    memcpy(elements, &grown, sizeof grown);
    return memset(grown + size * (*count)++, 0, size);
}

void lauka_strings_free(char **strings)
{
    for (char **string = strings; string && *string; string++)
        free(*string);
    free(strings);
}

char **lauka_strings_copy(char *const *strings)
{
    size_t count = 0;
    while (strings[count])
        count++;
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (!(copy[i] = strdup(strings[i]))) {
            lauka_strings_free(copy);
            return NULL;
        }
    return copy;
}

int lauka_parameters_add(struct lauka_parameter_value **parameters, size_t *count, const char *name,
                         const char *value)
{
    struct lauka_parameter_value *added = lauka_list_add(parameters, count, sizeof *added);
    if (!added)
        return ENOMEM;
    *added = (struct lauka_parameter_value){strdup(name), strdup(value)};
    return added->name && added->value ? 0 : ENOMEM;
}

int lauka_parameters_copy(const struct lauka_parameter_value *from, size_t from_count,
                          struct lauka_parameter_value **to, size_t *count)
{
    int failure = 0;
    for (size_t i = 0; i < from_count && !failure; i++)
        failure = lauka_parameters_add(to, count, from[i].name, from[i].value);
    return failure;
}

void lauka_parameters_free(struct lauka_parameter_value *parameters, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(parameters[i].name);
        free(parameters[i].value);
    }
    free(parameters);
}

static void *member_of(const struct lauka_field *field, const void *data)
{
    return (char *)(uintptr_t)data + field->at;
}

/* Pointers to structs of any type. */
static void *pointer_at(const void *place)
{
    void *pointer;
    memcpy(&pointer, place, sizeof pointer);
    return pointer;
}

static void set_elements(const struct lauka_field *field, void *data, void *elements, size_t count)
{
    if (field->kind != LAUKA_FIELD_ARRAY)
        memcpy(member_of(field, data), &elements, sizeof elements);
    memcpy((char *)data + field->count_at, &count, sizeof count);
}

void *lauka_field_elements(const struct lauka_field *field, const void *data, size_t *count)
{
    void *member = member_of(field, data);
    memcpy(count, (const char *)data + field->count_at, sizeof *count);
    return field->kind == LAUKA_FIELD_ARRAY ? member : pointer_at(member);
}

size_t lauka_name_place(const char *const *names, const char *text)
{
    size_t place = 0;
    while (names[place] && strcmp(names[place], text) != 0)
        place++;
    return place;
}

/* Of a member without pointers. */
static size_t size_of(const struct lauka_field *field)
{
    static const size_t sizes[] = {
        [LAUKA_FIELD_INTEGER] = sizeof(uint64_t), [LAUKA_FIELD_COUNT] = sizeof(size_t),
        [LAUKA_FIELD_COMMAND] = sizeof(size_t),   [LAUKA_FIELD_WIDE] = sizeof(lauka_uint128),
        [LAUKA_FIELD_NUMBER] = sizeof(double),    [LAUKA_FIELD_BOOL] = sizeof(bool),
        [LAUKA_FIELD_NOT] = sizeof(bool),         [LAUKA_FIELD_CHOICE] = sizeof(unsigned),
        [LAUKA_FIELD_FLAG] = sizeof(bool),
    };
    return field->kind < sizeof sizes / sizeof *sizes ? sizes[field->kind] : 0;
}

/* ---- what is known --------------------------------------------------------------------------------- */

static bool is_record_known(const struct lauka_record_table *record, const void *data)
{
    for (size_t i = 0; i < record->count; i++)
        if (record->fields[i].key && record->fields[i].kind != LAUKA_FIELD_COMPUTED &&
            lauka_field_is_known(&record->fields[i], data))
            return true;
    return false;
}

bool lauka_field_is_known(const struct lauka_field *field, const void *data)
{
    static const char zeros[sizeof(lauka_uint128)];
    const void *member = member_of(field, data);
    size_t count = 0;
    if (field->known)
        return field->known(data);
    switch (field->kind) {
    case LAUKA_FIELD_OPTIONAL:
    case LAUKA_FIELD_MAYBE:
        return ((const struct lauka_optional *)member)->known;
    case LAUKA_FIELD_TEXT:
    case LAUKA_FIELD_BYTES:
    case LAUKA_FIELD_STRINGS:
        return pointer_at(member);
    case LAUKA_FIELD_PARAMETERS:
    case LAUKA_FIELD_LIST:
    case LAUKA_FIELD_ARRAY:
        lauka_field_elements(field, data, &count);
        return count > 0;
    case LAUKA_FIELD_RECORD:
        return is_record_known(field->of, member);
    case LAUKA_FIELD_WORD:
    case LAUKA_FIELD_COMPUTED:
        return true;
    default:
        return memcmp(member, zeros, size_of(field)) != 0;
    }
}

/* ---- their end ------------------------------------------------------------------------------------- */

static void list_done(const struct lauka_field *field, void *data)
{
    size_t count;
    char *elements = lauka_field_elements(field, data, &count);
    for (size_t i = 0; i < count; i++)
        lauka_record_done(field->of, elements + i * field->of->size);
    if (field->kind == LAUKA_FIELD_LIST)
        free(elements);
    set_elements(field, data, NULL, 0);
}

static void parameters_done(const struct lauka_field *field, void *data)
{
    size_t count;
    void *parameters = lauka_field_elements(field, data, &count);
    lauka_parameters_free(parameters, count);
    set_elements(field, data, NULL, 0);
}

/* Afterwards it is not known. */
static void field_done(const struct lauka_field *field, void *data)
{
    void *member = member_of(field, data);
    switch (field->kind) {
    case LAUKA_FIELD_TEXT:
    case LAUKA_FIELD_BYTES:
        free(*(char **)member);
        *(char **)member = NULL;
        break;
    case LAUKA_FIELD_STRINGS:
        lauka_strings_free(*(char ***)member);
        *(char ***)member = NULL;
        break;
    case LAUKA_FIELD_PARAMETERS:
        parameters_done(field, data);
        break;
    case LAUKA_FIELD_OPTIONAL:
    case LAUKA_FIELD_MAYBE:
        *(struct lauka_optional *)member = (struct lauka_optional){0};
        break;
    case LAUKA_FIELD_RECORD:
        lauka_record_done(field->of, member);
        break;
    case LAUKA_FIELD_LIST:
    case LAUKA_FIELD_ARRAY:
        list_done(field, data);
        break;
    default:
        memset(member, 0, size_of(field));
    }
}

void lauka_record_done(const struct lauka_record_table *record, void *data)
{
    for (size_t i = 0; i < record->count; i++)
        if (!record->fields[i].is_inside)
            field_done(&record->fields[i], data);
}

/* ---- copies ---------------------------------------------------------------------------------------- */

static int copy_list(const struct lauka_field *field, const void *from, void *to)
{
    const bool inside = field->kind == LAUKA_FIELD_ARRAY;
    size_t count, copied = 0;
    const char *elements = lauka_field_elements(field, from, &count);
    char *copies = inside ? member_of(field, to) : calloc(count + 1, field->of->size);
    int failure = copies ? 0 : ENOMEM;
    for (; copied < count && !failure; copied++)
        failure = lauka_record_copy(field->of, elements + copied * field->of->size,
                                    copies + copied * field->of->size);
    set_elements(field, to, copies, copied);
    return failure;
}

static int copy_parameters(const struct lauka_field *field, const void *from, void *to)
{
    struct lauka_parameter_value *copies = NULL;
    size_t count, copied = 0;
    const struct lauka_parameter_value *own = lauka_field_elements(field, from, &count);
    int failure = lauka_parameters_copy(own, count, &copies, &copied);
    set_elements(field, to, copies, copied);
    return failure;
}

static int copy_strings(char *const *from, char ***to)
{
    *to = from ? lauka_strings_copy(from) : NULL;
    return from && !*to ? ENOMEM : 0;
}

/* What needs no memory of its own was copied with the struct. */
static int copy_owned(const struct lauka_field *field, const void *from, void *to)
{
    const void *own = member_of(field, from);
    void *copy = member_of(field, to);
    switch (field->kind) {
    case LAUKA_FIELD_TEXT:
    case LAUKA_FIELD_BYTES:
        return lauka_text_copy(*(char *const *)own, copy);
    case LAUKA_FIELD_STRINGS:
        return copy_strings(*(char **const *)own, copy);
    case LAUKA_FIELD_PARAMETERS:
        return copy_parameters(field, from, to);
    case LAUKA_FIELD_RECORD:
        return lauka_record_copy(field->of, own, copy);
    case LAUKA_FIELD_LIST:
    case LAUKA_FIELD_ARRAY:
        return copy_list(field, from, to);
    default:
        return 0;
    }
}

/* All of them even after a failure, so that nothing belongs to both. */
int lauka_record_copy(const struct lauka_record_table *record, const void *from, void *to)
{
    int failure = 0;
    memcpy(to, from, record->size);
    for (size_t i = 0; i < record->count; i++)
        if (!record->fields[i].is_inside)
            failure |= copy_owned(&record->fields[i], from, to);
    return failure;
}

/* ---- equal ones ------------------------------------------------------------------------------------ */

static bool are_lists_equal(const struct lauka_field *field, const void *data, const void *other)
{
    size_t count, others, size = field->of->size;
    const char *one = lauka_field_elements(field, data, &count);
    const char *two = lauka_field_elements(field, other, &others);
    bool equal = count == others;
    for (size_t i = 0; i < count && equal; i++)
        equal = lauka_record_is_equal(field->of, one + i * size, two + i * size);
    return equal;
}

static bool are_parameters_equal(const struct lauka_field *field, const void *data,
                                 const void *other)
{
    size_t count, others;
    const struct lauka_parameter_value *one = lauka_field_elements(field, data, &count);
    const struct lauka_parameter_value *two = lauka_field_elements(field, other, &others);
    bool equal = count == others;
    for (size_t i = 0; i < count && equal; i++)
        equal = strcmp(one[i].name, two[i].name) == 0 && strcmp(one[i].value, two[i].value) == 0;
    return equal;
}

static bool are_strings_equal(char *const *one, char *const *two)
{
    for (; one && two && *one && *two && strcmp(*one, *two) == 0; one++, two++)
        ;
    return one && two ? !*one && !*two : one == two;
}

static bool are_optionals_equal(const struct lauka_optional *one, const struct lauka_optional *two)
{
    return one->known == two->known && (!one->known || one->value == two->value);
}

static bool are_words_equal(const struct lauka_word *word, const void *data, const void *other)
{
    char one[64], two[64];
    return strcmp(word->print(data, one, sizeof one), word->print(other, two, sizeof two)) == 0;
}

static bool is_field_equal(const struct lauka_field *field, const void *data, const void *other)
{
    const void *one = member_of(field, data), *two = member_of(field, other);
    switch (field->kind) {
    case LAUKA_FIELD_OPTIONAL:
    case LAUKA_FIELD_MAYBE:
        return are_optionals_equal(one, two);
    case LAUKA_FIELD_TEXT:
    case LAUKA_FIELD_BYTES:
        return lauka_text_is(*(char *const *)one, *(char *const *)two);
    case LAUKA_FIELD_STRINGS:
        return are_strings_equal(*(char **const *)one, *(char **const *)two);
    case LAUKA_FIELD_PARAMETERS:
        return are_parameters_equal(field, data, other);
    case LAUKA_FIELD_WORD:
        return are_words_equal(field->word, data, other);
    case LAUKA_FIELD_RECORD:
        return lauka_record_is_equal(field->of, one, two);
    case LAUKA_FIELD_LIST:
    case LAUKA_FIELD_ARRAY:
        return are_lists_equal(field, data, other);
    default:
        return memcmp(one, two, size_of(field)) == 0;
    }
}

bool lauka_record_is_equal(const struct lauka_record_table *record, const void *data,
                           const void *other)
{
    bool equal = true;
    for (size_t i = 0; i < record->count && equal; i++)
        equal = !record->fields[i].key || is_field_equal(&record->fields[i], data, other);
    return equal;
}

void lauka_record_keep_common(const struct lauka_record_table *record, void *data,
                              const void *other)
{
    for (size_t i = 0; i < record->count; i++)
        if (record->fields[i].key && !is_field_equal(&record->fields[i], data, other))
            field_done(&record->fields[i], data);
}
