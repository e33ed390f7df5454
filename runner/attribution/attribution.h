/* Why a side executes more instructions: its functions beside those of the reference. */
#ifndef LAUKA_RUNNER_ATTRIBUTION_ATTRIBUTION_H
#define LAUKA_RUNNER_ATTRIBUTION_ATTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

#include "pmu/profile/profile.h"
#include "pmu/samples/samples.h"
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

#endif
