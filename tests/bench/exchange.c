/* What a question and its answer cost beside what is measured: lauka's own executor asks two processes of a program
 * with lauka_bench.h in turn for rounds of a millisecond, with all three wherever the system has them, and with lauka on
 * the benchmark's CPU, a unit of each in turn. What is measured is compared, too. And what a pass of an empty loop
 * measures. */
#include "include/lauka_bench.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "runner/session/session.h"
#include "runner/suite/suite.h"
#include "runner/suite/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS = 150, ROUNDS = 10, VALUES = UNITS * ROUNDS * LAUKA_SIDES };

static void empty(struct lauka_bench_state *state)
{
    LAUKA_BENCH_LOOP(state)
    {
    }
}

static const struct lauka_bench benches[] = {{"empty", empty}};

struct taken { /* of all rounds of one way */
    double exchange_us[VALUES], wall_us[VALUES], cpu_us[VALUES];
    size_t count, shared;
};
static struct taken apart, together;

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

/* The question, and what lauka does around it. */
static bool ask(struct lauka_executor *executor, size_t side, struct taken *taken)
{
    struct lauka_inner_answer answer;
    uint64_t begun_ns = lauka_now_ns();

    if (!lauka_unit_ask(executor, side, 1, &answer))
        return false;
    double gone_ns = (double)(lauka_now_ns() - begun_ns);
    if (!taken)
        return true;
    taken->exchange_us[taken->count] = (gone_ns - answer.wall_ns) / 1e3;
    taken->wall_us[taken->count] = answer.wall_ns / 1e3;
    taken->cpu_us[taken->count++] = answer.cpu_ns / 1e3;
    return true;
}

/* As run_spoken_unit of the executor. shares: as it does today. */
static bool run_unit(struct lauka_executor *executor, bool shares, struct taken *taken,
                     struct lauka_error *error)
{
    struct lauka_suite_unit *unit = executor->own;
    bool good = true;

    for (size_t i = 0; i < LAUKA_SIDES && good; i++)
        good = lauka_unit_start(executor, i, error);
    for (size_t i = 0; i < LAUKA_SIDES && good; i++)
        good = ask(executor, i, NULL);
    if (good && shares)
        lauka_unit_share(executor);
    taken->shared += unit->sharing.on;
    for (size_t i = 0; i < ROUNDS * LAUKA_SIDES && good; i++)
        good = ask(executor, i % LAUKA_SIDES, taken);
    for (size_t i = 0; i < LAUKA_SIDES; i++)
        lauka_process_say(&unit->sides[i].process, "bye\n");
    good = lauka_unit_conclude(executor, good, error) && good;
    lauka_unit_forget(unit);
    return good;
}

static void sort(double values[VALUES])
{
    qsort(values, VALUES, sizeof *values, compare);
}

static void show(const char *way, struct taken *taken)
{
    const size_t low = VALUES / 10, middle = VALUES / 2, high = VALUES / 10 * 9;
    const double *wall = taken->wall_us, *cpu = taken->cpu_us;

    sort(taken->exchange_us);
    sort(taken->wall_us);
    sort(taken->cpu_us);
    printf("| %s | %zu of %d | %.1f | %.1f | %.1f | %.1f | %.2f | %.1f | %.2f |\n", way,
           taken->shared, UNITS, taken->exchange_us[low], taken->exchange_us[middle],
           taken->exchange_us[high], wall[middle],
           100 * (wall[VALUES / 4 * 3] - wall[VALUES / 4]) / wall[middle], cpu[middle],
           100 * (cpu[VALUES / 4 * 3] - cpu[VALUES / 4]) / cpu[middle]);
}

static void measure(struct lauka_executor *executor, struct lauka_error *error)
{
    bool good = lauka_suited.open(executor, error) && lauka_suited.count(executor, NULL, 0, error);

    for (size_t u = 0; u < UNITS && good; u++)
        good = run_unit(executor, u % 2 == 0, u % 2 == 0 ? &together : &apart, error) &&
               run_unit(executor, u % 2 == 1, u % 2 == 1 ? &together : &apart, error);
    if (!good) {
        printf("%s%s\n", executor->failure.reason, error->text);
        return;
    }
    const struct lauka_suite_unit *unit = executor->own;
    printf(
        "| lauka and the program | units | exchange, us: 10 %% | median (goal 20) | 90 %% | wall "
        "time, us | half of them within %% | CPU time, us | %% |\n"
        "|:--|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    show("wherever the system has them", &apart);
    show("on one CPU", &together);
    printf("\nA pass of an empty loop: %.2f ns, goal 2\n",
           apart.wall_us[VALUES / 2] * 1e3 / (double)unit->request.iterations);
}

int main(int count, char **words)
{
    struct lauka_benchmark benchmark = {.name = (char *)(uintptr_t) "empty"};
    struct lauka_command commands[LAUKA_SIDES] = {{0}, {0}};
    struct lauka_options options = {.commands = commands,
                                    .command_count = LAUKA_SIDES,
                                    .benchmarks = &benchmark,
                                    .benchmark_count = 1};
    struct lauka_whole whole = {.on = false};
    struct lauka_counting counting = {.open = false};
    struct lauka_suite suite = {
        .adapter = lauka_adapter_of(LAUKA_FRAMEWORK_LAUKA), .whole = &whole, .counting = &counting};
    struct lauka_mishaps mishaps = {.stamps = NULL};
    struct lauka_executor executor = {
        .options = &options, .mishaps = &mishaps, .context = &suite, .seed = 1};
    struct lauka_error error = {.text = ""};

    (void)count;
    if (getenv("LAUKA_BENCH_FDS"))
        return lauka_bench_main(benches, 1);
    if (!lauka_launcher_open(NULL, &executor.launcher, &error))
        return 1;
    suite.launcher = executor.launcher;
    lauka_interrupt_install();
    for (size_t c = 0; c < LAUKA_SIDES; c++)
        if (!lauka_command_from_argv(words, 1, &commands[c], &error) ||
            !lauka_command_locate(&commands[c], &error))
            return 1;
    measure(&executor, &error);
    lauka_suited.close(&executor);
    for (size_t c = 0; c < LAUKA_SIDES; c++)
        lauka_command_done(&commands[c]);
    lauka_launcher_close(executor.launcher);
    return 0;
}
