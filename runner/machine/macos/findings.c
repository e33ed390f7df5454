/* What macOS says about a machine that can disturb a measurement. Without private interfaces it says
 * little: what is not known stays unknown, never fine. */
#include "runner/machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/sysctl.h>

static struct lauka_finding *add(struct lauka_finding *findings, size_t *count, const char *subject,
                                 const char *source, const char *effect, const char *cure)
{
    return lauka_finding_begin(&findings[(*count)++], subject, source, effect, cure);
}

/* -1 where the machine does not know the name. */
static int read_number(const char *name)
{
    int value = 0;
    size_t size = sizeof value;

    return sysctlbyname(name, &value, &size, NULL, 0) == 0 ? value : -1;
}

static void find_load(struct lauka_finding *finding)
{
    const int cpus = read_number("hw.activecpu");
    double load[1];

    if (getloadavg(load, 1) != 1 || cpus < 0)
        return;
    finding->weight = load[0] >= cpus        ? LAUKA_WEIGHT_MATTERS
                      : load[0] > 0.5 * cpus ? LAUKA_WEIGHT_MINOR
                                             : LAUKA_WEIGHT_FINE;
    snprintf(finding->found, sizeof finding->found, "load average %.2f on %d CPUs", load[0], cpus);
}

/* The number is 1 where the process runs under Rosetta; an Intel machine does not know the name. */
static void find_translation(struct lauka_finding *finding)
{
    const bool translated = read_number("sysctl.proc_translated") > 0;

    finding->weight = translated ? LAUKA_WEIGHT_MATTERS : LAUKA_WEIGHT_FINE;
    snprintf(finding->found, sizeof finding->found, translated ? "lauka is translated" : "none");
}

/* What a shell or launchd has put into the background runs on efficiency cores, and so does all that it starts. */
static void find_clamp(struct lauka_finding *finding)
{
    const int background = getpriority(PRIO_DARWIN_PROCESS, 0);

    if (background < 0)
        return;
    finding->weight = background ? LAUKA_WEIGHT_MATTERS : LAUKA_WEIGHT_FINE;
    snprintf(finding->found, sizeof finding->found,
             background ? "on efficiency cores only" : "none");
}

/* The kernel ends the ownership of a killed process, and nothing that it had set. */
static void find_trace(struct lauka_finding *finding)
{
    const int state = read_number("ktrace.state"), owner = read_number("ktrace.owning_pid");

    if (state < 0)
        return;
    finding->weight = state == 0 ? LAUKA_WEIGHT_FINE : LAUKA_WEIGHT_MATTERS;
    if (state > 0 && owner > 0)
        snprintf(finding->found, sizeof finding->found, "process %d has it", owner);
    else
        snprintf(finding->found, sizeof finding->found,
                 state > 0 ? "on, and nobody has it" : "off");
}

/* They stay on when a session is killed, even after ktrace reset. Only root may ask. */
static void find_counters(struct lauka_finding *finding)
{
    const int counting = read_number("kpc.counting");

    if (counting < 0)
        return;
    finding->weight = counting ? LAUKA_WEIGHT_MINOR : LAUKA_WEIGHT_FINE;
    snprintf(finding->found, sizeof finding->found, counting ? "on already" : "off");
}

size_t lauka_findings_read(const char *root, uint64_t interval_ns,
                           struct lauka_finding findings[LAUKA_FINDINGS_MAX])
{
    size_t count = 0;

    (void)root;
    (void)interval_ns;
    find_load(add(findings, &count, "load", "getloadavg(3)",
                  "other programs use the CPUs: runs wait, and caches are shared",
                  "stop what else runs"));
    find_translation(add(findings, &count, "Rosetta", "sysctl sysctl.proc_translated",
                         "lauka itself is translated by Rosetta, and starts commands more slowly",
                         "use lauka for this machine's own architecture"));
    find_clamp(add(findings, &count, "background", "getpriority(2), PRIO_DARWIN_PROCESS",
                   "lauka and all commands are kept on efficiency cores",
                   "do not start it by taskpolicy -b or as a background job"));
    find_trace(add(findings, &count, "kernel trace", "sysctl ktrace.state",
                   "every system call takes longer, and counters may be taken",
                   "quit its process, or type sudo ktrace reset"));
    find_counters(add(findings, &count, "counters", "sysctl kpc.counting, as root",
                      "threads take longer to change, and clocks may be chosen otherwise",
                      "quit the program that counts, or type sudo lauka -r 1 true"));
    add(findings, &count, "low power mode", "pmset -g", "the clock is held down",
        "sudo pmset -a lowpowermode 0");
    add(findings, &count, "thermal", "pmset -g therm", "a hot CPU lowers its clock",
        "let it cool down");
    add(findings, &count, "battery", "pmset -g batt", "on battery the clock may be held down",
        "plug it in");
    return count;
}
