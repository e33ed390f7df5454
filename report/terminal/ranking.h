/* Three and more commands in the order of their speed. */
#ifndef LAUKA_REPORT_TERMINAL_RANKING_H
#define LAUKA_REPORT_TERMINAL_RANKING_H

#include <stdbool.h>

#include "report/result/result.h"
#include "report/text/prose.h"

/* A line for each command, the fastest first, and by how much each is slower than that, with an interval. Of many the
 * first ones. False, and nothing is written, if the commands cannot be ranked, or none is
 * known to be slower: see lauka_result_rank. */
bool lauka_put_ranking(struct lauka_prose *prose, const struct lauka_result *result);

#endif
