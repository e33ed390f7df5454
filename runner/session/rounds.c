/* What is kept of the finished rounds. Up to a number of rounds, every value in run order. Beyond it, or
 * if nobody wants single values, exact moments, a histogram and the histogram of the paired log ratio,
 * whose memory does not grow with the rounds. Room for values is made between rounds. */
#include "runner/session/session.h"
#include "report/result/result.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "stats/histogram.h"
#include "stats/stats.h"

#include <errno.h>
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
    uint64_t asked = rounds->sources->options->rounds;

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
    uint32_t *order = realloc(result->run.order, capacity * result->command_count * sizeof *order);
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
    for (size_t c = 0; !error && c < result->command_count; c++)
        error = grow_command(&result->commands[c], result, capacity);
    if (!error)
        rounds->capacity = capacity;
    return error;
}

/* ---- streams ---------------------------------------------------------------------------------- */

static int open_streams(struct lauka_result *result)
{
    for (size_t c = 0; c < result->command_count; c++) {
        struct lauka_result_command *command = &result->commands[c];
        command->streams = lauka_streams_make(result->metric_count, c > 0);
        if (!command->streams)
            return ENOMEM;
    }
    return 0;
}

/* The whole round, or nothing of it. places: as many as values. */
static int stream_round(struct lauka_result *result, const uint64_t *values,
                        struct lauka_stream_place *places)
{
    const size_t metrics = result->metric_count;
    int error = 0;

    for (size_t c = 0; c < result->command_count; c++)
        for (size_t m = 0, i = c * metrics; m < metrics && !error; m++, i++)
            error = lauka_stream_reach(&result->commands[c].streams[m], values[m], values[i],
                                       &places[i]);
    for (size_t c = 0; c < result->command_count && !error; c++)
        for (size_t m = 0, i = c * metrics; m < metrics; m++, i++)
            lauka_stream_add(&result->commands[c].streams[m], values[m], values[i], &places[i]);
    return error;
}

static void read_round(const struct lauka_result *result, uint64_t round, uint64_t *values)
{
    for (size_t c = 0; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            *values++ = result->metrics[m].counted
                            ? lauka_series_at(&result->commands[c].series[m], round)
                            : LAUKA_MISSING;
}

int lauka_rounds_pour(const struct lauka_result *result, struct lauka_result *into,
                      uint64_t *poured)
{
    const size_t count = result->command_count * result->metric_count;
    uint64_t *values = calloc(count, sizeof *values);
    struct lauka_stream_place *places = calloc(count, sizeof *places);
    int error = !values || !places ? ENOMEM : into->commands[0].streams ? 0 : open_streams(into);

    while (!error && *poured < result->run.rounds) {
        read_round(result, *poured, values);
        error = stream_round(into, values, places);
        *poured += !error;
    }
    free(places);
    free(values);
    return error;
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
    free(result->run.order);
    free(result->run.layout);
    result->run.order = NULL;
    result->run.layout = NULL;
}

static int leave_samples_out(struct lauka_rounds *rounds)
{
    uint64_t poured = 0;
    const size_t count = rounds->result->command_count * rounds->result->metric_count;
    int error = lauka_rounds_pour(rounds->result, rounds->result, &poured);

    rounds->places = calloc(count, sizeof *rounds->places);
    if (error || !rounds->places)
        return ENOMEM;
    drop_values(rounds);
    rounds->result->run.samples_left_out = true;
    return 0;
}

/* ---- one round -------------------------------------------------------------------------------- */

int lauka_rounds_init(struct lauka_rounds *rounds, struct lauka_result *result,
                      const struct lauka_sources *sources, uint64_t kept)
{
    *rounds = (struct lauka_rounds){.result = result, .sources = sources, .kept = kept};
    rounds->values = calloc(result->command_count * result->metric_count, sizeof *rounds->values);
    return rounds->values ? 0 : ENOMEM;
}

int lauka_rounds_make_room(struct lauka_rounds *rounds)
{
    uint64_t count = rounds->result->run.rounds;

    if (rounds->result->run.samples_left_out || count < rounds->capacity)
        return 0;
    return count >= rounds->kept ? leave_samples_out(rounds) : grow(rounds);
}

static void keep_values(struct lauka_result *result, const uint64_t *values)
{
    for (size_t c = 0; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++)
            if (result->metrics[m].counted)
                lauka_series_add(&result->commands[c].series[m],
                                 values[c * result->metric_count + m]);
}

static void keep_course(const struct lauka_rounds *rounds, const struct lauka_sample *samples,
                        const uint32_t *order)
{
    struct lauka_result *result = rounds->result;
    size_t count = result->command_count;
    uint64_t round = result->run.rounds;

    for (size_t c = 0; c < count; c++) {
        const struct lauka_sample *sample = &samples[c];
        result->commands[c].exit_codes[round] = (int16_t)lauka_mishaps_exit_code(sample);
    }
    result->run.layout[round] = rounds->padding;
    if (result->benchmark.units.of) {
        struct lauka_result_units *units = &result->benchmark.units;
        units->of[round] = rounds->unit;
        units->count = units->count > rounds->unit ? units->count : rounds->unit + 1;
    }
    memcpy(result->run.order + round * count, order, count * sizeof *order);
}

int lauka_rounds_add(struct lauka_rounds *rounds, const struct lauka_sample *samples,
                     const uint32_t *order)
{
    struct lauka_result *result = rounds->result;

    for (size_t c = 0; c < result->command_count; c++)
        lauka_sources_read(rounds->sources, result, c, &samples[c],
                           rounds->values + c * result->metric_count);
    if (result->run.samples_left_out) {
        int error = stream_round(result, rounds->values, rounds->places);
        if (error)
            return error;
    } else {
        keep_values(result, rounds->values);
        keep_course(rounds, samples, order);
    }
    for (size_t c = 0; c < result->command_count; c++)
        result->commands[c].failures +=
            lauka_mishaps_has_failed(&rounds->sources->options->commands[c], &samples[c]);
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
