/* What sessions with few rounds claim. The tests are seeded, so every run is the same. The bounds come
 * from the binomial distribution: 11 of 100 and 18 of 200 at 5 %. tests/bench/few_rounds.c has the whole
 * table. */
#include "tests/unit/expect.h"
#include "tests/unit/few_rounds.h"

static unsigned claims_of(size_t rounds, size_t commands, const char *kind, const char *first,
                          unsigned sessions)
{
    const struct cell cell = {rounds, commands, kind, first, "10ms"};
    struct counts counts = simulate(&cell, sessions);
    return counts.claims;
}

static void bounds_are_those_of_the_binomial(void)
{
    EXPECT_UINT(bound_of(100), 11);
    EXPECT_UINT(bound_of(200), 18);
}

static void equal_commands_are_rarely_called_different(void)
{
    static const char *const kinds[] = {"normal", "lognormal", "t3", "modes"};
    static const size_t rounds[] = {4, 5, 7, 10};

    for (size_t i = 0; i < 4; i++) {
        EXPECT(claims_of(rounds[i], 2, kinds[i], "0", 200) <= 18);
        EXPECT(claims_of(rounds[i], 5, kinds[3 - i], "0", 100) <= 11);
    }
    EXPECT(claims_of(4, 15, "modes", "5", 100) <= 11);
}

/* With shuffled orders, rounds too often had the same order: a quarter of the sessions of three rounds,
 * and 12 of 100 of four rounds. */
static void what_the_first_place_costs_is_no_difference(void)
{
    const struct cell four = {4, 2, "normal", "20", "10ms"};
    struct counts counts = simulate(&four, 200);

    EXPECT(counts.claims_before > 18);
    EXPECT_UINT(counts.claims, 0);
    EXPECT_UINT(claims_of(5, 2, "modes", "20", 200), 0);
    EXPECT(claims_of(4, 5, "modes", "20", 200) <= 18);
}

static void three_rounds_claim_nothing(void)
{
    const struct cell same = {3, 2, "modes", "5", "10ms"}, twice = {3, 2, "normal", "0", "20ms"};
    struct counts counts = simulate(&same, 200);

    EXPECT_UINT(counts.claims, 0);
    counts = simulate(&twice, 100);
    EXPECT_UINT(counts.hits + counts.claims, 0);
}

/* Ranks cannot find the difference in fewer than 8 rounds of 5 commands, or 11 rounds of 15. */
static void the_obvious_is_found_among_many(void)
{
    const struct cell cells[] = {
        {4, 2, "normal", "0", "12ms"}, {7, 5, "t3", "5", "12ms"}, {8, 15, "normal", "5", "12ms"}};

    for (size_t i = 0; i < 3; i++) {
        struct counts counts = simulate(&cells[i], 100);
        EXPECT(counts.hits >= 99);
        EXPECT(i == 0 || counts.hits_before == 0);
    }
}

/* From 6 rounds on, plain ranks find 0 of 100; with shuffled orders that happened to help, they found up
 * to 17. */
static void what_the_first_place_costs_hides_no_difference_of_two(void)
{
    static const size_t rounds[] = {6, 8, 10};

    for (size_t i = 0; i < 3; i++) {
        const struct cell cell = {rounds[i], 2, "normal", "20", "10.5ms"};
        struct counts counts = simulate(&cell, 100);
        EXPECT(counts.hits >= 55 + 15 * i && counts.claims == 0);
        EXPECT(claims_of(rounds[i] + 1, 2, "t3", "5", 200) <= 18);
        EXPECT(claims_of(rounds[i], 2, "modes", "0", 200) <= 18);
    }
}

/* With several commands, only few rounds have either command of a pair first, but all rounds together
 * show the cost of the first place. Earlier, 9 of 100 were found in 8 rounds, and 3 in 10 rounds of
 * three. */
static void nor_does_it_among_several(void)
{
    static const size_t commands[] = {3, 5, 15}, rounds[] = {10, 8, 12};

    for (size_t i = 0; i < 3; i++) {
        const struct cell cell = {rounds[i], commands[i], "normal", "20", "10.5ms"};
        struct counts counts = simulate(&cell, 100);
        EXPECT(counts.hits >= 60 && counts.claims <= 11);
        EXPECT(claims_of(rounds[i], commands[i], "t3", "5", 100) <= 11);
    }
}

int main(void)
{
    TEST(bounds_are_those_of_the_binomial);
    TEST(equal_commands_are_rarely_called_different);
    TEST(what_the_first_place_costs_is_no_difference);
    TEST(three_rounds_claim_nothing);
    TEST(the_obvious_is_found_among_many);
    TEST(what_the_first_place_costs_hides_no_difference_of_two);
    TEST(nor_does_it_among_several);
    return expect_report("few_rounds");
}
