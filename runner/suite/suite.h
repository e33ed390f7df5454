/* Benchmarks inside two programs: what each contains, and rounds of one benchmark in processes of both. */
#ifndef LAUKA_RUNNER_SUITE_SUITE_H
#define LAUKA_RUNNER_SUITE_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pmu/counters/counters.h"
#include "runner/base/arena.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"
#include "runner/session/session.h"
#include "stats/warming.h"

struct cJSON;

/* ---- process.c: a process that is talked to, or that writes what it found ---------------------- */

struct lauka_process {               /* zeroed: no process */
    struct lauka_launcher *launcher; /* borrowed; the process is its child */
    pid_t pid;
    int to, from,
        complaints; /* pipes: to its input, from its output, from its stderr; -1: closed */
    char *text;     /* owned; output that was not taken yet */
    size_t size, capacity;
    size_t heard;             /* of the text: the line taken last */
    struct lauka_tail tail;   /* of its stderr, with blanks for NULs */
    int status;               /* after its end: as from wait(2) */
    bool held_out;            /* after its end: lauka had to end it */
    char why[300];            /* why it failed, without its name; "": it did not */
    struct lauka_usage usage; /* after its end; without wall time */
};

enum lauka_talk {
    LAUKA_TALK_DONE,
    LAUKA_TALK_ENDED,   /* end of the output */
    LAUKA_TALK_LATE,    /* the time is over */
    LAUKA_TALK_FLOODED, /* too much output */
    LAUKA_TALK_GARBLED, /* a NUL byte, which may hide something */
    LAUKA_TALK_INTERRUPTED,
};

/* Makes the launcher start the located command with these words, and variables ("NAME=VALUE") added
 * to its own, NULL-terminated. talks: it reads descriptor 3 and writes 4, and its stdout is
 * discarded; otherwise its stdout is read. counters: attached before its program begins; NULL:
 * none. Returns 0 or an errno; call _end in any case. */
int lauka_process_start(struct lauka_process *process, struct lauka_launcher *launcher,
                        const struct lauka_command *command, char *const *words,
                        const char *const *variables, bool talks, struct lauka_counters *counters);

/* Says in process->why why it failed. Always false. */
bool lauka_process_fail(struct lauka_process *process, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes a line. A missing reader is no error: then there will be no answer either. */
void lauka_process_say(struct lauka_process *process, const char *line);

/* Reads the next line, without newline; borrowed until the next call. until_ns: of lauka_now_ns. */
enum lauka_talk lauka_process_hear(struct lauka_process *process, uint64_t until_ns, char **line);

/* Available output after the line taken last; NULL: none. Borrowed until the next call. If an
 * answer was not requested, nobody knows which question it belongs to. */
const char *lauka_process_unasked(struct lauka_process *process);

/* Reads all output until its end into process->text, NUL-terminated, with blanks for NULs. */
enum lauka_talk lauka_process_read(struct lauka_process *process, uint64_t until_ns);

/* Waits for its end until this time, then kills it and everything it started. Keeps the output
 * meanwhile for lauka_process_unasked. */
void lauka_process_end(struct lauka_process *process, uint64_t until_ns);

/* How it ended: "failed with exit code 2". If lauka ended it, its status would only describe what lauka did. */
void lauka_process_describe_end(const struct lauka_process *process, char *text, size_t size);

/* Puts its last output on stdout before the end of its stderr, or in its place. */
void lauka_process_recall(struct lauka_process *process, const char *text, bool alone);

/* The last lines as a single line. */
void lauka_process_last_lines(const char *tail, char *text, size_t size);

/* Frees what it owns. */
void lauka_process_done(struct lauka_process *process);

/* ---- answers.c: what a program answers -------------------------------------------------------------- */

/* The sides: the base and the head. */
enum { LAUKA_SIDES = 2 };

enum { LAUKA_INNER_FIGURES = 8, LAUKA_INNER_NAME = 64 };

struct lauka_inner_figure { /* a figure that a benchmark reports in addition to times */
    char name[LAUKA_INNER_NAME];
    const struct lauka_figure_unit *unit;
    double value;
};

struct lauka_inner_answer { /* from one round of one benchmark */
    double wall_ns, cpu_ns; /* of all iterations, or per iteration; below 0: not reported */
    struct lauka_inner_figure figures[LAUKA_INNER_FIGURES];
    size_t figure_count;
};

/* Parses "ok WALL_NS CPU_NS [NAME=VALUE UNIT ...]". False if it is malformed, with the reason. */
bool lauka_answer_read(const char *line, struct lauka_inner_answer *answer, char *why, size_t size);

/* The figures of a benchmark, known when one of its sides has reported them. Initially zeroed. */
struct lauka_inner_figures {
    struct lauka_inner tells;
    bool told[LAUKA_SIDES][LAUKA_FIGURES_MAX];
};

/* What lauka itself measures in processes that talk: the time of their first call. No figure has this name. */
#define LAUKA_FIRST_CALL "first_call"

/* Makes metrics of the side's figures; skips those with unknown units, and names already in use.
 * Returns 0 or ENOMEM. */
int lauka_inner_figures_note(struct lauka_inner_figures *figures, size_t side,
                             const struct lauka_inner_answer *answer);

/* The values of all figures; LAUKA_MISSING if a figure has none. Returns the name of a figure that
 * the side reported before and does not report now; NULL if there is none. */
const char *lauka_inner_figures_fill(const struct lauka_inner_figures *figures, size_t side,
                                     const struct lauka_inner_answer *answer, double *values);
void lauka_inner_figures_done(struct lauka_inner_figures *figures);

/* ---- names.c: the benchmarks of a program ----------------------------------------------------------- */

struct lauka_inner_names { /* zeroed: empty */
    char **names;          /* owned, array and names */
    size_t count, capacity;
    bool unsure;    /* names may be cut wrongly: try whether the first can run */
    bool numbered;  /* some may end in the framework's suffix: "-8" in Go */
    size_t *places; /* owned; hash table of indices from 1; 0: free */
    size_t place_count;
};

/* Adds a copy of the name, unless it exists. Returns 0 or ENOMEM. */
int lauka_inner_names_add(struct lauka_inner_names *names, const char *name, size_t length);

/* The same for lines that end in this suffix, without it, if there is more in them. */
int lauka_inner_names_add_lines(struct lauka_inner_names *names, const char *text,
                                const char *suffix);

bool lauka_inner_names_have(const struct lauka_inner_names *names, const char *name);
void lauka_inner_names_done(struct lauka_inner_names *names);

/* Where a number behind a hyphen begins at the end of a name, as in "Sum-8"; its length if there is none. */
size_t lauka_inner_name_number(const char *name, size_t length);

/* ---- answers.c: the answers of a process ---------------------------------------------------------- */

struct lauka_inner_answers {            /* zeroed: empty */
    struct lauka_inner_answer *answers; /* owned; per iteration */
    size_t count;
    bool medians;  /* each covers all rounds of a process */
    char why[200]; /* why the benchmark failed, or its impossible output; "": no failure */
    struct lauka_inner_names left_out; /* unusable figures: "`ratio` is NaN" */
};

/* Returns 0 or ENOMEM. */
int lauka_inner_answers_add(struct lauka_inner_answers *answers,
                            const struct lauka_inner_answer *answer);

/* Why a figure is unusable in an answer that has this many already; NULL if it is usable. Static. */
const char *lauka_inner_fault(double value, size_t figure_count);

/* Records that a required value is unusable, such as NaN. Returns EINVAL. */
int lauka_inner_answers_refuse(struct lauka_inner_answers *answers, const char *what,
                               const char *fault);

/* The same for a figure, which is optional. Returns 0 or ENOMEM. */
int lauka_inner_answers_leave_out(struct lauka_inner_answers *answers, const char *name,
                                  const char *fault);
void lauka_inner_answers_done(struct lauka_inner_answers *answers);

/* ---- discovery.c, gbench.c, go.c, criterion.c, pytest.c, jmh.c, divan.c: the frameworks ------------------------------- */

struct lauka_inner_request { /* requests rounds in one process */
    const char *name;        /* NULL: all benchmarks, shuffled if the framework supports it */
    const char *folder;      /* for this process alone, if the adapter wants one; "": none */
    uint64_t rounds;
    uint64_t round_ns;   /* duration of a round */
    uint64_t iterations; /* per round; 0: not known yet */
    uint64_t seed;
    bool numbered; /* as in the list of names */
};

enum lauka_telling { /* where it reports what failed */
                     LAUKA_TELLS_STDERR,
                     LAUKA_TELLS_BOTH,
                     LAUKA_TELLS_STDOUT,
};

struct lauka_adapter {
    enum lauka_framework framework;
    const char *name;     /* as in --adapter */
    const char *marks[3]; /* the program's file contains one of these */
    bool talks;           /* the native protocol; the members below are unused */
    bool tells_cpu_time;

    bool shares;     /* one process runs all benchmarks, however fast it starts */
    bool tells_more; /* its source may set the number of rounds */
    enum lauka_telling telling;
    const char *folder_in; /* the variable with the path of its own folder; NULL: it needs none */

    /* Words after the command's own that make it list, or run; NULL-terminated. list_none: then its output is no name;
     * NULL: it has none. start: what takes as long as starting it; NULL: list. run: for one benchmark those of run_one
     * follow, for all those of run_all; NULL: none. A word may have one of these in it: {folder}, {name}, {rounds}, {seed};
     * the time of a round in {ns} or {seconds}, of all rounds in {all_seconds}; {iterations} of a round, as in 5x, or its
     * time, as in 1000ns, while they are not known; the name as a regular expression for exactly this text, {regex}, or
     * for each part between slashes, {parts}. */
    const char *const *list;
    const char *const *list_none;
    const char *const *start;
    const char *const *run;
    const char *const *run_one;
    const char *const *run_all;
    uint64_t least_rounds, least_round_ns; /* what it is asked for at least */

    /* The file in its folder that has its output; NULL, and if there is no such file: its stdout. */
    const char *file;
    /* Called before the process starts, and after its end; NULL: nothing to do, and `file` says where its output is.
     * Returns 0 or an errno; the text, owned, or NULL without memory, or with *why, which is otherwise "". */
    int (*furnish)(const struct lauka_inner_request *request);
    char *(*gather)(const char *folder, char *why, size_t size);

    /* Parses its output. Returns 0, ENOMEM, or EINVAL if it is malformed. The second parses names
     * that were cut wrongly; NULL: they are not cut. */
    int (*read_list)(const char *text, struct lauka_inner_names *names);
    int (*read_list_whole)(const char *text, struct lauka_inner_names *names);
    int (*read_run)(const char *text, const char *name, struct lauka_inner_answers *answers,
                    uint64_t *iterations);

    /* Whether the output is complete; the number of rounds that a name's source sets (0: as many as
     * requested), and whether its time is made up; how many leading bytes of both sides' names only
     * say where they are. NULL: always, never, none. */
    bool (*is_through)(const char *text);
    uint64_t (*own_rounds)(const char *name);
    bool (*tells_own_time)(const char *name);
    void (*cut)(const struct lauka_inner_names *names, size_t *cuts);
};

extern const struct lauka_adapter *const lauka_adapters[];
extern const size_t lauka_adapter_count;

/* NULL: to be detected. */
const struct lauka_adapter *lauka_adapter_of(enum lauka_framework framework);

/* Reads the program's file of at most 64 MiB. Owned; NULL if there is none, or with why it cannot be read. */
char *lauka_adapter_read_file(const char *folder, const char *name, char *why, size_t size);

/* Each in its framework's file: gbench.c, go.c, criterion.c, pytest.c, jmh.c, divan.c. */
extern const struct lauka_adapter lauka_gbench_adapter, lauka_go_adapter, lauka_criterion_adapter,
    lauka_pytest_adapter, lauka_jmh_adapter, lauka_divan_adapter;

/* ---- times.c: what several frameworks write alike ------------------------------------------------------- */

/* A member that is a text, borrowed; "" if there is none. */
const char *lauka_entry_text(const struct cJSON *entry, const char *name);

/* Adds an answer for each item of an array of times in this unit. counts: the iterations of each; NULL: of one. Returns 0,
 * ENOMEM, or EINVAL, with a reason if an item is no time. */
int lauka_times_read(const struct cJSON *times, const struct cJSON *counts, double unit_ns,
                     struct lauka_inner_answers *answers);

/* ---- answers.c: a process that writes what it found, from its start to its text ------------------------ */

/* Runs the command with some of the adapter's words after its own, in a folder of its own if the adapter needs one.
 * request: NULL: it is to list, or to start. Returns whether there is a text, owned; otherwise process->why. The caller ends
 * the process in any case. */
bool lauka_written_run(struct lauka_process *process, struct lauka_launcher *launcher,
                       const struct lauka_adapter *adapter, const struct lauka_command *command,
                       const char *const *words, const struct lauka_inner_request *request,
                       uint64_t until_ns, char **text);

/* ---- rounds.c: processes that run all benchmarks ----------------------------------------------------- */

struct lauka_whole_process {
    char *text; /* owned; NULL: it did not run */
    struct lauka_usage usage;
    int status;
    bool held_out;            /* as in struct lauka_process */
    uint64_t took_ns, rounds; /* rounds: as requested */
    uint64_t share_ns;        /* of took_ns: what each benchmark pays that goes on */
    char why[300];            /* it failed before its end; "": it did not */
    char *tail;               /* owned; its last output, if it failed */
    bool judged, explained;   /* if it failed: whether a benchmark says that it is the one */
};

enum { LAUKA_WHOLE_FIRST = 2 }; /* rounds of the first unit, which shows how long things take */

struct lauka_whole {
    bool on;
    uint64_t start_ns;         /* time to start a process */
    uint64_t rounds, round_ns; /* per process; 0: not known yet */
    /* Owned; the first shows how long benchmarks take. */
    struct lauka_whole_process (*units)[LAUKA_SIDES];
    size_t count, capacity;
};

void lauka_whole_done(struct lauka_whole *whole);

/* ---- answers.c: one of the sides that speaks the protocol --------------------------------------------- */

/* Each fails with process->why. The caller ends the process in any case. until_ns: the deadline. */
bool lauka_native_start(struct lauka_process *process, struct lauka_launcher *launcher,
                        const struct lauka_command *command, struct lauka_counters *counters,
                        uint64_t until_ns);
bool lauka_native_list(struct lauka_process *process, uint64_t until_ns,
                       struct lauka_inner_names *names);
bool lauka_native_run(struct lauka_process *process, const struct lauka_inner_request *request,
                      uint64_t seed, uint64_t until_ns, struct lauka_inner_answer *answer);

/* Checks that it wrote nothing unrequested: before each question, and after its end. */
bool lauka_native_is_quiet(struct lauka_process *process);

/* ---- executor.c: counters around what a program is asked to run ---------------------------------- */

struct lauka_counting { /* zeroed: not open */
    bool open;
    bool any; /* some event is counted */
    struct lauka_counters sides[LAUKA_SIDES];
};

/* ---- discovery.c: which benchmarks there are ----------------------------------------------------------- */

struct lauka_suite_list { /* the benchmarks that a side lists */
    struct lauka_inner_names names;
    char *folders;          /* owned; the prefix that the side puts before each name; NULL: none */
    char why[300];          /* how listing failed, so that names may be missing; "": it succeeded */
    struct lauka_tail tail; /* after a failure: its last output */
};

struct lauka_suite {
    struct lauka_launcher *launcher; /* borrowed */
    const struct lauka_adapter *adapter;
    struct lauka_suite_list lists[LAUKA_SIDES];
    struct lauka_inner_names only[LAUKA_SIDES]; /* names that the other one has not */
    struct lauka_inner_names notes;             /* figures that were left out */
    struct lauka_whole whole;
    struct lauka_counting counting;
};

/* Asks both programs, the two commands of the options, and makes them the sides of each common
 * benchmark that --benchmark selects. If one failed meanwhile, there is an additional failing
 * benchmark, LAUKA_SUITE_LIST. Fails with LAUKA_EXIT_USAGE if there is none, and with
 * LAUKA_EXIT_COMMAND_FAILED. Call _close in any case. */
bool lauka_suite_open(struct lauka_suite *suite, struct lauka_launcher *launcher,
                      struct lauka_options *options, struct lauka_error *error);

#define LAUKA_SUITE_LIST "list of benchmarks"

/* The message for a program that exits with 0 before its framework is done. */
#define LAUKA_SUITE_CUT "ended with exit code 0 before its benchmarks were through"

/* The side that failed to list, if this benchmark stands for it; otherwise NULL. */
const struct lauka_suite_list *lauka_suite_failed_list(const struct lauka_suite *suite,
                                                       const char *benchmark);

/* Notes in the result which benchmarks only one program has. options: as filled by _open. Returns 0
 * or ENOMEM. */
int lauka_suite_note(const struct lauka_suite *suite, const struct lauka_options *options,
                     struct lauka_result *result);

/* Whether both programs have the same selected benchmarks, except for permitted new ones in the
 * head; otherwise fails with LAUKA_EXIT_COMMAND_FAILED. */
bool lauka_suite_is_whole(const struct lauka_suite *suite, const struct lauka_options *options,
                          struct lauka_error *error);

/* After measuring: notes what counts refer to, if there are any, and which figures were left out.
 * Returns 0 or ENOMEM. */
int lauka_suite_note_counts(const struct lauka_suite *suite, struct lauka_result *result);
void lauka_suite_close(struct lauka_suite *suite);

/* ---- executor.c: rounds of a benchmark in processes of both sides --------------------------------------- */

/* For struct lauka_benchmarks; its context is a struct lauka_suite. */
extern const struct lauka_executor_kind lauka_suited;

/* ---- the processes of one benchmark under way: what the files of the executor share ---------- */

/* Per process: the rounds that count, and the least and most duration of one. */
enum { LAUKA_UNIT_ROUNDS = 10, LAUKA_UNIT_ROUND_NS = 1000000, LAUKA_UNIT_ROUND_MOST_NS = 20000000 };

struct lauka_suite_side {
    struct lauka_process process;
    uint64_t until_ns, took_ns;         /* took_ns: from start to end, if it writes */
    bool begun;                         /* it was prepared, so it needs its conclusion */
    uint64_t iterations;                /* per round, as it reports */
    struct lauka_inner_answers answers; /* from a process that writes all of them */
    struct lauka_reading readings[LAUKA_COUNTERS_MAX]; /* of the last round, if counted */
    /* Of a process that talks: */
    double first_ns; /* the first call */
    /* Of each round after it: the time of an iteration, and from the first call to the round's end. */
    double iteration_ns[LAUKA_WARMING_MOST], gone_ns[LAUKA_WARMING_MOST];
    size_t round_count;
    double scale; /* of rounds that count: see level in spoken.c; 0: not known yet */
    struct lauka_warmings warmings; /* of all processes so far */
};

struct lauka_suite_unit { /* what this executor has in addition */
    struct lauka_inner_figures figures;
    struct lauka_inner_request request;
    size_t number;               /* for processes that run all benchmarks: the next one */
    uint64_t start_ns;           /* time to start a process */
    uint64_t slowest_ns;         /* per iteration */
    size_t rounds_most;          /* per process, if the benchmark sets their number */
    bool medians;                /* it only reports all rounds of a process together */
    double warming_iterations;   /* that a process runs before its rounds count */
    uint64_t warming_ns;         /* time that takes, with the first call */
    struct lauka_result *result; /* borrowed; NULL: not yet */
    struct lauka_suite_side sides[LAUKA_SIDES];
};

/* ---- unit.c --------------------------------------------------------------------------------------------- */

struct lauka_suite_unit *lauka_unit_of(const struct lauka_executor *executor);
const struct lauka_adapter *lauka_unit_adapter(const struct lauka_executor *executor);

struct lauka_suite *lauka_unit_suite(const struct lauka_executor *executor);

/* The counters for the side's processes; NULL: none. */
struct lauka_counters *lauka_unit_counters(const struct lauka_executor *executor, size_t side);

/* NULL: each process runs one benchmark. */
struct lauka_whole *lauka_unit_whole(const struct lauka_executor *executor);

/* Records a failure of the benchmark in one side, in words as "died: ..."; always false. */
bool lauka_unit_fail(struct lauka_executor *executor, size_t c, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What comes before each process. False if lauka failed, or the side, as executor->failure describes. */
bool lauka_unit_prepare(struct lauka_executor *executor, size_t c, struct lauka_error *error);

/* The number of rounds set by the benchmark's source; 0: as many as requested. */
uint64_t lauka_unit_own_rounds(const struct lauka_executor *executor);

/* Fills in the sample of a round from its answer. False if it reports that it took no time, or not all its figures. */
bool lauka_unit_fill(struct lauka_executor *executor, const struct lauka_run *run,
                     const struct lauka_inner_answer *answer, double iterations);

/* ---- spoken.c: processes that speak lauka-bench/1, and warm up ------------------------------------------- */

/* Finds the time of an iteration of one side, once it has warmed up. False as above. */
bool lauka_spoken_time(struct lauka_executor *executor, size_t c, double *iteration_ns,
                       struct lauka_error *error);

/* Runs a unit's rounds in one process of each side, once both have warmed up. False as above. */
bool lauka_spoken_run(struct lauka_executor *executor, const struct lauka_run *runs, size_t count,
                      struct lauka_error *error);

/* ---- rounds.c ------------------------------------------------------------------------------------------- */

/* A process that writes performs this many rounds of the side, and the preparation. False as above. */
bool lauka_unit_run(struct lauka_executor *executor, size_t c, uint64_t rounds,
                    struct lauka_error *error);

#endif
