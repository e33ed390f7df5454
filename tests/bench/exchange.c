/* What a question and its answer cost: rounds of lauka-bench/1 that do nothing, as lauka asks a program
 * with lauka_bench.h for them, with both wherever the system runs them, on one CPU, and on two; and what a
 * pass of an empty loop measures. */
#include "include/lauka_bench.h"
#include "pmu/counters/counters.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/suite/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    char why[300];

    if (lauka_native_run(process, &request, 1, lauka_now_ns() + UINT64_C(10000000000), answer, why,
                         sizeof why))
        return true;
    printf("it %s\n", why);
    return false;
}

/* Where lauka and the program run; NULL: anywhere. */
static void show(const struct lauka_command *command, const char *where,
                 const struct lauka_cpu_set *own, const struct lauka_cpu_set *others)
{
    static double times_us[ROUNDS];
    struct lauka_process process;
    struct lauka_inner_answer answer;
    struct lauka_cpu_set before;
    struct lauka_launcher *launcher;
    struct lauka_error error;
    char why[300];

    lauka_affinity_get(0, &before);
    if (others)
        lauka_affinity_set(0, others); /* what is started inherits it */
    if (!lauka_launcher_open(NULL, &launcher, &error))
        return;
    if (!lauka_native_start(&process, launcher, command, NULL,
                            lauka_now_ns() + UINT64_C(10000000000), why, sizeof why))
        printf("it %s\n", why);
    if (own)
        lauka_affinity_set(0, own);
    for (size_t i = 0; i < ROUNDS; i++) {
        uint64_t begun_ns = lauka_now_ns();
        if (!ask(&process, 1, &answer))
            return;
        times_us[i] = ((double)(lauka_now_ns() - begun_ns) - answer.wall_ns) / 1e3;
    }
    qsort(times_us, ROUNDS, sizeof *times_us, compare);
    printf("| %s | %.1f | %.1f | %.1f |\n", where, times_us[ROUNDS / 10], times_us[ROUNDS / 2],
           times_us[ROUNDS / 10 * 9]);
    if (!own && ask(&process, EMPTY_PASSES, &answer))
        printf("\nA pass of an empty loop: %.2f ns, goal 2\n\n",
               answer.wall_ns / (double)EMPTY_PASSES);
    lauka_process_say(&process, "bye\n");
    lauka_process_end(&process, lauka_now_ns() + UINT64_C(1000000000));
    lauka_process_done(&process);
    lauka_launcher_close(launcher);
    lauka_affinity_set(0, &before);
}

int main(int count, char **words)
{
    struct lauka_command command = {0};
    struct lauka_error error;
    struct lauka_cpu_set first = {{1}}, second = {{2}};

    (void)count;
    if (getenv("LAUKA_BENCH_FDS"))
        return lauka_bench_main(benches, 1);
    lauka_interrupt_install();
    if (!lauka_command_from_argv(words, 1, &command, &error) ||
        !lauka_command_locate(&command, &error))
        return 1;
    printf("| a round of lauka-bench/1, us (goal: median 20) | 10 %% | median | 90 %% |\n"
           "|:--|--:|--:|--:|\n");
    show(&command, "on one CPU", &first, &first);
    show(&command, "on two", &first, &second);
    show(&command, "anywhere", NULL, NULL);
    lauka_command_done(&command);
    return 0;
}
