/* How often rounds of a process that never changes are called something else than flat, and how often planted warm-up,
 * slow-down and cycles are called what they are.
 * bench_warming [SERIES [SEED]] */
#include "stats/warming.h"
#include "stats/stats.h"
#include "tests/unit/noise.h"

#include <stdio.h>
#include <stdlib.h>

enum { LAST = 10 };

/* What is made: rounds of 1 with this noise; the first part of them at another level, or the last one. */
struct made {
    const char *what;
    enum lauka_steady wanted;
    double noise;
    bool heavy_tails, outliers; /* outliers: each twentieth round takes twice as long */
    double first, last;         /* factors of the first and of the last third */
    size_t cycle;               /* rounds at each of two levels; 0: none */
    size_t least;               /* rounds in which it can be seen */
};

static const struct made all[] = {
    {"flat, 0.3 %", LAUKA_STEADY_FLAT, 0.003, false, false, 1, 1, 0, 0},
    {"flat, 1 %", LAUKA_STEADY_FLAT, 0.01, false, false, 1, 1, 0, 0},
    {"flat, 5 %", LAUKA_STEADY_FLAT, 0.05, false, false, 1, 1, 0, 0},
    {"flat, 20 %", LAUKA_STEADY_FLAT, 0.2, false, false, 1, 1, 0, 0},
    {"flat, 5 %, heavy tails", LAUKA_STEADY_FLAT, 0.05, true, false, 1, 1, 0, 0},
    {"flat, 2 %, outliers", LAUKA_STEADY_FLAT, 0.02, false, true, 1, 1, 0, 0},
    {"warms up by 10 %, 2 %", LAUKA_STEADY_WARMS_UP, 0.02, false, false, 1.1, 1, 0, 0},
    {"warms up by 10 %, 5 %, heavy tails", LAUKA_STEADY_WARMS_UP, 0.05, true, false, 1.1, 1, 0, 50},
    {"slows down by 10 %, 2 %", LAUKA_STEADY_SLOWS_DOWN, 0.02, false, false, 1, 1.1, 0, 50},
    {"cycles of 25 rounds, 40 %, 2 %", LAUKA_STEADY_NONE, 0.02, false, false, 1, 1, 25, 200},
};
static const size_t counts[] = {20, 50, 100, 200, 500};
enum { KINDS = sizeof all / sizeof *all, COUNTS = sizeof counts / sizeof *counts };

static enum lauka_steady play(const struct made *made, size_t count, struct lauka_random *random)
{
    double values[LAUKA_WARMING_MOST];

    for (size_t i = 0; i < count; i++) {
        values[i] = fmax(0.1, 1 + made->noise * made_up_noise(random, made->heavy_tails));
        values[i] *= i < count / 3 ? made->first : i >= count - count / 3 ? made->last : 1;
        if (made->outliers && lauka_random_below(random, 20) == 0)
            values[i] *= 2;
        if (made->cycle > 0 && i / made->cycle % 2)
            values[i] *= 1.4;
    }
    return lauka_warming_judge(values, count, LAST).steady;
}

int main(int count, char **words)
{
    const unsigned series = count > 1 ? (unsigned)strtoul(words[1], NULL, 10) : 2000;
    unsigned flat = 0, others = 0;
    struct lauka_random random;

    lauka_random_seed(&random, count > 2 ? strtoul(words[2], NULL, 10) : 1);
    printf("| what | right in %% of %u series with 20 rounds | 50 | 100 | 200 | 500 |\n"
           "|:--|--:|--:|--:|--:|--:|\n",
           series);
    for (size_t k = 0; k < KINDS; k++) {
        printf("| %s |", all[k].what);
        for (size_t c = 0; c < COUNTS; c++) {
            unsigned right = 0;
            if (counts[c] < all[k].least) {
                printf(" |");
                continue;
            }
            for (unsigned i = 0; i < series; i++)
                right += play(&all[k], counts[c], &random) == all[k].wanted;
            flat += all[k].wanted == LAUKA_STEADY_FLAT ? series : 0;
            others += all[k].wanted == LAUKA_STEADY_FLAT ? series - right : 0;
            printf(" %.1f |", 100.0 * right / series);
            fflush(stdout);
        }
        puts("");
    }
    printf("\nflat ones called otherwise: %.1f %% of %u; at most 5 %%\n", 100.0 * others / flat,
           flat);
    return others > flat / 20;
}
