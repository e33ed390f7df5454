/* cache_event: events of the kernel's cache type: a cache, what was done to it, and how it ended.
 * attr.config is cache | operation << 8 | result << 16; perf_event_open(2). */
#include "pmu/events/events.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct word { /* one spelling, in small letters and without '-' and '_' */
    const char *text;
    unsigned number;
};

enum { CACHES = 7, OPERATIONS = 3, RESULTS = 2 };
enum { READ, WRITE, PREFETCH };
enum { ACCESS, MISS };

/* The first spelling of each number is lauka's own. */
/* clang-format off: a table */
static const struct word caches[] = {
    {"l1d", 0},
    {"l1dcache", 0},
    {"l1data", 0},
    {"l1i", 1},
    {"l1icache", 1},
    {"l1instruction", 1},
    {"llc", 2},
    {"ll", 2},
    {"l2", 2}, /* perf means the last level, too */
    {"lastlevelcache", 2},
    {"dtlb", 3},
    {"datatlb", 3},
    {"l1dtlb", 3},
    {"itlb", 4},
    {"instructiontlb", 4},
    {"l1itlb", 4},
    {"bpu", 5},
    {"btb", 5},
    {"bpc", 5},
    {"branch", 5},
    {"node", 6},
};
/* clang-format on */
static const struct word operations[] = {
    {"load", READ},         {"read", READ},           {"loads", READ},   {"reads", READ},
    {"store", WRITE},       {"write", WRITE},         {"stores", WRITE}, {"writes", WRITE},
    {"prefetch", PREFETCH}, {"prefetches", PREFETCH},
};
static const struct word results[] = {
    {"miss", MISS},  {"misses", MISS}, {"access", ACCESS},     {"accesses", ACCESS},
    {"ref", ACCESS}, {"refs", ACCESS}, {"references", ACCESS},
};

/* The number of the longest spelling that the text begins with, and its length; 0 if there is none. */
static size_t match(const struct word *words, size_t count, const char *text, unsigned *number)
{
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(words[i].text);
        if (length > longest && strncmp(text, words[i].text, length) == 0) {
            longest = length;
            *number = words[i].number;
        }
    }
    return longest;
}

/* Lower case without '-' and '_'. False if it does not fit. */
static bool squeeze(const char *name, char *text, size_t size)
{
    size_t used = 0;
    for (; *name; name++) {
        if (*name == '-' || *name == '_')
            continue;
        if (used + 1 >= size)
            return false;
        text[used++] = (char)tolower((unsigned char)*name);
    }
    text[used] = '\0';
    return true;
}

bool lauka_cache_event_parse(const char *name, uint64_t *config)
{
    char text[LAUKA_EVENT_NAME_SIZE];
    unsigned cache = 0, operation = READ, result = ACCESS;
    if (!squeeze(name, text, sizeof text))
        return false;

    const char *at = text;
    size_t length = match(caches, COUNT(caches), at, &cache);
    if (length == 0)
        return false;
    at += length;
    at += match(operations, COUNT(operations), at, &operation);
    at += match(results, COUNT(results), at, &result);
    *config = cache | operation << 8 | result << 16;
    return *at == '\0';
}

static unsigned part(uint64_t config, unsigned shift, unsigned count)
{
    return (unsigned)(config >> shift & 0xff) % count;
}

void lauka_cache_event_name(uint64_t config, char *name, size_t size)
{
    static const char *const own[CACHES] = {"l1d", "l1i", "llc", "dtlb", "itlb", "bpu", "node"};
    static const char *const ends[OPERATIONS][RESULTS] = {
        {"loads", "load_misses"},
        {"stores", "store_misses"},
        {"prefetches", "prefetch_misses"},
    };
    snprintf(name, size, "%s_%s", own[part(config, 0, CACHES)],
             ends[part(config, 8, OPERATIONS)][part(config, 16, RESULTS)]);
}

void lauka_cache_event_describe(uint64_t config, char *text, size_t size)
{
    static const char *const what[CACHES] = {
        "the first-level data cache",
        "the first-level instruction cache",
        "the last-level cache",
        "the TLB of data",
        "the TLB of instructions",
        "the branch prediction unit",
        "the memory of the CPU's own node",
    };
    static const char *const done[OPERATIONS] = {"loads from", "stores to", "prefetches to"};
    snprintf(text, size, "%s %s%s", done[part(config, 8, OPERATIONS)],
             what[part(config, 0, CACHES)],
             part(config, 16, RESULTS) == MISS ? " that missed" : "");
}

bool lauka_cache_event(size_t index, uint64_t *config)
{
    if (index >= CACHES * OPERATIONS * RESULTS)
        return false;
    uint64_t cache = index / (OPERATIONS * RESULTS);
    *config = cache | index / RESULTS % OPERATIONS << 8 | index % RESULTS << 16;
    return true;
}
