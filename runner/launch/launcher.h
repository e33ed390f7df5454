/* What the files of the launcher share: the region of memory at the same address in lauka's own process
 * and in the one that starts the commands. */
#ifndef LAUKA_RUNNER_LAUNCH_LAUNCHER_H
#define LAUKA_RUNNER_LAUNCH_LAUNCHER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"

enum request {
    REQUEST_RUN = 'r',
    REQUEST_COUNT = 'c',
    REQUEST_FLOOR = 'f',
    REQUEST_LAYOUT = 'l',
    REQUEST_CGROUP = 'g',
    REQUEST_LEND = 'e',
    REQUEST_START = 's',
    REQUEST_REAP = 'w',
    REQUEST_GO_ON = 'o' /* what is held may: see struct launcher_start */
};

struct shared_command { /* all pointers lead into the shared region */
    char *path;
    char **argv;
    char **environment;
    char *directory, *input_file, *output_file; /* as in struct lauka_command */
    enum lauka_output_way output;
    bool reports;     /* to the descriptor of LAUKA_REPORT_FD */
    bool is_hook;     /* nothing is counted */
    bool uncountable; /* the kernel takes the events away when it is executed */
    bool watched;     /* in a run it was looked whether it does so from what the command starts; */
    bool trusted;     /* and it did not */
    uint64_t timeout_ns;
    uint64_t delay_ns; /* of CPU time, to be spent before it begins */
};

/* What every run finds in its environment, in strings that are rewritten in place. */
enum { ROUND_DIGITS = 10, COMMAND_DIGITS = 5 };
struct run_variables {
    char *round, *iteration, *command; /* their digits */
    char *hyperfine;                   /* the iteration, as hyperfine calls it */
    char *padding;                     /* LAUKA_PADDING_MAX characters and a NUL */
    size_t padding_length;
};

struct shared_run { /* one of a batch: the beginning of its record */
    struct shared_command *command;
    struct lauka_run_name name;
    _Atomic(uint64_t) begun_ns; /* 0: not yet */
};

struct launcher_ends { /* what the launcher's process has of the pipes; see struct lauka_launcher */
    int request, reply, error, output, lifeline;
    int loans; /* where descriptors go over; see fd_passing.c */
    int written, reported;
};

struct launcher_loan { /* an event that lauka is to have; see lauka_launcher_lend */
    unsigned char event[LAUKA_LOAN_SIZE];
    int cpu;
    int error; /* the answer */
};

struct launcher_start { /* of REQUEST_START; its descriptors come through `loans` */
    const char *path, *directory;
    char *const *words, *const *environment;
    bool talks, holds;
    atomic_bool
        held; /* the answer is not the last one: it waits for a byte before its program begins */
    size_t place; /* among those that were started */
    pid_t pid;    /* the answer */
    int error;
};

struct launcher_reap { /* of REQUEST_REAP */
    pid_t pid;
    bool waits;
    bool ended; /* the answer */
    int status;
    struct lauka_usage usage; /* a struct rusage differs between C libraries */
};

/* Reserved, not committed: only what is used takes memory. */
#define LAUKA_SHARED_SIZE ((size_t)256 << 20)

struct shared { /* the beginning of the region; the rest is the arena of commands */
    struct launcher_ends ends;
    volatile bool refused;                    /* the launcher's program was, by the kernel */
    volatile pid_t pid;                       /* of the command under way */
    volatile pid_t started[LAUKA_STARTS_MAX]; /* not reaped yet; 0: the place is free */
    volatile uint64_t started_ns;
    volatile bool opening; /* the command's files, which may be FIFOs that nobody else has opened */
    atomic_size_t
        given_up; /* so many runs are over when the next one is to end before it has begun, plus one */
    uint64_t rss_floor;
    size_t asked;                   /* runs, to be done one after the other */
    atomic_size_t done;             /* which are over: their records are filled */
    atomic_bool enough;             /* lauka's: no further run of the batch is to begin */
    atomic_bool heard;              /* lauka's: the run under way has written to stderr */
    struct shared_command *command; /* of the run under way */
    struct run_variables variables;
    struct lauka_cpu_set cpus;      /* where; empty: where the launcher is */
    int nice_value;                 /* 0: the launcher's own */
    struct lauka_cpu_set own_cpus;  /* where the launcher is to be; empty: anywhere */
    struct lauka_identity identity; /* of the commands */
    bool keep_orphans;
    int layout_error;          /* of REQUEST_LAYOUT */
    int cgroup_error;          /* of REQUEST_CGROUP */
    struct launcher_loan loan; /* of REQUEST_LEND */
    struct launcher_start start;
    struct launcher_reap reap;
    struct lauka_cgroup cgroup; /* open where the memory of all processes is asked for */
    struct lauka_event *events; /* to be tried */
    size_t event_count;
    bool counts; /* the counters are open */
    struct lauka_counters counters;
    bool sparing;               /* see lauka_launcher_spare */
    struct lauka_sample sample; /* of the run under way */
    struct lauka_reading readings[LAUKA_COUNTERS_MAX];
    char *records; /* of the batch, at the region's end: see LAUKA_RECORDS_SIZE */
};

/* A request, a sample, and its readings, but none that no counter has: what the launcher touches is its memory. */
#define LAUKA_RECORD_SIZE(counters)                                                                \
    (sizeof(struct shared_run) + sizeof(struct lauka_sample) +                                     \
     (counters) * sizeof(struct lauka_reading))
#define LAUKA_RECORDS_SIZE (LAUKA_BATCH_MAX * LAUKA_RECORD_SIZE(LAUKA_COUNTERS_MAX))

/* serving.c: what is asked of a run of the batch. */
struct shared_run *launcher_run_of(const struct shared *shared, size_t run);

/* serving.c: the sample of a run that is over goes to its place among the records, and comes back; its readings
 * stay there. */
void launcher_record_put(struct shared *shared, size_t run);
void launcher_record_get(const struct shared *shared, size_t run, struct lauka_sample *sample);

struct lauka_launcher { /* lies in the region too: nothing is allocated before the fork */
    struct shared *shared;
    void (*tick)(void *context, uint64_t runs_done); /* NULL: nobody wants to know */
    void *tick_context;
    int tick_ms;
    char *arena, *arena_end;          /* free part of the region */
    struct shared_command **commands; /* owned */
    size_t command_count;
    char **environment;         /* of commands that add nothing to it */
    struct lauka_run_name name; /* of the next single run */
    int forgotten;              /* interruptions that are no longer heeded */
    pid_t pid;
    int request, reply, error, output; /* pipe ends: requests go out, the others come in */
    int written, reported;             /* of pipes, too: what commands write for lauka to read */
    int report_number; /* which descriptor the other end of `reported` is for commands */
    /* NULL: nobody reads it. */
    void (*hear)(void *context, enum lauka_outlet outlet, const char *bytes, size_t size);
    void *hear_context;
    bool wide;    /* `written` is */
    int lifeline; /* a byte interrupts, its end ends; see fd_passing.c */
    int loans;    /* descriptors come in */
    bool stopped[LAUKA_BATCH_MAX +
                 1]; /* in which runs of the batch the launcher was found so; after all */
    bool late[LAUKA_BATCH_MAX]; /* which of them took longer than they may */
    bool dismissed;             /* its ends of the pipes are closed */
    bool lost;                  /* nobody knows what it is at: nothing more is asked of it */
    struct lauka_tail tail;     /* of the last run's stderr */
};

struct serving { /* what the launcher process itself works with */
    struct shared *shared;
    int request, reply, error, output, loans;
    /* Of what there is not, the errno why there is none, below 0. */
    int input, nowhere; /* /dev/null: its 0 and 1, so that commands have them already */
    int own_output,
        own_error; /* what 1 and 2 were: lauka's; its 2 is where the commands' stderr goes */
    int written, reported; /* as in struct lauka_launcher */
    uid_t uid;             /* the launcher's own */
};

/* launcher.c: asks, and waits for the answer. False where the launcher is gone. */
bool launcher_ask(struct lauka_launcher *launcher, enum request request, struct lauka_error *error);

/* launcher.c: a byte for what waits in the launcher's process; then waits for the next answer. */
bool launcher_go_on(struct lauka_launcher *launcher, struct lauka_error *error);

/* fd_passing.c: what descriptors go through; false where there can be none. Then: hands some over, all or none, to be
 * closed on exec by who gets them. Each returns 0 or an errno. */
enum { LAUNCHER_LOANS_MAX = 3 };
bool launcher_make_socket(int ends[2]);
int launcher_send_descriptors(int socket, const int *descriptors, size_t count);
int launcher_receive_descriptors(int socket, int *descriptors, size_t count);

/* background.c: what the launcher does for REQUEST_START and REQUEST_REAP. */
void launcher_serve_start(const struct serving *serving);
void launcher_serve_reap(struct shared *shared);

/* Ends what such processes left behind, and themselves; hooks' processes live on. Where none was ever started, it does
 * nothing. */
void launcher_end_leftovers(const struct shared *shared);

/* serving.c: what the launcher process does until lauka closes its end of the pipe, or dies. */
void launcher_serve(const struct serving *serving);

/* serving.c: the launcher process from here on. is_program: not a copy of lauka. */
_Noreturn void launcher_begin(struct shared *shared, bool is_program);

/* linux/, macos/program.c: a region of memory that children share, at the same address; MAP_FAILED, and
 * errno. *file: what a program of its own can map there, too; -1: none can, or none is to. */
void *launcher_map(bool for_program, size_t size, int *file);

/* Gives a pipe as much room as a user may have, where a system has a way to. */
void launcher_widen(int pipe);

/* Starts the program as a child, which maps file's first `size` bytes at `shared`; -1 where that cannot be: then the
 * launcher has to be a copy of lauka. */
pid_t launcher_execute(const struct lauka_program *program, int file, size_t size,
                       struct shared *shared);

/* fd_passing.c: to be called once in the launcher's process. When the other end of the pipe is closed, as
 * lauka has died, the process groups of the command and of all that was started are killed. A byte only interrupts
 * what waits (EINTR). shared: tells which processes lead the groups. */
void launcher_hold_on(int other_end, const struct shared *shared);

/* Whether lauka has died: then nothing further is to be started. */
bool launcher_is_orphaned(void);

/* region.c: room in the shared region, aligned for pointers; NULL where it is full. */
void *launcher_take(struct lauka_launcher *launcher, size_t size);
char *launcher_share_text(struct lauka_launcher *launcher, const char *text);
char **launcher_share_vector(struct lauka_launcher *launcher, char *const *vector);

/* region.c: the environment of a command, which is lauka's own, with the command's in place of what
 * has the same name, and with the variables of a run. NULL where there is no room. */
char **launcher_share_environment(struct lauka_launcher *launcher,
                                  const struct lauka_command *command);

#endif
