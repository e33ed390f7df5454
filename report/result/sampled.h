/* Where a command spends another share of its time than the reference, according to samples. */
#ifndef LAUKA_REPORT_RESULT_SAMPLED_H
#define LAUKA_REPORT_RESULT_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the samples were in. */
enum lauka_sampled_place {
    LAUKA_PLACE_FUNCTION,
    LAUKA_PLACE_OBJECT, /* of which nothing else is known, as it has no symbols there */
    LAUKA_PLACE_JIT,    /* code that the program wrote itself */
    LAUKA_PLACE_KERNEL,
    LAUKA_PLACE_UNKNOWN
};

struct lauka_sampled_share { /* of 1 */
    double estimate, low, high;
};

struct lauka_sampled_row { /* of a function, or what stands for those without names */
    enum lauka_sampled_place place;
    char *name;   /* owned; empty where it is no function */
    char *object; /* owned; "libc"; empty: the command's own program, or it is not known */
    struct lauka_sampled_share before, after, difference;
    double p;     /* two-sided, of no difference; not corrected */
    bool claimed; /* it stands in its family, and its time changed so, too */
};

enum lauka_sampled_standing {
    LAUKA_SAMPLED_SAME,     /* nothing is claimed */
    LAUKA_SAMPLED_CHANGED,  /* something is */
    LAUKA_SAMPLED_NOT_KNOWN /* for this reason */
};

struct lauka_sampled_side {
    uint64_t samples, lost,
        throttled; /* lost: records; throttled: how often the kernel looked less for a while */
};

struct lauka_sampled { /* one command against the reference, the first one */
    size_t command;
    enum lauka_sampled_standing standing;
    char *reason; /* owned; of LAUKA_SAMPLED_NOT_KNOWN; else NULL */
    struct lauka_sampled_side before, after;
    struct lauka_sampled_row *rows; /* owned; those claimed first, the largest difference first */
    size_t row_count;
    double others_before, others_after; /* shares of all that is in no row */
};

struct lauka_result_sampled {
    struct lauka_sampled *commands; /* owned; one each */
    size_t count;
    char *event;        /* owned; "cpu-clock"; NULL: nothing could be sampled */
    uint64_t period_ns; /* of CPU time, from one sample to the next */
    uint64_t rounds, family;
    bool kernel; /* its time was sampled, too */
};

/* Room for one more, zeroed. NULL if there is no memory. */
struct lauka_sampled *lauka_sampled_add(struct lauka_result_sampled *sampled);
struct lauka_sampled_row *lauka_sampled_add_row(struct lauka_sampled *sampled);

/* As in JSON: "function", "object", "jit", "kernel", "unknown". And back: unknown, if it is none of them. */
const char *lauka_sampled_place_name(enum lauka_sampled_place place);
enum lauka_sampled_place lauka_sampled_place_named(const char *name);

#endif
