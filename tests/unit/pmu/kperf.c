/* Counting on macOS, on a simulated Mac (tests/fakes). The code is the same that runs on a Mac. The true
 * counts of every command are known, so the results are compared with them exactly. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/macos/darwin.h"
#include "pmu/macos/kdebug.h"
#include "pmu/threads/threads.h"
#include "tests/unit/expect.h"
#include "tests/fakes/fake.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- Sessions ---- */

static struct lauka_event_list list;
static struct lauka_counters counters;
static struct lauka_reading readings[LAUKA_COUNTERS_MAX];

static void power_on(void)
{
    fake_options = (struct fake_options){.exec_exits = true};
    fake_reset();
}

static bool ask(const char *names)
{
    char why[400];
    memset(&list, 0, sizeof list);
    bool good = lauka_event_list_add(&list, names, "/nonexistent", why, sizeof why);
    if (!good)
        puts(why);
    return good;
}

static bool open_events(const char *names)
{
    if (!ask(names))
        return false;
    fake_reset();
    lauka_counters_open(&counters, list.events, list.count);
    return true;
}

static unsigned watch(void *context)
{
    return lauka_counters_watch(context);
}

static void run(enum fake_workload workload, uint64_t seed)
{
    lauka_counters_turn(&counters);
    int pid = fake_spawn(workload, seed);
    lauka_counters_start(&counters, pid);
    fake_run(watch, &counters);
    lauka_counters_stop(&counters, pid);
    fake_reap();
    lauka_counters_collect(&counters, readings);
}

static bool is_counted(size_t index)
{
    return readings[index].running > 0;
}

static bool closes_clean(void)
{
    lauka_counters_close(&counters);
    const char *rule = fake_broken_rule();
    if (rule)
        printf("broken: %s\n", rule);
    if (*fake_left_set())
        printf("left set: %s\n", fake_left_set());
    return !rule && !*fake_left_set();
}

/* Whether all events of the list were counted, exactly. */
static bool all_exact(const char *const *database, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool fixed = strncmp(database[i], "FIXED", 5) == 0;
        uint64_t truth = fake_truth(database[i], !fixed);
        if (!is_counted(i) || readings[i].value != truth ||
            readings[i].running != readings[i].enabled) {
            printf("%s: %" PRIu64 ", not %" PRIu64 "; %s\n", database[i], readings[i].value, truth,
                   counters.trouble);
            return false;
        }
    }
    return true;
}

#define EIGHT                                                                                      \
    "cycles,instructions,INST_LDST,branches,branch-misses,L1D_TLB_ACCESS,l1d-tlb-misses,"          \
    "L1D_CACHE_MISS_ST,L1D_CACHE_MISS_LD,LD_UNIT_UOP"
static const char *const eight[] = {"FIXED_CYCLES", "FIXED_INSTRUCTIONS",     "INST_LDST",
                                    "INST_BRANCH",  "BRANCH_MISPRED_NONSPEC", "L1D_TLB_ACCESS",
                                    "L1D_TLB_MISS", "L1D_CACHE_MISS_ST",      "L1D_CACHE_MISS_LD",
                                    "LD_UNIT_UOP"};

/* ---- Exact counts ---- */

static bool is_exact_of(enum fake_workload workload, uint64_t seed)
{
    run(workload, seed);
    bool exact = all_exact(eight, COUNT(eight));
    if (!exact)
        printf("workload %d, seed %" PRIu64 "\n", (int)workload, seed);
    return exact;
}

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

/* ---- Partial runs ---- */

static size_t count_counted(void)
{
    size_t count = 0;
    for (size_t i = 0; i < list.count; i++)
        count += is_counted(i);
    return count;
}

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

/* ---- Behaviour of Macs that could not be observed ---- */

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

/* ---- Refusals ---- */

static bool falls_back(const char *what)
{
    bool good = open_events("cycles,branches,instructions");
    run(FAKE_ONE_THREAD, 1);
    uint64_t cycles = fake_truth_of_process("FIXED_CYCLES", false);
    good = good && is_counted(0) && !is_counted(1) && is_counted(2) && counters.process_only &&
           counters.errors[0] == 0 && counters.errors[1] == ENOTSUP &&
           readings[0].value >= cycles && readings[0].value < cycles + 100000 &&
           strstr(counters.trouble, what);
    if (!good)
        printf("trouble: %s\n", counters.trouble);
    return closes_clean() && good;
}

static void refusals_lead_to_the_account_that_anybody_may_read(void)
{
    power_on();
    fake_options.euid = 501;
    EXPECT(falls_back("run it under sudo"));
    power_on();
    fake_options.virtual_machine = true;
    EXPECT(falls_back("as in a virtual machine"));
    power_on();
    fake_options.forced_by_other = true;
    EXPECT(falls_back("another program has taken the counters"));
    power_on();
    fake_options.cpmu_busy = true;
    EXPECT(falls_back("another program is using them"));
    power_on();
    fake_options.trace_owned = true;
    EXPECT(falls_back("(Instruments, pid 321)"));
    power_on();
    fake_options.no_library = true;
    EXPECT(falls_back("cannot load kperf: image not found"));
}

static void every_symbol_may_be_missing(void)
{
    static const char *const needed[] = {"kpc_force_all_ctrs_set",
                                         "kpc_get_counter_count",
                                         "kpc_get_config_count",
                                         "kpc_set_config",
                                         "kpc_set_counting",
                                         "kpc_set_thread_counting",
                                         "kperf_action_count_set",
                                         "kperf_action_count_get",
                                         "kperf_action_samplers_set",
                                         "kperf_action_filter_set_by_pid",
                                         "kperf_reset",
                                         "kperf_kdebug_filter_create",
                                         "kperf_kdebug_filter_add_debugid",
                                         "kperf_kdebug_filter_set",
                                         "kperf_kdebug_action_set",
                                         "kpep_db_create",
                                         "kpep_db_event",
                                         "kpep_config_create",
                                         "kpep_config_force_counters",
                                         "kpep_config_add_event",
                                         "kpep_config_kpc_classes",
                                         "kpep_config_kpc_count",
                                         "kpep_config_kpc",
                                         "kpep_config_kpc_map"};
    static const char *const optional[] = {"kpc_get_config",
                                           "kpc_get_counting",
                                           "kpc_get_thread_counting",
                                           "kpep_db_name",
                                           "kpep_db_free",
                                           "kpep_config_free",
                                           "kperf_timer_count_set",
                                           "kperf_timer_pet_set",
                                           "kperf_sample_set",
                                           "kpc_get_thread_counters",
                                           "kperf_kdebug_filter_destroy"};
    for (size_t i = 0; i < COUNT(needed); i++) {
        power_on();
        fake_options.hidden = needed[i];
        EXPECT(falls_back(needed[i]));
    }
    for (size_t i = 0; i < COUNT(optional); i++) {
        power_on();
        fake_options.hidden = optional[i];
        EXPECT(open_events(EIGHT));
        EXPECT(is_exact_of(FAKE_POOL, 2));
        EXPECT(closes_clean());
    }
}

/* If sampling cannot be set up, the run is partial, and the counters stay as they were. */
static void without_timers_there_are_no_samples(void)
{
    power_on();
    fake_options.hidden = "kperf_timer_pet_set";
    EXPECT(open_events(EIGHT));
    counters.period_ns = 1000000;
    run(FAKE_POOL, 2);
    EXPECT_UINT(count_counted(), 0);
    EXPECT(strstr(counters.trouble, "cannot sample running threads"));
    EXPECT(closes_clean());
}

/* ---- Faults ---- */

/* After any fault, a count must be true, an estimate, or missing, and nothing may be left behind. */
static bool survives(uint64_t call, int error, bool sampled)
{
    uint64_t value;
    power_on();
    ask(EIGHT);
    fake_options.fail_call = call;
    fake_options.fail_error = error;
    fake_reset();
    lauka_counters_open(&counters, list.events, list.count);
    if (sampled)
        counters.period_ns = 1000000;
    bool told = !counters.process_only || *counters.trouble;
    run(FAKE_FORK_EXEC, 4);
    for (size_t i = 0; i < list.count; i++) {
        uint64_t truth = fake_truth(eight[i], i >= 2);
        uint64_t main = fake_truth_of_process(eight[i], false);
        bool account = counters.process_only && i < 2;
        if (is_counted(i) && lauka_reading_scaled(&readings[i], &value) &&
            !(account ? value >= main && value < main + 100000 : value == truth)) {
            printf("%s: %" PRIu64 ", not %" PRIu64 "\n", eight[i], value, account ? main : truth);
            return false;
        }
    }
    told = told && (counters.partial_runs == 0 || *counters.trouble);
    return closes_clean() && told;
}

static uint64_t calls_of_a_good_run(bool sampled)
{
    power_on();
    open_events(EIGHT);
    if (sampled)
        counters.period_ns = 1000000;
    run(FAKE_FORK_EXEC, 4);
    lauka_counters_close(&counters);
    return fake_calls;
}

static void a_failure_of_any_call_leaves_nothing_behind(void)
{
    static const int errors[] = {EPERM, EBUSY, EIO};
    for (int sampled = 0; sampled < 2; sampled++) {
        uint64_t calls = calls_of_a_good_run(sampled);
        EXPECT(calls > 100);
        for (uint64_t call = 1; call <= calls + 3; call++)
            if (!survives(call, errors[call % 3], sampled)) {
                const struct fake_call *failed = &fake_log[call - 1];
                printf("call %" PRIu64 ": %s(%" PRId64 ")\n", call, failed->name, failed->value);
                EXPECT(false);
            }
    }
}

/* ---- The account ---- */

static void anybody_may_read_the_account(void)
{
    for (unsigned macos = 10; macos <= 15; macos++) {
        power_on();
        fake_options.euid = 501;
        fake_options.macos = macos;
        EXPECT(open_events("cycles,p_core_time,energy,peak_footprint"));
        run(FAKE_POOL, 1);
        EXPECT(is_counted(0) && is_counted(3));
        EXPECT(is_counted(1) == (macos >= 13) && is_counted(2) == (macos >= 13));
        EXPECT_UINT(readings[3].value, 5 << 20);
        EXPECT(!counters.forked);
        EXPECT(closes_clean());
    }
}

static void ticks_are_not_nanoseconds(void)
{
    power_on();
    fake_options.euid = 501;
    EXPECT(open_events("p_core_time,cycles"));
    run(FAKE_ONE_THREAD, 1);
    /* The thread is on a CPU for most of 20 ms. */
    EXPECT(readings[1].enabled > 9000000 && readings[1].enabled < 21000000);
    EXPECT(readings[0].value <= readings[1].enabled);
    EXPECT_UINT(lauka_darwin_ns(24), 1000);
    EXPECT_UINT(lauka_darwin_ns(UINT64_C(1) << 60), (UINT64_C(1) << 60) / 3 * 125 + 41);
    EXPECT(closes_clean());
}

static void a_process_that_had_children_is_marked(void)
{
    power_on();
    fake_options.euid = 501;
    EXPECT(open_events("cycles"));
    run(FAKE_FORK_EXEC, 1);
    EXPECT(counters.forked && counters.process_only);
    EXPECT(readings[0].value < fake_truth("FIXED_CYCLES", false));
    EXPECT(closes_clean());
}

static void the_kind_of_core_is_told(void)
{
    power_on();
    fake_options.euid = 501;
    EXPECT(open_events("cycles"));
    run(FAKE_POOL, 1);
    const struct lauka_core_usage *types = counters.residency.types;
    EXPECT_UINT(counters.topology.type_count, 2);
    EXPECT_TEXT(counters.topology.types[0].label, "P");
    EXPECT(counters.told & LAUKA_TOLD_CPU_TIME);
    EXPECT(types[0].cpu_ns > 0 && types[1].cpu_ns > 0);
    EXPECT(types[0].cycles + types[1].cycles == readings[0].value);
    EXPECT(closes_clean());
}

static bool looked;

/* Called in the middle of a run. */
static unsigned look_at_threads(void *context)
{
    struct lauka_threads *threads = context;
    EXPECT(lauka_threads_read(threads) == 0);
    EXPECT(threads->count >= 2 && threads->counts && threads->counts_since_start);
    EXPECT_UINT(threads->type_count, 2);
    EXPECT_TEXT(threads->labels[1], "E");
    for (size_t i = 0; i < threads->count; i++) {
        const struct lauka_thread *thread = &threads->threads[i];
        EXPECT(strncmp(thread->name, "worker ", 7) == 0);
        EXPECT_UINT(thread->total.time_ns, thread->types[0].time_ns + thread->types[1].time_ns);
        EXPECT_UINT(thread->total.instructions, 2 * thread->total.cycles);
        for (size_t t = 0; t < 2; t++) /* 50 and 10 nJ per tick of 100 cycles */
            EXPECT_UINT(thread->types[t].energy_nj * (t == 0 ? 2 : 10), thread->types[t].cycles);
        EXPECT_UINT(thread->total.energy_nj,
                    thread->types[0].energy_nj + thread->types[1].energy_nj);
        EXPECT(threads->energy || thread->total.time_ns == 0);
        /* A tick has 100 cycles and lasts 125/3 ns, so the times are in nanoseconds. */
        EXPECT_NEAR((double)thread->total.cycles, (double)thread->total.time_ns * 2.4, 0.001);
    }
    looked = threads->threads[0].total.time_ns > 0;
    return 0;
}

static void threads_of_a_live_process_are_told_by_kind_of_core(void)
{
    struct lauka_threads *threads = NULL;
    power_on();
    fake_reset();
    EXPECT(lauka_threads_open(FAKE_PID, &threads) == ESRCH);
    int pid = fake_spawn(FAKE_BURST, 3);
    EXPECT(lauka_threads_open(pid, &threads) == 0);
    looked = false;
    fake_run(look_at_threads, threads);
    EXPECT(looked);
    EXPECT(lauka_threads_read(threads) == ESRCH);
    lauka_threads_close(threads);
    fake_reap();
}

/* ---- Names, domains and sets ---- */

static bool is_named(size_t index, const char *name)
{
    char text[LAUKA_EVENT_NAME_SIZE];
    lauka_counters_name(&counters, index, text, sizeof text);
    return strcmp(text, name) == 0;
}

static void ratios_stay_within_one_domain(void)
{
    struct lauka_derived derived[LAUKA_DERIVED_MAX];
    power_on();
    EXPECT(open_events("cycles,instructions,branches,branch-misses,cycles:u,instructions:u"));
    EXPECT(is_named(0, "cycles") && is_named(2, "branches:u") && is_named(3, "branch_misses:u"));
    EXPECT(is_named(4, "cycles:u") && is_named(5, "instructions:u"));
    size_t count = lauka_derived_find(&counters, derived);
    EXPECT_UINT(count, 3); /* both fixed ones, time, and both configurable ones */
    for (size_t i = 0; i < count; i++)
        EXPECT((derived[i].of < 2) == (derived[i].per < 2));
    run(FAKE_POOL, 1);
    EXPECT_UINT(readings[4].value, fake_truth("CORE_ACTIVE_CYCLE", true));
    EXPECT_UINT(readings[5].value, fake_truth("INST_ALL", true));
    EXPECT(closes_clean());
    EXPECT(open_events("instructions,branches"));
    count = lauka_derived_find(&counters, derived);
    EXPECT_UINT(count, 0);
    EXPECT(closes_clean());
}

static void sets_that_do_not_fit_take_turns(void)
{
    power_on();
    EXPECT(open_events("cycles,INST_LDST,INST_INT_ALU,INST_SIMD_ALU,l1d-tlb-misses"));
    EXPECT_UINT(counters.set_count, 3);
    EXPECT(counters.whole_runs);
    EXPECT_TEXT(counters.conflict,
                "INST_LDST, INST_INT_ALU, INST_SIMD_ALU can have counter 7 only, which is 2 too "
                "few; these fit together: cycles,INST_LDST,dtlb_load_misses");
    static const char *const names[] = {"FIXED_CYCLES", "INST_LDST", "INST_INT_ALU",
                                        "INST_SIMD_ALU", "L1D_TLB_MISS"};
    for (unsigned turn = 0; turn < 6; turn++) {
        counters.turn = (uint8_t)(turn % 3);
        run(FAKE_POOL, turn);
        for (size_t i = 0; i < COUNT(names); i++) {
            EXPECT(is_counted(i) == lauka_counters_has_turn(&counters, i));
            if (is_counted(i))
                EXPECT_UINT(readings[i].value, fake_truth(names[i], i > 0));
        }
    }
    EXPECT(closes_clean());
}

static void what_the_chip_does_not_have_is_told_apart(void)
{
    char text[500];
    power_on();
    EXPECT(open_events("cycles,cache_misses,branches:k"));
    EXPECT(counters.errors[0] == 0 && counters.errors[1] == ENOENT);
    EXPECT(counters.errors[2] == EOPNOTSUPP);
    EXPECT(lauka_counters_advice(&counters, text, sizeof text));
    EXPECT(strstr(text, "cache_misses: this CPU does not have the event"));
    EXPECT(closes_clean());
    EXPECT(!ask("INST_NONSENSE"));
}

/* ---- The probe ---- */

static char json[1 << 18];

static void probe(void)
{
    FILE *out = fmemopen(json, sizeof json, "w");
    lauka_native_probe(out);
    EXPECT(fclose(out) == 0);
}

/* The text from this key on. */
static const char *from(const char *key)
{
    const char *at = strstr(json, key);
    EXPECT(at != NULL);
    return at ? at : "";
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* macOS 26 returns the earlier configuration until counting starts, and does not keep the modes. */
static void the_probe_tells_what_is_read_back(void)
{
    power_on();
    fake_options.macos = 26;
    fake_options.refused[0] = "INST_LDST";
    probe();
    EXPECT(strstr(json, "\"refused_events\": [\"INST_LDST: Operation not permitted\"]"));
    fake_options.refused[0] = NULL;
    probe();
    const char *session = from("\"session\": {");
    EXPECT(strstr(session, "\"written\": [131233, 0, 0, 131275, 0, 131227, 0, 0]"));
    EXPECT(strstr(session, "\"before_counting\": {\"counting\": 0, \"thread_counting\": 0"));
    EXPECT(strstr(session, "\"while_counting\": {\"counting\": 3, \"thread_counting\": 3, "
                           "\"words\": [161, 0, 0, 203, 0, 155, 0, 0]}"));
    EXPECT(!*fake_left_set());
}

static void the_probe_answers_and_leaves_nothing_set(void)
{
    power_on();
    fake_options.chip = "as4-macos26"; /* has the same number as as4 */
    probe();
    EXPECT(strstr(json, "\"table\": \"as4-macos26\"") && strstr(json, "\"allowed_events\": 101"));
    power_on();
    probe();
    EXPECT(strstr(json, "\"database\": \"Apple \\\"M1, M1 Pro, M1 Max, M1 Ultra, A14\\\"\""));
    EXPECT(strstr(json, "\"table\": \"a14\""));
    EXPECT(strstr(json, "\"before_forcing\": {\"counters\": 7, \"configs\": 5}"));
    EXPECT(strstr(json, "\"forced\": {\"counters\": 10, \"configs\": 8}"));
    EXPECT(strstr(json, "\"least_period_ns\": 1000000"));
    EXPECT(strstr(json, "\"refused_events\": []") && strstr(json, "\"event_of_no_database\": 1"));
    EXPECT(strstr(json, "\"allowed_events\": 59, \"counting_events\": 59"));
    EXPECT(strstr(json, "\"fixed_words\": 0, \"fixed_code\": 0"));
    EXPECT(strstr(json, "\"fixed_session\": {\"error\": 0"));
    EXPECT(strstr(json, "\"own_work\": {\"read\": true"));
    EXPECT(json[strlen(json) - 1] == '}');
    EXPECT(!*fake_left_set());
    power_on();
    fake_options.euid = 501;
    probe();
    EXPECT(strstr(json, "\"forcing\": 1") && !*fake_left_set());
    power_on();
    fake_options.no_library = true;
    probe();
    EXPECT(strstr(json, "\"library\": \"cannot load kperf: image not found\"}"));
    EXPECT(strstr(json, "\"hw.nperflevels\": 2") &&
           strstr(json, "\"name\": \"Efficiency\", \"label\": \"E\""));
}

/* A chip with more than a hundred events, none of which the kernel allows. */
static void the_probe_is_never_cut(void)
{
    power_on();
    fake_options.chip = "as5";
    fake_options.allow_nothing = true;
    probe();
    EXPECT(strstr(json, "\"counting_events\": 0") && json[strlen(json) - 1] == '}');
    int depth = 0, deepest = 0;
    for (const char *at = json; *at; at++) {
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        deepest = depth > deepest ? depth : deepest;
    }
    EXPECT(depth == 0 && deepest >= 3);
}

/* Who may take what from an open session, and what a killed one leaves. */
static void the_probe_shows_who_has_the_counters(void)
{
    power_on();
    probe();
    EXPECT(begins(from("\"state_before\""),
                  "\"state_before\": {\"counting\": 0, \"thread_counting\": 0, \"forced\": 0, "
                  "\"ktrace.state\": 0, \"ktrace.active_mask\": 0, \"ktrace.owning_pid\": 0}"));
    EXPECT(begins(from("\"meanwhile\""),
                  "\"meanwhile\": {\"counting\": 3, \"thread_counting\": 3, \"forced\": 1, "
                  "\"ktrace.state\": 1, \"ktrace.active_mask\": 3, \"ktrace.owning_pid\": 4001}"));
    EXPECT(begins(from("\"second_forcing\""), "\"second_forcing\": 13, \"second_trace\": 16"));
    EXPECT(begins(from("\"afterwards\""),
                  "\"afterwards\": {\"counting\": 0, \"thread_counting\": 0, \"forced\": 0, "
                  "\"ktrace.state\": 0"));
    EXPECT(begins(from("\"killed_session\""), "\"killed_session\": 0,"));
    EXPECT(
        begins(from("\"state_after_killing\""),
               "\"state_after_killing\": {\"counting\": 3, \"thread_counting\": 3, \"forced\": 0, "
               "\"ktrace.state\": 1, \"ktrace.active_mask\": 3, \"ktrace.owning_pid\": 0}"));
    EXPECT(begins(from("\"session_after_killing\""), "\"session_after_killing\": {\"error\": 0,"));
    EXPECT(!*fake_left_set());
    power_on();
    fake_options.macos = 26;
    probe();
    EXPECT(begins(from("\"second_forcing\""), "\"second_forcing\": 0, \"second_trace\": 16"));
}

/* What the library does with seven events that fit, but not one after the other. */
static void the_probe_shows_how_the_library_places(void)
{
    power_on();
    probe();
    EXPECT(begins(from("\"map_in_turn\""), "\"map_in_turn\": {\"code\": 12,"));
    EXPECT(strstr(from("\"map_in_turn\""), "\"INST_LDST\": {\"mask\": 128"));
    EXPECT(begins(from("\"map\""), "\"map\": {\"code\": 0,"));
}

/* ---- The stream ---- */

static uint64_t noise = 99;

static uint64_t draw(void)
{
    uint64_t z = noise += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    return z ^ (z >> 31);
}

/* ---- Others ---- */

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

static void reading_ends_although_new_records_come(void)
{
    power_on();
    fake_options.busy_trace = true;
    EXPECT(open_events(EIGHT));
    counters.period_ns = 1000000;
    for (uint64_t seed = 1; seed <= 3; seed++)
        EXPECT(is_exact_of(FAKE_BURST, seed));
    EXPECT(fake_count_calls("KDREADTR", -1) < 200);
    EXPECT(closes_clean());
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
    for (uint64_t seed = 1; seed <= 8; seed++)
        EXPECT(is_exact_of(FAKE_BURST, seed));
    EXPECT(fake_count_calls("KDREADTR", -1) < 100);
    EXPECT(closes_clean());
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

static void test_counts(void)
{
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
}

static void test_macs(void)
{
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
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    setenv("LAUKA_FAKE_KPERF", argv[1], 1);
    setenv("LAUKA_FAKE_KPERFDATA", argv[2], 1);
    test_counts();
    test_macs();
    TEST(refusals_lead_to_the_account_that_anybody_may_read);
    TEST(every_symbol_may_be_missing);
    TEST(without_timers_there_are_no_samples);
    TEST(a_failure_of_any_call_leaves_nothing_behind);
    TEST(anybody_may_read_the_account);
    TEST(ticks_are_not_nanoseconds);
    TEST(a_process_that_had_children_is_marked);
    TEST(the_kind_of_core_is_told);
    TEST(threads_of_a_live_process_are_told_by_kind_of_core);
    TEST(ratios_stay_within_one_domain);
    TEST(sets_that_do_not_fit_take_turns);
    TEST(what_the_chip_does_not_have_is_told_apart);
    TEST(the_probe_answers_and_leaves_nothing_set);
    TEST(the_probe_tells_what_is_read_back);
    TEST(the_probe_is_never_cut);
    TEST(the_probe_shows_who_has_the_counters);
    TEST(the_probe_shows_how_the_library_places);
    TEST(the_trace_is_not_read_in_vain_where_that_is_logged);
    TEST(reading_stays_quick_however_much_was_read);
    TEST(what_a_killed_session_has_left_is_cleared);
    TEST(counters_of_another_program_are_left_alone_where_the_kernel_grants_them_twice);
    TEST(reading_ends_although_new_records_come);
    TEST(without_a_beginning_in_the_trace_the_process_is_still_known);
    TEST(no_stream_does_harm);
    TEST(four_counters_are_one_record_without_an_end);
    TEST(samples_are_put_together_by_thread);
    TEST(what_is_no_sample_counts_nothing);
    TEST(a_zero_sample_is_none);
    TEST(what_exec_tells_of_is_no_process);
    TEST(counts_that_went_backwards_are_lost);
    return expect_report("kperf");
}
