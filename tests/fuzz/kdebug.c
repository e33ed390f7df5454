/* A stream of a Mac's trace. The first byte is the number of counters; the second selects the form of
 * records: complete, as the kernel writes them, or seven bytes each, so that threads meet again. */
#include "pmu/macos/darwin.h"
#include "pmu/macos/kdebug.h"

#include "tests/fuzz/fuzz.h"

enum { SMALL = 7, PID = 7 };

static const uint32_t kinds[] = {LAUKA_KD_NEW_THREAD, LAUKA_KD_EXEC,       LAUKA_KD_THREAD_EXIT,
                                 LAUKA_KD_SAMPLE,     LAUKA_KD_SAMPLE | 1, LAUKA_KD_SAMPLE | 2,
                                 LAUKA_KD_SAMPLE | 3, LAUKA_KD_LOST,       0x25000000};

static struct lauka_kd_buf small_record(const uint8_t *bytes)
{
    struct lauka_kd_buf record = {.thread = bytes[1],
                                  .timestamp = bytes[6],
                                  .debugid = kinds[bytes[0] % (sizeof kinds / sizeof *kinds)]};

    for (int a = 0; a < 4; a++)
        record.arguments[a] = bytes[2 + a];
    return record;
}

static void feed(struct lauka_kd_run *run, const uint8_t *bytes, size_t size, bool whole)
{
    size_t step = whole ? sizeof(struct lauka_kd_buf) : SMALL;

    for (size_t at = 0; at + step <= size; at += step) {
        struct lauka_kd_buf record;
        if (whole)
            memcpy(&record, bytes + at, sizeof record);
        else
            record = small_record(bytes + at);
        lauka_kd_feed(run, &record, 1);
    }
}

static void check(const struct lauka_kd_run *run, const struct lauka_kd_total *total)
{
    fuzz_require(run->error == 0 && run->counter_count <= LAUKA_KD_COUNTERS_MAX);
    fuzz_require(total->threads <= run->count && total->unfinished <= total->threads);
    for (size_t c = run->counter_count; c < LAUKA_KD_COUNTERS_MAX; c++)
        fuzz_require(total->counts[c] == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct lauka_kd_run run = {0};
    struct lauka_kd_total total;

    if (size < 2)
        return 0;
    for (int turn = 0; turn < 2; turn++) { /* the table is kept between runs */
        lauka_kd_begin(&run, PID, bytes[0], turn);
        lauka_kd_expect(&run, bytes[1] >> 1);
        feed(&run, bytes + 2, size - 2, bytes[1] & 1);
        lauka_kd_sum(&run, &total);
        check(&run, &total);
    }
    lauka_kd_done(&run);
    return 0;
}
