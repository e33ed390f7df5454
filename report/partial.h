/* partial: counts of a part of what a command did. */
#ifndef LAUKA_REPORT_PARTIAL_H
#define LAUKA_REPORT_PARTIAL_H

#include "report/report.h"

/* Whether something that the command did is in the metric by chance or not at all: its values are at
 * least what they are, or it is counted by events; or the system contradicts what was counted. */
bool lauka_result_is_partial(const struct lauka_result *result, size_t command, size_t metric);

/* Says that the command's values in the metric leave something out. Returns 0 or ENOMEM. */
int lauka_result_set_at_least(struct lauka_result *result, size_t command, size_t metric);
bool lauka_result_is_at_least(const struct lauka_result *result, size_t command, size_t metric);

/* Why, of two commands of which one is so: "only a part of what was done is counted". Static. */
const char *lauka_partial_reason(const struct lauka_result *result, size_t reference, size_t command);

/* Raises the doubts about such counts; and leaves comparisons of them, judged, inconclusive. */
void lauka_partial_doubt(struct lauka_result *result);
void lauka_partial_withhold(struct lauka_result *result);

#endif
