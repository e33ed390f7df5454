/* The identity of a comment on a pull request, by which the next one replaces it. */
#include "runner/subcommands/subcommands.h"
#include "runner/options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether git keeps a repository in the first so many bytes of the path. */
static bool is_repository(const char *path, size_t length)
{
    char git[PATH_MAX + 8];

    snprintf(git, sizeof git, "%.*s/.git", (int)length, path);
    return access(git, F_OK) == 0;
}

/* The path within the repository; the whole one where there is none. */
static const char *within_repository(const char *path)
{
    for (size_t length = strlen(path); length > 0; length--)
        if (path[length] == '/' && is_repository(path, length))
            return path + length + 1;
    return path;
}

char *lauka_comment_id(const struct lauka_options *options)
{
    char whole[PATH_MAX];

    if (options->comment_id)
        return strdup(options->comment_id);
    if (!options->config_path)
        return NULL;
    return strdup(realpath(options->config_path, whole) ? within_repository(whole)
                                                        : options->config_path);
}
