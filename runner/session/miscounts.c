/* Runs that were not counted, or not completely: an event that could be opened before was refused, could
 * not be read, or was taken away; or the system's own count differs. */
#include "runner/session/session.h"
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/launch/launch.h"
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

const char lauka_miscounts_unwatched[] =
    "it starts a program that is set-uid or may not be read, and the kernel does not let other "
    "users count it; run lauka as root, or under sudo with --as-root";

int lauka_miscounts_init(struct lauka_miscounts *miscounts, const struct lauka_options *options,
                         const struct lauka_counters *counters)
{
    *miscounts = (struct lauka_miscounts){.options = options, .counters = counters};
    miscounts->uncounted = calloc(options->command_count, sizeof *miscounts->uncounted);
    miscounts->forked = calloc(options->command_count, sizeof *miscounts->forked);
    return miscounts->uncounted && miscounts->forked ? 0 : ENOMEM;
}

static bool heed_error(struct lauka_miscounts *miscounts, const struct lauka_sample *sample,
                       struct lauka_error *error)
{
    char name[LAUKA_EVENT_NAME_SIZE], why[600];

    if (miscounts->runs++ == 0) {
        miscounts->error = sample->count_error;
        miscounts->error_at = sample->count_error_at;
    }
    if (!miscounts->options->require_counters)
        return true;
    lauka_counters_name(miscounts->counters, sample->count_error_at, name, sizeof name);
    lauka_counters_explain(miscounts->counters, sample->count_error, why, sizeof why);
    return lauka_fail(error, LAUKA_EXIT_HOST, "--require-counters: cannot count %s: %s", name, why);
}

bool lauka_miscounts_add(struct lauka_miscounts *miscounts, size_t command,
                         const struct lauka_sample *sample, struct lauka_result_command *shown,
                         struct lauka_error *error)
{
    miscounts->uncounted[command] |= sample->uncounted;
    miscounts->forked[command] |= sample->forked;
    shown->unwatched |= sample->unwatched && !sample->uncounted;
    shown->contradicted += sample->contradicted;
    if ((sample->uncounted || sample->unwatched) && miscounts->options->require_counters)
        return lauka_fail(error, LAUKA_EXIT_HOST,
                          "--require-counters: `%.200s` was not counted: %s",
                          miscounts->options->commands[command].label, lauka_miscounts_unwatched);
    return !sample->count_error || heed_error(miscounts, sample, error);
}

static int warn_about_error(const struct lauka_miscounts *miscounts, struct lauka_result *result)
{
    char name[LAUKA_EVENT_NAME_SIZE], why[600], text[900];

    if (miscounts->runs == 0)
        return 0;
    lauka_counters_name(miscounts->counters, miscounts->error_at, name, sizeof name);
    lauka_counters_explain(miscounts->counters, miscounts->error, why, sizeof why);
    snprintf(text, sizeof text, "in %llu run%s not everything was counted, such as %s: %s",
             (unsigned long long)miscounts->runs, miscounts->runs == 1 ? "" : "s", name, why);
    return lauka_result_warn(result, text);
}

int lauka_miscounts_warn(const struct lauka_miscounts *miscounts, struct lauka_result *result)
{
    char text[1024];

    if (warn_about_error(miscounts, result) != 0)
        return ENOMEM;
    for (size_t c = 0; c < result->command_count; c++) {
        snprintf(text, sizeof text, "`%.200s` was not counted: %s", result->commands[c].label,
                 lauka_miscounts_unwatched);
        if (miscounts->uncounted[c] && lauka_result_warn(result, text) != 0)
            return ENOMEM;
    }
    return lauka_counter_notes(miscounts->counters, miscounts->forked,
                               miscounts->options->period_ns, result);
}

void lauka_miscounts_done(struct lauka_miscounts *miscounts)
{
    free(miscounts->uncounted);
    free(miscounts->forked);
}
