/* Commands in the order of their speed. */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>

static double mean_of(const struct lauka_result *result, size_t command)
{
    const struct lauka_summary *summary =
        lauka_result_summary(result, command, lauka_result_main_metric(result));
    return summary ? summary->mean : 0;
}

/* places[i]: where command i goes. The reference stays; equals keep their order. */
static void find_places(const struct lauka_result *result, size_t *places)
{
    for (size_t c = 0; c < result->command_count; c++) {
        places[c] = 0;
        for (size_t other = 0; c > 0 && other < result->command_count; other++) {
            double own = mean_of(result, c), its = mean_of(result, other);
            places[c] += other == 0 || its < own || (its == own && other < c);
        }
    }
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
    if (!error) {
        find_places(result, places);
        move_commands(result, places, moved);
        moved = NULL;
    }
    free(places);
    free(moved);
    return error;
}
