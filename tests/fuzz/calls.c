/* A table of system calls, as strace writes it. */
#include "report/result/record.h"
#include "runner/attribution/attribution.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct lauka_call_counts counts = {0}, none = {0};
    struct lauka_calls calls = {0};

    int error = lauka_calls_read((const char *)bytes, size, &counts);
    fuzz_require((error == 0) == (counts.count > 0));
    for (size_t i = 0; i < counts.count; i++)
        fuzz_require(counts.counts[i].calls > 0 && counts.counts[i].name[0]);
    const struct lauka_call_counts sides[2][LAUKA_CALLS_RUNS] = {{counts, counts}, {none, none}};
    fuzz_require(lauka_calls_compare(sides, &calls) == 0);
    fuzz_require(calls.row_count == counts.count);
    lauka_record_done(&lauka_calls_record, &calls);
    lauka_call_counts_done(&counts);
    return 0;
}
