/* What counters leave out, and why: events that did not open, and what the rounds have shown of
 * counters that count whole runs. */
#include "runner/runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int warn(struct lauka_result *result, const char *text)
{
    return lauka_result_warn(result, text);
}

/* Whether a row of the tables is empty because something cannot be counted. */
static bool shows_a_gap(const struct lauka_result *result)
{
    for (size_t m = 0; m < result->metric_count; m++)
        if (lauka_result_is_shown(result, m) && !result->metrics[m].counted)
            return true;
    return false;
}

int lauka_counter_notes_opened(const struct lauka_counters *counters, bool asked,
                               struct lauka_result *result)
{
    char advice[2048]; /* a sentence for each way in which events were refused */
    int error = 0;

    if ((asked || shows_a_gap(result)) && lauka_counters_advice(counters, advice, sizeof advice))
        error = warn(result, advice);
    if (!error && counters->user_only)
        error =
            warn(result, "events marked :u are counted in user mode only: the kernel may not be "
                         "counted here (as root, or with kernel.perf_event_paranoid at 1 or "
                         "less, it may)");
    return error;
}

static int note_partial_runs(const struct lauka_counters *counters, struct lauka_result *result)
{
    char text[700];

    if (counters->partial_runs == 0)
        return 0;
    snprintf(text, sizeof text, "the counts of %llu runs were incomplete and are left out: %s",
             (unsigned long long)counters->partial_runs, counters->trouble);
    return warn(result, text);
}

static int note_samples(const struct lauka_counters *counters, uint64_t asked_ns,
                        struct lauka_result *result)
{
    char text[300];

    if (counters->sampled_ns == 0)
        return 0;
    bool clamped = asked_ns && counters->sampled_ns > asked_ns;
    snprintf(text, sizeof text,
             "running threads were sampled every %.3g ms%s, for those whose end is not seen; "
             "their counts are marked as estimates",
             (double)counters->sampled_ns / 1e6, clamped ? ", the least that macOS allows" : "");
    return warn(result, text);
}

/* A row that leaves a part of some command out is called so. */
static int rename_rows(struct lauka_result *result, char *names, size_t size)
{
    size_t used = 0;

    for (size_t m = 0; m < result->metric_count; m++) {
        struct lauka_result_metric *metric = &result->metrics[m];
        bool of_process = strcmp(metric->source, "rusage_info") == 0 ||
                          strcmp(metric->name, "cycles") == 0 ||
                          strcmp(metric->name, "instructions") == 0;
        if (!of_process || !metric->counted)
            continue;
        size_t length = strlen(metric->name) + sizeof ":process";
        char *marked = malloc(length);
        if (!marked)
            return ENOMEM;
        snprintf(marked, length, "%s:process", metric->name);
        free(metric->name);
        metric->name = marked;
        if (used < size)
            used += (size_t)snprintf(names + used, size - used, "%s%s", used ? ", " : "", marked);
    }
    return 0;
}

static int note_forks(const struct lauka_counters *counters, const bool *forked,
                      struct lauka_result *result)
{
    char names[400] = "", text[1000];
    size_t first = 0;

    while (first < result->command_count && !forked[first])
        first++;
    if (!counters->process_only || first == result->command_count)
        return 0;
    int failure = rename_rows(result, names, sizeof names);
    if (failure)
        return failure;
    snprintf(text, sizeof text,
             "`%.200s` started other processes, which %s leave out; run the program directly, or "
             "lauka under sudo",
             result->commands[first].label, names);
    return warn(result, text);
}

int lauka_counter_notes(const struct lauka_counters *counters, const bool *forked,
                        uint64_t asked_ns, struct lauka_result *result)
{
    if (!counters->whole_runs)
        return 0;
    int failure = note_partial_runs(counters, result);
    if (!failure)
        failure = note_samples(counters, asked_ns, result);
    return failure ? failure : note_forks(counters, forked, result);
}
