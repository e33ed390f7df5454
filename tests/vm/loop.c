/* Executes two instructions a turn, ARGUMENT turns: `loop 1000000`. Numbers of equally many digits
 * cost the same to read, so that two runs differ by exactly the turns. With a second number it
 * does so that many times more, after a sleep of a millisecond each. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static void execute(uint64_t turns)
{
#if defined(__aarch64__)
    __asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(turns) : : "cc");
#else
    __asm__ volatile("1: dec %0\n jnz 1b" : "+r"(turns) : : "cc");
#endif
}

int main(int argc, char **argv)
{
    const struct timespec pause = {0, 1000000};
    uint64_t turns = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t times = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;

    do {
        execute(turns);
    } while (times-- > 0 && nanosleep(&pause, NULL) == 0);
    return 0;
}
