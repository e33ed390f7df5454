/* System calls of two sides, as plain data. */
#include "report/result/calls.h"

#include <stdlib.h>
#include <string.h>

struct lauka_calls *lauka_calls_add(struct lauka_result_calls *calls)
{
    struct lauka_calls *grown = realloc(calls->commands, (calls->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    calls->commands = grown;
    return memset(&grown[calls->count++], 0, sizeof *grown);
}

struct lauka_calls_row *lauka_calls_add_row(struct lauka_calls *calls)
{
    struct lauka_calls_row *grown = realloc(calls->rows, (calls->row_count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    calls->rows = grown;
    return memset(&grown[calls->row_count++], 0, sizeof *grown);
}

void lauka_calls_done(struct lauka_result_calls *calls)
{
    for (size_t c = 0; c < calls->count; c++) {
        for (size_t r = 0; r < calls->commands[c].row_count; r++)
            free(calls->commands[c].rows[r].name);
        free(calls->commands[c].rows);
        free(calls->commands[c].reason);
    }
    free(calls->commands);
    *calls = (struct lauka_result_calls){0};
}
