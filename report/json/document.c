/* A JSON document under construction. cJSON builds it, which nobody else needs to know. lauka writes the
 * numbers itself: cJSON rounds some of them (issue #758 there). */
#include "report/json/parts.h"
#include "report/text/text.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *lauka_json_library(void)
{
    return cJSON_Version();
}

/* ---- values ---------------------------------------------------------------------------------- */

static cJSON *item_of(struct lauka_json_value *value)
{
    return (cJSON *)value;
}

static struct lauka_json_value *check(struct lauka_json_document *document, cJSON *item)
{
    document->incomplete |= !item;
    return (struct lauka_json_value *)item;
}

struct lauka_json_value *lauka_document_object(struct lauka_json_document *document)
{
    return check(document, cJSON_CreateObject());
}

struct lauka_json_value *lauka_document_array(struct lauka_json_document *document)
{
    return check(document, cJSON_CreateArray());
}

struct lauka_json_value *lauka_document_null(struct lauka_json_document *document)
{
    return check(document, cJSON_CreateNull());
}

struct lauka_json_value *lauka_document_raw(struct lauka_json_document *document, const char *json)
{
    return check(document, cJSON_CreateRaw(json));
}

char *lauka_document_repaired(const char *text)
{
    char *copy = malloc(3 * strlen(text) + 1), *end = copy;
    while (copy && *text) {
        uint32_t code;
        size_t length = lauka_utf8_decode(text, &code);
        memcpy(end, length > 0 ? text : "\xEF\xBF\xBD", length > 0 ? length : 3);
        end += length > 0 ? length : 3;
        text += length > 0 ? length : 1;
    }
    if (copy)
        *end = 0;
    return copy;
}

struct lauka_json_value *lauka_document_text(struct lauka_json_document *document, const char *text)
{
    if (!text)
        return lauka_document_null(document);
    char *valid = lauka_document_repaired(text);
    struct lauka_json_value *value = check(document, valid ? cJSON_CreateString(valid) : NULL);
    free(valid);
    return value;
}

/* ---- what they are added to ------------------------------------------------------------------ */

void lauka_document_add(struct lauka_json_document *document, struct lauka_json_value *object,
                        const char *key, struct lauka_json_value *value)
{
    if (!cJSON_AddItemToObject(item_of(object), key, item_of(value))) {
        document->incomplete = true;
        cJSON_Delete(item_of(value));
    }
}

void lauka_document_append(struct lauka_json_document *document, struct lauka_json_value *array,
                           struct lauka_json_value *value)
{
    if (!cJSON_AddItemToArray(item_of(array), item_of(value))) {
        document->incomplete = true;
        cJSON_Delete(item_of(value));
    }
}

struct lauka_json_value *lauka_document_line(struct lauka_json_document *document,
                                             struct lauka_json_value *value)
{
    char *text = value ? cJSON_PrintUnformatted(item_of(value)) : NULL;
    struct lauka_json_value *line = check(document, text ? cJSON_CreateRaw(text) : NULL);
    cJSON_free(text);
    cJSON_Delete(item_of(value));
    return line;
}

struct lauka_json_value *lauka_document_integer(struct lauka_json_document *document,
                                                uint64_t value)
{
    char text[32];
    return lauka_document_raw(document, lauka_format_json_integer(value, text, sizeof text));
}

struct lauka_json_value *lauka_document_optional(struct lauka_json_document *document,
                                                 struct lauka_optional value)
{
    char text[40];
    return value.known
               ? lauka_document_raw(document, lauka_format_exact(value.value, text, sizeof text))
               : lauka_document_null(document);
}

struct lauka_json_value *lauka_document_bool(struct lauka_json_document *document, bool value)
{
    return check(document, cJSON_CreateBool(value));
}

void lauka_document_add_integer(struct lauka_json_document *document,
                                struct lauka_json_value *object, const char *key, uint64_t value)
{
    lauka_document_add(document, object, key, lauka_document_integer(document, value));
}

void lauka_document_append_integer(struct lauka_json_document *document,
                                   struct lauka_json_value *array, uint64_t value)
{
    lauka_document_append(document, array, lauka_document_integer(document, value));
}

void lauka_document_add_optional(struct lauka_json_document *document,
                                 struct lauka_json_value *object, const char *key,
                                 struct lauka_optional value)
{
    lauka_document_add(document, object, key, lauka_document_optional(document, value));
}

void lauka_document_add_number(struct lauka_json_document *document,
                               struct lauka_json_value *object, const char *key, double value)
{
    lauka_document_add_optional(document, object, key, lauka_known(value));
}

void lauka_document_add_bool(struct lauka_json_document *document, struct lauka_json_value *object,
                             const char *key, bool value)
{
    lauka_document_add(document, object, key, lauka_document_bool(document, value));
}

void lauka_document_add_text(struct lauka_json_document *document, struct lauka_json_value *object,
                             const char *key, const char *text)
{
    lauka_document_add(document, object, key, lauka_document_text(document, text));
}

/* ---- bytes ------------------------------------------------------------------------------------ */

static bool is_utf8(const char *text)
{
    uint32_t code;
    size_t length = 1;
    for (; *text && length > 0; text += length)
        length = lauka_utf8_decode(text, &code);
    return length > 0;
}

static struct lauka_json_value *base64(struct lauka_json_document *document, const char *bytes)
{
    size_t size = strlen(bytes);
    char *text = malloc(lauka_base64_size(size) + 1);
    if (text)
        lauka_base64_encode((const uint8_t *)bytes, size, text);
    struct lauka_json_value *value = check(document, text ? cJSON_CreateString(text) : NULL);
    free(text);
    return value;
}

static void add_base64(struct lauka_json_document *document, struct lauka_json_value *object,
                       const char *key, struct lauka_json_value *value)
{
    char name[64];
    snprintf(name, sizeof name, "%s_base64", key);
    lauka_document_add(document, object, name, value);
}

void lauka_document_add_bytes(struct lauka_json_document *document, struct lauka_json_value *object,
                              const char *key, const char *text)
{
    lauka_document_add_text(document, object, key, text);
    if (text && !is_utf8(text))
        add_base64(document, object, key, base64(document, text));
}

void lauka_document_add_strings(struct lauka_json_document *document,
                                struct lauka_json_value *object, const char *key,
                                char *const *strings)
{
    struct lauka_json_value *array =
        strings ? lauka_document_array(document) : lauka_document_null(document);
    bool plain = true;
    for (size_t i = 0; strings && strings[i]; i++) {
        plain &= is_utf8(strings[i]);
        lauka_document_append(document, array, lauka_document_text(document, strings[i]));
    }
    lauka_document_add(document, object, key, array);
    if (plain)
        return;
    array = lauka_document_array(document);
    for (size_t i = 0; strings[i]; i++)
        lauka_document_append(document, array, base64(document, strings[i]));
    add_base64(document, object, key, array);
}

void lauka_document_drop(struct lauka_json_value *root)
{
    cJSON_Delete(item_of(root));
}

/* ---- as text ---------------------------------------------------------------------------------- */

static char *take_text(struct lauka_json_document *document, struct lauka_json_value *root,
                       bool many_lines)
{
    char *text = document->incomplete ? NULL
                 : many_lines         ? cJSON_Print(item_of(root))
                                      : cJSON_PrintUnformatted(item_of(root));
    cJSON_Delete(item_of(root));
    return text;
}

char *lauka_document_finish(struct lauka_json_document *document, struct lauka_json_value *root)
{
    return take_text(document, root, true);
}

static int put_text(struct lauka_json_document *document, struct lauka_json_value *root,
                    bool many_lines, FILE *out)
{
    char *text = take_text(document, root, many_lines);
    if (!text)
        return ENOMEM;
    errno = 0;
    lauka_print_json(text, out);
    free(text);
    return 0;
}

int lauka_document_print(struct lauka_json_document *document, struct lauka_json_value *root,
                         FILE *out)
{
    int error = put_text(document, root, true, out);
    if (error)
        return error;
    fputc('\n', out);
    return lauka_finish(out);
}

int lauka_document_print_line(struct lauka_json_document *document, struct lauka_json_value *root,
                              FILE *out)
{
    const int before = errno; /* of what was written to it before */
    int error = put_text(document, root, false, out);
    if (error || !ferror(out))
        return error;
    errno = errno ? errno : before;
    return errno ? errno : EIO;
}

static int print_rows(const cJSON *array, FILE *out)
{
    const char *between = "[\n  ";
    const cJSON *item;
    cJSON_ArrayForEach(item, array)
    {
        char *text = cJSON_PrintUnformatted(item);
        if (!text)
            return ENOMEM;
        fputs(between, out);
        lauka_print_json(text, out);
        between = ",\n  ";
        free(text);
    }
    fputs(array->child ? "\n]\n" : "[]\n", out);
    return 0;
}

int lauka_document_print_rows(struct lauka_json_document *document, struct lauka_json_value *array,
                              FILE *out)
{
    errno = 0;
    int error = document->incomplete ? ENOMEM : print_rows(item_of(array), out);
    cJSON_Delete(item_of(array));
    return error ? error : lauka_finish(out);
}
