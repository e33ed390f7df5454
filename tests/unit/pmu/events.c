/* Names of events: how they are read, and which numbers perf_event_open(2) gets for them. The PMUs are
 * made up, in a folder that looks like the kernel's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "tests/unit/expect.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- A made-up sysfs ---- */

static char root[] = "/tmp/lauka_events_XXXXXX";

static const struct {
    const char *path, *text; /* NULL text: a folder */
} tree[] = {
    {"cpu", NULL},
    {"cpu/type", "4\n"},
    {"cpu/format", NULL},
    {"cpu/format/event", "config:0-7\n"},
    {"cpu/format/umask", "config:8-15\n"},
    {"cpu/format/edge", "config:18\n"},
    {"cpu/format/split", "config:0-3,32-35\n"},
    {"cpu/format/ldlat", "config1:0-15\n"},
    {"cpu/format/frontend", "config2:4-7\n"},
    {"cpu/events", NULL},
    {"cpu/events/slots", "event=0x00,umask=0x4\n"},
    {"cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
    {"cpu/events/open", "event=0x1,umask=?\n"},
    {"cpu/events/shared", "event=0x2\n"},
    {"cpu/events/topdown-retiring", "event=0x00,umask=0x80\n"},
    {"cpu/events/warmth", "event=0x5\n"},
    {"cpu/events/warmth.snapshot", "1\n"},
    {"cpu/events/slots.scale", "4\n"},
    {"cpu/events/shared.scale", "0.25\n"},
    {"cpu/events/open.scale", "-1\n"},
    {"armv8_a53", NULL},
    {"armv8_a53/type", "10\n"},
    {"armv8_a53/cpus", "0-3\n"},
    {"armv8_a53/format", NULL},
    {"armv8_a53/format/event", "config:0-15\n"},
    {"armv8_a53/events", NULL},
    {"armv8_a53/events/inst_retired", "event=0x08\n"},
    {"armv8_a53/events/shared", "event=0x3\n"},
    {"armv8_a53/events/l1d_cache", "event=0x4\n"},
    {"armv8_a53/events/clockticks", "event=0x4\n"},
    {"uncore_imc", NULL},
    {"uncore_imc/type", "20\n"},
    {"uncore_imc/cpumask", "0\n"},
    {"uncore_imc/format", NULL},
    {"uncore_imc/format/event", "config:0-7\n"},
    {"uncore_imc/events", NULL},
    {"uncore_imc/events/clockticks", "event=0xff\n"},
    {"msr", NULL},
    {"msr/type", "9\n"},
    {"msr/format", NULL},
    {"msr/format/event", "config:0-63\n"},
    {"broken", NULL},
    {"broken/type", "21\n"},
    {"broken/format", NULL},
    {"broken/format/event", "config:9-3\n"},
    {"broken/format/far", "config:60-99\n"},
    {"broken/format/odd", "nonsense\n"},
};

static void in_tree(size_t index, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", root, tree[index].path);
}

static bool make_tree(void)
{
    char path[256];
    if (!mkdtemp(root))
        return false;
    for (size_t i = 0; i < COUNT(tree); i++) {
        in_tree(i, path, sizeof path);
        if (!tree[i].text && mkdir(path, 0755) != 0)
            return false;
        FILE *file = tree[i].text ? fopen(path, "w") : NULL;
        if (file) {
            fputs(tree[i].text, file);
            fclose(file);
        }
    }
    return true;
}

static void remove_tree(void)
{
    char path[256];
    for (size_t i = COUNT(tree); i-- > 0;) {
        in_tree(i, path, sizeof path);
        remove(path);
    }
    rmdir(root);
}

/* ---- Helpers ---- */

static struct lauka_event_list list;
static char why[500];

static bool parse(const char *names)
{
    list = (struct lauka_event_list){0};
    why[0] = '\0';
    return lauka_event_list_add(&list, names, root, why, sizeof why);
}

static void expect_event(const char *typed, const char *name, uint32_t type, uint64_t config)
{
    bool good = parse(typed);
    EXPECT(good && list.count == 1);
    if (!good || list.count != 1) {
        printf("  %s: %s\n", typed, why);
        return;
    }
    EXPECT_TEXT(list.events[0].name, name);
    EXPECT_UINT(list.events[0].type, type);
    EXPECT_UINT(list.events[0].config, config);
    EXPECT(list.events[0].unit && list.events[0].source && list.events[0].description);
}

static void expect_refusal(const char *typed, const char *because)
{
    EXPECT(!parse(typed));
    EXPECT(strstr(why, because) != NULL);
    if (!strstr(why, because))
        printf("  %s: %s\n", typed, why);
    EXPECT(strchr(why, '\n') == NULL);
}

/* ---- Portable names ---- */

static void hyphens_underscores_and_case_do_not_matter(void)
{
    expect_event("branch-misses", "branch_misses", LAUKA_TYPE_HARDWARE, 5);
    expect_event("branch_misses", "branch_misses", LAUKA_TYPE_HARDWARE, 5);
    expect_event("Branch-MISSES", "branch_misses", LAUKA_TYPE_HARDWARE, 5);
}

/* The expected numbers are those of perf_event_open(2). */
static void portable_names_are_the_kernels_generic_events(void)
{
    expect_event("cycles", "cycles", LAUKA_TYPE_HARDWARE, 0);
    expect_event("instructions", "instructions", LAUKA_TYPE_HARDWARE, 1);
    expect_event("cache-references", "cache_references", LAUKA_TYPE_HARDWARE, 2);
    expect_event("cache-misses", "cache_misses", LAUKA_TYPE_HARDWARE, 3);
    expect_event("branches", "branches", LAUKA_TYPE_HARDWARE, 4);
    expect_event("bus-cycles", "bus_cycles", LAUKA_TYPE_HARDWARE, 6);
    expect_event("stalled-cycles-frontend", "stalled_cycles_frontend", LAUKA_TYPE_HARDWARE, 7);
    expect_event("stalled-cycles-backend", "stalled_cycles_backend", LAUKA_TYPE_HARDWARE, 8);
    expect_event("ref-cycles", "ref_cycles", LAUKA_TYPE_HARDWARE, 9);
    expect_event("cpu-clock", "cpu_clock", LAUKA_TYPE_SOFTWARE, 0);
    expect_event("task-clock", "task_clock", LAUKA_TYPE_SOFTWARE, 1);
    expect_event("page-faults", "page_faults", LAUKA_TYPE_SOFTWARE, 2);
    expect_event("cpu-migrations", "cpu_migrations", LAUKA_TYPE_SOFTWARE, 4);
    expect_event("alignment-faults", "alignment_faults", LAUKA_TYPE_SOFTWARE, 7);
    expect_event("emulation-faults", "emulation_faults", LAUKA_TYPE_SOFTWARE, 8);
    expect_event("cgroup-switches", "cgroup_switches", LAUKA_TYPE_SOFTWARE, 11);
}

static void perfs_other_names_mean_the_same(void)
{
    expect_event("cpu-cycles", "cycles", LAUKA_TYPE_HARDWARE, 0);
    expect_event("branch-instructions", "branches", LAUKA_TYPE_HARDWARE, 4);
    expect_event("idle-cycles-frontend", "stalled_cycles_frontend", LAUKA_TYPE_HARDWARE, 7);
    expect_event("idle-cycles-backend", "stalled_cycles_backend", LAUKA_TYPE_HARDWARE, 8);
    expect_event("faults", "page_faults", LAUKA_TYPE_SOFTWARE, 2);
    expect_event("migrations", "cpu_migrations", LAUKA_TYPE_SOFTWARE, 4);
}

static void every_alias_leads_to_an_event(void)
{
    const char *name, *alias;
    for (size_t i = 0; (alias = lauka_event_alias(i, &name)) != NULL; i++) {
        const struct lauka_event *event = lauka_event_find(alias);
        EXPECT(event != NULL);
        if (event)
            EXPECT_TEXT(event->name, name);
    }
}

static void what_is_measured_anyway_takes_no_counter(void)
{
    EXPECT(parse("context-switches,cs,minor-faults,wall_time,duration_time") && list.count == 0);
    EXPECT(lauka_event_find("duration_time") == &lauka_usage_events()[LAUKA_WALL_TIME]);
    expect_refusal("context-switches:u", "without a counter");
}

/* ---- Cache events: cache | operation << 8 | result << 16 ---- */

static void cache_events_have_every_usual_spelling(void)
{
    expect_event("L1-dcache-load-misses", "l1d_load_misses", LAUKA_TYPE_CACHE, 0x10000);
    expect_event("l1d-cache-load-misses", "l1d_load_misses", LAUKA_TYPE_CACHE, 0x10000);
    expect_event("l1d_misses", "l1d_load_misses", LAUKA_TYPE_CACHE, 0x10000);
    expect_event("L1-dcache-loads", "l1d_loads", LAUKA_TYPE_CACHE, 0);
    expect_event("L1-dcache-stores", "l1d_stores", LAUKA_TYPE_CACHE, 0x100);
    expect_event("L1-dcache-prefetch-misses", "l1d_prefetch_misses", LAUKA_TYPE_CACHE, 0x10200);
    expect_event("L1-icache-load-misses", "l1i_load_misses", LAUKA_TYPE_CACHE, 0x10001);
    expect_event("LLC", "llc_loads", LAUKA_TYPE_CACHE, 2);
    expect_event("LLC-store-misses", "llc_store_misses", LAUKA_TYPE_CACHE, 0x10102);
    expect_event("l1d-tlb-misses", "dtlb_load_misses", LAUKA_TYPE_CACHE, 0x10003);
    expect_event("dTLB-load-misses", "dtlb_load_misses", LAUKA_TYPE_CACHE, 0x10003);
    expect_event("dTLB-write-access", "dtlb_stores", LAUKA_TYPE_CACHE, 0x103);
    expect_event("iTLB-load-misses", "itlb_load_misses", LAUKA_TYPE_CACHE, 0x10004);
    expect_event("branch-load-misses", "bpu_load_misses", LAUKA_TYPE_CACHE, 0x10005);
    expect_event("node-prefetches", "node_prefetches", LAUKA_TYPE_CACHE, 0x206);
}

static void every_cache_event_is_found_by_its_own_name(void)
{
    uint64_t config, again;
    size_t count = 0;
    for (; lauka_cache_event(count, &config); count++) {
        char name[LAUKA_EVENT_NAME_SIZE], text[LAUKA_EVENT_NAME_SIZE];
        lauka_cache_event_name(config, name, sizeof name);
        EXPECT(lauka_cache_event_parse(name, &again));
        EXPECT_UINT(again, config);
        lauka_cache_event_describe(config, text, sizeof text);
        EXPECT(strlen(text) > 10);
    }
    EXPECT_UINT(count, 42);
}

/* ---- The kernel's names ---- */

static void terms_go_where_the_format_says(void)
{
    expect_event("cpu/event=0x3c,umask=0x0/", "cpu/event=0x3c,umask=0x0/", 4, 0x3c);
    expect_event("cpu/event=0xc4,umask=0x20,edge/", "cpu/event=0xc4,umask=0x20,edge/", 4, 0x420c4);
    expect_event("cpu/split=0xab/", "cpu/split=0xab/", 4, 0xa0000000b);
    expect_event("cpu/config=0x1122334455667788/", "cpu/config=0x1122334455667788/", 4,
                 0x1122334455667788);
    EXPECT(parse("cpu/event=1,ldlat=30,frontend=3/"));
    EXPECT_UINT(list.events[0].config1, 30);
    EXPECT_UINT(list.events[0].config2, 0x30);
}

static void events_of_sysfs_are_found_with_and_without_their_pmu(void)
{
    expect_event("cpu/slots/", "cpu/slots/", 4, 0x400);
    expect_event("slots", "cpu/slots/", 4, 0x400);
    expect_event("armv8_a53/inst_retired/", "armv8_a53/inst_retired/", 10, 8);
    expect_event("inst_retired:u", "armv8_a53/inst_retired/u", 10, 8);
    EXPECT(parse("mem-loads"));
    EXPECT_UINT(list.events[0].config, 0x1cd);
    EXPECT_UINT(list.events[0].config1, 3);
    EXPECT(parse("mem-loads,cpu/mem-loads,ldlat=9/") && list.events[1].config1 == 9);
}

static void an_event_of_several_kinds_of_core_is_counted_on_each(void)
{
    EXPECT(parse("cycles,shared:u"));
    EXPECT_UINT(list.count, 3);
    EXPECT_TEXT(list.events[1].name, "armv8_a53/shared/u");
    EXPECT_TEXT(list.events[2].name, "cpu/shared/u");
    EXPECT(list.events[1].type == 10 && list.events[1].config == 3);
    EXPECT(list.events[2].type == 4 && list.events[2].config == 2);
    EXPECT(list.events[1].modes == LAUKA_MODES_USER && list.events[2].modes == LAUKA_MODES_USER);
    /* One of them is not a PMU of cores. */
    expect_refusal("clockticks", "more than one PMU has it");
}

static void counts_are_scaled_as_the_pmu_says(void)
{
    EXPECT(parse("slots,cpu/slots/u,cpu/shared/,cpu/event=2/,cycles"));
    EXPECT_UINT(lauka_event_scaled(&list.events[0], 3), 12);
    EXPECT_UINT(lauka_event_scaled(&list.events[1], UINT64_C(1) << 50), UINT64_C(1) << 52);
    EXPECT_UINT(lauka_event_scaled(&list.events[2], 6), 2); /* 1.5, rounded */
    EXPECT_UINT(lauka_event_scaled(&list.events[3], 3), 3);
    EXPECT_UINT(lauka_event_scaled(&list.events[4], UINT64_MAX), UINT64_MAX);
    EXPECT(lauka_event_scaled(&list.events[0], UINT64_MAX) == UINT64_MAX - 1);
    struct lauka_event event = {.unit = "1", .scale = 7};
    lauka_sysfs_measure(root, "cpu", "open", &event);
    EXPECT(event.scale == 0 && strcmp(event.unit, "1") == 0);
    lauka_sysfs_measure(root, "cpu", "event=1", &event);
    EXPECT(event.scale == 0);
}

static void braces_make_a_group_and_their_modifier_is_for_all(void)
{
    EXPECT(parse("branches,{cycles,instructions:k,cpu/event=1,umask=2/}:u,{slots}"));
    EXPECT_UINT(list.count, 5);
    EXPECT_TEXT(list.events[1].name, "cycles:u");
    EXPECT_TEXT(list.events[2].name, "instructions:k");
    EXPECT_TEXT(list.events[3].name, "cpu/event=1,umask=2/u");
    EXPECT_UINT(list.events[0].group, 0);
    EXPECT(list.events[1].group == 1 && list.events[2].group == 1 && list.events[3].group == 1);
    EXPECT_UINT(list.events[4].group, 2);
    EXPECT(parse("{cycles,instructions}") && list.events[1].modes == LAUKA_MODES_ALL);
    expect_refusal("{cycles,instructions", "a group is written {NAME,NAME}");
    expect_refusal("{cycles}u", "a group is written {NAME,NAME}");
    expect_refusal("{{cycles}}", "a group is written {NAME,NAME}");
    expect_refusal("{}", "a name is missing");
    expect_refusal("{cycles,}", "a name is missing");
    expect_refusal("{cycles}:x", "only :u");
    expect_refusal("{cycles,nonesuch}:u", "unknown");
    expect_refusal("cycles}", "unknown");
}

static void what_is_asked_for_together_shares_a_leader(void)
{
    static struct lauka_counters counters;
    EXPECT(parse("{branches,cycles,task-clock},instructions,{slots,cpu/event=1/}"));
    lauka_counters_prepare(&counters, list.events, list.count);
    lauka_counters_pair(&counters);
    static const uint8_t leaders[] = {0, 0, 2, 3, 4, 4};
    for (size_t i = 0; i < COUNT(leaders); i++)
        EXPECT_UINT(counters.leaders[i], leaders[i]);
    counters.errors[0] = 2;
    for (size_t i = 0; i < counters.count; i++)
        counters.leaders[i] = (uint8_t)i;
    lauka_counters_pair(&counters);
    EXPECT_UINT(counters.leaders[1], 1);
}

static void tracepoints_are_no_modifiers(void)
{
    EXPECT(lauka_tracepoint_is("sched:sched_switch") && lauka_tracepoint_is("xfs:a-b"));
    EXPECT(!lauka_tracepoint_is("sched") && !lauka_tracepoint_is(":a") &&
           !lauka_tracepoint_is("a:"));
    EXPECT(!lauka_tracepoint_is("a:b:c") && !lauka_tracepoint_is("a/b:c") &&
           !lauka_tracepoint_is(".:c"));
    EXPECT(!lauka_tracepoint_is("sched:enable"));
    struct lauka_event event = {.name = "cpu:slots"};
    EXPECT(lauka_tracepoint_find("/nonesuch", &event) == ENOENT);
}

static void only_pmus_of_cores_count_in_their_counters(void)
{
    EXPECT(parse("cpu/slots/,armv8_a53/inst_retired/,msr/event=0/,cycles,task-clock"));
    for (size_t i = 0; i < list.count; i++)
        EXPECT(lauka_event_is_hardware(&list.events[i]) == (i != 2 && i != 4));
}

static void what_the_pmu_cannot_do_is_said(void)
{
    expect_refusal("nosuch/event=1/", "no PMU \"nosuch\"");
    expect_refusal("cpu/nosuch/", "no event and no term");
    expect_refusal("cpu/event=0x100/", "more bits");
    expect_refusal("cpu/event=/", "number");
    expect_refusal("cpu/event=x/", "number");
    expect_refusal("cpu/open/", "number");
    expect_refusal("cpu//", "expected a name");
    expect_refusal("cpu/", "PMU/TERMS/");
    expect_refusal("/event=1/", "no PMU");
    expect_refusal("broken/event=1/", "more bits");
    expect_refusal("broken/far=1/", "more bits");
    expect_refusal("broken/odd=1/", "more bits");
    expect_refusal("uncore_imc/clockticks/u", "whole CPUs");
    EXPECT(parse("uncore_imc/clockticks/") && list.events[0].of_machine);
    EXPECT_TEXT(list.events[0].source, "machine");
    expect_refusal("../cpu/event=1/", "event");
}

static void raw_numbers_are_hexadecimal(void)
{
    expect_event("r1a8", "r1a8", LAUKA_TYPE_RAW, 0x1a8);
    expect_event("rffffffffffffffff", "rffffffffffffffff", LAUKA_TYPE_RAW, UINT64_MAX);
    expect_refusal("rxyz", "unknown");
    expect_refusal("r1ffffffffffffffff", "unknown");
}

/* ---- Modifiers and lists ---- */

static void modifiers_choose_the_modes(void)
{
    expect_event("instructions:u", "instructions:u", LAUKA_TYPE_HARDWARE, 1);
    EXPECT(list.events[0].modes == LAUKA_MODES_USER);
    expect_event("instructions:k", "instructions:k", LAUKA_TYPE_HARDWARE, 1);
    EXPECT(list.events[0].modes == LAUKA_MODES_KERNEL);
    expect_event("instructions:uk", "instructions", LAUKA_TYPE_HARDWARE, 1);
    EXPECT(list.events[0].modes == LAUKA_MODES_ALL);
    expect_event("instructions:P", "instructions", LAUKA_TYPE_HARDWARE, 1);
    expect_event("instructions:upp", "instructions:u", LAUKA_TYPE_HARDWARE, 1);
    expect_event("cpu/event=1/P", "cpu/event=1/", 4, 1);
    EXPECT(parse("cpu/event=1/u") && list.events[0].modes == LAUKA_MODES_USER);
    EXPECT(parse("cpu/event=1/:k") && list.events[0].modes == LAUKA_MODES_KERNEL);
    EXPECT(parse("cycles:h") && list.events[0].modes == LAUKA_MODES_HYPERVISOR);
    EXPECT_TEXT(list.events[0].name, "cycles:h");
    EXPECT(parse("cycles:kh") && list.events[0].modes == LAUKA_MODES_KERNEL);
    EXPECT(!list.events[0].without_hypervisor);
    EXPECT(parse("cycles:uk") && list.events[0].without_hypervisor);
    EXPECT(parse("cycles") && !list.events[0].without_hypervisor);
    expect_refusal("instructions:", "only :u");
    expect_refusal("instructions:x", "only :u");
    expect_refusal("cpu/event=1/q", "only :u");
}

static void modifiers_of_perf_are_understood(void)
{
    EXPECT(parse("cycles:uH") && list.events[0].worlds == LAUKA_WORLDS_HOST);
    EXPECT_TEXT(list.events[0].name, "cycles:uH");
    EXPECT(parse("{cycles:G,instructions}:H") && list.events[0].worlds == LAUKA_WORLDS_GUEST);
    EXPECT(list.events[1].worlds == LAUKA_WORLDS_HOST);
    EXPECT(parse("cycles:GH") && list.events[0].worlds == LAUKA_WORLDS_ALL);
    EXPECT(parse("{cycles,instructions:u}:D") && list.events[0].pinned && list.events[1].pinned);
    EXPECT(list.events[1].modes == LAUKA_MODES_USER);
    EXPECT(parse("{cycles,instructions}:WSIebRX") && !list.events[0].pinned);
    EXPECT_TEXT(list.events[1].name, "instructions");
    expect_refusal("cycles:uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu", "only :u");
}

static void names_in_terms_label_events(void)
{
    expect_event("cpu/event=0x3c,name=halted/", "halted", 4, 0x3c);
    expect_event("cpu/name='a.b',event=1/u", "a.b:u", 4, 1);
    expect_event("cpu/event=0x3c,period=1000,time=0,call-graph=fp/",
                 "cpu/event=0x3c,period=1000,time=0,call-graph=fp/", 4, 0x3c);
    expect_refusal("cpu/event=1,name=/", "a name consists of");
    expect_refusal("cpu/event=1,name='a,b'/", "a name consists of");
    expect_refusal("cpu/event=1,name=wall-time/", "the name of another event");
    expect_refusal("cpu/event=1,name=LLC-loads/", "the name of another event");
}

static void numbers_in_terms_are_decimal_or_begin_with_0x(void)
{
    expect_event("cpu/event=010/", "cpu/event=010/", 4, 10);
    expect_event("cpu/event=0X10/", "cpu/event=0X10/", 4, 16);
    expect_event("cpu/r3c/", "cpu/r3c/", 4, 0x3c);
    expect_refusal("cpu/event=0x/", "expected a number");
    expect_refusal("cpu/event=-/", "expected a number");
    expect_refusal("cpu/event=0x3c", "PMU/TERMS/");
    expect_refusal("cpu/warmth/", "a momentary value");
}

static void names_of_the_cores_come_before_spellings_of_caches(void)
{
    expect_event("l1d_cache", "armv8_a53/l1d_cache/", 10, 4);
    expect_event("L1D-cache", "l1d_loads", LAUKA_TYPE_CACHE, 0);
    expect_event("cpu/cycles/", "cpu/cycles/", LAUKA_TYPE_HARDWARE, 0);
    expect_event("armv8_a53/cycles,name=turns/", "turns", LAUKA_TYPE_HARDWARE, UINT64_C(10) << 32);
    expect_event("armv8_a53/LLC-loads/", "armv8_a53/LLC-loads/", LAUKA_TYPE_CACHE,
                 UINT64_C(10) << 32 | 2);
    expect_refusal("msr/cycles/", "no event and no term");
    expect_refusal("cpu/cycles,edge/", "no event and no term");
}

static void top_down_events_stand_behind_slots(void)
{
    EXPECT(parse("cycles,topdown-retiring") && list.count == 3);
    EXPECT_TEXT(list.events[1].name, "cpu/slots/");
    EXPECT(list.events[1].leads && list.events[1].group == 1 && list.events[2].group == 1);
    EXPECT(parse("{topdown-retiring,slots}:u,topdown-retiring") && list.count == 4);
    EXPECT_TEXT(list.events[0].name, "cpu/slots/u");
    EXPECT_TEXT(list.events[2].name, "cpu/slots/");
    EXPECT(list.events[1].group == list.events[0].group &&
           list.events[3].group == list.events[2].group);
    static struct lauka_counters counters;
    EXPECT(parse("{cpu/event=1/,topdown-retiring}") && list.count == 3);
    lauka_counters_prepare(&counters, list.events, list.count);
    lauka_counters_pair(&counters);
    for (size_t i = 0; i < counters.count; i++)
        EXPECT_UINT(counters.leaders[i], 1);
}

static void lists_keep_their_order_and_no_event_twice(void)
{
    EXPECT(parse("cycles,cpu/event=1,umask=2/,cpu-cycles,instructions:u,instructions"));
    EXPECT_UINT(list.count, 4);
    EXPECT_TEXT(list.events[0].name, "cycles");
    EXPECT_TEXT(list.events[1].name, "cpu/event=1,umask=2/");
    EXPECT_TEXT(list.events[2].name, "instructions:u");
    EXPECT_TEXT(list.events[3].name, "instructions");
    EXPECT(lauka_event_list_add(&list, "branches,cycles", root, why, sizeof why));
    EXPECT_UINT(list.count, 5);
}

static void a_missing_name_and_too_many_events_are_errors(void)
{
    expect_refusal("", "a name is missing");
    expect_refusal("cycles,", "a name is missing");
    expect_refusal(",cycles", "a name is missing");
    char longest[400], many[400] = "";
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    expect_refusal(longest, "too long");
    for (int i = 0; i < 49; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "%sr%x", i ? "," : "", i);
    expect_refusal(many, "48 is the limit");
}

static void no_garbage_does_harm(void)
{
    static const char letters[] = "cpu/,:=ukr01aL-_?.";
    uint64_t state = 1;
    for (int n = 0; n < 2000; n++) {
        char text[24];
        size_t length = 0;
        for (; length < 23; length++) {
            state = state * 6364136223846793005 + 1442695040888963407;
            if (state >> 60 == 0)
                break;
            text[length] = letters[(state >> 33) % (sizeof letters - 1)];
        }
        text[length] = '\0';
        EXPECT(parse(text) || *why);
    }
}

/* ---- Suggestions ---- */

static void the_nearest_names_are_suggested(void)
{
    expect_refusal("instrutions", "perhaps instructions");
    expect_refusal("brnch-misses", "perhaps branch_misses");
    expect_refusal("cpu-cycels", "perhaps cycles");
    expect_refusal("inst_retird", "perhaps armv8_a53/inst_retired/");
    expect_refusal("stalled", "stalled_cycles_frontend or stalled_cycles_backend");
    expect_refusal("completely_different_thing", "unknown; lauka list");
}

int main(void)
{
    if (!make_tree()) {
        printf("cannot make %s\n", root);
        return 1;
    }
    TEST(hyphens_underscores_and_case_do_not_matter);
    TEST(portable_names_are_the_kernels_generic_events);
    TEST(perfs_other_names_mean_the_same);
    TEST(every_alias_leads_to_an_event);
    TEST(what_is_measured_anyway_takes_no_counter);

    TEST(cache_events_have_every_usual_spelling);
    TEST(every_cache_event_is_found_by_its_own_name);

    TEST(terms_go_where_the_format_says);
    TEST(events_of_sysfs_are_found_with_and_without_their_pmu);
    TEST(an_event_of_several_kinds_of_core_is_counted_on_each);
    TEST(counts_are_scaled_as_the_pmu_says);
    TEST(braces_make_a_group_and_their_modifier_is_for_all);
    TEST(what_is_asked_for_together_shares_a_leader);
    TEST(tracepoints_are_no_modifiers);
    TEST(only_pmus_of_cores_count_in_their_counters);
    TEST(what_the_pmu_cannot_do_is_said);
    TEST(raw_numbers_are_hexadecimal);

    TEST(modifiers_choose_the_modes);
    TEST(modifiers_of_perf_are_understood);
    TEST(names_in_terms_label_events);
    TEST(numbers_in_terms_are_decimal_or_begin_with_0x);
    TEST(names_of_the_cores_come_before_spellings_of_caches);
    TEST(top_down_events_stand_behind_slots);
    TEST(lists_keep_their_order_and_no_event_twice);
    TEST(a_missing_name_and_too_many_events_are_errors);
    TEST(no_garbage_does_harm);
    TEST(the_nearest_names_are_suggested);
    remove_tree();
    return expect_report("events");
}
