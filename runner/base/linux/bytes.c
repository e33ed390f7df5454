/* What copies and clears memory in the static release. The C library that Zig compiles to be small does it byte by
 * byte, which was a third of all instructions of a session of a thousand short runs. Part of no other build: see
 * build/compile.zig. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* At any address, and whatever is there. */
typedef uint64_t pair __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t word __attribute__((aligned(1), may_alias));
typedef uint32_t half __attribute__((aligned(1), may_alias));

/* Less than 16 bytes: all are read before any is written; those in the middle may be written twice. */
static void move_few(char *to, const char *from, size_t size)
{
    if (size >= sizeof(word)) {
        word first = *(const word *)from, last = *(const word *)(from + size - sizeof last);
        *(word *)to = first;
        *(word *)(to + size - sizeof last) = last;
    } else if (size >= sizeof(half)) {
        half first = *(const half *)from, last = *(const half *)(from + size - sizeof last);
        *(half *)to = first;
        *(half *)(to + size - sizeof last) = last;
    } else if (size > 0) {
        char first = from[0], middle = from[size / 2], last = from[size - 1];
        to[0] = first;
        to[size / 2] = middle;
        to[size - 1] = last;
    }
}

/* Where the areas overlap, to begins before from. */
static void move_forwards(char *to, const char *from, size_t size)
{
    const pair last = *(const pair *)(from + size - sizeof last);

    for (size_t i = 0; i + sizeof last < size; i += sizeof last)
        *(pair *)(to + i) = *(const pair *)(from + i);
    *(pair *)(to + size - sizeof last) = last;
}

static void move_backwards(char *to, const char *from, size_t size)
{
    const pair first = *(const pair *)from;

    for (size_t i = size; i > sizeof first; i -= sizeof first)
        *(pair *)(to + i - sizeof first) = *(const pair *)(from + i - sizeof first);
    *(pair *)to = first;
}

void *memmove(void *to, const void *from, size_t size)
{
    if (size < sizeof(pair))
        move_few(to, from, size);
    else if ((uintptr_t)to - (uintptr_t)from >= size)
        move_forwards(to, from, size);
    else
        move_backwards(to, from, size);
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    return memmove(to, from, size);
}

void *memset(void *to, int byte, size_t size)
{
    const uint64_t one = (uint8_t)byte * UINT64_C(0x0101010101010101);
    const pair pattern = {one, one};
    char *bytes = to;

    if (size < sizeof pattern) {
        move_few(bytes, (const char *)&pattern, size);
        return to;
    }
    for (size_t i = 0; i + sizeof pattern < size; i += sizeof pattern)
        *(pair *)(bytes + i) = pattern;
    *(pair *)(bytes + size - sizeof pattern) = pattern;
    return to;
}

void *calloc(size_t count, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    void *memory = malloc(total);
    return memory ? memset(memory, 0, total) : NULL;
}
