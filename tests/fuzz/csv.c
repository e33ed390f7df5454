/* A table of lauka's, of hyperfine's, or of somebody else's, from which one column is read. */
#include "report/load/loader.h"

#include <errno.h>

#include "tests/fuzz/written.h"

static int load_csv(const struct lauka_stored *stored, struct lauka_session *session,
                    struct lauka_load_error *error)
{
    return lauka_session_init(session, 1) == 0
               ? lauka_load_csv(stored, &session->benchmarks[0], error)
               : ENOMEM;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const columns[] = {NULL, "1", "2", "mean"};

    if (size > 0)
        load_and_write(bytes, size, columns[bytes[0] % 4], load_csv);
    return 0;
}
