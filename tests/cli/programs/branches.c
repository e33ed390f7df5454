/* "branches sorted|random": additions that depend on a number, equally many in both. A processor predicts
 * them if the numbers are sorted. */
#include <stdint.h>
#include <string.h>

enum { COUNT = 4096, PASSES = 20 };

int main(int argc, char **argv)
{
    static volatile uint8_t numbers[COUNT];
    volatile uint64_t sum = 0;
    uint32_t state = 1;
    int sorted = argc > 1 && strcmp(argv[1], "sorted") == 0;

    for (int i = 0; i < COUNT; i++) {
        state = state * 1664525 + 1013904223; /* Numerical Recipes, 2nd ed., section 7.1 */
        numbers[i] = (uint8_t)(sorted ? i * 256 / COUNT : (int)(state >> 24));
    }
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < COUNT; i++)
            if (numbers[i] >= 128)
                sum = sum + 1;
    return sum == 0;
}
