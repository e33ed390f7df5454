/* darwin_text: why counters are not available on this Mac, and what to do: "reason; advice". */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pmu/macos/darwin.h"

/* Who has the trace: ktrace tells everybody. Empty where nobody does. */
static void name_owner(char *text, size_t size)
{
    char name[128] = "";
    int pid = 0;
    size_t name_size = sizeof name - 1, pid_size = sizeof pid;
    const struct lauka_darwin *darwin = lauka_darwin();

    text[0] = '\0';
    if (darwin->sysctlbyname("ktrace.owning_pid", &pid, &pid_size, NULL, 0) != 0 || pid <= 0)
        return;
    if (darwin->sysctlbyname("ktrace.configured_by", name, &name_size, NULL, 0) != 0)
        name[0] = '\0';
    snprintf(text, size, " (%s%spid %d)", name, *name ? ", " : "", pid);
}

static const char *advice(int error, const char *step)
{
    bool chooses = strcmp(step, "choose the events") == 0 || strcmp(step, "change the events") == 0;
    switch (error) {
    case EPERM:
        return chooses ? "this macOS does not allow one of the events on this chip; leave events "
                         "out, or update macOS"
                       : "macOS refuses even root here; restart the Mac, or report it with the "
                         "output of lauka doctor --selftest";
    case EACCES:
        return "another program has taken the counters (Instruments, xctrace or another lauka?); "
               "quit it";
    case EBUSY:
        return "another program is using them (Instruments, xctrace, ktrace, fs_usage?); quit it";
    case ENOTSUP:
        return "not all counters are there, as in a virtual machine; run on the Mac itself";
    case ENOSPC:
    case ENOMEM:
        return "there is no memory for it; quit other programs";
    default:
        return "report it with the output of lauka doctor --selftest";
    }
}

void lauka_darwin_explain(const char *step, int error, char *text, size_t size)
{
    char owner[200] = "";

    if (error == EBUSY)
        name_owner(owner, sizeof owner);
    snprintf(text, size, "cannot %s: %s%s; %s", step, strerror(error), owner, advice(error, step));
}
