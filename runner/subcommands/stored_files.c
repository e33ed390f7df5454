/* Stored results, read again: of one file, the jobs of a session, logs of two sides; and what their benchmarks are. */
#include "runner/subcommands/subcommands.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILES_MAX = 1024 };

/* ---- a stored result, read again -------------------------------------------------------------- */

bool lauka_stored_refuse(int failure, const struct lauka_load_error *reason,
                         struct lauka_error *error)
{
    return failure == ENOMEM ? lauka_fail_memory(error) : lauka_misuse(error, "%s", reason->text);
}

/* Returns whole pages of bytes to the system that are no longer needed, although they are not freed. The pages at
 * either end may hold more than these bytes. */
static void forget(const char *bytes, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)bytes + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)bytes + size) / page * page;

    if (end > begin)
        (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
}

bool lauka_stored_read(const char *name, const char *column, struct lauka_session *session,
                       struct lauka_error *error)
{
    struct lauka_load_error reason;
    size_t size = 0;
    char *bytes = lauka_file_read(name, &size, error);
    bool good = bytes != NULL;
    if (good) {
        const struct lauka_stored stored = {
            .name = name, .bytes = bytes, .size = size, .column = column, .forget = forget};
        int failure = lauka_load_session(&stored, session, &reason);
        good = !failure || lauka_stored_refuse(failure, &reason, error);
    }
    free(bytes);
    return good;
}

/* ---- lauka merge: the files of the jobs of a session ------------------------------------------ */

static bool read_jobs(const struct lauka_options *options, struct lauka_job_file *jobs,
                      struct lauka_error *error)
{
    for (size_t i = 0; i < options->run.file_count; i++) {
        jobs[i].name = options->run.files[i];
        if (!lauka_stored_read(jobs[i].name, NULL, &jobs[i].session, error))
            return false;
    }
    return true;
}

/* Reads the options' files, and makes one of them, to be freed in any case. Files that do not belong together are a
 * usage error that says in what they differ. */
static bool merge_jobs(const struct lauka_options *options, struct lauka_stored_file *merged,
                       struct lauka_error *error)
{
    struct lauka_job_file *jobs =
        lauka_arena_take(options->arena, options->run.file_count * sizeof *jobs);
    struct lauka_load_error reason;

    merged->name = options->run.files[0];
    bool good = read_jobs(options, jobs, error);
    int failure = good ? lauka_jobs_join(jobs, options->run.file_count,
                                         options->run.missing_allowed, &merged->session, &reason)
                       : 0;
    for (size_t i = 0; i < options->run.file_count; i++)
        lauka_session_done(&jobs[i].session);
    return good && (!failure || lauka_stored_refuse(failure, &reason, error));
}

/* ---- commands of several files without benchmarks --------------------------------------------- */

/* Those with the same name are compared with each other, as if each name were a benchmark. */

static const struct lauka_result *result_of(const struct lauka_stored_file *file)
{
    return &file->session.benchmarks[0];
}

/* How many commands before this one have its label. */
static size_t count_before(const struct lauka_result *result, size_t command)
{
    size_t count = 0;

    for (size_t c = 0; c < command; c++)
        count += strcmp(result->commands[c].label, result->commands[command].label) == 0;
    return count;
}

/* Whether the file has a command with that label, and as many more of them. */
static bool has(const struct lauka_result *result, const char *label, size_t more)
{
    for (size_t c = 0; c < result->command_count; c++)
        if (strcmp(result->commands[c].label, label) == 0 && more-- == 0)
            return true;
    return false;
}

/* Whether files without benchmarks have a command in common, and one of them has several. */
static bool namesakes_are_there(const struct lauka_stored_file *files, size_t count)
{
    const struct lauka_result *first = result_of(&files[0]);
    bool several = false, common = false;

    for (size_t f = 0; f < count; f++)
        several |= result_of(&files[f])->command_count > 1;
    for (size_t f = 1; f < count && several; f++)
        for (size_t c = 0; c < first->command_count && !common; c++)
            common = has(result_of(&files[f]), first->commands[c].label, 0);
    return common;
}

/* Names a command that the file has and the other has not. */
static bool check(const struct lauka_stored_file *file, const struct lauka_stored_file *other,
                  struct lauka_error *error)
{
    const struct lauka_result *result = result_of(file);

    for (size_t c = 0; c < result->command_count; c++)
        if (!has(result_of(other), result->commands[c].label, count_before(result, c)))
            return lauka_misuse(
                error,
                "`%.200s` of %.200s is not in %.200s: a gate needs the same commands "
                "in both",
                result->commands[c].label, file->name, other->name);
    return true;
}

/* The first with a label has its name, the others "NAME (2)" and so on. */
static char *name_of(const struct lauka_result *result, size_t command)
{
    const size_t before = count_before(result, command);

    return lauka_text_numbered(result->commands[command].label, before > 0 ? before + 1 : 0);
}

/* Makes a benchmark with its name of every command. Returns 0 or ENOMEM. */
static int split(struct lauka_stored_file *file)
{
    struct lauka_session session;
    struct lauka_result *result = &file->session.benchmarks[0];
    const size_t count = result->command_count;
    int failure = lauka_session_init(&session, count);

    if (failure)
        return failure;
    for (size_t c = 0; c < count && !failure; c++) { /* names are made of labels, which then move */
        session.benchmarks[c].benchmark.name = name_of(result, c);
        failure = session.benchmarks[c].benchmark.name ? 0 : ENOMEM;
    }
    for (size_t c = 0; c < count && !failure; c++) {
        char *name = session.benchmarks[c].benchmark.name;
        failure = lauka_result_take_command(result, c, &session.benchmarks[c]);
        session.benchmarks[c].benchmark.name = name;
    }
    lauka_session_done(&file->session);
    file->session = session;
    return failure;
}

/* ---- all of them ---------------------------------------------------------------------------------- */

bool lauka_stored_has_source(const struct lauka_result *result, const char *source)
{
    for (size_t m = 0; m < result->metric_count; m++)
        if (strcmp(result->metrics[m].source, source) != 0)
            return false;
    return true;
}

bool lauka_files_are_gated(const struct lauka_options *options)
{
    return options->verb == LAUKA_VERB_GATE || options->judge.gate.rule_count > 0;
}

/* Jobs become the only file. */
static bool load(const struct lauka_options *options, struct lauka_stored_file *files,
                 struct lauka_error *error)
{
    if (options->verb == LAUKA_VERB_MERGE)
        return merge_jobs(options, &files[0], error);
    for (size_t f = 0; f < options->run.file_count; f++) {
        files[f].name = options->run.files[f];
        if (!lauka_stored_read(files[f].name, options->run.column, &files[f].session, error))
            return false;
    }
    return true;
}

/* ---- several logs a side ------------------------------------------------------------------------------ */

static bool join_side(struct lauka_arena *arena, struct lauka_stored_file *files, size_t count,
                      struct lauka_stored_file *side, struct lauka_error *error)
{
    const struct lauka_result **logs = lauka_arena_take(arena, count * sizeof logs[0]);
    bool good = true;

    for (size_t f = 0; good && f < count; f++) {
        logs[f] = &files[f].session.benchmarks[0];
        good = (files[f].session.benchmark_count == 1 && logs[f]->command_count == 1 &&
                lauka_stored_has_source(logs[f], LAUKA_SOURCE_HLOG)) ||
               lauka_misuse(error,
                            "--vs stands between HdrHistogram logs, each of one command; %.200s is "
                            "none",
                            files[f].name);
    }
    side->name = files[0].name;
    good = good && (lauka_logs_join(logs, count, side->name, &side->session) == 0 ||
                    lauka_fail_memory(error));
    return good;
}

/* The logs of each side become one file, whose values are figures of the logs. */
static bool join_logs(const struct lauka_options *options, struct lauka_stored_file *files,
                      size_t *count, struct lauka_error *error)
{
    struct lauka_stored_file sides[2] = {{0}};
    const size_t all = *count, first = options->run.vs;

    if (first == 0)
        return true;
    bool good = join_side(options->arena, files, first, &sides[0], error) &&
                join_side(options->arena, files + first, all - first, &sides[1], error);
    for (size_t f = 0; f < all; f++) {
        lauka_session_done(&files[f].session);
        files[f] = f < 2 ? sides[f] : (struct lauka_stored_file){0};
    }
    *count = 2;
    return good;
}

/* Makes benchmarks of commands that are in several files. A gate fails where one is in some of them only. */
static bool name_commands(const struct lauka_options *options, struct lauka_stored_file *files,
                          size_t count, bool *named, struct lauka_error *error)
{
    if (*named || count < 2 || !namesakes_are_there(files, count))
        return true;
    for (size_t f = 1; lauka_files_are_gated(options) && f < count; f++)
        if (!check(&files[0], &files[f], error) || !check(&files[f], &files[0], error))
            return false;
    *named = true;
    for (size_t f = 0; f < count; f++)
        if (split(&files[f]) != 0)
            return lauka_fail_memory(error);
    return true;
}

static bool are_named(const struct lauka_stored_file *files, size_t count, bool *named,
                      struct lauka_error *error)
{
    for (size_t f = 0; f < count; f++)
        *named |= lauka_session_is_named(&files[f].session);
    for (size_t f = 0; *named && f < count; f++)
        if (!lauka_session_is_named(&files[f].session))
            return lauka_misuse(error,
                                "%.200s has no benchmarks, but another file has: compare results "
                                "with the same benchmarks",
                                files[f].name);
    return true;
}

bool lauka_stored_files_read(const struct lauka_options *options, struct lauka_stored_file **files,
                             size_t *count, bool *named, struct lauka_error *error)
{
    *count = 0;
    *named = false;
    if (options->run.file_count > FILES_MAX)
        return lauka_misuse(error, "at most %d files can be read", FILES_MAX);
    *files = lauka_arena_take(options->arena, options->run.file_count * sizeof **files);
    *count = options->verb == LAUKA_VERB_MERGE ? 1 : options->run.file_count;
    return load(options, *files, error) && join_logs(options, *files, count, error) &&
           are_named(*files, *count, named, error) &&
           name_commands(options, *files, *count, named, error);
}
