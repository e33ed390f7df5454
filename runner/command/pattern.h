/* The compiled form of a regular expression: steps of a machine that is in many places at once
 * (Thompson 1968, CACM 11). It looks at each byte once, so no expression and no text can make it
 * take long, and its memory is known in advance. Only for runner/command. */
#ifndef LAUKA_RUNNER_COMMAND_PATTERN_H
#define LAUKA_RUNNER_COMMAND_PATTERN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/arena.h"

/* The most steps of a regular expression; a{1,50} has a hundred. */
enum { PATTERN_STEPS = 1000 };

enum pattern_step_kind {
    PATTERN_BYTE,       /* matches one byte */
    PATTERN_SET,        /* matches a set of bytes */
    PATTERN_SPLIT,      /* continues at `to` and, if that fails, at `other` */
    PATTERN_JUMP,       /* continues at `to` */
    PATTERN_BEGIN,      /* start of the group */
    PATTERN_END,        /* end of the group */
    PATTERN_LINE_BEGIN, /* matches at the start of a line */
    PATTERN_LINE_END,
    PATTERN_MATCH, /* end of the program */
};

struct pattern_step {
    enum pattern_step_kind kind;
    uint16_t to, other;
    uint16_t set; /* index of its set */
    uint8_t byte;
};

struct pattern_set { /* a set of bytes, one bit each */
    uint8_t bits[(UCHAR_MAX + 1) / CHAR_BIT];
};

struct lauka_pattern {
    struct pattern_step steps[PATTERN_STEPS];
    size_t count;
    struct lauka_arena arena; /* owns the sets */
    struct pattern_set *sets;
    size_t set_count;
    bool has_choice; /* the group has several alternatives */
};

static inline bool pattern_set_has(const struct pattern_set *set, unsigned char byte)
{
    return set->bits[byte / CHAR_BIT] >> byte % CHAR_BIT & 1;
}

static inline void pattern_set_add(struct pattern_set *set, unsigned char byte)
{
    set->bits[byte / CHAR_BIT] |= (uint8_t)(1 << byte % CHAR_BIT);
}

#endif
