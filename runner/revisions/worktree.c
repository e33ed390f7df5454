/* The cache of worktrees: one for each set of files and each way to build them, at paths of equal length, as
 * the length of a path may make a program faster or slower. A worktree is whole where a file beside it says
 * so, which is written last: what an interruption left is made anew. */
#include "runner/revisions/revisions.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what git writes for a commit depends on more than the commit ------------------------------ */

/* A worktree that was made under other settings is another one, so these are a part of its name. */

extern char **environ;

/* Line ends, links, rights, encodings, and whatever filters there are. */
static const char asked[] = "^(core\\.(autocrlf|eol|symlinks|filemode|ignorecase|precomposeunicode|"
                            "attributesfile|checkroundtripencoding|bigfilethreshold)|filter\\..*|"
                            "lfs\\.(fetchinclude|fetchexclude|skipdownloaderrors))$";

/* A file, by what can be seen without reading it. */
static void put_file(const char *path, FILE *to)
{
    struct stat about;

    if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
        fprintf(to, "%s %jd %jd %ju\n", path, (intmax_t)about.st_size, (intmax_t)about.st_mtime,
                (uintmax_t)about.st_ino);
}

/* The programs and files that a filter's command names: one that is installed later, or is changed, writes other
 * files. */
static void put_programs(const char *command, FILE *to)
{
    static const char marks[] = " \t\n'\"=;|&<>()";
    char *words = strdup(command), *rest = words, path[PATH_MAX];

    for (char *word; words && (word = strtok_r(rest, marks, &rest));)
        if (*word == '/')
            put_file(word, to);
        else if (!strchr(word, '/') && lauka_child_find(word, path, sizeof path))
            put_file(path, to);
    free(words);
}

/* "NAME\nVALUE" with a 0 behind each. */
static void put_settings(const struct lauka_git *git, FILE *to)
{
    static const char *const words[] = {"config", "--null", "--get-regexp", asked, NULL};
    struct lauka_error unset;
    size_t size = 0;
    char *list = lauka_git_list(git, git->top, NULL, words, &size, &unset);

    for (size_t at = 0; list && at < size; at += strlen(list + at) + 1) {
        const char *value = strchr(list + at, '\n');
        fprintf(to, "%s\n", list + at);
        if (value && strncmp(list + at, "filter.", strlen("filter.")) == 0)
            put_programs(value + 1, to);
    }
    free(list);
}

/* Beside those of the commit itself. */
static void put_attributes(const char *path, FILE *to)
{
    uint8_t digest[LAUKA_SHA256_SIZE];
    char hex[2 * sizeof digest + 1];
    struct stat about;

    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || !lauka_executable_hash(path, digest))
        return;
    fprintf(to, "attributes %s\n", lauka_hex_put(digest, sizeof digest, hex));
}

static void put_all_attributes(const struct lauka_git *git, FILE *to)
{
    static const char *const words[] = {"config", "--type=path", "--get", "core.attributesFile",
                                        NULL};
    const char *settings = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    struct lauka_error unset;
    const char *own = lauka_git_ask(git, git->top, NULL, words, &unset);
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%.4000s/info/attributes", git->common);
    put_attributes(path, to);
    if (own)
        snprintf(path, sizeof path, "%.4000s", own);
    else if (settings && *settings)
        snprintf(path, sizeof path, "%.4000s/git/attributes", settings);
    else
        snprintf(path, sizeof path, "%.4000s/.config/git/attributes", home ? home : "");
    put_attributes(path, to);
    put_attributes("/etc/gitattributes", to);
}

static void put_replaced(const struct lauka_git *git, FILE *to)
{
    static const char *const words[] = {"for-each-ref", "--format=%(refname) %(objectname)",
                                        "refs/replace/", NULL};
    struct lauka_error none;
    const char *text = lauka_git_ask(git, git->top, NULL, words, &none);

    fprintf(to, "%s\n", text ? text : "");
}

static void put_variables(FILE *to)
{
    static const char *const starts[] = {"GIT_ATTR_", "GIT_LFS_", "GIT_NO_REPLACE_",
                                         "GIT_REPLACE_"};

    for (char **variable = environ; variable && *variable; variable++)
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
            if (strncmp(*variable, starts[i], strlen(starts[i])) == 0)
                fprintf(to, "%s\n", *variable);
}

/* A text that differs if git would write other files for the same commit: settings, attributes, programs of
 * filters, replaced objects. Of the arena; NULL with the error. */
static const char *git_settings(const struct lauka_git *git, struct lauka_error *error)
{
    char *text = NULL, *own = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to) {
        lauka_fail_memory(error);
        return NULL;
    }
    put_settings(git, to);
    put_all_attributes(git, to);
    put_replaced(git, to);
    put_variables(to);
    bool good = !ferror(to);
    if (fclose(to) == 0 && good)
        own = lauka_arena_text(git->arena, text);
    free(text);
    if (!own)
        lauka_fail_memory(error);
    return own;
}

/* ---- folders ----------------------------------------------------------------------------------------- */

/* "3f2a…", of texts with a 0 behind each. */
static bool make_key(const char *const *texts, char key[2 * LAUKA_WORKTREE_KEY_BYTES + 1])
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
    if (good)
        lauka_hex_put(digest, LAUKA_WORKTREE_KEY_BYTES, key);
    return good;
}

/* Where programs lie that lauka executes, nobody else may have written. The cache may be a link; the folder in it is
 * none, as it is removed with all that is in it. */
static const char *make_folder(struct lauka_arena *arena, const char *cache, const char *key,
                               bool *is_exposed, struct lauka_error *error)
{
    struct lauka_error why;
    char *above = lauka_own_folder_make(cache, is_exposed, &why), *folder = NULL;
    const char *path = above ? lauka_arena_print(arena, "%s/%.12s", above, key) : NULL;

    if (path)
        folder = lauka_own_folder_make(path, is_exposed, &why);
    else if (above)
        lauka_fail_memory(&why);
    const bool good = folder && strcmp(folder, path) == 0;
    if (good)
        (void)chmod(folder, 0700); /* one of root's is as root likes it */
    else
        lauka_fail(error, LAUKA_EXIT_HOST,
                   "%.800s%s: worktrees are built and executed there; set XDG_CACHE_HOME to a "
                   "folder of your own",
                   folder ? path : why.text, folder ? " is a link" : "");
    free(folder);
    free(above);
    return good ? path : NULL;
}

static void warn_exposed(const struct lauka_worktrees *worktrees)
{
    if (!worktrees->options->quiet && !worktrees->options->run.clean)
        fprintf(stderr,
                "lauka: no worktree is used again, as other users may write to a folder above "
                "%.600s; XDG_CACHE_HOME can name another place\n",
                worktrees->folder);
}

/* The descriptor, -1 with errno. */
static int open_lock(const char *path)
{
    int lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    struct stat about;

    if (lock < 0 ||
        (fstat(lock, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid()))
        return lock;
    close(lock);
    errno = EPERM;
    return -1;
}

/* Keepers inherit the lock, and what they start does not: after an interrupted lauka its builds are waited for, and
 * servers that they left running are not. */
static bool take_lock(struct lauka_worktrees *worktrees, struct lauka_error *error)
{
    const char *path = lauka_arena_print(worktrees->git.arena, "%s/lock", worktrees->folder);

    if (!path)
        return lauka_fail_memory(error);
    worktrees->lock = open_lock(path);
    if (worktrees->lock < 0)
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.600s/lock: %s", worktrees->folder,
                          strerror(errno));
    if (flock(worktrees->lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    fprintf(stderr,
            "lauka: another session is building worktrees of this repository; waiting for it\n");
    while (flock(worktrees->lock, LOCK_EX) != 0)
        if (errno != EINTR || lauka_interrupt_signal())
            return lauka_fail(error, lauka_interrupt_exit(),
                              "interrupted while waiting for another session");
    return true;
}

bool lauka_worktrees_open(struct lauka_worktrees *worktrees, const struct lauka_options *options,
                          struct lauka_error *error)
{
    char key[2 * LAUKA_WORKTREE_KEY_BYTES + 1];

    *worktrees = (struct lauka_worktrees){.options = options, .lock = -1};
    if (!lauka_git_open(&worktrees->git, options->arena, options->run.allow_filters, error) ||
        !lauka_withheld_find(&worktrees->git, error) ||
        !(worktrees->settings = git_settings(&worktrees->git, error)))
        return false;
    char *cache = lauka_user_folder("XDG_CACHE_HOME", ".cache", "revisions");
    if (!cache)
        return lauka_fail(error, LAUKA_EXIT_HOST,
                          "lauka revisions keeps worktrees in $XDG_CACHE_HOME, or below $HOME: "
                          "neither is set");
    const char *const texts[] = {worktrees->git.common, NULL};
    bool is_exposed = false;
    if (make_key(texts, key))
        worktrees->folder = make_folder(options->arena, cache, key, &is_exposed, error);
    else
        lauka_fail(error, LAUKA_EXIT_HOST, "cannot create a temporary file: %s", strerror(errno));
    free(cache);
    if (is_exposed && worktrees->folder)
        warn_exposed(worktrees);
    return worktrees->folder && take_lock(worktrees, error);
}

void lauka_worktrees_close(struct lauka_worktrees *worktrees)
{
    if (worktrees->lock >= 0)
        close(worktrees->lock);
    worktrees->lock = -1;
}

/* ---- one worktree ------------------------------------------------------------------------------------ */

/* What identifies a worktree. NULL if there is no memory. */
static const char **texts_of(const struct lauka_worktrees *worktrees,
                             const struct lauka_revision *revision)
{
    const char **texts =
        lauka_arena_take(worktrees->git.arena, (2 * worktrees->workload_count + 5) * sizeof *texts);
    size_t count = 0;

    if (!texts)
        return NULL;
    texts[count++] = revision->tree;
    texts[count++] = worktrees->settings;
    if (revision->is_source)
        return texts;
    texts[count++] = worktrees->options->run.build ? worktrees->options->run.build : "";
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
    char key[2 * LAUKA_WORKTREE_KEY_BYTES + 1];
    struct lauka_arena *arena = worktrees->git.arena;

    return (texts && make_key(texts, key) &&
            (revision->worktree = lauka_arena_print(arena, "%s/%s", worktrees->folder, key)) &&
            (revision->log = lauka_arena_print(arena, "%s.log", revision->worktree))) ||
           lauka_fail(error, LAUKA_EXIT_HOST, "cannot create a temporary file: %s",
                      strerror(errno));
}

/* Only this one: `git worktree prune` would also drop the user's worktrees whose disk is not mounted now. */
static void forget(const struct lauka_worktrees *worktrees, const char *path)
{
    const char *const words[] = {"worktree", "remove", "--force", "--force", path, NULL};
    struct lauka_error unknown; /* git may not know it */

    (void)lauka_git_ask(&worktrees->git, worktrees->git.top, NULL, words, &unknown);
}

/* Removes a worktree, of whose path git may know. */
static bool worktree_remove(const struct lauka_worktrees *worktrees, const char *path,
                            struct lauka_error *error)
{
    if (!lauka_tree_remove(path))
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
    bool good = lauka_git_do(git, git->top, add, NULL, &why);

    if (good && !lauka_withheld_check(git, revision->worktree, LAUKA_FILTERING_OUT, revision->name,
                                      error)) {
        (void)worktree_remove(worktrees, revision->worktree, &why);
        return false;
    }
    (void)chmod(revision->worktree, 0755); /* whatever the umask is */
    good = good && lauka_git_do(git, revision->worktree, fill, &complaint, &why);

    if (*complaint.text)
        revision->complaint =
            lauka_arena_text(git->arena, complaint.text); /* without memory it is not told */
    if (good) {
        lauka_submodules_put(worktrees, revision);
        return true;
    }
    lauka_fail(error, why.code, "%.100s: %.800s%s", revision->name, why.text,
               lauka_worktrees_advise(worktrees));
    (void)lauka_tree_remove(revision->worktree);
    return false;
}

/* ---- folders in it -------------------------------------------------------------------------------------- */

char *lauka_worktree_place(const struct lauka_worktrees *worktrees,
                           const struct lauka_revision *revision, const char *directory)
{
    const struct lauka_git *git = &worktrees->git;
    size_t length = strlen(git->top);

    if (directory && !lauka_path_is_in(directory, git->top))
        return lauka_arena_text(git->arena, directory);
    char *path = lauka_arena_print(git->arena, "%s/%s", revision->worktree,
                                   directory ? directory + length + (directory[length] == '/')
                                             : git->prefix);
    for (size_t end = path ? strlen(path) : 0; end > 0 && path[end - 1] == '/'; end--)
        path[end - 1] = '\0';
    return path;
}

/* Whether what lies at the path is inside of the worktree. What is not there yet is where its folder is. */
static bool is_inside(const struct lauka_revision *revision, const char *path)
{
    char *rest = strdup(path), *real = NULL, *slash;
    struct stat about;

    while (rest && !(real = realpath(rest, NULL)) && lstat(rest, &about) != 0 &&
           (slash = strrchr(rest, '/')) && slash > rest)
        *slash = '\0';
    bool inside = real && lauka_path_is_in(real, revision->worktree);
    free(real);
    free(rest);
    return inside;
}

bool lauka_worktree_check(const struct lauka_revision *revision, const char *path,
                          struct lauka_error *error)
{
    size_t length = strlen(revision->worktree);

    return !lauka_path_is_in(path, revision->worktree) || is_inside(revision, path) ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "%.100s: its folder %.300s is not in its worktree: a link leads out of it, "
                      "and nothing runs outside",
                      revision->name, path[length] ? path + length + 1 : ".");
}

/* A program is looked up from there, and --link builds it. It may be a link itself, as those of the system are. */
static bool check_program(const struct lauka_revision *revision,
                          const struct lauka_command *command, struct lauka_error *error)
{
    const char *name = command->argv[0], *slash = strrchr(name, '/');

    if (*name == '/' || !slash)
        return true;
    const char *folder =
        lauka_arena_print(command->arena, "%s/%.*s", command->directory, (int)(slash - name), name);
    return folder ? lauka_worktree_check(revision, folder, error) : lauka_fail_memory(error);
}

bool lauka_worktree_check_command(const struct lauka_revision *revision,
                                  const struct lauka_command *command, struct lauka_error *error)
{
    return lauka_worktree_check(revision, command->directory, error) &&
           check_program(revision, command, error);
}

/* The one that corresponds to the user's. */
static bool check_folder(const struct lauka_worktrees *worktrees,
                         const struct lauka_revision *revision, struct lauka_error *error)
{
    const char *folder = lauka_worktree_place(worktrees, revision, NULL);

    if (!folder)
        return lauka_fail_memory(error);
    return lauka_worktree_check(revision, folder, error) &&
           (access(folder, X_OK) == 0 ||
            lauka_fail(error, LAUKA_EXIT_USAGE, "%.200s has no folder %.200s", revision->name,
                       worktrees->git.prefix));
}

/* ---- making and removing it ----------------------------------------------------------------------------- */

bool lauka_worktree_make(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                         struct lauka_error *error)
{
    bool good = lauka_worktree_unmark(worktrees, revision, error) &&
                worktree_remove(worktrees, revision->worktree, error) &&
                check_out(worktrees, revision, error);

    return good && (revision->is_source || check_folder(worktrees, revision, error));
}

/* ---- clean ------------------------------------------------------------------------------------- */

/* Removing worktrees: all of a repository, and those that it left behind when it was moved, in the folder of
 * its old place. */

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
static bool has_only_lock(struct lauka_arena *arena, const char *folder)
{
    char *const *names = lauka_folder_names(arena, folder);

    return names && (!*names || (strcmp(*names, "lock") == 0 && !names[1]));
}

/* Removes what stands beside such a worktree, and its folder once there is nothing else. */
static void remove_beside(struct lauka_arena *arena, const char *path)
{
    static const char *const ends[] = {".log", ".built"};
    char name[4200];

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(name, sizeof name, "%.4000s%s", path, ends[i]);
        (void)unlink(name);
    }
    int length = (int)(strrchr(path, '/') - path);
    snprintf(name, sizeof name, "%.*s", length, path);
    if (!has_only_lock(arena, name))
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
    char *rest = lauka_git_ask(&worktrees->git, worktrees->git.top, NULL, words, error);
    bool good = rest != NULL;

    for (char *line; good && (line = strtok_r(rest, "\n", &rest));) {
        const char *path = line + strlen(start);
        if (strncmp(line, start, strlen(start)) != 0)
            continue;
        bool behind = is_left_behind(worktrees->folder, path);
        if (behind || is_own(worktrees, path))
            good = worktree_remove(worktrees, path, error);
        if (behind && good)
            remove_beside(worktrees->git.arena, path);
    }
    return good;
}

bool lauka_worktrees_clean(struct lauka_worktrees *worktrees, struct lauka_error *error)
{
    return clean_known(worktrees, error) &&
           (lauka_tree_remove(worktrees->folder) ||
            lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", worktrees->folder, strerror(errno)));
}
