/* What valgrind wrote: files as its tools write them, damaged files, and whole runs with several
 * processes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pmu/profile/profile.h"
#include "pmu/valgrind/valgrind.h"
#include "tests/unit/expect.h"

#define HEAD                                                                                       \
    "desc: I1 cache:         32768 B, 64 B, 8-way associative\n"                                   \
    "desc: D1 cache:         32768 B, 64 B, 8-way associative\n"                                   \
    "desc: LL cache:         8388608 B, 64 B, 16-way associative\n"
#define EVENTS "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim\n"
#define BODY "fl=/src/a.c\nfn=main\n3 6 1 1 2 0 0 2 0 0 1 1 0 0\n"

static const char usual[] =
    HEAD "cmd: ./a b\n" EVENTS BODY "summary: 1000 1 2 300 4 5 600 7 8 90 10 11 12\n";

static bool parse_part(const char *text, struct lauka_valgrind_part *part)
{
    /* Without a terminating NUL, in an allocation that ends there: sanitizers catch a read beyond it. */
    size_t size = strlen(text);
    char *copy = malloc(size + (size == 0));
    memcpy(copy, text, size);
    bool good = lauka_valgrind_part_parse(copy, size, part);
    free(copy);
    return good;
}

static bool parse(const char *text, uint64_t counts[LAUKA_VALGRIND_COUNTS])
{
    struct lauka_valgrind_part part;
    bool good = parse_part(text, &part);
    memcpy(counts, part.counts, sizeof part.counts);
    return good;
}

/* ---- One file ---- */

static void a_file_of_cachegrind_is_read(void)
{
    uint64_t counts[LAUKA_VALGRIND_COUNTS];
    EXPECT(parse(usual, counts));
    EXPECT_UINT(counts[LAUKA_VALGRIND_INSTRUCTIONS], 1000);
    EXPECT_UINT(counts[LAUKA_VALGRIND_BRANCHES], 90 + 11);
    EXPECT_UINT(counts[LAUKA_VALGRIND_BRANCH_MISSES], 10 + 12);
    EXPECT_UINT(counts[LAUKA_VALGRIND_L1D_MISSES], 4 + 7);
    EXPECT_UINT(counts[LAUKA_VALGRIND_CACHE_MISSES], 2 + 5 + 8);
}

static void events_are_known_by_name_in_any_order(void)
{
    uint64_t counts[LAUKA_VALGRIND_COUNTS];
    EXPECT(parse("cmd: x\nevents: Bim Bi Bcm Bc New DLmw D1mw DLmr D1mr ILmr Ir\n"
                 "summary: 1 2 3 4 5 6 7 8 9 10 18446744073709551000\n",
                 counts));
    EXPECT_UINT(counts[LAUKA_VALGRIND_INSTRUCTIONS], 18446744073709551000u);
    EXPECT_UINT(counts[LAUKA_VALGRIND_CACHE_MISSES], 24);
}

static void a_command_line_that_looks_like_figures_is_none(void)
{
    uint64_t counts[LAUKA_VALGRIND_COUNTS];
    EXPECT(parse(HEAD "cmd: ./a\nevents: Ir\nsummary: 7\n" EVENTS BODY
                      "summary: 1000 1 2 300 4 5 600 7 8 90 10 11 12\n",
                 counts));
    EXPECT_UINT(counts[LAUKA_VALGRIND_INSTRUCTIONS], 1000);
}

static void instructions_may_stand_alone(void)
{
    uint64_t counts[LAUKA_VALGRIND_COUNTS];
    EXPECT(parse("events: Ir\nsummary: 5\n", counts));
    EXPECT_UINT(counts[LAUKA_VALGRIND_INSTRUCTIONS], 5);
    EXPECT_UINT(counts[LAUKA_VALGRIND_BRANCHES], 0);
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
        "events: Ir Bc\nsummary: 5 1\n", /* neither instructions alone nor all */
        "events: Ir Ir ILmr D1mr DLmr D1mw DLmw Bc Bcm Bi Bim\nsummary: 1 2 3 4 5 6 7 8 9 10 11\n",
    };
    uint64_t counts[LAUKA_VALGRIND_COUNTS];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT(!parse(wrong[i], counts));
}

static void every_beginning_of_a_file_is_refused(void)
{
    uint64_t counts[LAUKA_VALGRIND_COUNTS];
    char text[sizeof usual];
    for (size_t size = 0; size + 1 < sizeof usual; size++) {
        snprintf(text, size + 1, "%s", usual);
        EXPECT(!parse(text, counts));
    }
}

#define CALLGRIND(more, range, trigger, events, summary)                                           \
    "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 12\ncmd:  ./a b" more         \
    "\npart: 2\n"                                                                                  \
    "\n\ndesc: I1 cache: \n\ndesc: Timerange: Basic block " range "\ndesc: Trigger: " trigger      \
    "\n\n"                                                                                         \
    "positions: line\nevents: " events "\nsummary: " summary                                       \
    "\n\n\nob=(1) /lib/ld.so\nfl=(9) rtld.c\n"                                                     \
    "fn=(466) main\n148 1\n+3 5\ncalls=1 12\n* 77\n\ntotals: 6\n"
#define COUNTS_OF_ALL "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim"

static const char called[] = CALLGRIND("", "70 - 345", "--dump-before=execve", COUNTS_OF_ALL,
                                       "1000 300 600 1 4 7 2 5 8 90 10 11");

static void a_file_of_callgrind_is_read(void)
{
    struct lauka_valgrind_part part;
    EXPECT(parse_part(called, &part));
    EXPECT_UINT(part.counts[LAUKA_VALGRIND_INSTRUCTIONS], 1000);
    EXPECT_UINT(part.counts[LAUKA_VALGRIND_BRANCHES], 90 + 11);
    EXPECT_UINT(part.counts[LAUKA_VALGRIND_BRANCH_MISSES], 10); /* the last one is 0, and omitted */
    EXPECT_UINT(part.counts[LAUKA_VALGRIND_L1D_MISSES], 4 + 7);
    EXPECT_UINT(part.counts[LAUKA_VALGRIND_CACHE_MISSES], 2 + 5 + 8);
    EXPECT_UINT(part.from, 70);
    EXPECT_UINT(part.to, 345);
    EXPECT(part.end == LAUKA_VALGRIND_EXECUTES);
}

static void why_it_was_written_is_read(void)
{
    struct lauka_valgrind_part part;
    EXPECT(parse_part(CALLGRIND("", "0 - 1", "--dump-before=_Fork", COUNTS_OF_ALL, "1"), &part));
    EXPECT(part.end == LAUKA_VALGRIND_FORKS);
    EXPECT(parse_part(CALLGRIND("", "0 - 1", "Program termination", COUNTS_OF_ALL, "1"), &part));
    EXPECT(part.end == LAUKA_VALGRIND_ENDS);
    EXPECT(parse_part(CALLGRIND("", "0 - 1", "--dump-before=my_fork", COUNTS_OF_ALL, "1"), &part));
    EXPECT(part.end == LAUKA_VALGRIND_GOES_ON);
    EXPECT(parse_part(CALLGRIND("\ndesc: Trigger: Program termination\ntotals: 3", "0 - 1",
                                "--dump-before=vfork", COUNTS_OF_ALL, "1"),
                      &part));
    EXPECT(part.end == LAUKA_VALGRIND_FORKS);
}

static void what_is_none_of_callgrinds_is_refused(void)
{
    static const char *const wrong[] = {
        CALLGRIND("", "1 - 0", "Program termination", COUNTS_OF_ALL, "1"),
        CALLGRIND("", "1", "Program termination", COUNTS_OF_ALL, "1"),
        CALLGRIND("", "x - 2", "Program termination", COUNTS_OF_ALL, "1"),
        CALLGRIND("", "0 - 2", "Program termination", "Ir Bc", "1"),
        CALLGRIND("", "0 - 2", "Program termination", COUNTS_OF_ALL, "1 x"),
        CALLGRIND("", "0 - 2", "Program termination", COUNTS_OF_ALL, "1 2 3 4 5 6 7 8 9 1 2 3 4 5"),
    };
    struct lauka_valgrind_part part;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT(!parse_part(wrong[i], &part));
    for (size_t size = 0; size + 1 < sizeof called; size++) {
        char text[sizeof called];
        snprintf(text, size + 1, "%s", called);
        EXPECT(!parse_part(text, &part));
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13; /* Marsaglia 2003, xorshift */
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* Whatever the text is changed to, the parser returns, reads nothing beyond its end, and never returns
 * the value that means "missing". */
static size_t mutate(const char *usual_text, size_t length)
{
    static const char *const words[] = {
        "events:",        "summary:",       "\n", " ",    "Ir",           "99999999999999999999",
        "\nevents: Ir\n", "\nsummary: 1\n", "0",  "D1mr", "\ntotals: 1\n"};
    uint64_t state = 88172645463325252u;
    size_t accepted = 0;
    for (int i = 0; i < 100000; i++) {
        struct lauka_valgrind_part part;
        size_t size = length;
        char *text = malloc(size);
        memcpy(text, usual_text, size);
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
        if (lauka_valgrind_part_parse(copy, size, &part)) {
            accepted++;
            for (size_t c = 0; c < LAUKA_VALGRIND_COUNTS; c++)
                EXPECT(part.counts[c] < UINT64_MAX);
        }
        free(copy);
        free(text);
    }
    return accepted;
}

static void mutations_do_no_harm(void)
{
    EXPECT(mutate(usual, sizeof usual - 1) > 0);
    EXPECT(mutate(called, sizeof called - 1) > 0);
}

/* ---- A run ---- */

static char folder[] = "/tmp/lauka-test-XXXXXX";
static struct lauka_valgrind_log *log_of_run;
static size_t begun; /* number of program starts that were announced */

static void listen_to_run(void)
{
    EXPECT_UINT((uint64_t)lauka_valgrind_listen(folder, NULL, &log_of_run), 0);
    begun = 0;
}

static struct lauka_valgrind_sum collect(bool follow, int expected)
{
    struct lauka_valgrind_sum sum;
    EXPECT_UINT((uint64_t)lauka_valgrind_collect(log_of_run, follow, &sum), (uint64_t)expected);
    return sum;
}

static void path_of(char path[128], int pid, int number)
{
    char suffix[16] = "";
    if (number > 0)
        snprintf(suffix, sizeof suffix, ".%d", number);
    snprintf(path, 128, "%s/part.%d%s", folder, pid, suffix);
}

static void write_file(int pid, int number, const char *text)
{
    char path[128];
    path_of(path, pid, number);
    FILE *file = fopen(path, "w");
    EXPECT(file && fputs(text, file) >= 0);
    if (file)
        fclose(file);
}

/* Writes what callgrind writes about so many instructions. number: 0 if the process ended. */
static void write_part(int pid, int number, int from, int to, const char *trigger, int instructions)
{
    char text[1000];
    snprintf(text, sizeof text,
             "# callgrind format\ncmd: x\npart: %d\ndesc: Timerange: Basic block %d - %d\n"
             "desc: Trigger: %s\nevents: " COUNTS_OF_ALL "\nsummary: %d\n\nfn=f\n1 2\ntotals: 1\n",
             number, from, to, trigger, instructions);
    write_file(pid, number, text);
}

static void write_end(int pid, int from, int to, int instructions)
{
    write_part(pid, 0, from, to, "Program termination", instructions);
}

/* Announces a program like a process that starts one or was forked. Waits until this was heard and all
 * files of the previous program were taken, because a real program takes long to start. */
static void begin(int pid, int parent, const char *command)
{
    static const struct timespec moment = {.tv_nsec = 100000};
    char path[128], text[400];
    snprintf(path, sizeof path, "%s/log", folder);
    int length =
        snprintf(text, sizeof text,
                 "==%d== Callgrind, a call-graph generating cache profiler\n"
                 "==%d== Using Valgrind-3.19.0 and LibVEX; rerun with -h for copyright info\n"
                 "==%d== Command: %s\n==%d== Parent PID: %d\n==%d== \n",
                 pid, pid, pid, command, pid, parent, pid);
    int pipe = open(path, O_WRONLY | O_NONBLOCK);
    EXPECT(pipe >= 0 && write(pipe, text, (size_t)length) == length);
    close(pipe);
    const size_t *heard = &log_of_run->image_count;
    begun++;
    for (int i = 0; i < 600000 && __atomic_load_n(heard, __ATOMIC_ACQUIRE) < begun; i++)
        nanosleep(&moment, NULL);
}

/* Waits until the file was taken, because a real program takes long to start. */
static void wait_for(int pid, int number)
{
    static const struct timespec moment = {.tv_nsec = 1000000};
    char path[128];
    path_of(path, pid, number);
    for (int i = 0; i < 60000 && access(path, F_OK) == 0; i++)
        nanosleep(&moment, NULL);
    EXPECT(access(path, F_OK) != 0);
}

static void expect_sum(uint64_t instructions, enum lauka_valgrind_gap gap)
{
    struct lauka_valgrind_sum sum = collect(true, 0);
    EXPECT_UINT(sum.counts[LAUKA_VALGRIND_INSTRUCTIONS], instructions);
    EXPECT_UINT(sum.gap, gap);
}

static void a_program_alone_is_whole(void)
{
    listen_to_run();
    begin(100, 1, "./a b");
    write_file(100, 0, usual);
    struct lauka_valgrind_sum sum = collect(false, 0);
    EXPECT_UINT(sum.counts[LAUKA_VALGRIND_INSTRUCTIONS], 1000);
    EXPECT_UINT(sum.gap, LAUKA_VALGRIND_NO_GAP);
    EXPECT_UINT(sum.programs, 1);
    EXPECT_TEXT(sum.version, "3.19.0");
}

/* Cachegrind loses what happened before an exec, and repeats what happened before a fork. */
static void cachegrind_follows_nobody(void)
{
    listen_to_run();
    begin(100, 1, "sh -c x");
    begin(100, 1, "x");
    write_file(100, 0, usual);
    struct lauka_valgrind_sum sum = collect(false, 0);
    EXPECT_UINT(sum.gap, LAUKA_VALGRIND_NOT_FOLLOWED);
    EXPECT_TEXT(sum.program, "sh -c x");
}

static void what_was_done_before_an_execution_counts(void)
{
    listen_to_run();
    begin(100, 1, "sh -c x");
    write_part(100, 1, 0, 10, "--dump-before=execve", 1000); /* this folder has no x */
    write_part(100, 2, 10, 12, "--dump-before=execve", 20);
    write_file(100, 0, "");
    begin(100, 1, "x");
    wait_for(100, 0);
    /* This file has the name of one that was taken. */
    write_part(100, 1, 0, 10, "--dump-before=execve", 300);
    begin(100, 1, "y");
    wait_for(100, 1);
    write_end(100, 0, 5, 4);
    expect_sum(1324, LAUKA_VALGRIND_NO_GAP);
}

static void what_was_done_before_a_fork_counts_once(void)
{
    listen_to_run();
    begin(100, 1, "./server");
    write_part(100, 1, 0, 10, "--dump-before=fork", 1000);
    write_part(100, 2, 10, 11, "--dump-before=_Fork", 7);
    begin(101, 100, "./server");
    write_end(101, 11, 200, 500);
    write_part(100, 3, 11, 20, "--dump-before=vfork", 30);
    begin(102, 100, "./server");
    write_part(102, 1, 20, 22, "--dump-before=execve", 5);
    begin(102, 100, "helper");
    wait_for(102, 1);
    write_end(102, 0, 9, 200);
    write_end(100, 20, 30, 60);
    expect_sum(1802, LAUKA_VALGRIND_NO_GAP);
}

/* The child's first part begins with its parent's work, which would count twice. */
static void a_fork_that_is_not_seen_leaves_a_gap(void)
{
    listen_to_run();
    begin(100, 1, "./static");
    begin(101, 100, "./static");
    write_end(101, 0, 50, 1500);
    write_end(100, 0, 40, 1200);
    struct lauka_valgrind_sum sum = collect(true, 0);
    EXPECT_UINT(sum.counts[LAUKA_VALGRIND_INSTRUCTIONS], 1200);
    EXPECT_UINT(sum.gap, LAUKA_VALGRIND_UNSEEN_FORK);
    EXPECT_TEXT(sum.program, "./static");
}

static void one_fork_has_one_child(void)
{
    listen_to_run();
    begin(100, 1, "./a");
    write_part(100, 1, 0, 10, "--dump-before=fork", 1000);
    begin(101, 100, "./a");
    write_end(101, 10, 20, 50);
    begin(102, 100, "./a");
    write_end(102, 10, 90, 800);
    write_end(100, 10, 80, 700);
    expect_sum(1750, LAUKA_VALGRIND_UNSEEN_FORK);
}

static void an_execution_that_is_not_seen_leaves_a_gap(void)
{
    listen_to_run();
    begin(100, 1, "./static");
    write_file(100, 0, "");
    begin(100, 1, "./b");
    wait_for(100, 0);
    write_end(100, 0, 10, 7);
    expect_sum(7, LAUKA_VALGRIND_UNSEEN_EXECUTION);
}

static void who_is_killed_leaves_a_gap(void)
{
    listen_to_run();
    begin(100, 1, "./a");
    write_part(100, 1, 0, 10, "--dump-before=fork", 1000);
    begin(101, 100, "./a");
    write_end(100, 10, 20, 5);
    expect_sum(1005, LAUKA_VALGRIND_UNSEEN_END);
}

static void what_is_missing_or_damaged_leaves_a_gap(void)
{
    listen_to_run();
    begin(100, 1, "./a");
    write_part(100, 1, 0, 10, "--dump-before=fork", 1000);
    write_end(100, 15, 20, 5);
    expect_sum(1005, LAUKA_VALGRIND_DAMAGED);
    listen_to_run();
    begin(100, 1, "./a");
    write_file(100, 1, "# callgrind format\nevents: Ir\nsumm");
    write_end(100, 0, 20, 5);
    expect_sum(5, LAUKA_VALGRIND_DAMAGED);
    listen_to_run();
    begin(100, 1, "./a");
    write_end(100, 0, 20, 5);
    write_end(101, 0, 20, 5); /* not announced */
    expect_sum(5, LAUKA_VALGRIND_DAMAGED);
}

/* Another process may write into the middle of a line, and a line may have any length. */
static void a_beginning_is_heard_amid_other_words(void)
{
    char path[128], text[3000];
    listen_to_run();
    memset(text, 'x', sizeof text);
    static const char words[] = "==100== Parent PID: 1\n";
    memcpy(text + sizeof text - strlen(words), words, strlen(words));
    snprintf(path, sizeof path, "%s/log", folder);
    int pipe = open(path, O_WRONLY | O_NONBLOCK);
    EXPECT(pipe >= 0 && write(pipe, text, sizeof text) == sizeof text);
    close(pipe);
    write_end(100, 0, 20, 5);
    expect_sum(5, LAUKA_VALGRIND_NO_GAP);
}

static void a_run_without_counts_is_told(void)
{
    listen_to_run();
    collect(false, ENOENT);
    listen_to_run();
    begin(5, 1, "./a");
    write_file(5, 0, "");
    collect(true, ENOENT);
    EXPECT_UINT((uint64_t)lauka_valgrind_listen("/nowhere/at/all", NULL, &log_of_run), ENOENT);
}

static void nothing_is_left_behind(void)
{
    EXPECT_UINT((uint64_t)rmdir(folder), 0);
}

/* ---- The command line ---- */

static bool has_word(const char *const *words, const char *word)
{
    bool found = false;
    for (; *words; words++)
        found |= strcmp(*words, word) == 0;
    return found;
}

static void tunables_are_added_to_what_is_set(void)
{
    char a[] = "A=1", set[] = "GLIBC_TUNABLES=glibc.cpu.x86_rep_stosb_threshold=7", b[] = "B=2";
    char *own[] = {a, set, b, NULL}, **all = lauka_valgrind_environment(own);
    EXPECT_TEXT(all[0], "GLIBC_TUNABLES=glibc.cpu.x86_rep_stosb_threshold=7:"
                        "glibc.cpu.x86_rep_movsb_threshold=1000000000000");
    EXPECT(all[1] == a && all[2] == b && all[3] == NULL);
    free(all);
    unsetenv("GLIBC_TUNABLES");
    all = lauka_valgrind_environment(NULL);
    EXPECT(strncmp(all[0], "GLIBC_TUNABLES=glibc.cpu.", 25) == 0 && all[1] == NULL);
    free(all);
}

static void the_caches_are_fixed_and_percent_signs_doubled(void)
{
    const char *words[LAUKA_VALGRIND_OPTIONS_MAX];
    char text[LAUKA_VALGRIND_TEXT_SIZE];
    size_t last = 0;
    lauka_valgrind_options("/tmp/a%pb", false, false, NULL, words, text);
    while (words[last])
        last++;
    EXPECT_TEXT(words[last - 1], "--");
    EXPECT(has_word(words, "--tool=cachegrind") && has_word(words, "--LL=8388608,16,64"));
    EXPECT(has_word(words, "--cache-sim=no") && has_word(words, "--branch-sim=no"));
    EXPECT(has_word(words, "--log-file=/proc/%p/root/tmp/a%%pb/log"));
    EXPECT(has_word(words, "--cachegrind-out-file=/tmp/a%%pb/part.%p"));
    lauka_valgrind_options("/tmp/a%pb", true, true, "--trace-children-skip=/bin/su", words, text);
    EXPECT(has_word(words, "--tool=callgrind") && has_word(words, "--LL=8388608,16,64"));
    EXPECT(has_word(words, "--cache-sim=yes") && has_word(words, "--branch-sim=yes"));
    EXPECT(has_word(words, "--callgrind-out-file=/tmp/a%%pb/part.%p"));
    EXPECT(has_word(words, "--dump-before=_Fork") && has_word(words, "--dump-before=execve"));
    EXPECT(has_word(words, "--trace-children-skip=/bin/su"));
}

/* ---- Functions and lines ---- */

/* The cost of the line in the function; 0 if there is none. */
static uint64_t cost_of(const struct lauka_profile *profile, const char *name, const char *file,
                        uint64_t line)
{
    uint64_t cost = 0;
    for (size_t l = 0; l < profile->line_count; l++) {
        const struct lauka_profile_line *at = &profile->lines[l];
        if (strcmp(profile->functions[at->function].name, name) == 0 &&
            strcmp(at->file, file) == 0 && at->line == line)
            cost += at->cost.instructions;
    }
    return cost;
}

static int read_functions(const char *text, struct lauka_profile *profile)
{
    size_t size = strlen(text);
    char *copy = malloc(size + (size == 0)); /* a read beyond the end is caught */
    memcpy(copy, text, size);
    int error = lauka_valgrind_functions_read(copy, size, profile);
    free(copy);
    return error;
}

#define LINES "# callgrind format\npositions: line\nevents: Ir D1mr Bcm\n"

static void lines_of_callgrind_are_those_of_their_functions(void)
{
    struct lauka_profile profile = {0};
    EXPECT_UINT((uint64_t)read_functions(
                    LINES "ob=(1) /lib/libx.so.1\nfl=(1) a.c\nfn=(1) main\n10 5 1\n+2 7\n"
                          "fi=(2) b.h\n-3 4\nfe=(1)\n* 1\ncfn=(2) called\ncalls=2 30\n"
                          "12 900\n13 2\n\nfn=(2)\n30 800 0 3\n\nfn=(1)\n10 100\n",
                    &profile),
                0);
    EXPECT_UINT(cost_of(&profile, "main", "a.c", 10), 105);
    EXPECT_UINT(cost_of(&profile, "main", "a.c", 12), 7);
    EXPECT_UINT(cost_of(&profile, "main", "b.h", 9), 4);
    EXPECT_UINT(cost_of(&profile, "main", "a.c", 9), 1);
    EXPECT_UINT(cost_of(&profile, "main", "a.c", 13), 2);
    /* It is not the cost that its callers get. */
    EXPECT_UINT(cost_of(&profile, "called", "a.c", 30), 800);
    EXPECT_TEXT(profile.functions[0].object, "/lib/libx.so.1");
    EXPECT_UINT(profile.lines[0].cost.cycles, 5 + 10 + 100);
    EXPECT_UINT(profile.lines[profile.line_count - 1].cost.cycles, 800 + 30);
    EXPECT(!profile.damaged);
    lauka_profile_done(&profile);
}

static void lines_of_cachegrind_are_those_of_their_functions(void)
{
    struct lauka_profile profile = {0};
    EXPECT_UINT((uint64_t)read_functions(HEAD EVENTS "fl=a.c\nfn=(below main)\n3 6 1\n"
                                                     "fl=b.h\nfn=(below main)\n4 2\n"
                                                     "fl=???\nfn=???\n0 9\nsummary: 17\n",
                                         &profile),
                0);
    EXPECT_UINT(cost_of(&profile, "(below main)", "a.c", 3), 6);
    EXPECT_UINT(cost_of(&profile, "(below main)", "b.h", 4), 2);
    EXPECT_UINT(cost_of(&profile, "", "", 0), 9);
    EXPECT_UINT(profile.function_count, 2);
    lauka_profile_done(&profile);
}

static void parts_add_up_in_one_profile(void)
{
    struct lauka_profile profile = {0};
    for (int part = 0; part < 1000; part++)
        EXPECT_UINT((uint64_t)read_functions(LINES "fl=(1) a.c\nfn=(1) f\n1 2\n2 3\n", &profile),
                    0);
    EXPECT_UINT(profile.line_count, 2);
    EXPECT_UINT(cost_of(&profile, "f", "a.c", 2), 3000);
    lauka_profile_done(&profile);
}

static void what_is_no_cost_of_a_function_is_damage(void)
{
    static const char *const bad[] = {
        LINES "1 2\n",                              /* outside of any function */
        LINES "fn=(7)\n1 2\n",                      /* a name without text */
        LINES "fn=(1) f\n-1 2\n",                   /* a line before the first */
        LINES "fn=(1) f\n+x 2\n",                   /* not a line */
        LINES "fn=(1) f\n1 x\n",                    /* not a number */
        LINES "fn=(1) f\n1 1 1 1 1\n",              /* too many */
        LINES "fn=(1) f\n1 99999999999999999999\n", /* too large */
        LINES "fn=(99999999) f\n",                  /* a number that would need all memory */
        LINES "positions: instr line\n",            /* an unknown kind of position */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct lauka_profile profile = {0};
        EXPECT_UINT((uint64_t)read_functions(bad[i], &profile), EINVAL);
        EXPECT(profile.damaged);
        lauka_profile_done(&profile);
    }
}

/* Of three calls. */
static uint64_t allocations_of(const char *caller, const char *callee)
{
    char text[400];
    struct lauka_profile profile = {0};
    uint64_t sum = 0;
    snprintf(text, sizeof text,
             LINES "ob=(1) a\nfn=(1) %s\ncob=(2) b\ncfn=(2) %s\ncalls=3 30\n12 900\n", caller,
             callee);
    EXPECT_UINT((uint64_t)read_functions(text, &profile), 0);
    for (size_t l = 0; l < profile.line_count; l++)
        sum += profile.lines[l].cost.allocations;
    lauka_profile_done(&profile);
    return sum;
}

static void calls_of_allocators_are_counted_by_their_names(void)
{
    static const char *const allocators[] = {
        "malloc",
        "posix_memalign",
        "malloc@@GLIBC_2.2.5",
        "malloc'2",
        "__libc_calloc",
        "je_mallocx",
        "_rjem_realloc",
        "mi_new_aligned",
        "mi_heap_zalloc",
        "operator new[](unsigned long)",
        "_Znwm",
        "_RNvCs_7___rustc12___rust_alloc",
        "runtime.newobject",
        "runtime.growslice",
    };
    static const char *const others[] = {
        "mallocs", "alloc",         "my_malloc", "mi_",
        "je_",     "malloc calloc", "free",      "runtime.mallocgcTiny",
        "mi_heap_"};
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++) {
        EXPECT_UINT(allocations_of("f", allocators[i]), 3);
        EXPECT_UINT(allocations_of(allocators[i], "malloc"), 0); /* counted where it was called */
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        EXPECT_UINT(allocations_of("f", others[i]), 0);
    EXPECT_UINT(allocations_of("runtime.malg", "runtime.newobject"), 0);
    EXPECT_UINT(allocations_of("runtime.mcommoninit'2", "runtime.makeslice"), 0);
    EXPECT_UINT(allocations_of("runtime.makechan", "runtime.mallocgc"), 3);
}

/* ---- Client requests ---- */

struct word {
    size_t at, size;
    const char *bytes;
};

/* What is found in a file with these words, and otherwise zeros. */
static unsigned requests_of(const struct word *words, size_t count, size_t size)
{
    char path[600], *bytes = calloc(size, 1);
    snprintf(path, sizeof path, "%s/program", folder);
    for (size_t i = 0; i < count; i++)
        memcpy(bytes + words[i].at, words[i].bytes, words[i].size);
    FILE *file = fopen(path, "w");
    EXPECT(file && fwrite(bytes, 1, size, file) == size);
    fclose(file);
    free(bytes);
    unsigned found = lauka_valgrind_requests(path);
    unlink(path);
    return found;
}

#define WORD(at, text)                                                                             \
    {                                                                                              \
        at, sizeof(text) - 1, text                                                                 \
    }
#define X86_64(at) WORD(at, "\x48\xc1\xc7\x03\x48\xc1\xc7\x0d\x48\xc1\xc7\x3d\x48\xc1\xc7\x33")
#define AARCH64(at) WORD(at, "\x8c\x0d\xcc\x93\x8c\x35\xcc\x93\x8c\xcd\xcc\x93\x8c\xf5\xcc\x93")

/* The same number stands in the symbols of large programs by chance. */
static void what_is_not_executed_asks_for_nothing(void)
{
    enum { SIZE = 4096, CODE = 1024, CODE_SIZE = 1024 };
    uint64_t header[8 + 7] = {0}; /* Elf64_Ehdr and an Elf64_Phdr */
    const uint16_t one = 1;
    memcpy(header, "\177ELF\2", 5);
    ((char *)header)[5] = *(const char *)&one == 1 ? 1 : 2;
    header[4] = sizeof(uint64_t[8]); /* e_phoff */
    const uint16_t entries[] = {64, 56, 1};
    memcpy((char *)header + 52, entries, sizeof entries); /* e_ehsize, e_phentsize, e_phnum */
    const uint32_t kind[] = {1, 5};                       /* PT_LOAD; PF_R | PF_X */
    memcpy(&header[8], kind, sizeof kind);
    header[9] = CODE;
    header[12] = CODE_SIZE;
    for (size_t at = CODE - 8; at < SIZE; at += 700) {
        const struct word words[] = {
            {0, sizeof header, (const char *)header}, X86_64(CODE + 20), WORD(at, "\x01\0TC")};
        EXPECT_UINT(requests_of(words, 3, SIZE),
                    at >= CODE && at + 4 <= CODE + CODE_SIZE ? LAUKA_VALGRIND_ASKS_CALLGRIND : 0);
    }
}

static void who_can_steer_a_tool_is_known_by_its_file(void)
{
    const struct {
        struct word words[2];
        unsigned found;
    } files[] = {
        {{X86_64(100), WORD(200, "\x01\0TC")}, LAUKA_VALGRIND_ASKS_CALLGRIND},
        {{WORD(99, "\x02\0TC"), X86_64(65530)}, LAUKA_VALGRIND_ASKS_CALLGRIND},
        {{X86_64(131064), WORD(65534, "\x05\0TC")}, LAUKA_VALGRIND_ASKS_CALLGRIND},
        {{X86_64(3), WORD(199996, "\x01\0GC")}, LAUKA_VALGRIND_ASKS_CACHEGRIND},
        /* movz w0, #4; movk w0, #0x4354, lsl #16; and movk x19, #0x4347, lsl #16 */
        {{AARCH64(64), WORD(128, "\x80\0\x80\x52\x80\x6a\xa8\x72")}, LAUKA_VALGRIND_ASKS_CALLGRIND},
        {{AARCH64(64), WORD(128, "\xf3\x68\xa8\xf2")}, LAUKA_VALGRIND_ASKS_CACHEGRIND},
        {{X86_64(64), WORD(128, "\xf3\x68\xa8\xf2")}, 0}, /* no instruction there */
        {{X86_64(100), WORD(200, "\x00\0TC")}, 0}, /* it has files written, which is no harm */
        {{X86_64(100), WORD(200, "\x01\x01TC")}, 0},
        {{X86_64(100), WORD(200, "\x02\0CM")}, 0}, /* memcheck's */
        {{WORD(100, "\x48\xc1\xc7\x03"), WORD(200, "\x01\0TC")}, 0},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        EXPECT_UINT(requests_of(files[i].words, 2, 200000), files[i].found);
    const struct word both[] = {X86_64(10), WORD(50, "\x01\0TC"), WORD(60, "\x01\0GC")};
    EXPECT_UINT(requests_of(both, 3, 64),
                LAUKA_VALGRIND_ASKS_CALLGRIND | LAUKA_VALGRIND_ASKS_CACHEGRIND);
    EXPECT_UINT(lauka_valgrind_requests(folder), 0);
    EXPECT_UINT(lauka_valgrind_requests("/no/such"), 0);
    EXPECT_UINT(lauka_valgrind_requests("???"), 0);
}

int main(void)
{
    TEST(a_file_of_cachegrind_is_read);
    TEST(events_are_known_by_name_in_any_order);
    TEST(a_command_line_that_looks_like_figures_is_none);
    TEST(instructions_may_stand_alone);
    TEST(what_is_incomplete_is_refused);
    TEST(every_beginning_of_a_file_is_refused);
    TEST(a_file_of_callgrind_is_read);
    TEST(why_it_was_written_is_read);
    TEST(what_is_none_of_callgrinds_is_refused);
    TEST(mutations_do_no_harm);
    if (!mkdtemp(folder))
        return 1;
    TEST(a_program_alone_is_whole);
    TEST(cachegrind_follows_nobody);
    TEST(what_was_done_before_an_execution_counts);
    TEST(what_was_done_before_a_fork_counts_once);
    TEST(a_fork_that_is_not_seen_leaves_a_gap);
    TEST(one_fork_has_one_child);
    TEST(an_execution_that_is_not_seen_leaves_a_gap);
    TEST(who_is_killed_leaves_a_gap);
    TEST(what_is_missing_or_damaged_leaves_a_gap);
    TEST(a_beginning_is_heard_amid_other_words);
    TEST(a_run_without_counts_is_told);
    TEST(what_is_not_executed_asks_for_nothing);
    TEST(who_can_steer_a_tool_is_known_by_its_file);
    TEST(nothing_is_left_behind);
    TEST(tunables_are_added_to_what_is_set);
    TEST(the_caches_are_fixed_and_percent_signs_doubled);
    TEST(lines_of_callgrind_are_those_of_their_functions);
    TEST(lines_of_cachegrind_are_those_of_their_functions);
    TEST(parts_add_up_in_one_profile);
    TEST(what_is_no_cost_of_a_function_is_damage);
    TEST(calls_of_allocators_are_counted_by_their_names);
    return expect_report("valgrind");
}
