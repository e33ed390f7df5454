/* Starting, timing and reaping one command on macOS: posix_spawn of a suspended process; its start
 * is stamped just before it is allowed to continue. */
#include "runner/runner.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sigset_t mask_at_start; /* the launcher blocks everything; commands do not inherit that */
static short layout_flag;      /* of posix_spawn; see fix_layout */

uint64_t lauka_now_ns(void)
{
    return clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
}

void lauka_process_prepare(void)
{
    sigset_t all;

    setsid(); /* a command that opens the terminal gets an error, where it would be stopped forever */
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask_at_start);
}

/* Of xnu's bsd/sys/spawn_internal.h; debuggers use it. */
#define SPAWN_DISABLE_ASLR 0x0100

int lauka_process_fix_layout(void)
{
    layout_flag = SPAWN_DISABLE_ASLR;
    return 0;
}

/* posix_spawn makes a new memory map: the child's peak begins at nothing. */
void lauka_process_slim(void)
{
}

/* The new program is all that a spawned process ever runs. */
bool lauka_process_can_delay(void)
{
    return false;
}

static int spawn(const struct lauka_process *process, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&files);

    if (error)
        return error;
    if ((error = posix_spawnattr_init(&attributes)) == 0) {
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setsigmask(&attributes, &mask_at_start);
        posix_spawnattr_setflags(&attributes,
                                 (short)(POSIX_SPAWN_START_SUSPENDED | POSIX_SPAWN_SETPGROUP |
                                         POSIX_SPAWN_SETSIGMASK | layout_flag));
        if (process->directory)
            posix_spawn_file_actions_addchdir_np(&files, process->directory);
        posix_spawn_file_actions_adddup2(&files, process->input, 0);
        posix_spawn_file_actions_adddup2(&files, process->output, 1);
        posix_spawn_file_actions_adddup2(&files, process->error, 2);
        error = posix_spawn(pid, process->path, &files, &attributes, process->argv, process->envp);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

void lauka_process_run(const struct lauka_process *process, struct lauka_process_end *end)
{
    pid_t pid = 0;

    end->error = spawn(process, &pid);
    if (end->error)
        return;
    *process->pid = pid;
    if (process->nice_value)
        setpriority(PRIO_PROCESS, (id_t)pid, process->nice_value);
    *process->started_ns = lauka_now_ns();
    kill(pid, SIGCONT);
    while (wait4(pid, &end->status, 0, &end->rusage) < 0 && errno == EINTR)
        ;
    end->ended_ns = lauka_now_ns();
}
