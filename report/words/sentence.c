/* The answer: one sentence for each command that says what its comparison found, and no more. "No
 * difference" is never said without the interval that proves it. */
#include "report/words/words.h"
#include "report/words/phrase.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
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

static void say_clear(struct lauka_phrase *phrase, const struct lauka_aspect *aspect)
{
    const struct lauka_comparison *comparison = aspect->comparison;
    lauka_phrase_say(phrase, " ");
    lauka_phrase_difference(phrase, aspect);
    if (comparison->below_precision) {
        lauka_phrase_say(phrase, ", less than the ");
        lauka_phrase_share(phrase);
        lauka_phrase_say(phrase, " that matters here");
    }
    lauka_phrase_say(phrase, ": ");
    lauka_phrase_means(phrase, aspect);
}

/* Where the mean says more than the precision, or the opposite: a typical run is not what all of them cost. */
static void add_mean(struct lauka_phrase *phrase, const struct lauka_comparison *comparison)
{
    const struct lauka_optional low = comparison->mean_low, high = comparison->mean_high;
    const double precision = lauka_result_precision(phrase->result);
    double rise = comparison->mean_ratio.value - 1;
    bool opposite = is_clear(comparison) && comparison->ratio.known && low.known &&
                    (comparison->ratio.value > 1) == (rise < 0) && fabs(rise) > precision;
    bool wide = comparison->verdict == LAUKA_VERDICT_EQUIVALENT && low.known &&
                (high.value > 1 + precision || low.value < 1 / (1 + precision));
    if (opposite && (low.value > 1 || high.value < 1))
        lauka_phrase_say(phrase, "; but the mean is %.2g %% %s", 100 * fabs(rise),
                         rise > 0 ? "higher" : "lower");
    else if (opposite)
        lauka_phrase_say(phrase, "; but the mean was measured %.2g %% %s", 100 * fabs(rise),
                         rise > 0 ? "higher" : "lower");
    else if (wide)
        lauka_phrase_say(phrase, "; the mean is known only to");
    if (opposite || wide)
        lauka_phrase_say(phrase, " [%s%.2g, %s%.2g]%s", lauka_sign(low.value - 1, phrase->utf8),
                         100 * fabs(low.value - 1), lauka_sign(high.value - 1, phrase->utf8),
                         100 * fabs(high.value - 1), wide ? " %" : "");
}

static void say_equivalent(struct lauka_phrase *phrase, const struct lauka_aspect *aspect)
{
    struct lauka_change change;
    lauka_change_format(aspect->comparison, aspect->scale, phrase->utf8, &change);
    lauka_phrase_say(phrase, " shows no difference larger than ");
    lauka_phrase_share(phrase);
    lauka_phrase_say(phrase, " from %s", phrase->reference_name);
    lauka_phrase_interval(phrase, change.interval);
    lauka_phrase_say(phrase, ": ");
    lauka_phrase_means(phrase, aspect);
}

static void say_identical(struct lauka_phrase *phrase, const struct lauka_aspect *aspect)
{
    lauka_phrase_say(phrase, " is identical to %s: always ", phrase->reference_name);
    lauka_phrase_quantity(phrase, aspect, phrase->command, aspect->comparison->other_mean);
    lauka_phrase_noun(phrase, aspect);
}

/* With two digits, as such a forecast is not worth more. A stored precision may make it endless. */
static double rounded_up(double rounds)
{
    double step = lauka_power_of_ten((int)fmin(16, fmax(0, floor(log10(rounds)) - 1)));
    return step * ceil(rounds / step);
}

/* What would make an inconclusive comparison clearer: its known cause, or more rounds. Even then it may
 * stay inconclusive. The width of an interval of few rounds says nothing about many. */
static void say_cure(struct lauka_phrase *phrase, const struct lauka_comparison *comparison,
                     bool busy)
{
    const struct lauka_result *result = phrase->result;
    bool stored = lauka_phrase_of_values(phrase);
    struct lauka_optional factor =
        lauka_stopping_factor(&comparison, 1, lauka_result_precision(result));
    if (busy) {
        lauka_phrase_say(phrase, "; the machine is busy");
        return;
    }
    if (!factor.known || factor.value <= 1 || factor.value >= 1e6)
        return;
    if (lauka_result_has_hosts(result)) {
        lauka_phrase_say(phrase, "; more hosts would narrow that, more rounds would not");
        return;
    }
    if (lauka_result_has_layouts(result)) {
        double layouts = rounded_up(factor.value * (double)comparison->units);
        lauka_phrase_say(phrase, "; more layouts would narrow that");
        if (layouts <= 1000)
            lauka_phrase_say(phrase, ", about --layouts=%.0f", layouts);
        return;
    }
    if (comparison->pairs < LAUKA_FEWEST_FORECAST) {
        lauka_phrase_say(phrase, "; more %s would narrow that", stored ? "values" : "rounds");
        return;
    }
    lauka_phrase_say(phrase, "; about %s%.0f would reach %s",
                     result->run.stopped == LAUKA_STOPPED_ROUNDS ? "--runs=" : "",
                     rounded_up(factor.value * (double)comparison->pairs),
                     phrase->utf8 ? "±" : "+-");
    lauka_phrase_share(phrase);
}

const char lauka_order_reason[] = "only an order drawn by lot gives a verdict: --order shuffle";

/* The fewest that give a verdict in this family. */
static uint64_t rounds_of(const struct lauka_phrase *phrase, const struct lauka_aspect *aspect)
{
    double family = fmax(1, (double)aspect->comparison->family);
    double alpha = lauka_result_alpha(phrase->result) / family;
    return phrase->result->run.unpaired
               ? (uint64_t)lauka_location_needed(alpha, true)
               : lauka_family_rounds(alpha * lauka_families_weight(phrase->result, aspect->metric));
}

/* "+1.2 % [-2.1, +4.6] after 38 rounds; about 440 would reach ±1 %" */
static void say_uncertainty(struct lauka_phrase *phrase, const struct lauka_aspect *aspect,
                            bool busy)
{
    struct lauka_change change;
    const struct lauka_comparison *comparison = aspect->comparison;
    lauka_change_format(comparison, aspect->scale, phrase->utf8, &change);
    lauka_phrase_say(phrase, ": %s", change.estimate);
    lauka_phrase_interval(phrase, change.interval);
    if (lauka_result_has_hosts(phrase->result)) {
        lauka_phrase_say(phrase, " on %" PRIu64 " hosts", comparison->units);
    } else {
        lauka_phrase_say(phrase, " after ");
        lauka_phrase_rounds(phrase, comparison);
    }
    if (comparison->mean_doubted)
        lauka_phrase_say(phrase, "; but the means differ by %.2g %%",
                         100 * fabs(comparison->mean_ratio.value - 1));
    else if (lauka_result_is_partial(phrase->result, 0, aspect->metric) ||
             lauka_result_is_partial(phrase->result, phrase->command, aspect->metric))
        lauka_phrase_say(phrase, "; %s", lauka_partial_reason(phrase->result, 0, phrase->command));
    else if (!lauka_result_is_drawn(phrase->result))
        lauka_phrase_say(phrase, "; %s", lauka_order_reason);
    else if (lauka_verdict_needs_more(comparison))
        lauka_phrase_say(phrase, "; a verdict needs at least %" PRIu64, rounds_of(phrase, aspect));
    else
        say_cure(phrase, comparison, busy);
}

/* Alone it would have counted as a difference; among so many comparisons it does not. */
static void say_withdrawn(struct lauka_phrase *phrase, const struct lauka_aspect *aspect)
{
    struct lauka_change change;
    lauka_change_format(aspect->comparison, aspect->scale, phrase->utf8, &change);
    lauka_phrase_say(phrase, " against %s is inconclusive (1 of %" PRIu64 "): %s",
                     phrase->reference_name, aspect->comparison->family, change.estimate);
    lauka_phrase_interval(phrase, change.interval);
    uint64_t family = aspect->comparison->family;
    lauka_phrase_say(phrase, " can be chance among %" PRIu64 " comparisons", family);
    uint64_t needed = rounds_of(phrase, aspect);
    if (aspect->comparison->pairs < needed)
        lauka_phrase_say(phrase, "; %" PRIu64 " %s could exclude that", needed,
                         lauka_phrase_of_values(phrase) ? "values" : "rounds");
}

/* How many rounds are certain to give an interval: as many as ranks need if Student's t says nothing,
 * because all pairs differ by the same amount; a constant is accepted from LAUKA_FEWEST_EXACT on. */
static void say_needed(struct lauka_phrase *phrase, const struct lauka_aspect *aspect)
{
    const struct lauka_result *result = phrase->result;
    const struct lauka_comparison *comparison = aspect->comparison;
    const struct lauka_summary *other =
        lauka_result_view(result, phrase->command, aspect->metric).summary;
    const struct lauka_summary *reference = lauka_result_view(result, 0, aspect->metric).summary;
    bool constant = reference->min == reference->max && other->min == other->max;
    bool unpaired = result->run.unpaired;
    if (lauka_result_has_layouts(result)) {
        lauka_phrase_say(phrase, " of %" PRIu64 " layouts each, and a verdict needs at least %d; ",
                         comparison->units, LAUKA_FEWEST_LAYOUTS);
        return;
    }
    if (comparison->pairs < LAUKA_FEWEST_INTERVAL && !unpaired) {
        lauka_phrase_say(phrase, ", and a verdict needs at least %" PRIu64 "; ",
                         rounds_of(phrase, aspect));
        return;
    }
    int needed =
        constant ? LAUKA_FEWEST_EXACT : lauka_location_needed(lauka_result_alpha(result), unpaired);
    if (comparison->pairs >= (uint64_t)needed)
        lauka_phrase_say(phrase, " in steps, of which too few differ for an interval; ");
    else
        lauka_phrase_say(phrase, "; an interval needs at least %d%s; ", needed,
                         unpaired ? " of each" : "");
}

static void say_two_hosts(struct lauka_phrase *phrase, const struct lauka_aspect *aspect)
{
    char text[1024];
    lauka_hosts_of_two(phrase->result, phrase->command, aspect->metric, phrase->utf8, text,
                       sizeof text);
    lauka_phrase_say(phrase, ": %s", text);
}

/* Two files cannot say what changes between sessions, or between the runs that wrote two logs. */
static void say_apart(struct lauka_phrase *phrase, const struct lauka_aspect *aspect)
{
    const struct lauka_comparison *comparison = aspect->comparison;
    struct lauka_change change;
    char share[32];
    lauka_change_format(comparison, aspect->scale, phrase->utf8, &change);
    if (phrase->result->run.apart == LAUKA_APART_LOGS) {
        lauka_phrase_say(phrase,
                         ": %s seen, and no verdict: one log a side is one unit, and what lies "
                         "between the two may be the runs. Several logs of each give a verdict: "
                         "lauka compare base-*.hlog --vs head-*.hlog",
                         change.estimate);
        return;
    }
    lauka_phrase_say(phrase, ", measured apart: %s. ", change.estimate);
    if (comparison->run_to_run.known)
        lauka_phrase_say(
            phrase, "From run to run this is known to %s%s, but two", phrase->utf8 ? "±" : "+-",
            lauka_format_share_roughly(comparison->run_to_run.value, share, sizeof share));
    else
        lauka_phrase_say(phrase, "Two");
    lauka_phrase_say(phrase, " sessions of the same program may differ by more, and two files "
                             "cannot tell. For a verdict, run both in one session: lauka A B");
}

static void say_inconclusive(struct lauka_phrase *phrase, const struct lauka_aspect *aspect,
                             bool busy)
{
    const struct lauka_comparison *comparison = aspect->comparison;
    if (comparison->withdrawn) {
        say_withdrawn(phrase, aspect);
        return;
    }
    lauka_phrase_say(phrase, " against %s", phrase->reference_name);
    if (phrase->result->run.apart != LAUKA_APART_NOT) {
        say_apart(phrase, aspect);
        return;
    }
    if (phrase->result->merged.host_count == 2) {
        say_two_hosts(phrase, aspect);
        return;
    }
    if (comparison->confidence > 0) {
        lauka_phrase_say(phrase, " is inconclusive");
        say_uncertainty(phrase, aspect, busy);
        return;
    }
    lauka_phrase_say(phrase, ": ");
    lauka_phrase_rounds(phrase, comparison);
    say_needed(phrase, aspect);
    lauka_phrase_means(phrase, aspect);
}

/* ---- two metrics ----------------------------------------------------------------------------- */

/* What CPU time adds to what was said about wall time. */
static void add_cpu_time(struct lauka_phrase *phrase, const struct lauka_comparison *wall,
                         const struct lauka_aspect *cpu)
{
    struct lauka_change change;
    bool clear = is_clear(cpu->comparison) && !is_within(cpu->comparison);
    bool agrees = is_clear(wall) && !is_within(wall) && wall->verdict == cpu->comparison->verdict;
    if (is_within(cpu->comparison) && !is_within(wall)) {
        lauka_phrase_say(phrase, "; CPU time differs by less than ");
        lauka_phrase_share(phrase);
    } else if (clear && !agrees) {
        lauka_change_format_size(cpu->comparison, cpu->scale, &change);
        lauka_phrase_say(phrase, "; but it uses %s %s CPU time", change.estimate,
                         cpu->comparison->verdict == LAUKA_VERDICT_HIGHER ? "more" : "less");
        lauka_phrase_interval(phrase, change.interval);
    }
}

/* Wall time cannot tell, CPU time can. */
static void say_cpu_time_first(struct lauka_phrase *phrase, const struct lauka_aspect *wall,
                               const struct lauka_aspect *cpu, bool busy)
{
    lauka_phrase_say(phrase, " ");
    lauka_phrase_difference(phrase, cpu);
    lauka_phrase_say(phrase, "; wall time is inconclusive");
    say_uncertainty(phrase, wall, busy);
}

static bool is_busy(const struct lauka_phrase *phrase, size_t metric)
{
    const struct lauka_result *result = phrase->result;
    size_t index = (phrase->command - 1) * result->metric_count + metric;
    return index < result->comparison_count &&
           result->comparisons[index].doubts.raised[LAUKA_DOUBT_BUSY].known;
}

/* Those that say the opposite of what is said of all. */
static void add_hosts(struct lauka_phrase *phrase, const struct lauka_aspect *aspect)
{
    char text[512];
    if (phrase->result->merged.host_count < 3)
        return;
    lauka_hosts_clause(phrase->result, phrase->command, aspect->metric, phrase->utf8, text,
                       sizeof text);
    lauka_phrase_say(phrase, "%s", text);
}

static void say_compared(struct lauka_phrase *phrase, size_t metric)
{
    size_t cpu_time = lauka_result_metric_index(phrase->result, "cpu_time");
    struct lauka_aspect main = lauka_phrase_aspect(phrase, metric), cpu = {.comparison = NULL};
    const struct lauka_comparison *comparison = main.comparison;
    bool busy = is_busy(phrase, metric);
    if (strcmp(main.name, "wall_time") == 0 && cpu_time < phrase->result->metric_count &&
        phrase->result->metrics[cpu_time].primary)
        cpu = lauka_phrase_aspect(phrase, cpu_time);
    lauka_phrase_say(phrase, "%s", phrase->name);
    if (comparison->verdict == LAUKA_VERDICT_INCONCLUSIVE && comparison->confidence > 0 &&
        !comparison->withdrawn && is_clear(cpu.comparison) && !is_within(cpu.comparison)) {
        say_cpu_time_first(phrase, &main, &cpu, busy);
        lauka_phrase_say(phrase, ".");
        return;
    }
    if (comparison->verdict == LAUKA_VERDICT_IDENTICAL)
        say_identical(phrase, &main);
    else if (comparison->verdict == LAUKA_VERDICT_EQUIVALENT)
        say_equivalent(phrase, &main);
    else if (is_clear(comparison))
        say_clear(phrase, &main);
    else
        say_inconclusive(phrase, &main, busy);
    add_mean(phrase, comparison);
    if (cpu.comparison)
        add_cpu_time(phrase, comparison, &cpu);
    add_hosts(phrase, &main);
    lauka_phrase_say(phrase, ".");
}

/* ---- a command alone ------------------------------------------------------------------------- */

static void say_alone(struct lauka_phrase *phrase, size_t metric)
{
    struct lauka_result_view view = lauka_result_view(phrase->result, phrase->command, metric);
    const struct lauka_summary *summary = view.summary;
    struct lauka_aspect aspect = lauka_phrase_aspect(phrase, metric);
    bool time = strcmp(aspect.unit, "ns") == 0;
    lauka_phrase_say(phrase, "%s %s ", phrase->name,
                     time            ? "took"
                     : view.at_least ? "has a mean of at least"
                                     : "has the mean");
    lauka_phrase_quantity(phrase, &aspect, phrase->command, summary->mean);
    if (summary->stddev.known && !view.at_least) {
        lauka_phrase_say(phrase, " %s ", phrase->utf8 ? "±" : "+-");
        lauka_phrase_quantity(phrase, &aspect, phrase->command, summary->stddev.value);
    }
    if (strcmp(aspect.name, "wall_time") != 0)
        lauka_phrase_noun(phrase, &aspect);
    if (summary->count > 1)
        lauka_phrase_say(phrase, " over %" PRIu64 " %s.", summary->count,
                         time ? "rounds" : "values");
    else if (lauka_phrase_of_values(phrase))
        lauka_phrase_say(phrase, ", its only value.");
    else
        lauka_phrase_say(phrase, " in the one round that was measured.");
}

void lauka_result_sentence_about(const struct lauka_result *result, size_t command,
                                 const char *name, const char *reference_name, bool utf8,
                                 char *text, size_t size)
{
    size_t metric = lauka_result_main_metric(result);
    uint64_t rounds = lauka_result_rounds(result, command);
    struct lauka_phrase phrase = {result, command, name, reference_name, utf8, text, size};
    text[0] = 0;
    if (rounds == 0) {
        lauka_phrase_say(&phrase, "%s finished no measured round.", name);
        return;
    }
    if (metric >= result->metric_count || !lauka_result_view(result, command, metric).counted) {
        const char *noun =
            metric < result->metric_count ? lauka_metric_noun(result->metrics[metric].name) : "";
        lauka_phrase_say(&phrase, "%s ran in %" PRIu64 " round%s; its %s was not measured.", name,
                         rounds, plural(rounds), *noun ? noun : "time");
        return;
    }
    const struct lauka_comparison *comparison = lauka_result_comparison(result, command, metric);
    if (comparison && comparison->pairs > 0)
        say_compared(&phrase, metric);
    else
        say_alone(&phrase, metric);
}

void lauka_result_sentence(const struct lauka_result *result, size_t command, bool utf8, char *text,
                           size_t size)
{
    char name[LAUKA_SUBJECT_SIZE], reference_name[LAUKA_SUBJECT_SIZE];
    lauka_result_subject(result, command, utf8, name);
    lauka_result_subject(result, 0, utf8, reference_name);
    lauka_result_sentence_about(result, command, name, reference_name, utf8, text, size);
}

static bool reference_is_best(const struct lauka_result *result, size_t metric)
{
    for (size_t c = 1; c < result->command_count; c++) {
        const struct lauka_comparison *comparison = lauka_result_comparison(result, c, metric);
        if (!comparison || comparison->verdict != LAUKA_VERDICT_HIGHER)
            return false;
    }
    return true;
}

bool lauka_result_best(const struct lauka_result *result, size_t *command)
{
    size_t metric = lauka_result_main_metric(result);
    *command = result->best;
    if (result->command_count < 3 || metric >= result->metric_count ||
        strcmp(result->metrics[metric].better, "lower") != 0)
        return false;
    return result->best > 0 || reference_is_best(result, metric);
}

void lauka_best_sentence(const struct lauka_result *result, const char *name, char *text,
                         size_t size)
{
    const char *unit = result->metrics[lauka_result_main_metric(result)].unit;
    bool time = strcmp(unit, "ns") == 0;
    snprintf(text, size, "%s is the %s of the %zu: each of the others is %s.", name,
             time ? "fastest" : "lowest", result->command_count, time ? "slower" : "higher");
}

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

void lauka_summary_sentence(const struct lauka_result *result, bool utf8, char *text, size_t size)
{
    size_t metric = lauka_result_main_metric(result), counts[5] = {0}, told = 0;
    bool time = metric < result->metric_count && strcmp(result->metrics[metric].unit, "ns") == 0;
    const char *const words[] = {time ? "faster" : "lower", time ? "slower" : "higher",
                                 "equivalent", "inconclusive", "not compared"};
    char reference[LAUKA_SUBJECT_SIZE], part[LAUKA_SUBJECT_SIZE + 64];
    for (size_t c = 1; c < result->command_count; c++) {
        const struct lauka_comparison *values = lauka_result_comparison(result, c, metric);
        enum lauka_verdict verdict = values ? values->verdict : LAUKA_VERDICT_NONE;
        counts[verdict == LAUKA_VERDICT_LOWER                                              ? 0
               : verdict == LAUKA_VERDICT_HIGHER                                           ? 1
               : verdict == LAUKA_VERDICT_EQUIVALENT || verdict == LAUKA_VERDICT_IDENTICAL ? 2
               : verdict == LAUKA_VERDICT_INCONCLUSIVE                                     ? 3
                                                                                           : 4]++;
    }
    lauka_result_subject(result, 0, utf8, reference);
    size_t others = result->command_count - 1;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i] == others && others > 1) {
            snprintf(text, size, "Against %s, all %zu commands are %s.", reference, others,
                     words[i]);
            return;
        }
    snprintf(text, size, "Against %s, of %zu commands", reference, others);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        snprintf(part, sizeof part, "%s %zu %s %s", told > 0 ? "," : "", counts[i],
                 counts[i] == 1 ? "is" : "are", words[i]);
        append(text, size, counts[i] > 0 ? part : "");
        told += counts[i] > 0;
    }
    append(text, size, ".");
}
