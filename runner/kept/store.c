/* The store of kept programs. A manifest is renamed to its name when everything that it names is on disk, so a program is
 * kept whole or not at all. Only one process writes at a time; reading needs no lock. */
#include "runner/kept/kept.h"
#include "report/load/load.h"
#include "report/result/record.h"
#include "report/text/text.h"
#include "runner/command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MOST = 64, MANIFEST_MOST = 1 << 26 };

/* ---- the manifest ------------------------------------------------------------------------------- */

static const struct lauka_field manifest_fields[] = {
    {LAUKA_FIELD(TEXT, lauka_kept_manifest, format)},
    {LAUKA_FIELD_AS(RECORD, lauka_kept_manifest, about, "kept"), .of = &lauka_kept_record},
    {LAUKA_FIELD(STRINGS, lauka_kept_manifest, argv)},
    {LAUKA_FIELD(BYTES, lauka_kept_manifest, directory), LAUKA_IF_KNOWN},
    {LAUKA_FIELD(TEXT, lauka_kept_manifest, arch)},
    {LAUKA_FIELD(TEXT, lauka_kept_manifest, object)},
    {LAUKA_FIELD(BYTES, lauka_kept_manifest, program)},
    {LAUKA_FIELD(INTEGER, lauka_kept_manifest, bytes)},
    {LAUKA_FIELD(STRINGS, lauka_kept_manifest, files)},
    {LAUKA_FIELD(STRINGS, lauka_kept_manifest, builds)},
};
const struct lauka_record_table lauka_kept_manifest_record = {
    LAUKA_RECORD(lauka_kept_manifest, manifest_fields)};

/* ---- the folder --------------------------------------------------------------------------------- */

char *lauka_kept_path(const struct lauka_kept_store *store, const char *folder, const char *name)
{
    return lauka_arena_print(store->arena, "%s/%s%s%s", store->folder, folder, name ? "/" : "",
                             name ? name : "");
}

/* The lock ends with the process. */
static bool lock(struct lauka_kept_store *store, struct lauka_error *error)
{
    const char *path = lauka_kept_path(store, "lock", NULL);

    (void)mkdir(lauka_kept_path(store, "names", NULL), 0700); /* unless it is there */
    (void)mkdir(lauka_kept_path(store, "objects", NULL), 0700);
    store->lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    int failure = store->lock < 0 ? errno : 0;
    while (!failure && flock(store->lock, LOCK_EX) != 0)
        failure = errno == EINTR && !lauka_interrupt_signal() ? 0 : errno;
    if (failure && lauka_interrupt_signal())
        return lauka_fail(error, lauka_interrupt_exit(), "interrupted: nothing was kept");
    return !failure ||
           lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s; the kept programs are as before", path,
                      strerror(failure));
}

bool lauka_kept_store_open(struct lauka_arena *arena, const char *typed, bool writes,
                           struct lauka_kept_store *store, struct lauka_error *error)
{
    char *own = typed ? NULL : lauka_user_folder("XDG_DATA_HOME", ".local/share", "kept");
    bool is_exposed = false;
    struct lauka_error why;

    *store = (struct lauka_kept_store){.arena = arena, .lock = -1};
    if (typed || own)
        store->folder = lauka_arena_text(arena, typed ? typed : own);
    free(own);
    if (!store->folder)
        return lauka_fail(error, LAUKA_EXIT_HOST,
                          "kept programs are in $XDG_DATA_HOME, or below $HOME: neither is set; "
                          "--store DIR names a folder");
    if (!writes && access(store->folder, F_OK) != 0 && errno == ENOENT)
        return true; /* nothing was kept yet */
    char *folder = lauka_own_folder_make(store->folder, &is_exposed, &why);
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

char **lauka_kept_names(const struct lauka_kept_store *store)
{
    static const char end[] = ".json";
    char **names = lauka_folder_names(store->arena, lauka_kept_path(store, "names", NULL));
    size_t count = 0;

    if (!names)
        return errno == ENOENT ? lauka_arena_take(store->arena, sizeof *names) : NULL;
    for (char **file = names; *file; file++) {
        const size_t length = strlen(*file), ending = sizeof end - 1;
        if (length <= ending || strcmp(*file + length - ending, end) != 0)
            continue;
        (*file)[length - ending] = '\0';
        if (lauka_kept_name_is_valid(*file))
            names[count++] = *file;
    }
    names[count] = NULL;
    return names;
}

static bool refuse_unknown(const struct lauka_kept_store *store, const char *name,
                           struct lauka_error *error)
{
    char **names = lauka_kept_names(store);
    const char *nearest = NULL;
    size_t least = strlen(name) > 3 ? 4 : strlen(name);

    for (size_t i = 0; names && names[i]; i++) {
        const size_t far = lauka_name_distance(names[i], name);
        nearest = far < least ? names[i] : nearest;
        least = far < least ? far : least;
    }
    if (nearest)
        return lauka_misuse(error,
                            "no kept program is called %.100s: did you mean @%s? lauka keep lists "
                            "them",
                            name, nearest);
    return lauka_misuse(error, "no kept program is called %.100s; lauka keep %s", name,
                        names && *names ? "lists them" : "NAME ./prog keeps one");
}

/* ---- manifests ---------------------------------------------------------------------------------------- */

enum { HASH_DIGITS = 2 * LAUKA_SHA256_SIZE };

bool lauka_kept_is_object(const char *name)
{
    return strspn(name, "0123456789abcdef") == HASH_DIGITS && !name[HASH_DIGITS];
}

/* The path in a line of lauka_kept_line; NULL: it is none. The store may have come through somebody's cache. */
static const char *path_in(const char *line)
{
    const char *path = strlen(line) > HASH_DIGITS + 8 ? line + HASH_DIGITS + 8 : "";

    return lauka_path_is_below(path) ? path : NULL;
}

static bool is_sound(const struct lauka_kept_manifest *manifest, const char *name)
{
    bool has_program = false, good = lauka_kept_is_object(manifest->object);

    for (char *const *line = manifest->files; good && *line; line++) {
        const char *path = path_in(*line);
        good = path != NULL;
        has_program |= good && strcmp(path, manifest->program) == 0;
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
    char *bytes = lauka_file_read_plain(path, MANIFEST_MOST, &size);
    if (!bytes)
        return lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", path,
                          errno == EINVAL ? "it is no plain file" : strerror(errno));
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

char *lauka_kept_line(struct lauka_arena *arena, const char *folder, const char *path)
{
    char text[4096], hex[2 * LAUKA_SHA256_SIZE + 1];
    uint8_t digest[LAUKA_SHA256_SIZE];
    const char *whole = lauka_arena_print(arena, "%s/%s", folder, path);
    struct stat about;

    if (lstat(whole, &about) != 0)
        return NULL;
    const bool is_link = S_ISLNK(about.st_mode);
    const ssize_t length = is_link ? readlink(whole, text, sizeof text) : 0;
    if (is_link && length >= 0)
        lauka_sha256_of(text, (size_t)length, digest);
    else if (is_link || !S_ISREG(about.st_mode) || !lauka_executable_hash(whole, digest))
        return NULL;
    return lauka_arena_print(arena, "%s %06o %s", lauka_hex_put(digest, sizeof digest, hex),
                             (unsigned)(is_link ? S_IFLNK : about.st_mode), path);
}

bool lauka_kept_check(const struct lauka_kept_store *store,
                      const struct lauka_kept_manifest *manifest, struct lauka_error *error)
{
    const char *object = lauka_kept_path(store, "objects", manifest->object);

    for (char *const *line = manifest->files; *line; line++) {
        const char *path = path_in(*line), *now = lauka_kept_line(store->arena, object, path);
        if (!now || strcmp(now, *line) != 0)
            return lauka_fail(
                error, LAUKA_EXIT_COMMAND_FAILED,
                "@%s: %.300s/%.300s %s: keep it again with --replace", manifest->about.name, object,
                path, now ? "has changed since it was kept" : "is missing, or cannot be read");
    }
    return true;
}
