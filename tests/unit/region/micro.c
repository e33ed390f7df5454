/* lauka_micro.h: its ranks, verdicts and orders; tests/cli/regions.py runs its examples. */
#include "include/lauka_micro.h"
#include "tests/unit/expect.h"

/* scipy.stats.binom: the most values below the lower end of an interval that misses a median with at most alpha. */
static void ranks_are_those_of_the_sign_test(void)
{
    static const struct {
        uint64_t count;
        double alpha;
        int64_t rank;
    } cases[] = {{1, 0.05, -1},     {5, 0.05, -1},         {6, 0.05, 0},    {8, 0.05, 0},
                 {9, 0.05, 1},      {50, 0.05, 17},        {51, 0.05, 18},  {100, 0.05, 39},
                 {1000, 0.05, 468}, {100000, 0.05, 49689}, {7, 0.0125, -1}, {8, 0.0125, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT(lauka_micro_rank(cases[i].count, cases[i].alpha) == cases[i].rank);
}

static struct lauka_micro_ratio judged(const double *times, uint64_t rounds)
{
    static const double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    struct lauka_micro_result result = {.name = "x"};
    double room[8];

    lauka_micro_judge(&result, times, ones, rounds, 1, room);
    return result.time;
}

static void a_verdict_needs_six_rounds_and_an_interval_without_no_change(void)
{
    const struct lauka_micro_ratio slower =
        judged((const double[]){1.2, 1.1, 1.3, 1.4, 1.5, 1.6}, 6);
    EXPECT(slower.verdict == LAUKA_MICRO_SLOWER && slower.low == 1.1 && slower.high == 1.6 &&
           slower.median == 1.35);
    EXPECT(judged((const double[]){0.9, 0.8, 0.9, 0.9, 0.9, 0.95}, 6).verdict ==
           LAUKA_MICRO_FASTER);
    EXPECT(judged((const double[]){1.2, 1.1, 0.9, 1.4, 1.5, 1.6}, 6).verdict ==
           LAUKA_MICRO_UNDECIDED);
    EXPECT(judged((const double[]){2, 2, 2, 2, 2}, 5).verdict == LAUKA_MICRO_TOO_FEW);
    EXPECT(judged((const double[]){2, 2, 2, 2, 2}, 5).median == 2);
}

static void each_function_comes_before_the_first_as_often_as_after_it(void)
{
    size_t order[5] = {0, 1, 2, 3, 4}, before[5] = {0};
    uint64_t state = 1;

    for (uint64_t round = 0; round < 20; round++) {
        lauka_micro_order(order, 5, round, &state);
        for (size_t i = 0; i < 5 && order[i] != 0; i++)
            before[order[i]]++;
    }
    for (size_t i = 1; i < 5; i++)
        EXPECT(before[i] == 10);
}

static void like_functions_have_as_many_passes_in_a_batch(void)
{
    struct lauka_micro_result results[4] = {
        {.iterations = 64}, {.iterations = 128}, {.iterations = 32}, {.iterations = 512}};

    lauka_micro_even(results, 4);
    EXPECT(results[0].iterations == 128 && results[1].iterations == 128 &&
           results[2].iterations == 128);
    EXPECT(results[3].iterations == 512);
}

static void count_to_a_thousand(struct lauka_bench_state *state)
{
    LAUKA_BENCH_LOOP(state)
    {
        uint64_t sum = 0;
        for (uint64_t i = 0; i < 1000; i++) {
            sum += i;
            lauka_bench_keep(sum);
        }
    }
}

static void refuse(struct lauka_bench_state *state)
{
    state->error = "no input";
}

static void a_function_that_fails_is_judged_by_nothing(void)
{
    static const struct lauka_bench benches[] = {
        {"good", count_to_a_thousand}, {"bad", refuse}, {"also", count_to_a_thousand}};
    static const struct lauka_micro_options few = {.rounds = 8, .batch_ns = 1000};
    struct lauka_micro_result results[3];

    EXPECT(lauka_micro_run(benches, 3, &few, results, NULL) == 0);
    EXPECT_TEXT(results[1].error, "no input");
    EXPECT(results[1].time.median == 0 && results[2].time.median > 0 &&
           results[2].time.verdict != LAUKA_MICRO_TOO_FEW);
    EXPECT(results[0].figures[LAUKA_MICRO_NS].rounds == 8);
    EXPECT(results[0].figures[LAUKA_MICRO_NS].least <= results[0].figures[LAUKA_MICRO_NS].median);
    EXPECT(results[0].time.median == 0);
}

int main(void)
{
    TEST(ranks_are_those_of_the_sign_test);
    TEST(a_verdict_needs_six_rounds_and_an_interval_without_no_change);
    TEST(each_function_comes_before_the_first_as_often_as_after_it);
    TEST(like_functions_have_as_many_passes_in_a_batch);
    TEST(a_function_that_fails_is_judged_by_nothing);
    return expect_report("micro");
}
