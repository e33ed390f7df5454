/* A file that cachegrind or callgrind wrote of a process, and what its functions cost. */
#include "pmu/profile/profile.h"
#include "pmu/valgrind/valgrind.h"

#include "tests/fuzz/fuzz.h"

/* Even if the rest is refused, what was read is a profile. */
static void read_functions(const char *bytes, size_t size)
{
    struct lauka_profile profile = {0};
    int error = lauka_valgrind_functions_read(bytes, size, &profile);

    fuzz_require(!error || profile.damaged);
    for (size_t l = 0; l < profile.line_count; l++) {
        fuzz_require(profile.lines[l].function < profile.function_count);
        fuzz_require(profile.lines[l].file != NULL);
    }
    lauka_profile_done(&profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct lauka_valgrind_part part;

    read_functions((const char *)bytes, size);
    if (!lauka_valgrind_part_parse((const char *)bytes, size, &part))
        return 0;
    fuzz_require(part.from <= part.to);
    for (size_t c = 0; c < LAUKA_VALGRIND_COUNTS; c++)
        fuzz_require(part.counts[c] < UINT64_MAX);
    return 0;
}
