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
#include "runner/session/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- --workload -------------------------------------------------------------------------------------- */

/* Files that are the same for all sides, in place of what a revision has there. A side gets a link
 * to them; nothing is followed on the way to where it stands, as that could lead out of the worktree. */

/* ---- where it stands --------------------------------------------------------------------------------- */

/* Appends the parts of a path; ".." takes one away. False where there is none left. */
static bool append(char *path, const char *text)
{
    size_t length;

    for (; *text; text += length) {
        text += strspn(text, "/");
        length = strcspn(text, "/");
        if (length == 0 || (length == 1 && *text == '.'))
            continue;
        if (length == 2 && strncmp(text, "..", 2) == 0) {
            char *slash = strrchr(path, '/');
            if (!*path)
                return false;
            *(slash ? slash : path) = '\0';
            continue;
        }
        size_t used = strlen(path);
        snprintf(path + used, length + 2, "%s%.*s", used > 0 ? "/" : "", (int)length, text);
    }
    return true;
}

/* "src/big.txt": below the top of the repository. NULL with the error. */
static char *find_name(const struct lauka_git *git, const char *path, struct lauka_error *error)
{
    size_t top = strlen(git->top);
    bool whole = *path == '/';
    char *name = lauka_arena_take(git->arena, strlen(git->prefix) + strlen(path) + 3);
    bool inside = !whole || (strncmp(path, git->top, top) == 0 && path[top] == '/');

    if (!name) {
        lauka_fail_memory(error);
        return NULL;
    }
    inside = inside && (whole || append(name, git->prefix)) && append(name, path + whole * top);
    if (inside && *name)
        return name;
    lauka_fail(error, LAUKA_EXIT_USAGE,
               "--workload %.300s: it is %s; a file elsewhere needs no --workload: name it by its "
               "whole path in the command",
               path, inside ? "the whole repository" : "outside of the repository");
    return NULL;
}

/* ---- what it is -------------------------------------------------------------------------------------- */

static bool find_source(const struct lauka_worktrees *worktrees, const char *text, size_t length,
                        struct lauka_workload *workload, struct lauka_error *error)
{
    struct lauka_revision *source = &workload->source;
    char name[1000];

    snprintf(name, sizeof name, "%.*s", (int)length, text);
    if (!lauka_revision_resolve(&worktrees->git, worktrees->folder, name, source, error))
        return false;
    source->is_source = true;
    if (!lauka_worktree_find(worktrees, source, error))
        return false;
    workload->from =
        lauka_arena_print(worktrees->git.arena, "%s/%s", source->worktree, workload->name);
    return workload->from || lauka_fail_memory(error);
}

static bool take(const struct lauka_worktrees *worktrees, const char *text,
                 struct lauka_workload *workload, struct lauka_error *error)
{
    const char *colon = access(text, F_OK) == 0 ? NULL : strchr(text, ':');
    char real[PATH_MAX];

    workload->text = text;
    workload->name = find_name(&worktrees->git, colon ? colon + 1 : text, error);
    if (!workload->name)
        return false;
    if (colon)
        return find_source(worktrees, text, (size_t)(colon - text), workload, error);
    if (!realpath(text, real))
        return lauka_fail(error, LAUKA_EXIT_USAGE, "--workload %.300s: %s", text, strerror(errno));
    workload->from = lauka_arena_text(worktrees->git.arena, real);
    return workload->from || lauka_fail_memory(error);
}

/* Resolves --workload into worktrees->workloads. */
static bool workloads_open(struct lauka_worktrees *worktrees, struct lauka_error *error)
{
    const struct lauka_texts *texts = &worktrees->options->run.workloads;

    worktrees->workloads =
        lauka_arena_take(worktrees->git.arena, (texts->count + 1) * sizeof *worktrees->workloads);
    if (!worktrees->workloads)
        return lauka_fail_memory(error);
    for (size_t i = 0; i < texts->count; i++)
        if (!take(worktrees, texts->texts[i], &worktrees->workloads[worktrees->workload_count++],
                  error))
            return false;
    return true;
}

/* Makes the worktrees of workloads that come from a revision. */
static bool workloads_make(const struct lauka_worktrees *worktrees, struct lauka_error *error)
{
    for (size_t i = 0; i < worktrees->workload_count; i++) {
        struct lauka_workload *workload = &worktrees->workloads[i];
        struct lauka_revision *source = &workload->source;
        if (source->worktree && !lauka_worktree_is_ready(worktrees, source) &&
            !(lauka_worktree_make(worktrees, source, error) &&
              lauka_worktree_finish(worktrees, source, error)))
            return false;
        if (source->worktree && !lauka_worktree_check(source, workload->from, error))
            return false;
        if (access(workload->from, F_OK) != 0)
            return lauka_fail(error, LAUKA_EXIT_USAGE, "--workload %.300s: %.300s has no %.300s",
                              workload->text, source->name, workload->name);
    }
    return true;
}

/* ---- in a worktree ----------------------------------------------------------------------------------- */

/* The folders above it. A link among them could lead to a place of the user's. */
static bool make_way(const struct lauka_revision *revision, const struct lauka_workload *workload,
                     char *path, struct lauka_error *error)
{
    char *from = path + strlen(revision->worktree) + 1;

    for (char *slash = from; (slash = strchr(slash, '/')); *slash++ = '/') {
        struct stat about;
        *slash = '\0';
        if (lstat(path, &about) != 0 ? mkdir(path, 0700) == 0 : S_ISDIR(about.st_mode))
            continue;
        return lauka_fail(error, LAUKA_EXIT_USAGE,
                          "--workload %.300s: in %.100s, %.300s is a file or a link, not a folder; "
                          "type the whole path of that file in the command",
                          workload->text, revision->name, from);
    }
    return true;
}

/* Puts it into the revision's worktree, replacing what is there. */
static bool workload_put(struct lauka_arena *arena, const struct lauka_workload *workload,
                         const struct lauka_revision *revision, struct lauka_error *error)
{
    char *path = lauka_arena_print(arena, "%s/%s", revision->worktree, workload->name);

    if (!path)
        return lauka_fail_memory(error);
    return make_way(revision, workload, path, error) &&
           ((lauka_tree_remove(path) && symlink(workload->from, path) == 0) ||
            lauka_fail(error, LAUKA_EXIT_HOST, "%.600s: %s", path, strerror(errno)));
}

/* ---- building the revisions, several at once --------------------------------------------------- */

/* The output of a build is kept, and shown if it fails. */

extern char **environ;

struct builds {
    struct lauka_worktrees *worktrees;
    struct lauka_revision *revisions;
    size_t count;
    bool skips;
    struct lauka_progress progress;
    uint64_t begun_ns; /* when the last of them began; 0: none has */
};

static void show_log(const struct lauka_revision *revision)
{
    FILE *file = fopen(revision->log, "rb");

    if (file)
        lauka_helper_show_tail(file);
    if (file)
        fclose(file);
}

static bool fail_build(const struct lauka_worktrees *worktrees,
                       const struct lauka_revision *revision, int status, struct lauka_error *error)
{
    char what[60];

    if (WIFSIGNALED(status))
        snprintf(what, sizeof what, "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(what, sizeof what, "failed with exit code %d", WEXITSTATUS(status));
    return lauka_fail(error, LAUKA_EXIT_COMMAND_FAILED,
                      "%.100s (%.10s): its build %s; all that it wrote is in %.600s%s",
                      revision->name, revision->commit, what, revision->log,
                      lauka_worktrees_advise(worktrees));
}

/* A broken revision is either skipped, or the answer. */
static bool judge(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                  int status, bool skips, struct lauka_error *error)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return lauka_worktree_finish(worktrees, revision, error);
    revision->broken = true;
    lauka_worktree_remark(worktrees, revision);
    if (revision->remark)
        lauka_revision_say(worktrees, revision, revision->remark);
    if (skips) {
        lauka_revision_say(worktrees, revision, "cannot be built; it is skipped");
        return true;
    }
    show_log(revision);
    return fail_build(worktrees, revision, status, error);
}

/* A new file, whatever an earlier build has put there. */
static int open_log(const struct lauka_revision *revision)
{
    if (unlink(revision->log) != 0 && errno != ENOENT)
        return -1;
    return open(revision->log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

/* Nothing runs where it fails. */
static bool start(const struct lauka_worktrees *worktrees, const struct lauka_revision *revision,
                  pid_t *pid, struct lauka_error *error)
{
    const char *const arguments[] = {"sh", "-c", worktrees->options->run.build, NULL};
    const char *folder = lauka_worktree_place(worktrees, revision, NULL);
    int log = folder ? open_log(revision) : -1;

    if (!folder)
        return lauka_fail_memory(error);
    lauka_revision_say(worktrees, revision, "building");
    pid_t started = -1;
    if (log >= 0)
        started = lauka_child_start(&(struct lauka_child){
            .path = "/bin/sh",
            .arguments = arguments,
            .environment = (const char *const *)environ,
            .directory = folder,
            .output = log,
            .error = log,
        });
    int failure = errno;
    if (log >= 0)
        close(log);
    if (started < 0)
        return lauka_fail(error, LAUKA_EXIT_HOST, "cannot build %.100s: %s%s", revision->name,
                          strerror(failure), lauka_worktrees_advise(worktrees));
    *pid = started;
    return true;
}

/* Two names may mean the same files. */
static bool is_again(const struct lauka_revision *revisions, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(revisions[i].worktree, revisions[index].worktree) == 0)
            return true;
    return false;
}

/* Makes the worktree unless it is ready, and begins its build, if there is one. */
static bool begin(void *context, size_t number, pid_t *pid, struct lauka_error *error)
{
    struct builds *builds = context;
    const struct lauka_worktrees *worktrees = builds->worktrees;
    struct lauka_revision *revision = &builds->revisions[number];

    if (is_again(builds->revisions, number) || lauka_worktree_is_ready(worktrees, revision))
        return true;
    if (!lauka_worktree_make(worktrees, revision, error))
        return false;
    for (size_t i = 0; i < worktrees->workload_count; i++)
        if (!workload_put(worktrees->git.arena, &worktrees->workloads[i], revision, error))
            return false;
    lauka_progress_clear();
    builds->begun_ns = lauka_now_ns();
    if (worktrees->options->run.build)
        return start(worktrees, revision, pid, error);
    return judge(worktrees, revision, 0, false, error);
}

static bool end(void *context, size_t number, int status, struct lauka_error *error)
{
    struct builds *builds = context;

    lauka_progress_clear();
    builds->worktrees->build_ns = lauka_now_ns() - builds->begun_ns;
    return judge(builds->worktrees, &builds->revisions[number], status, builds->skips, error);
}

/* As long as the build before, each; 0 if there was none. */
static uint64_t builds_left_ns(const struct builds *builds, size_t done)
{
    const uint64_t jobs = builds->worktrees->options->run.jobs, at_once = jobs > 0 ? jobs : 1;
    const uint64_t turns = (builds->count - done + at_once - 1) / at_once;
    const uint64_t gone_ns = lauka_now_ns() - builds->begun_ns;
    const uint64_t left_ns = turns * builds->worktrees->build_ns;

    return builds->worktrees->build_ns == 0 ? 0 : left_ns > gone_ns ? left_ns - gone_ns : 1;
}

static void show_builds(void *context, size_t done)
{
    struct builds *builds = context;

    if (builds->begun_ns > 0 && done < builds->count)
        lauka_progress_show(&builds->progress,
                            &(struct lauka_progress_step){.phase = "build",
                                                          .number = done + 1,
                                                          .total = builds->count,
                                                          .left_ns = builds_left_ns(builds, done),
                                                          .lasting = "this build"});
}

bool lauka_revisions_build(struct lauka_worktrees *worktrees, struct lauka_revision *revisions,
                           size_t count, bool skips, struct lauka_error *error)
{
    const struct lauka_options *options = worktrees->options;
    struct builds builds = {
        .worktrees = worktrees, .revisions = revisions, .count = count, .skips = skips};
    struct lauka_helpers helpers = {
        .count = count,
        .at_once = options->run.jobs ? (size_t)options->run.jobs : 1,
        .begin = begin,
        .end = end,
        .show = show_builds,
        .context = &builds,
    };
    lauka_progress_init(&builds.progress, !options->quiet && !options->write.no_progress);
    bool good = lauka_helpers_run(&helpers, error);
    lauka_progress_clear();

    if (good && helpers.done < count)
        good = lauka_fail(error, lauka_interrupt_exit(),
                          "interrupted while revisions were built: nothing was measured");
    for (size_t i = 0; i < count; i++) /* those of the same files share what became of them */
        for (size_t other = 0; other < i; other++)
            if (strcmp(revisions[i].worktree, revisions[other].worktree) == 0)
                revisions[i].broken = revisions[other].broken;
    return good;
}

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

    revisions->all = lauka_arena_take(worktrees->git.arena,
                                      (options->run.revisions.count + 1) * sizeof *revisions->all);
    if (!revisions->all)
        return lauka_fail_memory(error);
    for (size_t i = 0; i < options->run.revisions.count; i++) {
        struct lauka_revision *revision = &revisions->all[revisions->count++];
        if (!lauka_revision_resolve(&worktrees->git, worktrees->folder,
                                    options->run.revisions.texts[i], revision, error) ||
            !lauka_worktree_find(worktrees, revision, error))
            return false;
    }
    if (!options->quiet)
        show(revisions);
    return !options->run.first_slower || check_history(revisions, error);
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

    for (size_t v = 0; v < options->run.variant_count; v++) {
        if (!revisions->all[v / options->run.layouts % revisions->count].broken)
            options->run.variants[kept++] = options->run.variants[v];
    }
    options->run.variant_count = kept;
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
    for (size_t c = 0; c < options->run.command_count; c++) {
        if (!revisions->all[c % sides].broken)
            options->run.commands[commands++] = options->run.commands[c];
    }
    options->run.command_count = commands;
    for (size_t b = 0; b < options->run.benchmark_count; b++) {
        options->run.benchmarks[b].first = b * kept;
        options->run.benchmarks[b].count = kept;
    }
    for (size_t i = 0, to = 0; i < sides; i++)
        if (!revisions->all[i].broken)
            revisions->all[to++] = revisions->all[i];
    revisions->count = kept;
    return true;
}

static bool place_one(const struct lauka_revisions *revisions, size_t side,
                      struct lauka_command *command, struct lauka_error *error)
{
    command->directory =
        lauka_worktree_place(&revisions->worktrees, &revisions->all[side], command->directory);
    if (!command->directory)
        return lauka_fail_memory(error);
    return lauka_worktree_check_command(&revisions->all[side], command, error);
}

/* Each command runs in its worktree. */
static bool place_commands(const struct lauka_revisions *revisions, struct lauka_options *options,
                           struct lauka_error *error)
{
    size_t sides = revisions->count;

    for (size_t c = 0; c < options->run.command_count; c++)
        if (!place_one(revisions, c % sides, &options->run.commands[c], error))
            return false;
    for (size_t v = 0; v < options->run.variant_count; v++)
        if (!place_one(revisions, v / options->run.layouts % sides, &options->run.variants[v],
                       error))
            return false;
    struct lauka_options acting;
    lauka_layouts_act(options, &acting);
    return options->run.is_suite || lauka_pretence_read_all(&acting, error);
}

bool lauka_revisions_prepare(struct lauka_revisions *revisions, struct lauka_options *options,
                             struct lauka_error *error)
{
    *revisions = (struct lauka_revisions){.count = 0};
    if (!lauka_worktrees_open(&revisions->worktrees, options, error) ||
        !workloads_open(&revisions->worktrees, error) || !resolve(revisions, options, error) ||
        !workloads_make(&revisions->worktrees, error) ||
        !lauka_revisions_build(&revisions->worktrees, revisions->all, revisions->count,
                               options->run.skip_broken && !options->run.first_slower, error))
        return false;
    show_remarks(revisions);
    return drop_broken(revisions, options, error) && place_commands(revisions, options, error);
}

void lauka_revisions_done(struct lauka_revisions *revisions)
{
    lauka_worktrees_close(&revisions->worktrees);
    *revisions = (struct lauka_revisions){.count = 0, .worktrees = {.lock = -1}};
}

/* ---- the results ------------------------------------------------------------------------------------- */

/* Of a program that the revisions themselves hold. */
static bool hash_own(const struct lauka_revisions *revisions, const struct lauka_command *commands,
                     size_t side, uint8_t digest[LAUKA_SHA256_SIZE])
{
    const char *path = commands[side].path;

    return path && lauka_path_is_in(path, revisions->all[side].worktree) &&
           lauka_executable_hash(path, digest);
}

/* The first side whose executable has the same bytes as this side's; or the side itself. */
static size_t find_alike(const struct lauka_revisions *revisions,
                         const struct lauka_command *commands, size_t side)
{
    uint8_t own[LAUKA_SHA256_SIZE], other[LAUKA_SHA256_SIZE];

    if (!hash_own(revisions, commands, side, own))
        return side;
    for (size_t i = 0; i < side; i++)
        if (hash_own(revisions, commands, i, other) && memcmp(own, other, sizeof own) == 0)
            return i;
    return side;
}

static int note_alike(const struct lauka_revisions *revisions, const struct lauka_options *options,
                      struct lauka_result *result)
{
    int failure = 0;

    for (size_t i = 1; i < revisions->count && !failure; i++) {
        size_t alike = find_alike(revisions, options->run.commands, i);
        if (alike == i)
            continue;
        failure = lauka_result_note(
            result,
            "%.100s and %.100s have the same executable, byte for byte: a difference between them "
            "comes from the machine, or from files beside it",
            revisions->all[alike].name, revisions->all[i].name);
    }
    return failure;
}

static int note_remarks(const struct lauka_revisions *revisions, struct lauka_result *result)
{
    int failure = 0;

    for (size_t i = 0; i < revisions->count && !failure; i++) {
        const struct lauka_revision *revision = &revisions->all[i];
        if (!revision->remark)
            continue;
        failure = lauka_result_note(result, "%.100s: %.750s", revision->name, revision->remark);
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
    if (failure || session->benchmark_count == 0)
        return failure;
    failure = note_alike(revisions, options, &session->benchmarks[0]);
    return failure ? failure : note_remarks(revisions, &session->benchmarks[0]);
}
