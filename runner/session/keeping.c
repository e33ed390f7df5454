/* What is known of a benchmark while it is measured, for whoever finds it after a crash: it looks like the end of
 * an interrupted session. A crash must not lose more than a few seconds of work. */
#include "runner/session/loop.h"
#include "runner/session/session.h"
#include "report/result/result.h"

void lauka_loop_note_so_far(struct lauka_loop *loop)
{
    struct lauka_result_run *run = &loop->result->run;

    run->stopped = LAUKA_STOPPED_INTERRUPTED;
    run->alpha = lauka_enough_alpha(&loop->enough, run->stopped);
    run->measured = (double)loop->spent_ns / 1e9;
    run->seconds = (double)(loop->before_ns + loop->spent_ns) / 1e9;
}

/* Returns 0 or ENOMEM; lauka_summary_done in either case. The session itself goes on. */
static int summarise(struct lauka_loop *loop, struct lauka_result *summary)
{
    lauka_loop_note_so_far(loop);
    int error = lauka_summary_make(loop->result, &loop->bench->poured, summary);
    loop->result->run.stopped = LAUKA_STOPPED_ROUNDS;
    return error;
}

void lauka_loop_keep(struct lauka_loop *loop)
{
    uint64_t now = lauka_loop_now_ns(loop);
    struct lauka_result so_far;

    if (!loop->bench->keep || !loop->kind->real ||
        !lauka_summary_is_due(loop->kept_ns, loop->keeping_ns, now) ||
        loop->result->command_count * loop->result->metric_count > LAUKA_KEEP_STREAMS_MAX)
        return;
    if (summarise(loop, &so_far) == 0)
        loop->bench->keep(loop->bench->context, &so_far);
    lauka_summary_done(&so_far);
    loop->kept_ns = lauka_loop_now_ns(loop);
    loop->keeping_ns = loop->kept_ns - now;
}

int lauka_measurement_summarise(struct lauka_measurement *bench, struct lauka_result *summary)
{
    return bench->loop ? summarise(bench->loop, summary)
                       : lauka_summary_make(bench->result, &bench->poured, summary);
}
