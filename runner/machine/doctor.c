/* lauka doctor: what can disturb a measurement here, each with its source, its effect and its remedy; and
 * what measuring itself costs. */
#include "runner/machine/machine.h"
#include "report/json/json.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL_NS 300000000u
enum { FLOOR_RUNS = 200 };

static const char *const weight_names[] = {
    [LAUKA_WEIGHT_FINE] = "fine",
    [LAUKA_WEIGHT_UNKNOWN] = "unknown",
    [LAUKA_WEIGHT_MINOR] = "minor",
    [LAUKA_WEIGHT_MATTERS] = "matters",
};

/* ---- for people ---------------------------------------------------------------------------------- */

struct page {
    struct lauka_terminal terminal;
    FILE *out;
};

enum { LABEL_WIDTH = 23 }; /* "matters  CPU pressure   " */

/* A paragraph beside its label, or below it if there is no room. */
static void say(const struct page *page, enum lauka_style style, const char *label,
                const char *text)
{
    bool beside = page->terminal.width >= 2 * LABEL_WIDTH + 10;
    int indent = beside ? LABEL_WIDTH : 2;

    fputs(lauka_style_begin(style, page->terminal), page->out);
    fprintf(page->out, beside ? "%-*s" : "%.*s", beside ? LABEL_WIDTH : page->terminal.width,
            label);
    fputs(lauka_style_end(style, page->terminal), page->out);
    if (!beside)
        fprintf(page->out, *label ? "\n  " : "  ");
    lauka_print_wrapped(text, indent, page->terminal.width, page->terminal.utf8, page->out);
}

static void print_finding(const struct page *page, const struct lauka_finding *finding)
{
    static const enum lauka_style styles[] = {
        [LAUKA_WEIGHT_FINE] = LAUKA_STYLE_BETTER,
        [LAUKA_WEIGHT_UNKNOWN] = LAUKA_STYLE_SECONDARY,
        [LAUKA_WEIGHT_MINOR] = LAUKA_STYLE_DOUBTFUL,
        [LAUKA_WEIGHT_MATTERS] = LAUKA_STYLE_WORSE,
    };
    char label[64], text[400];
    bool cured = finding->weight == LAUKA_WEIGHT_FINE;

    snprintf(label, sizeof label, "%-8s %s", weight_names[finding->weight], finding->subject);
    say(page, styles[finding->weight], label, finding->found);
    snprintf(text, sizeof text, "from %s", finding->source);
    say(page, LAUKA_STYLE_PLAIN, "", text);
    if (cured || !finding->effect)
        return;
    snprintf(text, sizeof text, "effect: %s", finding->effect);
    say(page, LAUKA_STYLE_PLAIN, "", text);
    if (finding->cure) {
        snprintf(text, sizeof text, "cure: %s", finding->cure);
        say(page, LAUKA_STYLE_PLAIN, "", text);
    }
}

static void format_time(double ns, bool utf8, char *text, size_t size)
{
    struct lauka_scale scale = lauka_scale_for(ns, "ns", utf8);
    char number[40];

    snprintf(text, size, "%s %s", lauka_format_scaled(ns, scale, number, sizeof number),
             scale.suffix);
}

static void print_floor(const struct page *page, const struct lauka_floor *floor)
{
    char text[300], median[48], least[48], cost[48];
    bool utf8 = page->terminal.utf8;

    format_time((double)floor->spawn_median_ns, utf8, median, sizeof median);
    format_time((double)floor->spawn_least_ns, utf8, least, sizeof least);
    format_time(floor->clock_cost_ns, utf8, cost, sizeof cost);
    if (floor->spawn_median_ns > 0)
        snprintf(text, sizeof text,
                 "starting and reaping an empty program takes %s (median of %d runs; minimum %s): "
                 "no command can take less, and much smaller differences are lost in it",
                 median, (int)FLOOR_RUNS, least);
    else
        snprintf(text, sizeof text, "not measured: no such program could be run here");
    fputc('\n', page->out);
    say(page, LAUKA_STYLE_PLAIN, "         spawn floor", text);
    snprintf(text, sizeof text, "resolution %llu ns; reading it takes %s",
             (unsigned long long)floor->clock_resolution_ns, cost);
    say(page, LAUKA_STYLE_PLAIN, "         clock", text);
}

/* ---- for machines -------------------------------------------------------------------------------- */

static void put_findings(struct lauka_json_document *document, const struct lauka_finding *findings,
                         size_t count)
{
    lauka_document_array(document, "findings");
    for (size_t i = 0; i < count; i++) {
        lauka_document_object(document, NULL);
        lauka_document_text(document, "subject", findings[i].subject);
        lauka_document_text(document, "weight", weight_names[findings[i].weight]);
        lauka_document_text(document, "found", findings[i].found);
        lauka_document_text(document, "source", findings[i].source);
        lauka_document_text(document, "effect", findings[i].effect);
        lauka_document_text(document, "cure", findings[i].cure);
        lauka_document_end(document);
    }
    lauka_document_end(document);
}

/* null if it was not measured. */
static void put_floor(struct lauka_json_document *document, const struct lauka_floor *floor)
{
    if (floor->spawn_median_ns == 0) {
        lauka_document_null(document, "spawn_floor_ns");
        return;
    }
    lauka_document_object(document, "spawn_floor_ns");
    lauka_document_integer(document, "median", floor->spawn_median_ns);
    lauka_document_integer(document, "least", floor->spawn_least_ns);
    lauka_document_end(document);
}

static int print_json(const struct lauka_finding *findings, size_t count,
                      const struct lauka_floor *floor, FILE *out)
{
    struct lauka_json_document document = lauka_document_begin(LAUKA_JSON_TABS, out);

    lauka_document_object(&document, NULL);
    put_findings(&document, findings, count);
    put_floor(&document, floor);
    lauka_document_integer(&document, "clock_resolution_ns", floor->clock_resolution_ns);
    lauka_document_number(&document, "clock_cost_ns", round(floor->clock_cost_ns * 10) / 10);
    lauka_document_end(&document);
    return lauka_document_finish(&document);
}

/* ---- both ---------------------------------------------------------------------------------------- */

/* "governor: powersave on 8 of 8 CPUs; load: ...": the findings that matter. Returns how many do. */
static size_t list_what_matters(const struct lauka_finding *findings, size_t count, char *text,
                                size_t size)
{
    size_t matter = 0, used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        if (findings[i].weight == LAUKA_WEIGHT_MATTERS && used < size) {
            used += (size_t)snprintf(text + used, size - used, "%s%s: %s", used ? "; " : "",
                                     findings[i].subject, findings[i].found);
            matter++;
        }
    return matter;
}

static bool refuse(const char *list, struct lauka_error *error)
{
    return lauka_fail(error, LAUKA_EXIT_HOST,
                      "--require-quiet: this machine is not: %.700s; lauka doctor says what to do",
                      list);
}

bool lauka_doctor(const struct lauka_options *options, struct lauka_launcher *launcher, FILE *out,
                  struct lauka_error *error)
{
    struct lauka_finding findings[LAUKA_FINDINGS_MAX];
    struct page page = {lauka_terminal_detect(STDOUT_FILENO, options->color), out};
    struct lauka_floor floor;
    char list[1000];
    size_t count = lauka_findings_read("", INTERVAL_NS, findings);
    int failure;

    if (!lauka_floor_measure(launcher, FLOOR_RUNS, &floor, error))
        return false;
    errno = 0;
    if (options->outputs[LAUKA_DOCUMENT_JSON].wanted) {
        failure = print_json(findings, count, &floor, out);
    } else {
        for (size_t i = 0; i < count; i++)
            print_finding(&page, &findings[i]);
        print_floor(&page, &floor);
        failure = lauka_finish(out);
    }
    if (failure)
        return lauka_fail_stdout(error, failure);
    return !options->require_quiet || list_what_matters(findings, count, list, sizeof list) == 0 ||
           refuse(list, error);
}

bool lauka_doctor_visit(const struct lauka_options *options, struct lauka_result *result,
                        struct lauka_error *error)
{
    struct lauka_finding findings[LAUKA_FINDINGS_MAX];
    char list[1000], text[1100];
    size_t count = lauka_findings_read("", options->require_quiet ? INTERVAL_NS : 0, findings);

    if (list_what_matters(findings, count, list, sizeof list) == 0)
        return true;
    if (options->require_quiet)
        return refuse(list, error);
    snprintf(text, sizeof text,
             "before the first run, the machine was not quiet (lauka doctor): %s", list);
    if (lauka_result_warn(result, text) != 0)
        return lauka_fail_memory(error);
    if (!options->quiet && isatty(STDERR_FILENO)) {
        struct lauka_terminal terminal = lauka_terminal_detect(STDERR_FILENO, LAUKA_COLOR_NEVER);
        int indent = fprintf(stderr, "lauka: ");
        lauka_print_wrapped(text, indent, terminal.width, terminal.utf8, stderr);
    }
    return true;
}
