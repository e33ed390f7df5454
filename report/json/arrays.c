/* Arrays with a value for each run are short tokens in a document. They are written out when its text is
 * copied to the file, so that a million runs need no tree. */
#include "report/json/parts.h"
#include "report/result/result.h"
#include "report/text/text.h"

#include <stdio.h>
#include <stdlib.h>

/* A document escapes this byte in every string, so that it can only begin a token. */
#define TOKEN '\x01'

/* The number of values; 0 if they are not kept. */
static uint64_t count_of(const struct lauka_result *result, enum lauka_json_stream stream,
                         size_t command, size_t metric)
{
    switch (stream) {
    case LAUKA_JSON_VALUES:
        return result->metrics[metric].counted ? result->commands[command].series[metric].count : 0;
    case LAUKA_JSON_ORDER:
        return result->run.order ? result->run.rounds * result->command_count : 0;
    case LAUKA_JSON_LAYOUT:
        return result->run.layout ? result->run.rounds : 0;
    case LAUKA_JSON_UNITS:
        return result->benchmark.units.of ? result->run.rounds : 0;
    case LAUKA_JSON_INNER_UNITS:
        return result->benchmark.inner.of ? result->run.rounds : 0;
    case LAUKA_JSON_TIMES:
    case LAUKA_JSON_MEMORY:
    case LAUKA_JSON_EXIT_CODES:
        break; /* hyperfine's stay as its readers expect them */
    }
    return 0;
}

void lauka_document_add_runs(struct lauka_json_document *document, struct lauka_json_value *object,
                             const char *key, enum lauka_json_stream stream, size_t command,
                             size_t metric)
{
    const struct lauka_result *result = document->result;
    bool packed = lauka_result_is_packed(result, count_of(result, stream, command, metric));
    char token[64], name[32];
    snprintf(name, sizeof name, "%s%s", key, packed ? "_packed" : "");
    snprintf(token, sizeof token, "%c%c %zu %zu%c", TOKEN, stream, command, metric, TOKEN);
    lauka_document_add(document, object, name, lauka_document_raw(document, token));
}

/* Returns 0 or ENOMEM. */
static int write_packed(const struct lauka_json_document *document, enum lauka_json_stream stream,
                        size_t command, size_t metric, FILE *out)
{
    const struct lauka_result *result = document->result;
    switch (stream) {
    case LAUKA_JSON_ORDER:
        return lauka_pack_order(result, document->first, out);
    case LAUKA_JSON_LAYOUT:
        return lauka_pack_layout(result, out);
    case LAUKA_JSON_UNITS:
        return lauka_pack_units(result, result->benchmark.units.of, out);
    case LAUKA_JSON_INNER_UNITS:
        return lauka_pack_units(result, result->benchmark.inner.of, out);
    default:
        return lauka_pack_values(result, command, metric, out);
    }
}

static void write_plain(const struct lauka_json_document *document, enum lauka_json_stream stream,
                        size_t command, size_t metric, FILE *out)
{
    const struct lauka_result *result = document->result;
    switch (stream) {
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
        lauka_print_units(result, result->benchmark.units.of, out);
        break;
    case LAUKA_JSON_INNER_UNITS:
        lauka_print_units(result, result->benchmark.inner.of, out);
        break;
    }
}

/* Writes the array for the token at text; returns what follows the token. */
static const char *write_runs(struct lauka_json_document *document, const char *text, FILE *out)
{
    char *end = NULL;
    enum lauka_json_stream stream = (enum lauka_json_stream)text[1];
    size_t command = strtoull(text + 2, &end, 10);
    size_t metric = strtoull(end, &end, 10);
    uint64_t count = count_of(document->result, stream, command, metric);
    if (!lauka_result_is_packed(document->result, count))
        write_plain(document, stream, command, metric, out);
    else if (write_packed(document, stream, command, metric, out) != 0)
        document->incomplete = true;
    return end + 1;
}

static void indent(int levels, FILE *out)
{
    for (int i = 0; i < levels; i++)
        fputs("  ", out);
}

/* Characters up to the next that is not written as it is. */
static size_t plain_length(const char *text)
{
    const char *end = text;
    while (*end && *end != TOKEN && *end != '\t' && *end != '\n' && (unsigned char)*end < 0x7F)
        end++;
    return (size_t)(end - text);
}

/* A document is indented by tabs and has one after every colon; within strings they are escaped. */
void lauka_document_copy(struct lauka_json_document *document, const char *text, int levels,
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
        if (c == '\t' || c == '\n') {
            fputs(c == '\n' ? "\n" : before == ':' ? " " : "  ", out);
            indent(c == '\n' ? levels : 0, out);
            before = c;
            text++;
            continue;
        }
        size_t length = plain_length(text);
        fwrite(text, 1, length, out);
        text += length;
        before = text[-1];
    }
}
