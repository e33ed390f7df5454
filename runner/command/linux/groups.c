/* As which groups files are opened, on Linux: those found before. The launcher cannot look them up again,
 * because its C library may know others. */
#include "runner/command/command.h"

#include <grp.h>

int lauka_identity_join_groups(const struct lauka_identity *identity)
{
    return setgroups((size_t)identity->group_count, identity->groups);
}
