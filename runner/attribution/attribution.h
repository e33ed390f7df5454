/* Why a side executes more instructions: its functions beside those of the reference. */
#ifndef LAUKA_RUNNER_ATTRIBUTION_ATTRIBUTION_H
#define LAUKA_RUNNER_ATTRIBUTION_ATTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#include "pmu/profile/profile.h"
#include "pmu/samples/samples.h"
#include "report/result/calls.h"
#include "report/result/sampled.h"
#include "report/result/why.h"

/* ---- attribution.c: what is told of two sides ------------------------------------------------ */

enum { LAUKA_ATTRIBUTION_RUNS = 2, LAUKA_ATTRIBUTION_MOST = 20 /* functions that are told */ };

struct lauka_attribution_side {
    const struct lauka_profile *runs[LAUKA_ATTRIBUTION_RUNS]; /* borrowed */
    uint64_t totals[LAUKA_ATTRIBUTION_RUNS];                  /* instructions that were counted */
    const char *program; /* borrowed; the file that the command executes; NULL: not known */
};

/* Fills an empty one. The first side is the reference. Returns 0 or ENOMEM. */
int lauka_attribution_make(const struct lauka_attribution_side sides[2], struct lauka_why *why);

/* ---- shares.c: what samples point to ------------------------------------------------------------- */

struct lauka_attribution_samples {
    const struct lauka_sample_set
        *samples;                /* borrowed; a part for each command in each round, in any order */
    const size_t *commands;      /* borrowed; by part */
    const uint64_t *runs;        /* borrowed; by part: how many it had */
    const char *const *programs; /* borrowed; by command: the file it executes; NULL: not known */
    size_t command_count, rounds;
    const struct lauka_result_whys *whys; /* borrowed; what counting knows of inlined functions */
};

/* Adds the findings for every command but the first. Functions of all commands are one family. Returns 0
 * or ENOMEM. */
int lauka_attribution_shares(const struct lauka_attribution_samples *samples,
                             struct lauka_result_sampled *sampled);

/* ---- names.c: what functions, files and objects are called on both sides --------------------- */

/* All return texts borrowed from `texts`, NULL if there is no memory. */

/* Without what compilers and linkers add: "parse.part.0", "parse.cold", "memcpy@@GLIBC_2.14", and
 * callgrind for a recursion: "parse'2". A longer name is cut: a hostile file's may have megabytes, for
 * thousands of functions. */
enum { LAUKA_ATTRIBUTION_NAME_MOST = 4096 };
const char *lauka_attribution_name(struct lauka_profile *texts, const char *name);

/* The file's last part: sides are built in different directories. */
const char *lauka_attribution_file(struct lauka_profile *texts, const char *file);

/* As people see it: relative to the working directory, or its last two parts. */
const char *lauka_attribution_path(struct lauka_profile *texts, const char *file);

/* "libc" of "/usr/lib/libc.so.6"; empty for the side's own program. */
const char *lauka_attribution_object(struct lauka_profile *texts, const char *object,
                                     const char *program);

/* ---- names.c: names of C++ and Rust ------------------------------------------------------- */

/* Asks c++filt, if there is one, for names that are still mangled. Without it, or without memory, they
 * stay as they are. */
void lauka_attribution_demangle(struct lauka_why *why);
void lauka_attribution_demangle_sampled(struct lauka_sampled *sampled);

/* ---- system calls by name, as the kernel or strace counts them, and what two sides differ in --- */

enum { LAUKA_CALLS_RUNS = 2, LAUKA_CALLS_NAME = 48 };

struct lauka_call_count {
    char name[LAUKA_CALLS_NAME];
    uint64_t calls;
};

struct lauka_call_counts {           /* of one run; zeroed, it is empty */
    struct lauka_call_count *counts; /* owned; each name once */
    size_t count;
};

/* Adds to the count of the name, which is shorter than LAUKA_CALLS_NAME. Returns 0 or ENOMEM. */
int lauka_call_counts_add(struct lauka_call_counts *counts, const char *name, uint64_t calls);

/* Reads the table that strace -c has written; several tables add up. Returns 0, EINVAL if it is not one,
 * or ENOMEM; what was read stays, and must be freed, in each case. */
int lauka_calls_read(const char *text, size_t size, struct lauka_call_counts *counts);
void lauka_call_counts_done(struct lauka_call_counts *counts);

/* Fills an empty one. sides: two runs of the reference, then two of the command. Returns 0 or ENOMEM. */
int lauka_calls_compare(const struct lauka_call_counts sides[2][LAUKA_CALLS_RUNS],
                        struct lauka_calls *calls);

/* ---- the functions of two sides, each beside its counterpart --------------------------------- */

struct lauka_function_pair {
    const char *name, *file, *object; /* borrowed from `texts` */
    const char *path;                 /* of the file, as people see it; empty: not known */
    uint64_t instructions[2][LAUKA_ATTRIBUTION_RUNS], cycles[2][LAUKA_ATTRIBUTION_RUNS];
    uint64_t line;      /* its first, on the side that is told; 0: not known */
    uint64_t first[2];  /* the same on each side */
    size_t into;        /* the pair that it is counted with; itself */
    const char *called; /* its partner; NULL: there is none */
    enum lauka_why_fate fate;
    bool inlined; /* on one side: that is why it is counted with another one */
};

struct lauka_function_pair_line {
    size_t pair;
    const char *file, *path; /* borrowed from `texts`; the file's last part, and as people see it */
    uint64_t line;
    uint64_t instructions[2]; /* of the first run of each side */
};

struct lauka_function_pairs {
    struct lauka_profile texts; /* and names of functions, whose places are those of the pairs */
    struct lauka_function_pair *pairs; /* owned */
    size_t count, room;
    struct lauka_function_pair_line *lines; /* owned; by pair, file and line */
    size_t line_count;
};

/* ---- pairs.c ------------------------------------------------------------------------------------ */

/* Returns 0 or ENOMEM; call _done in either case. */
int lauka_function_pairs_make(const struct lauka_attribution_side sides[2],
                              struct lauka_function_pairs *pairs);
void lauka_function_pairs_done(struct lauka_function_pairs *pairs);

/* The pair that it is finally counted with. */
size_t lauka_function_pairs_final(const struct lauka_function_pairs *pairs, size_t pair);

/* Counts functions that exist on one side only with the one that has their source lines on the other side.
 * Without lines it guesses by the file, and counts that apart. Returns 0 or ENOMEM. */
int lauka_inlining_find(struct lauka_function_pairs *pairs);

#endif
