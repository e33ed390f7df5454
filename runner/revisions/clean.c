/* Removing worktrees: all of a repository, and those that it left behind when it was moved, in the folder of its old
 * place. */
#include "runner/revisions/revisions.h"
#include "runner/base/base.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As lauka names a worktree: "9b1c…". */
static bool is_key(const char *name)
{
    enum { DIGITS = 2 * LAUKA_WORKTREE_KEY_BYTES };

    return strspn(name, "0123456789abcdef") == DIGITS && !name[DIGITS];
}

/* Whether it is one that lauka makes for this repository. git tells what is written in the repository's files, by
 * anybody: the path may lead anywhere. */
static bool is_own(const struct lauka_worktrees *worktrees, const char *path)
{
    size_t length = strlen(worktrees->folder);

    return strncmp(path, worktrees->folder, length) == 0 && path[length] == '/' &&
           is_key(path + length + 1);
}

/* ---- what was left behind ------------------------------------------------------------------------------- */

/* "…/3f2a…/9b1c…": as lauka names them, below the cache that has the folder. */
static bool is_named_so(const char *folder, const char *path)
{
    const char *slash = strrchr(folder, '/');
    size_t root = (size_t)(slash - folder) + 1, repository = strlen(slash + 1);

    return strncmp(path, folder, root) == 0 &&
           strspn(path + root, "0123456789abcdef") == repository &&
           path[root + repository] == '/' && is_key(path + root + repository + 1);
}

/* folder: of the repository, in the cache, without links; path: of a worktree that git knows. Whether that lies in such
 * a folder beside it, and leads to no repository. */
static bool is_left_behind(const char *folder, const char *path)
{
    if (!is_named_so(folder, path))
        return false;
    char *real = realpath(path, NULL), *repository = lauka_worktree_repository(path);
    bool is = !repository && (!real || strcmp(real, path) == 0);

    free(real);
    free(repository);
    return is;
}

/* Whether a folder has a lock, and nothing else: a new repository in the old place may use it, too. */
static bool has_only_lock(const char *folder)
{
    DIR *entries = opendir(folder);
    bool only = entries != NULL;

    for (const struct dirent *entry; only && (entry = readdir(entries));)
        only = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
               strcmp(entry->d_name, "lock") == 0;
    if (entries)
        closedir(entries);
    return only;
}

/* Removes what stands beside such a worktree, and its folder once there is nothing else. */
static void remove_beside(const char *path)
{
    static const char *const ends[] = {".log", ".built"};
    char name[4200];

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(name, sizeof name, "%.4000s%s", path, ends[i]);
        (void)unlink(name);
    }
    int length = (int)(strrchr(path, '/') - path);
    snprintf(name, sizeof name, "%.*s", length, path);
    if (!has_only_lock(name))
        return;
    snprintf(name, sizeof name, "%.*s/lock", length, path);
    (void)unlink(name);
    name[length] = '\0';
    (void)rmdir(name);
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

/* Of the worktrees that git knows, those in the folder, and those of before the repository was moved. */
static bool clean_known(const struct lauka_worktrees *worktrees, struct lauka_error *error)
{
    static const char *const words[] = {"worktree", "list", "--porcelain", NULL};
    static const char start[] = "worktree ";
    char *text = lauka_git_ask(&worktrees->git, worktrees->git.top, NULL, words, error);
    char *rest = text;
    bool good = text != NULL;

    for (char *line; good && (line = strtok_r(rest, "\n", &rest));) {
        const char *path = line + strlen(start);
        if (strncmp(line, start, strlen(start)) != 0)
            continue;
        bool behind = is_left_behind(worktrees->folder, path);
        if (behind || is_own(worktrees, path))
            good = lauka_worktree_remove(worktrees, path, error);
        if (behind && good)
            remove_beside(path);
    }
    free(text);
    return good;
}

bool lauka_worktrees_clean(struct lauka_worktrees *worktrees, struct lauka_error *error)
{
    return clean_known(worktrees, error) &&
           (lauka_tree_remove(worktrees->folder) ||
            lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", worktrees->folder, strerror(errno)));
}
