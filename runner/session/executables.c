/* The files that commands execute: their content, read once a session, and whether two commands run the
 * same. */
#include "runner/session/session.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/machine/machine.h"
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct lauka_read_executable {
    struct lauka_file_stamp stamp;
    bool hashed; /* it may not be readable */
    uint8_t sha256[LAUKA_SHA256_SIZE];
};

bool lauka_file_stamp_is_same(const struct lauka_file_stamp *a, const struct lauka_file_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->modified_ns == b->modified_ns;
}

static struct lauka_file_stamp stamp_of(const struct stat *about)
{
    return (struct lauka_file_stamp){
        .known = true,
        .device = (uint64_t)about->st_dev,
        .inode = (uint64_t)about->st_ino,
        .size = (uint64_t)about->st_size,
        .modified_ns = lauka_modified_ns(about),
    };
}

int lauka_file_stamp_read(const char *path, struct lauka_file_stamp *stamp)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return errno;
    *stamp = stamp_of(&about);
    return 0;
}

/* ---- what is in them ----------------------------------------------------------------------------- */

/* NULL if there is none. */
static FILE *open_plain(const char *path, struct lauka_file_stamp *stamp)
{
    struct stat about;
    FILE *file = lauka_file_stream(path);

    *stamp =
        file && fstat(fileno(file), &about) == 0 ? stamp_of(&about) : (struct lauka_file_stamp){0};
    return file;
}

static const struct lauka_read_executable *find(const struct lauka_executables *executables,
                                                const struct lauka_file_stamp *stamp)
{
    for (size_t i = 0; i < executables->count; i++)
        if (lauka_file_stamp_is_same(&executables->files[i].stamp, stamp))
            return &executables->files[i];
    return NULL;
}

static const struct lauka_read_executable *add(struct lauka_executables *executables,
                                               const struct lauka_read_executable *file)
{
    struct lauka_read_executable *grown =
        realloc(executables->files, (executables->count + 1) * sizeof *grown);

    if (!grown)
        return NULL;
    executables->files = grown;
    grown[executables->count] = *file;
    return &grown[executables->count++];
}

bool lauka_executables_hash(struct lauka_executables *executables, const char *path,
                            uint8_t digest[LAUKA_SHA256_SIZE])
{
    struct lauka_read_executable own = {0};
    struct lauka_file_stamp before;
    const struct lauka_read_executable *known = NULL;

    if (lauka_file_stamp_read(path, &before) != 0)
        return false;
    known = find(executables, &before);
    if (!known) {
        FILE *file = open_plain(path, &own.stamp);
        if (!file)
            return false;
        own.hashed = lauka_sha256(file, own.sha256);
        fclose(file);
        known = &own;
        (void)add(executables, &own); /* without memory it is read again */
    }
    memcpy(digest, known->sha256, LAUKA_SHA256_SIZE);
    return known->hashed;
}

void lauka_executables_done(struct lauka_executables *executables)
{
    free(executables->files);
    free(executables->placed);
    *executables = (struct lauka_executables){0};
}

/* ---- what a result tells of them ----------------------------------------------------------------- */

/* Returns 0 or ENOMEM. */
static int describe_build(const char *path, struct lauka_result_executable *to)
{
    char build_id[LAUKA_BUILD_ID_SIZE];
    struct lauka_file_stamp stamp;
    FILE *file = open_plain(path, &stamp);
    int failure = 0;

    if (!file)
        return 0;
    if (lauka_build_id_find(file, build_id) && !(to->build_id = strdup(build_id)))
        failure = ENOMEM;
    fclose(file);
    return failure;
}

static int describe(struct lauka_executables *executables, const char *path,
                    struct lauka_result_executable *to)
{
    struct lauka_file_stamp stamp;
    uint8_t digest[LAUKA_SHA256_SIZE];

    if (lauka_file_stamp_read(path, &stamp) != 0)
        return 0;
    to->bytes = stamp.size;
    if (lauka_executables_hash(executables, path, digest)) {
        to->sha256 = malloc(2 * sizeof digest + 1);
        if (!to->sha256)
            return ENOMEM;
        lauka_hex_put(digest, sizeof digest, to->sha256);
    }
    return describe_build(path, to);
}

int lauka_executables_describe(struct lauka_executables *executables, struct lauka_result *result)
{
    int failure = 0;

    for (size_t c = 0; c < result->command_count && !failure; c++)
        if (result->commands[c].path)
            failure =
                describe(executables, result->commands[c].path, &result->commands[c].executable);
    return failure;
}

/* ---- whether two commands run the same ------------------------------------------------------------ */

/* From a place on; NULL is a list of none. */
static bool are_same_texts(char *const *a, char *const *b)
{
    static char *const none[] = {NULL};

    a = a ? a : none;
    b = b ? b : none;
    while (*a && *b && strcmp(*a, *b) == 0) {
        a++;
        b++;
    }
    return !*a && !*b;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* One file under two names may be a program that acts according to its name. */
static bool execute_the_same(struct lauka_executables *executables, const struct lauka_command *a,
                             const struct lauka_command *b)
{
    struct lauka_file_stamp stamps[2];
    uint8_t digests[2][LAUKA_SHA256_SIZE];

    if (!a->path || !b->path || lauka_file_stamp_read(a->path, &stamps[0]) != 0 ||
        lauka_file_stamp_read(b->path, &stamps[1]) != 0 || stamps[0].size != stamps[1].size)
        return false;
    if (stamps[0].device == stamps[1].device && stamps[0].inode == stamps[1].inode)
        return strcmp(last_part(a->argv[0]), last_part(b->argv[0])) == 0;
    return lauka_executables_hash(executables, a->path, digests[0]) &&
           lauka_executables_hash(executables, b->path, digests[1]) &&
           memcmp(digests[0], digests[1], sizeof digests[0]) == 0;
}

/* Hooks make what a command finds. */
static bool have_the_same_hooks(const struct lauka_command *a, const struct lauka_command *b)
{
    bool same = true;

    for (int hook = 0; hook < LAUKA_HOOKS; hook++)
        same = same && lauka_text_is(a->hooks[hook], b->hooks[hook]);
    return same;
}

static bool is_same_place(const char *a, const char *b)
{
    struct lauka_file_stamp stamps[2];

    return lauka_text_is(a, b) ||
           (lauka_file_stamp_read(a ? a : ".", &stamps[0]) == 0 &&
            lauka_file_stamp_read(b ? b : ".", &stamps[1]) == 0 &&
            stamps[0].device == stamps[1].device && stamps[0].inode == stamps[1].inode);
}

static bool is_same_command(struct lauka_executables *executables, const struct lauka_command *a,
                            const struct lauka_command *b)
{
    return are_same_texts(a->argv + 1, b->argv + 1) &&
           are_same_texts(a->environment, b->environment) &&
           lauka_text_is(a->input_file, b->input_file) && a->output == b->output &&
           have_the_same_hooks(a, b) && is_same_place(a->directory, b->directory) &&
           execute_the_same(executables, a, b);
}

void lauka_executables_compare(struct lauka_executables *executables,
                               const struct lauka_options *options, struct lauka_result *result)
{
    bool wanted = !options->pretended && options->verb != LAUKA_VERB_NOISE;

    for (size_t c = 1; wanted && c < result->command_count; c++)
        result->commands[c].is_same =
            is_same_command(executables, &options->commands[0], &options->commands[c]);
}
