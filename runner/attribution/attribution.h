/* Why a side executes more instructions: compares its functions with the reference's. */
#ifndef LAUKA_RUNNER_ATTRIBUTION_ATTRIBUTION_H
#define LAUKA_RUNNER_ATTRIBUTION_ATTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#include "pmu/profile/profile.h"
#include "pmu/samples/samples.h"
#include "report/result/why.h"

/* ---- attribution.c: what is reported about two sides ----------------------------------------- */

enum { LAUKA_ATTRIBUTION_RUNS = 2, LAUKA_ATTRIBUTION_MOST = 20 /* functions to report */ };

struct lauka_attribution_side {
    const struct lauka_profile *runs[LAUKA_ATTRIBUTION_RUNS]; /* borrowed */
    uint64_t totals[LAUKA_ATTRIBUTION_RUNS];                  /* counted instructions */
    const char *program; /* borrowed; the file the command executes; NULL: not known */
    const char *folder; /* borrowed; absolute; the command's working directory; NULL: lauka's own */
};

/* How far two figures are apart. */
static inline uint64_t lauka_attribution_distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* How far two runs of one side are apart: the larger of both sides. */
static inline uint64_t lauka_attribution_spread(const uint64_t sides[2][LAUKA_ATTRIBUTION_RUNS])
{
    uint64_t before = lauka_attribution_distance(sides[0][0], sides[0][1]),
             after = lauka_attribution_distance(sides[1][0], sides[1][1]);

    return before > after ? before : after;
}

/* Fills an empty struct. The first side is the reference. Returns 0 or ENOMEM. */
int lauka_attribution_make(const struct lauka_attribution_side sides[2], struct lauka_why *why);

/* ---- shares.c: what samples point to ------------------------------------------------------------- */

struct lauka_attribution_samples {
    const struct lauka_sample_set
        *samples;                /* borrowed; one entry per command and round, in any order */
    const size_t *commands;      /* borrowed; index of the command, per entry */
    const uint64_t *runs;        /* borrowed; number of runs, per entry */
    const char *const *programs; /* borrowed; per command: the file it executes; NULL: not known */
    size_t command_count, rounds;
    const struct lauka_result_whys *whys; /* borrowed; what counting runs found about inlining */
};

/* Adds the findings for every command except the first. The functions of all commands form one
 * family. Returns 0 or ENOMEM. */
int lauka_attribution_shares(const struct lauka_attribution_samples *samples,
                             struct lauka_result_sampled *sampled);

/* ---- names.c: what functions, files and objects are called on both sides --------------------- */

/* All return texts borrowed from `texts`, or NULL without memory. */

/* Removes suffixes of compilers and linkers: "parse.part.0", "parse.cold", "memcpy@@GLIBC_2.14",
 * and callgrind's mark of a recursion: "parse'2". It cuts longer names: a hostile file may have
 * names of megabytes, for thousands of functions. */
enum { LAUKA_ATTRIBUTION_NAME_MOST = 4096 };
const char *lauka_attribution_name(struct lauka_profile *texts, const char *name);

/* The file's last component, because sides are built in different directories. */
const char *lauka_attribution_file(struct lauka_profile *texts, const char *file);

/* The path for people: relative to this folder, or else to lauka's own (NULL: only to that), or the last two components:
 * a revision is built and run in a folder that nobody knows. */
const char *lauka_attribution_path(struct lauka_profile *texts, const char *file,
                                   const char *folder);

/* "libc" for "/usr/lib/libc.so.6"; empty for the side's own program. */
const char *lauka_attribution_object(struct lauka_profile *texts, const char *object,
                                     const char *program);

/* ---- names.c: names of C++ and Rust ------------------------------------------------------- */

/* Demangles those of the texts that are mangled, in place, with c++filt if it is installed; they are owned, by malloc(3).
 * Parameters are left out, except where they tell two of the texts apart; so are Rust's hashes, which differ from build to
 * build. rust: only names of Rust. Without c++filt, or without memory, texts stay as they are. */
void lauka_attribution_demangle(char **const names[], size_t count, bool rust);

/* ---- calls.c: system calls by name, as the kernel or strace counts them, and how two sides differ ---- */

enum { LAUKA_CALLS_RUNS = LAUKA_ATTRIBUTION_RUNS, LAUKA_CALLS_NAME = 48 };

struct lauka_call_count {
    char name[LAUKA_CALLS_NAME];
    uint64_t calls;
};

struct lauka_call_counts {           /* counts of one run; zeroed, it is empty */
    struct lauka_call_count *counts; /* owned; each name occurs once */
    size_t count;
};

/* Adds to the count of a name shorter than LAUKA_CALLS_NAME. Returns 0 or ENOMEM. */
int lauka_call_counts_add(struct lauka_call_counts *counts, const char *name, uint64_t calls);

/* Reads a table written by strace -c; several tables add up. Returns 0, EINVAL for any other text,
 * or ENOMEM. What was read stays in any case and must be freed. */
int lauka_calls_read(const char *text, size_t size, struct lauka_call_counts *counts);
void lauka_call_counts_done(struct lauka_call_counts *counts);

/* Fills an empty struct. sides: two runs of the reference, then two of the command. Returns 0 or ENOMEM. */
int lauka_calls_compare(const struct lauka_call_counts sides[2][LAUKA_CALLS_RUNS],
                        struct lauka_calls *calls);

/* ---- the functions of two sides, each beside its counterpart --------------------------------- */

struct lauka_function_pair {
    const char *name, *file, *object; /* borrowed from `texts` */
    const char *path;                 /* path of the file for people; empty: not known */
    uint64_t instructions[2][LAUKA_ATTRIBUTION_RUNS];
    uint64_t cycles[2];       /* of the first run: the second one has no caches */
    uint64_t line;            /* first line, on the side that is reported; 0: not known */
    uint64_t first[2];        /* first line on each side */
    size_t into;              /* index of the pair that its counts are added to; may be its own */
    size_t lines, line_count; /* its own: the first one's index, and how many follow each other */
    const char *called;       /* its partner's name; NULL: it has none */
    enum lauka_why_fate fate;
    bool inlined; /* inlined on one side, so its counts are added to another pair */
};

struct lauka_function_pair_line {
    size_t pair;
    const char *file, *path; /* borrowed from `texts`; the file's last component, and its path */
    uint64_t line;
    uint64_t instructions[2]; /* of each side's first run */
};

struct lauka_function_pairs {
    struct lauka_profile texts; /* also the functions' names, at the same indices as the pairs */
    struct lauka_function_pair *pairs; /* owned */
    size_t count, room;
    struct lauka_function_pair_line *lines; /* owned; sorted by pair, file and line */
    size_t line_count;
};

/* ---- pairs.c ------------------------------------------------------------------------------------ */

/* Returns 0 or ENOMEM; call _done in any case. */
int lauka_function_pairs_make(const struct lauka_attribution_side sides[2],
                              struct lauka_function_pairs *pairs);
void lauka_function_pairs_done(struct lauka_function_pairs *pairs);

/* The pair that finally receives its counts. */
size_t lauka_function_pairs_final(const struct lauka_function_pairs *pairs, size_t pair);

/* For a function that exists on one side only, adds its counts to the function with its source lines on the
 * other side. Without lines it guesses by the file, and counts that separately. Returns 0 or ENOMEM. */
int lauka_inlining_find(struct lauka_function_pairs *pairs);

#endif
