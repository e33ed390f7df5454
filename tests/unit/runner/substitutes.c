/* runner/base: the replacements for functions of the C library in the static release, compared with that
 * library: sorting, and kinds of characters. bytes.c has its own test. */
#include "tests/unit/expect.h"

#include <ctype.h>
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

int main(void)
{
    TEST(equal_elements_keep_their_order);
    TEST(letters_are_those_of_ascii);
    return expect_report("substitutes");
}
