/* How often the search for steps names one where there is none, and how often it finds one: histories of 24 benchmarks with
 * 100 points, 200 of each kind. Seeded. methods.md beside it says what the columns are. */
#include "stats/levels.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BENCHMARKS = 24, POINTS = 100, HISTORIES = 200, STEP_AT = 60, NEAR = 3, STEPS_MOST = 40 };
static const double deviation = 0.01; /* from session to session */

enum kind { NORMAL, T3, SPIKES, CORRELATED, TURNS, KINDS };
static const char *const kind_names[] = {"normal", "t3", "4 % spikes", "AR(1) .5",
                                         "two machines in turns"};

static double t3(struct lauka_random *random)
{
    const double normal = lauka_random_normal(random);
    double squares = 0;

    for (int i = 0; i < 3; i++) {
        const double z = lauka_random_normal(random);
        squares += z * z;
    }
    return normal / sqrt(squares / 3) / sqrt(3.0); /* of deviation 1 */
}

static double draw(struct lauka_random *random, enum kind kind, double *state, size_t point)
{
    const double normal = kind == T3 ? t3(random) : lauka_random_normal(random);

    switch (kind) {
    case SPIKES:
        return normal + (lauka_random_unit(random) < 0.04 ? 10 : 0);
    case CORRELATED:
        *state = point == 0 ? normal : 0.5 * *state + sqrt(0.75) * normal;
        return *state;
    case TURNS:
        return normal + (point % 2 ? 2 : 0); /* the other machine is slower */
    default:
        return normal;
    }
}

struct history {
    struct lauka_optional p[BENCHMARKS * STEPS_MOST];
    size_t benchmark[BENCHMARKS * STEPS_MOST], at[BENCHMARKS * STEPS_MOST];
    bool late[BENCHMARKS * STEPS_MOST], stands[BENCHMARKS * STEPS_MOST], fresh;
    size_t count;
};

/* stride: 2 for every second point: the points of one machine. */
static void search(struct history *history, size_t benchmark, const double *points, size_t first,
                   size_t stride)
{
    double values[POINTS];
    struct lauka_levels found;
    size_t count = 0;

    for (size_t i = first; i < POINTS; i += stride)
        values[count++] = points[i];
    if (lauka_levels_find(values, count, LAUKA_ALPHA_FIXED, &found) != 0)
        abort();
    history->fresh |= found.fresh > 0;
    for (size_t s = 0; s < found.count || s == 0; s++) {
        const bool none = found.count == 0;
        history->p[history->count] = none ? lauka_known(1) : found.steps[s].location.p;
        history->benchmark[history->count] = benchmark;
        history->at[history->count] = none ? 0 : first + stride * found.steps[s].at;
        history->late[history->count++] = !none && count - found.steps[s].at <= 3;
    }
    lauka_levels_done(&found);
}

struct counts {
    unsigned any, late, found, fresh;
};

static void judge(struct history *history, bool planted, size_t stride, struct counts *counts)
{
    bool any = false, late = false, found = false;

    lauka_family_holm(history->p, NULL, history->count, LAUKA_ALPHA_FIXED, history->stands);
    for (size_t i = 0; i < history->count; i++) {
        const long away = (long)history->at[i] - STEP_AT;
        if (!history->stands[i])
            continue;
        const bool is_it =
            planted && history->benchmark[i] == 0 && labs(away) <= (long)(NEAR * stride);
        found |= is_it;
        any |= !is_it;
        late |= history->late[i];
    }
    counts->any += any;
    counts->late += late;
    counts->found += found;
    counts->fresh += history->fresh;
}

static struct counts simulate(struct lauka_random *random, enum kind kind, double size)
{
    struct counts counts = {0};
    const size_t stride = kind == TURNS ? 2 : 1;

    for (int h = 0; h < HISTORIES; h++) {
        struct history history = {.count = 0};
        for (size_t b = 0; b < BENCHMARKS; b++) {
            double points[POINTS], state = 0;
            for (size_t i = 0; i < POINTS; i++)
                points[i] =
                    deviation * draw(random, kind, &state, i) + (b == 0 && i >= STEP_AT ? size : 0);
            for (size_t first = 0; first < stride; first++)
                search(&history, b, points, first, stride);
        }
        judge(&history, size > 0, stride, &counts);
    }
    return counts;
}

static double share(unsigned count)
{
    return 100.0 * count / (double)HISTORIES;
}

int main(void)
{
    static const double sizes[] = {0.01, 0.02, 0.05};
    struct lauka_random random;
    bool good = true;

    lauka_random_seed(&random, 42);
    puts("| noise | any without a step | in the last three points | too new | +1 % found | +2 % | "
         "+5 % |");
    puts("|:--|--:|--:|--:|--:|--:|--:|");
    for (enum kind kind = 0; kind < KINDS; kind++) {
        const struct counts none = simulate(&random, kind, 0);
        printf("| %s | %.1f %% | %.1f %% | %.1f %% |", kind_names[kind], share(none.any),
               share(none.late), share(none.fresh));
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            printf(" %.1f %% |", share(simulate(&random, kind, sizes[s]).found));
        puts("");
        good &= share(none.any) <= 10 && share(none.late) <= 2;
    }
    puts(good ? "within the limits: 10 % and 2 %" : "beyond the limits: 10 % and 2 %");
    return !good;
}
