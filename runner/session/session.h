/* A session: rounds of runs, what is kept of them, when they end, and what goes wrong. */
#ifndef LAUKA_RUNNER_SESSION_SESSION_H
#define LAUKA_RUNNER_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/counters/counters.h"
#include "pmu/valgrind/valgrind.h"
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

struct lauka_file_stamp { /* tells whether a file is still the same */
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
    uint64_t placing_ns; /* what that took */
};

/* The content of the file, read unless it was read before and is unchanged. False if it cannot be read. */
bool lauka_executables_hash(struct lauka_executables *executables, const char *path,
                            uint8_t digest[LAUKA_SHA256_SIZE]);

/* Call it when nothing runs any more: records what the result's commands have executed. Returns 0 or
 * ENOMEM. */
int lauka_executables_describe(struct lauka_executables *executables, struct lauka_result *result);

/* Then, too: which commands run the same as the reference; not of a command against itself. options: of the
 * benchmark. */
void lauka_executables_compare(struct lauka_executables *executables,
                               const struct lauka_options *options, struct lauka_result *result);
void lauka_executables_done(struct lauka_executables *executables);

/* ---- links.c: what --link builds --------------------------------------------------------------- */

/* Builds the programs of all layouts, before anything is measured. Fails with LAUKA_EXIT_COMMAND_FAILED, and what
 * the failing one wrote on stderr. True also where a signal asked for the end. */
bool lauka_links_build(const struct lauka_options *options, struct lauka_error *error);

/* ---- executables.c: how those files lie in the page cache ----------------------------------------- */

/* Before the warm-up: files of a benchmark's commands that are not the same for all are written back,
 * dropped and read from their beginning, each once a session, unless that takes more than 2 % of the
 * benchmark's time. options: of the benchmark. Returns 0 or ENOMEM. */
int lauka_placement_make(struct lauka_executables *executables,
                         const struct lauka_options *options);

/* Once nothing runs any more: what was done with each command's file. */
void lauka_placement_describe(const struct lauka_executables *executables,
                              const struct lauka_options *options, struct lauka_result *result);

/* ---- measurement.c: the loop: schedule x run -> series --------------------------------------------- */

/* How often what is known is kept while a session runs. All of it is analysed and written each time:
 * of more metrics of commands than so many, only the end is written. */
#define LAUKA_KEEP_INTERVAL_NS UINT64_C(5000000000)
enum { LAUKA_KEEP_STREAMS_MAX = 20000 };

struct lauka_loop;

/* What the summaries of a session have counted, so that the next one only counts what was added. Zeroed at
 * first. */
struct lauka_poured {
    struct lauka_result_stream **streams; /* owned; by command */
    size_t command_count, metric_count;
    uint64_t rounds; /* that are in them */
};

struct lauka_measurement {
    const struct lauka_options *options;   /* borrowed; its commands are those of one benchmark */
    struct lauka_launcher *launcher;       /* borrowed; unused when nothing is run */
    struct lauka_executables *executables; /* borrowed; NULL: its own, for as long as it is open */
    struct lauka_result *result;           /* filled */
    uint64_t lot;   /* what is drawn for it depends on this and the seed; 0 in a session of one */
    uint64_t tests; /* primary comparisons of other benchmarks that are judged with its own */
    bool together;  /* with others: see lauka_measurement_spare */
    size_t place, count;     /* of the benchmark among all, from 1; 0: there are no others */
    uint64_t others_left_ns; /* what those that take turns with it still need, as it looks */
    const struct lauka_executor_kind *kind; /* what executes it; NULL: as the options say */
    const void *kind_context;               /* borrowed; of that kind */
    bool failed;
    struct lauka_failure failure; /* where failed */
    /* Called between rounds, at least every ten seconds where rounds are shorter, with what is known
     * by then; NULL: nobody is. */
    void (*keep)(void *context, const struct lauka_result *so_far);
    void *context;
    struct lauka_loop *loop;    /* owned; while it is open */
    uint64_t gone_ns;           /* what all of it took; once it is closed */
    struct lauka_poured poured; /* owned; of what was kept meanwhile */
};

/* Runs the rounds. False only if lauka itself failed; what was measured stays in the result. */
bool lauka_measurement_run(struct lauka_measurement *bench, struct lauka_error *error);

/* The forecast of how much longer it takes; 0 if it is over, or not known. */
uint64_t lauka_measurement_left_ns(const struct lauka_measurement *bench);

/* The same in steps, so that benchmarks can take turns: everything before the measured rounds; some of
 * them, for about 50 ms or one round; everything after them. Close it in every case. False if lauka itself
 * failed: then close it next. */
bool lauka_measurement_open(struct lauka_measurement *bench, struct lauka_error *error);
bool lauka_measurement_goes_on(const struct lauka_measurement *bench);
bool lauka_measurement_step(struct lauka_measurement *bench, struct lauka_error *error);
bool lauka_measurement_close(struct lauka_measurement *bench, struct lauka_error *error);

/* For an open one that runs together with others: whether its runs are so short that they must do without
 * extra measurements, which is decided for all of them; and doing so. */
bool lauka_measurement_would_spare(const struct lauka_measurement *bench);
void lauka_measurement_spare(struct lauka_measurement *bench);

/* The time that it used alone: all of it, once it is closed; before that, the time before its measured
 * rounds. In ns. */
uint64_t lauka_measurement_gone_ns(const struct lauka_measurement *bench);

/* From now on its measured rounds may take that long, unless the options say less. */
void lauka_measurement_allow(struct lauka_measurement *bench, uint64_t allowed_ns);

/* rounds.c: what is known of it, as at the end of an interrupted session: see lauka_summary_make. */
int lauka_measurement_summarise(struct lauka_measurement *bench, struct lauka_result *summary);

/* ---- benchmarks.c: a session of one or several ------------------------------------------------ */

struct lauka_benchmarks {
    const struct lauka_options *options;    /* borrowed; of the session */
    struct lauka_launcher *launcher;        /* borrowed; unused when nothing is run */
    struct lauka_session *session;          /* borrowed; filled: a result for each benchmark */
    const struct lauka_executor_kind *kind; /* what executes them; NULL: as the options say */
    const void *kind_context;               /* borrowed; of that kind */
    bool one_order; /* drawn for all of them alike: their rounds are of the same processes */
    /* Called between rounds with what is known by then: of one benchmark, or of several. */
    void (*keep_one)(void *context, const struct lauka_result *so_far);
    void (*keep)(void *context, const struct lauka_session *so_far);
    void *context;
    bool tells_executables;               /* describe them */
    struct lauka_executables executables; /* owned */
    struct lauka_measurement *benches;    /* owned; by benchmark; to be read once they have run */
    struct lauka_options *views;          /* owned; the options as each of them sees them */
    uint64_t kept_ns, cost_ns; /* when what was known was kept last, and what that took */
};

/* Runs them all. False only if lauka itself failed; what was measured stays in the session. Call _done in
 * either case. */
bool lauka_benchmarks_run(struct lauka_benchmarks *all, struct lauka_error *error);
void lauka_benchmarks_done(struct lauka_benchmarks *all);

/* ---- schedule.c: which command runs when ----------------------------------------------------- */

struct lauka_block { /* rounds in which every command has every place equally often: schedule.c */
    uint32_t *rounds, *names, *places; /* borrowed from the schedule */
    size_t length, next;               /* rounds; equal: it is used up */
    struct lauka_random before;        /* from which it was drawn */
};

struct lauka_schedule {
    enum lauka_order kind; /* SHUFFLE after init; to be set before the first round */
    bool begun;            /* a round was drawn */
    bool repeats;          /* the next one has the order of the last */
    uint64_t held, hold;   /* so many of the next ones do, too; those of the next order */
    struct lauka_random random;
    struct lauka_block block; /* of shuffled rounds */
    uint32_t *order;          /* owned; the current round's commands, in the order they run */
    size_t count, first;      /* of them; the first of those that have rounds now */
};

/* Returns 0 or ENOMEM. */
int lauka_schedule_init(struct lauka_schedule *schedule, size_t commands, uint64_t seed);
/* The next round's order. Equal seeds give equal rounds. */
const uint32_t *lauka_schedule_next(struct lauka_schedule *schedule);

/* The next rounds, this many, share one order, and count as one of the block. */
void lauka_schedule_hold(struct lauka_schedule *schedule, uint64_t rounds);
/* Where the schedule stands, so that it can be brought back there. */
struct lauka_schedule_mark {
    uint64_t held, hold;
    bool begun, repeats;
    size_t next;                /* of the block */
    struct lauka_random random; /* before the block, if some of it is left */
};
struct lauka_schedule_mark lauka_schedule_mark(const struct lauka_schedule *schedule);
/* order: what was drawn last before the mark; copied. */
void lauka_schedule_rewind(struct lauka_schedule *schedule, const struct lauka_schedule_mark *mark,
                           const uint32_t *order);
/* The round did not count: if orders are shuffled, the next one gets its order. */
void lauka_schedule_drop(struct lauka_schedule *schedule);
/* After the warm-up: orders that are not shuffled begin with the commands as they were typed. */
void lauka_schedule_restart(struct lauka_schedule *schedule);
/* --order sequential, where a round is a run of one command: now it is the turn of this one. */
void lauka_schedule_turn_to(struct lauka_schedule *schedule, size_t command);
void lauka_schedule_done(struct lauka_schedule *schedule);

/* ---- schedule.c: which set of events rounds count, where they take turns ----------------------- */

bool lauka_turns_are_taken(const struct lauka_counters *counters,
                           const struct lauka_options *options);

/* The set that the next round counts. turns: rounds that each set has had. */
unsigned lauka_turns_next(const struct lauka_counters *counters, const uint64_t *turns,
                          const struct lauka_options *options);

/* In how many consecutive rounds that set may be counted, at least 1, if so many are still to come. */
size_t lauka_turns_at_once(const struct lauka_counters *counters, const uint64_t *turns,
                           const struct lauka_options *options, uint64_t ahead);

/* The number of rounds in which each set is counted as often as a verdict needs; 0 if no turns are taken. */
uint64_t lauka_turns_needed(const struct lauka_counters *counters,
                            const struct lauka_options *options);

/* ---- launched.c, pretended.c: what executes runs ---------------------------------------------- */

struct lauka_run_watch { /* told when the command itself begins and is over: between its hooks */
    void (*begin)(void *context), (*end)(void *context);
    void *context;
};

struct lauka_run { /* one that is asked for */
    size_t command;
    size_t variant; /* of the executor's commands; the same, unless there are layouts */
    uint64_t round; /* from 0 */
    bool warmup;
    size_t place;                        /* in its round, from 0 */
    size_t padding;                      /* of its environment */
    struct lauka_sample *sample;         /* borrowed; to be filled */
    double *figures;                     /* borrowed; to be filled: see lauka_figures_find */
    const struct lauka_run_watch *watch; /* borrowed; NULL: nobody */
};

struct lauka_executor;

/* Every function takes the executor first. Those but open, count, turn, run and close may be NULL: nothing to do. */
struct lauka_executor_kind {
    bool real; /* the machine takes part: it disturbs, and time passes for whoever waits */

    /* Whether the size of the environment should vary where a program's stack begins. */
    bool (*pads)(const struct lauka_executor *);

    /* Takes the commands. The error may be that of one command, which cannot be started. */
    bool (*open)(struct lauka_executor *, struct lauka_error *);

    /* Opens these events, or the usual ones for NULL: executor->counters. */
    bool (*count)(struct lauka_executor *, const struct lauka_event *, size_t,
                  struct lauka_error *);
    bool (*pin)(struct lauka_executor *, struct lauka_cpu_set *, struct lauka_result *,
                struct lauka_error *);
    bool (*track_memory)(struct lauka_executor *, struct lauka_result *, struct lauka_error *);

    /* Before the first round: a command's setup; and, when all have theirs, the checks that follow. After
     * the last one: its cleanup. */
    enum lauka_hook_end (*set_up)(struct lauka_executor *, size_t command, struct lauka_error *);
    bool (*begin)(struct lauka_executor *, struct lauka_result *, struct lauka_error *);
    enum lauka_hook_end (*clean_up)(struct lauka_executor *, size_t command, struct lauka_error *);

    /* Which set of the events the next runs count: see struct lauka_counters. */
    void (*turn)(struct lauka_executor *, unsigned turn);

    /* Does the runs one after the other. *done: how many of them are over and filled in, also if lauka
     * itself failed (false). There are fewer than requested after a run that failed, which is the last of
     * them; if a hook failed; if lauka was interrupted, whose run is not among them; and if the others
     * must be requested again. */
    bool (*run)(struct lauka_executor *, const struct lauka_run *, size_t count, size_t *done,
                struct lauka_error *);

    /* From now on runs do without what is told in passing: see lauka_launcher_spare. */
    void (*spare)(struct lauka_executor *);

    /* From now on the command spends that much more CPU time. False if that is impossible. */
    bool (*delay)(struct lauka_executor *, size_t command, uint64_t delay_ns);
    uint64_t (*now_ns)(const struct lauka_executor *);    /* NULL: lauka_now_ns */
    uint64_t (*rss_floor)(const struct lauka_executor *); /* bytes; 0: none */
    void (*close)(struct lauka_executor *);
};

struct lauka_figure_hunts; /* of figures.c alone */

/* figures.c: reads what a run writes. Zeroed but for what is borrowed; _done afterwards. */
struct lauka_figure_reader {
    const struct lauka_options *options; /* borrowed */
    struct lauka_launcher *launcher;     /* borrowed */
    struct lauka_figure_hunts *hunts;    /* owned; by command; NULL: none has begun */
    size_t command;                      /* the one that runs */
    char *window;                        /* owned; of its stdout what may be needed, */
    size_t size;                         /* so many bytes, */
    uint64_t begin;                      /* from this one on */
    char *line;                          /* owned; of its reports */
    size_t line_length;
    uint64_t until_ns;    /* it is searched no longer; UINT64_MAX: for ever */
    uint64_t searched_ns; /* what that took; a run that wrote much waited meanwhile */
};

/* Around a run of the command; begin returns 0 or ENOMEM. */
int lauka_figures_begin(struct lauka_figure_reader *reader, size_t command);
void lauka_figures_end(struct lauka_figure_reader *reader);

/* Whether a run of the command that took too long did so because what it wrote was searched. */
bool lauka_figures_held_up(const struct lauka_figure_reader *reader, size_t command);

/* After the command's run: the session's figures in the units of their metrics, NaN if the command has none of that
 * name. False, with the reason, if one of its own is missing. */
bool lauka_figures_read(struct lauka_figure_reader *reader, size_t command, double *figures,
                        char *reason, size_t size);
void lauka_figures_done(struct lauka_figure_reader *reader);

struct lauka_inner { /* of rounds inside processes, whose times are those of an iteration, in ps */
    bool cpu_time;   /* it is told, too */
    struct lauka_figure figures[LAUKA_FIGURES_MAX]; /* names owned; reported beside times */
    size_t figure_count;
};

struct lauka_executor {
    const struct lauka_options *options;   /* borrowed; its commands are variants */
    const struct lauka_counters *counters; /* borrowed; once they are open */
    struct lauka_mishaps *mishaps;         /* borrowed; knows the executables */
    size_t together;                       /* of them, those that have their rounds together */
    uint64_t seed;                         /* of what is made up */
    bool hook_failed;
    struct lauka_failure failure; /* of the last hook, or run, that failed */

    struct lauka_launcher *launcher; /* borrowed; of launched commands, as are these two */
    struct lauka_hooks hooks;
    uint64_t *iterations; /* owned; by command: how often it was run, warm-up included */
    bool singly;          /* each run is asked for by itself */
    struct lauka_figure_reader figures;
    uint64_t batch;      /* goes up before files are looked at, each once: */
    uint64_t *looked_at; /* owned; by command: what `batch` was then */

    struct lauka_counters *pretended_counters; /* owned; of runs that are made up, as is */
    uint64_t pretended_ns;                     /* the time of its clock */
    const void *context;             /* borrowed; of rounds inside processes, as are these */
    void *own;                       /* the kind's */
    const struct lauka_inner *inner; /* borrowed from it; NULL: a round is a run of each command */
    size_t unit_rounds;        /* so many rounds are asked for at once: of one process a side */
    bool holds_order, refused; /* by all of them; before the first, as `failure` tells */
};

/* Commands that the launcher starts, with their hooks around them. */
extern const struct lauka_executor_kind lauka_launched;

/* Nothing is run: what a run costs is made up. */
extern const struct lauka_executor_kind lauka_pretended;

/* For launched commands: runs one of the command's hooks. False if lauka itself failed; a hook that failed
 * leaves executor->hook_failed. */
bool lauka_launched_run_hook(struct lauka_executor *executor, const struct lauka_run *run,
                             enum lauka_hook hook, struct lauka_error *error);

/* ---- sources.c: where metrics come from ------------------------------------------------------ */

enum { LAUKA_SOURCES = 9 };

enum { LAUKA_THROUGHPUT_MAX = 8 };
struct lauka_throughput {    /* a metric made of another one and of how much a run gets through */
    const char *name, *unit; /* static */
    enum lauka_better better;
    int decimals;
    size_t of, index;
};

struct lauka_sources {
    const struct lauka_options *options;        /* borrowed */
    const struct lauka_counters *counters;      /* borrowed; open */
    const struct lauka_valgrind_runs *valgrind; /* borrowed; to be set once they have run */
    const struct lauka_inner *inner;            /* borrowed; of such an executor; NULL otherwise */
    size_t counts[LAUKA_SOURCES];               /* metrics of each, as they stand in the result */
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    struct lauka_core_metric cores[LAUKA_CORE_METRICS_MAX];
    struct lauka_throughput throughput[LAUKA_THROUGHPUT_MAX];
    const struct lauka_figure *figures[LAUKA_FIGURES_MAX];
    bool chosen[LAUKA_FIGURES_MAX];  /* the power of ten in which a figure's values are kept, */
    bool rounded[LAUKA_FIGURES_MAX]; /* and that some of them lose digits by it has been said */
};

/* The values of one run of a command, one for each metric of the result, LAUKA_MISSING if there is none.
 * Metrics of which only a part was counted are marked in the result. */
void lauka_sources_read(const struct lauka_sources *sources, struct lauka_result *result,
                        size_t command, const struct lauka_sample *sample, uint64_t *values);

/* ---- sources.c: the result before anything is measured --------------------------------------- */

/* Fills in the sources' metrics and the commands, with empty series, and what the options say of the
 * run. */
bool lauka_outline_make(struct lauka_result *result, struct lauka_sources *sources,
                        struct lauka_error *error);

/* Of a benchmark that is not begun any more: its own commands, settings and limits, and the metrics of one that was.
 * Returns 0 or ENOMEM. */
int lauka_outline_make_like(const struct lauka_result *begun, const struct lauka_options *options,
                            struct lauka_result *result);

/* Which files the commands from `first` up to `end` execute, once they are located. Returns 0 or ENOMEM. */
int lauka_outline_locate(struct lauka_result *result, const struct lauka_options *options,
                         size_t first, size_t end);

/* Marks the primary metrics: names separated by commas; '-' may stand for '_'. */
bool lauka_outline_choose(struct lauka_result *result, const char *primary,
                          struct lauka_error *error);

/* ---- rounds.c: what is kept of the finished rounds ------------------------------------------- */

/* Single values are kept of this many rounds: 8 B per metric and run. */
#define LAUKA_ROUNDS_KEPT 1000000

struct lauka_rounds {
    const struct lauka_sources *sources; /* borrowed */
    struct lauka_result *result;         /* borrowed; filled */
    uint64_t kept;                       /* rounds of which single values are kept */
    size_t first, together;              /* the commands that a round has: how many from which on */
    size_t capacity;                     /* rounds for which there is room */
    uint64_t *values;                    /* owned; of the round under way, commands x metrics */
    struct lauka_stream_place *places;   /* owned; of the same; NULL while single values are kept */
    uint16_t padding;                    /* of the environment, in the round to be added */
    uint32_t unit;                       /* that it belongs to, where rounds share units */
};

/* The result must know its commands, and its metrics from these sources. kept 0: no single values at
 * all. 0 or ENOMEM. */
int lauka_rounds_init(struct lauka_rounds *rounds, struct lauka_result *result,
                      const struct lauka_sources *sources, uint64_t kept);

/* The rounds that follow are of the next command alone, and the first of them is its first. */
void lauka_rounds_turn_to(struct lauka_rounds *rounds, size_t command);

/* Makes room for one more round; call it between rounds. Returns 0 or ENOMEM; then everything kept is
 * still there. */
int lauka_rounds_make_room(struct lauka_rounds *rounds);

/* A finished round: one sample per command, and the order in which they ran. Returns 0, or ENOMEM, which
 * can only happen if single values are not kept: then it is as if the round had not been. */
int lauka_rounds_add(struct lauka_rounds *rounds, const struct lauka_sample *samples,
                     const uint32_t *order);
void lauka_rounds_done(struct lauka_rounds *rounds);

/* ---- rounds.c: what is known so far, for whoever asks meanwhile ------------------------------ */

void lauka_poured_done(struct lauka_poured *poured);

/* The result so far, analysed, without single values unless rounds share units; borrows from `result` and from
 * `poured`, which is always told of the same result. Returns 0 or ENOMEM; to be followed by _done in either
 * case. */
int lauka_summary_make(const struct lauka_result *result, struct lauka_poured *poured,
                       struct lauka_result *summary);
void lauka_summary_done(struct lauka_result *summary);

/* Whether it is time for the next summary: told_ns: when the last one was written; cost_ns: what that
 * took. */
bool lauka_summary_is_due(uint64_t told_ns, uint64_t cost_ns, uint64_t now_ns);

/* ---- enough.c: when enough is known ---------------------------------------------------------- */

struct lauka_enough {
    const struct lauka_options *options; /* borrowed */
    struct lauka_result *result;         /* borrowed; its gate is judged at looks */
    bool looks;                          /* whether precision may end the session */
    uint64_t first_look;                 /* rounds when the first was taken; 0: none was */
    uint64_t next_look, floor; /* rounds; no end but that of a given time comes before the floor */
    uint64_t at_once;          /* rounds that one step measures at least */
    uint64_t rounds_needed;    /* by the last look; 0: not known */
    uint64_t
        allowed_ns;  /* of --budget, what is left to all commands together; 0: as the options say */
    size_t together; /* commands that a round has */
    size_t count;    /* primary metrics x further commands of a round */
    size_t deciding; /* of them, at the last look */
    struct lauka_comparison *comparisons;     /* owned */
    const struct lauka_comparison **pointers; /* owned; to all of them */
};
/* The result must know its commands and metrics. tests: comparisons of other benchmarks that are judged
 * together with this one's. Returns 0 or ENOMEM. */
int lauka_enough_init(struct lauka_enough *enough, const struct lauka_options *options,
                      struct lauka_result *result, uint64_t tests);

/* Where events take turns among so many sets: each gets as many rounds as a session had to have without that.
 * needed: see lauka_turns_needed. To be called after init. */
void lauka_enough_share(struct lauka_enough *enough, unsigned sets, uint64_t needed);

/* Whether the session may end now, and why. spent_ns: since the first measured round began. */
bool lauka_enough(struct lauka_enough *enough, uint64_t spent_ns, enum lauka_stopped *why);

/* How many rounds may run before this must be asked again; at least 1. Call it if the session may not end
 * now. */
uint64_t lauka_enough_ahead(const struct lauka_enough *enough, uint64_t spent_ns);

/* The forecast of how much longer the session takes: until its rounds are done, including its least
 * number; or its time is over; or, by the last look, its intervals are narrow enough. guess_ns: the
 * duration of a round before the first is done; 0 if not known. Returns 0 if that is now, or not known. */
uint64_t lauka_enough_left_ns(const struct lauka_enough *enough, uint64_t spent_ns,
                              uint64_t guess_ns);

/* The comparison that is so far furthest from no change, and its command. Looks at all values. Returns 0,
 * ENOMEM, or ENODATA if no command has an interval yet. */
int lauka_enough_estimate(const struct lauka_enough *enough, size_t metric, size_t *command,
                          struct lauka_comparison *comparison);

/* The alpha for the intervals of a session that ended like this. Looks cost some, but where time ended it first. */
double lauka_enough_alpha(const struct lauka_enough *enough, enum lauka_stopped stopped);
void lauka_enough_done(struct lauka_enough *enough);

/* ---- measurement.c: batches of rounds, and what the machine lacked in each ----------------------- */

struct lauka_batches {
    struct lauka_disturbance at_start, at_last; /* of the measured rounds; of the batch under way */
    uint64_t start_ns, last_ns, interval_ns;
    uint64_t rounds; /* that are in a batch already */
    unsigned cpu_count;
};

/* ---- failures.c: what goes wrong with runs, and what follows ---------------------------------- */

struct lauka_left { /* what a command left behind, all in all */
    uint64_t runs, processes;
    bool alive;
};

struct lauka_mishaps {
    const struct lauka_options *options;  /* borrowed */
    const struct lauka_options *acting;   /* borrowed; its commands are variants, as are these: */
    struct lauka_executables *read;       /* borrowed */
    struct lauka_file_stamp *stamps;      /* owned; by command: of its executable */
    struct lauka_executable *executables; /* owned; by command: what was in it in its first run */
    struct lauka_left *left;              /* owned; by command */
    size_t *unread; /* owned; commands whose executables are to be read before the next run */
    size_t unread_count;
    uint64_t failures;         /* that did not end the session; of them, those of */
    uint64_t earlier;          /* commands that have had their turn: each may have as many */
    uint64_t dropped_rounds;   /* of them, in measured rounds */
    struct lauka_failure last; /* of them */
};

/* acting: see lauka_layouts_act. Returns 0 or ENOMEM. */
int lauka_mishaps_init(struct lauka_mishaps *mishaps, const struct lauka_options *options,
                       const struct lauka_options *acting, struct lauka_executables *executables);

/* Whether the command's executable has the same content as in its first run, although it may have been
 * built again; otherwise fills the sample. */
bool lauka_mishaps_is_same_file(struct lauka_mishaps *mishaps, size_t command,
                                struct lauka_sample *sample);

/* After a run of the command: asks, once, for the content of its executable to be read. */
void lauka_mishaps_remember_file(struct lauka_mishaps *mishaps, size_t command);

/* Before further runs, and before what prepares them: reads those. A file that is run once is never read. */
void lauka_mishaps_read_files(struct lauka_mishaps *mishaps);

/* 128 + the number for a signal. */
int lauka_mishaps_exit_code(const struct lauka_sample *sample);

/* Whether it ended in another way than --expect-exit says, or than with 0. -i may accept even that. */
bool lauka_mishaps_has_failed(const struct lauka_command *command,
                              const struct lauka_sample *sample);

/* Whether the run counts. */
bool lauka_mishaps_is_success(const struct lauka_options *options, size_t command,
                              const struct lauka_sample *sample);

/* shown: the command in the result, which is told of how many runs. */
void lauka_mishaps_add_leftovers(struct lauka_mishaps *mishaps, size_t command,
                                 const struct lauka_leftovers *leftovers,
                                 struct lauka_result_command *shown);

/* Whether the round of a run that failed like this is dropped; otherwise the session must end. */
bool lauka_mishaps_drop(struct lauka_mishaps *mishaps, const struct lauka_failure *failure);

/* Adds to the result's warnings what happened. Returns 0 or ENOMEM. */
int lauka_mishaps_warn(const struct lauka_mishaps *mishaps, struct lauka_result *result);
void lauka_mishaps_done(struct lauka_mishaps *mishaps);

/* ---- failures.c: what to say of a run that ended a session ------------------------------------ */

/* Puts it into the result. Returns 0 or ENOMEM. */
int lauka_failure_note(const struct lauka_failure *failure, struct lauka_result *result);

/* Turns the error that a command cannot be started, before anything runs, into a failure of that command.
 * False if it is another error. */
bool lauka_failure_take_error(const struct lauka_error *error, const struct lauka_options *options,
                              struct lauka_failure *failure);

/* Ends the session with this error, unless another one did before; also in the result, which gets the
 * labels of the commands if it does not know them. */
void lauka_failure_note_error(const struct lauka_error *error, const struct lauka_options *options,
                              struct lauka_result *result);

/* How the run ended, of `NAME ...`: "failed with exit code 3". */
void lauka_sample_describe(const struct lauka_sample *sample, char *text, size_t size);

/* The same as an error, with what to do. */
void lauka_failure_describe(const struct lauka_failure *failure,
                            const struct lauka_options *options, struct lauka_error *error);

/* The same for a stored session, whose failure or error is known. */
void lauka_failure_describe_stored(const struct lauka_result *result, struct lauka_error *error);

/* ---- counter_notes.c: runs that were not counted, or not wholly ---------------------------------- */

/* Why a run has no counts although neither an event nor a clock was refused. */
extern const char lauka_miscounts_unwatched[];

struct lauka_miscounts {
    const struct lauka_options *options;   /* borrowed */
    const struct lauka_counters *counters; /* borrowed */
    bool *uncounted;                       /* owned; by command: the kernel took its events away */
    bool *forked;                          /* owned; by command: some counts leave a part out */
    uint64_t runs; /* in which an event was not counted that can be otherwise */
    int error;     /* why, in the first of them; and which one */
    uint8_t error_at;
};

/* Returns 0 or ENOMEM; done is right after either, and of zeros. */
int lauka_miscounts_init(struct lauka_miscounts *miscounts, const struct lauka_options *options,
                         const struct lauka_counters *counters);

/* After a run that counts; shown: its command. False if --require-counters requires more. */
bool lauka_miscounts_add(struct lauka_miscounts *miscounts, size_t command,
                         const struct lauka_sample *sample, struct lauka_result_command *shown,
                         struct lauka_error *error);

/* Adds to the result's warnings what the rounds have shown. Returns 0 or ENOMEM. */
int lauka_miscounts_warn(const struct lauka_miscounts *miscounts, struct lauka_result *result);
void lauka_miscounts_done(struct lauka_miscounts *miscounts);

/* ---- counter_notes.c: what counters leave out, and why --------------------------------------- */

/* Before the first round: notes the events that cannot be counted, if they were asked for or a visible row
 * stays empty. Returns 0 or ENOMEM. */
int lauka_counter_notes_opened(const struct lauka_counters *counters, bool asked,
                               struct lauka_result *result);

/* Notes of a session, where counters->whole_runs. forked: by command. asked_ns: the period of samples
 * that was asked for. Rows that leave a part of a command out are marked. Returns 0 or ENOMEM. */
int lauka_counter_notes(const struct lauka_counters *counters, const bool *forked,
                        uint64_t asked_ns, struct lauka_result *result);

/* With --require-counters: whether the largest possible number of rounds gives every set of events a turn
 * and, once they are over, whether each had one. turns: rounds by set. */
bool lauka_counters_get_turns(const struct lauka_counters *counters,
                              const struct lauka_options *options, struct lauka_error *error);
bool lauka_counters_had_turns(const struct lauka_counters *counters, const uint64_t *turns,
                              const struct lauka_options *options, struct lauka_error *error);

/* Notes in how many rounds events that took turns were counted, or that they were scaled. Returns 0 or
 * ENOMEM. */
int lauka_counter_notes_shared(const struct lauka_counters *counters, const uint64_t *turns,
                               const struct lauka_options *options, struct lauka_result *result);

/* ---- measurement.c: what is told of a run in passing takes some 40 us a run ---------------------- */

/* Whether the runs of a round are so short that this would cost a substantial part of them, while nobody
 * asked to see it. samples: of the commands from `first` up to `end`, by command. */
bool lauka_is_to_be_spared(const struct lauka_result *result, const struct lauka_sample *samples,
                           size_t first, size_t end);

#endif
