/* The state of a running benchmark, which the files of the loop share. */
#ifndef LAUKA_RUNNER_SESSION_LOOP_H
#define LAUKA_RUNNER_SESSION_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/profile/profile.h"
#include "pmu/valgrind/valgrind.h"
#include "runner/base/base.h"
#include "runner/gate/gate.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"
#include "runner/session/progress.h"
#include "runner/session/session.h"

/* ---- valgrind_runs.c: what valgrind counts of the commands, outside of the rounds ------------ */

enum { LAUKA_VALGRIND_RUNS = 2 };

struct lauka_valgrind_command {
    size_t number;      /* in the launcher, of the first of the ways to count it */
    size_t padding;     /* length of its environment's padding */
    char **environment; /* owned; the first variable is what is set for the C library */
    /* Count with callgrind: it has several processes or programs, or functions are requested. */
    bool follow;
    bool stays;       /* keep callgrind, whatever it reports */
    uint64_t took_ns; /* its last run, or what is guessed; 0: not known */
    struct lauka_valgrind_sum runs[LAUKA_VALGRIND_RUNS];
    struct lauka_profile profiles[LAUKA_VALGRIND_RUNS]; /* owned; what its functions cost in each */
};
struct lauka_valgrind_runs {                 /* closed when zeroed */
    const struct lauka_options *options;     /* borrowed */
    struct lauka_launcher *launcher;         /* borrowed */
    struct lauka_valgrind_command *commands; /* owned; NULL if none are requested */
    bool again;                              /* repeat all, because another tool must count */
    char folder[LAUKA_FOLDER_SIZE];
};

/* Opens runs for the commands from `first` up to `end`, which are located; those from 0 on must
 * come first. Does nothing unless requested. Fails with LAUKA_EXIT_HOST without valgrind. */
bool lauka_valgrind_runs_open(struct lauka_valgrind_runs *runs, const struct lauka_options *options,
                              struct lauka_launcher *launcher, size_t first, size_t end,
                              struct lauka_error *error);

/* The values for this round of the result: in the first round those of the first run, in the second the instructions
 * of the second run. All others are LAUKA_MISSING. */
uint64_t lauka_valgrind_runs_value(const struct lauka_valgrind_runs *runs, size_t command,
                                   uint64_t round, size_t count);

/* allocations.c: how often a run's functions allocated. */
uint64_t lauka_allocations_count(const struct lauka_profile *profile);

/* allocations.c: once all have run: says which functions allocate more or less often than in the reference, and of which
 * commands allocations may be missing. Does nothing without callgrind's profiles. Returns 0 or ENOMEM. */
int lauka_allocations_explain(const struct lauka_valgrind_runs *runs, struct lauka_result *result);

/* Removes its folder, and frees what it owns. */
void lauka_valgrind_runs_close(struct lauka_valgrind_runs *runs);

/* ---- progress.c: what it shows of a benchmark's loop ------------------------------------------ */

struct lauka_loop;

/* Shows a step, whose benchmark it fills in; the next round; or the warm-up, and how many of its
 * rounds are done. */
void lauka_showing_step(struct lauka_loop *loop, struct lauka_progress_step step);
void lauka_showing_round(struct lauka_loop *loop);
void lauka_showing_warmup(struct lauka_loop *loop, uint64_t done);

/* The same of the i-th run under valgrind, from 0; done: how many there were, as some are counted again. */
void lauka_showing_valgrind(struct lauka_loop *loop, size_t done, size_t i);

enum lauka_round_end {
    ROUND_FINISHED,
    ROUND_DROPPED,
    ROUND_FAILED,
    ROUND_INTERRUPTED,
    ROUND_BROKEN
};

static inline bool lauka_round_goes_on(enum lauka_round_end end)
{
    return end == ROUND_FINISHED || end == ROUND_DROPPED;
}

struct lauka_plan { /* a round that is requested together with others */
    size_t padding;
    uint32_t unit;              /* the pair of layouts */
    struct lauka_random layout; /* also of the schedule: their state after the round */
    struct lauka_schedule_mark schedule;
};

struct lauka_loop { /* the state of one benchmark */
    struct lauka_measurement *bench;
    const struct lauka_options *options;
    struct lauka_options acting; /* the commands really executed: see lauka_layouts_act */
    uint64_t warmup;             /* rounds of warm-up; with layouts, per layout */
    bool sequential;             /* a round has one command, and commands run one after the other */
    size_t first, together;      /* the commands of the current rounds: the first, and how many */
    uint32_t *pairs;             /* owned; per command its layouts, in the order drawn */
    struct lauka_result *result;
    struct lauka_schedule schedule;
    const struct lauka_executor_kind *kind; /* of the executor */
    struct lauka_executor executor;
    const struct lauka_counters *counters; /* of the executor */
    struct lauka_progress progress;
    struct lauka_run *runs;         /* owned; of the current rounds, in order */
    struct lauka_sample *samples;   /* owned; of the current rounds, by round and command */
    struct lauka_reading *readings; /* owned; their readings */
    double *figures;                /* owned; of the same, by figure that commands report */
    uint32_t *orders;               /* owned; of the same: the order of the commands */
    struct lauka_plan *plans;       /* owned; per current round */
    size_t rounds_most;             /* the most rounds at once */
    struct lauka_sources sources;
    struct lauka_rounds rounds;
    struct lauka_enough enough;
    struct lauka_slowdown slowdown; /* for a gate that is tried out */
    enum lauka_round_end end;       /* how its last rounds ended */
    enum lauka_stopped why;         /* why it has enough rounds, if nothing else ended it */
    bool enough_known;
    bool prepared;       /* the outline of its result exists */
    bool spares;         /* its runs skip extra measurements */
    uint64_t before_ns;  /* time before its measured rounds began */
    uint64_t spent_ns;   /* time of the measured rounds */
    uint64_t earlier_ns; /* the same for earlier commands, if commands run in sequence; likewise */
    uint64_t most_rounds, dropped_before; /* the highest round number; dropped rounds */
    uint64_t guess_ns;                    /* duration of a round, from the warm-up; 0: not known */
    uint64_t kept_ns;                     /* when intermediate results were last saved */
    uint64_t keeping_ns;                  /* time to save them */
    struct lauka_batches batches;
    struct lauka_core_times *core_times; /* owned; by command */
    uint64_t *repeats;                   /* owned; by command: runs repeated by --require-core */
    bool pads;                           /* the environment's size varies; random source: */
    struct lauka_random layout;
    struct lauka_mishaps mishaps;
    struct lauka_executables executables; /* owned; used if the bench has none */
    struct lauka_miscounts miscounts;
    struct lauka_valgrind_runs valgrind;
    struct lauka_same_output *same_output; /* owned; NULL: not requested */
    uint64_t turns[LAUKA_ALL_SETS + 1];    /* rounds in which each set of events was counted */
    bool unstartable;                      /* a command cannot start: nothing else to report */
};

/* How many commands are executed for each of the options: its layouts, or it alone. */
static inline size_t lauka_loop_layouts(const struct lauka_loop *loop)
{
    return loop->acting.run.command_count / loop->options->run.command_count;
}

/* The part of them that belongs to the commands of the current rounds: from the first up to the end. */
static inline size_t lauka_loop_first_acting(const struct lauka_loop *loop)
{
    return lauka_loop_layouts(loop) * loop->first;
}

static inline size_t lauka_loop_end_acting(const struct lauka_loop *loop)
{
    return lauka_loop_layouts(loop) * (loop->first + loop->together);
}

/* Whether it is open and there are rounds to come. loop: NULL: it is not open. */
static inline bool lauka_loop_goes_on(const struct lauka_loop *loop)
{
    return loop && !loop->enough_known && lauka_round_goes_on(loop->end);
}

/* prepare.c: prepares everything before the first run: commands, counters, metrics, room. False
 * with the error; if a command cannot be started, sets loop->unstartable instead. */
bool lauka_loop_prepare(struct lauka_loop *loop, struct lauka_error *error);

/* prepare.c: turns an error that a command cannot be started into that command's failure. False for other errors. */
bool lauka_loop_take_error(struct lauka_loop *loop, const struct lauka_error *error);

/* progress.c: forecast of the time until everything of the benchmark is done that comes after the warm-up. */
uint64_t lauka_loop_left_ns(const struct lauka_loop *loop);

/* outlook.c: says on stderr, unless options->quiet, that the given time is too short for a verdict on which something
 * hangs, or that the session takes long. The benches are open. Returns false, and says nothing, until a warm-up or a
 * round has shown how long rounds take. */
bool lauka_outlook_say(const struct lauka_measurement *benches, size_t count,
                       const struct lauka_options *options);

/* The executor's clock in ns: pretended time, or lauka_now_ns. */
static inline uint64_t lauka_loop_now_ns(const struct lauka_loop *loop)
{
    return loop->kind->now_ns ? loop->kind->now_ns(&loop->executor) : lauka_now_ns();
}

/* From now on the command spends this much more CPU time. False if impossible. */
static inline bool lauka_loop_delay(struct lauka_loop *loop, size_t command, uint64_t delay_ns)
{
    return loop->kind->delay && loop->kind->delay(&loop->executor, command, delay_ns);
}

/* rounds.c: records the course so far, like an interrupted session. */
void lauka_loop_note_so_far(struct lauka_loop *loop);

/* For commands with different numbers of rounds: records the largest. */
void lauka_loop_note_rounds(const struct lauka_loop *loop, struct lauka_result_run *run);

/* Saves a summary, if one is wanted and due. */
void lauka_loop_keep(struct lauka_loop *loop);

/* valgrind_runs.c: runs outside of the rounds, after the warm-up, which has shown how long they will take. */
enum lauka_round_end lauka_valgrind_runs_all(struct lauka_loop *loop, struct lauka_error *error);

/* same_output.c: before the warm-up of the commands of the current rounds, and after their last round: runs each once,
 * and compares what it writes with what the first command wrote first; ROUND_FAILED if that differs. Does nothing unless
 * requested. */
enum lauka_round_end lauka_same_output_before(struct lauka_loop *loop, struct lauka_error *error);
enum lauka_round_end lauka_same_output_after(struct lauka_loop *loop, struct lauka_error *error);
void lauka_same_output_done(struct lauka_loop *loop);

/* rounds.c: concludes commands that ran in sequence. Returns 0 or ENOMEM. */
int lauka_loop_conclude_sequence(struct lauka_loop *loop);

/* why_runs.c: also before the warm-up: runs that count system calls, if --why asks for them. If
 * that is impossible, the result says why. False if lauka itself failed. */
bool lauka_traced_runs_run(struct lauka_loop *loop, struct lauka_error *error);

/* why_runs.c: after the measured rounds, further rounds of the same commands, sampled by the
 * kernel; does nothing unless requested. If that is impossible, the result says why. False if lauka
 * itself failed, or if nothing else could answer why. */
bool lauka_sampled_rounds_run(struct lauka_loop *loop, struct lauka_error *error);

/* figures.c: called at the end of a successful run. False if it is the last of its round and a
 * figure of this round cannot be stored; executor.failure has the reason. */
bool lauka_figures_settle(struct lauka_loop *loop, const struct lauka_run *run);

/* runs.c: plans this many rounds, beginning with this number, and runs them; rounds that did not
 * begin are drawn again later. *finished: the number of finished rounds. */
enum lauka_round_end lauka_loop_run_rounds(struct lauka_loop *loop, size_t rounds, uint64_t first,
                                           bool warmup, size_t *finished,
                                           struct lauka_error *error);

/* The session's, or the loop's own. */
struct lauka_executables *lauka_loop_executables(struct lauka_loop *loop);

/* What the executor failed at outside of the rounds ends the benchmark. */
static inline enum lauka_round_end lauka_loop_end_outside(struct lauka_loop *loop)
{
    loop->bench->failure = loop->executor.failure;
    loop->bench->failure.outside_rounds = true;
    return ROUND_FAILED;
}

/* runs.c: what comes before and after a run outside of the rounds: its hooks. Begin returns ROUND_FINISHED if the command may
 * run. End gets how that ended, or what begin returned, and returns how all of it ended: what failed first counts. */
enum lauka_round_end lauka_outside_begin(struct lauka_loop *loop, const struct lauka_run *run,
                                         struct lauka_error *error);
enum lauka_round_end lauka_outside_end(struct lauka_loop *loop, const struct lauka_run *run,
                                       enum lauka_round_end end, struct lauka_error *error);

/* failures.c: fails with LAUKA_EXIT_INTERNAL and advice. Always false. */
bool lauka_loop_fail_memory(struct lauka_error *error);

/* The same for a round: ROUND_BROKEN. */
static inline enum lauka_round_end lauka_loop_lose_memory(struct lauka_error *error)
{
    lauka_loop_fail_memory(error);
    return ROUND_BROKEN;
}

#endif
