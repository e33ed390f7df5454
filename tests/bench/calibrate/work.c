/* A command whose work is known exactly: `work STEPS`. Two of them differ only in STEPS. */
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    uint64_t state = 1, steps = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;

    for (uint64_t i = 0; i < steps; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX generator */
        __asm__ volatile("" : "+r"(state)); /* each step waits for the one before */
    }
    return 0;
}
