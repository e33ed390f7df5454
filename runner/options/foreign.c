/* Options of other tools that people type from habit, and what to type here. docs/from-*.md say the same
 * to those who read first. */
#include "runner/options/options.h"
#include "runner/base/base.h"

#include <stdio.h>
#include <string.h>

struct foreign {
    const char *word; /* without dashes */
    const char *tool;
    const char *advice;
};

#define BENCHMARKS "google-benchmark"
#define CRITERION "Criterion.rs"
#define KINDS "--per-core-type: lauka tells kinds of core apart, not single cores"
#define REGION "lauka_region.h, which counts a part of your program"

/* Advice: what to type instead. */
static const struct foreign translated[] = {
    {"per-core", "perf stat", KINDS},
    {"filter", "benchstat", "--benchmark GLOB"},
    {"format", "benchstat", "--csv"},
    {"count", "go test", "-r N"},
    {"A", "perf stat", KINDS},
    {"no-aggr", "perf stat", KINDS},
    {"per-cluster", "perf stat", KINDS},
    {"per-cache", "perf stat", KINDS},
    {"per-socket", "perf stat", KINDS},
    {"per-die", "perf stat", KINDS},
    {"per-node", "perf stat", KINDS},
    {"per-thread", "perf stat", "lauka threads PID"},
    {"cpu", "perf stat", "--pin CPUS, which also keeps the command there"},
    {"all-user", "perf stat", ":u after the event, as in instructions:u"},
    {"all-kernel", "perf stat", ":k after the event, as in instructions:k"},
    {"sync", "perf stat", "--prepare sync"},
    {"delay", "perf stat", REGION},
    {"control", "perf stat", REGION},
    {"repeat", "perf stat", "-r N"},
    {"x", "perf stat", "--csv"},
    {"field-separator", "perf stat", "--csv"},
    {"j", "perf stat", "--json"},
    {"json-output", "perf stat", "--json"},
    {"o", "perf stat", "--csv=FILE or --json=FILE"},
    {"log-fd", "perf stat", "--csv=FILE or --json=FILE"},
    {"append", "perf stat", "--json=FILE, one file for each session"},
    {"pid", "perf stat", "lauka threads PID"},
    {"t", "perf stat", "lauka threads PID"},
    {"tid", "perf stat", "lauka threads PID"},
    {"I", "perf stat", "lauka threads PID --interval MS"},
    {"interval-print", "perf stat", "lauka threads PID --interval MS"},
    {"interval-count", "perf stat", "-r N with lauka threads PID --interval MS"},
    {"table", "perf stat", "--csv-samples"},
    {"null", "perf stat", "-e none"},
    {"detailed", "perf stat", "-e with the names of events"},
    {"metrics-list", "perf stat", "--metrics"},
    {"post", "perf stat", "--conclude COMMAND"},
    {"B", "perf stat", "--csv or --json"},
    {"big-num", "perf stat", "--csv or --json"},
    {"no-big-num", "perf stat", "--csv or --json"},
    {"metric-only", "perf stat", "--csv or --json"},
    {"debug-mode", "hyperfine", "--backend simulated"},
    {"min-benchmarking-time", "hyperfine", "--min-time T"},
    {"alpha", "benchstat", "--gate: it judges at 99 %, everything else at 95 %"},
    {"bench", "go test", "--benchmark GLOB"},
    {"benchtime", "go test", "--max-time T"},
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

#define COMMANDS "it measures commands, not whole machines"
#define CGROUPS "it measures commands, not cgroups"
#define UNCOUNTED "it does not count that"
#define PIVOT "rows are benchmarks, and sides are compared"

/* Advice: why lauka has nothing like it. */
static const struct foreign absent[] = {
    {"confidence", "benchstat", "intervals are of 95 %, and gates judge at 99 %"},
    {"row", "benchstat", PIVOT},
    {"col", "benchstat", PIVOT},
    {"ignore", "benchstat", PIVOT},
    {"a", "perf stat", COMMANDS},
    {"all-cpus", "perf stat", COMMANDS},
    {"no-inherit", "perf stat", "descendants are always counted"},
    {"no-scale", "perf stat", "counts are whole unless you ask for --multiplex=time"},
    {"topdown", "perf stat", "it has no top-down metrics"},
    {"T", "perf stat", UNCOUNTED},
    {"transaction", "perf stat", UNCOUNTED},
    {"smi-cost", "perf stat", UNCOUNTED},
    {"iostat", "perf stat", UNCOUNTED},
    {"bpf-counters", "perf stat", UNCOUNTED},
    {"G", "perf stat", CGROUPS},
    {"cgroup", "perf stat", CGROUPS},
    {"for-each-cgroup", "perf stat", CGROUPS},
    {"delta-test", "benchstat", "pairs are compared by signed ranks"},
    {"benchmem", "go test", "memory is always measured"},
};

/* Those of the words above that lauka could read as something else: --per-core as --per-core-type, -count=5
 * as -c 'ount=5'. */
static const char *const mistakable[] = {
    "per-core", "confidence", "filter", "format", "row", "col", "ignore", "count",
};

static const struct foreign *find(const struct foreign *rows, size_t count, const char *name,
                                  size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(rows[i].word) == length && strncmp(rows[i].word, name, length) == 0)
            return &rows[i];
    return NULL;
}

bool lauka_foreign_mistakable(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof mistakable / sizeof *mistakable; i++)
        if (strlen(mistakable[i]) == length && strncmp(mistakable[i], name, length) == 0)
            return true;
    return false;
}

bool lauka_foreign_option(const char *dashes, const char *name, size_t length,
                          struct lauka_error *error)
{
    const struct foreign *use =
        find(translated, sizeof translated / sizeof *translated, name, length);
    const struct foreign *none = find(absent, sizeof absent / sizeof *absent, name, length);

    if (use)
        lauka_fail(error, LAUKA_EXIT_USAGE, "unknown option %s%s; instead of %s's %s%s, use %s",
                   dashes, use->word, use->tool, dashes, use->word, use->advice);
    else if (none)
        lauka_fail(error, LAUKA_EXIT_USAGE,
                   "unknown option %s%s; lauka has nothing like %s's %s%s: %s", dashes, none->word,
                   none->tool, dashes, none->word, none->advice);
    return use || none;
}
