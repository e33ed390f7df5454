/* The cache of worktrees: one for each set of files and each way to build them, at paths of equal length, as
 * the length of a path may make a program faster or slower. A worktree is whole where a file beside it says
 * so, which is written last: what an interruption left is made anew. */
#include "runner/revisions/revisions.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_BYTES = 12 }; /* of a hash: two worktrees never share it */

/* ---- folders ----------------------------------------------------------------------------------------- */

/* $XDG_CACHE_HOME/lauka/revisions, which is made. Owned by the caller. */
static char *find_cache(struct lauka_error *error)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path = NULL;

    if (cache && *cache == '/' ? asprintf(&path, "%s/lauka/revisions", cache) < 0
        : home && *home == '/' ? asprintf(&path, "%s/.cache/lauka/revisions", home) < 0
                               : true) {
        lauka_fail(error, LAUKA_EXIT_HOST,
                   "lauka revisions keeps worktrees in $XDG_CACHE_HOME, or below $HOME: neither is "
                   "set");
        return NULL;
    }
    return path;
}

/* With all folders above it; only for the user. */
static bool make_folders(char *path, struct lauka_error *error)
{
    for (char *slash = path + 1; slash; *slash++ = '/') {
        slash = strchr(slash, '/');
        if (!slash)
            break;
        *slash = '\0';
        (void)mkdir(path, 0700);
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST ||
           lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", path, strerror(errno));
}

/* "3f2a…", of texts with a 0 behind each. */
static bool make_key(const char *const *texts, char key[2 * KEY_BYTES + 1])
{
    uint8_t digest[LAUKA_SHA256_SIZE];
    FILE *file = tmpfile();
    bool good = file != NULL;

    for (; good && *texts; texts++)
        good = fwrite(*texts, 1, strlen(*texts) + 1, file) > 0;
    if (good)
        rewind(file);
    good = good && lauka_sha256(file, digest);
    if (file)
        fclose(file);
    for (size_t i = 0; good && i < KEY_BYTES; i++)
        snprintf(key + 2 * i, 3, "%02x", digest[i]);
    return good;
}

/* Builds inherit the lock, so that lauka waits for builds that an interrupted lauka left running. */
static bool take_lock(struct lauka_worktrees *worktrees, struct lauka_error *error)
{
    char *path = NULL;

    if (asprintf(&path, "%s/lock", worktrees->folder) < 0)
        return lauka_fail_memory(error);
    worktrees->lock = open(path, O_RDWR | O_CREAT, 0600);
    free(path);
    if (worktrees->lock < 0)
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.600s/lock: %s", worktrees->folder,
                          strerror(errno));
    if (flock(worktrees->lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    fprintf(stderr,
            "lauka: another session is building worktrees of this repository; waiting for it\n");
    while (flock(worktrees->lock, LOCK_EX) != 0)
        if (errno != EINTR || lauka_interrupt_signal())
            return lauka_fail(error,
                              (enum lauka_exit)(LAUKA_EXIT_SIGNAL + lauka_interrupt_signal()),
                              "interrupted while waiting for another session");
    return true;
}

bool lauka_worktrees_open(struct lauka_worktrees *worktrees, const struct lauka_options *options,
                          struct lauka_error *error)
{
    char key[2 * KEY_BYTES + 1];

    *worktrees = (struct lauka_worktrees){.options = options, .lock = -1};
    if (!lauka_git_open(&worktrees->git, error) ||
        !(worktrees->settings = lauka_git_settings(&worktrees->git, error)))
        return false;
    char *cache = find_cache(error);
    if (!cache)
        return false;
    const char *const texts[] = {worktrees->git.common, NULL};
    bool good = make_key(texts, key) && asprintf(&worktrees->folder, "%s/%.12s", cache, key) >= 0;
    free(cache);
    if (!good)
        return lauka_fail(error, LAUKA_EXIT_HOST, "cannot create a temporary file: %s",
                          strerror(errno));
    return make_folders(worktrees->folder, error) && take_lock(worktrees, error);
}

void lauka_worktrees_close(struct lauka_worktrees *worktrees)
{
    if (worktrees->lock >= 0) {
        flock(worktrees->lock,
              LOCK_UN); /* a server that a build has started may still have it open */
        close(worktrees->lock);
    }
    worktrees->lock = -1;
    lauka_git_close(&worktrees->git);
    free(worktrees->folder);
    free(worktrees->settings);
    worktrees->folder = worktrees->settings = NULL;
}

/* ---- one worktree ------------------------------------------------------------------------------------ */

/* What identifies a worktree. Owned array of borrowed texts; NULL if there is no memory. */
static const char **texts_of(const struct lauka_worktrees *worktrees,
                             const struct lauka_revision *revision)
{
    const char **texts = calloc(2 * worktrees->workload_count + 5, sizeof *texts);
    size_t count = 0;

    if (!texts)
        return NULL;
    texts[count++] = revision->tree;
    texts[count++] = worktrees->settings;
    if (revision->is_source)
        return texts;
    texts[count++] = worktrees->options->build ? worktrees->options->build : "";
    texts[count++] = worktrees->git.prefix;
    for (size_t i = 0; i < worktrees->workload_count; i++) {
        texts[count++] = worktrees->workloads[i].name;
        texts[count++] = worktrees->workloads[i].from;
    }
    return texts;
}

bool lauka_worktree_find(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                         struct lauka_error *error)
{
    const char **texts = texts_of(worktrees, revision);
    char key[2 * KEY_BYTES + 1];
    bool good = texts && make_key(texts, key) &&
                asprintf(&revision->worktree, "%s/%s", worktrees->folder, key) >= 0 &&
                asprintf(&revision->log, "%s/%s.log", worktrees->folder, key) >= 0;
    int failure = errno;

    free(texts);
    return good || lauka_fail(error, LAUKA_EXIT_HOST, "cannot create a temporary file: %s",
                              strerror(failure));
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *walk)
{
    (void)about;
    (void)kind;
    (void)walk;
    return remove(path) == 0 || errno == ENOENT ? 0 : -1;
}

/* A build may have taken rights away from folders. */
static int allow_one(const char *path, const struct stat *about, int kind, struct FTW *walk)
{
    (void)walk;
    if (kind == FTW_D && (about->st_mode & S_IRWXU) != S_IRWXU)
        (void)chmod(path, 0700);
    return 0;
}

bool lauka_worktree_remove_tree(const char *path)
{
    struct stat about;

    if (lstat(path, &about) != 0)
        return errno == ENOENT;
    (void)nftw(path, allow_one, 20, FTW_PHYS);
    return nftw(path, remove_one, 20, FTW_PHYS | FTW_DEPTH) == 0;
}

/* Only this one: `git worktree prune` would also drop the user's worktrees whose disk is not mounted now. */
static void forget(const struct lauka_worktrees *worktrees, const char *path)
{
    const char *const words[] = {"worktree", "remove", "--force", "--force", path, NULL};
    struct lauka_error unknown; /* git may not know it */

    free(lauka_git_ask(&worktrees->git, worktrees->git.top, NULL, words, &unknown));
}

static bool remove_worktree(const struct lauka_worktrees *worktrees, const char *path,
                            struct lauka_error *error)
{
    if (!lauka_worktree_remove_tree(path))
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", path, strerror(errno));
    forget(worktrees, path);
    return true;
}

/* In two steps: if the first cannot finish, git itself would clean up, and the disk would not look full. */
static bool check_out(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                      struct lauka_error *error)
{
    const struct lauka_git *git = &worktrees->git;
    const char *const add[] = {"worktree",       "add",      "--force",       "--force",
                               "--quiet",        "--detach", "--no-checkout", revision->worktree,
                               revision->commit, NULL};
    /* All of the commit, also where the user has checked out a part of the tree. */
    static const char *const fill[] = {
        "-c", "core.sparseCheckout=false", "reset", "--hard", "--quiet", NULL};
    struct lauka_error why, complaint = {.text = ""};
    bool good = lauka_git_do(git, git->top, add, NULL, &why) &&
                lauka_git_do(git, revision->worktree, fill, &complaint, &why);

    if (*complaint.text)
        revision->complaint = strdup(complaint.text); /* without memory it is not told */
    if (good)
        return true;
    lauka_fail(error, why.code, "%.100s: %.800s%s", revision->name, why.text,
               lauka_worktrees_advise(worktrees));
    (void)lauka_worktree_remove_tree(revision->worktree);
    return false;
}

/* The one that corresponds to the user's. */
static bool check_folder(const struct lauka_worktrees *worktrees,
                         const struct lauka_revision *revision, struct lauka_error *error)
{
    char *folder = lauka_worktree_place(worktrees, revision, NULL);
    bool good = folder && access(folder, X_OK) == 0;

    free(folder);
    return good || lauka_fail(error, LAUKA_EXIT_USAGE, "%.200s has no folder %.200s",
                              revision->name, worktrees->git.prefix);
}

bool lauka_worktree_make(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                         struct lauka_error *error)
{
    bool good = lauka_worktree_unmark(revision, error) &&
                remove_worktree(worktrees, revision->worktree, error) &&
                check_out(worktrees, revision, error);

    return good && (revision->is_source || check_folder(worktrees, revision, error));
}

char *lauka_worktree_place(const struct lauka_worktrees *worktrees,
                           const struct lauka_revision *revision, const char *directory)
{
    const struct lauka_git *git = &worktrees->git;
    size_t length = strlen(git->top);
    char *path = NULL;
    bool inside = directory && strncmp(directory, git->top, length) == 0 &&
                  (directory[length] == '/' || !directory[length]);

    if (directory && !inside)
        return strdup(directory);
    if (asprintf(&path, "%s/%s", revision->worktree,
                 directory ? directory + length + (directory[length] == '/') : git->prefix) < 0)
        return NULL;
    for (size_t end = strlen(path); end > 0 && path[end - 1] == '/'; end--)
        path[end - 1] = '\0';
    return path;
}

/* Of the worktrees that git knows, those in the folder, and those of before the repository was moved. */
static bool clean_known(const struct lauka_worktrees *worktrees, struct lauka_error *error)
{
    static const char *const words[] = {"worktree", "list", "--porcelain", NULL};
    static const char start[] = "worktree ";
    char *text = lauka_git_ask(&worktrees->git, worktrees->git.top, NULL, words, error);
    char *folder = realpath(worktrees->folder, NULL), *rest = text;
    bool good = text != NULL;

    for (char *line; good && folder && (line = strtok_r(rest, "\n", &rest));) {
        const char *path = line + strlen(start);
        if (strncmp(line, start, strlen(start)) != 0)
            continue;
        bool behind = lauka_worktree_is_left_behind(folder, path);
        if (behind || (strncmp(path, folder, strlen(folder)) == 0 && path[strlen(folder)] == '/'))
            good = remove_worktree(worktrees, path, error);
        if (behind && good)
            lauka_worktree_remove_beside(path);
    }
    free(folder);
    free(text);
    return good;
}

bool lauka_worktrees_clean(struct lauka_worktrees *worktrees, struct lauka_error *error)
{
    return clean_known(worktrees, error) &&
           (lauka_worktree_remove_tree(worktrees->folder) ||
            lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", worktrees->folder, strerror(errno)));
}
