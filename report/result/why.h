/* Why a command executes more or fewer instructions than the reference: which functions do. */
#ifndef LAUKA_REPORT_RESULT_WHY_H
#define LAUKA_REPORT_RESULT_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    struct lauka_why_cost others;         /* instructions of all functions that are not told */
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

/* Room for one more, zeroed. NULL if there is no memory. */
struct lauka_why *lauka_whys_add(struct lauka_result_whys *whys);
struct lauka_why_function *lauka_why_add_function(struct lauka_why *why);
struct lauka_why_inlining *lauka_why_add_inlining(struct lauka_why *why);
struct lauka_why_line *lauka_why_add_line(struct lauka_why_function *function);

#endif
