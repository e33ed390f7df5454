/* Times that a kernel counts in ticks, where equal commands get only a few ticks in a whole session: how
 * often a difference is claimed. The tests are seeded, so every run is the same; the bound comes from
 * the binomial distribution. */
#include "tests/unit/expect.h"

#include "stats/stats.h"
#include "tests/unit/bound.h"

#include <math.h>

enum { SESSIONS = 100 };

struct cell {
    double ticks; /* of a command in all rounds together, on average */
    double more;  /* the other commands have this many times as many */
    size_t rounds, commands;
};

static unsigned ticks_of_run(struct lauka_random *random, double mean)
{
    double product = 1;
    unsigned ticks = 0;
    do {
        product *= ((double)lauka_random_below(random, 1u << 30) + 0.5) / (1u << 30);
        ticks++;
    } while (product > exp(-mean));
    return ticks - 1;
}

static void run(struct lauka_series *series, struct lauka_random *random, size_t rounds,
                double ticks)
{
    *series = (struct lauka_series){0};
    EXPECT(lauka_series_reserve(series, rounds) == 0);
    for (size_t i = 0; i < rounds; i++)
        lauka_series_add(series, UINT64_C(4000000) * ticks_of_run(random, ticks / (double)rounds));
}

static bool differs(const struct lauka_series *reference, const struct lauka_series *other,
                    uint64_t family)
{
    const struct lauka_comparison_options options = {.alpha = LAUKA_ALPHA_FIXED, .precision = 0.01};
    struct lauka_comparison comparison;
    EXPECT(lauka_compare(reference, other, &options, &comparison) == 0);
    return (comparison.verdict == LAUKA_VERDICT_HIGHER ||
            comparison.verdict == LAUKA_VERDICT_LOWER) &&
           comparison.p.known && comparison.p.value <= LAUKA_ALPHA_FIXED / (double)family;
}

/* Sessions in which any command was called different from the first. */
static unsigned claims_of(const struct cell *cell)
{
    unsigned claims = 0;
    struct lauka_random random;
    lauka_random_seed(&random, 1);
    for (unsigned s = 0; s < SESSIONS; s++) {
        struct lauka_series reference, other;
        bool claimed = false;
        run(&reference, &random, cell->rounds, cell->ticks);
        for (size_t c = 1; c < cell->commands; c++) {
            run(&other, &random, cell->rounds, cell->ticks * cell->more);
            claimed |= differs(&reference, &other, cell->commands - 1);
            lauka_series_done(&other);
        }
        lauka_series_done(&reference);
        claims += claimed;
    }
    return claims;
}

static void a_few_ticks_more_or_less_are_rarely_claimed(void)
{
    static const double ticks[] = {1, 2, 3, 4, 5, 20};
    static const size_t rounds[] = {10, 30, 100};
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 3; j++)
            EXPECT(claims_of(&(struct cell){ticks[i], 1, rounds[j], 2}) <= bound_of(SESSIONS));
}

static void nor_are_they_among_many_commands(void)
{
    EXPECT(claims_of(&(struct cell){1, 1, 100, 20}) <= bound_of(SESSIONS));
    EXPECT(claims_of(&(struct cell){5, 1, 100, 20}) <= bound_of(SESSIONS));
    EXPECT(claims_of(&(struct cell){20, 1, 30, 20}) <= bound_of(SESSIONS));
}

/* The side and round of each tick are random. In one of 8 sessions all four ticks are on one side. */
static void four_ticks_in_all_are_nobodys(void)
{
    unsigned claims = 0;
    struct lauka_random random;
    lauka_random_seed(&random, 1);
    for (unsigned s = 0; s < 5 * SESSIONS; s++) {
        uint64_t values[2][30] = {{0}};
        struct lauka_series sides[2] = {{0}};
        for (int tick = 0; tick < 4; tick++)
            values[lauka_random_below(&random, 2)][lauka_random_below(&random, 30)] += 4000000;
        for (int side = 0; side < 2; side++) {
            EXPECT(lauka_series_reserve(&sides[side], 30) == 0);
            for (size_t i = 0; i < 30; i++)
                lauka_series_add(&sides[side], values[side][i]);
        }
        claims += differs(&sides[0], &sides[1], 1);
        lauka_series_done(&sides[0]);
        lauka_series_done(&sides[1]);
    }
    EXPECT(claims <= bound_of(5 * SESSIONS));
}

static void many_ticks_more_are_found(void)
{
    EXPECT(claims_of(&(struct cell){5, 8, 30, 2}) >= SESSIONS * 99 / 100);
    EXPECT(claims_of(&(struct cell){2, 12, 100, 2}) >= SESSIONS * 95 / 100);
}

/* Some kernels measure CPU time exactly but divide it between user and system by ticks. A run of one or
 * two ticks then gets all of it, half of it, or nothing as user time. */
static void run_divided(struct lauka_series *series, struct lauka_random *random, size_t rounds,
                        double share)
{
    *series = (struct lauka_series){0};
    EXPECT(lauka_series_reserve(series, rounds) == 0);
    for (size_t i = 0; i < rounds; i++) {
        uint64_t time = 900000 + lauka_random_below(random, 200000);
        unsigned ticks = lauka_random_below(random, 4) == 3 ? 2 : 1, user = 0;
        for (unsigned tick = 0; tick < ticks; tick++)
            user += (double)lauka_random_below(random, 1u << 30) / (1u << 30) < share;
        lauka_series_add(series, time * user / ticks);
    }
}

static unsigned claims_of_divided(double share, double other_share, size_t rounds)
{
    unsigned claims = 0;
    struct lauka_random random;
    lauka_random_seed(&random, 1);
    for (unsigned s = 0; s < SESSIONS; s++) {
        struct lauka_series reference, other;
        run_divided(&reference, &random, rounds, share);
        run_divided(&other, &random, rounds, other_share);
        claims += differs(&reference, &other, 1);
        lauka_series_done(&reference);
        lauka_series_done(&other);
    }
    return claims;
}

static void time_that_ticks_divide_is_rarely_claimed_to_differ(void)
{
    static const double shares[] = {0.1, 0.3, 0.5, 0.9};
    static const size_t rounds[] = {6, 10, 30, 100};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            EXPECT(claims_of_divided(shares[i], shares[i], rounds[j]) <= bound_of(SESSIONS));
    EXPECT(claims_of_divided(0.3, 0.7, 30) >= SESSIONS * 3 / 4);
}

int main(void)
{
    TEST(a_few_ticks_more_or_less_are_rarely_claimed);
    TEST(nor_are_they_among_many_commands);
    TEST(four_ticks_in_all_are_nobodys);
    TEST(many_ticks_more_are_found);
    TEST(time_that_ticks_divide_is_rarely_claimed_to_differ);
    return expect_report("ticks");
}
