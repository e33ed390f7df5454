/* Whether what lies at a path is the user's own. What was kept there to be used again may be executed, so
 * nobody else may have put it there, nor be able to exchange it: neither it, nor a folder or a link on the way.
 * The way is walked from the root; what comes after a folder that was judged cannot change any more. */
#include "runner/base/base.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
