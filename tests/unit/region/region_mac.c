/* Regions on a simulated Mac: which functions of its libraries are called, with which arguments, and
 * what becomes of the answers. */
#include <dlfcn.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/expect.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

#undef __linux__
#define __APPLE__ 1
static void *played_open(const char *path);
static void *played_symbol(void *library, const char *name);
#define dlopen(path, mode) played_open(path)
#define dlsym(library, name) played_symbol(library, name)
#define geteuid() (user)
static unsigned user;
#include "include/lauka_region.h"

uint64_t mach_absolute_time(void)
{
    return 1;
}

/* ---- the simulated Mac -------------------------------------------------------------------------- */

static const char *missing; /* a function that this macOS lacks */
static uint64_t instructions, cycles, kpc_values[10];
static int kpc_answer; /* of kpc_set_config: 0, or -1 with EPERM */
static uint32_t forced, configured, counting, threads_counting;
static size_t events_added, user_only, places[16];
static unsigned used;       /* counters */
static const char *refused; /* an event for which there is no counter */

static int selfcounts(int kind, void *to, size_t size)
{
    uint64_t values[2] = {instructions, cycles};

    if (kind != 1 || size != sizeof values)
        return -1;
    memcpy(to, values, size);
    return 0;
}

static int pid_rusage(int pid, int flavor, void *to)
{
    uint64_t values[37] = {0}; /* 296 bytes */

    values[248 / 8] = instructions * 10;
    values[256 / 8] = cycles * 10;
    memcpy(to, values, sizeof values);
    return pid == getpid() && flavor == 4 ? 0 : -1;
}

static int db_create(const char *name, void **database)
{
    *database = &forced;
    return name != NULL;
}

static int config_create(void *database, void **configuration)
{
    *configuration = &configured;
    events_added = user_only = used = 0;
    return database != &forced;
}

static int config_force(void *configuration)
{
    return configuration != &configured || events_added > 0;
}

static int db_event(void *database, const char *name, void **event)
{
    (void)database;
    memcpy(event, &name, sizeof name);
    return strcmp(name, "NO_SUCH_EVENT") == 0 ? 11 : 0;
}

/* The first two counters are the fixed ones. An event has the lowest free one that suits it, and keeps it, also where one that
 * comes later suits no other. */
static int config_add(void *configuration, void **event, uint32_t flag, uint32_t *error)
{
    static const char *const names[] = {"FIXED_CYCLES", "FIXED_INSTRUCTIONS",
                                        "INST_ALL",     "INST_LDST",
                                        "INST_BRANCH",  "BRANCH_MISPRED_NONSPEC"};
    static const unsigned masks[] = {1, 2, 0x80, 0x80, 0xe0, 0xe0};
    const char *name = *event;
    unsigned mask = 0x3fc;

    (void)configuration, (void)error;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        mask = strcmp(name, names[i]) == 0 ? masks[i] : mask;
    if ((refused && strcmp(name, refused) == 0) || !(mask & ~used))
        return 12;
    for (places[events_added] = 0; !(mask & ~used & 1u << places[events_added]);)
        places[events_added]++;
    used |= 1u << places[events_added++];
    user_only += flag;
    return 0;
}

static int config_classes(void *configuration, uint32_t *classes)
{
    (void)configuration;
    *classes = 3;
    return 0;
}

static int config_map(void *configuration, void *map, size_t size)
{
    (void)configuration;
    memcpy(map, places,
           size < events_added * sizeof *places ? size : events_added * sizeof *places);
    return 0;
}

static int config_words(void *configuration, void *words, size_t size)
{
    (void)configuration;
    memset(words, 7, size);
    return 0;
}

static int force_all(int on)
{
    forced = (uint32_t)on;
    return 0;
}

static int set_config(uint32_t classes, void *words)
{
    (void)words;
    EXPECT(forced == 1); /* must come first */
    configured = classes;
    errno = EPERM;
    return kpc_answer;
}

static int set_counting(uint32_t classes)
{
    counting = classes;
    return 0;
}

static int set_thread_counting(uint32_t classes)
{
    threads_counting = classes;
    return 0;
}

static int get_thread_counters(uint32_t thread, uint32_t count, void *values)
{
    if (thread != 0 || count < 10 || !threads_counting) {
        errno = EINVAL;
        return -1;
    }
    memcpy(values, kpc_values, sizeof kpc_values);
    return 0;
}

static void *played_open(const char *path)
{
    return strstr(path, "/System/Library/PrivateFrameworks/kperf") ? &counting : NULL;
}

#define SYMBOL(name, function)                                                                     \
    if (strcmp(asked, name) == 0)                                                                  \
        memcpy(&found, &(void (*[1])(void)){(void (*)(void))(function)}[0], sizeof found);

static void *played_symbol(void *library, const char *asked)
{
    void *found = NULL;

    (void)library;
    if (missing && strcmp(missing, asked) == 0)
        return NULL;
    SYMBOL("thread_selfcounts", selfcounts)
    SYMBOL("proc_pid_rusage", pid_rusage)
    SYMBOL("kpep_db_create", db_create)
    SYMBOL("kpep_config_create", config_create)
    SYMBOL("kpep_config_force_counters", config_force)
    SYMBOL("kpep_db_event", db_event)
    SYMBOL("kpep_config_add_event", config_add)
    SYMBOL("kpep_config_kpc_classes", config_classes)
    SYMBOL("kpep_config_kpc_map", config_map)
    SYMBOL("kpep_config_kpc", config_words)
    SYMBOL("kpc_force_all_ctrs_set", force_all)
    SYMBOL("kpc_set_config", set_config)
    SYMBOL("kpc_set_counting", set_counting)
    SYMBOL("kpc_set_thread_counting", set_thread_counting)
    SYMBOL("kpc_get_thread_counters", get_thread_counters)
    return found;
}

static void begin(unsigned as)
{
    user = as;
    missing = refused = NULL;
    kpc_answer = 0;
    events_added = user_only = 0;
    forced = configured = counting = threads_counting = 0;
    instructions = 1000;
    cycles = 500;
    memset(kpc_values, 0, sizeof kpc_values);
}

/* ---- the tests ------------------------------------------------------------------------------------- */

enum { ROOT, SOMEBODY = 501 };

static struct lauka_region opened(const char *third, int process)
{
    const struct lauka_region_options options = {.process = process};
    struct lauka_region_event events[] = {lauka_region_known(LAUKA_REGION_CYCLES),
                                          lauka_region_known(LAUKA_REGION_INSTRUCTIONS),
                                          lauka_region_apple(third ? third : "")};
    struct lauka_region region;

    EXPECT(lauka_region_open(&region, events, third ? 3 : 2, &options) == 0);
    return region;
}

static void counts(const struct lauka_region *region, size_t event, uint64_t expected)
{
    uint64_t count;

    EXPECT(lauka_region_count(region, event, &count) == LAUKA_REGION_EXACT);
    EXPECT_UINT(count, expected);
    EXPECT(lauka_region_way(region, event) == LAUKA_REGION_READ);
}

static void is_absent(const struct lauka_region *region, size_t event, int why)
{
    uint64_t count;

    EXPECT(lauka_region_count(region, event, &count) == LAUKA_REGION_UNKNOWN && count == 0);
    EXPECT(lauka_region_way(region, event) == LAUKA_REGION_ABSENT);
    EXPECT(region->counters[event].why == why);
}

static void everybody_counts_cycles_and_instructions_of_a_thread(void)
{
    begin(SOMEBODY);
    struct lauka_region region = opened(NULL, 0);
    lauka_region_begin(&region);
    instructions += 77;
    cycles += 33;
    lauka_region_end(&region);
    counts(&region, 0, 33);
    counts(&region, 1, 77);
    EXPECT(region.counters[0].mode == LAUKA_REGION_BOTH); /* so it is called */
    lauka_region_close(&region);
    EXPECT(forced == 0 && counting == 0);
}

static void and_of_a_process(void)
{
    begin(SOMEBODY);
    struct lauka_region region = opened(NULL, 1);
    lauka_region_begin(&region);
    instructions += 77;
    lauka_region_end(&region);
    counts(&region, 0, 0);
    counts(&region, 1, 770);
    lauka_region_close(&region);
}

static void other_events_need_root(void)
{
    begin(SOMEBODY);
    struct lauka_region region = opened("INST_BRANCH", 0);
    lauka_region_begin(&region);
    cycles += 33;
    lauka_region_end(&region);
    counts(&region, 0, 33);
    is_absent(&region, 2, EPERM);
    EXPECT(forced == 0); /* nothing was touched */
    lauka_region_close(&region);
}

static void root_counts_all_by_kpc(void)
{
    begin(ROOT);
    struct lauka_region region = opened("INST_BRANCH", 0);
    EXPECT(configured == 3 && counting == 3 && threads_counting == 3);
    EXPECT_UINT(events_added, 3);
    EXPECT_UINT(user_only, 1);
    lauka_region_begin(&region);
    kpc_values[0] += 30;
    kpc_values[1] += 60;
    kpc_values[5] += 5; /* the counter of the map */
    lauka_region_end(&region);
    counts(&region, 0, 30);
    counts(&region, 1, 60);
    counts(&region, 2, 5);
    EXPECT(region.counters[1].mode == LAUKA_REGION_BOTH);
    EXPECT(region.counters[2].mode == LAUKA_REGION_USER);
    lauka_region_close(&region);
    EXPECT(forced == 0 && counting == 0 && threads_counting == 0);
}

/* Six events that any counter suits would take the only one of INST_LDST, were they placed as they are asked for. */
static void events_that_suit_few_counters_are_placed_although_they_come_last(void)
{
    static const char *const names[] = {
        "A", "B", "C", "D", "INST_BRANCH", "BRANCH_MISPRED_NONSPEC", "INST_LDST", "INST_ALL"};
    struct lauka_region_event events[8];
    struct lauka_region region;

    for (size_t i = 0; i < 8; i++)
        events[i] = lauka_region_apple(names[i]);
    begin(ROOT);
    EXPECT(lauka_region_open(&region, events, 7, NULL) == 0);
    lauka_region_begin(&region);
    for (size_t c = 0; c < 10; c++)
        kpc_values[c] += c;
    lauka_region_end(&region);
    counts(&region, 6, 7);
    for (size_t i = 0; i < 6; i++)
        EXPECT(lauka_region_way(&region, i) == LAUKA_REGION_READ);
    lauka_region_close(&region);
    begin(ROOT); /* of two that have one counter between them, one stays */
    EXPECT(lauka_region_open(&region, events, 8, NULL) == 0);
    EXPECT((lauka_region_way(&region, 6) == LAUKA_REGION_ABSENT) !=
           (lauka_region_way(&region, 7) == LAUKA_REGION_ABSENT));
    EXPECT(lauka_region_way(&region, 5) == LAUKA_REGION_READ);
    lauka_region_close(&region);
}

static void what_the_kernel_refuses_leaves_cycles_and_instructions(void)
{
    begin(ROOT);
    kpc_answer = -1;
    struct lauka_region region = opened("INST_BRANCH", 0);
    EXPECT(forced == 0); /* released at once */
    lauka_region_begin(&region);
    cycles += 33;
    lauka_region_end(&region);
    counts(&region, 0, 33);
    is_absent(&region, 2, ENOENT); /* root may count; the event does not exist */
    counting = 2;                  /* set by another program */
    lauka_region_close(&region);
    EXPECT(counting == 2);
}

static void an_event_that_is_unknown_or_finds_no_counter_is_absent(void)
{
    begin(ROOT);
    struct lauka_region region = opened("NO_SUCH_EVENT", 0);
    lauka_region_begin(&region);
    kpc_values[0] += 30;
    lauka_region_end(&region);
    counts(&region, 0, 30);
    is_absent(&region, 2, ENOENT);
    lauka_region_close(&region);
    begin(ROOT);
    refused = "INST_BRANCH";
    region = opened("INST_BRANCH", 0);
    is_absent(&region, 2, ENOENT);
    lauka_region_close(&region);
}

static void an_older_system_tells_nothing(void)
{
    begin(SOMEBODY);
    missing = "thread_selfcounts";
    struct lauka_region region = opened(NULL, 0);
    is_absent(&region, 0, ENOSYS);
    lauka_region_close(&region);
    begin(ROOT);
    missing = "kpc_set_thread_counting";
    region = opened("INST_BRANCH", 0);
    is_absent(&region, 2, ENOSYS);
    EXPECT(lauka_region_way(&region, 0) == LAUKA_REGION_READ);
    lauka_region_close(&region);
}

static void accounts_are_of_processes(void)
{
    struct lauka_region_event faults = lauka_region_known(LAUKA_REGION_PAGE_FAULTS);
    struct lauka_region region;

    begin(SOMEBODY);
    EXPECT(lauka_region_open(&region, &faults, 1, NULL) == 0);
    is_absent(&region, 0, ENOSYS);
    lauka_region_close(&region);
}

int main(void)
{
    TEST(everybody_counts_cycles_and_instructions_of_a_thread);
    TEST(and_of_a_process);
    TEST(other_events_need_root);
    TEST(root_counts_all_by_kpc);
    TEST(events_that_suit_few_counters_are_placed_although_they_come_last);
    TEST(what_the_kernel_refuses_leaves_cycles_and_instructions);
    TEST(an_event_that_is_unknown_or_finds_no_counter_is_absent);
    TEST(an_older_system_tells_nothing);
    TEST(accounts_are_of_processes);
    return expect_report("region_mac");
}
