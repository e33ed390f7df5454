/* JSON under way. Each value goes to the output when it comes, so that a million runs need no memory. */
#include "report/json/json.h"
#include "report/text/text.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

struct lauka_json_document lauka_document_begin(enum lauka_json_layout layout, FILE *out)
{
    if (layout != LAUKA_JSON_LINE)
        errno = 0;
    return (struct lauka_json_document){
        .out = out, .layout = layout, .line = layout == LAUKA_JSON_LINE};
}

int lauka_document_finish(struct lauka_json_document *document)
{
    if (document->incomplete)
        return ENOMEM;
    fputc('\n', document->out);
    return lauka_finish(document->out);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* What may not stand in a text as it is. Returns what follows it. */
static const char *put_special(const char *text, FILE *out)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *place = strchr(escaped, *text);
    uint32_t code;
    if (place) {
        fputc('\\', out);
        fputc(letters[place - escaped], out);
        return text + 1;
    }
    if (lauka_utf8_decode(text, &code) > 0)
        return text + lauka_print_json_character(text, out);
    fputs("\xEF\xBF\xBD", out);
    return text + 1;
}

static void put_string(const char *text, FILE *out)
{
    fputc('"', out);
    while (*text) {
        const char *end = text;
        while (*end >= ' ' && *end < 0x7F && *end != '"' && *end != '\\')
            end++;
        fwrite(text, 1, (size_t)(end - text), out);
        text = *end ? put_special(end, out) : end;
    }
    fputc('"', out);
}

static bool is_utf8(const char *text)
{
    uint32_t code;
    size_t length = 1;
    for (; *text && length > 0; text += length)
        length = lauka_utf8_decode(text, &code);
    return length > 0;
}

/* ---- where values stand ---------------------------------------------------------------------- */

static void begin_line(const struct lauka_json_document *document)
{
    if (document->line > 0)
        return;
    fputc('\n', document->out);
    for (unsigned i = 0; i < document->depth; i++)
        fputs(document->layout == LAUKA_JSON_TABS ? "\t" : "  ", document->out);
}

static bool is_in_rows(const struct lauka_json_document *document)
{
    return document->layout == LAUKA_JSON_ROWS && document->depth == 1;
}

static void begin_value(struct lauka_json_document *document, const char *key)
{
    const bool has_line = key || is_in_rows(document), one_line = document->line > 0;
    if (document->begun)
        fputs(has_line || one_line ? "," : ", ", document->out);
    document->begun = true;
    if (has_line)
        begin_line(document);
    if (!key)
        return;
    put_string(key, document->out);
    fputs(one_line ? ":" : document->layout == LAUKA_JSON_TABS ? ":\t" : ": ", document->out);
}

static void open_nest(struct lauka_json_document *document, const char *key, bool is_array,
                      bool one_line)
{
    begin_value(document, key);
    one_line |= is_in_rows(document);
    fputc(is_array ? '[' : '{', document->out);
    assert(document->depth < 63);
    const uint64_t bit = UINT64_C(1) << ++document->depth;
    document->arrays = is_array ? document->arrays | bit : document->arrays & ~bit;
    if (one_line && document->line == 0)
        document->line = document->depth;
    document->begun = false;
}

void lauka_document_object(struct lauka_json_document *document, const char *key)
{
    open_nest(document, key, false, false);
}

void lauka_document_object_line(struct lauka_json_document *document, const char *key)
{
    open_nest(document, key, false, true);
}

void lauka_document_array(struct lauka_json_document *document, const char *key)
{
    open_nest(document, key, true, false);
}

void lauka_document_end(struct lauka_json_document *document)
{
    const bool is_array = document->arrays >> document->depth & 1;
    const bool has_line = !is_array || (is_in_rows(document) && document->begun);
    document->depth--;
    if (has_line)
        begin_line(document);
    fputc(is_array ? ']' : '}', document->out);
    if (document->depth < document->line)
        document->line = 0;
    document->begun = true;
}

/* ---- values ---------------------------------------------------------------------------------- */

void lauka_document_raw(struct lauka_json_document *document, const char *key, const char *json)
{
    begin_value(document, key);
    fputs(json ? json : "", document->out);
}

void lauka_document_null(struct lauka_json_document *document, const char *key)
{
    lauka_document_raw(document, key, "null");
}

void lauka_document_bool(struct lauka_json_document *document, const char *key, bool value)
{
    lauka_document_raw(document, key, value ? "true" : "false");
}

void lauka_document_integer(struct lauka_json_document *document, const char *key, uint64_t value)
{
    char text[32];
    lauka_document_raw(document, key, lauka_format_json_integer(value, text, sizeof text));
}

void lauka_document_optional(struct lauka_json_document *document, const char *key,
                             struct lauka_optional value)
{
    char text[40];
    lauka_document_raw(document, key,
                       value.known ? lauka_format_exact(value.value, text, sizeof text) : "null");
}

void lauka_document_number(struct lauka_json_document *document, const char *key, double value)
{
    lauka_document_optional(document, key, lauka_known(value));
}

void lauka_document_text(struct lauka_json_document *document, const char *key, const char *text)
{
    lauka_document_raw(document, key, text ? NULL : "null");
    if (text)
        put_string(text, document->out);
}

void lauka_document_base64(struct lauka_json_document *document, const char *key, const void *bytes,
                           size_t size)
{
    enum { SOME = 48 }; /* whole groups */
    char text[SOME / 3 * 4 + 1];
    lauka_document_raw(document, key, "\"");
    for (size_t at = 0; at < size; at += SOME) {
        lauka_base64_encode((const uint8_t *)bytes + at, size - at < SOME ? size - at : SOME, text);
        fputs(text, document->out);
    }
    fputc('"', document->out);
}

static const char *base64_key(const char *key, char name[64])
{
    snprintf(name, 64, "%s_base64", key);
    return name;
}

void lauka_document_bytes(struct lauka_json_document *document, const char *key, const char *text)
{
    char name[64];
    lauka_document_text(document, key, text);
    if (text && !is_utf8(text))
        lauka_document_base64(document, base64_key(key, name), text, strlen(text));
}

void lauka_document_strings(struct lauka_json_document *document, const char *key,
                            char *const *strings)
{
    char name[64];
    bool plain = true;
    if (!strings) {
        lauka_document_null(document, key);
        return;
    }
    lauka_document_array(document, key);
    for (size_t i = 0; strings[i]; i++) {
        plain &= is_utf8(strings[i]);
        lauka_document_text(document, NULL, strings[i]);
    }
    lauka_document_end(document);
    if (plain)
        return;
    lauka_document_array(document, base64_key(key, name));
    for (size_t i = 0; strings[i]; i++)
        lauka_document_base64(document, NULL, strings[i], strlen(strings[i]));
    lauka_document_end(document);
}
