/* `lauka revisions`: the sides are revisions of a git repository, each built in a worktree of its own. */
#ifndef LAUKA_RUNNER_REVISIONS_REVISIONS_H
#define LAUKA_RUNNER_REVISIONS_REVISIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/session.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/session/session.h"

struct lauka_launcher;

/* ---- git.c: git by its command line ---------------------------------------------------------- */

struct lauka_git {
    char path[4096];          /* of the program */
    char *top;                /* owned; of the user's checkout */
    char *prefix;             /* owned; where the user is below it: "" or "src/" */
    char *common;             /* owned; the repository that all worktrees share */
    const char **environment; /* owned array */
};

/* Fails with LAUKA_EXIT_HOST without git, and with LAUKA_EXIT_USAGE if the working directory is in no
 * checkout. Call _close in either case. */
bool lauka_git_open(struct lauka_git *git, struct lauka_error *error);
void lauka_git_close(struct lauka_git *git);

/* `git -C DIRECTORY WORDS...`, without hooks; index: a temporary index file, or NULL. words end with NULL.
 * Returns what it wrote to stdout, without the last newline, owned by the caller. NULL if it failed; then
 * error has the last line that it wrote to stderr. */
char *lauka_git_ask(const struct lauka_git *git, const char *directory, const char *index,
                    const char *const *words, struct lauka_error *error);

/* The same, into a file. */
bool lauka_git_write(const struct lauka_git *git, const char *directory, const char *index,
                     const char *const *words, int output, struct lauka_error *error);

/* ---- resolve.c: which commit a name means ----------------------------------------------------- */

struct lauka_revision {
    char *name;       /* owned; as it was typed */
    char *commit;     /* owned; its whole hash; of the working tree, that of a commit made of it */
    char *tree;       /* owned; hash of its files */
    char *date;       /* owned; of its author, "2026-11-20" */
    char *author;     /* owned */
    char *subject;    /* owned */
    bool is_checkout; /* "."; the commit is that of HEAD where nothing is changed */
    bool is_changed;  /* it is the checkout, and differs from HEAD */
    bool has_submodules;
    bool is_source; /* it lends files to the sides, and is not built */
    char *worktree; /* owned; its folder; NULL: there is none yet */
    char *log;      /* owned; the file with what its build wrote */
    bool broken;    /* it cannot be built */
};

/* folder: where a temporary file can be made. Fails with LAUKA_EXIT_USAGE if there is no such revision. */
bool lauka_revision_resolve(const struct lauka_git *git, const char *folder, const char *name,
                            struct lauka_revision *revision, struct lauka_error *error);
void lauka_revision_done(struct lauka_revision *revision);

/* ---- worktree.c: the cache of built worktrees ------------------------------------------------- */

struct lauka_workload {
    const char *text;             /* borrowed; as it was typed */
    char *name;                   /* owned; where it stands, below the top of the repository */
    char *from;                   /* owned; the file or folder that a side's leads to */
    struct lauka_revision source; /* of REV:PATH; otherwise zeroed */
};

struct lauka_worktrees {
    const struct lauka_options *options; /* borrowed */
    struct lauka_git git;
    struct lauka_workload *workloads; /* owned */
    size_t workload_count;
    char *folder; /* owned; of this repository, in the cache */
    int lock;     /* held while worktrees are made; -1: not held */
};

/* To be followed by _close in either case. */
bool lauka_worktrees_open(struct lauka_worktrees *worktrees, const struct lauka_options *options,
                          struct lauka_error *error);
void lauka_worktrees_close(struct lauka_worktrees *worktrees);

/* Where the revision's worktree is, or will be: revision->worktree and ->log. */
bool lauka_worktree_find(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                         struct lauka_error *error);

/* Whether it is there, and built. */
bool lauka_worktree_is_ready(const struct lauka_revision *revision);

/* Makes it, replacing what may be left of an earlier one. */
bool lauka_worktree_make(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                         struct lauka_error *error);

/* Its build has succeeded. */
bool lauka_worktree_finish(const struct lauka_revision *revision, struct lauka_error *error);

/* A file, or a folder with all in it, whose rights may be missing; links are not followed. True where there is
 * none; false with errno. */
bool lauka_worktree_remove_tree(const char *path);

/* What an error adds if the disk of the cache is full; otherwise "". Static. */
const char *lauka_worktrees_advise(const struct lauka_worktrees *worktrees);

/* The folder of the worktree that corresponds to a folder of the user's, which is absolute; NULL: to the
 * working directory. One outside of the checkout is itself. Owned by the caller; NULL without memory. */
char *lauka_worktree_place(const struct lauka_worktrees *worktrees,
                           const struct lauka_revision *revision, const char *directory);

/* `lauka revisions --clean`: removes all worktrees of this repository. */
bool lauka_worktrees_clean(struct lauka_worktrees *worktrees, struct lauka_error *error);

/* ---- workload.c: files that all sides have in common --------------------------------------------- */

/* Resolves --workload into worktrees->workloads. Call _close in either case. */
bool lauka_workloads_open(struct lauka_worktrees *worktrees, struct lauka_error *error);
void lauka_workloads_close(struct lauka_worktrees *worktrees);

/* Makes the worktrees of workloads that come from a revision. */
bool lauka_workloads_make(const struct lauka_worktrees *worktrees, struct lauka_error *error);

/* Puts it into the revision's worktree, replacing what is there. */
bool lauka_workload_put(const struct lauka_workload *workload,
                        const struct lauka_revision *revision, struct lauka_error *error);

/* ---- build.c ---------------------------------------------------------------------------------- */

/* Makes and builds those that are not ready, --jobs of them at once. One that cannot be built is an error
 * (LAUKA_EXIT_COMMAND_FAILED), after the end of its build's output; or it is marked as broken, if `skips`. */
bool lauka_revisions_build(const struct lauka_worktrees *worktrees,
                           struct lauka_revision *revisions, size_t count, bool skips,
                           struct lauka_error *error);

/* ---- revisions.c ------------------------------------------------------------------------------ */

struct lauka_revisions {
    struct lauka_worktrees worktrees;
    struct lauka_revision *all; /* owned; by side */
    size_t count;
};

/* Resolves, shows and builds them, and makes the options' commands run in their worktrees. Call _done in
 * either case. */
bool lauka_revisions_prepare(struct lauka_revisions *revisions, struct lauka_options *options,
                             struct lauka_error *error);

/* Records in the results which commits the sides are, and which of them have the same executable. Returns
 * 0 or ENOMEM. */
int lauka_revisions_describe(const struct lauka_revisions *revisions,
                             const struct lauka_options *options, struct lauka_session *session);
void lauka_revisions_done(struct lauka_revisions *revisions);

/* ---- search.c: --first-slower ----------------------------------------------------------------- */

/* Once both ends were measured and analysed in `ends`: searches for the first commit between them that is
 * slower, and prints which it is, or between which two it must be. */
bool lauka_revisions_search(struct lauka_revisions *revisions, const struct lauka_options *options,
                            struct lauka_launcher *launcher, const struct lauka_session *ends,
                            struct lauka_error *error);

#endif
