/* Which other files a program needs to run: the interpreter of a script, or shared libraries, found as the loader finds
 * them (ld.so(8)). Versions of a library for newer processors, in glibc-hwcaps, are not looked for. */
#include "runner/command/command.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIBRARIES_MOST = 500, NEEDED_SIZE = 16384 };

struct search {
    struct lauka_arena *arena;
    uint32_t kind; /* of the program */
    char *cache;   /* owned: the loader's file; NULL: none */
    size_t cache_size;
    char **found; /* paths, each once */
    size_t count;
};

/* ---- one library ----------------------------------------------------------------------------------- */

static bool has_kind(const char *path, uint32_t kind)
{
    FILE *file = lauka_file_stream(path);
    bool good = file && lauka_elf_kind(file) == kind;

    if (file)
        fclose(file);
    return good;
}

/* "$ORIGIN/../lib" is a folder beside the file that says so. */
static char *expand(struct lauka_arena *arena, const char *folder, size_t length,
                    const char *origin)
{
    static const char *const names[] = {"$ORIGIN", "${ORIGIN}"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t size = strlen(names[i]);
        if (length >= size && strncmp(folder, names[i], size) == 0)
            return lauka_arena_print(arena, "%s%.*s", origin, (int)(length - size), folder + size);
    }
    return lauka_arena_piece(arena, folder, length);
}

/* Along folders with colons between them; NULL if it is in none. */
static char *look_along(const struct search *search, const char *folders, const char *origin,
                        const char *name)
{
    for (size_t length; folders && *folders; folders += length + (folders[length] == ':')) {
        length = strcspn(folders, ":");
        char *folder = expand(search->arena, folders, length, origin);
        char *path = lauka_arena_print(search->arena, "%s/%s", *folder ? folder : ".", name);
        if (has_kind(path, search->kind))
            return path;
    }
    return NULL;
}

/* Among the texts of /etc/ld.so.cache, whatever its version: they are ended by NUL, and paths are absolute. */
static char *look_into_cache(const struct search *search, const char *name)
{
    const char *text = search->cache, *end = text ? text + search->cache_size : NULL;

    for (const char *stop; text && (stop = memchr(text, 0, (size_t)(end - text)));
         text = stop + 1) {
        const char *slash = *text == '/' ? strrchr(text, '/') : NULL;
        if (slash && strcmp(slash + 1, name) == 0 && has_kind(text, search->kind))
            return lauka_arena_text(search->arena, text);
    }
    return NULL;
}

static char *find_library(const struct search *search, const char *run_path, const char *origin,
                          const char *name)
{
    char *path = look_along(search, run_path, origin, name);

    if (strchr(name, '/'))
        return lauka_arena_text(search->arena, name);
    if (!path)
        path = look_along(search, getenv("LD_LIBRARY_PATH"), origin, name);
    if (!path)
        path = look_into_cache(search, name);
    return path ? path : look_along(search, "/lib:/usr/lib:/lib64:/usr/lib64", origin, name);
}

/* ---- all of them ------------------------------------------------------------------------------------- */

static void add(struct search *search, char *path)
{
    for (size_t i = 0; i < search->count; i++)
        if (strcmp(search->found[i], path) == 0)
            return;
    if (search->count < LIBRARIES_MOST)
        *(char **)lauka_arena_add(search->arena, &search->found, &search->count, sizeof path) =
            path;
}

static void add_needed(struct search *search, const char *path)
{
    char *texts = lauka_arena_take(search->arena, NEEDED_SIZE), *name = texts;
    const char *slash = strrchr(path, '/');
    const char *origin =
        slash ? lauka_arena_piece(search->arena, path, (size_t)(slash - path)) : ".";
    FILE *file = lauka_file_stream(path);

    if (!file)
        return;
    lauka_elf_needed(file, texts, NEEDED_SIZE);
    fclose(file);
    while (*(name += strlen(name) + 1)) {
        char *found = find_library(search, texts, origin, name);
        if (found)
            add(search, found);
    }
}

/* The interpreter that the first line of a script names; NULL: it is none, or has none. */
static char *find_interpreter(struct lauka_arena *arena, FILE *script)
{
    char line[256] = "", *rest = line + 2;

    rewind(script);
    if (!fgets(line, sizeof line, script) || strncmp(line, "#!", 2) != 0)
        return NULL;
    const char *word = strtok_r(rest, " \t\r\n", &rest), *slash = word ? strrchr(word, '/') : NULL;
    if (slash && strcmp(slash, "/env") == 0)
        while ((word = strtok_r(rest, " \t\r\n", &rest)) && (*word == '-' || strchr(word, '=')))
            ;
    char *found = word ? lauka_command_find(word) : NULL;
    char *path = found ? lauka_arena_text(arena, found) : NULL;
    free(found);
    return path;
}

void lauka_needed_files_visit(struct lauka_arena *arena, const char *program,
                              void (*one)(void *context, const char *path), void *context)
{
    static const char cache[] = "/etc/ld.so.cache";
    struct search search = {.arena = arena};
    struct lauka_error ignored;
    FILE *file = lauka_file_stream(program);

    if (!file)
        return;
    search.kind = lauka_elf_kind(file);
    char *interpreter = search.kind ? NULL : find_interpreter(arena, file);
    fclose(file);
    if (interpreter)
        one(context, interpreter);
    if (!search.kind)
        return;
    search.cache = lauka_file_read(cache, &search.cache_size, &ignored);
    add_needed(&search, program);
    for (size_t i = 0; i < search.count; i++) {
        add_needed(&search, search.found[i]);
        one(context, search.found[i]);
    }
    free(search.cache);
}

char *lauka_build_of(struct lauka_arena *arena, const char *path)
{
    char id[LAUKA_BUILD_ID_SIZE], hex[2 * LAUKA_SHA256_SIZE + 1];
    uint8_t digest[LAUKA_SHA256_SIZE];
    FILE *file = lauka_file_stream(path);

    if (!file)
        return NULL;
    const bool has_id = lauka_build_id_find(file, id);
    rewind(file);
    const bool hashed = !has_id && lauka_sha256(file, digest);
    fclose(file);
    return has_id ? lauka_arena_text(arena, id)
           : hashed
               ? lauka_arena_print(arena, "sha256:%s", lauka_hex_put(digest, sizeof digest, hex))
               : NULL;
}
