/* --workload: files that are the same for all sides, in place of what a revision has there. A side gets a link to
 * them; nothing is followed on the way to where it stands, as that could lead out of the worktree. */
#include "runner/revisions/revisions.h"
#include "runner/base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where it stands --------------------------------------------------------------------------------- */

/* Appends the parts of a path; ".." takes one away. False where there is none left. */
static bool append(char *path, const char *text)
{
    size_t length;

    for (; *text; text += length) {
        text += strspn(text, "/");
        length = strcspn(text, "/");
        if (length == 0 || (length == 1 && *text == '.'))
            continue;
        if (length == 2 && strncmp(text, "..", 2) == 0) {
            char *slash = strrchr(path, '/');
            if (!*path)
                return false;
            *(slash ? slash : path) = '\0';
            continue;
        }
        size_t used = strlen(path);
        snprintf(path + used, length + 2, "%s%.*s", used > 0 ? "/" : "", (int)length, text);
    }
    return true;
}

/* "src/big.txt": below the top of the repository. Owned by the caller; NULL with the error. */
static char *find_name(const struct lauka_git *git, const char *path, struct lauka_error *error)
{
    size_t top = strlen(git->top);
    bool whole = *path == '/';
    char *name = calloc(1, strlen(git->prefix) + strlen(path) + 3);
    bool inside = !whole || (strncmp(path, git->top, top) == 0 && path[top] == '/');

    if (!name) {
        lauka_fail_memory(error);
        return NULL;
    }
    inside = inside && (whole || append(name, git->prefix)) && append(name, path + whole * top);
    if (inside && *name)
        return name;
    free(name);
    lauka_fail(error, LAUKA_EXIT_USAGE,
               "--workload %.300s: it is %s; a file elsewhere needs no --workload: name it by its "
               "whole path in the command",
               path, inside ? "the whole repository" : "outside of the repository");
    return NULL;
}

/* ---- what it is -------------------------------------------------------------------------------------- */

static bool find_source(const struct lauka_worktrees *worktrees, const char *text, size_t length,
                        struct lauka_workload *workload, struct lauka_error *error)
{
    struct lauka_revision *source = &workload->source;
    char name[1000];

    snprintf(name, sizeof name, "%.*s", (int)length, text);
    if (!lauka_revision_resolve(&worktrees->git, worktrees->folder, name, source, error))
        return false;
    source->is_source = true;
    if (!lauka_worktree_find(worktrees, source, error))
        return false;
    if (asprintf(&workload->from, "%s/%s", source->worktree, workload->name) < 0) {
        workload->from = NULL;
        return lauka_fail_memory(error);
    }
    return true;
}

static bool take(const struct lauka_worktrees *worktrees, const char *text,
                 struct lauka_workload *workload, struct lauka_error *error)
{
    const char *colon = access(text, F_OK) == 0 ? NULL : strchr(text, ':');

    workload->text = text;
    workload->name = find_name(&worktrees->git, colon ? colon + 1 : text, error);
    if (!workload->name)
        return false;
    if (colon)
        return find_source(worktrees, text, (size_t)(colon - text), workload, error);
    workload->from = realpath(text, NULL);
    return workload->from ||
           lauka_fail(error, LAUKA_EXIT_USAGE, "--workload %.300s: %s", text, strerror(errno));
}

bool lauka_workloads_open(struct lauka_worktrees *worktrees, struct lauka_error *error)
{
    const struct lauka_texts *texts = &worktrees->options->workloads;

    worktrees->workloads = calloc(texts->count + 1, sizeof *worktrees->workloads);
    if (!worktrees->workloads)
        return lauka_fail_memory(error);
    for (size_t i = 0; i < texts->count; i++)
        if (!take(worktrees, texts->texts[i], &worktrees->workloads[worktrees->workload_count++],
                  error))
            return false;
    return true;
}

bool lauka_workloads_make(const struct lauka_worktrees *worktrees, struct lauka_error *error)
{
    for (size_t i = 0; i < worktrees->workload_count; i++) {
        struct lauka_workload *workload = &worktrees->workloads[i];
        struct lauka_revision *source = &workload->source;
        if (source->worktree && !lauka_worktree_is_ready(worktrees, source) &&
            !(lauka_worktree_make(worktrees, source, error) &&
              lauka_worktree_finish(worktrees, source, error)))
            return false;
        if (source->worktree && !lauka_worktree_check(source, workload->from, error))
            return false;
        if (access(workload->from, F_OK) != 0)
            return lauka_fail(error, LAUKA_EXIT_USAGE, "--workload %.300s: %.300s has no %.300s",
                              workload->text, source->name, workload->name);
    }
    return true;
}

void lauka_workloads_close(struct lauka_worktrees *worktrees)
{
    for (size_t i = 0; i < worktrees->workload_count; i++) {
        struct lauka_workload *workload = &worktrees->workloads[i];
        lauka_revision_done(&workload->source);
        free(workload->name);
        free(workload->from);
    }
    free(worktrees->workloads);
    worktrees->workloads = NULL;
    worktrees->workload_count = 0;
}

/* ---- in a worktree ----------------------------------------------------------------------------------- */

/* The folders above it. A link among them could lead to a place of the user's. */
static bool make_way(const struct lauka_revision *revision, const struct lauka_workload *workload,
                     char *path, struct lauka_error *error)
{
    char *from = path + strlen(revision->worktree) + 1;

    for (char *slash = from; (slash = strchr(slash, '/')); *slash++ = '/') {
        struct stat about;
        *slash = '\0';
        if (lstat(path, &about) != 0 ? mkdir(path, 0700) == 0 : S_ISDIR(about.st_mode))
            continue;
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--workload %.300s: in %.100s, %.300s is a file or a link, not a folder; "
                          "type the whole path of that file in the command",
                          workload->text, revision->name, from);
    }
    return true;
}

bool lauka_workload_put(const struct lauka_workload *workload,
                        const struct lauka_revision *revision, struct lauka_error *error)
{
    char *path = NULL;

    if (asprintf(&path, "%s/%s", revision->worktree, workload->name) < 0)
        return lauka_fail_memory(error);
    bool good = make_way(revision, workload, path, error) &&
                ((lauka_tree_remove(path) && symlink(workload->from, path) == 0) ||
                 lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", path, strerror(errno)));
    free(path);
    return good;
}
