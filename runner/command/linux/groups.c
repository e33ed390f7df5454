/* As which groups files are opened, on Linux: those that were found. To ask for them once more would not do in the
 * launcher, whose C library may know others. */
#include "runner/command/command.h"

#include <grp.h>

int lauka_identity_join_groups(const struct lauka_identity *identity)
{
    return setgroups((size_t)identity->group_count, identity->groups);
}
