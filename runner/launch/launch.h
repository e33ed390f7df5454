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

struct lauka_launcher;

/* ---- region.c: the environment that commands get ---------------------------------------- */

/* What the next run finds in its environment, always with the same number of characters: LAUKA_ROUND,
 * LAUKA_ITERATION (HYPERFINE_ITERATION to hyperfine's users) and LAUKA_COMMAND (from 1), padded with
 * zeros. */
#define LAUKA_PADDING_MAX 2047 /* more would cost small programs a page more: some per cent */
struct lauka_run_name {
    uint64_t round;     /* from 1; 0 in warm-up */
    uint64_t iteration; /* of the command, warm-up included, from 1 */
    size_t command;
    size_t padding; /* characters of LAUKA_LAYOUT, up to LAUKA_PADDING_MAX */
};
void lauka_launcher_name_run(struct lauka_launcher *launcher, const struct lauka_run_name *name);

/* ---- launcher.c: a tiny process that starts, times and reaps the commands -------------------- */

/* The memory of lauka's own process must never show in a child, but the kernel lets a child's peak RSS
 * begin at its parent's. So a process is forked before anything is allocated; it shares with lauka only
 * one region of memory, for requests and samples, at the same address in both. */

enum lauka_outcome {
    LAUKA_EXITED,
    LAUKA_SIGNALED,
    LAUKA_NOT_STARTED,
    LAUKA_NO_INPUT,     /* --input could not be opened */
    LAUKA_NO_OUTPUT,    /* --output could not be opened */
    LAUKA_NO_DIRECTORY, /* --cwd could not be entered */
    LAUKA_CHANGED, /* the executable is not the one that ran before; code: 0, or why it is gone */
};

struct lauka_leftovers { /* what a command has left behind: processes that outlived it */
    unsigned count;
    bool
        any; /* one may have done something since the command's end, also where it is not counted */
    bool alive; /* some live on: they were to be kept, or could not be ended */
};

struct lauka_sample { /* one run */
    enum lauka_outcome outcome;
    int code;       /* exit status, signal number, or errno of exec or open */
    bool timed_out; /* it was ended because it took too long */
    bool stopped;   /* the launcher was (SIGSTOP), so that it may have seen the end too late */
    struct lauka_leftovers leftovers;
    struct lauka_usage usage;
    struct lauka_residency residency;
    int count_error;        /* errno by which an event could not be counted in this run alone; 0 */
    uint8_t count_error_at; /* which one */
    uint64_t run_delay_ns;  /* of the main thread; LAUKA_UNKNOWN where it is not told */
    uint64_t tree_memory;   /* B, of all its processes; LAUKA_UNKNOWN where it is not told */
    uint64_t iterations;    /* of what is counted of a benchmark inside a program; 0: it is a run */
    bool uncounted;         /* the kernel took the events away: a set-uid or unreadable program */
    bool unwatched;         /* from a part of the command */
    bool contradicted;      /* what was counted, by what the system itself says (macOS) */
    bool unreported;        /* a figure that it was to report is not there */
    const double *
        figures; /* borrowed, by lauka's own process only; NULL: there are none; NaN: it has not this one */
    bool forked; /* it had others started, whose cost some counts leave out (macOS) */
    struct lauka_reading *readings; /* of each counter; borrowed until the next runs */
};

struct lauka_launcher; /* opaque */
struct lauka_identity; /* see identity.c */

/* The launcher as a program of its own, a static executable: its memory does not include what lauka and
 * its libraries have written to. size 0: this build has none. */
struct lauka_program {
    const unsigned char *bytes;
    size_t size;
};

/* runner/launcher_program.c: this build's. */
extern const struct lauka_program lauka_launcher_program;

/* Forks the launcher, which executes `program` if it can, and otherwise continues as a copy of the caller.
 * program: NULL, or this build's, because both share memory. Call it first in main. */
bool lauka_launcher_open(const struct lauka_program *program, struct lauka_launcher **launcher,
                         struct lauka_error *error);

/* Copies the command into the shared region; from then on it can be run by its number. Commands are
 * numbered from 0, in the order in which they were added. */
bool lauka_launcher_add(struct lauka_launcher *launcher, const struct lauka_command *command,
                        struct lauka_error *error);

struct lauka_tool {           /* in front of commands, as valgrind or strace; borrowed */
    const char *path;         /* of its program */
    const char *const *words; /* its own, NULL-terminated; the first is its name */
    unsigned slower;          /* no command takes more than so many times as long under it */
};

/* Adds the command under the tool, and gives it time enough. */
bool lauka_launcher_add_under(struct lauka_launcher *launcher, const struct lauka_tool *tool,
                              const struct lauka_command *command, struct lauka_error *error);

/* Makes the launcher open an event on itself, which everything it starts inherits, and hand over the
 * descriptor: under sudo only the launcher may. `event`: as in struct lauka_event_lender, whose function
 * this is; context: the launcher. */
int lauka_launcher_lend(void *context, const void *event, size_t size, int cpu);

/* Continues the launcher if it is stopped: a command may stop its parent, and before lauka_interrupt_install nobody
 * notices. */
bool lauka_launcher_rouse(struct lauka_launcher *launcher, struct lauka_error *error);

/* Whether it has ended although it was still needed, as far as that was noticed; the error says so. All that it had
 * started has ended with it. */
bool lauka_launcher_is_lost(struct lauka_launcher *launcher, struct lauka_error *error);

/* How many commands were added. */
size_t lauka_launcher_count_commands(const struct lauka_launcher *launcher);

/* Lets the launcher try the events; *counters stays valid until close. */
bool lauka_launcher_count(struct lauka_launcher *launcher, const struct lauka_event *events,
                          size_t count, const struct lauka_counters **counters,
                          struct lauka_error *error);

/* From now on commands run, and their files are opened, as that user. */
void lauka_launcher_identify(struct lauka_launcher *launcher,
                             const struct lauka_identity *identity);

/* See LAUKA_PERIOD_WHEN_NEEDED; after lauka_launcher_count. */
void lauka_launcher_sample(struct lauka_launcher *launcher, uint64_t period_ns);

/* The next runs count this set of the events only: see struct lauka_counters. */
void lauka_launcher_turn(struct lauka_launcher *launcher, unsigned turn);

/* The next runs do without extra measurements: run_delay, and residency if all cores are of one kind. This
 * holds until events are counted anew. */
void lauka_launcher_spare(struct lauka_launcher *launcher);

/* The next runs are on these CPUs, and the launcher on the others, unless there are none. */
void lauka_launcher_pin(struct lauka_launcher *launcher, const struct lauka_cpu_set *cpus,
                        const struct lauka_cpu_set *others);

/* The next runs have this nice value; the caller has checked that it is allowed. */
void lauka_launcher_prioritise(struct lauka_launcher *launcher, int nice_value);

/* From now on, processes that a command leaves behind live on. */
void lauka_launcher_keep_orphans(struct lauka_launcher *launcher);

/* From now on, commands get the same addresses in every run. Fails with LAUKA_EXIT_HOST. */
bool lauka_launcher_fix_layout(struct lauka_launcher *launcher, struct lauka_error *error);

/* Interruptions so far do not end the next runs. */
void lauka_launcher_forget_interruption(struct lauka_launcher *launcher);

/* While a run takes longer than the period, calls tick(context, number of finished runs of the batch) once
 * each period; NULL: stops that. */
void lauka_launcher_tick(struct lauka_launcher *launcher, int every_ms,
                         void (*tick)(void *context, uint64_t runs_done), void *context);

/* The most runs in one batch; and how long after the first one a further one may begin. */
enum { LAUKA_BATCH_MAX = 256, LAUKA_BATCH_NS = 50000000 };

struct lauka_launch { /* a run that is asked for */
    size_t command;   /* its number */
    struct lauka_run_name name;
    struct lauka_sample *sample; /* to be filled */
};

/* Does the runs one after the other; the calling process is woken once, at the end. *done: the number of
 * finished runs, also on failure. A batch ends early after a run that did not exit with 0, that wrote to
 * stderr, or in which lauka was interrupted, and after LAUKA_BATCH_NS. The last run's stderr is kept (its
 * last 4 KiB), see lauka_launcher_stderr. If lauka is interrupted, or a run exceeds its command's timeout,
 * the command's whole process group is ended: asked first, killed a second later. The sample says how it
 * ended, and is the last. */
bool lauka_launcher_run_all(struct lauka_launcher *launcher, const struct lauka_launch *launches,
                            size_t count, size_t *done, struct lauka_error *error);

/* The same for one run, which keeps the name of the run before. */
bool lauka_launcher_run(struct lauka_launcher *launcher, size_t command,
                        struct lauka_sample *sample, struct lauka_error *error);

/* Makes each further run of the command spend that much CPU time before it begins, within what is
 * measured. False if that is impossible here. */
bool lauka_launcher_delay(struct lauka_launcher *launcher, size_t command, uint64_t delay_ns);

/* The end of what the last run wrote to stderr; *size bytes, borrowed until the next run. */
const char *lauka_launcher_stderr(struct lauka_launcher *launcher, size_t *size);

/* The pipes that commands write to. */
enum lauka_outlet {
    LAUKA_OUTLET_NOWHERE, /* stdout that is thrown away: LAUKA_OUTPUT_PIPE */
    LAUKA_OUTLET_STDOUT,  /* LAUKA_OUTPUT_KEPT */
    LAUKA_OUTLET_REPORTS, /* the descriptor of LAUKA_REPORT_FD */
    LAUKA_OUTLETS
};

/* hear is told what the next runs write to one of the last two, piece by piece, while they run and once they are over;
 * NULL: nobody is. A run that wants to write more waits meanwhile. */
void lauka_launcher_listen(struct lauka_launcher *launcher,
                           void (*hear)(void *context, enum lauka_outlet outlet, const char *bytes,
                                        size_t size),
                           void *context);

/* The launcher's own peak RSS in bytes: no child can show less. */
uint64_t lauka_launcher_rss_floor(struct lauka_launcher *launcher);

/* Ends the launcher, beside what the caller still does: nothing may be asked of it any more. Close it nevertheless. */
void lauka_launcher_dismiss(struct lauka_launcher *launcher);

/* Ends and reaps the launcher. */
void lauka_launcher_close(struct lauka_launcher *launcher);

/* ---- requests.c: processes that go on while others are asked for ------------------------------ */

/* They are the launcher's children, so that their peak RSS does not begin at lauka's. Only hooks are run while there
 * are any. */
enum { LAUKA_STARTS_MAX = 4 }; /* at one time */

struct lauka_start {              /* everything is borrowed */
    const char *path, *directory; /* directory: to run in; NULL: lauka's own */
    char *const *words, *const *environment;
    /* Descriptors of lauka's, which keeps them. It writes its stderr to complaints; it reads 3 from `in` and
     * writes 4 to `out` if it talks, and otherwise writes its stdout to `out`. */
    int in, out, complaints;
    bool talks;
    /* Called as soon as it exists, before its program begins; NULL: nothing is to be done. */
    void (*attach)(void *context, pid_t pid);
    void *context;
};

/* Returns 0 or an errno as soon as its program begins. It leads a process group of its own, has the user, signals,
 * stdin and death of a command, and is to be reaped. */
int lauka_launcher_start(struct lauka_launcher *launcher, const struct lauka_start *start,
                         pid_t *pid);

/* Whether it has ended; then it is reaped, *status is as wait(2) has it, and *usage is what it used, without a wall
 * time and without what was used before its program began. waits: for its end. If the launcher is gone, so is the
 * process, by SIGKILL. */
bool lauka_launcher_reap(struct lauka_launcher *launcher, pid_t pid, bool waits, int *status,
                         struct lauka_usage *usage);

/* ---- hooks.c: what is run around the commands ------------------------------------------------ */

struct lauka_failure { /* the run that ended the session */
    size_t command;
    size_t layout;    /* of the command, from 1; 0: it has none */
    const char *hook; /* static: what it was run for, "setup command"; NULL: it was the command */
    uint64_t round;
    bool warmup;
    bool outside_rounds; /* of a hook: before the first round, or after the last one */
    struct lauka_sample sample;
    char reason[500]; /* in place of what the sample tells; "": none */
    char stderr_tail[4097];
};

struct lauka_hooks {
    const struct lauka_options *options;  /* borrowed; its commands are located */
    struct lauka_launcher *launcher;      /* borrowed */
    size_t *numbers;                      /* owned; the launcher's, by command and hook */
    size_t *command_numbers;              /* owned; the launcher's, once handed over */
    bool *begun;                          /* owned; by command: a cleanup is due */
    struct lauka_executable *executables; /* owned; by command: as its own setup left it */
};

enum lauka_hook_end { LAUKA_HOOK_DONE, LAUKA_HOOK_FAILED, LAUKA_HOOK_BROKEN };

/* Hands over to the launcher all hooks, and all commands whose programs need not be made by a hook first. */
bool lauka_hooks_init(struct lauka_hooks *hooks, const struct lauka_options *options,
                      struct lauka_launcher *launcher, struct lauka_error *error);

/* Runs a hook and waits; a missing one counts as done. _FAILED fills `failure` except for the round;
 * _BROKEN, if lauka itself failed, fills `error`. */
enum lauka_hook_end lauka_hooks_run(struct lauka_hooks *hooks, size_t command, enum lauka_hook hook,
                                    struct lauka_failure *failure, struct lauka_error *error);

/* Looks up the command's program, once, and hands it to the launcher: from then on its number there is
 * known. */
bool lauka_hooks_hand_over(struct lauka_hooks *hooks, size_t command, struct lauka_error *error);

/* A command's setup, after which the command is looked for and handed to the launcher. */
enum lauka_hook_end lauka_hooks_set_up(struct lauka_hooks *hooks, size_t command,
                                       struct lauka_failure *failure, struct lauka_error *error);

/* After all setups: whether one of them changed the program of an earlier command. */
bool lauka_hooks_check(const struct lauka_hooks *hooks, struct lauka_error *error);

/* The cleanup of a command whose setup was begun, once; it runs even after an interruption. */
enum lauka_hook_end lauka_hooks_clean_up(struct lauka_hooks *hooks, size_t command,
                                         struct lauka_failure *failure, struct lauka_error *error);
void lauka_hooks_done(struct lauka_hooks *hooks);

/* ---- pretence.c: what commands of --backend=simulated cost ----------------------------------- */

/* One run of one command. All its costs follow from this, the seed and the command's words. */
struct lauka_pretended_run {
    uint64_t seed;  /* of all that is drawn */
    size_t variant; /* of the options' commands: what is executed, */
    size_t command; /* for this one; the same, unless there are layouts */
    uint64_t round; /* from 0 on */
    size_t place;   /* in its round, from 0 on */
    bool is_last;   /* in it */
};

/* For simulated:effects, reads each command's words into command->pretence: WORD=VALUE behind its name;
 * words without '=' belong to the name. Fails with LAUKA_EXIT_USAGE. */
bool lauka_pretence_read_all(struct lauka_options *options, struct lauka_error *error);

/* Fills the sample. */
void lauka_pretence_run(const struct lauka_options *options, const struct lauka_pretended_run *run,
                        struct lauka_counters *counters, struct lauka_sample *sample);

/* ---- requests.c: --tree-memory --------------------------------------------------------------- */

/* From now on, the memory of all processes of a run is measured. If that is impossible, the result gets a
 * warning, and the metric is not counted. */
bool lauka_launcher_track_memory(struct lauka_launcher *launcher, struct lauka_result *result,
                                 struct lauka_error *error);

/* ---- linux/memory.c, macos/process.c ---- */

/* Gives back what the program and its libraries have in memory and can be read again: after a part of the program that
 * was needed once, such as a document of a session under way. From then on the program is read again by a page or two
 * instead of by sixteen. Costs a fraction of a millisecond: for long sessions. */
void lauka_process_release_program(void);

#endif
