/* Arrays with a value per run stand in a document as short tokens and are written out when its text is
 * copied to the file, so that a million runs cost no tree. */
#include "report/json/parts.h"
#include "report/result/result.h"
#include "report/text/text.h"

#include <stdio.h>
#include <stdlib.h>

/* A document escapes this byte in every string, so that it can only begin a token. */
#define TOKEN '\x01'

void lauka_document_add_runs(struct lauka_json_document *document, struct lauka_json_value *object,
                             const char *key, enum lauka_json_stream stream, size_t command,
                             size_t metric)
{
    char token[64];
    snprintf(token, sizeof token, "%c%c %zu %zu%c", TOKEN, stream, command, metric, TOKEN);
    lauka_document_add(document, object, key, lauka_document_raw(document, token));
}

/* Writes the array for the token at text; returns what follows the token. */
static const char *write_runs(const struct lauka_json_document *document, const char *text,
                              FILE *out)
{
    const struct lauka_result *result = document->result;
    char *end = NULL;
    char stream = text[1];
    size_t command = strtoull(text + 2, &end, 10);
    size_t metric = strtoull(end, &end, 10);
    switch ((enum lauka_json_stream)stream) {
    case LAUKA_JSON_TIMES:
        lauka_print_values(result, command, metric, true, out);
        break;
    case LAUKA_JSON_MEMORY:
    case LAUKA_JSON_VALUES:
        lauka_print_values(result, command, metric, false, out);
        break;
    case LAUKA_JSON_EXIT_CODES:
        lauka_print_exit_codes(result, command, out);
        break;
    case LAUKA_JSON_ORDER:
        lauka_print_order(result, document->first, out);
        break;
    case LAUKA_JSON_LAYOUT:
        lauka_print_layout(result, out);
        break;
    case LAUKA_JSON_UNITS:
        lauka_print_units(result, out);
        break;
    }
    return end + 1;
}

static void indent(int levels, FILE *out)
{
    for (int i = 0; i < levels; i++)
        fputs("  ", out);
}

/* A document is indented by tabs and has one after every colon; within strings they are escaped. */
void lauka_document_copy(const struct lauka_json_document *document, const char *text, int levels,
                         FILE *out)
{
    char before = 0;
    while (*text && !ferror(out)) {
        char c = *text;
        if (c == TOKEN) {
            text = write_runs(document, text, out);
            before = ']';
            continue;
        }
        if ((unsigned char)c >= 0x7F) {
            text += lauka_print_json_character(text, out);
            before = c;
            continue;
        }
        if (c == '\t')
            fputs(before == ':' ? " " : "  ", out);
        else
            fputc(c, out);
        if (c == '\n')
            indent(levels, out);
        before = c;
        text++;
    }
}
