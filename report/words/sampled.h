/* What samples point to, in words and cells. */
#ifndef LAUKA_REPORT_WORDS_SAMPLED_H
#define LAUKA_REPORT_WORDS_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>

#include "report/result/result.h"
#include "report/words/why.h"

/* Of the command; NULL: it was not sampled. And the other way, of what was counted. */
const struct lauka_sampled *lauka_sampled_of(const struct lauka_result *result, size_t command);
const struct lauka_why *lauka_counted_of(const struct lauka_result *result, size_t command);

/* "time: +5.1 % [+4.7, +5.6]; samples point to parse_number, too: 21 % [19, 23] → 25 % [23, 27]", or why
 * nothing is known. Names are escaped. Returns text. */
char *lauka_sampled_sentence(const struct lauka_result *result, const struct lauka_sampled *sampled,
                             bool utf8, char *text, size_t size);

/* The claims, the largest difference first, at most `most`: "+4.1 points", names, "21 % [19, 23] → 25 %
 * [23, 27]". Returns how many rows. */
size_t lauka_sampled_rows(const struct lauka_sampled *sampled, size_t most, bool utf8,
                          struct lauka_why_row rows[LAUKA_WHY_ROWS_MOST]);

/* "2,410 and 2,530 samples (cpu-clock, 24 rounds, in user mode); 12 records were lost". Returns text. */
char *lauka_sampled_setting(const struct lauka_result *result, const struct lauka_sampled *sampled,
                            char *text, size_t size);

/* What to do about objects without symbols that changed; false if there are none. */
bool lauka_sampled_advice(const struct lauka_sampled *sampled, bool utf8, char *text, size_t size);

#endif
