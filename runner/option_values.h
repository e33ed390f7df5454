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

#endif
