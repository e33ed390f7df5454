/* doubts: what speaks against trusting the numbers. */
#include "stats.h"

int lauka_doubts_of_series(const struct lauka_series *series, struct lauka_doubts *doubts)
{
    (void)series;
    *doubts = (struct lauka_doubts){0};
    return 0;
}

int lauka_doubts_of_order(const struct lauka_series *reference, const struct lauka_series *other,
                          const uint32_t *order, size_t commands, uint32_t reference_index,
                          uint32_t other_index, struct lauka_doubts *doubts)
{
    (void)reference, (void)other, (void)order, (void)commands;
    (void)reference_index, (void)other_index;
    doubts->raised[LAUKA_DOUBT_POSITION] = (struct lauka_optional){0};
    return 0;
}

void lauka_doubts_of_comparison(const struct lauka_comparison *comparison, double precision,
                                struct lauka_doubts *doubts)
{
    (void)comparison, (void)precision;
    doubts->raised[LAUKA_DOUBT_TAILS] = (struct lauka_optional){0};
}

void lauka_doubts_of_times(const struct lauka_comparison *wall, const struct lauka_comparison *cpu,
                           double precision, struct lauka_doubts *doubts)
{
    (void)wall, (void)cpu, (void)precision;
    doubts->raised[LAUKA_DOUBT_BUSY] = (struct lauka_optional){0};
}
