/* Extra measurements take some 40 us a run: nothing beside 10 ms, but half of what starting and reaping a
 * small program takes. */
#include "runner/session/session.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/launch/launch.h"

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
bool lauka_is_to_be_spared(const struct lauka_result *result, const struct lauka_sample *samples)
{
    uint64_t shortest = UINT64_MAX;

    for (size_t c = 0; c < result->command_count; c++)
        if (samples[c].usage.values[LAUKA_WALL_TIME] < shortest)
            shortest = samples[c].usage.values[LAUKA_WALL_TIME];
    return shortest < SHORT_NS && !is_asked_for(result);
}
