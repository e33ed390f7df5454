/* The parts of sentences about a comparison: quantities, intervals, and differences with the word for
 * their direction. */
#include "report/words/words.h"
#include "report/words/phrase.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-"

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void lauka_phrase_say(struct lauka_phrase *phrase, const char *format, ...)
{
    size_t length = strlen(phrase->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(phrase->text + length, phrase->size - length, format, arguments);
    va_end(arguments);
}

struct lauka_aspect lauka_phrase_aspect(const struct lauka_phrase *phrase, size_t metric)
{
    const struct lauka_result *result = phrase->result;
    return (struct lauka_aspect){
        .comparison = lauka_result_view(result, phrase->command, metric).comparison,
        .metric = metric,
        .scale = lauka_result_scale(result, metric, phrase->utf8),
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
    /* Others may have named it, so characters that are special in Markdown are left out. */
    bool plain = name[strspn(name, PLAIN)] == 0;
    return plain ? name : "of this metric";
}

/* ---- figures --------------------------------------------------------------------------------- */

void lauka_phrase_quantity(struct lauka_phrase *phrase, const struct lauka_aspect *aspect,
                           size_t command, double value)
{
    char number[48], four[48];
    struct lauka_scale scale =
        lauka_result_scale_of(phrase->result, aspect->metric, value, phrase->utf8);
    struct lauka_result_view view = lauka_result_view(phrase->result, command, aspect->metric);
    double deviation = lauka_result_deviation(phrase->result, command, aspect->metric);
    double mean = view.counted ? view.summary->mean : value;
    lauka_format_uncertain(value, mean, deviation, scale, number, sizeof number);
    lauka_format_scaled(value, scale, four,
                        sizeof four); /* more digits nobody reads in a sentence */
    lauka_phrase_say(phrase, "%s%s%s", strlen(four) < strlen(number) ? four : number,
                     *scale.suffix ? " " : "", scale.suffix);
}

void lauka_phrase_noun(struct lauka_phrase *phrase, const struct lauka_aspect *aspect)
{
    const char *noun = lauka_metric_noun(aspect->name);
    lauka_phrase_say(phrase, "%s%s", *noun ? " " : "", noun);
}

/* As the table has it: where values are missing, the pairs of a comparison have another one. */
static double mean_in_table(const struct lauka_phrase *phrase, const struct lauka_aspect *aspect,
                            size_t command, double of_pairs)
{
    struct lauka_result_view view = lauka_result_view(phrase->result, command, aspect->metric);
    return view.counted ? view.summary->mean : of_pairs;
}

void lauka_phrase_means(struct lauka_phrase *phrase, const struct lauka_aspect *aspect)
{
    const struct lauka_comparison *comparison = aspect->comparison;
    bool single = comparison->reference_count == 1 && comparison->other_count == 1;
    bool exact = comparison->method == LAUKA_METHOD_EXACT;
    lauka_phrase_say(phrase, "%s", single ? "" : exact ? "always " : "mean ");
    lauka_phrase_quantity(phrase, aspect, phrase->command,
                          mean_in_table(phrase, aspect, phrase->command, comparison->other_mean));
    lauka_phrase_say(phrase, " against ");
    lauka_phrase_quantity(phrase, aspect, 0,
                          mean_in_table(phrase, aspect, 0, comparison->reference_mean));
    lauka_phrase_noun(phrase, aspect);
}

bool lauka_phrase_of_values(const struct lauka_phrase *phrase)
{
    return phrase->result->run.stopped == LAUKA_STOPPED_STORED;
}

void lauka_phrase_rounds(struct lauka_phrase *phrase, const struct lauka_comparison *comparison)
{
    if (comparison->reference_count != comparison->other_count)
        lauka_phrase_say(phrase, "%" PRIu64 " and %" PRIu64 " values", comparison->reference_count,
                         comparison->other_count);
    else
        lauka_phrase_say(phrase, "%" PRIu64 " %s%s", comparison->pairs,
                         lauka_phrase_of_values(phrase) ? "value" : "round",
                         plural(comparison->pairs));
}

void lauka_phrase_interval(struct lauka_phrase *phrase, const char *interval)
{
    if (*interval)
        lauka_phrase_say(phrase, " %s", interval);
    if (*interval && phrase->command == 1 && !strstr(phrase->text, "confidence"))
        lauka_phrase_say(phrase, " (%.3g %% confidence)",
                         100 * lauka_result_confidence(phrase->result));
}

/* ---- one metric ------------------------------------------------------------------------------ */

static bool is_cpu(const struct lauka_aspect *aspect)
{
    return strcmp(aspect->name, "cpu_time") == 0 || strcmp(aspect->name, "user_time") == 0 ||
           strcmp(aspect->name, "system_time") == 0;
}

/* "takes 2.5 times as long as R [2.4, 2.6]": from a factor of 2 on, percentages mislead. Metrics other
 * than speed always change by a percentage when they get lower. */
static bool say_factor(struct lauka_phrase *phrase, const struct lauka_aspect *aspect)
{
    struct lauka_change change;
    const char *reference = phrase->reference_name, *noun = lauka_metric_noun(aspect->name);
    double log_ratio = aspect->comparison->log_ratio.value;
    bool speed = strcmp(aspect->unit, "ns") == 0 && !is_cpu(aspect);
    if (fabs(log_ratio) < log(1.995) || (log_ratio < 0 && !speed))
        return false;
    lauka_change_format_factor(aspect->comparison, &change);
    if (speed && log_ratio > 0)
        lauka_phrase_say(phrase, "takes %s times as long as %s", change.estimate, reference);
    else if (speed)
        lauka_phrase_say(phrase, "is %s times as fast as %s", change.estimate, reference);
    else if (is_cpu(aspect))
        lauka_phrase_say(phrase, "uses %s times the %s of %s", change.estimate, noun, reference);
    else if (*noun)
        lauka_phrase_say(phrase, "has %s times the %s of %s", change.estimate, noun, reference);
    else
        lauka_phrase_say(phrase, "is %s times as high as %s", change.estimate, reference);
    lauka_phrase_interval(phrase, change.interval);
    return true;
}

void lauka_phrase_difference(struct lauka_phrase *phrase, const struct lauka_aspect *aspect)
{
    struct lauka_change change;
    bool higher = aspect->comparison->verdict == LAUKA_VERDICT_HIGHER;
    const char *noun = lauka_metric_noun(aspect->name);
    if (say_factor(phrase, aspect))
        return;
    lauka_change_format_size(aspect->comparison, aspect->scale, &change);
    if (is_cpu(aspect))
        lauka_phrase_say(phrase, "uses %s %s %s than %s", change.estimate, higher ? "more" : "less",
                         noun, phrase->reference_name);
    else if (strcmp(aspect->unit, "ns") == 0 || !*noun)
        lauka_phrase_say(phrase, "is %s %s than %s", change.estimate,
                         lauka_verdict_word(aspect->comparison, aspect->unit),
                         phrase->reference_name);
    else
        lauka_phrase_say(phrase, "has %s %s %s than %s", change.estimate, higher ? "more" : "less",
                         noun, phrase->reference_name);
    lauka_phrase_interval(phrase, change.interval);
}

void lauka_phrase_share(struct lauka_phrase *phrase)
{
    char share[32];
    lauka_phrase_say(
        phrase, "%s",
        lauka_format_share(lauka_result_precision(phrase->result), share, sizeof share));
}
