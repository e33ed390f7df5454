/* What a regular expression becomes: steps of a machine that is in many places at once (Thompson 1968, CACM 11). It
 * looks at each byte once, so that no expression and no text can make it take long, and its memory is known before it
 * begins. Inside of runner/command only. */
#ifndef LAUKA_RUNNER_COMMAND_PATTERN_H
#define LAUKA_RUNNER_COMMAND_PATTERN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/arena.h"

/* So many steps a regular expression may have; a{1,50} has a hundred. */
enum { PATTERN_STEPS = 1000 };

enum pattern_step_kind {
    PATTERN_BYTE,       /* takes this one */
    PATTERN_SET,        /* takes one of these */
    PATTERN_SPLIT,      /* goes on at `to` or, where that fails, at `other` */
    PATTERN_JUMP,       /* goes on at `to` */
    PATTERN_BEGIN,      /* of the group */
    PATTERN_END,        /* of the group */
    PATTERN_LINE_BEGIN, /* holds where a line begins */
    PATTERN_LINE_END,
    PATTERN_MATCH, /* the last one */
};

struct pattern_step {
    enum pattern_step_kind kind;
    uint16_t to, other;
    uint16_t set; /* its number */
    uint8_t byte;
};

struct pattern_set { /* of bytes, a bit each */
    uint8_t bits[(UCHAR_MAX + 1) / CHAR_BIT];
};

struct lauka_pattern {
    struct pattern_step steps[PATTERN_STEPS];
    size_t count;
    struct lauka_arena arena; /* of the sets */
    struct pattern_set *sets;
    size_t set_count;
    bool has_choice; /* its group has several alternatives */
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
