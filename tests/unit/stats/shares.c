/* Shares of a whole, and how they differ between two sides. */
#include <errno.h>

#include "stats/units.h"
#include "tests/unit/numbers.h"

enum { MANY = 24 };

static struct lauka_share_change compare(const double *parts[2], const double *wholes[2],
                                         size_t rounds, uint64_t family)
{
    const struct lauka_shares_side sides[2] = {{parts[0], wholes[0]}, {parts[1], wholes[1]}};
    struct lauka_share_change change = {.p = -1};
    EXPECT(lauka_shares_compare(sides, rounds, family, 0.05, &change) == 0);
    return change;
}

/* By hand: shares 60/300 and 90/300. Residuals (of 3 e / 300) are 0, -.1, +.1 before, and -.1, .1, 0
 * after. */
static void shares_have_intervals_over_rounds(void)
{
    const double before[] = {20, 10, 30}, after[] = {20, 40, 30}, whole[] = {100, 100, 100};
    struct lauka_share_change change =
        compare((const double *[]){before, after}, (const double *[]){whole, whole}, 3, 1);
    const double t = 4.302652729911275; /* Student's t at 0.975 with 2 degrees of freedom */
    EXPECT_NEAR(change.before.estimate, 0.2, 1e-12);
    EXPECT_NEAR(change.after.estimate, 0.3, 1e-12);
    EXPECT_NEAR(change.difference.estimate, 0.1, 1e-12);
    EXPECT_NEAR(change.after.high - 0.3, t * sqrt(0.02 / 2 / 3), 1e-9);
    EXPECT_NEAR(change.before.low, 0, 0); /* a share is never negative */
    EXPECT_NEAR(0.1 - change.difference.low, t * sqrt((0.01 + 0.04 + 0.01) / 2 / 3), 1e-9);
}

/* A round with twice as many samples counts twice. */
static void rounds_weigh_what_was_sampled_in_them(void)
{
    const double part[] = {10, 60, 10, 10}, whole[] = {100, 200, 100, 100};
    struct lauka_share_change change =
        compare((const double *[]){part, part}, (const double *[]){whole, whole}, 4, 1);
    EXPECT_NEAR(change.before.estimate, 90.0 / 500, 1e-12);
    EXPECT(change.p == 1 && change.difference.estimate == 0);
}

static void rounds_without_samples_do_not_count(void)
{
    const double part[] = {10, 0, 12, 11}, whole[] = {100, 0, 100, 100}, none[] = {0, 0, 1, 1};
    struct lauka_share_change change =
        compare((const double *[]){part, part}, (const double *[]){whole, whole}, 4, 1);
    const struct lauka_shares_side few[2] = {{part, none}, {part, none}};
    EXPECT_NEAR(change.before.estimate, 0.11, 1e-12);
    EXPECT(lauka_shares_compare(few, 4, 1, 0.05, &change) == EDOM);
}

/* A few rare samples on one side only: Student's t would claim a difference, ranks do not. */
static void few_rare_samples_are_no_claim(void)
{
    double before[MANY] = {0}, after[MANY] = {0}, whole[MANY];
    for (int r = 0; r < MANY; r++) {
        whole[r] = 100;
        after[r] = r < 5;
    }
    struct lauka_share_change change =
        compare((const double *[]){before, after}, (const double *[]){whole, whole}, MANY, 1);
    EXPECT(change.difference.low > 0);
    EXPECT(change.p > 0.05);
}

/* Seeded. The functions of a program are sampled at random and compared with themselves; then one of
 * them has grown. */
static void false_claims_are_rare_and_a_grown_share_is_found(void)
{
    enum { SESSIONS = 300, FUNCTIONS = 10, SAMPLES = 100 };
    struct lauka_random random;
    int false_claims = 0, hits = 0;
    lauka_random_seed(&random, 7);
    for (int s = 0; s < SESSIONS; s++) {
        double parts[2][FUNCTIONS][MANY] = {{{0}}}, whole[MANY];
        struct lauka_optional p[FUNCTIONS];
        bool stands[FUNCTIONS], grown = s % 2 == 1;
        for (int r = 0; r < MANY; r++) {
            whole[r] = SAMPLES;
            for (int side = 0; side < 2; side++)
                for (int i = 0; i < SAMPLES; i++) {
                    /* The first functions get most of the time. */
                    uint64_t drawn = lauka_random_below(&random, 1024), f = 0;
                    while (f + 1 < FUNCTIONS && drawn < 512u >> f)
                        f++;
                    if (side == 1 && grown && lauka_random_below(&random, 100) < 5)
                        f = 4;
                    parts[side][f][r]++;
                }
        }
        for (int f = 0; f < FUNCTIONS; f++) {
            struct lauka_share_change change =
                compare((const double *[]){parts[0][f], parts[1][f]},
                        (const double *[]){whole, whole}, MANY, FUNCTIONS);
            p[f] = (struct lauka_optional){true, change.p};
        }
        lauka_family_holm(p, NULL, FUNCTIONS, 0.05, stands);
        bool any = false;
        for (int f = 0; f < FUNCTIONS; f++)
            any |= stands[f];
        false_claims += !grown && any;
        hits += grown && stands[4];
    }
    EXPECT(false_claims <= 14); /* of 150: 5 % plus three standard errors */
    EXPECT(hits >= 120);        /* of 150 */
}

int main(void)
{
    TEST(shares_have_intervals_over_rounds);
    TEST(rounds_weigh_what_was_sampled_in_them);
    TEST(rounds_without_samples_do_not_count);
    TEST(few_rare_samples_are_no_claim);
    TEST(false_claims_are_rare_and_a_grown_share_is_found);
    return expect_report("shares");
}
