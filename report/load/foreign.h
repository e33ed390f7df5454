/* JSON from the writers of other tools. Python, google-benchmark and printf(3) write NaN, Infinity or -inf, for which
 * JSON has no number. Such words are read as strings, so that only code that needs the number must do without it. */
#ifndef LAUKA_REPORT_LOAD_FOREIGN_H
#define LAUKA_REPORT_LOAD_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

struct cJSON;

/* Whether the whole text is a word for a number that is not finite. */
bool lauka_is_not_finite(const char *text, size_t length);

/* The length of such a word, outside of strings, at the start of the text; 0 if there is none. */
size_t lauka_foreign_word(const char *text, size_t size);

/* The word in place of a number, as written, borrowed; NULL for other items. */
const char *lauka_foreign_not_finite(const struct cJSON *item);

/* Parses JSON that other text may follow. *tree, owned, is NULL if it is not JSON, or nests deeper
 * than 100 levels. Returns 0 or ENOMEM. */
int lauka_foreign_parse(const char *text, size_t size, struct cJSON **tree);

#endif
