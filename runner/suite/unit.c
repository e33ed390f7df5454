/* The processes of a unit: one of each side, from what prepares it to what concludes it, and what it is asked. */
#include "runner/suite/suite.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "runner/session/session.h"

#include <errno.h>
#include <stdio.h>
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
static void copy(const struct lauka_counters *opened, struct lauka_counters *own)
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

bool lauka_counting_open(struct lauka_counting *counting, struct lauka_launcher *launcher,
                         const struct lauka_event *events, size_t count, bool asked,
                         struct lauka_error *error)
{
    const struct lauka_counters *opened;

    if (counting->open)
        return true;
    if (!lauka_launcher_count(launcher, events, count, &opened, error) ||
        (!asked && !counts_any(opened) && !lauka_launcher_count(launcher, NULL, 0, &opened, error)))
        return false;
    for (size_t c = 0; c < LAUKA_SIDES; c++)
        copy(opened, &counting->sides[c]);
    explain_missing_pmu(&counting->sides[0]);
    counting->open = true;
    return true;
}

/* What to attach to a process of this side; NULL: nothing is counted. */
static struct lauka_counters *counting_of(struct lauka_counting *counting, size_t side)
{
    return counting->open && counting->sides[0].asked > 0 ? &counting->sides[side] : NULL;
}

void lauka_counting_turn(struct lauka_counting *counting, unsigned turn)
{
    for (size_t c = 0; c < LAUKA_SIDES; c++)
        counting->sides[c].turn = (uint8_t)turn;
}

bool lauka_counting_counts(const struct lauka_counting *counting)
{
    return counting->open && counts_any(&counting->sides[0]);
}

/* ---- unit -------------------------------------------------------------------------------------- */

/* So long is a benchmark waited for that has no --timeout; and, once it is through, for its process. */
#define PATIENCE_NS UINT64_C(60000000000)
#define PARTING_NS UINT64_C(5000000000)

struct lauka_suite_unit *lauka_unit_of(const struct lauka_executor *executor)
{
    return executor->own;
}

const struct lauka_suite *lauka_unit_suite(const struct lauka_executor *executor)
{
    return executor->context;
}

const struct lauka_adapter *lauka_unit_adapter(const struct lauka_executor *executor)
{
    return lauka_unit_suite(executor)->adapter;
}

uint64_t lauka_unit_own_rounds(const struct lauka_executor *executor)
{
    const struct lauka_adapter *adapter = lauka_unit_adapter(executor);

    return adapter->own_rounds ? adapter->own_rounds(lauka_unit_of(executor)->request.name) : 0;
}

/* What is counted in processes of the side; NULL: nothing. */
struct lauka_counters *lauka_unit_counters(const struct lauka_executor *executor, size_t side)
{
    return counting_of(lauka_unit_suite(executor)->counting, side);
}

/* NULL: each process runs one benchmark. */
struct lauka_whole *lauka_unit_whole(const struct lauka_executor *executor)
{
    struct lauka_whole *whole = lauka_unit_suite(executor)->whole;

    return whole->on ? whole : NULL;
}

/* ---- failures --------------------------------------------------------------------------------------- */

/* Of the benchmark in one side; always false. why: "died: ...", in words. */
bool lauka_unit_fail(struct lauka_executor *executor, size_t c, const char *why)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_failure *failure = &executor->failure;
    const struct lauka_process *process = &unit->sides[c].process;

    *failure = (struct lauka_failure){
        .command = c,
        .sample = {.outcome = LAUKA_NOT_STARTED, .timed_out = false},
    };
    snprintf(failure->reason, sizeof failure->reason, "%.400s", why);
    memcpy(failure->stderr_tail, process->tail.bytes, sizeof failure->stderr_tail);
    return false;
}

/* How it ended tells more than that it did not answer. */
static bool fail_talk(struct lauka_executor *executor, size_t c, const char *why)
{
    struct lauka_suite_side *side = &lauka_unit_of(executor)->sides[c];
    char text[300], status[200];

    if (!strstr(why, "ended before"))
        return lauka_unit_fail(executor, c, why);
    lauka_process_end(&side->process, lauka_now_ns() + PARTING_NS / 10);
    lauka_process_describe_end(&side->process, status, sizeof status);
    snprintf(text, sizeof text, "%s: its process %s",
             side->process.held_out ? "closed its descriptor before it answered" : why, status);
    return lauka_unit_fail(executor, c, text);
}

/* ---- the processes of a unit ------------------------------------------------------------------------ */

static const struct lauka_run outside = {.warmup = true};

bool lauka_unit_prepare(struct lauka_executor *executor, size_t c, struct lauka_error *error)
{
    struct lauka_suite_side *side = &lauka_unit_of(executor)->sides[c];
    struct lauka_run run = outside;
    struct lauka_sample sample;
    char why[300];

    run.command = c;
    side->begun = true;
    if (!lauka_launched_run_hook(executor, &run, LAUKA_HOOK_PREPARE, error) ||
        executor->hook_failed)
        return false;
    if (!lauka_hooks_hand_over(&executor->hooks, c, error))
        return false;
    if (executor->mishaps->stamps && !lauka_mishaps_is_same_file(executor->mishaps, c, &sample)) {
        lauka_sample_describe(&sample, why, sizeof why);
        lauka_unit_fail(executor, c, why);
        executor->failure.sample = sample;
        return false;
    }
    uint64_t timeout_ns = executor->options->run.commands[c].timeout_ns;
    side->until_ns = lauka_now_ns() + (timeout_ns ? timeout_ns : PATIENCE_NS);
    return true;
}

/* A signal to lauka may have ended it, too. */
static bool ended_well(const struct lauka_executor *executor, size_t c, char *why, size_t size)
{
    struct lauka_process *process = &lauka_unit_of(executor)->sides[c].process;

    if (lauka_interrupt_signal())
        return true;
    if (process->status == 0)
        return !lauka_unit_adapter(executor)->talks || lauka_native_is_quiet(process, why, size);
    lauka_process_describe_end(process, why, size);
    return false;
}

/* Ends what still runs. Whether all went well: of a side that failed before nothing more is said. */
bool lauka_unit_conclude(struct lauka_executor *executor, bool good, struct lauka_error *error)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    bool sound = true;

    for (size_t c = 0; c < LAUKA_SIDES; c++) {
        struct lauka_suite_side *side = &unit->sides[c];
        struct lauka_run run = outside;
        char why[300];
        if (!side->begun)
            continue;
        side->begun = false;
        if (lauka_unit_counters(executor, c))
            lauka_counters_detach(lauka_unit_counters(executor, c));
        bool ran = side->process.pid > 0;
        lauka_process_end(&side->process, good ? lauka_now_ns() + PARTING_NS : 0);
        if (good && ran && !ended_well(executor, c, why, sizeof why))
            good = lauka_unit_fail(executor, c, why);
        struct lauka_failure first = executor->failure;
        bool failed_before = executor->hook_failed;
        run.command = c;
        sound = lauka_launched_run_hook(executor, &run, LAUKA_HOOK_CONCLUDE, error) && sound;
        if (!good) { /* what went wrong first is what is told */
            executor->failure = first;
            executor->hook_failed = failed_before;
        }
        good = good && !executor->hook_failed;
    }
    return sound && good;
}

void lauka_unit_forget(struct lauka_suite_unit *unit)
{
    for (size_t c = 0; c < LAUKA_SIDES; c++) {
        lauka_process_done(&unit->sides[c].process);
        lauka_inner_answers_done(&unit->sides[c].answers);
    }
}

/* ---- one round -------------------------------------------------------------------------------------- */

bool lauka_unit_start(struct lauka_executor *executor, size_t c, struct lauka_error *error)
{
    struct lauka_suite_side *side = &lauka_unit_of(executor)->sides[c];
    char why[300];

    if (!lauka_unit_prepare(executor, c, error))
        return false;
    return lauka_native_start(&side->process, executor->launcher,
                              &executor->options->run.commands[c], lauka_unit_counters(executor, c),
                              side->until_ns, why, sizeof why) ||
           fail_talk(executor, c, why);
}

/* Warm-ups are counted, too, so that they are like what they come before. */
bool lauka_unit_ask(struct lauka_executor *executor, size_t c, uint64_t seed,
                    struct lauka_inner_answer *answer)
{
    struct lauka_suite_unit *unit = lauka_unit_of(executor);
    struct lauka_suite_side *side = &unit->sides[c];
    struct lauka_counters *counters = lauka_unit_counters(executor, c);
    char why[300];

    if (counters)
        lauka_counters_begin_stretch(counters);
    bool good = lauka_native_run(&side->process, &unit->request, seed, side->until_ns, answer, why,
                                 sizeof why);
    if (counters)
        lauka_counters_end_stretch(counters, side->readings);
    return good || fail_talk(executor, c, why);
}
