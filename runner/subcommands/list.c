/* What can be counted here: every event that lauka knows or the kernel describes, and whether it could
 * just be opened. */
#include "runner/subcommands/subcommands.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"
#include "runner/options/options.h"
#include "report/json/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct listed { /* one event of the list */
    char name[LAUKA_EVENT_NAME_SIZE];
    char pmu[64];
    char description[300];
    char why[700];    /* it is not counted here: "reason; advice"; empty where it is */
    const char *unit; /* static */
    bool user_only;
};

/* ---- how a list of events is shown ------------------------------------------------------------ */

/* Longer names have a line of their own. */
enum { NAME_WIDTH = 23, UNIT_WIDTH = 2, INDENT = 2 };

/* Where there is less room beside them, descriptions have lines of their own. */
enum { DESCRIPTION_WIDTH = 25, DESCRIPTION_INDENT = 4 };

static int print_listed_json(const struct listed *events, size_t count, FILE *out)
{
    struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_ROWS, out);

    lauka_document_array(&document, NULL);
    for (size_t i = 0; i < count; i++) {
        const struct listed *event = &events[i];
        lauka_document_object(&document, NULL);
        lauka_document_text(&document, "name", event->name);
        lauka_document_text(&document, "unit", event->unit);
        lauka_document_text(&document, "pmu", event->pmu);
        lauka_document_text(&document, "description", event->description);
        lauka_document_bool(&document, "countable", !*event->why);
        lauka_document_bool(&document, "user_only", event->user_only);
        lauka_document_text(&document, "reason", *event->why ? event->why : NULL);
        lauka_document_end(&document);
    }
    lauka_document_end(&document);
    return lauka_document_finish(&document);
}

struct sheet {
    const struct listed *events; /* borrowed */
    size_t count;
    struct lauka_terminal terminal;
    FILE *out;
};

static void print_row(const struct sheet *sheet, const struct listed *event)
{
    int indent = INDENT + NAME_WIDTH + 2 + UNIT_WIDTH + 2;
    int width = lauka_display_width(event->name), padding = NAME_WIDTH - width;

    fprintf(sheet->out, "%*s", INDENT, "");
    lauka_print_safely(event->name, sheet->terminal.utf8, sheet->out);
    if (sheet->terminal.width < indent + DESCRIPTION_WIDTH) {
        indent = DESCRIPTION_INDENT;
        fprintf(sheet->out, "  %s\n%*s", event->unit, indent, "");
    } else {
        if (padding < 0) {
            fputc('\n', sheet->out);
            padding = INDENT + NAME_WIDTH;
        }
        fprintf(sheet->out, "%*s  %-*s  ", padding, "", UNIT_WIDTH, event->unit);
    }
    lauka_print_wrapped(event->description, indent, sheet->terminal.width, sheet->terminal.utf8,
                        sheet->out);
}

static bool needs_no_counter(const struct listed *event)
{
    return strcmp(event->pmu, "clock") == 0 || strcmp(event->pmu, "rusage") == 0;
}

static bool same_group(const struct listed *a, const struct listed *b)
{
    if (*a->why || *b->why)
        return strcmp(a->why, b->why) == 0;
    return (needs_no_counter(a) && needs_no_counter(b)) ||
           (strcmp(a->pmu, b->pmu) == 0 && a->user_only == b->user_only);
}

static bool opens_group(const struct sheet *sheet, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (same_group(&sheet->events[i], &sheet->events[index]))
            return false;
    return true;
}

/* "cpu", "armv8_cortex_a53, armv8_cortex_a72": the PMUs of the group that an event opens. */
static void name_pmus(const struct sheet *sheet, size_t first, char *text, size_t size)
{
    size_t used = 0;
    const char *last = "";

    for (size_t i = first; i < sheet->count && used < size; i++) {
        const struct listed *event = &sheet->events[i];
        if (!same_group(event, &sheet->events[first]) || strcmp(event->pmu, last) == 0)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", event->pmu);
        last = event->pmu;
    }
}

static void print_heading(const struct sheet *sheet, size_t first)
{
    const struct listed *event = &sheet->events[first];
    char pmus[300], text[1200];

    name_pmus(sheet, first, pmus, sizeof pmus);
    if (*event->why)
        snprintf(text, sizeof text, "%s: not here: %s", pmus, event->why);
    else if (needs_no_counter(event))
        snprintf(text, sizeof text, "%s: measured of every run, without a counter", pmus);
    else
        snprintf(text, sizeof text, "%s: can be counted here%s", pmus,
                 event->user_only ? ", in user mode only (:u)" : "");
    fputs(lauka_style_begin(LAUKA_STYLE_HEADING, sheet->terminal), sheet->out);
    lauka_print_wrapped(text, 0, sheet->terminal.width, sheet->terminal.utf8, sheet->out);
    fputs(lauka_style_end(LAUKA_STYLE_HEADING, sheet->terminal), sheet->out);
}

static void print_group(const struct sheet *sheet, size_t first)
{
    print_heading(sheet, first);
    for (size_t i = first; i < sheet->count; i++)
        if (same_group(&sheet->events[i], &sheet->events[first]))
            print_row(sheet, &sheet->events[i]);
}

/* First what can be counted, PMU by PMU, then what cannot, each reason once above the events that it prevents from being
 * counted. */
static void print_listed(const struct listed *events, size_t count, struct lauka_terminal terminal,
                         FILE *out)
{
    struct sheet sheet = {events, count, terminal, out};
    bool any = false;

    for (int refused = 0; refused <= 1; refused++)
        for (size_t i = 0; i < count; i++) {
            if ((*events[i].why != '\0') != refused || !opens_group(&sheet, i))
                continue;
            fputs(any ? "\n" : "", out);
            print_group(&sheet, i);
            any = true;
        }
}

/* ---- what can be counted here ----------------------------------------------------------------- */

struct listing {
    struct lauka_options *options; /* borrowed */
    struct listed *events;         /* of the arena of the options */
    size_t count;
    bool incomplete;   /* there was no memory */
    const char *exact; /* borrowed: the only name that is wanted; NULL: see the pattern */
};

/* ---- one event ------------------------------------------------------------------------------------ */

static bool is_wanted(const struct listing *listing, const char *name, const char *description)
{
    const char *pattern = listing->options->run.pattern;

    if (listing->exact)
        return lauka_same_name(name, listing->exact);
    return !pattern || !*pattern || lauka_name_contains(name, pattern) ||
           lauka_name_contains(description, pattern);
}

/* What can be counted where why is empty. */
static void add(struct listing *listing, const struct lauka_event *event, const char *pmu,
                const char *why, bool user_only)
{
    struct listed *to =
        lauka_arena_add(listing->options->arena, &listing->events, &listing->count, sizeof *to);

    listing->incomplete |= !to;
    if (!to)
        return;
    snprintf(to->name, sizeof to->name, "%s", event->name);
    snprintf(to->pmu, sizeof to->pmu, "%s", pmu);
    snprintf(to->description, sizeof to->description, "%s", event->description);
    snprintf(to->why, sizeof to->why, "%s", why);
    to->unit = event->unit;
    to->user_only = user_only;
}

/* Advice for a measurement does not help someone who only looks: there is no --counters here. */
void lauka_leave_out_valgrind(char *text)
{
    static const char advice[] = "; try --counters=valgrind";
    char *place = strstr(text, advice);

    if (place)
        memmove(place, place + strlen(advice), strlen(place + strlen(advice)) + 1);
}

/* "cannot count NAME, OTHER: REASON; WHAT TO DO" -> "REASON; WHAT TO DO" */
static const char *reason_of(const char *advice)
{
    const char *reason = strstr(advice, ": ");

    return reason ? reason + 2 : advice;
}

/* A top-down event is tried behind "slots", which leads its group. */
static void put_slots(const char *pmu, struct lauka_event both[2])
{
    char why[400];

    both[1] = (struct lauka_event){.name = "slots", .of_one_pmu = true, .leads = true};
    (void)lauka_sysfs_event(LAUKA_SYSFS, pmu, "slots", &both[1], why, sizeof why);
    both[0].of_cores = both[1].of_cores = true;
    both[0].group = both[1].group = 1;
}

static void try_event(struct listing *listing, const struct lauka_event *event, const char *pmu)
{
    static struct lauka_counters counters;
    char advice[700];

    if (!is_wanted(listing, event->name, event->description))
        return;
    /* Tried beside the most common event, which distinguishes a CPU without the event from a machine
     * without any. */
    size_t ignored;
    struct lauka_event both[] = {*event, *lauka_default_events(&ignored)};
    if (!listing->options->measure.pretended &&
        lauka_sysfs_topdown(LAUKA_SYSFS, pmu, event) == LAUKA_TOPDOWN_METRIC)
        put_slots(pmu, both);
    if (listing->options->measure.pretended)
        lauka_pretended_open(&counters, listing->options->measure.scenario, both, 2);
    else
        lauka_counters_open(&counters, both, 2);
    lauka_counters_advice(&counters, advice, sizeof advice);
    lauka_leave_out_valgrind(advice);
    bool counted = counters.errors[0] == 0;
    add(listing, event, pmu, counted ? "" : reason_of(advice), counted && counters.user_only);
    if (!listing->options->measure.pretended)
        lauka_counters_close(&counters);
}

/* ---- all events ----------------------------------------------------------------------------------- */

static void list_usage(struct listing *listing)
{
    for (size_t i = 0; i < LAUKA_USAGE_METRICS; i++) {
        const struct lauka_event *event = &lauka_usage_events()[i];
        if (is_wanted(listing, event->name, event->description))
            add(listing, event, event->source, "", false);
    }
}

static void list_portable(struct listing *listing)
{
    size_t count;
    const struct lauka_event *events = lauka_portable_events(&count);

    for (size_t i = 0; i < count; i++) {
        struct lauka_event event = events[i];
        if (!listing->options->measure.pretended)
            event.description = lauka_event_description(&event, LAUKA_SYSFS, "/proc");
        bool hardware = event.type != LAUKA_TYPE_SOFTWARE && event.type != LAUKA_TYPE_TRACEPOINT;
        if (event.type == LAUKA_TYPE_TRACEPOINT)
            (void)lauka_tracepoint_find(NULL, &event);
        try_event(listing, &event, hardware ? "cpu" : "kernel");
    }
}

static void list_caches(struct listing *listing)
{
    uint64_t config;

    for (size_t i = 0; lauka_cache_event(i, &config); i++) {
        char name[LAUKA_EVENT_NAME_SIZE], description[LAUKA_EVENT_NAME_SIZE];
        lauka_cache_event_name(config, name, sizeof name);
        lauka_cache_event_describe(config, description, sizeof description);
        struct lauka_event event = {.name = name,
                                    .unit = "1",
                                    .description = description,
                                    .type = LAUKA_TYPE_CACHE,
                                    .config = config};
        try_event(listing, &event, "cpu");
    }
}

static void list_described(struct listing *listing, const char *pmu, const char *event_name)
{
    char name[LAUKA_EVENT_NAME_SIZE], terms[300], why[400];
    struct lauka_event event = {.name = name, .unit = "1", .of_one_pmu = true};

    if (snprintf(name, sizeof name, "%s/%s/", pmu, event_name) >= (int)sizeof name)
        return;
    snprintf(terms, sizeof terms, "%s/events/%s", pmu, event_name);
    char text[300];
    if (!lauka_sysfs_read(LAUKA_SYSFS, terms, text, sizeof text))
        return;
    event.description = text;
    bool good = lauka_sysfs_event(LAUKA_SYSFS, pmu, event_name, &event, why, sizeof why);
    event.of_machine = lauka_sysfs_is_system_wide(LAUKA_SYSFS, pmu);
    lauka_sysfs_measure(LAUKA_SYSFS, pmu, event_name, &event);
    if (event.of_machine)
        strncat(text, ", of the whole machine", sizeof text - strlen(text) - 1);
    if (good)
        try_event(listing, &event, pmu);
    else if (is_wanted(listing, name, text))
        add(listing, &event, pmu, why, false);
}

static void list_sysfs(struct listing *listing)
{
    char **pmus = lauka_sysfs_list(LAUKA_SYSFS, ".");

    for (char **pmu = pmus; pmu && *pmu; pmu++) {
        char folder[300];
        snprintf(folder, sizeof folder, "%s/events", *pmu);
        char **events = lauka_sysfs_list(LAUKA_SYSFS, folder);
        for (char **event = events; event && *event; event++)
            if (lauka_sysfs_is_event(*event))
                list_described(listing, *pmu, *event);
        lauka_sysfs_free(events);
    }
    lauka_sysfs_free(pmus);
}

/* There are thousands: shows those that match the pattern. If the first can be counted, all can; trying
 * each would make the kernel patch its code each time. */
static void list_system(struct listing *listing, const char *system, struct listed *first)
{
    char **names = lauka_tracepoint_list(NULL, system);

    for (char **own = names; own && *own; own++) {
        char name[LAUKA_EVENT_NAME_SIZE];
        struct lauka_event event = {.name = name,
                                    .unit = "1",
                                    .description = "a tracepoint of the kernel",
                                    .type = LAUKA_TYPE_TRACEPOINT};
        int length = snprintf(name, sizeof name, "%s:%s", system, *own);
        if (length < 0 || (size_t)length >= sizeof name || !lauka_tracepoint_is(name) ||
            !is_wanted(listing, name, "") || lauka_tracepoint_find(NULL, &event) == ESRCH)
            continue;
        if (*first->name) {
            add(listing, &event, "tracepoint", first->why, first->user_only);
            continue;
        }
        try_event(listing, &event, "tracepoint");
        if (listing->count > 0)
            *first = listing->events[listing->count - 1];
    }
    lauka_sysfs_free(names);
}

static void list_tracepoints(struct listing *listing)
{
    struct listed first = {0};
    const char *pattern = listing->options->run.pattern;
    char **systems =
        pattern && *pattern && !listing->exact ? lauka_tracepoint_list(NULL, NULL) : NULL;

    for (char **system = systems; system && *system; system++)
        list_system(listing, *system, &first);
    lauka_sysfs_free(systems);
}

/* Thousands, too. Tried one by one, because some need what this processor lacks. */
static void list_vendor(struct listing *listing)
{
    const char *pattern = listing->options->run.pattern;
    const struct lauka_vendor_event *events;
    size_t count = 0;

    if (pattern && *pattern && !lauka_event_tables_read(listing->options, &events, &count))
        listing->incomplete = true;
    for (size_t e = 0; e < count; e++) {
        char text[400], why[400];
        struct lauka_event event = {.name = events[e].name,
                                    .unit = "1",
                                    .description = text,
                                    .of_one_pmu = true,
                                    .of_cores = true};
        if (!is_wanted(listing, events[e].name, events[e].description))
            continue;
        bool good =
            lauka_sysfs_event(LAUKA_SYSFS, events[e].pmu, events[e].terms, &event, why, sizeof why);
        snprintf(text, sizeof text, "%.250s (%s/%s/)", events[e].description, events[e].pmu,
                 events[e].terms);
        if (good)
            try_event(listing, &event, events[e].pmu);
        else
            add(listing, &event, events[e].pmu, why, false);
    }
}

static void list_all(struct listing *listing)
{
    list_usage(listing);
    list_portable(listing);
    list_caches(listing);
    if (listing->options->measure.pretended)
        return;
    list_sysfs(listing);
    list_vendor(listing);
    list_tracepoints(listing);
}

/* A pattern in no name and no description may be a synonym: "cpu-cycles". */
static void list_alias(struct listing *listing)
{
    const char *pattern = listing->options->run.pattern;
    const struct lauka_event *event = pattern ? lauka_event_find(pattern) : NULL;
    char name[LAUKA_EVENT_NAME_SIZE];
    uint64_t config;

    if (event)
        listing->exact = event->name;
    else if (pattern && lauka_cache_event_parse(pattern, &config)) {
        lauka_cache_event_name(config, name, sizeof name);
        listing->exact = name;
    }
    if (listing->exact)
        list_all(listing);
    listing->exact = NULL;
}

static bool fail_unknown(struct lauka_options *options, const char *pattern,
                         struct lauka_error *error)
{
    const char *missing = "";
    char near[3 * LAUKA_EVENT_NAME_SIZE];

    lauka_event_suggest(pattern, LAUKA_SYSFS, near, sizeof near);
    if (lauka_tracepoint_is(pattern))
        lauka_tracepoint_suggest(pattern, near, sizeof near);
    char **systems = strchr(pattern, ':') ? lauka_tracepoint_list(NULL, NULL) : NULL;
    if (strchr(pattern, ':') && !systems)
        return lauka_fail(error, LAUKA_EXIT_HOST,
                          "no event matches \"%.100s\": tracepoints are in tracefs "
                          "(/sys/kernel/tracing), which is not mounted or may not be read by this "
                          "user; run lauka list as root",
                          pattern);
    lauka_sysfs_free(systems);
    if (!*near && strchr(pattern, '.')) /* as vendors' names have it */
        (void)lauka_event_tables_find(options, pattern, 0, &missing);
    return lauka_fail(error, LAUKA_EXIT_HOST,
                      "no event matches \"%.100s\"%s%s%s%s; lauka list shows all", pattern,
                      *near ? "; perhaps " : "", near, *missing ? ": " : "", missing);
}

static bool print(const struct listing *listing, FILE *out, struct lauka_error *error)
{
    const char *pattern = listing->options->run.pattern;
    int failure;

    if (listing->incomplete)
        return lauka_fail(error, LAUKA_EXIT_INTERNAL, "out of memory for the list of events");
    errno = 0;
    if (listing->options->write.outputs[LAUKA_DOCUMENT_JSON].wanted) {
        failure = print_listed_json(listing->events, listing->count, out);
    } else {
        if (listing->count > 0)
            print_listed(listing->events, listing->count,
                         lauka_terminal_detect(STDOUT_FILENO, listing->options->write.color), out);
        if (!pattern && !listing->options->measure.pretended)
            fputs("\ntracepoints of the kernel (SYSTEM:NAME): lauka list PART finds them, as lauka "
                  "list sched\n",
                  out);
        size_t shown = listing->options->measure.pretended ? 0 : lauka_list_own_chip(pattern, out);
        if (listing->count + shown == 0)
            return fail_unknown(listing->options, pattern ? pattern : "", error);
        failure = lauka_finish(out);
    }
    return !failure || lauka_fail_stdout(error, failure);
}

bool lauka_list_events(struct lauka_options *options, FILE *out, struct lauka_error *error)
{
    struct listing listing = {.options = options};
    const struct lauka_output *json = &options->write.outputs[LAUKA_DOCUMENT_JSON];

    if (json->wanted && json->path)
        return lauka_misuse(error, "lauka list --json writes to stdout only");
    if (options->run.chip)
        return lauka_list_chip(options, out, error);
    list_all(&listing);
    if (listing.count == 0)
        list_alias(&listing);
    return print(&listing, out, error);
}
