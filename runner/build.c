/* What this build is: the one file that is compiled again for each commit. */
#include "runner/subcommands/subcommands.h"

const struct lauka_build lauka_this_build = {
    .version = LAUKA_VERSION,
    .commit = LAUKA_COMMIT,
    .target = LAUKA_TARGET,
    .libc_name = LAUKA_LIBC_NAME,
    .libc_version = LAUKA_LIBC_VERSION,
};
