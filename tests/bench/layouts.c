/* How often a 95 % interval over drawn pairs of layouts contains the truth, and how often one over rounds
 * would. bench_layouts [SESSIONS] */
#include "tests/unit/layouts.h"

#include <stdio.h>

static const size_t pairs[] = {8, 16, 32}, each[] = {2, 4, 16};
static const double ratios[] = {0, 0.5, 1, 2}; /* deviation between layouts, of that within */
enum { RATIOS = sizeof ratios / sizeof *ratios };

static unsigned show(size_t pair_count, size_t rounds, bool heavy, unsigned sessions)
{
    unsigned below = 0;
    printf("| %zu | %zu | %s |", pair_count, rounds, heavy ? "t4" : "normal");
    for (size_t r = 0; r < RATIOS; r++) {
        const struct layouts_cell cell = {pair_count, rounds, 0.02, 0.02 * ratios[r], heavy};
        struct layouts_counts counts = layouts_simulate(&cell, sessions);
        below += counts.held < 0.93 * sessions;
        printf(" %.1f / %.1f%s |", 100.0 * counts.held / sessions,
               100.0 * counts.held_by_rounds / sessions, counts.held < 0.93 * sessions ? "!" : "");
    }
    puts("");
    fflush(stdout);
    return below;
}

int main(int count, char **words)
{
    unsigned sessions = count > 1 ? (unsigned)strtoul(words[1], NULL, 10) : 4000, below = 0;
    printf(
        "coverage in per cent of %u sessions: pairs as units / rounds as units\n\n"
        "| pairs | rounds each | noise | 0 | 0.5 | 1 | 2 times |\n|--:|--:|:--|--:|--:|--:|--:|\n",
        sessions);
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        for (size_t e = 0; e < sizeof each / sizeof *each; e++)
            for (int heavy = 0; heavy < 2; heavy++)
                below += show(pairs[p], each[e], heavy, sessions);
    printf("\n%u cells below 93 %%\n", below);
    return 0;
}
