/* The store of kept programs. A manifest is renamed to its name when everything that it names is on disk, so a program is
 * kept whole or not at all. Only one process writes at a time; reading needs no lock. */
#include "runner/kept/kept.h"
#include "report/load/load.h"
#include "report/result/record.h"
#include "report/text/text.h"
#include "runner/command/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MOST = 64 };

/* ---- the manifest ------------------------------------------------------------------------------- */

static const struct lauka_field file_fields[] = {
    {LAUKA_FIELD(BYTES, lauka_kept_file, path)},
    {LAUKA_FIELD(BYTES, lauka_kept_file, link), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(TEXT, lauka_kept_file, sha256), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(INTEGER, lauka_kept_file, bytes)},
    {LAUKA_FIELD(INTEGER, lauka_kept_file, mode)},
};
static const struct lauka_record_table file_record = {LAUKA_RECORD(lauka_kept_file, file_fields),
                                                      .one_line = true};

static const struct lauka_field build_fields[] = {
    {LAUKA_FIELD(BYTES, lauka_kept_build, path)},
    {LAUKA_FIELD(TEXT, lauka_kept_build, build)},
};
static const struct lauka_record_table build_record = {LAUKA_RECORD(lauka_kept_build, build_fields),
                                                       .one_line = true};

static const struct lauka_field manifest_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_kept_manifest, format)},
    {LAUKA_FIELD_AS(RECORD, lauka_kept_manifest, about, "kept"), .of = &lauka_kept_record},
    {LAUKA_FIELD(STRINGS, lauka_kept_manifest, argv)},
    {LAUKA_FIELD(BYTES, lauka_kept_manifest, directory), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(TEXT, lauka_kept_manifest, arch)},
    {LAUKA_FIELD(TEXT, lauka_kept_manifest, object)},
    {LAUKA_FIELD(BYTES, lauka_kept_manifest, program)},
    {LAUKA_FIELD(LIST, lauka_kept_manifest, files),
     LAUKA_ELEMENTS(lauka_kept_manifest, file_count, LAUKA_LIST_LONG, &file_record)},
    {LAUKA_FIELD(LIST, lauka_kept_manifest, builds),
     LAUKA_ELEMENTS(lauka_kept_manifest, build_count, LAUKA_LIST_SHORT, &build_record)},
};
const struct lauka_record_table lauka_kept_manifest_record = {
    LAUKA_RECORD(lauka_kept_manifest, manifest_fields)};

/* ---- the folder --------------------------------------------------------------------------------- */

char *lauka_kept_path(const struct lauka_kept_store *store, const char *folder, const char *name)
{
    return lauka_arena_print(store->arena, "%s/%s%s%s", store->folder, folder, name ? "/" : "",
                             name ? name : "");
}

static bool fail_at(const char *path, struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s; the kept programs are as before", path,
                      strerror(errno));
}

/* The lock ends with the process. */
static bool lock(struct lauka_kept_store *store, struct lauka_error *error)
{
    static const char *const folders[] = {"names", "objects"};
    const char *path = lauka_kept_path(store, "lock", NULL);

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        (void)mkdir(lauka_kept_path(store, folders[i], NULL), 0700); /* unless it is there */
    store->lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    while (store->lock >= 0 && flock(store->lock, LOCK_EX) != 0)
        if (errno != EINTR || lauka_interrupt_signal())
            return lauka_interrupt_signal()
                       ? lauka_fail(error, lauka_interrupt_exit(), "interrupted: nothing was kept")
                       : fail_at(path, error);
    return store->lock >= 0 || fail_at(path, error);
}

bool lauka_kept_store_open(struct lauka_arena *arena, const char *typed, bool writes,
                           struct lauka_kept_store *store, struct lauka_error *error)
{
    char *own = typed ? NULL : lauka_user_folder("XDG_DATA_HOME", ".local/share", "kept");
    const char *path = typed ? typed : own ? lauka_arena_text(arena, own) : NULL;
    bool is_exposed = false;
    struct lauka_error why;

    free(own);
    *store = (struct lauka_kept_store){.arena = arena, .lock = -1};
    if (!path)
        return lauka_fail(error, LAUKA_EXIT_HOST,
                          "kept programs are in $XDG_DATA_HOME, or below $HOME: neither is set; "
                          "--store DIR names a folder");
    store->folder = lauka_arena_text(arena, path);
    if (!writes && access(path, F_OK) != 0 && errno == ENOENT)
        return true; /* nothing was kept yet */
    char *folder = lauka_own_folder_make(path, &is_exposed, &why);
    if (folder)
        store->folder = lauka_arena_text(arena, folder);
    free(folder);
    if (!folder || is_exposed)
        return lauka_fail(error, LAUKA_EXIT_HOST,
                          "%.600s%s: kept programs are executed from there; --store can name a "
                          "folder of your own",
                          folder ? store->folder : why.text,
                          folder ? " is in a folder to which other users may write" : "");
    return !writes || lock(store, error);
}

/* ---- names ------------------------------------------------------------------------------------------ */

bool lauka_kept_name_is_valid(const char *name)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    const size_t length = strspn(name, letters);

    return length > 0 && length <= NAME_MOST && !name[length] && *name != '.' && *name != '-';
}

char *lauka_kept_manifest_path(const struct lauka_kept_store *store, const char *name)
{
    return lauka_kept_path(store, "names", lauka_arena_print(store->arena, "%s.json", name));
}

bool lauka_kept_names(const struct lauka_kept_store *store, char ***names, size_t *count)
{
    static const char end[] = ".json";
    DIR *folder = opendir(lauka_kept_path(store, "names", NULL));
    struct dirent *entry;

    *names = NULL;
    *count = 0;
    if (!folder)
        return errno == ENOENT;
    while (errno = 0, (entry = readdir(folder))) {
        const size_t length = strlen(entry->d_name), ending = sizeof end - 1;
        if (length <= ending || strcmp(entry->d_name + length - ending, end) != 0)
            continue;
        char *name = lauka_arena_piece(store->arena, entry->d_name, length - ending);
        if (lauka_kept_name_is_valid(name))
            *(char **)lauka_arena_add(store->arena, names, count, sizeof **names) = name;
    }
    const bool good = errno == 0;
    closedir(folder);
    if (*count > 0)
        qsort(*names, *count, sizeof **names, lauka_words_compare);
    return good;
}

static bool refuse_unknown(const struct lauka_kept_store *store, const char *name,
                           struct lauka_error *error)
{
    size_t count, nearest = 0, least = SIZE_MAX;
    char **names;

    (void)lauka_kept_names(store, &names, &count);
    for (size_t i = 0; i < count; i++) {
        const size_t far = lauka_name_distance(names[i], name);
        if (far < least) {
            least = far;
            nearest = i;
        }
    }
    if (count > 0 && least <= 3 && least < strlen(name))
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "no kept program is called %.100s: did you mean @%s? lauka keep lists "
                          "them",
                          name, names[nearest]);
    return lauka_fail(error, LAUKA_EXIT_USAGE, "no kept program is called %.100s; lauka keep %s",
                      name, count > 0 ? "lists them" : "NAME ./prog keeps one");
}

/* ---- manifests ---------------------------------------------------------------------------------------- */

/* Neither absolute nor with "..", as the store may have come through somebody's cache. */
static bool is_below(const char *path)
{
    bool good = *path && *path != '/';

    for (; good && *path; path += strcspn(path, "/"), path += *path == '/')
        good = strncmp(path, "..", 2) != 0 || (path[2] && path[2] != '/');
    return good;
}

static bool is_sound(const struct lauka_kept_manifest *manifest, const char *name)
{
    bool has_program = false, good = is_below(manifest->object) && !strchr(manifest->object, '/');

    for (size_t i = 0; good && i < manifest->file_count; i++) {
        const struct lauka_kept_file *file = &manifest->files[i];
        good = is_below(file->path) && (file->link || file->sha256);
        has_program |= !file->link && strcmp(file->path, manifest->program) == 0;
    }
    return good && has_program && manifest->argv[0] && strcmp(manifest->about.name, name) == 0;
}

bool lauka_kept_read(const struct lauka_kept_store *store, const char *name,
                     struct lauka_kept_manifest *manifest, struct lauka_error *error)
{
    const char *path = lauka_kept_manifest_path(store, name);
    struct lauka_load_error reason = {"the manifest names something else"};
    size_t size = 0;

    *manifest = (struct lauka_kept_manifest){0};
    if (!lauka_kept_name_is_valid(name) || (access(path, F_OK) != 0 && errno == ENOENT))
        return refuse_unknown(store, name, error);
    char *bytes = lauka_file_read(path, &size, error);
    if (!bytes)
        return false;
    const struct lauka_stored stored = {.name = path, .bytes = bytes, .size = size};
    int failure = lauka_load_record(&stored, &lauka_kept_manifest_record, manifest, &reason);
    free(bytes);
    if (failure == ENOMEM)
        return lauka_fail_memory(error);
    return (!failure && strcmp(manifest->format, LAUKA_KEPT_FORMAT) == 0 &&
            is_sound(manifest, name)) ||
           lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED,
                      "@%s is damaged, or another version of lauka kept it (%.600s): keep it again "
                      "with --replace",
                      name, reason.text);
}

/* ---- objects ------------------------------------------------------------------------------------------ */

/* What is wrong with a file; NULL if it is as it was kept. */
static const char *judge(const char *path, const struct lauka_kept_file *file)
{
    char text[4096], hex[2 * LAUKA_SHA256_SIZE + 1];
    uint8_t digest[LAUKA_SHA256_SIZE];
    struct stat about;

    if (lstat(path, &about) != 0)
        return "is missing";
    if (file->link) {
        const ssize_t length = readlink(path, text, sizeof text);
        return length == (ssize_t)strlen(file->link) &&
                       memcmp(text, file->link, (size_t)length) == 0
                   ? NULL
                   : "is another link";
    }
    if (!S_ISREG(about.st_mode) || (uint64_t)about.st_size != file->bytes)
        return "is damaged";
    if ((about.st_mode & 07777) != file->mode)
        return "has other permissions";
    if (!lauka_executable_hash(path, digest))
        return "cannot be read";
    return strcmp(lauka_hex_put(digest, sizeof digest, hex), file->sha256) == 0 ? NULL
                                                                                : "is damaged";
}

bool lauka_kept_check(const struct lauka_kept_store *store,
                      const struct lauka_kept_manifest *manifest, struct lauka_error *error)
{
    const char *object = lauka_kept_path(store, "objects", manifest->object);

    for (size_t i = 0; i < manifest->file_count; i++) {
        const struct lauka_kept_file *file = &manifest->files[i];
        const char *path = lauka_arena_print(store->arena, "%s/%s", object, file->path);
        const char *wrong = judge(path, file);
        if (wrong)
            return lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED,
                              "@%s: %.600s %s since it was kept: keep it again with --replace",
                              manifest->about.name, path, wrong);
    }
    return true;
}
