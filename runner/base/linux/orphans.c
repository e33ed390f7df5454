/* What a program leaves behind, on Linux: a subreaper (prctl(2)) becomes the parent of orphans, whatever group
 * or session they went to, and finds them in /proc. */
#include "runner/base/base.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

void lauka_orphans_adopt(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool lauka_orphans_bind(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == parent; /* otherwise it ended before */
}

/* The fourth field of /proc/PID/stat, behind the name in parentheses, which may hold anything. */
static pid_t parent_of(const char *pid)
{
    char path[64], text[512];

    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = '\0';
    const char *end = strrchr(text, ')');
    return end && strlen(end) > 4 ? (pid_t)atoi(end + 4) : -1;
}

void lauka_orphans_kill(void)
{
    DIR *processes = opendir("/proc");
    struct dirent *entry;

    while (processes && (entry = readdir(processes))) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (pid > 0 && parent_of(entry->d_name) == getpid())
            lauka_signal_process(pid, SIGKILL);
    }
    if (processes)
        closedir(processes);
}
