/* event_list: turns what was asked for into events: portable names, cache events, sysfs names, PMU/.../,
 * raw numbers. */
#include "pmu/events/events.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wish {                            /* one event that is asked for */
    char name[LAUKA_EVENT_NAME_SIZE];    /* without its modifiers */
    char letters[32];                    /* its modifiers, its group's included */
    char pmu[64];                        /* that has it; empty: none was named */
    enum lauka_topdown topdown;          /* of the PMU's event */
    uint8_t group;                       /* 0: none */
    const struct lauka_event_list *list; /* borrowed; only for its find */
    const char *root;                    /* borrowed */
    char *text;                          /* borrowed; why it cannot be */
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool complain(const struct wish *wish,
                                                           const char *format, ...)
{
    char why[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    snprintf(wish->text, wish->size, "event \"%.100s\": %s", wish->name, why);
    return false;
}

/* ---- One name ---- */

/* perf's modifiers. Five choose what is counted. D keeps the event on its counter. The others are about samples (p, P,
 * S), or about sharing counters (W, e, b, R, X, I), which lauka solves by rounds: they change no count. */
static const char modifiers[] = "ukhGHDpPSIWebRX";

static bool has(const struct wish *wish, char letter)
{
    return strchr(wish->letters, letter) != NULL;
}

static void forget(char *letters, const char *kind)
{
    char *to = letters;
    for (const char *from = letters; *from; from++)
        if (!strchr(kind, *from))
            *to++ = *from;
    *to = '\0';
}

/* Where they say the same thing as those of the event's group, an event's own count. */
static bool read_modifiers(struct wish *wish, const char *letters)
{
    size_t used = strlen(wish->letters);
    if (!*letters || letters[strspn(letters, modifiers)] ||
        used + strlen(letters) >= sizeof wish->letters)
        return complain(wish,
                        "only :u (user mode), :k (kernel), :h (hypervisor), :G and :H (guest, "
                        "host) and :D (pinned) can follow a name, and letters of perf's that "
                        "change no count");
    if (strpbrk(letters, "ukh"))
        forget(wish->letters, "ukh");
    if (strpbrk(letters, "GH"))
        forget(wish->letters, "GH");
    strcat(wish->letters, letters);
    return true;
}

static bool chooses_modes(const struct wish *wish)
{
    return strpbrk(wish->letters, "ukh") != NULL;
}

static enum lauka_modes modes_of(const struct wish *wish)
{
    bool user = has(wish, 'u'), kernel = has(wish, 'k');
    if (user != kernel)
        return user ? LAUKA_MODES_USER : LAUKA_MODES_KERNEL;
    return !user && has(wish, 'h') ? LAUKA_MODES_HYPERVISOR : LAUKA_MODES_ALL;
}

static void set_modes(const struct wish *wish, struct lauka_event *event)
{
    event->modes = modes_of(wish);
    event->without_hypervisor = chooses_modes(wish) && !has(wish, 'h');
    if (has(wish, 'G') != has(wish, 'H'))
        event->worlds = has(wish, 'G') ? LAUKA_WORLDS_GUEST : LAUKA_WORLDS_HOST;
    event->pinned = has(wish, 'D');
}

/* What a name ends in: the modifiers that change the count, always in the same order. */
static void name_modes(const struct lauka_event *event, char text[8])
{
    static const char *const modes[] = {"", "u", "k", "h"}, *const worlds[] = {"", "H", "G"};
    snprintf(text, 8, "%s%s", modes[event->modes], worlds[event->worlds]);
}

/* Where modifiers begin: after SYSTEM:NAME in "sched:sched_switch:k", but after the first word in "cycles:k". A name
 * before a colon may be both an event and a system of tracepoints: "syscalls:sys_enter_write". */
static char *find_colon(const struct wish *wish, char *from)
{
    char *first = strchr(from, ':'), *last = strrchr(from, ':');
    bool names =
        first && first == last && first[1 + strspn(first + 1, modifiers)] && from == wish->name;
    if (!names || !lauka_tracepoint_is(wish->name))
        return last;
    *first = '\0';
    const struct lauka_event *known = lauka_event_find(wish->name);
    *first = ':';
    return known && known->type != LAUKA_TYPE_TRACEPOINT ? last : NULL;
}

/* Cuts off ":u", or the "u" after a closing slash. False if a modifier is unknown. */
static bool take_modifiers(struct wish *wish)
{
    char *slash = strrchr(wish->name, '/');
    if (slash && slash == strchr(wish->name, '/'))
        return complain(wish, "a PMU's event is written PMU/TERMS/");
    char *colon = find_colon(wish, slash ? slash : wish->name);
    char *modifier = colon ? colon + 1 : slash ? slash + 1 : NULL;
    if (!modifier || (!colon && !*modifier))
        return true;
    if (!read_modifiers(wish, modifier))
        return false;
    *(colon ? colon : modifier) = '\0';
    return true;
}

/* If the number cannot be read yet, the counting process may be able to read it: it may be root. */
static bool find_tracepoint(const struct wish *wish, struct lauka_event *event)
{
    char near[300];
    event->name = wish->name;
    event->type = LAUKA_TYPE_TRACEPOINT;
    if (modes_of(wish) == LAUKA_MODES_USER)
        return complain(wish, "a tracepoint is in the kernel, and never in user mode");
    if (lauka_tracepoint_find(NULL, event) != ESRCH)
        return true;
    lauka_tracepoint_suggest(wish->name, near, sizeof near);
    return complain(wish,
                    "the kernel has no such tracepoint%s%s; lauka list finds them by a part of a "
                    "name",
                    *near ? "; perhaps " : "", near);
}

/* Copies TEXT from "name=TEXT" or "name='TEXT'". False if there is none, or if it is not fit to be a name (*bad). */
static bool find_label(const char *terms, char *text, size_t size, bool *bad)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    const char *at = strncmp(terms, "name=", 5) == 0 ? terms : strstr(terms, ",name=");
    *bad = false;
    if (!at)
        return false;
    at = strchr(at, '=') + 1;
    const char *end = *at == '\'' ? "'" : ",";
    at += *end == '\'';
    size_t length = strspn(at, letters);
    *bad = length == 0 || length >= size || (at[length] != *end && (at[length] || *end == '\''));
    snprintf(text, size, "%.*s", (int)(*bad ? 0 : length), at);
    return !*bad;
}

/* "name=loads" among the terms becomes the event's name. */
static bool take_label(struct wish *wish, const char *terms)
{
    uint64_t config;
    bool bad;
    char label[LAUKA_EVENT_NAME_SIZE];
    if (!find_label(terms, label, sizeof label, &bad))
        return !bad || complain(wish, "a name consists of letters, digits, '_', '-' and '.'");
    if (lauka_event_find(label) || lauka_cache_event_parse(label, &config))
        return complain(wish, "its name= is the name of another event");
    strcpy(wish->name, label);
    return true;
}

/* "cycles", "LLC-loads", perhaps with a name=: on a PMU of cores, they may be portable events and those of caches. If there
 * are several such PMUs, the upper half of attr.config names the one that is meant. */
static bool find_generic(const struct wish *wish, const char *terms, struct lauka_event *event)
{
    char name[LAUKA_EVENT_NAME_SIZE], file[512], ignored[64];
    size_t length = strcspn(terms, ",");
    if (terms[length] && strncmp(terms + length, ",name=", 6) != 0)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)length, terms);
    snprintf(file, sizeof file, "%s/cpus", wish->pmu);
    const struct lauka_event *known = lauka_event_find(name);
    uint64_t pmu = lauka_sysfs_read(wish->root, file, ignored, sizeof ignored) ? event->type : 0;
    if (!lauka_sysfs_is_of_cores(wish->root, wish->pmu))
        return false;
    if (known && strcmp(known->source, "perf_event") == 0 && known->type == LAUKA_TYPE_HARDWARE) {
        event->type = LAUKA_TYPE_HARDWARE;
        event->config = known->config;
    } else if (lauka_cache_event_parse(name, &event->config)) {
        event->type = LAUKA_TYPE_CACHE;
    } else {
        return false;
    }
    event->config |= pmu << 32;
    return true;
}

enum listed { IS_NOT_LISTED, IS_LISTED, IS_REFUSED };

/* A meaning of a vendor's name; NULL: there are no more. */
static const struct lauka_vendor_event *listed_at(const struct wish *wish, const char *name,
                                                  size_t index)
{
    const char *ignored;
    return wish->list->find ? wish->list->find(wish->list->context, name, index, &ignored) : NULL;
}

/* A vendor's name becomes terms of the PMU that was named, or of the first that has it. */
static enum listed find_listed(struct wish *wish, const char *name, struct lauka_event *event)
{
    char why[LAUKA_EVENT_NAME_SIZE + 200];
    const struct lauka_vendor_event *listed;
    for (size_t i = 0; (listed = listed_at(wish, name, i)); i++) {
        if (*wish->pmu && strcmp(wish->pmu, listed->pmu) != 0)
            continue;
        snprintf(wish->pmu, sizeof wish->pmu, "%s", listed->pmu);
        event->config = event->config1 = event->config2 = 0; /* of what the name was not */
        return lauka_sysfs_event(wish->root, listed->pmu, listed->terms, event, why, sizeof why)
                   ? IS_LISTED
                   : (complain(wish, "%s", why), IS_REFUSED);
    }
    return IS_NOT_LISTED;
}

/* What follows from the PMU that wish->pmu names. */
static void complete_pmu_event(struct wish *wish, const char *terms, struct lauka_event *event)
{
    event->description = "an event of one PMU, described by the kernel";
    event->of_one_pmu = true;
    event->of_cores = lauka_sysfs_is_of_cores(wish->root, wish->pmu);
    event->of_machine = event->of_machine || lauka_sysfs_is_system_wide(wish->root, wish->pmu);
    lauka_sysfs_measure(wish->root, wish->pmu, terms, event);
    wish->topdown = lauka_sysfs_topdown(wish->root, wish->pmu, event);
    event->leads = wish->topdown == LAUKA_TOPDOWN_SLOTS;
}

/* The energy of machines whose PMUs do not have it. */
static bool find_power(struct wish *wish, const char *terms, struct lauka_event *event)
{
    if (strcmp(wish->pmu, "power") != 0 || lauka_sysfs_pmu(wish->root, "power", NULL) ||
        !lauka_powercap_event(LAUKA_POWERCAP, terms, event))
        return false;
    event->description = "an energy that the kernel's powercap reports";
    event->of_machine = event->of_one_pmu = true;
    return true;
}

/* Where there is no PMU of that name, but numbered ones ("uncore_imc_0"), the first of them describes the event. */
static void find_family(struct wish *wish)
{
    char name[sizeof wish->pmu];
    if (!*wish->pmu || strchr(wish->pmu, '/') || lauka_sysfs_pmu(wish->root, wish->pmu, NULL))
        return;
    for (unsigned number = 0; number < 64; number++) {
        snprintf(name, sizeof name, "%.50s_%u", wish->pmu, number);
        if (lauka_sysfs_is_system_wide(wish->root, name)) {
            strcpy(wish->pmu, name);
            return;
        }
    }
}

static bool check_machine(const struct wish *wish, struct lauka_event *event)
{
    if (!event->of_machine)
        return true;
    event->source = "machine";
    return (!chooses_modes(wish) && !strpbrk(wish->letters, "GH")) ||
           complain(wish, "it counts whole CPUs, in all modes together");
}

/* "cpu_core/event=0x3c/". Sets the name, if the terms have one. */
static bool find_terms(struct wish *wish, struct lauka_event *event)
{
    char copy[LAUKA_EVENT_NAME_SIZE], why[LAUKA_EVENT_NAME_SIZE + 200];
    strcpy(copy, wish->name);
    char *slash = strchr(copy, '/'), *end = strrchr(copy, '/');
    *slash = *end = '\0';
    snprintf(wish->pmu, sizeof wish->pmu, "%s", copy);
    if (find_power(wish, slash + 1, event))
        return check_machine(wish, event);
    find_family(wish);
    if (!lauka_sysfs_event(wish->root, wish->pmu, slash + 1, event, why, sizeof why) &&
        !find_generic(wish, slash + 1, event) && find_listed(wish, slash + 1, event) != IS_LISTED)
        return complain(wish, "%s", why);
    event->of_family = strcmp(wish->pmu, copy) != 0;
    complete_pmu_event(wish, slash + 1, event);
    return check_machine(wish, event) && take_label(wish, slash + 1);
}

/* Whether the PMU has an event of exactly that name. */
static bool is_of_pmu(const struct wish *wish, const char *pmu)
{
    char file[512], ignored[512];
    snprintf(file, sizeof file, "%s/events/%s", pmu, wish->name);
    return !strchr(wish->name, '/') && lauka_sysfs_read(wish->root, file, ignored, sizeof ignored);
}

enum { OWNERS_MOST = 8 };

struct owners { /* PMUs that have an event of exactly that name */
    size_t count;
    bool cores, others; /* some are of cores; some are not */
    char pmus[OWNERS_MOST][64];
};

static void add_owner(const struct wish *wish, const char *pmu, struct owners *owners)
{
    bool of_cores = lauka_sysfs_is_of_cores(wish->root, pmu);
    owners->cores = owners->cores || of_cores;
    owners->others = owners->others || !of_cores;
    if (owners->count < OWNERS_MOST)
        snprintf(owners->pmus[owners->count++], sizeof *owners->pmus, "%s", pmu);
}

/* By sysfs. */
static struct owners find_owners(const struct wish *wish)
{
    struct owners owners = {0};
    char **pmus = strchr(wish->name, '/') ? NULL : lauka_sysfs_list(wish->root, ".");
    for (char **pmu = pmus; pmu && *pmu; pmu++)
        if (is_of_pmu(wish, *pmu))
            add_owner(wish, *pmu, &owners);
    lauka_sysfs_free(pmus);
    return owners;
}

/* By a vendor's tables. */
static struct owners find_listed_owners(const struct wish *wish)
{
    struct owners owners = {0};
    const struct lauka_vendor_event *listed;
    for (size_t i = 0; (listed = listed_at(wish, wish->name, i)); i++)
        add_owner(wish, listed->pmu, &owners);
    return owners;
}

/* "inst_retired": in events/ of a PMU. Sets the full name. */
static bool find_in_sysfs(struct wish *wish, struct lauka_event *event)
{
    char near[300];
    const struct owners owners = find_owners(wish);
    if (owners.count == 1 && strlen(owners.pmus[0]) + strlen(wish->name) + 3 <= sizeof wish->name) {
        char name[LAUKA_EVENT_NAME_SIZE];
        strcpy(name, wish->name);
        snprintf(wish->name, sizeof wish->name, "%.60s/%.60s/", owners.pmus[0], name);
        return find_terms(wish, event);
    }
    if (owners.count > 1)
        return complain(wish, "more than one PMU has it: %s/%.60s/, %s/%.60s/", owners.pmus[0],
                        wish->name, owners.pmus[1], wish->name);
    enum listed listed = find_listed(wish, wish->name, event);
    if (listed == IS_LISTED)
        complete_pmu_event(wish, "", event);
    if (listed != IS_NOT_LISTED)
        return listed == IS_LISTED;
    lauka_event_suggest(wish->name, wish->root, near, sizeof near);
    if (!*near && strchr(wish->name, '.') && wish->list->find) {
        const char *missing = "";
        (void)wish->list->find(wish->list->context, wish->name, 0, &missing);
        return complain(wish, "unknown: %.380s", missing);
    }
    return complain(wish, "unknown%s%s; lauka list shows what there is", *near ? "; perhaps " : "",
                    near);
}

static bool parse_raw(const char *name, uint64_t *config)
{
    char *end;
    if (name[0] != 'r' || !isxdigit((unsigned char)name[1]) || strlen(name) > 17)
        return false;
    *config = strtoull(name + 1, &end, 16);
    return !*end;
}

/* Fills the event, and wish->name with its proper name. */
static bool resolve(struct wish *wish, struct lauka_event *event)
{
    const struct lauka_event *known = lauka_event_find(wish->name);
    uint64_t config;

    if (lauka_native_event(wish->name, event, wish->name, sizeof wish->name))
        return true;
    *event = (struct lauka_event){.unit = "1", .source = "perf_event"};
    if (known) {
        *event = *known;
        snprintf(wish->name, sizeof wish->name, "%s", known->name);
        if (event->type == LAUKA_TYPE_TRACEPOINT)
            return find_tracepoint(wish, event);
    } else if (lauka_cache_event_parse(wish->name, &config) && !find_owners(wish).cores) {
        event->type = LAUKA_TYPE_CACHE;
        event->config = config;
        event->description = "an event of a cache";
        lauka_cache_event_name(config, wish->name, sizeof wish->name);
    } else if (lauka_tracepoint_is(wish->name)) {
        event->description = "a tracepoint of the kernel";
        event->better = LAUKA_BETTER_LOWER;
        return find_tracepoint(wish, event);
    } else if (parse_raw(wish->name, &config)) {
        event->type = LAUKA_TYPE_RAW;
        event->config = config;
        event->description = "an event by its number";
        event->better = LAUKA_BETTER_NEITHER;
    } else {
        event->better = LAUKA_BETTER_NEITHER;
        return strchr(wish->name, '/') ? find_terms(wish, event) : find_in_sysfs(wish, event);
    }
    return true;
}

/* ---- The list ---- */

static bool is_listed(const struct lauka_event_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return true;
    return false;
}

static bool add_wish(struct lauka_event_list *list, struct wish *wish);

/* The listed event "slots" in the same modes, of the same PMU; NULL: it is not listed. */
static struct lauka_event *find_slots(struct lauka_event_list *list,
                                      const struct lauka_event *beside)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->events[i].leads && list->events[i].type == beside->type &&
            list->events[i].modes == beside->modes && list->events[i].worlds == beside->worlds)
            return &list->events[i];
    return NULL;
}

/* Before a top-down event, lists "slots" and puts both into one group. */
static bool lead_topdown(struct lauka_event_list *list, struct wish *wish,
                         const struct lauka_event *event)
{
    struct wish slots = *wish;
    if (wish->topdown != LAUKA_TOPDOWN_METRIC)
        return true;
    snprintf(slots.name, sizeof slots.name, "%s/slots/", wish->pmu);
    if (!find_slots(list, event) && !add_wish(list, &slots))
        return false;
    struct lauka_event *leader = find_slots(list, event);
    if (leader && !leader->group)
        leader->group = wish->group ? wish->group : ++list->groups;
    wish->group = leader ? leader->group : wish->group;
    return true;
}

static bool add_wish(struct lauka_event_list *list, struct wish *wish)
{
    struct lauka_event event;
    char name[LAUKA_EVENT_NAME_SIZE], ending[8];

    if (!resolve(wish, &event))
        return false;
    if (strcmp(event.source, "clock") == 0 || strcmp(event.source, "rusage") == 0)
        return !chooses_modes(wish) ||
               complain(wish, "it is measured without a counter, in all modes together");
    set_modes(wish, &event);
    name_modes(&event, ending);
    size_t length = strlen(wish->name);
    bool slashed = length > 0 && wish->name[length - 1] == '/';
    int written =
        snprintf(name, sizeof name, "%s%s%s", wish->name, *ending && !slashed ? ":" : "", ending);
    if (written < 0 || (size_t)written >= sizeof name)
        return complain(wish, "too long");
    if (is_listed(list, name))
        return true;
    if (!lead_topdown(list, wish, &event))
        return false;
    if (list->count == LAUKA_EVENTS_MAX)
        return complain(wish, "too many; 48 is the limit");
    event.group = wish->group;
    strcpy(list->names[list->count], name);
    event.name = list->names[list->count];
    list->events[list->count++] = event;
    return true;
}

/* The kinds of core that have an event of that name each, by sysfs or else by a vendor's tables. None if the name is
 * lauka's own, or other PMUs have it, too. */
static struct owners find_kinds(const struct wish *wish)
{
    struct owners owners = {0};
    uint64_t config;
    if (lauka_event_find(wish->name) || strchr(wish->name, '/'))
        return owners;
    owners = find_owners(wish);
    if (owners.count == 0 && !lauka_cache_event_parse(wish->name, &config) &&
        !parse_raw(wish->name, &config) && !lauka_tracepoint_is(wish->name))
        owners = find_listed_owners(wish);
    if (owners.others)
        owners.count = 0;
    return owners;
}

/* "topdown-retiring" if each kind of core has it: cpu_atom/topdown-retiring/ plus cpu_core's. */
static bool add_kinds(struct lauka_event_list *list, const struct wish *wish,
                      const struct owners *kinds)
{
    bool good = true;
    for (size_t k = 0; k < kinds->count && good; k++) {
        struct wish own = *wish;
        int length = snprintf(own.name, sizeof own.name, "%s/%s/", kinds->pmus[k], wish->name);
        good = (length > 0 && (size_t)length < sizeof own.name) || complain(wish, "too long");
        good = good && add_wish(list, &own);
    }
    return good;
}

/* Intel's events of the top-down method, by what a PMU of cores has: slots and their metrics, with level 2 where there is
 * one (Ice Lake and later); counts of slots (Skylake; E cores, which have no "slots"). */
enum { OF_METRICS = 9 }; /* the first ones of the table */
static const char *const topdown[] = {
    "slots",
    "topdown-retiring",
    "topdown-bad-spec",
    "topdown-fe-bound",
    "topdown-be-bound",
    "topdown-heavy-ops",
    "topdown-br-mispredict",
    "topdown-fetch-lat",
    "topdown-mem-bound",
    "topdown-total-slots",
    "topdown-slots-issued",
    "topdown-slots-retired",
    "topdown-fetch-bubbles",
    "topdown-recovery-bubbles",
};

/* Adds those that the PMU has, as one group. Sets *any. */
static bool add_topdown_of(struct lauka_event_list *list, const struct wish *wish, const char *pmu,
                           bool *any)
{
    const uint8_t group = wish->group ? wish->group : (uint8_t)(list->groups + 1);
    bool good = true, found = false;
    for (size_t n = 0; good && n < sizeof topdown / sizeof *topdown; n++) {
        struct wish own = *wish;
        if (n == OF_METRICS && found)
            break;
        own.group = group;
        snprintf(own.name, sizeof own.name, "%s", topdown[n]);
        if (!is_of_pmu(&own, pmu))
            continue;
        snprintf(own.name, sizeof own.name, "%.60s/%s/", pmu, topdown[n]);
        *any = found = true;
        good = add_wish(list, &own);
        list->groups = group > list->groups ? group : list->groups;
    }
    return good;
}

static bool add_topdown(struct lauka_event_list *list, const struct wish *wish)
{
    char **pmus = lauka_sysfs_list(wish->root, ".");
    bool any = false, good = true;
    for (char **pmu = pmus; pmu && *pmu && good; pmu++)
        if (lauka_sysfs_is_of_cores(wish->root, *pmu))
            good = add_topdown_of(list, wish, *pmu, &any);
    lauka_sysfs_free(pmus);
    return good && (any || complain(wish, "this machine's sysfs has no topdown- events; Intel's "
                                          "processors from Skylake on do, but not in most "
                                          "virtual machines"));
}

/* asked: `length` letters. */
static bool add(struct lauka_event_list *list, struct wish *wish, const char *asked, size_t length)
{
    snprintf(wish->name, sizeof wish->name, "%.*s", (int)(length < 1000 ? length : 1000), asked);
    if (length == 0 || length >= sizeof wish->name)
        return complain(wish, length == 0 ? "a name is missing" : "the name is too long");
    if (!take_modifiers(wish))
        return false;
    if (strcmp(wish->name, "topdown") == 0)
        return add_topdown(list, wish);
    const struct owners kinds = find_kinds(wish);
    return kinds.count > 1 ? add_kinds(list, wish, &kinds) : add_wish(list, wish);
}

/* Up to the next comma that is not between slashes. */
static size_t name_length(const char *text)
{
    bool inside = false;
    size_t length = 0;
    for (; text[length] && (inside || text[length] != ','); length++)
        inside ^= text[length] == '/';
    return length;
}

/* "{a,b}:u", with a modifier for all that have none. *at: at the brace; then behind it all. */
static bool add_group(struct lauka_event_list *list, const struct wish *about, const char **at)
{
    struct wish group = *about;
    const char *end = strchr(*at, '}'), *inside = *at + 1;
    size_t tail = end ? strcspn(end + 1, ",") : 0;
    snprintf(group.name, sizeof group.name, "%.*s", (int)(end ? end - *at + 1 : 60), *at);
    if (!end || memchr(inside, '{', (size_t)(end - inside)) || (tail > 0 && end[1] != ':'))
        return complain(&group, "a group is written {NAME,NAME}, or {NAME,NAME}:u");
    char letters[sizeof group.letters];
    snprintf(letters, sizeof letters, "%.*s", (int)(tail < sizeof letters ? tail : 0), end + 1);
    if (tail > 0 && !read_modifiers(&group, *letters ? letters + 1 : letters))
        return false;
    group.group = ++list->groups;
    *at = end + 1 + tail;
    for (bool more = true; more;) {
        struct wish wish = group;
        size_t length = name_length(inside), left = (size_t)(end - inside);
        more = length < left;
        if (!add(list, &wish, inside, more ? length : left))
            return false;
        inside += length + 1;
    }
    return true;
}

bool lauka_event_list_add(struct lauka_event_list *list, const char *names, const char *root,
                          char *text, size_t size)
{
    for (const char *at = names;; at++) {
        struct wish wish = {.list = list, .root = root, .text = text, .size = size};
        size_t length = name_length(at);
        if (*at == '{' ? !add_group(list, &wish, &at) : !add(list, &wish, at, length))
            return false;
        at += *at && *at != ',' ? length : 0;
        if (!*at)
            return true;
    }
}
