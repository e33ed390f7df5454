/* Becoming the user as whom files are opened and commands run: for good or, if root privileges are needed
 * again, for a while. */
#include "runner/command/command.h"
#include "runner/base/base.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    lauka_identity_forget_tool();
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
