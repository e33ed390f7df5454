/* Doubts: each is raised for nine of ten series that were made to show it, and for at most one of a
 * hundred clean ones. */
#include "stats/stats.h"

#include "tests/unit/numbers.h"

enum { LONGEST = 1000, TRIALS = 50 };

/* ---- series ---- */

typedef uint64_t source(struct lauka_random *random, size_t i, size_t count);

static uint64_t time_of(double factor)
{
    return (uint64_t)(1e8 * factor);
}

static uint64_t normal(struct lauka_random *random, size_t i, size_t count)
{
    (void)i, (void)count;
    return time_of(1 + 0.02 * lauka_random_normal(random));
}

static uint64_t lognormal(struct lauka_random *random, size_t i, size_t count)
{
    (void)i, (void)count;
    return time_of(exp(0.1 * lauka_random_normal(random)));
}

static uint64_t levels(struct lauka_random *random, size_t i, size_t count)
{
    (void)i, (void)count;
    return 1000 + lauka_random_below(random, 3);
}

static uint64_t mostly_one_level(struct lauka_random *random, size_t i, size_t count)
{
    (void)i, (void)count;
    return 4096 * (250 + (lauka_random_below(random, 10) == 0));
}

static uint64_t microseconds(struct lauka_random *random, size_t i, size_t count)
{
    return normal(random, i, count) / 10000 * 1000;
}

static uint64_t constant(struct lauka_random *random, size_t i, size_t count)
{
    (void)random, (void)i, (void)count;
    return 12345;
}

static uint64_t with_outliers(struct lauka_random *random, size_t i, size_t count)
{
    uint64_t value = normal(random, i, count);
    return lauka_random_below(random, 6) ? value : value + value / 2;
}

static uint64_t cold_start(struct lauka_random *random, size_t i, size_t count)
{
    uint64_t value = normal(random, i, count);
    return i ? value : value * 2;
}

/* Most values are disturbed: the time that the run would take alone, plus up to as much again and more. */
static uint64_t disturbed(struct lauka_random *random, size_t i, size_t count)
{
    (void)i, (void)count;
    return time_of(1 - 1.5 * log(1 - lauka_random_unit(random)));
}

static uint64_t pulled(struct lauka_random *random, size_t i, size_t count)
{
    uint64_t value = normal(random, i, count);
    return lauka_random_below(random, 3) ? value : value * 3;
}

static uint64_t warming(struct lauka_random *random, size_t i, size_t count)
{
    return time_of(1 + 0.06 * (double)i / (double)count + 0.02 * lauka_random_normal(random));
}

static uint64_t bursts(struct lauka_random *random, size_t i, size_t count)
{
    static bool busy;
    if (i == 0 || lauka_random_below(random, 8) == 0)
        busy = lauka_random_below(random, 2);
    uint64_t value = normal(random, i, count);
    return busy ? value + value / 10 : value;
}

static uint64_t two_groups(struct lauka_random *random, size_t i, size_t count)
{
    uint64_t value = normal(random, i, count);
    return lauka_random_below(random, 10) < 4 ? value + value / 5 : value;
}

static struct lauka_series drawn(source *from, struct lauka_random *random, size_t count)
{
    struct lauka_series series = {0};
    if (lauka_series_reserve(&series, count) != 0)
        abort();
    for (size_t i = 0; i < count; i++)
        lauka_series_add(&series, from(random, i, count));
    return series;
}

/* ---- one series ---- */

enum { OF_SERIES = LAUKA_DOUBT_TWO_MODES + 1 };

static void count_raised(source *from, size_t count, unsigned trials, unsigned *raised)
{
    struct lauka_random random;
    lauka_random_seed(&random, count);
    for (unsigned trial = 0; trial < trials; trial++) {
        struct lauka_doubts doubts;
        struct lauka_series series = drawn(from, &random, count);
        EXPECT(lauka_doubts_of_series(&series, 0.01, &doubts) == 0);
        for (size_t i = 0; i < OF_SERIES; i++) {
            raised[i] += doubts.raised[i].known;
            EXPECT(isfinite(doubts.raised[i].value));
        }
        lauka_series_done(&series);
    }
}

static const size_t lengths[] = {10, 13, 20, 40, 100, 300, LONGEST};
enum { OF_PAIRS = COUNT(lengths) - 1 }; /* without the longest, which takes most of the time */

static unsigned trials_of(size_t length)
{
    return length < 300 ? TRIALS : TRIALS / 5; /* enough to see each case */
}

static void clean_series_raise_no_doubt(void)
{
    static source *const clean[] = {normal,           lognormal,    levels,
                                    mostly_one_level, microseconds, constant};
    for (size_t k = 0; k < COUNT(clean); k++)
        for (size_t i = 0; i < COUNT(lengths); i++) {
            unsigned raised[OF_SERIES] = {0},
                     trials = trials_of(lengths[i]) * (lengths[i] > 100 ? 1 : 3);
            count_raised(clean[k], lengths[i], trials, raised);
            for (size_t d = 0; d < OF_SERIES; d++)
                if (raised[d] * 100 > trials) {
                    printf("doubt %zu of clean series %zu with %zu values: %u of %u\n", d, k,
                           lengths[i], raised[d], trials);
                    expect_ok = false;
                }
        }
}

static void each_doubt_is_raised_by_what_was_made_to_show_it(void)
{
    static const struct {
        source *from;
        enum lauka_doubt doubt;
        size_t from_length;
    } made[] = {
        {with_outliers, LAUKA_DOUBT_OUTLIERS, 40},  {cold_start, LAUKA_DOUBT_FIRST_ROUND, 10},
        {disturbed, LAUKA_DOUBT_ABOVE_MINIMUM, 20}, {pulled, LAUKA_DOUBT_ABOVE_MINIMUM, 20},
        {warming, LAUKA_DOUBT_DRIFT, 100},          {bursts, LAUKA_DOUBT_AUTOCORRELATION, 100},
        {two_groups, LAUKA_DOUBT_TWO_MODES, 100},
    };
    for (size_t k = 0; k < COUNT(made); k++)
        for (size_t i = 0; i < COUNT(lengths); i++) {
            if (lengths[i] < made[k].from_length)
                continue;
            unsigned raised[OF_SERIES] = {0}, trials = trials_of(lengths[i]);
            count_raised(made[k].from, lengths[i], trials, raised);
            if (raised[made[k].doubt] * 10 < 9 * trials) {
                printf("doubt %d of %zu values: %u of %u\n", (int)made[k].doubt, lengths[i],
                       raised[made[k].doubt], trials);
                expect_ok = false;
            }
        }
}

static struct lauka_doubts doubts_of(const uint64_t *values, size_t count)
{
    struct lauka_doubts doubts;
    struct lauka_series series = series_of(values, count);
    EXPECT(lauka_doubts_of_series(&series, 0.01, &doubts) == 0);
    lauka_series_done(&series);
    return doubts;
}

static void doubts_come_with_their_numbers(void)
{
    uint64_t values[30];
    for (size_t i = 0; i < 30; i++)
        values[i] = 1000 + 7 * i % 5;
    values[0] = 3006;
    struct lauka_doubts doubts = doubts_of(values, 30);
    EXPECT_NEAR(doubts.raised[LAUKA_DOUBT_FIRST_ROUND].value, 3, 0.01);
    EXPECT(
        unknown(doubts.raised[LAUKA_DOUBT_OUTLIERS])); /* the first round has a doubt of its own */
    values[0] = 1000;
    for (size_t i = 0; i < 3; i++)
        values[4 + 10 * i] = 2000;
    doubts = doubts_of(values, 30);
    EXPECT_NEAR(doubts.raised[LAUKA_DOUBT_OUTLIERS].value, 3.0 / 30, 1e-12);
    for (size_t i = 0; i < 30; i++)
        values[i] = 1000 + 37 * i % 30 + 20 * i;
    doubts = doubts_of(values, 30);
    EXPECT_NEAR(doubts.raised[LAUKA_DOUBT_DRIFT].value, 1.36, 0.02);
    EXPECT(doubts.raised[LAUKA_DOUBT_AUTOCORRELATION].value > 0.7);
    for (size_t i = 0; i < 30; i++)
        values[i] = i % 2 ? 1000 + i : 1500 + i;
    EXPECT_NEAR(doubts_of(values, 30).raised[LAUKA_DOUBT_TWO_MODES].value, 1.48, 0.02);
}

static void few_or_missing_values_raise_no_doubt(void)
{
    static const uint64_t values[] = {9, LAUKA_MISSING, 1, 2, 3, 4, 5, 6, 7, 8, LAUKA_MISSING};
    struct lauka_doubts doubts = doubts_of(values, COUNT(values)), none = doubts_of(NULL, 0);
    for (size_t i = 0; i < OF_SERIES; i++)
        EXPECT(unknown(doubts.raised[i]) && unknown(none.raised[i]));
}

static void a_drift_below_what_counts_is_none(void)
{
    uint64_t values[300];
    for (size_t i = 0; i < COUNT(values); i++)
        values[i] = 1000000 + 37 * i % 300 + 30 * i; /* rises by 0.6 % */
    EXPECT(unknown(doubts_of(values, COUNT(values)).raised[LAUKA_DOUBT_DRIFT]));
    for (size_t i = 0; i < COUNT(values); i++)
        values[i] += 30 * i;
    EXPECT_NEAR(doubts_of(values, COUNT(values)).raised[LAUKA_DOUBT_DRIFT].value, 1.012, 0.001);
}

/* ---- two series ---- */

static struct lauka_comparison comparison_drawn(source *reference, source *other,
                                                struct lauka_random *random, size_t count)
{
    struct lauka_comparison comparison;
    struct lauka_series a = drawn(reference, random, count), b = drawn(other, random, count);
    EXPECT(lauka_compare(&a, &b, &fixed, &comparison) == 0);
    lauka_series_done(&a);
    lauka_series_done(&b);
    return comparison;
}

static bool doubts_tails(const struct lauka_series *reference, const struct lauka_series *other)
{
    struct lauka_comparison comparison;
    struct lauka_doubts doubts;
    EXPECT(lauka_compare(reference, other, &fixed, &comparison) == 0);
    lauka_doubts_of_comparison(&comparison, reference, other, 0.01, &doubts);
    return doubts.raised[LAUKA_DOUBT_TAILS].known;
}

static unsigned count_tails(source *reference, source *other, size_t count)
{
    struct lauka_random random;
    unsigned raised = 0;
    lauka_random_seed(&random, count + 1);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct lauka_series a = drawn(reference, &random, count), b = drawn(other, &random, count);
        raised += doubts_tails(&a, &b);
        lauka_series_done(&a);
        lauka_series_done(&b);
    }
    return raised;
}

static void tails_that_differ_are_doubted(void)
{
    static source *const clean[] = {normal, lognormal, levels, mostly_one_level};
    for (size_t k = 0; k < COUNT(clean); k++) {
        unsigned raised = 0;
        for (size_t i = 0; i < OF_PAIRS; i++)
            raised += count_tails(clean[k], clean[k], lengths[i]);
        EXPECT(raised <= OF_PAIRS * TRIALS / 100);
    }
    EXPECT(count_tails(normal, with_outliers, 300) * 10 >= 9 * TRIALS);
    EXPECT(count_tails(with_outliers, normal, 300) * 10 >= 9 * TRIALS);
}

/* `slow` of a hundred runs of the reference take `times` times as long as the others. */
static bool doubts_slow_runs(size_t slow, uint64_t times)
{
    uint64_t reference[100], other[100];
    for (size_t i = 0; i < 100; i++) {
        reference[i] = 50000 + 37 * i % 100;
        other[i] = 60000 + 41 * i % 100;
        reference[i] *= i % 7 == 3 && i / 7 < slow ? times : 1;
    }
    struct lauka_series a = series_of(reference, 100), b = series_of(other, 100);
    bool doubted = doubts_tails(&a, &b);
    lauka_series_done(&a);
    lauka_series_done(&b);
    return doubted;
}

static void a_run_or_two_are_no_tail(void)
{
    EXPECT(!doubts_slow_runs(1, 2) && !doubts_slow_runs(2, 20));
    EXPECT(doubts_slow_runs(5, 2));
}

/* The command that runs second in its round takes `more` times as long. */
static unsigned count_position(source *from, size_t count, double more)
{
    struct lauka_random random;
    unsigned raised = 0;
    lauka_random_seed(&random, count + 2);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct lauka_doubts doubts;
        uint32_t order[2 * LONGEST];
        struct lauka_series both[] = {drawn(from, &random, count), drawn(from, &random, count)};
        for (size_t i = 0; i < count; i++) {
            order[2 * i] = (uint32_t)lauka_random_below(&random, 2);
            order[2 * i + 1] = 1 - order[2 * i];
            uint64_t *second = &lauka_series_widen(&both[order[2 * i + 1]])[i];
            *second = (uint64_t)((double)*second * more);
        }
        EXPECT(lauka_doubts_of_order(&both[0], &both[1], order, 2, 0, 1, &doubts) == 0);
        raised += doubts.raised[LAUKA_DOUBT_POSITION].known;
        lauka_series_done(&both[0]);
        lauka_series_done(&both[1]);
    }
    return raised;
}

static void an_effect_of_the_place_in_a_round_is_doubted(void)
{
    static source *const clean[] = {normal, lognormal, levels, constant};
    for (size_t k = 0; k < COUNT(clean); k++) {
        unsigned raised = 0;
        for (size_t i = 0; i < OF_PAIRS; i++)
            raised += count_position(clean[k], lengths[i], 1);
        EXPECT(raised <= OF_PAIRS * TRIALS / 100);
    }
    EXPECT(count_position(normal, 40, 1.03) * 10 >= 9 * TRIALS);
    EXPECT(count_position(normal, 300, 1.01) * 10 >= 9 * TRIALS);
}

static void the_place_counts_among_any_number_of_commands(void)
{
    uint64_t a[40], b[40];
    uint32_t order[40 * 3];
    struct lauka_random random;
    struct lauka_doubts doubts;
    lauka_random_seed(&random, 31);
    for (size_t i = 0; i < 40; i++) {
        uint32_t *round = &order[3 * i];
        for (uint32_t k = 0; k < 3; k++)
            round[k] = k;
        lauka_random_shuffle(&random, round, 3);
        bool after = round[2] == 1 || (round[1] == 1 && round[0] == 2);
        a[i] = normal(&random, i, 40);
        b[i] = after ? a[i] + a[i] / 25 : a[i];
    }
    struct lauka_series reference = series_of(a, 40), other = series_of(b, 40);
    EXPECT(lauka_doubts_of_order(&reference, &other, order, 3, 2, 1, &doubts) == 0);
    EXPECT_NEAR(doubts.raised[LAUKA_DOUBT_POSITION].value, 1.02, 1e-3); /* half of 4 % */
    EXPECT(lauka_doubts_of_order(&reference, &other, NULL, 3, 2, 1, &doubts) == 0);
    EXPECT(unknown(doubts.raised[LAUKA_DOUBT_POSITION]));
    lauka_series_set(&other, 3, 0);
    EXPECT(lauka_doubts_of_order(&reference, &other, order, 3, 2, 1, &doubts) == 0);
    EXPECT(unknown(doubts.raised[LAUKA_DOUBT_POSITION]));
    lauka_series_done(&reference);
    lauka_series_done(&other);
}

static unsigned count_busy(source *wall, source *cpu, size_t count)
{
    struct lauka_random random;
    struct lauka_doubts doubts;
    unsigned raised = 0;
    lauka_random_seed(&random, count + 3);
    for (int trial = 0; trial < TRIALS; trial++) {
        struct lauka_comparison in_wall = comparison_drawn(wall, wall, &random, count);
        struct lauka_comparison in_cpu = comparison_drawn(cpu, cpu, &random, count);
        lauka_doubts_of_times(&in_wall, &in_cpu, 0.01, &doubts);
        raised += doubts.raised[LAUKA_DOUBT_BUSY].known;
    }
    return raised;
}

static void a_busy_machine_is_doubted(void)
{
    for (size_t i = 0; i < OF_PAIRS; i++) {
        EXPECT(count_busy(normal, normal, lengths[i]) <= TRIALS / 100);
        EXPECT(count_busy(normal, lognormal, lengths[i]) == 0);
        EXPECT(count_busy(disturbed, normal, lengths[i]) * 10 >= 9 * TRIALS);
    }
}

/* ---- robust.c ---- */

static void the_middle_resists_what_is_far_out(void)
{
    struct lauka_robust robust = lauka_robust_of((uint64_t[]){1, 2, 4, 7, 1000}, 5);
    EXPECT(robust.median == 4 && robust.mad == 3);
    robust = lauka_robust_of((uint64_t[]){1, 2, 4, 1000}, 4); /* distances 2, 1, 1, 997 */
    EXPECT(robust.median == 3 && robust.mad == 1.5);
    robust = lauka_robust_of((uint64_t[]){5, 5, 5, 9}, 4);
    EXPECT(robust.mad == 0 && robust.scale == 4);
    robust = lauka_robust_of((uint64_t[]){8}, 1);
    EXPECT(robust.median == 8 && robust.mad == 0 && robust.scale == 0);
    robust = lauka_robust_of((uint64_t[]){8, 10}, 2);
    EXPECT(robust.median == 9 && robust.mad == 1);
}

int main(void)
{
    TEST(clean_series_raise_no_doubt);
    TEST(each_doubt_is_raised_by_what_was_made_to_show_it);
    TEST(doubts_come_with_their_numbers);
    TEST(few_or_missing_values_raise_no_doubt);
    TEST(tails_that_differ_are_doubted);
    TEST(a_run_or_two_are_no_tail);
    TEST(a_drift_below_what_counts_is_none);
    TEST(an_effect_of_the_place_in_a_round_is_doubted);
    TEST(the_place_counts_among_any_number_of_commands);
    TEST(a_busy_machine_is_doubted);
    TEST(the_middle_resists_what_is_far_out);
    return expect_report("doubts");
}
