/* How often sessions claim what is not so, and find what is.
 * bench_evidence [SESSIONS [SEED [WORDS...]]]: of all tables, or of one cell; tests/unit/evidence.h has the
 * words. */
#include "tests/unit/evidence.h"

static double percent(unsigned count, unsigned of)
{
    return of > 0 ? 100.0 * count / of : 0;
}

static void show(const char *words, unsigned sessions, uint64_t seed)
{
    struct counts c = play_cell(words, sessions, seed, NULL, 0);
    printf("| %s | %.1f | %.1f | %.1f | %.1f | %u | %.1f | %.1f | %.2f | %.0f | %.1f |\n", words,
           percent(c.claims, sessions), percent(c.found, sessions), percent(c.equivalent, sessions),
           percent(c.holding, c.intervals), c.empty, percent(c.fails, sessions),
           percent(c.passes, sessions), c.intervals ? 100 * c.half_width / c.intervals : 0,
           c.rounds / sessions, percent(c.welch, sessions));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    unsigned sessions = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 4000;
    uint64_t seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    printf("| cell | claims | found | equivalent | holding | empty | fails | passes | ± | rounds | "
           "Welch |\n"
           "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int i = 3; i < argc; i++)
        show(argv[i], sessions, seed);
    return 0;
}
