/* Folders for the files of other programs, the removal of a folder with all that is in it, and whether what was kept
 * in one is the user's own. */
#include "runner/base/arena.h"
#include "runner/base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
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

bool lauka_folder_exists(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* False without memory, or at the end, which has errno 0. */
static bool add_name(struct lauka_arena *arena, DIR *folder, char ***names, size_t *count)
{
    errno = 0;
    const struct dirent *entry = readdir(folder);
    if (!entry)
        return false;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
        return true;
    if (lauka_arena_add_text(arena, names, count, lauka_arena_text(arena, entry->d_name)))
        return true;
    errno = ENOMEM;
    return false;
}

char **lauka_folder_names(struct lauka_arena *arena, const char *path)
{
    DIR *folder = opendir(path);
    char **names = NULL;
    size_t count = 0;

    if (!folder)
        return NULL;
    while (add_name(arena, folder, &names, &count))
        continue;
    const int failure = errno;
    closedir(folder);
    if (!failure && count > 0)
        qsort(names, count, sizeof *names, lauka_words_compare);
    const bool good = !failure && lauka_arena_add(arena, &names, &count, sizeof *names);
    errno = failure ? failure : ENOMEM;
    return good ? names : NULL;
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

/* ---- whether what lies at a path is the user's own --------------------------------------------- */

/* What was kept there to be used again may be executed, so nobody else may have put it there, nor be able to
 * exchange it: neither it, nor a folder or a link on the way. The way is walked from the root; what comes
 * after a folder that was judged cannot change any more. */

enum { SIZE = 4096, LINKS_MOST = 40 };

struct walk {
    char done[SIZE]; /* without links, and judged; "" is the root */
    char rest[SIZE];
    bool makes;      /* folders that are not there */
    bool is_shared;  /* others can put something into the last folder */
    bool is_exposed; /* they can also exchange what is in one of the folders */
    bool is_file;    /* no folder: the end of the way */
    uid_t highest;   /* who owns the root */
    int links;
};

/* ---- one thing on the way ---------------------------------------------------------------------------- */

/* A user is often the only member of a group of the same name, and then lets it write. */
static bool is_private(gid_t group)
{
    const struct group *entry = getgrgid(group);
    const struct passwd *account = entry ? getpwuid(geteuid()) : NULL;

    if (!account || (group != 0 && strcmp(entry->gr_name, account->pw_name) != 0))
        return false;
    for (char **member = entry->gr_mem; *member; member++)
        if (strcmp(*member, account->pw_name) != 0 && strcmp(*member, "root") != 0)
            return false;
    return true;
}

static bool others_may_write(const struct stat *about)
{
    return about->st_mode & S_IWOTH || (about->st_mode & S_IWGRP && !is_private(about->st_gid));
}

/* In a user namespace root may have another number; then the root belongs to that. */
static bool is_trusted(const struct walk *walk, uid_t owner)
{
    return owner == geteuid() || owner == 0 || (owner == walk->highest && !walk->is_shared);
}

/* Why it is not the user's own, NULL if it is. In a sticky folder nobody exchanges what is another's. */
static const char *judge(struct walk *walk, const struct stat *about)
{
    bool is_sticky = S_ISDIR(about->st_mode) && about->st_mode & S_ISVTX;

    if (!is_trusted(walk, about->st_uid))
        return "belongs to another user";
    if (S_ISLNK(about->st_mode))
        return NULL;
    walk->is_shared = others_may_write(about);
    walk->is_exposed = walk->is_exposed || (walk->is_shared && !is_sticky);
    return NULL;
}

/* ---- the way ------------------------------------------------------------------------------------------- */

static void go_up(struct walk *walk)
{
    char *slash = strrchr(walk->done, '/');

    if (slash)
        *slash = '\0';
}

/* What a link says takes its place on the way. 0 or an errno. */
static int follow(struct walk *walk)
{
    char target[SIZE], rest[SIZE];
    ssize_t size = readlink(walk->done, target, sizeof target - 1);

    if (size < 0 || ++walk->links > LINKS_MOST)
        return size < 0 ? errno : ELOOP;
    target[size] = '\0';
    if (snprintf(rest, sizeof rest, "%s/%s", target, walk->rest) >= SIZE)
        return ENAMETOOLONG;
    strcpy(walk->rest, rest);
    go_up(walk);
    if (*target == '/') {
        *walk->done = '\0';
        walk->is_shared = false;
    }
    return 0;
}

/* Moves the next name of the rest to what is done; false if that is too long. */
static bool take_name(struct walk *walk)
{
    char *name = walk->rest + strspn(walk->rest, "/");
    size_t length = strcspn(name, "/"), used = strlen(walk->done);

    if (used + length + 2 > SIZE)
        return false;
    if (length == 2 && strncmp(name, "..", 2) == 0)
        go_up(walk);
    else if (length > 0 && !(length == 1 && *name == '.'))
        snprintf(walk->done + used, SIZE - used, "/%.*s", (int)length, name);
    memmove(walk->rest, name + length, strlen(name + length) + 1);
    return true;
}

/* 0, or an errno; *wrong: what is wrong with it otherwise. */
static int step(struct walk *walk, const char **wrong)
{
    struct stat about;

    if (!take_name(walk))
        return ENAMETOOLONG;
    const char *path = *walk->done ? walk->done : "/";
    if (walk->makes)
        (void)mkdir(path, 0700); /* unless it is there */
    if (lstat(path, &about) != 0)
        return errno;
    *wrong = judge(walk, &about);
    if (*wrong)
        return 0;
    if (S_ISLNK(about.st_mode))
        return follow(walk);
    walk->is_file = S_ISREG(about.st_mode);
    return S_ISDIR(about.st_mode) || (walk->is_file && !*walk->rest) ? 0 : ENOTDIR;
}

static bool has_rest(const struct walk *walk)
{
    return walk->rest[strspn(walk->rest, "/")] != '\0';
}

/* 0, or an errno; *wrong as above. */
static int begin(struct walk *walk, const char *path, const char **wrong)
{
    struct stat root;
    char here[SIZE] = "";

    if (*path != '/' && !getcwd(here, sizeof here))
        return errno;
    if (snprintf(walk->rest, SIZE, "%s/%s", here, path) >= SIZE)
        return ENAMETOOLONG;
    if (lstat("/", &root) != 0)
        return errno;
    walk->highest = root.st_uid;
    *wrong = judge(walk, &root);
    return 0;
}

static bool go(struct walk *walk, const char *path, struct lauka_error *error)
{
    const char *wrong = NULL;
    int failure = begin(walk, path, &wrong);

    while (!failure && !wrong && has_rest(walk))
        failure = step(walk, &wrong);
    if (failure)
        wrong = strerror(failure);
    return !wrong ||
           lauka_fail(error, LAUKA_EXIT_HOST, "%.600s %s%s", *walk->done ? walk->done : "/",
                      failure ? "cannot be used: " : "", wrong);
}

char *lauka_user_folder(const char *variable, const char *below, const char *name)
{
    const char *base = getenv(variable), *home = getenv("HOME");
    char *path = NULL;

    if (base && *base == '/'   ? asprintf(&path, "%s/lauka/%s", base, name) < 0
        : home && *home == '/' ? asprintf(&path, "%s/%s/lauka/%s", home, below, name) < 0
                               : true)
        return NULL;
    return path;
}

char *lauka_own_folder_make(const char *path, bool *is_exposed, struct lauka_error *error)
{
    struct walk walk = {.makes = true};

    if (!go(&walk, path, error))
        return NULL;
    if (walk.is_shared || walk.is_file) {
        lauka_fail(error, LAUKA_EXIT_HOST, "%.600s %s", walk.done,
                   walk.is_file ? "is no folder" : "is writable for other users");
        return NULL;
    }
    *is_exposed = walk.is_exposed;
    char *folder = strdup(walk.done);
    if (!folder)
        lauka_fail_memory(error);
    return folder;
}

/* Whether a walk over what is there comes to an end that is as it should be. */
static bool is_safe(const char *path, bool is_file)
{
    struct walk walk = {.makes = false};
    struct lauka_error ignored;

    return go(&walk, path, &ignored) && !walk.is_exposed && !walk.is_shared &&
           walk.is_file == is_file;
}

bool lauka_own_folder_is_safe(const char *path)
{
    return is_safe(path, false);
}

bool lauka_own_file_is_safe(const char *path)
{
    return is_safe(path, true);
}
