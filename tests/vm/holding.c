/* Runs a command while a counter of every CPU is taken, as the NMI watchdog takes one: by a pinned
 * event of whatever runs there, which gives its counter to nobody. `holding COMMAND...` */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = PERF_ATTR_SIZE_VER0;
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.pinned = 1;
    for (long cpu = 0; cpu < cpus; cpu++)
        if (syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, 0) < 0) {
            perror("perf_event_open");
            return 125;
        }
    if (argc > 1)
        execvp(argv[1], argv + 1);
    perror("exec");
    return 125;
}
