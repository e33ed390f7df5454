/* The answer: a sentence per command that says what its comparison came to, and no more than that.
 * "No difference" is never said without the interval that proves it. */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-"

enum { NAME_WIDTH = 40 }; /* columns; a longer command is cut in the middle */

struct sentence { /* all that it is made of */
    const struct lauka_result *result;
    size_t command;
    const char *name, *reference_name;
    bool utf8;
    char *text; /* what there is of it */
    size_t size;
};

/* One metric of it. */
struct aspect {
    const struct lauka_comparison *comparison;
    struct lauka_scale scale;
    const char *name, *unit;
};

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

__attribute__((format(printf, 2, 3))) static void say(struct sentence *sentence, const char *format,
                                                      ...)
{
    size_t length = strlen(sentence->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence->text + length, sentence->size - length, format, arguments);
    va_end(arguments);
}

static struct aspect aspect_of(const struct sentence *sentence, size_t metric)
{
    const struct lauka_result *result = sentence->result;
    return (struct aspect){
        .comparison = lauka_result_view(result, sentence->command, metric).comparison,
        .scale = lauka_result_scale(result, metric, sentence->utf8),
        .name = result->metrics[metric].name,
        .unit = result->metrics[metric].unit,
    };
}

const char *lauka_metric_noun(const char *name)
{
    static const char *const nouns[][2] = {
        {"wall_time", "wall time"},     {"cpu_time", "CPU time"}, {"user_time", "user time"},
        {"system_time", "system time"}, {"peak_rss", "peak RSS"}, {"value", ""}};
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
        if (strcmp(name, nouns[i][0]) == 0)
            return nouns[i][1];
    /* Others may have named it; what could mean something to a reader of Markdown is not said. */
    bool plain = name[strspn(name, PLAIN)] == 0;
    return plain ? name : "the metric";
}

/* ---- figures --------------------------------------------------------------------------------- */

static void say_quantity(struct sentence *sentence, const struct aspect *aspect, double value)
{
    char number[48];
    say(sentence, "%s%s%s", lauka_format_scaled(value, aspect->scale, number, sizeof number),
        *aspect->scale.suffix ? " " : "", aspect->scale.suffix);
}

static void say_noun(struct sentence *sentence, const struct aspect *aspect)
{
    const char *noun = lauka_metric_noun(aspect->name);
    say(sentence, "%s%s", *noun ? " " : "", noun);
}

/* "mean 10.21 ms against 10.00 ms wall time" */
static void say_means(struct sentence *sentence, const struct aspect *aspect)
{
    const struct lauka_comparison *comparison = aspect->comparison;
    bool single = comparison->reference_count == 1 && comparison->other_count == 1;
    bool exact = comparison->method == LAUKA_METHOD_EXACT;
    say(sentence, "%s", single ? "" : exact ? "always " : "mean ");
    say_quantity(sentence, aspect, comparison->other_mean);
    say(sentence, " against ");
    say_quantity(sentence, aspect, comparison->reference_mean);
    say_noun(sentence, aspect);
}

static void say_rounds(struct sentence *sentence, const struct lauka_comparison *comparison)
{
    if (comparison->reference_count != comparison->other_count)
        say(sentence, "%" PRIu64 " and %" PRIu64 " values", comparison->reference_count,
            comparison->other_count);
    else
        say(sentence, "%" PRIu64 " round%s", comparison->pairs, plural(comparison->pairs));
}

/* The confidence of all intervals is said with the first of them. */
static void say_interval(struct sentence *sentence, const char *interval)
{
    if (*interval)
        say(sentence, " %s", interval);
    if (*interval && sentence->command == 1 && !strstr(sentence->text, "confidence"))
        say(sentence, " (%.3g %% confidence)", 100 * lauka_result_confidence(sentence->result));
}

/* ---- one metric ------------------------------------------------------------------------------ */

static bool is_clear(const struct lauka_comparison *comparison)
{
    return comparison && (comparison->verdict == LAUKA_VERDICT_HIGHER ||
                          comparison->verdict == LAUKA_VERDICT_LOWER);
}

static bool is_within(const struct lauka_comparison *comparison)
{
    return comparison && (comparison->verdict == LAUKA_VERDICT_EQUIVALENT ||
                          comparison->verdict == LAUKA_VERDICT_IDENTICAL ||
                          (is_clear(comparison) && comparison->below_precision));
}

static bool is_cpu(const struct aspect *aspect)
{
    return strcmp(aspect->name, "cpu_time") == 0 || strcmp(aspect->name, "user_time") == 0 ||
           strcmp(aspect->name, "system_time") == 0;
}

/* "takes 2.5 times as long as R [2.4, 2.6]": from a factor of 2 on, percentages mislead. */
static bool say_factor(struct sentence *sentence, const struct aspect *aspect)
{
    struct lauka_change change;
    double log_ratio = aspect->comparison->log_ratio.value;
    const char *verb = log_ratio > 0 ? "takes" : "is";
    const char *as = log_ratio > 0 ? "long" : "fast";
    bool time = strcmp(aspect->unit, "ns") == 0 && !is_cpu(aspect);
    if (!aspect->comparison->log_ratio.known || fabs(log_ratio) < log(1.995) ||
        (!time && log_ratio < 0))
        return false;
    if (!time) {
        verb = is_cpu(aspect) ? "uses" : "has";
        as = is_cpu(aspect) ? "much" : "high";
    }
    lauka_change_format_factor(aspect->comparison, &change);
    if (!time)
        say(sentence, "%s %s times as %s", verb, change.estimate, as);
    else
        say(sentence, "%s %s times as %s as %s", verb, change.estimate, as,
            sentence->reference_name);
    if (!time) {
        const char *noun = lauka_metric_noun(aspect->name);
        say(sentence, " %s%sas %s", noun, *noun ? " " : "", sentence->reference_name);
    }
    say_interval(sentence, change.interval);
    return true;
}

/* "is 2.1 % slower than R [1.2, 3.0]", "uses 3.0 % more CPU time than R [2.8, 3.2]" */
static void say_difference(struct sentence *sentence, const struct aspect *aspect)
{
    struct lauka_change change;
    bool higher = aspect->comparison->verdict == LAUKA_VERDICT_HIGHER;
    const char *noun = lauka_metric_noun(aspect->name);
    if (say_factor(sentence, aspect))
        return;
    lauka_change_format_size(aspect->comparison, aspect->scale, &change);
    if (is_cpu(aspect))
        say(sentence, "uses %s %s %s than %s", change.estimate, higher ? "more" : "less", noun,
            sentence->reference_name);
    else if (strcmp(aspect->unit, "ns") == 0 || !*noun)
        say(sentence, "is %s %s than %s", change.estimate,
            lauka_verdict_word(aspect->comparison, aspect->unit), sentence->reference_name);
    else
        say(sentence, "has %s %s %s than %s", change.estimate, higher ? "more" : "less", noun,
            sentence->reference_name);
    say_interval(sentence, change.interval);
}

static void say_share(struct sentence *sentence)
{
    char share[32];
    say(sentence, "%s",
        lauka_format_share(lauka_result_precision(sentence->result), share, sizeof share));
}

static void say_clear(struct sentence *sentence, const struct aspect *aspect)
{
    const struct lauka_comparison *comparison = aspect->comparison;
    say(sentence, " ");
    say_difference(sentence, aspect);
    if (comparison->method == LAUKA_METHOD_PAIRED_T) {
        say(sentence, " after only ");
        say_rounds(sentence, comparison);
    }
    if (comparison->below_precision) {
        say(sentence, ", less than the ");
        say_share(sentence);
        say(sentence, " that matters here");
    }
    say(sentence, ": ");
    say_means(sentence, aspect);
}

static void say_equivalent(struct sentence *sentence, const struct aspect *aspect)
{
    struct lauka_change change;
    lauka_change_format(aspect->comparison, aspect->scale, sentence->utf8, &change);
    say(sentence, " shows no difference larger than ");
    say_share(sentence);
    say(sentence, " from %s", sentence->reference_name);
    say_interval(sentence, change.interval);
    say(sentence, ": ");
    say_means(sentence, aspect);
}

static void say_identical(struct sentence *sentence, const struct aspect *aspect)
{
    say(sentence, " is identical to %s: always ", sentence->reference_name);
    say_quantity(sentence, aspect, aspect->comparison->other_mean);
    say_noun(sentence, aspect);
}

/* What would make an inconclusive comparison conclusive: the cause that is known, or more time. */
static void say_cure(struct sentence *sentence, const struct lauka_comparison *comparison,
                     bool busy)
{
    char wait[32];
    const struct lauka_result *result = sentence->result;
    struct lauka_optional more = lauka_result_seconds_missing(result, comparison);
    struct lauka_optional factor =
        lauka_stopping_factor(&comparison, 1, lauka_result_precision(result));
    if (busy)
        say(sentence, "; the machine is busy");
    else if (more.known)
        say(sentence, "; about %s more would do", lauka_format_wait(more.value, wait, sizeof wait));
    else if (factor.known && factor.value > 1 && factor.value < 1e6)
        say(sentence, "; about %.0f rounds would do",
            ceil(factor.value * (double)comparison->pairs));
}

/* "±3.4 % after 38 rounds; about 40 s more would do" */
static void say_uncertainty(struct sentence *sentence, const struct aspect *aspect, bool busy)
{
    struct lauka_change change;
    const struct lauka_comparison *comparison = aspect->comparison;
    struct lauka_optional factor =
        lauka_stopping_factor(&comparison, 1, lauka_result_precision(sentence->result));
    lauka_change_format(comparison, aspect->scale, sentence->utf8, &change);
    if (factor.known && factor.value <= 1) { /* as precise as asked for, and yet on both sides */
        say(sentence, ": %s", change.estimate);
        say_interval(sentence, change.interval);
    } else {
        const char *suffix = comparison->log_ratio.known ? "%" : aspect->scale.suffix;
        say(sentence, ": %s%s%s", change.margin, *suffix ? " " : "", suffix);
    }
    say(sentence, " after ");
    say_rounds(sentence, comparison);
    say_cure(sentence, comparison, busy);
}

/* Alone it would have counted as a difference; among so many it does not. */
static void say_withdrawn(struct sentence *sentence, const struct aspect *aspect)
{
    struct lauka_change change;
    lauka_change_format(aspect->comparison, aspect->scale, sentence->utf8, &change);
    say(sentence, " against %s is inconclusive (1 of %" PRIu64 "): %s", sentence->reference_name,
        aspect->comparison->family, change.estimate);
    say_interval(sentence, change.interval);
    say(sentence, " can be chance among %" PRIu64 " comparisons", aspect->comparison->family);
}

static void say_inconclusive(struct sentence *sentence, const struct aspect *aspect, bool busy)
{
    const struct lauka_comparison *comparison = aspect->comparison;
    if (comparison->withdrawn) {
        say_withdrawn(sentence, aspect);
        return;
    }
    say(sentence, " against %s", sentence->reference_name);
    if (comparison->confidence > 0) {
        say(sentence, " is inconclusive");
        say_uncertainty(sentence, aspect, busy);
        return;
    }
    say(sentence, ": ");
    say_rounds(sentence, comparison);
    say(sentence, comparison->pairs < 3 ? ", and an interval needs at least 3; "
                                        : ", and yet no interval can be given; ");
    say_means(sentence, aspect);
}

/* ---- two metrics ----------------------------------------------------------------------------- */

/* What CPU time has to add to what was said of wall time. */
static void add_cpu_time(struct sentence *sentence, const struct lauka_comparison *wall,
                         const struct aspect *cpu)
{
    struct lauka_change change;
    bool clear = is_clear(cpu->comparison) && !is_within(cpu->comparison);
    bool agrees = is_clear(wall) && !is_within(wall) && wall->verdict == cpu->comparison->verdict;
    if (is_within(cpu->comparison) && !is_within(wall)) {
        say(sentence, "; CPU time differs by less than ");
        say_share(sentence);
    } else if (clear && !agrees) {
        lauka_change_format_size(cpu->comparison, cpu->scale, &change);
        say(sentence, "; but it uses %s %s CPU time", change.estimate,
            cpu->comparison->verdict == LAUKA_VERDICT_HIGHER ? "more" : "less");
        say_interval(sentence, change.interval);
    }
}

/* Wall time can not tell, CPU time can. */
static void say_cpu_time_first(struct sentence *sentence, const struct aspect *wall,
                               const struct aspect *cpu, bool busy)
{
    say(sentence, " ");
    say_difference(sentence, cpu);
    say(sentence, "; wall time is inconclusive");
    say_uncertainty(sentence, wall, busy);
}

static bool is_busy(const struct sentence *sentence, size_t metric)
{
    const struct lauka_result *result = sentence->result;
    size_t index = (sentence->command - 1) * result->metric_count + metric;
    return index < result->comparison_count &&
           result->comparisons[index].doubts.raised[LAUKA_DOUBT_BUSY].known;
}

static void say_compared(struct sentence *sentence, size_t metric)
{
    size_t cpu_time = lauka_result_metric_index(sentence->result, "cpu_time");
    struct aspect main = aspect_of(sentence, metric), cpu = {.comparison = NULL};
    const struct lauka_comparison *comparison = main.comparison;
    bool busy = is_busy(sentence, metric);
    if (strcmp(main.name, "wall_time") == 0 && cpu_time < sentence->result->metric_count &&
        sentence->result->metrics[cpu_time].primary)
        cpu = aspect_of(sentence, cpu_time);
    say(sentence, "%s", sentence->name);
    if (comparison->verdict == LAUKA_VERDICT_INCONCLUSIVE && comparison->confidence > 0 &&
        !comparison->withdrawn && is_clear(cpu.comparison) && !is_within(cpu.comparison)) {
        say_cpu_time_first(sentence, &main, &cpu, busy);
        say(sentence, ".");
        return;
    }
    if (comparison->verdict == LAUKA_VERDICT_IDENTICAL)
        say_identical(sentence, &main);
    else if (comparison->verdict == LAUKA_VERDICT_EQUIVALENT)
        say_equivalent(sentence, &main);
    else if (is_clear(comparison))
        say_clear(sentence, &main);
    else
        say_inconclusive(sentence, &main, busy);
    if (cpu.comparison)
        add_cpu_time(sentence, comparison, &cpu);
    say(sentence, ".");
}

/* ---- a command alone ------------------------------------------------------------------------- */

static void say_alone(struct sentence *sentence, size_t metric)
{
    const struct lauka_summary *summary =
        lauka_result_view(sentence->result, sentence->command, metric).summary;
    struct aspect aspect = aspect_of(sentence, metric);
    bool time = strcmp(aspect.unit, "ns") == 0;
    say(sentence, "%s %s ", sentence->name, time ? "took" : "has the mean");
    say_quantity(sentence, &aspect, summary->mean);
    if (summary->stddev.known) {
        say(sentence, " %s ", sentence->utf8 ? "±" : "+-");
        say_quantity(sentence, &aspect, summary->stddev.value);
    }
    if (strcmp(aspect.name, "wall_time") != 0)
        say_noun(sentence, &aspect);
    if (summary->count > 1)
        say(sentence, " over %" PRIu64 " %s.", summary->count, time ? "rounds" : "values");
    else
        say(sentence, " in the one round that was measured.");
}

void lauka_result_sentence_about(const struct lauka_result *result, size_t command,
                                 const char *name, const char *reference_name, bool utf8,
                                 char *text, size_t size)
{
    size_t metric = lauka_result_main_metric(result);
    uint64_t rounds = lauka_result_rounds(result, command);
    struct sentence sentence = {result, command, name, reference_name, utf8, text, size};
    text[0] = 0;
    if (rounds == 0) {
        say(&sentence, "%s finished no measured round.", name);
        return;
    }
    if (metric >= result->metric_count || !lauka_result_view(result, command, metric).counted) {
        const char *noun =
            metric < result->metric_count ? lauka_metric_noun(result->metrics[metric].name) : "";
        say(&sentence, "%s ran in %" PRIu64 " round%s; its %s was not measured.", name, rounds,
            plural(rounds), *noun ? noun : "time");
        return;
    }
    const struct lauka_comparison *comparison = lauka_result_comparison(result, command, metric);
    if (comparison && comparison->pairs > 0)
        say_compared(&sentence, metric);
    else
        say_alone(&sentence, metric);
}

void lauka_result_subject(const struct lauka_result *result, size_t command, bool utf8,
                          char text[LAUKA_SUBJECT_SIZE])
{
    char *fitted = lauka_fit_text(result->commands[command].label, NAME_WIDTH, utf8);
    snprintf(text, LAUKA_SUBJECT_SIZE, "`%s`", fitted ? fitted : "?");
    free(fitted);
}

void lauka_result_sentence(const struct lauka_result *result, size_t command, bool utf8, char *text,
                           size_t size)
{
    char name[LAUKA_SUBJECT_SIZE], reference_name[LAUKA_SUBJECT_SIZE];
    lauka_result_subject(result, command, utf8, name);
    lauka_result_subject(result, 0, utf8, reference_name);
    lauka_result_sentence_about(result, command, name, reference_name, utf8, text, size);
}

bool lauka_result_reference_is_best(const struct lauka_result *result)
{
    size_t metric = lauka_result_main_metric(result);
    if (result->command_count < 3 || metric >= result->metric_count ||
        strcmp(result->metrics[metric].better, "lower") != 0)
        return false;
    for (size_t c = 1; c < result->command_count; c++) {
        const struct lauka_comparison *comparison = lauka_result_comparison(result, c, metric);
        if (!comparison || comparison->verdict != LAUKA_VERDICT_HIGHER)
            return false;
    }
    return true;
}

void lauka_best_sentence(const struct lauka_result *result, const char *reference_name, char *text,
                         size_t size)
{
    const char *unit = result->metrics[lauka_result_main_metric(result)].unit;
    bool time = strcmp(unit, "ns") == 0;
    snprintf(text, size, "%s is the %s of the %zu: each of the others is %s.", reference_name,
             time ? "fastest" : "lowest", result->command_count, time ? "slower" : "higher");
}
