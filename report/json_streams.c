/* What is kept of a metric where single values are not, as JSON; exact, so that it can be read back.
 * The histogram stands with every metric. */
#include "report/document.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Decimal, in a string: 128 bits are beyond any number of JSON. */
static void add_wide(struct lauka_document *document, cJSON *object, const char *key,
                     lauka_uint128 value)
{
    char buffer[48], *text = buffer + sizeof buffer;
    *--text = 0;
    do {
        *--text = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value > 0);
    lauka_document_add(document, object, key, cJSON_CreateString(text));
}

static cJSON *moments_item(struct lauka_document *document, const struct lauka_moments *moments)
{
    cJSON *object = lauka_document_check(document, cJSON_CreateObject());
    lauka_document_add_integer(document, object, "count", moments->count);
    if (moments->count > 0) {
        lauka_document_add_integer(document, object, "min", moments->min);
        lauka_document_add_integer(document, object, "max", moments->max);
    }
    add_wide(document, object, "sum", moments->sum);
    add_wide(document, object, "sum_of_squares", moments->sum_of_squares);
    return object;
}

/* "[8200, 3, 8201, 12]": bins that are not empty, each followed by its count. NULL without memory. */
static char *format_bins(const struct lauka_paired_log *log)
{
    enum { PAIR_SIZE = 24 };
    size_t bins = sizeof log->bins / sizeof *log->bins, used = 1;
    char *text = malloc(PAIR_SIZE * bins + 3);
    if (!text)
        return NULL;
    strcpy(text, "[");
    for (size_t i = 0; i < bins; i++)
        if (log->bins[i] > 0)
            used += (size_t)sprintf(text + used, "%s%zu, %" PRIu32, used > 1 ? ", " : "", i,
                                    log->bins[i]);
    strcpy(text + used, "]");
    return text;
}

static cJSON *paired_item(struct lauka_document *document, const struct lauka_paired_log *log)
{
    cJSON *object = lauka_document_check(document, cJSON_CreateObject());
    char *bins = format_bins(log);
    lauka_document_add_integer(document, object, "count", log->count);
    lauka_document_add_integer(document, object, "zeros", log->zeros);
    lauka_document_add_integer(document, object, "lost", log->lost);
    lauka_document_add(document, object, "reference", moments_item(document, &log->reference));
    lauka_document_add(document, object, "command", moments_item(document, &log->other));
    lauka_document_add(document, object, "bins", bins ? cJSON_CreateRaw(bins) : NULL);
    free(bins);
    return object;
}

void lauka_document_add_stream(struct lauka_document *document, cJSON *object, size_t command,
                               size_t metric)
{
    const struct lauka_result_command *about = &document->result->commands[command];
    if (!about->streams)
        return;
    const struct lauka_result_stream *stream = &about->streams[metric];
    cJSON *item = lauka_document_check(document, cJSON_CreateObject());
    lauka_document_add_integer(document, item, "missing", stream->missing);
    lauka_document_add(document, item, "moments", moments_item(document, &stream->moments));
    lauka_document_add(document, item, "paired",
                       stream->paired ? paired_item(document, stream->paired) : cJSON_CreateNull());
    lauka_document_add(document, object, "stream", item);
}
