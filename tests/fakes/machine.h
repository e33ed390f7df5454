/* machine: the state that the fakes share among themselves only. */
#ifndef LAUKA_TESTS_FAKES_MACHINE_H
#define LAUKA_TESTS_FAKES_MACHINE_H

#include "pmu/macos/darwin.h"

#include "tests/fakes/fake.h"

struct slice { /* of a thread's time on a CPU; ticks */
    uint64_t from, to;
    unsigned cpu;
};

struct process {
    int pid;
    uint64_t unique;
    bool ours; /* the command or a descendant of it */
};

struct thread {
    uint64_t id, creator, begin, end;
    size_t process, first_slice, slices;
    bool before;      /* it was there before the trace */
    bool exec_copy;   /* it was made by exec */
    bool replaced;    /* it ends by exec */
    bool outlives;    /* it is alive when the command ends */
    bool stub;        /* of the fork that became the command: its work was before it */
    uint64_t sampled; /* the last period in which it was sampled */
};

struct machine {
    uint64_t ticks;
    int self; /* the process that makes the calls: from 1 */
    /* kpc */
    bool forced;
    int forcer;
    uint32_t counting, thread_counting;
    uint64_t config[FAKE_COUNTERS], written[FAKE_COUNTERS];
    bool configured;
    /* kperf */
    uint32_t actions, samplers[33];
    int32_t filter_pid[33];
    uint32_t timers, timer_action, pet_timer;
    uint64_t timer_period;
    bool sampling, lightweight;
    uint32_t filter[32];
    unsigned filter_count;
    int kdebug_action;
    /* kdebug */
    bool traced, enabled;
    uint8_t wanted[LAUKA_KD_TYPES]; /* the type filter, which programs see, too */
    bool filtered, spoiled;
    bool by_value; /* only of these */
    uint32_t values[4];
    bool coprocessors_sleep;
    size_t read_since_setup;
    unsigned log_lines;  /* in the system's log, of reads that found next to nothing */
    int trace_owner;     /* the process that has ktrace; 0: none */
    unsigned trace_mask; /* what is set of it: KPERF, KDEBUG */
    uint64_t trace_calls,
        calls_of_run;  /* that the command's libraries made, as they took themselves for traced */
    uint64_t answered; /* reads of a busy trace since it was turned on */
    struct ring {
        struct lauka_kd_buf *records;
        size_t first, count, capacity;
        bool lost;
    } rings[FAKE_CPUS];
    bool wrapped;
    /* processes */
    size_t process_count, thread_count, slice_count;
    bool alive, zombie;
    bool in_run;
    int runs;
    uint64_t seed;
    uint64_t next_thread, thread_step, next_unique;
    /* Megabytes. fake_reset leaves them alone, because the counts say that they are empty. */
    struct process processes[FAKE_PROCESSES_MAX];
    struct thread threads[FAKE_THREADS_MAX];
    struct slice slices[FAKE_SLICES_MAX];
};

extern struct machine mac;

uint64_t fake_random(uint64_t *seed);

/* What a thread has counted so far: by the selector of a configurable event, or FIXED_*. */
enum { FAKE_CYCLES = 0x10000, FAKE_INSTRUCTIONS = 0x10001 };
uint64_t fake_counted(const struct thread *thread, unsigned event, bool user, bool kernel,
                      uint64_t now);

/* The values of a sample of the thread, under the kernel's present settings. Returns how many. */
size_t fake_sample_values(const struct thread *thread, uint64_t now, uint64_t *values);

/* Of the chip, all of them. */
unsigned fake_configurable(void);

unsigned fake_release(void); /* of macOS */

/* Parts of ktrace: each belongs to the process that has set any. */
enum { FAKE_KPERF = 1, FAKE_KDEBUG = 2 };
void fake_own_trace(unsigned part);
void fake_give_trace_up(unsigned part);

/* ---- the trace: fake_trace.c */

/* Writes a record, if it is wanted, and takes the sample that it triggers. */
void fake_emit(unsigned cpu, uint64_t now, uint32_t debugid, const uint64_t arguments[4],
               const struct thread *by);
void fake_emit_sample(unsigned cpu, uint64_t now, const struct thread *thread);
int fake_trace_control(const int *mib, unsigned count, void *old, size_t *size);
void fake_trace_free(void);
void fake_start_program(void);

#endif
