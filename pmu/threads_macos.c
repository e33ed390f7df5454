/* threads on macOS: not yet. */
#include "pmu/threads.h"

#include <errno.h>

int lauka_threads_attach(struct lauka_thread_table *table)
{
    (void)table;
    return ENOTSUP;
}

void lauka_threads_detach(struct lauka_thread_table *table)
{
    (void)table;
}

int lauka_threads_begin(struct lauka_thread_table *table)
{
    (void)table;
    return ENOTSUP;
}

int lauka_threads_list(struct lauka_thread_table *table)
{
    (void)table;
    return ENOTSUP;
}

void lauka_thread_attach(struct lauka_thread_table *table, size_t index)
{
    (void)table;
    (void)index;
}

void lauka_thread_detach(struct lauka_thread_table *table, size_t index)
{
    (void)table;
    (void)index;
}

void lauka_thread_read(struct lauka_thread_table *table, size_t index)
{
    (void)table;
    (void)index;
}

void lauka_threads_finish(struct lauka_thread_table *table)
{
    (void)table;
}
