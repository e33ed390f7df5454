/* Adding to a JSON document. Numbers are written by us: cJSON rounds some of them (issue #758
 * there). */
#include "report/json/document.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cJSON *lauka_document_check(struct lauka_json_document *document, cJSON *item)
{
    document->incomplete |= !item;
    return item;
}

void lauka_document_add(struct lauka_json_document *document, cJSON *object, const char *key,
                        cJSON *item)
{
    lauka_document_check(document, item);
    if (!cJSON_AddItemToObject(object, key, item)) {
        document->incomplete = true;
        cJSON_Delete(item);
    }
}

void lauka_document_append(struct lauka_json_document *document, cJSON *array, cJSON *item)
{
    lauka_document_check(document, item);
    if (!cJSON_AddItemToArray(array, item)) {
        document->incomplete = true;
        cJSON_Delete(item);
    }
}

void lauka_document_add_line(struct lauka_json_document *document, cJSON *object, const char *key,
                             cJSON *item)
{
    char *line = item ? cJSON_PrintUnformatted(item) : NULL;
    lauka_document_add(document, object, key, line ? cJSON_CreateRaw(line) : NULL);
    cJSON_free(line);
    cJSON_Delete(item);
}

void lauka_document_add_integer(struct lauka_json_document *document, cJSON *object, const char *key,
                                uint64_t value)
{
    char text[32];
    lauka_format_json_integer(value, text, sizeof text);
    lauka_document_add(document, object, key, cJSON_CreateRaw(text));
}

void lauka_document_add_optional(struct lauka_json_document *document, cJSON *object, const char *key,
                                 struct lauka_optional value)
{
    char text[40];
    lauka_document_add(document, object, key,
                       value.known
                           ? cJSON_CreateRaw(lauka_format_exact(value.value, text, sizeof text))
                           : cJSON_CreateNull());
}

void lauka_document_add_number(struct lauka_json_document *document, cJSON *object, const char *key,
                               double value)
{
    lauka_document_add_optional(document, object, key, (struct lauka_optional){true, value});
}

void lauka_document_add_bool(struct lauka_json_document *document, cJSON *object, const char *key,
                             bool value)
{
    lauka_document_add(document, object, key, cJSON_CreateBool(value));
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

cJSON *lauka_document_text_item(const char *text)
{
    char *valid = text ? lauka_document_repaired(text) : NULL;
    cJSON *item = text ? cJSON_CreateString(valid ? valid : "") : cJSON_CreateNull();
    if (text && !valid) {
        cJSON_Delete(item);
        item = NULL;
    }
    free(valid);
    return item;
}

void lauka_document_add_text(struct lauka_json_document *document, cJSON *object, const char *key,
                             const char *text)
{
    lauka_document_add(document, object, key, lauka_document_text_item(text));
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

static cJSON *base64_item(const char *bytes)
{
    size_t size = strlen(bytes);
    char *text = malloc(lauka_base64_size(size) + 1);
    if (!text)
        return NULL;
    lauka_base64_encode((const uint8_t *)bytes, size, text);
    cJSON *item = cJSON_CreateString(text);
    free(text);
    return item;
}

static void add_base64(struct lauka_json_document *document, cJSON *object, const char *key, cJSON *item)
{
    char name[64];
    snprintf(name, sizeof name, "%s_base64", key);
    lauka_document_add(document, object, name, item);
}

void lauka_document_add_bytes(struct lauka_json_document *document, cJSON *object, const char *key,
                              const char *text)
{
    lauka_document_add_text(document, object, key, text);
    if (text && !is_utf8(text))
        add_base64(document, object, key, base64_item(text));
}

void lauka_document_add_strings(struct lauka_json_document *document, cJSON *object, const char *key,
                                char *const *strings)
{
    cJSON *array =
        lauka_document_check(document, strings ? cJSON_CreateArray() : cJSON_CreateNull());
    bool plain = true;
    for (size_t i = 0; strings && strings[i]; i++) {
        plain &= is_utf8(strings[i]);
        lauka_document_append(document, array, lauka_document_text_item(strings[i]));
    }
    lauka_document_add(document, object, key, array);
    if (plain)
        return;
    array = lauka_document_check(document, cJSON_CreateArray());
    for (size_t i = 0; strings[i]; i++)
        lauka_document_append(document, array, base64_item(strings[i]));
    add_base64(document, object, key, array);
}

/* ---- documents without long arrays ------------------------------------------------------------- */

int lauka_document_print(struct lauka_json_document *document, cJSON *root, FILE *out)
{
    char *text = document->incomplete ? NULL : cJSON_Print(root);
    cJSON_Delete(root);
    if (!text)
        return ENOMEM;
    errno = 0;
    lauka_print_json(text, out);
    fputc('\n', out);
    cJSON_free(text);
    return lauka_finish(out);
}
