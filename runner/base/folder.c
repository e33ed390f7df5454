/* Folders for the files of other programs, which may leave anything in them. */
#include "runner/base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h> /* mkdtemp(3), on macOS */

/* Whoever still writes into a folder is not raced for longer. */
#define PATIENCE_NS UINT64_C(10000000000)

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

/* ---- its end ---------------------------------------------------------------------------------------- */

/* A folder that is being removed. What is in a folder in it is moved up into it, so that no path grows too long, and no
 * more than three descriptors are open, however deep that folder is. */
struct removal {
    int top;
    unsigned long moved; /* so many have got a name of their own there */
    bool worked;         /* in this pass something is gone, or has moved */
};

/* With all rights, which another program may have taken from its owner. -1: it is none, or it cannot be entered. */
static int enter(int parent, const char *name)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int folder = openat(parent, name, flags);

    if (folder < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0)
        folder = openat(parent, name, flags);
    if (folder >= 0)
        (void)fchmod(folder, 0700);
    return folder;
}

static bool remove_entry(int parent, const char *name)
{
    return unlinkat(parent, name, 0) == 0 || unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

/* Calls it for each entry. The folder is closed. */
static void visit(struct removal *removal, int folder,
                  void (*visitor)(struct removal *removal, int folder, const char *name))
{
    DIR *entries = fdopendir(folder);
    struct dirent *entry;

    while (entries && (entry = readdir(entries)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            visitor(removal, folder, entry->d_name);
    if (entries)
        closedir(entries);
    else
        close(folder);
}

/* To be moved, a folder has to be one that its owner may write to. */
static void move_up(struct removal *removal, int folder, const char *name)
{
    char own[40];
    bool done = remove_entry(folder, name);
    int inner = done ? -1 : enter(folder, name);

    if (inner >= 0)
        close(inner);
    snprintf(own, sizeof own, "lauka-%lu", removal->moved++);
    done = done || renameat(folder, name, removal->top, own) == 0;
    removal->worked |= done;
}

static void take_away(struct removal *removal, int top, const char *name)
{
    bool gone = remove_entry(top, name);
    int folder = gone ? -1 : enter(top, name);

    if (folder >= 0) {
        visit(removal, folder, move_up);
        gone = remove_entry(top, name);
    }
    removal->worked |= gone;
}

int lauka_folder_remove(const char *folder)
{
    struct removal removal = {.top = enter(AT_FDCWD, folder), .worked = true};
    uint64_t until_ns = lauka_now_ns() + PATIENCE_NS;

    while (rmdir(folder) != 0 && removal.worked && removal.top >= 0 && lauka_now_ns() < until_ns) {
        int entries = openat(removal.top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        removal.worked = false;
        if (entries >= 0)
            visit(&removal, entries, take_away);
    }
    if (removal.top >= 0)
        close(removal.top);
    else
        (void)unlink(folder); /* another program has put something else there */
    return rmdir(folder) == 0 || errno == ENOENT ? 0 : errno;
}
