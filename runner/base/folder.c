/* Folders for the files of other programs, and the removal of a folder with all that is in it. */
#include "runner/base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h> /* mkdtemp(3), on macOS */

int lauka_folder_make(const char *purpose, char folder[LAUKA_FOLDER_SIZE])
{
    const char *where = getenv("TMPDIR");

    if (!where || *where != '/' || strlen(where) > LAUKA_FOLDER_SIZE - 100)
        where = "/tmp";
    snprintf(folder, LAUKA_FOLDER_SIZE, "%s/lauka-%s-XXXXXX", where, purpose);
    if (mkdtemp(folder))
        return 0;
    *folder = '\0';
    return errno;
}

/* ---- removal, whatever others have made of it ---------------------------------------------------- */

/* Rights may be missing, paths may be longer than any call takes, links and mounted file systems may lead elsewhere.
 * Each folder inside is first moved to the top, so no path has more than two names, no link can be on the way, and a
 * file system that is mounted on one is noticed, as that cannot be moved. */
struct removal {
    int top;         /* descriptor of the folder */
    dev_t device;    /* where it lies */
    char prefix[40]; /* of the names that moved folders get; nothing inside can have it */
    uint64_t lifted; /* folders so far */
};

/* Opens the folder, with all rights for its owner; -1 with errno. */
static int open_folder(int at, const char *name, const struct stat *about)
{
    struct stat opened;

    if ((about->st_mode & S_IRWXU) != S_IRWXU && about->st_uid == geteuid() &&
        fchmodat(at, name, 0700, 0) != 0)
        return -1;
    int folder = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && fstat(folder, &opened) == 0 && opened.st_dev == about->st_dev &&
        opened.st_ino == about->st_ino)
        return folder;
    if (folder >= 0) {
        close(folder);
        errno = EBUSY; /* it was exchanged */
    }
    return -1;
}

/* For each name in the folder, which may change meanwhile. 0, or the first errno. */
static int visit(int folder, struct removal *removal,
                 int (*one)(struct removal *, int folder, const char *name, const struct stat *))
{
    int copy = fcntl(folder, F_DUPFD_CLOEXEC, 0), failure = 0;
    DIR *names = copy >= 0 ? fdopendir(copy) : NULL;
    struct dirent *entry;
    struct stat about;

    if (!names) {
        failure = errno;
        if (copy >= 0)
            close(copy);
        return failure;
    }
    rewinddir(names);
    while (!failure && (entry = readdir(names))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (fstatat(folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0)
            failure = one(removal, folder, entry->d_name, &about);
        else if (errno != ENOENT)
            failure = errno;
    }
    closedir(names);
    return failure;
}

/* A folder cannot be moved without the right to write into it. */
static int lift(struct removal *removal, int folder, const char *name, const struct stat *about)
{
    char free_name[80];

    if (about->st_dev != removal->device)
        return EBUSY;
    if ((about->st_mode & S_IRWXU) != S_IRWXU && about->st_uid == geteuid() &&
        fchmodat(folder, name, 0700, 0) != 0)
        return errno;
    do {
        snprintf(free_name, sizeof free_name, "%s%ju", removal->prefix,
                 (uintmax_t)removal->lifted++);
        if (renameat(folder, name, removal->top, free_name) == 0)
            return 0;
    } while (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR);
    return errno;
}

static int lift_or_unlink(struct removal *removal, int folder, const char *name,
                          const struct stat *about)
{
    if (S_ISDIR(about->st_mode))
        return lift(removal, folder, name, about);
    return unlinkat(folder, name, 0) == 0 || errno == ENOENT ? 0 : errno;
}

static int remove_top_level(struct removal *removal, int top, const char *name,
                            const struct stat *about)
{
    if (!S_ISDIR(about->st_mode))
        return lift_or_unlink(removal, top, name, about);
    if (strncmp(name, removal->prefix, strlen(removal->prefix)) != 0) /* it is met again there */
        return lift(removal, top, name, about);
    if (unlinkat(top, name, AT_REMOVEDIR) == 0)
        return 0;
    int folder = open_folder(top, name, about);
    int failure = folder >= 0 ? visit(folder, removal, lift_or_unlink) : errno;
    if (folder >= 0)
        close(folder);
    return !failure && unlinkat(top, name, AT_REMOVEDIR) != 0 ? errno : failure;
}

static int count_one(struct removal *removal, int folder, const char *name,
                     const struct stat *about)
{
    (void)folder;
    (void)name;
    (void)about;
    removal->lifted = 1;
    return 0;
}

/* Whether nothing is left in it. */
static bool is_empty(int folder)
{
    struct removal found = {.lifted = 0};

    return visit(folder, &found, count_one) == 0 && found.lifted == 0;
}

static int empty(int top, const struct stat *about)
{
    struct removal removal = {.top = top, .device = about->st_dev};
    int failure = 0;

    snprintf(removal.prefix, sizeof removal.prefix, "lauka-%ju-", (uintmax_t)lauka_now_ns());
    while (!failure && !is_empty(top))
        failure = visit(top, &removal, remove_top_level);
    return failure;
}

/* 0 or an errno. */
static int remove_at(int parent, const char *name)
{
    struct stat about, above;

    if (fstatat(parent, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || fstat(parent, &above) != 0)
        return errno == ENOENT ? 0 : errno;
    if (!S_ISDIR(about.st_mode))
        return unlinkat(parent, name, 0) == 0 ? 0 : errno;
    if (about.st_uid != geteuid())
        return EPERM;
    if (about.st_dev != above.st_dev)
        return EBUSY;
    int top = open_folder(parent, name, &about);
    int failure = top >= 0 ? empty(top, &about) : errno;
    if (top >= 0)
        close(top);
    return !failure && unlinkat(parent, name, AT_REMOVEDIR) != 0 ? errno : failure;
}

bool lauka_tree_remove(const char *path)
{
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;

    if (length >= sizeof folder) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (length > 0) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    int parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0)
        return errno == ENOENT;
    int failure = remove_at(parent, name);
    close(parent);
    errno = failure;
    return failure == 0;
}
