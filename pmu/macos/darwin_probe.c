/* darwin_probe: how this Mac's kernel answers the calls that lauka relies on, for a report: which kernel
 * it is, which events it accepts (each is counted), what it reads back, and two accounts of the same work. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pmu/macos/darwin.h"
#include "pmu/macos/kperf.h"
#include "pmu/apple/apple.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

struct text { /* a JSON document; cut where there is no more room */
    char *start;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    if (text->used >= text->size)
        return;
    va_start(arguments, format);
    int length = vsnprintf(text->start + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    text->used += length > 0 ? (size_t)length : 0;
}

/* The system's name for itself may contain any character. */
static void add_text(struct text *text, const char *key, const char *value)
{
    add(text, "\"%s\": \"", key);
    for (const unsigned char *at = (const unsigned char *)value; *at; at++)
        add(text, *at == '"' || *at == '\\' ? "\\%c" : *at < 0x20 ? "\\u%04x" : "%c", *at);
    add(text, "\"");
}

/* ---- the machine ---- */

static void add_number(struct text *text, const char *name)
{
    uint64_t value = 0; /* the kernel fills four or eight bytes; both systems are little-endian */
    size_t size = sizeof value;
    errno = 0;
    if (lauka_darwin()->sysctlbyname(name, &value, &size, NULL, 0) == 0)
        add(text, ", \"%s\": %llu", name, (unsigned long long)value);
    else
        add(text, ", \"%s\": \"%s\"", name, strerror(errno));
}

static void add_string(struct text *text, const char *name)
{
    char value[128] = "";
    size_t size = sizeof value - 1;
    errno = 0;
    bool told = lauka_darwin()->sysctlbyname(name, value, &size, NULL, 0) == 0;
    add(text, ", ");
    add_text(text, name, told ? value : strerror(errno));
}

static void add_machine(struct text *text)
{
    static const char *const numbers[] = {
        "hw.cputype",        "hw.cpusubtype",          "hw.cpufamily",
        "hw.optional.arm64", "sysctl.proc_translated", "kern.hv_vmm_present",
        "hw.tbfrequency",    "hw.nperflevels",         "kpc.classes"};
    static const char *const strings[] = {"kern.osproductversion", "kern.osversion", "hw.model",
                                          "machdep.cpu.brand_string", "ktrace.configured_by"};
    struct lauka_topology topology;
    uint32_t numerator = 0, denominator = 0;
    lauka_darwin()->timebase(&numerator, &denominator);
    add(text, "\"machine\": {\"timebase\": [%u, %u]", numerator, denominator);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(text, numbers[i]);
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        add_string(text, strings[i]);
    lauka_topology_detect(&topology);
    add(text, ", \"levels\": [");
    for (size_t t = 0; topology.type_count > 1 && t < topology.type_count; t++) {
        add(text, "%s{\"cpus\": %u, ", t ? ", " : "", topology.types[t].cpu_count);
        add_text(text, "name", topology.types[t].pmu);
        add(text, ", \"label\": \"%s\"}", topology.types[t].label);
    }
    add(text, "]}");
}

/* ---- the counters ---- */

static void add_counts(struct text *text, const struct lauka_kperf_api *api, const char *when)
{
    add(text, ",\n    \"%s\": {\"counters\": %u, \"configs\": %u}", when,
        api->kpc_get_counter_count(LAUKA_KPC_CLASSES),
        api->kpc_get_config_count(LAUKA_KPC_CLASSES));
}

static uint64_t work(void)
{
    volatile uint64_t sum = 0;
    for (uint64_t i = 0; i < 200000; i++)
        sum += i;
    return sum;
}

/* The sum over the configurable counters of what this thread has counted since `before`. */
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
    uint64_t words[LAUKA_KPC_MAX] = {0}, before[LAUKA_KPC_MAX], after[LAUKA_KPC_MAX];
    unsigned slot = LAUKA_APPLE_FIXED;
    while (slot < LAUKA_APPLE_COUNTERS - 1 && !(mask >> slot & 1))
        slot++;
    words[slot - LAUKA_APPLE_FIXED] = number | 0x20000;
    errno = 0;
    int result = api->kpc_set_config(LAUKA_KPC_CLASSES, words);
    if (result == 0)
        result = api->kpc_set_counting(LAUKA_KPC_CLASSES);
    if (result == 0)
        result = api->kpc_set_thread_counting(LAUKA_KPC_CLASSES);
    int error = result == 0 ? 0 : errno;
    if (result == 0) {
        bool read = read_own(api, before);
        work();
        *counts = read && read_own(api, after) && after[slot] != before[slot];
    }
    api->kpc_set_thread_counting(0);
    api->kpc_set_counting(0);
    return error;
}

/* Which of the chip's events the kernel refuses, which it accepts without counting, and whether it accepts
 * one that is in no database. */
static void add_allowlist(struct text *text, const struct lauka_kpep *kpep)
{
    struct lauka_apple_event event;
    size_t allowed = 0, refused = 0, counted = 0;
    bool counts = false;
    add(text, ",\n    \"refused_events\": [");
    for (size_t i = LAUKA_APPLE_FIXED; kpep->chip && lauka_apple_event(kpep->chip, i, &event);
         i++) {
        counts = false;
        int error = event.mask ? try_event(kpep->api, event.number, event.mask, &counts) : 0;
        if (error)
            add(text, "%s\"%s: %s\"", refused++ ? ", " : "", event.name, strerror(error));
        allowed += error == 0;
        counted += counts;
    }
    add(text,
        "],\n    \"allowed_events\": %zu, \"counting_events\": %zu, \"event_of_no_database\": %d",
        allowed, counted, try_event(kpep->api, 0xfffe, 0x3fc, &counts));
}

static void add_map(struct text *text, const struct lauka_kpep *kpep, struct lauka_kpep_set *set)
{
    static const char *const names[] = {"INST_LDST", "BRANCH_MISPRED_NONSPEC", "L1D_TLB_MISS"};
    struct lauka_apple_event found[3];
    char own[3][LAUKA_EVENT_NAME_SIZE];
    uint16_t masks[3] = {0};
    int8_t slots[3] = {LAUKA_SLOT_NONE, LAUKA_SLOT_NONE, LAUKA_SLOT_NONE};
    for (size_t i = 0; i < 3; i++) {
        const struct lauka_event event = {.name = names[i]};
        if (lauka_kpep_find(kpep, &event, own[i], sizeof own[i], &found[i]) == 0)
            masks[i] = found[i].mask;
    }
    lauka_slots_match(masks, 3, slots);
    int code = lauka_kpep_configure(kpep, found, slots, 3, set);
    add(text, ",\n    \"map\": {\"code\": %d, \"words\": %zu", code, set->word_count);
    for (size_t i = 0; i < 3; i++)
        add(text, ", \"%s\": {\"mask\": %u, \"slot\": %d, \"value\": %zu}", names[i], masks[i],
            slots[i], set->value_of[i]);
    add(text, "}");
}

/* ---- a session ---- */

static void add_words(struct text *text, const char *key, const uint64_t *words, size_t count)
{
    add(text, ", \"%s\": [", key);
    for (size_t i = 0; i < count; i++)
        add(text, "%s%llu", i ? ", " : "", (unsigned long long)words[i]);
    add(text, "]");
}

static void add_settings(struct text *text, const char *key,
                         const struct lauka_kpc_settings *settings, size_t count)
{
    add(text, ",\n      \"%s\": {\"counting\": %u, \"thread_counting\": %u", key,
        settings->counting, settings->thread_counting);
    add_words(text, "words", settings->words, settings->known ? count : 0);
    add(text, "}");
}

/* What the same work of this thread costs by the counters, and by the kernel's account of the process. */
static void add_own_work(struct text *text, const struct lauka_kperf *session)
{
    uint64_t before[LAUKA_KPC_MAX], after[LAUKA_KPC_MAX];
    struct lauka_darwin_usage then = {0}, now = {0};
    lauka_darwin_usage_read(0, &then);
    bool read = read_own(session->api, before);
    work();
    read = read_own(session->api, after) && read;
    lauka_darwin_usage_read(0, &now);
    lauka_darwin_usage_since(&now, &then);
    add(text,
        ",\n      \"own_work\": {\"read\": %s, \"accounted_cycles\": %llu, "
        "\"accounted_instructions\": %llu",
        read ? "true" : "false", (unsigned long long)now.info.cycles,
        (unsigned long long)now.info.instructions);
    for (size_t i = 0; i < LAUKA_KPC_MAX; i++)
        after[i] -= before[i];
    add_words(text, "counted", after, session->counters);
    add(text, "}");
}

static void add_session(struct text *text, const struct lauka_kperf_api *api, const char *key,
                        const struct lauka_kpep_set *set)
{
    struct lauka_kperf session = {0};
    int error = lauka_kperf_open(&session, api, set);
    add(text, ",\n    \"%s\": {\"error\": %d, \"step\": \"%s\"", key, error,
        error ? session.step : "");
    add_words(text, "written", set->words, session.configs);
    if (!error) {
        add_settings(text, "before_counting", &session.before, session.configs);
        add_settings(text, "while_counting", &session.set, session.configs);
        add_own_work(text, &session);
        error = lauka_kperf_sample(&session, 1);
        add(text, ",\n      \"sample_error\": %d, \"least_period_ns\": %llu", error,
            (unsigned long long)session.period_ns);
        lauka_kperf_close(&session);
    }
    add(text, "}");
}

/* The account knows one level apart from the others, and each thread's all of them: which one is it? */
static void add_levels(struct text *text)
{
    struct lauka_darwin_usage usage = {0};
    struct lauka_proc_threadcounts counts = {0};
    struct lauka_topology topology;
    uint64_t ids[64], cycles[LAUKA_CORE_TYPES_MAX] = {0};
    lauka_topology_detect(&topology);
    int levels = (int)topology.type_count, size = 8 + levels * (int)sizeof counts.levels[0];
    int listed = lauka_darwin()->proc_pidinfo(0, LAUKA_PROC_PIDLISTTHREADIDS, 0, ids, sizeof ids);
    for (int i = 0; i < listed / (int)sizeof *ids; i++)
        if (lauka_darwin()->proc_pidinfo(0, LAUKA_PROC_PIDTHREADCOUNTS, ids[i], &counts, size) > 0)
            for (int t = 0; t < levels && t < counts.length; t++)
                cycles[t] += counts.levels[t].cycles;
    lauka_darwin_usage_read(0, &usage);
    add(text,
        ",\n    \"own_levels\": {\"flavor\": %d, \"accounted_cycles\": %llu, "
        "\"accounted_p_cycles\": %llu",
        usage.flavor, (unsigned long long)usage.info.cycles,
        (unsigned long long)usage.info.pcycles);
    add_words(text, "cycles_of_threads", cycles, (size_t)levels);
    add(text, "}");
}

static void add_counters(struct text *text, const struct lauka_kperf_api *api)
{
    struct lauka_kpep kpep;
    struct lauka_kpep_set set, fixed = {0};
    int code = lauka_kpep_open(&kpep, api);
    add(text, ",\n    ");
    add_text(text, "database", kpep.name);
    add(text, ", \"database_code\": %d, \"table\": \"%s\"", code, kpep.chip ? kpep.chip->name : "");
    add_counts(text, api, "before_forcing");
    errno = 0;
    int forced = api->kpc_force_all_ctrs_set(1);
    add(text, ",\n    \"forcing\": %d", forced == 0 ? 0 : errno);
    if (forced == 0 && code == 0) {
        add_counts(text, api, "forced");
        add_allowlist(text, &kpep);
        api->kpc_force_all_ctrs_set(0);
        add_counts(text, api, "after_forcing");
    }
    if (code != 0)
        return;
    add_map(text, &kpep, &set);
    add_session(text, api, "session", &set);
    code = lauka_kpep_configure(&kpep, NULL, NULL, 0, &fixed);
    add(text, ",\n    \"fixed_words\": %zu, \"fixed_code\": %d", fixed.word_count, code);
    if (code == 0)
        add_session(text, api, "fixed_session", &fixed);
    lauka_kpep_close(&kpep);
}

void lauka_native_probe(char *json, size_t size)
{
    struct text text = {json, size, 0};
    struct lauka_kperf_api api;
    char why[300];

    add(&text, "{");
    add_machine(&text);
    add_levels(&text);
    add(&text, ",\n    ");
    if (lauka_kperf_load(&api, why, sizeof why)) {
        add(&text, "\"library\": \"found\"");
        add_counters(&text, &api);
    } else {
        add_text(&text, "library", why);
    }
    add(&text, "}");
}
