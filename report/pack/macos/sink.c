/* funopen(3). */
#include "report/pack/pack.h"

#include <errno.h>
#include <stdlib.h>

struct stream {
    const struct lauka_sink *sink;
    void *context;
};

static int write_some(void *cookie, const char *bytes, int size)
{
    struct stream *stream = cookie;
    int error = stream->sink->put(stream->context, bytes, (size_t)size);
    errno = error ? error : errno;
    return error ? -1 : size;
}

static int close_stream(void *cookie)
{
    struct stream *stream = cookie;
    int error = stream->sink->close(stream->context);
    free(stream);
    errno = error ? error : errno;
    return error ? -1 : 0;
}

FILE *lauka_sink_open(const struct lauka_sink *sink, void *context)
{
    struct stream *stream = malloc(sizeof *stream);
    if (!stream)
        return NULL;
    *stream = (struct stream){sink, context};
    FILE *file = funopen(stream, NULL, write_some, NULL, close_stream);
    if (!file)
        free(stream);
    return file;
}
