/* Samples: the program and address at which the kernel found a run each time. */
#ifndef LAUKA_PMU_SAMPLES_SAMPLES_H
#define LAUKA_PMU_SAMPLES_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/events/events.h"

/* ---- records.c: what the kernel writes into a ring buffer ------------------------------------ */

enum lauka_record_kind {
    LAUKA_RECORD_OTHER,
    LAUKA_RECORD_SAMPLE,
    LAUKA_RECORD_MAP,      /* a file, or executable memory, is mapped at these addresses */
    LAUKA_RECORD_EXEC,     /* the process executes another program: all earlier maps are gone */
    LAUKA_RECORD_FORK,     /* for a process or a thread */
    LAUKA_RECORD_EXIT,     /* the same */
    LAUKA_RECORD_LOST,     /* number of records that did not fit */
    LAUKA_RECORD_THROTTLED /* the kernel sampled less often for a while */
};

struct lauka_record {
    enum lauka_record_kind kind;
    uint64_t time_ns; /* of the kernel's own clock, common to all CPUs */
    uint32_t pid, tid;
    uint32_t parent;         /* LAUKA_RECORD_FORK: the parent process */
    bool kernel;             /* LAUKA_RECORD_SAMPLE: taken in kernel mode */
    uint64_t address;        /* of the instruction; LAUKA_RECORD_MAP: the first address */
    uint64_t weight;         /* of a sample: the amount of the event it stands for */
    uint64_t length, offset; /* LAUKA_RECORD_MAP: in bytes; offset: in the file */
    uint64_t inode;          /* LAUKA_RECORD_MAP: of the file; 0: none, or not known */
    uint64_t lost;           /* LAUKA_RECORD_LOST */
    const char *file;        /* LAUKA_RECORD_MAP; borrowed; without NUL */
    size_t file_length;
};

/* Reads the first record in the bytes, for events that sample IP, TID, TIME and PERIOD with
 * sample_id_all: see perf_event_open(2). Returns its size in bytes; 0 if there is no complete record. */
size_t lauka_record_read(const void *bytes, size_t size, struct lauka_record *record);

/* ---- elf.c: which function lies where in a file ---------------------------------------------- */

struct lauka_elf_symbol {
    uint64_t address, size;
    const char *name; /* borrowed from the texts */
    uint8_t rank;     /* of those at one address, the lowest is reported */
};

struct lauka_elf_segment {
    uint64_t offset, address, size;
};

struct lauka_elf {                      /* empty when zeroed */
    struct lauka_elf_symbol *symbols;   /* owned; by address */
    struct lauka_elf_segment *segments; /* owned; executable ones */
    char **texts;                       /* owned; the bytes of each string table */
    size_t symbol_count, segment_count, text_count;
    bool whole; /* it has .symtab, so all functions, not only exported ones */
};

/* Reads the symbols of functions (.symtab, .dynsym) from a file in this machine's byte order, of 32
 * or 64 bits. Copies what it keeps, at most a few times the size of the file. Returns 0, ENOEXEC
 * for other or damaged files, or ENOMEM. */
int lauka_elf_read(const void *bytes, size_t size, struct lauka_elf *elf);

/* Reads only where its executable segments lie; the beginning of the file is enough, up to its program headers. Returns
 * the same. */
int lauka_elf_read_segments(const void *bytes, size_t size, struct lauka_elf *elf);

/* Adds the symbols of a file that was split off this one (strip(1), objcopy --only-keep-debug).
 * Returns the same; existing symbols stay. */
int lauka_elf_add(const void *bytes, size_t size, struct lauka_elf *elf);

/* The index of the symbol that covers this byte of the file; symbol_count if none does. */
size_t lauka_elf_find(const struct lauka_elf *elf, uint64_t offset);

void lauka_elf_done(struct lauka_elf *elf);

/* ---- samples.c: what the processes of a run have mapped --------------------------------------- */

struct lauka_space_map {
    uint64_t from, to, offset;
    size_t object;
};

struct lauka_space { /* of a process */
    uint32_t pid;
    bool executed;                /* it is the command, or was forked from it */
    struct lauka_space_map *maps; /* owned; by address; without overlaps */
    size_t map_count, map_room;
};

struct lauka_spaces {           /* zeroed, it is empty */
    struct lauka_space *spaces; /* owned; by process ID */
    size_t count, room;
};

/* ---- samples.c: samples by function ---------------------------------------------------------- */

enum lauka_sampled_kind {
    LAUKA_SAMPLED_FUNCTION,
    LAUKA_SAMPLED_OBJECT, /* in an object that has no symbol there */
    LAUKA_SAMPLED_JIT,    /* memory that was written, then executed */
    LAUKA_SAMPLED_KERNEL,
    LAUKA_SAMPLED_UNKNOWN /* nothing known is mapped there */
};

struct lauka_sampled_function {
    enum lauka_sampled_kind kind;
    size_t object; /* for the first two */
    const char *
        name; /* borrowed; for the first; of code written at run time and of the kernel, where known; or NULL */
    uint64_t weight;  /* in the current part */
    uint64_t samples; /* in all parts */
};

struct lauka_sampled_object {
    char *path;     /* owned */
    uint64_t inode; /* 0: not known */
    uint32_t pid;   /* a process that has mapped it */
    bool tried;     /* reading it was attempted */
    char
        *another; /* owned; what to say instead of functions, because it is not at its path; NULL */
    struct lauka_elf elf;
    uint32_t *functions; /* owned; by symbol, from 1; the last one for all other places */
};

/* Functions that are not in files of programs: a text has a line "ADDRESS [SIZE] [TYPE] NAME" for each. */
struct lauka_sampled_names {
    uint32_t pid;                     /* whose they are; 0: the kernel's */
    bool tried;                       /* reading them was attempted */
    struct lauka_elf_symbol *symbols; /* owned; by address; names are borrowed from the text */
    size_t count;
    char *text; /* owned */
};

struct lauka_sampled_cell { /* a function's share of a part */
    size_t part, function;
    uint64_t weight;
};

struct lauka_sampled_part { /* all samples between two calls of _end_part */
    uint64_t weight;        /* of all functions */
    uint64_t samples, lost, throttled;
};

struct lauka_sample_set {
    /* Reads a file into memory, which `give_back` releases. NULL: it cannot be read. */
    const void *(*read_file)(const char *path, size_t *size);
    void (*give_back)(const void *bytes, size_t size);
    /* Writes where the file with this inode number can be read: at its path, unless that is another file in the process'
     * container. Returns false if it is nowhere, with what to say about it. A NULL function: always at its path. */
    bool (*find_file)(const struct lauka_sampled_object *object, char *place, size_t size);
    /* The same for a separate file with the symbols of a stripped one; a NULL function: there are none. */
    const void *(*read_debug_file)(const char *path, size_t *size);
    /* A text with names of the kernel's functions (pid 0; /proc/kallsyms), or of those that a process has written
     * (/tmp/perf-PID.map); owned by the caller. NULL: there is none; a NULL function: never. */
    char *(*read_names)(uint32_t pid);
    struct lauka_sampled_names kernel, written;
    struct lauka_spaces spaces;
    struct lauka_sampled_object *objects;     /* owned */
    struct lauka_sampled_function *functions; /* owned */
    struct lauka_sampled_cell *cells;         /* owned; by part */
    struct lauka_sampled_part *parts;         /* owned */
    struct lauka_sampled_part now;            /* the current part */
    size_t object_count, object_room, function_count, function_room, cell_count, cell_room,
        part_count, part_room;
    size_t others[LAUKA_SAMPLED_UNKNOWN +
                  1]; /* functions of kinds with only one each; from 1; 0: not yet */
};

/* Sorts the records in the bytes by time, and processes them. Ignores bytes after the last complete
 * record. Returns 0 or ENOMEM. */
int lauka_samples_feed_bytes(struct lauka_sample_set *samples, const void *bytes, size_t size);

/* Begins another run: forgets the processes of the previous one. */
void lauka_samples_begin_run(struct lauka_sample_set *samples);

/* Makes the samples since the last call part number part_count - 1. Returns 0 or ENOMEM. */
int lauka_samples_end_part(struct lauka_sample_set *samples);
void lauka_samples_done(struct lauka_sample_set *samples);

/* ---- lets the kernel look, a thousand times a second, at what the commands execute. Each system has its own */

struct lauka_sampler; /* opaque */

struct lauka_sampler_setting {
    const char *event;  /* static: "cycles", "cpu-clock" */
    uint64_t period_ns; /* CPU time between two samples; for cycles only approximate */
    bool kernel;        /* time in the kernel is sampled, too */
};

/* Samples the lender's process (with one thread) and everything it starts from now on, on all CPUs.
 * Returns 0, ENOTSUP if the system has no sampling, or another errno. To be closed. */
int lauka_sampler_open(const struct lauka_event_lender *lender, struct lauka_sampler **sampler);
struct lauka_sampler_setting lauka_sampler_setting(const struct lauka_sampler *sampler);

/* Appends what was written since the last call. Returns 0 or ENOMEM. */
int lauka_sampler_take(struct lauka_sampler *sampler);

/* Everything taken, with each CPU's records in order; borrowed until the next call. The second forgets it. */
const void *lauka_sampler_taken(const struct lauka_sampler *sampler, size_t *size);
void lauka_sampler_forget(struct lauka_sampler *sampler);
void lauka_sampler_close(struct lauka_sampler *sampler);

/* "sampling is not permitted; set kernel.perf_event_paranoid to 2 or less (sysctl)": the reason and advice. */
void lauka_sampler_explain(int error, char *text, size_t size);

/* As struct lauka_sample_set has it. */
bool lauka_sampler_find_file(const struct lauka_sampled_object *object, char *place, size_t size);

#endif
