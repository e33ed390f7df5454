/* A whole file, or standard input, as bytes. What a user names may be a FIFO or a terminal, which is waited for until
 * a signal comes; what another program has left behind has to be a plain file. */
#include "runner/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A million rounds of the default metrics of four commands take half of it. */
#define FILE_SIZE_MAX (UINT64_C(1) << 30)
enum { FIRST_SIZE = 1 << 16 };

static bool no_memory(struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory for the stored values");
}

struct content {
    char *bytes; /* owned */
    size_t size, capacity;
};

static bool cannot_read(const char *name, const char *why, struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_USAGE, "%.400s: %s", name, why);
}

static bool grow(struct content *content, size_t capacity)
{
    char *bytes = realloc(content->bytes, capacity);

    if (!bytes)
        return false;
    content->bytes = bytes;
    content->capacity = capacity;
    return true;
}

/* For one byte more than a file may have, at most. */
static bool make_room(struct content *content)
{
    size_t doubled = 2 * content->capacity;

    return content->size < content->capacity ||
           grow(content, doubled > FILE_SIZE_MAX ? FILE_SIZE_MAX + 1 : doubled);
}

/* How much a plain file will need; other files do not say. */
static uint64_t expected_size(int descriptor)
{
    struct stat about;

    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size < FIRST_SIZE)
        return FIRST_SIZE;
    return (uint64_t)about.st_size + 1;
}

/* Until there is something to read. A signal ends that, also one that came before. */
static bool await_bytes(int descriptor)
{
    struct pollfd waited[] = {{.fd = descriptor, .events = POLLIN},
                              {.fd = lauka_interrupt_descriptor(), .events = POLLIN}};

    while (!lauka_interrupt_signal() && poll(waited, 2, -1) < 0 && errno == EINTR)
        ;
    return !lauka_interrupt_signal();
}

static bool read_all(int descriptor, const char *name, struct content *content,
                     struct lauka_error *error)
{
    uint64_t expected = expected_size(descriptor);

    if (expected > FILE_SIZE_MAX + 1)
        return cannot_read(name, "is larger than 1 GiB", error);
    if (!grow(content, (size_t)expected))
        return no_memory(error);
    for (;;) {
        if (content->size > FILE_SIZE_MAX)
            return cannot_read(name, "is larger than 1 GiB", error);
        if (!make_room(content))
            return no_memory(error);
        if (!await_bytes(descriptor))
            return cannot_read(name, strerror(EINTR), error);
        ssize_t count =
            read(descriptor, content->bytes + content->size, content->capacity - content->size);
        if (count == 0)
            return true;
        if (count > 0)
            content->size += (size_t)count;
        else if (errno != EINTR && errno != EAGAIN)
            return cannot_read(name, strerror(errno), error);
    }
}

/* "-" is standard input. */
static bool read_file(const char *name, struct content *content, struct lauka_error *error)
{
    bool is_input = strcmp(name, "-") == 0;
    int descriptor = is_input ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);

    if (descriptor < 0)
        return cannot_read(name, strerror(errno), error);
    bool good = read_all(descriptor, name, content, error);
    if (!is_input)
        close(descriptor);
    return good;
}

char *lauka_file_read(const char *name, size_t *size, struct lauka_error *error)
{
    struct content content = {0};

    if (!read_file(name, &content, error)) {
        free(content.bytes);
        return NULL;
    }
    *size = content.size;
    return content.bytes;
}

int lauka_file_open_plain(const char *path)
{
    struct stat about;
    int descriptor = -1;

    if (stat(path, &about) != 0)
        return -1;
    errno = EINVAL;
    if (S_ISREG(about.st_mode)) /* to open a device may do something to it */
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0 || (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)))
        return descriptor;
    close(descriptor); /* it was another one by then */
    errno = EINVAL;
    return -1;
}

FILE *lauka_file_stream(const char *path)
{
    int descriptor = lauka_file_open_plain(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");

    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

size_t lauka_file_mark(const char *bytes, size_t size)
{
    return size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}
