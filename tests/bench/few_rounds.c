/* How often sessions of few rounds claim a difference that is not there, and find one that is; and how
 * often they did before.
 * bench_few_rounds [SESSIONS [ROUNDS COMMANDS]]: fewer sessions, or one row only. */
#include "tests/unit/few_rounds.h"

enum { KINDS = 4, PLACES = 3 };

static const size_t round_counts[] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 30};
static const size_t command_counts[] = {2, 5, 15};
static const char *const kinds[KINDS] = {"normal", "lognormal", "t3", "modes"};
static const char *const places[PLACES] = {"0", "5",
                                           "20"}; /* what the first of a round pays, in % */

/* ---- tables ----------------------------------------------------------------------------------------- */

static struct cell cell_of(size_t rounds, size_t commands, size_t kind, size_t place,
                           const char *cost)
{
    return (struct cell){rounds, commands, kinds[kind], places[place], cost};
}

static double percent(unsigned count, unsigned sessions)
{
    return 100.0 * count / sessions;
}

/* False claims of equal commands; the columns: nothing, 5 and 20 % for being first. Returns how many cells
 * exceed the bound. */
static unsigned show_claims(size_t rounds, size_t commands, unsigned sessions)
{
    unsigned beyond = 0, bound = bound_of(sessions);
    double worst = 0;

    printf("| %zu | %zu |", commands, rounds);
    for (size_t kind = 0; kind < KINDS; kind++) {
        for (size_t place = 0; place < PLACES; place++) {
            struct cell cell = cell_of(rounds, commands, kind, place, "10ms");
            struct counts counts = simulate(&cell, sessions);
            double before = percent(counts.claims_before, sessions);
            worst = before > worst ? before : worst;
            beyond += counts.claims > bound;
            printf(" %.1f%s", percent(counts.claims, sessions), counts.claims > bound ? "!" : "");
        }
        printf(" |");
    }
    printf(" %.1f |\n", worst);
    fflush(stdout);
    return beyond;
}

/* Found of a second command that takes 5 % more, and before. Returns how many cells are below that by more
 * than chance: 2.6 deviations of the difference, were the sessions not the same. */
static unsigned show_hits(size_t rounds, size_t commands, unsigned sessions)
{
    unsigned below = 0;

    printf("| %zu | %zu |", commands, rounds);
    for (size_t kind = 0; kind < KINDS; kind++) {
        for (size_t place = 0; place < PLACES; place++) {
            struct cell cell = cell_of(rounds, commands, kind, place, "10.5ms");
            struct counts counts = simulate(&cell, sessions);
            double less = (double)counts.hits_before - counts.hits;
            bool lower = less > 0 && less * less > 2.6 * 2.6 * (counts.hits_before + counts.hits);
            below += rounds >= 6 && lower;
            printf(" %.0f/%.0f%s", percent(counts.hits, sessions),
                   percent(counts.hits_before, sessions), lower ? "-" : "");
        }
        printf(" |");
    }
    puts("");
    fflush(stdout);
    return below;
}

static unsigned show_table(bool claims, unsigned sessions)
{
    unsigned found = 0;

    printf("\n%s, in per cent of %u sessions; first in a round pays 0, 5, 20 %%\n\n"
           "| commands | rounds | normal | lognormal | t3 | modes |%s\n"
           "|--:|--:|---|---|---|---|%s\n",
           claims ? "False claims of equal commands (bound: `!`)"
                  : "Hits of +5 %, now/before (fewer: `-`)",
           sessions, claims ? " worst before |" : "", claims ? "--:|" : "");
    for (size_t c = 0; c < sizeof command_counts / sizeof *command_counts; c++)
        for (size_t r = 0; r < sizeof round_counts / sizeof *round_counts; r++)
            found += claims ? show_claims(round_counts[r], command_counts[c], sessions)
                            : show_hits(round_counts[r], command_counts[c], sessions);
    return found;
}

int main(int argc, char **argv)
{
    unsigned sessions = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2000;
    unsigned beyond, below;

    if (argc > 3) {
        size_t rounds = strtoul(argv[2], NULL, 10), commands = strtoul(argv[3], NULL, 10);
        check(rounds <= ROUNDS_MAX && commands >= 2 && commands <= COMMANDS_MAX);
        beyond = show_claims(rounds, commands, sessions);
        below = show_hits(rounds, commands, sessions);
    } else {
        beyond = show_table(true, sessions);
        below = show_table(false, sessions);
    }
    printf("\n%u cells beyond the bound of 99 %%; %u from 6 rounds on with fewer hits\n", beyond,
           below);
    return 0;
}
