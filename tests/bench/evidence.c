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

/* The change that `lauka noise` names, and in how many sessions of that change it is found. */
static void show_noise(const char *words, unsigned sessions, uint64_t seed)
{
    char planted[200];
    printf("| %s |", words);
    for (int whole = 0; whole < 2; whole++) {
        double change = play_noise(words, 40, seed, whole);
        snprintf(planted, sizeof planted, "%s effect=%.6f%s", words, change,
                 whole ? " until=0" : "");
        struct counts c = play_cell(planted, sessions, seed + 1, NULL, 0);
        printf(" %.2f %%: %.1f |", 100 * change, percent(c.found, sessions));
    }
    puts("");
    fflush(stdout);
}

enum { RECORDED = 1500 };

/* Windows of real runs are held to the median of all of them: wall time, then CPU time. */
static void show_record(const char *words, unsigned sessions, uint64_t seed)
{
    static double wall[RECORDED], cpu[RECORDED];
    const double *const columns[] = {wall, cpu};
    char line[200], all[200];
    size_t count = 0;
    FILE *file = fopen("tests/bench/record.txt", "r");
    check(file != NULL);
    while (count < RECORDED && fgets(line, sizeof line, file))
        count += sscanf(line, "%lf %lf", &wall[count], &cpu[count]) == 2;
    fclose(file);
    check(count == RECORDED);
    snprintf(all, sizeof all, "kind=record commands=1 budget=1 cost=0.001 %s", words);
    printf("| %s |", words);
    for (int i = 0; i < 2; i++) {
        struct counts c = play_cell(all, sessions, seed, columns[i], count);
        printf(" %.1f / %.1f |", percent(c.fails, sessions), percent(c.passes, sessions));
    }
    puts("");
    fflush(stdout);
}

/* What is played without words. */
static const char *const usual[] = {
    "metrics=1 rounds=10",
    "square=3 noise=1% metrics=1 rounds=10",
    "square=4 noise=1% metrics=1 rounds=10",
    "square=5 noise=1% metrics=1 rounds=10",
    "spike=6 noise=1% metrics=1 rounds=10",
    "sine=4 noise=1% metrics=1 rounds=10",
    "square=4 noise=1% cost=500",
    "square=4 noise=1%",
    "kind=t3 rounds=10",
    "kind=modes rounds=10",
    "kind=pareto rounds=10",
    "burst=10 rounds=10",
    "rho=0.9 ar=5% rounds=10",
    "first=20% rounds=10",
    "commands=3 square=4 noise=1% rounds=10",
    "effect=3% rounds=10",
    "effect=3% kind=t3 rounds=10",
    "effect=1% rounds=100 metrics=1",
    "effect=3% cost=500",
    "limit=2% effect=2% benchmarks=10 rounds=30 metrics=1",
    "limit=2% effect=5% rounds=14 metrics=1",
    "commands=1 budget=1 rounds=30 rho=0.9 ar=5%",
    "commands=1 budget=1 rho=0.9 ar=2%",
    "commands=1 budget=0.96",
    "record:rounds=50",
    "record:rounds=200",
    "noise:kind=normal",
    "noise:kind=t3",
    "noise:cost=500",
};

static void play_one(const char *words, unsigned sessions, uint64_t seed)
{
    if (strncmp(words, "record:", 7) == 0)
        show_record(words + 7, sessions, seed);
    else if (strncmp(words, "noise:", 6) == 0)
        show_noise(words + 6, sessions, seed);
    else
        show(words, sessions, seed);
}

int main(int argc, char **argv)
{
    unsigned sessions = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 4000;
    uint64_t seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    printf("| cell | claims | found | equivalent | holding | empty | fails | passes | ± | rounds | "
           "Welch |\n"
           "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int i = 3; i < argc; i++)
        play_one(argv[i], sessions, seed);
    for (size_t i = 0; argc <= 3 && i < sizeof usual / sizeof *usual; i++)
        play_one(usual[i], sessions, seed);
    return 0;
}
