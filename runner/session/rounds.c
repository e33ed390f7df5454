/* What is kept of the finished rounds. Up to a number of rounds, every value in run order. Beyond it, or
 * if nobody wants single values, exact moments, a histogram and the histogram of the paired log ratio,
 * whose memory does not grow with the rounds. Room for values is made between rounds. */
#include "runner/session/session.h"
#include "runner/session/loop.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "report/words/said.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "stats/stats.h"
#include "stats/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- every value ------------------------------------------------------------------------------ */

/* What cannot be counted here takes no room. */
static int grow_command(struct lauka_result_command *command, const struct lauka_result *result,
                        size_t capacity)
{
    int16_t *codes = realloc(command->exit_codes, capacity * sizeof *codes);
    int error = codes ? 0 : ENOMEM;

    if (codes)
        command->exit_codes = codes;
    for (size_t m = 0; !error && m < result->metric_count; m++)
        if (result->metrics[m].counted)
            error = lauka_series_reserve(&command->series[m], capacity);
    return error;
}

/* For as many rounds as were asked for, so that nothing has to move. */
static size_t next_capacity(const struct lauka_rounds *rounds)
{
    enum { SOME = 64, MANY = 1 << 14 };
    uint64_t asked = rounds->sources->options->measure.rounds;

    return rounds->capacity ? 2 * rounds->capacity
           : asked == 0     ? SOME
           : asked < MANY   ? (size_t)asked
                            : MANY;
}

static int grow(struct lauka_rounds *rounds)
{
    struct lauka_result *result = rounds->result;
    size_t capacity = next_capacity(rounds);

    if (capacity > rounds->kept)
        capacity = (size_t)rounds->kept;
    uint32_t *order = realloc(result->run.order, capacity * rounds->together * sizeof *order);
    int error = order ? 0 : ENOMEM;
    if (order)
        result->run.order = order;
    uint16_t *layout = realloc(result->run.layout, capacity * sizeof *layout);
    if (layout)
        result->run.layout = layout;
    else
        error = ENOMEM;
    if (result->benchmark.units.kind != LAUKA_UNIT_ROUND) {
        uint32_t *of = realloc(result->benchmark.units.of, capacity * sizeof *of);
        if (of)
            result->benchmark.units.of = of;
        else
            error = ENOMEM;
    }
    for (size_t c = rounds->first; !error && c < rounds->first + rounds->together; c++)
        error = grow_command(&result->commands[c], result, capacity);
    if (!error)
        rounds->capacity = capacity;
    return error;
}

/* ---- streams ---------------------------------------------------------------------------------- */

static int open_streams(struct lauka_result *result, bool paired)
{
    for (size_t c = 0; c < result->command_count; c++) {
        struct lauka_result_command *command = &result->commands[c];
        command->streams = lauka_streams_make(result->metric_count, paired && c > 0);
        if (!command->streams)
            return ENOMEM;
    }
    return 0;
}

/* The whole round, or nothing of it: of the commands from `first` up to `end`. places: as many as values. */
static int stream_round(struct lauka_result *result, size_t first, size_t end,
                        const uint64_t *values, struct lauka_stream_place *places)
{
    const size_t metrics = result->metric_count;
    const uint64_t *reference = values + first * metrics; /* nothing is paired with its own */
    int error = 0;

    for (size_t c = first; c < end; c++)
        for (size_t m = 0, i = c * metrics; m < metrics && !error; m++, i++)
            error = lauka_stream_reach(&result->commands[c].streams[m], reference[m], values[i],
                                       &places[i]);
    for (size_t c = first; c < end && !error; c++)
        for (size_t m = 0, i = c * metrics; m < metrics; m++, i++)
            lauka_stream_add(&result->commands[c].streams[m], reference[m], values[i], &places[i]);
    return error;
}

static void read_round(const struct lauka_result *result, size_t first, size_t end, uint64_t round,
                       uint64_t *values)
{
    for (size_t c = first; c < end; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            values[c * result->metric_count + m] =
                result->metrics[m].counted ? lauka_series_at(&result->commands[c].series[m], round)
                                           : LAUKA_MISSING;
}

/* Pours the kept values of the rounds from *poured on into streams of `into`, which may be the result
 * itself, and opens them if there are none. *poured: how many rounds they then hold. Returns 0 or ENOMEM;
 * what was opened stays with `into`. */
static int rounds_pour(const struct lauka_result *result, struct lauka_result *into,
                       uint64_t *poured)
{
    const size_t count = result->command_count * result->metric_count;
    uint64_t *values = calloc(count, sizeof *values);
    struct lauka_stream_place *places = calloc(count, sizeof *places);
    int error = !values || !places          ? ENOMEM
                : into->commands[0].streams ? 0
                                            : open_streams(into, true);

    while (!error && *poured < result->run.rounds) {
        read_round(result, 0, result->command_count, *poured, values);
        error = stream_round(into, 0, result->command_count, values, places);
        *poured += !error;
    }
    free(places);
    free(values);
    return error;
}

/* The same of rounds that are of one command each: of each command all that it had. */
static int pour_each(struct lauka_rounds *rounds, uint64_t *values)
{
    struct lauka_result *result = rounds->result;
    int error = open_streams(result, false);

    for (size_t c = 0; c < result->command_count; c++)
        for (size_t round = 0; !error && round < result->commands[c].series[0].count; round++) {
            read_round(result, c, c + 1, round, values);
            error = stream_round(result, c, c + 1, values, rounds->places);
        }
    return error;
}

static void drop_course(struct lauka_result_run *run)
{
    free(run->order);
    free(run->layout);
    run->order = NULL;
    run->layout = NULL;
}

/* Lets go of what is in the streams now. */
static void drop_values(struct lauka_rounds *rounds)
{
    struct lauka_result *result = rounds->result;

    for (size_t c = 0; c < result->command_count; c++) {
        for (size_t m = 0; m < result->metric_count; m++)
            lauka_series_done(&result->commands[c].series[m]);
        free(result->commands[c].exit_codes);
        result->commands[c].exit_codes = NULL;
    }
    drop_course(&result->run);
}

static int leave_samples_out(struct lauka_rounds *rounds)
{
    struct lauka_result *result = rounds->result;
    uint64_t poured = 0;

    rounds->places = calloc(result->command_count * result->metric_count, sizeof *rounds->places);
    if (!rounds->places ||
        (rounds->together < result->command_count ? pour_each(rounds, rounds->values)
                                                  : rounds_pour(result, result, &poured)) != 0)
        return ENOMEM;
    drop_values(rounds);
    result->run.samples_left_out = true;
    return 0;
}

/* ---- one round -------------------------------------------------------------------------------- */

int lauka_rounds_init(struct lauka_rounds *rounds, struct lauka_result *result,
                      const struct lauka_sources *sources, uint64_t kept)
{
    const bool alone = sources->options->measure.order == LAUKA_ORDER_SEQUENTIAL;

    *rounds = (struct lauka_rounds){.result = result,
                                    .sources = sources,
                                    .kept = kept,
                                    .together = alone ? 1 : result->command_count};
    rounds->values = calloc(result->command_count * result->metric_count, sizeof *rounds->values);
    return rounds->values ? 0 : ENOMEM;
}

void lauka_rounds_turn_to(struct lauka_rounds *rounds, size_t command)
{
    rounds->first = command;
    rounds->capacity = 0;
    rounds->result->run.rounds = 0;
}

int lauka_rounds_make_room(struct lauka_rounds *rounds)
{
    uint64_t count = rounds->result->run.rounds;

    if (rounds->result->run.samples_left_out || count < rounds->capacity)
        return 0;
    return count >= rounds->kept ? leave_samples_out(rounds) : grow(rounds);
}

static void keep_values(const struct lauka_rounds *rounds)
{
    struct lauka_result *result = rounds->result;

    for (size_t c = rounds->first; c < rounds->first + rounds->together; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            if (result->metrics[m].counted)
                lauka_series_add(&result->commands[c].series[m],
                                 rounds->values[c * result->metric_count + m]);
}

static void keep_course(const struct lauka_rounds *rounds, const struct lauka_sample *samples,
                        const uint32_t *order)
{
    struct lauka_result *result = rounds->result;
    uint64_t round = result->run.rounds;

    for (size_t c = rounds->first; c < rounds->first + rounds->together; c++)
        result->commands[c].exit_codes[round] = (int16_t)lauka_mishaps_exit_code(&samples[c]);
    result->run.layout[round] = rounds->padding;
    if (result->benchmark.units.of) {
        struct lauka_result_units *units = &result->benchmark.units;
        units->of[round] = rounds->unit;
        units->count = units->count > rounds->unit ? units->count : rounds->unit + 1;
    }
    memcpy(result->run.order + round * rounds->together, order, rounds->together * sizeof *order);
}

int lauka_rounds_add(struct lauka_rounds *rounds, const struct lauka_sample *samples,
                     const uint32_t *order)
{
    struct lauka_result *result = rounds->result;
    const size_t first = rounds->first, end = first + rounds->together;

    for (size_t c = first; c < end; c++)
        lauka_sources_read(rounds->sources, result, c, &samples[c],
                           rounds->values + c * result->metric_count);
    if (result->run.samples_left_out) {
        int error = stream_round(result, first, end, rounds->values, rounds->places);
        if (error)
            return error;
    } else {
        keep_values(rounds);
        keep_course(rounds, samples, order);
    }
    for (size_t c = first; c < end; c++)
        result->commands[c].failures +=
            lauka_mishaps_has_failed(&rounds->sources->options->run.commands[c], &samples[c]);
    result->run.rounds++;
    return 0;
}

void lauka_rounds_done(struct lauka_rounds *rounds)
{
    free(rounds->values);
    free(rounds->places);
    rounds->values = NULL;
    rounds->places = NULL;
}

/* ---- commands one after the other ------------------------------------------------------------------- */

/* Commands that were not reached are not part of the result, unless others have the same sides: then they have no
 * values. */
static int leave_rest_out(struct lauka_loop *loop)
{
    struct lauka_result *result = loop->result;
    const size_t from = loop->first + 1, count = loop->options->run.command_count;
    char text[900];
    size_t used = 0, c = from;

    if (from == count)
        return 0;
    for (; c < count && used < sizeof text - 250; c++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s`%.100s`",
                                 c > from ? ", " : "", loop->options->run.commands[c].label);
    if (c < count)
        used += (size_t)snprintf(text + used, sizeof text - used, " and %zu more", count - c);
    snprintf(text + used, sizeof text - used, LAUKA_LEFT_OUT_NOTE "%s",
             result->run.stopped == LAUKA_STOPPED_FAILURE ? "a command failed before"
             : result->run.stopped == LAUKA_STOPPED_ERROR ? "an error ended the session before"
                                                          : "the session was interrupted before");
    if (!loop->bench->together)
        lauka_result_drop_commands(result, from);
    return lauka_result_warn(result, text);
}

int lauka_loop_conclude_sequence(struct lauka_loop *loop)
{
    struct lauka_result *result = loop->result;
    const char *drift = "--order sequential: all runs of a command came before those of "
                        "the next, so drift (heat, other load) looks like a difference; "
                        "interleaved rounds would spread it over all commands";

    lauka_loop_note_rounds(loop, &result->run);
    if (loop->first == 0 && !loop->bench->together)
        return leave_rest_out(loop);
    drop_course(&result->run);
    result->run.unpaired = true;
    return lauka_result_warn(result, drift) != 0 ? ENOMEM : leave_rest_out(loop);
}

/* ---- summary ----------------------------------------------------------------------------------- */

/* What is known about a session while it runs, so that documents can be written meanwhile: a result of
 * summaries and histograms, without single values unless its units need them. */

void lauka_poured_done(struct lauka_poured *poured)
{
    for (size_t c = 0; poured->streams && c < poured->command_count; c++)
        lauka_streams_free(poured->streams[c], poured->metric_count);
    free(poured->streams);
    *poured = (struct lauka_poured){0};
}

/* Counts the rounds that were added, and lends the streams to the summary. */
static int pour(const struct lauka_result *result, struct lauka_poured *poured,
                struct lauka_result *summary)
{
    if (!poured->streams)
        *poured = (struct lauka_poured){
            .streams = calloc(result->command_count, sizeof *poured->streams),
            .command_count = result->command_count,
            .metric_count = result->metric_count,
        };
    if (!poured->streams)
        return ENOMEM;
    for (size_t c = 0; c < result->command_count; c++)
        summary->commands[c].streams = poured->streams[c];
    int error = rounds_pour(result, summary, &poured->rounds);
    for (size_t c = 0; c < result->command_count; c++)
        poured->streams[c] = summary->commands[c].streams;
    if (error) /* perhaps not all are open */
        lauka_poured_done(poured);
    return error;
}

/* Everything except what is said about the values stays borrowed. */
static int copy_commands(const struct lauka_result *result, struct lauka_result *summary)
{
    summary->commands = calloc(result->command_count, sizeof *summary->commands);
    if (!summary->commands)
        return ENOMEM;
    for (size_t c = 0; c < result->command_count; c++) {
        struct lauka_result_command *command = &summary->commands[c];
        *command = result->commands[c];
        command->summaries = NULL;
        command->doubts = NULL;
    }
    return 0;
}

static int leave_values_out(const struct lauka_result *result, struct lauka_poured *poured,
                            struct lauka_result *summary)
{
    summary->run.order = NULL;
    summary->run.layout = NULL;
    for (size_t c = 0; c < summary->command_count; c++)
        summary->commands[c].exit_codes = NULL;
    if (!result->run.samples_left_out) {
        int error = pour(result, poured, summary);
        summary->run.samples_left_out = true;
        return error;
    }
    lauka_poured_done(poured); /* it has streams of its own */
    return 0;
}

int lauka_summary_make(const struct lauka_result *result, struct lauka_poured *poured,
                       struct lauka_result *summary)
{
    *summary = *result;
    summary->comparisons = NULL;
    summary->comparison_count = 0;
    summary->gate.rows = NULL; /* it is judged by itself */
    summary->gate.row_count = 0;
    struct lauka_units units;
    int error = copy_commands(result, summary);
    if (!error && !result->run.unpaired && !lauka_result_units(result, &units))
        error = leave_values_out(result, poured, summary);
    return error ? error : lauka_result_analyse(summary);
}

bool lauka_summary_is_due(uint64_t told_ns, uint64_t cost_ns, uint64_t now_ns)
{
    enum { SHARE = 20 }; /* of the time, one part in so many */
    const uint64_t pause_ns = cost_ns * SHARE;

    return now_ns - told_ns >=
           (pause_ns > LAUKA_KEEP_INTERVAL_NS ? pause_ns : LAUKA_KEEP_INTERVAL_NS);
}

void lauka_summary_done(struct lauka_result *summary)
{
    for (size_t c = 0; summary->commands && c < summary->command_count; c++) {
        free(summary->commands[c].summaries);
        free(summary->commands[c].doubts);
    }
    free(summary->commands);
    free(summary->comparisons);
    free(summary->gate.rows);
    *summary = (struct lauka_result){0};
}

/* ---- of a loop under way ------------------------------------------------------------------------- */

void lauka_loop_note_so_far(struct lauka_loop *loop)
{
    struct lauka_result_run *run = &loop->result->run;

    run->stopped = LAUKA_STOPPED_INTERRUPTED;
    run->alpha = lauka_enough_alpha(&loop->enough, run->stopped);
    run->measured = (double)(loop->earlier_ns + loop->spent_ns) / 1e9;
    run->seconds = (double)(loop->before_ns + loop->earlier_ns + loop->spent_ns) / 1e9;
}

void lauka_loop_note_rounds(const struct lauka_loop *loop, struct lauka_result_run *run)
{
    run->rounds = loop->most_rounds > run->rounds ? loop->most_rounds : run->rounds;
}

/* Returns 0 or ENOMEM; lauka_summary_done in either case. The session itself goes on. Of commands that run one after
 * the other, it has those that have begun, with their values, as those of several are not paired. */
static int summarise(struct lauka_loop *loop, struct lauka_result *summary)
{
    struct lauka_result so_far;

    lauka_loop_note_so_far(loop);
    so_far = *loop->result; /* borrows */
    if (loop->sequential) {
        so_far.command_count = loop->first + loop->together;
        so_far.run.unpaired = so_far.command_count > 1;
        lauka_loop_note_rounds(loop, &so_far.run);
    }
    if (so_far.run.unpaired) {
        so_far.run.order = NULL;
        so_far.run.layout = NULL;
    }
    int error = lauka_summary_make(&so_far, &loop->bench->poured, summary);
    loop->result->run.stopped = LAUKA_STOPPED_ROUNDS;
    return error;
}

void lauka_loop_keep(struct lauka_loop *loop)
{
    uint64_t now = lauka_loop_now_ns(loop);
    struct lauka_result so_far;

    if (!loop->bench->keep || !loop->kind->real ||
        !lauka_summary_is_due(loop->kept_ns, loop->keeping_ns, now) ||
        loop->result->command_count * loop->result->metric_count > LAUKA_KEEP_STREAMS_MAX)
        return;
    if (summarise(loop, &so_far) == 0)
        loop->bench->keep(loop->bench->context, &so_far);
    lauka_summary_done(&so_far);
    loop->kept_ns = lauka_loop_now_ns(loop);
    loop->keeping_ns = loop->kept_ns - now;
}

int lauka_measurement_summarise(struct lauka_measurement *bench, struct lauka_result *summary)
{
    return bench->loop ? summarise(bench->loop, summary)
                       : lauka_summary_make(bench->result, &bench->poured, summary);
}
