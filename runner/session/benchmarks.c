/* A session: its benchmarks take turns, so that drift of the machine is spread over all of them. The next
 * one is drawn at random among those that do not know enough yet. */
#include "runner/session/loop.h"
#include "runner/session/session.h"
#include "report/result/result.h"
#include "report/result/session.h"
#include "report/text/prose.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "stats/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    return lauka_measurement_goes_on(bench) ? lauka_loop_left_ns(bench->loop) : 0;
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

/* ---- before the first round ------------------------------------------------------------------------- */

/* What the warm-up has shown of the session to come: that the given time is too short for a verdict on which something
 * hangs, or that the session takes long. */

#define LONG_S 15.0 /* who waits longer should know it before */

/* A forecast from one round is not exact, and the time to type should be enough. */
static const double slack = 1.1;

struct outlook { /* of all benchmarks that go on */
    const struct lauka_options *options;
    size_t count;                     /* how many go on */
    const struct lauka_loop *first;   /* with too little time for a verdict; NULL: none */
    size_t short_count;               /* how many have too little */
    bool time_lacks;                  /* --max-time is too short for one of them */
    double each_s;                    /* per command, of the one that needs most for a verdict */
    double all_s;                     /* for verdicts in all of them, warm-ups included */
    double least_s;                   /* what all of them take at least */
    bool open;                        /* and perhaps more */
    const struct lauka_loop *longest; /* the one that takes most of it: */
    double longest_s;
};

static double seconds_of(double ns)
{
    return ns / 1e9;
}

/* Commands that run one after the other take as long each, it is assumed. */
static double times_of(const struct lauka_loop *loop)
{
    return loop->sequential ? (double)loop->options->run.command_count : 1;
}

static struct lauka_enough_outlook outlook_of(const struct lauka_loop *loop)
{
    return lauka_enough_outlook(&loop->enough, loop->guess_ns);
}

static void add_verdict(struct outlook *outlook, const struct lauka_loop *loop)
{
    const struct lauka_enough_outlook own = outlook_of(loop);
    const double rounds_s = slack * seconds_of((double)loop->guess_ns * (double)own.verdict);
    const double each_s = rounds_s / (double)loop->together;

    outlook->all_s += rounds_s + seconds_of((double)loop->before_ns);
    if (each_s > outlook->each_s)
        outlook->each_s = each_s;
    if (own.allowed >= own.verdict)
        return;
    outlook->first = outlook->first ? outlook->first : loop;
    outlook->short_count++;
    if (each_s > seconds_of((double)outlook->options->measure.max_time_ns))
        outlook->time_lacks = true;
}

static void add_length(struct outlook *outlook, const struct lauka_loop *loop)
{
    const double least_s = times_of(loop) * seconds_of((double)outlook_of(loop).least_ns);

    outlook->least_s += least_s;
    outlook->open = outlook->open || loop->enough.looks;
    if (least_s > outlook->longest_s) {
        outlook->longest_s = least_s;
        outlook->longest = loop;
    }
}

static struct outlook look_ahead(const struct lauka_measurement *benches, size_t count,
                                 const struct lauka_options *options)
{
    struct outlook outlook = {.options = options};

    for (size_t b = 0; b < count; b++) {
        const struct lauka_loop *loop = benches[b].loop;
        if (!lauka_loop_goes_on(loop) || loop->guess_ns == 0)
            continue;
        outlook.count++;
        add_verdict(&outlook, loop);
        add_length(&outlook, loop);
    }
    return outlook;
}

/* "--max-time 7s --budget 20s": of what was given, that which is too short. */
static const char *name_enough(struct lauka_prose *prose, const struct outlook *outlook)
{
    const struct lauka_measure_options *measure = &outlook->options->measure;
    const char *time = "", *budget = "";

    if (measure->has_max_time && outlook->time_lacks)
        time = lauka_say(prose, "--max-time %s", lauka_say_duration(prose, outlook->each_s));
    if (measure->budget_ns > 0 && outlook->all_s > seconds_of((double)measure->budget_ns))
        budget = lauka_say(prose, "--budget %s", lauka_say_duration(prose, outlook->all_s));
    return lauka_join(prose, time, " ", budget);
}

/* "about 3 rounds fit into --max-time 2s, and a verdict needs 8: --max-time 7s would do"; empty where benchmarks that
 * need less leave enough to the others. */
static const char *say_too_short(struct lauka_prose *prose, const struct outlook *outlook)
{
    const struct lauka_loop *loop = outlook->first;
    const struct lauka_enough_outlook own = outlook_of(loop);
    const char *among = "", *would_do = name_enough(prose, outlook);

    if (!*would_do)
        return "";
    if (outlook->count > 1)
        among = lauka_say(prose, "%s: ", lauka_say_safely(prose, loop->result->benchmark.name));
    if (outlook->short_count > 1)
        among = lauka_say(prose, "%zu of %zu benchmarks, such as %s", outlook->short_count,
                          outlook->count, among);
    return lauka_say(prose,
                     "%sabout %" PRIu64 " round%s fit%s into %s, and a verdict needs %" PRIu64
                     ": %s would do",
                     among, own.allowed, lauka_plural(own.allowed), own.allowed == 1 ? "s" : "",
                     lauka_time_limit(prose, loop->result, 0).text, own.verdict, would_do);
}

/* "0.31 s", "3.1 s", "31 s" */
static const char *say_run(struct lauka_prose *prose, double seconds)
{
    return seconds < 10 ? lauka_say(prose, "%.2g s", seconds) : lauka_say_wait(prose, seconds);
}

/* "a run takes about 3.1 s: 10 rounds of 3 commands take" */
static const char *say_rounds(struct lauka_prose *prose, const struct lauka_loop *loop)
{
    const size_t commands = loop->options->run.command_count;
    const uint64_t rounds = outlook_of(loop).least;

    return lauka_say(prose, "a run takes about %s: %" PRIu64 " round%s of %zu command%s take%s",
                     say_run(prose, seconds_of((double)loop->guess_ns / (double)loop->together)),
                     rounds, lauka_plural(rounds), commands, lauka_plural(commands),
                     rounds == 1 ? "s" : "");
}

static const char *say_long(struct lauka_prose *prose, const struct outlook *outlook)
{
    const struct lauka_loop *loop = outlook->longest;
    const uint64_t rounds_ns = loop->guess_ns * outlook_of(loop).least;
    const size_t commands = loop->options->run.command_count;
    const char *what;

    if (outlook->count > 1)
        what = lauka_say(prose, "%zu benchmarks take", outlook->count);
    else if (seconds_of((double)rounds_ns) * times_of(loop) >= outlook->least_s)
        what = say_rounds(prose, loop);
    else
        what = lauka_say(prose, "%zu command%s take%s", commands, lauka_plural(commands),
                         commands == 1 ? "s" : "");
    return lauka_say(
        prose, "%s about %s%s; --budget %.0fs ends earlier, Ctrl-C reports what is there", what,
        lauka_say_wait(prose, outlook->least_s), outlook->open ? " at least" : "", LONG_S);
}

static const char *outlook_text(struct lauka_prose *prose, const struct outlook *outlook)
{
    const struct lauka_measure_options *measure = &outlook->options->measure;

    if (outlook->first)
        return say_too_short(prose, outlook);
    return measure->has_max_time || measure->budget_ns > 0 || outlook->least_s < LONG_S
               ? ""
               : say_long(prose, outlook);
}

static void say_outlook(const struct lauka_measurement *benches, size_t count,
                        const struct lauka_options *options)
{
    const struct outlook outlook = look_ahead(benches, count, options);
    struct lauka_error note;

    if (options->quiet || outlook.count == 0)
        return;
    struct lauka_prose prose =
        lauka_prose_begin(NULL, lauka_terminal_detect(STDERR_FILENO, LAUKA_COLOR_NEVER));
    const char *text = outlook_text(&prose, &outlook);
    if (*text) {
        lauka_progress_clear();
        lauka_fail(&note, LAUKA_EXIT_DONE, "%s", text);
        lauka_note_print(&note);
    }
    lauka_prose_done(&prose);
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
    if (good)
        say_outlook(bench, 1, bench->options);
    while (good && lauka_measurement_goes_on(bench))
        good = lauka_measurement_step(bench, error);
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
        count += lauka_measurement_goes_on(&all->benches[b]);
    return count;
}

/* That many of those that go on are before it. */
static struct lauka_measurement *find_undecided(const struct lauka_benchmarks *all, size_t before)
{
    size_t b = 0;

    while (!lauka_measurement_goes_on(&all->benches[b]) || before-- > 0)
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

static bool take_turns(struct lauka_benchmarks *all, struct lauka_error *error)
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
        if (!lauka_measurement_goes_on(bench) && !lauka_measurement_close(bench, error))
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
    bool good = open_all(all, error);

    if (good && count_undecided(all) > 0) {
        share_budget(all, count_undecided(all));
        say_outlook(all->benches, all->options->run.benchmark_count, all->options);
    }
    good = good && take_turns(all, error);

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
