/* report: from what was measured to what people read. Uses stats; given a result, it never
 * measures. Writers take one `struct lauka_result`, so that a number never differs between two of
 * them, and return 0 or an errno of the output. */
#ifndef LAUKA_REPORT_H
#define LAUKA_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/gate.h"
#include "stats/stats.h"

/* ---- result.c: all that was measured, as one plain value ------------------------------------- */

struct lauka_result_metric {
    char *name;         /* owned: "wall_time", "instructions:u" */
    char *unit;         /* owned: "ns", "B" or "1" */
    char *source;       /* owned: "clock", "rusage", "perf_event", "simulated" */
    const char *better; /* static: "lower", "higher" or "neither" */
    bool counted;       /* false: this machine could not count it; shown as a dash, never as 0 */
    double share;       /* smallest share of its time in which it was counted; 1 where exact */
    unsigned decimals;  /* values are in units of 10^-decimals of `unit`; 0: not stored data */
    bool primary;       /* the answer is about it; the others are explored */
    bool repeatable;    /* measured outside of the rounds, twice, and always the same: it is exact
                         * from the first value on */
    bool detail;        /* in the JSON only, unless it is primary */
    unsigned shown_in;  /* a scale that people asked for: see lauka_scale_named; 0: what suits */
    double least_mean;  /* of all commands' means (or floors) above 0, in the unit of the values: set */
    double greatest_mean; /* by lauka_result_analyse for lauka_result_scale; 0: there is none */
};

/* What is kept of a metric of a command where single values are not. */
struct lauka_result_stream {
    struct lauka_moments moments;
    struct lauka_histogram histogram;
    uint64_t missing;                /* rounds in which it was not measured */
    struct lauka_paired_log *paired; /* owned; against the reference; NULL for the reference */
};

struct lauka_parameter_value { /* what {NAME} stood for in a command */
    char *name, *value; /* owned */
};

struct lauka_result_command {
    char *label;                         /* owned: what the user typed, or the shell-quoted argv */
    char **argv;                         /* owned, NULL-terminated */
    char *path;                          /* owned: the file that was executed; NULL: not known */
    struct lauka_parameter_value *parameters; /* owned: what its text was made with */
    size_t parameter_count;
    struct lauka_series *series;         /* owned, metric_count; all have `rounds` values */
    struct lauka_summary *summaries;     /* owned, metric_count */
    int16_t *exit_codes;                 /* owned, one per round; 128 + number for a signal */
    uint64_t failures;                   /* rounds that failed: did not exit as was expected */
    uint64_t left_behind, contradicted; /* runs, warm-up too: processes, a part counted; or by the system */
    bool unwatched;       /* it has a program executed whose events the kernel takes away */
    struct lauka_result_stream *streams; /* owned, metric_count; NULL where samples are kept */
    struct lauka_doubts *doubts;         /* owned, metric_count: what speaks against the numbers */
    size_t name_number;                  /* among those that are shown alike; 0: there is no other */
    bool *at_least; /* owned, metric_count: its values leave something out; NULL: none does */
};

/* One command against the reference, in one metric. */
struct lauka_result_comparison {
    size_t reference; /* index of a command */
    size_t command;
    size_t metric;
    size_t restated; /* the metric whose comparison this is in other words (a time per item), so that
                      * its verdict is that one's; none: as many as there are metrics */
    struct lauka_comparison values;
    struct lauka_doubts doubts; /* those of a comparison */
};

/* How the session ended. */
enum lauka_stopped {
    LAUKA_STOPPED_ROUNDS,      /* the requested number was reached */
    LAUKA_STOPPED_TIME,        /* the time budget was used up */
    LAUKA_STOPPED_PRECISION,   /* every primary interval is as narrow as asked for */
    LAUKA_STOPPED_EFFECT,      /* the differences are clear */
    LAUKA_STOPPED_EXACT,       /* the primary metrics are constant */
    LAUKA_STOPPED_GATE,        /* every limit is known to be exceeded or not */
    LAUKA_STOPPED_FAILURE,     /* a command failed */
    LAUKA_STOPPED_INTERRUPTED, /* a signal asked for the end */
    LAUKA_STOPPED_ERROR,       /* lauka itself could not go on; see struct lauka_result_error */
    LAUKA_STOPPED_STORED,      /* nothing was run: the values were read from files */
};

enum { LAUKA_BATCHES_MAX = 128 };

struct lauka_batch { /* rounds of a second or more, one after the other */
    uint64_t rounds;
    double seconds;
    struct lauka_optional pressure, steal; /* as those of the whole run */
};

struct lauka_result_run {
    uint64_t seed;
    uint64_t rounds; /* finished, measured ones */
    uint64_t warmup; /* rounds discarded before them */
    enum lauka_stopped stopped;
    uint32_t *order;    /* owned, rounds * command_count: command indices in the order they ran;
                          * NULL where not kept */
    uint16_t *layout;   /* owned, one per round: by how many characters the environment of its runs was
                         * longer; NULL where not kept */
    uint64_t dropped;   /* measured rounds that count for nothing, as a run failed in them */
    double seconds;     /* wall time of the whole session, warm-up included */
    double measured;    /* of it, seconds spent on the measured rounds */
    struct lauka_optional pressure; /* share of the measured time in which a task waited for a CPU */
    struct lauka_optional steal;    /* share of the CPUs' time that the hypervisor gave to others */
    size_t batch_count; /* in the order in which they ran; 0: not kept */
    struct lauka_batch batches[LAUKA_BATCHES_MAX];
    uint64_t rss_floor; /* B: no child's peak_rss can be less (it is the launcher's); 0: none */
    double alpha;       /* every interval is made with 1 - alpha; LAUKA_ALPHA_... of stopping.c */
    double precision;   /* a share: differences up to it do not matter (--until, or 1 %) */
    bool unpaired;      /* values are not paired by position (stored data only); then commands
                          * may differ in how many there are, and `rounds` is the most */
    bool noise;         /* the commands are one and the same: lauka noise */
    bool samples_left_out; /* --no-samples, or more rounds than are kept: see `streams` */
};

struct lauka_result_host {
    char *os;              /* owned: "Linux" */
    char *kernel;          /* owned: "6.1.0-28-amd64" */
    char *arch;            /* owned: "x86_64" */
    char *cpu_model;       /* owned; NULL where the system does not tell */
    char *cores;           /* owned; the kinds of core and their CPUs: "P 2-3; E 0-1"; NULL: one */
    uint64_t cpu_count;    /* that this process may use */
    uint64_t memory_bytes; /* 0 where the system does not tell */
    char *governor;        /* owned: "performance"; NULL where the system does not tell */
};

/* A setting of the session. */
struct lauka_result_option {
    char *name;  /* owned: as the command line has it, "max-time" */
    char *value; /* owned: "5s"; NULL where the option has none */
    bool given;  /* on the command line; otherwise it is the default */
};

/* The run that ended the session, or the cleanup that failed after it. */
struct lauka_result_failure {
    bool known; /* whether there was one */
    size_t command;
    uint64_t round; /* from 0 */
    bool warmup;
    bool outside_rounds; /* before the first round or after the last one: `round` says nothing */
    char *reason;      /* owned: "failed with exit code 1" */
    char *stderr_tail; /* owned: what it wrote last, any bytes but NUL */
};

/* What kept lauka from going on. The finished rounds are a result; that nothing is wrong with the
 * commands is not known. */
struct lauka_result_error {
    bool known; /* whether there was one */
    char *text; /* owned; NULL where there was no memory for it */
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
    struct lauka_result_failure failure;
    struct lauka_result_error error;
    char **arguments; /* owned, NULL-terminated: the words after `lauka`; NULL: not known */
    char **reproduce; /* the same with the seed, and without documents */
    struct lauka_result_option *options; /* owned */
    size_t option_count;
    struct lauka_result_gate gate;
    size_t best; /* a further command that is better than all others; 0: none is */
    char **warnings; /* owned strings: notes that belong to the result, e.g. why metrics miss */
    size_t warning_count;
};

/* Appends a copy of the text. Returns 0 or ENOMEM. */
int lauka_result_warn(struct lauka_result *result, const char *text);

/* Appends copies. value may be NULL. Returns 0 or ENOMEM. */
int lauka_result_add_option(struct lauka_result *result, const char *name, const char *value,
                            bool given);

/* A copy of a NULL-terminated array of strings, NULL without memory; and freeing one. */
char **lauka_strings_copy(char *const *strings);
void lauka_strings_free(char **strings);

/* Appends copies. Returns 0 or ENOMEM. */
int lauka_parameters_add(struct lauka_parameter_value **parameters, size_t *count, const char *name,
                         const char *value);
void lauka_parameters_free(struct lauka_parameter_value *parameters, size_t count);

/* Frees what the result owns; copes with a zeroed or partly filled one. */
void lauka_result_done(struct lauka_result *result);

/* The comparison of `command` in `metric`, or NULL. */
const struct lauka_comparison *lauka_result_comparison(const struct lauka_result *result,
                                                       size_t command, size_t metric);

/* Whether people are shown the metric: it is more than a detail. */
bool lauka_result_is_shown(const struct lauka_result *result, size_t metric);
size_t lauka_result_shown_count(const struct lauka_result *result);

/* The metric's index by name, or metric_count. */
size_t lauka_result_metric_index(const struct lauka_result *result, const char *name);

/* In B: up to it nothing can be told of the metric, which then is peak_rss. 0: there is no such. */
uint64_t lauka_result_floor(const struct lauka_result *result, size_t metric);

/* What a writer shows of one metric of one command; decided here, so that all writers agree. */
struct lauka_result_view {
    const struct lauka_summary *summary; /* borrowed */
    bool counted;                        /* false: a dash, and nothing else */
    bool estimated;      /* counted for a part of its time and scaled: marked with ~ */
    bool outliers_known; /* false where single values are not kept */
    uint64_t floor;      /* a value up to this is only known to be at most this; 0: there is none */
    bool at_floor;       /* the mean is such a value: shown as at most `floor`, never compared */
    bool at_least;       /* values leave something out: shown with ≥, never compared */
    const struct lauka_comparison *comparison; /* borrowed; NULL for the reference */
};

/* The result must have been analysed. */
struct lauka_result_view lauka_result_view(const struct lauka_result *result, size_t command,
                                           size_t metric);

/* The summary for machines; NULL where the metric was not counted (or is metric_count). */
const struct lauka_summary *lauka_result_summary(const struct lauka_result *result, size_t command,
                                                 size_t metric);

/* The one scale in which all commands' values of a metric are shown. The result must have been
 * analysed. */
struct lauka_scale lauka_result_scale(const struct lauka_result *result, size_t metric, bool utf8);

/* The same; but where the value would look like zero beside one that is much larger, or is small by
 * itself, the scale that suits it alone. */
struct lauka_scale lauka_result_scale_of(const struct lauka_result *result, size_t metric,
                                         double value, bool utf8);

/* Whether some value is marked as an estimate, and the note that says what the mark means. */
bool lauka_result_has_estimates(const struct lauka_result *result);
#define LAUKA_ESTIMATES_NOTE                                                                       \
    "~ marks an estimate: the event shared its counter, was counted for the part of the time that " \
    "stands beside it, and was scaled up."

/* "user_time and system_time come in steps here; they are compared by their means.": what is shown and
 * was compared so. Empty where nothing was. Returns text. */
char *lauka_result_steps_note(const struct lauka_result *result, char *text, size_t size);

/* 10^decimals of the metric: what its values are to be divided by to be in its unit. */
double lauka_result_unit(const struct lauka_result_metric *metric);

/* 16 digits that are equal for hosts whose times may be compared: system, kernel, processor, CPUs,
 * memory and governor. False where the host is not known. */
enum { LAUKA_FINGERPRINT_SIZE = 17 };
bool lauka_host_fingerprint(const struct lauka_result_host *host,
                            char text[LAUKA_FINGERPRINT_SIZE]);

/* The error that ended the session, in its own words; NULL: none did. */
const char *lauka_result_error_text(const struct lauka_result *result);

/* That, or how the command failed that ended it; NULL: it ended well. */
const char *lauka_result_bad_end(const struct lauka_result *result);

/* The field's word, as it stands in JSON: "rounds", "time", "failure", "interrupted", "error". */
const char *lauka_stopped_name(enum lauka_stopped stopped);

/* How many values the command has in each metric: run.rounds, unless unpaired. */
uint64_t lauka_result_rounds(const struct lauka_result *result, size_t command);

/* The metric to speak about: wall_time, where it is primary; otherwise the first primary one. */
size_t lauka_result_main_metric(const struct lauka_result *result);

/* A share: differences up to it do not matter. */
double lauka_result_precision(const struct lauka_result *result);

/* What is shared by the comparisons of a family: what the session ended with, or LAUKA_ALPHA_FIXED. */
double lauka_result_alpha(const struct lauka_result *result);

/* What people are told: 0.95 for every way to end a session, as looks are paid for by the wider
 * intervals of LAUKA_ALPHA_LOOK. */
double lauka_result_confidence(const struct lauka_result *result);

/* ---- analysis.c ------------------------------------------------------------------------------ */

/* Fills summaries, comparisons and doubts from the series, or from the streams where samples are
 * left out, with run.alpha and run.precision; judges the primary metrics of all commands as one
 * family and the others as another. Returns 0 or ENOMEM. May be called again after more rounds. */
int lauka_result_analyse(struct lauka_result *result);

/* ---- sort.c ---------------------------------------------------------------------------------- */

/* Puts the commands behind the reference in the order of their means, in wall time or what the
 * answer is about; to be analysed again. Returns 0 or ENOMEM. */
int lauka_result_sort(struct lauka_result *result);

/* ---- change.c: an estimate and its interval, as people read them ----------------------------- */

/* All with the same decimals, which the width of the interval asks for. Empty where not known. */
struct lauka_change {
    char estimate[48]; /* "+2.1 %"; where there is no ratio, a difference: "+12.5 ms" */
    char interval[80]; /* "[+1.2, +3.0]", in the same unit; or "exact"; empty where both ends are
                        * beyond what is shown, as is then the estimate: "+>99999 %" */
};

void lauka_change_format(const struct lauka_comparison *comparison, struct lauka_scale scale,
                         bool utf8, struct lauka_change *change);

/* The same where a word says the direction: "2.1 %" and "[1.2, 3.0]" both ways; "more than 99999 %".
 * Exact ones have no interval here. */
void lauka_change_format_size(const struct lauka_comparison *comparison, struct lauka_scale scale,
                              struct lauka_change *change);

/* As a factor above 1: "2.5" and "[2.4, 2.6]"; inverted where it is below. */
void lauka_change_format_factor(const struct lauka_comparison *comparison,
                                struct lauka_change *change);

/* "slower" and "faster" of times, "higher" and "lower" of others, "equivalent", "identical",
 * "inconclusive"; empty where nothing was judged. Static. */
const char *lauka_verdict_word(const struct lauka_comparison *comparison, const char *unit);

/* "2.5 %" of a share, with up to three digits. Returns text. */
char *lauka_format_share(double share, char *text, size_t size);

/* The same with up to two. */
char *lauka_format_share_roughly(double share, char *text, size_t size);

/* ---- doubts.c: what speaks against the numbers, in words -------------------------------------- */

/* One of them, of the many that a result holds. */
struct lauka_doubt_said {
    enum lauka_doubt doubt;
    size_t command, metric;
    double value; /* as in struct lauka_doubts */
};

/* The next one; start with a zeroed `place`. False at the end. */
bool lauka_result_next_doubt(const struct lauka_result *result, size_t *place,
                             struct lauka_doubt_said *said);

/* The field's word, as it stands in JSON: "outliers", "busy". */
const char *lauka_doubt_name(enum lauka_doubt doubt);

/* A plain sentence: what, how much, what to do. Commands appear as in lauka_result_sentence. */
void lauka_doubt_sentence(const struct lauka_result *result, const struct lauka_doubt_said *said,
                          bool utf8, char *text, size_t size);
void lauka_doubt_sentence_about(const struct lauka_result *result,
                                const struct lauka_doubt_said *said, const char *name,
                                const char *reference_name, bool utf8, char *text, size_t size);

/* What people are told: each kind once, of the command and metric in which it is worst. False where
 * it was not raised at all. */
bool lauka_result_worst_doubt(const struct lauka_result *result, enum lauka_doubt doubt,
                              struct lauka_doubt_said *said);

/* ---- sentence.c: what a result comes to, in words -------------------------------------------- */

/* One plain sentence about a command, without newline: the reference alone, the others against it.
 * Commands appear in backquotes, made safe and short enough. */
void lauka_result_sentence(const struct lauka_result *result, size_t command, bool utf8, char *text,
                           size_t size);

/* The same with other names for the command and the reference, which appear as they are given.
 * Commands against the reference say what their comparison came to and its figures. */
void lauka_result_sentence_about(const struct lauka_result *result, size_t command,
                                 const char *name, const char *reference_name, bool utf8,
                                 char *text, size_t size);

/* names.c: a command as sentences name it: in backquotes, safe and short enough; numbered where
 * others are called the same. */
enum { LAUKA_SUBJECT_SIZE = 8 * 40 + 32 };
void lauka_result_subject(const struct lauka_result *result, size_t command, bool utf8,
                          char text[LAUKA_SUBJECT_SIZE]);

/* Numbers commands that are shown alike; lauka_result_analyse does so first of all. 0 or ENOMEM. */
int lauka_result_number_names(struct lauka_result *result);

/* That number, from 1 on; 0 where no other is called the same, or none was numbered yet. */
size_t lauka_result_name_number(const struct lauka_result *result, size_t command);

/* The labels of all commands, safe and of at most `width` columns, with '_' for each of these
 * characters; made different by numbers where they are not. Freed by lauka_strings_free; NULL without
 * memory. */
char **lauka_result_unique_labels(const struct lauka_result *result, int width,
                                  const char *replaced);

/* phrase.c: how sentences call the metric: "wall time", "CPU time", its name where that is a plain
 * word; empty for "value". Static or borrowed. */
const char *lauka_metric_noun(const char *name);

/* Whether there is one of three and more commands that each of the others is slower than. The
 * reference has been compared with all; another one is, at its own expense, by lauka_result_analyse. */
bool lauka_result_best(const struct lauka_result *result, size_t *command);

/* "`./a` is the fastest of the 3: each of the others is slower." */
void lauka_best_sentence(const struct lauka_result *result, const char *name, char *text,
                         size_t size);

/* ---- noise.c: a command against itself ------------------------------------------------------- */

/* The smallest change, as a share, that nine of ten sessions like this one would have shown. */
struct lauka_optional lauka_smallest_change(const struct lauka_comparison *comparison);

/* Whether lauka noise answers in this metric: times, and what is primary. */
bool lauka_is_noise_told(const struct lauka_result *result, size_t metric);

/* Whether there is an answer instead of the usual one. */
bool lauka_result_has_noise(const struct lauka_result *result);

/* The answer in this metric, about a command that is called `name`. */
void lauka_noise_sentence(const struct lauka_result *result, size_t metric, const char *name,
                          bool utf8, char *text, size_t size);

/* ---- units.c: numbers with units, written and read ------------------------------------------- */

/* One scale for a whole row, so that its numbers compare at a glance. */
struct lauka_scale {
    double divisor;
    const char *suffix; /* static: "ms", "MiB", "K", "" */
    int decimals;       /* of what is less than 1; 0: three */
};

/* The scale that suits the largest magnitude of a row. unit: "ns", "B" or "1"; what of the last is
 * smaller than three decimals show gets "m", "µ", "n". */
struct lauka_scale lauka_scale_for(double largest, const char *unit, bool utf8);

/* The same where magnitudes differ: finer, as long as the smallest (above 0) keeps less than three
 * digits and the largest less than six. 0.5 ms and 2 s give ms; 0.000012 and 0.004 give "µ". */
struct lauka_scale lauka_scale_for_range(double smallest, double largest, const char *unit,
                                         bool utf8);

/* The scale that lauka_scale_named found. */
struct lauka_scale lauka_scale_chosen(unsigned chosen, const char *unit, bool utf8);

/* The scale that is called so in this unit, for `shown_in`: "ms", "millisecond", "KiB", "M". 0 where
 * there is none. */
unsigned lauka_scale_named(const char *name, const char *unit);

/* The scale with as many decimals as show four digits of a value below 1: "0.003755"; at most 9. */
struct lauka_scale lauka_scale_with_digits(struct lauka_scale scale, double value);

/* Four significant digits, at most the scale's decimals, never an exponent: "12.34", "0.012", "1234".
 * Exact zeros and unscaled whole numbers have no decimals: "0", "75"; so "0.000" is not zero.
 * Returns text. */
char *lauka_format_scaled(double value, struct lauka_scale scale, char *text, size_t size);

/* "+2.34 %", "-0.50 %", "+1234 %", "+>99999 %", "->99.99 %": always signed, from a ratio; 1 is
 * "+0.00 %", and only 0 is "-100.0 %". With utf8 the minus is U+2212. Returns text. */
char *lauka_format_change(double ratio, bool utf8, char *text, size_t size);

/* Cohen's d: "+0.42", "-19.7", "+>999". Returns text. */
char *lauka_format_effect(double d, bool utf8, char *text, size_t size);

/* "+", or the minus sign of the character set; static. */
const char *lauka_sign(double value, bool utf8);

/* For machines: the fewest digits (15 to 17) that read back as the same double. Returns text. */
char *lauka_format_exact(double value, char *text, size_t size);

/* For machines: nanoseconds become seconds, all else stays as it is. */
double lauka_in_seconds(double value, const char *unit);

/* "1.5", "30s", "250ms", "2m", "1h", "100us", "5ns": bare numbers are seconds. False, and *ns
 * untouched, for anything else, negative or beyond 2^63 ns. */
bool lauka_parse_duration(const char *text, uint64_t *ns);

/* ---- load.c: results that were stored, by lauka and by others -------------------------------- */

struct lauka_stored {
    const char *name;  /* borrowed: what errors call it, and the label of a single command */
    const char *bytes; /* borrowed; read, never written */
    size_t size;
    const char *column; /* borrowed; of CSV: title or number from 1; NULL: not CSV */
};

/* One line: "FILE:LINE: reason" or "FILE: reason". May quote what others wrote. */
struct lauka_load_error {
    char text[640];
};

/* The most decimals that the values of stored data keep. */
enum { LAUKA_DECIMALS_MAX = 9 };

/* Reads plain numbers, a column of CSV, an HdrHistogram log, the JSON of lauka, of hyperfine 1 and
 * 2: what it is says the content. The result has not been analysed. Returns 0, ENOMEM, or EINVAL and
 * the error; then the result is empty. Needs a small multiple of the bytes in memory, and returns on
 * any input. */
int lauka_load(const struct lauka_stored *stored, struct lauka_result *result,
               struct lauka_load_error *error);

/* ---- merge.c: the commands of several results as one ----------------------------------------- */

struct lauka_part {
    const char *name;           /* borrowed; labels of its commands are made of it */
    struct lauka_result result; /* owned; empty afterwards */
};

/* Metrics are matched by their names; one that a part does not have is not measured there. A single
 * part stays as it is. Different counts make the result unpaired. Returns 0, ENOMEM, or EINVAL and
 * the error where the parts have no metric in common. */
int lauka_result_merge(struct lauka_part *parts, size_t count, struct lauka_result *result,
                       struct lauka_load_error *error);

/* ---- quantiles.c: of values while they are kept, otherwise of their histogram ------------------ */

struct lauka_result_quantiles {
    uint64_t count;   /* values; 0: there are none */
    bool from_values; /* exact; otherwise the middles of buckets, but for the least and the most */
    double error;     /* of the histogram: half a bucket, relative to the value; 0 where exact */
    uint64_t values[LAUKA_SUMMARY_RANKS]; /* nearest ranks, of lauka_summary_ranks */
};

/* Returns 0 or ENOMEM. */
int lauka_result_quantiles(const struct lauka_result *result, size_t command, size_t metric,
                           struct lauka_result_quantiles *quantiles);

/* Whether there is a value below that of the rank and one above, or it is 0 or 100 %: others only
 * repeat the least value or the greatest. */
bool lauka_rank_has_values(uint32_t rank, uint64_t count);

/* "99.9" of the rank 99.9 %. Returns text. */
char *lauka_format_rank(uint32_t rank, char *text, size_t size);

/* All values in *histogram, which is borrowed from the result or from *own; that one the caller frees.
 * Returns 0 or ENOMEM. */
int lauka_result_collect(const struct lauka_result *result, size_t command, size_t metric,
                         struct lauka_histogram *own, struct lauka_histogram *histogram);

/* All values as lauka_hdr_text_encode writes a histogram of three digits. *text is owned by the
 * caller. Returns 0, ENOMEM or EOVERFLOW. */
int lauka_result_histogram(const struct lauka_result *result, size_t command, size_t metric,
                           char **text);

/* ---- samples.c: a value per run, for machines ------------------------------------------------ */

/* "12345"; in double quotes beyond 2^53, where most readers of JSON would round. Returns text, for
 * which 32 bytes are enough. */
char *lauka_format_json_integer(uint64_t value, char *text, size_t size);

/* value / 10^decimals, exactly and without trailing zeros: "0.01208" of nanoseconds and 9. Returns
 * text; 32 bytes are enough. */
char *lauka_format_decimal(uint64_t value, unsigned decimals, char *text, size_t size);
char *lauka_format_seconds(uint64_t ns, char *text, size_t size);

/* The same for JSON, in double quotes where the value is beyond 2^53. */
char *lauka_format_json_decimal(uint64_t value, unsigned decimals, char *text, size_t size);

/* A JSON string with quotes; what could act on a terminal is \uXXXX, what is no UTF-8 \ufffd. */
void lauka_print_json_text(const char *text, FILE *out);

/* JSON arrays in run order. Missing values are null; what was not counted at all is []. `seconds`:
 * the values are nanoseconds, shown in seconds. */
void lauka_print_values(const struct lauka_result *result, size_t command, size_t metric,
                        bool seconds, FILE *out);
void lauka_print_exit_codes(const struct lauka_result *result, size_t command, FILE *out);
void lauka_print_order(const struct lauka_result *result, FILE *out);
void lauka_print_layout(const struct lauka_result *result, FILE *out);

/* ---- base64.c -------------------------------------------------------------------------------- */

/* Characters that so many bytes take, without a NUL. */
size_t lauka_base64_size(size_t size);
void lauka_base64_encode(const uint8_t *bytes, size_t size, char *text); /* adds a NUL */

/* bytes: room for length / 4 * 3. False for anything that lauka_base64_encode would not write. */
bool lauka_base64_decode(const char *text, size_t length, uint8_t *bytes, size_t *size);

/* ---- hdr_text.c: a histogram as one word of base64, as HdrHistograms exchange theirs ---------- */

/* *text is owned by the caller. As lauka_histogram_encode otherwise. */
int lauka_hdr_text_encode(const struct lauka_histogram *histogram, char **text, uint64_t *left_out);

/* As lauka_histogram_decode. Time and memory are bounded by the length of the text and the counters
 * that it names. */
int lauka_hdr_text_decode(const char *text, size_t length, struct lauka_histogram *histogram,
                          const char **reason);

/* ---- hlog.c: HdrHistogram's log of intervals -------------------------------------------------- */

enum { LAUKA_HLOG_TAG_SIZE = 256 };

struct lauka_hlog_interval {
    char tag[LAUKA_HLOG_TAG_SIZE]; /* "": none. No spaces, commas or control characters */
    double offset;                 /* s, as it stands in the file: since the log's base time */
    double length;                 /* s */
    double start;                  /* s since the epoch; on reading only */
    struct lauka_histogram histogram;
};

/* start: s since the epoch, which offsets count from. Return 0, EINVAL for what cannot be written
 * that way, or an errno. */
int lauka_hlog_write_header(const char *comment, double start, FILE *out);

/* divisor: of the maximum in the third column only, for people; 1e6 makes milliseconds of
 * nanoseconds. */
int lauka_hlog_write(const struct lauka_hlog_interval *interval, double divisor, FILE *out);

struct lauka_hlog {   /* one that is being read */
    FILE *in;         /* borrowed */
    const char *name; /* borrowed: what errors call it */
    size_t line;
    double start_time; /* s since the epoch; 0: the log does not tell */
    struct lauka_optional base_time;
    char *text; /* owned: the line */
    size_t capacity;
};

enum lauka_hlog_status { LAUKA_HLOG_INTERVAL, LAUKA_HLOG_END, LAUKA_HLOG_ERROR };

void lauka_hlog_open(struct lauka_hlog *log, FILE *in, const char *name);
void lauka_hlog_close(struct lauka_hlog *log); /* not the file */

/* The next interval, whose histogram is the caller's to free. For a line that is none, `error` is
 * "FILE:LINE: reason" without newline, and reading is over. */
enum lauka_hlog_status lauka_hlog_read(struct lauka_hlog *log, struct lauka_hlog_interval *interval,
                                       char *error, size_t size);

/* ---- hgrm.c ----------------------------------------------------------------------------------- */

/* Percentiles in the text format that HdrHistogram's plotters read. ticks: rows for each halving of
 * the distance to 100 %, 5 as a rule; divisor: of all values. Mean and deviation are those of the
 * buckets. Returns 0, EINVAL (ticks or divisor 0), or an errno. */
int lauka_write_hgrm(const struct lauka_histogram *histogram, unsigned ticks, double divisor,
                     FILE *out);

/* ---- percentiles.c: what a histogram tells, for people ---------------------------------------- */

/* "1,234,567.89", whatever the locale. Returns text. */
char *lauka_format_grouped(double value, int decimals, char *text, size_t size);

/* "NAME: Total=1,000, Overflow=0, Mean=21,443.7, P0=20,096, P25=... P999=..., P100=...", without
 * newline, for monitoring; quantiles are the middles of their buckets. Returns text. */
char *lauka_format_histogram(const struct lauka_histogram_summary *summary, const char *name,
                             char *text, size_t size);

/* A table of all ranks, with the error of each value and how many values lie up to it. A mean that
 * comes from the buckets is marked with ~. */
int lauka_write_histogram(const struct lauka_histogram_summary *summary, const char *title,
                          bool utf8, FILE *out);

struct lauka_histogram_difference {
    const char *title, *reference_name, *other_name; /* borrowed */
    const struct lauka_histogram_summary *reference, *other;
    struct lauka_optional cohens_d; /* from the moments or the values */
};

/* A table of two: the ranks that both have values on either side of, then mean and deviation. */
int lauka_write_histogram_difference(const struct lauka_histogram_difference *difference, bool utf8,
                                     FILE *out);

/* ---- terminal.c: what the output can show ---------------------------------------------------- */

struct lauka_terminal {
    int width; /* columns; at least 20 */
    bool color;
    bool utf8;
};

enum lauka_color_choice { LAUKA_COLOR_AUTO, LAUKA_COLOR_ALWAYS, LAUKA_COLOR_NEVER };

/* --color, NO_COLOR, CLICOLOR_FORCE or FORCE_COLOR, CLICOLOR=0, TERM=dumb, isatty, in that order.
 * Width: COLUMNS, the terminal's own, 80. utf8 from LC_ALL, LC_CTYPE, LANG. */
struct lauka_terminal lauka_terminal_detect(int fd, enum lauka_color_choice choice);

/* ---- text.c: what others wrote, made safe and short enough to show --------------------------- */

/* Bytes of the valid UTF-8 character that begins here, and its code point; 0 where none does. */
size_t lauka_utf8_decode(const char *text, uint32_t *code);

/* Columns that the text takes when shown (UTF-8 aware; escape sequences of our own take none). */
int lauka_display_width(const char *text);

/* Writes text with control characters, bidirectional overrides and invalid UTF-8 made visible as
 * \xNN, so that nothing a command is called or says can drive the terminal. Without utf8, what is
 * not ASCII is escaped too. */
void lauka_print_safely(const char *text, bool utf8, FILE *out);

/* The same as a string. Owned by the caller; NULL without memory. */
char *lauka_safe_text(const char *text, bool utf8);

/* The same, cut in the middle to at most `width` columns, and 4 * width bytes: "./a-ve…-name". */
char *lauka_fit_text(const char *text, int width, bool utf8);

/* Cuts safe text in place after at most `width` columns. */
void lauka_cut_text(char *text, int width);

/* Made safe as well, and broken into lines of at most `width` columns, the last with a newline. All
 * are indented but the first, which the caller has led to column `indent`. Returns 0 or ENOMEM. */
int lauka_print_wrapped(const char *text, int indent, int width, bool utf8, FILE *out);

#include "course.h" /* how the session went; needs what is above */
#include "cells.h" /* figures as people read them; needs what is above */
#include "writers.h" /* the documents; needs what is above */
#include "threads.h" /* tables of threads; needs what is above */

#endif
