/* A finding about the machine before anything is known. */
#include "runner/machine/machine.h"

#include <stdio.h>

struct lauka_finding *lauka_finding_begin(struct lauka_finding *finding, const char *subject,
                                          const char *source, const char *effect, const char *cure)
{
    *finding = (struct lauka_finding){.subject = subject,
                                      .source = source,
                                      .effect = effect,
                                      .cure = cure,
                                      .weight = LAUKA_WEIGHT_UNKNOWN};
    snprintf(finding->found, sizeof finding->found, "the system does not say");
    return finding;
}
