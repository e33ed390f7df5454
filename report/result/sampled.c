/* What samples point to, as plain data. */
#include "report/result/sampled.h"

#include <stdlib.h>
#include <string.h>

struct lauka_sampled *lauka_sampled_add(struct lauka_result_sampled *sampled)
{
    struct lauka_sampled *grown = realloc(sampled->commands, (sampled->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    sampled->commands = grown;
    return memset(&grown[sampled->count++], 0, sizeof *grown);
}

struct lauka_sampled_row *lauka_sampled_add_row(struct lauka_sampled *sampled)
{
    struct lauka_sampled_row *grown =
        realloc(sampled->rows, (sampled->row_count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    sampled->rows = grown;
    return memset(&grown[sampled->row_count++], 0, sizeof *grown);
}

void lauka_sampled_done(struct lauka_result_sampled *sampled)
{
    for (size_t c = 0; c < sampled->count; c++) {
        struct lauka_sampled *command = &sampled->commands[c];
        for (size_t r = 0; r < command->row_count; r++) {
            free(command->rows[r].name);
            free(command->rows[r].object);
        }
        free(command->rows);
        free(command->reason);
    }
    free(sampled->commands);
    free(sampled->event);
    *sampled = (struct lauka_result_sampled){0};
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const standings[] = {"same", "changed", "unknown"};
static const char *const places[] = {"function", "object", "jit", "kernel", "unknown"};

/* Its place; `count` if it is not there. */
static size_t place_of(const char *name, const char *const *names, size_t count)
{
    size_t i = 0;
    while (i < count && (!name || strcmp(name, names[i]) != 0))
        i++;
    return i;
}

const char *lauka_sampled_standing_name(enum lauka_sampled_standing standing)
{
    return standings[standing];
}

bool lauka_sampled_standing_named(const char *name, enum lauka_sampled_standing *standing)
{
    size_t count = sizeof standings / sizeof *standings, place = place_of(name, standings, count);
    *standing = place < count ? (enum lauka_sampled_standing)place : LAUKA_SAMPLED_NOT_KNOWN;
    return place < count;
}

const char *lauka_sampled_place_name(enum lauka_sampled_place place)
{
    return places[place];
}

bool lauka_sampled_place_named(const char *name, enum lauka_sampled_place *place)
{
    size_t count = sizeof places / sizeof *places, found = place_of(name, places, count);
    *place = found < count ? (enum lauka_sampled_place)found : LAUKA_PLACE_UNKNOWN;
    return found < count;
}
