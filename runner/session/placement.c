/* How the files of commands lie in the page cache. Byte-identical files differ in how they came there, and
 * their runs by up to 2 % of a short program. Once all are brought there in the same way, they are alike. */
#include "runner/session/session.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/machine/machine.h"
#include "runner/options.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* One part in so many of the time that a benchmark may take: 2 %. */
enum { SHARE = 50 };
#define TRIAL_BYTES (UINT64_C(1) << 20) /* the first file's beginning tells how long all take */

struct lauka_placed_file {
    uint64_t device, inode, size;
    enum lauka_placement how;
};

/* ---- which files -------------------------------------------------------------------------------- */

static struct lauka_placed_file *find(const struct lauka_executables *executables,
                                      const struct lauka_file_stamp *stamp)
{
    for (size_t i = 0; i < executables->placed_count; i++)
        if (executables->placed[i].device == stamp->device &&
            executables->placed[i].inode == stamp->inode)
            return &executables->placed[i];
    return NULL;
}

static bool is_known(const char *path, struct lauka_file_stamp *stamp)
{
    return path && lauka_file_stamp_read(path, stamp) == 0;
}

/* Such as an interpreter or a shell, in whose lines lauka looks for no programs. */
static bool is_shared_by_all(const struct lauka_options *options)
{
    struct lauka_file_stamp first, other;
    bool shared = is_known(options->commands[0].path, &first);

    for (size_t c = 1; c < options->command_count && shared; c++)
        shared = is_known(options->commands[c].path, &other) && other.device == first.device &&
                 other.inode == first.inode;
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

static int add(struct lauka_executables *executables, const struct lauka_file_stamp *stamp,
               enum lauka_placement how)
{
    size_t count = executables->placed_count + 1;
    struct lauka_placed_file *grown = realloc(executables->placed, count * sizeof *grown);

    if (!grown)
        return ENOMEM;
    grown[count - 1] = (struct lauka_placed_file){stamp->device, stamp->inode, stamp->size, how};
    executables->placed = grown;
    executables->placed_count = count;
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
            bytes += batch->executables->placed[i].size;
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
        if (files[i].how != LAUKA_PLACEMENT_REREAD || files[i].size == 0)
            continue;
        uint64_t begun_ns = lauka_now_ns();
        uint64_t trial = files[i].size < TRIAL_BYTES ? files[i].size : TRIAL_BYTES;
        if (!tried) {
            reread(batch, i, trial);
            uint64_t took_ns = lauka_now_ns() - begun_ns;
            double whole_ns = (double)took_ns * ((double)all / (double)trial);
            if (whole_ns + (double)(begun_ns - batch->begun_ns) > (double)batch->allowed_ns) {
                give_up(batch);
                return;
            }
        }
        if (tried || trial < files[i].size)
            reread(batch, i, files[i].size);
        tried = true;
    }
}

/* The share of the time that the benchmark's commands, and with --budget all benchmarks, may take. */
static uint64_t allowed_ns(const struct lauka_options *options, uint64_t gone_ns)
{
    uint64_t commands = options->command_count / (options->layouts ? options->layouts : 1);
    uint64_t own = commands * options->max_time_ns / SHARE;
    uint64_t all = options->budget_ns / SHARE;
    uint64_t left = all > gone_ns ? all - gone_ns : 0;

    return options->budget_ns > 0 && left < own ? left : own;
}

static int collect(struct batch *batch)
{
    int failure = 0;

    for (size_t c = 0; c < batch->options->command_count && !failure; c++) {
        const char *path = batch->options->commands[c].path;
        struct lauka_file_stamp stamp;
        if (!is_known(path, &stamp) || find(batch->executables, &stamp))
            continue;
        batch->paths[batch->executables->placed_count - batch->first] = path;
        failure = add(batch->executables, &stamp, write_back(path));
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

    if (options->placing == LAUKA_PLACING_KEEP || options->command_count < 2 ||
        is_shared_by_all(options))
        return 0;
    batch.paths = calloc(options->command_count, sizeof *batch.paths);
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
        is_known(path, &stamp) ? find(executables, &stamp) : NULL;

    return file ? file->how : LAUKA_PLACEMENT_UNKNOWN;
}

void lauka_placement_describe(const struct lauka_executables *executables,
                              const struct lauka_options *options, struct lauka_result *result)
{
    bool shared = !options->pretended && options->command_count > 0 && is_shared_by_all(options);

    for (size_t c = 0; c < result->command_count && !options->pretended; c++)
        result->commands[c].executable.placement =
            shared ? LAUKA_PLACEMENT_SHARED
            : options->placing == LAUKA_PLACING_KEEP
                ? LAUKA_PLACEMENT_KEPT
                : placement_of(executables, options->commands[c].path);
}
