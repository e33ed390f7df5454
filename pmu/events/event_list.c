/* event_list: turns what was asked for into events: portable names, cache events, sysfs names, PMU/.../,
 * raw numbers. */
#include "pmu/events/events.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- suggest: the known names that are nearest to what was typed ------------------------------- */

enum { SUGGESTIONS = 3, LONGEST = LAUKA_EVENT_NAME_SIZE };

struct nearest {       /* the best names so far, nearest first */
    const char *typed; /* borrowed */
    size_t count;
    size_t distances[SUGGESTIONS];
    char names[SUGGESTIONS][LONGEST];
};

static char plain(char c)
{
    return c == '-' ? '_' : (char)tolower((unsigned char)c);
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t least_two = a < b ? a : b;
    return least_two < c ? least_two : c;
}

bool lauka_name_contains(const char *name, const char *part)
{
    for (; *name; name++) {
        size_t i = 0;
        while (part[i] && plain(name[i]) == plain(part[i]))
            i++;
        if (!part[i])
            return true;
    }
    return false;
}

size_t lauka_name_distance(const char *a, const char *b)
{
    size_t row[LONGEST + 1], length = strlen(b);
    if (length > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t replaced = diagonal + (plain(a[i]) != plain(b[j]));
            diagonal = row[j + 1];
            row[j + 1] = least(replaced, row[j] + 1, diagonal + 1);
        }
    }
    return row[length];
}

static void consider(struct nearest *nearest, const char *spelling, const char *name)
{
    size_t far = lauka_name_distance(spelling, nearest->typed);
    /* A part of a name is near, too: "tlb". */
    if (far > 1 && strlen(nearest->typed) >= 3 && lauka_name_contains(spelling, nearest->typed))
        far = 1;
    if (far > 1 + strlen(nearest->typed) / 4)
        return;
    for (size_t i = 0; i < nearest->count; i++)
        if (strcmp(nearest->names[i], name) == 0)
            return;
    size_t at = nearest->count < SUGGESTIONS ? nearest->count++ : SUGGESTIONS;
    for (; at > 0 && nearest->distances[at - 1] > far; at--) {
        if (at == SUGGESTIONS)
            continue;
        nearest->distances[at] = nearest->distances[at - 1];
        memcpy(nearest->names[at], nearest->names[at - 1], LONGEST);
    }
    if (at == SUGGESTIONS)
        return;
    nearest->distances[at] = far;
    snprintf(nearest->names[at], LONGEST, "%s", name);
}

static void consider_portable(struct nearest *nearest)
{
    const char *alias, *name;
    size_t count;
    const struct lauka_event *events = lauka_portable_events(&count);
    for (size_t i = 0; i < count; i++)
        consider(nearest, events[i].name, events[i].name);
    for (size_t i = 0; (alias = lauka_event_alias(i, &name)) != NULL; i++)
        consider(nearest, alias, name);
    uint64_t config;
    for (size_t i = 0; lauka_cache_event(i, &config); i++) {
        char own[LONGEST];
        lauka_cache_event_name(config, own, sizeof own);
        consider(nearest, own, own);
    }
}

static void consider_sysfs(struct nearest *nearest, const char *root)
{
    char **pmus = lauka_sysfs_list(root, ".");
    for (char **pmu = pmus; pmu && *pmu; pmu++) {
        char folder[512];
        snprintf(folder, sizeof folder, "%s/events", *pmu);
        char **events = lauka_sysfs_list(root, folder);
        for (char **event = events; event && *event; event++) {
            char name[LONGEST];
            snprintf(name, sizeof name, "%.60s/%.60s/", *pmu, *event);
            if (lauka_sysfs_is_event(*event) && !lauka_sysfs_is_system_wide(root, *pmu)) {
                consider(nearest, *event, name);
                consider(nearest, name, name);
            }
        }
        lauka_sysfs_free(events);
    }
    lauka_sysfs_free(pmus);
}

static void tell(const struct nearest *nearest, char *text, size_t size)
{
    size_t used = 0;

    if (size > 0)
        text[0] = '\0';
    for (size_t i = 0; i < nearest->count && used < size; i++) {
        const char *before = i == 0 ? "" : i + 1 < nearest->count ? ", " : " or ";
        int length = snprintf(text + used, size - used, "%s%s", before, nearest->names[i]);
        used += length > 0 ? (size_t)length : 0;
    }
}

void lauka_event_suggest(const char *typed, const char *root, char *text, size_t size)
{
    struct nearest nearest = {.typed = typed};

    consider_portable(&nearest);
    consider_sysfs(&nearest, root);
    tell(&nearest, text, size);
}

static void consider_system(struct nearest *nearest, const char *system)
{
    char **names = lauka_tracepoint_list(NULL, system);
    for (char **name = names; name && *name; name++) {
        char whole[LONGEST];
        int length = snprintf(whole, sizeof whole, "%s:%s", system, *name);
        if (length > 0 && (size_t)length < sizeof whole && lauka_tracepoint_is(whole))
            consider(nearest, whole, whole);
    }
    lauka_sysfs_free(names);
}

void lauka_tracepoint_suggest(const char *typed, char *text, size_t size)
{
    struct nearest nearest = {.typed = typed};
    char **systems = lauka_tracepoint_list(NULL, NULL);

    for (char **system = systems; system && *system; system++)
        consider_system(&nearest, *system);
    lauka_sysfs_free(systems);
    tell(&nearest, text, size);
}

/* ---- event list -------------------------------------------------------------------------------- */

struct wish {                         /* one event that is asked for */
    char name[LAUKA_EVENT_NAME_SIZE]; /* without its modifiers */
    char letters[32];                 /* its modifiers, its group's included */
    char pmu[64];                     /* that has it; empty: none was named */
    enum lauka_topdown topdown;       /* of the PMU's event */
    uint8_t group;                    /* 0: none */
    const char *root;                 /* borrowed */
    char *text;                       /* borrowed; why it cannot be */
    size_t size;
};

static bool complain(const struct wish *wish, const char *why)
{
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
    char near[300], why[400];
    event->name = wish->name;
    event->type = LAUKA_TYPE_TRACEPOINT;
    if (modes_of(wish) == LAUKA_MODES_USER)
        return complain(wish, "a tracepoint is in the kernel, and never in user mode");
    if (lauka_tracepoint_find(NULL, event) != ESRCH)
        return true;
    lauka_tracepoint_suggest(wish->name, near, sizeof near);
    snprintf(why, sizeof why,
             "the kernel has no such tracepoint%s%s; lauka list finds them by a part of a name",
             *near ? "; perhaps " : "", near);
    return complain(wish, why);
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

/* "cpu_core/event=0x3c/". Sets the name, if the terms have one. */
static bool find_terms(struct wish *wish, struct lauka_event *event)
{
    char copy[LAUKA_EVENT_NAME_SIZE], why[LAUKA_EVENT_NAME_SIZE + 200];
    strcpy(copy, wish->name);
    char *slash = strchr(copy, '/'), *end = strrchr(copy, '/');
    *slash = *end = '\0';
    snprintf(wish->pmu, sizeof wish->pmu, "%s", copy);
    if (!lauka_sysfs_event(wish->root, copy, slash + 1, event, why, sizeof why) &&
        !find_generic(wish, slash + 1, event))
        return complain(wish, why);
    if (lauka_sysfs_is_system_wide(wish->root, copy))
        return complain(wish, "this PMU counts whole CPUs, never a command alone");
    event->description = "an event of one PMU, described by the kernel";
    event->of_one_pmu = true;
    event->of_cores = lauka_sysfs_is_of_cores(wish->root, copy);
    event->scale = lauka_sysfs_scale(wish->root, copy, slash + 1);
    wish->topdown = lauka_sysfs_topdown(wish->root, copy, event);
    event->leads = wish->topdown == LAUKA_TOPDOWN_SLOTS;
    return take_label(wish, slash + 1);
}

/* Whether the PMU has an event of exactly that name. */
static bool is_of_pmu(const struct wish *wish, const char *pmu)
{
    char file[512], ignored[512];
    snprintf(file, sizeof file, "%s/events/%s", pmu, wish->name);
    return !strchr(wish->name, '/') && lauka_sysfs_read(wish->root, file, ignored, sizeof ignored);
}

static bool is_of_a_core(const struct wish *wish)
{
    bool found = false;
    char **pmus = lauka_sysfs_list(wish->root, ".");
    for (char **pmu = pmus; pmu && *pmu && !found; pmu++)
        found = lauka_sysfs_is_of_cores(wish->root, *pmu) && is_of_pmu(wish, *pmu);
    lauka_sysfs_free(pmus);
    return found;
}

/* The PMUs that have an event of that name. */
static size_t find_owners(const struct wish *wish, char *first, char *second, size_t size)
{
    char **pmus = lauka_sysfs_list(wish->root, ".");
    size_t count = 0;
    for (char **pmu = pmus; pmu && *pmu; pmu++) {
        if (!is_of_pmu(wish, *pmu))
            continue;
        if (count < 2)
            snprintf(count == 0 ? first : second, size, "%s", *pmu);
        count++;
    }
    lauka_sysfs_free(pmus);
    return count;
}

/* "inst_retired": in events/ of a PMU. Sets the full name. */
static bool find_in_sysfs(struct wish *wish, struct lauka_event *event)
{
    char first[100] = "", second[100] = "", why[400], near[300];
    size_t count = find_owners(wish, first, second, sizeof first);
    if (count == 1 && strlen(first) + strlen(wish->name) + 3 <= sizeof wish->name) {
        char name[LAUKA_EVENT_NAME_SIZE];
        strcpy(name, wish->name);
        snprintf(wish->name, sizeof wish->name, "%.60s/%.60s/", first, name);
        return find_terms(wish, event);
    }
    if (count > 1) {
        snprintf(why, sizeof why, "more than one PMU has it: %s/%.60s/, %s/%.60s/", first,
                 wish->name, second, wish->name);
        return complain(wish, why);
    }
    lauka_event_suggest(wish->name, wish->root, near, sizeof near);
    if (!*near && strchr(wish->name, '.'))
        return complain(
            wish, "unknown; lauka has no tables of a vendor's names: write its numbers, as in "
                  "cpu/event=0xc0,umask=0x01,name=retired/");
    snprintf(why, sizeof why, "unknown%s%s; lauka list shows what there is",
             *near ? "; perhaps " : "", near);
    return complain(wish, why);
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
    } else if (lauka_cache_event_parse(wish->name, &config) && !is_of_a_core(wish)) {
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

/* An event that is not lauka's own and belongs to several PMUs, each of one kind of core. */
static bool is_of_kinds(const struct wish *wish)
{
    size_t count = 0;
    bool alien = lauka_event_find(wish->name) || strchr(wish->name, '/');
    char **pmus = alien ? NULL : lauka_sysfs_list(wish->root, ".");
    for (char **pmu = pmus; pmu && *pmu; pmu++) {
        if (!is_of_pmu(wish, *pmu))
            continue;
        alien = alien || !lauka_sysfs_is_of_cores(wish->root, *pmu);
        count++;
    }
    lauka_sysfs_free(pmus);
    return count > 1 && !alien;
}

/* "topdown-retiring" if each kind of core has it: cpu_atom/topdown-retiring/ plus cpu_core's. */
static bool add_kinds(struct lauka_event_list *list, const struct wish *wish)
{
    bool good = true;
    char **pmus = lauka_sysfs_list(wish->root, ".");
    for (char **pmu = pmus; pmu && *pmu && good; pmu++) {
        struct wish own = *wish;
        if (!is_of_pmu(wish, *pmu))
            continue;
        int length = snprintf(own.name, sizeof own.name, "%.60s/%.60s/", *pmu, wish->name);
        good = (length > 0 && (size_t)length < sizeof own.name) || complain(wish, "too long");
        good = good && add_wish(list, &own);
    }
    lauka_sysfs_free(pmus);
    return good;
}

/* asked: `length` letters. */
static bool add(struct lauka_event_list *list, struct wish *wish, const char *asked, size_t length)
{
    snprintf(wish->name, sizeof wish->name, "%.*s", (int)(length < 1000 ? length : 1000), asked);
    if (length == 0 || length >= sizeof wish->name)
        return complain(wish, length == 0 ? "a name is missing" : "the name is too long");
    if (!take_modifiers(wish))
        return false;
    return is_of_kinds(wish) ? add_kinds(list, wish) : add_wish(list, wish);
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
        struct wish wish = {.root = root, .text = text, .size = size};
        size_t length = name_length(at);
        if (*at == '{' ? !add_group(list, &wish, &at) : !add(list, &wish, at, length))
            return false;
        at += *at && *at != ',' ? length : 0;
        if (!*at)
            return true;
    }
}
