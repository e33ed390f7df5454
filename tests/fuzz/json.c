/* A result in JSON, of lauka or of hyperfine. */
#include "report/load/loader.h"

#include "tests/fuzz/written.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size > 0)
        load_and_write(bytes, size, NULL, lauka_load_json);
    return 0;
}
