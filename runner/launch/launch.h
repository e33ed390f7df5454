/* How commands are started, timed and reaped, and what runs around them. */
#ifndef LAUKA_RUNNER_LAUNCH_LAUNCH_H
#define LAUKA_RUNNER_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

struct lauka_launcher; /* opaque */
struct pollfd;

/* ---- region.c: the environment that commands get ---------------------------------------- */

/* The names of the next run in its environment, always with the same number of characters:
 * LAUKA_ROUND, LAUKA_ITERATION (HYPERFINE_ITERATION for users of hyperfine) and LAUKA_COMMAND (from
 * 1), padded with zeros. */
#define LAUKA_PADDING_MAX 2047 /* more would cost small programs another page: some per cent */
struct lauka_run_name {
    uint64_t round;     /* from 1; 0 in warm-up */
    uint64_t iteration; /* number of the command's run, including warm-up, from 1 */
    size_t command;
    size_t padding; /* length of LAUKA_LAYOUT, up to LAUKA_PADDING_MAX */
};
void lauka_launcher_name_run(struct lauka_launcher *launcher, const struct lauka_run_name *name);

/* ---- launcher.c: a tiny process that starts, times and reaps the commands -------------------- */

/* lauka's own memory must never show in a child, but the kernel starts a child's peak RSS at its
 * parent's. So lauka forks a process before it allocates anything. The two share only one region of
 * memory, for requests and samples, at the same address in both. */

enum lauka_outcome {
    LAUKA_EXITED,
    LAUKA_SIGNALED,
    LAUKA_NOT_STARTED,
    LAUKA_NO_INPUT,     /* --input could not be opened */
    LAUKA_NO_OUTPUT,    /* --output could not be opened */
    LAUKA_NO_DIRECTORY, /* --cwd could not be entered */
    LAUKA_CHANGED, /* the executable differs from the previous run's; code: 0, or why it is gone */
};

struct lauka_leftovers { /* processes that outlived a command */
    unsigned count;
    bool any;   /* one may have worked after the command's end, counted or not */
    bool alive; /* some still live: kept by request, or they could not be ended */
};

struct lauka_sample { /* one run */
    enum lauka_outcome outcome;
    int code;       /* exit status, signal number, or errno of exec or open */
    bool timed_out; /* ended because it exceeded its timeout */
    bool stopped;   /* the launcher was stopped (SIGSTOP), so it may have noticed the end late */
    struct lauka_leftovers leftovers;
    struct lauka_usage usage;
    struct lauka_residency residency;
    int count_error;        /* errno of an event that failed in this run alone; 0: none */
    uint8_t count_error_at; /* index of that event */
    uint64_t run_delay_ns;  /* of the main thread; LAUKA_UNKNOWN if not available */
    uint64_t tree_memory;   /* B, of all its processes; LAUKA_UNKNOWN if not available */
    uint64_t iterations;    /* iterations of a benchmark inside a program; 0: it is a run */
    bool uncounted;         /* the kernel removed the events: a set-uid or unreadable program */
    bool unwatched;         /* for a part of the command */
    bool contradicted;      /* the system's own numbers contradict the counts (macOS) */
    bool unreported;        /* it did not report a requested figure */
    const double
        *figures; /* borrowed, only in lauka's own process; NULL: none; NaN: a missing one */
    bool forked;  /* it started processes whose cost some counts omit (macOS) */
    struct lauka_reading *readings; /* per counter; borrowed until the next runs */
};

struct lauka_identity; /* see identity.c */

/* The launcher as a separate static executable, whose memory excludes what lauka and its libraries
 * have written. size 0: this build has none. */
struct lauka_program {
    const unsigned char *bytes;
    size_t size;
};

/* runner/launcher_program.c: from this build. */
extern const struct lauka_program lauka_launcher_program;

/* Forks the launcher, which executes `program` if possible, and otherwise continues as a copy of the
 * caller. program: NULL, or from this build, because both share memory. Call it first in main. */
bool lauka_launcher_open(const struct lauka_program *program, struct lauka_launcher **launcher,
                         struct lauka_error *error);

/* Copies the command into the shared region; it can then be run by its number. Commands are
 * numbered from 0, in the order of these calls. */
bool lauka_launcher_add(struct lauka_launcher *launcher, const struct lauka_command *command,
                        struct lauka_error *error);

struct lauka_tool {           /* a wrapper for commands, such as valgrind or strace; borrowed */
    const char *path;         /* path of the tool */
    const char *const *words; /* the tool's words, NULL-terminated; the first is its name */
    unsigned slower;          /* the largest factor by which it slows commands down */
};

/* Adds the command under the tool, with a timeout to suit it. */
bool lauka_launcher_add_under(struct lauka_launcher *launcher, const struct lauka_tool *tool,
                              const struct lauka_command *command, struct lauka_error *error);

/* Makes the launcher open an event on itself, which everything it starts inherits, and pass the
 * descriptor: under sudo only the launcher has the rights. `event`: as in struct
 * lauka_event_lender, which has this function; context: the launcher. */
int lauka_launcher_lend(void *context, const void *event, size_t size, int cpu);

/* Continues a stopped launcher: a command may stop its parent, and before lauka_interrupt_install
 * nobody notices. */
bool lauka_launcher_rouse(struct lauka_launcher *launcher, struct lauka_error *error);

/* Whether the launcher is known to have ended too early; the error says so. Everything it started
 * has ended with it. */
bool lauka_launcher_is_lost(struct lauka_launcher *launcher, struct lauka_error *error);

/* The number of added commands. */
size_t lauka_launcher_count_commands(const struct lauka_launcher *launcher);

/* Makes the launcher try the events; *counters is valid until close. */
bool lauka_launcher_count(struct lauka_launcher *launcher, const struct lauka_event *events,
                          size_t count, const struct lauka_counters **counters,
                          struct lauka_error *error);

/* From now on commands run, and their files are opened, as this user. */
void lauka_launcher_identify(struct lauka_launcher *launcher,
                             const struct lauka_identity *identity);

/* See LAUKA_PERIOD_WHEN_NEEDED; after lauka_launcher_count. */
void lauka_launcher_sample(struct lauka_launcher *launcher, uint64_t period_ns);

/* How the next runs are traced; after lauka_launcher_count. */
void lauka_launcher_trace(struct lauka_launcher *launcher, enum lauka_trace_way way);

/* The next runs count only this set of events: see struct lauka_counters. */
void lauka_launcher_turn(struct lauka_launcher *launcher, unsigned turn);

/* The next runs skip extra measurements: run_delay, and residency if all cores are of one kind.
 * This holds until events are opened again. */
void lauka_launcher_spare(struct lauka_launcher *launcher);

/* The next runs use these CPUs, and the launcher the others, if there are any. */
void lauka_launcher_pin(struct lauka_launcher *launcher, const struct lauka_cpu_set *cpus,
                        const struct lauka_cpu_set *others);

/* The next runs have this nice value. The caller has checked that it is allowed. */
void lauka_launcher_prioritise(struct lauka_launcher *launcher, int nice_value);

/* From now on, processes that outlive a command are not ended. */
void lauka_launcher_keep_orphans(struct lauka_launcher *launcher);

/* From now on, commands have the same addresses in every run. Fails with LAUKA_EXIT_HOST. */
bool lauka_launcher_fix_layout(struct lauka_launcher *launcher, struct lauka_error *error);

/* Makes the next runs ignore previous interruptions. */
void lauka_launcher_forget_interruption(struct lauka_launcher *launcher);

/* While a run takes longer than the period, calls tick(context, number of finished runs of the
 * batch) once per period; NULL: stops that. */
void lauka_launcher_tick(struct lauka_launcher *launcher, int every_ms,
                         void (*tick)(void *context, uint64_t runs_done), void *context);

/* poll(2) that also calls it, for other waits while something runs; returns as poll does, though after a shorter time
 * than ms milliseconds, which are not negative. */
int lauka_launcher_poll(struct lauka_launcher *launcher, struct pollfd *files, size_t count,
                        int ms);

/* The most runs in a batch, and how long after the first one another may begin. */
enum { LAUKA_BATCH_MAX = 256, LAUKA_BATCH_NS = 50000000 };

struct lauka_launch { /* a run that is asked for */
    size_t command;   /* its number in the launcher */
    struct lauka_run_name name;
    struct lauka_sample *sample; /* to be filled */
};

/* Does the runs in sequence and wakes the calling process once, at the end. *done: the number of
 * finished runs, also on failure. A batch ends early after a run that did not exit with 0, wrote to
 * stderr, or was interrupted, and after LAUKA_BATCH_NS. It keeps the last 4 KiB of the last run's
 * stderr: lauka_launcher_stderr. On an interruption, or when a run exceeds its command's timeout,
 * it ends the command's process group: politely first, by SIGKILL a second later. The sample says
 * how the run ended, and is the last. */
bool lauka_launcher_run_all(struct lauka_launcher *launcher, const struct lauka_launch *launches,
                            size_t count, size_t *done, struct lauka_error *error);

/* The same for one run, with the name of the previous run. */
bool lauka_launcher_run(struct lauka_launcher *launcher, size_t command,
                        struct lauka_sample *sample, struct lauka_error *error);

/* Makes each later run of the command spend this much CPU time before it begins, as a part of what
 * is measured. False if impossible here. */
bool lauka_launcher_delay(struct lauka_launcher *launcher, size_t command, uint64_t delay_ns);

/* The end of the last run's stderr; *size bytes, borrowed until the next run. */
const char *lauka_launcher_stderr(struct lauka_launcher *launcher, size_t *size);

/* The pipes to which commands write. */
enum lauka_outlet {
    LAUKA_OUTLET_NOWHERE, /* discarded stdout: LAUKA_OUTPUT_PIPE */
    LAUKA_OUTLET_STDOUT,  /* LAUKA_OUTPUT_KEPT */
    LAUKA_OUTLET_REPORTS, /* the descriptor of LAUKA_REPORT_FD */
    LAUKA_OUTLETS
};

/* Calls `hear` with pieces of what the next runs write to one of the last two, during the runs and
 * after them; NULL: stops that. A run that writes more waits meanwhile. */
void lauka_launcher_listen(struct lauka_launcher *launcher,
                           void (*hear)(void *context, enum lauka_outlet outlet, const char *bytes,
                                        size_t size),
                           void *context);

/* The launcher's own peak RSS in bytes, the minimum that a child can show. */
uint64_t lauka_launcher_rss_floor(struct lauka_launcher *launcher);

/* Lets the launcher end while the caller goes on; no requests are allowed any more. It must still be closed. */
void lauka_launcher_dismiss(struct lauka_launcher *launcher);

/* Ends and reaps the launcher. */
void lauka_launcher_close(struct lauka_launcher *launcher);

/* ---- requests.c: processes that go on while others are asked for ------------------------------ */

/* These are children of the launcher, so that their peak RSS does not begin at lauka's. Meanwhile
 * it runs only hooks. */
enum { LAUKA_STARTS_MAX = 4 }; /* at one time */

struct lauka_start {              /* everything is borrowed */
    const char *path, *directory; /* directory: working directory; NULL: lauka's own */
    char *const *words, *const *environment;
    /* Descriptors that lauka keeps. `complaints` is its stderr. If it talks, it reads 3 from `in`
     * and writes 4 to `out`; otherwise `out` is its stdout. */
    int in, out, complaints;
    bool talks;
    /* Attached when it exists, before its program begins, so that all its threads inherit their events; NULL: none. */
    struct lauka_counters *counters;
};

/* Returns 0 or an errno as soon as its program begins. It leads its own process group; its user,
 * signals, stdin and end are as for a command; it must be reaped. */
int lauka_launcher_start(struct lauka_launcher *launcher, const struct lauka_start *start,
                         pid_t *pid);

/* Whether it has ended. If so, it is reaped; *status is as from wait(2), and *usage excludes wall
 * time and anything used before its program began. waits: blocks until then. If the launcher is
 * gone, the process is too, by SIGKILL. */
bool lauka_launcher_reap(struct lauka_launcher *launcher, pid_t pid, bool waits, int *status,
                         struct lauka_usage *usage);

/* ---- hooks.c: what is run around the commands ------------------------------------------------ */

struct lauka_failure { /* the run that ended the session */
    size_t command;
    size_t layout;    /* the command's layout, from 1; 0: none */
    const char *hook; /* static: its purpose, "setup command"; NULL: the command itself */
    uint64_t round;
    bool warmup;
    bool differs;        /* --same-output: it wrote something else than another run */
    bool outside_rounds; /* for a hook: it ran before the first round or after the last */
    struct lauka_sample sample;
    char reason[500]; /* replaces the sample's reason; "": none */
    char stderr_tail[4097];
};

struct lauka_hooks {
    const struct lauka_options *options;  /* borrowed; its commands are located */
    struct lauka_launcher *launcher;      /* borrowed */
    size_t *numbers;                      /* owned; numbers in the launcher, by command and hook */
    size_t *command_numbers;              /* owned; numbers in the launcher, once handed over */
    bool *begun;                          /* owned; by command: it needs a cleanup */
    struct lauka_executable *executables; /* owned; by command: the state after its own setup */
};

enum lauka_hook_end { LAUKA_HOOK_DONE, LAUKA_HOOK_FAILED, LAUKA_HOOK_BROKEN };

/* Passes all hooks to the launcher, and all commands whose programs exist without a setup. */
bool lauka_hooks_init(struct lauka_hooks *hooks, const struct lauka_options *options,
                      struct lauka_launcher *launcher, struct lauka_error *error);

/* Runs a hook and waits; a missing one counts as done. _FAILED fills `failure` except for the
 * round; _BROKEN means that lauka itself failed, and fills `error`. */
enum lauka_hook_end lauka_hooks_run(struct lauka_hooks *hooks, size_t command, enum lauka_hook hook,
                                    struct lauka_failure *failure, struct lauka_error *error);

/* Looks up the command's program, once, and passes it to the launcher, which then has a number for
 * it. */
bool lauka_hooks_hand_over(struct lauka_hooks *hooks, size_t command, struct lauka_error *error);

/* Runs a command's setup, then looks the command up and passes it to the launcher. */
enum lauka_hook_end lauka_hooks_set_up(struct lauka_hooks *hooks, size_t command,
                                       struct lauka_failure *failure, struct lauka_error *error);

/* After all setups: checks that none of them changed the program of an earlier command. */
bool lauka_hooks_check(const struct lauka_hooks *hooks, struct lauka_error *error);

/* Runs the cleanup of a command whose setup was begun, once; even after an interruption. */
enum lauka_hook_end lauka_hooks_clean_up(struct lauka_hooks *hooks, size_t command,
                                         struct lauka_failure *failure, struct lauka_error *error);
void lauka_hooks_done(struct lauka_hooks *hooks);

/* ---- pretence.c: what commands of --backend=simulated cost ----------------------------------- */

/* One run of one command. All its costs follow from this, the seed and the command's words. */
struct lauka_pretended_run {
    uint64_t seed;  /* for everything random */
    size_t variant; /* index in the options' commands: what is executed, */
    size_t command; /* what it is executed for; they differ with layouts */
    uint64_t round; /* from 0 on */
    size_t place;   /* position in its round, from 0 on */
    bool is_last;   /* it is the last of its round */
};

/* For simulated:effects, reads each command's words into command->pretence: WORD=VALUE after its
 * name; words without '=' belong to the name. Fails with LAUKA_EXIT_USAGE. */
bool lauka_pretence_read_all(struct lauka_options *options, struct lauka_error *error);

/* Fills the sample. */
void lauka_pretence_run(const struct lauka_options *options, const struct lauka_pretended_run *run,
                        struct lauka_counters *counters, struct lauka_sample *sample);

/* ---- requests.c: --tree-memory --------------------------------------------------------------- */

/* From now on, measures the memory of all processes of a run. If this is impossible, the result
 * gets a warning, and the metric is not counted. */
bool lauka_launcher_track_memory(struct lauka_launcher *launcher, struct lauka_result *result,
                                 struct lauka_error *error);

/* ---- linux/memory.c, macos/process.c ---- */

/* Releases memory of the program and its libraries that can be read again, after a part of the program
 * that was needed once, such as a document during a session. Later the program is read back in steps of
 * one or two pages, not sixteen. Takes a fraction of a millisecond: for long sessions. */
void lauka_process_release_program(void);

#endif
