/* What a Mac refuses to count, and what is counted instead, on a simulated Mac (tests/fakes). */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "pmu/macos/darwin.h"
#include "pmu/threads/threads.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/expect.h"
#include "tests/fakes/fake.h"
#include "tests/unit/mac_sessions.h"

/* ---- Refusals ---------------------------------------------------------------------------------------- */

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

/* ---- Faults ------------------------------------------------------------------------------------------ */

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

/* ---- The account ------------------------------------------------------------------------------------- */

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
    EXPECT(lauka_threads_open(FAKE_PID, NULL, 0, &threads) == ESRCH);
    int pid = fake_spawn(FAKE_BURST, 3);
    EXPECT(lauka_threads_open(pid, NULL, 0, &threads) == 0);
    looked = false;
    fake_run(look_at_threads, threads);
    EXPECT(looked);
    EXPECT(lauka_threads_read(threads) == ESRCH);
    lauka_threads_close(threads);
    fake_reap();
}

/* ---- Names, domains and sets ------------------------------------------------------------------------- */

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

int main(int argc, char **argv)
{
    if (!fake_find_libraries(argc, argv))
        return 2;
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
    return expect_report("mac_refusals");
}
