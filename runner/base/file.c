/* A whole file, or standard input, as bytes; and files that are on disk when all is done. What a user names may be a FIFO
 * or a terminal, which is waited for until a signal comes; what another program has left behind has to be a plain file. */
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

static char *read_plain(int descriptor, size_t most, size_t *size)
{
    struct stat about;
    ssize_t got = 1;

    if (fstat(descriptor, &about) != 0)
        return NULL;
    if ((uint64_t)about.st_size > most) {
        errno = EFBIG;
        return NULL;
    }
    char *bytes = malloc((size_t)about.st_size + 1);
    for (*size = 0; bytes && *size < (size_t)about.st_size && got > 0; *size += (size_t)got)
        if ((got = read(descriptor, bytes + *size, (size_t)about.st_size - *size)) < 0)
            break;
    if (got < 0) {
        free(bytes);
        return NULL;
    }
    if (bytes)
        bytes[*size] = '\0';
    return bytes;
}

char *lauka_file_read_plain(const char *path, size_t most, size_t *size)
{
    const int descriptor = lauka_file_open_plain(path);
    size_t own = 0;

    if (descriptor < 0)
        return NULL;
    char *bytes = read_plain(descriptor, most, size ? size : &own);
    const int failure = errno;
    close(descriptor);
    errno = failure;
    return bytes;
}

size_t lauka_file_mark(const char *bytes, size_t size)
{
    return size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* ---- files that last ------------------------------------------------------------------------------ */

static int copy_bytes(int from, int to)
{
    static char chunk[1 << 16]; /* too much for a small stack */
    ssize_t count;

    while ((count = read(from, chunk, sizeof chunk)) > 0) {
        for (ssize_t done = 0, more; done < count; done += more)
            if ((more = write(to, chunk + done, (size_t)(count - done))) < 0)
                return errno;
        if (lauka_interrupt_signal())
            return EINTR;
    }
    return count < 0 ? errno : 0;
}

static bool is_changed(const struct stat *before, int descriptor)
{
    struct stat now;

    return fstat(descriptor, &now) != 0 || now.st_size != before->st_size ||
           now.st_mtime != before->st_mtime || now.st_ctime != before->st_ctime;
}

static int copy_file(int from, const char *path)
{
    struct stat about;

    if (fstat(from, &about) != 0)
        return errno;
    int to = lauka_clone_file(from, path), failure = 0;
    const bool cloned = to >= 0;
    if (!cloned)
        to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0)
        return errno;
    failure = cloned ? 0 : copy_bytes(from, to);
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = about.st_mtime}};
    if (!failure &&
        (fchmod(to, about.st_mode & 0777) != 0 || futimens(to, times) != 0 || fsync(to) != 0))
        failure = errno;
    if (!failure && is_changed(&about, from))
        failure = EBUSY;
    if (close(to) != 0 && !failure)
        failure = errno;
    if (failure)
        (void)unlink(path);
    return failure;
}

int lauka_file_copy(const char *path, const char *to)
{
    int from = lauka_file_open_plain(path);

    if (from < 0)
        return errno;
    int failure = copy_file(from, to);
    close(from);
    return failure;
}

/* Returns 0 or an errno. */
static int write_draft(const char *draft, int (*write)(FILE *file, const void *context),
                       const void *context)
{
    const int descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    int failure = file ? write(file, context) : errno;

    if (!file && descriptor >= 0)
        close(descriptor);
    if (!failure && (fflush(file) != 0 || fsync(fileno(file)) != 0))
        failure = errno;
    if (file && fclose(file) != 0 && !failure)
        failure = errno;
    return failure;
}

int lauka_file_put(const char *draft, const char *path,
                   int (*write)(FILE *file, const void *context), const void *context)
{
    (void)unlink(draft);
    int failure = write_draft(draft, write, context);
    if (!failure && rename(draft, path) != 0)
        failure = errno;
    if (failure)
        (void)unlink(draft);
    return failure;
}

int lauka_folder_sync(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failure = folder < 0 || fsync(folder) != 0 ? errno : 0;

    if (folder >= 0)
        close(folder);
    /* EINVAL is what fsync(2) says of a file system that cannot. */
    return folder >= 0 && failure == EINVAL ? 0 : failure;
}
