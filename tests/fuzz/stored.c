/* A file for lauka compare, of which its content says what it is; plain numbers among others. The
 * first byte says whether a column is asked for. */
#include "report/load/load.h"

#include "tests/fuzz/written.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const columns[] = {NULL, "1", "2", "mean"};

    if (size > 0)
        load_and_write(bytes, size, columns[bytes[0] % 4], lauka_load_session);
    return 0;
}
