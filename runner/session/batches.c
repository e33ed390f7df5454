/* Batches of rounds, and what the machine lacked in each. */
#include "runner/session/session.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/launch/launch.h"
#include "stats/stats.h"

enum { SECOND_NS = 1000000000 };

void lauka_batches_begin(struct lauka_batches *batches, uint64_t now_ns, unsigned cpu_count)
{
    *batches = (struct lauka_batches){
        .start_ns = now_ns, .last_ns = now_ns, .interval_ns = SECOND_NS, .cpu_count = cpu_count};
    lauka_disturbance_read(&batches->at_start);
    batches->at_last = batches->at_start;
}

/* The part of so many CPUs' time that it comes to. */
static struct lauka_optional share_of(uint64_t now, uint64_t before, uint64_t spent_ns,
                                      uint64_t cpus)
{
    bool known = now != LAUKA_UNKNOWN && before != LAUKA_UNKNOWN && spent_ns > 0 && cpus > 0;
    double share =
        known && now > before ? (double)(now - before) / (double)spent_ns / (double)cpus : 0;

    return (struct lauka_optional){known, share < 1 ? share : 1};
}

/* Steal is counted in ticks of 10 ms: over less than a second it is meaningless. */
static struct lauka_optional steal_of(const struct lauka_batches *batches, uint64_t now,
                                      uint64_t before, uint64_t spent_ns)
{
    struct lauka_optional share = share_of(now, before, spent_ns, batches->cpu_count);

    return spent_ns >= SECOND_NS ? share : (struct lauka_optional){0};
}

/* The average of both, weighted by their times. Unknown if one is unknown. */
static struct lauka_optional mean_of(struct lauka_optional a, struct lauka_optional b,
                                     double share_of_a)
{
    bool known = a.known && b.known;

    return (struct lauka_optional){known,
                                   known ? share_of_a * a.value + (1 - share_of_a) * b.value : 0};
}

static struct lauka_batch joined(const struct lauka_batch *a, const struct lauka_batch *b)
{
    double seconds = a->seconds + b->seconds, share = seconds > 0 ? a->seconds / seconds : 0;

    return (struct lauka_batch){.rounds = a->rounds + b->rounds,
                                .seconds = seconds,
                                .pressure = mean_of(a->pressure, b->pressure, share),
                                .steal = mean_of(a->steal, b->steal, share)};
}

/* Joins batches in pairs; from here on each takes twice as long. */
static void make_room(struct lauka_batches *batches, struct lauka_result_run *run)
{
    if (run->batch_count < LAUKA_BATCHES_MAX)
        return;
    for (size_t i = 0; i < LAUKA_BATCHES_MAX / 2; i++)
        run->batches[i] = joined(&run->batches[2 * i], &run->batches[2 * i + 1]);
    run->batch_count = LAUKA_BATCHES_MAX / 2;
    batches->interval_ns *= 2;
}

static void end_batch(struct lauka_batches *batches, uint64_t now_ns, struct lauka_result_run *run)
{
    struct lauka_disturbance now, last = batches->at_last;
    uint64_t spent_ns = now_ns - batches->last_ns;

    lauka_disturbance_read(&now);
    make_room(batches, run);
    run->batches[run->batch_count++] = (struct lauka_batch){
        .rounds = run->rounds - batches->rounds,
        .seconds = (double)spent_ns / 1e9,
        .pressure = share_of(now.pressure_ns, last.pressure_ns, spent_ns, 1),
        .steal = steal_of(batches, now.steal_ns, last.steal_ns, spent_ns),
    };
    batches->at_last = now;
    batches->last_ns = now_ns;
    batches->rounds = run->rounds;
}

void lauka_batches_round(struct lauka_batches *batches, uint64_t now_ns,
                         struct lauka_result_run *run)
{
    if (now_ns - batches->last_ns >= batches->interval_ns)
        end_batch(batches, now_ns, run);
}

void lauka_batches_restart(struct lauka_batches *batches, uint64_t now_ns,
                           struct lauka_result_run *run)
{
    if (batches->start_ns > 0 && run->rounds > batches->rounds)
        end_batch(batches, now_ns, run);
    batches->rounds = 0;
}

void lauka_batches_end(struct lauka_batches *batches, uint64_t now_ns, struct lauka_result_run *run)
{
    const struct lauka_disturbance *first = &batches->at_start, *last = &batches->at_last;
    uint64_t spent_ns = now_ns - batches->start_ns;

    if (batches->start_ns == 0)
        return;
    if (run->rounds > batches->rounds)
        end_batch(batches, now_ns, run);
    else
        lauka_disturbance_read(&batches->at_last);
    run->pressure = share_of(last->pressure_ns, first->pressure_ns, spent_ns, 1);
    run->steal = steal_of(batches, last->steal_ns, first->steal_ns, spent_ns);
}

/* ---- what short runs are spared ------------------------------------------------------------------ */

/* Extra measurements take some 40 us a run: nothing beside 10 ms, but half of what starting and reaping a
 * small program takes. */
#define SHORT_NS 1000000u

static const char *const in_passing[] = {"run_delay", "cpus_used", "cpu_migrations"};

static bool is_asked_for(const struct lauka_result *result)
{
    for (size_t i = 0; i < sizeof in_passing / sizeof *in_passing; i++) {
        size_t m = lauka_result_metric_index(result, in_passing[i]);
        if (m < result->metric_count && lauka_result_is_shown(result, m))
            return true;
    }
    return false;
}

/* The same for all commands: the shortest run decides. */
bool lauka_is_to_be_spared(const struct lauka_result *result, const struct lauka_sample *samples,
                           size_t first, size_t end)
{
    uint64_t shortest = UINT64_MAX;

    for (size_t c = first; c < end; c++)
        if (samples[c].usage.values[LAUKA_WALL_TIME] < shortest)
            shortest = samples[c].usage.values[LAUKA_WALL_TIME];
    return shortest < SHORT_NS && !is_asked_for(result);
}
