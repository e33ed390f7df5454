/* What can be counted here: every event that lauka knows or the kernel describes, and whether it
 * opened just now. */
#include "runner/runner.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    const struct lauka_options *options; /* borrowed */
    FILE *out;
    size_t shown;
};

/* ---- one event ------------------------------------------------------------------------------------ */

struct entry {
    const char *name, *unit, *pmu, *description; /* borrowed */
    bool countable;
    bool user_only;
    const char *why; /* borrowed; where it is not countable */
};

static bool contains(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && (tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]) ||
                           (text[i] == '_' && part[i] == '-')))
            i++;
        if (!part[i])
            return true;
    }
    return false;
}

static bool is_wanted(const struct listing *listing, const char *name, const char *description)
{
    const char *pattern = listing->options->pattern;

    return !pattern || !*pattern || contains(name, pattern) || contains(description, pattern);
}

static void print_json_text(const char *key, const char *text, FILE *out)
{
    fprintf(out, "\"%s\":\"", key);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

static void print_json(const struct listing *listing, const struct entry *entry)
{
    FILE *out = listing->out;

    fputs(listing->shown > 0 ? ",\n  {" : "\n  {", out);
    print_json_text("name", entry->name, out);
    fputc(',', out);
    print_json_text("unit", entry->unit, out);
    fputc(',', out);
    print_json_text("pmu", entry->pmu, out);
    fputc(',', out);
    print_json_text("description", entry->description, out);
    fprintf(out, ",\"countable\":%s,\"user_only\":%s,", entry->countable ? "true" : "false",
            entry->user_only ? "true" : "false");
    if (entry->why)
        print_json_text("reason", entry->why, out);
    else
        fputs("\"reason\":null", out);
    fputc('}', out);
}

static void print_row(const struct listing *listing, const struct entry *entry)
{
    const char *mark = !entry->countable ? "no" : entry->user_only ? "yes, :u" : "yes";

    if (listing->shown == 0)
        fprintf(listing->out, "%-7s  %-32s  %-4s  %-10s  %s\n", "counts", "name", "unit", "pmu",
                "description");
    fprintf(listing->out, "%-7s  %-32s  %-4s  %-10s  %s%s%s\n", mark, entry->name, entry->unit,
            entry->pmu, entry->description, entry->why ? "; not here: " : "",
            entry->why ? entry->why : "");
}

static void show(struct listing *listing, const struct entry *entry)
{
    if (listing->options->outputs[LAUKA_DOCUMENT_JSON].wanted)
        print_json(listing, entry);
    else
        print_row(listing, entry);
    listing->shown++;
}

/* "cannot count NAME: REASON; WHAT TO DO" -> REASON */
static const char *reason_of(char *advice)
{
    char *reason = strstr(advice, ": ");

    if (!reason)
        return advice;
    reason[strcspn(reason, ";")] = '\0';
    return reason + 2;
}

static void try_event(struct listing *listing, const struct lauka_event *event, const char *pmu)
{
    struct lauka_counters counters;
    char advice[700];
    struct entry entry = {.name = event->name, .unit = event->unit, .pmu = pmu,
                          .description = event->description};

    if (!is_wanted(listing, event->name, event->description))
        return;
    /* Beside the commonest one, which tells a CPU without the event from a machine without any. */
    size_t ignored;
    const struct lauka_event both[] = {*event, *lauka_default_events(&ignored)};
    if (listing->options->simulated)
        lauka_simulated_open(&counters, listing->options->scenario, both, 2);
    else
        lauka_counters_open(&counters, both, 2);
    entry.countable = counters.errors[0] == 0;
    lauka_counters_advice(&counters, advice, sizeof advice);
    entry.user_only = counters.user_only;
    entry.why = entry.countable ? NULL : reason_of(advice);
    if (!listing->options->simulated)
        lauka_counters_close(&counters);
    show(listing, &entry);
}

/* ---- all events ----------------------------------------------------------------------------------- */

static void list_usage(struct listing *listing)
{
    for (size_t i = 0; i < LAUKA_USAGE_METRICS; i++) {
        const struct lauka_event *event = &lauka_usage_events()[i];
        struct entry entry = {.name = event->name, .unit = event->unit, .pmu = event->source,
                              .description = event->description, .countable = true};
        if (is_wanted(listing, event->name, event->description))
            show(listing, &entry);
    }
}

static void list_portable(struct listing *listing)
{
    size_t count;
    const struct lauka_event *events = lauka_portable_events(&count);

    for (size_t i = 0; i < count; i++)
        try_event(listing, &events[i],
                  events[i].type == LAUKA_TYPE_SOFTWARE ? "kernel" : "cpu");
}

static void list_caches(struct listing *listing)
{
    uint64_t config;

    for (size_t i = 0; lauka_cache_event(i, &config); i++) {
        char name[LAUKA_EVENT_NAME_SIZE], description[LAUKA_EVENT_NAME_SIZE];
        lauka_cache_event_name(config, name, sizeof name);
        lauka_cache_event_describe(config, description, sizeof description);
        struct lauka_event event = {.name = name, .unit = "1", .description = description,
                                    .type = LAUKA_TYPE_CACHE, .config = config};
        try_event(listing, &event, "cpu");
    }
}

/* Beside an event lie files that say its unit and scale. */
static bool is_event_file(const char *name)
{
    return !strstr(name, ".scale") && !strstr(name, ".unit") && !strstr(name, ".snapshot") &&
           !strstr(name, ".per-pkg");
}

static void list_described(struct listing *listing, const char *pmu, const char *event_name)
{
    char name[LAUKA_EVENT_NAME_SIZE], terms[300], why[400];
    struct lauka_event event = {.name = name, .unit = "1"};

    if (snprintf(name, sizeof name, "%s/%s/", pmu, event_name) >= (int)sizeof name)
        return;
    snprintf(terms, sizeof terms, "%s/events/%s", pmu, event_name);
    char text[300];
    if (!lauka_sysfs_read(LAUKA_SYSFS, terms, text, sizeof text))
        return;
    event.description = text;
    bool good = lauka_sysfs_event(LAUKA_SYSFS, pmu, event_name, &event, why, sizeof why);
    if (good && !lauka_sysfs_is_system_wide(LAUKA_SYSFS, pmu)) {
        try_event(listing, &event, pmu);
        return;
    }
    struct entry entry = {.name = name, .unit = "1", .pmu = pmu, .description = text,
                          .why = good ? "it counts whole CPUs, never a command alone" : why};
    if (is_wanted(listing, name, text))
        show(listing, &entry);
}

static void list_sysfs(struct listing *listing)
{
    char **pmus = lauka_sysfs_list(LAUKA_SYSFS, ".");

    for (char **pmu = pmus; pmu && *pmu; pmu++) {
        char folder[300];
        snprintf(folder, sizeof folder, "%s/events", *pmu);
        char **events = lauka_sysfs_list(LAUKA_SYSFS, folder);
        for (char **event = events; event && *event; event++)
            if (is_event_file(*event))
                list_described(listing, *pmu, *event);
        lauka_sysfs_free(events);
    }
    lauka_sysfs_free(pmus);
}

bool lauka_list_events(const struct lauka_options *options, FILE *out, struct lauka_error *error)
{
    struct listing listing = {.options = options, .out = out};
    bool json = options->outputs[LAUKA_DOCUMENT_JSON].wanted;

    if (json && options->outputs[LAUKA_DOCUMENT_JSON].path)
        return lauka_fail(error, LAUKA_EXIT_USAGE, "lauka list --json writes to stdout only");
    if (options->chip)
        return lauka_list_chip(options, out, error);
    if (json)
        fputc('[', out);
    list_usage(&listing);
    list_portable(&listing);
    list_caches(&listing);
    if (!options->simulated)
        list_sysfs(&listing);
    if (json)
        fputs(listing.shown > 0 ? "\n]\n" : "]\n", out);
    else if (listing.shown == 0)
        return lauka_fail(error, LAUKA_EXIT_HOST, "no event matches \"%.100s\"; lauka list shows all",
                          options->pattern ? options->pattern : "");
    return fflush(out) == 0 || lauka_fail(error, LAUKA_EXIT_INTERNAL, "cannot write to stdout: %s",
                                          strerror(errno));
}
