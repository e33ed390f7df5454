/* As which groups files are opened, on macOS: setgroups(2) takes at most 16, and this lets the system find
 * more. */
#include "runner/command/command.h"

#include <grp.h>
#include <unistd.h>

int lauka_identity_join_groups(const struct lauka_identity *identity)
{
    return initgroups(identity->name, (LAUKA_GROUP_TYPE)identity->gid);
}
