/* process: the compiler includes this ahead of runner/launch/macos/process.c and runner/base/processes.c, so
 * that they start, watch and reap commands of the simulated Mac: what macOS's headers have and this
 * system's have not, and in place of what would touch real processes, fake_process.c. */
#ifndef LAUKA_TESTS_FAKES_PROCESS_H
#define LAUKA_TESTS_FAKES_PROCESS_H

#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- macOS: spawn.h, time.h */

#undef POSIX_SPAWN_SETSIGMASK
#undef POSIX_SPAWN_SETPGROUP
enum {
    POSIX_SPAWN_SETPGROUP = 0x0002,
    POSIX_SPAWN_SETSIGMASK = 0x0008,
    POSIX_SPAWN_SETEXEC = 0x0040,
    POSIX_SPAWN_START_SUSPENDED = 0x0080,
    CLOCK_UPTIME_RAW = 8,
    PRIO_DARWIN_PROCESS = 4
};

struct fake_files {
    int targets[3]; /* what 0, 1 and 2 are copies of; -1: closed */
    const char *directory;
};

struct fake_attributes {
    int flags;
    pid_t group;
    sigset_t mask;
};

/* The request of the last posix_spawn. */
struct fake_spawned {
    struct fake_files files;
    struct fake_attributes attributes;
    const char *path;
    char *const *argv, *const *envp;
    int nice_value;
};
extern struct fake_spawned fake_spawned;
extern bool fake_knows_no_groups;

int fake_files_init(struct fake_files *files);
int fake_files_destroy(struct fake_files *files);
int fake_files_copy(struct fake_files *files, int from, int to);
int fake_files_directory(struct fake_files *files, const char *directory);
int fake_attributes_init(struct fake_attributes *attributes);
int fake_attributes_destroy(struct fake_attributes *attributes);
int fake_attributes_group(struct fake_attributes *attributes, pid_t group);
int fake_attributes_mask(struct fake_attributes *attributes, const sigset_t *mask);
int fake_attributes_flags(struct fake_attributes *attributes, short flags);
int fake_posix_spawn(pid_t *pid, const char *path, const struct fake_files *files,
                     const struct fake_attributes *attributes, char *const *argv,
                     char *const *envp);
pid_t fake_fork(void);
int fake_kill(pid_t pid, int number);
int fake_waitid(idtype_t kind, id_t id, siginfo_t *about, int options);
pid_t fake_wait4(pid_t pid, int *status, int options, struct rusage *rusage);
int fake_nanosleep(const struct timespec *time, struct timespec *left);
int fake_setpriority(int which, id_t who, int value);
int fake_getpriority(int which, id_t who);
uint64_t fake_clock(int clock);

#ifndef LAUKA_TESTS_FAKES_ITSELF
#define posix_spawn_file_actions_t struct fake_files
#define posix_spawn_file_actions_init fake_files_init
#define posix_spawn_file_actions_destroy fake_files_destroy
#define posix_spawn_file_actions_adddup2 fake_files_copy
#define posix_spawn_file_actions_addchdir_np fake_files_directory
#define posix_spawnattr_t struct fake_attributes
#define posix_spawnattr_init fake_attributes_init
#define posix_spawnattr_destroy fake_attributes_destroy
#define posix_spawnattr_setpgroup fake_attributes_group
#define posix_spawnattr_setsigmask fake_attributes_mask
#define posix_spawnattr_setflags fake_attributes_flags
#define posix_spawn fake_posix_spawn
#define fork fake_fork
#define kill fake_kill
#define waitid fake_waitid
#define wait4 fake_wait4
#define nanosleep fake_nanosleep
#define setpriority fake_setpriority
#define getpriority fake_getpriority
#define clock_gettime_nsec_np fake_clock
#endif

#endif
