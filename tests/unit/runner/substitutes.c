/* runner/base and runner/launch: the replacements for functions of the C library in small programs,
 * compared with that library: sorting, kinds of characters, and whole numbers as text. bytes.c has its
 * own test. */
#include "tests/unit/expect.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

typedef int compare_function(const void *, const void *);

void own_qsort(void *first, size_t count, size_t size, compare_function *compare);
int own_iswalpha(wint_t character);
int own_iswpunct(wint_t character);
wint_t own_towlower(wint_t character);
wint_t own_towupper(wint_t character);
int own_snprintf(char *restrict text, size_t size, const char *restrict format, ...)
    __attribute__((format(printf, 3, 4)));
int own_vsnprintf(char *restrict text, size_t size, const char *restrict format, va_list given);

static bool memory_is_scarce;

static void *own_malloc(size_t size)
{
    return memory_is_scarce ? NULL : malloc(size);
}

#define qsort own_qsort
#define malloc own_malloc
#include "runner/base/linux/sort.c"
#undef malloc
#define iswalpha own_iswalpha
#define iswpunct own_iswpunct
#define towlower own_towlower
#define towupper own_towupper
#include "runner/base/linux/letters.c"
#define snprintf own_snprintf
#define vsnprintf own_vsnprintf
#include "runner/launch/linux/print.c"
#undef snprintf

struct entry {
    uint8_t key;
    uint16_t place;
    char rest[5]; /* an odd size */
};

static int by_key(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    return (a->key > b->key) - (a->key < b->key);
}

static void expect_sorted(size_t count, unsigned keys)
{
    struct entry *entries = calloc(count + 1, sizeof *entries);
    uint32_t state = 1;

    for (size_t i = 0; entries && i < count; i++) {
        state = state * 1664525 + 1013904223;
        entries[i] = (struct entry){.key = (uint8_t)(state >> 16) % keys, .place = (uint16_t)i};
    }
    if (entries)
        entries[count].key = 77; /* behind the last element */
    own_qsort(entries, count, sizeof *entries, by_key);
    for (size_t i = 1; entries && i < count; i++)
        EXPECT(entries[i - 1].key < entries[i].key ||
               (entries[i - 1].key == entries[i].key && entries[i - 1].place < entries[i].place));
    EXPECT(entries && entries[count].key == 77);
    free(entries);
}

static void equal_elements_keep_their_order(void)
{
    for (int scarce = 0; scarce < 2; scarce++) {
        memory_is_scarce = scarce;
        for (size_t count = 0; count < 40; count++)
            for (unsigned keys = 1; keys < 10; keys += 4)
                expect_sorted(count, keys);
        expect_sorted(1000, 200);
    }
    memory_is_scarce = false;
}

/* lauka keeps the default locale of C programs, in which a byte is a character. */
static void letters_are_those_of_ascii(void)
{
    for (int c = 0; c < 128; c++) {
        EXPECT(!own_iswalpha((wint_t)c) == !isalpha(c));
        EXPECT(!own_iswpunct((wint_t)c) == !ispunct(c));
        EXPECT((int)own_towlower((wint_t)c) == tolower(c));
        EXPECT((int)own_towupper((wint_t)c) == toupper(c));
    }
    for (wint_t c = 128; c < 0xe000; c++) {
        EXPECT(!own_iswalpha(c) && !own_iswpunct(c));
        EXPECT(own_towlower(c) == c && own_towupper(c) == c);
    }
}

#define EXPECT_SAME(...)                                                                           \
    do {                                                                                           \
        char expected[64], got[64];                                                                \
        for (size_t room = 0; room <= sizeof got; room += room < 12 ? 1 : 13) {                    \
            memset(expected, '#', sizeof expected);                                                \
            memset(got, '#', sizeof got);                                                          \
            int length = snprintf(expected, room, __VA_ARGS__);                                    \
            EXPECT(own_snprintf(got, room, __VA_ARGS__) == length);                                \
            EXPECT(memcmp(expected, got, sizeof got) == 0);                                        \
        }                                                                                          \
    } while (0)

static void texts_are_those_of_the_c_library(void)
{
    EXPECT_SAME("%s", "");
    EXPECT_SAME("100 %% of %s/%s", "devices", "cpu");
    EXPECT_SAME("%.20s|%.3s|%.*s|%.0s|%6s|%6.2s", "short", "longer", 2, "cut", "none", "abc",
                "def");
    EXPECT_SAME("%d %d %d", 0, -1, INT32_MIN);
    EXPECT_SAME("%u %u", 0U, UINT32_MAX);
    EXPECT_SAME("%ld %lu %lld %llu", -7L, 8UL, INT64_MIN + 0LL, UINT64_MAX + 0ULL);
    EXPECT_SAME("%zu %x %llx %lx", SIZE_MAX, 0xbeefU, 0xfeedULL, 0UL);
    EXPECT_SAME("%4d|%04d|%04d|%2u|%016llx|%*d", -12, -12, 7, 12345U, 0xabcULL, 5, 3);
}

int main(void)
{
    TEST(equal_elements_keep_their_order);
    TEST(letters_are_those_of_ascii);
    TEST(texts_are_those_of_the_c_library);
    return expect_report("substitutes");
}
