/* Compares strtod with a handwritten parser that knows its input: 10,000 numbers in [0, 1).
 *     cc -O2 -I/usr/local/include parse_floats.c -o parse_floats && ./parse_floats */
#include "lauka_micro.h"

enum { NUMBERS = 10000, SIZE = 16 };

static void make_numbers(char *text, uint64_t seed)
{
    uint64_t state = seed | 1;

    for (int i = 0; i < NUMBERS; i++)
        snprintf(text + i * SIZE, SIZE, "0.%09u", (unsigned)lauka_micro_draw(&state, 1000000000));
}

static double by_library(const char *text)
{
    return strtod(text, NULL);
}

/* Nine digits after the point: the number is exact in a double, and one division is enough. */
static double by_hand(const char *text)
{
    uint64_t digits = 0;

    for (text += 2; *text; text++)
        digits = digits * 10 + (uint64_t)(*text - '0');
    return (double)digits / 1e9;
}

static void measure(struct lauka_bench_state *state, double (*parse)(const char *))
{
    static char text[NUMBERS * SIZE];

    make_numbers(text, state->seed);
    LAUKA_BENCH_LOOP(state)
    {
        double sum = 0;
        for (int i = 0; i < NUMBERS; i++)
            sum += parse(text + i * SIZE);
        lauka_bench_keep(sum);
    }
    lauka_bench_items(state, NUMBERS);
}

static void library(struct lauka_bench_state *state)
{
    measure(state, by_library);
}

static void hand(struct lauka_bench_state *state)
{
    measure(state, by_hand);
}

int main(void)
{
    static const struct lauka_bench benches[] = {{"strtod", library}, {"by-hand", hand}};
    return lauka_micro_main(benches, 2);
}
