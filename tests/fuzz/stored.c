/* A file for lauka compare: JSON of lauka or hyperfine, CSV, an HdrHistogram log, plain numbers. The
 * first byte says whether a column is asked for. What can be read can be analysed and written. */
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

static void write_all(const struct lauka_result *result)
{
    static FILE *nowhere;
    const struct lauka_terminal terminal = {.width = 80, .utf8 = true};

    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    fuzz_require(nowhere != NULL);
    (void)lauka_write_table(result, terminal, nowhere);
    (void)lauka_write_percentiles(result, terminal, nowhere);
    (void)lauka_write_markdown(result, nowhere);
    (void)lauka_write_csv(result, nowhere);
    (void)lauka_write_json(result, nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const columns[] = {NULL, "1", "2", "mean"};
    struct lauka_result result = {0};
    struct lauka_load_error error;

    if (size == 0)
        return 0;
    char *copy = fuzz_text(bytes + 1, size - 1);
    const struct lauka_stored stored = {"stored", copy, size - 1, columns[bytes[0] % 4]};
    if (lauka_load(&stored, &result, &error) == 0 && lauka_result_analyse(&result) == 0)
        write_all(&result);
    lauka_result_done(&result);
    free(copy);
    return 0;
}
