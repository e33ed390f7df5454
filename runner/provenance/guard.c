/* git, such that the settings of a repository execute nothing by themselves. The repository may come from
 * anybody: it was unpacked, or checked out to be looked at. Its settings can name a monitor of files, hooks, and
 * transports that fetch what is missing. Filters of contents are turned off by their names, by whoever asks. */
#include "runner/provenance/provenance.h"
#include "runner/base/base.h"

#include <stdlib.h>

extern char **environ;

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

const char **lauka_guard_environment(bool (*keeps)(const char *variable), const char *const *added)
{
    const char *const *const lists[] = {lauka_guard_variables, added};
    size_t count = lauka_words_count((const char *const *)environ), used = 0;
    const char **environment = calloc(
        count + lauka_words_count(lists[0]) + lauka_words_count(lists[1]) + 1, sizeof *environment);

    for (size_t i = 0; environment && i < count; i++)
        if (keeps(environ[i]))
            environment[used++] = environ[i];
    for (size_t list = 0; environment && list < 2; list++)
        for (size_t i = 0; lists[list] && lists[list][i]; i++)
            environment[used++] = lists[list][i];
    return environment;
}
