/* Progress, on a terminal's stderr only. Drawn between runs, at most ten times a second, and once a second
 * while a longer run lasts: never while a short command is being timed. */
#include "runner/session/loop.h"
#include "runner/session/session.h"
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "runner/base/base.h"
#include "runner/launch/launch.h"
#include "runner/options.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REDRAW_NS 100000000u
#define SECOND_NS 1000000000u

enum { BAR_MOST = 24, BAR_LEAST = 6, RUN_LEAST = 2 /* s */ };
enum { KEPT_FREE = 3 }; /* columns: the terminal's "^C", and the cursor */

/* There is one terminal, whichever benchmark draws on it. */
static uint64_t drawn_ns;
static int drawn_width; /* columns of the line that stands there; 0: none */

static bool can_redraw(void)
{
    const char *term = getenv("TERM");

    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void lauka_progress_init(struct lauka_progress *progress, bool wanted)
{
    *progress = (struct lauka_progress){
        .enabled = wanted && can_redraw(),
        .terminal = lauka_terminal_detect(STDERR_FILENO, LAUKA_COLOR_AUTO),
    };
}

/* Never 0 while something is left. */
static void format_left(uint64_t left_ns, char *text, size_t size)
{
    uint64_t seconds = (left_ns + SECOND_NS - 1) / SECOND_NS;
    uint64_t tenths = (left_ns + REDRAW_NS - 1) / REDRAW_NS;

    if (left_ns == 0)
        *text = '\0';
    else if (tenths < 100)
        snprintf(text, size, "%" PRIu64 ".%" PRIu64 " s left", tenths / 10, tenths % 10);
    else if (seconds < 60)
        snprintf(text, size, "%" PRIu64 " s left", seconds);
    else if (seconds < 3600)
        snprintf(text, size, "%" PRIu64 ":%02" PRIu64 " left", seconds / 60, seconds % 60);
    else
        snprintf(text, size, "%" PRIu64 " h %02" PRIu64 " min left", seconds / 3600,
                 seconds / 60 % 60);
}

/* "this run: 12 s"; empty for the first seconds. */
static void format_gone(const char *what, uint64_t gone_ns, char *text, size_t size)
{
    *text = '\0';
    if (gone_ns / SECOND_NS >= RUN_LEAST)
        snprintf(text, size, "%s: %" PRIu64 " s", what, gone_ns / SECOND_NS);
}

/* Heavy lines for what is done, light ones for the rest. */
static void put_bar(const struct lauka_progress *progress, double done, int width)
{
    struct lauka_terminal terminal = progress->terminal;
    int halves = (int)(done * 2 * width + 0.5);

    for (int i = 0; i < width; i++) {
        bool full = 2 * i + 2 <= halves, half = 2 * i + 1 == halves;
        const char *part = full            ? terminal.utf8 ? "━" : "="
                           : half          ? terminal.utf8 ? "╸" : "-"
                           : terminal.utf8 ? "─"
                                           : " ";
        lauka_put_styled(part, full || half ? LAUKA_STYLE_PLAIN : LAUKA_STYLE_SECONDARY, terminal,
                         stderr);
    }
}

/* Removes the line. A terminal that has become narrower since has wrapped it into several. */
static void clear(int width)
{
    const int rows = drawn_width > 0 ? (drawn_width - 1) / width : 0;

    for (int i = 0; i < rows; i++)
        fputs(lauka_clear_last_row, stderr);
    fputs(lauka_clear_line, stderr);
    drawn_width = 0;
}

/* The bar gets the room that the texts leave; without any, the estimate is dropped first. */
static void draw(struct lauka_progress *progress, double done, const char *left, const char *run)
{
    char estimate[360] = "", head[sizeof progress->head];

    progress->terminal = lauka_terminal_detect(STDERR_FILENO, LAUKA_COLOR_AUTO);
    const int width = progress->terminal.width, most = width > KEPT_FREE ? width - KEPT_FREE : 1;
    int room = most;
    snprintf(head, sizeof head, "%s", progress->head);
    lauka_cut_marked(head, room, progress->terminal.utf8);
    room -= lauka_display_width(head);
    if (*left && lauka_display_width(left) + 1 < room)
        room -= lauka_display_width(left) + 1;
    else
        left = "";
    const char *told = *run ? run : progress->estimate;
    if (!*run && lauka_display_width(told) + 3 + BAR_LEAST >= room)
        told = progress->figures; /* rather than a part of the name */
    if (*told && lauka_display_width(told) + 3 + BAR_LEAST < room) {
        snprintf(estimate, sizeof estimate, "   %s", told);
        room -= lauka_display_width(estimate);
    }
    int bar = room - 1 < BAR_MOST ? room - 1 : BAR_MOST;
    clear(width);
    fputs(head, stderr);
    if (done >= 0 && bar >= BAR_LEAST) {
        fputc(' ', stderr);
        put_bar(progress, done, bar);
        room -= bar + 1;
    }
    drawn_width = most - room;
    fprintf(stderr, "%s%s%s", *left ? " " : "", left, estimate);
    fflush(stderr);
}

static void put_head(struct lauka_progress *progress, const struct lauka_progress_step *step)
{
    char of[48] = "", name[160] = "";

    if (step->total)
        snprintf(of, sizeof of, " of %s%" PRIu64, step->is_forecast ? "about " : "", step->total);
    if (step->heading)
        snprintf(name, sizeof name, "%.60s, ", step->heading);
    if (step->benchmark) {
        char *fitted = lauka_fit_text(step->benchmark, 24, progress->terminal.utf8);
        size_t used = strlen(name);
        snprintf(name + used, sizeof name - used, "%.60s ", fitted ? fitted : "?");
        free(fitted);
    }
    if (step->count > 1)
        snprintf(progress->head, sizeof progress->head, "%s(%zu of %zu) %s %" PRIu64 "%s", name,
                 step->place, step->count, step->phase, step->number, of);
    else
        snprintf(progress->head, sizeof progress->head, "%s%s %" PRIu64 "%s", name, step->phase,
                 step->number, of);
}

/* The share of the time that has passed; negative if it is not known. */
static double share_done(const struct lauka_progress *progress, uint64_t now, uint64_t left_ns)
{
    double gone = (double)(now - progress->begun_ns);

    return left_ns > 0 && gone + (double)left_ns > 0 ? gone / (gone + (double)left_ns) : -1;
}

void lauka_progress_show(struct lauka_progress *progress, const struct lauka_progress_step *step)
{
    char left[48], run[48] = "";
    uint64_t now = lauka_now_ns();

    if (!progress->enabled)
        return;
    progress->begun_ns = progress->begun_ns ? progress->begun_ns : now;
    if (!step->lasting || step->number != progress->number)
        progress->run_began_ns = now;
    progress->number = step->number;
    progress->runs_done = 0;
    progress->left_ns = step->left_ns;
    if (drawn_ns && now - drawn_ns < REDRAW_NS)
        return;
    drawn_ns = now;
    put_head(progress, step);
    format_left(step->left_ns, left, sizeof left);
    if (step->lasting)
        format_gone(step->lasting, now - progress->run_began_ns, run, sizeof run);
    draw(progress, share_done(progress, now, step->left_ns), left, run);
}

void lauka_progress_tick(void *context, uint64_t runs_done)
{
    struct lauka_progress *progress = context;
    char left[48], run[48] = "";
    uint64_t now = lauka_now_ns();

    if (!progress->enabled || !*progress->head)
        return;
    if (runs_done != progress->runs_done)
        progress->run_began_ns = now;
    progress->runs_done = runs_done;
    uint64_t gone_ns = now - drawn_ns, run_ns = now - progress->run_began_ns;
    if (progress->left_ns > 0)
        progress->left_ns =
            progress->left_ns > gone_ns + REDRAW_NS ? progress->left_ns - gone_ns : REDRAW_NS;
    drawn_ns = now;
    format_gone("this run", run_ns, run, sizeof run);
    format_left(progress->left_ns, left, sizeof left);
    draw(progress, share_done(progress, now, progress->left_ns), left, run);
}

void lauka_progress_clear(void)
{
    if (drawn_width > 0 || (lauka_interrupt_signal() && can_redraw())) /* "^C" */
        clear(lauka_terminal_detect(STDERR_FILENO, LAUKA_COLOR_NEVER).width);
}

/* ---- how long it takes ------------------------------------------------------------------------- */

uint64_t lauka_loop_left_ns(const struct lauka_loop *loop)
{
    const size_t count = loop->options->run.command_count;
    uint64_t left_ns = lauka_enough_left_ns(&loop->enough, loop->spent_ns, loop->guess_ns);

    if (loop->sequential) /* commands that have not begun take as long as this one, it is assumed */
        return left_ns + (count - loop->first - loop->together) *
                             (loop->spent_ns + left_ns + loop->guess_ns * loop->warmup);
    if (left_ns > 0 && loop->kind == &lauka_launched)
        left_ns += loop->options->measure.sampled_ns * count;
    return left_ns;
}

/* ---- of a benchmark's loop ----------------------------------------------------------------------- */

enum {
    ESTIMATE_FROM = 6,
    ESTIMATE_TO = 5000
}; /* rounds: before, it says nothing; later, it costs */

/* "./after +5.0 % [+3.9, +6.2]": what is known by now, once a second. */
static void estimate(struct lauka_loop *loop)
{
    const struct lauka_result *result = loop->result;
    struct lauka_progress *progress = &loop->progress;
    uint64_t now = lauka_now_ns();
    size_t metric = lauka_result_main_metric(result), command = 0;
    struct lauka_comparison comparison;

    if (result->run.rounds < ESTIMATE_FROM || result->run.rounds > ESTIMATE_TO ||
        result->command_count < 2 || metric >= result->metric_count ||
        (progress->estimated_ns && now - progress->estimated_ns < SECOND_NS) ||
        lauka_enough_estimate(&loop->enough, metric, &command, &comparison) != 0)
        return;
    progress->estimated_ns = now;
    struct lauka_prose prose = lauka_prose_begin(NULL, progress->terminal);
    const struct lauka_change change =
        lauka_change(&prose, &comparison, (struct lauka_scale){1, "", 0});
    const char *figures = lauka_say(&prose, "%s %s", change.estimate, change.interval);
    snprintf(progress->estimate, sizeof progress->estimate, "%s %s",
             lauka_say_name(&prose, result, command), figures);
    if (result->command_count > 2)
        figures = lauka_say(&prose, "command %zu %s", command + 1, figures);
    snprintf(progress->figures, sizeof progress->figures, "%s", figures);
    lauka_prose_done(&prose);
}

enum { SECOND_MS = 1000 };

void lauka_showing_step(struct lauka_loop *loop, struct lauka_progress_step step)
{
    const struct lauka_measurement *bench = loop->bench;

    step.heading = bench->heading;
    step.benchmark = loop->result->benchmark.name;
    step.place = bench->place;
    step.count = bench->count;
    step.left_ns += step.left_ns > 0 ? bench->others_left_ns + bench->later_ns : 0;
    if (loop->progress.enabled)
        lauka_launcher_tick(bench->launcher, SECOND_MS, lauka_progress_tick, &loop->progress);
    lauka_progress_show(&loop->progress, &step);
}

void lauka_showing_round(struct lauka_loop *loop)
{
    uint64_t rounds = loop->result->run.rounds, total = loop->options->measure.rounds;
    struct lauka_progress_step step = {.phase = "round", .number = rounds + 1, .total = total};

    if (!loop->progress.enabled)
        return;
    estimate(loop);
    step.left_ns = lauka_loop_left_ns(loop);
    if (!total && rounds > 0 && step.left_ns > 0 && loop->spent_ns > 0) {
        double each_ns = (double)loop->spent_ns / (double)rounds;
        uint64_t own_ns = lauka_enough_left_ns(&loop->enough, loop->spent_ns, loop->guess_ns);
        step.is_forecast = true;
        step.total = rounds + (uint64_t)ceil((double)own_ns / each_ns - 1e-6);
        step.total = step.total > rounds ? step.total : rounds + 1;
    }
    lauka_showing_step(loop, step);
}

void lauka_showing_warmup(struct lauka_loop *loop, uint64_t done)
{
    struct lauka_progress_step step = {
        .phase = "warm-up", .number = done + 1, .total = loop->warmup};

    step.left_ns = lauka_loop_left_ns(loop) + loop->guess_ns * (loop->warmup - done);
    lauka_showing_step(loop, step);
}

/* Forecast from the i-th run on, of which each takes as long as the last one of its command, and of the rounds; 0 if one is
 * not known. */
static uint64_t valgrind_left_ns(const struct lauka_loop *loop, size_t i)
{
    const struct lauka_valgrind_command *commands = loop->valgrind.commands + loop->first;
    uint64_t left_ns = 0;

    for (; i < loop->together * LAUKA_VALGRIND_RUNS; i++) {
        if (commands[i % loop->together].took_ns == 0)
            return 0;
        left_ns += commands[i % loop->together].took_ns;
    }
    return left_ns + lauka_loop_left_ns(loop);
}

void lauka_showing_valgrind(struct lauka_loop *loop, size_t done, size_t i)
{
    const size_t runs = loop->together * LAUKA_VALGRIND_RUNS;
    struct lauka_progress_step step = {
        .phase = "valgrind run", .number = done + 1, .total = done + runs - i};

    step.left_ns = valgrind_left_ns(loop, i);
    lauka_showing_step(loop, step);
}
