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
#include <unistd.h>

struct lauka_read_executable {
    struct lauka_file_stamp stamp;
    bool hashed; /* it may not be readable */
    uint8_t sha256[LAUKA_SHA256_SIZE];
};

/* Whether they are of one file, however it was changed. */
static bool are_of_one_file(const struct lauka_file_stamp *a, const struct lauka_file_stamp *b)
{
    return a->device == b->device && a->inode == b->inode;
}

bool lauka_file_stamp_is_same(const struct lauka_file_stamp *a, const struct lauka_file_stamp *b)
{
    return are_of_one_file(a, b) && a->size == b->size && a->modified_ns == b->modified_ns;
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

static bool is_known(const char *path, struct lauka_file_stamp *stamp)
{
    return path && lauka_file_stamp_read(path, stamp) == 0;
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

/* Without memory it is read again. */
static void add(struct lauka_executables *executables, const struct lauka_read_executable *file)
{
    struct lauka_read_executable *added =
        lauka_list_add(&executables->files, &executables->count, sizeof *added);

    if (added)
        *added = *file;
}

bool lauka_executables_hash(struct lauka_executables *executables, const char *path,
                            uint8_t digest[LAUKA_SHA256_SIZE])
{
    struct lauka_read_executable own = {0};
    struct lauka_file_stamp before;

    if (lauka_file_stamp_read(path, &before) != 0)
        return false;
    const struct lauka_read_executable *known = find(executables, &before);
    if (!known) {
        FILE *file = open_plain(path, &own.stamp);
        if (!file)
            return false;
        own.hashed = lauka_sha256(file, own.sha256);
        fclose(file);
        known = &own;
        add(executables, &own);
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

    if (!is_known(a->path, &stamps[0]) || !is_known(b->path, &stamps[1]) ||
        stamps[0].size != stamps[1].size)
        return false;
    if (are_of_one_file(&stamps[0], &stamps[1]))
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
           (is_known(a ? a : ".", &stamps[0]) && is_known(b ? b : ".", &stamps[1]) &&
            are_of_one_file(&stamps[0], &stamps[1]));
}

static bool is_same_command(struct lauka_executables *executables, const struct lauka_command *a,
                            const struct lauka_command *b)
{
    return lauka_words_are_same(a->argv + 1, b->argv + 1) &&
           lauka_words_are_same(a->environment, b->environment) &&
           lauka_text_is(a->input_file, b->input_file) && a->output == b->output &&
           have_the_same_hooks(a, b) && is_same_place(a->directory, b->directory) &&
           execute_the_same(executables, a, b);
}

void lauka_executables_compare(struct lauka_executables *executables,
                               const struct lauka_options *options, struct lauka_result *result)
{
    bool wanted = !options->measure.pretended && options->verb != LAUKA_VERB_NOISE;

    for (size_t c = 1; wanted && c < result->command_count; c++)
        result->commands[c].is_same =
            is_same_command(executables, &options->run.commands[0], &options->run.commands[c]);
}

/* ---- how the files of commands lie in the page cache ------------------------------------------- */

/* Byte-identical files differ in how they came there, and their runs by up to 2 % of a short program. Once all
 * are brought there in the same way, they are alike. */

/* One part in so many of the time that a benchmark may take: 2 %. */
enum { SHARE = 50 };
#define TRIAL_BYTES (UINT64_C(1) << 20) /* the first file's beginning tells how long all take */

struct lauka_placed_file {
    struct lauka_file_stamp stamp;
    enum lauka_placement how;
};

/* ---- which files -------------------------------------------------------------------------------- */

static struct lauka_placed_file *find_placed(const struct lauka_executables *executables,
                                             const struct lauka_file_stamp *stamp)
{
    for (size_t i = 0; i < executables->placed_count; i++)
        if (are_of_one_file(&executables->placed[i].stamp, stamp))
            return &executables->placed[i];
    return NULL;
}

/* Such as an interpreter or a shell, in whose lines lauka looks for no programs. */
static bool is_shared_by_all(const struct lauka_options *options)
{
    struct lauka_file_stamp first, other;
    bool shared = is_known(options->run.commands[0].path, &first);

    for (size_t c = 1; c < options->run.command_count && shared; c++)
        shared = is_known(options->run.commands[c].path, &other) && are_of_one_file(&other, &first);
    return shared;
}

/* A plain file, opened as its user may. -1: it cannot be placed, and *how says why. */
static int open_file(const char *path, enum lauka_placement *how)
{
    int descriptor = lauka_file_open_plain(path);

    *how = descriptor >= 0 ? LAUKA_PLACEMENT_MEMORY : LAUKA_PLACEMENT_UNREADABLE;
    if (descriptor < 0 || !lauka_page_cache_is_all(descriptor))
        return descriptor;
    close(descriptor);
    return -1;
}

/* Waits for the disk. If that fails, the file can only be left alone. */
static enum lauka_placement write_back(const char *path)
{
    enum lauka_placement how;
    int descriptor = open_file(path, &how);

    if (descriptor < 0)
        return how;
    int failure = lauka_page_cache_write_back(descriptor);
    close(descriptor);
    return failure == ENOTSUP ? LAUKA_PLACEMENT_UNSUPPORTED
           : failure          ? LAUKA_PLACEMENT_UNREADABLE
                              : LAUKA_PLACEMENT_REREAD;
}

static int add_placed(struct lauka_executables *executables, const struct lauka_file_stamp *stamp,
                      enum lauka_placement how)
{
    struct lauka_placed_file *added =
        lauka_list_add(&executables->placed, &executables->placed_count, sizeof *added);

    if (!added)
        return ENOMEM;
    *added = (struct lauka_placed_file){*stamp, how};
    return 0;
}

/* ---- bringing them there ------------------------------------------------------------------------- */

struct batch { /* files that no benchmark before this one had */
    struct lauka_executables *executables;
    const struct lauka_options *options;
    const char **paths; /* owned array of borrowed paths, each file's */
    size_t first;       /* of executables->placed, the file of paths[0] */
    uint64_t begun_ns, allowed_ns;
};

/* Those that must be read again. */
static uint64_t bytes_to_read(const struct batch *batch)
{
    uint64_t bytes = 0;

    for (size_t i = batch->first; i < batch->executables->placed_count; i++)
        if (batch->executables->placed[i].how == LAUKA_PLACEMENT_REREAD)
            bytes += batch->executables->placed[i].stamp.size;
    return bytes;
}

static void reread(const struct batch *batch, size_t i, uint64_t bytes)
{
    struct lauka_placed_file *file = &batch->executables->placed[batch->first + i];
    enum lauka_placement ignored;
    int descriptor = open_file(batch->paths[i], &ignored);

    if (descriptor < 0 || lauka_page_cache_reread(descriptor, bytes) != 0)
        file->how = LAUKA_PLACEMENT_UNREADABLE;
    if (descriptor >= 0)
        close(descriptor);
}

/* All or none, because a few alone would be no more alike. */
static void give_up(const struct batch *batch)
{
    for (size_t i = batch->first; i < batch->executables->placed_count; i++)
        if (batch->executables->placed[i].how == LAUKA_PLACEMENT_REREAD)
            batch->executables->placed[i].how = LAUKA_PLACEMENT_LONG;
}

/* The small beginning shows how long all of it takes. */
static void reread_all(const struct batch *batch)
{
    const size_t count = batch->executables->placed_count - batch->first;
    const struct lauka_placed_file *files =
        count > 0 ? batch->executables->placed + batch->first : NULL;
    const uint64_t all = bytes_to_read(batch);
    bool tried = false;

    for (size_t i = 0; i < count; i++) {
        if (files[i].how != LAUKA_PLACEMENT_REREAD || files[i].stamp.size == 0)
            continue;
        uint64_t begun_ns = lauka_now_ns();
        uint64_t trial = files[i].stamp.size < TRIAL_BYTES ? files[i].stamp.size : TRIAL_BYTES;
        if (!tried) {
            reread(batch, i, trial);
            uint64_t took_ns = lauka_now_ns() - begun_ns;
            double whole_ns = (double)took_ns * ((double)all / (double)trial);
            if (whole_ns + (double)(begun_ns - batch->begun_ns) > (double)batch->allowed_ns) {
                give_up(batch);
                return;
            }
        }
        if (tried || trial < files[i].stamp.size)
            reread(batch, i, files[i].stamp.size);
        tried = true;
    }
}

/* The share of the time that the benchmark's commands, and with --budget all benchmarks, may take. */
static uint64_t allowed_ns(const struct lauka_options *options, uint64_t gone_ns)
{
    uint64_t commands =
        options->run.command_count / (options->run.layouts ? options->run.layouts : 1);
    uint64_t own = commands * options->measure.max_time_ns / SHARE;
    uint64_t all = options->measure.budget_ns / SHARE;
    uint64_t left = all > gone_ns ? all - gone_ns : 0;

    return options->measure.budget_ns > 0 && left < own ? left : own;
}

static int collect(struct batch *batch)
{
    int failure = 0;

    for (size_t c = 0; c < batch->options->run.command_count && !failure; c++) {
        const char *path = batch->options->run.commands[c].path;
        struct lauka_file_stamp stamp;
        if (!is_known(path, &stamp) || find_placed(batch->executables, &stamp))
            continue;
        batch->paths[batch->executables->placed_count - batch->first] = path;
        failure = add_placed(batch->executables, &stamp, write_back(path));
    }
    return failure;
}

int lauka_placement_make(struct lauka_executables *executables, const struct lauka_options *options)
{
    struct batch batch = {.executables = executables,
                          .options = options,
                          .first = executables->placed_count,
                          .begun_ns = lauka_now_ns(),
                          .allowed_ns = allowed_ns(options, executables->placing_ns)};

    if (options->measure.placing == LAUKA_PLACING_KEEP || options->run.command_count < 2 ||
        is_shared_by_all(options))
        return 0;
    batch.paths = calloc(options->run.command_count, sizeof *batch.paths);
    int failure = batch.paths ? collect(&batch) : ENOMEM;
    if (!failure)
        reread_all(&batch);
    free(batch.paths);
    executables->placing_ns += lauka_now_ns() - batch.begun_ns;
    return failure;
}

/* ---- what a result tells of it ------------------------------------------------------------------- */

static enum lauka_placement placement_of(const struct lauka_executables *executables,
                                         const char *path)
{
    struct lauka_file_stamp stamp;
    const struct lauka_placed_file *file =
        is_known(path, &stamp) ? find_placed(executables, &stamp) : NULL;

    return file ? file->how : LAUKA_PLACEMENT_UNKNOWN;
}

void lauka_placement_describe(const struct lauka_executables *executables,
                              const struct lauka_options *options, struct lauka_result *result)
{
    bool shared =
        !options->measure.pretended && options->run.command_count > 0 && is_shared_by_all(options);

    for (size_t c = 0; c < result->command_count && !options->measure.pretended; c++)
        result->commands[c].executable.placement =
            shared ? LAUKA_PLACEMENT_SHARED
            : options->measure.placing == LAUKA_PLACING_KEEP
                ? LAUKA_PLACEMENT_KEPT
                : placement_of(executables, options->run.commands[c].path);
}
