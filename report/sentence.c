/* What a result comes to, in words. Until a comparison has a verdict, sentences say what was
 * measured, on average, and no more than that. */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { NAME_WIDTH = 40 }; /* columns; a longer command is cut in the middle */

struct subject { /* all that a sentence is made of */
    const char *name, *reference_name;
    struct lauka_result_view own, reference; /* of the wall time */
    struct lauka_scale scale;
    struct lauka_optional change, cohens_d;
    bool utf8;
};

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void say_quantity(const struct subject *subject, double value, char *text, size_t size)
{
    char number[48];
    snprintf(text, size, "%s %s", lauka_format_scaled(value, subject->scale, number, sizeof number),
             subject->scale.suffix);
}

static void say_alone(const struct subject *subject, char *text, size_t size)
{
    const struct lauka_summary *summary = subject->own.summary;
    char mean[64], deviation[64];
    say_quantity(subject, summary->mean, mean, sizeof mean);
    if (!summary->stddev.known) {
        snprintf(text, size, "%s took %s in the one round that was measured.", subject->name, mean);
        return;
    }
    say_quantity(subject, summary->stddev.value, deviation, sizeof deviation);
    snprintf(text, size, "%s took %s %s %s over %" PRIu64 " rounds.", subject->name, mean,
             subject->utf8 ? "±" : "+-", deviation, summary->count);
}

/* "2.10 % longer than", "33.3 % less time than", "3.02 times as long as", "as long as". */
static void say_change(double ratio, char *text, size_t size)
{
    double percent = 100 * fabs(ratio - 1);
    if (ratio == 1)
        snprintf(text, size, "exactly as long as");
    else if (percent < 0.005)
        snprintf(text, size, "as long as");
    else if (ratio >= 2.995)
        snprintf(text, size, "%.*f times as long as", ratio < 99.95 ? 1 : 0, ratio);
    else
        snprintf(text, size, "%.*f %% %s than", percent < 9.995 ? 2 : 1, percent,
                 ratio > 1 ? "longer" : "less time");
}

static void say_effect(const struct subject *subject, char *text, size_t size)
{
    char number[32];
    text[0] = 0;
    if (!subject->cohens_d.known)
        return;
    lauka_format_effect(subject->cohens_d.value, subject->utf8, number, sizeof number);
    snprintf(text, size, " (d = %s)", number);
}

static void say_against(const struct subject *subject, char *text, size_t size)
{
    const struct lauka_summary *summary = subject->own.summary;
    char change[64], own[64], reference[64], effect[64], rounds[48];
    say_change(subject->change.value, change, sizeof change);
    say_quantity(subject, summary->mean, own, sizeof own);
    say_quantity(subject, subject->reference.summary->mean, reference, sizeof reference);
    say_effect(subject, effect, sizeof effect);
    if (summary->count == 1)
        snprintf(rounds, sizeof rounds, "in the one round that was measured");
    else
        snprintf(rounds, sizeof rounds, "over %" PRIu64 " rounds", summary->count);
    snprintf(text, size, "%s took %s %s%s: %s against %s wall time %s%s.", subject->name, change,
             subject->reference_name, summary->count == 1 ? "" : " on average", own, reference,
             rounds, effect);
}

void lauka_result_sentence_about(const struct lauka_result *result, size_t command,
                                 const char *name, const char *reference_name, bool utf8,
                                 char *text, size_t size)
{
    size_t wall_time = lauka_result_metric_index(result, "wall_time");
    if (result->run.rounds == 0) {
        snprintf(text, size, "%s finished no measured round.", name);
        return;
    }
    if (wall_time == result->metric_count ||
        !lauka_result_view(result, command, wall_time).counted) {
        snprintf(text, size, "%s ran in %" PRIu64 " round%s; its wall time was not measured.", name,
                 result->run.rounds, plural(result->run.rounds));
        return;
    }
    struct subject subject = {
        .name = name,
        .reference_name = reference_name,
        .own = lauka_result_view(result, command, wall_time),
        .reference = lauka_result_view(result, 0, wall_time),
        .scale = lauka_result_scale(result, wall_time, utf8),
        .utf8 = utf8,
    };
    subject.change = subject.own.change;
    subject.cohens_d = subject.own.cohens_d;
    if (subject.change.known && subject.reference.counted)
        say_against(&subject, text, size);
    else
        say_alone(&subject, text, size);
}

static void quote(const char *label, bool utf8, char *text, size_t size)
{
    char *fitted = lauka_fit_text(label, NAME_WIDTH, utf8);
    snprintf(text, size, "`%s`", fitted ? fitted : "?");
    free(fitted);
}

void lauka_result_sentence(const struct lauka_result *result, size_t command, bool utf8, char *text,
                           size_t size)
{
    char name[8 * NAME_WIDTH], reference_name[8 * NAME_WIDTH];
    quote(result->commands[command].label, utf8, name, sizeof name);
    quote(result->commands[0].label, utf8, reference_name, sizeof reference_name);
    lauka_result_sentence_about(result, command, name, reference_name, utf8, text, size);
}

static const char *reason(enum lauka_stopped stopped)
{
    switch (stopped) {
    case LAUKA_STOPPED_ROUNDS:
        return "as many as asked for";
    case LAUKA_STOPPED_TIME:
        return "time budget used up";
    case LAUKA_STOPPED_PRECISION:
        return "precise enough";
    case LAUKA_STOPPED_EFFECT:
        return "the difference is clear";
    case LAUKA_STOPPED_EXACT:
        return "all values are equal";
    case LAUKA_STOPPED_STORED:
        return "stored data";
    case LAUKA_STOPPED_FAILURE:
        return "a command failed";
    case LAUKA_STOPPED_INTERRUPTED:
        return "interrupted";
    }
    return "stopped";
}

static void say_stored(const struct lauka_result *result, char *text, size_t size)
{
    const char *pairing = result->command_count < 2  ? ""
                          : result->run.unpaired ? ", not paired"
                                                   : ", paired by position";
    snprintf(text, size, "stored data: %s%" PRIu64 " value%s%s", result->run.unpaired ? "up to " : "",
             result->run.rounds, plural(result->run.rounds), pairing);
}

void lauka_result_course(const struct lauka_result *result, char *text, size_t size)
{
    const struct lauka_result_run *run = &result->run;
    if (run->stopped == LAUKA_STOPPED_STORED) {
        say_stored(result, text, size);
        return;
    }
    char warmup[64] = "", seconds[48];
    if (run->warmup > 0)
        snprintf(warmup, sizeof warmup, " after %" PRIu64 " warm-up%s", run->warmup,
                 plural(run->warmup));
    struct lauka_scale scale = lauka_scale_for(run->seconds * 1e9, "ns", false);
    lauka_format_scaled(run->seconds * 1e9, scale, seconds, sizeof seconds);
    snprintf(text, size, "%" PRIu64 " round%s%s in %s %s; %s; seed %" PRIu64, run->rounds,
             plural(run->rounds), warmup, seconds, scale.suffix, reason(run->stopped), run->seed);
}
