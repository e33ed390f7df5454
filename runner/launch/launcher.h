/* What the files of the launcher share: the memory region at the same address in lauka's own
 * process and in the process that starts the commands. */
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
    REQUEST_GO_ON = 'o' /* releases a held process: see struct launcher_start */
};

struct shared_command { /* all pointers point into the shared region */
    char *path;
    char **argv;
    char **environment;
    char *directory, *input_file, *output_file; /* as in struct lauka_command */
    enum lauka_output_way output;
    bool reports;     /* reports to the descriptor LAUKA_REPORT_FD */
    bool is_hook;     /* it is not counted */
    bool is_load;     /* nor is this, which runs beside a started process */
    bool uncountable; /* the kernel removes the events when it is executed */
    bool watched;     /* a run has checked whether programs it starts do the same, */
    bool trusted;     /* and they do not */
    uint64_t timeout_ns;
    uint64_t delay_ns; /* CPU time to spend before it begins */
};

/* The variables that every run has in its environment; the strings are rewritten in place. */
enum { ROUND_DIGITS = 10, COMMAND_DIGITS = 5 };
struct run_variables {
    char *round, *iteration, *command; /* pointers to their digits */
    char *hyperfine;                   /* the iteration, in hyperfine's variable */
    char *padding;                     /* LAUKA_PADDING_MAX characters and a NUL */
    size_t padding_length;
};

struct shared_run { /* start of the record of one run of a batch */
    struct shared_command *command;
    struct lauka_run_name name;
    _Atomic(uint64_t) begun_ns; /* 0: it has not begun */
};

struct launcher_ends { /* the launcher process's ends of the pipes; see struct lauka_launcher */
    int request, reply, error, output, lifeline;
    int loans; /* passes descriptors; see fd_passing.c */
    int written, reported;
};

struct launcher_loan { /* an event for lauka; see lauka_launcher_lend */
    unsigned char event[LAUKA_LOAN_SIZE];
    int cpu;
    int error; /* the reply */
};

struct launcher_start { /* for REQUEST_START; its descriptors come through `loans` */
    const char *path, *directory;
    char *const *words, *const *environment;
    bool talks, signals, holds;
    volatile uint64_t begun_ns; /* the reply: right before its program began */
    atomic_bool held; /* a preliminary reply: it waits for a byte before its program begins */
    size_t place;     /* index among the started processes */
    pid_t pid;        /* the reply */
    int error;
};

struct launcher_reap { /* for REQUEST_REAP */
    pid_t pid;
    bool waits;
    bool ended; /* the reply */
    int status;
    struct lauka_usage usage; /* because struct rusage differs between C libraries */
};

/* Reserved, not committed: only used pages take memory. */
#define LAUKA_SHARED_SIZE ((size_t)256 << 20)

struct shared { /* the start of the region; the arena of commands follows */
    struct launcher_ends ends;
    volatile bool refused;                    /* the kernel refused the launcher's program */
    volatile pid_t pid;                       /* of the running command */
    volatile pid_t started[LAUKA_STARTS_MAX]; /* started but not reaped; 0: the slot is free */
    volatile uint64_t started_ns;
    volatile bool opening; /* it is opening the command's files; a FIFO may have no other end */
    atomic_size_t
        given_up; /* number of runs, plus one, after which the next must end before it begins */
    uint64_t rss_floor;
    size_t asked;                   /* number of runs to do in sequence */
    atomic_size_t done;             /* number of finished runs, whose records are complete */
    atomic_bool enough;             /* set by lauka: no further run of the batch should begin */
    atomic_bool heard;              /* set by lauka: the current run has written to stderr */
    struct shared_command *command; /* of the current run */
    struct run_variables variables;
    struct lauka_cpu_set cpus;      /* CPUs of the commands; empty: the launcher's own */
    int nice_value;                 /* 0: the launcher's */
    struct lauka_cpu_set own_cpus;  /* CPUs of the launcher; empty: any */
    struct lauka_identity identity; /* user of the commands */
    bool keep_orphans;
    int layout_error;          /* for REQUEST_LAYOUT */
    int cgroup_error;          /* for REQUEST_CGROUP */
    struct launcher_loan loan; /* for REQUEST_LEND */
    struct launcher_start start;
    struct launcher_reap reap;
    struct lauka_cgroup cgroup; /* open if the memory of all processes is measured */
    struct lauka_event *events; /* the events to try */
    size_t event_count;
    bool counts; /* the counters are open */
    struct lauka_counters counters;
    bool sparing;               /* see lauka_launcher_spare */
    struct lauka_sample sample; /* of the current run */
    struct lauka_reading readings[LAUKA_COUNTERS_MAX];
    char *records; /* of the batch, at the end of the region: see LAUKA_RECORDS_SIZE */
};

/* A request and a sample, with readings only of existing counters: touched pages are the launcher's memory. */
#define LAUKA_RECORD_SIZE(counters)                                                                \
    (sizeof(struct shared_run) + sizeof(struct lauka_sample) +                                     \
     (counters) * sizeof(struct lauka_reading))
#define LAUKA_RECORDS_SIZE (LAUKA_BATCH_MAX * LAUKA_RECORD_SIZE(LAUKA_COUNTERS_MAX))

/* serving.c: the request for one run of the batch. */
struct shared_run *launcher_run_of(const struct shared *shared, size_t run);

/* serving.c: moves the sample of a finished run to its record, and back; the readings stay in the
 * record. */
void launcher_record_put(struct shared *shared, size_t run);
void launcher_record_get(const struct shared *shared, size_t run, struct lauka_sample *sample);

struct lauka_launcher { /* also in the region, because nothing is allocated before the fork */
    struct shared *shared;
    void (*tick)(void *context, uint64_t runs_done); /* NULL: no calls */
    void *tick_context;
    int tick_ms;
    uint64_t ticked_ns;               /* when it was called last in lauka_launcher_poll, or set */
    char *arena, *arena_end;          /* free part of the region */
    struct shared_command **commands; /* owned */
    size_t command_count;
    char **environment;         /* for commands that add nothing to the environment */
    struct lauka_run_name name; /* for the next single run */
    int forgotten;              /* number of interruptions to ignore */
    pid_t pid;
    int request, reply, error, output; /* pipe ends; requests leave by the first */
    int written, reported;             /* also pipe ends: output of commands that lauka reads */
    int report_number; /* the descriptor number of the other end of `reported` in commands */
    /* NULL: no reader. */
    void (*hear)(void *context, enum lauka_outlet outlet, const char *bytes, size_t size);
    void *hear_context;
    int minded; /* a descriptor that is read during runs; -1: none */
    bool (*mind)(void *context);
    void *mind_context;
    bool wide;    /* the pipe of `written` is enlarged */
    int lifeline; /* a byte interrupts the launcher, closing ends it; see fd_passing.c */
    int loans;    /* receives descriptors */
    bool stopped[LAUKA_BATCH_MAX +
                 1]; /* runs during which the launcher was stopped; the last: after all */
    bool late[LAUKA_BATCH_MAX]; /* per run: it exceeded its timeout */
    bool dismissed;             /* the launcher's pipe ends are closed */
    bool lost;                  /* the launcher's state is unknown: no more requests */
    struct lauka_tail tail;     /* of the last run's stderr */
};

struct serving { /* working state of the launcher process */
    struct shared *shared;
    int request, reply, error, output, loans;
    /* Missing descriptors hold the negative errno that says why. */
    int input, nowhere;        /* /dev/null as 0 and 1, which commands inherit */
    int own_output, own_error; /* lauka's original 1 and 2; 2 is now the commands' stderr */
    int written, reported;     /* as in struct lauka_launcher */
    uid_t uid;                 /* the launcher's user */
};

/* launcher.c: sends a request and waits for the reply. False if the launcher is gone. */
bool launcher_ask(struct lauka_launcher *launcher, enum request request, struct lauka_error *error);

/* launcher.c: sends a byte to whatever waits in the launcher process, then waits for the next reply. */
bool launcher_go_on(struct lauka_launcher *launcher, struct lauka_error *error);

/* fd_passing.c: opens the channel for descriptors; false if impossible. Then: passes all or none of
 * some descriptors, which are close-on-exec in the receiver. Each returns 0 or an errno. */
enum { LAUNCHER_LOANS_MAX = 3 };
bool launcher_make_socket(int ends[2]);
int launcher_send_descriptors(int socket, const int *descriptors, size_t count);
int launcher_receive_descriptors(int socket, int *descriptors, size_t count);

/* background.c: handles REQUEST_START and REQUEST_REAP. */
void launcher_serve_start(const struct serving *serving);
void launcher_serve_reap(struct shared *shared);

/* Ends these processes and what they left behind, but no processes of hooks. If none was ever
 * started, it does nothing. */
void launcher_end_leftovers(const struct shared *shared);

/* serving.c: serves requests until lauka closes its end of the pipe, or dies. */
void launcher_serve(const struct serving *serving);

/* serving.c: the launcher process's main function. is_program: it is not a copy of lauka. */
_Noreturn void launcher_begin(struct shared *shared, bool is_program);

/* linux/, macos/program.c: maps a region that children share at the same address; MAP_FAILED and errno on
 * failure. *file: a descriptor for the launcher program to map it; -1: none is possible, or wanted. */
void *launcher_map(bool for_program, size_t size, int *file);

/* Gives a pipe the largest buffer a user may set, if the system supports this. */
void launcher_widen(int pipe);

/* Starts the program as a child that maps the file's first `size` bytes at `shared`. -1 if this
 * fails: then the launcher must be a copy of lauka. */
pid_t launcher_execute(const struct lauka_program *program, int file, size_t size,
                       struct shared *shared);

/* fd_passing.c: called once in the launcher process. When lauka dies, the other end of the pipe
 * closes; then it kills the process groups of the command and of all started processes. A byte only
 * interrupts what waits (EINTR). shared: has the leaders of these groups. */
void launcher_hold_on(int other_end, const struct shared *shared);

/* Whether lauka has died: then start nothing more. */
bool launcher_is_orphaned(void);

/* region.c: allocates in the shared region, aligned for pointers; NULL if it is full. */
void *launcher_take(struct lauka_launcher *launcher, size_t size);
char *launcher_share_text(struct lauka_launcher *launcher, const char *text);
char **launcher_share_vector(struct lauka_launcher *launcher, char *const *vector);

/* region.c: the environment of a command: lauka's own, in which the command's variables replace
 * those of the same name, and the variables of a run. NULL without room. */
char **launcher_share_environment(struct lauka_launcher *launcher,
                                  const struct lauka_command *command);

#endif
