/* Folders for the files of other programs. */
#include "runner/base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h> /* mkdtemp(3), on macOS */

int lauka_folder_make(const char *purpose, char folder[LAUKA_FOLDER_SIZE])
{
    const char *where = getenv("TMPDIR");

    if (!where || *where != '/' || strlen(where) > LAUKA_FOLDER_SIZE - 100)
        where = "/tmp";
    snprintf(folder, LAUKA_FOLDER_SIZE, "%s/lauka-%s-XXXXXX", where, purpose);
    if (mkdtemp(folder))
        return 0;
    *folder = '\0';
    return errno;
}
