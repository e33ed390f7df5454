/* threads: the table of a live process's threads, read after read. Threads are found again by their ids.
 * Systems list them in the same order every time, so one look is usually enough. */
#include "pmu/threads/threads.h"
#include "pmu/counters/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const struct lauka_use nothing = {0};

/* ---- the table ------------------------------------------------------------------------------- */

static struct lauka_thread_table *table_of(struct lauka_threads *threads)
{
    return (struct lauka_thread_table *)threads; /* its first member */
}

static bool grow(void **array, size_t size, size_t capacity)
{
    void *grown = capacity <= SIZE_MAX / size ? realloc(*array, capacity * size) : NULL;
    if (grown)
        *array = grown;
    return grown != NULL;
}

int lauka_threads_reserve(struct lauka_threads *threads, size_t capacity)
{
    struct lauka_thread_table *table = table_of(threads);
    void *rows = table->threads, *sources = table->sources, *seen = table->seen;
    if (capacity <= threads->capacity)
        return 0;
    bool grown = grow(&rows, sizeof *table->threads, capacity);
    grown = grow(&sources, sizeof *table->sources, capacity) && grown;
    grown = grow(&seen, sizeof *table->seen, capacity) && grown;
    table->threads = rows;
    table->sources = sources;
    table->seen = seen;
    threads->threads = rows;
    if (grown)
        threads->capacity = capacity;
    return grown ? 0 : ENOMEM;
}

static void add(struct lauka_thread_table *table, uint64_t id)
{
    struct lauka_threads *shown = &table->shown;
    shown->begun++;
    if (shown->count == shown->capacity) {
        shown->left_out++;
        return;
    }
    size_t index = shown->count++;
    table->threads[index] = (struct lauka_thread){.id = id, .is_new = true};
    table->seen[index] = true;
    table->sources[index] = (struct lauka_thread_source){.times = -1, .names = -1};
    for (size_t k = 0; k < LAUKA_CORE_TYPES_MAX; k++)
        table->sources[index].counts[k] = table->sources[index].members[k] = -1;
    memset(table->sources[index].events, -1, sizeof table->sources[index].events);
    lauka_thread_attach(table, index);
}

static void see(struct lauka_thread_table *table, uint64_t id)
{
    size_t count = table->shown.count;
    for (size_t i = 0; i < count; i++) {
        size_t index = (table->cursor + i) % count;
        if (table->threads[index].id != id)
            continue;
        table->seen[index] = true;
        table->cursor = index + 1;
        return;
    }
    add(table, id);
}

/* From now on the thread counts as gone, and what it had used at the last read belongs to the gone ones:
 * that was reported already. */
static void drop(struct lauka_thread_table *table, size_t index)
{
    struct lauka_threads *shown = &table->shown;
    shown->gone_before = lauka_use_plus(&shown->gone_before, &table->threads[index].total_before);
    shown->ended++;
    lauka_thread_detach(table, index);
}

/* Removes threads that the list no longer had; the others move together. */
static void drop_ended(struct lauka_thread_table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->shown.count; i++) {
        if (!table->seen[i]) {
            drop(table, i);
            continue;
        }
        if (kept != i) {
            table->threads[kept] = table->threads[i];
            table->sources[kept] = table->sources[i];
        }
        kept++;
    }
    table->shown.count = kept;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void turn_the_page(struct lauka_thread_table *table)
{
    struct lauka_threads *shown = &table->shown;
    for (size_t i = 0; i < shown->count; i++) {
        struct lauka_thread *thread = &table->threads[i];
        thread->is_new = false;
        thread->total_before = thread->total;
        memcpy(thread->types_before, thread->types, sizeof thread->types);
        table->seen[i] = false;
    }
    shown->gone_before = shown->gone;
    shown->before_ns = shown->at_ns;
    shown->begun = shown->ended = 0;
    shown->left_out = 0;
    table->cursor = 0;
}

/* Whether there may be others than were listed last, apart from threads that no longer answer. */
static bool has_changed(const struct lauka_thread_table *table)
{
    struct stat about;
    size_t links = table->shown.count + 2;
    return table->folder < 0 || fstat(table->folder, &about) != 0 ||
           (size_t)about.st_nlink != links;
}

/* Whether all of them answered. */
static bool read_listed(struct lauka_thread_table *table)
{
    bool answered = table->shown.count > 0;
    for (size_t i = 0; i < table->shown.count; i++) {
        lauka_thread_read(table, i);
        answered = answered && !table->sources[i].gone;
    }
    return answered;
}

static int list_and_read(struct lauka_thread_table *table)
{
    int error = lauka_threads_list(table, see);
    if (error)
        return error;
    drop_ended(table);
    read_listed(table); /* who ended since is missed next time */
    return 0;
}

int lauka_threads_read(struct lauka_threads *threads)
{
    struct lauka_thread_table *table = table_of(threads);
    uint64_t at_ns = now_ns();
    bool changed = has_changed(table);
    int error = lauka_threads_begin(table, at_ns, changed);
    if (error)
        return error;
    turn_the_page(table);
    threads->at_ns = at_ns;
    /* Listing threads costs more than reading them: if there are as many as before, and all still answer,
     * they are the same. */
    bool answered = !changed && read_listed(table);
    if (!changed && !answered)
        error = lauka_threads_begin(table, at_ns, true);
    if (!error && !answered)
        error = list_and_read(table);
    if (!error)
        lauka_threads_finish(table);
    return error;
}

/* ---- open and close -------------------------------------------------------------------------- */

int lauka_threads_open(pid_t pid, const struct lauka_event *events, size_t count,
                       struct lauka_threads **threads)
{
    enum { CAPACITY = 64 }; /* threads of an ordinary process */
    struct lauka_thread_table *table = calloc(1, sizeof *table);
    if (!table)
        return ENOMEM;
    table->pid = pid;
    table->shown.type_count = 1;
    table->shown.descriptor = table->folder = -1;
    table->shown.gone = table->shown.gone_before = nothing;
    int error = lauka_threads_reserve(&table->shown, CAPACITY);
    if (!error)
        error = lauka_threads_attach(table, events, count);
    if (error) {
        lauka_threads_close(&table->shown);
        return error;
    }
    *threads = &table->shown;
    return 0;
}

void lauka_threads_close(struct lauka_threads *threads)
{
    struct lauka_thread_table *table = table_of(threads);
    if (!threads)
        return;
    for (size_t i = 0; i < threads->count; i++)
        lauka_thread_detach(table, i);
    lauka_threads_detach(table);
    free(table->threads);
    free(table->sources);
    free(table->seen);
    free(table);
}
