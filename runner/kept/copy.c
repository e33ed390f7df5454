/* What writes to the store: a program and the files beside it become an object, with the layout that they have; then the
 * manifest that names it takes its place. */
#include "runner/kept/kept.h"
#include "report/json/json.h"
#include "report/json/parts.h"
#include "report/result/lists.h"
#include "report/result/record.h"
#include "runner/command/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct copying {
    const struct lauka_kept_store *store;
    struct lauka_kept_manifest *manifest;
    char *target; /* the new object */
    char *root;   /* the folder, without links, that becomes the object */
    char **tops;  /* all that is kept: paths without links */
    size_t top_count;
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
    return lauka_fail(copying->error, LAUKA_EXIT_USAGE, "%.600s %s; nothing was kept", path, why);
}

/* ---- one file or folder ----------------------------------------------------------------------------- */

/* Without memory there is none, and the error says so. path: below the root, with a slash in front. */
static struct lauka_kept_file *add_file(const struct copying *copying, const char *path,
                                        const char *link)
{
    struct lauka_kept_manifest *manifest = copying->manifest;
    struct lauka_kept_file *file = NULL;

    if (manifest->file_count >= LAUKA_LIST_LONG)
        lauka_fail(copying->error, LAUKA_EXIT_USAGE,
                   "more than %d files: name what the program needs by --with", LAUKA_LIST_LONG);
    else if (!(file = lauka_list_add(&manifest->files, &manifest->file_count, sizeof *file)) ||
             !(file->path = strdup(path + 1)) || (link && !(file->link = strdup(link))))
        lauka_fail_memory(copying->error);
    return file && file->path && (!link || file->link) ? file : NULL;
}

static bool copy_file(const struct copying *copying, const char *path, const struct stat *about,
                      const char *to)
{
    uint8_t digest[LAUKA_SHA256_SIZE];
    struct stat copy;

    if (about->st_mode & (S_ISUID | S_ISGID))
        return refuse(copying, path, "is set-uid or set-gid: a copy would run as another user");
    int failure = lauka_file_copy(path, to);
    if (failure)
        return fail(copying, path, failure);
    struct lauka_kept_file *file = add_file(copying, path + strlen(copying->root), NULL);
    if (!file)
        return false;
    if (stat(to, &copy) != 0 || !lauka_executable_hash(to, digest))
        return fail(copying, to, errno);
    file->bytes = (uint64_t)copy.st_size;
    file->mode = copy.st_mode & 07777;
    file->sha256 = malloc(2 * sizeof digest + 1);
    return file->sha256 ? lauka_hex_put(digest, sizeof digest, file->sha256) != NULL
                        : lauka_fail_memory(copying->error);
}

/* A link stays one if it leads to something that is kept; otherwise the file takes its place. */
static bool copy_link(const struct copying *copying, const char *path, const char *to)
{
    char text[4096], *leads_to = realpath(path, NULL);
    ssize_t length = readlink(path, text, sizeof text - 1);
    struct stat about;
    bool stays = false;

    for (size_t i = 0; leads_to && length > 0 && *text != '/' && i < copying->top_count; i++)
        stays |= lauka_path_is_in(leads_to, copying->tops[i]);
    free(leads_to);
    if (stays) {
        text[length] = '\0';
        return symlink(text, to) == 0
                   ? add_file(copying, path + strlen(copying->root), text) != NULL
                   : fail(copying, to, errno);
    }
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return refuse(copying, path,
                      "is a link to something that is not kept: name that by --with");
    return copy_file(copying, path, &about, to);
}

static bool copy(const struct copying *copying, const char *path);

static bool copy_folder(const struct copying *copying, const char *path, const char *to)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    bool good = (folder && (mkdir(to, 0700) == 0 || errno == EEXIST)) || fail(copying, path, errno);

    while (good && (errno = 0, entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            good = copy(copying,
                        lauka_arena_print(copying->store->arena, "%s/%s", path, entry->d_name));
    good = good && (errno == 0 || fail(copying, path, errno));
    if (folder)
        closedir(folder);
    int failure = good ? lauka_folder_sync(to) : 0;
    return good && (!failure || fail(copying, to, failure));
}

/* Copies it to its place, unless it is already there. */
static bool copy(const struct copying *copying, const char *path)
{
    const char *to = lauka_arena_print(copying->store->arena, "%s%s", copying->target,
                                       path + strlen(copying->root));
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

static bool find_tops(struct copying *copying, const char *program, const struct lauka_texts *withs)
{
    struct lauka_arena *arena = copying->store->arena;

    copying->tops = lauka_arena_take(arena, (withs->count + 1) * sizeof *copying->tops);
    copying->root = lauka_arena_text(arena, program);
    go_up(copying->root);
    copying->tops[copying->top_count++] = lauka_arena_text(arena, program);
    for (size_t i = 0; i < withs->count; i++) {
        char *path = realpath(withs->texts[i], NULL);
        if (!path)
            return lauka_fail(copying->error, LAUKA_EXIT_USAGE,
                              "--with %.600s: %s; nothing was kept", withs->texts[i],
                              strerror(errno));
        copying->tops[copying->top_count++] = lauka_arena_text(arena, path);
        while (*copying->root && !lauka_path_is_in(path, copying->root))
            go_up(copying->root);
        free(path);
    }
    return true;
}

/* With the folders on its way. */
static bool copy_top(const struct copying *copying, const char *path)
{
    char *to = lauka_arena_print(copying->store->arena, "%s%s", copying->target,
                                 path + strlen(copying->root));
    const size_t first = strlen(copying->target);

    for (size_t i = first; to[i]; i++)
        if (to[i] == '/') {
            to[i] = '\0';
            (void)mkdir(to, 0700); /* unless it is there */
            to[i] = '/';
        }
    if (!copy(copying, path))
        return false;
    while (strlen(to) > first) {
        go_up(to);
        int failure = lauka_folder_sync(to);
        if (failure)
            return fail(copying, to, failure);
    }
    return true;
}

static int compare_files(const void *a, const void *b)
{
    return strcmp(((const struct lauka_kept_file *)a)->path,
                  ((const struct lauka_kept_file *)b)->path);
}

/* The hash of what the files are. */
static bool name_object(const struct copying *copying)
{
    struct lauka_kept_manifest *manifest = copying->manifest;
    uint8_t digest[LAUKA_SHA256_SIZE];
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    qsort(manifest->files, manifest->file_count, sizeof *manifest->files, compare_files);
    for (size_t i = 0; to && i < manifest->file_count; i++) {
        const struct lauka_kept_file *file = &manifest->files[i];
        fprintf(to, "%s%c%s%c%o\n", file->path, 0, file->link ? file->link : file->sha256, 0,
                (unsigned)file->mode);
    }
    if (to && fclose(to) == 0 && (manifest->object = malloc(2 * sizeof digest + 1))) {
        lauka_sha256_of(text, size, digest);
        lauka_hex_put(digest, sizeof digest, manifest->object);
    }
    free(text);
    return manifest->object || lauka_fail_memory(copying->error);
}

/* The same files may be there already, and may be damaged. */
static bool place_object(const struct copying *copying)
{
    const struct lauka_kept_store *store = copying->store;
    const char *path = lauka_kept_path(store, "objects", copying->manifest->object);
    struct lauka_error ignored;

    if (access(path, F_OK) == 0 && lauka_kept_check(store, copying->manifest, &ignored))
        return lauka_tree_remove(copying->target) || fail(copying, copying->target, errno);
    if (!lauka_tree_remove(path) || rename(copying->target, path) != 0)
        return fail(copying, path, errno);
    int failure = lauka_folder_sync(lauka_kept_path(store, "objects", NULL));
    return !failure || fail(copying, path, failure);
}

static bool copy_all(const struct lauka_kept_store *store, const char *program,
                     const struct lauka_texts *withs, struct lauka_kept_manifest *manifest,
                     struct lauka_error *error)
{
    struct copying copying = {.store = store, .manifest = manifest, .error = error};

    copying.target = lauka_kept_path(store, "new", NULL);
    bool good = find_tops(&copying, program, withs) &&
                ((lauka_tree_remove(copying.target) && mkdir(copying.target, 0700) == 0) ||
                 fail(&copying, copying.target, errno));
    for (size_t i = 0; good && i < copying.top_count; i++)
        good = copy_top(&copying, copying.tops[i]);
    good = good && name_object(&copying) && place_object(&copying);
    manifest->program = good ? strdup(program + strlen(copying.root) + 1) : NULL;
    if (!good)
        (void)lauka_tree_remove(copying.target);
    return good && (manifest->program || lauka_fail_memory(error));
}

/* ---- the manifest ---------------------------------------------------------------------------------- */

static int write_manifest(const struct lauka_kept_store *store,
                          const struct lauka_kept_manifest *manifest)
{
    const char *fresh = lauka_kept_path(store, "new.json", NULL);
    int descriptor = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");

    if (!file && descriptor >= 0)
        close(descriptor);
    if (!file)
        return errno;
    struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_TABS, file);
    lauka_document_record(&document, NULL, &lauka_kept_manifest_record, manifest);
    int failure = lauka_file_place(file, lauka_document_finish(&document), fresh,
                                   lauka_kept_manifest_path(store, manifest->about.name));
    return failure ? failure : lauka_folder_sync(lauka_kept_path(store, "names", NULL));
}

/* ---- what is not needed any more ----------------------------------------------------------------------- */

/* Whether a manifest names the object; also if one cannot be read. */
static bool is_named(const struct lauka_kept_store *store, char *const *names, size_t count,
                     const char *object)
{
    bool named = false;

    for (size_t i = 0; i < count && !named; i++) {
        struct lauka_kept_manifest manifest;
        struct lauka_error ignored;
        named = !lauka_kept_read(store, names[i], &manifest, &ignored) ||
                strcmp(manifest.object, object) == 0;
        lauka_record_done(&lauka_kept_manifest_record, &manifest);
    }
    return named;
}

/* Unless a session is about to run it. */
static void remove_object(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) == 0)
        (void)lauka_tree_remove(path);
    if (folder >= 0)
        close(folder);
}

static void sweep(const struct lauka_kept_store *store)
{
    struct dirent *entry;
    size_t count;
    char **names;

    (void)lauka_tree_remove(lauka_kept_path(store, "new", NULL));
    (void)unlink(lauka_kept_path(store, "new.json", NULL));
    DIR *objects = lauka_kept_names(store, &names, &count)
                       ? opendir(lauka_kept_path(store, "objects", NULL))
                       : NULL;
    while (objects && (entry = readdir(objects)))
        if (*entry->d_name != '.' && !is_named(store, names, count, entry->d_name))
            remove_object(lauka_kept_path(store, "objects", entry->d_name));
    if (objects)
        closedir(objects);
}

bool lauka_kept_put(const struct lauka_kept_store *store, const char *program,
                    const struct lauka_texts *withs, struct lauka_kept_manifest *manifest,
                    struct lauka_error *error)
{
    bool good = copy_all(store, program, withs, manifest, error);
    int failure = good ? write_manifest(store, manifest) : 0;

    if (failure)
        good = lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s; @%s is as before", store->folder,
                          strerror(failure), manifest->about.name);
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
