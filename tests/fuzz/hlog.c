/* A log of HdrHistogram. What its lines hold in base64 is fed to the decoder by histogram.c. */
#include "report/load/loader.h"

#include <errno.h>

#include "tests/fuzz/written.h"

static int load_hlog(const struct lauka_stored *stored, struct lauka_session *session,
                     struct lauka_load_error *error)
{
    return lauka_session_init(session, 1) == 0
               ? lauka_load_hlog(stored, &session->benchmarks[0], error)
               : ENOMEM;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size > 0)
        load_and_write(bytes, size, NULL, load_hlog);
    return 0;
}
