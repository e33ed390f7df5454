/* Whether a worktree is still what it was when it was built. The mark beside it knows what each tracked file was, and
 * each program that the build made: a command may have changed them since, and so may a person. Git's own index would
 * not do: flags hide files from it, and it believes times that anybody can set. */
#include "runner/revisions/revisions.h"
#include "runner/base/base.h"
#include "runner/command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- one file ---------------------------------------------------------------------------------------- */

struct state {
    char identity
        [120]; /* it differs after every change, as nobody can set the time of a change of status */
    char content[PATH_MAX + 100]; /* what git would store of it, and its rights */
    bool is_pointer;              /* of git-lfs, in place of the contents */
};

struct look {
    const char *worktree;
    char known[PATH_MAX]; /* a folder of it that is no link, as it was found last */
};

/* Whether all folders above it are folders. Through a link, the files of another place would be looked at. */
static bool has_way(struct look *look, const char *name)
{
    const char *end = strrchr(name, '/');
    size_t length = end ? (size_t)(end - name) : 0;
    char path[2 * PATH_MAX];
    struct stat about;

    if (length >= sizeof look->known)
        return false;
    if (strlen(look->known) == length && strncmp(look->known, name, length) == 0)
        return true;
    for (const char *slash = name; (slash = strchr(slash, '/')); slash++) {
        snprintf(path, sizeof path, "%s/%.*s", look->worktree, (int)(slash - name), name);
        if (lstat(path, &about) != 0 || !S_ISDIR(about.st_mode))
            return false;
    }
    snprintf(look->known, sizeof look->known, "%.*s", (int)length, name);
    return true;
}

/* The file has just been opened. */
static bool begins_as_pointer(FILE *file)
{
    static const char first[] = "version https://git-lfs.github.com/spec/v1\n";
    char text[sizeof first] = "";
    bool is =
        fread(text, 1, sizeof first - 1, file) == sizeof first - 1 && strcmp(text, first) == 0;

    rewind(file);
    return is;
}

static void put_bytes(const char *path, const struct stat *about, struct state *state)
{
    enum { POINTER_MOST = 1024 }; /* bytes */
    uint8_t digest[LAUKA_SHA256_SIZE];
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    size_t used = (size_t)snprintf(state->content, sizeof state->content, "file %o ",
                                   (unsigned)about->st_mode & 07777);

    state->is_pointer = file && about->st_size < POINTER_MOST && begins_as_pointer(file);
    if (file && lauka_sha256(file, digest))
        lauka_hex_put(digest, sizeof digest, state->content + used);
    else
        snprintf(state->content + used, sizeof state->content - used, "%s", strerror(errno));
    if (file)
        fclose(file);
    else if (descriptor >= 0)
        close(descriptor);
}

static void put_content(const char *path, const struct stat *about, struct state *state)
{
    state->is_pointer = false;
    if (S_ISREG(about->st_mode)) {
        put_bytes(path, about, state);
    } else if (S_ISLNK(about->st_mode)) {
        char target[PATH_MAX];
        ssize_t length = readlink(path, target, sizeof target);
        snprintf(state->content, sizeof state->content, "link %.*s", length > 0 ? (int)length : 0,
                 target);
    } else {
        snprintf(state->content, sizeof state->content, "other %o", (unsigned)about->st_mode);
    }
}

/* known: how it was, with the time when that was found; NULL: not known. Then, or if it may have changed since, its
 * content is read. */
static bool look_at(struct look *look, const char *name, const char *known, time_t at,
                    struct state *state)
{
    char path[2 * PATH_MAX];
    struct stat about;

    *state = (struct state){.identity = "none", .content = "none"};
    if ((size_t)snprintf(path, sizeof path, "%s/%s", look->worktree, name) >= sizeof path)
        return false;
    if (!has_way(look, name) || lstat(path, &about) != 0)
        return true;
    snprintf(state->identity, sizeof state->identity, "%ju %jd %jd %jd %o", (uintmax_t)about.st_ino,
             (intmax_t)about.st_size, (intmax_t)about.st_ctime, (intmax_t)about.st_mtime,
             (unsigned)about.st_mode);
    /* What was changed in the second in which it was looked at may have been changed again. */
    if (!known || strcmp(known, state->identity) != 0 || about.st_ctime + 1 >= at)
        put_content(path, &about, state);
    else
        *state->content = '\0';
    return true;
}

/* ---- the mark ---------------------------------------------------------------------------------------- */

/* The file that says that it is whole. */
static const char *mark_of(const struct lauka_worktrees *worktrees,
                           const struct lauka_revision *revision)
{
    return lauka_arena_print(worktrees->git.arena, "%s.built", revision->worktree);
}

bool lauka_worktree_unmark(const struct lauka_worktrees *worktrees,
                           const struct lauka_revision *revision, struct lauka_error *error)
{
    const char *mark = mark_of(worktrees, revision);

    if (!mark)
        return lauka_fail_memory(error);
    return unlink(mark) == 0 || errno == ENOENT ||
           lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", mark, strerror(errno));
}

struct pointers {
    size_t count;
    char first[200]; /* its name */
};

/* What somebody should know who reads the result; NULL: nothing, or no memory. */
static const char *word_remark(struct lauka_arena *arena, const struct lauka_revision *revision,
                               const struct pointers *pointers)
{
    const char *complaint = revision->complaint ? revision->complaint : "";
    char more[60] = "";

    if (pointers->count == 0)
        return revision->complaint;
    if (pointers->count > 1)
        snprintf(more, sizeof more, " (and %zu more)", pointers->count - 1);
    return lauka_arena_print(arena,
                             "%s%s%s%s is a pointer of git-lfs, not the contents: install git-lfs, "
                             "then run git lfs install, and git lfs fetch --all",
                             complaint, *complaint ? "; " : "", pointers->first, more);
}

static void put_entry(struct look *look, const char *name, FILE *to, struct pointers *pointers)
{
    struct state state;

    if (!look_at(look, name, NULL, 0, &state))
        return;
    if (state.is_pointer && pointers->count++ == 0)
        snprintf(pointers->first, sizeof pointers->first, "%.190s", name);
    fprintf(to, "%s%c%s%c%s%c", state.identity, 0, state.content, 0, name, 0);
}

/* Executables that git does not track, ignored ones among them. What else a build leaves may be a cache, or a log. Into
 * submodules, git looks only with an index that knows none of them, such as one that is not there. */
static void put_built(const struct lauka_worktrees *worktrees,
                      const struct lauka_revision *revision, struct look *look, FILE *to)
{
    static const char *const words[] = {"ls-files", "--others", "-z", NULL};
    struct lauka_error none;
    struct pointers no_pointers = {0};
    char path[2 * PATH_MAX];
    struct stat about;
    size_t size = 0;

    snprintf(path, sizeof path, "%s.modules", look->worktree);
    char *names = lauka_git_list(&worktrees->git, look->worktree,
                                 revision->has_submodules ? path : NULL, words, &size, &none);

    for (size_t at = 0; names && at < size; at += strlen(names + at) + 1) {
        int length = snprintf(path, sizeof path, "%s/%s", look->worktree, names + at);
        if ((size_t)length < sizeof path && lstat(path, &about) == 0 && S_ISREG(about.st_mode) &&
            (about.st_mode & 0111))
            put_entry(look, names + at, to, &no_pointers);
    }
    free(names);
}

/* All that is tracked, and what stands in its place by --workload: so many bytes, owned by the caller. NULL with the
 * error. Sets revision->remark. */
static char *look_at_all(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                         size_t *size, struct lauka_error *error)
{
    const struct lauka_git *git = &worktrees->git;
    const char *const words[] = {"ls-tree",     "-r",           "-z", "--name-only",
                                 "--full-tree", revision->tree, NULL};
    struct look look = {.worktree = revision->worktree};
    struct pointers pointers = {0};
    size_t length = 0;
    char *names = lauka_git_list(git, git->top, NULL, words, &length, error), *all = NULL;
    FILE *to = names ? open_memstream(&all, size) : NULL;

    for (size_t at = 0; to && at < length; at += strlen(names + at) + 1)
        put_entry(&look, names + at, to, &pointers);
    for (size_t i = 0; to && i < revision->module_file_count; i++)
        put_entry(&look, revision->module_files[i], to, &pointers);
    for (size_t i = 0; to && !revision->is_source && i < worktrees->workload_count; i++)
        put_entry(&look, worktrees->workloads[i].name, to, &pointers);
    if (to && !revision->is_source)
        put_built(worktrees, revision, &look, to);
    bool good = to && !ferror(to);
    if ((!to || fclose(to) != 0 || !good) && names) {
        lauka_fail_memory(error);
        free(all);
        all = NULL;
    }
    free(names);
    revision->remark = all ? word_remark(git->arena, revision, &pointers) : NULL;
    return all;
}

/* Begun before anything is looked at, as its time is compared with those of the files. NULL with errno. */
static FILE *begin_mark(const char *fresh, time_t *begun)
{
    int descriptor = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    struct stat about;

    if (file && ftruncate(descriptor, 0) == 0 && fstat(descriptor, &about) == 0) {
        *begun = about.st_ctime;
        return file;
    }
    if (file)
        fclose(file);
    else if (descriptor >= 0)
        close(descriptor);
    return NULL;
}

/* When it was begun, how many bytes follow the remark, the remark, and the files. */
static bool write_mark(FILE *file, time_t begun, const char *remark, const char *all, size_t size)
{
    fprintf(file, "%jd%c%zu%c%s%c", (intmax_t)begun, 0, size, 0, remark ? remark : "", 0);
    bool good = fwrite(all, 1, size, file) == size;

    return fclose(file) == 0 && good;
}

bool lauka_worktree_finish(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                           struct lauka_error *error)
{
    if (revision->lacks_submodule) { /* it may be there next time */
        lauka_worktree_remark(worktrees, revision);
        return true;
    }
    const char *mark = mark_of(worktrees, revision), *fresh;
    char *all = NULL;
    size_t size = 0;
    time_t begun = 0;

    if (!mark || !(fresh = lauka_arena_print(worktrees->git.arena, "%s.new", mark)))
        return lauka_fail_memory(error);
    FILE *file = begin_mark(fresh, &begun);
    bool looked = file && (all = look_at_all(worktrees, revision, &size, error)) != NULL;
    bool good =
        looked && write_mark(file, begun, revision->remark, all, size) && rename(fresh, mark) == 0;
    if (file && !looked)
        fclose(file);
    else if (!good)
        lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s%s", fresh, strerror(errno),
                   lauka_worktrees_advise(worktrees));
    free(all);
    return good;
}

/* ---- once more --------------------------------------------------------------------------------------- */

/* The next text of the mark. NULL at its end, or if there is no 0 behind it. */
static const char *next_text(const char **at, const char *end)
{
    const char *text = *at, *zero = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;

    *at = zero ? zero + 1 : end;
    return zero ? text : NULL;
}

/* The first file that is not what it was: *changed, within the mark; NULL: none. False: the mark is not whole. */
static bool find_changed(const struct lauka_revision *revision, const char *files, const char *end,
                         time_t begun, const char **changed)
{
    struct look look = {.worktree = revision->worktree};

    *changed = NULL;
    while (files < end && !*changed) {
        struct state state;
        const char *identity = next_text(&files, end), *content = next_text(&files, end),
                   *name = next_text(&files, end);
        if (!identity || !content || !name || !look_at(&look, name, identity, begun, &state))
            return false;
        if (*state.content && strcmp(state.content, content) != 0)
            *changed = name;
    }
    return true;
}

/* Builds and commands may ask git, which has to find the repository. */
static bool is_of(const struct lauka_worktrees *worktrees, const struct lauka_revision *revision)
{
    char *common = lauka_worktree_repository(revision->worktree);
    bool is = common && strcmp(common, worktrees->git.common) == 0;

    free(common);
    return is;
}

static bool is_same(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                    const char *mark, size_t size)
{
    const char *at = mark, *end = mark + size, *begun = next_text(&at, end),
               *length = next_text(&at, end), *remark = next_text(&at, end), *changed;
    char what[600];

    if (!remark || strtoull(length, NULL, 10) != (unsigned long long)(end - at) ||
        !find_changed(revision, at, end, (time_t)strtoll(begun, NULL, 10), &changed))
        return false; /* an interruption left it, or another lauka */
    if (changed || !is_of(worktrees, revision)) {
        if (changed)
            snprintf(what, sizeof what,
                     "%.300s was changed in its worktree since it was built; the worktree is made "
                     "anew",
                     changed);
        else
            snprintf(what, sizeof what,
                     "its worktree was of a repository that has moved; it is "
                     "made anew");
        lauka_revision_say(worktrees, revision, what);
        return false;
    }
    revision->remark = *remark ? lauka_arena_text(worktrees->git.arena, remark) : NULL;
    return true;
}

bool lauka_worktree_is_ready(const struct lauka_worktrees *worktrees,
                             struct lauka_revision *revision)
{
    const char *path = mark_of(worktrees, revision);
    size_t size = 0;
    struct lauka_error none;
    struct stat about;
    bool there = path && lstat(path, &about) == 0 && S_ISREG(about.st_mode) &&
                 lstat(revision->worktree, &about) == 0 && S_ISDIR(about.st_mode) &&
                 lauka_own_file_is_safe(path) && lauka_own_folder_is_safe(revision->worktree);
    char *mark = there ? lauka_file_read(path, &size, &none) : NULL;
    bool ready = mark && is_same(worktrees, revision, mark, size);

    free(mark);
    return ready;
}

/* ---- whose it is ------------------------------------------------------------------------------------- */

/* "gitdir: REPOSITORY/worktrees/NAME" is in the file .git of each worktree. */
char *lauka_worktree_repository(const char *worktree)
{
    static const char start[] = "gitdir: ", middle[] = "/worktrees/";
    char path[PATH_MAX + 8], *found = NULL, *cut = NULL;
    size_t size = 0;
    struct stat about;
    struct lauka_error none;

    snprintf(path, sizeof path, "%.*s/.git", PATH_MAX, worktree);
    char *text = lstat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size < PATH_MAX
                     ? lauka_file_read(path, &size, &none)
                     : NULL;
    if (text && size > sizeof start && memcmp(text, start, sizeof start - 1) == 0) {
        snprintf(path, sizeof path, "%.*s", (int)(size - (sizeof start - 1)),
                 text + sizeof start - 1);
        path[strcspn(path, "\n")] = '\0';
        found = *path == '/' ? realpath(path, NULL) : NULL;
    }
    free(text);
    for (char *next = found; next && (next = strstr(next, middle)); next++)
        cut = next;
    if (cut) {
        *cut = '\0';
        return found;
    }
    free(found);
    return NULL;
}

void lauka_worktree_remark(const struct lauka_worktrees *worktrees, struct lauka_revision *revision)
{
    size_t size;
    struct lauka_error none;

    free(look_at_all(worktrees, revision, &size, &none));
}
