/* Which commit a name means. "." is the working tree as it is: it becomes a commit through an index of our own, so
 * that the user's stays as it is. */
#include "runner/revisions/revisions.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- objects by name ----------------------------------------------------------------------------------- */

/* The hash of a named commit or tree ("commit", "tree"). NULL and the error if there is none, or
 * if git did not start or was ended by a signal: LAUKA_EXIT_INTERNAL. The name by itself is asked first: what stands
 * behind `:/text` would belong to the text. */
static const char *find_object(const struct lauka_git *git, const char *name, const char *kind,
                               struct lauka_error *error)
{
    const char *const words[] = {"rev-parse", "--verify", "--quiet", name, NULL};
    const char *object = lauka_git_ask(git, ".", NULL, words, error);
    char peeled[200];
    const char *const peel[] = {"rev-parse", "--verify", "--quiet", peeled, NULL};

    if (!object)
        return NULL;
    snprintf(peeled, sizeof peeled, "%.150s^{%.20s}", object, kind);
    return lauka_git_ask(git, ".", NULL, peel, error);
}

/* ---- an index of our own ----------------------------------------------------------------------------- */

/* Git reads files again that are not older than the index: the copy must not look younger. */
static bool copy_time(FILE *from, FILE *to)
{
    struct stat about;

    if (fflush(to) != 0 || fstat(fileno(from), &about) != 0)
        return false;
    const struct timespec times[2] = {{.tv_sec = about.st_mtime}, {.tv_sec = about.st_mtime}};
    return futimens(fileno(to), times) == 0;
}

/* A copy of the user's index spares git to read every file again. */
static bool copy_file(const char *from, const char *to)
{
    static char chunk[65536]; /* too much for a small stack */
    FILE *in = lauka_file_stream(from), *out = fopen(to, "wb");
    size_t got;
    bool good = out != NULL;

    while (in && good && (got = fread(chunk, 1, sizeof chunk, in)) > 0)
        good = fwrite(chunk, 1, got, out) == got;
    good = good && (!in || copy_time(in, out));
    if (in)
        fclose(in);
    good = (!out || fclose(out) == 0) && good;
    return in ? good : unlink(to) == 0; /* no index: every file is new */
}

static bool copy_index(const struct lauka_git *git, const char *index, struct lauka_error *error)
{
    static const char *const where[] = {"rev-parse", "--git-path", "index", NULL};
    const char *path = lauka_git_ask(git, git->top, NULL, where, error);

    if (!path)
        return false;
    if (*path != '/')
        path = lauka_arena_print(git->arena, "%s/%s", git->top, path);
    return (path && copy_file(path, index)) ||
           lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", index, strerror(errno));
}

/* ---- flags that hide changes ------------------------------------------------------------------------- */

enum { BATCH = 100 }; /* names for one call of git */

struct flags {
    const struct lauka_git *git;
    const char *index;
    bool is_sparse; /* what is missing and to be skipped is as in the index */
    struct lauka_error *error;
    const char *words[BATCH + 4];
    size_t count; /* of names among them */
};

/* Takes the flag from the names collected. */
static bool clear_batch(struct flags *flags, const char *option)
{
    enum { BEFORE = 3 };

    if (flags->count == 0)
        return true;
    flags->words[0] = "update-index";
    flags->words[1] = option;
    flags->words[2] = "--";
    flags->words[BEFORE + flags->count] = NULL;
    flags->count = 0;
    return lauka_git_ask(flags->git, flags->git->top, flags->index, flags->words, flags->error);
}

static bool is_missing(const struct lauka_git *git, const char *name)
{
    const char *path = lauka_arena_print(git->arena, "%s/%s", git->top, name);
    struct stat about;

    return path && lstat(path, &about) != 0;
}

/* list: of "TAG NAME" with a 0 behind each. A small letter is a file that is assumed to be unchanged, S one that is
 * skipped. */
static bool clear_flag(struct flags *flags, const char *list, size_t size, bool skipped)
{
    const char *option = skipped ? "--no-skip-worktree" : "--no-assume-unchanged";
    bool good = true;

    for (size_t at = 0; good && at < size; at += strlen(list + at) + 1) {
        char tag = list[at];
        const char *name = list + at + 2;
        bool has = skipped ? tag == 'S' || tag == 's' : tag >= 'a' && tag <= 'z';
        if (!has || !list[at + 1] || (skipped && flags->is_sparse && is_missing(flags->git, name)))
            continue;
        flags->words[3 + flags->count++] = name;
        if (flags->count == BATCH)
            good = clear_batch(flags, option);
    }
    return good && clear_batch(flags, option);
}

static bool is_sparse(const struct lauka_git *git)
{
    static const char *const words[] = {"config", "--type=bool", "--get", "core.sparseCheckout",
                                        NULL};
    struct lauka_error unset;
    const char *said = lauka_git_ask(git, git->top, NULL, words, &unset);

    return lauka_text_is(said, "true");
}

/* git update-index --assume-unchanged and --skip-worktree make git believe that a file is as it was. */
static bool clear_flags(const struct lauka_git *git, const char *index, struct lauka_error *error)
{
    static const char *const words[] = {"ls-files", "-v", "-z", NULL};
    struct flags flags = {.git = git, .index = index, .is_sparse = is_sparse(git), .error = error};
    size_t size = 0;
    char *list = lauka_git_list(git, git->top, index, words, &size, error);
    bool good =
        list && clear_flag(&flags, list, size, false) && clear_flag(&flags, list, size, true);

    free(list);
    return good;
}

/* ---- its files --------------------------------------------------------------------------------------- */

/* Whether the file system keeps rights: where it does not, everything may be executed, this file of git's, too. */
static bool keeps_rights(const struct lauka_git *git)
{
    const char *path = lauka_arena_print(git->arena, "%s/HEAD", git->common);
    struct stat about;

    return path && stat(path, &about) == 0 && (about.st_mode & 0111) == 0;
}

/* git would ask a submodule that is checked out for changes, in a process that heeds the submodule's own settings. A
 * worktree has its files by other means. list: of "MODE HASH STAGE tab NAME" with a 0 behind each. */
static bool leave_out_modules(struct lauka_texts *words, const struct lauka_git *git,
                              const char *list, size_t size)
{
    bool good = true;
    struct stat about;

    for (size_t at = 0; good && at < size; at += strlen(list + at) + 1) {
        const char *tab = strchr(list + at, '\t');
        if (!tab || strncmp(list + at, "160000 ", 7) != 0)
            continue;
        const char *path = lauka_arena_print(git->arena, "%s/%s/.git", git->top, tab + 1);
        good = path != NULL;
        if (good && lstat(path, &about) == 0)
            good = lauka_arena_add_text(
                git->arena, &words->texts, &words->count,
                lauka_arena_print(git->arena, ":(top,exclude,literal)%s", tab + 1));
    }
    return good;
}

static bool add_all(const struct lauka_git *git, const char *index, const char *const *given,
                    struct lauka_error *error)
{
    static const char *const words[] = {"ls-files", "--stage", "-z", NULL};
    struct lauka_texts add = {.count = 0};
    size_t size = 0;
    char *list = lauka_git_list(git, git->top, index, words, &size, error);
    bool good = list != NULL;

    for (; good && *given; given++)
        good = lauka_arena_add_text(git->arena, &add.texts, &add.count, *given);
    good = good && leave_out_modules(&add, git, list, size) &&
           lauka_arena_add(git->arena, &add.texts, &add.count, sizeof *add.texts);
    if (list && !good)
        lauka_fail_memory(error);
    free(list);
    return good && lauka_git_ask(git, git->top, index, add.texts, error);
}

/* The hash of all files that git would add, with nothing believed that the settings make git believe. */
static char *write_tree(const struct lauka_git *git, const char *index, struct lauka_error *error)
{
    const char *const add[] = {
        "-c",  "core.ignoreStat=false",
        "-c",  "core.trustctime=true",
        "-c",  "core.checkStat=default",
        "-c",  "core.sparseCheckout=false",
        "-c",  keeps_rights(git) ? "core.fileMode=true" : "core.fileMode=false",
        "add", "--all",
        "--",  ".",
        NULL};
    static const char *const write[] = {"write-tree", NULL};

    if (!lauka_withheld_check(git, git->top, LAUKA_FILTERING_IN, ".", error) ||
        !copy_index(git, index, error) || !clear_flags(git, index, error))
        return NULL;
    return add_all(git, index, add, error) ? lauka_git_ask(git, git->top, index, write, error)
                                           : NULL;
}

/* Makes a commit of the working tree as it is, if it differs from HEAD: commit, tree and is_changed. */
static bool take_checkout(const struct lauka_git *git, const char *folder,
                          struct lauka_revision *revision, struct lauka_error *error)
{
    char index[4096];

    snprintf(index, sizeof index, "%.4000s/index.%ld", folder, (long)getpid());
    revision->tree = write_tree(git, index, error);
    unlink(index);
    if (!revision->tree)
        return false;
    error->code = LAUKA_EXIT_HOST;
    const char *head = find_object(git, "HEAD", "commit", error),
               *tree = head ? find_object(git, head, "tree", error) : NULL;
    const bool is_unanswered = !tree && error->code == LAUKA_EXIT_INTERNAL;
    revision->is_changed = !tree || strcmp(tree, revision->tree) != 0;
    const char *const words[] = {
        "commit-tree", "-m", "working tree", revision->tree, head ? "-p" : NULL, head, NULL};
    revision->commit = is_unanswered          ? NULL
                       : revision->is_changed ? lauka_git_ask(git, ".", NULL, words, error)
                                              : head;
    return revision->commit != NULL;
}

/* ---- what is said of a revision ---------------------------------------------------------------------- */

void lauka_revision_say(const struct lauka_worktrees *worktrees,
                        const struct lauka_revision *revision, const char *what)
{
    bool is_hash = strcmp(revision->name, revision->commit) == 0;
    struct lauka_error line;
    int number = errno; /* callers tell it later */

    lauka_fail(&line, LAUKA_EXIT_DONE, "%.*s: %s", is_hash ? 10 : 200, revision->name, what);
    if (!worktrees->options->quiet)
        lauka_error_print(&line);
    errno = number;
}

/* ---- what a commit is about -------------------------------------------------------------------------- */

static char *next_line(char **text)
{
    char *line = *text;
    size_t length = strcspn(line, "\n");

    *text += length + (line[length] == '\n');
    line[length] = '\0';
    return line;
}

static bool take_words(const struct lauka_git *git, struct lauka_revision *revision,
                       struct lauka_error *error)
{
    const char *const words[] = {
        "log", "-1", "--no-show-signature", "--format=%as%n%an%n%s", revision->commit, NULL};
    const char *const modules[] = {"ls-tree", "--name-only", revision->commit,
                                   "--",      ".gitmodules", NULL};
    char *rest = lauka_git_ask(git, git->top, NULL, words, error), today[LAUKA_DATE_SIZE];
    const char *found = rest ? lauka_git_ask(git, git->top, NULL, modules, error) : NULL;

    if (!rest)
        return false;
    revision->has_submodules = found && *found;
    revision->date = next_line(&rest);
    revision->author = next_line(&rest);
    revision->subject = rest;
    if (revision->is_changed) { /* they have no date */
        revision->subject = "the working tree, with changes";
        if (lauka_format_day(time(NULL), today))
            revision->date = lauka_arena_text(git->arena, today);
    }
    return revision->date || lauka_fail_memory(error);
}

/* ---- names ------------------------------------------------------------------------------------------- */

/* Git takes some names without a beginning for the commit that is checked out, or for its opposite: then a variable
 * was empty. */
static bool check_name(const char *name, struct lauka_error *error)
{
    static const char blanks[] = " \t\n\v\f\r";
    bool is_text = strncmp(name, ":/", 2) == 0;
    const char *first = name + (is_text ? 2 : 0);

    if (*name == '^' && strcspn(name + 1, "^~:{") > 0)
        return lauka_fail(
            error, LAUKA_EXIT_USAGE,
            "%.200s: a revision is one commit, and ^ in front leaves commits out: type "
            "%.200s, or A..B for the range",
            name, name + 1);
    return (first[strspn(first, blanks)] && (is_text || !strchr("^~:", *name))) ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "'%.200s': the name of a revision is empty (is a variable not set?); HEAD is "
                      "the commit that is checked out, and . the working tree",
                      name);
}

/* A clone that lacks a part of the history. */
static bool is_shallow(const struct lauka_git *git)
{
    static const char *const words[] = {"rev-parse", "--is-shallow-repository", NULL};
    struct lauka_error none;
    const char *said = lauka_git_ask(git, git->top, NULL, words, &none);

    return lauka_text_is(said, "true");
}

const char *lauka_revision_advise(const struct lauka_git *git)
{
    return is_shallow(git)
               ? "; this clone is shallow, it has a part of the history only: git fetch "
                 "--unshallow --tags brings all of it (for actions/checkout: "
                 "fetch-depth: 0)"
               : "";
}

static bool find_commit(const struct lauka_git *git, struct lauka_revision *revision,
                        struct lauka_error *error)
{
    if (!check_name(revision->name, error))
        return false;
    error->code = LAUKA_EXIT_HOST;
    if (*revision->name != '-') /* it would be an option */
        revision->commit = find_object(git, revision->name, "commit", error);
    revision->tree = revision->commit ? find_object(git, revision->commit, "tree", error) : NULL;
    if (revision->tree || error->code == LAUKA_EXIT_INTERNAL)
        return revision->tree != NULL;
    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "%.200s: there is no such revision here (a commit, a branch, a tag, or . for "
                      "the working tree)%s",
                      revision->name, lauka_revision_advise(git));
}

bool lauka_revision_resolve(const struct lauka_git *git, const char *folder, const char *name,
                            struct lauka_revision *revision, struct lauka_error *error)
{
    *revision = (struct lauka_revision){.name = lauka_arena_text(git->arena, name)};
    if (!revision->name)
        return lauka_fail_memory(error);
    revision->is_checkout = strcmp(name, ".") == 0;
    return (revision->is_checkout ? take_checkout(git, folder, revision, error)
                                  : find_commit(git, revision, error)) &&
           take_words(git, revision, error);
}
