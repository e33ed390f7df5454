/* report: from what was measured to what people read. Uses stats; given a result, it never measures.
 * Writers take one `struct lauka_result`, so that a number never differs between two of them, and
 * return 0 or an errno of the output. */
#ifndef LAUKA_REPORT_H
#define LAUKA_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "stats/stats.h"

/* ---- result.c: all that was measured, as one plain value ---------------------------------------- */

struct lauka_result_metric {
    char *name;         /* owned: "wall_time", "instructions:u" */
    char *unit;         /* owned: "ns", "B" or "1" */
    char *source;       /* owned: "clock", "rusage", "perf_event", "simulated" */
    const char *better; /* static: "lower", "higher" or "neither" */
    bool counted;       /* false: this machine could not count it; shown as a dash, never as 0 */
    double share;       /* smallest share of its time in which it was counted; 1 where exact */
};

struct lauka_result_command {
    char *label;  /* owned: what the user typed, or the shell-quoted argv */
    char **argv;  /* owned, NULL-terminated */
    struct lauka_series *series;     /* owned, metric_count; all have `rounds` values */
    struct lauka_summary *summaries; /* owned, metric_count */
    int16_t *exit_codes;             /* owned, one per round; 128 + number for a signal */
};

/* One command against the reference, in one metric. */
struct lauka_result_comparison {
    size_t reference; /* index of a command */
    size_t command;
    size_t metric;
    struct lauka_comparison values;
};

enum lauka_stopped { /* why no further round was run */
    LAUKA_STOPPED_ROUNDS,      /* the requested number was reached */
    LAUKA_STOPPED_TIME,        /* the time budget was used up */
    LAUKA_STOPPED_FAILURE,     /* a command failed */
    LAUKA_STOPPED_INTERRUPTED, /* a signal asked for the end */
};

struct lauka_result_run {
    uint64_t seed;
    uint64_t rounds; /* finished, measured ones */
    uint64_t warmup; /* rounds discarded before them */
    enum lauka_stopped stopped;
    uint32_t *order; /* owned, rounds * command_count: command indices in the order they ran */
    double seconds;  /* wall time of the whole session, warm-up included */
    uint64_t rss_floor; /* B: peak_rss of any child is at least this (the launcher's own); 0: none */
};

struct lauka_result_host {
    char *os;        /* owned: "Linux" */
    char *kernel;    /* owned: "6.1.0-28-amd64" */
    char *arch;      /* owned: "x86_64" */
    char *cpu_model; /* owned; NULL where the system does not tell */
    uint64_t cpu_count;    /* that this process may use */
    uint64_t memory_bytes; /* 0 where the system does not tell */
};

struct lauka_result {
    struct lauka_result_metric *metrics; /* owned */
    size_t metric_count;
    struct lauka_result_command *commands; /* owned; commands[0] is the reference */
    size_t command_count;
    struct lauka_result_comparison *comparisons; /* owned; command-major, then metric */
    size_t comparison_count;
    struct lauka_result_run run;
    struct lauka_result_host host;
    char **warnings; /* owned strings; notes that belong to the result, e.g. why a metric is missing */
    size_t warning_count;
};

/* Fills summaries and comparisons from the series. Returns 0 or ENOMEM. May be called again after
 * more rounds. */
int lauka_result_analyse(struct lauka_result *result);

/* Appends a copy of the text. Returns 0 or ENOMEM. */
int lauka_result_warn(struct lauka_result *result, const char *text);

/* Frees what the result owns; copes with a zeroed or partly filled one. */
void lauka_result_done(struct lauka_result *result);

/* The comparison of `command` in `metric`, or NULL. */
const struct lauka_comparison *lauka_result_comparison(const struct lauka_result *result,
                                                       size_t command, size_t metric);

/* The metric's index by name, or metric_count. */
size_t lauka_result_metric_index(const struct lauka_result *result, const char *name);

/* The field's word, as it stands in JSON: "rounds", "time", "failure", "interrupted". */
const char *lauka_stopped_name(enum lauka_stopped stopped);

/* One plain sentence about `command` (not the reference) against the reference, without newline. */
void lauka_result_sentence(const struct lauka_result *result, size_t command, bool utf8,
                           char *text, size_t size);

/* ---- units.c: numbers with units, written and read ----------------------------------------------- */

/* One scale for a whole row, so that its numbers compare at a glance. */
struct lauka_scale {
    double divisor;
    const char *suffix; /* static: "ms", "MiB", "K", "" */
};

/* The scale that suits the largest magnitude of a row. unit: "ns", "B" or "1". */
struct lauka_scale lauka_scale_for(double largest, const char *unit, bool utf8);

/* Four significant digits, never an exponent: "12.34", "0.012", "1234". Returns text. */
char *lauka_format_scaled(double value, struct lauka_scale scale, char *text, size_t size);

/* "+2.34 %", "-0.50 %", "+1234 %": always signed, from a ratio; 1 is "+0.00 %". Returns text. */
char *lauka_format_change(double ratio, bool utf8, char *text, size_t size);

/* "1.5", "30s", "250ms", "2m", "1h", "100us", "5ns": bare numbers are seconds. False, and *ns
 * untouched, for anything else, negative or beyond 2^63 ns. */
bool lauka_parse_duration(const char *text, uint64_t *ns);

/* ---- terminal.c: what the output can show -------------------------------------------------------- */

struct lauka_terminal {
    int width; /* columns; at least 20 */
    bool color;
    bool utf8;
};

enum lauka_color_choice { LAUKA_COLOR_AUTO, LAUKA_COLOR_ALWAYS, LAUKA_COLOR_NEVER };

/* --color, then NO_COLOR, CLICOLOR_FORCE / FORCE_COLOR, CLICOLOR=0, TERM=dumb, isatty, in that order.
 * Width: COLUMNS, the terminal's own, 80. utf8 from LC_ALL, LC_CTYPE, LANG. */
struct lauka_terminal lauka_terminal_detect(int fd, enum lauka_color_choice choice);

/* Columns that the text takes when shown (UTF-8 aware; escape sequences of our own take none). */
int lauka_display_width(const char *text);

/* Writes text with control characters and invalid UTF-8 made visible, so that nothing a command is
 * called or says can drive the terminal. Without utf8, what is not ASCII is escaped too. */
void lauka_print_safely(const char *text, bool utf8, FILE *out);

/* ---- writers -------------------------------------------------------------------------------------- */

int lauka_write_table(const struct lauka_result *result, struct lauka_terminal terminal, FILE *out);
int lauka_write_markdown(const struct lauka_result *result, FILE *out);
int lauka_write_csv(const struct lauka_result *result, FILE *out);
int lauka_write_json(const struct lauka_result *result, FILE *out);

#endif
