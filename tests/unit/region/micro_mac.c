/* lauka_micro.h on the simulated Mac: what an operation costs there, for root and for others. */
#include "tests/unit/region/mac.h"

#include "include/lauka_micro.h"

enum { TICKS = 300, ROUNDS = 8 }; /* of an operation */

static void operate(struct lauka_bench_state *state)
{
    LAUKA_BENCH_LOOP(state)
    {
        fake_work(TICKS);
    }
}

static void operate_twice(struct lauka_bench_state *state)
{
    LAUKA_BENCH_LOOP(state)
    {
        fake_work(2 * TICKS);
    }
}

static struct lauka_micro_result results[2];
static const char *why;

static void compare(void)
{
    static const struct lauka_bench benches[] = {{"once", operate}, {"twice", operate_twice}};
    static const struct lauka_micro_options few = {.rounds = ROUNDS, .batch_ns = 1000};
    EXPECT(lauka_micro_run(benches, 2, &few, results, &why) == 0);
    EXPECT(fake_is_clean());
}

static bool costs(size_t result, int metric, const char *event)
{
    const struct lauka_micro_figure *figure = &results[result].figures[metric];
    double true_cost = (double)(fake_own_rate(event) * TICKS * (result + 1));
    bool good =
        figure->rounds == ROUNDS && figure->median == true_cost && figure->least == true_cost;
    if (!good)
        printf("%s: %g, not %g\n", event, figure->median, true_cost);
    return good;
}

/* The events that lauka_micro.h asks for, in its order. */
static const char *const events[] = {"FIXED_INSTRUCTIONS", "FIXED_CYCLES", "INST_BRANCH",
                                     "BRANCH_MISPRED_NONSPEC"};

static void root_knows_all_costs_of_an_operation(void)
{
    for (unsigned macos = 15; macos <= 26; macos += 11) {
        power_on(macos, 0);
        compare();
        EXPECT(why == NULL);
        for (int i = 0; i < 4; i++)
            EXPECT(costs(0, LAUKA_MICRO_INSTRUCTIONS + i, events[i]) &&
                   costs(1, LAUKA_MICRO_INSTRUCTIONS + i, events[i]));
        EXPECT(results[1].figures[LAUKA_MICRO_INSTRUCTIONS].median ==
               2 * results[0].figures[LAUKA_MICRO_INSTRUCTIONS].median);
    }
}

static void others_know_instructions_and_cycles(void)
{
    power_on(15, 501);
    compare();
    EXPECT(why == NULL);
    EXPECT(costs(0, LAUKA_MICRO_INSTRUCTIONS, events[0]) &&
           costs(1, LAUKA_MICRO_INSTRUCTIONS + 1, events[1]));
    EXPECT(results[0].figures[LAUKA_MICRO_INSTRUCTIONS + 2].rounds == 0);
}

static void without_counters_it_is_said_why(void)
{
    power_on(15, 501);
    fake_options.hidden = "thread_selfcounts";
    compare();
    EXPECT_TEXT(why, "this system does not tell");
    EXPECT(results[0].figures[LAUKA_MICRO_INSTRUCTIONS].rounds == 0);
    EXPECT(results[0].figures[LAUKA_MICRO_NS].rounds == ROUNDS);
}

int main(int argc, char **argv)
{
    if (!fake_find_libraries(argc, argv))
        return 2;
    TEST(root_knows_all_costs_of_an_operation);
    TEST(others_know_instructions_and_cycles);
    TEST(without_counters_it_is_said_why);
    return expect_report("micro_mac");
}
