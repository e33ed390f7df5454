/* The encodings of HdrHistogram, and their form in base64, compressed or not; the first byte selects which. What
 * is read is written and read again unchanged. Double histograms are read where somebody asks for their unit, and
 * nothing else is different then. */
#include "report/hdr/hdr.h"
#include "stats/histogram.h"

#include <float.h>
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
    fuzz_require(lauka_hdr_text_decode(text, strlen(text), &again, NULL, &why) == 0);
    fuzz_require(lauka_histogram_total(&again) == lauka_histogram_total(histogram) - left_out);
    lauka_histogram_done(&again);
    free(text);
}

static int decode(bool is_text, const char *bytes, size_t size, struct lauka_histogram *histogram,
                  double *unit, const char **why)
{
    return is_text ? lauka_hdr_text_decode(bytes, size, histogram, unit, why)
                   : lauka_histogram_decode((const uint8_t *)bytes, size, histogram, unit, why);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct lauka_histogram histogram = {0}, plain = {0};
    const char *why = NULL;
    double unit = 0;

    if (size == 0)
        return 0;
    char *copy = fuzz_text(bytes + 1, size - 1);
    const int failure = decode(bytes[0] & 1, copy, size - 1, &histogram, &unit, &why);
    const int plain_failure = decode(bytes[0] & 1, copy, size - 1, &plain, NULL, &why);
    if (failure == 0) {
        fuzz_require(unit > 0 && unit <= DBL_MAX);
        fuzz_require(plain_failure == 0 || strcmp(why, LAUKA_HDR_IS_DOUBLE) == 0);
        check(&histogram);
    }
    lauka_histogram_done(&histogram);
    lauka_histogram_done(&plain);
    free(copy);
    return 0;
}
