/* A log of HdrHistogram. What its lines hold in base64 is fed to the decoder by histogram.c. */
#include "report/load/loader.h"

#include "tests/fuzz/written.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size > 0)
        load_and_write(bytes, size, NULL, lauka_load_hlog);
    return 0;
}
