/* How many iterations a round has, and how many rounds a process: found out before the first round. */
#include "runner/suite/unit.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/session/session.h"
#include "runner/suite/suite.h"

#include <math.h>

/* The longest round that is chosen, and the largest share of the time for starting a process. */
enum { ROUND_MOST_NS = 20000000, START_SHARE = 5 };

/* What is measured of an iteration decides; starting a process is to take a fifth of the time at most. */
static void plan(struct lauka_executor *executor, struct lauka_suite_unit *unit, double fastest_ns)
{
    uint64_t round_ns = unit->start_ns * (START_SHARE - 1) / LAUKA_UNIT_ROUNDS;

    round_ns = round_ns > LAUKA_UNIT_ROUND_NS ? round_ns : LAUKA_UNIT_ROUND_NS;
    round_ns = round_ns < ROUND_MOST_NS ? round_ns : ROUND_MOST_NS;
    unit->request.round_ns = round_ns;
    unit->request.iterations = (uint64_t)ceil((double)round_ns / fastest_ns);
    if (unit->request.iterations < 1)
        unit->request.iterations = 1;
    uint64_t slowest_ns = unit->slowest_ns * unit->request.iterations;
    uint64_t rounds = UINT64_C(500000000) / (slowest_ns + 1);
    executor->unit_rounds = rounds < 3                   ? 3
                            : rounds < LAUKA_UNIT_ROUNDS ? (size_t)rounds
                                                         : LAUKA_UNIT_ROUNDS;
    if (lauka_unit_whole(executor)) {
        lauka_whole_plan(lauka_unit_whole(executor), LAUKA_UNIT_ROUNDS, LAUKA_UNIT_ROUND_NS,
                         ROUND_MOST_NS);
        executor->unit_rounds = (size_t)lauka_unit_whole(executor)->rounds;
    }
    if (executor->options->rounds > 0 &&
        executor->options->rounds / LAUKA_UNIT_ROUNDS < executor->unit_rounds)
        executor->unit_rounds =
            (size_t)(executor->options->rounds + LAUKA_UNIT_ROUNDS - 1) / LAUKA_UNIT_ROUNDS;
    if (executor->unit_rounds > unit->rounds_most)
        executor->unit_rounds = unit->rounds_most;
}

/* For one side: longer and longer rounds, until the time of one is meaningful. */
static bool time_spoken(struct lauka_executor *executor, size_t c, double *iteration_ns,
                        struct lauka_error *error)
{
    const double enough_ns = LAUKA_UNIT_ROUND_NS / 4, most = 1e12;
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_inner_answer answer = {0};
    uint64_t begun_ns = lauka_now_ns();

    unit->request.iterations = 1;
    if (!lauka_unit_start(executor, c, error))
        return false;
    uint64_t start_ns = lauka_now_ns() - begun_ns;
    unit->start_ns = start_ns > unit->start_ns ? start_ns : unit->start_ns;
    for (;;) {
        if (!lauka_unit_ask(executor, c, 1, &answer))
            return false;
        double count = (double)unit->request.iterations;
        *iteration_ns = answer.wall_ns / count;
        if (answer.wall_ns >= enough_ns || lauka_interrupt_signal())
            break;
        if (count > most)
            return lauka_unit_fail(executor, c, "takes no time, however often it runs");
        double factor = answer.wall_ns > 0 ? 1.5 * enough_ns / answer.wall_ns : 10;
        factor = factor > 10 ? 10 : factor < 2 ? 2 : factor;
        unit->request.iterations = (uint64_t)(count * factor);
    }
    lauka_process_say(&unit->sides[c].process, "bye\n");
    return lauka_inner_figures_note(&unit->figures, c, &answer) == 0 || lauka_fail_memory(error);
}

/* A benchmark that has a will of its own runs as many rounds as it wants, or tells only their median. */
static void respect_will(struct lauka_executor *executor, const struct lauka_suite_side *side)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    const struct lauka_adapter *adapter = lauka_unit_adapter(executor);
    uint64_t own = lauka_unit_own_rounds(executor);

    if (own == 0 && !adapter->own_rounds && lauka_unit_whole(executor) &&
        side->answers.count != LAUKA_WHOLE_FIRST) /* so many it wants */
        own = side->answers.count;
    if (side->answers.medians)
        own = 1;
    unit->medians = unit->medians || side->answers.medians;
    if (own > 0 && own - (own > 1) < unit->rounds_most)
        unit->rounds_most = (size_t)(own - (own > 1));
}

/* A round, or two where their median may be told; what is not of its rounds is what starting took. */
static bool time_written(struct lauka_executor *executor, size_t c, double *iteration_ns,
                         struct lauka_error *error)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_suite_side *side = &unit->sides[c];
    uint64_t begun_ns = lauka_now_ns();

    unit->request.iterations = 0;
    unit->request.rounds = lauka_unit_adapter(executor)->own_rounds ? 2 : 1;
    unit->request.round_ns = LAUKA_UNIT_ROUND_NS;
    if (!lauka_unit_run(executor, c, 1, error))
        return false;
    double took_ns = (double)(lauka_now_ns() - begun_ns);
    const struct lauka_inner_answer *answer = &side->answers.answers[side->answers.count - 1];
    *iteration_ns = answer->wall_ns;
    respect_will(executor, side);
    if (lauka_inner_figures_note(&unit->figures, c, answer) != 0)
        return lauka_fail_memory(error);
    double rounds_ns = *iteration_ns * (double)side->iterations;
    uint64_t start_ns = took_ns > rounds_ns ? (uint64_t)(took_ns - rounds_ns) : 0;
    unit->start_ns = start_ns > unit->start_ns ? start_ns : unit->start_ns;
    return *iteration_ns > 0 || lauka_unit_fail(executor, c, "says that it took no time");
}

bool lauka_unit_calibrate(struct lauka_executor *executor, struct lauka_error *error)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    double fastest_ns = INFINITY;

    for (size_t c = 0; c < LAUKA_SIDES && !lauka_interrupt_signal(); c++) {
        double iteration_ns = 0;
        bool good = lauka_unit_adapter(executor)->talks
                        ? time_spoken(executor, c, &iteration_ns, error)
                        : time_written(executor, c, &iteration_ns, error);
        good = lauka_unit_conclude(executor, good, error) && good;
        lauka_unit_forget(unit);
        if (!good)
            return lauka_interrupt_signal();
        fastest_ns = iteration_ns < fastest_ns ? iteration_ns : fastest_ns;
        if (iteration_ns > (double)unit->slowest_ns)
            unit->slowest_ns = (uint64_t)iteration_ns;
    }
    unit->number = 1;
    if (!lauka_interrupt_signal())
        plan(executor, unit, fastest_ns);
    return true;
}
