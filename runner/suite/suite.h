/* Benchmarks inside two programs: what each has, and rounds of one of them in processes of both. */
#ifndef LAUKA_RUNNER_SUITE_SUITE_H
#define LAUKA_RUNNER_SUITE_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pmu/counters/counters.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"
#include "runner/session/session.h"

/* ---- process.c: a process that is talked to, or that writes what it found ---------------------- */

struct lauka_process {               /* zeroed, there is none */
    struct lauka_launcher *launcher; /* borrowed; whose child it is */
    pid_t pid;
    int to, from,
        complaints; /* to what it reads; from what it writes, and from its stderr; -1: closed */
    char *text;     /* owned; what it wrote and nobody took yet */
    size_t size, capacity;
    size_t heard;             /* of it, the line that was taken last */
    struct lauka_tail tail;   /* of its stderr, with blanks for zeros */
    int status;               /* once it was ended: as wait(2) has it */
    bool held_out;            /* then, too: it did not end by itself */
    struct lauka_usage usage; /* then, too; without a wall time */
};

enum lauka_talk {
    LAUKA_TALK_DONE,
    LAUKA_TALK_ENDED,   /* there is no more to read */
    LAUKA_TALK_LATE,    /* the time is over */
    LAUKA_TALK_FLOODED, /* more than anybody needs */
    LAUKA_TALK_GARBLED, /* a byte 0, behind which something may be hidden */
    LAUKA_TALK_INTERRUPTED,
};

/* Has the launcher start the located command with these words, and variables ("NAME=VALUE") beside its own, ended by
 * NULL. talks: it is to read descriptor 3 and to write 4, and its stdout leads nowhere; otherwise its stdout is
 * what is read. counters: attached before its program begins; NULL: none. Returns 0 or an errno; to be followed by
 * _end in either case. */
int lauka_process_start(struct lauka_process *process, struct lauka_launcher *launcher,
                        const struct lauka_command *command, char *const *words,
                        const char *const *variables, bool talks, struct lauka_counters *counters);

/* Writes a line. It is no error if nobody reads it: then nobody answers either. */
void lauka_process_say(struct lauka_process *process, const char *line);

/* The next line, without its end; borrowed until the next call. until_ns: of lauka_now_ns. */
enum lauka_talk lauka_process_hear(struct lauka_process *process, uint64_t until_ns, char **line);

/* What it has written beyond the line that was taken last, as far as it is there; NULL: nothing. Borrowed until the
 * next call. Of an answer that was not asked for, nobody knows to which question it belongs. */
const char *lauka_process_unasked(struct lauka_process *process);

/* All that it writes until its end: process->text, with a 0 behind it, and blanks where it wrote one. */
enum lauka_talk lauka_process_read(struct lauka_process *process, uint64_t until_ns);

/* Waits until then for its end; kills what is still alive, with everything that it started. What it writes meanwhile is
 * kept for lauka_process_unasked. */
void lauka_process_end(struct lauka_process *process, uint64_t until_ns);

/* How it ended: "failed with exit code 2". Of one that was ended, its status would tell only what lauka did. */
void lauka_process_describe_end(const struct lauka_process *process, char *text, size_t size);

/* Puts what it wrote to stdout last before the end of its stderr, or in its place. */
void lauka_process_recall(struct lauka_process *process, const char *text, bool alone);

/* The last of them as one line. */
void lauka_process_last_lines(const char *tail, char *text, size_t size);

/* Frees what it owns. */
void lauka_process_done(struct lauka_process *process);

/* ---- answers.c: what a program answers -------------------------------------------------------------- */

enum { LAUKA_INNER_FIGURES = 8, LAUKA_INNER_NAME = 64, LAUKA_INNER_UNIT = 16 };

struct lauka_inner_figure { /* what a benchmark reports beside times */
    char name[LAUKA_INNER_NAME], unit[LAUKA_INNER_UNIT];
    double value;
};

struct lauka_inner_answer { /* of one round of one benchmark */
    double wall_ns, cpu_ns; /* of all iterations, or of one; below 0: not told */
    struct lauka_inner_figure figures[LAUKA_INNER_FIGURES];
    size_t figure_count;
};

/* Parses "ok WALL_NS CPU_NS [NAME=VALUE UNIT ...]". False if it is malformed, with the reason in words. */
bool lauka_answer_read(const char *line, struct lauka_inner_answer *answer, char *why, size_t size);

/* Those of a benchmark, as soon as one of its sides has told of them. Zeroed at first. */
struct lauka_inner_figures {
    struct lauka_inner tells;
    bool told[2][LAUKA_FIGURES_MAX]; /* by side */
};

/* Makes metrics of the side's figures; omits those without a known unit, and names that are taken. Returns
 * 0 or ENOMEM. */
int lauka_inner_figures_note(struct lauka_inner_figures *figures, size_t side,
                             const struct lauka_inner_answer *answer);

/* The values of all of them; LAUKA_MISSING if there is none. Returns the name of a figure that the side
 * reported before and not now; NULL if there is none. */
const char *lauka_inner_figures_fill(const struct lauka_inner_figures *figures, size_t side,
                                     const struct lauka_inner_answer *answer, double *values);
void lauka_inner_figures_done(struct lauka_inner_figures *figures);

/* ---- names.c: the benchmarks of a program ----------------------------------------------------------- */

struct lauka_inner_names { /* zeroed: none */
    char **names;          /* owned, each and all */
    size_t count, capacity;
    bool unsure;    /* they may have been cut wrongly: it depends on whether the first can be run */
    bool numbered;  /* some end in what may be the framework's: "-8", in Go */
    size_t *places; /* owned; by hash: the number of a name, from 1; 0: free */
    size_t place_count;
};

/* Adds a copy, unless it is there already. Returns 0 or ENOMEM. */
int lauka_inner_names_add(struct lauka_inner_names *names, const char *name, size_t length);
bool lauka_inner_names_have(const struct lauka_inner_names *names, const char *name);
void lauka_inner_names_done(struct lauka_inner_names *names);

/* ---- answers.c: the answers of a process ---------------------------------------------------------- */

struct lauka_inner_answers {            /* zeroed: none */
    struct lauka_inner_answer *answers; /* owned; of one iteration each */
    size_t count, capacity;
    bool medians;  /* each is of all rounds of a process */
    char why[200]; /* the benchmark failed, or said something impossible; "": it did not */
    struct lauka_inner_names left_out; /* figures that cannot be used: "`ratio` is NaN" */
};

/* Returns 0 or ENOMEM. */
int lauka_inner_answers_add(struct lauka_inner_answers *answers,
                            const struct lauka_inner_answer *answer);

/* Why a figure cannot be used, where an answer has this many already; NULL if it can be. Static. */
const char *lauka_inner_fault(double value, size_t figure_count);

/* What is needed is NaN, say. Returns EINVAL. */
int lauka_inner_answers_refuse(struct lauka_inner_answers *answers, const char *what,
                               const char *fault);

/* Likewise a figure, which can be done without. Returns 0 or ENOMEM. */
int lauka_inner_answers_leave_out(struct lauka_inner_answers *answers, const char *name,
                                  const char *fault);
void lauka_inner_answers_done(struct lauka_inner_answers *answers);

/* ---- discovery.c, gbench.c, go.c, criterion.c, pytest.c: the frameworks ------------------------------- */

struct lauka_inner_request { /* rounds in one process */
    const char *name;        /* NULL: of all benchmarks, shuffled where the framework can do that */
    const char *folder; /* of the process alone, for adapters that want one; "": there is none */
    uint64_t rounds;
    uint64_t round_ns;   /* of a round */
    uint64_t iterations; /* of a round; 0: not known yet */
    uint64_t seed;
    bool numbered; /* as of the list of names */
};

enum lauka_telling { /* where it says what failed */
                     LAUKA_TELLS_STDERR,
                     LAUKA_TELLS_BOTH,
                     LAUKA_TELLS_STDOUT,
};

struct lauka_adapter {
    enum lauka_framework framework;
    const char *name;     /* as --adapter has it */
    const char *marks[3]; /* one of these is somewhere in the program's file */
    bool talks;           /* the native protocol; all below is unused */
    bool tells_cpu_time;

    bool shares;     /* a process runs all benchmarks, however soon it starts */
    bool tells_more; /* it may have a will of its own about the number of rounds */
    enum lauka_telling telling;
    const char *
        folder_in; /* the variable that gets the name of a folder of its own; NULL: it wants none */

    /* The words behind the command's own that make it list, or run; they belong to the caller, ended by
     * NULL. NULL without memory. start: what takes as long as starting it; NULL: as listing. */
    char **(*list)(const struct lauka_inner_request *request);
    char **(*list_none)(const struct lauka_inner_request *request); /* what it writes is no name */
    char **(*start)(const struct lauka_inner_request *request);
    char **(*run)(const struct lauka_inner_request *request);

    /* Before the process starts, and behind its end; NULL: nothing is to be done, and its stdout is what it
     * wrote. Returns 0 or an errno; the text, owned, or NULL without memory; or with *why, which is otherwise "". */
    int (*furnish)(const struct lauka_inner_request *request);
    char *(*gather)(const char *folder, char *why, size_t size);

    /* Parses what it wrote. Returns 0, ENOMEM, or EINVAL if it is malformed. The second reads names that were cut
     * wrongly; NULL: they are not cut. */
    int (*read_list)(const char *text, struct lauka_inner_names *names);
    int (*read_list_whole)(const char *text, struct lauka_inner_names *names);
    int (*read_run)(const char *text, const char *name, struct lauka_inner_answers *answers,
                    uint64_t *iterations);

    /* Of what it wrote: whether it came to its end; of a name: how many rounds its source wants (0: as many as are
     * asked for), and whether its time is made up; of the names of both sides: how many bytes at their beginnings
     * tell only where they are. NULL: always, never, none. */
    bool (*is_through)(const char *text);
    uint64_t (*own_rounds)(const char *name);
    bool (*tells_own_time)(const char *name);
    void (*cut)(const struct lauka_inner_names *names, size_t *cuts);
};

extern const struct lauka_adapter *const lauka_adapters[];
extern const size_t lauka_adapter_count;

/* NULL: that is to be found out. */
const struct lauka_adapter *lauka_adapter_of(enum lauka_framework framework);

/* One line of text follows the other. Owned; NULL without memory. */
char *lauka_adapter_join(char *text, const char *more);

/* A file of the program's, of 64 MiB at most. Owned; NULL if there is none, or with why it cannot be read. */
char *lauka_adapter_read_file(const char *folder, const char *name, char *why, size_t size);

/* Each in the file of its framework: gbench.c, go.c, criterion.c, pytest.c. */
extern const struct lauka_adapter lauka_gbench_adapter, lauka_go_adapter, lauka_criterion_adapter,
    lauka_pytest_adapter;

/* ---- invocation.c: words for a framework ---------------------------------------------------------------- */

/* A regular expression that matches exactly the text, between these. Owned; NULL without memory. */
char *lauka_word_escape(const char *before, const char *text, const char *after);

/* As printf(3). Owned; NULL without memory. */
char *lauka_word_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Takes over the words, which NULL follows then. Owned; NULL if one of them is NULL, or without memory. */
char **lauka_words_collect(char **words, size_t count);

/* ---- answers.c: a process that writes what it found, from its start to its text ------------------------ */

/* Runs the command with these words of the adapter's behind its own, in a folder of its own where the adapter
 * wants one. Returns whether there is a text, owned; why, otherwise. The process is to be ended by the caller in
 * either case. */
bool lauka_written_run(struct lauka_process *process, struct lauka_launcher *launcher,
                       const struct lauka_adapter *adapter, const struct lauka_command *command,
                       char **(*words)(const struct lauka_inner_request *request),
                       struct lauka_inner_request request, uint64_t until_ns, char **text,
                       char *why, size_t size);

/* ---- rounds.c: processes that run all benchmarks ----------------------------------------------------- */

struct lauka_whole_process {
    char *text; /* owned; NULL: it was not run */
    struct lauka_usage usage;
    int status;
    bool held_out;            /* as in struct lauka_process */
    uint64_t took_ns, rounds; /* rounds: that were asked for */
    char why[300];            /* it failed before it could end; "": it did not */
    char *tail;               /* owned; what it wrote last, if it failed */
    bool judged, explained;   /* if it failed: whether a benchmark says that it is the one */
};

enum { LAUKA_WHOLE_FIRST = 2 }; /* rounds of the first unit, which tells how long things take */

struct lauka_whole {
    bool on;
    uint64_t start_ns;         /* what starting a process takes */
    uint64_t rounds, round_ns; /* of a process; 0: not known yet */
    struct lauka_whole_process (
        *units)[2]; /* owned; the first of them tells how long benchmarks take */
    size_t count, capacity;
};

/* Once the first unit was run: how many rounds there are to be in a process at most, and how long they are,
 * between these. */
void lauka_whole_plan(struct lauka_whole *whole, uint64_t rounds_most, uint64_t round_ns,
                      uint64_t round_most_ns);
void lauka_whole_done(struct lauka_whole *whole);

/* ---- answers.c: one of the sides that speaks the protocol --------------------------------------------- */

/* Each fails with what is wrong, of which the side is not a part. The process is to be ended by the caller
 * in either case. until_ns: when it has to be done. */
bool lauka_native_start(struct lauka_process *process, struct lauka_launcher *launcher,
                        const struct lauka_command *command, struct lauka_counters *counters,
                        uint64_t until_ns, char *why, size_t size);
bool lauka_native_list(struct lauka_process *process, uint64_t until_ns,
                       struct lauka_inner_names *names, char *why, size_t size);
bool lauka_native_run(struct lauka_process *process, const struct lauka_inner_request *request,
                      uint64_t seed, uint64_t until_ns, struct lauka_inner_answer *answer,
                      char *why, size_t size);

/* Whether it has written nothing that it was not asked for: before each question, and once it has ended. */
bool lauka_native_is_quiet(struct lauka_process *process, char *why, size_t size);

/* ---- unit.c: counters around what a program is asked to run -------------------------------------- */

struct lauka_counting { /* zeroed: not open */
    bool open;
    struct lauka_counters sides[2];
};

/* Once a session. asked: somebody wants these events; otherwise what cannot be counted is left out. */
bool lauka_counting_open(struct lauka_counting *counting, struct lauka_launcher *launcher,
                         const struct lauka_event *events, size_t count, bool asked,
                         struct lauka_error *error);

/* The set of events that processes count from now on. */
void lauka_counting_turn(struct lauka_counting *counting, unsigned turn);

/* Whether anything is. */
bool lauka_counting_counts(const struct lauka_counting *counting);

/* ---- discovery.c: which benchmarks there are ----------------------------------------------------------- */

struct lauka_suite_list { /* what a side says it has */
    struct lauka_inner_names names;
    char *
        folders; /* owned; what stands before each name where the side itself says it; NULL: nothing */
    char why
        [300]; /* how the side failed when it was asked, so that some may be missing; "": all is well */
    struct lauka_tail tail; /* then, what it wrote last */
};

struct lauka_suite {
    struct lauka_launcher *launcher; /* borrowed */
    const struct lauka_adapter *adapter;
    struct lauka_suite_list lists[2];
    struct lauka_inner_names only[2]; /* what the base has, or the head, and not the other */
    struct lauka_inner_names *notes;  /* owned; of figures that were left out */
    struct lauka_whole *whole;        /* owned */
    struct lauka_counting *counting;  /* owned */
};

/* Asks both programs, which are the options' two commands, and makes them the sides of each benchmark that
 * both have, as far as --benchmark wants it. One that failed meanwhile is a benchmark more, LAUKA_SUITE_LIST, which
 * fails. Fails with LAUKA_EXIT_USAGE where there is none, and with LAUKA_EXIT_COMMAND_FAILED. To be followed by
 * _close in either case. */
bool lauka_suite_open(struct lauka_suite *suite, struct lauka_launcher *launcher,
                      struct lauka_options *options, struct lauka_error *error);

#define LAUKA_SUITE_LIST "list of benchmarks"

/* What a program did that exits with 0 before its framework is through. */
#define LAUKA_SUITE_CUT "ended with exit code 0 before its benchmarks were through"

/* The side that failed when it was asked, if the benchmark stands for that; NULL otherwise. */
const struct lauka_suite_list *lauka_suite_failed_list(const struct lauka_suite *suite,
                                                       const char *benchmark);

/* Says in the result which benchmarks are in one program only. options: those that _open has filled. Returns 0
 * or ENOMEM. */
int lauka_suite_note(const struct lauka_suite *suite, const struct lauka_options *options,
                     struct lauka_result *result);

/* Whether both have the same, as far as it is wanted, but for new ones of the head that are permitted; fails with
 * LAUKA_EXIT_COMMAND_FAILED otherwise. */
bool lauka_suite_is_whole(const struct lauka_suite *suite, const struct lauka_options *options,
                          struct lauka_error *error);

/* Once it is measured: says what counts are of, where there are any, and which figures were left out. Returns 0 or
 * ENOMEM. */
int lauka_suite_note_counts(const struct lauka_suite *suite, struct lauka_result *result);
void lauka_suite_close(struct lauka_suite *suite);

/* ---- executor.c: rounds of a benchmark in processes of both sides --------------------------------------- */

/* Of struct lauka_benchmarks; its context is a struct lauka_suite. */
extern const struct lauka_executor_kind lauka_suited;

/* ---- the processes of one benchmark under way: what the files of the executor share ---------- */

/* Of each process: rounds that count, and how long one is at least. */
enum { LAUKA_SIDES = 2, LAUKA_UNIT_ROUNDS = 10, LAUKA_UNIT_ROUND_NS = 1000000 };

struct lauka_suite_side {
    struct lauka_process process;
    uint64_t until_ns, took_ns;         /* took_ns: from its start to its end, if it writes */
    bool begun;                         /* its preparation was run, so that its conclusion is due */
    uint64_t iterations;                /* of a round, as it says */
    struct lauka_inner_answers answers; /* of a process that writes them all */
    struct lauka_reading readings[LAUKA_COUNTERS_MAX]; /* of the last round, where it is counted */
};

struct lauka_suite_unit { /* what the executor has beside the others' */
    struct lauka_inner_figures figures;
    struct lauka_inner_request request;
    size_t number;       /* of processes that run all benchmarks: the next one */
    uint64_t start_ns;   /* what starting a process took */
    uint64_t slowest_ns; /* of an iteration */
    size_t rounds_most;  /* in a process, where the benchmark has a will of its own */
    bool medians;        /* it tells only of all rounds of a process together */
    struct lauka_suite_side sides[LAUKA_SIDES];
};

/* ---- unit.c --------------------------------------------------------------------------------------------- */

struct lauka_suite_unit *lauka_unit_of(const struct lauka_executor *executor);
const struct lauka_adapter *lauka_unit_adapter(const struct lauka_executor *executor);

const struct lauka_suite *lauka_unit_suite(const struct lauka_executor *executor);

/* What is counted in processes of the side; NULL: nothing. */
struct lauka_counters *lauka_unit_counters(const struct lauka_executor *executor, size_t side);

/* NULL: each process runs one benchmark. */
struct lauka_whole *lauka_unit_whole(const struct lauka_executor *executor);

/* Of the benchmark in one side; always false. why: "died: ...", in words. */
bool lauka_unit_fail(struct lauka_executor *executor, size_t c, const char *why);

/* Each is false where lauka failed, or the side, of which executor->failure tells. Before each process it is prepared.
 * One that speaks is started, and asked for a round. */
bool lauka_unit_prepare(struct lauka_executor *executor, size_t c, struct lauka_error *error);
bool lauka_unit_start(struct lauka_executor *executor, size_t c, struct lauka_error *error);
bool lauka_unit_ask(struct lauka_executor *executor, size_t c, uint64_t seed,
                    struct lauka_inner_answer *answer);
/* How many rounds the source of the benchmark wants; 0: as many as are asked for. */
uint64_t lauka_unit_own_rounds(const struct lauka_executor *executor);

/* Ends what still runs. good: no side has failed. Whether all went well: of a side that failed before nothing more is
 * said. */
bool lauka_unit_conclude(struct lauka_executor *executor, bool good, struct lauka_error *error);

/* Frees what the sides own. */
void lauka_unit_forget(struct lauka_suite_unit *unit);

/* ---- rounds.c ------------------------------------------------------------------------------------------- */

/* One that writes runs so many rounds of the side, and what comes before them. False as above. */
bool lauka_unit_run(struct lauka_executor *executor, size_t c, uint64_t rounds,
                    struct lauka_error *error);

#endif
