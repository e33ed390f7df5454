/* Files with the symbols of stripped programs and libraries: where distributions and objcopy(1) put them,
 * and only if they belong to the same build. */
#include "pmu/samples/sampler.h"
#include "runner/base/base.h"
#include "runner/command/command.h"
#include "runner/session/loop.h"

#include <stdio.h>
#include <string.h>

enum { PLACES = 4, PATH_SIZE = 1200 };

/* By number; false: the name would be too long. */
static bool name_place(int place, const char *path, const char *build, char text[PATH_SIZE])
{
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash - path) : 0;
    int length = PATH_SIZE;

    if (place == 0)
        length = snprintf(text, PATH_SIZE, "/usr/lib/debug/.build-id/%.2s/%s.debug", build,
                          build + strnlen(build, 2));
    else if (place == 1)
        length = snprintf(text, PATH_SIZE, "/usr/lib/debug%s.debug", path);
    else if (place == 2)
        length = snprintf(text, PATH_SIZE, "%s.debug", path);
    else if (slash)
        length = snprintf(text, PATH_SIZE, "%.*s/.debug%s.debug", folder, path, slash);
    return length < PATH_SIZE;
}

static bool find_build(const char *path, char build[LAUKA_BUILD_ID_SIZE])
{
    FILE *file = lauka_file_stream(path);
    bool found = file && lauka_build_id_find(file, build);

    if (file)
        fclose(file);
    return found;
}

const void *lauka_debug_file_read(const char *path, size_t *size)
{
    char build[LAUKA_BUILD_ID_SIZE], other[LAUKA_BUILD_ID_SIZE], place[PATH_SIZE];

    if (!find_build(path, build))
        return NULL;
    for (int i = 0; i < PLACES; i++)
        if (name_place(i, path, build, place) && find_build(place, other) &&
            strcmp(build, other) == 0)
            return lauka_sampler_read_file(place, size);
    return NULL;
}
