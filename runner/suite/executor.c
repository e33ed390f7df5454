/* Rounds of a benchmark in fresh processes of both sides: so many rounds to a process, which is the unit of
 * the analysis. The first round of each process is its warm-up. */
#include "runner/suite/suite.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "runner/session/session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Of each process: rounds that count, how long one is at least, and the share of what starting it costs. */
enum { ROUNDS = 10, ROUND_NS = 1000000, ROUND_MOST_NS = 20000000, START_SHARE = 5, SIDES = 2 };

/* So long is a benchmark waited for that has no --timeout; and, once it is through, for its process. */
#define PATIENCE_NS UINT64_C(60000000000)
#define PARTING_NS UINT64_C(5000000000)
#define PS_PER_NS 1000

struct side { /* of a unit */
    struct lauka_process process;
    uint64_t until_ns;
    bool begun;                         /* its preparation was run, so that its conclusion is due */
    uint64_t iterations;                /* of a round, as it says */
    struct lauka_inner_answers answers; /* of a process that writes them all */
};

struct inner { /* what the executor has beside the others' */
    struct lauka_inner_figures figures;
    struct lauka_inner_request request;
    size_t unit;         /* of processes that run all benchmarks: the next one */
    uint64_t start_ns;   /* what starting a process took */
    uint64_t slowest_ns; /* of an iteration */
    size_t rounds_most;  /* in a process, where the benchmark has a will of its own */
    struct side sides[SIDES];
};

static struct inner *inner_of(struct lauka_executor *executor)
{
    return executor->own;
}

static const struct lauka_adapter *adapter_of(const struct lauka_executor *executor)
{
    const struct lauka_suite *suite = executor->context;

    return suite->adapter;
}

/* NULL: each process runs one benchmark. */
static struct lauka_whole *whole_of(const struct lauka_executor *executor)
{
    const struct lauka_suite *suite = executor->context;

    return suite->whole->on ? suite->whole : NULL;
}

/* ---- failures --------------------------------------------------------------------------------------- */

/* Of the benchmark in one side; always false. why: "died: ...", in words. */
static bool fail(struct lauka_executor *executor, size_t c, const char *why)
{
    struct inner *inner = inner_of(executor);
    struct lauka_failure *failure = &executor->failure;
    const struct lauka_process *process = &inner->sides[c].process;

    *failure = (struct lauka_failure){
        .command = c,
        .sample = {.outcome = LAUKA_NOT_STARTED, .timed_out = false},
    };
    snprintf(failure->reason, sizeof failure->reason, "%.400s", why);
    memcpy(failure->stderr_tail, process->tail, sizeof failure->stderr_tail);
    return false;
}

static void describe_status(int status, char *text, size_t size)
{
    struct lauka_sample sample = {.outcome = WIFSIGNALED(status) ? LAUKA_SIGNALED : LAUKA_EXITED};

    sample.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    lauka_sample_describe(&sample, text, size);
}

/* How it ended tells more than that it did not answer. */
static bool fail_talk(struct lauka_executor *executor, size_t c, const char *why)
{
    struct side *side = &inner_of(executor)->sides[c];
    char text[300], status[200];

    if (!strstr(why, "ended before"))
        return fail(executor, c, why);
    lauka_process_end(&side->process, lauka_now_ns() + PARTING_NS / 10);
    describe_status(side->process.status, status, sizeof status);
    snprintf(text, sizeof text, "%s: its process %s", why, status);
    return fail(executor, c, text);
}

static bool was_interrupted(void)
{
    return lauka_interrupt_signal() != 0;
}

/* ---- the processes of a unit ------------------------------------------------------------------------ */

static const struct lauka_run outside = {.warmup = true};

/* False where lauka failed, or the side, of which executor->failure tells. */
static bool prepare(struct lauka_executor *executor, size_t c, struct lauka_error *error)
{
    struct side *side = &inner_of(executor)->sides[c];
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
        fail(executor, c, why);
        executor->failure.sample = sample;
        return false;
    }
    uint64_t timeout_ns = executor->options->commands[c].timeout_ns;
    side->until_ns = lauka_now_ns() + (timeout_ns ? timeout_ns : PATIENCE_NS);
    return true;
}

/* Ends what still runs. Whether all went well: of a side that failed before nothing more is said. */
static bool conclude(struct lauka_executor *executor, bool good, struct lauka_error *error)
{
    struct inner *inner = inner_of(executor);
    bool sound = true;

    for (size_t c = 0; c < SIDES; c++) {
        struct side *side = &inner->sides[c];
        struct lauka_run run = outside;
        char why[300];
        if (!side->begun)
            continue;
        side->begun = false;
        bool ran = side->process.pid > 0;
        lauka_process_end(&side->process, good ? lauka_now_ns() + PARTING_NS : 0);
        if (good && ran && side->process.status != 0 && !was_interrupted()) {
            describe_status(side->process.status, why, sizeof why);
            good = fail(executor, c, why);
        }
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

static void forget_sides(struct inner *inner)
{
    for (size_t c = 0; c < SIDES; c++) {
        lauka_process_done(&inner->sides[c].process);
        lauka_inner_answers_done(&inner->sides[c].answers);
    }
}

/* ---- one round -------------------------------------------------------------------------------------- */

static bool start_speaking(struct lauka_executor *executor, size_t c, struct lauka_error *error)
{
    struct side *side = &inner_of(executor)->sides[c];
    char why[300];

    if (!prepare(executor, c, error))
        return false;
    return lauka_native_start(&side->process, &executor->options->commands[c], side->until_ns, why,
                              sizeof why) ||
           fail_talk(executor, c, why);
}

static bool speak(struct lauka_executor *executor, size_t c, uint64_t seed,
                  struct lauka_inner_answer *answer)
{
    struct inner *inner = inner_of(executor);
    struct side *side = &inner->sides[c];
    char why[300];

    return lauka_native_run(&side->process, &inner->request, seed, side->until_ns, answer, why,
                            sizeof why) ||
           fail_talk(executor, c, why);
}

/* A process that runs all rounds of a unit, and writes what they took. NULL: executor->failure tells why, or
 * lauka itself failed. Owned. */
static char *run_process(struct lauka_executor *executor, size_t c,
                         const struct lauka_inner_request *request, struct lauka_error *error)
{
    struct side *side = &inner_of(executor)->sides[c];
    const struct lauka_adapter *adapter = adapter_of(executor);
    char why[300] = "", *text = NULL;

    if (!prepare(executor, c, error))
        return NULL;
    if (!lauka_written_run(&side->process, adapter, &executor->options->commands[c], adapter->run,
                           *request, side->until_ns, &text, why, sizeof why))
        fail(executor, c, why);
    return text;
}

/* What the process of this unit that runs all benchmarks wrote; borrowed. It may have been run already. */
static const char *take_whole(struct lauka_executor *executor, size_t c, struct lauka_error *error)
{
    struct inner *inner = inner_of(executor);
    struct lauka_whole *whole = whole_of(executor);
    struct lauka_whole_process *process = lauka_whole_at(whole, inner->unit, c);
    struct lauka_inner_request request = {.rounds = whole->rounds > 0 ? whole->rounds + 1
                                                                      : LAUKA_WHOLE_FIRST,
                                          .round_ns = whole->round_ns ? whole->round_ns : ROUND_NS,
                                          .seed = executor->options->seed + inner->unit};

    if (!process) {
        lauka_fail_memory(error);
        return NULL;
    }
    if (!process->text && !*process->why) {
        uint64_t begun_ns = lauka_now_ns();
        process->text = run_process(executor, c, &request, error);
        process->usage = inner->sides[c].process.usage;
        process->status = inner->sides[c].process.status;
        if (!process->text)
            memcpy(process->why, executor->failure.reason, sizeof process->why - 1);
        process->took_ns = lauka_now_ns() - begun_ns;
    } else if (*process->why) {
        fail(executor, c, process->why);
    }
    inner->sides[c].process.usage = process->usage;
    inner->sides[c].process.status = process->status;
    return process->text;
}

/* What the text says of the benchmark, as far as it does. */
static bool read_written(struct lauka_executor *executor, size_t c, const char *text,
                         uint64_t least, uint64_t most)
{
    struct inner *inner = inner_of(executor);
    struct side *side = &inner->sides[c];
    const struct lauka_adapter *adapter = adapter_of(executor);
    int status = side->process.status;
    char why[300];
    int failure = adapter->read_run(text, inner->request.name, &side->answers, &side->iterations);

    if (!failure && side->answers.count >= least && side->answers.count <= most)
        return true;
    snprintf(why, sizeof why,
             "wrote something else than %llu rounds of --adapter %s (there are %zu)",
             (unsigned long long)least, adapter->name, side->answers.count);
    if (status != 0)
        describe_status(status, why, sizeof why);
    return fail(executor, c, why);
}

/* So many rounds of the side, and what comes before them. */
static bool run_written(struct lauka_executor *executor, size_t c, uint64_t rounds,
                        struct lauka_error *error)
{
    struct inner *inner = inner_of(executor);
    struct side *side = &inner->sides[c];
    char why[300];

    if (whole_of(executor)) {
        const char *text = take_whole(executor, c, error);
        return text && read_written(executor, c, text, rounds, UINT64_MAX);
    }
    char *text = run_process(executor, c, &inner->request, error);
    bool good = text != NULL;
    if (good && side->process.status != 0) {
        describe_status(side->process.status, why, sizeof why);
        good = fail(executor, c, why);
    }
    good =
        good && read_written(executor, c, text, inner->request.rounds,
                             adapter_of(executor)->tells_more ? UINT64_MAX : inner->request.rounds);
    free(text);
    return good;
}

/* ---- samples ---------------------------------------------------------------------------------------- */

static uint64_t picoseconds(double ns, double iterations)
{
    double ps = ns / iterations * PS_PER_NS;

    return ps < 0 || ps > 1e18 ? LAUKA_MISSING : (uint64_t)llround(ps);
}

/* False where it says that it took no time. */
static bool fill(struct lauka_executor *executor, const struct lauka_run *run,
                 const struct lauka_inner_answer *answer, double iterations)
{
    struct lauka_sample *sample = run->sample;

    *sample = (struct lauka_sample){.outcome = LAUKA_EXITED,
                                    .run_delay_ns = LAUKA_UNKNOWN,
                                    .tree_memory = LAUKA_UNKNOWN,
                                    .readings = sample->readings};
    sample->usage.values[LAUKA_WALL_TIME] = picoseconds(answer->wall_ns, iterations);
    sample->usage.values[LAUKA_CPU_TIME] = picoseconds(answer->cpu_ns, iterations);
    sample->figures = run->figures;
    const char *missing =
        lauka_inner_figures_fill(&inner_of(executor)->figures, run->command, answer, run->figures);
    if (missing && adapter_of(executor)->talks) {
        char why[200];
        snprintf(why, sizeof why, "did not report %s this time", missing);
        return fail(executor, run->command, why);
    }
    return sample->usage.values[LAUKA_WALL_TIME] > 0 ||
           fail(executor, run->command, "says that it took no time");
}

/* Memory, faults and switches are those of the whole process. */
static void fill_usage(struct inner *inner, const struct lauka_run *runs, size_t count)
{
    struct lauka_usage usage[SIDES];

    for (size_t c = 0; c < SIDES; c++)
        lauka_usage_read(&inner->sides[c].process.usage, 0, &usage[c]);
    for (size_t i = 0; i < count; i++) {
        struct lauka_usage *own = &runs[i].sample->usage;
        uint64_t wall = own->values[LAUKA_WALL_TIME], cpu = own->values[LAUKA_CPU_TIME];
        *own = usage[runs[i].command];
        own->values[LAUKA_WALL_TIME] = wall;
        own->values[LAUKA_CPU_TIME] = cpu;
    }
}

/* ---- units ------------------------------------------------------------------------------------------ */

static uint64_t seed_of(const struct lauka_executor *executor, uint64_t round)
{
    return (executor->seed * UINT64_C(0x9e3779b97f4a7c15) + round) >> 1;
}

/* Both are alive at once, and take turns. */
static bool run_spoken_unit(struct lauka_executor *executor, const struct lauka_run *runs,
                            size_t count, struct lauka_error *error)
{
    struct inner *inner = inner_of(executor);
    struct lauka_inner_answer answer;

    for (size_t i = 0; i < SIDES; i++)
        if (!start_speaking(executor, runs[i].command, error))
            return false;
    for (size_t i = 0; i < SIDES; i++)
        if (!speak(executor, runs[i].command, seed_of(executor, runs[i].round), &answer))
            return false;
    for (size_t i = 0; i < count; i++)
        if (!speak(executor, runs[i].command, seed_of(executor, runs[i].round), &answer) ||
            !fill(executor, &runs[i], &answer, (double)inner->request.iterations))
            return false;
    for (size_t c = 0; c < SIDES; c++)
        lauka_process_say(&inner->sides[c].process, "bye\n");
    return true;
}

/* One after the other, in the order of the first round, which all others of the unit share. */
static bool run_written_unit(struct lauka_executor *executor, const struct lauka_run *runs,
                             size_t count, struct lauka_error *error)
{
    struct inner *inner = inner_of(executor);

    size_t rounds = count / SIDES;

    inner->request.rounds = rounds + 1;
    for (size_t i = 0; i < SIDES; i++)
        if (!run_written(executor, runs[i].command, rounds, error))
            return false;
    for (size_t i = 0; i < count; i++) { /* what comes before them is the warm-up */
        const struct lauka_inner_answers *answers = &inner->sides[runs[i].command].answers;
        if (!fill(executor, &runs[i], &answers->answers[answers->count - rounds + i / SIDES], 1))
            return false;
    }
    return true;
}

/* All rounds of the unit, or none. */
static bool run(struct lauka_executor *executor, const struct lauka_run *runs, size_t asked,
                size_t *done, struct lauka_error *error)
{
    struct inner *inner = inner_of(executor);

    *done = 0;
    if (was_interrupted())
        return true;
    executor->failure = (struct lauka_failure){0};
    error->text[0] = '\0';
    bool good = adapter_of(executor)->talks ? run_spoken_unit(executor, runs, asked, error)
                                            : run_written_unit(executor, runs, asked, error);
    good = conclude(executor, good, error) && good;
    if (good)
        fill_usage(inner, runs, asked);
    forget_sides(inner);
    inner->unit++;
    if (was_interrupted() || executor->hook_failed)
        return true;
    *done = good ? asked : 0;
    if (good)
        return true;
    if (!*executor->failure.reason && !executor->failure.hook)
        return false; /* lauka itself failed */
    executor->failure.round = runs[0].round;
    executor->failure.warmup = runs[0].warmup;
    *runs[0].sample = executor->failure.sample;
    *done = 1;
    return true;
}

/* ---- how many iterations ---------------------------------------------------------------------------- */

/* What is measured of an iteration decides; starting a process is to take a fifth of the time at most. */
static void plan(struct lauka_executor *executor, struct inner *inner, double fastest_ns)
{
    uint64_t round_ns = inner->start_ns * (START_SHARE - 1) / ROUNDS;

    round_ns = round_ns > ROUND_NS ? round_ns : ROUND_NS;
    round_ns = round_ns < ROUND_MOST_NS ? round_ns : ROUND_MOST_NS;
    inner->request.round_ns = round_ns;
    inner->request.iterations = (uint64_t)ceil((double)round_ns / fastest_ns);
    if (inner->request.iterations < 1)
        inner->request.iterations = 1;
    uint64_t slowest_ns = inner->slowest_ns * inner->request.iterations;
    uint64_t rounds = UINT64_C(500000000) / (slowest_ns + 1);
    executor->unit_rounds = rounds < 3 ? 3 : rounds < ROUNDS ? (size_t)rounds : ROUNDS;
    if (whole_of(executor)) {
        lauka_whole_plan(whole_of(executor), ROUNDS, ROUND_NS, ROUND_MOST_NS);
        executor->unit_rounds = (size_t)whole_of(executor)->rounds;
    }
    if (executor->options->rounds > 0 && executor->options->rounds / ROUNDS < executor->unit_rounds)
        executor->unit_rounds = (size_t)(executor->options->rounds + ROUNDS - 1) / ROUNDS;
    if (executor->unit_rounds > inner->rounds_most)
        executor->unit_rounds = inner->rounds_most;
}

/* Of one side: longer and longer, until a time can be told from it. */
static bool time_spoken(struct lauka_executor *executor, size_t c, double *iteration_ns,
                        struct lauka_error *error)
{
    const double enough_ns = ROUND_NS / 4, most = 1e12;
    struct inner *inner = inner_of(executor);
    struct lauka_inner_answer answer = {0};
    uint64_t begun_ns = lauka_now_ns();

    inner->request.iterations = 1;
    if (!start_speaking(executor, c, error))
        return false;
    uint64_t start_ns = lauka_now_ns() - begun_ns;
    inner->start_ns = start_ns > inner->start_ns ? start_ns : inner->start_ns;
    for (;;) {
        if (!speak(executor, c, 1, &answer))
            return false;
        double count = (double)inner->request.iterations;
        *iteration_ns = answer.wall_ns / count;
        if (answer.wall_ns >= enough_ns || was_interrupted())
            break;
        if (count > most)
            return fail(executor, c, "takes no time, however often it runs");
        double factor = answer.wall_ns > 0 ? 1.5 * enough_ns / answer.wall_ns : 10;
        factor = factor > 10 ? 10 : factor < 2 ? 2 : factor;
        inner->request.iterations = (uint64_t)(count * factor);
    }
    lauka_process_say(&inner->sides[c].process, "bye\n");
    return lauka_inner_figures_note(&inner->figures, c, &answer) == 0 || lauka_fail_memory(error);
}

/* One round; what is not of its rounds is what starting took. */
static bool time_written(struct lauka_executor *executor, size_t c, double *iteration_ns,
                         struct lauka_error *error)
{
    struct inner *inner = inner_of(executor);
    struct side *side = &inner->sides[c];
    uint64_t begun_ns = lauka_now_ns();

    inner->request.iterations = 0;
    inner->request.rounds = 1;
    inner->request.round_ns = ROUND_NS;
    if (!run_written(executor, c, 1, error))
        return false;
    double took_ns = (double)(lauka_now_ns() - begun_ns);
    const struct lauka_inner_answer *answer = &side->answers.answers[side->answers.count - 1];
    *iteration_ns = answer->wall_ns;
    if (whole_of(executor) && side->answers.count != LAUKA_WHOLE_FIRST && /* so many it wants */
        side->answers.count - (side->answers.count > 1) < inner->rounds_most)
        inner->rounds_most = side->answers.count - (side->answers.count > 1);
    if (lauka_inner_figures_note(&inner->figures, c, answer) != 0)
        return lauka_fail_memory(error);
    double rounds_ns = *iteration_ns * (double)side->iterations;
    uint64_t start_ns = took_ns > rounds_ns ? (uint64_t)(took_ns - rounds_ns) : 0;
    inner->start_ns = start_ns > inner->start_ns ? start_ns : inner->start_ns;
    return *iteration_ns > 0 || fail(executor, c, "says that it took no time");
}

static bool calibrate(struct lauka_executor *executor, struct lauka_error *error)
{
    struct inner *inner = inner_of(executor);
    double fastest_ns = INFINITY;

    for (size_t c = 0; c < SIDES && !was_interrupted(); c++) {
        double iteration_ns = 0;
        bool good = adapter_of(executor)->talks ? time_spoken(executor, c, &iteration_ns, error)
                                                : time_written(executor, c, &iteration_ns, error);
        good = conclude(executor, good, error) && good;
        forget_sides(inner);
        if (!good)
            return was_interrupted();
        fastest_ns = iteration_ns < fastest_ns ? iteration_ns : fastest_ns;
        if (iteration_ns > (double)inner->slowest_ns)
            inner->slowest_ns = (uint64_t)iteration_ns;
    }
    inner->unit = 1;
    if (!was_interrupted())
        plan(executor, inner, fastest_ns);
    return true;
}

/* ---- the executor ----------------------------------------------------------------------------------- */

static bool set_all_up(struct lauka_executor *executor, struct lauka_error *error)
{
    for (size_t c = 0; c < executor->options->command_count && !was_interrupted(); c++) {
        enum lauka_hook_end end =
            lauka_hooks_set_up(&executor->hooks, c, &executor->failure, error);
        if (end == LAUKA_HOOK_FAILED)
            executor->refused = true;
        if (end != LAUKA_HOOK_DONE)
            return was_interrupted();
    }
    return lauka_hooks_check(&executor->hooks, error);
}

/* Setups come before what is asked here: a benchmark may need what they make. */
static bool take_commands(struct lauka_executor *executor, struct lauka_error *error)
{
    struct inner *inner = executor->own = calloc(1, sizeof *inner);

    if (!inner)
        return lauka_fail_memory(error);
    for (size_t c = 0; c < SIDES; c++)
        lauka_process_done(&inner->sides[c].process);
    inner->request.name = executor->options->benchmarks[0].name;
    inner->rounds_most = ROUNDS;
    inner->figures.tells.cpu_time = adapter_of(executor)->tells_cpu_time;
    executor->inner = &inner->figures.tells;
    executor->unit_rounds = 1;
    executor->holds_order = !adapter_of(executor)->talks;
    executor->iterations = calloc(SIDES, sizeof *executor->iterations);
    if (!executor->iterations)
        return lauka_fail_memory(error);
    if (!lauka_hooks_init(&executor->hooks, executor->options, executor->launcher, error) ||
        !set_all_up(executor, error))
        return false;
    if (calibrate(executor, error))
        return true;
    executor->refused = executor->hook_failed || *executor->failure.reason;
    return false;
}

static bool count(struct lauka_executor *executor, const struct lauka_event *events, size_t asked,
                  struct lauka_error *error)
{
    (void)events;
    (void)asked;
    return lauka_launcher_count(executor->launcher, lauka_default_events(&asked), 0,
                                &executor->counters, error);
}

static bool pin(struct lauka_executor *executor, struct lauka_cpu_set *cpus,
                struct lauka_result *result, struct lauka_error *error)
{
    (void)executor;
    (void)cpus;
    (void)result;
    (void)error;
    return true; /* --pin does not go with a suite */
}

static bool stand_by(struct lauka_executor *executor, struct lauka_result *result,
                     struct lauka_error *error)
{
    (void)executor;
    (void)result;
    (void)error;
    return true;
}

static enum lauka_hook_end set_up_before(struct lauka_executor *executor, size_t command,
                                         struct lauka_error *error)
{
    (void)executor;
    (void)command;
    (void)error;
    return LAUKA_HOOK_DONE;
}

static enum lauka_hook_end clean_up(struct lauka_executor *executor, size_t command,
                                    struct lauka_error *error)
{
    return lauka_hooks_clean_up(&executor->hooks, command, &executor->failure, error);
}

static bool pads(const struct lauka_executor *executor)
{
    (void)executor;
    return false;
}

static void turn(struct lauka_executor *executor, unsigned set)
{
    (void)executor;
    (void)set;
}

static void spare(struct lauka_executor *executor)
{
    (void)executor;
}

static bool delay(struct lauka_executor *executor, size_t command, uint64_t delay_ns)
{
    (void)executor;
    (void)command;
    (void)delay_ns;
    return false;
}

static uint64_t now_ns(const struct lauka_executor *executor)
{
    (void)executor;
    return lauka_now_ns();
}

/* Lauka itself is what starts them. */
static uint64_t rss_floor(const struct lauka_executor *executor)
{
    struct rusage own;
    struct lauka_usage usage;

    (void)executor;
    getrusage(RUSAGE_SELF, &own);
    lauka_usage_read(&own, 0, &usage);
    return usage.values[LAUKA_PEAK_RSS];
}

static void release(struct lauka_executor *executor)
{
    struct inner *inner = inner_of(executor);

    if (inner)
        forget_sides(inner);
    if (inner)
        lauka_inner_figures_done(&inner->figures);
    lauka_hooks_done(&executor->hooks);
    free(executor->iterations);
    free(inner);
    executor->iterations = NULL;
    executor->own = NULL;
}

const struct lauka_executor_kind lauka_suited = {
    .real = true,
    .pads = pads,
    .open = take_commands,
    .count = count,
    .pin = pin,
    .track_memory = stand_by,
    .set_up = set_up_before,
    .begin = stand_by,
    .clean_up = clean_up,
    .turn = turn,
    .run = run,
    .spare = spare,
    .delay = delay,
    .now_ns = now_ns,
    .rss_floor = rss_floor,
    .close = release,
};
