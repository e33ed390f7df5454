/* Submodules of a revision: their files are written into its worktree, at the commit that the revision names, from the
 * objects that `git submodule update` has put into the repository. Nothing is fetched, and no setting of a submodule is
 * read: the superproject's git reads its objects, as if they were its own. */
#include "runner/revisions/revisions.h"
#include "runner/base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 8, PATH_ROOM = 4200, TEXT_ROOM = 4400 };

/* What contains submodules: the revision, or a submodule of it. */
struct container {
    const struct lauka_git *whole,
        *git; /* the revision's; and that knows its objects; borrowed, as all else */
    const char *commit;
    const char *path;    /* in the worktree: "" or "deps/parser/" */
    const char *modules; /* the folder with the repositories of its submodules */
    unsigned depth;
};

/* One entry of a container's tree. */
struct entry {
    const char *commit, *path; /* the path in the container */
};

/* ---- where its objects are ------------------------------------------------------------------------------ */

/* The name of the submodule at this path, by .gitmodules: "submodule.NAME.path\nPATH". Of the arena; NULL: it is
 * not there. */
static const char *find_name(const struct container *in, const char *directory, const char *path)
{
    static const char start[] = "submodule.", end[] = ".path";
    char blob[200];
    const char *name = NULL;
    const char *const words[] = {
        "config", "--blob", blob, "-z", "--get-regexp", "^submodule\\..*\\.path$", NULL};
    struct lauka_error ignored;
    size_t size = 0;

    snprintf(blob, sizeof blob, "%.100s:.gitmodules", in->commit);
    char *list = lauka_git_list(in->git, directory, NULL, words, &size, &ignored);
    for (char *at = list; list && !name && at < list + size; at += strlen(at) + 1) {
        char *value = strchr(at, '\n');
        size_t key = value ? (size_t)(value - at) : 0;
        if (key > strlen(start) + strlen(end) && strcmp(value + 1, path) == 0)
            name = lauka_arena_piece(in->git->arena, at + strlen(start),
                                     key - strlen(start) - strlen(end));
    }
    free(list);
    return name;
}

/* Its repository: below the container's, or, as old versions of git have it, in the checkout. */
static bool find_repository(const struct container *in, const char *directory,
                            const struct entry *entry, char repository[PATH_ROOM])
{
    const char *name = find_name(in, directory, entry->path);
    char objects[TEXT_ROOM];
    bool found = false;

    if (name && lauka_path_is_below(name)) { /* git does not use other names either */
        snprintf(repository, PATH_ROOM, "%.2000s/%.2000s", in->modules, name);
        snprintf(objects, sizeof objects, "%s/objects", repository);
        found = lauka_folder_exists(objects);
    }
    if (!found && in->depth == 0) {
        snprintf(repository, PATH_ROOM, "%.2000s/%.2000s/.git", in->git->top, entry->path);
        snprintf(objects, sizeof objects, "%s/objects", repository);
        found = lauka_folder_exists(objects);
    }
    return found && !strpbrk(repository, ":\"\n"); /* what separates and quotes paths of objects */
}

/* ---- its files ------------------------------------------------------------------------------------------ */

/* They are changed as seldom as all other files, so that the worktree can be used again. */
static bool keep_names(const struct lauka_git *git, const char *index,
                       struct lauka_revision *revision)
{
    static const char *const words[] = {"ls-files", "--cached", "-z", NULL};
    struct lauka_error ignored;
    size_t size = 0;
    char *names = lauka_git_list(git, revision->worktree, index, words, &size, &ignored);
    bool good = names != NULL;

    for (size_t at = 0; good && at < size; at += strlen(names + at) + 1)
        good =
            lauka_arena_add_text(git->arena, &revision->module_files, &revision->module_file_count,
                                 lauka_arena_text(git->arena, names + at));
    free(names);
    return good;
}

static bool write_files(const struct lauka_git *git, const char *commit, const char *path,
                        struct lauka_revision *revision)
{
    char index[PATH_ROOM], prefix[PATH_ROOM];
    const char *const read[] = {"read-tree", prefix, commit, NULL};
    const char *const fill[] = {"checkout-index", "--all", "--force", "--quiet", NULL};
    struct lauka_error ignored;

    snprintf(index, sizeof index, "%.4000s.modules", revision->worktree);
    snprintf(prefix, sizeof prefix, "--prefix=%.4000s/", path);
    (void)unlink(index);
    const bool good = lauka_git_ask(git, revision->worktree, index, read, &ignored) &&
                      lauka_git_ask(git, revision->worktree, index, fill, &ignored) &&
                      keep_names(git, index, revision);
    (void)unlink(index);
    return good;
}

static bool put_all(const struct container *in, struct lauka_revision *revision,
                    char missing[PATH_ROOM]);

/* False if it, or a submodule of it, is not there: its path is in `missing`. */
static bool put(const struct container *in, const struct entry *entry,
                struct lauka_revision *revision, char missing[PATH_ROOM])
{
    char repository[PATH_ROOM], variable[TEXT_ROOM], path[PATH_ROOM], modules[TEXT_ROOM];
    struct lauka_git git = *in->whole; /* borrows */

    snprintf(path, sizeof path, "%.2000s%.2000s", in->path, entry->path);
    snprintf(missing, PATH_ROOM, "%s", path);
    if (!find_repository(in, revision->worktree, entry, repository))
        return false;
    snprintf(variable, sizeof variable, "GIT_ALTERNATE_OBJECT_DIRECTORIES=%s/objects", repository);
    git.environment = (const char **)lauka_words_join(in->whole->environment,
                                                      (const char *const[]){variable, NULL});
    bool good = git.environment && write_files(&git, entry->commit, path, revision);
    snprintf(path + strlen(path), sizeof path - strlen(path), "/");
    snprintf(modules, sizeof modules, "%s/modules", repository);
    const struct container own = {in->whole, &git, entry->commit, path, modules, in->depth + 1};
    if (good && in->depth < DEEPEST)
        good = put_all(&own, revision, missing);
    free(git.environment);
    return good;
}

/* "160000 commit HASH\tPATH": all entries of a tree, of which these are submodules. */
static bool put_all(const struct container *in, struct lauka_revision *revision,
                    char missing[PATH_ROOM])
{
    static const char start[] = "160000 commit ";
    const char *const words[] = {"ls-tree", "-r", "-z", "--full-tree", in->commit, NULL};
    struct lauka_error ignored;
    size_t size = 0;
    char *list = lauka_git_list(in->git, revision->worktree, NULL, words, &size, &ignored);
    bool good = list != NULL;

    for (char *at = list, *next; good && at < list + size; at = next) {
        char *tab = strchr(at, '\t');
        next = at + strlen(at) + 1;
        if (!tab || strncmp(at, start, strlen(start)) != 0)
            continue;
        *tab = '\0';
        const struct entry entry = {at + strlen(start), tab + 1};
        good = put(in, &entry, revision, missing);
    }
    free(list);
    return good;
}

void lauka_submodules_put(const struct lauka_worktrees *worktrees, struct lauka_revision *revision)
{
    char missing[PATH_ROOM] = "", modules[PATH_ROOM];
    const struct lauka_git *git = &worktrees->git;
    const struct container whole = {git, git, revision->commit, "", modules, 0};

    if (!revision->has_submodules)
        return;
    snprintf(modules, sizeof modules, "%.4000s/modules", git->common);
    revision->lacks_submodule = !put_all(&whole, revision, missing);
    if (!revision->lacks_submodule)
        return;
    const char *before = revision->complaint;
    revision->complaint = lauka_arena_print(
        git->arena,
        "%s%sthe commit of its submodule %.200s is not in this repository, so that folder is empty "
        "(git submodule update --init --recursive fetches it)",
        before ? before : "", before ? "; " : "", missing);
}
