/* The state of one benchmark under way: what the files of the loop share. */
#ifndef LAUKA_RUNNER_SESSION_LOOP_H
#define LAUKA_RUNNER_SESSION_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/profile/profile.h"
#include "pmu/valgrind/valgrind.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/gate/gate.h"
#include "runner/metrics/metrics.h"
#include "runner/options.h"
#include "runner/session/session.h"

/* ---- what valgrind counts of the commands of a session --------------------------------------- */

struct lauka_command;
struct lauka_launcher;
struct lauka_options;
struct lauka_result;

/* ---- valgrind_runs.c: what valgrind counts of the commands, outside of the rounds ------------ */

enum { LAUKA_VALGRIND_RUNS = 2 };

struct lauka_valgrind_command {
    size_t number;  /* the launcher's; the next one is it with the other tool */
    size_t padding; /* of its environment */
    bool
        follow; /* callgrind counts it: it has more than one process or program, or functions are asked for */
    bool stays; /* with callgrind, whatever it tells callgrind */
    struct lauka_valgrind_sum runs[LAUKA_VALGRIND_RUNS];
    struct lauka_profile profiles[LAUKA_VALGRIND_RUNS]; /* owned; what its functions cost in each */
};
struct lauka_valgrind_runs {                 /* zeroed, it is closed */
    const struct lauka_options *options;     /* borrowed */
    struct lauka_launcher *launcher;         /* borrowed */
    struct lauka_valgrind_command *commands; /* owned; NULL where none is asked for */
    bool again;                              /* all of them, because another tool must count */
    char folder[LAUKA_FOLDER_SIZE];
};

/* Of the commands from `first` up to `end`, which are located; those from 0 on come first. Does nothing unless asked
 * for. Fails with LAUKA_EXIT_HOST if there is no valgrind. */
bool lauka_valgrind_runs_open(struct lauka_valgrind_runs *runs, const struct lauka_options *options,
                              struct lauka_launcher *launcher, size_t first, size_t end,
                              struct lauka_error *error);

/* The values for this round of the result: those of the runs in the first rounds, LAUKA_MISSING in all
 * others. */
uint64_t lauka_valgrind_runs_value(const struct lauka_valgrind_runs *runs, size_t command,
                                   uint64_t round, size_t count);

/* Adds to the result which functions made the difference. Returns 0 or ENOMEM. */
void lauka_valgrind_runs_close(struct lauka_valgrind_runs *runs);

/* ---- progress.c: round and time left on a terminal's stderr ---------------------------------- */

struct lauka_progress {
    bool enabled;
    struct lauka_terminal terminal;
    uint64_t begun_ns;     /* when it was first shown */
    uint64_t left_ns;      /* at drawn_ns; 0: not known */
    uint64_t run_began_ns; /* the run under way, or before it */
    uint64_t runs_done;    /* of those that are under way together */
    char head[160];        /* "round 12 of about 34" */
    char estimate[160];    /* "./after +5.0 % [+3.9, +6.2]"; empty: not known */
    uint64_t estimated_ns; /* when */
};

/* The current state: all borrowed, for the call only. */
struct lauka_progress_step {
    const char *phase;      /* "round", "warm-up" */
    uint64_t number, total; /* from 1; 0: nobody knows how many */
    bool is_forecast;       /* how many is one */
    uint64_t left_ns;       /* 0: not known */
    const char *benchmark;  /* NULL: there is just one */
    size_t place, count;    /* of it, from 1 */
};

void lauka_progress_init(struct lauka_progress *progress, bool wanted);

/* Draws it, unless something was drawn less than a tenth of a second ago. */
void lauka_progress_show(struct lauka_progress *progress, const struct lauka_progress_step *step);

/* Redraws during a long run: the time that has passed, and what is left. Call it every second, with the
 * number of finished runs of the batch. */
void lauka_progress_tick(void *progress, uint64_t runs_done);

void lauka_progress_clear(struct lauka_progress *progress);

/* ---- of a benchmark's loop ------------------------------------------------------------------ */

struct lauka_loop;

/* A step of something, whose benchmark is filled in; the next round; the warm-up, of which so much is done. */
void lauka_showing_step(struct lauka_loop *loop, struct lauka_progress_step step);
void lauka_showing_round(struct lauka_loop *loop);
void lauka_showing_warmup(struct lauka_loop *loop, uint64_t done, uint64_t spent_ns);

enum lauka_round_end {
    ROUND_FINISHED,
    ROUND_DROPPED,
    ROUND_FAILED,
    ROUND_INTERRUPTED,
    ROUND_BROKEN
};

struct lauka_plan { /* of a round that is asked for with others */
    size_t padding;
    uint32_t unit;              /* the pair of layouts */
    struct lauka_random layout; /* and the schedule: where they stand behind it */
    struct lauka_schedule_mark schedule;
};

struct lauka_loop { /* the state of one benchmark */
    struct lauka_measurement *bench;
    const struct lauka_options *options;
    struct lauka_options acting; /* what is executed: see lauka_layouts_act */
    uint64_t warmup;             /* rounds of it; with layouts so many of each */
    bool sequential; /* a round has one command, and its turn comes after that of the one before */
    size_t first, together; /* the commands that rounds have now: how many from which on */
    uint32_t *pairs;        /* owned; of each command its layouts, as they were drawn */
    struct lauka_result *result;
    struct lauka_schedule schedule;
    const struct lauka_executor_kind *kind; /* the executor's */
    struct lauka_executor executor;
    const struct lauka_counters *counters; /* the executor's */
    struct lauka_progress progress;
    struct lauka_run *runs;         /* owned; of the rounds under way, in their order */
    struct lauka_sample *samples;   /* owned; of the same, by round and command */
    struct lauka_reading *readings; /* owned; theirs */
    double *figures;                /* owned; of the same, and by what commands report */
    uint32_t *orders;               /* owned; of the same: which command runs when */
    struct lauka_plan *plans;       /* owned; by round of them */
    size_t rounds_most;             /* so many may be under way */
    struct lauka_sources sources;
    struct lauka_rounds rounds;
    struct lauka_enough enough;
    struct lauka_slowdown slowdown; /* of a gate that is tried out */
    enum lauka_round_end end;       /* how its last rounds ended */
    enum lauka_stopped why;         /* that it has enough; where nothing else ended it */
    bool enough_known;
    bool prepared;      /* its result is outlined */
    bool spares;        /* its runs are to do without what is told in passing */
    uint64_t before_ns; /* what went by before its measured rounds began */
    uint64_t spent_ns;  /* on the measured rounds */
    uint64_t
        earlier_ns; /* the same, of the commands before: where one comes after the other, as are */
    uint64_t most_rounds, dropped_before; /* the most of them; those that were dropped */
    uint64_t guess_ns;   /* what a round takes, as the warm-up had it; 0: not known */
    uint64_t kept_ns;    /* when what was known was kept last */
    uint64_t keeping_ns; /* what that took */
    struct lauka_batches batches;
    struct lauka_core_times *core_times; /* owned; by command */
    uint64_t *repeats;                   /* owned; by command: runs repeated for --require-core */
    bool pads;                           /* the environment's size varies; by this: */
    struct lauka_random layout;
    struct lauka_mishaps mishaps;
    struct lauka_executables executables; /* owned; where the bench has none */
    struct lauka_miscounts miscounts;
    struct lauka_valgrind_runs valgrind;
    uint64_t turns[LAUKA_ALL_SETS + 1]; /* rounds in which each set of events was counted */
    bool unstartable;                   /* a command is, which is all there will be to report */
};

/* prepare.c: everything that can be known before anything runs: commands, counters, metrics, room. False
 * with the error; if a command cannot be started, sets loop->unstartable instead. */
bool lauka_loop_prepare(struct lauka_loop *loop, struct lauka_error *error);

/* prepare.c: makes the error that a command cannot be started a failure of that command. False if it is another one. */
bool lauka_loop_take_error(struct lauka_loop *loop, const struct lauka_error *error);

/* The clock of the executor, in ns: what it makes up, or lauka_now_ns. */
static inline uint64_t lauka_loop_now_ns(const struct lauka_loop *loop)
{
    return loop->kind->now_ns ? loop->kind->now_ns(&loop->executor) : lauka_now_ns();
}

/* From now on the command spends that much more CPU time. False where that is impossible. */
static inline bool lauka_loop_delay(struct lauka_loop *loop, size_t command, uint64_t delay_ns)
{
    return loop->kind->delay && loop->kind->delay(&loop->executor, command, delay_ns);
}

/* rounds.c: the course so far, as that of an interrupted session. */
void lauka_loop_note_so_far(struct lauka_loop *loop);

/* Of commands that have numbers of rounds of their own: the most. */
void lauka_loop_note_rounds(const struct lauka_loop *loop, struct lauka_result_run *run);

/* Has a summary of it kept, if that is wanted and due. */
void lauka_loop_keep(struct lauka_loop *loop);

/* valgrind_runs.c: outside of the rounds, and before the warm-up, which brings everything back into the caches. */
enum lauka_round_end lauka_valgrind_runs_all(struct lauka_loop *loop, struct lauka_error *error);

/* rounds.c: what commands that ran one after the other come to. Returns 0 or ENOMEM. */
int lauka_loop_conclude_sequence(struct lauka_loop *loop);

/* why_runs.c: then, too: runs whose system calls are counted, where --why asks for them. Where that cannot be, the
 * result tells why. False where lauka itself failed. */
bool lauka_traced_runs_run(struct lauka_loop *loop, struct lauka_error *error);

/* why_runs.c: once the measured rounds are over, further ones of the same commands, in which the kernel samples
 * them; does nothing unless asked for. Where that cannot be, the result tells why. False where lauka itself failed, or
 * where nothing else would answer why. */
bool lauka_sampled_rounds_run(struct lauka_loop *loop, struct lauka_error *error);

/* figures.c: at the end of a run that succeeded; false where it is the last of its round, and a figure of this round
 * cannot be kept, as executor.failure tells. */
bool lauka_figures_settle(struct lauka_loop *loop, const struct lauka_run *run);

/* runs.c: plans so many rounds, the first of this number, and runs them; those that were not begun will be drawn again.
 * *finished: how many are over. */
enum lauka_round_end lauka_loop_run_rounds(struct lauka_loop *loop, size_t rounds, uint64_t first,
                                           bool warmup, size_t *finished,
                                           struct lauka_error *error);

/* The session's, or the loop's own. */
struct lauka_executables *lauka_loop_executables(struct lauka_loop *loop);

/* failures.c: fails with LAUKA_EXIT_INTERNAL, and says what may help. Always false. */
bool lauka_loop_fail_memory(struct lauka_error *error);

#endif
