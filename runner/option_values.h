/* Values of options, read and refused in one way. `option` is the name that an error shows; each fails
 * with LAUKA_EXIT_USAGE. */
#ifndef LAUKA_RUNNER_OPTION_VALUES_H
#define LAUKA_RUNNER_OPTION_VALUES_H

#include "runner/runner.h"

/* A whole number from `least` on. */
bool option_parse_count(const char *option, const char *text, uint64_t least, uint64_t *count,
                        struct lauka_error *error);

/* "5" (seconds), "500ms", "2m", in ns. */
bool option_parse_duration(const char *option, const char *text, uint64_t *ns,
                           struct lauka_error *error);

/* "1", "1%", "0.5 %": per cent, as a ratio. */
bool option_parse_percent(const char *option, const char *text, double *ratio,
                          struct lauka_error *error);

/* Appends a word that is kept, not copied. */
bool option_add_text(struct lauka_texts *texts, const char *text, struct lauka_error *error);

/* The value for the command at `index`: the only one, or its own; NULL: none was given. */
const char *option_text_for(const struct lauka_texts *texts, size_t index);

/* Whether there are none, one, or `count` of them; the error names both numbers. */
bool option_check_texts(const char *option, const struct lauka_texts *texts, size_t count,
                        struct lauka_error *error);

#endif
