/* Memory that is given back all at once: blocks, each of which is cut from its beginning. */
#include "runner/base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 32768 }; /* bytes; a larger piece gets a block of its own size */

struct lauka_arena_block {
    struct lauka_arena_block *next;
    size_t used, size; /* of the bytes behind this */
    alignas(max_align_t) char bytes[];
};

static size_t padded(size_t size)
{
    return (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
}

static void *fail(struct lauka_arena *arena)
{
    jmp_buf *exhausted = arena->exhausted;

    arena->exhausted = NULL;
    if (exhausted)
        longjmp(*exhausted, 1);
    return NULL;
}

void *lauka_arena_take(struct lauka_arena *arena, size_t size)
{
    struct lauka_arena_block *block = arena->blocks;
    size_t needed = padded(size);

    if (needed < size)
        return fail(arena);
    if (!block || block->size - block->used < needed) {
        size_t room = needed > BLOCK ? needed : BLOCK;
        block = room < SIZE_MAX - sizeof *block ? calloc(1, sizeof *block + room) : NULL;
        if (!block)
            return fail(arena);
        block->size = room;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    block->used += needed;
    return block->bytes + block->used - needed;
}

/* Whether `used` bytes at the end of the newest block can become `needed` bytes. */
static bool grow_in_place(struct lauka_arena *arena, const char *bytes, size_t used, size_t needed)
{
    struct lauka_arena_block *block = arena->blocks;

    if (used == 0 || !block || bytes + padded(used) != block->bytes + block->used ||
        padded(needed) - padded(used) > block->size - block->used)
        return false;
    block->used += padded(needed) - padded(used);
    return true;
}

/* There is room for the next power of two; the pointer may be one to any type. */
void *lauka_arena_add(struct lauka_arena *arena, void *elements, size_t *count, size_t size)
{
    size_t room = *count > 0 ? 2 * *count : 1;
    char *array;

    memcpy(&array, elements, sizeof array);
    if ((*count & (*count - 1)) == 0 && /* also 0 */
        (room > SIZE_MAX / 2 / size || !grow_in_place(arena, array, *count * size, room * size))) {
        char *grown =
            room <= SIZE_MAX / 2 / size ? lauka_arena_take(arena, room * size) : fail(arena);
        if (!grown)
            return NULL;
        if (*count > 0)
            memcpy(grown, array, *count * size);
        memcpy(elements, &grown, sizeof grown);
        array = grown;
    }
    return memset(array + (*count)++ * size, 0, size);
}

bool lauka_arena_add_text(struct lauka_arena *arena, void *texts, size_t *count, const char *text)
{
    void *added = text ? lauka_arena_add(arena, texts, count, sizeof text) : NULL;

    if (added)
        memcpy(added, &text, sizeof text);
    return added != NULL;
}

char *lauka_arena_piece(struct lauka_arena *arena, const char *text, size_t length)
{
    char *copy = lauka_arena_take(arena, length + 1);

    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *lauka_arena_text(struct lauka_arena *arena, const char *text)
{
    return lauka_arena_piece(arena, text, strlen(text));
}

char *lauka_arena_print(struct lauka_arena *arena, const char *format, ...)
{
    va_list values, again;
    char *text = NULL;

    va_start(values, format);
    va_copy(again, values);
    int length = vsnprintf(NULL, 0, format, values);
    if (length >= 0)
        text = lauka_arena_take(arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(values);
    return text;
}

void lauka_arena_done(struct lauka_arena *arena)
{
    while (arena->blocks) {
        struct lauka_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    arena->exhausted = NULL;
}
