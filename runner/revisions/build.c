/* Building the revisions, several at once. The output of a build is kept, and shown if it fails. */
#include "runner/revisions/revisions.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct builds {
    const struct lauka_worktrees *worktrees;
    struct lauka_revision *revisions;
    bool skips;
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
    const char *const arguments[] = {"sh", "-c", worktrees->options->build, NULL};
    char *folder = lauka_worktree_place(worktrees, revision, NULL);
    int log = folder ? open_log(revision) : -1;

    if (!folder)
        return false;
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
    free(folder);
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
    const struct builds *builds = context;
    const struct lauka_worktrees *worktrees = builds->worktrees;
    struct lauka_revision *revision = &builds->revisions[number];

    if (is_again(builds->revisions, number) || lauka_worktree_is_ready(worktrees, revision))
        return true;
    if (!lauka_worktree_make(worktrees, revision, error))
        return false;
    for (size_t i = 0; i < worktrees->workload_count; i++)
        if (!lauka_workload_put(&worktrees->workloads[i], revision, error))
            return false;
    if (worktrees->options->build)
        return start(worktrees, revision, pid, error);
    return judge(worktrees, revision, 0, false, error);
}

static bool end(void *context, size_t number, int status, struct lauka_error *error)
{
    const struct builds *builds = context;

    return judge(builds->worktrees, &builds->revisions[number], status, builds->skips, error);
}

bool lauka_revisions_build(const struct lauka_worktrees *worktrees,
                           struct lauka_revision *revisions, size_t count, bool skips,
                           struct lauka_error *error)
{
    struct builds builds = {worktrees, revisions, skips};
    struct lauka_helpers helpers = {
        .count = count,
        .at_once = worktrees->options->jobs ? (size_t)worktrees->options->jobs : 1,
        .begin = begin,
        .end = end,
        .context = &builds,
    };
    bool good = lauka_helpers_run(&helpers, error);

    if (good && helpers.done < count)
        good = lauka_fail(error, lauka_interrupt_exit(),
                          "interrupted while revisions were built: nothing was measured");
    for (size_t i = 0; i < count; i++) /* those of the same files share what became of them */
        for (size_t other = 0; other < i; other++)
            if (strcmp(revisions[i].worktree, revisions[other].worktree) == 0)
                revisions[i].broken = revisions[other].broken;
    return good;
}
