/* A file that cachegrind or callgrind wrote of a process. */
#include "pmu/valgrind/valgrind.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct lauka_valgrind_part part;

    if (!lauka_valgrind_part_parse((const char *)bytes, size, &part))
        return 0;
    fuzz_require(part.from <= part.to);
    for (size_t c = 0; c < LAUKA_VALGRIND_COUNTS; c++)
        fuzz_require(part.counts[c] < UINT64_MAX);
    return 0;
}
