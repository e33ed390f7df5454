/* The answer: one sentence for each command that says what its comparison found, and no more. "No
 * difference" is never said without the interval that proves it. */
#include "report/words/words.h"
#include "report/analysis/analysis.h"
#include "report/result/merged.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- parts of a sentence --------------------------------------------------------------------- */

/* A sentence about a command. */
struct phrase {
    struct lauka_prose *prose;
    const struct lauka_result *result;
    size_t command;
    const char *name, *reference;
    bool confident; /* the confidence of its intervals has been said */
    bool follows;   /* a sentence about other metrics has been said: this one names its own */
};

/* One metric of it. */
struct aspect {
    const struct lauka_comparison *comparison;
    size_t metric;
    struct lauka_scale scale; /* of differences */
    const char *name, *noun;  /* "wall_time", "wall time" */
    bool time;
};

static struct aspect aspect_of(const struct phrase *phrase, size_t metric)
{
    const struct lauka_result *result = phrase->result;
    return (struct aspect){
        .comparison = lauka_result_view(result, phrase->command, metric).comparison,
        .metric = metric,
        .scale = lauka_result_scale(result, metric, phrase->prose->utf8),
        .name = result->metrics[metric].name,
        .noun = lauka_metric_noun(result->metrics[metric].name),
        .time = lauka_is_time(result, metric),
    };
}

/* They were read from files: there were no rounds. */
static bool is_of_values(const struct phrase *phrase)
{
    return phrase->result->run.stopped == LAUKA_STOPPED_STORED;
}

/* "12.08 ms", with the digits that the command's deviation leaves, but not more than four, as nobody reads them in a
 * sentence; a value that would look like zero has a scale of its own. */
static const char *quantity(const struct phrase *phrase, const struct aspect *aspect,
                            size_t command, double value)
{
    struct lauka_prose *prose = phrase->prose;
    struct lauka_scale scale =
        lauka_result_scale_of(phrase->result, aspect->metric, value, prose->utf8);
    struct lauka_result_view view = lauka_result_view(phrase->result, command, aspect->metric);
    double deviation = lauka_result_deviation(phrase->result, command, aspect->metric);
    const char *number = lauka_say_uncertain(
        prose, value, view.counted ? view.summary->mean : value, deviation, scale);
    const char *four = lauka_say_scaled(prose, value, scale);
    return lauka_with_unit(prose, strlen(four) < strlen(number) ? four : number, scale.suffix);
}

/* " wall time" */
static const char *with_noun(const struct phrase *phrase, const char *text,
                             const struct aspect *aspect)
{
    return lauka_join(phrase->prose, text, " ", aspect->noun);
}

/* As the table has it: where values are missing, the pairs of a comparison have another one. */
static const char *mean_in_table(const struct phrase *phrase, const struct aspect *aspect,
                                 size_t command, double of_pairs)
{
    struct lauka_result_view view = lauka_result_view(phrase->result, command, aspect->metric);
    return quantity(phrase, aspect, command, view.counted ? view.summary->mean : of_pairs);
}

/* "mean 10.21 ms against 10.00 ms wall time" */
static const char *means(const struct phrase *phrase, const struct aspect *aspect)
{
    const struct lauka_comparison *comparison = aspect->comparison;
    bool single = comparison->reference_count == 1 && comparison->other_count == 1;
    bool exact = comparison->method == LAUKA_METHOD_EXACT;
    const char *both =
        lauka_say(phrase->prose, "%s%s against %s",
                  single  ? ""
                  : exact ? "always "
                          : "mean ",
                  mean_in_table(phrase, aspect, phrase->command, comparison->other_mean),
                  mean_in_table(phrase, aspect, 0, comparison->reference_mean));
    return with_noun(phrase, both, aspect);
}

/* ---- the two values beside a change ---------------------------------------------------------- */

/* Whether who divides the means gets the ratio that the sentence gives, within a twentieth of its change, and within
 * 2 %. */
static bool means_agree(const struct lauka_comparison *comparison)
{
    const double ratio = comparison->log_ratio.value;
    if (!comparison->log_ratio.known || !isfinite(ratio) || !(comparison->reference_mean > 0) ||
        !(comparison->other_mean > 0))
        return true;
    return fabs(log(comparison->other_mean / comparison->reference_mean) - ratio) <=
           fmin(fabs(ratio) / 20, 0.02);
}

/* Two values whose ratio is the estimate: as far from the middle of both medians, on a scale of logarithms, as each
 * other. False if a median is not known, or 0. */
static bool find_typical(const struct phrase *phrase, const struct aspect *aspect, double *own,
                         double *reference)
{
    const struct lauka_result *result = phrase->result;
    double after = lauka_result_view(result, phrase->command, aspect->metric).summary->median;
    double before = lauka_result_view(result, 0, aspect->metric).summary->median;
    double half = exp(aspect->comparison->log_ratio.value / 2), middle = sqrt(after * before);
    *own = middle * half;
    *reference = middle / half;
    return middle > 0;
}

/* The decimals that a number is written with. */
static int decimals_in(const char *number)
{
    const char *point = strchr(number, '.');
    return point ? (int)strspn(point + 1, "0123456789") : 0;
}

/* With enough digits for a reader to find the difference between the two again, within a fifth. */
static const char *resolved(const struct phrase *phrase, const struct aspect *aspect,
                            size_t command, double value, double other)
{
    enum { MOST = 6 };
    struct lauka_prose *prose = phrase->prose;
    struct lauka_scale scale =
        lauka_result_scale_of(phrase->result, aspect->metric, value, prose->utf8);
    const char *text = quantity(phrase, aspect, command, value);
    int needed = 0;
    while (needed < MOST && lauka_power_of_ten(-needed) > fabs(value - other) / scale.divisor / 5)
        needed++;
    if (value == other || decimals_in(text) >= needed || *text == '<')
        return text;
    return lauka_with_unit(prose, lauka_say(prose, "%.*f", needed, value / scale.divisor),
                           scale.suffix);
}

/* "typically 12.1 ms against 4.02 ms wall time" where the means have another ratio than the change. */
static const char *sides(const struct phrase *phrase, const struct aspect *aspect)
{
    const struct lauka_comparison *comparison = aspect->comparison;
    double own, reference;
    bool of_means = comparison->method == LAUKA_METHOD_EXACT || means_agree(comparison);
    if (of_means || !find_typical(phrase, aspect, &own, &reference))
        return means(phrase, aspect);
    return with_noun(phrase,
                     lauka_say(phrase->prose, "typically %s against %s",
                               resolved(phrase, aspect, phrase->command, own, reference),
                               resolved(phrase, aspect, 0, reference, own)),
                     aspect);
}

/* "38 rounds", "38 values" */
static const char *rounds(const struct phrase *phrase, const struct lauka_comparison *comparison)
{
    if (comparison->reference_count != comparison->other_count)
        return lauka_say(phrase->prose, "%" PRIu64 " and %" PRIu64 " values",
                         comparison->reference_count, comparison->other_count);
    return lauka_say(phrase->prose, "%" PRIu64 " %s%s", comparison->pairs,
                     is_of_values(phrase) ? "value" : "round", lauka_plural(comparison->pairs));
}

/* "+1.2 % [-2.1, +4.6]"; the first interval of a sentence about the first command also gives the confidence of all. */
static const char *with_interval(struct phrase *phrase, const char *text, const char *interval)
{
    text = lauka_join(phrase->prose, text, " ", interval);
    if (!*interval || phrase->command != 1 || phrase->confident)
        return text;
    phrase->confident = true;
    return lauka_say(phrase->prose, "%s (%.3g %% confidence)", text,
                     100 * lauka_result_confidence(phrase->result));
}

static const char *change(struct phrase *phrase, const struct aspect *aspect)
{
    struct lauka_change change = lauka_change(phrase->prose, aspect->comparison, aspect->scale);
    return with_interval(phrase, change.estimate, change.interval);
}

/* "1 %": differences up to this do not matter. */
static const char *precision(const struct phrase *phrase)
{
    return lauka_say_share(phrase->prose, lauka_result_precision(phrase->result));
}

/* "takes 2.5 times as long as R": from a factor of 2 on, percentages mislead. */
static const char *say_factor(const struct phrase *phrase, const struct aspect *aspect, bool speed,
                              const char *factor)
{
    struct lauka_prose *prose = phrase->prose;
    const bool rises = aspect->comparison->verdict == LAUKA_VERDICT_HIGHER;
    if (speed)
        return lauka_say(prose,
                         rises ? "takes %s times as long as %s" : "is %s times as fast as %s",
                         factor, phrase->reference);
    if (!rises && !*aspect->noun)
        return lauka_say(prose, "is lower than %s by a factor of %s", phrase->reference, factor);
    if (!rises)
        return lauka_say(prose, "%s less %s than %s by a factor of %s",
                         lauka_metric_verb(aspect->name), aspect->noun, phrase->reference, factor);
    if (!*aspect->noun)
        return lauka_say(prose, "is %s times as high as %s", factor, phrase->reference);
    return lauka_say(prose, "%s %s times the %s of %s", lauka_metric_verb(aspect->name), factor,
                     aspect->noun, phrase->reference);
}

/* "is 2.1 % slower than R [1.2, 3.0]", "uses 3.0 % more CPU time than R [2.8, 3.2]" */
static const char *difference(struct phrase *phrase, const struct aspect *aspect)
{
    struct lauka_prose *prose = phrase->prose;
    const bool cpu = lauka_is_cpu_time(aspect->name), speed = aspect->time && !cpu;
    if (lauka_change_is_factor(aspect->comparison)) {
        struct lauka_change factor = lauka_change_factor(prose, aspect->comparison);
        return with_interval(phrase, say_factor(phrase, aspect, speed, factor.estimate),
                             factor.interval);
    }
    struct lauka_change size = lauka_change_size(prose, aspect->comparison, aspect->scale);
    const char *text;
    if (!cpu && (aspect->time || !*aspect->noun))
        text = lauka_say(prose, "is %s %s than %s", size.estimate,
                         lauka_verdict_word(aspect->comparison, aspect->time), phrase->reference);
    else
        text =
            lauka_say(prose, "%s %s %s %s than %s", lauka_metric_verb(aspect->name), size.estimate,
                      aspect->comparison->verdict == LAUKA_VERDICT_HIGHER ? "more" : "less",
                      aspect->noun, phrase->reference);
    return with_interval(phrase, text, size.interval);
}

/* ---- one metric ------------------------------------------------------------------------------ */

static bool is_within(const struct lauka_comparison *comparison)
{
    return comparison && (comparison->verdict == LAUKA_VERDICT_EQUIVALENT ||
                          comparison->verdict == LAUKA_VERDICT_IDENTICAL ||
                          (lauka_is_clear(comparison) && comparison->below_precision));
}

static struct lauka_optional log_of(struct lauka_optional ratio)
{
    return (struct lauka_optional){ratio.known, log(fmax(0, ratio.value))};
}

static const char *say_clear(struct phrase *phrase, const struct aspect *aspect)
{
    const char *less = "";
    if (aspect->comparison->below_precision)
        less = lauka_say(phrase->prose, ", less than the %s that matters here", precision(phrase));
    return lauka_say(phrase->prose, " %s%s: %s", difference(phrase, aspect), less,
                     sides(phrase, aspect));
}

/* Of typical values that do not differ, where the means may: a typical run is not what all of them cost. */
static const char *say_wide_mean(const struct phrase *phrase,
                                 const struct lauka_comparison *comparison)
{
    struct lauka_prose *prose = phrase->prose;
    const double least = lauka_result_precision(phrase->result);
    const double low = comparison->mean_low.value, high = comparison->mean_high.value;
    if (comparison->verdict != LAUKA_VERDICT_EQUIVALENT || !comparison->mean_low.known ||
        (high <= 1 + least && low >= 1 / (1 + least)))
        return "";
    const double from = 100 * (low - 1), to = 100 * (high - 1);
    const int decimals = fmax(fabs(from), fabs(to)) < 9.95 ? 1 : 0;
    return lauka_say(prose, "; the mean is known only to [%s%.*f, %s%.*f] %%",
                     lauka_sign(from, prose->utf8), decimals, fabs(from),
                     lauka_sign(to, prose->utf8), decimals, fabs(to));
}

/* Of typical values that differ, where the means do so the other way. Where the change is no ratio, as a value is 0, the
 * means stand before this. */
static const char *say_contrary_mean(const struct phrase *phrase,
                                     const struct lauka_comparison *comparison)
{
    struct lauka_prose *prose = phrase->prose;
    const struct lauka_optional low = comparison->mean_low, high = comparison->mean_high;
    const double rise = comparison->other_mean - comparison->reference_mean;
    if (!lauka_is_clear(comparison) ||
        !(comparison->verdict == LAUKA_VERDICT_HIGHER ? rise < 0 : rise > 0))
        return "";
    if (!comparison->ratio.known)
        return lauka_say(prose, "; but the mean is %s", lauka_direction_word(rise > 0, false));
    if (!low.known ||
        fabs(comparison->mean_ratio.value - 1) <= lauka_result_precision(phrase->result))
        return "";
    const struct lauka_comparison means = {.confidence = comparison->confidence,
                                           .log_ratio = log_of(comparison->mean_ratio),
                                           .log_low = log_of(low),
                                           .log_high = log_of(high)};
    return lauka_say(prose, "; but the mean %s %s",
                     low.value > 1 || high.value < 1 ? "is" : "was measured",
                     lauka_say_higher(prose, &means, (struct lauka_scale){1, "", 0}));
}

static const char *say_equivalent(struct phrase *phrase, const struct aspect *aspect)
{
    struct lauka_prose *prose = phrase->prose;
    struct lauka_change change = lauka_change(prose, aspect->comparison, aspect->scale);
    const char *text = lauka_say(prose, " shows no difference larger than %s from %s",
                                 precision(phrase), phrase->reference);
    return lauka_say(prose, "%s: %s", with_interval(phrase, text, change.interval),
                     means(phrase, aspect));
}

static const char *say_identical(const struct phrase *phrase, const struct aspect *aspect)
{
    const char *text =
        lauka_say(phrase->prose, " is identical to %s: always %s", phrase->reference,
                  quantity(phrase, aspect, phrase->command, aspect->comparison->other_mean));
    return with_noun(phrase, text, aspect);
}

/* With two digits, as such a forecast is not worth more. A stored precision may make it endless. */
static double rounded_up(double number)
{
    double step = lauka_power_of_ten((int)fmin(16, fmax(0, floor(log10(number)) - 1)));
    return step * ceil(number / step);
}

/* What would make an inconclusive comparison clearer: its known cause, or more rounds. Even then it may
 * stay inconclusive. The width of an interval of few rounds says nothing about many. */
static const char *say_cure(const struct phrase *phrase, const struct lauka_comparison *comparison,
                            bool busy)
{
    struct lauka_prose *prose = phrase->prose;
    const struct lauka_result *result = phrase->result;
    struct lauka_optional factor =
        lauka_stopping_factor(&comparison, 1, lauka_result_precision(result));
    if (busy)
        return "; the machine is busy";
    if (!factor.known || factor.value <= 1 || factor.value >= 1e6)
        return "";
    if (lauka_result_has_hosts(result))
        return "; more hosts would narrow that, more rounds would not";
    if (lauka_result_has_layouts(result)) {
        double layouts = rounded_up(factor.value * (double)comparison->units);
        return layouts > 1000
                   ? "; more layouts would narrow that"
                   : lauka_say(prose, "; more layouts would narrow that, about --layouts=%.0f",
                               layouts);
    }
    if (comparison->pairs < LAUKA_FEWEST_FORECAST)
        return is_of_values(phrase) ? "; more values would narrow that"
                                    : "; more rounds would narrow that";
    return lauka_say(prose, "; about %s%.0f would reach %s%s",
                     result->run.stopped == LAUKA_STOPPED_ROUNDS ? "--runs=" : "",
                     rounded_up(factor.value * (double)comparison->pairs), prose->signs->plus_minus,
                     precision(phrase));
}

const char lauka_order_reason[] = "only an order drawn by lot gives a verdict: --order shuffle";

/* The fewest that give a verdict in this family. */
static uint64_t rounds_needed(const struct phrase *phrase, const struct aspect *aspect)
{
    double family = fmax(1, (double)aspect->comparison->family);
    double alpha = lauka_result_alpha(phrase->result) / family;
    return phrase->result->run.unpaired
               ? (uint64_t)lauka_location_needed(alpha, true)
               : lauka_family_rounds(alpha * lauka_result_weight(phrase->result, aspect->metric));
}

/* "6"; "6 (about --max-time 5s)" where a given time was too short for them. */
static const char *say_rounds_needed(const struct phrase *phrase, const struct aspect *aspect)
{
    struct lauka_prose *prose = phrase->prose;
    const uint64_t needed = rounds_needed(phrase, aspect);
    const struct lauka_time_limit limit = lauka_time_limit(prose, phrase->result, needed);
    return *limit.enough
               ? lauka_say(prose, "%" PRIu64 " (about %s %s)", needed, limit.option, limit.enough)
               : lauka_say(prose, "%" PRIu64, needed);
}

/* Why it is uncertain, or what would help. */
static const char *say_cause(const struct phrase *phrase, const struct aspect *aspect, bool busy)
{
    struct lauka_prose *prose = phrase->prose;
    const struct lauka_comparison *comparison = aspect->comparison;
    if (comparison->mean_doubted)
        return lauka_say(prose, "; but the means differ by %.2g %%",
                         100 * fabs(comparison->mean_ratio.value - 1));
    if (phrase->result->metrics[aspect->metric].apart)
        return "; the sides were counted under different circumstances";
    if (lauka_result_is_partial(phrase->result, 0, aspect->metric) ||
        lauka_result_is_partial(phrase->result, phrase->command, aspect->metric))
        return lauka_say(prose, "; %s", lauka_partial_reason(phrase->result, 0, phrase->command));
    if (!lauka_result_is_drawn(phrase->result))
        return lauka_say(prose, "; %s", lauka_order_reason);
    if (lauka_verdict_needs_more(comparison))
        return lauka_say(prose, "; a verdict needs at least %s", say_rounds_needed(phrase, aspect));
    return say_cure(phrase, comparison, busy);
}

/* ": +1.2 % [-2.1, +4.6] after 38 rounds; about 440 would reach ±1 %" */
static const char *say_uncertainty(struct phrase *phrase, const struct aspect *aspect, bool busy)
{
    struct lauka_prose *prose = phrase->prose;
    const char *after = lauka_result_has_hosts(phrase->result)
                            ? lauka_say(prose, "on %" PRIu64 " hosts", aspect->comparison->units)
                            : lauka_say(prose, "after %s", rounds(phrase, aspect->comparison));
    if (is_of_values(phrase)) /* a table may be far away, or not there at all */
        after = lauka_say(prose, "%s, %s", after, sides(phrase, aspect));
    return lauka_say(prose, ": %s %s%s", change(phrase, aspect), after,
                     say_cause(phrase, aspect, busy));
}

/* Alone it would have counted as a difference; among so many comparisons it does not. */
static const char *say_withdrawn(struct phrase *phrase, const struct aspect *aspect)
{
    struct lauka_prose *prose = phrase->prose;
    const uint64_t family = aspect->comparison->family, needed = rounds_needed(phrase, aspect);
    const char *more = "";
    if (aspect->comparison->pairs < needed)
        more = lauka_say(prose, "; %" PRIu64 " %s could exclude that", needed,
                         is_of_values(phrase) ? "values" : "rounds");
    return lauka_say(
        prose, " against %s is inconclusive: %s may be chance, as one of %" PRIu64 " comparisons%s",
        phrase->reference, change(phrase, aspect), family, more);
}

/* How many rounds are certain to give an interval: as many as ranks need if Student's t says nothing,
 * because all pairs differ by the same amount; a constant is accepted from LAUKA_FEWEST_EXACT on. */
static const char *say_needed(const struct phrase *phrase, const struct aspect *aspect)
{
    struct lauka_prose *prose = phrase->prose;
    const struct lauka_result *result = phrase->result;
    const struct lauka_comparison *comparison = aspect->comparison;
    const struct lauka_summary *other =
        lauka_result_view(result, phrase->command, aspect->metric).summary;
    const struct lauka_summary *reference = lauka_result_view(result, 0, aspect->metric).summary;
    bool constant = reference->min == reference->max && other->min == other->max;
    bool unpaired = result->run.unpaired;
    if (lauka_result_has_layouts(result))
        return lauka_say(prose, " of %" PRIu64 " layouts each, and a verdict needs at least %d; ",
                         comparison->units, LAUKA_FEWEST_LAYOUTS);
    if (comparison->pairs < LAUKA_FEWEST_INTERVAL && !unpaired)
        return lauka_say(prose, ", and no verdict yet, which needs at least %s; ",
                         say_rounds_needed(phrase, aspect));
    int needed =
        constant ? LAUKA_FEWEST_EXACT : lauka_location_needed(lauka_result_alpha(result), unpaired);
    if (comparison->pairs >= (uint64_t)needed)
        return " in steps, of which too few differ for an interval; ";
    return lauka_say(prose, "; an interval needs at least %d%s; ", needed,
                     unpaired ? " of each" : "");
}

/* Two files cannot say what changes between sessions, or between the runs that wrote two logs. */
static const char *say_apart(const struct phrase *phrase, const struct aspect *aspect)
{
    struct lauka_prose *prose = phrase->prose;
    const struct lauka_comparison *comparison = aspect->comparison;
    struct lauka_change change = lauka_change(prose, comparison, aspect->scale);
    if (phrase->result->run.apart == LAUKA_APART_LOGS)
        return lauka_say(prose,
                         ": %s seen, and no verdict: one log a side is one unit, and what lies "
                         "between the two may be the runs. Several logs of each give a verdict: "
                         "lauka compare base-*.hlog --vs head-*.hlog",
                         change.estimate);
    const char *two = "Two";
    if (comparison->run_to_run.known)
        two = lauka_say(prose, "From run to run this is known to %s%s, but two",
                        prose->signs->plus_minus,
                        lauka_say_share_roughly(prose, comparison->run_to_run.value));
    return lauka_say(prose,
                     ", measured one after the other: %s. %s sessions of the same program may "
                     "differ by more, and two files cannot tell. For a verdict, measure both in "
                     "one session: lauka keep and lauka revisions run the older one again; "
                     "or keep five sessions or more: --history DIR",
                     change.estimate, two);
}

static const char *say_inconclusive(struct phrase *phrase, const struct aspect *aspect, bool busy)
{
    struct lauka_prose *prose = phrase->prose;
    const struct lauka_comparison *comparison = aspect->comparison;
    if (comparison->withdrawn)
        return say_withdrawn(phrase, aspect);
    const char *what;
    if (phrase->result->run.apart != LAUKA_APART_NOT && comparison->confidence <= 0)
        what = say_apart(phrase, aspect);
    else if (phrase->result->merged.host_count == 2)
        what =
            lauka_say(prose, ": %s",
                      lauka_hosts_of_two(prose, phrase->result, phrase->command, aspect->metric));
    else if (comparison->confidence > 0)
        what = lauka_say(prose, " is inconclusive%s%s",
                         phrase->follows
                             ? lauka_say(prose, " in %s", lauka_metric_topic(prose, aspect->name))
                             : "",
                         say_uncertainty(phrase, aspect, busy));
    else
        what = lauka_say(prose, ": %s%s%s", rounds(phrase, comparison), say_needed(phrase, aspect),
                         means(phrase, aspect));
    return lauka_say(prose, " against %s%s", phrase->reference, what);
}

static const char *say_one(struct phrase *phrase, const struct aspect *aspect, bool busy)
{
    const enum lauka_verdict verdict = aspect->comparison->verdict;
    return verdict == LAUKA_VERDICT_IDENTICAL    ? say_identical(phrase, aspect)
           : verdict == LAUKA_VERDICT_EQUIVALENT ? say_equivalent(phrase, aspect)
           : lauka_is_clear(aspect->comparison)  ? say_clear(phrase, aspect)
                                                 : say_inconclusive(phrase, aspect, busy);
}

/* ---- runs that failed ------------------------------------------------------------------------ */

/* "it failed in 3 of 10 runs"; empty if it did not. */
static const char *say_failed(const struct phrase *phrase, const char *subject, size_t command)
{
    const uint64_t failures = phrase->result->commands[command].failures;
    return failures == 0
               ? ""
               : lauka_say(phrase->prose, "%s failed in %" PRIu64 " of %" PRIu64 " runs", subject,
                           failures, lauka_result_rounds(phrase->result, command));
}

/* What -i accepted: who reads of a change must know that the work may not be the same. */
static const char *say_failures(const struct phrase *phrase)
{
    struct lauka_prose *prose = phrase->prose;
    const char *both = say_failed(phrase, "both", 0);
    if (*both && strcmp(both, say_failed(phrase, "both", phrase->command)) == 0)
        return lauka_say(prose, "; %s", both);
    const char *text = lauka_join(prose, say_failed(phrase, "it", phrase->command), ", and ",
                                  say_failed(phrase, phrase->reference, 0));
    return *text ? lauka_say(prose, "; %s", text) : "";
}

/* ---- two metrics ----------------------------------------------------------------------------- */

/* What CPU time adds to what was said about wall time. */
static const char *say_cpu_time(struct phrase *phrase, const struct lauka_comparison *wall,
                                const struct aspect *cpu)
{
    struct lauka_prose *prose = phrase->prose;
    bool clear = lauka_is_clear(cpu->comparison) && !is_within(cpu->comparison);
    bool agrees =
        lauka_is_clear(wall) && !is_within(wall) && wall->verdict == cpu->comparison->verdict;
    if (is_within(cpu->comparison) && !is_within(wall))
        return lauka_say(prose, "; CPU time differs by less than %s", precision(phrase));
    if (!clear || agrees)
        return "";
    struct lauka_change size = lauka_change_size(prose, cpu->comparison, cpu->scale);
    const char *text =
        lauka_say(prose, "; but it uses %s %s CPU time", size.estimate,
                  cpu->comparison->verdict == LAUKA_VERDICT_HIGHER ? "more" : "less");
    return with_interval(phrase, text, size.interval);
}

static bool is_busy(const struct phrase *phrase, size_t metric)
{
    const struct lauka_result *result = phrase->result;
    size_t index = (phrase->command - 1) * result->metric_count + metric;
    return index < result->comparison_count &&
           result->comparisons[index].doubts.raised[LAUKA_DOUBT_BUSY].known;
}

/* CPU time stands first where wall time cannot tell, and it can. */
static const char *say_compared(struct phrase *phrase, size_t metric)
{
    struct lauka_prose *prose = phrase->prose;
    const struct lauka_result *result = phrase->result;
    size_t cpu_time = lauka_result_metric_index(result, "cpu_time");
    struct aspect main = aspect_of(phrase, metric), cpu = {.comparison = NULL};
    const struct lauka_comparison *comparison = main.comparison;
    bool busy = is_busy(phrase, metric);
    if (strcmp(main.name, "wall_time") == 0 && cpu_time < result->metric_count &&
        result->metrics[cpu_time].primary)
        cpu = aspect_of(phrase, cpu_time);
    if (comparison->verdict == LAUKA_VERDICT_INCONCLUSIVE && comparison->confidence > 0 &&
        !comparison->withdrawn && lauka_is_clear(cpu.comparison) && !is_within(cpu.comparison)) {
        const char *first = difference(phrase, &cpu);
        return lauka_say(prose, "%s %s; wall time is inconclusive%s%s%s.", phrase->name, first,
                         say_uncertainty(phrase, &main, busy),
                         lauka_memory_clause(prose, result, phrase->command), say_failures(phrase));
    }
    const char *text = say_one(phrase, &main, busy);
    return lauka_say(
        prose, "%s%s%s%s%s%s%s%s%s.", phrase->name, text, say_wide_mean(phrase, comparison),
        say_contrary_mean(phrase, comparison),
        is_of_values(phrase) ? lauka_say_percentile(prose, result, phrase->command, metric, true)
                             : "",
        cpu.comparison ? say_cpu_time(phrase, comparison, &cpu) : "",
        lauka_memory_clause(prose, result, phrase->command),
        result->merged.host_count < 3 ? ""
                                      : lauka_hosts_clause(prose, result, phrase->command, metric),
        say_failures(phrase));
}

/* ---- a command alone ------------------------------------------------------------------------- */

static const char *say_alone(const struct phrase *phrase, size_t metric)
{
    struct lauka_prose *prose = phrase->prose;
    struct lauka_result_view view = lauka_result_view(phrase->result, phrase->command, metric);
    const struct lauka_summary *summary = view.summary;
    struct aspect aspect = aspect_of(phrase, metric);
    const char *text = quantity(phrase, &aspect, phrase->command, summary->mean), *end;
    if (summary->stddev.known && !view.at_least)
        text = lauka_say(prose, "%s %s %s", text, prose->signs->plus_minus,
                         quantity(phrase, &aspect, phrase->command, summary->stddev.value));
    const bool named = aspect.time && strcmp(aspect.name, "wall_time") != 0 &&
                       !lauka_is_cpu_time(aspect.name) && *aspect.noun;
    if (named)
        text = lauka_join(prose, aspect.noun, " of ", text);
    else if (strcmp(aspect.name, "wall_time") != 0)
        text = with_noun(phrase, text, &aspect);
    if (summary->count > 1)
        end = lauka_say(prose, " over %" PRIu64 " %s", summary->count,
                        aspect.time ? "rounds" : "values");
    else
        end = is_of_values(phrase) ? ", its only value" : " in the one round that was measured";
    end = lauka_join(prose, end, "; ", say_failed(phrase, "it", phrase->command));
    return lauka_say(prose, "%s %s %s%s.", phrase->name,
                     named           ? "has a mean"
                     : aspect.time   ? "took"
                     : view.at_least ? "has a mean of at least"
                                     : "has the mean",
                     text, end);
}

const char *lauka_result_sentence_about(struct lauka_prose *prose,
                                        const struct lauka_result *result, size_t command,
                                        const char *name, const char *reference_name)
{
    size_t metric = lauka_result_main_metric(result);
    uint64_t count = lauka_result_rounds(result, command);
    struct phrase phrase = {prose, result, command, name, reference_name, false, false};
    if (count == 0)
        return lauka_say(prose, "%s finished no measured round.", name);
    if (metric >= result->metric_count || !lauka_result_view(result, command, metric).counted) {
        const char *noun =
            metric < result->metric_count ? lauka_metric_noun(result->metrics[metric].name) : "";
        return lauka_say(prose, "%s ran in %" PRIu64 " round%s; its %s was not measured.", name,
                         count, lauka_plural(count), *noun ? noun : "time");
    }
    const struct lauka_comparison *comparison = lauka_result_comparison(result, command, metric);
    if (!comparison || comparison->pairs == 0)
        return say_alone(&phrase, metric);
    const char *decided = lauka_exceeded_sentence(prose, result, command, name, reference_name);
    phrase.follows = *decided || strcmp(result->metrics[metric].name, "wall_time") != 0;
    return lauka_say(prose, "%s%s", decided, say_compared(&phrase, metric));
}

const char *lauka_result_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                  size_t command)
{
    return lauka_result_sentence_about(prose, result, command,
                                       lauka_say_subject(prose, result, command),
                                       lauka_say_subject(prose, result, 0));
}
