/* darwin_probe: how this Mac's kernel answers the calls that lauka relies on, for a report: which kernel
 * it is, which events it accepts (each is counted), what it reads back, and two accounts of the same work. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pmu/macos/darwin.h"
#include "pmu/macos/kperf.h"
#include "pmu/apple/apple.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

/* The system's name for itself may contain any character. */
static void add_text(FILE *out, const char *key, const char *value)
{
    fprintf(out, "\"%s\": \"", key);
    for (const unsigned char *at = (const unsigned char *)value; *at; at++)
        fprintf(out, *at == '"' || *at == '\\' ? "\\%c" : *at < 0x20 ? "\\u%04x" : "%c", *at);
    fputc('"', out);
}

/* ---- the machine ---- */

static void add_number(FILE *out, const char *name)
{
    uint64_t value = 0; /* the kernel fills four or eight bytes; both systems are little-endian */
    size_t size = sizeof value;
    errno = 0;
    if (lauka_darwin()->sysctlbyname(name, &value, &size, NULL, 0) == 0)
        fprintf(out, ", \"%s\": %llu", name, (unsigned long long)value);
    else
        fprintf(out, ", \"%s\": \"%s\"", name, strerror(errno));
}

static void add_string(FILE *out, const char *name)
{
    char value[128];
    int error = lauka_darwin_text(name, value, sizeof value);
    fputs(", ", out);
    add_text(out, name, error ? strerror(error) : value);
}

static void add_machine(FILE *out)
{
    /* clang-format off: tables */
    static const char *const numbers[] = {"hw.cputype",
                                          "hw.cpusubtype",
                                          "hw.cpufamily",
                                          "hw.optional.arm64",
                                          "hw.tbfrequency",
                                          "hw.nperflevels",
                                          "sysctl.proc_translated",
                                          "kern.hv_vmm_present",
                                          "kern.cpc.secure",
                                          "kern.monotonic.supported",
                                          "kpc.classes",
                                          "kperf.limits.timer_min_period_ns",
                                          "kperf.limits.timer_min_pet_period_ns",
                                          "kperf.limits.max_action_count"};
    static const char *const strings[] = {"kern.osproductversion",    "kern.osversion",
                                          "kern.osrelease",           "hw.model",
                                          "machdep.cpu.brand_string", "ktrace.configured_by"};
    /* clang-format on */
    struct lauka_topology topology;
    uint32_t numerator = 0, denominator = 0;
    lauka_darwin()->timebase(&numerator, &denominator);
    fprintf(out, "\"machine\": {\"timebase\": [%u, %u]", numerator, denominator);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(out, numbers[i]);
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        add_string(out, strings[i]);
    lauka_topology_detect(&topology);
    fprintf(out, ", \"levels\": [");
    for (size_t t = 0; topology.type_count > 1 && t < topology.type_count; t++) {
        fprintf(out, "%s{\"cpus\": %u, ", t ? ", " : "", topology.types[t].cpu_count);
        add_text(out, "name", topology.types[t].pmu);
        fprintf(out, ", \"label\": \"%s\"}", topology.types[t].label);
    }
    fprintf(out, "]}");
}

/* ---- the counters ---- */

static void add_counts(FILE *out, const struct lauka_kperf_api *api, const char *when)
{
    fprintf(out, ",\n    \"%s\": {\"counters\": %u, \"configs\": %u}", when,
            api->kpc_get_counter_count(LAUKA_KPC_CLASSES),
            api->kpc_get_config_count(LAUKA_KPC_CLASSES));
}

/* Who has the trace and the counters, and whether they count. */
static void add_state(FILE *out, const struct lauka_kperf_api *api, const char *when)
{
    int taken = -1;
    if (api->kpc_force_all_ctrs_get && api->kpc_force_all_ctrs_get(&taken) != 0)
        taken = -1;
    fprintf(out, ",\n    \"%s\": {\"counting\": %d, \"thread_counting\": %d, \"forced\": %d", when,
            api->kpc_get_counting ? (int)api->kpc_get_counting() : -1,
            api->kpc_get_thread_counting ? (int)api->kpc_get_thread_counting() : -1, taken);
    add_number(out, "ktrace.state");
    add_number(out, "ktrace.active_mask");
    add_number(out, "ktrace.owning_pid");
    fputc('}', out);
}

static uint64_t work(void)
{
    volatile uint64_t sum = 0;
    for (uint64_t i = 0; i < 200000; i++)
        sum += i;
    return sum;
}

/* What this thread has counted so far, by counter. */
static bool read_own(const struct lauka_kperf_api *api, uint64_t *values)
{
    uint32_t count = api->kpc_get_counter_count(LAUKA_KPC_CLASSES);
    memset(values, 0, LAUKA_KPC_MAX * sizeof *values);
    return api->kpc_get_thread_counters && count <= LAUKA_KPC_MAX &&
           api->kpc_get_thread_counters(0, count, values) == 0;
}

/* Tries one event alone in the first configurable counter that suits it: whether the kernel accepts it,
 * and whether it then counts. Returns 0 or an errno. */
static int try_event(const struct lauka_kperf_api *api, unsigned number, uint16_t mask,
                     bool *counts)
{
    uint64_t before[LAUKA_KPC_MAX], after[LAUKA_KPC_MAX];
    struct lauka_kpep_set set = {.word_count = 0};
    struct lauka_kperf session;
    unsigned slot = LAUKA_APPLE_FIXED;
    while (slot < LAUKA_APPLE_COUNTERS - 1 && !(mask >> slot & 1))
        slot++;
    set.words[slot - LAUKA_APPLE_FIXED] = number | 0x20000;
    int error = lauka_kperf_try(&session, api, &set);
    if (!error && read_own(api, before)) {
        work();
        *counts = read_own(api, after) && after[slot] != before[slot];
    }
    lauka_kperf_close(&session);
    return error;
}

/* Which of the chip's events the kernel refuses, which it accepts without counting, and whether it accepts
 * one that is in no database. */
static void add_allowlist(FILE *out, const struct lauka_kpep *kpep)
{
    struct lauka_apple_event event;
    size_t allowed = 0, refused = 0, counted = 0;
    bool counts = false;
    fprintf(out, ",\n    \"refused_events\": [");
    for (size_t i = LAUKA_APPLE_FIXED; kpep->chip && lauka_apple_event(kpep->chip, i, &event);
         i++) {
        counts = false;
        int error = event.mask ? try_event(kpep->api, event.number, event.mask, &counts) : 0;
        if (error)
            fprintf(out, "%s\"%s: %s\"", refused++ ? ", " : "", event.name, strerror(error));
        allowed += error == 0;
        counted += counts;
    }
    fprintf(
        out,
        "],\n    \"allowed_events\": %zu, \"counting_events\": %zu, \"event_of_no_database\": %d",
        allowed, counted, try_event(kpep->api, 0xfffe, 0x3fc, &counts));
}

/* Where the library places the events: each in a counter that lauka has chosen, or, in_turn, one after the other in any. */
static void add_map(FILE *out, const struct lauka_kpep *kpep, const char *key, bool in_turn,
                    const char *const *names, size_t count, struct lauka_kpep_set *set)
{
    struct lauka_apple_event found[LAUKA_APPLE_COUNTERS];
    char own[LAUKA_APPLE_COUNTERS][LAUKA_EVENT_NAME_SIZE];
    uint16_t masks[LAUKA_APPLE_COUNTERS] = {0};
    int8_t slots[LAUKA_APPLE_COUNTERS];
    for (size_t i = 0; i < count; i++) {
        const struct lauka_event event = {.name = names[i]};
        if (lauka_kpep_find(kpep, &event, own[i], sizeof own[i], &found[i]) == 0)
            masks[i] = found[i].mask;
    }
    lauka_slots_match(masks, count, slots);
    for (size_t i = 0; in_turn && i < count; i++)
        slots[i] = (int8_t)(LAUKA_APPLE_FIXED + i);
    int code = lauka_kpep_configure(kpep, found, slots, count, set);
    fprintf(out, ",\n    \"%s\": {\"code\": %d, \"words\": %zu", key, code, set->word_count);
    for (size_t i = 0; i < count; i++)
        fprintf(out, ", \"%s\": {\"mask\": %u, \"slot\": %d, \"value\": %zu}", names[i], masks[i],
                slots[i], set->value_of[i]);
    fputc('}', out);
}

/* ---- a session ---- */

static void add_words(FILE *out, const char *key, const uint64_t *words, size_t count)
{
    fprintf(out, ", \"%s\": [", key);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%llu", i ? ", " : "", (unsigned long long)words[i]);
    fprintf(out, "]");
}

static void add_settings(FILE *out, const char *key, const struct lauka_kpc_settings *settings,
                         size_t count)
{
    fprintf(out, ",\n      \"%s\": {\"counting\": %u, \"thread_counting\": %u", key,
            settings->counting, settings->thread_counting);
    add_words(out, "words", settings->words, settings->known ? count : 0);
    fprintf(out, "}");
}

/* What the same work of this thread costs by the counters, and by the kernel's account of the process. */
static void add_own_work(FILE *out, const struct lauka_kperf *session)
{
    uint64_t before[LAUKA_KPC_MAX], after[LAUKA_KPC_MAX];
    struct lauka_darwin_usage then = {0}, now = {0};
    lauka_darwin_usage_read(0, &then);
    bool read = read_own(session->api, before);
    work();
    read = read_own(session->api, after) && read;
    lauka_darwin_usage_read(0, &now);
    lauka_darwin_usage_since(&now, &then);
    fprintf(out,
            ",\n      \"own_work\": {\"read\": %s, \"accounted_cycles\": %llu, "
            "\"accounted_instructions\": %llu",
            read ? "true" : "false", (unsigned long long)now.info.cycles,
            (unsigned long long)now.info.instructions);
    for (size_t i = 0; i < LAUKA_KPC_MAX; i++)
        after[i] -= before[i];
    add_words(out, "counted", after, session->counters);
    fprintf(out, "}");
}

/* ---- what a second process may do: run apart ---- */

static int force_again(void *api)
{
    return ((const struct lauka_kperf_api *)api)->kpc_force_all_ctrs_set(1) == 0 ? 0 : errno;
}

static int claim_again(void *api)
{
    return ((const struct lauka_kperf_api *)api)->kperf_reset() == 0 ? 0 : errno;
}

struct attempt {
    const struct lauka_kperf_api *api;
    const struct lauka_kpep_set *set;
};

/* Nobody closes it. */
static int open_apart(void *attempt)
{
    const struct attempt *with = attempt;
    struct lauka_kperf session;
    return lauka_kperf_open(&session, with->api, with->set);
}

static void add_session(FILE *out, const struct lauka_kperf_api *api, const char *key,
                        const struct lauka_kpep_set *set)
{
    struct lauka_kperf session = {0};
    void *context = (void *)(uintptr_t)api;
    int error = lauka_kperf_open(&session, api, set);
    fprintf(out, ",\n    \"%s\": {\"error\": %d, \"step\": \"%s\"", key, error,
            error ? session.step : "");
    add_words(out, "written", set->words, session.configs);
    if (!error) {
        add_settings(out, "before_counting", &session.before, session.configs);
        add_settings(out, "while_counting", &session.set, session.configs);
        add_own_work(out, &session);
        error = lauka_kperf_sample(&session, 1);
        fprintf(out, ",\n      \"sample_error\": %d, \"least_period_ns\": %llu", error,
                (unsigned long long)session.period_ns);
        add_state(out, api, "meanwhile");
        fprintf(out, ",\n      \"second_forcing\": %d",
                lauka_darwin()->apart(force_again, context));
        fprintf(out, ", \"second_trace\": %d", lauka_darwin()->apart(claim_again, context));
        lauka_kperf_close(&session);
    }
    add_state(out, api, "afterwards");
    fputc('}', out);
}

/* The account knows one level apart from the others, and each thread's all of them: which one is it? */
static void add_levels(FILE *out)
{
    struct lauka_darwin_usage usage = {0};
    struct lauka_proc_threadcounts counts = {0};
    struct lauka_topology topology;
    uint64_t ids[64], cycles[LAUKA_CORE_TYPES_MAX] = {0};
    lauka_topology_detect(&topology);
    size_t levels = topology.type_count;
    int size = 8 + (int)(levels * sizeof counts.levels[0]);
    int listed = lauka_darwin()->proc_pidinfo(0, LAUKA_PROC_PIDLISTTHREADIDS, 0, ids, sizeof ids);
    for (int i = 0; i < listed / (int)sizeof *ids; i++)
        if (lauka_darwin()->proc_pidinfo(0, LAUKA_PROC_PIDTHREADCOUNTS, ids[i], &counts, size) > 0)
            for (size_t t = 0; t < levels && t < counts.length; t++)
                cycles[t] += counts.levels[t].cycles;
    lauka_darwin_usage_read(0, &usage);
    fprintf(out,
            ",\n    \"own_levels\": {\"flavor\": %d, \"accounted_cycles\": %llu, "
            "\"accounted_p_cycles\": %llu",
            usage.flavor, (unsigned long long)usage.info.cycles,
            (unsigned long long)usage.info.pcycles);
    add_words(out, "cycles_of_threads", cycles, levels);
    fprintf(out, "}");
}

/* The seven events only fit if the last one is placed first. */
static void add_sessions(FILE *out, const struct lauka_kpep *kpep)
{
    static const char *const three[] = {"INST_LDST", "BRANCH_MISPRED_NONSPEC", "L1D_TLB_MISS"};
    static const char *const seven[] = {
        "CORE_ACTIVE_CYCLE",          "L1D_TLB_ACCESS",      "L1D_TLB_FILL", "L1I_TLB_FILL",
        "MMU_TABLE_WALK_INSTRUCTION", "MMU_TABLE_WALK_DATA", "INST_LDST"};
    struct lauka_kpep_set set, fixed;
    struct attempt attempt = {kpep->api, &set};
    add_map(out, kpep, "map_in_turn", true, seven, sizeof seven / sizeof *seven, &set);
    add_map(out, kpep, "map", false, three, sizeof three / sizeof *three, &set);
    add_session(out, kpep->api, "session", &set);
    fprintf(out, ",\n    \"killed_session\": %d", lauka_darwin()->apart(open_apart, &attempt));
    add_state(out, kpep->api, "state_after_killing");
    add_session(out, kpep->api, "session_after_killing", &set);
    int code = lauka_kpep_configure(kpep, NULL, NULL, 0, &fixed);
    fprintf(out, ",\n    \"fixed_words\": %zu, \"fixed_code\": %d", fixed.word_count, code);
    if (code == 0)
        add_session(out, kpep->api, "fixed_session", &fixed);
}

static void add_counters(FILE *out, const struct lauka_kperf_api *api)
{
    struct lauka_kpep kpep;
    int code = lauka_kpep_open(&kpep, api);
    fputs(",\n    ", out);
    add_text(out, "database", kpep.name);
    fprintf(out, ", \"database_code\": %d, \"table\": \"%s\"", code,
            kpep.chip ? kpep.chip->name : "");
    add_state(out, api, "state_before");
    add_counts(out, api, "before_forcing");
    errno = 0;
    int forced = api->kpc_force_all_ctrs_set(1);
    fprintf(out, ",\n    \"forcing\": %d", forced == 0 ? 0 : errno);
    if (forced == 0) {
        add_counts(out, api, "forced");
        api->kpc_force_all_ctrs_set(0);
        add_counts(out, api, "after_forcing");
    }
    if (forced == 0 && code == 0)
        add_allowlist(out, &kpep);
    if (code == 0)
        add_sessions(out, &kpep);
    lauka_kpep_close(&kpep);
}

void lauka_native_probe(FILE *out)
{
    struct lauka_kperf_api api;
    char why[300];

    fputc('{', out);
    add_machine(out);
    add_levels(out);
    fputs(",\n    ", out);
    if (lauka_kperf_load(&api, why, sizeof why)) {
        fputs("\"library\": \"found\"", out);
        add_counters(out, &api);
    } else {
        add_text(out, "library", why);
    }
    fputc('}', out);
}
