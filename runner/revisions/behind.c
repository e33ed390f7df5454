/* Worktrees that a repository left behind when it was moved: they lie in the folder of its old place. */
#include "runner/revisions/revisions.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "…/3f2a…/9b1c…": as lauka names them, below the cache that has the folder. */
static bool is_named_so(const char *folder, const char *path)
{
    enum { DIGITS = 24 };
    static const char hex[] = "0123456789abcdef";
    const char *slash = strrchr(folder, '/');
    size_t root = (size_t)(slash - folder) + 1, repository = strlen(slash + 1);

    return strncmp(path, folder, root) == 0 && strspn(path + root, hex) == repository &&
           path[root + repository] == '/' && strspn(path + root + repository + 1, hex) == DIGITS &&
           !path[root + repository + 1 + DIGITS];
}

bool lauka_worktree_is_left_behind(const char *folder, const char *path)
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

void lauka_worktree_remove_beside(const char *path)
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
