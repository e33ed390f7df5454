/* The same sum over the same numbers, sorted or not: `conditional_sum sorted|unsorted`. Both execute the
 * same instructions, but the branch is mispredicted more often with unsorted numbers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 32768, PASSES = 300 };

static uint8_t numbers[COUNT];

static int compare(const void *a, const void *b)
{
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

/* Both variants sort a copy, so the cost of sorting is the same. */
static void fill(int sorted)
{
    static uint8_t copy[COUNT];
    uint32_t state = 1;

    for (int i = 0; i < COUNT; i++) {
        state = state * 1664525 + 1013904223; /* Numerical Recipes, 2nd ed., section 7.1 */
        numbers[i] = (uint8_t)(state >> 24);
    }
    memcpy(copy, numbers, COUNT);
    qsort(copy, COUNT, 1, compare);
    if (sorted)
        memcpy(numbers, copy, COUNT);
}

static uint64_t sum_upper_half(void)
{
    uint64_t sum = 0;

    for (int i = 0; i < COUNT; i++)
        if (numbers[i] >= 128) {
            __asm__ volatile(""); /* keeps the branch: otherwise the loop is vectorised */
            sum += numbers[i];
        }
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    if (argc != 2 || (strcmp(argv[1], "sorted") != 0 && strcmp(argv[1], "unsorted") != 0)) {
        fputs("usage: conditional_sum sorted|unsorted\n", stderr);
        return 2;
    }
    fill(strcmp(argv[1], "sorted") == 0);
    for (int pass = 0; pass < PASSES; pass++)
        sum += sum_upper_half();
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
