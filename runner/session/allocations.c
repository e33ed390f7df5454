/* Which functions allocate more often than in the reference, by callgrind's counts of their calls. */
#include "runner/session/loop.h"
#include "pmu/profile/profile.h"
#include "report/result/lists.h"
#include "report/result/result.h"
#include "runner/attribution/attribution.h"
#include "runner/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 3, TEXT = 900 };

uint64_t lauka_allocations_count(const struct lauka_profile *profile)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < profile->line_count; i++)
        sum += profile->lines[i].cost.allocations;
    return sum;
}

/* Also where their instructions differ, as those of threads that wait do. */
static bool are_exact(const struct lauka_valgrind_runs *runs)
{
    bool exact = true;

    for (size_t c = 0; c < runs->options->run.command_count; c++) {
        const struct lauka_valgrind_sum *own = runs->commands[c].runs;
        exact = exact && own[0].counts[LAUKA_VALGRIND_ALLOCATIONS] ==
                             own[1].counts[LAUKA_VALGRIND_ALLOCATIONS];
    }
    return exact;
}

struct allocator {    /* a function that calls an allocator */
    const char *name; /* borrowed from a profile */
    uint64_t calls[2];
};

struct allocators {
    struct allocator *rows; /* owned; names are unique */
    size_t count;
    uint64_t sums[2];
};

/* Adds what the functions of one side call. Returns 0 or ENOMEM. */
static int add_side(const struct lauka_profile *profile, int side, struct allocators *all)
{
    for (size_t l = 0; l < profile->line_count; l++) {
        const uint64_t calls = profile->lines[l].cost.allocations;
        const char *name = profile->functions[profile->lines[l].function].name;
        size_t i = 0;
        if (calls == 0)
            continue;
        while (i < all->count && strcmp(all->rows[i].name, name) != 0)
            i++;
        if (i == all->count && !lauka_list_add(&all->rows, &all->count, sizeof *all->rows))
            return ENOMEM;
        all->rows[i].name = name;
        all->rows[i].calls[side] += calls;
        all->sums[side] += calls;
    }
    return 0;
}

static uint64_t change_of(const struct allocator *row)
{
    return lauka_attribution_distance(row->calls[0], row->calls[1]);
}

/* The largest change first; equal ones by name, so that the text is always the same. */
static int by_change(const void *a, const void *b)
{
    const struct allocator *one = a, *other = b;
    const uint64_t first = change_of(one), second = change_of(other);

    return first != second ? (first < second) - (first > second) : strcmp(one->name, other->name);
}

static int say(const struct allocators *all, size_t c, struct lauka_result *result)
{
    char text[TEXT];
    int used = snprintf(text, sizeof text,
                        "`%.200s` allocates %llu times, `%.200s` %llu times (valgrind):",
                        result->commands[c].label, (unsigned long long)all->sums[1],
                        result->commands[0].label, (unsigned long long)all->sums[0]);

    for (size_t i = 0; i < all->count && i < SHOWN && change_of(&all->rows[i]) > 0; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %.100s %s%llu",
                         i > 0 ? "," : "", *all->rows[i].name ? all->rows[i].name : "(no name)",
                         all->rows[i].calls[1] > all->rows[i].calls[0] ? "+" : "-",
                         (unsigned long long)change_of(&all->rows[i]));
    return lauka_result_warn(result, text);
}

static int compare(const struct lauka_profile *reference, const struct lauka_profile *own, size_t c,
                   struct lauka_result *result)
{
    struct allocators all = {0};
    int failure = add_side(reference, 0, &all);

    failure = failure ? failure : add_side(own, 1, &all);
    if (!failure && all.count > 0)
        qsort(all.rows, all.count, sizeof *all.rows, by_change);
    if (!failure && all.count > 0 && change_of(&all.rows[0]) > 0)
        failure = say(&all, c, result);
    free(all.rows);
    return failure;
}

/* Whether most of what runs has no names, and all is in one file: a program with libraries calls their allocators by
 * name, and single functions are without one in any static program. */
static bool is_nameless(const struct lauka_profile *profile)
{
    const char *only = NULL;
    uint64_t named = 0, nameless = 0;

    for (size_t l = 0; l < profile->line_count; l++) {
        const struct lauka_profile_line *line = &profile->lines[l];
        const struct lauka_profile_function *function = &profile->functions[line->function];
        *(*function->name ? &named : &nameless) += line->cost.instructions;
        if (!*function->object || strstr(function->object, "/ld-"))
            continue;
        if (only && strcmp(only, function->object) != 0)
            return false;
        only = function->object;
    }
    return nameless > named;
}

static int mark_nameless(struct lauka_result *result, size_t c, size_t metric)
{
    int failure = lauka_result_set_at_least(result, c, metric);

    return failure ? failure
                   : lauka_result_note(result,
                                       "`%.200s` is stripped and static: allocations in functions "
                                       "without names are not counted; keep its symbols",
                                       result->commands[c].label);
}

int lauka_allocations_explain(const struct lauka_valgrind_runs *runs, struct lauka_result *result)
{
    const size_t metric =
        lauka_result_metric_index(result, lauka_valgrind_events()[LAUKA_VALGRIND_ALLOCATIONS].name);
    const bool counted = metric < result->metric_count;
    int failure = 0;

    if (counted)
        result->metrics[metric].repeatable = are_exact(runs);
    for (size_t c = 0; c < result->command_count && !failure; c++) {
        if (counted && is_nameless(&runs->commands[c].profiles[0]))
            failure = mark_nameless(result, c, metric);
        if (!failure && c > 0)
            failure =
                compare(&runs->commands[0].profiles[0], &runs->commands[c].profiles[0], c, result);
    }
    return failure;
}
