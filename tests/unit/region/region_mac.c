/* Regions on the simulated Mac, which counters and the rules of the kernel are those that lauka itself meets there. What a
 * region has counted follows from the ticks between its two readings, and is compared exactly. */
#include "tests/unit/region/mac.h"

enum { ROOT, SOMEBODY = 501, PAST = 7000 };

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct lauka_region region;

static void open_names(const char *const *names, size_t count, int process)
{
    const struct lauka_region_options options = {.process = process};
    struct lauka_region_event events[LAUKA_REGION_MOST];

    for (size_t i = 0; i < count; i++)
        events[i] = strcmp(names[i], "FIXED_CYCLES") == 0 ? lauka_region_known(LAUKA_REGION_CYCLES)
                    : strcmp(names[i], "FIXED_INSTRUCTIONS") == 0
                        ? lauka_region_known(LAUKA_REGION_INSTRUCTIONS)
                        : lauka_region_apple(names[i]);
    EXPECT(lauka_region_open(&region, events, count, &options) == 0);
}

/* The ticks between the last two calls of this name. */
static uint64_t ticks_between(const char *call)
{
    uint64_t last = 0, before = 0;

    for (uint64_t i = 0; i < fake_calls && i < FAKE_LOG_MAX; i++)
        if (strcmp(fake_log[i].name, call) == 0) {
            before = last;
            last = fake_log[i].ticks;
        }
    return last - before;
}

/* What is counted between begin and end. */
static void measure(void)
{
    lauka_region_begin(&region);
    fake_work(PAST);
    lauka_region_end(&region);
}

static bool is_counted(size_t event)
{
    return lauka_region_way(&region, event) == LAUKA_REGION_READ;
}

/* By the calls of this name; each reading is one. */
static bool is_exact(const char *name, size_t event, const char *call)
{
    uint64_t count, ticks = ticks_between(call);
    bool exact = lauka_region_count(&region, event, &count) == LAUKA_REGION_EXACT;

    exact = exact && ticks >= PAST && count == ticks * fake_own_rate(name);
    if (!exact)
        printf("%s: %" PRIu64 ", not %" PRIu64 ", why %d\n", name, count,
               ticks * fake_own_rate(name), region.counters[event].why);
    return exact;
}

static void is_absent(size_t event, int why)
{
    uint64_t count;

    EXPECT(lauka_region_count(&region, event, &count) == LAUKA_REGION_UNKNOWN && count == 0);
    EXPECT(lauka_region_way(&region, event) == LAUKA_REGION_ABSENT);
    EXPECT(region.counters[event].why == why);
}

#define KPC "kpc_get_thread_counters"
static const char *const two[] = {"FIXED_CYCLES", "FIXED_INSTRUCTIONS"};
static const char *const three[] = {"FIXED_CYCLES", "FIXED_INSTRUCTIONS", "INST_BRANCH"};
static const char *const eight[] = {"FIXED_CYCLES", "FIXED_INSTRUCTIONS", "L1D_TLB_ACCESS",
                                    "L1D_TLB_MISS", "L1D_CACHE_MISS_ST",  "L1D_CACHE_MISS_LD",
                                    "LD_UNIT_UOP",  "INST_BRANCH",        "BRANCH_MISPRED_NONSPEC",
                                    "INST_LDST"};

static void everybody_counts_cycles_and_instructions_of_a_thread(void)
{
    power_on(15, SOMEBODY);
    open_names(two, 2, 0);
    measure();
    EXPECT(is_exact(two[0], 0, "thread_selfcounts") && is_exact(two[1], 1, "thread_selfcounts"));
    EXPECT(region.counters[0].mode == LAUKA_REGION_BOTH); /* so it is called */
    lauka_region_close(&region);
    EXPECT(fake_is_clean() && fake_count_calls("kpc_force_all_ctrs_set", -1) == 0);
}

static void and_of_a_process(void)
{
    power_on(15, SOMEBODY);
    open_names(two, 2, 1);
    measure();
    EXPECT(is_exact(two[0], 0, "proc_pid_rusage") && is_exact(two[1], 1, "proc_pid_rusage"));
    lauka_region_close(&region);
}

static void other_events_need_root(void)
{
    power_on(15, SOMEBODY);
    open_names(three, 3, 0);
    measure();
    EXPECT(is_exact(two[0], 0, "thread_selfcounts"));
    is_absent(2, EPERM);
    EXPECT(fake_count_calls("kpc_force_all_ctrs_set", -1) == 0); /* nothing was touched */
    lauka_region_close(&region);
}

static void root_counts_all_by_kpc(void)
{
    for (unsigned macos = 13; macos <= 26; macos += macos == 15 ? 11 : 1) {
        power_on(macos, ROOT);
        open_names(eight, COUNT(eight), 0);
        for (int again = 0; again < 3; again++) {
            measure();
            for (size_t i = 0; i < COUNT(eight); i++)
                EXPECT(is_exact(eight[i], i, KPC));
        }
        EXPECT(region.counters[1].mode == LAUKA_REGION_BOTH);
        EXPECT(region.counters[2].mode == LAUKA_REGION_USER);
        lauka_region_close(&region);
        EXPECT(fake_is_clean());
    }
}

static uint64_t drawn = 1;

static size_t draw(size_t below)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(drawn >> 33) % below;
}

/* A random set in a random order. Returns its size. */
static size_t draw_set(const struct lauka_apple_chip *chip, struct lauka_apple_set *set)
{
    size_t known = 0, count = 2 + draw(7);
    struct lauka_apple_event event;

    while (lauka_apple_event(chip, known, &event))
        known++;
    *set = (struct lauka_apple_set){.count = 0};
    while (set->count < count) {
        bool taken = false;
        lauka_apple_event(chip, LAUKA_APPLE_FIXED + draw(known - LAUKA_APPLE_FIXED), &event);
        for (size_t i = 0; i < set->count; i++)
            taken = taken || strcmp(set->asked[i], event.name) == 0;
        if (taken || event.mask == 0)
            continue;
        set->events[set->count] = event;
        set->asked[set->count++] = event.name;
    }
    return count;
}

/* The library gives each event the lowest free counter that suits it; a set that fits on the chip is counted all the same. */
static void what_fits_is_placed_in_whatever_order(void)
{
    static const char *const chips[] = {"a14", "a15", "a16", "as4", "as4-macos26", "as5"};
    struct lauka_apple_set set;
    size_t fitting = 0;

    for (size_t c = 0; c < COUNT(chips); c++)
        for (int n = 0; n < 150; n++) {
            power_on(15, ROOT);
            fake_options.chip = chips[c];
            size_t count = draw_set(lauka_apple_chip_find(chips[c]), &set), counted = 0;
            if (!lauka_apple_set_place(&set))
                continue;
            fitting++;
            open_names(set.asked, count, 0);
            measure();
            for (size_t i = 0; i < count; i++)
                counted += is_exact(set.asked[i], i, KPC);
            if (counted < count)
                printf("%s, set %d: %zu of %zu\n", chips[c], n, counted, count);
            EXPECT(counted == count);
            lauka_region_close(&region);
            EXPECT(fake_is_clean());
        }
    EXPECT(fitting > 100);
}

/* Of two that have one counter between them, one stays. */
static void of_events_that_exclude_each_other_one_is_counted(void)
{
    static const char *const names[] = {"INST_LDST", "INST_BRANCH", "INST_ALL"};
    power_on(15, ROOT);
    open_names(names, 3, 0);
    measure();
    EXPECT(is_counted(0) != is_counted(2) && is_exact(names[1], 1, KPC));
    is_absent(is_counted(0) ? 2 : 0, ENOENT);
    lauka_region_close(&region);
    EXPECT(fake_is_clean());
}

static void only_the_events_that_the_kernel_refuses_are_absent(void)
{
    for (unsigned macos = 15; macos <= 26; macos += 11) {
        power_on(macos, ROOT);
        fake_options.refused[0] = "INST_LDST";
        fake_options.refused[1] = "L1D_TLB_MISS";
        open_names(eight, COUNT(eight), 0);
        measure();
        for (size_t i = 0; i < COUNT(eight); i++)
            if (i == 3 || i == 9)
                is_absent(i, ENOTSUP);
            else
                EXPECT(is_exact(eight[i], i, KPC));
        lauka_region_close(&region);
        EXPECT(fake_is_clean());
    }
}

static void falls_back(int why)
{
    open_names(three, 3, 0);
    measure();
    EXPECT(is_exact(two[0], 0, "thread_selfcounts") && is_exact(two[1], 1, "thread_selfcounts"));
    is_absent(2, why);
    lauka_region_close(&region);
}

static void counters_that_another_program_has_are_left_to_it(void)
{
    power_on(15, ROOT);
    fake_options.forced_by_other = true;
    falls_back(EACCES);
    EXPECT(fake_is_clean());
    power_on(26, ROOT); /* where the kernel would grant them all the same */
    fake_options.other_owner = true;
    falls_back(EBUSY);
    EXPECT(fake_is_clean());
}

static void a_virtual_machine_has_cycles_and_instructions_at_most(void)
{
    power_on(26, ROOT);
    fake_options.virtual_machine = true;
    falls_back(ENOTSUP);
    EXPECT(fake_is_clean());
}

static void what_is_unknown_or_allowed_nowhere_is_absent(void)
{
    static const char *const names[] = {"FIXED_CYCLES", "NO_SUCH_EVENT", "INST_BRANCH"};
    power_on(15, ROOT);
    open_names(names, 3, 0);
    measure();
    EXPECT(is_exact(names[0], 0, KPC) && is_exact(names[2], 2, KPC));
    is_absent(1, ENOENT);
    lauka_region_close(&region);
    power_on(15, ROOT);
    fake_options.allow_nothing = true;
    open_names(three, 3, 0);
    measure();
    EXPECT(is_counted(0) && is_counted(1));
    is_absent(2, ENOTSUP);
    lauka_region_close(&region);
    EXPECT(fake_is_clean());
}

/* Regions share the counters: the first to be closed leaves them to the other. */
static void two_regions_of_a_process_share_the_counters(void)
{
    for (unsigned macos = 15; macos <= 26; macos += 11) {
        power_on(macos, ROOT);
        open_names(three, 3, 0);
        struct lauka_region first = region;
        open_names(three, 3, 0);
        lauka_region_close(&first);
        measure();
        for (size_t i = 0; i < 3; i++)
            EXPECT(is_exact(three[i], i, KPC));
        lauka_region_close(&region);
        EXPECT(fake_is_clean());
    }
}

static void every_symbol_may_be_missing(void)
{
    static const char *const needed[] = {"kpep_db_create",
                                         "kpep_config_create",
                                         "kpep_config_force_counters",
                                         "kpep_db_event",
                                         "kpep_config_add_event",
                                         "kpep_config_kpc_classes",
                                         "kpep_config_kpc_map",
                                         "kpep_config_kpc",
                                         "kpc_force_all_ctrs_set",
                                         "kpc_set_config",
                                         "kpc_set_counting",
                                         "kpc_set_thread_counting",
                                         KPC};
    for (size_t i = 0; i < COUNT(needed); i++) {
        power_on(15, ROOT);
        fake_options.hidden = needed[i];
        falls_back(ENOSYS);
        EXPECT(fake_is_clean());
    }
    power_on(15, ROOT);
    fake_options.no_library = true;
    falls_back(ENOSYS);
    power_on(15, ROOT);
    fake_options.hidden = "kpc_force_all_ctrs_get";
    open_names(three, 3, 0);
    measure();
    EXPECT(is_exact(three[2], 2, KPC));
    lauka_region_close(&region);
    EXPECT(fake_is_clean());
    power_on(15, SOMEBODY);
    fake_options.hidden = "thread_selfcounts";
    open_names(two, 2, 0);
    is_absent(0, ENOSYS);
    lauka_region_close(&region);
}

/* After any fault, a count is true or absent, and nothing is left behind. */
static void a_failure_of_any_call_leaves_nothing_behind(void)
{
    power_on(15, ROOT);
    open_names(eight, COUNT(eight), 0);
    measure();
    lauka_region_close(&region);
    uint64_t calls = fake_calls;
    EXPECT(calls > 40);
    for (uint64_t call = 1; call <= calls; call++) {
        power_on(15, ROOT);
        fake_options.fail_call = call;
        fake_options.fail_error = call % 2 ? EPERM : EIO;
        open_names(eight, COUNT(eight), 0);
        measure();
        for (size_t i = 0; i < COUNT(eight); i++)
            if (is_counted(i) && region.first.way[i] == LAUKA_REGION_READ)
                EXPECT(is_exact(eight[i], i, region.system_read ? KPC : "thread_selfcounts"));
        lauka_region_close(&region);
        /* A call that unsets something is not repeated. */
        bool unset = call <= fake_calls && fake_log[call - 1].value == 0 &&
                     strncmp(fake_log[call - 1].name, "kp", 2) == 0;
        if (*fake_left_set() && !unset)
            printf("call %" PRIu64 ": %s(%" PRId64 ")\n", call, fake_log[call - 1].name,
                   fake_log[call - 1].value);
        EXPECT(unset || fake_is_clean());
    }
}

static void accounts_are_of_processes(void)
{
    struct lauka_region_event faults = lauka_region_known(LAUKA_REGION_PAGE_FAULTS);

    power_on(15, SOMEBODY);
    EXPECT(lauka_region_open(&region, &faults, 1, NULL) == 0);
    is_absent(0, ENOSYS);
    lauka_region_close(&region);
}

int main(int argc, char **argv)
{
    if (!fake_find_libraries(argc, argv))
        return 2;
    TEST(everybody_counts_cycles_and_instructions_of_a_thread);
    TEST(and_of_a_process);
    TEST(other_events_need_root);
    TEST(root_counts_all_by_kpc);
    TEST(what_fits_is_placed_in_whatever_order);
    TEST(of_events_that_exclude_each_other_one_is_counted);
    TEST(only_the_events_that_the_kernel_refuses_are_absent);
    TEST(counters_that_another_program_has_are_left_to_it);
    TEST(a_virtual_machine_has_cycles_and_instructions_at_most);
    TEST(what_is_unknown_or_allowed_nowhere_is_absent);
    TEST(two_regions_of_a_process_share_the_counters);
    TEST(every_symbol_may_be_missing);
    TEST(a_failure_of_any_call_leaves_nothing_behind);
    TEST(accounts_are_of_processes);
    return expect_report("region_mac");
}
