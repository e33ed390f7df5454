/* Rounds of a benchmark in fresh processes of both sides: several rounds in each process, which is the
 * unit of the analysis. The first round of each process is its warm-up. */
#include "runner/suite/suite.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "runner/base/base.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "runner/session/session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- counting ---------------------------------------------------------------------------------- */

/* Counters around what a program is asked to run: lauka opens the events on each process and lets them count
 * from the question to the answer. The launcher finds out what can be counted, and how it fits onto the
 * counters. */

/* What is not asked for is counted where that can be, and not mentioned otherwise. */
static bool counts_any(const struct lauka_counters *counters)
{
    bool any = false;

    for (size_t i = 0; i < counters->asked; i++)
        any = any || counters->errors[i] == 0;
    return any;
}

/* Neither the clocks of the CPUs nor what the launcher holds. */
static void copy_counters(const struct lauka_counters *opened, struct lauka_counters *own)
{
    *own = *opened;
    own->told = 0;
    own->clock_count = 0;
    own->clock_error = 0;
    own->held_clock = own->held_migrations = -1;
    for (size_t i = 0; i < own->count; i++)
        own->held[i] = -1;
}

/* Elsewhere there is valgrind; not here. */
static void explain_missing_pmu(struct lauka_counters *counters)
{
    bool missing = true;

    for (size_t i = 0; i < counters->asked; i++)
        missing = missing &&
                  (counters->errors[i] == ENOENT || !lauka_event_is_hardware(counters->events[i]));
    for (size_t i = 0; missing && i < counters->asked; i++)
        if (counters->errors[i] == ENOENT && lauka_event_is_hardware(counters->events[i]))
            counters->errors[i] = ENOTSUP;
    snprintf(counters->trouble, sizeof counters->trouble, "this %s has no PMU",
             counters->virtual_machine ? "VM" : "machine");
}

/* Once a session. asked: these events were requested; otherwise events that cannot be counted are skipped. */
static bool open_counting(struct lauka_counting *counting, struct lauka_launcher *launcher,
                          const struct lauka_event *events, size_t count, bool asked,
                          struct lauka_error *error)
{
    const struct lauka_counters *opened;

    if (counting->open)
        return true;
    for (size_t i = 0; i < count; i++)
        if (events[i].of_machine)
            return lauka_fail(error, LAUKA_EXIT_USAGE,
                              "--events: %s counts whole CPUs, never a benchmark inside a program",
                              events[i].name);
    if (!lauka_launcher_count(launcher, events, count, &opened, error) ||
        (!asked && !counts_any(opened) && !lauka_launcher_count(launcher, NULL, 0, &opened, error)))
        return false;
    for (size_t c = 0; c < LAUKA_SIDES; c++)
        copy_counters(opened, &counting->sides[c]);
    counting->any = counts_any(opened);
    explain_missing_pmu(&counting->sides[0]);
    counting->open = true;
    return true;
}

/* ---- the processes of a unit ------------------------------------------------------------------------ */

/* How long lauka waits for a process to end, once its benchmark is through. */
#define PARTING_NS UINT64_C(5000000000)

/* A signal to lauka may have ended it, too. */
static bool ended_well(const struct lauka_executor *executor, size_t c)
{
    struct lauka_process *process = &lauka_unit_of(executor)->sides[c].process;

    if (lauka_interrupt_signal())
        return true;
    if (lauka_unit_adapter(executor)->talks && !lauka_native_is_quiet(process))
        return false; /* also where it was still about to answer */
    if (process->status == 0)
        return true;
    lauka_process_describe_end(process, process->why, sizeof process->why);
    return false;
}

/* Ends what still runs. Whether all went well: of a side that failed before nothing more is said. */
static bool conclude_unit(struct lauka_executor *executor, bool good, struct lauka_error *error)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    bool sound = true;

    for (size_t c = 0; c < LAUKA_SIDES; c++) {
        struct lauka_suite_side *side = &unit->sides[c];
        struct lauka_run run = {.command = c, .warmup = true};
        if (!side->begun)
            continue;
        side->begun = false;
        if (lauka_unit_counters(executor, c))
            lauka_counters_detach(lauka_unit_counters(executor, c));
        bool ran = side->process.pid > 0;
        lauka_process_end(&side->process, good ? lauka_now_ns() + PARTING_NS : 0);
        if (good && ran && !ended_well(executor, c))
            good = lauka_unit_fail(executor, c, "%s", side->process.why);
        struct lauka_failure first = executor->failure;
        bool failed_before = executor->hook_failed;
        sound = lauka_launched_run_hook(executor, &run, LAUKA_HOOK_CONCLUDE, error) && sound;
        if (!good) { /* what went wrong first is what is told */
            executor->failure = first;
            executor->hook_failed = failed_before;
        }
        good = good && !executor->hook_failed;
    }
    return sound && good;
}

static void forget_unit(struct lauka_suite_unit *unit)
{
    for (size_t c = 0; c < LAUKA_SIDES; c++) {
        lauka_process_done(&unit->sides[c].process);
        lauka_inner_answers_done(&unit->sides[c].answers);
    }
}

/* ---- planning ---------------------------------------------------------------------------------- */

/* How many iterations a round has, and how many rounds a process: found out before the first round. */

enum { START_SHARE = 5 }; /* the largest share of the time for starting a process */

/* What a process with its rounds and their warm-up will take of this benchmark's time. */
static uint64_t process_ns(const struct lauka_executor *executor,
                           const struct lauka_suite_unit *unit, const struct lauka_whole *whole)
{
    if (!whole || whole->count == 0) {
        uint64_t round_ns = unit->slowest_ns * unit->request.iterations;
        round_ns = round_ns > unit->request.round_ns ? round_ns : unit->request.round_ns;
        return unit->start_ns + unit->warming_ns + (executor->unit_rounds + 1) * round_ns;
    }
    uint64_t took_ns = whole->units[0][0].took_ns;
    uint64_t rounds_ns = took_ns > whole->start_ns ? took_ns - whole->start_ns : 0;
    return (whole->start_ns + rounds_ns / LAUKA_WHOLE_FIRST * (whole->rounds + 1)) /
           executor->sharing;
}

/* For processes that run all benchmarks: how many rounds one has, and how long they are, after the first. Starting is to
 * take a fifth of the time at most, and a process about a second beside that. */
static void plan_whole(struct lauka_whole *whole)
{
    enum { LEAST = 3, SHARE = 4 };
    uint64_t all_ns = 1; /* a round of all benchmarks */

    if (whole->rounds > 0 || whole->count == 0)
        return;
    for (size_t c = 0; c < LAUKA_SIDES; c++) {
        uint64_t took_ns = whole->units[0][c].took_ns;
        took_ns = took_ns > whole->start_ns ? (took_ns - whole->start_ns) / LAUKA_WHOLE_FIRST : 0;
        all_ns = took_ns > all_ns ? took_ns : all_ns;
    }
    uint64_t rounds = UINT64_C(1000000000) / all_ns;
    whole->rounds = rounds < LEAST               ? LEAST
                    : rounds < LAUKA_UNIT_ROUNDS ? rounds
                                                 : LAUKA_UNIT_ROUNDS;
    uint64_t times = SHARE * whole->start_ns / (whole->rounds * all_ns);
    whole->round_ns = LAUKA_UNIT_ROUND_NS * (times < 1 ? 1 : times);
    if (whole->round_ns > LAUKA_UNIT_ROUND_MOST_NS)
        whole->round_ns = LAUKA_UNIT_ROUND_MOST_NS;
}

/* What is measured of an iteration decides; starting a process is to take a fifth of the time at most. */
static void plan(struct lauka_executor *executor, struct lauka_suite_unit *unit, double fastest_ns)
{
    uint64_t round_ns = unit->start_ns * (START_SHARE - 1) / LAUKA_UNIT_ROUNDS;

    round_ns = round_ns > LAUKA_UNIT_ROUND_NS ? round_ns : LAUKA_UNIT_ROUND_NS;
    round_ns = round_ns < LAUKA_UNIT_ROUND_MOST_NS ? round_ns : LAUKA_UNIT_ROUND_MOST_NS;
    unit->request.round_ns = round_ns;
    unit->request.iterations = (uint64_t)ceil((double)round_ns / fastest_ns);
    if (unit->request.iterations < 1)
        unit->request.iterations = 1;
    uint64_t slowest_ns = unit->slowest_ns * unit->request.iterations;
    uint64_t rounds = UINT64_C(500000000) / (slowest_ns + 1);
    executor->unit_rounds = rounds < 3                   ? 3
                            : rounds < LAUKA_UNIT_ROUNDS ? (size_t)rounds
                                                         : LAUKA_UNIT_ROUNDS;
    struct lauka_whole *whole = lauka_unit_whole(executor);
    if (whole) {
        plan_whole(whole);
        executor->unit_rounds = (size_t)whole->rounds;
    }
    if (executor->options->measure.rounds > 0 &&
        executor->options->measure.rounds / LAUKA_UNIT_ROUNDS < executor->unit_rounds)
        executor->unit_rounds =
            (size_t)(executor->options->measure.rounds + LAUKA_UNIT_ROUNDS - 1) / LAUKA_UNIT_ROUNDS;
    if (executor->unit_rounds > unit->rounds_most)
        executor->unit_rounds = unit->rounds_most;
    executor->round_ns = process_ns(executor, unit, whole) * LAUKA_SIDES /
                         (executor->unit_rounds > 0 ? executor->unit_rounds : 1);
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

/* Runs the benchmark on both sides, and decides how many iterations a round has, and how many rounds a process. */
static bool unit_calibrate(struct lauka_executor *executor, struct lauka_error *error)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    double fastest_ns = INFINITY;

    for (size_t c = 0; c < LAUKA_SIDES && !lauka_interrupt_signal(); c++) {
        double iteration_ns = 0;
        bool good = lauka_unit_adapter(executor)->talks
                        ? lauka_spoken_time(executor, c, &iteration_ns, error)
                        : time_written(executor, c, &iteration_ns, error);
        good = conclude_unit(executor, good, error) && good;
        forget_unit(unit);
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

/* ---- units ------------------------------------------------------------------------------------------ */

/* Memory, faults and switches are those of the whole process. */
static void fill_usage(struct lauka_suite_unit *unit, const struct lauka_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct lauka_usage *own = &runs[i].sample->usage;
        uint64_t wall = own->values[LAUKA_WALL_TIME], cpu = own->values[LAUKA_CPU_TIME];
        *own = unit->sides[runs[i].command].process.usage;
        own->values[LAUKA_WALL_TIME] = wall;
        own->values[LAUKA_CPU_TIME] = cpu;
    }
}

/* One after the other, in the order of the first round, which all rounds of the unit share. */
static bool run_written_unit(struct lauka_executor *executor, const struct lauka_run *runs,
                             size_t count, struct lauka_error *error)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    size_t rounds = count / LAUKA_SIDES;

    unit->request.rounds = unit->medians ? LAUKA_UNIT_ROUNDS + 1 : rounds + 1;
    for (size_t i = 0; i < LAUKA_SIDES; i++)
        if (!lauka_unit_run(executor, runs[i].command, rounds, error))
            return false;
    for (size_t i = 0; i < count; i++) { /* what comes before them is the warm-up */
        const struct lauka_inner_answers *answers = &unit->sides[runs[i].command].answers;
        if (!lauka_unit_fill(executor, &runs[i],
                             &answers->answers[answers->count - rounds + i / LAUKA_SIDES], 1))
            return false;
    }
    return true;
}

/* The processes end with their launcher, so that each side seems to have failed. */
static bool is_lauka_at_fault(const struct lauka_executor *executor, struct lauka_error *error)
{
    const struct lauka_failure *failure = &executor->failure;

    return lauka_launcher_is_lost(executor->launcher, error) ||
           (!*failure->reason && !failure->hook);
}

/* What processes were so far. */
static void tell_classes(const struct lauka_suite_unit *unit)
{
    for (size_t c = 0; unit->result && c < LAUKA_SIDES; c++)
        unit->result->commands[c].steady = unit->sides[c].warmings;
}

/* All rounds of the unit, or none. */
static bool run(struct lauka_executor *executor, const struct lauka_run *runs, size_t asked,
                size_t *done, struct lauka_error *error)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);

    *done = 0;
    if (lauka_interrupt_signal())
        return true;
    executor->failure = (struct lauka_failure){0};
    error->text[0] = '\0';
    bool good = lauka_unit_adapter(executor)->talks
                    ? lauka_spoken_run(executor, runs, asked, error)
                    : run_written_unit(executor, runs, asked, error);
    good = conclude_unit(executor, good, error) && good;
    if (good)
        fill_usage(unit, runs, asked);
    tell_classes(unit);
    forget_unit(unit);
    unit->number++;
    if (lauka_interrupt_signal() || executor->hook_failed)
        return true;
    *done = good ? asked : 0;
    if (good)
        return true;
    if (is_lauka_at_fault(executor, error))
        return false;
    executor->failure.round = runs[0].round;
    executor->failure.warmup = runs[0].warmup;
    executor->failure.sample.readings = runs[0].sample->readings; /* their room stays */
    *runs[0].sample = executor->failure.sample;
    *done = 1;
    return true;
}

/* ---- the executor ----------------------------------------------------------------------------------- */

static bool set_all_up(struct lauka_executor *executor, struct lauka_error *error)
{
    for (size_t c = 0; c < executor->options->run.command_count && !lauka_interrupt_signal(); c++) {
        enum lauka_hook_end end =
            lauka_hooks_set_up(&executor->hooks, c, &executor->failure, error);
        if (end == LAUKA_HOOK_FAILED)
            executor->refused = true;
        if (end != LAUKA_HOOK_DONE)
            return lauka_interrupt_signal();
    }
    return lauka_hooks_check(&executor->hooks, error);
}

/* It stands for what a side did when it was asked for its benchmarks. */
static bool refuse_list(struct lauka_executor *executor, const struct lauka_suite_list *list)
{
    const struct lauka_suite *suite = lauka_unit_suite(executor);
    size_t c = (size_t)(list - suite->lists);

    lauka_unit_of(executor)->sides[c].process.tail = list->tail;
    executor->refused = true;
    return lauka_unit_fail(executor, c,
                           "was asked for its benchmarks, and %s%s: some may be missing", list->why,
                           c == 0 && *suite->lists[1].why ? ", as the other side did" : "");
}

/* Without memory false. */
static bool begin_figures(struct lauka_inner_figures *figures)
{
    struct lauka_figure *first = &figures->tells.figures[figures->tells.figure_count++];

    *first = (struct lauka_figure){.name = strdup(LAUKA_FIRST_CALL),
                                   .unit = lauka_figure_unit_find("ns", strlen("ns")),
                                   .is_detail = true};
    return first->name != NULL;
}

/* Setups run before this question: a benchmark may need what they make. */
static bool take_commands(struct lauka_executor *executor, struct lauka_error *error)
{
    struct lauka_suite_unit *unit = executor->own = calloc(1, sizeof *unit);
    const struct lauka_suite *suite = lauka_unit_suite(executor);
    const char *name = executor->options->run.benchmarks[0].name;
    const struct lauka_suite_list *failed = lauka_suite_failed_list(suite, name);

    if (!unit)
        return lauka_fail_memory(error);
    for (size_t c = 0; c < LAUKA_SIDES; c++)
        lauka_process_done(&unit->sides[c].process);
    unit->request.name = name;
    unit->request.numbered = suite->lists[0].names.numbered || suite->lists[1].names.numbered;
    unit->rounds_most = LAUKA_UNIT_ROUNDS;
    unit->figures.tells.cpu_time = lauka_unit_adapter(executor)->tells_cpu_time;
    if (lauka_unit_adapter(executor)->talks && !begin_figures(&unit->figures))
        return lauka_fail_memory(error);
    executor->inner = &unit->figures.tells;
    executor->unit_rounds = 1;
    executor->shares_units = true;
    executor->holds_order = !lauka_unit_adapter(executor)->talks;
    executor->iterations = calloc(LAUKA_SIDES, sizeof *executor->iterations);
    if (!executor->iterations)
        return lauka_fail_memory(error);
    if (failed)
        return refuse_list(executor, failed);
    if (!lauka_hooks_init(&executor->hooks, executor->options, executor->launcher, error) ||
        !set_all_up(executor, error))
        return false;
    if (unit_calibrate(executor, error))
        return true;
    executor->refused = !lauka_launcher_is_lost(executor->launcher, error) &&
                        (executor->hook_failed || *executor->failure.reason);
    return false;
}

static bool count(struct lauka_executor *executor, const struct lauka_event *events, size_t asked,
                  struct lauka_error *error)
{
    struct lauka_counting *counting = &lauka_unit_suite(executor)->counting;
    bool can = lauka_unit_adapter(executor)->talks && lauka_counters_can_attach();
    bool given = executor->options->measure.events_given;

    if (!given)
        events = lauka_default_events(&asked);
    if (!open_counting(counting, executor->launcher, events, can ? asked : 0, given, error))
        return false;
    executor->counters = &counting->sides[0];
    return true;
}

static bool begin(struct lauka_executor *executor, struct lauka_result *result,
                  struct lauka_error *error)
{
    (void)error;
    lauka_unit_of(executor)->result = result;
    tell_classes(executor->own);
    return true;
}

/* Says what warm-up there was. Returns 0 or ENOMEM. */
static int note_class(struct lauka_result *result, size_t command)
{
    const struct lauka_result_command *about = &result->commands[command];
    const struct lauka_warmings *steady = &about->steady;
    const unsigned long long all = lauka_warmings_count(steady);

    if (steady->class == LAUKA_STEADY_NONE)
        return lauka_result_note(
            result,
            "`%.300s` has no steady state: in %llu of %llu processes its rounds still changed "
            "after a quarter of --max-time, so that its times have no verdict; a larger --max-time "
            "lets it warm up for longer",
            about->label, (unsigned long long)steady->unsteady, all);
    if (steady->class == LAUKA_STEADY_WARMS_UP || steady->class == LAUKA_STEADY_SLOWS_DOWN)
        return lauka_result_note(
            result, "`%.300s` %s in each process: %.0f rounds in %.3g s that do not count",
            about->label, steady->class == LAUKA_STEADY_WARMS_UP ? "warms up" : "slows down",
            steady->rounds, steady->seconds);
    return 0;
}

static enum lauka_hook_end clean_up(struct lauka_executor *executor, size_t command,
                                    struct lauka_error *error)
{
    struct lauka_suite_unit *unit = executor->own;

    if (unit && unit->result && note_class(unit->result, command) != 0) {
        lauka_fail_memory(error);
        return LAUKA_HOOK_BROKEN;
    }
    return lauka_hooks_clean_up(&executor->hooks, command, &executor->failure, error);
}

static void turn(struct lauka_executor *executor, unsigned set)
{
    struct lauka_counting *counting = &lauka_unit_suite(executor)->counting;

    for (size_t c = 0; c < LAUKA_SIDES; c++)
        counting->sides[c].turn = (uint8_t)set;
}

static uint64_t rss_floor(const struct lauka_executor *executor)
{
    return lauka_launcher_rss_floor(executor->launcher);
}

static void release(struct lauka_executor *executor)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);

    if (unit) {
        forget_unit(unit);
        lauka_inner_figures_done(&unit->figures);
    }
    lauka_hooks_done(&executor->hooks);
    free(executor->iterations);
    free(unit);
    executor->iterations = NULL;
    executor->own = NULL;
}

const struct lauka_executor_kind lauka_suited = {
    .real = true,
    .open = take_commands, /* setups run there, and --pin does not go with a suite */
    .count = count,
    .begin = begin,
    .clean_up = clean_up,
    .turn = turn,
    .run = run,
    .rss_floor = rss_floor,
    .close = release,
};
