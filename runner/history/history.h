/* `lauka history`: the store of what sessions came to, and what is asked of it. */
#ifndef LAUKA_RUNNER_HISTORY_HISTORY_H
#define LAUKA_RUNNER_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stdio.h>

#include "report/history/history.h"
#include "report/result/session.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/revisions/revisions.h"

/* ---- store.c: a folder of small files that never change ---------------------------------------- */

struct lauka_history_commit { /* of the first-parent history; all borrowed */
    const char *hash, *date, *subject;
    size_t place; /* 0: the oldest that is known */
};

struct lauka_store {
    struct lauka_arena *arena; /* the options', of what follows; borrowed */
    struct lauka_git git;      /* zeroed: there is no repository */
    const char *folder;
    const char *project;                  /* the first commit of the repository, or NULL */
    struct lauka_history_commit *commits; /* by hash; none before its files are read */
    size_t commit_count;
};

/* Finds the folder of the options, or .lauka-history of the repository. */
bool lauka_store_open(struct lauka_store *store, const struct lauka_options *options,
                      struct lauka_error *error);

/* The place of a commit in the first-parent history, by its hash or by 12 digits of it at least; commit_count: it is not
 * in it. */
size_t lauka_store_place(const struct lauka_store *store, const char *hash);

/* Adds a file with this text: compressed, synchronised, and then given its name, so that it is whole or not there. A file
 * with the same content stays. Makes the folder, and removes drafts that are older than an hour. */
bool lauka_store_put(const struct lauka_store *store, const char *text, size_t size,
                     struct lauka_error *error);

/* Adds what the session came to, with an entry for each of its revisions. False and no error, if it has no values to keep.
 * The session has been analysed. *added: number of new entries. */
bool lauka_store_add(const struct lauka_store *store, struct lauka_session *session, size_t *added,
                     struct lauka_error *error);

/* Reads all files in the order of their commits, for which it asks git, those of other commits by their time, as their
 * names have both. What is damaged or foreign is reported on stderr, and left out. */
bool lauka_store_read(struct lauka_store *store, struct lauka_history *history,
                      struct lauka_error *error);

/* ---- confirm.c: measuring again ------------------------------------------------------------------ */

/* Asks of each suspected step whether its two commits differ, and keeps the answers. The history is read again
 * afterwards. */
bool lauka_history_confirm(const struct lauka_store *store, const struct lauka_history *history,
                           const struct lauka_options *options, struct lauka_error *error);

/* Measures every Nth commit of a range in one session, and adds it. */
bool lauka_history_backfill(const struct lauka_store *store, const struct lauka_history *history,
                            const struct lauka_options *options, struct lauka_error *error);

/* ---- history.c ----------------------------------------------------------------------------------- */

/* Does what `lauka history` was asked for. *code: the exit code, if it is done. */
bool lauka_history_run(const struct lauka_options *options, FILE *out, int *code,
                       struct lauka_error *error);

/* Adds a finished session to the folder of --history. */
bool lauka_history_keep(const struct lauka_options *options, struct lauka_session *session,
                        struct lauka_error *error);

/* For two stored sessions with --history: how far earlier sessions of the same commands were apart, in each metric of the
 * results. */
bool lauka_history_compare(const struct lauka_options *options, struct lauka_session *session,
                           struct lauka_error *error);

#endif
