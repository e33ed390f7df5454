/* --order sequential: one command after the other, each with its setup, its runs and its cleanup, as
 * hyperfine does; a session of its own for each, and one result of them all. */
#include "runner/runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a merged result has no single one of. */
struct course {
    struct lauka_result_run run;
    struct lauka_result_failure failure;
    char **arguments;
    struct lauka_result_option *options;
    size_t option_count;
};

static void take_course(struct course *course, struct lauka_part *parts, size_t count)
{
    struct lauka_result *first = &parts[0].result, *last = &parts[count - 1].result;

    *course = (struct course){.run = first->run,
                              .failure = last->failure,
                              .arguments = first->arguments,
                              .options = first->options,
                              .option_count = first->option_count};
    first->arguments = NULL;
    first->options = NULL;
    first->option_count = 0;
    last->failure = (struct lauka_result_failure){0};
    course->failure.command = count - 1;
    course->run.stopped = last->run.stopped;
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
    uint64_t rounds = result->run.rounds, floor = result->run.rss_floor;

    result->run = course->run;
    result->run.rounds = rounds;
    result->run.rss_floor = floor;
    result->run.order = NULL;
    result->run.layout = NULL;
    result->run.unpaired = true;
    result->failure = course->failure;
    result->arguments = course->arguments;
    result->options = course->options;
    result->option_count = course->option_count;
    return lauka_result_warn(result,
                             "--order sequential: all runs of a command came before those of "
                             "the next, so whatever drifted meanwhile (heat, other load) "
                             "looks like a difference; interleaved rounds would share it");
}

static bool merge(struct lauka_part *parts, size_t count, struct lauka_result *result,
                  struct lauka_error *error)
{
    struct course course;
    struct lauka_load_error why;

    if (count == 1) {
        *result = parts[0].result;
        return true;
    }
    take_course(&course, parts, count);
    int failure = lauka_result_merge(parts, count, result, &why);
    if (!failure)
        failure = give_course(&course, result);
    return !failure || lauka_fail(error, LAUKA_EXIT_INTERNAL, "%s",
                                  failure == EINVAL ? why.text : "out of memory");
}

/* The session of one command, into its part. */
static bool run_one(struct lauka_bench *bench, size_t command, struct lauka_part *part,
                    struct lauka_error *error)
{
    struct lauka_options options = *bench->options;
    struct lauka_bench own = {.options = &options,
                              .launcher = bench->launcher,
                              .result = &part->result,
                              .first_command = command};

    options.order = LAUKA_ORDER_SHUFFLE;
    options.commands += command;
    options.command_count = 1;
    bool good = lauka_bench_run(&own, error);
    part->name = options.commands[0].label;
    bench->failed = own.failed;
    bench->failure = own.failure;
    bench->failure.command = command;
    return good;
}

bool lauka_sequential_run(struct lauka_bench *bench, struct lauka_error *error)
{
    size_t total = bench->options->command_count, count = 0;
    struct lauka_part *parts = calloc(total, sizeof *parts);
    bool good = parts != NULL;

    if (!good)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory");
    parts[0].result = *bench->result; /* what is known of the machine already */
    *bench->result = (struct lauka_result){0};
    while (good && count < total && !bench->failed && !lauka_interrupt_signal())
        good = run_one(bench, count, &parts[count], error), count++;
    if (count > 1 && parts[count - 1].result.run.rounds == 0) /* it did not get that far */
        lauka_result_done(&parts[--count].result);
    struct lauka_error further;
    bool merged = merge(parts, count, bench->result, good ? error : &further);
    free(parts);
    return good && merged;
}
