/* kdebug: when a thread ends, its counters are written into the trace, and that sample is exact. Samples
 * of several CPUs are interleaved, threads of all programs come and go, and a pid may be used again. So
 * everything is kept by thread and by unique pid, and is attributed at the end, when the whole tree is
 * known. */
#include "pmu/macos/darwin.h"
#include "pmu/macos/kdebug.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 4 /* of a record */, FIRST_CAPACITY = 256 };

/* ---- threads by their id ---- */

static size_t place_of(const struct lauka_kd_run *run, uint64_t id)
{
    size_t place = (size_t)(id * 0x9e3779b97f4a7c15u >> 20) & (run->capacity - 1);
    while (run->threads[place].id && run->threads[place].id != id)
        place = (place + 1) & (run->capacity - 1);
    return place;
}

static bool grow(struct lauka_kd_run *run)
{
    struct lauka_kd_run larger = *run;
    larger.capacity = run->capacity ? 2 * run->capacity : FIRST_CAPACITY;
    larger.threads = calloc(larger.capacity, sizeof *larger.threads);
    if (!larger.threads) {
        run->error = ENOMEM;
        return false;
    }
    for (size_t i = 0; i < run->capacity; i++)
        if (run->threads[i].id)
            larger.threads[place_of(&larger, run->threads[i].id)] = run->threads[i];
    free(run->threads);
    *run = larger;
    return true;
}

static struct lauka_kd_thread *find(const struct lauka_kd_run *run, uint64_t id)
{
    if (run->capacity == 0 || id == 0)
        return NULL;
    struct lauka_kd_thread *thread = &run->threads[place_of(run, id)];
    return thread->id ? thread : NULL;
}

/* NULL where there is no memory, or no id. */
static struct lauka_kd_thread *enter(struct lauka_kd_run *run, uint64_t id)
{
    struct lauka_kd_thread *thread = find(run, id);
    if (thread || id == 0)
        return thread;
    if (2 * (run->count + 1) > run->capacity && !grow(run))
        return NULL;
    thread = &run->threads[place_of(run, id)];
    thread->id = id;
    run->count++;
    return thread;
}

/* ---- records ---- */

/* The command keeps its pid until it is reaped, which happens after all of this. */
static void note_process(struct lauka_kd_run *run, uint64_t pid, uint64_t unique)
{
    if (!run->process && pid == (uint64_t)run->pid)
        run->process = unique;
}

static void take_new_thread(struct lauka_kd_run *run, const struct lauka_kd_buf *record)
{
    struct lauka_kd_thread *thread = enter(run, record->arguments[0]);
    note_process(run, record->arguments[1], record->arguments[3]);
    if (!thread)
        return;
    thread->process = record->arguments[3];
    thread->creator = record->thread;
    thread->announced = true;
    if (record->arguments[2] && (thread = enter(run, record->thread)))
        thread->replaced = true; /* the new one is a copy that exec has made of its creator */
}

static void take_exit(struct lauka_kd_run *run, const struct lauka_kd_buf *record)
{
    struct lauka_kd_thread *thread = enter(run, record->thread);
    note_process(run, record->arguments[0], record->arguments[1]);
    if (!thread)
        return;
    thread->process = record->arguments[1];
    thread->ended = true;
    thread->partial_count = 0; /* the sample of the end begins after this record */
}

/* All zero: the kernel had no counters for the thread yet. */
static void finish_sample(struct lauka_kd_run *run, struct lauka_kd_thread *thread)
{
    const uint64_t absurd = UINT64_C(1) << 56; /* counters that were set anew have gone backwards */
    uint64_t most = 0;
    for (size_t i = 0; i < run->counter_count; i++)
        most = thread->partial[i] > most ? thread->partial[i] : most;
    thread->partial_count = 0;
    run->lost = run->lost || most > absurd;
    if (most == 0 || most > absurd)
        return;
    memcpy(thread->counts, thread->partial, sizeof thread->counts);
    thread->sampled = true;
    thread->whole = thread->ended;
}

/* Four counters a record: the first is START, the last END, and words beyond the count are left over from
 * other records. A single record is START. */
static void take_sample(struct lauka_kd_run *run, const struct lauka_kd_buf *record)
{
    struct lauka_kd_thread *thread = enter(run, record->thread);
    uint32_t function = record->debugid & LAUKA_KD_FUNCTION;
    size_t records = (run->counter_count + VALUES - 1) / VALUES;
    if (!thread)
        return;
    if (function == LAUKA_KD_START)
        thread->partial_count = 0;
    else if (thread->partial_count == 0)
        return; /* its beginning was lost, or was before our time */
    size_t first = thread->partial_count * VALUES;
    if (first < run->counter_count) {
        size_t left = run->counter_count - first;
        memcpy(thread->partial + first, record->arguments,
               (left < VALUES ? left : VALUES) * sizeof *thread->partial);
    }
    thread->partial_count++;
    bool last = records == 1 ? function == LAUKA_KD_START : function == LAUKA_KD_END;
    if (last && thread->partial_count >= records)
        finish_sample(run, thread);
    else if (last)
        thread->partial_count = 0;
}

static enum lauka_kd_kind kind_of(uint32_t id)
{
    switch (id) {
    case LAUKA_KD_NEW_THREAD:
        return LAUKA_KD_KIND_NEW;
    case LAUKA_KD_EXEC:
        return LAUKA_KD_KIND_EXEC;
    case LAUKA_KD_THREAD_EXIT:
        return LAUKA_KD_KIND_EXIT;
    case LAUKA_KD_SAMPLE:
        return LAUKA_KD_KIND_SAMPLE;
    case LAUKA_KD_LOST:
    case LAUKA_KD_RETROGRADE:
    case LAUKA_KD_PAST:
        return LAUKA_KD_KIND_LOST;
    default:
        return LAUKA_KD_KIND_OTHER;
    }
}

static void take(struct lauka_kd_run *run, const struct lauka_kd_buf *record)
{
    enum lauka_kd_kind kind = kind_of(record->debugid & ~LAUKA_KD_FUNCTION);

    const uint64_t *values = record->arguments;

    if (run->kinds[kind]++ == 0)
        run->first[kind] = (struct lauka_raw_record){
            record->debugid, {values[0], values[1], values[2], values[3]}, record->thread};
    if (kind == LAUKA_KD_KIND_LOST)
        run->lost = true;
    else if (record->timestamp < run->since)
        return;
    else if (kind == LAUKA_KD_KIND_SAMPLE)
        take_sample(run, record);
    else if (kind == LAUKA_KD_KIND_EXIT)
        take_exit(run, record);
    else if (kind == LAUKA_KD_KIND_NEW)
        take_new_thread(run, record);
}

void lauka_kd_feed(struct lauka_kd_run *run, const struct lauka_kd_buf *records, size_t count)
{
    for (size_t i = 0; i < count; i++)
        take(run, &records[i]);
}

void lauka_kd_expect(struct lauka_kd_run *run, uint64_t id)
{
    struct lauka_kd_thread *thread = enter(run, id);
    if (thread)
        thread->ours = thread->expected = true;
}

void lauka_kd_begin(struct lauka_kd_run *run, int pid, size_t counter_count, uint64_t since)
{
    struct lauka_kd_thread *threads = run->threads;
    size_t capacity = run->capacity;

    if (capacity)
        memset(threads, 0, capacity * sizeof *threads);
    *run = (struct lauka_kd_run){.counter_count = counter_count < LAUKA_KD_COUNTERS_MAX
                                                      ? counter_count
                                                      : LAUKA_KD_COUNTERS_MAX,
                                 .pid = pid,
                                 .since = since,
                                 .threads = threads,
                                 .capacity = capacity};
}

void lauka_kd_done(struct lauka_kd_run *run)
{
    free(run->threads);
    *run = (struct lauka_kd_run){0};
}

/* ---- whose they are ---- */

/* A process belongs to the command if it is the command's, or if one of its threads belongs: then all its
 * threads do, and those that they created. */
static bool is_ours(const struct lauka_kd_run *run, const struct lauka_kd_thread *thread)
{
    if (thread->stranger)
        return false;
    if (run->process && thread->process == run->process)
        return true;
    const struct lauka_kd_thread *creator = find(run, thread->creator);
    return creator && creator->ours;
}

static int by_process(const void *a, const void *b)
{
    const struct lauka_kd_thread *const *first = a, *const *second = b;
    return ((*first)->process > (*second)->process) - ((*first)->process < (*second)->process);
}

/* Whether what was expected is what the stream speaks of: a system may number threads otherwise. */
static bool knows_expected(const struct lauka_kd_run *run)
{
    for (size_t i = 0; i < run->capacity; i++) {
        const struct lauka_kd_thread *thread = &run->threads[i];
        if (thread->expected && (thread->ended || thread->sampled || thread->replaced))
            return true;
    }
    return false;
}

/* The thread of the fork that became the command may end after the trace began; its sample then includes
 * all that it did before. */
static void find_strangers(struct lauka_kd_run *run)
{
    bool known = knows_expected(run);
    for (size_t i = 0; i < run->capacity; i++) {
        struct lauka_kd_thread *thread = &run->threads[i];
        thread->stranger = known && run->process && thread->process == run->process &&
                           !thread->announced && !thread->expected;
    }
}

/* From a thread to those of the same process; sorted lies by process. */
static bool spread(struct lauka_kd_thread **sorted, size_t count)
{
    bool changed = false;
    for (size_t from = 0, to; from < count; from = to) {
        bool ours = false;
        for (to = from; to < count && sorted[to]->process == sorted[from]->process; to++)
            ours = ours || sorted[to]->ours;
        for (size_t i = from; ours && sorted[from]->process && i < to; i++) {
            changed = changed || (!sorted[i]->ours && !sorted[i]->stranger);
            sorted[i]->ours = !sorted[i]->stranger;
        }
    }
    return changed;
}

static void find_ours(struct lauka_kd_run *run)
{
    struct lauka_kd_thread **sorted = malloc((run->count + 1) * sizeof(struct lauka_kd_thread *));
    size_t count = 0;
    if (!sorted) {
        run->error = ENOMEM;
        return;
    }
    for (size_t i = 0; i < run->capacity; i++)
        if (run->threads[i].id)
            sorted[count++] = &run->threads[i];
    qsort(sorted, count, sizeof(struct lauka_kd_thread *), by_process);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count; i++) {
            bool ours = sorted[i]->ours || is_ours(run, sorted[i]);
            changed = changed || ours != sorted[i]->ours;
            sorted[i]->ours = ours;
        }
        changed = spread(sorted, count) || changed;
    }
    free(sorted);
}

void lauka_kd_sum(struct lauka_kd_run *run, struct lauka_kd_total *total)
{
    *total = (struct lauka_kd_total){0};
    find_strangers(run);
    find_ours(run);
    for (size_t i = 0; i < run->capacity; i++) {
        const struct lauka_kd_thread *thread = &run->threads[i];
        total->strangers += thread->stranger;
        if (!thread->id || !thread->ours)
            continue;
        bool main = !thread->process || thread->process == run->process;
        total->threads++;
        total->unfinished += !thread->whole && !thread->replaced;
        total->replaced += !thread->whole && thread->replaced;
        total->main_replaced += !thread->whole && thread->replaced && main;
        for (size_t c = 0; c < run->counter_count; c++) {
            total->counts[c] += thread->counts[c];
            total->main_counts[c] += main ? thread->counts[c] : 0;
        }
    }
}
