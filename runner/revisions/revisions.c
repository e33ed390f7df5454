/* From names to commands that can be measured: first all names are resolved, because they move; and
 * everything is built before anything runs. */
#include "runner/revisions/revisions.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "runner/options/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------- */

/* The longest name, in columns. */
static int widest_name(const struct lauka_revisions *revisions)
{
    int widest = 0;

    for (size_t i = 0; i < revisions->count; i++) {
        int width = lauka_display_width(revisions->all[i].name);
        widest = width > widest ? width : widest;
    }
    return widest < 40 ? widest : 40;
}

/* "main  1a2b3c4d5e  2026-11-20  Parse faster" */
static void show(const struct lauka_revisions *revisions)
{
    int widest = widest_name(revisions);

    for (size_t i = 0; i < revisions->count; i++) {
        const struct lauka_revision *revision = &revisions->all[i];
        int gap = widest - lauka_display_width(revision->name);
        lauka_print_safely(revision->name, true, stderr);
        fprintf(stderr, "%*s  %.10s  %s  ", gap > 0 ? gap : 0, "", revision->commit,
                revision->date);
        lauka_print_safely(revision->subject, true, stderr);
        fputc('\n', stderr);
    }
    for (size_t i = 0; i < revisions->count; i++)
        if (revisions->all[i].has_submodules)
            fprintf(stderr,
                    "lauka: %.200s has submodules, which are not supported: their folders are "
                    "empty in its worktree\n",
                    revisions->all[i].name);
}

/* Without the commits between the ends, the first slower one would be a guess. */
static bool check_history(const struct lauka_revisions *revisions, struct lauka_error *error)
{
    const struct lauka_revision *ends = revisions->all;
    const struct lauka_git *git = &revisions->worktrees.git;
    const char *const words[] = {"merge-base", "--is-ancestor", ends[0].commit, ends[1].commit,
                                 NULL};
    struct lauka_error none;
    const char *advice = lauka_revision_advise(git);

    return !*advice || lauka_git_do(git, git->top, words, NULL, &none) ||
           lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--first-slower: the commits between %.100s and %.100s are not here%s",
                      ends[0].name, ends[1].name, advice);
}

static bool resolve(struct lauka_revisions *revisions, const struct lauka_options *options,
                    struct lauka_error *error)
{
    const struct lauka_worktrees *worktrees = &revisions->worktrees;

    revisions->all = calloc(options->revisions.count + 1, sizeof *revisions->all);
    if (!revisions->all)
        return lauka_fail_memory(error);
    for (size_t i = 0; i < options->revisions.count; i++) {
        struct lauka_revision *revision = &revisions->all[revisions->count++];
        if (!lauka_revision_resolve(&worktrees->git, worktrees->folder, options->revisions.texts[i],
                                    revision, error) ||
            !lauka_worktree_find(worktrees, revision, error))
            return false;
    }
    if (!options->quiet)
        show(revisions);
    return !options->first_slower || check_history(revisions, error);
}

/* Once they are built: what somebody should know before figures come. */
static void show_remarks(const struct lauka_revisions *revisions)
{
    for (size_t i = 0; i < revisions->count; i++)
        if (revisions->all[i].remark && !revisions->all[i].broken)
            lauka_revision_say(&revisions->worktrees, &revisions->all[i], revisions->all[i].remark);
}

/* ---- commands ---------------------------------------------------------------------------------------- */

/* For each command, as many as there are layouts. */
static void drop_variants(const struct lauka_revisions *revisions, struct lauka_options *options)
{
    size_t kept = 0;

    for (size_t v = 0; v < options->variant_count; v++) {
        if (!revisions->all[v / options->layouts % revisions->count].broken)
            options->variants[kept++] = options->variants[v];
    }
    options->variant_count = kept;
}

/* Drops sides whose revision is broken; the reference must stay. */
static bool drop_broken(struct lauka_revisions *revisions, struct lauka_options *options,
                        struct lauka_error *error)
{
    size_t sides = revisions->count, kept = 0, commands = 0;

    for (size_t i = 0; i < sides; i++)
        kept += !revisions->all[i].broken;
    if (kept == sides)
        return true;
    if (kept < 2)
        return lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED,
                          "of %zu revisions %zu can be built: there is nothing to compare", sides,
                          kept);
    drop_variants(revisions, options);
    for (size_t c = 0; c < options->command_count; c++) {
        if (!revisions->all[c % sides].broken)
            options->commands[commands++] = options->commands[c];
    }
    options->command_count = commands;
    for (size_t b = 0; b < options->benchmark_count; b++) {
        options->benchmarks[b].first = b * kept;
        options->benchmarks[b].count = kept;
    }
    for (size_t i = 0, to = 0; i < sides; i++) {
        if (revisions->all[i].broken)
            lauka_revision_done(&revisions->all[i]);
        else
            revisions->all[to++] = revisions->all[i];
    }
    revisions->count = kept;
    return true;
}

static bool place_one(const struct lauka_revisions *revisions, size_t side,
                      struct lauka_command *command, struct lauka_error *error)
{
    char *place =
        lauka_worktree_place(&revisions->worktrees, &revisions->all[side], command->directory);

    command->directory = place ? lauka_arena_text(command->arena, place) : NULL;
    free(place);
    if (!command->directory)
        return lauka_fail_memory(error);
    return lauka_worktree_check_command(&revisions->all[side], command, error);
}

/* Each command runs in its worktree. */
static bool place_commands(const struct lauka_revisions *revisions, struct lauka_options *options,
                           struct lauka_error *error)
{
    size_t sides = revisions->count;

    for (size_t c = 0; c < options->command_count; c++)
        if (!place_one(revisions, c % sides, &options->commands[c], error))
            return false;
    for (size_t v = 0; v < options->variant_count; v++)
        if (!place_one(revisions, v / options->layouts % sides, &options->variants[v], error))
            return false;
    struct lauka_options acting;
    lauka_layouts_act(options, &acting);
    return options->is_suite || lauka_pretence_read_all(&acting, error);
}

bool lauka_revisions_prepare(struct lauka_revisions *revisions, struct lauka_options *options,
                             struct lauka_error *error)
{
    *revisions = (struct lauka_revisions){.count = 0};
    if (!lauka_worktrees_open(&revisions->worktrees, options, error) ||
        !lauka_workloads_open(&revisions->worktrees, error) ||
        !resolve(revisions, options, error) ||
        !lauka_workloads_make(&revisions->worktrees, error) ||
        !lauka_revisions_build(&revisions->worktrees, revisions->all, revisions->count,
                               options->skip_broken && !options->first_slower, error))
        return false;
    show_remarks(revisions);
    return drop_broken(revisions, options, error) && place_commands(revisions, options, error);
}

void lauka_revisions_done(struct lauka_revisions *revisions)
{
    for (size_t i = 0; i < revisions->count; i++)
        lauka_revision_done(&revisions->all[i]);
    free(revisions->all);
    lauka_workloads_close(&revisions->worktrees);
    lauka_worktrees_close(&revisions->worktrees);
    *revisions = (struct lauka_revisions){.count = 0, .worktrees = {.lock = -1}};
}

/* ---- the results ------------------------------------------------------------------------------------- */

static bool hash(const struct lauka_command *command, uint8_t digest[LAUKA_SHA256_SIZE])
{
    FILE *file = command->path ? fopen(command->path, "rb") : NULL;
    bool good = file && lauka_sha256(file, digest);

    if (file)
        fclose(file);
    return good;
}

/* Of a program that the revisions themselves hold. */
static bool is_within(const char *path, const char *worktree)
{
    size_t length = strlen(worktree);

    return path && strncmp(path, worktree, length) == 0 && path[length] == '/';
}

/* The first side whose executable has the same bytes as this side's; or the side itself. */
static size_t find_alike(const struct lauka_revisions *revisions,
                         const struct lauka_command *commands, size_t side)
{
    uint8_t own[LAUKA_SHA256_SIZE], other[LAUKA_SHA256_SIZE];

    if (!is_within(commands[side].path, revisions->all[side].worktree) ||
        !hash(&commands[side], own))
        return side;
    for (size_t i = 0; i < side; i++)
        if (is_within(commands[i].path, revisions->all[i].worktree) && hash(&commands[i], other) &&
            memcmp(own, other, sizeof own) == 0)
            return i;
    return side;
}

static int note_alike(const struct lauka_revisions *revisions, const struct lauka_options *options,
                      struct lauka_result *result)
{
    int failure = 0;

    for (size_t i = 1; i < revisions->count && !failure; i++) {
        char text[600];
        size_t alike = find_alike(revisions, options->commands, i);
        if (alike == i)
            continue;
        snprintf(text, sizeof text,
                 "%.100s and %.100s have the same executable, byte for byte: a difference between "
                 "them comes from the machine, or from files beside it",
                 revisions->all[alike].name, revisions->all[i].name);
        failure = lauka_result_warn(result, text);
    }
    return failure;
}

static int note_submodules(const struct lauka_revisions *revisions, struct lauka_result *result)
{
    for (size_t i = 0; i < revisions->count; i++)
        if (revisions->all[i].has_submodules)
            return lauka_result_warn(result, "submodules are not supported: their folders are "
                                             "empty in the worktrees of the revisions");
    return 0;
}

static int note_remarks(const struct lauka_revisions *revisions, struct lauka_result *result)
{
    int failure = 0;

    for (size_t i = 0; i < revisions->count && !failure; i++) {
        const struct lauka_revision *revision = &revisions->all[i];
        char text[900];
        if (!revision->remark)
            continue;
        snprintf(text, sizeof text, "%.100s: %.750s", revision->name, revision->remark);
        failure = lauka_result_warn(result, text);
    }
    return failure;
}

static int tell(const struct lauka_revision *from, struct lauka_result_revision *to)
{
    to->commit = strdup(from->commit);
    to->date = strdup(from->date);
    to->subject = strdup(from->subject);
    to->is_changed = from->is_changed;
    return to->commit && to->date && to->subject ? 0 : ENOMEM;
}

int lauka_revisions_describe(const struct lauka_revisions *revisions,
                             const struct lauka_options *options, struct lauka_session *session)
{
    int failure = 0;

    for (size_t b = 0; b < session->benchmark_count && !failure; b++) {
        struct lauka_result *result = &session->benchmarks[b];
        for (size_t c = 0; c < result->command_count && !failure; c++)
            failure = tell(&revisions->all[c % revisions->count], &result->commands[c].revision);
    }
    if (!failure && session->benchmark_count > 0)
        failure = note_alike(revisions, options, &session->benchmarks[0]);
    if (!failure && session->benchmark_count > 0)
        failure = note_submodules(revisions, &session->benchmarks[0]);
    if (!failure && session->benchmark_count > 0)
        failure = note_remarks(revisions, &session->benchmarks[0]);
    return failure;
}
