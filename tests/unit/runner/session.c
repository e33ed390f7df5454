/* Which values of the rounds are kept, and when a session ends. Results are made up; nothing runs. */
#include "tests/unit/expect.h"

#include <errno.h>
#include <stdlib.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "runner/session/session.h"
#include "stats/stats.h"

/* A session of `commands` commands, whose runs are simulated. */
struct session {
    struct lauka_options options;
    struct lauka_counters counters;
    struct lauka_result result;
    struct lauka_sources sources;
    struct lauka_rounds rounds;
    struct lauka_schedule schedule;
    struct lauka_sample samples[3];
    struct lauka_reading readings[3][LAUKA_COUNTERS_MAX];
};

static struct lauka_arena arena; /* of the session that is open */

static struct session *open_session(size_t commands, uint64_t kept)
{
    static struct session session;
    static char words[3][2] = {"a", "b", "c"}, *no_words[1];
    static const struct lauka_arguments none = {.words = no_words};
    struct lauka_error error;
    size_t count;

    memset(&session, 0, sizeof session);
    for (size_t c = 0; c < 3; c++)
        session.samples[c].readings = session.readings[c];
    session.options = (struct lauka_options){.arena = &arena,
                                             .arguments = &none,
                                             .judge.primary = "wall_time,cpu_time",
                                             .measure.until = 0.01,
                                             .measure.min_rounds = 10,
                                             .measure.max_time_ns = 5000000000,
                                             .measure.min_time_ns = 1000000000,
                                             .measure.pretended = true};
    session.options.run.commands =
        lauka_arena_take(&arena, commands * sizeof *session.options.run.commands);
    session.options.run.command_count = commands;
    for (size_t i = 0; i < commands; i++)
        EXPECT(lauka_command_parse(&arena, words[i], &session.options.run.commands[i], &error));
    const struct lauka_event *events = lauka_default_events(&count);
    lauka_pretended_open(&session.counters, LAUKA_SCENARIO_FULL, events, count);
    session.sources =
        (struct lauka_sources){.options = &session.options, .counters = &session.counters};
    EXPECT(lauka_outline_make(&session.result, &session.sources, &error));
    EXPECT(lauka_rounds_init(&session.rounds, &session.result, &session.sources, kept) == 0);
    EXPECT(lauka_schedule_init(&session.schedule, commands, 1) == 0);
    return &session;
}

static void run_rounds(struct session *session, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        EXPECT(lauka_rounds_make_room(&session->rounds) == 0);
        for (size_t c = 0; c < session->result.command_count; c++)
            lauka_pretended_run(&session->counters, LAUKA_SCENARIO_FULL, 1, c,
                                session->result.run.rounds, &session->samples[c].usage,
                                session->samples[c].readings);
        EXPECT(lauka_rounds_add(&session->rounds, session->samples,
                                lauka_schedule_next(&session->schedule)) == 0);
    }
}

static void close_session(struct session *session)
{
    lauka_rounds_done(&session->rounds);
    lauka_schedule_done(&session->schedule);
    lauka_result_done(&session->result);
    lauka_arena_done(&arena);
}

static void every_value_is_kept_in_run_order(void)
{
    struct session *session = open_session(2, LAUKA_ROUNDS_KEPT);

    run_rounds(session, 1000);
    EXPECT_UINT(session->result.run.rounds, 1000);
    EXPECT(!session->result.run.samples_left_out);
    for (size_t m = 0; m < session->result.metric_count; m++)
        EXPECT_UINT(session->result.commands[1].series[m].count, 1000);
    struct lauka_usage usage;
    struct lauka_reading readings[LAUKA_COUNTERS_MAX];
    lauka_pretended_run(&session->counters, LAUKA_SCENARIO_FULL, 1, 1, 777, &usage, readings);
    EXPECT_UINT(lauka_series_at(&session->result.commands[1].series[LAUKA_WALL_TIME], 777),
                usage.values[LAUKA_WALL_TIME]);
    close_session(session);
}

static void streams_know_the_same_moments(void)
{
    struct lauka_summary kept, streamed;
    struct session *session = open_session(2, LAUKA_ROUNDS_KEPT);

    run_rounds(session, 500);
    EXPECT(lauka_result_analyse(&session->result) == 0);
    kept = session->result.commands[1].summaries[LAUKA_WALL_TIME];
    close_session(session);
    for (uint64_t cap = 0; cap <= 200; cap += 100) { /* streamed from the start, or later */
        session = open_session(2, cap);
        run_rounds(session, 500);
        EXPECT(session->result.run.samples_left_out);
        EXPECT_UINT(session->result.run.rounds, 500);
        EXPECT(session->result.commands[0].series[0].count == 0);
        EXPECT(lauka_result_analyse(&session->result) == 0);
        streamed = session->result.commands[1].summaries[LAUKA_WALL_TIME];
        EXPECT(streamed.mean == kept.mean && streamed.min == kept.min && streamed.max == kept.max);
        EXPECT(streamed.stddev.value == kept.stddev.value);
        EXPECT_NEAR(streamed.median, kept.median, 0.001);
        close_session(session);
    }
}

/* ---- rounds.c: what is known so far -------------------------------------------------------------------------------- */

static lauka_uint128 sum_of(const struct lauka_series *series)
{
    lauka_uint128 sum = 0;

    for (size_t i = 0; i < series->count; i++)
        sum += lauka_series_at(series, i);
    return sum;
}

static size_t counters_of(const struct lauka_poured *poured)
{
    size_t used = 0;

    for (size_t c = 0; c < poured->command_count; c++)
        for (size_t m = 0; m < poured->metric_count; m++) {
            const struct lauka_result_stream *stream = &poured->streams[c][m];
            used += lauka_sparse_used(&stream->histogram.sparse);
            used += stream->paired ? lauka_sparse_used(&stream->paired->bins) : 0;
        }
    return used;
}

/* Changes values that were counted already, which shows if they are read again. */
static void a_summary_counts_what_came_since_the_last_one(void)
{
    struct session *session = open_session(2, LAUKA_ROUNDS_KEPT);
    struct lauka_series *walls = &session->result.commands[1].series[LAUKA_WALL_TIME];
    struct lauka_poured poured = {0};
    struct lauka_result summary;

    run_rounds(session, 300);
    EXPECT(lauka_summary_make(&session->result, &poured, &summary) == 0);
    EXPECT_UINT(summary.commands[1].streams[LAUKA_WALL_TIME].moments.count, 300);
    lauka_summary_done(&summary);
    run_rounds(session, 100);
    lauka_uint128 sum = sum_of(walls);
    for (size_t i = 0; i < 300; i++)
        lauka_series_set(walls, i, 1);
    EXPECT(lauka_summary_make(&session->result, &poured, &summary) == 0);
    EXPECT_UINT(summary.commands[1].streams[LAUKA_WALL_TIME].moments.count, 400);
    EXPECT(summary.commands[1].streams[LAUKA_WALL_TIME].moments.sum == sum);
    EXPECT_UINT(summary.commands[1].summaries[LAUKA_WALL_TIME].count, 400);
    /* Up to 72704 would be possible. */
    EXPECT(counters_of(&poured) < 2 * summary.metric_count * 1024);
    lauka_summary_done(&summary);
    lauka_poured_done(&poured);
    close_session(session);
}

/* Without their values, rounds with one layout would look independent. */
static void a_summary_of_units_is_compared_by_units(void)
{
    enum { LAYOUTS = 10, ROUNDS = 50 };
    struct session *session = open_session(2, LAUKA_ROUNDS_KEPT);
    struct lauka_poured poured = {0};
    struct lauka_result summary;

    session->result.benchmark.units.kind = LAUKA_UNIT_LAYOUT;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        session->rounds.unit = i % LAYOUTS;
        run_rounds(session, 1);
    }
    EXPECT(lauka_summary_make(&session->result, &poured, &summary) == 0);
    const struct lauka_comparison *values = lauka_result_comparison(&summary, 1, LAUKA_WALL_TIME);
    EXPECT(!summary.run.samples_left_out && values);
    EXPECT_UINT(values->units, LAYOUTS);
    EXPECT_UINT(values->pairs, ROUNDS);
    lauka_summary_done(&summary);
    lauka_poured_done(&poured);
    EXPECT_UINT(session->result.run.rounds, ROUNDS);
    EXPECT_UINT(session->result.commands[1].series[LAUKA_WALL_TIME].count, ROUNDS);
    close_session(session);
}

static void telling_takes_a_small_part_of_the_time(void)
{
    EXPECT(!lauka_summary_is_due(7, 0, 4999999999 + 7));
    EXPECT(lauka_summary_is_due(7, 0, 5000000000 + 7));
    EXPECT(!lauka_summary_is_due(7, 3000000000, 59999999999 + 7));
    EXPECT(lauka_summary_is_due(7, 3000000000, 60000000000 + 7));
}

/* ---- --order sequential ------------------------------------------------------------------------ */

/* Of the command alone. */
static void run_alone(struct session *session, size_t command, uint64_t count)
{
    if (command > 0) {
        lauka_schedule_turn_to(&session->schedule, command);
        lauka_rounds_turn_to(&session->rounds, command);
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t *order = lauka_schedule_next(&session->schedule);
        EXPECT_UINT(order[0], command);
        EXPECT(lauka_rounds_make_room(&session->rounds) == 0);
        lauka_pretended_run(&session->counters, LAUKA_SCENARIO_FULL, 1, command, i,
                            &session->samples[command].usage, session->samples[command].readings);
        EXPECT(lauka_rounds_add(&session->rounds, session->samples, order) == 0);
    }
    EXPECT_UINT(session->result.run.rounds, count);
}

static struct session *open_sequence(uint64_t kept)
{
    struct session *session = open_session(3, kept);

    session->options.measure.order = LAUKA_ORDER_SEQUENTIAL;
    lauka_rounds_done(&session->rounds);
    lauka_schedule_done(&session->schedule);
    EXPECT(lauka_rounds_init(&session->rounds, &session->result, &session->sources, kept) == 0);
    EXPECT(lauka_schedule_init(&session->schedule, 1, 1) == 0);
    session->schedule.kind = LAUKA_ORDER_SEQUENTIAL;
    return session;
}

static void commands_one_after_the_other_have_rounds_of_their_own(void)
{
    static const uint64_t rounds[] = {7, 300, 20};
    struct session *session = open_sequence(LAUKA_ROUNDS_KEPT);

    for (size_t c = 0; c < 3; c++)
        run_alone(session, c, rounds[c]);
    for (size_t c = 0; c < 3; c++)
        EXPECT_UINT(session->result.commands[c].series[LAUKA_WALL_TIME].count, rounds[c]);
    close_session(session);
}

/* Also those of the commands that were over when one had more rounds than are kept. */
static void commands_one_after_the_other_lose_no_value_to_streams(void)
{
    static const uint64_t rounds[] = {7, 30, 9};

    for (uint64_t kept = 0; kept <= 20; kept += 20) {
        struct session *session = open_sequence(kept);
        for (size_t c = 0; c < 3; c++)
            run_alone(session, c, rounds[c]);
        EXPECT(session->result.run.samples_left_out);
        for (size_t c = 0; c < 3; c++) {
            const struct lauka_result_stream *streams = session->result.commands[c].streams;
            EXPECT_UINT(streams[LAUKA_WALL_TIME].moments.count, rounds[c]);
            EXPECT(!streams[LAUKA_WALL_TIME].paired);
        }
        close_session(session);
    }
}

/* ---- enough.c --------------------------------------------------------------------------------- */

static const uint64_t SECOND = 1000000000;

static void a_fixed_number_of_rounds_is_kept_to(void)
{
    struct session *session = open_session(2, LAUKA_ROUNDS_KEPT);
    struct lauka_enough enough;
    enum lauka_stopped why;

    session->options.measure.rounds = 5;
    EXPECT(lauka_enough_init(&enough, &session->options, &session->result, 0) == 0);
    run_rounds(session, 4);
    EXPECT(!lauka_enough(&enough, 1000 * SECOND, &why));
    run_rounds(session, 1);
    EXPECT(lauka_enough(&enough, 0, &why) && why == LAUKA_STOPPED_ROUNDS);
    EXPECT(lauka_enough_alpha(&enough, why) == LAUKA_ALPHA_FIXED);
    lauka_enough_done(&enough);
    close_session(session);
}

/* Nine commands make 16 comparisons in two metrics; 2^-9 > 0.03 / 16 / 2 >= 2^-11. */
static void many_commands_take_the_rounds_that_their_ranks_need(void)
{
    static const struct {
        size_t commands;
        uint64_t max_time_given, min_given, max_rounds, floor;
    } cases[] = {
        {2, 0, 0, 0, 10}, {9, 0, 0, 0, 12}, {9, 1, 0, 0, 12}, {9, 0, 1, 0, 10}, {9, 0, 0, 10, 10}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session *session = open_session(2, LAUKA_ROUNDS_KEPT);
        struct lauka_enough enough;
        session->options.measure.has_max_time = cases[i].max_time_given;
        session->options.measure.min_rounds_given = cases[i].min_given;
        session->options.measure.max_rounds = cases[i].max_rounds;
        session->result.command_count = cases[i].commands; /* nothing runs */
        EXPECT(lauka_enough_init(&enough, &session->options, &session->result, 0) == 0);
        EXPECT_UINT(enough.floor, cases[i].floor);
        lauka_enough_done(&enough);
        session->result.command_count = 2;
        close_session(session);
    }
}

static void nothing_ends_before_ten_rounds_and_the_minimum_time(void)
{
    struct session *session = open_session(2, LAUKA_ROUNDS_KEPT);
    struct lauka_enough enough;
    enum lauka_stopped why;

    EXPECT(lauka_enough_init(&enough, &session->options, &session->result, 0) == 0);
    run_rounds(session, 9);
    EXPECT(!lauka_enough(&enough, 1000 * SECOND, &why));
    run_rounds(session, 400); /* the noise is 1 %, so this is precise enough */
    EXPECT(!lauka_enough(&enough, 2 * SECOND - 1, &why));
    EXPECT(lauka_enough(&enough, 2 * SECOND, &why) && why == LAUKA_STOPPED_PRECISION);
    EXPECT(lauka_enough_alpha(&enough, why) == LAUKA_ALPHA_LOOK);
    EXPECT(lauka_enough_alpha(&enough, LAUKA_STOPPED_INTERRUPTED) == LAUKA_ALPHA_INTERRUPTED);
    lauka_enough_done(&enough);
    close_session(session);
}

static void without_a_precision_the_whole_budget_is_used(void)
{
    struct session *session = open_session(2, LAUKA_ROUNDS_KEPT);
    struct lauka_enough enough;
    enum lauka_stopped why;

    session->options.measure.until = 0;
    EXPECT(lauka_enough_init(&enough, &session->options, &session->result, 0) == 0);
    run_rounds(session, 400);
    EXPECT(!lauka_enough(&enough, 10 * SECOND - 1, &why));
    EXPECT(lauka_enough(&enough, 10 * SECOND, &why) && why == LAUKA_STOPPED_TIME);
    EXPECT(lauka_enough_alpha(&enough, why) == LAUKA_ALPHA_FIXED);
    lauka_enough_done(&enough);
    close_session(session);
}

/* Adds rounds of commands that do not differ. */
static void run_equal_rounds(struct session *session, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        EXPECT(lauka_rounds_make_room(&session->rounds) == 0);
        for (size_t c = 0; c < session->result.command_count; c++)
            lauka_pretended_run(&session->counters, LAUKA_SCENARIO_FULL, 1, 0,
                                session->result.run.rounds + 100000 * c, &session->samples[c].usage,
                                session->samples[c].readings);
        EXPECT(lauka_rounds_add(&session->rounds, session->samples,
                                lauka_schedule_next(&session->schedule)) == 0);
    }
}

static void the_time_left_is_what_the_stopping_rule_expects(void)
{
    struct session *session = open_session(2, LAUKA_ROUNDS_KEPT);
    struct lauka_enough enough;
    enum lauka_stopped why;

    session->options.measure.until = 0.0005; /* with noise of 1 %, this needs many rounds */
    session->options.measure.max_time_ns = 3600 * SECOND;
    EXPECT(lauka_enough_init(&enough, &session->options, &session->result, 0) == 0);
    EXPECT_UINT(lauka_enough_left_ns(&enough, 0, 0), 7200 * SECOND);
    run_equal_rounds(session, 400);
    EXPECT(!lauka_enough(&enough, 4 * SECOND, &why));
    uint64_t left = lauka_enough_left_ns(&enough, 4 * SECOND, 0);
    EXPECT(left > 10 * SECOND && left < 1000 * SECOND);
    run_equal_rounds(session, 400); /* half is done, and the forecast still holds */
    uint64_t later = lauka_enough_left_ns(&enough, 8 * SECOND, 0);
    EXPECT(later < left);
    session->options.measure.rounds = 1000;
    EXPECT_UINT(lauka_enough_left_ns(&enough, 8 * SECOND, 0), 2 * SECOND);
    session->options.measure.rounds = 0;
    session->options.measure.until = 0;
    session->options.measure.max_time_ns =
        SECOND; /* over, but the minimum of rounds is not reached */
    session->options.measure.min_rounds = 1000;
    session->options.measure.min_rounds_given = true;
    enough.floor = 1000;
    EXPECT_UINT(lauka_enough_left_ns(&enough, 8 * SECOND, 0), 2 * SECOND);
    session->result.run.rounds = 0; /* the warm-up shows how long a round takes */
    EXPECT_UINT(lauka_enough_left_ns(&enough, 0, SECOND), 1000 * SECOND);
    session->result.run.rounds = 800;
    lauka_enough_done(&enough);
    close_session(session);
}

static void one_command_alone_uses_the_whole_budget(void)
{
    struct session *session = open_session(1, LAUKA_ROUNDS_KEPT);
    struct lauka_enough enough;
    enum lauka_stopped why;

    EXPECT(lauka_enough_init(&enough, &session->options, &session->result, 0) == 0);
    run_rounds(session, 100);
    EXPECT(!lauka_enough(&enough, 5 * SECOND - 1, &why));
    EXPECT(lauka_enough(&enough, 5 * SECOND, &why) && why == LAUKA_STOPPED_TIME);
    lauka_enough_done(&enough);
    close_session(session);
}

static void streams_end_a_session_as_samples_do(void)
{
    struct session *session = open_session(3, 0);
    struct lauka_enough enough;
    enum lauka_stopped why;

    EXPECT(lauka_enough_init(&enough, &session->options, &session->result, 0) == 0);
    run_rounds(session, 400);
    EXPECT(lauka_enough(&enough, 3 * SECOND, &why) && why == LAUKA_STOPPED_PRECISION);
    lauka_enough_done(&enough);
    close_session(session);
}

static void primary_metrics_are_found_by_name(void)
{
    struct session *session = open_session(2, 0);
    struct lauka_error error;

    for (size_t m = 0; m < session->result.metric_count; m++)
        EXPECT(session->result.metrics[m].primary == (m == LAUKA_WALL_TIME || m == LAUKA_CPU_TIME));
    EXPECT(lauka_outline_choose(&session->result, "peak-rss,instructions", &error));
    EXPECT(session->result.metrics[LAUKA_PEAK_RSS].primary);
    EXPECT(!lauka_outline_choose(&session->result, "wall_time,speed", &error));
    EXPECT(error.code == LAUKA_EXIT_USAGE && strstr(error.text, "\"speed\""));
    EXPECT(lauka_outline_choose(&session->result, "wall,rss", &error));
    EXPECT(!lauka_outline_choose(&session->result, "wal", &error));
    close_session(session);
}

/* ---- rows that leave processes out ---- */

static struct lauka_result_metric *metric_of(struct session *session, const char *name)
{
    for (size_t m = 0; m < session->result.metric_count; m++)
        if (strcmp(session->result.metrics[m].name, name) == 0)
            return &session->result.metrics[m];
    return NULL;
}

/* A session on a Mac without root: the counts cover only the command's own process. */
static struct session *open_process_only(const bool forked[2])
{
    struct session *session = open_session(2, UINT64_MAX);
    run_rounds(session, 2);
    session->counters.whole_runs = session->counters.process_only = true;
    /* This metric stands for energy, for example. */
    struct lauka_result_metric *other = metric_of(session, "cache_misses");
    free(other->source);
    other->source = strdup("rusage_info");
    EXPECT(lauka_counter_notes(&session->counters, forked, 0, &session->result) == 0);
    return session;
}

static void rows_of_the_process_alone_are_called_so_where_a_command_forked(void)
{
    static const char *const renamed[] = {"cycles", "instructions", "cache_misses"};
    struct session *session = open_process_only((const bool[]){false, true});
    for (size_t i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s:process", renamed[i]);
        EXPECT(!metric_of(session, renamed[i]));
        EXPECT(metric_of(session, name));
    }
    EXPECT(metric_of(session, "branch_misses") && metric_of(session, "wall_time"));
    EXPECT_UINT(session->result.warning_count, 1);
    EXPECT_TEXT(session->result.warnings[0],
                "`b` started other processes, which cycles:process, instructions:process, "
                "cache_misses:process leave out; run the program directly, or lauka under sudo");
    close_session(session);
}

static void rows_keep_their_names_where_no_command_forked(void)
{
    struct session *session = open_process_only((const bool[]){false, false});
    EXPECT(metric_of(session, "cycles") && metric_of(session, "cache_misses"));
    EXPECT_UINT(session->result.warning_count, 0);
    close_session(session);
}

/* One kind of core has more CPUs than lauka keeps times for. The reason is given once, and only if the
 * metric is shown. */
static void cpus_that_are_not_known_have_a_reason_where_they_are_asked_for(void)
{
    struct session *session = open_session(1, LAUKA_ROUNDS_KEPT);
    struct lauka_result_metric *cpus = metric_of(session, "cpus_used");
    char *const *warnings;

    session->counters.clock_error = ENOBUFS;
    cpus->counted = false;
    EXPECT(lauka_counter_notes_opened(&session->counters, false, &session->result) == 0);
    EXPECT_UINT(session->result.warning_count, 0); /* the metric is hidden */
    cpus->detail = false;
    EXPECT(lauka_counter_notes_opened(&session->counters, false, &session->result) == 0);
    EXPECT_UINT(session->result.warning_count, 1);
    warnings = session->result.warnings;
    EXPECT(session->result.warning_count == 1 &&
           strstr(warnings[0],
                  "cannot measure cpus_used: lauka keeps the time of no more than 64 CPUs"));
    close_session(session);
}

static void sets_of_events_take_turns_and_none_is_far_behind(void)
{
    static struct lauka_counters counters = {.set_count = 5};
    struct lauka_options options = {.measure.multiplex = LAUKA_MULTIPLEX_ROUNDS, .measure.seed = 7};
    uint64_t turns[5] = {0}, parity[5][2] = {{0}};

    EXPECT(lauka_turns_are_taken(&counters, &options));
    EXPECT_UINT(lauka_turns_needed(&counters, &options), 30);
    for (uint64_t round = 0; round < 200; round++) {
        unsigned next = lauka_turns_next(&counters, turns, &options);
        turns[next]++;
        parity[next][round % 2]++;
        for (size_t set = 0; set < 5; set++)
            EXPECT(turns[set] == round / 5 || turns[set] == round / 5 + 1);
    }
    for (size_t set = 0; set < 5; set++) /* every set meets both odd and even rounds */
        EXPECT(parity[set][0] == 20 && parity[set][1] == 20);
    /* The rounds that a set gets in one go are its share of the remaining ones. */
    uint64_t some[5] = {6, 6, 0, 3, 6};
    EXPECT_UINT(lauka_turns_next(&counters, some, &options), 2);
    EXPECT_UINT(lauka_turns_at_once(&counters, some, &options, 29), 10);
    EXPECT_UINT(lauka_turns_at_once(&counters, some, &options, 1), 1);
    EXPECT(lauka_turns_at_once(&counters, some, &options, UINT64_MAX) == SIZE_MAX);
    uint64_t alike[5] = {6, 6, 6, 6, 6};
    EXPECT_UINT(lauka_turns_at_once(&counters, alike, &options, 2), 1);
    options.run.layouts = 3; /* every set meets every layout */
    uint64_t under_way[5] = {3, 4, 3, 3, 3};
    EXPECT_UINT(lauka_turns_next(&counters, under_way, &options), 1);
    EXPECT_UINT(lauka_turns_needed(&counters, &options), 30);
    options.measure.multiplex = LAUKA_MULTIPLEX_TIME;
    EXPECT(!lauka_turns_are_taken(&counters, &options));
    EXPECT_UINT(lauka_turns_needed(&counters, &options), 0);
}

int main(void)
{
    TEST(every_value_is_kept_in_run_order);
    TEST(streams_know_the_same_moments);
    TEST(a_summary_counts_what_came_since_the_last_one);
    TEST(a_summary_of_units_is_compared_by_units);
    TEST(telling_takes_a_small_part_of_the_time);
    TEST(commands_one_after_the_other_have_rounds_of_their_own);
    TEST(commands_one_after_the_other_lose_no_value_to_streams);
    TEST(a_fixed_number_of_rounds_is_kept_to);
    TEST(many_commands_take_the_rounds_that_their_ranks_need);
    TEST(nothing_ends_before_ten_rounds_and_the_minimum_time);
    TEST(without_a_precision_the_whole_budget_is_used);
    TEST(the_time_left_is_what_the_stopping_rule_expects);
    TEST(one_command_alone_uses_the_whole_budget);
    TEST(streams_end_a_session_as_samples_do);
    TEST(primary_metrics_are_found_by_name);
    TEST(rows_of_the_process_alone_are_called_so_where_a_command_forked);
    TEST(rows_keep_their_names_where_no_command_forked);
    TEST(cpus_that_are_not_known_have_a_reason_where_they_are_asked_for);
    TEST(sets_of_events_take_turns_and_none_is_far_behind);
    return expect_report("session");
}
