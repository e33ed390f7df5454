/* A file for lauka compare, recognised by its content, such as plain numbers. The first byte selects
 * whether a column is asked for, and whether the file is compressed. */
#include "report/load/load.h"
#include "report/pack/pack.h"

#include "tests/fuzz/written.h"

static int load_zipped(const struct lauka_stored *stored, struct lauka_session *session,
                       struct lauka_load_error *error)
{
    struct lauka_stored zipped = *stored;
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, &zipped.size), *gzip = out ? lauka_gzip_open(out) : NULL;

    fuzz_require(gzip != NULL);
    fuzz_require(fwrite(stored->bytes, 1, stored->size, gzip) == stored->size);
    fuzz_require(fclose(gzip) == 0 && fclose(out) == 0);
    zipped.bytes = bytes;
    int failure = lauka_load_session(&zipped, session, error);
    free(bytes);
    return failure;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const columns[] = {NULL, "1", "2", "mean"};

    if (size > 0)
        load_and_write(bytes, size, columns[bytes[0] % 4],
                       bytes[0] & 128 ? load_zipped : lauka_load_session);
    return 0;
}
