/* A session: its rounds and runs, what is stored, when it ends, and what can go wrong. */
#ifndef LAUKA_RUNNER_SESSION_SESSION_H
#define LAUKA_RUNNER_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/counters/counters.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"
#include "stats/stats.h"

struct lauka_launcher;
struct lauka_valgrind_runs;
struct lauka_mishaps;
struct lauka_executor_kind;

/* ---- executables.c: the files that commands execute ------------------------------------------- */

struct lauka_file_stamp { /* shows whether a file has changed */
    bool known;
    uint64_t device, inode, size, modified_ns;
};

/* Returns 0 or an errno. */
int lauka_file_stamp_read(const char *path, struct lauka_file_stamp *stamp);
bool lauka_file_stamp_is_same(const struct lauka_file_stamp *a, const struct lauka_file_stamp *b);

struct lauka_executables {               /* what was in those that were read; zeroed, it is empty */
    struct lauka_read_executable *files; /* owned */
    size_t count;
    struct lauka_placed_file *placed; /* owned; see lauka_placement_make */
    size_t placed_count;
    uint64_t placing_ns; /* time spent on placing */
};

/* Hashes the file, unless it was hashed before and has not changed. False if it cannot be read. */
bool lauka_executables_hash(struct lauka_executables *executables, const char *path,
                            uint8_t digest[LAUKA_SHA256_SIZE]);

/* Call it after the last run: records what the result's commands executed. Returns 0 or ENOMEM. */
int lauka_executables_describe(struct lauka_executables *executables, struct lauka_result *result);

/* Also after the last run: finds commands that execute the same as the reference, but not for a
 * command against itself. options: of the benchmark. */
void lauka_executables_compare(struct lauka_executables *executables,
                               const struct lauka_options *options, struct lauka_result *result);
void lauka_executables_done(struct lauka_executables *executables);

/* ---- links.c: what --link builds --------------------------------------------------------------- */

/* Builds the programs of all layouts before anything is measured. Fails with LAUKA_EXIT_COMMAND_FAILED
 * and the stderr of the failing build. Also true if a signal asked lauka to end. */
bool lauka_links_build(const struct lauka_options *options, struct lauka_error *error);

/* ---- executables.c: how those files lie in the page cache ----------------------------------------- */

/* Before the warm-up: writes back, drops and rereads from the start those executables that are not
 * common to all commands, each once per session, unless this takes more than 2 % of the benchmark's
 * time. options: of the benchmark. Returns 0 or ENOMEM. */
int lauka_placement_make(struct lauka_executables *executables,
                         const struct lauka_options *options);

/* After the last run: records what was done with each command's file. */
void lauka_placement_describe(const struct lauka_executables *executables,
                              const struct lauka_options *options, struct lauka_result *result);

/* ---- measurement.c: the loop: schedule x run -> series --------------------------------------------- */

/* The interval between saved results of a running session. Each time all of it is analysed and
 * written; with more commands x metrics than this limit, only the end is saved. */
#define LAUKA_KEEP_INTERVAL_NS UINT64_C(5000000000)
enum { LAUKA_KEEP_STREAMS_MAX = 20000 };

struct lauka_loop;

/* What a session's summaries have counted, so that the next one only counts what is new. Initially
 * zeroed. */
struct lauka_poured {
    struct lauka_result_stream **streams; /* owned; by command */
    size_t command_count, metric_count;
    uint64_t rounds; /* counted in them */
};

struct lauka_measurement {
    const struct lauka_options *options;   /* borrowed; its commands belong to one benchmark */
    struct lauka_launcher *launcher;       /* borrowed; unused if nothing runs */
    struct lauka_executables *executables; /* borrowed; NULL: its own while it is open */
    struct lauka_result *result;           /* to be filled */
    uint64_t lot;        /* its random draws depend on this and the seed; 0 if it is the only one */
    uint64_t tests;      /* primary comparisons of other benchmarks in its family */
    bool together;       /* runs together with others: see lauka_measurement_spare */
    size_t place, count; /* its number, from 1, and how many; 0: the only one */
    uint64_t others_left_ns; /* forecast for the others that take turns with it */
    uint64_t later_ns;       /* forecast for what comes after all of them */
    /* Borrowed; what its progress begins with, though options->quiet; NULL: as the options say. */
    const char *heading;
    /* Benchmarks that go on, each of which pays its part of a process that runs all of them. */
    size_t sharing;
    const struct lauka_executor_kind *kind; /* its executor; NULL: according to the options */
    void *kind_context;                     /* borrowed; for that kind */
    bool failed;
    struct lauka_failure failure; /* if it failed */
    /* Called with the results so far between rounds, at least every ten seconds if rounds are
     * shorter; NULL: no calls. */
    void (*keep)(void *context, const struct lauka_result *so_far);
    void *context;
    struct lauka_loop *loop;    /* owned while it is open */
    uint64_t gone_ns;           /* its total time, after closing */
    struct lauka_poured poured; /* owned; for its summaries */
};

/* In steps, so that benchmarks can take turns: everything before the measured rounds; some rounds, for about
 * 50 ms or one round; everything after them. Close it in any case. False if lauka itself failed: then close it
 * next. What was measured remains in the result. */
bool lauka_measurement_open(struct lauka_measurement *bench, struct lauka_error *error);
bool lauka_measurement_step(struct lauka_measurement *bench, struct lauka_error *error);
bool lauka_measurement_close(struct lauka_measurement *bench, struct lauka_error *error);

/* For an open one whose runs are very short: skips extra measurements. */
void lauka_measurement_spare(struct lauka_measurement *bench);

/* rounds.c: summarises the rounds so far, like an interrupted session: see lauka_summary_make. */
int lauka_measurement_summarise(struct lauka_measurement *bench, struct lauka_result *summary);

/* ---- benchmarks.c: a session of one or several ------------------------------------------------ */

struct lauka_benchmarks {
    const struct lauka_options *options;    /* borrowed; for the session */
    struct lauka_launcher *launcher;        /* borrowed; unused if nothing runs */
    struct lauka_session *session;          /* borrowed; receives one result per benchmark */
    const struct lauka_executor_kind *kind; /* their executor; NULL: according to the options */
    void *kind_context;                     /* borrowed; for that kind */
    bool one_order; /* all have the same random order: their rounds share processes */
    /* Called between rounds with the results so far, of one benchmark or of several. */
    void (*keep_one)(void *context, const struct lauka_result *so_far);
    void (*keep)(void *context, const struct lauka_session *so_far);
    void *context;
    bool tells_executables; /* describe the executables */
    const char *heading;    /* as in struct lauka_measurement; likewise */
    uint64_t later_ns;
    struct lauka_executables executables; /* owned */
    struct lauka_measurement *benches;    /* owned; by benchmark; readable after the run */
    struct lauka_options *views;          /* owned; the options for each of them */
    uint64_t kept_ns, cost_ns;            /* when results were last saved, and how long it took */
};

/* Runs all of them. False only if lauka itself failed; what was measured remains in the session.
 * Call _done in any case. */
bool lauka_benchmarks_run(struct lauka_benchmarks *all, struct lauka_error *error);
void lauka_benchmarks_done(struct lauka_benchmarks *all);

/* ---- schedule.c: which command runs when ----------------------------------------------------- */

struct lauka_block { /* rounds that put every command in every place equally often: schedule.c */
    uint32_t *rounds, *names, *places; /* owned by the schedule */
    size_t length, next;               /* rounds; when equal, it is used up */
    struct lauka_random before;        /* its state before it was drawn */
};

struct lauka_schedule {
    enum lauka_order kind; /* SHUFFLE after init; set it before the first round */
    bool begun;            /* a round was drawn */
    bool repeats;          /* the next round repeats the last order */
    uint64_t held, hold;   /* how many of the next rounds also do; for the next order */
    struct lauka_random random;
    struct lauka_block block; /* for shuffled rounds */
    uint32_t *order;          /* owned; the current round's commands in running order */
    size_t count, first;      /* number of commands; the first in the current rounds */
};

/* Returns 0 or ENOMEM. */
int lauka_schedule_init(struct lauka_schedule *schedule, size_t commands, uint64_t seed);
/* The order of the next round. Equal seeds give equal rounds. */
const uint32_t *lauka_schedule_next(struct lauka_schedule *schedule);

/* Gives this many next rounds one order; they count as one round of the block. */
void lauka_schedule_hold(struct lauka_schedule *schedule, uint64_t rounds);
/* A position in the schedule to return to. */
struct lauka_schedule_mark {
    uint64_t held, hold;
    bool begun, repeats;
    size_t next;                /* in the block */
    struct lauka_random random; /* before the block, if a part of it is left */
};
struct lauka_schedule_mark lauka_schedule_mark(const struct lauka_schedule *schedule);
/* order: the last one drawn before the mark; copied. */
void lauka_schedule_rewind(struct lauka_schedule *schedule, const struct lauka_schedule_mark *mark,
                           const uint32_t *order);
/* Discards the round: if orders are shuffled, the next round gets its order. */
void lauka_schedule_drop(struct lauka_schedule *schedule);
/* After the warm-up: orders that are not shuffled start again with the commands as typed. */
void lauka_schedule_restart(struct lauka_schedule *schedule);
/* --order sequential, with one run per round: switches to this command. */
void lauka_schedule_turn_to(struct lauka_schedule *schedule, size_t command);
void lauka_schedule_done(struct lauka_schedule *schedule);

/* ---- schedule.c: which set of events rounds count, where they take turns ----------------------- */

bool lauka_turns_are_taken(const struct lauka_counters *counters,
                           const struct lauka_options *options);

/* The set that the next round counts. turns: number of rounds per set so far. */
unsigned lauka_turns_next(const struct lauka_counters *counters, const uint64_t *turns,
                          const struct lauka_options *options);

/* For how many consecutive rounds to count this set, at least 1, if this many are still to come. */
size_t lauka_turns_at_once(const struct lauka_counters *counters, const uint64_t *turns,
                           const struct lauka_options *options, uint64_t ahead);

/* The number of rounds in which each set is counted often enough for a verdict; 0 if sets take no turns. */
uint64_t lauka_turns_needed(const struct lauka_counters *counters,
                            const struct lauka_options *options);

/* ---- launched.c, pretended.c: what executes runs ---------------------------------------------- */

struct lauka_run_watch { /* notified when the command itself begins and ends, between its hooks */
    void (*begin)(void *context), (*end)(void *context);
    void *context;
};

struct lauka_run { /* a requested run */
    size_t command;
    size_t variant; /* index in the executor's commands; equal to `command`, except with layouts */
    uint64_t round; /* from 0 */
    bool warmup;
    size_t place;                        /* position in its round, from 0 */
    size_t padding;                      /* length of its environment's padding */
    struct lauka_sample *sample;         /* borrowed; to be filled */
    double *figures;                     /* borrowed; to be filled: see lauka_figures_find */
    const struct lauka_run_watch *watch; /* borrowed; NULL: none */
};

struct lauka_executor;

/* The first parameter is always the executor. NULL means nothing to do, except for open, count, turn, run and close. */
struct lauka_executor_kind {
    bool real; /* it uses the real machine: others disturb it, and waiting takes time */

    /* Whether the environment's size should vary the start of a program's stack. */
    bool (*pads)(const struct lauka_executor *);

    /* Adds the commands. The error may be about one command that cannot be started. */
    bool (*open)(struct lauka_executor *, struct lauka_error *);

    /* Opens these events, or the default ones for NULL: executor->counters. */
    bool (*count)(struct lauka_executor *, const struct lauka_event *, size_t,
                  struct lauka_error *);
    bool (*track_memory)(struct lauka_executor *, struct lauka_result *, struct lauka_error *);

    /* Before the first round: a command's setup and, after all setups, the checks. After the last
     * round: its cleanup. */
    enum lauka_hook_end (*set_up)(struct lauka_executor *, size_t command, struct lauka_error *);
    bool (*begin)(struct lauka_executor *, struct lauka_result *, struct lauka_error *);
    enum lauka_hook_end (*clean_up)(struct lauka_executor *, size_t command, struct lauka_error *);

    /* The set of events for the next runs: see struct lauka_counters. NULL: nothing is counted. */
    void (*turn)(struct lauka_executor *, unsigned turn);

    /* Does the runs in sequence. *done: the number of finished and filled runs, also if lauka
     * itself failed (false). It is smaller than requested after a failed run, which is the last
     * one; after a failed hook; after an interruption, whose run does not count; and if the rest
     * must be requested again. */
    bool (*run)(struct lauka_executor *, const struct lauka_run *, size_t count, size_t *done,
                struct lauka_error *);

    /* From now on runs skip extra measurements: see lauka_launcher_spare. */
    void (*spare)(struct lauka_executor *);

    /* From now on the command spends this much more CPU time. False if impossible. */
    bool (*delay)(struct lauka_executor *, size_t command, uint64_t delay_ns);
    uint64_t (*now_ns)(const struct lauka_executor *);    /* NULL: lauka_now_ns */
    uint64_t (*rss_floor)(const struct lauka_executor *); /* bytes; 0: none */
    void (*close)(struct lauka_executor *);
};

struct lauka_figure_hunt; /* private to figures.c */

/* figures.c: reads what a run writes. Zeroed except for borrowed members; call _done afterwards. */
struct lauka_figure_reader {
    const struct lauka_options *options; /* borrowed */
    struct lauka_launcher *launcher;     /* borrowed */
    struct lauka_figure_hunt **hunts;    /* owned; by command; NULL: none has begun */
    size_t command;                      /* the running command */
    char *window;                        /* owned; the part of its stdout that may be needed: */
    size_t size;                         /* its size in bytes, */
    uint64_t begin;                      /* and its offset */
    char *line;                          /* owned; the current line of its reports */
    size_t line_length;
    uint64_t until_ns;    /* end of the search; UINT64_MAX: none */
    uint64_t searched_ns; /* time spent searching; a run with much output waited meanwhile */
};

/* Called before and after a run of the command; begin returns 0 or ENOMEM. */
int lauka_figures_begin(struct lauka_figure_reader *reader, size_t command);
void lauka_figures_end(struct lauka_figure_reader *reader);

/* Whether the command's run exceeded its timeout because its output was being searched. */
bool lauka_figures_held_up(const struct lauka_figure_reader *reader, size_t command);

/* After the command's run: the session's figures in their metrics' units, NaN if the command has no
 * such figure. False, with the reason, if one of its own is missing. */
bool lauka_figures_read(struct lauka_figure_reader *reader, size_t command, double *figures,
                        char *reason, size_t size);
void lauka_figures_done(struct lauka_figure_reader *reader);

struct lauka_inner { /* rounds inside processes; times are per iteration, in ps */
    bool cpu_time;   /* CPU time is reported, too */
    struct lauka_figure figures[LAUKA_FIGURES_MAX]; /* names owned; reported in addition to times */
    size_t figure_count;
};

struct lauka_executor {
    const struct lauka_options *options;   /* borrowed; its commands are variants */
    const struct lauka_counters *counters; /* borrowed; after opening */
    struct lauka_mishaps *mishaps;         /* borrowed; knows the executables */
    size_t together;                       /* number of commands that run in the same rounds */
    uint64_t seed;                         /* for pretended runs */
    bool hook_failed;
    struct lauka_failure failure; /* of the last failed hook or run */

    struct lauka_launcher *launcher; /* borrowed; for launched commands, as are the next two */
    struct lauka_hooks hooks;
    uint64_t *iterations; /* owned; by command: number of its runs, including warm-up */
    bool singly;          /* request each run separately */
    struct lauka_figure_reader figures;
    uint64_t batch;      /* incremented before files are checked, each once: */
    uint64_t *looked_at; /* owned; by command: the last value of `batch` seen */

    struct lauka_counters *pretended_counters; /* owned; for pretended runs, as is the next */
    uint64_t pretended_ns;                     /* time of the pretended clock */
    void *context;                   /* borrowed; for rounds inside processes, as are these */
    void *own;                       /* private to the kind */
    const struct lauka_inner *inner; /* borrowed from it; NULL: a round runs each command once */
    size_t unit_rounds;              /* rounds to request at once: from one process per side */
    uint64_t round_ns;               /* once they are open: what a round will take; 0: not known */
    size_t sharing;                  /* as in struct lauka_measurement */
    /* Time that it owes for processes that others ran; negative: that others owe for its own. */
    int64_t owed_ns;
    bool shares_units;         /* rounds that are requested at once share a process of each side */
    bool holds_order, refused; /* by all runs; before the first run, with `failure` as the reason */
};

/* Executes commands with the launcher, and their hooks around them. */
extern const struct lauka_executor_kind lauka_launched;

/* Runs nothing: it makes up the cost of runs. */
extern const struct lauka_executor_kind lauka_pretended;

/* For launched commands: runs one of the command's hooks. False if lauka itself failed; a failed
 * hook leaves executor->hook_failed. */
bool lauka_launched_run_hook(struct lauka_executor *executor, const struct lauka_run *run,
                             enum lauka_hook hook, struct lauka_error *error);

/* ---- sources.c: where metrics come from ------------------------------------------------------ */

enum { LAUKA_SOURCES = 9 };

enum { LAUKA_THROUGHPUT_MAX = 8 };
struct lauka_throughput { /* a metric computed from another one and the amount of work per run */
    size_t kind;          /* for sources.c */
    size_t of;            /* index of the other metric */
};

struct lauka_sources {
    const struct lauka_options *options;        /* borrowed */
    const struct lauka_counters *counters;      /* borrowed; open */
    const struct lauka_valgrind_runs *valgrind; /* borrowed; set after they have run */
    const struct lauka_inner *inner;            /* borrowed; of such an executor; NULL otherwise */
    size_t counts[LAUKA_SOURCES];               /* metrics of each, in the result's order */
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    struct lauka_core_metric cores[LAUKA_CORE_METRICS_MAX];
    struct lauka_throughput throughput[LAUKA_THROUGHPUT_MAX];
    const struct lauka_figure *figures[LAUKA_FIGURES_MAX];
    bool chosen[LAUKA_FIGURES_MAX];  /* a figure's decimals are fixed, */
    bool rounded[LAUKA_FIGURES_MAX]; /* and lost digits have been reported */
};

/* The values of one run of a command, one per metric of the result, or LAUKA_MISSING. Marks partly
 * counted metrics in the result. */
void lauka_sources_read(const struct lauka_sources *sources, struct lauka_result *result,
                        size_t command, const struct lauka_sample *sample, uint64_t *values);

/* ---- sources.c: the result before anything is measured --------------------------------------- */

/* Fills in the metrics of the sources, the commands with empty series, and what the options say
 * about the run. */
bool lauka_outline_make(struct lauka_result *result, struct lauka_sources *sources,
                        struct lauka_error *error);

/* For a benchmark that will not begin any more: its own commands, settings and limits, with the
 * metrics of one that did. Returns 0 or ENOMEM. */
int lauka_outline_make_like(const struct lauka_result *begun, const struct lauka_options *options,
                            struct lauka_result *result);

/* Records the files that commands from `first` up to `end` execute, after locating them. Returns 0 or ENOMEM. */
int lauka_outline_locate(struct lauka_result *result, const struct lauka_options *options,
                         size_t first, size_t end);

/* Marks the primary metrics: names, separated by commas; '-' may replace '_'. */
bool lauka_outline_choose(struct lauka_result *result, const char *primary,
                          struct lauka_error *error);

/* ---- rounds.c: what is kept of the finished rounds ------------------------------------------- */

/* Single values are kept for this many rounds: 8 B per metric and run. */
#define LAUKA_ROUNDS_KEPT 1000000

struct lauka_rounds {
    const struct lauka_sources *sources; /* borrowed */
    struct lauka_result *result;         /* borrowed; to be filled */
    uint64_t kept;                       /* number of rounds with single values */
    size_t first, together;              /* the commands of a round: the first, and how many */
    size_t capacity;                     /* number of rounds that fit */
    uint64_t *values;                    /* owned; of the current round, commands x metrics */
    struct lauka_stream_place *places;   /* owned; the same; NULL while single values are kept */
    uint16_t padding;                    /* padding of the environment in the round to add */
    uint32_t unit;                       /* unit of the round to add, if rounds share units */
};

/* The result must have its commands, and its metrics from these sources. kept 0: no single values
 * at all. 0 or ENOMEM. */
int lauka_rounds_init(struct lauka_rounds *rounds, struct lauka_result *result,
                      const struct lauka_sources *sources, uint64_t kept);

/* The following rounds only contain the next command, and begin with its first round. */
void lauka_rounds_turn_to(struct lauka_rounds *rounds, size_t command);

/* Makes room for one more round; call it between rounds. Returns 0, or ENOMEM with all stored
 * rounds unchanged. */
int lauka_rounds_make_room(struct lauka_rounds *rounds);

/* Adds a finished round: one sample per command, and the order in which they ran. Returns 0, or
 * ENOMEM, possible only without single values: then the round is not added. */
int lauka_rounds_add(struct lauka_rounds *rounds, const struct lauka_sample *samples,
                     const uint32_t *order);
void lauka_rounds_done(struct lauka_rounds *rounds);

/* ---- rounds.c: summaries of a running session ------------------------------------------------ */

void lauka_poured_done(struct lauka_poured *poured);

/* Analyses the result so far, without single values unless rounds share units. Borrows from
 * `result` and `poured`; each `poured` must always get the same result. Returns 0 or ENOMEM; call
 * _done in any case. */
int lauka_summary_make(const struct lauka_result *result, struct lauka_poured *poured,
                       struct lauka_result *summary);
void lauka_summary_done(struct lauka_result *summary);

/* Whether the next summary is due: told_ns: when the last one was written; cost_ns: how long that
 * took. */
bool lauka_summary_is_due(uint64_t told_ns, uint64_t cost_ns, uint64_t now_ns);

/* ---- enough.c: when enough is known ---------------------------------------------------------- */

struct lauka_enough {
    const struct lauka_options *options; /* borrowed */
    struct lauka_result *result;         /* borrowed; its gate is judged at looks */
    bool looks;                          /* precision may end the session */
    uint64_t first_look;                 /* rounds at the first look; 0: none yet */
    uint64_t next_look, floor;           /* rounds; only a given time ends it before the floor */
    uint64_t gate_needs;    /* rounds in which its gate can be decided; 0: any number */
    uint64_t at_once;       /* the fewest rounds that one step measures */
    uint64_t rounds_needed; /* forecast of the last look; 0: not known */
    uint64_t allowed_ns;    /* what is left of --budget for all commands; 0: as in the options */
    size_t together;        /* commands per round */
    size_t count;           /* primary metrics x the other commands of a round */
    size_t deciding;        /* how many of them decided at the last look */
    struct lauka_comparison *comparisons;     /* owned */
    const struct lauka_comparison **pointers; /* owned; pointers to all of them */
};
/* The result must have its commands and metrics. tests: comparisons of other benchmarks in the same
 * family. Returns 0 or ENOMEM. */
int lauka_enough_init(struct lauka_enough *enough, const struct lauka_options *options,
                      struct lauka_result *result, uint64_t tests);

/* For events that take turns in this many sets: each set gets as many rounds as a session without
 * turns. needed: see lauka_turns_needed. Call it after init. */
void lauka_enough_share(struct lauka_enough *enough, unsigned sets, uint64_t needed);

/* Whether the session may end now, and why. spent_ns: time since the start of the first measured round. */
bool lauka_enough(struct lauka_enough *enough, uint64_t spent_ns, enum lauka_stopped *why);

/* How many rounds may run before the next check; at least 1. Call it if the session may not end
 * yet. */
uint64_t lauka_enough_ahead(const struct lauka_enough *enough, uint64_t spent_ns);

/* Forecast of the remaining time: until all rounds, or their minimum, are done; or the time is
 * over; or, from the last look, the intervals are narrow enough. guess_ns: duration of a round
 * before the first is done; 0 if not known. Returns 0 if the end is now, or not known. */
uint64_t lauka_enough_left_ns(const struct lauka_enough *enough, uint64_t spent_ns,
                              uint64_t guess_ns);

/* What is known of the rounds before the first one, by the guess. */
struct lauka_enough_outlook {
    /* How many a given time allows, at least 1; UINT64_MAX: none was given, or no guess. */
    uint64_t allowed;
    /* How many a verdict needs on which something hangs: a gate, or --first-slower; 0: nothing does. */
    uint64_t verdict;
    uint64_t least;    /* how many are measured at least where no time was given, */
    uint64_t least_ns; /* and how long they take, or the time that is used in any case */
};
struct lauka_enough_outlook lauka_enough_outlook(const struct lauka_enough *enough,
                                                 uint64_t guess_ns);

/* The comparison that is farthest from no change so far, and its command. Looks at all values.
 * Returns 0, ENOMEM, or ENODATA if no command has an interval yet. */
int lauka_enough_estimate(const struct lauka_enough *enough, size_t metric, size_t *command,
                          struct lauka_comparison *comparison);

/* The alpha of the intervals of a session that ended like this. Looks cost some of it, unless time ended it before. */
double lauka_enough_alpha(const struct lauka_enough *enough, enum lauka_stopped stopped);
void lauka_enough_done(struct lauka_enough *enough);

/* ---- measurement.c: batches of rounds, and what the machine lacked in each ----------------------- */

struct lauka_batches {
    struct lauka_disturbance at_start, at_last; /* of the measured rounds; of the current batch */
    uint64_t start_ns, last_ns, interval_ns;
    uint64_t rounds; /* already in a batch */
    unsigned cpu_count;
};

/* ---- failures.c: what goes wrong with runs, and what follows ---------------------------------- */

struct lauka_left { /* total leftovers of a command */
    uint64_t runs, processes;
    bool alive;
};

struct lauka_mishaps {
    const struct lauka_options *options;  /* borrowed */
    const struct lauka_options *acting;   /* borrowed; its commands are variants; by these: */
    struct lauka_executables *read;       /* borrowed */
    struct lauka_file_stamp *stamps;      /* owned; by command: stamp of its executable */
    struct lauka_executable *executables; /* owned; by command: its content in the first run */
    struct lauka_left *left;              /* owned; by command */
    size_t *unread; /* owned; commands whose executables must be read before the next run */
    size_t unread_count;
    uint64_t failures;         /* that did not end the session; the next: those of */
    uint64_t earlier;          /* commands that have already run: each command is allowed as many */
    uint64_t dropped_rounds;   /* those in measured rounds */
    struct lauka_failure last; /* the last of them */
};

/* acting: see lauka_layouts_act. Returns 0 or ENOMEM. */
int lauka_mishaps_init(struct lauka_mishaps *mishaps, const struct lauka_options *options,
                       const struct lauka_options *acting, struct lauka_executables *executables);

/* Whether the executable still has the content of its first run, even if it was rebuilt; otherwise
 * fills the sample. */
bool lauka_mishaps_is_same_file(struct lauka_mishaps *mishaps, size_t command,
                                struct lauka_sample *sample);

/* After a run of the command: schedules its executable to be read once. */
void lauka_mishaps_remember_file(struct lauka_mishaps *mishaps, size_t command);

/* Reads them before further runs and their preparation. A file that runs only once is never read. */
void lauka_mishaps_read_files(struct lauka_mishaps *mishaps);

/* 128 + the signal's number for a signal. */
int lauka_mishaps_exit_code(const struct lauka_sample *sample);

/* Whether it ended in other ways than --expect-exit allows, or other than with 0. -i may still accept that. */
bool lauka_mishaps_has_failed(const struct lauka_command *command,
                              const struct lauka_sample *sample);

/* Whether the run counts. */
bool lauka_mishaps_is_success(const struct lauka_options *options, size_t command,
                              const struct lauka_sample *sample);

/* shown: the index in the result of the command to which the leftovers are added. */
void lauka_mishaps_add_leftovers(struct lauka_mishaps *mishaps, size_t command,
                                 const struct lauka_leftovers *leftovers,
                                 struct lauka_result_command *shown);

/* Whether to drop the round of a run that failed like this; otherwise the session must end. */
bool lauka_mishaps_drop(struct lauka_mishaps *mishaps, const struct lauka_failure *failure);

/* Adds warnings about what happened to the result. Returns 0 or ENOMEM. */
int lauka_mishaps_warn(const struct lauka_mishaps *mishaps, struct lauka_result *result);
void lauka_mishaps_done(struct lauka_mishaps *mishaps);

/* ---- failures.c: what to say of a run that ended a session ------------------------------------ */

/* Records it in the result. Returns 0 or ENOMEM. */
int lauka_failure_note(const struct lauka_failure *failure, struct lauka_result *result);

/* Turns an error that a command cannot be started, before anything runs, into a failure of that
 * command. False for other errors. */
bool lauka_failure_take_error(const struct lauka_error *error, const struct lauka_options *options,
                              struct lauka_failure *failure);

/* Records that this error ended the session, unless an earlier one did; also in the result, which
 * gets the labels of the commands if it has none. */
void lauka_failure_note_error(const struct lauka_error *error, const struct lauka_options *options,
                              struct lauka_result *result);

/* How the run ended, as a predicate: "failed with exit code 3". */
const char *lauka_sample_describe(const struct lauka_sample *sample, char *text, size_t size);

/* The same for a process that ended with this status of wait(2). Returns text. */
const char *lauka_status_describe(int status, char *text, size_t size);

/* The same as an error with advice. */
void lauka_failure_describe(const struct lauka_failure *failure,
                            const struct lauka_options *options, struct lauka_error *error);

/* The same for a stored session with a known failure or error. */
void lauka_failure_describe_stored(const struct lauka_result *result, struct lauka_error *error);

/* ---- counter_notes.c: runs that were not counted, or not wholly ---------------------------------- */

/* Why a run has no counts although neither an event nor a clock was refused. */
extern const char lauka_miscounts_unwatched[];

struct lauka_miscounts {
    const struct lauka_options *options;   /* borrowed */
    const struct lauka_counters *counters; /* borrowed */
    bool *uncounted;                       /* owned; by command: the kernel removed its events */
    bool *forked;                          /* owned; by command: some counts omit a part */
    uint64_t still; /* runs in which an energy did not change: they were shorter than its steps */
    uint64_t early; /* runs that ended before --delay was over, so nothing was counted */
    uint64_t runs;  /* runs in which an otherwise countable event was not counted */
    int error;      /* the reason in the first of them, and the event */
    uint8_t error_at;
};

/* Returns 0 or ENOMEM; call done after either. done also accepts zeros. */
int lauka_miscounts_init(struct lauka_miscounts *miscounts, const struct lauka_options *options,
                         const struct lauka_counters *counters);

/* After a run that counts; shown: its command. False if --require-counters requires more. */
bool lauka_miscounts_add(struct lauka_miscounts *miscounts, size_t command,
                         const struct lauka_sample *sample, struct lauka_result_command *shown,
                         struct lauka_error *error);

/* Adds warnings about the rounds to the result. Returns 0 or ENOMEM. */
int lauka_miscounts_warn(const struct lauka_miscounts *miscounts, struct lauka_result *result);
void lauka_miscounts_done(struct lauka_miscounts *miscounts);

/* ---- counter_notes.c: what counters leave out, and why --------------------------------------- */

/* Before the first round: notes events that cannot be counted, if they were requested or a visible
 * row stays empty. Returns 0 or ENOMEM. */
int lauka_counter_notes_opened(const struct lauka_counters *counters, bool asked,
                               struct lauka_result *result);

/* Notes for a session if counters->whole_runs. forked: by command. asked_ns: the requested sampling
 * period. Marks rows that omit a part of a command. Returns 0 or ENOMEM. */
int lauka_counter_notes(const struct lauka_counters *counters, const bool *forked,
                        uint64_t asked_ns, struct lauka_result *result);

/* For --require-counters: whether the largest possible number of rounds gives every set of events a
 * turn and, at the end, whether each had one. turns: rounds by set. */
bool lauka_counters_get_turns(const struct lauka_counters *counters,
                              const struct lauka_options *options, struct lauka_error *error);
bool lauka_counters_had_turns(const struct lauka_counters *counters, const uint64_t *turns,
                              const struct lauka_options *options, struct lauka_error *error);

/* Notes the number of rounds in which turn-taking events were counted, or that counts were scaled.
 * Returns 0 or ENOMEM. */
int lauka_counter_notes_shared(const struct lauka_counters *counters, const uint64_t *turns,
                               const struct lauka_options *options, struct lauka_result *result);

/* ---- measurement.c: extra measurements take some 40 us a run ------------------------------------- */

/* Whether a round's runs are so short that this would be a substantial part of them, and nobody
 * asked for it. samples: of the commands from `first` up to `end`, by command. */
bool lauka_is_to_be_spared(const struct lauka_result *result, const struct lauka_sample *samples,
                           size_t first, size_t end);

#endif
