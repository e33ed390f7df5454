/* --order sequential: one command after the other, each with its setup, its runs and its cleanup, as in
 * hyperfine; one session for each, and one result for all. */
#include "runner/session/session.h"
#include "report/load/load.h"
#include "report/result/result.h"
#include "report/words/said.h"
#include "report/words/words.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a merged result has no single one of. */
struct course {
    struct lauka_result_benchmark benchmark;
    struct lauka_result_run run;
    struct lauka_result_failure failure;
    struct lauka_result_error error;
    char **arguments, **reproduce;
    struct lauka_result_option *options;
    size_t option_count;
};

static void take_course(struct course *course, struct lauka_part *parts, size_t count)
{
    struct lauka_result *first = &parts[0].result, *last = &parts[count - 1].result;

    *course = (struct course){.benchmark = first->benchmark,
                              .run = first->run,
                              .failure = last->failure,
                              .error = last->error,
                              .arguments = first->arguments,
                              .reproduce = first->reproduce,
                              .options = first->options,
                              .option_count = first->option_count};
    first->benchmark = (struct lauka_result_benchmark){0};
    first->arguments = first->reproduce = NULL;
    first->options = NULL;
    first->option_count = 0;
    last->failure = (struct lauka_result_failure){0};
    last->error = (struct lauka_result_error){0};
    course->failure.command = count - 1;
    course->run.stopped = last->run.stopped;
    last->run.stopped = LAUKA_STOPPED_STORED; /* it is told of all of them */
    course->run.seconds = course->run.measured = 0;
    course->run.dropped = 0;
    for (size_t p = 0; p < count; p++) {
        course->run.seconds += parts[p].result.run.seconds;
        course->run.measured += parts[p].result.run.measured;
        course->run.dropped += parts[p].result.run.dropped;
    }
}

static int give_course(const struct course *course, struct lauka_result *result)
{
    const uint64_t rounds = result->run.rounds, floor = result->run.rss_floor;
    const bool left_out = result->run.samples_left_out; /* merged ones hold values again */

    result->benchmark = course->benchmark;
    result->run = course->run;
    result->run.rounds = rounds;
    result->run.rss_floor = floor;
    result->run.samples_left_out = left_out;
    result->run.order = NULL;
    result->run.layout = NULL;
    result->run.unpaired = true;
    result->failure = course->failure;
    result->error = course->error;
    result->arguments = course->arguments;
    result->reproduce = course->reproduce;
    result->options = course->options;
    result->option_count = course->option_count;
    return lauka_result_warn(result,
                             "--order sequential: all runs of a command came before those of "
                             "the next, so drift (heat, other load) looks like a difference; "
                             "interleaved rounds would spread it over all commands");
}

/* ---- what is said of all commands is said once ------------------------------------------------------- */

static void drop_warning(struct lauka_result *result, size_t warning)
{
    free(result->warnings[warning]);
    result->warning_count--;
    for (size_t w = warning; w < result->warning_count; w++)
        result->warnings[w] = result->warnings[w + 1];
}

static int take_common_warnings(struct lauka_part *parts, size_t count,
                                struct lauka_result *general)
{
    struct lauka_result *first = &parts[0].result;

    for (size_t w = 0; w < first->warning_count;) {
        const char *text = first->warnings[w];
        size_t having = 1;
        while (having < count && lauka_result_has_warning(&parts[having].result, text))
            having++;
        if (having < count) {
            w++;
            continue;
        }
        if (lauka_result_warn(general, text) != 0)
            return ENOMEM;
        for (size_t p = count; p-- > 0;) /* the text itself is that of the first */
            drop_warning(&parts[p].result,
                         p > 0 ? lauka_result_find_warning(&parts[p].result, text) : w);
    }
    return 0;
}

/* In front of the others. */
static int give_warnings(const struct lauka_result *general, struct lauka_result *result)
{
    char **own = result->warnings;
    size_t count = result->warning_count;
    int failure = 0;

    result->warnings = NULL;
    result->warning_count = 0;
    for (size_t w = 0; w < general->warning_count && !failure; w++)
        failure = lauka_result_warn(result, general->warnings[w]);
    for (size_t w = 0; w < count; w++) {
        failure = failure ? failure : lauka_result_warn(result, own[w]);
        free(own[w]);
    }
    free(own);
    return failure;
}

/* ---- one result of them all --------------------------------------------------------------------------- */

/* Those that ran come first. */
static bool merge(struct lauka_part *parts, size_t count, size_t ran, struct lauka_result *general,
                  struct lauka_result *result, struct lauka_error *error)
{
    struct course course;
    struct lauka_load_error why;

    if (count == 1) {
        *result = parts[0].result;
        return give_warnings(general, result) == 0 || lauka_fail_memory(error);
    }
    int failure = take_common_warnings(parts, ran, general);
    take_course(&course, parts, ran);
    if (!failure)
        failure = lauka_result_merge(parts, count, result, &why);
    if (!failure)
        failure = give_warnings(general, result);
    if (!failure)
        failure = give_course(&course, result);
    return !failure || lauka_fail(error, LAUKA_EXIT_INTERNAL, "%s",
                                  failure == EINVAL ? why.text : "out of memory");
}

/* The session of one command, into its part. options: the session's, which become the command's. */
static bool run_alone(struct lauka_measurement *bench, size_t command,
                      struct lauka_options *options, struct lauka_interim *interim,
                      struct lauka_part *part, struct lauka_error *error)
{
    struct lauka_measurement own = {.options = options,
                                    .launcher = bench->launcher,
                                    .executables = bench->executables,
                                    .result = &part->result,
                                    .first_command = command,
                                    .keep = bench->keep ? lauka_interim_tell : NULL,
                                    .context = interim};

    options->order = LAUKA_ORDER_SHUFFLE;
    if (options->budget_ns > 0)
        options->budget_ns =
            options->budget_ns / options->command_count / options->benchmark_count + 1;
    options->commands += command;
    options->command_count = 1;
    bool good = lauka_measurement_run(&own, error);
    if (!good)
        lauka_failure_note_error(error, options, &part->result);
    part->name = options->commands[0].label;
    bench->failed = own.failed;
    bench->failure = own.failure;
    bench->failure.command = command;
    return good;
}

static bool run_one(struct lauka_measurement *bench, size_t command, struct lauka_interim *interim,
                    struct lauka_part *part, struct lauka_error *error)
{
    struct lauka_options *options = malloc(sizeof *options); /* they would fill a small stack */

    if (!options)
        return lauka_fail_memory(error);
    *options = *bench->options;
    bool good = run_alone(bench, command, options, interim, part, error);
    free(options);
    return good;
}

/* Several benchmarks have the same sides, so that those that were not reached are there, without values. Returns
 * how many there are then. */
static size_t outline_rest(const struct lauka_measurement *bench, struct lauka_part *parts,
                           size_t count)
{
    for (; bench->together && count < bench->options->command_count; count++) {
        struct lauka_options options = *bench->options;
        options.commands += count;
        options.command_count = 1;
        parts[count].name = options.commands[0].label;
        if (lauka_outline_make_like(&parts[0].result, &options, &parts[count].result) != 0) {
            lauka_result_done(&parts[count].result);
            return count;
        }
        parts[count].result.run.stopped = LAUKA_STOPPED_STORED; /* it did not end at all */
        while (parts[count].result.warning_count > 0)           /* the others have them */
            drop_warning(&parts[count].result, 0);
    }
    return count;
}

/* Commands that were not reached are not part of the result, or have no values. */
static int note_left_out(const struct lauka_options *options, size_t from,
                         struct lauka_result *result)
{
    char text[900];
    size_t used = 0, c = from;

    if (from == options->command_count)
        return 0;
    for (; c < options->command_count && used < sizeof text - 250; c++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s`%.100s`",
                                 c > from ? ", " : "", options->commands[c].label);
    if (c < options->command_count)
        used += (size_t)snprintf(text + used, sizeof text - used, " and %zu more",
                                 options->command_count - c);
    snprintf(text + used, sizeof text - used, LAUKA_LEFT_OUT_NOTE "%s",
             result->run.stopped == LAUKA_STOPPED_FAILURE ? "a command failed before"
             : result->run.stopped == LAUKA_STOPPED_ERROR ? "an error ended the session before"
                                                          : "the session was interrupted before");
    return lauka_result_warn(result, text);
}

/* All files at once, because the session of one command does not know the others. A setup will make those
 * that are missing. */
static int place(const struct lauka_measurement *bench)
{
    struct lauka_error ignored;

    if (!bench->executables || bench->options->pretended)
        return 0;
    for (size_t c = 0; c < bench->options->command_count; c++)
        (void)lauka_command_locate(&bench->options->commands[c], &ignored);
    return lauka_placement_make(bench->executables, bench->options);
}

static bool run_all(struct lauka_measurement *bench, struct lauka_error *error)
{
    size_t total = bench->options->command_count, count = 0;
    struct lauka_part *parts = calloc(total, sizeof *parts);
    struct lauka_result general = {0}; /* its warnings only */
    struct lauka_interim interim;
    bool good = lauka_interim_init(&interim, bench) == 0 && parts != NULL && place(bench) == 0;

    if (!good) {
        lauka_interim_done(&interim);
        free(parts);
        return lauka_fail_memory(error);
    }
    parts[0].result = *bench->result; /* what is known of the machine already */
    general.warnings = parts[0].result.warnings;
    general.warning_count = parts[0].result.warning_count;
    parts[0].result.warnings = NULL;
    parts[0].result.warning_count = 0;
    *bench->result = (struct lauka_result){0};
    while (good && count < total && !bench->failed && (count == 0 || !lauka_interrupt_signal())) {
        good = run_one(bench, count, &interim, &parts[count], error);
        if (good && count + 1 < total)
            lauka_interim_finish(&interim, &parts[count].result);
        count++;
    }
    struct lauka_error further;
    if (good && !bench->failed && count < total) /* between two commands */
        parts[count - 1].result.run.stopped = LAUKA_STOPPED_INTERRUPTED;
    size_t all = outline_rest(bench, parts, count);
    bool merged = merge(parts, all, count, &general, bench->result, good ? error : &further);
    if (merged && note_left_out(bench->options, count, bench->result) != 0)
        good = lauka_fail_memory(error);
    lauka_result_done(&general);
    lauka_interim_done(&interim);
    free(parts);
    return good && merged;
}

bool lauka_sequential_run(struct lauka_measurement *bench, struct lauka_error *error)
{
    if (bench->options->gate.rule_count > 0)
        return lauka_fail(
            error, LAUKA_EXIT_USAGE,
            "--gate with --order sequential: drift would look like a difference; leave "
            "one of them out");
    return run_all(bench, error);
}
