/* What cachegrind wrote: files as it writes them, damaged ones, and whole runs of several processes. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmu/pmu.h"
#include "tests/expect.h"

#define HEAD                                                                                       \
    "desc: I1 cache:         32768 B, 64 B, 8-way associative\n"                                   \
    "desc: D1 cache:         32768 B, 64 B, 8-way associative\n"                                   \
    "desc: LL cache:         8388608 B, 64 B, 16-way associative\n"
#define EVENTS "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim\n"
#define BODY "fl=/src/a.c\nfn=main\n3 6 1 1 2 0 0 2 0 0 1 1 0 0\n"

static const char usual[] = HEAD "cmd: ./a b\n" EVENTS BODY
                                 "summary: 1000 1 2 300 4 5 600 7 8 90 10 11 12\n";

static bool parse(const char *text, uint64_t counts[LAUKA_SIMULATED_COUNTS])
{
    /* Without a NUL behind it, in memory that ends there: a look beyond is found out. */
    size_t size = strlen(text);
    char *copy = malloc(size + (size == 0));
    memcpy(copy, text, size);
    bool good = lauka_cachegrind_parse(copy, size, counts);
    free(copy);
    return good;
}

/* ---- One file ---- */

static void a_file_of_cachegrind_is_read(void)
{
    uint64_t counts[LAUKA_SIMULATED_COUNTS];
    EXPECT(parse(usual, counts));
    EXPECT_UINT(counts[LAUKA_SIMULATED_INSTRUCTIONS], 1000);
    EXPECT_UINT(counts[LAUKA_SIMULATED_BRANCHES], 90 + 11);
    EXPECT_UINT(counts[LAUKA_SIMULATED_BRANCH_MISSES], 10 + 12);
    EXPECT_UINT(counts[LAUKA_SIMULATED_L1D_MISSES], 4 + 7);
    EXPECT_UINT(counts[LAUKA_SIMULATED_CACHE_MISSES], 2 + 5 + 8);
}

static void events_are_known_by_name_in_any_order(void)
{
    uint64_t counts[LAUKA_SIMULATED_COUNTS];
    EXPECT(parse("cmd: x\nevents: Bim Bi Bcm Bc New DLmw D1mw DLmr D1mr ILmr Ir\n"
                 "summary: 1 2 3 4 5 6 7 8 9 10 18446744073709551000\n",
                 counts));
    EXPECT_UINT(counts[LAUKA_SIMULATED_INSTRUCTIONS], 18446744073709551000u);
    EXPECT_UINT(counts[LAUKA_SIMULATED_CACHE_MISSES], 24);
}

static void a_command_line_that_looks_like_figures_is_none(void)
{
    uint64_t counts[LAUKA_SIMULATED_COUNTS];
    EXPECT(parse(HEAD "cmd: ./a\nevents: Ir\nsummary: 7\n" EVENTS BODY
                      "summary: 1000 1 2 300 4 5 600 7 8 90 10 11 12\n",
                 counts));
    EXPECT_UINT(counts[LAUKA_SIMULATED_INSTRUCTIONS], 1000);
}

static void what_is_incomplete_is_refused(void)
{
    static const char *const wrong[] = {
        "",
        "\n",
        "events:\nsummary:\n",
        HEAD "cmd: ./a\n" EVENTS,
        "cmd: ./a\nsummary: 1 2 3 4 5 6 7 8 9 10 11 12 13\n" EVENTS, /* in the wrong order */
        EVENTS "summary: 1 2 3 4 5 6 7 8 9 10 11 12\n",              /* too few */
        EVENTS "summary: 1 2 3 4 5 6 7 8 9 10 11 12 13 14\n",        /* too many */
        EVENTS "summary: 1 2 3 4 5 6 7 8 9 10 11 12 x\n",
        EVENTS "summary: 1 2 3 4 5 6 7 8 9 10 11 12 -1\n",
        EVENTS "summary: 1 2 3 4 5 6 7 8 9 10 11 12 18446744073709551616\n",
        EVENTS "summary: 1 2 18446744073709551614 4 5 6 7 8 9 10 11 12 13\n", /* the sum */
        EVENTS "summary: 1 2 3 4 5 6 7 8 9 10 11 12 13",                      /* cut off */
        "events: Ir\nsummary: 5\n",
        "events: Ir Ir ILmr D1mr DLmr D1mw DLmw Bc Bcm Bi Bim\nsummary: 1 2 3 4 5 6 7 8 9 10 11\n",
    };
    uint64_t counts[LAUKA_SIMULATED_COUNTS];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT(!parse(wrong[i], counts));
}

static void every_beginning_of_a_file_is_refused(void)
{
    uint64_t counts[LAUKA_SIMULATED_COUNTS];
    char text[sizeof usual];
    for (size_t size = 0; size + 1 < sizeof usual; size++) {
        snprintf(text, size + 1, "%s", usual);
        EXPECT(!parse(text, counts));
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13; /* Marsaglia 2003, xorshift */
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* Whatever it is changed to, the parser returns, looks at nothing beyond, and its figures are none of
 * those that stand for what is missing. */
static void mutations_do_no_harm(void)
{
    static const char *const words[] = {"events:", "summary:", "\n", " ", "Ir", "99999999999999999999",
                                        "\nevents: Ir\n", "\nsummary: 1\n", "0", "D1mr"};
    uint64_t state = 88172645463325252u, counts[LAUKA_SIMULATED_COUNTS];
    size_t accepted = 0;
    for (int i = 0; i < 200000; i++) {
        char text[2 * sizeof usual] = {0};
        size_t size = sizeof usual - 1;
        memcpy(text, usual, size);
        for (uint64_t m = next_random(&state) % 4; m-- > 0;) {
            size_t at = (size_t)(next_random(&state) % size);
            const char *word = words[next_random(&state) % (sizeof words / sizeof *words)];
            uint64_t kind = next_random(&state) % 3;
            if (kind == 0)
                text[at] = (char)next_random(&state);
            else if (kind == 1 && at + strlen(word) < size)
                memcpy(text + at, word, strlen(word));
            else
                size = size - at > 8 ? size - (size_t)(next_random(&state) % 8) : size;
        }
        char *copy = malloc(size);
        memcpy(copy, text, size);
        if (lauka_cachegrind_parse(copy, size, counts)) {
            accepted++;
            for (size_t c = 0; c < LAUKA_SIMULATED_COUNTS; c++)
                EXPECT(counts[c] < UINT64_MAX);
        }
        free(copy);
    }
    EXPECT(accepted > 0);
}

/* ---- A run ---- */

static char folder[] = "/tmp/lauka-test-XXXXXX";

static void write_file(const char *prefix, int pid, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s.%d", folder, prefix, pid);
    FILE *file = fopen(path, "w");
    EXPECT(file && fputs(text, file) >= 0);
    if (file)
        fclose(file);
}

/* Of a process that executed so many instructions. */
static void write_process(int pid, int parent, const char *command, int instructions)
{
    char text[1000];
    snprintf(text, sizeof text,
             "==%d== Cachegrind, a cache and branch-prediction profiler\n"
             "==%d== Using Valgrind-3.19.0 and LibVEX; rerun with -h for copyright info\n"
             "==%d== Command: %s\n==%d== Parent PID: %d\n==%d== \n",
             pid, pid, pid, command, pid, parent, pid);
    write_file("log", pid, text);
    snprintf(text, sizeof text, HEAD "cmd: %s\n" EVENTS "summary: %d 1 1 1 1 1 1 1 1 1 1 1 1\n",
             command, instructions);
    write_file("cg", pid, text);
}

static size_t files_in_folder(void)
{
    DIR *directory = opendir(folder);
    size_t count = 0;
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2; /* . and .. */
}

static struct lauka_cachegrind collect(int expected)
{
    struct lauka_cachegrind sum;
    EXPECT_UINT((uint64_t)lauka_cachegrind_collect(folder, &sum), (uint64_t)expected);
    EXPECT_UINT(files_in_folder(), 0);
    return sum;
}

static void programs_that_were_executed_are_added_up(void)
{
    write_process(100, 1, "make", 1000);
    write_process(101, 100, "true", 10);
    write_process(102, 100, "true", 10);
    struct lauka_cachegrind sum = collect(0);
    EXPECT_UINT(sum.counts[LAUKA_SIMULATED_INSTRUCTIONS], 1020);
    EXPECT_UINT(sum.processes, 3);
    EXPECT_UINT(sum.forks, 0);
    EXPECT_TEXT(sum.version, "3.19.0");
}

static void what_was_done_before_a_fork_counts_once(void)
{
    write_process(100, 1, "./server", 1000);
    write_process(101, 100, "./server", 1500);
    write_process(102, 101, "./server", 1600);
    write_process(103, 101, "helper", 7);
    struct lauka_cachegrind sum = collect(0);
    EXPECT_UINT(sum.counts[LAUKA_SIMULATED_INSTRUCTIONS], 1007);
    EXPECT_UINT(sum.processes, 2);
    EXPECT_UINT(sum.forks, 2);
}

/* The parent was killed, and left nothing behind. */
static void a_fork_of_nobody_is_a_fork(void)
{
    write_process(100, 1, "./server", 1000);
    write_process(102, 101, "./server", 1600);
    struct lauka_cachegrind sum = collect(0);
    EXPECT_UINT(sum.counts[LAUKA_SIMULATED_INSTRUCTIONS], 1000);
    EXPECT_UINT(sum.forks, 1);
}

static void damaged_files_are_counted(void)
{
    write_process(100, 1, "a", 1000);
    write_file("cg", 101, "events: Ir\nsumm");
    write_file("cg", 102, "");
    struct lauka_cachegrind sum = collect(0);
    EXPECT_UINT(sum.counts[LAUKA_SIMULATED_INSTRUCTIONS], 1000);
    EXPECT_UINT(sum.damaged, 2);
}

static void a_run_without_counts_is_told(void)
{
    collect(ENOENT);
    write_file("cg", 5, "");
    write_file("log", 5, "valgrind: no such file\n");
    collect(ENOENT);
    struct lauka_cachegrind sum;
    EXPECT_UINT((uint64_t)lauka_cachegrind_collect("/nowhere/at/all", &sum), ENOENT);
}

/* ---- The command line ---- */

static void the_caches_are_fixed_and_percent_signs_doubled(void)
{
    const char *words[LAUKA_CACHEGRIND_OPTIONS_MAX];
    char text[600];
    bool caches = false;
    size_t last = 0;
    lauka_cachegrind_options("/tmp/a%pb", words, text, sizeof text);
    for (; words[last]; last++)
        caches |= strcmp(words[last], "--LL=8388608,16,64") == 0;
    EXPECT(caches && last < LAUKA_CACHEGRIND_OPTIONS_MAX);
    EXPECT_TEXT(words[last - 1], "--");
    EXPECT_TEXT(words[last - 2], "--log-file=/tmp/a%%pb/log.%p");
    EXPECT_TEXT(words[last - 3], "--cachegrind-out-file=/tmp/a%%pb/cg.%p");
}

int main(void)
{
    TEST(a_file_of_cachegrind_is_read);
    TEST(events_are_known_by_name_in_any_order);
    TEST(a_command_line_that_looks_like_figures_is_none);
    TEST(what_is_incomplete_is_refused);
    TEST(every_beginning_of_a_file_is_refused);
    TEST(mutations_do_no_harm);
    if (!mkdtemp(folder))
        return 1;
    TEST(programs_that_were_executed_are_added_up);
    TEST(what_was_done_before_a_fork_counts_once);
    TEST(a_fork_of_nobody_is_a_fork);
    TEST(damaged_files_are_counted);
    TEST(a_run_without_counts_is_told);
    rmdir(folder);
    TEST(the_caches_are_fixed_and_percent_signs_doubled);
    return expect_report("test_cachegrind");
}
