/* fopencookie(3), of glibc and musl. */
#include "report/pack/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>

struct stream {
    const struct lauka_sink *sink;
    void *context;
};

static ssize_t write_some(void *cookie, const char *bytes, size_t size)
{
    struct stream *stream = cookie;
    int error = stream->sink->put(stream->context, bytes, size);
    errno = error ? error : errno;
    return error ? 0 : (ssize_t)size; /* 0, not -1: fopencookie(3) */
}

static int close_stream(void *cookie)
{
    struct stream *stream = cookie;
    int error = stream->sink->close(stream->context);
    free(stream);
    errno = error ? error : errno;
    return error ? EOF : 0;
}

FILE *lauka_sink_open(const struct lauka_sink *sink, void *context)
{
    static const cookie_io_functions_t functions = {.write = write_some, .close = close_stream};
    struct stream *stream = malloc(sizeof *stream);
    if (!stream)
        return NULL;
    *stream = (struct stream){sink, context};
    FILE *file = fopencookie(stream, "w", functions);
    if (!file)
        free(stream);
    return file;
}
