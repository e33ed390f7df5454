/* `lauka revisions`: the sides are revisions of a git repository, each built in a worktree of its own. */
#ifndef LAUKA_RUNNER_REVISIONS_REVISIONS_H
#define LAUKA_RUNNER_REVISIONS_REVISIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/session.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/session/session.h"

struct lauka_launcher;

/* ---- git.c: git by its command line ---------------------------------------------------------- */

struct lauka_git {
    struct lauka_arena *arena; /* of all that follows, and of answers that are texts; borrowed */
    char path[4096];           /* path of git */
    const char *top;           /* top of the user's checkout */
    const char *prefix;        /* the user's folder below it: "" or "src/" */
    const char *common;        /* the repository shared by all worktrees */
    const char **environment;
    const char **withheld; /* "filter.x.smudge=", overrides the repository's settings */
    size_t withheld_count;
    bool allows_filters; /* those of the repository's own settings */
};

/* Fails with LAUKA_EXIT_HOST without git, and with LAUKA_EXIT_USAGE if the working directory is in
 * no checkout. The arena must outlive it. */
bool lauka_git_open(struct lauka_git *git, struct lauka_arena *arena, bool allows_filters,
                    struct lauka_error *error);

/* Runs `git -C DIRECTORY WORDS...` without hooks; index: a temporary index file, or NULL. words end
 * with NULL. Returns its stdout without the last newlines, of the arena. NULL if it failed; the error
 * has its stderr. */
char *lauka_git_ask(const struct lauka_git *git, const char *directory, const char *index,
                    const char *const *words, struct lauka_error *error);

/* The same, with stdout to a file. */
bool lauka_git_write(const struct lauka_git *git, const char *directory, const char *index,
                     const char *const *words, int output, struct lauka_error *error);

/* The same for a list, which may be long: with its size, owned by the caller. */
char *lauka_git_list(const struct lauka_git *git, const char *directory, const char *index,
                     const char *const *words, size_t *size, struct lauka_error *error);

/* The same with stdin from `input`, which is not 0. */
char *lauka_git_answer(const struct lauka_git *git, const char *directory, int input,
                       const char *const *words, size_t *size, struct lauka_error *error);

/* The same without output. Fills complaint if git succeeded although a filter failed. */
bool lauka_git_do(const struct lauka_git *git, const char *directory, const char *const *words,
                  struct lauka_error *complaint, struct lauka_error *error);

/* ---- withheld.c: programs that only the repository's settings name ---------------------------- */

/* Finds the settings to hide from git: git->withheld. git->top is known. */
bool lauka_withheld_find(struct lauka_git *git, struct lauka_error *error);

enum lauka_filtering {
    LAUKA_FILTERING_IN,  /* all files of the working tree become objects */
    LAUKA_FILTERING_OUT, /* the files of HEAD are written to the folder, a worktree without index */
};

/* Fails with LAUKA_EXIT_USAGE if this needs a withheld filter. what: for the error. */
bool lauka_withheld_check(const struct lauka_git *git, const char *directory,
                          enum lauka_filtering way, const char *what, struct lauka_error *error);

/* ---- git.c: what errors say ------------------------------------------------------------------- */

enum { LAUKA_GIT_MESSAGE_SIZE = 480 };

/* Joins the lines of an error; a long text is cut and ends with " ...". */
void lauka_git_join(const char *lines, char text[LAUKA_GIT_MESSAGE_SIZE]);

/* Advice on a message, beginning with "; "; "" if there is none. Static. */
const char *lauka_git_advise(const char *message);

struct lauka_worktrees;

/* An addition to errors if the cache's disk is full; otherwise "". Static. */
const char *lauka_worktrees_advise(const struct lauka_worktrees *worktrees);

/* ---- resolve.c: which commit a name means ----------------------------------------------------- */

struct lauka_revision { /* its texts are of git's arena */
    const char *name;   /* as typed */
    const char *commit; /* full hash; for the working tree, of a commit made from it */
    const char *tree;   /* hash of its tree */
    const char *date;   /* author date, "2026-11-20" */
    const char *author;
    const char *subject;
    bool is_checkout; /* "."; without changes, the commit is HEAD's */
    bool is_changed;  /* it is the checkout, and differs from HEAD */
    bool has_submodules;
    bool lacks_submodule;      /* one of them is not here: the worktree is not used again */
    const char **module_files; /* paths of their files in the new worktree */
    size_t module_file_count;
    bool is_source;        /* it provides files for the sides, and is not built */
    const char *worktree;  /* its folder; NULL: none yet */
    const char *log;       /* path of its build log */
    bool broken;           /* its build failed */
    const char *complaint; /* what went wrong while its files were written; NULL: nothing */
    const char *remark;    /* a note on its files for readers of the result; NULL: none */
};

/* Prints "lauka: HEAD: WHAT" on stderr, unless --quiet. */
void lauka_revision_say(const struct lauka_worktrees *worktrees,
                        const struct lauka_revision *revision, const char *what);

/* folder: for a temporary file. Fails with LAUKA_EXIT_USAGE if there is no such revision. */
bool lauka_revision_resolve(const struct lauka_git *git, const char *folder, const char *name,
                            struct lauka_revision *revision, struct lauka_error *error);

/* Advice if a part of the history is missing, beginning with "; "; otherwise "". Static. */
const char *lauka_revision_advise(const struct lauka_git *git);

/* ---- worktree.c: the cache of built worktrees ------------------------------------------------- */

struct lauka_workload {
    const char *text;             /* borrowed; as typed */
    const char *name;             /* its path below the top of the repository */
    const char *from;             /* the file or folder that a side's path links to */
    struct lauka_revision source; /* for REV:PATH; otherwise zeroed */
};

struct lauka_worktrees {
    const struct lauka_options *options; /* borrowed */
    struct lauka_git git;
    struct lauka_workload *workloads; /* of the options' arena, as is what follows */
    size_t workload_count;
    const char *settings; /* everything except the commit that affects the bytes git writes */
    const char *folder;   /* this repository's folder in the cache */
    int lock;             /* held while worktrees are made; -1: not held */
    uint64_t build_ns;    /* what the last build took; 0: not known */
};

/* Call _close in any case. */
bool lauka_worktrees_open(struct lauka_worktrees *worktrees, const struct lauka_options *options,
                          struct lauka_error *error);
void lauka_worktrees_close(struct lauka_worktrees *worktrees);

/* `lauka revisions --clean`: removes all worktrees of this repository. */
bool lauka_worktrees_clean(struct lauka_worktrees *worktrees, struct lauka_error *error);

enum { LAUKA_WORKTREE_KEY_BYTES = 12 }; /* length of the hash in its unique name */

/* Sets revision->worktree and ->log: where its worktree is, or will be. */
bool lauka_worktree_find(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                         struct lauka_error *error);

/* Makes the worktree and replaces remains of an earlier one. */
bool lauka_worktree_make(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                         struct lauka_error *error);

/* Maps the user's absolute folder to its place in the worktree; NULL: the working directory. A
 * folder outside of the checkout is unchanged. Of the arena; NULL without memory. */
char *lauka_worktree_place(const struct lauka_worktrees *worktrees,
                           const struct lauka_revision *revision, const char *directory);

/* Fails with LAUKA_EXIT_USAGE if a path below the worktree leads out of it. The path need not exist
 * yet. */
bool lauka_worktree_check(const struct lauka_revision *revision, const char *path,
                          struct lauka_error *error);

/* The same for a command's working directory and its program's folder. */
bool lauka_worktree_check_command(const struct lauka_revision *revision,
                                  const struct lauka_command *command, struct lauka_error *error);

/* ---- submodules.c ------------------------------------------------------------------------------- */

/* Writes the files of the revision's submodules into its new worktree, as far as their commits are in the repository, and
 * lists them; otherwise sets revision->lacks_submodule, and names it in revision->complaint. Nothing is fetched. */
void lauka_submodules_put(const struct lauka_worktrees *worktrees, struct lauka_revision *revision);

/* ---- same.c: whether a worktree is what it was when it was built ------------------------------------ */

/* After a successful build: marks the worktree as usable again, unless it lacks a submodule. Sets revision->remark. */
bool lauka_worktree_finish(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                           struct lauka_error *error);

/* Whether the worktree exists, is built, and has no changed tracked file; a change is reported on
 * stderr. Sets revision->remark. */
bool lauka_worktree_is_ready(const struct lauka_worktrees *worktrees,
                             struct lauka_revision *revision);

/* Marks it as not built. */
bool lauka_worktree_unmark(const struct lauka_worktrees *worktrees,
                           const struct lauka_revision *revision, struct lauka_error *error);

/* Sets revision->remark of a worktree that gets no mark, as after a failed build. */
void lauka_worktree_remark(const struct lauka_worktrees *worktrees,
                           struct lauka_revision *revision);

/* The repository of a worktree folder, without links. Owned by the caller; NULL: it is no worktree,
 * its repository is gone, or no memory. */
char *lauka_worktree_repository(const char *worktree);

/* ---- revisions.c ---------------------------------------------------------------------------------- */

/* Makes and builds worktrees that are not ready, with --jobs in parallel. If a build fails, that is an error
 * (LAUKA_EXIT_COMMAND_FAILED), after the end of the build's output; with `skips` it is marked as broken. */
bool lauka_revisions_build(struct lauka_worktrees *worktrees, struct lauka_revision *revisions,
                           size_t count, bool skips, struct lauka_error *error);

struct lauka_revisions {
    struct lauka_worktrees worktrees;
    struct lauka_revision *all; /* of the options' arena; by side */
    size_t count;
};

/* Resolves, shows and builds the revisions, and makes the options' commands run in their worktrees.
 * Call _done in any case. */
bool lauka_revisions_prepare(struct lauka_revisions *revisions, struct lauka_options *options,
                             struct lauka_error *error);

/* Records in the results the commits of the sides, and which sides have the same executable.
 * Returns 0 or ENOMEM. */
int lauka_revisions_describe(const struct lauka_revisions *revisions,
                             const struct lauka_options *options, struct lauka_session *session);
void lauka_revisions_done(struct lauka_revisions *revisions);

/* ---- search.c: --first-slower ----------------------------------------------------------------- */

/* After both ends were measured and analysed in `ends`: searches for the first slower commit
 * between them, and prints it, or the two commits between which it must be. */
bool lauka_revisions_search(struct lauka_revisions *revisions, const struct lauka_options *options,
                            struct lauka_launcher *launcher, const struct lauka_session *ends,
                            struct lauka_error *error);

#endif
