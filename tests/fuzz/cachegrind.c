/* A file that cachegrind wrote of a process. */
#include "pmu/pmu.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint64_t counts[LAUKA_SIMULATED_COUNTS];

    if (lauka_cachegrind_parse((const char *)bytes, size, counts))
        for (size_t c = 0; c < LAUKA_SIMULATED_COUNTS; c++)
            fuzz_require(counts[c] < UINT64_MAX);
    return 0;
}
