/* threads on macOS: what the kernel accounts to each thread of a process, by performance level, for
 * any process of the same user. Nothing is opened, so nothing has to be closed. */
#include "pmu/macos/darwin.h"
#include "pmu/counters/counters.h"
#include "pmu/threads/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* nothing has to be opened for a thread */

enum { IDS_MAX = 16384 };

struct process {
    size_t levels; /* entries of a thread's counts; 0: they are not to be had */
    uint64_t ids[IDS_MAX];
};

static int list(pid_t pid, uint64_t *ids, int count)
{
    errno = 0;
    int size = lauka_darwin()->proc_pidinfo(pid, LAUKA_PROC_PIDLISTTHREADIDS, 0, ids,
                                            count * (int)sizeof *ids);
    return size / (int)sizeof *ids;
}

static int why_none(void)
{
    return errno == EPERM ? EPERM : errno == ENOMEM ? ENOMEM : ESRCH;
}

/* Cycles and instructions are the thread's since it began, on all levels; user and kernel. */
int lauka_threads_attach(struct lauka_thread_table *table, const struct lauka_event *events,
                         size_t count)
{
    struct lauka_topology topology;
    struct process *process = calloc(1, sizeof *process);
    if (!process)
        return ENOMEM;
    table->system = process;
    int live = list(table->pid, process->ids, IDS_MAX);
    if (live <= 0 || count > 0)
        return live <= 0 ? why_none() : ENOTSUP;
    lauka_topology_detect(&topology);
    struct lauka_proc_threadcounts counts;
    int size = (int)(offsetof(struct lauka_proc_threadcounts, levels) +
                     topology.type_count * sizeof counts.levels[0]);
    for (int i = 0; i < live && process->levels == 0; i++) /* some may just have ended */
        if (lauka_darwin()->proc_pidinfo(table->pid, LAUKA_PROC_PIDTHREADCOUNTS, process->ids[i],
                                         &counts, size) > 0)
            process->levels = topology.type_count;
    table->shown.counts = process->levels > 0;
    table->shown.count_error = process->levels > 0 ? 0 : ENOTSUP;
    table->shown.counts_since_start = true;
    table->shown.type_count = process->levels > 1 ? process->levels : 1;
    for (size_t t = 0; process->levels > 1 && t < process->levels; t++)
        memcpy(table->shown.labels[t], topology.types[t].label, sizeof table->shown.labels[t]);
    return 0;
}

void lauka_threads_detach(struct lauka_thread_table *table)
{
    free(table->system);
    table->system = NULL;
}

int lauka_threads_begin(struct lauka_thread_table *table, uint64_t now_ns, bool changed)
{
    return 0;
}

int lauka_threads_list(struct lauka_thread_table *table, lauka_thread_seen *see)
{
    struct process *process = table->system;
    int count = list(table->pid, process->ids, IDS_MAX);
    if (count <= 0)
        return why_none();
    for (int i = 0; i < count; i++)
        see(table, process->ids[i]);
    return 0;
}

void lauka_thread_attach(struct lauka_thread_table *table, size_t index)
{
}

void lauka_thread_detach(struct lauka_thread_table *table, size_t index)
{
}

static struct lauka_use use_of(const struct lauka_proc_levelcounts *level)
{
    uint64_t user = lauka_darwin_ns(level->user_time);
    uint64_t system = lauka_darwin_ns(level->system_time);
    return (struct lauka_use){.time_ns = user + system,
                              .user_ns = user,
                              .system_ns = system,
                              .cycles = level->cycles,
                              .instructions = level->instructions,
                              .energy_nj = level->energy_nj};
}

static void read_levels(struct lauka_thread_table *table, size_t index)
{
    const struct process *process = table->system;
    struct lauka_thread *thread = &table->threads[index];
    struct lauka_proc_threadcounts counts = {0};
    int size = (int)(offsetof(struct lauka_proc_threadcounts, levels) +
                     process->levels * sizeof counts.levels[0]);
    if (lauka_darwin()->proc_pidinfo(table->pid, LAUKA_PROC_PIDTHREADCOUNTS, thread->id, &counts,
                                     size) <= 0)
        return;
    struct lauka_use total = {0};
    for (size_t t = 0; t < process->levels && t < counts.length; t++) {
        struct lauka_use use = use_of(&counts.levels[t]);
        thread->types[t] = use;
        total = lauka_use_plus(&total, &use);
        table->shown.energy = table->shown.energy || use.energy_nj > 0; /* VMs tell 0 */
    }
    thread->total = total;
}

void lauka_thread_read(struct lauka_thread_table *table, size_t index)
{
    const struct process *process = table->system;
    struct lauka_thread *thread = &table->threads[index];
    struct lauka_proc_threadinfo info;

    if (lauka_darwin()->proc_pidinfo(table->pid, LAUKA_PROC_PIDTHREADID64INFO, thread->id, &info,
                                     sizeof info) < (int)sizeof info)
        return;
    memcpy(thread->name, info.name, sizeof thread->name);
    thread->name[sizeof thread->name - 1] = '\0';
    if (process->levels > 0) {
        read_levels(table, index);
        return;
    }
    thread->total = (struct lauka_use){.time_ns = info.user_time + info.system_time,
                                       .user_ns = info.user_time,
                                       .system_ns = info.system_time,
                                       .cycles = LAUKA_UNKNOWN,
                                       .instructions = LAUKA_UNKNOWN};
}

/* What ended threads used is only known for the whole process. */
void lauka_threads_finish(struct lauka_thread_table *table)
{
    memset(&table->shown.gone, -1, sizeof table->shown.gone); /* LAUKA_UNKNOWN */
    table->shown.gone.estimated = false;
}
