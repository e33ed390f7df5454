/* JSON as other tools' writers print it. Python, google-benchmark and printf(3) write NaN, Infinity, -inf where JSON
 * has no number: such words are read as strings, so that only what needs the number does without it. */
#ifndef LAUKA_REPORT_LOAD_FOREIGN_H
#define LAUKA_REPORT_LOAD_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

struct cJSON;

/* Whether the whole text is a word for a number that is not finite. */
bool lauka_is_not_finite(const char *text, size_t length);

/* The length of such a word that stands outside of strings at the text's beginning; 0 if there is none. */
size_t lauka_foreign_word(const char *text, size_t size);

/* The word in place of a number, as it was written, borrowed; NULL if the item is anything else. */
const char *lauka_foreign_not_finite(const struct cJSON *item);

/* Parses what may be followed by anything else. *tree, owned, is NULL where that is not JSON, or nests deeper than 100
 * levels. Returns 0 or ENOMEM. */
int lauka_foreign_parse(const char *text, size_t size, struct cJSON **tree);

#endif
