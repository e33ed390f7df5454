/* What counters leave out and why: events that cannot be counted, sets of events that take turns, and runs that were not counted, or not wholly. */
#include "runner/session/session.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- events that did not open, and what the rounds have shown about counters of whole runs ------- */

/* Whether a row of the tables is empty because something cannot be counted: not because the benchmark inside a
 * program tells no CPU time. */
static bool is_a_gap(const struct lauka_result *result, size_t m)
{
    return lauka_result_is_shown(result, m) && !result->metrics[m].counted && m != LAUKA_CPU_TIME;
}

static bool shows_a_gap(const struct lauka_result *result)
{
    for (size_t m = 0; m < result->metric_count; m++)
        if (is_a_gap(result, m))
            return true;
    return false;
}

/* Without counters it is not known on which CPUs a run was. */
static int note_none(struct lauka_result *result)
{
    char names[300] = "";

    for (size_t m = 0, used = 0; m < result->metric_count && used < sizeof names - 70; m++)
        if (is_a_gap(result, m))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.60s", used ? ", " : "",
                                     result->metrics[m].name);
    return lauka_result_note(
        result, "%s: not available with -e none, because they come from counters", names);
}

/* The number of CPUs that a run used was asked for and is not known, for a reason that no event has. */
static int note_cpus(const struct lauka_counters *counters, struct lauka_result *result)
{
    size_t m = lauka_result_metric_index(result, "cpus_used");
    bool said = counters->asked == 0 || counters->clock_error == 0;
    char why[400];

    for (size_t i = 0; i < counters->asked; i++)
        said = said || counters->errors[i] == counters->clock_error;
    if (said || m == result->metric_count || !lauka_result_is_shown(result, m) ||
        result->metrics[m].counted)
        return 0;
    lauka_counters_explain(counters, counters->clock_error, why, sizeof why);
    return lauka_result_note(result, "cannot measure cpus_used: %s", why);
}

int lauka_counter_notes_opened(const struct lauka_counters *counters, bool asked,
                               struct lauka_result *result)
{
    char advice[2048]; /* a sentence for each way in which events were refused */
    int error = 0;

    if ((asked || shows_a_gap(result)) && lauka_counters_advice(counters, advice, sizeof advice))
        error = lauka_result_warn(result, advice);
    if (!error && counters->asked == 0 && shows_a_gap(result))
        error = note_none(result);
    if (!error)
        error = note_cpus(counters, result);
    if (!error && counters->user_only)
        error = lauka_result_warn(
            result, "events marked :u are counted in user mode only: the kernel may not be "
                    "counted here (as root, or with kernel.perf_event_paranoid at 1 or "
                    "less, it may)");
    return error;
}

static int note_runs(uint64_t runs, const char *what, const char *why, struct lauka_result *result)
{
    if (runs == 0)
        return 0;
    return lauka_result_note(result, "the counts of %llu runs %s: %s", (unsigned long long)runs,
                             what, why);
}

static int note_samples(const struct lauka_counters *counters, uint64_t asked_ns,
                        struct lauka_result *result)
{
    if (counters->sampled_ns == 0)
        return 0;
    bool clamped = asked_ns && counters->sampled_ns > asked_ns;
    return lauka_result_note(result,
                             "running threads were sampled every %.3g ms%s, for those whose end is "
                             "not seen; their counts are marked as estimates",
                             (double)counters->sampled_ns / 1e6,
                             clamped ? ", the least that macOS allows" : "");
}

/* A row that leaves a part of some command out is called so. */
static int rename_rows(struct lauka_result *result, char *names, size_t size)
{
    size_t used = 0;

    for (size_t m = 0; m < result->metric_count; m++) {
        struct lauka_result_metric *metric = &result->metrics[m];
        bool of_process = strcmp(metric->source, "rusage_info") == 0 ||
                          strcmp(metric->name, "cycles") == 0 ||
                          strcmp(metric->name, "instructions") == 0;
        if (!of_process || !metric->counted)
            continue;
        size_t length = strlen(metric->name) + sizeof ":process";
        char *marked = malloc(length);
        if (!marked)
            return ENOMEM;
        snprintf(marked, length, "%s:process", metric->name);
        free(metric->name);
        metric->name = marked;
        if (used < size)
            used += (size_t)snprintf(names + used, size - used, "%s%s", used ? ", " : "", marked);
    }
    return 0;
}

static int note_forks(const struct lauka_counters *counters, const bool *forked,
                      struct lauka_result *result)
{
    char names[400] = "";
    size_t first = 0;

    while (first < result->command_count && !forked[first])
        first++;
    if (!counters->process_only || first == result->command_count)
        return 0;
    int failure = rename_rows(result, names, sizeof names);
    if (failure)
        return failure;
    return lauka_result_note(result,
                             "`%.200s` started other processes, which %s leave out; run the "
                             "program directly, or lauka under sudo",
                             result->commands[first].label, names);
}

int lauka_counter_notes(const struct lauka_counters *counters, const bool *forked,
                        uint64_t asked_ns, struct lauka_result *result)
{
    if (!counters->whole_runs)
        return 0;
    int failure = note_runs(counters->partial_runs, "were incomplete and are left out",
                            counters->trouble, result);
    if (!failure)
        failure = note_runs(counters->doubtful_runs, "are in doubt and are marked as estimates (~)",
                            counters->doubt, result);
    if (!failure)
        failure = note_samples(counters, asked_ns, result);
    return failure ? failure : note_forks(counters, forked, result);
}

/* ---- events that share counters -------------------------------------------------------------------- */

/* With too few rounds, some events get no turn. */
static bool fail_turns(const struct lauka_counters *counters, struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_HOST,
                      "--require-counters: %u event sets need at least %u rounds to be counted in "
                      "turns; give them more, as with -r %u",
                      counters->set_count, counters->set_count, counters->set_count);
}

bool lauka_counters_get_turns(const struct lauka_counters *counters,
                              const struct lauka_options *options, struct lauka_error *error)
{
    uint64_t most = options->measure.rounds ? options->measure.rounds : options->measure.max_rounds;

    return !options->measure.require_counters || !lauka_turns_are_taken(counters, options) ||
           most == 0 || most >= counters->set_count || fail_turns(counters, error);
}

/* The least and the most rounds that a set was counted in; how many sets were in none. */
static unsigned find_turns(const struct lauka_counters *counters, const uint64_t *turns,
                           uint64_t *least, uint64_t *most)
{
    unsigned none = 0;

    *least = *most = turns[0];
    for (unsigned i = 0; i < counters->set_count; i++) {
        *least = turns[i] < *least ? turns[i] : *least;
        *most = turns[i] > *most ? turns[i] : *most;
        none += turns[i] == 0;
    }
    return none;
}

bool lauka_counters_had_turns(const struct lauka_counters *counters, const uint64_t *turns,
                              const struct lauka_options *options, struct lauka_error *error)
{
    uint64_t least, most;

    return !options->measure.require_counters || !lauka_turns_are_taken(counters, options) ||
           find_turns(counters, turns, &least, &most) == 0 || fail_turns(counters, error);
}

/* Whether so few rounds leave comparisons of events without a verdict. */
static bool are_too_few(const struct lauka_options *options, uint64_t least)
{
    return least == 0 || (options->run.command_count > 1 && least < LAUKA_FEWEST_ROUNDS);
}

static int note_turns(const struct lauka_counters *counters, const uint64_t *turns,
                      const struct lauka_options *options, struct lauka_result *result)
{
    unsigned long long rounds = result->run.rounds, wanted = lauka_turns_needed(counters, options);
    uint64_t least, most;
    char text[300], upto[32] = "";

    unsigned none = find_turns(counters, turns, &least, &most);
    if (most > least)
        snprintf(upto, sizeof upto, most > least + 1 ? " to %llu" : " or %llu",
                 (unsigned long long)most);
    int used =
        snprintf(text, sizeof text, "events took turns: each was counted in %llu%s of %llu rounds",
                 (unsigned long long)least, upto, rounds);
    if (none > 0)
        used = snprintf(text, sizeof text,
                        "%u event sets take turns, and %u of them had none in %llu rounds",
                        counters->set_count, none, rounds);
    if (are_too_few(options, least) && used > 0 && (size_t)used < sizeof text)
        snprintf(text + used, sizeof text - (size_t)used,
                 ", where a verdict needs at least %d of each: ask for -r %llu or more, or for "
                 "fewer events (-e)",
                 LAUKA_FEWEST_ROUNDS, wanted);
    return rounds > 0 ? lauka_result_warn(result, text) : 0;
}

int lauka_counter_notes_shared(const struct lauka_counters *counters, const uint64_t *turns,
                               const struct lauka_options *options, struct lauka_result *result)
{
    bool shared = false;

    if (lauka_turns_are_taken(counters, options))
        return note_turns(counters, turns, options, result);
    for (size_t m = 0; m < result->metric_count; m++)
        shared |= result->metrics[m].counted && result->metrics[m].share < 1;
    if (!shared || counters->whole_runs) /* there it was sampled, which is said already */
        return 0;
    const char *taken = options->measure.pretended ? NULL : lauka_counters_taken(counters);
    return lauka_result_note(result,
                             "more events than counters%s%s; ask for fewer (-e), or let rounds "
                             "take turns (without --multiplex=time)",
                             taken ? ": " : "", taken ? taken : "");
}

/* ---- miscounts --------------------------------------------------------------------------------- */

/* Runs that were not counted, or not completely: an event that could be opened before was refused, could not
 * be read, or was taken away; or the system's own count differs. */

const char lauka_miscounts_unwatched[] =
    "it starts a program that is set-uid or may not be read, and the kernel does not let other "
    "users count it; run lauka as root, or under sudo with --as-root";

int lauka_miscounts_init(struct lauka_miscounts *miscounts, const struct lauka_options *options,
                         const struct lauka_counters *counters)
{
    *miscounts = (struct lauka_miscounts){.options = options, .counters = counters};
    miscounts->uncounted = calloc(options->run.command_count, sizeof *miscounts->uncounted);
    miscounts->forked = calloc(options->run.command_count, sizeof *miscounts->forked);
    return miscounts->uncounted && miscounts->forked ? 0 : ENOMEM;
}

static bool heed_error(struct lauka_miscounts *miscounts, const struct lauka_sample *sample,
                       struct lauka_error *error)
{
    char name[LAUKA_EVENT_NAME_SIZE], why[600];

    if (miscounts->runs++ == 0) {
        miscounts->error = sample->count_error;
        miscounts->error_at = sample->count_error_at;
    }
    if (!miscounts->options->measure.require_counters)
        return true;
    lauka_counters_name(miscounts->counters, sample->count_error_at, name, sizeof name);
    lauka_counters_explain(miscounts->counters, sample->count_error, why, sizeof why);
    return lauka_fail(error, LAUKA_EXIT_HOST, "--require-counters: cannot count %s: %s", name, why);
}

static bool is_energy(const struct lauka_event *event)
{
    return event->of_machine && strcmp(event->unit, "J") == 0;
}

/* No machine takes no energy. */
static bool is_still(const struct lauka_counters *counters, const struct lauka_sample *sample)
{
    for (size_t i = 0; sample->readings && i < counters->asked; i++)
        if (is_energy(counters->events[i]) && sample->readings[i].running > 0 &&
            sample->readings[i].value == 0)
            return true;
    return false;
}

static bool is_early(const struct lauka_options *options, const struct lauka_sample *sample)
{
    return sample->usage.values[LAUKA_WALL_TIME] < options->measure.delay_ns;
}

bool lauka_miscounts_add(struct lauka_miscounts *miscounts, size_t command,
                         const struct lauka_sample *sample, struct lauka_result_command *shown,
                         struct lauka_error *error)
{
    miscounts->uncounted[command] |= sample->uncounted;
    miscounts->early += is_early(miscounts->options, sample);
    miscounts->still += is_still(miscounts->counters, sample);
    miscounts->forked[command] |= sample->forked;
    shown->unwatched |= sample->unwatched && !sample->uncounted;
    shown->contradicted += sample->contradicted;
    if ((sample->uncounted || sample->unwatched) && miscounts->options->measure.require_counters)
        return lauka_fail(
            error, LAUKA_EXIT_HOST, "--require-counters: `%.200s` was not counted: %s",
            miscounts->options->run.commands[command].label, lauka_miscounts_unwatched);
    return !sample->count_error || heed_error(miscounts, sample, error);
}

static int warn_about_error(const struct lauka_miscounts *miscounts, struct lauka_result *result)
{
    char name[LAUKA_EVENT_NAME_SIZE], why[600];

    if (miscounts->runs == 0)
        return 0;
    lauka_counters_name(miscounts->counters, miscounts->error_at, name, sizeof name);
    lauka_counters_explain(miscounts->counters, miscounts->error, why, sizeof why);
    return lauka_result_note(result, "in %llu run%s not everything was counted, such as %s: %s",
                             (unsigned long long)miscounts->runs, miscounts->runs == 1 ? "" : "s",
                             name, why);
}

/* What is everybody's is called so. */
static int warn_about_machine(const struct lauka_miscounts *miscounts, struct lauka_result *result)
{
    char names[300] = "";
    size_t used = 0;

    for (size_t i = 0; i < miscounts->counters->asked; i++)
        if (miscounts->counters->events[i]->of_machine && miscounts->counters->errors[i] == 0 &&
            used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     miscounts->counters->events[i]->name);
    if (used == 0)
        return 0;
    int failure = lauka_result_note(
        result,
        "whole machine: %s includes what everything else did during a run; commands can be "
        "compared because their runs take turns",
        names);
    return failure || miscounts->still == 0
               ? failure
               : lauka_result_note(
                     result,
                     "in %llu run%s the energy did not change: its counter moves about every "
                     "millisecond, so single runs that short say little; only many of them, or "
                     "longer ones, do",
                     (unsigned long long)miscounts->still, miscounts->still == 1 ? "" : "s");
}

static int warn_about_delay(const struct lauka_miscounts *miscounts, struct lauka_result *result)
{
    double delay = (double)miscounts->options->measure.delay_ns / 1e9;

    if (delay == 0)
        return 0;
    int failure = lauka_result_note(
        result,
        "events were counted from %g s after the start of each run on (--delay); times, memory "
        "and page faults are of whole runs",
        delay);
    return failure || miscounts->early == 0
               ? failure
               : lauka_result_note(
                     result,
                     "%llu run%s ended within %g s, so nothing was counted; choose a shorter "
                     "--delay",
                     (unsigned long long)miscounts->early, miscounts->early == 1 ? "" : "s", delay);
}

int lauka_miscounts_warn(const struct lauka_miscounts *miscounts, struct lauka_result *result)
{
    char text[1024];

    if (warn_about_error(miscounts, result) != 0 || warn_about_delay(miscounts, result) != 0 ||
        warn_about_machine(miscounts, result) != 0)
        return ENOMEM;
    for (size_t c = 0; c < result->command_count; c++) {
        snprintf(text, sizeof text, "`%.200s` was not counted: %s", result->commands[c].label,
                 lauka_miscounts_unwatched);
        if (miscounts->uncounted[c] && lauka_result_warn(result, text) != 0)
            return ENOMEM;
    }
    return lauka_counter_notes(miscounts->counters, miscounts->forked,
                               miscounts->options->measure.period_ns, result);
}

void lauka_miscounts_done(struct lauka_miscounts *miscounts)
{
    free(miscounts->uncounted);
    free(miscounts->forked);
}
