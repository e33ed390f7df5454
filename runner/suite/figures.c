/* Figures that benchmarks report beside their times: each becomes a metric as soon as one of them has
 * reported it. */
#include "runner/suite/suite.h"
#include "pmu/events/events.h"
#include "runner/command/command.h"
#include "runner/session/session.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool lauka_inner_figures_can_name(const char *name)
{
    for (size_t i = 0; i < LAUKA_USAGE_METRICS; i++)
        if (strcmp(lauka_usage_events()[i].name, name) == 0)
            return false;
    return !lauka_event_find(name);
}

static size_t find(const struct lauka_inner_figures *figures, const char *name)
{
    size_t f = 0;

    while (f < figures->tells.figure_count && strcmp(figures->tells.figures[f].name, name) != 0)
        f++;
    return f;
}

int lauka_inner_figures_note(struct lauka_inner_figures *figures, size_t side,
                             const struct lauka_inner_answer *answer)
{
    for (size_t i = 0; i < answer->figure_count; i++) {
        const struct lauka_inner_figure *told = &answer->figures[i];
        const struct lauka_figure_unit *unit =
            lauka_figure_unit_find(told->unit, strlen(told->unit));
        size_t f = find(figures, told->name);
        struct lauka_figure *figure = &figures->tells.figures[f];
        if (!unit || !lauka_inner_figures_can_name(told->name) || f == LAUKA_FIGURES_MAX)
            continue;
        if (f == figures->tells.figure_count) {
            *figure = (struct lauka_figure){.name = strdup(told->name), .unit = unit};
            if (!figure->name)
                return ENOMEM;
            figures->tells.figure_count++;
        }
        figures->told[side][f] = true;
    }
    return 0;
}

/* In the unit of the metric; NaN if it is not among them. */
static double value_of(const struct lauka_figure *figure, const struct lauka_inner_answer *answer)
{
    for (size_t i = 0; i < answer->figure_count; i++) {
        const struct lauka_inner_figure *told = &answer->figures[i];
        const struct lauka_figure_unit *unit =
            lauka_figure_unit_find(told->unit, strlen(told->unit));
        if (strcmp(told->name, figure->name) == 0 && unit &&
            strcmp(unit->unit, figure->unit->unit) == 0)
            return told->value * unit->factor;
    }
    return NAN;
}

const char *lauka_inner_figures_fill(const struct lauka_inner_figures *figures, size_t side,
                                     const struct lauka_inner_answer *answer, double *values)
{
    const char *missing = NULL;

    for (size_t f = 0; f < figures->tells.figure_count; f++) {
        values[f] = value_of(&figures->tells.figures[f], answer);
        if (isnan(values[f]) && figures->told[side][f])
            missing = figures->tells.figures[f].name;
    }
    return missing;
}

void lauka_inner_figures_done(struct lauka_inner_figures *figures)
{
    for (size_t f = 0; f < figures->tells.figure_count; f++)
        free(figures->tells.figures[f].name);
    figures->tells.figure_count = 0;
}
