/* What is kept of a metric instead of single values, as JSON; exact, so that it can be read back. Every
 * metric has its histogram. */
#include "report/json/parts.h"
#include "report/result/record.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <stdlib.h>
#include <string.h>

/* Seven bits a byte, the lowest first; the eighth says that more follow (LEB128). */
static size_t put_number(uint8_t *bytes, uint64_t number)
{
    size_t size = 0;
    for (; number > 127; number >>= 7)
        bytes[size++] = (uint8_t)(number | 128);
    bytes[size++] = (uint8_t)number;
    return size;
}

/* Bins that are not empty, in order: the distance from the previous one, doubled; plus one if a count
 * follows, which otherwise is 1, as it mostly is. Returns the size. */
static size_t pack_bins(const struct lauka_paired_log *log, uint8_t *bytes)
{
    const struct lauka_sparse *bins = &log->bins;
    size_t next = 0, size = 0;
    for (size_t i = lauka_sparse_find(bins, 0); i < bins->count;
         i = lauka_sparse_find(bins, i + 1)) {
        uint64_t pairs = lauka_sparse_at(bins, i);
        bool counted = pairs > 1;
        size += put_number(bytes + size, (uint64_t)(i - next) << 1 | counted);
        if (counted)
            size += put_number(bytes + size, pairs);
        next = i + 1;
    }
    return size;
}

/* In base64. NULL if there is no memory. */
static struct lauka_json_value *bins_item(struct lauka_json_document *document,
                                          const struct lauka_paired_log *log)
{
    enum { BIN_SIZE = 3 + 5 };
    size_t most = BIN_SIZE * lauka_sparse_used(&log->bins) + 1;
    uint8_t *bytes = malloc(most);
    char *text = malloc(lauka_base64_size(most) + 1);
    if (bytes && text)
        lauka_base64_encode(bytes, pack_bins(log, bytes), text);
    document->incomplete |= !bytes || !text;
    struct lauka_json_value *item = bytes && text ? lauka_document_text(document, text) : NULL;
    free(bytes);
    free(text);
    return item;
}

static struct lauka_json_value *paired_item(struct lauka_json_document *document,
                                            const struct lauka_paired_log *log)
{
    struct lauka_json_value *object = lauka_document_record(document, &lauka_paired_record, log);
    lauka_document_add(document, object, "bins", bins_item(document, log));
    return object;
}

static void add_figures(struct lauka_json_document *document, struct lauka_json_value *item,
                        const struct lauka_result_stream *stream)
{
    lauka_document_add_integer(document, item, "missing", stream->missing);
    lauka_document_add(document, item, "moments",
                       lauka_document_record(document, &lauka_moments_record, &stream->moments));
    lauka_document_add(document, item, "paired",
                       stream->paired ? paired_item(document, stream->paired)
                                      : lauka_document_null(document));
}

/* Of each host what its comparison is made of; the histogram is of all together. */
static struct lauka_json_value *hosts_item(struct lauka_json_document *document, size_t command,
                                           size_t metric)
{
    const struct lauka_result_merged *merged = &document->result->merged;
    struct lauka_json_value *array = lauka_document_array(document);
    for (size_t h = 0; h < merged->host_count; h++) {
        struct lauka_json_value *item = lauka_document_object(document);
        add_figures(document, item, &merged->hosts[h].streams[command][metric]);
        lauka_document_append(document, array, item);
    }
    return array;
}

void lauka_document_add_stream(struct lauka_json_document *document,
                               struct lauka_json_value *object, size_t command, size_t metric)
{
    const struct lauka_result_command *about = &document->result->commands[command];
    if (!about->streams)
        return;
    const struct lauka_result_stream *stream = &about->streams[metric];
    struct lauka_json_value *item = lauka_document_object(document);
    add_figures(document, item, stream);
    if (lauka_result_has_hosts(document->result))
        lauka_document_add(document, item, "hosts", hosts_item(document, command, metric));
    lauka_document_add(document, object, "stream", lauka_document_line(document, item));
}
