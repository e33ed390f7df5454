/* What speaks against the numbers, in words: what it is, how much of it, what to do. */
#include "report/words/words.h"
#include "report/result/result.h"
#include "report/text/prose.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>

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
    const unsigned plain = 1u << LAUKA_DOUBT_OUTLIERS | 1u << LAUKA_DOUBT_AUTOCORRELATION |
                           1u << LAUKA_DOUBT_WAITED | 1u << LAUKA_DOUBT_STOLEN |
                           1u << LAUKA_DOUBT_LEFT_BEHIND;
    return plain >> said->doubt & 1 ? said->value : said->value > 0 ? fabs(log(said->value)) : 0;
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

/* ---- what they say --------------------------------------------------------------------------- */

struct words {
    struct lauka_prose *prose;
    const struct lauka_result *result;
    const struct lauka_doubt_said *said;
    const char *name, *reference;
    const char *noun;   /* "wall time" */
    const char *plural; /* "wall times", "values of peak RSS" */
    const char *factor; /* the value: "1.8" */
    const char *share;  /* the value itself: "5.2 %" */
    double value;
    /* Values were read from files: nobody knows what the machine did, and it is too late for advice. */
    bool stored;
    bool paired; /* rounds are, so that the change does not depend on the state of the machine */
};

/* Beyond a thousand the figure only says that it is large. */
static const char *factor_of(struct lauka_prose *prose, double value)
{
    if (value >= 999.5)
        return "more than 1000";
    return value < 99.5 ? lauka_say(prose, "%.*g", value < 10 ? 3 : 2, value)
                        : lauka_say(prose, "%.0f", value);
}

/* How far the value is from 1: "5.2 %". */
static const char *percent_of(const struct words *w)
{
    double away = 100 * fabs(w->value - 1);
    return away >= 99999.5 ? "more than 99999 %"
                           : lauka_say(w->prose, "%.*f %%", away < 9.95 ? 1 : 0, away);
}

static struct words words_for(struct lauka_prose *prose, const struct lauka_result *result,
                              const struct lauka_doubt_said *said)
{
    const char *noun = lauka_metric_noun(result->metrics[said->metric].name);
    const bool time = lauka_is_time(result, said->metric);
    const bool stored = result->run.stopped == LAUKA_STOPPED_STORED;
    return (struct words){
        .prose = prose,
        .result = result,
        .said = said,
        .value = said->value,
        .noun = *noun ? noun : "value",
        .plural = !*noun ? "values" : lauka_say(prose, time ? "%ss" : "values of %s", noun),
        .factor = factor_of(prose, said->value),
        .share = lauka_say_share(prose, said->value),
        .stored = stored,
        .paired = result->command_count > 1 && !result->run.unpaired && !stored,
    };
}

static const char *say_outliers(const struct words *w)
{
    return lauka_say(w->prose,
                     "%s: %.0f %% of its %s lie far from the others%s; the %s is robust against "
                     "that, mean and %s are not.",
                     w->name, 100 * w->value, w->plural,
                     w->stored ? "" : " (other load now and then?)",
                     w->paired ? "change" : "median", w->prose->signs->sigma);
}

static const char *say_drift(const struct words *w)
{
    return lauka_say(w->prose,
                     "%s: its %s %s by %s from the first third of the %s to the last%s; %s.",
                     w->name, w->noun, w->value > 1 ? "rose" : "fell", percent_of(w),
                     w->stored ? "values" : "rounds", w->stored ? "" : " (heat, other load?)",
                     w->paired   ? "rounds are paired, so the change is fair, but the means are not"
                     : w->stored ? "the mean holds for these values only"
                                 : "the mean holds for this session only");
}

static const char *say_autocorrelation(const struct words *w)
{
    return lauka_say(w->prose,
                     "%s: its %s resemble those %s (correlation %.2f)%s; %s%s says little.",
                     w->name, w->plural, w->stored ? "before them" : "of the rounds before",
                     w->value, w->stored ? "" : ", so other load came and went",
                     w->paired ? "the change is fair, " : "", w->prose->signs->sigma);
}

static const char *say_first_round(const struct words *w)
{
    if (w->stored)
        return lauka_say(w->prose, "%s: its first value is %s times the usual %s.", w->name,
                         w->factor, w->noun);
    return lauka_say(
        w->prose,
        "%s: its first round has %s times the usual %s; more warm-up (--warmup=%" PRIu64
        ") would keep that out.",
        w->name, w->factor, w->noun, w->result->run.warmup + 2);
}

static const char *say_above_minimum(const struct words *w)
{
    return lauka_say(w->prose,
                     "%s: its mean %s is %s times its least, so most %s were disturbed%s.", w->name,
                     w->noun, w->factor, w->stored ? "runs" : "rounds",
                     w->stored ? "" : "; stop other programs");
}

static const char *say_two_modes(const struct words *w)
{
    return lauka_say(w->prose,
                     "%s: its %s fall into two groups, one %s times the other; the mean describes "
                     "neither, --percentiles shows both.",
                     w->name, w->plural, w->factor);
}

static const char *say_waited(const struct words *w)
{
    return lauka_say(w->prose,
                     "%s: its main thread waited for a CPU for %s of its %s, while other programs "
                     "had it%s.",
                     w->name, w->share, w->noun, w->stored ? "" : "; stop those");
}

static const char *say_stolen(const struct words *w)
{
    return lauka_say(w->prose,
                     "the hypervisor gave %s of the CPUs' time to other machines (steal), which "
                     "lengthens any run; measure when its host is less busy, or on another.",
                     w->share);
}

static const char *say_left_behind(const struct words *w)
{
    return lauka_say(w->prose,
                     "%s: in %s of its runs it left processes behind; how much of their work "
                     "events count is chance, so events support no verdict; let the command wait "
                     "for everything that it starts.",
                     w->name, w->share);
}

static const char *say_unwatched(const struct words *w)
{
    return lauka_say(w->prose,
                     "%s: it starts a program that is set-uid or may not be read; the kernel does "
                     "not let other users count it, so events support no verdict; run lauka as "
                     "root, or under sudo with --as-root.",
                     w->name);
}

static const char *say_tails(const struct words *w)
{
    const struct lauka_change change = lauka_change(
        w->prose, lauka_result_comparison(w->result, w->said->command, w->said->metric),
        (struct lauka_scale){1, "", 0});
    return lauka_say(
        w->prose,
        "%s: the mean %s changes by %s%.1f %%, a typical %s by %s, so the %s differ%s; "
        "--percentiles shows them.",
        w->name, w->noun, lauka_sign(w->value - 1, w->prose->utf8), 100 * fabs(w->value - 1),
        w->stored ? "value" : "round", change.estimate,
        w->stored ? "largest values" : "slow rounds",
        lauka_say_percentile(w->prose, w->result, w->said->command, w->said->metric, false));
}

static const char *say_position(const struct words *w)
{
    return lauka_say(
        w->prose,
        "%s: its %s is %s %s when it runs after %s than before it, so one disturbs the "
        "other (caches, heat?); the shuffled order is fair to both.",
        w->name, w->noun, percent_of(w), w->value > 1 ? "higher" : "lower", w->reference);
}

static const char *say_busy(const struct words *w)
{
    const struct lauka_optional pressure = w->result->run.pressure;
    if (w->stored)
        return lauka_say(w->prose,
                         "intervals of wall time are %s times as wide as those of CPU time, so the "
                         "machine was busy; CPU time (--primary=cpu_time) tells more.",
                         w->factor);
    const char *waited = "";
    if (pressure.known && pressure.value >= 0.01)
        waited = lauka_say(w->prose, ", and for %s of the time some program waited for a CPU",
                           lauka_say_share(w->prose, pressure.value));
    return lauka_say(w->prose,
                     "the machine is busy: intervals of wall time are %s times as wide as those of "
                     "CPU time%s; stop other programs, or decide by CPU time (--primary=cpu_time).",
                     w->factor, waited);
}

/* A difference that the instructions do not explain. */
static const char *say_placement(const struct words *w)
{
    const char *advice = lauka_placement_advice(w->result, w->said->command);
    return lauka_say(w->prose,
                     "%s: it has %s %s minor faults than %s and the same instructions, so the two "
                     "files may lie differently in the page cache; %s.",
                     w->name, percent_of(w), w->value > 1 ? "more" : "fewer", w->reference,
                     advice ? advice : "lauka does not know how they came there");
}

static const char *say_layout(const struct words *w)
{
    return lauka_say(w->prose,
                     "%s: its %s differs from that of %s, its instructions do not, so it may be "
                     "layout (where the linker put the code); --layouts can tell.",
                     w->name, w->noun, w->reference);
}

/* Its name in JSON, and what is said of it: what, how much, what to do. */
static const struct {
    const char *name;
    const char *(*say)(const struct words *w);
} kinds[LAUKA_DOUBT_COUNT] = {
    [LAUKA_DOUBT_OUTLIERS] = {"outliers", say_outliers},
    [LAUKA_DOUBT_FIRST_ROUND] = {"first_round", say_first_round},
    [LAUKA_DOUBT_ABOVE_MINIMUM] = {"above_minimum", say_above_minimum},
    [LAUKA_DOUBT_DRIFT] = {"drift", say_drift},
    [LAUKA_DOUBT_AUTOCORRELATION] = {"autocorrelation", say_autocorrelation},
    [LAUKA_DOUBT_TWO_MODES] = {"two_modes", say_two_modes},
    [LAUKA_DOUBT_WAITED] = {"waited", say_waited},
    [LAUKA_DOUBT_STOLEN] = {"stolen", say_stolen},
    [LAUKA_DOUBT_LEFT_BEHIND] = {"left_behind", say_left_behind},
    [LAUKA_DOUBT_UNWATCHED] = {"unwatched", say_unwatched},
    [LAUKA_DOUBT_TAILS] = {"tails", say_tails},
    [LAUKA_DOUBT_POSITION] = {"position", say_position},
    [LAUKA_DOUBT_BUSY] = {"busy", say_busy},
    [LAUKA_DOUBT_PLACEMENT] = {"placement", say_placement},
    [LAUKA_DOUBT_LAYOUT] = {"layout", say_layout},
};

/* What makes verdicts void comes first, then what makes them doubtful, and what is merely to be known of a mean last. */
const enum lauka_doubt lauka_doubts_by_weight[] = {
    LAUKA_DOUBT_UNWATCHED,   LAUKA_DOUBT_LEFT_BEHIND,   LAUKA_DOUBT_PLACEMENT,
    LAUKA_DOUBT_LAYOUT,      LAUKA_DOUBT_BUSY,          LAUKA_DOUBT_TAILS,
    LAUKA_DOUBT_POSITION,    LAUKA_DOUBT_STOLEN,        LAUKA_DOUBT_WAITED,
    LAUKA_DOUBT_TWO_MODES,   LAUKA_DOUBT_DRIFT,         LAUKA_DOUBT_OUTLIERS,
    LAUKA_DOUBT_FIRST_ROUND, LAUKA_DOUBT_ABOVE_MINIMUM, LAUKA_DOUBT_AUTOCORRELATION,
};
_Static_assert(sizeof lauka_doubts_by_weight / sizeof *lauka_doubts_by_weight == LAUKA_DOUBT_COUNT,
               "every doubt has its place");

const char *lauka_doubt_name(enum lauka_doubt doubt)
{
    return doubt < LAUKA_DOUBT_COUNT ? kinds[doubt].name : "";
}

const char *lauka_doubt_sentence(struct lauka_prose *prose, const struct lauka_result *result,
                                 const struct lauka_doubt_said *said, const char *name,
                                 const char *reference_name)
{
    const bool about_change = said->doubt == LAUKA_DOUBT_TAILS ||
                              said->doubt == LAUKA_DOUBT_POSITION ||
                              said->doubt == LAUKA_DOUBT_BUSY;
    if (about_change && !lauka_result_comparison(result, said->command, said->metric))
        return "";
    struct words words = words_for(prose, result, said);
    words.name = name;
    words.reference = reference_name;
    return kinds[said->doubt].say(&words);
}
