/* Regions of a program: how counters are read without a system call, from a page like the kernel's, and
 * what is left if nothing counts. */
#include <pthread.h>
#include <stdint.h>

#if defined(__linux__)
static uint64_t counter_says(uint32_t number);
#define LAUKA_REGION_PMC(number) counter_says(number)
#endif
#include "include/lauka_region.h"
#include "tests/unit/expect.h"

#if defined(__linux__)

/* ---- the page of an event ---------------------------------------------------------------------- */

static struct perf_event_mmap_page page;
static uint64_t counter;      /* the content of the processor's counter */
static uint32_t number_asked; /* the counter that was read */
/* Number of reads; the kernel changes the page during the first `changes_after`. */
static unsigned reads, changes_after;
static void (*change)(void); /* the change that it makes */

static uint64_t counter_says(uint32_t number)
{
    uint64_t value = counter;

    number_asked = number;
    reads++;
    if (reads <= changes_after) {
        page.lock++;
        change();
    }
    return value;
}

static void begin(uint64_t offset, unsigned width, uint64_t value)
{
    memset(&page, 0, sizeof page);
    page.cap_user_rdpmc = 1;
    page.index = 3;
    page.offset = (int64_t)offset;
    page.pmc_width = (uint16_t)width;
    page.time_enabled = page.time_running = 5000;
    counter = value;
    reads = changes_after = 0;
}

static uint64_t count_of_page(void)
{
    uint64_t count = 0, enabled = 0;

    EXPECT(lauka_region_page_read(&page, &count, &enabled));
    EXPECT(enabled == 5000);
    return count;
}

static int is_left_to_the_kernel(void)
{
    uint64_t count, enabled;

    return !lauka_region_page_read(&page, &count, &enabled);
}

static void a_counter_adds_to_the_offset(void)
{
    begin(1000, 48, 234);
    EXPECT(count_of_page() == 1234);
    EXPECT(number_asked == 2); /* the page's index - 1 */
}

static void an_index_that_stands_for_no_counter_is_not_read(void)
{
    begin(1000, 48, 234);
#if defined(__aarch64__)
    page.index = 33;
#else
    page.index = (1u << 29) + 1; /* Intel's PERF_METRICS */
#endif
    EXPECT(is_left_to_the_kernel() && reads == 0);
    begin(1000, 48, 234);
#if defined(__x86_64__)
    page.index = (1u << 30) + 1; /* a fixed counter */
    EXPECT(count_of_page() == 1234 && number_asked == 1u << 30);
#endif
}

static void reads_that_overtake_each_other_count_nothing(void)
{
    static struct lauka_region region;
    uint64_t count = 1;

    memset(&region, 0, sizeof region);
    region.count = 1;
    region.first.way[0] = region.last.way[0] = LAUKA_REGION_USER_READ;
    region.first.count[0] = 12;
    region.last.count[0] = 10;
    EXPECT(lauka_region_count(&region, 0, &count) == LAUKA_REGION_EXACT && count == 0);
    region.first.way[0] = region.last.way[0] = LAUKA_REGION_READ; /* it never ran */
    region.last.enabled[0] = region.last.ns = 1000;
    EXPECT(lauka_region_count(&region, 0, &count) == LAUKA_REGION_UNKNOWN);
    EXPECT(strstr(lauka_region_why(&region, 0), "lost its counter") != NULL);
}

/* The kernel starts a counter at minus the distance to its overflow. */
static void counters_of_every_width_are_signed(void)
{
    for (unsigned width = 32; width <= 64; width++) {
        uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
        uint64_t half = UINT64_C(1) << (width - 1);
        begin(half, width, (0 - half) & mask); /* it has just started */
        EXPECT(count_of_page() == 0);
        counter = (counter + 77) & mask;
        EXPECT(count_of_page() == 77);
        counter = mask; /* minus one: before the overflow */
        EXPECT(count_of_page() == half - 1);
        counter = ~mask | 5; /* bits above the width are ignored */
        EXPECT(count_of_page() == half + 5);
    }
}

/* The counter overflows: the kernel has advanced the offset, and the counter starts again. */
static void a_wrap_between_two_reads_is_counted_through(void)
{
    begin(UINT64_C(1) << 31, 32, 0xffffffff);
    uint64_t before = count_of_page();
    page.offset += INT64_C(1) << 31;
    counter = 0x80000000 + 9;
    EXPECT(count_of_page() - before == 10);
}

static void without_permission_or_counter_the_kernel_is_asked(void)
{
    begin(1000, 48, 234);
    page.cap_user_rdpmc = 0;
    EXPECT(is_left_to_the_kernel());
    begin(1000, 48, 234);
    page.index = 0;
    EXPECT(is_left_to_the_kernel());
    begin(1000, 0, 234);
    EXPECT(is_left_to_the_kernel());
    EXPECT(reads == 0); /* without permission, the instruction would crash */
}

static void a_counter_that_was_shared_is_left_to_the_kernel(void)
{
    begin(1000, 48, 234);
    page.time_running = 4999;
    EXPECT(is_left_to_the_kernel());
}

static void lose_the_counter(void)
{
    page.index = 0;
}

static void a_counter_lost_in_mid_loop_is_not_believed(void)
{
    begin(1000, 48, 234);
    changes_after = 1;
    change = lose_the_counter;
    EXPECT(is_left_to_the_kernel());
    EXPECT(reads == 1);
}

static void move_to_another(void)
{
    page.index = 7;
    page.offset = 2000;
    counter = 1;
}

static void a_page_that_changed_is_read_again(void)
{
    begin(1000, 48, 234);
    changes_after = 1;
    change = move_to_another;
    EXPECT(count_of_page() == 2001);
    EXPECT(number_asked == 6);
    EXPECT(reads == 2);
}

static void add_to_offset(void)
{
    page.offset++;
}

static void a_page_that_never_rests_is_left_to_the_kernel(void)
{
    begin(1000, 48, 234);
    changes_after = UINT32_MAX;
    change = add_to_offset;
    EXPECT(is_left_to_the_kernel());
    begin(1000, 48, 234);
    changes_after = 20;
    EXPECT(count_of_page() == 1254);
}

#endif

/* ---- from readings to figures ------------------------------------------------------------------ */

static struct lauka_region readings(enum lauka_region_way first, enum lauka_region_way last,
                                    uint64_t enabled, uint64_t running)
{
    struct lauka_region region = {.count = 1};

    region.first = (struct lauka_region_reading){.ns = 1000,
                                                 .count = {50},
                                                 .enabled = {700},
                                                 .running = {700},
                                                 .way = {(unsigned char)first}};
    region.last = (struct lauka_region_reading){.ns = 2000,
                                                .count = {150},
                                                .enabled = {700 + enabled},
                                                .running = {700 + running},
                                                .way = {(unsigned char)last}};
    return region;
}

static enum lauka_region_quality quality(const struct lauka_region *region, uint64_t expected)
{
    uint64_t count;
    enum lauka_region_quality found = lauka_region_count(region, 0, &count);

    EXPECT(count == expected);
    return found;
}

static void a_whole_region_is_exact(void)
{
    struct lauka_region region = readings(LAUKA_REGION_READ, LAUKA_REGION_READ, 1000, 1000);
    EXPECT(quality(&region, 100) == LAUKA_REGION_EXACT);
    EXPECT(lauka_region_elapsed_ns(&region) == 1000);
    /* Without a system call, the times stay the same until the counter is given to something else. */
    region = readings(LAUKA_REGION_USER_READ, LAUKA_REGION_USER_READ, 0, 0);
    EXPECT(quality(&region, 100) == LAUKA_REGION_EXACT);
    region = readings(LAUKA_REGION_USER_READ, LAUKA_REGION_READ, 900, 900);
    EXPECT(quality(&region, 100) == LAUKA_REGION_EXACT);
}

static void a_part_of_a_region_is_an_estimate(void)
{
    struct lauka_region region = readings(LAUKA_REGION_READ, LAUKA_REGION_READ, 1000, 250);
    EXPECT(quality(&region, 400) == LAUKA_REGION_ESTIMATE);
    EXPECT(lauka_region_share(&region, 0) == 0.25);
    /* The event had its counter long before. It lost it for 500 of 9000 ns, all of them within this
     * region. */
    region = readings(LAUKA_REGION_USER_READ, LAUKA_REGION_READ, 9000, 8500);
    EXPECT(quality(&region, 200) == LAUKA_REGION_ESTIMATE);
}

static void what_never_had_a_counter_is_unknown(void)
{
    struct lauka_region region = readings(LAUKA_REGION_READ, LAUKA_REGION_READ, 1000, 0);
    EXPECT(quality(&region, 0) == LAUKA_REGION_UNKNOWN);
    region = readings(LAUKA_REGION_READ, LAUKA_REGION_READ, 0, 0); /* the thread slept */
    EXPECT(quality(&region, 0) == LAUKA_REGION_UNKNOWN);
    region = readings(LAUKA_REGION_ABSENT, LAUKA_REGION_READ, 1000, 1000);
    EXPECT(quality(&region, 0) == LAUKA_REGION_UNKNOWN);
    region = readings(LAUKA_REGION_READ, LAUKA_REGION_ABSENT, 1000, 1000);
    EXPECT(quality(&region, 0) == LAUKA_REGION_UNKNOWN);
}

static void what_reading_costs_is_taken_off_while_it_is_read_in_the_same_way(void)
{
    struct lauka_region region = readings(LAUKA_REGION_READ, LAUKA_REGION_READ, 1000, 500);
    region.own.count[0] = 30;
    region.own.way[0] = LAUKA_REGION_READ;
    EXPECT(quality(&region, 140) == LAUKA_REGION_ESTIMATE);
    region.own.count[0] = 101;
    EXPECT(quality(&region, 0) == LAUKA_REGION_ESTIMATE);
    region.own.way[0] = LAUKA_REGION_USER_READ;
    EXPECT(quality(&region, 200) == LAUKA_REGION_ESTIMATE);
}

/* ---- on this machine ----------------------------------------------------------------------------- */

static void too_many_events_are_refused(void)
{
    struct lauka_region_event events[LAUKA_REGION_MOST + 1];
    struct lauka_region region;

    for (size_t i = 0; i <= LAUKA_REGION_MOST; i++)
        events[i] = lauka_region_known(LAUKA_REGION_CPU_NS);
    EXPECT(lauka_region_open(&region, events, LAUKA_REGION_MOST + 1, NULL) == EINVAL);
    EXPECT(lauka_region_open(&region, events, LAUKA_REGION_MOST, NULL) == 0);
    lauka_region_close(&region);
}

static void what_no_machine_has_is_absent_and_explained(void)
{
    struct lauka_region_event event = lauka_region_encoded("nothing", 0xfffffff, 1);
    struct lauka_region region;
    uint64_t count;

    EXPECT(lauka_region_open(&region, &event, 1, NULL) == 0);
    lauka_region_begin(&region);
    lauka_region_end(&region);
    EXPECT(lauka_region_way(&region, 0) == LAUKA_REGION_ABSENT);
    EXPECT(lauka_region_count(&region, 0, &count) == LAUKA_REGION_UNKNOWN);
    EXPECT(region.counters[0].why != 0 && *lauka_region_why(&region, 0) != 0);
    lauka_region_close(&region);
}

static void page_faults_are_counted_without_counters(void)
{
    enum { PAGES = 50 };
    const struct lauka_region_options all = {.process = 1};
    struct lauka_region_event events[] = {lauka_region_known(LAUKA_REGION_CPU_NS),
                                          lauka_region_known(LAUKA_REGION_PAGE_FAULTS)};
    struct lauka_region region;
    uint64_t count, size = (uint64_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);

    EXPECT(memory != MAP_FAILED);
    EXPECT(lauka_region_open(&region, events, 2, &all) == 0);
    lauka_region_begin(&region);
    for (size_t i = 0; i < PAGES; i += 2)
        memory[i * size] = 1;
    lauka_region_end(&region);
    EXPECT(lauka_region_way(&region, 1) == LAUKA_REGION_ACCOUNTED);
    EXPECT(lauka_region_count(&region, 0, &count) == LAUKA_REGION_EXACT && count > 0);
    EXPECT(lauka_region_count(&region, 1, &count) == LAUKA_REGION_EXACT && count >= 1);
    lauka_region_close(&region);
    munmap(memory, PAGES * size);
}

static void scopes_are_in_the_unit_that_was_asked_for(void)
{
    uint64_t took = 0;

    EXPECT(lauka_region_between(LAUKA_REGION_NS, 5, 2000005) == 2000000);
    EXPECT(lauka_region_between(LAUKA_REGION_US, 5, 2000004) == 1999);
    EXPECT(lauka_region_between(LAUKA_REGION_MS, 5, 2000005) == 2);
    EXPECT(lauka_region_between(LAUKA_REGION_TICKS, 5, 7) == 2);
    LAUKA_REGION_SCOPE(LAUKA_REGION_MS, took)
    {
        const struct timespec pause = {0, 2000000};
        nanosleep(&pause, NULL);
    }
    EXPECT(took >= 2);
    struct lauka_region_resolution ticks = lauka_region_resolve(LAUKA_REGION_TICKS);
    EXPECT(ticks.tick_ns > 0 && ticks.resolution_ns >= ticks.tick_ns && ticks.cost_ns > 0);
}

static void a_region_can_be_calibrated(void)
{
    struct lauka_region_event event = lauka_region_known(LAUKA_REGION_CPU_NS);
    struct lauka_region region;

    EXPECT(lauka_region_open(&region, &event, 1, NULL) == 0);
    lauka_region_calibrate(&region);
    EXPECT(region.own.way[0] == LAUKA_REGION_ACCOUNTED);
    lauka_region_close(&region);
}

static void how_many_counters_there_are_goes_with_whether_there_are_any(void)
{
    unsigned fixed, programmable;

    EXPECT(lauka_region_counters_there(&fixed, &programmable) == (fixed + programmable > 0));
}

/* Each thread has its own region; ThreadSanitizer shows that they share nothing. */
static void *measure(void *passes)
{
    struct lauka_region_event events[] = {lauka_region_known(LAUKA_REGION_INSTRUCTIONS),
                                          lauka_region_known(LAUKA_REGION_CPU_NS)};
    struct lauka_region region;
    uint64_t count;

    if (lauka_region_open(&region, events, 2, NULL) != 0)
        return NULL;
    for (int i = 0; i < 100; i++) {
        lauka_region_begin(&region);
        lauka_region_end(&region);
        *(int *)passes += lauka_region_count(&region, 1, &count) == LAUKA_REGION_EXACT;
    }
    lauka_region_close(&region);
    return NULL;
}

static void eight_threads_measure_beside_each_other(void)
{
    pthread_t threads[8];
    int passes[8] = {0};

    for (int i = 0; i < 8; i++)
        EXPECT(pthread_create(&threads[i], NULL, measure, &passes[i]) == 0);
    for (int i = 0; i < 8; i++)
        EXPECT(pthread_join(threads[i], NULL) == 0 && passes[i] == 100);
}

int main(void)
{
#if defined(__linux__)
    TEST(an_index_that_stands_for_no_counter_is_not_read);
    TEST(reads_that_overtake_each_other_count_nothing);
    TEST(a_counter_adds_to_the_offset);
    TEST(counters_of_every_width_are_signed);
    TEST(a_wrap_between_two_reads_is_counted_through);
    TEST(without_permission_or_counter_the_kernel_is_asked);
    TEST(a_counter_that_was_shared_is_left_to_the_kernel);
    TEST(a_counter_lost_in_mid_loop_is_not_believed);
    TEST(a_page_that_changed_is_read_again);
    TEST(a_page_that_never_rests_is_left_to_the_kernel);
#endif
    TEST(a_whole_region_is_exact);
    TEST(a_part_of_a_region_is_an_estimate);
    TEST(what_never_had_a_counter_is_unknown);
    TEST(what_reading_costs_is_taken_off_while_it_is_read_in_the_same_way);
    TEST(too_many_events_are_refused);
    TEST(what_no_machine_has_is_absent_and_explained);
    TEST(page_faults_are_counted_without_counters);
    TEST(scopes_are_in_the_unit_that_was_asked_for);
    TEST(a_region_can_be_calibrated);
    TEST(how_many_counters_there_are_goes_with_whether_there_are_any);
    TEST(eight_threads_measure_beside_each_other);
    return expect_report("region");
}
