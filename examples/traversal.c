/* The same sum over the same matrix, along its rows or down its columns: `traversal rows|columns`. Rows
 * use every byte of a cache line before the next one is loaded; columns use one number of each line. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 2048, PASSES = 3 };

static uint32_t matrix[SIZE][SIZE];

static uint64_t sum_rows(void)
{
    uint64_t sum = 0;

    /* The volatile access prevents loop interchange. */
    for (int row = 0; row < SIZE; row++)
        for (int column = 0; column < SIZE; column++)
            sum += *(volatile uint32_t *)&matrix[row][column];
    return sum;
}

static uint64_t sum_columns(void)
{
    uint64_t sum = 0;

    for (int column = 0; column < SIZE; column++)
        for (int row = 0; row < SIZE; row++)
            sum += *(volatile uint32_t *)&matrix[row][column];
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    if (argc != 2 || (strcmp(argv[1], "rows") != 0 && strcmp(argv[1], "columns") != 0)) {
        fputs("usage: traversal rows|columns\n", stderr);
        return 2;
    }
    for (int row = 0; row < SIZE; row++)
        for (int column = 0; column < SIZE; column++)
            matrix[row][column] = (uint32_t)(row ^ column);
    for (int pass = 0; pass < PASSES; pass++)
        sum += strcmp(argv[1], "rows") == 0 ? sum_rows() : sum_columns();
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
