/* A figure that is neither a time nor a size may have any magnitude. All of a session's values are kept in units of one power of
 * ten, which its first round decides; what does not fit later has failed, as it would be another number. */
#include "runner/session/loop.h"
#include "runner/session/session.h"
#include "runner/command/command.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Times and sizes have units that suit all of them. */
static bool has_any_size(const struct lauka_figure *figure)
{
    return strcmp(figure->unit->unit, "ns") != 0 && strcmp(figure->unit->unit, "B") != 0;
}

struct range {
    double smallest,
        greatest; /* of what is above 0, and can be kept; greatest 0: there is nothing */
};

static struct range range_of(const struct lauka_sample *samples, size_t count, size_t figure)
{
    struct range range = {INFINITY, 0};

    for (size_t c = 0; c < count; c++) {
        double value = samples[c].figures ? samples[c].figures[figure] : NAN;
        if (value >= LAUKA_FIGURE_LEAST && value <= LAUKA_FIGURE_MOST) {
            range.smallest = fmin(range.smallest, value);
            range.greatest = fmax(range.greatest, value);
        }
    }
    return range;
}

static bool refuse(struct lauka_sample *sample, const struct lauka_sources *sources, size_t f,
                   enum lauka_fit fit, int decimals, struct lauka_failure *failure)
{
    const struct lauka_figure *figure = sources->figures[f];
    const double unit = lauka_power_of_ten(decimals);
    const bool any = has_any_size(figure), small = fit == LAUKA_FIT_TOO_SMALL;

    sample->unreported = true;
    failure->sample = *sample;
    snprintf(failure->reason, sizeof failure->reason,
             "reported %.9g%s%s as %.100s, which is too %s%s (%s %.2g can be kept)",
             sample->figures[f], any ? "" : " ", any ? "" : figure->unit->unit, figure->name,
             small ? "small" : "large", any ? " beside the first values" : "",
             small ? "at least" : "less than", small ? 1 / unit : LAUKA_VALUE_END / unit);
    return false;
}

/* A value that loses digits for the sake of others is told of once. */
static void note_rounding(struct lauka_sources *sources, struct lauka_result *result, size_t f,
                          double value, int decimals)
{
    static const double tolerance = 1e-4;
    char text[300];
    double kept = (double)lauka_decimals_value(value, decimals) / lauka_power_of_ten(decimals);

    if (sources->rounded[f] || fabs(kept - value) <= tolerance * value)
        return;
    sources->rounded[f] = true;
    snprintf(text, sizeof text,
             "`%.100s` has values so far apart that the smallest ones are rounded to multiples of "
             "%.2g",
             sources->figures[f]->name, 1 / lauka_power_of_ten(decimals));
    (void)lauka_result_warn(result, text); /* without memory the session goes on without it */
}

/* Of one command; false: it has failed. */
static bool check(struct lauka_sources *sources, struct lauka_result *result,
                  struct lauka_sample *sample, size_t first, struct lauka_failure *failure)
{
    for (size_t f = 0; sample->figures && first + f < result->metric_count; f++) {
        double value = sample->figures[f];
        int decimals = result->metrics[first + f].decimals;
        if (isnan(value))
            continue;
        enum lauka_fit fit = lauka_decimals_fit(value, decimals);
        if (fit != LAUKA_FIT_GOOD)
            return refuse(sample, sources, f, fit, decimals, failure);
        note_rounding(sources, result, f, value, decimals);
    }
    return true;
}

bool lauka_powers_settle(struct lauka_sources *sources, struct lauka_result *result,
                         struct lauka_sample *samples, struct lauka_failure *failure)
{
    const size_t first = result->metric_count - sources->counts[LAUKA_SOURCES - 1];

    for (size_t f = 0; first + f < result->metric_count; f++) {
        struct range range = range_of(samples, result->command_count, f);
        if (sources->chosen[f] || range.greatest == 0)
            continue;
        sources->chosen[f] = true;
        if (has_any_size(sources->figures[f]))
            result->metrics[first + f].decimals = lauka_decimals_choose(
                range.smallest, range.greatest, sources->figures[f]->unit->decimals);
    }
    for (size_t c = 0; c < result->command_count; c++) {
        failure->command = c;
        if (!check(sources, result, &samples[c], first, failure))
            return false;
    }
    return true;
}

bool lauka_loop_has_succeeded(struct lauka_loop *loop, const struct lauka_run *run)
{
    const size_t count = loop->options->command_count;
    struct lauka_sample *round =
        loop->samples + (size_t)(run->sample - loop->samples) / count * count;
    struct lauka_failure failure = {.round = run->round};

    if (!lauka_mishaps_is_success(loop->options, run->command, run->sample))
        return false;
    if (run->warmup || run->place + 1 < count ||
        lauka_powers_settle(&loop->sources, loop->result, round, &failure))
        return true;
    loop->executor.failure = failure;
    return false;
}
