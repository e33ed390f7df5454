/* A file that cachegrind or callgrind wrote of a process, and what its functions cost. */
#include "pmu/profile/profile.h"
#include "pmu/valgrind/valgrind.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* Also of a program that may talk to valgrind. */
static void look_for_requests(const uint8_t *bytes, size_t size)
{
    static int file = -1;
    static char path[64];

    if (file < 0) {
        file = memfd_create("program", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    fuzz_require(ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size);
    fuzz_require(lauka_valgrind_requests(path) <=
                 (LAUKA_VALGRIND_ASKS_CALLGRIND | LAUKA_VALGRIND_ASKS_CACHEGRIND));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct lauka_valgrind_part part;

    read_functions((const char *)bytes, size);
    look_for_requests(bytes, size);
    if (!lauka_valgrind_part_parse((const char *)bytes, size, &part))
        return 0;
    fuzz_require(part.from <= part.to);
    for (size_t c = 0; c < LAUKA_VALGRIND_COUNTS; c++)
        fuzz_require(part.counts[c] < UINT64_MAX);
    return 0;
}
