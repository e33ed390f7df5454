/* Memory that is freed all at once. */
#ifndef LAUKA_RUNNER_BASE_ARENA_H
#define LAUKA_RUNNER_BASE_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

struct lauka_arena_block;

/* Zeroed, it is empty. Its memory lives until lauka_arena_done. */
struct lauka_arena {
    struct lauka_arena_block *blocks; /* owned; the newest comes first */
    /* Where to continue when memory runs out: in a function that has not returned. It is used once.
     * NULL: the functions below return NULL instead. */
    jmp_buf *exhausted;
};

/* Returns zeroed memory, aligned for any type. */
void *lauka_arena_take(struct lauka_arena *arena, size_t size);

/* Appends a zeroed element to an array of the arena, which may move, and increments the count.
 * `elements` points to the pointer to the array. Returns the element. */
void *lauka_arena_add(struct lauka_arena *arena, void *elements, size_t *count, size_t size);

/* Appends a text, which is borrowed, to an array of texts. False without memory, also if the text is NULL. */
bool lauka_arena_add_text(struct lauka_arena *arena, void *texts, size_t *count, const char *text);

/* Copies a text, or its first bytes. */
char *lauka_arena_text(struct lauka_arena *arena, const char *text);
char *lauka_arena_piece(struct lauka_arena *arena, const char *text, size_t length);

/* Works like asprintf(3). */
char *lauka_arena_print(struct lauka_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Frees everything. The arena is then empty, and `exhausted` is NULL. */
void lauka_arena_done(struct lauka_arena *arena);

#endif
