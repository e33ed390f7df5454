/* The V2 encoding of HdrHistogram, and its compressed form in base64; the first byte selects which. What
 * is read is written and read again unchanged. */
#include "report/hdr/hdr.h"
#include "stats/histogram.h"

#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

static void check(struct lauka_histogram *histogram)
{
    struct lauka_histogram again = {0};
    uint64_t left_out;
    const char *why;
    char *text;

    if (lauka_hdr_text_encode(histogram, &text, &left_out) != 0)
        return;
    fuzz_require(lauka_hdr_text_decode(text, strlen(text), &again, &why) == 0);
    lauka_histogram_done(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct lauka_histogram histogram = {0};
    const char *why = NULL;

    if (size == 0)
        return 0;
    char *copy = fuzz_text(bytes + 1, size - 1);
    int failure = bytes[0] & 1
                      ? lauka_hdr_text_decode(copy, size - 1, &histogram, &why)
                      : lauka_histogram_decode((const uint8_t *)copy, size - 1, &histogram, &why);
    if (failure == 0)
        check(&histogram);
    lauka_histogram_done(&histogram);
    free(copy);
    return 0;
}
