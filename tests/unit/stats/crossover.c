/* Two commands where whichever comes first in a round takes longer: what remains of their difference
 * without that. */
#include "stats/crossover.h"
#include "tests/unit/numbers.h"

enum { ROUNDS = 30 };

/* Mirrored pairs of rounds. The first command of a round takes 20 % more; `b` takes 5 % more. */
static const uint32_t reference_first[12] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
static const uint64_t seven_a[] = {11809, 9950, 10230, 11868, 12181, 10055, 9810},
                      seven_b[] = {10226, 12706, 12628, 10336, 10849, 12293, 13010};
static const uint64_t twelve_a[] = {12500, 10084, 9910,  11525, 11794, 10045,
                                    9944,  11749, 12116, 10193, 10005, 12132},
                      twelve_b[] = {9977,  12458, 12546, 10451, 11222, 12511,
                                    12433, 10418, 10450, 12550, 12996, 10394};

static struct lauka_comparison in_turns(const uint64_t *a, const uint64_t *b, size_t count,
                                        const uint32_t *first, double alpha)
{
    const struct lauka_turns turns = {.first = first, .stride = 1, .reference = 1};
    const struct lauka_comparison_options options = {
        .alpha = alpha, .precision = 0.01, .limit = {true, 0.02}, .turns = first ? &turns : NULL};
    return compared(a, count, b, count, &options);
}

/* From scipy 1.17. The interval is half of ttest_ind(d, -e).confidence_interval(0.975), where d are the
 * differences of rounds in which the reference was first, and e those of the others. p is wilcoxon(x,
 * mode='exact'), where x are all differences, less half of the median difference between the two groups. */
static void answers_are_those_of_scipy(void)
{
    struct lauka_comparison seven = in_turns(seven_a, seven_b, 7, reference_first, 0.05);
    EXPECT_NEAR(seven.log_ratio.value, 0.04884021389180121, 1e-13);
    EXPECT_NEAR(seven.log_low.value, 0.01463104854504655, 1e-12);
    EXPECT_NEAR(seven.log_high.value, 0.08731283558267387, 1e-12);
    EXPECT_NEAR(seven.p.value, 2 * 0.0067839061465386034, 1e-12);
    EXPECT(seven.verdict == LAUKA_VERDICT_HIGHER && seven.confidence == 0.95);
    struct lauka_comparison twelve = in_turns(twelve_a, twelve_b, 12, reference_first, 0.05);
    EXPECT_NEAR(twelve.log_ratio.value, 0.04477813820558217, 1e-13);
    EXPECT_NEAR(twelve.log_low.value, 0.01805522469713587, 1e-13);
    EXPECT_NEAR(twelve.log_high.value, 0.08085901332363697, 1e-13);
    EXPECT_NEAR(twelve.p.value, 2 * 0.00927734375, 1e-14);
}

static void without_turns_the_cost_of_a_place_hides_the_difference(void)
{
    struct lauka_comparison seven = in_turns(seven_a, seven_b, 7, NULL, 0.05);
    EXPECT_NEAR(seven.p.value, 0.21875, 1e-14);
    EXPECT(seven.verdict == LAUKA_VERDICT_INCONCLUSIVE);
    EXPECT(in_turns(twelve_a, twelve_b, 12, NULL, 0.05).verdict == LAUKA_VERDICT_INCONCLUSIVE);
}

/* If the order never changes, the cost of a place cannot be separated from the cost of a command. */
static void one_order_alone_tells_nothing_of_places(void)
{
    static const uint32_t always[12] = {0};
    struct lauka_comparison plain = in_turns(twelve_a, twelve_b, 12, NULL, 0.05);
    struct lauka_comparison same = in_turns(twelve_a, twelve_b, 12, always, 0.05);
    EXPECT(same.p.value == plain.p.value && same.log_low.value == plain.log_low.value);
    EXPECT(same.log_ratio.value == plain.log_ratio.value);
}

static void a_round_without_a_value_has_no_turn(void)
{
    uint64_t a[8], b[8];
    uint32_t first[8];
    for (size_t i = 0; i < 8; i++) {
        size_t from = i < 3 ? i : i - 1;
        a[i] = i == 3 ? LAUKA_MISSING : seven_a[from];
        b[i] = i == 3 ? 1 : seven_b[from];
        first[i] = i == 3 ? 1 : reference_first[from];
    }
    struct lauka_comparison eight = in_turns(a, b, 8, first, 0.05);
    struct lauka_comparison seven = in_turns(seven_a, seven_b, 7, reference_first, 0.05);
    EXPECT(eight.pairs == 7 && eight.p.value == seven.p.value);
    EXPECT(eight.log_low.value == seven.log_low.value);
}

/* If all residuals are 0, there is no t; the plain ranks remain. */
static void what_never_varies_but_for_its_place_is_left_to_ranks(void)
{
    uint64_t a[6], b[6];
    for (size_t i = 0; i < 6; i++) {
        a[i] = reference_first[i] ? 12 : 10;
        b[i] = reference_first[i] ? 10 : 12;
    }
    struct lauka_comparison six = in_turns(a, b, 6, reference_first, 0.05);
    EXPECT(six.p.value == in_turns(a, b, 6, NULL, 0.05).p.value);
    EXPECT(six.verdict == LAUKA_VERDICT_INCONCLUSIVE);
}

/* ---- several commands ---------------------------------------------------------------------------- */

enum { SEVERAL = 3, THEIR_ROUNDS = 12 };

/* Each command is first four times. The second takes three times as long as the others, the first of a
 * round takes `share` more, and all vary by up to 0.2 %. */
struct several {
    struct lauka_series series[SEVERAL];
    uint32_t order[THEIR_ROUNDS * SEVERAL];
};

static struct several several_of(double share)
{
    struct several s = {0};
    for (size_t c = 0; c < SEVERAL; c++)
        EXPECT(lauka_series_reserve(&s.series[c], THEIR_ROUNDS) == 0);
    for (size_t i = 0; i < THEIR_ROUNDS; i++)
        for (size_t c = 0; c < SEVERAL; c++) {
            double value = (c == 1 ? 3e6 : 1e6) * (1 + 0.001 * (double)((i / 3 + c) % 3));
            s.order[i * SEVERAL + c] = (uint32_t)((i + c) % SEVERAL);
            lauka_series_add(&s.series[c], (uint64_t)(value * (i % SEVERAL == c ? 1 + share : 1)));
        }
    return s;
}

static double cost_among(struct several *s)
{
    const struct lauka_series *all[SEVERAL] = {&s->series[0], &s->series[1], &s->series[2]};
    double cost = NAN;
    EXPECT(lauka_places_cost(all, SEVERAL, s->order, &cost) == 0);
    return cost;
}

static void several_done(struct several *s)
{
    for (size_t c = 0; c < SEVERAL; c++)
        lauka_series_done(&s->series[c]);
}

static void several_commands_tell_what_the_first_place_costs(void)
{
    static const double shares[] = {0.2, 0.05, -0.1};
    for (size_t i = 0; i < 3; i++) {
        struct several s = several_of(shares[i]);
        EXPECT(fabs(cost_among(&s) - log1p(shares[i])) < 0.002);
        lauka_series_set(&s.series[2], 4, LAUKA_MISSING); /* an incomplete round */
        lauka_series_set(&s.series[0], 5, 0);
        EXPECT(fabs(cost_among(&s) - log1p(shares[i])) < 0.002);
        several_done(&s);
    }
}

static void what_is_not_clear_is_no_cost(void)
{
    struct several s = several_of(0);
    EXPECT(cost_among(&s) == 0);
    for (size_t i = 0; i < THEIR_ROUNDS; i++)
        lauka_series_set(&s.series[1], i, LAUKA_MISSING);
    EXPECT(cost_among(&s) == 0);
    several_done(&s);
}

static void the_cost_is_taken_off_whoever_was_first(void)
{
    struct several s = several_of(0.2);
    struct lauka_turns turns = {s.order, SEVERAL, 0, 1, cost_among(&s)};
    struct lauka_comparison_options options = {.alpha = 0.05, .precision = 0.01};
    struct lauka_comparison plain, level;
    EXPECT(lauka_compare(&s.series[0], &s.series[1], &options, &plain) == 0);
    options.turns = &turns;
    EXPECT(lauka_compare(&s.series[0], &s.series[1], &options, &level) == 0);
    EXPECT(plain.log_high.value - plain.log_low.value > 0.18);
    EXPECT(level.log_high.value - level.log_low.value < 0.005);
    EXPECT_NEAR(level.log_ratio.value, log(3), 0.002);
    struct lauka_limit limit = {.share = {true, 1.99}, .turns = &turns}; /* the change is +200 % */
    struct lauka_judgement judgement;
    EXPECT(lauka_limit_judge(&limit, &s.series[0], &s.series[1], 0.05, false, &judgement) == 0);
    EXPECT_NEAR(judgement.change_low.value, expm1(level.log_low.value), 1e-12);
    turns = (struct lauka_turns){s.order, SEVERAL, 1, 0, turns.cost};
    limit = (struct lauka_limit){.share = {true, 0.5}, .falls = true, .turns = &turns};
    EXPECT(lauka_limit_judge(&limit, &s.series[1], &s.series[0], 0.05, false, &judgement) == 0);
    EXPECT(judgement.verdict == LAUKA_GATE_FAIL);
    several_done(&s);
}

/* ---- random sessions ----------------------------------------------------------------------------- */

struct session {
    uint64_t a[ROUNDS], b[ROUNDS];
    uint32_t first[ROUNDS], second[ROUNDS];
    size_t count;
};

/* Some have few distinct values, some have zeros, some have an outlier. The orders are random, so in a
 * few sessions all are equal. */
static struct session session_of(uint64_t seed)
{
    struct lauka_random random;
    lauka_random_seed(&random, seed);
    struct session session = {.count = 6 + seed % (ROUNDS - 5)};
    double step = seed % 3 == 0 ? 100 : 1, effect = seed % 4 < 2 ? 0 : 0.03,
           place = 0.1 * (double)(seed % 5 / 2);
    for (size_t i = 0; i < session.count; i++) {
        session.first[i] = lauka_random_below(&random, 2) == 0;
        session.second[i] = !session.first[i];
        double a = 10000 * (1 + place * session.first[i] + 0.02 * lauka_random_normal(&random));
        double b =
            10000 * (1 + effect + place * session.second[i] + 0.02 * lauka_random_normal(&random));
        session.a[i] = (uint64_t)(floor(a / step) * step);
        session.b[i] = (uint64_t)(floor(b / step) * step);
    }
    if (seed % 7 == 0)
        session.a[seed % session.count] = 0;
    if (seed % 5 == 0)
        session.b[seed % session.count] *= 3;
    return session;
}

static bool excludes_nothing(const struct lauka_comparison *c)
{
    struct lauka_optional low = c->log_low.known ? c->log_low : c->difference_low;
    struct lauka_optional high = c->log_high.known ? c->log_high : c->difference_high;
    return low.value > 0 || high.value < 0;
}

static void verdict_interval_and_p_agree(void)
{
    static const double alphas[] = {0.05, 0.03, 0.01};
    for (uint64_t seed = 1; seed <= 600; seed++) {
        struct session s = session_of(seed);
        struct lauka_comparison c = in_turns(s.a, s.b, s.count, s.first, alphas[seed % 3]);
        bool claims = c.verdict == LAUKA_VERDICT_HIGHER || c.verdict == LAUKA_VERDICT_LOWER;
        if (c.method != LAUKA_METHOD_HODGES_LEHMANN && c.method != LAUKA_METHOD_POOLED)
            continue;
        EXPECT(claims == (c.p.value <= alphas[seed % 3]) && claims == excludes_nothing(&c));
        EXPECT(!c.ratio.known || (c.low.value <= c.ratio.value && c.ratio.value <= c.high.value));
        double limit = log1p(0.02);
        if (c.log_low.known)
            EXPECT((c.log_low.value > limit) == (c.p_above.value <= alphas[seed % 3] / 2));
    }
}

static void exchanged_commands_mirror_everything(void)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct session s = session_of(seed);
        struct lauka_comparison c = in_turns(s.a, s.b, s.count, s.first, 0.05);
        struct lauka_comparison m = in_turns(s.b, s.a, s.count, s.second, 0.05);
        EXPECT(c.method == m.method);
        if (c.method == LAUKA_METHOD_MEAN) /* quotients of sums round */
            continue;
        EXPECT(c.p.value == m.p.value && c.log_low.value == -m.log_high.value);
        EXPECT(c.log_ratio.value == -m.log_ratio.value &&
               c.difference_low.value == -m.difference_high.value);
    }
}

/* ---- gates --------------------------------------------------------------------------------------- */

static struct lauka_judgement judged(struct lauka_limit limit, const uint64_t *a, const uint64_t *b,
                                     const uint32_t *first)
{
    const struct lauka_turns turns = {.first = first, .stride = 1, .reference = 1};
    struct lauka_series reference = series_of(a, 12), other = series_of(b, 12);
    struct lauka_judgement judgement;
    limit.turns = first ? &turns : NULL;
    EXPECT(lauka_limit_judge(&limit, &reference, &other, 0.05, false, &judgement) == 0);
    lauka_series_done(&reference);
    lauka_series_done(&other);
    return judgement;
}

static void a_gate_sees_what_the_comparison_sees(void)
{
    static const uint32_t other_first[12] = {0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0};
    const struct lauka_limit limits[] = {{.share = {true, 0.01}}, {.absolute = {true, 100}}};
    const struct lauka_limit falls = {.share = {true, 0.01}, .falls = true};
    for (size_t i = 0; i < 2; i++) {
        EXPECT(judged(limits[i], twelve_a, twelve_b, reference_first).verdict == LAUKA_GATE_FAIL);
        EXPECT(judged(limits[i], twelve_a, twelve_b, NULL).verdict == LAUKA_GATE_INCONCLUSIVE);
    }
    struct lauka_comparison twelve = in_turns(twelve_a, twelve_b, 12, reference_first, 0.05);
    struct lauka_judgement judgement = judged(limits[0], twelve_a, twelve_b, reference_first);
    EXPECT_NEAR(judgement.change_low.value, expm1(twelve.log_low.value), 1e-15);
    EXPECT(judged(falls, twelve_b, twelve_a, other_first).verdict == LAUKA_GATE_FAIL);
    EXPECT(judged(falls, twelve_b, twelve_a, NULL).verdict == LAUKA_GATE_INCONCLUSIVE);
}

int main(void)
{
    TEST(answers_are_those_of_scipy);
    TEST(without_turns_the_cost_of_a_place_hides_the_difference);
    TEST(one_order_alone_tells_nothing_of_places);
    TEST(a_round_without_a_value_has_no_turn);
    TEST(what_never_varies_but_for_its_place_is_left_to_ranks);
    TEST(several_commands_tell_what_the_first_place_costs);
    TEST(what_is_not_clear_is_no_cost);
    TEST(the_cost_is_taken_off_whoever_was_first);
    TEST(verdict_interval_and_p_agree);
    TEST(exchanged_commands_mirror_everything);
    TEST(a_gate_sees_what_the_comparison_sees);
    return expect_report("crossover");
}
