/* Whether the file that a command executes is still the same. */
#include "runner/command/command.h"
#include "runner/base/base.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool lauka_executable_hash(const char *path, uint8_t digest[LAUKA_SHA256_SIZE])
{
    FILE *file = lauka_file_stream(path);

    if (!file)
        return false;
    bool good = lauka_sha256(file, digest);
    fclose(file);
    return good;
}

int lauka_executable_read(const char *path, struct lauka_executable *executable)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return errno;
    executable->device = about.st_dev;
    executable->inode = about.st_ino;
    executable->size = about.st_size;
    executable->changed = about.st_ctime;
    executable->hashed =
        lauka_executable_hash(path, executable->sha256); /* it may not be readable */
    return 0;
}

bool lauka_executable_is_same(const char *path, const struct lauka_executable *known)
{
    struct lauka_executable now = {0};

    if (lauka_executable_read(path, &now) != 0 || now.device != known->device ||
        now.inode != known->inode || now.size != known->size)
        return false;
    if (!now.hashed || !known->hashed)
        return now.changed == known->changed;
    return memcmp(now.sha256, known->sha256, sizeof now.sha256) == 0;
}

bool lauka_executable_has_same_content(const char *path, const struct lauka_executable *known)
{
    struct lauka_executable now = {0};

    return known->hashed && lauka_executable_read(path, &now) == 0 && now.hashed &&
           now.size == known->size && memcmp(now.sha256, known->sha256, sizeof now.sha256) == 0;
}
