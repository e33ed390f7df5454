/* What goes wrong with runs, and what follows: which ends count as success, how many failed rounds may be
 * dropped, what commands leave behind, and whether they still execute the file they began with. */
#include "runner/session/session.h"
#include "report/result/result.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int lauka_mishaps_init(struct lauka_mishaps *mishaps, const struct lauka_options *options,
                       const struct lauka_options *acting, struct lauka_executables *executables)
{
    size_t count = acting->command_count;

    *mishaps = (struct lauka_mishaps){
        .options = options,
        .acting = acting,
        .read = executables,
        .stamps = calloc(count, sizeof *mishaps->stamps),
        .executables = calloc(count, sizeof *mishaps->executables),
        .left = calloc(count, sizeof *mishaps->left),
        .unread = calloc(count, sizeof *mishaps->unread),
    };
    return mishaps->stamps && mishaps->executables && mishaps->left && mishaps->unread ? 0 : ENOMEM;
}

void lauka_mishaps_done(struct lauka_mishaps *mishaps)
{
    free(mishaps->stamps);
    free(mishaps->executables);
    free(mishaps->left);
    free(mishaps->unread);
    *mishaps = (struct lauka_mishaps){0};
}

/* ---- before a run ------------------------------------------------------------------------------- */

bool lauka_mishaps_is_same_file(struct lauka_mishaps *mishaps, size_t command,
                                struct lauka_sample *sample)
{
    const char *path = mishaps->acting->commands[command].path;
    struct lauka_file_stamp now, *known = &mishaps->stamps[command];
    int error = lauka_file_stamp_read(path, &now);

    if (!error && !known->known)
        *known = now;
    if (!error && (lauka_file_stamp_is_same(&now, known) ||
                   lauka_executable_has_same_content(path, &mishaps->executables[command]))) {
        *known = now;
        return true;
    }
    *sample = (struct lauka_sample){.outcome = LAUKA_CHANGED, .code = error};
    return false;
}

/* ---- after a run -------------------------------------------------------------------------------- */

static bool is_unread(const struct lauka_mishaps *mishaps, size_t command)
{
    for (size_t i = 0; i < mishaps->unread_count; i++)
        if (mishaps->unread[i] == command)
            return true;
    return false;
}

void lauka_mishaps_remember_file(struct lauka_mishaps *mishaps, size_t command)
{
    if (!mishaps->executables[command].known && !is_unread(mishaps, command))
        mishaps->unread[mishaps->unread_count++] = command;
}

/* Not before the first run: someone who measures with cold caches does not want the file to be read then. */
static void read_file(struct lauka_mishaps *mishaps, size_t command)
{
    const char *path = mishaps->acting->commands[command].path;
    struct lauka_executable *executable = &mishaps->executables[command];
    struct lauka_file_stamp now;

    if (executable->known || lauka_file_stamp_read(path, &now) != 0 ||
        !lauka_file_stamp_is_same(&now, &mishaps->stamps[command]))
        return;
    executable->known = true;
    executable->size = (off_t)now.size;
    executable->hashed = lauka_executables_hash(mishaps->read, path, executable->sha256);
}

void lauka_mishaps_read_files(struct lauka_mishaps *mishaps)
{
    while (mishaps->unread_count > 0)
        read_file(mishaps, mishaps->unread[--mishaps->unread_count]);
}

int lauka_mishaps_exit_code(const struct lauka_sample *sample)
{
    return sample->outcome == LAUKA_SIGNALED ? 128 + sample->code : sample->code;
}

bool lauka_mishaps_has_failed(const struct lauka_command *command,
                              const struct lauka_sample *sample)
{
    int code = lauka_mishaps_exit_code(sample);

    if (!command->expects)
        return code != 0;
    return code < 0 || code > 255 || !(command->expected[code / 8] & 1u << code % 8);
}

bool lauka_mishaps_is_success(const struct lauka_options *options, size_t command,
                              const struct lauka_sample *sample)
{
    const struct lauka_command *about = &options->commands[command];

    if (sample->timed_out || sample->stopped || sample->unreported ||
        (sample->outcome != LAUKA_EXITED && sample->outcome != LAUKA_SIGNALED))
        return false; /* how much it would have cost is not known */
    if (options->accept_all_failures || !lauka_mishaps_has_failed(about, sample))
        return true;
    int code = lauka_mishaps_exit_code(sample);
    return code > 0 && code <= 255 && options->accept_exit_code[code];
}

void lauka_mishaps_add_leftovers(struct lauka_mishaps *mishaps, size_t command,
                                 const struct lauka_leftovers *leftovers,
                                 struct lauka_result_command *shown)
{
    struct lauka_left *left = &mishaps->left[command];

    if (leftovers->count == 0)
        return;
    left->runs++;
    left->processes += leftovers->count;
    left->alive |= leftovers->alive;
    shown->left_behind = left->runs;
}

bool lauka_mishaps_drop(struct lauka_mishaps *mishaps, const struct lauka_failure *failure)
{
    if (failure->sample.outcome == LAUKA_CHANGED ||
        mishaps->failures >= mishaps->options->max_failures)
        return false;
    mishaps->failures++;
    mishaps->dropped_rounds += !failure->warmup;
    mishaps->last = *failure;
    return true;
}

/* ---- at the end --------------------------------------------------------------------------------- */

static int warn_about_leftovers(const struct lauka_left *left, const char *label, bool keep,
                                struct lauka_result *result)
{
    char text[700];
    const char *ended =
        keep          ? "they keep running and compete with the commands"
        : left->alive ? "not all of them could be ended"
                      : "they were ended after it; their time and memory are not measured, and "
                        "their events are counted only by chance (--keep-orphans lets them run)";

    snprintf(text, sizeof text, "`%.200s` left processes behind in %llu run%s (%llu in all): %s",
             label, (unsigned long long)left->runs, left->runs == 1 ? "" : "s",
             (unsigned long long)left->processes, ended);
    return lauka_result_warn(result, text);
}

int lauka_mishaps_warn(const struct lauka_mishaps *mishaps, struct lauka_result *result)
{
    const struct lauka_options *options = mishaps->options;
    char text[1600], reason[1200];

    for (size_t c = 0; mishaps->left && c < options->command_count; c++)
        if (mishaps->left[c].runs > 0 &&
            warn_about_leftovers(&mishaps->left[c], options->commands[c].label,
                                 options->keep_orphans, result) != 0)
            return ENOMEM;
    if (mishaps->failures == 0)
        return 0;
    lauka_failure_word(&mishaps->last, options, reason, sizeof reason);
    snprintf(
        text, sizeof text,
        "%llu round%s dropped, for all commands, because of a failed run (--max-failures); the "
        "last: %s",
        (unsigned long long)mishaps->failures, mishaps->failures == 1 ? " was" : "s were", reason);
    return lauka_result_warn(result, text);
}
