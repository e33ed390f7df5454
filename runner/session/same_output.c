/* --same-output: whether all commands write the same, in one discarded round before the measured ones and one after
 * them. Output of any size is compared in bounded memory: it is hashed in blocks while the command runs, and kept are the
 * reference's first block, its hashes, and the block of the other side in which they first differ. */
#include "runner/session/loop.h"
#include "runner/session/session.h"
#include "report/result/lists.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    BLOCK = 1 << 16, /* B */
    BEFORE = 24,     /* B of a line that are shown in front of the difference, */
    SHOWN = 72,      /* and of all of it */
};

enum outlet { STDOUT, OUTPUT_FILE, OUTLETS };

/* What the reference wrote in its first run. */
struct written {
    uint8_t (*digests)[LAUKA_SHA256_SIZE]; /* owned; by block */
    size_t count;
    char *head; /* owned; the first block */
    size_t head_size;
    uint64_t size; /* B */
};

/* An output on its way. All of it is taken, because a command must not wait for a reader that has seen enough. */
struct reading {
    struct written *known; /* borrowed; what it is compared with, or made of if `records` */
    bool records;
    size_t wanted;  /* a block to keep, whatever is in it; SIZE_MAX: the first that differs */
    char *block;    /* BLOCK bytes */
    size_t size;    /* B in it */
    size_t number;  /* of this block */
    uint64_t lines; /* that ended before it */
    bool within;    /* the block begins within a line */
    bool kept;      /* the block stays as it is: all that follows is ignored */
    bool out_of_memory;
};

struct side { /* a command whose output goes to lauka, and the filter of its file */
    size_t number, filter_number;
    char *file; /* of the options' arena; the path of its --output-file; NULL: none */
};

struct lauka_same_output {
    struct lauka_loop *loop; /* borrowed */
    struct side *sides;      /* of the options' arena; by command that is executed */
    struct written of[OUTLETS];
    struct reading reading;
    char *other; /* owned; a second block, to show two lines */
    bool recorded;
};

/* ---- blocks ----------------------------------------------------------------------------------------- */

static bool record_block(struct reading *reading, const uint8_t *digest)
{
    struct written *known = reading->known;

    if (known->count == 0) {
        known->head = malloc(reading->size);
        if (!known->head)
            return false;
        memcpy(known->head, reading->block, reading->size);
        known->head_size = reading->size;
    }
    uint8_t(*added)[LAUKA_SHA256_SIZE] =
        lauka_list_add(&known->digests, &known->count, sizeof *known->digests);
    if (!added)
        return false;
    memcpy(*added, digest, sizeof *added);
    known->size += reading->size;
    return true;
}

/* Lets go of the block, but for the number of its lines. */
static void leave_block(struct reading *reading)
{
    for (size_t i = 0; i < reading->size; i++)
        reading->lines += reading->block[i] == '\n';
    reading->within = reading->block[reading->size - 1] != '\n';
    reading->size = 0;
    reading->number++;
}

static bool is_known(const struct reading *reading, const uint8_t *digest)
{
    const struct written *known = reading->known;

    return reading->number < known->count &&
           memcmp(known->digests[reading->number], digest, LAUKA_SHA256_SIZE) == 0;
}

static void end_block(struct reading *reading)
{
    uint8_t digest[LAUKA_SHA256_SIZE];

    lauka_sha256_of(reading->block, reading->size, digest);
    if (reading->records)
        reading->out_of_memory = reading->out_of_memory || !record_block(reading, digest);
    else if (reading->wanted == SIZE_MAX ? !is_known(reading, digest)
                                         : reading->number == reading->wanted)
        reading->kept = true;
    if (!reading->kept)
        leave_block(reading);
}

static void take(struct reading *reading, const char *bytes, size_t size)
{
    while (size > 0 && !reading->kept && !reading->out_of_memory) {
        size_t some = BLOCK - reading->size < size ? BLOCK - reading->size : size;
        memcpy(reading->block + reading->size, bytes, some);
        reading->size += some;
        bytes += some;
        size -= some;
        if (reading->size == BLOCK)
            end_block(reading);
    }
}

/* The output ends. Also what is missing is a difference: then the block is empty. */
static void end_output(struct reading *reading)
{
    if (!reading->kept && reading->size > 0)
        end_block(reading);
    if (!reading->kept && !reading->records && reading->number < reading->known->count)
        reading->kept = true;
}

static void hear(void *context, enum lauka_outlet outlet, const char *bytes, size_t size)
{
    if (outlet == LAUKA_OUTLET_STDOUT)
        take(context, bytes, size);
}

/* ---- the first line that differs ---------------------------------------------------------------------- */

struct block {
    const char *bytes;
    size_t size;
};

/* Writes what is around an offset of the line that begins at `begin`, in quotes; control characters, and what is not
 * ASCII, as \n or \xff. cut: the line begins before the block. */
static void show_line(struct block block, size_t begin, size_t at, bool cut, char *text,
                      size_t room)
{
    const size_t from = at - begin > SHOWN - BEFORE ? at - BEFORE : begin;
    size_t used = (size_t)snprintf(text, room, "\"%s", from > begin || cut ? "..." : "");

    if (at >= block.size && at == begin && !cut) {
        snprintf(text, room, "nothing");
        return;
    }
    for (size_t i = from; i < block.size && block.bytes[i] != '\n'; i++) {
        const unsigned char byte = (unsigned char)block.bytes[i];
        if (i - from == SHOWN || used + 12 > room) {
            used += (size_t)snprintf(text + used, room - used, "...");
            break;
        }
        used += (size_t)snprintf(text + used, room - used,
                                 byte == '\\'                 ? "\\%c"
                                 : byte >= ' ' && byte < 0x7f ? "%c"
                                                              : "\\x%02x",
                                 byte);
    }
    snprintf(text + used, room - used, "\"");
}

/* One block for each side; the reading is of one of them, and what came before is the same. */
static void show_difference(const struct reading *reading, struct block own, struct block known,
                            char *text, size_t size)
{
    char lines[2][SHOWN * 4 + 12];
    size_t at = 0, begin = 0;
    uint64_t number = reading->lines + 1;

    for (; at < own.size && at < known.size && own.bytes[at] == known.bytes[at]; at++)
        if (own.bytes[at] == '\n') {
            number++;
            begin = at + 1;
        }
    const bool cut = begin == 0 && reading->within;
    show_line(own, begin, at, cut, lines[0], sizeof lines[0]);
    show_line(known, begin, at, cut, lines[1], sizeof lines[1]);
    if (strcmp(lines[0], lines[1]) == 0)
        snprintf(text, size, "line %llu is %.150s in both, and only one of them ends it",
                 (unsigned long long)number, lines[0]);
    else
        snprintf(text, size, "line %llu is %.150s instead of %.150s", (unsigned long long)number,
                 lines[0], lines[1]);
}

/* ---- commands ----------------------------------------------------------------------------------------- */

/* Its exit code is the command's; or 125, if the filter fails. What a filter does not read (head -n 5) is thrown away, so
 * that the command does not end by SIGPIPE. */
static const char through_filter[] =
    "exec 4>&1\n"
    "{ { \"$@\" 3>&- 4>&-; echo $? >&3; } |\n"
    "{ sh -c \"$LAUKA_FILTER\" 3>&- >&4 4>&- || echo 125 >&3; cat >/dev/null; }; } 3>&1 |\n"
    "{ code=0; while read -r one; do [ $code = 125 ] || [ \"$one\" = 0 ] || code=$one; done\n"
    "exit $code; }";

static const char *filter_of(const struct lauka_same_output *same)
{
    const char *filter = same->loop->options->run.same_output;

    return filter && *filter ? filter : NULL;
}

/* The command's variables, and the filter's text. Owned by the caller. */
static char **with_filter(struct lauka_arena *arena, char **environment, const char *filter)
{
    static const char *const none[] = {NULL};
    const char *const own[] = {lauka_arena_print(arena, "LAUKA_FILTER=%s", filter), NULL};

    return *own ? lauka_words_join(environment ? (const char *const *)environment : none, own)
                : NULL;
}

/* The same to execute, with its stdout, perhaps through a filter, going to lauka. */
static bool add_command(struct lauka_same_output *same, const struct lauka_command *command,
                        struct lauka_error *error)
{
    static const char *const words[] = {"sh", "-c", through_filter, "sh", NULL};
    struct lauka_tool tool = {.path = "/bin/sh", .words = words, .slower = 1};
    struct lauka_command heard = *command; /* borrows */

    heard.output = LAUKA_OUTPUT_KEPT;
    if (!filter_of(same))
        return lauka_launcher_add(same->loop->bench->launcher, &heard, error);
    heard.environment =
        with_filter(same->loop->options->arena, command->environment, filter_of(same));
    bool good = heard.environment
                    ? lauka_launcher_add_under(same->loop->bench->launcher, &tool, &heard, error)
                    : lauka_fail_memory(error);
    free(heard.environment);
    return good;
}

/* The filter with the file as its input. */
static bool add_file_filter(struct lauka_same_output *same, const struct lauka_command *command,
                            char *file, struct lauka_error *error)
{
    static char sh[] = "/bin/sh", option[] = "-c", name[] = "filter";
    char *words[] = {sh, option, (char *)(uintptr_t)filter_of(same),
                     NULL}; /* nobody writes there */
    struct lauka_command filter = {.label = name,
                                   .argv = words,
                                   .path = sh,
                                   .directory = command->directory,
                                   .output = LAUKA_OUTPUT_KEPT,
                                   .input_file = file,
                                   .is_hook = true};

    return lauka_launcher_add(same->loop->bench->launcher, &filter, error);
}

static bool add_side(struct lauka_same_output *same, size_t c, struct lauka_error *error)
{
    const struct lauka_command *command = &same->loop->acting.run.commands[c];
    struct lauka_launcher *launcher = same->loop->bench->launcher;
    const char *file = command->compared_file;
    struct side *side = &same->sides[c];

    side->number = lauka_launcher_count_commands(launcher);
    if (!add_command(same, command, error))
        return false;
    if (!file)
        return true;
    const char *folder = *file == '/' || !command->directory ? "" : command->directory;
    side->file =
        lauka_arena_print(same->loop->options->arena, "%s%s%s", folder, *folder ? "/" : "", file);
    side->filter_number = lauka_launcher_count_commands(launcher);
    return side->file ? !filter_of(same) || add_file_filter(same, command, side->file, error)
                      : lauka_fail_memory(error);
}

/* ---- one run ------------------------------------------------------------------------------------------ */

/* Which of the commands that are executed belongs to which of the session's. */
static size_t command_of(const struct lauka_loop *loop, size_t variant)
{
    return variant / lauka_loop_layouts(loop);
}

static enum lauka_round_end fail(struct lauka_same_output *same, size_t variant,
                                 const struct lauka_sample *sample, const char *reason)
{
    struct lauka_loop *loop = same->loop;

    loop->executor.failure = (struct lauka_failure){
        .command = command_of(loop, variant),
        .layout = loop->options->run.layouts ? variant % loop->options->run.layouts + 1 : 0,
        .warmup = true,
        .sample = sample ? *sample : (struct lauka_sample){0}};
    snprintf(loop->executor.failure.reason, sizeof loop->executor.failure.reason, "%s", reason);
    if (sample) {
        size_t size;
        const char *tail = lauka_launcher_stderr(loop->bench->launcher, &size);
        memcpy(loop->executor.failure.stderr_tail, tail, size);
    }
    return lauka_loop_end_outside(loop);
}

static enum lauka_round_end launch(struct lauka_same_output *same, size_t variant, size_t number,
                                   bool is_filter, struct lauka_error *error)
{
    struct lauka_loop *loop = same->loop;
    struct lauka_run_name name = {.command = command_of(loop, variant)};
    struct lauka_sample sample;

    lauka_launcher_name_run(loop->bench->launcher, &name);
    lauka_launcher_listen(loop->bench->launcher, hear, &same->reading);
    bool good = lauka_launcher_run(loop->bench->launcher, number, &sample, error);
    lauka_launcher_listen(loop->bench->launcher, NULL, NULL);
    if (!good)
        return ROUND_BROKEN;
    if (lauka_interrupt_signal())
        return ROUND_INTERRUPTED;
    if (filter_of(same) && sample.outcome == LAUKA_EXITED &&
        (is_filter ? sample.code != 0 : sample.code == 125))
        return fail(same, variant, &sample,
                    "its output could not be compared: the filter of --same-output failed (add "
                    "\"|| true\" if that is no error)");
    return is_filter || lauka_mishaps_is_success(&loop->acting, variant, &sample)
               ? ROUND_FINISHED
               : fail(same, variant, &sample, "");
}

/* What is in the file. A file that is not there, or was not written, is no output. */
static enum lauka_round_end read_file(struct lauka_same_output *same, size_t variant,
                                      struct lauka_error *error)
{
    const struct side *side = &same->sides[variant];
    char reason[400], chunk[8192];
    struct stat about;
    size_t got;

    FILE *file = lauka_file_stream(side->file);
    if (!file || fstat(fileno(file), &about) != 0 || about.st_mtime == 0) {
        snprintf(reason, sizeof reason, "%s %.300s, its --output-file",
                 file ? "did not write" : "left no file", side->file);
        if (file)
            fclose(file);
        return fail(same, variant, NULL, reason);
    }
    while (!filter_of(same) && (got = fread(chunk, 1, sizeof chunk, file)) > 0 &&
           !lauka_interrupt_signal())
        take(&same->reading, chunk, got);
    bool good = !ferror(file);
    fclose(file);
    if (!good) {
        snprintf(reason, sizeof reason, "its --output-file %.300s cannot be read", side->file);
        return fail(same, variant, NULL, reason);
    }
    if (lauka_interrupt_signal())
        return ROUND_INTERRUPTED;
    return filter_of(same) ? launch(same, variant, side->filter_number, true, error)
                           : ROUND_FINISHED;
}

/* So that a file which the command does not write is told from one that it does: 1970 is not now. */
static void make_old(const char *path)
{
    const struct timespec old[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 0}};

    (void)utimensat(AT_FDCWD, path, old, 0);
}

static void begin_reading(struct lauka_same_output *same, enum outlet outlet, bool records,
                          size_t wanted)
{
    char *block = same->reading.block;

    same->reading = (struct reading){
        .known = &same->of[outlet], .records = records, .wanted = wanted, .block = block};
}

/* One run of a command, with its hooks, of which this output is read: all others are ignored. */
static enum lauka_round_end read_output(struct lauka_same_output *same, size_t variant,
                                        enum outlet outlet, struct lauka_error *error)
{
    const struct lauka_run run = {
        .command = command_of(same->loop, variant), .variant = variant, .warmup = true};
    struct side *side = &same->sides[variant];
    const bool to_file = outlet == OUTPUT_FILE;

    enum lauka_round_end end = lauka_outside_begin(same->loop, &run, error);
    if (end == ROUND_FINISHED && to_file)
        make_old(side->file);
    same->reading.kept = to_file; /* of the command's stdout nothing is read then */
    if (end == ROUND_FINISHED)
        end = launch(same, variant, side->number, false, error);
    same->reading.kept = false;
    if (end == ROUND_FINISHED && to_file)
        end = read_file(same, variant, error);
    end_output(&same->reading);
    if (end == ROUND_FINISHED && same->reading.out_of_memory)
        end = lauka_loop_lose_memory(error);
    return lauka_outside_end(same->loop, &run, end, error);
}

/* ---- comparing ---------------------------------------------------------------------------------------- */

/* The reference runs once more, because its block is not kept; the reading's own block is in same->other then. */
static enum lauka_round_end fetch_block(struct lauka_same_output *same, enum outlet outlet,
                                        struct block *block, bool *is_same,
                                        struct lauka_error *error)
{
    const struct reading own = same->reading;
    uint8_t digest[LAUKA_SHA256_SIZE];

    memcpy(same->other, own.block, own.size);
    begin_reading(same, outlet, false, own.number);
    enum lauka_round_end end = read_output(same, 0, outlet, error);
    const size_t size = same->reading.size;
    *block = (struct block){same->reading.block, size};
    lauka_sha256_of(same->reading.block, size, digest);
    *is_same = end == ROUND_FINISHED && is_known(&same->reading, digest);
    same->reading = own;
    return end;
}

static enum lauka_round_end say_difference(struct lauka_same_output *same, size_t variant,
                                           enum outlet outlet, struct lauka_error *error)
{
    const struct written *known = &same->of[outlet];
    const bool ended = same->reading.number >= known->count;
    struct block own = {same->reading.block, same->reading.size}, other = {"", 0};
    char text[400] = "it writes something else in every run", reason[500];
    enum lauka_round_end end = ROUND_FINISHED;
    bool is_same = true;

    if (!ended && same->reading.number == 0)
        other = (struct block){known->head, known->head_size};
    else if (!ended) {
        end = fetch_block(same, outlet, &other, &is_same, error);
        own.bytes = same->other;
    }
    if (end != ROUND_FINISHED)
        return end;
    if (is_same)
        show_difference(&same->reading, own, other, text, sizeof text);
    snprintf(reason, sizeof reason, "%s differs from %s: %s",
             outlet == STDOUT ? "its stdout" : "its --output-file",
             !is_same || command_of(same->loop, variant) == 0 ? "that of an earlier run"
                                                              : "the first command's",
             text);
    end = fail(same, is_same ? variant : 0, NULL, reason);
    same->loop->bench->failure.differs = true;
    return end;
}

static enum lauka_round_end compare(struct lauka_same_output *same, size_t variant,
                                    enum outlet outlet, struct lauka_error *error)
{
    begin_reading(same, outlet, !same->recorded, SIZE_MAX);
    enum lauka_round_end end = read_output(same, variant, outlet, error);
    if (end != ROUND_FINISHED || !same->reading.kept)
        return end;
    return say_difference(same, variant, outlet, error);
}

/* All outputs of the commands that run next. */
static enum lauka_round_end compare_all(struct lauka_same_output *same, struct lauka_error *error)
{
    struct lauka_loop *loop = same->loop;
    enum lauka_round_end end = ROUND_FINISHED;

    for (size_t v = lauka_loop_first_acting(loop); v < lauka_loop_end_acting(loop); v++) {
        lauka_showing_step(loop,
                           (struct lauka_progress_step){.phase = "output of command",
                                                        .number = v + 1,
                                                        .total = loop->acting.run.command_count});
        end = compare(same, v, STDOUT, error);
        if (end == ROUND_FINISHED && same->sides[v].file)
            end = compare(same, v, OUTPUT_FILE, error);
        same->recorded = true;
        if (end != ROUND_FINISHED)
            return end;
    }
    return end;
}

/* ---- before and after --------------------------------------------------------------------------------- */

static bool open_sides(struct lauka_loop *loop, struct lauka_error *error)
{
    struct lauka_same_output *same = loop->same_output = calloc(1, sizeof *same);

    if (!same)
        return lauka_loop_fail_memory(error);
    same->loop = loop;
    same->sides = lauka_arena_take(loop->options->arena,
                                   loop->acting.run.command_count * sizeof *same->sides);
    return same->sides || lauka_loop_fail_memory(error);
}

/* Benchmarks that wait for their turn keep no more than they need. */
static void release_blocks(struct lauka_same_output *same)
{
    free(same->reading.block);
    free(same->other);
    same->reading.block = same->other = NULL;
}

static enum lauka_round_end run(struct lauka_same_output *same, struct lauka_error *error)
{
    same->reading.block = malloc(BLOCK);
    same->other = malloc(BLOCK);
    enum lauka_round_end end = same->reading.block && same->other ? compare_all(same, error)
                                                                  : lauka_loop_lose_memory(error);
    lauka_progress_clear();
    release_blocks(same);
    return end;
}

enum lauka_round_end lauka_same_output_before(struct lauka_loop *loop, struct lauka_error *error)
{
    if (!loop->options->run.same_output)
        return ROUND_FINISHED;
    if (!loop->same_output && !open_sides(loop, error))
        return ROUND_BROKEN;
    for (size_t v = lauka_loop_first_acting(loop); v < lauka_loop_end_acting(loop); v++)
        if (!add_side(loop->same_output, v, error))
            return ROUND_BROKEN;
    return run(loop->same_output, error);
}

static int note(const struct lauka_same_output *same, struct lauka_result *result)
{
    char file[100] = "";
    const uint64_t size = same->of[STDOUT].size;
    const bool empty = size == 0 && same->of[OUTPUT_FILE].size == 0;

    if (same->sides[0].file)
        snprintf(file, sizeof file, ", %llu B to their --output-file",
                 (unsigned long long)same->of[OUTPUT_FILE].size);
    return lauka_result_note(
        result,
        "--same-output: all commands wrote the same before and after the rounds: %llu B to "
        "stdout%s%s",
        (unsigned long long)size, file, empty ? ", so nothing was compared" : "");
}

enum lauka_round_end lauka_same_output_after(struct lauka_loop *loop, struct lauka_error *error)
{
    if (!loop->same_output || lauka_interrupt_signal())
        return ROUND_FINISHED;
    enum lauka_round_end end = run(loop->same_output, error);
    if (end == ROUND_FINISHED && loop->first + loop->together == loop->options->run.command_count &&
        note(loop->same_output, loop->result) != 0)
        return lauka_loop_lose_memory(error);
    return end;
}

void lauka_same_output_done(struct lauka_loop *loop)
{
    struct lauka_same_output *same = loop->same_output;

    if (!same)
        return;
    for (int o = 0; o < OUTLETS; o++) {
        free(same->of[o].digests);
        free(same->of[o].head);
    }
    release_blocks(same);
    free(same);
    loop->same_output = NULL;
}
