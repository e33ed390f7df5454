/* The frameworks, and by what their programs are known. */
#include "runner/suite/suite.h"
#include "runner/base/base.h"

#include <stdio.h>
#include <string.h>

static const struct lauka_adapter native = {.framework = LAUKA_FRAMEWORK_LAUKA,
                                            .name = "lauka",
                                            .marks = {"LAUKA_BENCH_FDS"},
                                            .talks = true,
                                            .tells_cpu_time = true};

const struct lauka_adapter *const lauka_adapters[] = {
    &native,
    &lauka_gbench_adapter,
    &lauka_go_adapter,
    &lauka_criterion_adapter,
    &lauka_pytest_adapter,
};
const size_t lauka_adapter_count = sizeof lauka_adapters / sizeof *lauka_adapters;

const struct lauka_adapter *lauka_adapter_of(enum lauka_framework framework)
{
    for (size_t i = 0; i < lauka_adapter_count; i++)
        if (lauka_adapters[i]->framework == framework)
            return lauka_adapters[i];
    return NULL;
}

/* ---- by what is in a file --------------------------------------------------------------------------- */

static bool holds(const char *bytes, size_t size, const char *mark)
{
    size_t length = strlen(mark);

    for (const char *at = bytes; size >= length; at++) {
        const char *next = memchr(at, *mark, size - length + 1);
        if (!next)
            return false;
        size -= (size_t)(next - at);
        if (memcmp(next, mark, length) == 0)
            return true;
        at = next;
        size--;
    }
    return false;
}

/* Marks of each that are in these bytes. */
static void note_marks(const char *bytes, size_t size, bool *found)
{
    for (size_t i = 0; i < lauka_adapter_count; i++)
        for (size_t m = 0; m < 3 && lauka_adapters[i]->marks[m]; m++)
            found[i] = found[i] || holds(bytes, size, lauka_adapters[i]->marks[m]);
}

const struct lauka_adapter *lauka_adapter_of_file(const char *path)
{
    enum { BLOCK = 1 << 16, OVERLAP = 64, MOST = 1 << 14 /* 1 GiB */ };
    static char bytes[OVERLAP + BLOCK];
    bool found[16] = {false};
    size_t kept = 0, count, blocks = 0;
    FILE *file = lauka_file_stream(path); /* a program's argument may be anything */

    while (file && blocks++ < MOST && !lauka_interrupt_signal() &&
           (count = fread(bytes + kept, 1, BLOCK, file)) > 0) {
        note_marks(bytes, kept + count, found);
        size_t all = kept + count;
        kept = all < OVERLAP ? all : OVERLAP;
        memmove(bytes, bytes + all - kept, kept);
    }
    if (file)
        fclose(file);
    for (size_t i = 0; i < lauka_adapter_count; i++)
        if (found[i])
            return lauka_adapters[i];
    return NULL;
}
