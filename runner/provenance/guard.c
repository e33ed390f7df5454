/* git, such that the settings of a repository execute nothing by themselves. The repository may come from
 * anybody: it was unpacked, or checked out to be looked at. Its settings can name a monitor of files, hooks, and
 * transports that fetch what is missing. Filters of contents are turned off by their names, by whoever asks. */
#include "runner/provenance/provenance.h"

const char *const lauka_guard_variables[] = {
    "GIT_OPTIONAL_LOCKS=0", /* the user's index stays as it is */
    "GIT_TERMINAL_PROMPT=0",   "GIT_NO_LAZY_FETCH=1",
    "GIT_ALLOW_PROTOCOL=none", /* the same for a git that does not know that yet; settings cannot allow any */
    "GIT_PAGER=cat",           NULL,
};

const char *const lauka_guard_settings[] = {
    "--no-pager",
    "-c",
    "core.fsmonitor=",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.allow=never",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "submodule.recurse=false",
    NULL,
};
