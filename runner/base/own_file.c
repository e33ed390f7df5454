/* Files that lauka writes. In a directory where anybody may create files, others can place a link, or a
 * file of their own, under a name that they guess. They would choose what is overwritten, with lauka's
 * rights, or read what was measured. */
#include "runner/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The mode of the directory that the name is in; 0 if it is not a directory, which open(2) will report. */
static mode_t directory_mode(const char *path)
{
    char directory[4096] = ".";
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    struct stat about;

    if (length >= sizeof directory)
        return 0;
    if (length > 0) {
        memcpy(directory, path, length);
        directory[length] = '\0';
    }
    return stat(directory, &about) == 0 ? about.st_mode : 0;
}

/* If only its owner may rename a file, other people's files are not ours to write to. A file with a second
 * name may be one that others linked to. */
static bool is_planted(int descriptor, mode_t directory)
{
    struct stat about;

    return directory & S_ISVTX && (fstat(descriptor, &about) != 0 || about.st_uid != geteuid() ||
                                   (S_ISREG(about.st_mode) && about.st_nlink > 1));
}

static int open_in_shared(const char *path, int flags, mode_t directory)
{
    /* Opens an existing file first: with O_CREAT kernels say less clearly what is wrong with it. */
    int descriptor = flags & O_EXCL ? -1 : open(path, flags & ~(O_CREAT | O_TRUNC), 0666);

    if (descriptor < 0 && (flags & O_EXCL || errno == ENOENT))
        descriptor = open(path, (flags & ~O_TRUNC) | O_EXCL, 0666);
    if (descriptor >= 0 && is_planted(descriptor, directory)) {
        close(descriptor);
        errno = EEXIST;
        return -1;
    }
    if (descriptor >= 0 && flags & O_TRUNC)
        (void)!ftruncate(descriptor, 0); /* only a plain file has something to cut off */
    return descriptor;
}

int lauka_own_file_open(const char *path, int flags)
{
    mode_t directory = directory_mode(path);

    flags |= O_WRONLY | O_CREAT | O_CLOEXEC;
    if (!(directory & S_IWOTH))
        return open(path, flags, 0666);
    return open_in_shared(path, flags | O_NOFOLLOW, directory);
}

static bool is_fifo(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISFIFO(about.st_mode);
}

static void say_waiting(const char *path, const char *option)
{
    struct lauka_error note;

    lauka_fail(
        &note, LAUKA_EXIT_INTERNAL,
        "--%s=%.300s is a FIFO that nobody reads yet: waiting for a reader (Ctrl-C gives up)",
        option, path);
    lauka_error_print(&note);
}

/* A reader may be about to come. */
int lauka_own_file_await(const char *path, const char *option)
{
    enum { STEP_MS = 20, SILENT_STEPS = 25 };
    struct pollfd ended = {.fd = lauka_interrupt_descriptor(), .events = POLLIN};
    int descriptor = lauka_own_file_open(path, is_fifo(path) ? O_NONBLOCK : 0);

    for (int step = 1; descriptor < 0 && errno == ENXIO && is_fifo(path); step++) {
        if (step == SILENT_STEPS)
            say_waiting(path, option);
        if (poll(&ended, 1, STEP_MS) > 0) {
            errno = EINTR;
            return -1;
        }
        descriptor = lauka_own_file_open(path, O_NONBLOCK);
    }
    int flags = descriptor >= 0 ? fcntl(descriptor, F_GETFL) : -1;
    if (flags >= 0 && flags & O_NONBLOCK) /* who reads slowly is waited for */
        fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK);
    return descriptor;
}

const char *lauka_own_file_error(int error)
{
    if (error == ELOOP)
        return "choose another name: this one is a link, in a directory that everybody can write "
               "to";
    if (error == EEXIST)
        return "choose another name: this file does not belong to you alone, and everybody can "
               "write to its directory";
    if (error == EMFILE)
        return "lauka has too many files open; raise the limit (ulimit -n)";
    return strerror(error);
}
