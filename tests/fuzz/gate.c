/* The words of a gate: one rule of --gate, or a file of them; the first byte selects which. What is
 * accepted is complete. */
#include "report/result/result.h"
#include "runner/base/base.h"
#include "runner/options/table.h"

#include <math.h>

#include "tests/fuzz/fuzz.h"

static void check(const struct lauka_gate_rule *rule)
{
    fuzz_require(rule->metric && *rule->metric);
    fuzz_require((rule->share.known || rule->absolute.known) != rule->most.known);
    fuzz_require(!rule->most.known ||
                 (rule->most.value >= 0 && isfinite(rule->most.value) && rule->unit));
    fuzz_require(!rule->share.known || (rule->share.value >= 0 && rule->share.value <= 1e4));
    fuzz_require(!rule->absolute.known ||
                 (rule->absolute.value >= 0 && isfinite(rule->absolute.value) && rule->unit));
    fuzz_require(rule->rank <= 1000000000);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct lauka_arena arena = {0};
    struct lauka_result_gate gate = {0};
    struct lauka_error error = {0};

    if (size == 0)
        return 0;
    char *text = fuzz_text(bytes + 1, size - 1);
    bool good = bytes[0] & 1 ? gate_option_add(&arena, text, &gate, &error)
                             : gate_file_parse(&arena, "file", text, size - 1, &gate, &error);
    fuzz_require(good || (error.code == LAUKA_EXIT_USAGE && *error.text));
    for (size_t r = 0; good && r < gate.rule_count; r++)
        check(&gate.rules[r]);
    lauka_arena_done(&arena);
    free(text);
    return 0;
}
