/* The list of --events. */
#include "pmu/counters/counters.h"
#include "pmu/events/events.h"

#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct lauka_event_list list;
    char *text = fuzz_text(bytes, size);
    char why[700];

    list = (struct lauka_event_list){0};
    if (lauka_event_list_add(&list, text, LAUKA_SYSFS, why, sizeof why))
        fuzz_require(list.count <= LAUKA_COUNTERS_MAX);
    free(text);
    return 0;
}
