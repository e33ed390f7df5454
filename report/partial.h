/* partial: counts of a part of what a command did. */
#ifndef LAUKA_REPORT_PARTIAL_H
#define LAUKA_REPORT_PARTIAL_H

#include "report/report.h"

/* Whether the metric is counted by events, and the command did something that is in them by chance or
 * not at all. */
bool lauka_result_is_partial(const struct lauka_result *result, size_t command, size_t metric);

/* Raises the doubts about such counts; and leaves comparisons of them, judged, inconclusive. */
void lauka_partial_doubt(struct lauka_result *result);
void lauka_partial_withhold(struct lauka_result *result);

#endif
