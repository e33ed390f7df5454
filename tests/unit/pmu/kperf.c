/* Counting on macOS, on a simulated Mac (tests/fakes). The code is the same that runs on a Mac. The true
 * counts of every command are known, so the results are compared with them exactly. */
#include "pmu/counters/counters.h"
#include "pmu/macos/darwin.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/expect.h"
#include "tests/fakes/fake.h"
#include "tests/unit/mac_sessions.h"

/* ---- Exact counts ------------------------------------------------------------------------------------ */

static void every_workload_is_counted_exactly(void)
{
    power_on();
    EXPECT(open_events(EIGHT));
    for (uint64_t seed = 1; seed <= 10; seed++)
        for (int workload = 0; workload < FAKE_WORKLOADS; workload++)
            if (workload != FAKE_DAEMON)
                EXPECT(is_exact_of((enum fake_workload)workload, seed));
    EXPECT_UINT(counters.partial_runs, 0);
    EXPECT(closes_clean());
}

static void every_chip_that_macs_have_is_counted_exactly(void)
{
    static const char *const chips[] = {"a14", "a15", "a16", "as1", "as3", "as4", "as4-macos26"};
    static const char *const names[] = {"FIXED_CYCLES", "INST_INT_ALU", "BRANCH_MISPRED_NONSPEC",
                                        "L1D_CACHE_MISS_LD"};
    for (size_t c = 0; c < COUNT(chips); c++)
        for (unsigned macos = 13; macos <= 26; macos += macos == 15 ? 11 : 1) {
            power_on();
            fake_options.chip = chips[c];
            fake_options.macos = macos;
            fake_options.old_layout = c % 2;
            fake_options.no_duplicates = macos % 2;
            fake_options.packed_map = true;
            fake_options.user_flag = macos == 13 ? 0x30000 : 0x20000;
            EXPECT(open_events("cycles,INST_INT_ALU,branch-misses,l1d-cache-load-misses"));
            run(FAKE_POOL, macos);
            EXPECT(all_exact(names, COUNT(names)));
            EXPECT(closes_clean());
        }
}

static void the_order_in_which_events_are_asked_for_does_not_matter(void)
{
    static const char *const names[] = {"L1D_TLB_ACCESS",    "L1D_TLB_MISS", "L1D_CACHE_MISS_ST",
                                        "L1D_CACHE_MISS_LD", "LD_UNIT_UOP",  "ST_UNIT_UOP",
                                        "INST_LDST"};
    power_on();
    EXPECT(open_events("L1D_TLB_ACCESS,L1D_TLB_MISS,L1D_CACHE_MISS_ST,L1D_CACHE_MISS_LD,"
                       "LD_UNIT_UOP,ST_UNIT_UOP,INST_LDST"));
    EXPECT_UINT(counters.set_count, 1);
    run(FAKE_POOL, 5);
    EXPECT(all_exact(names, COUNT(names)));
    EXPECT(closes_clean());
}

static void one_run_leaves_nothing_for_the_next(void)
{
    power_on();
    EXPECT(open_events(EIGHT));
    uint64_t set_up = fake_count_calls("KDSETUP", -1);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        run(FAKE_FORK_EXEC, seed);
        EXPECT(all_exact(eight, COUNT(eight)));
    }
    EXPECT_UINT(fake_count_calls("KDSETUP", -1), set_up);
    EXPECT_UINT(set_up, 1);
    EXPECT_UINT(fake_count_calls("kpc_force_all_ctrs_set", 1), 1);
    EXPECT(closes_clean());
}

static void short_reads_lose_nothing(void)
{
    power_on();
    fake_options.short_reads = 7;
    EXPECT(open_events(EIGHT));
    EXPECT(is_exact_of(FAKE_POOL, 3));
    EXPECT(closes_clean());
}

/* ---- Partial runs ------------------------------------------------------------------------------------ */

static void lost_records_make_a_run_partial(void)
{
    for (int exhausts = 0; exhausts < 2; exhausts++) {
        power_on();
        fake_options.units = 1;
        fake_options.exhausts = exhausts;
        EXPECT(open_events(EIGHT));
        run(FAKE_BURST, 1);
        EXPECT_UINT(count_counted(), 0);
        EXPECT_UINT(counters.partial_runs, 1);
        EXPECT(strstr(counters.trouble, "lost records"));
        EXPECT(is_exact_of(FAKE_ONE_THREAD, 2)); /* and the next run is not partial */
        EXPECT(closes_clean());
    }
}

static void a_thread_without_an_end_makes_a_run_partial(void)
{
    power_on();
    EXPECT(open_events(EIGHT));
    counters.period_ns = LAUKA_PERIOD_NEVER;
    run(FAKE_DAEMON, 1);
    EXPECT_UINT(count_counted(), 0);
    EXPECT(strstr(counters.trouble, "the end of a thread was not seen"));
    fake_options.exec_exits = false;
    run(FAKE_EXEC, 1);
    EXPECT_UINT(count_counted(), 0);
    EXPECT_UINT(counters.partial_runs, 2);
    EXPECT(closes_clean());
}

/* The value never exceeds the truth. It may be too small by what each such thread can count in one
 * period; the highest rate of the simulation is 62 per tick. */
static bool is_near_truth(size_t index, const char *name, uint64_t threads, uint64_t period_ns)
{
    uint64_t value, truth = fake_truth(name, index >= 2);
    uint64_t most = threads * period_ns * 3 / 125 * 62;
    bool scaled = lauka_reading_scaled(&readings[index], &value);
    return scaled && value <= truth && truth - value <= most + 1 &&
           lauka_reading_share(&readings[index]) < 1;
}

static void samples_stand_in_for_ends_that_were_not_seen(void)
{
    power_on();
    fake_options.exec_exits = false;
    EXPECT(open_events(EIGHT));
    run(FAKE_EXEC, 1); /* partial; from now on, running threads are sampled */
    EXPECT_UINT(count_counted(), 0);
    for (uint64_t seed = 2; seed < 8; seed++) {
        run(seed % 2 ? FAKE_EXEC : FAKE_FORK_EXEC, seed);
        EXPECT_UINT(counters.sampled_ns, 1000000);
        for (size_t i = 0; i < COUNT(eight); i++)
            EXPECT(is_near_truth(i, eight[i], seed % 2 ? 1 : 5, 1000000));
    }
    EXPECT(is_exact_of(FAKE_POOL, 9));
    EXPECT(fake_count_calls("kperf.lightweight_pet", 1) == 1);
    EXPECT(closes_clean());
}

static void a_period_that_is_too_short_is_told(void)
{
    for (unsigned macos = 13; macos <= 14; macos++) {
        power_on();
        fake_options.macos = macos;
        EXPECT(open_events("cycles,branches"));
        counters.period_ns = 200000;
        run(FAKE_POOL, 1);
        EXPECT_UINT(counters.sampled_ns, macos == 13 ? 2000000 : 1000000);
        EXPECT(is_counted(1));
        EXPECT(closes_clean());
    }
}

/* The fixed counters cannot be made to count anything else. Before the next run all are configured
 * again. */
static void events_that_somebody_changed_are_not_believed(void)
{
    power_on();
    fake_options.foreign_config_run = 1;
    EXPECT(open_events(EIGHT));
    run(FAKE_ONE_THREAD, 1);
    EXPECT_UINT(count_counted(), 2);
    EXPECT(all_exact(eight, 2));
    EXPECT_UINT(counters.partial_runs, 1);
    EXPECT(strstr(counters.trouble, "another program changed the counters"));
    EXPECT(is_exact_of(FAKE_POOL, 2));
    EXPECT_UINT(counters.partial_runs, 1);
    EXPECT(closes_clean());
}

static bool is_marked(size_t index, uint64_t truth)
{
    uint64_t value;
    return lauka_reading_scaled(&readings[index], &value) &&
           lauka_reading_share(&readings[index]) < 1 && value <= truth + 1 &&
           truth <= value + 1 + truth / 1000000;
}

static bool all_marked(void)
{
    for (size_t i = 0; i < COUNT(eight); i++)
        if (!is_marked(i, fake_truth(eight[i], i >= 2)))
            return false;
    return true;
}

/* Every run's total is compared with the kernel's account of the process. If they differ by more than 3
 * million plus a fiftieth, something is wrong that shows nowhere else. It is unknown which of the two is
 * wrong. */
static void counters_that_disagree_with_the_account_are_marked(void)
{
    static const struct {
        uint64_t percent, more;
        bool believed;
    } cases[] = {
        {0, 0, true}, {0, 2900000, true}, {1, 2900000, true}, {3, 3100000, false}, {100, 0, false}};
    power_on();
    EXPECT(open_events(EIGHT));
    run(FAKE_ONE_THREAD, 1);
    uint64_t truth = fake_truth_of_process("FIXED_INSTRUCTIONS", false);
    EXPECT(truth > 3000000);
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t before = counters.doubtful_runs;
        fake_options.account_more = truth / 100 * cases[i].percent + cases[i].more;
        run(FAKE_ONE_THREAD, 1);
        EXPECT(cases[i].believed ? all_exact(eight, COUNT(eight)) : all_marked());
        EXPECT_UINT(counters.doubtful_runs - before, !cases[i].believed);
        EXPECT(counters.contradicted == !cases[i].believed);
    }
    char both[100];
    truth = fake_truth_of_process("FIXED_INSTRUCTIONS", false);
    snprintf(both, sizeof both, "saw %" PRIu64 " instructions of the command's process, and",
             truth);
    EXPECT(strstr(counters.doubt, both));
    EXPECT_UINT(counters.check.counted_instructions, truth);
    uint64_t accounted = counters.check.accounted_instructions;
    EXPECT_NEAR(lauka_reading_share(&readings[0]), (double)truth / (double)accounted, 0.001);
    EXPECT_UINT(counters.partial_runs, 0);
    EXPECT(closes_clean());
}

/* ---- Behaviour of Macs that could not be observed ---------------------------------------------------- */

/* The library has no configuration words for the fixed events. It either reports that or not. */
static void the_fixed_events_alone_are_counted(void)
{
    for (int all_words = 0; all_words < 2; all_words++) {
        power_on();
        fake_options.counts_all_words = all_words;
        EXPECT(open_events("cycles,instructions"));
        EXPECT(!counters.process_only && !*counters.trouble);
        run(FAKE_FORK_EXEC, 1);
        EXPECT(all_exact(eight, 2));
        EXPECT(closes_clean());
    }
}

/* Kernels keep other bits of a word than were written, apply the word only when counting starts, and
 * count classes that nobody asked for. Therefore their answers are compared with their first answers. */
static void what_the_kernel_reads_back_is_its_own(void)
{
    for (unsigned macos = 13; macos <= 26; macos++) {
        power_on();
        fake_options.macos = macos;
        fake_options.old_readback = macos % 2;
        fake_options.counting_more = macos % 3 ? 8 : 0;
        EXPECT(open_events("cycles,instructions,INST_LDST,branches,INST_INT_ALU"));
        EXPECT_UINT(counters.set_count, 2);
        for (unsigned turn = 0; turn < 4; turn++) {
            counters.turn = (uint8_t)(turn % 2);
            run(FAKE_POOL, macos + turn);
            EXPECT_UINT(readings[turn % 2 ? 4 : 2].value,
                        fake_truth(turn % 2 ? "INST_INT_ALU" : "INST_LDST", true));
        }
        EXPECT(counters.partial_runs == 0 && counters.doubtful_runs == 0);
        EXPECT(closes_clean());
    }
}

/* The fork that became the command may end only after the command's program has started. */
static void what_was_before_exec_is_not_the_commands(void)
{
    power_on();
    fake_options.late_stub = true;
    EXPECT(open_events(EIGHT));
    for (int workload = 0; workload < FAKE_WORKLOADS; workload++)
        if (workload != FAKE_DAEMON)
            EXPECT(is_exact_of((enum fake_workload)workload, 3));
    EXPECT_UINT(counters.check.strangers, 1);
    fake_options.late_stub = false;
    /* Every thread of the process now counts as the command's. */
    fake_options.no_thread_list = true;
    for (int workload = 0; workload < FAKE_WORKLOADS; workload++)
        if (workload != FAKE_DAEMON)
            EXPECT(is_exact_of((enum fake_workload)workload, 4));
    EXPECT_UINT(counters.partial_runs, 0);
    EXPECT(closes_clean());
}

static void a_chip_has_as_many_counters_as_the_kernel_says(void)
{
    static const char *const names[] = {
        "FIXED_CYCLES",      "L1D_TLB_MISS",        "L1D_TLB_FILL", "L1D_TLB_ACCESS",
        "L1I_TLB_FILL",      "L2_TLB_MISS_DATA",    "LD_UNIT_UOP",  "L1D_CACHE_MISS_LD",
        "L1D_CACHE_MISS_ST", "L1D_CACHE_WRITEBACK", "ST_UNIT_UOP",  "MAP_STALL"};
    static const unsigned counts[] = {6, 8, 12};
    for (size_t c = 0; c < COUNT(counts); c++) {
        char asked[400] = "cycles";
        power_on();
        fake_options.configurable = counts[c];
        size_t count = 1 + (counts[c] < 11 ? counts[c] : 11);
        for (size_t i = 1; i < count; i++)
            strcat(strcat(asked, ","), names[i]);
        EXPECT(open_events(asked));
        EXPECT_UINT(counters.set_count, 1);
        run(FAKE_POOL, counts[c]);
        EXPECT(all_exact(names, count));
        EXPECT(closes_clean());
    }
}

/* As in a virtual machine: forcing all counters has no effect, so no event would be on its assumed
 * counter. */
static void without_all_counters_the_fixed_ones_are_counted(void)
{
    power_on();
    fake_options.forces_nothing = true;
    EXPECT(open_events("cycles,instructions,branches"));
    EXPECT(!counters.process_only && counters.errors[2] == ENOTSUP);
    EXPECT(strstr(counters.trouble, "cannot get all counters: "));
    run(FAKE_FORK_EXEC, 1);
    EXPECT(all_exact(eight, 2) && !is_counted(2));
    EXPECT(closes_clean());
}

static void only_the_events_that_are_refused_are_left_out(void)
{
    char text[600];
    power_on();
    fake_options.refused[0] = "INST_LDST";
    fake_options.refused[1] = "INST_SIMD_ALU";
    EXPECT(open_events("cycles,INST_INT_ALU,INST_LDST,branches,INST_SIMD_ALU,INST_ALL"));
    EXPECT(counters.errors[2] == EPERM && counters.errors[4] == EPERM);
    EXPECT_UINT(counters.set_count, 2);
    EXPECT(lauka_counters_advice(&counters, text, sizeof text));
    EXPECT_TEXT(text,
                "cannot count INST_LDST, INST_SIMD_ALU: this macOS does not allow the event on "
                "this chip; leave it out, or update macOS");
    for (unsigned turn = 0; turn < 2; turn++) {
        counters.turn = (uint8_t)turn;
        run(FAKE_POOL, turn);
        EXPECT_UINT(readings[0].value, fake_truth("FIXED_CYCLES", false));
        EXPECT_UINT(readings[3].value, turn ? 0 : fake_truth("INST_BRANCH", true));
        EXPECT_UINT(readings[5].value, turn ? fake_truth("INST_ALL", true) : 0);
    }
    EXPECT(closes_clean());
    power_on();
    fake_options.allow_nothing = true;
    EXPECT(open_events("cycles,instructions,branches"));
    EXPECT(!counters.process_only && counters.errors[2] == EPERM);
    run(FAKE_FORK_EXEC, 1);
    EXPECT(all_exact(eight, 2));
    EXPECT(closes_clean());
}

static void samples_stand_in_for_a_trigger_that_does_not_fire(void)
{
    power_on();
    fake_options.no_trigger = true;
    EXPECT(open_events(EIGHT));
    run(FAKE_ONE_THREAD, 1);
    EXPECT_UINT(count_counted(), 0);
    for (uint64_t seed = 2; seed < 5; seed++) {
        run(FAKE_ONE_THREAD, seed);
        for (size_t i = 0; i < COUNT(eight); i++)
            EXPECT(is_near_truth(i, eight[i], 1, 1000000));
    }
    EXPECT_UINT(counters.partial_runs, 1);
    EXPECT(closes_clean());
}

/* A fork does little before exec, so the run is kept, and marked. */
static void a_thread_that_exec_replaced_has_ended(void)
{
    power_on();
    fake_options.exec_exits = false;
    EXPECT(open_events(EIGHT));
    counters.period_ns = LAUKA_PERIOD_NEVER;
    run(FAKE_FORK_EXEC, 1);
    for (size_t i = 0; i < COUNT(eight); i++)
        EXPECT(is_near_truth(i, eight[i], 5, 100000));
    EXPECT(counters.partial_runs == 0 && counters.doubtful_runs == 1);
    EXPECT_UINT(counters.check.replaced, 5);
    EXPECT(strstr(counters.doubt, "between fork and exec"));
    EXPECT(closes_clean());
}

static void levels_have_the_names_that_the_system_gives_them(void)
{
    static const struct {
        unsigned count;
        const char *names[FAKE_LEVELS], *labels[FAKE_LEVELS];
    } cases[] = {{2, {"Performance", "Efficiency"}, {"P", "E"}},
                 {2, {"Super", "Performance"}, {"S", "P"}},
                 {3, {"Super", "Performance", "Efficiency"}, {"S", "P", "E"}},
                 {3, {"Fast & big", "Efficiency", "Economy"}, {"F", "Efficiency", "Economy"}},
                 {4, {"A longer name", "A", "B", "B"}, {"A-longer-name", "A", "B", "L3"}},
                 {3, {"Performance", "Efficiency", NULL}, {"P", "E", "L2"}}};
    for (size_t c = 0; c < COUNT(cases); c++) {
        power_on();
        fake_options.euid = 501;
        fake_options.levels = cases[c].count;
        memcpy(fake_options.level_names, cases[c].names, sizeof cases[c].names);
        EXPECT(open_events("cycles"));
        EXPECT_UINT(counters.topology.type_count, cases[c].count);
        for (size_t t = 0; t < cases[c].count; t++)
            EXPECT_TEXT(counters.topology.types[t].label, cases[c].labels[t]);
        run(FAKE_POOL, 1);
        /* The kernel accounts for the first level separately, and for no other. */
        const struct lauka_core_usage *types = counters.residency.types;
        EXPECT(types[0].cpu_ns > 0 && types[0].cpu_ns != LAUKA_UNKNOWN);
        for (size_t t = 1; t < cases[c].count; t++)
            EXPECT((types[t].cpu_ns != LAUKA_UNKNOWN) == (cases[c].count == 2));
        EXPECT(closes_clean());
    }
}

/* Rosetta converts the program's clock, but not the kernel's accounts. */
static void ticks_are_the_machines_own_under_rosetta(void)
{
    power_on();
    fake_options.translated = true;
    EXPECT(open_events("cycles,instructions,INST_LDST,p_core_time"));
    counters.period_ns = 1000000;
    run(FAKE_ONE_THREAD, 1);
    EXPECT(all_exact(eight, 3));
    EXPECT(readings[3].enabled > 9000000 && readings[3].enabled < 21000000);
    EXPECT_UINT(counters.sampled_ns, 1000000);
    EXPECT_UINT(lauka_darwin_ns(24), 1000);
    EXPECT(closes_clean());
}

/* The database of Intel Macs has no fixed events with these names. The message must not recommend sudo
 * or say that an event is missing. */
static void macs_of_intel_show_what_the_kernel_accounts(void)
{
    for (unsigned user = 0; user <= 501; user += 501) {
        power_on();
        fake_options.intel = true;
        fake_options.euid = user;
        EXPECT(open_events("cycles,branches"));
        EXPECT(counters.errors[0] == 0 && counters.errors[1] == ENOTSUP && counters.process_only);
        EXPECT(strstr(counters.trouble, "needs Apple silicon") &&
               !strstr(counters.trouble, "sudo"));
        run(FAKE_ONE_THREAD, 1);
        EXPECT(is_counted(0) && !is_counted(1));
        EXPECT(closes_clean());
    }
}

int main(int argc, char **argv)
{
    if (!fake_find_libraries(argc, argv))
        return 2;
    TEST(every_workload_is_counted_exactly);
    TEST(every_chip_that_macs_have_is_counted_exactly);
    TEST(the_order_in_which_events_are_asked_for_does_not_matter);
    TEST(one_run_leaves_nothing_for_the_next);
    TEST(short_reads_lose_nothing);
    TEST(lost_records_make_a_run_partial);
    TEST(a_thread_without_an_end_makes_a_run_partial);
    TEST(samples_stand_in_for_ends_that_were_not_seen);
    TEST(a_period_that_is_too_short_is_told);
    TEST(events_that_somebody_changed_are_not_believed);
    TEST(counters_that_disagree_with_the_account_are_marked);
    TEST(the_fixed_events_alone_are_counted);
    TEST(what_the_kernel_reads_back_is_its_own);
    TEST(what_was_before_exec_is_not_the_commands);
    TEST(a_chip_has_as_many_counters_as_the_kernel_says);
    TEST(without_all_counters_the_fixed_ones_are_counted);
    TEST(only_the_events_that_are_refused_are_left_out);
    TEST(samples_stand_in_for_a_trigger_that_does_not_fire);
    TEST(a_thread_that_exec_replaced_has_ended);
    TEST(levels_have_the_names_that_the_system_gives_them);
    TEST(ticks_are_the_machines_own_under_rosetta);
    TEST(macs_of_intel_show_what_the_kernel_accounts);
    return expect_report("kperf");
}
