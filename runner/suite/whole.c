/* Processes that run all benchmarks, where starting one takes long: whichever benchmark is the first to want
 * a unit has it run, and the others find it here. */
#include "runner/suite/suite.h"

#include <stdlib.h>
#include <string.h>

struct lauka_whole_process *lauka_whole_at(struct lauka_whole *whole, size_t unit, size_t side)
{
    if (unit >= whole->capacity) {
        size_t capacity = 2 * unit + 16;
        void *grown = realloc(whole->units, capacity * sizeof *whole->units);
        if (!grown)
            return NULL;
        whole->units = grown;
        memset(whole->units + whole->capacity, 0,
               (capacity - whole->capacity) * sizeof *whole->units);
        whole->capacity = capacity;
    }
    if (unit >= whole->count)
        whole->count = unit + 1;
    return &whole->units[unit][side];
}

/* Starting is to take a fifth of the time at most, and a process about a second beside that. */
void lauka_whole_plan(struct lauka_whole *whole, uint64_t rounds_most, uint64_t round_ns,
                      uint64_t round_most_ns)
{
    enum { LEAST = 3, SHARE = 4 };
    uint64_t all_ns = 1; /* a round of all benchmarks */

    if (whole->rounds > 0 || whole->count == 0)
        return;
    for (size_t c = 0; c < 2; c++) {
        uint64_t took_ns = whole->units[0][c].took_ns;
        took_ns = took_ns > whole->start_ns ? (took_ns - whole->start_ns) / LAUKA_WHOLE_FIRST : 0;
        all_ns = took_ns > all_ns ? took_ns : all_ns;
    }
    uint64_t rounds = UINT64_C(1000000000) / all_ns;
    whole->rounds = rounds < LEAST ? LEAST : rounds < rounds_most ? rounds : rounds_most;
    uint64_t times = SHARE * whole->start_ns / (whole->rounds * all_ns);
    whole->round_ns = round_ns * (times < 1 ? 1 : times);
    if (whole->round_ns > round_most_ns)
        whole->round_ns = round_most_ns;
}

static void free_process(struct lauka_whole_process *process)
{
    free(process->text);
    free(process->tail);
}

void lauka_whole_done(struct lauka_whole *whole)
{
    for (size_t u = 0; whole && u < whole->count; u++)
        for (size_t c = 0; c < 2; c++)
            free_process(&whole->units[u][c]);
    if (whole)
        free(whole->units);
    free(whole);
}
