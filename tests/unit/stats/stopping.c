/* Corrections for many tests at once, and the rule that ends a session. */
#include "stats/stats.h"

#include "tests/unit/numbers.h"

#include <stdlib.h>

/* ---- family.c ---- */

/* Holm 1979: 0.01 and 0.013 stand (against 0.05 / 4 and 0.05 / 3). 0.03 does not (against 0.05 / 2), and
 * neither does any later one. */
static void holm_steps_down_until_one_does_not_stand(void)
{
    const struct lauka_optional p[] = {
        {true, 0.03}, {true, 0.01}, {0}, {true, 0.04}, {true, 0.013}};
    bool stands[5];
    EXPECT_UINT(lauka_family_holm(p, NULL, 5, 0.05, stands), 4);
    EXPECT(!stands[0] && stands[1] && !stands[2] && !stands[3] && stands[4]);
    EXPECT_UINT(lauka_family_holm(p, NULL, 0, 0.05, stands), 0);
    /* .03 / .8 = .0375 stands at once, and .03 is below all of alpha, which is left to the other then. */
    const struct lauka_optional times[] = {{true, 0.03}, {true, 0.03}};
    EXPECT_UINT(lauka_family_holm(times, (const double[]){0.8, 0.2}, 2, 0.05, stands), 2);
    EXPECT(stands[0] && stands[1]);
    lauka_family_holm(times, NULL, 2, 0.05, stands);
    EXPECT(!stands[0] && !stands[1]);
    EXPECT_UINT(lauka_family_holm(p, NULL, 1, 0.05, stands), 1);
    EXPECT(stands[0]);
}

/* Four rounds can say no more than 1 of 8; four logs on each side are no matter of rounds. */
static void the_order_of_few_rounds_claims_little(void)
{
    const struct lauka_comparison means = {.p = {true, 0.001},
                                           .units = 4,
                                           .method = LAUKA_METHOD_MEAN,
                                           .verdict = LAUKA_VERDICT_HIGHER};
    struct lauka_comparison rounds = means, logs = means, *one = &rounds, *other = &logs;
    rounds.paired = true;
    EXPECT(lauka_family_judge(&one, NULL, 1, 0.05) == 0 && rounds.withdrawn);
    EXPECT(lauka_family_judge(&other, NULL, 1, 0.05) == 0 && !logs.withdrawn);
    EXPECT(logs.verdict == LAUKA_VERDICT_HIGHER);
}

/* Comparing every p with every other would take far too long here. */
static void holm_has_time_for_a_hundred_thousand_tests(void)
{
    enum { TESTS = 100000 };
    struct lauka_optional *p = calloc(TESTS, sizeof *p);
    bool *stands = calloc(TESTS, sizeof *stands);
    size_t standing = 0;
    EXPECT(p && stands);
    for (size_t i = 0; i < TESTS; i++)
        p[i] = (struct lauka_optional){true, i % 10 == 0 ? 0.9 : 1e-9 * (double)(i % 7)};
    EXPECT_UINT(lauka_family_holm(p, NULL, TESTS, 0.05, stands), TESTS);
    for (size_t i = 0; i < TESTS; i++)
        standing += stands[i];
    EXPECT_UINT(standing, TESTS / 10 * 9);
    free(p);
    free(stands);
}

static void what_does_not_stand_in_its_family_is_withdrawn(void)
{
    struct lauka_comparison weak = {.p = {true, 0.04}, .verdict = LAUKA_VERDICT_HIGHER};
    struct lauka_comparison strong = {.p = {true, 0.001}, .verdict = LAUKA_VERDICT_LOWER};
    struct lauka_comparison exact = {.method = LAUKA_METHOD_EXACT, .verdict = LAUKA_VERDICT_HIGHER};
    struct lauka_comparison quiet = {.p = {true, 0.5}, .verdict = LAUKA_VERDICT_EQUIVALENT};
    struct lauka_comparison small = {
        .p = {true, 0.03}, .verdict = LAUKA_VERDICT_LOWER, .below_precision = true};
    struct lauka_comparison *all[] = {&weak, &strong, &exact, &quiet, &small};
    EXPECT(lauka_family_judge(all, NULL, 5, 0.05) == 0);
    EXPECT(weak.verdict == LAUKA_VERDICT_INCONCLUSIVE && weak.withdrawn);
    EXPECT_UINT(weak.family, 4);
    EXPECT(strong.verdict == LAUKA_VERDICT_LOWER && !strong.withdrawn);
    EXPECT(exact.verdict == LAUKA_VERDICT_HIGHER && exact.family == 0);
    EXPECT(quiet.verdict == LAUKA_VERDICT_EQUIVALENT && !quiet.withdrawn);
    EXPECT(small.verdict == LAUKA_VERDICT_EQUIVALENT && small.withdrawn && !small.below_precision);
    EXPECT(lauka_family_judge(NULL, NULL, 0, 0.05) == 0);
}

/* ---- stopping.c ---- */

static void looks_grow_by_a_fifth(void)
{
    static const uint64_t looks[] = {10, 12, 15, 18, 22, 27, 33, 40, 48, 58, 70, 84, 101};
    uint64_t rounds = 0;
    for (size_t i = 0; i < COUNT(looks); i++) {
        rounds = lauka_stopping_next_look(rounds);
        EXPECT_UINT(rounds, looks[i]);
    }
    EXPECT_UINT(lauka_stopping_next_look(11), 12);
    EXPECT_UINT(lauka_stopping_next_look(13), 15);
}

static struct lauka_comparison with_interval(double low, double ratio, double high)
{
    return (struct lauka_comparison){
        .pairs = 10,
        .ratio = {true, ratio},
        .low = {true, low},
        .high = {true, high},
        .half_width = {true, (high - low) / 2},
        .method = LAUKA_METHOD_HODGES_LEHMANN,
    };
}

static void it_stops_on_precision_or_a_clear_effect_never_on_significance(void)
{
    struct lauka_comparison precise = with_interval(0.995, 1, 1.005);
    struct lauka_comparison clear = with_interval(1.06, 1.1, 1.14);
    struct lauka_comparison significant = with_interval(1.001, 1.05, 1.1);
    struct lauka_comparison exact = with_interval(1.2, 1.2, 1.2), none = {.pairs = 2};
    exact.method = LAUKA_METHOD_EXACT;
    EXPECT(lauka_stopping_reason(&precise, 0.01) == LAUKA_STOPPING_PRECISION);
    EXPECT(lauka_stopping_reason(&clear, 0.01) == LAUKA_STOPPING_EFFECT);
    EXPECT(lauka_stopping_reason(&significant, 0.01) == LAUKA_STOPPING_NOT);
    EXPECT(lauka_stopping_reason(&exact, 0.01) == LAUKA_STOPPING_EXACT);
    EXPECT(lauka_stopping_reason(&none, 0.01) == LAUKA_STOPPING_NOT);
    EXPECT(lauka_stopping_reason(&precise, 0) == LAUKA_STOPPING_NOT);
    EXPECT(lauka_stopping_reason(&exact, 0) == LAUKA_STOPPING_NOT);

    const struct lauka_comparison *all[] = {&precise, &exact, &clear, &significant};
    EXPECT(lauka_stopping_reason_all(all, 2, 0.01) == LAUKA_STOPPING_PRECISION);
    EXPECT(lauka_stopping_reason_all(all, 3, 0.01) == LAUKA_STOPPING_EFFECT);
    EXPECT(lauka_stopping_reason_all(all, 4, 0.01) == LAUKA_STOPPING_NOT);
    EXPECT(lauka_stopping_reason_all(all, 0, 0.01) == LAUKA_STOPPING_NOT);
}

static void twice_as_precise_takes_four_times_as_long(void)
{
    struct lauka_comparison precise = with_interval(0.995, 1, 1.005);
    struct lauka_comparison wide = with_interval(0.98, 1, 1.02), none = {.pairs = 2};
    const struct lauka_comparison *all[] = {&precise, &wide, &none};
    EXPECT_NEAR(lauka_stopping_factor(all, 2, 0.01).value, 4, 1e-9);
    EXPECT(exactly(lauka_stopping_factor(all, 1, 0.01), 1));
    EXPECT(unknown(lauka_stopping_factor(all, 3, 0.01)));
    EXPECT(unknown(lauka_stopping_factor(all, 2, 0)));
    EXPECT(unknown(lauka_stopping_factor(all, 0, 0.01)));
}

/* The commands are equal and each look has a confidence of 97 %, so that all looks together keep 95 %. */
static void stopping_by_looks_keeps_what_95_per_cent_promise(void)
{
    const struct lauka_comparison_options options = {.alpha = LAUKA_ALPHA_LOOK, .precision = 0.01};
    struct lauka_random random;
    lauka_random_seed(&random, 30);
    int claims = 0;
    for (int trial = 0; trial < 600; trial++) {
        uint64_t a[160], b[160];
        for (size_t i = 0; i < 160; i++) {
            a[i] = (uint64_t)(1e8 * exp(0.02 * lauka_random_normal(&random)));
            b[i] = (uint64_t)(1e8 * exp(0.02 * lauka_random_normal(&random)));
        }
        struct lauka_comparison comparison;
        size_t rounds = 0;
        do {
            rounds = (size_t)lauka_stopping_next_look(rounds);
            comparison = compared(a, rounds, b, rounds, &options);
        } while (lauka_stopping_reason(&comparison, 0.01) == LAUKA_STOPPING_NOT && rounds < 130);
        claims +=
            comparison.verdict == LAUKA_VERDICT_HIGHER || comparison.verdict == LAUKA_VERDICT_LOWER;
    }
    EXPECT(claims <= 40); /* 600 * 5 % plus two standard errors */
}

int main(void)
{
    TEST(holm_steps_down_until_one_does_not_stand);
    TEST(holm_has_time_for_a_hundred_thousand_tests);
    TEST(what_does_not_stand_in_its_family_is_withdrawn);
    TEST(the_order_of_few_rounds_claims_little);
    TEST(looks_grow_by_a_fifth);
    TEST(it_stops_on_precision_or_a_clear_effect_never_on_significance);
    TEST(twice_as_precise_takes_four_times_as_long);
    TEST(stopping_by_looks_keeps_what_95_per_cent_promise);
    return expect_report("stopping");
}
