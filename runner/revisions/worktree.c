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

/* The lock is inherited by builds, so that what an interrupted lauka has left running is waited for. */
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
    if (!lauka_git_open(&worktrees->git, error))
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
    if (worktrees->lock >= 0)
        close(worktrees->lock);
    worktrees->lock = -1;
    lauka_git_close(&worktrees->git);
    free(worktrees->folder);
    worktrees->folder = NULL;
}

/* ---- one worktree ------------------------------------------------------------------------------------ */

bool lauka_worktree_find(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                         struct lauka_error *error)
{
    const struct lauka_options *options = worktrees->options;
    const char *texts[40] = {revision->tree, options->build ? options->build : "",
                             worktrees->git.prefix};
    char key[2 * KEY_BYTES + 1];

    for (size_t i = 0; i < options->workloads.count && i < 30; i++)
        texts[3 + i] = options->workloads.texts[i];
    if (!make_key(texts, key) ||
        asprintf(&revision->worktree, "%s/%s", worktrees->folder, key) < 0 ||
        asprintf(&revision->log, "%s/%s.log", worktrees->folder, key) < 0)
        return lauka_fail(error, LAUKA_EXIT_HOST, "cannot create a temporary file: %s",
                          strerror(errno));
    return true;
}

/* The file that says that it is whole. Owned by the caller. */
static char *mark_of(const struct lauka_revision *revision)
{
    char *path = NULL;

    return asprintf(&path, "%s.built", revision->worktree) < 0 ? NULL : path;
}

bool lauka_worktree_is_ready(const struct lauka_revision *revision)
{
    char *mark = mark_of(revision);
    bool ready = mark && access(mark, F_OK) == 0 && access(revision->worktree, F_OK) == 0;

    free(mark);
    return ready;
}

int lauka_worktree_finish(const struct lauka_revision *revision)
{
    char *mark = mark_of(revision);
    int file = mark ? open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    int failure = file < 0 ? errno : 0;

    if (file >= 0)
        close(file);
    free(mark);
    return failure;
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

static bool remove_tree(const char *path)
{
    struct stat about;

    if (lstat(path, &about) != 0)
        return errno == ENOENT;
    (void)nftw(path, allow_one, 20, FTW_PHYS);
    return nftw(path, remove_one, 20, FTW_PHYS | FTW_DEPTH) == 0;
}

static bool remove_worktree(const struct lauka_worktrees *worktrees,
                            const struct lauka_revision *revision, struct lauka_error *error)
{
    static const char *const prune[] = {"worktree", "prune", NULL};
    char *mark = mark_of(revision);

    if (mark)
        unlink(mark);
    free(mark);
    if (!remove_tree(revision->worktree))
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", revision->worktree,
                          strerror(errno));
    char *done = lauka_git_ask(&worktrees->git, worktrees->git.top, NULL, prune, error);
    free(done);
    return done != NULL;
}

/* What a name of a workload leads to, in the user's checkout, or in the folder of those of revisions. */
static char *extract(const struct lauka_worktrees *worktrees, const char *text, size_t colon,
                     struct lauka_error *error)
{
    char *path = NULL, *name = NULL;
    const char *const texts[] = {worktrees->git.prefix, text, NULL};
    char key[2 * KEY_BYTES + 1];
    struct lauka_error why;

    if (!make_key(texts, key) || asprintf(&path, "%s/%s.workload", worktrees->folder, key) < 0 ||
        asprintf(&name, "%.*s:%s%s", (int)colon, text, worktrees->git.prefix, text + colon + 1) <
            0) {
        lauka_fail_memory(error);
        return NULL;
    }
    const char *const words[] = {"cat-file", "blob", name, NULL};
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool good = file >= 0 && lauka_git_write(&worktrees->git, ".", NULL, words, file, &why);
    if (!good) {
        lauka_fail(error, LAUKA_EXIT_USAGE, "--workload %.200s: %.600s", text,
                   file < 0 ? strerror(errno) : why.text);
        free(path);
        path = NULL;
    }
    if (file >= 0)
        close(file);
    free(name);
    return path;
}

/* PATH or REV:PATH: the same for all sides, in place of what the revision has there. */
static bool put_workload(const struct lauka_worktrees *worktrees,
                         const struct lauka_revision *revision, const char *text,
                         struct lauka_error *error)
{
    const char *colon = strchr(text, ':'), *name = colon ? colon + 1 : text;
    char *from =
        colon ? extract(worktrees, text, (size_t)(colon - text), error) : realpath(text, NULL);
    char *folder = lauka_worktree_place(worktrees, revision, NULL), *to = NULL;
    bool good = from && folder && asprintf(&to, "%s/%s", folder, name) >= 0;

    if (!from && !colon)
        lauka_fail(error, LAUKA_EXIT_USAGE, "--workload %.300s: %s", text, strerror(errno));
    char *slash = good ? strrchr(to, '/') : NULL;
    if (slash && slash > to + strlen(folder)) {
        *slash = '\0';
        good = make_folders(to, error);
        *slash = '/';
    }
    good = good && (remove_tree(to) && symlink(from, to) == 0
                        ? true
                        : lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", to, strerror(errno)));
    free(from);
    free(folder);
    free(to);
    return good;
}

static bool check_out(const struct lauka_worktrees *worktrees,
                      const struct lauka_revision *revision, struct lauka_error *error)
{
    const char *const words[] = {"worktree",       "add",     "--force",
                                 "--detach",       "--quiet", revision->worktree,
                                 revision->commit, NULL};
    char *done = lauka_git_ask(&worktrees->git, worktrees->git.top, NULL, words, error);

    free(done);
    return done != NULL;
}

bool lauka_worktree_make(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                         struct lauka_error *error)
{
    const struct lauka_texts *workloads = &worktrees->options->workloads;
    bool good =
        remove_worktree(worktrees, revision, error) && check_out(worktrees, revision, error);
    char *folder = good ? lauka_worktree_place(worktrees, revision, NULL) : NULL;

    if (folder && access(folder, X_OK) != 0)
        good = lauka_fail(error, LAUKA_EXIT_USAGE, "%.200s has no folder %.200s", revision->name,
                          worktrees->git.prefix);
    free(folder);
    for (size_t i = 0; i < workloads->count && good; i++)
        good = put_workload(worktrees, revision, workloads->texts[i], error);
    return good;
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

bool lauka_worktrees_clean(struct lauka_worktrees *worktrees, struct lauka_error *error)
{
    static const char *const prune[] = {"worktree", "prune", NULL};

    if (!remove_tree(worktrees->folder))
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", worktrees->folder, strerror(errno));
    char *done = lauka_git_ask(&worktrees->git, worktrees->git.top, NULL, prune, error);
    free(done);
    return done != NULL;
}
