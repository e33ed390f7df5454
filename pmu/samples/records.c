/* records: what the kernel writes into an event's ring buffer, as described in perf_event_open(2). Nothing
 * is trusted: a size that is too small or too large ends the reading. */
#include "pmu/samples/samples.h"

#include <string.h>

/* enum perf_event_type, and bits of `misc`, of <linux/perf_event.h>; the ABI is the same on all architectures. */
enum {
    RECORD_MMAP = 1,
    RECORD_LOST = 2,
    RECORD_COMM = 3,
    RECORD_EXIT = 4,
    RECORD_THROTTLE = 5,
    RECORD_FORK = 7,
    RECORD_SAMPLE = 9,
    RECORD_MMAP2 = 10,
    RECORD_LOST_SAMPLES = 13,
};
enum { MODE_MASK = 7, MODE_KERNEL = 1, COMM_EXEC = 1 << 13 };
enum { HEADER = 8, ID = 16 }; /* bytes; ID: pid, tid, time, behind all but samples */

static uint16_t half_at(const unsigned char *bytes)
{
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint32_t word_at(const unsigned char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint64_t long_at(const unsigned char *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* ip, pid, tid, time, period: the order of PERF_SAMPLE_ bits. */
static void read_sample(const unsigned char *bytes, size_t size, struct lauka_record *record)
{
    if (size < HEADER + 32)
        return;
    record->kind = LAUKA_RECORD_SAMPLE;
    record->kernel = (half_at(bytes + 4) & MODE_MASK) == MODE_KERNEL;
    record->address = long_at(bytes + 8);
    record->pid = word_at(bytes + 16);
    record->tid = word_at(bytes + 20);
    record->time_ns = long_at(bytes + 24);
    record->weight = long_at(bytes + 32);
}

static void read_map(const unsigned char *bytes, size_t size, size_t name_at,
                     struct lauka_record *record)
{
    if (size < name_at + ID)
        return;
    const char *name = (const char *)bytes + name_at;
    const char *end = memchr(name, 0, size - name_at - ID);
    record->kind = LAUKA_RECORD_MAP;
    record->address = long_at(bytes + 16);
    record->length = long_at(bytes + 24);
    record->offset = long_at(bytes + 32);
    record->file = name;
    record->file_length = end ? (size_t)(end - name) : size - name_at - ID;
}

static void read_task(const unsigned char *bytes, size_t size, enum lauka_record_kind kind,
                      struct lauka_record *record)
{
    if (size < HEADER + 24)
        return;
    record->kind = kind;
    record->pid = word_at(bytes + 8);
    record->parent = word_at(bytes + 12);
    record->tid = word_at(bytes + 16);
    record->time_ns = long_at(bytes + 24);
}

static void read_lost(const unsigned char *bytes, size_t size, size_t at,
                      struct lauka_record *record)
{
    if (size < at + 8)
        return;
    record->kind = LAUKA_RECORD_LOST;
    record->lost = long_at(bytes + at);
}

/* Of all but samples: what stands at the end. */
static void read_id(const unsigned char *bytes, size_t size, struct lauka_record *record)
{
    if (size < HEADER + ID)
        return;
    record->pid = word_at(bytes + size - 16);
    record->tid = word_at(bytes + size - 12);
    record->time_ns = long_at(bytes + size - 8);
}

static void read_body(const unsigned char *bytes, size_t size, struct lauka_record *record)
{
    if (word_at(bytes) != RECORD_SAMPLE)
        read_id(bytes, size, record);
    switch (word_at(bytes)) {
    case RECORD_SAMPLE:
        read_sample(bytes, size, record);
        break;
    case RECORD_MMAP:
        read_map(bytes, size, HEADER + 32, record);
        break;
    case RECORD_MMAP2: /* device, inode, its generation, protection and flags stand before the name */
        read_map(bytes, size, HEADER + 64, record);
        record->inode = record->kind == LAUKA_RECORD_MAP ? long_at(bytes + HEADER + 40) : 0;
        break;
    case RECORD_COMM:
        if (half_at(bytes + 4) & COMM_EXEC)
            record->kind = LAUKA_RECORD_EXEC;
        break;
    case RECORD_FORK:
        read_task(bytes, size, LAUKA_RECORD_FORK, record);
        break;
    case RECORD_EXIT:
        read_task(bytes, size, LAUKA_RECORD_EXIT, record);
        break;
    case RECORD_LOST: /* its event's ID comes first */
        read_lost(bytes, size, HEADER + 8, record);
        break;
    case RECORD_LOST_SAMPLES:
        read_lost(bytes, size, HEADER, record);
        break;
    case RECORD_THROTTLE:
        record->kind = LAUKA_RECORD_THROTTLED;
        break;
    default:
        break;
    }
}

size_t lauka_record_read(const void *bytes, size_t size, struct lauka_record *record)
{
    const unsigned char *at = bytes;
    *record = (struct lauka_record){.kind = LAUKA_RECORD_OTHER};
    if (size < HEADER)
        return 0;
    size_t own = half_at(at + 6);
    if (own < HEADER || own > size)
        return 0;
    read_body(at, own, record);
    return own;
}
