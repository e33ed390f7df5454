/* As whom commands run. Counters may need root; the commands never do. Under sudo the little process
 * that counts stays root, while the commands, and lauka itself with the files that it writes, are the
 * invoking user's. Without sudo everybody stays who he is: root in a container is root. */
#include "runner/doctor.h"

#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const sudo_variables[] = {"SUDO_UID", "SUDO_GID", "SUDO_USER", "SUDO_COMMAND"};

/* ---- who it was ------------------------------------------------------------------------------- */

static bool is_sudo_session(void)
{
    for (size_t i = 0; i < sizeof sudo_variables / sizeof *sudo_variables; i++)
        if (getenv(sudo_variables[i]))
            return true;
    return false;
}

static bool refuse(struct lauka_error *error, const char *why)
{
    return lauka_fail(error, LAUKA_EXIT_USAGE,
                      "sudo does not say whom the commands should run as: %s; run lauka through "
                      "sudo as that user, or run the commands as root with --as-root",
                      why);
}

/* Digits only, and not the -1 that means nobody. */
static bool read_id(const char *name, uint32_t *id, struct lauka_error *error)
{
    const char *text = getenv(name);
    char why[160];
    uint64_t value = 0;
    size_t length = text ? strlen(text) : 0;

    for (size_t i = 0; i < length && length <= 10; i++)
        value = isdigit((unsigned char)text[i]) ? value * 10 + (uint64_t)(text[i] - '0')
                                                : UINT64_MAX / 20;
    *id = (uint32_t)value;
    if (!text)
        snprintf(why, sizeof why, "%s is not set", name);
    else if (length == 0 || length > 10 || value >= UINT32_MAX)
        snprintf(why, sizeof why, "%s is \"%.40s\", which is no number of a user or group", name,
                 text);
    else if (value == 0)
        snprintf(why, sizeof why, "%s is 0, which is root", name);
    else
        return true;
    return refuse(error, why);
}

static bool belongs_to(const struct lauka_identity *identity, gid_t gid)
{
    for (int i = 0; i < identity->group_count; i++)
        if (identity->groups[i] == gid)
            return true;
    return false;
}

/* getgrouplist(3) has int where it means gid_t on macOS. */
static void read_groups(struct lauka_identity *identity, gid_t primary)
{
    identity->group_count = LAUKA_GROUPS_MAX;
    if (getgrouplist(identity->name, (LAUKA_GROUP_TYPE)primary,
                     (LAUKA_GROUP_TYPE *)identity->groups, &identity->group_count) < 0)
        identity->group_count = identity->group_count > LAUKA_GROUPS_MAX ? LAUKA_GROUPS_MAX
                                                                        : identity->group_count;
}

static bool read_account(struct lauka_identity *identity, struct lauka_error *error)
{
    const char *user = getenv("SUDO_USER");
    const struct passwd *account = getpwuid(identity->uid);
    char why[200];

    if (!account) {
        snprintf(why, sizeof why, "there is no user %u", (unsigned)identity->uid);
        return refuse(error, why);
    }
    if (user && strcmp(user, account->pw_name) != 0) {
        snprintf(why, sizeof why, "SUDO_USER is \"%.40s\", while user %u is %.40s", user,
                 (unsigned)identity->uid, account->pw_name);
        return refuse(error, why);
    }
    snprintf(identity->name, sizeof identity->name, "%s", account->pw_name);
    snprintf(identity->home, sizeof identity->home, "%s", account->pw_dir);
    snprintf(identity->shell, sizeof identity->shell, "%s", account->pw_shell);
    read_groups(identity, account->pw_gid);
    if (account->pw_gid == identity->gid || belongs_to(identity, identity->gid))
        return true;
    snprintf(why, sizeof why, "SUDO_GID is %u, a group that %.40s is not in",
             (unsigned)identity->gid, account->pw_name);
    return refuse(error, why);
}

bool lauka_identity_find(struct lauka_identity *identity, bool as_root, struct lauka_error *error)
{
    uint32_t uid, gid;

    *identity = (struct lauka_identity){.other = false};
    if (geteuid() != 0 || as_root || !is_sudo_session())
        return true;
    if (!read_id("SUDO_UID", &uid, error) || !read_id("SUDO_GID", &gid, error))
        return false;
    identity->uid = uid;
    identity->gid = gid;
    identity->other = true;
    return read_account(identity, error);
}

bool lauka_is_root(void)
{
    return geteuid() == 0;
}

/* ---- becoming it ------------------------------------------------------------------------------ */

int lauka_identity_assume(const struct lauka_identity *identity,
                          const struct lauka_identity_calls *calls)
{
    if (calls->set_groups(identity) != 0 || calls->set_group(identity->gid) != 0 ||
        calls->set_user(identity->uid) != 0)
        return errno ? errno : EPERM;
    /* Who can become root again has given nothing up. */
    if (calls->set_user(0) == 0 || calls->set_group(0) == 0)
        return EPERM;
    return 0;
}

static int set_groups(const struct lauka_identity *identity)
{
    return initgroups(identity->name, (LAUKA_GROUP_TYPE)identity->gid);
}

static int set_group(gid_t gid)
{
    return setgid(gid);
}

static int set_user(uid_t uid)
{
    return setuid(uid);
}

const struct lauka_identity_calls lauka_identity_system = {set_groups, set_group, set_user};

static void restore_environment(const struct lauka_identity *identity)
{
    setenv("HOME", identity->home, 1);
    setenv("USER", identity->name, 1);
    setenv("LOGNAME", identity->name, 1);
    setenv("SHELL", identity->shell, 1);
    unsetenv("MAIL");
    for (size_t i = 0; i < sizeof sudo_variables / sizeof *sudo_variables; i++)
        unsetenv(sudo_variables[i]);
}

bool lauka_identity_become(const struct lauka_identity *identity, struct lauka_error *error)
{
    if (!identity->other)
        return true;
    restore_environment(identity);
    int failure = lauka_identity_assume(identity, &lauka_identity_system);
    return failure == 0 || lauka_fail(error, LAUKA_EXIT_HOST,
                                      "cannot give root's rights up to become %s: %s; run the "
                                      "commands as root with --as-root",
                                      identity->name, strerror(failure));
}

static bool identity_groups_set; /* of this process */

/* For a file only: the real user stays root, and comes back. */
void lauka_identity_borrow(const struct lauka_identity *identity, bool on)
{
    if (!identity->other)
        return;
    if (on && !identity_groups_set) {
        identity_groups_set = true;
        (void)set_groups(identity); /* for good: who is root needs none */
    }
    if (on && setegid(identity->gid) == 0 && seteuid(identity->uid) == 0)
        return;
    if (seteuid(0) != 0 || setegid(0) != 0)
        _exit(LAUKA_EXIT_INTERNAL); /* cannot be: the saved user is root */
}
