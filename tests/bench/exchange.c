/* What a question and its answer cost beyond the time that the answer tells, as lauka asks programs with lauka_bench.h:
 * rounds that do nothing, asked of one program, with both wherever the system runs them, on one CPU, and on two; and
 * rounds of a millisecond, asked of two programs in turns, as a suite does. And what a pass of an empty loop takes. */
#include "include/lauka_bench.h"
#include "pmu/counters/counters.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/suite/suite.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 20000, EMPTY_PASSES = 10000000 };

static void empty(struct lauka_bench_state *state)
{
    LAUKA_BENCH_LOOP(state)
    {
    }
}

static const struct lauka_bench benches[] = {{"empty", empty}};

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static bool ask(struct lauka_process *process, uint64_t passes, struct lauka_inner_answer *answer)
{
    const struct lauka_inner_request request = {.name = "empty", .iterations = passes};

    if (lauka_native_run(process, &request, 1, lauka_now_ns() + UINT64_C(10000000000), answer))
        return true;
    printf("it %s\n", process->why);
    return false;
}

struct scene {
    const char *name;
    struct lauka_cpu_set own, others; /* where lauka and the programs run; empty: anywhere */
    size_t programs, rounds;
    uint64_t passes; /* of a round */
};

static void go_to(const struct lauka_cpu_set *cpus)
{
    if (lauka_cpu_set_count(cpus) > 0)
        lauka_affinity_set(0, cpus);
}

static bool start(const struct scene *scene, const struct lauka_command *command,
                  struct lauka_launcher *launcher, struct lauka_process *processes)
{
    for (size_t i = 0; i < scene->programs; i++)
        if (!lauka_native_start(&processes[i], launcher, command, NULL,
                                lauka_now_ns() + UINT64_C(10000000000))) {
            printf("it %s\n", processes[i].why);
            return false;
        }
    return true;
}

/* Two are asked in the order 0 1 1 0 0 ... */
static bool converse(const struct scene *scene, struct lauka_process *processes, double *times_us)
{
    struct lauka_inner_answer answer;

    for (size_t i = 0; i < scene->rounds; i++) {
        uint64_t begun_ns = lauka_now_ns();
        if (!ask(&processes[(i + 1) / 2 % scene->programs], scene->passes, &answer))
            return false;
        times_us[i] = ((double)(lauka_now_ns() - begun_ns) - answer.wall_ns) / 1e3;
    }
    return true;
}

static void end(const struct scene *scene, struct lauka_process *processes)
{
    for (size_t i = 0; i < scene->programs; i++) {
        lauka_process_say(&processes[i], "bye\n");
        lauka_process_end(&processes[i], lauka_now_ns() + UINT64_C(1000000000));
        lauka_process_done(&processes[i]);
    }
}

/* What is started inherits the CPUs. Returns what a pass took in ns. */
static double show(const struct scene *scene, const struct lauka_command *command)
{
    static double times_us[ROUNDS];
    struct lauka_process processes[2];
    struct lauka_inner_answer answer = {0};
    struct lauka_cpu_set before;
    struct lauka_launcher *launcher;
    struct lauka_error error;

    lauka_affinity_get(0, &before);
    go_to(&scene->others);
    if (!lauka_launcher_open(NULL, &launcher, &error))
        exit(1);
    if (!start(scene, command, launcher, processes))
        exit(1);
    go_to(&scene->own);
    if (!converse(scene, processes, times_us) || !ask(&processes[0], EMPTY_PASSES, &answer))
        exit(1);
    qsort(times_us, scene->rounds, sizeof *times_us, compare);
    printf("| %s | %.1f | %.1f | %.1f |\n", scene->name, times_us[scene->rounds / 10],
           times_us[scene->rounds / 2], times_us[scene->rounds / 10 * 9]);
    end(scene, processes);
    lauka_launcher_close(launcher);
    lauka_affinity_set(0, &before);
    return answer.wall_ns / (double)EMPTY_PASSES;
}

int main(int count, char **words)
{
    struct lauka_arena arena = {0};
    struct lauka_command command;
    struct lauka_error error;
    const struct lauka_cpu_set first = {{1}}, second = {{2}}, any = {{0}};
    const struct scene scenes[] = {{"on one CPU", first, first, 1, ROUNDS, 1},
                                   {"on two", first, second, 1, ROUNDS, 1},
                                   {"anywhere", any, any, 1, ROUNDS, 1}};
    double pass_ns = 1;

    (void)count;
    if (getenv("LAUKA_BENCH_FDS"))
        return lauka_bench_main(benches, 1);
    lauka_interrupt_install();
    if (!lauka_command_from_argv(&arena, words, 1, &command, &error) ||
        !lauka_command_locate(&command, &error))
        return 1;
    printf("| a round of lauka-bench/1, us (goal: median 20) | 10 %% | median | 90 %% |\n"
           "|:--|--:|--:|--:|\n");
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        pass_ns = show(&scenes[i], &command);
    show(&(struct scene){"two programs in turns, rounds of 1 ms", any, any, 2, ROUNDS / 10,
                         (uint64_t)(1e6 / pass_ns)},
         &command);
    printf("\nA pass of an empty loop: %.2f ns, goal 2\n\n", pass_ns);
    lauka_arena_done(&arena);
    return 0;
}
