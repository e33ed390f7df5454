/* The pretended machine: its scenarios, sets that take turns, and parts by kind of core. */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/expect.h"
#include "tests/unit/scenarios.h"

/* ---- pretended.c ------------------------------------------------------------------------------------- */

static void scenarios_are_parsed_by_name(void)
{
    enum lauka_scenario scenario = LAUKA_SCENARIO_FULL;
    EXPECT(lauka_scenario_parse("no-pmu", &scenario) && scenario == LAUKA_SCENARIO_NO_PMU);
    EXPECT(lauka_scenario_parse("denied", &scenario) && scenario == LAUKA_SCENARIO_DENIED);
    EXPECT(lauka_scenario_parse("full", &scenario) && scenario == LAUKA_SCENARIO_FULL);
    EXPECT(lauka_scenario_parse("multiplexed", &scenario));
    EXPECT(scenario == LAUKA_SCENARIO_MULTIPLEXED);
    EXPECT(!lauka_scenario_parse("", &scenario));
    EXPECT(!lauka_scenario_parse("Full", &scenario));
    EXPECT(!lauka_scenario_parse("no_pmu", &scenario));
    EXPECT(scenario == LAUKA_SCENARIO_MULTIPLEXED);
}

static struct run simulate(enum lauka_scenario scenario, uint64_t seed, size_t command,
                           uint64_t round)
{
    struct lauka_counters counters = simulated(scenario);
    struct run run;
    memset(&run, 0x55, sizeof run);
    lauka_pretended_run(&counters, scenario, seed, command, round, &run.usage, run.readings);
    return run;
}

static bool same_run(const struct run *a, const struct run *b)
{
    return memcmp(a, b, sizeof *a) == 0; /* only uint64_t members: no padding */
}

static void a_simulated_run_depends_on_its_arguments_only(void)
{
    struct run run = simulate(LAUKA_SCENARIO_FULL, 1, 0, 3);
    struct run again = simulate(LAUKA_SCENARIO_FULL, 1, 0, 3);
    struct run other_seed = simulate(LAUKA_SCENARIO_FULL, 2, 0, 3);
    struct run other_command = simulate(LAUKA_SCENARIO_FULL, 1, 1, 3);
    struct run other_round = simulate(LAUKA_SCENARIO_FULL, 1, 0, 4);
    EXPECT(same_run(&run, &again));
    EXPECT(!same_run(&run, &other_seed));
    EXPECT(!same_run(&run, &other_command));
    EXPECT(!same_run(&run, &other_round));
}

/* The goldens contain these numbers: if the numbers change, the goldens must change, too. */
static void a_simulated_run_is_the_same_on_every_machine(void)
{
    struct run run = simulate(LAUKA_SCENARIO_FULL, 1, 2, 3);
    EXPECT_UINT(run.usage.values[LAUKA_WALL_TIME], 11038868);
    EXPECT_UINT(run.usage.values[LAUKA_USER_TIME], 8279000);
    EXPECT_UINT(run.usage.values[LAUKA_SYSTEM_TIME], 1655000);
    EXPECT_UINT(run.usage.values[LAUKA_PEAK_RSS], 2539520);
    EXPECT_UINT(run.readings[CYCLES].value, 29625892);
    EXPECT_UINT(run.readings[BRANCH_MISSES].value, 132141);
}

static void simulated_usage_is_consistent(void)
{
    for (uint64_t round = 0; round < 200; round++) {
        struct run run = simulate(LAUKA_SCENARIO_FULL, round, 1, round);
        uint64_t cpu = run.usage.values[LAUKA_USER_TIME] + run.usage.values[LAUKA_SYSTEM_TIME];
        EXPECT_UINT(run.usage.values[LAUKA_CPU_TIME], cpu);
        EXPECT(run.usage.values[LAUKA_WALL_TIME] > cpu);
        EXPECT_UINT(run.usage.values[LAUKA_PEAK_RSS] % 4096, 0);
        EXPECT_UINT(run.readings[CYCLES].enabled, cpu);
    }
}

static double mean_of(size_t command, enum lauka_usage_metric metric)
{
    double sum = 0;
    for (uint64_t round = 0; round < 1000; round++)
        sum += (double)simulate(LAUKA_SCENARIO_FULL, 1, command, round).usage.values[metric];
    return sum / 1000;
}

static void each_simulated_command_is_five_per_cent_slower(void)
{
    double reference = mean_of(0, LAUKA_CPU_TIME);
    EXPECT_NEAR(mean_of(1, LAUKA_CPU_TIME), reference * 1.05, 0.002);
    EXPECT_NEAR(mean_of(2, LAUKA_CPU_TIME), reference * 1.10, 0.002);
    EXPECT_NEAR(mean_of(20, LAUKA_CPU_TIME), reference * 2, 0.002);
}

static void simulated_times_have_one_per_cent_of_noise(void)
{
    double mean = mean_of(0, LAUKA_CPU_TIME), squares = 0;
    for (uint64_t round = 0; round < 1000; round++) {
        struct run run = simulate(LAUKA_SCENARIO_FULL, 1, 0, round);
        double deviation = (double)run.usage.values[LAUKA_CPU_TIME] / mean - 1;
        squares += deviation * deviation;
    }
    EXPECT_NEAR(sqrt(squares / 1000), 0.01, 0.1);
}

static void a_simulated_spike_is_rare_and_far_out(void)
{
    int spikes = 0;
    for (uint64_t round = 0; round < 1000; round++) {
        struct run run = simulate(LAUKA_SCENARIO_FULL, 1, 0, round);
        spikes += run.usage.values[LAUKA_WALL_TIME] > 11500000;
        EXPECT(run.usage.values[LAUKA_WALL_TIME] < 20000000);
    }
    EXPECT(spikes > 10 && spikes < 70);
}

static void everything_is_counted_in_the_full_scenario(void)
{
    struct lauka_counters counters = simulated(LAUKA_SCENARIO_FULL);
    struct run run = simulate(LAUKA_SCENARIO_FULL, 1, 0, 0);
    EXPECT_UINT(counters.count, DEFAULTS);
    for (size_t i = 0; i < counters.count; i++) {
        EXPECT(counters.errors[i] == 0);
        EXPECT(run.readings[i].value > 0);
        EXPECT(run.readings[i].running == run.readings[i].enabled);
    }
    EXPECT(run.readings[CACHE_MISSES].value < run.readings[CACHE_REFERENCES].value);
}

static void hardware_events_are_refused_where_the_scenario_says_so(void)
{
    static const struct {
        enum lauka_scenario scenario;
        int error;
    } refusals[] = {{LAUKA_SCENARIO_NO_PMU, ENOENT}, {LAUKA_SCENARIO_DENIED, EACCES}};
    for (size_t r = 0; r < COUNT(refusals); r++) {
        struct lauka_counters counters = simulated(refusals[r].scenario);
        struct run run = simulate(refusals[r].scenario, 1, 0, 0);
        for (size_t i = 0; i < counters.count; i++) {
            EXPECT(counters.errors[i] == refusals[r].error);
            EXPECT(not_counted(run.readings[i]));
        }
        EXPECT(run.usage.values[LAUKA_WALL_TIME] > 0);
    }
}

static void what_is_refused_changes_nothing_else(void)
{
    struct run full = simulate(LAUKA_SCENARIO_FULL, 1, 0, 0);
    struct run denied = simulate(LAUKA_SCENARIO_DENIED, 1, 0, 0);
    EXPECT(memcmp(&full.usage, &denied.usage, sizeof full.usage) == 0);
}

static void multiplexed_events_run_for_part_of_their_time(void)
{
    struct run full = simulate(LAUKA_SCENARIO_FULL, 1, 0, 0);
    struct run shared = simulate(LAUKA_SCENARIO_MULTIPLEXED, 1, 0, 0);
    for (size_t i = 0; i < DEFAULTS; i++) {
        uint64_t value;
        EXPECT(shared.readings[i].running > 0);
        EXPECT(shared.readings[i].running < shared.readings[i].enabled);
        EXPECT(lauka_reading_scaled(&shared.readings[i], &value));
        EXPECT_NEAR((double)value, (double)full.readings[i].value, 0.001);
        EXPECT_NEAR(lauka_reading_share(&shared.readings[i]), 0.6, 0.001);
    }
}

/* ---- derived.c, and the sets of pretended.c ---------------------------------------------------------- */

static const char *const six[] = {"cycles",        "instructions", "branches",
                                  "branch_misses", "cache_misses", "l1d_loads"};

/* Initialises the counters in place, because parts of them point into the struct. */
static void simulate_six(struct lauka_counters *counters, enum lauka_scenario scenario)
{
    static struct lauka_event_list list;
    char text[200];
    list = (struct lauka_event_list){0};
    for (size_t i = 0; i < COUNT(six); i++)
        EXPECT(lauka_event_list_add(&list, six[i], "/nonexistent", text, sizeof text));
    lauka_pretended_open(counters, scenario, list.events, list.count);
}

static void ratios_come_from_groups(void)
{
    struct lauka_counters counters;
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    simulate_six(&counters, LAUKA_SCENARIO_FULL);
    EXPECT_UINT(lauka_derived_find(&counters, derived), 3);
    EXPECT_TEXT(derived[0].name, "ipc");
    EXPECT_TEXT(derived[1].name, "ghz");
    EXPECT_TEXT(derived[2].name, "branch_miss_percent");
    EXPECT_UINT(counters.leaders[1], 0);
    EXPECT_UINT(counters.leaders[3], 2);
    EXPECT_UINT(counters.leaders[4], 4);
}

static void a_ratio_is_of_counts_of_the_same_time(void)
{
    struct lauka_counters counters;
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    struct lauka_reading readings[6] = {
        {3000, 2000, 1000}, {4500, 2000, 1000}, {200, 900, 900}, {1, 900, 900}};
    uint64_t value;
    simulate_six(&counters, LAUKA_SCENARIO_FULL);
    EXPECT_UINT(lauka_derived_find(&counters, derived), 3);
    EXPECT(lauka_derived_value(&derived[0], readings, &value));
    EXPECT_UINT(value, 15000); /* 1.5 */
    EXPECT(lauka_derived_value(&derived[1], readings, &value));
    EXPECT_UINT(value, 30000); /* 3 GHz */
    EXPECT(lauka_derived_value(&derived[2], readings, &value));
    EXPECT_UINT(value, 5000); /* 0.5 % */
    readings[1].running = 999;
    EXPECT(!lauka_derived_value(&derived[0], readings, &value));
    readings[0] = readings[1] = (struct lauka_reading){0, 2000, 0};
    EXPECT(!lauka_derived_value(&derived[0], readings, &value));
    EXPECT(!lauka_derived_value(&derived[1], readings, &value));
    readings[2].value = 0;
    EXPECT(!lauka_derived_value(&derived[2], readings, &value));
}

static void a_frequency_is_not_made_of_user_mode_cycles(void)
{
    struct lauka_counters counters;
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    simulate_six(&counters, LAUKA_SCENARIO_USER_ONLY);
    EXPECT(counters.user_only);
    EXPECT_UINT(lauka_derived_find(&counters, derived), 2);
    EXPECT_TEXT(derived[0].name, "ipc");
    EXPECT_TEXT(derived[1].name, "branch_miss_percent");
    char name[LAUKA_EVENT_NAME_SIZE];
    lauka_counters_name(&counters, 1, name, sizeof name);
    EXPECT_TEXT(name, "instructions:u");
}

static void what_does_not_fit_takes_turns(void)
{
    struct lauka_counters counters;
    struct lauka_usage usage;
    struct lauka_reading readings[LAUKA_COUNTERS_MAX];
    size_t turns[COUNT(six)] = {0};
    simulate_six(&counters, LAUKA_SCENARIO_MULTIPLEXED);
    EXPECT_UINT(counters.set_count, 3);
    EXPECT_UINT(counters.turn, LAUKA_ALL_SETS);
    for (unsigned turn = 0; turn < counters.set_count; turn++) {
        counters.turn = (uint8_t)turn;
        lauka_pretended_run(&counters, LAUKA_SCENARIO_MULTIPLEXED, 1, 0, turn, &usage, readings);
        for (size_t i = 0; i < counters.count; i++) {
            EXPECT(counters.sets[counters.leaders[i]] == counters.sets[i]);
            EXPECT(not_counted(readings[i]) || lauka_reading_share(&readings[i]) == 1);
            turns[i] += !not_counted(readings[i]);
        }
    }
    for (size_t i = 0; i < counters.count; i++)
        EXPECT_UINT(turns[i], 1);
    char text[100];
    lauka_counters_list_set(&counters, 1, text, sizeof text);
    EXPECT_TEXT(text, "branches, branch_misses, cache_misses");
}

/* ---- parts.c ----------------------------------------------------------------------------------------- */

static struct lauka_reading hybrid_readings[LAUKA_COUNTERS_MAX];

static void run_hybrid(struct lauka_counters *counters, enum lauka_scenario scenario,
                       size_t command)
{
    struct lauka_usage usage;
    simulate_six(counters, scenario);
    lauka_pretended_run(counters, scenario, 1, command, 0, &usage, hybrid_readings);
}

static void an_event_is_the_sum_of_its_parts_on_each_kind_of_core(void)
{
    static struct lauka_counters counters;
    char name[LAUKA_EVENT_NAME_SIZE];
    run_hybrid(&counters, LAUKA_SCENARIO_HYBRID, 0);
    EXPECT_UINT(counters.asked, COUNT(six));
    EXPECT_UINT(counters.count, 3 * COUNT(six));
    for (size_t i = 0; i < counters.asked; i++) {
        const struct lauka_reading *on_p = &hybrid_readings[counters.asked + 2 * i];
        const struct lauka_reading *on_e = on_p + 1;
        EXPECT(counters.sums[i] && on_p->value > 8 * on_e->value);
        EXPECT_UINT(hybrid_readings[i].value, on_p->value + on_e->value);
        EXPECT(lauka_reading_share(&hybrid_readings[i]) == 1);
        EXPECT_UINT(on_p->enabled, counters.residency.types[0].cpu_ns);
        EXPECT_UINT(on_e->running, counters.residency.types[1].cpu_ns);
    }
    lauka_counters_name(&counters, counters.asked + 3, name, sizeof name);
    EXPECT_TEXT(name, "instructions@E");
    counters.user_only = true;
    lauka_counters_name(&counters, counters.asked + 3, name, sizeof name);
    EXPECT_TEXT(name, "instructions:u@E");
}

/* A run that was never on one kind of core misses nothing there: its count is 0, and this is known. */
static void a_run_on_one_kind_of_core_counts_nothing_on_the_other(void)
{
    static struct lauka_counters counters;
    for (size_t command = 0; command < 2; command++) {
        run_hybrid(&counters, LAUKA_SCENARIO_APART, command);
        const struct lauka_reading *there = &hybrid_readings[counters.asked + command];
        const struct lauka_reading *elsewhere = &hybrid_readings[counters.asked + 1 - command];
        EXPECT(scaled_is(*elsewhere, 0));
        EXPECT(there->value > 0);
        EXPECT_UINT(hybrid_readings[0].value, there->value);
        EXPECT(lauka_residency_share(&counters.residency, 2, command) == 1);
    }
}

static void ratios_are_made_for_each_kind_of_core_too(void)
{
    static struct lauka_counters counters;
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    uint64_t value;
    run_hybrid(&counters, LAUKA_SCENARIO_APART, 0);
    EXPECT_UINT(lauka_derived_find(&counters, derived), 9);
    EXPECT_TEXT(derived[0].name, "ipc");
    EXPECT_UINT(derived[0].core, 0);
    EXPECT_TEXT(derived[3].name, "ipc");
    EXPECT_UINT(derived[3].core, 1);
    EXPECT_TEXT(derived[7].name, "ghz");
    EXPECT_UINT(derived[7].core, 2);
    EXPECT(lauka_derived_value(&derived[3], hybrid_readings, &value));
    EXPECT_NEAR((double)value, 20000, 0.02);
    EXPECT(lauka_derived_value(&derived[4], hybrid_readings, &value));
    EXPECT_NEAR((double)value, 30000, 0.05);
    EXPECT(!lauka_derived_value(&derived[6], hybrid_readings, &value)); /* never on an E core */
    EXPECT(!lauka_derived_value(&derived[7], hybrid_readings, &value));
}

static void an_event_of_one_pmu_has_no_parts(void)
{
    static struct lauka_counters counters;
    const struct lauka_event of_one_kind = {
        .name = "cpu_core/event=1/", .type = LAUKA_TYPE_RAW, .config = 1, .of_one_pmu = true};
    lauka_pretended_open(&counters, LAUKA_SCENARIO_HYBRID, &of_one_kind, 1);
    EXPECT(counters.count == 1 && !counters.sums[0] && counters.errors[0] == 0);
    EXPECT(counters.core_kinds);
}

static void a_number_that_is_each_pmus_own_is_counted_by_each(void)
{
    static struct lauka_counters counters;
    const struct lauka_event raw = {.name = "r11", .type = LAUKA_TYPE_RAW, .config = 0x11};
    const struct lauka_event cache = {.name = "llc_loads", .type = LAUKA_TYPE_CACHE, .config = 2};
    lauka_pretended_open(&counters, LAUKA_SCENARIO_HYBRID, &raw, 1);
    EXPECT_UINT(counters.count, 3);
    EXPECT_UINT(counters.events[2]->type, counters.topology.types[1].pmu_type);
    EXPECT_UINT(counters.events[2]->config, 0x11);
    lauka_pretended_open(&counters, LAUKA_SCENARIO_HYBRID, &cache, 1);
    EXPECT_UINT(counters.events[1]->type, LAUKA_TYPE_CACHE);
    EXPECT_UINT(counters.events[1]->config,
                2 | (uint64_t)counters.topology.types[0].pmu_type << 32);
}

static void an_event_that_one_kind_of_core_lacks_has_no_sum(void)
{
    static struct lauka_counters counters;
    struct lauka_usage usage;
    char text[500];
    const struct lauka_event *stalls = lauka_event_find("stalled_cycles_backend");
    lauka_pretended_open(&counters, LAUKA_SCENARIO_HYBRID, stalls, 1);
    EXPECT(counters.errors[1] == 0 && counters.errors[2] == ENOENT);
    lauka_pretended_run(&counters, LAUKA_SCENARIO_HYBRID, 1, 0, 0, &usage, hybrid_readings);
    EXPECT(not_counted(hybrid_readings[0]) && not_counted(hybrid_readings[2]));
    EXPECT(hybrid_readings[1].value > 0);
    EXPECT(lauka_counters_advice(&counters, text, sizeof text));
    EXPECT(strstr(text, "cannot count stalled_cycles_backend: not every kind of core") == text);
}

/* ---- Faults: every errno at every position ----------------------------------------------------------- */

static void check_fault(enum lauka_scenario scenario, int error, size_t first, size_t beyond)
{
    struct lauka_counters counters;
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    struct lauka_usage usage;
    struct lauka_reading readings[LAUKA_COUNTERS_MAX];
    char text[500];
    simulate_six(&counters, scenario);
    EXPECT(lauka_counters_advice(&counters, text, sizeof text));
    EXPECT(strstr(text, counters.events[first]->name) && strchr(text, ';'));
    lauka_pretended_run(&counters, scenario, 1, 0, 0, &usage, readings);
    for (size_t i = 0; i < counters.count; i++) {
        bool fails = i >= first && i < beyond;
        EXPECT((counters.errors[i] == error) == fails);
        EXPECT(not_counted(readings[i]) == fails);
        EXPECT(!fails || (counters.leaders[i] == i && strstr(text, counters.events[i]->name)));
    }
    size_t count = lauka_derived_find(&counters, derived);
    for (size_t d = 0; d < count; d++) {
        uint64_t value;
        EXPECT(counters.errors[derived[d].of] == 0 && counters.errors[derived[d].per] == 0);
        EXPECT(lauka_derived_value(&derived[d], readings, &value) && value > 0);
    }
}

static const struct {
    int error;
    const char *name;
} known_faults[] = {
    {EACCES, "EACCES"}, {EPERM, "EPERM"},   {ENOSYS, "ENOSYS"}, {ENOENT, "ENOENT"},
    {EINVAL, "EINVAL"}, {ENODEV, "ENODEV"}, {EMFILE, "EMFILE"}, {ENFILE, "ENFILE"},
    {ESRCH, "ESRCH"},   {E2BIG, "E2BIG"},   {EBUSY, "EBUSY"},   {ENOTSUP, "EOPNOTSUPP"},
    {ENOSPC, "ENOSPC"},
};

static void every_errno_at_every_position_is_a_gap_with_advice(void)
{
    for (size_t f = 0; f < COUNT(known_faults); f++) {
        enum lauka_scenario scenario;
        char name[40];
        for (size_t position = 0; position < COUNT(six); position++) {
            snprintf(name, sizeof name, "fail-%s-%zu", known_faults[f].name, position);
            EXPECT(lauka_scenario_parse(name, &scenario));
            EXPECT(scenario == lauka_scenario_failing(known_faults[f].error, (unsigned)position));
            check_fault(scenario, known_faults[f].error, position, position + 1);
        }
        snprintf(name, sizeof name, "fail-%s", known_faults[f].name);
        EXPECT(lauka_scenario_parse(name, &scenario));
        check_fault(scenario, known_faults[f].error, 0, COUNT(six));
    }
    enum lauka_scenario untouched = LAUKA_SCENARIO_FULL;
    EXPECT(!lauka_scenario_parse("fail-EBUSY-", &untouched));
    EXPECT(!lauka_scenario_parse("fail-EBUSY-99", &untouched));
    EXPECT(!lauka_scenario_parse("fail-ENONSENSE", &untouched));
    EXPECT(!lauka_scenario_parse("fail-", &untouched));
    EXPECT(untouched == LAUKA_SCENARIO_FULL);
}

int main(void)
{
    TEST(scenarios_are_parsed_by_name);
    TEST(a_simulated_run_depends_on_its_arguments_only);
    TEST(a_simulated_run_is_the_same_on_every_machine);
    TEST(simulated_usage_is_consistent);
    TEST(each_simulated_command_is_five_per_cent_slower);
    TEST(simulated_times_have_one_per_cent_of_noise);
    TEST(a_simulated_spike_is_rare_and_far_out);
    TEST(everything_is_counted_in_the_full_scenario);
    TEST(hardware_events_are_refused_where_the_scenario_says_so);
    TEST(what_is_refused_changes_nothing_else);
    TEST(multiplexed_events_run_for_part_of_their_time);
    TEST(ratios_come_from_groups);
    TEST(a_ratio_is_of_counts_of_the_same_time);
    TEST(a_frequency_is_not_made_of_user_mode_cycles);
    TEST(what_does_not_fit_takes_turns);
    TEST(an_event_is_the_sum_of_its_parts_on_each_kind_of_core);
    TEST(a_run_on_one_kind_of_core_counts_nothing_on_the_other);
    TEST(ratios_are_made_for_each_kind_of_core_too);
    TEST(an_event_of_one_pmu_has_no_parts);
    TEST(a_number_that_is_each_pmus_own_is_counted_by_each);
    TEST(an_event_that_one_kind_of_core_lacks_has_no_sum);
    TEST(every_errno_at_every_position_is_a_gap_with_advice);
    return expect_report("pretended");
}
