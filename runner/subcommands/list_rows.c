/* How a list of events is shown: first what can be counted, PMU by PMU, then what cannot, each reason once
 * above the events that it prevents from being counted. */
#include "runner/subcommands/subcommands.h"
#include "report/json/json.h"
#include "report/text/text.h"

#include <stdio.h>
#include <string.h>

/* Longer names have a line of their own. */
enum { NAME_WIDTH = 23, UNIT_WIDTH = 2, INDENT = 2 };

/* Where there is less room beside them, descriptions have lines of their own. */
enum { DESCRIPTION_WIDTH = 25, DESCRIPTION_INDENT = 4 };

/* ---- JSON ------------------------------------------------------------------------------------------ */

int lauka_print_listed_json(const struct lauka_listed *events, size_t count, FILE *out)
{
    struct lauka_json_document document = {0};
    struct lauka_json_value *array = lauka_document_array(&document);

    for (size_t i = 0; i < count; i++) {
        const struct lauka_listed *event = &events[i];
        struct lauka_json_value *object = lauka_document_object(&document);
        lauka_document_add_text(&document, object, "name", event->name);
        lauka_document_add_text(&document, object, "unit", event->unit);
        lauka_document_add_text(&document, object, "pmu", event->pmu);
        lauka_document_add_text(&document, object, "description", event->description);
        lauka_document_add_bool(&document, object, "countable", !*event->why);
        lauka_document_add_bool(&document, object, "user_only", event->user_only);
        lauka_document_add_text(&document, object, "reason", *event->why ? event->why : NULL);
        lauka_document_append(&document, array, object);
    }
    return lauka_document_print_rows(&document, array, out);
}

/* ---- rows ------------------------------------------------------------------------------------------ */

struct sheet {
    const struct lauka_listed *events; /* borrowed */
    size_t count;
    struct lauka_terminal terminal;
    FILE *out;
};

static void print_row(const struct sheet *sheet, const struct lauka_listed *event)
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

static bool needs_no_counter(const struct lauka_listed *event)
{
    return strcmp(event->pmu, "clock") == 0 || strcmp(event->pmu, "rusage") == 0;
}

static bool same_group(const struct lauka_listed *a, const struct lauka_listed *b)
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
        const struct lauka_listed *event = &sheet->events[i];
        if (!same_group(event, &sheet->events[first]) || strcmp(event->pmu, last) == 0)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", event->pmu);
        last = event->pmu;
    }
}

static void print_heading(const struct sheet *sheet, size_t first)
{
    const struct lauka_listed *event = &sheet->events[first];
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

void lauka_print_listed(const struct lauka_listed *events, size_t count,
                        struct lauka_terminal terminal, FILE *out)
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
