/* System calls and page faults that made a difference, in words. */
#ifndef LAUKA_REPORT_WORDS_CALLS_H
#define LAUKA_REPORT_WORDS_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/result.h"

/* "system calls: read +12 (3 → 15); page faults: the same", or why nothing is known about them. False if
 * nobody asked. The text is escaped. */
bool lauka_calls_sentence(const struct lauka_result *result, size_t command, bool utf8, char *text,
                          size_t size);

#endif
