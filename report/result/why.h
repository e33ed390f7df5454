/* Why a command costs more or less than the reference: which functions execute more instructions, where samples fell, which
 * system calls were made. */
#ifndef LAUKA_REPORT_RESULT_WHY_H
#define LAUKA_REPORT_RESULT_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- functions ---------------------------------------------------------------------------------- */

struct lauka_why_cost { /* of the reference, and of the command */
    uint64_t before, after;
};

struct lauka_why_line { /* of a function, or of what was inlined into it */
    char *file;         /* owned */
    uint64_t line;
    struct lauka_why_cost instructions;
};

/* Where the function is, if not on both sides. */
enum lauka_why_fate {
    LAUKA_WHY_BOTH,
    LAUKA_WHY_GONE, /* its partner, where it has one, grew: it may have been inlined there */
    LAUKA_WHY_NEW,
    LAUKA_WHY_TOOK,  /* on both; its partner's lines are in it now, and counted with it */
    LAUKA_WHY_PARTED /* the other way: they were in it */
};

struct lauka_why_function {
    char *name;    /* owned; empty: the object has no symbols */
    char *object;  /* owned; "libc"; empty: the command's own program, or it is not known */
    char *file;    /* owned; empty: not known */
    uint64_t line; /* the first one that was executed; 0: not known */
    char *partner; /* owned; another function's name; NULL: there is none */
    enum lauka_why_fate fate;
    struct lauka_why_cost instructions, cycles;
    uint64_t spread;              /* of instructions, between two runs of the same; 0: exact */
    struct lauka_why_line *lines; /* owned; which changed most; the most changed first */
    size_t line_count;
};

/* A function that one side has inlined, by its source lines; samples of it count as the host's, too. */
struct lauka_why_inlining {
    char *name, *object, *host; /* owned; the host is of the same object */
};

/* How far the change comes from the commands, and not from the runs. */
enum lauka_why_standing {
    LAUKA_WHY_SAME,    /* nothing changed that would matter */
    LAUKA_WHY_WITHIN,  /* what differs from run to run explains it */
    LAUKA_WHY_CHANGED, /* in all, or some functions did */
    LAUKA_WHY_UNKNOWN  /* for this reason */
};

struct lauka_why { /* one command against the reference, the first one */
    size_t command;
    enum lauka_why_standing standing;
    char *reason; /* owned; of LAUKA_WHY_UNKNOWN; else NULL */
    struct lauka_why_cost instructions, cycles;
    uint64_t spread;                      /* of instructions */
    struct lauka_why_function *functions; /* owned; the largest change first */
    size_t function_count;
    struct lauka_why_cost others;         /* instructions of all functions that are not listed */
    size_t other_count;                   /* how many of them changed */
    struct lauka_why_cost beyond;         /* instructions that belong to no function */
    struct lauka_why_inlining *inlinings; /* owned; of the session, and never stored */
    size_t inlining_count;
};

/* Of a result. */
struct lauka_result_whys {
    struct lauka_why *whys; /* owned; a command each */
    size_t count;
    bool asked; /* people want to read it; otherwise only below a gate that failed on it */
};

/* after - before, as far as it goes. */
int64_t lauka_why_change(struct lauka_why_cost cost);

/* ---- samples: where it spends another share of its time ---------------------------------------- */

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

/* As in JSON: "function", "object", "jit", "kernel", "unknown". And back: unknown, if it is none of them. */
const char *lauka_sampled_place_name(enum lauka_sampled_place place);
enum lauka_sampled_place lauka_sampled_place_named(const char *name);

/* ---- system calls that it makes more or less often ----------------------------------------------- */

struct lauka_calls_row {
    char *name; /* owned; "read" */
    struct lauka_why_cost calls;
    uint64_t spread; /* between two runs of the same; 0: exact */
};

struct lauka_calls { /* one command against the reference, the first one */
    size_t command;
    char *reason; /* owned; why they are not known; NULL: they are */
    bool traced;  /* strace counted them; otherwise tracepoints did */
    struct lauka_why_cost calls;
    uint64_t spread;
    struct lauka_calls_row *rows; /* owned; whose number changed; the largest change first */
    size_t row_count;
};

struct lauka_result_calls {
    struct lauka_calls *commands; /* owned; one each */
    size_t count;
};

#endif
