/* lauka doctor: what can disturb a measurement here, each with its source, its effect and its remedy; and
 * what measuring itself costs. */
#include "runner/machine/machine.h"
#include "pmu/events/events.h"
#include "report/json/json.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* ---- floor ------------------------------------------------------------------------------------- */

/* What measuring itself costs: the wall time of a program that does nothing, and the clock. */

struct floor {                                /* cost of measuring itself; 0 if not known */
    uint64_t spawn_median_ns, spawn_least_ns; /* wall time of a program that only exits */
    uint64_t clock_resolution_ns;             /* as the clock reports it */
    double spawn_spread;                      /* half of the quartiles' distance, of the median */
    double clock_cost_ns;                     /* per reading */
};

static void read_clock(struct floor *floor, size_t times)
{
    uint64_t begin = lauka_now_ns(), end = begin;

    floor->clock_resolution_ns = lauka_clock_resolution_ns();
    for (size_t i = 0; i < times; i++)
        end = lauka_now_ns();
    floor->clock_cost_ns = (double)(end - begin) / (double)times;
}

enum { AT_ONCE = 8, CLOCK_READINGS = 10 }; /* for each run */

/* 0, without times, if the program cannot be run here. */
static bool run_floor(struct lauka_launcher *launcher, size_t number, size_t runs,
                      struct lauka_series *times, struct lauka_error *error)
{
    struct lauka_sample samples[AT_ONCE];
    struct lauka_launch launches[AT_ONCE];
    size_t done;

    for (size_t i = 0; i < AT_ONCE; i++)
        launches[i] = (struct lauka_launch){.command = number, .sample = &samples[i]};
    while (times->count < runs && !lauka_interrupt_signal()) {
        size_t left = runs - times->count;
        if (!lauka_launcher_run_all(launcher, launches, left < AT_ONCE ? left : AT_ONCE, &done,
                                    error))
            return false;
        for (size_t i = 0; i < done; i++) {
            if (samples[i].outcome != LAUKA_EXITED || samples[i].code != 0 || samples[i].stopped)
                return true;
            lauka_series_add(times, samples[i].usage.values[LAUKA_WALL_TIME]);
        }
    }
    return true;
}

static bool add_program(struct lauka_launcher *launcher, char *path, struct lauka_error *error)
{
    char *argv[] = {path, NULL};
    const struct lauka_command command = {.label = path, .argv = argv, .path = path};

    return lauka_launcher_add(launcher, &command, error);
}

/* Runs the program `runs` times, at least once. Fails where lauka itself does. */
static bool floor_measure(struct lauka_launcher *launcher, size_t runs, struct floor *floor,
                          struct lauka_error *error)
{
    const size_t number = lauka_launcher_count_commands(launcher);
    char path[64];
    int handle;
    struct lauka_series times = {0};
    struct lauka_summary summary;

    *floor = (struct floor){0};
    read_clock(floor, CLOCK_READINGS * runs);
    if (lauka_floor_open(path, sizeof path, &handle) != 0)
        return true;
    bool good =
        lauka_series_reserve(&times, runs) == 0
            ? add_program(launcher, path, error) && run_floor(launcher, number, runs, &times, error)
            : lauka_fail_memory(error);
    if (good && times.count > 0 && lauka_summarize(&times, &summary) == 0) {
        floor->spawn_median_ns = (uint64_t)summary.median;
        floor->spawn_least_ns = summary.min;
        floor->spawn_spread =
            (summary.third_quartile - summary.first_quartile) / 2 / summary.median;
    }
    lauka_series_done(&times);
    lauka_floor_close(handle);
    return good;
}

/* ---- beside a result ------------------------------------------------------------------------------- */

enum { NOTE_RUNS = 4, NOTEWORTHY_NS = 20000000 };

/* As many as there were rounds, if those were few: more of them would take longer than the session itself, and the
 * minimum of many is not to be held against that of few. */
static size_t runs_for(const struct lauka_result *result)
{
    return result->run.rounds < NOTE_RUNS ? (size_t)result->run.rounds : NOTE_RUNS;
}

/* 0: not known. */
static uint64_t least_wall_time(const struct lauka_result *result, size_t command)
{
    size_t metric = lauka_result_metric_index(result, "wall_time");
    const struct lauka_result_command *own = &result->commands[command];
    uint64_t least = UINT64_MAX;

    if (metric == result->metric_count || result->run.rounds == 0)
        return 0;
    if (own->streams)
        return own->streams[metric].moments.min;
    for (size_t i = 0; i < own->series[metric].count; i++)
        if (lauka_series_at(&own->series[metric], i) < least) /* LAUKA_MISSING is the largest */
            least = lauka_series_at(&own->series[metric], i);
    return least < UINT64_MAX ? least : 0;
}

static bool is_near(uint64_t wall_ns, const struct floor *floor)
{
    return wall_ns > 0 && floor->spawn_least_ns >= wall_ns / 4;
}

/* The command of whose time starting is the largest share; commands: of how many it is a substantial part. */
static size_t find_nearest(const struct lauka_result *result, const struct floor *floor,
                           size_t *commands)
{
    size_t nearest = 0;
    uint64_t nearest_ns = UINT64_MAX;

    *commands = 0;
    for (size_t c = 0; c < result->command_count; c++) {
        uint64_t own = least_wall_time(result, c);
        *commands += is_near(own, floor);
        if (own > 0 && own < nearest_ns) {
            nearest = c;
            nearest_ns = own;
        }
    }
    return nearest;
}

static int note(const struct floor *floor, struct lauka_result *result)
{
    struct lauka_scale scale = lauka_scale_for((double)floor->spawn_least_ns, "ns", true);
    char time[40], others[80] = "", runs[60] = "in one run";
    size_t count, nearest = find_nearest(result, floor, &count);

    if (count == 0)
        return 0;
    if (count > 1)
        snprintf(others, sizeof others, ", and a quarter or more of that of %zu other%s", count - 1,
                 count == 2 ? "" : "s");
    if (runs_for(result) > 1)
        snprintf(runs, sizeof runs, "the minimum of %zu runs", runs_for(result));
    double share = 100 * (double)floor->spawn_least_ns / (double)least_wall_time(result, nearest);
    return lauka_result_note(
        result,
        "starting and reaping an empty program takes %s %s here, %s: about %.0f %% of the minimum "
        "wall time of `%.200s`%s; the resolution of the clock is %llu ns",
        lauka_format_scaled((double)floor->spawn_least_ns, scale, time, sizeof time), scale.suffix,
        runs, share, result->commands[nearest].label, others,
        (unsigned long long)floor->clock_resolution_ns);
}

int lauka_floor_note(struct lauka_launcher *launcher, struct lauka_result *result)
{
    struct lauka_error ignored; /* what cannot be measured is not told */
    struct floor floor;
    bool is_short = false;

    for (size_t c = 0; c < result->command_count; c++) {
        uint64_t least = least_wall_time(result, c);
        is_short |= least > 0 && least < NOTEWORTHY_NS;
    }
    if (!is_short || lauka_interrupt_signal() ||
        !floor_measure(launcher, runs_for(result), &floor, &ignored) || floor.spawn_least_ns == 0)
        return 0;
    return note(&floor, result);
}

/* ---- doctor ------------------------------------------------------------------------------------ */

#define INTERVAL_NS 300000000u
enum { FLOOR_RUNS = 200 };

static const char *const weight_names[] = {
    [LAUKA_WEIGHT_FINE] = "fine",
    [LAUKA_WEIGHT_UNKNOWN] = "unknown",
    [LAUKA_WEIGHT_MINOR] = "minor",
    [LAUKA_WEIGHT_MATTERS] = "matters",
};

/* Those of this weight: "governor, turbo", or in full "governor: powersave on 8 of 8 CPUs; load: ...". Returns how many
 * there are. */
static size_t list_findings(const struct lauka_finding *findings, size_t count,
                            enum lauka_weight weight, bool full, char *text, size_t size)
{
    const char *between = full ? "; " : ", ";
    size_t found = 0, used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        if (findings[i].weight == weight && used < size) {
            used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", found ? between : "",
                                     findings[i].subject, full ? ": " : "",
                                     full ? findings[i].found : "");
            found++;
        }
    return found;
}

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

static const enum lauka_style weight_styles[] = {
    [LAUKA_WEIGHT_FINE] = LAUKA_STYLE_BETTER,
    [LAUKA_WEIGHT_UNKNOWN] = LAUKA_STYLE_SECONDARY,
    [LAUKA_WEIGHT_MINOR] = LAUKA_STYLE_DOUBTFUL,
    [LAUKA_WEIGHT_MATTERS] = LAUKA_STYLE_WORSE,
};

static void print_finding(const struct page *page, const struct lauka_finding *finding)
{
    char label[64], text[400];
    bool cured = finding->weight == LAUKA_WEIGHT_FINE;

    snprintf(label, sizeof label, "%-8s %s", weight_names[finding->weight], finding->subject);
    say(page, weight_styles[finding->weight], label, finding->found);
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

static void print_floor(const struct page *page, const struct floor *floor)
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

/* ---- the verdict --------------------------------------------------------------------------------- */

static void print_subjects(const struct page *page, const struct lauka_finding *findings,
                           size_t count, enum lauka_weight weight)
{
    char list[400];

    if (list_findings(findings, count, weight, false, list, sizeof list) > 0)
        say(page, weight_styles[weight], weight_names[weight], list);
}

/* What a reader takes away, at the end, where it stays in sight. */
static void print_verdict(const struct page *page, const struct lauka_finding *findings,
                          size_t count, const struct floor *floor)
{
    char list[400], text[700];
    size_t used = 0,
           matter = list_findings(findings, count, LAUKA_WEIGHT_MATTERS, false, list, sizeof list);
    const char *verb = matter == 1 ? "thing matters" : "things matter";

    if (matter > 0)
        used = (size_t)snprintf(text, sizeof text, "%zu %s: %s.", matter, verb, list);
    else
        used = (size_t)snprintf(text, sizeof text, "Nothing here matters for measurements.");
    if (floor->spawn_median_ns > 0)
        snprintf(text + used, sizeof text - used,
                 " Half of the runs of an empty program took within %.2g %% of the median.",
                 100 * floor->spawn_spread);
    fputc('\n', page->out);
    lauka_print_wrapped(text, 0, page->terminal.width, page->terminal.utf8, page->out);
}

static int print_page(const struct page *page, const struct lauka_finding *findings, size_t count,
                      bool full, const struct floor *floor)
{
    for (size_t i = 0; i < count; i++)
        if (full || findings[i].weight >= LAUKA_WEIGHT_MINOR)
            print_finding(page, &findings[i]);
    if (!full) {
        print_subjects(page, findings, count, LAUKA_WEIGHT_UNKNOWN);
        print_subjects(page, findings, count, LAUKA_WEIGHT_FINE);
        say(page, LAUKA_STYLE_PLAIN, "", "all of it with --full");
    }
    print_floor(page, floor);
    print_verdict(page, findings, count, floor);
    return lauka_finish(page->out);
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
static void put_floor(struct lauka_json_document *document, const struct floor *floor)
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

static int print_json(const struct lauka_finding *findings, size_t count, const struct floor *floor,
                      FILE *out)
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

static size_t list_what_matters(const struct lauka_finding *findings, size_t count, char *text,
                                size_t size)
{
    return list_findings(findings, count, LAUKA_WEIGHT_MATTERS, true, text, size);
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
    struct page page = {lauka_terminal_detect(STDOUT_FILENO, options->write.color), out};
    struct floor floor;
    char list[1000];
    size_t count = lauka_findings_read("", INTERVAL_NS, findings);
    int failure;

    if (!floor_measure(launcher, FLOOR_RUNS, &floor, error))
        return false;
    errno = 0;
    if (options->write.outputs[LAUKA_DOCUMENT_JSON].wanted)
        failure = print_json(findings, count, &floor, out);
    else
        failure = print_page(&page, findings, count, options->write.full != NULL, &floor);
    if (failure)
        return lauka_fail_stdout(error, failure);
    return !options->measure.require_quiet ||
           list_what_matters(findings, count, list, sizeof list) == 0 || refuse(list, error);
}

bool lauka_doctor_visit(const struct lauka_options *options, struct lauka_result *result,
                        struct lauka_error *error)
{
    struct lauka_finding findings[LAUKA_FINDINGS_MAX];
    char list[1000], text[1100];
    size_t count =
        lauka_findings_read("", options->measure.require_quiet ? INTERVAL_NS : 0, findings);

    if (list_what_matters(findings, count, list, sizeof list) == 0)
        return true;
    if (options->measure.require_quiet)
        return refuse(list, error);
    snprintf(text, sizeof text,
             "before the first run, the machine was not quiet (lauka doctor): %s", list);
    if (lauka_result_warn(result, text) != 0)
        return lauka_fail_memory(error);
    if (!options->quiet && isatty(STDERR_FILENO)) {
        struct lauka_error note;
        lauka_fail(&note, LAUKA_EXIT_DONE, "%s", text);
        lauka_error_print(&note);
    }
    return true;
}
