/* How often a 95 % interval over hosts holds the truth; and one over the rounds of all of them would.
 * bench_merge [SESSIONS] */
#include "tests/unit/hosts.h"

#include <stdio.h>

static const size_t hosts[] = {3, 5, 10};
static const double biases[] = {0, 0.005, 0.02, 0.05};
enum { BIASES = sizeof biases / sizeof *biases };

static unsigned show(size_t host_count, bool alike, bool heavy, unsigned sessions)
{
    unsigned below = 0;
    printf("| %zu | %s | %s |", host_count, alike ? "2 %" : "0.5 to 8 %", heavy ? "t4" : "normal");
    for (size_t b = 0; b < BIASES; b++) {
        const struct hosts_cell cell = {host_count, biases[b], alike, heavy};
        struct hosts_counts counts = hosts_simulate(&cell, sessions);
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
    printf("coverage in per cent of %u sessions, %d rounds a host: hosts as units / rounds of all "
           "hosts\n\n"
           "| hosts | their noise | shape | bias 0 | 0.5 %% | 2 %% | 5 %% |\n"
           "|--:|:--|:--|--:|--:|--:|--:|\n",
           sessions, HOST_ROUNDS);
    for (size_t h = 0; h < sizeof hosts / sizeof *hosts; h++)
        for (int alike = 1; alike >= 0; alike--)
            for (int heavy = 0; heavy < 2; heavy++)
                below += show(hosts[h], alike, heavy, sessions);
    printf("\n%u cells below 93 %%\n", below);
    return 0;
}
