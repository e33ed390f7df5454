/* The file of --allow. What is accepted is complete, and its day exists. */
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/options/table.h"

#include "tests/fuzz/fuzz.h"

static void check(const struct lauka_gate_allowance *allowance)
{
    fuzz_require(allowance->benchmark && allowance->metric && allowance->reason);
    fuzz_require(*allowance->reason && strlen(allowance->until) == strlen("2026-12-31"));
    fuzz_require(allowance->expired == (strcmp(allowance->until, "2026-06-15") < 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct lauka_arena arena = {0};
    struct lauka_result_gate gate = {0};
    struct lauka_error error = {0};
    char *text = fuzz_text(bytes, size);
    bool good = gate_allowances_parse(&arena, "file", text, size, "2026-06-15", &gate, &error);

    fuzz_require(good || (error.code == LAUKA_EXIT_USAGE && *error.text));
    for (size_t a = 0; good && a < gate.allowance_count; a++)
        check(&gate.allowances[a]);
    lauka_arena_done(&arena);
    free(text);
    return 0;
}
