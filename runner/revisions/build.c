/* Building the revisions, several at once. The output of a build is kept, and shown if it fails. */
#include "runner/revisions/revisions.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { TAIL_LINES = 20, TAIL_SIZE = 8192 };

struct build {
    struct lauka_revision *revision; /* NULL: nothing is built here */
    pid_t pid;
};

/* The last lines of the log, each marked, so that none is mistaken for one of lauka's. */
static void show_tail(const struct lauka_revision *revision)
{
    char text[TAIL_SIZE + 1];
    FILE *file = fopen(revision->log, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;

    if (!file)
        return;
    fseek(file, size > TAIL_SIZE ? size - TAIL_SIZE : 0, SEEK_SET);
    size_t got = fread(text, 1, TAIL_SIZE, file);
    fclose(file);
    while (got > 0 && text[got - 1] == '\n')
        got--;
    text[got] = '\0';
    size_t from = got;
    for (int lines = 0; from > 0 && (text[from - 1] != '\n' || ++lines < TAIL_LINES); from--)
        ;
    for (char *line = text + from; *line;) {
        size_t length = strcspn(line, "\n");
        bool last = !line[length];
        line[length] = '\0';
        fputs("  | ", stderr);
        lauka_print_safely(line, true, stderr);
        fputc('\n', stderr);
        line += length + !last;
    }
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
    show_tail(revision);
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
static bool start(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                  struct build *build, struct lauka_error *error)
{
    const char *const arguments[] = {"sh", "-c", worktrees->options->build, NULL};
    char *folder = lauka_worktree_place(worktrees, revision, NULL);
    int log = folder ? open_log(revision) : -1;
    pid_t pid = -1;

    if (!folder)
        return false;
    lauka_revision_say(worktrees, revision, "building");
    if (log >= 0)
        pid = lauka_child_start(&(struct lauka_child){
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
    if (pid <= 0)
        return lauka_fail(error, LAUKA_EXIT_HOST, "cannot build %.100s: %s%s", revision->name,
                          strerror(failure), lauka_worktrees_advise(worktrees));
    *build = (struct build){revision, pid};
    return true;
}

/* Makes the worktree, and begins its build, if there is one. */
static bool begin(const struct lauka_worktrees *worktrees, struct lauka_revision *revision,
                  struct build *build, struct lauka_error *error)
{
    if (!lauka_worktree_make(worktrees, revision, error))
        return false;
    for (size_t i = 0; i < worktrees->workload_count; i++)
        if (!lauka_workload_put(&worktrees->workloads[i], revision, error))
            return false;
    if (worktrees->options->build)
        return start(worktrees, revision, build, error);
    return judge(worktrees, revision, 0, false, error);
}

/* Builds that have ended make room. False, with the error, if one has failed. */
static bool collect(const struct lauka_worktrees *worktrees, struct build *builds, size_t jobs,
                    bool skips, struct lauka_error *error)
{
    for (size_t j = 0; j < jobs; j++) {
        struct lauka_revision *revision = builds[j].revision;
        int status;
        if (!revision || !lauka_child_has_ended(builds[j].pid, &status))
            continue;
        builds[j].revision = NULL;
        if (!judge(worktrees, revision, status, skips, error))
            return false;
    }
    return true;
}

static struct build *find_room(struct build *builds, size_t jobs)
{
    for (size_t j = 0; j < jobs; j++)
        if (!builds[j].revision)
            return &builds[j];
    return NULL;
}

static bool is_idle(const struct build *builds, size_t jobs)
{
    for (size_t j = 0; j < jobs; j++)
        if (builds[j].revision)
            return false;
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

static bool build_all(const struct lauka_worktrees *worktrees, struct lauka_revision *revisions,
                      size_t count, bool skips, struct build *builds, size_t jobs,
                      struct lauka_error *error)
{
    for (size_t next = 0; next < count || !is_idle(builds, jobs);) {
        struct build *room = find_room(builds, jobs);
        if (lauka_interrupt_signal())
            return lauka_fail(error,
                              (enum lauka_exit)(LAUKA_EXIT_SIGNAL + lauka_interrupt_signal()),
                              "interrupted while revisions were built: nothing was measured");
        if (next < count && room) {
            struct lauka_revision *revision = &revisions[next];
            if (!is_again(revisions, next) && !lauka_worktree_is_ready(worktrees, revision) &&
                !begin(worktrees, revision, room, error))
                return false;
            next++;
            continue;
        }
        struct pollfd ended = {.fd = lauka_interrupt_descriptor(), .events = POLLIN};
        poll(&ended, 1, 2);
        if (!collect(worktrees, builds, jobs, skips, error))
            return false;
    }
    return true;
}

bool lauka_revisions_build(const struct lauka_worktrees *worktrees,
                           struct lauka_revision *revisions, size_t count, bool skips,
                           struct lauka_error *error)
{
    size_t jobs = worktrees->options->jobs ? (size_t)worktrees->options->jobs : 1;
    struct build *builds = calloc(jobs, sizeof *builds);
    bool good = builds ? build_all(worktrees, revisions, count, skips, builds, jobs, error)
                       : lauka_fail_memory(error);

    for (size_t j = 0; builds && j < jobs; j++)
        if (builds[j].revision)
            lauka_child_end(builds[j].pid);
    free(builds);
    for (size_t i = 0; i < count; i++) /* those of the same files share what became of them */
        for (size_t other = 0; other < i; other++)
            if (strcmp(revisions[i].worktree, revisions[other].worktree) == 0)
                revisions[i].broken = revisions[other].broken;
    return good;
}
