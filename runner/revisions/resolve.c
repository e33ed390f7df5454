/* Which commit a name means, before anything is checked out, because names move. The working tree becomes
 * a commit through an index of our own, so that the user's stays as it is. */
#include "runner/revisions/revisions.h"
#include "report/text/text.h"
#include "runner/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void lauka_revision_done(struct lauka_revision *revision)
{
    free(revision->name);
    free(revision->commit);
    free(revision->tree);
    free(revision->date);
    free(revision->author);
    free(revision->subject);
    free(revision->worktree);
    free(revision->log);
    *revision = (struct lauka_revision){.name = NULL};
}

static char *parse(const struct lauka_git *git, const char *name, const char *kind,
                   struct lauka_error *error)
{
    char text[1100];
    const char *const words[] = {"rev-parse", "--verify", "--quiet", text, NULL};

    snprintf(text, sizeof text, "%.1000s^{%s}", name, kind);
    return lauka_git_ask(git, ".", NULL, words, error);
}

/* ---- the working tree -------------------------------------------------------------------------------- */

/* A copy of the user's index spares git to read every file again. */
static bool copy_file(const char *from, const char *to)
{
    static char chunk[65536]; /* too much for a small stack */
    FILE *in = lauka_file_stream(from), *out = fopen(to, "wb");
    size_t got;
    bool good = out != NULL;

    while (in && good && (got = fread(chunk, 1, sizeof chunk, in)) > 0)
        good = fwrite(chunk, 1, got, out) == got;
    if (in)
        fclose(in);
    return (!out || fclose(out) == 0) && good; /* no index: every file is new */
}

/* The hash of all files that git would add. */
static char *write_tree(const struct lauka_git *git, const char *index, struct lauka_error *error)
{
    static const char *const where[] = {"rev-parse", "--git-path", "index", NULL};
    static const char *const add[] = {"add", "--all", "--", ".", NULL};
    static const char *const write[] = {"write-tree", NULL};
    char *own = lauka_git_ask(git, git->top, NULL, where, error), *path = NULL, *done = NULL;

    if (own && *own == '/')
        path = strdup(own);
    else if (own && asprintf(&path, "%s/%s", git->top, own) < 0)
        path = NULL;
    free(own);
    if (!path || !copy_file(path, index))
        lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", index, strerror(errno));
    else
        done = lauka_git_ask(git, git->top, index, add, error);
    free(path);
    free(done);
    return done ? lauka_git_ask(git, git->top, index, write, error) : NULL;
}

static bool take_checkout(const struct lauka_git *git, const char *folder,
                          struct lauka_revision *revision, struct lauka_error *error)
{
    char index[4096];
    struct lauka_error ignored;

    snprintf(index, sizeof index, "%.4000s/index.%ld", folder, (long)getpid());
    revision->tree = write_tree(git, index, error);
    unlink(index);
    if (!revision->tree)
        return false;
    char *head = parse(git, "HEAD", "commit", &ignored),
         *tree = parse(git, "HEAD", "tree", &ignored);
    revision->is_changed = !tree || strcmp(tree, revision->tree) != 0;
    const char *const words[] = {
        "commit-tree", "-m", "working tree", revision->tree, head ? "-p" : NULL, head, NULL};
    revision->commit =
        revision->is_changed ? lauka_git_ask(git, ".", NULL, words, error) : strdup(head);
    free(head);
    free(tree);
    return revision->commit != NULL;
}

/* ---- any revision ------------------------------------------------------------------------------------ */

static char *next_line(char **text)
{
    char *line = *text;
    size_t length = strcspn(line, "\n");

    *text += length + (line[length] == '\n');
    line[length] = '\0';
    return line;
}

/* Uncommitted changes have no date. */
static char *today(const char *otherwise)
{
    char text[LAUKA_DATE_SIZE];

    return strdup(lauka_format_day(time(NULL), text) ? text : otherwise);
}

static bool take_words(const struct lauka_git *git, struct lauka_revision *revision,
                       struct lauka_error *error)
{
    const char *const words[] = {
        "log", "-1", "--no-show-signature", "--format=%as%n%an%n%s", revision->commit, NULL};
    const char *const modules[] = {"ls-tree", "--name-only", revision->commit,
                                   "--",      ".gitmodules", NULL};
    char *text = lauka_git_ask(git, git->top, NULL, words, error), *rest = text;
    char *found = text ? lauka_git_ask(git, git->top, NULL, modules, error) : NULL;

    if (!text)
        return false;
    revision->has_submodules = found && *found;
    revision->date = revision->is_changed ? today(next_line(&rest)) : strdup(next_line(&rest));
    revision->author = strdup(next_line(&rest));
    revision->subject = strdup(revision->is_changed ? "the working tree, with changes" : rest);
    free(found);
    free(text);
    return (revision->date && revision->author && revision->subject) || lauka_fail_memory(error);
}

bool lauka_revision_resolve(const struct lauka_git *git, const char *folder, const char *name,
                            struct lauka_revision *revision, struct lauka_error *error)
{
    struct lauka_error ignored;

    *revision = (struct lauka_revision){.name = strdup(name)};
    if (!revision->name)
        return lauka_fail_memory(error);
    revision->is_checkout = strcmp(name, ".") == 0;
    if (revision->is_checkout) {
        if (!take_checkout(git, folder, revision, error))
            return false;
    } else if (*name == '-' || !(revision->commit = parse(git, name, "commit", &ignored)) ||
               !(revision->tree = parse(git, revision->commit, "tree", &ignored))) {
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "%.200s: there is no such revision here (a commit, a branch, a tag, or . "
                          "for the working tree)",
                          name);
    }
    return take_words(git, revision, error);
}
