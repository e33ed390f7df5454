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
#define RUNS (1u << LAUKA_VERB_RUN | 1u << LAUKA_VERB_NOISE | 1u << LAUKA_VERB_WHY | REVISIONS)
#define SUITE (1u << LAUKA_VERB_SUITE)
#define MEASURES (RUNS | SUITE)
#define COMPARE (1u << LAUKA_VERB_COMPARE | 1u << LAUKA_VERB_GATE)
#define MERGE (1u << LAUKA_VERB_MERGE)
#define LIST (1u << LAUKA_VERB_LIST)
#define THREADS (1u << LAUKA_VERB_THREADS)
#define DOCTOR (1u << LAUKA_VERB_DOCTOR)
#define REPORT (1u << LAUKA_VERB_REPORT)
#define WRITES (MEASURES | COMPARE | MERGE | REPORT)
#define ASKS (LIST | THREADS | DOCTOR)
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
/* Offered by completions; there are others, such as those of --read. */
#define METRIC_NAMES                                                                               \
    "wall_time cpu_time user_time system_time peak_rss minor_faults major_faults "                 \
    "context_switches "                                                                            \
    "cycles instructions"

const struct option_row lauka_option_rows[] = {
    /* ---- rounds */
    {OPTION_WARMUP, OPTION_GROUP_ROUNDS, MEASURES, "warmup", required_argument, "N",
     "run and discard N rounds first (default {}). With lauka suite there are none: each process "
     "has its own warm-up.",
     HARMLESS, COUNT(warmup, 0), .standard = "1", .told_unless = OPTION_WARMUP},
    {OPTION_RUNS, OPTION_GROUP_ROUNDS, MEASURES | THREADS, "runs", required_argument, "N",
     "measure exactly N rounds. Each round runs every command once, in a random order. With lauka "
     "threads: N intervals.",
     HARMLESS, COUNT(rounds, 1)},
    {OPTION_UNTIL, OPTION_GROUP_ROUNDS, MEASURES, "until", required_argument, "PERCENT",
     "stop when intervals are this narrow (default {}). With lauka suite the default is 0.5%. All "
     "primary metrics must reach it; 1% is ±1 % of the ratio. A clear difference also ends the "
     "session; 0 uses the whole time. If all commands mostly wait, CPU time does not count here. "
     "Without -r only.",
     HARMLESS, PERCENT(until), .standard = "1%", .told_unless = OPTION_RUNS},
    {OPTION_MAX_TIME, OPTION_GROUP_ROUNDS, MEASURES, "max-time", required_argument, "T",
     "stop after T per command (default {}). With lauka suite the default is 1s. If you give T, no "
     "round begins that would end after it, whatever -r or --min-runs want; the first round is "
     "always measured. By default at least 10 rounds are measured, more for many commands. Bare "
     "numbers are seconds; 100ms, 30s, 2m and 1h also work.",
     HARMLESS, DURATION(max_time_ns), .standard = "5s", .told_unless = OPTION_RUNS},
    {OPTION_DURATION, OPTION_GROUP_ROUNDS, MEASURES, "duration", required_argument, "MS",
     "the same in milliseconds", HARMLESS, MILLISECONDS(max_time_ns)},
    {OPTION_MIN_RUNS, OPTION_GROUP_ROUNDS, MEASURES, "min-runs", required_argument, "N",
     "measure at least N rounds (without -r)", HARMLESS, COUNT(min_rounds, 1)},
    {OPTION_MAX_RUNS, OPTION_GROUP_ROUNDS, MEASURES, "max-runs", required_argument, "N",
     "measure at most N rounds (without -r)", HARMLESS, COUNT(max_rounds, 1)},
    {0, OPTION_GROUP_ROUNDS, MEASURES, "min-time", required_argument, "T",
     "measure for at least T per command (default {})", HARMLESS, DURATION(min_time_ns),
     .standard = "1s", .told_unless = OPTION_RUNS},
    {OPTION_PRIMARY, OPTION_GROUP_ROUNDS, MEASURES | COMPARE | MERGE, "primary", required_argument,
     "METRICS", "metrics that the answer is about. The default is {}. The others are exploratory.",
     HARMLESS, TEXT(primary), .words = METRIC_NAMES, .standard = LAUKA_PRIMARY,
     .told_unless = OPTION_METRICS},
    {0, OPTION_GROUP_ROUNDS, THREADS, "interval", required_argument, "MS",
     "with lauka threads: report every MS milliseconds. 0.5s and 2m also work. It stops when the "
     "process ends, or after -r intervals.",
     HARMLESS, MILLISECONDS(interval_ns)},
    {0, OPTION_GROUP_ROUNDS, RUNS, "order", required_argument, "HOW",
     "order of runs (default '{}'). 'shuffle' draws the order of every round by lot, so that each "
     "command has each place equally often. 'abba' goes there and back, and 'rotate' starts each "
     "round with the next command. These two are for looking at what a place in the round costs: "
     "they keep step with a load that comes at regular intervals, so they give intervals, but no "
     "verdicts. 'sequential' runs all of one command before the next, so that drift looks like a "
     "difference.",
     HARMLESS, CHOICE(order, "shuffle abba rotate sequential"), .standard = "shuffle"},
    {0, OPTION_GROUP_ROUNDS, MEASURES, "budget", required_argument, "T",
     "stop after T for all benchmarks together, including their warm-ups. No round begins that "
     "would "
     "end after T, but the first one of each benchmark. Time that one benchmark does not need goes "
     "to the others. It also limits -r and --max-time.",
     HARMLESS, DURATION(budget_ns)},
    {OPTION_SEED, OPTION_GROUP_ROUNDS, MEASURES, "seed", required_argument, "N",
     "repeat the order of an earlier session. Every report prints its seed.", HARMLESS,
     COUNT(seed, 0), .told_unless = OPTION_SEED},
    /* ---- commands */
    {OPTION_SHELL_MODE, OPTION_GROUP_COMMANDS, RUNS, "use-shell", no_argument, NULL,
     "run commands in a shell (sh -c). Pipes, globs and variables then work.", GUARDED, OWN,
     .fixed = "default"},
    {OPTION_SHELL, OPTION_GROUP_COMMANDS, RUNS, "shell", required_argument, "SHELL",
     "the same with this shell. 'default' is sh, 'none' is no shell.", GUARDED, OWN,
     .words = "default none"},
    {OPTION_ENV, OPTION_GROUP_COMMANDS, MEASURES, "env", required_argument, "NAME=VALUE",
     "set a variable for all commands. B:NAME=VALUE sets it for the second one only. The same "
     "prefix works for --cwd, --input, --output, --timeout, --expect-exit, --read, --items and "
     "--bytes.",
     GUARDED, EACH},
    {OPTION_CWD, OPTION_GROUP_COMMANDS, MEASURES, "cwd", required_argument, "DIR",
     "run commands in this directory. Programs with a slash in their name are looked up there.",
     GUARDED, EACH},
    {OPTION_NO_SHELL, OPTION_GROUP_COMMANDS, RUNS, "no-shell", no_argument, NULL,
     "run commands without a shell (the default)", HARMLESS, OWN, .fixed = "none"},
    {OPTION_NAME, OPTION_GROUP_COMMANDS, MEASURES, "command-name", required_argument, "NAME",
     "name a command in reports. Repeat it for the next one. With parameters, give it once for "
     "all, once for each command, or once for each that runs.",
     GUARDED, TEXTS(names)},
    {0, OPTION_GROUP_COMMANDS, RUNS, "reference", required_argument, "COMMAND",
     "compare the others with this command. Beside a single command, parameters do not change it.",
     GUARDED, TEXT(reference)},
    {0, OPTION_GROUP_COMMANDS, RUNS, "reference-name", required_argument, "NAME",
     "name of the reference", GUARDED, TEXT(reference_name)},
    {OPTION_PARAMETER_LIST, OPTION_GROUP_COMMANDS, RUNS, "parameter-list", required_argument,
     "NAME VALUES",
     "run once for every value of a list. Commas separate values; {NAME} in commands, names, hooks "
     "and files becomes the value. Several lists give every combination. Two or more commands are "
     "compared within each combination, which is a benchmark called NAME=VALUE.",
     GUARDED, OWN},
    {OPTION_PARAMETER_SCAN, OPTION_GROUP_COMMANDS, RUNS, "parameter-scan", required_argument,
     "NAME MIN MAX", "the same for numbers from MIN to MAX", GUARDED, OWN},
    {OPTION_PARAMETER_STEP, OPTION_GROUP_COMMANDS, RUNS, "parameter-step-size", required_argument,
     "STEP", "step of the scan (default 1)", GUARDED, TEXT(scan_step)},
    {OPTION_BENCHMARK, OPTION_GROUP_COMMANDS, WRITES, "benchmark", required_argument, "GLOB",
     "run only benchmarks that match, as in 'parse/*'. May be repeated.", GUARDED, TEXTS(chosen)},
    {0, OPTION_GROUP_COMMANDS, SUITE | REVISIONS, "adapter", required_argument, "HOW",
     "with lauka suite and --suite: the protocol of both programs. 'lauka' (lauka_bench.h, or "
     "lauka-bench/1 by other means), 'gbench' (google-benchmark), 'go' (of go test -c), "
     "'criterion' (Criterion.rs), 'pytest' (pytest-benchmark); 'auto' (the default) looks into the "
     "file.",
     GUARDED, CHOICE(adapter, "auto lauka gbench go criterion pytest")},
    {0, OPTION_GROUP_COMMANDS, SUITE, "allow-new", no_argument, NULL,
     "with lauka suite: accept benchmarks that only the head has", GUARDED, FLAG(allow_new)},
    {OPTION_LIST_BENCHMARKS, OPTION_GROUP_COMMANDS, MEASURES, "list-benchmarks", no_argument, NULL,
     "print the names of benchmarks, and run nothing", GUARDED, FLAG(list_benchmarks)},
    {'s', OPTION_GROUP_COMMANDS, MEASURES, "setup", required_argument, "TEXT",
     "run this before the first run of a command. It runs in a shell and is not measured. Give it, "
     "like the next three, once for all commands, or once for each.",
     GUARDED, TEXTS(hooks[LAUKA_HOOK_SETUP]), .may_be_empty = true},
    {OPTION_PREPARE, OPTION_GROUP_COMMANDS, MEASURES, "prepare", required_argument, "TEXT",
     "run this before every run", GUARDED, TEXTS(hooks[LAUKA_HOOK_PREPARE]), .may_be_empty = true},
    {'C', OPTION_GROUP_COMMANDS, MEASURES, "conclude", required_argument, "TEXT",
     "run this after every run", GUARDED, TEXTS(hooks[LAUKA_HOOK_CONCLUDE]), .may_be_empty = true},
    {'c', OPTION_GROUP_COMMANDS, MEASURES, "cleanup", required_argument, "TEXT",
     "run this after the last run of a command", GUARDED, TEXTS(hooks[LAUKA_HOOK_CLEANUP]),
     .may_be_empty = true},
    {OPTION_ITEMS, OPTION_GROUP_COMMANDS, RUNS, "items", required_argument, "N",
     "each run processes N items. Adds items per second, and the cost of one item. 10k and 1.5M "
     "also work.",
     HARMLESS, EACH},
    {OPTION_BYTES, OPTION_GROUP_COMMANDS, RUNS, "bytes", required_argument, "N",
     "each run processes N bytes. Adds MB per second, and the CPU time of one byte. 64KiB and "
     "1.5GB also work.",
     HARMLESS, EACH},
    {0, OPTION_GROUP_COMMANDS, REVISIONS, "build", required_argument, "TEXT",
     "build a revision with this, in a shell. It runs in the revision's worktree, once for equal "
     "files.",
     GUARDED, TEXT(build)},
    {0, OPTION_GROUP_COMMANDS, REVISIONS, "jobs", required_argument, "N",
     "build N revisions at once (default {})", GUARDED, COUNT(jobs, 1), .standard = "1"},
    {0, OPTION_GROUP_COMMANDS, REVISIONS, "workload", required_argument, "PATH",
     "give all sides this file or folder. It comes from the working tree; REV:PATH takes it from a "
     "revision.",
     GUARDED, TEXTS(workloads)},
    {0, OPTION_GROUP_COMMANDS, REVISIONS, "skip-broken", no_argument, NULL,
     "leave out revisions that cannot be built. Otherwise the first one is an error.", GUARDED,
     FLAG(skip_broken)},
    {0, OPTION_GROUP_COMMANDS, REVISIONS, "allow-filters", no_argument, NULL,
     "let git run filters (and what these use) that only the settings of this repository name. "
     "They are programs: trust the repository first.",
     GUARDED, FLAG(allow_filters)},
    {0, OPTION_GROUP_COMMANDS, REVISIONS, "first-slower", no_argument, NULL,
     "find the first slower commit in A..B. If B is slower, or beyond the limits of --gate, the "
     "range is halved until the commit is known.",
     GUARDED, FLAG(first_slower)},
    {OPTION_SUITE, OPTION_GROUP_COMMANDS, REVISIONS, "suite", required_argument, "PROGRAM",
     "compare the benchmarks inside this program of two revisions, as lauka suite does", GUARDED,
     TEXT(suite)},
    {OPTION_CLEAN, OPTION_GROUP_COMMANDS, REVISIONS, "clean", no_argument, NULL,
     "remove all worktrees of this repository, and stop", GUARDED, FLAG(clean)},
    {OPTION_READ, OPTION_GROUP_COMMANDS, RUNS, "read", required_argument, "FIGURE",
     "read a figure that each run reports. NAME[:UNIT]=REGEX searches stdout with a POSIX extended "
     "regular expression; its one group is the number, and the last match counts. NAME[:UNIT] "
     "takes "
     "the line \"NAME VALUE UNIT\" from the descriptor in $LAUKA_REPORT_FD. Units: ns us ms s B kB "
     "MB KiB MiB /s ops/s MB/s.",
     GUARDED, EACH},
    {0, OPTION_GROUP_COMMANDS, RUNS, "input", required_argument, "FILE",
     "standard input of commands (default 'null'). A file is read from its beginning in every run.",
     GUARDED, TEXTS(inputs_from), .words = "null"},
    {OPTION_OUTPUT, OPTION_GROUP_COMMANDS, RUNS, "output", required_argument, "WHERE",
     "where stdout of commands goes (default 'null'). 'pipe' goes to lauka, which discards it, "
     "'inherit' to lauka's own stdout, with stderr. A file has a slash in its name (./out).",
     GUARDED, TEXTS(outputs_to), .words = "null pipe inherit"},
    {OPTION_SHOW_OUTPUT, OPTION_GROUP_COMMANDS, RUNS, "show-output", no_argument, NULL,
     "the same as --output=inherit", GUARDED, TEXTS(outputs_to), .fixed = "inherit"},
    {OPTION_AS_ROOT, OPTION_GROUP_COMMANDS, EVERY, "as-root", no_argument, NULL,
     "under sudo, doas or pkexec: run all as root. Without it, commands and files belong to the "
     "user who called it, and only counting is root's. It must be typed: a file cannot set it.",
     GUARDED, ASKED},
    {OPTION_IGNORE, OPTION_GROUP_COMMANDS, RUNS, "ignore-failure", optional_argument, "CODES",
     "accept failing runs. All of them, or only these exit codes: -i=1,2. A signal is 128 + N.",
     GUARDED, OWN, .words = "all-non-zero"},
    {OPTION_ALLOW, OPTION_GROUP_COMMANDS, RUNS, "allow-failures", no_argument, NULL,
     "the same as -i", GUARDED, OWN},
    /* ---- failures */
    {OPTION_EXPECT_EXIT, OPTION_GROUP_FAILURES, RUNS, "expect-exit", required_argument, "CODES",
     "exit codes that mean success, instead of 0. A signal is 128 + N.", GUARDED, EACH},
    {OPTION_TIMEOUT, OPTION_GROUP_FAILURES, MEASURES, "timeout", required_argument, "T",
     "end a run that takes longer. It gets SIGTERM, and a second later SIGKILL. The run has "
     "failed, and -i does not accept it.",
     GUARDED, EACH},
    {0, OPTION_GROUP_FAILURES, MEASURES, "max-failures", required_argument, "N",
     "go on after up to N failed runs (default {}). Their rounds are dropped for all commands, and "
     "counted.",
     GUARDED, COUNT(max_failures, 0), .standard = "0"},
    {0, OPTION_GROUP_FAILURES, RUNS, "keep-orphans", no_argument, NULL,
     "let processes live that a command left behind. Otherwise they are ended after the run.",
     GUARDED, FLAG(keep_orphans)},
    /* ---- machine */
    {0, OPTION_GROUP_MACHINE, RUNS, "quiet-machine", no_argument, NULL,
     "keep one core for lauka, the others for commands. Commands get priority if the system allows "
     "it, and --pin chooses their CPUs. Afterwards everything is as before.",
     GUARDED, FLAG(quiet_machine)},
    {0, OPTION_GROUP_MACHINE, DOCTOR, "selftest", no_argument, NULL,
     "with lauka doctor: count work whose counts are known. In one thread and in eight, in every "
     "way that this system offers. Attach the JSON to a bug report.",
     GUARDED, FLAG(selftest)},
    {0, OPTION_GROUP_MACHINE, MEASURES | DOCTOR, "require-quiet", no_argument, NULL,
     "exit with 6 unless the machine is quiet. lauka doctor lists what disturbs.", HARMLESS,
     FLAG(require_quiet)},
    {0, OPTION_GROUP_MACHINE, RUNS, "fixed-layout", no_argument, NULL,
     "keep addresses and environment size constant. Otherwise addresses vary from round to round, "
     "or the size if the system keeps addresses constant. They are alike for all commands of a "
     "round.",
     GUARDED, FLAG(fixed_layout)},
    {0, OPTION_GROUP_MACHINE, RUNS, "layouts", required_argument, "N",
     "measure N builds of each command. {layout} in a command is a number from 1 to N. Each round "
     "runs a drawn pair of builds, and intervals run over pairs, so that an accident of the linker "
     "does not look like a difference. 16 is a good number; below 8 there is no verdict.",
     GUARDED, COUNT(layouts, 2)},
    {0, OPTION_GROUP_MACHINE, RUNS, "link", required_argument, "TEXT",
     "with --layouts: build each program with this. It runs in a shell; {layout} is the number, "
     "{out} the file that the command executes. Give it once for all commands, or once for each. A "
     "program built by the same text from the same files is kept.",
     GUARDED, TEXTS(links)},
    {0, OPTION_GROUP_MACHINE, RUNS, "placement", required_argument, "HOW",
     "how to place executables, on Linux (default '{}'). With 'alike' they are written back, "
     "dropped from the page cache and read again before the warm-up, because copies that were "
     "placed differently take different times. 'keep' leaves them as they are.",
     GUARDED, CHOICE(placing, "alike keep"), .standard = "alike"},
    /* ---- counters */
    {OPTION_EVENTS, OPTION_GROUP_COUNTERS, MEASURES | LIST, "events", required_argument, "LIST",
     "count these instead of the usual five. Names (branch-misses, syscalls), PMU/TERMS/, rHEX, "
     "with :u or :k for user or kernel mode only, tracepoints (sched:sched_switch), or 'none'. "
     "lauka list shows them.",
     HARMLESS, OWN},
    {OPTION_COUNTERS, OPTION_GROUP_COUNTERS, RUNS, "counters", required_argument, "HOW",
     "how to count (default '{}'). That is the machine's own counters. 'valgrind' counts "
     "instructions, branches and misses on a simulated processor, exactly and on any machine. "
     "Every command then runs twice before the rounds, 15 to 60 times as slow, or 45 to 200 times "
     "if it forks. 'none' is -e none.",
     GUARDED, OWN, .words = "valgrind pmu none", .standard = "pmu"},
    {0, OPTION_GROUP_COUNTERS, RUNS, "why", no_argument, NULL,
     "name the functions that execute more or fewer instructions than in the reference. Valgrind "
     "counts them in two runs of every command before the rounds, 45 to 200 times as slow. Where "
     "it is not installed, samples are the answer: see --sampled. Build with -g for files and "
     "lines.",
     GUARDED, FLAG(why)},
    {OPTION_SAMPLED, OPTION_GROUP_COUNTERS, RUNS, "sampled", optional_argument, "T",
     "name the functions whose share of the time differs from the reference. The kernel samples "
     "commands a thousand times a second, in further rounds, for T each (3s by default). --why "
     "also does so, unless T is 0. On Linux only.",
     GUARDED, OWN},
    {OPTION_NO_MULTIPLEX, OPTION_GROUP_COUNTERS, MEASURES, "no-multiplex", no_argument, NULL,
     "exit with 6 unless all events fit together", HARMLESS, CHOICE(multiplex, "time rounds never"),
     .fixed = "never"},
    {OPTION_MULTIPLEX, OPTION_GROUP_COUNTERS, MEASURES, "multiplex", required_argument, "HOW",
     "how events share counters (default '{}'). If they do not fit, with 'rounds' sets of events "
     "take turns by rounds, and every count is whole; 'time' shares the time of each run and "
     "scales.",
     HARMLESS, CHOICE(multiplex, "time rounds"), .standard = "rounds"},
    {OPTION_PERIOD, OPTION_GROUP_COUNTERS, RUNS, "period", required_argument, "T",
     "on macOS, as root: read running threads every T, as the end of a thread may not be seen. By "
     "default this begins when the first end was not seen. At least 1ms; 0 turns it off.",
     HARMLESS, OWN},
    {0, OPTION_GROUP_COUNTERS, MEASURES, "require-counters", no_argument, NULL,
     "exit with 6 if an event cannot be counted", HARMLESS, FLAG(require_counters)},
    {0, OPTION_GROUP_COUNTERS, RUNS, "per-core-type", no_argument, NULL,
     "show the counts of each kind of core. The CPUs used are shown, too. The JSON always has "
     "both.",
     HARMLESS, FLAG(per_core_type)},
    {OPTION_PIN, OPTION_GROUP_COUNTERS, RUNS, "pin", required_argument, "CPUS",
     "run commands on these CPUs, lauka on the others. A list (2-3,6), or P or E for performance "
     "or efficiency cores.",
     HARMLESS, TEXT(pin), OWN, .told_unless = OPTION_PIN},
    {OPTION_REQUIRE_CORE, OPTION_GROUP_COUNTERS, RUNS, "require-core", required_argument, "P|E",
     "repeat runs that were on other cores. More than 1 % of a run's CPU time there is too much. "
     "Each run is repeated up to ten times.",
     HARMLESS, TEXT(require_core), OWN, .words = "P E"},
    {0, OPTION_GROUP_COUNTERS, RUNS, "tree-memory", no_argument, NULL,
     "measure memory of all processes together. The page cache that they filled is included. On "
     "Linux, if lauka may make a cgroup for each run.",
     GUARDED, FLAG(tree_memory)},
    {OPTION_LIST, OPTION_GROUP_COUNTERS, RUNS | LIST, "list", no_argument, NULL,
     "the same as lauka list", GUARDED, OWN},
    {OPTION_CHIP, OPTION_GROUP_COUNTERS, LIST, "chip", required_argument, "CHIP",
     "with lauka list: the events of an Apple chip. M1 ... M5, a14, as4: which of them exclude "
     "each other, and with -e whether those fit. On any machine.",
     HARMLESS, OWN},
    {OPTION_BACKEND, OPTION_GROUP_COUNTERS, RUNS | LIST, "backend", required_argument, "NAME",
     "run nothing, and make figures up. 'simulated' or 'simulated:SCENARIO' draws them from the "
     "seed, to try out reports. Scenarios: full, no-pmu, denied, multiplexed[-COUNTERS], "
     "user-only, hybrid, hybrid-apart, hybrid-alike, fail-ERRNO[-POSITION]; effects, in which each "
     "command's words say what it costs, such as 'p cost=10ms noise=1% first=5%' (CONTRIBUTING.md "
     "has them all).",
     GUARDED, OWN, .words = "simulated"},
    /* ---- outputs */
    {DOCUMENT(JSON), OPTION_GROUP_OUTPUTS, WRITES | ASKS, "json", optional_argument, "FILE",
     "write the whole result, every run included. '-' or no FILE writes to stdout instead of the "
     "table.",
     GUARDED, OUTPUT(JSON)},
    {DOCUMENT(CSV), OPTION_GROUP_OUTPUTS, WRITES, "csv", optional_argument, "FILE",
     "write a summary, one row per command", GUARDED, OUTPUT(CSV)},
    {DOCUMENT(CSV_PERCENTILES), OPTION_GROUP_OUTPUTS, WRITES, "csv-percentiles", optional_argument,
     "FILE", "write percentiles, one row each", GUARDED, OUTPUT(CSV_PERCENTILES)},
    {DOCUMENT(CSV_SAMPLES), OPTION_GROUP_OUTPUTS, WRITES, "csv-samples", optional_argument, "FILE",
     "write every run, one row each, in run order", GUARDED, OUTPUT(CSV_SAMPLES)},
    {DOCUMENT(MARKDOWN), OPTION_GROUP_OUTPUTS, WRITES, "markdown", optional_argument, "FILE",
     "write a table for a pull request", GUARDED, OUTPUT(MARKDOWN)},
    {DOCUMENT(ASCIIDOC), OPTION_GROUP_OUTPUTS, WRITES, "asciidoc", optional_argument, "FILE",
     "write a table in AsciiDoc", GUARDED, OUTPUT(ASCIIDOC)},
    {DOCUMENT(ORG), OPTION_GROUP_OUTPUTS, WRITES, "orgmode", optional_argument, "FILE",
     "write a table in Org", GUARDED, OUTPUT(ORG)},
    {DOCUMENT(HTML), OPTION_GROUP_OUTPUTS, WRITES, "html", optional_argument, "FILE",
     "write a page with pictures, in one file", GUARDED, OUTPUT(HTML)},
    {DOCUMENT(JUNIT), OPTION_GROUP_OUTPUTS, WRITES, "junit", optional_argument, "FILE",
     "write the gate's verdicts as JUnit XML", GUARDED, OUTPUT(JUNIT)},
    {DOCUMENT(PR_COMMENT), OPTION_GROUP_OUTPUTS, WRITES, "pr-comment", required_argument, "FILE",
     "write a comment for a pull request", GUARDED, OUTPUT(PR_COMMENT)},
    {0, OPTION_GROUP_OUTPUTS, WRITES, "comment-id", required_argument, "TEXT",
     "the identity of the comment of --pr-comment. A comment replaces the previous one of the same "
     "identity. The default is the path of the config file in its repository, or else the "
     "commands.",
     GUARDED, TEXT(comment_id)},
    {0, OPTION_GROUP_OUTPUTS, WRITES, "github", no_argument, NULL,
     "write GitHub's step summary and annotations", GUARDED, FLAG(github)},
    {DOCUMENT(BMF), OPTION_GROUP_OUTPUTS, WRITES, "bmf", optional_argument, "FILE",
     "write means for Bencher", GUARDED, OUTPUT(BMF)},
    {DOCUMENT(GITHUB_BENCHMARK), OPTION_GROUP_OUTPUTS, WRITES, "github-benchmark",
     optional_argument, "FILE",
     "write means for github-action-benchmark. As customSmallerIsBetter.", GUARDED,
     OUTPUT(GITHUB_BENCHMARK)},
    {DOCUMENT(GO_BENCHMARK), OPTION_GROUP_OUTPUTS, WRITES, "go-benchmark", optional_argument,
     "FILE", "write runs for benchstat. Use -col /cmd there, or -col /side for named benchmarks.",
     GUARDED, OUTPUT(GO_BENCHMARK)},
    {DOCUMENT(HLOG), OPTION_GROUP_OUTPUTS, WRITES, "hlog", optional_argument, "FILE",
     "write an HdrHistogram log of the main metric. It has a histogram for each command, tagged "
     "with its name.",
     GUARDED, OUTPUT(HLOG)},
    {DOCUMENT(HGRM), OPTION_GROUP_OUTPUTS, WRITES, "hgrm", optional_argument, "FILE",
     "write percentiles for HdrHistogram's plotters. They are the main metric's, of one command; "
     "times are in microseconds.",
     GUARDED, OUTPUT(HGRM)},
    {0, OPTION_GROUP_OUTPUTS, WRITES, "hgrm-command", required_argument, "N",
     "with --hgrm: the Nth command (default 1)", GUARDED, COUNT(hgrm_command, 1)},
    {EXPORT(JSON), OPTION_GROUP_OUTPUTS, WRITES | ASKS, "export-json", required_argument, "FILE",
     "the same as --json=FILE", GUARDED, OUTPUT(JSON)},
    {EXPORT(CSV), OPTION_GROUP_OUTPUTS, WRITES, "export-csv", required_argument, "FILE",
     "the same as --csv=FILE", GUARDED, OUTPUT(CSV)},
    {EXPORT(MARKDOWN), OPTION_GROUP_OUTPUTS, WRITES, "export-markdown", required_argument, "FILE",
     "the same as --markdown=FILE", GUARDED, OUTPUT(MARKDOWN)},
    {EXPORT(ASCIIDOC), OPTION_GROUP_OUTPUTS, WRITES, "export-asciidoc", required_argument, "FILE",
     "the same as --asciidoc=FILE", GUARDED, OUTPUT(ASCIIDOC)},
    {EXPORT(ORG), OPTION_GROUP_OUTPUTS, WRITES, "export-orgmode", required_argument, "FILE",
     "the same as --orgmode=FILE", GUARDED, OUTPUT(ORG)},
    {OPTION_METRICS, OPTION_GROUP_OUTPUTS, WRITES, "metrics", required_argument, "LIST",
     "show these metrics. 'default', 'time', 'all' and names, separated by commas, each with a "
     "unit if wanted (wall_time:ms,peak_rss). The answer is about the first.",
     HARMLESS, TEXT(metrics), .words = "default time all " METRIC_NAMES},
    {OPTION_TIME_UNIT, OPTION_GROUP_OUTPUTS, WRITES, "time-unit", required_argument, "UNIT",
     "show times in ns, us, ms or s", HARMLESS, TEXT(time_unit), OWN, .words = "ns us ms s"},
    {OPTION_SORT, OPTION_GROUP_OUTPUTS, WRITES, "sort", required_argument, "HOW",
     "order of commands in reports (default '{}'). 'command' and 'auto' keep the order given. "
     "'mean-time' puts the reference first, then the others by their mean wall time.",
     HARMLESS, OWN, .words = "command auto mean-time", .standard = "command"},
    {OPTION_STYLE, OPTION_GROUP_OUTPUTS, WRITES, "style", required_argument, "STYLE",
     "look of the screen (default '{}'). 'basic' has neither colour nor progress, 'full' has both. "
     "'color' has colour only, 'nocolor' progress only. 'none' prints no table.",
     GUARDED, OWN, .words = "auto basic full nocolor color none", .standard = "auto"},
    {OPTION_NO_SAMPLES, OPTION_GROUP_OUTPUTS, RUNS, "no-samples", no_argument, NULL,
     "keep no single runs. Memory and the JSON stay small, however long it takes.", GUARDED,
     FLAG(no_samples)},
    {0, OPTION_GROUP_OUTPUTS, WRITES, "samples", required_argument, "HOW",
     "how long series are stored (default '{}'). In the JSON, 'packed' compresses series of more "
     "than 10,000 runs; 'plain' writes arrays of numbers.",
     GUARDED, CHOICE(samples, "packed plain"), .standard = "packed"},
    {0, OPTION_GROUP_OUTPUTS, WRITES, "full", optional_argument, "NAME",
     "print all metrics of all commands, and all notes. Of several benchmarks: of all of them, or "
     "of those whose names match.",
     HARMLESS, TEXT(full)},
    {OPTION_LABEL, OPTION_GROUP_OUTPUTS, MEASURES, "label", required_argument, "KEY=VALUE",
     "keep this with the result. May be repeated.", GUARDED, TEXTS(labels), OWN},
    {0, OPTION_GROUP_OUTPUTS, MEASURES, "job", required_argument, "I/N",
     "this is job I of N of one session. Every job measures all of it, on its own machine; lauka "
     "merge puts them together. In Slurm arrays, GitLab, CircleCI and Buildkite, lauka knows it.",
     GUARDED, TEXT(job.text)},
    {0, OPTION_GROUP_OUTPUTS, MEASURES, "session", required_argument, "ID",
     "name of the session, the same in all its jobs. The number of the pipeline is a good one. The "
     "seeds of the jobs follow from it.",
     GUARDED, TEXT(job.session_text)},
    {0, OPTION_GROUP_OUTPUTS, MEASURES, "host", required_argument, "NAME",
     "name of this machine in a session of several jobs. By default it is Slurm's name of the "
     "node, or the host's own. Containers on one machine must give the same name.",
     GUARDED, TEXT(job.host_text)},
    {0, OPTION_GROUP_OUTPUTS, WRITES, "percentiles", no_argument, NULL,
     "print percentiles of each metric. Only those with enough runs beyond them.", HARMLESS,
     FLAG(percentiles)},
    {0, OPTION_GROUP_OUTPUTS, WRITES, "plot", no_argument, NULL,
     "draw histograms of each metric, with intervals", HARMLESS, FLAG(plot)},
    {OPTION_COLOR, OPTION_GROUP_OUTPUTS, EVERY, "color", required_argument, "WHEN",
     "use colours (default '{}'). 'auto', 'always' or 'never'.", HARMLESS, OWN,
     .words = "auto always never", .standard = "auto"},
    {OPTION_QUIET, OPTION_GROUP_OUTPUTS, EVERY, "quiet", no_argument, NULL,
     "print no progress and no hints on stderr", GUARDED, FLAG(quiet)},
    /* ---- gate */
    {OPTION_GATE, OPTION_GROUP_GATE, MEASURES | COMPARE | MERGE, "gate", required_argument, "LIMIT",
     "exit with 3 if a metric gets worse by more. wall_time=2%, wall_time.p99=5%, "
     "cpu_time.mean=1%,+50us (both must be exceeded), peak_rss=+1MiB. 'peak_rss<=64MiB' is a "
     "budget, whatever the reference costs, also for one command. '[NAME] wall_time=2%' is for "
     "benchmarks of that name or glob, as in a gate file. May be repeated. Rounds go on until all "
     "limits are decided, at 99.9 % confidence for each look, or 99 % with -r.",
     GUARDED, ASKED},
    {OPTION_GATE_FILE, OPTION_GROUP_GATE, MEASURES | COMPARE | MERGE, "gate-file",
     required_argument, "FILE",
     "read limits from FILE, one per line. Lines below [NAME] or [GLOB] are for these benchmarks, "
     "or for the command of that name if no benchmark has a name. They replace the general limit "
     "on the same METRIC.STAT.",
     GUARDED, ASKED},
    {OPTION_INCONCLUSIVE, OPTION_GROUP_GATE, MEASURES | COMPARE | MERGE, "inconclusive",
     required_argument, "HOW",
     "how an undecided limit counts (default '{}'). 'warn', 'pass', or 'fail' (exit code 4), which "
     "is the default of lauka noise and --bisect.",
     GUARDED, CHOICE(gate.policy, "warn fail pass"), .standard = "warn"},
    {OPTION_ALLOW_FILE, OPTION_GROUP_GATE, MEASURES | COMPARE | MERGE, "allow", required_argument,
     "FILE", "excuse known failures for a while. One per line: BENCHMARK METRIC until=DATE REASON.",
     GUARDED, ASKED},
    {0, OPTION_GROUP_GATE, COMPARE, "cross-host", no_argument, NULL,
     "judge results of different hosts, with a warning", GUARDED, FLAG(gate.cross_host)},
    {OPTION_BISECT, OPTION_GROUP_GATE, MEASURES | COMPARE, "bisect", no_argument, NULL,
     "exit as git bisect run expects. 0 is good, 1 bad, 125 not known; 255 ends the search.",
     GUARDED, FLAG(bisect)},
    /* ---- stored */
    {0, OPTION_GROUP_STORED, COMPARE, "column", required_argument, "NAME",
     "compare this column of CSV files. By name, or by number from 1.", HARMLESS, TEXT(column)},
    {0, OPTION_GROUP_STORED, COMPARE, "unpaired", no_argument, NULL,
     "take every value for an observation of its own, also those of two sessions or logs", GUARDED,
     FLAG(unpaired)},
    {0, OPTION_GROUP_STORED, COMPARE, "paired", no_argument, NULL,
     "pair the n-th values of two files: they were measured side by side", GUARDED, FLAG(paired)},
    {0, OPTION_GROUP_STORED, MERGE, "allow-missing", required_argument, "K",
     "with lauka merge: accept K jobs that are missing or did not end well (default {}). With "
     "more, the exit code is 1, or 5 if a command failed.",
     GUARDED, COUNT(missing_allowed, 0), .standard = "0"},
    /* ---- general */
    {OPTION_CONFIG, OPTION_GROUP_GENERAL, EVERY, "config", required_argument, "FILE",
     "read options from FILE, one argument per line. # starts a comment. [NAME] begins a "
     "benchmark; its parameters make it several. What you type wins. Without --config, "
     "$LAUKA_CONFIG or ./.lauka is read. If you type commands, ./.lauka sets harmless options only "
     "(man lauka lists them).",
     GUARDED, ASKED},
    {OPTION_NO_CONFIG, OPTION_GROUP_GENERAL, EVERY, "no-config", no_argument, NULL,
     "read no file of options", GUARDED, ASKED},
    {OPTION_HELP_BRIEF, OPTION_GROUP_GENERAL, EVERY, NULL, no_argument, NULL, "one screen of help",
     GUARDED, OWN},
    {OPTION_HELP, OPTION_GROUP_GENERAL, EVERY, "help", optional_argument, "FORM",
     "list all options. FORM 'man' is the manual page; 'bash', 'zsh' and 'fish' are completions "
     "for the shell.",
     GUARDED, OWN, .words = "man bash zsh fish"},
    {OPTION_VERSION, OPTION_GROUP_GENERAL, EVERY, "version", optional_argument, "FORM",
     "version, commit, target and libraries. FORM 'json' is for programs.", GUARDED, OWN,
     .words = "json"},
};

const struct option_row lauka_word_row = {.group = OPTION_GROUP_GENERAL, .verbs = EVERY};

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
    {LAUKA_VERB_RUN,
     "run",
     "[OPTIONS] COMMAND [COMMAND...]",
     "measure and compare commands",
     "The word may be left out. Every round runs each command once, in a random order. The first "
     "command is the reference; the others are compared with it.",
     {"lauka ./before ./after", "lauka -S 'cat a | wc -l' 'wc -l < a'",
      "lauka -- ./before 'a b' --vs ./after 'a b'"}},
    {LAUKA_VERB_WHY,
     "why",
     "[OPTIONS] COMMAND...",
     "tell which functions make it slower",
     "A session like any other, with --why. Its answer ends with the functions that execute more "
     "or fewer instructions than in the reference, and those whose share of the time changed. "
     "Valgrind counts the instructions before the rounds; the kernel samples the time. Build with "
     "-g for files and lines.",
     {"lauka why ./before ./after"}},
    {LAUKA_VERB_NOISE,
     "noise",
     "[OPTIONS] COMMAND",
     "compare a command with itself",
     "Shows how noisy this machine is, and the smallest change that can be seen here. With --gate, "
     "the command is also compared with itself slowed down by twice the limit: the first "
     "comparison must pass, the second must fail.",
     {"lauka noise ./prog", "lauka noise --gate cpu_time=2% ./prog"}},
    {LAUKA_VERB_REVISIONS,
     "revisions",
     "REV... -- COMMAND",
     "build git revisions and compare them",
     "Each revision is built in a worktree of its own; then all are measured in interleaved "
     "rounds. A dot is the working tree as it is. Your checkout, index and stashes are not "
     "touched, and no hook runs.",
     {"lauka revisions main HEAD --build 'make -j2' -- ./prog big.txt",
      "lauka revisions v1.2..HEAD --first-slower --build make -- ./prog",
      "lauka revisions main HEAD --build 'go test -c -o b ./pkg' --suite ./b",
      "lauka revisions --clean"}},
    {LAUKA_VERB_SUITE,
     "suite",
     "[OPTIONS] BASE HEAD",
     "compare benchmarks inside programs",
     "Asks both programs for their benchmarks, and measures those that both have. Both sides take "
     "turns, in fresh processes.",
     {"lauka suite ./base ./head", "lauka suite --benchmark 'parse/*' ./base ./head"}},
    {LAUKA_VERB_COMPARE,
     "compare",
     "[OPTIONS] FILE...",
     "compare stored data",
     "Reads JSON of lauka or hyperfine, plain numbers, columns of CSV files, and HdrHistogram "
     "logs. The first file is the reference. One file alone is summarised. - is standard input.",
     {"lauka compare old.json new.json", "lauka compare --column ms old.csv new.csv"}},
    {LAUKA_VERB_REPORT,
     "report",
     "[OPTIONS] RESULT.json",
     "write the reports of a result again",
     "Every report of a session can be made from its JSON.",
     {"lauka report result.json", "lauka report result.json --html=result.html"}},
    {LAUKA_VERB_GATE,
     "gate",
     "[OPTIONS] RESULT [HEAD]",
     "hold stored results to limits",
     "One result is held to limits between its commands, two results to limits from the first to "
     "the second. Without --gate, the result's own limits hold. To hold a session to limits while "
     "it is measured, use --gate there: lauka help limits.",
     {"lauka gate result.json --gate cpu_time=2%",
      "lauka gate base.json head.json --gate cpu_time=2%"}},
    {LAUKA_VERB_MERGE,
     "merge",
     "[OPTIONS] JOB.json...",
     "merge the jobs of several machines",
     "Every job has measured the whole session on its own machine, with --job and --session. Each "
     "host is judged by its own rounds. Of three hosts or more there is an interval over all of "
     "them. All reports name hosts that disagree.",
     {"lauka merge job-*.json", "lauka merge job-*.json --json=session.json --gate cpu_time=2%"}},
    {LAUKA_VERB_LIST,
     "list",
     "[--chip CHIP] [PATTERN]",
     "list what can be counted",
     "Lists events, and the reason for each that cannot be counted here. PATTERN is a part of a "
     "name.",
     {"lauka list", "lauka list branch", "lauka list --chip M4"}},
    {LAUKA_VERB_THREADS,
     "threads",
     "PID [--interval MS]",
     "show what a process's threads use",
     "Shows the user and system time of every thread since it began. With --interval it shows what "
     "each interval added, and counts where there are counters.",
     {"lauka threads 1234", "lauka threads 1234 --interval 1s"}},
    {LAUKA_VERB_DOCTOR,
     "doctor",
     "[--selftest]",
     "find what disturbs measurements here",
     "Lists what disturbs measurements on this machine: how much it matters, where it was read, "
     "and what to do about it.",
     {"lauka doctor", "lauka doctor --selftest >selftest.json"}},
    {LAUKA_VERB_HELP,
     "help",
     "[TOPIC]",
     "explain a subcommand, or options",
     "Without a topic it lists the topics; 'all' is everything.",
     {"lauka help compare", "lauka help limits"}},
};
const size_t lauka_verb_count = sizeof lauka_verb_rows / sizeof *lauka_verb_rows;

const struct verb_row *option_verb_row(const char *word)
{
    for (size_t i = 0; i < lauka_verb_count; i++)
        if (strcmp(word, lauka_verb_rows[i].name) == 0)
            return &lauka_verb_rows[i];
    return NULL;
}

/* The first word is a verb only if it equals one. */
bool option_find_verb(const char *word, enum lauka_verb *verb)
{
    const struct verb_row *row = option_verb_row(word);

    if (row)
        *verb = row->verb;
    return row != NULL;
}
