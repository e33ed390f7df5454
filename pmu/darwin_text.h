/* darwin_text: what darwin_counters.c says of refusals. */
#ifndef LAUKA_PMU_DARWIN_TEXT_H
#define LAUKA_PMU_DARWIN_TEXT_H

#include "pmu/darwin.h"

/* "cannot STEP: ERROR; ADVICE" */
void lauka_darwin_explain(const char *step, int error, char *text, size_t size);

#endif
