/* Which commit a name means, before anything is checked out, because names move. */
#include "runner/revisions/revisions.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    free(revision->complaint);
    free(revision->remark);
    *revision = (struct lauka_revision){.name = NULL};
}

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
    char *said = lauka_git_ask(git, git->top, NULL, words, &none);
    bool is = said && strcmp(said, "true") == 0;

    free(said);
    return is;
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
    struct lauka_error ignored;

    if (!check_name(revision->name, error))
        return false;
    if (*revision->name != '-') /* it would be an option */
        revision->commit = lauka_git_parse(git, revision->name, "commit", &ignored);
    revision->tree =
        revision->commit ? lauka_git_parse(git, revision->commit, "tree", &ignored) : NULL;
    return revision->tree ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "%.200s: there is no such revision here (a commit, a branch, a tag, or . for "
                      "the working tree)%s",
                      revision->name, lauka_revision_advise(git));
}

bool lauka_revision_resolve(const struct lauka_git *git, const char *folder, const char *name,
                            struct lauka_revision *revision, struct lauka_error *error)
{
    *revision = (struct lauka_revision){.name = strdup(name)};
    if (!revision->name)
        return lauka_fail_memory(error);
    revision->is_checkout = strcmp(name, ".") == 0;
    return (revision->is_checkout ? lauka_checkout_take(git, folder, revision, error)
                                  : find_commit(git, revision, error)) &&
           take_words(git, revision, error);
}
