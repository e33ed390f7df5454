/* The cost of the functions and lines in a run's programs. */
#ifndef LAUKA_PMU_PROFILE_PROFILE_H
#define LAUKA_PMU_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- profile.c: costs by function and line --------------------------------------------------- */

struct lauka_profile_cost {
    uint64_t instructions, cycles; /* cycles are estimates; 0 without simulated caches */
    uint64_t allocations;          /* calls of functions that allocate; only callgrind tells them */
};

struct lauka_profile_function {
    /* Borrowed from the profile, where equal texts have equal pointers. Empty: not known. */
    const char *name, *file, *object;
};

struct lauka_profile_line {
    size_t function;
    const char *file; /* the function's own, or of code inlined into it; empty: not known */
    uint64_t line;    /* 0: not known */
    struct lauka_profile_cost cost;
};

struct lauka_profile_index { /* open addressing; indices of an array, from 1 on */
    uint32_t *slots;         /* owned */
    size_t room;
};

struct lauka_profile {                        /* empty when zeroed */
    char **texts;                             /* owned */
    struct lauka_profile_function *functions; /* owned */
    struct lauka_profile_line *lines;         /* owned; function, file and line are unique */
    size_t text_count, text_room, function_count, function_room, line_count, line_room;
    struct lauka_profile_index text_index, function_index, line_index;
    bool damaged; /* a part of it could not be read */
};

/* The profile's own copy of the text; NULL without memory. */
const char *lauka_profile_text(struct lauka_profile *profile, const char *text, size_t length);

/* Finds or adds the function and returns its index; the profile owns its texts. SIZE_MAX without memory. */
size_t lauka_profile_function(struct lauka_profile *profile,
                              const struct lauka_profile_function *function);

/* Adds to the line; a sum beyond 64 bits marks the profile as damaged. Returns 0 or ENOMEM. */
int lauka_profile_add(struct lauka_profile *profile, const struct lauka_profile_line *line);

/* Frees what it owns, and leaves it empty. */
void lauka_profile_done(struct lauka_profile *profile);

#endif
