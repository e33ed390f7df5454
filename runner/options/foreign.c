/* Options of other tools that people type from habit, and what to type here. docs/from-*.md say the same
 * to those who read first. */
#include "runner/options/options.h"
#include "runner/base/base.h"

#include <stdio.h>
#include <string.h>

struct foreign {
    const char *word; /* without dashes */
    const char *tool;
    const char *use;
};

#define WHOLE "perf stat itself: lauka measures commands, not whole machines"
#define BENCHMARKS "google-benchmark"
#define CRITERION "Criterion.rs"

static const struct foreign foreign[] = {
    {"a", "perf stat", WHOLE},
    {"all-cpus", "perf stat", WHOLE},
    {"A", "perf stat", "--per-core-type"},
    {"no-aggr", "perf stat", "--per-core-type"},
    {"per-socket", "perf stat", "--per-core-type"},
    {"per-die", "perf stat", "--per-core-type"},
    {"per-node", "perf stat", "--per-core-type"},
    {"repeat", "perf stat", "-r N"},
    {"x", "perf stat", "--csv"},
    {"field-separator", "perf stat", "--csv"},
    {"j", "perf stat", "--json"},
    {"json-output", "perf stat", "--json"},
    {"o", "perf stat", "--csv=FILE or --json=FILE"},
    {"append", "perf stat", "--json=FILE, one file for each session"},
    {"pid", "perf stat", "lauka threads PID"},
    {"t", "perf stat", "lauka threads PID"},
    {"tid", "perf stat", "lauka threads PID"},
    {"I", "perf stat", "lauka threads PID --interval MS"},
    {"interval-print", "perf stat", "lauka threads PID --interval MS"},
    {"table", "perf stat", "--csv-samples"},
    {"null", "perf stat", "-e none"},
    {"detailed", "perf stat", "-e with the names of events"},
    {"metrics-list", "perf stat", "--metrics"},
    {"topdown", "perf stat", "perf stat itself: lauka has no top-down metrics"},
    {"cgroup", "perf stat", "perf stat itself: lauka measures commands, not cgroups"},
    {"post", "perf stat", "--conclude COMMAND"},
    {"no-big-num", "perf stat", "--csv or --json"},
    {"min-benchmarking-time", "hyperfine", "--min-time T"},
    {"alpha", "benchstat", "--gate: it judges at 99 %, everything else at 95 %"},
    {"delta-test", "benchstat", "no option: pairs are compared by signed ranks"},
    {"filter", "benchstat", "--benchmark GLOB"},
    {"count", "go test", "-r N"},
    {"bench", "go test", "--benchmark GLOB"},
    {"benchtime", "go test", "--max-time T"},
    {"benchmem", "go test", "no option: memory is always measured"},
    {"benchmark_filter", BENCHMARKS, "--benchmark GLOB"},
    {"benchmark_repetitions", BENCHMARKS, "-r N"},
    {"benchmark_min_time", BENCHMARKS, "--max-time T"},
    {"benchmark_format", BENCHMARKS, "--json or --csv"},
    {"benchmark_out", BENCHMARKS, "--json=FILE"},
    {"sample-size", CRITERION, "-r N"},
    {"measurement-time", CRITERION, "--max-time T"},
    {"warm-up-time", CRITERION, "-w N: rounds, not a time"},
    {"save-baseline", CRITERION, "--json=FILE, and lauka compare later"},
    {"baseline", CRITERION, "lauka compare BASE.json HEAD.json"},
    {"noise-threshold", CRITERION, "--gate wall_time=2%"},
    {"benchmark-compare", "pytest-benchmark", "lauka compare BASE.json HEAD.json"},
    {"benchmark-json", "pytest-benchmark", "--json=FILE"},
    {"benchmark-min-rounds", "pytest-benchmark", "--min-runs N"},
    {"v", "GNU time", "--full"},
    {"verbose", "GNU time", "--full"},
};

bool lauka_foreign_option(const char *dashes, const char *name, size_t length,
                          struct lauka_error *error)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        const struct foreign *known = &foreign[i];
        if (strlen(known->word) != length || strncmp(known->word, name, length) != 0)
            continue;
        lauka_fail(error, LAUKA_EXIT_USAGE, "unknown option %s%s; instead of %s's %s%s, use %s",
                   dashes, known->word, known->tool, dashes, known->word, known->use);
        return true;
    }
    return false;
}
