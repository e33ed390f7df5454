/* How close lauka comes to the least cost of starting a program: its runs per second and the wall time
 * that it reports, compared with a bare loop of vfork, exec and wait4 that takes the same two stamps. A second
 * loop also does what any tool that runs other people's programs must do.
 *
 *     runs LAUKA EMPTY    LAUKA: the program; EMPTY: a static program that does nothing
 *
 * Loops, lauka and the peers take turns; it shows medians and quartiles of the ratios within a turn. All use one
 * CPU, except those that say otherwise, which are compared with a loop that may use any. Sessions of RUNS and of FEW
 * separate the cost of a further run from the cost of a session. Results are in memory if there is /dev/shm: the
 * time a disk needs to make one durable belongs to the disk.
 * Peers are found along PATH, or named by the environment: LAUKA_BENCH_HYPERFINE,
 * LAUKA_BENCH_POOP, LAUKA_BENCH_PERF. */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu/counters/counters.h"
#include "report/analysis/analysis.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"
#include "runner/launch/process.h"
#include "stats/stats.h"

enum { TURNS = 15, RUNS = 2000, FEW = 200, BALLAST = 1 << 30 };
static const double runs = RUNS, few_runs = FEW;

/* They let lauka skip its clocks; one read(2) reads all. */
#define FIVE_EVENTS "task-clock,page-faults,cpu-clock,emulation-faults,alignment-faults"

/* Where a program may run: on the CPU that we are on, or on all that we were allowed. */
static struct lauka_cpu_set one_cpu, all_cpus;

static const char *lauka, *empty;
static volatile uint64_t *started_ns; /* shared with children until they exec */

static void demand(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "runs: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- programs ----------------------------------------------------------------------------------- */

static void be_silent(void)
{
    int nowhere = open("/dev/null", O_RDWR);

    for (int descriptor = 0; descriptor <= 2; descriptor++)
        dup2(nowhere, descriptor);
}

/* What anybody who runs other people's commands must also do, in the child: a process group that can be
 * ended as a whole, an end with the parent's, none of the parent's descriptors, and what the child itself has used
 * before it becomes the command. The command finds what it reads and writes in the parent's 0 ... 2. As lauka does, it
 * waits for the end at once, and not for exec. */
struct guard {
    int errors;                      /* where the command's stderr can be read */
    struct lauka_counters *counters; /* NULL, or of events that the child inherits */
    char *const *argv;
    struct rusage before;
};

static int guarded_child(void *argument)
{
    struct guard *guard = argument;

    syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_UNSHARE);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    getrusage(RUSAGE_SELF, &guard->before);
    *started_ns = lauka_now_ns();
    execv(guard->argv[0], guard->argv);
    _exit(127);
}

static pid_t start_guarded(struct guard *guard)
{
    static char stack[65536] __attribute__((aligned(64)));

    return clone(guarded_child, stack + sizeof stack, CLONE_VM | CLONE_FILES | SIGCHLD, guard);
}

/* And after it: what was counted, and was anything left behind, or written to stderr? */
static void guard_end(const struct guard *guard)
{
    static struct lauka_reading readings[LAUKA_COUNTERS_MAX];
    int waiting = 0;

    if (guard->counters)
        lauka_counters_collect(guard->counters, readings);
    demand(waitpid(-1, NULL, WNOHANG) <= 0, "a stray child");
    demand(ioctl(guard->errors, FIONREAD, &waiting) == 0 && waiting == 0, "stderr");
}

static pid_t start_bare(char *const *argv)
{
    pid_t child = vfork();

    if (child == 0) {
        *started_ns = lauka_now_ns();
        execv(argv[0], argv);
        _exit(127);
    }
    return child;
}

/* Runs a program once; returns its wall time in ns, from its last act before exec to the reap. guard:
 * NULL, or what else is done. */
static uint64_t run_once(char *const *argv, struct guard *guard)
{
    int status = 0;
    struct rusage usage;
    pid_t child = guard ? start_guarded(guard) : start_bare(argv);

    demand(child > 0 && wait4(child, &status, 0, &usage) == child, argv[0]);
    uint64_t ended = lauka_now_ns();
    if (guard)
        guard_end(guard);
    errno = 0;
    demand(WIFEXITED(status) && WEXITSTATUS(status) != 127, argv[0]);
    return ended - *started_ns;
}

/* The same for a program along PATH, with its output discarded. */
static uint64_t run_silently(char *const *argv, bool anywhere)
{
    int status = 0;
    uint64_t begin = lauka_now_ns();
    pid_t child = fork();

    if (child == 0) {
        be_silent();
        if (chdir("/") != 0) /* where there is no repository, git is not asked */
            _exit(127);
        if (anywhere)
            lauka_affinity_set(0, &all_cpus);
        execvp(argv[0], argv);
        _exit(127);
    }
    demand(child > 0 && waitpid(child, &status, 0) == child, argv[0]);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? lauka_now_ns() - begin : 0;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_size);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* "0.95 [0.93, 0.97]": with the quartiles. */
static void print_ratio(const char *what, double *values, size_t count)
{
    if (count == 0)
        return;
    double middle = median(values, count);
    printf("%s%.3f [%.3f, %.3f]", what, middle, values[count / 4], values[(3 * count - 1) / 4]);
}

/* ---- the contenders ----------------------------------------------------------------------------- */

struct figures { /* of one turn */
    double rate; /* runs per second, start and report of the program included */
    double wall; /* ns, the median of what it says a run took; 0: not known */
};

static struct figures loop_of(struct guard *guard)
{
    static double walls[RUNS];
    char *const argv[] = {(char *)(uintptr_t)empty, NULL};
    if (guard)
        guard->argv = argv;
    uint64_t begin = lauka_now_ns();

    for (size_t i = 0; i < RUNS; i++)
        walls[i] = (double)run_once(argv, guard);
    double seconds = (double)(lauka_now_ns() - begin) / 1e9;
    return (struct figures){runs / seconds, median(walls, RUNS)};
}

static struct figures bare_loop(void)
{
    return loop_of(NULL);
}

/* Opened once, in this process. */
static struct lauka_counters *open_events(const char *names)
{
    static struct lauka_event_list list;
    static struct lauka_counters counters;
    char text[500];

    demand(lauka_event_list_add(&list, names, LAUKA_SYSFS, text, sizeof text), names);
    lauka_counters_open(&counters, list.events, list.count);
    lauka_counters_spare(&counters);
    lauka_counters_batch_begin(&counters);
    lauka_counters_batch_run(&counters);
    return &counters;
}

/* Our 0 ... 2 become the commands'; `own` keeps what they were. */
static void lend_standard(int own[3], const int theirs[3])
{
    for (int i = 0; i < 3; i++) {
        own[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
        dup2(theirs[i], i);
    }
}

static void take_standard_back(const int own[3])
{
    for (int i = 0; i < 3; i++) {
        dup2(own[i], i);
        close(own[i]);
    }
}

/* events: NULL, or what is counted in each run. */
static struct figures guarded_loop(const char *events)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), errors[2], own[3];

    demand(null >= 0 && pipe(errors) == 0, "files");
    struct guard guard = {.errors = errors[0], .counters = events ? open_events(events) : NULL};
    lend_standard(own, (int[]){null, null, errors[1]});
    struct figures figures = loop_of(&guard);
    take_standard_back(own);
    if (guard.counters)
        lauka_counters_close(guard.counters);
    close(null);
    close(errors[0]);
    close(errors[1]);
    return figures;
}

/* The median wall time of a result's first command; 0 if there is none. */
static double median_wall(const char *path)
{
    static char bytes[1 << 20];
    struct lauka_result result = {0};
    struct lauka_load_error error;
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    const struct lauka_stored stored = {.name = path, .bytes = bytes, .size = size};
    double wall = 0;

    if (file)
        fclose(file);
    if (size > 0 && lauka_load(&stored, &result, &error) == 0 &&
        lauka_result_analyse(&result) == 0) {
        size_t m = lauka_result_metric_index(&result, "wall_time");
        const struct lauka_summary *summary = lauka_result_summary(&result, 0, m);
        if (summary)
            wall = (double)summary->median / lauka_result_unit(&result.metrics[m]) *
                   (result.metrics[m].decimals ? 1e9 : 1);
        lauka_result_done(&result);
    }
    return wall;
}

struct contender {
    const char *name, *goal;
    const char *variable, *fallback; /* where a peer is found; NULL: lauka itself */
    const char *words[16]; /* %: the empty program; @: the result file; #: how many runs */
    bool anywhere;         /* it may be on any CPU */
    bool found;
    double rates[TURNS], walls[TURNS]; /* relative to the loop of the turn */
    size_t wall_count;
    double rate[TURNS];
    double extra_us
        [TURNS]; /* that a run takes beside the loop's, start and end of the program included */
    double marginal[TURNS];    /* the loop's time for a run, of what one more takes */
    double marginal_us[TURNS]; /* that one more takes beside the loop's */
    double fixed_ms[TURNS];    /* of a session, whatever is run */
};

static struct contender contenders[] = {
    {.name = "lauka",
     .goal = "(goals: at least 0.93, at most 1.02)",
     .words = {"-r", "#", "-q", "--json=@", "%"}},
    {.name = "lauka, no perf events",
     .goal = "(goals: at least 0.95, at most 1.02)",
     .words = {"-r", "#", "-q", "-e", "none", "--json=@", "%"}},
    {.name = "lauka, no perf events, on any CPU",
     .goal = "(goals: at least 0.92, at most 1.02)",
     .anywhere = true,
     .words = {"-r", "#", "-q", "-e", "none", "--json=@", "%"}},
    {.name = "lauka, 5 software events",
     .goal = "(goals: at least 0.80, at most 1.02)",
     .words = {"-r", "#", "-q", "-e", FIVE_EVENTS, "--json=@", "%"}},
    {.name = "hyperfine",
     .goal = "",
     .variable = "LAUKA_BENCH_HYPERFINE",
     .fallback = "hyperfine",
     .words = {"-N", "-r", "#", "--style=none", "--export-json", "@", "%"}},
    {.name = "poop",
     .goal = "",
     .variable = "LAUKA_BENCH_POOP",
     .fallback = "poop",
     .words = {"-d", "1000", "%"}},
    {.name = "perf stat",
     .goal = "",
     .variable = "LAUKA_BENCH_PERF",
     .fallback = "perf",
     .words = {"stat", "-r", "#", "%"}},
};

enum { CONTENDERS = sizeof contenders / sizeof *contenders };

/* A session of so many runs. */
static struct figures compete(const struct contender *contender, int count)
{
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    char option[64], *path = option + strlen("--json=");
    const char *given = contender->variable ? getenv(contender->variable) : lauka;
    char *argv[18] = {(char *)(uintptr_t)(given ? given : contender->fallback)};
    struct figures figures = {0};
    char number[16];

    snprintf(number, sizeof number, "%d", count);
    snprintf(option, sizeof option, "--json=%s/lauka-bench-runs.json", folder);
    if (!argv[0])
        return figures;
    for (size_t i = 0; contender->words[i]; i++) {
        const char *word = contender->words[i];
        argv[i + 1] = strcmp(word, "%") == 0          ? (char *)(uintptr_t)empty
                      : strcmp(word, "@") == 0        ? path
                      : strcmp(word, "#") == 0        ? number
                      : strcmp(word, "--json=@") == 0 ? option
                                                      : (char *)(uintptr_t)word;
    }
    uint64_t ns = run_silently(argv, contender->anywhere);
    if (ns > 0) {
        figures.rate = count / ((double)ns / 1e9);
        figures.wall = median_wall(path);
    }
    unlink(path);
    return figures;
}

static bool has_count(const struct contender *contender)
{
    for (size_t i = 0; contender->words[i]; i++)
        if (strcmp(contender->words[i], "#") == 0)
            return true;
    return false;
}

/* The least that lauka can reach. */
static struct guarded {
    const char *name, *events;
    bool anywhere;
    double rates[TURNS], walls[TURNS], extra_us[TURNS]; /* relative to the bare loop */
} guarded[] = {
    {.name = "guarded loop"},
    {.name = "guarded loop, on any CPU", .anywhere = true},
    {.name = "guarded loop, 5 software events", .events = FIVE_EVENTS},
};

enum { GUARDED = sizeof guarded / sizeof *guarded };

static void note_guarded(struct guarded *row, size_t turn, const struct figures *loop)
{
    if (row->anywhere)
        lauka_affinity_set(0, &all_cpus);
    struct figures figures = guarded_loop(row->events);
    lauka_affinity_set(0, &one_cpu);

    row->rates[turn] = figures.rate / loop->rate;
    row->walls[turn] = figures.wall / loop->wall;
    row->extra_us[turn] = 1e6 / figures.rate - 1e6 / loop->rate;
}

static void print_guarded(struct guarded *row)
{
    printf("runs: %-33s", row->name);
    print_ratio(" of the bare loop's ", row->rates, TURNS);
    print_ratio("; wall time ", row->walls, TURNS);
    printf("; %+.1f us a run\n", median(row->extra_us, TURNS));
}

static void note_turn(struct contender *contender, size_t turn, const struct figures *loop)
{
    struct figures figures = compete(contender, RUNS);

    contender->found = figures.rate > 0;
    if (!contender->found)
        return;
    contender->rate[turn] = figures.rate;
    contender->rates[turn] = figures.rate / loop->rate;
    contender->extra_us[turn] = 1e6 / figures.rate - 1e6 / loop->rate;
    if (figures.wall > 0)
        contender->walls[contender->wall_count++] = figures.wall / loop->wall;
    if (!has_count(contender))
        return;
    struct figures few = compete(contender, FEW);
    double further_us = (1e6 * runs / figures.rate - 1e6 * few_runs / few.rate) / (runs - few_runs);
    contender->marginal[turn] = 1e6 / loop->rate / further_us;
    contender->marginal_us[turn] = further_us - 1e6 / loop->rate;
    contender->fixed_ms[turn] = 1e3 * few_runs / few.rate - few_runs * further_us / 1e3;
}

static void take_turn(size_t turn)
{
    struct figures here = bare_loop();
    lauka_affinity_set(0, &all_cpus);
    struct figures anywhere = bare_loop();
    lauka_affinity_set(0, &one_cpu);

    for (size_t i = 0; i < GUARDED; i++)
        note_guarded(&guarded[i], turn, guarded[i].anywhere ? &anywhere : &here);
    for (size_t i = 0; i < CONTENDERS; i++) {
        struct contender *contender = &contenders[(i + turn) % CONTENDERS];
        note_turn(contender, turn, contender->anywhere ? &anywhere : &here);
    }
}

static void print_contender(struct contender *contender)
{
    if (!contender->found) {
        printf("runs: %-33s not found (%s names it)\n", contender->name,
               contender->variable ? contender->variable : "the first argument");
        return;
    }
    printf("runs: %-33s %6.0f runs/s", contender->name, median(contender->rate, TURNS));
    print_ratio(", of the bare loop's ", contender->rates, TURNS);
    print_ratio("; wall time, of the loop's ", contender->walls, contender->wall_count);
    printf(" %s\n", contender->goal);
    printf("runs: %-33s %+.1f us a run", "", median(contender->extra_us, TURNS));
    if (has_count(contender)) {
        print_ratio("; without the session's own ", contender->marginal, TURNS);
        printf(", %+.1f us, and %.2f ms for the session", median(contender->marginal_us, TURNS),
               median(contender->fixed_ms, TURNS));
    }
    putchar('\n');
}

/* ---- lauka's own memory, and its start ------------------------------------------------------------ */

static double launcher_rate(struct lauka_launcher *launcher)
{
    struct lauka_sample sample;
    struct lauka_error error;
    uint64_t begin = lauka_now_ns();

    for (int i = 0; i < RUNS; i++)
        demand(lauka_launcher_run(launcher, 0, &sample, &error), "launcher");
    return runs / ((double)(lauka_now_ns() - begin) / 1e9);
}

/* While this process has a gigabyte more. */
static double heavy_rate(struct lauka_launcher *launcher)
{
    char *ballast = mmap(NULL, BALLAST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);

    demand(ballast != MAP_FAILED, "1 GB of memory");
    memset(ballast, 1, BALLAST);
    double rate = launcher_rate(launcher);
    munmap(ballast, BALLAST);
    return rate;
}

/* The same launcher with and without that, in either order by turns. It is opened here, as each of its
 * descriptors would have to be closed by every run of the loops. */
static void bench_ballast(const struct lauka_command *command)
{
    double ratios[TURNS];
    struct lauka_launcher *launcher;
    struct lauka_error error;

    demand(lauka_launcher_open(NULL, &launcher, &error) &&
               lauka_launcher_add(launcher, command, &error),
           "launcher");
    for (size_t turn = 0; turn < TURNS; turn++) {
        const bool heavy_first = turn % 2;
        double first = heavy_first ? heavy_rate(launcher) : launcher_rate(launcher);
        double second = heavy_first ? launcher_rate(launcher) : heavy_rate(launcher);
        ratios[turn] = heavy_first ? second / first : first / second;
    }
    printf("runs: a run beside 1 GB of lauka's own takes %.3f times as long (goal: at most 1.05)\n",
           median(ratios, TURNS));
    lauka_launcher_close(launcher);
}

static double median_ms(char *const *argv)
{
    enum { TIMES = 100 };
    double ms[TIMES];

    for (size_t i = 0; i < TIMES; i++)
        ms[i] = (double)run_silently(argv, false) / 1e6;
    return median(ms, TIMES);
}

static void bench_start(void)
{
    char *program = (char *)(uintptr_t)lauka, *command = (char *)(uintptr_t)empty;
    char version[] = "--version", none[] = "-w0", one[] = "-r1";
    char *const version_argv[] = {program, version, NULL};
    char *const session_argv[] = {program, none, one, command, NULL};
    char *const empty_argv[] = {command, NULL};

    double floor = median_ms(empty_argv);
    printf("runs: the empty program, forked, executed and reaped: %.2f ms\n", floor);
    printf("runs: lauka --version: %.2f ms (goal: less than 0.5 ms)\n", median_ms(version_argv));
    printf("runs: a whole session of one run: %.2f ms (goal: less than 2 ms)\n",
           median_ms(session_argv));
}

/* ---- all of it ------------------------------------------------------------------------------------ */

/* Moves to the last CPU that we may use; if that is impossible, all compete for all CPUs. */
static void stay_on_one_cpu(void)
{
    if (lauka_affinity_get(0, &all_cpus) != 0)
        return;
    for (unsigned cpu = 0; cpu < LAUKA_CPUS_MAX; cpu++)
        if (lauka_cpu_set_has(&all_cpus, cpu)) {
            one_cpu = (struct lauka_cpu_set){0};
            lauka_cpu_set_add(&one_cpu, cpu);
        }
    lauka_affinity_set(0, &one_cpu);
}

int main(int argc, char **argv)
{
    struct lauka_arena arena = {0};
    struct lauka_command command;
    struct lauka_error error;

    if (argc != 3) {
        fputs("usage: runs LAUKA EMPTY\n", stderr);
        return 2;
    }
    lauka = realpath(argv[1], NULL);
    empty = realpath(argv[2], NULL);
    demand(lauka && empty, "programs");
    stay_on_one_cpu();
    started_ns =
        mmap(NULL, sizeof *started_ns, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
    demand(started_ns != MAP_FAILED &&
               lauka_command_from_argv(&arena, &argv[2], 1, &command, &error) &&
               lauka_command_locate(&command, &error),
           empty);
    for (size_t turn = 0; turn < TURNS; turn++)
        take_turn(turn);
    for (size_t i = 0; i < GUARDED; i++)
        print_guarded(&guarded[i]);
    for (size_t i = 0; i < CONTENDERS; i++)
        print_contender(&contenders[i]);
    bench_ballast(&command);
    bench_start();
    lauka_arena_done(&arena);
    return 0;
}
