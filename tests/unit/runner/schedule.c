/* The order of commands in a round. */
#include "runner/options.h"
#include "runner/session/session.h"

#include <stdlib.h>

#include "tests/unit/expect.h"

/* ---- schedule.c -------------------------------------------------------------------------------------- */

static void every_round_runs_every_command_once(void)
{
    struct lauka_schedule schedule;

    EXPECT(lauka_schedule_init(&schedule, 5, 42) == 0);
    for (int round = 0; round < 100; round++) {
        const uint32_t *order = lauka_schedule_next(&schedule);
        unsigned seen = 0;
        for (int i = 0; i < 5; i++)
            seen |= 1u << order[i];
        EXPECT_UINT(seen, 31);
    }
    lauka_schedule_done(&schedule);
}

/* In a block, every command has every place equally often, and every block has rounds in another order. */
static void blocks_of_rounds_are_balanced(void)
{
    static const struct {
        size_t commands, rounds;
    } blocks[] = {{1, 20}, {2, 10}, {3, 21}, {7, 21}, {16, 32}, {20, 20}, {50, 50}};

    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        const size_t count = blocks[b].commands;
        struct lauka_schedule schedule;
        unsigned *at = calloc(count * count, sizeof *at), different = 0;
        uint32_t *first = calloc(blocks[b].rounds, sizeof *first);

        EXPECT(at && first && lauka_schedule_init(&schedule, count, 42) == 0);
        lauka_schedule_next(&schedule);
        lauka_schedule_restart(&schedule); /* after a warm-up round */
        for (unsigned block = 1; block <= 3; block++) {
            for (size_t round = 0; round < blocks[b].rounds; round++) {
                const uint32_t *order = lauka_schedule_next(&schedule);
                for (size_t i = 0; i < count; i++)
                    at[i * count + order[i]]++;
                different += block > 1 && first[round] != order[0];
                first[round] = order[0];
            }
            for (size_t i = 0; i < count * count; i++)
                EXPECT_UINT(at[i], block * blocks[b].rounds / count);
        }
        EXPECT(count == 1 || different > 0);
        free(at);
        free(first);
        lauka_schedule_done(&schedule);
    }
}

/* Rounds are planned ahead; those that were not begun are drawn again. */
static void a_schedule_goes_back_to_where_it_was(void)
{
    struct lauka_schedule whole, ahead;
    uint32_t order[3];

    EXPECT(lauka_schedule_init(&whole, 3, 9) == 0 && lauka_schedule_init(&ahead, 3, 9) == 0);
    for (int round = 0; round < 70; round++) {
        memcpy(order, lauka_schedule_next(&ahead), sizeof order);
        EXPECT(memcmp(lauka_schedule_next(&whole), order, sizeof order) == 0);
        struct lauka_schedule_mark mark = lauka_schedule_mark(&ahead);
        for (int more = 0; more < round; more++)
            lauka_schedule_next(&ahead);
        lauka_schedule_rewind(&ahead, &mark, order);
    }
    lauka_schedule_done(&whole);
    lauka_schedule_done(&ahead);
}

static void a_dropped_round_is_run_again_in_its_order(void)
{
    struct lauka_schedule whole, broken;
    uint32_t dropped[4];

    EXPECT(lauka_schedule_init(&whole, 4, 7) == 0 && lauka_schedule_init(&broken, 4, 7) == 0);
    for (int round = 0; round < 50; round++) {
        const uint32_t *order = lauka_schedule_next(&whole);
        memcpy(dropped, lauka_schedule_next(&broken), sizeof dropped);
        lauka_schedule_drop(&broken);
        const uint32_t *again = lauka_schedule_next(&broken);
        EXPECT(memcmp(dropped, again, sizeof dropped) == 0);
        EXPECT(memcmp(order, again, sizeof dropped) == 0);
    }
    lauka_schedule_done(&whole);
    lauka_schedule_done(&broken);
}

static void expect_orders(enum lauka_order kind, const char *orders)
{
    struct lauka_schedule schedule;
    char text[64] = "";

    EXPECT(lauka_schedule_init(&schedule, 3, 42) == 0);
    schedule.kind = kind;
    lauka_schedule_next(&schedule);
    lauka_schedule_restart(&schedule); /* after a warm-up round */
    for (size_t round = 0; round < 4; round++) {
        const uint32_t *order = lauka_schedule_next(&schedule);
        for (size_t i = 0; i < 3; i++)
            strcat(text, (char[]){(char)('a' + order[i]), '\0'});
        strcat(text, " ");
    }
    EXPECT_TEXT(text, orders);
    lauka_schedule_done(&schedule);
}

static void orders_that_are_not_shuffled_begin_as_typed(void)
{
    expect_orders(LAUKA_ORDER_ABBA, "abc cba abc cba ");
    expect_orders(LAUKA_ORDER_ROTATE, "abc bca cab abc ");
    expect_orders(LAUKA_ORDER_SEQUENTIAL, "abc abc abc abc ");
}

static void equal_seeds_give_equal_rounds_and_others_do_not(void)
{
    struct lauka_schedule a, b, c;
    int differ = 0;

    EXPECT(lauka_schedule_init(&a, 3, 7) == 0 && lauka_schedule_init(&b, 3, 7) == 0 &&
           lauka_schedule_init(&c, 3, 8) == 0);
    for (int round = 0; round < 50; round++) {
        const uint32_t *x = lauka_schedule_next(&a), *y = lauka_schedule_next(&b);
        EXPECT(memcmp(x, y, 3 * sizeof *x) == 0);
        differ += memcmp(x, lauka_schedule_next(&c), 3 * sizeof *x) != 0;
    }
    EXPECT(differ > 25);
    lauka_schedule_done(&a);
    lauka_schedule_done(&b);
    lauka_schedule_done(&c);
}

/* The generator is seeded, so the counts are the same on every machine. */
static void each_command_is_first_in_about_half_of_the_rounds(void)
{
    struct lauka_schedule schedule;
    int first = 0;

    EXPECT(lauka_schedule_init(&schedule, 2, 1) == 0);
    for (int round = 0; round < 10000; round++)
        first += lauka_schedule_next(&schedule)[0] == 0;
    EXPECT(first > 4800 && first < 5200);
    lauka_schedule_done(&schedule);
}

int main(void)
{
    TEST(every_round_runs_every_command_once);
    TEST(blocks_of_rounds_are_balanced);
    TEST(a_schedule_goes_back_to_where_it_was);
    TEST(a_dropped_round_is_run_again_in_its_order);
    TEST(orders_that_are_not_shuffled_begin_as_typed);
    TEST(equal_seeds_give_equal_rounds_and_others_do_not);
    TEST(each_command_is_first_in_about_half_of_the_rounds);
    return expect_report("schedule");
}
