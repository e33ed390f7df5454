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
    char **withheld; /* owned: "filter.x.smudge=", to be put over the repository's settings */
    size_t withheld_count;
    bool allows_filters; /* of the repository's own settings */
};

/* Fails with LAUKA_EXIT_HOST without git, and with LAUKA_EXIT_USAGE if the working directory is in no
 * checkout. Call _close in either case. */
bool lauka_git_open(struct lauka_git *git, bool allows_filters, struct lauka_error *error);
void lauka_git_close(struct lauka_git *git);

/* `git -C DIRECTORY WORDS...`, without hooks; index: a temporary index file, or NULL. words end with NULL.
 * Returns what it wrote to stdout, without the last newline, owned by the caller. NULL if it failed; then
 * error has what it wrote to stderr. */
char *lauka_git_ask(const struct lauka_git *git, const char *directory, const char *index,
                    const char *const *words, struct lauka_error *error);

/* The same, into a file. */
bool lauka_git_write(const struct lauka_git *git, const char *directory, const char *index,
                     const char *const *words, int output, struct lauka_error *error);

/* The same, of names with a 0 behind each, with their size. */
char *lauka_git_list(const struct lauka_git *git, const char *directory, const char *index,
                     const char *const *words, size_t *size, struct lauka_error *error);

/* The same; it reads from `input`, which is not 0. */
char *lauka_git_answer(const struct lauka_git *git, const char *directory, int input,
                       const char *const *words, size_t *size, struct lauka_error *error);

/* For what it does. complaint is filled if it did not fail, although a filter did. */
bool lauka_git_do(const struct lauka_git *git, const char *directory, const char *const *words,
                  struct lauka_error *complaint, struct lauka_error *error);

/* The hash of the commit or the tree ("commit", "tree") that a name means; owned by the caller. NULL, with the error:
 * there is none; or git did not answer, because it could not be started or a signal ended it: LAUKA_EXIT_INTERNAL. */
char *lauka_git_parse(const struct lauka_git *git, const char *name, const char *kind,
                      struct lauka_error *error);

/* ---- withheld.c: programs that only the repository's settings name ---------------------------- */

/* Finds which of them git must not see: git->withheld. git->top is known. */
bool lauka_withheld_find(struct lauka_git *git, struct lauka_error *error);

enum lauka_filtering {
    LAUKA_FILTERING_IN, /* all files of the working tree become objects */
    LAUKA_FILTERING_OUT, /* the files of HEAD are written to the folder, a worktree without an index */
};

/* Fails with LAUKA_EXIT_USAGE if that needs a filter that is withheld. what: for the error. */
bool lauka_withheld_check(const struct lauka_git *git, const char *directory,
                          enum lauka_filtering way, const char *what, struct lauka_error *error);

/* ---- settings.c ---------------------------------------------------------------------------------- */

/* A text that differs if git would write other files for the same commit: settings, attributes, programs of
 * filters, replaced objects. Owned by the caller; NULL with the error. */
char *lauka_git_settings(const struct lauka_git *git, struct lauka_error *error);

/* ---- git.c: what errors say ------------------------------------------------------------------- */

enum { LAUKA_GIT_MESSAGE_SIZE = 480 };

/* All lines of an error as one; one that is too long ends with " ...". */
void lauka_git_join(const char *lines, char text[LAUKA_GIT_MESSAGE_SIZE]);

/* What to do about a message, beginning with "; "; "" where nothing is known. Static. */
const char *lauka_git_advise(const char *message);

struct lauka_worktrees;

/* What an error adds if the disk of the cache is full; otherwise "". Static. */
const char *lauka_worktrees_advise(const struct lauka_worktrees *worktrees);

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
    bool is_source;  /* it lends files to the sides, and is not built */
    char *worktree;  /* owned; its folder; NULL: there is none yet */
    char *log;       /* owned; the file with what its build wrote */
    bool broken;     /* it cannot be built */
    char *complaint; /* owned; of a filter that failed while files were written; NULL: none */
    char *remark; /* owned; what a reader of the result should know of its files; NULL: nothing */
};

/* "lauka: HEAD: WHAT" on stderr, unless --quiet. */
void lauka_revision_say(const struct lauka_worktrees *worktrees,
                        const struct lauka_revision *revision, const char *what);

/* folder: where a temporary file can be made. Fails with LAUKA_EXIT_USAGE if there is no such revision. */
bool lauka_revision_resolve(const struct lauka_git *git, const char *folder, const char *name,
                            struct lauka_revision *revision, struct lauka_error *error);
void lauka_revision_done(struct lauka_revision *revision);

/* What to do if a part of the history is missing, beginning with "; "; otherwise "". Static. */
const char *lauka_revision_advise(const struct lauka_git *git);

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
    char *settings; /* owned; what decides beside the commit which bytes git writes */
    char *folder;   /* owned; of this repository, in the cache */
    int lock;       /* held while worktrees are made; -1: not held */
};

/* To be followed by _close in either case. */
bool lauka_worktrees_open(struct lauka_worktrees *worktrees, const struct lauka_options *options,
                          struct lauka_error *error);
void lauka_worktrees_close(struct lauka_worktrees *worktrees);

enum { LAUKA_WORKTREE_KEY_BYTES = 12 }; /* of a hash, in its name: two worktrees never share it */

/* Where the revision's worktree is, or will be: revision->worktree and ->log. */
bool lauka_worktree_find(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                         struct lauka_error *error);

/* Makes it, replacing what may be left of an earlier one. */
bool lauka_worktree_make(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                         struct lauka_error *error);

/* The folder of the worktree that corresponds to a folder of the user's, which is absolute; NULL: to the
 * working directory. One outside of the checkout is itself. Owned by the caller; NULL without memory. */
char *lauka_worktree_place(const struct lauka_worktrees *worktrees,
                           const struct lauka_revision *revision, const char *directory);

/* Fails with LAUKA_EXIT_USAGE if a path that begins with the worktree's leads out of it. What is not there yet may
 * be made. */
bool lauka_worktree_check(const struct lauka_revision *revision, const char *path,
                          struct lauka_error *error);

/* The same of where a command runs, and of the folder of its program. */
bool lauka_worktree_check_command(const struct lauka_revision *revision,
                                  const struct lauka_command *command, struct lauka_error *error);

/* ---- same.c: whether a worktree is what it was when it was built ------------------------------------ */

/* Its build has succeeded: from here on it may be used again. Sets revision->remark. */
bool lauka_worktree_finish(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                           struct lauka_error *error);

/* Whether it is there, built, and no tracked file has changed since; if one has, that is said on stderr. Sets
 * revision->remark. */
bool lauka_worktree_is_ready(const struct lauka_worktrees *worktrees,
                             struct lauka_revision *revision);

/* It is not built any more. */
bool lauka_worktree_unmark(const struct lauka_revision *revision, struct lauka_error *error);

/* Sets revision->remark of one whose build has failed. */
void lauka_worktree_remark(const struct lauka_worktrees *worktrees,
                           struct lauka_revision *revision);

/* The repository that a folder is a worktree of, without links. Owned by the caller; NULL: it is none, or the
 * repository is not there, or no memory. */
char *lauka_worktree_repository(const char *worktree);

/* ---- worktree.c ------------------------------------------------------------------------------------- */

/* `lauka revisions --clean`: removes all worktrees of this repository. */
bool lauka_worktrees_clean(struct lauka_worktrees *worktrees, struct lauka_error *error);

/* ---- revisions.c ---------------------------------------------------------------------------------- */

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
