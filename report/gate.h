/* gate: the limits that a result is held to, and what it comes to. Part of report.h. */
#ifndef LAUKA_REPORT_GATE_H
#define LAUKA_REPORT_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "stats/stats.h"

struct lauka_result;
struct lauka_scale;
struct lauka_terminal;

struct lauka_gate_rule { /* "wall_time.p99=5%,+50us" */
    char *benchmark;     /* owned; label of the command that it is about, and of which it replaces
                          * rules about all for the same; NULL: of all */
    char *metric;        /* owned; as it was typed */
    enum lauka_statistic statistic;
    uint32_t rank;                  /* of LAUKA_STATISTIC_QUANTILE */
    struct lauka_optional share;    /* as in struct lauka_limit */
    struct lauka_optional absolute; /* in ns, B or 1 */
    const char *unit; /* static: which of them was typed; NULL: it is the metric's own */
    char *where;      /* owned; "FILE:3", the line of its section; NULL: it is in none */
};

struct lauka_gate_allowance { /* somebody knows about it, and says until when it is all right */
    char *benchmark;          /* owned; label of the command; "*": of any */
    char *metric;             /* owned; with or without a statistic */
    char *until;              /* owned; "2026-12-31" */
    char *reason;             /* owned */
    char *where;              /* owned; "FILE:3"; NULL: it is of a stored result */
    bool expired;
    bool used; /* excuses a failure; or would, had it not expired. Set by lauka_gate_judge_result */
};

struct lauka_gate_row {                      /* one rule about one command */
    size_t rule, reference, command, metric; /* indices */
    struct lauka_judgement judgement;
    const struct lauka_gate_allowance
        *allowance;                             /* borrowed: excuses the failure; NULL: none does */
    const struct lauka_gate_allowance *expired; /* borrowed: would have excused it */
    struct lauka_optional raised; /* by this share the values were raised: a made-up regression */
    bool reference_hidden, hidden; /* the command's values lie below what can be seen: the verdict
                                    * holds whatever they are, and there is no change to tell */
};

enum lauka_gate_policy { /* what inconclusive counts for */
                         LAUKA_POLICY_WARN,
                         LAUKA_POLICY_FAIL,
                         LAUKA_POLICY_PASS,
};

struct lauka_result_gate {
    struct lauka_gate_rule *rules; /* owned; none: there is no gate */
    size_t rule_count;
    struct lauka_gate_allowance *allowances; /* owned */
    size_t allowance_count;
    enum lauka_gate_policy policy;
    size_t halves; /* commands so many places apart belong together: the same in two results; 0: all
                    * are held against the first */
    char *hosts; /* owned; in what the hosts differ that the results come from; NULL: in nothing */
    bool cross_host; /* judge nevertheless */
    double
        injected; /* ns by which each run of the last command was slowed down on purpose; 0: it is
                      * what it is. A gate that is tried out: it has to fail that command, and to pass
                      * the others */
    bool tried;   /* it is tried out */
    /* What it comes to. */
    struct lauka_gate_row *rows; /* owned; command-major */
    size_t row_count;
    enum lauka_gate verdict; /* of all: failed, or nothing did but something is inconclusive */
};

/* ---- gate.c ---------------------------------------------------------------------------------- */

bool lauka_result_has_gate(const struct lauka_result *result);

/* A copy of rules, allowances and what else was asked for; *to must be empty. 0 or ENOMEM. */
int lauka_gate_copy(const struct lauka_result_gate *from, struct lauka_result_gate *to);

/* Frees what the gate owns. */
void lauka_gate_done(struct lauka_result_gate *gate);

/* The metric that a rule or an allowance names: '-' for '_' will do, and "_time", "peak_" or the mark
 * of user mode may be missing; metric_count: there is none. */
size_t lauka_gate_find_metric(const struct lauka_result *result, const char *name, size_t length);

/* Whether the command is meant by the name: its label, or what of it the file's name stands before. */
bool lauka_gate_is_named(const struct lauka_result *result, size_t command, const char *name);

/* The metric that the allowance names: "wall_time" is about all statistics of it, "wall_time.p99"
 * about one, which is put into *about together with a metric, which is borrowed; otherwise that is
 * NULL. metric_count: there is none. */
size_t lauka_gate_allowed_metric(const struct lauka_result *result,
                                 const struct lauka_gate_allowance *allowance,
                                 struct lauka_gate_rule *about);

/* Mean of the command's values; not known where there are none. */
struct lauka_optional lauka_gate_mean(const struct lauka_result *result, size_t command,
                                      size_t metric);

/* 1 - confidence of the gate's intervals: looking costs, as it does elsewhere. */
double lauka_gate_alpha(const struct lauka_result *result);

/* What a rule asks of the metric's values. */
struct lauka_limit lauka_gate_limit(const struct lauka_result *result,
                                    const struct lauka_gate_rule *rule, size_t metric);

/* Whether the metric is the same on every host by its nature. */
bool lauka_metric_is_exact(const struct lauka_result *result, size_t metric);

/* Fills rows and verdict, with this alpha. Needs values, but no analysis. Returns 0 or ENOMEM. */
int lauka_gate_judge_result(struct lauka_result *result, double alpha);

/* Whether no further round would tell more: every limit is known to be held or exceeded, or cannot
 * be told at all. */
bool lauka_gate_is_decided(const struct lauka_result *result);

/* Whether something was not judged because the hosts differ. */
bool lauka_gate_refuses_hosts(const struct lauka_result *result);

/* Whether CPU time spent on purpose makes the metric worse. */
bool lauka_gate_slows(const struct lauka_result *result, size_t metric);

/* Which verdict the row has to get: to pass, unless the gate is tried out on it. */
enum lauka_gate lauka_gate_expected(const struct lauka_result *result,
                                    const struct lauka_gate_row *row);
bool lauka_gate_is_as_expected(const struct lauka_result *result, const struct lauka_gate_row *row);

/* What the interval of a limit that is held says beside that: the one that is printed, and no other. */
enum lauka_gate_shift {
    LAUKA_SHIFT_NONE, /* no change, none that matters, or none that is told */
    LAUKA_SHIFT_BETTER,
    LAUKA_SHIFT_WORSE, /* but within the limit */
    LAUKA_SHIFT_OTHER, /* nobody can say whether it is good */
};

enum lauka_gate_shift lauka_gate_shift_of(const struct lauka_result *result,
                                          const struct lauka_gate_row *row);

/* ---- gate_text.c: a gate in words ------------------------------------------------------------ */

/* As in JSON: "typical", "mean", "p99.9". Returns text. */
char *lauka_statistic_name(enum lauka_statistic statistic, uint32_t rank, char *text, size_t size);

/* The same read, and "median" for p50. False for anything else, "min" and "max" too. */
bool lauka_statistic_parse(const char *text, size_t length, enum lauka_statistic *statistic,
                           uint32_t *rank);

/* "warn", "fail", "pass"; static. */
const char *lauka_policy_name(enum lauka_gate_policy policy);

/* Why a judgement is inconclusive, as in JSON: "limit within interval"; NULL where it is not. */
const char *lauka_undecided_name(enum lauka_undecided undecided);

enum lauka_gate_cell {
    LAUKA_GATE_CELL_VERDICT, /* "FAIL", "pass", "inconclusive", "allowed" */
    LAUKA_GATE_CELL_METRIC,  /* "wall_time p99" */
    LAUKA_GATE_CELL_COMMAND, /* the label, safe, in few columns */
    LAUKA_GATE_CELL_CHANGE,  /* "+5.1 % [+4.2, +6.0]" */
    LAUKA_GATE_CELL_LIMIT,   /* "limit 2 %, 50 µs" */
    LAUKA_GATE_CELL_REMARK,  /* why it is inconclusive, and what to do; who allows it */
    LAUKA_GATE_CELLS
};

#define LAUKA_GATE_CELL_SIZE 512

struct lauka_gate_cells {
    char text[LAUKA_GATE_CELLS][LAUKA_GATE_CELL_SIZE];
};

void lauka_gate_row_cells(const struct lauka_result *result, const struct lauka_gate_row *row,
                          bool utf8, struct lauka_gate_cells *cells);

/* "gate: FAIL: 1 of 3 limits is exceeded", without newline, and which of its words the verdict is. */
void lauka_gate_headline(const struct lauka_result *result, bool utf8, char *text, size_t size);

/* The word for the verdict: "pass", "FAIL", "inconclusive"; static. */
const char *lauka_gate_word(const struct lauka_result *result);

/* The word of which a row has the mark and the colour: its own; where the gate is tried out, "pass" for
 * the verdict that had to come, and "FAIL" for the other. Static. */
const char *lauka_gate_row_sign(const struct lauka_result *result,
                                const struct lauka_gate_row *row);

/* What is to be known beside the rows, one sentence after the other: hosts, allowances, what the gate
 * can see where it is tried out. Start with a zeroed `place`. False at the end. */
bool lauka_gate_next_note(const struct lauka_result *result, bool utf8, size_t *place, char *text,
                          size_t size);

/* ---- writers --------------------------------------------------------------------------------- */

/* gate_table.c; a headline and a line a row. Does not flush. Returns 0 or ENOMEM. */
int lauka_write_gate(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out);

/* junit.c: a test case a row. JUnit's XML, as CI systems show it: inconclusive is skipped, unless the
 * policy makes it a failure, a command that failed is an error, a regression a failure. */
int lauka_write_junit(const struct lauka_result *result, FILE *out);

#endif
