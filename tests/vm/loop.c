/* Executes two instructions a turn, ARGUMENT turns: `loop 1000000`. Numbers of equally many digits
 * cost the same to read, so that two runs differ by exactly the turns. */
#include <stdint.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    uint64_t turns = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;

#if defined(__aarch64__)
    __asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(turns) : : "cc");
#else
    __asm__ volatile("1: dec %0\n jnz 1b" : "+r"(turns) : : "cc");
#endif
    return 0;
}
