/* Commands in the order of their speed. */
#include "report/analysis/analysis.h"
#include "report/result/result.h"
#include "stats/stats.h"

#include <errno.h>
#include <stdlib.h>

static double mean_of(const struct lauka_result *result, size_t command)
{
    const struct lauka_summary *summary =
        lauka_result_summary(result, command, lauka_result_main_metric(result));
    return summary ? summary->mean : 0;
}

struct placed {
    double mean;
    size_t command;
};

static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    int order = (a->mean > b->mean) - (a->mean < b->mean);
    return order != 0 ? order : (a->command > b->command) - (a->command < b->command);
}

/* places[i]: where command i goes. The reference stays; equals keep their order. 0 or ENOMEM. */
static int find_places(const struct lauka_result *result, size_t *places)
{
    size_t count = result->command_count;
    struct placed *placed = calloc(count + 1, sizeof *placed);
    if (!placed)
        return ENOMEM;
    for (size_t c = 0; c < count; c++)
        placed[c] = (struct placed){mean_of(result, c), c};
    if (count > 2)
        qsort(placed + 1, count - 1, sizeof *placed, compare_placed);
    for (size_t i = 0; i < count; i++)
        places[placed[i].command] = i;
    free(placed);
    return 0;
}

static void move_commands(struct lauka_result *result, const size_t *places,
                          struct lauka_result_command *moved)
{
    for (size_t c = 0; c < result->command_count; c++)
        moved[places[c]] = result->commands[c];
    free(result->commands);
    result->commands = moved;
    for (uint64_t i = 0; result->run.order && i < result->run.rounds * result->command_count; i++)
        result->run.order[i] = (uint32_t)places[result->run.order[i]];
    if (result->failure.known)
        result->failure.command = places[result->failure.command];
}

int lauka_result_sort(struct lauka_result *result)
{
    size_t *places = malloc((result->command_count + 1) * sizeof *places);
    struct lauka_result_command *moved = calloc(result->command_count + 1, sizeof *moved);
    int error = places && moved ? lauka_result_analyse(result) : ENOMEM;
    if (!error)
        error = find_places(result, places);
    if (!error) {
        move_commands(result, places, moved);
        moved = NULL;
    }
    free(places);
    free(moved);
    return error;
}
