/* As whom commands run. Counters may need root; the commands never do. Under sudo, doas or pkexec, the
 * small process that counts stays root, while the commands, and lauka itself with all files that it opens,
 * belong to the invoking user. Otherwise nobody changes: root in a container is root. */
#include "runner/command/command.h"
#include "runner/base/base.h"

#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What sudo(8), doas(1) and pkexec(1) tell the program that they start. run0(1) sets sudo's variables. */
static const struct {
    const char *variable, *tool;
} callers[] = {
    {"SUDO_UID", "sudo"},     {"SUDO_GID", "sudo"},  {"SUDO_USER", "sudo"},
    {"SUDO_COMMAND", "sudo"}, {"DOAS_USER", "doas"}, {"PKEXEC_UID", "pkexec"},
};
enum { CALLERS = sizeof callers / sizeof *callers };

/* About the root that lauka was started as: a process that has become the user since is no longer root. */
static const char *tool;

const char *lauka_identity_tool(void)
{
    for (size_t i = 0; i < CALLERS && !tool && (getuid() == 0 || geteuid() == 0); i++)
        if (getenv(callers[i].variable))
            tool = callers[i].tool;
    return tool;
}

static void forget_tool(void)
{
    for (size_t i = 0; i < CALLERS; i++)
        unsetenv(callers[i].variable);
}

__attribute__((format(printf, 2, 3))) static bool refuse(struct lauka_error *error,
                                                         const char *format, ...)
{
    char why[200];
    va_list values;

    va_start(values, format);
    vsnprintf(why, sizeof why, format, values);
    va_end(values);
    return lauka_fail(
        error, LAUKA_EXIT_USAGE,
        "cannot tell which user to run the commands as: %s; run lauka through sudo, doas or "
        "pkexec as that user, or run the commands as root with --as-root",
        why);
}

/* Digits only, and not the -1 that means nobody. */
static bool parse_id(const char *text, uint32_t *id)
{
    uint64_t value = 0;
    size_t length = strlen(text);

    for (size_t i = 0; i < length && length <= 10; i++)
        value = isdigit((unsigned char)text[i]) ? value * 10 + (uint64_t)(text[i] - '0')
                                                : UINT64_MAX / 20;
    *id = (uint32_t)value;
    return length > 0 && length <= 10 && value < UINT32_MAX;
}

static bool read_id(const char *name, uint32_t *id, struct lauka_error *error)
{
    const char *text = getenv(name);

    if (!text)
        return refuse(error, "%s is not set", name);
    if (!parse_id(text, id))
        return refuse(error, "%s is \"%.40s\", which is not a user or group ID", name, text);
    return *id != 0 || refuse(error, "%s is 0, which is root", name);
}

/* doas tells a name. */
static bool read_name(const char *name, uint32_t *id, struct lauka_error *error)
{
    const char *text = getenv(name);
    const struct passwd *account = getpwnam(text);

    if (!account)
        return refuse(error, "%s is \"%.40s\", and there is no such user", name, text);
    *id = account->pw_uid;
    return account->pw_uid != 0 || refuse(error, "%s is \"%.40s\", which is root", name, text);
}

bool lauka_identity_is_caller(uid_t uid)
{
    static const char *const numbers[] = {"SUDO_UID", "PKEXEC_UID"};
    const char *name = getenv("DOAS_USER");
    const struct passwd *account = name ? getpwnam(name) : NULL;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const char *text = getenv(numbers[i]);
        uint32_t id;
        if (text && parse_id(text, &id) && id == uid)
            return true;
    }
    return account && account->pw_uid == uid;
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
        identity->group_count =
            identity->group_count > LAUKA_GROUPS_MAX ? LAUKA_GROUPS_MAX : identity->group_count;
}

static bool read_account(struct lauka_identity *identity, struct lauka_error *error)
{
    const char *user = getenv("SUDO_USER");
    const struct passwd *account = getpwuid(identity->uid);

    if (!account)
        return refuse(error, "there is no user %u", (unsigned)identity->uid);
    if (user && strcmp(user, account->pw_name) != 0)
        return refuse(error, "SUDO_USER is \"%.40s\", while user %u is %.40s", user,
                      (unsigned)identity->uid, account->pw_name);
    snprintf(identity->name, sizeof identity->name, "%s", account->pw_name);
    snprintf(identity->home, sizeof identity->home, "%s", account->pw_dir);
    snprintf(identity->shell, sizeof identity->shell, "%s", account->pw_shell);
    read_groups(identity, account->pw_gid);
    if (!getenv("SUDO_GID")) /* only sudo tells a group */
        identity->gid = account->pw_gid;
    if (identity->gid == 0)
        return refuse(error, "the group of %.40s is 0, which is root", account->pw_name);
    if (account->pw_gid == identity->gid || belongs_to(identity, identity->gid))
        return true;
    return refuse(error, "SUDO_GID is %u, a group that %.40s is not in", (unsigned)identity->gid,
                  account->pw_name);
}

/* If one of these tools called another, the environment does not say which: the user counts only if all of
 * them name the same one. */
static bool take_uid(struct lauka_identity *identity, const char **told_by, const char *variable,
                     uint32_t uid, struct lauka_error *error)
{
    if (*told_by && identity->uid != uid)
        return refuse(error, "%s names user %u, and %s names user %u", *told_by,
                      (unsigned)identity->uid, variable, (unsigned)uid);
    *told_by = variable;
    identity->uid = uid;
    return true;
}

static bool read_caller(struct lauka_identity *identity, struct lauka_error *error)
{
    const char *told_by = NULL;
    uint32_t uid, gid = 0;
    bool is_sudo = false;

    for (size_t i = 0; i < CALLERS; i++)
        is_sudo |= getenv(callers[i].variable) && strcmp(callers[i].tool, "sudo") == 0;
    if (is_sudo && (!read_id("SUDO_UID", &uid, error) || !read_id("SUDO_GID", &gid, error) ||
                    !take_uid(identity, &told_by, "SUDO_UID", uid, error)))
        return false;
    if (getenv("DOAS_USER") && (!read_name("DOAS_USER", &uid, error) ||
                                !take_uid(identity, &told_by, "DOAS_USER", uid, error)))
        return false;
    identity->gid = gid;
    return !getenv("PKEXEC_UID") || (read_id("PKEXEC_UID", &uid, error) &&
                                     take_uid(identity, &told_by, "PKEXEC_UID", uid, error));
}

bool lauka_identity_find(struct lauka_identity *identity, bool as_root, struct lauka_error *error)
{
    *identity = (struct lauka_identity){.other = false};
    if (as_root || geteuid() != 0 || !lauka_identity_tool())
        return true;
    if (!read_caller(identity, error) || !read_account(identity, error))
        return false;
    identity->other = true;
    return true;
}

/* ---- becoming that user: for good or, if root privileges are needed again, for a while ---------------- */

int lauka_identity_assume(const struct lauka_identity *identity,
                          const struct lauka_identity_calls *calls)
{
    if (calls->set_groups(identity) != 0 || calls->set_group(identity->gid) != 0 ||
        calls->set_user(identity->uid) != 0)
        return errno ? errno : EPERM;
    /* A process that can become root again has given up nothing. */
    if (calls->set_user(0) == 0 || calls->set_group(0) == 0)
        return EPERM;
    return 0;
}

static bool identity_groups_set; /* of this process, and of those that it forks */

/* They are looked up once. On macOS each look-up wakes a daemon, which would be just before the command. */
static int set_groups(const struct lauka_identity *identity)
{
    return identity_groups_set ? 0 : initgroups(identity->name, (LAUKA_GROUP_TYPE)identity->gid);
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
    forget_tool();
}

bool lauka_identity_become(const struct lauka_identity *identity, struct lauka_error *error)
{
    if (!identity->other)
        return true;
    restore_environment(identity);
    int failure = lauka_identity_assume(identity, &lauka_identity_system);
    return failure == 0 || lauka_fail(error, LAUKA_EXIT_HOST,
                                      "cannot drop root privileges to become %s: %s; run the "
                                      "commands as root with --as-root",
                                      identity->name, strerror(failure));
}

/* By write(2): of the launcher's program this is all that is ever printed. */
static _Noreturn void end_without(const struct lauka_identity *identity, int failure)
{
    char text[400];

    snprintf(
        text, sizeof text,
        "lauka: cannot open files as %.100s: %.100s; run the commands as root with --as-root\n",
        identity->name, strerror(failure));
    ssize_t written = write(STDERR_FILENO, text, strlen(text)); /* there is nobody else to tell */
    (void)written;
    _exit(LAUKA_EXIT_HOST);
}

/* For one file only: the real user stays root, and comes back. Nothing is opened as root instead. */
void lauka_identity_borrow(const struct lauka_identity *identity, bool on)
{
    bool good = true;

    if (!identity->other)
        return;
    if (on && !identity_groups_set) {
        identity_groups_set = true;
        good = lauka_identity_join_groups(identity) == 0; /* for good: who is root needs none */
    }
    if (on ? good && setegid(identity->gid) == 0 && seteuid(identity->uid) == 0
           : seteuid(0) == 0 && setegid(0) == 0)
        return;
    end_without(identity, errno);
}
