/* A stored result, read again. */
#include "runner/subcommands/subcommands.h"
#include "report/load/load.h"
#include "runner/base/base.h"

#include <errno.h>
#include <stdlib.h>

bool lauka_stored_file_refuse(int failure, const struct lauka_load_error *reason,
                              struct lauka_error *error)
{
    return failure == ENOMEM ? lauka_fail_memory(error)
                             : lauka_fail(error, LAUKA_EXIT_USAGE, "%s", reason->text);
}

bool lauka_stored_file_read(const char *name, const char *column, struct lauka_stored_file *file,
                            struct lauka_error *error)
{
    struct lauka_load_error reason;
    size_t size = 0;

    file->name = name;
    char *bytes = lauka_file_read(name, &size, error);
    bool good = bytes != NULL;
    if (good) {
        const struct lauka_stored stored = {.name = name,
                                            .bytes = bytes,
                                            .size = size,
                                            .column = column,
                                            .forget = lauka_file_forget};
        int failure = lauka_load_session(&stored, &file->session, &reason);
        good = !failure || lauka_stored_file_refuse(failure, &reason, error);
    }
    free(bytes);
    return good;
}
