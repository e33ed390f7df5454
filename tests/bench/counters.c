/* What counting costs: runs per second of a tiny command with 0, 5 and 10 software events, which are
 * opened and closed for every run. The three take turns, so that load affects all alike. */
#include <stdlib.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"

enum { KINDS = 3, TURNS = 60, RUNS_OF_A_TURN = 25 };

static const size_t event_counts[KINDS] = {0, 5, 10};
static const char event_names[] =
    "task-clock,page-faults,cpu-clock,cpu-migrations,cgroup-switches,alignment-faults,"
    "emulation-faults,task-clock:u,page-faults:u,cpu-clock:u";

struct contender {
    struct lauka_launcher *launcher;
    size_t events;          /* that opened */
    double seconds[TURNS];  /* of a run, by turn */
    double relative[TURNS]; /* to the turn without events */
};

static void demand(bool good, const struct lauka_error *error)
{
    if (good)
        return;
    printf("counters: %s\n", error->text);
    exit(1);
}

static void open_events(struct contender *contender, const struct lauka_event *events, size_t count)
{
    struct lauka_error error;
    const struct lauka_counters *counters;

    demand(lauka_launcher_count(contender->launcher, events, count, &counters, &error), &error);
    for (size_t i = 0; i < count; i++)
        contender->events += counters->errors[i] == 0;
}

static void take_turn(struct contender *contender, size_t turn)
{
    struct lauka_sample sample;
    struct lauka_error error;
    uint64_t begin = lauka_now_ns();

    for (int i = 0; i < RUNS_OF_A_TURN; i++)
        demand(lauka_launcher_run(contender->launcher, 0, &sample, &error), &error);
    contender->seconds[turn] = (double)(lauka_now_ns() - begin) / 1e9 / (double)RUNS_OF_A_TURN;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double median(double *values)
{
    qsort(values, TURNS, sizeof *values, by_size);
    return (values[TURNS / 2 - 1] + values[TURNS / 2]) / 2;
}

int main(void)
{
    static struct contender contenders[KINDS];
    static struct lauka_event_list list;
    struct lauka_arena arena = {0};
    struct lauka_command command;
    struct lauka_error error;
    char why[500];

    for (size_t k = 0; k < KINDS; k++) /* first of all: they fork */
        demand(lauka_launcher_open(NULL, &contenders[k].launcher, &error), &error);
    if (!lauka_event_list_add(&list, event_names, LAUKA_SYSFS, why, sizeof why))
        return 1;
    demand(lauka_command_parse(&arena, "true", &command, &error), &error);
    demand(lauka_command_locate(&command, &error), &error);
    for (size_t k = 0; k < KINDS; k++) {
        demand(lauka_launcher_add(contenders[k].launcher, &command, &error), &error);
        open_events(&contenders[k], list.events, event_counts[k]);
    }
    for (size_t turn = 0; turn < TURNS; turn++)
        for (size_t k = 0; k < KINDS; k++)
            take_turn(&contenders[(turn + k) % KINDS], turn);
    for (size_t turn = 0; turn < TURNS; turn++)
        for (size_t k = 0; k < KINDS; k++)
            contenders[k].relative[turn] =
                contenders[k].seconds[turn] / contenders[0].seconds[turn] - 1;
    for (size_t k = 0; k < KINDS; k++)
        printf("counters: %2zu of %2zu software events: %5.0f runs/s, %+5.1f %%%s\n",
               contenders[k].events, event_counts[k], 1 / median(contenders[k].seconds),
               100 * median(contenders[k].relative), k == 1 ? " (goal: at most 10 %)" : "");
    for (size_t k = KINDS; k-- > 0;) /* the later ones hold the pipes of the earlier ones */
        lauka_launcher_close(contenders[k].launcher);
    lauka_arena_done(&arena);
    return 0;
}
