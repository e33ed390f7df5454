/* How the session went, and what more of it would bring. Part of report.h. */
#ifndef LAUKA_REPORT_COURSE_H
#define LAUKA_REPORT_COURSE_H

#include "report/report.h"

/* Whether commands mostly wait: CPU time is below a tenth of wall time in all of them. Goes through all
 * values; also during a session. */
bool lauka_result_mostly_waits(const struct lauka_result *result);

/* Whether the metric has a say in when enough is known: primary ones that are counted have. But of commands
 * that mostly wait (`waits`), wall time speaks for their CPU time, of which there is so little that nothing
 * would be precise. */
bool lauka_result_decides_end(const struct lauka_result *result, size_t metric, bool waits);

/* How wide an interval of fewer rounds is, says little of how wide one of many will be. */
enum { LAUKA_FEWEST_FORECAST = 10 };

/* "120 rounds after 1 warm-up in 12.34 s; time budget used up: about --max-time=25s for each command
 * would reach ±1 % in wall time; seed 42" */
void lauka_result_course(const struct lauka_result *result, bool utf8, char *text, size_t size);

/* Seconds of measuring that would bring what decides the end to the precision, which *metric needs; not
 * known where it is there, time is not what is missing, or the rounds are too few for a forecast. */
struct lauka_optional lauka_result_seconds_missing(const struct lauka_result *result, size_t *metric);

/* "40 s", "3 min", "2 h", rounded up; "days" from three on. Returns text. */
char *lauka_format_wait(double seconds, char *text, size_t size);

#endif
