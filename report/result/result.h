/* Everything that was measured, as one plain value. All writers use it, so that their numbers never
 * differ. */
#ifndef LAUKA_REPORT_RESULT_RESULT_H
#define LAUKA_REPORT_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/result/ending.h"
#include "report/result/lists.h"
#include "report/result/merged.h"
#include "report/result/why.h"
#include "report/text/text.h"
#include "stats/histogram.h"
#include "stats/sessions.h"
#include "stats/stats.h"
#include "stats/warming.h"

/* ---- result.c: all that was measured, as one plain value ------------------------------------- */

struct lauka_gate_rule { /* "wall_time.p99=5%,+50us", "cpu_time<=5ms" */
    char *benchmark;     /* owned; label of its command, for which it replaces rules for all on the
                          * same metric; NULL: for all */
    char *metric;        /* owned; as typed */
    enum lauka_statistic statistic;
    uint32_t rank;                  /* for LAUKA_STATISTIC_QUANTILE */
    struct lauka_optional share;    /* as in struct lauka_limit */
    struct lauka_optional absolute; /* in ns, B or 1 */
    struct lauka_optional most;     /* in place of both: a budget, what it may be; in ns, B or 1 */
    const char *unit;               /* static: the typed unit; NULL: the metric's own */
    char *where;                    /* owned; "FILE:3", the line of its section; NULL: none */
};

struct lauka_gate_allowance { /* a known failure, and until when it is allowed */
    char *benchmark;          /* owned; label of the command; "*": any */
    char *metric;             /* owned; with or without a statistic */
    char *until;              /* owned; "2026-12-31" */
    char *reason;             /* owned */
    char *where;              /* owned; "FILE:3"; NULL: from a stored result */
    bool expired;
    bool used; /* excuses a failure; or would, had it not expired. Set by lauka_gate_judge_result */
};

struct lauka_gate_row {                      /* one rule about one command */
    size_t rule, reference, command, metric; /* indices */
    struct lauka_judgement judgement;
    const struct lauka_gate_allowance *allowance; /* borrowed: excuses the failure; NULL: none */
    const struct lauka_gate_allowance *expired;   /* borrowed: it would have excused it */
    struct lauka_optional raised; /* share by which values were increased: a made-up regression */
    struct lauka_gate_hosts { /* where several hosts are merged, of each its own judgement counts */
        uint32_t count, failed, passed; /* count: 0: one host */
    } hosts;
    bool reference_hidden, hidden; /* the command's values lie below the floor: the verdict is valid
                                    * for any of them, and there is no known change */
};

enum lauka_gate_policy {
    /* how to treat inconclusive */
    LAUKA_POLICY_WARN,
    LAUKA_POLICY_FAIL,
    LAUKA_POLICY_PASS,
};

struct lauka_result_gate {
    struct lauka_gate_rule *rules; /* owned; empty: there is no gate */
    size_t rule_count;
    struct lauka_gate_allowance *allowances; /* owned */
    size_t allowance_count;
    enum lauka_gate_policy policy;
    size_t halves;   /* commands with this distance between them belong together: the same in two
                    * results; 0: all are compared with the first */
    char *hosts;     /* owned; differences between the hosts of the results; NULL: none */
    bool cross_host; /* judge in spite of them */
    /* The time in ns by which each run of the last command was slowed down on purpose; 0: none. A
     * gate that is tried out must fail this command and pass the others. */
    double injected;
    bool tried; /* the gate is tried out */
    /* The outcome. */
    struct lauka_gate_row *rows; /* owned; command-major */
    size_t row_count;
    enum lauka_gate verdict; /* for all: failed, or otherwise inconclusive if one is */
};

/* `source` of values that a program measured itself with the library. */
#define LAUKA_SOURCE_PROGRAM "program"

/* The sources of numbers from files, which may be anything; of histograms, which have also lost
 * their order; and of what a command itself writes: --read. */
#define LAUKA_SOURCE_FILE "file"
#define LAUKA_SOURCE_HLOG "hlog"
#define LAUKA_SOURCE_REPORTED "reported"
#define LAUKA_SOURCE_LOGS "logs" /* one value for each of several logs */

struct lauka_result_metric {
    char *name;         /* owned: "wall_time", "instructions:u" */
    char *unit;         /* owned: "ns", "B" or "1" */
    char *source;       /* owned: "clock", "rusage", "perf_event", "simulated" */
    const char *better; /* static: "lower", "higher" or "neither" */
    bool counted;       /* false: this machine could not count it; shown as a dash, never as 0 */
    double share;       /* least share of the time in which it was counted; 1 if exact */
    int decimals;       /* values are in units of 10^-decimals of `unit`: see powers.c */
    bool primary;       /* a main metric; the others are exploratory */
    bool repeatable;    /* measured outside of the rounds, twice, always with the same result: it is
                         * exact from the first value on */
    bool
        apart; /* the sides were counted under different circumstances, so it is not compared; never stored */
    struct lauka_sessions
        sessions;         /* earlier ones, for two that were measured apart; never stored */
    double bins;          /* values are bucket middles: relative half-width of a bucket; or 0 */
    bool detail;          /* only in the JSON, unless it is primary */
    unsigned shown_in;    /* a scale requested by the user: see lauka_scale_named; 0: automatic */
    double least_mean;    /* or floor, above 0, of all commands, in the unit of the values */
    double greatest_mean; /* by lauka_result_analyse for lauka_result_scale; 0: none */
    double
        deviation; /* the greatest of all commands if they are similar: it sets the digits for all,
                    * so that decimal points align; 0: each has its own */
};

/* Kept for a command's metric instead of single values. */
struct lauka_result_stream {
    struct lauka_moments moments;
    struct lauka_histogram histogram;
    uint64_t missing;                /* rounds without a value */
    struct lauka_paired_log *paired; /* owned; against the reference; NULL for the reference */
};

/* How the commands' files were brought to the same state in the page cache. */
enum lauka_placement {
    LAUKA_PLACEMENT_UNKNOWN,
    LAUKA_PLACEMENT_REREAD,      /* written back, dropped, read from the beginning */
    LAUKA_PLACEMENT_KEPT,        /* nothing: --placement=keep */
    LAUKA_PLACEMENT_SHARED,      /* nothing: all commands execute this file */
    LAUKA_PLACEMENT_MEMORY,      /* nothing: it only exists in memory (tmpfs) */
    LAUKA_PLACEMENT_UNREADABLE,  /* nothing: reading is not permitted, or the system refused */
    LAUKA_PLACEMENT_LONG,        /* nothing: it would take too long */
    LAUKA_PLACEMENT_UNSUPPORTED, /* nothing: the system has no calls for it */
};

/* The file that a command executes, at the end of the session. */
struct lauka_result_executable {
    uint64_t bytes; /* 0: not known */
    char *sha256;   /* owned, 64 hexadecimal digits; NULL: not known */
    char *build_id; /* owned, hexadecimal digits; NULL: it has none, or it is not known */
    enum lauka_placement placement; /* before the warm-up */
};

/* The commit of a command: lauka revisions. */
struct lauka_result_revision {
    char *commit;    /* owned; full hash; NULL: none */
    char *date;      /* owned; author date, "2026-11-20" */
    char *subject;   /* owned; any bytes but NUL */
    bool is_changed; /* it is a working tree with changes */
};

/* The kept program that a command runs: lauka keep. */
struct lauka_result_kept {
    char *name;      /* owned; without "@"; NULL: it runs none */
    char *time;      /* owned; RFC 3339: when it was kept */
    char *commit;    /* owned; of the folder in which it was kept, full hash; NULL: none */
    bool is_changed; /* that folder had changes since the commit */
    char *command;   /* owned; the command line that was kept, with shell quoting */
};

struct lauka_result_command {
    char *label; /* owned: as typed, or the shell-quoted argv */
    char *side;  /* owned: its name in all benchmarks; NULL: it is the label */
    char **argv; /* owned, NULL-terminated */
    char *path;  /* owned: the executed file; NULL: not known */
    struct lauka_result_executable executable;
    struct lauka_result_revision revision;
    struct lauka_warmings steady; /* of its processes, if several rounds share one; else unknown */
    struct lauka_result_kept kept;
    /* The reference executes the same bytes with the same arguments, environment, working directory
     * and input: only the machine differs, or a file unknown to lauka. */
    bool is_same;
    struct lauka_parameter_value *parameters; /* owned: the parameters in its text */
    size_t parameter_count;
    struct lauka_series *series;     /* owned, metric_count; all have `rounds` values */
    struct lauka_summary *summaries; /* owned, metric_count */
    int16_t *exit_codes;             /* owned, one per round; 128 + number for a signal */
    uint64_t failures;               /* rounds with an unexpected exit */
    uint64_t left_behind,
        contradicted; /* runs, warm-up too: processes, a part counted; or by the system */
    bool unwatched;   /* it has a program executed whose events the kernel takes away */
    struct lauka_result_stream *streams; /* owned, metric_count; NULL if samples are kept */
    struct lauka_doubts *doubts;         /* owned, metric_count: reasons to doubt the numbers */
    size_t name_number; /* number among commands with the same label; 0: no other has it */
    bool *at_least;     /* owned, metric_count: its values are lower bounds; NULL: none are */
};

/* One command's change against the reference, in one metric. */
struct lauka_result_comparison {
    size_t command;
    size_t metric;
    /* The metric that this comparison repeats in another form (a time per item), and whose verdict
     * it gets; metric_count if none. */
    size_t restated;
    struct lauka_comparison values;
    struct lauka_doubts doubts; /* as in a comparison */
};

/* How the session ended. */
enum lauka_stopped {
    LAUKA_STOPPED_ROUNDS,      /* the requested number was reached */
    LAUKA_STOPPED_TIME,        /* the time budget was used up */
    LAUKA_STOPPED_PRECISION,   /* every primary interval is as narrow as asked for */
    LAUKA_STOPPED_EFFECT,      /* the differences are clear */
    LAUKA_STOPPED_EXACT,       /* the primary metrics are constant */
    LAUKA_STOPPED_GATE,        /* every limit is known to be held or exceeded */
    LAUKA_STOPPED_FAILURE,     /* a command failed */
    LAUKA_STOPPED_INTERRUPTED, /* a signal asked lauka to end */
    LAUKA_STOPPED_ERROR,       /* lauka itself could not continue; see struct lauka_result_error */
    LAUKA_STOPPED_STORED,      /* nothing was run: the values were read from files */
};

enum { LAUKA_BATCHES_MAX = 128 };

struct lauka_batch { /* consecutive rounds that take a second or more */
    uint64_t rounds;
    double seconds;
    struct lauka_optional pressure, steal; /* as for the whole run */
};

/* What was drawn anew and is independent of all others: the basis of estimates and intervals. */
enum lauka_unit {
    LAUKA_UNIT_ROUND, /* each round is one */
    LAUKA_UNIT_PROCESS,
    LAUKA_UNIT_LAYOUT,
    LAUKA_UNIT_HOST,
};

struct lauka_result_units {
    enum lauka_unit kind;
    uint64_t
        count;    /* of other units than rounds; those of rounds are as many as there are rounds */
    uint32_t *of; /* owned, one per round: the index of its unit, from 0; NULL: each is one */
};

/* A workload for all sides. */
struct lauka_result_benchmark {
    char *name;                               /* owned; NULL: unnamed */
    struct lauka_parameter_value *parameters; /* owned; the values of {NAME} in all commands */
    size_t parameter_count;
    struct lauka_result_units units;
    struct lauka_result_units
        inner; /* where hosts are the units: what is independent within each */
};

enum { LAUKA_JOBS_MAX = 1024 }; /* per session */

/* The job of a session that measured it; each job runs the whole session on a machine of its own. */
struct lauka_result_job {
    char *session;       /* owned; NULL: not a job */
    char *host;          /* owned; the machine's name */
    uint64_t number, of; /* from 1 on */
    uint64_t attempt;    /* also from 1: a job may be restarted */
};

/* Where a result comes from. */
struct lauka_result_provenance {
    char *begin, *end;     /* owned; RFC 3339, UTC; NULL: not known */
    char *version;         /* owned; lauka's */
    char *directory;       /* owned; lauka's own */
    char *commit, *branch; /* owned; from git in that directory; NULL: not known, or no branch */
    struct lauka_optional
        dirty;            /* 1 where tracked files differ from the commit, 0 where none does */
    char *ci, *job, *url; /* owned; "github", the job's name and its address; NULL: not known */
    struct lauka_parameter_value *labels; /* owned; from --label KEY=VALUE */
    size_t label_count;
    struct lauka_result_job part;
};

/* What counts as one observation in stored data: docs/documents.md has the table. */
enum lauka_apart {
    LAUKA_APART_NOT, /* values are observations: rounds of one session, or numbers from files */
    LAUKA_APART_SESSIONS, /* each side is a session: what changes between sessions is in no interval */
    LAUKA_APART_LOGS,     /* each side is one log, which is one unit */
};

struct lauka_result_run {
    uint64_t seed;
    uint64_t rounds; /* finished, measured ones */
    uint64_t warmup; /* rounds discarded before them */
    enum lauka_stopped stopped;
    uint32_t *order; /* owned, rounds * command_count: command indices in running order; NULL if not
                      * kept */
    /* Owned, one per round: the number of characters by which its runs' environment was longer;
     * NULL if not kept. */
    uint16_t *layout;
    uint64_t dropped; /* measured rounds that do not count because a run failed in them */
    double seconds;   /* wall time of the whole session, warm-up included */
    double measured;  /* of it, seconds spent on the measured rounds */
    struct lauka_optional
        pressure;                /* share of the measured time in which a task waited for a CPU */
    struct lauka_optional steal; /* share of the CPUs' time that the hypervisor gave to others */
    size_t batch_count;          /* in running order; 0: not kept */
    struct lauka_batch batches[LAUKA_BATCHES_MAX];
    uint64_t rss_floor; /* B: no child's peak_rss can be less (it is the launcher's); 0: none */
    double alpha;       /* every interval is made with 1 - alpha; LAUKA_ALPHA_... of verdict.c */
    double precision;   /* a share: differences up to it do not matter (--until, or 1 %) */
    bool unpaired;      /* values are not paired by position (stored data only); then commands may
                         * have different numbers of values, and `rounds` is the largest */
    enum lauka_apart apart;
    bool noise;            /* all commands are the same: lauka noise */
    bool samples_left_out; /* --no-samples, or more rounds than are kept: see `streams` */
    bool samples_plain;    /* long series are stored as arrays of numbers, too */
};

/* An option of the session. */
struct lauka_result_option {
    char *name;  /* owned: as on the command line, "max-time" */
    char *value; /* owned: "5s"; NULL if the option has no value */
    bool given;  /* typed; otherwise it is the default */
};

/* The run that ended the session, or a cleanup that failed later. */
struct lauka_result_failure {
    bool known; /* whether there was one */
    size_t command;
    uint64_t round; /* from 0 */
    bool warmup;
    bool outside_rounds; /* before the first round or after the last one: ignore `round` */
    char *reason;        /* owned: "failed with exit code 1" */
    char *stderr_tail;   /* owned: its last output, any bytes but NUL */
};

/* What stopped lauka. The finished rounds are a result, but the commands may be at fault. */
struct lauka_result_error {
    bool known; /* whether there was one */
    char *text; /* owned; NULL if there was no memory for it */
};

struct lauka_result {
    struct lauka_result_benchmark benchmark;
    struct lauka_result_metric *metrics; /* owned */
    size_t metric_count;
    struct lauka_result_command *commands; /* owned; commands[0] is the reference */
    size_t command_count;
    struct lauka_result_comparison *comparisons; /* owned; command-major, then metric */
    size_t comparison_count;
    struct lauka_result_run run;
    struct lauka_result_host host;
    struct lauka_result_provenance provenance;
    struct lauka_result_failure failure;
    struct lauka_result_error error;
    char **arguments; /* owned, NULL-terminated: the words after `lauka`; NULL: not known */
    char **reproduce; /* the same with the seed, without documents */
    struct lauka_result_option *options; /* owned */
    size_t option_count;
    struct lauka_result_gate gate;
    size_t best;     /* a command after the reference that beats all others; 0: none */
    char **warnings; /* owned strings: notes that belong to the result, e.g. why metrics miss */
    size_t warning_count;
    struct lauka_result_whys whys;       /* which functions made the difference */
    struct lauka_result_calls calls;     /* system calls, as strace or tracepoints counted them */
    struct lauka_result_sampled sampled; /* and findings from samples of further rounds */
    struct lauka_result_merged merged;   /* its jobs and hosts; most sessions have none */
};

/* Appends a copy of the text. Returns 0 or ENOMEM. */
int lauka_result_warn(struct lauka_result *result, const char *text);

/* The same with the arguments of printf(3). */
int lauka_result_note(struct lauka_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The index of the warning with this text; warning_count if there is none. */
size_t lauka_result_find_warning(const struct lauka_result *result, const char *text);

/* Whether there is one. */
bool lauka_result_has_warning(const struct lauka_result *result, const char *text);

/* Appends copies. value may be NULL. Returns 0 or ENOMEM. */
int lauka_result_add_option(struct lauka_result *result, const char *name, const char *value,
                            bool given);

/* Appends a metric with copies of the texts. Returns 0 or ENOMEM. */
int lauka_result_add_metric(struct lauka_result *result, const struct lauka_result_metric *about);

/* Appends the metrics of another result. Returns 0 or ENOMEM. */
int lauka_result_copy_metrics(const struct lauka_result *from, struct lauka_result *to);

/* Appends a command with a copy of the label, and an empty series per metric. NULL without memory. */
struct lauka_result_command *lauka_result_add_command(struct lauka_result *result,
                                                      const char *label);

/* Frees what the result owns; accepts a zeroed or partly filled one. */
void lauka_result_done(struct lauka_result *result);

/* The same for its commands from this one on, partly filled or not; the commands before it remain.
 * The metrics must still exist. */
void lauka_result_drop_commands(struct lauka_result *result, size_t from);

/* The comparison of `command` in `metric`, or NULL. */
const struct lauka_comparison *lauka_result_comparison(const struct lauka_result *result,
                                                       size_t command, size_t metric);

/* Whether the metric is shown to people: it is not a detail. */
bool lauka_result_is_shown(const struct lauka_result *result, size_t metric);
size_t lauka_result_shown_count(const struct lauka_result *result);

/* The number of primary metrics; counted: without metrics that could not be counted. */
size_t lauka_result_primaries(const struct lauka_result *result, bool counted);

/* Whether an array with this many values is stored packed, as by lauka_pack_print. */
bool lauka_result_is_packed(const struct lauka_result *result, uint64_t count);

/* The metric's index by name, or metric_count. */
size_t lauka_result_metric_index(const struct lauka_result *result, const char *name);

/* In bytes: nothing is known about values up to this one in the metric, which must be peak_rss. 0
 * if there is no floor. */
uint64_t lauka_result_floor(const struct lauka_result *result, size_t metric);

/* What writers show of one metric of one command; decided here, so that all writers agree. */
struct lauka_result_view {
    const struct lauka_summary *summary; /* borrowed */
    bool counted;                        /* false: show only a dash */
    bool estimated;      /* counted for a part of its time and scaled: marked with ~ */
    bool outliers_known; /* false if single values are not kept */
    uint64_t floor;      /* upper bound of values that are not above it; 0: none */
    bool at_floor;       /* the mean is one of these: shown as at most `floor`, never compared */
    bool at_least;       /* values are lower bounds: shown with ≥, never compared */
    const struct lauka_comparison *comparison; /* borrowed; NULL for the reference */
};

/* The result must have been analysed. */
struct lauka_result_view lauka_result_view(const struct lauka_result *result, size_t command,
                                           size_t metric);

/* The summary for machines; NULL if the metric was not counted (or is metric_count). */
const struct lauka_summary *lauka_result_summary(const struct lauka_result *result, size_t command,
                                                 size_t metric);

/* The one scale in which all commands' values of a metric are shown. The result must have been
 * analysed. */
struct lauka_scale lauka_result_scale(const struct lauka_result *result, size_t metric, bool utf8);

/* The same; but a scale for this value alone if it would look like zero beside a much larger one,
 * or is small itself. */
struct lauka_scale lauka_result_scale_of(const struct lauka_result *result, size_t metric,
                                         double value, bool utf8);

/* The deviation that sets the digits of a command's values, in their unit; 0 if there is none. The
 * result must have been analysed. */
double lauka_result_deviation(const struct lauka_result *result, size_t command, size_t metric);

/* Whether some value is marked as an estimate; and the note that explains the mark. */
bool lauka_result_has_estimates(const struct lauka_result *result);
#define LAUKA_ESTIMATES_NOTE                                                                       \
    "~ marks an estimate: the event shared its counter, was counted for the part of the time "     \
    "that "                                                                                        \
    "stands beside it, and was scaled up."

/* Where `better` is "lower" or "higher": 1 if a rise, or else a fall, is for the better, -1 if for the worse. Otherwise 0. */
int lauka_direction_goodness(const char *better, bool rises);

/* 10^decimals of the metric: dividing its values by this gives its unit. */
double lauka_result_unit(const struct lauka_result_metric *metric);

/* The field's word in JSON: "rounds", "time", "failure", "interrupted", "error". */
const char *lauka_stopped_name(enum lauka_stopped stopped);

/* And back: LAUKA_STOPPED_ERROR for an unknown word, because it may be bad. */
enum lauka_stopped lauka_stopped_named(const char *name);

/* The number of the command's values per metric: run.rounds, unless unpaired. */
uint64_t lauka_result_rounds(const struct lauka_result *result, size_t command);

/* The main metric: wall_time if it is primary, otherwise the first primary one. */
size_t lauka_result_main_metric(const struct lauka_result *result);

/* A share: smaller differences do not matter. The default, unless --until sets another. */
#define LAUKA_PRECISION_DEFAULT 0.01
double lauka_result_precision(const struct lauka_result *result);

/* The alpha shared by the comparisons of a family: the one the session ended with, or LAUKA_ALPHA_FIXED. */
double lauka_result_alpha(const struct lauka_result *result);

/* The confidence shown to people: 0.95 for every ending, because the wider intervals of
 * LAUKA_ALPHA_LOOK pay for the looks. */
double lauka_result_confidence(const struct lauka_result *result);

/* Which command ran first in each round, if known and if commands took turns. Otherwise
 * turns->first is NULL; it is also NULL if several commands show no cost of being first. Points
 * into the result. Returns 0 or ENOMEM. */
int lauka_result_turns(const struct lauka_result *result, size_t reference, size_t command,
                       size_t metric, struct lauka_turns *turns);

/* The units shared by its rounds; NULL if each round is one. Points to *units, which points into
 * the result. */
struct lauka_units;
const struct lauka_units *lauka_result_units(const struct lauka_result *result,
                                             struct lauka_units *units);

uint64_t lauka_result_unit_count(const struct lauka_result *result);

/* "round", "process", "layout", "host", as in JSON; and of several. Static. */
const char *lauka_unit_name(enum lauka_unit unit);
const char *lauka_units_name(enum lauka_unit unit);

/* "none", "sessions", "logs", as in JSON. Static. */
const char *lauka_apart_name(enum lauka_apart apart);

/* One observation as in JSON: "round", "process", "layout", "host"; for stored data "value",
 * "session", "log". Static. */
const char *lauka_result_observation(const struct lauka_result *result);

/* What equal values of the metric mean: numbers from files are rounded, times accounted by the kernel
 * come in ticks, and the rest are counts, even wall time, because its clock counts nanoseconds. */
enum lauka_grain lauka_result_grain(const struct lauka_result_metric *metric);

/* The metric's weight in its family, whose alpha is shared by weight; 1 on average. If wall time
 * and CPU time decide, they have four fifths and one fifth. */
double lauka_result_weight(const struct lauka_result *result, size_t metric);

/* ---- powers.c: in units of which power of ten values are kept -------------------------------- */

/* Values below this have a place in every histogram that HdrHistogram reads. */
#define LAUKA_VALUE_END 0x1p63

/* Decimals for values of any size whose smallest above 0 and greatest are known: `usual`, or as many more or
 * fewer as keep nine digits of the smallest and leave room above the greatest. May be negative. */
int lauka_decimals_choose(double smallest, double greatest, int usual);

/* Whether such a value is less than a unit, though not 0, or too large. */
enum lauka_fit { LAUKA_FIT_GOOD, LAUKA_FIT_TOO_SMALL, LAUKA_FIT_TOO_LARGE };
enum lauka_fit lauka_decimals_fit(double value, int decimals);

/* The nearest value, if it fits. */
uint64_t lauka_decimals_value(double value, int decimals);

/* ---- gate_values.c: the limits of a gate as plain data --------------------------------------- */

bool lauka_result_has_gate(const struct lauka_result *result);

/* Copies all stored members; *to owns nothing before. Returns 0, or ENOMEM with a part copied. */
int lauka_gate_copy(const struct lauka_result_gate *from, struct lauka_result_gate *to);

/* Frees what the gate owns. */
void lauka_gate_done(struct lauka_result_gate *gate);

/* The name in JSON: "typical", "mean", "p99.9". Returns text. */
char *lauka_statistic_name(enum lauka_statistic statistic, uint32_t rank, char *text, size_t size);

/* The reverse; also accepts "median" for p50. False for anything else, including "min" and "max". */
bool lauka_statistic_parse(const char *text, size_t length, enum lauka_statistic *statistic,
                           uint32_t *rank);

/* Why a judgement is inconclusive, as in JSON: "limit within interval"; NULL if it is not. */
const char *lauka_undecided_name(enum lauka_undecided undecided);

/* ---- partial.c: counts that are partial, as what a command did is in them in part only ------- */

/* Whether the metric includes some of the command's work only by chance, or not at all: its values
 * are lower bounds, or events count it, or the system contradicts the count. */
bool lauka_result_is_partial(const struct lauka_result *result, size_t command, size_t metric);

/* Records that the command's values in the metric are lower bounds. Returns 0 or ENOMEM. */
int lauka_result_set_at_least(struct lauka_result *result, size_t command, size_t metric);
bool lauka_result_is_at_least(const struct lauka_result *result, size_t command, size_t metric);

/* Why two commands are not compared if one is partial: "only a part of what was ...". Static. */
const char *lauka_partial_reason(const struct lauka_result *result, size_t reference,
                                 size_t command);
/* The first value of the option, or NULL; borrowed. */
const char *lauka_result_option(const struct lauka_result *result, const char *name);
bool lauka_result_is_drawn(const struct lauka_result *result);
/* Raises doubts about such counts; withdraws verdicts on them, and on rounds whose order was not drawn. */
void lauka_partial_doubt(struct lauka_result *result);
void lauka_partial_withhold(struct lauka_result *result);

/* ---- names.c: metrics as people call them, commands where there is little room ---------------- */

/* The index of the metric meant by these characters, or metric_count: '-' may replace '_', and "_time",
 * "peak_" or the ":u" of user mode may be missing. A whole name has precedence over a part of one. */
size_t lauka_result_find_metric(const struct lauka_result *result, const char *name, size_t length);

/* Whether two names that were typed mean one metric, with the same freedom on both sides. It can be asked before
 * it is known which metrics there are. */
bool lauka_metric_names_agree(const char *a, const char *b);

/* Appends to commands with the same label the parameters in which they differ: "x (threads=4)".
 * Returns 0 or ENOMEM. */
int lauka_result_tell_apart(struct lauka_result *result);

/* Numbers commands with the same label; lauka_result_analyse does so first. Returns 0 or ENOMEM. */
int lauka_result_number_names(struct lauka_result *result);

/* What people read for each command: "threads=4" if all are one command with different values of its parameters, otherwise
 * by lauka_short_names, including `lettered` and how they are freed. Labels that fit into `width` columns remain. */
char **lauka_result_short_names(const struct lauka_result *result, int width, bool utf8,
                                bool *lettered);

/* The texts, escaped and of at most `width` columns, with '_' for each of these characters, and
 * with numbers if they would be equal. Without utf8, characters outside ASCII are escaped. Free
 * them with lauka_strings_free; NULL without memory. */
char **lauka_unique_texts(char *const *texts, size_t count, int width, const char *replaced,
                          bool utf8);

/* The command's name in all benchmarks; its label if the benchmark has no name. */
const char *lauka_result_side(const struct lauka_result *result, size_t command);

/* ---- quantiles.c: of values while they are kept, otherwise of their histogram ---------------- */

struct lauka_result_quantiles {
    uint64_t count;   /* number of values; 0: none */
    bool from_values; /* exact; otherwise bucket middles, except the least and the greatest */
    double error;     /* half a bucket of the histogram, relative to the value; 0 if exact */
    uint64_t values[LAUKA_SUMMARY_RANKS]; /* nearest ranks, of lauka_summary_ranks */
};

/* Returns 0 or ENOMEM. */
int lauka_result_quantiles(const struct lauka_result *result, size_t command, size_t metric,
                           struct lauka_result_quantiles *quantiles);

/* Whether values exist below and above the rank's, or the rank is 0 or 100 %: other ranks only
 * repeat the least or the greatest value. */
bool lauka_rank_has_values(uint32_t rank, uint64_t count);

/* "99.9" of the rank 99.9 %. Returns text. */
char *lauka_format_rank(uint32_t rank, char *text, size_t size);

/* Collects all values in *histogram, borrowed from the result or from *own, which the caller frees.
 * Returns 0 or ENOMEM. */
int lauka_result_collect(const struct lauka_result *result, size_t command, size_t metric,
                         struct lauka_histogram *own, struct lauka_histogram *histogram);

/* All values as lauka_hdr_text_encode writes a histogram of three digits. The caller owns *text.
 * Returns 0, ENOMEM or EOVERFLOW. */
int lauka_result_histogram(const struct lauka_result *result, size_t command, size_t metric,
                           char **text);

/* ---- streams.c: what is kept where single values are not ------------------------------------- */

/* The moments of the command's values in the metric, whether single ones were kept or not. */
struct lauka_moments lauka_result_moments(const struct lauka_result_command *command,
                                          size_t metric);

/* Makes empty streams for each metric. Their memory grows with the used buckets, usually to some
 * kilobytes. The caller frees them with lauka_streams_free; NULL without memory. */
struct lauka_result_stream *lauka_streams_make(size_t metric_count, bool paired);

/* The counter of a value, and of its pair. */
struct lauka_stream_place {
    uint64_t *bucket, *bin; /* borrowed; NULL: none */
};

/* Allocates counters for a value, and for its pair with the reference's in the round; either may be
 * LAUKA_MISSING. Returns 0 or ENOMEM. */
int lauka_stream_reach(struct lauka_result_stream *stream, uint64_t reference, uint64_t value,
                       struct lauka_stream_place *place);

/* Adds it to these counters; never allocates. */
void lauka_stream_add(struct lauka_result_stream *stream, uint64_t reference, uint64_t value,
                      const struct lauka_stream_place *place);

void lauka_stream_unpair(struct lauka_result_stream *stream);

void lauka_streams_free(struct lauka_result_stream *streams, size_t metric_count);

#endif
