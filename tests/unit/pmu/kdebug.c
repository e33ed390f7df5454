/* The stream of records that macOS writes of its threads, real, damaged and made up (tests/fakes). */
#include "pmu/macos/darwin.h"
#include "pmu/macos/kdebug.h"

#include <string.h>

#include "tests/unit/expect.h"
#include "tests/fakes/fake.h"
#include "tests/unit/mac_sessions.h"

/* ---- The stream -------------------------------------------------------------------------------------- */

static uint64_t noise = 99;

static uint64_t draw(void)
{
    uint64_t z = noise += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    return z ^ (z >> 31);
}

/* ---- Others ------------------------------------------------------------------------------------------ */

static void what_a_killed_session_has_left_is_cleared(void)
{
    power_on();
    fake_options.macos = 26;
    fake_options.left_over = true;
    EXPECT(open_events(EIGHT));
    EXPECT_TEXT(counters.trouble, "");
    EXPECT(is_exact_of(FAKE_POOL, 5));
    counters.period_ns = 1000000;
    EXPECT(is_exact_of(FAKE_POOL, 6));
    EXPECT(closes_clean());
}

static void counters_of_another_program_are_left_alone_where_the_kernel_grants_them_twice(void)
{
    power_on();
    fake_options.macos = 26;
    fake_options.other_owner = true;
    EXPECT(open_events(EIGHT));
    EXPECT_TEXT(
        counters.trouble,
        "cannot take over all counters: Permission denied; another program has taken the counters "
        "(Instruments, xctrace or another lauka?); quit it");
    EXPECT(closes_clean());
}

static void expect_bursts(uint64_t count, size_t reads)
{
    for (uint64_t seed = 1; seed <= count; seed++)
        EXPECT(is_exact_of(FAKE_BURST, seed));
    EXPECT(fake_count_calls("KDREADTR", -1) < reads);
    EXPECT(closes_clean());
}

static void reading_ends_although_new_records_come(void)
{
    power_on();
    fake_options.busy_trace = true;
    EXPECT(open_events(EIGHT));
    counters.period_ns = 1000000;
    expect_bursts(3, 200);
}

/* In macOS 26 each of them is a line in the system's log: see fake_broken_rule. */
static void the_trace_is_not_read_in_vain_where_that_is_logged(void)
{
    power_on();
    fake_options.macos = 26;
    EXPECT(open_events(EIGHT));
    for (int workload = 0; workload < FAKE_WORKLOADS; workload++)
        if (workload != FAKE_DAEMON) /* its end would be looked for once more */
            EXPECT(is_exact_of((enum fake_workload)workload, 3));
    EXPECT(closes_clean());
}

/* Before macOS 26, once 2 MiB were read, each read gives one record. */
static void reading_stays_quick_however_much_was_read(void)
{
    power_on();
    EXPECT(open_events(EIGHT));
    expect_bursts(8, 100);
}

static void without_a_beginning_in_the_trace_the_process_is_still_known(void)
{
    power_on();
    EXPECT(open_events(EIGHT));
    fake_options.loses_beginning = true;
    fake_options.exec_exits = false; /* so that EXEC is the first to name the process */
    run(FAKE_EXEC, 3);
    EXPECT(counters.check.counted_instructions > 0);
    EXPECT(closes_clean());
}

static void no_stream_does_harm(void)
{
    static const uint32_t ids[] = {LAUKA_KD_NEW_THREAD, LAUKA_KD_EXEC,       LAUKA_KD_THREAD_EXIT,
                                   LAUKA_KD_SAMPLE,     LAUKA_KD_SAMPLE | 1, LAUKA_KD_SAMPLE | 2,
                                   LAUKA_KD_SAMPLE | 3, 0x25000000,          LAUKA_KD_LOST};
    struct lauka_kd_run run = {0};
    struct lauka_kd_total total;
    for (int round = 0; round < 300; round++) {
        lauka_kd_begin(&run, 7, (size_t)(draw() % 20), draw() % 50);
        lauka_kd_expect(&run, draw() % 8);
        for (int i = 0; i < 400; i++) {
            struct lauka_kd_buf record = {.timestamp = draw() % 100,
                                          .thread = draw() % 16,
                                          .debugid = ids[draw() % COUNT(ids)]};
            for (int a = 0; a < 4; a++)
                record.arguments[a] = draw() % (a == 1 ? 9 : 24);
            if (draw() % 50 == 0)
                record.thread = draw();
            lauka_kd_feed(&run, &record, 1);
        }
        lauka_kd_sum(&run, &total);
        EXPECT(total.unfinished <= total.threads && total.threads <= run.count);
    }
    lauka_kd_done(&run);
}

static void feed_sample(struct lauka_kd_run *run, uint64_t thread, uint32_t function,
                        const uint64_t *values)
{
    struct lauka_kd_buf record = {
        .timestamp = 10, .thread = thread, .debugid = LAUKA_KD_SAMPLE | function};
    memcpy(record.arguments, values, sizeof record.arguments);
    lauka_kd_feed(run, &record, 1);
}

static void feed_exit(struct lauka_kd_run *run, uint64_t thread)
{
    struct lauka_kd_buf record = {
        .timestamp = 9, .thread = thread, .arguments = {7, 70}, .debugid = LAUKA_KD_THREAD_EXIT};
    lauka_kd_feed(run, &record, 1);
}

static void four_counters_are_one_record_without_an_end(void)
{
    const uint64_t values[] = {1, 2, 3, 4};
    struct lauka_kd_run run = {0};
    struct lauka_kd_total total;
    lauka_kd_begin(&run, 7, 4, 0);
    feed_exit(&run, 33);
    feed_sample(&run, 33, LAUKA_KD_START, values);
    lauka_kd_sum(&run, &total);
    EXPECT(total.threads == 1 && total.unfinished == 0);
    EXPECT(total.counts[0] == 1 && total.counts[3] == 4);
    lauka_kd_done(&run);
}

static void samples_are_put_together_by_thread(void)
{
    const uint64_t a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40}, c[] = {5, 6, 7, 8};
    struct lauka_kd_run run = {0};
    struct lauka_kd_total total;
    lauka_kd_begin(&run, 7, 6, 0);
    feed_exit(&run, 33);
    feed_exit(&run, 34);
    feed_sample(&run, 33, LAUKA_KD_START, a);
    feed_sample(&run, 34, LAUKA_KD_START, b);
    feed_sample(&run, 33, LAUKA_KD_END, c);
    feed_sample(&run, 34, LAUKA_KD_END, a);
    lauka_kd_sum(&run, &total);
    EXPECT(total.unfinished == 0 && total.counts[0] == 11 && total.counts[5] == 8);
    EXPECT(total.counts[6] == 0);
    /* An END without its START is ignored. */
    lauka_kd_begin(&run, 7, 6, 0);
    feed_exit(&run, 33);
    feed_sample(&run, 33, LAUKA_KD_END, a);
    lauka_kd_sum(&run, &total);
    EXPECT(total.unfinished == 1 && total.counts[0] == 0);
    lauka_kd_done(&run);
}

static void what_is_no_sample_counts_nothing(void)
{
    struct lauka_kd_buf event = {.timestamp = 10,
                                 .thread = 33,
                                 .arguments = {1, 2, 3, 4},
                                 .debugid = 0x25000000 | LAUKA_KD_START};
    const struct lauka_kd_buf lost = {.timestamp = 0, .debugid = LAUKA_KD_LOST};
    struct lauka_kd_run run = {0};
    struct lauka_kd_total total;
    lauka_kd_begin(&run, 7, 4, 5);
    feed_exit(&run, 33);
    lauka_kd_feed(&run, &event, 1);
    EXPECT(!run.lost);
    lauka_kd_feed(&run, &lost, 1);
    EXPECT(run.lost);
    lauka_kd_sum(&run, &total);
    EXPECT(total.counts[0] == 0 && total.unfinished == 1);
    lauka_kd_done(&run);
}

static void what_exec_tells_of_is_no_process(void)
{
    const uint64_t values[] = {1, 2, 3, 4};
    const struct lauka_kd_buf exec = {
        .timestamp = 8, .thread = 33, .arguments = {7, 0x1000012, 99}, .debugid = LAUKA_KD_EXEC};
    struct lauka_kd_run run = {0};
    struct lauka_kd_total total;
    lauka_kd_begin(&run, 7, 4, 0);
    lauka_kd_feed(&run, &exec, 1);
    feed_exit(&run, 33);
    feed_sample(&run, 33, LAUKA_KD_START, values);
    lauka_kd_sum(&run, &total);
    EXPECT(run.process == 70 && total.main_counts[0] == 1);
    lauka_kd_done(&run);
}

static void counts_that_went_backwards_are_lost(void)
{
    const uint64_t values[] = {1, UINT64_MAX - 5, 3, 4};
    struct lauka_kd_run run = {0};
    struct lauka_kd_total total;
    lauka_kd_begin(&run, 7, 4, 0);
    feed_exit(&run, 33);
    feed_sample(&run, 33, LAUKA_KD_START, values);
    lauka_kd_sum(&run, &total);
    EXPECT(run.lost && total.counts[1] == 0 && total.unfinished == 1);
    lauka_kd_done(&run);
}

static void a_zero_sample_is_none(void)
{
    const uint64_t zeros[] = {0, 0, 0, 0};
    struct lauka_kd_run run = {0};
    struct lauka_kd_total total;
    lauka_kd_begin(&run, 7, 4, 0);
    feed_exit(&run, 33);
    feed_sample(&run, 33, LAUKA_KD_START, zeros);
    lauka_kd_sum(&run, &total);
    EXPECT(total.unfinished == 1);
    lauka_kd_done(&run);
}

int main(int argc, char **argv)
{
    if (!fake_find_libraries(argc, argv))
        return 2;
    TEST(what_a_killed_session_has_left_is_cleared);
    TEST(counters_of_another_program_are_left_alone_where_the_kernel_grants_them_twice);
    TEST(reading_ends_although_new_records_come);
    TEST(the_trace_is_not_read_in_vain_where_that_is_logged);
    TEST(reading_stays_quick_however_much_was_read);
    TEST(without_a_beginning_in_the_trace_the_process_is_still_known);
    TEST(no_stream_does_harm);
    TEST(four_counters_are_one_record_without_an_end);
    TEST(samples_are_put_together_by_thread);
    TEST(what_is_no_sample_counts_nothing);
    TEST(a_zero_sample_is_none);
    TEST(what_exec_tells_of_is_no_process);
    TEST(counts_that_went_backwards_are_lost);
    return expect_report("kdebug");
}
