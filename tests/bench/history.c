/* How often the search for steps names one where there is none, and how often it finds one: histories of 24 benchmarks.
 * How often the interval of two stored sessions holds the truth. Seeded: -- SEED. methods.md beside it says what the
 * columns are. */
#include "stats/levels.h"
#include "stats/sessions.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BENCHMARKS = 24, POINTS = 100, MOST = 200, HISTORIES = 200, NEAR = 3, ROOM = 40 };
enum { PAIRS = 4000, EARLIER_MOST = 20 };
static const double deviation = 0.01; /* from session to session */

/* ---- noise, by a generator that is not lauka's: splitmix64 (Steele, Lea & Flood 2014), and Box & Muller 1958 ---- */

static uint64_t state;

static double uniform(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * acos(-1.0) * uniform());
}

static double t3(void)
{
    double squares = 0;

    for (int i = 0; i < 3; i++) {
        const double z = normal();
        squares += z * z;
    }
    return normal() / sqrt(squares); /* of deviation 1 */
}

enum kind { NORMAL, T3, SPIKES, CORRELATED, TURNS, CLOSELY, NIGHTLY, UNEVEN, KINDS };
static const char *const kind_names[] = {"normal",
                                         "t3",
                                         "4 % spikes",
                                         "AR(1) .5",
                                         "two machines in turns",
                                         "AR(1) .7",
                                         "days and nights",
                                         "uneven deviation"};

static void fill(double *points, size_t count, enum kind kind)
{
    const double keeps = kind == CORRELATED ? 0.5 : kind == CLOSELY ? 0.7 : 0;
    double last = normal(), spread = 1;

    for (size_t i = 0; i < count; i++) {
        last = keeps * last + sqrt(1 - keeps * keeps) * normal();
        if (i % 20 == 0)
            spread = kind == UNEVEN ? 1 + 2 * uniform() : 1;
        points[i] = kind == T3 ? t3() : spread * last;
        points[i] += kind == SPIKES && uniform() < 0.04 ? 10 : 0;
        points[i] += kind == TURNS && i % 2 ? 2 : 0; /* the other machine is slower */
        points[i] += kind == NIGHTLY ? sin(2 * acos(-1.0) * (double)i / 8) : 0;
        points[i] *= deviation;
    }
}

/* ---- steps --------------------------------------------------------------------------------------- */

struct history {
    struct lauka_optional p[BENCHMARKS * ROOM];
    size_t benchmark[BENCHMARKS * ROOM], at[BENCHMARKS * ROOM];
    bool late[BENCHMARKS * ROOM], stands[BENCHMARKS * ROOM], fresh;
    size_t count;
};

/* stride: 2 for every second point: the points of one machine. */
static void search(struct history *history, size_t benchmark, const double *points, size_t all,
                   size_t first, size_t stride)
{
    double values[MOST];
    struct lauka_levels found;
    size_t count = 0;

    for (size_t i = first; i < all; i += stride)
        values[count++] = points[i];
    if (lauka_levels_find(values, count, LAUKA_ALPHA_FIXED, &found) != 0)
        abort();
    history->fresh |= found.fresh.at > 0;
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

static void judge(struct history *history, size_t planted, size_t stride, struct counts *counts)
{
    bool any = false, late = false, found = false;

    lauka_family_holm(history->p, NULL, history->count, LAUKA_ALPHA_FIXED, history->stands);
    for (size_t i = 0; i < history->count; i++) {
        const long away = (long)history->at[i] - (long)planted;
        if (!history->stands[i])
            continue;
        const bool is_it =
            planted > 0 && history->benchmark[i] == 0 && labs(away) <= (long)(NEAR * stride);
        found |= is_it;
        any |= !is_it;
        late |= history->late[i];
    }
    counts->any += any;
    counts->late += late;
    counts->found += found;
    counts->fresh += history->fresh;
}

/* size: of the step that the first benchmark has after six tenths of its points; 0: none. */
static struct counts simulate(enum kind kind, size_t points, double size)
{
    struct counts counts = {0};
    const size_t stride = kind == TURNS ? 2 : 1, planted = points * 6 / 10;

    for (int h = 0; h < HISTORIES; h++) {
        struct history history = {.count = 0};
        for (size_t b = 0; b < BENCHMARKS; b++) {
            double values[MOST];
            fill(values, points, kind);
            for (size_t i = planted; b == 0 && i < points; i++)
                values[i] += size;
            for (size_t first = 0; first < stride; first++)
                search(&history, b, values, points, first, stride);
        }
        judge(&history, size > 0 ? planted : 0, stride, &counts);
    }
    return counts;
}

static double share(unsigned count)
{
    return 100.0 * count / (double)HISTORIES;
}

static bool show_steps(void)
{
    static const double sizes[] = {0.01, 0.02, 0.05};
    bool good = true;

    puts("| noise | any without a step | in the last three points | too new | +1 % found | +2 % | "
         "+5 % |\n|:--|--:|--:|--:|--:|--:|--:|");
    for (enum kind kind = 0; kind < KINDS; kind++) {
        const struct counts none = simulate(kind, POINTS, 0);
        printf("| %s | %.1f %% | %.1f %% | %.1f %% |", kind_names[kind], share(none.any),
               share(none.late), share(none.fresh));
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            printf(" %.1f %% |", share(simulate(kind, POINTS, sizes[s]).found));
        puts("");
        good &= kind > TURNS || (share(none.any) <= 10 && share(none.late) <= 2);
    }
    return good;
}

static bool show_lengths(void)
{
    static const size_t lengths[] = {15, 30, 50, 70, MOST};
    bool good = true;

    puts("\n| any without a step, of histories with | 15 points | 30 | 50 | 70 | 200 |\n"
         "|:--|--:|--:|--:|--:|--:|");
    for (enum kind kind = 0; kind < KINDS; kind++) {
        printf("| %s |", kind_names[kind]);
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            const double any = share(simulate(kind, lengths[l], 0).any);
            printf(" %.1f %% |", any);
            good &= kind > TURNS || any <= 10;
        }
        puts("");
    }
    return good;
}

/* Counts that change by one instruction, five times in each of the benchmarks. */
static bool show_exact(void)
{
    unsigned planted = 0, right = 0, others = 0;

    for (int b = 0; b < BENCHMARKS * HISTORIES; b++) {
        double values[POINTS] = {54321678};
        struct lauka_levels found;
        bool is_step[POINTS] = {false};
        for (size_t s = 0; s < 5; s++)
            is_step[1 + (size_t)(uniform() * (POINTS - 1))] = true;
        for (size_t i = 1; i < POINTS; i++)
            values[i] = values[i - 1] + (is_step[i] ? uniform() < 0.5 ? -1 : 1 : 0);
        for (size_t i = 1; i < POINTS; i++)
            planted += is_step[i];
        if (lauka_levels_find_exact(values, POINTS, &found) != 0)
            abort();
        for (size_t s = 0; s < found.count; s++)
            *(is_step[found.steps[s].at] ? &right : &others) += 1;
        lauka_levels_done(&found);
    }
    printf("\nexact counts, steps of one instruction: %u of %u found, %u others\n", right, planted,
           others);
    return right == planted && others == 0;
}

/* ---- two stored sessions --------------------------------------------------------------------------- */

/* Earlier sessions, and then two whose programs differ by 3 %. Each session has an interval of its own, of 0.3 %. */
static bool is_covered(enum kind kind, size_t earlier)
{
    const double truth = 0.03;
    double values[EARLIER_MOST + 2], mean = 0, squares = 0;

    fill(values, earlier + 2, kind);
    for (size_t i = 0; i < earlier; i++)
        mean += values[i] / (double)earlier;
    for (size_t i = 0; i < earlier; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    const struct lauka_sessions sessions = {sqrt(squares / (double)(earlier - 1)), earlier};
    const double seen = values[earlier + 1] + truth - values[earlier];
    struct lauka_comparison comparison = {.log_ratio = lauka_known(seen),
                                          .log_low = lauka_known(seen - 0.003),
                                          .log_high = lauka_known(seen + 0.003)};
    return lauka_sessions_compare(&sessions, LAUKA_ALPHA_FIXED, 0.01, &comparison) &&
           comparison.log_low.value <= truth && truth <= comparison.log_high.value;
}

static void show_coverage(void)
{
    static const size_t earlier[] = {5, 8, EARLIER_MOST};

    printf("\n| coverage of %d pairs, from | 5 sessions | 8 | 20 |\n|:--|--:|--:|--:|\n", PAIRS);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        if (kind == TURNS)
            continue; /* each machine has a history of its own */
        printf("| %s |", kind_names[kind]);
        for (size_t e = 0; e < sizeof earlier / sizeof *earlier; e++) {
            unsigned covered = 0;
            for (int p = 0; p < PAIRS; p++)
                covered += is_covered(kind, earlier[e]);
            printf(" %.1f %% |", 100.0 * covered / (double)PAIRS);
        }
        puts("");
    }
}

int main(int count, char **words)
{
    state = count > 1 ? strtoull(words[1], NULL, 10) : 42;
    bool good = show_steps();
    good &= show_lengths();
    good &= show_exact();
    show_coverage();
    puts(good ? "\nwithin the limits: 10 % and 2 %" : "\nbeyond the limits: 10 % and 2 %");
    return !good;
}
