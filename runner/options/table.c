/* The one table of options, and that of the verbs. */
#include "runner/options/table.h"
#include "runner/options.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define REVISIONS (1u << LAUKA_VERB_REVISIONS)
#define RUNS (1u << LAUKA_VERB_RUN | 1u << LAUKA_VERB_NOISE | REVISIONS)
#define SUITE (1u << LAUKA_VERB_SUITE)
#define MEASURES (RUNS | SUITE)
#define COMPARE (1u << LAUKA_VERB_COMPARE | 1u << LAUKA_VERB_GATE)
#define LIST (1u << LAUKA_VERB_LIST)
#define THREADS (1u << LAUKA_VERB_THREADS)
#define DOCTOR (1u << LAUKA_VERB_DOCTOR)
#define EVERY (~0u)
#define HARMLESS true
#define GUARDED false
#define DOCUMENT(NAME) (OPTION_DOCUMENT + (int)LAUKA_DOCUMENT_##NAME)
#define EXPORT(NAME) (OPTION_EXPORT + (int)LAUKA_DOCUMENT_##NAME)

/* Where a row's value goes, whose type has to be that of its kind. */
#define MEMBER(MEMBER_, ...)                                                                       \
    _Generic(((struct lauka_options *)0)->MEMBER_, __VA_ARGS__                                     \
             : offsetof(struct lauka_options, MEMBER_))
#define FLAG(MEMBER_) .kind = KIND_FLAG, .member = MEMBER(MEMBER_, bool)
#define COUNT(MEMBER_, LEAST)                                                                      \
    .kind = KIND_COUNT, .member = MEMBER(MEMBER_, uint64_t), .least = (LEAST)
#define DURATION(MEMBER_) .kind = KIND_DURATION, .member = MEMBER(MEMBER_, uint64_t)
#define MILLISECONDS(MEMBER_) .kind = KIND_MILLISECONDS, .member = MEMBER(MEMBER_, uint64_t)
#define PERCENT(MEMBER_) .kind = KIND_PERCENT, .member = MEMBER(MEMBER_, double)
#define TEXT(MEMBER_) .kind = KIND_TEXT, .member = MEMBER(MEMBER_, const char *)
#define TEXTS(MEMBER_) .kind = KIND_TEXTS, .member = MEMBER(MEMBER_, struct lauka_texts)
#define OUTPUT(NAME)                                                                               \
    .kind = KIND_FILE, .member = MEMBER(outputs[LAUKA_DOCUMENT_##NAME], struct lauka_output)
/* Of an enum whose values are the places of the words. */
#define CHOICE(MEMBER_, WORDS)                                                                     \
    .kind = KIND_CHOICE, .member = offsetof(struct lauka_options, MEMBER_), .words = (WORDS)
#define EACH .kind = KIND_EACH
#define ASKED .kind = KIND_ASKED
#define OWN .own = true

const struct option_row lauka_option_rows[] = {
    /* ---- rounds */
    {OPTION_WARMUP, OPTION_GROUP_ROUNDS, MEASURES, "warmup", required_argument, "N",
     "rounds to run and discard first (default {})", HARMLESS, COUNT(warmup, 0), .standard = "1",
     .told_unless = OPTION_WARMUP},
    {OPTION_RUNS, OPTION_GROUP_ROUNDS, MEASURES | THREADS, "runs", required_argument, "N",
     "rounds to measure, exactly; each runs every command once, in a shuffled order; intervals of "
     "lauka threads",
     HARMLESS, COUNT(rounds, 1)},
    {OPTION_UNTIL, OPTION_GROUP_ROUNDS, MEASURES, "until", required_argument, "PERCENT",
     "without -r: measure until every primary interval is this narrow (default {}: ±1 % of the "
     "ratio), or the difference clear; 0 uses the whole time; where all commands mostly wait, CPU "
     "time has no say in it",
     HARMLESS, PERCENT(until), .standard = "1%", .told_unless = OPTION_RUNS},
    {OPTION_MAX_TIME, OPTION_GROUP_ROUNDS, MEASURES, "max-time", required_argument, "T",
     "without -r: stop after T per command (default {}; at least 10 rounds, more where many "
     "commands need them, or 4 where T is given, 3 of one command); bare numbers are seconds, or "
     "100ms, 30s, 2m, 1h",
     HARMLESS, DURATION(max_time_ns), .standard = "5s", .told_unless = OPTION_RUNS},
    {OPTION_DURATION, OPTION_GROUP_ROUNDS, MEASURES, "duration", required_argument, "MS",
     "the same in milliseconds", HARMLESS, MILLISECONDS(max_time_ns)},
    {OPTION_MIN_RUNS, OPTION_GROUP_ROUNDS, MEASURES, "min-runs", required_argument, "N",
     "without -r: measure so many rounds at least", HARMLESS, COUNT(min_rounds, 1)},
    {OPTION_MAX_RUNS, OPTION_GROUP_ROUNDS, MEASURES, "max-runs", required_argument, "N",
     "without -r: measure so many rounds at most", HARMLESS, COUNT(max_rounds, 1)},
    {0, OPTION_GROUP_ROUNDS, MEASURES, "min-time", required_argument, "T",
     "without -r: measure for T per command at least (default {})", HARMLESS, DURATION(min_time_ns),
     .standard = "1s", .told_unless = OPTION_RUNS},
    {OPTION_PRIMARY, OPTION_GROUP_ROUNDS, MEASURES | COMPARE, "primary", required_argument,
     "METRICS", "the metrics that the answer is about (default {}); the others are explored",
     HARMLESS, TEXT(primary), .standard = LAUKA_PRIMARY, .told_unless = OPTION_METRICS},
    {0, OPTION_GROUP_ROUNDS, THREADS, "interval", required_argument, "MS",
     "of lauka threads: what was used in so many milliseconds (or 0.5s, 2m), again and again, "
     "until the process ends, or -r times",
     HARMLESS, MILLISECONDS(interval_ns)},
    {0, OPTION_GROUP_ROUNDS, RUNS, "order", required_argument, "HOW",
     "the order of runs: '{}' (default): every round another one, but of the first ten every "
     "second one is the one before backwards; 'abba': there and back; 'rotate': every round begins "
     "with the next command; 'sequential': all runs of a command before those of the next, so that "
     "drift looks like a difference",
     HARMLESS, CHOICE(order, "shuffle abba rotate sequential"), .standard = "shuffle"},
    {0, OPTION_GROUP_ROUNDS, MEASURES, "budget", required_argument, "T",
     "stop after T for all benchmarks together, which share what is left; an upper bound where -r "
     "or "
     "--max-time would take longer",
     HARMLESS, DURATION(budget_ns)},
    {OPTION_SEED, OPTION_GROUP_ROUNDS, MEASURES, "seed", required_argument, "N",
     "repeat the run order of an earlier session (it is printed with every result)", HARMLESS,
     COUNT(seed, 0), .told_unless = OPTION_SEED},
    /* ---- commands */
    {OPTION_SHELL_MODE, OPTION_GROUP_COMMANDS, RUNS, "use-shell", no_argument, NULL,
     "run every command in a shell (sh -c), so that pipes, globs and variables work", GUARDED, OWN,
     .fixed = "default"},
    {OPTION_SHELL, OPTION_GROUP_COMMANDS, RUNS, "shell", required_argument, "SHELL",
     "the same with the shell named; 'default' is sh, 'none' is no shell", GUARDED, OWN,
     .words = "default none"},
    {OPTION_ENV, OPTION_GROUP_COMMANDS, MEASURES, "env", required_argument, "NAME=VALUE",
     "add a variable to the environment of all commands, or of one: B:NAME=VALUE is for the "
     "second. So for --cwd, --input, --output, --timeout and --expect-exit too",
     GUARDED, EACH},
    {OPTION_CWD, OPTION_GROUP_COMMANDS, MEASURES, "cwd", required_argument, "DIR",
     "run, and look for programs with a slash in their name, in this directory", GUARDED, EACH},
    {OPTION_NO_SHELL, OPTION_GROUP_COMMANDS, RUNS, "no-shell", no_argument, NULL,
     "run commands without a shell: the default", HARMLESS, OWN, .fixed = "none"},
    {OPTION_NAME, OPTION_GROUP_COMMANDS, MEASURES, "command-name", required_argument, "NAME",
     "what to call a command; again for the next one; with parameters once for all, once for each "
     "command given, or once for each that runs",
     GUARDED, TEXTS(names)},
    {0, OPTION_GROUP_COMMANDS, RUNS, "reference", required_argument, "COMMAND",
     "a command before the others, to compare them with; parameters do not change it beside one "
     "command",
     GUARDED, TEXT(reference)},
    {0, OPTION_GROUP_COMMANDS, RUNS, "reference-name", required_argument, "NAME", "what to call it",
     GUARDED, TEXT(reference_name)},
    {OPTION_PARAMETER_LIST, OPTION_GROUP_COMMANDS, RUNS, "parameter-list", required_argument,
     "NAME VALUES",
     "run each command once for every value, with commas between them: {NAME} in commands, names, "
     "hooks and files becomes the value; several lists give every combination. Two commands or "
     "more "
     "are compared within each: every combination is a benchmark, called NAME=VALUE",
     GUARDED, OWN},
    {OPTION_PARAMETER_SCAN, OPTION_GROUP_COMMANDS, RUNS, "parameter-scan", required_argument,
     "NAME MIN MAX", "the same for the numbers from MIN to MAX", GUARDED, OWN},
    {OPTION_PARAMETER_STEP, OPTION_GROUP_COMMANDS, RUNS, "parameter-step-size", required_argument,
     "STEP", "from one number of the scan to the next (default 1)", GUARDED, TEXT(scan_step)},
    {OPTION_BENCHMARK, OPTION_GROUP_COMMANDS, MEASURES | COMPARE | 1u << LAUKA_VERB_REPORT,
     "benchmark", required_argument, "GLOB",
     "run only the benchmarks whose names match, as in 'parse/*'; may be repeated", GUARDED,
     TEXTS(chosen)},
    {0, OPTION_GROUP_COMMANDS, SUITE, "adapter", required_argument, "HOW",
     "of lauka suite: what both programs speak: 'lauka' (lauka_bench.h, or lauka-bench/1 by other "
     "means), 'gbench' (google-benchmark), 'go' (of go test -c); 'auto' (default): as is found in "
     "the file",
     GUARDED, CHOICE(adapter, "auto lauka gbench go")},
    {OPTION_LIST_BENCHMARKS, OPTION_GROUP_COMMANDS, MEASURES, "list-benchmarks", no_argument, NULL,
     "print the names of the benchmarks, one a line, and run nothing", GUARDED,
     FLAG(list_benchmarks)},
    {'s', OPTION_GROUP_COMMANDS, MEASURES, "setup", required_argument, "TEXT",
     "run this in a shell once, before the first run of a command; as the next three, given once "
     "it is for all commands, otherwise once for each",
     GUARDED, TEXTS(hooks[LAUKA_HOOK_SETUP])},
    {OPTION_PREPARE, OPTION_GROUP_COMMANDS, MEASURES, "prepare", required_argument, "TEXT",
     "before every run", GUARDED, TEXTS(hooks[LAUKA_HOOK_PREPARE])},
    {'C', OPTION_GROUP_COMMANDS, MEASURES, "conclude", required_argument, "TEXT", "after every run",
     GUARDED, TEXTS(hooks[LAUKA_HOOK_CONCLUDE])},
    {'c', OPTION_GROUP_COMMANDS, MEASURES, "cleanup", required_argument, "TEXT",
     "once, after the last run of a command", GUARDED, TEXTS(hooks[LAUKA_HOOK_CLEANUP])},
    {OPTION_ITEMS, OPTION_GROUP_COMMANDS, RUNS, "items", required_argument, "N",
     "a run gets through N items: tell items per second, and what each costs", HARMLESS, EACH},
    {OPTION_BYTES, OPTION_GROUP_COMMANDS, RUNS, "bytes", required_argument, "N",
     "a run gets through N bytes: tell megabytes per second, and the CPU time of a byte", HARMLESS,
     EACH},
    {0, OPTION_GROUP_COMMANDS, REVISIONS, "build", required_argument, "TEXT",
     "for a shell: makes a revision's program, in its worktree, once for equal files", GUARDED,
     TEXT(build)},
    {0, OPTION_GROUP_COMMANDS, REVISIONS, "jobs", required_argument, "N",
     "build so many revisions at once (default {})", GUARDED, COUNT(jobs, 1), .standard = "1"},
    {0, OPTION_GROUP_COMMANDS, REVISIONS, "workload", required_argument, "PATH",
     "all sides find this file or folder of the working tree there, in place of their own; "
     "REV:PATH: that file of a revision",
     GUARDED, TEXTS(workloads)},
    {0, OPTION_GROUP_COMMANDS, REVISIONS, "skip-broken", no_argument, NULL,
     "leave out revisions that cannot be built; otherwise the first is an error", GUARDED,
     FLAG(skip_broken)},
    {0, OPTION_GROUP_COMMANDS, REVISIONS, "first-slower", no_argument, NULL,
     "with two ends, A..B: once B is slower, or beyond --gate's limits, look for the first commit "
     "that is",
     GUARDED, FLAG(first_slower)},
    {0, OPTION_GROUP_COMMANDS, REVISIONS, "clean", no_argument, NULL,
     "remove all worktrees that were made for this repository, and do nothing else", GUARDED,
     FLAG(clean)},
    {OPTION_READ, OPTION_GROUP_COMMANDS, RUNS, "read", required_argument, "FIGURE",
     "NAME[:UNIT]=REGEX: a metric that each run writes to stdout, the number in the pattern's one "
     "group (the last match); without =REGEX a line \"NAME VALUE UNIT\" on the descriptor that "
     "$LAUKA_REPORT_FD names; units: ns us ms s B kB MB KiB MiB /s ops/s MB/s",
     GUARDED, EACH},
    {0, OPTION_GROUP_COMMANDS, RUNS, "input", required_argument, "FILE",
     "what commands read from stdin, from its beginning in each run; 'null' (default) is /dev/null",
     GUARDED, TEXTS(inputs_from), .words = "null"},
    {OPTION_OUTPUT, OPTION_GROUP_COMMANDS, RUNS, "output", required_argument, "WHERE",
     "where their stdout goes: 'null' (default), 'pipe' through lauka into nothing, 'inherit' to "
     "lauka's own, with stderr, or a file, named with a slash (./out)",
     GUARDED, TEXTS(outputs_to), .words = "null pipe inherit"},
    {OPTION_SHOW_OUTPUT, OPTION_GROUP_COMMANDS, RUNS, "show-output", no_argument, NULL,
     "the same as --output=inherit", GUARDED, TEXTS(outputs_to), .fixed = "inherit"},
    {OPTION_AS_ROOT, OPTION_GROUP_COMMANDS, EVERY, "as-root", no_argument, NULL,
     "under sudo, doas or pkexec: let commands and files be root's; without it they are the user's "
     "who ran that, and only counting is root's; it counts only where it is typed",
     GUARDED, ASKED},
    {OPTION_IGNORE, OPTION_GROUP_COMMANDS, RUNS, "ignore-failure", optional_argument, "CODES",
     "accept failing runs as ordinary ones: all, or only these exit codes (-i=1,2; 128 + N: "
     "signals)",
     GUARDED, OWN, .words = "all-non-zero"},
    {OPTION_ALLOW, OPTION_GROUP_COMMANDS, RUNS, "allow-failures", no_argument, NULL,
     "accept all failing runs, as -i", GUARDED, OWN},
    /* ---- failures */
    {OPTION_EXPECT_EXIT, OPTION_GROUP_FAILURES, RUNS, "expect-exit", required_argument, "CODES",
     "a run has succeeded if it ends with one of these codes, in place of 0; a signal counts as "
     "128 and its number",
     GUARDED, EACH},
    {OPTION_TIMEOUT, OPTION_GROUP_FAILURES, MEASURES, "timeout", required_argument, "T",
     "end a run that takes longer, with SIGTERM, a second later with SIGKILL; it has failed, which "
     "-i does not accept",
     GUARDED, EACH},
    {0, OPTION_GROUP_FAILURES, MEASURES, "max-failures", required_argument, "N",
     "go on after up to N failed runs; their rounds are dropped for all commands, and counted "
     "(default {}: the first failure ends the session)",
     GUARDED, COUNT(max_failures, 0), .standard = "0"},
    {0, OPTION_GROUP_FAILURES, RUNS, "keep-orphans", no_argument, NULL,
     "let processes live on that a command leaves behind; otherwise they are ended after the run",
     GUARDED, FLAG(keep_orphans)},
    /* ---- machine */
    {0, OPTION_GROUP_MACHINE, RUNS, "quiet-machine", no_argument, NULL,
     "keep a core for lauka, run all commands on the others (or those of --pin), before other "
     "programs where the system allows it; nothing stays changed",
     GUARDED, FLAG(quiet_machine)},
    {0, OPTION_GROUP_MACHINE, DOCTOR, "selftest", no_argument, NULL,
     "with lauka doctor: count known work in one thread and in eight, in every way there is; one "
     "JSON, to be attached to a report",
     GUARDED, FLAG(selftest)},
    {0, OPTION_GROUP_MACHINE, MEASURES | DOCTOR, "require-quiet", no_argument, NULL,
     "measure nothing (exit code 6) where something disturbs that matters: see lauka doctor",
     HARMLESS, FLAG(require_quiet)},
    {0, OPTION_GROUP_MACHINE, RUNS, "fixed-layout", no_argument, NULL,
     "the same addresses and the same size of environment in every run; otherwise addresses vary, "
     "or, "
     "where the system keeps them, that size, alike for all commands of a round",
     GUARDED, FLAG(fixed_layout)},
    {0, OPTION_GROUP_MACHINE, RUNS & ~REVISIONS, "layouts", required_argument, "N",
     "every command is N programs that do the same and lie differently in memory: {layout} in it "
     "is a "
     "number from 1 to N. Each round runs a drawn pair of them, and intervals run over pairs, so "
     "that "
     "what the linker happened to do is no difference; 16 is a good number, below 8 there is no "
     "verdict",
     GUARDED, COUNT(layouts, 2)},
    {0, OPTION_GROUP_MACHINE, RUNS & ~REVISIONS, "link", required_argument, "TEXT",
     "with --layouts: build each program first, with this in a shell: {layout} is its number, "
     "{out} "
     "the file that the command executes; once for all commands, or once for each. One that was "
     "built "
     "by the same text of the same files is kept",
     GUARDED, TEXTS(links)},
    {0, OPTION_GROUP_MACHINE, RUNS, "placement", required_argument, "HOW",
     "on Linux: '{}' (default) writes the executables of all commands back, drops them from the "
     "page "
     "cache and reads them again before the warm-up, as two copies of a program that came there in "
     "different ways take different times; 'keep' leaves them as they are",
     GUARDED, CHOICE(placing, "alike keep"), .standard = "alike"},
    /* ---- counters */
    {OPTION_EVENTS, OPTION_GROUP_COUNTERS, RUNS | LIST, "events", required_argument, "LIST",
     "count these in place of the usual five: names (branch-misses), PMU/TERMS/, rHEX, with :u or "
     ":k for user or kernel mode only, or 'none'; lauka list shows them",
     HARMLESS, OWN},
    {OPTION_COUNTERS, OPTION_GROUP_COUNTERS, RUNS, "counters", required_argument, "HOW",
     "'valgrind' counts instructions, branches and misses on a simulated processor, in two runs of "
     "every command before the rounds (about 50 times as slow, 200 if it forks), exactly and on "
     "any machine; '{}' (default) is the machine's own counters, 'none' is -e none",
     GUARDED, OWN, .words = "valgrind pmu none", .standard = "pmu"},
    {OPTION_NO_MULTIPLEX, OPTION_GROUP_COUNTERS, RUNS, "no-multiplex", no_argument, NULL,
     "fail where the events do not fit onto the counters together", HARMLESS,
     CHOICE(multiplex, "time rounds never"), .fixed = "never"},
    {OPTION_MULTIPLEX, OPTION_GROUP_COUNTERS, RUNS, "multiplex", required_argument, "HOW",
     "where they do not: '{}' (default) shares the time of each run and scales, 'rounds' takes "
     "turns by rounds, every count exact",
     HARMLESS, CHOICE(multiplex, "time rounds"), .standard = "time"},
    {OPTION_PERIOD, OPTION_GROUP_COUNTERS, RUNS, "period", required_argument, "T",
     "on macOS, as root: sample running threads every T, too (as of 1ms), for those whose end is "
     "not seen; by default from the first such thread on; 0: never",
     HARMLESS, OWN},
    {0, OPTION_GROUP_COUNTERS, RUNS, "require-counters", no_argument, NULL,
     "fail where an event cannot be counted (exit code 6)", HARMLESS, FLAG(require_counters)},
    {0, OPTION_GROUP_COUNTERS, RUNS, "per-core-type", no_argument, NULL,
     "show what was counted on each kind of core (the JSON always has it), and CPUs used", HARMLESS,
     FLAG(per_core_type)},
    {OPTION_PIN, OPTION_GROUP_COUNTERS, RUNS, "pin", required_argument, "CPUS",
     "run every command on these CPUs, and lauka on the others: a list (2-3,6), P or E for "
     "performance or efficiency cores",
     HARMLESS, TEXT(pin), OWN, .told_unless = OPTION_PIN},
    {OPTION_REQUIRE_CORE, OPTION_GROUP_COUNTERS, RUNS, "require-core", required_argument, "P|E",
     "repeat runs that were on other cores for more than 1 % of their CPU time, up to ten times",
     HARMLESS, TEXT(require_core), OWN, .words = "P E"},
    {0, OPTION_GROUP_COUNTERS, RUNS, "tree-memory", no_argument, NULL,
     "tell the most memory that all processes of a run had together (tree_memory), with the page "
     "cache that they filled: on Linux, where lauka may make a cgroup for each run",
     GUARDED, FLAG(tree_memory)},
    {OPTION_LIST, OPTION_GROUP_COUNTERS, RUNS | LIST, "list", no_argument, NULL,
     "the same as lauka list: what can be counted here", GUARDED, OWN},
    {OPTION_CHIP, OPTION_GROUP_COUNTERS, LIST, "chip", required_argument, "CHIP",
     "with lauka list: the events of a chip of Apple's (M1 ... M5, a14, as4), which of them "
     "exclude each other, and with -e whether those fit; on any machine",
     HARMLESS, OWN},
    {OPTION_BACKEND, OPTION_GROUP_COUNTERS, RUNS | LIST, "backend", required_argument, "NAME",
     "'simulated' or 'simulated:SCENARIO' runs nothing and makes figures up from the seed, to try "
     "out reports; scenarios: full, no-pmu, denied, multiplexed, user-only, hybrid, hybrid-apart, "
     "hybrid-alike, fail-ERRNO[-POSITION]; effects, in which each command's words say what it "
     "costs, such as 'p cost=10ms noise=1% first=5%' (CONTRIBUTING.md has them all)",
     GUARDED, OWN, .words = "simulated"},
    /* ---- outputs */
    {DOCUMENT(JSON), OPTION_GROUP_OUTPUTS, EVERY, "json", optional_argument, "FILE",
     "write the whole result, every run included; '-', or no FILE: to stdout in place of the table",
     GUARDED, OUTPUT(JSON)},
    {DOCUMENT(CSV), OPTION_GROUP_OUTPUTS, EVERY, "csv", optional_argument, "FILE",
     "write a summary, one row a command", GUARDED, OUTPUT(CSV)},
    {DOCUMENT(CSV_PERCENTILES), OPTION_GROUP_OUTPUTS, EVERY, "csv-percentiles", optional_argument,
     "FILE", "write percentiles beside the reference's, one row each", GUARDED,
     OUTPUT(CSV_PERCENTILES)},
    {DOCUMENT(CSV_SAMPLES), OPTION_GROUP_OUTPUTS, EVERY, "csv-samples", optional_argument, "FILE",
     "write every single run, one row each, in the order in which they ran", GUARDED,
     OUTPUT(CSV_SAMPLES)},
    {DOCUMENT(MARKDOWN), OPTION_GROUP_OUTPUTS, EVERY, "markdown", optional_argument, "FILE",
     "write a table for a pull request", GUARDED, OUTPUT(MARKDOWN)},
    {DOCUMENT(HTML), OPTION_GROUP_OUTPUTS, EVERY, "html", optional_argument, "FILE",
     "write a page with pictures: one file that needs nothing else", GUARDED, OUTPUT(HTML)},
    {DOCUMENT(JUNIT), OPTION_GROUP_OUTPUTS, EVERY, "junit", optional_argument, "FILE",
     "write the gate's verdicts as JUnit XML", GUARDED, OUTPUT(JUNIT)},
    {DOCUMENT(PR_COMMENT), OPTION_GROUP_OUTPUTS, EVERY, "pr-comment", required_argument, "FILE",
     "write a comment for a pull request: the verdict, what changed, the rest folded away", GUARDED,
     OUTPUT(PR_COMMENT)},
    {0, OPTION_GROUP_OUTPUTS, EVERY, "comment-id", required_argument, "TEXT",
     "with --pr-comment: what it is known by, so that it replaces the one before of that name "
     "(default: the config file's path within its repository; without one, the commands)",
     GUARDED, TEXT(comment_id)},
    {0, OPTION_GROUP_OUTPUTS, EVERY, "github", no_argument, NULL,
     "in a workflow of GitHub: write the step's summary, and errors and warnings as annotations",
     GUARDED, FLAG(github)},
    {DOCUMENT(BMF), OPTION_GROUP_OUTPUTS, EVERY, "bmf", optional_argument, "FILE",
     "write means for Bencher", GUARDED, OUTPUT(BMF)},
    {DOCUMENT(GITHUB_BENCHMARK), OPTION_GROUP_OUTPUTS, EVERY, "github-benchmark", optional_argument,
     "FILE", "write means for github-action-benchmark (customSmallerIsBetter)", GUARDED,
     OUTPUT(GITHUB_BENCHMARK)},
    {DOCUMENT(GO_BENCHMARK), OPTION_GROUP_OUTPUTS, EVERY, "go-benchmark", optional_argument, "FILE",
     "write runs for benchstat (-col /cmd; with named benchmarks -col /side)", GUARDED,
     OUTPUT(GO_BENCHMARK)},
    {DOCUMENT(HLOG), OPTION_GROUP_OUTPUTS, EVERY, "hlog", optional_argument, "FILE",
     "write HdrHistogram's log of the metric that the answer is about: a histogram for each "
     "command, under its name as the tag",
     GUARDED, OUTPUT(HLOG)},
    {DOCUMENT(HGRM), OPTION_GROUP_OUTPUTS, EVERY, "hgrm", optional_argument, "FILE",
     "write that metric's percentiles of one command for HdrHistogram's plotters, times in "
     "microseconds",
     GUARDED, OUTPUT(HGRM)},
    {0, OPTION_GROUP_OUTPUTS, EVERY, "hgrm-command", required_argument, "N",
     "with --hgrm: of the Nth command (default 1)", GUARDED, COUNT(hgrm_command, 1)},
    {EXPORT(JSON), OPTION_GROUP_OUTPUTS, EVERY, "export-json", required_argument, "FILE",
     "as --json=FILE; so are --export-csv and --export-markdown", GUARDED, OUTPUT(JSON)},
    {EXPORT(CSV), OPTION_GROUP_OUTPUTS, EVERY, "export-csv", required_argument, "FILE",
     "as --csv=FILE", GUARDED, OUTPUT(CSV)},
    {EXPORT(MARKDOWN), OPTION_GROUP_OUTPUTS, EVERY, "export-markdown", required_argument, "FILE",
     "as --markdown=FILE", GUARDED, OUTPUT(MARKDOWN)},
    {OPTION_METRICS, OPTION_GROUP_OUTPUTS, EVERY, "metrics", required_argument, "LIST",
     "what to show: 'default', 'time', 'all' and names, with commas between them, each name with a "
     "unit if wanted (wall_time:ms,peak_rss); the answer is about the first",
     HARMLESS, TEXT(metrics), OWN, .words = "default time all"},
    {OPTION_TIME_UNIT, OPTION_GROUP_OUTPUTS, EVERY, "time-unit", required_argument, "UNIT",
     "show times in this unit: ns, us, ms or s, or the whole word", HARMLESS, TEXT(time_unit), OWN,
     .words = "ns us ms s"},
    {OPTION_SORT, OPTION_GROUP_OUTPUTS, EVERY, "sort", required_argument, "HOW",
     "'{}' (default, also 'auto'): in the order given; 'mean-time': the reference, then the others "
     "by their mean wall time",
     HARMLESS, OWN, .words = "command auto mean-time", .standard = "command"},
    {OPTION_STYLE, OPTION_GROUP_OUTPUTS, EVERY, "style", required_argument, "STYLE",
     "{} (default), basic (neither colour nor progress), full (both), nocolor, color (no "
     "progress), or none (no table)",
     GUARDED, OWN, .words = "auto basic full nocolor color none", .standard = "auto"},
    {OPTION_NO_SAMPLES, OPTION_GROUP_OUTPUTS, RUNS, "no-samples", no_argument, NULL,
     "keep no single runs: memory and the JSON stay small, however long it takes", GUARDED,
     FLAG(no_samples)},
    {0, OPTION_GROUP_OUTPUTS, EVERY, "samples", required_argument, "HOW",
     "'{}' (default): the JSON has series of more than 10,000 runs in short; 'plain': as arrays of "
     "numbers, too",
     GUARDED, CHOICE(samples, "packed plain"), .standard = "packed"},
    {0, OPTION_GROUP_OUTPUTS, EVERY, "full", optional_argument, "NAME",
     "print every metric of every command, and all notes; of several benchmarks of all of them, or "
     "of "
     "those whose names match",
     HARMLESS, TEXT(full)},
    {OPTION_LABEL, OPTION_GROUP_OUTPUTS, MEASURES, "label", required_argument, "KEY=VALUE",
     "keep this with the result, to find it by, beside time, directory and commit; may be repeated",
     GUARDED, TEXTS(labels), OWN},
    {0, OPTION_GROUP_OUTPUTS, EVERY, "percentiles", no_argument, NULL,
     "print percentiles, metric by metric, as far as there are runs enough behind them", HARMLESS,
     FLAG(percentiles)},
    {0, OPTION_GROUP_OUTPUTS, EVERY, "plot", no_argument, NULL,
     "draw each metric: histograms of all commands over one axis, with the intervals", HARMLESS,
     FLAG(plot)},
    {OPTION_COLOR, OPTION_GROUP_OUTPUTS, EVERY, "color", required_argument, "WHEN",
     "{} (default), always or never", HARMLESS, OWN, .words = "auto always never",
     .standard = "auto"},
    {OPTION_QUIET, OPTION_GROUP_OUTPUTS, EVERY, "quiet", no_argument, NULL,
     "no progress and no hints on stderr", GUARDED, FLAG(quiet)},
    /* ---- gate */
    {OPTION_GATE, OPTION_GROUP_GATE, MEASURES | COMPARE, "gate", required_argument, "LIMIT",
     "fail (exit code 3) where a metric gets worse by more than LIMIT: wall_time=2%, "
     "wall_time.p99=5%, cpu_time.mean=1%,+50us (both have to be exceeded), peak_rss=+1MiB; or "
     "where it "
     "is beyond a budget, whatever the reference is: 'peak_rss<=64MiB', also of one command; may "
     "be "
     "repeated; rounds go on until all are decided, at 99.9 % confidence a look (-r: 99 %)",
     GUARDED, ASKED},
    {OPTION_GATE_FILE, OPTION_GROUP_GATE, MEASURES | COMPARE, "gate-file", required_argument,
     "FILE",
     "read limits from FILE, one a line; those below [NAME] or [GLOB] are about these benchmarks, "
     "or, "
     "where nobody named any, about the command of that name, and replace the limit of all for the "
     "same METRIC.STAT",
     GUARDED, ASKED},
    {OPTION_INCONCLUSIVE, OPTION_GROUP_GATE, MEASURES | COMPARE, "inconclusive", required_argument,
     "HOW",
     "what a limit counts for that is neither held nor exceeded beyond doubt: '{}' (default), "
     "'fail' (exit code 4; the default of lauka noise and --bisect), 'pass'",
     GUARDED, CHOICE(gate.policy, "warn fail pass"), .standard = "warn"},
    {OPTION_ALLOW_FILE, OPTION_GROUP_GATE, MEASURES | COMPARE, "allow", required_argument, "FILE",
     "known failures that are excused for a while: BENCHMARK METRIC until=DATE REASON, one a line",
     GUARDED, ASKED},
    {0, OPTION_GROUP_GATE, COMPARE, "cross-host", no_argument, NULL,
     "judge results of different hosts too, with a warning", GUARDED, FLAG(gate.cross_host)},
    {OPTION_BISECT, OPTION_GROUP_GATE, MEASURES | COMPARE, "bisect", no_argument, NULL,
     "exit as git bisect run expects: 0 good, 1 bad, 125 not known, 255 for what ends the search",
     GUARDED, FLAG(bisect)},
    /* ---- stored */
    {0, OPTION_GROUP_STORED, COMPARE, "column", required_argument, "NAME",
     "of a CSV file: the column to compare, by its name or its number from 1", HARMLESS,
     TEXT(column)},
    {0, OPTION_GROUP_STORED, COMPARE, "unpaired", no_argument, NULL,
     "the n-th values of two files have nothing to do with each other (lauka gate: they never "
     "have)",
     GUARDED, FLAG(unpaired)},
    /* ---- general */
    {OPTION_CONFIG, OPTION_GROUP_GENERAL, EVERY, "config", required_argument, "FILE",
     "read options from FILE (otherwise $LAUKA_CONFIG, or ./.lauka): one argument a line, # "
     "comments; what follows [NAME] is a benchmark, or several by its parameters; what is typed "
     "wins; beside "
     "commands, ./.lauka sets harmless options only (lauka --help=man lists them)",
     GUARDED, ASKED},
    {OPTION_NO_CONFIG, OPTION_GROUP_GENERAL, EVERY, "no-config", no_argument, NULL, "read none",
     GUARDED, ASKED},
    {OPTION_HELP_BRIEF, OPTION_GROUP_GENERAL, EVERY, NULL, no_argument, NULL, "one screen of help",
     GUARDED, OWN},
    {OPTION_HELP, OPTION_GROUP_GENERAL, EVERY, "help", optional_argument, "FORM",
     "all of it; FORM 'man' is the manual page, 'bash', 'zsh' and 'fish' are completions for the "
     "shell",
     GUARDED, OWN, .words = "man bash zsh fish"},
    {OPTION_VERSION, OPTION_GROUP_GENERAL, EVERY, "version", optional_argument, "FORM",
     "the version, and what this build is: commit, target, libraries; FORM 'json' is for programs",
     GUARDED, OWN, .words = "json"},
};

const size_t lauka_option_count = sizeof lauka_option_rows / sizeof *lauka_option_rows;

const char *option_values(const struct option_row *row)
{
    return row->argument == no_argument ? NULL : row->words;
}

bool option_has_letter(const struct option_row *row)
{
    return row->id > 0 && row->id < 256;
}

const char *option_spelling(const struct option_row *row, char text[OPTION_SPELLING_SIZE])
{
    if (row->name)
        snprintf(text, OPTION_SPELLING_SIZE, "--%s", row->name);
    else
        snprintf(text, OPTION_SPELLING_SIZE, "-%c", row->id);
    return text;
}

const struct option_row *option_row_of(int id)
{
    const struct option_row *row = lauka_option_rows;

    while (row->id != id)
        row++;
    return row;
}

const struct verb_row lauka_verb_rows[] = {
    {LAUKA_VERB_RUN, "run", "[OPTIONS] COMMAND [COMMAND...]", "measure and compare commands"},
    {LAUKA_VERB_NOISE, "noise", "[OPTIONS] COMMAND", "the command against itself: the noise"},
    {LAUKA_VERB_REVISIONS, "revisions", "REV REV... -- COMMAND",
     "git revisions, each built, compared"},
    {LAUKA_VERB_SUITE, "suite", "[OPTIONS] BASE HEAD", "benchmarks inside two programs"},
    {LAUKA_VERB_COMPARE, "compare", "[OPTIONS] FILE...", "the same analysis of stored data"},
    {LAUKA_VERB_REPORT, "report", "[OPTIONS] RESULT.json", "the reports of a run, once more"},
    {LAUKA_VERB_GATE, "gate", "[OPTIONS] RESULT [HEAD]", "stored results held to limits"},
    {LAUKA_VERB_LIST, "list", "[--chip CHIP] [PATTERN]", "what can be counted here or there"},
    {LAUKA_VERB_THREADS, "threads", "PID [--interval MS]", "what a live process's threads use"},
    {LAUKA_VERB_DOCTOR, "doctor", "[--selftest]", "what disturbs measurements here"},
};
const size_t lauka_verb_count = sizeof lauka_verb_rows / sizeof *lauka_verb_rows;

/* The first word is a verb only if it equals one. */
bool option_find_verb(const char *word, enum lauka_verb *verb)
{
    for (size_t i = 0; i < lauka_verb_count; i++)
        if (strcmp(word, lauka_verb_rows[i].name) == 0) {
            *verb = lauka_verb_rows[i].verb;
            return true;
        }
    return false;
}
