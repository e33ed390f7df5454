/* What can be counted on a chip of Apple's: a planning tool, which works on any machine. Events are
 * grouped by the counters that suit them, the fewest first, which shows which events exclude each other. */
#include "runner/subcommands/subcommands.h"
#include "pmu/apple/apple.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/json/json.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct chip_listing {
    const struct lauka_apple_chip *chip; /* borrowed */
    const char *pattern;                 /* borrowed; NULL: everything */
    const char
        *exact; /* borrowed: another name of the one that is meant; NULL: the pattern counts */
    struct lauka_json_document *document; /* borrowed; NULL: for people */
    FILE *out;
    size_t shown;
};

static unsigned count_counters(uint16_t mask)
{
    unsigned count = 0;

    for (; mask; mask &= (uint16_t)(mask - 1))
        count++;
    return count;
}

static bool is_wanted(const struct chip_listing *listing, const struct lauka_apple_event *event)
{
    const char *portable = lauka_apple_portable(event->name), *meant;

    for (size_t i = 0; listing->exact && (meant = lauka_apple_name(listing->exact, i)); i++)
        if (strcmp(meant, event->name) == 0)
            return true;
    if (listing->exact)
        return false;
    return !listing->pattern || !*listing->pattern ||
           lauka_name_contains(event->name, listing->pattern) ||
           (portable && lauka_name_contains(portable, listing->pattern));
}

static bool has_wanted(const struct chip_listing *listing)
{
    struct lauka_apple_event event;

    for (size_t i = 0; lauka_apple_event(listing->chip, i, &event); i++)
        if (is_wanted(listing, &event))
            return true;
    return false;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static void add_json(struct chip_listing *listing, const struct lauka_apple_event *event)
{
    struct lauka_json_document *document = listing->document;

    lauka_document_object(document, NULL);
    lauka_document_text(document, "chip", listing->chip->name);
    lauka_document_text(document, "name", event->name);
    lauka_document_integer(document, "number", event->number);
    if (event->mask) {
        lauka_document_array(document, "counters");
        for (unsigned i = 0; i < LAUKA_APPLE_COUNTERS; i++)
            if (event->mask >> i & 1)
                lauka_document_integer(document, NULL, i);
        lauka_document_end(document);
    } else {
        lauka_document_null(document, "counters");
    }
    lauka_document_text(document, "portable", lauka_apple_portable(event->name));
    lauka_document_end(document);
}

static void print_row(const struct chip_listing *listing, const struct lauka_apple_event *event)
{
    const char *portable = lauka_apple_portable(event->name);
    char number[16] = "fixed";

    if (!(event->mask & LAUKA_APPLE_FIXED_MASK))
        snprintf(number, sizeof number, "0x%x", event->number);
    fprintf(listing->out, "  %-6s  %-*s%s\n", number, portable ? 40 : 0, event->name,
            portable ? portable : "");
}

/* ---- groups ----------------------------------------------------------------------------------- */

/* The events of some smaller groups can have these counters only, too. */
static bool has_group_inside(const struct chip_listing *listing, uint16_t mask)
{
    struct lauka_apple_event event;

    for (size_t i = LAUKA_APPLE_FIXED; lauka_apple_event(listing->chip, i, &event); i++)
        if (event.mask && event.mask != mask && (event.mask & ~mask) == 0)
            return true;
    return false;
}

static void print_heading(const struct chip_listing *listing, uint16_t mask)
{
    char counters[80];

    lauka_apple_counters(mask, counters, sizeof counters);
    if (!mask)
        fputs("\ncounters unknown: the Mac's own database has them\n", listing->out);
    else if (mask & LAUKA_APPLE_FIXED_MASK)
        fprintf(listing->out, "\n%s: fixed\n", counters);
    else
        fprintf(listing->out, "\n%s: at most %u of these%s, at once\n", counters,
                count_counters(mask),
                has_group_inside(listing, mask) ? " and of those with fewer" : "");
}

static void show_group(struct chip_listing *listing, uint16_t mask)
{
    struct lauka_apple_event event;
    bool headed = listing->document;

    for (size_t i = 0; lauka_apple_event(listing->chip, i, &event); i++) {
        if (event.mask != mask || !is_wanted(listing, &event))
            continue;
        if (!headed)
            print_heading(listing, mask);
        headed = true;
        if (listing->document)
            add_json(listing, &event);
        else
            print_row(listing, &event);
        listing->shown++;
    }
}

/* Whether the mask is the event's, and no event before it has the same. */
static bool opens_group(const struct lauka_apple_chip *chip, size_t index, uint16_t mask)
{
    struct lauka_apple_event event;

    for (size_t i = 0; i < index; i++)
        if (lauka_apple_event(chip, i, &event) && event.mask == mask)
            return false;
    return true;
}

/* The fewest counters first, the fixed ones before them; unknown ones last. */
static void show_groups(struct chip_listing *listing)
{
    struct lauka_apple_event event;

    for (unsigned width = 1; width <= LAUKA_APPLE_COUNTERS + 1; width++)
        for (size_t i = 0; lauka_apple_event(listing->chip, i, &event); i++)
            if (count_counters(event.mask) == width % (LAUKA_APPLE_COUNTERS + 1) &&
                opens_group(listing->chip, i, event.mask))
                show_group(listing, event.mask);
}

static void print_title(const struct chip_listing *listing)
{
    const struct lauka_apple_chip *chip = listing->chip;

    fprintf(
        listing->out,
        "%s (%s), as %s describes it:\n"
        "2 fixed and %u configurable counters; 5 to 7 are the power manager's until lauka,\n"
        "as root, takes them for a session.\n%s",
        chip->name, chip->products, chip->release, count_counters(chip->counters),
        chip->inferred
            ? "A part of this is the table of a sibling chip; the Mac's own database may differ.\n"
            : "");
}

/* The event of the chip that is nearest to what was typed, by either name; NULL: none is near. */
static const char *nearest(const struct lauka_apple_chip *chip, const char *typed, size_t length,
                           char text[LAUKA_EVENT_NAME_SIZE])
{
    struct lauka_apple_event event;
    char word[LAUKA_EVENT_NAME_SIZE];
    size_t least = 2 + length / 4;

    *text = '\0';
    snprintf(word, sizeof word, "%.*s", (int)length, typed);
    for (size_t i = 0; lauka_apple_event(chip, i, &event); i++) {
        const char *names[] = {event.name, lauka_apple_portable(event.name)};
        for (size_t n = 0; n < 2 && names[n]; n++) {
            size_t far = lauka_name_distance(names[n], word);
            if (far < least) {
                least = far;
                snprintf(text, LAUKA_EVENT_NAME_SIZE, "%s", names[n]);
            }
        }
    }
    return *text ? text : NULL;
}

static bool fail_unknown(const struct lauka_options *options, struct lauka_error *error)
{
    char text[LAUKA_EVENT_NAME_SIZE];
    const char *near =
        nearest(options->run.chip, options->run.pattern, strlen(options->run.pattern), text);

    return lauka_fail(error, LAUKA_EXIT_HOST, "no event of %s matches \"%.100s\"%s%s",
                      options->run.chip->name, options->run.pattern, near ? "; perhaps " : "",
                      near ? near : "");
}

/* ---- a set ------------------------------------------------------------------------------------ */

static bool fail_event(const struct lauka_apple_chip *chip, const char *typed, int length,
                       struct lauka_error *error)
{
    char text[LAUKA_EVENT_NAME_SIZE];
    const char *near = nearest(chip, typed, (size_t)length, text);

    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "--events: %s has no event %.*s%s%s; lauka list --chip %s shows them",
                      chip->name, length, typed, near ? "; perhaps " : "", near ? near : "",
                      chip->name);
}

/* The names of all --events, each in `names`; false where there is no such event. */
static bool read_set(const struct lauka_options *options, char *names, size_t size,
                     struct lauka_apple_set *set, struct lauka_error *error)
{
    size_t used = 0;

    for (size_t t = 0; t < options->measure.event_text_count; t++) {
        for (const char *at = options->measure.event_texts[t]; *at; at += *at == ',') {
            int length = (int)strcspn(at, ",");
            size_t room = size - used;
            if ((size_t)snprintf(names + used, room, "%.*s", length, at) >= room ||
                !lauka_apple_set_add(set, options->run.chip, names + used))
                return fail_event(options->run.chip, at, length < 100 ? length : 100, error);
            used += (size_t)length + 1;
            at += length;
        }
    }
    return true;
}

static bool show_set(const struct lauka_options *options, FILE *out, struct lauka_error *error)
{
    char names[LAUKA_COUNTERS_MAX * 64], why[2000];
    struct lauka_apple_set set = {0};

    if (!read_set(options, names, sizeof names, &set, error))
        return false;
    if (!lauka_apple_set_place(&set)) {
        lauka_apple_set_explain(&set, why, sizeof why);
        return lauka_fail(error, LAUKA_EXIT_HOST,
                          "%s: %s; or let rounds take turns, as they do by default",
                          options->run.chip->name, why);
    }
    fprintf(out, "%-7s  %-38s  %s\n", "counter", "event", "asked for as");
    for (int slot = 0; slot < LAUKA_APPLE_COUNTERS; slot++)
        for (size_t i = 0; i < set.count; i++)
            if (set.slots[i] == slot)
                fprintf(out, "%-7d  %-38s  %s\n", slot, set.events[i].name, set.asked[i]);
    return true;
}

size_t lauka_list_own_chip(const char *pattern, FILE *out)
{
    struct chip_listing listing = {.chip = lauka_native_chip(), .pattern = pattern, .out = out};

    if (!listing.chip || !has_wanted(&listing))
        return 0;
    fputs("\nWhat excludes what on this Mac\n", out);
    print_title(&listing);
    show_groups(&listing);
    return listing.shown;
}

static int show_json(struct chip_listing *listing)
{
    struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_ROWS, listing->out);

    listing->document = &document;
    lauka_document_array(&document, NULL);
    show_groups(listing);
    lauka_document_end(&document);
    return lauka_document_finish(&document);
}

bool lauka_list_chip(const struct lauka_options *options, FILE *out, struct lauka_error *error)
{
    struct chip_listing listing = {
        .chip = options->run.chip, .pattern = options->run.pattern, .out = out};
    int failure;

    if (options->measure.event_text_count > 0)
        return show_set(options, out, error);
    if (options->run.pattern && !has_wanted(&listing))
        listing.exact = options->run.pattern; /* it may be another name of an event */
    errno = 0;
    if (options->write.outputs[LAUKA_DOCUMENT_JSON].wanted) {
        failure = show_json(&listing);
    } else {
        print_title(&listing);
        show_groups(&listing);
        if (listing.shown == 0)
            return fail_unknown(options, error);
        failure = lauka_finish(out);
    }
    return !failure || lauka_fail_stdout(error, failure);
}
