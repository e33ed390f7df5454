/* Memory that is given back all at once. */
#ifndef LAUKA_RUNNER_BASE_ARENA_H
#define LAUKA_RUNNER_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>

struct lauka_arena_block;

/* All zero is an empty one. What it hands out lives until lauka_arena_done. */
struct lauka_arena {
    struct lauka_arena_block *blocks; /* owned; the newest comes first */
    /* Where to go on if memory runs out, in a function that has not returned; it is used once. NULL: the functions
     * below return NULL then. */
    jmp_buf *exhausted;
};

/* Zeroed memory, aligned for any type. */
void *lauka_arena_take(struct lauka_arena *arena, size_t size);

/* Appends a zeroed element to an array of the arena, which may move, and counts it. `elements` points to the array's
 * pointer. Returns the element. */
void *lauka_arena_add(struct lauka_arena *arena, void *elements, size_t *count, size_t size);

/* Copies of a text, and of its first bytes. */
char *lauka_arena_text(struct lauka_arena *arena, const char *text);
char *lauka_arena_piece(struct lauka_arena *arena, const char *text, size_t length);

/* As asprintf(3). */
char *lauka_arena_print(struct lauka_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The arena is empty then, and has nowhere to go on. */
void lauka_arena_done(struct lauka_arena *arena);

#endif
