/* Partial counts: they contain only a part of what a command did. They are shown and doubted, and nothing
 * is concluded from them. Neither is from rounds in an order that was not drawn. */
#include "report/result/result.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_counter(const char *source)
{
    static const char *const sources[] = {"perf_event", "kperf", "residency", "cgroup"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (strncmp(source, sources[i], strlen(sources[i])) == 0)
            return true;
    return false;
}

/* A ratio of counts, or the cost of an item (cycles_per_item), is as good as what it is made of. */
static bool is_made_of_counts(const struct lauka_result *result, const char *name)
{
    const char *per = strstr(name, "_per_");
    if (!per)
        return true;
    for (size_t m = 0; m < result->metric_count; m++)
        if (strncmp(result->metrics[m].name, name, (size_t)(per - name)) == 0 &&
            is_counter(result->metrics[m].source))
            return true;
    return false;
}

static bool is_of_events(const struct lauka_result *result, size_t metric)
{
    const struct lauka_result_metric *about = &result->metrics[metric];
    return is_counter(about->source) ||
           (strcmp(about->source, "derived") == 0 && is_made_of_counts(result, about->name));
}

static bool holds_a_part(const struct lauka_result *result, size_t command, size_t metric)
{
    const struct lauka_result_command *about = &result->commands[command];
    return (about->left_behind > 0 || about->unwatched || about->contradicted > 0) &&
           result->metrics[metric].counted && is_of_events(result, metric);
}

/* Whether the times of its iterations never became steady. */
static bool is_unsteady(const struct lauka_result *result, size_t command, size_t metric)
{
    const char *name = result->metrics[metric].name;
    return result->commands[command].steady.class == LAUKA_STEADY_NONE &&
           (strcmp(name, "wall_time") == 0 || strcmp(name, "cpu_time") == 0);
}

static bool leaves_out(const struct lauka_result_command *about)
{
    return about->left_behind > 0 || about->unwatched || about->at_least;
}

const char *lauka_partial_reason(const struct lauka_result *result, size_t reference,
                                 size_t command)
{
    if (result->commands[reference].steady.class == LAUKA_STEADY_NONE ||
        result->commands[command].steady.class == LAUKA_STEADY_NONE)
        return "there is no steady state";
    return leaves_out(&result->commands[reference]) || leaves_out(&result->commands[command])
               ? "only a part of what was done is counted"
               : "the system contradicts the counts";
}

int lauka_result_set_at_least(struct lauka_result *result, size_t command, size_t metric)
{
    struct lauka_result_command *about = &result->commands[command];
    if (!about->at_least)
        about->at_least = calloc(result->metric_count, sizeof *about->at_least);
    if (!about->at_least)
        return ENOMEM;
    about->at_least[metric] = true;
    return 0;
}

bool lauka_result_is_at_least(const struct lauka_result *result, size_t command, size_t metric)
{
    const bool *at_least = result->commands[command].at_least;
    return at_least && at_least[metric];
}

bool lauka_result_is_partial(const struct lauka_result *result, size_t command, size_t metric)
{
    return lauka_result_is_at_least(result, command, metric) ||
           holds_a_part(result, command, metric) || is_unsteady(result, command, metric);
}

void lauka_partial_doubt(struct lauka_result *result)
{
    uint64_t rounds = result->run.rounds + result->run.warmup;
    for (size_t c = 0; c < result->command_count; c++)
        for (size_t m = 0; m < result->metric_count; m++) {
            const struct lauka_result_command *about = &result->commands[c];
            struct lauka_optional *raised = about->doubts[m].raised;
            double left = (double)about->left_behind;
            bool partial = holds_a_part(result, c, m);
            raised[LAUKA_DOUBT_LEFT_BEHIND] = (struct lauka_optional){
                partial && left > 0, left < (double)rounds ? left / (double)rounds : 1};
            raised[LAUKA_DOUBT_UNWATCHED] = (struct lauka_optional){partial && about->unwatched, 1};
        }
}

bool lauka_result_is_drawn(const struct lauka_result *result)
{
    const char *order = lauka_result_option(result, "order");
    return !order || (strcmp(order, "abba") != 0 && strcmp(order, "rotate") != 0);
}

/* A constant is the same in any order. */
static bool may_keep_step(const struct lauka_result *result, const struct lauka_comparison *values)
{
    return !lauka_result_is_drawn(result) && values->method != LAUKA_METHOD_EXACT;
}

void lauka_partial_withhold(struct lauka_result *result)
{
    for (size_t i = 0; i < result->comparison_count; i++) {
        struct lauka_result_comparison *comparison = &result->comparisons[i];
        bool at_least = lauka_result_is_at_least(result, 0, comparison->metric) ||
                        lauka_result_is_at_least(result, comparison->command, comparison->metric);
        if ((comparison->values.verdict == LAUKA_VERDICT_NONE && !at_least) ||
            (!may_keep_step(result, &comparison->values) &&
             !result->metrics[comparison->metric].apart &&
             !lauka_result_is_partial(result, 0, comparison->metric) &&
             !lauka_result_is_partial(result, comparison->command, comparison->metric)))
            continue;
        comparison->values.verdict = LAUKA_VERDICT_INCONCLUSIVE;
        comparison->values.below_precision = comparison->values.withdrawn = false;
    }
}

const char *lauka_result_option(const struct lauka_result *result, const char *name)
{
    for (size_t i = 0; i < result->option_count; i++)
        if (strcmp(result->options[i].name, name) == 0)
            return result->options[i].value;
    return NULL;
}
