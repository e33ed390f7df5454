/* fake_trace: kdebug. A ring of records for each CPU, read by time; units of 2048 records wrap. */
#include "pmu/macos/darwin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fakes/machine.h"

enum { UNIT = 2048, SLEEP_TICKS = 2400000 /* 100 ms */ };

void fake_trace_free(void)
{
    for (size_t i = 0; i < FAKE_CPUS; i++)
        free(mac.rings[i].records);
    memset(mac.rings, 0, sizeof mac.rings);
    mac.traced = mac.enabled = mac.filtered = mac.wrapped = false;
    mac.by_value = mac.coprocessors_sleep = false;
    mac.read_since_setup = 0;
}

static bool passes(uint32_t debugid)
{
    const uint32_t type = debugid >> 16;
    bool good = !mac.by_value;
    for (size_t i = 0; i < 4; i++)
        good = good || mac.values[i] == (debugid & ~LAUKA_KD_FUNCTION);
    return good && mac.traced && mac.enabled &&
           (!mac.filtered || mac.wanted[type >> 3] >> (type & 7) & 1);
}

/* Only a type filter is in the page that libsyscall looks at: with any other, every tracepoint of a program is a system
 * call, and dyld has four for each of some 45 images. */
void fake_start_program(void)
{
    enum { DYLD = 0x1f050000, IMAGES = 45 };
    bool asks = !mac.filtered || mac.wanted[DYLD >> 19] >> (DYLD >> 16 & 7) & 1;
    uint64_t calls = mac.traced && mac.enabled && asks ? 4 * IMAGES : 0;
    mac.trace_calls += calls;
    mac.calls_of_run += calls;
}

static void put(unsigned cpu, const struct lauka_kd_buf *record)
{
    struct ring *ring = &mac.rings[cpu];
    if (ring->count == ring->capacity) { /* the oldest unit goes */
        ring->first = (ring->first + UNIT) % ring->capacity;
        ring->count -= UNIT;
        ring->lost = mac.wrapped = true;
    }
    ring->records[(ring->first + ring->count++) % ring->capacity] = *record;
}

static bool write_record(unsigned cpu, uint64_t now, uint32_t debugid, const uint64_t arguments[4],
                         uint64_t thread)
{
    struct lauka_kd_buf record = {
        .timestamp = now, .thread = thread, .debugid = debugid, .cpu = cpu};
    if (!passes(debugid))
        return false;
    memcpy(record.arguments, arguments, sizeof record.arguments);
    put(cpu, &record);
    return true;
}

void fake_emit_sample(unsigned cpu, uint64_t now, const struct thread *thread)
{
    uint64_t values[FAKE_COUNTERS + 4], records[4];
    for (size_t i = 0; i < FAKE_COUNTERS + 4; i++)
        values[i] = 0xdeadbeef00000000 + fake_random(&mac.seed) % 1000; /* left over from others */
    unsigned count = (unsigned)(fake_sample_values(thread, now, values) + 3) / 4;
    for (unsigned r = 0; r < count; r++) {
        memcpy(records, values + r * 4, sizeof records);
        uint32_t function = r == 0 ? LAUKA_KD_START : r == count - 1 ? LAUKA_KD_END : 0;
        write_record(cpu, now + 2 * r + 1, LAUKA_KD_SAMPLE | function, records, thread->id);
    }
}

static bool triggers(uint32_t debugid)
{
    for (unsigned i = 0; i < mac.filter_count; i++)
        if (mac.filter[i] == (debugid & ~LAUKA_KD_FUNCTION))
            return debugid >> 24 != 0x25;
    return false;
}

void fake_emit(unsigned cpu, uint64_t now, uint32_t debugid, const uint64_t arguments[4],
               const struct thread *by)
{
    if (!write_record(cpu, now, debugid, arguments, by->id) || !triggers(debugid))
        return;
    int action = fake_options.no_trigger ? 0 : mac.kdebug_action;
    int pid = mac.processes[by->process].pid;
    if (action < 1 || action > (int)mac.actions || !(mac.samplers[action] & 0x10) ||
        (mac.filter_pid[action] != -1 && mac.filter_pid[action] != pid))
        return;
    fake_emit_sample(cpu, now, by);
}

/* ---- reading ---- */

static int oldest(void)
{
    int best = -1;
    for (int cpu = 0; cpu < FAKE_CPUS; cpu++) {
        const struct ring *ring = &mac.rings[cpu];
        if (ring->count == 0)
            continue;
        if (best < 0 || ring->records[ring->first].timestamp <
                            mac.rings[best].records[mac.rings[best].first].timestamp)
            best = cpu;
    }
    return best;
}

static size_t read_lost(struct lauka_kd_buf *out, size_t places)
{
    size_t count = 0;
    for (unsigned cpu = 0; cpu < FAKE_CPUS && count < places; cpu++) {
        struct ring *ring = &mac.rings[cpu];
        if (!ring->lost)
            continue;
        ring->lost = false;
        out[count++] =
            (struct lauka_kd_buf){.timestamp = mac.ticks, .debugid = LAUKA_KD_LOST, .cpu = cpu};
    }
    return count;
}

static int read_trace(struct lauka_kd_buf *out, size_t *size)
{
    size_t places = *size / sizeof *out, count;
    int cpu;
    if (fake_options.short_reads && places > fake_options.short_reads)
        places = fake_options.short_reads;
    if (fake_release() < 26 && mac.read_since_setup * sizeof *out >= 2 << 20)
        places = 1; /* xnu forgets that it is not writing a file */
    if (mac.wrapped && fake_options.exhausts)
        mac.enabled = false;
    mac.wrapped = false;
    count = read_lost(out, places);
    if (fake_options.busy_trace && mac.enabled && ++mac.answered < 100000) {
        const uint64_t about[4] = {9000, 1};
        const struct thread other = {.id = 77};
        mac.ticks += SLEEP_TICKS / 100;
        write_record(0, mac.ticks, LAUKA_KD_THREAD_EXIT, about, other.id);
    }
    while (count < places && (cpu = oldest()) >= 0) {
        struct ring *ring = &mac.rings[cpu];
        out[count++] = ring->records[ring->first];
        ring->first = (ring->first + 1) % ring->capacity;
        ring->count--;
    }
    mac.read_since_setup += count;
    mac.log_lines += fake_release() >= 26 && count <= 1;
    *size = count; /* records, not bytes */
    return 0;
}

/* ---- control ---- */

static int set_up(void)
{
    size_t units = fake_options.units ? fake_options.units : 32;
    mac.ticks += SLEEP_TICKS;
    if (mac.traced)
        return EINVAL;
    for (size_t i = 0; i < FAKE_CPUS; i++) {
        mac.rings[i].capacity = units * UNIT;
        mac.rings[i].records = malloc(units * UNIT * sizeof *mac.rings[i].records);
    }
    mac.traced = true;
    return 0;
}

static int describe(void *old, size_t *size)
{
    struct lauka_kbufinfo about = {.nkdbufs = 1,
                                   .nolog = 0,
                                   .bufid = mac.traced ? 77 : -1,
                                   .flags = mac.wrapped ? LAUKA_KDBG_WRAPPED : 0};
    if (*size < sizeof about)
        return EINVAL;
    memcpy(old, &about, sizeof about);
    return 0;
}

static int choose(const void *old, size_t size)
{
    if (size != sizeof mac.wanted)
        return EINVAL;
    memcpy(mac.wanted, old, sizeof mac.wanted);
    mac.filtered = true;
    return 0;
}

static int choose_four(const struct lauka_kd_regtype *four, size_t size)
{
    if (size < sizeof *four || four->type != LAUKA_KDBG_VALCHECK)
        return EINVAL;
    memcpy(mac.values, four->values, sizeof mac.values);
    mac.by_value = true;
    return 0;
}

static int enable(bool on)
{
    enum { CALLS = 8 * 2400 /* 100 us a coprocessor */ };
    if (!mac.traced)
        return EINVAL;
    mac.ticks += mac.coprocessors_sleep ? 0 : CALLS;
    mac.enabled = on;
    mac.answered = 0;
    return 0;
}

int fake_trace_control(const int *mib, unsigned count, void *old, size_t *size)
{
    if (mib[2] != LAUKA_KDGETBUF)
        fake_own_trace(FAKE_KDEBUG);
    switch (mib[2]) {
    case LAUKA_KDREMOVE:
        mac.ticks += SLEEP_TICKS;
        fake_trace_free();
        fake_give_trace_up(FAKE_KDEBUG);
        return 0;
    case LAUKA_KDSETBUF:
        return count > 3 && mib[3] > 0 ? 0 : EINVAL;
    case LAUKA_KDSETUP:
        return set_up();
    case LAUKA_KDEFLAGS:
        mac.coprocessors_sleep = count > 3 && mib[3] == LAUKA_KDBG_DISABLE_COPROCS;
        return count > 3 ? 0 : EINVAL;
    case LAUKA_KDSETREG:
        return choose_four(old, *size);
    case LAUKA_KDSET_TYPEFILTER:
        return choose(old, *size);
    case LAUKA_KDENABLE:
        return count < 4 ? EINVAL : enable(mib[3] != 0);
    case LAUKA_KDGETBUF:
        return describe(old, size);
    default: /* LAUKA_KDREADTR */
        return mac.traced ? read_trace(old, size) : EINVAL;
    }
}
