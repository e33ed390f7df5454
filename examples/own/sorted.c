/* Why is it faster to process a sorted array? Because its branches are predicted.
 *
 *     cc -O1 -I/usr/local/include sorted.c -o sorted && ./sorted */
#include "lauka_micro.h"

enum { BYTES = 100000 };

static int ascending(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

static void measure(struct lauka_bench_state *state, int sorted)
{
    unsigned char *bytes = (unsigned char *)malloc(BYTES);
    uint64_t random = state->seed | 1;

    if (!bytes) {
        lauka_bench_fail(state, "out of memory");
        return;
    }
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)lauka_micro_draw(&random, 256);
    if (sorted)
        qsort(bytes, BYTES, 1, ascending);
    LAUKA_BENCH_LOOP(state)
    {
        double sum = 0;
        for (int i = 0; i < BYTES; i++) {
            if (bytes[i] >= 128)
                sum += 100;
            else
                sum *= 0.9999;
        }
        lauka_bench_keep(sum);
    }
    lauka_bench_items(state, BYTES);
    free(bytes);
}

static void sorted(struct lauka_bench_state *state)
{
    measure(state, 1);
}

static void unsorted(struct lauka_bench_state *state)
{
    measure(state, 0);
}

int main(void)
{
    static const struct lauka_bench benches[] = {{"unsorted", unsorted}, {"sorted", sorted}};
    return lauka_micro_main(benches, 2);
}
