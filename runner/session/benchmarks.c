/* A session: its benchmarks take turns, so that drift of the machine is spread over all of them. The next
 * one is drawn at random among those that do not know enough yet. */
#include "runner/session/loop.h"
#include "runner/session/session.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- before anything runs --------------------------------------------------------------------------- */

/* By its name, so that a benchmark gets the same random numbers whichever others run beside it. */
static uint64_t lot_of(const char *name)
{
    return name ? lauka_hash(LAUKA_HASH, name, strlen(name)) : 0;
}

static int name_benchmark(const struct lauka_benchmark *from, struct lauka_result *result)
{
    struct lauka_result_benchmark *to = &result->benchmark;

    if (from->name && !(to->name = strdup(from->name)))
        return ENOMEM;
    return lauka_parameters_copy(from->parameters, from->parameter_count, &to->parameters,
                                 &to->parameter_count);
}

/* Primary metrics are the same in all: two, unless --primary says otherwise. */
static uint64_t tests_of_others(const struct lauka_options *options, size_t benchmark)
{
    uint64_t primaries = 1, comparisons = 0;

    for (const char *c = options->judge.primary; *c; c++)
        primaries += *c == ',';
    for (size_t b = 0; b < options->run.benchmark_count; b++)
        if (b != benchmark)
            comparisons += options->run.benchmarks[b].count - 1;
    return primaries * comparisons;
}

static bool prepare_one(struct lauka_benchmarks *all, size_t b)
{
    struct lauka_measurement *bench = &all->benches[b];
    const struct lauka_benchmark *benchmark = &all->options->run.benchmarks[b];
    bool several = all->options->run.benchmark_count > 1;

    *bench = (struct lauka_measurement){
        .options = &all->views[b],
        .launcher = all->launcher,
        .executables = &all->executables,
        .result = &all->session->benchmarks[b],
        .lot = all->one_order ? 0 : lot_of(benchmark->name),
        .tests = tests_of_others(all->options, b),
        .kind = all->kind,
        .kind_context = all->kind_context,
        .together = several,
        .heading = all->heading,
        .later_ns = all->later_ns,
        .place = several ? b + 1 : 0,
        .count = several ? all->options->run.benchmark_count : 0,
        .sharing = all->options->run.benchmark_count,
        .keep = several ? NULL : all->keep_one,
        .context = all->context,
    };
    return lauka_options_of(all->options, b, &all->views[b]) == 0 &&
           name_benchmark(benchmark, bench->result) == 0;
}

static bool prepare(struct lauka_benchmarks *all, struct lauka_error *error)
{
    size_t count = all->options->run.benchmark_count;

    all->benches = calloc(count, sizeof *all->benches);
    all->views = calloc(count, sizeof *all->views);
    if (!all->benches || !all->views)
        return lauka_fail_memory(error);
    for (size_t b = 0; b < count; b++)
        if (!prepare_one(all, b))
            return lauka_fail_memory(error);
    return true;
}

void lauka_benchmarks_done(struct lauka_benchmarks *all)
{
    for (size_t b = 0; all->benches && b < all->options->run.benchmark_count; b++)
        lauka_poured_done(&all->benches[b].poured);
    lauka_executables_done(&all->executables);
    free(all->views);
    free(all->benches);
    all->views = NULL;
    all->benches = NULL;
}

/* ---- what is known meanwhile ------------------------------------------------------------------------ */

static size_t count_streams(const struct lauka_benchmarks *all)
{
    size_t streams = 0;

    for (size_t b = 0; b < all->session->benchmark_count; b++)
        streams +=
            all->session->benchmarks[b].command_count * all->session->benchmarks[b].metric_count;
    return streams;
}

static bool summarise_all(struct lauka_benchmarks *all, struct lauka_session *so_far)
{
    bool good = lauka_session_init(so_far, all->session->benchmark_count) == 0;

    for (size_t b = 0; b < so_far->benchmark_count && good; b++)
        good = lauka_measurement_summarise(&all->benches[b], &so_far->benchmarks[b]) == 0;
    return good;
}

static void keep_so_far(struct lauka_benchmarks *all)
{
    uint64_t now_ns = lauka_now_ns();
    struct lauka_session so_far;

    if (!all->keep || all->options->measure.pretended ||
        !lauka_summary_is_due(all->kept_ns, all->cost_ns, now_ns) ||
        count_streams(all) > LAUKA_KEEP_STREAMS_MAX)
        return;
    if (summarise_all(all, &so_far))
        all->keep(all->context, &so_far);
    for (size_t b = 0; b < so_far.benchmark_count; b++)
        lauka_summary_done(&so_far.benchmarks[b]);
    free(so_far.benchmarks);
    all->kept_ns = lauka_now_ns();
    all->cost_ns = all->kept_ns - now_ns;
}

/* ---- one of them ------------------------------------------------------------------------------------ */

/* Forecast of its remaining time; 0 if it is over, or not known. */
static uint64_t left_ns_of(const struct lauka_measurement *bench)
{
    return lauka_loop_goes_on(bench->loop) ? lauka_loop_left_ns(bench->loop) : 0;
}

/* Whether its runs are so short that all benchmarks must skip extra measurements. */
static bool would_spare(const struct lauka_measurement *bench)
{
    return bench->loop && bench->loop->spares;
}

/* Its own time: all of it after closing; before that, the time before its measured rounds. */
static uint64_t gone_ns_of(const struct lauka_measurement *bench)
{
    return bench->loop ? bench->loop->before_ns : bench->gone_ns;
}

/* From now on its measured rounds may take this long, unless the options allow less. */
static void allow(struct lauka_measurement *bench, uint64_t allowed_ns)
{
    if (bench->loop)
        bench->loop->enough.allowed_ns = allowed_ns;
}

/* ---- alone, or in turns ------------------------------------------------------------------------------ */

/* Nothing else runs beside it. */
static bool run_alone(struct lauka_measurement *bench, struct lauka_error *error)
{
    struct lauka_error further;
    bool good = lauka_measurement_open(bench, error);
    uint64_t budget_ns = bench->options->measure.budget_ns, gone_ns = gone_ns_of(bench);

    if (budget_ns > 0 && bench->options->measure.order != LAUKA_ORDER_SEQUENTIAL)
        allow(bench, budget_ns > gone_ns ? budget_ns - gone_ns : 1);
    bool said = good && lauka_outlook_say(bench, 1, bench->options);
    while (good && lauka_loop_goes_on(bench->loop)) {
        good = lauka_measurement_step(bench, error);
        said = said || lauka_outlook_say(bench, 1, bench->options);
    }
    return lauka_measurement_close(bench, good ? error : &further) && good;
}

static bool open_all(struct lauka_benchmarks *all, struct lauka_error *error)
{
    bool spares = true;

    /* The first one even then: it runs nothing, but tells what would have been measured. */
    for (size_t b = 0;
         b < all->options->run.benchmark_count && (b == 0 || !lauka_interrupt_signal()); b++) {
        if (!lauka_measurement_open(&all->benches[b], error))
            return false;
        spares = spares && would_spare(&all->benches[b]);
    }
    if (spares && all->options->run.benchmark_count > 1 && !lauka_interrupt_signal())
        lauka_measurement_spare(&all->benches[0]);
    return true;
}

/* The share of --budget for each undecided benchmark: earlier ones may have needed less. */
static void share_budget(struct lauka_benchmarks *all, size_t undecided)
{
    uint64_t gone_ns = 0;

    if (all->options->measure.budget_ns == 0)
        return;
    for (size_t b = 0; b < all->options->run.benchmark_count; b++)
        gone_ns += gone_ns_of(&all->benches[b]);
    uint64_t left_ns =
        all->options->measure.budget_ns > gone_ns ? all->options->measure.budget_ns - gone_ns : 0;
    for (size_t b = 0; b < all->options->run.benchmark_count; b++)
        allow(&all->benches[b], left_ns / undecided + 1);
}

static size_t count_undecided(const struct lauka_benchmarks *all)
{
    size_t count = 0;

    for (size_t b = 0; b < all->options->run.benchmark_count; b++)
        count += lauka_loop_goes_on(all->benches[b].loop);
    return count;
}

/* That many of those that go on are before it. */
static struct lauka_measurement *find_undecided(const struct lauka_benchmarks *all, size_t before)
{
    size_t b = 0;

    while (!lauka_loop_goes_on(all->benches[b].loop) || before-- > 0)
        b++;
    return &all->benches[b];
}

/* How long the others will take, for the forecast. */
static void tell_others(struct lauka_benchmarks *all, struct lauka_measurement *bench)
{
    bench->others_left_ns = 0;
    for (size_t b = 0; b < all->options->run.benchmark_count; b++)
        if (&all->benches[b] != bench)
            bench->others_left_ns += left_ns_of(&all->benches[b]);
}

/* said: what the warm-up has shown of the session to come. */
static bool take_turns(struct lauka_benchmarks *all, bool said, struct lauka_error *error)
{
    struct lauka_random random;
    size_t undecided;

    all->kept_ns = lauka_now_ns();
    lauka_random_seed(&random, all->options->measure.seed ^ UINT64_C(0x62656e63686d6172));
    while (!lauka_interrupt_signal() && (undecided = count_undecided(all)) > 0) {
        struct lauka_measurement *bench =
            find_undecided(all, lauka_random_below(&random, undecided));
        share_budget(all, undecided);
        tell_others(all, bench);
        bench->sharing = undecided;
        if (!lauka_measurement_step(bench, error))
            return false;
        said = said ||
               lauka_outlook_say(all->benches, all->options->run.benchmark_count, all->options);
        if (!lauka_loop_goes_on(bench->loop) && !lauka_measurement_close(bench, error))
            return false;
        keep_so_far(all);
    }
    return true;
}

static bool close_all(struct lauka_benchmarks *all, struct lauka_error *error)
{
    bool good = true;

    for (size_t b = 0; b < all->options->run.benchmark_count; b++) {
        struct lauka_error further;
        if (all->benches[b].loop)
            good = lauka_measurement_close(&all->benches[b], good ? error : &further) && good;
    }
    return good;
}

static bool run_in_turns(struct lauka_benchmarks *all, struct lauka_error *error)
{
    struct lauka_error further;
    bool good = open_all(all, error), said = false;

    if (good && count_undecided(all) > 0) {
        share_budget(all, count_undecided(all));
        said = lauka_outlook_say(all->benches, all->options->run.benchmark_count, all->options);
    }
    good = good && take_turns(all, said, error);

    return close_all(all, good ? error : &further) && good;
}

/* Each with all its commands, one after the other. */
static bool run_in_sequence(struct lauka_benchmarks *all, struct lauka_error *error)
{
    bool good = true;

    for (size_t b = 0;
         b < all->options->run.benchmark_count && good && (b == 0 || !lauka_interrupt_signal());
         b++)
        good = all->views[b].judge.gate.rule_count > 0
                   ? lauka_fail(error, LAUKA_EXIT_USAGE,
                                "--gate with --order sequential: drift would look like a "
                                "difference; leave one of them out")
                   : run_alone(&all->benches[b], error);
    return good;
}

static bool run(struct lauka_benchmarks *all, struct lauka_error *error)
{
    if (all->options->measure.order == LAUKA_ORDER_SEQUENTIAL)
        return run_in_sequence(all, error);
    if (all->options->run.benchmark_count == 1)
        return run_alone(&all->benches[0], error);
    return run_in_turns(all, error);
}

/* ---- once nothing runs any more ----------------------------------------------------------------------- */

/* So that every document can tell of what was not begun, too. */
static bool outline_rest(struct lauka_benchmarks *all)
{
    const struct lauka_result *first = &all->session->benchmarks[0];
    int failure = 0;

    for (size_t b = 0; b < all->options->run.benchmark_count && !failure; b++) {
        struct lauka_result *result = &all->session->benchmarks[b];
        if (result->commands)
            continue;
        failure = lauka_outline_make_like(first, &all->views[b], result);
        result->run.stopped =
            lauka_interrupt_signal() ? LAUKA_STOPPED_INTERRUPTED : LAUKA_STOPPED_ERROR;
    }
    return !failure;
}

static bool look_at_executables(struct lauka_benchmarks *all)
{
    int failure = 0;

    for (size_t b = 0; b < all->options->run.benchmark_count && !failure; b++) {
        struct lauka_result *result = &all->session->benchmarks[b];
        lauka_executables_compare(&all->executables, &all->views[b], result);
        lauka_placement_describe(&all->executables, &all->views[b], result);
        if (all->tells_executables)
            failure = lauka_executables_describe(&all->executables, result);
    }
    return !failure;
}

bool lauka_benchmarks_run(struct lauka_benchmarks *all, struct lauka_error *error)
{
    if (!prepare(all, error))
        return false;
    struct lauka_error further;
    bool good = run(all, error);
    if (outline_rest(all) && look_at_executables(all))
        return good;
    return lauka_fail_memory(good ? error : &further);
}
