/* runner: runs commands in interleaved rounds and hands over what they cost. Uses pmu, stats and
 * report. Errors are worded here, once, near their cause, in struct lauka_error; only main.c prints
 * them and exits. */
#ifndef LAUKA_RUNNER_H
#define LAUKA_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "pmu/apple.h"
#include "pmu/pmu.h"
#include "report/report.h"
#include "runner/options.h"
#include "stats/stats.h"

enum lauka_exit { /* what the program's exit code says */
                  LAUKA_EXIT_DONE = 0,
                  LAUKA_EXIT_INTERNAL = 1, /* lauka itself failed */
                  LAUKA_EXIT_USAGE = 2,
                  LAUKA_EXIT_REGRESSION = 3,   /* a limit of the gate is exceeded */
                  LAUKA_EXIT_INCONCLUSIVE = 4, /* --inconclusive=fail, and it is */
                  LAUKA_EXIT_COMMAND_FAILED = 5,
                  LAUKA_EXIT_HOST = 6, /* this machine cannot do what was asked for */
                  LAUKA_EXIT_SIGNAL =
                      128, /* plus the number of the signal that interrupted lauka */
};

/* What went wrong, in one line: what, where, what to do. */
struct lauka_error {
    enum lauka_exit code;
    char text[1024];
};

/* Fills the error; always returns false, so that a caller can `return lauka_fail(...)`. */
bool lauka_fail(struct lauka_error *error, enum lauka_exit code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As one line on stderr, made safe. */
void lauka_error_print(const struct lauka_error *error);

/* ---- command.c: text or argument vector -> what to execute ---------------------------------------- */

/* Where a command's standard output leads; its standard error is kept (the end of it) or, with
 * LAUKA_OUTPUT_INHERIT, is lauka's own too. */
enum lauka_output_way {
    LAUKA_OUTPUT_NULL,    /* /dev/null, which some programs notice, and do less */
    LAUKA_OUTPUT_PIPE,    /* read and thrown away by lauka */
    LAUKA_OUTPUT_INHERIT, /* lauka's own */
    LAUKA_OUTPUT_FILE,    /* emptied before each run */
};

struct lauka_command {
    char *label; /* owned: as typed, or the argv quoted for a shell */
    char **argv; /* owned, NULL-terminated, at least one */
    char *path;  /* owned: the file to execute, found along PATH; NULL where there is none */
    char **environment; /* owned, NULL-terminated, or NULL: K=V beside lauka's own */
    char *directory;    /* owned, absolute; NULL: lauka's own. Where it runs, and is looked for */
    enum lauka_output_way output;
    char *output_file; /* owned; of LAUKA_OUTPUT_FILE */
    char *input_file;  /* owned; opened anew for each run; NULL: /dev/null */
    bool expects;         /* it succeeds with the expected codes only; otherwise see options */
    uint8_t expected[32]; /* a bit for each exit code */
    uint64_t items, bytes; /* that a run gets through; 0: not said */
    uint64_t timeout_ns; /* after which a run is ended, and has failed; 0: never */
    struct lauka_parameter_value *parameters; /* owned; what {NAME} stood for */
    size_t parameter_count;
    char *hooks[LAUKA_HOOKS]; /* owned; texts for a shell; NULL: none */
    struct lauka_pretence *pretence; /* owned; what simulated:effects makes it cost; NULL: no words */
    bool is_hook;             /* itself: run uncounted */
};

/* The text with the command's parameters in place of their {NAME}s. Owned by the caller; NULL without
 * memory. */
char *lauka_command_substitute(const struct lauka_command *command, const char *text);

/* Splits by the shell's quoting rules (POSIX 2.2: backslash, single and double quotes). Characters
 * that only a shell would act on are an error that shows both ways out. */
bool lauka_command_parse(const char *text, struct lauka_command *command,
                         struct lauka_error *error);

/* A command of ready arguments, copied. count is at least 1. */
bool lauka_command_from_argv(char *const *argv, size_t count, struct lauka_command *command,
                             struct lauka_error *error);

/* `text` as one script for the shell: argv is {shell's words..., "-c", text}. */
bool lauka_command_for_shell(const char *shell, const char *text, struct lauka_command *command,
                             struct lauka_error *error);

/* Looks argv[0] up as env(1) -C directory would, along the PATH that the command gets, and sets path.
 * Fails with LAUKA_EXIT_COMMAND_FAILED. */
bool lauka_command_locate(struct lauka_command *command, struct lauka_error *error);

void lauka_command_done(struct lauka_command *command);

/* The argument vector as text that a POSIX shell splits into the same words. Owned by the caller;
 * NULL without memory. */
char *lauka_quote_argv(char *const *argv, size_t count);

/* ---- settings.c: the options of a session, as its result tells them ------------------------------ */

/* Adds what was given and what holds by default, but not where documents go. Returns 0 or ENOMEM. */
int lauka_settings_describe(struct lauka_result *result, const struct lauka_options *options);

#include "runner/schedule.h"

/* ---- launcher.c: a tiny process that starts, times and reaps the commands ------------------------- */

/* The memory of lauka's own process must never show in a child: the kernel lets a child's peak RSS
 * begin at its parent's. So a process is forked before anything is allocated; it shares only one
 * region of memory with lauka, in which requests and samples lie, at the same address in both. */

enum lauka_outcome {
    LAUKA_EXITED,
    LAUKA_SIGNALED,
    LAUKA_NOT_STARTED,
    LAUKA_NO_INPUT,  /* --input could not be opened */
    LAUKA_NO_OUTPUT, /* --output could not be opened */
    LAUKA_NO_DIRECTORY, /* --cwd could not be entered */
    LAUKA_CHANGED, /* the executable is not the one that ran before; code: 0, or why it is gone */
};

struct lauka_leftovers { /* what a command has left behind: processes that outlived it */
    unsigned count;
    bool alive; /* some live on: they were to be kept, or could not be ended */
};

struct lauka_sample { /* one run */
    enum lauka_outcome outcome;
    int code; /* exit status, signal number, or errno of exec or open */
    bool timed_out; /* it was ended because it took too long */
    bool stopped;   /* the launcher was (SIGSTOP), so that it may have seen the end too late */
    struct lauka_leftovers leftovers;
    struct lauka_usage usage;
    struct lauka_reading readings[LAUKA_COUNTERS_MAX];
    struct lauka_residency residency;
    int count_error;        /* errno by which an event could not be counted in this run alone; 0 */
    uint8_t count_error_at; /* which one */
    uint64_t run_delay_ns; /* of the main thread; LAUKA_UNKNOWN where it is not told */
    uint64_t tree_memory;  /* B, of all its processes; LAUKA_UNKNOWN where it is not told */
    bool uncounted; /* the kernel took the events away: a set-uid or unreadable program */
    bool unwatched; /* from a part of the command */
    bool contradicted; /* what was counted, by what the system itself says (macOS) */
    bool forked;    /* it had others started, whose cost some counts leave out (macOS) */
};

struct lauka_launcher; /* opaque */
struct lauka_identity; /* see identity.c */

/* Forks the launcher. To be called first in main. */
bool lauka_launcher_open(struct lauka_launcher **launcher, struct lauka_error *error);

/* Copies the command into the shared region; from then on it can be run under its number: commands
 * count up from 0, in the order in which they were added. */
bool lauka_launcher_add(struct lauka_launcher *launcher, const struct lauka_command *command,
                        struct lauka_error *error);

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

/* The next runs do without what is told of a run in passing: run_delay, and residency where all cores
 * are of one kind. Until events are counted anew. */
void lauka_launcher_spare(struct lauka_launcher *launcher);

/* economy.c: whether the runs of a round are so short that this would cost a good part of them, while
 * nobody asked to see it. samples: by command. */
bool lauka_is_to_be_spared(const struct lauka_result *result, const struct lauka_sample *samples);

/* The next runs are on these CPUs, the launcher on the others, unless there are none. */
void lauka_launcher_pin(struct lauka_launcher *launcher, const struct lauka_cpu_set *cpus,
                        const struct lauka_cpu_set *others);

/* The next runs have this nice value, which the caller has seen to be allowed. */
void lauka_launcher_prioritise(struct lauka_launcher *launcher, int nice_value);

/* From now on, processes that a command leaves behind live on. */
void lauka_launcher_keep_orphans(struct lauka_launcher *launcher);

/* From now on, commands get the same addresses in every run. Fails with LAUKA_EXIT_HOST. */
bool lauka_launcher_fix_layout(struct lauka_launcher *launcher, struct lauka_error *error);

/* tree_memory.c: from now on, the memory of all processes of a run is measured; where that cannot be,
 * the result gets a warning, and its metric is not counted. */
bool lauka_launcher_track_memory(struct lauka_launcher *launcher, struct lauka_result *result,
                                 struct lauka_error *error);

/* environment.c: what the next run finds in its environment, always in as many characters:
 * LAUKA_ROUND, LAUKA_ITERATION and LAUKA_COMMAND (from 1), with zeros in front. */
#define LAUKA_PADDING_MAX 2047 /* more would cost small programs a page more: some per cent */
struct lauka_run_name {
    uint64_t round;     /* from 1; 0 in warm-up */
    uint64_t iteration; /* of the command, warm-up included, from 1 */
    size_t command;
    size_t padding; /* characters of LAUKA_LAYOUT, up to LAUKA_PADDING_MAX */
};
void lauka_launcher_name_run(struct lauka_launcher *launcher, const struct lauka_run_name *name);

/* Interruptions so far do not end the next runs. */
void lauka_launcher_forget_interruption(struct lauka_launcher *launcher);

/* Runs command number `command` once and waits. stderr of the run is kept (its last 4 KiB), see
 * lauka_launcher_stderr. Where lauka is interrupted meanwhile, or the command takes longer than it
 * may, its whole process group is ended: asked first, killed a second later. The sample tells how it
 * ended. */
bool lauka_launcher_run(struct lauka_launcher *launcher, size_t command,
                        struct lauka_sample *sample, struct lauka_error *error);

/* Each further run of the command spends so much CPU time before it begins, within what is measured of
 * it. False where that cannot be done here. */
bool lauka_launcher_delay(struct lauka_launcher *launcher, size_t command, uint64_t delay_ns);

/* The end of what the last run wrote to stderr; *size bytes, borrowed until the next run. */
const char *lauka_launcher_stderr(struct lauka_launcher *launcher, size_t *size);

/* The launcher's own peak RSS in bytes: no child can show less. */
uint64_t lauka_launcher_rss_floor(struct lauka_launcher *launcher);

/* Ends and reaps the launcher. */
void lauka_launcher_close(struct lauka_launcher *launcher);

/* ---- valgrind_runs.c: what valgrind counts of the commands, outside of the rounds ------------------- */

enum { LAUKA_VALGRIND_RUNS = 2 };

struct lauka_valgrind_command {
    size_t padding; /* of its environment */
    bool follow;    /* it has more than one process or program */
    struct lauka_valgrind_sum runs[LAUKA_VALGRIND_RUNS];
};
struct lauka_valgrind_runs { /* zeroed, it is closed */
    const struct lauka_options *options; /* borrowed */
    struct lauka_launcher *launcher;     /* borrowed */
    struct lauka_valgrind_command *commands; /* owned; NULL where none is asked for */
    size_t first; /* the launcher's number of the first of them; each is there for both tools */
    char folder[400];
};

/* Does nothing unless asked for. To be called when the launcher knows all other commands. Fails with
 * LAUKA_EXIT_HOST where there is no valgrind. */
bool lauka_valgrind_runs_open(struct lauka_valgrind_runs *runs, const struct lauka_options *options,
                              struct lauka_launcher *launcher, struct lauka_error *error);

/* One run of a command, of LAUKA_VALGRIND_RUNS. True, too, where lauka was interrupted. */
bool lauka_valgrind_runs_run(struct lauka_valgrind_runs *runs, size_t command, size_t run,
                             struct lauka_error *error);

/* Whether that run counts; otherwise it showed that the next one has to follow processes. */
bool lauka_valgrind_runs_is_done(const struct lauka_valgrind_runs *runs, size_t command, size_t run);

/* What stands in this round of the result: the runs in the first ones, LAUKA_MISSING in all others. */
uint64_t lauka_valgrind_runs_value(const struct lauka_valgrind_runs *runs, size_t command,
                                   uint64_t round, size_t count);

/* Once all have run: says in the result what is repeatable and what is partial. Returns 0 or ENOMEM. */
int lauka_valgrind_runs_judge(const struct lauka_valgrind_runs *runs, struct lauka_result *result);
void lauka_valgrind_runs_close(struct lauka_valgrind_runs *runs);

/* ---- identity.c: as whom commands run ------------------------------------------------------------- */

enum { LAUKA_GROUPS_MAX = 256 };

struct lauka_identity { /* plain data */
    bool other; /* it is not the one that lauka was started with */
    uid_t uid;
    gid_t gid;
    int group_count;
    gid_t groups[LAUKA_GROUPS_MAX];
    char name[64], home[256], shell[256];
};

/* Of a process that one of them started: whatever SUDO_UID, SUDO_GID, SUDO_USER, DOAS_USER and
 * PKEXEC_UID say, it must be one user, and with SUDO_GID a group of that user's, neither of them root;
 * a usage error where it is not. Elsewhere, and with as_root, nobody becomes anybody else. */
bool lauka_identity_find(struct lauka_identity *identity, bool as_root, struct lauka_error *error);

/* How a process becomes somebody; each returns 0, or nonzero and errno. */
struct lauka_identity_calls {
    int (*set_groups)(const struct lauka_identity *identity);
    int (*set_group)(gid_t gid);
    int (*set_user)(uid_t uid);
};
extern const struct lauka_identity_calls lauka_identity_system;

/* Groups first, the user last, for good; EPERM where root's rights could be had back. */
int lauka_identity_assume(const struct lauka_identity *identity,
                          const struct lauka_identity_calls *calls);

/* Makes lauka's own process that user's, with the environment of that user's account. */
bool lauka_identity_become(const struct lauka_identity *identity, struct lauka_error *error);

/* Lets the calling process of root's open files as that user, and end doing so; where that cannot be, the
 * process ends. It may be told so again. access(2) asks about the real user, who stays root meanwhile. */
void lauka_identity_borrow(const struct lauka_identity *identity, bool on);

#include "runner/process.h"

/* ---- interrupt.c: signals that ask for the end become something that poll(2) can wait for --------- */

/* Which those are. Static. */
const int *lauka_interrupt_numbers(size_t *count);

/* To be called once, in lauka's own process only. Returns 0 or an errno. */
int lauka_interrupt_install(void);

/* The number of the signal that asked for the end; 0: none did. */
int lauka_interrupt_signal(void);

/* How many such signals have come: the second one means now. */
int lauka_interrupt_count(void);

/* Readable once a signal has come; -1 before install. Never read it. */
int lauka_interrupt_descriptor(void);

/* Readable when a child was stopped or has ended, until that is forgotten; -1 before install. */
int lauka_interrupt_children(void);
void lauka_interrupt_forget_children(void);

/* ---- outline.c: the result before anything is measured ------------------------------------------ */

/* What matters where --until does not say so. */
#define LAUKA_PRECISION_DEFAULT 0.01

/* Fills in metrics and commands, with empty series, and what the options say of the run. */
bool lauka_outline_make(struct lauka_result *result, const struct lauka_options *options,
                        const struct lauka_counters *counters, struct lauka_error *error);

/* Which files are executed, once the commands are located. Returns 0 or ENOMEM. */
int lauka_outline_locate(struct lauka_result *result, const struct lauka_options *options);

/* Whether `asked`, of so many characters, means the metric: '-' for '_' will do, and the mark of user
 * mode need not be there. */
bool lauka_outline_same_name(const char *name, const char *asked, size_t length);

/* shown.c: marks what people asked to see, and in which units. */
bool lauka_shown_choose(struct lauka_result *result, const struct lauka_options *options,
                        struct lauka_error *error);

/* Fails: there is no metric that is called like that. The error says which one is near, or else which
 * there are, and the advice. */
bool lauka_outline_refuse(const struct lauka_result *result, const char *option, const char *asked,
                          size_t length, const char *advice, struct lauka_error *error);

/* Marks the primary metrics: names with commas between them; '-' for '_' will do. */
bool lauka_outline_choose(struct lauka_result *result, const char *primary,
                          struct lauka_error *error);

/* ---- cores.c: on which cores the runs were ----------------------------------------------------- */

enum { LAUKA_CORE_METRICS_MAX = 7 * LAUKA_CORE_TYPES_MAX + 3 };

struct lauka_core_metric {
    char name[LAUKA_EVENT_NAME_SIZE]; /* "cpu_time@P", "cpus_used" */
    const char *unit;                 /* static */
    enum lauka_better better;
    unsigned decimals; /* values are in units of 10^-decimals */
    bool detail;       /* not of general interest */
    bool told;         /* this machine tells it */
    int quantity;      /* of cores.c */
    size_t type;       /* index of the kind of core */
};

/* The metrics that this machine's kinds of core make up, counted or not. */
size_t lauka_core_metrics(const struct lauka_counters *counters,
                          struct lauka_core_metric metrics[LAUKA_CORE_METRICS_MAX]);

/* LAUKA_MISSING where it is not known of this run. */
uint64_t lauka_core_metric_value(const struct lauka_core_metric *metric,
                                 const struct lauka_residency *residency);

struct lauka_core_times { /* of all runs of a command */
    uint64_t ns[LAUKA_CORE_TYPES_MAX];
    bool incomplete; /* of some run it is not known */
};

void lauka_core_times_add(struct lauka_core_times *times, const struct lauka_residency *residency,
                          size_t type_count);

/* Says in host->cores which kinds of core there are, where they are several. 0 or ENOMEM. */
int lauka_cores_describe(const struct lauka_topology *topology, struct lauka_result_host *host);

/* Warns in the result where a command's shares are not those of the reference, or why they are not
 * known. times: one for each command. Returns 0 or ENOMEM. */
int lauka_core_times_judge(const struct lauka_core_times *times,
                           const struct lauka_counters *counters, struct lauka_result *result);

/* Whether it is known on which cores a run was. Otherwise fails with LAUKA_EXIT_HOST. label: the cores
 * that are required; uncounted: the reason where no clock was refused. */
bool lauka_is_known_where(const struct lauka_counters *counters,
                          const struct lauka_residency *residency, const char *label,
                          const char *command, const char *uncounted, struct lauka_error *error);

/* Whether a run, of which that is known, spent more than a hundredth of its time on other cores. */
bool lauka_was_elsewhere(const struct lauka_residency *residency,
                         const struct lauka_topology *topology, const char *label);

/* The CPUs of one kind; option: who asks. Fails with LAUKA_EXIT_HOST where there is no such kind. */
bool lauka_find_cores(const struct lauka_topology *topology, const char *option, const char *label,
                      struct lauka_cpu_set *cpus, struct lauka_error *error);
bool lauka_can_require_core(const struct lauka_counters *counters, const char *label,
                            struct lauka_error *error);

/* ---- pin.c: keeping the commands on some CPUs ------------------------------------------------------- */

/* What --pin means here: "2-3", "P". Fails with LAUKA_EXIT_HOST. */
bool lauka_pin_find(const char *pin, const struct lauka_topology *topology,
                    struct lauka_cpu_set *cpus, struct lauka_error *error);

/* Of CPUs called by their kind, takes out those that may not be used. Fails where none is left. */
bool lauka_pin_limit(const char *pin, struct lauka_cpu_set *cpus, struct lauka_error *error);

/* From now on all commands are on these CPUs, limited; lauka and its launcher go to the others that they
 * may use; if there are none, the result gets a warning. pin: how the user called them. Fails with
 * LAUKA_EXIT_HOST where the system does not give exactly these. */
bool lauka_pin(const char *pin, struct lauka_cpu_set *cpus, struct lauka_launcher *launcher,
               struct lauka_result *result, struct lauka_error *error);

/* ---- throughput.c: what a run got done, and what each part cost ------------------------------------ */

enum { LAUKA_THROUGHPUT_MAX = 8 };
struct lauka_throughput { /* a metric made of another one and of how much a run gets through */
    const char *name, *unit; /* static */
    enum lauka_better better;
    unsigned decimals;
    size_t of, index;
};

/* Those that the commands' items and bytes make of the first `count` metrics. Returns how many. */
size_t lauka_throughput_find(const struct lauka_result *result, size_t count,
                             const struct lauka_options *options,
                             struct lauka_throughput found[LAUKA_THROUGHPUT_MAX]);

/* In units of 10^-decimals; values: of the run, by metric. */
uint64_t lauka_throughput_value(const struct lauka_throughput *throughput,
                                const struct lauka_command *command, const uint64_t *values);

/* ---- rounds.c: what is kept of the finished rounds ---------------------------------------------- */

/* Single values are kept of so many rounds: 8 B per metric and run. */
#define LAUKA_ROUNDS_KEPT 1000000

struct lauka_rounds {
    const struct lauka_options *options; /* borrowed; NULL: neither throughput nor failures are told */
    struct lauka_throughput throughput[LAUKA_THROUGHPUT_MAX];
    size_t throughput_count; /* the last metrics of all */
    struct lauka_result *result; /* borrowed; filled */
    size_t counter_count;        /* metrics that are counters; what follows is derived from them */
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    size_t derived_count;
    struct lauka_core_metric cores[LAUKA_CORE_METRICS_MAX]; /* the last metrics */
    size_t core_count;
    bool tells_delay, tells_tree; /* run_delay, tree_memory is among the metrics */
    const struct lauka_valgrind_runs *valgrind; /* borrowed; NULL: there are no counts of its */
    uint64_t kept;               /* rounds of which single values are kept */
    size_t capacity;             /* rounds for which there is room */
    uint64_t *values;            /* owned; of the round under way, commands x metrics */
    uint16_t padding;            /* of the environment, in the round to be added */
};

/* The result must know its commands and metrics, made of the counters. kept 0: no single values at
 * all. 0 or ENOMEM. */
int lauka_rounds_init(struct lauka_rounds *rounds, struct lauka_result *result,
                      const struct lauka_counters *counters, uint64_t kept);

/* What is a failure, and what was worked off: the last metrics are those of the commands' throughput,
 * as lauka_outline_make put them there. options: borrowed as long as the rounds. */
void lauka_rounds_set_options(struct lauka_rounds *rounds, const struct lauka_options *options);

/* Room for one more round; to be called between rounds. Returns 0 or ENOMEM; then what was kept is
 * still there. */
int lauka_rounds_make_room(struct lauka_rounds *rounds);

/* Opens streams in `into`, which may be the result itself, and puts the kept values there. Returns 0 or
 * ENOMEM; what was opened then stays with `into`. */
int lauka_rounds_pour(const struct lauka_result *result, struct lauka_result *into);

/* summary.c: the result so far, analysed, without single values; borrows from `result`. Returns 0 or
 * ENOMEM; to be followed by _done in either case. */
int lauka_summary_make(const struct lauka_result *result, struct lauka_result *summary);
void lauka_summary_done(const struct lauka_result *result, struct lauka_result *summary);

/* A finished round: one sample per command, and the order in which they ran. Never allocates. */
void lauka_rounds_add(struct lauka_rounds *rounds, const struct lauka_sample *samples,
                      const uint32_t *order);
void lauka_rounds_done(struct lauka_rounds *rounds);

/* ---- enough.c: when enough is known --------------------------------------------------------------- */

struct lauka_enough {
    const struct lauka_options *options;      /* borrowed */
    struct lauka_result *result; /* borrowed; its gate is judged at looks */
    bool looks;                               /* whether precision may end the session */
    uint64_t next_look, floor;                /* rounds; no end comes before the floor */
    uint64_t rounds_needed; /* by the last look; 0: not known */
    size_t count;                             /* primary metrics x further commands */
    size_t deciding;                          /* of them, at the last look */
    struct lauka_comparison *comparisons;     /* owned */
    const struct lauka_comparison **pointers; /* owned; to all of them */
};

/* The result must know its commands and metrics. Returns 0 or ENOMEM. */
int lauka_enough_init(struct lauka_enough *enough, const struct lauka_options *options,
                      struct lauka_result *result);

/* Whether the session may end now, and why. spent_ns: since the first measured round began. */
bool lauka_enough(struct lauka_enough *enough, uint64_t spent_ns, enum lauka_stopped *why);

/* The time budget of all commands together. */
uint64_t lauka_enough_budget_ns(const struct lauka_enough *enough);

/* How much longer the session takes: until its rounds are done, or its time is over, or, by the last
 * look, its intervals narrow enough. 0 where that is now, or not known. */
uint64_t lauka_enough_left_ns(const struct lauka_enough *enough, uint64_t spent_ns);

/* What the intervals of a session that ended so have to be made with. */
double lauka_enough_alpha(const struct lauka_enough *enough, enum lauka_stopped stopped);
void lauka_enough_done(struct lauka_enough *enough);

/* ---- bench.c: the loop: schedule x run -> series -------------------------------------------------- */

struct lauka_failure { /* the run that ended the session */
    size_t command;
    const char *hook; /* static: what it was run for, "setup command"; NULL: it was the command */
    uint64_t round;
    bool warmup;
    bool outside_rounds; /* of a hook: before the first round, or after the last one */
    struct lauka_sample sample;
    char reason[500]; /* in place of what the sample tells; "": none */
    char stderr_tail[4097];
};

struct lauka_bench {
    const struct lauka_options *options; /* borrowed */
    struct lauka_launcher *launcher;     /* borrowed; unused when simulated */
    struct lauka_result *result;         /* filled */
    size_t first_command;                /* what commands[0] is called in LAUKA_COMMAND, from 0 */
    bool failed;
    struct lauka_failure failure; /* where failed */
    /* Called between rounds, at least every ten seconds where rounds are shorter, with what is known
     * by then; NULL: nobody is. */
    void (*keep)(void *context, const struct lauka_result *so_far);
    void *context;
};

/* Runs the rounds. False only where lauka itself failed; what was measured stays in the result. */
bool lauka_bench_run(struct lauka_bench *bench, struct lauka_error *error);

/* sequential.c: the same where all runs of a command come before those of the next. The commands may
 * have different numbers of runs, and are not paired: a gate is refused. */
bool lauka_sequential_run(struct lauka_bench *bench, struct lauka_error *error);

/* ---- compare_files.c: files instead of runs ------------------------------------------------------- */

/* Reads the options' files and makes one result of them. What is wrong with a file is a usage error
 * that names the place. */
bool lauka_compare_files(const struct lauka_options *options, struct lauka_result *result,
                         struct lauka_error *error);

/* ---- list.c: what can be counted here ------------------------------------------------------------- */

/* Tries every known event whose name or description contains the options' pattern, and prints a
 * table, or JSON. */
bool lauka_list_events(const struct lauka_options *options, FILE *out, struct lauka_error *error);

struct lauka_listed { /* one event of the list */
    char name[LAUKA_EVENT_NAME_SIZE];
    char pmu[64];
    char description[300];
    char why[700];    /* it is not counted here: "reason; advice"; empty where it is */
    const char *unit; /* static */
    bool user_only;
};

/* list_rows.c: in groups, for people; or as JSON, in the order that there is. */
void lauka_print_listed(const struct lauka_listed *events, size_t count,
                        struct lauka_terminal terminal, FILE *out);
void lauka_print_listed_json(const struct lauka_listed *events, size_t count, FILE *out);

/* ---- counter_notes.c: what counters leave out, and why ---------------------------------------------- */

/* Before the first round: the events that cannot be counted, where they were asked for or a row that
 * is shown stays empty. Returns 0 or ENOMEM. */
int lauka_counter_notes_opened(const struct lauka_counters *counters, bool asked,
                               struct lauka_result *result);

/* Notes of a session, where counters->whole_runs. forked: by command. asked_ns: the period of samples
 * that was asked for. Rows that leave a part of a command out are marked. Returns 0 or ENOMEM. */
int lauka_counter_notes(const struct lauka_counters *counters, const bool *forked,
                        uint64_t asked_ns, struct lauka_result *result);

/* With --require-counters: whether as many rounds as there can be give every set of events a turn,
 * and, once they are over, whether each had one. turns: rounds by set. */
bool lauka_counters_get_turns(const struct lauka_counters *counters,
                              const struct lauka_options *options, struct lauka_error *error);
bool lauka_counters_had_turns(const struct lauka_counters *counters, const uint64_t *turns,
                              const struct lauka_options *options, struct lauka_error *error);

/* In how many rounds events that took turns were counted, or that they were scaled. Returns 0 or
 * ENOMEM. */
int lauka_counter_notes_shared(const struct lauka_counters *counters, const uint64_t *turns,
                               const struct lauka_options *options, struct lauka_result *result);

/* ---- threads.c: what the threads of a live process use -------------------------------------------- */

/* Prints a table, or a line of JSON, once, or for every interval until so many were printed, the
 * process ends or lauka is interrupted. */
bool lauka_watch_threads(const struct lauka_options *options, FILE *out, struct lauka_error *error);

/* ---- failure.c: what to say of a run that ended a session ------------------------------------------ */

/* Puts it into the result. Returns 0 or ENOMEM. */
int lauka_failure_note(const struct lauka_failure *failure, struct lauka_result *result);

/* Makes the error that a command cannot be started, before anything runs, a failure of that command.
 * False: it is another error. */
bool lauka_failure_take_error(const struct lauka_error *error, const struct lauka_options *options,
                              struct lauka_failure *failure);

/* Ends the session by this error, unless another one did before: in the result too, which gets the
 * labels of the commands where it does not know them. */
void lauka_failure_note_error(const struct lauka_error *error, const struct lauka_options *options,
                              struct lauka_result *result);

/* "LABEL: failed with exit code 1 in round 3". Returns text. */
char *lauka_failure_word(const struct lauka_failure *failure, const struct lauka_options *options,
                         char *text, size_t size);

/* How the run ended, of `NAME ...`: "failed with exit code 3". */
void lauka_sample_describe(const struct lauka_sample *sample, char *text, size_t size);

/* The same as an error, with what to do. */
void lauka_failure_describe(const struct lauka_failure *failure,
                            const struct lauka_options *options, struct lauka_error *error);

/* The same of a session that was stored; its failure is known, or its error. */
void lauka_failure_describe_stored(const struct lauka_result *result, struct lauka_error *error);

/* ---- machine_linux.c, machine_macos.c: what machine this is ---------------------------------------- */

/* Returns 0 or ENOMEM; what the system does not tell stays NULL or 0. */
int lauka_machine_describe(struct lauka_result_host *host);

/* ---- progress.c: round and time left on a terminal's stderr --------------------------------------- */

struct lauka_progress {
    bool enabled; /* stderr is a terminal that can redraw a line */
    int width;
    uint64_t drawn_ns; /* monotonic time of the last redraw */
};

void lauka_progress_init(struct lauka_progress *progress, bool wanted);

/* Redraws at most ten times a second; to be called between runs only. total 0: not known. */
void lauka_progress_show(struct lauka_progress *progress, const char *phase, uint64_t round,
                         uint64_t total, uint64_t left_ns);
void lauka_progress_clear(struct lauka_progress *progress);

/* Monotonic nanoseconds. */
uint64_t lauka_now_ns(void);

#include "runner/mishaps.h" /* failed runs; needs what is above */
#include "runner/outputs.h" /* the documents; needs what is above */
#include "runner/gate.h" /* limits; needs what is above */

#endif
