/* What writes to the store: a program and the files beside it become an object, with the layout that they have; then the
 * manifest that names it takes its place. */
#include "runner/kept/kept.h"
#include "report/json/json.h"
#include "report/json/parts.h"
#include "report/result/record.h"
#include "runner/command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Under the store's lock, so one at a time. No other tool uses these names, and a kill leaves them to the next. */
#define DRAFT ".lauka-draft"
#define MANIFEST_DRAFT ".lauka-draft.json"

struct copying {
    const struct lauka_kept_store *store;
    struct lauka_arena *arena; /* of the store; all texts are in it */
    struct lauka_kept_manifest *manifest;
    char *target;   /* the new object */
    char *root;     /* the folder, without links, that becomes the object; "": the root of all */
    char **tops;    /* all that is kept: paths without links */
    char **folders; /* that were made */
    size_t top_count, folder_count, file_count, build_count;
    struct lauka_error *error;
};

static bool fail(const struct copying *copying, const char *path, int failure)
{
    if (failure == EINTR && lauka_interrupt_signal())
        return lauka_fail(copying->error, lauka_interrupt_exit(), "interrupted: nothing was kept");
    return lauka_fail(copying->error, LAUKA_EXIT_HOST, "%.600s: %s; nothing was kept", path,
                      failure == EBUSY ? "it changed while it was copied" : strerror(failure));
}

static bool refuse(const struct copying *copying, const char *path, const char *why)
{
    return lauka_misuse(copying->error, "%.600s %s; nothing was kept", path, why);
}

/* Whether the file, behind all links, is kept, too. */
static bool is_kept(const struct copying *copying, const char *path)
{
    char *real = realpath(path, NULL);
    bool kept = false;

    for (size_t i = 0; real && i < copying->top_count; i++)
        kept |= lauka_path_is_in(real, copying->tops[i]);
    free(real);
    return kept;
}

/* ---- one file or folder ----------------------------------------------------------------------------- */

/* path: below the object. */
static bool add_file(struct copying *copying, const char *path)
{
    if (copying->file_count >= LAUKA_LIST_LONG)
        return lauka_misuse(
            copying->error,
            "more than %d files: name what the program needs by --with; nothing was "
            "kept",
            LAUKA_LIST_LONG);
    const char *line = lauka_kept_line(copying->arena, copying->target, path);
    if (!line)
        return fail(copying, path, errno);
    return lauka_arena_add_text(copying->arena, &copying->manifest->files, &copying->file_count,
                                line);
}

static bool copy_file(struct copying *copying, const char *path, const struct stat *about,
                      const char *to)
{
    if (about->st_mode & (S_ISUID | S_ISGID))
        return refuse(copying, path, "is set-uid or set-gid: a copy would run as another user");
    const int failure = lauka_file_copy(path, to);
    copying->manifest->bytes += (uint64_t)about->st_size;
    return failure ? fail(copying, path, failure)
                   : add_file(copying, path + strlen(copying->root) + 1);
}

/* A link stays one if it leads to something that is kept; otherwise the file takes its place. */
static bool copy_link(struct copying *copying, const char *path, const char *to)
{
    char text[4096];
    const ssize_t length = readlink(path, text, sizeof text - 1);
    struct stat about;

    if (length > 0 && *text != '/' && is_kept(copying, path)) {
        text[length] = '\0';
        return symlink(text, to) == 0 ? add_file(copying, path + strlen(copying->root) + 1)
                                      : fail(copying, to, errno);
    }
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return refuse(copying, path,
                      "is a link to something that is not kept: name that by --with");
    return copy_file(copying, path, &about, to);
}

static bool make_folder(struct copying *copying, const char *path)
{
    if (mkdir(path, 0700) != 0)
        return errno == EEXIST || fail(copying, path, errno);
    return lauka_arena_add_text(copying->arena, &copying->folders, &copying->folder_count,
                                lauka_arena_text(copying->arena, path));
}

static bool copy(struct copying *copying, const char *path);

static bool copy_folder(struct copying *copying, const char *path, const char *to)
{
    char **names = lauka_folder_names(copying->arena, path);
    bool good = (names || fail(copying, path, errno)) && make_folder(copying, to);

    for (; good && *names; names++)
        good =
            copy(copying, lauka_arena_print(copying->arena, "%s/%s", path[1] ? path : "", *names));
    return good;
}

/* Copies it to its place, unless it is already there. */
static bool copy(struct copying *copying, const char *path)
{
    const char *to =
        lauka_arena_print(copying->arena, "%s%s", copying->target, path + strlen(copying->root));
    struct stat about, there;

    if (lauka_path_is_in(path, copying->store->folder))
        return true;
    if (lstat(path, &about) != 0)
        return fail(copying, path, errno);
    if (S_ISDIR(about.st_mode))
        return copy_folder(copying, path, to);
    if (lstat(to, &there) == 0)
        return true;
    return S_ISLNK(about.st_mode)   ? copy_link(copying, path, to)
           : S_ISREG(about.st_mode) ? copy_file(copying, path, &about, to)
                                    : refuse(copying, path, "is no file, folder or link");
}

/* ---- all of it ---------------------------------------------------------------------------------------- */

static void go_up(char *path)
{
    char *slash = strrchr(path, '/');

    *(slash ? slash : path) = '\0';
}

static void add_top(struct copying *copying, const char *path)
{
    lauka_arena_add_text(copying->arena, &copying->tops, &copying->top_count,
                         lauka_arena_text(copying->arena, path));
}

static bool find_tops(struct copying *copying, const char *program, const struct lauka_texts *withs)
{
    copying->root = lauka_arena_text(copying->arena, program);
    go_up(copying->root);
    add_top(copying, program);
    for (size_t i = 0; i < withs->count; i++) {
        char *path = realpath(withs->texts[i], NULL);
        if (!path)
            return lauka_misuse(copying->error, "--with %.600s: %s; nothing was kept",
                                withs->texts[i], strerror(errno));
        add_top(copying, path);
        while (*copying->root && !lauka_path_is_in(path, copying->root))
            go_up(copying->root);
        free(path);
    }
    return !lauka_path_is_in(program, copying->store->folder) ||
           refuse(copying, program,
                  "is in the store itself: keep its original, or name another folder by --store");
}

/* With the folders on its way. */
static bool copy_top(struct copying *copying, const char *path)
{
    char *to = lauka_arena_print(copying->arena, "%s%s", copying->target,
                                 path + strlen(copying->root)),
         *end = to + strlen(copying->target);
    bool good = true;

    while (good && *end && (end = strchr(end + 1, '/'))) {
        *end = '\0';
        good = make_folder(copying, to);
        *end = '/';
    }
    return good && copy(copying, path);
}

/* Each line is hashed with the hash of those before it. */
static void name_object(struct copying *copying)
{
    struct lauka_kept_manifest *manifest = copying->manifest;
    uint8_t digest[LAUKA_SHA256_SIZE];

    qsort(manifest->files, copying->file_count, sizeof *manifest->files, lauka_words_compare);
    manifest->object = lauka_arena_take(copying->arena, 2 * sizeof digest + 1);
    for (size_t i = 0; i < copying->file_count; i++) {
        const char *text =
            lauka_arena_print(copying->arena, "%s%s", manifest->object, manifest->files[i]);
        lauka_sha256_of(text, strlen(text), digest);
        lauka_hex_put(digest, sizeof digest, manifest->object);
    }
    lauka_arena_add(copying->arena, &manifest->files, &copying->file_count, sizeof(char *));
}

/* The same files may be there already, and may be damaged. */
static bool place_object(struct copying *copying)
{
    const struct lauka_kept_store *store = copying->store;
    const char *path = lauka_kept_path(store, "objects", copying->manifest->object);
    struct lauka_error ignored;
    int failure = 0;

    if (access(path, F_OK) == 0 && lauka_kept_check(store, copying->manifest, &ignored))
        return lauka_tree_remove(copying->target) || fail(copying, copying->target, errno);
    for (size_t i = 0; i < copying->folder_count && !failure; i++)
        failure = lauka_folder_sync(copying->folders[i]);
    if (!failure && (!lauka_tree_remove(path) || rename(copying->target, path) != 0))
        failure = errno;
    failure = failure ? failure : lauka_folder_sync(lauka_kept_path(store, "objects", NULL));
    return !failure || fail(copying, path, failure);
}

static bool copy_all(struct copying *copying, const char *program)
{
    copying->target = lauka_kept_path(copying->store, DRAFT, NULL);
    bool good = (lauka_tree_remove(copying->target) || fail(copying, copying->target, errno)) &&
                make_folder(copying, copying->target);
    for (size_t i = 0; good && i < copying->top_count; i++)
        good = copy_top(copying, copying->tops[i]);
    if (good)
        name_object(copying);
    copying->manifest->program =
        lauka_arena_text(copying->arena, program + strlen(copying->root) + 1);
    return good && place_object(copying);
}

/* ---- the manifest ---------------------------------------------------------------------------------- */

/* What is not kept, and may be another build when the program runs again. */
static void add_build(void *context, const char *path)
{
    struct copying *copying = context;
    const char *build = is_kept(copying, path) ? NULL : lauka_build_of(copying->arena, path);

    if (build)
        lauka_arena_add_text(copying->arena, &copying->manifest->builds, &copying->build_count,
                             lauka_arena_print(copying->arena, "%s %s", build, path));
}

static int write_manifest(FILE *file, const void *manifest)
{
    struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_TABS, file);

    lauka_document_record(&document, NULL, &lauka_kept_manifest_record, manifest);
    return lauka_document_finish(&document);
}

static bool put_manifest(const struct copying *copying)
{
    const struct lauka_kept_store *store = copying->store;
    const char *name = copying->manifest->about.name;
    int failure =
        lauka_file_put(lauka_kept_path(store, MANIFEST_DRAFT, NULL),
                       lauka_kept_manifest_path(store, name), write_manifest, copying->manifest);

    const bool done = !failure;
    failure = done ? lauka_folder_sync(lauka_kept_path(store, "names", NULL)) : failure;
    return !failure ||
           lauka_fail(copying->error, LAUKA_EXIT_HOST, "%.600s: @%s: %s; %s", store->folder, name,
                      strerror(failure), done ? LAUKA_NOT_SYNCED : "it is as before");
}

/* ---- what is not needed any more ----------------------------------------------------------------------- */

/* Unless a session is about to run it. */
static void remove_object(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) == 0)
        (void)lauka_tree_remove(path);
    if (folder >= 0)
        close(folder);
}

/* Nothing that lauka would not have made. */
static void sweep(const struct lauka_kept_store *store)
{
    const char *folder = lauka_kept_path(store, "objects", NULL);
    char **names = lauka_kept_names(store), **objects = lauka_folder_names(store->arena, folder);
    bool known = names && objects;

    (void)lauka_tree_remove(lauka_kept_path(store, DRAFT, NULL));
    (void)unlink(lauka_kept_path(store, MANIFEST_DRAFT, NULL));
    for (; known && *names; names++) {
        struct lauka_kept_manifest manifest;
        struct lauka_error ignored;
        known = lauka_kept_read(store, *names, &manifest, &ignored);
        for (char **object = objects; known && *object; object++)
            if (strcmp(*object, manifest.object) == 0)
                **object = '\0'; /* it is needed */
        lauka_record_done(&lauka_kept_manifest_record, &manifest);
    }
    for (; known && *objects; objects++)
        if (lauka_kept_is_object(*objects))
            remove_object(lauka_kept_path(store, "objects", *objects));
}

bool lauka_kept_put(const struct lauka_kept_store *store, const char *program,
                    const struct lauka_texts *withs, struct lauka_kept_manifest *manifest,
                    struct lauka_error *error)
{
    struct copying copying = {
        .store = store, .arena = store->arena, .manifest = manifest, .error = error};

    if (!find_tops(&copying, program, withs))
        return false;
    lauka_needed_files_visit(store->arena, program, add_build, &copying);
    lauka_arena_add(store->arena, &manifest->builds, &copying.build_count, sizeof(char *));
    const bool good = copy_all(&copying, program) && put_manifest(&copying);
    sweep(store);
    return good;
}

bool lauka_kept_drop(const struct lauka_kept_store *store, const char *name,
                     struct lauka_error *error)
{
    struct lauka_kept_manifest manifest;
    const bool known = lauka_kept_read(store, name, &manifest, error);

    lauka_record_done(&lauka_kept_manifest_record, &manifest);
    if (!known && error->code == LAUKA_EXIT_USAGE)
        return false;
    if (unlink(lauka_kept_manifest_path(store, name)) != 0)
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", store->folder, strerror(errno));
    sweep(store);
    return true;
}
