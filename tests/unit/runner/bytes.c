/* runner/base: the functions that copy and clear memory in the static release, under other names. They
 * are compared with a copy byte by byte, for every size up to several blocks, every alignment, and every
 * distance at which the areas overlap. Bytes before and behind must not change. */
#include "tests/unit/expect.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

void *own_memmove(void *to, const void *from, size_t size);
void *own_memcpy(void *restrict to, const void *restrict from, size_t size);
void *own_memset(void *to, int byte, size_t size);
void *own_calloc(size_t count, size_t size);

#define memmove own_memmove
#define memcpy own_memcpy
#define memset own_memset
#define calloc own_calloc
#include "runner/base/linux/bytes.c"

enum { SIZE_MAX_TESTED = 70, SIZE = 256, MIDDLE = 100 };

static unsigned char area[SIZE], expected[SIZE];

static void fill(void)
{
    for (size_t i = 0; i < SIZE; i++)
        area[i] = expected[i] = (unsigned char)(i * 7 + 3);
}

static bool is_as_expected(void)
{
    for (size_t i = 0; i < SIZE; i++)
        if (area[i] != expected[i])
            return false;
    return true;
}

static void expect_move(size_t to, size_t from, size_t size)
{
    unsigned char copy[SIZE_MAX_TESTED];

    fill();
    for (size_t i = 0; i < size; i++)
        copy[i] = area[from + i];
    for (size_t i = 0; i < size; i++)
        expected[to + i] = copy[i];
    EXPECT(own_memmove(area + to, area + from, size) == area + to);
    EXPECT(is_as_expected());
}

static void memory_is_moved_whatever_overlaps(void)
{
    for (size_t size = 0; size <= SIZE_MAX_TESTED; size++)
        for (size_t to = MIDDLE - SIZE_MAX_TESTED; to <= MIDDLE + SIZE_MAX_TESTED; to++)
            expect_move(to, MIDDLE, size);
}

static void memory_is_copied(void)
{
    for (size_t size = 0; size <= SIZE_MAX_TESTED; size++)
        for (size_t at = 0; at < 16; at++) {
            fill();
            for (size_t i = 0; i < size; i++)
                expected[at + i] = expected[MIDDLE + i];
            EXPECT(own_memcpy(area + at, area + MIDDLE, size) == area + at);
            EXPECT(is_as_expected());
        }
}

static void memory_is_set(void)
{
    for (size_t size = 0; size <= SIZE_MAX_TESTED; size++)
        for (size_t at = 0; at < 16; at++) {
            fill();
            for (size_t i = 0; i < size; i++)
                expected[at + i] = 0xA5;
            /* Only the lowest byte counts. */
            EXPECT(own_memset(area + at, 0x7A5, size) == area + at);
            EXPECT(is_as_expected());
        }
}

static void memory_is_given_cleared(void)
{
    unsigned char *bytes = own_calloc(3, 7);
    size_t sum = 0;

    for (size_t i = 0; bytes && i < 21; i++)
        sum += bytes[i];
    EXPECT(bytes != NULL && sum == 0);
    free(bytes);
    errno = 0;
    EXPECT(own_calloc(SIZE_MAX / 2, 3) == NULL && errno == ENOMEM);
}

int main(void)
{
    TEST(memory_is_moved_whatever_overlaps);
    TEST(memory_is_copied);
    TEST(memory_is_set);
    TEST(memory_is_given_cleared);
    return expect_report("bytes");
}
