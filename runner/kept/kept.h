/* Kept programs: `lauka keep` copies a program with its arguments, and `@NAME` runs it again beside others. */
#ifndef LAUKA_RUNNER_KEPT_KEPT_H
#define LAUKA_RUNNER_KEPT_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/result/record.h"
#include "report/result/session.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"
#include "runner/options.h"

/* ---- store.c: a folder with manifests (names/NAME.json), and objects (objects/SHA256/): a program with the files
 * beside it, named by the hash of all of them -------------------------------------------------------------- */

#define LAUKA_KEPT_FORMAT "lauka-kept/1"

struct lauka_kept_manifest {
    char *format;
    struct lauka_result_kept about;
    char **argv;     /* owned, NULL-terminated; argv[0] as typed */
    char *directory; /* owned; where it was kept; NULL: not known */
    char *arch;      /* owned; of the machine, as uname(2) has it */
    char *object;    /* owned; hexadecimal digits */
    char *program;   /* owned; path below the object */
    uint64_t bytes;  /* of all files */
    char **files;    /* owned, NULL-terminated; see lauka_kept_line */
    /* owned, NULL-terminated; "BUILD PATH" of interpreters and shared libraries that were not kept: see lauka_build_of */
    char **builds;
};
extern const struct lauka_record_table lauka_kept_manifest_record;

struct lauka_kept_store {
    struct lauka_arena *arena; /* borrowed; handles memory exhaustion */
    char *folder;              /* in the arena; without links */
    int lock;                  /* descriptor, owned; -1: not held */
};

/* typed: the folder; NULL: the user's. writes: makes it, and waits until no other process writes to it. Fails with
 * LAUKA_EXIT_HOST if others could write to it, as programs are executed from there. The caller closes the lock in any case. */
bool lauka_kept_store_open(struct lauka_arena *arena, const char *typed, bool writes,
                           struct lauka_kept_store *store, struct lauka_error *error);

/* A path in the store, in the arena. name: of a file in the folder; NULL: the folder itself. */
char *lauka_kept_path(const struct lauka_kept_store *store, const char *folder, const char *name);

/* The file of a manifest; whether a program can have the name; all names in order, NULL-terminated, in the arena: NULL and
 * errno if some are not known. */
char *lauka_kept_manifest_path(const struct lauka_kept_store *store, const char *name);
bool lauka_kept_name_is_valid(const char *name);
char **lauka_kept_names(const struct lauka_kept_store *store);

/* Fails with LAUKA_EXIT_USAGE and the nearest name if there is none of this name, with LAUKA_EXIT_COMMAND_FAILED if its
 * manifest is damaged. Free the manifest in any case. */
bool lauka_kept_read(const struct lauka_kept_store *store, const char *name,
                     struct lauka_kept_manifest *manifest, struct lauka_error *error);

/* "HASH MODE PATH" of a file below this folder: the SHA-256 of its content, or of the text of a link; st_mode in octal
 * digits, without the permissions of links. In the arena. NULL and errno if it cannot be read. */
char *lauka_kept_line(struct lauka_arena *arena, const char *folder, const char *path);

/* Whether it can be the name of an object. */
bool lauka_kept_is_object(const char *name);

/* Checks by their hashes that all files are as they were kept; otherwise LAUKA_EXIT_COMMAND_FAILED. */
bool lauka_kept_check(const struct lauka_kept_store *store,
                      const struct lauka_kept_manifest *manifest, struct lauka_error *error);

/* ---- copy.c: what writes to the store ------------------------------------------------------------------ */

/* Copies the program, a path without links, and what is beside it; sets the manifest's files, builds, object and program, in
 * the arena, and puts it under its name, in place of another. If it fails, all names are as before, unless the error says
 * that it is done. The second forgets a program, also a damaged one. Both remove objects that no manifest names, also what an
 * interrupted process left, but none that a session holds by a shared lock; nothing if a manifest cannot be read. */
bool lauka_kept_put(const struct lauka_kept_store *store, const char *program,
                    const struct lauka_texts *withs, struct lauka_kept_manifest *manifest,
                    struct lauka_error *error);
bool lauka_kept_drop(const struct lauka_kept_store *store, const char *name,
                     struct lauka_error *error);

/* ---- keep.c: lauka keep -------------------------------------------------------------------------- */

/* Keeps a program, drops one, or lists all. `out` gets what was done. */
bool lauka_keep_act(const struct lauka_options *options, FILE *out, struct lauka_error *error);

/* ---- sides.c: @NAME as a command ------------------------------------------------------------------ */

struct lauka_kept_side {
    struct lauka_kept_manifest manifest; /* zeroed: the command runs no kept program */
    int hold;                            /* descriptor with a shared lock on the object; -1: none */
    bool is_again;                       /* an earlier side is the same kept program */
};

struct lauka_kept {                /* zeroed: no command runs a kept program */
    struct lauka_kept_side *sides; /* owned, one for each command */
    size_t count;
};

/* Turns commands that begin with @NAME into what was kept, after a check of its files. Fails with LAUKA_EXIT_USAGE for
 * unknown names, and where a kept program cannot be a side. Call _done in any case, when no command is used any more. */
bool lauka_kept_prepare(struct lauka_kept *kept, struct lauka_options *options,
                        struct lauka_error *error);

/* Records in the results which kept programs ran, with notes on what differs from when they were kept. Returns 0 or
 * ENOMEM. */
int lauka_kept_describe(const struct lauka_kept *kept, const struct lauka_options *options,
                        struct lauka_session *session);
void lauka_kept_done(struct lauka_kept *kept);

/* ", from commit 4f2a1c9 with changes"; empty where it is not known. Returns text. */
enum { LAUKA_KEPT_ORIGIN_SIZE = 60 };
const char *lauka_kept_origin(const struct lauka_result_kept *about,
                              char text[LAUKA_KEPT_ORIGIN_SIZE]);

#endif
