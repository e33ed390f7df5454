/* What a benchmark's loop shows of itself while it runs: where it is, how long it takes, what is known. */
#include "report/result/result.h"
#include "report/text/text.h"
#include "report/words/words.h"
#include "runner/base/base.h"
#include "runner/launch/launch.h"
#include "runner/options.h"
#include "runner/session/loop.h"
#include "runner/session/progress.h"
#include "runner/session/session.h"

#include <stdio.h>
#include <stdlib.h>

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
    struct lauka_change change;
    bool utf8 = progress->terminal.utf8;

    if (result->run.rounds < ESTIMATE_FROM || result->run.rounds > ESTIMATE_TO ||
        result->command_count < 2 || metric >= result->metric_count ||
        (progress->estimated_ns && now - progress->estimated_ns < 1000000000u) ||
        lauka_enough_estimate(&loop->enough, metric, &command, &comparison) != 0)
        return;
    progress->estimated_ns = now;
    char *name = lauka_fit_text(lauka_result_side(result, command), 20, utf8);
    lauka_change_format(&comparison, (struct lauka_scale){1, "", 0}, utf8, &change);
    snprintf(progress->estimate, sizeof progress->estimate, "%.60s %s %s", name ? name : "",
             change.estimate, change.interval);
    free(name);
}

enum { SECOND_MS = 1000 };

void lauka_showing_step(struct lauka_loop *loop, struct lauka_progress_step step)
{
    const struct lauka_measurement *bench = loop->bench;

    step.benchmark = loop->result->benchmark.name;
    step.place = bench->place;
    step.count = bench->count;
    step.left_ns += step.left_ns > 0 ? bench->others_left_ns : 0;
    if (loop->progress.enabled)
        lauka_launcher_tick(bench->launcher, SECOND_MS, lauka_progress_tick, &loop->progress);
    lauka_progress_show(&loop->progress, &step);
}

void lauka_showing_round(struct lauka_loop *loop)
{
    uint64_t rounds = loop->result->run.rounds, total = loop->options->rounds;
    struct lauka_progress_step step = {.phase = "round", .number = rounds + 1, .total = total};

    if (!loop->progress.enabled)
        return;
    estimate(loop);
    step.left_ns = lauka_enough_left_ns(&loop->enough, loop->spent_ns, loop->guess_ns);
    if (!total && rounds > 0 && step.left_ns > 0 && loop->spent_ns > 0) {
        double each_ns = (double)loop->spent_ns / (double)rounds;
        step.is_forecast = true;
        step.total = rounds + (uint64_t)((double)step.left_ns / each_ns) + 1;
    }
    lauka_showing_step(loop, step);
}

/* Before the first of them is over, nobody knows how long they take. */
void lauka_showing_warmup(struct lauka_loop *loop, uint64_t done, uint64_t spent_ns)
{
    struct lauka_progress_step step = {
        .phase = "warm-up", .number = done + 1, .total = loop->warmup};

    loop->guess_ns = done > 0 ? spent_ns / done : 0;
    step.left_ns = lauka_enough_left_ns(&loop->enough, 0, loop->guess_ns) +
                   loop->guess_ns * (loop->warmup - done);
    lauka_showing_step(loop, step);
}
