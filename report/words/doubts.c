/* What speaks against the numbers, in words: what it is, how much of it, what to do. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { OF_SERIES = LAUKA_DOUBT_TAILS, OF_COMPARISON = LAUKA_DOUBT_COUNT - OF_SERIES };

/* ---- which there are ------------------------------------------------------------------------- */

/* Number `place` of all that can be: first those of series, then those of comparisons. */
static struct lauka_optional doubt_at(const struct lauka_result *result, size_t place,
                                      struct lauka_doubt_said *said)
{
    size_t metrics = result->metric_count, of_series = result->command_count * metrics * OF_SERIES;
    const struct lauka_doubts *doubts = NULL;
    if (place < of_series) {
        size_t cell = place / OF_SERIES;
        *said = (struct lauka_doubt_said){
            .doubt = place % OF_SERIES, .command = cell / metrics, .metric = cell % metrics};
        const struct lauka_result_command *command = &result->commands[said->command];
        doubts = command->doubts ? &command->doubts[said->metric] : NULL;
    } else {
        place -= of_series;
        const struct lauka_result_comparison *comparison =
            &result->comparisons[place / OF_COMPARISON];
        *said = (struct lauka_doubt_said){.doubt = OF_SERIES + place % OF_COMPARISON,
                                          .command = comparison->command,
                                          .metric = comparison->metric};
        doubts = &comparison->doubts;
    }
    return doubts ? doubts->raised[said->doubt] : (struct lauka_optional){0};
}

bool lauka_result_next_doubt(const struct lauka_result *result, size_t *place,
                             struct lauka_doubt_said *said)
{
    size_t places = result->command_count * result->metric_count * OF_SERIES +
                    result->comparison_count * OF_COMPARISON;
    while (*place < places) {
        struct lauka_optional raised = doubt_at(result, (*place)++, said);
        said->value = raised.value;
        if (raised.known)
            return true;
    }
    return false;
}

/* Shares and correlations as they are, ratios by their distance from 1. */
static double weight(const struct lauka_doubt_said *said)
{
    bool plain = said->doubt == LAUKA_DOUBT_OUTLIERS ||
                 said->doubt == LAUKA_DOUBT_AUTOCORRELATION || said->doubt == LAUKA_DOUBT_WAITED ||
                 said->doubt == LAUKA_DOUBT_STOLEN || said->doubt == LAUKA_DOUBT_LEFT_BEHIND;
    return plain ? said->value : said->value > 0 ? fabs(log(said->value)) : 0;
}

bool lauka_result_worst_doubt(const struct lauka_result *result, enum lauka_doubt doubt,
                              struct lauka_doubt_said *said)
{
    struct lauka_doubt_said next, busy;
    bool found = false;
    /* A busy machine explains disturbed rounds and waiting commands; that has been said already. */
    if ((doubt == LAUKA_DOUBT_ABOVE_MINIMUM || doubt == LAUKA_DOUBT_WAITED) &&
        lauka_result_worst_doubt(result, LAUKA_DOUBT_BUSY, &busy))
        return false;
    for (size_t place = 0; lauka_result_next_doubt(result, &place, &next);) {
        if (next.doubt != doubt || (found && weight(&next) <= weight(said)))
            continue;
        *said = next;
        found = true;
    }
    return found;
}

const char *lauka_doubt_name(enum lauka_doubt doubt)
{
    static const char *const names[LAUKA_DOUBT_COUNT] = {
        [LAUKA_DOUBT_OUTLIERS] = "outliers",
        [LAUKA_DOUBT_FIRST_ROUND] = "first_round",
        [LAUKA_DOUBT_ABOVE_MINIMUM] = "above_minimum",
        [LAUKA_DOUBT_DRIFT] = "drift",
        [LAUKA_DOUBT_AUTOCORRELATION] = "autocorrelation",
        [LAUKA_DOUBT_TWO_MODES] = "two_modes",
        [LAUKA_DOUBT_WAITED] = "waited",
        [LAUKA_DOUBT_STOLEN] = "stolen",
        [LAUKA_DOUBT_LEFT_BEHIND] = "left_behind",
        [LAUKA_DOUBT_UNWATCHED] = "unwatched",
        [LAUKA_DOUBT_TAILS] = "tails",
        [LAUKA_DOUBT_POSITION] = "position",
        [LAUKA_DOUBT_BUSY] = "busy",
        [LAUKA_DOUBT_PLACEMENT] = "placement",
        [LAUKA_DOUBT_LAYOUT] = "layout",
    };
    return doubt < LAUKA_DOUBT_COUNT ? names[doubt] : "";
}

/* ---- what they say --------------------------------------------------------------------------- */

struct words {
    const struct lauka_result *result;
    const char *name, *reference;
    const char *noun; /* "wall time" */
    char plural[64];  /* "wall times", "values of peak RSS" */
    char factor[32];  /* the value: "1.8" */
    char percent[32]; /* how far it is from 1: "5.2 %" */
    char share[32];   /* the value itself: "5.2 %" */
    const char *sigma;
    double value;
};

/* Beyond a thousand the figure only says that it is large. */
static void format_factor(double value, char *text, size_t size)
{
    if (value >= 999.5)
        snprintf(text, size, "more than 1000");
    else
        snprintf(text, size, value < 99.5 ? "%.*g" : "%.*f",
                 value < 10     ? 3
                 : value < 99.5 ? 2
                                : 0,
                 value);
}

static struct words words_for(const struct lauka_result *result,
                              const struct lauka_doubt_said *said, bool utf8)
{
    const struct lauka_result_metric *metric = &result->metrics[said->metric];
    struct words words = {.result = result, .value = said->value, .sigma = utf8 ? "σ" : "sd"};
    bool time = strcmp(metric->unit, "ns") == 0;
    double away = 100 * fabs(said->value - 1);
    words.noun = lauka_metric_noun(metric->name);
    if (!*words.noun)
        snprintf(words.plural, sizeof words.plural, "values");
    else if (time)
        snprintf(words.plural, sizeof words.plural, "%.50ss", words.noun);
    else
        snprintf(words.plural, sizeof words.plural, "values of %.50s", words.noun);
    if (!*words.noun)
        words.noun = "value";
    format_factor(said->value, words.factor, sizeof words.factor);
    lauka_format_share(said->value, words.share, sizeof words.share);
    if (away >= 99999.5)
        snprintf(words.percent, sizeof words.percent, "more than 99999 %%");
    else
        snprintf(words.percent, sizeof words.percent, "%.*f %%", away < 9.95 ? 1 : 0, away);
    return words;
}

/* Whether they were read from files: then nobody knows what the machine did, and it is too late for advice. */
static bool is_stored(const struct words *w)
{
    return w->result->run.stopped == LAUKA_STOPPED_STORED;
}

/* Whether there is a change that does not depend on the state of the machine, because rounds are paired. */
static bool is_paired(const struct words *w)
{
    return w->result->command_count > 1 && !w->result->run.unpaired && !is_stored(w);
}

/* The same of values from files, which are no rounds of lauka's. */
static void say_unsteady_values(const struct words *w, enum lauka_doubt doubt, char *text,
                                size_t size)
{
    bool paired = is_paired(w);
    if (doubt == LAUKA_DOUBT_OUTLIERS)
        snprintf(text, size,
                 "%s: %.0f %% of its %s lie far from the others; the %s is robust against that, "
                 "mean and %s are not.",
                 w->name, 100 * w->value, w->plural, paired ? "change" : "median", w->sigma);
    else if (doubt == LAUKA_DOUBT_DRIFT)
        snprintf(text, size,
                 "%s: its %s %s by %s from the first third of the values to the last; %s.", w->name,
                 w->noun, w->value > 1 ? "rose" : "fell", w->percent,
                 paired ? "values are paired, so the change is fair, but the means are not"
                        : "the mean holds for these values only");
    else
        snprintf(text, size,
                 "%s: its %s resemble those before them (correlation %.2f); %s%s says little.",
                 w->name, w->plural, w->value, paired ? "the change is fair, " : "", w->sigma);
}

static void say_unsteady(const struct words *w, enum lauka_doubt doubt, char *text, size_t size)
{
    bool paired = is_paired(w);
    if (is_stored(w)) {
        say_unsteady_values(w, doubt, text, size);
        return;
    }
    if (doubt == LAUKA_DOUBT_OUTLIERS)
        snprintf(text, size,
                 "%s: %.0f %% of its %s lie far from the others (other load now and then?); "
                 "the %s is robust against that, mean and %s are not.",
                 w->name, 100 * w->value, w->plural, paired ? "change" : "median", w->sigma);
    else if (doubt == LAUKA_DOUBT_DRIFT)
        snprintf(text, size,
                 "%s: its %s %s by %s from the first third of the rounds to the last (heat, other "
                 "load?); %s.",
                 w->name, w->noun, w->value > 1 ? "rose" : "fell", w->percent,
                 paired ? "rounds are paired, so the change is fair, but the means are not"
                        : "the mean holds for this session only");
    else
        snprintf(text, size,
                 "%s: its %s resemble those of the rounds before (correlation %.2f), so other load "
                 "came and went; %s%s says little.",
                 w->name, w->plural, w->value, paired ? "the change is fair, " : "", w->sigma);
}

static void say_partial(const struct words *w, enum lauka_doubt doubt, char *text, size_t size)
{
    if (doubt == LAUKA_DOUBT_LEFT_BEHIND)
        snprintf(text, size,
                 "%s: in %s of its runs it left processes behind; how much of their work events "
                 "count is chance, so events support no verdict; let the command wait for "
                 "everything that it starts.",
                 w->name, w->share);
    else
        snprintf(text, size,
                 "%s: it starts a program that is set-uid or may not be read; the kernel does not "
                 "let other users count it, so events support no verdict; run lauka as root, or "
                 "under sudo with --as-root.",
                 w->name);
}

/* What differs between values from files and rounds of a session that may be repeated. */
static void say_first(const struct words *w, char *text, size_t size)
{
    if (is_stored(w))
        snprintf(text, size, "%s: its first value is %s times the usual %s.", w->name, w->factor,
                 w->noun);
    else
        snprintf(text, size,
                 "%s: its first round has %s times the usual %s; more warm-up (--warmup=%" PRIu64
                 ") would keep that out.",
                 w->name, w->factor, w->noun, w->result->run.warmup + 2);
}

static void say_of_series(const struct words *w, enum lauka_doubt doubt, char *text, size_t size)
{
    const bool stored = is_stored(w);
    if (doubt == LAUKA_DOUBT_FIRST_ROUND)
        say_first(w, text, size);
    else if (doubt == LAUKA_DOUBT_ABOVE_MINIMUM)
        snprintf(text, size, "%s: its mean %s is %s times its least, so most %s were disturbed%s.",
                 w->name, w->noun, w->factor, stored ? "runs" : "rounds",
                 stored ? "" : "; stop other programs");
    else if (doubt == LAUKA_DOUBT_TWO_MODES)
        snprintf(text, size,
                 "%s: its %s fall into two groups, one %s times the other; the mean describes "
                 "neither, --percentiles shows both.",
                 w->name, w->plural, w->factor);
    else if (doubt == LAUKA_DOUBT_WAITED)
        snprintf(text, size,
                 "%s: its main thread waited for a CPU for %s of its %s, while other programs had "
                 "it%s.",
                 w->name, w->share, w->noun, stored ? "" : "; stop those");
    else if (doubt == LAUKA_DOUBT_STOLEN)
        snprintf(text, size,
                 "the hypervisor gave %s of the CPUs' time to other machines (steal), which "
                 "lengthens any run; measure when its host is less busy, or on another.",
                 w->share);
    else if (doubt == LAUKA_DOUBT_LEFT_BEHIND || doubt == LAUKA_DOUBT_UNWATCHED)
        say_partial(w, doubt, text, size);
    else
        say_unsteady(w, doubt, text, size);
}

/* ", and for 41 % of the time some program waited for a CPU", where that is known. Returns text. */
static const char *pressure_clause(const struct words *w, char *text, size_t size)
{
    char share[32];
    struct lauka_optional pressure = w->result->run.pressure;
    text[0] = '\0';
    if (pressure.known && pressure.value >= 0.01)
        snprintf(text, size, ", and for %s of the time some program waited for a CPU",
                 lauka_format_share(pressure.value, share, sizeof share));
    return text;
}

/* A difference that the instructions do not explain. */
static void say_level(const struct words *w, const struct lauka_doubt_said *said, char *text,
                      size_t size)
{
    const char *advice = lauka_placement_advice(w->result, said->command);
    if (said->doubt == LAUKA_DOUBT_LAYOUT)
        snprintf(text, size,
                 "%s: its %s differs from that of %s, its instructions do not, so it may be layout "
                 "(where the linker put the code); --layouts can tell.",
                 w->name, w->noun, w->reference);
    else
        snprintf(text, size,
                 "%s: it has %s %s minor faults than %s and the same instructions, so the two "
                 "files may lie differently in the page cache; %s.",
                 w->name, w->percent, w->value > 1 ? "more" : "fewer", w->reference,
                 advice ? advice : "lauka does not know how they came there");
}

static void say_of_comparison(const struct words *w, enum lauka_doubt doubt,
                              const struct lauka_comparison *comparison, bool utf8, char *text,
                              size_t size)
{
    struct lauka_change change;
    char means[48], pressure[80];
    lauka_change_format(comparison, (struct lauka_scale){1, "", 0}, utf8, &change);
    snprintf(means, sizeof means, "%s%.1f %%", lauka_sign(w->value - 1, utf8),
             100 * fabs(w->value - 1));
    if (doubt == LAUKA_DOUBT_TAILS)
        snprintf(text, size,
                 "%s: the mean %s changes by %s, a typical %s by %s, so the %s differ; "
                 "--percentiles shows them.",
                 w->name, w->noun, means, is_stored(w) ? "value" : "round", change.estimate,
                 is_stored(w) ? "largest values" : "slow rounds");
    else if (doubt == LAUKA_DOUBT_POSITION)
        snprintf(text, size,
                 "%s: its %s is %s %s when it runs after %s than before it, so one disturbs the "
                 "other (caches, heat?); the shuffled order is fair to both.",
                 w->name, w->noun, w->percent, w->value > 1 ? "higher" : "lower", w->reference);
    else if (is_stored(w))
        snprintf(
            text, size,
            "intervals of wall time are %s times as wide as those of CPU time, so the machine was "
            "busy; CPU time (--primary=cpu_time) tells more.",
            w->factor);
    else
        snprintf(text, size,
                 "the machine is busy: intervals of wall time are %s times as wide as those of CPU "
                 "time%s; stop other programs, or decide by CPU time (--primary=cpu_time).",
                 w->factor, pressure_clause(w, pressure, sizeof pressure));
}

void lauka_doubt_sentence_about(const struct lauka_result *result,
                                const struct lauka_doubt_said *said, const char *name,
                                const char *reference_name, bool utf8, char *text, size_t size)
{
    struct words words = words_for(result, said, utf8);
    const struct lauka_comparison *comparison =
        lauka_result_comparison(result, said->command, said->metric);
    words.name = name;
    words.reference = reference_name;
    text[0] = 0;
    if (said->doubt < LAUKA_DOUBT_TAILS)
        say_of_series(&words, said->doubt, text, size);
    else if (said->doubt == LAUKA_DOUBT_PLACEMENT || said->doubt == LAUKA_DOUBT_LAYOUT)
        say_level(&words, said, text, size);
    else if (comparison)
        say_of_comparison(&words, said->doubt, comparison, utf8, text, size);
}

void lauka_doubt_sentence(const struct lauka_result *result, const struct lauka_doubt_said *said,
                          bool utf8, char *text, size_t size)
{
    char name[LAUKA_SUBJECT_SIZE], reference_name[LAUKA_SUBJECT_SIZE];
    lauka_result_subject(result, said->command, utf8, name);
    lauka_result_subject(result, 0, utf8, reference_name);
    lauka_doubt_sentence_about(result, said, name, reference_name, utf8, text, size);
}
